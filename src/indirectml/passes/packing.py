"""Constants that are right sides of products, in the order in which products read them.

Matrices of weights and filters of convolutions are put in panels once, at initialization, and that
form takes the place of the plain one. So it is made where all that read a constant want it alike,
and where it is not longer than a tenth more.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from math import prod
from typing import Any, NamedTuple

from indirectml.arithmetic.contraction import contract, contract_integer, panel_sizes
from indirectml.arithmetic.convolution import (
    convolve,
    convolve_integer,
    filter_matrices,
    gains_by_packing,
    has_pixel_form,
)
from indirectml.arithmetic.integers_in_panels import panel_bytes
from indirectml.arithmetic.recurrence import recurrence
from indirectml.arithmetic.settling import settle, settle_convolution
from indirectml.arithmetic.stored_weights import stored_sizes
from indirectml.core.data_types import TensorDataType
from indirectml.core.tensors import TensorDesc, packed_strides
from indirectml.panels import Panels
from indirectml.passes.flow import buffers_of, views_of
from indirectml.passes.parts import Former
from indirectml.passes.stored_weights import dequantizes, with_stored_weights
from indirectml.plans import (
    WITH_INPUTS,
    CopyStep,
    InitialStep,
    PackStep,
    Plan,
    Step,
    View,
    WordStep,
    remade,
)
from indirectml.ranges import Ranges, aligned

#: Words whose second array may be in panels.
_READERS = tuple(
    each.word  # type: ignore[union-attr]
    for each in (
        contract, convolve, recurrence, contract_integer, convolve_integer, settle,
        settle_convolution,
    )
)  # fmt: skip

#: How much longer panels may be: whole ones hold zeros beyond the last column.
_MOST = 1.1
#: Filters of one pixel are of any length in panels where these have so many elements.
_FEW = 1 << 14
#: The same of bytes, of which small filters fill few units.
_MOST_OF_BYTES = 2

_BYTES = (TensorDataType.INT8, TensorDataType.UINT8)


def _sizes_of_panels(form: Panels, data_type: TensorDataType) -> tuple[int, ...]:
    """Return the sizes of the panels of a tensor of a data type."""
    if data_type in _BYTES:
        if form.filter_sizes:
            groups = form.pixel_groups
            return (panel_bytes(form.filter_sizes, is_filter=True, group_count=groups),)
        turned = (form.sizes[-1], form.sizes[-2]) if form.is_transposed else form.sizes
        return (panel_bytes(turned, is_filter=False),)
    *batch, rows, columns = form.sizes
    depth, width = (columns, rows) if form.is_transposed else (rows, columns)
    return (*batch, *panel_sizes(depth, width))


def _tensor_of_panels(form: Panels, data_type: TensorDataType) -> TensorDesc:
    """Return the panels of a tensor of a data type as one."""
    if form.data_type is not None:
        depth, columns = form.sizes[::-1] if form.is_transposed else form.sizes
        sizes = stored_sizes(depth, columns, form.data_type.bits)
        return TensorDesc(TensorDataType.UINT32, sizes)
    return TensorDesc(data_type, _sizes_of_panels(form, data_type))


class _Packed(NamedTuple):
    """A plan, and the one with constants in panels."""

    before: Plan
    after: Plan
    #: Where constants begin, and where the tensors that some step wants in panels do.
    begins: list[int]
    wanted: frozenset[int]
    #: Where the constants went, if any is in panels.
    moved: dict[int, View]


def pack_constants(plan: Plan, former: Former) -> Plan:
    """Return a plan that packs owned inputs at initialization, where products read them.

    Where what reads them in panels is what did in the last plan, they are packed as they were.
    """
    last: _Packed | None = former.passes.pop("packing", None)
    found = former.passes["packing"] = (last and _packed_as(plan, last)) or _packed(plan)
    return found.after


def _packed_as(plan: Plan, last: _Packed) -> _Packed | None:
    """Return a plan whose constants are in panels as those of the last one, if they would be."""
    before, after, begins, wanted, moved = last
    lengths = {len(each.steps) for each in (plan, before, after)}
    if len(lengths) > 1 or plan.persistent != before.persistent:
        return None
    if any(map(dequantizes, before.steps)):  # of which more is looked at
        return None
    initial = after.initial_steps
    if plan.initial_steps != before.initial_steps:
        others = _initial_as(plan, last)
        if others is None:
            return None
        initial, moved = others
    steps = list(after.steps)
    for number, (step, other) in enumerate(zip(plan.steps, before.steps, strict=True)):
        if step is other:
            continue
        if _may_be_packed(step, plan.persistent) or _may_be_packed(other, plan.persistent):
            return None
        if _constants_of(step, plan.persistent, begins) != _constants_of(
            other, plan.persistent, begins
        ):
            return None
        steps[number] = _reading(step, plan.persistent, begins, moved)
    made = replace(
        plan,
        steps=tuple(steps),
        initial_steps=initial,
        persistent_size=after.persistent_size,
    )
    return _Packed(plan, made, begins, wanted, moved)


def _may_be_packed(step: Step, persistent: int) -> bool:
    """Return whether a step may decide about panels."""
    return dequantizes(step) or any(_wanted(step, persistent))


def _constants_of(step: Step, persistent: int, begins: list[int]) -> list[int]:
    """Return where the constants begin that a step reads, once for each view."""
    return [
        _begin_of(view, begins)
        for view in views_of(step)[0]
        if view is not None and view.buffer == persistent
    ]


def _begin_of(view: View, begins: list[int]) -> int:
    return begins[bisect_right(begins, view.offset) - 1]


def _initial_as(
    plan: Plan, last: _Packed
) -> tuple[tuple[InitialStep, ...], dict[int, View]] | None:
    """Return what initialization does if some constants are others, of as many units of memory."""
    before, after = last.before.initial_steps, last.after.initial_steps
    if len(plan.initial_steps) != len(before):
        return None
    moved, initial = dict(last.moved), list(after)
    for number, (step, other) in enumerate(zip(plan.initial_steps, before, strict=True)):
        if step == other:
            continue
        target, former = step.target, other.target
        if not isinstance(step, CopyStep) or not isinstance(other, CopyStep):
            return None
        if target.offset != former.offset or target.offset in last.wanted:
            return None
        if aligned(target.size_bytes) != aligned(former.size_bytes):
            return None
        if moved:
            moved[target.offset] = target = target.at(moved[target.offset].offset)
        initial[number] = replace(step, target=target)
    return tuple(initial), moved


def _packed(given: Plan) -> _Packed:
    """Return a plan that packs owned inputs, as `pack_constants`."""
    plan, stored = with_stored_weights(given)
    begins = sorted(step.target.offset for step in plan.initial_steps)
    owned = {
        step.target.offset: step.target for step in plan.initial_steps if isinstance(step, CopyStep)
    }
    if not owned:
        return _Packed(given, plan, begins, frozenset(), {})
    readers = Counter(
        begin for step in plan.steps for begin in _constants_of(step, plan.persistent, begins)
    )
    forms: dict[int, Counter[Panels]] = {}
    wanted = set()
    for_pixels = set()
    for step in plan.steps:
        for view, form in _wanted(step, plan.persistent):
            target = owned.get(view.offset)
            wanted.add(view.offset)
            if target is not None and target.element_count == view.element_count:
                forms.setdefault(view.offset, Counter())[form] += 1
                if form.filter_sizes and (
                    _has_pixels(views_of(step)[1][0]) or _is_of_one_pixel(step)
                ):
                    for_pixels.add(view.offset)
    chosen = {
        offset: form
        for offset, counts in forms.items()
        for form, count in counts.items()
        if count == readers[offset]
        and (offset in for_pixels or _is_worthwhile(owned[offset], form))
    } | stored
    made, moved = _in_panels(plan, chosen, begins) if chosen else (plan, {})
    return _Packed(given, made, begins, frozenset(wanted), moved)


def _wanted(step: Step, persistent: int) -> Iterator[tuple[View, Panels]]:
    """Yield what a step would read in panels of the persistent resource, and how."""
    if isinstance(step, WordStep) and step.word in _READERS:
        view = step.inputs[1]
        if view is not None and view.buffer == persistent:
            form = _form_of_word(step, view)
            if form is not None:
                yield view, form


def _form_of_word(step: WordStep, view: View) -> Panels | None:
    """Return how a product or a convolution reads a constant in panels, if it does."""
    if step.word in (convolve_integer.word, settle_convolution.word):  # type: ignore[attr-defined]
        zero = step.inputs[2]
        # Padding has the zero point of the input, and so is one of its numbers.
        is_plain = zero is None or zero.data_type is step.inputs[0].data_type  # type: ignore[union-attr]
        if not is_plain or not view.is_packed:
            return None
        groups = dict(step.fields)["group_count"]
        sums = step.outputs[0] if step.word is convolve_integer.word else step.inputs[4]  # type: ignore[attr-defined]
        if _has_pixels(sums) and has_pixel_form(view.sizes, groups):
            return Panels(filter_matrices(view.sizes, groups), True, view.sizes)  # noqa: FBT003 (part of a form)
        return Panels(view.sizes, False, view.sizes)  # noqa: FBT003 (part of a form)
    if step.word in (contract.word, contract_integer.word, settle.word):  # type: ignore[attr-defined]
        if any(size != 1 for size in view.sizes[:-2]):
            return None
        return _form_of_matrices(view)
    if step.word is recurrence.word:  # type: ignore[attr-defined]
        return _form_of_matrices(view)
    fields = dict(step.fields)
    groups = fields["group_count"]
    if fields["direction"] != "forward" or not view.is_packed:
        return None
    out = step.outputs[0]
    if _is_of_one_pixel(step):
        form = Panels(filter_matrices(view.sizes, groups), True, view.sizes)  # noqa: FBT003 (part of a form)
        count = prod(_sizes_of_panels(form, view.data_type))
        return form if count <= max(_FEW, _MOST * view.element_count) else None
    if not _has_pixels(out) and not gains_by_packing(prod(out.sizes[2:]), view.sizes[0] // groups):
        return None
    # A column for each filter.
    return Panels(filter_matrices(view.sizes, groups), True, view.sizes)  # noqa: FBT003 (part of a form)


def _has_pixels(view: View | None) -> bool:
    """Return whether channels lie next to each other: the pass of layouts chose panels."""
    return view is not None and view.strides[1] == 1 and prod(view.sizes[2:]) > 1


def _is_of_one_pixel(step: Step) -> bool:
    """Return whether a convolution is a row of each image times a matrix of filters."""
    if not isinstance(step, WordStep) or step.word is not convolve.word:  # type: ignore[attr-defined]
        return False
    views = (step.inputs[0], step.inputs[1], step.outputs[0])
    return dict(step.fields)["group_count"] == 1 and all(
        view is not None and prod(view.sizes[2:]) == 1 for view in views
    )


def _form_of_matrices(view: View) -> Panels | None:
    """Return how matrices get in panels that lie as they are read, or transposed."""
    *batch, rows, columns = view.sizes
    if _lie_alike(view.sizes, view.strides):
        return Panels(view.sizes, is_transposed=False)
    turned = (*batch, columns, rows)
    strides = (*view.strides[:-2], *view.strides[:-3:-1])
    return Panels(turned, is_transposed=True) if _lie_alike(turned, strides) else None


def _lie_alike(sizes: tuple[int, ...], strides: tuple[int, ...]) -> bool:
    """Return whether elements lie as packed ones, whatever the strides of sizes of 1."""
    both = zip(sizes, strides, packed_strides(sizes), strict=True)
    return all(size == 1 or stride == packed for size, stride, packed in both)


def _is_worthwhile(tensor: View, form: Panels) -> bool:
    """Return whether a tensor lies as its sizes say, and its panels are not much longer."""
    if tensor.data_type in _BYTES:
        (length,) = _sizes_of_panels(form, tensor.data_type)
        return tensor.is_packed and length <= _MOST_OF_BYTES * tensor.element_count
    is_half = tensor.data_type is TensorDataType.FLOAT16 and not form.filter_sizes
    if not is_half and tensor.data_type is not TensorDataType.FLOAT32:
        return False
    if not tensor.is_packed:
        return False
    panels = TensorDesc(tensor.data_type, _sizes_of_panels(form, tensor.data_type))
    return panels.element_count <= _MOST * tensor.element_count


def _in_panels(
    plan: Plan, chosen: dict[int, Panels], begins: list[int]
) -> tuple[Plan, dict[int, View]]:
    """Return a plan in which some constants, by their offsets, are in panels, and where all are."""
    persistent = Ranges(plan.persistent)
    moved: dict[int, View] = {}
    initial: list[InitialStep] = []
    for step in plan.initial_steps:
        assert not isinstance(step, PackStep)  # noqa: S101 (constants are packed once)
        former = step.target
        form = chosen.get(former.offset)
        if form is None or not isinstance(step, CopyStep):
            moved[former.offset] = target = former.at(persistent.take(former.size_bytes))
            initial.append(step if target is former else replace(step, target=target))
            continue
        panels = persistent.add(_tensor_of_panels(form, former.data_type))
        in_panels = panels._replace(panels=form)
        moved[former.offset] = in_panels
        source = View.of(step.source.buffer, TensorDesc(former.data_type, form.sizes))
        initial.append(PackStep(source, in_panels))

    steps = tuple(_reading(step, plan.persistent, begins, moved) for step in plan.steps)
    made = replace(plan, steps=steps, initial_steps=tuple(initial), persistent_size=persistent.size)
    return made, moved


def _reading(step: Step, buffer: int, begins: list[int], moved: dict[int, View]) -> Step:
    """Return a step that reads constants where they went."""
    if not moved or not isinstance(step, WITH_INPUTS) or buffer not in buffers_of(step)[0]:
        return step

    def at(view: View | None) -> View | None:
        if view is None or view.buffer != buffer:
            return view
        begin = _begin_of(view, begins)
        found = moved[begin]
        if found.panels is None:
            return view.at(found.offset + view.offset - begin)
        # Words take the matrices as they lie in panels.
        if found.panels.is_transposed and not found.panels.filter_sizes:
            *batch, rows, columns = found.panels.sizes
            plain = found.panels._replace(sizes=(*batch, columns, rows), is_transposed=False)
            return found._replace(panels=plain)
        return found

    inputs: tuple[Any, ...] = tuple(map(at, step.inputs))
    if inputs == step.inputs:
        return step
    made: Step = remade(step, "_in_panels", inputs, lambda: step.over(inputs, step.outputs))
    return made
