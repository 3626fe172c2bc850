"""Steps as launches, and what has none: by NumPy forms, on copies of what is touched."""

from __future__ import annotations

from typing import Any

import numpy as np

from indirectml import numpy_forms
from indirectml.opencl import fills, programs, words
from indirectml.opencl.launches import Abilities, Launch, Source, over
from indirectml.opencl.memory import DeviceMemory, Heap
from indirectml.passes.flow import moved, views_of
from indirectml.plans import CopyStep, FillStep, ProgramStep, Step, View, WordStep


def launches_of(step: Step, abilities: Abilities) -> tuple[Launch, ...] | None:
    """Return what carries a step out; None where its NumPy form does."""
    if any(
        view is not None and view.panels is not None for views in views_of(step) for view in views
    ):
        return None
    if isinstance(step, ProgramStep):
        return programs.launches_of(step, abilities)
    if isinstance(step, WordStep):
        return words.launches_of(step, abilities)
    if isinstance(step, FillStep):
        return fills.launches_of(step, abilities)
    if isinstance(step, CopyStep):
        size = step.source.size_bytes
        arguments = (step.source, step.target, np.uint64(size))
        return (Launch("copy_bytes", Source(("moving.cl",)), arguments, *over(size)),)
    return None


def carry_out_on_host(step: Step, memories: list[DeviceMemory | None], heap: Heap) -> None:
    """Carry out a step by its NumPy form, on copies of the bytes that it reads and writes."""
    read, written = views_of(step)
    ends: dict[int, tuple[int, int]] = {}
    for view in (*read, *written):
        if view is not None:
            first, last = _extent(view, step)
            before = ends.get(view.buffer, (first, last))
            ends[view.buffer] = min(first, before[0]), max(last, before[1])
    host: list[Any] = [None] * len(memories)
    for number, (first, last) in ends.items():
        memory = memories[number]
        assert memory is not None  # noqa: S101 (what a step reads or writes is bound)
        host[number] = heap.read(memory, first, min(last, memory.size_bytes) - first)

    def there(view: View | None) -> View | None:
        return None if view is None else view.at(view.offset - ends[view.buffer][0])

    places = tuple(map(there, read)), tuple(map(there, written))
    numpy_forms.carry_out(moved(step, *places), host)
    for number in {view.buffer for view in written if view is not None}:
        memory = memories[number]
        assert memory is not None  # noqa: S101 (see above)
        heap.write(memory, host[number], ends[number][0])


def _extent(view: View, step: Step) -> tuple[int, int]:
    """Return where the bytes of a view begin and end in its buffer, as a step looks at it."""
    if view.size_bytes:
        return view.offset, view.offset + view.size_bytes
    first, last = _reach(view, view.sizes, view.strides)
    if isinstance(step, ProgramStep):
        views = (*step.inputs, *step.outputs)
        for each, strides in zip(views, (*step.input_strides, *step.output_strides), strict=True):
            if each is view:
                low, high = _reach(view, step.sizes, strides)
                first, last = min(first, low), max(last, high)
    return first, last


def _reach(view: View, sizes: tuple[int, ...], strides: tuple[int, ...]) -> tuple[int, int]:
    item = view.data_type.item_bytes
    far = [(n - 1) * s * item for n, s in zip(sizes, strides, strict=True)]
    first = view.offset + sum(f for f in far if f < 0)
    return first, view.offset + sum(f for f in far if f > 0) + item
