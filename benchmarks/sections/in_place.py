"""Large outputs in place: the memory is the limit."""

from __future__ import annotations

from typing import Any

import numpy as np

import indirectml as dml
from benchmarks.peers import torch
from benchmarks.sections.section import (
    DTYPES,
    Context,
    Section,
    accumulate_scalars,
    multiply_scalars,
)
from benchmarks.timing import Job
from indirectml.settings import State

NAME = "in-place"

#: Peers that would need minutes for 1 GiB write this much instead.
_SLOW_PEER_BYTES = 2**25


def run(context: Context) -> Section:
    """Fill one buffer as every data type, in every way."""
    size_bytes = context.large_bytes
    threads = State.policy.max_threads
    raw = np.empty(size_bytes, np.uint8)
    raw.fill(1)
    section = Section(
        NAME,
        f"In place, {size_bytes >> 20} MiB, contiguous",
        f"memset from {threads} threads",
        notes=["np.arange makes a new array every time; all others write the same buffer"],
    )
    address = raw.ctypes.data
    names = {"memset": context.limit.threads, "a": address, "n": size_bytes, "t": threads}
    for dtype in DTYPES:
        limit = Job(f"{dtype}: memset", "memset(a, 3, n, t)", names, size_bytes)
        section.add(limit, _jobs(raw.view(dtype), dtype), context.rounds(15))
    return section


def _jobs(out: np.ndarray[Any, Any], dtype: str) -> list[Job]:
    start, delta = accumulate_scalars(dtype)
    first, step = multiply_scalars(dtype)
    arange_count = (_SLOW_PEER_BYTES if dtype == "float16" else out.nbytes) // out.itemsize
    names = {
        "constant": dml.fill_constant,
        "sequence": dml.fill_sequence,
        "out": out,
        "arange": np.arange,
        "dtype": np.dtype(dtype),
        "count": arange_count,
    }
    size = out.nbytes
    by_product = f"sequence(out, {first}, {step}, rule='multiply')"
    jobs = [
        Job(f"{dtype}: fill_constant", "constant(out, 3)", names, size, bar=0.95),
        Job(f"{dtype}: accumulate", f"sequence(out, {start}, {delta})", names, size, bar=0.95),
        Job(f"{dtype}: multiply", by_product, names, size, bar=0.9),
        Job(f"{dtype}: np.ndarray.fill", "out.fill(3)", names, size, peer=True),
        Job(
            f"{dtype}: np.arange (new array)",
            "arange(count, dtype=dtype)",
            names,
            arange_count * out.itemsize,
            peer=True,
        ),
    ]
    if torch is not None:
        torch_names = {"arange": torch.arange, "t": torch.from_numpy(out), "count": out.size}
        jobs += [
            Job(f"{dtype}: torch fill_", "t.fill_(3)", torch_names, size, peer=True),
            Job(
                f"{dtype}: torch.arange(out=)", "arange(count, out=t)", torch_names, size, peer=True
            ),
        ]
    return jobs
