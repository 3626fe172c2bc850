"""What `import indirectml` costs beyond `import numpy`."""

from __future__ import annotations

import statistics

from benchmarks.sections.interpreters import fresh_interpreters
from benchmarks.sections.section import Context, Section
from benchmarks.timing import QUIET_SPREAD, Row, failure, spread_of

NAME = "imports"

_BAR_MS = 30.0
_PROGRAM = """
import time
before = time.perf_counter()
import {module}
print((time.perf_counter() - before) * 1e3)
"""


def run(context: Context) -> Section:
    """Import in fresh interpreters, in turns; the modules have been compiled before."""
    section = Section(NAME, "Import", "import numpy")
    numpy_ms: list[float] = []
    ours_ms: list[float] = []
    try:
        with fresh_interpreters() as interpreter:
            for number in range(context.rounds(25) + 1):
                pair = [
                    float(interpreter(_PROGRAM.format(module=m))) for m in ("numpy", "indirectml")
                ]
                if number > 0:
                    numpy_ms.append(pair[0])
                    ours_ms.append(pair[1])
    except (OSError, RuntimeError, ValueError) as error:
        section.rows.append(failure("import", error, failed=True))
        return section
    typical = statistics.median(numpy_ms)
    varied = sorted(typical / ms for ms in numpy_ms)
    section.disturbed = spread_of(varied) > QUIET_SPREAD
    more = sorted(ours - base for ours, base in zip(ours_ms, numpy_ms, strict=True))
    ratios = sorted(base / ours for ours, base in zip(ours_ms, numpy_ms, strict=True))
    extra = statistics.median(more)
    section.rows += [
        Row("import numpy", typical, "ms", 1.0, varied[0], varied[-1], note="the limit"),
        Row(
            "import indirectml",
            statistics.median(ours_ms),
            "ms",
            statistics.median(ratios),
            ratios[0],
            ratios[-1],
        ),
        Row(
            "import indirectml, beyond numpy",
            extra,
            "ms",
            bar=f"<= {_BAR_MS:g} ms",
            met=extra <= _BAR_MS,
            note=f"{more[0]:.1f}..{more[-1]:.1f} ms",
        ),
    ]
    return section
