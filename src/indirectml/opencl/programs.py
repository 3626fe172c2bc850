"""Programs as OpenCL C: a kernel for each program and number of axes, whatever the sizes."""

from __future__ import annotations

import functools
from math import prod
from typing import NamedTuple

import numpy as np

from indirectml.opencl import spans
from indirectml.opencl.expressions import TYPES, Unwritten, expression
from indirectml.opencl.functions import FUNCTIONS
from indirectml.opencl.launches import Abilities, Launch, Source, Table, index_define, merged, over
from indirectml.plans import ProgramStep
from indirectml.programs import Program

#: How many work-items a work-group has: what costs something for each group is shared by so many.
_GROUP = 256

#: Elements of a work-item where there are many: from so many such work-groups for each unit on.
_EACH, _GROUPS_OF_UNIT = 4, 8

#: Instructions of a function, about, in FLOAT64 at a 32nd of the speed, and by integers.
_FUNCTION_WORK, _FUNCTION_WORK_BY_INTEGERS = 1 << 12, 1 << 14

#: Kernels have parameters of 1024 bytes at least; a view is two of eight.
_MOST_VIEWS = 60


def launches_of(step: ProgramStep, abilities: Abilities) -> tuple[Launch, ...] | None:
    """Return the launch of a program; None where this device has not all of its instructions."""
    views = (*step.inputs, *step.outputs)
    if len(views) > _MOST_VIEWS:
        return None
    sizes, strides = merged(step.sizes, (*step.input_strides, *step.output_strides))
    near = tuple(own[-1] if own and own[-1] in {0, 1} else None for own in strides)
    is_loop = abilities.vector_width > 1 and len(sizes) > 0
    count = prod(sizes[:-1] if is_loop else sizes)
    group = min(_GROUP, abilities.group_size)
    each = 0 if is_loop else _each(step.program, count, group, abilities)
    source = source_of(
        step.program, len(sizes), near, index_define(sizes, strides), abilities, each=each
    )
    if source is None:
        return None
    axes = Table.of((*sizes, *(n for own in strides for n in own)))
    items = spans.items(count, sizes[-1]) if is_loop else over(-(-count // each), group)
    work = _work(step.program, abilities) * (spans.SPAN if is_loop else each)
    return (Launch("program", source, (*views, axes, np.uint64(count)), *items, work),)


def _each(program: Program, count: int, group: int, abilities: Abilities) -> int:
    """Return how many elements a work-item has.

    Several where all of a GPU has enough to do anyway: memory answers late, and what its work-items
    have asked for is what it gives at once. Of functions that have no loop each has its own text.
    """
    is_short = spans.are_short(program) if abilities.has_float64 else not _functions_of(program)
    is_enough = count >= _EACH * group * _GROUPS_OF_UNIT * abilities.units
    return _EACH if is_short and is_enough else 1


def _functions_of(program: Program) -> list[str]:
    return [i.name for i in program.instructions if i.name in FUNCTIONS]


def _work(program: Program, abilities: Abilities) -> int:
    """Return what an element takes, about."""
    function = _FUNCTION_WORK if abilities.has_float64 else _FUNCTION_WORK_BY_INTEGERS
    functions = _functions_of(program)
    others = len(program.instructions) - len(functions)
    return function * len(functions) + 32 * others + 64


@functools.lru_cache(4096)
def source_of(
    program: Program,
    rank: int,
    near: tuple[int | None, ...],
    index: str,
    abilities: Abilities,
    *,
    each: int,
) -> Source | None:
    """Return a program over so many axes in OpenCL C, `each` elements of a work-item; 0: of spans.

    `near` has the strides of the arrays along the last axis that are 0 or 1, which compilers have
    to know to read and write several elements at once.
    """
    made = lines_of(program, abilities)
    if made is None:
        return None
    if not each:
        text = spans.kernel_text(
            program, made.types, made.lines, near, rank, has_functions=abilities.has_float64
        )
        return Source(made.files, (index,), text)
    group = min(_GROUP, abilities.group_size)
    parts = spans.Parts(program, has_functions=abilities.has_float64)
    text = _kernel(program, made, parts, rank, near, each, group)
    return Source(made.files, (index, f"MANY={each}"), text)


class Lines(NamedTuple):
    """What a program computes, in OpenCL C.

    Attributes
    ----------
    lines : list of str
        A declaration for each constant and instruction; values are v0, v1 and so on, and the inputs
        are declared before.
    types : list of str
        Of all values.
    files : tuple of str
        Of `kernels/`, which they need.
    """

    lines: list[str]
    types: list[str]
    files: tuple[str, ...]


def lines_of(program: Program, abilities: Abilities) -> Lines | None:
    """Return what a program computes; None where this device has not all of its instructions."""
    names = [*program.inputs, *(name for name, _ in program.constants)]
    types = [TYPES[name] for name in (*names, *(i.type for i in program.instructions))]
    values = [f"{bits:#x}ul" for _, bits in program.constants]
    files = dict.fromkeys(["programs.cl"] if program.instructions else [])
    for i in program.instructions:
        try:
            made = expression(i, [f"v{n}" for n in i.sources], abilities)
        except Unwritten:
            return None
        files |= dict.fromkeys(made.files)
        values.append(made.text)
    first = len(program.inputs)
    lines = [
        f"const {types[number]} v{number} = ({types[number]})({value});"
        for number, value in enumerate(values, first)
    ]
    return Lines(lines, types, tuple(files))


def _kernel(
    program: Program,
    made: Lines,
    parts: spans.Parts,
    rank: int,
    near: tuple[int | None, ...],
    each: int,
    group: int,
) -> str:
    """Return the text around instructions: where elements are, what is read and written.

    A work-item has so many elements, `group` apart, so that neighbours read what is beside.
    """
    reads = [TYPES[type_] for type_ in program.inputs]
    writes = [made.types[value] for value in program.outputs]
    views = [f"global const {type_} *x{k}, ulong x{k}_at" for k, type_ in enumerate(reads)]
    views += [f"global {type_} *y{k}, ulong y{k}_at" for k, type_ in enumerate(writes)]
    names = [*(f"x{k}" for k in range(len(reads))), *(f"y{k}" for k in range(len(writes)))]
    types = [*(f"const {type_}" for type_ in reads), *writes]
    # The number of a group does not count those of the parts before.
    body = [f"const ulong own = get_local_id(0), first = (get_global_id(0) - own) * {each} + own;"]
    body += ["if (first >= count) return;", f"const int n = {each};"]
    for name, type_ in zip(names, types, strict=True):
        const = "const " if name[0] == "x" else ""
        at = f"(global {type_} *)((global {const}uchar *){name} + {name}_at)"
        body += [f"global {type_} *{name}_base = {at};", f"INDEX {name}_places[{each}];"]
    body += [f"{type_} x{k}_own[{each}];" for k, type_ in enumerate(reads)]
    # Compilers know how many elements there are, and so have all in registers.
    loop = f"for (int k = 0; k < {each}; ++k)"
    body += ["#pragma unroll", f"{loop} {{", f"  const ulong i = first + k * {group};"]
    body += ["  INDEX rest = (INDEX)i;", *(f"  INDEX {name}_place = 0;" for name in names)]
    for k in reversed(range(rank)):
        body.append(f"  const INDEX c{k} = {f'rest % (INDEX)axes[{k}]' if k else 'rest'};")
        body += [f"  rest /= (INDEX)axes[{k}];"] if k else []
        for number, name in enumerate(names):
            own = near[number] if k == rank - 1 else None
            stride = f"(INDEX)axes[{rank * (number + 1) + k}]" if own is None else str(own)
            body.append(f"  {name}_place += c{k} * {stride};")
    body += [f"  {name}_places[k] = {name}_place;" for name in names]
    body += [f"  x{k}_own[k] = i < count ? x{k}_base[x{k}_place] : 0;" for k in range(len(reads))]
    body += ["}", *made.lines[: len(program.constants)]]
    body += [f"{made.types[v]} of{v}[{each}];" for v in sorted(parts.kept)]
    own_reads = [f"x{k}_own[k]" for k in range(len(reads))]
    is_there = f"if (first + k * {group} < count)"
    own_writes = [f"{is_there} y{k}_base[y{k}_places[k]]" for k in range(len(writes))]
    body += spans.parts_text(
        program, made.types, made.lines, own_reads, own_writes, f'_Pragma("unroll") {loop}', parts
    )
    parameters = ", ".join([*views, "global const long *axes", "ulong count"])
    # A compiler that knows how many work-items there are keeps to registers for so many.
    sizes = f"__attribute__((reqd_work_group_size({group}, 1, 1)))"
    head = f"kernel {sizes} void program({parameters}) {{"
    return "\n  ".join([head, *body]) + "\n}\n"
