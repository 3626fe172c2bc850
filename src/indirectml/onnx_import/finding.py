"""What has as many results as it finds, of tensors that are known while loading."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from indirectml.core.errors import ModelError
from indirectml.onnx_import.nodes import Node, UnsizedError, handler
from indirectml.onnx_import.values import Array, Value

#: A box has four numbers, and stands among those of a batch.
_BOX_DIMENSIONS = 3


@handler("NonZero", since=9, is_folded=False)
def places(node: Node) -> Value:
    """Return where elements are not zero."""
    (known,) = _all_known(node)
    assert known is not None  # noqa: S101 (the schema asks for it)
    node.take((2 * known.ndim, known.size), np.int64)
    return Value(np.array(np.nonzero(known), np.int64))


def _all_known(node: Node) -> list[Array | None]:
    """Return the inputs.

    Raises
    ------
    UnsizedError
        One depends on inputs of the model.
    """
    if any(value is not None and not value.is_known for value in node.inputs):
        raise UnsizedError("has outputs whose sizes depend on data; DirectML's sizes are fixed")
    return [None if value is None else value.array for value in node.inputs]


@handler("Unique", since=11, is_folded=False)
def distinct(node: Node) -> tuple[Array, ...]:
    """Return what there is without repetitions, where each stands first, which is where, counts."""
    (x, *_) = _all_known(node)
    assert x is not None  # noqa: S101 (the schema asks for it)
    node.take((8, *x.shape), np.int64)
    axis = None if node.attribute("axis") is None else node.axis(x.ndim)
    values, first, which, counts = np.unique(
        x, return_index=True, return_inverse=True, return_counts=True, axis=axis
    )
    which = which.reshape(-1)
    if not node.attribute("sorted", 1):
        order = np.argsort(first)
        values = np.take(values, order, 0 if axis is None else axis)
        first, counts, which = first[order], counts[order], np.argsort(order)[which]
    return values, *(each.astype(np.int64) for each in (first, which, counts))


@handler("NonMaxSuppression", since=10, is_folded=False)
def kept_boxes(node: Node) -> Array:
    """Return batch, class and number of boxes, the best first, without those that lie on better.

    Areas are computed in FLOAT32, each operation rounded; of equal scores the first box comes
    first; one of no area lies on none.
    """
    boxes, scores, *limits = _all_known(node)
    if boxes is None or scores is None or boxes.ndim != _BOX_DIMENSIONS != scores.ndim:
        raise ModelError("needs boxes and scores of three dimensions")
    if boxes.shape[::2] != (scores.shape[0], 4) or boxes.shape[1] != scores.shape[2]:
        raise ModelError(
            "needs four numbers of each box, and a score of each for each class",
            given=f"{list(boxes.shape)} and {list(scores.shape)}",
        )
    most, overlap, least = (
        None if array is None else array.reshape(-1)[0].item()
        for array in (*limits, None, None, None)[:3]
    )
    corners = _corners(boxes, is_centered=bool(node.attribute("center_point_box", 0)))
    count = min(boxes.shape[1], max(most or 0, 0))
    node.take((*scores.shape[:2], count + 1, boxes.shape[1], 8), np.float32)
    found = [
        (batch, group, box)
        for batch, group in np.ndindex(*scores.shape[:2])
        for box in _best(corners[batch], scores[batch, group], count, overlap or 0.0, least)
    ]
    return np.array(found, np.int64).reshape(-1, 3)


def _corners(boxes: Array, *, is_centered: bool) -> Array:
    """Return boxes by their lower and upper corner: [batch, box, corner, dimension]."""
    pairs = boxes.astype(np.float32).reshape(*boxes.shape[:2], 2, 2)
    if is_centered:
        center, half = pairs[:, :, 0], pairs[:, :, 1] / np.float32(2)
        return np.stack([center - half, center + half], 2)
    return np.sort(pairs, 2)


def _best(
    corners: Array, scores: Array, most: int, overlap: float, least: float | None
) -> Iterator[int]:
    """Yield the numbers of the boxes of one class that are kept."""
    order: Any = np.argsort(-scores, kind="stable")
    if least is not None:
        order = order[scores[order] > least]
    areas = np.prod(corners[:, 1] - corners[:, 0], -1)
    while order.size and most:
        box, most = order[0], most - 1
        yield int(box)
        low = np.maximum(corners[order, 0], corners[box, 0])
        high = np.minimum(corners[order, 1], corners[box, 1])
        common = np.prod(np.maximum(high - low, np.float32(0)), -1)
        both = areas[order] + areas[box] - common
        has_area = (areas[order] > 0) & (areas[box] > 0) & (both > 0)
        share = np.divide(common, both, out=np.zeros_like(common), where=has_area)
        is_left = share <= np.float32(overlap)
        is_left[0] = False
        order = order[is_left]
