"""Products of matrices: sums of products in chains of 256 by fused multiply-add, on every machine.

Each element of a product is a sum over k of a[k] * b[k]. A chain is up to 256 consecutive k: from
+0 on, s = fma(a[k], b[k], s), rounded once to FLOAT32. The total is the first chain, then total +
next chain, rounded, in order. FLOAT16 is widened exactly. A NaN becomes the positive quiet one
without payload.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from indirectml import _native
from indirectml.arithmetic.integers_in_panels import IntegersInPanels
from indirectml.arithmetic.words import word
from indirectml.core.errors import DataTypeError, LayoutError
from indirectml.core.settings import Settings

Array = np.ndarray[Any, Any]

#: Columns of a panel.
PANEL = 16

_FLOATS = ("float32", "float16")
_INTEGERS = ("int8", "uint8")
_WIDE_INTEGERS = ("int16", "uint16", "int32", "uint32")
_MATRIX_RANK = 2


@dataclass(frozen=True)
class InPanels:
    """Matrices in the order in which products read them, for the right side of `contract`.

    Attributes
    ----------
    panels : numpy.ndarray
        FLOAT32 or FLOAT16, of sizes (..., ceil(columns / 16), depth, 16), zeros beyond the last
        column. The same on every machine.
    columns : int
        The matrices that `unpacked` returns have sizes (depth, columns), if not transposed.
    is_transposed : bool
        Whether this stands for their transposed ones; then `swapaxes` is what products take.
    filter_sizes : tuple of int
        Of the filter of a convolution whose groups the matrices are, a column for each output
        channel; else none.
    """

    panels: Array
    columns: int
    is_transposed: bool = False
    filter_sizes: tuple[int, ...] = ()

    @property
    def shape(self) -> tuple[int, ...]:
        """The sizes of what this stands for."""
        *batch, _, depth, _ = self.panels.shape
        sizes = (self.columns, depth) if self.is_transposed else (depth, self.columns)
        return (*batch, *sizes)

    @property
    def ndim(self) -> int:
        """How many dimensions it has."""
        return self.panels.ndim - 1

    @property
    def dtype(self) -> np.dtype[Any]:
        """FLOAT32 or FLOAT16."""
        return self.panels.dtype

    @property
    def is_one_matrix(self) -> bool:
        """Whether products take it: one matrix, not transposed."""
        return not self.is_transposed and math.prod(self.panels.shape[:-3]) == 1

    def swapaxes(self, first: int, second: int) -> InPanels:
        """Return the transposed matrices; only the last two axes change places."""
        if {first % self.ndim, second % self.ndim} != {self.ndim - 2, self.ndim - 1}:
            raise LayoutError("needs the last two axes", given=f"{first} and {second}")
        return replace(self, is_transposed=not self.is_transposed)

    def __getitem__(self, index: tuple[int | slice, ...]) -> InPanels:
        """Return a matrix by its numbers, or columns of one, from a multiple of 16 on."""
        if all(isinstance(number, int) for number in index) and len(index) <= self.ndim - 2:
            return replace(self, panels=self.panels[index])
        every, columns = index
        if every != slice(None) or not isinstance(columns, slice) or self.is_transposed:
            raise LayoutError("needs a range of columns", given=f"{index}")
        begin, end, step = columns.indices(self.columns)
        if begin % PANEL or step != 1:
            raise LayoutError(f"needs columns from a multiple of {PANEL} on", given=f"{begin}")
        return InPanels(self.panels[begin // PANEL : -(-end // PANEL)], end - begin)

    def unpacked(self) -> Array:
        """Return what this stands for, bit for bit, in memory of its own."""
        *batch, panels, depth, _ = self.panels.shape
        rows = np.moveaxis(self.panels, -3, -2).reshape(*batch, depth, panels * PANEL)
        matrices = rows[..., : self.columns]
        if self.is_transposed:
            matrices = matrices.swapaxes(-1, -2)
        return np.ascontiguousarray(matrices)


def panel_sizes(depth: int, columns: int) -> tuple[int, int, int]:
    """Return the sizes of the panels of a matrix of sizes (depth, columns)."""
    return (-(-columns // PANEL), depth, PANEL)


def pack(b: Array, out: Array | None = None) -> InPanels:
    """Return matrices in the order in which products read them, for what is used often.

    Parameters
    ----------
    b : numpy.ndarray
        FLOAT32 or FLOAT16, of sizes (..., depth, columns), any strides.
    out : numpy.ndarray, optional
        Of the data type of `b`, or FLOAT32, of the sizes of the panels (see `InPanels`), without
        gaps: what is written.

    Raises
    ------
    DataTypeError
        `b` is not FLOAT32 or FLOAT16.
    LayoutError
        `b` has no matrices.

    Notes
    -----
    Every product with it has the bits of the product with `b`.

    Examples
    --------
    >>> contract(np.ones((1, 2), np.float32), pack(np.float32([[1, 2], [3, 4]])))
    array([[4., 6.]], dtype=float32)
    """
    _check_type("b", b, _FLOATS)
    if b.ndim < _MATRIX_RANK:
        raise LayoutError("needs at least 2 dimensions", given=f"{b.ndim} {b.shape}", field="b")
    *batch, depth, columns = b.shape
    panels = np.empty((*batch, *panel_sizes(depth, columns)), b.dtype.type) if out is None else out
    if panels.size:
        for index in itertools.product(*map(range, batch)):  # which `ndindex` takes longer for
            _native.pack(_native_order(b[index]), panels[index], Settings.policy)
    return InPanels(panels, columns)


def _product_step(a: Any, b: Any, *, outputs: Sequence[Any]) -> _native.Step:
    """Return the native form of `contract`."""
    columns = b.panels and b.panels.columns
    return _native.ProductStep(a.place, b.place, columns, outputs[0].place)


@word(
    "a",
    "b",
    results=lambda a, b: [(_result_sizes(a, b), np.float32)],
    native=_product_step,
    takes_halves=True,
)
def contract(a: Array, b: Array | InPanels, *, out: Array | None = None) -> Array:
    """Return the product of matrices, for each pair of matrices.

    Parameters
    ----------
    a : numpy.ndarray
        FLOAT32 or FLOAT16, of sizes (..., rows, depth), any strides.
    b : numpy.ndarray or InPanels
        FLOAT32 or FLOAT16, of sizes (..., depth, columns), any strides. Dimensions before the last
        two are repeated as NumPy does. What is in panels is one matrix.
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
        right = b if isinstance(b, InPanels) else _native_order(b)
        _multiply(_native_order(a), right, result)
        out[...] = result
    return out


