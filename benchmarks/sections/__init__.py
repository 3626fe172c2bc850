"""The sections of the report: one file each, with a NAME and `run(context) -> Section`."""

from benchmarks.sections import (
    calls,
    compiling,
    first_calls,
    graphs,
    imports,
    in_cache,
    in_place,
    memory,
    new_arrays,
    plans,
    products,
    reductions,
    sizes,
    strided,
    threads,
    thresholds,
)
from benchmarks.sections.section import EFFORTS, Context, Section

#: Fresh interpreters first, before anything else is in memory.
SECTIONS = (
    imports,
    first_calls,
    memory,
    calls,
    compiling,
    plans,
    sizes,
    in_cache,
    strided,
    in_place,
    new_arrays,
    threads,
    thresholds,
    products,
    reductions,
    graphs,
)

__all__ = ["EFFORTS", "SECTIONS", "Context", "Section"]
