"""From a dispatch model to one graph: what its dispatches write and read becomes edges."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import Any

from indirectml.core.errors import DirectMLError, ModelError
from indirectml.core.tensors import TensorDesc
from indirectml.descriptors.names import camel_case
from indirectml.graphs.graph_descs import GraphDesc, InputEdge, IntermediateEdge, OutputEdge
from indirectml.models.checking import is_owned
from indirectml.models.model import (
    Bindings,
    DispatchCommand,
    Model,
    ModelDispatchable,
    ModelGraph,
    ResourcePart,
)
from indirectml.models.running import new_buffer
from indirectml.serialized.graph import SerializedGraph


def graph_of_model(model: Model) -> SerializedGraph:
    """Return the graph that the dispatches of a model are together.

    Parameters
    ----------
    model : Model
        Read and checked.

    Raises
    ------
    ModelError
        A dispatch binds a part of a resource, reads more or less than another has written, or is
        of a graph in a file.

    Notes
    -----
    Resources that are read before a dispatch has written them are inputs, by their names. What is
    printed or written to a file is an output, and so is what nothing reads: by the name of its
    resource, or, if that is an input's or several outputs', with the number of the command.
    Initial values are left out, except of what DirectML owns: that becomes constants. Nodes have
    the names of dispatchables, and what flows between them those of resources, as far as each has
    one value.
    """
    wiring = _Wiring(model)
    for command in model.commands:
        try:
            if isinstance(command, DispatchCommand):
                wiring.dispatch(command)
            else:
                wiring.show(command.resource, command.number)
        except DirectMLError as error:
            raise error.within(f"commands[{command.number}]") from None
    return wiring.graph()


@dataclass
class _Value:
    """What a dispatch has written into a resource, until another does."""

    resource: str
    place: tuple[int, int]
    size_bytes: int
    command: int
    is_read: bool = False
    shown: int | None = None


class _Wiring:
    """The nodes and edges so far, and what each resource holds."""

    def __init__(self, model: Model) -> None:
        self._model = model
        self._nodes: list[ModelDispatchable] = []
        self._node_names: dict[str, None] = {}
        self._inputs: dict[str, int] = {}
        self._sizes: dict[str, int] = {}
        self._weights: dict[str, Any] = {}
        self._held: dict[str, _Value] = {}
        self._values: list[_Value] = []
        self._input_edges: list[InputEdge] = []
        self._edges: list[IntermediateEdge] = []

    def dispatch(self, command: DispatchCommand) -> None:
        """Add the node of a dispatch."""
        dispatchable = self._model.dispatchables[command.dispatchable]
        if isinstance(dispatchable, ModelGraph):
            raise ModelError(
                "needs operators, which one graph is made of",
                given="a graph in a file",
                field="dispatchable",
            )
        node = len(self._nodes)
        self._nodes.append(dispatchable)
        name = dispatchable.name
        while name in self._node_names:
            name = f"{name} {command.number}"
        self._node_names[name] = None
        for k, (name, tensor) in enumerate(dispatchable.desc.tensors("input_tensor")):
            if tensor is not None and is_owned(tensor):
                self._read_owned(dispatchable, name, tensor, (node, k))
            elif tensor is not None:
                self._read(_part(command.bindings, name), tensor, (node, k))
        for k, (name, tensor) in enumerate(dispatchable.desc.tensors("output_tensor")):
            if tensor is not None:
                resource = _part(command.bindings, name).resource
                size = tensor.total_tensor_size_in_bytes
                self._held[resource] = _Value(resource, (node, k), size, command.number)
                self._values.append(self._held[resource])

    def _read(self, part: ResourcePart, tensor: TensorDesc, target: tuple[int, int]) -> None:
        value = self._held.get(part.resource)
        size = tensor.total_tensor_size_in_bytes
        written = self._sizes.setdefault(part.resource, size) if value is None else value.size_bytes
        if size != written:
            raise ModelError(
                f"needs all {written} bytes that resource {part.resource!r} has here",
                given=f"{size}",
                field="bindings",
            )
        if value is None:
            self._input_edges.append(InputEdge(self._input(part.resource), *target))
        else:
            value.is_read = True
            self._edges.append(IntermediateEdge(*value.place, *target))

    def _read_owned(
        self, dispatchable: ModelDispatchable, field_: str, tensor: TensorDesc, target: Any
    ) -> None:
        """Add what DirectML owns as a constant, once for each dispatchable."""
        name = f"{dispatchable.name}.{field_}"
        part = _part(dispatchable.bindings, field_)
        raw = new_buffer(self._model.resources[part.resource])
        self._weights[name] = raw[: tensor.total_tensor_size_in_bytes]
        self._input_edges.append(InputEdge(self._input(name), *target))

    def _input(self, name: str) -> int:
        return self._inputs.setdefault(name, len(self._inputs))

    def show(self, resource: str, command: int) -> None:
        """Make what a resource holds an output, unless it is one already."""
        value = self._held.get(resource)
        if value is not None and value.shown is None:
            value.shown = command

    def graph(self) -> SerializedGraph:
        """Return the graph; what nothing reads is an output too."""
        outputs = [v for v in self._values if v.shown is not None or not v.is_read]
        counts = Counter(value.resource for value in outputs)
        counts.update(self._inputs)
        names = [
            value.resource
            if counts[value.resource] == 1
            else f"{value.resource} {value.command if value.shown is None else value.shown}"
            for value in outputs
        ]
        if not names:
            raise ModelError("needs a dispatch, which a graph is made of", field="commands")
        desc = GraphDesc(
            len(self._inputs),
            len(outputs),
            self._nodes,
            [OutputEdge(*value.place, index) for index, value in enumerate(outputs)],
            self._input_edges,
            self._edges,
            list(self._node_names),
            {value.place: value.resource for value in self._values},
        )
        return SerializedGraph.of_desc(
            desc,
            input_names=list(self._inputs),
            output_names=names,
            weights=self._weights,
        )


def _part(bindings: Bindings, name: str) -> ResourcePart:
    """Return what is bound to a tensor of a name such as "input_tensors[1]"."""
    field_name, _, number = name.partition("[")
    part = bindings[camel_case(field_name)][int(number.removesuffix("]") or 0)]
    if part.offset_bytes:
        raise ModelError(
            "needs a resource as a whole",
            given=f"{part.resource!r} from byte {part.offset_bytes}",
            field=f"bindings.{camel_case(field_name)}",
        )
    return part