def _multiply(a: Array, b: Array | InPanels, out: Array) -> bool:
    """Write a product; return False, and do nothing, if no kernel takes the arrays."""
    if isinstance(b, InPanels):
        if b.is_transposed:
            return False
        return _native.contract_panels(a, b.panels, b.columns, out, Settings.policy)
    return _native.contract(a, b, out, Settings.policy)


def _integer_product_step(*views: Any, outputs: Sequence[Any], **numbers: int) -> _native.Step:
    """Return the native form of `contract_integer`."""
    a, b, *zeros = views
    a_zero, b_zero = zero_point_places(zeros, numbers, ("a_zero_point", "b_zero_point"))
    columns = b.panels and b.panels.columns
    return _native.IntegerProductStep(a.place, b.place, columns, *a_zero, *b_zero, outputs[0].place)


def _wide_product_step(
    a: Any, b: Any, *zeros: Any, outputs: Sequence[Any], **numbers: int
) -> _native.Step | None:
    """Return the native form of `contract_wide_integer`."""
    lines = (a.sizes[-2], b.sizes[-1])
    if any(z and z.element_count not in {1, n} for z, n in zip(zeros, lines, strict=True)):
        return None
    given = zero_point_places(zeros, numbers, ("a_zero_point", "b_zero_point"))
    (a_zero, a_number), (b_zero, b_number) = given
    bits = (1 << 32) - 1
    return _native.wide_product_step(
        a.place, b.place, a_zero, a_number & bits, b_zero, b_number & bits, outputs[0].place
    )


