"""Pooling: one number from each window that slides over the spatial dimensions."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from indirectml.arithmetic import windows
from indirectml.arithmetic.basics import Array
from indirectml.arithmetic.gathering import scatter_elements
from indirectml.arithmetic.windows import Window
from indirectml.core.errors import DescriptorError, DirectMLError
from indirectml.descriptors.checks import check_each
from indirectml.descriptors.definitions import operator
from indirectml.graphs.outputs import MaxPoolingOutputs

Shape = tuple[int, ...]
Integers = Sequence[int]

_ARRAYS = ("strides", "window_size", "start_padding", "end_padding")
_DEFAULTS: dict[str, Any] = {"dilations": (), "start_padding": (), "end_padding": ()}


def window_of(
    strides: Integers,
    window_size: Integers,
    start_padding: Integers,
    end_padding: Integers,
    dilations: Integers | None,
) -> Window:
    """Return the windows that the fields of a pooling operator describe."""
    ones = (1,) * len(strides)
    return Window(window_size, strides, dilations or ones, start_padding, end_padding)


def pooled_sizes(
    input_sizes: Shape,
    *,
    strides: Integers,
    window_size: Integers,
    start_padding: Integers,
    end_padding: Integers,
    dilations: Integers | None = None,
) -> Shape:
    """(input + paddings - dilation * (window - 1) - 1) // stride + 1 along a spatial dimension."""
    window = window_of(strides, window_size, start_padding, end_padding, dilations)
    return (*input_sizes[:2], *window.output_sizes(input_sizes))


def check_windows(desc: Any) -> Iterator[DirectMLError]:
    """Yield what is wrong with the fields of windows."""
    check_each(desc, _ARRAYS, len(desc.input_tensor.sizes) - 2, "spatial dimension")
    for name in ("strides", "window_size", "dilations"):
        for axis, value in enumerate(getattr(desc, name, ())):
            if value < 1:
                yield DescriptorError("needs at least 1", given=f"{value}", field=f"{name}[{axis}]")


def _windows_of_norms(desc: Any) -> Iterator[DirectMLError]:
    yield from check_windows(desc)
    if desc.p < 1:
        yield DescriptorError("needs at least 1", given=f"{desc.p}", field="p")


@operator(
    "AVERAGE_POOLING1",
    "average_pooling",
    older=("AVERAGE_POOLING",),
    sizes=pooled_sizes,
    check=check_windows,
    defaults=_DEFAULTS | {"include_padding": False},
    renamed={"window_size": "window_sizes"},
    sizes_given="output_sizes",
)
def average_pooling(
    x: Array,
    *,
    strides: Integers,
    window_size: Integers,
    start_padding: Integers,
    end_padding: Integers,
    dilations: Integers | None = None,
    include_padding: bool,
) -> Array:
    """Output = the sum of a window's elements over their count.

    The sum is one of FLOAT64 by rule S16 over the positions of the window, padding counted; it is
    divided in FLOAT64 by the number of positions inside of the input, or with IncludePadding of
    all, and rounded once. A window without an element gives NaN.

    The page errs: that of AVERAGE_POOLING1 leaves dilations out of the output's sizes;
    MAX_POOLING2, where they count, decides.

    Example: strides=[1, 1], window_size=[1, 2]; float32 [[[[1, 2, 4]]]] -> [[[[1.5, 3]]]]
    """
    window = window_of(strides, window_size, start_padding, end_padding, dilations)
    return windows.average_pool(x, window, include_padding=include_padding)


@operator(
    "LP_POOLING1",
    "lp_pooling",
    older=("LP_POOLING",),
    sizes=pooled_sizes,
    check=_windows_of_norms,
    defaults=_DEFAULTS | {"p": 2},
    renamed={"window_size": "window_sizes"},
)
def lp_pooling(
    x: Array,
    *,
    strides: Integers,
    window_size: Integers,
    start_padding: Integers,
    end_padding: Integers,
    dilations: Integers | None = None,
    p: int,
) -> Array:
    """Output = (the sum of |x|^P over a window) ^ (1 / P).

    For P = 1 and 2 magnitudes and squares are exact, the sum is one of FLOAT64 by rule S16, its
    root is taken in FLOAT64 and rounded once. For other P powers are FLOAT32, correctly rounded,
    the sum is rounded to FLOAT32, and so is its root.

    Example: strides=[1, 1], window_size=[1, 2], p=2; float32 [[[[3, 4]]]] -> [[[[5]]]]
    """
    window = window_of(strides, window_size, start_padding, end_padding, dilations)
    return windows.lp_pool(x, window, p)


@operator(
    "MAX_POOLING2",
    "max_pooling",
    older=("MAX_POOLING1", "MAX_POOLING"),
    sizes=pooled_sizes,
    check=check_windows,
    defaults=_DEFAULTS | {"strides": ()},
    renamed={"window_size": "window_sizes"},
    outputs=MaxPoolingOutputs,
    order=("input_tensor", "window_size", "strides", "start_padding", "end_padding", "dilations"),
)
def max_pooling(
    x: Array,
    *,
    strides: Integers,
    window_size: Integers,
    start_padding: Integers,
    end_padding: Integers,
    dilations: Integers | None = None,
    desc: Any = None,
) -> tuple[Array, Array | None]:
    """Output = the largest element of a window; OutputIndices = its number.

    Exact. A NaN wins, +0 is larger than -0, and of equals it is the first. Elements are numbered in
    row-major order of the whole input. Padding is no element; a window without one gives the lowest
    number of the data type, -infinity for floats, and the largest index.

    Example: strides=[1, 1], window_size=[1, 2];
        float32 [[[[1, 3, 2]]]] -> [[[[3, 3]]]], uint32 [[[[1, 1]]]]
    """
    window = window_of(strides, window_size, start_padding, end_padding, dilations)
    if getattr(desc, "output_indices_tensor", None) is None:
        return windows.max_pool(x, window), None
    return windows.max_pool_with_indices(x, window)


def _same_sizes(desc: Any) -> Iterator[DirectMLError]:
    if desc.indices_tensor.sizes != desc.input_tensor.sizes:
        yield DescriptorError(
            f"needs the input's sizes, {desc.input_tensor.sizes}",
            given=f"{desc.indices_tensor.sizes}",
            field="indices_tensor.sizes",
        )
    if desc.output_tensor.sizes[:2] != desc.input_tensor.sizes[:2]:
        yield DescriptorError(
            f"needs the input's batch and channels, {desc.input_tensor.sizes[:2]}",
            given=f"{desc.output_tensor.sizes[:2]}",
            field="output_tensor.sizes",
        )


@operator("MAX_UNPOOLING", "max_unpooling", check=_same_sizes, keeps_bits=True,
          sizes_given="output_sizes")  # fmt: skip
def max_unpooling(x: Array, indices: Array, *, output_sizes: Shape) -> Array:
    """Output[Indices[i]] = Input[i], and zeros elsewhere.

    Elements of the output are numbered in row-major order. An index beyond the output is left out;
    of several that go to one place the last one stays. Every bit is kept.

    The page errs: it says feature level 3_0, and the header 2_0, which decides.

    Our choice: which of several elements for one place stays.

    Example: float32 [[[[5, 6]]]], uint32 [[[[2, 0]]]] -> float32 [[[[6, 0, 5]]]]
    """
    zeros = np.zeros(math.prod(output_sizes), x.dtype)
    return scatter_elements(zeros, indices.ravel(), x.ravel(), 0).reshape(output_sizes)
