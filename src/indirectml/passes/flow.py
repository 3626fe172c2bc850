"""Which step of a plan reads and writes which buffers, and ranges for what is between steps."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from indirectml.plans import (
    WITH_INPUTS,
    CopyStep,
    DataStep,
    FillStep,
    PackStep,
    Plan,
    ProgramStep,
    Step,
    View,
    remade,
)
from indirectml.ranges import Ranges

Views = tuple[View | None, ...]


class Flow:
    """Which steps write and read each buffer of a plan in the making: one for each value."""

    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        self._outputs = range(len(plan.inputs), plan.temporary)
        self.writers: defaultdict[int, list[int]] = defaultdict(list)
        self.readers: defaultdict[int, list[int]] = defaultdict(list)
        for number, step in enumerate(plan.steps):
            read, written = buffers_of(step)
            for buffer in read:
                self.readers[buffer].append(number)
            for buffer in written:
                self.writers[buffer].append(number)
        self._alone = {b: found[0] for b, found in self.writers.items() if len(found) == 1}

    def is_output(self, buffer: int) -> bool:
        """Return whether a buffer is an output of the plan."""
        return buffer in self._outputs

    def writer(self, buffer: int) -> int | None:
        """Return the one step that writes a buffer; None if it is none, or several."""
        return self._alone.get(buffer)


def views_of(step: Step) -> tuple[Views, Views]:
    """Return what a step reads and what it writes."""
    if isinstance(step, WITH_INPUTS):
        return step.inputs, step.outputs
    if isinstance(step, FillStep):
        return (), (step.output,)
    return (step.source,) if isinstance(step, CopyStep) else (), (step.target,)


def buffers_of(step: Step) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Return the buffers that a step reads, once for each view, and those that it writes."""
    found: tuple[tuple[int, ...], tuple[int, ...]] | None = getattr(step, "_buffers", None)
    if found is None:
        inputs, outputs = views_of(step)
        read = tuple([view.buffer for view in inputs if view is not None])
        found = read, tuple([view.buffer for view in outputs if view is not None])
        if isinstance(step, WITH_INPUTS):  # which plans of other sizes share
            step.__dict__["_buffers"] = found
    return found


def moved(step: Step, inputs: Views, outputs: Views) -> Step:
    """Return a step that reads and writes elsewhere."""
    places: tuple[Any, ...] = (inputs, outputs)
    if isinstance(step, WITH_INPUTS):
        return replace(step, inputs=places[0], outputs=places[1])
    if isinstance(step, FillStep):
        return replace(step, output=places[1][0])
    if isinstance(step, CopyStep):
        return replace(step, source=places[0][0], target=places[1][0])
    return step


def placed(plan: Plan) -> Plan:
    """Return a plan whose buffers between steps are ranges of the temporary resource.

    A range is given out when something is written to it, and again after the last step that reads
    it; a program that is that step may write there itself.
    """
    if not plan.temporaries:
        return plan
    first, temporary = plan.persistent + 1, plan.temporary
    between = [
        sorted({buffer for some in buffers_of(step) for buffer in some if buffer >= first})
        for step in plan.steps
    ]
    last = {buffer: number for number, buffers in enumerate(between) for buffer in buffers}
    ranges = Ranges(plan.temporary)
    at: dict[int, int] = {}

    def there(view: View | None) -> View | None:
        if view is None or view.buffer < first:
            return view
        _, data_type, sizes, strides, offset, size_bytes, panels = view
        offset += at[view.buffer]
        return View(temporary, data_type, sizes, strides, offset, size_bytes, panels)

    steps: list[Step] = []
    for number, (step, buffers) in enumerate(zip(plan.steps, between, strict=True)):
        if not buffers:
            steps.append(step)
            continue
        dying = {buffer for buffer in buffers if last[buffer] == number}
        new = {buffer for buffer in buffers if buffer not in at}
        for buffer, given in _in_place(step, dying - new, new):
            if plan.temporaries[buffer - first] == plan.temporaries[given - first]:
                at[buffer] = at[given]
                new.remove(buffer)
                dying.remove(given)
        at |= {buffer: ranges.take(plan.temporaries[buffer - first]) for buffer in sorted(new)}
        steps.append(_at(step, there, (plan.temporary, *map(at.get, buffers))))
        for buffer in sorted(dying):
            ranges.give_back(at[buffer], plan.temporaries[buffer - first])
    return replace(plan, steps=tuple(steps), temporary_size=ranges.size, temporaries=())


def _in_place(step: Step, dying: set[int], new: set[int]) -> list[tuple[int, int]]:
    """Return the new output of a program and the dying input where it may lie, if there is one.

    Their elements lie alike, so that each is read before it is written.
    """
    if not dying or not isinstance(step, ProgramStep):
        return []
    if len(step.outputs) != 1 or step.outputs[0].buffer not in new:
        return []
    output, strides = step.outputs[0], step.output_strides[0]
    for one in step.inputs:
        if one is None or one.buffer not in dying:
            continue
        alike = output._replace(buffer=one.buffer, data_type=one.data_type)
        if one.data_type.item_bytes == output.data_type.item_bytes and all(
            view == alike and own == strides
            for view, own in zip(step.inputs, step.input_strides, strict=True)
            if view is not None and view.buffer == one.buffer
        ):
            return [(output.buffer, one.buffer)]
    return []


def _at(step: Step, there: Callable[[View | None], View | None], key: Any) -> Step:
    """Return a step over ranges of the temporary resource; the key says which."""

    def make() -> Step:
        inputs, outputs = views_of(step)
        return moved(step, tuple(map(there, inputs)), tuple(map(there, outputs)))

    if isinstance(step, CopyStep | DataStep | PackStep):
        return make()
    made: Step = remade(step, "_placed", key, make)
    return made
