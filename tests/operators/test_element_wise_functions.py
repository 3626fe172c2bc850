"""Element-wise functions against MPFR, rounded once to the data type of the output."""

import numpy as np

from tests.arithmetic import digits
from tests.operators.families import each, element_wise, places, run_oracle


def of_mpfr(name):
    """Return an oracle: a function of MPFR, FLOAT16 rounded directly."""

    def function_of(place):
        def apply(*arrays):
            return digits.rounded(name, place.dtype, *(a.astype(np.float32) for a in arrays))

        return apply

    return element_wise(function_of)


FUNCTIONS = (
    "acos", "acosh", "asin", "asinh", "atan", "atanh", "cos", "cosh", "erf", "exp", "log", "recip",
    "sin", "sinh", "sqrt", "tan", "tanh",
)  # fmt: skip
ORACLES = {f"ELEMENT_WISE_{name.upper()}": of_mpfr(name) for name in FUNCTIONS}
ORACLES["ELEMENT_WISE_ATAN_YX"] = of_mpfr("atan2")


def constant_power(place, *, exponent):
    def apply(x):
        x = x.astype(np.float32)
        return digits.rounded("pow", place.dtype, x, np.full_like(x, exponent))

    return apply


ORACLES["ELEMENT_WISE_CONSTANT_POW"] = element_wise(
    constant_power,
    *({"exponent": value} for value in (2, 0.5, -3, 0, 0.1, np.inf, np.nan)),
)


def power(place):
    """Floats by MPFR; integers by Python's, which truncate towards zero below exponent 0."""
    if place.dtype.kind == "f":
        return lambda x, y: digits.rounded(
            "pow", place.dtype, x.astype(np.float32), y.astype(np.float32)
        )

    def whole(base, exponent):
        if exponent >= 0:
            return pow(base, exponent, 1 << 64)
        if base in (1, -1):
            return base ** (exponent % 2)
        return 0

    return each(whole)


ORACLES["ELEMENT_WISE_POW"] = element_wise(power)


@places(ORACLES)
def test_equals_its_oracle(place):
    run_oracle(ORACLES, place)
