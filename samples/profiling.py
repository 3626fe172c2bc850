"""How long each operator of a compiled graph takes."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any
from unittest import mock


@dataclass(frozen=True)
class Share:
    """What the nodes of one operator take together.

    Attributes
    ----------
    name : str
        Of the operator, or of another kind of step.
    count : int
        How many steps of a plan it is.
    seconds : float
        Of one run, the median of several.
    """

    name: str
    count: int
    seconds: float


def profile(
    compiled: Any, inputs: Mapping[Any, Any], *, runs: int = 3,
    clock: Callable[[], float] = time.perf_counter,
) -> list[Share]:  # fmt: skip
    """Run a compiled graph step by step, and return the shares of its operators.

    Parameters
    ----------
    compiled : CompiledGraph
        Initialized.
    inputs : dict
        As it takes them.
    runs : int
        How often; the fastest run counts.
    clock : callable
        From nothing to seconds.

    Returns
    -------
    list of Share
        The one that takes longest first.
    """
    implementation = compiled.device.implementation
    execute = implementation.execute
    found: list[tuple[Counter[str], Counter[str]]] = []

    def step_by_step(steps: Any, memories: Any) -> None:
        seconds: Counter[str] = Counter()
        counts: Counter[str] = Counter()
        # What the device does in one call has steps of its own.
        for step in (one for each in steps for one in getattr(each, "steps", (each,))):
            began = clock()
            execute((step,), memories)
            name = _name(step)
            seconds[name] += clock() - began
            counts[name] += 1
        found.append((seconds, counts))

    with mock.patch.object(implementation, "execute", step_by_step):
        for _ in range(runs):
            compiled(inputs)
    seconds, counts = min(found, key=lambda pair: pair[0].total())
    return [Share(name, counts[name], taken) for name, taken in seconds.most_common()]


def _name(step: Any) -> str:
    """Return the operator of a step, or the first of those that it does at once."""
    names = getattr(step, "operator_names", None) or [getattr(step, "operator_name", "")]
    first = names[0] or type(step).__name__
    return f"{first} and {len(names) - 1} more" if len(names) > 1 else str(first)


def table(shares: list[Share]) -> str:
    """Return shares as lines of text."""
    total = sum(share.seconds for share in shares) or 1.0
    return "\n".join(
        f"{share.seconds * 1000:9.2f} ms {share.seconds / total:6.1%}  {share.name} ({share.count})"
        for share in shares
    )
