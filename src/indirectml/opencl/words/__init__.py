"""Words on OpenCL devices. A file here has launches for some: functions with `@word_launches`.

    @word_launches("gather", files=("gathering.cl",))
    def gather(step: WordStep, abilities: Abilities) -> Iterable[Launch] | None:
        ...

What is returned carries the step out; None says that this device, or these views, have no form.
"""

from __future__ import annotations

import functools
import importlib
import pkgutil
from collections.abc import Callable, Iterable
from typing import Any

from indirectml.opencl.launches import Abilities, Launch
from indirectml.plans import WordStep

#: From a step and what the device can to the launches that carry it out.
Launches = Callable[[WordStep, Abilities], Iterable[Launch] | None]

_found: dict[str, tuple[Launches, frozenset[str]]] = {}


def word_launches(*names: str, needs: Iterable[str] = ()) -> Callable[[Launches], Launches]:
    """Return a decorator that declares the launches of words.

    Parameters
    ----------
    names : str
        Of the words.
    needs : iterable of str
        Operations of the probe that have to be right on the device, such as "add float32".
    """

    def declare(function: Launches) -> Launches:
        for name in names:
            _found[name] = function, frozenset(needs)
        return function

    return declare


def launches_of(step: WordStep, abilities: Abilities) -> tuple[Launch, ...] | None:
    """Return what carries a word out; None where its NumPy form does."""
    made, needs = registry().get(step.word.name, (None, frozenset()))
    if made is None or not abilities.right >= needs:
        return None
    launches = made(step, abilities)
    return None if launches is None else tuple(launches)


def names() -> tuple[str, ...]:
    """Return the words that have launches, in alphabetical order."""
    return tuple(sorted(registry()))


@functools.cache
def registry() -> dict[str, tuple[Any, frozenset[str]]]:
    """Return the launches of words by their names, and what these need."""
    for module in pkgutil.iter_modules(__path__):
        importlib.import_module(f"{__name__}.{module.name}")
    return _found
