"""Resize and Upsample: RESAMPLE where it says the same; else elements gathered, or weighed by GEMM.

What an output reads along an axis is known while loading. RESAMPLE has coordinates that are a line
(scale and two offsets). Cubic interpolation, antialiasing and cropping become a product with a
matrix of weights per axis, and elements of data types that RESAMPLE does not have are gathered.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from indirectml.arithmetic import resampling as words
from indirectml.catalogue.enumerations import AxisDirection, InterpolationMode
from indirectml.core.errors import ModelError, shown
from indirectml.graphs.expressions import Expression, broadcast
from indirectml.onnx_import.budget import LoadingGraph
from indirectml.onnx_import.nodes import Node, counted_all, handler
from indirectml.onnx_import.values import Array, Value, checked_shape, packed, viewed
from indirectml.operators.functions import gather, gemm, resample, where

#: RESAMPLE's tensors have at most so many dimensions.
_RESAMPLED_DIMENSIONS = 4
#: What finding out takes for an element of an axis, and for a weight between two, in FLOAT64.
_ELEMENT_BYTES, _WEIGHT_BYTES = 128, 16
_RESAMPLED_TYPES = ("float32", "float16", "int8", "uint8")

#: By ONNX's `nearest_mode`: RESAMPLE's rounding, and what is added to the coordinate before it.
_ROUNDINGS = {
    "floor": (AxisDirection.DECREASING, 0.0),
    "ceil": (AxisDirection.INCREASING, 0.0),
    "round_prefer_floor": (AxisDirection.INCREASING, -0.5),
    "round_prefer_ceil": (AxisDirection.DECREASING, 0.5),
}


@dataclass(frozen=True)
class _Line:
    """Where outputs lie along an axis: at (i - output offset) / scale - input offset."""

    scale: float
    input_offset: float = 0.0
    output_offset: float = 0.0

    def coordinates(self, count: int) -> Array:
        """Return the coordinates of as many outputs, in FLOAT64."""
        at: Array = (np.arange(count) - self.output_offset) / self.scale - self.input_offset
        return at


@dataclass(frozen=True)
class _Axis:
    """An axis of n elements that becomes one of m; `factor` is what attributes call scale."""

    n: int
    m: int
    factor: float
    line: _Line

    @property
    def coordinates(self) -> Array:
        """Where the outputs lie among the inputs."""
        return self.line.coordinates(self.m)

    @property
    def stays(self) -> bool:
        """Whether nothing changes along it."""
        return self.n == self.m and np.array_equal(self.coordinates, np.arange(self.n))


def _line(mode: str, n: int, m: int, factor: float, crop: tuple[float, float]) -> _Line:
    """Return where ONNX's `coordinate_transformation_mode` puts the outputs of an axis."""
    length = factor * n
    centred = _Line(factor, 0.5, -0.5)
    if mode == "half_pixel" or (mode == "pytorch_half_pixel" and length != 1):
        return centred
    if mode == "asymmetric":
        return _Line(factor)
    if mode == "pytorch_half_pixel":
        return _Line(1.0)
    if mode == "align_corners":
        return _Line((length - 1) / (n - 1)) if length != 1 and n > 1 else _Line(math.inf)
    if mode == "half_pixel_symmetric":
        return _Line(factor, 0.5 - n / 2 * (1 - m / length), -0.5)
    if mode == "tf_half_pixel_for_nn":
        return _Line(factor, 0.0, -0.5)
    if mode == "tf_crop_and_resize":
        start, end = crop
        if length == 1:
            return _Line(math.inf, -((end - start) * (n - 1) / 2 + start * (n - 1)))
        span = (end - start) * (n - 1)
        return _Line((length - 1) / span if span else math.inf, -start * (n - 1))
    raise ModelError(
        "needs a mode of ONNX", given=shown(mode), field="coordinate_transformation_mode"
    )


# ---- the nodes ----


@handler("Upsample", since=7)
def upsampled(node: Node) -> Value:
    """Upsample: as Resize of opset 10. The scales were an attribute before opset 9."""
    if node.has(1):
        return _resized_by(node, _floats(node, 1))
    scales = node.attribute("scales")
    if scales is None:
        raise ModelError("is required", given="none", field="scales")
    return _resized_by(node, scales)


