"""Graphs whose sizes have names."""

import pickle

import numpy as np
import pytest

import indirectml as dml
from tests.bits import assert_bits_equal

WEIGHTS = np.arange(6, dtype=np.float32).reshape(3, 2)


def biased_product(x, y):
    """Return the same as `sized` for one set of sizes, without it."""
    graph = dml.Graph(dml.Device())
    made = dml.add(dml.gemm(graph.input(x.shape, name="x"), graph.constant(WEIGHTS)),
                   graph.input(y.shape, name="y"))  # fmt: skip
    return graph.compile([made])({"x": x, "y": y})[0]


def sized(**options):
    graph = dml.Graph(dml.Device())
    weights = graph.constant(WEIGHTS)
    calls = []

    def function(x, y):
        calls.append(x.shape)
        return [dml.add(dml.gemm(x, weights), y)]

    inputs = {"x": ["rows", 3], "y": (["rows", 2], np.float32)}
    return dml.SizedGraph(graph, function, inputs, **options), calls


def test_each_set_of_sizes_is_compiled_once_and_has_the_bits_of_its_own_graph():
    graph, calls = sized()
    for rows in (1, 4, 1, 2, 4):
        x = np.random.default_rng(rows).standard_normal((rows, 3)).astype(np.float32)
        y = x[:, :2] * np.float32(3)

        (found,) = graph({"x": x, "y": y})

        assert_bits_equal(actual=found, expected=biased_product(x, y))
    assert calls == [(1, 3), (4, 3), (2, 3)]
    assert graph.at(rows=4) is graph.at({"x": [4, 3]}) is graph.at(y=np.zeros((4, 2)))
    assert len(calls) == 3
    owned = [graph.at(rows=rows)._owned for rows in (1, 2, 4)]  # noqa: SLF001 (what is shared)
    assert len({id(raw) for each in owned for raw in each if raw is not None}) == 1


def test_those_used_last_are_kept():
    graph, calls = sized(kept=2)
    first = graph.at(rows=1)
    graph.at(rows=2)
    assert graph.at(rows=1) is first
    graph.at(rows=3)
    assert graph.at(rows=1) is first
    graph.at(rows=2)
    assert calls == [(1, 3), (2, 3), (3, 3), (2, 3)]


REFUSED = [
    (lambda g: g.at(), "at: needs sizes: rows"),
    (lambda g: g.at(columns=2), "at: needs names of sizes and inputs: rows, x, y, got 'columns'"),
    (lambda g: g.at(rows=1.5), "at.rows: needs an integer, got 1.5"),
    (lambda g: g.at(rows=0), "at.rows: needs a size from 1 up, got 0"),
    (
        lambda g: g({"x": np.ones((0, 3)), "y": np.ones((0, 2))}),
        "x: dimension 0: needs a size from 1 up, got 0",
    ),
    (lambda g: g.at(rows=2, x=[3, 3]), "x: dimension 0: needs 2, which 'rows' is already, got 3"),
    (lambda g: g.at(x=[3, 4]), "x: needs size 3 for dimension 1, got 4"),
    (lambda g: g.at(x=[3]), "x: needs 2 sizes ['rows', 3], got [3]"),
    (
        lambda g: g({"x": np.ones((2, 3)), "y": np.ones((1, 2))}),
        "y: dimension 0: needs 2, which 'rows' is already, got 1",
    ),
    (lambda g: g({}), "GRAPH.dispatch: needs inputs that say rows"),
    (lambda g: g({"x": np.ones((2, 3))}), "GRAPH.dispatch: missing input 2 'y' (FLOAT32 [2, 2])"),
    (lambda g: dml.SizedGraph(g.graph, g, {}, kept=0), "SizedGraph.kept: needs at least 1, got 0"),
    (lambda g: dml.SizedGraph(g, g, {}), "SizedGraph: needs a graph and a function, got "),
    (
        lambda g: dml.SizedGraph(g.graph, g, {"x": [None]}),
        "inputs.x: needs integers and names, got [None]",
    ),
]


@pytest.mark.parametrize(("act", "sentence"), REFUSED, ids=[text for _, text in REFUSED])
def test_what_is_refused(act, sentence):
    graph, _ = sized()

    with pytest.raises(dml.DirectMLError) as caught:
        act(graph)

    assert str(caught.value).startswith(sentence)


def doubled(x):
    return [dml.add(x, x)]


def test_pickled_and_shown():
    graph = dml.SizedGraph(dml.Graph(dml.Device()), doubled, {"x": ["n"]})
    x = np.arange(3, dtype=np.float32)
    graph({"x": x})

    again = pickle.loads(pickle.dumps(graph))  # noqa: S301 (our own)

    assert repr(again) == "SizedGraph(x ['n'])"
    assert_bits_equal(actual=again({"x": x})[0], expected=x + x)
    assert_bits_equal(actual=again({"x": x[:2]})[0], expected=(x + x)[:2])


def test_a_plan_of_other_sizes_takes_what_is_alike_and_equals_one_that_is_made_at_once():
    """Operators that are others there, with other memory between their steps, among them."""
    calls = []

    def function(x, y):
        calls.append(x.shape)
        # One is lowered to one step, the other to two.
        first = (dml.argmax if x.shape[0] % 2 else dml.argmin)(x, axes=[1])
        if x.shape[0] % 3 == 0:
            first = dml.reduce(x, function=dml.ReduceFunction.SUM, axes=[1])
        zero = dml.activation_leaky_relu(y, alpha=-0.0 if x.shape[0] % 2 else 0.0)
        last = dml.argmax(dml.gemm(y, y, trans_b=dml.MatrixTransform.TRANSPOSE) + 1, axes=[1])
        return [first, last, zero]

    def graph():
        made = dml.Graph(dml.Device())
        return dml.SizedGraph(made, function, {"x": ["rows", 3], "y": [4, 3]})

    kept = graph()
    random = np.random.default_rng(5)
    for rows in (1, 2, 3, 4, 5, 9, 8):
        x, y = (random.standard_normal((n, 3)).astype(np.float32) for n in (rows, 4))
        found, alone = kept.at(rows=rows), graph().at(rows=rows)
        assert found.plan == alone.plan
        assert [n.desc for n in found.desc.nodes] == [n.desc for n in alone.desc.nodes]
        for actual, expected in zip(found(x, y), alone(x, y), strict=True):
            assert_bits_equal(actual=actual, expected=expected)
