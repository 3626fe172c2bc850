"""ONNX forms of pooling."""

from __future__ import annotations

import math

import numpy as np

from indirectml.arithmetic.windows import Window
from indirectml.onnx_export.building import DOUBLE, INT64, SINGLE, Builder, Value
from indirectml.onnx_export.forms import Node, form
from indirectml.onnx_export.windows import (
    attributes_of,
    averages,
    has_narrow_padding,
    unfolded,
    window_of,
)
from indirectml.onnx_export.words import both, compared, counted, extreme_key, largest_along

#: What goes through which dtype of ONNX Runtime's MaxPool without loss.
_THROUGH = {
    "int16": SINGLE,
    "uint16": SINGLE,
    "int32": DOUBLE,
    "uint32": DOUBLE,
}


@form("AVERAGE_POOLING1")
def average_pooling(node: Node, x: Value) -> Value:
    """AveragePool; by Gather and ReduceSum where padding is as large as the window.

    ONNX leaves the order of sums open. Dilations need opset 19.
    """
    return averages(node.b, x, window_of(node), with_padding=node["include_padding"])


@form("LP_POOLING1")
def lp_pooling(node: Node, x: Value) -> Value:
    """LpPool; by Gather where padding is as large as the window.

    ONNX leaves the order of sums open.
    """
    b, p = node.b, node["p"]
    window = window_of(node)
    if has_narrow_padding(window):
        return b.add("LpPool", x, sizes=node.sizes, p=p, **attributes_of(window))
    found = b.add("Abs", unfolded(b, x, window, np.zeros(1, x.dtype)))
    powers = b.add("Pow", found, float(p))
    total = b.reduce("ReduceSum", powers, range(x.rank, found.rank), keep=False)
    return b.add("Pow", total, 1 / p)


@form("MAX_POOLING2")
def max_pooling(node: Node, x: Value) -> tuple[Value, Value | None]:
    """MaxPool, whose indices are DirectML's; by Gather and ReduceMax of 64-bit integers.

    Narrower integers go through floats that hold them. What becomes of NaN, of the signs of zeros,
    and of windows without an element is the runtime's.
    """
    b = node.b
    window = window_of(node)
    has_indices = len(node.outputs) > 1 and node.outputs[1] is not None
    if not has_narrow_padding(window) or x.dtype in (np.int64, np.uint64):
        return _max_by_gather(node, x, window, has_indices=has_indices)
    through = _THROUGH.get(x.dtype.name, x.dtype)
    made = b.add_several(
        "MaxPool",
        [b.cast(x, through)],
        [(through, node.sizes), (INT64, node.sizes) if has_indices else None][: 1 + has_indices],
        **attributes_of(window),
    )
    return b.cast(made[0], x.dtype), made[1] if has_indices else None


def _max_by_gather(
    node: Node, x: Value, window: Window, *, has_indices: bool
) -> tuple[Value, Value | None]:
    b = node.b
    lowest = -np.inf if x.is_float else np.iinfo(x.dtype).min
    found = unfolded(b, x, window, np.array([lowest], x.dtype))
    rows = b.reshape(found, [*node.sizes, math.prod(window.sizes)])
    axis = rows.rank - 1
    key = extreme_key(b, rows, axis, largest=True)
    largest = _chosen(b, rows, key)
    if not has_indices:
        return largest, None
    # Padding may be as large as an element, and is none.
    numbers = b.reshape(counted(b, x.count), x.sizes)
    places = b.reshape(unfolded(b, numbers, window, np.array([-1])), rows.sizes)
    is_best = compared(b, "Equal", key, largest_along(b, key, axis))
    is_element = compared(b, "GreaterOrEqual", places, 0)
    return largest, _chosen(b, places, b.cast(both(b, is_best, is_element), INT64))


def _chosen(b: Builder, rows: Value, key: Value) -> Value:
    """Return, of each row, the first element whose key is the largest."""
    axis = rows.rank - 1
    sizes = [*rows.sizes[:-1], 1]
    first = b.add("ArgMax", key, dtype=INT64, sizes=sizes, axis=axis, keepdims=1)
    found = b.add("GatherElements", rows, first, sizes=sizes, axis=axis)
    return b.reshape(found, sizes[:-1])


@form("MAX_UNPOOLING")
def max_unpooling(node: Node, x: Value, indices: Value) -> Value:
    """ScatterElements into zeros, with one element more for all indices beyond.

    Of several elements that go to one place ONNX leaves open which one stays; ONNX Runtime's CPU
    provider keeps the last one, as IndirectML does.
    """
    b = node.b
    count = math.prod(node.sizes)
    places = b.cast(b.add("Min", indices, b.number(count, indices.dtype)), INT64)
    zeros = b.expand(b.constant(np.zeros(1, x.dtype)), [count + 1])
    flat = [b.reshape(each, [x.count]) for each in (places, x)]
    made = b.add("ScatterElements", zeros, *flat, sizes=[count + 1], axis=0)
    return b.reshape(b.slice(made, [0], [count]), node.sizes)
