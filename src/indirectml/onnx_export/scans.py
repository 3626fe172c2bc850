"""ONNX forms of running sums and products, of the largest elements, and of those that are not 0."""

from __future__ import annotations

from typing import Any

import numpy as np

from indirectml.catalogue.enumerations import AxisDirection
from indirectml.onnx_export.building import BOOL, DOUBLE, INT64, Builder, Value
from indirectml.onnx_export.forms import Node, form
from indirectml.onnx_export.words import filled

#: Up to so many elements along an axis products are written one by one.
_UNROLLED = 128

#: From here on there is CumProd.
_PRODUCT_OPSET = 26


def _wide(b: Builder, x: Value) -> Value:
    """Return integers as INT64, modulo 2^64: what ONNX Runtime adds and multiplies."""
    return x if x.is_float else b.cast(x, INT64)


@form("CUMULATIVE_SUMMATION")
def running_sum(node: Node, x: Value) -> Value:
    """CumSum; integers in INT64."""
    b = node.b
    return b.add(
        "CumSum", _wide(b, x), b.constant(node["axis"], np.int64), sizes=x.sizes,
        exclusive=int(node["has_exclusive_sum"]),
        reverse=int(node["axis_direction"] == AxisDirection.DECREASING),
    )  # fmt: skip


@form("CUMULATIVE_PRODUCT")
def running_product(node: Node, x: Value) -> Value:
    """Chain of Mul along short axes, else CumProd, which needs opset 26."""
    b = node.b
    axis, size = node["axis"], x.sizes[node["axis"]]
    reverse = node["axis_direction"] == AxisDirection.DECREASING
    x = _wide(b, x)
    if size > _UNROLLED:
        return b.add(
            "CumProd", x, b.constant(axis, np.int64), sizes=x.sizes, since=_PRODUCT_OPSET,
            exclusive=int(node["has_exclusive_product"]), reverse=int(reverse),
        )  # fmt: skip
    parts = [b.slice(x, [k], [k + 1], [axis]) for k in range(size)]
    if reverse:
        parts.reverse()
    found = [parts[0]]
    for part in parts[1:]:
        found.append(b.add("Mul", found[-1], part))
    if node["has_exclusive_product"]:
        found = [filled(b, 1, parts[0].sizes, x.dtype), *found[:-1]]
    if reverse:
        found.reverse()
    return b.concat(found, axis)


@form("TOP_K1")
def top_k(node: Node, x: Value) -> tuple[Value, Value]:
    """TopK of numbers in the same order, and GatherElements."""
    b = node.b
    direction = node["axis_direction"]
    sizes = node["output_index_tensor"].sizes_tuple
    keys = _keys(b, x)
    _, places = b.add_several(
        "TopK", [keys, b.integers([node["k"]])], [(keys.dtype, sizes), (INT64, sizes)],
        axis=node["axis"], largest=int(direction == AxisDirection.DECREASING), sorted=1,
    )  # fmt: skip
    return b.add("GatherElements", x, places, sizes=sizes, axis=node["axis"]), places


def _keys(b: Builder, x: Value) -> Value:
    """Return numbers that ONNX orders as IndirectML orders these.

    Of floats numbers of FLOAT64, where there is room beyond the infinities for NaN, and between -0
    and the numbers below it.
    """
    if x.dtype == np.uint64:
        # Modulo 2^64 as INT64, and from there half of the range further.
        return b.add("Add", b.cast(x, INT64), int(np.iinfo(np.int64).min))
    if not x.is_float:
        return b.cast(x, INT64)
    wide = b.cast(x, DOUBLE)
    is_zero = b.add("Equal", wide, 0, dtype=bool)
    below = b.add("Less", b.add("Reciprocal", wide), 0, dtype=bool)
    keys = b.where(b.add("And", is_zero, below), -(2.0**-1000), wide)
    keys = b.add("Min", b.add("Max", keys, -(2.0**999)), 2.0**999)
    return b.where(b.add("IsNaN", wide, dtype=bool), 2.0**1000, keys)


@form("NONZERO_COORDINATES")
def coordinates(node: Node, x: Value) -> tuple[Value, Value]:
    """NonZero, its Shape, and zeros behind it up to the whole size."""
    b = node.b
    # How many there are is known when the model runs; until then the number has a name.
    number: Any = f"{b.place} count {len(b.nodes)}"
    found = b.add("NonZero", b.cast(x, BOOL), dtype=INT64, sizes=(x.rank, number))
    count = b.slice(b.add("Shape", found, dtype=INT64, sizes=(2,)), [1], [2])
    rows = b.add("Transpose", found, sizes=(number, x.rank), perm=[1, 0])
    zeros = filled(b, 0, (x.count, x.rank), INT64)
    more: Any = f"{number} and more"
    rows = b.add("Concat", rows, zeros, sizes=(more, x.rank), axis=0)
    # Rows may leave out coordinates of leading dimensions.
    left = x.rank - node["output_coordinates_tensor"].sizes[-1]
    whole = [b.integers(each) for each in ([0, left], [x.count, x.rank], [0, 1], [1, 1])]
    rows = b.add("Slice", rows, *whole, sizes=(x.count, x.rank - left))
    return (
        b.reshape(count, node["output_count_tensor"].sizes),
        b.add(
            "Reshape", rows, b.integers(node["output_coordinates_tensor"].sizes),
            sizes=node["output_coordinates_tensor"].sizes,
        ),
    )  # fmt: skip
