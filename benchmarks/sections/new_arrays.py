"""New arrays: the system's work for fresh pages is the limit."""

from __future__ import annotations

import numpy as np

import indirectml as dml
from benchmarks.peers import jax, torch
from benchmarks.sections.section import (
    Context,
    Section,
    accumulate_scalars,
    multiply_scalars,
    shown_bytes,
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
        f"New arrays of {shown_bytes(size_bytes)}",
        "np.full of the same",
        notes=["the time includes giving the memory back"],
    )
    for dtype in _DTYPES:
        names = {
            "full": dml.full,
            "sequence": dml.sequence,
            "np": np,
            "jnp": jax and jax.numpy,
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
            Job(f"{dtype}: {name}", text, names, size_bytes, bar=_BAR, series=name, group=dtype)
            for name, text in statements.items()
        ]
        jobs += [
            Job(f"{dtype}: {name}", text, names, size_bytes, peer=True, series=name, group=dtype)
            for name, text in _peers(dtype).items()
        ]
        limit = Job(f"{dtype}: np.full", "np.full(count, 3, dtype)", names, size_bytes, group=dtype)
        section.add(limit, jobs, context.rounds(11))
    return section


def _peers(dtype: str) -> dict[str, str]:
    statements = {}
    if dtype != "float16":  # np.arange needs half a minute for it
        statements["np.arange"] = "np.arange(count, dtype=dtype)"
    if torch:
        statements["torch.full"] = "torch.full((count,), 3, dtype=torch_dtype)"
        statements["torch.arange"] = "torch.arange(count, dtype=torch_dtype)"
    if jax:
        statements["jax.numpy.full"] = "jnp.full((count,), 3, dtype).block_until_ready()"
        statements["jax.numpy.arange"] = "jnp.arange(count, dtype=dtype).block_until_ready()"
    return statements
