"""Element-wise operators of one input against Python's numbers."""

import math
from fractions import Fraction

import numpy as np

import indirectml as dml
from tests.arithmetic.loops import single
from tests.operators.families import each, element_wise, places, run_oracle

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
    if dtype.kind == "f":
        return max(x, single(low))
    low = clamped(low if math.isinf(low) else float(math.ceil(low)), dtype)
    return max(x, low)


def between(x, *, dtype, **limits):
    """Return a number raised, then lowered; what equals a limit stays, and so does NaN."""
    nearest_to = single if dtype.kind == "f" else lambda limit: clamped(limit, dtype)
    low, high = (nearest_to(limits[name]) for name in ("min", "max"))
    raised = max(x, low)
    return min(raised, high)


LIMITS = [(-1, 3), (0, 0), (-INF, 100), (5, 2), (-70000, 3e9), (-0.0, INF)]

ORACLES["ELEMENT_WISE_THRESHOLD"] = unary(
    at_least,
    *({"min": low} for low in (-1, 0, -0.0, 2.5, -2.5, 0.1, INF, -INF, 70000)),
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
        raised = max(number, low)
        return min(raised, high)

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
    lambda place: typed_limits(1, 50)(place) | of_scales(place),
)


@places(ORACLES)
def test_equals_its_oracle(place):
    run_oracle(ORACLES, place)
