"""A model in other sizes than the last ones: only what sees other sizes is translated again.

A node that reads what it read becomes the operators that it became. The others are translated by
the same code as ever; if what they become is connected as it was, the graph is the last one with
other operators in some places. If it is not, all of the model is translated.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from indirectml.core.errors import DirectMLError
from indirectml.graphs.compiled_graphs import CompiledGraph
from indirectml.graphs.expressions import Expression
from indirectml.graphs.inputs import Input
from indirectml.onnx_import.budget import Added, Budget, LoadingGraph, node_of
from indirectml.onnx_import.folding import FITTING, as_output
from indirectml.onnx_import.inputs import OnnxTensor, input_value
from indirectml.onnx_import.replaying import Replay, Replays, made_again
from indirectml.onnx_import.scopes import Scope
from indirectml.onnx_import.translation import Translation
from indirectml.onnx_import.values import Value
from indirectml.onnx_import.visits import Visit, asked
from indirectml.passes.parts import Former

#: An operator: whose it is, a node of the model by its number or an output by its name; and which
#: of these operators.
_Place = tuple[int | str, int]

#: What an operator reads, each by its source, and which outputs it has.
_Wires = tuple[tuple[Any, ...], tuple[bool, ...]]


class Walked(NamedTuple):
    """What the walk over the nodes of a model left.

    Attributes
    ----------
    visits : list of Visit
        The nodes that were walked.
    begins : list of int
        How many operators there were before each.
    values : dict
        By name.
    opsets : mapping
        By domain.
    """

    visits: list[Visit]
    begins: list[int]
    values: dict[str, Any]
    opsets: Any


class Resized(NamedTuple):
    """A model in other sizes: its outputs, which of them operators make, and these."""

    values: dict[str, Value]
    made: list[str]
    compiled: CompiledGraph


class Resizing:
    """A model that was translated and compiled for some sizes, to be so for others.

    Parameters
    ----------
    walked : Walked
        How it was translated.
    inputs : dict of str to OnnxTensor
        Its inputs in these sizes.
    made : dict of str to (Expression, int)
        The outputs that operators make, and how many operators there were before each.
    compiled : CompiledGraph
        What it was compiled to, in the graph of its operators.
    kept : int
        For how many sizes what nodes became is kept.
    """

    def __init__(
        self,
        walked: Walked,
        inputs: Mapping[str, OnnxTensor],
        made: Mapping[str, tuple[Expression, int]],
        graph: LoadingGraph,
        compiled: CompiledGraph,
        kept: int,
    ) -> None:
        keys: dict[Any, int] = {}
        self._visits = [
            replace(visit, key=visit.key and keys.setdefault(visit.key, len(keys) + 1))
            for visit in walked.visits
        ]
        self._opsets = walked.opsets
        self._values = walked.values
        self._inputs = dict(inputs)
        self._made = {name: x for name, (x, _) in made.items()}
        self._compiled = compiled
        self._replays = Replays(kept)
        self._translation: Translation | None = None
        self.wires: dict[int | str, list[_Wires]] = {}
        #: What nodes became last, by their numbers, as far as it is kept.
        self.became: dict[int, Replay | None] = {}
        owners: list[int | str] = [*range(len(walked.visits)), *made]
        begins = [*walked.begins, *(first for _, first in made.values())]
        ends = [*begins[1:], len(graph.added)]
        for owner, first, last in zip(owners, begins, ends, strict=True):
            self.wires[owner] = _wires(owner, graph.added[first:last])
        numbers = _numbers(self._made.values())
        #: Where operators are in the description of the graph; what nothing needs is not there.
        self._numbers: dict[_Place, int] = {node.place: n for node, n in numbers.items()}

    @property
    def translated(self) -> int:
        """How many nodes had to be translated so far."""
        return self._replays.translated

    def resized(
        self,
        graph: LoadingGraph,
        budget: Budget,
        model: Any,
        folder: Any,
        inputs: Mapping[str, OnnxTensor],
        former: Former,
    ) -> Resized | None:
        """Return the model in the sizes of some inputs; None if its graph is connected otherwise.

        Parameters
        ----------
        graph, budget, model, folder
            Of the model.
        inputs : dict of str to OnnxTensor
            All of them.
        former : Former
            What the last plan of the graph left.
        """
        if inputs.keys() != self._inputs.keys():
            return None
        changed = [name for name, tensor in inputs.items() if tensor != self._inputs[name]]
        graph.begin(budget)
        self._replays.begin()
        again = _Again(self, graph, dict(self._values))
        try:
            for name in changed:
                again.put(name, input_value(graph, inputs[name]))
            if self._translation is None:  # which knows each node from then on
                self._translation = Translation(graph, model, folder, self._replays)
            scope = Scope(again.values, self._opsets)
            if not again.walk(self._translation, self._replays, self._visits, scope):
                return None
            made = again.outputs(self._made)
        except DirectMLError:  # which all of it tells in order
            return None
        if made is None:
            return None
        compiled = self._connected(graph, changed, again, made, former)
        if compiled is None:
            return None
        outputs = {each.name: again.values[each.name] for each in model.graph.output}
        self._values, self._inputs, self._made = again.values, dict(inputs), made
        self.wires.update(again.wires)
        self.became.update(again.became)
        self._compiled = compiled
        return Resized(outputs, list(made), compiled)

    def _connected(
        self,
        graph: LoadingGraph,
        changed: Sequence[str],
        again: _Again,
        made: Mapping[str, Expression],
        former: Former,
    ) -> CompiledGraph | None:
        """Return what the graph is compiled to with other operators, and other inputs.

        None where a constant was replaced that other operators read, too.
        """
        last = self._compiled
        nodes = list(last.desc.nodes)
        replaced = set()
        for place, operator in again.operators.items():
            number = self._numbers.get(place)
            if number is not None:
                nodes[number] = operator
                replaced.add(number)
        inputs = [again.constants.get(one, one) for one in last.graph_inputs]
        fresh = {k for k, one in enumerate(last.graph_inputs) if inputs[k] is not one}
        if len(set(inputs)) < len(inputs) or any(
            edge.graph_input_index in fresh and edge.to_node_index not in replaced
            for edge in last.desc.input_edges
        ):
            return None
        desc = replace(last.desc, nodes=nodes)
        plan = graph.device.compile_graph(desc, former=former)
        expressions: dict[Any, Input] = {}
        for name in changed:
            x = again.values[name].content
            if isinstance(x, Expression) and isinstance(x.value, Input):
                expressions[x] = x.value
        others = {one.name: one for one in expressions.values()}
        inputs = [one if one.is_constant else others.get(one.name, one) for one in inputs]
        known: dict[Any, Input | None] = {
            key: others.get(key, one)
            for key, one in last.known_inputs.items()
            if isinstance(key, str)
        }
        outputs = [x.desc for x in made.values()]
        for edge in desc.output_edges[len(outputs) :]:  # what nobody reads
            tensors = nodes[edge.from_node_index].desc.tensors("output_tensor")
            outputs.append(tensors[edge.from_node_output_index][1])
        return CompiledGraph(plan, inputs, outputs, {**known, **expressions})


class _Again:
    """What is translated again, and how it differs from what was."""

    def __init__(self, former: Resizing, graph: LoadingGraph, values: dict[str, Any]) -> None:
        self._wires, self._became = former.wires, former.became
        self._graph = graph
        self.values = values
        #: The names whose values are others now.
        self._others: set[str] = set()
        #: Those of which are made by others than before.
        self._moved: set[str] = set()
        self.became: dict[int, Replay | None] = {}
        self.operators: dict[_Place, Any] = {}
        self.wires: dict[int | str, list[_Wires]] = {}
        #: The constants that what is translated again read, and those that it reads now.
        self.constants: dict[Input, Input] = {}

    def put(self, name: str, value: Value, *, is_alike: bool = False) -> None:
        """Give a name a value; `is_alike` if it is made by the operator that made the former."""
        former = self.values.get(name)
        if former is None or not (is_alike or _origin(former) == _origin(value)):
            self._moved.add(name)
        elif former.signature == value.signature:
            return  # and stays the tensor that views of it are known by
        self._others.add(name)
        self.values[name] = value

    def walk(
        self, translation: Translation, replays: Replays, visits: Sequence[Visit], scope: Scope
    ) -> bool:
        """Translate the nodes that read other values; returns whether all are connected alike."""
        for number, visit in enumerate(visits):
            if self._others.isdisjoint(visit.read):
                continue
            results = self._replayed(replays, number, visit)
            is_alike = results is not None
            if results is None:
                first = len(self._graph.added)
                replays.last = None
                with FITTING:
                    results = translation.outputs(visit, scope)
                if results is None or translation.refusals or not self._is_alike(number, first):
                    return False
                self.became[number] = replays.last
            for index, name in enumerate(visit.outputs):
                value = results[index] if index < len(results) else None
                if name and value is None:
                    return False
                if name and value is not None:
                    if not is_alike and value.is_known:  # constants are called so
                        translation.keep_name(value, name, scope)
                    self.put(name, value, is_alike=is_alike)
        return True

    def _replayed(
        self, replays: Replays, number: int, visit: Visit
    ) -> Sequence[Value | None] | None:
        """Return the outputs of a node that saw the same before; None for one that did not.

        And for one that is, or may be, connected otherwise than it was.
        """
        former = self._became.get(number)
        if former is None or not self._moved.isdisjoint(visit.read):
            return None
        key, values = asked(visit, self.values)
        replay = None if key is None else replays.find(key)
        if replay is None or replay.connections != former.connections:
            return None
        if not all(self.constants.setdefault(one, one) is one for one in replay.constants):
            return None
        self.became[number] = replay
        for index, (operator, *_) in enumerate(replay.operators):
            self.operators[number, index] = operator
        return made_again(replay, values, self._graph, number)

    def outputs(self, made: Mapping[str, Expression]) -> dict[str, Expression] | None:
        """Return the outputs that operators make; None if they are not connected alike."""
        found = {}
        for name, former in made.items():
            found[name] = former
            if name not in self._others:
                continue
            content = self.values[name].content
            if not isinstance(content, Expression):
                return None
            first = len(self._graph.added)
            found[name] = as_output(content)
            if not self._is_alike(name, first) or _source(found[name]) != _source(former):
                return None
        return found

    def _is_alike(self, owner: int | str, first: int) -> bool:
        """Take operators that were added; returns whether they are connected as the last ones."""
        added = self._graph.added[first:]
        wires = self.wires[owner] = _wires(owner, added)
        former = self._wires[owner]
        if len(wires) != len(former):
            return False
        for (read, made), (once, were) in zip(wires, former, strict=True):
            if made != were or len(read) != len(once):
                return False
            for source, other in zip(read, once, strict=True):
                if not isinstance(source, Input) or not isinstance(other, Input):
                    if source != other:
                        return False
                elif self.constants.setdefault(other, source) is not source:
                    return False
        for number, (operator, _, outputs) in enumerate(added):
            self.operators[owner, number] = operator
            node_of(outputs).inputs = ()  # which would keep all that was before
        return True


def _wires(owner: int | str, added: Sequence[Added]) -> list[_Wires]:
    """Return how operators are connected, and give their nodes places."""
    for number, (_, _, outputs) in enumerate(added):
        node_of(outputs).place = owner, number
    return [
        (tuple(map(_source, inputs)), tuple(x is not None for x in outputs))
        for _, inputs, outputs in added
    ]


def _source(x: Expression | None) -> Any:
    """Return what data a tensor is, in any sizes."""
    value: Any = None if x is None else x.value
    if isinstance(value, Input):
        return value if value.is_constant else value.name
    return value and (value.node.place, value.index)


def _origin(value: Value) -> Any:
    """Return what data a value is that operators make, or an input; None where it is known."""
    content = value.content
    return _source(content) if isinstance(content, Expression) else None


def _numbers(outputs: Any) -> dict[Any, int]:
    """Return the nodes that outputs need, and their numbers in the description of the graph."""
    found: set[Any] = set()
    stack = [x.value.node for x in outputs]
    while stack:
        node = stack.pop()
        if node not in found:
            found.add(node)
            values = [x.value for x in node.inputs if x is not None]
            stack += [value.node for value in values if not isinstance(value, Input)]
    return {node: number for number, node in enumerate(sorted(found, key=lambda n: n.number))}
