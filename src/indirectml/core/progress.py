"""How far long work is: told to who listens. Nothing in the library prints it.

Work that goes through many things says so with `told`, and has a name by `doing`. A command that
shows how far all this is listens while the work is called, on its own thread: to the parts of one
piece of work (`listening`), or to each piece that has a name (`watching`).
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any, TypeVar

#: Takes how many are done, and of how many: 0 of some when it begins, 0 of 0 when it ends.
Listener = Callable[[int, int], None]
#: Given what is done, and in how many parts if that is known, it returns a context for the time
#: that this takes; the attribute `done` of what is entered counts the parts.
Watcher = Callable[[str, int | None], AbstractContextManager[Any]]
T = TypeVar("T")

_listener: ContextVar[Listener | None] = ContextVar("listener", default=None)
_watcher: ContextVar[Watcher | None] = ContextVar("watcher", default=None)


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


@contextmanager
def watching(watcher: Watcher) -> Iterator[None]:
    """Have each piece of work with a name that is done in a block told to a watcher."""
    token = _watcher.set(watcher)
    try:
        yield
    finally:
        _watcher.reset(token)


@dataclass
class _Unseen:
    """Counts parts that nobody asks for."""

    done: int = 0


def doing(what: str, total: int | None = None) -> AbstractContextManager[Any]:
    """Return a context for a piece of work, which is told where somebody watches.

    Parameters
    ----------
    what : str
        Such as "writing a.npy".
    total : int, optional
        In how many parts; `done` of what is entered counts them. Without it they are those that the
        work tells of itself.

    Examples
    --------
    >>> with doing("counting", 2) as parts:
    ...     for _ in range(2):
    ...         parts.done += 1
    """
    watcher = _watcher.get()
    return nullcontext(_Unseen()) if watcher is None else watcher(what, total)


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
