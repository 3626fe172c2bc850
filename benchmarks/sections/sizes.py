"""Every size from one element to far beyond the caches: where calls, caches and memory decide."""

from __future__ import annotations

from typing import Any

import numpy as np

import indirectml as dml
from benchmarks.peers import MOST_BYTES, peer_jobs
from benchmarks.sections.section import (
    Context,
    Section,
    accumulate_scalars,
    multiply_scalars,
    shown_bytes,
    threads_text,
)
from benchmarks.timing import Job
from indirectml.core.settings import Settings

NAME = "sizes"

_DTYPE = "float32"
#: Smaller outputs are compared with memset from one thread, since starting others costs more.
_THREADS_FROM = 2**22


def run(context: Context) -> Section:
    """Fill 1 element, 2, 4, ... in place."""
    threads = Settings.policy.max_threads
    section = Section(
        NAME,
        f"Sizes from 1 element, {_DTYPE}, in place",
        f"memset, called through ctypes; from {shown_bytes(_THREADS_FROM)} on from "
        f"{threads_text(threads)}",
    )
    raw = np.empty(context.large_bytes, np.uint8)
    raw.fill(1)
    for size in context.sizes(np.dtype(_DTYPE).itemsize, context.large_bytes):
        out = raw[:size].view(_DTYPE)
        names = {
            "once": context.limit.once,
            "threads": context.limit.threads,
            "a": raw.ctypes.data,
            "n": size,
            "t": threads,
        }
        label = shown_bytes(size)
        one = _memset(label, "once(a, 3, n)", names, 1)
        limit, jobs = one, _jobs(out, label)
        if size >= _THREADS_FROM and threads > 1:
            limit = _memset(label, "threads(a, 3, n, t)", names, threads)
            jobs.append(one)
        if size <= MOST_BYTES:
            jobs += peer_jobs(out, context.limit, label, x=size)
        section.add(limit, jobs, context.rounds(7), sample_s=context.sample_s / 4)
    return section


def _memset(label: str, statement: str, names: dict[str, Any], threads: int) -> Job:
    series = f"memset, {threads_text(threads)}"
    size = names["n"]
    return Job(f"{label}: {series}", statement, names, size, series=series, x=size)


def _jobs(out: np.ndarray[Any, Any], label: str) -> list[Job]:
    start, delta = accumulate_scalars(_DTYPE)
    first, step = multiply_scalars(_DTYPE)
    names = {"constant": dml.fill_constant, "sequence": dml.fill_sequence, "out": out}
    statements = {
        ("constant", "fill_constant"): "constant(out, 1.5)",
        ("sequence", "accumulate"): f"sequence(out, {start}, {delta})",
        ("sequence", "multiply"): f"sequence(out, {first}, {step}, rule='multiply')",
    }
    return [
        Job(
            f"{label}: {series}",
            statement,
            names,
            out.nbytes,
            series=series,
            group=group,
            x=out.nbytes,
        )
        for (group, series), statement in statements.items()
    ]
