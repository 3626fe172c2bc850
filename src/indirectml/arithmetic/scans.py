"""Running results along an axis, the largest elements in order, and where elements are not zero."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Any, Literal, NamedTuple

import numpy as np

from indirectml import _native
from indirectml.arithmetic.basics import Array, coordinates
from indirectml.arithmetic.gathering import scatter_elements
from indirectml.arithmetic.sums import ordered_keys, quieted, readable
from indirectml.arithmetic.words import word
from indirectml.core.settings import Settings

#: Whether they are floats, and their bytes, in the order of `ScanType` in native/sums/scans.h.
_TYPES = ((False, 1), (False, 2), (False, 4), (False, 8), (True, 4), (True, 8))


class TopK(NamedTuple):
    """Elements along an axis in the order of numbers, and their places along it."""

    values: Array
    indices: Array


def _scan_step(
    x: Any,
    *,
    kind: str,
    axis: int,
    exclusive: bool,
    reverse: bool,
    outputs: Sequence[Any],
) -> _native.Step | None:
    """Return the native form of `scan`."""
    (out,) = outputs
    if out.place[2] != ("f" if x.place[2] == "e" else x.place[2]):
        return None
    return _native.scan_step(x.place, axis, kind == "product", exclusive, reverse, out.place)


def _top_k_step(
    x: Any, *, axis: int, count: int, smallest: bool = False, outputs: Sequence[Any]
) -> _native.Step | None:
    """Return the native form of `top_k`."""
    values, indices = outputs
    if x.place[2] != values.place[2]:
        return None
    return _native.top_k_step(x.place, axis, count, smallest, values.place, indices.place)


@word(
    "x",
    results=lambda x, **_: [(x.shape, np.float32 if x.dtype == np.float16 else x.dtype)],
    native=_scan_step,
    takes_halves=True,
)
def scan(
    kind: Literal["sum", "product"], x: Array, axis: int, *, exclusive: bool, reverse: bool
) -> Array:
    """Return running sums or products along an axis.

    Parameters
    ----------
    kind : str
        "sum" or "product".
    x : array of numbers
        Any sizes and strides. FLOAT16 is widened: the results are FLOAT32.
    axis : int
        From 0.
    exclusive : bool
        Whether an element itself is left out; the first result is then 0 or 1.
    reverse : bool
        Whether they run from the last element to the first.

    Notes
    -----
    One chain in the data type of the results: the first element, then total + next element or total
    * next element, each rounded. Integers are taken modulo 2^bits.

    Examples
    --------
    >>> scan("sum", np.array([1, 2, 3], np.float32), 0, exclusive=True, reverse=False)
    array([0., 1., 3.], dtype=float32)
    """
    x = x.astype(np.float32) if x.dtype == np.float16 else x
    packed = readable(np.ascontiguousarray(x))
    result = np.empty(x.shape, x.dtype)
    if x.size:
        sizes = [prod(x.shape[:axis]), x.shape[axis], prod(x.shape[axis + 1 :])]
        type_number = _TYPES.index((x.dtype.kind == "f", x.dtype.itemsize))
        _native.scan(
            packed,
            type_number,
            sizes,
            kind == "product",
            exclusive,
            reverse,
            result,
            Settings.policy,
        )
    return result


@word(
    "x",
    results=lambda x, axis, count, **_: [
        ((*x.shape[:axis], count, *x.shape[axis + 1 :]), dtype) for dtype in (x.dtype, np.int64)
    ],
    native=_top_k_step,
    returns=TopK,
)
def top_k(x: Array, axis: int, count: int, *, smallest: bool = False) -> TopK:
    """Return the largest elements along an axis, largest first, and their places, as INT64.

    Parameters
    ----------
    x : array of numbers
        Any sizes and strides.
    axis : int
        From 0.
    count : int
        How many; at most the elements along the axis.
    smallest : bool
        Return the smallest elements instead, smallest first.

    Notes
    -----
    A NaN is larger than every number, +0 is larger than -0, and of equal elements the one with the
    lower index comes first, both ways. All NaNs are equal.

    Examples
    --------
    >>> top_k(np.array([1, 3, 3, 2], np.float32), 0, 3).indices
    array([1, 2, 3])
    """
    keys = ordered_keys(x)
    order = np.argsort(keys if smallest else ~keys, axis, kind="stable")
    indices = order.take(range(count), axis).astype(np.int64)
    values = np.take_along_axis(x, indices, axis)
    return TopK(quieted(values) if x.dtype.kind == "f" else values, indices)


class Nonzero(NamedTuple):
    """How many elements are not 0, and where they are."""

    total: Array
    coordinates: Array


def nonzero(x: Array, axes: int) -> Nonzero:
    """Return how many elements are not 0, and their coordinates along the last axes, as UINT32.

    A row for each element of x: those of `nonzero_coordinates`, and rows of zeros behind them.

    Examples
    --------
    >>> nonzero(np.array([[0, 5], [-0.0, 7]], np.float32), 1).coordinates.tolist()
    [[1], [1], [0], [0]]
    """
    numbers = x.astype(np.float32) if x.dtype == np.float16 else x
    is_there = (numbers != numbers.dtype.type(0)).reshape(-1)
    places = scan("sum", is_there.astype(np.uint32), 0, exclusive=False, reverse=False)
    # A place behind the last one is left out.
    at = np.where(is_there, places - np.uint32(1), np.uint32(x.size))
    along = [
        np.broadcast_to(coordinates(x.shape, axis, x), x.shape).reshape(-1, 1)
        for axis in range(x.ndim - axes, x.ndim)
    ]
    rows = np.concatenate([a.astype(np.uint32) for a in along], 1)
    zeros = np.zeros((x.size, axes), np.uint32)
    found = scatter_elements(zeros, np.broadcast_to(at[:, None], (x.size, axes)), rows, 0)
    return Nonzero(places[-1:], found)


def nonzero_coordinates(x: Array) -> Array:
    """Return the coordinates of the elements that are not 0, one row each, as INT64.

    In row-major order of x; there are x.ndim columns. -0 is 0, and NaN is not.

    Examples
    --------
    >>> nonzero_coordinates(np.array([[0, 5], [-0.0, 7]], np.float32))
    array([[0, 1],
           [1, 1]])
    """
    return np.stack(np.nonzero(x), 1).astype(np.int64)
