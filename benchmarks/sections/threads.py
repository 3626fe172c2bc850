"""Thread counts: how far more threads carry a fill that is larger than the caches."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np

import indirectml as dml
from benchmarks.sections.section import (
    Context,
    Section,
    accumulate_scalars,
    multiply_scalars,
    threads_text,
)
from benchmarks.timing import Job
from indirectml.core.settings import Settings

NAME = "threads"

_DTYPE = "float32"


def run(context: Context) -> Section:
    """Fill one buffer from 1, 2, 4, ... threads, and from as many as there are cores."""
    size_bytes = context.large_bytes
    section = Section(
        NAME,
        f"Threads, {size_bytes >> 20} MiB of {_DTYPE}, in place",
        "memset from as many threads",
    )
    out = np.empty(size_bytes // np.dtype(_DTYPE).itemsize, _DTYPE)
    out.fill(1)
    for count in thread_counts(Settings.policy.max_threads):
        label = threads_text(count)
        names = {"memset": context.limit.threads, "a": out.ctypes.data, "n": size_bytes, "t": count}
        limit = Job(
            f"{label}: memset", "memset(a, 3, n, t)", names, size_bytes, series="memset", x=count
        )
        jobs = [
            Job(f"{label}: {series}", fill, {}, size_bytes, series=series, x=count)
            for series, fill in _fills(out, count).items()
        ]
        section.add(limit, jobs, context.rounds(15))
    return section


def thread_counts(most: int) -> list[int]:
    """Return 1, 2, 4, ... and the largest count."""
    return sorted({min(1 << k, most) for k in range(most.bit_length() + 1)})


def _fills(out: np.ndarray[Any, Any], threads: int) -> dict[str, Any]:
    by_sum, by_product = accumulate_scalars(_DTYPE), multiply_scalars(_DTYPE)

    def with_threads(fill: Any, *scalars: float, **rule: Any) -> None:
        with dml.configure(max_threads=threads):
            fill(out, *scalars, **rule)

    return {
        "fill_constant": functools.partial(with_threads, dml.fill_constant, 1.5),
        "accumulate": functools.partial(with_threads, dml.fill_sequence, *by_sum),
        "multiply": functools.partial(
            with_threads, dml.fill_sequence, *by_product, rule="multiply"
        ),
    }
