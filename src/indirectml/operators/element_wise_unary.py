"""Element-wise operators of one input: identity, signs, rounding, limits, casts."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import numpy as np

from indirectml.arithmetic.basics import Array, limited, truncated_to, wrapped
from indirectml.catalogue.enumerations import RoundingMode
from indirectml.core.errors import DescriptorError, DirectMLError
from indirectml.descriptors.checks import check_value_data_type
from indirectml.descriptors.definitions import operator


@operator("ELEMENT_WISE_ABS", "abs")
def magnitude(x: Array) -> Array:
    """Output = |Input * Scale + Bias|.

    Exact. The smallest integer stays as it is.

    Example: float32 [-1, 2] -> [1, 2]
    """
    return np.abs(x)


@operator("ELEMENT_WISE_IDENTITY", "identity", keeps_bits=lambda desc: desc.scale_bias is None)
def identity(x: Array) -> Array:
    """Output = Input * Scale + Bias.

    Without scale and bias every bit is kept. With them floats are rounded after the multiplication
    and after the addition (FLOAT16 once, from FLOAT32). Integers are exact modulo 2^bits if scale
    and bias are whole; else each operation is rounded to FLOAT64, and the result goes towards zero
    and stays within the data type.

    Our choice: scale and bias of integers.

    Example: scale_bias=(2, 1); float32 [1, 2] -> [3, 5]
    """
    return x


@operator("ELEMENT_WISE_CEIL", "ceil")
def ceiling(x: Array) -> Array:
    """Output = the smallest whole number that is not below Input * Scale + Bias.

    Exact. What lies between -1 and 0 gives -0.

    Example: float32 [1.25, -1.25] -> [2, -1]
    """
    return np.ceil(x)


@operator("ELEMENT_WISE_FLOOR", "floor")
def floor(x: Array) -> Array:
    """Output = the largest whole number that is not above Input * Scale + Bias.

    Exact. -0 stays -0.

    Example: float32 [1.25, -1.25] -> [1, -2]
    """
    return np.floor(x)


@operator(
    "ELEMENT_WISE_ROUND", "round", defaults={"rounding_mode": RoundingMode.HALVES_TO_NEAREST_EVEN}
)
def rounded(x: Array, *, rounding_mode: RoundingMode) -> Array:
    """Output = Input as a whole number.

    HALVES_TO_NEAREST_EVEN: the nearest, of two the even one. TOWARD_ZERO: the nearest that is not
    larger in magnitude. TOWARD_INFINITY: the nearest, of two the one with the larger magnitude. A
    zero has the sign of the input.

    Example: rounding_mode=TOWARD_INFINITY; float32 [2.5, -1.25] -> [3, -1]
    Example: rounding_mode=TOWARD_ZERO; float32 [2.5, -1.75] -> [2, -1]
    """
    if rounding_mode == RoundingMode.HALVES_TO_NEAREST_EVEN:
        return np.rint(x)
    whole = np.trunc(x)
    if rounding_mode == RoundingMode.TOWARD_INFINITY:
        # The difference is exact: of neighbours, or zero where there is no fraction.
        is_far = np.abs(x - whole) >= x.dtype.type(0.5)
        whole = np.where(is_far, whole + np.copysign(x.dtype.type(1), x), whole)
    return whole


@operator("ELEMENT_WISE_SIGN", "sign")
def sign(x: Array) -> Array:
    """Output = -1, 0 or 1, with the sign of Input.

    Exact. A zero of either sign gives +0; a NaN stays.

    Example: float32 [-3, 0, 2] -> [-1, 0, 1]
    """
    return np.sign(x)


@operator("ELEMENT_WISE_NEGATE", "negate")
def negated(x: Array) -> Array:
    """Output = -Input.

    Exact; the smallest integer stays as it is.

    Example: float32 [-3, 2] -> [3, -2]
    """
    return np.negative(x)


@operator("ELEMENT_WISE_THRESHOLD", "threshold", order=("input_tensor", "min"))
def at_least(x: Array, *, min: float) -> Array:
    """Output = max(Input * Scale + Bias, Min).

    Scale and bias round as in ELEMENT_WISE_IDENTITY; the rest is exact. A NaN of the input stays,
    and so does a zero that equals the limit, with its sign. For integers a fraction counts as the
    next higher integer, and a limit beyond the data type is its end. A NaN as the limit limits
    nothing.

    Our choice: a limit of integers that has a fraction, and NaN as a limit.

    Example: min=-1; float32 [-2, 0] -> [-1, 0]
    """
    low = min if x.dtype.kind == "f" or not math.isfinite(min) else float(math.ceil(min))
    low = _limit(low, x.dtype, -math.inf)
    return np.where(x < low, low, x)


def _limits(desc: Any) -> Iterator[DirectMLError]:
    for name in ("min", "max"):
        value = getattr(desc, name)
        if (
            not desc.input_tensor.data_type.is_float
            and math.isfinite(value)
            and value != math.trunc(value)
        ):
            yield DescriptorError(
                f"needs an integer for a tensor of {desc.input_tensor.data_type.name}",
                given=f"{value}",
                field=name,
            )


@operator("ELEMENT_WISE_CLIP", check=_limits)
def clip_to_floats(x: Array, *, min: float, max: float) -> Array:
    """Output = min(max(Input * Scale + Bias, Min), Max).

    Scale and bias round as in ELEMENT_WISE_IDENTITY; the rest is exact. A NaN of the input stays,
    and so does a zero that equals a limit, with its sign. Limits beyond the range of an integer
    data type limit nothing, and neither does a NaN.

    The page is silent: NaN as a limit; the conformance tests of WebNN, whose browsers use this
    operator, decide.

    Example: min=-1, max=1; float32 [-2, 0, 2] -> [-1, 0, 1]
    Example: min=nan, max=1; float32 [-2, 0, 2] -> [-2, 0, 1]
    """
    return limited(x, _limit(min, x.dtype, -math.inf), _limit(max, x.dtype, math.inf))


def _limit(value: float, dtype: np.dtype[Any], absent: float) -> Any:
    """Return a limit as a scalar of the data type, the nearest one there is; NaN is none."""
    if math.isnan(value):
        value = absent
    if dtype.kind == "f":
        return dtype.type(value)
    limits = np.iinfo(dtype)
    if not limits.min <= value <= limits.max:
        return dtype.type(limits.min if value < 0 else limits.max)
    return wrapped(int(value), dtype)


def _typed_limits(desc: Any) -> None:
    check_value_data_type(
        desc.min_max_data_type, desc.input_tensor, field="min_max_data_type", of="input"
    )


@operator("ELEMENT_WISE_CLIP1", check=_typed_limits)
def clip_to_scalars(x: Array, *, min: Any, max: Any) -> Array:
    """Output = min(max(Input * Scale + Bias, Min), Max), with limits of the tensors' data type.

    Rounding as in ELEMENT_WISE_CLIP. A NaN of the input stays, and so does a zero that equals a
    limit, with its sign. A NaN as a limit limits nothing.

    The page is silent: NaN as a limit; see ELEMENT_WISE_CLIP.

    Example: min_max_data_type=np.int64, min=-1, max=2**60; int64 [-2, 0, 2**62] -> [-1, 0, 2**60]
    """
    return limited(x, min.astype(x.dtype), max.astype(x.dtype))


@operator("CAST")
def converted(x: Array, *, dtype: np.dtype[Any]) -> Array:
    """Output = Input, converted to the data type of the output.

    To a float: rounded once to nearest, ties to even; what is too large becomes infinite, and every
    NaN is the positive quiet one without payload. From integer to integer: modulo 2^bits. From a
    float to an integer: towards zero; what does not fit becomes the nearest integer that does, and
    a NaN becomes 0.

    Our choice: floats that do not fit an integer, and NaN as one.

    Example: float32 [-1.5, 1.5, 300] -> uint8 [0, 1, 255]
    """
    if x.dtype.kind == "f" and dtype.kind != "f":
        return truncated_to(x, dtype)
    return x.astype(dtype)
