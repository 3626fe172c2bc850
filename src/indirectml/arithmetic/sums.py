"""Sums, means, variances, products, largest and smallest numbers along any axes.

Floats may be FLOAT16, FLOAT32 or FLOAT64; the first two are widened to FLOAT64 exactly. A result of
FLOAT64 is for the caller to round once to the output's data type. Every NaN that comes out is the
positive quiet one without payload. Nothing depends on strides.

**S16**: the elements that belong to one sum are numbered 0, 1, 2, ... in row-major order over the
reduced axes, the axes ascending. Sixteen sums of FLOAT64 start from +0; element i is added to sum i
modulo 16. At the end sum i becomes sum i + sum (i + 8) for i < 8, then i + (i + 4) for i < 4,
i + (i + 2) for i < 2, and the total is the first of two added to the second. Every addition is
rounded to FLOAT64, to nearest, ties to even. More than 4,096 elements are cut into blocks of 4,096;
the totals of these are the elements of another sum by the same rule, until one is left.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import prod
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import DTypeLike

from indirectml import _native
from indirectml.arithmetic.basics import Array
from indirectml.arithmetic.words import Results, word
from indirectml.core.settings import Settings

Axes = Sequence[int]

#: Elements of a block; `kBlock` in native/sums/kernels.h.
BLOCK = 4096

#: What the native sums are of; the numbers are those of `Map` in native/sums/kernels.h.
SAME, SQUARES, _MAGNITUDES = range(3)


class Moments(NamedTuple):
    """Mean and variance of groups of elements, in FLOAT64."""

    mean: Array
    variance: Array


#: What becomes of the native sums; the numbers are those of `Finish` in native/sums/sums.h.
PLAIN, MEAN, ROOT = range(3)

#: What the native code folds; the numbers are those of `Fold` in native/sums/kernels.h.
_LARGEST, _SMALLEST, _WRAPPED_SUM, _PRODUCT = range(4)

_FLOATS = frozenset("efd")


def are_floats(*views: Any) -> bool:
    """Return whether views are of floats."""
    return all(view.place[2] in _FLOATS for view in views)


def rows_of(view: Any, axes: Axes) -> tuple[Any, int]:
    """Return where the elements of a view are, with each group as one row, and its size."""
    buffer, offset, letter, sizes, strides = view.place
    order = [axis for axis in range(len(sizes)) if axis not in axes]
    order += sorted(axes)
    place = (buffer, offset, letter, tuple(sizes[k] for k in order),
             tuple(strides[k] for k in order))  # fmt: skip
    return place, prod(sizes[axis] for axis in axes)


def keeps_or_widens(x: Any, out: Any) -> bool:
    """Return whether results have the data type of the elements, or are FLOAT16 as FLOAT32."""
    return x.place[2] == out.place[2] or x.place[2] + out.place[2] == "ef"


def sum_step(what: int, finish: int = PLAIN) -> Any:
    """Return what makes the native form of a sum."""

    def made(x: Any, axes: Axes, *, outputs: Sequence[Any], **_: Any) -> _native.Step | None:
        (out,) = outputs
        if not are_floats(x, out):
            return None
        return _native.sum_step(x.place, _mask(axes), what, finish, out.place)

    return made


def _moments_step(
    x: Any, axes: Axes, *, outputs: Sequence[Any], use_mean: bool = True
) -> _native.Step | None:
    mean, variance = outputs
    if not are_floats(x, mean, variance):
        return None
    return _native.moments_step(x.place, _mask(axes), use_mean, mean.place, variance.place)


def _fold_step(fold: int) -> Any:
    """Return what makes the native form of a fold."""

    def made(x: Any, axes: Axes, *, outputs: Sequence[Any], **_: Any) -> _native.Step | None:
        (out,) = outputs
        is_product_of_floats = fold == _PRODUCT and are_floats(x, out)
        if not (keeps_or_widens(x, out) or is_product_of_floats):
            return None
        place = x.place
        if fold in (_LARGEST, _SMALLEST) and len(axes) == len(x.sizes):
            # In the order in which they lie: any gives the same.
            buffer, offset, letter, sizes, strides = place
            lying = sorted(zip(strides, sizes, strict=True), reverse=True)
            place = (buffer, offset, letter, tuple(n for _, n in lying), tuple(s for s, _ in lying))
        return _native.fold_step(place, _mask(axes), fold, out.place)

    return made


def _index_step(*, of_smallest: bool) -> Any:
    """Return what makes the native form of a search."""

    def made(
        x: Any, axes: Axes, *, outputs: Sequence[Any], last: bool = False, **_: Any
    ) -> _native.Step:
        return _native.index_step(x.place, _mask(axes), of_smallest, last, outputs[0].place)

    return made


def reduced_to(dtype: DTypeLike | None) -> Results:
    """Return the results of a reduction: of a data type, or of that of the elements."""

    def results(x: Array, axes: Axes, keepdims: bool = True, **fields: object) -> list[Any]:  # noqa: FBT001, FBT002 (as words have it)
        sizes = reduced_sizes(x, axes)
        if not keepdims:
            sizes = [n for k, n in enumerate(x.shape) if k not in axes]
        return [(sizes, fields.get("dtype", dtype or x.dtype))]

    return results


@word("x", results=reduced_to(np.float64), native=sum_step(SAME), takes_halves=True)
def sum16(x: Array, axes: Axes, *, keepdims: bool = True, dtype: DTypeLike = np.float64) -> Array:
    """Return sums along axes by rule S16.

    Parameters
    ----------
    x : array of floats
        Any sizes and strides.
    axes : sequence of int
        From 0, each once, in any order. Without axes each element is a group of its own.
    keepdims : bool
        Whether summed axes stay, with size 1.
    dtype : data type
        FLOAT64, or FLOAT32 or FLOAT16, to which sums are rounded once.

    Notes
    -----
    A sum of -0 alone, or of nothing, is +0.

    Examples
    --------
    >>> sum16(np.array([[1, 2], [3, 4]], np.float32), [1])
    array([[3.],
           [7.]])
    """
    return _summed(x, axes, SAME, keepdims=keepdims, dtype=dtype)


@word("x", results=reduced_to(np.float64), native=sum_step(SQUARES), takes_halves=True)
def sum16_of_squares(x: Array, axes: Axes, *, keepdims: bool = True) -> Array:
    """Return sums of squares along axes by rule S16, in FLOAT64.

    Squares are taken in FLOAT64, which holds those of FLOAT16 and FLOAT32 exactly.
    """
    return _summed(x, axes, SQUARES, keepdims=keepdims)


@word("x", results=reduced_to(np.float64), native=sum_step(_MAGNITUDES), takes_halves=True)
def sum16_of_magnitudes(x: Array, axes: Axes, *, keepdims: bool = True) -> Array:
    """Return sums of magnitudes along axes by rule S16, in FLOAT64."""
    return _summed(x, axes, _MAGNITUDES, keepdims=keepdims)


@word("x", results=reduced_to(np.float64), native=_fold_step(_PRODUCT), takes_halves=True)
def product64(x: Array, axes: Axes, *, keepdims: bool = True) -> Array:
    """Return products along axes in FLOAT64.

    One chain: from 1, element after element in row-major order over the axes, each product rounded.
    """
    rows = grouped(x, axes).astype(np.float64)
    result = np.ones(rows.shape[:-1])
    with np.errstate(all="ignore"):
        for k in range(rows.shape[-1]):
            result = result * rows[..., k]
    return ungrouped(quieted(result), x, axes, keepdims=keepdims)


@word(
    "x",
    results=lambda x, axes, **_: [(reduced_sizes(x, axes), np.float64)] * 2,
    native=_moments_step,
    returns=Moments,
    takes_halves=True,
)
def moments(x: Array, axes: Axes, *, use_mean: bool = True) -> Moments:
    """Return mean and variance along axes, both in FLOAT64, axes kept with size 1.

    Parameters
    ----------
    x : array of floats
        Any sizes and strides.
    axes : sequence of int
        From 0, each once.
    use_mean : bool
        Without it the mean is +0, in the variance too.

    Notes
    -----
    mean = S16 of the elements / count. variance = S16 of (x - mean) * (x - mean) / count, where
    difference, product and quotient are rounded to FLOAT64 each. The count is that of the elements
    of a group; nothing is subtracted from it.
    """
    sizes = reduced_sizes(x, axes)
    if not x.size:
        return Moments(np.zeros(sizes), np.zeros(sizes))
    mean, variance = np.empty(sizes), np.empty(sizes)
    _native.moments(readable(x), _mask(axes), use_mean, mean, variance, Settings.policy)
    return Moments(mean, variance)


@word(
    "x",
    results=reduced_to(None),
    native=_fold_step(_LARGEST),
    takes_halves=True,
    gives_elements=True,
)
def largest(x: Array, axes: Axes, *, keepdims: bool = True) -> Array:
    """Return the largest numbers along axes: a NaN wins, and +0 is larger than -0."""
    return _extreme(x, axes, np.maximum, winning_zero=0.0, keepdims=keepdims)


@word(
    "x",
    results=reduced_to(None),
    native=_fold_step(_SMALLEST),
    takes_halves=True,
    gives_elements=True,
)
def smallest(x: Array, axes: Axes, *, keepdims: bool = True) -> Array:
    """Return the smallest numbers along axes: a NaN wins, and -0 is smaller than +0."""
    return _extreme(x, axes, np.minimum, winning_zero=-0.0, keepdims=keepdims)


@word("x", results=reduced_to(np.int64), native=_index_step(of_smallest=False), takes_halves=True)
def index_of_largest(x: Array, axes: Axes, *, last: bool = False, keepdims: bool = True) -> Array:
    """Return the numbers of the largest elements along axes, as INT64.

    Elements are numbered in row-major order over the axes, ascending. A NaN wins, and +0 is larger
    than -0. Of equal elements it is the first, or with `last` the last; all NaNs are equal.
    """
    return _index(x, axes, np.argmax, winning_zero=0.0, last=last, keepdims=keepdims)


@word("x", results=reduced_to(np.int64), native=_index_step(of_smallest=True), takes_halves=True)
def index_of_smallest(x: Array, axes: Axes, *, last: bool = False, keepdims: bool = True) -> Array:
    """Return the numbers of the smallest elements along axes, as INT64.

    As `index_of_largest`; a NaN wins here too.
    """
    return _index(x, axes, np.argmin, winning_zero=-0.0, last=last, keepdims=keepdims)


@word("x", results=reduced_to(None), native=_fold_step(_WRAPPED_SUM))
def wrapped_sum(x: Array, axes: Axes, *, keepdims: bool = True) -> Array:
    """Return sums of integers along axes, modulo 2^bits, in their own data type."""
    rows = grouped(x, axes)
    return ungrouped(np.add.reduce(rows, -1, dtype=x.dtype), x, axes, keepdims=keepdims)


@word("x", results=reduced_to(None), native=_fold_step(_PRODUCT))
def wrapped_product(x: Array, axes: Axes, *, keepdims: bool = True) -> Array:
    """Return products of integers along axes, modulo 2^bits, in their own data type."""
    rows = grouped(x, axes)
    return ungrouped(np.multiply.reduce(rows, -1, dtype=x.dtype), x, axes, keepdims=keepdims)


# ---- Groups --------------------------------------------------------------------------------------


def group_size(x: Array, axes: Axes) -> int:
    """Return how many elements one group along axes has."""
    count = 1
    for axis in axes:
        count *= x.shape[axis]
    return count


def grouped(x: Array, axes: Axes) -> Array:
    """Return the elements with each group as one row along the last axis, in S16's order."""
    order = [axis for axis in range(x.ndim) if axis not in axes]
    kept = [x.shape[axis] for axis in order]
    order += sorted(axes)
    moved = x if order == list(range(x.ndim)) else x.transpose(order)
    return np.ascontiguousarray(moved).reshape(*kept, group_size(x, axes))


