"""ONNX forms of resampling.

Which elements an output is made of is known when a model is written. So NEAREST_NEIGHBOR is a
Gather along each axis, in which nothing is left to rounding; LINEAR is ONNX's Resize where that
says the same, and else a weighted sum of what Gather takes, in FLOAT64 as the operator has it.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from indirectml.arithmetic.resampling import Taps, transposed
from indirectml.catalogue.enumerations import AxisDirection, InterpolationMode
from indirectml.onnx_export.building import DOUBLE, SINGLE, Builder, Value
from indirectml.onnx_export.forms import Node, form
from indirectml.operators.resampling import Rounding, taps_of

#: Where more elements than these are summed for one output, MatMul does it.
_MOST_TAPS = 16

#: What ONNX calls offsets of input and output.
_MODES = {(0.5, -0.5): "half_pixel", (0.0, 0.0): "asymmetric"}

_LINEAR = InterpolationMode.LINEAR


@dataclass(frozen=True)
class _Resampling:
    """The fields of any of the operators."""

    mode: InterpolationMode
    rounding: Rounding
    scales: Sequence[float]
    input_offsets: Sequence[float]
    output_offsets: Sequence[float]
    antialiased: bool = False

    def taps(self, sizes: tuple[int, ...], output_sizes: tuple[int, ...]) -> dict[int, Taps]:
        """Return what each output is made of, along the axes that change."""
        return taps_of(
            sizes, output_sizes, self.mode, self.rounding, self.scales, self.input_offsets,
            self.output_offsets, antialiased=self.antialiased,
        )  # fmt: skip


def _directed(node: Node) -> _Resampling:
    is_up = node["rounding_direction"] == AxisDirection.INCREASING
    has_antialiased = hasattr(node.desc, "antialiased")
    return _Resampling(
        node["interpolation_mode"], "up" if is_up else "down", node["scales"],
        node["input_pixel_offsets"], node["output_pixel_offsets"],
        antialiased=has_antialiased and node["antialiased"],
    )  # fmt: skip


def _nearest(node: Node) -> _Resampling:
    return _Resampling(
        node["interpolation_mode"], "half down", node["scales"], node["input_pixel_offsets"],
        node["output_pixel_offsets"],
    )  # fmt: skip


def _centred(node: Node, scales: Sequence[float]) -> _Resampling:
    count = len(scales)
    return _Resampling(
        node["interpolation_mode"], "half down", scales, (0.5,) * count, (-0.5,) * count
    )


@form("RESAMPLE3")
def resampled(node: Node, x: Value) -> Value:
    """Gather, Resize, or a weighted sum."""
    return _resampled(node, x, _directed(node))


@form("RESAMPLE1")
def resampled_with_offsets(node: Node, x: Value) -> Value:
    """Gather, Resize, or a weighted sum."""
    return _resampled(node, x, _nearest(node))


@form("RESAMPLE")
def resampled_by_centres(node: Node, x: Value) -> Value:
    """Gather, Resize, or a weighted sum."""
    return _resampled(node, x, _centred(node, node["scales"]))


@form("UPSAMPLE_2D")
def upsampled(node: Node, x: Value) -> Value:
    """Gather, or Resize."""
    size = node["scale_size"]
    scales = (*(1.0,) * (x.rank - 2), float(size.height), float(size.width))
    return _resampled(node, x, _centred(node, scales))


def _resampled(node: Node, x: Value, fields: _Resampling) -> Value:
    b, sizes = node.b, node.sizes
    taps = fields.taps(x.sizes, sizes)
    if fields.mode != _LINEAR:
        for axis, own in taps.items():
            x = b.gather(x, b.constant(own.indices[:, 0], np.int64), axis)
        return x
    if not taps:
        return x
    if _is_resize(x, sizes, fields, taps):
        mode = _MODES[float(fields.input_offsets[-1]), float(fields.output_offsets[-1])]
        scales = b.constant(np.array(fields.scales, SINGLE))
        return b.add(
            "Resize", x, None, scales, sizes=sizes, mode="linear",
            coordinate_transformation_mode=mode,
        )  # fmt: skip
    result = summed(b, b.cast(x, DOUBLE), taps)
    if x.is_float:
        return result
    limits = np.iinfo(x.dtype)
    result = b.add("Round", result)
    return b.add("Clip", result, b.number(limits.min, DOUBLE), b.number(limits.max, DOUBLE))


def _is_resize(
    x: Value, sizes: tuple[int, ...], fields: _Resampling, taps: Mapping[int, Taps]
) -> bool:
    """Whether ONNX's Resize says the same, of images: what ONNX Runtime has linear kernels for."""
    pairs = {
        (float(i), float(o))
        for i, o in zip(fields.input_offsets[-2:], fields.output_offsets[-2:], strict=True)
    }
    return (
        x.rank == 4  # noqa: PLR2004 (batch, channels, height, width)
        and x.dtype == SINGLE
        and min(taps) >= 2  # noqa: PLR2004 (behind batch and channels)
        and not fields.antialiased
        and len(pairs) == 1
        and pairs <= _MODES.keys()
        and all(s == 1 for s in fields.scales[:2])
        and all(
            # Whether the product is one of FLOAT32 or of FLOAT64 differs between implementations.
            m == math.floor(n * np.float32(s)) == math.floor(n * float(np.float32(s)))
            for n, m, s in zip(x.sizes, sizes, fields.scales, strict=True)
        )
    )


