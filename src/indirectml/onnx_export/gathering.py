"""ONNX forms of what gathers and scatters by indices.

ONNX leaves indices out of range undefined, and ONNX Runtime refuses them. So they are clamped
before something is read by them, and what they would write goes to a place that is cut off.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from indirectml.onnx_export.building import INT64, Builder, Value
from indirectml.onnx_export.forms import Node, form
from indirectml.onnx_export.words import extreme, filled, limited


def clamped(b: Builder, indices: Value, sizes: Sequence[int]) -> Value:
    """Return indices of INT64 in range, those from the end negative still.

    `sizes` are one size for all indices, or one for each element of their last dimension.
    """
    if indices.dtype.kind == "u":
        # Before the cast, under which large ones would become negative.
        indices = b.add("Min", indices, _limits(b, [n - 1 for n in sizes], indices.dtype))
        return b.cast(indices, INT64)
    if len(sizes) == 1:
        limits, size = np.iinfo(indices.dtype), sizes[0]
        low, high = max(-size, int(limits.min)), min(size - 1, int(limits.max))
        return b.cast(limited(b, indices, low, high), INT64)
    indices = b.cast(indices, INT64)
    lows, highs = _limits(b, [-n for n in sizes], INT64), _limits(b, [n - 1 for n in sizes], INT64)
    return extreme(b, "Min", extreme(b, "Max", indices, lows), highs)


def _limits(b: Builder, numbers: Sequence[int], dtype: Any) -> Value:
    if len(numbers) == 1:
        return b.number(numbers[0], dtype)
    return b.constant(np.array(numbers, dtype))


def positions(b: Builder, indices: Value, sizes: Sequence[int]) -> tuple[Value, Value]:
    """Return indices of INT64 from 0, and which of them are in range; others are anything."""
    if indices.dtype.kind == "u":
        indices = b.cast(b.add("Min", indices, _limits(b, sizes, indices.dtype)), INT64)
        return indices, b.add("Less", indices, _limits(b, sizes, INT64), dtype=bool)
    indices = b.cast(indices, INT64)
    above = b.add("GreaterOrEqual", indices, _limits(b, [-n for n in sizes], INT64), dtype=bool)
    below = b.add("Less", indices, _limits(b, sizes, INT64), dtype=bool)
    is_negative = b.add("Less", indices, 0, dtype=bool)
    moved = b.where(is_negative, b.add("Add", indices, _limits(b, sizes, INT64)), indices)
    return moved, b.add("And", above, below)


def _last(b: Builder, x: Value, count: int) -> Value:
    """Return a value without the leading dimensions of size 1 that do not count."""
    return b.reshape(x, x.sizes[x.rank - count :])


@form("GATHER")
def gathered(node: Node, x: Value, indices: Value) -> Value:
    """Clip and Gather."""
    b = node.b
    own = clamped(b, indices, [x.sizes[node["axis"]]])
    own = _last(b, own, node["index_dimensions"])
    return b.reshape(b.gather(x, own, node["axis"]), node["output_tensor"].sizes)


@form("GATHER_ELEMENTS")
def gathered_elements(node: Node, x: Value, indices: Value) -> Value:
    """Clip and GatherElements."""
    b = node.b
    own = clamped(b, indices, [x.sizes[node["axis"]]])
    return b.add("GatherElements", x, own, sizes=own.sizes, axis=node["axis"])


@form("GATHER_ND1")
def gathered_parts(node: Node, x: Value, indices: Value) -> Value:
    """Max, Min and GatherND."""
    b = node.b
    x = _last(b, x, node["input_dimension_count"])
    indices = _last(b, indices, node["indices_dimension_count"])
    batch = node["batch_dimension_count"]
    count = indices.sizes[-1]
    own = clamped(b, indices, x.sizes[batch : batch + count])
    sizes = (*own.sizes[:-1], *x.sizes[batch + count :])
    found = b.add("GatherND", x, own, sizes=sizes, batch_dims=batch)
    return b.reshape(found, node["output_tensor"].sizes)


@form("SCATTER")
def scattered_elements(node: Node, x: Value, indices: Value, updates: Value) -> Value:
    """ScatterElements into one element more, which takes what is out of range, and Slice."""
    b = node.b
    axis, size = node["axis"], x.sizes[node["axis"]]
    own, is_inside = positions(b, indices, [size])
    more = list(x.sizes)
    more[axis] = 1
    room = b.concat([x, filled(b, 0, more, x.dtype)], axis)
    own = b.where(is_inside, own, size)
    found = b.add("ScatterElements", room, own, updates, sizes=room.sizes, axis=axis)
    return b.slice(found, [0], [size], [axis])


@form("SCATTER_ND")
def scattered_parts(node: Node, x: Value, indices: Value, updates: Value) -> Value:
    """ScatterND of rows, with one row more for what is out of range, and Slice."""
    b = node.b
    sizes = x.sizes[x.rank - node["input_dimension_count"] :]
    indices = _last(b, indices, node["indices_dimension_count"])
    count = indices.sizes[-1]
    own, rest = sizes[:count], sizes[count:]
    at, is_inside = positions(b, indices, own)
    rows, width = math.prod(own), math.prod(rest)
    steps = [math.prod(own[k + 1 :]) for k in range(count)]
    place = b.reduce("ReduceSum", b.add("Mul", at, b.integers(steps)), [indices.rank - 1])
    outside = b.add("Not", is_inside)
    missed = b.reduce("ReduceSum", b.cast(outside, INT64), [indices.rank - 1])
    place = b.where(b.add("Greater", missed, 0, dtype=bool), rows, place)
    place = b.reshape(place, [place.count, 1])
    room = b.concat([b.reshape(x, [rows, width]), filled(b, 0, (1, width), x.dtype)], 0)
    new = b.reshape(updates, [place.count, width])
    found = b.add("ScatterND", room, place, new, sizes=room.sizes)
    return b.reshape(b.slice(found, [0], [rows]), x.sizes)


#: What ONNX Runtime has OneHot of.
_ONE_HOT = (np.dtype(np.float32), np.dtype(np.int64))


@form("ONE_HOT")
def one_hot_encoded(node: Node, indices: Value, values: Value) -> Value:
    """OneHot, or of other data types Equal and Gather."""
    b = node.b
    axis, sizes = node["axis"], node["output_tensor"].sizes_tuple
    length = sizes[axis]
    pair = b.slice(b.reshape(values, [values.count]), [0], [2])
    if indices.dtype.kind == "u":
        indices = b.add("Min", indices, length)
    own = b.cast(indices, INT64)
    if values.dtype in _ONE_HOT:
        # ONNX has no number as indices; of one a row is made.
        all_sizes = sizes if len(sizes) > 1 else (*sizes, 1)
        own = b.reshape(own, (*all_sizes[:axis], *all_sizes[axis + 1 :]))
        made = b.add(
            "OneHot", own, b.constant(length, np.int64), pair, dtype=values.dtype, sizes=all_sizes,
            axis=axis,
        )  # fmt: skip
        return b.reshape(made, sizes)
    at, is_inside = positions(b, own, [length])
    line = np.arange(length).reshape([length if k == axis else 1 for k in range(len(sizes))])
    is_hot = b.add("Equal", at, b.constant(line, np.int64), dtype=bool)
    is_hot = b.add("And", is_hot, is_inside)
    return b.gather(pair, b.cast(is_hot, INT64))
