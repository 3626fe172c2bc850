"""From nodes with names to a compiled graph: edges, and constants that stay where they are mapped.

Constants become inputs that are owned by DirectML, as in Microsoft's reader: their bytes are read
where they lie, and not copied to the persistent resource.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from indirectml.catalogue.enumerations import ExecutionFlags
from indirectml.core.errors import (
    DescriptorError,
    DirectMLError,
    shown,
)
from indirectml.core.tensor_buffers import Bytes
from indirectml.core.tensors import TensorDesc, TensorFlags
from indirectml.graphs.compiled_graphs import CompiledGraph
from indirectml.graphs.expressions import Expression
from indirectml.graphs.graph_descs import GraphDesc, InputEdge, IntermediateEdge, OutputEdge
from indirectml.graphs.inputs import Input
from indirectml.runtime import Device, Operator
from indirectml.serialized.nodes import SerializedConstant, SerializedOperator, Tensor
from indirectml.serialized.reading import Contents

#: Memory that begins at a multiple of these bytes is used where it is; mapped files do.
_ALIGNMENT = 64


def compile_contents(
    contents: Contents, device: Device, flags: ExecutionFlags, unread: int = 0
) -> CompiledGraph:
    """Return the nodes of a graph compiled by a device.

    Parameters
    ----------
    contents : Contents
        The graph.
    device : Device
        What compiles it.
    flags : ExecutionFlags
        As for `Device.compile_operator`.
    unread : int
        How many of the last outputs a call does not return.

    Raises
    ------
    DescriptorError, DataTypeError, LayoutError
        The device refuses a node, which is named, or the graph breaks a rule.
    """
    return _Compilation(contents, device).compiled(flags, unread)


class _Compilation:
    """One graph on its way from names to edges."""

    def __init__(self, contents: Contents, device: Device) -> None:
        self._contents = contents
        self._device = device
        self._constants = {
            node.output_name: node
            for node in contents.nodes
            if isinstance(node, SerializedConstant)
        }
        # Those that are not constants, with their places in the file.
        self._operators = [
            (f"nodes[{number}] ({shown(node.name)})", node)
            for number, node in enumerate(contents.nodes)
            if isinstance(node, SerializedOperator)
        ]
        self._graph_inputs = {name for name in contents.input_names if name}
        self._inputs: dict[str, Input] = {}
        self._made: dict[str, tuple[int, int]] = {}
        self._tensors: dict[str, TensorDesc] = {}
        self._input_edges: list[InputEdge] = []
        self._intermediate_edges: list[IntermediateEdge] = []

    def compiled(self, flags: ExecutionFlags, unread: int) -> CompiledGraph:
        operators = [self._operator(place, node) for place, node in self._operators]
        for number, (place, node) in enumerate(self._operators):
            self._connect(number, place, node)
        outputs = self._contents.output_names
        edges = [OutputEdge(*self._output(name), index) for index, name in enumerate(outputs)]
        desc = GraphDesc(
            len(self._inputs),
            len(outputs),
            operators,
            edges,
            self._input_edges,
            self._intermediate_edges,
            [node.name for _, node in self._operators],
            {
                p: n
                for n, p in self._made.items()
                if not n.startswith("nodeIdx:") and n not in outputs
            },
        )
        inputs = list(self._inputs.values())
        # An input that no node reads has no tensor here; what it is given is not looked at.
        known: dict[Expression | str, Input | None] = dict.fromkeys(self._graph_inputs)
        return CompiledGraph(
            self._device.compile_graph(desc, flags),
            inputs,
            [self._tensors[name] for name in outputs],
            known | {found.name: found for found in inputs if not found.is_constant},
            unread,
        )

    def _operator(self, place: str, node: SerializedOperator) -> Operator:
        inputs = [
            _owned(tensor) if name in self._constants else tensor
            for name, tensor in zip(node.input_names, node.inputs, strict=True)
        ]
        try:
            return self._device.create_operator(replace(node, inputs=tuple(inputs)).desc)
        except DirectMLError as error:
            raise error.within(place) from None

    def _connect(self, number: int, place: str, node: SerializedOperator) -> None:
        for k, (name, tensor) in enumerate(zip(node.input_names, node.inputs, strict=True)):
            if tensor is None:
                continue
            if name in self._made:
                self._intermediate_edges.append(IntermediateEdge(*self._made[name], number, k))
                continue
            found = self._inputs.get(name)
            if found is None:
                try:
                    found = self._inputs[name] = self._input(name, tensor)
                except DirectMLError as error:
                    raise error.within(place) from None
            self._input_edges.append(InputEdge(found.number, number, k))
        for k, (name, tensor) in enumerate(zip(node.output_names, node.outputs, strict=True)):
            if tensor is not None:
                self._made[name] = number, k
                self._tensors[name] = tensor

    def _input(self, name: str, tensor: TensorDesc) -> Input:
        """Return an input of the graph, or a constant, as the first node that reads it has it."""
        number = len(self._inputs)
        constant = self._constants.get(name)
        if constant is None:
            return Input(number, tensor, name, None)
        return Input(number, _owned(tensor), name, _bytes(constant, tensor))

    def _output(self, name: str) -> tuple[int, int]:
        if name in self._constants:
            raise DescriptorError(
                "a constant is not wired straight to an output",
                given=shown(name),
                hint="put ELEMENT_WISE_IDENTITY between them",
                field="GRAPH",
            )
        return self._made[name]


def _owned(tensor: Tensor) -> TensorDesc:
    assert tensor is not None  # noqa: S101 (what has a name has a tensor)
    return TensorDesc(
        tensor.data_type,
        tensor.sizes,
        flags=TensorFlags.OWNED_BY_DML,
        strides=tensor.strides,
        total_tensor_size_in_bytes=tensor.total_tensor_size_in_bytes,
    )


def _bytes(constant: SerializedConstant, tensor: TensorDesc) -> Bytes:
    """Return the bytes of a constant, which zeros fill up to a multiple of 4, like any tensor."""
    total = tensor.total_tensor_size_in_bytes
    raw = np.frombuffer(constant.data, np.uint8)
    if -(-raw.size // 4) != -(-total // 4):
        raise DescriptorError(
            f"needs a constant of {total} bytes",
            given=f"{raw.size} of {shown(constant.name)}",
        )
    if raw.size >= total and raw.ctypes.data % _ALIGNMENT == 0:
        return raw[:total]
    found = np.zeros(total, np.uint8)
    found[: raw.size] = raw[:total]
    return found
