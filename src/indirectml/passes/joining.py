"""A pass over plans of graphs: what is copied to a part of a larger tensor lies there all along.

JOIN copies what it joins. Where every step that writes or reads a tensor can do so in its part of
the joined one, they do, and the copy goes. Parts may be parts of parts: a network whose layers join
what was there with what they make of it fills one tensor.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from indirectml.core.data_types import TensorDataType
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
    apart: set[int] = set()
    # The last first: what is joined again has its place then, and each step is moved once.
    for number in reversed(range(len(steps))):
        moves = _moves(plan, steps[number])
        if moves is None:
            continue
        if flow is None:
            flow = Flow(plan)
            apart = _apart(flow)
        if number not in apart:
            continue
        copy = steps[number]
        assert isinstance(copy, ProgramStep)  # noqa: S101 (others are no copies)
        buffer, target = copy.inputs[0].buffer, copy.outputs[0].buffer
        users = {*flow.writers[buffer], *flow.readers[buffer]} - {number}
        found = {user: _over(steps[user], buffer, moves) for user in users}
        if not flow.writers[buffer] or None in found.values():
            continue
        for user, step in found.items():
            steps[user] = step
        steps[number] = None
        flow.writers[target] = [n for n in flow.writers[target] if n != number]
        flow.writers[target] += flow.writers.pop(buffer)
        flow.readers[target] += [n for n in flow.readers.pop(buffer) if n != number]
    if flow is None:
        return plan
    return replace(plan, steps=tuple(step for step in steps if step is not None))


def _copying(plan: Plan) -> Plan:
    """Return a plan in which what makes NaNs canonical that all are so already is a copy."""
    if not any(_only_makes_canonical(step) for step in plan.steps):
        return plan
    steps = list(plan.steps)
    #: Of buffers that steps wrote so far: the data type of which all NaNs are canonical, if any.
    canonical: dict[int, TensorDataType | None] = {}

    def is_canonical(view: View | None) -> bool:
        return view is None or canonical.get(view.buffer) is view.data_type

    for number, step in enumerate(plan.steps):
        if isinstance(step, ProgramStep):
            if _only_makes_canonical(step) and is_canonical(step.inputs[0]):
                program = Program.same(step.program.inputs, (), (), (0,))
                steps[number] = replace(step, program=program)
            values = _canonical_values(step.program, map(is_canonical, step.inputs))
            written = [values[value] for value in step.program.outputs]
        else:
            makes_so = isinstance(step, WordStep) and (
                not step.word.keeps_bits or all(map(is_canonical, step.inputs))
            )
            written = [makes_so] * len(views_of(step)[1])
        for view, is_so in zip(views_of(step)[1], written, strict=True):
            if view is not None and view.buffer > plan.persistent:
                others = canonical.get(view.buffer, view.data_type)
                all_are = is_so and others is view.data_type
                canonical[view.buffer] = view.data_type if all_are else None
    return replace(plan, steps=tuple(steps))


def _only_makes_canonical(step: Step) -> bool:
    """Return whether a program does nothing else with its one input, or widens and narrows it."""
    if not isinstance(step, ProgramStep):
        return False
    program = step.program
    names = [each.name for each in program.instructions]
    if len(program.inputs) != 1 or program.constants or program.outputs != (len(names),):
        return False
    types = [each.type for each in program.instructions]
    is_there_and_back = types == ["float32", "float16"] and program.inputs == ("float16",)
    return names == ["canonical"] or (names == ["convert", "convert"] and is_there_and_back)


def _canonical_values(program: Program, inputs: Iterable[bool]) -> list[bool]:
    """Return of each value of a program whether every NaN of it is the canonical one."""
    found = [*inputs, *(not bits for _, bits in program.constants)]  # of these, zeros
    for made in program.instructions:
        if made.name == "choose":
            found.append(all(found[source] for source in made.sources[1:]))
        else:
            found.append(made.name in CANONICAL or made.name == "convert")
    return found


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


def _apart(flow: Flow) -> set[int]:
    """Return which steps are known to write to a tensor nothing that another one writes.

    Who fills a tensor before something is copied to a part of it would otherwise do so later than
    who writes that part.
    """
    found = set()
    for buffer, writers in flow.writers.items():
        if len(writers) == 1:
            found.update(writers)
            continue
        found |= _apart_in(
            [
                (view, number)
                for number in writers
                for view in views_of(flow.plan.steps[number])[1]
                if view is not None and view.buffer == buffer
            ]
        )
    return found


def _apart_in(written: list[tuple[View, int]]) -> set[int]:
    """Return the steps that write views of one buffer of which no other has an element, too.

    One lies before the other; or, in rows of some pitch, in other columns.
    """
    strides = {stride for view, _ in written for stride in view.strides}
    if len({view.data_type.item_bytes for view, _ in written}) > 1 or min(strides, default=0) < 0:
        return set()
    found = set()
    for pitch in {max(_end_of(view) for view, _ in written), *strides} - {0}:
        columns = [(_columns(view, pitch), number) for view, number in written]
        spans = sorted((span, number) for span, number in columns if span is not None)
        if len(spans) < len(columns):
            continue
        reach = 0
        firsts = [span[0] for span, _ in spans[1:]]
        for ((first, end), number), after in zip(spans, [*firsts, pitch], strict=True):
            if reach <= first and end <= after:
                found.add(number)
            reach = max(reach, end)
    return found


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
