"""Numbers as small integers, and products of them.

An integer stands for (integer - zero point) * scale. Scales are FLOAT32; FLOAT16 is widened. Scale
and zero-point tensors repeat along dimensions of size 1; a zero point that is left out is 0.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from indirectml.arithmetic import quantization as words
from indirectml.arithmetic.basics import Array
from indirectml.arithmetic.contraction import contract_integer, contract_wide_integer
from indirectml.arithmetic.convolution import convolve_integer
from indirectml.arithmetic.windows import average_pool
from indirectml.catalogue.enumerations import (
    ConvolutionDirection,
    ConvolutionMode,
    QuantizationType,
)
from indirectml.core.errors import DescriptorError, DirectMLError
from indirectml.descriptors.definitions import operator
from indirectml.graphs.outputs import DynamicQuantizeLinearOutputs
from indirectml.operators.convolution import check_geometry, geometry
from indirectml.operators.pooling import check_windows, pooled_sizes, window_of

Shape = tuple[int, ...]
Integers = Sequence[int]
DType = np.dtype[Any]


def limits(dtype: DType) -> tuple[int, int]:
    """Return the lowest and the highest integer of a data type."""
    found = np.iinfo(dtype)
    return int(found.min), int(found.max)


def _zero(zero_point: Array | None) -> Array | int:
    return 0 if zero_point is None else zero_point


def _row(zero_point: Array | None) -> Array | int:
    """Return zero points one behind the other."""
    return 0 if zero_point is None else zero_point.reshape(-1)


@operator("ELEMENT_WISE_QUANTIZE_LINEAR", "quantize_linear", output_dtype=np.uint8)
def quantized(x: Array, scale: Array, zero_point: Array | None, *, dtype: DType) -> Array:
    """Output = clamp(round(Input / Scale) + ZeroPoint).

    The quotient is FLOAT32, rounded to the nearest integer, ties to even; the zero point is added
    exactly, and the sum stays within the data type. A NaN gives the zero point. INT32 inputs are
    rounded to FLOAT32 first.

    Example: float32 [-1, 0.5, 1.5], [1, 1, 1], uint8 [10, 10, 10] -> uint8 [9, 10, 12]
    """
    return words.quantize(x, scale, _zero(zero_point), limits(dtype))


@operator("ELEMENT_WISE_DEQUANTIZE_LINEAR", "dequantize_linear")
def dequantized(x: Array, scale: Array, zero_point: Array | None) -> Array:
    """Output = (Input - ZeroPoint) * Scale.

    The difference is exact; it is rounded to FLOAT32, and so is the product.

    Example: uint8 [9, 10, 12], float32 [2, 2, 2], uint8 [10, 10, 10] -> float32 [-2, 0, 4]
    """
    return words.dequantize(x, scale, _zero(zero_point))


def _repeatable(desc: Any) -> Iterator[DirectMLError]:
    if desc.b_tensor.sizes != desc.a_tensor.sizes:
        yield DescriptorError(
            f"needs the sizes of A, {desc.a_tensor.sizes}",
            given=f"{desc.b_tensor.sizes}",
            field="b_tensor.sizes",
        )
    for name, tensor in desc.tensors("input_tensor"):
        if tensor is None or name in ("a_tensor", "b_tensor"):
            continue
        pairs = zip(tensor.sizes, desc.a_tensor.sizes, strict=True)
        if any(own not in (1, size) for own, size in pairs):
            yield DescriptorError(
                f"needs sizes that repeat to those of A, {desc.a_tensor.sizes}: 1 or the same",
                given=f"{tensor.sizes}",
                field=f"{name}.sizes",
            )


def _first(a_sizes: Shape, *_: Shape | None) -> Shape:
    """The sizes of A."""
    return a_sizes


@operator("ELEMENT_WISE_QUANTIZED_LINEAR_ADD", "quantized_linear_add", sizes=_first,
          check=_repeatable, output_dtype=np.uint8)  # fmt: skip
def quantized_sum(
    a: Array,
    a_scale: Array,
    a_zero: Array | None,
    b: Array,
    b_scale: Array,
    b_zero: Array | None,
    scale: Array,
    zero: Array | None,
    *,
    dtype: DType,
) -> Array:
    """Output = Quantize(Dequantize(A) + Dequantize(B)).

    As ELEMENT_WISE_DEQUANTIZE_LINEAR, the FLOAT32 sum, and ELEMENT_WISE_QUANTIZE_LINEAR.

    Example: uint8 [3], float32 [2], None, uint8 [4], float32 [1], None, float32 [5], None
        -> uint8 [2]
    """
    total = words.dequantize(a, a_scale, _zero(a_zero)) + words.dequantize(
        b, b_scale, _zero(b_zero)
    )
    return words.quantize(total, scale, _zero(zero), limits(dtype))


def _scalars(input_sizes: Shape) -> tuple[Shape, Shape, Shape]:
    """The input's sizes, and one element each for scale and zero point."""
    one = (1,) * len(input_sizes)
    return input_sizes, one, one


