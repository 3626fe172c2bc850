"""From graphs to plans: the rules of graphs, the order of their nodes, and where values lie."""

from __future__ import annotations

import copy
from collections.abc import Sequence
from functools import cached_property
from typing import Any

from indirectml.core.data_types import TensorDataType
from indirectml.core.errors import DataTypeError, DescriptorError, DirectMLError, label, shown
from indirectml.core.tensors import TensorDesc, TensorFlags
from indirectml.descriptors.base import OperatorDesc
from indirectml.graphs.graph_descs import (
    ConstantNode,
    GraphDesc,
    InputEdge,
    IntermediateEdge,
    OutputEdge,
)
from indirectml.passes.parts import Former
from indirectml.passes.tracing import fields_key
from indirectml.plans import (
    CopyStep,
    DataStep,
    Draft,
    Node,
    NodeOperator,
    Plan,
    PlanOptions,
    View,
)
from indirectml.ranges import Ranges, aligned

#: How many nodes a message names.
_NAMES = 8

#: What feeds an input of a node: the number of an input of the graph, or node and output.
_Source = int | tuple[int, int]

#: Where an edge stands: in which list of the description, and its number there.
_Place = tuple[str, int]


class _Node:
    """A node of a graph, with what feeds its inputs."""

    def __init__(self, number: int, content: OperatorDesc | ConstantNode, name: str) -> None:
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
        self.name = f"{label(name) or f'nodes[{number}]'} ({kind})"
        self.outputs = named
        self.sources: list[_Source | None] = [None] * len(self.inputs)

    def with_content(self, content: OperatorDesc) -> _Node:
        """Return another operator that is fed alike."""
        made = _Node.__new__(_Node)
        made.content, made.name, made.sources = content, self.name, self.sources
        made.inputs = content.tensors("input_tensor")
        made.outputs = content.tensors("output_tensor")
        return made

    @property
    def feeding(self) -> list[int]:
        """The nodes that feed it, once for each input."""
        return [source[0] for source in self.sources if isinstance(source, tuple)]

    def feed(self, index: int, source: _Source, size: int | None) -> TensorDesc:
        """Connect an input; returns its tensor. `size` is the total size of the other end."""
        name, tensor = self.inputs[index]
        if tensor is None:
            raise self._refused(name, "an input that is left out is not connected")
        if self.sources[index] is not None:
            raise self._refused(name, "an input is connected once", "two edges")
        is_owned = tensor.flags is TensorFlags.OWNED_BY_DML  # which tests faster than bits
        if is_owned and not isinstance(source, int):
            needs = "an input that is owned by DirectML is fed by an input of the graph"
            raise self._refused(name, needs, "an intermediate edge")
        total = tensor.total_tensor_size_in_bytes
        if size is not None and size != total:
            needs = f"both ends of an edge have the same total size, {size} bytes"
            raise self._refused(name, needs, f"{total}")
        self.sources[index] = source
        return tensor

    def _refused(self, name: str, required: str, given: str | None = None) -> DescriptorError:
        return DescriptorError(required, given=given, field=f"{self.name}.{name}")


def compile_plan(
    desc: GraphDesc,
    nodes: Sequence[OperatorDesc | ConstantNode],
    options: PlanOptions,
    former: Former,
) -> Draft:
    """Return what a graph compiles to, in terms of its operators.

    Parameters
    ----------
    desc : GraphDesc
        How nodes are connected.
    nodes : sequence of OperatorDesc or ConstantNode
        The checked descriptor of each operator, and the constants.
    options : PlanOptions
        What the plan is made with besides.
    former : Former
        What the last plan left: if the graph is connected alike, only nodes that are others are
        checked and placed. It is given what this plan leaves.

    Raises
    ------
    DescriptorError
        The graph breaks a rule.
    """
    layout: _Layout | None = former.layout
    if layout is not None:
        layout = layout.again(desc, nodes)
    if layout is None:
        try:
            _check_types(desc)
            layout = _Layout(_Wiring(desc, nodes))
            layout.place()
        except DirectMLError as error:
            raise error.within("GRAPH") from None
    former.layout = layout
    return layout.draft(options)


