"""ACTIVATION_SHRINK: x nearer to zero by bias, and 0 within the threshold."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from indirectml.arithmetic.basics import Array, wrapped
from indirectml.core.errors import DescriptorError
from indirectml.core.tensors import TensorDesc
from indirectml.descriptors.base import OperatorDesc
from indirectml.graphs.expressions import Expression, elementwise_tensor


@dataclass(frozen=True)
class ActivationShrinkOperatorDesc(OperatorDesc):
    """Output = Input - Bias above Threshold, Input + Bias below -Threshold, 0 elsewhere.

    Parameters
    ----------
    input_tensor : TensorDesc
        A stride of 0 repeats elements.
    output_tensor : TensorDesc
        Of the same sizes and data type.
    bias : float
        What is taken away. An integer for tensors of integers. Rounded to FLOAT32.
    threshold : float
        Where zero ends. Rounded to FLOAT32.

    Notes
    -----
    Both comparisons are exact, the first has precedence, and the result is rounded once; integers
    wrap. What is in between is +0, and so is a NaN, which is not beyond anything.

    References
    ----------
    DirectML: DML_ACTIVATION_SHRINK_OPERATOR_DESC.

    Examples
    --------
    >>> tensor = TensorDesc(np.float32, [3])
    >>> device = Device()
    >>> desc = ActivationShrinkOperatorDesc(tensor, tensor, bias=1, threshold=0.5)
    >>> device.compile_operator(device.create_operator(desc))([np.array([-3, 0.25, 3], np.float32)])
    [array([-2.,  0.,  2.], dtype=float32)]
    """

    input_tensor: TensorDesc
    output_tensor: TensorDesc
    bias: float
    threshold: float

    def check_fields(self) -> None:
        """Check that integers are shrunk by integers."""
        if not self.input_tensor.data_type.is_float and not self.bias.is_integer():
            raise DescriptorError(
                f"needs an integer for a tensor of {self.input_tensor.data_type.name}",
                given=f"{self.bias}",
                field="bias",
            )


def compute(desc: ActivationShrinkOperatorDesc, x: Array) -> Array:
    """Return x nearer to zero by bias, and 0 within the threshold."""
    if x.dtype.kind == "f":
        bias, threshold = x.dtype.type(desc.bias), x.dtype.type(desc.threshold)
        above, below = x > threshold, x < -threshold
    else:
        bias = wrapped(int(desc.bias), x.dtype)
        wide = x.astype(np.float64)  # exact for integers of up to 32 bits
        above, below = wide > desc.threshold, wide < -desc.threshold
    nearer: Array = np.where(above, x - bias, np.where(below, x + bias, x.dtype.type(0)))
    return nearer


def activation_shrink(
    input: Expression,  # noqa: A002 (the name in the `directml` package)
    *,
    bias: float = 0,
    threshold: float = 0.5,
) -> Expression:
    """Return input nearer to zero by bias, and 0 within the threshold.

    Parameters
    ----------
    input : Expression
        What is changed, element by element.
    bias : float
        What is taken away. An integer for tensors of integers.
    threshold : float
        Where zero ends.

    Examples
    --------
    >>> graph = Graph(Device())
    >>> x = graph.constant(np.array([-3, 0.25, 3], np.float32))
    >>> graph.compile([activation_shrink(x, bias=1)])()
    [array([-2.,  0.,  2.], dtype=float32)]
    """
    output = elementwise_tensor("activation_shrink", input)
    desc = ActivationShrinkOperatorDesc(input.desc, output, bias, threshold)
    return input.graph.add_node(desc, input)[0]
