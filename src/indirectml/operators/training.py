"""Training: gradients of other operators, batch statistics, and Adam.

Unless an operator says otherwise, formulas are FLOAT32, every operation rounded, and sums are those
of FLOAT64 by rule S16.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from indirectml.arithmetic import functions, windows
from indirectml.arithmetic.basics import Array, spread
from indirectml.arithmetic.normalization import neighbour_sums
from indirectml.arithmetic.reductions import mean as mean_of
from indirectml.arithmetic.sums import moments, sum16
from indirectml.core.errors import DescriptorError, DirectMLError
from indirectml.descriptors.checks import check_each, check_value_data_type
from indirectml.descriptors.definitions import operator
from indirectml.graphs.outputs import (
    AdamOptimizerOutputs,
    BatchNormalizationGradOutputs,
    BatchNormalizationTrainingOutputs,
)
from indirectml.operators.movement import window_count
from indirectml.operators.pooling import pooled_sizes, window_of

Shape = tuple[int, ...]
Integers = Sequence[int]


@operator("ACTIVATION_RELU_GRAD", "activation_relu_grad")
def relu_gradient(x: Array, gradient: Array) -> Array:
    """OutputGradient = InputGradient where Input is above 0, 0 elsewhere.

    The zero is +0; a NaN of the input is not above 0.

    The page errs: its history names feature level 3_1 and has no table for it; the last table holds
    on.

    Example: float32 [-1, 2], [5, 6] -> [0, 6]
    """
    return np.where(x > 0, gradient, gradient.dtype.type(0))


@operator("ELEMENT_WISE_CLIP_GRAD", "clip_grad")
def clip_gradient(x: Array, gradient: Array, *, min: float, max: float) -> Array:
    """OutputGradient = InputGradient where Min < Input < Max, 0 elsewhere.

    A NaN of the input is neither at a limit nor beyond it, and passes. The comparisons are exact.

    Example: min=0, max=2; float32 [0, 1, 2], [5, 6, 7] -> [0, 6, 0]
    """
    if x.dtype.kind == "f":
        is_beyond = (x <= min) | (x >= max)
    else:
        is_beyond = _is_at_most(x, min) | _is_at_least(x, max)
    return np.where(is_beyond, gradient.dtype.type(0), gradient)


def _is_at_most(x: Array, limit: float) -> Array:
    """Return which integers are at most a number, exactly."""
    numbers = np.iinfo(x.dtype)
    if not limit >= numbers.min:  # NaN too
        return x < x.dtype.type(numbers.min)
    return x <= x.dtype.type(numbers.max if limit >= numbers.max else math.floor(limit))


def _is_at_least(x: Array, limit: float) -> Array:
    """Return which integers are at least a number, exactly."""
    numbers = np.iinfo(x.dtype)
    if not limit <= numbers.max:  # NaN too
        return x > x.dtype.type(numbers.max)
    return x >= x.dtype.type(numbers.min if limit <= numbers.min else math.ceil(limit))


def _typed(desc: Any) -> None:
    check_value_data_type(
        desc.min_max_data_type, desc.input_tensor, field="min_max_data_type", of="input"
    )


@operator("ELEMENT_WISE_CLIP_GRAD1", check=_typed)
def clip_gradient_of_scalars(x: Array, gradient: Array, *, min: Any, max: Any) -> Array:
    """OutputGradient = InputGradient where Min < Input < Max, 0 elsewhere.

    As ELEMENT_WISE_CLIP_GRAD, with limits of the tensors' data type.

    Example: min_max_data_type=np.int8, min=0, max=2; int8 [0, 1, 2], [5, 6, 7] -> [0, 6, 0]
    """
    return np.where((x <= min) | (x >= max), gradient.dtype.type(0), gradient)


def _window_names(desc: Any) -> tuple[str, ...]:
    names = ("strides", "window_size", "start_padding", "end_padding", "dilations")
    return tuple(name for name in names if hasattr(desc, name))


def _pooled_gradients(desc: Any) -> Iterator[DirectMLError]:
    output, names = desc.output_gradient_tensor, _window_names(desc)
    check_each(desc, names, len(output.sizes) - 2, "spatial dimension")
    for name in ("strides", "window_size", "dilations"):
        for axis, value in enumerate(getattr(desc, name, ())):
            if value < 1:
                raise DescriptorError("needs at least 1", given=f"{value}", field=f"{name}[{axis}]")
    fields = {name: getattr(desc, name) for name in names}
    expected = list(pooled_sizes(output.sizes_tuple, **fields))
    if desc.input_gradient_tensor.sizes != expected:
        yield DescriptorError(
            f"needs {expected}: the sizes of what the forward operator writes",
            given=f"{desc.input_gradient_tensor.sizes}",
            field="input_gradient_tensor.sizes",
        )


_PADDING: dict[str, Any] = {"start_padding": (), "end_padding": ()}


@operator("AVERAGE_POOLING_GRAD", "average_pooling_grad", check=_pooled_gradients,
          sizes_given="output_gradient_sizes", defaults=_PADDING | {"include_padding": False},
          renamed={"window_size": "window_sizes"})  # fmt: skip
def average_pooling_gradient(
    gradient: Array, *, strides: Integers, window_size: Integers, start_padding: Integers,
    end_padding: Integers, include_padding: bool, output_sizes: Shape,
) -> Array:  # fmt: skip
    """OutputGradient = what comes back from AVERAGE_POOLING to each element.

    Each gradient over the divisor of its window, in FLOAT64; what comes to an element is summed by
    rule S16, numbered by the element's position in each window, and rounded once.

    Example: strides=[1, 1], window_size=[1, 2], start_padding=[0, 0], end_padding=[0, 0],
        include_padding=False; float32 [[[[2, 4]]]] -> [[[[1, 3, 2]]]]
    """
    window = window_of(strides, window_size, start_padding, end_padding, None)
    return windows.average_pool_gradient(
        gradient, window, output_sizes, include_padding=include_padding
    )


@operator("MAX_POOLING_GRAD", "max_pooling_grad", check=_pooled_gradients,
          defaults=_PADDING | {"dilations": ()},
          renamed={"window_size": "window_sizes"})  # fmt: skip
def max_pooling_gradient(
    x: Array, gradient: Array, *, strides: Integers, window_size: Integers,
    start_padding: Integers, end_padding: Integers, dilations: Integers,
) -> Array:  # fmt: skip
    """OutputGradient = what comes back from MAX_POOLING2 to each element.

    Each gradient goes to the largest element of its window, the first of equals; what comes to an
    element is summed as in AVERAGE_POOLING_GRAD.

    Example: strides=[1, 1], window_size=[1, 2], start_padding=[0, 0], end_padding=[0, 0],
        dilations=[1, 1]; float32 [[[[1, 3, 2]]]], [[[[5, 6]]]] -> [[[[0, 11, 0]]]]
    """
    window = window_of(strides, window_size, start_padding, end_padding, dilations)
    return windows.max_pool_gradient(x, gradient, window)


def _sliced_gradients(desc: Any) -> Iterator[DirectMLError]:
    names = ("input_window_offsets", "input_window_sizes", "input_window_strides")
    check_each(desc, names, len(desc.output_gradient_tensor.sizes))
    for axis, length in enumerate(desc.output_gradient_tensor.sizes):
        offset, size = desc.input_window_offsets[axis], desc.input_window_sizes[axis]
        stride = desc.input_window_strides[axis]
        if size < 1 or offset + size > length:
            yield DescriptorError(
                f"needs a window of at least 1 element inside the output's {length}",
                given=f"{size} at offset {offset}",
                field=f"input_window_sizes[{axis}]",
            )
        elif stride == 0:
            yield DescriptorError(
                "needs a stride other than 0", given="0", field=f"input_window_strides[{axis}]"
            )
        elif desc.input_gradient_tensor.sizes[axis] > window_count(size, stride):
            yield DescriptorError(
                f"needs at most the {window_count(size, stride)} elements of the window",
                given=f"{desc.input_gradient_tensor.sizes[axis]}",
                field=f"input_gradient_tensor.sizes[{axis}]",
            )


@operator("SLICE_GRAD", "slice_grad", check=_sliced_gradients, keeps_bits=True,
          sizes_given="output_gradient_sizes")  # fmt: skip
def slice_gradient(
    gradient: Array, *, output_sizes: Shape, input_window_offsets: Integers,
    input_window_sizes: Integers, input_window_strides: Integers,
) -> Array:  # fmt: skip
    """OutputGradient = InputGradient where SLICE1 takes its elements from, 0 elsewhere.

    Every bit is kept.

    Example: input_window_offsets=[1], input_window_sizes=[3], input_window_strides=[-2];
        float32 [5, 6] -> [0, 6, 0, 5]
    """
    firsts = [
        offset + (size - 1 if stride < 0 else 0)
        for offset, size, stride in zip(
            input_window_offsets, input_window_sizes, input_window_strides, strict=True
        )
    ]
    return spread(gradient, output_sizes, firsts, input_window_strides)


@operator("LOCAL_RESPONSE_NORMALIZATION_GRAD", "local_response_normalization_grad")
def local_response_gradient(
    x: Array, gradient: Array, *, cross_channel: bool, local_size: int, alpha: float, beta: float,
    bias: float,
) -> Array:  # fmt: skip
    """OutputGradient = the gradient of LOCAL_RESPONSE_NORMALIZATION by its input.

    With b = Bias + (Alpha / LocalSize) * the sum of the neighbours' squares, as forwards:
    G * b^-Beta - ((2 * (Alpha / LocalSize)) * Beta) * X * the sum of G * X * b^(-Beta - 1) over the
    elements whose neighbour X is.

    Example: cross_channel=True, local_size=1, alpha=0, beta=1, bias=2;
        float32 [[[[1, 3]]]], [[[[4, 6]]]] -> [[[[2, 3]]]]
    """
    axes = (1,) if cross_channel else (2, 3)
    single = np.float32
    share = single(alpha) / single(local_size)
    wide = x.astype(np.float64)
    squares = neighbour_sums(wide * wide, axes, local_size).astype(single)
    base = single(bias) + share * squares
    direct = gradient * functions.pow(base, single(-beta))
    terms = (gradient * x) * functions.pow(base, single(-beta) - single(1))
    # The neighbours' neighbours: the window the other way round.
    turned = neighbour_sums(np.flip(terms, axes), axes, local_size).astype(single)
    return direct - (((single(2) * share) * single(beta)) * x) * np.flip(turned, axes)


def _reduced_axes(x: Array, like: Array) -> tuple[int, ...]:
    """Return the axes along which statistics of these sizes are taken."""
    return tuple(k for k, size in enumerate(like.shape) if size == 1)


def _statistics_fit(desc: Any) -> Iterator[DirectMLError]:
    pairs = zip(desc.scale_tensor.sizes, desc.input_tensor.sizes, strict=True)
    if any(own not in (1, size) for own, size in pairs):
        yield DescriptorError(
            f"needs sizes that repeat to the input's {desc.input_tensor.sizes}: 1 or the same",
            given=f"{desc.scale_tensor.sizes}",
            field="scale_tensor.sizes",
        )


def _like_input_and_scale(
    input_sizes: Shape, _: Shape, scale_sizes: Shape, *__: Shape
) -> tuple[Shape, Shape, Shape]:
    """The input's sizes, and twice those of the statistics."""
    return input_sizes, scale_sizes, scale_sizes


