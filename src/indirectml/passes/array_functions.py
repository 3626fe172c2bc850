"""Functions of NumPy that definitions use on stand-ins that have sizes, besides operations."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np

from indirectml.passes.tracing import Untraceable, Value


def _concatenated(arrays: Sequence[Any], axis: int = 0, out: None = None) -> Any:
    """Return arrays one behind the other: each is written where it belongs."""
    if out is not None or not all(isinstance(a, Value) for a in arrays):
        raise Untraceable
    first = arrays[0]
    if any(a.dtype != first.dtype for a in arrays):
        raise Untraceable
    axis %= first.ndim
    sizes = list(first.shape)
    sizes[axis] = sum(a.shape[axis] for a in arrays)
    trace = first.trace
    place = trace.new(sizes, first.dtype)
    at = 0
    parts = []
    for array in arrays:
        offset = place.offset + at * place.strides[axis]
        parts.append((array, place._replace(sizes=array.shape, offset=offset)))
        at += array.shape[axis]
    if len({array.shape for array in arrays}) == 1 and all(map(trace.is_computed, arrays)):
        trace.compute_together(parts)  # what they have in common is computed once
    else:
        for array, part in parts:
            trace.compute(array, part)
    return trace.at(place, is_canonical=all(a.is_canonical for a in arrays))


def _stacked(arrays: Iterable[Any], axis: int = 0) -> Any:
    """Return arrays along a new axis."""
    given = list(arrays)
    at = axis % (given[0].ndim + 1)
    return _concatenated([a[(slice(None),) * at + (None,)] for a in given], at)


def _repeated_to(x: Any, shape: Sequence[int]) -> Any:
    """Return an array repeated to sizes."""
    sizes = tuple(shape)
    return x.viewed(lambda a: np.broadcast_to(a, sizes))


def _tiled(x: Any, repeats: Any) -> Any:
    """Return an array repeated along its axes."""
    counts = (repeats,) if isinstance(repeats, int) else tuple(repeats)
    if len(counts) != x.ndim:
        raise Untraceable
    index = tuple(part for _ in counts for part in (None, slice(None)))
    sizes = [n for pair in zip(counts, x.shape, strict=True) for n in pair]
    whole = [count * size for count, size in zip(counts, x.shape, strict=True)]
    return _repeated_to(x[index], sizes).reshape(whole)


def _padded(x: Any, pairs: Any, mode: str = "constant", constant_values: Any = 0) -> Any:
    """Return an array with one number around it."""
    if mode != "constant":
        raise Untraceable
    widths = [tuple(pair) for pair in pairs]
    sizes = [a + n + b for (a, b), n in zip(widths, x.shape, strict=True)]
    place = x.trace.new(sizes, x.dtype)
    number = x.trace.value(x.dtype.type(constant_values), x.dtype)
    begin = sum(a * stride for (a, _), stride in zip(widths, place.strides, strict=True))
    # Around it: a slab before and after along each axis, inside of the slabs of the axes before.
    inner = list(sizes)
    offset = 0
    for axis, (before, after) in enumerate(widths):
        stride = place.strides[axis]
        middle = sizes[axis] - before - after
        for count, at in ((before, 0), (after, before + middle)):
            if count:
                part = (*inner[:axis], count, *inner[axis + 1 :])
                to = place._replace(sizes=part, offset=offset + at * stride)
                x.trace.compute(number, to)
        inner[axis] = middle
        offset += before * stride
    x.trace.compute(x, place._replace(sizes=x.shape, offset=begin))
    return x.trace.at(place, is_canonical=x.is_canonical)


def _repeated_along(x: Any, count: int, axis: int) -> Any:
    """Return each element so many times along an axis."""
    behind = (slice(None),) * (axis + 1) + (None,)
    sizes = (*x.shape[: axis + 1], count, *x.shape[axis + 1 :])
    whole = (*x.shape[:axis], x.shape[axis] * count, *x.shape[axis + 1 :])
    return _repeated_to(x[behind], sizes).reshape(whole)


#: Functions of NumPy that definitions may use on arrays with sizes, besides operations.
FUNCTIONS: dict[Any, Callable[..., Any]] = {
    np.concatenate: _concatenated,
    np.stack: _stacked,
    np.broadcast_to: _repeated_to,
    np.tile: _tiled,
    np.pad: _padded,
    np.repeat: _repeated_along,
    np.transpose: lambda x, axes=None: x.transpose(axes),
    np.reshape: lambda x, shape: x.reshape(shape),
    np.swapaxes: lambda x, a, b: x.swapaxes(a, b),
    np.moveaxis: lambda x, a, b: x.viewed(lambda y: np.moveaxis(y, a, b)),
    np.flip: lambda x, axis=None: x.viewed(lambda y: np.flip(y, axis)),
    np.expand_dims: lambda x, axis: x.viewed(lambda y: np.expand_dims(y, axis)),
    np.squeeze: lambda x, axis=None: x.viewed(lambda y: np.squeeze(y, axis)),
    np.ravel: lambda x: x.ravel(),
}
