"""ELEMENT_WISE_ADD: a + b."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from indirectml.arithmetic.basics import Array
from indirectml.catalogue.fused_activations import FusedActivation
from indirectml.core.tensors import TensorDesc
from indirectml.descriptors.base import OperatorDesc
from indirectml.graphs.expressions import Expression, elementwise_tensor
from indirectml.operators.element_wise_add1 import ElementWiseAdd1OperatorDesc


@dataclass(frozen=True)
class ElementWiseAddOperatorDesc(OperatorDesc):
    """Output = A + B, element by element.

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
    DirectML: DML_ELEMENT_WISE_ADD_OPERATOR_DESC.

    Examples
    --------
    >>> tensor = TensorDesc(np.uint8, [2])
    >>> device = Device()
    >>> desc = ElementWiseAddOperatorDesc(tensor, tensor, tensor)
    >>> a, b = np.array([1, 255], np.uint8), np.array([2, 3], np.uint8)
    >>> device.compile_operator(device.create_operator(desc))([a, b])
    [array([3, 2], dtype=uint8)]
    """

    a_tensor: TensorDesc
    b_tensor: TensorDesc
    output_tensor: TensorDesc


def compute(desc: ElementWiseAddOperatorDesc, a: Array, b: Array) -> Array:
    """Return a + b."""
    return np.add(a, b)


def add(
    a: Expression, b: Expression, *, fused_activation: FusedActivation | None = None
) -> Expression:
    """Return a + b, element by element.

    Parameters
    ----------
    a, b : Expression
        Of equal sizes and data type.
    fused_activation : FusedActivation, optional
        Computed on the result before it is rounded to the output's data type.

    Raises
    ------
    DescriptorError
        They differ; the message shows the call.

    Examples
    --------
    >>> graph = Graph(Device())
    >>> a = graph.constant(np.array([1, 2], np.float32))
    >>> graph.compile([add(a, a)])()
    [array([2., 4.], dtype=float32)]
    """
    output = elementwise_tensor("add", a, b)
    if fused_activation not in (None, FusedActivation.none()):
        desc = ElementWiseAdd1OperatorDesc(a.desc, b.desc, output, fused_activation)
        return a.graph.add_node(desc, a, b)[0]
    return a.graph.add_node(ElementWiseAddOperatorDesc(a.desc, b.desc, output), a, b)[0]
