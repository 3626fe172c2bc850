"""Products of matrices: sums of products in chains of 256 by fused multiply-add, on every machine.

Each element of a product is a sum over k of a[k] * b[k]. A chain is up to 256 consecutive k: from
+0 on, s = fma(a[k], b[k], s), rounded once to FLOAT32. The total is the first chain, then total +
next chain, rounded, in order. FLOAT16 is widened exactly. A NaN becomes the positive quiet one
without payload.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from indirectml import _native
from indirectml.core.errors import DataTypeError, LayoutError
from indirectml.core.settings import State

Array = np.ndarray[Any, Any]

#: Columns of a panel of a packed matrix.
PANEL = 16

_FLOATS = ("float32", "float16")
_INTEGERS = ("int8", "uint8")
_MATRIX_RANK = 2


@dataclass(frozen=True)
class Packed:
    """A matrix in the order in which products read it, for the right side of `contract`.

    Attributes
    ----------
    panels : numpy.ndarray
        FLOAT32, of sizes (ceil(columns / 16), depth, 16), zeros beyond the last column. The same
        on every machine.
    columns : int
        The matrix has sizes (depth, columns).
    """

    panels: Array
    columns: int

    @property
    def shape(self) -> tuple[int, int]:
        """The sizes of the matrix."""
        return (self.panels.shape[1], self.columns)


def pack(b: Array) -> Packed:
    """Return a matrix in the order in which products read it, for a matrix that is used often.

    Parameters
    ----------
    b : numpy.ndarray
        FLOAT32 or FLOAT16, of sizes (depth, columns), any strides.

    Raises
    ------
    DataTypeError
        `b` is not FLOAT32 or FLOAT16.
    LayoutError
        `b` is no matrix.

    Notes
    -----
    Every product with it has the bits of the product with `b`.

    Examples
    --------
    >>> contract(np.ones((1, 2), np.float32), pack(np.float32([[1, 2], [3, 4]])))
    array([[4., 6.]], dtype=float32)
    """
    _check_type("b", b, _FLOATS)
    if b.ndim != _MATRIX_RANK:
        raise LayoutError("needs 2 dimensions", given=f"{b.ndim} {b.shape}", field="b")
    depth, columns = b.shape
    panels = np.empty((-(-columns // PANEL), depth, PANEL), np.float32)
    if panels.size:
        _native.pack(_native_order(b), panels, State.policy)
    return Packed(panels, columns)


def contract(a: Array, b: Array | Packed, *, out: Array | None = None) -> Array:
    """Return the product of matrices, for each pair of matrices.

    Parameters
    ----------
    a : numpy.ndarray
        FLOAT32 or FLOAT16, of sizes (..., rows, depth), any strides.
    b : numpy.ndarray or Packed
        FLOAT32 or FLOAT16, of sizes (..., depth, columns), any strides. Dimensions before the last
        two are repeated as NumPy does.
    out : numpy.ndarray, optional
        FLOAT32, of the sizes of the result, any strides: written in place and returned.

    Returns
    -------
    numpy.ndarray
        FLOAT32, of sizes (..., rows, columns).

    Raises
    ------
    DataTypeError
        A data type is another one.
    LayoutError
        Sizes do not fit each other.

    Notes
    -----
    Each element is a total of chains (see the top of this module): the same bits with every
    instruction set, any strides, any number of threads.

    Examples
    --------
    >>> contract(np.float32([[1, 2]]), np.float32([[3], [4]]))
    array([[11.]], dtype=float32)
    """
    if out is None:
        out = np.empty(_result_sizes(a, b), np.float32)
    if not _multiply(a, b, out):
        _check_operands(a, b, out, _FLOATS, "float32")
        # Memory that kernels do not take, or that the result shares with an operand.
        result = np.empty(out.shape, np.float32)
        right = b if isinstance(b, Packed) else _native_order(b)
        _multiply(_native_order(a), right, result)
        out[...] = result
    return out


def _multiply(a: Array, b: Array | Packed, out: Array) -> bool:
    """Write a product; return False, and do nothing, if the core does not take the arrays."""
    if isinstance(b, Packed):
        return _native.contract_packed(a, b.panels, b.columns, out, State.policy)
    return _native.contract(a, b, out, State.policy)


def contract_integer(
    a: Array,
    b: Array,
    a_zero_point: int | Array = 0,
    b_zero_point: int | Array = 0,
    *,
    out: Array | None = None,
) -> Array:
    """Return the product of matrices of 8-bit integers less their zero points, modulo 2^32.

    Parameters
    ----------
    a : numpy.ndarray
        INT8 or UINT8, of sizes (..., rows, depth), any strides.
    b : numpy.ndarray
        INT8 or UINT8, of sizes (..., depth, columns), any strides.
    a_zero_point, b_zero_point : int or numpy.ndarray
        Integers from -128 to 255: one, or one for each row of `a`, for each column of `b`.
    out : numpy.ndarray, optional
        INT32, of the sizes of the result, any strides: written in place and returned.

    Returns
    -------
    numpy.ndarray
        INT32, of sizes (..., rows, columns).

    Raises
    ------
    DataTypeError
        A data type is another one.
    LayoutError
        Sizes do not fit each other.

    Notes
    -----
    The sum over k of (a - a_zero_point) * (b - b_zero_point), exact modulo 2^32.

    Examples
    --------
    >>> contract_integer(np.uint8([[200, 3]]), np.int8([[-1], [2]]), 100)
    array([[-294]], dtype=int32)
    """
    if out is None:
        out = np.empty(_result_sizes(a, b), np.int32)
    _check_operands(a, b, out, _INTEGERS, "int32")
    zeros = (
        zero_points(a_zero_point, a.shape[-2], "a_zero_point"),
        zero_points(b_zero_point, b.shape[-1], "b_zero_point"),
    )
    if not _native.contract_integer(a, zeros[0], b, zeros[1], out, State.policy):
        result = np.empty(out.shape, np.int32)
        _native.contract_integer(a, zeros[0], b, zeros[1], result, State.policy)
        out[...] = result
    return out


def zero_points(given: int | Array, count: int, field: str) -> Array:
    """Return zero points as INT32, one or one for each of `count` lines.

    Raises
    ------
    LayoutError
        There is neither one nor one for each.
    DataTypeError
        They are no integers, or none that 8 bits hold.
    """
    points = np.asarray(given)
    if points.size not in {1, count}:
        raise LayoutError(f"needs 1 or {count} elements", given=f"{points.size}", field=field)
    if points.dtype.kind not in "iu":
        raise DataTypeError("needs integers", given=points.dtype.name, field=field)
    low, high = np.iinfo(np.int8).min, np.iinfo(np.uint8).max
    if points.size and (points.min() < low or points.max() > high):
        raise DataTypeError(f"needs integers from {low} to {high}", given=f"{given}", field=field)
    return points.astype(np.int32).reshape(-1)


def _result_sizes(a: Array, b: Array | Packed) -> tuple[int, ...]:
    """Return the sizes of a product, as far as they can be known before checks."""
    if a.ndim == len(b.shape) == _MATRIX_RANK:
        return (a.shape[0], b.shape[1])
    if a.ndim < _MATRIX_RANK or len(b.shape) < _MATRIX_RANK:
        return ()
    try:
        batch = np.broadcast_shapes(a.shape[:-2], b.shape[:-2])
    except ValueError:
        return ()
    return (*batch, a.shape[-2], b.shape[-1])


def _check_operands(
    a: Array, b: Array | Packed, out: Array, types: tuple[str, ...], result: str
) -> None:
    """Check data types and sizes of a product."""
    _check_type("a", a, types)
    if not isinstance(b, Packed):
        _check_type("b", b, types)
    _check_type("out", out, (result,))
    for name, sizes in (("a", a.shape), ("b", b.shape)):
        if len(sizes) < _MATRIX_RANK:
            given = f"{len(sizes)} {sizes}"
            raise LayoutError("needs at least 2 dimensions", given=given, field=name)
    if a.shape[-1] != b.shape[-2]:
        raise LayoutError(
            f"needs {a.shape[-1]} rows, as many as a has columns",
            given=f"{b.shape[-2]}",
            field="b",
        )
    try:
        batch = np.broadcast_shapes(a.shape[:-2], b.shape[:-2])
    except ValueError:
        raise LayoutError(
            f"needs dimensions before the last two that repeat to those of a, {a.shape[:-2]}",
            given=f"{b.shape[:-2]}",
            field="b",
        ) from None
    expected = (*batch, a.shape[-2], b.shape[-1])
    if out.shape != expected:
        raise LayoutError(f"needs sizes {expected}", given=f"{out.shape}", field="out")


def _check_type(name: str, array: Array, types: tuple[str, ...]) -> None:
    """Check the data type of an array."""
    if array.dtype.name not in types:
        raise DataTypeError(
            f"needs {' or '.join(t.upper() for t in types)}", given=array.dtype.name, field=name
        )


def _native_order(array: Array) -> Array:
    """Return an array in this machine's byte order."""
    return array.astype(array.dtype.newbyteorder("="), copy=False)
