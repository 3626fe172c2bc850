"""The sections of the report: one file each, with a NAME and `run(context) -> Section`."""

from benchmarks.sections import calls, imports, in_cache, in_place, memory, new_arrays, strided
from benchmarks.sections.section import Context, Section

SECTIONS = (in_place, in_cache, strided, new_arrays, calls, imports, memory)

__all__ = ["SECTIONS", "Context", "Section"]
