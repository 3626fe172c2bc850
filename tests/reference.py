"""What the two fills mean, as plain loops, and operands that are worth trying.

Nothing here uses indirectml. Element 0 of `accumulate` has the bits of start; every NaN that an
operation produces is positive and quiet with payload zero; integers wrap modulo 2^bits.
"""

import math
import random
from fractions import Fraction

import numpy as np

from tests.extent import APART, every

FLOATS = tuple(np.dtype(name) for name in ("float16", "float32", "float64"))
INTEGERS = tuple(np.dtype(f"{kind}{8 << k}") for k in range(4) for kind in ("int", "uint"))
DTYPES = FLOATS + INTEGERS

CANONICAL_NAN = {2: 0x7E00, 4: 0x7FC00000, 8: 0x7FF8000000000000}
INDEX_END = 2**64 - 1  # elements have the numbers 0 to 2**64 - 2


def number(bits, dtype):
    """Return the NumPy scalar that has the given bits."""
    dtype = np.dtype(dtype)
    return np.array(bits, f"u{dtype.itemsize}").view(dtype)[()]


def bits_of(value):
    """Return the bits of a NumPy scalar."""
    return int(value.view(f"u{value.dtype.itemsize}"))


def shown(start, delta):
    """Return the operands with their bits, for a failure's message."""
    width = 2 * start.dtype.itemsize
    texts = (f"{x} (0x{bits_of(x):0{width}X})" for x in (start, delta))
    return f"{start.dtype} start {next(texts)} delta {next(texts)}"


# ---- The rules ----------------------------------------------------------------------------------


def accumulated(start, delta, count):
    """Return s(0) .. s(count-1) with s(0) = start, s(i) = round(s(i-1) + delta): a plain loop."""
    nan = number(CANONICAL_NAN.get(start.dtype.itemsize, 0), start.dtype)
    values = np.empty(count, start.dtype)
    values[:1] = value = start
    with np.errstate(all="ignore"):
        for i in range(1, count):
            value = value + delta
            values[i] = value = nan if np.isnan(value) else value
    return values


def accumulated_at_once(start, delta, count):
    """Return the same by NumPy's own accumulation, which is faster."""
    values = np.full(count, delta)
    values[:1] = start
    with np.errstate(all="ignore"):
        np.add.accumulate(values, out=values, dtype=values.dtype)
    if values.dtype.kind == "f":
        values[np.isnan(values)] = number(CANONICAL_NAN[values.itemsize], values.dtype)
    values[:1] = start
    return values


def multiplied(start, delta, index):
    """Return round(start + index * delta), rounded once, from exact fractions."""
    dtype = start.dtype
    if dtype.kind != "f":
        bits = (int(start) + index * int(delta)) % (1 << (8 * dtype.itemsize))
        return number(bits, dtype)
    nan = number(CANONICAL_NAN[dtype.itemsize], dtype)
    if np.isnan(start) or np.isnan(delta):
        return nan
    if np.isinf(delta):
        # Zero times infinity, and infinity minus infinity, are NaN.
        return nan if index == 0 or start == -delta else delta
    if np.isinf(start):
        return start
    exact = Fraction(float(start)) + index * Fraction(float(delta))
    if exact == 0:
        # The sum of two zeros is negative if both are; any other exact zero is positive.
        both_negative = start == 0 and np.signbit(start) and np.signbit(delta)
        return number((1 << (8 * dtype.itemsize - 1)) if both_negative else 0, dtype)
    return rounded(exact, dtype)


def rounded(exact, dtype):
    """Return the float nearest to a fraction other than zero, ties to even."""
    info = np.finfo(dtype)
    return number(rounded_bits(exact, info.bits, info.nmant + 1), dtype)


def rounded_bits(exact, width, precision):
    """Return the same as bits, for any binary format of IEEE 754's kind."""
    exponent_bits = width - precision
    infinity = ((1 << exponent_bits) - 1) << (precision - 1)
    smallest_exponent = 3 - (1 << (exponent_bits - 1)) - precision  # of subnormals
    units = abs(exact) / Fraction(2) ** smallest_exponent
    exponent = max(math.floor(units).bit_length() - precision, 0)
    significand = round(units / 2**exponent)  # Python rounds a Fraction half to even
    bits = min((exponent << (precision - 1)) + significand, infinity)
    return bits | (1 << (width - 1) if exact < 0 else 0)


def multiplied_range(start, delta, first, count):
    """Return elements first .. first + count - 1 of rule `multiply`."""
    values = [multiplied(start, delta, i) for i in range(first, first + count)]
    bits = [bits_of(v) for v in values]
    return np.array(bits, f"u{start.dtype.itemsize}").view(start.dtype)


def elements(start, delta, count, rule):
    """Return s(0) .. s(count-1) of either rule."""
    if rule == "accumulate":
        return accumulated(start, delta, count)
    return multiplied_range(start, delta, 0, count)


