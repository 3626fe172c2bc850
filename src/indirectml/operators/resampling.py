"""Resampling: tensors stretched or shrunk along their dimensions."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Literal

import numpy as np

from indirectml.arithmetic import resampling as words
from indirectml.arithmetic.basics import Array, truncated_to
from indirectml.catalogue.enumerations import AxisDirection, InterpolationMode
from indirectml.core.errors import DescriptorError, DirectMLError
from indirectml.descriptors.checks import check_each
from indirectml.descriptors.definitions import operator
from indirectml.descriptors.fields import Size2D

Shape = tuple[int, ...]
Floats = Sequence[float]
Rounding = Literal["down", "up", "half down", "half up"]

INPUT_OFFSET, OUTPUT_OFFSET = 0.5, -0.5


def _check(desc: Any, names: Sequence[str], tensor: str) -> Iterator[DirectMLError]:
    check_each(desc, names, len(getattr(desc, tensor).sizes))
    for axis, scale in enumerate(desc.scales):
        if not scale > 0:
            yield DescriptorError("needs scales above 0", given=f"{scale}", field=f"scales[{axis}]")


def _scales(desc: Any) -> Iterator[DirectMLError]:
    yield from _check(desc, ("scales",), "input_tensor")


def _scales_and_offsets(desc: Any) -> Iterator[DirectMLError]:
    names = ("scales", "input_pixel_offsets", "output_pixel_offsets")
    yield from _check(desc, names, "input_tensor")


def _gradient_scales(desc: Any) -> Iterator[DirectMLError]:
    names = ("scales", "input_pixel_offsets", "output_pixel_offsets")
    yield from _check(desc, names, "input_gradient_tensor")


def taps_of(
    input_sizes: Shape,
    output_sizes: Shape,
    mode: InterpolationMode,
    rounding: Rounding,
    scales: Floats,
    input_offsets: Floats,
    output_offsets: Floats,
    *,
    antialiased: bool = False,
) -> dict[int, words.Taps]:
    """Return the taps of each axis; axes that stay as they are have none."""
    found = {}
    for axis, (n, m) in enumerate(zip(input_sizes, output_sizes, strict=True)):
        place = scales[axis], input_offsets[axis], output_offsets[axis]
        at = words.coordinates(n, m, *place)
        if n == m and np.array_equal(at, np.arange(n)):
            continue
        if mode == InterpolationMode.NEAREST_NEIGHBOR:
            found[axis] = words.nearest_taps(words.nearest_indices(at, n, rounding))
        elif antialiased:
            found[axis] = words.antialiased_taps(n, m, *place)
        else:
            found[axis] = words.linear_taps(at, n)
    return found


def _resampled(x: Array, taps: dict[int, words.Taps], mode: InterpolationMode, dtype: Any) -> Array:
    if mode == InterpolationMode.NEAREST_NEIGHBOR:
        return words.take_nearest(x, {axis: t.indices[:, 0] for axis, t in taps.items()})
    if dtype.kind == "f":
        return words.resample(x, taps)
    return truncated_to(np.rint(words.resample(x, taps)), dtype)


@operator(
    "RESAMPLE3",
    older=("RESAMPLE2",),
    check=_scales_and_offsets,
    defaults={"antialiased": False},
)
def resampled(
    x: Array,
    *,
    interpolation_mode: InterpolationMode,
    rounding_direction: AxisDirection,
    scales: Floats,
    input_pixel_offsets: Floats,
    output_pixel_offsets: Floats,
    antialiased: bool = False,
    output_sizes: Shape,
    dtype: Any,
) -> Array:
    """Output[i] = Input at the coordinate (i - OutputPixelOffset) / Scale - InputPixelOffset.

    Along each dimension, in FLOAT64, clamped to the input. NEAREST_NEIGHBOR rounds the coordinate
    up with INCREASING, down with DECREASING. LINEAR weighs both neighbours, the last dimension
    first, in FLOAT64, and rounds once at the end, integers to the nearest, ties to even.
    Antialiased stretches the triangle of LINEAR by 1 / Scale along dimensions where that is more
    than 2. There the coordinate is not clamped, and what the triangle covers beyond the input are
    its first and last elements. RESAMPLE2 has no Antialiased.

    The page is silent: what antialiasing makes of elements beyond the input; ONNX's Resize with
    antialias and without exclude_outside, in whose words the page describes it, decides.

    Example: interpolation_mode=LINEAR, rounding_direction=INCREASING, scales=[2],
        input_pixel_offsets=[0.5], output_pixel_offsets=[-0.5]; float32 [0, 8] -> [0, 2, 6, 8]
    """
    rounding: Rounding = "up" if rounding_direction == AxisDirection.INCREASING else "down"
    taps = taps_of(
        x.shape,
        output_sizes,
        interpolation_mode,
        rounding,
        scales,
        input_pixel_offsets,
        output_pixel_offsets,
        antialiased=antialiased,
    )
    return _resampled(x, taps, interpolation_mode, dtype)


@operator("RESAMPLE1", check=_scales_and_offsets)
def resampled_with_offsets(
    x: Array,
    *,
    interpolation_mode: InterpolationMode,
    scales: Floats,
    input_pixel_offsets: Floats,
    output_pixel_offsets: Floats,
    output_sizes: Shape,
    dtype: Any,
) -> Array:
    """Output[i] = Input at the coordinate (i - OutputPixelOffset) / Scale - InputPixelOffset.

    As RESAMPLE2; NEAREST_NEIGHBOR takes the nearest element, of two equally near ones the one with
    the lower position: ceil(coordinate - 0.5).

    Example: interpolation_mode=NEAREST_NEIGHBOR, scales=[2], input_pixel_offsets=[0.5],
        output_pixel_offsets=[-0.5]; float32 [0, 8] -> [0, 0, 8, 8]
    """
    taps = taps_of(
        x.shape,
        output_sizes,
        interpolation_mode,
        "half down",
        scales,
        input_pixel_offsets,
        output_pixel_offsets,
    )
    return _resampled(x, taps, interpolation_mode, dtype)


@operator("RESAMPLE", check=_scales)
def resampled_by_centres(
    x: Array,
    *,
    interpolation_mode: InterpolationMode,
    scales: Floats,
    output_sizes: Shape,
    dtype: Any,
) -> Array:
    """Output[i] = Input at the coordinate (i + 0.5) / Scale - 0.5.

    As RESAMPLE1 with offsets of 0.5 and -0.5.

    Example: interpolation_mode=LINEAR, scales=[2]; float32 [0, 8] -> [0, 2, 6, 8]
    """
    taps = taps_of(
        x.shape,
        output_sizes,
        interpolation_mode,
        "half down",
        scales,
        (INPUT_OFFSET,) * x.ndim,
        (OUTPUT_OFFSET,) * x.ndim,
    )
    return _resampled(x, taps, interpolation_mode, dtype)


def _upsampled(input_sizes: Shape, *, scale_size: Size2D) -> Shape:
    """Height and width times the scale."""
    *leading, height, width = input_sizes
    scale = Size2D(*scale_size)
    return (*leading, height * scale.height, width * scale.width)


@operator("UPSAMPLE_2D", "upsample_2d", sizes=_upsampled)
def upsampled(
    x: Array, *, scale_size: Size2D, interpolation_mode: InterpolationMode, output_sizes: Shape,
    dtype: Any,
) -> Array:  # fmt: skip
    """Output[y, x] = Input at ((y + 0.5) / height scale - 0.5, (x + 0.5) / width scale - 0.5).

    As RESAMPLE along the last two dimensions.

    Example: scale_size=(2, 1), interpolation_mode=NEAREST_NEIGHBOR;
        float32 [[[[1, 2]]]] -> [[[[1, 1, 2, 2]]]]
    """
    scales = (1.0,) * (x.ndim - 2) + (float(scale_size.height), float(scale_size.width))
    return resampled_by_centres(
        x, interpolation_mode=interpolation_mode, scales=scales, output_sizes=output_sizes,
        dtype=dtype,
    )  # fmt: skip


def _gradients(gradient: Array, output_sizes: Shape, taps: dict[int, words.Taps]) -> Array:
    """Return what comes back to each element of the forward operator's input."""
    back = {axis: words.transposed(t, output_sizes[axis]) for axis, t in taps.items()}
    return words.resample(gradient, back)


