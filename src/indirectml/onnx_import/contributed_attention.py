"""Attention of ONNX Runtime's domain, spelled as products, masks and softmax."""

from __future__ import annotations

import math

import numpy as np

from indirectml.core.errors import ModelError, shown
from indirectml.onnx_import.bodies import MICROSOFT, Body, spelled


@spelled("RotaryEmbedding")
def turned(b: Body, x: str, positions: str, cosines: str, sines: str) -> str:
    """Return ONNX's operator of the name; one position is that of the first row."""
    shape = b.shape(0)
    batch, length = shape[0], shape[-2]
    width = b.node.attribute("rotary_embedding_dim", 0)
    heads = b.node.attribute("num_heads", 0)
    if len(shape) == 3:  # noqa: PLR2004 (batch, length, heads times size)
        length = shape[1]
        heads = heads or shape[2] // (2 * b.shape(2)[1])
    if b.node.attribute("is_packed_batching", 0):
        raise ModelError("needs one sequence per row of the batch", given="is_packed_batching")
    if b.shape(1) in ((), (1,)):
        first = b.reshape(b.cast(positions, np.int64), 1, 1)
        rows = b("Add", first, b.constant([range(length)], np.int64))
        positions = b("Expand", rows, b.constant([batch, length], np.int64))
    scale = b.node.attribute("scale", 1.0)
    if scale != 1:
        raise ModelError("needs a scale of 1", given=f"{scale}", field="attribute scale")
    return b(
        "RotaryEmbedding", x, cosines, sines, b.cast(positions, np.int64),
        interleaved=b.node.attribute("interleaved", 0), rotary_embedding_dim=width,
        num_heads=heads or None,
    )  # fmt: skip


@spelled("Attention")
def attention(
    b: Body, x: str, weights: str, bias: str = "", mask: str = "", past: str = "", added: str = "",
    length: str = "",
) -> tuple[str, str]:  # fmt: skip
    """Return attention of queries, keys and values that are products of x; and keys and values."""
    if length or b.node.attribute("past_present_share_buffer", 0):
        raise ModelError("needs a past of its own", given="past_present_share_buffer")
    y = b("MatMul", x, weights)
    y = b("Add", y, bias) if bias else y
    return _attended(b, y, b.shape(1)[-1], (mask, 3), (past, 4), (added, 5))


@spelled("QAttention")
def quantized_attention(
    b: Body, x: str, weights: str, bias: str, scale: str, of_weights: str, mask: str = "",
    zero: str = "", zero_of_weights: str = "", past: str = "",
) -> tuple[str, str]:  # fmt: skip
    """Return attention whose first products are of integers."""
    (y,) = b.several(
        "MatMulIntegerToFloat", 1, x, weights, scale, of_weights, zero, zero_of_weights, bias,
        domain=MICROSOFT,
    )  # fmt: skip
    return _attended(b, y, b.shape(1)[-1], (mask, 5), (past, 8), ("", 0))


