"""Element-wise operators of one input against Python's numbers."""

import math
from fractions import Fraction

import numpy as np
import pytest

import indirectml as dml
from tests.arithmetic.loops import single
from tests.operators.families import Trial, each, element_wise, places, run_oracle
from tests.operators.oracle import (
    assert_bits_equal,
    check,
    quiet,
    refused,
    supported,
    through_graph,
)

ORACLES = {}
INF = math.inf

#: Scale and bias: whole, with fractions, beyond small integers, and such that zeros change sign.
SCALES = [(2, 1), (-1, 0), (0.75, -1.5), (-3, 7), (1, 70000)]


def scaled(number, scale_bias, dtype):
    """Return number * scale + bias, as `scaled` in docs/arithmetic.md says it."""
    if scale_bias is None:
        return number
    scale, bias = map(single, scale_bias)
    if dtype.kind == "f":
        rounded = float if dtype.itemsize == 8 else single
        return rounded(rounded(number * scale) + bias)
    if scale.is_integer() and bias.is_integer():
        return wrapped(number * int(scale) + int(bias), dtype)
    return clamped(float(number) * scale + bias, dtype)


def wrapped(number, dtype):
    bits = 8 * dtype.itemsize
    number %= 1 << bits
    return number - (1 << bits) if dtype.kind == "i" and number >> bits - 1 else number


def clamped(number, dtype):
    """Return a float as an integer, towards zero."""
    low, high = int(np.iinfo(dtype).min), int(np.iinfo(dtype).max)
    if math.isinf(number):
        return high if number > 0 else low
    return min(max(int(number), low), high)


def unary(function, *variants, takes_dtype=False):
    """Return the oracle of a function of a number and of fields, after scale and bias."""

    def function_of(place, *, scale_bias=None, **fields):
        if takes_dtype:
            fields["dtype"] = place.dtype
        return each(lambda x: function(scaled(x, scale_bias, place.dtype), **fields))

    return element_wise(function_of, *variants)


def of_scales(place):
    """Return scale and bias that are another one at each place."""
    return {"scale_bias": SCALES[place.seed % len(SCALES)]}


def whole(rounded):
    """Return a function that makes whole numbers, with the sign of what it is given."""

    def apply(x, **fields):
        if not math.isfinite(x):
            return x
        return math.copysign(float(rounded(x, **fields)), x)

    return apply


def nearest(x, *, rounding_mode):
    number = Fraction(abs(x))
    if rounding_mode == dml.RoundingMode.TOWARD_ZERO:
        return number.numerator // number.denominator
    if rounding_mode == dml.RoundingMode.TOWARD_INFINITY:
        return math.floor(number + Fraction(1, 2))
    return round(number)


def sign(x):
    return x if math.isnan(x) else (x > 0) - (x < 0)


ORACLES["ELEMENT_WISE_ABS"] = unary(abs, {}, of_scales)
ORACLES["ELEMENT_WISE_IDENTITY"] = unary(lambda x: x, of_scales)
ORACLES["ELEMENT_WISE_CEIL"] = unary(whole(math.ceil), {}, of_scales)
ORACLES["ELEMENT_WISE_FLOOR"] = unary(whole(math.floor), {}, of_scales)
ORACLES["ELEMENT_WISE_ROUND"] = unary(
    whole(nearest), *({"rounding_mode": mode} for mode in dml.RoundingMode)
)
ORACLES["ELEMENT_WISE_SIGN"] = unary(sign)
ORACLES["ELEMENT_WISE_NEGATE"] = unary(lambda x: -x)


def at_least(x, *, dtype, **limits):
    """Return the larger; the limit is FLOAT32, of integers the next whole number that fits."""
    low = limits["min"]
    if math.isnan(low):
        return x
    if dtype.kind == "f":
        return max(x, single(low))
    low = clamped(low if math.isinf(low) else float(math.ceil(low)), dtype)
    return max(x, low)


def between(x, *, dtype, **limits):
    """Return a number raised, then lowered; what equals a limit stays, and so does NaN."""
    nearest_to = single if dtype.kind == "f" else lambda limit: clamped(limit, dtype)
    low, high = limits["min"], limits["max"]
    if not math.isnan(low):
        x = max(x, nearest_to(low))
    return x if math.isnan(high) else min(x, nearest_to(high))


