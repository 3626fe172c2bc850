"""A pass over plans of graphs: zeros around what a convolution reads are its own padding.

Exporters write PADDING before CONVOLUTION (Keras before each second pixel, PyTorch for "same").
Padding is included in a convolution's sums as zeros, so a border of zeros and padding are one; and
padding need not be written and read.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from indirectml.arithmetic.convolution import convolve
from indirectml.passes.flow import Flow
from indirectml.passes.sharing import is_copy
from indirectml.plans import FillStep, Plan, ProgramStep, Step, View, WordStep, remade

_CONVOLVE: Any = convolve.word  # type: ignore[attr-defined]

#: Images and channels, before spatial sizes.
_SPATIAL = 2


def padding_taken(plan: Plan) -> Plan:
    """Return a plan whose convolutions read what is inside of borders of zeros."""
    filled = {step.output.buffer for step in plan.steps if isinstance(step, FillStep)}
    if not filled:
        return plan
    flow = Flow(plan)
    steps: list[Step | None] = list(plan.steps)
    for buffer in sorted(filled):
        writers, readers = flow.writers[buffer], flow.readers[buffer]
        inside = _inside(plan.steps, writers) if buffer > plan.persistent else None
        if inside is None:
            continue
        found = [_with_padding(plan.steps[number], inside) for number in readers]
        if None in found:
            continue
        for number, step in zip(readers, found, strict=True):
            steps[number] = step
        for number in writers:
            steps[number] = None
    return replace(plan, steps=tuple(step for step in steps if step is not None))


def _inside(steps: Sequence[Step], writers: Sequence[int]) -> ProgramStep | None:
    """Return the one copy that writes a buffer, where all others write zeros around it."""
    copies = []
    for number in writers:
        step = steps[number]
        if isinstance(step, FillStep):
            if step.delta is not None or step.start != 0:  # which is +0, by its bits
                return None
        elif isinstance(step, ProgramStep) and is_copy(step):
            copies.append(step)
        else:
            return None
    return copies[0] if len(copies) == 1 else None


def _with_padding(step: Step, inside: ProgramStep) -> Step | None:
    """Return a convolution of what lies inside of zeros; None if they are around something else."""
    if not isinstance(step, WordStep) or step.word is not _CONVOLVE:
        return None
    x, source, target = step.inputs[0], inside.inputs[0], inside.outputs[0]
    fields = dict(step.fields)
    others = [view is not None and view.buffer == target.buffer for view in step.inputs[1:]]
    if x is None or any(others) or fields["direction"] != "forward":
        return None
    if x.data_type is not target.data_type or source.sizes != target.sizes:
        return None
    before = _before(x, target)
    if before is None:
        return None
    after = [a - b - c for a, b, c in zip(x.sizes, before, target.sizes, strict=True)]
    if any((*before[:_SPATIAL], *after[:_SPATIAL])) or min(after) < 0:
        return None
    for name, own in (("start_padding", before), ("end_padding", after)):
        both = zip(fields[name], own[_SPATIAL:], strict=True)
        fields[name] = tuple(given + more for given, more in both)

    def make() -> WordStep:
        names = (*inside.operator_names, *step.joined_names)
        inputs = (source, *step.inputs[1:])
        return replace(step, fields=tuple(fields.items()), inputs=inputs, joined_names=names)

    key = source, tuple(fields.items()), inside.operator_names
    made: Step = remade(step, "_padding_taken", key, make)
    return made


def _before(whole: View, part: View) -> list[int] | None:
    """Return how many elements along each dimension are before a part of a packed tensor.

    None where it is no such part.
    """
    if (part.strides, len(part.sizes)) != (whole.strides, len(whole.sizes)) or whole.offset:
        return None
    left, rest = divmod(part.offset, part.data_type.item_bytes)
    found = []
    for stride in whole.strides:
        found.append(left // stride if stride else 0)
        left -= found[-1] * stride
    return None if left or rest else found
