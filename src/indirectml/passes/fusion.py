"""Chains of programs as one: what one makes of an element the next takes at once.

Programs are joined where one reads what another writes, in the same sizes; what only they read is
never written to memory. A group runs where its last step stood, and so ends before a step that is
no part of it reads anything of it. Numbers that fills repeat become constants of programs.
"""

from __future__ import annotations

import operator
from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import lru_cache
from math import prod
from typing import Any, NamedTuple

from indirectml.passes.flow import Done, Flow, buffers_of, flow_of
from indirectml.passes.parts import Former
from indirectml.plans import FillStep, Plan, ProgramStep, Step, View, WordStep, remade
from indirectml.programs import Instruction, Program

#: A program reads and writes at most so many arrays, and has at most so many instructions: what is
#: between these fits the first cache.
_MOST_OPERANDS = 24
_MOST_INSTRUCTIONS = 256

#: What gives a value in a program: an input, a constant or a result, and its number.
_Place = tuple[str, int]

#: An input or an output of one of several steps: which step, and which of its inputs or outputs.
_Operand = tuple[int, int]

#: Elements that a step reads or writes: strides over the sizes of its output.
_Strides = tuple[int, ...]


def fuse(plan: Plan, former: Former) -> Plan:
    """Return a plan in which programs are joined, as many as can be.

    Where the last plan was alike but for sizes, the same ones are.
    """
    if not any(isinstance(step, ProgramStep) for step in plan.steps) or len(plan.steps) == 1:
        return plan
    last: _Groups | None
    flow, changed, last = flow_of(plan, former, "fuse")
    if last is None or not last.are_as_given or _may_be_split(flow, changed):
        plan = _alike(flow)
    groups = _Groups(
        flow.of(plan), are_as_given=plan is flow.plan
    )  # split axes are in the same buffers
    if last is None or not groups.join_as(last):
        groups.join()
    former.passes["fuse"] = Done(flow, groups)
    return replace(plan, steps=tuple(groups.steps))


def _may_be_split(flow: Flow, changed: Iterable[int]) -> bool:
    """Return whether programs that are others read, or are read, in parts of axes."""
    steps = flow.plan.steps
    numbers = set(changed)
    for number in changed:
        if isinstance(steps[number], ProgramStep):
            for buffer in buffers_of(steps[number])[1]:
                numbers.update(flow.readers.get(buffer, ()))
    for number in numbers:
        step = steps[number]
        if isinstance(step, ProgramStep):
            for view in step.inputs:
                writer = flow.writer(view.buffer)
                other = None if writer is None else steps[writer]
                if (
                    isinstance(other, ProgramStep)
                    and other.sizes != step.sizes
                    and common_sizes(step.sizes, other.sizes) is not None
                ):
                    return True
    return False


def _alike(flow: Flow) -> Plan:
    """Return a plan in which programs that read each other have axes in the same parts."""
    steps = list(flow.plan.steps)
    waiting = list(range(len(steps)))
    while waiting:
        number = waiting.pop()
        step = steps[number]
        if not isinstance(step, ProgramStep):
            continue
        for view in step.inputs:
            writer = flow.writer(view.buffer)
            other = None if writer is None else steps[writer]
            if not isinstance(other, ProgramStep) or other.sizes == step.sizes:
                continue
            sizes = common_sizes(step.sizes, other.sizes)
            if sizes is None:
                continue
            for place, each in ((number, step), (writer, other)):
                if each.sizes != sizes and place is not None:
                    steps[place] = with_split_axes(each, sizes)
                    waiting.append(place)
                    for written in each.outputs:
                        waiting += flow.readers.get(written.buffer, ())
            if steps[number] is not step:
                break
    is_same = all(map(operator.is_, steps, flow.plan.steps))
    return flow.plan if is_same else replace(flow.plan, steps=tuple(steps))


def with_split_axes(step: ProgramStep, sizes: _Strides) -> ProgramStep:
    """Return a step whose axes are split."""

    def split(strides: tuple[_Strides, ...]) -> tuple[_Strides, ...]:
        return tuple(split_strides(step.sizes, each, step.sizes, sizes)[1] for each in strides)

    def make() -> ProgramStep:
        return replace(
            step,
            sizes=sizes,
            input_strides=split(step.input_strides),
            output_strides=split(step.output_strides),
        )

    made: ProgramStep = remade(step, "_over", sizes, make)
    return made


