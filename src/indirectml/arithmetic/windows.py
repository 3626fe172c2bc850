"""Windows that slide over the last axes of an array: pooling, its gradients, unfolding and folding.

Positions in a window are numbered in row-major order, those on padding counted; by these numbers
rule S16 (`sums.py`) adds them up, and so it does where the elements of windows are added back to
where they came from.
"""

from __future__ import annotations

import functools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields
from math import prod
from typing import Any

import numpy as np
from numpy.typing import DTypeLike

from indirectml import _native
from indirectml.arithmetic.basics import Array
from indirectml.arithmetic.functions import pow as power
from indirectml.arithmetic.sums import (
    BLOCK,
    are_floats,
    keeps_or_widens,
    ordered_keys,
    quieted,
    readable,
    sum16,
    tree16,
)
from indirectml.arithmetic.words import WINDOWED_BYTES, word
from indirectml.core.settings import Settings

#: What the sum of a window is divided by: numbers of `Divisor` in native/sums/windows.h.
_INSIDE, _ALL, _ONE = range(3)
#: Instead of one: the largest is asked for.
_LARGEST = -1
_MOST_SPATIAL = 3


@dataclass(frozen=True)
class Window:
    """Where windows lie over the last axes of an array, the spatial ones.

    Parameters
    ----------
    sizes : sequence of int
        Positions in a window, an entry per spatial axis, as in all others; at least 1.
    strides : sequence of int
        From one window to the next; at least 1.
    dilations : sequence of int
        From one position in a window to the next; at least 1.
    start_padding, end_padding : sequence of int
        How far windows reach beyond the first and the last element.
    """

    sizes: Sequence[int]
    strides: Sequence[int]
    dilations: Sequence[int]
    start_padding: Sequence[int]
    end_padding: Sequence[int]

    def __post_init__(self) -> None:
        for field in fields(self):
            object.__setattr__(self, field.name, tuple(getattr(self, field.name)))

    def output_sizes(self, input_sizes: Sequence[int]) -> tuple[int, ...]:
        """Return how many windows there are along each spatial axis.

        (input + start padding + end padding - dilation * (size - 1) - 1) // stride + 1, and none
        where a window does not fit.
        """
        spatial = input_sizes[len(input_sizes) - len(self.sizes) :]
        extents = (
            n + start + end - dilation * (size - 1) - 1
            for n, size, dilation, start, end in zip(
                spatial,
                self.sizes,
                self.dilations,
                self.start_padding,
                self.end_padding,
                strict=True,
            )
        )
        return tuple(max(e // s + 1, 0) for e, s in zip(extents, self.strides, strict=True))

    @property
    def position_count(self) -> int:
        """How many positions a window has."""
        return prod(self.sizes)

    def padded(self, x: Array) -> Array:
        """Return a copy of x with padding of zeros around its spatial axes."""
        outer = [(0, 0)] * (x.ndim - len(self.sizes))
        spatial = list(zip(self.start_padding, self.end_padding, strict=True))
        result: Array = np.pad(x, outer + spatial)
        return result

    def cropped(self, padded: Array) -> Array:
        """Return the view of a padded array without its padding."""
        sizes = padded.shape[padded.ndim - len(self.sizes) :]
        spatial = zip(self.start_padding, self.end_padding, sizes, strict=True)
        return _spatial_view(padded, [slice(start, n - end) for start, end, n in spatial])

    def positions(self, padded: Array, output_sizes: Sequence[int]) -> Iterator[Array]:
        """Yield views of a padded array: each position of all windows, in row-major order."""
        for at in np.ndindex(*self.sizes):
            starts = [k * d for k, d in zip(at, self.dilations, strict=True)]
            along = zip(starts, output_sizes, self.strides, strict=True)
            stops = ((k, k + (n - 1) * s + 1 if n else k, s) for k, n, s in along)
            yield _spatial_view(padded, [slice(*stop) for stop in stops])


def _spatial_view(x: Array, slices: list[slice]) -> Array:
    """Return a view of the last axes."""
    everything: list[slice] = [slice(None)] * (x.ndim - len(slices))
    return x[tuple(everything + slices)]


def _step(x: Any, window: Window, divisor: int, out: Any) -> _native.Step | None:
    """Return the native form of pooling."""
    if not are_floats(x, out):
        return None
    if len(window.sizes) > _MOST_SPATIAL:
        return None
    if _have_pixels(x, out, window, "ef"):
        return _step_over_pixels(x, window, divisor, out)
    return _native.windows_step(x.place, pooled(x.sizes, window)[1], divisor, out.place)


def _step_over_pixels(x: Any, window: Window, divisor: int, out: Any) -> _native.Step:
    return _native.PixelWindowsStep(x.place, pooled(x.sizes, window)[1], divisor, out.place)


def _have_pixels(x: Any, out: Any, window: Window, types: str) -> bool:
    """Return whether the channels of a pixel lie next to each other, of one of these data types."""
    has_channels = len(x.sizes) == len(window.sizes) + 2 <= _MOST_SPATIAL + 2
    return has_channels and all(v.place[2] in types and v.strides[1] == 1 for v in (x, out))


def _average_step(
    x: Any,
    window: Window,
    *,
    outputs: Sequence[Any],
    include_padding: bool = False,
    **_: Any,
) -> _native.Step | None:
    return _step(x, window, _ALL if include_padding else _INSIDE, outputs[0])


def _sum_step(x: Any, window: Window, *, outputs: Sequence[Any]) -> _native.Step | None:
    return _step(x, window, _ONE, outputs[0])


def _largest_step(x: Any, window: Window, *, outputs: Sequence[Any]) -> _native.Step | None:
    (out,) = outputs
    if x.place[2] == out.place[2] and _have_pixels(x, out, window, "bB"):
        return _step_over_pixels(x, window, _LARGEST, out)
    if x.place[2] not in "ef":
        return _largest_with_numbers_step(x, window, outputs=outputs)
    return _step(x, window, _LARGEST, out) if keeps_or_widens(x, out) else None


def _largest_with_numbers_step(
    x: Any, window: Window, *, outputs: Sequence[Any]
) -> _native.Step | None:
    values, *numbers = outputs
    if not keeps_or_widens(x, values) or len(window.sizes) > _MOST_SPATIAL:
        return None
    return _native.largest_windows_step(
        x.place,
        pooled(x.sizes, window)[1],
        values.place,
        numbers[0].place if numbers else None,
    )


def _windows_of(x: Array, window: Window) -> tuple[int, ...]:
    return (*x.shape[: x.ndim - len(window.sizes)], *window.output_sizes(x.shape))


@word(
    "x",
    native=_average_step,
    results=lambda x, window, dtype=np.float64, **_: [(_windows_of(x, window), dtype)],
    takes_halves=True,
    scratch_bytes=WINDOWED_BYTES,
)
def average_pool(
    x: Array,
    window: Window,
    *,
    include_padding: bool = False,
    dtype: DTypeLike = np.float64,
    out: Array | None = None,
) -> Array:
    """Return the averages of windows.

    Parameters
    ----------
    x : array of floats
        The spatial axes are the last ones.
    window : Window
        One to three spatial axes.
    include_padding : bool
        Whether padding counts.
    dtype : data type
        Of the result: FLOAT64, FLOAT32 or FLOAT16.
    out : array of floats, optional
        Where the results go, rounded to its data type: packed, and apart from x.

    Notes
    -----
    The sum of a window's elements by rule S16, divided by how many positions of the window lie on
    the array, or by all of them if padding is included, in FLOAT64; rounded once to `dtype`. A
    window without a counted position gives NaN.
    """
    sizes, geometry = pooled(x.shape, window)
    result = np.empty(sizes, dtype) if out is None else out
    if result.size:
        packed = readable(np.ascontiguousarray(x))
        divisor = _ALL if include_padding else _INSIDE
        _native.average_windows(packed, geometry, divisor, result, Settings.policy)
    return result


@word(
    "x",
    native=_sum_step,
    results=lambda x, window, **_: [(_windows_of(x, window), np.float64)],
    takes_halves=True,
    scratch_bytes=WINDOWED_BYTES,
)
def window_sums(x: Array, window: Window) -> Array:
    """Return the sums of windows over floats by rule S16, in FLOAT64; padding is +0."""
    sizes, geometry = pooled(x.shape, window)
    result = np.empty(sizes)
    if result.size:
        packed = readable(np.ascontiguousarray(x))
        _native.average_windows(packed, geometry, _ONE, result, Settings.policy)
    return result


def _norms_step(
    x: Any, window: Window, *, order: int, outputs: Sequence[Any]
) -> _native.Step | None:
    (out,) = outputs
    if not are_floats(x, out) or len(window.sizes) > _MOST_SPATIAL:
        return None
    return _native.window_norms_step(x.place, pooled(x.sizes, window)[1], order, out.place)


@word(
    "x",
    native=_norms_step,
    results=lambda x, window, order: [
        (_windows_of(x, window), np.float64 if order <= 2 else np.float32)  # noqa: PLR2004
    ],
    takes_halves=True,
    scratch_bytes=WINDOWED_BYTES,
)
def lp_pool(x: Array, window: Window, order: int) -> Array:
    """Return norms of windows: in FLOAT64, or in FLOAT32 from order 3 on.

    Order 1: the sum of magnitudes; order 2: the root of the sum of squares; both by rule S16 in
    FLOAT64. Order p of 3 or more: magnitudes multiplied p - 1 times by themselves, each product
    rounded to FLOAT64, summed by rule S16, rounded to FLOAT32, to the power of 1 / p in FLOAT32.
    """
    magnitudes = np.abs(x.astype(np.float64))
    powers = magnitudes
    with np.errstate(all="ignore"):
        for _ in range(order - 1):
            powers = powers * magnitudes
        sums = window_sums(powers, window)
        if order == 1:
            return sums
        if order == 2:  # noqa: PLR2004
            return quieted(np.sqrt(sums))
        return power(sums.astype(np.float32), np.float32(1) / np.float32(order))


_FLOATS = {np.dtype(np.float32), np.dtype(np.float16)}


@word(
    "x",
    native=_largest_step,
    results=lambda x, window: [(_windows_of(x, window), x.dtype)],
    takes_halves=True,
    gives_elements=True,
    scratch_bytes=WINDOWED_BYTES,
)
def max_pool(x: Array, window: Window, out: Array | None = None) -> Array:
    """Return the largest elements of windows: a NaN wins, and +0 is larger than -0.

    A window without an element gives -infinity, or the lowest integer. Floats go to `out`, if it is
    given: packed, of the data type of x, and apart from it.
    """
    if x.dtype not in _FLOATS:
        return max_pool_with_indices(x, window)[0]
    sizes, geometry = pooled(x.shape, window)
    result = np.empty(sizes, x.dtype) if out is None else out
    if result.size:
        packed = readable(np.ascontiguousarray(x))
        _native.largest_in_windows(packed, geometry, result, Settings.policy)
    return result


@word(
    "x",
    native=_largest_with_numbers_step,
    results=lambda x, window: [
        (_windows_of(x, window), x.dtype),
        (_windows_of(x, window), np.int64),
    ],
    takes_halves=True,
    gives_elements=True,
    scratch_bytes=WINDOWED_BYTES,
)
def max_pool_with_indices(x: Array, window: Window) -> tuple[Array, Array]:
    """Return the largest elements of windows, and their numbers in row-major order of x, as INT64.

    As `max_pool`; of equal elements it is the first. Without an element the number is -1.
    """
    position, at = _largest_positions(x, window)
    lowest = -np.inf if x.dtype.kind == "f" else np.iinfo(x.dtype).min
    values = np.where(position < 0, x.dtype.type(lowest), x.reshape(-1)[at])
    if x.dtype.kind == "f":
        values = quieted(values)
    return values, np.where(position < 0, -1, at)


#: What windows spread; the numbers are those of `Spread` in native/sums/windows.h.
_COLUMNS, _SHARES, _OF_LARGEST = range(3)


def _shares_step(
    gradient: Any,
    window: Window,
    *,
    input_sizes: Sequence[int],
    include_padding: bool = False,
    outputs: Sequence[Any],
) -> _native.Step | None:
    (out,) = outputs
    if not are_floats(gradient, out) or len(window.sizes) > _MOST_SPATIAL:
        return None
    geometry = pooled(tuple(input_sizes), window)[1]
    divisor = _ALL if include_padding else _INSIDE
    return _native.spread_step([gradient.place], geometry, _SHARES, divisor, out.place)


def _largest_gradient_step(
    x: Any, gradient: Any, window: Window, *, outputs: Sequence[Any]
) -> _native.Step | None:
    (out,) = outputs
    if not are_floats(gradient, out) or len(window.sizes) > _MOST_SPATIAL:
        return None
    arrays = [x.place, gradient.place]
    return _native.spread_step(arrays, pooled(x.sizes, window)[1], _OF_LARGEST, _ONE, out.place)


def _unfold_step(x: Any, window: Window, *, outputs: Sequence[Any]) -> _native.Step | None:
    if len(window.sizes) > _MOST_SPATIAL:
        return None
    return _native.unfold_step(x.place, pooled(x.sizes, window)[1], outputs[0].place)


def _fold_step(
    columns: Any, window: Window, *, spatial_sizes: Sequence[int], outputs: Sequence[Any]
) -> _native.Step | None:
    (out,) = outputs
    is_of_floats = are_floats(columns, out)
    if len(window.sizes) > _MOST_SPATIAL or (columns.place[2] != out.place[2] and not is_of_floats):
        return None
    geometry = pooled((*out.sizes[:2], *spatial_sizes), window)[1]
    return _native.spread_step([columns.place], geometry, _COLUMNS, _ONE, out.place)


@word(
    "gradient",
    native=_shares_step,
    results=lambda input_sizes, **_: [(input_sizes, np.float64)],
    takes_halves=True,
    scratch_bytes=WINDOWED_BYTES,
)
def average_pool_gradient(
    gradient: Array, window: Window, input_sizes: Sequence[int], *, include_padding: bool = False
) -> Array:
    """Return what each element of an average pool's input contributes to its output, in FLOAT64.

    Each gradient is divided by the divisor of its window, and the quotients of the windows over an
    element are summed by rule S16, numbered by the element's position in each.
    """
    with np.errstate(all="ignore"):
        shares = gradient.astype(np.float64) / divisors(
            input_sizes, window, include_padding=include_padding
        )
    return _scattered((shares for _ in range(window.position_count)), window, input_sizes)


@word(
    "x",
    "gradient",
    native=_largest_gradient_step,
    results=lambda x, **_: [(x.shape, np.float64)],
    takes_halves=True,
    scratch_bytes=WINDOWED_BYTES,
)
def max_pool_gradient(x: Array, gradient: Array, window: Window) -> Array:
    """Return the gradients of max pooling, in FLOAT64.

    Each gradient goes to the largest element of its window, the first of equals. What comes to an
    element is summed by rule S16, numbered by the element's position in each window.
    """
    position, _ = _largest_positions(x, window)
    wide = gradient.astype(np.float64)
    parts = (np.where(position == k, wide, 0.0) for k in range(window.position_count))
    return _scattered(parts, window, x.shape)


@word(
    "x",
    native=_unfold_step,
    results=lambda x, window: [
        (
            (*x.shape[:1], x.shape[1] * window.position_count, prod(window.output_sizes(x.shape))),
            x.dtype,
        )
    ],
    keeps_bits=True,
)
def unfold(x: Array, window: Window) -> Array:
    """Return the elements of all windows as columns; padding is +0, and 0.

    Sizes [N, C, spatial ...] become [N, C * positions in a window, windows], both in row-major
    order.
    """
    output_sizes = window.output_sizes(x.shape)
    parts = list(window.positions(window.padded(x), output_sizes))
    columns = np.stack(parts, 2)
    batch, channels = x.shape[:2]
    return columns.reshape(batch, channels * window.position_count, prod(output_sizes))


@word(
    "columns",
    native=_fold_step,
    results=lambda columns, window, spatial_sizes: [
        (
            (columns.shape[0], columns.shape[1] // window.position_count, *spatial_sizes),
            np.float64 if columns.dtype.kind == "f" else columns.dtype,
        )
    ],
    takes_halves=True,
    scratch_bytes=WINDOWED_BYTES,
)
def fold(columns: Array, window: Window, spatial_sizes: Sequence[int]) -> Array:
    """Return columns added back to where `unfold` would take them from.

    In FLOAT64 by rule S16, numbered by the element's position in each window; of integers in their
    own data type, modulo 2^bits. What belongs to padding is left out.
    """
    batch, rows, _ = columns.shape
    sizes = (batch, rows // window.position_count, *spatial_sizes)
    output_sizes = window.output_sizes(sizes)
    parts = columns.reshape(batch, sizes[1], window.position_count, *output_sizes)
    each = (parts[:, :, k] for k in range(window.position_count))
    if columns.dtype.kind == "f":
        return _scattered((p.astype(np.float64) for p in each), window, sizes)
    total = window.padded(np.zeros(sizes, columns.dtype))
    places = window.positions(total, output_sizes)
    for place, part in zip(places, each, strict=True):
        place[...] += part
    return np.ascontiguousarray(window.cropped(total))


def divisors(input_sizes: Sequence[int], window: Window, *, include_padding: bool) -> Array:
    """Return what the sum of each window is divided by, as FLOAT64 with one entry a window."""
    output_sizes = window.output_sizes(input_sizes)
    if include_padding:
        return np.full(output_sizes, float(window.position_count))
    inside = np.ones(input_sizes[len(input_sizes) - len(window.sizes) :])
    counts = np.zeros(output_sizes)
    for part in window.positions(window.padded(inside), output_sizes):
        counts += part
    return counts


@functools.lru_cache(maxsize=256)
def pooled(sizes: tuple[int, ...], window: Window) -> tuple[tuple[int, ...], list[int]]:
    """Return the sizes of the output, and the geometry for the native code.

    That is channels, then inputs, outputs and fields of a window, along three axes each.
    """
    missing = 3 - len(window.sizes)
    outer, spatial = sizes[: -len(window.sizes)], sizes[-len(window.sizes) :]
    outputs = window.output_sizes(sizes)
    rows = [
        (spatial, 1),
        (outputs, 1),
        (window.sizes, 1),
        (window.strides, 1),
        (window.dilations, 1),
        (window.start_padding, 0),
    ]
    geometry = [n for numbers, without in rows for n in [without] * missing + list(numbers)]
    return (*outer, *outputs), [prod(outer), *geometry]


def _scattered(parts: Iterator[Array], window: Window, input_sizes: Sequence[int]) -> Array:
    """Return parts, one per position in a window, added to where the positions lie, by S16."""
    output_sizes = window.output_sizes(input_sizes)
    outer = input_sizes[: len(input_sizes) - len(output_sizes)]
    spatial = window.padded(np.zeros(input_sizes[len(outer) :])).shape
    sums = np.zeros((16, *outer, *spatial))
    places = list(window.positions(sums, output_sizes))
    totals = []
    with np.errstate(all="ignore"):
        for k, part in enumerate(parts):
            if k and k % BLOCK == 0:
                totals.append(tree16(sums))
                sums[...] = 0
            places[k][k % 16] += part
    totals.append(tree16(sums))
    total = sum16(np.stack(totals), [0], keepdims=False)
    return np.ascontiguousarray(window.cropped(total))


def _largest_positions(x: Array, window: Window) -> tuple[Array, Array]:
    """Return the position of the largest element in each window and its number in x.

    Both are -1 and 0 where there is no element.
    """
    output_sizes = window.output_sizes(x.shape)
    numbers = np.arange(x.size).reshape(x.shape)
    inside = window.padded(np.ones(x.shape, np.bool_))
    views = zip(
        *(window.positions(window.padded(a), output_sizes) for a in (ordered_keys(x), numbers)),
        window.positions(inside, output_sizes),
        strict=True,
    )
    sizes = (*x.shape[: x.ndim - len(output_sizes)], *output_sizes)
    best = np.zeros(sizes, ordered_keys(x).dtype)
    position, at = np.full(sizes, -1), np.zeros(sizes, np.int64)
    for k, (key, number, is_inside) in enumerate(views):
        better = is_inside & ((position < 0) | (key > best))
        best = np.where(better, key, best)
        position = np.where(better, k, position)
        at = np.where(better, number, at)
    return position, at
