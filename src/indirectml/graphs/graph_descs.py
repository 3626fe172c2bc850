"""Graphs as DirectML describes them: nodes and edges; their rules, and the plan they become."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from indirectml.core.data_types import TensorDataType
from indirectml.core.errors import DataTypeError, DescriptorError, DirectMLError, shown
from indirectml.core.tensors import TensorDesc, TensorFlags
from indirectml.descriptors.base import OperatorDesc
from indirectml.plans import CopyStep, DataStep, Plan, PlanOptions, Ranges, Step, View


@dataclass(frozen=True)
class InputEdge:
    """DML_INPUT_GRAPH_EDGE_DESC: an input of the graph feeds an input of a node."""

    graph_input_index: int
    to_node_index: int
    to_node_input_index: int


@dataclass(frozen=True)
class OutputEdge:
    """DML_OUTPUT_GRAPH_EDGE_DESC: an output of a node is an output of the graph."""

    from_node_index: int
    from_node_output_index: int
    graph_output_index: int


@dataclass(frozen=True)
class IntermediateEdge:
    """DML_INTERMEDIATE_GRAPH_EDGE_DESC: an output of a node feeds an input of another."""

    from_node_index: int
    from_node_output_index: int
    to_node_index: int
    to_node_input_index: int


@dataclass(frozen=True)
class ConstantNode:
    """DML_CONSTANT_DATA_GRAPH_NODE_DESC: a node whose one output has known bytes.

    Parameters
    ----------
    data : bytes or array
        The bytes of the tensor that consumers see; zeros follow up to a multiple of 4.

    Notes
    -----
    It may stand among the nodes from feature level 6_2 on, and feeds inputs that are not owned by
    DirectML. Its bytes lie in the persistent resource.

    References
    ----------
    DirectML: DML_CONSTANT_DATA_GRAPH_NODE_DESC structure.

    Examples
    --------
    >>> ConstantNode(np.array([65, 66], np.uint8))
    ConstantNode(data=b'AB')
    """

    data: bytes

    def __post_init__(self) -> None:
        try:
            data = memoryview(self.data).tobytes()
        except TypeError:
            data = b""
        if not data:
            needs = "needs bytes or an array, with at least one element"
            raise DataTypeError(needs, given=shown(self.data), field="ConstantNode.data")
        object.__setattr__(self, "data", data)


@dataclass(frozen=True)
class GraphDesc:
    """DML_GRAPH_DESC: operators, and how they are connected.

    Parameters
    ----------
    input_count, output_count : int
        How many buffers the graph reads and writes.
    nodes : sequence of Operator or ConstantNode
        All of one device.
    output_edges : sequence of OutputEdge
        One per output of the graph.
    input_edges, intermediate_edges : sequence of InputEdge, of IntermediateEdge
        Together one per input of a node, except optional ones that are left out.

    Notes
    -----
    A graph has no cycles. Every input and every output of a node is connected. The two tensors of
    an edge may differ in everything but the total size: an edge reinterprets. An input that is
    owned by DirectML is fed by an input of the graph, and all consumers of that agree. Neither
    an input of the graph nor a constant is wired straight to an output.

    References
    ----------
    DirectML: DML_GRAPH_DESC structure.

    Examples
    --------
    >>> device = Device()
    >>> tensor = TensorDesc(np.float32, [2])
    >>> fill = device.create_operator(FillValueConstantOperatorDesc(tensor, np.float32, 13.0))
    >>> graph = GraphDesc(0, 1, [fill], [OutputEdge(0, 0, 0)])
    >>> device.compile_graph(graph).plan.outputs
    (TensorDesc(FLOAT32, sizes=[2]),)
    """

    input_count: int
    output_count: int
    nodes: Sequence[Any]
    output_edges: Sequence[OutputEdge]
    input_edges: Sequence[InputEdge] = ()
    intermediate_edges: Sequence[IntermediateEdge] = ()


#: What feeds an input of a node: the number of an input of the graph, or node and output.
_Source = int | tuple[int, int]


class _Node:
    """A node of a graph, with what feeds its inputs."""

    def __init__(self, number: int, content: OperatorDesc | ConstantNode) -> None:
        self.content = content
        self.inputs: list[tuple[str, TensorDesc | None]] = []
        if isinstance(content, ConstantNode):
            kind = "CONSTANT"
            named: list[tuple[str, TensorDesc | None]] = [
                ("data", TensorDesc(TensorDataType.UINT8, [len(content.data)]))
            ]
        else:
            kind = content.operator_name
            self.inputs = content.tensors("input_tensor")
            named = content.tensors("output_tensor")
        self.name = f"nodes[{number}] ({kind})"
        self.outputs = named
        self.sources: list[_Source | None] = [None] * len(self.inputs)

    def feed(self, index: int, source: _Source, size: int | None) -> TensorDesc:
        """Connect an input; returns its tensor. `size` is the total size of the other end."""
        name, tensor = self.inputs[index]
        place = f"{self.name}.{name}"
        if tensor is None:
            raise DescriptorError("an input that is left out is not connected", field=place)
        if self.sources[index] is not None:
            raise DescriptorError("an input is connected once", given="two edges", field=place)
        is_owned = bool(tensor.flags & TensorFlags.OWNED_BY_DML)
        if is_owned and not isinstance(source, int):
            raise DescriptorError(
                "an input that is owned by DirectML is fed by an input of the graph",
                given="an intermediate edge",
                field=place,
            )
        total = tensor.total_tensor_size_in_bytes
        if size is not None and size != total:
            raise DescriptorError(
                f"both ends of an edge have the same total size, {size} bytes",
                given=f"{total}",
                field=place,
            )
        self.sources[index] = source
        return tensor


def compile_plan(
    desc: GraphDesc,
    nodes: Sequence[OperatorDesc | ConstantNode],
    options: PlanOptions,
) -> Plan:
    """Return what a graph compiles to.

    Parameters
    ----------
    desc : GraphDesc
        How nodes are connected.
    nodes : sequence of OperatorDesc or ConstantNode
        The checked descriptor of each operator, and the constants.
    options : PlanOptions
        What the plan is made with besides.

    Raises
    ------
    DescriptorError
        The graph breaks a rule.
    """
    try:
        return _Compilation(desc, nodes).plan(options)
    except DirectMLError as error:
        raise error.within("GRAPH") from None


class _Compilation:
    """One pass over a graph, from edges to steps."""

    def __init__(self, desc: GraphDesc, nodes: Sequence[OperatorDesc | ConstantNode]) -> None:
        self.nodes = [_Node(number, content) for number, content in enumerate(nodes)]
        self.graph_inputs: list[TensorDesc | None] = [None] * desc.input_count
        self.graph_outputs: list[tuple[int, int] | None] = [None] * desc.output_count
        for number, edge in enumerate(desc.input_edges):
            self._add_input_edge(edge, f"input_edges[{number}]")
        for number, between in enumerate(desc.intermediate_edges):
            self._add_intermediate_edge(between, f"intermediate_edges[{number}]")
        for number, end in enumerate(desc.output_edges):
            self._add_output_edge(end, f"output_edges[{number}]")
        self._check_connected(desc)

    def _add_input_edge(self, edge: InputEdge, place: str) -> None:
        index = edge.graph_input_index
        _check_index(index, self.graph_inputs, f"{place}.graph_input_index")
        node = self._node(edge.to_node_index, f"{place}.to_node_index")
        _check_index(edge.to_node_input_index, node.inputs, f"{place}.to_node_input_index")
        first = self.graph_inputs[index]
        size = None if first is None else first.total_tensor_size_in_bytes
        tensor = node.feed(edge.to_node_input_index, index, size)
        if first is not None and first.flags != tensor.flags:
            raise DescriptorError(
                "all consumers of an input agree on whether it is owned by DirectML",
                given="both kinds",
                field=f"inputs[{index}]",
            )
        self.graph_inputs[index] = first or tensor

    def _add_intermediate_edge(self, edge: IntermediateEdge, place: str) -> None:
        source = self._output(edge, place)
        node = self._node(edge.to_node_index, f"{place}.to_node_index")
        _check_index(edge.to_node_input_index, node.inputs, f"{place}.to_node_input_index")
        size = self._tensor(source).total_tensor_size_in_bytes
        node.feed(edge.to_node_input_index, source, size)

    def _add_output_edge(self, edge: OutputEdge, place: str) -> None:
        index = edge.graph_output_index
        source = self._output(edge, place)
        _check_index(index, self.graph_outputs, f"{place}.graph_output_index")
        if self.graph_outputs[index] is not None:
            raise DescriptorError(
                "an output is connected once", given="two edges", field=f"outputs[{index}]"
            )
        if isinstance(self.nodes[source[0]].content, ConstantNode):
            raise DescriptorError(
                "a constant is not wired straight to an output",
                given=self.nodes[source[0]].name,
                hint="put ELEMENT_WISE_IDENTITY between them",
                field=f"outputs[{index}]",
            )
        self.graph_outputs[index] = source

    def _node(self, index: int, place: str) -> _Node:
        _check_index(index, self.nodes, place)
        return self.nodes[index]

    def _output(self, edge: OutputEdge | IntermediateEdge, place: str) -> tuple[int, int]:
        node = self._node(edge.from_node_index, f"{place}.from_node_index")
        index = edge.from_node_output_index
        _check_index(index, node.outputs, f"{place}.from_node_output_index")
        name, tensor = node.outputs[index]
        if tensor is None:
            raise DescriptorError(
                "an output that is left out is not connected", field=f"{node.name}.{name}"
            )
        return edge.from_node_index, index

    def _tensor(self, source: tuple[int, int]) -> TensorDesc:
        tensor = self.nodes[source[0]].outputs[source[1]][1]
        assert tensor is not None  # noqa: S101 (`_output` has refused it)
        return tensor

    def _check_connected(self, desc: GraphDesc) -> None:
        for index, source in enumerate(self.graph_outputs):
            if source is None:
                raise DescriptorError("is not connected", field=f"outputs[{index}]")
        used: set[Any] = {*self.graph_outputs}
        for node in self.nodes:
            used.update(node.sources)
            for (name, tensor), feeds in zip(node.inputs, node.sources, strict=True):
                if tensor is not None and feeds is None:
                    raise DescriptorError("is not connected", field=f"{node.name}.{name}")
        for number, node in enumerate(self.nodes):
            for index, (name, tensor) in enumerate(node.outputs):
                if tensor is not None and (number, index) not in used:
                    raise DescriptorError("is not connected", field=f"{node.name}.{name}")
        if not desc.output_count:
            raise DescriptorError("needs at least one output", given="0", field="outputs")

    def _order(self) -> list[int]:
        """Return the nodes' numbers so that each comes after those that feed it."""
        order: list[int] = []
        waiting = dict(enumerate(self.nodes))
        while waiting:
            ready = [
                number
                for number, node in waiting.items()
                if not any(isinstance(s, tuple) and s[0] in waiting for s in node.sources)
            ]
            if not ready:
                names = ", ".join(node.name for node in waiting.values())
                raise DescriptorError("a graph has no cycles", given=f"one among {names}")
            order += ready
            for number in ready:
                del waiting[number]
        return order

    def plan(self, options: PlanOptions) -> Plan:
        """Lay out the buffers and line up the steps."""
        input_count = len(self.graph_inputs)
        outputs = tuple(self._tensor(source) for source in self.graph_outputs if source)
        temporary = Ranges(input_count + len(outputs))
        persistent = Ranges(input_count + len(outputs) + 1)
        where: dict[_Source, View] = {}
        initial: list[CopyStep | DataStep] = []
        for index, tensor in enumerate(self.graph_inputs):
            if tensor is None:
                continue
            where[index] = View(index, tensor)
            if tensor.flags & TensorFlags.OWNED_BY_DML:
                kept = persistent.add(tensor)
                initial.append(CopyStep(where[index], kept))
                where[index] = kept
        # A value that is an output lies there; one that is several is copied at the end.
        copies: list[CopyStep] = []
        for index, source in enumerate(filter(None, self.graph_outputs), start=input_count):
            view = View(index, self._tensor(source))
            if where.setdefault(source, view) is not view:
                copies.append(CopyStep(where[source], view))
        steps: list[Step] = []
        for number in self._order():
            node = self.nodes[number]
            if isinstance(node.content, ConstantNode):
                kept = where[number, 0] = persistent.add(self._tensor((number, 0)))
                initial.append(DataStep(node.content.data, kept))
                continue
            read = [
                None
                if source is None or tensor is None
                else View(where[source].buffer, tensor, where[source].offset)
                for (_, tensor), source in zip(node.inputs, node.sources, strict=True)
            ]
            for k, (_, tensor) in enumerate(node.outputs):
                if tensor is not None and (number, k) not in where:
                    where[number, k] = temporary.add(tensor)
            written = [where.get((number, k)) for k in range(len(node.outputs))]
            steps.append(node.content.step(tuple(read), tuple(written), options))
        return Plan(
            tuple(self.graph_inputs),
            outputs,
            (*steps, *copies),
            tuple(initial),
            temporary.size,
            persistent.size,
        )


def _check_index(index: int, among: Sequence[Any], place: str) -> None:
    if not 0 <= index < len(among):
        raise DescriptorError(f"needs an index below {len(among)}", given=f"{index}", field=place)
