"""ONNX forms of recurrent networks, which ONNX has itself."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from indirectml.catalogue.enumerations import RecurrentNetworkDirection
from indirectml.catalogue.fused_activations import FusedActivation
from indirectml.onnx_export.building import INT32, SINGLE, Builder, Value
from indirectml.onnx_export.forms import Node, form
from indirectml.onnx_export.words import compared

_DIRECTIONS = {
    RecurrentNetworkDirection.FORWARD: "forward",
    RecurrentNetworkDirection.BACKWARD: "reverse",
    RecurrentNetworkDirection.BIDIRECTIONAL: "bidirectional",
}

#: ONNX's activations inside of networks, and how many numbers each has.
_ACTIVATIONS = {
    "ACTIVATION_ELU": ("Elu", 1),
    "ACTIVATION_HARD_SIGMOID": ("HardSigmoid", 2),
    "ACTIVATION_LEAKY_RELU": ("LeakyRelu", 1),
    "ACTIVATION_LINEAR": ("Affine", 2),
    "ACTIVATION_RELU": ("Relu", 0),
    "ACTIVATION_SCALED_TANH": ("ScaledTanh", 2),
    "ACTIVATION_SIGMOID": ("Sigmoid", 0),
    "ACTIVATION_SOFTSIGN": ("Softsign", 0),
    "ACTIVATION_TANH": ("Tanh", 0),
    "ACTIVATION_THRESHOLDED_RELU": ("ThresholdedRelu", 1),
}


def _activations(node: Node) -> dict[str, Any]:
    """Return the attributes that say which activations there are."""
    names: list[str] = []
    numbers: tuple[list[float], list[float]] = ([], [])
    given: Sequence[FusedActivation] = node["activation_descs"]
    for place, fused in enumerate(given):
        name, values = fused.activation.name, (fused.param_1, fused.param_2)
        if name == "ACTIVATION_IDENTITY":
            name, values = "ACTIVATION_LINEAR", (1.0, 0.0)
        if name == "ACTIVATION_SOFTPLUS" and values[0] == 1:
            names.append("Softplus")
            continue
        if name not in _ACTIVATIONS:
            allowed = ", ".join(sorted({*_ACTIVATIONS, "ACTIVATION_IDENTITY"}))
            node.refuse(
                f"needs activations that ONNX has in its {node.name}: {allowed}, and "
                "ACTIVATION_SOFTPLUS of steepness 1",
                f"{name} as activation_descs[{place}]",
            )
        found, count = _ACTIVATIONS[name]
        names.append(found)
        for several, value in zip(numbers[:count], values[:count], strict=True):
            several.append(float(np.float32(value)))
    return {
        "activations": names,
        "activation_alpha": numbers[0] or None,
        "activation_beta": numbers[1] or None,
    }


def _network(
    node: Node,
    tensors: Sequence[Value],
    lengths: Value | None,
    optional: Sequence[Value | None],
    **attributes: Any,
) -> tuple[Value, ...]:
    """Return the outputs of a network, with the sizes of DirectML's.

    `tensors` are the input, weights and recurrence, `optional` the bias, which stands before the
    lengths, and others, which stand behind them.
    """
    b = node.b
    _, steps, batch, _ = tensors[0].sizes
    _, directions, _, hidden = tensors[2].sizes
    of_state = directions, batch, hidden
    bias, *starts = [
        _without_ones(b, x, ones) for x, ones in zip(optional, (2, 1, 1, 2), strict=False)
    ]
    if lengths is not None:
        lengths = b.cast(b.add("Min", b.reshape(lengths, [batch]), steps), INT32)
    outputs = [(SINGLE, (steps, *of_state)), *[(SINGLE, of_state)] * (len(node.outputs) - 1)]
    states, *lasts = b.add_several(
        node.name, [*(_without_ones(b, x, 1) for x in tensors), bias, lengths, *starts], outputs,
        hidden_size=hidden, direction=_DIRECTIONS[node["direction"]], **_activations(node),
        **attributes,
    )  # fmt: skip
    if lengths is not None:
        # ONNX leaves open what comes of a sequence without elements, and ONNX Runtime returns 0.
        is_empty = b.reshape(compared(b, "Equal", lengths, 0), [1, batch, 1])
        lasts = [
            last if start is None else b.where(is_empty, start, last)
            for last, start in zip(lasts, starts, strict=False)
        ]
    return (states, *lasts)


def _without_ones(b: Builder, x: Value | None, count: int) -> Value | None:
    """Return a value without its first dimensions, which have size 1."""
    return None if x is None else b.reshape(x, x.sizes[count:])


@form("RNN")
def rnn(
    node: Node, x: Value, weight: Value, recurrence: Value, bias: Value | None,
    start: Value | None, lengths: Value | None,
) -> tuple[Value, ...]:  # fmt: skip
    """RNN."""
    return _network(node, (x, weight, recurrence), lengths, (bias, start))


@form("GRU")
def gru(
    node: Node, x: Value, weight: Value, recurrence: Value, bias: Value | None,
    start: Value | None, lengths: Value | None,
) -> tuple[Value, ...]:  # fmt: skip
    """GRU."""
    return _network(
        node, (x, weight, recurrence), lengths, (bias, start),
        linear_before_reset=int(node["linear_before_reset"]),
    )  # fmt: skip


@form("LSTM")
def lstm(
    node: Node, x: Value, weight: Value, recurrence: Value, bias: Value | None,
    start: Value | None, cell: Value | None, lengths: Value | None, peephole: Value | None,
) -> tuple[Value, ...]:  # fmt: skip
    """LSTM."""
    return _network(
        node, (x, weight, recurrence), lengths, (bias, start, cell, peephole),
        clip=node["clip_threshold"] if node["use_clip_threshold"] else None,
        input_forget=int(node["couple_input_forget"]),
    )  # fmt: skip