@operator(
    "BATCH_NORMALIZATION_GRAD",
    "batch_normalization_grad",
    sizes=_like_input_and_scale,
    check=_statistics_fit,
    outputs=BatchNormalizationGradOutputs,
    defaults={"epsilon": 1e-5},
)
def batch_normalization_gradient(
    x: Array, gradient: Array, mean: Array, variance: Array, scale: Array, *, epsilon: float
) -> tuple[Array, Array, Array]:
    """Outputs = the gradients of BATCH_NORMALIZATION by input, scale and bias.

    Mean and variance are constants. With d = sqrt(Variance + Epsilon): G * (Scale / d); the sum of
    G * ((X - Mean) / d), and the sum of G, along the dimensions where Scale has size 1.

    Example: epsilon=0; float32 [1, 3], [2, 4], [1], [4], [6] -> [6, 12], [4], [6]
    """
    deviation = np.sqrt(variance + variance.dtype.type(epsilon))
    axes = _reduced_axes(x, scale)
    normal = (x - mean) / deviation
    return (
        gradient * (scale / deviation),
        sum16(gradient * normal, axes),
        sum16(gradient, axes),
    )


@operator(
    "BATCH_NORMALIZATION_TRAINING_GRAD",
    "batch_normalization_training_grad",
    sizes=_like_input_and_scale,
    check=_statistics_fit,
    outputs=BatchNormalizationGradOutputs,
    defaults={"epsilon": 1e-5},
)
def batch_normalization_training_gradient(
    x: Array, gradient: Array, mean: Array, variance: Array, scale: Array, *, epsilon: float
) -> tuple[Array, Array, Array]:
    """Outputs = the gradients of BATCH_NORMALIZATION_TRAINING by input, scale and bias.

    Mean and variance depend on the input. With d = sqrt(Variance + Epsilon), n = (X - Mean) / d,
    and A() the average along the dimensions where Scale has size 1, rounded to FLOAT32: (Scale / d)
    * ((G - A(G)) - n * A(G * n)); the sums of G * n and of G as in BATCH_NORMALIZATION_GRAD.

    The page errs: its formula for the first output takes the input's own mean, and subtracts it
    from what is centered already; that for the second one takes MeanTensor, which decides, so that
    both are of one function. From BATCH_NORMALIZATION_TRAINING they are the same.

    Example: epsilon=0; float32 [1, 3], [2, 4], [2], [1], [1] -> [0, 0], [2], [6]
    """
    single = np.float32
    deviation = np.sqrt(variance + variance.dtype.type(epsilon))
    axes = _reduced_axes(x, scale)
    normal = (x - mean) / deviation
    terms = gradient * normal
    averages = mean_of(gradient, axes).astype(single), mean_of(terms, axes).astype(single)
    back = (scale / deviation) * ((gradient - averages[0]) - normal * averages[1])
    return back, sum16(terms, axes), sum16(gradient, axes)


