"""Element-wise arithmetic of two inputs, and the choice between two."""

from __future__ import annotations

import numpy as np

from indirectml.arithmetic.basics import Array
from indirectml.descriptors.definitions import operator


@operator("ELEMENT_WISE_ADD1", older=("ELEMENT_WISE_ADD",))
def total(a: Array, b: Array) -> Array:
    """Output = A + B.

    Floats are rounded once, to nearest, ties to even; integers wrap.

    Example: float32 [1, 2], [0.5, -2] -> [1.5, 0]
    """
    return np.add(a, b)


@operator("ELEMENT_WISE_SUBTRACT", "subtract")
def difference(a: Array, b: Array) -> Array:
    """Output = A - B.

    Floats are rounded once, to nearest, ties to even; integers wrap.

    Example: float32 [1, 2], [0.5, -2] -> [0.5, 4]
    """
    return np.subtract(a, b)


@operator("ELEMENT_WISE_MULTIPLY", "multiply")
def product(a: Array, b: Array) -> Array:
    """Output = A * B.

    Floats are rounded once, to nearest, ties to even; integers wrap.

    Example: float32 [1, 2], [0.5, -2] -> [0.5, -4]
    """
    return np.multiply(a, b)


@operator("ELEMENT_WISE_DIVIDE", "divide")
def quotient(a: Array, b: Array) -> Array:
    """Output = A / B.

    Floats are rounded once, to nearest, ties to even. Integers are truncated towards zero; a
    division by zero gives 0, and the smallest integer divided by -1 gives itself.

    Example: int8 [7, -7], [2, 2] -> [3, -3]
    """
    if a.dtype.kind == "f":
        return np.divide(a, b)
    # What is left after the remainder divides exactly, so that rounding down is no rounding.
    result: Array = np.floor_divide(a - np.fmod(a, b), b)
    return result


@operator("ELEMENT_WISE_MODULUS_TRUNCATE", "modulus_truncate")
def remainder_towards_zero(a: Array, b: Array) -> Array:
    """Output = A - B * trunc(A / B).

    Exact: the result needs no rounding, and is that of C's fmod. It has the sign of A, also where
    it is zero. Floats give NaN where A is infinite or B is zero; an integer modulo zero is 0.

    Example: int8 [7, -7, 7], [5, 5, -5] -> [2, -2, 2]
    """
    return np.fmod(a, b)


@operator("ELEMENT_WISE_MODULUS_FLOOR", "modulus_floor")
def remainder_downwards(a: Array, b: Array) -> Array:
    """Output = A - B * floor(A / B).

    The exact result, rounded once, to nearest, ties to even. It has the sign of B, also where it is
    zero, as in Python. Floats give NaN where A is infinite or B is zero, and B where that is
    infinite and A has another sign; an integer modulo zero is 0.

    Example: int8 [7, -7, 7], [5, 5, -5] -> [2, 3, -3]
    """
    if a.dtype.kind != "f":
        return np.mod(a, b)
    # The remainder towards zero is exact, so that the one addition is the one rounding.
    left = np.fmod(a, b)
    signed: Array = np.where(left == 0, np.copysign(left, b), left)
    return np.where((left != 0) & ((left < 0) != (b < 0)), left + b, signed)


@operator("ELEMENT_WISE_MAX", "max")
def larger(a: Array, b: Array) -> Array:
    """Output = the larger of A and B.

    Exact. A NaN wins, and +0 is larger than -0.

    Example: float32 [1, -0.0, nan], [2, 0, 1] -> [2, 0, nan]
    """
    return _extreme(a, b, a > b, np.signbit(b)) if a.dtype.kind == "f" else np.maximum(a, b)


@operator("ELEMENT_WISE_MIN", "min")
def smaller(a: Array, b: Array) -> Array:
    """Output = the smaller of A and B.

    Exact. A NaN wins, and -0 is smaller than +0.

    Example: float32 [1, 0, nan], [2, -0.0, 1] -> [1, -0.0, nan]
    """
    return _extreme(a, b, a < b, np.signbit(a)) if a.dtype.kind == "f" else np.minimum(a, b)


def _extreme(a: Array, b: Array, a_wins: Array, a_wins_among_equals: Array) -> Array:
    """Return the winners; of equals, which differ in the sign of zero alone, as told."""
    chosen = np.where(a_wins | ((a == b) & a_wins_among_equals) | np.isnan(a), a, b)
    return np.where(np.isnan(b), b, chosen)


@operator("ELEMENT_WISE_MEAN", "mean")
def mean(a: Array, b: Array) -> Array:
    """Output = (A + B) / 2.

    Floats are rounded after the addition and after the division, so that a sum that overflows is
    infinite. Of integers the sum wraps, and the half goes towards zero.

    Our choice: what becomes of the half, and of a sum of integers that overflows.

    Example: float32 [1, 2], [2, 4] -> [1.5, 3]
    """
    if a.dtype.kind == "f":
        return (a + b) / a.dtype.type(2)
    summed = a + b
    return quotient(summed, np.full_like(summed, 2))


@operator("ELEMENT_WISE_DIFFERENCE_SQUARE", "difference_square")
def squared_difference(a: Array, b: Array) -> Array:
    """Output = (A - B) * (A - B).

    Floats are rounded after the subtraction and after the multiplication; integers wrap.

    Example: float32 [1, 2], [3, 5] -> [4, 9]
    """
    left = a - b
    return left * left


@operator("ELEMENT_WISE_IF", "where", keeps_bits=True)
def chosen(condition: Array, a: Array, b: Array) -> Array:
    """Output = A where the condition is not zero, B elsewhere.

    Every bit is kept.

    The page errs: its history names feature level 2_1 and has no table for it; the last table holds
    on.

    Example: uint8 [1, 0], float32 [1, 2], [3, 4] -> float32 [1, 4]
    """
    return np.where(condition != 0, a, b)
