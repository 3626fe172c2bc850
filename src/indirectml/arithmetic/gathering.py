"""Elements taken from where indices say, and put there. Every bit is kept.

Negative indices count from the end. Beyond either end they are clamped when something is read by
them, and what they would write is left out.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from indirectml import _native
from indirectml.arithmetic.basics import Array
from indirectml.arithmetic.words import word


def positions(indices: Array, size: int) -> tuple[Array, Array]:
    """Return indices along an axis from 0, and which of them lie inside; negative from the end."""
    if indices.dtype == np.uint64:
        # What does not fit INT64 is out of range, and stays so.
        indices = np.where(indices > np.uint64(np.iinfo(np.int64).max), np.uint64(size), indices)
    at = indices.astype(np.int64)
    at = np.where(at < 0, at + size, at)
    return at, (at >= 0) & (at < size)


def clamped(indices: Array, size: int) -> Array:
    """Return indices along an axis, as INT64 from 0 to the last element."""
    return np.clip(positions(indices, size)[0], 0, size - 1)


def _step(x: Any, indices: Any, *, outputs: Sequence[Any], axis: int) -> _native.Step:
    """Return the native form of `gather`."""
    return _native.gather_step(x.place, indices.place, axis, outputs[0].place)


def _elements_step(*arrays: Any, outputs: Sequence[Any], axis: int) -> _native.Step:
    """Return the native form of `gather_elements` and `scatter_elements`."""
    if arrays[0] is None:
        return _native.put_step([view.place for view in arrays[1:]], axis, outputs[0].place)
    return _native.elements_step([view.place for view in arrays], axis, outputs[0].place)


def _tuples_step(*arrays: Any, outputs: Sequence[Any], batch: int = 0) -> _native.Step:
    """Return the native form of `gather_tuples` and `scatter_tuples`."""
    if arrays[0] is None:
        return _native.put_step([view.place for view in arrays[1:]], None, outputs[0].place)
    return _native.tuples_step([view.place for view in arrays], batch, outputs[0].place)


@word(
    "x",
    "indices",
    native=_step,
    results=lambda x, indices, axis: [
        ((*x.shape[:axis], *indices.shape, *x.shape[axis + 1 :]), x.dtype)
    ],
    keeps_bits=True,
)
def gather(x: Array, indices: Array, axis: int, out: Array | None = None) -> Array:
    """Return slices of an array along an axis, those of the indices, in the place of the axis."""
    # Nothing is clipped any more: so called, NumPy writes at once.
    return x.take(clamped(indices, x.shape[axis]), axis, mode="clip", out=out)


@word(
    "x",
    "indices",
    native=_elements_step,
    results=lambda x, indices, **_: [(indices.shape, x.dtype)],
    keeps_bits=True,
)
def gather_elements(x: Array, indices: Array, axis: int) -> Array:
    """Return an element for each index, whose own place says where it is along the other axes."""
    at: list[Any] = list(np.indices(indices.shape, sparse=True))
    at[axis] = clamped(indices, x.shape[axis])
    result: Array = x[tuple(at)]
    return result


@word(
    "x",
    "indices",
    native=_tuples_step,
    results=lambda x, indices, batch: [
        ((*indices.shape[:-1], *x.shape[batch + indices.shape[-1] :]), x.dtype)
    ],
    keeps_bits=True,
)
def gather_tuples(x: Array, indices: Array, batch: int) -> Array:
    """Return parts of an array at coordinates, which the last axis of the indices holds.

    The first axes, as many as `batch`, belong to both.
    """
    at, _ = _coordinates(x, indices, batch)
    result: Array = x[at]
    return result


@word(
    "x",
    "indices",
    "updates",
    native=_elements_step,
    results=lambda x, **_: [(x.shape, x.dtype)],
    keeps_bits=True,
    is_in_place=True,
)
def scatter_elements(
    x: Array | None, indices: Array, updates: Array, axis: int, out: Array | None = None
) -> Array:
    """Return an array with updates where indices say; of several in one place the last one stays.

    The place of an index says where it is along the other axes.
    """
    out = np.array(x) if out is None else out
    at_axis, is_inside = positions(indices, out.shape[axis])
    grid: Any = np.indices(indices.shape, sparse=True)
    at: list[Any] = [np.broadcast_to(a, indices.shape)[is_inside] for a in grid]
    at[axis] = at_axis[is_inside]
    out[tuple(at)] = updates[is_inside]
    return out


@word(
    "x",
    "indices",
    "updates",
    native=_tuples_step,
    results=lambda x, **_: [(x.shape, x.dtype)],
    keeps_bits=True,
    is_in_place=True,
)
def scatter_tuples(
    x: Array | None, indices: Array, updates: Array, out: Array | None = None
) -> Array:
    """Return an array with parts at coordinates, which the last axis of the indices holds.

    Of several in one place the last one stays.
    """
    out = np.array(x) if out is None else out
    at, is_inside = _coordinates(out, indices, 0)
    out[tuple(a[is_inside] for a in at)] = updates[is_inside]
    return out


def _coordinates(x: Array, indices: Array, batch: int) -> tuple[tuple[Any, ...], Array]:
    """Return a NumPy index of the first dimensions, clamped, and which tuples lie inside."""
    count = indices.shape[-1]
    batches: Sequence[Array] = np.indices(indices.shape[:-1], sparse=True)[:batch]
    at: list[Any] = list(batches)
    is_inside = np.ones(indices.shape[:-1], bool)
    for k in range(count):
        size = x.shape[batch + k]
        along, inside = positions(indices[..., k], size)
        is_inside = is_inside & inside
        at.append(np.clip(along, 0, size - 1))
    return tuple(at), is_inside
