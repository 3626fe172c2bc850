"""ACTIVATION_HARD_SIGMOID: alpha * x + beta, limited to 0 and 1."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from indirectml.arithmetic.basics import Array
from indirectml.core.tensors import TensorDesc
from indirectml.descriptors.base import OperatorDesc
from indirectml.graphs.expressions import Expression, elementwise_tensor


@dataclass(frozen=True)
class ActivationHardSigmoidOperatorDesc(OperatorDesc):
    """Output = max(0, min(Alpha * Input + Beta, 1)), element by element.

    Parameters
    ----------
    input_tensor : TensorDesc
        A stride of 0 repeats elements.
    output_tensor : TensorDesc
        Of the same sizes and data type.
    alpha : float
        Factor. Rounded to FLOAT32.
    beta : float
        Summand. Rounded to FLOAT32.

    Notes
    -----
    Rounded after the multiplication and after the addition. Zero is +0; a NaN stays.

    References
    ----------
    DirectML: DML_ACTIVATION_HARD_SIGMOID_OPERATOR_DESC.

    Examples
    --------
    >>> tensor = TensorDesc(np.float32, [3])
    >>> device = Device()
    >>> desc = ActivationHardSigmoidOperatorDesc(tensor, tensor, alpha=0.2, beta=0.5)
    >>> device.compile_operator(device.create_operator(desc))([np.array([-9, 0, 9], np.float32)])
    [array([0. , 0.5, 1. ], dtype=float32)]
    """

    input_tensor: TensorDesc
    output_tensor: TensorDesc
    alpha: float
    beta: float


def compute(desc: ActivationHardSigmoidOperatorDesc, x: Array) -> Array:
    """Return alpha * x + beta, limited."""
    y = x * x.dtype.type(desc.alpha) + x.dtype.type(desc.beta)
    zero, one = x.dtype.type(0), x.dtype.type(1)
    limited: Array = np.where(y <= zero, zero, np.where(y >= one, one, y))
    return limited


def activation_hard_sigmoid(
    input: Expression,  # noqa: A002 (the name in the `directml` package)
    *,
    alpha: float = 0.2,
    beta: float = 0.5,
) -> Expression:
    """Return alpha * input + beta, limited to 0 and 1.

    Parameters
    ----------
    input : Expression
        What is changed, element by element.
    alpha : float
        Factor.
    beta : float
        Summand.

    Examples
    --------
    >>> graph = Graph(Device())
    >>> x = graph.constant(np.array([-9, 0, 9], np.float32))
    >>> graph.compile([activation_hard_sigmoid(x)])()
    [array([0. , 0.5, 1. ], dtype=float32)]
    """
    output = elementwise_tensor("activation_hard_sigmoid", input)
    desc = ActivationHardSigmoidOperatorDesc(input.desc, output, alpha, beta)
    return input.graph.add_node(desc, input)[0]
