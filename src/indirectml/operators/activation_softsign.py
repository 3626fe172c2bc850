"""ACTIVATION_SOFTSIGN: x / (1 + |x|)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from indirectml.arithmetic.basics import Array
from indirectml.core.tensors import TensorDesc
from indirectml.descriptors.base import OperatorDesc
from indirectml.graphs.expressions import Expression, elementwise_tensor


@dataclass(frozen=True)
class ActivationSoftsignOperatorDesc(OperatorDesc):
    """Output = Input / (1 + |Input|), element by element.

    Parameters
    ----------
    input_tensor : TensorDesc
        A stride of 0 repeats elements.
    output_tensor : TensorDesc
        Of the same sizes and data type.

    Notes
    -----
    Rounded after the addition and after the division. Infinities give NaN.

    References
    ----------
    DirectML: DML_ACTIVATION_SOFTSIGN_OPERATOR_DESC.

    Examples
    --------
    >>> tensor = TensorDesc(np.float32, [2])
    >>> device = Device()
    >>> desc = ActivationSoftsignOperatorDesc(tensor, tensor)
    >>> device.compile_operator(device.create_operator(desc))([np.array([-1, 3], np.float32)])
    [array([-0.5 ,  0.75], dtype=float32)]
    """

    input_tensor: TensorDesc
    output_tensor: TensorDesc


def compute(desc: ActivationSoftsignOperatorDesc, x: Array) -> Array:
    """Return x / (1 + |x|)."""
    result: Array = x / (x.dtype.type(1) + np.abs(x))
    return result


def activation_softsign(
    input: Expression,  # noqa: A002 (the name in the `directml` package)
) -> Expression:
    """Return input / (1 + |input|).

    Parameters
    ----------
    input : Expression
        What is changed, element by element.

    Examples
    --------
    >>> graph = Graph(Device())
    >>> x = graph.constant(np.array([-1, 3], np.float32))
    >>> graph.compile([activation_softsign(x)])()
    [array([-0.5 ,  0.75], dtype=float32)]
    """
    output = elementwise_tensor("activation_softsign", input)
    desc = ActivationSoftsignOperatorDesc(input.desc, output)
    return input.graph.add_node(desc, input)[0]
