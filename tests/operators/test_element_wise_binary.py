"""Element-wise arithmetic of two inputs against unlimited numbers of Python's."""

import math
from fractions import Fraction

import numpy as np

from tests.arithmetic.loops import is_larger, is_smaller, single
from tests.operators.families import each, element_wise, of_field, places, run_oracle

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


ORACLES["ELEMENT_WISE_ADD"] = both(lambda a, b: a + b, lambda a, b: a + b)
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
    lambda a, b: single(a - b) * single(a - b), lambda a, b: (a - b) ** 2
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
