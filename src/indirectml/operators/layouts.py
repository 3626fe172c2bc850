"""Elements rearranged: padding, blocks of pixels, reversed sequences, windows as columns."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import prod
from typing import Any

import numpy as np

from indirectml.arithmetic import windows
from indirectml.arithmetic.basics import Array, truncated_to
from indirectml.arithmetic.gathering import gather_elements
from indirectml.arithmetic.resampling import take_nearest
from indirectml.arithmetic.windows import Window
from indirectml.catalogue.enumerations import DepthSpaceOrder, PaddingMode
from indirectml.core.errors import DescriptorError, DirectMLError
from indirectml.descriptors.checks import (
    check_axis,
    check_each,
    check_leading_ones,
    check_value_data_type,
)
from indirectml.descriptors.definitions import operator

Shape = tuple[int, ...]
Integers = Sequence[int]

_NUMPY_MODES = {
    PaddingMode.EDGE: "edge",
    PaddingMode.REFLECTION: "reflect",
    PaddingMode.SYMMETRIC: "symmetric",
    PaddingMode.WRAP: "wrap",
}


def padded_sizes(input_sizes: Shape, *, start_padding: Integers, end_padding: Integers) -> Shape:
    """The input's sizes and both paddings."""
    both = zip(input_sizes, start_padding, end_padding, strict=True)
    return tuple(start + size + end for size, start, end in both)


def _padding_fits(desc: Any) -> Iterator[DirectMLError]:
    check_each(desc, ("start_padding", "end_padding"), len(desc.input_tensor.sizes))
    if desc.padding_mode != PaddingMode.REFLECTION:
        return
    for axis, size in enumerate(desc.input_tensor.sizes):
        for name in ("start_padding", "end_padding"):
            if size == 1 and getattr(desc, name)[axis]:
                yield DescriptorError(
                    "needs at least 2 elements to reflect", given="1", field=f"{name}[{axis}]"
                )


def _typed_padding(desc: Any) -> Iterator[DirectMLError]:
    check_value_data_type(desc.padding_value_data_type, desc.input_tensor,
                          field="padding_value_data_type", of="input")  # fmt: skip
    yield from _padding_fits(desc)


def _pad(x: Array, mode: PaddingMode, start: Integers, end: Integers, value: Any) -> Array:
    pairs = list(zip(start, end, strict=True))
    if mode == PaddingMode.CONSTANT:
        return np.pad(x, pairs, "constant", constant_values=value)
    # Which elements of each axis there are, by padding their numbers.
    indices = {
        axis: np.pad(np.arange(size), pair, _NUMPY_MODES[mode])  # type: ignore[call-overload]
        for axis, (size, pair) in enumerate(zip(x.shape, pairs, strict=True))
        if any(pair)
    }
    return take_nearest(x, indices)


@operator("PADDING1", sizes=padded_sizes, check=_typed_padding, keeps_bits=True)
def padded_with_scalars(
    x: Array,
    *,
    padding_mode: PaddingMode,
    padding_value: Any,
    start_padding: Integers,
    end_padding: Integers,
) -> Array:
    """Output = Input with elements around it.

    CONSTANT writes the value, EDGE the nearest element, REFLECTION mirrors at the outermost
    element, SYMMETRIC behind it, WRAP goes on at the other end; beyond one length they go on
    likewise. Every bit is kept.

    Example: padding_mode=CONSTANT, padding_value_data_type=np.int8, padding_value=9,
        start_padding=[1], end_padding=[2]; int8 [1, 2] -> [9, 1, 2, 9, 9]
    Example: padding_mode=REFLECTION, padding_value_data_type=np.int8, padding_value=0,
        start_padding=[1], end_padding=[1]; int8 [1, 2, 3] -> [2, 1, 2, 3, 2]
    """
    return _pad(x, padding_mode, start_padding, end_padding, padding_value)


@operator("PADDING", sizes=padded_sizes, check=_padding_fits, keeps_bits=True)
def padded(
    x: Array,
    *,
    padding_mode: PaddingMode,
    padding_value: float,
    start_padding: Integers,
    end_padding: Integers,
) -> Array:
    """Output = Input with elements around it.

    As PADDING1, with a FLOAT32 value, which is rounded to the data type of the tensors once; for
    integers it goes towards zero and stays within the data type.

    Example: padding_mode=SYMMETRIC, padding_value=0, start_padding=[1], end_padding=[1];
        int8 [1, 2] -> [1, 1, 2, 2]
    """
    value = np.float32(padding_value)
    typed = (
        value.astype(x.dtype) if x.dtype.kind == "f" else truncated_to(np.array([value]), x.dtype)
    )
    return _pad(x, padding_mode, start_padding, end_padding, np.ravel(typed)[0])


