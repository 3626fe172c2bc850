"""Activations: element-wise functions, by themselves or fused into another operator."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from indirectml.arithmetic.basics import Array, wrapped
from indirectml.core.errors import DescriptorError, DirectMLError
from indirectml.descriptors.definitions import operator


@operator("ACTIVATION_IDENTITY", "activation_identity", keeps_bits=True)
def identity(x: Array) -> Array:
    """Output = Input.

    Every bit is kept.

    Example: float32 [-1, 2] -> [-1, 2]
    """
    return x


@operator("ACTIVATION_LINEAR", "activation_linear")
def linear(x: Array, *, alpha: float, beta: float) -> Array:
    """Output = Alpha * Input + Beta.

    Rounded after the multiplication and after the addition.

    Example: alpha=3, beta=1; float32 [-1, 2] -> [-2, 7]
    """
    return x * x.dtype.type(alpha) + x.dtype.type(beta)


@operator("ACTIVATION_RELU", "activation_relu")
def relu(x: Array) -> Array:
    """Output = max(0, Input).

    Both zeros give +0; a NaN stays.

    Example: float32 [-1, 2] -> [0, 2]
    """
    return np.where(x <= 0, x.dtype.type(0), x)


@operator("ACTIVATION_LEAKY_RELU", "activation_leaky_relu", defaults={"alpha": 0.01})
def leaky_relu(x: Array, *, alpha: float) -> Array:
    """Output = Input, or Alpha * Input below zero.

    Both zeros stay; a NaN stays.

    Example: alpha=0.5; float32 [-1, 2] -> [-0.5, 2]
    """
    return np.where(x >= 0, x, x * x.dtype.type(alpha))


@operator("ACTIVATION_THRESHOLDED_RELU", "activation_thresholded_relu", defaults={"alpha": 1})
def thresholded_relu(x: Array, *, alpha: float) -> Array:
    """Output = Input above Alpha, 0 elsewhere.

    The zero is +0. A NaN is not above anything and gives it too.

    Example: alpha=1; float32 [-1, 2] -> [0, 2]
    """
    return np.where(x > x.dtype.type(alpha), x, x.dtype.type(0))


@operator(
    "ACTIVATION_HARD_SIGMOID", "activation_hard_sigmoid", defaults={"alpha": 0.2, "beta": 0.5}
)
def hard_sigmoid(x: Array, *, alpha: float, beta: float) -> Array:
    """Output = max(0, min(1, Alpha * Input + Beta)).

    Rounded after the multiplication and after the addition. Zero is +0; a NaN stays.

    Example: alpha=0.2, beta=0.5; float32 [-9, 0, 9] -> [0, 0.5, 1]
    """
    y = linear(x, alpha=alpha, beta=beta)
    zero, one = x.dtype.type(0), x.dtype.type(1)
    limited: Array = np.where(y <= zero, zero, np.where(y >= one, one, y))
    return limited


@operator("ACTIVATION_SOFTSIGN", "activation_softsign")
def softsign(x: Array) -> Array:
    """Output = Input / (1 + |Input|).

    Rounded after the addition and after the division. Infinities give NaN.

    Example: float32 [-1, 3] -> [-0.5, 0.75]
    """
    return x / (x.dtype.type(1) + np.abs(x))


def _whole_bias(desc: Any) -> Iterator[DirectMLError]:
    data_type = desc.input_tensor.data_type
    if not data_type.is_float and not float(desc.bias).is_integer():
        yield DescriptorError(
            f"needs an integer for a tensor of {data_type.name}", given=f"{desc.bias}", field="bias"
        )


@operator(
    "ACTIVATION_SHRINK",
    "activation_shrink",
    check=_whole_bias,
    defaults={"bias": 0, "threshold": 0.5},
)
def shrink(x: Array, *, bias: float, threshold: float) -> Array:
    """Output = Input - Bias above Threshold, Input + Bias below -Threshold, 0 elsewhere.

    Both comparisons are exact, the first has precedence, and the result is rounded once; integers
    wrap. What is in between is +0, and so is a NaN, which is not beyond anything.

    Example: bias=1, threshold=0.5; float32 [-3, 0.25, 3] -> [-2, 0, 2]
    """
    if x.dtype.kind == "f":
        addend = x.dtype.type(bias)
        above, below = x > x.dtype.type(threshold), x < -x.dtype.type(threshold)
    else:
        addend = wrapped(int(bias), x.dtype)
        wide = x.astype(np.float64)  # exact for integers of up to 32 bits
        above, below = wide > threshold, wide < -threshold
    nearer: Array = np.where(above, x - addend, np.where(below, x + addend, x.dtype.type(0)))
    return nearer
