"""Softmax and its relatives: numbers that say how large elements are beside their neighbours."""

from __future__ import annotations

import numpy as np

from indirectml.arithmetic.basics import Array
from indirectml.arithmetic.functions import exp, log
from indirectml.arithmetic.sums import Axes, group_size, index_of_largest, largest, quieted, sum16


def softmax(x: Array, axes: Axes) -> Array:
    """Return powers of e divided by their sum along axes, in FLOAT64.

    t = x - m with m the largest element along the axes, and e = exp(t), both in FLOAT32; s is the
    sum of e by rule S16; the result is e * (1 / s), quotient and product in FLOAT64. FLOAT16 is
    widened first. Where m is infinite or NaN the results are NaN.

    Examples
    --------
    >>> softmax(np.array([0, 0, -np.inf], np.float32), [0])
    array([0.5, 0.5, 0. ])
    """
    _, e, s = _shifted_powers(x, axes)
    with np.errstate(all="ignore"):
        return quieted(e.astype(np.float64) * (1 / s))


def log_softmax(x: Array, axes: Axes) -> Array:
    """Return the logarithms of softmax along axes, in FLOAT32.

    t - log(s), with t and s as in `softmax`, s rounded to FLOAT32, and logarithm and difference
    rounded to FLOAT32 each.
    """
    t, _, s = _shifted_powers(x, axes)
    with np.errstate(all="ignore"):
        return quieted(t - log(s.astype(np.float32)))


def hardmax(x: Array, axes: Axes) -> Array:
    """Return 1 for the first of the largest elements along axes and 0 for all others, in FLOAT32.

    A NaN counts as the largest, and +0 as larger than -0.
    """
    numbers = np.arange(group_size(x, axes))
    sizes = [x.shape[axis] if axis in axes else 1 for axis in range(x.ndim)]
    chosen: Array = numbers.reshape(sizes) == index_of_largest(x, axes)
    return chosen.astype(np.float32)


def _shifted_powers(x: Array, axes: Axes) -> tuple[Array, Array, Array]:
    wide = x.astype(np.float32)
    with np.errstate(all="ignore"):
        t = wide - largest(wide, axes)
    e = exp(t)
    return t, e, sum16(e, axes)
