"""A plan in the words of docs/arithmetic.md: what each step does, to what, and its memory."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from math import prod
from typing import NamedTuple

from indirectml.devices import Implementation
from indirectml.passes.flow import views_of
from indirectml.plans import Plan, ProgramStep, Step, View, WordStep


class PlanRow(NamedTuple):
    """What a step of a plan does, and what memory it takes.

    Attributes
    ----------
    does : str
        The word, or what else it is.
    operators : tuple of str
        For whom.
    fields : tuple of str
        Of a word, `name=value`; of a program, its instructions.
    reads, writes : tuple of str
        Data types and sizes; "by pixels" where channels of a pixel are neighbours, "in panels"
        where a constant is in panels: in the order in which products read it.
    read_bytes, written_bytes : int
        Of these, each element once.
    held_bytes : int
        What of the temporary resource is in use while it runs.
    has_form : bool
        Whether the device has a form of its own for it, or its NumPy form is carried out.
    """

    does: str
    operators: tuple[str, ...]
    fields: tuple[str, ...]
    reads: tuple[str, ...]
    writes: tuple[str, ...]
    read_bytes: int
    written_bytes: int
    held_bytes: int
    has_form: bool

    @property
    def arrow(self) -> str:
        """What it reads and writes."""
        return f"{', '.join(self.reads) or 'nothing'} -> {', '.join(self.writes)}"

    @property
    def memory(self) -> str:
        """What it reads, writes and holds, in bytes."""
        held = f", {self.held_bytes} held" if self.held_bytes else ""
        return f"{self.read_bytes} read, {self.written_bytes} written{held}"


def plan_rows(plan: Plan, device: Implementation) -> list[PlanRow]:
    """Return a row for each step of a call."""
    held = _held(plan)
    return [_row(step, bytes_, device) for step, bytes_ in zip(plan.steps, held, strict=True)]


def computed_rows(plan: Plan, device: Implementation) -> list[PlanRow]:
    """Return a row for each step that initialization computes, of constants alone."""
    return [_row(step, 0, device) for step in plan.computed_steps]


def _row(step: Step, held_bytes: int, device: Implementation) -> PlanRow:
    read, written = ([view for view in views if view is not None] for views in views_of(step))
    does = type(step).__name__.removesuffix("Step").lower()
    fields: tuple[str, ...] = ()
    if isinstance(step, WordStep):
        does = step.word.name
        fields = tuple(f"{name}={value}" for name, value in step.fields)
        if step.word.temporary is not None:
            written = written[:-1]  # what it works in is held
    elif isinstance(step, ProgramStep):
        fields = tuple(str(step.program).splitlines())
    return PlanRow(
        does,
        getattr(step, "operator_names", ()),
        fields,
        tuple(map(_shown, read)),
        tuple(map(_shown, written)),
        sum(map(_size_bytes, read)),
        sum(map(_size_bytes, written)),
        held_bytes,
        device.has_form(step),
    )


def _shown(view: View) -> str:
    return f"{view.data_type.name} {list(view.sizes)}{_layout(view)}"


def _layout(view: View) -> str:
    """Return how a tensor lies, where a pass chose that."""
    if view.panels is not None:
        return " in panels"
    has_pixels = len(view.sizes) > 2 and view.sizes[1] > 1 and prod(view.sizes[2:]) > 1  # noqa: PLR2004 (images, channels)
    return " by pixels" if has_pixels and view.strides[1] == 1 else ""


def _size_bytes(view: View) -> int:
    return (view.element_count * view.data_type.bits + 7) // 8


class _Range:
    """Bytes of the temporary resource, from the step that writes them to the last that reads."""

    def __init__(self, begin: int, end: int, step: int) -> None:
        self.begin, self.end, self.first, self.last = begin, end, step, step

    def meets(self, begin: int, end: int) -> bool:
        """Return whether bytes are among these."""
        return self.begin < end and begin < self.end


def _held(plan: Plan) -> list[int]:
    """Return how many bytes of the temporary resource are in use at each step."""
    found: list[_Range] = []
    current: list[_Range] = []
    for number, step in enumerate(plan.steps):
        read, written = views_of(step)
        for begin, end in _ranges(plan, read):
            for each in current:
                if each.meets(begin, end):
                    each.last = number
        for begin, end in _ranges(plan, written):
            current = [r for r in current if not (begin <= r.begin and r.end <= end)]
            current.append(_Range(begin, end, number))
            found.append(current[-1])
    held = [0] * (len(plan.steps) + 1)
    for each in found:
        held[each.first] += each.end - each.begin
        held[each.last + 1] -= each.end - each.begin
    return list(itertools.accumulate(held))[:-1]


def _ranges(plan: Plan, views: Sequence[View | None]) -> Iterator[tuple[int, int]]:
    for view in views:
        if view is not None and view.buffer == plan.temporary:
            yield view.offset, view.offset + _size_bytes(view)
