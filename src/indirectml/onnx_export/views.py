"""Tensors as views of memory: strides and reinterpretation, as Reshape, Transpose, Expand, Gather.

DirectML's edges carry memory, ONNX's carry elements. Here a value in memory is packed, whatever its
sizes are; a tensor that reads it says which elements lie where.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from indirectml.core.errors import LayoutError
from indirectml.core.tensor_buffers import elements_of, from_halves
from indirectml.core.tensors import TensorDesc, packed_strides
from indirectml.onnx_export.building import Array, Builder, DType, Value, numpy_dtype

#: Of more elements than these the numbers in memory are not written.
_MOST_GATHERED = 1 << 26

#: Reinterprets bits.
_BIT_CAST_OPSET = 26


def is_packed(tensor: TensorDesc) -> bool:
    """Whether elements follow each other in memory; along a size of 1 a stride says nothing."""
    sizes, strides = tensor.sizes_tuple, tensor.strides_in_memory
    return all(
        stride == packed or size == 1
        for size, stride, packed in zip(sizes, strides, packed_strides(sizes), strict=True)
    )


def memory_sizes(tensor: TensorDesc) -> tuple[int, ...]:
    """Return sizes for a graph's input that has the memory of a tensor: packed, without repeats.

    Examples
    --------
    >>> memory_sizes(TensorDesc(np.float32, [1, 8, 5, 5], strides=[0, 1, 0, 0]))
    (1, 8, 1, 1)
    >>> memory_sizes(TensorDesc(np.float32, [1, 8, 5, 6], strides=[240, 1, 48, 8]))
    (1, 5, 6, 8)
    """
    sizes, strides = tensor.sizes_tuple, tensor.strides_in_memory
    own = [1 if stride == 0 else size for size, stride in zip(sizes, strides, strict=True)]
    order = sorted(range(len(own)), key=lambda k: -strides[k] if own[k] > 1 else 0)
    moved = [k for k in order if own[k] > 1]
    in_place = moved == sorted(moved)
    found = own if in_place else _filled(own, moved)
    packed = packed_strides([own[k] for k in moved])
    if [strides[k] for k in moved] == list(packed):
        return tuple(found)
    last = sum((n - 1) * s for n, s in zip(sizes, strides, strict=True))
    return (last + 1,)


def _filled(own: Sequence[int], moved: list[int]) -> list[int]:
    """Return sizes in the order of memory, those of 1 in front."""
    return [1] * (len(own) - len(moved)) + [own[k] for k in moved]


def viewed(b: Builder, x: Value, tensor: TensorDesc, *, loose: bool = False) -> Value:
    """Return the elements that a tensor has in the memory of a value.

    Parameters
    ----------
    b : Builder
        What nodes are added to.
    x : Value
        The memory, packed.
    tensor : TensorDesc
        What reads it.
    loose : bool
        Whether dimensions of stride 0 may be left at size 1, for operators that broadcast.

    Raises
    ------
    LayoutError
        The tensor reads beyond the memory, or has a data type of another width.
    """
    x = reinterpreted(b, x, numpy_dtype(tensor.data_type))
    sizes, strides = tensor.sizes_tuple, tensor.strides_in_memory
    own = tuple(1 if stride == 0 else size for size, stride in zip(sizes, strides, strict=True))
    span = 1 + sum((n - 1) * s for n, s in zip(sizes, strides, strict=True))
    if span > x.count:
        raise LayoutError(
            f"needs a tensor within the {x.count} elements that it reads",
            given=f"one of {span}",
        )
    moved = sorted((k for k, n in enumerate(own) if n > 1), key=lambda k: -strides[k])
    packed = packed_strides([own[k] for k in moved])
    if [strides[k] for k in moved] == list(packed):
        if span < x.count:
            x = b.slice(b.reshape(x, [x.count]), [0], [span])
        if moved == sorted(moved):
            x = b.reshape(x, own)
        else:
            order = [k for k in range(len(own)) if k not in moved] + moved
            x = b.reshape(x, [own[k] for k in order])
            x = b.transpose(x, np.argsort(order).tolist())
    elif _is_nested([(own[k], strides[k]) for k in moved]):
        x = _cut_out(b, x, own, strides, moved)
    else:
        x = _gathered(b, x, own, strides)
    return x if loose else b.expand(x, sizes)


def _is_nested(axes: Sequence[tuple[int, int]]) -> bool:
    """Whether each stride is a whole number of the next ones, which stay within it: rows with gaps.

    Axes are pairs of size and stride, the largest stride first.
    """
    return all(
        outer % inner == 0 and size * inner <= outer for (_, outer), (size, inner) in pairwise(axes)
    )


def _cut_out(
    b: Builder, x: Value, own: Sequence[int], strides: Sequence[int], moved: list[int]
) -> Value:
    """Return rows without the gaps behind them: Reshape with the gaps, and Slice."""
    steps = [strides[k] for k in moved]
    widths = [outer // inner for outer, inner in pairwise(steps)]
    whole = [own[moved[0]], *widths, *(step for step in steps[-1:] if step != 1)]
    count = math.prod(whole)
    if count > x.count:  # the last row has no gap
        more = b.expand(b.constant(np.zeros(1, x.dtype)), [count - x.count])
        x = b.concat([b.reshape(x, [x.count]), more], 0)
    elif count < x.count:
        x = b.slice(b.reshape(x, [x.count]), [0], [count])
    x = b.reshape(x, whole)
    ends = [*(own[k] for k in moved), 1][: len(whole)]
    x = b.slice(x, [0] * len(ends), ends)
    order = [k for k in range(len(own)) if k not in moved] + moved
    return b.transpose(b.reshape(x, [own[k] for k in order]), np.argsort(order).tolist())


def _gathered(b: Builder, x: Value, own: Sequence[int], strides: Sequence[int]) -> Value:
    """Return the elements by their numbers in memory."""
    count = math.prod(own)
    if count > _MOST_GATHERED:
        raise LayoutError(
            f"needs strides that are whole numbers of each other, or at most {_MOST_GATHERED} "
            "elements",
            given=f"strides {list(strides)} and {count} elements",
        )
    index = sum(
        (np.arange(n).reshape([-1 if k == axis else 1 for k in range(len(own))]) * stride)
        for axis, (n, stride) in enumerate(zip(own, strides, strict=True))
    )
    return b.gather(b.reshape(x, [x.count]), b.constant(index, np.int64))


def reinterpreted(b: Builder, x: Value, dtype: DType) -> Value:
    """Return the same bits in another dtype of the same width.

    Raises
    ------
    LayoutError
        It has another width.
    """
    if x.dtype == dtype:
        return x
    if x.dtype.itemsize != dtype.itemsize or "int4" in x.dtype.name + dtype.name:
        raise LayoutError(
            "needs a data type of the width that the elements of this edge were written with, "
            f"as {x.dtype}",
            given=f"{dtype}",
        )
    if x.dtype.kind in "iu" and dtype.kind in "iu":
        return b.cast(x, dtype)  # ONNX's is modulo 2^bits
    return b.add("BitCast", x, dtype=dtype, since=_BIT_CAST_OPSET, to=dtype)


def constant_elements(data: bytes | memoryview, tensor: TensorDesc) -> Array:
    """Return the elements of a tensor in the bytes of a constant, once along strides of 0.

    Raises
    ------
    LayoutError
        There are too few bytes.
    """
    total = tensor.total_tensor_size_in_bytes
    raw = np.frombuffer(data, np.uint8)
    if raw.size < total:
        if -(-raw.size // 4) * 4 < total:
            raise LayoutError(f"needs a constant of {total} bytes", given=f"{raw.size}")
        raw = np.concatenate([raw, np.zeros(total - raw.size, np.uint8)])
    if tensor.is_in_halves:
        found: Array = from_halves(tensor, raw).astype(numpy_dtype(tensor.data_type))
    else:
        found = elements_of(tensor, raw)
    strides = tensor.strides_in_memory
    return found[tuple(slice(0, 1) if stride == 0 else slice(None) for stride in strides)]
