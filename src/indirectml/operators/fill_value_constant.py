"""FILL_VALUE_CONSTANT: every element gets the same bits."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from indirectml.core.data_types import DataTypeLike, TensorDataType
from indirectml.core.scalars import Scalar, ScalarUnion
from indirectml.core.tensors import TensorDesc
from indirectml.descriptors.base import OperatorDesc, check_value_data_type
from indirectml.fills.sequences import Rule
from indirectml.graphs.expressions import Expression, NodeBuilder, Sizes, scalar_argument
from indirectml.plans import FillStep, PlanOptions, View


@dataclass(frozen=True)
class FillValueConstantOperatorDesc(OperatorDesc):
    """Every element of the output gets the low bytes of the value, bit for bit.

    Parameters
    ----------
    output_tensor : TensorDesc
        Any sizes; data types and dimension counts by feature level.
    value_data_type : TensorDataType
        How to read `value`; the same as the data type of `output_tensor`.
    value : ScalarUnion, bytes, int or float
        A number is converted once to exact bits; see `fill_constant`.

    Raises
    ------
    DataTypeError, ScalarError
        `value` is no number, or `value_data_type` cannot hold it.

    References
    ----------
    DirectML: DML_FILL_VALUE_CONSTANT_OPERATOR_DESC.

    Examples
    --------
    >>> desc = FillValueConstantOperatorDesc(TensorDesc(np.float32, [2]), np.float32, 13.0)
    >>> device = Device()
    >>> device.compile_operator(device.create_operator(desc))()
    [array([13., 13.], dtype=float32)]
    """

    output_tensor: TensorDesc
    value_data_type: TensorDataType
    value: ScalarUnion

    def check_fields(self) -> None:
        """Check that the scalars have the data type of the output."""
        check_value_data_type(self.value_data_type, self.output_tensor)

    def step(
        self,
        inputs: tuple[View | None, ...],
        outputs: tuple[View | None, ...],
        options: PlanOptions,
    ) -> FillStep:
        """Return one fill; the rule makes no difference to it."""
        data_type = self.value_data_type
        (output,) = outputs
        bits = self.value.bits(data_type)
        return FillStep(output, data_type, options.rule, bits, delta=None)  # type: ignore[arg-type]  # its one output is never left out


def fill_value_constant(
    graph: NodeBuilder, *, sizes: Sizes, value: Scalar, dtype: DataTypeLike | None = None
) -> Expression:
    """Return a tensor of a graph in which every element is the same.

    Parameters
    ----------
    graph : Graph
        The graph that gets the operator.
    sizes : sequence of int
        Of the tensor.
    value : int or float
        Converted once to exact bits; see `fill_constant`.
    dtype : NumPy dtype or TensorDataType, optional
        FLOAT32 by default.

    Raises
    ------
    ScalarError
        The data type cannot hold the value.

    Examples
    --------
    >>> graph = Graph(Device())
    >>> graph.compile([fill_value_constant(graph, sizes=[3], value=13)])()
    [array([13., 13., 13.], dtype=float32)]
    """
    tensor = graph.output_tensor(np.float32 if dtype is None else dtype, sizes)
    bits = scalar_argument("value", value, tensor.data_type)
    desc = FillValueConstantOperatorDesc(tensor, tensor.data_type, bits)
    return graph.add_node(desc)[0]


def reference(desc: FillValueConstantOperatorDesc, rule: Rule) -> np.ndarray[Any, Any]:
    """Compute the output as it is defined, one element after the other."""
    value = np.frombuffer(desc.value.raw, desc.value_data_type.dtype, count=1)
    out = np.empty(desc.output_tensor.sizes, desc.value_data_type.dtype)
    for coordinate in np.ndindex(*desc.output_tensor.sizes):
        out[coordinate] = value[0]
    return out
