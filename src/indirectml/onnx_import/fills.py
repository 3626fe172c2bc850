"""What is made without data: constants, constants of a shape, ranges, shapes themselves."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np

from indirectml.core.data_types import as_data_type
from indirectml.core.errors import ModelError, shown
from indirectml.fills.arrays import sequence
from indirectml.onnx_import.nodes import Node, handler
from indirectml.onnx_import.reading import element_dtype
from indirectml.onnx_import.values import BOOL, Array, Value, checked_shape, sizes_of
from indirectml.operators.functions import fill_value_constant

#: Constants of at most this many elements are known while loading.
_MOST_KNOWN = 1 << 16

_NUMBERS = {
    "value_int": np.int64,
    "value_ints": np.int64,
    "value_float": np.float32,
    "value_floats": np.float32,
}


@handler("Constant")
def constant(node: Node) -> Array:
    """Return the tensor or the numbers that the node has."""
    if len(node.attributes) != 1:
        raise ModelError("needs one attribute", given=f"{len(node.attributes)}")
    ((name, value),) = node.attributes.items()
    if name in _NUMBERS:
        return np.asarray(value, _NUMBERS[name])
    if name not in {"value", "sparse_value"}:
        raise ModelError("needs numbers", given=name)
    array: Array = value
    return array


@handler("ConstantOfShape", is_folded=False)
def constant_of_shape(node: Node) -> Value:
    """Return one number in a shape that is known."""
    shape = checked_shape(node.integers(0))
    number = node.attribute("value", np.zeros(1, np.float32))
    if number.size != 1:
        raise ModelError("needs one element", given=f"{number.size}", field="attribute value")
    known = Value(np.broadcast_to(number.reshape(()), shape))
    if known.count <= _MOST_KNOWN:
        return known
    stored = number.view(np.uint8) if number.dtype == BOOL else number
    filled = fill_value_constant(
        node.graph,
        sizes=sizes_of(shape),
        value=stored.reshape(())[()],
        dtype=as_data_type(stored.dtype),
    )
    return Value(filled, shape, number.dtype)


@handler("Shape")
def shape_of(node: Node) -> Array:
    """Return the sizes, or some of them."""
    shape = node.value(0).shape
    return np.asarray(shape[node.attribute("start", 0) : node.attribute("end")], np.int64)


@handler("Size")
def size_of(node: Node) -> Array:
    """Return the number of elements."""
    return np.asarray(node.value(0).count, np.int64)


@handler("Range", since=11)
def counted(node: Node) -> Value:
    """Return numbers with equal distances: the element i is start + i * delta, rounded once."""
    if any(node.value(index).count != 1 for index in range(3)):
        given = [list(node.value(index).shape) for index in range(3)]
        raise ModelError("needs three scalars", given=shown(given))
    start, limit, delta = (node.known(index).reshape(-1) for index in range(3))
    if not delta[0]:
        raise ModelError("needs a delta other than 0", given="0")
    dtype = node.value(0).dtype
    if not all(np.isfinite([*start, *limit, *delta])):
        raise ModelError("needs numbers that are finite", given=shown([*start, *limit, *delta]))
    exact = [Fraction(each[0].item()) for each in (start, limit, delta)]
    count = max(math.ceil((exact[1] - exact[0]) / exact[2]), 0)
    node.take([count], dtype)
    return Value(sequence(count, start[0], delta[0], dtype, rule="multiply"))


@handler("EyeLike", since=9, is_folded=False)
def diagonal(node: Node) -> Value:
    """Return a matrix with ones in a diagonal, known while loading."""
    value = node.value(0)
    if value.rank != 2:  # noqa: PLR2004 (a matrix)
        raise ModelError("needs a matrix", given=f"{list(value.shape)}")
    chosen = node.attribute("dtype")
    dtype = element_dtype(chosen) if chosen else value.dtype
    rows, columns = value.shape
    node.take(value.shape, dtype)
    return Value(np.eye(rows, columns, node.attribute("k", 0), dtype))


@handler("OptionalHasElement", since=15, is_folded=False)
def is_there(node: Node) -> Array:
    """Return whether there is an input: one that is a tensor has its elements."""
    return np.asarray(node.has(0))


@handler("OptionalGetElement", since=15, is_folded=False)
def itself(node: Node) -> Value:
    """Return an input that is a tensor."""
    return node.value(0)
