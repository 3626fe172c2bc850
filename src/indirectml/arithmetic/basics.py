"""NumPy arithmetic that the operators' definitions share.

Arrays have a data type of the catalogue, except that FLOAT16 comes as FLOAT32. Integers wrap.
"""

from __future__ import annotations

from collections.abc import Sequence
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

    def spread(self, sizes: Sequence[int], at: tuple[slice, ...]) -> Any:
        """Write down `spread`."""
        raise NotImplementedError

    def coordinates(self, axis: int) -> Any:
        """Write down `coordinates` of the sizes that this is."""
        raise NotImplementedError

    def coordinates_in(self, sizes: Sequence[int], axis: int) -> Any:
        """Write down `coordinates`, to be calculated with this."""
        raise NotImplementedError

    def filled(self, start: Any, delta: Any = None) -> Any:
        """Write down a fill of the sizes that this is, by the device's rule."""
        raise NotImplementedError

    def quantized(self, zero_point: Any, dtype: Any) -> Any:
        """Write down `quantized_to`."""
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


def spread(x: Array, sizes: Sequence[int], firsts: Sequence[int], steps: Sequence[int]) -> Array:
    """Return zeros of some sizes with an array in them.

    Along each axis its first element is at `first`, and each other one a step further.
    """
    ends = [a + (n - 1) * step for a, n, step in zip(firsts, x.shape, steps, strict=True)]
    at = tuple(
        slice(a, end + 1, step) if step > 0 else slice(a, end - 1 if end else None, step)
        for a, end, step in zip(firsts, ends, steps, strict=True)
    )
    if isinstance(x, StandIn):
        written: Array = x.spread(sizes, at)
        return written
    out = np.zeros(tuple(sizes), x.dtype)
    out[at] = x
    return out


def coordinates(sizes: Sequence[int], axis: int, beside: Array | None = None) -> Array:
    """Return, as INT64, where along an axis the elements of an array of some sizes are.

    It has size 1 along the other axes. `beside` is what it is calculated with: where a stand-in of
    that writes it down, no array of these sizes is made.
    """
    if isinstance(beside, StandIn):
        filled: Array = beside.coordinates_in(sizes, axis)
        return filled
    if isinstance(sizes, StandIn):
        written: Array = sizes.coordinates(axis)
        return written
    own = [1] * len(sizes)
    own[axis] = -1
    return np.arange(sizes[axis]).reshape(own)


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


def quantized_to(x: Array, zero_point: Array, dtype: np.dtype[Any]) -> Array:
    """Return FLOAT32 as INT8 or UINT8: rounded to whole numbers, a zero point added, and limited.

    To the nearest whole number, ties to even. Zero points are FLOAT32, and whole: the sum is exact,
    or far beyond the limits. A NaN becomes the zero point.
    """
    if isinstance(x, StandIn):
        written: Array = x.quantized(zero_point, dtype)
        return written
    limits = np.iinfo(dtype)
    with np.errstate(all="ignore"):
        whole = np.where(np.isnan(x), np.float32(0), np.rint(x)) + zero_point
    result: Array = limited(whole, np.float32(limits.min), np.float32(limits.max)).astype(dtype)
    return result
