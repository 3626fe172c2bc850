"""Regions of interest, each brought to the same size."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from indirectml.arithmetic.regions import Sampling
from indirectml.opencl.functions import DOUBLES
from indirectml.opencl.launches import Abilities, Argument, Launch, Source, Table, over
from indirectml.opencl.views import kind_of, view_table
from indirectml.opencl.words import word_launches
from indirectml.plans import WordStep

#: Counts of samples are 32 bits wide.
_MOST = 2**31 - 1


@word_launches("roi_align", needs=DOUBLES)
def roi_align(step: WordStep, abilities: Abilities) -> Iterable[Launch] | None:
    """Return what each cell of each region is of its samples."""
    (x, roi, batches), y, fields = step.inputs, step.outputs[0], step.arguments
    assert x is not None  # noqa: S101
    assert roi is not None  # noqa: S101
    assert batches is not None  # noqa: S101
    sampling: Sampling = fields["sampling"]
    sizes = Table.of([*x.sizes, *y.sizes, *x.strides])
    tables = (view_table(roi), view_table(batches), view_table(y))
    floats = (sampling.scale_x, sampling.scale_y, sampling.input_offset, sampling.output_offset)
    integers = (
        min(sampling.fewest, _MOST),
        min(sampling.most, _MOST),
        sampling.is_stretched,
        sampling.mode == "nearest",
        sampling.choice == "largest",
    )
    count = y.element_count
    arguments: tuple[Argument, ...] = (
        x, roi, batches, y, sizes, *tables, np.uint64(count), *map(np.float64, floats),
        *map(np.int32, integers), np.float64(fields["outside"]),
    )  # fmt: skip
    kinds = zip(("X", "ROI", "BATCH", "Y"), (x, roi, batches, y), strict=True)
    source = Source(
        ("elements.cl", "programs.cl", "regions.cl"),
        tuple(f"{name}={kind_of(view)}" for name, view in kinds),
    )
    return [Launch("roi_align", source, arguments, *over(count))]
