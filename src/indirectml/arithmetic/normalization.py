"""Normalization by moments, by norms, and by the squares of neighbours."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import DTypeLike

from indirectml import _native
from indirectml.arithmetic.basics import Array
from indirectml.arithmetic.functions import pow as power
from indirectml.arithmetic.reductions import l2
from indirectml.arithmetic.sums import (
    Axes,
    are_floats,
    empty_rows,
    group_size,
    grouped,
    quieted,
    readable,
    rows_of,
    spread,
    sum16_of_magnitudes,
)
from indirectml.arithmetic.windows import Window, pooled, window_sums
from indirectml.arithmetic.words import WINDOWED_BYTES, word
from indirectml.core.settings import Settings


def _step(
    x: Any,
    scale: Any,
    bias: Any,
    *,
    outputs: Sequence[Any],
    axes: Axes,
    epsilon: float,
    use_mean: bool = True,
    use_variance: bool = True,
    **_: Any,
) -> _native.Step | None:
    """Return the native form of `normalize_by_moments`."""
    (out,) = outputs
    given = [view for view in (scale, bias) if view is not None]
    if not are_floats(x, out, *given):
        return None
    place, size = rows_of(x, axes)
    wide = [_repeated(view, x.sizes, axes) for view in given]
    steps = [_steps_of(view.sizes, axes, size) for view in wide]
    places = [place, *(rows_of(view, axes)[0] for view in wide)]
    of_scale = steps.pop(0) if scale is not None else (0, 0)
    of_bias = steps.pop(0) if bias is not None else (0, 0)
    return _native.normalize_step(
        places, size, use_mean, use_variance, float(np.float32(epsilon)), scale is not None,
        of_scale, of_bias, rows_of(out, axes)[0],
    )  # fmt: skip


def _kinds_of(own: Sequence[int], axes: Axes) -> tuple[bool, bool]:
    """Return whether factors have one for each group, and one for each element."""
    per_group, per_element = (
        any(n != 1 for k, n in enumerate(own) if (k in axes) is inner) for inner in (False, True)
    )
    return per_group, per_element


def _whole_sizes(own: Sequence[int], sizes: Sequence[int], axes: Axes) -> list[int]:
    """Return the sizes of factors that have one for each group, for each element, or for both."""
    per_group, per_element = _kinds_of(own, axes)
    return [n if (per_element if k in axes else per_group) else 1 for k, n in enumerate(sizes)]


def _repeated(view: Any, sizes: tuple[int, ...], axes: Axes) -> Any:
    """Return a view of factors that are repeated to such sizes."""
    return view.repeated(tuple(_whole_sizes(view.sizes, sizes, axes)))


def _steps_of(own: Sequence[int], axes: Axes, size: int) -> tuple[int, int]:
    """Return the steps from group to group and from element to element of whole factors."""
    per_group, per_element = _kinds_of(own, axes)
    return (size if per_element else 1) if per_group else 0, int(per_element)


@word(
    "x",
    "scale",
    "bias",
    native=_step,
    results=lambda x, dtype=np.float64, **_: [(x.shape, dtype)],
    takes_halves=True,
)
def normalize_by_moments(
    x: Array,
    axes: Axes,
    epsilon: float,
    scale: Array | None = None,
    bias: Array | None = None,
    *,
    use_mean: bool = True,
    use_variance: bool = True,
    dtype: DTypeLike = np.float64,
    out: Array | None = None,
) -> Array:
    """Return elements normalized by their own moments along axes.

    With moments of the elements, i = 1 / sqrt(variance + epsilon) and y = ((x - mean) * i) * scale
    + bias, each operation rounded to FLOAT64; without `use_variance` there is no division, and what
    is left out is no operation. The result is rounded once to `dtype`, which may be FLOAT32 or
    FLOAT16 too, or to that of `out`, where it goes: a packed array, apart from the others.
    """
    result = empty_rows(x, axes, dtype, out)
    if x.size:
        _native.normalize(
            readable(grouped(x, axes)).reshape(result.shape),
            use_mean,
            use_variance,
            float(np.float32(epsilon)),
            *_factors(scale, x, axes),
            *_factors(bias, x, axes),
            result,
            Settings.policy,
        )
    return spread(result, x, axes, out)


def _factors(factors: Array | None, x: Array, axes: Axes) -> tuple[Array | None, int, int]:
    """Return packed numbers, and the steps from group to group and element to element."""
    if factors is None:
        return None, 0, 0
    whole = _whole_sizes(factors.shape, x.shape, axes)
    if list(factors.shape) != whole:
        factors = np.broadcast_to(factors, whole)
    per_group, per_element = _steps_of(whole, axes, group_size(x, axes))
    if per_group and per_element:
        factors = grouped(factors, axes)
    return readable(np.ascontiguousarray(factors)), per_group, per_element


def _norm_step(
    x: Any, axes: Axes, *, order: int, epsilon: float, outputs: Sequence[Any]
) -> _native.Step | None:
    """Return the native form of `normalize_by_norm`."""
    (out,) = outputs
    if not are_floats(x, out):
        return None
    place, size = rows_of(x, axes)
    least = float(np.float32(epsilon))
    return _native.norm_step(place, size, order != 1, least, rows_of(out, axes)[0])


@word(
    "x",
    native=_norm_step,
    results=lambda x, **_: [(x.shape, np.float64)],
    takes_halves=True,
)
def normalize_by_norm(x: Array, axes: Axes, order: int, epsilon: float) -> Array:
    """Return elements over the norm of order 1 or 2 along axes, in FLOAT64.

    x / d, where d is the sum of magnitudes by rule S16, or the root of the sum of squares, and at
    least epsilon, a FLOAT32 number.
    """
    norm = sum16_of_magnitudes(x, axes) if order == 1 else l2(x, axes)
    least = np.float64(np.float32(epsilon))
    with np.errstate(all="ignore"):
        return quieted(x.astype(np.float64) / np.where(norm < least, least, norm))


def neighbour_sums(x: Array, axes: Axes, size: int) -> Array:
    """Return the sums of each element's neighbours along axes, itself included, in FLOAT64.

    The window has `size` positions along each of the axes, (size - 1) // 2 of them before the
    element; from the first of the axes to the last there are at most three, or two and others
    behind. Positions are numbered in row-major order over the axes, ascending, those outside of the
    array counted, and summed by rule S16: elements, or their exact squares.
    """
    places, window = neighbourhood(x.shape, axes, size)
    return window_sums(x.reshape(places), window).reshape(x.shape)


def neighbourhood(sizes: tuple[int, ...], axes: Axes, size: int) -> tuple[tuple[int, ...], Window]:
    """Return sizes in which axes behind are one, and the window around each element."""
    before = (size - 1) // 2
    first, end = min(axes), max(axes) + 1
    spatial = [size if axis in axes else 1 for axis in range(first, end)]
    places = sizes[:end]
    if end < len(sizes):
        spatial.append(1)
        places += (math.prod(sizes[end:]),)
    starts = [before if n > 1 else 0 for n in spatial]
    ends = [n - 1 - start for n, start in zip(spatial, starts, strict=True)]
    ones = [1] * len(spatial)
    return places, Window(spatial, ones, ones, starts, ends)


def _response_step(
    x: Any,
    axes: Axes,
    *,
    size: int,
    alpha: float,
    beta: float,
    bias: float,
    outputs: Sequence[Any],
) -> _native.Step | None:
    """Return the native form of `local_response`."""
    (out,) = outputs
    if x.place[2] not in "ef" or out.place[2] != "f":
        return None
    places, window = neighbourhood(x.sizes, axes, size)
    share = float(np.float32(alpha) / np.float32(size))
    return _native.local_response_step(
        x.place, pooled(places, window)[1], share, bias, beta, out.place
    )


@word(
    "x",
    native=_response_step,
    results=lambda x, **_: [(x.shape, np.float32)],
    takes_halves=True,
    scratch_bytes=WINDOWED_BYTES,
)
def local_response(
    x: Array, axes: Axes, size: int, alpha: float, beta: float, bias: float
) -> Array:
    """Return elements over a power of the sum of their neighbours' squares, in FLOAT32.

    s = `neighbour_sums` of the exact squares, rounded to FLOAT32; x / (bias + (alpha / size) * s)
    to the power of beta, every operation rounded to FLOAT32. The page of
    DML_LOCAL_RESPONSE_NORMALIZATION_OPERATOR_DESC divides alpha by LocalSize, whatever the axes.
    """
    share = np.float32(alpha) / np.float32(size)
    result = np.empty(x.shape, np.float32)
    for piece in _pieces(x.shape, axes):
        with np.errstate(all="ignore"):
            wide = x[piece].astype(np.float64)
            s = neighbour_sums(wide * wide, axes, size).astype(np.float32)
            divisor = power(np.float32(bias) + share * s, np.float32(beta))
            result[piece] = quieted(x[piece].astype(np.float32) / divisor)
    return result


#: How many elements are worked on at once: what comes between them fits the caches.
_PIECE = 2**15


def _pieces(sizes: tuple[int, ...], axes: Axes) -> Iterator[tuple[slice, ...]]:
    """Yield slices of an array that cut it along its longest dimension that is none of the axes."""
    free = [axis for axis in range(len(sizes)) if axis not in axes]
    if not free or 0 in sizes:
        yield (slice(None),) * len(sizes)
        return
    axis = max(free, key=lambda k: sizes[k])
    step = max(1, _PIECE * sizes[axis] // math.prod(sizes))
    for first in range(0, sizes[axis], step):
        yield (*(slice(None),) * axis, slice(first, first + step))