def ungrouped(results: Array, x: Array, axes: Axes, *, keepdims: bool) -> Array:
    """Return one result a group with the sizes that a reduction of x along axes has."""
    return results.reshape(reduced_sizes(x, axes)) if keepdims else results


def empty_rows(x: Array, axes: Axes, dtype: DTypeLike, out: Array | None = None) -> Array:
    """Return packed rows for the results of `grouped` elements, one a group.

    They are those of `out`, a packed array with the sizes of x, if rows lie there as they come; new
    ones, of a data type, without it.
    """
    size = group_size(x, axes)
    if out is not None and _is_in_order(x, axes):
        return out.reshape(-1, size)
    count = x.size // size if size else 0
    return np.empty((count, size), dtype if out is None else out.dtype)


def spread(rows: Array, x: Array, axes: Axes, out: Array | None = None) -> Array:
    """Return rows of `grouped` elements where they came from: an array with the sizes of x.

    It is `out` if that is given, which may have the rows already (see `empty_rows`).
    """
    if out is not None:
        if not _is_in_order(x, axes):
            np.copyto(out, spread(rows, x, axes))
        return out
    order = [axis for axis in range(x.ndim) if axis not in axes] + sorted(axes)
    if order == list(range(x.ndim)):
        return rows.reshape(x.shape)
    moved = rows.reshape([x.shape[axis] for axis in order])
    return moved.transpose([order.index(axis) for axis in range(x.ndim)])


