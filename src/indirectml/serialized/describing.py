"""From nodes and edges to nodes and names: `GraphDesc`, and graphs of the `directml` package's API.

The format has no flags: an input that is owned by DirectML becomes a constant, whose data has to
be known. And it has one name for a value: Microsoft's reader takes the name of an output of the
graph for that alone, so a value that is one, and is read or is another output too, gets a name of
its own, and an identity node per output.
"""

from __future__ import annotations

import heapq
from collections.abc import Mapping, Sequence
from typing import Any

from indirectml.core.errors import DescriptorError, shown
from indirectml.core.tensors import TensorDesc, TensorFlags
from indirectml.descriptors.names import snake_case
from indirectml.graphs.graph_descs import ConstantNode, GraphDesc
from indirectml.serialized.fields import fields_of
from indirectml.serialized.nodes import (
    Node,
    SerializedConstant,
    SerializedOperator,
    Tensor,
)
from indirectml.serialized.reading import Contents

#: A node's number and the number of its output.
_Place = tuple[int, int]


def contents_of_desc(
    desc: GraphDesc,
    input_names: Sequence[str] | None,
    output_names: Sequence[str] | None,
    weights: Mapping[str, Any],
) -> Contents:
    """Return the nodes of a graph, each after those that feed it, connected by names.

    Parameters
    ----------
    desc : GraphDesc
        Of operators and constants.
    input_names, output_names : sequence of str or None
        One per input and output; "input_0" and so on for None.
    weights : dict
        The bytes of inputs that are owned by DirectML, by name.

    Raises
    ------
    DescriptorError
        Names do not fit, an input is not connected, there is a cycle, or an input that is owned by
        DirectML has no data.
    """
    return _Description(desc, input_names, output_names, weights).contents()


class _Description:
    """One graph on its way from edges to names."""

    def __init__(
        self,
        desc: GraphDesc,
        input_names: Sequence[str] | None,
        output_names: Sequence[str] | None,
        weights: Mapping[str, Any],
    ) -> None:
        self._desc = desc
        self._input_names = _names(input_names, desc.input_count, "input")
        self._output_names = _names(output_names, desc.output_count, "output")
        self._weights = weights
        _check_different([*self._input_names, *self._output_names])
        for name in weights:
            if name not in self._input_names:
                raise DescriptorError(
                    "needs names of inputs of the graph", given=shown(name), field="weights"
                )
        self._descs = [getattr(node, "desc", node) for node in desc.nodes]
        self._sources: dict[_Place, str] = {}
        self._feeding: dict[int, set[int]] = {k: set() for k in range(len(self._descs))}
        self._values: dict[_Place, str] = {}
        self._outputs: dict[_Place, list[int]] = {}

    def contents(self) -> Contents:
        self._name_values()
        self._node_names = self._names_of_nodes()
        owned: set[str] = set()
        operators = [self._node(number, owned) for number in self._order()]
        constants = [
            SerializedConstant(name, name, _kept(self._weights[name]))
            for name in self._input_names
            if name in owned
        ]
        identities = [
            _identity(self._values[place], self._output_names[index], self._tensor(place))
            for place, indices in self._outputs.items()
            for index in indices
            if self._values[place] != self._output_names[index]
        ]
        inputs = tuple(name for name in self._input_names if name not in owned)
        return Contents((*constants, *operators, *identities), inputs, tuple(self._output_names))

    def _name_values(self) -> None:
        desc = self._desc
        read: set[_Place] = set()
        for edge in desc.intermediate_edges:
            place = edge.from_node_index, edge.from_node_output_index
            read.add(place)
            self._feeding[edge.to_node_index].add(edge.from_node_index)
        for end in desc.output_edges:
            place = end.from_node_index, end.from_node_output_index
            self._outputs.setdefault(place, []).append(end.graph_output_index)
        for number, node in enumerate(self._descs):
            count = 1 if isinstance(node, ConstantNode) else len(node.tensors("output_tensor"))
            for k in range(count):
                self._values[number, k] = f"nodeIdx:{number}-outputIdx:{k}"
        self._keep_value_names()
        for place, indices in self._outputs.items():
            if len(indices) == 1 and place not in read:
                self._values[place] = self._output_names[indices[0]]
        for first in desc.input_edges:
            target = first.to_node_index, first.to_node_input_index
            self._sources[target] = self._input_names[first.graph_input_index]
        for edge in desc.intermediate_edges:
            target = edge.to_node_index, edge.to_node_input_index
            self._sources[target] = self._values[edge.from_node_index, edge.from_node_output_index]

    def _keep_value_names(self) -> None:
        """Give values their own names, as far as no other has them."""
        taken = {*self._input_names, *self._output_names}
        for place, name in self._desc.value_names.items():
            is_free = name and name not in taken and "\0" not in name
            if place in self._values and is_free and not name.startswith("nodeIdx:"):
                self._values[place] = name
                taken.add(name)

    def _names_of_nodes(self) -> list[str]:
        """Return the names of the nodes; of those without, operator and number, which none has."""
        given = self._desc.node_names or [""] * len(self._descs)
        taken = {name for name in given if name}
        found = []
        for number, (name, desc) in enumerate(zip(given, self._descs, strict=True)):
            made = name or f"{getattr(desc, 'operator_name', 'constant')}_{number}"
            while not name and made in taken:
                made += "_"
            found.append(made)
        return found

    def _order(self) -> list[int]:
        """Return the numbers of the nodes, each after those that feed it, else as they are."""
        waiting = {number: set(feeding) for number, feeding in self._feeding.items()}
        fed: dict[int, list[int]] = {number: [] for number in waiting}
        for number, feeding in waiting.items():
            for other in feeding:
                fed[other].append(number)
        ready = [number for number, feeding in waiting.items() if not feeding]
        order: list[int] = []
        while ready:
            number = heapq.heappop(ready)
            order.append(number)
            for other in fed[number]:
                waiting[other].discard(number)
                if not waiting[other]:
                    heapq.heappush(ready, other)
        if len(order) != len(waiting):
            raise DescriptorError("a graph has no cycles", given="one", field="GRAPH")
        return order

    def _tensor(self, place: _Place) -> TensorDesc:
        found: TensorDesc = _plain(self._descs[place[0]].tensors("output_tensor")[place[1]][1])
        return found

    def _node(self, number: int, owned: set[str]) -> Node:
        desc = self._descs[number]
        if isinstance(desc, ConstantNode):
            return SerializedConstant(self._node_names[number], self._values[number, 0], desc.data)
        inputs = desc.tensors("input_tensor")
        outputs = desc.tensors("output_tensor")
        input_names: list[str] = []
        for k, (field, tensor) in enumerate(inputs):
            place = f"nodes[{number}] ({desc.operator_name}).{field}"
            name = self._sources.get((number, k), "")
            if bool(name) != (tensor is not None):
                raise DescriptorError("needs one edge per input that it has", field=place)
            if tensor is not None and tensor.flags & TensorFlags.OWNED_BY_DML:
                if name not in self._weights:
                    raise DescriptorError(
                        "an input that is owned by DirectML is written as a constant, and needs "
                        "its data",
                        given=f"none for {shown(name)}",
                        hint="give it in weights={...}",
                        field=place,
                    )
                owned.add(name)
            input_names.append(name)
        output_names = [
            "" if tensor is None else self._values[number, k]
            for k, (_, tensor) in enumerate(outputs)
        ]
        return SerializedOperator(
            self._node_names[number],
            desc.operator_name,
            tuple(_plain(tensor) for _, tensor in inputs),
            tuple(_plain(tensor) for _, tensor in outputs),
            tuple(input_names),
            tuple(output_names),
            {
                snake_case(field.name): getattr(desc, snake_case(field.name))
                for field in fields_of(desc.operator_name, "attribute")
                if hasattr(desc, snake_case(field.name))
            },
        )


