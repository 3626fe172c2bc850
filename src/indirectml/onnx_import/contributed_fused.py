"""Operators of ONNX Runtime's domains that join others: fused activations, sums, other layouts."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from indirectml.core.errors import ModelError, shown
from indirectml.onnx_import.bodies import MICROSOFT, Body, one_of, spelled

#: Operators that the DirectML provider's optimizer fuses an activation into.
DML = "com.microsoft.dml"

#: The attributes of a convolution.
_WINDOWS = ("auto_pad", "dilations", "group", "kernel_shape", "pads", "strides")

#: By activation, the attributes that its numbers are, in the order of a list of them.
_NUMBERS = {
    "Elu": ("alpha",), "HardSigmoid": ("alpha", "beta"), "LeakyRelu": ("alpha",), "Relu": (),
    "Selu": ("alpha", "gamma"), "Sigmoid": (), "Softplus": (), "Softsign": (), "Tanh": (),
    "ThresholdedRelu": ("alpha",), "Gelu": (), "HardSwish": (),
}  # fmt: skip


def _activated(b: Body, x: str, name: str, numbers: Sequence[float] | None = None) -> str:
    """Return an activation of x, by its list of numbers, or by attributes `activation_alpha` .."""
    if name == "Clip" and numbers is not None:
        limits = [b.cast(b.constant(n, np.float32), b.dtype(0)) for n in numbers]
        return b("Clip", x, *limits)
    if name == "Softmax":
        return b("Softmax", x, axis=b.node.attribute("activation_axis", -1))
    known = _NUMBERS.get(name)
    if known is None:
        told = ", ".join(sorted(_NUMBERS))
        raise ModelError(f"needs an activation of {told}", given=shown(name))
    if numbers is not None:
        return b(name, x, **dict(zip(known, numbers, strict=False)))
    given = {each: b.node.attribute(f"activation_{each}") for each in known}
    return b(name, x, **given)


# ---- sums ----


@spelled("BiasAdd")
def summed_with_skip(b: Body, x: str, bias: str, skip: str) -> str:
    """Return x + bias + skip."""
    return b("Add", b("Add", x, bias), skip)


@spelled("BiasSplitGelu")
def gated(b: Body, x: str, bias: str) -> str:
    """Return the first half of x + bias, times Gelu of the second."""
    left, right = b.several("Split", 2, b("Add", x, bias), axis=-1, num_outputs=2)
    return b("Mul", left, b("Gelu", right))


# ---- activations behind others ----


@spelled("FusedConv")
def convolved(b: Body, x: str, w: str, bias: str = "", z: str = "") -> str:
    """Return an activation of Conv, plus a tensor before it if there is one."""
    y = b("Conv", x, w, bias, **b.attributes(*_WINDOWS))
    y = b("Add", y, z) if z else y
    name = b.node.attribute("activation", "")
    return _activated(b, y, name, b.node.attribute("activation_params", [])) if name else y


@spelled("FusedGemm")
def multiplied(b: Body, x: str, w: str, c: str = "") -> str:
    """Return an activation of Gemm."""
    y = b("Gemm", x, w, c, **b.attributes("alpha", "beta", "transA", "transB"))
    name = b.node.attribute("activation", "")
    return _activated(b, y, name) if name else y


@spelled("FusedMatMulActivation")
def multiplied_and_activated(b: Body, x: str, w: str) -> str:
    """Return an activation of FusedMatMul."""
    names = ("alpha", "transA", "transB", "transBatchA", "transBatchB")
    (y,) = b.several("FusedMatMul", 1, x, w, domain=MICROSOFT, **b.attributes(*names))
    return _activated(b, y, b.node.attribute("activation", ""))


def _fused(operator: str) -> None:
    @spelled(f"DmlFused{operator}", domain=DML)
    def activated(b: Body, *inputs: str) -> str:
        """Return an activation of an ONNX operator of the same attributes."""
        found = b.node.attributes
        own = {k: v for k, v in found.items() if not k.startswith("activation")}
        if operator == "BatchNormalization":
            own.pop("spatial", None)
        y = b(operator, *inputs, **own)
        return _activated(b, y, b.node.attribute("activation", ""))


for _operator in (
    "Add", "BatchNormalization", "Conv", "ConvTranspose", "Gemm", "InstanceNormalization",
    "MatMul", "MeanVarianceNormalization", "Sum",
):  # fmt: skip
    _fused(_operator)


# ---- other layouts ----


def _channels_second(rank: int) -> tuple[int, ...]:
    return (0, rank - 1, *range(1, rank - 1))


def _channels_last(rank: int) -> tuple[int, ...]:
    return (0, *range(2, rank), 1)


@spelled("NhwcConv")
def convolved_with_channels_last(b: Body, x: str, w: str, bias: str = "") -> str:
    """Return Conv of pictures, by filters, whose channels come last."""
    rank = len(b.shape(0))
    first = _channels_second(rank)
    y = b("Conv", b.transpose(x, *first), b.transpose(w, *first), bias, **b.attributes(*_WINDOWS))
    return b.transpose(y, *_channels_last(rank))


@spelled("NhwcMaxPool")
def largest_with_channels_last(b: Body, x: str) -> str:
    """Return MaxPool of pictures whose channels come last."""
    rank = len(b.shape(0))
    names = ("auto_pad", "ceil_mode", "dilations", "kernel_shape", "pads", "strides")
    y = b("MaxPool", b.transpose(x, *_channels_second(rank)), **b.attributes(*names))
    return b.transpose(y, *_channels_last(rank))


@spelled("ConvTransposeWithDynamicPads")
def convolved_back(b: Body, x: str, w: str, pads: str = "", bias: str = "") -> str:
    """Return ConvTranspose, with paddings that are known while loading."""
    names = ("auto_pad", "dilations", "group", "kernel_shape", "output_padding", "strides")
    known = b.node.integers(2) if pads else None
    return b("ConvTranspose", x, w, bias, pads=known, **b.attributes(*names))


# ---- normalization ----


@spelled("GroupNorm")
def normalized_in_groups(b: Body, x: str, gamma: str, beta: str) -> str:
    """Return channels normalized in groups, in FLOAT32, and SiLU of that with activation 1."""
    rank, dtype = len(b.shape(0)), b.dtype(0)
    is_last = bool(one_of(b.node, "channels_last", 1, (0, 1)))
    y = b.transpose(x, *_channels_second(rank)) if is_last else x
    y, gamma, beta = (b.cast(each, np.float32) for each in (y, gamma, beta))
    groups, epsilon = b.node.attribute("groups"), b.node.attribute("epsilon", 1e-5)
    y = b("GroupNormalization", y, gamma, beta, num_groups=groups, epsilon=epsilon)
    if one_of(b.node, "activation", 0, (0, 1)):
        y = b("Mul", y, b("Sigmoid", y))
    y = b.cast(y, dtype)
    return b.transpose(y, *_channels_last(rank)) if is_last else y


def _by_root(b: Body, x: str, scale: str, epsilon: float) -> str:
    return b("RMSNormalization", x, scale, axis=b.node.attribute("axis", -1), epsilon=epsilon)


@spelled("SimplifiedLayerNormalization", domain="")
@spelled("SimplifiedLayerNormalization")
def normalized_by_root(b: Body, x: str, scale: str) -> tuple[str, str]:
    """Return RMSNormalization."""
    return _by_root(b, x, scale, b.node.attribute("epsilon", 1e-5)), ""


@spelled("SkipSimplifiedLayerNormalization")
def sum_normalized_by_root(
    b: Body, x: str, skip: str, gamma: str, bias: str = ""
) -> tuple[str, ...]:
    """Return RMSNormalization of a sum; and the sum."""
    total = b("Add", x, skip)
    total = b("Add", total, bias) if bias else total
    return _by_root(b, total, gamma, b.node.attribute("epsilon", 1e-12)), "", "", total


@spelled("EmbedLayerNormalization")
def embedded(
    b: Body,
    ids: str,
    *others: str,
) -> tuple[str, ...]:
    """Return normalized sums of the rows of words, positions and segments; how many are no padding.

    Where the mask is left out, these are zeros, as ONNX Runtime has them.
    """
    segments, words, positions, of_segments, gamma, beta, mask, position_ids = (*others, "", "")[:8]
    batch, length = b.shape(0)
    if position_ids:
        of_position = b("Gather", positions, position_ids)
    else:
        b.node.take([length], np.int64)
        of_position = b("Gather", positions, b.constant(np.arange(length)[None], np.int32))
    total = b("Add", b("Gather", words, ids), of_position)
    if segments:
        total = b("Add", total, b("Gather", of_segments, segments))
    epsilon = b.node.attribute("epsilon", 1e-12)
    y = b("LayerNormalization", total, gamma, beta, axis=-1, epsilon=epsilon)
    b.node.take([batch], np.float64)
    counts = b.constant(np.zeros(batch), np.int32)
    if mask:
        counts = b("ReduceSum", mask, b.constant([1], np.int64), keepdims=0)
    return y, counts, total
