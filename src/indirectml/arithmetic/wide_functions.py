"""Functions of one or two numbers by way of NumPy's FLOAT64, until there are native ones."""

from __future__ import annotations

from typing import Any

import numpy as np

from indirectml.arithmetic.basics import Array
from indirectml.arithmetic.sums import quieted


def exp(x: Array) -> Array:
    """Return powers of e, rounded to FLOAT32."""
    return _narrow(np.exp, x)


def log(x: Array) -> Array:
    """Return natural logarithms, rounded to FLOAT32."""
    return _narrow(np.log, x)


def power(x: Array, exponent: Any) -> Array:
    """Return powers of FLOAT32 numbers, rounded to FLOAT32."""
    with np.errstate(all="ignore"):
        return quieted(np.power(x.astype(np.float64), np.float64(exponent)).astype(np.float32))


def _narrow(function: np.ufunc, x: Array) -> Array:
    with np.errstate(all="ignore"):
        return quieted(function(x.astype(np.float64)).astype(np.float32))
