"""The collector of cycles, which waits while a graph is made."""

import gc
import sys
import weakref

import pytest

from indirectml.core import collecting
from indirectml.core.collecting import without_collector


class Cycle:
    """An object that only the collector frees."""

    def __init__(self):
        self.itself = self


@pytest.fixture(autouse=True)
def nothing_is_young(monkeypatch):
    if not getattr(sys, "_is_gil_enabled", lambda: True)():
        pytest.skip("without the lock everything is looked at")
    gc.collect()
    monkeypatch.setattr(collecting, "_taken", [0])


@pytest.fixture
def collections():
    """Return the generations that are looked through."""
    seen = []

    def see(phase, info):
        if phase == "start":
            seen.append(info["generation"])

    gc.callbacks.append(see)
    yield seen
    gc.callbacks.remove(see)


def test_what_is_made_meanwhile_is_looked_through_neither_then_nor_afterwards(collections):
    with without_collector(), without_collector():
        kept = [[] for _ in range(10_000)]
    more = [[] for _ in range(100)]
    assert not collections
    assert gc.isenabled()
    assert len(kept) + len(more) == 10_100


def test_all_is_looked_through_after_so_many_objects(monkeypatch, collections):
    monkeypatch.setattr(collecting, "_MOST_TAKEN", 2500)
    with without_collector():
        kept = [[] for _ in range(1000)]
        lost = weakref.ref(Cycle())
    with without_collector():
        kept += [[] for _ in range(1000)]
    assert not collections
    assert lost() is not None
    with without_collector():
        kept += [[] for _ in range(1000)]
    assert collections == [2]
    assert lost() is None


def test_what_is_frozen_stays_frozen():
    gc.freeze()
    try:
        frozen = gc.get_freeze_count()
        with without_collector():
            pass
        assert frozen
        # What is freed meanwhile is not frozen any more.
        assert gc.get_freeze_count() > frozen // 2
    finally:
        gc.unfreeze()


def test_a_collector_that_does_not_run_stays_off():
    gc.disable()
    try:
        with without_collector():
            kept = [[] for _ in range(10_000)]
        assert not gc.isenabled()
        assert gc.get_count()[0] >= len(kept)
    finally:
        gc.enable()
