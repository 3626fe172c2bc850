"""ELEMENT_WISE_MODULUS_TRUNCATE: a - b * trunc(a / b)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from indirectml.arithmetic.basics import Array
from indirectml.core.tensors import TensorDesc
from indirectml.descriptors.base import OperatorDesc
from indirectml.graphs.expressions import Expression, elementwise_tensor


@dataclass(frozen=True)
class ElementWiseModulusTruncateOperatorDesc(OperatorDesc):
    """Output = A - B * trunc(A / B), element by element.

    Parameters
    ----------
    a_tensor, b_tensor : TensorDesc
        The operands. A stride of 0 repeats elements.
    output_tensor : TensorDesc
        Of the same sizes and data type.

    Notes
    -----
    Exact: the result needs no rounding, and is that of C's fmod. It has the sign of A, also where
    it is zero. Floats give NaN where A is infinite or B is zero; an integer modulo zero is 0.

    References
    ----------
    DirectML: DML_ELEMENT_WISE_MODULUS_TRUNCATE_OPERATOR_DESC.

    Examples
    --------
    >>> tensor = TensorDesc(np.int8, [3])
    >>> device = Device()
    >>> desc = ElementWiseModulusTruncateOperatorDesc(tensor, tensor, tensor)
    >>> a, b = np.array([7, -7, 7], np.int8), np.array([5, 5, -5], np.int8)
    >>> device.compile_operator(device.create_operator(desc))([a, b])
    [array([ 2, -2,  2], dtype=int8)]
    """

    a_tensor: TensorDesc
    b_tensor: TensorDesc
    output_tensor: TensorDesc


def compute(desc: ElementWiseModulusTruncateOperatorDesc, a: Array, b: Array) -> Array:
    """Return the remainder of a division that rounds towards zero."""
    return np.fmod(a, b)


def modulus_truncate(a: Expression, b: Expression) -> Expression:
    """Return a - b * trunc(a / b), element by element: C's fmod, with the sign of a.

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
    >>> a = graph.constant(np.array([7, -7], np.float32))
    >>> b = graph.constant(np.array([5, 5], np.float32))
    >>> graph.compile([modulus_truncate(a, b)])()
    [array([ 2., -2.], dtype=float32)]
    """
    output = elementwise_tensor("modulus_truncate", a, b)
    desc = ElementWiseModulusTruncateOperatorDesc(a.desc, b.desc, output)
    return a.graph.add_node(desc, a, b)[0]
