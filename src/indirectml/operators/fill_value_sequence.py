"""FILL_VALUE_SEQUENCE: start, start + delta, start + 2 delta, ... in row-major order."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from indirectml.core.data_types import DataTypeLike, TensorDataType
from indirectml.core.errors import ScalarError
from indirectml.core.scalars import Scalar, ScalarUnion, exact_bits
from indirectml.core.tensors import TensorDesc
from indirectml.descriptors.base import OperatorDesc, check_value_data_type
from indirectml.fills.sequences import Rule
from indirectml.graphs.expressions import Expression, NodeBuilder, Sizes, scalar_argument
from indirectml.plans import FillStep, PlanOptions, View


@dataclass(frozen=True)
class FillValueSequenceOperatorDesc(OperatorDesc):
    """Element i of the output is a sequence's element i, under the device's rule.

    Parameters
    ----------
    output_tensor : TensorDesc
        Any sizes; data types and dimension counts by feature level. Never FLOAT64.
    value_data_type : TensorDataType
        How to read the scalars; the same as the data type of `output_tensor`.
    value_start, value_delta : ScalarUnion, bytes, int or float
        A number is converted once to exact bits; see `fill_sequence`.

    Raises
    ------
    DataTypeError, ScalarError
        A scalar is no number, or `value_data_type` cannot hold it.

    Notes
    -----
    The rules `accumulate` and `multiply` are defined at `fill_sequence`.

    References
    ----------
    DirectML: DML_FILL_VALUE_SEQUENCE_OPERATOR_DESC.

    Examples
    --------
    >>> tensor = TensorDesc(np.uint8, [1, 1, 2, 2])
    >>> desc = FillValueSequenceOperatorDesc(tensor, np.uint8, 10, -2)
    >>> device = Device(feature_level="2_1")
    >>> device.compile_operator(device.create_operator(desc))()
    [array([[[[10,  8],
             [ 6,  4]]]], dtype=uint8)]
    """

    output_tensor: TensorDesc
    value_data_type: TensorDataType
    value_start: ScalarUnion
    value_delta: ScalarUnion

    def check_fields(self) -> None:
        """Check that the scalars have the data type of the output."""
        check_value_data_type(self.value_data_type, self.output_tensor)

    def step(
        self,
        inputs: tuple[View | None, ...],
        outputs: tuple[View | None, ...],
        options: PlanOptions,
    ) -> FillStep:
        """Return one fill under the rule."""
        data_type = self.value_data_type
        start, delta = self.value_start.bits(data_type), self.value_delta.bits(data_type)
        (output,) = outputs
        return FillStep(output, data_type, options.rule, start, delta)  # type: ignore[arg-type]  # its one output is never left out


def fill_value_sequence(
    graph: NodeBuilder,
    *,
    sizes: Sizes,
    value_start: Scalar,
    value_delta: Scalar,
    dtype: DataTypeLike | None = None,
) -> Expression:
    """Return a tensor of a graph that holds a sequence, under the device's rule.

    Parameters
    ----------
    graph : Graph
        The graph that gets the operator.
    sizes : sequence of int
        Of the tensor.
    value_start, value_delta : int or float
        Converted once to exact bits; see `fill_sequence`.
    dtype : NumPy dtype or TensorDataType, optional
        FLOAT32 by default.

    Raises
    ------
    ScalarError
        The data type cannot hold a value.

    Examples
    --------
    >>> graph = Graph(Device())
    >>> ramp = fill_value_sequence(graph, sizes=[1, 3], value_start=3, value_delta=2)
    >>> graph.compile([ramp])()
    [array([[3., 5., 7.]], dtype=float32)]
    """
    tensor = graph.output_tensor(np.float32 if dtype is None else dtype, sizes)
    start = scalar_argument("value_start", value_start, tensor.data_type)
    delta = scalar_argument("value_delta", value_delta, tensor.data_type, is_delta=True)
    desc = FillValueSequenceOperatorDesc(tensor, tensor.data_type, start, delta)
    return graph.add_node(desc)[0]


def reference(desc: FillValueSequenceOperatorDesc, rule: Rule) -> np.ndarray[Any, Any]:
    """Compute the output as it is defined, one element after the other."""
    dtype = desc.value_data_type.dtype
    start = np.frombuffer(desc.value_start.raw, dtype, count=1)[0]
    delta = np.frombuffer(desc.value_delta.raw, dtype, count=1)[0]
    out = np.empty(desc.output_tensor.sizes, dtype)
    value = start
    with np.errstate(all="ignore"):
        for index, coordinate in enumerate(np.ndindex(*desc.output_tensor.sizes)):
            if rule == "multiply":
                value = _multiplied(start, delta, index, desc.value_data_type)
            out[coordinate] = value
            value = _quiet(value + delta)
    return out


def _multiplied(start: Any, delta: Any, index: int, data_type: TensorDataType) -> Any:
    """Return start + index * delta, rounded once; integers modulo 2^bits."""
    if not data_type.is_float:
        bits = (int(start) + index * int(delta)) % (1 << data_type.bits)
        return np.array(bits, f"u{data_type.item_bytes}").view(data_type.dtype)[()]
    zeros = start == 0 and (index == 0 or delta == 0)
    if zeros or not (np.isfinite(start) and np.isfinite(delta)):
        # No rounding here, only signs and special values: an index of 1 stands for all others.
        return _quiet(start + type(start)(min(index, 1)) * delta)
    exact = Fraction(float(start)) + index * Fraction(float(delta))
    try:
        bits = exact_bits(exact, data_type)
    except ScalarError:
        return type(start)(np.inf if exact > 0 else -np.inf)
    return np.array(bits, f"u{data_type.item_bytes}").view(data_type.dtype)[()]


def _quiet(value: Any) -> Any:
    """Return the value; any NaN as the positive quiet one without payload."""
    return type(value)(np.nan) if value != value else value  # noqa: PLR0124 (true for NaN alone)
