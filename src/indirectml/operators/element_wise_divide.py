"""ELEMENT_WISE_DIVIDE: a / b."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from indirectml.arithmetic.basics import Array
from indirectml.core.tensors import TensorDesc
from indirectml.descriptors.base import OperatorDesc
from indirectml.graphs.expressions import Expression, elementwise_tensor


@dataclass(frozen=True)
class ElementWiseDivideOperatorDesc(OperatorDesc):
    """Output = A / B, element by element.

    Parameters
    ----------
    a_tensor, b_tensor : TensorDesc
        The operands. A stride of 0 repeats elements.
    output_tensor : TensorDesc
        Of the same sizes and data type.

    Notes
    -----
    Floats are rounded once, to nearest, ties to even. Integers are truncated towards zero; a
    division by zero gives 0, and the smallest integer divided by -1 gives itself.

    References
    ----------
    DirectML: DML_ELEMENT_WISE_DIVIDE_OPERATOR_DESC.

    Examples
    --------
    >>> tensor = TensorDesc(np.int8, [2])
    >>> device = Device()
    >>> desc = ElementWiseDivideOperatorDesc(tensor, tensor, tensor)
    >>> a, b = np.array([7, -7], np.int8), np.array([2, 2], np.int8)
    >>> device.compile_operator(device.create_operator(desc))([a, b])
    [array([ 3, -3], dtype=int8)]
    """

    a_tensor: TensorDesc
    b_tensor: TensorDesc
    output_tensor: TensorDesc


def compute(desc: ElementWiseDivideOperatorDesc, a: Array, b: Array) -> Array:
    """Return a / b; integers towards zero."""
    if a.dtype.kind == "f":
        return np.divide(a, b)
    # What is left after the remainder divides exactly, so that rounding down is no rounding.
    quotient: Array = np.floor_divide(a - np.fmod(a, b), b)
    return quotient


def divide(a: Expression, b: Expression) -> Expression:
    """Return a / b, element by element.

    Parameters
    ----------
    a, b : Expression
        Of equal sizes and data type.

    Raises
    ------
    DescriptorError
        They differ; the message shows the call.

    Examples
    --------
    >>> graph = Graph(Device())
    >>> a = graph.constant(np.array([1, 2], np.float32))
    >>> graph.compile([divide(a, a)])()
    [array([1., 1.], dtype=float32)]
    """
    output = elementwise_tensor("divide", a, b)
    return a.graph.add_node(ElementWiseDivideOperatorDesc(a.desc, b.desc, output), a, b)[0]