@operator("DYNAMIC_QUANTIZE_LINEAR", "dynamic_quantize_linear", sizes=_scalars,
          outputs=DynamicQuantizeLinearOutputs, output_dtype=np.uint8)  # fmt: skip
def dynamically_quantized(x: Array, *, dtype: DType) -> tuple[Array, Array, Array]:
    """Outputs = Input as integers, the scale that lets all of it fit, and the zero point.

    low = min(0, the smallest), high = max(0, the largest); scale = (high - low) / (the range of the
    data type), or 1 where that is 0; zero point = round(lowest - low / scale), clamped. FLOAT32,
    rounded after each operation; integers to the nearest, ties to even.

    The page is silent: a range of zero, and the rounding; ONNX's DynamicQuantizeLinear decides.

    Example: float32 [0, 127.5] -> uint8 [0, 255], float32 [0.5], uint8 [0]
    """
    found = words.dynamic_quantization(x, limits(dtype))
    integers = words.quantize(x, found.scale, found.zero_point, limits(dtype))
    one = (1,) * x.ndim
    return integers, found.scale.reshape(one), found.zero_point.reshape(one)


def _check_product(desc: Any) -> Iterator[DirectMLError]:
    a, b = desc.a_tensor.sizes, desc.b_tensor.sizes
    if a[:-2] != b[:-2] or a[-1] != b[-2]:
        yield DescriptorError(
            f"needs {[*a[:-2], a[-1]]} and a column count", given=f"{b}", field="b_tensor.sizes"
        )
    for name in ("a_scale_tensor", "a_zero_point_tensor"):
        yield from _along(desc, name, a[-2], "row of A")
    for name in ("b_scale_tensor", "b_zero_point_tensor"):
        yield from _along(desc, name, b[-1], "column of B")
    for name in ("output_scale_tensor", "output_zero_point_tensor"):
        yield from _along(desc, name, a[-2], "row")


def _along(desc: Any, name: str, count: int, noun: str) -> Iterator[DirectMLError]:
    tensor = getattr(desc, name, None)
    if tensor is not None and tensor.element_count not in (1, count):
        yield DescriptorError(
            f"needs 1 element, or one per {noun} ({count})",
            given=f"{tensor.sizes}",
            field=f"{name}.sizes",
        )


def _rows(tensor: Array | None) -> Any:
    """Return numbers per row: one element, or a column of them."""
    if tensor is None:
        return 0
    return tensor.reshape(-1, 1) if tensor.size > 1 else tensor.reshape(-1)[0]


def _first_of(zero_point: Array | None) -> Any:
    """Return a zero point of one element."""
    return 0 if zero_point is None else zero_point.reshape(-1)[0]


def _columns(tensor: Array | None) -> Any:
    """Return numbers per column: one element, or a row of them."""
    if tensor is None:
        return 0
    return tensor.reshape(-1) if tensor.size > 1 else tensor.reshape(-1)[0]


def _integer_product(a: Array, a_zero: Array | None, b: Array, b_zero: Array | None) -> Array:
    word = contract_integer if a.dtype.itemsize == 1 else contract_wide_integer
    return word(a, b, _row(a_zero), _row(b_zero))


