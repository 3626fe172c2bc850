"""Arrays: fills for NumPy and PyTorch users, without DirectML's vocabulary."""

from __future__ import annotations

import operator
from collections.abc import Iterable
from typing import Any, SupportsIndex

import numpy as np

from indirectml import _native
from indirectml.core.buffers import fill_buffer, open_output
from indirectml.core.data_types import DataTypeLike, TensorDataType
from indirectml.core.errors import DirectMLError, LayoutError, shown
from indirectml.core.scalars import Scalar, exact_bits
from indirectml.core.settings import Settings
from indirectml.fills.sequences import (
    RULES,
    Rule,
    Sequence,
    checked_rule,
    fill_data_type,
    native_sequence,
)

_fill_with_constant = _native.fill_array_with_constant
_fill_with_sequence = _native.fill_array_with_sequence


def fill_constant(out: Any, value: Scalar) -> Any:
    """Give every element of an array the same bits; returns the array.

    Parameters
    ----------
    out : array
        Written in place; never copied, never converted. A NumPy array of any sizes and strides, a
        memory map, a bytearray or memoryview, or anything with DLPack in the CPU's memory, such
        as a PyTorch tensor. No two elements may share memory. An empty array stays empty.
        Data types: float16/32/64, int8/16/32/64, uint8/16/32/64.
    value : int or float
        Converted once to the array's data type. Integers must fit. Floats are rounded to nearest,
        ties to even; a NumPy scalar of the same data type keeps every bit, NaN payload and sign
        of zero included. A `ScalarUnion`, or its 8 bytes, is taken as it is.

    Returns
    -------
    array
        `out` itself.

    Raises
    ------
    DataTypeError
        `out` is no array, or of another data type; `value` is no number.
    LayoutError
        `out` is read-only, or elements of it share memory.
    ScalarError
        The data type cannot hold `value`: an integer out of range, a fraction or NaN for an
        integer type, a finite number that would become infinite.

    Notes
    -----
    Everything is checked before the first byte is written. Bytes between elements are not touched.
    The result depends on no setting. Linear in the element count; the interpreter's lock is
    released for outputs of 64 KiB and more.

    The memory has to stay while a call writes it, which nothing can check: a file under a memory
    map that is truncated meanwhile ends the process (SIGBUS), and `ndarray.resize` with
    refcheck=False in another thread takes the memory away.

    Ctrl-C ends a call on the main thread, however long it is, and raises KeyboardInterrupt; what
    the elements are then is undefined.

    PyTorch's autograd is told that a tensor is written, as its own functions do it: gradients that
    need what was there before are refused.

    References
    ----------
    DirectML: DML_FILL_VALUE_CONSTANT_OPERATOR_DESC.

    Examples
    --------
    >>> fill_constant(np.empty(3, np.float32), 1.5)
    array([1.5, 1.5, 1.5], dtype=float32)
    """
    if _fill_with_constant(out, value, Settings.policy):
        return out
    field = "out"
    try:
        buffer, data_type = open_output(out)
        field = "value"
        bits = exact_bits(value, data_type)
    except DirectMLError as error:
        raise error.within(field) from None
    _native.fill_constant(buffer, bits, Settings.policy)
    return out


