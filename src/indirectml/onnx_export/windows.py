"""Windows that slide: in the words of ONNX, or by Gather.

ONNX Runtime refuses padding that is as wide as a window, and has no gradients. Where windows lie is
known when a model is written.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from indirectml.arithmetic.windows import Window, divisors
from indirectml.onnx_export.building import Array, Builder, Value
from indirectml.onnx_export.forms import Node

#: The opset from which AveragePool has dilations.
_DILATED_AVERAGES = 19


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


def surrounded(b: Builder, x: Value, axis: int, before: int, after: int, fill: Array) -> Value:
    """Return a value with elements before and after it along an axis, every bit kept."""
    parts = [x]
    for place, count in ((0, before), (2, after)):
        if count:
            sizes = [*x.sizes[:axis], count, *x.sizes[axis + 1 :]]
            parts.insert(place, b.expand(b.constant(fill.reshape(1)), sizes))
    return b.concat(parts, axis)


def unfolded(
    b: Builder, x: Value, window: Window, fill: Array, *, positions_first: bool = False
) -> Value:
    """Return the elements of every window.

    Parameters
    ----------
    b : Builder
        What nodes are added to.
    x : Value
        [N, C, spatial ...].
    window : Window
        Where windows lie.
    fill : array
        What padding is.
    positions_first : bool
        Whether positions stand before the windows.

    Returns
    -------
    Value
        [N, C, windows ..., positions ...], each as many as there are spatial dimensions.
    """
    spatial = len(window.sizes)
    counts = window.output_sizes(x.sizes)
    for k in reversed(range(spatial)):
        axis = 2 + k
        x = surrounded(b, x, axis, window.start_padding[k], window.end_padding[k], fill)
        index = (
            np.arange(counts[k])[:, None] * window.strides[k]
            + np.arange(window.sizes[k]) * window.dilations[k]
        )
        x = b.gather(x, b.constant(index, np.int64), axis)
    windows, positions = range(2, 2 + 2 * spatial, 2), range(3, 3 + 2 * spatial, 2)
    order: Sequence[int] = (
        (0, 1, *positions, *windows) if positions_first else (0, 1, *windows, *positions)
    )
    return b.transpose(x, order)


def averages(b: Builder, x: Value, window: Window, *, with_padding: bool) -> Value:
    """Return averages of windows: AveragePool, or sums of what `unfolded` returns."""
    sizes = (*x.sizes[:2], *window.output_sizes(x.sizes))
    if has_narrow_padding(window):
        attributes = attributes_of(window)
        since = _DILATED_AVERAGES if attributes["dilations"] else 0
        return b.add(
            "AveragePool", x, sizes=sizes, since=since, count_include_pad=int(with_padding),
            **attributes,
        )  # fmt: skip
    found = unfolded(b, x, window, np.zeros(1, x.dtype))
    total = b.reduce("ReduceSum", found, range(x.rank, found.rank), keep=False)
    counts = divisors(x.sizes, window, include_padding=with_padding)
    return b.add("Div", total, b.constant(counts, x.dtype))


def added_back(b: Builder, parts: Value, window: Window, spatial: Sequence[int]) -> Value:
    """Return the sums of what `unfolded`, positions first, would take from each element."""
    count = math.prod(spatial)
    inside = np.arange(1, count + 1).reshape(spatial)
    places = window.positions(window.padded(inside), window.output_sizes(spatial))
    numbers = np.concatenate([place.reshape(-1) for place in places]) - 1
    order = np.argsort(numbers, kind="stable")
    order = order[numbers[order] >= 0]  # the others lie on padding
    elements = numbers[order]
    ranks = np.arange(len(elements)) - np.searchsorted(elements, np.arange(count))[elements]
    # What there is no more of is the 0 behind all others.
    sources = np.full((count, int(ranks.max(initial=0)) + 1), len(numbers))
    sources[elements, ranks] = order
    flat = b.reshape(parts, (*parts.sizes[:2], len(numbers)))
    nothing = b.expand(b.number(0, parts.dtype), (*parts.sizes[:2], 1))
    each = b.gather(b.concat([flat, nothing], 2), b.constant(sources, np.int64), 2)
    total = b.reduce("ReduceSum", each, [3], keep=False)
    return b.reshape(total, (*parts.sizes[:2], *spatial))
