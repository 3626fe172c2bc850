"""ONNX forms of numbers as small integers, and of products of them.

ONNX's QuantizeLinear and DequantizeLinear where a scale stands for everything, for one dimension,
or for blocks along one; else their formulas. ONNX Runtime gives another result than the zero point
for a NaN, and so do others: ONNX says nothing of it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from indirectml.onnx_export.building import (
    BOOL,
    INT32,
    INT64,
    SINGLE,
    Builder,
    DType,
    Value,
)
from indirectml.onnx_export.forms import Node, form
from indirectml.onnx_export.windows import averages, window_of
from indirectml.onnx_export.words import filled
from indirectml.operators.quantized import limits

#: What is beyond is beyond all limits after any zero point, and FLOAT32 adds exactly up to there.
_FAR = float(1 << 16)

#: From here on there are blocks, and integers of 4 bits.
_BLOCK_OPSET = 21


def _bits(dtype: DType) -> int:
    return 4 if dtype.name in ("int4", "uint4") else 8 * dtype.itemsize


def _limits(dtype: DType) -> tuple[int, int]:
    """Return the lowest and the highest integer of a data type, of 4 bits too."""
    if _bits(dtype) == 4:  # noqa: PLR2004 (bits)
        return (-8, 7) if dtype.name == "int4" else (0, 15)
    return limits(dtype)


def _converted(b: Builder, x: Value, dtype: Any) -> Value:
    """Return a value in another dtype; one of 4 bits needs an opset that has them."""
    dtype = np.dtype(dtype)
    if x.dtype == dtype:
        return x
    is_short = 4 in (_bits(x.dtype), _bits(dtype))  # noqa: PLR2004 (bits)
    return b.add("Cast", x, dtype=dtype, to=dtype, since=_BLOCK_OPSET if is_short else 0)


class _Layout:
    """How a scale stands for the elements of a tensor, in the words of ONNX's operators.

    Attributes
    ----------
    attributes : dict or None
        ONNX's axis and block_size; None where it has no words for it.
    since : int
        The opset that they need.
    sizes : tuple of int
        Of the scale, as ONNX has it.
    """

    def __init__(self, scale: Value, sizes: Sequence[int]) -> None:
        self.attributes: dict[str, int] | None = None
        self.since, self.sizes = 0, scale.sizes
        pairs = list(zip(scale.sizes, sizes, strict=True))
        own = [k for k, (n, _) in enumerate(pairs) if n != 1]
        blocks = [k for k, (n, m) in enumerate(pairs) if n != m]
        if not own:
            self.attributes, self.sizes = {}, ()
        elif len(own) == 1 and scale.sizes[own[0]] == sizes[own[0]]:
            self.attributes, self.sizes = {"axis": own[0]}, (scale.count,)
        elif len(blocks) == 1:
            axis = blocks[0]
            size = sizes[axis] // scale.sizes[axis]
            self.attributes, self.since = {"axis": axis, "block_size": size}, _BLOCK_OPSET


def _spread(b: Builder, parameter: Value, sizes: Sequence[int]) -> Value:
    """Return a parameter whose elements are repeated for blocks, if they are."""
    if _bits(parameter.dtype) == 4:  # noqa: PLR2004 (bits; Expand takes no such integers)
        parameter = _converted(b, parameter, INT32)
    for axis, size in enumerate(sizes):
        own = parameter.sizes
        if own[axis] not in (1, size):
            parameter = b.reshape(parameter, (*own[: axis + 1], 1, *own[axis + 1 :]))
            wide = (*own[: axis + 1], size // own[axis], *own[axis + 1 :])
            parameter = b.reshape(b.expand(parameter, wide), (*own[:axis], size, *own[axis + 1 :]))
    return parameter


def quantize(
    b: Builder,
    x: Value,
    scale: Value,
    zero: Value | None,
    dtype: DType,
    *,
    by_formula: bool = False,
) -> Value:
    """Return numbers as integers: QuantizeLinear, or its formula.

    Scale and zero point have as many dimensions as `x`, and each of their sizes divides that of it.
    The formula may be asked for: of DequantizeLinear, an operator and QuantizeLinear behind each
    other ONNX Runtime 1.31 makes one quantized operator, and refuses more than a single scale.
    """
    layout = _Layout(scale, x.sizes)
    is_alike = zero is None or zero.sizes == scale.sizes
    if layout.attributes is not None and is_alike and not by_formula:
        since = _BLOCK_OPSET if _bits(dtype) != 8 else layout.since  # noqa: PLR2004 (bits)
        point = b.constant(np.zeros(scale.sizes), dtype) if zero is None else zero
        given = (b.reshape(each, layout.sizes) for each in (scale, point))
        return b.add(
            "QuantizeLinear", x, *given, dtype=dtype, sizes=x.sizes, since=since,
            **layout.attributes,
        )  # fmt: skip
    quotient = b.add("Div", b.cast(x, SINGLE), _spread(b, scale, x.sizes))
    return _rounded(b, quotient, None if zero is None else _spread(b, zero, x.sizes), dtype)


def _rounded(b: Builder, x: Value, zero: Value | None, dtype: DType) -> Value:
    """Return numbers as integers behind a zero point, which NaN is too; the sum is exact."""
    whole = b.where(b.add("IsNaN", x, dtype=BOOL), 0.0, b.add("Round", x))
    if zero is not None:
        near = b.add("Min", b.add("Max", whole, -_FAR), _FAR)
        whole = b.add("Add", near, _converted(b, zero, SINGLE))
    low, high = (b.number(limit, SINGLE) for limit in _limits(dtype))
    return _converted(b, b.add("Clip", whole, low, high, sizes=whole.sizes), dtype)


def dequantize(b: Builder, x: Value, scale: Value, zero: Value | None) -> Value:
    """Return numbers from integers: DequantizeLinear, or its formula. Sizes as for `quantize`."""
    layout = _Layout(scale, x.sizes)
    is_alike = zero is None or (zero.sizes == scale.sizes and x.dtype != INT32)
    is_there = x.dtype.itemsize <= INT32.itemsize and x.dtype != np.uint32  # as ONNX has it
    if layout.attributes is not None and is_alike and is_there:
        since = _BLOCK_OPSET if _bits(x.dtype) in (4, 16) else layout.since
        given = [b.reshape(each, layout.sizes) for each in (scale, zero) if each is not None]
        return b.add(
            "DequantizeLinear", x, *given, dtype=SINGLE, sizes=x.sizes, since=since,
            **layout.attributes,
        )  # fmt: skip
    wide = _converted(b, x, INT64)
    if zero is not None:
        wide = b.add("Sub", wide, _converted(b, _spread(b, zero, x.sizes), INT64))
    return b.add("Mul", b.cast(wide, SINGLE), _spread(b, scale, x.sizes))


@form("ELEMENT_WISE_QUANTIZE_LINEAR", broadcasts=True)
def quantized(node: Node, x: Value, scale: Value, zero: Value | None) -> Value:
    """QuantizeLinear, or its formula."""
    x = node.b.expand(x, node.sizes)
    return quantize(node.b, x, scale, zero, node.dtype)


@form("ELEMENT_WISE_DEQUANTIZE_LINEAR", broadcasts=True)
def dequantized(node: Node, x: Value, scale: Value, zero: Value | None) -> Value:
    """DequantizeLinear, or its formula."""
    return dequantize(node.b, node.b.expand(x, node.sizes), scale, zero)


@form("QUANTIZE")
def block_quantized(node: Node, x: Value, scale: Value, zero: Value | None = None) -> Value:
    """QuantizeLinear, with blocks along one dimension, or its formula."""
    return quantize(node.b, x, scale, zero, node.dtype)


@form("DEQUANTIZE")
def block_dequantized(node: Node, x: Value, scale: Value, zero: Value | None = None) -> Value:
    """DequantizeLinear, with blocks along one dimension, or its formula."""
    return dequantize(node.b, x, scale, zero)


@form("ELEMENT_WISE_QUANTIZED_LINEAR_ADD")
def quantized_sum(
    node: Node, a: Value, a_scale: Value, a_zero: Value | None, b: Value, b_scale: Value,
    b_zero: Value | None, scale: Value, zero: Value | None,
) -> Value:  # fmt: skip
    """DequantizeLinear, Add, QuantizeLinear."""
    left = dequantize(node.b, a, a_scale, a_zero)
    right = dequantize(node.b, b, b_scale, b_zero)
    total = node.b.add("Add", left, right)
    return quantize(node.b, total, scale, zero, node.dtype, by_formula=scale.count > 1)


@form("DYNAMIC_QUANTIZE_LINEAR")
def dynamically_quantized(node: Node, x: Value) -> tuple[Value, ...]:
    """DynamicQuantizeLinear for UINT8, else its formula."""
    b, dtype = node.b, node.dtype
    if dtype == np.uint8:
        made = [(dtype, x.sizes), (SINGLE, ()), (dtype, ())]
        return b.add_several("DynamicQuantizeLinear", [x], made)
    low, high = _limits(dtype)
    axes = range(x.rank)
    most = b.add("Max", b.reduce("ReduceMax", x, axes), 0.0)
    least = b.add("Min", b.reduce("ReduceMin", x, axes), 0.0)
    scale = b.add("Div", b.add("Sub", most, least), float(high - low))
    scale = b.where(b.add("Equal", scale, 0.0, dtype=BOOL), 1.0, scale)
    place = b.add("Round", b.add("Sub", float(low), b.add("Div", least, scale)))
    place = b.where(b.add("IsNaN", place, dtype=BOOL), float(low), place)
    limited = b.add("Clip", place, float(low), float(high), sizes=place.sizes)
    zero = b.cast(limited, dtype)
    return quantize(b, x, scale, zero, dtype), scale, zero


def _as_rows(b: Builder, parameter: Value | None) -> Value | None:
    """Return one element, or one per row, so that they repeat along columns."""
    if parameter is None:
        return None
    return b.reshape(parameter, [parameter.count, 1] if parameter.count > 1 else [])


def _as_columns(b: Builder, parameter: Value | None) -> Value | None:
    """Return one element, or one per column."""
    if parameter is None:
        return None
    return b.reshape(parameter, [parameter.count] if parameter.count > 1 else [])


def _integer_product(
    b: Builder, left: Value, left_zero: Value | None, right: Value, right_zero: Value | None
) -> Value:
    """Return the INT32 product of integers less their zero points."""
    sizes = (*left.sizes[:-1], right.sizes[-1])
    left_zero, right_zero = _as_rows(b, left_zero), _as_columns(b, right_zero)
    is_narrow = left.dtype.itemsize == right.dtype.itemsize == 1
    if is_narrow and all(z is None or not z.sizes for z in (left_zero, right_zero)):
        if right_zero is not None and left_zero is None:
            left_zero = b.number(0, left.dtype)
        return b.add("MatMulInteger", left, right, left_zero, right_zero, dtype=INT32, sizes=sizes)
    through = INT32 if is_narrow else INT64
    wide = []
    for x, zero in ((left, left_zero), (right, right_zero)):
        own = b.cast(x, through)
        wide.append(own if zero is None else b.add("Sub", own, b.cast(zero, through)))
    return b.cast(b.add("MatMul", *wide, sizes=sizes), INT32)


@form("MATRIX_MULTIPLY_INTEGER")
def integer_product(
    node: Node, a: Value, a_zero: Value | None, b: Value, b_zero: Value | None
) -> Value:
    """MatMulInteger, or MatMul in INT32 where zero points are those of rows or columns."""
    return _integer_product(node.b, a, a_zero, b, b_zero)


@form("QUANTIZED_LINEAR_MATRIX_MULTIPLY")
def quantized_product(
    node: Node, a: Value, a_scale: Value, a_zero: Value | None, b: Value, b_scale: Value,
    b_zero: Value | None, scale: Value, zero: Value | None,
) -> Value:  # fmt: skip
    """QLinearMatMul for one scale each, else MatMulInteger, Mul and QuantizeLinear's formula."""
    made = node.b
    parameters = (a_scale, a_zero, b_scale, b_zero, scale, zero)
    is_single = all(p is None or p.count == 1 for p in parameters)
    if is_single and _has_kernel(a.dtype, b.dtype, node.dtype):
        given: list[Value] = []
        for x, own, point in (
            (a.dtype, a_scale, a_zero),
            (b.dtype, b_scale, b_zero),
            (node.dtype, scale, zero),
        ):
            given += [
                made.reshape(own, []),
                made.number(0, x) if point is None else made.reshape(point, []),
            ]
        return made.add(
            "QLinearMatMul", a, *given[:2], b, *given[2:], dtype=node.dtype, sizes=node.sizes
        )
    total = _integer_product(made, a, a_zero, b, b_zero)
    factors = (_as_rows(made, a_scale), _as_columns(made, b_scale), _as_rows(made, scale))
    return _requantized(made, total, factors, _as_rows(made, zero), node.dtype)


