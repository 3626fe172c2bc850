"""Quantized products of dequantized matrices, of which exact sums of integers tell most results.

What QuantizeLinear and DequantizeLinear around a product say is FLOAT32: numbers are dequantized,
multiplied in chains, and what comes out is quantized. How far that can be from the exact product is
known, and most exact products are so far from halfway between two integers that they settle the
result. The others are computed as they are defined: no bit differs.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from indirectml import _native
from indirectml.arithmetic.contraction import contract
from indirectml.arithmetic.integers_in_panels import IntegersInPanels
from indirectml.arithmetic.quantization import dequantize, quantize
from indirectml.arithmetic.words import word

Array = np.ndarray[Any, Any]


def _type(*, is_signed: bool) -> type[Any]:
    return np.int8 if is_signed else np.uint8


def _settling_step(
    a: Any,
    b: Any,
    sums: Any,
    a_scale: Any,
    b_scale: Any,
    scale: Any,
    a_zero_point: Any,
    b_zero_point: Any,
    zero_point: Any,
    bias: Any,
    *,
    outputs: Sequence[Any],
    least: float = -math.inf,
    most: float = math.inf,
    **_: Any,
) -> _native.Step | None:
    """Return the native form of `settle`."""
    if b.panels is None:
        return None
    zeros = [view and view.place for view in (a_zero_point, b_zero_point, zero_point, bias)]
    return _native.SettlingStep(
        a.place, b.place, b.panels.columns, sums.place,
        a_scale.place, zeros[0], b_scale.place, zeros[1], zeros[3], scale.place, zeros[2],
        least, most, outputs[0].place,
    )  # fmt: skip


@word(
    "a",
    "b",
    "sums",
    "a_scale",
    "b_scale",
    "scale",
    "a_zero_point",
    "b_zero_point",
    "zero_point",
    "bias",
    results=lambda sums, is_signed=False, **_: [(sums.shape, _type(is_signed=is_signed))],
    native=_settling_step,
)
def settle(
    a: Array,
    b: Array | IntegersInPanels,
    sums: Array,  # noqa: ARG001 (they say nothing that a and b do not)
    a_scale: Array,
    b_scale: Array,
    scale: Array,
    a_zero_point: Array | None = None,
    b_zero_point: Array | None = None,
    zero_point: Array | None = None,
    bias: Array | None = None,
    *,
    is_signed: bool = False,
    least: float = -math.inf,
    most: float = math.inf,
) -> Array:
    """Return the product of dequantized matrices, quantized; exact sums settle most results.

    Parameters
    ----------
    a : numpy.ndarray
        INT8 or UINT8, of sizes (..., rows, depth).
    b : numpy.ndarray or IntegersInPanels
        INT8 or UINT8, of sizes (depth, columns).
    sums : numpy.ndarray
        INT32: `contract_integer` of both with their zero points.
    a_scale, scale : numpy.ndarray
        FLOAT32, one number.
    b_scale : numpy.ndarray
        FLOAT32, one number, or one for each column.
    a_zero_point, b_zero_point, zero_point : numpy.ndarray, optional
        Integers of the data types of what they belong to, as many as there are scales; without
        them 0.
    bias : numpy.ndarray, optional
        FLOAT32, one for each column.
    is_signed : bool
        Whether the result is INT8, or else UINT8.
    least, most : float
        What is less, or more, is that before it is quantized.

    Notes
    -----
    That of `quantize` for `contract` of what both are dequantized to, plus the bias, rounded,
    within the limits.

    Examples
    --------
    >>> a, b, one = np.uint8([[3, 4]]), np.int8([[2], [-1]]), np.float32([1])
    >>> settle(a, b, np.int32([[2]]), one, one, np.float32([0.5]), zero_point=np.uint8([7]))
    array([[11]], dtype=uint8)
    """
    if isinstance(b, IntegersInPanels):
        b = b.unpacked()
    zeros = [0 if each is None else each.reshape(-1) for each in (a_zero_point, b_zero_point)]
    with np.errstate(all="ignore"):
        total = contract(
            dequantize(a, a_scale.reshape(-1), zeros[0]),
            dequantize(b, b_scale.reshape(-1), zeros[1]),
        )
        if bias is not None:
            total = total + bias.reshape(-1)
        total = np.where(total < np.float32(least), np.float32(least), total)
        total = np.where(total > np.float32(most), np.float32(most), total)
    dtype = _type(is_signed=is_signed)
    limits = np.iinfo(dtype)
    zero = 0 if zero_point is None else zero_point.reshape(-1)
    result: Array = quantize(total, scale.reshape(-1), zero, (limits.min, limits.max)).astype(dtype)
    return result