def _product(a_sizes: Shape, b_sizes: Shape) -> Shape:
    return (*a_sizes[:-1], b_sizes[-1])


def _integer_sizes(a_sizes: Shape, _: Shape | None, b_sizes: Shape, *__: Shape | None) -> Shape:
    """The rows of A and the columns of B."""
    return _product(a_sizes, b_sizes)


def _scaled_sizes(
    a_sizes: Shape, _: Shape, __: Shape | None, b_sizes: Shape, *___: Shape | None
) -> Shape:
    """The rows of A and the columns of B."""
    return _product(a_sizes, b_sizes)


@operator("MATRIX_MULTIPLY_INTEGER", "matrix_multiply_integer", sizes=_integer_sizes,
          check=_check_product)  # fmt: skip
def integer_product(a: Array, a_zero: Array | None, b: Array, b_zero: Array | None) -> Array:
    """Output = (A - AZeroPoint) (B - BZeroPoint), for each pair of matrices.

    Exact in INT32, modulo 2^32. Zero points are one element, or one per row of A and column of B.

    Example: uint8 [[1, 2]], [[1]], uint8 [[3], [4]], None -> int32 [[4]]
    """
    return _integer_product(a, a_zero, b, b_zero)


@operator("QUANTIZED_LINEAR_MATRIX_MULTIPLY", "quantized_linear_matrix_multiply",
          sizes=_scaled_sizes, check=_check_product, output_dtype=np.uint8)  # fmt: skip
def quantized_product(
    a: Array,
    a_scale: Array,
    a_zero: Array | None,
    b: Array,
    b_scale: Array,
    b_zero: Array | None,
    scale: Array,
    zero: Array | None,
    *,
    dtype: DType,
) -> Array:
    """Output = Quantize(Dequantize(A) Dequantize(B)).

    The product of integers is exact in INT32; FLOAT32(product) * ((AScale * BScale) / OutputScale),
    each operation rounded, then as ELEMENT_WISE_QUANTIZE_LINEAR.

    Example: uint8 [[1, 2]], float32 [[1]], None, uint8 [[3], [4]], float32 [[2]], None,
        float32 [[2]], None -> uint8 [[11]]
    """
    total = _integer_product(a, a_zero, b, b_zero)
    return words.requantize(
        total, _rows(a_scale), _columns(b_scale), _rows(scale), _rows(zero), limits(dtype)
    )


@operator("MATRIX_MULTIPLY_INTEGER_TO_FLOAT", "matrix_multiply_integer_to_float",
          sizes=_scaled_sizes, check=_check_product)  # fmt: skip
def scaled_product(
    a: Array,
    a_scale: Array,
    a_zero: Array | None,
    b: Array,
    b_scale: Array,
    b_zero: Array | None,
    bias: Array | None,
) -> Array:
    """Output = Dequantize(A) Dequantize(B) + Bias.

    The product of integers is exact in INT32, modulo 2^32; FLOAT32(product) * (AScale * BScale),
    + Bias, each operation rounded, and one rounding to the output's data type.

    Example: uint8 [[1, 2]], float32 [[1]], None, uint8 [[3], [4]], float32 [[2]], None,
        float32 [[0.5]] -> float32 [[22.5]]
    """
    total = _integer_product(a, a_zero, b, b_zero)
    result = total.astype(np.float32) * (_rows(a_scale) * _columns(b_scale))
    return result if bias is None else result + bias


def _convolved(input_sizes: Shape, filter_sizes: Shape, fields: dict[str, Any]) -> Shape:
    found = geometry(
        ConvolutionMode.CROSS_CORRELATION,
        ConvolutionDirection.FORWARD,
        output_padding=(0,) * len(fields["strides"]),
        **fields,
    )
    return found.output_sizes(input_sizes, filter_sizes)


