"""ONNX forms of activations, by themselves and fused into other operators.

IndirectML rounds functions correctly; an ONNX runtime comes within a few ULP.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from indirectml.onnx_export.building import INT64, Value
from indirectml.onnx_export.forms import Node, form, renamed
from indirectml.onnx_export.words import along_one_axis, compared, extreme_key, modular

renamed(
    {
        "ACTIVATION_SIGMOID": "Sigmoid",
        "ACTIVATION_SOFTSIGN": "Softsign",
        "ACTIVATION_TANH": "Tanh",
    }
)
renamed({"ACTIVATION_ELU": "Elu", "ACTIVATION_LEAKY_RELU": "LeakyRelu"}, alpha="alpha")
renamed({"ACTIVATION_CELU": "Celu"}, alpha="alpha")
renamed({"ACTIVATION_THRESHOLDED_RELU": "ThresholdedRelu"}, alpha="alpha")
renamed({"ACTIVATION_HARD_SIGMOID": "HardSigmoid"}, alpha="alpha", beta="beta")
renamed({"ACTIVATION_SCALED_ELU": "Selu"}, alpha="alpha", gamma="gamma")

_GELU_OPSET = 20
_HALF = 0.5


@form("ACTIVATION_IDENTITY")
def identity(_: Node, x: Value) -> Value:
    """Nothing."""
    return x


@form("ACTIVATION_RELU")
def relu(node: Node, x: Value) -> Value:
    """Relu; a runtime may leave -0 as it is. INT16 goes through INT32."""
    through = np.int32 if x.dtype == np.int16 else x.dtype
    return node.b.cast(node.b.add("Relu", node.b.cast(x, through)), x.dtype)


@form("ACTIVATION_LINEAR")
def linear(node: Node, x: Value) -> Value:
    """Mul, Add."""
    return node.b.add("Add", node.b.add("Mul", x, node["alpha"]), node["beta"])


@form("ACTIVATION_SHRINK")
def shrink(node: Node, x: Value) -> Value:
    """Shrink of floats; of integers two comparisons in FLOAT64 and Where, modulo 2^bits."""
    b = node.b
    bias, threshold = node["bias"], node["threshold"]
    if x.is_float and threshold >= 0:
        return b.add("Shrink", x, bias=float(bias), lambd=float(threshold))
    compare = x if x.is_float else b.cast(x, np.float64)
    limit = np.float32(threshold) if x.is_float else threshold
    above, below = compared(b, "Greater", compare, limit), compared(b, "Less", compare, -limit)
    addend: Any = bias if x.is_float else int(bias)
    inner = b.where(below, modular(b, "Add", x, addend), 0)
    return b.where(above, modular(b, "Sub", x, addend), inner)


@form("ACTIVATION_SCALED_TANH")
def scaled_tanh(node: Node, x: Value) -> Value:
    """Mul, Tanh, Mul."""
    b = node.b
    return b.add("Mul", b.add("Tanh", b.add("Mul", x, node["beta"])), node["alpha"])


@form("ACTIVATION_SOFTPLUS")
def softplus(node: Node, x: Value) -> Value:
    """Softplus, between Mul and Div where the steepness is not 1."""
    b, steepness = node.b, node["steepness"]
    if steepness == 1:
        return b.add("Softplus", x)
    return b.add("Div", b.add("Softplus", b.add("Mul", x, steepness)), steepness)


@form("ACTIVATION_PARAMETRIC_SOFTPLUS")
def parametric_softplus(node: Node, x: Value) -> Value:
    """Mul, Softplus, Mul."""
    b = node.b
    return b.add("Mul", b.add("Softplus", b.add("Mul", x, node["beta"])), node["alpha"])


@form("ACTIVATION_PARAMETERIZED_RELU", broadcasts=True)
def parameterized_relu(node: Node, x: Value, slope: Value) -> Value:
    """PRelu of floats; of integers Mul and Where, modulo 2^bits."""
    b = node.b
    if x.is_float:
        x = b.expand(x, node.sizes)  # the slope broadcasts, and the input does not
        return b.add("PRelu", x, slope, sizes=x.sizes)
    return b.where(compared(b, "Less", x, 0), modular(b, "Mul", x, slope), x)


@form("ACTIVATION_GELU")
def gelu(node: Node, x: Value) -> Value:
    """Gelu from opset 20 on, before by Erf."""
    b = node.b
    if b.opset >= _GELU_OPSET:
        return b.add("Gelu", x)
    inner = b.add("Add", b.add("Erf", b.add("Div", x, np.float32(2**0.5))), 1.0)
    return b.add("Mul", b.add("Mul", x, _HALF), inner)


@form("ACTIVATION_SWISH")
def swish(node: Node, x: Value) -> Value:
    """Mul, Sigmoid, Mul."""
    b, scale = node.b, node["sigmoid_input_scale"]
    inner = x if scale == 1 else b.add("Mul", x, scale)
    return b.add("Mul", x, b.add("Sigmoid", inner))


@form("ACTIVATION_HARD_SWISH")
def hard_swish(node: Node, x: Value) -> Value:
    """HardSigmoid, Mul: ONNX's HardSwish has no other factors than its own."""
    inner = node.b.add("HardSigmoid", x, alpha=float(node["alpha"]), beta=float(node["beta"]))
    return node.b.add("Mul", x, inner)


