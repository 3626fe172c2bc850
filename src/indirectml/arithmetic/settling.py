"""Quantized products of what is dequantized, of which exact sums of integers tell most results.

What QuantizeLinear and DequantizeLinear around a product say is FLOAT32: numbers are dequantized,
multiplied in chains, and what comes out is quantized. How far that can be from the exact product is
known, and most exact products are so far from halfway between two integers that they settle the
result. The others are computed as they are defined: no bit differs.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from indirectml import _native
from indirectml.arithmetic.contraction import contract
from indirectml.arithmetic.convolution import convolve, three, three_dimensional_place
from indirectml.arithmetic.integers_in_panels import IntegersInPanels
from indirectml.arithmetic.quantization import dequantize, quantize
from indirectml.arithmetic.words import word

Array = np.ndarray[Any, Any]

#: Of fewer the layout of pixels gains nothing.
LEAST_PIXELS = 16
#: Exact sums of more products could be beyond INT32.
MOST_DEPTH = 1 << 15
#: Vectors of filters, and units of channels, that would be partly empty gain nothing; but for
#: pixels of three channels, which are a unit each.
_LEAST_FILTERS, _QUAD, _COLOURS = 16, 4, 3
_MOST_SPATIAL = 2


def _type(*, is_signed: bool) -> type[Any]:
    return np.int8 if is_signed else np.uint8


def _native_step(
    views: Sequence[Any],
    outputs: Sequence[Any],
    columns: int,
    fields: dict[str, Any],
    place_of: Callable[[Any], Any],
    windows: Any = None,
) -> _native.Step:
    """Return the native form of both words, which read the same one behind the other."""
    a, b, a_zero, b_zero, sums, a_scale, b_scale, scale, zero, bias = views
    zeros = [view and view.place for view in (a_zero, b_zero, bias, zero)]
    return _native.SettlingStep(
        place_of(a), b.place, columns, place_of(sums),
        a_scale.place, zeros[0], b_scale.place, zeros[1], zeros[2], scale.place, zeros[3],
        fields.get("least", -math.inf), fields.get("most", math.inf), place_of(outputs[0]), windows,
    )  # fmt: skip


def _product_step(*views: Any, outputs: Sequence[Any], **fields: Any) -> _native.Step | None:
    """Return the native form of `settle`."""
    panels = views[1].panels
    if panels is None:
        return None
    return _native_step(views, outputs, panels.columns, fields, lambda view: view.place)


@word(
    "a",
    "b",
    "a_zero_point",
    "b_zero_point",
    "sums",
    "a_scale",
    "b_scale",
    "scale",
    "zero_point",
    "bias",
    results=lambda sums, is_signed=False, **_: [(sums.shape, _type(is_signed=is_signed))],
    native=_product_step,
)
def settle(
    a: Array,
    b: Array | IntegersInPanels,
    a_zero_point: Array | None,
    b_zero_point: Array | None,
    sums: Array,  # noqa: ARG001 (they say nothing that a and b do not)
    a_scale: Array,
    b_scale: Array,
    scale: Array,
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
    a_zero_point, b_zero_point, zero_point : numpy.ndarray, optional
        Integers of the data types of what they belong to, as many as there are scales; without
        them 0.
    sums : numpy.ndarray
        INT32: `contract_integer` of both with their zero points.
    a_scale, scale : numpy.ndarray
        FLOAT32, one number.
    b_scale : numpy.ndarray
        FLOAT32, one number, or one for each column.
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
    >>> settle(a, b, None, None, np.int32([[2]]), one, one, np.float32([0.5]), np.uint8([7]))
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
    return _quantized(total, scale, zero_point, least, most, is_signed=is_signed)


def _quantized(
    total: Array,
    scale: Array,
    zero_point: Array | None,
    least: float,
    most: float,
    *,
    is_signed: bool,
) -> Array:
    """Return totals within limits as integers."""
    dtype = _type(is_signed=is_signed)
    limits = np.iinfo(dtype)
    zero = 0 if zero_point is None else zero_point.reshape(-1)
    with np.errstate(all="ignore"):
        total = np.where(total < np.float32(least), np.float32(least), total)
        total = np.where(total > np.float32(most), np.float32(most), total)
        result: Array = quantize(total, scale.reshape(-1), zero, (limits.min, limits.max))
    return result.astype(dtype)


def settles_convolutions(pixels: int, sizes: Sequence[int], group_count: int) -> bool:
    """Return whether a convolution by filters of some sizes has integers that settle it, and gains.

    Parameters
    ----------
    pixels : int
        Of all images of the result.
    sizes : sequence of int
        Of the filters: output channels, channels, one or two spatial sizes.
    group_count : int
        Of several groups none gains.
    """
    filters, channels, *spatial = sizes
    return (
        group_count == 1
        and len(spatial) <= _MOST_SPATIAL
        and pixels >= LEAST_PIXELS
        and filters >= _LEAST_FILTERS
        and (channels % _QUAD == 0 or channels == _COLOURS)
        and channels * math.prod(spatial) <= MOST_DEPTH
    )


def _convolution_step(*views: Any, outputs: Sequence[Any], **fields: Any) -> _native.Step | None:
    """Return the native form of `settle_convolution`."""
    panels = views[1].panels
    if panels is None or not panels.is_transposed:  # channels of a pixel are no neighbours
        return None
    windows = (
        three(panels.filter_sizes[2:], 1),
        three(fields["strides"], 1),
        three(fields["dilations"], 1),
        three(fields["start_padding"], 0),
    )
    columns = panels.filter_sizes[0]
    return _native_step(views, outputs, columns, fields, three_dimensional_place, windows)


@word(
    "x",
    "w",
    "x_zero_point",
    "w_zero_point",
    "sums",
    "x_scale",
    "w_scale",
    "scale",
    "zero_point",
    "bias",
    results=lambda sums, is_signed=False, **_: [(sums.shape, _type(is_signed=is_signed))],
    native=_convolution_step,
)
def settle_convolution(
    x: Array,
    w: Array | IntegersInPanels,
    x_zero_point: Array | None,
    w_zero_point: Array | None,
    sums: Array,  # noqa: ARG001 (they say nothing that x and w do not)
    x_scale: Array,
    w_scale: Array,
    scale: Array,
    zero_point: Array | None = None,
    bias: Array | None = None,
    *,
    is_signed: bool = False,
    least: float = -math.inf,
    most: float = math.inf,
    strides: Sequence[int] | None = None,
    dilations: Sequence[int] | None = None,
    start_padding: Sequence[int] | None = None,
    end_padding: Sequence[int] | None = None,
    group_count: int = 1,
) -> Array:
    """Return the convolution of dequantized images, quantized; exact sums settle most results.

    Parameters
    ----------
    x : numpy.ndarray
        INT8 or UINT8, of sizes (images, channels, one or two spatial sizes).
    w : numpy.ndarray or IntegersInPanels
        INT8 or UINT8, of sizes (output channels, channels, spatial sizes).
    x_zero_point, w_zero_point, zero_point : numpy.ndarray, optional
        Integers of the data types of what they belong to, as many as there are scales; without
        them 0.
    sums : numpy.ndarray
        INT32: `convolve_integer` of both with their zero points.
    x_scale, scale : numpy.ndarray
        FLOAT32, one number.
    w_scale : numpy.ndarray
        FLOAT32, one number, or one for each output channel.
    bias : numpy.ndarray, optional
        FLOAT32, one for each output channel.
    is_signed : bool
        Whether the result is INT8, or else UINT8.
    least, most : float
        What is less, or more, is that before it is quantized.
    strides, dilations, start_padding, end_padding, group_count
        As in `convolve`; one group.

    Notes
    -----
    That of `quantize` for `convolve` of what both are dequantized to, with the bias, within the
    limits.

    Examples
    --------
    >>> x, w, one = np.uint8([[[3, 4, 5]]]), np.int8([[[2, -1]]]), np.float32([1])
    >>> sums = np.int32([[[2, 3]]])
    >>> settle_convolution(x, w, None, None, sums, one, one, np.float32([0.5]), np.uint8([7]))
    array([[[11, 13]]], dtype=uint8)
    """
    if isinstance(w, IntegersInPanels):
        w = w.unpacked()
    x_zero = 0 if x_zero_point is None else x_zero_point.reshape(-1)
    by_channel = (-1, *(1,) * (w.ndim - 1))
    w_zero = 0 if w_zero_point is None else w_zero_point.reshape(by_channel)
    with np.errstate(all="ignore"):
        total = convolve(
            dequantize(x, x_scale.reshape(-1), x_zero),
            dequantize(w, w_scale.reshape(by_channel), w_zero),
            None if bias is None else bias.reshape(-1),
            strides=strides,
            dilations=dilations,
            start_padding=start_padding,
            end_padding=end_padding,
            group_count=group_count,
        )
    return _quantized(total, scale, zero_point, least, most, is_signed=is_signed)
