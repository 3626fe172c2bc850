"""Convolution."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from indirectml.arithmetic.basics import Array
from indirectml.arithmetic.convolution import Geometry, convolve
from indirectml.catalogue.enumerations import ConvolutionDirection, ConvolutionMode
from indirectml.core.errors import DescriptorError, DirectMLError
from indirectml.descriptors.checks import check_each
from indirectml.descriptors.definitions import operator

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


def convolved_sizes(
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


@operator("CONVOLUTION", sizes=convolved_sizes, check=_fits,
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
