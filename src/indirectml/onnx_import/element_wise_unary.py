"""Element by element, of one tensor, without functions: identity, data types, signs, bounds."""

from __future__ import annotations

from typing import Any

import numpy as np

from indirectml.catalogue.enumerations import RoundingMode
from indirectml.core.data_types import as_data_type
from indirectml.core.errors import ModelError
from indirectml.graphs.expressions import Expression, broadcast, reinterpret
from indirectml.onnx_import.nodes import Node, handler
from indirectml.onnx_import.reading import element_dtype
from indirectml.onnx_import.values import BOOL, Value, number_like, packed, viewed
from indirectml.operators.functions import (
    abs,  # noqa: A004 (names of the `directml` package)
    bit_and,
    bit_xor,
    cast,
    ceil,
    clip,
    equals,
    floor,
    logical_not,
    max,  # noqa: A004
    min,  # noqa: A004
    negate,
    round,  # noqa: A004
    sign,
)

#: By operator, what does it in a graph, and for integers that are known.
_UNARY: dict[str, tuple[Any, Any]] = {
    "Abs": (abs, np.abs),
    "Ceil": (ceil, None),
    "Floor": (floor, None),
    "Neg": (negate, np.negative),
    "Sign": (sign, np.sign),
}


@handler(*_UNARY)
def unary(node: Node) -> Value:
    """Return what the operator of the same name makes of each element."""
    in_graph, in_numpy = _UNARY[node.operator]
    value = node.value(0)
    if value.dtype.kind == "u" and node.operator == "Abs":
        return value
    if value.array is not None and value.dtype.kind == "i" and in_numpy is not None:
        node.take(value.shape, value.dtype)
        return Value(np.asarray(in_numpy(value.array)))
    return node.made(in_graph(node.expression(0)), value.shape)


@handler("Round")
def rounded(node: Node) -> Value:
    """Return the nearest integers, of two the even one."""
    mode = RoundingMode.HALVES_TO_NEAREST_EVEN
    return node.made(round(node.expression(0), rounding_mode=mode), node.value(0).shape)


@handler("Identity")
def same(node: Node) -> Value:
    """Return the input: no operator."""
    return node.value(0)


# ---- data types ----


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
        node.take(value.shape, dtype)
        return Value(value.array.astype(dtype))
    x = node.expression(0)
    if dtype == BOOL:
        return Value(is_not_zero(x), value.shape, BOOL)
    if dtype.name in _FOUR_BITS:
        return Value(_low_bits(x, dtype), value.shape, dtype)
    return Value(cast(x, dtype=as_data_type(dtype)), value.shape)


_FOUR_BITS = ("int4", "uint4")


def _low_bits(x: Expression, dtype: np.dtype[Any]) -> Expression:
    """Return the lowest 4 bits of integers, which wrap, in 8 bits."""
    bits = reinterpret(cast(x, dtype=np.int32), x.shape, dtype=np.uint32)
    low = bit_and(bits, number_like(bits, 15))
    if dtype.name == "int4":
        low = bit_xor(low, number_like(low, 8))
        return cast(reinterpret(low, x.shape, dtype=np.int32) - 8, dtype=np.int8)
    return cast(low, dtype=np.uint8)


@handler("BitCast", since=26)
def same_bits(node: Node) -> Value:
    """Return the bits of the elements as another data type of the same width: a view."""
    value = node.value(0)
    dtype = element_dtype(node.attribute("to"))
    if dtype == BOOL and value.dtype != BOOL:
        raise ModelError("needs another type than bool, which has two values alone", given="bool")
    if value.array is not None:
        node.take(value.shape, dtype)
        return Value(np.ascontiguousarray(value.array).view(dtype).reshape(value.shape))
    x = packed(node.expression(0))
    return Value(reinterpret(x, x.shape, dtype=as_data_type(dtype)), value.shape, dtype)


def is_not_zero(x: Expression) -> Expression:
    """Return 1 where an element is not zero, else 0."""
    return logical_not(equals(x, number_like(x, 0)))


def _is_exact(source: np.dtype[Any], target: np.dtype[Any]) -> bool:
    """Return whether NumPy's conversion is the exact one: between integers, and without loss."""
    is_integer = source.kind in "biu" and target.kind in "biu"
    return is_integer or (source.kind in "biuf" and np.can_cast(source, target, "safe"))


# ---- bounds ----


@handler("Clip", since=6)
def clipped_by_attributes(node: Node) -> Value:
    """Return the elements within two numbers of the node."""
    low, high = node.attribute("min"), node.attribute("max")
    return _clipped(node, _bound(node, low, -np.inf), _bound(node, high, np.inf))


def _bound(node: Node, number: float | None, default: float) -> Value:
    return Value(np.asarray(default if number is None else number, node.value(0).dtype))


@handler("Clip", since=11)
def clipped(node: Node) -> Value:
    """Return the elements within two scalars, each of which may be left out."""
    low = node.value(1) if node.has(1) else None
    high = node.value(2) if node.has(2) else None
    for bound in (low, high):
        if bound is not None and bound.count != 1:
            raise ModelError("needs a scalar", given=f"sizes {list(bound.shape)}")
    return _clipped(node, low, high)


def _clipped(node: Node, low: Value | None, high: Value | None) -> Value:
    value = node.value(0)
    x = node.expression(0)
    numbers = [_number(low), _number(high)]
    is_known = all(n is not None or v is None for n, v in zip(numbers, (low, high), strict=True))
    lowest, highest = _limits(value.dtype)
    least, most = (lowest if numbers[0] is None else numbers[0],
                   highest if numbers[1] is None else numbers[1])  # fmt: skip
    if low is None and high is None:
        return value
    if is_known and least <= most:
        return node.made(clip(x, min=least, max=most), value.shape)
    # Where the bounds cross, the upper one holds.
    for bound, limited in ((low, max), (high, min)):
        if bound is not None:
            x = limited(x, broadcast(viewed(bound.expression(node.graph), [1]), x.shape))
    return node.made(x, value.shape)


def _number(bound: Value | None) -> Any:
    if bound is None or bound.array is None:
        return None
    number = bound.array.flat[0]
    return float(number) if bound.dtype.kind == "f" else int(number)


def _limits(dtype: np.dtype[Any]) -> tuple[Any, Any]:
    if dtype.kind == "f":
        return -np.inf, np.inf
    limits = np.iinfo(dtype)
    return int(limits.min), int(limits.max)
