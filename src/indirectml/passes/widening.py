"""A pass over plans of graphs: FLOAT16 that is multiplied lies as FLOAT32 between steps.

Convolutions and products multiply FLOAT32, and so bring FLOAT16 into a copy first, where FLOAT32 is
read as it lies. A program that rounds to FLOAT16 can widen the number as well while it has it: then
all that read it find what they would have made of it. The largest elements of windows between the
two are the same numbers in either.
"""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache
from typing import TypeGuard

import numpy as np

from indirectml.arithmetic.contraction import contract
from indirectml.arithmetic.convolution import convolve
from indirectml.arithmetic.windows import max_pool
from indirectml.core.data_types import TensorDataType
from indirectml.passes.flow import Flow, moved, views_of
from indirectml.plans import Plan, ProgramStep, Step, View, WordStep, remade
from indirectml.programs import Instruction, Program

_HALF, _SINGLE = TensorDataType.FLOAT16, TensorDataType.FLOAT32

#: Words that take FLOAT32 and FLOAT16 alike, the first array of which may be either.
_READERS = (convolve.word, contract.word)  # type: ignore[attr-defined]

_POOL = max_pool.word  # type: ignore[attr-defined]

#: Of how many programs it is remembered what becomes of them: networks repeat theirs.
_MOST_KEPT = 1024


def widened(plan: Plan) -> Plan:
    """Return a plan in which programs write FLOAT32 where what multiplies would widen FLOAT16."""
    first = plan.persistent + 1
    read = {
        step.inputs[0].buffer  # type: ignore[union-attr]
        for step in plan.steps
        if _multiplies_halves(step)
    }
    read = {buffer for buffer in read if buffer >= first}
    if not read:
        return plan
    pools = [_pooled(step) for step in plan.steps if _pools_halves(step)]
    for pooled, made in reversed(pools):
        if made in read and pooled >= first:
            read.add(pooled)
    flow = Flow(plan)
    chosen = {
        buffer
        for buffer in read
        if all(_rounds(plan.steps[number], buffer) for number in flow.writers[buffer])
        and all(_widens(plan.steps[number], buffer) for number in flow.readers[buffer])
    }
    # What is pooled has the data type of what comes of it.
    while lost := {each for both in pools if not chosen.issuperset(both) for each in both} & chosen:
        chosen -= lost
    if not chosen:
        return plan
    temporaries = tuple(
        size * 2 if buffer in chosen else size
        for buffer, size in enumerate(plan.temporaries, first)
    )
    steps = tuple(_over(step, chosen) for step in plan.steps)
    return replace(plan, steps=steps, temporaries=temporaries)


def _multiplies_halves(step: Step) -> bool:
    """Return whether a step is a convolution, or a product, of FLOAT16 with something."""
    if not isinstance(step, WordStep) or step.word not in _READERS:
        return False
    (first, *_), (out, *_) = step.inputs, step.outputs
    return first is not None and first.data_type is _HALF and out.data_type is _SINGLE


def _pools_halves(step: Step) -> TypeGuard[WordStep]:
    """Return whether a step finds the largest elements of windows over FLOAT16."""
    if not isinstance(step, WordStep) or step.word is not _POOL:
        return False
    return step.outputs[0].data_type is _HALF


def _pooled(step: WordStep) -> tuple[int, int]:
    """Return the buffers that a step with one array in and one out reads and writes."""
    (x,), (out,) = step.inputs, step.outputs
    assert x is not None  # noqa: S101 (it is pooled)
    return x.buffer, out.buffer


def _rounds(step: Step, buffer: int) -> bool:
    """Return whether a step writes FLOAT16 there that could be FLOAT32: a program, or a pool."""
    if _pools_halves(step):
        return True
    return isinstance(step, ProgramStep) and all(
        view.data_type is _HALF for view in step.outputs if view.buffer == buffer
    )


def _widens(step: Step, buffer: int) -> bool:
    """Return whether a step makes FLOAT32 of all that it reads there, or is a pool."""
    if _pools_halves(step):
        return True
    if isinstance(step, ProgramStep):
        return all(
            view.buffer != buffer or _only_widens(step.program, number)
            for number, view in enumerate(step.inputs)
        )
    others = views_of(step)[0][1:]
    return _multiplies_halves(step) and all(v is None or v.buffer != buffer for v in others)


