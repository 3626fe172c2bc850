"""The functions of REDUCE, by their names in DML_REDUCE_FUNCTION.

Each takes an array and axes, and returns what belongs into an output with size 1 along the axes:
FLOAT64 for the caller to round once, FLOAT32 where the function ends with a logarithm, elements for
MAX and MIN, INT64 for ARGMAX and ARGMIN, and the input's own type, modulo 2^bits, for integers.
FLOAT16 is widened first.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType

import numpy as np

from indirectml.arithmetic.basics import Array
from indirectml.arithmetic.functions import exp, log
from indirectml.arithmetic.sums import (
    MEAN,
    ROOT,
    SAME,
    SQUARES,
    Axes,
    group_size,
    index_of_largest,
    index_of_smallest,
    largest,
    product64,
    quieted,
    reduced_to,
    smallest,
    sum16,
    sum16_of_magnitudes,
    sum16_of_squares,
    sum_step,
    wrapped_product,
    wrapped_sum,
)
from indirectml.arithmetic.words import word


def total(x: Array, axes: Axes) -> Array:
    """Return sums in the type of x: S16 of floats, rounded once, and integers modulo 2^bits."""
    return sum16(x, axes, dtype=x.dtype) if x.dtype.kind == "f" else wrapped_sum(x, axes)


@word("x", results=reduced_to(np.float64), native=sum_step(SAME, MEAN), takes_halves=True)
def mean(x: Array, axes: Axes) -> Array:
    """Return S16 of floats divided by their count, in FLOAT64."""
    with np.errstate(all="ignore"):
        return quieted(sum16(x, axes) / np.float64(group_size(x, axes)))


def l1(x: Array, axes: Axes) -> Array:
    """Return sums of magnitudes: S16 of floats, and integers modulo 2^bits."""
    if x.dtype.kind == "f":
        return sum16_of_magnitudes(x, axes)
    return wrapped_sum(np.abs(x), axes)


def sum_square(x: Array, axes: Axes) -> Array:
    """Return sums of squares: S16 of floats, and integers modulo 2^bits."""
    if x.dtype.kind == "f":
        return sum16_of_squares(x, axes)
    return wrapped_sum(x * x, axes)


@word("x", results=reduced_to(np.float64), native=sum_step(SQUARES, ROOT), takes_halves=True)
def l2(x: Array, axes: Axes) -> Array:
    """Return square roots of sums of squares, both in FLOAT64."""
    with np.errstate(all="ignore"):
        return quieted(np.sqrt(sum16_of_squares(x, axes)))


def multiply(x: Array, axes: Axes) -> Array:
    """Return products: one FLOAT64 chain of floats, and integers modulo 2^bits."""
    return product64(x, axes) if x.dtype.kind == "f" else wrapped_product(x, axes)


def log_sum(x: Array, axes: Axes) -> Array:
    """Return, in FLOAT32, the logarithms of sums that were rounded to FLOAT32."""
    with np.errstate(all="ignore"):
        return log(sum16(x, axes, dtype=np.float32))


def log_sum_exp(x: Array, axes: Axes) -> Array:
    """Return, in FLOAT32, the logarithms of sums of powers of e.

    m is the largest element, or 0 where that is infinite. t = x - m and e = exp(t) in FLOAT32; s is
    the sum of e by rule S16, rounded to FLOAT32; the result is log(s) + m, both rounded.
    """
    wide = x.astype(np.float32)
    with np.errstate(all="ignore"):
        m = largest(wide, axes)
        m = np.where(np.isinf(m), np.float32(0), m)
        s = sum16(exp(wide - m), axes, dtype=np.float32)
        return quieted(log(s) + m)


#: By the names of DML_REDUCE_FUNCTION's members.
REDUCTIONS: Mapping[str, Callable[[Array, Axes], Array]] = MappingProxyType(
    {
        "ARGMAX": index_of_largest,
        "ARGMIN": index_of_smallest,
        "AVERAGE": mean,
        "L1": l1,
        "L2": l2,
        "LOG_SUM": log_sum,
        "LOG_SUM_EXP": log_sum_exp,
        "MAX": largest,
        "MIN": smallest,
        "MULTIPLY": multiply,
        "SUM": total,
        "SUM_SQUARE": sum_square,
    }
)
