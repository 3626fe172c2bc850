"""Reductions: one number from the elements along some axes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from indirectml.arithmetic.basics import Array
from indirectml.arithmetic.reductions import REDUCTIONS
from indirectml.arithmetic.sums import index_of_largest, index_of_smallest
from indirectml.catalogue.enumerations import AxisDirection, ReduceFunction
from indirectml.core.errors import DescriptorError, DirectMLError
from indirectml.descriptors.checks import caught, check_axis
from indirectml.descriptors.definitions import operator

INDEX_FUNCTIONS = (ReduceFunction.ARGMAX, ReduceFunction.ARGMIN)


def reduced_sizes(input_sizes: tuple[int, ...], *, axes: Sequence[int]) -> tuple[int, ...]:
    """Size 1 along the axes and the input's elsewhere."""
    return tuple(1 if axis in axes else size for axis, size in enumerate(input_sizes))


def _check(desc: Any) -> Iterator[DirectMLError]:
    yield from _distinct(desc)
    data_type = desc.input_tensor.data_type
    if desc.function not in INDEX_FUNCTIONS and desc.output_tensor.data_type != data_type:
        yield DescriptorError(
            f"needs the data type of the input, {data_type.name}, for {desc.function.name}",
            given=desc.output_tensor.data_type.name,
            field="output_tensor.data_type",
        )


@operator("REDUCE", sizes=reduced_sizes, check=_check)
def reduced(x: Array, *, function: ReduceFunction, axes: Sequence[int]) -> Array:
    """Output = a function of the input's elements along some axes.

    Elements are numbered row-major over the axes in ascending order. SUM, L1 (of magnitudes),
    SUM_SQUARE (of exact squares), AVERAGE (SUM / count) and L2 (root of SUM_SQUARE) are computed in
    FLOAT64 by rule S16 (16 interleaved sums from +0 and a fixed tree, of blocks of 4,096 elements,
    then of their totals) and rounded once; MULTIPLY is one FLOAT64 chain. LOG_SUM: the logarithm of
    the sum, both FLOAT32. LOG_SUM_EXP: FLOAT32 x - m, exp, S16 to FLOAT32, log, + m, with m the
    largest element, or 0 if that is infinite. A sum of -0 alone is +0. MAX, MIN: a NaN wins, and +0
    is larger than -0. ARGMAX, ARGMIN: the number of the first largest or smallest element. Integers
    are exact modulo 2^bits.

    Example: function=SUM, axes=[1]; float32 [[1, 2, 3], [4, 5, 6]] -> [[6], [15]]
    """
    return REDUCTIONS[function.name](x, tuple(axes))


def _distinct(desc: Any) -> Iterator[DirectMLError]:
    for number, axis in enumerate(desc.axes):
        yield from caught(check_axis, axis, desc.input_tensor, f"axes[{number}]")
    if len(set(desc.axes)) != len(desc.axes) or not desc.axes:
        yield DescriptorError(
            "needs at least one axis, each once", given=f"{list(desc.axes)}", field="axes"
        )


_FIRST = {"axis_direction": AxisDirection.INCREASING}


@operator("ARGMAX", "argmax", sizes=reduced_sizes, check=_distinct, keeps_bits=True,
          defaults=_FIRST, output_dtype=np.uint32)  # fmt: skip
def number_of_largest(x: Array, *, axes: Sequence[int], axis_direction: AxisDirection) -> Array:
    """Output = the number of the largest element along some axes.

    Elements are numbered row-major over the axes in ascending order. A NaN is the largest, and +0
    is larger than -0; of equals it is the first, or with DECREASING the last.

    Example: axes=[0], axis_direction=INCREASING; float32 [1, 3, 3] -> uint32 [1]
    """
    return index_of_largest(x, tuple(axes), last=axis_direction == AxisDirection.DECREASING)


@operator("ARGMIN", "argmin", sizes=reduced_sizes, check=_distinct, keeps_bits=True,
          defaults=_FIRST, output_dtype=np.uint32)  # fmt: skip
def number_of_smallest(x: Array, *, axes: Sequence[int], axis_direction: AxisDirection) -> Array:
    """Output = the number of the smallest element along some axes.

    As ARGMAX; a NaN is the smallest.

    Example: axes=[0], axis_direction=DECREASING; float32 [1, 3, 1] -> uint32 [2]
    """
    return index_of_smallest(x, tuple(axes), last=axis_direction == AxisDirection.DECREASING)
