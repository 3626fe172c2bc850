"""Tensors of a model on their way into a graph: known while loading, or made by operators."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np

from indirectml.core.data_types import TensorDataType, as_data_type
from indirectml.core.errors import ModelError, shown
from indirectml.core.mapped_memory import forget_pages
from indirectml.core.tensors import packed_strides
from indirectml.graphs.expressions import Expression, broadcast, reinterpret
from indirectml.onnx_import.budget import LoadingGraph
from indirectml.operators.functions import identity

Array = np.ndarray[Any, Any]
Shape = tuple[int, ...]

#: The most dimensions that a tensor of DirectML has, and one that is known while loading.
MOST_DIMENSIONS = 8
MOST_KNOWN_DIMENSIONS = 64

#: Of how many tensors a message tells the sizes.
_SHOWN_SHAPES = 4

#: Up to so many bytes what is known is compared by its elements.
_MOST_COMPARED = 1024

#: How many elements of any data type have numbers.
_MOST_COUNTED = 1 << 59

BOOL = np.dtype(np.bool_)

#: By the names of ONNX's data types, how the graph has them where DirectML has no arithmetic.
_STORED = {"bool": np.uint8, "int4": np.int8, "uint4": np.uint8}


class UnknownError(ModelError):
    """A value that has to be known while loading, and depends on inputs of the model.

    `index` is the number of the input of a node that it is, if it is one.
    """

    index: int | None = None


@functools.cache
def stored_dtype(dtype: np.dtype[Any]) -> np.dtype[Any]:
    """Return the dtype that a tensor of a graph has for one of ONNX's."""
    return np.dtype(_STORED.get(dtype.name, dtype))


def as_stored(array: Array) -> Array:
    """Return an array as a tensor of a graph holds it."""
    if array.dtype == BOOL:
        return array.view(np.uint8)
    return array.astype(stored_dtype(array.dtype), copy=False)


def as_onnx(array: Array, dtype: np.dtype[Any]) -> Array:
    """Return what a tensor of a graph holds in ONNX's data type."""
    return array.view(np.bool_) if dtype == BOOL else array.astype(dtype, copy=False)


def checked_shape(shape: Iterable[int]) -> Shape:
    """Return sizes that an array may have.

    Raises
    ------
    ModelError
        There are too many, one is negative, or they are too large for any memory.
    """
    found = tuple(map(int, shape))
    _check_shape(found)
    return found


@functools.lru_cache(4096)  # models repeat theirs
def _check_shape(found: Shape) -> None:
    if len(found) > MOST_KNOWN_DIMENSIONS:
        raise ModelError(f"needs at most {MOST_KNOWN_DIMENSIONS} dimensions", given=f"{len(found)}")
    if min(found, default=0) < 0:
        raise ModelError("needs sizes from 0 up", given=shown(list(found)))
    # NumPy counts the elements that there would be without the zeros, too.
    if math.prod(filter(None, found)) > _MOST_COUNTED:
        raise ModelError("needs sizes that memory may have", given=shown(list(found)))


def nothing(shape: Iterable[int], dtype: Any) -> Value:
    """Return a tensor without elements.

    Raises
    ------
    ModelError
        No array has these sizes.
    """
    return Value(np.empty(checked_shape(shape), dtype))


class Held(NamedTuple):
    """How a constant holds what is known in another form.

    Attributes
    ----------
    key : hashable
        Of the form: constants of equal keys are one.
    data_type : TensorDataType
        Of the constant.
    sizes : tuple of int
        Likewise.
    made : callable
        From the elements to what the constant is made of.
    restored : callable or None
        From the bytes of the constant to the elements, if all of them are there.
    """

    key: Any
    data_type: TensorDataType
    sizes: Shape
    made: Callable[[Array], Array]
    restored: Callable[[Array], Array] | None = None


