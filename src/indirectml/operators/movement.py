"""Elements moved, not changed: join, split, slice, tile. Every bit is kept."""

from __future__ import annotations

import builtins
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from indirectml.arithmetic.basics import Array
from indirectml.core.errors import DescriptorError, DirectMLError
from indirectml.descriptors.checks import check_axis, check_each
from indirectml.descriptors.definitions import operator

Shape = tuple[int, ...]


def joined_sizes(*input_sizes: Shape, axis: int) -> Shape:
    """The sum of the inputs' sizes along the axis."""
    first = input_sizes[0]
    return (*first[:axis], sum(sizes[axis] for sizes in input_sizes), *first[axis + 1 :])


def _joinable(desc: Any) -> Iterator[DirectMLError]:
    if not desc.input_tensors:
        raise DescriptorError("needs at least one tensor", given="0", field="input_tensors")
    check_axis(desc.axis, desc.output_tensor)
    yield from _alike(desc.input_tensors, desc.output_tensor, desc.axis, "input_tensors", "output")


def _alike(tensors: Any, like: Any, axis: int, field: str, of: str) -> Iterator[DirectMLError]:
    """Yield tensors whose sizes differ elsewhere than along the axis."""
    expected = like.sizes
    for number, tensor in enumerate(tensors):
        expected[axis] = tensor.sizes[axis]
        if tensor.sizes != expected:
            yield DescriptorError(
                f"needs the {of}'s sizes except along axis {axis}, {expected}",
                given=f"{tensor.sizes}",
                field=f"{field}[{number}].sizes",
            )


@operator("JOIN", sizes=joined_sizes, check=_joinable, keeps_bits=True)
def joined(*inputs: Array, axis: int) -> Array:
    """Output = the inputs, one behind the other along an axis.

    Every bit is kept.

    The page errs: it has no table for feature level 3_1, at which the history of feature levels
    extends it: 1 to 8 dimensions are taken from there on, as of what else that level extends, and
    the data types are those of 3_0.

    Example: axis=0; int8 [1], [2, 3] -> [1, 2, 3]
    """
    result: Array = np.concatenate(inputs, axis)
    return result


def _parts(desc: Any) -> Iterator[DirectMLError]:
    if not desc.output_tensors:
        raise DescriptorError("needs at least one tensor", given="0", field="output_tensors")
    check_axis(desc.axis, desc.input_tensor)
    size = desc.input_tensor.sizes[desc.axis]
    total = sum(tensor.sizes[desc.axis] for tensor in desc.output_tensors)
    if total != size:
        yield DescriptorError(
            f"needs sizes along axis {desc.axis} that add up to the input's, {size}",
            given=f"{total}",
            field="output_tensors",
        )
    yield from _alike(desc.output_tensors, desc.input_tensor, desc.axis, "output_tensors", "input")


@operator("SPLIT", check=_parts, keeps_bits=True)
def parts(x: Array, *, axis: int, desc: Any) -> tuple[Array, ...]:
    """Outputs = the parts of the input along an axis.

    Every bit is kept.

    Example: axis=0; int8 [1, 2, 3] -> [1], [2, 3]
    """
    ends = np.cumsum([0, *(tensor.sizes[axis] for tensor in desc.output_tensors)])
    return tuple(
        x[(builtins.slice(None),) * axis + (builtins.slice(int(a), int(b)),)]
        for a, b in pairwise(ends)
    )


def _slice_fits(desc: Any) -> Iterator[DirectMLError]:
    check_each(desc, ("offsets", "sizes", "strides"), len(desc.input_tensor.sizes))
    for axis, length in enumerate(desc.input_tensor.sizes):
        if desc.strides[axis] < 1:
            yield DescriptorError(
                "needs strides of at least 1", given="0", field=f"strides[{axis}]"
            )
        last = desc.offsets[axis] + (desc.sizes[axis] - 1) * desc.strides[axis]
        if last >= length:
            yield DescriptorError(
                f"needs elements below the input's size {length} in dimension {axis}",
                given=f"a last one of {last}",
                field="sizes",
            )


