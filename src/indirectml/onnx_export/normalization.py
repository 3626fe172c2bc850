"""ONNX forms of normalization."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from indirectml.onnx_export.building import DOUBLE, SINGLE, Value
from indirectml.onnx_export.forms import Node, form
from indirectml.onnx_export.words import filled


@form("BATCH_NORMALIZATION")
def batch_normalized(
    node: Node, x: Value, mean: Value, variance: Value, scale: Value, bias: Value
) -> Value:
    """BatchNormalization where there is one number per channel, else its formula."""
    b = node.b
    numbers = (scale, bias, mean, variance)
    per_channel = (1, x.sizes[1], *(1,) * (x.rank - 2)) if x.rank > 1 else ()
    if all(n.sizes == per_channel for n in numbers):
        flat = [b.reshape(n, [n.count]) for n in numbers]
        return b.add("BatchNormalization", x, *flat, sizes=x.sizes, epsilon=node["epsilon"])
    deviation = b.add("Sqrt", b.add("Add", variance, node["epsilon"]))
    normal = b.add("Div", b.add("Sub", x, mean), deviation)
    return b.add("Add", b.add("Mul", scale, normal), bias)


@form("MEAN_VARIANCE_NORMALIZATION2")
def normalized_by_chosen_moments(
    node: Node, x: Value, scale: Value | None, bias: Value | None
) -> Value:
    """LayerNormalization, InstanceNormalization, or moments in FLOAT64."""
    return _by_moments(
        node,
        (x, scale, bias),
        node["axes"],
        use_mean=node["use_mean"],
        use_variance=node["use_variance"],
    )


@form("MEAN_VARIANCE_NORMALIZATION1")
def normalized_by_moments(node: Node, x: Value, scale: Value | None, bias: Value | None) -> Value:
    """As MEAN_VARIANCE_NORMALIZATION2."""
    return _by_moments(
        node, (x, scale, bias), node["axes"], use_variance=node["normalize_variance"]
    )


@form("MEAN_VARIANCE_NORMALIZATION")
def normalized_by_moments_of_images(
    node: Node, x: Value, scale: Value | None, bias: Value | None
) -> Value:
    """As MEAN_VARIANCE_NORMALIZATION2."""
    axes = range(1 if node["cross_channel"] else 2, x.rank)
    return _by_moments(node, (x, scale, bias), axes, use_variance=node["normalize_variance"])


def _by_moments(
    node: Node,
    tensors: tuple[Value, Value | None, Value | None],
    axes: Sequence[int],
    *,
    use_mean: bool = True,
    use_variance: bool = True,
) -> Value:
    b = node.b
    x, scale, bias = tensors
    axes = sorted(axes)
    if use_mean and use_variance and _is_layer(x, scale, bias, axes):
        own = x.sizes[axes[0] :]
        factors = b.constant(np.ones(own, x.dtype)) if scale is None else b.reshape(scale, own)
        offsets = None if bias is None else b.reshape(bias, own)
        return b.add(
            "LayerNormalization", x, factors, offsets, sizes=x.sizes, axis=axes[0],
            epsilon=node["epsilon"],
        )  # fmt: skip
    if use_mean and use_variance and _is_instance(x, scale, bias, axes):
        channels = [x.sizes[1]]
        factors, offsets = (
            filled(b, number, channels, x.dtype) if f is None else b.reshape(f, channels)
            for f, number in ((scale, 1), (bias, 0))
        )
        return b.add(
            "InstanceNormalization", x, factors, offsets, sizes=x.sizes, epsilon=node["epsilon"]
        )
    result = b.cast(x, DOUBLE)
    if use_mean:
        result = b.add("Sub", result, b.reduce("ReduceMean", result, axes))
    if use_variance:
        variance = b.reduce("ReduceMean", b.add("Mul", result, result), axes)
        epsilon = float(np.float32(node["epsilon"]))
        inverse = b.add("Reciprocal", b.add("Sqrt", b.add("Add", variance, epsilon)))
        result = b.add("Mul", result, inverse)
    if scale is not None:
        result = b.add("Mul", result, b.cast(scale, DOUBLE))
    if bias is not None:
        result = b.add("Add", result, b.cast(bias, DOUBLE))
    return result


def _is_layer(x: Value, scale: Value | None, bias: Value | None, axes: list[int]) -> bool:
    """Whether ONNX's LayerNormalization says the same."""
    if not axes or axes != list(range(axes[0], x.rank)):
        return False
    own = (1,) * axes[0] + x.sizes[axes[0] :]
    return all(f is None or f.sizes == own for f in (scale, bias))


