"""Functions for graphs of the family quantized, written by hand."""

from __future__ import annotations

from collections.abc import Sequence

from indirectml.catalogue.enumerations import (
    QuantizationType,
)
from indirectml.core.errors import DescriptorError
from indirectml.descriptors.definitions import graph_function
from indirectml.graphs.expressions import Expression, checked_operand, new_tensor
from indirectml.operators import descriptor_class


@graph_function
def dequantize(
    input: Expression,
    quantization_parameters: Sequence[Expression],
    *,
    quantization_type: QuantizationType,
) -> Expression:
    """Return numbers from small integers; see `DequantizeOperatorDesc`.

    Parameters
    ----------
    input : Expression
        INT8, UINT8, INT4 or UINT4.
    quantization_parameters : sequence of Expression
        A scale, FLOAT32 or FLOAT16, whose data type the result has; and with SCALE_ZERO_POINT a
        zero point. Each of their sizes divides that of `input`.
    quantization_type : QuantizationType
        SCALE or SCALE_ZERO_POINT.

    Examples
    --------
    >>> graph = Graph(Device())
    >>> x = graph.constant(np.array([1, 2, 3, 4], np.int8))
    >>> scale = graph.constant(np.array([1, 0.5], np.float32))
    >>> graph.compile([dequantize(x, [scale], quantization_type=QuantizationType.SCALE)])()
    [array([1. , 2. , 1.5, 2. ], dtype=float32)]
    """
    checked_operand("dequantize", input)
    parameters = quantization_parameters
    if isinstance(parameters, Expression) or not parameters:
        raise DescriptorError(
            "needs a scale, or a scale and a zero point, in a sequence",
            given="one expression" if isinstance(parameters, Expression) else "none",
            hint="write dequantize(x, [scale], ...)",
            field="dequantize.quantization_parameters",
        )
    tensors = tuple(checked_operand("dequantize", each).desc for each in parameters)
    output = new_tensor(input, None, tensors[0].data_type)
    desc = descriptor_class("DEQUANTIZE")(input.desc, quantization_type, tensors, output)
    return input.graph.add_node(desc, input, *parameters)[0]
