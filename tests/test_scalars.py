"""Numbers to exact bits: against NumPy's casts, struct, fractions and bits computed by hand."""

import copy
import decimal
import math
import pickle
import struct
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from indirectml.data_types import TensorDataType
from indirectml.errors import DataTypeError, DirectMLError, HResult, ScalarError
from indirectml.scalars import ScalarUnion, exact_bits

FLOAT16, FLOAT32, FLOAT64 = TensorDataType.FLOAT16, TensorDataType.FLOAT32, TensorDataType.FLOAT64
INT8, INT16, INT32, INT64 = (TensorDataType[f"INT{n}"] for n in (8, 16, 32, 64))
UINT8, UINT16, UINT32, UINT64 = (TensorDataType[f"UINT{n}"] for n in (8, 16, 32, 64))

#: data type: NumPy's float type, its bits' type, precision, exponent of the smallest normal.
FLOATS = {
    FLOAT16: (np.float16, np.uint16, 11, -14),
    FLOAT32: (np.float32, np.uint32, 24, -126),
    FLOAT64: (np.float64, np.uint64, 53, -1022),
}
#: data type: code of struct, smallest and largest integer.
INTEGERS = {
    INT8: ("b", -(2**7), 2**7 - 1),
    INT16: ("h", -(2**15), 2**15 - 1),
    INT32: ("i", -(2**31), 2**31 - 1),
    INT64: ("q", -(2**63), 2**63 - 1),
    UINT8: ("B", 0, 2**8 - 1),
    UINT16: ("H", 0, 2**16 - 1),
    UINT32: ("I", 0, 2**32 - 1),
    UINT64: ("Q", 0, 2**64 - 1),
}
UNSIGNED = [t for t, (_, minimum, _) in INTEGERS.items() if minimum == 0]
SIGNED = [t for t in INTEGERS if t not in UNSIGNED]
HUGE = 10**5000

long_double_is_wider = pytest.mark.skipif(
    np.finfo(np.longdouble).nmant <= 52, reason="needs a long double wider than a double"
)

by_name = {"ids": lambda value: value.name if isinstance(value, TensorDataType) else None}
any_float = pytest.mark.parametrize("data_type", FLOATS, **by_name)
any_integer = pytest.mark.parametrize("data_type", INTEGERS, **by_name)


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


def assert_refused(error, kind, text, *, field=None):
    assert type(error) is kind
    assert str(error) == text
    assert error.field == field
    assert error.hresult == HResult.E_INVALIDARG == 0x80070057


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


# Borders.


BORDERS = [
    pytest.param(FLOAT16, Fraction(65520), 0x7BFF, id="float16"),
    pytest.param(FLOAT32, Fraction(2**128 - 2**103), 0x7F7FFFFF, id="float32"),
    pytest.param(FLOAT64, Fraction(2**1024 - 2**970), 0x7FEFFFFFFFFFFFFF, id="float64"),
]


@pytest.mark.parametrize("sign", [1, -1])
@pytest.mark.parametrize(("data_type", "border", "largest"), BORDERS)
def test_numbers_below_the_border_round_to_the_largest_finite(data_type, border, largest, sign):
    bits = largest | (sign < 0) << (data_type.bits - 1)

    assert exact_bits(sign * (border - Fraction(1, 10**9)), data_type) == bits
    assert exact_bits(sign * (int(border) - 1), data_type) == bits
    with pytest.raises(ScalarError):
        exact_bits(sign * border, data_type)
    with pytest.raises(ScalarError):
        exact_bits(sign * int(border), data_type)


@pytest.mark.parametrize("kind", [float, np.float64])
@pytest.mark.parametrize(("data_type", "border", "largest"), BORDERS[:2])
def test_doubles_below_the_border_round_to_the_largest_finite(data_type, border, largest, kind):
    assert exact_bits(kind(math.nextafter(float(border), 0)), data_type) == largest
    with pytest.raises(ScalarError):
        exact_bits(kind(float(border)), data_type)
    with pytest.raises(ScalarError):
        exact_bits(kind(-float(border)), data_type)


def test_numbers_at_the_border_of_float16_are_the_published_ones():
    assert exact_bits(65519.99, FLOAT16) == 0x7BFF
    assert exact_bits(np.nextafter(np.float32(65520), np.float32(0)), FLOAT16) == 0x7BFF
    with pytest.raises(ScalarError):
        exact_bits(65520, FLOAT16)
    with pytest.raises(ScalarError):
        exact_bits(np.float32(65520), FLOAT16)


