"""Element-wise arithmetic of two inputs against unlimited numbers of Python's."""

import math
from fractions import Fraction

import numpy as np

import indirectml as dml
from tests.arithmetic.loops import is_larger, is_smaller, single
from tests.operators.families import each, element_wise, of_field, places, run_oracle
from tests.operators.oracle import assert_bits_equal, refused, through_graph

NAN = math.nan
ORACLES = {}


def both(floats, integers):
    """Return the oracle of a function of two floats, and of one of two integers."""

    def function_of(place):
        return each(floats if place.dtype.kind == "f" else integers)

    return element_wise(function_of)


def rounded_to_odd(number):
    """Return an exact fraction as FLOAT64, so that it can be rounded again as if it were exact.

    What nearest rounding makes a midpoint of FLOAT32 is pushed to the side on which the number is.
    """
    near = float(number)
    if math.isinf(near) or Fraction(near) == number:
        return near
    bits = np.float64(near).view(np.uint64)
    if int(bits) % 2 == 0:  # the other neighbour of the number has an odd last bit
        direction = math.inf if number > Fraction(near) else -math.inf
        return math.nextafter(near, direction)
    return near


def divided(a, b):
    """Return a / b; FLOAT64 holds twice the digits of FLOAT32, and 5 more."""
    with np.errstate(all="ignore"):
        return float(np.float64(a) / np.float64(b))


def towards_zero(a, b):
    if b == 0:
        return 0
    quotient = abs(a) // abs(b)
    return quotient if (a < 0) == (b < 0) else -quotient


def truncated_remainder(a, b):
    """By fractions: the sign is that of A, also where the result is zero."""
    if math.isnan(a) or math.isnan(b) or math.isinf(a) or b == 0:
        return NAN
    if math.isinf(b):
        return a
    return math.copysign(float(abs(Fraction(a)) % abs(Fraction(b))), a)


def floored_remainder(a, b):
    """By fractions: the sign is that of B, also where the result is zero."""
    if math.isnan(a) or math.isnan(b) or math.isinf(a) or b == 0:
        return NAN
    if math.isinf(b):
        if a == 0:
            return math.copysign(a, b)
        return a if (a < 0) == (b < 0) else b
    return math.copysign(rounded_to_odd(abs(Fraction(a) % Fraction(b))), b)


def modulus_floor(place):
    if place.dtype.kind == "f":
        # FLOAT16 is rounded to FLOAT32 first, like all that computes.
        return each(lambda a, b: single(floored_remainder(a, b)))
    return each(lambda a, b: a % b if b else 0)


def wins(before):
    return lambda a, b: b if before(b, a) else a


def half_of_wrapped(place):
    """Return the mean of integers, whose sum wraps."""
    bits = 8 * place.dtype.itemsize

    def apply(a, b):
        total = (a + b) % (1 << bits)
        if place.dtype.kind == "i" and total >> bits - 1:
            total -= 1 << bits
        return towards_zero(total, 2)

    return apply


def mean(place):
    if place.dtype.kind == "f":
        return each(lambda a, b: single(a + b) / 2)
    return each(half_of_wrapped(place))


ORACLES["ELEMENT_WISE_ADD"] = ORACLES["ELEMENT_WISE_ADD1"] = both(
    lambda a, b: a + b, lambda a, b: a + b
)
ORACLES["ELEMENT_WISE_SUBTRACT"] = both(lambda a, b: a - b, lambda a, b: a - b)
ORACLES["ELEMENT_WISE_MULTIPLY"] = both(lambda a, b: a * b, lambda a, b: a * b)
ORACLES["ELEMENT_WISE_DIVIDE"] = both(divided, towards_zero)
ORACLES["ELEMENT_WISE_MODULUS_TRUNCATE"] = both(
    truncated_remainder, lambda a, b: a - b * towards_zero(a, b) if b else 0
)
ORACLES["ELEMENT_WISE_MODULUS_FLOOR"] = element_wise(modulus_floor)
ORACLES["ELEMENT_WISE_MAX"] = both(wins(is_larger), max)
ORACLES["ELEMENT_WISE_MIN"] = both(wins(is_smaller), min)
ORACLES["ELEMENT_WISE_MEAN"] = element_wise(mean)
ORACLES["ELEMENT_WISE_DIFFERENCE_SQUARE"] = both(
    lambda a, b: single(single(a - b) ** 2), lambda a, b: (a - b) ** 2
)


@of_field("ATensor")
def chosen(place):
    """Every bit of either is kept."""

    def apply(condition, a, b):
        result = np.empty(a.shape, place.dtype)
        for at in np.ndindex(a.shape):
            result[at] = (a if int(condition[at]) else b)[at]
        return result

    yield from element_wise(
        lambda _: apply, inputs=lambda _: [np.array([0, 0, 1, 2, 255], np.uint8), None, None]
    )(place)


ORACLES["ELEMENT_WISE_IF"] = chosen


@places(ORACLES)
def test_equals_its_oracle(place):
    run_oracle(ORACLES, place)