@lru_cache(1024)
def common_sizes(first: _Strides, second: _Strides) -> tuple[int, ...] | None:
    """Return the parts of axes in which both are found, if there are such."""
    found: list[int] = []
    a, b = list(first[::-1]), list(second[::-1])
    while a and b:
        part = min(a[-1], b[-1])
        found.append(part)
        for sizes in (a, b):
            left, rest = divmod(sizes.pop(), part)
            if rest:
                return None
            if left > 1:
                sizes.append(left)
    return None if a or b else tuple(found)


@lru_cache(1024)
def split_strides(
    sizes: tuple[int, ...], strides: tuple[int, ...], whole: tuple[int, ...], into: tuple[int, ...]
) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Return sizes and strides over parts of axes; sizes are those of the whole, or 1."""
    parts = list(into)
    found: list[tuple[int, int]] = []
    for size, stride, full in zip(sizes, strides, whole, strict=True):
        own: list[int] = []
        while prod(own) < full:
            own.append(parts.pop(0))
        is_repeated = size == 1 or stride == 0
        found += [
            (1, 0) if is_repeated else (part, stride * prod(own[k + 1 :]))
            for k, part in enumerate(own)
        ]
    return tuple(part for part, _ in found), tuple(stride for _, stride in found)


class _Group:
    """Steps that become one program."""

    def __init__(self) -> None:
        self.members: list[int] = []
        self.instruction_count = 0
        self.operands: set[Any] = set()

    @property
    def is_full(self) -> bool:
        """Whether no more belongs into it."""
        return len(self.operands) >= _MOST_OPERANDS or self.instruction_count >= _MOST_INSTRUCTIONS


class _Groups:
    """Steps joined into groups, in the order of the plan."""

    def __init__(self, flow: Flow, *, are_as_given: bool) -> None:
        self.flow = flow
        #: Whether no axes of the plan that was given are split.
        self.are_as_given = are_as_given
        self._steps = flow.plan.steps
        #: What groups, and the other steps, become.
        self.steps: list[Step] = []
        self._group_of: dict[int, _Group] = {}  # by the number of a step, as long as it may grow
        self._open: dict[_Group, None] = {}
        self._items: list[_Group | int] = []
        #: Buffers that hold one number, repeated: its data type and bits.
        self.constants: dict[int, tuple[Any, int]] = {}
        self._pending: dict[int, int] = {}  # fills of these, by buffer, until somebody reads them

    def join(self) -> None:
        """Join steps into groups; these and the other steps get an order in which they can run."""
        for number, step in enumerate(self._steps):
            if isinstance(step, ProgramStep):
                self._add(number, step)
                continue
            if isinstance(step, FillStep) and step.delta is None:
                buffer = step.output.buffer
                if not self.flow.is_output(buffer) and self.flow.writer(buffer) is not None:
                    self.constants[buffer] = (step.data_type, step.start)
                    self._pending[buffer] = number
                    continue
            self._end(buffers_of(step)[0])
            self._items.append(number)
        for group in tuple(self._open):
            self._close(group)
        self.steps = [self.step(item) for item in self._items]

    def join_as(self, last: _Groups) -> bool:
        """Join what was joined in a plan with the same flow; returns whether it would be anew.

        What is joined depends on what is equal: sizes, and where elements lie. So that has to be
        equal where it was, and different where it was.
        """
        changed = [n for n, (a, b) in enumerate(zip(last._steps, self._steps, strict=True))
                   if a is not b]  # fmt: skip
        if not all(_counts_alike(last._steps[n], self._steps[n]) for n in changed):
            return False
        programs = [step for n in changed if isinstance(step := self._steps[n], ProgramStep)]
        touched = {b for step in programs for some in buffers_of(step) for b in some}
        if not all(self._lies_as(last, buffer) for buffer in touched):
            return False
        others = frozenset(changed)
        self._items, self.constants = last._items, last.constants
        self.steps = [
            step
            if others.isdisjoint((item,) if isinstance(item, int) else item.members)
            else self.step(item, step)
            for item, step in zip(last._items, last.steps, strict=True)
        ]
        return True

    def _lies_as(self, last: _Groups, buffer: int) -> bool:
        """Return whether programs use parts of a buffer that are as equal as they were."""
        users = {*self.flow.readers.get(buffer, ()), *self.flow.writers.get(buffer, ())}
        now: list[Any] = []
        before: list[Any] = []
        for number in users:
            step, former = self._steps[number], last._steps[number]
            if isinstance(step, ProgramStep) and isinstance(former, ProgramStep):
                now += _places(step)[buffer]
                before += _places(former)[buffer]
        if len(now) == 1:
            return True
        if len(now) == 2:  # noqa: PLR2004 (which nearly all have)
            ((sizes, place), (others, there)), (a, b) = now, before
            return (sizes == others, place == there) == (a[0] == b[0], a[1] == b[1])
        return all(
            len(set(zip(a, b, strict=True))) == len(set(a)) == len(set(b))
            for a, b in zip(zip(*before, strict=True), zip(*now, strict=True), strict=True)
        )

    def step(self, item: _Group | int, former: Step | None = None) -> Step:
        """Return a step, or a group as one, which may be joined as it was in a plan like this."""
        if isinstance(item, int):
            return self._steps[item]
        if len(item.members) == 1 and not self._reads_constants(item.members[0]):
            return self._steps[item.members[0]]
        members = [self.program(number) for number in sorted(item.members)]
        recipe = None if former is None else former.__dict__.get("_recipe")
        return (recipe and recipe.step(members)) or _Writer(self, item).step()

    def program(self, number: int) -> ProgramStep:
        """Return a step that has a program."""
        step = self._steps[number]
        assert isinstance(step, ProgramStep)  # noqa: S101 (others are in no group)
        return step

    def constant(self, view: View) -> tuple[Any, int] | None:
        """Return data type and bits of what is read, if it is one number repeated."""
        found = self.constants.get(view.buffer)
        return found if found is not None and found[0] is view.data_type else None

    def _reads_constants(self, number: int) -> bool:
        read = self.program(number).inputs
        return bool(self.constants) and any(self.constant(view) is not None for view in read)

    def _end(self, buffers: Iterable[int]) -> None:
        """Have what writes some buffers stand before what comes now."""
        for buffer in buffers:
            if buffer in self._pending:
                self._items.append(self._pending.pop(buffer))
                continue
            for writer in self.flow.writers.get(buffer, ()):
                group = self._group_of.get(writer)
                if group is not None:
                    self._close(group)

    def _close(self, group: _Group) -> None:
        if group in self._open:
            del self._open[group]
            for member in group.members:
                del self._group_of[member]
            self._items.append(group)

    def _add(self, number: int, step: ProgramStep) -> None:
        """Join a step with what it reads, as far as that lies alike, or begin a group."""
        flow = self.flow
        writers = [flow.writer(view.buffer) for view in step.inputs]
        read = list(zip(step.inputs, step.input_strides, writers, strict=True))
        chosen: _Group | None = None
        for view, strides, writer in read:
            if self.constant(view) is not None:
                continue
            group = None if writer is None else self._group_of.get(writer)
            if writer is None or group is None:
                self._end((view.buffer,))
                continue
            lies_alike = self._lies_alike(step, view, strides, self.program(writer))
            if group is not chosen or not lies_alike:
                chosen = self._joined(chosen, group, lies_alike)
        # What was closed meanwhile was closed for good.
        if chosen is None or chosen not in self._open:
            chosen = _Group()
            self._open[chosen] = None
        chosen.members.append(number)
        chosen.instruction_count += len(step.program.instructions)
        chosen.operands.update(
            (view.buffer, view.offset, strides)
            for view, strides, writer in read
            if view.buffer not in self.constants
            and (writer is None or self._group_of.get(writer) is not chosen)
        )
        chosen.operands.update(
            buffer
            for buffer in buffers_of(step)[1]
            if flow.is_output(buffer) or len(flow.readers.get(buffer, ())) > 1
        )
        self._group_of[number] = chosen

    @staticmethod
    def _lies_alike(step: ProgramStep, view: View, strides: _Strides, other: ProgramStep) -> bool:
        """Return whether a step reads each element where another wrote that of the same place."""
        return step.sizes == other.sizes and any(
            written.buffer == view.buffer
            and written.offset == view.offset
            and written.data_type is view.data_type
            and strides == own
            for written, own in zip(other.outputs, other.output_strides, strict=True)
        )

    def _joined(self, chosen: _Group | None, group: _Group, lies_alike: bool) -> _Group | None:  # noqa: FBT001 (an answer)
        """Return the group that a step belongs to that reads another group too; end that if not."""
        if lies_alike and chosen is None and not group.is_full:
            return group
        if lies_alike and chosen is not None and chosen in self._open and _fit(chosen, group):
            return self._merged(chosen, group)
        self._close(group)
        return chosen

    def _merged(self, first: _Group, second: _Group) -> _Group:
        """Return two groups as one."""
        first.members += second.members
        first.instruction_count += second.instruction_count
        first.operands |= second.operands
        for member in second.members:
            self._group_of[member] = first
        del self._open[second]
        return first


def _fit(first: _Group, second: _Group) -> bool:
    return (
        len(first.operands | second.operands) <= _MOST_OPERANDS
        and first.instruction_count + second.instruction_count <= _MOST_INSTRUCTIONS
    )


def _counts_alike(first: Step, second: Step) -> bool:
    """Return whether two steps have as many instructions, and data of the same types."""
    if not isinstance(first, ProgramStep) or not isinstance(second, ProgramStep):
        return isinstance(first, WordStep) and isinstance(second, WordStep)
    views = zip((*first.inputs, *first.outputs), (*second.inputs, *second.outputs), strict=True)
    return len(first.program.instructions) == len(second.program.instructions) and all(
        a.data_type is b.data_type for a, b in views
    )


def _places(step: ProgramStep) -> dict[int, list[tuple[_Strides, tuple[int, _Strides]]]]:
    """Return the sizes of a program, and where in each buffer its elements lie, for each view."""
    found: dict[int, list[tuple[_Strides, tuple[int, _Strides]]]] | None
    found = step.__dict__.get("_places")
    if found is None:
        found = step.__dict__["_places"] = {}
        for views, strides in (
            (step.inputs, step.input_strides),
            (step.outputs, step.output_strides),
        ):
            for view, own in zip(views, strides, strict=True):
                found.setdefault(view.buffer, []).append((step.sizes, (view.offset, own)))
    return found


def _mark(step: ProgramStep) -> object:
    """Return what stands for a step in a key: whether it is the same is asked at once."""
    return step.__dict__.setdefault("_mark", object())


class _Recipe(NamedTuple):
    """How programs became one, without where its elements lie.

    Attributes
    ----------
    programs : list of Program
        Of the members.
    program : Program
        What they became.
    reads, writes : list of (int, int)
        Of the inputs and outputs that come from, or go to, memory: member, and number there.
    numbers : list of int
        Which input of the program each of `reads` is.
    """

    programs: list[Program]
    program: Program
    reads: list[_Operand]
    numbers: list[int]
    writes: list[_Operand]

    def step(self, members: Sequence[ProgramStep]) -> ProgramStep | None:
        """Return other members as one; None where other inputs of these are equal."""
        if any(a.program is not b for a, b in zip(members, self.programs, strict=True)):
            return None
        found: dict[Any, int] = {}
        for (member, k), number in zip(self.reads, self.numbers, strict=True):
            step = members[member]
            key = step.inputs[k], step.input_strides[k], step.program.inputs[k]
            if found.setdefault(key, len(found)) != number:
                return None
        outputs = [
            (members[member].outputs[k], members[member].output_strides[k])
            for member, k in self.writes
        ]
        made = ProgramStep(
            self.program,
            tuple([name for member in members for name in member.operator_names]),
            members[0].sizes,
            tuple([view for view, _, _ in found]),
            tuple([view for view, _ in outputs]),
            tuple([strides for _, strides, _ in found]),
            tuple([strides for _, strides in outputs]),
        )
        made.__dict__["_recipe"] = self
        return made


class _Writer:
    """A group on its way to a program: values with their numbers, instructions once each."""

    def __init__(self, groups: _Groups, group: _Group) -> None:
        self._groups = groups
        self._flow = groups.flow
        self._group = group
        self._numbers = sorted(group.members)
        #: What is read from memory, and which input of the program it is.
        self._reads: list[tuple[_Operand, int]] = []
        #: By view, strides and type: the numbers of inputs.
        self._inputs: dict[tuple[View, _Strides, str], int] = {}
        self._constants: dict[tuple[str, int], int] = {}
        #: By name, types and sources: their numbers.
        self._instructions: dict[tuple[str, str, str, tuple[_Place, ...]], int] = {}
        #: What stands for what members write, by buffer.
        self._made: dict[int, _Place] = {}
        self._made_of: dict[int, _Place] = {}  # by view

    def step(self) -> ProgramStep:
        """Return the program as a step of the plan."""
        members = [self._groups.program(number) for number in self._numbers]
        flow, numbers = self._flow, set(self._numbers)
        written = [view for member in members for view in member.outputs]
        are_kept = [
            flow.is_output(view.buffer)
            or flow.writer(view.buffer) is None
            or not numbers.issuperset(flow.readers.get(view.buffer, ()))
            for view in written
        ]
        key = (
            tuple(map(_mark, members)),
            tuple(are_kept),
            tuple(flow.writer(view.buffer) is None for view in written),
            tuple(self._groups.constant(view) for member in members for view in member.inputs),
        )
        made: ProgramStep = remade(
            members[-1], "_joined", key, lambda: self._joined(members, are_kept)
        )
        return made

    def _joined(self, members: Sequence[ProgramStep], are_kept: Sequence[bool]) -> ProgramStep:
        """Return the program as a step, with the outputs that are kept."""
        for number, member in enumerate(members):
            self._write(number, member)
        every = [(n, k) for n, member in enumerate(members) for k in range(len(member.outputs))]
        kept = [each for each, is_kept in zip(every, are_kept, strict=True) if is_kept]
        program = self._program([self._made_of[id(members[n].outputs[k])] for n, k in kept])
        reads, numbers = [each for each, _ in self._reads], [number for _, number in self._reads]
        recipe = _Recipe([each.program for each in members], program, reads, numbers, kept)
        made = recipe.step(members)
        assert made is not None  # noqa: S101 (it was made of these)
        return made

    def _program(self, kept: list[_Place]) -> Program:
        constants = len(self._inputs)
        first = {
            "input": 0,
            "constant": constants,
            "result": constants + len(self._constants),
        }
        return Program(
            tuple(type_ for _, _, type_ in self._inputs),
            tuple(self._constants),
            tuple(
                Instruction(name, source, type_, tuple(first[kind] + n for kind, n in sources))
                for name, source, type_, sources in self._instructions
            ),
            tuple(first[kind] + n for kind, n in kept),
        )

    def _write(self, owner: int, member: ProgramStep) -> None:
        """Add what a step does."""
        program = member.program
        first_constant = len(program.inputs)
        first_result = first_constant + len(program.constants)
        results: list[_Place] = []

        def found(value: int) -> _Place:
            if value >= first_result:
                return results[value - first_result]
            if value >= first_constant:
                return self._constant(*program.constants[value - first_constant])
            return self._operand(owner, member, value)

        for name, source, type_, values in program.instructions:
            key = (name, source, type_, tuple(map(found, values)))
            number = self._instructions.setdefault(key, len(self._instructions))
            results.append(("result", number))
        for view, value in zip(member.outputs, program.outputs, strict=True):
            place = self._made_of[id(view)] = found(value)
            if self._flow.writer(view.buffer) is not None:
                self._made[view.buffer] = place

    def _constant(self, type_: str, bits: int) -> _Place:
        return "constant", self._constants.setdefault((type_, bits), len(self._constants))

    def _operand(self, owner: int, member: ProgramStep, index: int) -> _Place:
        """Return what stands for an input of a step."""
        view, type_ = member.inputs[index], member.program.inputs[index]
        constant = self._groups.constant(view)
        if constant is not None:
            return self._constant(type_, constant[1])
        if view.buffer in self._made:
            return self._made[view.buffer]
        key = (view, member.input_strides[index], type_)
        number = self._inputs.setdefault(key, len(self._inputs))
        self._reads.append(((owner, index), number))
        return "input", number
