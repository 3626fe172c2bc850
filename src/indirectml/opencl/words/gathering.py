"""Gathers and scatters: elements taken from where indices say, and put there."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Any

import numpy as np

from indirectml.core.tensors import packed_strides
from indirectml.opencl.expressions import TYPES
from indirectml.opencl.launches import (
    Abilities,
    Launch,
    Scratch,
    Source,
    Table,
    index_define,
    merged,
    moved_type,
    over,
)
from indirectml.opencl.words import word_launches
from indirectml.plans import View, WordStep

#: Updates are counted in 32 bits.
_MOST_UPDATES = 2**32 - 2


def copied(source: View, target: View) -> Launch:
    """Return the launch that copies elements from one view to another of the same sizes."""
    sizes, strides = merged(target.sizes, (source.strides, target.strides))
    defines = (f"T={moved_type(target)}", f"RANK={len(sizes)}", index_define(sizes, strides))
    axes = Table.of((*sizes, *strides[0], *strides[1]))
    count = prod(sizes)
    arguments = (source, target, axes, np.uint64(count))
    return Launch("copy_elements", Source(("moving.cl",), defines), arguments, *over(count))


def _apart(sizes: Sequence[int], strides: Sequence[int], axes: Sequence[int]) -> list[int]:
    """Return strides with zeros along axes that indices stand for."""
    return [0 if k in axes else s for k, (_, s) in enumerate(zip(sizes, strides, strict=True))]


@word_launches("gather")
def gather(step: WordStep, abilities: Abilities) -> list[Launch]:
    """Return the launch of `gather`."""
    x, indices, to, axis = *_views(step), step.arguments["axis"]
    rest = [0] * len(indices.sizes)
    of_x = [*x.strides[:axis], *rest, *x.strides[axis + 1 :]]
    of_indices = [*[0] * axis, *indices.strides, *[0] * (len(x.sizes) - axis - 1)]
    return [_gathered(step, to.sizes, of_x, of_indices, [axis], 0)]


@word_launches("gather_elements")
def gather_elements(step: WordStep, abilities: Abilities) -> list[Launch]:
    """Return the launch of `gather_elements`."""
    x, indices, to, axis = *_views(step), step.arguments["axis"]
    of_x = _apart(x.sizes, x.strides, [axis])
    return [_gathered(step, to.sizes, of_x, indices.strides, [axis], 0)]


@word_launches("gather_tuples")
def gather_tuples(step: WordStep, abilities: Abilities) -> list[Launch]:
    """Return the launch of `gather_tuples`."""
    x, indices, to, batch = *_views(step), step.arguments["batch"]
    along = range(batch, batch + indices.sizes[-1])
    front = len(indices.sizes) - 1
    behind = x.strides[along.stop :]
    of_x = [*x.strides[:batch], *[0] * (front - batch), *behind]
    of_indices = [*indices.strides[:-1], *[0] * len(behind)]
    return [_gathered(step, to.sizes, of_x, of_indices, along, indices.strides[-1])]


def _views(step: WordStep) -> tuple[Any, Any, Any]:
    x, indices = step.inputs
    return x, indices, step.outputs[0]


def _gathered(
    step: WordStep,
    sizes: Sequence[int],
    of_x: Sequence[int],
    of_indices: Sequence[int],
    along: Sequence[int],
    distance: int,
) -> Launch:
    """Return a launch over the elements of the result.

    Strides of x and of the indices go along its axes; indices, so far apart, are along axes of x.
    """
    x, indices, to = _views(step)
    sizes, strides = merged(sizes, (of_x, of_indices, to.strides))
    # Places in x are reached by indices too.
    reach = index_define(
        (*sizes, *x.sizes),
        ([*[0] * len(sizes), *x.strides], *([*s, *[0] * len(x.sizes)] for s in strides)),
    )
    defines = (*_types(to, indices), f"RANK={len(sizes)}", f"PARTS={len(along)}", reach)
    count = prod(sizes)
    arguments = (
        x,
        indices,
        to,
        Table.of((*sizes, *(n for own in strides for n in own))),
        Table.of([(x.sizes[k], x.strides[k]) for k in along]),
        np.int64(distance),
        np.uint64(count),
    )
    return Launch("gather", Source(("moving.cl",), defines), arguments, *over(count))


def _types(elements: View, indices: View) -> tuple[str, str]:
    dtype = indices.data_type.dtype
    return f"T={moved_type(elements)}", f"I={TYPES[str(dtype)]}"


@word_launches("scatter_elements")
def scatter_elements(step: WordStep, abilities: Abilities) -> list[Launch] | None:
    """Return the launches of `scatter_elements`."""
    _, indices, _ = step.inputs
    assert indices is not None  # noqa: S101 (it is not optional)
    axis = step.arguments["axis"]
    return _scattered(
        step,
        indices.strides,
        [axis],
        [None if k == axis else k for k in range(len(indices.sizes))],
        0,
    )


@word_launches("scatter_tuples")
def scatter_tuples(step: WordStep, abilities: Abilities) -> list[Launch] | None:
    """Return the launches of `scatter_tuples`."""
    _, indices, updates = step.inputs
    assert indices is not None  # noqa: S101 (it is not optional)
    assert updates is not None  # noqa: S101 (nor this)
    *front, count = indices.sizes
    behind = len(updates.sizes) - len(front)
    own = [*indices.strides[:-1], *[0] * behind]
    return _scattered(
        step,
        own,
        range(count),
        [None] * len(front) + [count + k for k in range(behind)],
        indices.strides[-1],
    )


def _scattered(
    step: WordStep,
    of_indices: Sequence[int],
    along: Sequence[int],
    kept: Sequence[int | None],
    distance: int,
) -> list[Launch] | None:
    """Return launches over the elements of the updates.

    `kept` has for each of their axes that of the result which it goes along, if it is one; the
    indices are along the axes `along` of the result.
    """
    x, indices, updates = step.inputs
    (to,) = step.outputs
    assert indices is not None  # noqa: S101 (it is not optional)
    assert updates is not None  # noqa: S101 (nor this)
    packed = packed_strides(to.sizes)
    of_to = [0 if k is None else to.strides[k] for k in kept]
    of_slots = [0 if k is None else packed[k] for k in kept]
    sizes, strides = merged(updates.sizes, (updates.strides, of_indices, of_to, of_slots))
    count, slots = prod(sizes), prod(to.sizes)
    if count > _MOST_UPDATES:
        return None
    wide = index_define((*updates.sizes,), (updates.strides, of_indices))
    reach = max(wide, index_define(to.sizes, (to.strides,)))
    defines = (*_types(to, indices), f"RANK={len(sizes)}", f"PARTS={len(along)}", reach)
    source = Source(("moving.cl",), defines)
    last = Scratch(0, 4 * slots)
    axes = Table.of((*sizes, *(n for own in strides for n in own)))
    parts = Table.of([(to.sizes[k], to.strides[k], packed[k]) for k in along])
    rest = (axes, parts, np.int64(distance), last, np.uint64(count))
    return [
        *([] if x is None else [copied(x, to)]),
        Launch("nobody", source, (last, np.uint64(slots)), *over(slots)),
        Launch("claim", source, (indices, *rest), *over(count)),
        Launch("scatter", source, (indices, updates, to, *rest), *over(count)),
    ]
