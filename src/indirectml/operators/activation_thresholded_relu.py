"""ACTIVATION_THRESHOLDED_RELU: x where it is above alpha, or 0."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from indirectml.arithmetic.basics import Array
from indirectml.core.tensors import TensorDesc
from indirectml.descriptors.base import OperatorDesc
from indirectml.graphs.expressions import Expression, elementwise_tensor


@dataclass(frozen=True)
class ActivationThresholdedReluOperatorDesc(OperatorDesc):
    """Output = Input where that is above Alpha, 0 elsewhere.

    Parameters
    ----------
    input_tensor : TensorDesc
        A stride of 0 repeats elements.
    output_tensor : TensorDesc
        Of the same sizes and data type.
    alpha : float
        The threshold. Rounded to FLOAT32.

    Notes
    -----
    The zero is +0. A NaN is not above anything and gives it too.

    References
    ----------
    DirectML: DML_ACTIVATION_THRESHOLDED_RELU_OPERATOR_DESC.

    Examples
    --------
    >>> tensor = TensorDesc(np.float32, [2])
    >>> device = Device()
    >>> desc = ActivationThresholdedReluOperatorDesc(tensor, tensor, alpha=1)
    >>> device.compile_operator(device.create_operator(desc))([np.array([-1, 2], np.float32)])
    [array([0., 2.], dtype=float32)]
    """

    input_tensor: TensorDesc
    output_tensor: TensorDesc
    alpha: float


def compute(desc: ActivationThresholdedReluOperatorDesc, x: Array) -> Array:
    """Return x above alpha, and 0 elsewhere."""
    return np.where(x > x.dtype.type(desc.alpha), x, x.dtype.type(0))


def activation_thresholded_relu(
    input: Expression,  # noqa: A002 (the name in the `directml` package)
    *,
    alpha: float = 1,
) -> Expression:
    """Return input where it is above alpha, and 0 elsewhere.

    Parameters
    ----------
    input : Expression
        What is changed, element by element.
    alpha : float
        The threshold.

    Examples
    --------
    >>> graph = Graph(Device())
    >>> x = graph.constant(np.array([-1, 2], np.float32))
    >>> graph.compile([activation_thresholded_relu(x)])()
    [array([0., 2.], dtype=float32)]
    """
    output = elementwise_tensor("activation_thresholded_relu", input)
    desc = ActivationThresholdedReluOperatorDesc(input.desc, output, alpha)
    return input.graph.add_node(desc, input)[0]
