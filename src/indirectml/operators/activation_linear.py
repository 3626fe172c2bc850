"""ACTIVATION_LINEAR: alpha * x + beta."""

from __future__ import annotations

from dataclasses import dataclass

from indirectml.arithmetic.basics import Array
from indirectml.core.tensors import TensorDesc
from indirectml.descriptors.base import OperatorDesc
from indirectml.graphs.expressions import Expression, elementwise_tensor


@dataclass(frozen=True)
class ActivationLinearOperatorDesc(OperatorDesc):
    """Output = Alpha * Input + Beta, element by element.

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
    Rounded after the multiplication and after the addition.

    References
    ----------
    DirectML: DML_ACTIVATION_LINEAR_OPERATOR_DESC.

    Examples
    --------
    >>> tensor = TensorDesc(np.float32, [2])
    >>> device = Device()
    >>> desc = ActivationLinearOperatorDesc(tensor, tensor, alpha=3, beta=1)
    >>> device.compile_operator(device.create_operator(desc))([np.array([-1, 2], np.float32)])
    [array([-2.,  7.], dtype=float32)]
    """

    input_tensor: TensorDesc
    output_tensor: TensorDesc
    alpha: float
    beta: float


def compute(desc: ActivationLinearOperatorDesc, x: Array) -> Array:
    """Return alpha * x + beta."""
    result: Array = x * x.dtype.type(desc.alpha) + x.dtype.type(desc.beta)
    return result


def activation_linear(
    input: Expression,  # noqa: A002 (the name in the `directml` package)
    *,
    alpha: float,
    beta: float,
) -> Expression:
    """Return alpha * input + beta.

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
    >>> x = graph.constant(np.array([-1, 2], np.float32))
    >>> graph.compile([activation_linear(x, alpha=3, beta=1)])()
    [array([-2.,  7.], dtype=float32)]
    """
    output = elementwise_tensor("activation_linear", input)
    desc = ActivationLinearOperatorDesc(input.desc, output, alpha, beta)
    return input.graph.add_node(desc, input)[0]
