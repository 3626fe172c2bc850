"""RNN, GRU and LSTM: the operators of the same names."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from indirectml.catalogue.enumerations import RecurrentNetworkDirection
from indirectml.catalogue.fused_activations import FusedActivation
from indirectml.core.errors import ModelError, shown
from indirectml.graphs.expressions import Expression
from indirectml.onnx_import.building import added
from indirectml.onnx_import.nodes import Node, handler
from indirectml.onnx_import.values import Value, packed, transposed, viewed
from indirectml.operators.functions import cast

#: By ONNX's name in small letters: DirectML's, and ONNX's defaults of alpha and beta.
_ACTIVATIONS: dict[str, tuple[str, tuple[float, ...]]] = {
    "relu": ("relu", ()),
    "tanh": ("tanh", ()),
    "sigmoid": ("sigmoid", ()),
    "softsign": ("softsign", ()),
    "softplus": ("softplus", ()),
    "affine": ("linear", (1.0, 0.0)),
    "leakyrelu": ("leaky_relu", (0.01,)),
    "thresholdedrelu": ("thresholded_relu", (1.0,)),
    "scaledtanh": ("scaled_tanh", (1.0, 1.0)),
    "hardsigmoid": ("hard_sigmoid", (0.2, 0.5)),
    "elu": ("elu", (1.0,)),
}

_RNN_DEFAULT = ["Tanh", "Tanh"]

_DIRECTIONS = {
    "forward": RecurrentNetworkDirection.FORWARD,
    "reverse": RecurrentNetworkDirection.BACKWARD,
    "bidirectional": RecurrentNetworkDirection.BIDIRECTIONAL,
}


def _activations(node: Node, default: Sequence[str], count: int) -> list[FusedActivation]:
    """Return the activations of all directions."""
    names = node.attribute("activations") or list(default) * count
    if names == _RNN_DEFAULT and len(default) == 1:
        names = names[:count]  # the schema has those of both directions
    if len(names) != len(default) * count:
        raise ModelError(
            f"needs {len(default) * count} activations", given=f"{len(names)}", field="activations"
        )
    alphas, betas = (iter(node.attribute(f"activation_{k}") or ()) for k in ("alpha", "beta"))
    found = []
    for name in names:
        made, defaults = _ACTIVATIONS.get(name.lower(), (None, ()))
        if made is None:
            raise ModelError("needs an activation of ONNX", given=shown(name), field="activations")
        numbers = [next(given, own) for given, own in zip((alphas, betas), defaults, strict=False)]
        found.append(getattr(FusedActivation, made)(*numbers))
    return found


def _by_step(x: Expression, *, batch_first: bool) -> Expression:
    """Return a tensor with its first two dimensions exchanged where batches come first."""
    return packed(transposed(x, (1, 0, 2))) if batch_first else x


class _Network:
    """What the three nodes have in common."""

    def __init__(self, node: Node, gates: int, activations: Sequence[str]) -> None:
        direction = node.attribute("direction", "forward")
        if direction not in _DIRECTIONS:
            raise ModelError(
                "needs forward, reverse or bidirectional", given=shown(direction), field="direction"
            )
        self.node = node
        self.graph = node.graph
        self.batch_first = bool(node.attribute("layout", 0))
        x = _by_step(node.expression(0), batch_first=self.batch_first)
        self.steps, self.batch, _ = x.shape
        weights = node.expression(1).shape
        self.directions = 1 + (direction == "bidirectional")
        self.hidden = weights[1] // gates
        given = node.attribute("hidden_size")
        if given is not None and given != self.hidden:
            raise ModelError(
                f"needs {self.hidden}, by the sizes of W", given=f"{given}", field="hidden_size"
            )
        self.x = viewed(x, (1, *x.shape))
        self.weight, self.recurrence = (self._behind_one(k) for k in (1, 2))
        self.data_type = x.desc.data_type
        self.fields: dict[str, Any] = {
            "direction": _DIRECTIONS[direction],
            "activation_descs": _activations(node, activations, self.directions),
        }

    def _behind_one(self, index: int) -> Expression:
        x = self.node.expression(index)
        return viewed(x, (1, *x.shape))

    def row(self, index: int) -> Expression | None:
        """Return biases or peepholes."""
        if not self.node.has(index):
            return None
        x = self.node.expression(index)
        return viewed(x, (1, 1, *x.shape))

    def state(self, index: int) -> Expression | None:
        """Return an initial state."""
        if not self.node.has(index):
            return None
        x = _by_step(self.node.expression(index), batch_first=self.batch_first)
        return viewed(x, (1, *x.shape))

    def lengths(self) -> Expression | None:
        """Return the lengths of the sequences."""
        if not self.node.has(4):
            return None
        x = cast(self.node.expression(4), dtype=np.uint32)
        return viewed(x, (1, 1, 1, self.batch))

    def outputs(self, count: int) -> list[Any]:
        """Return data types and sizes of the outputs that something reads, at least one."""
        all_steps = (self.steps, self.directions, self.batch, self.hidden)
        last = (1, *all_steps[1:])
        sizes = [all_steps, *[last] * (count - 1)]
        found = [
            (self.data_type, own) if self.node.wants(k) else None for k, own in enumerate(sizes)
        ]
        return found if any(found) else [(self.data_type, all_steps), *found[1:]]

    def values(self, results: Sequence[Expression | None]) -> Iterator[Value | None]:
        """Yield the node's outputs."""
        for k, result in enumerate(results):
            if result is None or not self.node.wants(k):
                yield None
                continue
            axes = (0, 1, 2, 3) if k == 0 else (1, 2, 3)
            sizes = result.shape if k == 0 else result.shape[1:]
            y = viewed(result, sizes)
            if self.batch_first:
                order = (2, 0, 1, 3) if k == 0 else (1, 0, 2)
                y = packed(transposed(y, order[: len(axes)]))
            yield self.node.made(y, y.shape)