@operator("RESAMPLE_GRAD1", check=_gradient_scales)
def resampled_gradient(
    gradient: Array,
    *,
    interpolation_mode: InterpolationMode,
    rounding_direction: AxisDirection,
    scales: Floats,
    input_pixel_offsets: Floats,
    output_pixel_offsets: Floats,
    output_sizes: Shape,
) -> Array:
    """OutputGradient = the gradient of RESAMPLE2 by its input.

    Each gradient goes to the elements that RESAMPLE2 reads, times their weights, in FLOAT64, added
    in the order of its output; rounded once.

    Example: interpolation_mode=LINEAR, rounding_direction=INCREASING, scales=[2],
        input_pixel_offsets=[0.5], output_pixel_offsets=[-0.5]; float32 [1, 1, 1, 1] -> [2, 2]
    """
    rounding: Rounding = "up" if rounding_direction == AxisDirection.INCREASING else "down"
    taps = taps_of(
        output_sizes,
        gradient.shape,
        interpolation_mode,
        rounding,
        scales,
        input_pixel_offsets,
        output_pixel_offsets,
    )
    return _gradients(gradient, output_sizes, taps)


@operator("RESAMPLE_GRAD", check=_gradient_scales)
def resampled_gradient_with_offsets(
    gradient: Array,
    *,
    interpolation_mode: InterpolationMode,
    scales: Floats,
    input_pixel_offsets: Floats,
    output_pixel_offsets: Floats,
    output_sizes: Shape,
) -> Array:
    """OutputGradient = the gradient of RESAMPLE1 by its input.

    As RESAMPLE_GRAD1.

    Example: interpolation_mode=NEAREST_NEIGHBOR, scales=[2], input_pixel_offsets=[0.5],
        output_pixel_offsets=[-0.5]; float32 [1, 2, 3, 4] -> [3, 7]
    """
    taps = taps_of(
        output_sizes,
        gradient.shape,
        interpolation_mode,
        "half down",
        scales,
        input_pixel_offsets,
        output_pixel_offsets,
    )
    return _gradients(gradient, output_sizes, taps)
