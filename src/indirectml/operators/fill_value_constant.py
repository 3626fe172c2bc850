"""FILL_VALUE_CONSTANT: every element gets the same bits."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from indirectml.data_types import TensorDataType
from indirectml.descriptors import (
    OperatorDesc,
    as_scalar_union,
    check_value_data_type,
    checked_tensor,
    convert_field,
)
from indirectml.plans import FillStep, Plan
from indirectml.scalars import ScalarUnion
from indirectml.sequences import Rule, fill_data_type
from indirectml.tensors import TensorDesc


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

    def __post_init__(self) -> None:
        convert_field(self, "output_tensor", checked_tensor)
        convert_field(self, "value_data_type", fill_data_type)
        data_type = self.value_data_type
        convert_field(self, "value", lambda v: as_scalar_union(v, data_type, is_delta=False))

    def check_fields(self) -> None:
        """Check that the scalars have the data type of the output."""
        check_value_data_type(self.value_data_type, self.output_tensor)

    def plan(self, rule: Rule) -> Plan:
        """Return one fill; the rule makes no difference to it."""
        bits = self.value.bits(self.value_data_type)
        return Plan(
            (self.output_tensor,), (FillStep(0, self.value_data_type, rule, bits, delta=None),)
        )


def reference(desc: FillValueConstantOperatorDesc, rule: Rule) -> np.ndarray[Any, Any]:  # noqa: ARG001
    """Compute the output as it is defined, one element after the other."""
    value = np.frombuffer(desc.value.raw, desc.value_data_type.dtype, count=1)
    out = np.empty(desc.output_tensor.sizes, desc.value_data_type.dtype)
    for coordinate in np.ndindex(*desc.output_tensor.sizes):
        out[coordinate] = value[0]
    return out
