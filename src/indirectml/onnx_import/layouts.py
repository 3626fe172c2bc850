"""Elements rearranged: padding, blocks, sequences, triangles."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from indirectml.catalogue.enumerations import DepthSpaceOrder, PaddingMode
from indirectml.core.errors import ModelError, shown
from indirectml.graphs.expressions import broadcast
from indirectml.onnx_import.building import added
from indirectml.onnx_import.movement import sliced
from indirectml.onnx_import.nodes import Node, counted_all, handler
from indirectml.onnx_import.values import (
    Value,
    checked_shape,
    number_like,
    stored_dtype,
    viewed,
)
from indirectml.onnx_import.windows import given_paddings
from indirectml.operators.functions import (
    cast,
    depth_to_space,
    padding,
    reverse_subsequences,
    space_to_depth,
    where,
)

_MODES = {
    "constant": PaddingMode.CONSTANT,
    "edge": PaddingMode.EDGE,
    "reflect": PaddingMode.REFLECTION,
    "wrap": PaddingMode.WRAP,
}


@handler("Pad", since=2)
def padded_by_attributes(node: Node) -> Value:
    """Return a tensor with elements around it, as the node says."""
    return _padded(node, list(node.attribute("pads")), node.attribute("value", 0.0))


@handler("Pad", since=11)
def padded(node: Node) -> Value:
    """Return a tensor with elements around it; a negative number cuts some off."""
    if node.has(2) and node.value(2).count != 1:
        raise ModelError("needs one number", given=f"{node.value(2).count}", field="inputs[2]")
    rank = node.value(0).rank
    pads = node.integers(1)
    if node.has(3):
        axes = counted_all(node.integers(3), rank)
        if len(pads) != 2 * len(axes):
            raise ModelError(f"needs {2 * len(axes)} numbers", given=shown(pads), field="pads")
        all_pads = [0] * (2 * rank)
        for place, axis in enumerate(axes):
            all_pads[axis] = pads[place]
            all_pads[axis + rank] = pads[place + len(axes)]
        pads = all_pads
    number = node.value(2).array if node.has(2) else np.zeros(1)
    if number is None:
        return _filled(node, pads)
    return _padded(node, pads, number.reshape(-1)[0])


def _filled(node: Node, pads: list[int]) -> Value:
    """Return a tensor with a number around it that is computed when the model runs."""
    value = _padded(node, pads, 0)
    if node.attribute("mode", "constant") != "constant" or not value.count:
        return value
    rank = value.rank
    node.take(value.shape, np.uint8)
    mask = np.ones(value.shape, np.uint8)
    ends = [size - max(pad, 0) for size, pad in zip(value.shape, pads[rank:], strict=True)]
    inside = zip(pads[:rank], ends, strict=True)
    mask[tuple(slice(max(pad, 0), max(end, 0)) for pad, end in inside)] = 0
    x = value.expression(node.graph)
    number = broadcast(viewed(node.expression(2), (1,) * len(x.shape)), x.shape)
    chosen = node.graph.constant(mask, sizes=x.shape)
    return Value(where(chosen, number, x), value.shape, value.dtype)


def _padded(node: Node, pads: list[int], number: Any) -> Value:
    value = node.value(0)
    rank = value.rank
    mode = _MODES.get(node.attribute("mode", "constant"))
    if mode is None or len(pads) != 2 * rank:
        given = f"{len(pads)} numbers, mode {shown(node.attribute('mode'))}"
        raise ModelError(
            f"needs {2 * rank} numbers, and mode {', '.join(_MODES)}", given=given, field="pads"
        )
    if any(pad < 0 for pad in pads):
        ends = [size + min(pad, 0) for size, pad in zip(value.shape, pads[rank:], strict=True)]
        starts = [max(-pad, 0) for pad in pads[:rank]]
        value = sliced(node, starts, [max(end, 0) for end in ends], range(rank), [1] * rank)
        pads = [max(pad, 0) for pad in pads]
    pairs = list(zip(pads[:rank], pads[rank:], strict=True))
    if value.array is not None or not value.count:
        shape = (a + size + b for size, (a, b) in zip(value.shape, pairs, strict=True))
        node.take(checked_shape(shape), value.dtype)
        return _known(value, pairs, node.attribute("mode", "constant"), number)
    if not any(pads):
        return value
    # A NumPy number of the data type itself keeps the bits of a NaN.
    stored = np.asarray(number, stored_dtype(value.dtype)).reshape(())[()]
    result = padding(
        value.expression(node.graph),
        padding_mode=mode,
        padding_value=stored if mode is PaddingMode.CONSTANT else 0,
        start_padding=pads[:rank],
        end_padding=pads[rank:],
    )
    return Value(result, dtype=value.dtype)


def _known(value: Value, pairs: list[tuple[int, int]], mode: str, number: Any) -> Value:
    array = np.empty(value.shape, value.dtype) if value.array is None else value.array
    if mode == "constant":
        return Value(np.pad(array, pairs, constant_values=array.dtype.type(number)))
    return Value(np.pad(array, pairs, mode))  # type: ignore[call-overload]


_ORDERS = {"DCR": DepthSpaceOrder.DEPTH_COLUMN_ROW, "CRD": DepthSpaceOrder.COLUMN_ROW_DEPTH}


def _order(node: Node) -> DepthSpaceOrder:
    mode = node.attribute("mode", "DCR")
    if mode not in _ORDERS:
        raise ModelError("needs DCR or CRD", given=shown(mode), field="mode")
    return _ORDERS[mode]


@handler("DepthToSpace")
def channels_as_blocks(node: Node) -> Value:
    """Return channels as blocks of pixels."""
    size = node.attribute("blocksize")
    return Value(depth_to_space(node.expression(0), block_size=size, order=_order(node)))


@handler("SpaceToDepth")
def blocks_as_channels(node: Node) -> Value:
    """Return blocks of pixels as channels."""
    size = node.attribute("blocksize")
    return Value(space_to_depth(node.expression(0), block_size=size, order=_order(node)))


@handler("ReverseSequence", since=10)
def reversed_sequences(node: Node) -> Value:
    """Return the first elements of each sequence in reverse."""
    x = node.expression(0)
    axis, batch = (node.axis(len(x.shape), f"{k}_axis", n) for n, k in enumerate(("time", "batch")))
    if axis == batch or node.value(1).shape != (x.shape[batch],):
        raise ModelError(
            f"needs two axes, and one length for each of {x.shape[batch]} sequences",
            given=f"axes {axis} and {batch}, lengths {list(node.value(1).shape)}",
        )
    sizes = [size if k == batch else 1 for k, size in enumerate(x.shape)]
    lengths = viewed(cast(node.expression(1), dtype=np.uint32), sizes)
    whole = [1 if k == axis else size for k, size in enumerate(x.shape)]
    result = reverse_subsequences(x, broadcast(lengths, whole), axis=axis)
    return Value(result, dtype=node.value(0).dtype)


@handler("Col2Im", since=18)
def folded(node: Node) -> Value:
    """Return the sums of columns, each put back where its window lies in an image."""
    image, block = node.integers(1), node.integers(2)
    count = len(image)
    start, end = given_paddings(node, count)
    batch, columns, windows = node.value(0).shape
    if len(block) != count or columns % math.prod(block):
        raise ModelError(
            f"needs a block of {count} dimensions whose elements divide {columns}",
            given=shown(block),
        )
    shape = (batch, columns // math.prod(block), *image)
    x = viewed(node.expression(0), (*(1,) * (len(shape) - 3), batch, columns, windows))
    (result,) = added(
        node.graph,
        "FOLD",
        [x],
        [(x.desc.data_type, shape)],
        window_sizes=block,
        strides=node.attribute("strides") or [1] * count,
        dilations=node.attribute("dilations") or [1] * count,
        start_padding=start,
        end_padding=end,
    )
    return Value(result)


@handler("Trilu", since=14)
def triangle(node: Node) -> Value:
    """Return the elements of a triangle, which a mask that is known says, and zeros elsewhere."""
    value = node.value(0)
    offset = node.integers(1, "decides which elements stay")[0] if node.has(1) else 0
    keep = np.triu if node.attribute("upper", 1) else np.tril
    known = value.array
    if known is not None:
        node.take(value.shape, value.dtype)
        return Value(keep(known, offset))
    x = node.expression(0)
    rows, columns = value.shape[-2:]
    node.take([rows, columns], np.uint16)
    mask = node.graph.constant(keep(np.ones((rows, columns), np.uint8), offset))
    spread = broadcast(viewed(mask, (*(1,) * (value.rank - 2), rows, columns)), x.shape)
    return Value(where(spread, x, number_like(x, 0)), dtype=value.dtype)