@any_integer
def test_integers_from_minimum_to_maximum_are_two_s_complement(data_type):
    code, minimum, maximum = INTEGERS[data_type]

    for value in {minimum, minimum + 1, 0, 1, 42, maximum - 1, maximum}:
        packed = int.from_bytes(struct.pack(f"<{code}", value), "little")
        assert exact_bits(value, data_type) == packed
        assert exact_bits(Fraction(value), data_type) == packed
        assert exact_bits(np.array(value, data_type.dtype)[()], data_type) == packed


@any_integer
def test_one_beyond_an_integer_type_is_refused(data_type):
    _, minimum, maximum = INTEGERS[data_type]

    for value in (minimum - 1, maximum + 1, Fraction(minimum - 1), Fraction(maximum + 1)):
        with pytest.raises(ScalarError):
            exact_bits(value, data_type)
    with pytest.raises(ScalarError):
        exact_bits(float(maximum + 1), data_type)


@pytest.mark.parametrize("source", INTEGERS, **by_name)
@any_integer
def test_numpy_integers_pass_between_types_if_they_fit(source, data_type):
    code, minimum, maximum = INTEGERS[data_type]

    for number in INTEGERS[source][1:]:
        value = source.dtype.type(number)
        if minimum <= number <= maximum:
            packed = int.from_bytes(struct.pack(f"<{code}", number), "little")
            assert exact_bits(value, data_type) == packed
        else:
            with pytest.raises(ScalarError):
                exact_bits(value, data_type)


@pytest.mark.parametrize("is_delta", [False, True], ids=["value", "delta"])
@pytest.mark.parametrize("data_type", [INT8, UINT8, INT16, UINT16], **by_name)
def test_every_small_integer_fits_or_is_refused(data_type, is_delta):
    _, minimum, maximum = INTEGERS[data_type]
    if is_delta and minimum == 0:
        minimum = -maximum

    for value in range(-maximum - 300, maximum + 300):
        if minimum <= value <= maximum:
            bits = value % (1 << data_type.bits)
            assert exact_bits(value, data_type, is_delta=is_delta) == bits
        else:
            with pytest.raises(ScalarError):
                exact_bits(value, data_type, is_delta=is_delta)


# Deltas.


def test_the_published_delta_of_uint8_counts_down_by_two():
    assert exact_bits(-2, UINT8, is_delta=True) == 254


@pytest.mark.parametrize("kind", [int, float, Fraction, np.int16, np.float32, np.array])
def test_a_negative_delta_of_an_unsigned_type_may_be_any_number(kind):
    assert exact_bits(kind(-2), UINT8, is_delta=True) == 254
    assert exact_bits(kind(-255), UINT8, is_delta=True) == 1
    with pytest.raises(ScalarError):
        exact_bits(kind(-256), UINT8, is_delta=True)


@pytest.mark.parametrize("data_type", UNSIGNED, **by_name)
def test_a_delta_of_an_unsigned_type_needs_a_magnitude_that_fits(data_type):
    maximum = INTEGERS[data_type][2]

    assert exact_bits(maximum, data_type, is_delta=True) == maximum
    assert exact_bits(-maximum, data_type, is_delta=True) == 1
    for value in (maximum + 1, -maximum - 1):
        with pytest.raises(ScalarError):
            exact_bits(value, data_type, is_delta=True)


@pytest.mark.parametrize("data_type", SIGNED, **by_name)
def test_a_delta_of_a_signed_type_is_like_any_value(data_type):
    _, minimum, maximum = INTEGERS[data_type]

    assert exact_bits(minimum, data_type, is_delta=True) == maximum + 1
    for value in (maximum + 1, minimum - 1):
        with pytest.raises(ScalarError):
            exact_bits(value, data_type, is_delta=True)


@any_float
def test_a_delta_of_a_float_type_is_like_any_value(data_type):
    for value in (-1.5, -0.0, Fraction(-1, 3), np.float16(-2), -7):
        assert exact_bits(value, data_type, is_delta=True) == exact_bits(value, data_type)


# What is refused, and how.


