"""ELEMENT_WISE_ADD1: a + b, for floats, with a fused activation."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from indirectml.arithmetic.basics import Array
from indirectml.catalogue.fused_activations import FusedActivation
from indirectml.core.tensors import TensorDesc
from indirectml.descriptors.base import OperatorDesc
from indirectml.operators import activated, check_fused


@dataclass(frozen=True)
class ElementWiseAdd1OperatorDesc(OperatorDesc):
    """Output = Activation(A + B), element by element.

    Parameters
    ----------
    a_tensor, b_tensor : TensorDesc
        The operands. A stride of 0 repeats elements.
    output_tensor : TensorDesc
        Of the same sizes and data type.
    fused_activation : FusedActivation, optional
        Computed on the result before it is rounded to the output's data type.

    Notes
    -----
    The sum is rounded to FLOAT32, to nearest, ties to even, and FLOAT16 once, after the activation.

    References
    ----------
    DirectML: DML_ELEMENT_WISE_ADD1_OPERATOR_DESC.

    Examples
    --------
    >>> tensor = TensorDesc(np.float32, [2])
    >>> device = Device()
    >>> desc = ElementWiseAdd1OperatorDesc(tensor, tensor, tensor)
    >>> a, b = np.array([1, 2], np.float32), np.array([2, 3], np.float32)
    >>> device.compile_operator(device.create_operator(desc))([a, b])
    [array([3., 5.], dtype=float32)]
    """

    a_tensor: TensorDesc
    b_tensor: TensorDesc
    output_tensor: TensorDesc
    fused_activation: FusedActivation | None = None

    def check_fields(self) -> None:
        """Check the activation."""
        check_fused(self.fused_activation, self.output_tensor)


def compute(desc: ElementWiseAdd1OperatorDesc, a: Array, b: Array) -> Array:
    """Return a + b after the activation."""
    return activated(np.add(a, b), desc.fused_activation, desc.output_tensor)