def _has_kernel(first: DType, second: DType, made: DType) -> bool:
    """Whether ONNX Runtime has QLinearMatMul and QLinearConv of these."""
    return first == made and (second in (first, np.int8))


def _requantized(
    b: Builder, total: Value, scales: tuple[Any, Any, Any], zero: Value | None, dtype: DType
) -> Value:
    """Return FLOAT32(total) * ((scale * scale) / scale) as integers."""
    factor = b.add("Div", b.add("Mul", scales[0], scales[1]), scales[2])
    return _rounded(b, b.add("Mul", b.cast(total, SINGLE), factor), zero, dtype)


@form("MATRIX_MULTIPLY_INTEGER_TO_FLOAT")
def scaled_product(
    node: Node, a: Value, a_scale: Value, a_zero: Value | None, b: Value, b_scale: Value,
    b_zero: Value | None, bias: Value | None,
) -> Value:  # fmt: skip
    """MatMulInteger, Cast, Mul, Add."""
    made = node.b
    total = made.cast(_integer_product(made, a, a_zero, b, b_zero), SINGLE)
    factor = made.add("Mul", _as_rows(made, a_scale), _as_columns(made, b_scale))
    result = made.add("Mul", total, factor)
    return result if bias is None else made.add("Add", result, bias)


def _geometry(node: Node) -> dict[str, Any]:
    return {
        "strides": list(node["strides"]),
        "dilations": list(node["dilations"]),
        "pads": [*node["start_padding"], *node["end_padding"]],
        "group": node["group_count"],
    }


