"""Quantized operators of ONNX Runtime's domain: what its quantizer and its optimizers write."""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np

from indirectml.core.errors import ModelError
from indirectml.onnx_import.bodies import Body, one_of, spelled

_POOLING = (
    "auto_pad", "ceil_mode", "count_include_pad", "kernel_shape", "pads", "strides",
)  # fmt: skip


def _floats(b: Body, x: str, scale: str, zero: str) -> str:
    return b("DequantizeLinear", x, scale, zero)


def _integers(b: Body, y: str, scale: str, zero: str, like: int) -> str:
    """Return integers of the data type of an input, which has no zero point by itself."""
    zero = zero or b.constant(0, b.dtype(like))
    return b("QuantizeLinear", y, scale, zero)


# ---- to floats, and back ----


@spelled("QuantizeLinear")
def quantized(b: Body, x: str, scale: str, zero: str = "") -> str:
    """Return ONNX's operator of the name, by one number or one per index of an axis."""
    attributes = b.attributes("axis", "block_size", "output_dtype")
    return b("QuantizeLinear", x, scale, zero, **{"axis": 1, **attributes})


@spelled("DequantizeLinear")
def dequantized(b: Body, x: str, scale: str, zero: str = "") -> str:
    """Return ONNX's operator of the name, by one number or one per index of an axis."""
    return b(
        "DequantizeLinear", x, scale, zero, **{"axis": 1, **b.attributes("axis", "block_size")}
    )


# ---- between them: floats are made of integers, and integers of what comes of these ----


#: Integers, their scale and zero point; and scale and zero point of what becomes integers again.
_X: TypeAlias = tuple[str, str, str]
_Y: TypeAlias = tuple[str, str]


def _between(b: Body, x: _X, y: _Y, operator: str, **attributes: Any) -> str:
    floats = b(operator, _floats(b, *x), **attributes)
    return _integers(b, floats, y[0], y[1], like=0)


@spelled("QLinearSigmoid")
def sigmoid(b: Body, x: str, x_scale: str, x_zero: str, y_scale: str, y_zero: str = "") -> str:
    """Return Sigmoid of integers as integers."""
    return _between(b, (x, x_scale, x_zero), (y_scale, y_zero), "Sigmoid")


@spelled("QLinearLeakyRelu")
def leaky_relu(b: Body, x: str, x_scale: str, x_zero: str, y_scale: str, y_zero: str = "") -> str:
    """Return LeakyRelu of integers as integers."""
    attributes = b.attributes("alpha")
    return _between(b, (x, x_scale, x_zero), (y_scale, y_zero), "LeakyRelu", **attributes)


@spelled("QLinearSoftmax")
def softmax(b: Body, x: str, x_scale: str, x_zero: str, y_scale: str, y_zero: str = "") -> str:
    """Return Softmax of integers as integers; up to opset 12 of all dimensions from an axis on."""
    axis, shape = b.node.attribute("axis", -1), b.shape(0)
    y = _floats(b, x, x_scale, x_zero)
    if b.node.attribute("opset", 13) < 13:  # noqa: PLR2004 (where Softmax became one of an axis)
        y = b("Softmax", b("Flatten", y, axis=axis), axis=-1)
        y = b.reshape(y, *shape)
    else:
        y = b("Softmax", y, axis=axis)
    return _integers(b, y, y_scale, y_zero, like=0)


@spelled("QLinearAveragePool")
def average(b: Body, x: str, x_scale: str, x_zero: str, y_scale: str, y_zero: str = "") -> str:
    """Return AveragePool of integers as integers."""
    return _pooled(
        b, (x, x_scale, x_zero), (y_scale, y_zero), "AveragePool", **b.attributes(*_POOLING)
    )


@spelled("QLinearGlobalAveragePool")
def average_of_all(
    b: Body, x: str, x_scale: str, x_zero: str, y_scale: str, y_zero: str = ""
) -> str:
    """Return GlobalAveragePool of integers as integers."""
    return _pooled(b, (x, x_scale, x_zero), (y_scale, y_zero), "GlobalAveragePool")


def _pooled(b: Body, x: _X, y: _Y, operator: str, **attributes: Any) -> str:
    rank = len(b.shape(0))
    is_last = bool(one_of(b.node, "channels_last", 0, (0, 1)))
    given = b.transpose(x[0], 0, rank - 1, *range(1, rank - 1)) if is_last else x[0]
    result = _between(b, (given, x[1], x[2]), y, operator, **attributes)
    return b.transpose(result, 0, *range(2, rank), 1) if is_last else result


@spelled("QLinearMul")
def product(
    b: Body, a: str, a_scale: str, a_zero: str, x: str, x_scale: str, x_zero: str, scale: str,
    zero: str = "",
) -> str:  # fmt: skip
    """Return the product of integers as integers."""
    y = b("Mul", _floats(b, a, a_scale, a_zero), _floats(b, x, x_scale, x_zero))
    return _integers(b, y, scale, zero, like=0)


@spelled("QLinearConcat")
def joined(b: Body, scale: str, zero: str, *inputs: str) -> str:
    """Return integers behind each other, of one scale."""
    if not inputs or len(inputs) % 3:
        raise ModelError("needs a scale and a zero point for each tensor", given=f"{len(inputs)}")
    triples = zip(inputs[::3], inputs[1::3], inputs[2::3], strict=True)
    y = b("Concat", *(_floats(b, *each) for each in triples), axis=b.node.attribute("axis"))
    return _integers(b, y, scale, zero, like=2)


# ---- products ----


@spelled("QGemm")
def product_of_matrices(
    b: Body, a: str, a_scale: str, a_zero: str, w: str, w_scale: str, w_zero: str, c: str = "",
    scale: str = "", zero: str = "",
) -> str:  # fmt: skip
    """Return alpha * A B + C, in integers until it is scaled; floats without a scale of theirs."""
    a = b.transpose(a, 1, 0) if b.node.attribute("transA", 0) else a
    w = b.transpose(w, 1, 0) if b.node.attribute("transB", 0) else w
    total = b("MatMulInteger", a, w, a_zero, w_zero)
    total = b("Add", total, c) if c else total
    factor = b("Mul", a_scale, w_scale)
    alpha = b.node.attribute("alpha", 1.0)
    if alpha != 1:
        factor = b("Mul", factor, b.constant(alpha, np.float32))
    y = b("Mul", b.cast(total, np.float32), factor)
    return _integers(b, y, scale, zero, like=0) if scale else y


# ---- recurrent ----


@spelled("DynamicQuantizeLSTM")
def recurrent(b: Body, x: str, w: str, r: str, *others: str) -> tuple[str, ...]:
    """Return LSTM, its weights made floats once.

    ONNX Runtime makes integers of inputs and states in each step too, which this does not.
    """
    *rest, w_scale, w_zero, r_scale, r_zero = others
    weights = []
    for index, (values, scale, zero) in enumerate([(w, w_scale, w_zero), (r, r_scale, r_zero)]):
        directions, _, columns = b.shape(1 + index)
        is_single = b.node.value(8 + 2 * index).count == directions
        sizes = (directions, 1, 1 if is_single else columns)
        floats = b.cast(values, np.float32)
        floats = b("Sub", floats, b.cast(b.reshape(zero, *sizes), np.float32))
        floats = b("Mul", floats, b.reshape(scale, *sizes))
        weights.append(b.transpose(floats, 0, 2, 1))
    attributes = b.attributes(
        "activation_alpha", "activation_beta", "activations", "clip", "direction", "hidden_size",
        "input_forget",
    )  # fmt: skip
    return tuple(b.several("LSTM", 3, x, *weights, *rest, **attributes))
