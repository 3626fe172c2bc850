"""Functions for graphs of the family convolution, written by hand."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from indirectml.catalogue.enumerations import ConvolutionDirection, ConvolutionMode
from indirectml.catalogue.fused_activations import FusedActivation
from indirectml.descriptors.definitions import NEUTRAL, graph_function
from indirectml.graphs.expressions import Expression, checked_operand, new_tensor
from indirectml.operators import descriptor_class
from indirectml.operators.convolution import convolved_sizes


@graph_function
def convolution(
    input: Expression,
    filter: Expression,
    bias: Expression | None = None,
    *,
    mode: ConvolutionMode = ConvolutionMode.CROSS_CORRELATION,
    direction: ConvolutionDirection = ConvolutionDirection.FORWARD,
    strides: Sequence[int] = (),
    dilations: Sequence[int] = (),
    start_padding: Sequence[int] = (),
    end_padding: Sequence[int] = (),
    output_padding: Sequence[int] = (),
    group_count: int = 1,
    fused_activation: FusedActivation | None = None,
    output_sizes: Sequence[int] = (),
) -> Expression:
    """Return the convolution of a tensor with a filter; see `ConvolutionOperatorDesc`.

    Parameters
    ----------
    input : Expression
        [batch, channels, spatial ...], with 1 to 3 spatial dimensions.
    filter : Expression
        [output channels, channels of a group, spatial ...]; backwards [channels, output channels of
        a group, spatial ...].
    bias : Expression, optional
        [1, output channels, 1 ...].
    mode : ConvolutionMode
        CONVOLUTION turns the filter round.
    direction : ConvolutionDirection
        BACKWARD is the transposed convolution.
    strides, dilations : sequence of int
        One per spatial dimension; 1 if left empty.
    start_padding, end_padding, output_padding : sequence of int
        One per spatial dimension; 0 if left empty.
    group_count : int
        Into how many groups the channels are divided.
    fused_activation : FusedActivation, optional
        Computed on the result before it is rounded to the output's data type.
    output_sizes : sequence of int
        Backwards, in place of an output padding: what that has to give.

    Examples
    --------
    >>> graph = Graph(Device())
    >>> x = graph.constant(np.array([[[1, 2, 3]]], np.float32))
    >>> w = graph.constant(np.array([[[1, 10]]], np.float32))
    >>> graph.compile([convolution(x, w)])()
    [array([[[21., 32.]]], dtype=float32)]
    """
    checked_operand("convolution", input)
    checked_operand("convolution", filter)
    spatial = len(input.shape) - 2
    given = {
        "strides": strides,
        "dilations": dilations,
        "start_padding": start_padding,
        "end_padding": end_padding,
        "output_padding": output_padding,
    }
    arrays = {n: tuple(v) or (NEUTRAL[n],) * spatial for n, v in given.items()}
    fields: dict[str, Any] = {"direction": direction, "group_count": group_count} | arrays
    try:
        sizes = convolved_sizes(input.shape, filter.shape, None, **fields)
        if output_sizes and not output_padding:
            more = [b - a for a, b in zip(sizes[2:], tuple(output_sizes)[2:], strict=True)]
            fields["output_padding"] = tuple(more)
            sizes = tuple(output_sizes)
    except (IndexError, ValueError, ZeroDivisionError):
        sizes = input.shape  # what does not fit is said by the descriptor
    desc = descriptor_class("CONVOLUTION")(
        input.desc,
        filter.desc,
        new_tensor(input, [max(size, 1) for size in sizes]),
        bias_tensor=None if bias is None else checked_operand("convolution", bias).desc,
        mode=mode,
        fused_activation=fused_activation,
        **fields,
    )
    return input.graph.add_node(desc, input, filter, bias)[0]