class Value:
    """A tensor of a model.

    Parameters
    ----------
    content : array or Expression
        What is known of it while loading, or what makes it.
    shape : sequence of int, optional
        ONNX's sizes: none for a scalar, where DirectML has one dimension of size 1. The content's
        by default.
    dtype : dtype, optional
        ONNX's data type: bool where DirectML has UINT8, and 4 bits where it has 8. The content's by
        default.
    name : str, optional
        What is known is called so where it becomes a constant.

    Notes
    -----
    An expression has the sizes of `shape`, or [1] for a scalar, or one dimension of all elements
    where `shape` has more than 8.
    """

    __slots__ = ("_constant", "_held", "_signature", "content", "dtype", "name", "shape")

    def __init__(
        self,
        content: Array | Expression,
        shape: Iterable[int] | None = None,
        dtype: Any = None,
        name: str | None = None,
    ) -> None:
        self.content: Array | Expression | None = content
        self.name = name
        self.shape = tuple(content.shape) if shape is None else checked_shape(shape)
        self.dtype = np.dtype(content.dtype if dtype is None else dtype)
        self._constant: Expression | None = None
        #: Constants in other forms, by their keys, and from their bytes to the elements.
        self._held: dict[Any, tuple[Expression, Callable[[Array], Array] | None]] = {}
        self._signature: Any = None

    @classmethod
    def known_as(cls, content: Expression, shape: Shape, dtype: Any, signature: Any) -> Value:
        """Return what operators make, whose sizes, data type and signature were checked before."""
        made = cls.__new__(cls)
        made.content, made.shape, made.dtype, made.name = content, shape, dtype, None
        made._constant, made._held, made._signature = None, {}, signature  # noqa: SLF001 (its own)
        return made

    @property
    def is_known(self) -> bool:
        """Whether its elements are known while loading."""
        return not isinstance(self.content, Expression)

    @property
    def array(self) -> Array | None:
        """What is known while loading."""
        if self.content is None and self._constant is None:
            return next(
                restored(constant.value.data)  # type: ignore[attr-defined]
                for constant, restored in self._held.values()
                if restored is not None
            )
        if self.content is None:  # the constant has it, maybe as products read it: plain again
            stored = stored_dtype(self.dtype)
            raw = self._constant.value.data[: self.count * stored.itemsize]  # type: ignore[union-attr]
            return as_onnx(raw.view(stored).reshape(self.shape), self.dtype)
        return None if isinstance(self.content, Expression) else self.content

    def held(self, graph: LoadingGraph, form: Held) -> Expression:
        """Return what is known as a constant in another form, which is made once."""
        found = self._held.get(form.key)
        if found is None or found[0].graph is not graph:
            array = self.array
            raw = form.made(array)  # type: ignore[arg-type]  # it is known
            forget_pages(array)
            constant = graph.constant(
                raw, form.data_type, sizes=form.sizes, name=self.name, copy=False
            )
            found = self._held[form.key] = constant, form.restored
            # As below: while products get theirs in panels, no more than one is held twice.
            if form.restored is not None and array.nbytes > _MOST_COMPARED:  # type: ignore[union-attr]
                self.content = None
        return found[0]

    @property
    def signature(self) -> Any:
        """All that a handler can know of it; few elements themselves, of many which they are."""
        if self._signature is None:
            content = self.content
            if isinstance(content, Expression):
                is_made = hasattr(content.value, "node")
                self._signature = content.desc.key, self.shape, self.dtype, is_made
            elif content is None or content.nbytes > _MOST_COMPARED:
                self._signature = self
            else:
                self._signature = self.shape, self.dtype, content.tobytes()
        return self._signature

    @property
    def rank(self) -> int:
        """The number of ONNX's dimensions."""
        return len(self.shape)

    @property
    def count(self) -> int:
        """The number of elements."""
        return math.prod(self.shape)

    def expression(self, graph: LoadingGraph) -> Expression:
        """Return it as a tensor of a graph; what is known becomes a constant, once.

        Raises
        ------
        ModelError
            It has no elements.
        DataTypeError
            It has a data type that DirectML does not have.
        """
        if isinstance(self.content, Expression):
            return self.content
        if self._constant is None or self._constant.graph is not graph:
            if not self.count:
                raise ModelError(
                    "needs tensors with elements, as DirectML has them", given=f"{self.shape}"
                )
            stored = stored_dtype(self.dtype)
            as_data_type(stored)
            if stored != self.dtype:
                graph.budget.take_elements(self.shape, stored)
            array = as_stored(self.array)  # type: ignore[arg-type]  # it is known
            sizes = sizes_of(self.shape)
            self._constant = graph.constant(array, sizes=sizes, name=self.name, copy=False)
            # From here on the constant holds the elements, until products have them in panels.
            if array.nbytes > _MOST_COMPARED:
                self.content = None
        return self._constant

    def __repr__(self) -> str:
        return f"<{'known ' if self.array is not None else ''}{self.dtype} {list(self.shape)}>"


