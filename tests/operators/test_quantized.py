"""Quantized operators by Python's integers, and against ONNX Runtime."""

import itertools

import numpy as np
import pytest

import indirectml as dml
from indirectml import TensorDataType
from tests.arithmetic import loops, products
from tests.operators import oracle
from tests.operators.elsewhere import computed, normal, onnx_runtime
from tests.operators.families import Trial, of_field, places, run_oracle
from tests.operators.windows import counted, geometries, image_sizes

ORACLES = {}
FLOAT32, INT8, UINT8, INT32 = (TensorDataType[n] for n in ("FLOAT32", "INT8", "UINT8", "INT32"))

#: Scales, among them some that give ties, overflow, and no number at all.
SCALES = np.array([1, 0.5, 0.25, 2, 0.3, 1.7, 100, 1e-3, 1e30, np.inf, 0, np.nan, -0.5])
NEAR = np.array([0.5, 0.02, 0.3, 1, 0.007])
single, divided = loops.single, loops.divided


def limits(dtype):
    """Return the lowest and the highest integer."""
    found = np.iinfo(dtype)
    return int(found.min), int(found.max)


def quantized(x, scale, zero, dtype):
    """Return a number as an integer."""
    return loops.quantized(single(divided(single(x), scale)), zero, limits(dtype))


def dequantized(x, scale, zero):
    """Return an integer as a number of FLOAT32."""
    return single(single(int(x) - int(zero)) * scale)


def each(function, dtype, sizes, *arrays):
    """Return a function of numbers of arrays that repeat to sizes; of None it is 0."""
    arrays = [np.zeros((), np.int8) if a is None else a for a in arrays]
    flat = [np.broadcast_to(a, sizes).ravel().tolist() for a in arrays]
    values = [function(*numbers) for numbers in zip(*flat, strict=True)]
    return oracle.quiet(np.array(values).astype(dtype).reshape(sizes))


def repeated(sizes):
    """Return sizes that repeat to these."""
    return [list(sizes), [1] * len(sizes), [*sizes[:-1], 1]]


def quantize_linear(place):
    for number, output in enumerate((UINT8, INT8)):
        sizes = place.sizes
        zero = place.tensor(sizes, output) if number == 0 else None
        desc = place.desc(
            input_tensor=place.tensor(), scale_tensor=place.tensor(sizes, scale_type(place)),
            zero_point_tensor=zero, output_tensor=place.output(sizes, output),
        )  # fmt: skip

        def function(x, scale, zero, output=output):
            return each(
                lambda v, s, z: quantized(v, s, z, output.dtype), output.dtype, x.shape, x, scale,
                zero,
            )  # fmt: skip

        with np.errstate(over="ignore"):
            scales = SCALES.astype(scale_type(place).dtype)
        ties = np.arange(-9, 9) if place.dtype.kind != "f" else np.arange(-9, 9) / 2
        yield Trial(desc, function, [None, scales, None])
        yield Trial(desc, function, [ties, np.array([1, 0.5]), None])


def scale_type(place):
    """Return the data type of scales: that of the input if it is one of floats."""
    return place.data_type if place.dtype.kind == "f" else FLOAT32


def dequantize_linear(place):
    for scale, has_zero in itertools.product(("FLOAT32", "FLOAT16"), (True, False)):
        output = TensorDataType[scale]
        desc = place.desc(
            input_tensor=place.tensor(), scale_tensor=place.tensor(place.sizes, output),
            zero_point_tensor=place.tensor() if has_zero else None,
            output_tensor=place.output(place.sizes, output),
        )  # fmt: skip

        def function(x, scale, zero):
            return each(dequantized, scale.dtype, x.shape, x, scale, zero)

        yield Trial(desc, function)


ORACLES["ELEMENT_WISE_QUANTIZE_LINEAR"] = quantize_linear
ORACLES["ELEMENT_WISE_DEQUANTIZE_LINEAR"] = dequantize_linear