def _slice_sizes(_: Shape, *, sizes: Shape) -> Shape:
    """The field sizes."""
    return sizes


@operator("SLICE", sizes=_slice_sizes, check=_slice_fits, keeps_bits=True)
def sliced(
    x: Array, *, offsets: Sequence[int], sizes: Sequence[int], strides: Sequence[int]
) -> Array:
    """Output[i] = Input[Offset + i * Stride], in every dimension.

    Every bit is kept. Nothing outside of the input is read.

    Example: offsets=[1], sizes=[2], strides=[3]; int8 [0, 1, 2, 3, 4] -> [1, 4]
    """
    ranges = zip(offsets, sizes, strides, strict=True)
    return x[tuple(builtins.slice(o, o + (n - 1) * s + 1, s) for o, n, s in ranges)]


def _window_fits(desc: Any) -> Iterator[DirectMLError]:
    names = ("input_window_offsets", "input_window_sizes", "input_window_strides")
    check_each(desc, names, len(desc.input_tensor.sizes))
    for axis, length in enumerate(desc.input_tensor.sizes):
        offset, size = desc.input_window_offsets[axis], desc.input_window_sizes[axis]
        if size < 1 or offset + size > length:
            yield DescriptorError(
                f"needs a window of at least 1 element inside the input's {length}",
                given=f"{size} at offset {offset}",
                field=f"input_window_sizes[{axis}]",
            )
        stride = desc.input_window_strides[axis]
        if stride == 0:
            yield DescriptorError(
                "needs a stride other than 0", given="0", field=f"input_window_strides[{axis}]"
            )
            continue
        available = window_count(size, stride)
        if desc.output_tensor.sizes[axis] > available:
            yield DescriptorError(
                f"needs at most the {available} elements of the window",
                given=f"{desc.output_tensor.sizes[axis]}",
                field=f"output_tensor.sizes[{axis}]",
            )


def window_count(size: int, stride: int) -> int:
    """Return how many elements a window of a size has under a stride."""
    return (size - 1) // abs(stride) + 1


@operator("SLICE1", check=_window_fits, keeps_bits=True)
def window(
    x: Array,
    *,
    output_sizes: Shape,
    input_window_offsets: Sequence[int],
    input_window_sizes: Sequence[int],
    input_window_strides: Sequence[int],
) -> Array:
    """Output[i] = Input[Start + i * Stride], in every dimension, within a window.

    The start is the window's first element, or with a negative stride its last one. Every bit is
    kept. The output may have fewer elements than the window has to offer.

    Example: input_window_offsets=[1], input_window_sizes=[4], input_window_strides=[-2];
        int8 [0, 1, 2, 3, 4] -> [4, 2]
    """
    for axis, count in enumerate(output_sizes):
        offset, size = input_window_offsets[axis], input_window_sizes[axis]
        for part in (
            builtins.slice(offset, offset + size),
            builtins.slice(None, None, input_window_strides[axis]),
            builtins.slice(count),
        ):
            x = x[(builtins.slice(None),) * axis + (part,)]
    return x


def _tiled(input_sizes: Shape, *, repeats: Sequence[int]) -> Shape:
    """The input's sizes times the repeats."""
    return tuple(size * times for size, times in zip(input_sizes, repeats, strict=True))


def _repeats(desc: Any) -> Iterator[DirectMLError]:
    check_each(desc, ("repeats",), len(desc.input_tensor.sizes))
    for axis, times in enumerate(desc.repeats):
        if times < 1:
            yield DescriptorError(
                "needs at least 1 repetition", given=f"{times}", field=f"repeats[{axis}]"
            )


@operator("TILE", "tile", sizes=_tiled, check=_repeats, keeps_bits=True)
def tiled(x: Array, *, repeats: Sequence[int]) -> Array:
    """Output[i] = Input[i modulo the input's size], in every dimension.

    Every bit is kept.

    Example: repeats=[1, 2]; int8 [[1, 2], [3, 4]] -> [[1, 2, 1, 2], [3, 4, 3, 4]]
    """
    return np.tile(x, repeats)
