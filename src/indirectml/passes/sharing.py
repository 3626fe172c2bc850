"""Outputs that lie on the memory of inputs: a cache that new rows are put into.

Where a plan copies an input to the place where it lies already, the copy goes; where it scatters
into a copy, it puts the updates where the input lies. All that reads the input comes before what
writes there, or the memory cannot be shared.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

from indirectml.core.errors import BindingError
from indirectml.passes.flow import Flow, moved, views_of
from indirectml.plans import Plan, ProgramStep, Step, View, WordStep

#: By an output's buffer, the input whose memory it has.
Shares = Mapping[int, int]


def shared(plan: Plan, shares: Shares) -> Plan:
    """Return a plan in the making whose outputs lie where inputs lie, from the first byte on.

    An output that is its own input is read before it is written, and stays where nothing is.

    Raises
    ------
    BindingError
        What is written would be read as the input afterwards.
    """
    for output, given in shares.items():
        plan = _put(plan, output, given)
        plan = _written_in_place(plan, output)
        plan = replace(plan, steps=_without_copies(plan.steps, output, given))
        plan = _read_in_place(plan, output)
        if given != output:
            plan = replace(plan, steps=_reads_first(plan, output, given))
    return plan


def check_order(plan: Plan, shares: Shares) -> None:
    """Refuse a plan that reads an input after an output was written to its memory.

    Raises
    ------
    BindingError
        It does.
    """
    for output, given in shares.items():
        is_written = False
        for step in plan.steps:
            read, written = views_of(step)
            writes = [view for view in written if view is not None and view.buffer == output]
            for view in read:
                if view is None or view.buffer != given:
                    continue
                if is_written or (writes and not _goes_along(step, view, writes)):
                    raise _refused(plan, output, given, step)
            is_written = is_written or bool(writes)


def _goes_along(step: Step, view: View, writes: Sequence[View]) -> bool:
    """Return whether a step writes each element where it has just read it, and nowhere else."""
    if not isinstance(step, ProgramStep) or len(writes) != 1:
        return False
    strides = [s for v, s in zip(step.inputs, step.input_strides, strict=True)
               if v.buffer == view.buffer]  # fmt: skip
    (own,) = (s for v, s in zip(step.outputs, step.output_strides, strict=True) if v is writes[0])
    same = (view.offset, view.data_type.item_bytes) == (
        writes[0].offset, writes[0].data_type.item_bytes,
    )  # fmt: skip
    return same and all(each == own for each in strides)


def _refused(plan: Plan, output: int, given: int, step: Step) -> BindingError:
    names = getattr(step, "operator_names", None) or ("a copy",)
    return BindingError(
        f"needs memory of its own, apart from that of inputs[{given}], which {names[-1]} reads "
        "after it is written",
        field=f"out[{output - len(plan.inputs)}]",
    )


# ---- copies ----


def is_copy(step: Step) -> bool:
    """Return whether a step copies elements, bit by bit."""
    if not isinstance(step, ProgramStep) or len(step.inputs) != 1 or len(step.outputs) != 1:
        return False
    program = step.program
    is_plain = not program.instructions and not program.constants and program.outputs == (0,)
    return is_plain and step.inputs[0].data_type is step.outputs[0].data_type


def _without_copies(steps: Sequence[Step], output: int, given: int) -> tuple[Step, ...]:
    """Return steps without those that copy elements to where they are."""

    def is_there(step: Step) -> bool:
        if not is_copy(step):
            return False
        assert isinstance(step, ProgramStep)  # noqa: S101 (others are no copies)
        source, target = step.inputs[0], step.outputs[0]
        return (source.buffer, target.buffer) == (given, output) and (
            source.offset == target.offset and step.input_strides == step.output_strides
        )

    return tuple(step for step in steps if not is_there(step))


class Copy(NamedTuple):
    """A copy of a whole tensor: where element by element goes."""

    sizes: tuple[int, ...]
    steps: tuple[int, ...]
    target: View
    target_steps: tuple[int, ...]

    def moved(self, view: View) -> View | None:
        """Return a part of the tensor where it was copied to; None if strides cannot say that."""
        item = view.data_type.item_bytes
        axes = sorted(zip(self.steps, self.sizes, self.target_steps, strict=True), reverse=True)
        digits, left = {}, view.offset // item
        for step, _, _ in axes:
            digits[step], left = divmod(left, step)
        if any(digits[step] >= count for step, count, _ in axes):
            return None
        offset = sum(digits[step] * target for step, _, target in axes)
        strides = []
        for size, stride in zip(view.sizes, view.strides, strict=True):
            if size == 1 or stride == 0:
                strides.append(0)
                continue
            found = next(((s, n, t) for s, n, t in axes if s <= stride), None)
            if found is None:
                return None
            step, count, target = found
            times, rest = divmod(stride, step)
            last = digits[step] + (size - 1) * times
            if rest or last >= count:
                return None
            digits[step] = last  # two axes along one count together
            strides.append(times * target)
        place = self.target.offset + offset * item
        return View(self.target.buffer, view.data_type, view.sizes, tuple(strides), place)


def copy_of(step: Step, whole: View, other: View) -> Copy | None:
    """Return where a copy puts, or takes, each element of a tensor that it reads, or writes, whole.

    Between its elements there may be gaps.
    """
    if not isinstance(step, ProgramStep) or not is_copy(step) or whole.offset:
        return None
    (read,), (write,) = step.input_strides, step.output_strides
    own, far = (read, write) if step.inputs[0] is whole else (write, read)
    reach = 1
    for stride, size in sorted(zip(own, step.sizes, strict=True)):
        if stride < reach:
            return None
        reach = stride * size
    return Copy(step.sizes, own, other, far)


# ---- scattering ----


def _put(plan: Plan, output: int, given: int) -> Plan:
    """Return a plan that puts updates into the output where it scattered into a copy of an input.

    The copy of the input may be turned before, and turned back after, as exporters write it.
    """
    found = _scattering(plan, output)
    if found is None:
        return plan
    number, moves, gone = found
    step = plan.steps[number]
    assert isinstance(step, WordStep)  # noqa: S101 (that is what was looked for)
    (former,) = step.outputs
    target = former if moves is None else moves.moved(former)
    x = _scattered_input(plan, step, number, gone)
    if x is None or target is None or x.buffer != given or not _lie_alike(x, target):
        return plan
    steps: list[Step] = []
    for each_number, each in enumerate(plan.steps):
        if each_number == number:
            steps.append(replace(step, inputs=(None, *step.inputs[1:]), outputs=(target,)))
        elif each_number not in gone:
            reading = each if moves is None else _reading(each, former.buffer, moves)
            if reading is None:
                return plan
            steps.append(reading)
    return replace(plan, steps=tuple(steps))


def _scattering(plan: Plan, output: int) -> tuple[int, Copy | None, set[int]] | None:
    """Return the step that scatters into an output, how it is copied there, and those copies."""
    flow = Flow(plan)
    number = flow.writer(output)
    moves = None
    gone: set[int] = set()
    if number is not None and is_copy(plan.steps[number]):  # of what was scattered
        (source,), (target,) = views_of(plan.steps[number])
        assert source is not None  # noqa: S101 (a copy has both)
        assert target is not None  # noqa: S101
        moves = copy_of(plan.steps[number], source, target)
        gone.add(number)
        is_between = source.buffer > plan.persistent and moves is not None
        number = flow.writer(source.buffer) if is_between else None
    if number is None:
        return None
    step = plan.steps[number]
    is_scattering = (
        isinstance(step, WordStep) and step.word.is_in_place and step.inputs[0] is not None
    )
    return (number, moves, gone) if is_scattering else None


def _scattered_input(plan: Plan, step: WordStep, number: int, gone: set[int]) -> View | None:
    """Return what a step scatters into, before it was copied; the copy is added to what is gone."""
    x = step.inputs[0]
    if x is None or x.buffer <= plan.persistent:
        return x
    flow = Flow(plan)
    copying = flow.writer(x.buffer)
    if copying is None or flow.readers[x.buffer] != [number]:
        return None
    if not is_copy(plan.steps[copying]):
        return None
    (read,), (written,) = views_of(plan.steps[copying])
    assert read is not None  # noqa: S101 (a copy has both)
    assert written is not None  # noqa: S101
    gone.add(copying)
    turned = copy_of(plan.steps[copying], written, read)
    return None if turned is None else turned.moved(x)


def _lie_alike(a: View, b: View) -> bool:
    axes = zip(a.sizes, a.strides, b.sizes, b.strides, strict=True)
    return a.offset == b.offset and all(n == m and (n == 1 or s == t) for n, s, m, t in axes)


def _reading(step: Step, former: int, moves: Copy) -> Step | None:
    """Return a step that reads a copy instead of what was copied; None if it cannot."""
    read, written = views_of(step)
    if not any(view is not None and view.buffer == former for view in read):
        return step
    if isinstance(step, ProgramStep):
        made = moved_program(step.inputs, step.input_strides, step.sizes, former, moves)
        return made and replace(step, inputs=made[0], input_strides=made[1])
    found = tuple(
        view if view is None or view.buffer != former else moves.moved(view) for view in read
    )
    if any(now is None and view is not None for now, view in zip(found, read, strict=True)):
        return None
    return moved(step, found, written)


def _written_in_place(plan: Plan, output: int) -> Plan:
    """Return a plan whose programs write the parts of an output there, and no copy of it whole."""
    flow = Flow(plan)
    number = flow.writer(output)
    if number is None or not is_copy(plan.steps[number]):
        return plan
    (source,), (target,) = views_of(plan.steps[number])
    assert source is not None  # noqa: S101 (a copy has both)
    assert target is not None  # noqa: S101
    moves = copy_of(plan.steps[number], source, target)
    if source.buffer <= plan.persistent or moves is None:
        return plan
    steps: list[Step] = []
    for each_number, each in enumerate(plan.steps):
        if each_number == number:
            continue
        found = _writing(each, source.buffer, moves)
        found = found and _reading(found, source.buffer, moves)
        if found is None:
            return plan
        steps.append(found)
    return replace(plan, steps=tuple(steps))


def _writing(step: Step, former: int, moves: Copy) -> Step | None:
    """Return a step that writes a copy instead of what was copied; None if it cannot."""
    if not any(view is not None and view.buffer == former for view in views_of(step)[1]):
        return step
    if not isinstance(step, ProgramStep):
        return None
    found = moved_program(step.outputs, step.output_strides, step.sizes, former, moves)
    return found and replace(step, outputs=found[0], output_strides=found[1])


def moved_program(
    views: Sequence[View],
    strides: Sequence[tuple[int, ...]],
    sizes: tuple[int, ...],
    former: int,
    moves: Copy,
) -> tuple[tuple[View, ...], tuple[tuple[int, ...], ...]] | None:
    """Return views of a program, and strides over its sizes, with a copy instead of what it is."""
    places, found = [], []
    for view, own in zip(views, strides, strict=True):
        if view.buffer != former:
            places.append(view)
            found.append(own)
            continue
        over = moves.moved(view._replace(sizes=sizes, strides=own))
        whole = moves.moved(view)
        if over is None or whole is None:
            return None
        places.append(whole)
        found.append(over.strides)
    return tuple(places), tuple(found)


def _read_in_place(plan: Plan, output: int) -> Plan:
    """Return a plan that reads an output where it is, and no copies of all of it."""
    flow = Flow(plan)
    steps: list[Step | None] = list(plan.steps)
    for number in flow.readers.get(output, ()):
        copy = plan.steps[number]
        if not is_copy(copy):
            continue
        (source,), (target,) = views_of(copy)
        assert source is not None  # noqa: S101 (a copy has both)
        assert target is not None  # noqa: S101
        moves = copy_of(copy, target, source)
        if target.buffer <= plan.persistent or flow.writer(target.buffer) is None or moves is None:
            continue
        found = [step and _reading(step, target.buffer, moves) for step in steps]
        found[number] = None
        if all(now is not None or then is None or then is copy
               for now, then in zip(found, steps, strict=True)):  # fmt: skip
            steps = found
    return replace(plan, steps=tuple(step for step in steps if step is not None))


# ---- order ----


def _reads_first(plan: Plan, output: int, given: int) -> tuple[Step, ...]:
    """Return steps in an order in which the input is read before the output is written.

    What reads it later is moved to the front of what writes, with all that it needs, unless it
    needs what is written.
    """
    steps = plan.steps
    flow = Flow(plan)
    writers = flow.writers.get(output, [])
    late = [n for n in flow.readers.get(given, ()) if writers and n > writers[0]]
    early: set[int] = set()
    waiting = [number for number in late if number not in writers]
    while waiting:
        number = waiting.pop()
        if number in early or number < writers[0]:
            continue
        if number in writers:
            raise _refused(plan, output, given, steps[late[0]])
        early.add(number)
        for view in views_of(steps[number])[0]:
            if view is not None:
                waiting += flow.writers.get(view.buffer, ())
    first = writers[0] if writers else 0
    return (
        *steps[:first],
        *(steps[number] for number in sorted(early)),
        *(step for number, step in enumerate(steps[first:], first) if number not in early),
    )
