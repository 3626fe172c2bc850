"""That oracles notice breakages of definitions: a seeded handful; the command runs all."""

import random

import pytest

from tests.operators.breakages import BREAKAGES, broken, broken_function, is_noticed, oracles
from tests.operators.families import chosen_places, run_oracle

HANDFUL = random.Random(7).sample(sorted(BREAKAGES), 12)  # noqa: S311 (no secret)


@pytest.mark.parametrize("name", HANDFUL)
def test_a_breakage_is_noticed(name):
    assert is_noticed(name, oracles())


def test_every_operator_of_the_families_has_a_breakage():
    assert sorted(BREAKAGES) == sorted(oracles())


def test_every_breakage_can_be_made():
    for name in BREAKAGES:
        broken_function(name)


def test_nothing_stays_broken():
    table = oracles()
    for name in ("ELEMENT_WISE_ABS", "SCATTER"):  # in the definition, and in what it calls
        with broken(name):
            pass
        run_oracle(table, chosen_places(name)[0])
