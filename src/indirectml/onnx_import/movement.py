"""Elements moved, not changed: other sizes and orders as views; joined, cut, repeated."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from indirectml.core.errors import ModelError, shown
from indirectml.graphs.expressions import broadcast
from indirectml.onnx_import.nodes import Node, Results, counted_all, handler
from indirectml.onnx_import.values import (
    MOST_DIMENSIONS,
    Shape,
    Value,
    checked_shape,
    merged_shapes,
    nothing,
    sizes_of,
    transposed,
    viewed,
)
from indirectml.operators.functions import join, split, tile
from indirectml.operators.functions import slice as cut

# ---- other sizes ----


def reshaped(node: Node, shape: Sequence[int]) -> Value:
    """Return the first input in other sizes, of as many elements: a view.

    Raises
    ------
    ModelError
        There are more or fewer elements.
    """
    value = node.value(0)
    if math.prod(shape) != value.count or any(size < 0 for size in shape):
        raise ModelError(
            f"needs sizes of {value.count} elements, as {list(value.shape)} has",
            given=shown(list(shape)),
        )
    if value.array is not None:
        if not value.array.flags.c_contiguous:
            node.take(value.shape, value.dtype)
        return Value(value.array.reshape(checked_shape(shape)))
    return node.made(node.expression(0), shape, value.dtype)


@handler("Reshape", since=5)
def in_sizes(node: Node) -> Value:
    """Return the elements in given sizes: 0 stands for the input's, one -1 for the rest."""
    shape = node.integers(1)
    own = node.value(0).shape
    if not node.attribute("allowzero"):
        shape = [
            own[axis] if size == 0 and axis < len(own) else size for axis, size in enumerate(shape)
        ]
    if shape.count(-1) == 1:
        others = -math.prod(shape)
        shape[shape.index(-1)] = node.value(0).count // others if others > 0 else 0
    return reshaped(node, shape)


@handler("Flatten")
def as_matrix(node: Node) -> Value:
    """Return the elements as a matrix: what is before the axis, and what is behind."""
    shape = node.value(0).shape
    axis = node.attribute("axis", 1)
    if not -len(shape) <= axis <= len(shape):
        raise ModelError(f"needs an axis from {-len(shape)} to {len(shape)}", given=f"{axis}")
    axis += len(shape) if axis < 0 else 0
    return reshaped(node, (math.prod(shape[:axis]), math.prod(shape[axis:])))


def _axes(node: Node) -> list[int] | None:
    """Return the axes of an attribute, or of the second input; None if there are none."""
    if node.has(1):
        return node.integers(1)
    axes: list[int] | None = node.attribute("axes")
    return axes


@handler("Squeeze")
def without_ones(node: Node) -> Value:
    """Return the elements without some dimensions of size 1, or without all."""
    shape = node.value(0).shape
    given = _axes(node)
    if given is None:
        return reshaped(node, [size for size in shape if size != 1])
    axes = counted_all(given, len(shape))
    if any(shape[axis] != 1 for axis in axes):
        raise ModelError(f"needs axes of size 1 of {list(shape)}", given=shown(given))
    return reshaped(node, [size for axis, size in enumerate(shape) if axis not in axes])


@handler("Unsqueeze")
def with_ones(node: Node) -> Value:
    """Return the elements with further dimensions of size 1."""
    given = _axes(node)
    if given is None:
        raise ModelError("needs axes", given="none")
    rest = iter(node.value(0).shape)
    rank = node.value(0).rank + len(given)
    axes = counted_all(given, rank)
    return reshaped(node, [1 if axis in axes else next(rest) for axis in range(rank)])


@handler("Transpose")
def in_order(node: Node) -> Value:
    """Return the dimensions in another order: a view."""
    value = node.value(0)
    order = counted_all(node.attribute("perm") or range(value.rank)[::-1], value.rank, "perm")
    if len(order) != value.rank:
        raise ModelError(f"needs {value.rank} dimensions", given=shown(list(order)), field="perm")
    if value.array is not None:
        return Value(value.array.transpose(order))
    shape = tuple(value.shape[axis] for axis in order)
    if value.rank <= 1:
        return value
    x = node.expression(0)
    if value.rank > MOST_DIMENSIONS:
        sizes, order = _together(value.shape, order)
        if len(sizes) > MOST_DIMENSIONS:
            raise ModelError(f"needs at most {MOST_DIMENSIONS} dimensions", given=f"{value.rank}")
        x = node.made(x, sizes).expression(node.graph)
    return node.made(transposed(x, order), shape, value.dtype)


def _together(shape: Shape, order: Shape) -> tuple[Shape, Shape]:
    """Return sizes and order with dimensions made one that stay behind each other."""
    runs: list[list[int]] = []
    for axis in order:
        if runs and axis == runs[-1][-1] + 1:
            runs[-1].append(axis)
        else:
            runs.append([axis])
    ordered = sorted(runs)
    sizes = tuple(math.prod(shape[axis] for axis in run) for run in ordered)
    return sizes, tuple(ordered.index(run) for run in runs)


