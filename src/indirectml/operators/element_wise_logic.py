"""Element-wise logic, comparisons, and operations on bits."""

from __future__ import annotations

from typing import Any

import numpy as np

from indirectml.arithmetic.basics import Array
from indirectml.catalogue.enumerations import IsInfinityMode
from indirectml.descriptors.definitions import operator


@operator("ELEMENT_WISE_LOGICAL_AND", "logical_and")
def logical_and(a: Array, b: Array) -> Array:
    """Output = 1 where both are not zero, 0 elsewhere.

    Example: uint8 [0, 1, 2], [1, 0, 4] -> [0, 0, 1]
    """
    return (a != 0) & (b != 0)


@operator("ELEMENT_WISE_LOGICAL_OR", "logical_or")
def logical_or(a: Array, b: Array) -> Array:
    """Output = 1 where at least one is not zero, 0 elsewhere.

    Example: uint8 [0, 1, 0], [0, 0, 4] -> [0, 1, 1]
    """
    return (a != 0) | (b != 0)


@operator("ELEMENT_WISE_LOGICAL_XOR", "logical_xor")
def logical_xor(a: Array, b: Array) -> Array:
    """Output = 1 where one of both is not zero, 0 elsewhere.

    Example: uint8 [0, 1, 2], [1, 0, 4] -> [1, 1, 0]
    """
    return (a != 0) ^ (b != 0)


@operator("ELEMENT_WISE_LOGICAL_NOT", "logical_not")
def logical_not(x: Array) -> Array:
    """Output = 1 where Input is zero, 0 elsewhere.

    Example: uint8 [0, 1, 2] -> [1, 0, 0]
    """
    return x == 0


@operator("ELEMENT_WISE_LOGICAL_EQUALS", "equals", output_dtype=np.uint8)
def equals(a: Array, b: Array) -> Array:
    """Output = 1 where A equals B, 0 elsewhere.

    Zeros of both signs are equal; a NaN is neither equal to, nor less or greater than anything.

    Example: float32 [1, -0.0, nan], [2, 0, nan] -> uint8 [0, 1, 0]
    """
    return a == b


@operator("ELEMENT_WISE_LOGICAL_GREATER_THAN", "greater_than", output_dtype=np.uint8)
def greater_than(a: Array, b: Array) -> Array:
    """Output = 1 where A is greater than B, 0 elsewhere.

    Zeros of both signs are equal; a NaN is neither equal to, nor less or greater than anything.

    Example: float32 [1, -0.0, nan], [2, 0, nan] -> uint8 [0, 0, 0]
    """
    return a > b


@operator(
    "ELEMENT_WISE_LOGICAL_GREATER_THAN_OR_EQUAL", "greater_than_or_equal", output_dtype=np.uint8
)
def greater_than_or_equal(a: Array, b: Array) -> Array:
    """Output = 1 where A is greater than or equal to B, 0 elsewhere.

    Zeros of both signs are equal; a NaN is neither equal to, nor less or greater than anything.

    Example: float32 [1, -0.0, nan], [2, 0, nan] -> uint8 [0, 1, 0]
    """
    return a >= b


@operator("ELEMENT_WISE_LOGICAL_LESS_THAN", "less_than", output_dtype=np.uint8)
def less_than(a: Array, b: Array) -> Array:
    """Output = 1 where A is less than B, 0 elsewhere.

    Zeros of both signs are equal; a NaN is neither equal to, nor less or greater than anything.

    Example: float32 [1, -0.0, nan], [2, 0, nan] -> uint8 [1, 0, 0]
    """
    return a < b


@operator("ELEMENT_WISE_LOGICAL_LESS_THAN_OR_EQUAL", "less_than_or_equal", output_dtype=np.uint8)
def less_than_or_equal(a: Array, b: Array) -> Array:
    """Output = 1 where A is less than or equal to B, 0 elsewhere.

    Zeros of both signs are equal; a NaN is neither equal to, nor less or greater than anything.

    Example: float32 [1, -0.0, nan], [2, 0, nan] -> uint8 [1, 1, 0]
    """
    return a <= b


