"""Windows of pooling without ONNX's pooling, by what Gather takes.

ONNX Runtime refuses padding that is as wide as a window, and has no gradients. Where windows lie is
known when a model is written.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from indirectml.arithmetic.windows import Window
from indirectml.onnx_export.building import Array, Builder, Value
from indirectml.onnx_export.forms import Node


def window_of(node: Node) -> Window:
    """Return the windows of a pooling operator, of any version."""
    ones = (1,) * len(node["strides"])
    dilations = getattr(node.desc, "dilations", None) or ones
    return Window(
        node["window_size"], node["strides"], dilations, node["start_padding"], node["end_padding"]
    )


def attributes_of(window: Window) -> dict[str, Any]:
    """Return ONNX's attributes of windows; dilations that are all 1 are left out."""
    is_dilated = any(n != 1 for n in window.dilations)
    return {
        "kernel_shape": list(window.sizes),
        "strides": list(window.strides),
        "pads": [*window.start_padding, *window.end_padding],
        "dilations": list(window.dilations) if is_dilated else None,
    }


def has_narrow_padding(window: Window) -> bool:
    """Whether ONNX Runtime takes the padding: less than a window along each axis."""
    pairs = zip(window.start_padding, window.end_padding, window.sizes, strict=True)
    return all(max(start, end) < size for start, end, size in pairs)


def elements_of_windows(b: Builder, x: Value, window: Window, outside: float) -> Value:
    """Return the elements of all windows: batch, channels, positions in a window, windows."""
    spatial = x.sizes[2:]
    numbers = _elements(window, spatial)
    flat = b.reshape(x, (*x.sizes[:2], math.prod(spatial)))
    filling = b.constant(np.full((*x.sizes[:2], 1), outside, x.dtype))
    return b.gather(b.concat([flat, filling], 2), b.constant(numbers), 2)


def added_back(b: Builder, parts: Value, window: Window, spatial: Sequence[int]) -> Value:
    """Return the sums of what `elements_of_windows` would take from each element."""
    numbers = _elements(window, spatial).reshape(-1)
    count = math.prod(spatial)
    order = np.argsort(numbers, kind="stable")
    order = order[numbers[order] < count]
    elements = numbers[order]
    firsts = np.searchsorted(elements, np.arange(count))
    ranks = np.arange(len(elements)) - firsts[elements]
    sources = np.full((count, int(ranks.max(initial=0)) + 1), len(numbers))
    sources[elements, ranks] = order
    flat = b.reshape(parts, (*parts.sizes[:2], len(numbers)))
    filling = b.constant(np.zeros((*parts.sizes[:2], 1), parts.dtype))
    each = b.gather(b.concat([flat, filling], 2), b.constant(sources), 2)
    total = b.reduce("ReduceSum", each, [3], keep=False)
    return b.reshape(total, (*parts.sizes[:2], *spatial))


def _elements(window: Window, spatial: Sequence[int]) -> Array:
    """Return the number of the element at each position of each window; their count for padding."""
    inside = np.arange(1, math.prod(spatial) + 1).reshape(spatial)
    places = window.positions(window.padded(inside), window.output_sizes(spatial))
    numbers = np.stack([place.reshape(-1) for place in places]) - 1
    return np.where(numbers < 0, math.prod(spatial), numbers)
