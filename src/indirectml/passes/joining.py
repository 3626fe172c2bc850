"""A pass over plans of graphs: what is copied to a part of a larger tensor lies there all along.

JOIN copies what it joins. Where every step that writes or reads a tensor can do so in its part of
the joined one, they do, and the copy goes. Parts may be parts of parts: a network whose layers join
what was there with what they make of it fills one tensor.
"""

from __future__ import annotations

from dataclasses import replace

from indirectml.passes.flow import Flow, Views, moved, views_of
from indirectml.passes.fusion import common_sizes, with_split_axes
from indirectml.passes.sharing import Copy, copy_of, is_copy, moved_program
from indirectml.plans import Plan, ProgramStep, Step, View, WordStep
from indirectml.programs import CANONICAL, Program

#: Shorter runs of elements are read and written one after the other.
_LEAST_RUN = 16


def joined_in_place(plan: Plan) -> Plan:
    """Return a plan without copies to parts of tensors that nothing needs twice."""
    plan = _copying(plan)
    steps: list[Step | None] = list(plan.steps)
    flow: Flow | None = None
    # The last first: what is joined again has its place then, and each step is moved once.
    for number in reversed(range(len(steps))):
        moves = _moves(plan, steps[number])
        if moves is None:
            continue
        flow = flow or Flow(plan)
        copy = steps[number]
        assert isinstance(copy, ProgramStep)  # noqa: S101 (others are no copies)
        buffer, part = copy.inputs[0].buffer, copy.outputs[0]
        others = (steps[n] for n in flow.writers[part.buffer] if n != number)
        if not all(_is_apart(part, each) for each in others):
            continue
        users = {*flow.writers[buffer], *flow.readers[buffer]} - {number}
        found = {user: _over(steps[user], buffer, moves) for user in users}
        if not flow.writers[buffer] or None in found.values():
            continue
        for user, step in found.items():
            steps[user] = step
        steps[number] = None
        flow.writers[part.buffer] = [n for n in flow.writers[part.buffer] if n != number]
        flow.writers[part.buffer] += flow.writers.pop(buffer)
        flow.readers[part.buffer] += [n for n in flow.readers.pop(buffer) if n != number]
    if flow is None:
        return plan
    return replace(plan, steps=tuple(step for step in steps if step is not None))


def _copying(plan: Plan) -> Plan:
    """Return a plan in which what makes NaNs canonical that all are so already is a copy."""
    steps = list(plan.steps)
    flow: Flow | None = None
    for number, step in enumerate(steps):
        if not isinstance(step, ProgramStep) or not _only_makes_canonical(step.program):
            continue
        flow = flow or Flow(plan)
        if _is_canonical(flow, step.inputs[0].buffer):
            program = Program.same(step.program.inputs, (), (), (0,))
            steps[number] = replace(step, program=program)
    return plan if flow is None else replace(plan, steps=tuple(steps))


def _only_makes_canonical(program: Program) -> bool:
    """Return whether a program does nothing else with its one input, or widens and narrows it."""
    names = [each.name for each in program.instructions]
    if len(program.inputs) != 1 or program.constants or program.outputs != (len(names),):
        return False
    types = [each.type for each in program.instructions]
    is_there_and_back = types == ["float32", "float16"] and program.inputs == ("float16",)
    return names == ["canonical"] or (names == ["convert", "convert"] and is_there_and_back)


def _is_canonical(flow: Flow, buffer: int) -> bool:
    """Return whether every NaN that is written to a buffer between steps is the canonical one."""
    plan = flow.plan
    if buffer <= plan.persistent or not flow.writers[buffer]:
        return False
    for step in (plan.steps[number] for number in flow.writers[buffer]):
        if isinstance(step, WordStep):
            if not step.word.keeps_bits:
                continue
            read = [view.buffer for view in step.inputs if view is not None]
            if buffer in read or not all(_is_canonical(flow, each) for each in read):
                return False
        elif isinstance(step, ProgramStep):
            written = zip(step.outputs, step.program.outputs, strict=True)
            values = [value for view, value in written if view.buffer == buffer]
            if not all(_has_canonical(flow, step, value) for value in values):
                return False
        else:
            return False
    return True


