"""ONNX forms of element-wise logic, comparisons, and operations on bits."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from indirectml.catalogue.enumerations import IsInfinityMode
from indirectml.onnx_export.building import BOOL, Builder, DType, Value
from indirectml.onnx_export.forms import Node, form
from indirectml.onnx_export.views import reinterpreted
from indirectml.onnx_export.words import compared, is_true, opposite


def _logic(operator: str) -> Callable[..., Value]:
    def of_truth(node: Node, *inputs: Value) -> Value:
        return node.b.add(operator, *(is_true(node.b, x) for x in inputs), dtype=BOOL)

    return of_truth


for _name, _operator in {"AND": "And", "OR": "Or", "XOR": "Xor", "NOT": "Not"}.items():
    form(f"ELEMENT_WISE_LOGICAL_{_name}", broadcasts=True)(_logic(_operator))


def _comparison(operator: str) -> Callable[..., Value]:
    def compare(node: Node, x: Value, y: Value) -> Value:
        return compared(node.b, operator, x, y)

    return compare


for _name, _operator in {
    "EQUALS": "Equal",
    "GREATER_THAN": "Greater",
    "GREATER_THAN_OR_EQUAL": "GreaterOrEqual",
    "LESS_THAN": "Less",
    "LESS_THAN_OR_EQUAL": "LessOrEqual",
}.items():
    form(f"ELEMENT_WISE_LOGICAL_{_name}", broadcasts=True)(_comparison(_operator))


@form("ELEMENT_WISE_IS_NAN")
def is_nan(node: Node, x: Value) -> Value:
    """IsNaN."""
    return node.b.add("IsNaN", x, dtype=BOOL)


@form("ELEMENT_WISE_IS_INFINITY")
def is_infinity(node: Node, x: Value) -> Value:
    """IsInf."""
    mode = node["infinity_mode"]
    return node.b.add(
        "IsInf",
        x,
        dtype=BOOL,
        detect_positive=int(mode != IsInfinityMode.NEGATIVE),
        detect_negative=int(mode != IsInfinityMode.POSITIVE),
    )


def _bitwise(operator: str) -> Callable[..., Value]:
    def of_bits(node: Node, *inputs: Value) -> Value:
        dtype = inputs[0].dtype
        made = node.b.add(operator, *(reinterpreted(node.b, x, _bits(dtype)) for x in inputs))
        return reinterpreted(node.b, made, dtype)

    return of_bits


def _bits(dtype: DType) -> DType:
    """Return the integers that have the bits of a dtype: itself, or for floats unsigned ones."""
    return dtype if dtype.kind in "iu" else np.dtype(f"u{dtype.itemsize}")


for _name, _operator in {
    "AND": "BitwiseAnd",
    "OR": "BitwiseOr",
    "XOR": "BitwiseXor",
    "NOT": "BitwiseNot",
}.items():
    form(f"ELEMENT_WISE_BIT_{_name}", broadcasts=True)(_bitwise(_operator))


@form("ELEMENT_WISE_BIT_COUNT")
def bit_count(node: Node, x: Value) -> Value:
    """Sums of neighbouring bits, then of pairs, and so on, in unsigned integers."""
    b = node.b
    width = 8 * x.dtype.itemsize
    # In UINT32 at least, which ONNX Runtime shifts.
    wide = np.dtype(np.uint64 if width == 64 else np.uint32)  # noqa: PLR2004 (bits)
    bits = b.cast(reinterpreted(b, x, np.dtype(f"u{x.dtype.itemsize}")), wide)
    step = 1
    while step < width:
        mask = sum(((1 << step) - 1) << k for k in range(0, width, 2 * step))
        high = b.add("BitwiseAnd", _shifted(b, bits, step), mask)
        bits = b.add("Add", b.add("BitwiseAnd", bits, mask), high)
        step *= 2
    return bits


def _shifted(b: Builder, x: Value, count: int) -> Value:
    return b.add("BitShift", x, count, direction="RIGHT")


@form("ELEMENT_WISE_BIT_SHIFT_LEFT", broadcasts=True)
def bit_shift_left(node: Node, x: Value, count: Value) -> Value:
    """BitShift; 0 where ONNX leaves it open, from as many bits as there are."""
    return _shift(node, x, count, "LEFT")


@form("ELEMENT_WISE_BIT_SHIFT_RIGHT", broadcasts=True)
def bit_shift_right(node: Node, x: Value, count: Value) -> Value:
    """BitShift; 0 where ONNX leaves it open, from as many bits as there are."""
    return _shift(node, x, count, "RIGHT")


def _shift(node: Node, x: Value, count: Value, direction: str) -> Value:
    b = node.b
    width = 8 * x.dtype.itemsize
    # UINT16, which ONNX Runtime does not shift, as UINT32.
    through = np.dtype(np.uint32) if x.dtype == np.uint16 else x.dtype
    is_far = compared(b, "GreaterOrEqual", count, width)
    near = b.where(is_far, b.number(0, count.dtype), count)
    made = b.cast(
        b.add("BitShift", b.cast(x, through), b.cast(near, through), direction=direction), x.dtype
    )
    return b.where(opposite(b, is_far), made, 0)
