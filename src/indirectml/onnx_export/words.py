"""What forms have in common: the arithmetic of DirectML's definitions in ONNX's operators."""

from __future__ import annotations

import math
from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any

import numpy as np

from indirectml.catalogue.fused_activations import FusedActivation
from indirectml.descriptors.definitions import definition, number_fields
from indirectml.descriptors.fields import ScaleBias
from indirectml.onnx_export.building import BOOL, DOUBLE, INT64, Builder, DType, Operand, Value
from indirectml.onnx_export.forms import Node, form_of


def scaled(b: Builder, x: Value, scale_bias: ScaleBias | None) -> Value:
    """Return x * scale + bias, rounded as `arithmetic.basics.scaled` says."""
    if scale_bias is None:
        return x
    scale, bias = float(scale_bias.scale), float(scale_bias.bias)
    if x.is_float:
        return b.add("Add", b.add("Mul", x, scale), bias)
    if scale.is_integer() and bias.is_integer():
        return modular(b, "Add", modular(b, "Mul", x, int(scale)), int(bias))
    wide = b.add("Add", b.add("Mul", b.cast(x, DOUBLE), scale), bias)
    return truncated(b, wide, x.dtype)


def activated(b: Builder, x: Value, fused: FusedActivation | None) -> Value:
    """Return a result after the activation that is fused into its operator, if there is one."""
    if fused is None or not fused.activation:
        return x
    name = fused.activation.name
    function = form_of(name)
    assert function is not None  # noqa: S101 (every activation that may be fused has a form)
    numbers = (fused.param_1, fused.param_2)
    fields: Any = SimpleNamespace(**dict(zip(number_fields(name), numbers, strict=False)))
    for field, default in definition(name).defaults.items():
        if not hasattr(fields, field):
            setattr(fields, field, default)
    result: Value = function(_Fused(b, fields, name), x)
    return result


class _Fused(Node):
    """An activation that has no tensors of its own."""


def modular(b: Builder, operator: str, *operands: Operand) -> Value:
    """Return Add, Sub or Mul of integers modulo 2^bits, or of floats as it is.

    Narrow integers go through INT32 and unsigned ones through INT64, of which every ONNX runtime
    has these operators; the lowest bits of the result are the same, and Cast keeps them.
    """
    first = next(x for x in operands if isinstance(x, Value))
    if first.is_float:
        return b.add(operator, *operands)
    dtype = first.dtype
    through = np.dtype(np.int32 if dtype.itemsize < 4 or dtype == np.int32 else np.int64)  # noqa: PLR2004 (bytes)
    wide = [b.cast(x, through) if isinstance(x, Value) else b.number(x, through) for x in operands]
    return b.cast(b.add(operator, *wide), dtype)


