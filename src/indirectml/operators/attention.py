"""Attention: values of a sequence, weighed by how well their keys answer queries."""

from __future__ import annotations

from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any, NamedTuple

import numpy as np

from indirectml.arithmetic.basics import Array, truncated_to
from indirectml.arithmetic.contraction import contract
from indirectml.arithmetic.gathering import gather_tuples
from indirectml.arithmetic.softmax import softmax
from indirectml.catalogue.enumerations import MultiheadAttentionMaskType
from indirectml.catalogue.enumerations import MultiheadAttentionMaskType as MaskType
from indirectml.core.errors import DescriptorError, DirectMLError
from indirectml.descriptors.definitions import fields_of, graph_function, operator
from indirectml.graphs.expressions import Expression, checked_operand, new_tensor
from indirectml.graphs.outputs import MultiheadAttentionOutputs
from indirectml.operators import descriptor_class

#: Where queries, keys and values may come from: a tensor of their own, or a part of a stacked one.
SOURCES: dict[str, dict[str, int | None]] = {
    "query": {"query": None, "stacked_query_key": 0, "stacked_query_key_value": 0},
    "key": {
        "key": None, "stacked_query_key": 1, "stacked_key_value": 0, "stacked_query_key_value": 1,
    },
    "value": {"value": None, "stacked_key_value": 1, "stacked_query_key_value": 2},
}  # fmt: skip


class _Sizes(NamedTuple):
    """What the tensors of a descriptor have in common."""

    batch: int
    queries: int
    keys: int
    past: int
    total: int
    head_size: int
    value_size: int


def _source(desc: Any, part: str) -> Any:
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

    batch, queries, head_size = read(_source(desc, "query"), desc.query_tensor, heads)
    past = 0 if desc.past_key_tensor is None else desc.past_key_tensor.sizes[-2]
    value = _source(desc, "value")
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
    if (_source(desc, "key") is None) != (_source(desc, "value") is None):
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
    if heads != key_heads and _source(desc, "query") is not desc.query_tensor:
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
    kept = 0 if past is None else min(past.shape[2], total)
    whole = new if past is None else np.concatenate((past[:, :, :kept], new), 2)
    starts = _starts(lengths, total)[:, None]
    at = np.arange(total)
    is_new = (at >= starts) & (at < starts + new.shape[2])
    source = np.where(is_new, at - starts + kept, np.minimum(at, max(kept - 1, 0)))
    taken = gather_tuples(whole.transpose(0, 2, 1, 3), source[:, :, None], 1)
    is_there = (is_new | (at < kept))[:, :, None, None]
    return np.where(is_there, taken, new.dtype.type(0)).transpose(0, 2, 1, 3)


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


def _scores(desc: Any, heads: int, key_heads: int) -> int:
    """Return how many scores there are: the largest array between inputs and outputs."""
    sizes = sizes_of(desc, heads, key_heads)
    return sizes.batch * heads * sizes.queries * sizes.total


def _check_heads(desc: Any) -> Iterator[DirectMLError]:
    yield from _check(desc, desc.head_count, desc.head_count)


@operator(
    "MULTIHEAD_ATTENTION",
    check=_check_heads,
    between=lambda desc: _scores(desc, desc.head_count, desc.head_count),
)
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


def _check_shared_heads(desc: Any) -> Iterator[DirectMLError]:
    yield from _check(desc, desc.query_head_count, desc.key_value_head_count)


@operator(
    "MULTIHEAD_ATTENTION1",
    check=_check_shared_heads,
    between=lambda desc: _scores(desc, desc.query_head_count, desc.key_value_head_count),
)
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
    past, or of the keys); what nothing is written to is 0. Query i then sees keys up to position
    PastSequenceLengths + i: scores beyond it are replaced by MaskFilterValue, after the mask.

    The page is silent: heads that share, and lengths of the past; ONNX Runtime's
    GroupQueryAttention, which it maps to this operator, decides.

    The page errs: its table has lengths as FLOAT32 and FLOAT16. That is followed; a fraction is cut
    off.

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


