"""Convolutions."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import prod
from typing import Any

import numpy as np

from indirectml.arithmetic.convolution import three
from indirectml.opencl.launches import Abilities, Argument, Launch, Source, Table, along_rows
from indirectml.opencl.tiles import FEW, tile_for
from indirectml.opencl.views import kind_of, only_stride
from indirectml.opencl.words import word_launches
from indirectml.opencl.words.products import FUSED, zero_points
from indirectml.plans import View, WordStep

_FILES = ("elements.cl", "tiles.cl", "convolutions.cl")


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
    out = three(y.sizes[2:], 1)
    shape = Table.of(
        [
            *three(x.sizes[2:], 1),
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
            *three(x.strides[2:], 0),
            of_filter,
            of_channel,
            *three(taps, 0),
            of_group,
            *y.strides[:2],
            *three(y.strides[2:], 0),
        ]
    )
    pixels = prod(out)
    tile = tile_for(filters, pixels, abilities.vector_width)
    named = (f"{name}={kind_of(view)}" for name, view in zip("XWY", (x, w, y), strict=True))
    backward = ("BACKWARD",) if is_backward else ()
    source = Source(_FILES, (*named, *defines, *backward, *tile.defines))
    arguments = (x, w, y, shape, *more)
    if filters < FEW and not is_backward and "INTEGERS" not in defines:
        across = -(-out[2] // tile.wide), out[0] * out[1], y.sizes[1] * y.sizes[0]
        return [Launch("convolve_row", source, arguments, *along_rows(across, abilities))]
    if is_backward or filters < FEW:
        across = pixels, y.sizes[1], y.sizes[0]
        return [Launch("convolve_one", source, arguments, *along_rows(across, abilities))]
    sizes = tile.launch_sizes(filters, pixels, y.sizes[0] * groups)
    return [Launch("convolve", source, arguments, sizes, (tile.group_x, tile.group_y, 1))]


def _three(numbers: Sequence[int] | None, missing: int) -> Any:
    return three(numbers or (), missing)