@lru_cache(_MOST_KEPT)
def _only_widens(program: Program, number: int) -> bool:
    """Return whether a program does nothing with a FLOAT16 input but widen it."""
    uses = [each for each in program.instructions if number in each.sources]
    return (
        program.inputs[number] == "float16"
        and number not in program.outputs
        and all((each.name, each.type) == ("convert", "float32") for each in uses)
    )


def _over(step: Step, chosen: set[int]) -> Step:
    """Return a step that reads and writes FLOAT32 in some buffers."""
    read, written = (
        tuple(
            number
            for number, view in enumerate(views)
            if view is not None and view.buffer in chosen
        )
        for views in views_of(step)
    )
    if not read and not written:
        return step
    made: Step = remade(step, "_widened", (read, written), lambda: _made_over(step, read, written))
    return made


def _made_over(step: Step, read: tuple[int, ...], written: tuple[int, ...]) -> Step:
    """Return a step that reads and writes FLOAT32 in some of its views, by their numbers."""
    inputs, outputs = (
        tuple(_wide(view) if number in numbers else view for number, view in enumerate(views))
        for views, numbers in zip(views_of(step), (read, written), strict=True)
    )
    made = moved(step, inputs, outputs)
    if not isinstance(made, ProgramStep):
        return made
    return replace(made, program=_of_floats(made.program, read, written))


def _wide(view: View | None) -> View:
    assert view is not None  # noqa: S101 (it lies in a buffer)
    return view._replace(data_type=_SINGLE, offset=2 * view.offset, size_bytes=2 * view.size_bytes)


@lru_cache(_MOST_KEPT)
def _of_floats(program: Program, read: tuple[int, ...], written: tuple[int, ...]) -> Program:
    """Return a program some of whose inputs and outputs are FLOAT32, with numbers of FLOAT16.

    What chooses between such numbers needs no rounding.
    """
    first_constant = len(program.inputs)
    first = first_constant + len(program.constants)
    places = list(range(first))  # of values, in the program that is made
    instructions: list[Instruction] = []
    are_halves = set(read)  # values in FLOAT32
    are_halves.update(
        first_constant + n for n, (_, bits) in enumerate(program.constants) if _is_half(bits)
    )
    #: By values that are rounded: what they are in FLOAT32, where that is known.
    wide: dict[int, int] = {}

    def add(instruction: Instruction) -> int:
        instructions.append(instruction)
        return first + len(instructions) - 1

    inner = {source for each in program.instructions for source in each.sources}
    for value, (name, source, type_, sources) in enumerate(program.instructions, first):
        own = tuple(places[n] for n in sources)
        if name == "convert" and type_ == "float32" and sources[0] in read:
            places.append(own[0])
            continue
        is_rounding = (name, source, type_) == ("convert", "float32", "float16")
        if is_rounding and own[0] in are_halves and value not in inner:
            wide[value] = own[0]
            kept = [n for n, output in enumerate(program.outputs) if output == value]
            if set(kept) <= set(written):
                places.append(own[0])
                continue
        made = add(Instruction(name, source, type_, own))
        places.append(made)
        is_widening = (name, source, type_) == ("convert", "float16", "float32")
        chooses = name == "choose" and all(n in are_halves for n in own[1:])
        if is_widening or chooses:
            are_halves.add(made)
    outputs = [places[value] for value in program.outputs]
    for number in written:
        value = program.outputs[number]
        if value not in wide:
            wide[value] = add(Instruction("convert", "float16", "float32", (places[value],)))
        outputs[number] = wide[value]
    inputs = tuple("float32" if n in read else type_ for n, type_ in enumerate(program.inputs))
    return Program(inputs, program.constants, tuple(instructions), tuple(outputs))


def _is_half(bits: int) -> bool:
    """Return whether the bits of a FLOAT32 are those of a FLOAT16 number."""
    number = np.array(bits & 0xFFFFFFFF, np.uint32).view(np.float32)
    with np.errstate(over="ignore"):
        return bool(number.astype(np.float16) == number)