@of_field("ATensor")
def quantized_linear_add(place):
    for sizes, has_zeros in itertools.product(repeated(place.sizes), (True, False)):
        zero = place.tensor(sizes) if has_zeros else None
        scale = place.tensor(sizes, FLOAT32)
        desc = place.desc(
            a_tensor=place.tensor(), a_scale_tensor=scale, a_zero_point_tensor=zero,
            b_tensor=place.tensor(), b_scale_tensor=scale, b_zero_point_tensor=zero,
            output_scale_tensor=scale, output_zero_point_tensor=zero,
            output_tensor=place.output(),
        )  # fmt: skip

        def total(a, a_scale, a_zero, b, b_scale, b_zero, scale, zero):
            value = single(dequantized(a, a_scale, a_zero) + dequantized(b, b_scale, b_zero))
            return quantized(value, scale, zero, place.dtype)

        def function(*arrays):
            return each(total, place.dtype, arrays[0].shape, *arrays)

        yield Trial(desc, function, [None, SCALES, None, None, SCALES, None, SCALES, None])
        yield Trial(desc, function, [None, NEAR, None, None, NEAR, None, NEAR, None])


ORACLES["ELEMENT_WISE_QUANTIZED_LINEAR_ADD"] = quantized_linear_add


def dynamic_quantize_linear(place):
    one = [1] * place.rank
    numbers = [None, np.array([1, 2.5, 7]), np.array([-3, -0.5]), np.array([-1.5, 0.1, 4, 0.7]),
               np.zeros(1)]  # fmt: skip
    for output, given in itertools.product((UINT8, INT8), numbers):
        desc = place.desc(
            input_tensor=place.tensor(), output_tensor=place.output(data_type=output),
            output_scale_tensor=place.output(one, FLOAT32),
            output_zero_point_tensor=place.output(one, output),
        )  # fmt: skip

        def function(x, output=output):
            low, high = limits(output.dtype)
            elements = [*x.ravel().tolist()]
            largest, smallest = loops.largest(elements), loops.smallest(elements)
            largest = 0.0 if largest < 0 else largest
            smallest = 0.0 if smallest > 0 else smallest
            scale = single(divided(single(largest - smallest), high - low))
            scale = 1.0 if scale == 0 else scale
            middle = single(low - single(divided(smallest, scale)))
            zero = low if middle != middle else loops.quantized(middle, 0, (low, high))  # noqa: PLR0124
            integers = [quantized(v, scale, zero, output.dtype) for v in elements]
            return [
                np.array(integers, output.dtype).reshape(x.shape),
                oracle.quiet(np.full(one, scale, np.float32)),
                np.full(one, zero, output.dtype),
            ]

        yield Trial(desc, function, [given])


ORACLES["DYNAMIC_QUANTIZE_LINEAR"] = dynamic_quantize_linear


# ---- Products ------------------------------------------------------------------------------------


def matrix_sizes(rank):
    """Return the sizes of two matrices and of their product."""
    batch = (2, 3)[: rank - 2]
    return (*batch, 3, 19), (*batch, 19, 4), (*batch, 3, 4)


def along(rank, count, axis):
    """Return sizes with so many numbers along an axis, from the last one."""
    return [count if k == rank - axis else 1 for k in range(rank)]


def product_of(a, a_zero, b, b_zero):
    """Return the product of matrices less their zero points, modulo 2^32, by Python's integers."""
    left, right = (m.astype(object) for m in (a, b))
    left = left - (0 if a_zero is None else a_zero.astype(object).reshape(-1, 1))
    right = right - (0 if b_zero is None else b_zero.astype(object).reshape(1, -1))
    total = np.matmul(left, right)
    return np.array([int(v) % 2**32 for v in total.ravel()], np.uint32).view(np.int32).reshape(
        total.shape
    )  # fmt: skip


def matrix_trials(place, *, scales, bias, output_types, second=(None,)):
    """Yield descriptors of the three products of matrices, and of which data types."""
    a, b, out = matrix_sizes(place.rank)
    for (per, has_zero), other, output in itertools.product(
        ((True, True), (False, True), (False, False)), second, output_types
    ):
        rows = along(place.rank, a[-2] if per else 1, 2)
        columns = along(place.rank, b[-1] if per else 1, 1)
        fields = {
            "a_tensor": place.tensor(a), "b_tensor": place.tensor(b, other),
            "output_tensor": place.output(out, output),
        }  # fmt: skip
        if has_zero:
            fields["a_zero_point_tensor"] = place.tensor(rows)
            fields["b_zero_point_tensor"] = place.tensor(columns, other)
        if scales:
            scale = output if bias else FLOAT32
            fields["a_scale_tensor"] = place.tensor(rows, scale)
            fields["b_scale_tensor"] = place.tensor(columns, scale)
        if bias and per:
            fields["bias_tensor"] = place.tensor(out, output)
        if scales and not bias:
            fields["output_scale_tensor"] = place.tensor(rows, FLOAT32)
            if has_zero:
                fields["output_zero_point_tensor"] = place.tensor(rows, output)
        yield place.desc(**fields), output


