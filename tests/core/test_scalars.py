"""Numbers to exact bits: against NumPy's casts, struct, fractions and bits computed by hand."""

import math
import struct
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from indirectml.core.errors import ScalarError
from indirectml.core.scalars import exact_bits
from tests.core.scalars import (
    FLOAT16,
    FLOAT32,
    FLOAT64,
    FLOATS,
    INT8,
    INT16,
    INT32,
    INTEGERS,
    UINT8,
    UINT16,
    UINT64,
    any_float,
    assert_refused,
    by_name,
)

long_double_is_wider = pytest.mark.skipif(
    np.finfo(np.longdouble).nmant <= 52, reason="needs a long double wider than a double"
)


def scalar_of(data_type, bits):
    """Return NumPy's scalar with these bits."""
    dtype, bits_dtype, *_ = FLOATS[data_type]
    return np.array(bits, bits_dtype).view(dtype)[()]


def nearest_bits(value, data_type):
    """Round a rational once, to nearest, ties to even; None if that gives an infinity."""
    dtype, bits_dtype, precision, smallest_exponent = FLOATS[data_type]
    exponent, magnitude = smallest_exponent, abs(Fraction(value))
    if magnitude:
        # Within one of the floor of the logarithm; then exactly it.
        exponent = magnitude.numerator.bit_length() - magnitude.denominator.bit_length()
        exponent -= magnitude < Fraction(2) ** exponent
        exponent = max(exponent, smallest_exponent)
    quantum = Fraction(2) ** (exponent - precision + 1)
    rounded = round(magnitude / quantum) * quantum
    if rounded > Fraction(float(np.finfo(dtype).max)):
        return None
    # Exact: the rounded value is a number of the data type.
    return int(dtype(math.copysign(float(rounded), value)).view(bits_dtype))


def nan_bits(bits, source, target):
    """Return a NaN's bits in another format: sign and highest payload bits kept, quiet."""
    (_, source_bits, source_precision, _), (_, target_bits, target_precision, _) = (
        FLOATS[source],
        FLOATS[target],
    )
    source_width, target_width = np.iinfo(source_bits).bits, np.iinfo(target_bits).bits
    digits = f"{bits:0{source_width}b}"
    fraction = digits[1 - source_precision :].ljust(target_precision - 1, "0")
    exponent = "1" * (target_width - target_precision)
    return int(digits[0] + exponent + "1" + fraction[1 : target_precision - 1], 2)


class Index:
    """An integer of a class of its own, as operator.index takes it."""

    def __init__(self, value):
        self.value = value

    def __index__(self):
        return self.value


# Single values, by hand.


