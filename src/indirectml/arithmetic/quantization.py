"""Numbers as small integers, and back: integer = number / scale + zero point, clamped.

Scales of FLOAT16 are widened to FLOAT32 first. Arrays repeat to each other's sizes as in NumPy.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from indirectml import _native
from indirectml.arithmetic.basics import Array, limited, quantized_to, truncated_to
from indirectml.arithmetic.sums import largest, quieted, smallest
from indirectml.arithmetic.words import word

#: Where a number is beyond these, it is beyond every data type even after a zero point.
_FAR = 2.0**40


#: Bytes of integers that FLOAT32 does not hold.
_WIDE = 4


class Quantization(NamedTuple):
    """How numbers become integers: a FLOAT32 scale and an integer zero point."""

    scale: Array
    zero_point: Array


def quantize(x: Array, scale: Array, zero_point: Array | int, limits: tuple[int, int]) -> Array:
    """Return x / scale as integers, as INT64 within limits.

    Parameters
    ----------
    x : array of numbers
        Widened or rounded to FLOAT32.
    scale : array of FLOAT32
        Divisors.
    zero_point : array of integers, or int
        Added at the end.
    limits : tuple of int
        The lowest and the highest result, such as (0, 255), or (-8, 7) for INT4.

    Notes
    -----
    The quotient is rounded to FLOAT32, then to the nearest integer, ties to even; the zero point is
    added exactly, and the sum clamped. A NaN gives the zero point.

    Examples
    --------
    >>> quantize(np.array([-1, 0.5, 1.5, 1000], np.float32), np.float32(1), 10, (0, 255))
    array([  9,  10,  12, 255])
    """
    with np.errstate(all="ignore"):
        quotient = x.astype(np.float32) / _as(np.float32, scale)
    return _integers(quotient, zero_point, limits)


def dequantize(x: Array, scale: Array, zero_point: Array | int = 0) -> Array:
    """Return (x - zero point) * scale, in FLOAT32.

    The difference is exact; it is rounded to FLOAT32, and so is the product.
    """
    # The difference of numbers of up to 16 bits is a FLOAT32 at once.
    exact: Any = np.float32 if x.dtype.itemsize < _WIDE else np.int64
    difference = x.astype(exact) - _as(exact, zero_point)
    with np.errstate(all="ignore"):
        return quieted(difference.astype(np.float32) * _as(np.float32, scale))


def _blocks_step(x: Any, scale: Any, zero_point: Any, *, outputs: Sequence[Any]) -> _native.Step:
    """Return the native form of `dequantize_blocks`."""
    zero = zero_point and zero_point.place
    return _native.dequantize_blocks_step(x.place, scale.place, zero, outputs[0].place)


@word(
    "x",
    "scale",
    "zero_point",
    results=lambda x, **_: [(x.shape, np.float32)],
    native=_blocks_step,
    takes_halves=True,
)
def dequantize_blocks(x: Array, scale: Array, zero_point: Array | None = None) -> Array:
    """Return (x - zero point) * scale in FLOAT32, with a scale for each block of elements.

    Parameters
    ----------
    x : array of INT8 or UINT8
        Integers.
    scale : array of FLOAT32 or FLOAT16
        Of as many axes; each size divides that of `x`, and elements repeat in blocks of that
        quotient.
    zero_point : array, optional
        Of the data type of `x` and the sizes of `scale`; 0 without one.

    Examples
    --------
    >>> dequantize_blocks(np.int8([1, 2, 3, 4]), np.float32([1, 0.5]))
    array([1. , 2. , 1.5, 2. ], dtype=float32)
    """
    zero = 0 if zero_point is None else spread(zero_point, x.shape)
    return dequantize(x, spread(scale.astype(np.float32), x.shape), zero)


def spread(x: Array, sizes: Sequence[int]) -> Array:
    """Return an array with each element repeated for a block of others."""
    for axis, size in enumerate(sizes):
        if x.shape[axis] not in (1, size):
            x = np.repeat(x, size // x.shape[axis], axis)
    return x


def requantize(
    accumulated: Array,
    a_scale: Array,
    b_scale: Array,
    scale: Array,
    zero_point: Array | int,
    limits: tuple[int, int],
) -> Array:
    """Return exact sums of products of integers as integers of another scale, as INT64.

    FLOAT32(accumulated) * ((a scale * b scale) / scale), each operation rounded to FLOAT32, then as
    in `quantize`.
    """
    with np.errstate(all="ignore"):
        a, b, y = (_as(np.float32, s) for s in (a_scale, b_scale, scale))
        factor = (a * b) / y
        return _integers(accumulated.astype(np.float32) * factor, zero_point, limits)


def dynamic_quantization(x: Array, limits: tuple[int, int]) -> Quantization:
    """Return the scale and zero point with which all of x fits into limits.

    From the smallest element, or 0 if that is smaller, to the largest, or 0 if that is larger:
    scale = (high - low) / (limit - limit) in FLOAT32, or 1 where that is 0; zero point = lowest
    limit - low / scale in FLOAT32, rounded to the nearest integer, ties to even, and clamped; the
    lowest limit where it is NaN. The page of DML_DYNAMIC_QUANTIZE_LINEAR_OPERATOR_DESC leaves 0 and
    the rounding open; both are those of ONNX's DynamicQuantizeLinear.
    """
    wide = x.astype(np.float32)
    axes = range(x.ndim)
    zero = np.float32(0)
    with np.errstate(all="ignore"):
        high, low = (f(wide, axes, keepdims=False).reshape(()) for f in (largest, smallest))
        high, low = np.where(high < zero, zero, high), np.where(low > zero, zero, low)
        scale = (high - low) / np.float32(limits[1] - limits[0])
        scale = quieted(np.where(scale == 0, np.float32(1), scale).astype(np.float32))
        zero_point = np.float32(limits[0]) - low / scale
    middle = np.where(np.isnan(zero_point), np.float32(limits[0]), zero_point)
    return Quantization(scale, _integers(middle, 0, limits))


#: Limits of types that one instruction of a program rounds to.
_BYTES = {
    (int(found.min), int(found.max)): found.dtype for found in map(np.iinfo, (np.int8, np.uint8))
}


def _integers(numbers: Array, zero_point: Array | int, limits: tuple[int, int]) -> Array:
    low, high = limits
    if (low, high) in _BYTES:
        found = quantized_to(numbers, _as(np.float32, zero_point), _BYTES[low, high])
        return found.astype(np.int64)
    with np.errstate(all="ignore"):
        whole = np.where(np.isnan(numbers), np.float32(0), np.rint(numbers))
    near = limited(whole, np.float32(-_FAR), np.float32(_FAR))
    moved = truncated_to(near, np.dtype(np.int64)) + _as(np.int64, zero_point)
    result: Array = np.clip(moved, *limits)
    return result


def _as(dtype: type[Any], x: Array | int) -> Array:
    """Return numbers in a data type."""
    return dtype(x) if isinstance(x, int) else x.astype(dtype)
