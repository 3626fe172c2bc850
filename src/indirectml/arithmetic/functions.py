"""Functions of one and two numbers: the exact result, rounded once.

Arguments are arrays of FLOAT32, or FLOAT16, which is widened exactly, of any strides and sizes.
`dtype` is the data type of the result, np.float32 or np.float16: the exact result is rounded to it
directly, to nearest, ties to even. `out` is written in place and returned; it may be an argument
itself, and must share no other memory with one. A NaN is the positive quiet one without payload.
The odd ones among the functions keep the sign of a zero. No setting changes a bit.

References
----------
IEEE 754-2019, 9.2 and 9.2.1; the definitions and how they were tried: docs/arithmetic.md.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import DTypeLike

from indirectml import _native
from indirectml.arithmetic.basics import Array, StandIn
from indirectml.arithmetic.words import word
from indirectml.core.errors import DataTypeError, LayoutError
from indirectml.core.settings import Settings

_INDICES = {name: index for index, name in enumerate(_native.functions())}
_FLOAT32 = np.dtype(np.float32)
_RESULTS = (_FLOAT32, np.dtype(np.float16))


def exp(x: Array, dtype: DTypeLike = np.float32, out: Array | None = None) -> Array:
    """Return e^x, element by element.

    Notes
    -----
    exp(-inf) is +0.

    Examples
    --------
    >>> exp(np.array([0, 1, -np.inf], np.float32))
    array([1.       , 2.7182817, 0.       ], dtype=float32)
    """
    return _applied("exp", x, None, dtype, out)


def expm1(x: Array, dtype: DTypeLike = np.float32, out: Array | None = None) -> Array:
    """Return e^x - 1, element by element.

    Notes
    -----
    expm1(-inf) is -1.

    Examples
    --------
    >>> expm1(np.array([-1e-8, 1, -np.inf], np.float32))
    array([-9.9999999e-09,  1.7182819e+00, -1.0000000e+00], dtype=float32)
    """
    return _applied("expm1", x, None, dtype, out)


def log(x: Array, dtype: DTypeLike = np.float32, out: Array | None = None) -> Array:
    """Return the natural logarithm of x, element by element.

    Notes
    -----
    log(±0) is -inf; a negative x gives NaN.
    """
    return _applied("log", x, None, dtype, out)


def sin(x: Array, dtype: DTypeLike = np.float32, out: Array | None = None) -> Array:
    """Return the sine of x radians, element by element.

    Notes
    -----
    An infinite x gives NaN. Every x is reduced exactly, however large.
    """
    return _applied("sin", x, None, dtype, out)


def cos(x: Array, dtype: DTypeLike = np.float32, out: Array | None = None) -> Array:
    """Return the cosine of x radians, element by element.

    Notes
    -----
    An infinite x gives NaN. Every x is reduced exactly, however large.
    """
    return _applied("cos", x, None, dtype, out)


def tan(x: Array, dtype: DTypeLike = np.float32, out: Array | None = None) -> Array:
    """Return the tangent of x radians, element by element.

    Notes
    -----
    An infinite x gives NaN. Every x is reduced exactly, however large.
    """
    return _applied("tan", x, None, dtype, out)


def asin(x: Array, dtype: DTypeLike = np.float32, out: Array | None = None) -> Array:
    """Return the angle from -pi/2 to pi/2 whose sine is x, element by element.

    Notes
    -----
    |x| > 1 gives NaN.
    """
    return _applied("asin", x, None, dtype, out)


def acos(x: Array, dtype: DTypeLike = np.float32, out: Array | None = None) -> Array:
    """Return the angle from 0 to pi whose cosine is x, element by element.

    Notes
    -----
    |x| > 1 gives NaN; acos(1) is +0.
    """
    return _applied("acos", x, None, dtype, out)


def atan(x: Array, dtype: DTypeLike = np.float32, out: Array | None = None) -> Array:
    """Return the angle from -pi/2 to pi/2 whose tangent is x, element by element."""
    return _applied("atan", x, None, dtype, out)


def sinh(x: Array, dtype: DTypeLike = np.float32, out: Array | None = None) -> Array:
    """Return the hyperbolic sine of x, element by element."""
    return _applied("sinh", x, None, dtype, out)


def cosh(x: Array, dtype: DTypeLike = np.float32, out: Array | None = None) -> Array:
    """Return the hyperbolic cosine of x, element by element."""
    return _applied("cosh", x, None, dtype, out)


def tanh(x: Array, dtype: DTypeLike = np.float32, out: Array | None = None) -> Array:
    """Return the hyperbolic tangent of x, element by element."""
    return _applied("tanh", x, None, dtype, out)


def asinh(x: Array, dtype: DTypeLike = np.float32, out: Array | None = None) -> Array:
    """Return the number whose hyperbolic sine is x, element by element."""
    return _applied("asinh", x, None, dtype, out)


def acosh(x: Array, dtype: DTypeLike = np.float32, out: Array | None = None) -> Array:
    """Return the number from 0 on whose hyperbolic cosine is x, element by element.

    Notes
    -----
    x < 1 gives NaN.
    """
    return _applied("acosh", x, None, dtype, out)


def atanh(x: Array, dtype: DTypeLike = np.float32, out: Array | None = None) -> Array:
    """Return the number whose hyperbolic tangent is x, element by element.

    Notes
    -----
    atanh(±1) is ±inf; |x| > 1 gives NaN.
    """
    return _applied("atanh", x, None, dtype, out)


def erf(x: Array, dtype: DTypeLike = np.float32, out: Array | None = None) -> Array:
    """Return the error function, element by element.

    Notes
    -----
    It is 2 / sqrt(pi) times the integral of e^(-t^2) from 0 to x.
    """
    return _applied("erf", x, None, dtype, out)


def sigmoid(x: Array, dtype: DTypeLike = np.float32, out: Array | None = None) -> Array:
    """Return 1 / (1 + e^-x), element by element."""
    return _applied("sigmoid", x, None, dtype, out)


def softplus(x: Array, dtype: DTypeLike = np.float32, out: Array | None = None) -> Array:
    """Return log(1 + e^x), element by element."""
    return _applied("softplus", x, None, dtype, out)


def gelu(x: Array, dtype: DTypeLike = np.float32, out: Array | None = None) -> Array:
    """Return x (1 + erf(x / sqrt(2))) / 2, element by element.

    Notes
    -----
    It has the sign of x; gelu(-inf) is -0, which it comes near to.

    Examples
    --------
    >>> gelu(np.array([-5.6, 0, 2], np.float32))
    array([-6.0018536e-08,  0.0000000e+00,  1.9544997e+00], dtype=float32)
    """
    return _applied("gelu", x, None, dtype, out)


def sqrt(x: Array, dtype: DTypeLike = np.float32, out: Array | None = None) -> Array:
    """Return the square root of x, element by element.

    Notes
    -----
    sqrt(-0) is -0; a negative x gives NaN.
    """
    return _applied("sqrt", x, None, dtype, out)


def rsqrt(x: Array, dtype: DTypeLike = np.float32, out: Array | None = None) -> Array:
    """Return 1 / sqrt(x), element by element.

    Notes
    -----
    rsqrt(±0) is ±inf; a negative x gives NaN.
    """
    return _applied("rsqrt", x, None, dtype, out)


def recip(x: Array, dtype: DTypeLike = np.float32, out: Array | None = None) -> Array:
    """Return 1 / x, element by element.

    Notes
    -----
    recip(±0) is ±inf.
    """
    return _applied("recip", x, None, dtype, out)


def pow(  # noqa: A001 (the function's name)
    x: Array, y: Array | np.float32, dtype: DTypeLike = np.float32, out: Array | None = None
) -> Array:
    """Return x^y, element by element; sizes are broadcast.

    Notes
    -----
    pow(x, ±0) and pow(1, y) are 1 for any x and y, NaN included, and so is pow(-1, ±inf). A finite
    negative x needs an integer y, and gives NaN for any other. Zeros and infinities give what
    IEEE 754-2019, 9.2.1 lists.

    Examples
    --------
    >>> pow(np.array([2, -2, 0], np.float32), np.array([0.5, 3, -1], np.float32))
    array([ 1.4142135, -8.       ,        inf], dtype=float32)
    """
    return _applied("pow", x, y, dtype, out)


def atan2(y: Array, x: Array, dtype: DTypeLike = np.float32, out: Array | None = None) -> Array:
    """Return the angle of the point (x, y), from -pi to pi; sizes are broadcast.

    Notes
    -----
    Zeros and infinities give what IEEE 754-2019, 9.2.1 lists: atan2(+0, -0) is pi.
    """
    return _applied("atan2", y, x, dtype, out)


def _power_step(x: Any, y: Any, *, outputs: Sequence[Any]) -> _native.Step:
    """Return the native form of `integer_power`."""
    (out,) = outputs
    return _native.integer_power_step(
        x.repeated(out.sizes).place, y.repeated(out.sizes).place, out.place
    )


@word(
    "x",
    "y",
    results=lambda x, y: [(np.broadcast_shapes(x.shape, y.shape), x.dtype)],
    native=_power_step,
)
def integer_power(x: Array, y: Array) -> Array:
    """Return x^y for integers modulo 2^bits of x; sizes are broadcast.

    Notes
    -----
    A power with a negative exponent is truncated: it is 1 for 1, 1 or -1 for -1, and 0 for anything
    else, 0 included. x^0 is 1.

    Examples
    --------
    >>> integer_power(np.array([3, -1, 2], np.int8), np.array([5, -3, -1], np.int32))
    array([-13,  -1,   0], dtype=int8)
    """
    x, y = np.broadcast_arrays(x, y)
    dtype = x.dtype
    # In unsigned numbers, which wrap by definition.
    factor = x.astype(f"u{dtype.itemsize}")
    result = np.ones_like(factor)
    rest = np.where(y < 0, 0, y).astype(np.uint64)
    while rest.any():
        result = np.where(rest & np.uint64(1), result * factor, result)
        factor = factor * factor
        rest >>= np.uint64(1)
    power = result.view(dtype)
    if y.dtype.kind == "i":
        minus_one = (x == -1) if dtype.kind == "i" else np.zeros_like(x, np.bool_)
        of_unit = np.where(minus_one & (y & 1 == 0), 1, x).astype(dtype)
        truncated = np.where((x == 1) | minus_one, of_unit, 0).astype(dtype)
        power = np.where(y < 0, truncated, power)
    return power


def _applied(
    name: str, x: Array, y: Array | np.float32 | None, dtype: DTypeLike, out: Array | None
) -> Array:
    """Return a function of arrays, as a new array or in `out`."""
    if isinstance(x, StandIn):
        written_down: Array = x.applied(name, y, dtype)
        return written_down
    x = _single(x)
    shape = x.shape
    if y is not None:
        y = _single(np.asarray(y))
        if y.shape != shape:
            shape = np.broadcast_shapes(shape, y.shape)
    if out is None:
        out = np.empty(shape, _result_dtype(dtype))
    elif out.dtype not in _RESULTS or out.shape != shape:
        raise LayoutError(
            f"needs FLOAT32 or FLOAT16 of sizes {shape}",
            given=f"{out.dtype} of sizes {out.shape}",
            field="out",
        )
    _native.apply_function(_INDICES[name], out, x, y, Settings.policy)
    return out


def _single(x: Array) -> Array:
    """Return an argument as FLOAT32."""
    if x.dtype == _FLOAT32:
        return x
    if x.dtype not in _RESULTS:
        raise DataTypeError(
            "needs FLOAT32, or FLOAT16 to be widened", given=f"{x.dtype}", field="x"
        )
    return x.astype(_FLOAT32)


def _result_dtype(dtype: DTypeLike) -> np.dtype[Any]:
    result = np.dtype(dtype)
    if result not in _RESULTS:
        raise DataTypeError("needs FLOAT32 or FLOAT16", given=f"{result}", field="dtype")
    return result
