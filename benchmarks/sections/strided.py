"""Views with gaps, turned axes and short rows, against NumPy's assignment of a scalar."""

from __future__ import annotations

from typing import Any

import numpy as np

import indirectml as dml
from benchmarks.peers import torch
from benchmarks.sections.section import Context, Section
from benchmarks.timing import Job

NAME = "strided"


def run(context: Context) -> Section:
    """Fill views of float32 matrices that lie in a cache, and of one that does not."""
    section = Section(
        NAME,
        "Strided views of float32 matrices",
        "NumPy's assignment of a scalar to the same view, which uses one thread",
        notes=["speeds count the bytes of the view's elements, not the gaps between them"],
    )
    for side in (128, 512, _large_side(context.large_bytes)):
        matrix = np.empty((side, side), np.float32)
        matrix.fill(1)
        views = {
            "every second column": matrix[:, ::2],
            "inner half of each row": matrix[:, side // 4 : -side // 4],
            "transposed": matrix.T,
            "backwards": matrix[::-1, ::-1],
            "padded rows of 3 of 4": matrix.reshape(-1, 4)[:, :3],
        }
        for name, view in views.items():
            bar = 1.0 if name == "every second column" else None
            _add(section, context, f"{side} x {side}, {name}", view, bar)
    return section


def _large_side(size_bytes: int) -> int:
    """Return the side of a matrix that has a quarter of the size, a power of two."""
    return 1 << ((size_bytes // 16).bit_length() // 2)


def _add(
    section: Section, context: Context, label: str, view: np.ndarray[Any, Any], bar: float | None
) -> None:
    size = view.nbytes

    def one_thread() -> None:
        with dml.configure(max_threads=1):
            dml.fill_constant(view, 1.5)

    names = {"constant": dml.fill_constant, "sequence": dml.fill_sequence, "view": view}
    by_product = "sequence(view, 0.0, 3.7e-9, rule='multiply')"

    def job(series: str, statement: Any, **more: Any) -> Job:
        what = f"{label}: {series}"
        return Job(what, statement, names, size, series=series, group=label, **more)

    jobs = [
        job("fill_constant", "constant(view, 1.5)", bar=bar),
        job("fill_constant, one thread", one_thread),
        job("accumulate", "sequence(view, 0.0, 0.1)", bar=bar),
        job("multiply", by_product),
    ]
    if torch is not None and all(stride > 0 for stride in view.strides):
        names["t"] = torch.from_numpy(view)
        jobs.append(job("torch fill_", "t.fill_(1.5)", peer=True))
    limit = Job(f"{label}: view[...] = 1.5", "view[...] = 1.5", names, size)
    section.add(limit, jobs, context.rounds(15), sample_s=context.sample_s / 4)
