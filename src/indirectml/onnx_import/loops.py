"""Scan and Loop whose steps are counted while loading: their bodies one behind the other."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from indirectml.core.errors import ModelError
from indirectml.onnx_import.budget import LoadingGraph
from indirectml.onnx_import.nodes import counted
from indirectml.onnx_import.values import BOOL, Array, UnknownError, Value, viewed
from indirectml.operators.functions import join, split

#: Translates a body once: from the body, its inputs by name and the step to its outputs, in which
#: None stands for what was refused.
Walk = Callable[[Any, Mapping[str, Value], int], list[Value | None]]

_FIRST_SCAN_WITHOUT_BATCHES = 9


def scanned(
    graph: LoadingGraph,
    version: int,
    attributes: Mapping[str, Any],
    inputs: Sequence[Value | None],
    walk: Walk,
) -> list[Value | None]:
    """Return the outputs of Scan: the last states, and what the steps made, one behind the other.

    Raises
    ------
    ModelError
        It has another form than since opset 9, sizes that do not fit, or too many steps.
    """
    if version < _FIRST_SCAN_WITHOUT_BATCHES:
        raise ModelError("needs the form since opset 9", given=f"opset {version}")
    body, count = attributes["body"], attributes["num_scan_inputs"]
    given = [value for value in inputs if value is not None]
    names = [each.name for each in body.input]
    state_count = len(given) - count
    if len(given) != len(inputs) or len(names) != len(given) or count < 1 or state_count < 0:
        raise ModelError(
            f"needs a body with {len(inputs)} inputs, at least one of them scanned",
            given=f"{len(names)}",
        )
    states, sources = given[:state_count], given[state_count:]
    axes = [
        counted(axis, value.rank, "scan_input_axes")
        for axis, value in zip(_listed(attributes, "scan_input_axes", count), sources, strict=True)
    ]
    steps = sources[0].shape[axes[0]]
    if any(value.shape[axis] != steps for value, axis in zip(sources, axes, strict=True)):
        raise ModelError("needs inputs of as many steps", given=f"{[v.shape for v in sources]}")
    graph.budget.check_nodes(steps * max(len(body.node), 1))
    parts = [_parts(graph, value, axis) for value, axis in zip(sources, axes, strict=True)]
    directions = _listed(attributes, "scan_input_directions", count)
    for own, direction in zip(parts, directions, strict=True):
        if direction:
            own.reverse()
    made: list[list[Value]] = [[] for _ in range(len(body.output) - state_count)]
    for step in range(steps):
        values = [*states, *(own[step] for own in parts)]
        results = _all(walk(body, dict(zip(names, values, strict=True)), step))
        if results is None:
            return [None] * len(body.output)
        states = results[:state_count]
        for own, value in zip(made, results[state_count:], strict=True):
            own.append(value)
    backwards = _listed(attributes, "scan_output_directions", len(made))
    output_axes = _listed(attributes, "scan_output_axes", len(made))
    stacked = [
        _stacked(graph, own[::-1] if turned else own, axis)
        for own, turned, axis in zip(made, backwards, output_axes, strict=True)
    ]
    return [*states, *stacked]


def looped(
    graph: LoadingGraph, attributes: Mapping[str, Any], inputs: Sequence[Value | None], walk: Walk
) -> list[Value | None]:
    """Return the outputs of Loop: the last values it carries, and what the steps made.

    Raises
    ------
    ModelError
        How often it goes round is not known while loading, or too often.
    """
    body = attributes["body"]
    names = [each.name for each in body.input]
    padded = [*inputs, None, None][: max(len(inputs), 2)]
    most, condition = (None if v is None else _known(v, k) for k, v in enumerate(padded[:2]))
    carried = [value for value in padded[2:] if value is not None]
    if len(carried) != len(padded) - 2 or len(names) != len(carried) + 2:
        raise ModelError(f"needs a body with {len(padded)} inputs", given=f"{len(names)}")
    made: list[list[Value]] = [[] for _ in range(len(body.output) - 1 - len(carried))]
    is_on, step = condition is None or bool(condition), 0
    while is_on and (most is None or step < most):
        if step == 1 and most is not None:  # what is wrong with the first step is told before
            graph.budget.check_nodes(int(most) * max(len(body.node), 1))
        values = [Value(np.array(step, np.int64)), Value(np.ones((), BOOL)), *carried]
        results = _all(walk(body, dict(zip(names, values, strict=True)), step))
        if results is None:
            return [None] * (len(body.output) - 1)
        is_on = bool(_known(results[0]))
        carried = results[1 : 1 + len(carried)]
        for own, value in zip(made, results[1 + len(carried) :], strict=True):
            own.append(value)
        step += 1
    return [*carried, *(_stacked(graph, own, 0) for own in made)]


def _known(value: Value, index: int | None = None) -> Array:
    if value.array is None or value.count != 1:
        error = UnknownError(
            "needs a count and a condition that are known while loading: graphs have no loops",
            given="one that is computed from inputs of the model",
        )
        error.index = index
        raise error
    return value.array.reshape(())


def _listed(attributes: Mapping[str, Any], name: str, count: int) -> list[int]:
    found = list(attributes.get(name) or [0] * count)
    if len(found) != count:
        raise ModelError(f"needs {count} numbers", given=f"{len(found)}", field=name)
    return found


def _all(results: Sequence[Value | None]) -> list[Value] | None:
    found = [value for value in results if value is not None]
    return found if len(found) == len(results) else None


def _parts(graph: LoadingGraph, value: Value, axis: int) -> list[Value]:
    """Return the slices along an axis, without it."""
    shape = (*value.shape[:axis], *value.shape[axis + 1 :])
    if value.array is not None:
        graph.budget.take_elements(value.shape, value.dtype)
        return [Value(np.take(value.array, k, axis)) for k in range(value.shape[axis])]
    parts = split(value.expression(graph), axis=axis, output_axis_sizes=[1] * value.shape[axis])
    return [Value(viewed(part, shape or (1,)), shape, value.dtype) for part in parts]


def _stacked(graph: LoadingGraph, values: Sequence[Value], axis: int) -> Value:
    """Return values one behind the other along a new axis."""
    if not values:
        raise ModelError("needs at least one step, as tensors have elements", given="none")
    first = values[0]
    place = counted(axis, first.rank + 1, "scan_output_axes")
    if any(value.shape != first.shape for value in values):
        raise ModelError("needs outputs of the same sizes in all steps", given="others")
    if all(value.array is not None for value in values):
        graph.budget.take_elements((len(values), *first.shape), first.dtype)
        return Value(np.stack([value.array for value in values if value.array is not None], place))
    shape = (*first.shape[:place], 1, *first.shape[place:])
    parts = [viewed(value.expression(graph), shape) for value in values]
    whole = (*shape[:place], len(values), *shape[place + 1 :])
    return Value(join(parts, axis=place), whole, first.dtype)
