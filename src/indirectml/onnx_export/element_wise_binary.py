"""ONNX forms of element-wise arithmetic of two inputs, and the choice between two."""

from __future__ import annotations

import numpy as np

from indirectml.onnx_export.building import BOOL, Value
from indirectml.onnx_export.forms import Node, form
from indirectml.onnx_export.words import (
    both,
    compared,
    either,
    extreme,
    is_true,
    modular,
    opposite,
    selected,
)


@form("ELEMENT_WISE_ADD1", broadcasts=True)
def total(node: Node, a: Value, b: Value) -> Value:
    """Add; integers modulo 2^bits."""
    return modular(node.b, "Add", a, b)


@form("ELEMENT_WISE_SUBTRACT", broadcasts=True)
def difference(node: Node, a: Value, b: Value) -> Value:
    """Sub; integers modulo 2^bits."""
    return modular(node.b, "Sub", a, b)


@form("ELEMENT_WISE_MULTIPLY", broadcasts=True)
def product(node: Node, a: Value, b: Value) -> Value:
    """Mul; integers modulo 2^bits."""
    return modular(node.b, "Mul", a, b)


@form("ELEMENT_WISE_IF", broadcasts=True)
def chosen(node: Node, condition: Value, a: Value, b: Value) -> Value:
    """Where, every bit kept."""
    return selected(node.b, is_true(node.b, condition), a, b, node.sizes)


@form("ELEMENT_WISE_DIVIDE", broadcasts=True)
def quotient(node: Node, a: Value, b: Value) -> Value:
    """Div; of integers without what processors refuse: by zero it is 0, by -1 it is 0 - A.

    ONNX's Div of integers is towards zero.
    """
    if a.is_float:
        return node.b.add("Div", a, b)
    return _of_divisors(node, "Div", a, b, by_minus_one=modular(node.b, "Sub", _zero(node, a), a))


@form("ELEMENT_WISE_MODULUS_TRUNCATE", broadcasts=True)
def remainder_towards_zero(node: Node, a: Value, b: Value) -> Value:
    """Mod with fmod; of integers A - A / B * B, and modulo zero 0.

    ONNX Runtime's fmod of 64-bit integers goes through FLOAT64.
    """
    build = node.b
    if a.is_float:
        return build.add("Mod", a, b, fmod=1)
    whole = _of_divisors(node, "Div", a, b, by_minus_one=modular(build, "Sub", _zero(node, a), a))
    left = modular(build, "Sub", a, modular(build, "Mul", whole, b))
    return build.where(compared(build, "Equal", b, 0), 0, left)


@form("ELEMENT_WISE_MODULUS_FLOOR", broadcasts=True)
def remainder_downwards(node: Node, a: Value, b: Value) -> Value:
    """Mod of integers; of floats the exact remainder towards zero and one addition.

    A result of zero may have the other sign.
    """
    if not a.is_float:
        return _of_divisors(node, "Mod", a, b, by_minus_one=_zero(node, a))
    build = node.b
    left = build.add("Mod", a, b, fmod=1)
    differs = build.add(
        "Xor", compared(build, "Less", left, 0), compared(build, "Less", b, 0), dtype=BOOL
    )
    is_other = both(build, opposite(build, compared(build, "Equal", left, 0)), differs)
    return build.where(is_other, build.add("Add", left, b), left)


def _zero(node: Node, like: Value) -> Value:
    return node.b.number(0, like.dtype)


def _of_divisors(node: Node, operator: str, a: Value, b: Value, *, by_minus_one: Value) -> Value:
    """Return Div or Mod of integers where a divisor may be 0, or -1 under the smallest integer."""
    build = node.b
    is_zero = compared(build, "Equal", b, 0)
    made = build.add(operator, a, build.where(is_zero, 1, b))
    if a.dtype.kind == "i":
        is_minus_one = compared(build, "Equal", b, -1)
        safe = build.where(either(build, is_zero, is_minus_one), 1, b)
        made = build.where(is_minus_one, by_minus_one, build.add(operator, a, safe))
    return build.where(is_zero, 0, made)


@form("ELEMENT_WISE_MAX", broadcasts=True)
def larger(node: Node, a: Value, b: Value) -> Value:
    """Max; which of +0 and -0 is the larger is the runtime's."""
    return _extreme(node, "Max", a, b)


@form("ELEMENT_WISE_MIN", broadcasts=True)
def smaller(node: Node, a: Value, b: Value) -> Value:
    """Min; which of +0 and -0 is the smaller is the runtime's."""
    return _extreme(node, "Min", a, b)


def _extreme(node: Node, operator: str, a: Value, b: Value) -> Value:
    """Return Max or Min; INT16 and UINT16 go through INT32."""
    through = np.dtype(np.int32) if a.dtype in (np.int16, np.uint16) else a.dtype
    made = extreme(node.b, operator, node.b.cast(a, through), node.b.cast(b, through))
    return node.b.cast(made, a.dtype)


@form("ELEMENT_WISE_MEAN", broadcasts=True)
def mean(node: Node, a: Value, b: Value) -> Value:
    """Add, then Div by 2; of integers modulo 2^bits, then towards zero."""
    return node.b.add("Div", modular(node.b, "Add", a, b), 2)


@form("ELEMENT_WISE_DIFFERENCE_SQUARE", broadcasts=True)
def squared_difference(node: Node, a: Value, b: Value) -> Value:
    """Sub, Mul."""
    left = modular(node.b, "Sub", a, b)
    return modular(node.b, "Mul", left, left)