def _trained_sizes(
    input_sizes: Shape, scale_sizes: Shape, *_: Shape | None
) -> tuple[Shape, Shape, Shape]:
    """The input's sizes, and twice those of the scale."""
    return input_sizes, scale_sizes, scale_sizes


@operator(
    "BATCH_NORMALIZATION_TRAINING",
    "batch_normalization_training",
    sizes=_trained_sizes,
    check=_statistics_fit,
    outputs=BatchNormalizationTrainingOutputs,
    defaults={"epsilon": 1e-5},
)
def batch_normalization_training(
    x: Array, scale: Array, bias: Array, added: Array | None, *, epsilon: float
) -> tuple[Array, Array, Array]:
    """Outputs = the input normalized by its own moments, its mean, and its variance.

    Activation(((Scale * ((X - Mean) / sqrt(Variance + Epsilon))) + Bias) + FusedAdd), in FLOAT32.
    Mean and variance are those of the input along the dimensions where Scale has size 1, by rule
    S16 in FLOAT64, the variance divided by the count. They are rounded to FLOAT32 for the formula,
    and once to the output's data type.

    Example: epsilon=0; float32 [1, 3], [2], [1], None -> [-1, 3], [2], [1]
    """
    mean, variance = moments(x, _reduced_axes(x, scale))
    single = np.float32
    deviation = np.sqrt(variance.astype(single) + single(epsilon))
    result = scale * ((x - mean.astype(single)) / deviation) + bias
    return result if added is None else result + added, mean, variance


