"""The garbage collector, which waits while a graph is made, and then takes what was made as old."""

from __future__ import annotations

import gc
import sys
from collections.abc import Iterator
from contextlib import contextmanager

#: After so many objects that it took as old, the collector looks through all once: graphs that
#: nobody has any more are cycles, and hold weights. That many are the graphs of ten networks.
_MOST_TAKEN = 250_000

#: How many it took since.
_taken = [0]


@contextmanager
def without_collector() -> Iterator[None]:
    """Let Python's collector of cycles wait, if it runs.

    All that is made meanwhile is kept: the collector would look through it again and again, in
    half of the time of all, and find nothing. Nor does it look through it afterwards, in a tenth.
    """
    if not gc.isenabled():
        yield
        return
    gc.disable()
    try:
        yield
    finally:
        _take_as_old()
        gc.enable()


def _take_as_old() -> None:
    """Put young objects among the old ones without a look at them, or look through all."""
    # Without the lock both calls would look at every object; what somebody froze stays frozen.
    if not getattr(sys, "_is_gil_enabled", _yes)() or gc.get_freeze_count():
        return
    _taken[0] += gc.get_count()[0]
    if _taken[0] > _MOST_TAKEN:
        _taken[0] = 0
        gc.collect()
        return
    gc.freeze()
    gc.unfreeze()


def _yes() -> bool:
    return True
