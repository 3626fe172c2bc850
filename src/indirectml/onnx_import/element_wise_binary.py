"""Element by element, of tensors that are broadcast to one another."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np

from indirectml.graphs.expressions import Expression, reinterpret
from indirectml.onnx_import.nodes import Node, handler
from indirectml.onnx_import.values import Array, Value, aligned, broadcast_shape, number_like
from indirectml.operators.functions import (
    activation_parameterized_relu,
    add,
    bit_and,
    bit_not,
    bit_or,
    bit_shift_left,
    bit_shift_right,
    bit_xor,
    divide,
    equals,
    greater_than,
    greater_than_or_equal,
    less_than,
    less_than_or_equal,
    logical_and,
    logical_or,
    logical_xor,
    max,  # noqa: A004 (names of the `directml` package)
    min,  # noqa: A004
    modulus_floor,
    modulus_truncate,
    multiply,
    subtract,
    where,
)


def _quotient(a: Array, b: Array) -> Array:
    """Return quotients of integers towards zero; by zero they are 0, as in a graph."""
    whole = np.floor_divide(a, np.where(b == 0, 1, b))
    left = a - whole * b
    return np.where(b == 0, 0, whole + ((left != 0) & ((a < 0) != (b < 0))))


#: By operator, what does it in a graph, and for integers and booleans that are known.
_BINARY: dict[str, tuple[Any, Any]] = {
    "Add": (add, np.add),
    "And": (logical_and, np.logical_and),
    "BitwiseAnd": (bit_and, np.bitwise_and),
    "BitwiseOr": (bit_or, np.bitwise_or),
    "BitwiseXor": (bit_xor, np.bitwise_xor),
    "Div": (divide, _quotient),
    "Equal": (equals, np.equal),
    "Greater": (greater_than, np.greater),
    "GreaterOrEqual": (greater_than_or_equal, np.greater_equal),
    "Less": (less_than, np.less),
    "LessOrEqual": (less_than_or_equal, np.less_equal),
    "Max": (max, np.maximum),
    "Min": (min, np.minimum),
    "Mul": (multiply, np.multiply),
    "Or": (logical_or, np.logical_or),
    "Sub": (subtract, np.subtract),
    "Sum": (add, np.add),
    "Xor": (logical_xor, np.logical_xor),
}


@handler(*_BINARY, since=7)
def binary(node: Node) -> Value:
    """Return what the operator of the same name makes of two; of more, from the left."""
    in_graph, in_numpy = _BINARY[node.operator]
    return _reduced(node, in_graph, in_numpy)


def _reduced(node: Node, in_graph: Any, in_numpy: Any) -> Value:
    values = [node.value(index) for index in range(len(node.inputs))]
    if len(values) == 1:
        return values[0]
    arrays = [value.array for value in values]
    if all(array is not None and array.dtype.kind in "biu" for array in arrays):
        for _ in arrays:
            node.take(broadcast_shape(values), values[0].dtype)
        with np.errstate(over="ignore"):
            return Value(np.asarray(functools.reduce(in_numpy, arrays)))
    operands, shape = aligned(node.graph, values)
    return node.made(functools.reduce(in_graph, operands), shape)


@handler("Mean", since=8)
def mean(node: Node) -> Value:
    """Return the sum, from the left, divided by how many there are."""
    operands, shape = aligned(node.graph, [node.value(k) for k in range(len(node.inputs))])
    total = functools.reduce(add, operands)
    count = len(operands)
    return node.made(total if count == 1 else divide(total, number_like(total, count)), shape)


@handler("Mod", since=10)
def modulus(node: Node) -> Value:
    """Return remainders: with the sign of the divisor, or of the dividend if fmod says so."""
    if node.attribute("fmod"):
        return _reduced(node, modulus_truncate, np.fmod)
    return _reduced(node, modulus_floor, _modulus)


def _modulus(a: Array, b: Array) -> Array:
    return np.where(b == 0, 0, np.mod(a, np.where(b == 0, 1, b))).astype(a.dtype)


@handler("BitShift", since=11)
def shifted(node: Node) -> Value:
    """Return bits that are shifted to the left or to the right."""
    is_left = node.attribute("direction") == "LEFT"
    (a, b), shape = aligned(node.graph, [node.value(0), node.value(1)])
    shift = bit_shift_left if is_left else bit_shift_right
    if not a.desc.data_type.signed:
        return node.made(shift(a, b), shape)
    # Of signed integers the bits are shifted; a negative distance is, unsigned, a very large one.
    bits, distance = (_in_bits(each) for each in (a, b))
    if is_left:
        result = shift(bits, distance)
    else:
        # The sign comes in: shifted are the other bits of negative integers, and turned back.
        below = less_than(a, number_like(a, 0))
        turned = where(below, bit_not(bits), bits)
        shifted_bits = shift(turned, distance)
        result = where(below, bit_not(shifted_bits), shifted_bits)
    return node.made(reinterpret(result, a.shape, dtype=a.dtype), shape)


def _in_bits(x: Expression) -> Expression:
    """Return signed integers as unsigned ones of the same bits."""
    unsigned = np.dtype(f"uint{8 * x.dtype.itemsize}")
    return reinterpret(x, x.shape, x.desc.strides_in_memory, dtype=unsigned)


@handler("Where", since=9)
def chosen(node: Node) -> Value:
    """Return elements of one tensor where a condition is true, of another elsewhere."""
    values = [node.value(index) for index in range(3)]
    condition, a, b = (value.array for value in values)
    if condition is not None and a is not None and b is not None:
        node.take(broadcast_shape(values), a.dtype)
        return Value(np.where(condition, a, b))
    operands, shape = aligned(node.graph, values)
    return node.made(where(*operands), shape, values[1].dtype)


@handler("PRelu", since=7)
def with_slopes(node: Node) -> Value:
    """Return elements, those below zero times a slope."""
    (x, slope), shape = aligned(node.graph, [node.value(0), node.value(1)])
    return node.made(activation_parameterized_relu(x, slope), shape)
