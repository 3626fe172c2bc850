"""ELEMENT_WISE_MODULUS_FLOOR: a - b * floor(a / b)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from indirectml.arithmetic.basics import Array
from indirectml.core.tensors import TensorDesc
from indirectml.descriptors.base import OperatorDesc
from indirectml.graphs.expressions import Expression, elementwise_tensor


@dataclass(frozen=True)
class ElementWiseModulusFloorOperatorDesc(OperatorDesc):
    """Output = A - B * floor(A / B), element by element.

    Parameters
    ----------
    a_tensor, b_tensor : TensorDesc
        The operands. A stride of 0 repeats elements.
    output_tensor : TensorDesc
        Of the same sizes and data type.

    Notes
    -----
    The exact result, rounded once, to nearest, ties to even. It has the sign of B, also where it is
    zero, as in Python. Floats give NaN where A is infinite or B is zero, and B where that is
    infinite and A has another sign; an integer modulo zero is 0.

    References
    ----------
    DirectML: DML_ELEMENT_WISE_MODULUS_FLOOR_OPERATOR_DESC.

    Examples
    --------
    >>> tensor = TensorDesc(np.int8, [3])
    >>> device = Device()
    >>> desc = ElementWiseModulusFloorOperatorDesc(tensor, tensor, tensor)
    >>> a, b = np.array([7, -7, 7], np.int8), np.array([5, 5, -5], np.int8)
    >>> device.compile_operator(device.create_operator(desc))([a, b])
    [array([ 2,  3, -3], dtype=int8)]
    """

    a_tensor: TensorDesc
    b_tensor: TensorDesc
    output_tensor: TensorDesc


def compute(desc: ElementWiseModulusFloorOperatorDesc, a: Array, b: Array) -> Array:
    """Return the remainder of a division that rounds down."""
    if a.dtype.kind != "f":
        return np.mod(a, b)
    # The remainder towards zero is exact, so that the one addition is the one rounding.
    left = np.fmod(a, b)
    signed: Array = np.where(left == 0, np.copysign(left, b), left)
    return np.where((left != 0) & ((left < 0) != (b < 0)), left + b, signed)


def modulus_floor(a: Expression, b: Expression) -> Expression:
    """Return a - b * floor(a / b), element by element: Python's %, with the sign of b.

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
    >>> graph.compile([modulus_floor(a, b)])()
    [array([2., 3.], dtype=float32)]
    """
    output = elementwise_tensor("modulus_floor", a, b)
    desc = ElementWiseModulusFloorOperatorDesc(a.desc, b.desc, output)
    return a.graph.add_node(desc, a, b)[0]