REFUSED = [
    pytest.param(-1, UINT8, "UINT8 holds 0..255, got -1", id="uint8-negative"),
    pytest.param(200, INT8, "INT8 holds -128..127, got 200", id="int8-too-large"),
    pytest.param(
        np.int64(2**31),
        INT32,
        "INT32 holds -2147483648..2147483647, got 2147483648",
        id="numpy-integer",
    ),
    pytest.param(
        1.5, INT32, "INT32 holds integers, -2147483648..2147483647, got 1.5", id="fraction-of-one"
    ),
    pytest.param(
        math.nan, INT32, "INT32 holds integers, -2147483648..2147483647, got nan", id="nan"
    ),
    pytest.param(math.inf, UINT8, "UINT8 holds integers, 0..255, got inf", id="infinity"),
    pytest.param(-math.inf, INT8, "INT8 holds integers, -128..127, got -inf", id="minus-infinity"),
    pytest.param(
        Fraction(1, 3), INT8, "INT8 holds integers, -128..127, got Fraction(1, 3)", id="third"
    ),
    pytest.param(
        np.float32(0.1), INT8, "INT8 holds integers, -128..127, got 0.1", id="numpy-float"
    ),
    pytest.param(
        np.float16("nan"), INT8, "INT8 holds integers, -128..127, got nan", id="numpy-nan"
    ),
    pytest.param(
        np.longdouble("inf"), INT8, "INT8 holds integers, -128..127, got inf", id="long-double-inf"
    ),
    pytest.param(
        1e6,
        FLOAT16,
        "FLOAT16 holds finite numbers up to 65504 in magnitude, got 1000000.0",
        id="float16-too-large",
    ),
    pytest.param(
        np.float32(-70000),
        FLOAT16,
        "FLOAT16 holds finite numbers up to 65504 in magnitude, got -70000.0",
        id="float16-too-large-numpy",
    ),
    pytest.param(
        65520,
        FLOAT16,
        "FLOAT16 holds finite numbers up to 65504 in magnitude, got 65520",
        id="float16-too-large-integer",
    ),
    pytest.param(
        1e39,
        FLOAT32,
        "FLOAT32 holds finite numbers up to 3.40282e+38 in magnitude, got 1e+39",
        id="float32-too-large",
    ),
    pytest.param(
        2**1024,
        FLOAT64,
        "FLOAT64 holds finite numbers up to 1.79769e+308 in magnitude,"
        " got 179769313486231590772930519078902473361797697894230657273430...",
        id="float64-too-large",
    ),
]


@pytest.mark.parametrize(("value", "data_type", "text"), REFUSED)
def test_a_number_that_does_not_fit_is_refused(value, data_type, text):
    with pytest.raises(ScalarError) as caught:
        exact_bits(value, data_type)

    assert_refused(caught.value, ScalarError, text)
    assert isinstance(caught.value, ValueError)
    assert isinstance(caught.value, DirectMLError)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        pytest.param(-256, "UINT8 holds deltas from -255 to 255, got -256", id="negative"),
        pytest.param(256, "UINT8 holds deltas from -255 to 255, got 256", id="positive"),
        pytest.param(
            1.5, "UINT8 holds integer deltas from -255 to 255, got 1.5", id="fraction-of-one"
        ),
        pytest.param(
            -math.inf, "UINT8 holds integer deltas from -255 to 255, got -inf", id="infinity"
        ),
    ],
)
def test_a_delta_that_does_not_fit_is_refused(value, text):
    with pytest.raises(ScalarError) as caught:
        exact_bits(value, UINT8, is_delta=True)

    assert_refused(caught.value, ScalarError, text)


NO_NUMBERS = [
    pytest.param("3", "'3' (str)", id="string"),
    pytest.param(None, "None (NoneType)", id="none"),
    pytest.param(1j, "1j (complex)", id="complex"),
    pytest.param([1], "[1] (list)", id="list"),
    pytest.param((1,), "(1,) (tuple)", id="tuple"),
    pytest.param({}, "{} (dict)", id="dict"),
    pytest.param(float, "<class 'float'> (type)", id="type"),
    pytest.param(decimal.Decimal("1.5"), "Decimal('1.5') (Decimal)", id="decimal"),
    pytest.param(memoryview(b"12345678"), None, id="memoryview"),
    pytest.param(np.complex64(1), "(1+0j) (complex64)", id="numpy-complex"),
    pytest.param(np.str_("1"), "1 (str_)", id="numpy-string"),
    pytest.param(np.datetime64(1, "s"), "1970-01-01T00:00:01 (datetime64)", id="numpy-time"),
    pytest.param(np.timedelta64(1, "s"), "1 seconds (timedelta64)", id="numpy-duration"),
    pytest.param(np.array([1]), "[1] (ndarray)", id="array-of-one-element"),
    pytest.param(np.array("x"), "x (str_)", id="array-of-a-string"),
    pytest.param(np.array(None), "None (NoneType)", id="array-of-none"),
]