CASES = [
    pytest.param(13.0, FLOAT32, 0x41500000, id="published-constant"),
    pytest.param(3.2, FLOAT32, 0x404CCCCD, id="published-sequence-start"),
    pytest.param(0.3, FLOAT16, 0x34CD, id="float16-rounds"),
    pytest.param(1 + 2**-11 + 2**-40, FLOAT16, 0x3C01, id="float16-not-through-float32"),
    pytest.param(1 + 2**-11, FLOAT16, 0x3C00, id="float16-tie-down-to-even"),
    pytest.param(1 + 3 * 2**-11, FLOAT16, 0x3C02, id="float16-tie-up-to-even"),
    pytest.param(2049, FLOAT16, 0x6800, id="integer-tie-down-to-even"),
    pytest.param(2051, FLOAT16, 0x6802, id="integer-tie-up-to-even"),
    pytest.param(2**-24, FLOAT16, 0x0001, id="float16-smallest-subnormal"),
    pytest.param(2**-25, FLOAT16, 0x0000, id="float16-half-of-the-smallest"),
    pytest.param(math.nextafter(2**-25, 1), FLOAT16, 0x0001, id="float16-above-half-of-smallest"),
    pytest.param(-(2**-26), FLOAT16, 0x8000, id="float16-underflow-keeps-the-sign"),
    pytest.param(2**-14 - 2**-25, FLOAT16, 0x0400, id="float16-subnormal-rounds-to-normal"),
    pytest.param(2.0**-149, FLOAT32, 0x00000001, id="float32-smallest-subnormal"),
    pytest.param(2.0**-150, FLOAT32, 0x00000000, id="float32-half-of-the-smallest"),
    pytest.param(3 * 2.0**-150, FLOAT32, 0x00000002, id="float32-subnormal-tie-to-even"),
    pytest.param(5e-324, FLOAT64, 0x0000000000000001, id="float64-smallest-subnormal"),
    pytest.param(-1, FLOAT64, 0xBFF0000000000000, id="float64-minus-one"),
    pytest.param(0, FLOAT32, 0x00000000, id="integer-zero"),
    pytest.param(-0.0, FLOAT16, 0x8000, id="float16-minus-zero"),
    pytest.param(-0.0, FLOAT32, 0x80000000, id="float32-minus-zero"),
    pytest.param(-0.0, FLOAT64, 0x8000000000000000, id="float64-minus-zero"),
    pytest.param(-0.0, INT8, 0x00, id="integers-have-one-zero"),
    pytest.param(-1, INT32, 0xFFFFFFFF, id="int32-minus-one"),
    pytest.param(-128.0, INT8, 0x80, id="whole-float"),
    pytest.param(2.0**63, UINT64, 0x8000000000000000, id="large-whole-float"),
    pytest.param(True, FLOAT32, 0x3F800000, id="true-as-float"),
    pytest.param(True, INT8, 0x01, id="true-as-integer"),
    pytest.param(False, UINT16, 0x0000, id="false"),
    pytest.param(np.True_, FLOAT16, 0x3C00, id="numpy-true-as-float"),
    pytest.param(np.True_, UINT8, 0x01, id="numpy-true-as-integer"),
    pytest.param(np.uint8(200), INT16, 0x00C8, id="numpy-integer"),
    pytest.param(np.int8(-1), FLOAT16, 0xBC00, id="numpy-integer-as-float"),
    pytest.param(np.float32(0.1), FLOAT64, 0x3FB99999A0000000, id="numpy-float-widens-exactly"),
    pytest.param(np.float64(-7), INT8, 0xF9, id="numpy-float-as-integer"),
    pytest.param(Fraction(1, 3), FLOAT16, 0x3555, id="fraction-float16"),
    pytest.param(Fraction(1, 3), FLOAT32, 0x3EAAAAAB, id="fraction-float32"),
    pytest.param(Fraction(-1, 3), FLOAT64, 0xBFD5555555555555, id="fraction-float64"),
    pytest.param(Fraction(-6, 3), INT8, 0xFE, id="whole-fraction"),
    pytest.param(Fraction(1, 10**400), FLOAT64, 0, id="fraction-underflows"),
    pytest.param(Fraction(-1, 10**400), FLOAT64, 1 << 63, id="negative-fraction-underflows"),
    pytest.param(1 + Fraction(1, 2**11) + Fraction(1, 2**90), FLOAT16, 0x3C01, id="sticky-bit"),
    pytest.param(Decimal("0.1"), FLOAT16, 0x2E66, id="decimal"),
    pytest.param(
        Decimal(1) + Decimal(2) ** -11 + Decimal("1e-20"),
        FLOAT16,
        0x3C01,
        id="decimal-just-above-a-tie",
    ),
    pytest.param(Decimal("-0"), FLOAT32, 0x80000000, id="decimal-minus-zero"),
    pytest.param(Decimal("-Infinity"), FLOAT16, 0xFC00, id="decimal-infinity"),
    pytest.param(Decimal("NaN"), FLOAT16, 0x7E00, id="decimal-nan"),
    pytest.param(Decimal("-sNaN"), FLOAT16, 0xFE00, id="decimal-signalling-nan"),
    pytest.param(Decimal("1e-999999999999"), FLOAT64, 0, id="decimal-of-a-billion-digits"),
    pytest.param(Decimal("-1e-400"), FLOAT64, 1 << 63, id="decimal-underflows"),
    pytest.param(Decimal("2.50e2"), UINT8, 250, id="whole-decimal"),
    pytest.param(Index(200), UINT8, 200, id="index-object"),
    pytest.param(Index(2049), FLOAT16, 0x6800, id="index-object-as-float"),
    pytest.param(np.array(3), INT8, 0x03, id="array-without-dimensions"),
    pytest.param(np.array(-0.0), FLOAT32, 0x80000000, id="array-minus-zero"),
    pytest.param(np.ones((), bool), FLOAT32, 0x3F800000, id="array-true"),
    pytest.param(np.array(7, object), UINT8, 0x07, id="array-of-an-object"),
]


@pytest.mark.parametrize(("value", "data_type", "bits"), CASES)
def test_a_number_becomes_the_bits_computed_by_hand(value, data_type, bits):
    assert exact_bits(value, data_type) == bits


