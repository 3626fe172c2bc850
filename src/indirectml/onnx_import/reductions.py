"""Reductions: one number from the elements along some axes."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from indirectml.catalogue.enumerations import AxisDirection, ReduceFunction
from indirectml.graphs.expressions import Expression, new_tensor
from indirectml.onnx_import.nodes import Node, counted_all, handler
from indirectml.onnx_import.values import (
    MOST_DIMENSIONS,
    Shape,
    Value,
    checked_shape,
    number_like,
    viewed,
)
from indirectml.operators import descriptor_class
from indirectml.operators.functions import divide, reduce

#: By operator, what does it, and what it gives of no elements (as ONNX says it).
_FUNCTIONS: dict[str, tuple[ReduceFunction, Any]] = {
    "ReduceL1": (ReduceFunction.L1, 0),
    "ReduceL2": (ReduceFunction.L2, 0),
    "ReduceLogSum": (ReduceFunction.LOG_SUM, -np.inf),
    "ReduceLogSumExp": (ReduceFunction.LOG_SUM_EXP, -np.inf),
    "ReduceMax": (ReduceFunction.MAX, "lowest"),
    "ReduceMean": (ReduceFunction.AVERAGE, np.nan),
    "ReduceMin": (ReduceFunction.MIN, "highest"),
    "ReduceProd": (ReduceFunction.MULTIPLY, 1),
    "ReduceSum": (ReduceFunction.SUM, 0),
    "ReduceSumSquare": (ReduceFunction.SUM_SQUARE, 0),
}

#: Of integers that are known.
_NUMPY: dict[str, Any] = {
    "ReduceMax": np.max,
    "ReduceMin": np.min,
    "ReduceProd": np.prod,
    "ReduceSum": np.sum,
}


@handler(*_FUNCTIONS)
def reduced(node: Node) -> Value:
    """Return one number along each of the axes, which stay with size 1 or go."""
    value = node.value(0)
    if node.has(1):
        given = node.integers(1, "says what is reduced")
    else:
        given = list(node.attribute("axes") or ())
    if not given and node.attribute("noop_with_empty_axes") == 1:
        return value
    axes = counted_all(given, value.rank) if given else tuple(range(value.rank))
    shape = _remaining(value.shape, axes, keeps=node.attribute("keepdims", 1) == 1)
    function, of_none = _FUNCTIONS[node.operator]
    if not value.count:
        number = np.array(_of_none(of_none, value.dtype), value.dtype)
        return Value(np.broadcast_to(number, checked_shape(shape)))
    if value.array is not None and value.dtype.kind in "biu" and node.operator in _NUMPY:
        node.take(value.shape, value.dtype)
        known = _NUMPY[node.operator](value.array, axis=axes)
        return Value(np.asarray(known).astype(value.dtype).reshape(shape))
    x, along = _few_dimensions(node.expression(0), value.shape, axes)
    if function == ReduceFunction.AVERAGE and value.dtype.kind in "iu":  # of floats alone
        total = reduce(x, function=ReduceFunction.SUM, axes=along)
        return node.made(divide(total, number_like(total, value.count // math.prod(shape))), shape)
    return node.made(reduce(x, function=function, axes=along), shape, value.dtype)


def _remaining(shape: Shape, axes: Shape, *, keeps: bool) -> Shape:
    if keeps:
        return tuple(1 if axis in axes else size for axis, size in enumerate(shape))
    return tuple(size for axis, size in enumerate(shape) if axis not in axes)


def _of_none(result: Any, dtype: np.dtype[Any]) -> Any:
    """Return what a function gives of no elements: a number, or the end of the data type."""
    if not isinstance(result, str):
        return result
    is_lowest = result == "lowest"
    if dtype.kind == "f":
        return -np.inf if is_lowest else np.inf
    if dtype.kind == "b":
        return not is_lowest
    limits = np.iinfo(dtype)
    return limits.min if is_lowest else limits.max


def _few_dimensions(x: Expression, shape: Shape, axes: Shape) -> tuple[Expression, Shape]:
    """Return a tensor, and the axes; neighbours made one where there are too many for DirectML."""
    if len(shape) <= MOST_DIMENSIONS:
        return x, axes or tuple(range(len(x.shape)))
    sizes: list[int] = []
    kinds: list[bool] = []
    for axis, size in enumerate(shape):
        kind = axis in axes
        if kinds and kinds[-1] == kind:
            sizes[-1] *= size
        else:
            sizes.append(size)
            kinds.append(kind)
    return viewed(x, sizes), tuple(axis for axis, kind in enumerate(kinds) if kind)


_NUMBERS_OF = {"ArgMax": "ARGMAX", "ArgMin": "ARGMIN"}


@handler(*_NUMBERS_OF)
def number(node: Node) -> Value:
    """Return the number of the largest or smallest element, of equals the first or the last."""
    value = node.value(0)
    axes = (node.axis(value.rank),)
    x = node.expression(0)
    last = bool(node.attribute("select_last_index"))
    direction = AxisDirection.DECREASING if last else AxisDirection.INCREASING
    sizes = [1 if axis in axes else size for axis, size in enumerate(x.shape)]
    desc = descriptor_class(_NUMBERS_OF[node.operator])(
        x.desc, new_tensor(x, sizes, np.int64), axes, direction
    )
    made = x.graph.add_node(desc, x)[0]
    keeps = node.attribute("keepdims", 1) == 1
    return node.made(made, _remaining(value.shape, axes, keeps=keeps))
