"""Element by element: what is said of numbers, and the other bits."""

from __future__ import annotations

import numpy as np

from indirectml.catalogue.enumerations import IsInfinityMode
from indirectml.onnx_import.nodes import Node, handler
from indirectml.onnx_import.values import BOOL, Value
from indirectml.operators.functions import bit_not, is_infinity, is_nan, logical_not


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


@handler("IsNaN", since=9)
def nan(node: Node) -> Value:
    """Return where the input is no number."""
    return node.made(is_nan(node.expression(0)), node.value(0).shape, BOOL)


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
    return node.made(is_infinity(node.expression(0), infinity_mode=mode), shape, BOOL)
