"""Integers with a scale for each block of elements."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from indirectml.opencl.launches import Abilities, Launch, Source, Table, over
from indirectml.opencl.views import kind_of, repeated
from indirectml.opencl.words import word_launches
from indirectml.plans import WordStep


@word_launches("dequantize_blocks", needs=("multiply float32",))
def dequantize_blocks(step: WordStep, abilities: Abilities) -> Iterable[Launch] | None:
    """Return differences of integers times scales."""
    (x, scale, zero), y = step.inputs, step.outputs[0]
    assert x is not None  # noqa: S101
    assert scale is not None  # noqa: S101
    order = range(len(x.sizes))
    blocks = [n // scale.sizes[k] for k, n in enumerate(x.sizes)]
    strides = [x.strides, y.strides, *(repeated(v, x.sizes, order) for v in (scale, zero))]
    axes = [(x.sizes[k], blocks[k], *(own[k] for own in strides)) for k in reversed(order)]
    count = x.element_count
    arguments = (x, scale, zero, y, Table.of(axes), np.int32(len(axes)), np.uint64(count))
    source = Source(
        ("elements.cl", "blocks.cl"),
        (f"X={kind_of(x)}", f"SCALE={kind_of(scale)}", f"Y={kind_of(y)}"),
    )
    return [Launch("dequantize_blocks", source, arguments, *over(count))]
