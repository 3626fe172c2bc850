"""ONNX forms of training: gradients, batch statistics, and Adam."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from indirectml.arithmetic.windows import divisors
from indirectml.fills.sequences import as_number
from indirectml.onnx_export.building import DOUBLE, INT64, SINGLE, Builder, Value
from indirectml.onnx_export.forms import Node, form
from indirectml.onnx_export.normalization import local_response_base, neighbour_sums
from indirectml.onnx_export.windows import (
    added_back,
    attributes_of,
    has_narrow_padding,
    unfolded,
    window_of,
)
from indirectml.onnx_export.words import compared, either, filled


@form("ACTIVATION_RELU_GRAD")
def relu_gradient(node: Node, x: Value, gradient: Value) -> Value:
    """Greater and Where."""
    b = node.b
    wide = x if x.is_float else b.cast(x, INT64)
    return b.where(compared(b, "Greater", wide, 0), gradient, 0)


@form("ELEMENT_WISE_CLIP_GRAD")
def clip_gradient(node: Node, x: Value, gradient: Value) -> Value:
    """Less, Greater and Where, of integers with limits that are integers."""
    low, high = node["min"], node["max"]
    if not x.is_float:
        # An integer is at most Min where it is at most floor(Min), and NaN is no limit.
        low = low if math.isnan(low) or math.isinf(low) else math.floor(low)
        high = high if math.isnan(high) or math.isinf(high) else math.ceil(high)
    return _clip_gradient(node.b, x, gradient, low, high)


@form("ELEMENT_WISE_CLIP_GRAD1")
def clip_gradient_of_scalars(node: Node, x: Value, gradient: Value) -> Value:
    """As ELEMENT_WISE_CLIP_GRAD."""
    data_type = node["min_max_data_type"]
    low, high = (as_number(node[name].bits(data_type), data_type) for name in ("min", "max"))
    return _clip_gradient(node.b, x, gradient, low, high)


def _clip_gradient(b: Builder, x: Value, gradient: Value, low: Any, high: Any) -> Value:
    if x.is_float:
        outside = either(
            b,
            compared(b, "LessOrEqual", x, float(low)),
            compared(b, "GreaterOrEqual", x, float(high)),
        )
        return b.where(outside, 0, gradient)
    # In INT64, where UINT64 begins half of its range further down.
    limits, wide, moved = np.iinfo(x.dtype), b.cast(x, INT64), 0
    if x.dtype == np.uint64:
        moved = 1 << 63
        wide = b.add("Add", wide, -moved)
    kept = gradient
    if low >= limits.min:
        limit = int(min(low, limits.max)) - moved
        kept = b.where(compared(b, "LessOrEqual", wide, limit), 0, kept)
    if high <= limits.max:
        limit = int(max(high, limits.min)) - moved
        kept = b.where(compared(b, "GreaterOrEqual", wide, limit), 0, kept)
    return kept


@form("AVERAGE_POOLING_GRAD")
def average_pooling_gradient(node: Node, gradient: Value) -> Value:
    """Div by what each window is divided by, and ConvTranspose with ones."""
    b, window = node.b, window_of(node)
    spatial = node.sizes[2:]
    counts = divisors(spatial, window, include_padding=node["include_padding"])
    shares = b.add("Div", gradient, b.constant(counts, SINGLE))
    flat = b.reshape(shares, (shares.sizes[0] * shares.sizes[1], 1, *shares.sizes[2:]))
    # Elements behind the last window, which the strides do not reach.
    extents = (
        stride * (count - 1) + dilation * (size - 1) + 1
        for stride, count, dilation, size in zip(
            window.strides, gradient.sizes[2:], window.dilations, window.sizes, strict=True
        )
    )
    paddings = zip(window.start_padding, window.end_padding, strict=True)
    rest = [
        n + sum(padding) - extent
        for n, padding, extent in zip(spatial, paddings, extents, strict=True)
    ]
    return b.add(
        "ConvTranspose", flat, b.constant(np.ones((1, 1, *window.sizes), np.float32)),
        sizes=(flat.sizes[0], 1, *spatial), output_padding=rest, **attributes_of(window),
    )  # fmt: skip


@form("MAX_POOLING_GRAD")
def max_pooling_gradient(node: Node, x: Value, gradient: Value) -> Value:
    """MaxPool and ScatterElements; where padding is as wide as a window, Gather and ArgMax."""
    b, window = node.b, window_of(node)
    if not has_narrow_padding(window):
        lowest = np.array([-np.inf], x.dtype)
        each = unfolded(b, x, window, lowest, positions_first=True)
        sizes = (*x.sizes[:2], math.prod(window.sizes), math.prod(gradient.sizes[2:]))
        each = b.reshape(each, sizes)
        best = b.add("ArgMax", each, dtype=INT64, sizes=_at_size_one(each, 2), axis=2, keepdims=1)
        count = each.sizes[2]
        is_best = compared(b, "Equal", b.constant(np.arange(count).reshape(1, 1, -1, 1)), best)
        flat = b.reshape(b.cast(gradient, DOUBLE), (*gradient.sizes[:2], 1, each.sizes[3]))
        return added_back(b, b.where(is_best, flat, 0.0), window, x.sizes[2:])
    sizes = gradient.sizes
    _, places = b.add_several(
        "MaxPool", [x], [(x.dtype, sizes), (INT64, sizes)], **attributes_of(window)
    )
    zeros = filled(b, 0, [x.count], x.dtype)
    rows = [b.reshape(each, [gradient.count]) for each in (places, gradient)]
    return b.add("ScatterElements", zeros, *rows, sizes=zeros.sizes, axis=0, reduction="add")


def _at_size_one(x: Value, axis: int) -> tuple[int, ...]:
    return (*x.sizes[:axis], 1, *x.sizes[axis + 1 :])


@form("SLICE_GRAD")
def slice_gradient(node: Node, gradient: Value) -> Value:
    """Zeros behind the gradient, and Gather, along each axis."""
    b, x = node.b, gradient
    for axis, length in enumerate(node.sizes):
        count, stride = x.sizes[axis], node["input_window_strides"][axis]
        first = node["input_window_offsets"][axis]
        if stride < 0:
            first += node["input_window_sizes"][axis] - 1
        sources = np.full(length, count)
        sources[first + stride * np.arange(count)] = np.arange(count)
        if np.array_equal(sources, np.arange(count)):
            continue
        zeros = filled(b, 0, _at_size_one(x, axis), x.dtype)
        x = b.gather(b.concat([x, zeros], axis), b.constant(sources), axis)
    return x


@form("LOCAL_RESPONSE_NORMALIZATION_GRAD")
def local_response_gradient(node: Node, x: Value, gradient: Value) -> Value:
    """Its formula, with sums by AveragePool."""
    b = node.b
    single = np.float32
    beta, share = single(node["beta"]), single(node["alpha"]) / single(node["local_size"])
    base = local_response_base(node, x)
    direct = b.add("Mul", gradient, b.add("Pow", base, float(-beta)))
    powers = b.add("Pow", base, float(-beta - single(1)))
    terms = b.add("Mul", b.add("Mul", gradient, x), powers)
    turned = neighbour_sums(node, terms, is_turned=True)
    factor = b.add("Mul", x, float((single(2) * share) * beta))
    return b.add("Sub", direct, b.add("Mul", factor, turned))


def _reduced_axes(like: Value) -> list[int]:
    return [k for k, size in enumerate(like.sizes) if size == 1]


def _total(b: Builder, x: Value, axes: Sequence[int]) -> Value:
    """Return sums along axes, in FLOAT64."""
    wide = b.cast(x, DOUBLE)
    return b.reduce("ReduceSum", wide, axes) if axes else wide


def _deviation(node: Node, variance: Value) -> Value:
    return node.b.add("Sqrt", node.b.add("Add", variance, node["epsilon"]))


@form("BATCH_NORMALIZATION_GRAD")
def batch_normalization_gradient(
    node: Node, x: Value, gradient: Value, mean: Value, variance: Value, scale: Value
) -> tuple[Value, ...]:
    """Its formula, with ReduceSum in FLOAT64."""
    b, axes = node.b, _reduced_axes(scale)
    deviation = _deviation(node, variance)
    normal = b.add("Div", b.add("Sub", x, mean), deviation)
    return (
        b.add("Mul", gradient, b.add("Div", scale, deviation)),
        _total(b, b.add("Mul", gradient, normal), axes),
        _total(b, gradient, axes),
    )


@form("BATCH_NORMALIZATION_TRAINING_GRAD")
def batch_normalization_training_gradient(
    node: Node, x: Value, gradient: Value, mean: Value, variance: Value, scale: Value
) -> tuple[Value, ...]:
    """Its formula, with ReduceSum in FLOAT64."""
    b, axes = node.b, _reduced_axes(scale)
    deviation = _deviation(node, variance)
    normal = b.add("Div", b.add("Sub", x, mean), deviation)
    of_scale = _total(b, b.add("Mul", gradient, normal), axes)
    of_bias = _total(b, gradient, axes)
    count = float(math.prod(x.sizes[axis] for axis in axes))
    middle, slope = (b.cast(b.add("Div", each, count), SINGLE) for each in (of_bias, of_scale))
    inner = b.add("Sub", b.add("Sub", gradient, middle), b.add("Mul", normal, slope))
    return b.add("Mul", b.add("Div", scale, deviation), inner), of_scale, of_bias


@form("BATCH_NORMALIZATION_TRAINING")
def batch_normalization_training(
    node: Node, x: Value, scale: Value, bias: Value, added: Value | None
) -> tuple[Value, ...]:
    """Moments by ReduceMean in FLOAT64, then the formula."""
    b, axes = node.b, _reduced_axes(scale)
    wide = b.cast(x, DOUBLE)
    mean = b.reduce("ReduceMean", wide, axes) if axes else wide
    centred = b.add("Sub", wide, mean)
    squares = b.add("Mul", centred, centred)
    variance = b.reduce("ReduceMean", squares, axes) if axes else squares
    deviation = _deviation(node, b.cast(variance, SINGLE))
    normal = b.add("Div", b.add("Sub", x, b.cast(mean, SINGLE)), deviation)
    result = b.add("Add", b.add("Mul", scale, normal), bias)
    return result if added is None else b.add("Add", result, added), mean, variance


@form("ADAM_OPTIMIZER")
def adam(
    node: Node, x: Value, first: Value, second: Value, gradient: Value, step: Value
) -> tuple[Value, ...]:
    """Its formula."""
    b = node.b
    single = np.float32
    one, beta1, beta2 = single(1), single(node["beta1"]), single(node["beta2"])
    m = b.add("Add", b.add("Mul", first, float(beta1)), b.add("Mul", gradient, float(one - beta1)))
    squares = b.add("Mul", b.add("Mul", gradient, float(one - beta2)), gradient)
    v = b.add("Add", b.add("Mul", second, float(beta2)), squares)
    t = b.reshape(step, [])
    slow, fast = (
        b.add("Sub", 1.0, b.add("Pow", b.number(beta, SINGLE), t)) for beta in (beta2, beta1)
    )
    correction = b.add("Div", b.add("Sqrt", slow), fast)
    change = b.add("Mul", b.add("Mul", correction, node["learning_rate"]), m)
    divisor = b.add("Add", b.add("Sqrt", v), node["epsilon"])
    return b.add("Sub", x, b.add("Div", change, divisor)), m, v
