"""From the functions of a cell to programs: called with stand-ins, as definitions are."""

from __future__ import annotations

from typing import Any

import numpy as np

from indirectml.arithmetic.recurrence import RUNNING, Cell, Part, Values
from indirectml.passes.tracing import Reference, Trace, Value
from indirectml.programs import Instruction, Program

_FLOAT32, _BOOL = np.dtype(np.float32), np.dtype(np.bool_)

Source = tuple[int, int]


def written_down(value: Any, given: dict[str, Any]) -> Any:
    """Return a field of a word with its cells as programs; any other as it is.

    Parameters
    ----------
    value : object
        The field.
    given : dict
        The arrays of the word by their names, which are None where they are left out.
    """
    if not (isinstance(value, tuple) and value and isinstance(value[0], Cell)):
        return value
    return tuple(_with_programs(cell, given) for cell in value)


def _with_programs(cell: Cell, given: dict[str, Any]) -> Cell:
    """Return a cell with its programs."""
    programs = []
    handed = 0
    for part in cell.parts:
        is_last = part is cell.parts[-1]
        program, sources = _program(cell, part, given, handed, is_last=is_last)
        programs.append((program, sources))
        handed = len(program.outputs)
    return cell._replace(programs=tuple(programs))


def _program(
    cell: Cell, part: Part, given: dict[str, Any], handed: int, *, is_last: bool
) -> tuple[Program, tuple[Source, ...]]:
    """Return what the function of a part does with each element, and what its inputs are."""
    trace = Trace()
    sources: list[Source] = []

    def value(field: int, place: int, dtype: np.dtype[Any] = _FLOAT32) -> Value:
        sources.append((field, place))
        return Value(trace, ("input", len(sources) - 1), dtype, is_canonical=dtype == _FLOAT32)

    def values(name: str, count: int) -> Any:
        field = Values._fields.index(name)
        return tuple(value(field, place) for place in range(count))

    states = values("states", cell.states)
    has_biases = given["biases"] is not None
    zeros: Any = (np.float32(0),) * cell.biases
    results: Any = part.function(
        Values(
            values("own", cell.gates),
            values("products", part.end - part.first),
            values("biases", cell.biases) if has_biases else zeros,
            () if given["peepholes"] is None else values("peepholes", 3),
            states,
            values("handed", handed),
        )
    )
    if is_last:
        of_step = results[0]
        if given["lengths"] is not None:
            is_running = value(RUNNING, 0, _BOOL)
            of_step = np.where(is_running, of_step, np.float32(0))
            results = tuple(
                np.where(is_running, new, old) for new, old in zip(results, states, strict=True)
            )
        results = (of_step, *results)
    made = [trace.value(each, _FLOAT32).canonical().reference for each in results]
    return _joined(trace, made, sources)


def _joined(
    trace: Trace, outputs: list[Reference], sources: list[Source]
) -> tuple[Program, tuple[Source, ...]]:
    """Return what was written down as a program of what outputs need."""
    needed: set[Reference] = set()
    waiting = list(outputs)
    while waiting:
        reference = waiting.pop()
        if reference not in needed:
            needed.add(reference)
            if reference[0] == "result":
                waiting += trace.instructions[reference[1]][3]
    order = [r for kind in ("input", "constant", "result")
             for r in sorted(r for r in needed if r[0] == kind)]  # fmt: skip
    number = {reference: n for n, reference in enumerate(order)}
    inputs = tuple(sources[r[1]] for r in order if r[0] == "input")
    program = Program(
        tuple("uint8" if field == RUNNING else "float32" for field, _ in inputs),
        tuple((r[1], r[2]) for r in order if r[0] == "constant"),
        tuple(
            Instruction(name, source, type_, tuple(number[r] for r in references))
            for name, source, type_, references in (
                trace.instructions[r[1]] for r in order if r[0] == "result"
            )
        ),
        tuple(number[r] for r in outputs),
    )
    return program, inputs
