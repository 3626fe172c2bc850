"""ONNX forms of reductions."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from indirectml.catalogue.enumerations import AxisDirection, ReduceFunction
from indirectml.onnx_export.building import INT64, SINGLE, Builder, Value
from indirectml.onnx_export.forms import Node, form
from indirectml.onnx_export.words import along_one_axis, extreme_key, largest_along, modular

#: Those that are one ONNX operator of floats.
_OPERATORS = {
    ReduceFunction.AVERAGE: "ReduceMean",
    ReduceFunction.L1: "ReduceL1",
    ReduceFunction.L2: "ReduceL2",
    ReduceFunction.LOG_SUM: "ReduceLogSum",
    ReduceFunction.LOG_SUM_EXP: "ReduceLogSumExp",
    ReduceFunction.MAX: "ReduceMax",
    ReduceFunction.MIN: "ReduceMin",
    ReduceFunction.MULTIPLY: "ReduceProd",
    ReduceFunction.SUM: "ReduceSum",
    ReduceFunction.SUM_SQUARE: "ReduceSumSquare",
}


@form("REDUCE")
def reduced(node: Node, x: Value) -> Value:
    """ReduceSum and so on, whose order of sums ONNX leaves open; ARGMAX and ARGMIN as those.

    Of floats MAX and MIN leave to the runtime what becomes of NaN and of the sign of zero. Integers
    are exact modulo 2^bits: sums by MatMul with ones, products by Mul of halves, the largest by
    ArgMax, all in INT64, since ONNX Runtime's ReduceSum and so on of INT64 are not.
    """
    function, axes = node["function"], node["axes"]
    if function in (ReduceFunction.ARGMAX, ReduceFunction.ARGMIN):
        return _index(node, x, axes, largest=function == ReduceFunction.ARGMAX, last=False)
    if x.is_float:
        return node.b.reduce(_OPERATORS[function], x, axes)
    return _of_integers(node, x, function, axes)


def _of_integers(node: Node, x: Value, function: ReduceFunction, axes: Sequence[int]) -> Value:
    b = node.b
    wide = b.cast(x, INT64)
    if function in (ReduceFunction.MAX, ReduceFunction.MIN):
        half = -(1 << 63) if x.dtype == np.uint64 else 0  # UINT64 in the order of INT64
        moved = modular(b, "Add", wide, half) if half else wide
        rows, _ = along_one_axis(b, moved, axes)
        if function == ReduceFunction.MIN:  # -1 - x turns the order round, and overflows nowhere
            rows = b.add("Sub", b.number(-1, INT64), rows)
        found = largest_along(b, rows, rows.rank - 1)
        if function == ReduceFunction.MIN:
            found = b.add("Sub", b.number(-1, INT64), found)
        return b.cast(modular(b, "Sub", found, half) if half else found, x.dtype)
    if function == ReduceFunction.L1 and x.dtype.kind == "i":
        wide = b.add("Abs", wide)
    elif function == ReduceFunction.SUM_SQUARE:
        wide = b.add("Mul", wide, wide)
    rows, _ = along_one_axis(b, wide, axes)
    if function == ReduceFunction.MULTIPLY:
        return b.cast(_product(b, rows), x.dtype)
    ones = b.expand(b.number(1, INT64), [rows.sizes[-1], 1])
    total = b.add("MatMul", b.reshape(rows, [rows.count // rows.sizes[-1], rows.sizes[-1]]), ones,
                  sizes=[rows.count // rows.sizes[-1], 1])  # fmt: skip
    return b.cast(total, x.dtype)


def _product(b: Builder, rows: Value) -> Value:
    """Return products along the last axis: of neighbours, then of those, and so on."""
    axis = rows.rank - 1
    while rows.sizes[axis] > 1:
        half, left = divmod(rows.sizes[axis], 2)
        lower, upper = (b.slice(rows, [k * half], [(k + 1) * half], [axis]) for k in (0, 1))
        made = b.add("Mul", lower, upper)
        rows = (
            b.concat([made, b.slice(rows, [2 * half], [2 * half + 1], [axis])], axis)
            if left
            else made
        )
    return rows


@form("ARGMAX")
def number_of_largest(node: Node, x: Value) -> Value:
    """ArgMax; of floats by integers in their order, since ONNX leaves NaN and -0 open."""
    last = node["axis_direction"] == AxisDirection.DECREASING
    return _index(node, x, node["axes"], largest=True, last=last)


@form("ARGMIN")
def number_of_smallest(node: Node, x: Value) -> Value:
    """As ARGMAX, with the order turned round."""
    last = node["axis_direction"] == AxisDirection.DECREASING
    return _index(node, x, node["axes"], largest=False, last=last)


def _index(node: Node, x: Value, axes: Sequence[int], *, largest: bool, last: bool) -> Value:
    b = node.b
    rows, _ = along_one_axis(b, b.cast(x, SINGLE) if x.dtype == np.float16 else x, axes)
    key = extreme_key(b, rows, rows.rank - 1, largest=largest)
    return b.add("ArgMax", key, dtype=INT64, sizes=[*rows.sizes[:-1], 1], axis=rows.rank - 1,
                 keepdims=1, select_last_index=int(last))  # fmt: skip
