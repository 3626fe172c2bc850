"""If whose condition depends on inputs: both branches are computed, and a selection says which."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from indirectml.graphs.expressions import Expression, broadcast
from indirectml.onnx_import.budget import LoadingGraph
from indirectml.onnx_import.sequences import check_tensors
from indirectml.onnx_import.values import UnknownError, Value, sizes_of, viewed
from indirectml.operators.functions import where


def selected(
    graph: LoadingGraph,
    condition: Value,
    branches: Sequence[Sequence[Value | None]],
) -> list[Value | None]:
    """Return each output of the first branch where the condition holds, of the second elsewhere.

    Parameters
    ----------
    graph : LoadingGraph
        Where the selection goes.
    condition : Value
        One element.
    branches : sequence of two sequences of Value or None
        Their outputs; None for what was refused.

    Raises
    ------
    UnknownError
        Outputs of the branches differ in sizes or data type.
    """
    found: list[Value | None] = []
    for index, (a, b) in enumerate(zip(*branches, strict=False)):
        if a is None or b is None:
            found.append(None)
            continue
        check_tensors([a, b])
        if (a.shape, a.dtype) != (b.shape, b.dtype):
            raise unknown_condition(
                "or branches of the same sizes and data types",
                given=f"{a.dtype} {list(a.shape)} and {b.dtype} {list(b.shape)} for output {index}",
            )
        found.append(_chosen(graph, condition, a, b))
    return found


def unknown_condition(why: str, given: str | None = None) -> UnknownError:
    """Return the refusal of an If whose condition would have to be known."""
    needs = f"needs a condition that is known while loading, {why}"
    error = UnknownError(needs, given=given)
    error.index = 0
    return error


def _chosen(graph: LoadingGraph, condition: Value, a: Value, b: Value) -> Value:
    if not a.count or _are_equal(graph, a, b):
        return a
    sizes = sizes_of(a.shape)
    one = viewed(condition.expression(graph), (1,) * len(sizes))
    x, y = (_whole(value, graph, sizes) for value in (a, b))
    return Value(where(broadcast(one, sizes), x, y), a.shape, a.dtype)


def _are_equal(graph: LoadingGraph, a: Value, b: Value) -> bool:
    """Return whether both are known, and the same."""
    arrays: Any = a.array, b.array
    if any(each is None for each in arrays):
        return False
    graph.budget.take_elements(a.shape, a.dtype)
    return np.array_equal(*arrays)


def _whole(value: Value, graph: LoadingGraph, sizes: tuple[int, ...]) -> Expression:
    return broadcast(value.expression(graph), sizes)
