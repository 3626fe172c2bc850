"""REDUCE: one number from the elements along some axes."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from indirectml.arithmetic.basics import Array
from indirectml.catalogue.enumerations import ReduceFunction
from indirectml.core.data_types import DataTypeLike, TensorDataType
from indirectml.core.errors import DescriptorError, DirectMLError
from indirectml.core.tensors import TensorDesc
from indirectml.descriptors.base import OperatorDesc, caught, check_axis
from indirectml.graphs.expressions import Expression, checked_operand, new_tensor

_INDEX_FUNCTIONS = (ReduceFunction.ARGMAX, ReduceFunction.ARGMIN)


@dataclass(frozen=True)
class ReduceOperatorDesc(OperatorDesc):
    """Output = a function of the input's elements along some axes.

    Parameters
    ----------
    function : ReduceFunction
        One of those below.
    input_tensor : TensorDesc
        Data types depend on the function.
    output_tensor : TensorDesc
        Size 1 along the axes and the input's size elsewhere. An integer for ARGMAX and ARGMIN; else
        the data type of the input.
    axes : sequence of int
        From 0, each once.

    Notes
    -----
    ARGMAX, ARGMIN: the number of the first largest or smallest element, counted in row-major order
    of the axes. MAX, MIN: a NaN wins, and +0 is larger than -0. SUM, MULTIPLY, AVERAGE (sum /
    count), L1 (sum of magnitudes), SUM_SQUARE, L2 (square root of that): integers wrap. LOG_SUM,
    LOG_SUM_EXP: computed in FLOAT64, rounded once; the largest exponent is taken out first, so that
    nothing overflows.
    Float sums are NumPy's pairwise ones over the elements in row-major order of the axes, whatever
    the strides; products are taken one after the other.

    References
    ----------
    DirectML: DML_REDUCE_OPERATOR_DESC.

    Examples
    --------
    >>> device = Device()
    >>> rows, column = TensorDesc(np.float32, [2, 3]), TensorDesc(np.float32, [2, 1])
    >>> desc = ReduceOperatorDesc(ReduceFunction.SUM, rows, column, axes=[1])
    >>> compiled = device.compile_operator(device.create_operator(desc))
    >>> compiled([np.array([[1, 2, 3], [4, 5, 6]], np.float32)])
    [array([[ 6.],
           [15.]], dtype=float32)]
    """

    function: ReduceFunction
    input_tensor: TensorDesc
    output_tensor: TensorDesc
    axes: tuple[int, ...]

    def function_name(self) -> str:
        """Return the name under which the catalogue has this function's data types."""
        return self.function.name

    def check_fields(self) -> Iterator[DirectMLError]:
        """Check the axes, and the output against the input."""
        for number, axis in enumerate(self.axes):
            yield from caught(check_axis, axis, self.input_tensor, f"axes[{number}]")
        if len(set(self.axes)) != len(self.axes) or not self.axes:
            yield DescriptorError(
                "needs at least one axis, each once", given=f"{list(self.axes)}", field="axes"
            )
        expected = reduced_sizes(self.input_tensor.sizes_tuple, self.axes)
        if self.output_tensor.sizes != expected:
            yield DescriptorError(
                f"needs size 1 along the axes and the input's elsewhere, {expected}",
                given=f"{self.output_tensor.sizes}",
                field="output_tensor.sizes",
            )
        data_type = self.input_tensor.data_type
        if self.function not in _INDEX_FUNCTIONS and self.output_tensor.data_type != data_type:
            yield DescriptorError(
                f"needs the data type of the input, {data_type.name}, for {self.function.name}",
                given=self.output_tensor.data_type.name,
                field="output_tensor.data_type",
            )


def reduced_sizes(sizes: tuple[int, ...], axes: Sequence[int]) -> list[int]:
    """Return the sizes after a reduction: 1 along the axes."""
    return [1 if axis in axes else size for axis, size in enumerate(sizes)]


def compute(desc: ReduceOperatorDesc, x: Array) -> Array:
    """Return one number per group of elements."""
    kept = [axis for axis in range(x.ndim) if axis not in desc.axes]
    # One contiguous row per group, so that strides have no say in the order of additions.
    groups = np.ascontiguousarray(np.transpose(x, kept + sorted(desc.axes)))
    rows = groups.reshape(*(x.shape[axis] for axis in kept), -1)
    result: Array = _FUNCTIONS[desc.function](rows)
    dtype = desc.output_tensor.data_type.dtype
    if desc.function in _INDEX_FUNCTIONS:
        result = result.astype(dtype)
    return result.reshape(desc.output_tensor.sizes)


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


def reduce(
    input: Expression,  # noqa: A002 (the name in the `directml` package)
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
    output = new_tensor(input, reduced_sizes(input.shape, axes), output_dtype)
    return input.graph.add_node(ReduceOperatorDesc(function, input.desc, output, axes), input)[0]
