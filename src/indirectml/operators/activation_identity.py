"""ACTIVATION_IDENTITY: the input as it is."""

from __future__ import annotations

from dataclasses import dataclass

from indirectml.arithmetic.basics import Array
from indirectml.core.tensors import TensorDesc
from indirectml.descriptors.base import OperatorDesc
from indirectml.graphs.expressions import Expression, elementwise_tensor


@dataclass(frozen=True)
class ActivationIdentityOperatorDesc(OperatorDesc):
    """Output = Input, element by element.

    Parameters
    ----------
    input_tensor : TensorDesc
        A stride of 0 repeats elements.
    output_tensor : TensorDesc
        Of the same sizes and data type.

    Notes
    -----
    Every bit is kept.

    References
    ----------
    DirectML: DML_ACTIVATION_IDENTITY_OPERATOR_DESC.

    Examples
    --------
    >>> tensor = TensorDesc(np.float32, [2])
    >>> device = Device()
    >>> desc = ActivationIdentityOperatorDesc(tensor, tensor)
    >>> device.compile_operator(device.create_operator(desc))([np.array([-1, 2], np.float32)])
    [array([-1.,  2.], dtype=float32)]
    """

    is_arithmetic = False

    input_tensor: TensorDesc
    output_tensor: TensorDesc


def compute(desc: ActivationIdentityOperatorDesc, x: Array) -> Array:
    """Return x."""
    return x


def activation_identity(
    input: Expression,  # noqa: A002 (the name in the `directml` package)
) -> Expression:
    """Return a packed copy.

    Parameters
    ----------
    input : Expression
        What is changed, element by element.

    Examples
    --------
    >>> graph = Graph(Device())
    >>> x = graph.constant(np.array([-1, 2], np.float32))
    >>> graph.compile([activation_identity(x)])()
    [array([-1.,  2.], dtype=float32)]
    """
    output = elementwise_tensor("activation_identity", input)
    desc = ActivationIdentityOperatorDesc(input.desc, output)
    return input.graph.add_node(desc, input)[0]
