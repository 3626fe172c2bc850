"""Convolutions, and transposed ones."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from indirectml.arithmetic.settling import settles_convolutions
from indirectml.catalogue.enumerations import ConvolutionDirection
from indirectml.core.data_types import TensorDataType
from indirectml.core.errors import ModelError, shown
from indirectml.graphs.expressions import Expression
from indirectml.onnx_import.later import Postponed
from indirectml.onnx_import.nodes import Node, handler
from indirectml.onnx_import.quantized import dequantized
from indirectml.onnx_import.values import Value, viewed
from indirectml.onnx_import.windows import Windows, given_paddings, windows_of
from indirectml.operators.functions import convolution

_BYTES = (TensorDataType.INT8, TensorDataType.UINT8)


def _spatial(node: Node) -> tuple[Sequence[int], Sequence[int]]:
    """Return the spatial sizes of input and filter."""
    x, w = node.value(0).shape, node.value(1).shape
    if len(x) != len(w) or len(x) < 3:  # noqa: PLR2004 (batch, channels, and one more)
        raise ModelError(
            "needs input and filter of as many dimensions, at least 3",
            given=f"{list(x)} and {list(w)}",
        )
    kernel = node.attribute("kernel_shape")
    if kernel is not None and tuple(kernel) != w[2:]:
        raise ModelError(f"needs {list(w[2:])}, as the filter has", given=shown(kernel),
                         field="kernel_shape")  # fmt: skip
    return x[2:], w[2:]


def _bias(node: Node, rank: int) -> Expression | None:
    if not node.has(2):
        return None
    return viewed(node.expression(2), (1, node.value(2).count, *(1,) * (rank - 2)))


def _filters(node: Node, windows: Windows) -> Expression:
    """Return the filters of a convolution: integers that are dequantized, if integers settle it."""
    value = node.value(1)
    pixels = node.value(0).shape[0] * math.prod(windows.counts(node.value(0).shape[2:]))
    if (
        isinstance(value, Postponed)
        and node.is_quantized
        and node.graph.device.implementation.keeps_integers()
        and settles_convolutions(pixels, value.shape, node.attribute("group", 1))
        and _is_dequantized(node.expression(0))
    ):
        found = value.filters(dequantized)
        if found is not None:
            return found
    return node.expression(1)


def _is_dequantized(x: Expression) -> bool:
    """Return whether a tensor is what 8-bit integers are dequantized to, with one scale."""
    maker = getattr(x.value, "node", None)
    desc = maker and maker.operator.desc
    if desc is None or desc.operator_name != "ELEMENT_WISE_DEQUANTIZE_LINEAR":
        return False
    if x.strides is not None or desc.output_tensor.sizes != x.desc.sizes:  # a view of it
        return False
    scale = desc.scale_tensor
    steps = zip(scale.sizes, scale.strides or (1,) * len(scale.sizes), strict=True)
    is_one = not any(stride for size, stride in steps if size != 1)
    return desc.input_tensor.data_type in _BYTES and is_one


@handler("Conv")
def convolved(node: Node) -> Value:
    """Return the cross-correlation of an input with a filter."""
    sizes, kernel = _spatial(node)
    windows = windows_of(node, sizes, kernel)
    x = node.expression(0)
    result = convolution(
        x,
        _filters(node, windows),
        _bias(node, len(x.shape)),
        strides=windows.strides,
        dilations=windows.dilations,
        start_padding=windows.start,
        end_padding=windows.end,
        group_count=node.attribute("group", 1),
    )
    return Value(result)


@handler("ConvTranspose")
def transposed(node: Node) -> Value:
    """Return the transposed convolution."""
    sizes, kernel = _spatial(node)
    x = node.expression(0)
    fields: dict[str, Any] = {
        name: tuple(node.attribute(name) or (default,) * len(sizes))
        for name, default in (("strides", 1), ("dilations", 1), ("output_padding", 0))
    }
    start, end = _transposed_paddings(node, sizes, kernel, fields)
    result = convolution(
        x,
        node.expression(1),
        _bias(node, len(x.shape)),
        direction=ConvolutionDirection.BACKWARD,
        start_padding=start,
        end_padding=end,
        group_count=node.attribute("group", 1),
        **fields,
    )
    return Value(result)


def _transposed_paddings(
    node: Node, sizes: Sequence[int], kernel: Sequence[int], fields: dict[str, Any]
) -> tuple[list[int], list[int]]:
    """Return paddings; those that an output's sizes ask for may lengthen the output padding."""
    automatic = node.attribute("auto_pad", "NOTSET") or "NOTSET"
    shape = node.attribute("output_shape")
    count = len(sizes)
    if shape is None and automatic in {"NOTSET", "VALID"}:
        return ([0] * count,) * 2 if automatic == "VALID" else given_paddings(node, count)
    strides, dilations = fields["strides"], fields["dilations"]
    wanted = [n * s for n, s in zip(sizes, strides, strict=True)] if shape is None else shape
    start, end, more = [], [], []
    for axis, size in enumerate(wanted[-count:]):
        span = dilations[axis] * (kernel[axis] - 1) + 1
        full = strides[axis] * (sizes[axis] - 1) + fields["output_padding"][axis] + span
        total = max(full - size, 0)
        less = total // 2
        start.append(less if automatic == "SAME_UPPER" else total - less)
        end.append(total - start[-1])
        more.append(fields["output_padding"][axis] + max(size - full, 0))
    fields["output_padding"] = tuple(more)
    return start, end
