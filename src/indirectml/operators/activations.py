"""Activations: element-wise functions, by themselves or fused into another operator."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from indirectml.arithmetic import functions
from indirectml.arithmetic import softmax as words
from indirectml.arithmetic.basics import Array, wrapped
from indirectml.core.errors import DescriptorError, DirectMLError
from indirectml.descriptors.checks import caught, check_axis
from indirectml.descriptors.definitions import operator

DType = np.dtype[Any]


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

    Exact. Both zeros give +0; a NaN stays.

    Example: float32 [-1, 2] -> [0, 2]
    """
    return np.where(x <= 0, x.dtype.type(0), x)


@operator("ACTIVATION_LEAKY_RELU", "activation_leaky_relu", defaults={"alpha": 0.01})
def leaky_relu(x: Array, *, alpha: float) -> Array:
    """Output = Input, or Alpha * Input below zero.

    Rounded after the multiplication. Both zeros stay; a NaN stays.

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

    The page errs: its history names feature level 2_1 and has no table for it; the last table holds
    on.

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


@operator("ACTIVATION_SIGMOID", "activation_sigmoid")
def sigmoid(x: Array, *, dtype: DType) -> Array:
    """Output = 1 / (1 + exp(-Input)).

    Correctly rounded.

    Example: float32 [0, inf] -> [0.5, 1]
    """
    return functions.sigmoid(x, dtype)


@operator("ACTIVATION_TANH", "activation_tanh")
def tanh(x: Array, *, dtype: DType) -> Array:
    """Output = tanh(Input).

    Correctly rounded.

    Example: float32 [0, inf] -> [0, 1]
    """
    return functions.tanh(x, dtype)


@operator("ACTIVATION_SCALED_TANH", "activation_scaled_tanh", defaults={"alpha": 1, "beta": 0.5})
def scaled_tanh(x: Array, *, alpha: float, beta: float) -> Array:
    """Output = Alpha * tanh(Beta * Input).

    Rounded after each multiplication and after the function.

    Example: alpha=2, beta=1; float32 [0, inf] -> [0, 2]
    """
    return functions.tanh(x * x.dtype.type(beta)) * x.dtype.type(alpha)


@operator("ACTIVATION_SOFTPLUS", "activation_softplus", defaults={"steepness": 1})
def softplus(x: Array, *, steepness: float, dtype: DType) -> Array:
    """Output = log(1 + exp(Steepness * Input)) / Steepness.

    Softplus of Steepness * Input is correctly rounded, so that nothing overflows; with a steepness
    other than 1 the product is rounded before it, and the quotient after it.

    Example: steepness=1; float32 [-inf, inf] -> [0, inf]
    """
    if steepness == 1:
        return functions.softplus(x, dtype)
    factor = x.dtype.type(steepness)
    return functions.softplus(x * factor) / factor


@operator("ACTIVATION_PARAMETRIC_SOFTPLUS", "activation_parametric_softplus")
def parametric_softplus(x: Array, *, alpha: float, beta: float) -> Array:
    """Output = Alpha * log(1 + exp(Beta * Input)).

    Rounded after each multiplication; softplus of Beta * Input is correctly rounded, so that
    nothing overflows.

    Example: alpha=2, beta=1; float32 [-inf, 100] -> [0, 200]
    """
    return functions.softplus(x * x.dtype.type(beta)) * x.dtype.type(alpha)


@operator("ACTIVATION_ELU", "activation_elu", defaults={"alpha": 1})
def elu(x: Array, *, alpha: float) -> Array:
    """Output = Input, or Alpha * (exp(Input) - 1) below zero.

    exp(Input) - 1 is one function, correctly rounded; the product is rounded after it. Both zeros
    stay; a NaN stays.

    Our choice: that nothing is lost near 0, where exp(Input), rounded by itself, is 1.

    Example: alpha=2; float32 [-inf, -1e-8, 3] -> [-2, -2e-8, 3]
    """
    return np.where(x < 0, functions.expm1(x) * x.dtype.type(alpha), x)


@operator("ACTIVATION_CELU", "activation_celu", defaults={"alpha": 1})
def celu(x: Array, *, alpha: float) -> Array:
    """Output = max(0, Input) + min(0, Alpha * (exp(Input / Alpha) - 1)).

    Rounded after each operation; exp(Input / Alpha) - 1 is one function, correctly rounded. Zero is
    +0; a NaN stays.

    Our choice: as for ACTIVATION_ELU, nothing is lost near 0.

    Example: alpha=2; float32 [-inf, -1e-8, 3] -> [-2, -1e-8, 3]
    """
    factor, zero = x.dtype.type(alpha), x.dtype.type(0)
    below = functions.expm1(x / factor) * factor
    result = np.where(x > 0, x, zero) + np.where(below < 0, below, zero)
    return np.where(np.isnan(x), x, result)


@operator(
    "ACTIVATION_SCALED_ELU",
    "activation_scaled_elu",
    defaults={"alpha": 1.6732631921768188, "gamma": 1.0507010221481323},
)
def scaled_elu(x: Array, *, alpha: float, gamma: float) -> Array:
    """Output = Gamma * Input above zero, Gamma * (Alpha * exp(Input) - Alpha) elsewhere.

    Alpha * (exp(Input) - 1), of which exp(Input) - 1 is one function, correctly rounded; rounded
    after each multiplication. A NaN stays.

    Our choice: as for ACTIVATION_ELU, nothing is lost near 0.

    Example: alpha=2, gamma=0.5; float32 [-inf, -1e-8, 3] -> [-1, -1e-8, 1.5]
    """
    below = functions.expm1(x) * x.dtype.type(alpha)
    return np.where(x > 0, x, below) * x.dtype.type(gamma)


@operator("ACTIVATION_PARAMETERIZED_RELU", "activation_parameterized_relu")
def parameterized_relu(x: Array, slope: Array) -> Array:
    """Output = Input, or Slope * Input below zero.

    Rounded after the multiplication; integers wrap. Both zeros stay; a NaN of the input stays.

    Example: float32 [-1, 2], [0.5, 0.5] -> [-0.5, 2]
    """
    return np.where(x < 0, x * slope, x)


@operator("ACTIVATION_GELU", "activation_gelu")
def gelu(x: Array, *, dtype: DType) -> Array:
    """Output = 0.5 * Input * (1 + erf(Input / sqrt(2))).

    One function, correctly rounded.

    Our choice: -infinity gives -0, which the results before it come near to; step by step it would
    be infinity times 0.

    Example: float32 [-inf, 0, 100] -> [-0.0, 0, 100]
    """
    return functions.gelu(x, dtype)


@operator("ACTIVATION_SWISH", "activation_swish", defaults={"sigmoid_input_scale": 1})
def swish(x: Array, *, sigmoid_input_scale: float) -> Array:
    """Output = Input * sigmoid(SigmoidInputScale * Input).

    Rounded after each operation.

    The page errs: it lets the output lie on the input, and DirectML's own schema does not, which
    decides.

    Example: sigmoid_input_scale=1; float32 [0, 100] -> [0, 100]
    """
    return x * functions.sigmoid(x * x.dtype.type(sigmoid_input_scale))


@operator(
    "ACTIVATION_HARD_SWISH",
    "activation_hard_swish",
    defaults={"alpha": 0.1666666716337204, "beta": 0.5},
)
def hard_swish(x: Array, *, alpha: float, beta: float) -> Array:
    """Output = Input * max(0, min(1, Alpha * Input + Beta)).

    Rounded after each operation.

    The page errs: it lets the output lie on the input, and DirectML's own schema does not, which
    decides.

    Example: alpha=0.5, beta=0.5; float32 [-2, 0, 3] -> [-0.0, 0, 3]
    """
    return x * hard_sigmoid(x, alpha=alpha, beta=beta)


def _axes(desc: Any) -> Iterator[DirectMLError]:
    for number, axis in enumerate(desc.axes):
        yield from caught(check_axis, axis, desc.input_tensor, f"axes[{number}]")
    if len(set(desc.axes)) != len(desc.axes) or not desc.axes:
        yield DescriptorError(
            "needs at least one axis, each once", given=f"{list(desc.axes)}", field="axes"
        )


def _flat(desc: Any) -> Iterator[DirectMLError]:
    """Yield that there are more than two dimensions, but for leading ones of size 1."""
    sizes = desc.input_tensor.sizes
    if any(size != 1 for size in sizes[:-2]):
        yield DescriptorError(
            "needs at most two dimensions behind leading ones of size 1",
            given=f"{sizes}",
            hint="the newer version of the operator takes axes",
            field="input_tensor.sizes",
        )


@operator("ACTIVATION_SOFTMAX1", check=_axes)
def softmax(x: Array, *, axes: Sequence[int]) -> Array:
    """Output = exp(t) / sum(exp(t)), with t = Input - max(Input), along the axes.

    t and exp(t) are FLOAT32; the sum is one of FLOAT64 by rule S16; exp(t) * (1 / sum) is computed
    in FLOAT64 and rounded once.

    Example: axes=[0]; float32 [0, 0] -> [0.5, 0.5]
    """
    return words.softmax(x, tuple(axes))


@operator("ACTIVATION_SOFTMAX", check=_flat)
def softmax_of_rows(x: Array) -> Array:
    """Output = as ACTIVATION_SOFTMAX1, along the last axis.

    The input has at most two dimensions behind leading ones of size 1.

    Example: float32 [0, 0] -> [0.5, 0.5]
    """
    return words.softmax(x, (x.ndim - 1,))


@operator("ACTIVATION_LOG_SOFTMAX1", check=_axes)
def log_softmax(x: Array, *, axes: Sequence[int]) -> Array:
    """Output = t - log(sum(exp(t))), with t = Input - max(Input), along the axes.

    t and exp(t) are FLOAT32; the sum is one of FLOAT64 by rule S16, rounded to FLOAT32 for its
    logarithm, which is correctly rounded; so is the difference.

    Example: axes=[0]; float32 [0, -inf] -> [0, -inf]
    """
    return words.log_softmax(x, tuple(axes))


@operator("ACTIVATION_LOG_SOFTMAX", check=_flat)
def log_softmax_of_rows(x: Array) -> Array:
    """Output = as ACTIVATION_LOG_SOFTMAX1, along the last axis.

    The input has at most two dimensions behind leading ones of size 1.

    Example: float32 [0, -inf] -> [0, -inf]
    """
    return words.log_softmax(x, (x.ndim - 1,))


@operator("ACTIVATION_HARDMAX1", check=_axes)
def hardmax(x: Array, *, axes: Sequence[int]) -> Array:
    """Output = 1 at the first of the largest elements along the axes, 0 elsewhere.

    A NaN is the largest, and +0 is larger than -0.

    Example: axes=[0]; float32 [1, 3, 3] -> [0, 1, 0]
    """
    return words.hardmax(x, tuple(axes))


@operator("ACTIVATION_HARDMAX", check=_flat)
def hardmax_of_rows(x: Array) -> Array:
    """Output = as ACTIVATION_HARDMAX1, along the last axis.

    The input has at most two dimensions behind leading ones of size 1.

    Example: float32 [1, 3, 3] -> [0, 1, 0]
    """
    return words.hardmax(x, (x.ndim - 1,))
