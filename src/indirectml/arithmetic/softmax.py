"""Softmax and its relatives: numbers that say how large elements are beside their neighbours."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import DTypeLike

from indirectml import _native
from indirectml.arithmetic.basics import Array
from indirectml.arithmetic.sums import (
    Axes,
    empty_rows,
    group_size,
    grouped,
    index_of_largest,
    readable,
    rows_of,
    spread,
)
from indirectml.arithmetic.words import word
from indirectml.core.settings import Settings


def _step(*, is_log: bool) -> Any:
    """Return what makes the native form of softmax, or of its logarithm."""

    def made(x: Any, axes: Axes, *, outputs: Sequence[Any], **_: Any) -> _native.Step | None:
        (out,) = outputs
        if x.place[2] not in "ef" or out.place[2] not in ("f" if is_log else "efd"):
            return None
        place, size = rows_of(x, axes)
        return _native.softmax_step(place, size, is_log, rows_of(out, axes)[0])

    return made


@word(
    "x",
    native=_step(is_log=False),
    results=lambda x, dtype=np.float64, **_: [(x.shape, dtype)],
    takes_halves=True,
)
def softmax(x: Array, axes: Axes, dtype: DTypeLike = np.float64, out: Array | None = None) -> Array:
    """Return powers of e divided by their sum along axes.

    Parameters
    ----------
    x : array of floats
        FLOAT16 is widened.
    axes : sequence of int
        From 0, each once.
    dtype : data type
        Of the result: FLOAT64, FLOAT32 or FLOAT16.
    out : array of floats, optional
        Where the results go, rounded to its data type: packed, and apart from x.

    Notes
    -----
    t = x - m with m the largest element along the axes, and e = exp(t), both in FLOAT32; s is the
    sum of e by rule S16; e * (1 / s), quotient and product in FLOAT64, is rounded once to `dtype`.
    Where m is infinite or NaN the results are NaN.

    Examples
    --------
    >>> softmax(np.array([0, 0, -np.inf], np.float32), [0])
    array([0.5, 0.5, 0. ])
    """
    result = empty_rows(x, axes, dtype, out)
    if x.size:
        _native.softmax(_rows(x, axes), result, Settings.policy)
    return spread(result, x, axes, out)


@word(
    "x",
    results=lambda x, **_: [(x.shape, np.float32)],
    native=_step(is_log=True),
    takes_halves=True,
)
def log_softmax(x: Array, axes: Axes, out: Array | None = None) -> Array:
    """Return the logarithms of softmax along axes, in FLOAT32.

    t - log(s), with t and s as in `softmax`, s rounded to FLOAT32, and logarithm and difference
    rounded to FLOAT32 each. `out` is as there, of FLOAT32.
    """
    result = empty_rows(x, axes, np.float32, out)
    if x.size:
        _native.log_softmax(_rows(x, axes), result, Settings.policy)
    return spread(result, x, axes, out)


def _hard_step(x: Any, axes: Axes, *, outputs: Sequence[Any]) -> _native.Step | None:
    """Return the native form of `hardmax`."""
    (out,) = outputs
    if out.place[2] != "f":
        return None
    place, size = rows_of(x, axes)
    return _native.hardmax_step(place, size, rows_of(out, axes)[0])


@word("x", results=lambda x, **_: [(x.shape, np.float32)], native=_hard_step, takes_halves=True)
def hardmax(x: Array, axes: Axes) -> Array:
    """Return 1 for the first of the largest elements along axes and 0 for all others, in FLOAT32.

    A NaN counts as the largest, and +0 as larger than -0.
    """
    numbers = np.arange(group_size(x, axes))
    sizes = [x.shape[axis] if axis in axes else 1 for axis in range(x.ndim)]
    chosen: Array = numbers.reshape(sizes) == index_of_largest(x, axes)
    return chosen.astype(np.float32)


def _rows(x: Array, axes: Axes) -> Array:
    """Return groups as rows of FLOAT32 or FLOAT16."""
    narrow = x.astype(np.float32) if x.dtype == np.float64 else x
    return readable(grouped(narrow, axes)).reshape(-1, group_size(x, axes))
