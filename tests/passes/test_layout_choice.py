"""The layout of channels beside each other is chosen where what follows reads along it."""

import numpy as np
import pytest

import indirectml as dml
from indirectml.devices import cpu
from indirectml.plans import ProgramStep, WordStep
from tests.bits import assert_bits_equal


def _normal(seed, *sizes):
    return np.random.default_rng(seed).standard_normal(sizes, np.float32)


@pytest.mark.parametrize("are_rows", [True, False])
def test_patches_that_become_rows_are_written_as_rows(monkeypatch, are_rows):
    """As transformers of images have them; the other order is that which a call gives."""
    data = {"x": _normal(3, 2, 3, 24, 40)}

    def compiled():
        graph = dml.Graph(dml.Device())
        x = graph.input(data["x"].shape, name="x")
        filters, bias = graph.constant(_normal(4, 40, 3, 8, 8)), graph.constant(_normal(5, 40))
        y = dml.convolution(x, filters, dml.reinterpret(bias, [1, 40, 1, 1]), strides=[8, 8])
        sizes, strides = ([2, 15, 40], [600, 1, 15]) if are_rows else ([2, 40, 15], None)
        return graph.compile([-dml.reinterpret(y, sizes, strides=strides)])

    with monkeypatch.context() as patched:
        patched.setattr(cpu, "channels_last", lambda plan: plan)
        (expected,) = compiled()(data)

    found = compiled()
    convolution, negative = found.plan.steps
    assert isinstance(convolution, WordStep) and isinstance(negative, ProgramStep)  # noqa: PT018
    assert (convolution.outputs[0].strides[1] == 1) == are_rows
    for name in dml.available_targets():
        for threads in (1, 2, 3):
            with dml.configure(target=name, max_threads=threads):
                assert_bits_equal(actual=found(data)[0], expected=expected, where=name)


@pytest.mark.parametrize("filters", [1, 2, 7])
@pytest.mark.parametrize("follows", [True, False])
def test_few_filters_of_one_tap_read_pixels_where_these_are(monkeypatch, filters, follows):
    """As networks end that give each pixel a class; alone, they are no reason for it."""
    data = {"x": _normal(6, 2, 24, 15, 21)}

    def compiled():
        graph = dml.Graph(dml.Device())
        x = graph.input(data["x"].shape, name="x")
        if follows:
            many = graph.constant(_normal(7, 32, 24, 3, 3))
            x = dml.convolution(x, many)
        x = dml.activation_tanh(x)
        few = graph.constant(_normal(8, filters, x.shape[1], 1, 1))
        bias = graph.constant(_normal(9, 1, filters, 1, 1))
        return graph.compile([dml.activation_sigmoid(dml.convolution(x, few, bias))])

    with monkeypatch.context() as patched:
        patched.setattr(cpu, "channels_last", lambda plan: plan)
        (expected,) = compiled()(data)

    found = compiled()
    *_, last = (
        step for step in found.plan.steps
        if isinstance(step, WordStep) and step.word.name == "convolve"
    )  # fmt: skip
    assert (last.inputs[0].strides[1] == 1) == follows
    assert (last.inputs[1].panels is not None) == follows
    for name in dml.available_targets():
        for threads in (1, 3):
            with dml.configure(target=name, max_threads=threads):
                assert_bits_equal(actual=found(data)[0], expected=expected, where=name)