@pytest.mark.parametrize(
    "value",
    [
        pytest.param(2**60 + 2**36 + 1, id="int"),
        pytest.param(np.int64(2**60 + 2**36 + 1), id="numpy-int64"),
        pytest.param(np.uint64(2**60 + 2**36 + 1), id="numpy-uint64"),
        pytest.param(np.array(2**60 + 2**36 + 1), id="array"),
        pytest.param(Fraction(2**60 + 2**36 + 1), id="fraction"),
        pytest.param(
            np.longdouble(2**60) + np.longdouble(2**36 + 1),
            id="long-double",
            marks=long_double_is_wider,
        ),
    ],
)
def test_a_number_wider_than_a_double_is_rounded_once(value):
    # A double holds 2^60 + 2^36, which is a tie between floats and would go down to 2^60.
    assert exact_bits(value, FLOAT32) == 0x5D800001


@long_double_is_wider
def test_a_long_double_is_rounded_once_to_a_double():
    # 64 bits of precision hold 1 + 2^-53 + 2^-63; cut to 53 before, it would be a tie.
    value = np.longdouble(1) + np.ldexp(np.longdouble(1), -53) + np.ldexp(np.longdouble(1), -63)

    assert exact_bits(value, FLOAT64) == 0x3FF0000000000001
    assert exact_bits(-value, FLOAT64) == 0xBFF0000000000001


def test_a_long_double_becomes_an_integer_if_it_is_whole():
    assert exact_bits(np.longdouble(3), INT8) == 3

    with pytest.raises(ScalarError) as caught:
        exact_bits(np.longdouble(1.5), INT8)

    assert_refused(caught.value, ScalarError, "INT8 holds integers, -128..127, got 1.5")


class Celsius(float):
    """A float by inheritance."""


@pytest.mark.parametrize(
    "zero",
    [
        pytest.param(-0.0, id="float"),
        pytest.param(np.float16("-0.0"), id="float16"),
        pytest.param(np.float32("-0.0"), id="float32"),
        pytest.param(np.float64("-0.0"), id="float64"),
        pytest.param(np.longdouble("-0.0"), id="long-double"),
        pytest.param(Celsius("-0.0"), id="subclass"),
        pytest.param(np.array(-0.0, np.float16), id="array"),
    ],
)
@any_float
def test_the_sign_of_zero_survives(zero, data_type):
    assert exact_bits(zero, data_type) == 1 << (data_type.bits - 1)


@pytest.mark.parametrize(
    "kind", [float, np.float16, np.float32, np.float64, np.longdouble, Celsius, np.array]
)
@any_float
def test_infinities_pass(kind, data_type):
    infinity = {FLOAT16: 0x7C00, FLOAT32: 0x7F800000, FLOAT64: 0x7FF0000000000000}[data_type]

    assert exact_bits(kind(math.inf), data_type) == infinity
    assert exact_bits(kind(-math.inf), data_type) == infinity | 1 << (data_type.bits - 1)


# NaNs.


NAN_CASES = [
    pytest.param(FLOAT16, 0x7C01, FLOAT16, 0x7C01, id="float16-signalling"),
    pytest.param(FLOAT16, 0xFE00, FLOAT16, 0xFE00, id="float16-negative"),
    pytest.param(FLOAT32, 0x7F800001, FLOAT32, 0x7F800001, id="float32-signalling"),
    pytest.param(FLOAT32, 0xFFC12345, FLOAT32, 0xFFC12345, id="float32-negative-payload"),
    pytest.param(FLOAT64, 0xFFF0000000000001, FLOAT64, 0xFFF0000000000001, id="float64-signalling"),
    pytest.param(FLOAT64, 0x7FF8000012345678, FLOAT64, 0x7FF8000012345678, id="float64-payload"),
    pytest.param(FLOAT32, 0xFFC12345, FLOAT16, 0xFE09, id="narrower-keeps-sign-and-high-payload"),
    pytest.param(FLOAT32, 0xFF802000, FLOAT16, 0xFE01, id="narrower-becomes-quiet"),
    pytest.param(FLOAT32, 0x7F800001, FLOAT16, 0x7E00, id="narrower-stays-a-nan"),
    pytest.param(FLOAT64, 0x7FF0000020000000, FLOAT32, 0x7FC00001, id="float64-to-float32"),
    pytest.param(FLOAT64, 0xFFF0000000000001, FLOAT32, 0xFFC00000, id="float64-to-float32-low"),
    pytest.param(FLOAT64, 0x7FF8040000000000, FLOAT16, 0x7E01, id="float64-to-float16"),
    pytest.param(FLOAT16, 0x7C01, FLOAT32, 0x7FC02000, id="wider-becomes-quiet"),
    pytest.param(FLOAT16, 0xFD55, FLOAT64, 0xFFFD540000000000, id="wider-keeps-sign-and-payload"),
    pytest.param(FLOAT32, 0xFFC12345, FLOAT64, 0xFFF82468A0000000, id="float32-to-float64"),
]


