"""Functions of FLOAT64, known while loading: in pairs of FLOAT64, so that all bits are the same.

DirectML has no arithmetic in FLOAT64, and the functions of a platform's library differ in last bits
from one machine to the next. Sums and products of FLOAT64 do not, and pairs are made of these.

References
----------
Dekker, A floating-point technique for extending the available precision (1971).
"""

from __future__ import annotations

import decimal
import functools
import math
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np

from indirectml.core.errors import ModelError, shown

Array = np.ndarray[Any, Any]

#: Angles are reduced exactly enough up to here: to 104 bits of pi / 2.
LARGEST_ANGLE = float(1 << 26)

#: e^x is 0 below, and infinite above the other sign.
_MOST_EXPONENT = 760.0

#: How many terms a series takes to reach 2^-105 of its first one.
_TERMS = 29


class Pair(NamedTuple):
    """Numbers as sums of two FLOAT64, of which the second is less than half a unit of the first."""

    high: Any
    low: Any


def _ordered_sum(a: Any, b: Any) -> Pair:
    """Return a + b where |a| >= |b|."""
    high = a + b
    return Pair(high, b - (high - a))


def _exact_sum(a: Any, b: Any) -> Pair:
    high = a + b
    rounded = high - a
    return Pair(high, (a - (high - rounded)) + (b - rounded))


def _exact_product(a: Any, b: Any) -> Pair:
    """Return a * b for |a|, |b| < 2^990."""
    product = a * b
    shifted_a, shifted_b = a * float((1 << 27) + 1), b * float((1 << 27) + 1)
    a1, b1 = shifted_a - (shifted_a - a), shifted_b - (shifted_b - b)
    a2, b2 = a - a1, b - b1
    return Pair(product, ((a1 * b1 - product) + a1 * b2 + a2 * b1) + a2 * b2)


def _plus(a: Pair, b: Pair) -> Pair:
    high, low = _exact_sum(a.high, b.high), _exact_sum(a.low, b.low)
    found = _ordered_sum(high.high, high.low + low.high)
    return _ordered_sum(found.high, found.low + low.low)


def _times(a: Pair, b: Pair) -> Pair:
    product = _exact_product(a.high, b.high)
    return _ordered_sum(product.high, product.low + (a.high * b.low + a.low * b.high))


def _over(a: Pair, b: Pair) -> Pair:
    first = a.high / b.high
    rest = _plus(a, _minus(_times(b, Pair(first, 0.0))))
    second = rest.high / b.high
    rest = _plus(rest, _minus(_times(b, Pair(second, 0.0))))
    return _plus(_ordered_sum(first, second), Pair(rest.high / b.high, 0.0))


def _minus(a: Pair) -> Pair:
    return Pair(-a.high, -a.low)


# ---- constants ----


def pair_of(number: Fraction) -> Pair:
    """Return the pair next to a number."""
    high = float(number)
    return Pair(high, float(number - Fraction(high)))


@functools.cache
def _inverse_factorials() -> list[Pair]:
    return [pair_of(Fraction(1, math.factorial(n))) for n in range(_TERMS + 1)]


@functools.cache
def ln2_parts() -> list[float]:
    """Return parts of log(2): of 40 bits each, so that an exponent times one is exact."""
    with decimal.localcontext(prec=60):
        return _parts(Fraction(decimal.Decimal(2).ln()), 40, 2)


@functools.cache
def quarter_turn_parts() -> list[float]:
    """Return parts of pi / 2: of 26 bits each."""
    ones = 1 << 200  # Machin: pi / 4 = 4 arctan(1 / 5) - arctan(1 / 239)
    quarter = 4 * _inverse_tangent(5, ones) - _inverse_tangent(239, ones)
    return _parts(Fraction(2 * quarter, ones), 26, 4)


def _inverse_tangent(divisor: int, ones: int) -> int:
    """Return arctan(1 / divisor) in parts of a number."""
    power = ones // divisor
    total, n = power, 1
    while power:
        power //= -divisor * divisor
        n += 2
        total += power // n
    return total


def _parts(number: Fraction, bits: int, count: int) -> list[float]:
    """Return numbers of few bits that add up to another, and what is left."""
    found = []
    for k in range(1, count + 1):
        part = Fraction(math.floor(number * (1 << bits * k)), 1 << bits * k)
        found.append(float(part))
        number -= part
    return [*found, float(number)]


# ---- functions ----


