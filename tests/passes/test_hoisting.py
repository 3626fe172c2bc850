"""What programs compute for many elements alike: once, in steps of their own."""

from math import prod

import numpy as np
import pytest

import indirectml as dml
from indirectml.devices import cpu
from indirectml.plans import ProgramStep
from tests.bits import assert_bits_equal

SIZES = [2, 24, 17, 30]


def _data(seed, *sizes):
    return np.random.default_rng(seed).standard_normal(sizes, np.float32)


def _compiled():
    """Return roots of channels, a gate of channels of images, and what depends on every element."""
    graph = dml.Graph(dml.Device())
    x = graph.input(SIZES, name="x")
    gate = graph.input([2, 24, 1, 1], name="gate")
    parts = [graph.constant(_data(seed, 1, 24, 1, 1)) for seed in range(4)]
    parts[1] = dml.abs(parts[1])
    y = dml.batch_normalization(x, *parts, spatial=True, epsilon=1e-5)
    y = dml.multiply(y, dml.broadcast(dml.activation_sigmoid(gate), SIZES))
    return graph.compile([dml.activation_relu(y), dml.activation_tanh(y)])


def _without(monkeypatch):
    with monkeypatch.context() as patched:
        patched.setattr(cpu, "hoist", lambda plan: plan)
        return _compiled()


def _programs(compiled):
    """Return the functions in programs, by the number of elements."""
    return {
        (prod(step.sizes), instruction.name)
        for step in (*compiled.plan.computed_steps, *compiled.plan.steps)
        if isinstance(step, ProgramStep)
        for instruction in step.program.instructions
    }


@pytest.mark.parametrize("target", dml.available_targets())
def test_what_is_repeated_has_the_bits_that_it_has_in_place(monkeypatch, target):
    data = {"x": _data(7, *SIZES), "gate": _data(8, 2, 24, 1, 1)}
    data["gate"][0, 3], data["gate"][1, 4] = np.nan, -np.inf
    expected = _without(monkeypatch)(data)
    compiled = _compiled()
    for threads in (1, 2, 3, 5):
        with dml.configure(target=target, max_threads=threads):
            for actual, wanted in zip(compiled(data), expected, strict=True):
                assert_bits_equal(actual=actual, expected=wanted)


def test_functions_of_channels_are_computed_once_for_each(monkeypatch):
    whole = prod(SIZES)
    there = _programs(_compiled())
    assert {(24, "sqrt"), (48, "sigmoid"), (whole, "tanh")} <= there
    assert not {(whole, "sqrt"), (whole, "sigmoid")} & there
    assert (whole, "sqrt") in _programs(_without(monkeypatch))