def _integer_images(
    input_sizes: Shape, _: Shape | None, filter_sizes: Shape, __: Shape | None, *,
    strides: Integers, dilations: Integers, start_padding: Integers, end_padding: Integers,
    group_count: int,
) -> Shape:  # fmt: skip
    """The input's batch, the filter's output channels, and as many windows as fit."""
    fields = {"strides": strides, "dilations": dilations, "start_padding": start_padding,
              "end_padding": end_padding, "group_count": group_count}  # fmt: skip
    return _convolved(input_sizes, filter_sizes, fields)


def _quantized_images(
    input_sizes: Shape, _: Shape, __: Shape | None, filter_sizes: Shape, *___: Shape | None,
    strides: Integers, dilations: Integers, start_padding: Integers, end_padding: Integers,
    group_count: int,
) -> Shape:  # fmt: skip
    """The input's batch, the filter's output channels, and as many windows as fit."""
    fields = {"strides": strides, "dilations": dilations, "start_padding": start_padding,
              "end_padding": end_padding, "group_count": group_count}  # fmt: skip
    return _convolved(input_sizes, filter_sizes, fields)


_ARRAYS = ("strides", "dilations", "start_padding", "end_padding")
_GEOMETRY: dict[str, Any] = dict.fromkeys(_ARRAYS, ()) | {"group_count": 1}


def _check_images(desc: Any) -> Iterator[DirectMLError]:
    yield from check_geometry(desc, _ARRAYS)
    channels = desc.filter_tensor.sizes[0]
    for name in ("input_scale_tensor", "input_zero_point_tensor", "output_scale_tensor",
                 "output_zero_point_tensor"):  # fmt: skip
        yield from _along(desc, name, 1, "tensor")
    for name in ("filter_scale_tensor", "filter_zero_point_tensor", "bias_tensor"):
        yield from _along(desc, name, channels, "output channel")


@operator("CONVOLUTION_INTEGER", "convolution_integer", sizes=_integer_images,
          check=_check_images, defaults=_GEOMETRY, sizes_given="output_sizes",
          order=("input_tensor", "filter_tensor"))  # fmt: skip
def integer_convolution(
    x: Array, x_zero: Array | None, w: Array, w_zero: Array | None, *,
    strides: Integers, dilations: Integers, start_padding: Integers, end_padding: Integers,
    group_count: int,
) -> Array:  # fmt: skip
    """Output = the convolution of Input - InputZeroPoint with Filter - FilterZeroPoint.

    Exact in INT32, modulo 2^32. Padding has the input's zero point, so that it counts nothing. The
    filter's zero point is one element, or one per output channel. A cross-correlation, as
    CONVOLUTION forwards.

    Example: uint8 [[[1, 2, 3]]], [[[1]]], uint8 [[[1, 10]]], None -> int32 [[[10, 21]]]
    """
    return _integers_convolved(x, x_zero, w, w_zero, strides, dilations, start_padding,
                               end_padding, group_count)  # fmt: skip


def _integers_convolved(
    x: Array, x_zero: Array | None, w: Array, w_zero: Array | None, strides: Integers,
    dilations: Integers, start: Integers, end: Integers, groups: int,
) -> Array:  # fmt: skip
    return convolve_integer(
        x,
        w,
        _row(x_zero),
        _row(w_zero),
        strides=tuple(strides),
        dilations=tuple(dilations),
        start_padding=tuple(start),
        end_padding=tuple(end),
        group_count=groups,
    )


@operator("QUANTIZED_LINEAR_CONVOLUTION", "quantized_linear_convolution", sizes=_quantized_images,
          check=_check_images, defaults=_GEOMETRY, output_dtype=np.uint8,
          sizes_given="output_sizes",
          order=("input_tensor", "input_scale_tensor", "filter_tensor", "filter_scale_tensor",
                 "output_scale_tensor", "output_dtype"))  # fmt: skip