def _is_instance(x: Value, scale: Value | None, bias: Value | None, axes: list[int]) -> bool:
    """Whether ONNX's InstanceNormalization says the same."""
    if x.rank < 3 or axes != list(range(2, x.rank)):  # noqa: PLR2004 (behind batch and channels)
        return False
    own = (1, x.sizes[1], *(1,) * (x.rank - 2))
    return all(f is None or f.sizes == own for f in (scale, bias))


@form("LOCAL_RESPONSE_NORMALIZATION")
def normalized_by_neighbours(node: Node, x: Value) -> Value:
    """LRN across an odd number of channels, else its formula with AveragePool."""
    b = node.b
    if node["cross_channel"] and node["local_size"] % 2:
        return b.add(
            "LRN",
            x,
            alpha=node["alpha"],
            beta=node["beta"],
            bias=node["bias"],
            size=node["local_size"],
        )
    base = local_response_base(node, x)
    return b.add("Div", x, b.add("Pow", base, node["beta"]))


def local_response_base(node: Node, x: Value) -> Value:
    """Return Bias + (Alpha / LocalSize) * the sum of the neighbours' squares."""
    b = node.b
    squares = neighbour_sums(node, b.add("Mul", x, x))
    share = np.float32(node["alpha"]) / np.float32(node["local_size"])
    return b.add("Add", b.add("Mul", squares, float(share)), node["bias"])


def neighbour_sums(node: Node, x: Value, *, is_turned: bool = False) -> Value:
    """Return sums over neighbours, as averages of windows times their size.

    Turned, an element is summed where the others have it as a neighbour.
    """
    b = node.b
    size = node["local_size"]
    first, last = (size - 1) // 2, size - 1 - (size - 1) // 2
    if is_turned:
        first, last = last, first
    whole = x.sizes
    window = [size, size]
    pads = [first, first, last, last]
    if node["cross_channel"]:
        batch, channels, *image = whole
        x = b.reshape(x, [batch, 1, channels, int(np.prod(image))])
        window, pads = [size, 1], [first, 0, last, 0]
    mean = b.add(
        "AveragePool", x, kernel_shape=window, pads=pads, count_include_pad=1,
    )  # fmt: skip
    return b.reshape(b.add("Mul", mean, float(np.prod(window))), whole)


@form("LP_NORMALIZATION")
def normalized_by_norm(node: Node, x: Value) -> Value:
    """Norm by ReduceSum in FLOAT64, at least Epsilon."""
    b = node.b
    wide = b.cast(x, DOUBLE)
    if node["p"] == 1:
        norm = b.reduce("ReduceSum", b.add("Abs", wide), [node["axis"]])
    else:
        norm = b.add("Sqrt", b.reduce("ReduceSum", b.add("Mul", wide, wide), [node["axis"]]))
    least = float(np.float32(node["epsilon"]))
    norm = b.where(b.add("Less", norm, least, dtype=bool), least, norm)
    return b.add("Div", wide, norm)


@form("VALUE_SCALE_2D")
def scaled_pixels(node: Node, x: Value) -> Value:
    """Mul and Add."""
    b = node.b
    bias = b.constant(np.array(node["bias"], SINGLE).reshape(1, -1, 1, 1))
    return b.add("Add", b.add("Mul", x, node["scale"]), bias)
