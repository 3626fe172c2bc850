"""What is wrong with a model: errors with their places, collected instead of raised one by one."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import islice

from indirectml.core.errors import DirectMLError, ModelError
from indirectml.core.nearest_names import MAX_CANDIDATES, suggestion

#: From the root of a model to a value: names of members, and numbers of elements.
Path = tuple[str | int, ...]

#: Of the field of an error, such as "InputTensors[1].Sizes": a name, or a number of an element.
_FIELD_PART = re.compile(r"([^.\[\]]+)|\[(\d+)\]")


def path_text(path: Path) -> str:
    """Write a path as messages show it.

    Examples
    --------
    >>> path_text(("commands", 0, "bindings", "OutputTensor"))
    'commands[0].bindings.OutputTensor'
    """
    parts = (f"[{part}]" if isinstance(part, int) else f".{printable(part)}" for part in path)
    return "".join(parts).removeprefix(".")


def printable(name: str) -> str:
    r"""Return a name of a model without what moves the cursor, or does worse, on a terminal.

    Examples
    --------
    >>> printable("a\nb\x1b[2J")
    'a\\nb\\x1b[2J'
    """
    if name.isprintable():
        return name
    return "".join(
        c if c.isprintable() else c.encode("unicode_escape").decode("ascii") for c in name
    )


class AlreadyKnownError(ModelError):
    """Reading ends here because of mistakes that have been kept already."""


@dataclass(frozen=True)
class Problem:
    """One thing that is wrong, or odd, in a model.

    Attributes
    ----------
    error : DirectMLError
        What is wrong; its `field` is the path as text.
    path : Path
        Where, from the root.
    offset : int or None
        Where in the text, if that is known without the path.
    is_warning : bool
        The model runs nevertheless.
    """

    error: DirectMLError
    path: Path = ()
    offset: int | None = None
    is_warning: bool = False


#: So many problems are kept; more are counted.
MAX_PROBLEMS = 1000

#: So many names are compared for hints at similar ones, of all mistakes together: each comparison
#: takes up to 50 microseconds.
_MAX_COMPARISONS = 20_000


class Problems:
    """A list of problems, and the path of the place that is being read.

    Attributes
    ----------
    mistakes, warnings : list of Problem
        The first of them, at most MAX_PROBLEMS of each.
    mistake_count, warning_count : int
        How many there are.
    """

    def __init__(self) -> None:
        self.mistakes: list[Problem] = []
        self.warnings: list[Problem] = []
        self.mistake_count = self.warning_count = 0
        self._comparisons_left = _MAX_COMPARISONS
        self._path: list[str | int] = []
        self._ended = 0  # how many readings ended before their end

    @contextmanager
    def at(self, *parts: str | int) -> Iterator[None]:
        """Read a part of the model: an error inside is kept, and ends the reading of this part."""
        depth = len(self._path)
        self._path.extend(parts)
        try:
            yield
        except AlreadyKnownError:
            self._ended += 1
        except DirectMLError as error:
            self.add(error)
        finally:
            del self._path[depth:]

    @contextmanager
    def within(self, *parts: str | int) -> Iterator[None]:
        """Read a part of the model: an error inside also ends the reading of what is around it."""
        depth = len(self._path)
        self._path.extend(parts)
        yield
        # Not after an error: `at`, which keeps it, wants to know where it arose.
        del self._path[depth:]

    @contextmanager
    def together(self) -> Iterator[None]:
        """Read what is only of use as a whole: a mistake kept inside ends the reading after it."""
        before = self._ended
        yield
        if self._ended > before:
            raise AlreadyKnownError("has mistakes")

    def add(self, error: DirectMLError, *, is_warning: bool = False) -> None:
        """Keep an error that arose at the present place, or in its field."""
        self._ended += not is_warning
        self.mistake_count += not is_warning
        self.warning_count += is_warning
        kept = self.warnings if is_warning else self.mistakes
        if len(kept) >= MAX_PROBLEMS:
            return
        inner = [
            int(number) if number else name
            for name, number in _FIELD_PART.findall(error.field or "")
        ]
        path = (*self._path, *inner)
        error.field = path_text(path) or None
        kept.append(Problem(error, path, is_warning=is_warning))

    def add_read(self, problems: Iterable[Problem]) -> None:
        """Keep mistakes of the text itself."""
        for problem in problems:
            self.mistake_count += 1
            if len(self.mistakes) < MAX_PROBLEMS:
                self.mistakes.append(problem)

    def suggestion(self, name: object, known: Iterable[str], *, cutoff: float = 0.7) -> str | None:
        """Return a hint at the most similar of the known names, for the first mistakes of many."""
        if not isinstance(name, str) or self._comparisons_left <= 0:
            return None
        names = list(islice(known, MAX_CANDIDATES))
        self._comparisons_left -= len(names)
        return suggestion(name, names, cutoff=cutoff)

    def raise_first(self) -> None:
        """Raise the first mistake, if there is one."""
        for problem in self.mistakes:
            raise problem.error
