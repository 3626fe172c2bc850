"""Chains of element-wise steps as programs: what one makes of an element the next takes at once.

Steps whose operators have a program (`tracing`) are joined where one reads what another writes, in
the same sizes; what only they read is never written to memory. A group runs where its last step
stood, and so ends before a step that is no part of it reads anything of it. Numbers that fills
repeat become constants of programs. What is left gets new places in the temporary resource.
"""

from __future__ import annotations

import functools
import operator
from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from indirectml.core.data_types import TensorDataType
from indirectml.core.tensors import TensorDesc
from indirectml.passes.flow import Flow, Part, Value, placed
from indirectml.passes.tracing import Reference, Template, template
from indirectml.plans import ComputeStep, CoreStep, FillStep, Plan, ProgramStep, Step, View
from indirectml.programs import Instruction, Program

#: A program reads and writes at most so many arrays, and has at most so many instructions: what is
#: between these fits the first cache.
_MOST_OPERANDS = 24
_MOST_INSTRUCTIONS = 256

#: What gives a value in a program: an input, a constant or a result, and its number.
_Place = tuple[str, int]

#: Elements that a step reads or writes: strides over the sizes of its output.
_Strides = tuple[int, ...]


def fuse(plan: Plan) -> Plan:
    """Return a plan in which element-wise steps are programs, each of as many as can be."""
    split, templates = _split(plan)
    groups = _Groups(flow := Flow(split), templates)
    items = groups.items()
    if split.temporary_size == plan.temporary_size and not any(
        isinstance(item, _Group) for item in items
    ):
        return split  # everything stays where it lies
    return placed(flow, [groups.part(item) for item in items])


def _split(plan: Plan) -> tuple[Plan, dict[int, Template]]:
    """Return a plan whose operators with a core are two steps, and what those without one do.

    An operator alone stays one step where it would need memory between the two.
    """
    steps: list[Step] = []
    templates: dict[int, Template] = {}
    end = plan.temporary_size
    for step in plan.steps:
        found = template(step.desc) if isinstance(step, ComputeStep) else None  # type: ignore[arg-type]
        if found is None or found.core is None or not isinstance(step, ComputeStep):
            if found is not None:
                templates[len(steps)] = found
            steps.append(step)
            continue
        (output,) = step.outputs
        assert output is not None  # noqa: S101 (one output is never left out)
        function, fields, numbers = found.core
        inputs = tuple(None if n is None else step.inputs[n] for n in numbers)
        made = CoreStep(step.operator_name, step.desc, function, fields, inputs, numbers, output)
        if found.outputs == (("core",),) and not found.instructions:
            steps.append(made)
        elif len(plan.steps) == 1:
            steps.append(step)
        else:
            between = TensorDesc(TensorDataType.FLOAT32, output.sizes)
            view = View.of(plan.temporary, between, end)
            end += between.total_tensor_size_in_bytes
            templates[len(steps) + 1] = rest = _rest(found)
            read = [
                view if type_ else None
                for type_, view in zip(rest.inputs, (*step.inputs, view), strict=True)
            ]
            steps += [
                replace(made, output=view),
                replace(step, inputs=tuple(read)),
            ]
    if len(steps) == len(plan.steps) and all(map(operator.is_, steps, plan.steps)):
        return plan, templates
    return replace(plan, steps=tuple(steps), temporary_size=end), templates


def _rest(found: Template) -> Template:
    """Return what follows a core: its result is one input more, and others may not be needed."""
    last = len(found.inputs)

    def moved(reference: Reference) -> Reference:
        return ("input", last) if reference == ("core",) else reference

    instructions = tuple(
        (name, source, type_, tuple(map(moved, references)))
        for name, source, type_, references in found.instructions
    )
    outputs = tuple(map(moved, found.outputs))
    read = {n for *_, references in instructions for kind, n, *_ in references if kind == "input"}
    inputs = (
        *(type_ if n in read else None for n, type_ in enumerate(found.inputs)),
        "float32",
    )
    return Template(inputs, instructions, outputs)


class _Member:
    """A step that has a program."""

    def __init__(self, number: int, step: ComputeStep, found: Template, sizes: _Strides) -> None:
        self.number = number
        self.step = step
        self.template = found
        self.sizes = sizes
        self.strides: list[_Strides | None] = []  # of inputs