@form("CONVOLUTION_INTEGER")
def integer_convolution(
    node: Node, x: Value, x_zero: Value | None, w: Value, w_zero: Value | None
) -> Value:
    """ConvInteger."""
    return _convolved(node, x, x_zero, w, w_zero)


def _convolved(node: Node, x: Value, x_zero: Value | None, w: Value, w_zero: Value | None) -> Value:
    b = node.b
    if w_zero is not None and x_zero is None:
        x_zero = b.number(0, x.dtype)
    x_zero = None if x_zero is None else b.reshape(x_zero, [])
    single = None if w_zero is None or w_zero.count > 1 else b.reshape(w_zero, [])

    def convolved(weights: Value, zero: Value | None) -> Value:
        return b.add(
            "ConvInteger", x, weights, x_zero, zero, dtype=INT32, sizes=node.sizes,
            **_geometry(node),
        )  # fmt: skip

    total = convolved(w, single)
    if w_zero is None or single is not None:
        return total
    # ONNX Runtime takes one zero point for all channels: the others are subtracted from the sums.
    points = b.reshape(b.cast(w_zero, INT32), [1, w_zero.count, *[1] * (x.rank - 2)])
    windows = convolved(filled(b, 1, w.sizes, w.dtype), None)
    return b.add("Sub", total, b.add("Mul", windows, points))


