"""Reductions: one number from the elements along some axes."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from indirectml.arithmetic.basics import Array
from indirectml.catalogue.enumerations import ReduceFunction
from indirectml.core.data_types import DataTypeLike, TensorDataType
from indirectml.core.errors import DescriptorError, DirectMLError
from indirectml.descriptors.checks import caught, check_axis
from indirectml.descriptors.definitions import graph_function, operator
from indirectml.graphs.expressions import Expression, checked_operand, new_tensor
from indirectml.operators import descriptor_class

_INDEX_FUNCTIONS = (ReduceFunction.ARGMAX, ReduceFunction.ARGMIN)


def _reduced(input_sizes: tuple[int, ...], *, axes: Sequence[int]) -> tuple[int, ...]:
    """Size 1 along the axes and the input's elsewhere."""
    return tuple(1 if axis in axes else size for axis, size in enumerate(input_sizes))


def _check(desc: Any) -> Iterator[DirectMLError]:
    for number, axis in enumerate(desc.axes):
        yield from caught(check_axis, axis, desc.input_tensor, f"axes[{number}]")
    if len(set(desc.axes)) != len(desc.axes) or not desc.axes:
        yield DescriptorError(
            "needs at least one axis, each once", given=f"{list(desc.axes)}", field="axes"
        )
    data_type = desc.input_tensor.data_type
    if desc.function not in _INDEX_FUNCTIONS and desc.output_tensor.data_type != data_type:
        yield DescriptorError(
            f"needs the data type of the input, {data_type.name}, for {desc.function.name}",
            given=desc.output_tensor.data_type.name,
            field="output_tensor.data_type",
        )


@operator("REDUCE", sizes=_reduced, check=_check)
def reduced(x: Array, *, function: ReduceFunction, axes: Sequence[int]) -> Array:
    """Output = a function of the input's elements along some axes.

    ARGMAX, ARGMIN: the number of the first largest or smallest element, counted in row-major order
    of the axes. MAX, MIN: a NaN wins, and +0 is larger than -0. SUM, MULTIPLY, AVERAGE (sum /
    count), L1 (sum of magnitudes), SUM_SQUARE, L2 (square root of that): integers wrap. LOG_SUM,
    LOG_SUM_EXP: computed in FLOAT64, rounded once; the largest exponent is taken out first, so that
    nothing overflows.
    Float sums are NumPy's pairwise ones over the elements in row-major order of the axes, whatever
    the strides; products are taken one after the other.

    Example: function=SUM, axes=[1]; float32 [[1, 2, 3], [4, 5, 6]] -> [[6], [15]]
    """
    kept = [axis for axis in range(x.ndim) if axis not in axes]
    # One contiguous row per group, so that strides have no say in the order of additions.
    groups = np.ascontiguousarray(np.transpose(x, kept + sorted(axes)))
    rows = groups.reshape(*(x.shape[axis] for axis in kept), -1)
    result: Array = _FUNCTIONS[function](rows)
    return result.reshape(_reduced(x.shape, axes=axes))


def _sum(rows: Array) -> Any:
    return np.add.reduce(rows, -1, dtype=rows.dtype)


def _average(rows: Array) -> Any:
    return _sum(rows) / rows.dtype.type(rows.shape[-1])


def _log_sum(rows: Array) -> Any:
    return np.log(_sum(rows.astype(np.float64))).astype(rows.dtype)


def _log_sum_exp(rows: Array) -> Any:
    wide = rows.astype(np.float64)
    largest = np.maximum.reduce(wide, -1, keepdims=True)
    shift = np.where(np.isfinite(largest), largest, 0)
    return (np.log(_sum(np.exp(wide - shift))) + shift[..., 0]).astype(rows.dtype)


def _extreme(ufunc: np.ufunc, signs: np.ufunc, rows: Array) -> Any:
    """Return the largest or smallest numbers; of zeros NumPy leaves the sign to the processor."""
    result = ufunc.reduce(rows, -1)
    if rows.dtype.kind == "f":
        zero = np.where(signs.reduce(np.signbit(rows), -1), -0.0, 0.0).astype(rows.dtype)
        result = np.where(result == 0, zero, result)
    return result


_FUNCTIONS: dict[ReduceFunction, Callable[[Array], Any]] = {
    ReduceFunction.ARGMAX: lambda rows: np.argmax(rows, -1),
    ReduceFunction.ARGMIN: lambda rows: np.argmin(rows, -1),
    ReduceFunction.AVERAGE: _average,
    ReduceFunction.L1: lambda rows: _sum(np.abs(rows)),
    ReduceFunction.L2: lambda rows: np.sqrt(_sum(rows * rows)),
    ReduceFunction.LOG_SUM: _log_sum,
    ReduceFunction.LOG_SUM_EXP: _log_sum_exp,
    ReduceFunction.MAX: lambda rows: _extreme(np.maximum, np.logical_and, rows),
    ReduceFunction.MIN: lambda rows: _extreme(np.minimum, np.logical_or, rows),
    ReduceFunction.MULTIPLY: lambda rows: np.multiply.reduce(rows, -1, dtype=rows.dtype),
    ReduceFunction.SUM: _sum,
    ReduceFunction.SUM_SQUARE: lambda rows: _sum(rows * rows),
}


@graph_function
def reduce(
    input: Expression,
    *,
    function: ReduceFunction,
    axes: Sequence[int] = (),
    output_dtype: DataTypeLike | None = None,
) -> Expression:
    """Return one number from the elements along some axes, whose sizes become 1.

    Parameters
    ----------
    input : Expression
        What is reduced.
    function : ReduceFunction
        How; see `ReduceOperatorDesc`.
    axes : sequence of int
        All of them if left empty.
    output_dtype : NumPy dtype or TensorDataType, optional
        Of the result. UINT32 by default for ARGMAX and ARGMIN, and the input's for all others.

    Examples
    --------
    >>> graph = Graph(Device())
    >>> ramp = fill_value_sequence(graph, sizes=[2, 3], value_start=1, value_delta=1)
    >>> graph.compile([reduce(ramp, function=ReduceFunction.SUM, axes=[1])])()
    [array([[ 6.],
           [15.]], dtype=float32)]
    """
    axes = tuple(axes) or tuple(range(len(checked_operand("reduce", input).shape)))
    if output_dtype is None and function in _INDEX_FUNCTIONS:
        output_dtype = TensorDataType.UINT32
    output = new_tensor(input, _reduced(input.shape, axes=axes), output_dtype)
    desc = descriptor_class("REDUCE")(function, input.desc, output, axes)
    return input.graph.add_node(desc, input)[0]
