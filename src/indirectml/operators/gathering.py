"""Elements gathered and scattered by indices. Every bit is kept.

An index out of range has a defined result, never memory outside: where the page says nothing it is
clamped when something is read by it, and what it would write is left out (our choice).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from indirectml.arithmetic.basics import Array, coordinates
from indirectml.arithmetic.gathering import (
    gather,
    gather_elements,
    gather_tuples,
    positions,
    scatter_elements,
    scatter_tuples,
)
from indirectml.core.errors import DescriptorError, DirectMLError
from indirectml.descriptors.checks import check_axis, check_leading_ones
from indirectml.descriptors.definitions import operator

Shape = tuple[int, ...]


def _padded(sizes: Sequence[int], rank: int) -> Shape:
    """Return sizes with leading ones."""
    return (1,) * (rank - len(sizes)) + tuple(sizes)


def _gathered(
    input_sizes: Shape, indices_sizes: Shape, *, axis: int, index_dimensions: int
) -> Shape:
    """The input's sizes with the last IndexDimensions sizes of the indices in place of the axis."""
    rank = len(input_sizes)
    own = indices_sizes[rank - index_dimensions :]
    # The input has as many dimensions as the output needs; leading ones make room.
    trimmed = input_sizes[max(len(own) - 1, 0) :] if index_dimensions else input_sizes[:]
    at = axis - (rank - len(trimmed))
    sizes = (*trimmed[:at], *own, *trimmed[at + 1 :])
    return _padded(sizes, rank)


def _gather_fits(desc: Any) -> Iterator[DirectMLError]:
    check_axis(desc.axis, desc.input_tensor)
    rank = len(desc.input_tensor.sizes)
    if desc.index_dimensions > rank:
        yield DescriptorError(
            f"needs at most {rank}, the dimension count",
            given=f"{desc.index_dimensions}",
            field="index_dimensions",
        )
        return
    yield from check_leading_ones(desc.indices_tensor, desc.index_dimensions, "indices_tensor")
    extra = max(desc.index_dimensions - 1, 0)
    if any(size != 1 for size in desc.input_tensor.sizes[:extra]) or desc.axis < extra:
        yield DescriptorError(
            f"needs {extra} leading dimensions of size 1, in front of the axis, for the indices",
            given=f"{desc.input_tensor.sizes}",
            field="input_tensor.sizes",
        )


@operator("GATHER", "gather", sizes=_gathered, check=_gather_fits, keeps_bits=True)
def gathered(
    x: Array,
    indices: Array,
    *,
    axis: int,
    index_dimensions: int,
    output_sizes: Shape,
) -> Array:
    """Output[before, indices, behind] = Input[before, Indices[indices], behind].

    The indices are the last IndexDimensions dimensions of their tensor, and take the place of the
    axis; the output has leading ones. Negative indices count from the end; beyond either end they
    are clamped.

    The page errs: its third example has an IndexDimensions of 2, and an output of two dimensions,
    for which it has to be 1; its rule of sizes decides.

    Our choice: indices beyond either end.

    Example: axis=0, index_dimensions=1; float32 [5, 6, 7], int32 [2, 0, -1] -> float32 [7, 5, 7]
    """
    own = indices.reshape(indices.shape[indices.ndim - index_dimensions :])
    return gather(x, own, axis).reshape(output_sizes)


def _same_as_indices(_: Shape, indices_sizes: Shape) -> Shape:
    """The indices' sizes."""
    return indices_sizes


def _elements_fit(desc: Any) -> Iterator[DirectMLError]:
    check_axis(desc.axis, desc.input_tensor)
    for axis, (size, own) in enumerate(
        zip(desc.input_tensor.sizes, desc.indices_tensor.sizes, strict=True)
    ):
        if axis != desc.axis and own > size:
            yield DescriptorError(
                f"needs at most the input's size {size} in dimension {axis}",
                given=f"{own}",
                field=f"indices_tensor.sizes[{axis}]",
            )


