"""How far long work is: told to who listens. Nothing in the library prints it.

Work that goes through many things says so with `told`, and a command that shows how far it is
listens while the work is called, on its own thread.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TypeVar

#: Takes how many are done, and of how many: 0 of some when it begins, 0 of 0 when it ends.
Listener = Callable[[int, int], None]
T = TypeVar("T")

_listener: ContextVar[Listener | None] = ContextVar("listener", default=None)


@contextmanager
def listening(listener: Listener) -> Iterator[None]:
    """Have what is done in a block told to a listener.

    Parameters
    ----------
    listener : callable
        Called with two integers, often: it has to be quick.

    Examples
    --------
    >>> with listening(print):
    ...     _ = list(told("ab"))
    0 2
    1 2
    0 0
    """
    token = _listener.set(listener)
    try:
        yield
    finally:
        _listener.reset(token)


def told(items: Collection[T]) -> Iterable[T]:
    """Return items to go through, each of which is told where somebody listens."""
    listener = _listener.get()
    return items if listener is None or not items else _told(items, listener)


def _told(items: Collection[T], listener: Listener) -> Iterator[T]:
    try:
        for done, item in enumerate(items):
            listener(done, len(items))
            yield item
    finally:
        listener(0, 0)
