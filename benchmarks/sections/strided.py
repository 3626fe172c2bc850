"""Views with gaps, turned axes and short rows, against NumPy's assignment of a scalar."""

from __future__ import annotations

from typing import Any

import numpy as np

import indirectml as dml
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
    large = 4096 if context.quick else 8192
    for side in (128, 512, large):
        matrix = np.empty((side, side), np.float32)
        matrix.fill(1)
        views = {
            "every second column": matrix[:, ::2],
            "inner half of each row": matrix[:, side // 4 : -side // 4],
            "transposed": matrix.T,
            "backwards": matrix[::-1, ::-1],
            "rows of 3 of 4": matrix.reshape(-1, 4)[:, :3],
        }
        for name, view in views.items():
            bar = 1.0 if name == "every second column" else None
            _add(section, context, f"{side} x {side}, {name}", view, bar)
    return section


def _add(
    section: Section, context: Context, label: str, view: np.ndarray[Any, Any], bar: float | None
) -> None:
    size = view.nbytes

    def one_thread() -> None:
        with dml.configure(max_threads=1):
            dml.fill_constant(view, 1.5)

    names = {"constant": dml.fill_constant, "sequence": dml.fill_sequence, "view": view}
    by_product = "sequence(view, 0.0, 3.7e-9, rule='multiply')"
    jobs = [
        Job(f"{label}: fill_constant", "constant(view, 1.5)", names, size, bar=bar),
        Job(f"{label}: fill_constant, one thread", one_thread, {}, size),
        Job(f"{label}: accumulate", "sequence(view, 0.0, 0.1)", names, size, bar=bar),
        Job(f"{label}: multiply", by_product, names, size),
    ]
    limit = Job(f"{label}: view[...] = 1.5", "view[...] = 1.5", names, size)
    section.add(limit, jobs, context.rounds(15), sample_s=context.sample_s / 4)
