"""Values as DxDispatch prints them.

One difference is on purpose: INT8 and UINT8 are printed as numbers, not as characters.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np


def print_values(name: str, values: np.ndarray[Any, Any]) -> str:
    """Return one line: every value, floats with 6 significant digits.

    Examples
    --------
    >>> print_values("Out", np.array([3.2, 1e6, np.inf], np.float32))
    "Resource 'Out': 3.2, 1e+06, inf"
    """
    return f"Resource '{name}': {', '.join(map(_text, values.tolist()))}"


def print_values_verbose(name: str, values: np.ndarray[Any, Any]) -> Iterator[str]:
    """Yield one line per value, with its index and its bits.

    Examples
    --------
    >>> list(print_values_verbose("Out", np.array([3.2, 0], np.float32)))
    ["Resource 'Out':", '[0] 3.2 (0x404CCCCD)', '[1] 0 (0x       0)']
    """
    yield f"Resource '{name}':"
    digits = 2 * values.itemsize
    index_width = len(str(len(values)))
    bits = values.view(f"u{values.itemsize}").tolist()
    for index, (value, pattern) in enumerate(zip(values.tolist(), bits, strict=True)):
        yield f"[{index:{index_width}}] {_text(value)} (0x{pattern:{digits}X})"


def _text(value: float) -> str:
    return f"{value:g}" if isinstance(value, float) else str(value)
