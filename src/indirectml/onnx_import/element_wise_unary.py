"""Element by element, of one tensor, without functions: identity, data types."""

from __future__ import annotations

from typing import Any

import numpy as np

from indirectml.core.data_types import as_data_type
from indirectml.graphs.expressions import Expression
from indirectml.onnx_import.nodes import Node, handler
from indirectml.onnx_import.reading import element_dtype
from indirectml.onnx_import.values import BOOL, Value, number_like
from indirectml.operators.functions import cast, equals, logical_not


@handler("Identity")
def same(node: Node) -> Value:
    """Return the input: no operator."""
    return node.value(0)


@handler("Cast")
def cast_to(node: Node) -> Value:
    """Return the elements in the data type that the node has."""
    return _cast(node, element_dtype(node.attribute("to")))


@handler("CastLike")
def cast_like(node: Node) -> Value:
    """Return the elements in the data type of another tensor."""
    return _cast(node, node.value(1).dtype)


def _cast(node: Node, dtype: np.dtype[Any]) -> Value:
    value = node.value(0)
    if dtype == value.dtype:
        return value
    if value.array is not None and _is_exact(value.dtype, dtype):
        return Value(value.array.astype(dtype))
    x = node.expression(0)
    if dtype == BOOL:
        return Value(is_not_zero(x), value.shape, BOOL)
    return Value(cast(x, dtype=as_data_type(dtype)), value.shape)


def is_not_zero(x: Expression) -> Expression:
    """Return 1 where an element is not zero, else 0."""
    return logical_not(equals(x, number_like(x, 0)))


def _is_exact(source: np.dtype[Any], target: np.dtype[Any]) -> bool:
    """Return whether NumPy's conversion is the exact one: between integers, and without loss."""
    is_integer = source.kind in "biu" and target.kind in "biu"
    return is_integer or (source.kind in "biuf" and np.can_cast(source, target, "safe"))