def quantized_convolution(
    x: Array, x_scale: Array, x_zero: Array | None, w: Array, w_scale: Array,
    w_zero: Array | None, bias: Array | None, scale: Array, zero: Array | None, *,
    strides: Integers, dilations: Integers, start_padding: Integers, end_padding: Integers,
    group_count: int, dtype: DType,
) -> Array:  # fmt: skip
    """Output = Quantize(Dequantize(Input) * Dequantize(Filter) + Bias).

    As CONVOLUTION_INTEGER; the INT32 bias is added exactly, modulo 2^32; FLOAT32(total) *
    ((InputScale * FilterScale) / OutputScale), each operation rounded, then as
    ELEMENT_WISE_QUANTIZE_LINEAR. The filter's scale is one element, or one per output channel.

    Example: uint8 [[[1, 2, 3]]], float32 [[[1]]], None, uint8 [[[1, 10]]], float32 [[[2]]], None,
        None, float32 [[[2]]], None -> uint8 [[[21, 32]]]
    """
    total = _integers_convolved(x, x_zero, w, w_zero, strides, dilations, start_padding,
                                end_padding, group_count)  # fmt: skip
    channels = (1, -1, *(1,) * (x.ndim - 2))
    if bias is not None:
        total = total + bias.reshape(channels)
    own = w_scale.reshape(channels) if w_scale.size > 1 else w_scale.reshape(-1)[0]
    return words.requantize(
        total, x_scale.reshape(-1)[0], own, scale.reshape(-1)[0], _first_of(zero), limits(dtype)
    )


def _pooled_integers(
    input_sizes: Shape, *_: Shape | None, strides: Integers, window_size: Integers,
    start_padding: Integers, end_padding: Integers, dilations: Integers,
) -> Shape:  # fmt: skip
    """(input + paddings - dilation * (window - 1) - 1) // stride + 1 along a spatial dimension."""
    return pooled_sizes(
        input_sizes,
        strides=strides,
        window_size=window_size,
        start_padding=start_padding,
        end_padding=end_padding,
        dilations=dilations,
    )


def _check_pooling(desc: Any) -> Iterator[DirectMLError]:
    yield from check_windows(desc)
    for name, tensor in desc.tensors("input_tensor")[1:]:
        if tensor is not None:
            yield from _along(desc, name, desc.input_tensor.sizes[1], "channel")


@operator("QUANTIZED_LINEAR_AVERAGE_POOLING", "quantized_linear_average_pooling",
          sizes=_pooled_integers, check=_check_pooling, output_dtype=np.uint8,
          renamed={"window_size": "window_sizes"},
          defaults={"dilations": (), "start_padding": (), "end_padding": (),
                    "include_padding": False})  # fmt: skip
def quantized_average(
    x: Array, x_scale: Array, x_zero: Array | None, scale: Array, zero: Array | None, *,
    strides: Integers, window_size: Integers, start_padding: Integers, end_padding: Integers,
    dilations: Integers, include_padding: bool, dtype: DType,
) -> Array:  # fmt: skip
    """Output = Quantize(the average of Dequantize(Input) over each window).

    The average is that of AVERAGE_POOLING1 of ELEMENT_WISE_DEQUANTIZE_LINEAR, rounded to FLOAT32,
    then ELEMENT_WISE_QUANTIZE_LINEAR; padding is zero. Scales and zero points are one element, or
    one per channel.

    Example: strides=[1, 1], window_size=[1, 2];
        uint8 [[[[2, 4]]]], float32 [[[[0.5]]]], None, float32 [[[[0.5]]]], None -> [[[[3]]]]
    """
    channels = (1, -1, *(1,) * (x.ndim - 2))
    x_start, start = (0 if z is None else z.reshape(channels) for z in (x_zero, zero))
    numbers = words.dequantize(x, x_scale.reshape(channels), x_start)
    window = window_of(strides, window_size, start_padding, end_padding, dilations)
    average = average_pool(numbers, window, include_padding=include_padding).astype(np.float32)
    return words.quantize(average, scale.reshape(channels), start, limits(dtype))