def _refuse_clip(node: Node) -> None:
    if node.attribute("clip") is not None:
        raise ModelError(
            "needs no limit, which DirectML has for LSTM alone",
            given=f"{node.attribute('clip')}",
            field="clip",
        )


@handler("RNN", since=7)
def rnn(node: Node) -> tuple[Value | None, ...]:
    """RNN."""
    _refuse_clip(node)
    own = _Network(node, 1, ("Tanh",))
    inputs = [own.x, own.weight, own.recurrence, own.row(3), own.state(5), own.lengths()]
    return tuple(own.values(added(own.graph, "RNN", inputs, own.outputs(2), **own.fields)))


@handler("GRU", since=7)
def gru(node: Node) -> tuple[Value | None, ...]:
    """GRU."""
    _refuse_clip(node)
    own = _Network(node, 3, ("Sigmoid", "Tanh"))
    inputs = [own.x, own.weight, own.recurrence, own.row(3), own.state(5), own.lengths()]
    own.fields["linear_before_reset"] = bool(node.attribute("linear_before_reset", 0))
    return tuple(own.values(added(own.graph, "GRU", inputs, own.outputs(2), **own.fields)))


@handler("LSTM", since=7)
def lstm(node: Node) -> tuple[Value | None, ...]:
    """LSTM."""
    own = _Network(node, 4, ("Sigmoid", "Tanh", "Tanh"))
    inputs = [
        own.x, own.weight, own.recurrence, own.row(3), own.state(5), own.state(6), own.lengths(),
        own.row(7),
    ]  # fmt: skip
    clip = node.attribute("clip")
    own.fields |= {
        "clip_threshold": clip or 0.0,
        "use_clip_threshold": clip is not None,
        "couple_input_forget": bool(node.attribute("input_forget", 0)),
    }
    return tuple(own.values(added(own.graph, "LSTM", inputs, own.outputs(3), **own.fields)))