def _member(number: int, step: Step, found: Template | None) -> _Member | None:
    """Return a step as a member of a group; None if it has no program over its output's sizes."""
    if found is None or not isinstance(step, ComputeStep):
        return None
    outputs = [view for view in step.outputs if view is not None]
    full = outputs[0].sizes
    if any(view.sizes != full for view in outputs[1:]):
        return None
    member = _Member(number, step, found, tuple(size for size in full if size != 1))
    for view in step.inputs:
        if view is None:
            member.strides.append(None)
            continue
        if len(view.sizes) != len(full):
            return None
        strides = _strides_over(full, view)
        if strides is None:
            return None
        member.strides.append(strides)
    return member


def _strides_over(sizes: tuple[int, ...], view: View) -> _Strides | None:
    """Return a view's strides over sizes without those of 1; None if it has other sizes."""
    return _strides(sizes, view.sizes, view.strides)


@functools.lru_cache(4096)
def _strides(
    sizes: tuple[int, ...], own: tuple[int, ...], strides: tuple[int, ...]
) -> _Strides | None:
    if any(a not in (1, b) for a, b in zip(own, sizes, strict=True)):
        return None
    return tuple(
        stride if size == whole else 0
        for stride, size, whole in zip(strides, own, sizes, strict=True)
        if whole != 1
    )


class _Group:
    """Steps that become one program."""

    def __init__(self, sizes: _Strides) -> None:
        self.sizes = sizes
        self.members: list[_Member] = []
        self.instruction_count = 0
        self.operands: set[Any] = set()

    @property
    def is_full(self) -> bool:
        """Whether no more belongs into it."""
        return len(self.operands) >= _MOST_OPERANDS or self.instruction_count >= _MOST_INSTRUCTIONS