@handler("Resize", since=10)
def resized_by_scales(node: Node) -> Value:
    """Resize: at i / scale, rounded down."""
    return _resized_by(node, _floats(node, 1))


def _resized_by(node: Node, scales: Sequence[float]) -> Value:
    shape = node.value(0).shape
    if len(scales) != len(shape):
        raise ModelError(
            f"needs one scale per dimension ({len(shape)})", given=f"{len(scales)}", field="scales"
        )
    sizes = [math.floor(n * s) for n, s in zip(shape, scales, strict=True)]
    axes = [_Axis(n, m, s, _Line(s)) for n, m, s in zip(shape, sizes, scales, strict=True)]
    mode = node.attribute("mode", "nearest")
    if mode == "bilinear":
        mode = "linear"
    return _resampled(node, axes, mode, "floor")


@handler("Resize", since=11)
def resized(node: Node) -> Value:
    """Resize: by scales or to sizes, with a choice of coordinates."""
    shape = node.value(0).shape
    rank = len(shape)
    chosen = counted_all(node.attribute("axes") or range(rank), rank)
    scales = _floats(node, 2) if node.has(2) else []
    sizes = node.integers(3) if node.has(3) else []
    if bool(scales) == bool(sizes):
        raise ModelError(
            "needs scales or sizes", given="both" if sizes else "neither", field="inputs"
        )
    if len(scales or sizes) != len(chosen):
        raise ModelError(
            f"needs one number per dimension that is resized ({len(chosen)})",
            given=f"{len(scales or sizes)}",
            field="scales" if scales else "sizes",
        )
    factors, results = [1.0] * rank, list(shape)
    if sizes:
        policy = node.attribute("keep_aspect_ratio_policy", "stretch")
        found = _kept_ratio(policy, [shape[a] for a in chosen], sizes)
    else:
        found = [(s, math.floor(shape[a] * s)) for a, s in zip(chosen, scales, strict=True)]
    for a, (factor, size) in zip(chosen, found, strict=True):
        factors[a], results[a] = factor, size
    mode = node.attribute("coordinate_transformation_mode", "half_pixel")
    crops = [(0.0, 1.0)] * rank
    if mode == "tf_crop_and_resize":
        roi = _floats(node, 1)
        if len(roi) != 2 * len(chosen):
            raise ModelError(
                f"needs a start and an end per dimension, {2 * len(chosen)} numbers",
                given=f"{len(roi)}",
                field="roi",
            )
        for k, a in enumerate(chosen):
            crops[a] = (roi[k], roi[len(chosen) + k])
    axes = [
        _Axis(n, m, f, _line(mode if a in chosen else "asymmetric", n, m, f, crops[a]))
        for a, (n, m, f) in enumerate(zip(shape, results, factors, strict=True))
    ]
    return _resampled(
        node, axes, node.attribute("mode", "nearest"),
        node.attribute("nearest_mode", "round_prefer_floor"),
    )  # fmt: skip


def _floats(node: Node, index: int) -> list[float]:
    array = node.known(index)
    node.graph.budget.take_objects(array.size)
    return [float(number) for number in array.reshape(-1)]


def _kept_ratio(policy: str, old: Sequence[int], new: Sequence[int]) -> list[tuple[float, int]]:
    """Return the factor and the size of each axis under ONNX's `keep_aspect_ratio_policy`."""
    factors = [m / n for n, m in zip(old, new, strict=True)]
    if policy == "stretch":
        return list(zip(factors, new, strict=True))
    choice = {"not_larger": min, "not_smaller": max}.get(policy)
    if choice is None:
        raise ModelError(
            "needs stretch, not_larger or not_smaller", given=shown(policy),
            field="keep_aspect_ratio_policy",
        )  # fmt: skip
    factor = choice(factors)
    return [(factor, math.floor(factor * n + 0.5)) for n in old]


# ---- what they become ----


