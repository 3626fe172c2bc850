"""Activations: functions of one tensor with numbers of the node, softmax and its relatives."""

from __future__ import annotations

from typing import Any

import numpy as np

from indirectml.core.errors import ModelError
from indirectml.onnx_import.nodes import BY_DEFINITION, Node, Results, handler
from indirectml.onnx_import.values import Value
from indirectml.operators.functions import (
    activation_celu,
    activation_elu,
    activation_gelu,
    activation_hard_sigmoid,
    activation_hard_swish,
    activation_hardmax,
    activation_leaky_relu,
    activation_log_softmax,
    activation_relu,
    activation_scaled_elu,
    activation_shrink,
    activation_sigmoid,
    activation_softmax,
    activation_softplus,
    activation_softsign,
    activation_swish,
    activation_thresholded_relu,
)

#: By operator, what does it, and DirectML's names of the numbers that ONNX's attributes are.
_ACTIVATIONS: dict[str, tuple[Any, dict[str, str]]] = {
    "Celu": (activation_celu, {"alpha": "alpha"}),
    "Elu": (activation_elu, {"alpha": "alpha"}),
    "HardSigmoid": (activation_hard_sigmoid, {"alpha": "alpha", "beta": "beta"}),
    "LeakyRelu": (activation_leaky_relu, {"alpha": "alpha"}),
    "Relu": (activation_relu, {}),
    "Selu": (activation_scaled_elu, {"alpha": "alpha", "gamma": "gamma"}),
    "Shrink": (activation_shrink, {"bias": "bias", "lambd": "threshold"}),
    "Sigmoid": (activation_sigmoid, {}),
    "Softplus": (activation_softplus, {}),
    "Softsign": (activation_softsign, {}),
    "Swish": (activation_swish, {"alpha": "sigmoid_input_scale"}),
    "ThresholdedRelu": (activation_thresholded_relu, {"alpha": "alpha"}),
}


@handler(*_ACTIVATIONS)
def activation(node: Node) -> Value:
    """Return the activation of the same name."""
    function, names = _ACTIVATIONS[node.operator]
    numbers = {ours: node.attributes[theirs] for theirs, ours in names.items()}
    return node.made(function(node.expression(0), **numbers), node.value(0).shape)


@handler("HardSwish", since=14)
def hard_swish(node: Node) -> Value:
    """Return x * max(0, min(1, x / 6 + 0.5))."""
    x = activation_hard_swish(node.expression(0), alpha=1 / 6, beta=0.5)
    return node.made(x, node.value(0).shape)


@handler("Gelu", since=20)
def gelu(node: Node) -> Results:
    """Return 0.5 * x * (1 + erf(x / sqrt(2))); the approximation by tanh is ONNX's."""
    if node.attribute("approximate") != "none":
        return BY_DEFINITION
    return node.made(activation_gelu(node.expression(0)), node.value(0).shape)


_ALONG_AXES: dict[str, Any] = {
    "Hardmax": activation_hardmax,
    "LogSoftmax": activation_log_softmax,
    "Softmax": activation_softmax,
}


@handler(*_ALONG_AXES)
def along_all_axes_behind(node: Node) -> Value:
    """Return softmax and the like over one axis and all behind it."""
    value = node.value(0)
    axes = tuple(range(node.axis(value.rank, default=1), value.rank))
    return node.made(_ALONG_AXES[node.operator](node.expression(0), axes=axes), value.shape)


@handler(*_ALONG_AXES, since=13)
def along_an_axis(node: Node) -> Value:
    """Return softmax and the like over one axis."""
    value = node.value(0)
    axes = (node.axis(value.rank, default=-1),)
    return node.made(_ALONG_AXES[node.operator](node.expression(0), axes=axes), value.shape)


@handler("Dropout", since=7)
def kept(node: Node) -> Results:
    """Return the input, and that all of it was kept: nothing is dropped but in training."""
    value = node.value(0)
    ratio = node.known(1, "decides what is dropped").item() if node.has(1) else 0.5
    if node.has(2) and node.known(2, "says whether it is trained").item() and ratio:
        raise ModelError("is random in training, with another generator than DirectML's")
    return value, Value(np.broadcast_to(np.True_, value.shape)) if node.wants(1) else None
