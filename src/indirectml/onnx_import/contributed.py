"""Operators of ONNX Runtime's own domain, com.microsoft, which its optimizers put into models."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from indirectml.catalogue.enumerations import MultiheadAttentionMaskType as MaskType
from indirectml.core.errors import ModelError
from indirectml.graphs.expressions import Expression, broadcast
from indirectml.onnx_import.building import Output, added
from indirectml.onnx_import.matrices import multiplied
from indirectml.onnx_import.nodes import Node, Results, handler
from indirectml.onnx_import.quantized import Factors
from indirectml.onnx_import.values import Value, aligned, number_like, packed, transposed, viewed
from indirectml.operators import functions

DOMAIN = "com.microsoft"

_GELU_FACTOR = math.sqrt(2 / math.pi)
_GELU_CUBE = 0.044715


# ---- activations ----


@handler("Gelu", domain=DOMAIN)
def gelu(node: Node) -> Value:
    """Return x * (1 + erf(x / sqrt(2))) / 2."""
    return node.made(functions.activation_gelu(node.expression(0)), node.value(0).shape)


@handler("BiasGelu", domain=DOMAIN)
def gelu_of_sum(node: Node) -> Value:
    """Return Gelu of a sum."""
    (a, b), shape = aligned(node.graph, [node.value(0), node.value(1)])
    return node.made(functions.activation_gelu(functions.add(a, b)), shape)


@handler("FastGelu", domain=DOMAIN)
def gelu_by_tanh(node: Node) -> Value:
    """Return x * (1 + tanh(sqrt(2 / pi) * (x + 0.044715 * x^3))) / 2, of a sum."""
    values = [node.value(0), *([node.value(1)] if node.has(1) else [])]
    terms, shape = aligned(node.graph, values)
    x = functions.add(*terms) if len(terms) > 1 else terms[0]
    multiply = functions.multiply
    cube = multiply(multiply(x, x), x) * _GELU_CUBE
    inner = functions.tanh(functions.add(x, cube) * _GELU_FACTOR)
    return node.made(multiply(x * 0.5, inner + 1.0), shape)


@handler("QuickGelu", domain=DOMAIN)
def gelu_by_sigmoid(node: Node) -> Value:
    """Return x * sigmoid(alpha * x)."""
    alpha = node.attribute("alpha", 1.702)
    result = functions.activation_swish(node.expression(0), sigmoid_input_scale=alpha)
    return node.made(result, node.value(0).shape)


# ---- normalization ----


@handler("SkipLayerNormalization", domain=DOMAIN)
def normalized_sum(node: Node) -> Results:
    """Return rows of a sum normalized by their moments; and the sum."""
    if node.wants(1) or node.wants(2):
        raise ModelError("needs outputs without moments", given="mean or its like")
    values = [node.value(0), node.value(1), *([node.value(4)] if node.has(4) else [])]
    terms, shape = aligned(node.graph, values)
    total = functions.add(terms[0], terms[1])
    if len(terms) > 2:  # noqa: PLR2004 (both summands)
        total = functions.add(total, terms[2])
    scale, bias = (
        broadcast(node.expression(k), total.shape) if node.has(k) else None for k in (2, 3)
    )
    result = functions.mean_variance_normalization(
        total, scale, bias, axes=[len(total.shape) - 1], epsilon=node.attribute("epsilon", 1e-12)
    )
    return node.made(result, shape), None, None, node.made(total, shape)


# ---- products ----


@handler("FusedMatMul", domain=DOMAIN)
def scaled_product(node: Node) -> Value:
    """Return alpha times the product of two tensors, dimensions in the order that it says."""
    factors = []
    for index, side in enumerate("AB"):
        value = node.value(index)
        order = list(range(value.rank))
        if value.rank > 1 and node.attribute(f"transBatch{side}", 0):
            order.insert(value.rank - 2, order.pop(0))  # rows stand before the batches
        if value.rank > 1 and node.attribute(f"trans{side}", 0):
            order[-2:] = order[:-3:-1]
        if order != list(range(value.rank)):
            value = Value(packed(transposed(value.expression(node.graph), order)))
        factors.append(value)
    result, shape = multiplied(node, *factors)
    alpha = node.attribute("alpha", 1.0)
    if alpha != 1:
        result = functions.multiply(result, number_like(result, alpha))
    return node.made(result, shape)


@handler("MatMulIntegerToFloat", domain=DOMAIN)
def product_in_floats(node: Node) -> Value:
    """Return the product of integers, times their scales."""
    own = Factors(node, 0, 1)
    result = _in_floats(node, own, [own.a, own.of_rows(2), own.of_rows(4)], (3, 5, 6))
    return node.made(result, own.shape)


@handler("DynamicQuantizeMatMul", domain=DOMAIN)
def product_of_quantized(node: Node) -> Value:
    """Return the product of floats, which become integers first, and integers, times a scale."""
    own = Factors(node, 0, 1)
    ones = (1,) * len(own.a.shape)
    outputs: list[Output] = [(np.uint8, own.a.shape), (np.float32, ones), (np.uint8, ones)]
    a = added(node.graph, "DYNAMIC_QUANTIZE_LINEAR", [own.a], outputs)
    return node.made(_in_floats(node, own, a, (2, 3, 4)), own.shape)


def _in_floats(
    node: Node, own: Factors, a: Sequence[Expression | None], of_b: Sequence[int]
) -> Expression:
    """Return the product of A, with its scale and zero point, and B, plus a bias."""
    scale, zero, bias = (own.of_columns(index) for index in of_b)
    if bias is not None:
        bias = broadcast(bias, own.sizes)
    inputs = [*a, own.b, scale, zero, bias]
    integers, a_scale, a_zero = a
    assert integers is not None and a_scale is not None and scale is not None  # noqa: PT018, S101 (inputs that are there)
    if integers.desc.data_type is not own.b.desc.data_type:
        # The operator has one data type for both.
        product = added(
            node.graph, "MATRIX_MULTIPLY_INTEGER", [integers, a_zero, own.b, zero],
            [(np.int32, own.sizes)],
        )[0]  # fmt: skip
        factors = (broadcast(each, own.sizes) for each in (a_scale, scale))
        result = functions.multiply(
            functions.cast(product, dtype=np.float32), functions.multiply(*factors)
        )
        return result if bias is None else functions.add(result, bias)
    outputs: list[Output] = [(np.float32, own.sizes)]
    return added(node.graph, "MATRIX_MULTIPLY_INTEGER_TO_FLOAT", inputs, outputs)[0]


@handler("QLinearAdd", domain=DOMAIN)
def quantized_sum(node: Node) -> Value:
    """Return the sum of quantized tensors."""
    (a, b), shape = aligned(node.graph, [node.value(0), node.value(3)])

    def one(index: int) -> Expression | None:
        if not node.has(index):
            return None
        return viewed(node.expression(index), (1,) * len(a.shape))

    inputs = [packed(a), one(1), one(2), packed(b), one(4), one(5), one(6), one(7)]
    outputs: list[Output] = [(a.desc.data_type, a.shape)]
    (result,) = added(node.graph, "ELEMENT_WISE_QUANTIZED_LINEAR_ADD", inputs, outputs)
    return node.made(result, shape)


# ---- attention ----


@handler("MultiHeadAttention", domain=DOMAIN)
def attended(node: Node) -> Results:
    """Return values weighed by how well keys answer queries: MULTIHEAD_ATTENTION."""
    heads = node.attribute("num_heads")
    if node.attribute("unidirectional", 0) or any(node.value(k).rank != 3 for k in range(3)):  # noqa: PLR2004 (batch, length, heads times size)
        raise ModelError(
            "needs queries, keys and values of 3 dimensions, and no order in time",
            given=f"{[len(v.shape) if v else 0 for v in node.inputs[:3]]} dimensions",
        )
    query, key, value = (node.expression(k) for k in range(3))
    batch, length, hidden = query.shape
    past = node.value(6).shape[2] if node.has(6) else 0
    total = past + key.shape[1]
    bias = viewed(node.expression(3), (1, 1, node.value(3).count)) if node.has(3) else None
    kind, mask = _mask(node, batch, heads, length, total)
    position = None
    if node.has(5):
        position = packed(broadcast(node.expression(5), (batch, heads, length, total)))
    inputs = [query, key, value, None, None, None, bias, mask, position]
    inputs += [node.expression(k) if node.has(k) else None for k in (6, 7)]
    data_type = query.desc.data_type
    shape = (batch, length, value.shape[2])
    outputs: list[Output] = [(data_type, shape)]
    present = [(batch, heads, total, n // heads) for n in (key.shape[2], value.shape[2])]
    outputs += [(data_type, own) if node.wants(k + 1) else None for k, own in enumerate(present)]
    results = added(
        node.graph, "MULTIHEAD_ATTENTION", inputs, outputs, head_count=heads, mask_type=kind,
        scale=node.attribute("scale", 0.0) or 1 / math.sqrt(hidden // heads),
        mask_filter_value=node.attribute("mask_filter_value", -10000.0),
    )  # fmt: skip
    shapes = [shape, *present]
    return tuple(
        None if x is None else node.made(x, own) for x, own in zip(results, shapes, strict=True)
    )


def _mask(
    node: Node, batch: int, heads: int, length: int, total: int
) -> tuple[MaskType, Expression | None]:
    if not node.has(4):
        return MaskType.NONE, None
    x = functions.cast(node.expression(4), dtype=np.int32)
    if node.value(4).shape == (batch,):
        return MaskType.KEY_SEQUENCE_LENGTH, viewed(x, (1, batch))
    if node.value(4).shape != (batch, total):
        raise ModelError(
            f"needs a mask of {[batch]} or {[batch, total]}",
            given=f"{list(node.value(4).shape)}",
            field="inputs[4]",
        )
    whole = (batch, heads, length, total)
    return MaskType.BOOLEAN, packed(broadcast(viewed(x, (batch, 1, 1, total)), whole))
