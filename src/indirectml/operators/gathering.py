"""Elements gathered and scattered by indices. Every bit is kept.

An index out of range has a defined result, never memory outside: where the page says nothing it is
clamped when something is read by it, and what it would write is left out (our choice).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from indirectml.arithmetic.basics import Array
from indirectml.core.errors import DescriptorError, DirectMLError
from indirectml.descriptors.checks import check_axis, check_leading_ones
from indirectml.descriptors.definitions import graph_function, operator
from indirectml.graphs.expressions import Expression, checked_operand, new_tensor
from indirectml.operators import descriptor_class

Shape = tuple[int, ...]


def _positions(indices: Array, size: int) -> tuple[Array, Array]:
    """Return indices along an axis from 0, and which of them lie inside; negative from the end."""
    # Of UINT64 what does not fit INT64 is out of range, and stays so.
    at = np.where(indices > np.iinfo(np.int64).max, size, indices).astype(np.int64)
    at = np.where(at < 0, at + size, at)
    return at, (at >= 0) & (at < size)


def _clamped(indices: Array, size: int) -> Array:
    return np.clip(_positions(indices, size)[0], 0, size - 1)


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
    out: Array | None = None,
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
    own = _clamped(own, x.shape[axis])
    if out is None:
        return x.take(own, axis).reshape(output_sizes)
    # Nothing is clipped any more: so called, NumPy writes at once.
    place = out.reshape(x.shape[:axis] + own.shape + x.shape[axis + 1 :])
    x.take(own, axis, mode="clip", out=place)
    return out


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
    at: list[Any] = list(np.indices(indices.shape, sparse=True))
    at[axis] = _clamped(indices, x.shape[axis])
    return x[tuple(at)]


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


def _coordinates(x: Array, indices: Array, batch: int) -> tuple[tuple[Any, ...], Array]:
    """Return a NumPy index of the first dimensions, clamped, and which tuples lie inside."""
    count = indices.shape[-1]
    batches = np.indices(indices.shape[:-1], sparse=True)[:batch]
    at: list[Any] = list(batches)
    is_inside = np.ones(indices.shape[:-1], bool)
    for k in range(count):
        size = x.shape[batch + k]
        positions, inside = _positions(indices[..., k], size)
        is_inside &= inside
        at.append(np.clip(positions, 0, size - 1))
    return tuple(at), is_inside


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
    at, _ = _coordinates(x, own, batch_dimension_count)
    return x[at].reshape(output_sizes)


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
    out = np.array(x)
    positions, is_inside = _positions(indices, x.shape[axis])
    grid: Any = np.indices(indices.shape, sparse=True)
    at: list[Any] = [np.broadcast_to(a, indices.shape)[is_inside] for a in grid]
    at[axis] = positions[is_inside]
    out[tuple(at)] = updates[is_inside]
    return out


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
    out = np.array(x)
    inner = out.reshape(x.shape[x.ndim - input_dimension_count :])
    own = indices.reshape(indices.shape[indices.ndim - indices_dimension_count :])
    at, is_inside = _coordinates(inner, own, 0)
    parts = updates.reshape((*own.shape[:-1], *inner.shape[own.shape[-1] :]))
    inner[tuple(np.broadcast_to(a, is_inside.shape)[is_inside] for a in at)] = parts[is_inside]
    return out


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
    size = output_sizes[axis]
    positions, is_inside = _positions(indices, size)
    shape = [size if k == axis else 1 for k in range(len(output_sizes))]
    is_hot = is_inside & (positions == np.arange(size).reshape(shape))
    off, on = values.reshape(-1)[:2]
    return np.where(is_hot, on, off)


@graph_function
def one_hot(
    indices: Expression, values: Expression, *, output_length: int, axis: int
) -> Expression:
    """Return the second of two values at the index, and the first elsewhere along an axis.

    Parameters
    ----------
    indices : Expression
        Of size 1 along the axis.
    values : Expression
        At least two elements: what is written elsewhere, and what at the index.
    output_length : int
        The size along the axis.
    axis : int
        From 0.

    Examples
    --------
    >>> graph = Graph(Device())
    >>> indices = graph.constant(np.array([[1]], np.int32))
    >>> values = graph.constant(np.array([[0, 5]], np.float32))
    >>> graph.compile([one_hot(indices, values, output_length=3, axis=1)])()
    [array([[0., 5., 0.]], dtype=float32)]
    """
    check_axis(axis, checked_operand("one_hot", indices).desc, "one_hot(axis)")
    sizes = (*indices.shape[:axis], output_length, *indices.shape[axis + 1 :])
    output = new_tensor(checked_operand("one_hot", values), sizes)
    desc = descriptor_class("ONE_HOT")(indices.desc, values.desc, output, axis)
    return values.graph.add_node(desc, indices, values)[0]
