"""ONNX forms of element-wise arithmetic of two inputs, and the choice between two."""

from __future__ import annotations

from indirectml.onnx_export.building import Value
from indirectml.onnx_export.forms import Node, form
from indirectml.onnx_export.words import is_true, modular


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
    """Where."""
    return node.b.where(is_true(node.b, condition), a, b)
