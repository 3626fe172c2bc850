"""Sequences without memory: what creating one and asking for an element cost."""

from __future__ import annotations

import numpy as np

import indirectml as dml
from benchmarks.sections.section import Context, Section
from benchmarks.timing import Job

NAME = "plans"

#: Above this count the ways that write every element are left out; they would take seconds.
_WRITTEN_COUNT = 2**24
_LAST_COUNT = 2**40
#: A float64 counts by ones to 2^53, through as many binades.
_BINADES = 52


def run(context: Context) -> Section:
    """Ask for the last element of ever longer sequences, and cross ever more binades."""
    section = Section(
        NAME,
        "Sequences without memory: creation and one element",
        "the same for a sequence of one element",
        notes=["loop in C and np.arange have to write all elements before the last one"],
    )
    most = min(context.large_bytes * 1024, _LAST_COUNT)
    written = np.empty(min(_WRITTEN_COUNT, most), np.float32)
    counts = [1 << k for k in range(0, most.bit_length(), 4 if most == _LAST_COUNT else 10)]
    jobs = [job for count in counts for job in _by_count(context, count, written)]
    step = 4 if most == _LAST_COUNT else 26
    jobs += [job for k in range(0, _BINADES + 1, step) for job in _by_binades(k)]
    limit = Job(
        "1 element: accumulate",
        "sequence(0.0, 0.1)[0]",
        {"sequence": dml.Sequence},
        series="accumulate",
        group="count",
        x=1,
    )
    section.add(limit, jobs, context.rounds(9), sample_s=context.sample_s / 4)
    return section


def _by_count(context: Context, count: int, written: np.ndarray) -> list[Job]:
    names = {"sequence": dml.Sequence, "last": count - 1, "count": count, "np": np}
    statements = {
        "accumulate": "sequence(0.0, 0.1)[last]",
        "multiply": "sequence(0.0, 0.1, rule='multiply')[last]",
    }
    if count == 1:
        del statements["accumulate"]  # it is the limit
    ours = [
        Job(f"{count} elements: {name}", text, names, series=name, group="count", x=count)
        for name, text in statements.items()
    ]
    if count > written.size:
        return ours
    peers = {"np.arange": "np.arange(count, dtype=np.float32)[last]"}
    if "float32" in context.limit.loops:
        names |= {"loop": context.limit.loops["float32"], "a": written.ctypes.data}
        peers["loop in C"] = "loop(a, count, 0.0, 0.1)"
    return ours + [
        Job(
            f"{count} elements: {name}", text, names, peer=True, series=name, group="count", x=count
        )
        for name, text in peers.items()
    ]


def _by_binades(crossed: int) -> list[Job]:
    """Return jobs for 1, 2, 3, ... to 2^crossed: every binade is another segment."""
    count = 1 << crossed
    names = {
        "ones": dml.Sequence(1, 1, np.float64),
        "product": dml.Sequence(1, 1, np.float64, rule="multiply"),
        "last": count - 1,
        "count": count,
    }
    statements = {
        ("one element", "accumulate"): "ones[last]",
        ("one element", "multiply"): "product[last]",
        ("all segments", "accumulate"): "list(ones.segments(count))",
        ("all segments", "multiply"): "list(product.segments(count))",
    }
    return [
        Job(f"{crossed} binades: {rule}, {group}", text, names, series=rule, group=group, x=crossed)
        for (group, rule), text in statements.items()
    ]
