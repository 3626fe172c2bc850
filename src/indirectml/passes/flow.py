"""Which step of a plan reads what which other step writes, and places for what is between them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from indirectml.plans import (
    WITH_INPUTS,
    ComputeStep,
    CopyStep,
    CoreStep,
    FillStep,
    Plan,
    ProgramStep,
    Ranges,
    Step,
    View,
)

#: What a step reads: buffer and offset of what no step writes, or the number of what a step wrote.
Value = tuple[int, int] | int


class Flow:
    """Which step reads what which step writes, whatever the places."""

    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        self._temporary = plan.temporary
        self.read: list[list[Value | None]] = []
        self.written: list[list[int | None]] = []
        #: Of each value that is written: its view in the plan, and the step.
        self.views: list[View] = []
        self.writers: list[int] = []
        self.readers: list[list[int]] = []
        current: dict[tuple[int, int], int] = {}
        for number, step in enumerate(plan.steps):
            read, written = views_of(step)
            values: list[Value | None] = []
            for view in read:
                if view is None:
                    values.append(None)
                    continue
                place = (view.buffer, view.offset)
                value = current.get(place)
                if value is not None:
                    self.readers[value].append(number)
                values.append(place if value is None else value)
            self.read.append(values)
            made: list[int | None] = []
            for view in written:
                if view is None:
                    made.append(None)
                    continue
                current[view.buffer, view.offset] = len(self.views)
                made.append(len(self.views))
                self.views.append(view)
                self.writers.append(number)
                self.readers.append([])
            self.written.append(made)

    def is_output(self, value: int) -> bool:
        """Return whether a value is an output of the plan."""
        return self.views[value].buffer != self._temporary


def views_of(step: Step) -> tuple[tuple[View | None, ...], tuple[View | None, ...]]:
    """Return what a step reads and what it writes."""
    if isinstance(step, WITH_INPUTS):
        return step.inputs, step.outputs
    if isinstance(step, FillStep):
        return (), (step.output,)
    return (step.source,) if isinstance(step, CopyStep) else (), (step.target,)


class Part(NamedTuple):
    """A step of a plan in the making, and which values it reads and writes."""

    step: Step
    read: Sequence[Value | None]
    written: Sequence[int | None]


def placed(flow: Flow, parts: Sequence[Part]) -> Plan:
    """Return the plan of some parts, with places in the temporary resource for what it needs."""
    plan = flow.plan
    read_values = [{v for v in part.read if isinstance(v, int)} for part in parts]
    left = Counter(value for values in read_values for value in values)
    temporary = Ranges(plan.temporary)
    places: dict[int, View] = {}
    moved = []
    for part, values in zip(parts, read_values, strict=True):
        read, written = views_of(part.step)
        inputs = [
            view.at(places[value].offset)
            if view is not None and isinstance(value, int) and value in places
            else view
            for view, value in zip(read, part.read, strict=True)
        ]
        outputs: list[View | None] = []
        for view, number in zip(written, part.written, strict=True):
            if view is None or number is None or flow.is_output(number):
                outputs.append(view)
                continue
            places[number] = view.at(temporary.take(view.size_bytes))
            outputs.append(places[number])
        for value in values:
            left[value] -= 1
            if not left[value] and value in places:
                temporary.release(places[value])
        moved.append(_moved(part.step, tuple(inputs), tuple(outputs)))
    return replace(plan, steps=tuple(moved), temporary_size=temporary.size)


def _moved(step: Step, inputs: tuple[View | None, ...], outputs: tuple[View | None, ...]) -> Step:
    """Return a step that reads and writes elsewhere."""
    if (inputs, outputs) == views_of(step):
        return step
    if isinstance(step, ComputeStep):
        return replace(step, inputs=inputs, outputs=outputs)
    places: tuple[Any, ...] = (inputs, outputs)
    if isinstance(step, CoreStep):
        return replace(step, inputs=inputs, output=places[1][0])
    if isinstance(step, ProgramStep):
        return replace(step, inputs=places[0], outputs=places[1])
    if isinstance(step, FillStep):
        return replace(step, output=places[1][0])
    if isinstance(step, CopyStep):
        return replace(step, source=places[0][0], target=places[1][0])
    return step