@form("QUANTIZED_LINEAR_CONVOLUTION")
def quantized_convolution(
    node: Node, x: Value, x_scale: Value, x_zero: Value | None, w: Value, w_scale: Value,
    w_zero: Value | None, bias: Value | None, scale: Value, zero: Value | None,
) -> Value:  # fmt: skip
    """QLinearConv, or ConvInteger, Mul and QuantizeLinear's formula."""
    b = node.b
    scales = [_as_columns(b, each) for each in (x_scale, w_scale, scale)]
    if not _has_kernel(x.dtype, w.dtype, node.dtype) or (w_zero is not None and w_zero.count > 1):
        total = _convolved(node, x, x_zero, w, w_zero)
        channels = [1, -1, *[1] * (x.rank - 2)]
        if bias is not None:
            total = b.add("Add", total, _in_channels(b, bias, channels))
        factors = (scales[0], _in_channels(b, w_scale, channels), scales[2])
        return _requantized(
            b, total, factors, None if zero is None else b.reshape(zero, []), node.dtype
        )
    points = [
        b.number(0, dtype) if point is None else _as_columns(b, point)
        for point, dtype in ((x_zero, x.dtype), (w_zero, w.dtype), (zero, node.dtype))
    ]
    if w_scale.count > 1 and points[1] is not None and not points[1].sizes:
        points[1] = b.expand(points[1], [w_scale.count])
    if bias is not None:
        bias = b.reshape(bias, [bias.count])
    return b.add(
        "QLinearConv", x, scales[0], points[0], w, scales[1], points[1], scales[2], points[2], bias,
        dtype=node.dtype, sizes=node.sizes, **_geometry(node),
    )  # fmt: skip


def _in_channels(b: Builder, parameter: Value, sizes: Sequence[int]) -> Value:
    """Return numbers along the dimension whose size is written as -1; one stays one."""
    return b.reshape(parameter, [parameter.count if n == -1 else n for n in sizes])


@form("QUANTIZED_LINEAR_AVERAGE_POOLING")
def quantized_average(
    node: Node, x: Value, x_scale: Value, x_zero: Value | None, scale: Value, zero: Value | None
) -> Value:
    """DequantizeLinear, AveragePool, QuantizeLinear."""
    b = node.b
    channels = [1, -1, *[1] * (x.rank - 2)]
    x_point, point = (None if z is None else _in_channels(b, z, channels) for z in (x_zero, zero))
    numbers = dequantize(b, x, _in_channels(b, x_scale, channels), x_point)
    window = window_of(node)
    average = averages(b, numbers, window, with_padding=node["include_padding"])
    by_formula = scale.count > 1 or any(n != 1 for n in window.dilations)
    factor = _in_channels(b, scale, channels)
    return quantize(b, average, factor, point, node.dtype, by_formula=by_formula)
