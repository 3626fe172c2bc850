"""ONNX's own node tests: none is wrong, and those that pass can only become more."""

import pytest

onnx = pytest.importorskip("onnx")

from tests.onnx_import import node_tests  # noqa: E402 (it needs onnx)

#: One run for the whole file.
FOUND = {}


@pytest.fixture(scope="module", autouse=True)
def _outcomes():
    FOUND.update(node_tests.outcomes())
    yield
    FOUND.clear()


def test_none_is_wrong():
    assert {name: why for name, (kind, why) in FOUND.items() if kind == "wrong"} == {}


def test_those_that_passed_still_pass():
    passed = {n for names in node_tests.recorded()["passed"].values() for n in names}

    lost = {n: FOUND[n] for n in passed & FOUND.keys() if FOUND[n][0] != "passed"}

    assert lost == {}


@pytest.mark.skipif(
    node_tests.recorded()["onnx"] != onnx.__version__,
    reason="the record is of another version of onnx",
)
def test_the_record_is_of_now():
    # After a change: python -m tests.onnx_import.node_tests
    now, stored = node_tests.record_of(FOUND), node_tests.recorded()

    assert now["passed"] == stored["passed"]
    assert now["refused"] == stored["refused"]  # with the reason of each


def test_the_page_is_made_of_the_record():
    page = node_tests.PAGE.read_text(encoding="utf-8")

    assert page == node_tests.page_of(node_tests.recorded())


def test_a_wrong_element_is_noticed():
    case = node_tests.collected()["test_add"]
    stated = case.data_sets[0][1][0]
    moved = stated.copy()
    moved.reshape(-1)[3] += 1

    assert not node_tests.difference(stated, stated, case, is_random=False)
    assert node_tests.difference(moved, stated, case, is_random=False)


def test_at_least_1000_pass():
    assert sum(kind == "passed" for kind, _ in FOUND.values()) >= 1000
