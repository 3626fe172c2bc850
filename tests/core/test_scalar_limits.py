"""Which numbers and deltas a data type holds, to the last one; all others are refused."""

import math
import struct
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest

from indirectml.core.errors import DataTypeError, DirectMLError, ScalarError
from indirectml.core.scalars import exact_bits
from tests.core.scalars import (
    FLOAT16,
    FLOAT32,
    FLOAT64,
    INT8,
    INT16,
    INT32,
    INTEGERS,
    UINT8,
    UINT16,
    UINT64,
    any_float,
    any_integer,
    assert_refused,
    by_name,
)

UNSIGNED = [t for t, (_, minimum, _) in INTEGERS.items() if minimum == 0]
SIGNED = [t for t in INTEGERS if t not in UNSIGNED]
HUGE = 10**5000


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
        Decimal("0.5"), INT8, "INT8 holds integers, -128..127, got Decimal('0.5')", id="decimal"
    ),
    pytest.param(
        Decimal("1e999999999"),
        FLOAT64,
        "FLOAT64 holds finite numbers up to 1.79769e+308 in magnitude, got Decimal('1E+999999999')",
        id="decimal-of-a-billion-digits",
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
