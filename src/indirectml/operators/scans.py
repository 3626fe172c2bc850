"""Running sums and products, the largest elements along an axis, where elements are not zero."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import numpy as np

from indirectml.arithmetic import scans as words
from indirectml.arithmetic.basics import Array
from indirectml.arithmetic.gathering import gather_elements
from indirectml.arithmetic.scans import scan
from indirectml.catalogue.enumerations import AxisDirection
from indirectml.core.errors import DescriptorError, DirectMLError
from indirectml.descriptors.checks import check_axis
from indirectml.descriptors.definitions import graph_function, operator
from indirectml.graphs.expressions import Expression, checked_operand, new_tensor
from indirectml.graphs.outputs import NonZeroCoordinatesOutputs, TopKOutputs
from indirectml.operators import descriptor_class


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
    return scan("sum", x, axis, exclusive=has_exclusive_sum, reverse=reverse)


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
    return scan("product", x, axis, exclusive=has_exclusive_product, reverse=reverse)


def _taken(input_sizes: tuple[int, ...], *, axis: int, k: int) -> tuple[int, ...]:
    """K along the axis, and the input's sizes elsewhere."""
    return (*input_sizes[:axis], k, *input_sizes[axis + 1 :])


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
    -0. Every bit is kept. TOP_K takes the largest.

    The page errs: that of TOP_K says feature level 2_0, and the header 1_0, which decides.

    Our choice: the order of NaNs, and of zeros, which is that of max and min.

    Example: axis=0, k=2; float32 [1, 3, 3] -> [3, 3], uint32 [1, 2]
    """
    taken = words.top_k(x, axis, k, smallest=axis_direction == AxisDirection.INCREASING)
    # Its values have the NaN of arithmetic; here elements are moved.
    return gather_elements(x, taken.indices, axis), taken.indices


def _coordinates(input_sizes: tuple[int, ...]) -> tuple[tuple[int, ...], ...]:
    """One number, and a row of as many coordinates as there are dimensions for each element."""
    return (1,), (math.prod(input_sizes), len(input_sizes))


def _room(desc: Any) -> Iterator[DirectMLError]:
    count, rank = desc.output_count_tensor, len(desc.input_tensor.sizes)
    if count.element_count != 1:
        yield DescriptorError(
            "needs one element", given=f"{count.sizes}", field="output_count_tensor.sizes"
        )
    rows, sizes = desc.input_tensor.element_count, desc.output_coordinates_tensor.sizes
    leading = next((k for k, size in enumerate(desc.input_tensor.sizes) if size != 1), rank)
    least = max(rank - leading, 1)
    if sizes[-2:-1] != [rows] or not least <= sizes[-1] <= rank or set(sizes[:-2]) - {1}:
        numbers = f"{rank}" if least == rank else f"{least} to {rank}"
        yield DescriptorError(
            f"needs {rows} rows, one for each element, of {numbers} coordinates",
            given=f"{sizes}",
            field="output_coordinates_tensor.sizes",
        )


@operator("NONZERO_COORDINATES", check=_room, keeps_bits=True, outputs=NonZeroCoordinatesOutputs)
def coordinates(x: Array, *, desc: Any) -> tuple[Array, Array]:
    """Outputs = how many elements are not zero, and the coordinates of each, in row-major order.

    A NaN is not zero. Rows behind the last one are zeros. Rows may leave out coordinates of leading
    dimensions of size 1: they are as long as the output.

    Our choice: rows behind the last one.

    Example: float32 [0, 5, nan] -> uint32 [2], [[1], [2], [0]]
    """
    sizes = desc.output_coordinates_tensor.sizes_tuple
    found = words.nonzero(x, sizes[-1])
    count_sizes = desc.output_count_tensor.sizes_tuple
    return found.total.reshape(count_sizes), found.coordinates.reshape(sizes)


@graph_function
def non_zero_coordinates(input: Expression) -> NonZeroCoordinatesOutputs:
    """Return how many elements are not zero, and the coordinates of each.

    Parameters
    ----------
    input : Expression
        What is looked at.

    Returns
    -------
    NonZeroCoordinatesOutputs
        The count, and a row of coordinates for each element of the input: those behind the count
        are zeros.

    Examples
    --------
    >>> graph = Graph(Device())
    >>> x = graph.constant(np.array([[0, 5]], np.float32))
    >>> graph.compile(non_zero_coordinates(x))()
    [array([1], dtype=uint32), array([[0, 1],
           [0, 0]], dtype=uint32)]
    """
    count, rows = _coordinates(checked_operand("non_zero_coordinates", input).shape)
    desc = descriptor_class("NONZERO_COORDINATES")(
        input.desc, new_tensor(input, count, np.uint32), new_tensor(input, rows, np.uint32)
    )
    return NonZeroCoordinatesOutputs(*input.graph.add_node(desc, input))