@pytest.mark.parametrize(("source", "bits", "target", "expected"), NAN_CASES)
def test_a_nan_keeps_sign_and_high_payload(source, bits, target, expected):
    assert exact_bits(scalar_of(source, bits), target) == expected
    assert exact_bits(np.array(scalar_of(source, bits)), target) == expected


@pytest.mark.parametrize(
    ("bits", "target", "expected"),
    [
        pytest.param(0x7FF8000000000000, FLOAT16, 0x7E00, id="float16"),
        pytest.param(0x7FF8000000000000, FLOAT32, 0x7FC00000, id="float32"),
        pytest.param(0x7FF8000000000000, FLOAT64, 0x7FF8000000000000, id="float64"),
        pytest.param(0xFFF8000000000000, FLOAT16, 0xFE00, id="float16-negative"),
        pytest.param(0xFFF8000020000000, FLOAT32, 0xFFC00001, id="float32-payload"),
        pytest.param(0xFFF8000012345678, FLOAT64, 0xFFF8000012345678, id="float64-payload"),
    ],
)
def test_a_python_nan_is_the_double_that_it_is(bits, target, expected):
    (value,) = struct.unpack("<d", bits.to_bytes(8, "little"))

    assert exact_bits(value, target) == expected


@any_float
def test_a_nan_of_a_long_double_keeps_its_sign(data_type):
    value = np.copysign(np.longdouble("nan"), np.longdouble(-1))
    expected = {FLOAT16: 0xFE00, FLOAT32: 0xFFC00000, FLOAT64: 0xFFF8000000000000}[data_type]

    assert exact_bits(value, data_type) == expected


# Whole formats.


def test_every_float16_keeps_its_bits():
    patterns = np.arange(2**16, dtype=np.uint16)

    assert [exact_bits(value, FLOAT16) for value in patterns.view(np.float16)] == patterns.tolist()


@pytest.mark.parametrize("data_type", [FLOAT32, FLOAT64], **by_name)
def test_every_float16_widens_as_numpy_casts_it(data_type):
    dtype, bits_dtype, *_ = FLOATS[data_type]
    patterns = np.arange(2**16, dtype=np.uint16)
    values = patterns.view(np.float16)
    expected = values.astype(dtype).view(bits_dtype).tolist()
    for k in np.flatnonzero(np.isnan(values)).tolist():
        expected[k] = nan_bits(k, FLOAT16, data_type)

    assert [exact_bits(value, data_type) for value in values] == expected


@pytest.mark.parametrize("data_type", [INT8, UINT16], **by_name)
def test_every_float16_becomes_an_integer_or_is_refused(data_type):
    code, minimum, maximum = INTEGERS[data_type]
    accepted = 0

    for value in np.arange(2**16, dtype=np.uint16).view(np.float16):
        number = float(value)
        if number.is_integer() and minimum <= number <= maximum:
            accepted += 1
            assert (
                exact_bits(value, data_type)
                .to_bytes(8, "little")
                .startswith(struct.pack(f"<{code}", int(number)))
            )
        else:
            with pytest.raises(ScalarError):
                exact_bits(value, data_type)

    # INT8: all 256 and a second zero. UINT16: 0..2048 and the floats from there on, twice a zero.
    assert accepted == {INT8: 257, UINT16: 2049 + 5 * 1024 - 1 + 1}[data_type]


