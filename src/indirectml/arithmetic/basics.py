"""NumPy arithmetic that the operators' definitions share.

Arrays have a data type of the catalogue, except that FLOAT16 comes as FLOAT32. Integers wrap.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from indirectml.core.errors import DescriptorError
from indirectml.core.tensors import TensorDesc
from indirectml.descriptors.fields import ScaleBias

Array = np.ndarray[Any, Any]


def scaled(x: Array, scale_bias: ScaleBias | None) -> Array:
    """Return x * scale + bias, rounded after each of both; integers are exact, and wrap."""
    if scale_bias is None:
        return x
    if x.dtype.kind == "f":
        scale, bias = x.dtype.type(scale_bias.scale), x.dtype.type(scale_bias.bias)
    else:
        scale, bias = (wrapped(int(value), x.dtype) for value in scale_bias)
    result: Array = x * scale + bias
    return result


def check_scale_bias(scale_bias: ScaleBias | None, tensor: TensorDesc) -> None:
    """Check that a tensor of integers is scaled by integers.

    Raises
    ------
    DescriptorError
        Scale or bias is a fraction, which would leave the rounding open.
    """
    if scale_bias is None or tensor.data_type.is_float:
        return
    wrong = {n: v for n, v in scale_bias._asdict().items() if not float(v).is_integer()}
    if wrong:
        raise DescriptorError(
            f"needs an integer for a tensor of {tensor.data_type.name}",
            given=" and ".join(map(str, wrong.values())),
            field=f"scale_bias.{next(iter(wrong))}" if len(wrong) == 1 else "scale_bias",
        )


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


def accumulated(ufunc: np.ufunc, x: Array, axis: int, *, exclusive: bool, reverse: bool) -> Array:
    """Return running results along an axis: each the former one and the next element, rounded."""
    along = np.flip(x, axis) if reverse else x
    running = ufunc.accumulate(along, axis, dtype=x.dtype)
    if exclusive:
        first = np.full_like(running.take([0], axis), ufunc.identity)
        others = running.take(range(x.shape[axis] - 1), axis)
        running = np.concatenate([first, others], axis)
    return np.flip(running, axis) if reverse else running
