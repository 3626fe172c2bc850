"""That oracles notice breakages of definitions, a seeded handful, and of words, all of them."""

import random
import re
from pathlib import Path

import pytest

from tests.operators import word_breakages
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


# ---- words ----

ARITHMETIC = Path("docs/arithmetic.md")


def test_every_word_has_a_sentence_here_and_in_the_document():
    text = ARITHMETIC.read_text("utf-8")
    for name, word in word_breakages.words().items():
        assert word.sentence.startswith("Return "), name
        assert word.sentence.endswith((".", ":")), name
        (section,) = re.findall(rf"^\| `{name}` \| \S.* \| \[(.+)\]\(#.+\) \|$", text, re.MULTILINE)
        assert f"\n## {section}\n" in text, name


def test_every_word_has_a_native_step():
    assert [name for name, word in word_breakages.words().items() if word.native is None] == []


def test_every_word_has_an_oracle_and_a_breakage():
    assert sorted(word_breakages.BREAKAGES) == sorted(word_breakages.words())


@pytest.mark.parametrize("name", word_breakages.BREAKAGES)
def test_a_breakage_of_a_word_is_noticed(name):
    assert word_breakages.is_noticed(name)


def test_a_breakage_that_changes_no_bit_is_not_noticed(monkeypatch):
    row = word_breakages.Row("position == k", "k == position", "MAX_POOLING_GRAD")
    monkeypatch.setitem(word_breakages.BREAKAGES, "max_pool_gradient", row)

    assert not word_breakages.is_noticed("max_pool_gradient")


def test_no_word_stays_broken():
    word = word_breakages.words()["gather"]
    own = word.function, word.native
    with word_breakages.spoken_by(word, word_breakages.broken_form(word)):
        assert (word.function, word.native) != own
    assert (word.function, word.native) == own
