"""Scattering that adds, multiplies or compares instead of replacing.

DirectML has no such operator. For each element all updates are looked at: those whose index is
another one count as nothing, and the rest is reduced. So time grows with elements times updates.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from indirectml.catalogue.enumerations import ReduceFunction
from indirectml.core.errors import ModelError, shown
from indirectml.graphs.expressions import Expression, broadcast
from indirectml.onnx_import.budget import LoadingGraph
from indirectml.onnx_import.nodes import Node
from indirectml.onnx_import.values import Value, number_like, viewed
from indirectml.operators import functions

#: By ONNX's attribute: how updates become one, and what counts as nothing; None for the element.
_REDUCTIONS = {
    "add": (ReduceFunction.SUM, 0),
    "mul": (ReduceFunction.MULTIPLY, 1),
    "max": (ReduceFunction.MAX, None),
    "min": (ReduceFunction.MIN, None),
}

_COMBINED = {"add": "add", "mul": "multiply", "max": "max", "min": "min"}

#: How many pairs of elements and updates are looked at.
_MOST_PAIRS = 1 << 26


def reduction_of(node: Node) -> str | None:
    """Return what a node does with updates; None if they replace elements.

    Raises
    ------
    ModelError
        It is none of ONNX's.
    """
    reduction: str = node.attribute("reduction", "none")
    if reduction == "none":
        return None
    if reduction not in _REDUCTIONS:
        raise ModelError(
            f"needs none, {', '.join(_REDUCTIONS)}", given=shown(reduction), field="reduction"
        )
    return reduction


def elements_reduced(node: Node, reduction: str, axis: int) -> Value:
    """Return ScatterElements with a reduction."""
    graph, shape, sizes = node.graph, node.value(0).shape, node.value(1).shape
    x, size = node.expression(0), shape[axis]
    # Elsewhere than along the axis the updates reach as far as their own sizes.
    reached = tuple(size if k == axis else own for k, own in enumerate(sizes))
    part = x
    if reached != shape:
        part = functions.slice(
            x,
            input_window_offsets=[0] * len(shape),
            input_window_sizes=reached,
            input_window_strides=[1] * len(shape),
        )
    before, behind = math.prod(sizes[:axis]), math.prod(sizes[axis + 1 :])
    result = _reduced(
        graph,
        viewed(part, (before, size, behind)),
        viewed(_from_zero(node.expression(1), size), (before, sizes[axis], behind)),
        viewed(node.expression(2), (before, sizes[axis], behind)),
        reduction,
    )
    result = viewed(result, reached)
    if reached != shape:
        node.take(shape, np.uint8)
        mask = np.zeros(shape, np.uint8)
        mask[tuple(slice(own) for own in reached)] = 1
        rest = [n - own for n, own in zip(shape, reached, strict=True)]
        whole = functions.padding(result, start_padding=[0] * len(shape), end_padding=rest)
        result = functions.where(graph.constant(mask), whole, x)
    return node.made(result, shape)


def parts_reduced(node: Node, reduction: str) -> Value:
    """Return ScatterND with a reduction."""
    shape, sizes = node.value(0).shape, node.value(1).shape
    count = sizes[-1]
    tuples, rest = math.prod(sizes[:-1]), math.prod(shape[count:])
    columns = functions.split(
        viewed(node.expression(1), (tuples, count)), axis=1, output_axis_sizes=[1] * count
    )
    place: Expression | None = None
    for size, column in zip(shape, columns, strict=False):
        own = _from_zero(column, size)
        place = own if place is None else functions.add(place * size, own)
    assert place is not None  # noqa: S101 (there is an index)
    result = _reduced(
        node.graph,
        viewed(node.expression(0), (1, math.prod(shape[:count]), rest)),
        broadcast(viewed(place, (1, tuples, 1)), (1, tuples, rest)),
        viewed(node.expression(2), (1, tuples, rest)),
        reduction,
    )
    return node.made(result, shape)


def _from_zero(indices: Expression, size: int) -> Expression:
    """Return indices that may count from the end as such that do not."""
    below = functions.less_than(indices, number_like(indices, 0))
    return functions.where(below, indices + size, indices)


def _reduced(
    graph: LoadingGraph, x: Expression, indices: Expression, updates: Expression, reduction: str
) -> Expression:
    """Return elements [before, n, behind] with updates [before, m, behind] along their middle."""
    before, size, behind = x.shape
    count = updates.shape[1]
    sizes = (before, size, count, behind)
    if math.prod(sizes) > _MOST_PAIRS:
        raise ModelError(
            f"needs at most {_MOST_PAIRS} pairs of elements and updates",
            given=f"{math.prod(sizes)}",
            field=f"reduction {reduction}",
        )

    def spread(tensor: Expression, own: Sequence[int]) -> Expression:
        return broadcast(viewed(tensor, own), sizes)

    graph.budget.take_elements([size], indices.dtype)
    positions = graph.constant(np.arange(size, dtype=indices.dtype))
    is_own = functions.equals(
        spread(indices, (before, 1, count, behind)), spread(positions, (1, size, 1, 1))
    )
    function, nothing = _REDUCTIONS[reduction]
    elements = spread(x, (before, size, 1, behind))
    other = elements if nothing is None else number_like(elements, nothing)
    chosen = functions.where(is_own, spread(updates, (before, 1, count, behind)), other)
    reduced = functions.reduce(chosen, function=function, axes=[2])
    combine = getattr(functions, _COMBINED[reduction])
    result: Expression = combine(x, viewed(reduced, x.shape))
    return result
