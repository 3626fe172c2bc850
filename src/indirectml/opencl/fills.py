"""Fills on OpenCL devices: every work-item finds the segment that its element is in."""

from __future__ import annotations

import numpy as np

from indirectml import _native
from indirectml.opencl.launches import (
    Abilities,
    Launch,
    Source,
    Table,
    index_define,
    merged,
    moved_type,
    over,
)
from indirectml.plans import FillStep


def launches_of(step: FillStep, abilities: Abilities) -> tuple[Launch, ...] | None:
    """Return the launch of a fill; integers alone, which every device has right."""
    view = step.output
    if view.is_in_halves:
        return None
    count = view.element_count
    sizes, (strides,) = merged(view.sizes, [view.strides])
    segments = _segments(step, count)
    return (
        Launch(
            "fill",
            Source(
                ("fills.cl",),
                (f"T={moved_type(view)}", f"RANK={len(sizes)}", index_define(sizes, [strides])),
            ),
            (
                view,
                np.uint64(count),
                Table.of(segments, np.uint64),
                np.uint32(len(segments)),
                Table.of((*sizes, *strides)),
            ),
            *over(count),
        ),
    )


def _segments(step: FillStep, count: int) -> list[tuple[int, ...]]:
    """Return a row for each segment of a sequence up to an element."""
    walker = _native.Walker(step.sequence, 0)
    found: list[tuple[int, ...]] = []
    first = 0
    while first < count:
        first, length, bits, per_step, *fractions = walker.next()
        fraction, fraction_per_step = fractions or (0, 0)
        found.append(tuple(n % 2**64 for n in (first, bits, fraction, per_step, fraction_per_step)))
        first += length
    return found