NAN = math.nan
LIMITS = [(-1, 3), (0, 0), (-INF, 100), (5, 2), (-70000, 3e9), (-0.0, INF), (NAN, 3), (1, NAN)]

ORACLES["ELEMENT_WISE_THRESHOLD"] = unary(
    at_least,
    *({"min": low} for low in (-1, 0, -0.0, 2.5, -2.5, 0.1, INF, -INF, 70000, NAN)),
    lambda place: {"min": -1, **of_scales(place)},
    takes_dtype=True,
)
ORACLES["ELEMENT_WISE_CLIP"] = unary(
    between,
    *({"min": low, "max": high} for low, high in LIMITS),
    lambda place: {"min": -1, "max": 50, **of_scales(place)},
    takes_dtype=True,
)


def between_scalars(place, *, scale_bias=None, min_max_data_type, **limits):
    """Limits are of the data type of the tensors."""
    low, high = (
        np.array(limits[name]).astype(min_max_data_type.dtype).item() for name in ("min", "max")
    )

    def limited(x):
        number = scaled(x, scale_bias, place.dtype)
        raised = number if low != low else max(number, low)  # noqa: PLR0124 (a NaN)
        return raised if high != high else min(raised, high)  # noqa: PLR0124

    return each(limited)


def typed_limits(low, high):
    def fields(place):
        return {"min_max_data_type": place.data_type, "min": low, "max": high}

    return fields


ORACLES["ELEMENT_WISE_CLIP1"] = element_wise(
    between_scalars,
    typed_limits(0, 0),
    typed_limits(2, 100),
    typed_limits(7, 3),
    lambda place: typed_limits(*(NAN, 3) if place.dtype.kind == "f" else (1, 3))(place),
    lambda place: typed_limits(*(1, NAN) if place.dtype.kind == "f" else (1, 3))(place),
    lambda place: typed_limits(1, 50)(place) | of_scales(place),
)


def converted(dtype):
    """Return the oracle: truncation, saturation and wrapping in Python's integers."""

    def number(value):
        if isinstance(value, int):
            return value % (1 << 8 * dtype.itemsize)
        limits = np.iinfo(dtype)
        if math.isnan(value):
            return 0
        if math.isinf(value):
            return int(limits.max if value > 0 else limits.min) % (1 << 8 * dtype.itemsize)
        whole = max(min(math.trunc(value), int(limits.max)), int(limits.min))
        return whole % (1 << 8 * dtype.itemsize)

    def apply(x):
        if dtype.kind == "f":
            return quiet(x.astype(dtype))
        result = np.empty(x.shape, f"u{dtype.itemsize}")
        for at in np.ndindex(x.shape):
            result[at] = number(x[at].item())
        return result.view(dtype)

    return apply


def cast(place):
    """Yield a conversion to every data type."""
    for to in supported("CAST", "OutputTensor")[0]:
        desc = place.desc(input_tensor=place.tensor(), output_tensor=place.output(data_type=to))
        yield Trial(desc, converted(to.dtype))


ORACLES["CAST"] = cast


@places(ORACLES)
def test_equals_its_oracle(place):
    run_oracle(ORACLES, place)


def test_clip_refuses_fractions_for_integers():
    one = dml.TensorDesc(np.int32, [1])

    refused(
        dml.DescriptorError,
        "ELEMENT_WISE_CLIP.min: needs an integer for a tensor of INT32, got 0.5",
        lambda: dml.ElementWiseClipOperatorDesc(one, one, min=0.5, max=1),
    )


@pytest.mark.parametrize("dtype", [np.float16, np.float32])
def test_clip_a_zero_that_equals_a_limit_keeps_its_sign(dtype):
    zeros = dml.TensorDesc(dtype, [37])

    for low, high in [(0.0, 1.0), (-0.0, 1.0), (-1.0, 0.0), (-1.0, -0.0)]:
        desc = dml.ElementWiseClipOperatorDesc(zeros, zeros, min=low, max=high)
        check(desc, lambda given: given, numbers=[-0.0, 0.0])


def test_clip1_limits_of_64_bits_are_exact():
    x = np.array([2**62, 0], np.int64)

    (actual,) = through_graph(lambda e: dml.clip(e, min=1, max=2**60 + 1), x)

    assert_bits_equal(actual=actual, expected=np.array([2**60 + 1, 1], np.int64))


