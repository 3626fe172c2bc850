"""What fills and plans allocate: nothing in proportion to the output."""

from __future__ import annotations

import statistics

from benchmarks.sections.interpreters import Interpreter, fresh_interpreters
from benchmarks.sections.section import Context, Section, shown_bytes
from benchmarks.timing import Row, failure

NAME = "memory"

_BAR_KIB = 1024

# On Linux ru_maxrss starts at the peak of the process that started this one; VmHWM does not.
_PROGRAM = """
import resource, sys
from pathlib import Path
import numpy as np
import indirectml as dml
def peak_kib():
    if sys.platform == "linux":
        lines = Path("/proc/self/status").read_text().splitlines()
        return next(int(line.split()[1]) for line in lines if line.startswith("VmHWM"))
    unit = 1024 if sys.platform == "darwin" else 1
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // unit
def work(count):
    {statement}
{first}
peak_kib()
before = peak_kib()
work({count})
print(peak_kib() - before)
"""

#: What is there before: the memory to fill, and the modules that the first fill loads.
_OUTPUT = (
    "out = np.empty({count}, np.float32); out.fill(1); "
    "dml.fill_sequence(np.empty(2, np.float32), 0, 1)"
)

_FILLS = {
    "fill_constant": "dml.fill_constant(out, 1.5)",
    "fill_sequence, accumulate": "dml.fill_sequence(out, 0.0, 0.1)",
    "fill_sequence, multiply": "dml.fill_sequence(out, 0.0, 3.7e-9, rule='multiply')",
    "fill_sequence, every second element": "dml.fill_sequence(out[::2], 0.0, 0.1)",
}

#: Whatever is loaded once has been loaded by planning for a few elements.
_WARM = "work(10)"

_PLANS = {
    "Sequence: segments of 10**12 elements": (
        "list(dml.Sequence(0, 0.1).segments(count))",
        10**12,
    ),
    "Sequence: multiply, segments of 10**12 elements": (
        "list(dml.Sequence(0, 0.1, rule='multiply').segments(count))",
        10**12,
    ),
    "Sequence: element 10**12, absorbed_at": (
        "s = dml.Sequence(0, 1e-9, np.float64); s[count]; s.absorbed_at",
        10**12,
    ),
    "an operator of 2**32 - 1 elements, compiled": (
        """d = dml.Device(); t = dml.TensorDesc(np.float32, [count])
    o = d.create_operator(dml.FillValueSequenceOperatorDesc(t, np.float32, 0, 0.1))
    d.compile_operator(o)""",
        2**32 - 1,
    ),
}


def run(context: Context) -> Section:
    """Read the peak of the memory that a process had before and after."""
    section = Section(
        NAME,
        "Memory",
        "nothing; what counts is how much the process's peak grows",
        notes=[f"fills write {shown_bytes(context.large_bytes)} in place"],
    )
    count = context.large_bytes // 4
    programs = {
        name: _PROGRAM.format(statement=fill, first=_OUTPUT.format(count=count), count=count)
        for name, fill in _FILLS.items()
    }
    programs |= {
        name: _PROGRAM.format(statement=plan, first=_WARM, count=count)
        for name, (plan, count) in _PLANS.items()
    }
    with fresh_interpreters() as interpreter:
        for name, program in programs.items():
            kind = "fills" if name in _FILLS else "plans"
            section.rows.append(_row(interpreter, name, kind, program, context))
    return section


def _row(interpreter: Interpreter, name: str, kind: str, program: str, context: Context) -> Row:
    try:
        grown = sorted(float(interpreter(program)) for _ in range(context.rounds(5)))
    except (OSError, RuntimeError, ValueError) as error:
        return failure(name, error, failed=True)
    typical = statistics.median(grown)
    return Row(
        name,
        typical,
        "KiB",
        bar=f"< {_BAR_KIB} KiB",
        met=typical < _BAR_KIB,
        note=f"{grown[0]:.0f}..{grown[-1]:.0f} KiB",
        samples=len(grown),
        series=kind,
    )
