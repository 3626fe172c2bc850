"""New arrays: the system's work for fresh pages is the limit."""

from __future__ import annotations

import numpy as np

import indirectml as dml
from benchmarks.peers import torch
from benchmarks.sections.section import (
    Context,
    Section,
    accumulate_scalars,
    multiply_scalars,
)
from benchmarks.timing import Job

NAME = "new-arrays"

_DTYPES = ("uint8", "float16", "float32", "int64")
_BAR = 1.5


def run(context: Context) -> Section:
    """Make large arrays, and give them back, again and again."""
    size_bytes = context.large_bytes
    section = Section(
        NAME,
        f"New arrays of {size_bytes >> 20} MiB",
        "np.full of the same",
        notes=["the time includes giving the memory back"],
    )
    for dtype in _DTYPES:
        names = {
            "full": dml.full,
            "sequence": dml.sequence,
            "np": np,
            "torch": torch,
            "count": size_bytes // np.dtype(dtype).itemsize,
            "dtype": np.dtype(dtype),
            "torch_dtype": torch and getattr(torch, dtype),
        }
        start, delta = accumulate_scalars(dtype)
        first, step = multiply_scalars(dtype)
        statements = {
            "full": "full(count, 3, dtype)",
            "sequence, accumulate": f"sequence(count, {start}, {delta}, dtype)",
            "sequence, multiply": f"sequence(count, {first}, {step}, dtype, rule='multiply')",
        }
        jobs = [
            Job(f"{dtype}: {name}", statement, names, size_bytes, bar=_BAR)
            for name, statement in statements.items()
        ]
        if dtype != "float16":  # np.arange needs half a minute for it
            arange = "np.arange(count, dtype=dtype)"
            jobs.append(Job(f"{dtype}: np.arange", arange, names, size_bytes, peer=True))
        if torch is not None:
            full = "torch.full((count,), 3, dtype=torch_dtype)"
            jobs.append(Job(f"{dtype}: torch.full", full, names, size_bytes, peer=True))
        limit = Job(f"{dtype}: np.full", "np.full(count, 3, dtype)", names, size_bytes)
        section.add(limit, jobs, context.rounds(11))
    return section
