"""CAST: the same numbers in another data type."""

from __future__ import annotations

from dataclasses import dataclass

from indirectml.arithmetic.basics import Array, truncated_to
from indirectml.core.data_types import DataTypeLike
from indirectml.core.tensors import TensorDesc
from indirectml.descriptors.base import OperatorDesc
from indirectml.graphs.expressions import Expression, checked_operand, new_tensor


@dataclass(frozen=True)
class CastOperatorDesc(OperatorDesc):
    """Output = Input, converted to the data type of the output.

    Parameters
    ----------
    input_tensor, output_tensor : TensorDesc
        Of the same sizes.

    Notes
    -----
    To a float: rounded to nearest, ties to even; what is too large becomes infinite. From integer
    to integer: modulo 2^bits. From a float to an integer: towards zero; what does not fit becomes
    the nearest integer that does, and a NaN becomes 0 (DirectML leaves both open).

    References
    ----------
    DirectML: DML_CAST_OPERATOR_DESC.

    Examples
    --------
    >>> device = Device()
    >>> desc = CastOperatorDesc(TensorDesc(np.float32, [3]), TensorDesc(np.uint8, [3]))
    >>> compiled = device.compile_operator(device.create_operator(desc))
    >>> compiled([np.array([-1.5, 1.5, 300], np.float32)])
    [array([  0,   1, 255], dtype=uint8)]
    """

    is_arithmetic = False

    input_tensor: TensorDesc
    output_tensor: TensorDesc


def compute(desc: CastOperatorDesc, x: Array) -> Array:
    """Return x as the data type of the output."""
    dtype = desc.output_tensor.data_type.dtype
    if x.dtype.kind == "f" and dtype.kind != "f":
        return truncated_to(x, dtype)
    return x.astype(dtype)


def cast(input: Expression, *, dtype: DataTypeLike) -> Expression:  # noqa: A002 (as in `directml`)
    """Return the same numbers in another data type.

    Parameters
    ----------
    input : Expression
        What is converted.
    dtype : NumPy dtype or TensorDataType
        Of the result.

    Examples
    --------
    >>> graph = Graph(Device())
    >>> x = graph.constant(np.array([1.5, -1.5], np.float32))
    >>> graph.compile([cast(x, dtype=np.int32)])()
    [array([ 1, -1], dtype=int32)]
    """
    output = new_tensor(checked_operand("cast", input), data_type=dtype)
    return input.graph.add_node(CastOperatorDesc(input.desc, output), input)[0]