@operator(
    "GATHER_ELEMENTS",
    "gather_elements",
    sizes=_same_as_indices,
    check=_elements_fit,
    keeps_bits=True,
)
def gathered_elements(x: Array, indices: Array, *, axis: int) -> Array:
    """Output[i, j, k] = Input[i, Indices[i, j, k], k], with the index in place of the axis.

    Negative indices count from the end; beyond either end they are clamped.

    The page errs: the output of its example is UINT32, and its input FLOAT32; its constraint, that
    they are alike, decides.

    Our choice: indices beyond either end.

    Example: axis=0; float32 [5, 6, 7], int32 [2, 0, -1] -> float32 [7, 5, 7]
    """
    return gather_elements(x, indices, axis)


def _tuples(
    input_sizes: Shape,
    indices_sizes: Shape,
    *,
    input_dimension_count: int,
    indices_dimension_count: int,
    batch_dimension_count: int = 0,
) -> Shape:
    """The indices' sizes but for the last, and the input's sizes behind the coordinates."""
    rank = len(input_sizes)
    x = input_sizes[rank - input_dimension_count :]
    own = indices_sizes[rank - indices_dimension_count :]
    return _padded((*own[:-1], *x[batch_dimension_count + own[-1] :]), rank)


def _tuples_fit(desc: Any) -> Iterator[DirectMLError]:
    rank = len(desc.input_tensor.sizes)
    batch = getattr(desc, "batch_dimension_count", 0)
    for name in ("input_dimension_count", "indices_dimension_count"):
        if not 1 <= getattr(desc, name) <= rank:
            yield DescriptorError(f"needs 1 to {rank}", given=f"{getattr(desc, name)}", field=name)
            return
    counts = desc.input_dimension_count, desc.indices_dimension_count
    for tensor, count in zip(("input_tensor", "indices_tensor"), counts, strict=True):
        yield from check_leading_ones(getattr(desc, tensor), count, tensor)
    if batch >= min(counts):
        yield DescriptorError(
            f"needs less than {min(counts)}", given=f"{batch}", field="batch_dimension_count"
        )
        return
    coordinates = desc.indices_tensor.sizes[-1]
    if coordinates > counts[0] - batch:
        yield DescriptorError(
            f"needs at most {counts[0] - batch} coordinates in the last dimension",
            given=f"{coordinates}",
            field="indices_tensor.sizes",
        )
        return
    x = desc.input_tensor.sizes[rank - counts[0] :][:batch]
    own = desc.indices_tensor.sizes[rank - counts[1] :][:batch]
    if x != own:
        yield DescriptorError(
            f"needs the input's batch {x}", given=f"{own}", field="indices_tensor.sizes"
        )
    needed = (
        len(desc.indices_tensor.sizes[rank - counts[1] :]) - 1 + counts[0] - batch - coordinates
    )
    if needed > rank:
        yield DescriptorError(
            f"needs {needed} dimensions for what is gathered",
            given=f"{rank}",
            field="input_tensor.sizes",
        )


@operator(
    "GATHER_ND1",
    "gather_nd",
    older=("GATHER_ND",),
    sizes=_tuples,
    check=_tuples_fit,
    defaults={"batch_dimension_count": 0},
    keeps_bits=True,
)
def gathered_parts(
    x: Array,
    indices: Array,
    *,
    input_dimension_count: int,
    indices_dimension_count: int,
    batch_dimension_count: int = 0,
    output_sizes: Shape,
) -> Array:
    """Output[batch, i, rest] = Input[batch, coordinates Indices[batch, i], rest].

    The last dimension of the indices holds the coordinates. Only the last InputDimensionCount and
    IndicesDimensionCount dimensions count; the output has leading ones. Negative indices count from
    the end; beyond either end they are clamped.

    Our choice: indices beyond either end.

    Example: input_dimension_count=2, indices_dimension_count=2;
        float32 [[0, 1], [2, 3]], uint32 [[1], [0]] -> float32 [[2, 3], [0, 1]]
    """
    x = x.reshape(x.shape[x.ndim - input_dimension_count :])
    own = indices.reshape(indices.shape[indices.ndim - indices_dimension_count :])
    return gather_tuples(x, own, batch_dimension_count).reshape(output_sizes)


def _like_input(input_sizes: Shape, *_: Shape) -> Shape:
    """The input's sizes."""
    return input_sizes


def _scatter_fits(desc: Any) -> Iterator[DirectMLError]:
    yield from _elements_fit(desc)
    if desc.updates_tensor.sizes != desc.indices_tensor.sizes:
        yield DescriptorError(
            f"needs the indices' sizes, {desc.indices_tensor.sizes}",
            given=f"{desc.updates_tensor.sizes}",
            field="updates_tensor.sizes",
        )


