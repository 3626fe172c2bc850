"""A pass over plans of graphs: convolutions limit their results themselves.

A relu or a clip that alone reads what a convolution of pixels writes is done with each tile of it,
in registers, and written to where the program would write: no pixel is read once more for it. So is
the rounding to FLOAT16 before it.
"""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache
from math import prod
from typing import Any

import numpy as np

from indirectml.arithmetic.convolution import Limits, convolve
from indirectml.core.data_types import TensorDataType
from indirectml.passes.flow import Flow, views_of
from indirectml.plans import Plan, ProgramStep, Step, View, WordStep, remade
from indirectml.programs import Program

_CONVOLVE: Any = convolve.word  # type: ignore[attr-defined]
_SINGLE = TensorDataType.FLOAT32

#: Of how many programs it is remembered what they are.
_MOST_KEPT = 1024


def limited(plan: Plan) -> Plan:
    """Return a plan in which convolutions do what relus and clips behind them would."""
    candidates = [number for number, step in enumerate(plan.steps) if _is_in_tiles(step)]
    if not candidates:
        return plan
    flow = Flow(plan)
    steps: list[Step | None] = list(plan.steps)
    for number in candidates:
        found = _joined(plan, flow, steps, number)
        if found is not None:
            made, reader = found
            steps[number], steps[reader] = made, None
    return replace(plan, steps=tuple(step for step in steps if step is not None))


def _joined(
    plan: Plan, flow: Flow, steps: list[Step | None], number: int
) -> tuple[WordStep, int] | None:
    """Return a convolution with limits, and the program that it makes superfluous."""
    step = plan.steps[number]
    assert isinstance(step, WordStep)  # noqa: S101 (convolutions are words)
    (out,) = step.outputs
    readers = flow.readers.get(out.buffer, [])
    if out.buffer <= plan.persistent or len(readers) != 1 or flow.writer(out.buffer) is None:
        return None
    (reader,) = readers
    program = plan.steps[reader]
    if not isinstance(program, ProgramStep):
        return None
    limits = limits_of(program.program)
    if limits is None or not _is_each_of(program, out):
        return None
    (target,) = program.outputs
    if target.buffer <= plan.persistent or target.strides[1] != 1:
        return None
    if not _is_free(target, steps, number, reader):
        return None

    def make() -> WordStep:
        names = (*step.operator_names, *program.operator_names)
        fields = (*step.fields, ("limits", limits))
        return WordStep(_CONVOLVE, names[-1], fields, step.inputs, (target,), names[:-1])

    made: WordStep = remade(step, "_limited", (target, limits, program.operator_names), make)
    return made, reader


def _is_free(target: View, steps: list[Step | None], first: int, end: int) -> bool:
    """Return whether a place may be written by a step that comes before the one that writes it.

    Neither may that step read its buffer, nor may steps between them, or write there.
    """
    for step in steps[first:end]:
        if step is None:
            continue
        read, written = views_of(step)
        if any(view is not None and view.buffer == target.buffer for view in read):
            return False
        if step is steps[first]:
            continue
        for view in written:
            if view is not None and view.buffer == target.buffer and not _are_apart(view, target):
                return False
    return True


def _are_apart(a: View, b: View) -> bool:
    """Return whether views are different channels of the same pixels."""
    if a.strides != b.strides or a.sizes[2:] != b.sizes[2:] or a.sizes[:1] != b.sizes[:1]:
        return False
    if a.offset > b.offset:
        a, b = b, a
    others = zip(a.sizes, a.strides, strict=True)
    pitch = min(stride for size, stride in others if size > 1 and stride != 1)
    begin, rest = divmod(b.offset - a.offset, b.data_type.item_bytes)
    return rest == 0 and a.sizes[1] <= begin and begin + b.sizes[1] <= pitch


def _is_in_tiles(step: Step) -> bool:
    """Return whether a step is a convolution whose tiles are of pixels and filters."""
    if not isinstance(step, WordStep) or step.word is not _CONVOLVE:
        return False
    w, (out,) = step.inputs[1], step.outputs
    if w is None or w.panels is None or "limits" in dict(step.fields):
        return False
    filters, channels, *taps = w.panels.filter_sizes
    is_of_channels = dict(step.fields)["group_count"] == filters > 1 == channels
    is_flat = len(taps) < 3 or taps[0] == out.sizes[2] == 1  # noqa: PLR2004 (rows and columns)
    return not is_of_channels and is_flat and out.strides[1] == 1 and prod(out.sizes[2:]) > 1


def _is_each_of(step: ProgramStep, out: View) -> bool:
    """Return whether a program reads each element of a view, and writes it to its place in one."""
    (read,), (written,) = step.inputs, step.outputs
    if read != out or written.data_type is not _SINGLE or written.sizes != out.sizes:
        return False
    if prod(step.sizes) != out.element_count:
        return False
    ((own,), (to,)) = step.input_strides, step.output_strides
    loops = list(zip(step.sizes, own, to, strict=True))
    reached = [1] * len(loops)
    for size, stride, written_stride in zip(out.sizes, out.strides, written.strides, strict=True):
        if size == 1:
            continue
        for k, (_, a, b) in enumerate(loops):
            times = stride // a if a else 0
            if times > 0 and (times * a, times * b) == (stride, written_stride):
                reached[k] += times * (size - 1)
                break
        else:
            return False
    return all(count <= size for count, (size, _, _) in zip(reached, loops, strict=True))


@lru_cache(_MOST_KEPT)
def limits_of(program: Program) -> Limits | None:
    """Return what a program limits numbers to, if it does nothing else."""
    found = [(e.name, e.type, e.sources) for e in program.instructions if e.name != "canonical"]
    first = len(program.inputs) + len(program.constants)
    last = first + len(program.instructions) - 1
    if program.inputs != ("float32",) or program.outputs != (last,):
        return None
    number, made = 0, first
    halves = [("convert", "float16", (0,)), ("convert", "float32", (first,))]
    rounds = found[:2] == halves
    if rounds:
        found, number, made = found[2:], first + 1, first + 2
    what = [(name, sources) for name, _, sources in found]
    if what == [("less_equal", (number, 1)), ("choose", (made, 1, number))]:
        return ("relu", 0.0, 0.0, rounds) if program.constants == (("float32", 0),) else None
    raised = made + 1
    if what == [("less", (number, 1)), ("choose", (made, 1, number)),
                ("less", (2, raised)), ("choose", (made + 2, 2, raised))]:  # fmt: skip
        least, most = (np.uint32(bits).view(np.float32) for _, bits in program.constants)
        return "clip", float(least), float(most), rounds
    return ("", 0.0, 0.0, True) if rounds and not what else None