def test_add_integers_wrap():
    a, b = np.array([255, 1], np.uint8), np.array([2, 2], np.uint8)

    assert_bits_equal(actual=through_graph(dml.add, a, b)[0], expected=np.array([1, 3], np.uint8))


def test_add_refuses_other_sizes():
    refused(
        dml.DescriptorError,
        "ELEMENT_WISE_ADD.b_tensor.sizes: needs the sizes of a_tensor, [2, 3], got [3, 2]",
        lambda: dml.ElementWiseAddOperatorDesc(
            *(dml.TensorDesc(np.float32, s) for s in ([2, 3], [3, 2], [2, 3]))
        ),
    )


def test_add_refuses_other_data_types():
    refused(
        dml.DescriptorError,
        "ELEMENT_WISE_ADD.output_tensor.data_type: needs the data type of a_tensor, INT32, "
        "got UINT32",
        lambda: dml.ElementWiseAddOperatorDesc(
            *(dml.TensorDesc(t, [2]) for t in (np.int32, np.int32, np.uint32))
        ),
    )


def test_divide_integers_are_truncated_and_wrap_and_zero_divides_to_zero():
    a, b = np.array([-128, 7, -7, 5], np.int8), np.array([-1, 2, 2, 0], np.int8)

    assert_bits_equal(
        actual=through_graph(dml.divide, a, b)[0], expected=np.array([-128, 3, -3, 0], np.int8)
    )


def test_divide_refuses_other_sizes():
    refused(
        dml.DescriptorError,
        "ELEMENT_WISE_DIVIDE.b_tensor.sizes: needs the sizes of a_tensor, [2, 3], got [3, 2]",
        lambda: dml.ElementWiseDivideOperatorDesc(
            *(dml.TensorDesc(np.float32, s) for s in ([2, 3], [3, 2], [2, 3]))
        ),
    )


def test_modulus_floor_special_values():
    inf, nan = np.inf, np.nan
    a = np.array([7, -7, 7, -7, 6, -6, -0.0, 1, -1, inf, 1, nan, -1e-9, 5.5], np.float32)
    b = np.array([5, 5, -5, -5, -3, 3, 1, inf, inf, 2, 0, 1, 1, -2], np.float32)

    (actual,) = through_graph(dml.modulus_floor, a, b)

    expected = np.array([2, 3, -3, -2, -0.0, 0, 0, 1, inf, nan, nan, nan, 1, -0.5], np.float32)
    assert_bits_equal(actual=actual, expected=expected)


def test_modulus_floor_integers_modulo_zero_are_zero():
    a, b = np.array([-128, 7, -7, 5], np.int8), np.array([-1, 2, 2, 0], np.int8)

    (actual,) = through_graph(dml.modulus_floor, a, b)

    assert_bits_equal(actual=actual, expected=np.array([0, 1, 1, 0], np.int8))


def test_modulus_truncate_special_values():
    inf, nan = np.inf, np.nan
    a = np.array([7, -7, 7, -7, 6, -6, -0.0, 1, -1, inf, 1, nan, -1e-9, 5.5], np.float32)
    b = np.array([5, 5, -5, -5, -3, 3, 1, inf, inf, 2, 0, 1, 1, -2], np.float32)

    (actual,) = through_graph(dml.modulus_truncate, a, b)

    expected = np.array([2, -2, 2, -2, 0, -0.0, -0.0, 1, -1, nan, nan, nan, -1e-9, 1.5], np.float32)
    assert_bits_equal(actual=actual, expected=expected)


def test_modulus_truncate_integers_modulo_zero_are_zero():
    a, b = np.array([-128, 7, -7, 5], np.int8), np.array([-1, 2, 2, 0], np.int8)

    (actual,) = through_graph(dml.modulus_truncate, a, b)

    assert_bits_equal(actual=actual, expected=np.array([0, 1, -1, 0], np.int8))


def test_multiply_integers_wrap():
    a, b = np.array([100, 3], np.uint8), np.array([3, 3], np.uint8)

    assert_bits_equal(
        actual=through_graph(dml.multiply, a, b)[0], expected=np.array([44, 9], np.uint8)
    )


def test_multiply_refuses_other_sizes():
    refused(
        dml.DescriptorError,
        "ELEMENT_WISE_MULTIPLY.b_tensor.sizes: needs the sizes of a_tensor, [2, 3], got [3, 2]",
        lambda: dml.ElementWiseMultiplyOperatorDesc(
            *(dml.TensorDesc(np.float32, s) for s in ([2, 3], [3, 2], [2, 3]))
        ),
    )


def test_subtract_integers_wrap():
    a, b = np.array([1, -128], np.int8), np.array([2, 1], np.int8)

    assert_bits_equal(
        actual=through_graph(dml.subtract, a, b)[0], expected=np.array([-1, 127], np.int8)
    )


def test_subtract_refuses_other_sizes():
    refused(
        dml.DescriptorError,
        "ELEMENT_WISE_SUBTRACT.b_tensor.sizes: needs the sizes of a_tensor, [2, 3], got [3, 2]",
        lambda: dml.ElementWiseSubtractOperatorDesc(
            *(dml.TensorDesc(np.float32, s) for s in ([2, 3], [3, 2], [2, 3]))
        ),
    )
