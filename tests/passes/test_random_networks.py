"""Random networks of images: no pass changes a bit, on any instruction set."""

import pytest

import indirectml as dml
from indirectml.devices import cpu
from tests.bits import assert_bits_equal
from tests.extent import some
from tests.passes.random_networks import KINDS, RandomNetwork

SETTINGS = [(target, threads) for target in dml.available_targets() for threads in (1, 3)]


@pytest.mark.parametrize("seed", range(some(200)))
def test_passes_change_no_bit(seed):
    network = RandomNetwork(seed)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(cpu, "prepared", lambda plan, _: plan)
        plain = network.graph.compile(network.outputs)
    compiled = network.graph.compile(network.outputs)
    with dml.configure(target="portable", max_threads=1):
        expected = plain(network.data)

    for target, threads in SETTINGS:
        with dml.configure(target=target, max_threads=threads):
            actual = compiled(network.data)
        for found, wanted in zip(actual, expected, strict=True):
            assert_bits_equal(actual=found, expected=wanted, where=f"{seed}: {network.used}")


def test_every_kind_of_node_is_met():
    assert {kind for seed in range(20) for kind in RandomNetwork(seed).used} == set(KINDS)