def summed(b: Builder, x: Value, taps: Mapping[int, Taps]) -> Value:
    """Return weighted sums along axes, the last one first, as `arithmetic.resampling.resample`."""
    for axis in sorted(taps, reverse=True):
        x = _along(b, x, axis, taps[axis])
    return x


def _along(b: Builder, x: Value, axis: int, taps: Taps) -> Value:
    # Those of weight 0 behind the others, so that they can be left out.
    order = np.argsort(taps.weights == 0, axis=1, kind="stable")
    indices = np.take_along_axis(taps.indices, order, 1)
    weights = np.take_along_axis(taps.weights, order, 1)
    count = max(int((weights != 0).sum(axis=1).max()), 1)
    if count > _MOST_TAPS:
        return _product(b, x, axis, indices, weights)
    shape = [-1 if k == axis else 1 for k in range(x.rank)]
    total: Value | None = None
    for k in range(count):
        part = b.gather(x, b.constant(indices[:, k], np.int64), axis)
        is_left_out = weights[:, k] == 0
        if not np.all(weights[:, k] == 1):
            part = b.add("Mul", part, b.constant(weights[:, k].reshape(shape)))
        before: Any = 0.0 if total is None else total
        result = part if total is None else b.add("Add", total, part)
        if is_left_out.any():
            result = b.where(b.constant(is_left_out.reshape(shape)), before, result)
        total = result
    assert total is not None  # noqa: S101 (there is one at least)
    return total


def _product(b: Builder, x: Value, axis: int, indices: Any, weights: Any) -> Value:
    """Return the same by MatMul, in an order of its own."""
    dense = np.zeros((x.sizes[axis], len(indices)))
    for k, (at, own) in enumerate(zip(indices, weights, strict=True)):
        np.add.at(dense, (at, k), own)
    order = [k for k in range(x.rank) if k != axis] + [axis]
    moved = b.transpose(x, order)
    found = b.add("MatMul", moved, b.constant(dense), sizes=(*moved.sizes[:-1], len(indices)))
    return b.transpose(found, np.argsort(order).tolist())


@form("RESAMPLE_GRAD1")
def resampled_gradient(node: Node, gradient: Value) -> Value:
    """Weighted sums of what Gather takes, from outputs back to inputs."""
    return _gradient(node, gradient, _directed(node))


@form("RESAMPLE_GRAD")
def resampled_gradient_with_offsets(node: Node, gradient: Value) -> Value:
    """As RESAMPLE_GRAD1."""
    return _gradient(node, gradient, _nearest(node))


def _gradient(node: Node, gradient: Value, fields: _Resampling) -> Value:
    taps = fields.taps(node.sizes, gradient.sizes)
    back = {axis: transposed(own, node.sizes[axis]) for axis, own in taps.items()}
    return summed(node.b, node.b.cast(gradient, DOUBLE), back)
