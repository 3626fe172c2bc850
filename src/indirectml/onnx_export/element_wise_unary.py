"""ONNX forms of element-wise operators of one input: signs, rounding, limits, casts."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from indirectml.catalogue.enumerations import RoundingMode
from indirectml.core.data_types import TensorDataType
from indirectml.fills.sequences import as_number
from indirectml.onnx_export.building import DType, Value
from indirectml.onnx_export.forms import Node, form, renamed
from indirectml.onnx_export.words import compared, limited, modular, sign_of, truncated

renamed(
    {
        "ELEMENT_WISE_ABS": "Abs",
        "ELEMENT_WISE_CEIL": "Ceil",
        "ELEMENT_WISE_FLOOR": "Floor",
    }
)

_HALF = 0.5


@form("ELEMENT_WISE_IDENTITY")
def identity(_: Node, x: Value) -> Value:
    """Nothing, or what scale and bias are."""
    return x


@form("ELEMENT_WISE_SIGN")
def sign(node: Node, x: Value) -> Value:
    """Sign; of INT64 by comparisons, for the reason that `words.extreme` has."""
    b = node.b
    if x.dtype != np.int64:
        return b.add("Sign", x)
    above, below = (b.cast(compared(b, each, x, 0), x.dtype) for each in ("Greater", "Less"))
    return b.add("Sub", above, below)


@form("ELEMENT_WISE_ROUND")
def rounded(node: Node, x: Value) -> Value:
    """Round, whose halves go to the even number; other modes by Floor of the magnitude."""
    b = node.b
    if node["rounding_mode"] == RoundingMode.HALVES_TO_NEAREST_EVEN:
        return b.add("Round", x)
    magnitude = b.add("Abs", x)
    whole = b.add("Floor", magnitude)
    if node["rounding_mode"] == RoundingMode.TOWARD_INFINITY:
        is_far = compared(b, "GreaterOrEqual", b.add("Sub", magnitude, whole), _HALF)
        whole = b.add("Add", whole, b.cast(is_far, x.dtype))
    return b.add("Mul", whole, sign_of(b, x))


@form("ELEMENT_WISE_NEGATE")
def negated(node: Node, x: Value) -> Value:
    """Neg; of integers 0 - x modulo 2^bits."""
    if x.is_float:
        return node.b.add("Neg", x)
    return modular(node.b, "Sub", node.b.number(0, x.dtype), x)


@form("ELEMENT_WISE_THRESHOLD")
def at_least(node: Node, x: Value) -> Value:
    """Clip with one limit; a fraction counts as the next higher integer for integers."""
    low = node["min"]
    if not x.is_float and math.isfinite(low):
        low = math.ceil(low)
    # With a limit above: without one ONNX Runtime makes infinity the largest number.
    return _clipped(node, x, low, math.inf)


@form("ELEMENT_WISE_CLIP")
def clip_to_floats(node: Node, x: Value) -> Value:
    """Clip, or what is the same where the limits are the wrong way round."""
    return _clipped(node, x, node["min"], node["max"])


@form("ELEMENT_WISE_CLIP1")
def clip_to_scalars(node: Node, x: Value) -> Value:
    """Clip, or what is the same where the limits are the wrong way round."""
    data_type: TensorDataType = node["min_max_data_type"]
    low, high = (as_number(node[name].bits(data_type), data_type).item() for name in ("min", "max"))
    return _clipped(node, x, low, high)


def _clipped(node: Node, x: Value, low: Any, high: Any) -> Value:
    """Return max, then min; of INT16 and UINT16, which ONNX's Clip runtimes lack, in INT32."""
    b = node.b
    low, high = _limit(low, x.dtype, -math.inf), _limit(high, x.dtype, math.inf)
    if x.dtype == np.int64:
        whole = np.iinfo(x.dtype)
        low, high = whole.min if low is None else low, whole.max if high is None else high
        return limited(b, x, int(low), int(high))
    dtype = np.dtype(np.int32) if x.dtype in (np.int16, np.uint16) else x.dtype
    wide = b.cast(x, dtype)
    limits = [None if each is None else b.number(int(each), dtype) if dtype != x.dtype
              else b.constant(each) for each in (low, high)]  # fmt: skip
    return b.cast(b.add("Clip", wide, *limits, sizes=x.sizes), x.dtype)


def _limit(value: float, dtype: DType, absent: float) -> Any:
    """Return a limit in the data type, the nearest one there is; NaN is none."""
    value = absent if math.isnan(value) else value
    if dtype.kind == "f":
        return np.asarray(value, dtype)[()]
    limits = np.iinfo(dtype)
    nearest = limits.min if value < limits.min else limits.max if value > limits.max else int(value)
    return np.asarray(nearest, dtype)[()]


@form("CAST")
def converted(node: Node, x: Value) -> Value:
    """Cast; a float that does not fit an integer becomes the nearest, which ONNX leaves open."""
    b = node.b
    dtype = node.dtype
    if x.is_float and dtype.kind != "f":
        return truncated(b, x, dtype)
    return b.cast(x, dtype)