def _has_canonical(flow: Flow, step: ProgramStep, value: int) -> bool:
    """Return whether every NaN of a value of a program is the canonical one."""
    program = step.program
    first = len(program.inputs) + len(program.constants)
    if value < len(program.inputs):
        return _is_canonical(flow, step.inputs[value].buffer)
    if value < first:
        return not program.constants[value - len(program.inputs)][1]  # a zero
    made = program.instructions[value - first]
    if made.name == "choose":
        return all(_has_canonical(flow, step, each) for each in made.sources[1:])
    return made.name in {*CANONICAL, "convert"}


def _moves(plan: Plan, step: Step | None) -> Copy | None:
    """Return where a step copies a whole tensor between steps to, if that is a part of another."""
    if not isinstance(step, ProgramStep) or not is_copy(step):
        return None
    (source,), (target,) = step.inputs, step.outputs
    if min(source.buffer, target.buffer) <= plan.persistent or source.buffer == target.buffer:
        return None
    found = None if source.panels or target.panels else copy_of(step, source, target)
    if found is None:
        return None
    axes = zip(found.sizes, found.steps, found.target_steps, strict=True)
    runs = [size for size, own, there in axes if own == there == 1]
    return found if runs and runs[0] >= _LEAST_RUN else None


def _is_apart(part: View, step: Step | None) -> bool:
    """Return whether a step writes nothing to a part of a tensor.

    Who fills the tensor before it is copied there would otherwise do so later than who writes it.
    """
    assert step is not None  # noqa: S101 (a copy that is gone writes nothing)
    return all(
        _are_apart(part, view)
        for view in views_of(step)[1]
        if view is not None and view.buffer == part.buffer
    )


def _are_apart(a: View, b: View) -> bool:
    """Return whether views are known to have no element in common: two parts of a joined tensor.

    One lies before the other; or, in rows of some pitch, in other columns.
    """
    if a.data_type.item_bytes != b.data_type.item_bytes or min(*a.strides, *b.strides, 0) < 0:
        return False
    for pitch in {_end_of(a) + _end_of(b), *a.strides} - {0}:
        ours, theirs = _columns(a, pitch), _columns(b, pitch)
        if ours and theirs and (ours[1] <= theirs[0] or theirs[1] <= ours[0]):
            return True
    return False


def _columns(view: View, pitch: int) -> tuple[int, int] | None:
    """Return the first and the end of the columns of a view; None if it goes on in another row."""
    axes = zip(view.sizes, view.strides, strict=True)
    first = view.offset // view.data_type.item_bytes % pitch
    end = first + 1 + sum((size - 1) * stride for size, stride in axes if stride % pitch)
    return (first, end) if end <= pitch else None


def _end_of(view: View) -> int:
    axes = zip(view.sizes, view.strides, strict=True)
    first = view.offset // view.data_type.item_bytes
    return first + 1 + sum((size - 1) * stride for size, stride in axes)


def _over(step: Step | None, buffer: int, moves: Copy) -> Step | None:
    """Return a step that writes or reads a tensor in its part of another; None if it cannot."""
    assert step is not None  # noqa: S101 (a copy that is gone reads and writes nothing)
    if isinstance(step, ProgramStep):
        found = _program_over(step, buffer, moves)
        if found is not None:
            return found
        # One axis may have run through all of the tensor.
        axes = sorted(zip(moves.steps, moves.sizes, strict=True), reverse=True)
        parts = common_sizes(step.sizes, tuple(size for _, size in axes))
        return _program_over(with_split_axes(step, parts), buffer, moves) if parts else None
    if not isinstance(step, WordStep) or step.native is None:
        return None
    inputs, outputs = (_views_over(views, buffer, moves) for views in views_of(step))
    if inputs is None or outputs is None:
        return None
    there = moved(step, inputs, outputs)
    return there if isinstance(there, WordStep) and there.native is not None else None


def _program_over(step: ProgramStep, buffer: int, moves: Copy) -> ProgramStep | None:
    inputs = moved_program(step.inputs, step.input_strides, step.sizes, buffer, moves)
    outputs = moved_program(step.outputs, step.output_strides, step.sizes, buffer, moves)
    if inputs is None or outputs is None:
        return None
    return replace(
        step, inputs=inputs[0], input_strides=inputs[1],
        outputs=outputs[0], output_strides=outputs[1],
    )  # fmt: skip


def _views_over(views: Views, buffer: int, moves: Copy) -> Views | None:
    """Return views, those of a buffer in a part of another; None where strides cannot say that."""
    found: list[View | None] = []
    for view in views:
        there = moves.moved(view) if view is not None and view.buffer == buffer else view
        if there is None and view is not None:
            return None
        found.append(there)
    return tuple(found)
