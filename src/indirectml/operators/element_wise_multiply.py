"""ELEMENT_WISE_MULTIPLY: a * b."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from indirectml.arithmetic.basics import Array
from indirectml.core.tensors import TensorDesc
from indirectml.descriptors.base import OperatorDesc
from indirectml.graphs.expressions import Expression, elementwise_tensor


@dataclass(frozen=True)
class ElementWiseMultiplyOperatorDesc(OperatorDesc):
    """Output = A * B, element by element.

    Parameters
    ----------
    a_tensor, b_tensor : TensorDesc
        The operands. A stride of 0 repeats elements.
    output_tensor : TensorDesc
        Of the same sizes and data type.

    Notes
    -----
    Floats are rounded once, to nearest, ties to even; integers wrap.

    References
    ----------
    DirectML: DML_ELEMENT_WISE_MULTIPLY_OPERATOR_DESC.

    Examples
    --------
    >>> tensor = TensorDesc(np.uint8, [2])
    >>> device = Device()
    >>> desc = ElementWiseMultiplyOperatorDesc(tensor, tensor, tensor)
    >>> a, b = np.array([3, 100], np.uint8), np.array([2, 3], np.uint8)
    >>> device.compile_operator(device.create_operator(desc))([a, b])
    [array([ 6, 44], dtype=uint8)]
    """

    a_tensor: TensorDesc
    b_tensor: TensorDesc
    output_tensor: TensorDesc


def compute(desc: ElementWiseMultiplyOperatorDesc, a: Array, b: Array) -> Array:
    """Return a * b."""
    return np.multiply(a, b)


def multiply(a: Expression, b: Expression) -> Expression:
    """Return a * b, element by element.

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
    >>> graph.compile([multiply(a, a)])()
    [array([1., 4.], dtype=float32)]
    """
    output = elementwise_tensor("multiply", a, b)
    return a.graph.add_node(ElementWiseMultiplyOperatorDesc(a.desc, b.desc, output), a, b)[0]
