"""Windows that slide, by Gather, where ONNX has no operator for them or a runtime lacks it."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from indirectml.arithmetic.windows import Window
from indirectml.onnx_export.building import Array, Builder, Value


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
