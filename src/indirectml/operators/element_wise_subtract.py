"""ELEMENT_WISE_SUBTRACT: a - b."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from indirectml.arithmetic.basics import Array
from indirectml.core.tensors import TensorDesc
from indirectml.descriptors.base import OperatorDesc
from indirectml.graphs.expressions import Expression, elementwise_tensor


@dataclass(frozen=True)
class ElementWiseSubtractOperatorDesc(OperatorDesc):
    """Output = A - B, element by element.

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
    DirectML: DML_ELEMENT_WISE_SUBTRACT_OPERATOR_DESC.

    Examples
    --------
    >>> tensor = TensorDesc(np.uint8, [2])
    >>> device = Device()
    >>> desc = ElementWiseSubtractOperatorDesc(tensor, tensor, tensor)
    >>> a, b = np.array([3, 1], np.uint8), np.array([1, 2], np.uint8)
    >>> device.compile_operator(device.create_operator(desc))([a, b])
    [array([  2, 255], dtype=uint8)]
    """

    a_tensor: TensorDesc
    b_tensor: TensorDesc
    output_tensor: TensorDesc


def compute(desc: ElementWiseSubtractOperatorDesc, a: Array, b: Array) -> Array:
    """Return a - b."""
    return np.subtract(a, b)


def subtract(a: Expression, b: Expression) -> Expression:
    """Return a - b, element by element.

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
    >>> graph.compile([subtract(a, a)])()
    [array([0., 0.], dtype=float32)]
    """
    output = elementwise_tensor("subtract", a, b)
    return a.graph.add_node(ElementWiseSubtractOperatorDesc(a.desc, b.desc, output), a, b)[0]