def _check_types(desc: GraphDesc) -> None:
    """Check that a graph is described by numbers, lists of edges, and names."""
    names = desc.node_names
    is_text = isinstance(names, list | tuple) and all(isinstance(name, str) for name in names)
    if not is_text or len(names) not in (0, len(desc.nodes)):
        needs = f"needs a name for each of {len(desc.nodes)} nodes"
        raise DataTypeError(needs, given=shown(names), field="node_names")
    for name in ("input_count", "output_count"):
        count = getattr(desc, name)
        if not isinstance(count, int) or count < 0:
            raise DataTypeError("needs a number from 0 up", given=shown(count), field=name)
    kinds = {
        "output_edges": OutputEdge,
        "input_edges": InputEdge,
        "intermediate_edges": IntermediateEdge,
    }
    for name, kind in kinds.items():
        edges = getattr(desc, name)
        if not isinstance(edges, list | tuple):
            raise DataTypeError(f"needs a list of {kind.__name__}", given=shown(edges), field=name)
        for number, edge in enumerate(edges):
            if not isinstance(edge, kind):
                raise DataTypeError(
                    f"needs an {kind.__name__}", given=shown(edge), field=f"{name}[{number}]"
                )


class _Wiring:
    """The nodes of a graph, connected as its edges say, and checked by the rules of graphs."""

    def __init__(self, desc: GraphDesc, nodes: Sequence[OperatorDesc | ConstantNode]) -> None:
        self.desc = desc
        names = desc.node_names or [""] * len(nodes)
        self.nodes = [
            _Node(number, content, name)
            for number, (content, name) in enumerate(zip(nodes, names, strict=True))
        ]
        self.graph_inputs: list[TensorDesc | None] = [None] * desc.input_count
        self.graph_outputs: list[tuple[int, int] | None] = [None] * desc.output_count
        for number, edge in enumerate(desc.input_edges):
            self._add_input_edge(edge, number)
        for number, between in enumerate(desc.intermediate_edges):
            self._add_intermediate_edge(between, number)
        for number, end in enumerate(desc.output_edges):
            self._add_output_edge(end, number)
        self._check_connected(desc)

    def _add_input_edge(self, edge: InputEdge, number: int) -> None:
        index, place = edge.graph_input_index, ("input_edges", number)
        _check_index(index, self.graph_inputs, place, "graph_input_index")
        _check_index(edge.to_node_index, self.nodes, place, "to_node_index")
        node = self.nodes[edge.to_node_index]
        _check_index(edge.to_node_input_index, node.inputs, place, "to_node_input_index")
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

    def _add_intermediate_edge(self, edge: IntermediateEdge, number: int) -> None:
        place = "intermediate_edges", number
        source = self._output(edge, place)
        _check_index(edge.to_node_index, self.nodes, place, "to_node_index")
        node = self.nodes[edge.to_node_index]
        _check_index(edge.to_node_input_index, node.inputs, place, "to_node_input_index")
        size = self.tensor(source).total_tensor_size_in_bytes
        node.feed(edge.to_node_input_index, source, size)

    def _add_output_edge(self, edge: OutputEdge, number: int) -> None:
        index, place = edge.graph_output_index, ("output_edges", number)
        source = self._output(edge, place)
        _check_index(index, self.graph_outputs, place, "graph_output_index")
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

    def _output(self, edge: OutputEdge | IntermediateEdge, place: _Place) -> tuple[int, int]:
        _check_index(edge.from_node_index, self.nodes, place, "from_node_index")
        node = self.nodes[edge.from_node_index]
        index = edge.from_node_output_index
        _check_index(index, node.outputs, place, "from_node_output_index")
        name, tensor = node.outputs[index]
        if tensor is None:
            raise DescriptorError(
                "an output that is left out is not connected", field=f"{node.name}.{name}"
            )
        return edge.from_node_index, index

    def tensor(self, source: tuple[int, int]) -> TensorDesc:
        """Return the tensor of an output that is connected."""
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
                    is_constant = isinstance(node.content, ConstantNode)
                    raise DescriptorError(
                        "is not connected, and every output of a node is used",
                        hint="leave the node out"
                        if is_constant
                        else "make it an output of the graph too",
                        field=f"{node.name}.{name}",
                    )
        if not desc.output_count:
            raise DescriptorError("needs at least one output", given="0", field="outputs")

    # ---- other sizes ----

    def again(
        self, desc: GraphDesc, nodes: Sequence[OperatorDesc | ConstantNode]
    ) -> tuple[_Wiring, set[int]] | None:
        """Return the same connections between some other nodes, and the numbers of these.

        None where it is connected otherwise, or a rule is broken.
        """
        if not self._connects(desc) or len(nodes) != len(self.nodes):
            return None
        found = copy.copy(self)
        found.desc, found.nodes = desc, list(self.nodes)
        changed = set()
        for number, (old, content) in enumerate(zip(self.nodes, nodes, strict=True)):
            if old.content is content or _is_equal(old.content, content):
                continue
            if isinstance(content, ConstantNode) or isinstance(old.content, ConstantNode):
                return None
            made = found.nodes[number] = old.with_content(content)
            if not (_are_alike(old.inputs, made.inputs) and _are_alike(old.outputs, made.outputs)):
                return None
            changed.add(number)
        return (found, changed) if found.fits(changed) else None

    def _connects(self, desc: GraphDesc) -> bool:
        """Return whether a graph has the same edges."""
        own = self.desc
        return (own.input_count, own.output_count) == (desc.input_count, desc.output_count) and all(
            a is b or a == b
            for a, b in (
                (own.output_edges, desc.output_edges),
                (own.input_edges, desc.input_edges),
                (own.intermediate_edges, desc.intermediate_edges),
            )
        )

    @cached_property
    def _readers(self) -> dict[_Source, list[tuple[int, int]]]:
        """The inputs of nodes that an input of the graph, or an output of a node, feeds."""
        found: dict[_Source, list[tuple[int, int]]] = {}
        for edge in self.desc.input_edges:
            place = edge.to_node_index, edge.to_node_input_index
            found.setdefault(edge.graph_input_index, []).append(place)
        for between in self.desc.intermediate_edges:
            source = between.from_node_index, between.from_node_output_index
            place = between.to_node_index, between.to_node_input_index
            found.setdefault(source, []).append(place)
        return found

    def fits(self, changed: set[int]) -> bool:
        """Return whether both ends of the edges of other nodes have one size; update inputs."""
        self.graph_inputs = list(self.graph_inputs)
        sources: set[_Source] = set()
        for number in changed:
            node = self.nodes[number]
            sources.update(source for source in node.sources if source is not None)
            sources.update((number, k) for k, (_, t) in enumerate(node.outputs) if t is not None)
        for source in sources:
            read = [self.nodes[n].inputs[k][1] for n, k in self._readers.get(source, ())]
            if isinstance(source, tuple):
                read.append(self.tensor(source))
            elif self.graph_inputs[source] != read[0]:
                self.graph_inputs[source] = read[0]
            first, *others = read
            size = first and first.total_tensor_size_in_bytes
            for tensor in others:
                if (tensor and tensor.total_tensor_size_in_bytes) != size:
                    return False
        return True

    # ---- order ----

    def order(self) -> list[int]:
        """Return the nodes' numbers, each as late as it can be behind those that feed it.

        What has the most nodes before it comes first, so that few values wait for their readers.
        """
        all_feeding = [node.feeding for node in self.nodes]
        depths = self._depths(all_feeding)
        order: list[int] = []
        done = [False] * len(self.nodes)
        stack = [source[0] for source in reversed(self.graph_outputs) if source]
        while stack:
            number = stack[-1]
            feeding = [n for n in all_feeding[number] if not done[n]]
            if feeding and not done[number]:
                stack += sorted(feeding, key=depths.__getitem__)
                continue
            stack.pop()
            if not done[number]:
                done[number] = True
                order.append(number)
        return order

    def _depths(self, all_feeding: list[list[int]]) -> list[int]:
        """Return how many nodes stand one behind the other before each; refuse cycles."""
        consumers: list[list[int]] = [[] for _ in self.nodes]
        waiting = list(map(len, all_feeding))
        for number, feeding in enumerate(all_feeding):
            for other in feeding:
                consumers[other].append(number)
        depths = [0] * len(self.nodes)
        ready = [number for number, count in enumerate(waiting) if not count]
        for number in ready:  # which grows meanwhile
            for consumer in consumers[number]:
                depths[consumer] = max(depths[consumer], depths[number] + 1)
                waiting[consumer] -= 1
                if not waiting[consumer]:
                    ready.append(consumer)
        if len(ready) < len(self.nodes):
            names = [n.name for n, count in zip(self.nodes, waiting, strict=True) if count]
            more = f" and {len(names) - _NAMES} more" if len(names) > _NAMES else ""
            among = ", ".join(names[:_NAMES])
            raise DescriptorError("a graph has no cycles", given=f"one among {among}{more}")
        return depths


