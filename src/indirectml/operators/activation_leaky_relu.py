"""ACTIVATION_LEAKY_RELU: x, or alpha * x below zero."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from indirectml.arithmetic.basics import Array
from indirectml.core.tensors import TensorDesc
from indirectml.descriptors.base import OperatorDesc
from indirectml.graphs.expressions import Expression, elementwise_tensor


@dataclass(frozen=True)
class ActivationLeakyReluOperatorDesc(OperatorDesc):
    """Output = Input where that is at least 0, Alpha * Input elsewhere.

    Parameters
    ----------
    input_tensor : TensorDesc
        A stride of 0 repeats elements.
    output_tensor : TensorDesc
        Of the same sizes and data type.
    alpha : float
        Factor for negative numbers. Rounded to FLOAT32.

    Notes
    -----
    Both zeros stay; a NaN stays.

    References
    ----------
    DirectML: DML_ACTIVATION_LEAKY_RELU_OPERATOR_DESC.

    Examples
    --------
    >>> tensor = TensorDesc(np.float32, [2])
    >>> device = Device()
    >>> desc = ActivationLeakyReluOperatorDesc(tensor, tensor, alpha=0.5)
    >>> device.compile_operator(device.create_operator(desc))([np.array([-1, 2], np.float32)])
    [array([-0.5,  2. ], dtype=float32)]
    """

    input_tensor: TensorDesc
    output_tensor: TensorDesc
    alpha: float


def compute(desc: ActivationLeakyReluOperatorDesc, x: Array) -> Array:
    """Return x, or alpha * x below zero."""
    return np.where(x >= 0, x, x * x.dtype.type(desc.alpha))


def activation_leaky_relu(
    input: Expression,  # noqa: A002 (the name in the `directml` package)
    *,
    alpha: float = 0.01,
) -> Expression:
    """Return input, times alpha where it is negative.

    Parameters
    ----------
    input : Expression
        What is changed, element by element.
    alpha : float
        Factor for negative numbers.

    Examples
    --------
    >>> graph = Graph(Device())
    >>> x = graph.constant(np.array([-1, 2], np.float32))
    >>> graph.compile([activation_leaky_relu(x, alpha=0.5)])()
    [array([-0.5,  2. ], dtype=float32)]
    """
    output = elementwise_tensor("activation_leaky_relu", input)
    desc = ActivationLeakyReluOperatorDesc(input.desc, output, alpha)
    return input.graph.add_node(desc, input)[0]
