"""ONNX forms of what moves elements: join, split, slice, tile. Every bit is kept."""

from __future__ import annotations

import itertools

import numpy as np

from indirectml.onnx_export.building import Value
from indirectml.onnx_export.forms import Node, form

#: ONNX's "before the first element", for slices that go down.
BEFORE_FIRST = -(1 << 62)


@form("JOIN")
def joined(node: Node, *inputs: Value) -> Value:
    """Concat."""
    return node.b.concat(inputs, node["axis"])


@form("SPLIT")
def parts(node: Node, x: Value) -> tuple[Value, ...]:
    """Split."""
    axis = node["axis"]
    sizes = [tensor.sizes_tuple for tensor in node.outputs if tensor is not None]
    lengths = node.b.integers(each[axis] for each in sizes)
    outputs = [(x.dtype, each) for each in sizes]
    return node.b.add_several("Split", [x, lengths], outputs, axis=axis)


@form("SLICE")
def sliced(node: Node, x: Value) -> Value:
    """Slice."""
    offsets, sizes, strides = (node[name] for name in ("offsets", "sizes", "strides"))
    ends = [o + (n - 1) * s + 1 for o, n, s in zip(offsets, sizes, strides, strict=True)]
    return node.b.slice(x, offsets, ends, steps=strides)


@form("SLICE1")
def window(node: Node, x: Value) -> Value:
    """Slice, downwards with a negative stride."""
    starts, ends = [], []
    steps = node["input_window_strides"]
    offsets, lengths = node["input_window_offsets"], node["input_window_sizes"]
    for offset, length, step, count in zip(offsets, lengths, steps, node.sizes, strict=True):
        start = offset if step > 0 else offset + length - 1
        end = start + (count - 1) * step + (1 if step > 0 else -1)
        starts.append(start)
        ends.append(end if end >= 0 else BEFORE_FIRST)
    return node.b.slice(x, starts, ends, steps=steps)


@form("TILE")
def tiled(node: Node, x: Value) -> Value:
    """Tile; of FLOAT16 Expand, since ONNX Runtime's Tile would quiet NaNs."""
    repeats = node["repeats"]
    if x.dtype != np.float16:
        return node.b.add("Tile", x, node.b.integers(repeats), sizes=node.sizes)
    # A new dimension before each that is repeated, which ONNX has as many of as it takes.
    b = node.b
    apart = list(itertools.chain(*((1, size) for size in x.sizes)))
    wide = list(itertools.chain(*zip(repeats, x.sizes, strict=True)))
    return b.reshape(b.expand(b.reshape(x, apart), wide), node.sizes)
