"""Elements gathered and scattered by indices."""

from __future__ import annotations

import math

import numpy as np

from indirectml.core.errors import ModelError, shown
from indirectml.graphs.expressions import Expression, broadcast
from indirectml.onnx_import.few_bits import rows_of_postponed
from indirectml.onnx_import.nodes import Node, handler
from indirectml.onnx_import.scattering import elements_reduced, parts_reduced, reduction_of
from indirectml.onnx_import.values import (
    MOST_DIMENSIONS,
    Array,
    Value,
    nothing,
    number_like,
    viewed,
)
from indirectml.operators.functions import (
    add,
    cast,
    gather,
    gather_elements,
    gather_nd,
    modulus_floor,
    one_hot,
    scatter_elements,
    scatter_nd,
)

#: What indices of ONE_HOT are.
_INDICES = ("int32", "int64", "uint32", "uint64")


def _checked(node: Node, indices: Array | None, size: int) -> None:
    """Refuse indices that are known and out of range."""
    if indices is not None and indices.size:
        node.take(indices.shape, indices.dtype)
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
    _checked(node, indices.array, size)
    before, behind = value.shape[:axis], value.shape[axis + 1 :]
    shape = (*before, *indices.shape, *behind)
    if not indices.is_known and 0 not in shape:
        rows = rows_of_postponed(value, indices, axis)
        if rows is not None:
            return node.made(rows, shape, value.dtype)
    if value.array is not None and indices.array is not None:
        node.take(shape, value.dtype)
        return Value(np.asarray(np.take(value.array, indices.array, axis)))
    if 0 in shape:
        return nothing(shape, value.dtype)
    x = viewed(node.expression(0), (math.prod(before), size, math.prod(behind)))
    flat = viewed(node.expression(1), (1, 1, indices.count))
    return node.made(gather(x, flat, axis=1, index_dimensions=1), shape, value.dtype)


@handler("ArrayFeatureExtractor", domain="ai.onnx.ml")
def features(node: Node) -> Value:
    """Return the columns of a tensor that indices name; of a vector a row."""
    value, indices = node.value(0), node.value(1)
    size = value.shape[-1] if value.rank else 1
    _checked(node, indices.array, size)
    rows, count = value.shape[:-1] if value.rank > 1 else (1,), indices.count
    if not count or 0 in value.shape:
        return nothing((*rows, count), value.dtype)
    x = viewed(node.expression(0), (1, math.prod(rows), size))
    flat = viewed(node.expression(1), (1, 1, count))
    return node.made(gather(x, flat, axis=2, index_dimensions=1), (*rows, count), value.dtype)


@handler("GatherElements", since=11)
def gathered_elements(node: Node) -> Value:
    """Return the elements that indices name along an axis."""
    value, indices = node.value(0), node.value(1)
    axis = node.axis(value.rank)
    _checked(node, indices.array, value.shape[axis])
    if 0 in indices.shape:
        return nothing(indices.shape, value.dtype)
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
        _checked(node, known, value.shape[batch + place])
    rest = value.shape[batch + count :]
    shape = (*indices.shape[:-1], *rest)
    if 0 in shape:
        return nothing(shape, value.dtype)
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


@handler("Scatter", "ScatterElements", since=9)
def scattered_elements(node: Node) -> Value:
    """Return a tensor with elements replaced where indices along an axis say."""
    value = node.value(0)
    axis = node.axis(value.rank)
    _checked(node, node.value(1).array, value.shape[axis])
    if 0 in node.value(1).shape:
        return value
    if (reduction := reduction_of(node)) is not None:
        return elements_reduced(node, reduction, axis)
    result = scatter_elements(node.expression(0), node.expression(1), node.expression(2), axis=axis)
    return Value(result, dtype=value.dtype)