@of_field("ATensor")
def matrix_multiply_integer(place):
    for desc, _ in matrix_trials(place, scales=False, bias=False, output_types=(INT32,),
                                 second=(INT8, UINT8)):  # fmt: skip
        yield Trial(desc, product_of)


@of_field("ATensor")
def matrix_multiply_integer_to_float(place):
    types = (FLOAT32, TensorDataType.FLOAT16)
    for desc, output in matrix_trials(place, scales=True, bias=True, output_types=types):

        def function(a, a_scale, a_zero, b, b_scale, b_zero, bias, output=output):
            total = product_of(a, a_zero, b, b_zero)

            def formula(t, left, right, *added):
                result = single(single(t) * single(left * right))
                return single(result + added[0]) if added else result

            added = [] if bias is None else [bias]
            factors = a_scale.reshape(-1, 1), b_scale.reshape(1, -1)
            return each(formula, output.dtype, total.shape, total, *factors, *added)

        yield Trial(desc, function)


@of_field("ATensor")
def quantized_linear_matrix_multiply(place):
    for desc, output in matrix_trials(place, scales=True, bias=False, output_types=(INT8, UINT8),
                                      second=(INT8, UINT8)):  # fmt: skip

        def function(a, a_scale, a_zero, b, b_scale, b_zero, scale, zero, output=output):
            total = product_of(a, a_zero, b, b_zero)
            rows = [None if r is None else r.reshape(-1, 1) for r in (a_scale, scale, zero)]
            return each(
                lambda t, left, right, s, z: requantized(t, left, right, s, z, output.dtype),
                output.dtype, total.shape, total, rows[0], b_scale.reshape(1, -1), *rows[1:],
            )  # fmt: skip

        kinds = [None, NEAR, None, None, NEAR, None, np.array([3.0, 0.7, 20]), None]
        yield Trial(desc, function, kinds)
        yield Trial(desc, function, [None, SCALES, None, None, SCALES, None, SCALES, None])


def requantized(total, left, right, scale, zero, dtype):
    """Return an exact sum of products as an integer of another scale."""
    factor = single(divided(single(left * right), scale))
    return loops.quantized(single(single(total) * factor), int(zero), limits(dtype))


ORACLES["MATRIX_MULTIPLY_INTEGER"] = matrix_multiply_integer
ORACLES["MATRIX_MULTIPLY_INTEGER_TO_FLOAT"] = matrix_multiply_integer_to_float
ORACLES["QUANTIZED_LINEAR_MATRIX_MULTIPLY"] = quantized_linear_matrix_multiply


# ---- Windows -------------------------------------------------------------------------------------


