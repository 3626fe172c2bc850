"""Steps that the native core carries out in one call: the bits of one step after the other."""

import numpy as np
import pytest

import indirectml as dml
from indirectml import _native
from indirectml.core.settings import State
from indirectml.devices import cpu
from indirectml.plans import CoreStep, ProgramStep
from tests.bits import assert_bits_equal
from tests.random_graphs import random_graph

NAMES = [
    "gemm", "convolution", "add", "multiply", "activation_relu", "reduce", "activation_softmax",
    "gather", "slice", "sqrt",
]  # fmt: skip


def assert_joined_as_single(graph, outputs, data, monkeypatch, *, shift=0):
    """Compare a graph with itself, step by step; its memory begins so many bytes after a line."""
    with monkeypatch.context() as patch:
        patch.setattr(cpu, "joined", tuple)
        dml.configure(max_threads=1)
        expected = graph.compile(outputs)(data)

    def shifted(size, *, zeroed):
        whole = np.full(size + 128, 0 if zeroed else 0xA5, np.uint8)
        begin = -whole.ctypes.data % 64 + shift
        return whole[begin : begin + size]

    joined = graph.compile(outputs)
    monkeypatch.setattr(cpu, "new_memory", shifted)
    for threads in (1, 2, 3):
        dml.configure(max_threads=threads)
        for actual, wanted in zip(joined(data), expected, strict=True):
            assert_bits_equal(actual=actual, expected=wanted, where=f"{threads} threads")


def chain(graph, size, count):
    """Return a long chain of products and what is done with their elements, and its data."""
    random = np.random.default_rng(0)
    data = {"x": random.standard_normal((1, 1, size, size), np.float32)}
    y = graph.input([1, 1, size, size], name="x")
    for number in range(count):
        w = graph.constant(random.standard_normal((1, 1, size, size), np.float32))
        y = dml.gemm(y, w) if number % 2 else dml.gemm(w, y, trans_a=dml.MatrixTransform.TRANSPOSE)
        y = dml.activation_tanh(y * 0.1) + w
    return y, data


@pytest.mark.parametrize("seed", range(24))
def test_random_graphs(seed, monkeypatch):
    made = random_graph(seed, 12, NAMES)

    assert_joined_as_single(made.graph, made.outputs, made.data, monkeypatch)


def test_one_crew_for_many_products(monkeypatch):
    graph = dml.Graph(dml.Device())
    y, data = chain(graph, 96, 12)

    steps = graph.compile([y]).plan.steps_in_place
    assert {type(step) for step in steps} == {CoreStep, ProgramStep}
    (joined,) = cpu.joined(steps)
    assert joined.steps == steps
    assert_joined_as_single(graph, [y], data, monkeypatch)


@pytest.mark.parametrize("shift", [1, 2, 4, 12])
def test_memory_that_kernels_do_not_take_is_left_to_python(shift, monkeypatch):
    graph = dml.Graph(dml.Device())
    y, data = chain(graph, 9, 6)
    image = graph.input([1, 2, 9, 9], name="image")
    data["image"] = np.random.default_rng(1).standard_normal((1, 2, 9, 9), np.float32)
    weights = graph.constant(np.random.default_rng(2).standard_normal((3, 2, 3, 3), np.float32))
    outputs = [y, dml.convolution(image, weights)]

    assert_joined_as_single(graph, outputs, data, monkeypatch, shift=shift)


PLACE = (0, 0, "f", (2, 2), (8, 4))


def run(step, *memories):
    return _native.StepList([step]).run(list(memories), State.policy, 0)


def product(*, a=PLACE, b=PLACE, columns=None, out=(1, 0, "f", (2, 2), (8, 4))):
    return _native.ProductStep(a, b, columns, out)


@pytest.mark.parametrize(
    ("make", "reason"),
    [
        (lambda: product(a=(0, -4, "f", (2, 2), (8, 4))), "an offset below 0"),
        (lambda: product(a=(0, 0, "f", (2, 2), (8, -4))), "a stride below 0"),
        (lambda: product(a=(0, 0, "f", (2, 2), (8,))), "another number of strides"),
        (lambda: product(a=(0, 0, "f", (2,), (4,))), "no matrices"),
        (lambda: run(product(), np.zeros(16, np.uint8)), "no such buffer"),
        (lambda: run(product(), np.zeros(15, np.uint8), np.zeros(16, np.uint8)), "too small"),
        (lambda: run(product(), np.zeros(16, np.uint8), np.zeros(15, np.uint8)), "too small"),
    ],
)
def test_refuses_what_would_crash(make, reason):
    with pytest.raises(ValueError, match=reason):
        make()


@pytest.mark.parametrize("letter", ["d", "i", "H", "x", ""])
def test_products_are_of_floats(letter):
    with pytest.raises(TypeError, match="no FLOAT32 or FLOAT16"):
        product(b=(0, 0, letter, (2, 2), (8, 4)))


def test_memory_has_to_be_there_and_writable():
    fixed = np.zeros(16, np.uint8)
    fixed.flags.writeable = False

    with pytest.raises((ValueError, BufferError)):
        run(product(), np.zeros(16, np.uint8), fixed)
    with pytest.raises((ValueError, BufferError)):
        run(product(), np.zeros(32, np.uint8)[::2], np.zeros(16, np.uint8))
    with pytest.raises(TypeError):
        run(product(), None, np.zeros(16, np.uint8))


def test_a_step_that_cannot_be_taken_is_named():
    good, words = product(), np.zeros(16, np.uint8)
    other_sizes = product(b=(0, 0, "f", (3, 1), (4, 4)))
    steps = _native.StepList([good, good, other_sizes, good])

    assert steps.run([words, np.zeros(16, np.uint8)], State.policy, 0) == 2
    assert steps.run([words, np.zeros(16, np.uint8)], State.policy, 3) == 4
