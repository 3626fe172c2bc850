"""Functions for graphs of the family layouts, written by hand."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from indirectml.catalogue.enumerations import PaddingMode
from indirectml.core.scalars import Scalar
from indirectml.descriptors.definitions import graph_function
from indirectml.fills.sequences import as_number
from indirectml.graphs.expressions import Expression, checked_operand, new_tensor, scalar_argument
from indirectml.operators import descriptor_class
from indirectml.operators.layouts import padded_sizes


@graph_function
def padding(
    input: Expression,
    *,
    padding_mode: PaddingMode = PaddingMode.CONSTANT,
    padding_value: Scalar = 0,
    start_padding: Sequence[int],
    end_padding: Sequence[int],
) -> Expression:
    """Return a tensor with elements around it; see `PaddingOperatorDesc`.

    Parameters
    ----------
    input : Expression
        What is padded.
    padding_mode : PaddingMode
        What padding is filled with.
    padding_value : int or float
        In mode CONSTANT.
    start_padding, end_padding : sequence of int
        One per dimension.

    Examples
    --------
    >>> graph = Graph(Device())
    >>> x = graph.constant(np.array([1, 2], np.float32))
    >>> graph.compile([padding(x, padding_value=9, start_padding=[1], end_padding=[0])])()
    [array([9., 1., 2.], dtype=float32)]
    """
    data_type = checked_operand("padding", input).desc.data_type
    counts = len(start_padding) == len(end_padding) == len(input.shape)
    sizes = (
        padded_sizes(input.shape, start_padding=start_padding, end_padding=end_padding)
        if counts
        else input.shape
    )
    fields: dict[str, Any] = {
        "padding_mode": padding_mode,
        "start_padding": start_padding,
        "end_padding": end_padding,
    }
    bits = scalar_argument("padding_value", padding_value, data_type)
    value = float(as_number(bits.bits(data_type), data_type))
    output = new_tensor(input, sizes)
    with np.errstate(over="ignore"):
        is_single = float(np.float32(value)) == value
    if value == padding_value and is_single:
        desc = descriptor_class("PADDING")(input.desc, output, padding_value=value, **fields)
    else:
        desc = descriptor_class("PADDING1")(
            input.desc, output, padding_value_data_type=data_type, padding_value=bits, **fields
        )
    return input.graph.add_node(desc, input)[0]