@handler("ScatterND", since=11)
def scattered_parts(node: Node) -> Value:
    """Return a tensor with parts replaced where tuples of indices say."""
    value, indices, updates = (node.value(k) for k in range(3))
    count = indices.shape[-1] if indices.rank else 0
    if not 1 <= count <= value.rank or updates.shape != indices.shape[:-1] + value.shape[count:]:
        raise ModelError(
            "needs tuples of indices within the dimensions of the input, and a part for each",
            given=f"indices {list(indices.shape)} and updates {list(updates.shape)}",
        )
    for place in range(count):
        known = None if indices.array is None else indices.array[..., place]
        _checked(node, known, value.shape[place])
    if 0 in updates.shape:
        return value
    if (reduction := reduction_of(node)) is not None:
        return parts_reduced(node, reduction)
    # What stays together of the tuples is one dimension, as in gathering; of the input only where
    # it has too many: so a view of it may be a view of what it is written to.
    tuples = math.prod(indices.shape[:-1])
    rest = value.shape[count:] or (1,)
    if count + len(rest) > MOST_DIMENSIONS:
        rest = (math.prod(rest),)
    rank = count + len(rest)

    def with_ones(index: int, *sizes: int) -> Expression:
        return viewed(node.expression(index), (*(1,) * (rank - len(sizes)), *sizes))

    result = scatter_nd(
        with_ones(0, *value.shape[:count], *rest),
        with_ones(1, tuples, count),
        with_ones(2, tuples, *rest),
        input_dimension_count=rank,
        indices_dimension_count=2,
    )
    return node.made(result, value.shape, value.dtype)


@handler("OneHot", since=9)
def one_hot_encoded(node: Node) -> Value:
    """Return one of two values where the position along a new axis is the index, else the other."""
    indices, values = node.value(0), node.value(2)
    depth = node.integers(1)[0]
    axis = node.axis(indices.rank + 1, default=-1)
    before, behind = indices.shape[:axis], indices.shape[axis:]
    at = viewed(node.expression(0), (math.prod(before), 1, math.prod(behind)))
    if at.dtype.name not in _INDICES:
        at = cast(at, dtype=np.int32)
    pair = viewed(node.expression(2), (1, 1, 2))
    result = one_hot(at, pair, output_length=depth, axis=1)
    return node.made(result, (*before, depth, *behind), values.dtype)


@handler("Compress", since=9, is_folded=False)
def compressed(node: Node) -> Value:
    """Return the elements along an axis for which a condition holds, which has to be known."""
    value = node.value(0)
    node.take(node.value(1).shape, np.int64)
    chosen = np.flatnonzero(node.known(1))
    axis = node.attribute("axis")
    shape = (value.count,) if axis is None else value.shape
    place = 0 if axis is None else node.axis(value.rank)
    before, size, behind = shape[:place], shape[place], shape[place + 1 :]
    _checked(node, chosen, size)
    made = (*before, len(chosen), *behind)
    if 0 in made:
        return nothing(made, value.dtype)
    x = viewed(node.expression(0), (math.prod(before), size, math.prod(behind)))
    flat = node.graph.constant(chosen.astype(np.uint32).reshape(1, 1, -1))
    return node.made(gather(x, flat, axis=1, index_dimensions=1), made, value.dtype)


@handler("TensorScatter", since=24)
def cached(node: Node) -> Value:
    """Return a cache with an update written from an index on, which each batch has its own of."""
    value, update = node.value(0), node.value(1)
    axis = node.axis(value.rank, default=-2)
    mode = node.attribute("mode", "linear")
    sizes = zip(value.shape, update.shape, strict=False)
    expected = tuple(own if k == axis else n for k, (n, own) in enumerate(sizes))
    if mode not in ("linear", "circular") or not axis or update.shape != expected:
        raise ModelError(
            f"needs mode linear or circular, an axis behind the batch, and sizes {list(expected)}",
            given=f"{shown(mode)}, axis {axis}, sizes {list(update.shape)}",
        )
    size, count = value.shape[axis], update.shape[axis]
    steps = [count if k == axis else 1 for k in range(value.rank)]
    node.take([count], np.int64)
    places = node.graph.constant(np.arange(count, dtype=np.int64).reshape(steps))
    places = broadcast(places, update.shape)
    if node.has(2):
        batches = [value.shape[0], *[1] * (value.rank - 1)]
        starts = viewed(node.expression(2), batches)
        places = add(places, broadcast(starts, update.shape))
    if mode == "circular":
        places = modulus_floor(places, number_like(places, size))
    result = scatter_elements(node.expression(0), places, node.expression(1), axis=axis)
    return Value(result, dtype=value.dtype)