def _check_parameters(desc: Any) -> Iterator[DirectMLError]:
    given, kind = desc.quantization_tensors, desc.quantization_type
    count = _PARAMETER_COUNTS.get(kind, 0)
    if not count:
        raise DescriptorError(
            "needs SCALE or SCALE_ZERO_POINT", given=kind.name, field="quantization_type"
        )
    if len(given) != count:
        nouns = "a scale" if count == 1 else "a scale and a zero point"
        raise DescriptorError(
            f"needs {nouns} for {kind.name}", given=f"{len(given)} tensors",
            field="quantization_tensors",
        )  # fmt: skip
    integers, numbers = desc.input_tensor, desc.output_tensor
    if desc.operator_name == "QUANTIZE":
        integers, numbers = numbers, integers
    for number, (tensor, other) in enumerate(zip(given, (numbers, integers), strict=False)):
        field = f"quantization_tensors[{number}]"
        if tensor.data_type is not other.data_type:
            yield DescriptorError(
                f"needs {other.data_type.name}", given=tensor.data_type.name,
                field=f"{field}.data_type",
            )  # fmt: skip
        if number and tensor.sizes != given[0].sizes:
            yield DescriptorError(
                f"needs the scale's sizes, {given[0].sizes}", given=f"{tensor.sizes}",
                field=f"{field}.sizes",
            )  # fmt: skip
    pairs = zip(given[0].sizes, desc.input_tensor.sizes, strict=True)
    if any(size % own for own, size in pairs):
        yield DescriptorError(
            f"needs sizes that divide the input's, {desc.input_tensor.sizes}",
            given=f"{given[0].sizes}",
            field="quantization_tensors[0].sizes",
        )


_PARAMETER_COUNTS = {QuantizationType.SCALE: 1, QuantizationType.SCALE_ZERO_POINT: 2}


def _spread(parameters: Sequence[Array], sizes: Shape) -> tuple[Array, Array | int]:
    """Return a scale, and a zero point or 0, each element repeated for a block of others."""
    spread = [words.spread(each, sizes) for each in parameters]
    return spread[0], spread[1] if len(spread) > 1 else 0


def _unchanged(input_sizes: Shape, *_: Shape) -> Shape:
    """The input's sizes."""
    return input_sizes


@operator("QUANTIZE", "quantize", sizes=_unchanged, check=_check_parameters, output_dtype=np.uint8,
          renamed={"quantization_tensors": "quantization_parameters"})  # fmt: skip
def block_quantized(x: Array, *parameters: Array, desc: Any) -> Array:
    """Output = clamp(round(Input / Scale) + ZeroPoint), a scale for each block of elements.

    QuantizationTensors are a scale, or a scale and a zero point, by QuantizationType. Each size of
    a scale divides the input's, and its elements repeat in blocks of that quotient. Rounding as
    ELEMENT_WISE_QUANTIZE_LINEAR.

    The page is silent: all of this ("TBD"); ONNX's QuantizeLinear decides, and ONNX Runtime's use
    of the operator.

    Example: quantization_type=SCALE_ZERO_POINT;
        float32 [1, 2, 3, 8], [1, 2], int8 [0, -1] -> int8 [1, 2, 1, 3]
    """
    scale, zero = _spread(parameters, x.shape)
    data_type = desc.output_tensor.data_type
    return words.quantize(x, scale, zero, (data_type.minimum, data_type.maximum))


@operator("DEQUANTIZE", sizes=_unchanged, check=_check_parameters)
def block_dequantized(x: Array, *parameters: Array) -> Array:
    """Output = (Input - ZeroPoint) * Scale, a scale for each block of elements.

    QuantizationTensors as in QUANTIZE, rounding as in ELEMENT_WISE_DEQUANTIZE_LINEAR.

    The page is silent: all of this; ONNX's DequantizeLinear decides, and ONNX Runtime's use of the
    operator.

    Example: quantization_type=SCALE; int8 [1, 2, 3, 4], float32 [1, 0.5] -> float32 [1, 2, 1.5, 2]
    Example: quantization_type=SCALE_ZERO_POINT;
        uint8 [[1, 2], [3, 4]], float32 [[1], [0.5]], uint8 [[1], [2]]
        -> float32 [[0, 1], [0.5, 1]]
    """
    if x.dtype.itemsize == 1:
        return words.dequantize_blocks(x, *parameters)
    scale, zero = _spread(parameters, x.shape)
    return words.dequantize(x, scale, zero)
