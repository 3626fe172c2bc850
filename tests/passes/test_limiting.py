"""Convolutions that limit their results themselves: the bits of relus and clips behind them."""

import numpy as np
import pytest

import indirectml as dml
from indirectml.arithmetic.convolution import convolve, pack_filters
from indirectml.devices import cpu
from indirectml.passes.limiting import limited
from indirectml.plans import ProgramStep, WordStep
from tests.bits import assert_bits_equal

SIZES = (2, 16, 9, 13)


def _data(seed, *sizes):
    return np.random.default_rng(seed).standard_normal(sizes, np.float32)


def _convolved(graph, x, filters, size, seed, groups=1, stride=1):
    dtype = x.desc.data_type.dtype
    w = _data(seed, filters, x.shape[1] // groups, size, size) / np.float32(4)
    bias = _data(seed + 1, 1, filters, 1, 1)
    tiny = -1e-30 if dtype == np.float32 else -1e-7
    w[1], bias[0, 1] = tiny, -0.0  # whose results are -0 where numbers are as small
    weights = [graph.constant(each.astype(dtype)) for each in (w, bias)]
    return dml.convolution(
        x, *weights, start_padding=[size // 2] * 2, end_padding=[size // 2] * 2,
        strides=[stride] * 2, group_count=groups,
    )  # fmt: skip


ACTIVATIONS = {
    "relu": dml.activation_relu,
    "clip": lambda x: dml.clip(x, min=-0.0, max=0.75),
    "clip to others": lambda x: dml.clip(x, min=-0.5, max=np.inf),
    "clip to less": lambda x: dml.clip(x, min=0.5, max=-0.5),
}


def _in_a_row(graph, x, activation):
    """3 x 3, 1 x 1 and grouped ones, every second pixel, of filters that do not fill panels."""
    signs = dml.max_pooling(activation(_convolved(graph, x, 16, 3, 1)), window_sizes=[1, 1]).values
    x = activation(_convolved(graph, x, 24, 3, 1))
    x = activation(_convolved(graph, x, 40, 1, 2))
    x = activation(_convolved(graph, x, 64, 3, 3, groups=2, stride=2))
    return [_convolved(graph, x, 8, 1, 4), signs], 4


def _joined(graph, x, activation):
    """Parts of a joined tensor, which are written earlier than programs would write them."""
    x = activation(_convolved(graph, x, 16, 1, 1))
    parts = [_convolved(graph, x, 16 * n, 2 * n - 1, 2 + n) for n in (1, 2, 3)]
    joined = dml.join([activation(each) for each in parts], axis=1)
    return [_convolved(graph, joined, 8, 1, 9)], 4


def _fused(graph, x, activation):  # noqa: ARG001 (it has one of its own)
    """Activations that are fields of convolutions; with the second one a sum is a program."""
    w = graph.constant(_data(5, 16, 16, 3, 3).astype(x.desc.data_type.dtype))
    options = {"start_padding": [1, 1], "end_padding": [1, 1]}
    first = dml.convolution(x, w, fused_activation=dml.FusedActivation.relu(), **options)
    second = dml.convolution(first, w, fused_activation=dml.FusedActivation.relu(), **options)
    return [_convolved(graph, dml.add(first, second), 8, 1, 9)], 1


def _read_twice(graph, x, activation):
    """Results that others read as they were, or that are outputs."""
    first = _convolved(graph, x, 16, 3, 1)
    second = _convolved(graph, activation(first), 16, 3, 2)
    return [_convolved(graph, dml.add(first, activation(second)), 8, 1, 3), second], 0


def _by_channels(graph, x, activation):
    """Filter each channel, and have one program for a sum and what follows it."""
    x = activation(_convolved(graph, x, 16, 3, 1, groups=16))
    x = activation(dml.add(_convolved(graph, x, 16, 3, 2), x))
    return [_convolved(graph, x, 8, 1, 3)], 0


NETWORKS = [_in_a_row, _joined, _fused, _read_twice, _by_channels]


def _limited_steps(plan):
    return [
        step for step in plan.steps if isinstance(step, WordStep) and "limits" in dict(step.fields)
    ]


def _compiled(network, activation, dtype=np.float32):
    graph = dml.Graph(dml.Device())
    outputs, count = network(graph, graph.input(SIZES, dtype, name="x"), ACTIVATIONS[activation])
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(cpu, "limited", lambda plan: plan)
        whole = graph.compile(outputs)
    return graph.compile(outputs), whole, count


def _given(seed, dtype=np.float32):
    x = _data(seed, *SIZES).astype(dtype)
    x[0, 3, 4, 5], x[1, 2, 0, 0], x[1, 4, 8, 12] = np.nan, np.inf, -np.inf
    x[0, :, 4:] = 1e-30 if dtype == np.float32 else 1e-7
    return {"x": x}


@pytest.mark.parametrize("target", dml.available_targets())
@pytest.mark.parametrize("activation", ACTIVATIONS)
@pytest.mark.parametrize("network", NETWORKS)
def test_has_the_bits_of_a_program_behind_it(network, activation, target):
    compiled, whole, count = _compiled(network, activation)
    assert len(_limited_steps(compiled.plan)) == count
    assert len(whole.plan.steps) - len(compiled.plan.steps) == count
    with dml.configure(target="portable", max_threads=1):
        expected = whole(_given(1))
    for threads in (1, 3):
        with dml.configure(target=target, max_threads=threads):
            for actual, wanted in zip(compiled(_given(1)), expected, strict=True):
                assert_bits_equal(actual=actual, expected=wanted)


@pytest.mark.parametrize("target", dml.available_targets())
@pytest.mark.parametrize("activation", ACTIVATIONS)
@pytest.mark.parametrize("network", NETWORKS)
def test_rounds_to_float16_as_a_program_behind_it(network, activation, target):
    compiled, whole, _ = _compiled(network, activation, np.float16)
    with dml.configure(target="portable", max_threads=1):
        expected = whole(_given(1, np.float16))
    with dml.configure(target=target, max_threads=3):
        for actual, wanted in zip(compiled(_given(1, np.float16)), expected, strict=True):
            assert_bits_equal(actual=actual, expected=wanted)


def test_float16_between_convolutions_is_rounded_in_tiles():
    compiled, _, _ = _compiled(_joined, "relu", np.float16)
    limits = [dict(step.fields)["limits"] for step in _limited_steps(compiled.plan)]
    assert limits == [("relu", 0.0, 0.0, True)] * 4


def test_a_step_says_whose_work_it_does():
    compiled, whole, _ = _compiled(_in_a_row, "relu")
    (first, *_) = _limited_steps(compiled.plan)

    assert first.operator_names == ("CONVOLUTION", "ACTIVATION_RELU")
    assert ("limits", ("relu", 0.0, 0.0, False)) in first.fields
    assert not any(isinstance(s, ProgramStep) and s.operator_names == ("ACTIVATION_RELU",)
                   for s in compiled.plan.steps)  # fmt: skip
    assert compiled.plan.temporary_size <= whole.plan.temporary_size
    (share, *_) = compiled.profile(_given(2)).by_operator()
    assert share.name == "CONVOLUTION"


def test_what_is_done_is_not_done_again():
    compiled, _, _ = _compiled(_joined, "clip")
    assert limited(compiled.plan).steps == compiled.plan.steps


@pytest.mark.parametrize("rounds", [False, True])
@pytest.mark.parametrize("limits", [("relu", 0.0, 0.0), ("clip", -0.0, 2.0), ("", 0.0, 0.0)])
def test_the_word_limits_results_of_every_layout(limits, rounds):
    """Filters of each kind: in DirectML's order, of each channel, in panels, backwards."""
    x, w = _given(3)["x"], _data(4, 16, 16, 3, 3)
    groups = {"group_count": 16}
    kinds = [(w, {}), (pack_filters(w), {}), (w, {"direction": "backward"}), (w[:, :1], groups),
             (pack_filters(w[:, :1], 16), groups)]  # fmt: skip
    for filters, options in kinds:
        plain = convolve(x, filters, **options)
        if rounds:
            with np.errstate(all="ignore"):
                plain = plain.astype(np.float16).astype(np.float32)
        expected = np.where(plain <= 0, np.float32(0), plain) if limits[0] == "relu" else plain
        if limits[0] == "clip":
            expected = np.where(plain < limits[1], np.float32(limits[1]), plain)
            expected = np.where(expected > limits[2], np.float32(limits[2]), expected)
        actual = convolve(x, filters, limits=(*limits, rounds), **options)
        assert_bits_equal(actual=actual, expected=expected)
