"""Programs over many elements: loops, and functions between them.

Instructions between two functions are one loop over some elements. A function is tried for all of
these in another loop, without a branch, and what that leaves open is decided one by one. A
work-item that is a thread of a CPU, whose loops have vectors, has spans of rows; one of a GPU has a
few elements.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from indirectml.opencl.functions import FUNCTIONS, IN_LOOPS, SHORT
from indirectml.programs import Instruction, Program

#: Elements of a row that a work-item has; and at once, where there are functions.
SPAN, LANES = 1024, 256
#: Rows of a work-group.
BESIDE = 8


def items(rows: int, length: int) -> tuple[tuple[int, int], tuple[int, int]]:
    """Return how many work-items there are along rows, and across; and of a work-group."""
    return (-(-length // SPAN), -(-rows // BESIDE) * BESIDE), (1, BESIDE)


class _Part(NamedTuple):
    """Instructions that are one loop, by their values; or a function."""

    values: list[int]
    function: Instruction | None = None


def are_short(program: Program) -> bool:
    """Return whether each function of a program has a loop over many elements, or is short."""
    first = len(program.inputs) + len(program.constants)
    long = (i for i in program.instructions if i.name in FUNCTIONS - SHORT)
    return all(_is_in_loop(i, first, program) for i in long)


def _is_in_loop(i: Instruction, first: int, program: Program) -> bool:
    """Return whether a function has a loop, and reads what is no constant."""
    are_constants = range(len(program.inputs), first)
    is_plain = i.source_type == i.type == "float32"
    return is_plain and i.name in IN_LOOPS and i.sources[0] not in are_constants


def _parts(program: Program, *, has_functions: bool) -> list[_Part]:
    """Return a program as loops, and functions between them."""
    first = len(program.inputs) + len(program.constants)
    parts = [_Part([])]
    for value, i in enumerate(program.instructions, first):
        if has_functions and _is_in_loop(i, first, program):
            parts += [_Part([value], i), _Part([])]
        else:
            parts[-1].values.append(value)
    return parts


def kernel_text(
    program: Program,
    types: list[str],
    lines: list[str],
    near: tuple[int | None, ...],
    rank: int,
    *,
    has_functions: bool,
) -> str:
    """Return a program in OpenCL C over spans of the last of its axes.

    Parameters
    ----------
    program : Program
        What is computed.
    types, lines : list of str
        Of its values; see `programs.Lines`.
    near : tuple of int or None
        Strides along the last axis that are 0 or 1.
    rank : int
        How many axes there are.
    has_functions : bool
        Whether there are functions of many elements: of a device with FLOAT64.
    """
    inputs, first = len(program.inputs), len(program.inputs) + len(program.constants)
    made = Parts(program, has_functions=has_functions)
    names = [f"x{k}" for k in range(inputs)] + [f"y{k}" for k in range(len(program.outputs))]
    own_types = [types[k] for k in range(inputs)] + [types[v] for v in program.outputs]
    strides = [
        f"(INDEX)axes[{rank * (k + 1) + rank - 1}]" if s is None else str(s)
        for k, s in enumerate(near)
    ]
    views = [
        f"global {'const ' if name[0] == 'x' else ''}{type_} *{name}, ulong {name}_at"
        for name, type_ in zip(names, own_types, strict=True)
    ]
    body = [
        "const ulong row = get_global_id(1);",
        "if (row >= rows) return;",
        "INDEX rest = (INDEX)row;",
        f"const INDEX begin = (INDEX)get_global_id(0) * {SPAN};",
        f"const INDEX end = min(begin + {SPAN}, (INDEX)axes[{rank - 1}]);",
    ]
    body += [f"INDEX {name}_place = 0;" for name in names]
    for axis in reversed(range(rank - 1)):
        body.append(f"const INDEX c{axis} = rest % (INDEX)axes[{axis}];")
        body.append(f"rest /= (INDEX)axes[{axis}];")
        body += [
            f"{name}_place += c{axis} * (INDEX)axes[{rank * (k + 1) + axis}];"
            for k, name in enumerate(names)
        ]
    body += [f"const INDEX {name}_step = {s};" for name, s in zip(names, strides, strict=True)]
    body += lines[: first - inputs]
    step = LANES if len(made.parts) > 1 else SPAN
    body += [f"{types[v]} of{v}[{LANES}];" for v in sorted(made.kept)]
    body.append(f"for (INDEX at = begin; at < end; at += {step}) {{")
    body.append(f"const int n = (int)min((INDEX){step}, end - at);")
    for name, type_ in zip(names, own_types, strict=True):
        const = "const " if name[0] == "x" else ""
        place = f"{name}_place + at * {name}_step"
        bytes_ = f"(global {const}uchar *){name} + {name}_at"
        body.append(
            f"global {const}{type_} *{name}_here = (global {const}{type_} *)({bytes_}) + {place};"
        )
    reads = [f"x{k}_here[k * x{k}_step]" for k in range(inputs)]
    writes = [f"y{k}_here[k * y{k}_step]" for k in range(len(program.outputs))]
    body += parts_text(program, types, lines, reads, writes, "EACH_LANE(n)", made)
    body.append("}")
    head = f"kernel void program({', '.join([*views, 'global const long *axes', 'ulong rows'])}) {{"
    return "\n  ".join([head, *body]) + "\n}\n"


def parts_text(
    program: Program,
    types: list[str],
    lines: list[str],
    reads: list[str],
    writes: list[str],
    loop: str,
    made: Parts,
) -> Iterator[str]:
    """Yield a program's loops over `k`, and functions of `n` elements between them.

    `reads` and `writes` are where element `k` of inputs and outputs is, `loop` is what loops begin
    with; arrays of{v} have the values `v` that are kept.
    """
    inputs = len(program.inputs)
    for number, part in enumerate(made.parts):
        if part.function is not None:
            i, value = part.function, part.values[0]
            yield f"all_{i.name}(n, of{i.sources[0]}, of{value});"
            continue
        body = []
        for v in sorted(made.needed(number)):
            if v < inputs and made.first_use[v] == number:
                body.append(f"const {types[v]} v{v} = {reads[v]};")
            else:
                body.append(f"const {types[v]} v{v} = of{v}[k];")
        body += [lines[v - inputs] for v in part.values]
        is_here = {*part.values, *(v for v in range(inputs) if made.first_use.get(v) == number)}
        body += [f"of{v}[k] = v{v};" for v in sorted(is_here & made.kept)]
        if number == len(made.parts) - 1:
            body += [f"{at} = v{v};" for at, v in zip(writes, program.outputs, strict=True)]
        if body:
            yield f"{loop} {{ {' '.join(body)} }}"


class Parts:
    """A program as loops, and functions between them.

    Attributes
    ----------
    parts : list
        Loops and functions.
    first_use : dict
        The loop that reads an input.
    kept : set of int
        Values that have an array, because another part reads them.
    """

    def __init__(self, program: Program, *, has_functions: bool) -> None:
        inputs, first = len(program.inputs), len(program.inputs) + len(program.constants)
        self.parts = parts = _parts(program, has_functions=has_functions)
        constants = range(inputs, first)
        self._reads: list[set[int]] = []
        made_in: dict[int, int] = {}
        self.first_use: dict[int, int] = {}
        last = len(parts) - 1
        for number, part in enumerate(parts):
            reads = {s for v in part.values for s in program.instructions[v - first].sources}
            if number == last:
                reads |= set(program.outputs)
            reads -= {*part.values, *constants}
            self._reads.append(reads)
            made_in |= dict.fromkeys(part.values, number)
            for v in reads:
                if v < inputs:
                    # What a function reads is read by the loop before it.
                    loop = number - (part.function is not None)
                    self.first_use.setdefault(v, loop)
        made_in |= self.first_use
        self.kept = {
            v for number, reads in enumerate(self._reads) for v in reads if made_in[v] != number
        }
        self.kept |= {part.values[0] for part in parts if part.function is not None}

    def needed(self, number: int) -> set[int]:
        """Return what a loop reads that it does not compute."""
        own = {v for v, loop in self.first_use.items() if loop == number}
        return self._reads[number] | own
