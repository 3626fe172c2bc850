"""Normalization: by given or own moments, by norms, by neighbours."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from indirectml.arithmetic import normalization as words
from indirectml.arithmetic.basics import Array
from indirectml.core.errors import DescriptorError, DirectMLError
from indirectml.descriptors.checks import caught, check_axis
from indirectml.descriptors.definitions import operator


def _repeatable(desc: Any, names: Sequence[str]) -> Iterator[DirectMLError]:
    """Yield tensors that cannot be repeated to the sizes of the input."""
    sizes = desc.input_tensor.sizes
    for name in names:
        tensor = getattr(desc, name)
        if tensor is None:
            continue
        if any(own not in (1, size) for own, size in zip(tensor.sizes, sizes, strict=True)):
            yield DescriptorError(
                f"needs sizes that repeat to the input's {sizes}: 1 or the same",
                given=f"{tensor.sizes}",
                field=f"{name}.sizes",
            )


def _statistics(desc: Any) -> Iterator[DirectMLError]:
    yield from _repeatable(desc, ("mean_tensor", "variance_tensor", "scale_tensor", "bias_tensor"))


@operator(
    "BATCH_NORMALIZATION",
    "batch_normalization",
    check=_statistics,
    defaults={"spatial": True, "epsilon": 1e-5},
)
def batch_normalized(
    x: Array, mean: Array, variance: Array, scale: Array, bias: Array, *, epsilon: float
) -> Array:
    """Output = Activation(Scale * ((Input - Mean) / sqrt(Variance + Epsilon)) + Bias).

    A formula in FLOAT32: every operation is rounded, and nothing is folded. Mean, Variance, Scale
    and Bias repeat along dimensions of size 1. Spatial changes nothing: it says what their sizes
    say already (from feature level 4_0 on DirectML ignores it too).

    Example: spatial=True, epsilon=0;
        float32 [[3, 5]], [[1, 1]], [[4, 4]], [[2, 2]], [[0, 1]] -> [[2, 5]]
    """
    deviation = np.sqrt(variance + variance.dtype.type(epsilon))
    return scale * ((x - mean) / deviation) + bias


def _moments_of(desc: Any) -> Iterator[DirectMLError]:
    for number, axis in enumerate(desc.axes):
        yield from caught(check_axis, axis, desc.input_tensor, f"axes[{number}]")
    if len(set(desc.axes)) != len(desc.axes):
        yield DescriptorError("needs each axis once", given=f"{list(desc.axes)}", field="axes")
    yield from _scale_and_bias(desc)


def _scale_and_bias(desc: Any) -> Iterator[DirectMLError]:
    yield from _repeatable(desc, ("scale_tensor", "bias_tensor"))
    if desc.output_tensor.sizes != desc.input_tensor.sizes:
        yield DescriptorError(
            f"needs the input's sizes, {desc.input_tensor.sizes}",
            given=f"{desc.output_tensor.sizes}",
            field="output_tensor.sizes",
        )


@operator("MEAN_VARIANCE_NORMALIZATION2", check=_moments_of)
def normalized_by_chosen_moments(
    x: Array,
    scale: Array | None,
    bias: Array | None,
    *,
    axes: Sequence[int],
    use_mean: bool,
    use_variance: bool,
    epsilon: float,
) -> Array:
    """Output = Activation(((Input - Mean) / sqrt(Variance + Epsilon)) * Scale + Bias).

    Mean and variance are those of the input along the axes, by rule S16 in FLOAT64: deviations are
    squared by multiplication, and the variance is divided by the count. (x - mean) * (1 /
    sqrt(...)), * scale, + bias are computed in FLOAT64, and rounded once; before a fused activation
    to FLOAT32. Without UseMean the mean is 0, in the variance too; without UseVariance nothing is
    divided.

    The page is silent: UseMean and UseVariance ("TBD"); ONNX's RMS normalization, for which ONNX
    Runtime uses the operator, decides.

    Example: axes=[0], use_mean=True, use_variance=True, epsilon=0;
        float32 [1, 3], None, None -> [-1, 1]
    """
    return words.normalize_by_moments(
        x,
        tuple(axes),
        epsilon,
        scale,
        bias,
        use_mean=use_mean,
        use_variance=use_variance,
    )


@operator("MEAN_VARIANCE_NORMALIZATION1", check=_moments_of)
def normalized_by_moments(
    x: Array,
    scale: Array | None,
    bias: Array | None,
    *,
    axes: Sequence[int],
    normalize_variance: bool,
    epsilon: float,
) -> Array:
    """Output = Activation(((Input - Mean) / sqrt(Variance + Epsilon)) * Scale + Bias).

    As MEAN_VARIANCE_NORMALIZATION2 with UseMean; without NormalizeVariance nothing is divided.

    Example: axes=[0], normalize_variance=True, epsilon=0; float32 [1, 3], None, None -> [-1, 1]
    """
    return words.normalize_by_moments(
        x, tuple(axes), epsilon, scale, bias, use_variance=normalize_variance
    )


@operator("MEAN_VARIANCE_NORMALIZATION", check=_scale_and_bias)
def normalized_by_moments_of_images(
    x: Array,
    scale: Array | None,
    bias: Array | None,
    *,
    cross_channel: bool,
    normalize_variance: bool,
    epsilon: float,
) -> Array:
    """Output = Activation(((Input - Mean) / sqrt(Variance + Epsilon)) * Scale + Bias).

    As MEAN_VARIANCE_NORMALIZATION1, along the spatial dimensions, and with CrossChannel along
    channels too.

    Example: cross_channel=False, normalize_variance=True, epsilon=0;
        float32 [[[[1, 3]]]], None, None -> [[[[-1, 1]]]]
    """
    axes = tuple(range(1 if cross_channel else 2, x.ndim))
    return words.normalize_by_moments(
        x, axes, epsilon, scale, bias, use_variance=normalize_variance
    )


def _neighbours(desc: Any) -> Iterator[DirectMLError]:
    if desc.local_size < 1:
        yield DescriptorError("needs at least 1", given=f"{desc.local_size}", field="local_size")


@operator("LOCAL_RESPONSE_NORMALIZATION", "local_response_normalization", check=_neighbours)
def normalized_by_neighbours(
    x: Array, *, cross_channel: bool, local_size: int, alpha: float, beta: float, bias: float
) -> Array:
    """Output = Input / (Bias + (Alpha / LocalSize) * the sum of the neighbours' squares) ^ Beta.

    The neighbours are LocalSize positions along the channels with CrossChannel, else along height
    and width, (LocalSize - 1) // 2 of them before the element. Squares are exact, their sum is one
    of FLOAT64 by rule S16, rounded to FLOAT32; every further operation is rounded to FLOAT32, and
    the power is correctly rounded.

    Example: cross_channel=True, local_size=1, alpha=1, beta=1, bias=1;
        float32 [[[[1, 3]]]] -> [[[[0.5, 0.3]]]]
    """
    axes = (1,) if cross_channel else (2, 3)
    return words.local_response(x, axes, local_size, alpha, beta, bias)


def _norm(desc: Any) -> Iterator[DirectMLError]:
    yield from caught(check_axis, desc.axis, desc.input_tensor)
    if desc.p not in (1, 2):
        yield DescriptorError("needs 1 or 2", given=f"{desc.p}", field="p")


@operator("LP_NORMALIZATION", "lp_normalization", check=_norm,
          defaults={"epsilon": 1e-5, "p": 2})  # fmt: skip
def normalized_by_norm(x: Array, *, axis: int, epsilon: float, p: int) -> Array:
    """Output = Input / max(the norm along the axis, Epsilon).

    The norm is the sum of magnitudes (P = 1), or the root of the sum of squares (P = 2), by rule
    S16; it is computed and divided by in FLOAT64, and the result is rounded once.

    Example: axis=0, epsilon=0, p=1; float32 [1, -3] -> [0.25, -0.75]
    """
    return words.normalize_by_norm(x, (axis,), p, epsilon)


def _channels(desc: Any) -> Iterator[DirectMLError]:
    count = desc.input_tensor.sizes[1]
    if len(desc.bias) != count:
        yield DescriptorError(
            f"needs one per channel ({count})", given=f"{len(desc.bias)}", field="bias"
        )


@operator("VALUE_SCALE_2D", "value_scale_2d", check=_channels)
def scaled_pixels(x: Array, *, scale: float, bias: Sequence[float]) -> Array:
    """Output = Input * Scale + Bias[channel].

    Rounded after the multiplication and after the addition.

    Example: scale=2, bias=[1]; float32 [[[[1, 3]]]] -> [[[[3, 7]]]]
    """
    single = x.dtype.type
    return x * single(scale) + np.array(bias, single).reshape(1, -1, 1, 1)
