"""Convolution."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from indirectml.arithmetic.basics import Array
from indirectml.arithmetic.convolution import Geometry, convolve
from indirectml.catalogue.enumerations import ConvolutionDirection, ConvolutionMode
from indirectml.catalogue.fused_activations import FusedActivation
from indirectml.core.errors import DescriptorError, DirectMLError
from indirectml.descriptors.checks import check_each
from indirectml.descriptors.definitions import NEUTRAL, graph_function, operator
from indirectml.graphs.expressions import Expression, checked_operand, new_tensor
from indirectml.operators import descriptor_class

Shape = tuple[int, ...]

_ARRAYS = ("strides", "dilations", "start_padding", "end_padding", "output_padding")


def geometry(
    mode: ConvolutionMode,
    direction: ConvolutionDirection,
    group_count: int,
    **arrays: Sequence[int],
) -> Geometry:
    """Return the geometry that the fields of a convolution describe."""
    backward = direction == ConvolutionDirection.BACKWARD
    return Geometry(
        "convolution" if mode == ConvolutionMode.CONVOLUTION else "cross_correlation",
        "backward" if backward else "forward",
        **{name: tuple(arrays[name]) for name in _ARRAYS},
        group_count=group_count,
    )


def _convolved(
    input_sizes: Shape,
    filter_sizes: Shape,
    _: Shape | None,
    *,
    direction: ConvolutionDirection,
    strides: Sequence[int],
    dilations: Sequence[int],
    start_padding: Sequence[int],
    end_padding: Sequence[int],
    output_padding: Sequence[int],
    group_count: int,
) -> Shape:
    """The input's batch, the filter's output channels, and as many windows as fit."""
    found = geometry(
        ConvolutionMode.CROSS_CORRELATION,
        direction,
        group_count,
        strides=strides,
        dilations=dilations,
        start_padding=start_padding,
        end_padding=end_padding,
        output_padding=output_padding,
    )
    return found.output_sizes(input_sizes, filter_sizes)


def check_geometry(desc: Any, names: Sequence[str] = _ARRAYS) -> Iterator[DirectMLError]:
    """Yield what is wrong between input, filter and the fields of windows."""
    x, w = desc.input_tensor.sizes, desc.filter_tensor.sizes
    check_each(desc, names, len(x) - 2, "spatial dimension")
    for name in ("strides", "dilations"):
        for axis, value in enumerate(getattr(desc, name)):
            if value < 1:
                yield DescriptorError("needs at least 1", given=f"{value}", field=f"{name}[{axis}]")
    if desc.group_count < 1:
        yield DescriptorError("needs at least 1", given=f"{desc.group_count}", field="group_count")
        return
    backward = getattr(desc, "direction", None) == ConvolutionDirection.BACKWARD
    channels = w[0] if backward else w[1] * desc.group_count
    if x[1] != channels:
        yield DescriptorError(
            f"needs {channels} channels, as the filter {w} in {desc.group_count} groups",
            given=f"{x[1]} {x}",
            field="input_tensor.sizes",
        )
    elif w[0] % desc.group_count:
        yield DescriptorError(
            f"needs a multiple of {desc.group_count}, the count of groups, in front",
            given=f"{w}",
            field="filter_tensor.sizes",
        )


def _fits(desc: Any) -> Iterator[DirectMLError]:
    yield from check_geometry(desc)
    if desc.bias_tensor is not None:
        w, backward = desc.filter_tensor.sizes, desc.direction == ConvolutionDirection.BACKWARD
        count = w[1] * desc.group_count if backward else w[0]
        expected = [1, count, *(1 for _ in w[2:])]
        if desc.bias_tensor.sizes != expected:
            yield DescriptorError(
                f"needs {expected}: one per output channel",
                given=f"{desc.bias_tensor.sizes}",
                field="bias_tensor.sizes",
            )


@operator("CONVOLUTION", sizes=_convolved, check=_fits,
          defaults={
              "mode": ConvolutionMode.CROSS_CORRELATION,
              "direction": ConvolutionDirection.FORWARD,
              "strides": (), "dilations": (), "start_padding": (), "end_padding": (),
              "output_padding": (), "group_count": 1,
          })  # fmt: skip
def convolved(
    x: Array,
    w: Array,
    bias: Array | None,
    *,
    mode: ConvolutionMode,
    direction: ConvolutionDirection,
    strides: Sequence[int],
    dilations: Sequence[int],
    start_padding: Sequence[int],
    end_padding: Sequence[int],
    output_padding: Sequence[int],
    group_count: int,
) -> Array:
    """Output = Activation(Input * Filter + Bias): sums of products under a window that slides.

    FLOAT32, by rule C256 as in GEMM, with k = (channel * rows + row) * columns + column within the
    group, counting filter elements as they are stored, whatever mode and direction. Padding is
    included as zeros (an infinite weight times a padded zero is NaN). CONVOLUTION turns the filter
    round along each spatial dimension, CROSS_CORRELATION does not. BACKWARD is the transposed
    convolution: the gradient of a forward one by its input; the holes of strides are skipped, and a
    skipped tap keeps its k. Then total + Bias, the activation, and one rounding.

    The output has (input + paddings - dilation * (filter - 1) - 1) // stride + 1 + OutputPadding
    elements along a spatial dimension; backwards (input - 1) * stride + dilation * (filter - 1) + 1
    - paddings + OutputPadding.

    Example: float32 [[[1, 2, 3]]], [[[1, 10]]], None -> [[[21, 32]]]
    """
    found = geometry(
        mode,
        direction,
        group_count,
        strides=strides,
        dilations=dilations,
        start_padding=start_padding,
        end_padding=end_padding,
        output_padding=output_padding,
    )
    return convolve(
        x,
        w,
        None if bias is None else bias.reshape(-1),
        mode=found.mode,
        direction=found.direction,
        strides=found.strides,
        dilations=found.dilations,
        start_padding=found.start_padding,
        end_padding=found.end_padding,
        output_padding=found.output_padding,
        group_count=group_count,
    )


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
        sizes = _convolved(input.shape, filter.shape, None, **fields)
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