def zero_point_places(
    views: Sequence[Any], fields: Mapping[str, Any], names: Sequence[str]
) -> list[tuple[Any, int]]:
    """Return where zero points are, or the number that they are, as the native code takes it."""
    return [
        (None, fields.get(name) or 0) if view is None else (view.place, 0)
        for view, name in zip(views, names, strict=True)
    ]


@word(
    "a",
    "b",
    "a_zero_point",
    "b_zero_point",
    results=lambda a, b, **_: [(_result_sizes(a, b), np.int32)],
    native=_integer_product_step,
)
def contract_integer(
    a: Array,
    b: Array | IntegersInPanels,
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
    b : numpy.ndarray or IntegersInPanels
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
    if isinstance(b, IntegersInPanels):
        b = b.unpacked()
    if out is None:
        out = np.empty(_result_sizes(a, b), np.int32)
    _check_operands(a, b, out, _INTEGERS, "int32")
    zeros = (
        zero_points(a_zero_point, a.shape[-2], "a_zero_point"),
        zero_points(b_zero_point, b.shape[-1], "b_zero_point"),
    )
    if not _native.contract_integer(a, zeros[0], b, zeros[1], out, Settings.policy):
        result = np.empty(out.shape, np.int32)
        _native.contract_integer(a, zeros[0], b, zeros[1], result, Settings.policy)
        out[...] = result
    return out


@word(
    "a",
    "b",
    "a_zero_point",
    "b_zero_point",
    results=lambda a, b, **_: [(_result_sizes(a, b), np.int32)],
    native=_wide_product_step,
)
def contract_wide_integer(
    a: Array, b: Array, a_zero_point: int | Array = 0, b_zero_point: int | Array = 0
) -> Array:
    """Return the product of matrices of 16- or 32-bit integers less zero points, modulo 2^32.

    Parameters
    ----------
    a, b : numpy.ndarray
        INT16, UINT16, INT32 or UINT32, of sizes (..., rows, depth) and (..., depth, columns), any
        strides.
    a_zero_point, b_zero_point : int or numpy.ndarray
        Integers: one, or one for each row of `a`, for each column of `b`.

    Returns
    -------
    numpy.ndarray
        INT32, of sizes (..., rows, columns).

    Raises
    ------
    DataTypeError
        A data type is another one.

    Notes
    -----
    The sum over k of (a - a_zero_point) * (b - b_zero_point), exact modulo 2^32.

    Examples
    --------
    >>> contract_wide_integer(np.int32([[2**31 - 1, 3]]), np.int32([[2], [5]]), 0, 1)
    array([[-2147483637]], dtype=int32)
    """
    for name, array in (("a", a), ("b", b)):
        _check_type(name, array, _WIDE_INTEGERS)
    # Numbers that are equal modulo 2^32 give products and sums that are.
    rows, columns = (np.asarray(z).astype(np.uint32) for z in (a_zero_point, b_zero_point))
    left, right = a.astype(np.uint32) - rows.reshape(-1, 1), b.astype(np.uint32) - columns
    product: Array = (left @ right).view(np.int32)
    return product


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


def _result_sizes(a: Array, b: Array | InPanels) -> tuple[int, ...]:
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
    a: Array, b: Array | InPanels, out: Array, types: tuple[str, ...], result: str
) -> None:
    """Check data types and sizes of a product."""
    _check_type("a", a, types)
    if not isinstance(b, InPanels):
        _check_type("b", b, types)
    elif not b.is_one_matrix:
        needs = "needs one matrix in panels, as `pack` made it"
        raise LayoutError(needs, given=f"sizes {b.shape}", field="b")
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
