"""ONNX forms of convolution."""

from __future__ import annotations

from indirectml.catalogue.enumerations import ConvolutionDirection, ConvolutionMode
from indirectml.onnx_export.building import Value
from indirectml.onnx_export.forms import Node, form
from indirectml.onnx_export.movement import BEFORE_FIRST


@form("CONVOLUTION")
def convolved(node: Node, x: Value, w: Value, bias: Value | None) -> Value:
    """Conv, or backwards ConvTranspose; of a CONVOLUTION with the filter turned round.

    ONNX leaves the order of sums open, and what an infinite weight makes of padding.
    """
    b = node.b
    strides, dilations = node["strides"], node["dilations"]
    start, end, more = (node[name] for name in ("start_padding", "end_padding", "output_padding"))
    if node["mode"] == ConvolutionMode.CONVOLUTION:
        axes = range(2, w.rank)
        w = b.slice(w, [-1] * len(axes), [BEFORE_FIRST] * len(axes), axes, [-1] * len(axes))
    fields = {
        "strides": list(strides),
        "dilations": list(dilations),
        "group": node["group_count"],
        "kernel_shape": list(w.sizes[2:]),
    }
    bias = None if bias is None else b.reshape(bias, [bias.count])
    if node["direction"] == ConvolutionDirection.FORWARD:
        # More windows behind the last are as many strides of padding.
        end = [pad + extra * step for pad, extra, step in zip(end, more, strides, strict=True)]
        return b.add("Conv", x, w, bias, sizes=node.sizes, pads=[*start, *end], **fields)
    return b.add(
        "ConvTranspose",
        x,
        w,
        bias,
        sizes=node.sizes,
        pads=[*start, *end],
        output_padding=list(more),
        **fields,
    )