def _is_in_order(x: Array, axes: Axes) -> bool:
    """Return whether the axes are the last ones, so that groups are rows as they lie."""
    return min(axes, default=x.ndim) == x.ndim - len(axes)


def reduced_sizes(x: Array, axes: Axes) -> list[int]:
    """Return the sizes of x with 1 along axes."""
    return [1 if axis in axes else size for axis, size in enumerate(x.shape)]


def tree16(sums: Array) -> Array:
    """Return the total of sixteen sums along the first axis, by the tree of rule S16."""
    with np.errstate(all="ignore"):
        for half in (8, 4, 2, 1):
            sums = sums[:half] + sums[half : 2 * half]
    return quieted(sums[0])


def readable(x: Array) -> Array:
    """Return an array that native code takes: every element at a multiple of its size."""
    return x if x.flags.aligned else x.copy()


def quieted(x: Array) -> Array:
    """Return floats with every NaN as the positive quiet one without payload."""
    result: Array = np.where(np.isnan(x), x.dtype.type(np.nan), x)
    return result


def ordered_keys(x: Array, *, nan_is_largest: bool = True) -> Array:
    """Return signed integers in the order of numbers, with -0 below +0 and all NaNs equal."""
    if x.dtype.kind == "u":
        sign = x.dtype.type(1 << (8 * x.dtype.itemsize - 1))
        flipped: Array = (x ^ sign).view(f"i{x.dtype.itemsize}")
        return flipped
    if x.dtype.kind != "f":
        return x
    # Negative floats order backwards by their magnitude bits; below the sign, flip them.
    integer = np.dtype(f"i{x.dtype.itemsize}")
    limits = np.iinfo(integer)
    bits = np.ascontiguousarray(x).view(integer)
    keys = np.where(bits < 0, bits ^ limits.max, bits)
    return np.where(np.isnan(x), limits.max if nan_is_largest else limits.min, keys)


