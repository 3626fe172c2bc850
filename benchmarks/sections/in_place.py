"""Large outputs, written in place from all cores: the memory is the limit."""

from __future__ import annotations

from typing import Any

import numpy as np

import indirectml as dml
from benchmarks.peers import MOST_BYTES, peer_jobs
from benchmarks.sections.section import (
    DTYPES,
    Context,
    Section,
    accumulate_scalars,
    multiply_scalars,
    shown_bytes,
    threads_text,
)
from benchmarks.timing import Job
from indirectml.core.settings import Settings

NAME = "in-place"


def run(context: Context) -> Section:
    """Fill one buffer as every data type, in every way."""
    size_bytes = context.large_bytes
    threads = Settings.policy.max_threads
    raw = np.empty(size_bytes, np.uint8)
    raw.fill(1)
    section = Section(
        NAME,
        f"All data types, {shown_bytes(size_bytes)} in place",
        f"memset from {threads_text(threads)}",
        notes=[
            "peers said to make a new array make one every time; all others write one buffer",
            f"peers write at most {shown_bytes(MOST_BYTES)}",
        ],
    )
    address = raw.ctypes.data
    names = {"memset": context.limit.threads, "a": address, "n": size_bytes, "t": threads}
    for dtype in DTYPES:
        limit = Job(f"{dtype}: memset", "memset(a, 3, n, t)", names, size_bytes, group=dtype)
        out = raw.view(dtype)
        jobs = [*_jobs(out, dtype), *peer_jobs(out, context.limit, dtype, dtype)]
        section.add(limit, jobs, context.rounds(11))
    return section


def _jobs(out: np.ndarray[Any, Any], dtype: str) -> list[Job]:
    start, delta = accumulate_scalars(dtype)
    first, step = multiply_scalars(dtype)
    names = {"constant": dml.fill_constant, "sequence": dml.fill_sequence, "out": out}
    fills = {
        "fill_constant": ("constant(out, 3)", 0.95),
        "accumulate": (f"sequence(out, {start}, {delta})", 0.95),
        "multiply": (f"sequence(out, {first}, {step}, rule='multiply')", 0.9),
    }
    return [
        Job(
            f"{dtype}: {series}",
            statement,
            names,
            out.nbytes,
            bar=bar,
            series=series,
            group=dtype,
        )
        for series, (statement, bar) in fills.items()
    ]
