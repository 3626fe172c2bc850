"""Random graphs of many operators: the same bits with any threads and every instruction set."""

import numpy as np
import pytest

import indirectml as dml
from indirectml.descriptors.definitions import index
from tests.bits import assert_bits_equal
from tests.graphs.random_forms import FORMS, LEFT_OUT
from tests.graphs.random_graphs import random_graph

#: As many seeds as there are functions, so that each is called.
SEEDS = range(len(FORMS))

SETTINGS = [(target, threads) for target in dml.available_targets() for threads in (1, 2, 5)]


def test_every_function_for_graphs_has_a_form():
    assert FORMS.keys() | LEFT_OUT.keys() == index()["functions"].keys()


@pytest.mark.parametrize("seed", SEEDS)
def test_every_setting_gives_the_bits_of_plain_code(seed):
    made = random_graph(seed)
    compiled = made.compile()
    dml.configure(target="portable", max_threads=1)
    expected = compiled(made.data)

    for target, threads in SETTINGS:
        dml.configure(target=target, max_threads=threads)
        for actual, wanted in zip(compiled(made.data), expected, strict=True):
            assert_bits_equal(actual=actual, expected=wanted, where=f"{seed}: {made.used}")


def test_graphs_are_of_many_operators_and_always_the_same():
    used = {name for seed in SEEDS for name in random_graph(seed, 1).used}
    graphs = [random_graph(7), random_graph(7)]

    assert used == FORMS.keys()
    assert graphs[0].used == graphs[1].used
    for name, array in graphs[0].data.items():
        np.testing.assert_array_equal(array, graphs[1].data[name])


@pytest.mark.parametrize("seed", SEEDS[::4])
def test_serialized_graphs_give_the_same_bits(seed, tmp_path):
    made = random_graph(seed)
    expected = made.compile()(made.data)

    made.graph.serialize(tmp_path / "graph.bin", made.outputs)
    found = dml.read_serialized_graph(tmp_path / "graph.bin")
    actual = found.compile(dml.Device())({n: a for n, a in made.data.items() if n in found.inputs})

    outputs = dict(zip(found.outputs, actual, strict=True))
    for number, wanted in enumerate(expected):
        assert_bits_equal(actual=outputs[f"output_{number}"], expected=wanted, where=f"{seed}")