# ---- Operands -----------------------------------------------------------------------------------


def seeded(seed):
    """Return a source of reproducible random numbers."""
    return random.Random(seed)  # noqa: S311 (operands, no secrets)


def float_pattern(dtype, *, negative, exponent, significand):
    """Return (-1)^negative * significand * 2^exponent smallest subnormals, brought into range.

    Bits below the smallest subnormal are cut off; too large a number becomes the largest finite.
    """
    info = np.finfo(dtype)
    precision, largest = info.nmant + 1, (1 << (info.bits - info.nmant - 1)) - 3
    if exponent < 0:
        exponent, significand = 0, significand >> -exponent
    if exponent > largest:
        exponent, significand = largest, (1 << precision) - 1
    if exponent and significand < 1 << info.nmant:
        raise ValueError("needs a significand with its hidden bit")
    bits = (exponent << info.nmant) + significand
    return number(bits | (int(negative) << (info.bits - 1)), dtype)


def float_borders(dtype):
    """Return floats at which something changes, of both signs."""
    info = np.finfo(dtype)
    hidden = 1 << info.nmant
    infinity = ((1 << (info.bits - info.nmant - 1)) - 1) << info.nmant
    one = bits_of(dtype.type(1))
    magnitudes = {
        *(0, 1, 2, 3, hidden - 2, hidden - 1),  # zero and subnormals
        *(hidden, hidden + 1, 2 * hidden - 1, 2 * hidden, 2 * hidden + 1),  # smallest normals
        *(one - 1, one, one + 1, one + hidden // 2, one + hidden - 1),
        *(bits_of(dtype.type(x)) for x in (0.1, 3.2, 1.5, 3, 5, 10, 1000)),
        *(bits_of(dtype.type(2) ** k) + j for k in (-3, info.nmant // 2) for j in (-1, 0, 1)),
        # Integers stop being exact here.
        *(one + (info.nmant + k) * hidden + j for k in range(3) for j in (-2, -1, 0, 1, 2)),
        *(infinity - hidden, infinity - 2, infinity - 1, infinity),
        # NaNs: the canonical one, one with a payload, a signalling one.
        *(infinity + hidden // 2, infinity + hidden // 2 + 5, infinity + 1),
    }
    sign = 1 << (info.bits - 1)
    return [number(s | m, dtype) for m in sorted(magnitudes) for s in (0, sign)]


def integer_borders(dtype):
    """Return integers at which something changes."""
    info = np.iinfo(dtype)
    middle = 1 << (info.bits // 2)
    wanted = {0, 1, 2, 3, 5, -1, -2, -3, middle - 1, middle, -middle, info.max // 3}
    edges = {info.min + k for k in range(3)} | {info.max - k for k in range(3)}
    return [dtype.type(v) for v in sorted(wanted | edges) if info.min <= v <= info.max]


def borders(dtype):
    """Return the numbers of a dtype at which something changes."""
    return float_borders(dtype) if dtype.kind == "f" else integer_borders(dtype)


def border_pairs(dtype):
    """Yield pairs of such numbers, each of them in as many: a quarter, or with `--whole` all."""
    numbers = borders(dtype)
    apart = every(APART)
    for k, start in enumerate(numbers):
        yield from ((start, delta) for delta in numbers[k % apart :: apart])


def random_pairs(dtype, seed, count):
    """Yield seeded pairs: half of them of a start and a delta of related magnitudes."""
    source = seeded(seed)
    known = borders(dtype)
    width = 8 * dtype.itemsize
    for k in range(count):
        if dtype.kind == "f" and k % 2:
            yield related_floats(dtype, source)
            continue
        pool = [source.choice(known), number(source.getrandbits(width), dtype)]
        yield source.choice(pool), source.choice([source.choice(known), pool[1]])


def related_floats(dtype, source):
    """Return a start, and a delta up to two significands larger or smaller than it."""
    info = np.finfo(dtype)
    precision, largest = info.nmant + 1, (1 << (info.bits - info.nmant - 1)) - 3
    hidden, full = 1 << info.nmant, (1 << precision) - 1

    def significand():
        any_ = hidden | source.getrandbits(info.nmant)
        near = source.choice((hidden, full)) ^ source.getrandbits(3)
        power = hidden | 1 << source.randrange(precision)
        return source.choice((hidden, hidden, hidden | 1, full, full - 1, power, near, any_, any_))

    low = source.choice((0, 0, 1, 2, 3, largest // 2, largest // 2 + precision, largest - 2))
    exponent = min(low + source.randrange(4), largest)
    shift = source.choice((source.randint(-precision - 3, 3), source.randint(-3, 2 * precision)))
    start = float_pattern(
        dtype, negative=source.random() < 0.5, exponent=exponent, significand=significand() | hidden
    )
    delta = float_pattern(
        dtype,
        negative=source.random() < 0.5,
        exponent=exponent + shift,
        significand=significand() | hidden,
    )
    return start, delta