def _resampled(node: Node, axes: Sequence[_Axis], mode: str, nearest: str) -> Value:
    """Return the output of a node whose axes are known."""
    if mode not in ("nearest", "linear", "cubic"):
        raise ModelError("needs nearest, linear or cubic", given=shown(mode), field="mode")
    if nearest not in _ROUNDINGS:
        raise ModelError(
            f"needs one of {', '.join(_ROUNDINGS)}", given=shown(nearest), field="nearest_mode"
        )
    x = node.expression(0)
    shape = [axis.m for axis in axes]
    if min(checked_shape(shape), default=1) < 1:
        raise ModelError("needs sizes from 1 up", given=shown(shape))
    node.graph.budget.take_bytes(sum(shape) * _ELEMENT_BYTES)
    is_cropped = node.attribute("coordinate_transformation_mode") == "tf_crop_and_resize"
    is_antialiased = bool(node.attribute("antialias", 0)) and any(a.factor < 1 for a in axes)
    if mode == "nearest":
        result = _nearest(node.graph, x, axes, nearest)
    elif mode == "linear" and not is_antialiased and _is_resampled(x, axes):
        result = _by_resample(x, axes, InterpolationMode.LINEAR)
    else:
        result = x
        for k, axis in enumerate(axes):
            if not axis.stays:
                result = _weighed(node.graph, result, k, _weights(node, axis, mode))
    if is_cropped:
        result = _extrapolated(node, result, axes)
    return node.made(result, shape)


def _nearest(graph: LoadingGraph, x: Expression, axes: Sequence[_Axis], nearest: str) -> Expression:
    rounding, moved = _ROUNDINGS[nearest]
    direction: words.Rounding = "up" if rounding == AxisDirection.INCREASING else "down"
    chosen = [words.nearest_indices(a.coordinates + moved, a.n, direction) for a in axes]
    lines = [_Line(a.line.scale, a.line.input_offset - moved, a.line.output_offset) for a in axes]
    # RESAMPLE has FLOAT32 scales and offsets, which may round to another element.
    ends = [
        words.coordinates(a.n, a.m, line.scale, line.input_offset, line.output_offset)
        for a, line in zip(axes, lines, strict=True)
        if math.isfinite(line.scale)
    ]
    is_same = len(ends) == len(axes) and all(
        np.array_equal(words.nearest_indices(end, a.n, direction), own)
        for end, a, own in zip(ends, axes, chosen, strict=True)
    )
    if is_same and _is_resampled(x, axes):
        moved_axes = [
            a if a.stays else _Axis(a.n, a.m, a.factor, line)
            for a, line in zip(axes, lines, strict=True)
        ]
        return _by_resample(x, moved_axes, InterpolationMode.NEAREST_NEIGHBOR, rounding)
    for k, (axis, indices) in enumerate(zip(axes, chosen, strict=True)):
        if not axis.stays:
            x = _taken(graph, x, k, indices)
    return x


def _is_resampled(x: Expression, axes: Sequence[_Axis]) -> bool:
    """Return whether RESAMPLE has the tensor and its coordinates."""
    return (
        str(x.dtype) in _RESAMPLED_TYPES
        and len(_groups(axes)) <= _RESAMPLED_DIMENSIONS
        and all(math.isfinite(axis.line.scale) and axis.line.scale > 0 for axis in axes)
    )


def _groups(axes: Sequence[_Axis]) -> list[list[_Axis]]:
    """Return the axes, those beside each other that stay as one."""
    groups: list[list[_Axis]] = []
    for axis in axes:
        if groups and axis.stays and groups[-1][-1].stays:
            groups[-1].append(axis)
        else:
            groups.append([axis])
    return groups


def _by_resample(
    x: Expression, axes: Sequence[_Axis], mode: InterpolationMode,
    rounding: AxisDirection = AxisDirection.INCREASING,
) -> Expression:  # fmt: skip
    groups = _groups(axes) if len(axes) > _RESAMPLED_DIMENSIONS else [[axis] for axis in axes]
    lines = [group[0].line for group in groups]
    return resample(
        viewed(x, [math.prod(axis.n for axis in group) for group in groups]),
        output_sizes=[math.prod(axis.m for axis in group) for group in groups],
        mode=mode,
        rounding_direction=rounding,
        scales=[line.scale for line in lines],
        input_pixel_offsets=[line.input_offset for line in lines],
        output_pixel_offsets=[line.output_offset for line in lines],
    )


