"""Functions for graphs of the family element wise unary, written by hand."""

from __future__ import annotations

from typing import Any

from indirectml.catalogue.feature_levels import FeatureLevel
from indirectml.core.data_types import DataTypeLike
from indirectml.core.errors import ScalarError
from indirectml.core.scalars import Scalar, exact_bits
from indirectml.descriptors.definitions import graph_function
from indirectml.graphs.expressions import (
    Expression,
    ScaleBiasLike,
    checked_operand,
    elementwise_tensor,
    new_tensor,
    scalar_argument,
)
from indirectml.operators import descriptor_class


@graph_function
def clip(
    input: Expression,
    *,
    min: Scalar,
    max: Scalar,
    scale_bias: ScaleBiasLike = None,
) -> Expression:
    """Return the nearest numbers from `min` to `max`.

    By ELEMENT_WISE_CLIP1 where the data type of `input` holds both limits; otherwise, and below
    feature level 5_0, by ELEMENT_WISE_CLIP, whose limits are FLOAT32 and may lie outside of it.

    Parameters
    ----------
    input : Expression
        What is limited.
    min, max : int or float
        The limits.
    scale_bias : (float, float), optional
        Applied first.

    Examples
    --------
    >>> graph = Graph(Device())
    >>> x = graph.constant(np.array([-2, 0, 2], np.float32))
    >>> graph.compile([clip(x, min=-1, max=1)])()
    [array([-1.,  0.,  1.], dtype=float32)]
    """
    tensors = (checked_operand("clip", input).desc, elementwise_tensor("clip", input))
    data_type = input.desc.data_type
    limits = {"min": min, "max": max}
    is_new = input.graph.feature_level >= FeatureLevel.LEVEL_5_0
    if is_new and all(_is_held(value, data_type) for value in limits.values()):
        bits = {name: scalar_argument(name, value, data_type) for name, value in limits.items()}
        desc = descriptor_class("ELEMENT_WISE_CLIP1")(
            *tensors, min_max_data_type=data_type, **bits, scale_bias=scale_bias
        )
    else:
        desc = descriptor_class("ELEMENT_WISE_CLIP")(*tensors, **limits, scale_bias=scale_bias)
    return input.graph.add_node(desc, input)[0]


def _is_held(value: Scalar, data_type: Any) -> bool:
    try:
        exact_bits(value, data_type)
    except ScalarError:
        return False
    return True


@graph_function
def cast(input: Expression, *, dtype: DataTypeLike) -> Expression:
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
    return input.graph.add_node(descriptor_class("CAST")(input.desc, output), input)[0]