class _Layout:
    """Where the values of a graph lie, from one step to the next."""

    def __init__(self, wiring: _Wiring) -> None:
        self.wiring = wiring
        self.outputs = [source for source in wiring.graph_outputs if source]
        self.first_output = len(wiring.graph_inputs)
        persistent = self.first_output + len(self.outputs) + 1
        self.persistent = Ranges(persistent)
        self.first_temporary = persistent + 1
        #: The bytes of what is between nodes, which has a buffer for each value.
        self.temporaries: list[int] = []
        self.views: dict[_Source, View] = {}
        self.initial: list[CopyStep | DataStep] = []
        #: The nodes that run, by their numbers, in order.
        self.nodes: dict[int, Node] = {}
        self.copies: list[CopyStep] = []

    def place(self) -> None:
        """Line up the operators."""
        self._place_inputs()
        self.copies = self._place_outputs()
        for number in self.wiring.order():
            content = self.wiring.nodes[number].content
            if isinstance(content, ConstantNode):
                self._place_constant(number, content)
            else:
                self.nodes[number] = self._node(number, content)

    def draft(self, options: PlanOptions) -> Draft:
        """Return the operators, and where their values lie."""
        plan = Plan(
            tuple(self.wiring.graph_inputs),
            tuple(self.wiring.tensor(source) for source in self.outputs),
            (),
            tuple(self.initial),
            0,
            self.persistent.size,
            tuple(self.temporaries),
        )
        return Draft(plan, (*self.nodes.values(), *self.copies), options)

    def again(
        self, desc: GraphDesc, nodes: Sequence[OperatorDesc | ConstantNode]
    ) -> _Layout | None:
        """Return where the values of a graph lie that is connected alike; None if it is not.

        Every value has the buffer that it had.
        """
        found = self.wiring.again(desc, nodes)
        if found is None:
            return None
        wiring, changed = found
        made = copy.copy(self)
        return made if made.move_to(wiring, changed) else None

    def move_to(self, wiring: _Wiring, changed: set[int]) -> bool:
        """Take some other nodes, in a copy; returns whether there is room for all owned inputs."""
        former, self.wiring = self.wiring, wiring
        self.temporaries, self.views = list(self.temporaries), dict(self.views)
        self.nodes, self.initial = dict(self.nodes), list(self.initial)
        if not self._move_owned(former):
            return False
        for number in changed:
            for k, (_, tensor) in enumerate(wiring.nodes[number].outputs):
                if tensor is not None:
                    buffer = self.views[number, k].buffer
                    self.views[number, k] = View.of(buffer, tensor)
                    if buffer >= self.first_temporary:
                        size = tensor.total_tensor_size_in_bytes
                        self.temporaries[buffer - self.first_temporary] = size
        for number in changed:
            content = wiring.nodes[number].content
            assert isinstance(content, OperatorDesc)  # noqa: S101 (constants do not change)
            self.nodes[number] = self._node(number, content)
        sources = [self.outputs[each.target.buffer - self.first_output] for each in self.copies]
        self.copies = [
            CopyStep(self.views[source], View.of(each.target.buffer, wiring.tensor(source)))
            for each, source in zip(self.copies, sources, strict=True)
        ]
        return True

    def _move_owned(self, former: _Wiring) -> bool:
        """Put owned inputs where they were; returns whether all have the room there."""
        for number, each in enumerate(self.initial):
            if not isinstance(each, CopyStep):
                continue
            index = each.source.buffer
            tensor = self.wiring.graph_inputs[index]
            assert tensor is not None  # noqa: S101 (it is as owned as it was)
            if tensor == former.graph_inputs[index]:
                continue
            size = tensor.total_tensor_size_in_bytes
            if aligned(size) != aligned(each.target.size_bytes):
                return False
            view = self.views[index] = View.of(self.persistent.buffer, tensor, each.target.offset)
            self.initial[number] = CopyStep(View.of(index, tensor), view)
        return True

    def _place_inputs(self) -> None:
        """Place the inputs: where they are bound, or in the persistent resource if owned."""
        for index, tensor in enumerate(self.wiring.graph_inputs):
            if tensor is None:
                continue
            view = bound = View.of(index, tensor)
            if tensor.flags is TensorFlags.OWNED_BY_DML:
                view = self.persistent.add(tensor)
                self.initial.append(CopyStep(bound, view))
            self.views[index] = view

    def _place_outputs(self) -> list[CopyStep]:
        """Place what is an output there; return how one that is several is copied at the end."""
        copies: list[CopyStep] = []
        for index, source in enumerate(self.outputs, start=self.first_output):
            view = View.of(index, self.wiring.tensor(source))
            if self.views.setdefault(source, view) is not view:
                copies.append(CopyStep(self.views[source], view))
        return copies

    def _place_constant(self, number: int, content: ConstantNode) -> None:
        view = self.views[number, 0] = self.persistent.add(self.wiring.tensor((number, 0)))
        self.initial.append(DataStep(content.data, view))

    def _node(self, number: int, content: OperatorDesc) -> Node:
        """Return a node over views."""
        node = self.wiring.nodes[number]
        read = [
            None
            if source is None or tensor is None
            else View.of(self.views[source].buffer, tensor, self.views[source].offset)
            for (_, tensor), source in zip(node.inputs, node.sources, strict=True)
        ]
        for k, (_, tensor) in enumerate(node.outputs):
            if tensor is not None and (number, k) not in self.views:
                buffer = self.first_temporary + len(self.temporaries)
                self.temporaries.append(tensor.total_tensor_size_in_bytes)
                self.views[number, k] = View.of(buffer, tensor)
        written = [self.views.get((number, k)) for k in range(len(node.outputs))]
        operator = NodeOperator.of(content.operator_name, number)
        return Node(content, operator, tuple(read), tuple(written))


def _is_equal(first: OperatorDesc | ConstantNode, second: OperatorDesc | ConstantNode) -> bool:
    """Return whether two nodes are one: numbers that are equal may be zeros of other signs."""
    if first != second:
        return False
    if isinstance(first, ConstantNode) or isinstance(second, ConstantNode):
        return True
    return fields_key(first) == fields_key(second)


def _are_alike(
    first: Sequence[tuple[str, TensorDesc | None]], second: Sequence[tuple[str, TensorDesc | None]]
) -> bool:
    """Return whether as many tensors are there, and as many are left out, or owned."""
    return [t and t.flags for _, t in first] == [t and t.flags for _, t in second]


def _check_index(index: int, among: Sequence[Any], place: _Place, name: str) -> None:
    if not isinstance(index, int) or not 0 <= index < len(among):
        needs, (edges, number) = f"needs an index below {len(among)}", place
        raise DescriptorError(needs, given=shown(index), field=f"{edges}[{number}].{name}")
