"""Regions of interest, each brought to the same size, and the way back."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from indirectml.arithmetic.regions import Sampling
from indirectml.opencl.functions import DOUBLE_FILES
from indirectml.opencl.launches import Abilities, Argument, Launch, Scratch, Source, Table, over
from indirectml.opencl.views import kind_of, view_table
from indirectml.opencl.words import word_launches
from indirectml.opencl.words.folds import key_defines
from indirectml.opencl.words.sums import are_floats
from indirectml.plans import View, WordStep

_FILES = (*DOUBLE_FILES, "programs.cl", "regions.cl")
#: Counts of samples are 32 bits wide.
_MOST = 2**31 - 1
#: Cells along an axis whose borders the kernel counts.
_MOST_CELLS = 1 << 24


def _sampling_of(sampling: Sampling) -> tuple[Argument, ...]:
    """Return what kernels are told of samples."""
    floats = (sampling.scale_x, sampling.scale_y, sampling.input_offset, sampling.output_offset)
    integers = (
        min(sampling.fewest, _MOST),
        min(sampling.most, _MOST),
        sampling.is_stretched,
        sampling.mode == "nearest",
        sampling.choice == "largest",
    )
    return (*map(np.float64, floats), *map(np.int32, integers))


def _source(*defines: str, **views: View | None) -> Source:
    """Return kernels for views of some data types, by the names of these."""
    kinds = (f"{name}={kind_of(view)}" for name, view in views.items() if view is not None)
    return Source(_FILES, (*defines, *kinds))


@word_launches("roi_align")
def roi_align(step: WordStep, abilities: Abilities) -> Iterable[Launch] | None:
    """Return what each cell of each region is of its samples."""
    (x, roi, batches), y, fields = step.inputs, step.outputs[0], step.arguments
    assert x is not None  # noqa: S101
    assert roi is not None  # noqa: S101
    assert batches is not None  # noqa: S101
    sizes = Table.of([*x.sizes, *y.sizes, *x.strides])
    tables = (view_table(roi), view_table(batches), view_table(y))
    count = y.element_count
    arguments: tuple[Argument, ...] = (
        x, roi, batches, y, sizes, *tables, np.uint64(count), *_sampling_of(fields["sampling"]),
        np.float64(fields["outside"]),
    )  # fmt: skip
    source = _source("FORWARD", X=x, ROI=roi, BATCH=batches, Y=y)
    return [Launch("roi_align", source, arguments, *over(count))]


@word_launches("roi_align_gradient", "roi_align_gradient_of_regions")
def roi_align_gradient(step: WordStep, abilities: Abilities) -> Iterable[Launch] | None:
    """Return what comes back to elements of images, or to coordinates of regions."""
    (x, gradient, roi, batches), y, fields = step.inputs, step.outputs[0], step.arguments
    assert gradient is not None  # noqa: S101
    assert roi is not None  # noqa: S101
    assert batches is not None  # noqa: S101
    sampling: Sampling = fields["sampling"]
    of_images = step.word.name == "roi_align_gradient"
    is_largest = sampling.choice == "largest"
    if not are_floats(x, gradient, roi, y) or (x is None and (is_largest or not of_images)):
        return None
    image = y if x is None else x
    sizes = Table.of([*image.sizes, *gradient.sizes, *image.strides])
    of_roi, of_batches = view_table(roi), view_table(batches)
    told = _sampling_of(sampling)
    cells, count = gradient.element_count, y.element_count
    chosen: Argument = Table.of([0], np.int32)
    launches = []
    if is_largest:
        chosen = Scratch(0, max(cells, 1) * 4)
        source = _source(X=x, ROI=roi, BATCH=batches)
        arguments = (x, roi, batches, chosen, sizes, of_roi, of_batches, np.uint64(cells), *told)
        launches.append(Launch("find_largest_samples", source, arguments, *over(cells)))
    defines = "OF_IMAGES" if of_images else "OF_REGIONS"
    own = {} if of_images else {"X": x}
    source = _source(defines, GRADIENT=gradient, ROI=roi, BATCH=batches, Y=y, **own)
    read = (gradient,) if of_images else (x, gradient)
    arguments = (
        *read, roi, batches, y, chosen, sizes, view_table(gradient), of_roi, of_batches,
        view_table(y), np.uint64(count), *told,
    )  # fmt: skip
    return [*launches, Launch(step.word.name, source, arguments, *over(count))]


@word_launches("roi_pool", needs={"less float32", "widened", "narrowed"})
def roi_pool(step: WordStep, abilities: Abilities) -> Iterable[Launch] | None:
    """Return the largest element of each cell of each region."""
    (x, roi), y, fields = step.inputs, step.outputs[0], step.arguments
    assert x is not None  # noqa: S101
    assert roi is not None  # noqa: S101
    are_rows = all(size == 1 for size in roi.sizes[:-2])
    narrow = {"float16", "float32"}
    if not are_rows or kind_of(roi) not in narrow or y.data_type is not x.data_type:
        return None
    if max(fields["pooled_sizes"]) > _MOST_CELLS:
        return None
    sizes = Table.of([*x.sizes, *y.sizes, *x.strides, *roi.strides[-2:]])
    scale = np.float32(fields["scale"]).view(np.uint32)
    count = y.element_count
    arguments = (x, roi, y, sizes, view_table(y), np.uint64(count), scale)
    kinds = (f"X={kind_of(x)}", f"ROI={kind_of(roi)}")
    source = Source(("elements.cl", "folds.cl", "regions.cl"), ("POOL", *kinds, *key_defines(x)))
    return [Launch("roi_pool", source, arguments, *over(count))]