@handler("Expand", since=8)
def expanded(node: Node) -> Value:
    """Return the elements repeated along dimensions of size 1: a view."""
    value = node.value(0)
    asked = node.integers(1)
    try:
        shape = np.broadcast_shapes(value.shape, tuple(asked))
    except ValueError:
        raise ModelError(
            f"needs sizes that {list(value.shape)} can be repeated to", given=shown(asked)
        ) from None
    if value.array is not None:
        return Value(np.broadcast_to(value.array, shape))
    if 0 in shape:
        return nothing(shape, value.dtype)
    x = node.expression(0)
    if len(shape) <= MOST_DIMENSIONS:
        return Value(broadcast(x, sizes_of(shape)), shape, value.dtype)
    given = (1,) * (len(shape) - value.rank) + value.shape
    sizes, repeated = merged_shapes([given, shape])
    if len(sizes) > MOST_DIMENSIONS:
        raise ModelError(f"needs at most {MOST_DIMENSIONS} dimensions", given=f"{len(shape)}")
    return node.made(broadcast(viewed(x, sizes), repeated), shape, value.dtype)


# ---- joined and cut ----


@handler("Concat", since=4)
def joined(node: Node) -> Value:
    """Return tensors one behind the other along an axis."""
    values = [node.value(index) for index in range(len(node.inputs))]
    axis = node.axis(values[0].rank)
    arrays = [value.array for value in values]
    if all(array is not None for array in arrays):
        for value in values:
            node.take(value.shape, value.dtype)
        return Value(np.concatenate([a for a in arrays if a is not None], axis))
    some = [value for value in values if value.count]
    result = (
        some[0].expression(node.graph)
        if len(some) == 1
        else join([value.expression(node.graph) for value in some], axis=axis)
    )
    return Value(result, dtype=values[0].dtype)


@handler("Split")
def parts(node: Node) -> Results:
    """Return the parts of a tensor along an axis."""
    value = node.value(0)
    axis = node.axis(value.rank)
    size = value.shape[axis]
    count = node.attribute("num_outputs", len(node.wanted))
    if count != len(node.wanted):
        raise ModelError(f"needs {len(node.wanted)}, as the node has outputs", given=f"{count}",
                         field="attribute num_outputs")  # fmt: skip
    given = node.integers(1) if node.has(1) else node.attribute("split")
    if given is None:
        each = -(-size // count)
        given = [min(each, max(size - each * k, 0)) for k in range(count)]
    if sum(given) != size or len(given) != len(node.wanted) or any(part < 0 for part in given):
        raise ModelError(
            f"needs {len(node.wanted)} sizes that add up to {size}", given=shown(list(given))
        )
    if value.array is not None:
        ends = np.cumsum(given)[:-1]
        return tuple(np.split(value.array, ends, axis))
    some = [part for part in given if part]
    x = node.expression(0)
    made = iter(split(x, axis=axis, output_axis_sizes=some) if len(some) > 1 else [x])
    none = (*value.shape[:axis], 0, *value.shape[axis + 1 :])
    return tuple(
        Value(next(made), dtype=value.dtype) if part else nothing(none, value.dtype)
        for part in given
    )


@handler("Slice")
def window_of_attributes(node: Node) -> Value:
    """Return the elements between starts and ends, which the node has."""
    starts, ends = node.attribute("starts"), node.attribute("ends")
    axes = node.attribute("axes") or range(len(starts))
    return sliced(node, starts, ends, list(axes), [1] * len(starts))


@handler("Slice", since=10)
def window(node: Node) -> Value:
    """Return the elements between starts and ends, every so many of them."""
    starts, ends = node.integers(1), node.integers(2)
    axes = node.integers(3) if node.has(3) else list(range(len(starts)))
    return sliced(node, starts, ends, axes, node.integers(4) if node.has(4) else [1] * len(starts))


def sliced(
    node: Node,
    starts: Sequence[int],
    ends: Sequence[int],
    axes: Sequence[int],
    steps: Sequence[int],
) -> Value:
    """Return the elements of the first input that Python's slices along some axes name.

    Raises
    ------
    ModelError
        There are not as many of each, an axis is none, or a step is 0.
    """
    value = node.value(0)
    if not len(starts) == len(ends) == len(axes) == len(steps):
        counts = [len(starts), len(ends), len(axes), len(steps)]
        raise ModelError("needs as many starts, ends, axes and steps", given=f"{counts}")
    if 0 in steps:
        raise ModelError("needs steps other than 0", given=shown(list(steps)))
    slices = [slice(None)] * value.rank
    for axis, *each in zip(counted_all(axes, value.rank), starts, ends, steps, strict=True):
        slices[axis] = slice(*each)
    if value.array is not None:
        return Value(value.array[tuple(slices)])
    chosen = [range(size)[each] for size, each in zip(value.shape, slices, strict=True)]
    shape = tuple(map(len, chosen))
    if 0 in shape:
        return nothing(shape, value.dtype)
    if shape == value.shape and all(each.step == 1 for each in chosen):
        return value
    result = cut(
        node.expression(0),
        input_window_offsets=[min(each[0], each[-1]) for each in chosen],
        input_window_sizes=[abs(each[-1] - each[0]) + 1 for each in chosen],
        input_window_strides=[each.step for each in chosen],
    )
    return Value(result, shape, value.dtype)


@handler("Tile", since=6)
def repeated(node: Node) -> Value:
    """Return a tensor repeated along each dimension."""
    value = node.value(0)
    repeats = node.integers(1)
    if len(repeats) != value.rank or any(number < 0 for number in repeats):
        raise ModelError(f"needs {value.rank} numbers from 0 up", given=shown(repeats))
    sizes = zip(value.shape, repeats, strict=True)
    shape = checked_shape(size * number for size, number in sizes)
    if value.array is not None:
        node.take(shape, value.dtype)
        return Value(np.tile(value.array, repeats))
    if 0 in shape:
        return nothing(shape, value.dtype)
    if shape == value.shape:
        return value
    return Value(tile(node.expression(0), repeats=repeats), shape, value.dtype)
