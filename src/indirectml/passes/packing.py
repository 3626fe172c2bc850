"""Constants that are right sides of products, in the order in which products read them.

Matrices of weights and filters of convolutions are packed once, at initialization, and the packed
form takes the place of the plain one. So it is made where all that read a constant want it alike,
and where it is not longer than a tenth more.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from typing import Any, NamedTuple

from indirectml.arithmetic.contraction import panel_sizes
from indirectml.arithmetic.convolution import filter_matrices
from indirectml.core.data_types import TensorDataType
from indirectml.core.tensors import TensorDesc
from indirectml.descriptors.base import OperatorDesc
from indirectml.passes.flow import views_of
from indirectml.plans import (
    WITH_INPUTS,
    ComputeStep,
    CopyStep,
    CoreStep,
    InitialStep,
    PackStep,
    Panels,
    Plan,
    Ranges,
    Step,
    View,
)

#: How much longer what is packed may be: whole panels hold zeros beyond the last column.
_MOST = 1.1

#: Steps of one operator.
_OF_OPERATORS = (ComputeStep, CoreStep)


class _Form(NamedTuple):
    """How a tensor is packed: as matrices of these sizes, transposed or not; maybe a filter."""

    sizes: tuple[int, ...]
    is_transposed: bool
    filter_sizes: tuple[int, ...] = ()

    @property
    def panels(self) -> tuple[int, ...]:
        """The sizes of the panels."""
        *batch, rows, columns = self.sizes
        depth, width = (columns, rows) if self.is_transposed else (rows, columns)
        return (*batch, *panel_sizes(depth, width))


def pack_constants(plan: Plan) -> Plan:
    """Return a plan that packs owned inputs at initialization, where products read them."""
    owned = {step.target.offset for step in plan.initial_steps if isinstance(step, CopyStep)}
    if not owned:
        return plan
    readers = Counter(
        view.offset
        for step in plan.steps
        for view in views_of(step)[0]
        if view is not None and view.buffer == plan.persistent
    )
    forms: dict[int, Counter[_Form]] = {}
    tensors: dict[int, View] = {}
    for step in plan.steps:
        for view, form in _wanted(step, plan.persistent):
            if view.offset in owned:
                forms.setdefault(view.offset, Counter())[form] += 1
                tensors[view.offset] = view
    chosen = {
        offset: form
        for offset, counts in forms.items()
        for form, count in counts.items()
        if count == readers[offset] and _is_worthwhile(tensors[offset], form)
    }
    return _packed(plan, chosen) if chosen else plan


def _wanted(step: Step, persistent: int) -> Iterator[tuple[View, _Form]]:
    """Yield what a step would read packed of the persistent resource, and how."""
    if not isinstance(step, _OF_OPERATORS) or not isinstance(step.desc, OperatorDesc):
        return
    definition = step.desc.definition
    if not definition.packs and not definition.packs_filters:
        return
    names = [name for name, _ in step.desc.tensors("input_tensor")]
    numbers = step.numbers if isinstance(step, CoreStep) else range(len(names))
    for which, view in zip(numbers, step.inputs, strict=True):
        if which is None or view is None or view.buffer != persistent:
            continue
        form = _form(step.desc, names[which], view.sizes)
        if form is not None:
            yield view, form


def _form(desc: OperatorDesc, name: str, sizes: tuple[int, ...]) -> _Form | None:
    """Return how an operator reads a constant packed, if it does."""
    definition = desc.definition
    if name in definition.packs:
        is_transposed = definition.packs[name](desc)
        return None if is_transposed is None else _Form(sizes, is_transposed)
    if name in definition.packs_filters:
        groups = definition.packs_filters[name](desc)
        # A column for each filter.
        return None if groups is None else _Form(filter_matrices(sizes, groups), True, sizes)  # noqa: FBT003 (part of a form)
    return None


def _is_worthwhile(tensor: View, form: _Form) -> bool:
    """Return whether a tensor lies as its sizes say, and what is packed is not much longer."""
    is_half = tensor.data_type is TensorDataType.FLOAT16 and not form.filter_sizes
    if not is_half and tensor.data_type is not TensorDataType.FLOAT32:
        return False
    if not tensor.is_packed:
        return False
    panels = TensorDesc(tensor.data_type, form.panels)
    return panels.element_count <= _MOST * tensor.element_count


def _packed(plan: Plan, chosen: dict[int, _Form]) -> Plan:
    """Return a plan in which some constants, by their offsets, are packed."""
    persistent = Ranges(plan.persistent)
    moved: dict[int, View] = {}
    initial: list[InitialStep] = []
    for step in plan.initial_steps:
        assert not isinstance(step, PackStep)  # noqa: S101 (a plan is packed once)
        former = step.target
        form = chosen.get(former.offset)
        if form is None or not isinstance(step, CopyStep):
            moved[former.offset] = target = former.at(persistent.take(former.size_bytes))
            initial.append(replace(step, target=target))
            continue
        panels = persistent.add(TensorDesc(former.data_type, form.panels))
        packed = panels._replace(panels=Panels(*form))
        moved[former.offset] = packed
        source = View.of(step.source.buffer, TensorDesc(former.data_type, form.sizes))
        initial.append(PackStep(source, packed))

    def at(view: View | None) -> View | None:
        if view is None or view.buffer != plan.persistent:
            return view
        found = moved[view.offset]
        return found if found.panels else view.at(found.offset)

    def step_at(step: Step) -> Step:
        if isinstance(step, WITH_INPUTS):
            inputs: tuple[Any, ...] = tuple(map(at, step.inputs))
            return step if inputs == step.inputs else replace(step, inputs=inputs)
        return step

    return replace(
        plan,
        steps=tuple(map(step_at, plan.steps)),
        initial_steps=tuple(initial),
        persistent_size=persistent.size,
    )
