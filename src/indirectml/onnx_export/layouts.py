"""ONNX forms of what rearranges elements: padding, blocks, reversed sequences, windows."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from indirectml.arithmetic.basics import truncated_to
from indirectml.arithmetic.windows import Window
from indirectml.catalogue.enumerations import DepthSpaceOrder, PaddingMode
from indirectml.core.data_types import TensorDataType
from indirectml.onnx_export.building import INT64, Array, Value
from indirectml.onnx_export.forms import Node, form
from indirectml.onnx_export.windows import surrounded, unfolded
from indirectml.onnx_export.words import compared, extreme

#: ONNX's names of the modes that opset 18 has; SYMMETRIC is none of them, and WRAP came later.
_MODES = {
    PaddingMode.CONSTANT: "constant",
    PaddingMode.EDGE: "edge",
    PaddingMode.REFLECTION: "reflect",
}

#: What ONNX Runtime pads itself; the others are joined or gathered, and keep every bit.
_PADDED = ("float32", "float64", "int8", "uint8", "int32", "uint32", "int64", "uint64")


@form("PADDING1")
def padded_with_scalars(node: Node, x: Value) -> Value:
    """Pad; by Concat and Gather where ONNX Runtime has none."""
    data_type: TensorDataType = node["padding_value_data_type"]
    bits = node["padding_value"].bits(data_type)
    value = np.array(bits, f"u{data_type.item_bytes}").view(data_type.dtype)
    return _padded(node, x, value)


@form("PADDING")
def padded(node: Node, x: Value) -> Value:
    """As PADDING1, with a value that is rounded or truncated to the data type."""
    number = np.array([node["padding_value"]], np.float32)
    with np.errstate(over="ignore"):  # what a FLOAT16 cannot hold is infinite
        typed = number.astype(x.dtype) if x.is_float else truncated_to(number, x.dtype)
    return _padded(node, x, typed.reshape(()))


def _padded(node: Node, x: Value, value: Array) -> Value:
    b = node.b
    mode = node["padding_mode"]
    start, end = node["start_padding"], node["end_padding"]
    reach = [(max(pair), size) for *pair, size in zip(start, end, x.sizes, strict=True)]
    is_near = mode != PaddingMode.REFLECTION or all(most < size for most, size in reach)
    if mode in _MODES and x.dtype.name in _PADDED and is_near:
        pads = b.integers([*start, *end])
        given = b.constant(value) if mode == PaddingMode.CONSTANT else None
        return b.add("Pad", x, pads, given, sizes=node.sizes, mode=_MODES[mode])
    for axis, (before, after) in enumerate(zip(start, end, strict=True)):
        if not before and not after:
            continue
        if mode == PaddingMode.CONSTANT:
            x = surrounded(b, x, axis, before, after, value)
        else:
            numpy_mode: Any = _MODES.get(mode) or _OTHER_MODES[mode]
            index = np.pad(np.arange(x.sizes[axis]), (before, after), numpy_mode)
            x = b.gather(x, b.constant(index, np.int64), axis)
    return x


_OTHER_MODES = {PaddingMode.SYMMETRIC: "symmetric", PaddingMode.WRAP: "wrap"}


@form("SPACE_TO_DEPTH1")
def space_to_depth(node: Node, x: Value) -> Value:
    """Reshape, Transpose, Reshape, in either order of channels."""
    b = node.b
    n, c, h, w = x.sizes
    size = node["block_size"]
    blocks = b.reshape(x, [n, c, h // size, size, w // size, size])
    is_outer = node["order"] == DepthSpaceOrder.DEPTH_COLUMN_ROW
    axes = (0, 3, 5, 1, 2, 4) if is_outer else (0, 1, 3, 5, 2, 4)
    return b.reshape(b.transpose(blocks, axes), node.sizes)


@form("DEPTH_TO_SPACE1")
def depth_to_space(node: Node, x: Value) -> Value:
    """DepthToSpace of FLOAT32, and otherwise Reshape, Transpose, Reshape, which keep bits."""
    b = node.b
    n, c, h, w = x.sizes
    size = node["block_size"]
    is_outer = node["order"] == DepthSpaceOrder.DEPTH_COLUMN_ROW
    if x.dtype == np.float32:
        mode = "DCR" if is_outer else "CRD"
        return b.add("DepthToSpace", x, sizes=node.sizes, blocksize=size, mode=mode)
    inner = c // size**2
    blocks = [size, size, inner] if is_outer else [inner, size, size]
    axes = (0, 3, 4, 1, 5, 2) if is_outer else (0, 1, 4, 2, 5, 3)
    return b.reshape(b.transpose(b.reshape(x, [n, *blocks, h, w]), axes), node.sizes)


@form("REVERSE_SUBSEQUENCES")
def reversed_sequences(node: Node, x: Value, lengths: Value) -> Value:
    """GatherElements by numbers that go down as far as each sequence reaches."""
    b, axis = node.b, node["axis"]
    size = x.sizes[axis]
    position = b.constant(np.arange(size).reshape([-1] + [1] * (x.rank - axis - 1)), np.int64)
    limit = b.number(size, lengths.dtype)
    length = b.cast(extreme(b, "Min", lengths, limit), INT64)
    last = b.add("Sub", length, 1)
    is_turned = compared(b, "Less", position, length)
    source = b.where(is_turned, b.add("Sub", last, position), position)
    index = b.expand(source, x.sizes)
    return b.add("GatherElements", x, index, sizes=x.sizes, axis=axis)


# ---- windows as columns ----


def _window(node: Node) -> Window:
    return Window(
        node["window_sizes"],
        node["strides"],
        node["dilations"],
        node["start_padding"],
        node["end_padding"],
    )


@form("UNFOLD")
def columns(node: Node, x: Value) -> Value:
    """Pad with zeros, Gather along each dimension, Transpose, Reshape."""
    b = node.b
    window = _window(node)
    inner = b.reshape(x, x.sizes[x.rank - len(window.sizes) - 2 :])
    zero = np.zeros(1, x.dtype)
    return b.reshape(unfolded(b, inner, window, zero, positions_first=True), node.sizes)


@form("FOLD")
def folded(node: Node, x: Value) -> Value:
    """ScatterElements, which adds, and Slice; ONNX's Col2Im has no integers.

    ONNX leaves the order of sums open. Integers are added in INT64, modulo 2^bits.
    """
    b = node.b
    window = _window(node)
    spatial = len(window.sizes)
    inner = node.sizes[len(node.sizes) - spatial :]
    n, columns_count, _ = x.sizes[-3:]
    channels = columns_count // math.prod(window.sizes)
    padded_sizes = [
        size + before + after
        for size, before, after in zip(inner, window.start_padding, window.end_padding, strict=True)
    ]
    index = _positions(window, inner, padded_sizes)
    wide = x if x.is_float else b.cast(x, INT64)
    parts = b.reshape(wide, [n * channels, index.size])
    zeros = b.expand(b.constant(np.zeros(1, wide.dtype)), [n * channels, math.prod(padded_sizes)])
    where = b.expand(b.constant(index.reshape(1, -1), np.int64), parts.sizes)
    total = b.add("ScatterElements", zeros, where, parts, axis=1, reduction="add",
                  sizes=zeros.sizes)  # fmt: skip
    spread = b.reshape(total, [n, channels, *padded_sizes])
    ends = [before + size for before, size in zip(window.start_padding, inner, strict=True)]
    kept = b.slice(spread, list(window.start_padding), ends, range(2, 2 + spatial))
    return b.cast(b.reshape(kept, node.sizes), x.dtype)


def _positions(window: Window, inner: Sequence[int], padded_sizes: Sequence[int]) -> Array:
    """Return the place of each position of each window in the padded output, row-major."""
    counts = window.output_sizes((1, 1, *inner))
    spatial = len(inner)
    found = np.zeros((), np.int64)
    for axis in range(spatial):
        place = (
            np.arange(window.sizes[axis])[:, None] * window.dilations[axis]
            + np.arange(counts[axis]) * window.strides[axis]
        )
        sizes = [1] * (2 * spatial)
        sizes[axis], sizes[spatial + axis] = place.shape
        found = found * padded_sizes[axis] + place.reshape(sizes)
    return found