class _Groups:
    """Steps joined into groups, in the order of the plan."""

    def __init__(self, flow: Flow, templates: dict[int, Template]) -> None:
        self.flow = flow
        self._templates = templates
        self._group_of: dict[int, _Group] = {}  # by the number of a step, as long as it may grow
        self._open: dict[_Group, None] = {}
        self._items: list[_Group | int] = []
        #: Values that are one number, repeated: their bits.
        self.constants: dict[int, tuple[Any, int]] = {}
        self._pending: dict[int, int] = {}  # fills of these, by value, as long as nobody reads them

    def items(self) -> list[_Group | int]:
        """Return groups, and the numbers of the other steps, in an order in which they can run."""
        for number, step in enumerate(self.flow.plan.steps):
            member = _member(number, step, self._templates.get(number))
            if member is not None:
                self._add(member)
                continue
            written = self.flow.written[number]
            if isinstance(step, FillStep) and step.delta is None:
                (value,) = written
                if value is not None and not self.flow.is_output(value):
                    self.constants[value] = (step.data_type, step.start)
                    self._pending[value] = number
                    continue
            self._end(self.flow.read[number])
            self._items.append(number)
        for group in tuple(self._open):
            self._close(group)
        return self._items

    def part(self, item: _Group | int) -> Part:
        """Return a step, or a group as one, with what it reads and writes."""
        flow = self.flow
        if isinstance(item, int):
            return Part(flow.plan.steps[item], flow.read[item], flow.written[item])
        return _Writer(self, item).part()

    def constant(self, value: Value | None, view: View) -> tuple[Any, int] | None:
        """Return data type and bits of what is read, if it is one number repeated."""
        found = self.constants.get(value) if isinstance(value, int) else None
        return found if found is not None and found[0] is view.data_type else None

    def _end(self, values: Iterable[Value | None]) -> None:
        """Have what makes some values stand before what comes now."""
        for value in values:
            if not isinstance(value, int):
                continue
            if value in self._pending:
                self._items.append(self._pending.pop(value))
                continue
            group = self._group_of.get(self.flow.writers[value])
            if group is not None:
                self._close(group)

    def _close(self, group: _Group) -> None:
        if group in self._open:
            del self._open[group]
            for member in group.members:
                del self._group_of[member.number]
            self._items.append(group)

    def _add(self, member: _Member) -> None:
        """Join a step with what it reads, as far as that lies alike, or begin a group."""
        flow = self.flow
        read = list(zip(flow.read[member.number], member.step.inputs, member.strides, strict=True))
        chosen: _Group | None = None
        for value, view, strides in read:
            if value is None or view is None or self.constant(value, view) is not None:
                continue
            group = self._group_of.get(flow.writers[value]) if isinstance(value, int) else None
            if group is None:
                self._end([value])
            elif group is not chosen or not self._lies_alike(member, value, view, strides):
                chosen = self._joined(chosen, group, self._lies_alike(member, value, view, strides))
        # What was closed meanwhile was closed for good.
        if chosen is None or chosen not in self._open:
            chosen = _Group(member.sizes)
            self._open[chosen] = None
        chosen.members.append(member)
        chosen.instruction_count += len(member.template.instructions)
        chosen.operands.update(
            (value, strides)
            for value, view, strides in read
            if not isinstance(value, int)
            or not (value in self.constants or self._group_of.get(flow.writers[value]) is chosen)
        )
        chosen.operands.update(
            value
            for value in flow.written[member.number]
            if value is not None and (flow.is_output(value) or len(flow.readers[value]) > 1)
        )
        self._group_of[member.number] = chosen

    def _lies_alike(
        self, member: _Member, value: Value, view: View, strides: _Strides | None
    ) -> bool:
        """Return whether a step reads each element where another wrote that of the same place."""
        if not isinstance(value, int):
            return False
        written = self.flow.views[value]
        full = written.sizes
        return (
            tuple(size for size in full if size != 1) == member.sizes
            and view.data_type is written.data_type
            and strides == _strides_over(full, written)
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
            self._group_of[member.number] = first
        del self._open[second]
        return first


def _fit(first: _Group, second: _Group) -> bool:
    return (
        len(first.operands | second.operands) <= _MOST_OPERANDS
        and first.instruction_count + second.instruction_count <= _MOST_INSTRUCTIONS
    )


class _Writer:
    """A group on its way to a program: values with their numbers, instructions once each."""

    def __init__(self, groups: _Groups, group: _Group) -> None:
        self._groups = groups
        self._flow = groups.flow
        self._group = group
        self._members = sorted(group.members, key=lambda member: member.number)
        #: By value, strides and type: the numbers of inputs, and their views.
        self._inputs: dict[tuple[Value, _Strides, str], int] = {}
        self._views: list[View] = []
        self._constants: dict[tuple[str, int], int] = {}
        #: By name, types and sources: their numbers.
        self._instructions: dict[tuple[str, str, str, tuple[_Place, ...]], int] = {}
        #: What stands for the values that members write.
        self._made: dict[int, _Place] = {}

    def part(self) -> Part:
        """Return the program as a step of the plan."""
        for member in self._members:
            self._write(member)
        flow = self._flow
        numbers = {member.number for member in self._members}
        kept = [
            value
            for member in self._members
            for value in flow.written[member.number]
            if value is not None
            and (flow.is_output(value) or not numbers.issuperset(flow.readers[value]))
        ]
        written = tuple(flow.views[value] for value in kept)
        step = ProgramStep(
            self._program(kept),
            tuple(member.step.operator_name for member in self._members),
            self._group.sizes,
            tuple(self._views),
            written,
            tuple(strides for _, strides, _ in self._inputs),
            tuple(_strides_over(v.sizes, v) or () for v in written),
        )
        return Part(step, [value for value, _, _ in self._inputs], kept)

    def _program(self, kept: list[int]) -> Program:
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
            tuple(first[kind] + n for kind, n in (self._made[value] for value in kept)),
        )

    def _write(self, member: _Member) -> None:
        """Add what a step does."""
        results: list[_Place] = []

        def found(reference: Reference) -> _Place:
            kind = reference[0]
            if kind == "result":
                return results[reference[1]]
            if kind == "input":
                return self._operand(member, reference[1])
            return self._constant(reference[1], reference[2])

        for name, source, type_, references in member.template.instructions:
            key = (name, source, type_, tuple(map(found, references)))
            number = self._instructions.setdefault(key, len(self._instructions))
            results.append(("result", number))
        outputs = [value for value in self._flow.written[member.number] if value is not None]
        for value, reference in zip(outputs, member.template.outputs, strict=True):
            self._made[value] = found(reference)

    def _constant(self, type_: str, bits: int) -> _Place:
        return "constant", self._constants.setdefault((type_, bits), len(self._constants))

    def _operand(self, member: _Member, index: int) -> _Place:
        """Return what stands for an input of a step."""
        value, view = self._flow.read[member.number][index], member.step.inputs[index]
        strides, type_ = member.strides[index], member.template.inputs[index]
        # Templates read what is there.
        assert view is not None and strides is not None and type_ is not None and value is not None  # noqa: S101, PT018
        number = self._groups.constant(value, view)
        if number is not None:
            return self._constant(type_, number[1])
        if isinstance(value, int) and value in self._made:
            return self._made[value]
        key = (value, strides, type_)
        if key not in self._inputs:
            self._inputs[key] = len(self._inputs)
            self._views.append(view)
        return "input", self._inputs[key]