def fill_sequence(out: Any, start: Scalar, delta: Scalar, *, rule: Rule = "accumulate") -> Any:
    """Fill an array with a sequence, element after element; returns the array.

    Parameters
    ----------
    out : array
        Written in place, in row-major order of its sizes; see `fill_constant`.
    start, delta : int or float
        Converted once to the array's data type; see `fill_constant`. The delta of an unsigned
        type may be negative.
    rule : {"accumulate", "multiply"}
        How element i is defined.

    Returns
    -------
    array
        `out` itself.

    Raises
    ------
    DataTypeError, LayoutError, ScalarError
        As `fill_constant`.
    DescriptorError
        There is no such rule.

    Notes
    -----
    `accumulate`: s(0) = start, s(i) = round(s(i-1) + delta); the same as adding in a loop, and
    not the same as round(start + i * delta). `multiply`: s(i) = round(start + i * delta), rounded
    once. Both round to the data type, to nearest, ties to even; subnormals are kept, overflow
    gives infinity; integers wrap modulo 2^bits. Element 0 of `accumulate` has exactly the bits of
    start. A NaN that arises is positive and quiet with payload zero.
    The result depends on no setting, layout or thread count.

    References
    ----------
    DirectML: DML_FILL_VALUE_SEQUENCE_OPERATOR_DESC. IEEE 754-2019 sections 4.3.1 and 5.4.1.

    Examples
    --------
    >>> fill_sequence(np.empty(4, np.float32), 1, 2.5)
    array([1. , 3.5, 6. , 8.5], dtype=float32)
    >>> fill_sequence(np.empty((2, 2), np.uint8), 10, -2)
    array([[10,  8],
           [ 6,  4]], dtype=uint8)
    """
    is_known = type(rule) is str and rule in RULES
    if is_known and _fill_with_sequence(out, start, delta, rule == "multiply", Settings.policy):
        return out
    field = "out"
    try:
        buffer, data_type = open_output(out)
        field = "start"
        start_bits = exact_bits(start, data_type)
        field = "delta"
        delta_bits = exact_bits(delta, data_type, is_delta=True)
    except DirectMLError as error:
        raise error.within(field) from None
    sequence = native_sequence(data_type, checked_rule(rule), start_bits, delta_bits)
    fill_buffer(buffer, sequence)
    return out


def full(
    sizes: SupportsIndex | Iterable[SupportsIndex], value: Scalar, dtype: DataTypeLike = np.float32
) -> np.ndarray[Any, Any]:
    """Return a new array with the same bits in every element.

    Parameters
    ----------
    sizes : int or sequence of int
        The new array's shape.
    value : int or float
        See `fill_constant`.
    dtype : NumPy dtype or TensorDataType
        See `fill_constant`.

    Raises
    ------
    DataTypeError, ScalarError
        As `fill_constant`.

    Examples
    --------
    >>> full([2, 3], 7, np.int16)
    array([[7, 7, 7],
           [7, 7, 7]], dtype=int16)
    """
    try:
        data_type = fill_data_type(dtype)
    except DirectMLError as error:
        raise error.within("dtype") from None
    out = _new_array(sizes, data_type)
    if not _fill_with_constant(out, value, Settings.policy_for_new):
        try:
            bits = exact_bits(value, data_type)
        except DirectMLError as error:
            raise error.within("value") from None
        _native.fill_constant(_native.OpenBuffer(out), bits, Settings.policy_for_new)
    return out


def sequence(
    sizes: SupportsIndex | Iterable[SupportsIndex],
    start: Scalar,
    delta: Scalar,
    dtype: DataTypeLike = np.float32,
    *,
    rule: Rule = "accumulate",
) -> np.ndarray[Any, Any]:
    """Return a new array that holds a sequence, in row-major order.

    Parameters
    ----------
    sizes : int or sequence of int
        The new array's shape.
    start, delta : int or float
        See `fill_sequence`.
    dtype : NumPy dtype or TensorDataType
        See `fill_constant`.
    rule : {"accumulate", "multiply"}
        See `fill_sequence`.

    Raises
    ------
    DataTypeError, ScalarError, DescriptorError
        As `fill_sequence`.

    Examples
    --------
    >>> sequence([1, 1, 1, 3], 3, 2)
    array([[[[3., 5., 7.]]]], dtype=float32)
    """
    try:
        data_type = fill_data_type(dtype)
    except DirectMLError as error:
        raise error.within("dtype") from None
    is_multiply = checked_rule(rule) == "multiply"
    out = _new_array(sizes, data_type)
    if not _fill_with_sequence(out, start, delta, is_multiply, Settings.policy_for_new):
        whole = Sequence(start, delta, data_type, rule=rule)
        _native.fill(_native.OpenBuffer(out), whole.native, 0, Settings.policy_for_new)
    return out


def _new_array(
    sizes: SupportsIndex | Iterable[SupportsIndex], data_type: TensorDataType
) -> np.ndarray[Any, Any]:
    try:
        return np.empty(_as_tuple(sizes), data_type.dtype)
    except (TypeError, ValueError):
        raise LayoutError(
            "needs integers from 0 up that memory has room for", given=shown(sizes), field="sizes"
        ) from None


def _as_tuple(sizes: Any) -> tuple[Any, ...]:
    try:
        return (operator.index(sizes),)
    except TypeError:
        return tuple(sizes)