def _mask(axes: Axes) -> int:
    """Return axes as bits."""
    return sum(1 << axis for axis in axes)


def _summed(
    x: Array, axes: Axes, what: int, *, keepdims: bool, dtype: DTypeLike = np.float64
) -> Array:
    sizes = (
        reduced_sizes(x, axes) if keepdims else [n for k, n in enumerate(x.shape) if k not in axes]
    )
    if not x.size:
        return np.zeros(sizes, dtype)
    result: Array = np.empty(sizes, dtype)
    _native.sum16(readable(x), _mask(axes), what, result, Settings.policy)
    return result


def _extreme(
    x: Array, axes: Axes, choose: np.ufunc, *, winning_zero: float, keepdims: bool
) -> Array:
    with np.errstate(all="ignore"):
        result: Array = np.asarray(choose.reduce(x, tuple(axes), keepdims=True))
    if x.dtype.kind == "f":
        result = quieted(result)
        zeros = result == 0
        if zeros.any():  # NumPy takes any zero
            has_winner = np.any(_is_zero(x, winning_zero), tuple(axes), keepdims=True)
            result[zeros] = np.where(has_winner[zeros], winning_zero, -winning_zero)
    return result if keepdims else result.squeeze(tuple(axes))


def _index(
    x: Array,
    axes: Axes,
    choose: Callable[[Array, int], Array],
    *,
    winning_zero: float,
    last: bool,
    keepdims: bool,
) -> Array:
    rows = grouped(x, axes)
    if last:
        rows = rows[..., ::-1]
    at = np.asarray(choose(rows, -1)).astype(np.int64)
    if x.dtype.kind == "f":
        zeros = np.take_along_axis(rows, at[..., None], -1)[..., 0] == 0
        if zeros.any():  # NumPy takes the first zero
            winners = _is_zero(rows[zeros], winning_zero)
            at[zeros] = np.where(winners.any(-1), np.argmax(winners, -1), at[zeros])
    if last:
        at = rows.shape[-1] - 1 - at
    return ungrouped(at, x, axes, keepdims=keepdims)


def _is_zero(x: Array, zero: float) -> Array:
    """Return where floats are a zero of this sign."""
    found: Array = (x == 0) & (np.signbit(x) == np.signbit(zero))
    return found