def _deep(input_sizes: Shape, *, block_size: int) -> Shape:
    """Block times block as many channels, and as many times fewer rows and columns."""
    n, c, h, w = input_sizes
    return (n, c * block_size**2, h // block_size, w // block_size)


def _wide(input_sizes: Shape, *, block_size: int) -> Shape:
    """Block times as many rows and columns, and as many times fewer channels."""
    n, c, h, w = input_sizes
    return (n, c // block_size**2, h * block_size, w * block_size)


def _divides(desc: Any, sizes: list[int], divisor: int) -> Iterator[DirectMLError]:
    if desc.block_size < 1:
        raise DescriptorError("needs at least 1", given=f"{desc.block_size}", field="block_size")
    if any(size % divisor for size in sizes):
        yield DescriptorError(
            f"needs a size that {divisor} divides: {sizes}",
            given=f"{desc.input_tensor.sizes}",
            field="input_tensor.sizes",
        )


def _blocks_of_pixels(desc: Any) -> Iterator[DirectMLError]:
    yield from _divides(desc, desc.input_tensor.sizes[2:], desc.block_size)


def _blocks_of_channels(desc: Any) -> Iterator[DirectMLError]:
    yield from _divides(desc, desc.input_tensor.sizes[1:2], desc.block_size**2)


@operator("SPACE_TO_DEPTH1", "space_to_depth", older=("SPACE_TO_DEPTH",), sizes=_deep,
          check=_blocks_of_pixels, defaults={"order": DepthSpaceOrder.DEPTH_COLUMN_ROW},
          keeps_bits=True)  # fmt: skip
def space_to_depth(
    x: Array, *, block_size: int, order: DepthSpaceOrder = DepthSpaceOrder.DEPTH_COLUMN_ROW
) -> Array:
    """Output = Input with every block of pixels as channels.

    With DEPTH_COLUMN_ROW the output's channels are numbered by row and column in the block, then by
    the input's channel; with COLUMN_ROW_DEPTH by channel, then by row and column. Every bit is
    kept. SPACE_TO_DEPTH does the former.

    Example: block_size=2; int8 [[[[1, 2], [3, 4]]]] -> [[[[1]], [[2]], [[3]], [[4]]]]
    """
    n, c, h, w = x.shape
    b = block_size
    blocks = x.reshape(n, c, h // b, b, w // b, b)
    axes = (0, 3, 5, 1, 2, 4) if order == DepthSpaceOrder.DEPTH_COLUMN_ROW else (0, 1, 3, 5, 2, 4)
    return blocks.transpose(axes).reshape(n, c * b * b, h // b, w // b)


@operator("DEPTH_TO_SPACE1", "depth_to_space", older=("DEPTH_TO_SPACE",), sizes=_wide,
          check=_blocks_of_channels, defaults={"order": DepthSpaceOrder.DEPTH_COLUMN_ROW},
          keeps_bits=True)  # fmt: skip
def depth_to_space(
    x: Array, *, block_size: int, order: DepthSpaceOrder = DepthSpaceOrder.DEPTH_COLUMN_ROW
) -> Array:
    """Output = Input with channels as blocks of pixels: the way back of SPACE_TO_DEPTH1.

    Every bit is kept. DEPTH_TO_SPACE numbers channels by DEPTH_COLUMN_ROW.

    Example: block_size=2; int8 [[[[1]], [[2]], [[3]], [[4]]]] -> [[[[1, 2], [3, 4]]]]
    """
    n, c, h, w = x.shape
    b = block_size
    if order == DepthSpaceOrder.DEPTH_COLUMN_ROW:
        blocks = x.reshape(n, b, b, c // b**2, h, w).transpose(0, 3, 4, 1, 5, 2)
    else:
        blocks = x.reshape(n, c // b**2, b, b, h, w).transpose(0, 1, 4, 2, 5, 3)
    return blocks.reshape(n, c // b**2, h * b, w * b)


def _lengths_fit(desc: Any) -> Iterator[DirectMLError]:
    check_axis(desc.axis, desc.input_tensor)
    expected = desc.input_tensor.sizes
    expected[desc.axis] = 1
    if desc.sequence_lengths_tensor.sizes != expected:
        yield DescriptorError(
            f"needs {expected}: the input's sizes with 1 along the axis",
            given=f"{desc.sequence_lengths_tensor.sizes}",
            field="sequence_lengths_tensor.sizes",
        )


def _same(input_sizes: Shape, _: Shape) -> Shape:
    """The input's sizes."""
    return input_sizes


@operator("REVERSE_SUBSEQUENCES", "reverse_subsequences", sizes=_same, check=_lengths_fit,
          keeps_bits=True)  # fmt: skip
def reversed_sequences(x: Array, lengths: Array, *, axis: int) -> Array:
    """Output = Input with the first elements of each sequence along the axis in reverse.

    As many as the sequence's length says, at most all. Every bit is kept.

    Example: axis=1; int8 [[1, 2, 3], [4, 5, 6]], uint32 [[2], [9]] -> [[2, 1, 3], [6, 5, 4]]
    """
    size = x.shape[axis]
    shape = [size if k == axis else 1 for k in range(x.ndim)]
    position = np.arange(size).reshape(shape)
    length = np.minimum(lengths, size).astype(np.int64)
    source = np.where(position < length, length - 1 - position, position)
    return gather_elements(x, source, axis)


def _window(
    window_sizes: Integers, strides: Integers, dilations: Integers, start: Integers, end: Integers
) -> Window:
    return Window(window_sizes, strides, dilations, start, end)


def _columns(
    input_sizes: Shape,
    *,
    window_sizes: Integers,
    strides: Integers,
    dilations: Integers,
    start_padding: Integers,
    end_padding: Integers,
) -> Shape:
    """Leading ones, the batch, channels times window elements, and the number of windows."""
    window = _window(window_sizes, strides, dilations, start_padding, end_padding)
    rank = len(input_sizes)
    batch, channels = input_sizes[rank - len(window_sizes) - 2 :][:2]
    blocks = prod(window.output_sizes(input_sizes))
    return (*(1,) * (rank - 3), batch, channels * window.position_count, blocks)


def _check_windows(desc: Any, tensor: Any) -> None:
    count = len(desc.window_sizes)
    if not 1 <= count <= len(tensor.sizes) - 2:
        raise DescriptorError(
            f"needs 1 to {len(tensor.sizes) - 2}", given=f"{count}", field="window_sizes"
        )
    for name in ("window_sizes", "strides", "dilations"):
        for axis, value in enumerate(getattr(desc, name)):
            if value < 1:
                raise DescriptorError("needs at least 1", given=f"{value}", field=f"{name}[{axis}]")


def _unfolds(desc: Any) -> Iterator[DirectMLError]:
    _check_windows(desc, desc.input_tensor)
    yield from check_leading_ones(desc.input_tensor, len(desc.window_sizes) + 2)


def _folds(desc: Any) -> Iterator[DirectMLError]:
    _check_windows(desc, desc.output_tensor)
    yield from check_leading_ones(desc.output_tensor, len(desc.window_sizes) + 2, "output_tensor")
    expected = list(
        _columns(
            desc.output_tensor.sizes_tuple,
            window_sizes=desc.window_sizes,
            strides=desc.strides,
            dilations=desc.dilations,
            start_padding=desc.start_padding,
            end_padding=desc.end_padding,
        )
    )
    if desc.input_tensor.sizes != expected:
        yield DescriptorError(
            f"needs {expected}: the columns of the output's windows",
            given=f"{desc.input_tensor.sizes}",
            field="input_tensor.sizes",
        )


#: One number per size of a window.
_SLIDING = dict.fromkeys(("strides", "dilations", "start_padding", "end_padding"), ())


@operator("UNFOLD", "unfold", sizes=_columns, check=_unfolds, keeps_bits=True, defaults=_SLIDING)
def unfolded(
    x: Array,
    *,
    window_sizes: Integers,
    strides: Integers,
    dilations: Integers,
    start_padding: Integers,
    end_padding: Integers,
    output_sizes: Shape,
) -> Array:
    """Output = the elements of every window as a column.

    [N, C, spatial ...] becomes [N, C * window elements, windows], both in row-major order; padding
    is zeros. The tensors have as many dimensions, with leading ones. Every bit is kept.

    The page errs: its examples leave leading dimensions out, which its constraint asks for; the
    constraint decides. It lists no data types: all are taken.

    Example: window_sizes=[2], strides=[1], dilations=[1], start_padding=[0], end_padding=[0];
        float32 [[[1, 2, 3]]] -> [[[1, 2], [2, 3]]]
    """
    window = _window(window_sizes, strides, dilations, start_padding, end_padding)
    inner = x.reshape(x.shape[x.ndim - len(window_sizes) - 2 :])
    return windows.unfold(inner, window).reshape(output_sizes)


@operator("FOLD", "fold", check=_folds, defaults=_SLIDING, sizes_given="output_sizes")
def folded(
    x: Array,
    *,
    window_sizes: Integers,
    strides: Integers,
    dilations: Integers,
    start_padding: Integers,
    end_padding: Integers,
    output_sizes: Shape,
) -> Array:
    """Output = columns added back to where UNFOLD would take them from.

    Sums of floats are those of FLOAT64 by rule S16, numbered by the position in the window, and
    rounded once; integers wrap. What belongs to padding is left out.

    The page errs: its examples leave leading dimensions out, which its constraint asks for; the
    constraint decides. It lists no data types: all are taken.

    Example: window_sizes=[2], strides=[1], dilations=[1], start_padding=[0], end_padding=[0];
        float32 [[[1, 2], [3, 4]]] -> [[[1, 5, 4]]]
    """
    window = _window(window_sizes, strides, dilations, start_padding, end_padding)
    spatial = output_sizes[len(output_sizes) - len(window_sizes) :]
    return windows.fold(x.reshape(x.shape[-3:]), window, spatial).reshape(output_sizes)
