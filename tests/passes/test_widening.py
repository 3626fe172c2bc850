"""FLOAT16 that is multiplied lies as FLOAT32 between steps: the same bits, and no copies."""

from collections import Counter

import numpy as np
import pytest

import indirectml as dml
from indirectml.devices import cpu
from indirectml.passes.widening import widened
from indirectml.plans import ProgramStep, WordStep
from tests.bits import assert_bits_equal

SIZES = (2, 16, 9, 13)
FLOAT16, FLOAT32 = dml.TensorDataType.FLOAT16, dml.TensorDataType.FLOAT32


def _data(seed, *sizes):
    return np.random.default_rng(seed).standard_normal(sizes, np.float32)


def _convolved(graph, x, filters, size, seed, groups=1):
    w = _data(seed, filters, x.shape[1] // groups, size, size) / np.float32(8)
    return dml.convolution(
        x, graph.constant(w.astype(np.float16)), start_padding=[size // 2] * 2,
        end_padding=[size // 2] * 2, group_count=groups,
    )  # fmt: skip


def _normalized(graph, x, seed):
    parts = [_data(seed + n, 1, x.shape[1], 1, 1) for n in range(4)]
    parts[1] = abs(parts[1]) + np.float32(0.5)
    constants = [graph.constant(each.astype(np.float16)) for each in parts]
    return dml.batch_normalization(x, *constants, spatial=True, epsilon=1e-5)


#: What may stand behind a normalization. FLOAT16 does not hold the limits of the second clip.
ACTIVATIONS = {
    "nothing": lambda x: x,
    "relu": dml.activation_relu,
    "clip": lambda x: dml.clip(x, min=-0.0, max=6.0),
    "clip to others": lambda x: dml.clip(x, min=-0.1, max=1e6),
    "hard swish": lambda x: dml.activation_hard_swish(x, alpha=1 / 6, beta=0.5),
    "tanh": dml.activation_tanh,
}


def _blocks(graph, x, activation, *, normalizes):
    """Convolutions of 1 x 1, of each channel, and a sum with what was before them."""

    def after(y, seed):
        return activation(_normalized(graph, y, seed) if normalizes else y)

    first = after(_convolved(graph, x, 32, 3, 1), 20)
    wide = after(_convolved(graph, first, 48, 1, 2), 30)
    deep = after(_convolved(graph, wide, 48, 3, 3, groups=48), 40)
    added = dml.add(_convolved(graph, deep, 32, 1, 4), first)
    return [_convolved(graph, after(added, 50), 24, 1, 5)]


def _joined(graph, x, activation, *, normalizes):  # noqa: ARG001 (as all networks)
    """Tensors that are joined, that average pooling reads, too, or that are outputs."""
    x = activation(_convolved(graph, x, 32, 1, 1))
    y = activation(_convolved(graph, x, 32, 1, 2))
    both = [activation(_convolved(graph, y, 16, size, size)) for size in (1, 3)]
    last = activation(_convolved(graph, dml.join(both, axis=1), 24, 3, 8))
    pooled = dml.average_pooling(x, window_sizes=[3, 3], strides=[2, 2], include_padding=False)
    return [_convolved(graph, last, 24, 3, 9), last, _convolved(graph, pooled, 16, 1, 10)]


def _pooled(graph, x, activation, *, normalizes):  # noqa: ARG001 (as all networks)
    """Maxima of windows, once, twice, as an output, and read by others, too."""

    def largest(y):
        return dml.max_pooling(y, window_sizes=[2, 3], start_padding=[0, 1])[0]

    y = activation(_convolved(graph, x, 32, 3, 1))
    twice = largest(largest(activation(_convolved(graph, largest(y), 48, 1, 2))))
    kept = largest(activation(_convolved(graph, y, 16, 1, 3)))
    shared = largest(activation(_convolved(graph, y, 16, 1, 6)))
    averages = dml.average_pooling(
        shared, window_sizes=[2, 2], strides=[1, 1], include_padding=False
    )
    return [_convolved(graph, twice, 24, 1, 4), _convolved(graph, kept, 24, 3, 5), kept,
            _convolved(graph, shared, 24, 3, 7), averages]  # fmt: skip


def _products(graph, x, activation, *, normalizes):  # noqa: ARG001 (as all networks)
    """Products of rows, the last one of two tensors of which one is turned."""
    rows = dml.reinterpret(x, [1, 1, 117, 32])
    weights = [graph.constant(_data(seed, 1, 1, 32, 32).astype(np.float16)) for seed in (1, 2)]
    first = activation(dml.gemm(rows, weights[0]))
    second = activation(dml.gemm(first, weights[1], alpha=0.5))
    turned = dml.MatrixTransform.TRANSPOSE
    return [dml.gemm(first, second, trans_b=turned)]


def _compiled(network, activation, *, normalizes=True):
    graph = dml.Graph(dml.Device())
    x = graph.input(SIZES, np.float16, name="x")
    return graph.compile(network(graph, x, ACTIVATIONS[activation], normalizes=normalizes))


def _read(compiled):
    """Return which data types convolutions and products read first."""
    return [
        step.inputs[0].data_type
        for step in compiled.plan.steps
        if isinstance(step, WordStep) and step.word.name in {"convolve", "contract"}
    ]


def _input():
    """Return pixels, among them infinities, NaNs, subnormals, zeros of both signs, large ones."""
    x = _data(9, *SIZES).astype(np.float16)
    special = [np.inf, -np.inf, np.nan, 6e-8, -6e-8, 0.0, -0.0, 65504.0, -65504.0, 1e-5]
    x[0, :10, 4, 5] = special
    x[1, 0, 0, :10] = special
    x[1, :, 6:] = 0
    return x


@pytest.mark.parametrize("target", dml.available_targets())
@pytest.mark.parametrize("activation", ACTIVATIONS)
@pytest.mark.parametrize(
    ("network", "normalizes"),
    [(_blocks, True), (_blocks, False), (_joined, False), (_pooled, False), (_products, False)],
)
def test_what_is_widened_has_the_bits_of_float16(
    monkeypatch, target, network, activation, normalizes
):
    with monkeypatch.context() as patched:
        patched.setattr(cpu, "widened", lambda plan: plan)
        halves = _compiled(network, activation, normalizes=normalizes)
    assert set(_read(halves)) == {FLOAT16}
    compiled = _compiled(network, activation, normalizes=normalizes)
    assert FLOAT32 in _read(compiled)
    data = {"x": _input()}
    for threads in (1, 3):
        with dml.configure(target=target, max_threads=threads):
            for actual, wanted in zip(compiled(data), halves(data), strict=True):
                assert_bits_equal(actual=actual, expected=wanted)


def test_only_inputs_and_what_others_read_stay_float16():
    assert _read(_compiled(_blocks, "relu")) == [FLOAT16] + [FLOAT32] * 4
    assert sorted(_read(_compiled(_products, "relu")), key=str) == [FLOAT16, FLOAT32, FLOAT32]
    # Of the others, what is joined, twice what that is made of.
    assert sorted(_read(_compiled(_joined, "relu")), key=str) == [FLOAT16] * 4 + [FLOAT32] * 3
    # The input, an output, and what others read.
    assert sorted(_read(_compiled(_pooled, "relu")), key=str) == [FLOAT16] * 3 + [FLOAT32] * 4


def test_pools_write_the_data_type_that_they_read():
    types = [
        (step.inputs[0].data_type, step.outputs[0].data_type)
        for step in _compiled(_pooled, "relu").plan.steps
        if isinstance(step, WordStep) and step.word.name == "max_pool"
    ]
    assert Counter(types) == {(FLOAT32, FLOAT32): 3, (FLOAT16, FLOAT16): 2}


def test_a_choice_between_numbers_of_float16_is_not_rounded_again():
    def roundings(activation):
        return sum(
            instruction.type == "float16"
            for step in _compiled(_blocks, activation).plan.steps
            if isinstance(step, ProgramStep)
            for instruction in step.program.instructions
        )

    assert roundings("relu") == roundings("clip") == roundings("nothing")
    assert roundings("clip to others") == roundings("nothing") + 4


def test_steps_that_plans_of_other_sizes_share_are_widened_once(monkeypatch):
    plans = []
    monkeypatch.setattr(cpu, "widened", lambda plan: plans.append(plan) or plan)
    _compiled(_blocks, "relu")

    first, second = (widened(plans[0]).steps for _ in range(2))

    assert any(a is not b for a, b in zip(first, plans[0].steps, strict=True))
    assert all(a is b for a, b in zip(first, second, strict=True))


def test_networks_of_float32_stay_as_they_are():
    graph = dml.Graph(dml.Device())
    x = graph.input(SIZES, name="x")
    w = graph.constant(_data(1, 24, 16, 1, 1))
    plan = graph.compile([dml.activation_relu(dml.convolution(x, w))]).plan
    assert widened(plan) is plan
