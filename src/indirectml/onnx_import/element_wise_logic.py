"""Element by element: what is said of numbers, and the other bits."""

from __future__ import annotations

import math

import numpy as np

from indirectml.catalogue.enumerations import IsInfinityMode
from indirectml.graphs.expressions import Expression, reinterpret
from indirectml.onnx_import.nodes import Node, handler
from indirectml.onnx_import.values import BOOL, Value, number_like, packed
from indirectml.operators.functions import (
    bit_not,
    cast,
    equals,
    greater_than,
    is_infinity,
    is_nan,
    logical_not,
    logical_or,
)


@handler("Not")
def negated(node: Node) -> Value:
    """Return true where the input is false."""
    value = node.value(0)
    if value.array is not None:
        node.take(value.shape, BOOL)
        return Value(np.logical_not(value.array))
    return node.made(logical_not(node.expression(0)), value.shape)


@handler("BitwiseNot", since=18)
def other_bits(node: Node) -> Value:
    """Return all bits turned round."""
    return node.made(bit_not(node.expression(0)), node.value(0).shape)


@handler("Binarizer", domain="ai.onnx.ml")
def above(node: Node) -> Value:
    """Return 1 where the input is above a threshold, and 0 elsewhere."""
    x, threshold = node.expression(0), node.attribute("threshold", 0.0)
    if x.dtype.kind != "f":
        # What is above a number is above the integer below it, which has to be one.
        limits = np.iinfo(x.dtype)
        threshold = min(max(math.floor(threshold), limits.min), limits.max)
    is_above = greater_than(x, number_like(x, threshold))
    return node.made(cast(is_above, dtype=x.desc.data_type), node.value(0).shape)


@handler("IsNaN", since=9)
def nan(node: Node) -> Value:
    """Return where the input is no number."""
    x = node.expression(0)
    if x.dtype == np.float64:  # which stays none in FLOAT32
        x = cast(x, dtype=np.float32)
    return node.made(is_nan(x), node.value(0).shape, BOOL)


@handler("IsInf", since=10)
def infinite(node: Node) -> Value:
    """Return where the input is an infinity of a sign that is looked for."""
    signs = bool(node.attribute("detect_positive")), bool(node.attribute("detect_negative"))
    shape = node.value(0).shape
    if not any(signs):
        return Value(np.broadcast_to(np.False_, shape))
    mode = {
        (True, True): IsInfinityMode.EITHER,
        (True, False): IsInfinityMode.POSITIVE,
        (False, True): IsInfinityMode.NEGATIVE,
    }[signs]
    x = node.expression(0)
    if x.dtype == np.float64:  # which large numbers are not, but in FLOAT32
        return node.made(_infinite_bits(x, signs), shape, BOOL)
    return node.made(is_infinity(x, infinity_mode=mode), shape, BOOL)


#: The bits of the infinities of FLOAT64.
_INFINITIES = (0x7FF0000000000000, 0xFFF0000000000000)


def _infinite_bits(x: Expression, signs: tuple[bool, bool]) -> Expression:
    """Return where FLOAT64 has the bits of the infinities that are looked for."""
    bits = reinterpret(packed(x), x.shape, dtype=np.uint64)
    found = [
        equals(bits, number_like(bits, infinity))
        for infinity, is_wanted in zip(_INFINITIES, signs, strict=True)
        if is_wanted
    ]
    return found[0] if len(found) == 1 else logical_or(*found)
