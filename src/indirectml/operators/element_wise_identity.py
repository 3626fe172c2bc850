"""ELEMENT_WISE_IDENTITY: x * scale + bias, or every bit of x."""

from __future__ import annotations

from dataclasses import dataclass

from indirectml.arithmetic.basics import Array, check_scale_bias, scaled
from indirectml.core.tensors import TensorDesc
from indirectml.descriptors.base import OperatorDesc
from indirectml.descriptors.fields import ScaleBias
from indirectml.graphs.expressions import Expression, ScaleBiasLike, elementwise_tensor


@dataclass(frozen=True)
class ElementWiseIdentityOperatorDesc(OperatorDesc):
    """Output = Input * Scale + Bias, element by element.

    Parameters
    ----------
    input_tensor : TensorDesc
        A stride of 0 repeats elements.
    output_tensor : TensorDesc
        Of the same sizes and data type.
    scale_bias : ScaleBias or (float, float), optional
        Each rounded to FLOAT32. Integers for a tensor of integers.

    Notes
    -----
    Without scale and bias every bit is kept. With them floats are rounded after the multiplication
    and after the addition (FLOAT16 once, from FLOAT32), and integers wrap.

    References
    ----------
    DirectML: DML_ELEMENT_WISE_IDENTITY_OPERATOR_DESC.

    Examples
    --------
    >>> tensor = TensorDesc(np.float32, [2])
    >>> device = Device()
    >>> desc = ElementWiseIdentityOperatorDesc(tensor, tensor, (2, 1))
    >>> device.compile_operator(device.create_operator(desc))([np.array([1, 2], np.float32)])
    [array([3., 5.], dtype=float32)]
    """

    input_tensor: TensorDesc
    output_tensor: TensorDesc
    scale_bias: ScaleBias | None = None

    def check_fields(self) -> None:
        """Check that integers are scaled by integers."""
        check_scale_bias(self.scale_bias, self.input_tensor)

    @property
    def is_arithmetic(self) -> bool:  # type: ignore[override]  # it depends on a field here
        """Whether there is something to compute."""
        return self.scale_bias is not None


def compute(desc: ElementWiseIdentityOperatorDesc, x: Array) -> Array:
    """Return x * scale + bias."""
    return scaled(x, desc.scale_bias)


def identity(
    input: Expression,  # noqa: A002 (the name in the `directml` package)
    *,
    scale_bias: ScaleBiasLike = None,
) -> Expression:
    """Return input * scale + bias, or a packed copy.

    Parameters
    ----------
    input : Expression
        What is copied.
    scale_bias : (float, float), optional
        Scale and bias.

    Examples
    --------
    >>> graph = Graph(Device())
    >>> x = graph.constant(np.array([1, 2], np.float32))
    >>> graph.compile([identity(x, scale_bias=(2, 1))])()
    [array([3., 5.], dtype=float32)]
    """
    output = elementwise_tensor("identity", input)
    desc = ElementWiseIdentityOperatorDesc(input.desc, output, scale_bias)  # type: ignore[arg-type]
    return input.graph.add_node(desc, input)[0]
