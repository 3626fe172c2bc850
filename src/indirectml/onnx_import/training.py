"""Adagrad, Adam and Momentum: element-wise operators, for each tensor that is optimized.

ONNX's Adam is not ADAM_OPTIMIZER: it corrects the rate instead of both averages, and adds a
penalty to the gradient.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from indirectml.core.errors import ModelError, shown
from indirectml.graphs.expressions import Expression, broadcast
from indirectml.onnx_import.nodes import Node, handler
from indirectml.onnx_import.values import Value
from indirectml.operators import functions

_DOMAIN = "ai.onnx.preview.training"
Step = Callable[..., tuple[Expression, ...]]


def _optimized(node: Node, states: int, step: Step) -> tuple[Value, ...]:
    """Return the new tensors, then the new states, of all tensors that a node optimizes."""
    count, rest = divmod(len(node.inputs) - 2, 2 + states)
    if rest:
        raise ModelError(
            f"needs {2 + states} inputs for each tensor, besides rate and count",
            given=f"{len(node.inputs) - 2}",
        )
    found: list[list[Value]] = []
    for k in range(count):
        group = [node.value(2 + k + count * j) for j in range(2 + states)]
        results = step(*(value.expression(node.graph) for value in group))
        found.append([node.made(result, group[0].shape) for result in results])
    return tuple(values[j] for j in range(1 + states) for values in found)


def _rate_and_count(node: Node) -> tuple[Expression, Expression]:
    """Return the learning rate, and how many updates there were, as one element each."""
    return node.expression(0), functions.cast(node.expression(1), dtype=np.float32)


def _after_the_first(count: Expression, then: Expression, first: Expression) -> Expression:
    """Return one of two numbers, by whether there was an update before."""
    return functions.where(functions.greater_than(count, count * 0.0), then, first)


def _times(x: Expression, factor: Expression) -> Expression:
    return functions.multiply(x, broadcast(factor, x.shape))


@handler("Adagrad", domain=_DOMAIN)
def adagrad(node: Node) -> tuple[Value, ...]:
    """Adagrad."""
    rate, count = _rate_and_count(node)
    rate = functions.divide(rate, count * node.attribute("decay_factor", 0.0) + 1.0)
    penalty, epsilon = node.attribute("norm_coefficient", 0.0), node.attribute("epsilon", 1e-6)

    def step(x: Expression, gradient: Expression, squares: Expression) -> tuple[Expression, ...]:
        gradient = gradient + x * penalty
        squares = squares + functions.multiply(gradient, gradient)
        return x - functions.divide(
            _times(gradient, rate), functions.sqrt(squares) + epsilon
        ), squares

    return _optimized(node, 1, step)


@handler("Adam", domain=_DOMAIN)
def adam(node: Node) -> tuple[Value, ...]:
    """Adam."""
    rate, count = _rate_and_count(node)
    alpha, beta = node.attribute("alpha", 0.9), node.attribute("beta", 0.999)
    epsilon, penalty = node.attribute("epsilon", 1e-6), node.attribute("norm_coefficient", 0.0)
    after = node.attribute("norm_coefficient_post", 0.0)
    powers = [1.0 - functions.pow(count * 0.0 + base, count) for base in (alpha, beta)]
    corrected = functions.divide(functions.multiply(rate, functions.sqrt(powers[1])), powers[0])
    rate = _after_the_first(count, corrected, rate)

    def step(
        x: Expression, gradient: Expression, mean: Expression, squares: Expression
    ) -> tuple[Expression, ...]:
        gradient = gradient + x * penalty
        mean = mean * alpha + gradient * (1 - alpha)
        squares = squares * beta + functions.multiply(gradient, gradient) * (1 - beta)
        new = x - functions.divide(_times(mean, rate), functions.sqrt(squares) + epsilon)
        return new * (1 - after), mean, squares

    return _optimized(node, 2, step)


@handler("Momentum", domain=_DOMAIN)
def momentum(node: Node) -> tuple[Value, ...]:
    """Momentum, also as Nesterov has it."""
    rate, count = _rate_and_count(node)
    alpha, beta = node.attribute("alpha"), node.attribute("beta")
    penalty, mode = node.attribute("norm_coefficient"), node.attribute("mode")
    if mode not in ("standard", "nesterov"):
        raise ModelError("needs standard or nesterov", given=shown(mode), field="mode")
    share = _after_the_first(count, count * 0.0 + beta, count * 0.0 + 1.0)

    def step(x: Expression, gradient: Expression, speed: Expression) -> tuple[Expression, ...]:
        gradient = gradient + x * penalty
        speed = speed * alpha + _times(gradient, share)
        move = gradient + speed * alpha if mode == "nesterov" else speed
        return x - _times(move, rate), speed

    return _optimized(node, 1, step)
