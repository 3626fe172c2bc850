"""ELEMENT_WISE_CLIP1: the nearest number from min to max, which have the tensor's data type."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np

from indirectml.arithmetic.basics import Array, check_scale_bias, limited, scaled
from indirectml.catalogue.feature_levels import FeatureLevel
from indirectml.core.data_types import TensorDataType
from indirectml.core.errors import DescriptorError, DirectMLError
from indirectml.core.scalars import Scalar, ScalarUnion
from indirectml.core.tensors import TensorDesc
from indirectml.descriptors.base import OperatorDesc, caught, check_value_data_type
from indirectml.descriptors.fields import ScaleBias
from indirectml.fills.sequences import as_number
from indirectml.graphs.expressions import (
    Expression,
    ScaleBiasLike,
    elementwise_tensor,
    scalar_argument,
)
from indirectml.operators.element_wise_clip import ElementWiseClipOperatorDesc


@dataclass(frozen=True)
class ElementWiseClip1OperatorDesc(OperatorDesc):
    """Output = min(max(Input * Scale + Bias, Min), Max), element by element.

    Parameters
    ----------
    input_tensor : TensorDesc
        A stride of 0 repeats elements.
    output_tensor : TensorDesc
        Of the same sizes and data type.
    scale_bias : ScaleBias or (float, float), optional
        As in ELEMENT_WISE_IDENTITY.
    min_max_data_type : TensorDataType
        How to read the limits; the same as the data type of the tensors.
    min, max : ScalarUnion, bytes, int or float
        A number is converted once to exact bits; see `fill_constant`.

    Notes
    -----
    A NaN of the input stays, and so does a zero that equals a limit, with its sign.

    References
    ----------
    DirectML: DML_ELEMENT_WISE_CLIP1_OPERATOR_DESC.

    Examples
    --------
    >>> tensor = TensorDesc(np.int64, [3])
    >>> device = Device()
    >>> desc = ElementWiseClip1OperatorDesc(tensor, tensor, np.int64, min=-1, max=2**60 + 1)
    >>> device.compile_operator(device.create_operator(desc))([np.array([-2, 0, 2**62])])
    [array([                 -1,                   0, 1152921504606846977])]
    """

    input_tensor: TensorDesc
    output_tensor: TensorDesc
    scale_bias: ScaleBias | None = field(default=None, kw_only=True)
    min_max_data_type: TensorDataType
    min: ScalarUnion
    max: ScalarUnion

    def check_fields(self) -> Iterator[DirectMLError]:
        """Check the limits' data type, and that integers are scaled by integers."""
        yield from caught(check_scale_bias, self.scale_bias, self.input_tensor)
        check_value_data_type(
            self.min_max_data_type, self.input_tensor, field="min_max_data_type", of="input"
        )  # before limits are read by it
        for name in ("min", "max"):
            if np.isnan(
                as_number(getattr(self, name).bits(self.min_max_data_type), self.min_max_data_type)
            ):
                yield DescriptorError("needs a number", given="nan", field=name)


def compute(desc: ElementWiseClip1OperatorDesc, x: Array) -> Array:
    """Return x * scale + bias, limited."""
    data_type = desc.min_max_data_type
    low = as_number(desc.min.bits(data_type), data_type).astype(x.dtype)
    high = as_number(desc.max.bits(data_type), data_type).astype(x.dtype)
    return limited(scaled(x, desc.scale_bias), low, high)


def clip(
    input: Expression,  # noqa: A002 (the name in the `directml` package)
    *,
    min: Scalar,  # noqa: A002 (as above)
    max: Scalar,  # noqa: A002 (as above)
    scale_bias: ScaleBiasLike = None,
) -> Expression:
    """Return the nearest numbers from `min` to `max`.

    By ELEMENT_WISE_CLIP1, or below feature level 5_0 by ELEMENT_WISE_CLIP, with FLOAT32 limits.

    Parameters
    ----------
    input : Expression
        What is limited.
    min, max : int or float
        Converted once to the data type of `input`.
    scale_bias : (float, float), optional
        Applied first.

    Examples
    --------
    >>> graph = Graph(Device())
    >>> x = graph.constant(np.array([-2, 0, 2], np.float32))
    >>> graph.compile([clip(x, min=-1, max=1)])()
    [array([-1.,  0.,  1.], dtype=float32)]
    """
    output = elementwise_tensor("clip", input)
    data_type = input.desc.data_type
    low, high = scalar_argument("min", min, data_type), scalar_argument("max", max, data_type)
    if input.graph.feature_level < FeatureLevel.LEVEL_5_0:
        old = ElementWiseClipOperatorDesc(
            input.desc,
            output,
            min=min,  # type: ignore[arg-type]  # converted by the descriptor
            max=max,  # type: ignore[arg-type]
            scale_bias=scale_bias,  # type: ignore[arg-type]
        )
        return input.graph.add_node(old, input)[0]
    desc = ElementWiseClip1OperatorDesc(
        input.desc,
        output,
        data_type,
        low,
        high,
        scale_bias=scale_bias,  # type: ignore[arg-type]
    )
    return input.graph.add_node(desc, input)[0]
