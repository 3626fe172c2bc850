"""Running sums and products, and the largest elements along an axis."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from indirectml.arithmetic.basics import Array, accumulated
from indirectml.catalogue.enumerations import AxisDirection
from indirectml.core.errors import DescriptorError, DirectMLError
from indirectml.descriptors.checks import check_axis
from indirectml.descriptors.definitions import operator
from indirectml.graphs.outputs import TopKOutputs


def _axis(desc: Any) -> None:
    check_axis(desc.axis, desc.input_tensor)


@operator(
    "CUMULATIVE_SUMMATION",
    "cumulative_summation",
    check=_axis,
    defaults={"axis_direction": AxisDirection.INCREASING, "has_exclusive_sum": False},
)
def running_sum(
    x: Array, *, axis: int, axis_direction: AxisDirection, has_exclusive_sum: bool
) -> Array:
    """Each output element is the sum of the input elements up to it, along an axis.

    Element after element: floats are rounded after each (FLOAT16 once, at the end, from FLOAT32);
    integers wrap. With HasExclusiveSum the element itself is left out, and the first is 0.

    Example: axis=0; float32 [2, 3, 4] -> [2, 5, 9]
    """
    reverse = axis_direction == AxisDirection.DECREASING
    return accumulated(np.add, x, axis, exclusive=has_exclusive_sum, reverse=reverse)


@operator(
    "CUMULATIVE_PRODUCT",
    "cumulative_product",
    check=_axis,
    defaults={"axis_direction": AxisDirection.INCREASING, "has_exclusive_product": False},
)
def running_product(
    x: Array, *, axis: int, axis_direction: AxisDirection, has_exclusive_product: bool
) -> Array:
    """Each output element is the product of the input elements up to it, along an axis.

    Element after element: floats are rounded after each (FLOAT16 once, at the end, from FLOAT32);
    integers wrap. With HasExclusiveProduct the element itself is left out, and the first is 1.

    Example: axis=0; float32 [2, 3, 4] -> [2, 6, 24]
    """
    reverse = axis_direction == AxisDirection.DECREASING
    return accumulated(np.multiply, x, axis, exclusive=has_exclusive_product, reverse=reverse)


def _taken(input_sizes: tuple[int, ...], *, axis: int, k: int) -> tuple[tuple[int, ...], ...]:
    """K along the axis, and the input's sizes elsewhere."""
    sizes = (*input_sizes[:axis], k, *input_sizes[axis + 1 :])
    return sizes, sizes


def _enough(desc: Any) -> Iterator[DirectMLError]:
    check_axis(desc.axis, desc.input_tensor)
    size = desc.input_tensor.sizes_tuple[desc.axis]
    if not 1 <= desc.k <= size:
        yield DescriptorError(
            f"needs 1 to {size}, the input's size along the axis", given=f"{desc.k}", field="k"
        )


@operator(
    "TOP_K1",
    "top_k",
    older=("TOP_K",),
    sizes=_taken,
    check=_enough,
    defaults={"axis_direction": AxisDirection.DECREASING},
    keeps_bits=True,
    outputs=TopKOutputs,
)
def top_k(
    x: Array, *, axis: int, k: int, axis_direction: AxisDirection = AxisDirection.DECREASING
) -> tuple[Array, Array]:
    """Outputs = the K largest elements along an axis, the largest first, and their positions.

    INCREASING takes the K smallest instead, the smallest first. Of equals the one with the lower
    position comes first. A NaN is larger than every number, and NaNs are equals; +0 is larger than
    -0 (DirectML does not say; our choice, as in max and min). Every bit is kept. TOP_K takes the
    largest.

    Example: axis=0, k=2; float32 [1, 3, 3] -> [3, 3], uint32 [1, 2]
    """
    along = np.moveaxis(x, axis, -1)
    order = _order(along)
    if axis_direction == AxisDirection.DECREASING:
        order = ~order
    chosen = np.argsort(order, axis=-1, kind="stable")[..., :k]
    values = np.take_along_axis(along, chosen, -1)
    return np.moveaxis(values, -1, axis), np.moveaxis(chosen, -1, axis)


def _order(x: Array) -> Array:
    """Return integers in the order of the elements; equal ones for equals, NaNs the largest."""
    if x.dtype.kind != "f":
        return x
    integer = np.dtype(f"i{x.dtype.itemsize}")
    bits = np.ascontiguousarray(x).view(integer)
    ordered = np.where(bits < 0, np.iinfo(integer).min - bits - 1, bits)
    return np.where(np.isnan(x), np.iinfo(integer).max, ordered)