@pytest.mark.parametrize("data_type", [FLOAT32, INT8], **by_name)
@pytest.mark.parametrize(("value", "given_as"), NO_NUMBERS)
def test_what_is_no_number_is_refused_by_its_type(value, given_as, data_type):
    with pytest.raises(DataTypeError) as caught:
        exact_bits(value, data_type)

    error = caught.value
    assert isinstance(error, TypeError)
    if given_as is not None:
        assert_refused(error, DataTypeError, f"needs a number, got {given_as}")
        assert (error.required, error.given) == ("needs a number", given_as)


@pytest.mark.parametrize(
    ("value", "kind"),
    [
        pytest.param(HUGE, ScalarError, id="integer"),
        pytest.param(-HUGE, ScalarError, id="negative-integer"),
        pytest.param(np.array(HUGE), ScalarError, id="array"),
        pytest.param(Fraction(HUGE, 3), ScalarError, id="fraction"),
        pytest.param(Fraction(10**50, 3), ScalarError, id="longish-fraction"),
        pytest.param([HUGE], DataTypeError, id="list-of-a-huge-integer"),
        pytest.param("1" * 5000, DataTypeError, id="string"),
        pytest.param(list(range(5000)), DataTypeError, id="list"),
        pytest.param(bytes(5000), ScalarError, id="bytes"),
    ],
)
@pytest.mark.parametrize("data_type", [INT8, UINT64, FLOAT16], **by_name)
def test_a_huge_value_is_refused_with_a_short_message(value, kind, data_type):
    with pytest.raises(kind) as caught:
        exact_bits(value, data_type)

    assert len(str(caught.value)) < 200


@pytest.mark.parametrize("data_type", INTEGERS, **by_name)
def test_a_huge_denominator_is_refused_by_integers_with_a_short_message(data_type):
    with pytest.raises(ScalarError) as caught:
        exact_bits(Fraction(1, HUGE), data_type)

    assert len(str(caught.value)) < 200


# Raw bits.


RAW = bytes.fromhex("f1e2d3c4b5a69788")


@pytest.mark.parametrize("kind", [bytes, bytearray, ScalarUnion])
@pytest.mark.parametrize(
    ("data_type", "bits"),
    [
        pytest.param(UINT8, 0xF1, id="uint8"),
        pytest.param(INT8, 0xF1, id="int8"),
        pytest.param(INT16, 0xE2F1, id="int16"),
        pytest.param(FLOAT16, 0xE2F1, id="float16"),
        pytest.param(UINT32, 0xC4D3E2F1, id="uint32"),
        pytest.param(FLOAT32, 0xC4D3E2F1, id="float32"),
        pytest.param(INT64, 0x8897A6B5C4D3E2F1, id="int64"),
        pytest.param(FLOAT64, 0x8897A6B5C4D3E2F1, id="float64"),
    ],
)
def test_raw_bits_are_taken_as_they_are(kind, data_type, bits):
    for is_delta in (False, True):
        assert exact_bits(kind(RAW), data_type, is_delta=is_delta) == bits
    assert ScalarUnion(RAW).bits(data_type) == bits


@pytest.mark.parametrize("length", [0, 1, 2, 4, 7, 9, 12])
def test_raw_bits_are_eight_bytes(length):
    raw = bytes(range(length))

    for convert in (ScalarUnion, lambda value: exact_bits(value, UINT8)):
        with pytest.raises(ScalarError) as caught:
            convert(raw)
        assert_refused(caught.value, ScalarError, f"a scalar union has 8 bytes, got {raw!r}")


@pytest.mark.parametrize("value", [5, "12345678", 1.5, [1] * 8])
def test_a_scalar_union_is_not_made_of_anything_else(value):
    with pytest.raises(ScalarError) as caught:
        ScalarUnion(value)

    assert_refused(caught.value, ScalarError, f"a scalar union has 8 bytes, got {value!r}")


# ScalarUnion.


MEMBERS = [
    pytest.param("int8", "b", (-128, -1, 127), id="int8"),
    pytest.param("uint8", "B", (0, 200, 255), id="uint8"),
    pytest.param("int16", "h", (-(2**15), 2**15 - 1), id="int16"),
    pytest.param("uint16", "H", (1, 2**16 - 1), id="uint16"),
    pytest.param("int32", "i", (-(2**31), 2**31 - 1), id="int32"),
    pytest.param("uint32", "I", (1, 2**32 - 1), id="uint32"),
    pytest.param("int64", "q", (-(2**63), 2**63 - 1), id="int64"),
    pytest.param("uint64", "Q", (1, 2**64 - 1), id="uint64"),
    pytest.param("float32", "f", (1.5, -0.0, math.inf, 0.1, 2.0**-149), id="float32"),
    pytest.param("float64", "d", (1.5, -0.0, math.inf, 0.1, 5e-324), id="float64"),
]


