"""Fills: operators that need no input. What they write is a sequence of bit patterns."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import Any

import numpy as np

from indirectml.arithmetic.basics import Array, coordinates, truncated_to
from indirectml.core.data_types import DataTypeLike, TensorDataType
from indirectml.core.errors import DescriptorError, DirectMLError, ScalarError
from indirectml.core.scalars import Scalar, exact_bits
from indirectml.core.tensors import TensorDesc
from indirectml.descriptors.checks import check_value_data_type
from indirectml.descriptors.definitions import graph_function, operator
from indirectml.fills.sequences import Rule
from indirectml.graphs.expressions import (
    Expression,
    NodeBuilder,
    Sizes,
    checked_operand,
    scalar_argument,
)
from indirectml.operators import descriptor_class
from indirectml.plans import FillStep, PlanOptions, View

#: The one output of a fill is never left out.
Views = tuple[View, ...]


def _data_type(desc: Any) -> None:
    check_value_data_type(desc.value_data_type, desc.output_tensor)


def _constant_step(desc: Any, _: Views, outputs: Views, options: PlanOptions) -> FillStep:
    """Return one fill; the rule makes no difference to it."""
    data_type = desc.value_data_type
    return FillStep(outputs[0], data_type, options.rule, desc.value.bits(data_type), delta=None)


def _sequence_step(desc: Any, _: Views, outputs: Views, options: PlanOptions) -> FillStep:
    """Return one fill under the rule."""
    data_type = desc.value_data_type
    start, delta = desc.value_start.bits(data_type), desc.value_delta.bits(data_type)
    return FillStep(outputs[0], data_type, options.rule, start, delta)


@operator("FILL_VALUE_CONSTANT", check=_data_type, step=_constant_step, keeps_bits=True)
def constant(*, output_sizes: Sizes, value: Any) -> Array:
    """Every element of the output has the value's bits.

    NaN payloads, signed zeros and subnormals survive.

    Our choice: a value of another data type than the output's is refused.

    Example: value_data_type=np.float32, value=0.5; -> float32 [[0.5, 0.5]]
    """
    return np.full(tuple(output_sizes), value)


@operator("FILL_VALUE_SEQUENCE", check=_data_type, step=_sequence_step, keeps_bits=True)
def sequence(
    *, output_sizes: Sizes, value_start: Any, value_delta: Any, rule: Rule = "accumulate"
) -> Array:
    """Element i of the output is a sequence's element i, under the device's rule.

    Elements are numbered in row-major order. Rule `accumulate`: element 0 is the start, and each
    following one is the former plus the delta, rounded. Rule `multiply`: start + i * delta, rounded
    once. Rounding is to nearest, ties to even; integers wrap; a NaN that arises is the positive
    quiet one without payload. See `fill_sequence`.

    Example: value_data_type=np.uint8, value_start=10, value_delta=-2; -> uint8 [[10, 8], [6, 4]]
    """
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


@graph_function
def fill_value_constant(
    graph: NodeBuilder, *, sizes: Sizes, value: Scalar, dtype: DataTypeLike | None = None
) -> Expression:
    """Return a tensor of a graph whose elements all have one value.

    Parameters
    ----------
    graph : Graph
        The graph that gets the operator.
    sizes : sequence of int
        Of the tensor.
    value : int or float
        Converted once to exact bits; see `fill_constant`.
    dtype : NumPy dtype or TensorDataType, optional
        FLOAT32 by default.

    Raises
    ------
    ScalarError
        The data type cannot hold the value.

    Examples
    --------
    >>> graph = Graph(Device())
    >>> graph.compile([fill_value_constant(graph, sizes=[1, 2], value=0.5)])()
    [array([[0.5, 0.5]], dtype=float32)]
    """
    tensor, data_type = _tensor(graph, dtype, sizes)
    bits = scalar_argument("value", value, data_type)
    return graph.add_node(descriptor_class("FILL_VALUE_CONSTANT")(tensor, data_type, bits))[0]


@graph_function
def fill_value_sequence(
    graph: NodeBuilder,
    *,
    sizes: Sizes,
    value_start: Scalar,
    value_delta: Scalar,
    dtype: DataTypeLike | None = None,
) -> Expression:
    """Return a tensor of a graph that holds a sequence, under the device's rule.

    Parameters
    ----------
    graph : Graph
        The graph that gets the operator.
    sizes : sequence of int
        Of the tensor.
    value_start, value_delta : int or float
        Converted once to exact bits; see `fill_sequence`.
    dtype : NumPy dtype or TensorDataType, optional
        FLOAT32 by default.

    Raises
    ------
    ScalarError
        The data type cannot hold a value.

    Examples
    --------
    >>> graph = Graph(Device())
    >>> ramp = fill_value_sequence(graph, sizes=[1, 3], value_start=3, value_delta=2)
    >>> graph.compile([ramp])()
    [array([[3., 5., 7.]], dtype=float32)]
    """
    tensor, data_type = _tensor(graph, dtype, sizes)
    start = scalar_argument("value_start", value_start, data_type)
    delta = scalar_argument("value_delta", value_delta, data_type, is_delta=True)
    return graph.add_node(descriptor_class("FILL_VALUE_SEQUENCE")(tensor, data_type, start, delta))[
        0
    ]


def _tensor(
    graph: NodeBuilder, dtype: DataTypeLike | None, sizes: Sizes
) -> tuple[TensorDesc, TensorDataType]:
    tensor = graph.output_tensor(np.float32 if dtype is None else dtype, sizes)
    return tensor, tensor.data_type


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


@graph_function
def diagonal_matrix(
    graph: NodeBuilder,
    *,
    sizes: Sizes,
    value: Scalar = 1,
    diagonal_fill_begin: int = 0,
    diagonal_fill_end: int = 1,
    input: Expression | None = None,
    dtype: DataTypeLike | None = None,
) -> Expression:
    """Return matrices with a value on some diagonals; see `DiagonalMatrix1OperatorDesc`.

    Parameters
    ----------
    graph : Graph
        The graph that gets the operator.
    sizes : sequence of int
        Of the tensor; its last two dimensions are matrices.
    value : int or float
        Converted once to exact bits; see `fill_constant`.
    diagonal_fill_begin, diagonal_fill_end : int
        The value stands where the column less the row is from the one on and below the other: on
        the main diagonal, unless they are given.
    input : Expression, optional
        What stands elsewhere, of the same sizes and data type; 0 without.
    dtype : NumPy dtype or TensorDataType, optional
        That of `input`, or FLOAT32.

    Raises
    ------
    ScalarError
        The data type cannot hold the value.

    Examples
    --------
    >>> graph = Graph(Device())
    >>> graph.compile([diagonal_matrix(graph, sizes=[2, 3], value=7)])()
    [array([[7., 0., 0.],
           [0., 7., 0.]], dtype=float32)]
    """
    if input is not None:
        checked_operand("diagonal_matrix", input)
        dtype = input.desc.data_type if dtype is None else dtype
    tensor, data_type = _tensor(graph, dtype, sizes)
    desc = descriptor_class("DIAGONAL_MATRIX1")(
        input_tensor=None if input is None else input.desc,
        output_tensor=tensor,
        value_data_type=data_type,
        value=scalar_argument("value", value, data_type),
        diagonal_fill_begin=diagonal_fill_begin,
        diagonal_fill_end=diagonal_fill_end,
    )
    return graph.add_node(desc, input)[0]
