"""Numbers as small integers, and products of them: the operators of the family `quantized`."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from indirectml.catalogue.enumerations import QuantizationType, RoundingMode
from indirectml.core.data_types import TensorDataType, as_data_type
from indirectml.core.errors import ModelError
from indirectml.graphs.expressions import Expression, broadcast
from indirectml.onnx_import.building import added
from indirectml.onnx_import.few_bits import is_in_halves
from indirectml.onnx_import.later import in_halves
from indirectml.onnx_import.nodes import Node, handler
from indirectml.onnx_import.reading import element_dtype
from indirectml.onnx_import.values import Value, packed, stored_dtype, viewed
from indirectml.onnx_import.windows import windows_of
from indirectml.operators import functions

Shape = tuple[int, ...]

#: What ELEMENT_WISE_QUANTIZE_LINEAR writes.
_BYTES = (TensorDataType.INT8, TensorDataType.UINT8)
_HALVES = (TensorDataType.INT4, TensorDataType.UINT4)

#: Integers of 4 bits are 8 bits wide in the graph, and stay within these.
_FOUR_BITS = {"int4": (-8, 7), "uint4": (0, 15)}


def _parameter(node: Node, index: int, shape: Shape) -> Expression | None:
    """Return a scale or zero point with as many dimensions as the input: 1, its size, or blocks."""
    if not node.has(index):
        return None
    x = node.expression(index)
    own = node.value(index).shape
    rank = max(len(shape), 1)
    if math.prod(own) == 1:
        return viewed(x, (1,) * rank)
    if (len(own) == 1 and rank > 1) or not node.attribute("block_size", 0):
        axis = node.axis(rank, default=1)
        if own != (shape[axis],):
            raise ModelError(
                f"needs one number, or one per element of dimension {axis} ({shape[axis]})",
                given=f"{list(own)}",
                field=f"inputs[{index}]",
            )
        return viewed(x, [own[0] if k == axis else 1 for k in range(rank)])
    axis, block = node.axis(rank, default=1), node.attribute("block_size")
    expected = [-(-n // block) if k == axis else n for k, n in enumerate(shape)]
    if list(own) != expected:
        raise ModelError(
            f"needs {expected}: a number per block of {block}",
            given=f"{list(own)}",
            field=f"inputs[{index}]",
        )
    if shape[axis] % block:
        raise ModelError(
            f"needs blocks that fill dimension {axis}, as DirectML has them",
            given=f"{shape[axis]} elements in blocks of {block}",
            field="block_size",
        )
    return x


def _repeated(parameter: Expression, shape: Sequence[int]) -> Expression:
    """Return a scale or zero point for each element."""
    for axis, (own, size) in enumerate(zip(parameter.shape, shape, strict=True)):
        if own not in (1, size):
            sizes = parameter.shape
            split = viewed(parameter, (*sizes[: axis + 1], 1, *sizes[axis + 1 :]))
            spread = broadcast(split, (*sizes[: axis + 1], size // own, *sizes[axis + 1 :]))
            parameter = viewed(spread, (*sizes[:axis], size, *sizes[axis + 1 :]))
    return broadcast(parameter, shape)


def _is_blocked(parameter: Expression, shape: Sequence[int]) -> bool:
    """Return whether it repeats otherwise than a broadcast tensor does."""
    return any(own not in (1, size) for own, size in zip(parameter.shape, shape, strict=True))


@handler("QuantizeLinear", since=10)
def quantized(node: Node) -> Value:
    """QuantizeLinear: ELEMENT_WISE_QUANTIZE_LINEAR; QUANTIZE for blocks."""
    value = node.value(0)
    x = node.expression(0)
    scale = _parameter(node, 1, value.shape)
    assert scale is not None  # noqa: S101 (the schema has it)
    zero = _parameter(node, 2, value.shape)
    chosen = node.attribute("output_dtype", 0)
    if node.has(2):
        dtype = node.value(2).dtype
    else:
        dtype = element_dtype(chosen) if chosen else np.dtype(np.uint8)
    limits = _FOUR_BITS.get(dtype.name)
    data_type = as_data_type(stored_dtype(dtype))
    if x.desc.data_type.is_float and scale.desc.data_type is not x.desc.data_type:
        x, scale = (functions.cast(each, dtype=np.float32) for each in (x, scale))
    if data_type in _BYTES and _is_blocked(scale, x.shape):
        parameters = [scale] if zero is None else [scale, zero]
        kind = QuantizationType.SCALE if zero is None else QuantizationType.SCALE_ZERO_POINT
        outputs = [(data_type, x.shape)]
        (result,) = added(node.graph, "QUANTIZE", [x, parameters], outputs, quantization_type=kind)
    elif data_type in _BYTES:
        result = functions.quantize_linear(
            x,
            broadcast(scale, x.shape),
            None if zero is None else broadcast(zero, x.shape),
            output_dtype=data_type,
        )
    else:
        result = _composed(x, scale, zero, data_type)
    if limits is not None:
        result = functions.clip(result, min=limits[0], max=limits[1])
    return node.made(result, value.shape, dtype)


def _composed(
    x: Expression, scale: Expression, zero: Expression | None, data_type: TensorDataType
) -> Expression:
    """Return round(x / scale) + zero point in 16 bits: after the quotient FLOAT32 is exact."""
    if data_type.bits > 16:  # noqa: PLR2004 (what FLOAT32 holds with room)
        raise ModelError("needs integers of 4, 8 or 16 bits", given=data_type.name)
    x, scale = (functions.cast(each, dtype=np.float32) for each in (x, scale))
    quotient = functions.divide(x, _repeated(scale, x.shape))
    number = functions.round(quotient, rounding_mode=RoundingMode.HALVES_TO_NEAREST_EVEN)
    number = functions.clip(number, min=-(2.0**20), max=2.0**20)
    if zero is not None:
        number = functions.add(number, _repeated(functions.cast(zero, dtype=np.float32), x.shape))
    limited = functions.clip(number, min=float(data_type.minimum), max=float(data_type.maximum))
    return functions.cast(limited, dtype=data_type)


@handler("DequantizeLinear", since=10)
def dequantized(node: Node) -> Value:
    """DequantizeLinear: ELEMENT_WISE_DEQUANTIZE_LINEAR; DEQUANTIZE for blocks, and known 4 bits."""
    value = node.value(0)
    x, zero = node.expression(0), _parameter(node, 2, value.shape)
    scale = _parameter(node, 1, value.shape)
    assert scale is not None  # noqa: S101 (the schema has it)
    if is_in_halves(value) and (zero is None or is_in_halves(node.value(2))):
        x = in_halves(node.graph, value, x.shape)
        zero = zero if zero is None else in_halves(node.graph, node.value(2), zero.shape)
    data_type = x.desc.data_type
    if data_type in _HALVES or (data_type in _BYTES and _is_blocked(scale, x.shape)):
        parameters = [scale] if zero is None else [scale, zero]
        kind = QuantizationType.SCALE if zero is None else QuantizationType.SCALE_ZERO_POINT
        outputs = [(scale.desc.data_type, x.shape)]
        (result,) = added(
            node.graph, "DEQUANTIZE", [x, parameters], outputs, quantization_type=kind
        )
    else:
        result = functions.dequantize_linear(
            x, _repeated(scale, x.shape), None if zero is None else _repeated(zero, x.shape)
        )
    chosen = node.attribute("output_dtype", 0)
    dtype = element_dtype(chosen) if chosen else node.value(1).dtype
    if dtype != result.dtype:
        result = functions.cast(result, dtype=dtype)
    return node.made(result, value.shape)


@handler("DynamicQuantizeLinear", since=11)
def dynamically_quantized(node: Node) -> tuple[Value, ...]:
    """DynamicQuantizeLinear: the operator of the same name."""
    x = node.expression(0)
    ones = (1,) * len(x.shape)
    outputs = [(np.uint8, x.shape), (np.float32, ones), (np.uint8, ones)]
    integers, scale, zero = added(node.graph, "DYNAMIC_QUANTIZE_LINEAR", [x], outputs)
    return node.made(integers, node.value(0).shape), node.made(scale, ()), node.made(zero, ())


# ---- products ----


class Factors:
    """Two factors of a product of matrices, as many dimensions each, from 2 to 4."""

    def __init__(self, node: Node, a_index: int, b_index: int) -> None:
        a, b = node.value(a_index), node.value(b_index)
        if not a.rank or not b.rank:
            raise ModelError("needs matrices", given="a scalar")
        a_shape = (1, *a.shape) if a.rank == 1 else a.shape
        b_shape = (*b.shape, 1) if b.rank == 1 else b.shape
        try:
            batch = np.broadcast_shapes(a_shape[:-2], b_shape[:-2])
        except ValueError:
            batch = None
        if batch is None or a_shape[-1] != b_shape[-2]:
            raise ModelError(
                "needs matrices that can be multiplied",
                given=f"{list(a.shape)} and {list(b.shape)}",
            )
        self.rows, self.columns, self.batch = a_shape[-2], b_shape[-1], batch
        self.flat: Shape = (math.prod(batch),) if batch else ()
        self.node = node
        self.a = self._spread(node.expression(a_index), a_shape)
        self.b = self._spread(node.expression(b_index), b_shape)
        self.sizes = (*self.flat, self.rows, self.columns)
        self.shape = (
            *batch,
            *((self.rows,) if a.rank > 1 else ()),
            *((self.columns,) if b.rank > 1 else ()),
        )

    def of_rows(self, index: int) -> Expression | None:
        """Return an input with a number, or one per row of A, behind ones."""
        return _column_of(_of_rows(self.node, index, self.rows), len(self.sizes))

    def of_columns(self, index: int) -> Expression | None:
        """Return an input with a number, or one per column of B, behind ones."""
        return _row_of(_of_rows(self.node, index, self.columns), len(self.sizes))

    def _spread(self, x: Expression, shape: Shape) -> Expression:
        """Return a factor repeated for all pairs, with one dimension of them."""
        whole = broadcast(viewed(x, shape), (*self.batch, *shape[-2:]))
        return viewed(packed(whole), (*self.flat, *shape[-2:]))


def _of_rows(node: Node, index: int, count: int) -> Expression | None:
    """Return a number, or numbers per row or column, flat; one zero point is for all matrices."""
    if not node.has(index):
        return None
    value = node.value(index)
    if value.count not in (1, count):
        raise ModelError(
            f"needs one number, or one per row or column ({count}), as DirectML has them",
            given=f"{list(value.shape)}",
            field=f"inputs[{index}]",
        )
    return viewed(node.expression(index), (value.count,))


def _as_float32(x: Expression | None) -> Expression | None:
    return x if x is None or x.dtype == np.float32 else functions.cast(x, dtype=np.float32)


def _column_of(x: Expression | None, rank: int) -> Expression | None:
    return None if x is None else viewed(x, (*(1,) * (rank - 2), x.shape[0], 1))


def _row_of(x: Expression | None, rank: int) -> Expression | None:
    return None if x is None else viewed(x, (*(1,) * (rank - 1), x.shape[0]))


@handler("MatMulInteger", since=10)
def integer_product(node: Node) -> Value:
    """MatMulInteger: MATRIX_MULTIPLY_INTEGER."""
    own = Factors(node, 0, 1)
    inputs = [own.a, own.of_rows(2), own.b, own.of_columns(3)]
    outputs = [(np.int32, own.sizes)]
    (result,) = added(node.graph, "MATRIX_MULTIPLY_INTEGER", inputs, outputs)
    return node.made(result, own.shape)


@handler("QLinearMatMul", since=10)
def quantized_product(node: Node) -> Value:
    """QLinearMatMul: QUANTIZED_LINEAR_MATRIX_MULTIPLY."""
    own = Factors(node, 0, 3)
    of_rows = {k: own.of_rows(k) for k in (1, 2, 6, 7)}
    of_columns = {k: own.of_columns(k) for k in (4, 5)}
    inputs = [
        own.a, _as_float32(of_rows[1]), of_rows[2],
        own.b, _as_float32(of_columns[4]), of_columns[5],
        _as_float32(of_rows[6]), of_rows[7],
    ]  # fmt: skip
    outputs = [(node.value(7).dtype, own.sizes)]
    (result,) = added(node.graph, "QUANTIZED_LINEAR_MATRIX_MULTIPLY", inputs, outputs)
    return node.made(result, own.shape)


# ---- convolutions ----


def _geometry(node: Node, x: Value, w: Value) -> dict[str, Any]:
    """Return the fields of a convolution."""
    if x.rank != w.rank or x.rank < 3:  # noqa: PLR2004 (batch, channels, and one more)
        raise ModelError(
            "needs input and filter of as many dimensions, at least 3",
            given=f"{list(x.shape)} and {list(w.shape)}",
        )
    windows = windows_of(node, x.shape[2:], w.shape[2:])
    return {
        "strides": windows.strides,
        "dilations": windows.dilations,
        "start_padding": windows.start,
        "end_padding": windows.end,
        "group_count": node.attribute("group", 1),
    }


@handler("ConvInteger", since=10)
def integer_convolution(node: Node) -> Value:
    """ConvInteger: CONVOLUTION_INTEGER."""
    x, w = node.value(0), node.value(1)
    result = functions.convolution_integer(
        node.expression(0),
        node.expression(1),
        _of_rows(node, 2, 1),
        _of_rows(node, 3, w.shape[0]),
        **_geometry(node, x, w),
    )
    return Value(result)


@handler("QLinearConv", since=10)
def quantized_convolution(node: Node) -> Value:
    """QLinearConv: QUANTIZED_LINEAR_CONVOLUTION."""
    x, w = node.value(0), node.value(3)
    fields = _geometry(node, x, w)
    channels = w.shape[0]
    bias = _of_rows(node, 8, channels)
    if bias is not None:
        bias = viewed(bias, (1, channels, *(1,) * (x.rank - 2)))
    parameters = {k: _of_rows(node, k, channels if k in (4, 5) else 1) for k in (1, 2, 4, 5, 6, 7)}
    scales = {k: parameters[k] for k in (1, 4, 6)}
    given = [scale for scale in scales.values() if scale is not None]
    assert len(given) == len(scales)  # noqa: S101 (the schema has them)
    x_scale, w_scale, y_scale = given
    result = functions.quantized_linear_convolution(
        node.expression(0), x_scale, node.expression(3), w_scale, y_scale,
        parameters[2], parameters[5], bias, parameters[7],
        output_dtype=node.value(7).dtype, **fields,
    )  # fmt: skip
    return Value(result)
