"""CUMULATIVE_PRODUCT: running products along an axis."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from indirectml.arithmetic.basics import Array, accumulated
from indirectml.catalogue.enumerations import AxisDirection
from indirectml.core.tensors import TensorDesc
from indirectml.descriptors.base import OperatorDesc, check_axis
from indirectml.graphs.expressions import Expression, elementwise_tensor


@dataclass(frozen=True)
class CumulativeProductOperatorDesc(OperatorDesc):
    """Each output element is the product of the input elements up to it, along an axis.

    Parameters
    ----------
    input_tensor, output_tensor : TensorDesc
        Of the same sizes and data type.
    axis : int
        From 0.
    axis_direction : AxisDirection
        DECREASING runs from the last element to the first.
    has_exclusive_product : bool
        Whether the element itself is left out; then the first is 1.

    Notes
    -----
    Element after element: floats are rounded after each (FLOAT16 once, at the end, from FLOAT32);
    integers wrap.

    References
    ----------
    DirectML: DML_CUMULATIVE_PRODUCT_OPERATOR_DESC.

    Examples
    --------
    >>> tensor = TensorDesc(np.float32, [3])
    >>> device = Device()
    >>> desc = CumulativeProductOperatorDesc(tensor, tensor, 0, AxisDirection.INCREASING, False)
    >>> device.compile_operator(device.create_operator(desc))([np.array([2, 3, 4], np.float32)])
    [array([ 2.,  6., 24.], dtype=float32)]
    """

    input_tensor: TensorDesc
    output_tensor: TensorDesc
    axis: int
    axis_direction: AxisDirection
    has_exclusive_product: bool

    def check_fields(self) -> None:
        """Check the axis."""
        check_axis(self.axis, self.input_tensor)


def compute(desc: CumulativeProductOperatorDesc, x: Array) -> Array:
    """Return the running products."""
    reverse = desc.axis_direction == AxisDirection.DECREASING
    exclusive = desc.has_exclusive_product
    return accumulated(np.multiply, x, desc.axis, exclusive=exclusive, reverse=reverse)


def cumulative_product(
    input: Expression,  # noqa: A002 (the name in the `directml` package)
    *,
    axis: int,
    axis_direction: AxisDirection = AxisDirection.INCREASING,
    has_exclusive_product: bool = False,
) -> Expression:
    """Return the running products of a tensor along an axis.

    Parameters
    ----------
    input : Expression
        What is accumulated.
    axis : int
        From 0.
    axis_direction : AxisDirection
        DECREASING runs from the last element to the first.
    has_exclusive_product : bool
        Whether the element itself is left out.

    Examples
    --------
    >>> graph = Graph(Device())
    >>> x = graph.constant(np.array([2, 3, 4], np.float32))
    >>> graph.compile([cumulative_product(x, axis=0, has_exclusive_product=True)])()
    [array([1., 2., 6.], dtype=float32)]
    """
    output = elementwise_tensor("cumulative_product", input)
    desc = CumulativeProductOperatorDesc(
        input.desc, output, axis, axis_direction, has_exclusive_product
    )
    return input.graph.add_node(desc, input)[0]
