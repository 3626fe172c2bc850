"""What `import indirectml` costs beyond `import numpy`."""

from __future__ import annotations

import statistics
from pathlib import Path

import indirectml
from benchmarks.sections.interpreters import fresh_interpreters
from benchmarks.sections.section import Context, Section
from benchmarks.timing import QUIET_SPREAD, Row, failure, spread_of

NAME = "imports"

_BAR_MS = 30.0
_PROGRAM = """
import time
before = time.perf_counter()
{statement}
print((time.perf_counter() - before) * 1e3)
"""

#: The package loads its modules when they are asked for, so the first use is measured as well.
_NUMPY = "import numpy"
_OURS = ("import numpy, indirectml", "from indirectml import Device, fill_sequence")


def run(context: Context) -> Section:
    """Import in fresh interpreters, in turns; the modules have been compiled before."""
    section = Section(NAME, "Import", _NUMPY)
    if "site-packages" not in Path(indirectml.__file__).parts:
        section.notes.append("an editable install: its finder takes a part of the time")
    times: dict[str, list[float]] = {statement: [] for statement in (_NUMPY, *_OURS)}
    try:
        with fresh_interpreters() as interpreter:
            for number in range(context.rounds(25) + 1):
                ordered = list(times.items())[:: -1 if number % 2 else 1]
                for statement, samples in ordered:
                    taken_ms = float(interpreter(_PROGRAM.format(statement=statement)))
                    if number > 0:
                        samples.append(taken_ms)
    except (OSError, RuntimeError, ValueError) as error:
        section.rows.append(failure("import", error, failed=True))
        return section
    typical = statistics.median(times[_NUMPY])
    varied = sorted(typical / ms for ms in times[_NUMPY])
    section.disturbed = spread_of(varied) > QUIET_SPREAD
    section.rows.append(Row(_NUMPY, typical, "ms", 1.0, varied[0], varied[-1], note="the limit"))
    for statement in _OURS:
        section.rows += _rows(statement, times[statement], times[_NUMPY])
    return section


def _rows(statement: str, ours_ms: list[float], numpy_ms: list[float]) -> list[Row]:
    """Return the time of an import, and what it has in addition to NumPy's."""
    pairs = list(zip(ours_ms, numpy_ms, strict=True))
    ratios = sorted(base / ours for ours, base in pairs)
    more = sorted(ours - base for ours, base in pairs)
    typical, extra = statistics.median(ours_ms), statistics.median(more)
    ratio = statistics.median(ratios)
    return [
        Row(statement, typical, "ms", ratio, ratios[0], ratios[-1], samples=len(pairs)),
        Row(
            f"{statement}, beyond numpy",
            extra,
            "ms",
            bar=f"<= {_BAR_MS:g} ms",
            met=extra <= _BAR_MS,
            samples=len(more),
            note=f"{more[0]:.1f}..{more[-1]:.1f} ms",
        ),
    ]