def _kept(data: Any) -> bytes | memoryview:
    """Return the bytes of a constant, copied where they may change."""
    view = memoryview(data)
    return view.cast("B") if view.readonly and view.c_contiguous else bytes(view)


def _names(given: Sequence[str] | None, count: int, kind: str) -> list[str]:
    if given is None:
        return [f"{kind}_{k}" for k in range(count)]
    names = list(given)
    if len(names) != count:
        needs = f"needs one name per {kind} of the graph, {count}"
        raise DescriptorError(needs, given=f"{len(names)}", field=f"{kind}_names")
    for index, name in enumerate(names):
        if not isinstance(name, str) or not name or "\0" in name:
            needs = "needs a name without zero bytes"
            raise DescriptorError(needs, given=shown(name), field=f"{kind}_names[{index}]")
    return names


def _check_different(names: list[str]) -> None:
    seen: set[str] = set()
    for name in names:
        if name in seen or name.startswith("nodeIdx:"):
            raise DescriptorError(
                "inputs and outputs need names of their own, none that begins with nodeIdx:",
                given=shown(name),
                field="GRAPH",
            )
        seen.add(name)


def _plain(tensor: Any) -> Any:
    """Return a tensor without flags and alignment, which the format has no fields for."""
    if tensor is None:
        return None
    return TensorDesc(
        tensor.data_type,
        tensor.sizes,
        strides=tensor.strides,
        total_tensor_size_in_bytes=tensor.total_tensor_size_in_bytes,
    )


def _identity(value: str, output: str, tensor: TensorDesc) -> SerializedOperator:
    tensors: tuple[Tensor, ...] = (tensor,)
    name = "ELEMENT_WISE_IDENTITY"
    attributes = {"scale_bias": None}
    return SerializedOperator(
        f"{name} of {value}", name, tensors, tensors, (value,), (output,), attributes
    )
