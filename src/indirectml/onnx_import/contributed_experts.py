"""Mixtures of experts, as onnxruntime-genai's builder writes them: all experts, weighed."""

from __future__ import annotations

import math

import numpy as np

from indirectml.core.errors import ModelError
from indirectml.onnx_import.bodies import Body, one_of, spelled

_ACTIVATIONS = {"gelu": "Gelu", "identity": "Identity", "relu": "Relu", "silu": "Swish"}


@spelled("MoE")
def mixed(
    b: Body, x: str, router: str, w1: str, bias1: str = "", w2: str = "", bias2: str = "",
    w3: str = "", bias3: str = "",
) -> str:  # fmt: skip
    """Return what the k experts that a router chooses for each row make of it, weighed and summed.

    Which those are depends on data, and sizes do not: all experts compute, most with a weight of 0.
    """
    if b.node.attribute("use_sparse_mixer", 0):
        raise ModelError("needs a softmax over scores", given="use_sparse_mixer")
    shape, experts = b.shape(0), b.shape(1)[1]
    rows = math.prod(shape[:-1])
    kind = one_of(b.node, "activation_type", "relu", (*_ACTIVATIONS, "swiglu"))
    flat = b.reshape(x, 1, rows, shape[-1])
    hidden = _products(b, flat, w1, bias1)
    if kind == "swiglu":
        hidden = _gated(b, hidden, _products(b, flat, w3, bias3) if w3 else "")
    else:
        approximate = {"approximate": "tanh"} if kind == "gelu" else {}
        hidden = b(_ACTIVATIONS[kind], hidden, **approximate)
    made = _products(b, hidden, w2, bias2)
    weights = b.reshape(b.transpose(_weights(b, router, experts, rows), 1, 0), experts, rows, 1)
    total = b("ReduceSum", b("Mul", made, weights), b.constant([0], np.int64), keepdims=0)
    return b.reshape(total, *shape)


def _weights(b: Body, router: str, experts: int, rows: int) -> str:
    """Return the weight of each expert for each row: softmax, and 0 for those not chosen."""
    count = b.constant([b.node.attribute("k", 1)], np.int64)
    is_normalized = b.node.attribute("normalize_routing_weights", 0)
    scores = router if is_normalized else b("Softmax", router, axis=-1)
    best, places = b.several("TopK", 2, scores, count, axis=-1)
    best = b("Softmax", best, axis=-1) if is_normalized else best
    b.node.take((rows, experts), np.float64)
    nothing = b.cast(b.constant(np.zeros((rows, experts)), np.float32), b.dtype(1))
    return b("ScatterElements", nothing, places, best, axis=1)


def _products(b: Body, x: str, weights: str, bias: str) -> str:
    """Return x times the transposed matrix of each expert."""
    y = b("MatMul", x, b.transpose(weights, 0, 2, 1))
    return b("Add", y, b("Unsqueeze", bias, b.constant([1], np.int64))) if bias else y


def _gated(b: Body, hidden: str, linear: str) -> str:
    """Return g * sigmoid(alpha * g) * (l + beta), both limited; l is given, or lies beside g."""
    if b.node.attribute("swiglu_limit_after_activation", 0):
        raise ModelError("needs limits before the activation", given="after it")
    layout = one_of(b.node, "swiglu_fusion", 0, (0, 1, 2))
    if layout == 0 and not linear:
        raise ModelError("is required", given="none", field="inputs[6] (fc3_experts_weights)")
    gate = hidden
    if layout:
        width = b.shape(2)[1]
        step = 2 if layout == 1 else 1
        begins = (0, 1) if layout == 1 else (0, width // 2)
        ends = (width, width) if layout == 1 else (width // 2, width)
        gate, linear = (
            b("Slice", hidden, *(b.constant([n], np.int64) for n in (begin, end, 2, step)))
            for begin, end in zip(begins, ends, strict=True)
        )

    def number(value: float) -> str:
        return b.cast(b.constant(value, np.float32), b.dtype_of_floats)

    limit = b.node.attribute("swiglu_limit")
    if limit is not None:
        gate = b("Min", gate, number(limit))
        linear = b("Clip", linear, number(-limit), number(limit))
    share = b("Sigmoid", b("Mul", gate, number(b.node.attribute("activation_alpha", 1.0))))
    raised = b("Add", linear, number(b.node.attribute("activation_beta", 0.0)))
    return b("Mul", b("Mul", gate, share), raised)