def _taken(graph: LoadingGraph, x: Expression, axis: int, indices: Array) -> Expression:
    """Return elements at known positions along an axis."""
    before, behind = math.prod(x.shape[:axis]), math.prod(x.shape[axis + 1 :])
    flat = viewed(x, [before, x.shape[axis], behind])
    at = graph.constant(indices.astype(np.int32).reshape(1, 1, -1))
    taken = gather(flat, at, axis=1, index_dimensions=1)
    return viewed(taken, (*x.shape[:axis], len(indices), *x.shape[axis + 1 :]))


def _weighed(graph: LoadingGraph, x: Expression, axis: int, weights: Array) -> Expression:
    """Return the sums of elements along an axis, times a matrix of outputs and inputs."""
    m, n = weights.shape
    before, behind = math.prod(x.shape[:axis]), math.prod(x.shape[axis + 1 :])
    if not x.desc.data_type.is_float:
        raise ModelError("needs FLOAT32 or FLOAT16", given=x.desc.data_type.name, field="inputs[0]")
    if behind == 1:
        matrix = graph.constant(np.ascontiguousarray(weights.T).astype(x.dtype))
        result = gemm(viewed(x, [before, n]), matrix)
    else:
        matrix = graph.constant(weights.astype(x.dtype).reshape(1, m, n))
        result = gemm(broadcast(matrix, [before, m, n]), viewed(packed(x), [before, n, behind]))
    return viewed(result, (*x.shape[:axis], m, *x.shape[axis + 1 :]))


def _weights(node: Node, axis: _Axis, mode: str) -> Array:
    """Return how much each input counts for each output, a row per output."""
    scale = min(axis.factor, 1.0) if node.attribute("antialias", 0) else 1.0
    reach = 1 if mode == "linear" else 2
    at = axis.coordinates
    low = np.floor(at)
    span = math.ceil(reach / scale) if scale > 0 else axis.n
    taps = (2 * span + 1) * _ELEMENT_BYTES + axis.n * _WEIGHT_BYTES
    node.graph.budget.take_bytes(axis.m * taps)
    near = low[:, None] + np.arange(-span, span + 1)
    distance = np.abs(near - at[:, None]) * scale
    if mode == "linear":
        found = np.clip(1 - distance, 0, None)
    else:
        found = _cubic(distance, node.attribute("cubic_coeff_a", -0.75))
    if node.attribute("exclude_outside", 0):
        found = np.where((near < 0) | (near >= axis.n), 0.0, found)
    found = found / np.add.accumulate(found, 1)[:, -1:]  # one chain
    weights = np.zeros((axis.m, axis.n))
    rows = np.broadcast_to(np.arange(axis.m)[:, None], near.shape)
    np.add.at(weights, (rows, np.clip(near, 0, axis.n - 1).astype(np.intp)), found)
    return weights


def _cubic(distance: Array, a: float) -> Array:
    """Return the weights of cubic convolution (Keys, 1981)."""
    d = distance
    near = ((a + 2) * d - (a + 3)) * d * d + 1
    far = ((a * d - 5 * a) * d + 8 * a) * d - 4 * a
    return np.where(d <= 1, near, np.where(d < 2, far, 0.0))  # noqa: PLR2004 (its reach)


def _extrapolated(node: Node, result: Expression, axes: Sequence[_Axis]) -> Expression:
    """Return a result with a value where outputs lie outside of the input."""
    outside: Any = np.zeros([1] * len(axes), bool)
    for k, axis in enumerate(axes):
        at = axis.coordinates
        own = (at < 0) | (at > axis.n - 1)
        outside = outside | own.reshape([-1 if j == k else 1 for j in range(len(axes))])
    if not outside.any():
        return result
    value = np.array(node.attribute("extrapolation_value", 0.0)).astype(result.dtype)
    graph = node.graph
    node.take(result.shape, np.uint8)
    mask = np.ascontiguousarray(np.broadcast_to(outside, result.shape)).view(np.uint8)
    constant = graph.constant(value.reshape([1] * len(axes)))
    return where(graph.constant(mask), broadcast(constant, result.shape), result)