def _attended(
    b: Body,
    y: str,
    width: int,
    mask: tuple[str, int],
    past: tuple[str, int],
    added: tuple[str, int],
) -> tuple[str, str]:
    """Return attention of what x became, and keys and values behind those of the past.

    Parameters
    ----------
    y : str
        Queries, keys and values, side by side.
    width : int
        Of all three.
    mask, past, added : (str, int)
        Optional inputs and their numbers.
    """
    if b.node.attribute("do_rotary", 0):
        raise ModelError("needs queries as they are", given="do_rotary")
    batch, length = b.shape(0)[:2]
    heads = b.node.attribute("num_heads")
    widths = b.node.attribute("qkv_hidden_sizes") or [width // 3] * 3
    parts = b.several("Split", 3, y, b.constant(widths, np.int64), axis=2)
    query, key, value = (
        b.transpose(b.reshape(part, batch, length, heads, own // heads), 0, 2, 1, 3)
        for part, own in zip(parts, widths, strict=True)
    )
    before = 0
    if past[0]:
        before = b.shape(past[1])[3]
        old = b.several("Split", 2, past[0], axis=0, num_outputs=2)
        kept = [b("Squeeze", each, b.constant([0], np.int64)) for each in old]
        key, value = (b("Concat", *pair, axis=2) for pair in zip(kept, (key, value), strict=True))
    total = before + length
    scale = b.node.attribute("scale", 0.0) or 1 / math.sqrt(widths[0] // heads)
    scores = b("MatMul", query, b.transpose(key, 0, 1, 3, 2))
    scores = b("Mul", scores, b.cast(b.constant(scale, np.float32), b.dtype_of_floats))
    for term in (_mask(b, mask, batch, length, total), added[0]):
        scores = b("Add", scores, term) if term else scores
    result = b("MatMul", b("Softmax", scores, axis=-1), value)
    result = b.reshape(b.transpose(result, 0, 2, 1, 3), batch, length, widths[2])
    first = b.constant([0], np.int64)
    present = b("Concat", b("Unsqueeze", key, first), b("Unsqueeze", value, first), axis=0)
    return result, present


def _mask(b: Body, mask: tuple[str, int], batch: int, length: int, total: int) -> str:
    """Return what is added to scores, of [batch or 1, 1, length or 1, total]; "" for nothing.

    What a mask hides gets mask_filter_value, and with `unidirectional` what comes later the least
    number there is.
    """
    filler = b.node.attribute("mask_filter_value", -10000.0)
    terms = []
    if b.node.attribute("unidirectional", 0):
        b.node.take((length, total), np.float64)
        later = np.arange(total) > np.arange(length)[:, None] + (total - length)
        least = np.finfo(b.dtype_of_floats).min
        terms.append(b.constant(np.where(later, least, 0)[None, None], np.float32))
    if mask[0]:
        hidden = _hidden(b, mask[0], b.shape(mask[1]), batch, length, total)
        kept = b.constant(0, np.float32)
        terms.append(b("Where", hidden, b.constant(filler, np.float32), kept))
    if not terms:
        return ""
    found = terms[0] if len(terms) == 1 else b("Add", *terms)
    return b.cast(found, b.dtype_of_floats)


def _hidden(b: Body, mask: str, shape: tuple[int, ...], batch: int, length: int, total: int) -> str:
    """Return which positions a mask hides."""
    b.node.take([total], np.int64)
    places = b.constant(np.arange(total)[None, None, None], np.int32)
    mask = b.cast(mask, np.int32)
    if shape == (batch,):  # how long sequences are
        return b("GreaterOrEqual", places, b.reshape(mask, batch, 1, 1, 1))
    if shape == (2 * batch,):  # where they end, then where they begin
        ends, begins = (
            b.reshape(each, batch, 1, 1, 1)
            for each in b.several("Split", 2, mask, axis=0, num_outputs=2)
        )
        return b("Or", b("GreaterOrEqual", places, ends), b("Less", places, begins))
    known = {
        (batch, total): (batch, 1, 1, total),
        (batch, length, total): (batch, 1, length, total),
        (batch, 1, length, total): (batch, 1, length, total),
    }
    if shape not in known:
        raise ModelError(
            f"needs a mask of {', '.join(str(list(each)) for each in known)}, or lengths",
            given=f"{list(shape)}",
        )
    return b("Equal", b.reshape(mask, *known[shape]), b.constant(0, np.int32))


@spelled("GroupQueryAttention")
def grouped_attention(
    b: Body, query: str, key: str = "", value: str = "", past_key: str = "", past_value: str = "",
    lengths: str = "", _total: str = "", cosines: str = "", sines: str = "", positions: str = "",
    added: str = "", sink: str = "", _key_scale: str = "", _value_scale: str = "",
    of_queries: str = "", of_keys: str = "",
) -> tuple[str, str, str]:  # fmt: skip
    """Return attention in which several heads share keys and values; and all keys and values.

    New rows go behind the old ones: behind the last of each sequence, seqlens_k + 1 less the new
    ones. Where total_sequence_length is known while loading and exceeds the past's, keys and values
    grow to it; else they keep the sizes of the past, a buffer that holds what is still to come.
    """
    _check_grouped(b)
    heads, shared = b.node.attribute("num_heads"), b.node.attribute("kv_num_heads")
    batch, length, width = b.shape(0)
    group = heads // shared
    if not key:
        size = width // (heads + 2 * shared)
        widths = b.constant([heads * size, shared * size, shared * size], np.int64)
        query, key, value = b.several("Split", 3, query, widths, axis=2)
    else:
        size = width // heads
    # The place of the first new row of each sequence.
    ends = b("Add", b.reshape(b.cast(lengths, np.int64), batch), b.constant(1 - length, np.int64))
    begins = b("Max", ends, b.constant(0, np.int64))
    rows = b("Add", b.reshape(begins, batch, 1), b.constant([range(length)], np.int64))
    query, key, value = (
        b.transpose(b.reshape(x, batch, length, count, size), 0, 2, 1, 3)
        for x, count in ((query, heads), (key, shared), (value, shared))
    )
    if of_queries and of_keys:
        query, key = _by_root(b, query, of_queries, "q"), _by_root(b, key, of_keys, "k")
    if b.node.attribute("do_rotary", 0):
        at = b.cast(positions, np.int64) if positions else rows
        turned_width = 2 * b.shape(7)[1]
        turn = {
            "interleaved": b.node.attribute("rotary_interleaved", 0),
            "rotary_embedding_dim": turned_width if turned_width < size else 0,
        }
        query, key = (b("RotaryEmbedding", x, cosines, sines, at, **turn) for x in (query, key))
    if past_key:
        key, value = _kept(b, (past_key, past_value), (key, value), begins, length)
    count = _present_length(b, past_key, length)
    scale = b.node.attribute("scale", 0.0) or 1 / math.sqrt(size)
    floats = b.dtype_of_floats
    scores = b(
        "MatMul", b.reshape(query, batch, shared, group * length, size),
        b.transpose(key, 0, 1, 3, 2),
    )  # fmt: skip
    scores = b("Mul", scores, b.cast(b.constant(scale, np.float32), floats))
    cap = b.node.attribute("softcap", 0.0)
    if cap > 0:
        limit = b.cast(b.constant(cap, np.float32), floats)
        scores = b("Mul", b("Tanh", b("Div", scores, limit)), limit)
    scores = b.reshape(scores, batch, heads, length, count)
    scores = b("Add", scores, added) if added else scores
    least = b.cast(b.constant(np.finfo(floats).min, np.float32), floats)
    scores = b("Where", _is_seen(b, rows, batch, length, count), scores, least)
    shares = _shares(b, scores, sink, (batch, heads, length, count))
    shares = b.reshape(shares, batch, shared, group * length, count)
    result = b.reshape(b("MatMul", shares, value), batch, heads, length, size)
    result = b.reshape(b.transpose(result, 0, 2, 1, 3), batch, length, heads * size)
    return result, key, value


#: Attributes that say another operator, the only value that is computed, and what to do.
_OTHERS = {
    "causal": (1, None),
    "k_quant_type": ("NONE", None),
    "qk_output": (0, None),
    "sliding_window_cache": (
        0,
        "onnxruntime-genai's builder keeps all keys and values with windowed_kv_cache=false",
    ),
    "v_quant_type": ("NONE", None),
}


def _check_grouped(b: Body) -> None:
    for index in (5, 6):
        b.node.value(index)
    for name, (only, hint) in _OTHERS.items():
        value = b.node.attribute(name, only)
        if value != only:
            raise ModelError(
                f"needs {only}", given=shown(value), hint=hint, field=f"attribute {name}"
            )


def _by_root(b: Body, x: str, scale: str, name: str) -> str:
    """Return the rows of heads, normalized."""
    epsilon = b.node.attribute(f"{name}_norm_epsilon") or b.node.attribute("qk_norm_epsilon", 1e-6)
    return b("RMSNormalization", x, scale, axis=-1, epsilon=epsilon)


def _shares(b: Body, scores: str, sink: str, sizes: tuple[int, int, int, int]) -> str:
    """Return softmax of scores; a sink is a score per head that takes a share, and is no key's."""
    batch, heads, length, count = sizes
    if not sink and b.node.attribute("smooth_softmax", 0):
        sink = b.cast(b.constant(np.zeros(heads), np.float32), b.dtype_of_floats)
    if not sink:
        return b("Softmax", scores, axis=-1)
    column = b("Expand", b.reshape(sink, 1, heads, 1, 1), b.constant([batch, heads, length, 1]))
    both = b("Softmax", b("Concat", scores, column, axis=3), axis=-1)
    return b("Slice", both, *(b.constant([each], np.int64) for each in (0, count, 3)))


def _present_length(b: Body, past: str, length: int) -> int:
    """Return how many rows keys and values have afterwards."""
    if not past:
        return length
    kept = b.shape(3)[2]
    total = b.node.value(6).array
    return kept if total is None else max(kept, int(total.flat[0]))


def _kept(
    b: Body, past: tuple[str, str], new: tuple[str, str], begins: str, length: int
) -> tuple[str, str]:
    """Return keys and values with new rows from `begins` on, behind what is kept of the past."""
    batch, shared, kept, size = b.shape(3)
    more = _present_length(b, past[0], length) - kept
    found = []
    for old, rows in zip(past, new, strict=True):
        if more == length:  # all of the past is there
            found.append(b("Concat", old, rows, axis=2))
            continue
        whole = old
        if more:
            b.node.take((batch, shared, more, size), np.float64)
            empty = b.constant(np.zeros((batch, shared, more, size)), b.dtype(3))
            whole = b("Concat", old, empty, axis=2)
        found.append(b("TensorScatter", whole, rows, begins, axis=2, mode="linear"))
    return found[0], found[1]


def _is_seen(b: Body, rows: str, batch: int, length: int, count: int) -> str:
    """Return which keys each query sees: none that comes later, nor before its window."""
    b.node.take([count], np.int64)
    places = b.constant(np.arange(count)[None, None, None], np.int64)
    own = b.reshape(rows, batch, 1, length, 1)
    seen = b("LessOrEqual", places, own)
    window = b.node.attribute("local_window_size", -1)
    if window > 0:
        first = b("Sub", own, b.constant(window, np.int64))
        seen = b("And", seen, b("Greater", places, first))
    return seen