#: A prime number of patterns between neighbours; the last range has few overflows.
SAMPLES = [
    pytest.param(FLOAT32, FLOAT16, 0, 2**32, 104_729, id="float32-to-float16"),
    pytest.param(FLOAT32, FLOAT16, 0x32F00000, 0x47900000, 10_007, id="float32-to-float16-range"),
    pytest.param(FLOAT32, FLOAT64, 0, 2**32, 104_729, id="float32-to-float64"),
    pytest.param(FLOAT64, FLOAT32, 0, 2**64, 400_000_000_000_063, id="float64-to-float32"),
    pytest.param(
        FLOAT64,
        FLOAT32,
        0xB680000000000000,
        0xC800000000000000,
        67_280_421_310_721,
        id="float64-to-float32-range",
    ),
    pytest.param(
        FLOAT64,
        FLOAT16,
        0x3E40000000000000,
        0x4100000000000000,
        10_000_000_000_037,
        id="float64-to-float16-range",
    ),
]


@pytest.mark.parametrize(("source", "target", "first", "last", "stride"), SAMPLES)
def test_floats_narrow_as_numpy_casts_them(source, target, first, last, stride):
    (source_dtype, source_bits, *_), (dtype, bits_dtype, *_) = FLOATS[source], FLOATS[target]
    patterns = np.array(range(first, last, stride), source_bits)
    values = patterns.view(source_dtype)
    with np.errstate(all="ignore"):
        cast = values.astype(dtype)
    expected = cast.view(bits_dtype).tolist()
    for k in np.flatnonzero(np.isnan(values)).tolist():
        expected[k] = nan_bits(int(patterns[k]), source, target)
    overflows = (np.isinf(cast) & np.isfinite(values)).tolist()
    assert len(values) > 4_000

    for value, bits, overflow in zip(values, expected, overflows, strict=True):
        if overflow:
            with pytest.raises(ScalarError):
                exact_bits(value, target)
        else:
            assert exact_bits(value, target) == bits


def midpoints(bits, data_type):
    """Return the doubles half way from each non-negative float to the next one."""
    dtype, bits_dtype, *_ = FLOATS[data_type]
    below = bits.astype(bits_dtype).view(dtype).astype(np.float64)
    above = (bits + 1).astype(bits_dtype).view(dtype).astype(np.float64)
    return below + (above - below) / 2


@pytest.mark.parametrize(
    ("data_type", "step"),
    [pytest.param(FLOAT16, 1, id="float16-all"), pytest.param(FLOAT32, 104_729, id="float32")],
)
@pytest.mark.parametrize("kind", [float, np.float64])
def test_ties_go_to_even_and_their_neighbours_to_the_nearest(data_type, step, kind):
    largest = {FLOAT16: 0x7BFF, FLOAT32: 0x7F7FFFFF}[data_type]
    sign = 1 << (data_type.bits - 1)
    bits = np.arange(0, largest, step)
    ties = midpoints(bits, data_type)

    for k, tie in zip(bits.tolist(), ties.tolist(), strict=True):
        assert exact_bits(kind(tie), data_type) == k + (k & 1)
        assert exact_bits(kind(-math.nextafter(tie, 0)), data_type) == sign | k
        assert exact_bits(kind(math.nextafter(tie, math.inf)), data_type) == k + 1


@given(st.floats())
def test_any_float_rounds_as_numpy_rounds_it(value):
    for data_type, (dtype, bits_dtype, *_) in FLOATS.items():
        with np.errstate(all="ignore"):
            cast = dtype(value)
        if math.isfinite(value) and np.isinf(cast):
            with pytest.raises(ScalarError):
                exact_bits(value, data_type)
        elif not math.isnan(value):
            assert exact_bits(value, data_type) == int(cast.view(bits_dtype))


@given(st.integers(min_value=0))
def test_any_bits_of_a_float_survive_in_its_own_data_type(pattern):
    for data_type in FLOATS:
        bits = pattern % (1 << data_type.bits)
        assert exact_bits(scalar_of(data_type, bits), data_type) == bits


def check_against_rationals(value):
    for data_type in FLOATS:
        expected = nearest_bits(value, data_type)
        if expected is None:
            with pytest.raises(ScalarError):
                exact_bits(value, data_type)
        else:
            assert exact_bits(value, data_type) == expected


@given(
    st.integers(-(2**64), 2**64),
    st.integers(0, 1050),
    st.sampled_from([-1, 0, 1]),
)
def test_any_integer_is_rounded_once(high, shift, low):
    check_against_rationals((high << shift) + low)


@given(st.integers(-(2**70), 2**70), st.integers(1, 2**70), st.integers(-1100, 1100))
def test_any_fraction_is_rounded_once(numerator, denominator, exponent):
    check_against_rationals(Fraction(numerator, denominator) * Fraction(2) ** exponent)
