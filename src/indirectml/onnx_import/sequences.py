"""Sequences: which tensors they have is known while loading, and no graph has any of them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple, NoReturn

import numpy as np

from indirectml.core.errors import ModelError, shown
from indirectml.onnx_import.bodies import OPSET, Body
from indirectml.onnx_import.loops import Walk
from indirectml.onnx_import.nodes import Node, handler
from indirectml.onnx_import.package import onnx_package
from indirectml.onnx_import.reading import element_dtype
from indirectml.onnx_import.values import Array, Value

_FLOAT = 1  # ONNX's number of it


class Several(Value):
    """A sequence of tensors, each of them a value."""

    __slots__ = ("items",)

    def __init__(self, items: Iterable[Value], dtype: Any = None) -> None:
        self.items = tuple(items)
        super().__init__(np.empty(0, self.items[0].dtype if self.items else dtype))

    @property
    def is_known(self) -> bool:
        """Whether its elements are known while loading: it has none of its own."""
        return False

    @property
    def array(self) -> Array | None:
        """Its elements, which it does not have.

        Raises
        ------
        ModelError
            Always.
        """
        _refuse_sequence()

    def __repr__(self) -> str:
        return f"<sequence of {list(self.items)}>"


def _refuse_sequence() -> NoReturn:
    raise ModelError(
        "needs a tensor", given="a sequence", hint="SequenceAt and ConcatFromSequence make tensors"
    )


def check_tensors(values: Iterable[Value | None]) -> None:
    """Refuse sequences.

    Raises
    ------
    ModelError
        There is one.
    """
    if any(isinstance(value, Several) for value in values):
        _refuse_sequence()


class Spelled(NamedTuple):
    """ONNX nodes that make one tensor, or a sequence of several, and what they read."""

    body: Any
    inputs: tuple[Value, ...]
    is_several: bool


def _items(node: Node) -> tuple[Value, ...]:
    value = node.value(0)
    if not isinstance(value, Several):
        raise ModelError("needs a sequence", given=repr(value), field="inputs[0]")
    node.graph.budget.take_objects(len(value.items))
    return value.items


def _position(node: Node, index: int, count: int, last: int) -> int:
    """Return the place that an input says in a sequence of some tensors, up to the last allowed."""
    (place,) = node.integers(index, "chooses a tensor of a sequence")
    if not -count <= place <= last:
        raise ModelError(
            f"needs a place from {-count} to {last}", given=f"{place}", field=f"inputs[{index}]"
        )
    return place + count if place < 0 else place


@handler("SequenceEmpty", is_folded=False)
def empty(node: Node) -> Several:
    """Return a sequence without tensors."""
    return Several((), element_dtype(node.attribute("dtype", _FLOAT)))


@handler("SequenceConstruct", is_folded=False)
def of_tensors(node: Node) -> Several:
    """Return a sequence of the inputs."""
    check_tensors(node.inputs)
    return Several(node.value(index) for index in range(len(node.inputs)))


@handler("SequenceInsert", is_folded=False)
def inserted(node: Node) -> Several:
    """Return a sequence with one more tensor: at the end, or before a place."""
    items, new = _items(node), node.value(1)
    check_tensors([new])
    dtype = node.value(0).dtype
    if new.dtype != dtype:
        raise ModelError(f"needs {dtype}, as the sequence has", given=f"{new.dtype}")
    count = len(items)
    at = _position(node, 2, count, count) if node.has(2) else count
    return Several((*items[:at], new, *items[at:]))


@handler("SequenceErase", is_folded=False)
def erased(node: Node) -> Several:
    """Return a sequence without one of its tensors, the last if no place is said."""
    items = _items(node)
    last = len(items) - 1
    at = _position(node, 1, len(items), last) if node.has(1) else last
    return Several((*items[:at], *items[at + 1 :]), node.value(0).dtype)


@handler("SequenceAt", is_folded=False)
def taken(node: Node) -> Value:
    """Return a tensor of a sequence."""
    items = _items(node)
    return items[_position(node, 1, len(items), len(items) - 1)]


@handler("SequenceLength", is_folded=False)
def length(node: Node) -> Value:
    """Return how many tensors a sequence has."""
    return Value(np.array(len(_items(node)), np.int64))


@handler("SplitToSequence", is_folded=False)
def cut(node: Node) -> Spelled:
    """Return the parts of a tensor along an axis: of one element each, of one size, or of sizes."""
    check_tensors(node.inputs)
    value = node.value(0)
    axis = node.axis(value.rank)
    whole = value.shape[axis]
    keeps = bool(node.attribute("keepdims", 1)) or node.has(1)
    if not node.has(1):
        sizes = [1] * whole
    elif node.value(1).rank:
        sizes = node.integers(1)
    else:
        (step,) = node.integers(1)
        if step < 1:
            raise ModelError("needs sizes from 1 up", given=shown(step), field="inputs[1]")
        sizes = [min(step, whole - first) for first in range(0, whole, step)]
    if sum(sizes) != whole or not sizes:
        raise ModelError(f"needs sizes of {whole} in all", given=shown(sizes), field="inputs[1]")
    node.graph.budget.check_nodes(len(sizes))
    b = Body(node)
    parts = b.several("Split", len(sizes), "x", b.constant(sizes, np.int64), axis=axis)
    if not keeps:
        axes = b.constant([axis], np.int64)
        parts = [b("Squeeze", part, axes) for part in parts]
    return Spelled(_function(b, ["x"], parts), (value,), is_several=True)


@handler("ConcatFromSequence", is_folded=False)
def joined(node: Node) -> Spelled:
    """Return the tensors of a sequence one behind the other, or along a new axis."""
    items = _items(node)
    if not items:
        raise ModelError("needs a sequence with tensors", given="none", field="inputs[0]")
    is_new = bool(node.attribute("new_axis", 0))
    axis = node.axis(items[0].rank + is_new)
    b = Body(node)
    names = [f"input_{k}" for k in range(len(items))]
    parts = names
    if is_new:
        axes = b.constant([axis], np.int64)
        parts = [b("Unsqueeze", name, axes) for name in names]
    result = b("Concat", *parts, axis=axis)
    return Spelled(_function(b, names, [result]), items, is_several=False)


def mapped(
    attributes: Mapping[str, Any], inputs: Sequence[Value | None], walk: Walk
) -> list[Value | None]:
    """Return the sequences of what a graph makes of each tensor of the first sequence in turn.

    Of other sequences it reads the tensor in the same place, and other tensors each time.
    """
    body = attributes["body"]
    given = [value for value in inputs if value is not None]
    first = given[0] if given else None
    if not isinstance(first, Several) or not first.items:
        raise ModelError("needs a sequence with tensors", given=repr(first), field="inputs[0]")
    counts = [len(each.items) for each in given if isinstance(each, Several)]
    if set(counts) != {len(first.items)}:
        raise ModelError("needs sequences of as many tensors", given=shown(counts))
    names = [each.name for each in body.input]
    made = []
    for step in range(counts[0]):
        read = [each.items[step] if isinstance(each, Several) else each for each in given]
        made.append(walk(body, dict(zip(names, read, strict=True)), step))
    return [Several(parts) if None not in parts else None for parts in zip(*made, strict=True)]


def _function(b: Body, inputs: list[str], outputs: list[str]) -> Any:
    helper = onnx_package("helper")
    opsets = [helper.make_opsetid("", OPSET)]
    return helper.make_function("", b.node.operator, inputs, outputs, b.nodes, opsets)
