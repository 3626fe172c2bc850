"""Elements gathered by indices."""

from __future__ import annotations

import math

import numpy as np

from indirectml.core.errors import ModelError, shown
from indirectml.onnx_import.nodes import Node, handler
from indirectml.onnx_import.values import MOST_DIMENSIONS, Array, Value, viewed
from indirectml.operators.functions import gather, gather_elements, gather_nd


def _checked(indices: Array | None, size: int) -> None:
    """Refuse indices that are known and out of range."""
    if indices is not None and indices.size:
        lowest, highest = int(indices.min()), int(indices.max())
        if lowest < -size or highest >= size:
            raise ModelError(
                f"needs indices from {-size} to {size - 1}",
                given=shown(lowest if lowest < -size else highest),
            )


@handler("Gather")
def gathered(node: Node) -> Value:
    """Return the parts of a tensor along an axis that indices name."""
    value, indices = node.value(0), node.value(1)
    axis = node.axis(value.rank)
    size = value.shape[axis]
    _checked(indices.array, size)
    before, behind = value.shape[:axis], value.shape[axis + 1 :]
    shape = (*before, *indices.shape, *behind)
    if value.array is not None and indices.array is not None:
        return Value(np.asarray(np.take(value.array, indices.array, axis)))
    if 0 in shape:
        return Value(np.empty(shape, value.dtype))
    x = viewed(node.expression(0), (math.prod(before), size, math.prod(behind)))
    flat = viewed(node.expression(1), (1, 1, indices.count))
    return node.made(gather(x, flat, axis=1, index_dimensions=1), shape, value.dtype)


@handler("GatherElements", since=11)
def gathered_elements(node: Node) -> Value:
    """Return the elements that indices name along an axis."""
    value, indices = node.value(0), node.value(1)
    axis = node.axis(value.rank)
    _checked(indices.array, value.shape[axis])
    if 0 in indices.shape:
        return Value(np.empty(indices.shape, value.dtype))
    result = gather_elements(node.expression(0), node.expression(1), axis=axis)
    return Value(result, dtype=value.dtype)


@handler("GatherND", since=11)
def gathered_parts(node: Node) -> Value:
    """Return the parts of a tensor that tuples of indices name."""
    value, indices = node.value(0), node.value(1)
    batch = node.attribute("batch_dims", 0)
    count = indices.shape[-1] if indices.rank else 0
    if not 0 <= batch < min(value.rank, indices.rank) or not 1 <= count <= value.rank - batch:
        raise ModelError(
            "needs tuples of indices within the dimensions of the input",
            given=f"{count} for sizes {list(value.shape)}, and batch_dims {batch}",
        )
    for place in range(count):
        known = None if indices.array is None else indices.array[..., place]
        _checked(known, value.shape[batch + place])
    rest = value.shape[batch + count :]
    shape = (*indices.shape[:-1], *rest)
    if 0 in shape:
        return Value(np.empty(shape, value.dtype))
    # What stays together of the input, and of the tuples, is one dimension: any number has room.
    lead = value.shape[:batch]
    x = viewed(node.expression(0), (*lead, *value.shape[batch : batch + count], math.prod(rest)))
    tuples = viewed(node.expression(1), (*lead, math.prod(indices.shape[batch:-1]), count))
    rank = max(len(x.shape), len(tuples.shape))
    if rank > MOST_DIMENSIONS:
        raise ModelError(f"needs at most {MOST_DIMENSIONS} dimensions", given=f"{rank}")
    result = gather_nd(
        viewed(x, (1,) * (rank - len(x.shape)) + x.shape),
        viewed(tuples, (1,) * (rank - len(tuples.shape)) + tuples.shape),
        input_dimension_count=len(x.shape),
        indices_dimension_count=len(tuples.shape),
        batch_dimension_count=batch,
    )
    return node.made(result, shape, value.dtype)
