"""Functions of one and two numbers by MPFR, rounded once: what native ones are compared with."""

import gmpy2
import numpy as np

#: Precision, and the exponents of the smallest subnormal and of the largest binade, as MPFR
#: counts them.
_FORMATS = {
    "float32": gmpy2.context(precision=24, emin=-148, emax=128, subnormalize=True),
    "float16": gmpy2.context(precision=11, emin=-23, emax=16, subnormalize=True),
}
_MANY = gmpy2.context(precision=600)


def _sigmoid(x):
    with gmpy2.context(_MANY):
        result = 1 / (1 + gmpy2.exp(-x))
    return +result


def _softplus(x):
    with gmpy2.context(_MANY):
        # Far out, e^-x is less than 600 bits show: x, and a little more.
        result = gmpy2.next_above(x + gmpy2.mpfr(0)) if x > 200 else gmpy2.log1p(gmpy2.exp(x))
    return +result


def _gelu(x):
    if gmpy2.is_infinite(x) and x < 0:
        return gmpy2.mpfr("-0")
    with gmpy2.context(_MANY):
        if x > 20:  # the rest is less than 600 bits show: x, and a little less
            result = gmpy2.next_below(x + gmpy2.mpfr(0))
        else:
            result = x / 2 * gmpy2.erfc(-x / gmpy2.sqrt(2))
    return +result


def _rsqrt(x):
    return gmpy2.copy_sign(gmpy2.inf(), x) if x == 0 else gmpy2.rec_sqrt(x)


FUNCTIONS = {
    **{
        name: getattr(gmpy2, name)
        for name in (
            "exp", "expm1", "log", "sin", "cos", "tan", "asin", "acos", "atan", "sinh", "cosh",
            "tanh", "asinh", "acosh", "atanh", "erf", "sqrt", "atan2",
        )
    },
    "sigmoid": _sigmoid,
    "softplus": _softplus,
    "gelu": _gelu,
    "rsqrt": _rsqrt,
    "recip": lambda x: 1 / x,
    "pow": lambda x, y: x**y,
}  # fmt: skip


def rounded(name, dtype, *arguments):
    """Return a function of FLOAT32 arrays as an array of FLOAT32 or FLOAT16."""
    dtype = np.dtype(dtype)
    function = FUNCTIONS[name]
    numbers = [[gmpy2.mpfr(float(v)) for v in a.reshape(-1)] for a in arguments]
    with gmpy2.context(_FORMATS[dtype.name]), np.errstate(over="ignore"):
        values = [float(function(*row)) for row in zip(*numbers, strict=True)]
        result = np.array(values, np.float64).astype(dtype).reshape(arguments[0].shape)
    result[np.isnan(result)] = np.nan
    return result