@operator("ELEMENT_WISE_IS_NAN", "is_nan", output_dtype=np.uint8)
def is_nan(x: Array) -> Array:
    """Output = 1 where Input is a NaN, 0 elsewhere.

    Example: float32 [1, nan] -> uint8 [0, 1]
    """
    return np.isnan(x)


@operator(
    "ELEMENT_WISE_IS_INFINITY",
    "is_infinity",
    output_dtype=np.uint8,
    defaults={"infinity_mode": IsInfinityMode.EITHER},
)
def is_infinity(x: Array, *, infinity_mode: IsInfinityMode) -> Array:
    """Output = 1 where Input is an infinity of the sign that the mode asks for, 0 elsewhere.

    Example: infinity_mode=NEGATIVE; float32 [-inf, inf, 1] -> uint8 [1, 0, 0]
    """
    if infinity_mode == IsInfinityMode.EITHER:
        return np.isinf(x)
    return x == (np.inf if infinity_mode == IsInfinityMode.POSITIVE else -np.inf)


@operator("ELEMENT_WISE_BIT_AND", "bit_and", keeps_bits=True)
def bit_and(a: Array, b: Array) -> Array:
    """Output = A & B, bit by bit, whatever the data type.

    Example: uint8 [12], [10] -> [8]
    """
    return (_bits(a) & _bits(b)).view(a.dtype)


@operator("ELEMENT_WISE_BIT_OR", "bit_or", keeps_bits=True)
def bit_or(a: Array, b: Array) -> Array:
    """Output = A | B, bit by bit, whatever the data type.

    Example: uint8 [12], [10] -> [14]
    """
    return (_bits(a) | _bits(b)).view(a.dtype)


@operator("ELEMENT_WISE_BIT_XOR", "bit_xor", keeps_bits=True)
def bit_xor(a: Array, b: Array) -> Array:
    """Output = A ^ B, bit by bit, whatever the data type.

    Example: uint8 [12], [10] -> [6]
    """
    return (_bits(a) ^ _bits(b)).view(a.dtype)


@operator("ELEMENT_WISE_BIT_NOT", "bit_not", keeps_bits=True)
def bit_not(x: Array) -> Array:
    """Output = every bit of Input the other way round, whatever the data type.

    Example: uint8 [15] -> [240]
    """
    return (~_bits(x)).view(x.dtype)


@operator("ELEMENT_WISE_BIT_COUNT", "bit_count", keeps_bits=True, output_dtype=np.uint8)
def bit_count(x: Array) -> Array:
    """Output = how many bits of Input are 1, whatever the data type.

    Example: uint8 [0, 7, 255] -> uint8 [0, 3, 8]
    """
    return np.bitwise_count(_bits(x))


@operator("ELEMENT_WISE_BIT_SHIFT_LEFT", "bit_shift_left")
def bit_shift_left(a: Array, b: Array) -> Array:
    """Output = A shifted left by B bits.

    What is shifted out is lost. A shift by as many bits as there are, or more, gives 0.

    Our choice: shifts by as many bits as there are, or more.

    Example: uint8 [3, 3], [1, 8] -> [6, 0]
    """
    return np.left_shift(a, b)


@operator("ELEMENT_WISE_BIT_SHIFT_RIGHT", "bit_shift_right")
def bit_shift_right(a: Array, b: Array) -> Array:
    """Output = A shifted right by B bits, with zeros coming in.

    A shift by as many bits as there are, or more, gives 0.

    Our choice: shifts by as many bits as there are, or more.

    Example: uint8 [6, 6], [1, 8] -> [3, 0]
    """
    return np.right_shift(a, b)


def _bits(x: Array) -> Any:
    """Return the bits of an array as unsigned integers."""
    return x.view(f"u{x.dtype.itemsize}")
