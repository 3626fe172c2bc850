"""What nodes became, kept: a node that sees the same again adds the same operators again.

A model is translated for each set of sizes. A handler knows of its inputs what `Value.signature`
says, so where all of it is alike the operators are, too: they were checked, and are connected to
the inputs that are there now.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from indirectml.graphs.expressions import Expression
from indirectml.graphs.inputs import Input
from indirectml.onnx_import.budget import Added, LoadingGraph, node_of
from indirectml.onnx_import.values import Shape, Value
from indirectml.onnx_import.visits import Visit
from indirectml.runtime import Operator

#: Where a tensor comes from: an input of the node by its number; an output of one of its operators,
#: by both numbers; or a constant itself.
_Source = int | tuple[int, int] | Input

#: A tensor: where it comes from, and its descriptor.
_Tensor = tuple[_Source, Any]


class _Result(NamedTuple):
    """An output that operators make."""

    tensor: _Tensor
    shape: Shape
    dtype: Any
    signature: Any


class Replay:
    """The operators of a node, and its outputs.

    Attributes
    ----------
    connections : tuple
        What each operator reads and makes, and what the outputs are, each by its source: where
        these are equal, and inputs come from where they came from, all is connected as it was.
    constants : list of Input
        Those that operators read.
    """

    def __init__(
        self,
        operators: list[tuple[Operator, list[_Tensor | None], str, dict[int, str]]],
        results: list[_Result | Value | None],
        visit: Visit,
        turn: int,
    ) -> None:
        self.operators = operators
        self.results = results
        self.visit = visit
        self.turn = turn  # when it was used last
        sources = [tuple([t and t[0] for t in tensors]) for _, tensors, _, _ in operators]
        #: By operators, what each makes.
        self.tensors = [
            tuple([tensor for _, tensor in operator.desc.tensors("output_tensor")])
            for operator, *_ in operators
        ]
        kinds = [tuple([tensor is not None for tensor in made]) for made in self.tensors]
        results_of = [r.tensor[0] if isinstance(r, _Result) else None for r in results]
        self.connections = tuple(sources), tuple(kinds), tuple(results_of)
        every = (*sources, results_of)
        self.constants = [one for some in every for one in some if isinstance(one, Input)]


class Replays:
    """What nodes of a model became, by what they read.

    Parameters
    ----------
    kept : int
        For how many translations, since it was used last, each is kept at least; at most for twice
        as many.

    Attributes
    ----------
    translated : int
        How many nodes had to be translated so far.
    is_once : bool
        Whether nodes are kept for other nodes alone, since the model is translated once.
    """

    def __init__(self, kept: int) -> None:
        self._kept = kept
        self._turn = 0
        self._replays: dict[Any, Replay] = {}
        self.translated = 0
        self.is_once = False
        #: What the node became that was asked for last.
        self.last: Replay | None = None
        #: What the walk over the model's own nodes needs of each, which does not change.
        self.visits: Any = None

    def __getstate__(self) -> dict[str, Any]:  # ONNX's schemas are not pickled
        return vars(Replays(self._kept))

    def begin(self) -> None:
        """Begin a translation: forget what the last ones did not use."""
        self._turn += 1
        if self._turn % self._kept == 0:  # looking at all of them takes as long as some nodes
            oldest = self._turn - self._kept
            self._replays = {k: each for k, each in self._replays.items() if each.turn >= oldest}

    def find(self, key: Any) -> Replay | None:
        """Return what a node became that saw the same before; None for one that did not."""
        replay = self.last = self._replays.get(key)
        if replay is not None:
            replay.turn = self._turn
        return replay

    def again(
        self, key: Any, inputs: Sequence[Value], graph: LoadingGraph, visit: Visit
    ) -> list[Value | None] | None:
        """Return the outputs of a node that saw the same before; None for one that did not."""
        replay = self.find(key)
        if replay is None:
            return None
        made: list[tuple[Expression | None, ...]] = []

        def expression(tensor: _Tensor) -> Expression:
            source, desc = tensor
            value: Any = source
            if isinstance(source, int):
                value = inputs[source].content.value  # type: ignore[union-attr]
            elif isinstance(source, tuple):
                value = made[source[0]][source[1]].value  # type: ignore[union-attr]
            return Expression(graph, desc, value)

        for operator, tensors, name, value_names in replay.operators:
            read = tuple(None if tensor is None else expression(tensor) for tensor in tensors)
            made.append(graph.connected(operator, read, _renamed(name, replay.visit, visit)))
            if value_names:
                node_of(made[-1]).value_names.update(
                    (k, _renamed(each, replay.visit, visit)) for k, each in value_names.items()
                )
        return [
            Value(expression(each.tensor), each.shape, each.dtype)
            if isinstance(each, _Result)
            else each
            for each in replay.results
        ]

    def keep(
        self,
        key: Any,
        inputs: Sequence[Value],
        added: Sequence[Added],
        outputs: Sequence[Value | None],
        visit: Visit,
    ) -> None:
        """Keep what a node became."""
        sources: dict[Any, _Source] = {}
        for number, value in enumerate(inputs):
            if isinstance(value.content, Expression):
                sources.setdefault(value.content.value, number)
        operators: list[tuple[Operator, list[_Tensor | None], str, dict[int, str]]] = []

        def tensor(x: Expression) -> _Tensor:
            if x.value not in sources and isinstance(x.value, Input):  # a constant
                return x.value, x.desc
            return sources[x.value], x.desc

        for number, (operator, read, made) in enumerate(added):
            node = node_of(made)
            tensors = [None if x is None else tensor(x) for x in read]
            operators.append((operator, tensors, node.name, dict(node.value_names)))
            for index, x in enumerate(made):
                if x is not None:
                    sources[x.value] = number, index
        results = [
            _Result(tensor(value.content), value.shape, value.dtype, value.signature)
            if value is not None and isinstance(value.content, Expression)
            else value
            for value in outputs
        ]
        self.last = self._replays[key] = Replay(operators, results, visit, self._turn)


def made_again(
    replay: Replay, inputs: Sequence[Value], graph: LoadingGraph, owner: int
) -> list[Value | None]:
    """Return the outputs of a node whose operators have places, instead of names, in a graph."""
    nodes = [
        graph.in_place(operator, (owner, number))
        for number, (operator, *_) in enumerate(replay.operators)
    ]
    found: list[Value | None] = []
    for each in replay.results:
        if not isinstance(each, _Result):
            found.append(each)
            continue
        source, desc = each.tensor
        value: Any = source
        if isinstance(source, int):
            value = inputs[source].content.value  # type: ignore[union-attr]
        elif isinstance(source, tuple):
            value = graph.output_of(nodes[source[0]], source[1])
        content = Expression(graph, desc, value)
        found.append(Value.known_as(content, each.shape, each.dtype, each.signature))
    return found


def _renamed(name: str, former: Visit, now: Visit) -> str:
    """Return what was called after a node as it is called after another that became the same."""
    if former is not now and "/" in name:
        for old, new in ((former.place, now.place), (former.name, now.name)):
            if name.startswith(f"{old}/"):
                return new + name[len(old) :]
    return name
