"""Element-wise operators that are one function of one or two numbers, correctly rounded.

The exact result of x = Input * Scale + Bias is rounded once, directly to the data type of the
output, to nearest, ties to even, on every machine. docs/arithmetic.md says how that is shown.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from indirectml.arithmetic import functions
from indirectml.arithmetic.basics import Array, truncated_to
from indirectml.descriptors.definitions import operator

DType = np.dtype[Any]


@operator("ELEMENT_WISE_ACOS", "acos")
def acos(x: Array, *, dtype: DType) -> Array:
    """Output = acos(Input * Scale + Bias).

    The angle in radians from 0 to pi whose cosine it is. Correctly rounded.

    Example: float32 [1, -1] -> [0, 3.1415927]
    """
    return functions.acos(x, dtype)


@operator("ELEMENT_WISE_ACOSH", "acosh")
def acosh(x: Array, *, dtype: DType) -> Array:
    """Output = acosh(Input * Scale + Bias).

    The inverse hyperbolic cosine, at least 0; NaN below 1. Correctly rounded.

    Example: float32 [1] -> [0]
    """
    return functions.acosh(x, dtype)


@operator("ELEMENT_WISE_ASIN", "asin")
def asin(x: Array, *, dtype: DType) -> Array:
    """Output = asin(Input * Scale + Bias).

    The angle in radians from -pi/2 to pi/2 whose sine it is. Correctly rounded.

    Example: float32 [0, 1] -> [0, 1.5707964]
    """
    return functions.asin(x, dtype)


@operator("ELEMENT_WISE_ASINH", "asinh")
def asinh(x: Array, *, dtype: DType) -> Array:
    """Output = asinh(Input * Scale + Bias).

    The inverse hyperbolic sine. Correctly rounded.

    Example: float32 [0] -> [0]
    """
    return functions.asinh(x, dtype)


@operator("ELEMENT_WISE_ATAN", "atan")
def atan(x: Array, *, dtype: DType) -> Array:
    """Output = atan(Input * Scale + Bias).

    The angle in radians from -pi/2 to pi/2 whose tangent it is. Correctly rounded.

    Example: float32 [0, inf] -> [0, 1.5707964]
    """
    return functions.atan(x, dtype)


@operator("ELEMENT_WISE_ATANH", "atanh")
def atanh(x: Array, *, dtype: DType) -> Array:
    """Output = atanh(Input * Scale + Bias).

    The inverse hyperbolic tangent; NaN beyond -1 and 1. Correctly rounded.

    Example: float32 [0, 1] -> [0, inf]
    """
    return functions.atanh(x, dtype)


@operator("ELEMENT_WISE_COS", "cos")
def cos(x: Array, *, dtype: DType) -> Array:
    """Output = cos(Input * Scale + Bias).

    The cosine of radians. Correctly rounded.

    Example: float32 [0] -> [1]
    """
    return functions.cos(x, dtype)


@operator("ELEMENT_WISE_COSH", "cosh")
def cosh(x: Array, *, dtype: DType) -> Array:
    """Output = cosh(Input * Scale + Bias).

    The hyperbolic cosine. Correctly rounded.

    Example: float32 [0] -> [1]
    """
    return functions.cosh(x, dtype)


@operator("ELEMENT_WISE_ERF", "erf")
def erf(x: Array, *, dtype: DType) -> Array:
    """Output = erf(Input * Scale + Bias).

    The error function. Correctly rounded.

    Example: float32 [0, inf] -> [0, 1]
    """
    return functions.erf(x, dtype)


@operator("ELEMENT_WISE_EXP", "exp")
def exp(x: Array, *, dtype: DType) -> Array:
    """Output = exp(Input * Scale + Bias).

    e to that power. Correctly rounded.

    Example: float32 [0, 1] -> [1, 2.7182817]
    """
    return functions.exp(x, dtype)


@operator("ELEMENT_WISE_LOG", "log")
def log(x: Array, *, dtype: DType) -> Array:
    """Output = log(Input * Scale + Bias).

    The natural logarithm; NaN below 0, and -infinity at zeros. Correctly rounded.

    Example: float32 [1, 0] -> [0, -inf]
    """
    return functions.log(x, dtype)


@operator("ELEMENT_WISE_RECIP", "recip")
def recip(x: Array, *, dtype: DType) -> Array:
    """Output = recip(Input * Scale + Bias).

    The reciprocal; infinite at zeros, with their sign. Correctly rounded.

    Example: float32 [2, -0.0] -> [0.5, -inf]
    """
    return functions.recip(x, dtype)


@operator("ELEMENT_WISE_SIN", "sin")
def sin(x: Array, *, dtype: DType) -> Array:
    """Output = sin(Input * Scale + Bias).

    The sine of radians. Correctly rounded.

    Example: float32 [0] -> [0]
    """
    return functions.sin(x, dtype)


@operator("ELEMENT_WISE_SINH", "sinh")
def sinh(x: Array, *, dtype: DType) -> Array:
    """Output = sinh(Input * Scale + Bias).

    The hyperbolic sine. Correctly rounded.

    Example: float32 [0] -> [0]
    """
    return functions.sinh(x, dtype)


@operator("ELEMENT_WISE_SQRT", "sqrt")
def sqrt(x: Array, *, dtype: DType) -> Array:
    """Output = sqrt(Input * Scale + Bias).

    The square root; NaN below 0, and -0 at -0. Correctly rounded.

    Example: float32 [4, 2] -> [2, 1.4142135]
    """
    return functions.sqrt(x, dtype)


@operator("ELEMENT_WISE_TAN", "tan")
def tan(x: Array, *, dtype: DType) -> Array:
    """Output = tan(Input * Scale + Bias).

    The tangent of radians. Correctly rounded.

    Example: float32 [0] -> [0]
    """
    return functions.tan(x, dtype)


@operator("ELEMENT_WISE_TANH", "tanh")
def tanh(x: Array, *, dtype: DType) -> Array:
    """Output = tanh(Input * Scale + Bias).

    The hyperbolic tangent. Correctly rounded.

    Example: float32 [0, inf] -> [0, 1]
    """
    return functions.tanh(x, dtype)


@operator("ELEMENT_WISE_ATAN_YX", "atan_yx")
def atan_yx(a: Array, b: Array, *, dtype: DType) -> Array:
    """Output = the angle of the point (B, A) in radians, from -pi to pi.

    Correctly rounded. Zeros and infinities as in IEEE 754-2019, 9.2.1, atan2(A, B).

    Example: float32 [0, 1, 0], [1, 0, -1] -> [0, 1.5707964, 3.1415927]
    """
    return functions.atan2(a, b, dtype)


@operator("ELEMENT_WISE_CONSTANT_POW")
def constant_power(x: Array, *, exponent: float, dtype: DType) -> Array:
    """Output = (Input * Scale + Bias) ^ Exponent.

    Correctly rounded. Special values as in IEEE 754-2019, 9.2.1, pow.

    Example: exponent=2; float32 [3, -4] -> [9, 16]
    """
    if exponent == 2:  # noqa: PLR2004 (a product, correctly rounded too, and many times as fast)
        return x * x
    return functions.pow(x, np.float32(exponent), dtype)


@operator("ELEMENT_WISE_POW")
def power(x: Array, exponent: Array, *, dtype: DType) -> Array:
    """Output = (Input * Scale + Bias) ^ Exponent.

    Of floats correctly rounded, special values as in IEEE 754-2019, 9.2.1, pow. Of integers modulo
    2^bits; a negative exponent truncates towards zero, and 0 to a negative exponent is 0. Where one
    of both is an integer and the other a float, the integer is rounded to FLOAT32; a result for
    integers goes towards zero and stays within the data type.

    Our choice: how an integer and a float meet.

    Example: float32 [3, 2], [2, -1] -> [9, 0.5]
    Example: int32 [3, 2, 0], [2, -1, 0] -> [9, 0, 1]
    """
    if x.dtype.kind != "f" and exponent.dtype.kind != "f":
        return functions.integer_power(x, exponent)
    single = np.float32
    if x.dtype.kind == "f":
        return functions.pow(x, exponent.astype(single), dtype)
    return truncated_to(functions.pow(x.astype(single), exponent), dtype)
