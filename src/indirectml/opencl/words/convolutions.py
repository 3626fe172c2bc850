"""Convolutions."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import prod
from typing import Any

import numpy as np

from indirectml.arithmetic.convolution import three
from indirectml.opencl.launches import (
    Abilities,
    Argument,
    Launch,
    Source,
    Table,
    along_rows,
    beside,
    merged,
)
from indirectml.opencl.tiles import FEW, least_tile, tile_for
from indirectml.opencl.views import kind_of, only_stride
from indirectml.opencl.words import word_launches
from indirectml.opencl.words.products import (
    FUSED,
    dots_of,
    with_dots,
    work_of_products,
    zero_points,
)
from indirectml.plans import View, WordStep

_FILES = ("elements.cl", "tiles.cl", "convolutions.cl")

#: Pixels of a row that a work-item may have, and elements that they reach over.
_LANES, _LINE = (16, 32, 64), 256


@word_launches("convolve", needs=FUSED)
def convolve(step: WordStep, abilities: Abilities) -> Iterable[Launch] | None:
    """Return the convolution of images with filters."""
    x, w, bias = step.inputs
    kind = "float32" if bias is None else kind_of(bias)
    return _launched(step, x, w, abilities, (f"BIAS={kind}",), (bias, np.int64(only_stride(bias))))


@word_launches("convolve_integer")
def convolve_integer(step: WordStep, abilities: Abilities) -> Iterable[Launch] | None:
    """Return the convolution of integers."""
    x, w, x_zero, w_zero = step.inputs
    defines, more = zero_points(step.arguments, x_zero_point=x_zero, w_zero_point=w_zero)
    of_x, of_w = more[:2], more[3:]  # the zero point of x is one number
    return _launched(step, x, w, abilities, ("INTEGERS", *defines), (*of_x, *of_w))


def _launched(
    step: WordStep,
    x: View | None,
    w: View | None,
    abilities: Abilities,
    defines: tuple[str, ...],
    more: tuple[Argument, ...],
) -> list[Launch]:
    assert x is not None  # noqa: S101
    assert w is not None  # noqa: S101
    y = step.outputs[0]
    fields = step.arguments
    groups = fields["group_count"]
    is_backward = fields.get("direction") == "backward"
    channels = x.sizes[1] // groups
    filters = y.sizes[1] // groups
    first, second, *taps = w.strides
    of_filter, of_channel = (second, first) if is_backward else (first, second)
    of_group = first * (channels if is_backward else filters)
    out, of_x, of_y = three(y.sizes[2:], 1), three(x.strides[2:], 0), three(y.strides[2:], 0)
    if _is_pixel_by_pixel(step, x, w):
        merged_sizes, (own, others) = merged(out, (of_x, of_y))
        out, of_x, of_y = three(merged_sizes, 1), three(own, 0), three(others, 0)
        of_pixels = out
    else:
        of_pixels = three(x.sizes[2:], 1)
    shape = Table.of(
        [
            *of_pixels,
            *three(w.sizes[2:], 1),
            *out,
            *_three(fields["strides"], 1),
            *_three(fields["dilations"], 1),
            *_three(fields["start_padding"], 0),
            groups,
            filters,
            channels,
            fields.get("mode") == "convolution",
            *x.strides[:2],
            *of_x,
            of_filter,
            of_channel,
            *three(taps, 0),
            of_group,
            *y.strides[:2],
            *of_y,
        ]
    )
    pixels = prod(out)
    named = (f"{name}={kind_of(view)}" for name, view in zip("XWY", (x, w, y), strict=True))
    backward = ("BACKWARD",) if is_backward else ()
    files: tuple[str, ...] = _FILES
    is_one = is_backward or filters < FEW
    images = y.sizes[0] * groups
    tile = least_tile(abilities) if is_one else tile_for(filters, pixels, images, abilities)
    dots = "" if is_one else dots_of(w, x, abilities)
    if dots and _is_padded_by_bytes(step, x):
        files, defines = with_dots(files), (*defines, dots)
    source = Source(files, (*named, *defines, *backward, *tile.defines))
    arguments = (x, w, y, shape, *more)
    lanes = _lanes(out[2], abilities)
    stride, apart = _three(fields["strides"], 1)[2], _three(fields["dilations"], 1)[2]
    reach = (lanes - 1) * stride + (three(w.sizes[2:], 1)[2] - 1) * apart + 1
    are_floats = "INTEGERS" not in defines
    if filters < FEW and not is_backward and are_floats and lanes and reach <= _LINE:
        across = -(-out[2] // lanes), out[0] * out[1], y.sizes[1] * y.sizes[0]
        source = source._replace(defines=(*source.defines, f"LANES={lanes}", f"LINE={_LINE}"))
        return [Launch("convolve_row", source, arguments, *beside(across))]
    work = work_of_products(channels * prod(w.sizes[2:]), abilities)
    if is_one:
        across = pixels, y.sizes[1], y.sizes[0]
        return [Launch("convolve_one", source, arguments, *along_rows(across, abilities), work)]
    return [tile.launch("convolve", source, arguments, (filters, pixels, images), work)]


def _is_pixel_by_pixel(step: WordStep, x: View, w: View) -> bool:
    """Return whether an output is of the pixel in its place alone: axes may be merged then."""
    is_one = prod(w.sizes[2:]) == 1 and x.sizes[2:] == step.outputs[0].sizes[2:]
    return is_one and not any(_three(step.arguments["start_padding"], 0))


def _is_padded_by_bytes(step: WordStep, x: View) -> bool:
    """Return whether the zero point of x, which padding has, is of its data type."""
    zero = step.inputs[2]
    if zero is not None:
        return zero.data_type == x.data_type
    limits = np.iinfo(kind_of(x))
    return bool(limits.min <= (step.arguments.get("x_zero_point") or 0) <= limits.max)


def _lanes(columns: int, abilities: Abilities) -> int:
    """Return how many pixels of a row are a loop of a CPU; 0 where work-items are no loops."""
    if abilities.vector_width == 1:
        return 0
    return next((n for n in _LANES if n >= columns), _LANES[-1])


def _three(numbers: Sequence[int] | None, missing: int) -> Any:
    return three(numbers or (), missing)