def _along_axes(
    node: Node, x: Value, axes: Sequence[int], function: Callable[[Value, int], Value]
) -> Value:
    """Return a function along an axis, along several, which are put behind the others as one."""
    if len(axes) == 1:
        return function(x, axes[0])
    rows, order = along_one_axis(node.b, x, axes)
    made = node.b.reshape(function(rows, rows.rank - 1), [x.sizes[k] for k in order])
    return node.b.transpose(made, np.argsort(order).tolist())


@form("ACTIVATION_SOFTMAX1")
def softmax(node: Node, x: Value) -> Value:
    """Softmax."""
    return _along_axes(node, x, node["axes"], lambda y, k: node.b.add("Softmax", y, axis=k))


@form("ACTIVATION_SOFTMAX")
def softmax_of_rows(node: Node, x: Value) -> Value:
    """Softmax along the last axis."""
    return node.b.add("Softmax", x, axis=x.rank - 1)


@form("ACTIVATION_LOG_SOFTMAX1")
def log_softmax(node: Node, x: Value) -> Value:
    """LogSoftmax."""
    return _along_axes(node, x, node["axes"], lambda y, k: node.b.add("LogSoftmax", y, axis=k))


@form("ACTIVATION_LOG_SOFTMAX")
def log_softmax_of_rows(node: Node, x: Value) -> Value:
    """LogSoftmax along the last axis."""
    return node.b.add("LogSoftmax", x, axis=x.rank - 1)


@form("ACTIVATION_HARDMAX1")
def hardmax(node: Node, x: Value) -> Value:
    """ArgMax, and where the number of an element is that: ONNX leaves NaN and -0 open."""
    return _along_axes(node, x, node["axes"], lambda y, k: _hardmax(node, y, k))


@form("ACTIVATION_HARDMAX")
def hardmax_of_rows(node: Node, x: Value) -> Value:
    """As ACTIVATION_HARDMAX1, along the last axis."""
    return _hardmax(node, x, x.rank - 1)


def _hardmax(node: Node, x: Value, axis: int) -> Value:
    b = node.b
    key = extreme_key(b, x, axis, largest=True)
    first = b.add("ArgMax", key, dtype=INT64, sizes=[*x.sizes[:axis], 1, *x.sizes[axis + 1 :]],
                  axis=axis, keepdims=1)  # fmt: skip
    numbers = np.arange(x.sizes[axis]).reshape([-1] + [1] * (x.rank - axis - 1))
    return b.cast(compared(b, "Equal", first, b.constant(numbers, np.int64)), x.dtype)
