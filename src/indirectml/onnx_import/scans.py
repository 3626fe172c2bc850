"""TopK, running sums and products."""

from __future__ import annotations

import numpy as np

from indirectml.catalogue.enumerations import AxisDirection
from indirectml.core.errors import ModelError
from indirectml.onnx_import.building import Output, added
from indirectml.onnx_import.nodes import Node, counted, handler
from indirectml.onnx_import.values import Value, nothing
from indirectml.operators.functions import cumulative_product, cumulative_summation


@handler("TopK", since=1)
def top_k(node: Node) -> tuple[Value, Value]:
    """TopK: TOP_K1, whose positions are as wide as ONNX's. Sorted is right for both choices."""
    x = node.expression(0)
    axis = node.axis(node.value(0).rank, default=-1)
    count = node.integers(1)[0] if node.has(1) else node.attribute("k")
    if count is None:
        raise ModelError("is required", given="none", field="k")
    shape = [count if k == axis else size for k, size in enumerate(x.shape)]
    if count == 0:
        return nothing(shape, x.dtype), nothing(shape, np.int64)
    largest = node.attribute("largest", 1)
    direction = AxisDirection.DECREASING if largest else AxisDirection.INCREASING
    outputs: list[Output] = [(x.desc.data_type, shape), (np.uint64, shape)]
    values, places = added(
        node.graph, "TOP_K1", [x], outputs, axis=axis, k=count, axis_direction=direction
    )
    return node.made(values, shape), node.made(places, shape)


def _running(node: Node) -> tuple[int, AxisDirection, bool]:
    axes = node.integers(1, "decides the axis")
    axis = counted(axes[0], node.value(0).rank)
    reverse = node.attribute("reverse", 0)
    direction = AxisDirection.DECREASING if reverse else AxisDirection.INCREASING
    return axis, direction, bool(node.attribute("exclusive", 0))


@handler("CumSum", since=11)
def running_sum(node: Node) -> Value:
    """CumSum: CUMULATIVE_SUMMATION."""
    axis, direction, is_exclusive = _running(node)
    result = cumulative_summation(
        node.expression(0), axis=axis, axis_direction=direction, has_exclusive_sum=is_exclusive
    )
    return node.made(result, node.value(0).shape)


@handler("CumProd", since=26)
def running_product(node: Node) -> Value:
    """CumProd: CUMULATIVE_PRODUCT."""
    axis, direction, is_exclusive = _running(node)
    result = cumulative_product(
        node.expression(0), axis=axis, axis_direction=direction, has_exclusive_product=is_exclusive
    )
    return node.made(result, node.value(0).shape)
