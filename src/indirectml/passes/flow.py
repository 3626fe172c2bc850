"""Which step of a plan reads and writes which buffers, and ranges for what is between steps."""

from __future__ import annotations

import copy
from collections import defaultdict
from dataclasses import replace
from typing import Any, NamedTuple

from indirectml.passes.parts import Former
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
from indirectml.ranges import Ranges, aligned

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

    def again(self, plan: Plan) -> tuple[Flow, list[int]] | None:
        """Return the same for a plan whose steps use the buffers that they used.

        And the numbers of the steps that are others. None if they use other buffers.
        """
        last, steps = self.plan.steps, plan.steps
        if len(last) != len(steps) or (len(self.plan.inputs), self.plan.temporary) != (
            len(plan.inputs), plan.temporary,
        ):  # fmt: skip
            return None
        changed = [n for n, (a, b) in enumerate(zip(last, steps, strict=True)) if a is not b]
        for number in changed:
            a, b = last[number], steps[number]
            if buffers_of(a) != buffers_of(b):
                return None
        return self.of(plan), changed

    def of(self, plan: Plan) -> Flow:
        """Return the same for a plan that is known to use the same buffers."""
        if plan is self.plan:
            return self
        found = copy.copy(self)
        found.plan = plan
        return found

    def is_output(self, buffer: int) -> bool:
        """Return whether a buffer is an output of the plan."""
        return buffer in self._outputs

    def writer(self, buffer: int) -> int | None:
        """Return the one step that writes a buffer; None if it is none, or several."""
        return self._alone.get(buffer)


class Done(NamedTuple):
    """What a pass did with the last plan.

    Attributes
    ----------
    flow : Flow
        Of the plan that it was given.
    rest : object
        What else it needs to do the same with a plan in other sizes.
    """

    flow: Flow
    rest: Any


def flow_of(plan: Plan, former: Former, name: str) -> tuple[Flow, list[int], Any]:
    """Return the flow of a plan, which steps are others than the last ones, and `Done.rest`.

    The latter is None where the last plan was not alike, and the pass has to look for all anew.
    """
    done: Done | None = former.passes.pop(name, None)
    again = None if done is None else done.flow.again(plan)
    if done is None or again is None:
        return Flow(plan), [], None
    return *again, done.rest


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
        return step.over(*places)
    if isinstance(step, FillStep):
        return replace(step, output=places[1][0])
    if isinstance(step, CopyStep):
        return replace(step, source=places[0][0], target=places[1][0])
    return step


def placed(plan: Plan, former: Former) -> Plan:
    """Return a plan whose buffers between steps are ranges of the temporary resource.

    A range is given out when something is written to it, and again after the last step that reads
    it; a program that is that step may write there itself. Where the last plan took as much memory
    for each, ranges are where they were.
    """
    if not plan.temporaries:
        return plan
    last: _Ranges | None = former.passes.pop("ranges", None)
    found = former.passes["ranges"] = (last and _placed_as(plan, last)) or _placed(plan)
    return replace(plan, steps=found.steps, temporary_size=found.size, temporaries=())


#: The buffers that die at a program, those that are new, and which of these could lie on which.
_Chance = tuple[set[int], set[int], list[tuple[int, int]]]


class _Ranges(NamedTuple):
    """Where the buffers between the steps of a plan are."""

    plan: Plan
    at: dict[int, int]
    size: int
    #: By the numbers of programs.
    chances: dict[int, _Chance]
    steps: tuple[Step, ...]


#: Of steps that are no programs, or use no such buffers.
_NO_CHANCE: _Chance = (set(), set(), [])


def _placed_as(plan: Plan, last: _Ranges) -> _Ranges | None:
    """Return the steps of a plan over the ranges of the last one, if they would be the same."""
    before, first = last.plan, plan.persistent + 1
    if (len(plan.steps), first) != (len(before.steps), before.persistent + 1):
        return None
    sizes = plan.temporaries
    for buffer in last.at:
        if aligned(sizes[buffer - first]) != aligned(before.temporaries[buffer - first]):
            return None
    steps, chances = list(last.steps), last.chances
    for number, (step, other) in enumerate(zip(plan.steps, before.steps, strict=True)):
        dying, new, pairs = chances.get(number, _NO_CHANCE)
        if any(
            (sizes[a - first] == sizes[b - first])
            != (before.temporaries[a - first] == before.temporaries[b - first])
            for a, b in pairs
        ):
            return None
        if step is other:
            continue
        if pairs != _in_place(step, dying, new):
            return None
        if type(step) is not type(other) or buffers_of(step) != buffers_of(other):
            return None
        buffers = {b for some in buffers_of(step) for b in some if b >= first}
        steps[number] = in_ranges(step, plan.temporary, last.at, sorted(buffers), "_placed")
    return _Ranges(plan, last.at, last.size, chances, tuple(steps))


def _placed(plan: Plan) -> _Ranges:
    """Return the steps of a plan over ranges that are given out one after the other."""
    first = plan.persistent + 1
    between = [
        sorted({buffer for some in buffers_of(step) for buffer in some if buffer >= first})
        for step in plan.steps
    ]
    last = {buffer: number for number, buffers in enumerate(between) for buffer in buffers}
    ranges = Ranges(plan.temporary)
    at: dict[int, int] = {}
    chances = {}
    steps: list[Step] = []
    for number, (step, buffers) in enumerate(zip(plan.steps, between, strict=True)):
        if not buffers:
            steps.append(step)
            continue
        dying = {buffer for buffer in buffers if last[buffer] == number}
        new = {buffer for buffer in buffers if buffer not in at}
        if isinstance(step, ProgramStep):
            pairs = _in_place(step, dying - new, new)
            chances[number] = dying - new, set(new), pairs
            for buffer, given in pairs:
                if plan.temporaries[buffer - first] == plan.temporaries[given - first]:
                    at[buffer] = at[given]
                    new.remove(buffer)
                    dying.remove(given)
        at |= {buffer: ranges.take(plan.temporaries[buffer - first]) for buffer in sorted(new)}
        steps.append(in_ranges(step, plan.temporary, at, buffers, "_placed"))
        for buffer in sorted(dying):
            ranges.give_back(at[buffer], plan.temporaries[buffer - first])
    return _Ranges(plan, at, ranges.size, chances, tuple(steps))


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


def in_ranges(step: Step, resource: int, at: dict[int, int], buffers: list[int], what: str) -> Step:
    """Return a step over ranges of a resource instead of the buffers that have these.

    `buffers` are those that it uses; `what` is the name under which the step remembers it.
    """

    def there(view: View | None) -> View | None:
        if view is None or view.buffer not in at:
            return view
        buffer, data_type, sizes, strides, offset, size_bytes, panels = view
        return View(resource, data_type, sizes, strides, offset + at[buffer], size_bytes, panels)

    def make() -> Step:
        inputs, outputs = views_of(step)
        return moved(step, tuple(map(there, inputs)), tuple(map(there, outputs)))

    if not buffers:
        return step
    if isinstance(step, CopyStep | DataStep | PackStep):
        return make()
    made: Step = remade(step, what, (resource, *map(at.get, buffers)), make)
    return made