def _one_step(desc: Any) -> Iterator[DirectMLError]:
    if desc.training_step_tensor.element_count != 1:
        yield DescriptorError(
            "needs one element",
            given=f"{desc.training_step_tensor.sizes}",
            field="training_step_tensor.sizes",
        )


@operator("ADAM_OPTIMIZER", "adam_optimizer", check=_one_step, outputs=AdamOptimizerOutputs)
def adam(
    x: Array, first: Array, second: Array, gradient: Array, step: Array, *,
    learning_rate: float, beta1: float, beta2: float, epsilon: float,
) -> tuple[Array, Array, Array]:  # fmt: skip
    """Outputs = the parameters after a step of Adam, and its moments.

    M' = Beta1 * M + (1 - Beta1) * G; V' = Beta2 * V + ((1 - Beta2) * G) * G; a = sqrt(1 - Beta2^T)
    / (1 - Beta1^T); X' = X - ((LearningRate * a) * M') / (sqrt(V') + Epsilon). FLOAT32, every
    operation rounded, powers and roots correctly.

    The page errs: it says that the step is UINT32, and its table FLOAT32 or FLOAT16; the table
    decides. Its history names feature level 4_0 and has no table for it.

    Example: learning_rate=1, beta1=0.5, beta2=0, epsilon=0;
        float32 [[[[5]]]], [[[[0]]]], [[[[0]]]], [[[[2]]]], [[[[1]]]]
        -> [[[[4]]]], [[[[1]]]], [[[[4]]]]
    """
    single = np.float32
    one, b1, b2 = single(1), single(beta1), single(beta2)
    m = b1 * first + (one - b1) * gradient
    v = b2 * second + ((one - b2) * gradient) * gradient
    t = step.reshape(-1)
    correction = np.sqrt(one - functions.pow(np.full_like(t, b2), t)) / (
        one - functions.pow(np.full_like(t, b1), t)
    )
    change = ((single(learning_rate) * correction) * m) / (np.sqrt(v) + single(epsilon))
    return x - change, m, v