def truncated(b: Builder, x: Value, dtype: DType) -> Value:
    """Return floats as integers, towards zero; what does not fit is the nearest, NaN becomes 0.

    ONNX leaves Cast open where a float does not fit, so only what fits is cast.
    """
    limits = np.iinfo(dtype)
    low, high = float(limits.min), float(limits.max // 2 + 1) * 2  # powers of two, exact
    above = b.add("GreaterOrEqual", x, high, dtype=BOOL)
    below = b.add("Less", x, low, dtype=BOOL)
    fits = b.add(
        "And",
        b.add("GreaterOrEqual", x, low, dtype=BOOL),
        b.add("Less", x, high, dtype=BOOL),
        dtype=BOOL,
    )
    # Through INT64, which holds every integer but the upper half of UINT64.
    inside = b.where(fits, x, 0.0)
    whole = b.cast(inside, INT64 if dtype != np.uint64 else dtype)
    limited = b.where(above, limits.max, b.where(below, limits.min, whole))
    return b.cast(limited, dtype)


def extreme(b: Builder, operator: str, x: Operand, y: Operand) -> Value:
    """Return Max or Min of two values.

    Of INT64 by Where: Max and Min of ONNX Runtime 1.31, and with them Clip, Sign, ReduceMax and
    ReduceMin, compare lower halves as signed where the upper ones are equal.
    """
    first = next(each for each in (x, y) if isinstance(each, Value))
    if first.dtype != INT64:
        return b.add(operator, x, y)
    is_first = compared(b, "Greater" if operator == "Max" else "Less", x, y)
    return b.where(is_first, x, y)


def limited(b: Builder, x: Value, low: int, high: int) -> Value:
    """Return integers within limits: Clip, or what `extreme` says."""
    if x.dtype == INT64:
        return extreme(b, "Min", extreme(b, "Max", x, low), high)
    limits = (b.number(low, x.dtype), b.number(high, x.dtype))
    return b.add("Clip", x, *limits, sizes=x.sizes)


def largest_along(b: Builder, x: Value, axis: int) -> Value:
    """Return the largest integers along an axis by ArgMax, see `extreme`."""
    sizes = [*x.sizes[:axis], 1, *x.sizes[axis + 1 :]]
    first = b.add("ArgMax", x, dtype=INT64, sizes=sizes, axis=axis, keepdims=1)
    return b.add("GatherElements", x, first, sizes=sizes, axis=axis)


def compared(b: Builder, operator: str, x: Operand, y: Operand) -> Value:
    """Return Equal, Less, Greater, LessOrEqual or GreaterOrEqual: truth."""
    return b.add(operator, x, y, dtype=BOOL)


def counted(b: Builder, count: int) -> Value:
    """Return 0, 1, 2 and so on, as INT64."""
    return b.add("Range", *(b.number(each, INT64) for each in (0, count, 1)), sizes=[count])


def both(b: Builder, x: Value, y: Value) -> Value:
    """Return where both hold."""
    return b.add("And", x, y, dtype=BOOL)


def either(b: Builder, x: Value, y: Value) -> Value:
    """Return where at least one holds."""
    return b.add("Or", x, y, dtype=BOOL)


def opposite(b: Builder, x: Value) -> Value:
    """Return where it does not hold."""
    return b.add("Not", x, dtype=BOOL)


def is_true(b: Builder, x: Value) -> Value:
    """Return where a number is not zero."""
    return opposite(b, compared(b, "Equal", x, 0))


def sign_of(b: Builder, x: Value) -> Value:
    """Return -1 or 1, with the sign of a float, zeros included: theirs is the reciprocal's."""
    is_zero = compared(b, "Equal", x, 0)
    told = b.where(is_zero, b.add("Reciprocal", x), x)
    return b.where(compared(b, "Less", told, 0), b.number(-1, x.dtype), 1)


def selected(b: Builder, condition: Value, x: Value, y: Value, sizes: Sequence[int]) -> Value:
    """Return Where, every bit kept: of floats by GatherElements.

    ONNX Runtime's Where for CPUs makes -0 a +0, and signaling NaNs of FLOAT16 quiet.
    """
    if not x.is_float:
        return b.expand(b.where(condition, x, y), sizes)
    row = [1, math.prod(sizes)]
    both_rows = b.concat([b.reshape(b.expand(each, sizes), row) for each in (x, y)], 0)
    which = b.cast(opposite(b, b.expand(condition, sizes)), INT64)
    found = b.add("GatherElements", both_rows, b.reshape(which, row), sizes=row, axis=0)
    return b.reshape(found, sizes)


def extreme_key(b: Builder, x: Value, axis: int, *, largest: bool) -> Value:
    """Return integers whose largest along an axis are x's largest or smallest elements.

    A NaN is beyond all others, and +0 is larger than -0, which ONNX leaves open.
    """
    if not x.is_float:
        key = b.cast(x, INT64)
        if x.dtype == np.uint64:  # the order of INT64 is theirs after half of them
            key = modular(b, "Add", key, -(1 << 63))
        # -1 - x turns the order round, and overflows nowhere.
        return key if largest else b.add("Sub", b.number(-1, INT64), key)
    is_nan = b.add("IsNaN", x, dtype=BOOL)
    signed = x if largest else b.add("Neg", x)
    number = b.where(is_nan, b.number(-np.inf, x.dtype), signed)
    is_best = compared(b, "Equal", number, b.reduce("ReduceMax", number, [axis]))
    has_sign = compared(b, "Greater", sign_of(b, signed), 0)
    rank = b.add("Mul", b.cast(is_best, INT64), b.add("Add", b.cast(has_sign, INT64), 1))
    return b.where(is_nan, 3, rank)


def along_one_axis(b: Builder, x: Value, axes: Sequence[int]) -> tuple[Value, list[int]]:
    """Return some axes behind the others as one, and the order that the dimensions had."""
    axes = sorted(axes)
    order = [k for k in range(x.rank) if k not in axes] + axes
    rows = [x.sizes[k] for k in order if k not in axes]
    length = math.prod(x.sizes[k] for k in axes)
    return b.reshape(b.transpose(x, order), [*rows, length]), order


def zeros_like(b: Builder, x: Value) -> Value:
    """Return zeros in the sizes of a value."""
    return filled(b, 0, x.sizes, x.dtype)


def filled(b: Builder, number: float, sizes: Sequence[int], dtype: DType) -> Value:
    """Return a number in some sizes, by Expand: in the model it stands once."""
    return b.expand(b.number(number, dtype), sizes)
