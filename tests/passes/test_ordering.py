"""Scales are computed before a layer, and what follows its products part by part: no other bits."""

import numpy as np
import pytest

import indirectml as dml
from indirectml.devices import cpu
from indirectml.plans import ProgramStep, WordStep
from indirectml.runtime import device
from tests.arithmetic import products
from tests.bits import assert_bits_equal

SEED = 11
#: Channels before and after, groups, filter size, stride, images, extent.
LAYERS = [
    (8, 24, 1, 3, 1, 1, 28),
    (24, 48, 1, 1, 1, 1, 30),
    (32, 32, 32, 3, 1, 1, 29),
    (16, 32, 4, 3, 2, 1, 40),
    (3, 20, 1, 7, 2, 2, 45),
]


def quantized(numbers, scale, zero):
    """Return numbers as UINT8, one operation after the other."""
    return np.clip(np.rint(numbers / np.float32(scale)) + zero, 0, 255).astype(np.uint8)


def layer(shape):
    """Return a graph of a layer that is added to another one, its data, and what it gives."""
    before, after, groups, size, stride, images, extent = shape
    random = np.random.default_rng([SEED, *shape])
    x = random.integers(0, 256, (images, before, extent, extent), np.uint8)
    w = random.integers(-128, 128, (after, before // groups, size, size), np.int8)
    bias = random.integers(-3000, 3000, (1, after, 1, 1), np.int32)
    scales = random.uniform(0.001, 0.003, (1, after, 1, 1)).astype(np.float32)
    options = {"strides": [stride] * 2, "start_padding": [size // 2] * 2,
               "end_padding": [size // 2] * 2, "group_count": groups}  # fmt: skip
    pixels = (extent - 1) // stride + 1
    sizes = (images, after, pixels, pixels)
    total = products.convolve_integer(
        x, w, 120, 0, sizes,
        options | {"dilations": [1, 1], "direction": "forward", "mode": "cross_correlation"},
    )  # fmt: skip
    factor = np.float32(0.02) * scales / np.float32(0.05)
    y = np.clip(np.rint((total + bias).astype(np.float32) * factor) + 100, 0, 255).astype(np.uint8)
    other = random.integers(0, 256, sizes, np.uint8)
    both = (y.astype(np.float32) - np.float32(100)) * np.float32(0.05) + (
        other.astype(np.float32) - np.float32(7)
    ) * np.float32(0.03)
    expected = quantized(both, 0.06, 90)

    graph = dml.Graph(dml.Device())

    def constant(value, dtype):
        return graph.constant(np.array(value, dtype).reshape(1, 1, 1, 1))

    convolved = dml.quantized_linear_convolution(
        graph.input(x.shape, "uint8", name="x"), constant(0.02, np.float32),
        graph.constant(w), graph.constant(scales), constant(0.05, np.float32),
        input_zero_point=constant(120, np.uint8), bias=graph.constant(bias),
        output_zero_point=constant(100, np.uint8), **options,
    )  # fmt: skip
    added = dml.quantized_linear_add(
        convolved, constant(0.05, np.float32), constant(100, np.uint8),
        graph.input(sizes, "uint8", name="other"), constant(0.03, np.float32),
        constant(7, np.uint8), constant(0.06, np.float32), constant(90, np.uint8),
    )  # fmt: skip
    return graph, added, {"x": x, "other": other}, expected


@pytest.mark.parametrize("target", dml.available_targets())
@pytest.mark.parametrize("shape", LAYERS)
def test_layers_of_integers_have_the_bits_of_their_definition(shape, target):
    graph, added, data, expected = layer(shape)

    with dml.configure(target=target):
        compiled = graph.compile([added])
    for threads in (1, 2, 3, 5):
        with dml.configure(target=target, max_threads=threads):
            (actual,) = compiled(data)
        assert_bits_equal(actual=actual, expected=expected, where=f"{threads} threads")


def test_what_follows_a_convolution_follows_it_at_once():
    graph, added, _, _ = layer(LAYERS[0])

    steps = graph.compile([added]).plan.steps_in_place
    (at,) = (n for n, step in enumerate(steps) if isinstance(step, WordStep))
    assert at == len(steps) - 2
    assert isinstance(steps[-1], ProgramStep)
    assert all(isinstance(step, ProgramStep) for step in steps[:at])


def test_small_programs_keep_their_order(monkeypatch):
    graph, added, data, expected = layer(LAYERS[1])
    monkeypatch.setattr(device, "initialized", lambda plan: plan)  # which computes them before
    moved = graph.compile([added])
    monkeypatch.setattr(cpu, "small_first", lambda plan, former: plan)
    kept = graph.compile([added])

    steps = [compiled.plan.steps_in_place for compiled in (kept, moved)]
    programs = [[s.program for s in each if isinstance(s, ProgramStep)] for each in steps]
    assert programs[0] == programs[1]
    assert steps[0] != steps[1]
    for compiled in (kept, moved):
        assert_bits_equal(actual=compiled(data)[0], expected=expected)
