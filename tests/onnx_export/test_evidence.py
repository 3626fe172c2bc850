"""docs/onnx-operators.md says which ONNX forms there are, and what the tests compare."""

import json

import pytest

from indirectml.catalogue import operator_names
from indirectml.descriptors.definitions import definition
from tests.extent import Extent
from tests.onnx_export import evidence
from tests.onnx_export.bounds import BOUNDS
from tests.onnx_export.cases import cases_of

AGAIN = "run: python -m tests.onnx_export.evidence"


@pytest.fixture(scope="module")
def record():
    return json.loads(evidence.RECORD.read_text(encoding="utf-8"))


def test_the_page_is_the_one_of_the_record(record):
    assert evidence.PAGE.read_text(encoding="utf-8") == evidence.page(record), AGAIN


def test_every_operator_is_in_the_record_with_its_form(record):
    assert list(record["operators"]) == sorted(operator_names()), AGAIN
    for name, found in record["operators"].items():
        assert found["form"] in ("direct", "composed"), AGAIN
        assert found["cases"] == sum(found["elsewhere"].values()), AGAIN
        if not Extent.whole:  # which has more cases than the record
            assert found["cases"] == len(cases_of(name)), AGAIN


def test_nothing_exceeds_its_bound(record):
    assert evidence.mistakes(record) == []


def test_bounds_are_those_of_operators():
    assert set(BOUNDS) <= {definition(name).name for name in operator_names()}