def sizes_of(shape: Sequence[int]) -> Shape:
    """Return the sizes that a tensor of DirectML has for ONNX's.

    Examples
    --------
    >>> sizes_of((2, 3)), sizes_of(()), sizes_of((2,) * 9)
    ((2, 3), (1,), (512,))
    """
    if len(shape) > MOST_DIMENSIONS:
        return (math.prod(shape),)
    return tuple(shape) or (1,)


def packed(x: Expression) -> Expression:
    """Return a tensor without gaps and repetitions; a copy only if it has some."""
    if x.desc.strides_tuple is None:
        return x
    found = zip(x.shape, x.desc.strides_tuple, packed_strides(x.shape), strict=True)
    return x if all(a == b or size == 1 for size, a, b in found) else identity(x)


def number_like(x: Expression, number: float) -> Expression:
    """Return a number as a tensor of the sizes and the data type of another."""
    graph: Any = x.graph
    constant = graph.constant(np.full((1,) * len(x.shape), number, x.dtype))
    return broadcast(constant, x.shape)


def viewed(x: Expression, sizes: Sequence[int]) -> Expression:
    """Return the elements of a tensor in other sizes, of the same number."""
    return x if x.shape == tuple(sizes) else reinterpret(packed(x), sizes)


def transposed(x: Expression, axes: Sequence[int]) -> Expression:
    """Return a view with the dimensions in another order."""
    strides = x.desc.strides_in_memory
    return reinterpret(x, [x.shape[a] for a in axes], [strides[a] for a in axes])


def aligned(graph: LoadingGraph, values: Sequence[Value]) -> tuple[list[Expression], Shape]:
    """Return tensors that are broadcast to one another, and ONNX's sizes of what is made of them.

    Raises
    ------
    ModelError
        They cannot be broadcast, or have more dimensions that differ than DirectML has.
    """
    shape = broadcast_shape(values)
    if len(shape) <= MOST_DIMENSIONS:
        sizes = sizes_of(shape)
        return [broadcast(value.expression(graph), sizes) for value in values], shape
    shapes = [(1,) * (len(shape) - value.rank) + value.shape for value in values]
    merged = merged_shapes(shapes)
    if len(merged[0]) > MOST_DIMENSIONS:
        raise ModelError(
            f"needs at most {MOST_DIMENSIONS} dimensions", given=f"{len(shape)} {list(shape)}"
        )
    sizes = np.broadcast_shapes(*merged)
    return [
        broadcast(viewed(value.expression(graph), each), sizes)
        for value, each in zip(values, merged, strict=True)
    ], shape


def broadcast_shape(values: Sequence[Value]) -> Shape:
    """Return ONNX's sizes of what is made of tensors that are broadcast to one another.

    Raises
    ------
    ModelError
        They cannot be.
    """
    try:
        return tuple(np.broadcast_shapes(*[value.shape for value in values]))
    except ValueError:
        given = " and ".join(str(list(value.shape)) for value in values[:_SHOWN_SHAPES])
        raise ModelError("needs sizes that can be broadcast", given=given) from None


def merged_shapes(shapes: Sequence[Shape]) -> list[Shape]:
    """Return shapes of equal length with neighbouring dimensions made one where all can be."""
    columns: list[list[int]] = []
    kinds: list[list[bool]] = []
    for column in zip(*shapes, strict=True):
        kind = [size == 1 for size in column]
        if kinds and kinds[-1] == kind:
            columns[-1] = [a * b for a, b in zip(columns[-1], column, strict=True)]
        else:
            columns.append(list(column))
            kinds.append(kind)
    return [tuple(shape) for shape in zip(*columns, strict=True)]


def output_array(value: Value, result: Array | None) -> Array:
    """Return an output as an array with ONNX's sizes and data type."""
    if result is None:
        array: Array = value.array  # type: ignore[assignment]  # known, since nothing made it
        return array.copy()
    array = result.reshape(value.shape)
    return as_onnx(array, value.dtype)