@operator("SCATTER", "scatter_elements", sizes=_like_input, check=_scatter_fits, keeps_bits=True)
def scattered_elements(x: Array, indices: Array, updates: Array, *, axis: int) -> Array:
    """Output = Input, then Output[i, Indices[i, j, k], k] = Updates[i, j, k], at the axis.

    Negative indices count from the end; what lies beyond either end is left out, and of several
    updates of one element the last one in row-major order stays.

    The page errs: it says feature level 1_0, and the header 2_0, which decides; the header of level
    6_4 has the name SCATTER_ELEMENTS for the number too. Its second example says that the input is
    {2,3}, and shows three rows, which decide.

    Our choice: indices beyond either end, and several updates of one element.

    Example: axis=0; float32 [5, 6, 7], int32 [2, -3], float32 [1, 2] -> [2, 6, 1]
    """
    return scatter_elements(x, indices, updates, axis)


def _updates_fit(desc: Any) -> Iterator[DirectMLError]:
    yield from _tuples_fit(desc)
    expected = list(
        _tuples(
            desc.input_tensor.sizes_tuple,
            desc.indices_tensor.sizes_tuple,
            input_dimension_count=desc.input_dimension_count,
            indices_dimension_count=desc.indices_dimension_count,
        )
    )
    if desc.updates_tensor.sizes != expected:
        yield DescriptorError(
            f"needs {expected}: the indices' sizes but for the last, and the input's sizes behind "
            "the coordinates",
            given=f"{desc.updates_tensor.sizes}",
            field="updates_tensor.sizes",
        )


@operator("SCATTER_ND", "scatter_nd", sizes=_like_input, check=_updates_fit, keeps_bits=True)
def scattered_parts(
    x: Array,
    indices: Array,
    updates: Array,
    *,
    input_dimension_count: int,
    indices_dimension_count: int,
) -> Array:
    """Output = Input, then Output[coordinates Indices[i], rest] = Updates[i, rest].

    As GATHER_ND reads, but what lies beyond either end is left out, and of several updates of one
    element the last one in row-major order stays.

    The page errs: its example has indices that are FLOAT32, and tensors of one and of two
    dimensions; its table and its constraint decide: integers, and leading sizes of 1.

    Our choice: indices beyond either end, and several updates of one element.

    Example: input_dimension_count=1, indices_dimension_count=2;
        float32 [[1, 2, 3]], uint32 [[2], [0]], float32 [[9, 10]] -> [[10, 2, 9]]
    """
    inner = x.reshape(x.shape[x.ndim - input_dimension_count :])
    own = indices.reshape(indices.shape[indices.ndim - indices_dimension_count :])
    parts = updates.reshape((*own.shape[:-1], *inner.shape[own.shape[-1] :]))
    return scatter_tuples(inner, own, parts).reshape(x.shape)


def _hot_fits(desc: Any) -> Iterator[DirectMLError]:
    check_axis(desc.axis, desc.output_tensor)
    expected = desc.output_tensor.sizes
    expected[desc.axis] = 1
    if desc.indices_tensor.sizes != expected:
        yield DescriptorError(
            f"needs the output's sizes with 1 along the axis, {expected}",
            given=f"{desc.indices_tensor.sizes}",
            field="indices_tensor.sizes",
        )
    if desc.values_tensor.element_count <= 1:
        yield DescriptorError("needs at least two elements", given="1", field="values_tensor.sizes")


@operator("ONE_HOT", check=_hot_fits, keeps_bits=True)
def one_hot_encoded(indices: Array, values: Array, *, axis: int, output_sizes: Shape) -> Array:
    """Output = Values[1] where the position along the axis is the index, Values[0] elsewhere.

    Negative indices count from the end; an index beyond either end is ignored.

    Example: axis=1; int32 [[0], [-1], [9]], float32 [[4, 2]]
        -> float32 [[2, 4, 4], [4, 4, 2], [4, 4, 4]]
    """
    at, is_inside = positions(indices, output_sizes[axis])
    is_hot = is_inside & (at == coordinates(output_sizes, axis))
    off, on = values.reshape(-1)[:2]
    return np.where(is_hot, on, off)
