"""ONNX forms of attention: MatMul, Softmax, MatMul, and what goes before and between.

ONNX's own Attention needs opset 23, and has neither these masks nor these layouts.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from indirectml.catalogue.enumerations import MultiheadAttentionMaskType as MaskType
from indirectml.onnx_export.building import BOOL, INT64, Builder, Value
from indirectml.onnx_export.forms import Node, form
from indirectml.onnx_export.words import both, compared, either, filled
from indirectml.operators.attention import SOURCES, sizes_of

Tensors = dict[str, Value | None]

#: What lengths are limited to before they become integers.
_FAR = float(1 << 30)


def _part(b: Builder, tensors: Tensors, part: str, heads: int) -> Value | None:
    """Return queries, keys or values: batch, heads, length, size of a head."""
    for name, number in SOURCES[part].items():
        tensor = tensors[name]
        if tensor is None:
            continue
        if number is None:
            batch, length, width = tensor.sizes[-3:]
            own = b.reshape(tensor, [batch, length, heads, width // heads])
        else:
            own = b.gather(tensor, b.constant(number, np.int64), 3)
        return b.transpose(own, [0, 2, 1, 3])
    return None


def _biased(b: Builder, parts: list[Value | None], bias: Value, widths: Any) -> list[Value | None]:
    """Return queries, keys and values after their parts of the bias."""
    flat, start = b.reshape(bias, [bias.count]), 0
    found: list[Value | None] = []
    for part, (count, width) in zip(parts, widths, strict=True):
        end = start + count * width
        own = b.reshape(b.slice(flat, [start], [end]), [count, 1, width])
        found.append(None if part is None else b.add("Add", part, own))
        start = end
    return found


def _starts(b: Builder, lengths: Value) -> Value:
    """Return lengths of the past as INT64, at least 0; what is not finite is 0."""
    flat = b.reshape(lengths, [lengths.count])
    if flat.is_float:
        is_no_number = either(b, b.add("IsNaN", flat, dtype=BOOL), b.add("IsInf", flat, dtype=BOOL))
        flat = b.where(is_no_number, 0.0, flat)
        flat = b.add("Min", flat, _FAR)
    return b.add("Max", b.cast(flat, INT64), 0)


def _present(
    b: Builder, past: Value | None, new: Value | None, starts: Value | None, total: int
) -> Value:
    """Return the past behind which something new comes, or over which it is written."""
    if new is None or (past is None and starts is None):
        found = past if new is None else new
        assert found is not None  # noqa: S101 (one of them is there, by the checks)
        return found
    if starts is None:
        assert past is not None  # noqa: S101
        return b.concat([past, new], 2)
    batch, heads, count, size = new.sizes
    kept = 0 if past is None else min(past.sizes[2], total)
    rows = [] if past is None else [b.slice(past, [0], [kept], [2])]
    if kept < total:
        rows.append(filled(b, 0, (batch, heads, total - kept, size), new.dtype))
    line = b.constant(np.arange(total).reshape(1, 1, -1, 1))
    at = b.add("Sub", line, b.reshape(starts, [batch, 1, 1, 1]))
    is_new = both(b, compared(b, "GreaterOrEqual", at, 0), compared(b, "Less", at, count))
    at = b.add("Clip", at, b.number(0, INT64), b.number(count - 1, INT64), sizes=at.sizes)
    whole = b.expand(at, [batch, heads, total, size])
    moved = b.add("GatherElements", new, whole, sizes=whole.sizes, axis=2)
    return b.where(is_new, moved, b.concat(rows, 2))


def _padding(b: Builder, mask: Value, kind: MaskType, sizes: Sequence[int]) -> Value:
    """Return which scores are those of padding: batch, heads, queries, keys, or 1 of them."""
    batch, _, queries, keys = sizes
    numbers = b.cast(b.reshape(mask, [mask.count]), INT64)
    column = b.constant(np.arange(keys).reshape(1, 1, 1, -1))

    def of_batches(start: int) -> Value:
        return b.reshape(b.slice(numbers, [start], [start + batch]), [batch, 1, 1, 1])

    if kind == MaskType.KEY_SEQUENCE_LENGTH:
        return compared(b, "GreaterOrEqual", column, of_batches(0))
    if kind == MaskType.KEY_SEQUENCE_END_START:
        before = compared(b, "Less", column, of_batches(batch))
        return either(b, before, compared(b, "GreaterOrEqual", column, of_batches(0)))
    # Sequences along the first dimension.
    rows = b.constant(np.arange(batch * queries).reshape(1, batch, queries, 1))
    columns = b.constant(np.arange(batch * keys).reshape(1, batch, 1, keys))
    lengths, first, last = of_batches(0), of_batches(batch), of_batches(batch + 1)
    start = of_batches(2 * batch + 1)
    of_queries = both(
        b, compared(b, "GreaterOrEqual", rows, first), compared(b, "Less", rows, last)
    )
    end = b.add("Add", start, lengths)
    of_keys = both(
        b, compared(b, "GreaterOrEqual", columns, start), compared(b, "Less", columns, end)
    )
    seen = b.reduce("ReduceSum", b.cast(both(b, of_queries, of_keys), INT64), [0])
    return b.reshape(compared(b, "Equal", seen, 0), [batch, 1, queries, keys])


def _masked(node: Node, scores: Value, mask: Value | None, starts: Value | None) -> Value:
    """Return scores after the mask, and after the order in time where the past has lengths."""
    b, kind, filtered = node.b, node["mask_type"], node["mask_filter_value"]
    batch, _, queries, keys = scores.sizes
    if mask is not None and kind == MaskType.BOOLEAN:
        own = b.reshape(mask, mask.sizes[-4:])
        scores = b.where(compared(b, "Equal", own, 0), b.add("Add", scores, filtered), scores)
    elif mask is not None:
        scores = b.where(_padding(b, mask, kind, scores.sizes), filtered, scores)
    if starts is not None:
        line = b.constant(np.arange(queries).reshape(1, 1, -1, 1))
        last = b.add("Add", b.reshape(starts, [batch, 1, 1, 1]), line)
        column = b.constant(np.arange(keys).reshape(1, 1, 1, -1))
        scores = b.where(compared(b, "Greater", column, last), filtered, scores)
    return scores


def _attended(node: Node, tensors: Tensors, heads: int, key_heads: int) -> tuple[Value, ...]:
    b = node.b
    sizes = sizes_of(node.desc, heads, key_heads)
    counts = {"query": heads, "key": key_heads, "value": key_heads}
    parts = [_part(b, tensors, part, count) for part, count in counts.items()]
    bias = tensors["bias"]
    if bias is not None:
        widths = (sizes.head_size, sizes.head_size, sizes.value_size)
        parts = _biased(b, parts, bias, zip(counts.values(), widths, strict=True))
    query, new_keys, new_values = parts
    lengths = tensors.get("past_sequence_lengths")
    starts = None if lengths is None else _starts(b, lengths)
    keys = _present(b, tensors["past_key"], new_keys, starts, sizes.total)
    values = _present(b, tensors["past_value"], new_values, starts, sizes.total)
    assert query is not None  # noqa: S101 (by the checks)
    whole = (sizes.batch, heads, sizes.queries, keys.sizes[2])
    scores = _multiplied(b, query, b.transpose(keys, [0, 1, 3, 2]))
    scores = b.add("Mul", scores, node["scale"])
    position = tensors["relative_position_bias"]
    if position is not None:
        scores = b.add("Add", scores, b.reshape(position, whole))
    scores = _masked(node, scores, tensors["mask"], starts)
    weights = b.add("Softmax", scores, axis=3)
    mixed = b.transpose(_multiplied(b, weights, values), [0, 2, 1, 3])
    return mixed, keys, values


def _multiplied(b: Builder, left: Value, right: Value) -> Value:
    """Return products of matrices per head; several heads may share those on the right."""
    batch, heads, rows, inner = left.sizes
    shared, columns = right.sizes[1], right.sizes[3]
    if heads != shared:
        left = b.reshape(left, [batch, shared, heads // shared, rows, inner])
        right = b.reshape(right, [batch, shared, 1, inner, columns])
    found = b.add("MatMul", left, right, sizes=(*left.sizes[:-1], columns))
    return b.reshape(found, [batch, heads, rows, columns])


_INPUTS = (
    "query", "key", "value", "stacked_query_key", "stacked_key_value", "stacked_query_key_value",
    "bias", "mask", "relative_position_bias", "past_key", "past_value", "past_sequence_lengths",
)  # fmt: skip


@form("MULTIHEAD_ATTENTION")
def attended(node: Node, *inputs: Value | None) -> tuple[Value, ...]:
    """MatMul, Softmax, MatMul."""
    heads = node["head_count"]
    return _attended(node, dict(zip(_INPUTS, inputs, strict=False)), heads, heads)


@form("MULTIHEAD_ATTENTION1")
def attended_in_groups(node: Node, *inputs: Value | None) -> tuple[Value, ...]:
    """MatMul, Softmax, MatMul; new keys go into the past by GatherElements and Where."""
    tensors = dict(zip(_INPUTS, inputs, strict=True))
    return _attended(node, tensors, node["query_head_count"], node["key_value_head_count"])
