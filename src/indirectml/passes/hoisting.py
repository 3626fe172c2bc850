"""A pass over plans of graphs: what a program computes for many elements alike is computed once.

A normalization takes the root of each channel's variance, not of each pixel: such functions of
what is repeated become a program of their own, which stands right behind what it reads.
"""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache
from math import prod

from indirectml.core.data_types import TensorDataType
from indirectml.core.tensors import packed_strides
from indirectml.passes.flow import Flow
from indirectml.plans import Plan, ProgramStep, Step, View
from indirectml.programs import Instruction, Program

_FLOAT = 4

#: Fewer elements in all, or fewer of them for each that is computed once, are not worth a step.
_LEAST, _LEAST_REPEATED = 1 << 12, 16

#: What takes no longer than reading its result would.
_CHEAP = frozenset(
    ["absolute", "negative", "add", "subtract", "multiply", "choose", "less", "less_equal", "equal",
     "not_equal", "canonical", "convert"]
)  # fmt: skip

#: Of how many programs it is remembered what is done with them: networks repeat theirs.
_MOST_KEPT = 1024

_Axes = frozenset[int]
_Sizes = tuple[int, ...]

#: Values of a program, and the axes along which they differ.
_Values = dict[int, _Axes]


def hoist(plan: Plan) -> Plan:
    """Return a plan in which functions of what programs repeat have steps of their own."""
    found = {
        number: values
        for number, step in enumerate(plan.steps)
        if isinstance(step, ProgramStep)
        and (values := _repeated(step.program, step.sizes, step.input_strides))
    }
    if not found:
        return plan
    writers = Flow(plan).writers
    temporaries = list(plan.temporaries)
    behind: dict[int, list[Step]] = {}
    steps = list(plan.steps)
    for number, values in found.items():
        step = steps[number]
        assert isinstance(step, ProgramStep)  # noqa: S101 (others have no values)
        places: dict[int, tuple[View, tuple[int, ...]]] = {}
        for axes in dict.fromkeys(values.values()):
            own = [value for value, those in values.items() if those == axes]
            once = _once(step, own, sorted(axes), plan.persistent + len(temporaries) + 1)
            temporaries += [_FLOAT * prod(once.sizes)] * len(own)
            read = [n for view in once.inputs for n in writers.get(view.buffer, ())]
            last = max(read, default=-1)
            behind.setdefault(last, []).append(once)
            packed = dict(zip(sorted(axes), once.output_strides[0], strict=True))
            strides = tuple(packed.get(axis, 0) for axis in range(len(step.sizes)))
            places.update((v, (view, strides)) for v, view in zip(own, once.outputs, strict=True))
        steps[number] = _with_inputs(step, places)
    ordered = behind.get(-1, [])
    for number, step in enumerate(steps):
        ordered += [step, *behind.get(number, ())]
    return replace(plan, steps=tuple(ordered), temporaries=tuple(temporaries))


@lru_cache(_MOST_KEPT)
def _repeated(program: Program, sizes: _Sizes, input_strides: tuple[_Sizes, ...]) -> _Values:
    """Return values to compute once, and the axes along which they differ."""
    whole = prod(sizes)
    if whole < _LEAST or all(each.name in _CHEAP for each in program.instructions):
        return {}
    axes = [
        frozenset(k for k, n in enumerate(sizes) if n > 1 and strides[k] != 0)
        for strides in input_strides
    ]
    axes += [frozenset[int]()] * len(program.constants)
    is_few = {own: _LEAST_REPEATED * prod(sizes[axis] for axis in own) <= whole for own in axes}
    is_cheap = [True] * len(axes)
    first = len(axes)
    wanted: dict[int, _Axes] = {}
    for number, (name, _, _, sources) in enumerate(program.instructions):
        own = frozenset[int]().union(*(axes[source] for source in sources))
        axes.append(own)
        is_cheap.append(name in _CHEAP and all(is_cheap[source] for source in sources))
        if own not in is_few:
            is_few[own] = _LEAST_REPEATED * prod(sizes[axis] for axis in own) <= whole
        if is_few[own]:
            continue
        for source in sources:
            is_float = source >= first and program.instructions[source - first].type == "float32"
            if is_float and not is_cheap[source] and is_few[axes[source]]:
                wanted[source] = axes[source]
        is_cheap[first + number] = True
    return {} if any(value in wanted for value in program.outputs) else wanted


def _once(step: ProgramStep, values: list[int], axes: list[int], buffer: int) -> ProgramStep:
    """Return the step that computes values of a program, into buffers from a number on."""
    sizes = tuple(step.sizes[axis] for axis in axes)
    program, inputs = _part(step.program, tuple(values), ())
    strides = packed_strides(sizes)
    count = prod(sizes)
    return ProgramStep(
        program,
        step.operator_names,
        sizes,
        tuple(step.inputs[n] for n in inputs),
        tuple(View(buffer + n, TensorDataType.FLOAT32, (count,), (1,)) for n in range(len(values))),
        tuple(tuple(step.input_strides[n][axis] for axis in axes) for n in inputs),
        (strides,) * len(values),
    )


def _with_inputs(step: ProgramStep, places: dict[int, tuple[View, tuple[int, ...]]]) -> ProgramStep:
    """Return a step that reads some values of its program."""
    program, inputs = _part(step.program, step.program.outputs, tuple(places))
    return replace(
        step,
        program=program,
        inputs=(*(step.inputs[n] for n in inputs), *(view for view, _ in places.values())),
        input_strides=(
            *(step.input_strides[n] for n in inputs),
            *(strides for _, strides in places.values()),
        ),
    )


@lru_cache(_MOST_KEPT)
def _part(
    program: Program, outputs: tuple[int, ...], given: tuple[int, ...]
) -> tuple[Program, list[int]]:
    """Return what of a program computes some values, and the inputs that it reads.

    Values that are given are inputs behind these, in FLOAT32.
    """
    first_constant = len(program.inputs)
    first = first_constant + len(program.constants)
    needed = set(outputs)
    for number in range(len(program.instructions) - 1, -1, -1):
        if first + number in needed and first + number not in given:
            needed.update(program.instructions[number].sources)
    inputs = [n for n in range(first_constant) if n in needed]
    constants = [n for n in range(first_constant, first) if n in needed]
    results = [
        n for n in range(first, first + len(program.instructions)) if n in needed - set(given)
    ]
    order = [*inputs, *given, *constants, *results]
    numbers = {value: number for number, value in enumerate(order)}
    return (
        Program(
            (*(program.inputs[n] for n in inputs), *("float32" for _ in given)),
            tuple(program.constants[n - first_constant] for n in constants),
            tuple(
                Instruction(name, source, type_, tuple(numbers[n] for n in sources))
                for name, source, type_, sources in (
                    program.instructions[n - first] for n in results
                )
            ),
            tuple(numbers[n] for n in outputs),
        ),
        inputs,
    )