def test_clip1_refuses_limits_of_another_data_type():
    one = dml.TensorDesc(np.int32, [1])

    refused(
        dml.DescriptorError,
        "ELEMENT_WISE_CLIP1.min_max_data_type: needs the data type of the input tensor, INT32, "
        "got INT8",
        lambda: dml.ElementWiseClip1OperatorDesc(one, one, np.int8, min=0, max=1),
    )


def test_clip1_the_function_works_at_levels_without_the_operator():
    graph = dml.Graph(dml.Device(feature_level="2_1"))
    x = graph.constant(np.array([-3, 0, 3], np.float32), sizes=[1, 1, 1, 3])

    (actual,) = graph.compile([dml.clip(x, min=-1, max=1)])()

    assert actual.tolist() == [[[[-1, 0, 1]]]]


def test_clip1_the_function_takes_limits_beyond_the_data_type():
    x = np.array([0, 7, 255], np.uint8)

    (actual,) = through_graph(lambda e: dml.clip(e, min=-1, max=300), x)
    (infinite,) = through_graph(lambda e: dml.clip(e, min=-np.inf, max=7), x)

    assert_bits_equal(actual=actual, expected=x)
    assert infinite.tolist() == [0, 7, 7]


@pytest.mark.parametrize("dtype", [np.float16, np.float32])
def test_clip1_a_zero_that_equals_a_limit_keeps_its_sign(dtype):
    zeros = dml.TensorDesc(dtype, [37])

    for low, high in [(0.0, 1.0), (-0.0, 1.0), (-1.0, 0.0), (-1.0, -0.0)]:
        desc = dml.ElementWiseClip1OperatorDesc(zeros, zeros, dtype, min=low, max=high)
        check(desc, lambda given: given, numbers=[-0.0, 0.0])


def test_identity_float16_is_rounded_once():
    x = np.array([0.1, 1 / 3, 1000.5], np.float16)

    (actual,) = through_graph(lambda e: dml.identity(e, scale_bias=(0.1, 0.3)), x)

    expected = (x.astype(np.float32) * np.float32(0.1) + np.float32(0.3)).astype(np.float16)
    assert_bits_equal(actual=actual, expected=expected)


def test_identity_permission_for_half_precision_changes_no_bit():
    x = np.array([0.1, 1 / 3, 1000.5, 2049], np.float16)
    graph = dml.Graph(dml.Device())
    y = dml.identity(graph.constant(x), scale_bias=(0.1, 0.3))
    allowed = graph.compile([y], flags=dml.ExecutionFlags.ALLOW_HALF_PRECISION_COMPUTATION)

    assert_bits_equal(actual=allowed()[0], expected=graph.compile([y])()[0])


def test_identity_fractions_scale_integers_in_float64():
    numbers = dml.TensorDesc(np.int8, [5])

    def oracle(x):
        wide = [min(max(math.trunc(int(v) * 2.5 + 0.25), -128), 127) for v in x]
        return np.array(wide, np.int8)

    check(
        dml.ElementWiseIdentityOperatorDesc(numbers, numbers, (2.5, 0.25)),
        oracle,
        numbers=[-128, -3, 3, 50, 52],
    )


@pytest.mark.parametrize("value", [3, (1,), "ab", (1, 2, 3)])
def test_identity_refuses_what_is_no_pair(value):
    one = dml.TensorDesc(np.int32, [1])

    with pytest.raises(dml.DirectMLError, match=r"ELEMENT_WISE_IDENTITY\.scale_bias: needs a"):
        dml.ElementWiseIdentityOperatorDesc(one, one, value)


@pytest.mark.parametrize(
    "to", [t for t in supported("CAST")[0] if not t.is_float], ids=lambda t: t.name
)
def test_cast_floats_beyond_the_range_become_the_nearest_integer(to):
    x = np.array([np.inf, -np.inf, np.nan, 2.0**63, 2.0**64, -(2.0**63)], np.float32)

    (actual,) = through_graph(lambda e: dml.cast(e, dtype=to), x)

    assert_bits_equal(actual=actual, expected=converted(to.dtype)(x))


def test_cast_converts_numbers_as_written():
    x = np.array([1.5, -1.5, 255.9], np.float64)

    (actual,) = through_graph(lambda e: dml.cast(e, dtype=np.uint8), x)

    assert_bits_equal(actual=actual, expected=np.array([1, 0, 255], np.uint8))