@graph_function
def multihead_attention(
    query: Expression, key: Expression, value: Expression, *, head_count: int, scale: float
) -> Expression:
    """Return values weighed by how well keys answer queries; see `MultiheadAttentionOperatorDesc`.

    Parameters
    ----------
    query : Expression
        Batch, length, head count times the size of a head.
    key, value : Expression
        Likewise; their length is their own, and the size of a head of `value`.
    head_count : int
        How many heads there are.
    scale : float
        What scores are multiplied by, mostly 1 / sqrt(size of a head). Rounded to FLOAT32.

    Examples
    --------
    >>> graph = Graph(Device())
    >>> query = graph.constant(np.array([[[1, 0]]], np.float32))
    >>> key = graph.constant(np.array([[[0, 1], [0, 1]]], np.float32))
    >>> value = graph.constant(np.array([[[2, 4], [4, 8]]], np.float32))
    >>> graph.compile([multihead_attention(query, key, value, head_count=1, scale=1)])()
    [array([[[3., 6.]]], dtype=float32)]
    """
    for operand in (query, key, value):
        checked_operand("multihead_attention", operand)
    desc = descriptor_class("MULTIHEAD_ATTENTION")(
        query_tensor=query.desc, key_tensor=key.desc, value_tensor=value.desc,
        output_tensor=new_tensor(query, (*query.shape[:-1], value.shape[-1])), scale=scale,
        mask_filter_value=-10000.0, head_count=head_count, mask_type=MaskType.NONE,
    )  # fmt: skip
    nothing = (None,) * 8
    return query.graph.add_node(desc, query, key, value, *nothing)[0]


@graph_function
def multihead_attention1(
    query: Expression | None = None,
    key: Expression | None = None,
    value: Expression | None = None,
    stacked_query_key: Expression | None = None,
    stacked_key_value: Expression | None = None,
    stacked_query_key_value: Expression | None = None,
    bias: Expression | None = None,
    mask: Expression | None = None,
    relative_position_bias: Expression | None = None,
    past_key: Expression | None = None,
    past_value: Expression | None = None,
    past_sequence_lengths: Expression | None = None,
    *,
    query_head_count: int,
    key_value_head_count: int,
    scale: float,
    mask_filter_value: float = -10000.0,
    mask_type: MultiheadAttentionMaskType = MaskType.NONE,
    output_present: bool = False,
) -> MultiheadAttentionOutputs:
    """Return attention whose heads may share keys; see `MultiheadAttention1OperatorDesc`.

    Parameters
    ----------
    query, key, value, stacked_query_key, stacked_key_value, stacked_query_key_value, bias, mask, \
relative_position_bias, past_key, past_value, past_sequence_lengths : Expression, optional
        As the tensors of the descriptor.
    query_head_count, key_value_head_count : int
        How many heads there are.
    scale : float
        What scores are multiplied by, mostly 1 / sqrt(size of a head). Rounded to FLOAT32.
    mask_filter_value : float
        What takes the place of a score that the mask hides.
    mask_type : MultiheadAttentionMaskType
        What `mask` is.
    output_present : bool
        Whether keys and values are returned too, behind the past ones.

    Examples
    --------
    >>> graph = Graph(Device())
    >>> query = graph.constant(np.array([[[0, 1]]], np.float32))
    >>> key = graph.constant(np.array([[[0], [0]]], np.float32))
    >>> value = graph.constant(np.array([[[2], [4]]], np.float32))
    >>> found = multihead_attention1(
    ...     query, key, value, query_head_count=2, key_value_head_count=1, scale=1
    ... )
    >>> graph.compile([found.output])()
    [array([[[3., 3.]]], dtype=float32)]
    """
    given = (
        query, key, value, stacked_query_key, stacked_key_value, stacked_query_key_value, bias,
        mask, relative_position_bias, past_key, past_value, past_sequence_lengths,
    )  # fmt: skip
    fields: dict[str, Any] = {
        name: None if x is None else checked_operand("multihead_attention1", x).desc
        for name, x in zip(_INPUTS, given, strict=True)
    }
    known: dict[str, Any] = {
        "query_head_count": query_head_count, "key_value_head_count": key_value_head_count,
        "scale": scale, "mask_filter_value": mask_filter_value, "mask_type": mask_type,
    }  # fmt: skip
    first = next((x for x in given if x is not None), None)
    tensors = SimpleNamespace(**fields, **known, output_present_key_tensor=None)
    has_values = _source(tensors, "value") is not None or past_value is not None
    if first is None or _source(tensors, "query") is None or not has_values:
        raise DescriptorError("needs queries, keys and values", field="multihead_attention1")
    # A wrong count is refused by the device, which names it.
    s = sizes_of(tensors, max(query_head_count, 1), max(key_value_head_count, 1))
    outputs = [new_tensor(first, (s.batch, s.queries, query_head_count * s.value_size))]
    if output_present:
        whole = (s.batch, key_value_head_count, s.total)
        outputs += [new_tensor(first, (*whole, size)) for size in (s.head_size, s.value_size)]
    names = ("output_tensor", "output_present_key_tensor", "output_present_value_tensor")
    made = dict(zip(names, outputs, strict=False))
    desc = descriptor_class("MULTIHEAD_ATTENTION1")(**fields, **made, **known)
    return MultiheadAttentionOutputs(*first.graph.add_node(desc, *given))


#: The inputs of MULTIHEAD_ATTENTION1, in order.
_INPUTS = tuple(name for name, f in fields_of("MULTIHEAD_ATTENTION1") if f.kind == "input_tensor")