@pytest.mark.parametrize(("member", "code", "values"), MEMBERS)
def test_a_member_fills_the_low_bytes_and_zeros_the_rest(member, code, values):
    for value in values:
        union = ScalarUnion(**{member: value})
        assert union.raw == struct.pack(f"<{code}", value).ljust(8, b"\0")


@pytest.mark.parametrize(
    ("member", "value", "kind", "text"),
    [
        pytest.param("int8", 300, ScalarError, "INT8 holds -128..127, got 300", id="too-large"),
        pytest.param("uint16", -1, ScalarError, "UINT16 holds 0..65535, got -1", id="negative"),
        pytest.param("int32", "1", DataTypeError, "needs a number, got '1' (str)", id="string"),
        pytest.param(
            "float32",
            1e39,
            ScalarError,
            "FLOAT32 holds finite numbers up to 3.40282e+38 in magnitude, got 1e+39",
            id="becomes-infinite",
        ),
    ],
)
def test_a_member_that_does_not_hold_the_number_is_named(member, value, kind, text):
    with pytest.raises(kind) as caught:
        ScalarUnion(**{member: value})

    assert_refused(caught.value, kind, f"{member}: {text}", field=member)


@pytest.mark.parametrize(
    ("raw", "members", "given_as"),
    [
        pytest.param((), {"float16": 1.0}, "float16", id="float16"),
        pytest.param((), {"Float32": 1.0}, "Float32", id="capital"),
        pytest.param((), {"int8": 1, "uint8": 2}, "int8, uint8", id="two-members"),
        pytest.param((RAW,), {"int8": 1}, "raw, int8", id="bytes-and-member"),
    ],
)
def test_a_scalar_union_needs_its_bytes_or_one_member(raw, members, given_as):
    with pytest.raises(ScalarError) as caught:
        ScalarUnion(*raw, **members)

    assert_refused(
        caught.value,
        ScalarError,
        "a scalar union needs its bytes or one of float32, uint32, uint16, uint8, int32, int16,"
        f" int8, float64, uint64, int64, got {given_as}",
    )


def test_a_scalar_union_without_anything_is_zero():
    assert ScalarUnion().raw == bytes(8)


def test_a_scalar_union_of_a_bytearray_keeps_a_copy():
    raw = bytearray(RAW)
    union = ScalarUnion(raw)

    raw[0] = 0

    assert union.raw == RAW


def test_a_scalar_union_does_not_change():
    union = ScalarUnion(RAW)

    with pytest.raises(AttributeError, match="raw"):
        union.raw = bytes(8)
    with pytest.raises(AttributeError, match="other"):
        union.other = 1
    with pytest.raises(AttributeError, match="raw"):
        del union.raw

    assert union.raw == RAW


def test_scalar_unions_are_equal_if_their_bytes_are():
    assert ScalarUnion(int8=-1) == ScalarUnion(uint8=255)
    assert hash(ScalarUnion(int8=-1)) == hash(ScalarUnion(uint8=255))
    assert ScalarUnion(float32=1.5) == ScalarUnion(uint32=0x3FC00000)
    assert ScalarUnion(float32=math.nan) == ScalarUnion(float32=math.nan)
    assert ScalarUnion(float32=0.0) != ScalarUnion(float32=-0.0)
    assert ScalarUnion(int8=-1) != ScalarUnion(int16=-1)
    assert ScalarUnion(uint64=1 << 63) != ScalarUnion()
    assert ScalarUnion(RAW) != RAW
    assert len({ScalarUnion(int8=1), ScalarUnion(uint8=1), ScalarUnion(int8=2)}) == 2


def test_a_scalar_union_shows_how_to_make_it():
    assert repr(ScalarUnion(RAW)) == "ScalarUnion(bytes.fromhex('f1e2d3c4b5a69788'))"


@pytest.mark.parametrize(
    "duplicate",
    [
        pytest.param(copy.copy, id="copy"),
        pytest.param(copy.deepcopy, id="deepcopy"),
        pytest.param(lambda union: pickle.loads(pickle.dumps(union)), id="pickle"),  # noqa: S301
    ],
)
def test_a_scalar_union_can_be_copied(duplicate):
    assert duplicate(ScalarUnion(RAW)) == ScalarUnion(RAW)
