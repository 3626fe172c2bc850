"""Functions for graphs of the family attention, written by hand."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

from indirectml.catalogue.enumerations import MultiheadAttentionMaskType
from indirectml.catalogue.enumerations import MultiheadAttentionMaskType as MaskType
from indirectml.core.errors import DescriptorError
from indirectml.descriptors.definitions import fields_of, graph_function
from indirectml.graphs.expressions import Expression, checked_operand, new_tensor
from indirectml.graphs.outputs import MultiheadAttentionOutputs
from indirectml.operators import descriptor_class
from indirectml.operators.attention import sizes_of, source_of


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
    has_values = source_of(tensors, "value") is not None or past_value is not None
    if first is None or source_of(tensors, "query") is None or not has_values:
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
