"""If whose condition depends on inputs: both branches are computed, and a selection says which."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from indirectml.core.errors import ModelError
from indirectml.graphs.expressions import Expression, broadcast
from indirectml.graphs.graphs import Graph
from indirectml.onnx_import.values import Value, sizes_of, viewed
from indirectml.operators.functions import where


def selected(
    graph: Graph,
    condition: Value,
    branches: Sequence[Sequence[Value | None]],
    hint: str,
) -> list[Value | None]:
    """Return each output of the first branch where the condition holds, of the second elsewhere.

    Parameters
    ----------
    graph : Graph
        Where the selection goes.
    condition : Value
        One element.
    branches : sequence of two sequences of Value or None
        Their outputs; None for what was refused.
    hint : str
        What makes the condition known.

    Raises
    ------
    ModelError
        Outputs of the branches differ in sizes or data type.
    """
    found: list[Value | None] = []
    for index, (a, b) in enumerate(zip(*branches, strict=False)):
        if a is None or b is None:
            found.append(None)
            continue
        if (a.shape, a.dtype) != (b.shape, b.dtype):
            raise ModelError(
                "needs a condition that is known while loading, or branches of the same sizes",
                given=f"{a.dtype} {list(a.shape)} and {b.dtype} {list(b.shape)} for output {index}",
                hint=hint,
            )
        found.append(_chosen(graph, condition, a, b))
    return found


def _chosen(graph: Graph, condition: Value, a: Value, b: Value) -> Value:
    if not a.count or _are_equal(a, b):
        return a
    sizes = sizes_of(a.shape)
    one = viewed(condition.expression(graph), (1,) * len(sizes))
    x, y = (_whole(value, graph, sizes) for value in (a, b))
    return Value(where(broadcast(one, sizes), x, y), a.shape, a.dtype)


def _are_equal(a: Value, b: Value) -> bool:
    """Return whether both are known, and the same."""
    arrays: Any = a.array, b.array
    return all(each is not None for each in arrays) and np.array_equal(*arrays)


def _whole(value: Value, graph: Graph, sizes: tuple[int, ...]) -> Expression:
    return broadcast(value.expression(graph), sizes)