def images(place):
    """Yield sizes of input, filter and output, and fields, of convolutions of integers."""
    sizes, axes = image_sizes(place.rank), place.rank - 2
    for taps, strides, dilations, start, end, groups in (
        ((2, 3), (1, 1), (1, 1), (0, 0), (0, 0), 1),
        ((3, 2), (2, 3), (1, 2), (1, 0), (2, 1), 3),
    ):
        taps, *arrays = (numbers[-axes:] for numbers in (taps, strides, dilations, start, end))  # noqa: PLW2901
        spatial = [
            counted(n, k, s, d, before, after)
            for n, k, s, d, before, after in zip(sizes[2:], taps, *arrays, strict=True)
        ]
        names = ("strides", "dilations", "start_padding", "end_padding")
        fields = dict(zip(names, arrays, strict=True)) | {"group_count": groups}
        filters = (2 * groups, sizes[1] // groups, *taps)
        yield sizes, filters, (sizes[0], filters[0], *spatial), fields


def convolved(x, x_zero, w, w_zero, out, fields):
    """Return a convolution of integers less their zero points."""
    options = fields | {"mode": "cross_correlation", "direction": "forward"}
    zero = 0 if x_zero is None else int(x_zero.reshape(-1)[0])
    zeros = 0 if w_zero is None else w_zero.astype(np.int64).reshape(-1)
    return products.convolve_integer(x, w, zero, zeros, out, options)


def convolution_integer(place):
    rank = place.rank
    for (sizes, filters, out, fields), other in itertools.product(images(place), (INT8, UINT8)):
        for per in (True, False, None):
            zeros = {}
            if per is not None:
                zeros["input_zero_point_tensor"] = place.tensor([1] * rank)
                count = along(rank, filters[0] if per else 1, rank - 1)
                zeros["filter_zero_point_tensor"] = place.tensor(count, other)
            desc = place.desc(
                input_tensor=place.tensor(sizes), filter_tensor=place.tensor(filters, other),
                output_tensor=place.output(out, INT32), **zeros, **fields,
            )  # fmt: skip

            def function(x, x_zero, w, w_zero, out=out, fields=fields):
                return convolved(x, x_zero, w, w_zero, out, fields)

            yield Trial(desc, function)


def quantized_linear_convolution(place):
    rank, kinds = place.rank, itertools.product((INT8, UINT8), (True, False))
    for (sizes, filters, out, fields), (other, per) in itertools.product(images(place), kinds):
        count = along(rank, filters[0] if per else 1, rank - 1)
        one, zeros = [1] * rank, {}
        if per:
            zeros = {
                "input_zero_point_tensor": place.tensor(one),
                "filter_zero_point_tensor": place.tensor(count, other),
                "output_zero_point_tensor": place.tensor(one, other),
                "bias_tensor": place.tensor(along(rank, filters[0], rank - 1), INT32),
            }
        desc = place.desc(
            input_tensor=place.tensor(sizes), input_scale_tensor=place.tensor(one, FLOAT32),
            filter_tensor=place.tensor(filters, other),
            filter_scale_tensor=place.tensor(count, FLOAT32),
            output_scale_tensor=place.tensor(one, FLOAT32),
            output_tensor=place.output(out, other), **zeros, **fields,
        )  # fmt: skip

        def function(*inputs, out=out, fields=fields, other=other):
            x, x_scale, x_zero, w, w_scale, w_zero, bias, scale, zero = inputs
            total = convolved(x, x_zero, w, w_zero, out, fields)
            shape = (1, -1, *[1] * (len(out) - 2))
            if bias is not None:
                total = (total + bias.astype(np.int64).reshape(shape)).astype(np.int32)
            return each(
                lambda t, left, right, s, z: requantized(t, left, right, s, z, other.dtype),
                other.dtype, out, total, x_scale, w_scale.reshape(shape), scale, zero,
            )  # fmt: skip

        small = np.array([-900, -7, 0, 5, 1234, 2**31 - 1])
        yield Trial(desc, function, [None, NEAR, None, None, NEAR, None, small, np.array([3.0]),
                                     None])  # fmt: skip


ORACLES["CONVOLUTION_INTEGER"] = convolution_integer
ORACLES["QUANTIZED_LINEAR_CONVOLUTION"] = quantized_linear_convolution


def quantized_linear_average_pooling(place):
    sizes, rank = image_sizes(place.rank), place.rank
    for number, (windows, geometry) in enumerate(geometries(rank - 2)):
        include_padding, per_channel = number % 2 == 1, number % 3 != 1
        one = along(rank, sizes[1] if per_channel else 1, rank - 1)
        output = (INT8, UINT8)[number % 2]
        zeros = {}
        if number % 3 != 2:
            zeros["input_zero_point_tensor"] = place.tensor(one)
            zeros["output_zero_point_tensor"] = place.tensor(one, output)
        out = (*sizes[:2], *windows.output_sizes(sizes))
        desc = place.desc(
            input_tensor=place.tensor(sizes), input_scale_tensor=place.tensor(one, FLOAT32),
            output_scale_tensor=place.tensor(one, FLOAT32),
            output_tensor=place.output(out, output), **zeros, **geometry,
            include_padding=include_padding,
        )  # fmt: skip

        def function(x, x_scale, x_zero, scale, zero, windows=windows, out=out, output=output,
                     include_padding=include_padding):  # fmt: skip
            numbers = each(dequantized, np.float32, x.shape, x, x_scale, x_zero)
            averages = loops.pooled(
                lambda window: single(loops.average(window, include_padding=include_padding)),
                numbers, windows,
            )  # fmt: skip
            return each(
                lambda v, s, z: quantized(v, s, z, output.dtype), output.dtype, out, averages,
                scale, zero,
            )  # fmt: skip

        yield Trial(desc, function, [None, NEAR, None, NEAR, None])


ORACLES["QUANTIZED_LINEAR_AVERAGE_POOLING"] = quantized_linear_average_pooling


@places(ORACLES)
def test_equals_its_oracle(place):
    run_oracle(ORACLES, place)


# ---- Second opinions -----------------------------------------------------------------------------


def integers(dtype, *sizes, seed=1):
    return np.random.default_rng(seed).integers(*limits(dtype), sizes, dtype, endpoint=True)


@pytest.mark.parametrize("dtype", [np.int8, np.uint8])
def test_quantization_is_that_of_onnx_runtime(dtype):
    x, scale, zero = normal(40) * 9, np.float32([0.25]), np.array([3], dtype)

    (wanted,) = onnx_runtime("QuantizeLinear", [x, scale.reshape(()), zero.reshape(())])
    (actual,) = computed("ELEMENT_WISE_QUANTIZE_LINEAR", [x, scale.repeat(40), zero.repeat(40)],
                         [(dtype, (40,))])  # fmt: skip
    np.testing.assert_array_equal(actual, wanted)

    (wanted,) = onnx_runtime("DequantizeLinear", [actual, scale.reshape(()), zero.reshape(())])
    (actual,) = computed(
        "ELEMENT_WISE_DEQUANTIZE_LINEAR", [actual, scale.repeat(40), zero.repeat(40)],
        [(np.float32, (40,))],
    )  # fmt: skip
    oracle.assert_bits_equal(actual=actual, expected=wanted)


@pytest.mark.parametrize("shift", [-9, -1, 0, 1, 9])
def test_dynamic_quantization_is_that_of_onnx_runtime(shift):
    x = normal(60) + np.float32(shift)

    wanted = onnx_runtime("DynamicQuantizeLinear", [x], 3)
    actual = computed("DYNAMIC_QUANTIZE_LINEAR", [x],
                      [(np.uint8, (60,)), (np.float32, (1,)), (np.uint8, (1,))])  # fmt: skip

    for found, other in zip(actual, wanted, strict=True):
        np.testing.assert_array_equal(found.reshape(other.shape), other)


def test_integer_products_are_those_of_onnx_runtime():
    # Of 7 bits: where there is no VNNI, ONNX Runtime's sums of two products saturate.
    a, b = integers(np.uint8, 5, 70), integers(np.int8, 70, 6) >> 1
    a_zero, b_zero = np.array([[9]], np.uint8), np.array([[-3]], np.int8)

    (wanted,) = onnx_runtime("MatMulInteger", [a, b, a_zero.reshape(()), b_zero.reshape(())])
    (actual,) = computed("MATRIX_MULTIPLY_INTEGER", [a, a_zero, b, b_zero], [(np.int32, (5, 6))])

    np.testing.assert_array_equal(actual, wanted)


def test_integer_convolution_is_that_of_onnx_runtime():
    x, w = integers(np.uint8, 1, 4, 6, 7), integers(np.uint8, 6, 2, 3, 2)
    zeros = np.full((1, 1, 1, 1), 100, np.uint8), np.full((1, 1, 1, 1), 77, np.uint8)

    (wanted,) = onnx_runtime("ConvInteger", [x, w, *(z.reshape(()) for z in zeros)],
                             pads=(1, 0, 2, 1), strides=(2, 1), group=2)  # fmt: skip
    (actual,) = computed("CONVOLUTION_INTEGER", [x, zeros[0], w, zeros[1]],
                         [(np.int32, wanted.shape)], start_padding=(1, 0), end_padding=(2, 1),
                         strides=(2, 1), group_count=2)  # fmt: skip

    np.testing.assert_array_equal(actual, wanted)


def test_refuses_scales_that_fit_nothing():
    x, scale = integers(np.uint8, 1, 3, 4, 4), np.ones((1, 2, 1, 1), np.float32)

    with pytest.raises(dml.DirectMLError, match=r"input_scale_tensor\.sizes: needs 1 element, or"):
        computed("QUANTIZED_LINEAR_AVERAGE_POOLING", [x, scale, None, scale, None],
                 [(np.uint8, (1, 3, 4, 4))], strides=(1, 1), window_size=(1, 1))  # fmt: skip
