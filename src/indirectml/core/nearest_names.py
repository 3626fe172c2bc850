"""What was meant by a name that is not there: the most similar of those that are."""

from __future__ import annotations

import importlib
import unicodedata
from collections.abc import Iterable
from itertools import islice

from indirectml.core.errors import shown

#: Beyond so many candidates none is suggested from the rest: similarity is slow to find out.
MAX_CANDIDATES = 1000


def nearest_name(name: str, known: Iterable[str], *, cutoff: float = 0.7) -> str | None:
    """Return the most similar of the known names, in any case; None if none is similar.

    Examples
    --------
    >>> nearest_name("RUMP", ["ramp", "zeros"])
    'ramp'
    """
    difflib = importlib.import_module("difflib")  # for mistakes alone
    folded = {_folded(candidate): candidate for candidate in islice(known, MAX_CANDIDATES)}
    close = difflib.get_close_matches(_folded(name), folded, 1, cutoff)
    return folded[close[0]] if close else None


def suggestion(name: str, known: Iterable[str], *, cutoff: float = 0.7) -> str | None:
    """Return a hint at the most similar of the known names; None if none is similar.

    Examples
    --------
    >>> suggestion("rump", ["ramp", "zeros"])
    "did you mean 'ramp'"
    """
    found = nearest_name(name, known, cutoff=cutoff)
    if found is None:
        return None
    # Names may differ in what nobody sees, such as an accent of its own.
    looks_same = unicodedata.normalize("NFKC", found) == unicodedata.normalize("NFKC", name)
    return f"did you mean {ascii(found) if looks_same else shown(found)}"


def _folded(name: str) -> str:
    """Return a name as it is compared: similarity of long ones takes quadratic time."""
    return unicodedata.normalize("NFKC", name[:100].casefold())
