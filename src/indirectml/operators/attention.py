"""Attention: values of a sequence, weighed by how well their keys answer queries."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from indirectml.arithmetic.basics import Array, truncated_to
from indirectml.arithmetic.contraction import contract
from indirectml.arithmetic.gathering import scatter_elements
from indirectml.arithmetic.softmax import softmax
from indirectml.catalogue.enumerations import MultiheadAttentionMaskType as MaskType
from indirectml.core.data_types import TensorDataType
from indirectml.core.errors import DescriptorError, DirectMLError
from indirectml.descriptors.definitions import operator

#: Where queries, keys and values may come from: a tensor of their own, or a part of a stacked one.
SOURCES: dict[str, dict[str, int | None]] = {
    "query": {"query": None, "stacked_query_key": 0, "stacked_query_key_value": 0},
    "key": {
        "key": None, "stacked_query_key": 1, "stacked_key_value": 0, "stacked_query_key_value": 1,
    },
    "value": {"value": None, "stacked_key_value": 1, "stacked_query_key_value": 2},
}  # fmt: skip


#: Outputs that have the past as it is.
_PRESENT = ("output_present_key_tensor", "output_present_value_tensor")


class _Sizes(NamedTuple):
    """What the tensors of a descriptor have in common."""

    batch: int
    queries: int
    keys: int
    past: int
    total: int
    head_size: int
    value_size: int


def source_of(desc: Any, part: str) -> Any:
    """Return the tensor that queries, keys or values come from; None if there is none."""
    tensors = (getattr(desc, f"{name}_tensor") for name in SOURCES[part])
    return next((t for t in tensors if t is not None), None)


def sizes_of(desc: Any, heads: int, key_heads: int) -> _Sizes:
    """Return the sizes that the tensors of a descriptor stand for."""

    def read(tensor: Any, own: Any, count: int) -> tuple[int, int, int]:
        if tensor is own:
            batch, length, hidden = tensor.sizes[-3:]
            return batch, length, hidden // count
        batch, length, _, _, size = tensor.sizes
        return batch, length, size

    batch, queries, head_size = read(source_of(desc, "query"), desc.query_tensor, heads)
    past = 0 if desc.past_key_tensor is None else desc.past_key_tensor.sizes[-2]
    value = source_of(desc, "value")
    if value is None:
        keys, value_size = 0, desc.past_value_tensor.sizes[-1]
    else:
        _, keys, value_size = read(value, desc.value_tensor, key_heads)
    total = past + keys
    if getattr(desc, "past_sequence_lengths_tensor", None) is not None:
        present = desc.output_present_key_tensor
        total = max(past, keys) if present is None else present.sizes[-2]
    return _Sizes(batch, queries, keys, past, total, head_size, value_size)


def _check(desc: Any, heads: int, key_heads: int) -> Iterator[DirectMLError]:
    """Yield what is wrong: sources first, then sizes."""
    if heads < 1 or key_heads < 1 or heads % key_heads:
        raise DescriptorError(
            "needs at least 1 head, and a multiple of those of keys and values",
            given=f"{heads} and {key_heads}",
            field="head_count" if hasattr(desc, "head_count") else "query_head_count",
        )
    has_past = desc.past_key_tensor is not None
    if has_past != (desc.past_value_tensor is not None):
        raise DescriptorError("needs past_key_tensor and past_value_tensor, or neither",
                              field="past_key_tensor")  # fmt: skip
    for part, names in SOURCES.items():
        given = [name for name in names if getattr(desc, f"{name}_tensor") is not None]
        is_past = not given and has_past and part != "query"
        if len(given) != 1 and not is_past:
            raise DescriptorError(
                f"needs one of {', '.join(f'{name}_tensor' for name in names)}",
                given=" and ".join(given) or "none",
                field=f"{part}_tensor",
            )
    if (source_of(desc, "key") is None) != (source_of(desc, "value") is None):
        raise DescriptorError("needs keys and values, or the past ones alone", field="key_tensor")
    if (desc.mask_tensor is None) != (desc.mask_type == MaskType.NONE):
        raise DescriptorError(
            "needs a mask_tensor, or NONE", given=desc.mask_type.name, field="mask_type"
        )
    yield from _check_sizes(desc, heads, key_heads)


def _check_sizes(desc: Any, heads: int, key_heads: int) -> Iterator[DirectMLError]:
    s = sizes_of(desc, heads, key_heads)
    hidden, key_hidden, value_hidden = (
        heads * s.head_size, key_heads * s.head_size, key_heads * s.value_size,
    )  # fmt: skip
    expected: dict[str, tuple[int, ...]] = {
        "query": (s.batch, s.queries, hidden),
        "key": (s.batch, s.keys, key_hidden),
        "value": (s.batch, s.keys, value_hidden),
        "stacked_query_key": (s.batch, s.queries, key_heads, 2, s.head_size),
        "stacked_key_value": (s.batch, s.keys, key_heads, 2, s.head_size),
        "stacked_query_key_value": (s.batch, s.queries, key_heads, 3, s.head_size),
        "bias": (hidden + key_hidden + value_hidden,),
        "relative_position_bias": (s.batch, heads, s.queries, s.total),
        "past_key": (s.batch, key_heads, s.past, s.head_size),
        "past_value": (s.batch, key_heads, s.past, s.value_size),
        "past_sequence_lengths": (s.batch,),
        "output": (s.batch, s.queries, heads * s.value_size),
        "output_present_key": (s.batch, key_heads, s.total, s.head_size),
        "output_present_value": (s.batch, key_heads, s.total, s.value_size),
    }
    masks: dict[MaskType, tuple[int, ...]] = {
        MaskType.KEY_SEQUENCE_LENGTH: (1, s.batch),
        MaskType.KEY_SEQUENCE_END_START: (2, s.batch),
        MaskType.KEY_QUERY_SEQUENCE_LENGTH_START_END: (3 * s.batch + 2,),
    }
    if desc.mask_type in masks:
        expected["mask"] = masks[desc.mask_type]
    for name, sizes in expected.items():
        tensor = getattr(desc, f"{name}_tensor", None)
        if tensor is not None and not _is_behind_ones(tensor.sizes_tuple, sizes):
            yield DescriptorError(
                f"needs {list(sizes)}", given=f"{tensor.sizes}", field=f"{name}_tensor.sizes"
            )
    if desc.mask_type == MaskType.BOOLEAN:
        whole = (1, s.batch, heads, s.queries, s.total)
        own = desc.mask_tensor.sizes
        if any(n not in (1, m) for n, m in zip(own, whole[-len(own) :], strict=True)):
            yield DescriptorError(
                f"needs sizes that repeat to {list(whole[1:])}",
                given=f"{own}",
                field="mask_tensor.sizes",
            )
    if heads != key_heads and source_of(desc, "query") is not desc.query_tensor:
        yield DescriptorError(
            "needs a query_tensor where heads share keys",
            given="a stacked one",
            field="query_tensor",
        )


def _is_behind_ones(sizes: tuple[int, ...], expected: tuple[int, ...]) -> bool:
    ones = len(sizes) - len(expected)
    return ones >= 0 and sizes == (1,) * ones + expected


def _part(tensors: dict[str, Array | None], part: str, heads: int) -> Array | None:
    """Return queries, keys or values: batch, heads, length, size of a head."""
    for name, number in SOURCES[part].items():
        tensor = tensors[name]
        if tensor is None:
            continue
        if number is None:
            batch, length, _ = tensor.shape[-3:]
            return tensor.reshape(batch, length, heads, -1).transpose(0, 2, 1, 3)
        return tensor[:, :, :, number].transpose(0, 2, 1, 3)
    return None


def _present(past: Array | None, new: Array | None, lengths: Array | None, total: int) -> Array:
    """Return the past behind which something new comes."""
    if new is None or (past is None and lengths is None):
        found = past if new is None else new
        assert found is not None  # noqa: S101 (one of them is there, by the checks)
        return found
    if lengths is None:
        return np.concatenate((past, new), 2)  # type: ignore[arg-type]
    batch, heads, count, size = new.shape
    if past is None:
        kept = np.zeros((batch, heads, total, size), new.dtype)
    else:
        kept = past[:, :, :total]
        if kept.shape[2] < total:
            kept = np.pad(kept, ((0, 0), (0, 0), (0, total - kept.shape[2]), (0, 0)))
    starts = _starts(lengths, total).reshape(batch, 1, 1, 1)
    rows = np.broadcast_to(starts + np.arange(count)[:, None], new.shape)
    return scatter_elements(kept, rows, new, 2)


def _starts(lengths: Array, most: int) -> Array:
    """Return lengths of the past as INT64 from 0 to a limit; what is not finite is 0."""
    numbers = lengths.reshape(-1)
    if numbers.dtype.kind == "f":
        finite = np.where(np.isinf(numbers), numbers.dtype.type(0), numbers)
        numbers = truncated_to(finite, np.dtype(np.int64))
    return np.minimum(np.maximum(numbers.astype(np.int64), 0), most)


def _padding(mask: Array, kind: MaskType, sizes: tuple[int, int, int]) -> Array:
    """Return which scores are those of padding: batch, queries or 1, keys."""
    batch, queries, keys = sizes
    numbers = mask.reshape(-1).astype(np.int64)
    column = np.arange(keys)
    if kind == MaskType.KEY_SEQUENCE_LENGTH:
        return column >= numbers[:, None, None]
    if kind == MaskType.KEY_SEQUENCE_END_START:
        ends, starts = numbers.reshape(2, batch, 1, 1)
        return (column < starts) | (column >= ends)
    lengths, query_bounds = numbers[:batch], numbers[batch : 2 * batch + 1]
    key_starts = numbers[2 * batch + 1 : 3 * batch + 1]
    rows = np.arange(batch * queries).reshape(batch, queries, 1)
    columns = np.arange(batch * keys).reshape(batch, 1, keys)
    is_seen = np.zeros((batch, queries, keys), bool)
    for b in range(batch):
        of_queries = (rows >= query_bounds[b]) & (rows < query_bounds[b + 1])
        of_keys = (columns >= key_starts[b]) & (columns < key_starts[b] + lengths[b])
        is_seen = is_seen | (of_queries & of_keys)
    return ~is_seen


def _masked(
    scores: Array, mask: Array | None, kind: MaskType, filtered: np.float32, lengths: Array | None
) -> Array:
    """Return scores after the mask, and after the order in time where the past has lengths."""
    batch, _, queries, keys = scores.shape
    if mask is not None and kind == MaskType.BOOLEAN:
        own = mask.reshape(mask.shape[-4:])
        scores = np.where(own == 0, scores + filtered, scores)
    elif mask is not None:
        is_padding = _padding(mask, kind, (batch, queries, keys))
        scores = np.where(is_padding[:, None], filtered, scores)
    if lengths is not None:
        last = _starts(lengths, keys)[:, None, None, None] + np.arange(queries)[:, None]
        scores = np.where(np.arange(keys) > last, filtered, scores)
    return scores


def _attended(
    tensors: dict[str, Array | None], desc: Any, heads: int, key_heads: int
) -> tuple[Array, Array, Array]:
    """Return the output, and present keys and values."""
    sizes = sizes_of(desc, heads, key_heads)
    parts = {"query": heads, "key": key_heads, "value": key_heads}
    found = {part: _part(tensors, part, count) for part, count in parts.items()}
    bias = tensors["bias"]
    if bias is not None:
        start = 0
        widths = (sizes.head_size, sizes.head_size, sizes.value_size)
        for (part, count), width in zip(parts.items(), widths, strict=True):
            own = bias.reshape(-1)[start : start + count * width].reshape(count, 1, width)
            start += count * width
            given = found[part]
            found[part] = None if given is None else given + own
    if desc.output_present_key_tensor is not None or desc.output_present_value_tensor is not None:
        # What is moved to the present is not looked at again.
        for part in ("key", "value"):
            new = found[part]
            found[part] = None if new is None else np.where(np.isnan(new), np.float32(np.nan), new)
    if bias is None and desc.output_tensor.data_type is TensorDataType.FLOAT16:
        # Keys and values are put to the past as they are: products widen FLOAT16.
        for part in ("key", "value"):
            past, new = tensors[f"past_{part}"], found[part]
            tensors[f"past_{part}"] = None if past is None else past.astype(np.float16)
            found[part] = None if new is None else new.astype(np.float16)
    lengths = tensors.get("past_sequence_lengths")
    query = found["query"]
    assert query is not None  # noqa: S101 (by the checks)
    keys = _present(tensors["past_key"], found["key"], lengths, sizes.total)
    values = _present(tensors["past_value"], found["value"], lengths, sizes.total)
    shared = (sizes.batch, key_heads, heads // key_heads, sizes.queries)
    transposed = np.swapaxes(keys, -1, -2)[:, :, None]
    scores = contract(query.reshape(*shared, -1), transposed)
    scores = scores.reshape(sizes.batch, heads, sizes.queries, -1) * np.float32(desc.scale)
    position = tensors["relative_position_bias"]
    if position is not None:
        scores = scores + position.reshape(scores.shape)
    filtered = np.float32(desc.mask_filter_value)
    scores = _masked(scores, tensors["mask"], desc.mask_type, filtered, lengths)
    weights = softmax(scores, [3], np.float32)
    mixed = contract(weights.reshape(*shared, -1), values[:, :, None])
    mixed = mixed.reshape(sizes.batch, heads, sizes.queries, -1).transpose(0, 2, 1, 3)
    return (
        mixed.reshape(desc.output_tensor.sizes_tuple),
        _shaped(keys, desc.output_present_key_tensor),
        _shaped(values, desc.output_present_value_tensor),
    )


def _shaped(present: Array, tensor: Any) -> Array:
    return present if tensor is None else present.reshape(tensor.sizes_tuple)


def _check_heads(desc: Any) -> Iterator[DirectMLError]:
    yield from _check(desc, desc.head_count, desc.head_count)


@operator("MULTIHEAD_ATTENTION", check=_check_heads, moved=_PRESENT)
def attended(
    query: Array | None, key: Array | None, value: Array | None, stacked_query_key: Array | None,
    stacked_key_value: Array | None, stacked_query_key_value: Array | None, bias: Array | None,
    mask: Array | None, relative_position_bias: Array | None, past_key: Array | None,
    past_value: Array | None, *, head_count: int, desc: Any,
) -> tuple[Array, Array, Array]:  # fmt: skip
    """Output = softmax((Query Key^T) * Scale + RelativePositionBias, masked) Value, for each head.

    The bias is added to queries, keys and values first, and the past is put before keys and values,
    which then are the present. FLOAT32, every operation rounded: products by rule C256 as in GEMM,
    SOFTMAX as ACTIVATION_SOFTMAX, rounded to FLOAT32. FLOAT16 is rounded to once, at the end.

    Queries, keys and values come from one tensor each, their own or a stacked one; keys and values
    may be left out where there is a past. A mask with MaskType

    - BOOLEAN adds MaskFilterValue where it is 0; it repeats along dimensions of size 1.
    - KEY_SEQUENCE_LENGTH replaces by MaskFilterValue the scores of keys from the length on.
    - KEY_SEQUENCE_END_START those before the start, in row 1, and from the end on, in row 0.
    - KEY_QUERY_SEQUENCE_LENGTH_START_END those of a query and a key that are not of one sequence:
      rows of all batches are numbered through; queries from one start to the next, as many keys
      as the length from the key's start.

    The past counts as keys.

    The page errs: it says both that MaskFilterValue is added and that it is set; each type does
    what its own sentence says.

    Our choice: which scores KEY_QUERY_SEQUENCE_LENGTH_START_END replaces; the page gives the layout
    of its mask alone.

    Example: scale=1, mask_filter_value=-10000, head_count=1, mask_type=NONE;
        float32 [[[1, 0]]], [[[0, 1], [0, 1]]], [[[2, 4], [4, 8]]], None, None, None, None, None,
        None, None, None -> [[[3, 6]]], [[[[0, 1], [0, 1]]]], [[[[2, 4], [4, 8]]]]
    """
    tensors = {
        "query": query, "key": key, "value": value, "stacked_query_key": stacked_query_key,
        "stacked_key_value": stacked_key_value, "stacked_query_key_value": stacked_query_key_value,
        "bias": bias, "mask": mask, "relative_position_bias": relative_position_bias,
        "past_key": past_key, "past_value": past_value,
    }  # fmt: skip
    return _attended(tensors, desc, head_count, head_count)


def _kept(desc: Any) -> dict[str, str]:
    """Return where the past is if it has lengths and no tensors: ONNX Runtime gives it so."""
    is_past = desc.past_sequence_lengths_tensor is not None and desc.past_key_tensor is None
    presents = desc.output_present_key_tensor, desc.output_present_value_tensor
    if not is_past or None in presents or source_of(desc, "key") is None:
        return {}
    return dict(zip(("past_key_tensor", "past_value_tensor"), _PRESENT, strict=True))


def _check_shared_heads(desc: Any) -> Iterator[DirectMLError]:
    yield from _check(desc, desc.query_head_count, desc.key_value_head_count)


@operator("MULTIHEAD_ATTENTION1", check=_check_shared_heads, moved=_PRESENT, kept=_kept)
def attended_in_groups(
    query: Array | None, key: Array | None, value: Array | None, stacked_query_key: Array | None,
    stacked_key_value: Array | None, stacked_query_key_value: Array | None, bias: Array | None,
    mask: Array | None, relative_position_bias: Array | None, past_key: Array | None,
    past_value: Array | None, past_sequence_lengths: Array | None, *, query_head_count: int,
    key_value_head_count: int, desc: Any,
) -> tuple[Array, Array, Array]:  # fmt: skip
    """Output = MULTIHEAD_ATTENTION in which heads of queries share those of keys and values.

    Head h of the queries goes with head h // (QueryHeadCount / KeyValueHeadCount).

    With PastSequenceLengths new keys and values are written over the past from that position on, as
    far as there is room in the present, which has the sizes of the present outputs (else of the
    past, or of the keys). Query i then sees keys up to position PastSequenceLengths + i: scores
    beyond it are replaced by MaskFilterValue, after the mask. Without PastKey and PastValue the
    past is what the memory of both present outputs holds before, which is 0 where a call makes it;
    what else nothing is written to is 0.

    The page is silent: heads that share, and lengths of the past; ONNX Runtime's
    GroupQueryAttention, which it maps to this operator, decides.

    The page errs: its table has lengths as FLOAT32 and FLOAT16, and ONNX Runtime gives INT32, which
    is how the operator runs on devices. Both are taken; a fraction is cut off.

    Present outputs may lie on the past where a graph is compiled so: nothing is copied then but the
    new rows.

    Example: scale=1, mask_filter_value=-10000, query_head_count=2, key_value_head_count=1,
        mask_type=NONE;
        float32 [[[0, 1]]], [[[0], [0]]], [[[2], [4]]], None, None, None, None, None,
        None, None, None, None -> [[[3, 3]]], [[[[0], [0]]]], [[[[2], [4]]]]
    """
    tensors = {
        "query": query, "key": key, "value": value, "stacked_query_key": stacked_query_key,
        "stacked_key_value": stacked_key_value, "stacked_query_key_value": stacked_query_key_value,
        "bias": bias, "mask": mask, "relative_position_bias": relative_position_bias,
        "past_key": past_key, "past_value": past_value,
        "past_sequence_lengths": past_sequence_lengths,
    }  # fmt: skip
    return _attended(tensors, desc, query_head_count, key_value_head_count)
