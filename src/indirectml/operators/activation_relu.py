"""ACTIVATION_RELU: the positive part."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from indirectml.arithmetic.basics import Array
from indirectml.core.tensors import TensorDesc
from indirectml.descriptors.base import OperatorDesc
from indirectml.graphs.expressions import Expression, elementwise_tensor


@dataclass(frozen=True)
class ActivationReluOperatorDesc(OperatorDesc):
    """Output = max(0, Input), element by element.

    Parameters
    ----------
    input_tensor : TensorDesc
        A stride of 0 repeats elements.
    output_tensor : TensorDesc
        Of the same sizes and data type.

    Notes
    -----
    Both zeros give +0; a NaN stays.

    References
    ----------
    DirectML: DML_ACTIVATION_RELU_OPERATOR_DESC.

    Examples
    --------
    >>> tensor = TensorDesc(np.float32, [2])
    >>> device = Device()
    >>> desc = ActivationReluOperatorDesc(tensor, tensor)
    >>> device.compile_operator(device.create_operator(desc))([np.array([-1, 2], np.float32)])
    [array([0., 2.], dtype=float32)]
    """

    input_tensor: TensorDesc
    output_tensor: TensorDesc


def compute(desc: ActivationReluOperatorDesc, x: Array) -> Array:
    """Return max(0, x)."""
    return np.where(x <= 0, x.dtype.type(0), x)


def activation_relu(
    input: Expression,  # noqa: A002 (the name in the `directml` package)
) -> Expression:
    """Return max(0, input).

    Parameters
    ----------
    input : Expression
        What is changed, element by element.

    Examples
    --------
    >>> graph = Graph(Device())
    >>> x = graph.constant(np.array([-1, 2], np.float32))
    >>> graph.compile([activation_relu(x)])()
    [array([0., 2.], dtype=float32)]
    """
    output = elementwise_tensor("activation_relu", input)
    desc = ActivationReluOperatorDesc(input.desc, output)
    return input.graph.add_node(desc, input)[0]
