"""Element by element: functions of one tensor, and powers."""

from __future__ import annotations

import numpy as np

from indirectml.onnx_import.nodes import Node, handler
from indirectml.onnx_import.values import Value, aligned
from indirectml.operators.functions import (
    acos,
    acosh,
    asin,
    asinh,
    atan,
    atanh,
    cast,
    cos,
    cosh,
    erf,
    exp,
    log,
    multiply,
    pow,  # noqa: A004 (the name in the `directml` package)
    recip,
    sin,
    sinh,
    sqrt,
    tan,
    tanh,
)

#: The largest exponent of INT64 that becomes products.
_MOST_EXPONENT = 64

_FUNCTIONS = {
    "Acos": acos,
    "Acosh": acosh,
    "Asin": asin,
    "Asinh": asinh,
    "Atan": atan,
    "Atanh": atanh,
    "Cos": cos,
    "Cosh": cosh,
    "Erf": erf,
    "Exp": exp,
    "Log": log,
    "Reciprocal": recip,
    "Sin": sin,
    "Sinh": sinh,
    "Sqrt": sqrt,
    "Tan": tan,
    "Tanh": tanh,
}


@handler(*_FUNCTIONS)
def function(node: Node) -> Value:
    """Return the function of each element, by the operator of the same name."""
    return node.made(_FUNCTIONS[node.operator](node.expression(0)), node.value(0).shape)


@handler("Pow", since=7)
def power(node: Node) -> Value:
    """Return powers: by ELEMENT_WISE_CONSTANT_POW if there is one exponent, which is known."""
    base, exponent = node.value(0), node.value(1)
    if exponent.array is not None and exponent.count == 1 and exponent.rank <= base.rank:
        number = float(exponent.array.reshape(-1)[0])
        if base.dtype.kind == "f" and np.float32(number) == number:
            return node.made(pow(node.expression(0), number), base.shape)
        if base.dtype == np.int64 and number in range(_MOST_EXPONENT + 1):
            return _whole_power(node, int(number))
    (x, y), shape = aligned(node.graph, [base, exponent])
    is_64 = exponent.dtype.itemsize == np.dtype(np.int64).itemsize
    if is_64 or (base.dtype.kind == exponent.dtype.kind == "f" and base.dtype != exponent.dtype):
        # No power has exponents of 64 bits: what FLOAT32 holds of them decides.
        y = cast(y, dtype=np.int32 if base.dtype.kind in "iu" else np.float32)
        y = cast(y, dtype=base.dtype) if base.dtype == np.float16 else y
    return node.made(pow(x, y), shape)


def _whole_power(node: Node, exponent: int) -> Value:
    """Return a power of INT64, which ELEMENT_WISE_POW has not: by products."""
    base = node.value(0)
    if not exponent:
        return Value(np.broadcast_to(np.ones((), base.dtype), base.shape))
    square = node.expression(0)
    found = None
    while exponent:
        if exponent & 1:
            found = square if found is None else multiply(found, square)
        exponent >>= 1
        square = multiply(square, square) if exponent else square
    return node.made(found, base.shape)  # type: ignore[arg-type]  # it has a bit
