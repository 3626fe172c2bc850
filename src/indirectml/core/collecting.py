"""The garbage collector, which waits while a graph is made."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def without_collector() -> Iterator[None]:
    """Let Python's collector of cycles wait, if it runs.

    All that is made meanwhile is kept: the collector would look through it again and again, in
    half of the time of all, and find nothing.
    """
    if not gc.isenabled():
        yield
        return
    gc.disable()
    try:
        yield
    finally:
        gc.enable()
