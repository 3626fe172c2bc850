"""A program writes where it reads what nothing reads later, and nowhere else: no other bits."""

import numpy as np
import pytest

import indirectml as dml
from indirectml.plans import ProgramStep
from indirectml.ranges import Ranges
from tests.bits import assert_bits_equal

SEED = 12
PIXELS, WIDTH = 40, 24
KIB = 1024


def graph_of(after):
    """Return a graph whose product a program goes on with, its data, and the product."""
    random = np.random.default_rng(SEED)
    x = random.standard_normal((PIXELS, WIDTH)).astype(np.float32)
    w = random.standard_normal((WIDTH, WIDTH)).astype(np.float32)
    graph = dml.Graph(dml.Device())
    product = dml.gemm(graph.input(x.shape, name="x"), graph.constant(w))
    last = dml.activation_softmax(after(product))
    return graph.compile([last]), x, dml.gemm(x, w)


def in_place(compiled):
    """Return whether each program writes where it reads."""
    return [
        any((view.buffer, view.offset) == (step.outputs[0].buffer, step.outputs[0].offset)
            for view in step.inputs)
        for step in compiled.plan.steps if isinstance(step, ProgramStep)
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("after", "expected", "alike"),
    [
        (lambda p: p * p + 1, lambda p: p * p + np.float32(1), [True]),
        # Read in another order, elements would be gone before they are read.
        (lambda p: p + dml.reinterpret(p, [PIXELS, WIDTH], [1, PIXELS]),
         lambda p: p + p.ravel().reshape(WIDTH, PIXELS).T, [False]),
    ],
)  # fmt: skip
def test_a_program_takes_the_place_of_what_it_reads(after, expected, alike):
    compiled, x, product = graph_of(after)
    assert in_place(compiled) == alike
    wanted = dml.activation_softmax(expected(product))
    assert_bits_equal(actual=compiled({"x": x})[0], expected=wanted)


def test_what_is_read_later_stays():
    random = np.random.default_rng(SEED)
    x = random.standard_normal((PIXELS, WIDTH)).astype(np.float32)
    w = random.standard_normal((WIDTH, WIDTH)).astype(np.float32)
    graph = dml.Graph(dml.Device())
    product = dml.gemm(graph.input(x.shape, name="x"), graph.constant(w))
    shares = dml.activation_softmax(product * 2)
    compiled = graph.compile([dml.gemm(shares, graph.constant(w), product)])
    assert in_place(compiled)[0] is False
    both = dml.gemm(x, w)
    wanted = dml.gemm(dml.activation_softmax(both * np.float32(2)), w, both)
    assert_bits_equal(actual=compiled({"x": x})[0], expected=wanted)


def test_a_range_lies_where_one_of_its_size_lay():
    ranges = Ranges(0)
    first, second = ranges.take(KIB), ranges.take(4 * KIB)
    ranges.give_back(first, KIB)
    ranges.give_back(second, 4 * KIB)
    small = ranges.take(KIB)
    assert [first, second, small] == [0, KIB, 0]
    ranges.give_back(small, KIB)
    assert ranges.take(4 * KIB) == second
    # The beginning was not lost, and what fits nowhere makes the memory longer.
    assert [ranges.take(KIB), ranges.take(KIB), ranges.size] == [0, 5 * KIB, 6 * KIB]