def exp(x: Array) -> Array:
    """Return e^x."""
    finite = np.clip(x, -_MOST_EXPONENT, _MOST_EXPONENT)
    result = _exp(Pair(np.where(np.isnan(x), 0.0, finite), 0.0))
    return np.where(np.isnan(x), np.nan, result)


def log(x: Array) -> Array:
    """Return the natural logarithm of x; of 0 -inf, and of less NaN."""
    plain = _is_plain(x)
    limit = np.where(x == 0, -np.inf, np.where(x > 0, np.inf, np.nan))
    return np.where(plain, _log(np.where(plain, x, 1.0)).high, limit)


def power(x: Array, y: Array) -> Array:
    """Return x^y."""
    magnitude = np.abs(x)
    plain = _is_plain(magnitude) & np.isfinite(y) & ((x > 0) | (np.floor(y) == y))
    logarithm = _log(np.where(plain, magnitude, 1.0))
    exponent = np.clip(np.where(plain, y, 0.0), -(2.0**64), 2.0**64)
    product = _times(logarithm, Pair(exponent, 0.0))
    is_far = np.abs(product.high) > _MOST_EXPONENT
    limit = np.copysign(_MOST_EXPONENT, product.high)
    near = Pair(np.where(is_far, limit, product.high), np.where(is_far, 0.0, product.low))
    result = _exp(near)
    is_odd = np.fmod(np.where(plain, y, 0.0), 2.0) != 0
    result = np.where((x < 0) & is_odd, -result, result)
    with np.errstate(all="ignore"):  # of 0, infinities, NaN: no arithmetic
        found = np.where(plain, result, np.power(x, y))
    return np.where(np.isnan(found), np.nan, found)


def sine(x: Array) -> Array:
    """Return the sine of x radians.

    Raises
    ------
    ModelError
        An angle is larger than `LARGEST_ANGLE`.
    """
    return _circle(x, 0)


def cosine(x: Array) -> Array:
    """Return the cosine of x radians; as `sine`."""
    return _circle(x, 1)


def _is_plain(x: Array) -> Array:
    return np.isfinite(x) & (x > 0)


def _exp(x: Pair) -> Array:
    parts = ln2_parts()
    k = np.rint(x.high / math.log(2))
    r = x
    for part in parts:
        r = _plus(r, _minus(_exact_product(k, part)))
    total = Pair(*_inverse_factorials()[_TERMS - 2])
    for n in range(_TERMS - 3, -1, -1):
        total = _plus(_times(total, r), _inverse_factorials()[n])
    with np.errstate(over="ignore", under="ignore"):
        return np.asarray(np.ldexp(total.high, k.astype(np.int32)))


def _log(x: Array) -> Pair:
    m, k = np.frexp(x)  # from 1/2 to below 1
    is_low = m < math.sqrt(0.5)
    m, k = np.where(is_low, 2 * m, m), np.where(is_low, k - 1, k).astype(np.float64)
    s = _over(Pair(m - 1, 0.0), _exact_sum(m, 1.0))  # m - 1 is exact
    w = _times(s, s)
    total = pair_of(Fraction(1, 45))
    for n in range(43, 0, -2):
        total = _plus(_times(total, w), pair_of(Fraction(1, n)))
    found = _times(s, total)
    found = Pair(2 * found.high, 2 * found.low)
    for part in reversed(ln2_parts()):
        found = _plus(_exact_product(k, part), found)
    return found


def _circle(x: Array, quarters: int) -> Array:
    finite = np.isfinite(x)
    angle = np.where(finite, x, 0.0)
    if angle.size and np.abs(angle).max() > LARGEST_ANGLE:
        raise ModelError(
            f"needs angles in FLOAT64 of at most {LARGEST_ANGLE:.0f}",
            given=shown(float(np.abs(angle).max())),
        )
    k = np.rint(angle / (math.pi / 2))
    r = Pair(angle, 0.0)
    for part in quarter_turn_parts():
        r = _plus(r, _minus(_exact_product(k, part)))
    w = _minus(_times(r, r))
    terms = _inverse_factorials()
    sin, cos = terms[_TERMS], terms[_TERMS - 1]
    for n in range(_TERMS - 2, 0, -2):
        sin, cos = _plus(_times(sin, w), terms[n]), _plus(_times(cos, w), terms[n - 1])
    sin = _times(sin, r)
    quadrant = (k + quarters) % 4
    found = np.where(quadrant % 2 == 0, sin.high, cos.high)
    found = np.where(quadrant >= 2, -found, found)  # noqa: PLR2004 (half a turn)
    if not quarters:  # of -0 too
        found = np.where(angle == 0, angle, found)
    return np.where(finite, found, np.nan)
