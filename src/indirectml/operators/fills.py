"""Fills: operators that need no input. What they write is a sequence of bit patterns."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import Any

import numpy as np

from indirectml.arithmetic.basics import Array, StandIn, coordinates, truncated_to
from indirectml.core.data_types import TensorDataType
from indirectml.core.errors import DescriptorError, DirectMLError, ScalarError
from indirectml.core.scalars import exact_bits
from indirectml.descriptors.checks import check_value_data_type
from indirectml.descriptors.definitions import operator
from indirectml.fills.sequences import Rule


def _data_type(desc: Any) -> None:
    check_value_data_type(desc.value_data_type, desc.output_tensor)


@operator("FILL_VALUE_CONSTANT", check=_data_type, keeps_bits=True)
def constant(*, output_sizes: tuple[int, ...], value: Any) -> Array:
    """Every element of the output has the value's bits.

    NaN payloads, signed zeros and subnormals survive.

    Our choice: a value of another data type than the output's is refused.

    Example: value_data_type=np.float32, value=0.5; -> float32 [[0.5, 0.5]]
    """
    if isinstance(output_sizes, StandIn):
        written: Array = output_sizes.filled(value)
        return written
    return np.full(tuple(output_sizes), value)


@operator("FILL_VALUE_SEQUENCE", check=_data_type, keeps_bits=True)
def sequence(
    *, output_sizes: tuple[int, ...], value_start: Any, value_delta: Any, rule: Rule = "accumulate"
) -> Array:
    """Element i of the output is a sequence's element i, under the device's rule.

    Elements are numbered in row-major order. Rule `accumulate`: element 0 is the start, and each
    following one is the former plus the delta, rounded. Rule `multiply`: start + i * delta, rounded
    once. Rounding is to nearest, ties to even; integers wrap; a NaN that arises is the positive
    quiet one without payload. See `fill_sequence`.

    Example: value_data_type=np.uint8, value_start=10, value_delta=-2; -> uint8 [[10, 8], [6, 4]]
    """
    if isinstance(output_sizes, StandIn):
        written: Array = output_sizes.filled(value_start, value_delta)
        return written
    out = np.empty(tuple(output_sizes), value_start.dtype)
    value = value_start
    with np.errstate(all="ignore"):
        for index, coordinate in enumerate(np.ndindex(*out.shape)):
            if rule == "multiply":
                value = _multiplied(value_start, value_delta, index)
            out[coordinate] = value
            value = _quiet(value + value_delta)
    return out


def _multiplied(start: Any, delta: Any, index: int) -> Any:
    """Return start + index * delta, rounded once; integers modulo 2^bits."""
    dtype = start.dtype
    if dtype.kind != "f":
        bits = (int(start) + index * int(delta)) % (1 << 8 * dtype.itemsize)
        return np.array(bits, f"u{dtype.itemsize}").view(dtype)[()]
    zeros = start == 0 and (index == 0 or delta == 0)
    if zeros or not (np.isfinite(start) and np.isfinite(delta)):
        # No rounding here, only signs and special values: an index of 1 stands for all others.
        return _quiet(start + type(start)(min(index, 1)) * delta)
    exact = Fraction(float(start)) + index * Fraction(float(delta))
    try:
        bits = exact_bits(exact, TensorDataType[dtype.name.upper()])
    except ScalarError:
        return type(start)(np.inf if exact > 0 else -np.inf)
    return np.array(bits, f"u{dtype.itemsize}").view(dtype)[()]


def _quiet(value: Any) -> Any:
    """Return the value; any NaN as the positive quiet one without payload."""
    return type(value)(np.nan) if value != value else value  # noqa: PLR0124 (true for NaN alone)


def _matrix(*, output_sizes: tuple[int, ...], offset: int, value: Any, dtype: Any) -> Array:
    above = coordinates(output_sizes, -1) - coordinates(output_sizes, -2)
    return np.broadcast_to(np.where(above == offset, value, dtype.type(0)), output_sizes)


@operator("DIAGONAL_MATRIX", keeps_bits=True)
def diagonal(*, output_sizes: tuple[int, ...], dtype: Any, offset: int, value: float) -> Array:
    """Output = Value where the column less the row is Offset, 0 elsewhere, in every matrix.

    The value is FLOAT32, rounded once to the data type of the output; for integers it goes towards
    zero and stays within the data type.

    Example: offset=1, value=2; -> float32 [[0, 2, 0], [0, 0, 2]]
    """
    number = np.array([value], np.float32)
    typed = number.astype(dtype) if dtype.kind == "f" else truncated_to(number, dtype)
    return _matrix(output_sizes=output_sizes, offset=offset, value=typed[0], dtype=dtype)


def _span_fits(desc: Any) -> Iterator[DirectMLError]:
    _data_type(desc)
    if desc.input_tensor is not None and desc.input_tensor.sizes != desc.output_tensor.sizes:
        yield DescriptorError(
            f"needs the output's sizes, {desc.output_tensor.sizes}",
            given=f"{desc.input_tensor.sizes}",
            field="input_tensor.sizes",
        )


@operator("DIAGONAL_MATRIX1", check=_span_fits, keeps_bits=True)
def diagonals(
    x: Array | None,
    *,
    output_sizes: tuple[int, ...],
    dtype: Any,
    value: Any,
    diagonal_fill_begin: int,
    diagonal_fill_end: int,
) -> Array:
    """Output = Value on a span of diagonals, Input elsewhere, or zeros if there is none.

    The span has the elements whose column less the row is from DiagonalFillBegin on and below
    DiagonalFillEnd; with the end before the beginning, those that are outside of the span from the
    end on and below the beginning. Every bit is kept.

    The page errs: its first example fills with 1 where it says 7. Its formula, the exclusive or of
    three comparisons, decides.

    Example: value_data_type=np.float32, value=7, diagonal_fill_begin=0, diagonal_fill_end=2;
        None -> float32 [[7, 7, 0], [0, 7, 7]]
    """
    d = coordinates(output_sizes, -1) - coordinates(output_sizes, -2)
    begin, end = diagonal_fill_begin, diagonal_fill_end
    is_filled = (d >= begin) ^ (d < end)
    if end >= begin:
        is_filled = ~is_filled
    chosen = np.where(is_filled, value, dtype.type(0) if x is None else x)
    return np.broadcast_to(chosen, output_sizes)
