"""The first call in a process, which loads what it needs, and the same call again."""

from __future__ import annotations

import statistics

from benchmarks.sections.interpreters import fresh_interpreters
from benchmarks.sections.section import Context, Section
from benchmarks.timing import Row, failure

NAME = "first-calls"

#: What is imported already, and the call.
_CALLS = {
    "np.full": ("", "np.full(3, 1.5, np.float32)"),
    "fill_constant": ("import indirectml as dml", "dml.fill_constant(out, 1.5)"),
    "fill_sequence": ("import indirectml as dml", "dml.fill_sequence(out, 1.5, 0.25)"),
    "create, compile and dispatch": (
        "import indirectml as dml",
        """d = dml.Device()
    t = dml.TensorDesc(np.float32, [3])
    o = d.create_operator(dml.FillValueConstantOperatorDesc(t, np.float32, 1.5))
    d.compile_operator(o)(out=[out])""",
    ),
}

_PROGRAM = """
import time
import numpy as np
{imported}
out = np.empty(3, np.float32)
def call():
    {call}
for _ in range(2):
    before = time.perf_counter()
    call()
    print((time.perf_counter() - before) * 1e6)
"""


def run(context: Context) -> Section:
    """Call each twice in fresh interpreters, in turns; the modules have been compiled before."""
    section = Section(NAME, "First calls in a process, 3 elements of float32", "np.full")
    times: dict[str, list[list[float]]] = {name: [] for name in _CALLS}
    try:
        with fresh_interpreters() as interpreter:
            for number in range(context.rounds(15) + 1):
                for name, (imported, call) in _CALLS.items():
                    printed = interpreter(_PROGRAM.format(imported=imported, call=call))
                    if number > 0:
                        times[name].append([float(line) for line in printed.split()])
    except (OSError, RuntimeError, ValueError) as error:
        section.rows.append(failure("first call", error, failed=True))
        return section
    for which, number in (("first call", 0), ("second call", 1)):
        limits = [sample[number] for sample in times["np.full"]]
        for name, samples in times.items():
            taken = [sample[number] for sample in samples]
            ratios = sorted(base / ours for base, ours in zip(limits, taken, strict=True))
            section.rows.append(
                Row(
                    f"{name}, {which}",
                    statistics.median(taken),
                    "us",
                    statistics.median(ratios),
                    ratios[0],
                    ratios[-1],
                    note="the limit" if name == "np.full" else "",
                    samples=len(taken),
                    series=which,
                    group=name,
                )
            )
    return section
