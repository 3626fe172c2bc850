"""Element by element, of two tensors that are broadcast to one another."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np

from indirectml.onnx_import.nodes import Node, handler
from indirectml.onnx_import.values import Value, aligned
from indirectml.operators.functions import add, divide, max, min, multiply, subtract  # noqa: A004

#: By operator, what does it in a graph, and for integers that are known.
_ARITHMETIC: dict[str, tuple[Any, Any]] = {
    "Add": (add, np.add),
    "Sub": (subtract, np.subtract),
    "Mul": (multiply, np.multiply),
    "Div": (divide, None),
    "Max": (max, np.maximum),
    "Min": (min, np.minimum),
}


@handler(*_ARITHMETIC, since=7)
def arithmetic(node: Node) -> Value:
    """Return sum, difference, product or quotient; the largest or smallest of any number."""
    in_graph, in_numpy = _ARITHMETIC[node.operator]
    values = [node.value(index) for index in range(len(node.inputs))]
    if len(values) == 1:
        return values[0]
    arrays = [value.array for value in values]
    if in_numpy is not None and all(a is not None and a.dtype.kind in "iu" for a in arrays):
        with np.errstate(over="ignore"):
            return Value(np.asarray(functools.reduce(in_numpy, arrays)))
    operands, shape = aligned(node.graph, values)
    return node.made(functools.reduce(in_graph, operands), shape)
