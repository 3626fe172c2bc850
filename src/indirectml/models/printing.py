"""Values and timings as DxDispatch prints them.

One difference is on purpose: INT8 and UINT8 are printed as numbers, not as characters.
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Iterator, Sequence
from typing import Any, Literal

import numpy as np

from indirectml.models.problems import printable

#: Floats with 6 significant digits, or with as many as bring every bit back.
Precision = Literal["6", "exact"]

#: So many values are text at a time; a resource may be larger than memory is for its text.
_PIECE = 1 << 16


def print_values(
    name: str, values: np.ndarray[Any, Any], precision: Precision = "6"
) -> Iterator[str]:
    r"""Yield, in pieces, one line with every value.

    Examples
    --------
    >>> "".join(print_values("Out", np.array([3.2, 1e6, np.inf], np.float32)))
    "Resource 'Out': 3.2, 1e+06, inf\n"
    """
    yield f"Resource '{printable(name)}': "
    for first in range(0, len(values), _PIECE):
        yield ", " if first else ""
        yield ", ".join(_texts(values[first : first + _PIECE], precision))
    yield "\n"


def print_values_verbose(
    name: str, values: np.ndarray[Any, Any], precision: Precision = "6"
) -> Iterator[str]:
    r"""Yield one line per value, with its index and its bits.

    Examples
    --------
    >>> list(print_values_verbose("Out", np.array([3.2, 0], np.float32)))
    ["Resource 'Out':\n", '[0] 3.2 (0x404CCCCD)\n', '[1] 0 (0x       0)\n']
    """
    yield f"Resource '{printable(name)}':\n"
    digits = 2 * values.itemsize
    width = len(str(len(values)))
    for first in range(0, len(values), _PIECE):
        piece = values[first : first + _PIECE]
        bits = piece.view(f"u{values.itemsize}").tolist()
        for index, text in enumerate(_texts(piece, precision)):
            yield f"[{first + index:{width}}] {text} (0x{bits[index]:{digits}X})\n"


def _texts(values: np.ndarray[Any, Any], precision: Precision) -> list[str]:
    """Write the values, each as short as it can be."""
    if values.dtype.kind != "f":
        return [str(value) for value in values.tolist()]
    if precision == "exact":
        return [str(value) for value in values]
    return [f"{value:g}" for value in values.tolist()]


def values_json(values: np.ndarray[Any, Any]) -> list[Any]:
    """Return values as JSON has them: with every bit, and as a text where it has no number.

    Examples
    --------
    >>> values_json(np.array([3.2, np.inf], np.float32))
    [3.2, 'inf']
    """
    if values.dtype.kind != "f" or values.itemsize > 4:  # noqa: PLR2004 (FLOAT64 as it is)
        found = values.reshape(-1).tolist()
    else:  # the shortest digits that bring the narrower type's bits back
        found = [float(str(value)) for value in values.reshape(-1)]
    return [str(v) if isinstance(v, float) and not math.isfinite(v) else v for v in found]


def dispatch_lines(
    name: str, samples_ms: Sequence[float], warmup_samples: int, verbosity: int
) -> Iterator[str]:
    """Yield what is told of a dispatch: the median, and with more verbosity more.

    Parameters
    ----------
    samples_ms : sequence of float
        What each iteration took.
    warmup_samples : int
        So many of the first are cold; at least one is hot.
    verbosity : int
        0, 1 or 2.
    """
    name = printable(name)
    cold_count = min(warmup_samples, len(samples_ms) - 1)
    cold, hot = samples_ms[:cold_count], samples_ms[cold_count:]
    if verbosity == 0:
        median = sorted(hot)[len(hot) // 2]
        yield f"Dispatch '{name}': {len(samples_ms)} iterations, {median:.4f} ms median (CPU)\n"
        return
    yield f"Dispatch '{name}': {len(samples_ms)} iterations\n"
    yield from _statistics("CPU Timings (Cold) :", cold)
    yield from _statistics("CPU Timings (Hot)  :", hot)
    if verbosity > 1:
        yield "The timings of each iteration: \n"
        for number, sample in enumerate(samples_ms):
            yield f"iteration {number}: {sample:.4f} ms (CPU)\n"


def _statistics(title: str, samples: Sequence[float]) -> Iterator[str]:
    if not samples:
        return
    figures = {
        "average": statistics.fmean(samples),
        "min": min(samples),
        "median": sorted(samples)[len(samples) // 2],
        "max": max(samples),
    }
    shown = ", ".join(f"{value:.4f} ms {key}" for key, value in figures.items())
    yield f"{title} {len(samples)} samples, {shown}\n"
