"""ONNX forms of element-wise functions of one or two numbers.

IndirectML rounds them correctly; an ONNX runtime comes within a few ULP.
"""

from __future__ import annotations

import math

import numpy as np

from indirectml.onnx_export.building import INT64, SINGLE, Value
from indirectml.onnx_export.forms import Node, form, renamed
from indirectml.onnx_export.words import both, compared, modular, sign_of, truncated

renamed(
    {
        "ELEMENT_WISE_ACOS": "Acos",
        "ELEMENT_WISE_ACOSH": "Acosh",
        "ELEMENT_WISE_ASIN": "Asin",
        "ELEMENT_WISE_ASINH": "Asinh",
        "ELEMENT_WISE_ATAN": "Atan",
        "ELEMENT_WISE_ATANH": "Atanh",
        "ELEMENT_WISE_COS": "Cos",
        "ELEMENT_WISE_COSH": "Cosh",
        "ELEMENT_WISE_ERF": "Erf",
        "ELEMENT_WISE_EXP": "Exp",
        "ELEMENT_WISE_LOG": "Log",
        "ELEMENT_WISE_RECIP": "Reciprocal",
        "ELEMENT_WISE_SIN": "Sin",
        "ELEMENT_WISE_SINH": "Sinh",
        "ELEMENT_WISE_SQRT": "Sqrt",
        "ELEMENT_WISE_TAN": "Tan",
        "ELEMENT_WISE_TANH": "Tanh",
    }
)


@form("ELEMENT_WISE_ATAN_YX", broadcasts=True)
def atan_yx(node: Node, a: Value, c: Value) -> Value:
    """Atan of |A| / |B|, taken from pi where B is negative, with the sign of A.

    Two zeros give an angle of 0, two infinities one of pi / 4.
    """
    b = node.b
    y, x = b.add("Abs", a), b.add("Abs", c)
    zeros = both(b, compared(b, "Equal", a, 0), compared(b, "Equal", c, 0))
    infinite = both(b, compared(b, "Equal", y, np.inf), compared(b, "Equal", x, np.inf))
    angle = b.add("Atan", b.add("Div", y, x))
    angle = b.where(zeros, 0, b.where(infinite, np.float32(math.pi / 4), angle))
    is_behind = compared(b, "Less", sign_of(b, c), 0)
    turned = b.add("Sub", b.number(np.float32(math.pi), a.dtype), angle)
    return b.add("Mul", b.where(is_behind, turned, angle), sign_of(b, a))


@form("ELEMENT_WISE_CONSTANT_POW")
def constant_power(node: Node, x: Value) -> Value:
    """Pow with a constant; ones for 0, of which ONNX Runtime lets a NaN be one."""
    if node["exponent"] == 0:
        return node.b.expand(node.b.number(1, SINGLE), x.sizes)
    return node.b.add("Pow", x, node.b.number(node["exponent"], SINGLE))


@form("ELEMENT_WISE_POW", broadcasts=True)
def power(node: Node, x: Value, exponent: Value) -> Value:
    """Pow of floats; of integers repeated squares, modulo 2^bits.

    ONNX leaves open what becomes of integers that overflow and of negative exponents.
    """
    b = node.b
    if not x.is_float and not exponent.is_float:
        return _integer_power(node, x, exponent)
    made = b.add("Pow", b.cast(x, SINGLE), b.cast(exponent, SINGLE))
    return made if x.is_float else truncated(b, made, x.dtype)


def _integer_power(node: Node, x: Value, exponent: Value) -> Value:
    """Return a product of the squares whose bit the exponent has; towards zero for negative ones.

    A square after as many steps as the exponent has bits counts no more.
    """
    b = node.b
    bits = np.iinfo(exponent.dtype).bits - (exponent.dtype.kind == "i")
    base = b.cast(x, np.int32 if x.dtype.itemsize < 4 or x.dtype == np.int32 else np.int64)  # noqa: PLR2004 (bytes)
    left = b.cast(exponent, INT64)
    negative = compared(b, "Less", left, 0)
    magnitude = b.add("Abs", left)
    is_odd = compared(b, "Equal", b.add("Mod", magnitude, 2), 1)
    total = b.where(is_odd, base, b.number(1, base.dtype))
    square = base
    for step in range(1, bits):
        square = modular(b, "Mul", square, square)
        part = b.add("Mod", b.add("Div", magnitude, 1 << step), 2)
        factor = b.where(compared(b, "Equal", part, 1), square, b.number(1, base.dtype))
        total = modular(b, "Mul", total, factor)
    if exponent.dtype.kind == "i":
        # 1 / x towards zero: 1 and -1 are their own, everything else gives 0.
        wide = b.cast(x, base.dtype)
        is_unit = compared(b, "LessOrEqual", b.add("Abs", wide), 1)
        is_unit = both(b, is_unit, b.add("Not", compared(b, "Equal", wide, 0), dtype=bool))
        inverse = b.where(is_unit, b.where(is_odd, wide, b.number(1, base.dtype)), 0)
        total = b.where(negative, inverse, total)
    return b.cast(total, x.dtype)
