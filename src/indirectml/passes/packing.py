"""Constants that are right sides of products, in the order in which products read them.

Matrices of weights are packed once, at initialization, and the packed form takes the place of the
plain one. So it is made where all that read a constant want it alike, and where it is not longer
than a tenth more.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import Any

from indirectml.arithmetic.contraction import panel_sizes
from indirectml.core.data_types import TensorDataType
from indirectml.core.tensors import TensorDesc
from indirectml.descriptors.base import OperatorDesc
from indirectml.plans import (
    ComputeStep,
    CopyStep,
    CoreStep,
    InitialStep,
    PackedView,
    PackStep,
    Plan,
    ProgramStep,
    Ranges,
    Step,
    View,
)

#: How much longer what is packed may be: whole panels hold zeros beyond the last column.
_MOST = 1.1

#: The sizes of a matrix, and whether it is transposed before it is packed.
_Form = tuple[tuple[int, ...], bool]


def pack_constants(plan: Plan) -> Plan:
    """Return a plan that packs owned inputs at initialization, where products read them."""
    owned = {step.target.offset for step in plan.initial_steps if isinstance(step, CopyStep)}
    if not owned:
        return plan
    readers = Counter(
        view.offset
        for step in plan.steps
        for view in _read(step)
        if view is not None and view.buffer == plan.persistent
    )
    forms: dict[int, Counter[_Form]] = {}
    for step in plan.steps:
        for number, form in _wanted(step).items():
            view = _read(step)[number]
            if view is not None and view.buffer == plan.persistent and view.offset in owned:
                forms.setdefault(view.offset, Counter())[form] += 1
    chosen = {
        offset: form
        for offset, counts in forms.items()
        for form, count in counts.items()
        if count == readers[offset]
    }
    return _packed(plan, chosen) if chosen else plan


def _read(step: Step) -> tuple[View | None, ...]:
    """Return what a step reads."""
    if isinstance(step, ComputeStep | CoreStep | ProgramStep):
        return step.inputs
    return (step.source,) if isinstance(step, CopyStep) else ()


def _wanted(step: Step) -> dict[int, _Form]:
    """Return the inputs that a step reads packed, by their numbers."""
    if not isinstance(step, ComputeStep | CoreStep) or not isinstance(step.desc, OperatorDesc):
        return {}
    packs = step.desc.definition.packs
    if not packs:
        return {}
    names = [name for name, _ in step.desc.tensors("input_tensor")]
    numbers = step.numbers if isinstance(step, CoreStep) else range(len(names))
    found = {}
    for number, (which, view) in enumerate(zip(numbers, step.inputs, strict=True)):
        name = "" if which is None else names[which]
        is_transposed = packs[name](step.desc) if name in packs and view else None
        if view is not None and is_transposed is not None and _is_worthwhile(view, is_transposed):
            found[number] = view.tensor.sizes_tuple, is_transposed
    return found


def _panels(sizes: tuple[int, ...], is_transposed: bool) -> tuple[int, ...]:  # noqa: FBT001 (part of a form)
    """Return the sizes of the panels of a tensor of matrices."""
    *batch, rows, columns = sizes
    return (*batch, *(panel_sizes(columns, rows) if is_transposed else panel_sizes(rows, columns)))


def _is_worthwhile(view: View, is_transposed: bool) -> bool:  # noqa: FBT001 (part of a form)
    """Return whether a tensor lies as its sizes say, and what is packed is not much longer."""
    tensor = view.tensor
    if tensor.data_type is not TensorDataType.FLOAT32 or tensor.strides is not None:
        return False
    panels = TensorDesc(tensor.data_type, _panels(tensor.sizes_tuple, is_transposed))
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
            moved[former.offset] = target = persistent.add(former.tensor)
            initial.append(replace(step, target=target))
            continue
        sizes, is_transposed = form
        panels = persistent.add(TensorDesc(former.tensor.data_type, _panels(sizes, is_transposed)))
        packed = PackedView(panels.buffer, panels.tensor, panels.offset, sizes, is_transposed)
        moved[former.offset] = packed
        source = View(step.source.buffer, TensorDesc(former.tensor.data_type, sizes))
        initial.append(PackStep(source, packed))

    def at(view: View | None) -> View | None:
        if view is None or view.buffer != plan.persistent:
            return view
        found = moved[view.offset]
        return found if isinstance(found, PackedView) else replace(view, offset=found.offset)

    def step_at(step: Step) -> Step:
        if isinstance(step, ComputeStep | CoreStep | ProgramStep):
            inputs: tuple[Any, ...] = tuple(map(at, step.inputs))
            return replace(step, inputs=inputs)
        return step

    return replace(
        plan,
        steps=tuple(map(step_at, plan.steps)),
        initial_steps=tuple(initial),
        persistent_size=persistent.size,
    )
