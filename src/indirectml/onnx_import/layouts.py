"""Elements rearranged: padding."""

from __future__ import annotations

from typing import Any

import numpy as np

from indirectml.catalogue.enumerations import PaddingMode
from indirectml.core.errors import ModelError, shown
from indirectml.onnx_import.movement import sliced
from indirectml.onnx_import.nodes import Node, counted_all, handler
from indirectml.onnx_import.values import BOOL, Value
from indirectml.operators.functions import padding

_MODES = {
    "constant": PaddingMode.CONSTANT,
    "edge": PaddingMode.EDGE,
    "reflect": PaddingMode.REFLECTION,
    "wrap": PaddingMode.WRAP,
}


@handler("Pad", since=2)
def padded_by_attributes(node: Node) -> Value:
    """Return a tensor with elements around it, as the node says."""
    return _padded(node, list(node.attribute("pads")), node.attribute("value", 0.0))


@handler("Pad", since=11)
def padded(node: Node) -> Value:
    """Return a tensor with elements around it; a negative number cuts some off."""
    number = node.known(2, "fills what is padded").reshape(-1) if node.has(2) else [0]
    if len(number) != 1:
        raise ModelError("needs one number", given=f"{len(number)}", field="inputs[2]")
    rank = node.value(0).rank
    pads = node.integers(1)
    if node.has(3):
        axes = counted_all(node.integers(3), rank)
        if len(pads) != 2 * len(axes):
            raise ModelError(f"needs {2 * len(axes)} numbers", given=shown(pads), field="pads")
        all_pads = [0] * (2 * rank)
        for place, axis in enumerate(axes):
            all_pads[axis] = pads[place]
            all_pads[axis + rank] = pads[place + len(axes)]
        pads = all_pads
    return _padded(node, pads, number[0])


def _padded(node: Node, pads: list[int], number: Any) -> Value:
    value = node.value(0)
    rank = value.rank
    mode = _MODES.get(node.attribute("mode", "constant"))
    if mode is None or len(pads) != 2 * rank:
        given = f"{len(pads)} numbers, mode {shown(node.attribute('mode'))}"
        raise ModelError(
            f"needs {2 * rank} numbers, and mode {', '.join(_MODES)}", given=given, field="pads"
        )
    if any(pad < 0 for pad in pads):
        ends = [size + min(pad, 0) for size, pad in zip(value.shape, pads[rank:], strict=True)]
        starts = [max(-pad, 0) for pad in pads[:rank]]
        value = sliced(node, starts, [max(end, 0) for end in ends], range(rank), [1] * rank)
        pads = [max(pad, 0) for pad in pads]
    pairs = list(zip(pads[:rank], pads[rank:], strict=True))
    if value.array is not None or not value.count:
        return _known(value, pairs, node.attribute("mode", "constant"), number)
    if not any(pads):
        return value
    stored = int(number) if value.dtype == BOOL or value.dtype.kind in "iu" else float(number)
    result = padding(
        value.expression(node.graph),
        padding_mode=mode,
        padding_value=stored if mode is PaddingMode.CONSTANT else 0,
        start_padding=pads[:rank],
        end_padding=pads[rank:],
    )
    return Value(result, dtype=value.dtype)


def _known(value: Value, pairs: list[tuple[int, int]], mode: str, number: Any) -> Value:
    array = np.empty(value.shape, value.dtype) if value.array is None else value.array
    if mode == "constant":
        return Value(np.pad(array, pairs, constant_values=array.dtype.type(number)))
    return Value(np.pad(array, pairs, mode))  # type: ignore[call-overload]
