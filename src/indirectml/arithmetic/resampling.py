"""Resampling: each output is a weighted sum of inputs, along one axis after another.

Where an output lies among the inputs of an axis is (i - output offset) / scale - input offset, in
FLOAT64: quotient and both differences are rounded. The page of DML_RESAMPLE1_OPERATOR_DESC has the
same the other way around: output = (input + input offset) * scale + output offset. Coordinates are
clamped to the first and the last input, but under antialiasing, where positions beyond are those.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from math import prod
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import DTypeLike

from indirectml import _native
from indirectml.arithmetic.basics import Array
from indirectml.arithmetic.sums import are_floats, readable
from indirectml.arithmetic.words import word
from indirectml.core.settings import Settings

Rounding = Literal["down", "up", "half down", "half up"]


#: 1 / scale > 2, as the page of DML_RESAMPLE3_OPERATOR_DESC has it.
_ANTIALIASED_BELOW = 0.5


class Taps(NamedTuple):
    """Which inputs make the outputs along an axis, and how much each counts.

    Row i belongs to output i. `indices` (INT64) and `weights` (FLOAT64) have the same sizes
    [outputs, taps]; a tap of weight 0 is left out.
    """

    indices: Array
    weights: Array


def coordinates(
    input_size: int,
    output_size: int,
    scale: float,
    input_offset: float = 0.5,
    output_offset: float = -0.5,
) -> Array:
    """Return where the outputs of an axis lie among its inputs, clamped, in FLOAT64.

    Parameters
    ----------
    input_size, output_size : int
        Elements along the axis; at least 1.
    scale, input_offset, output_offset : float
        FLOAT32 numbers, widened. Scale is more than 0.

    Examples
    --------
    >>> coordinates(2, 4, 2.0)
    array([0.  , 0.25, 0.75, 1.  ])
    """
    return np.clip(
        _unclamped(output_size, scale, input_offset, output_offset), 0.0, float(input_size - 1)
    )


def nearest_indices(at: Array, input_size: int, rounding: Rounding) -> Array:
    """Return the inputs next to coordinates, as INT64.

    Parameters
    ----------
    at : array of FLOAT64
        Coordinates from 0 to input_size - 1, or beyond; the result is clamped.
    input_size : int
        Elements along the axis.
    rounding : str
        "down" and "up" go to the next integer in that direction; "half down" and "half up" to the
        nearest, and from the middle in that direction: ceil(at - 0.5) and floor(at + 0.5).
    """
    whole = {
        "down": lambda: np.floor(at),
        "up": lambda: np.ceil(at),
        "half down": lambda: np.ceil(at - 0.5),
        "half up": lambda: np.floor(at + 0.5),
    }[rounding]()
    return np.clip(whole, 0, input_size - 1).astype(np.int64)


def linear_taps(at: Array, input_size: int) -> Taps:
    """Return the taps of linear interpolation at clamped coordinates.

    Of a coordinate x, floor(x) counts 1 - (x - floor(x)) and the input after it x - floor(x).
    """
    low = np.floor(at)
    share = at - low
    first = low.astype(np.int64)
    after = np.minimum(first + 1, input_size - 1)
    return Taps(np.stack([first, after], 1), np.stack([1 - share, share], 1))


def antialiased_taps(
    input_size: int,
    output_size: int,
    scale: float,
    input_offset: float = 0.5,
    output_offset: float = -0.5,
) -> Taps:
    """Return the taps of linear interpolation under which every input counts when scaling down.

    Where 1 / scale is more than 2, the triangle of linear interpolation is as wide as that: input j
    counts 1 - |j - x| * scale for the coordinate x, which is not clamped here, if that is more than
    0. Inputs before the first and after the last one are those, and all weights of an output are
    divided by their sum, added one after the other in the order of j. With a larger scale these are
    `linear_taps`.
    """
    if scale >= _ANTIALIASED_BELOW:
        at = coordinates(input_size, output_size, scale, input_offset, output_offset)
        return linear_taps(at, input_size)
    factor = np.float64(np.float32(scale))
    at = _unclamped(output_size, scale, input_offset, output_offset)
    reach = int(np.ceil(1 / factor)) + 1
    j = np.floor(at)[:, None] + np.arange(-reach, reach + 1)
    weights = 1 - np.abs(j - at[:, None]) * factor
    weights = np.where(weights > 0, weights, 0.0)
    sums = np.zeros(output_size)
    for k in range(weights.shape[1]):
        sums = sums + weights[:, k]
    indices = np.clip(j, 0, input_size - 1).astype(np.int64)
    return Taps(indices, weights / sums[:, None])


def transposed(taps: Taps, input_size: int) -> Taps:
    """Return the taps of the gradient: from outputs back to inputs, in the order of outputs."""
    rows: list[list[tuple[int, float]]] = [[] for _ in range(input_size)]
    for i in range(taps.indices.shape[0]):
        for at, weight in zip(taps.indices[i].tolist(), taps.weights[i].tolist(), strict=True):
            if weight != 0:
                rows[at].append((i, weight))
    width = max(1, *(len(row) for row in rows))
    indices, weights = np.zeros((input_size, width), np.int64), np.zeros((input_size, width))
    for at, row in enumerate(rows):
        for k, (i, weight) in enumerate(row):
            indices[at, k], weights[at, k] = i, weight
    return Taps(indices, weights)


def nearest_taps(indices: Array) -> Taps:
    """Return taps that take one input each: those of `nearest_indices`, for `transposed`."""
    return Taps(indices[:, None], np.ones((len(indices), 1)))


def _step(
    x: Any, taps: Mapping[int, Taps], *, outputs: Sequence[Any], **_: Any
) -> _native.Step | None:
    """Return the native form of `resample`."""
    (out,) = outputs
    if not are_floats(out) or 0 in (*x.sizes, *out.sizes):
        return None
    passes = [each.given for each in _passes(x.sizes, taps)]
    return _native.resample_step(x.place, passes, out.place)


class _Pass(NamedTuple):
    """What the native code does at once: along the last axis or another one, or along both."""

    #: Slices, rows and columns, rows and columns of the result, and taps down and across.
    sizes: list[int]
    down: Taps
    across: Taps
    output_sizes: list[int]

    @property
    def given(self) -> tuple[list[int], Array, Array, Array, Array]:
        """As the native code takes it."""
        return (self.sizes, *_columns_of(self.down), *_columns_of(self.across))


def _passes(sizes: Sequence[int], taps: Mapping[int, Taps]) -> Iterator[_Pass]:
    """Yield passes, the last axis first, and with it the one before it."""
    given, last = list(sizes), len(sizes) - 1
    axes = sorted(taps, reverse=True)
    if not axes:  # what is left is the rounding
        yield _Pass([1, 1, prod(sizes), 1, prod(sizes), 0, 0], _NO_TAPS, _NO_TAPS, given)
    while axes:
        axis = axes.pop(0)
        across, down = (axis, None) if axis == last else (None, axis)
        if across is not None and axes and axes[0] == last - 1:
            down = axes.pop(0)
        first = last if down is None else down
        after = first if down is None else first + 1
        made = [len(taps[k].weights) if k in (across, down) else n for k, n in enumerate(given)]
        rows = (1, 1) if down is None else (given[down], made[down])
        pair = [_NO_TAPS if k is None else taps[k] for k in (down, across)]
        counts = [each.weights.shape[1] for each in pair]
        columns = prod(given[after:]), prod(made[after:])
        numbers = [prod(given[:first]), rows[0], columns[0], rows[1], columns[1], *counts]
        yield _Pass(numbers, pair[0], pair[1], made)
        given = made


def _columns_of(taps: Taps) -> tuple[Array, Array]:
    """Return taps as the native code takes them: a row for each tap."""
    return (
        np.ascontiguousarray(taps.indices.T.astype(np.int32)),
        np.ascontiguousarray(taps.weights.T),
    )


@word(
    "x",
    native=_step,
    results=lambda x, taps, dtype=np.float64: [
        ([len(taps[k].weights) if k in taps else n for k, n in enumerate(x.shape)], dtype)
    ],
    takes_halves=True,
)
def resample(
    x: Array,
    taps: Mapping[int, Taps],
    dtype: DTypeLike = np.float64,
    out: Array | None = None,
) -> Array:
    """Return weighted sums along axes.

    Parameters
    ----------
    x : array of numbers
        Widened to FLOAT64 exactly.
    taps : dict of int to Taps
        By axis, from 0. Other axes stay as they are.
    dtype : data type
        Of the result: FLOAT64, FLOAT32 or FLOAT16.
    out : array of floats, optional
        Where the results go, rounded to its data type: packed, and apart from x.

    Notes
    -----
    Along the last of the axes first, then the one before it. A sum is one chain in the order of
    taps: the first product, then total + next product, each rounded to FLOAT64; taps of weight 0
    are left out, so that an infinity next to a coordinate does not become NaN. An output without
    taps is +0. The results are rounded once to `dtype`.

    Examples
    --------
    >>> x = np.array([0, 8], np.float32)
    >>> resample(x, {0: linear_taps(coordinates(2, 4, 2.0), 2)})
    array([0., 2., 6., 8.])
    """
    result = x if x.dtype.kind == "f" else x.astype(np.float64)
    passes = list(_passes(x.shape, taps))
    for each in passes:
        to = (dtype, out) if each is passes[-1] else (np.float64, None)
        result = _resampled(result, each, *to)
    return result


def _take_step(x: Any, indices: Mapping[int, Array], *, outputs: Sequence[Any]) -> _native.Step:
    """Return the native form of `take_nearest`."""
    at = [indices[k].tolist() if k in indices else None for k in range(len(x.sizes))]
    return _native.take_step(x.place, at, outputs[0].place)


@word(
    "x",
    native=_take_step,
    results=lambda x, indices: [
        ([len(indices[k]) if k in indices else n for k, n in enumerate(x.shape)], x.dtype)
    ],
    keeps_bits=True,
    takes_halves=True,
    gives_elements=True,
)
def take_nearest(x: Array, indices: Mapping[int, Array], out: Array | None = None) -> Array:
    """Return the elements at indices along axes, bit for bit; in `out`, if given, apart from x."""
    if not indices:
        return x
    # The last axis first, so that what is repeated after it are whole rows. Nothing is clipped: so
    # called, NumPy writes at once, and does not look at all indices before.
    *axes, first = sorted(indices, reverse=True)
    for axis in axes:
        x = x.take(indices[axis], axis, mode="clip")
    return x.take(indices[first], first, mode="clip", out=out)


_NO_TAPS = Taps(np.zeros((1, 0), np.int64), np.zeros((1, 0)))


def _resampled(x: Array, how: _Pass, dtype: DTypeLike, out: Array | None = None) -> Array:
    """Return what a pass makes of an array."""
    result = np.empty(how.output_sizes, dtype) if out is None else out
    if result.size:
        contiguous = readable(np.ascontiguousarray(x))
        _native.resample(contiguous, *how.given, result, Settings.policy)
    return result


def _unclamped(output_size: int, scale: float, input_offset: float, output_offset: float) -> Array:
    factor, before, after = (
        np.float64(np.float32(v)) for v in (scale, input_offset, output_offset)
    )
    result: Array = (np.arange(output_size, dtype=np.float64) - after) / factor - before
    return result
