"""docs/oracles.md says what tests compare; pages of operators say how they round, and why."""

import importlib
import inspect
import json
import re

import pytest
from tools import generate

from indirectml.catalogue import operator_names
from indirectml.catalogue.published_pages import published_page
from indirectml.descriptors.definitions import FAMILIES, definition, implemented_operators
from tests.operators import evidence
from tests.parameters import in_one_test

AGAIN = "run: python -m tests.operators.evidence"


@pytest.fixture(scope="module")
def record():
    return json.loads(evidence.RECORD.read_text(encoding="utf-8"))


def test_the_page_of_oracles_is_the_one_of_the_record(record):
    assert evidence.PAGE.read_text(encoding="utf-8") == evidence.page(record), AGAIN


def test_every_operator_was_compared_and_none_differed(record):
    compared = {
        name
        for name, found in record["operators"].items()
        if all(s["cases"] > 0 and s["failed"] == 0 for s in found.values())
    }

    assert compared | evidence.FILLS.keys() == set(operator_names()), AGAIN


def test_the_record_has_the_trials_that_the_tables_have_now(record):
    assert record["trials"] == evidence.trial_counts(), AGAIN


def test_files_of_the_record_exist(record):
    files = {
        f for found in record["operators"].values() for s in found.values() for f in s["files"]
    }

    assert files <= {path.name for path in evidence.HERE.glob("test_*.py")}, AGAIN


#: What says how an operator rounds, or that it does not.
ROUNDING = re.compile(
    r"exact|rounded|rounding|Rounding|every bit is kept|bit by bit|value's bits|wrap"
    r"|[Aa]s (the )?(in )?[A-Z]+_?[A-Z]|0 elsewhere|S16|C256|modulo|the state is|other way round"
    r"|numbers? of|how many",
    re.IGNORECASE,
)


@in_one_test(name=implemented_operators())
def test_definitions_say_formula_and_rounding(name):
    made = definition(name)
    head, _, rest = made.text.partition("\n\n")
    family = inspect.getdoc(importlib.import_module(f"{FAMILIES}.{made.module}"))

    assert re.search(r"=| is | has ", head)
    assert ROUNDING.search(f"{head} {rest.partition('Example:')[0]} {family}")


@in_one_test(name=implemented_operators())
def test_pages_link_the_source_of_each_operator(name):
    page = (generate.PAGES / f"{definition(name).module}.md").read_text(encoding="utf-8")

    assert f"[{name}]({published_page(name).url})" in page


def test_published_pages_are_at_a_commit():
    for name in operator_names():
        assert re.fullmatch(r"[0-9a-f]{40}", published_page(name).commit)


def test_paragraphs_about_decisions_have_one_of_three_labels():
    """So that docs/decisions.md has all of them."""
    page = generate.decisions_page()
    for name in implemented_operators():
        text = definition(name).text
        for label in generate.LABELS:
            assert text.count(label) == len(re.findall(rf"^{label}: ", text, re.MULTILINE))
        assert not re.search(
            r"our choice|does not say|DirectML leaves|[Tt]he page (leaves|says)", text
        )
    assert page.count("\n| [") > 40
