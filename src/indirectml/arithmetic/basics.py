"""NumPy arithmetic that the operators' definitions share.

Arrays have a data type of the catalogue, except that FLOAT16 comes as FLOAT32. Integers wrap.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from indirectml.descriptors.fields import ScaleBias

Array = np.ndarray[Any, Any]


class StandIn:
    """What may stand for an array, to write down what a definition does with its elements."""

    def applied(self, name: str, y: Any, dtype: Any) -> Any:
        """Write down a function of `functions`."""
        raise NotImplementedError

    def truncated(self, dtype: Any) -> Any:
        """Write down `truncated_to`."""
        raise NotImplementedError

    def spoken(self, word: Any, bound: dict[str, Any]) -> Any:
        """Write down a word with its arguments, by their names."""
        raise NotImplementedError


def scaled(x: Array, scale_bias: ScaleBias | None) -> Array:
    """Return x * scale + bias.

    Floats are rounded after each operation. Integers are exact modulo 2^bits where scale and bias
    are whole; else each operation is rounded to FLOAT64, and the result goes towards zero and stays
    within the data type.
    """
    if scale_bias is None:
        return x
    if x.dtype.kind == "f":
        return x * x.dtype.type(scale_bias.scale) + x.dtype.type(scale_bias.bias)
    if all(float(value).is_integer() for value in scale_bias):
        scale, bias = (wrapped(int(value), x.dtype) for value in scale_bias)
        return x * scale + bias
    wide = x.astype(np.float64) * scale_bias.scale + scale_bias.bias
    return truncated_to(wide, x.dtype)


def limited(x: Array, low: Any, high: Any) -> Array:
    """Return the nearest numbers from `low` to `high`; what equals a limit stays, and so does NaN.

    NumPy's minimum and maximum leave it to the processor which of -0 and +0 they return.
    """
    raised = np.where(x < low, low, x)
    result: Array = np.where(raised > high, high, raised)
    return result


def wrapped(value: int, dtype: np.dtype[Any]) -> Any:
    """Return an integer modulo 2^bits, as a scalar of an integer dtype."""
    bits = value % (1 << 8 * dtype.itemsize)
    return np.array(bits, f"u{dtype.itemsize}").view(dtype)[()]


def truncated_to(x: Array, dtype: np.dtype[Any]) -> Array:
    """Return floats as integers, towards zero; what does not fit becomes the nearest that does.

    A NaN becomes 0. NumPy leaves both to the processor.
    """
    if isinstance(x, StandIn):
        converted: Array = x.truncated(dtype)
        return converted
    limits = np.iinfo(dtype)
    with np.errstate(all="ignore"):
        whole = np.trunc(x)
        # Powers of two, exact in every float format or infinite: 2^63 is no INT64, but a float.
        low, high = x.dtype.type(limits.min), x.dtype.type(limits.max // 2 + 1) * 2
        fits = (whole >= low) & (whole < high)
        result = np.where(fits, whole, 0).astype(dtype)
        result[whole >= high] = limits.max
        result[whole < low] = limits.min
    return result
