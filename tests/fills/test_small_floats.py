"""Formats that DirectML has not, against ml_dtypes, which nobody here wrote.

The arithmetic is generic in width and precision. Formats of 8 bits are small enough for every
pair of operands; what holds for all of them, and for both rules, holds for no reason of size.

NaNs differ on purpose: ml_dtypes gives infinity - infinity the sign that the processor gives it
and keeps the sign of a NaN operand, while here every NaN that an operation gives is the positive
quiet one without payload. Both are quiet; only the sign is set right before comparing.
"""

from fractions import Fraction

import numpy as np
import pytest

from indirectml import _native
from indirectml.core.settings import Settings
from tests import reference
from tests.bits import assert_bits_equal, count_compared
from tests.fills import filling
from tests.parameters import SEED

ml_dtypes = pytest.importorskip("ml_dtypes", reason="ml_dtypes has the formats to compare with")

#: Name in ml_dtypes: bits, precision.
BYTES = {"float8_e5m2": (8, 3), "float8_e4m3": (8, 4), "float8_e3m4": (8, 5)}
FORMATS = BYTES | {"bfloat16": (16, 8), "float16": (16, 11)}

target = filling.target  # a fixture


def format_of(name):
    """Return NumPy's type of the elements, that of their bits, and the bits of the quiet NaN."""
    bits, precision = FORMATS[name]
    dtype = np.dtype(getattr(ml_dtypes, name, None) or name)
    nan = (((1 << (bits - precision)) - 1) << (precision - 1)) | (1 << (precision - 2))
    return dtype, np.dtype(f"u{bits // 8}"), nan


def written(name, starts, deltas, count, *, multiply):
    """Return a row of elements for each pair of bit patterns, from the native code."""
    bits, precision = FORMATS[name]
    rows = np.empty((len(starts), count), f"u{bits // 8}")
    for row, start, delta in zip(rows, starts.tolist(), deltas.tolist(), strict=True):
        sequence = _native.Sequence(bits, precision, multiply, start, delta)
        _native.fill(_native.OpenBuffer(row), sequence, 0, Settings.policy)
    return rows


def quiet(values, name):
    """Return bits in which every NaN is the positive quiet one without payload."""
    _, unsigned, nan = format_of(name)
    return np.where(np.isnan(values), unsigned.type(nan), values.view(unsigned))


def added(name, starts, deltas, count):
    """Return the same by ml_dtypes, which adds element by element."""
    dtype, unsigned, _ = format_of(name)
    step, value = deltas.view(dtype), starts.view(dtype)
    columns = [starts]
    with np.errstate(all="ignore"):
        for _ in range(1, count):
            value = value + step
            columns.append(quiet(value, name))
    return np.stack(columns, axis=1).astype(unsigned)


def all_pairs(bits):
    patterns = np.arange(1 << bits, dtype=f"u{bits // 8}")
    return np.repeat(patterns, patterns.size), np.tile(patterns, patterns.size)


def random_pairs(bits, count):
    generator = np.random.default_rng(SEED)
    starts, deltas = generator.integers(0, 1 << bits, (2, count), f"u{bits // 8}")
    # Half of the deltas within a few binades of their start, or they hardly ever move it.
    near = starts ^ generator.integers(0, 1 << (bits - 5), count, f"u{bits // 8}")
    return starts, np.where(np.arange(count) % 2, near, deltas)


def assert_rows_equal(actual, expected, starts, deltas, name):
    count_compared(actual.size, arrays=len(actual))
    if np.array_equal(actual, expected):
        return
    row = int(np.flatnonzero((actual != expected).any(axis=1))[0])
    where = f"{name}, seed {SEED}, start 0x{starts[row]:X}, delta 0x{deltas[row]:X}"
    assert_bits_equal(actual=actual[row], expected=expected[row], where=where)


@pytest.mark.parametrize("name", BYTES)
def test_accumulate_adds_as_ml_dtypes_does_for_every_pair_of_8_bits(name, target):
    starts, deltas = all_pairs(8)
    # A growing sequence is absorbed after two significands of steps, and 70 are two vectors.
    count = 70

    actual = written(name, starts, deltas, count, multiply=False)

    expected = added(name, starts, deltas, count)
    assert_rows_equal(actual, expected, starts, deltas, f"{name}, {target}")


@pytest.mark.parametrize("name", ["bfloat16", "float16"])
def test_accumulate_adds_as_ml_dtypes_and_numpy_do_for_random_pairs_of_16_bits(name, target):
    starts, deltas = random_pairs(16, 8000)

    actual = written(name, starts, deltas, 300, multiply=False)

    expected = added(name, starts, deltas, 300)
    assert_rows_equal(actual, expected, starts, deltas, f"{name}, {target}")


def nearest(exact, name):
    """Return the bits of the nearest values of an 8-bit format, ties to even patterns, by looking.

    Not by a cast of ml_dtypes, which rounds FLOAT64 to FLOAT32 on the way: 288 + 2^-16 becomes
    288, which is a tie in float8_e5m2, and then 256 instead of 320.
    """
    dtype, unsigned, nan = format_of(name)
    infinity = int(np.array(np.inf, dtype).view(unsigned))
    values = np.arange(infinity, dtype=unsigned).view(dtype).astype(np.float64)
    # Beyond the largest value, sums are rounded as if there were one more.
    values = np.append(values, 2 * values[-1] - values[-2])
    middles = (values[:-1] + values[1:]) / 2
    magnitude = np.abs(exact)
    below = np.searchsorted(middles, magnitude)
    is_tie = np.append(middles, np.nan)[below] == magnitude
    bits = below + (is_tie & (below % 2 == 1)) + (np.signbit(exact) << 7)
    return np.where(np.isnan(exact), nan, bits).astype(unsigned)


@pytest.mark.parametrize("name", BYTES)
def test_multiply_rounds_once_for_every_pair_of_8_bits(name, target):
    """In double precision all sums are exact: multiples of 2^-16 below 2^24."""
    starts, deltas = all_pairs(8)
    exact = [x.view(format_of(name)[0]).astype(np.float64)[:, None] for x in (starts, deltas)]

    actual = written(name, starts, deltas, 70, multiply=True)

    with np.errstate(all="ignore"):
        expected = nearest(exact[0] + np.arange(70) * exact[1], name)
    assert_rows_equal(actual, expected, starts, deltas, f"{name}, {target}")


@pytest.mark.parametrize("name", ["bfloat16", "float8_e5m2"])
def test_multiply_equals_exact_fractions_at_any_index(name):
    bits, precision = FORMATS[name]
    dtype = format_of(name)[0]
    starts, deltas = random_pairs(bits, 4000)
    source = reference.seeded(SEED)
    with np.errstate(invalid="ignore"):
        numbers = [x.view(dtype).astype(np.float64).tolist() for x in (starts, deltas)]
    for start, delta, x, step in zip(starts.tolist(), deltas.tolist(), *numbers, strict=True):
        if not (np.isfinite(x) and np.isfinite(step)):
            continue
        index = source.getrandbits(source.randrange(1, 64))
        exact = Fraction(x) + index * Fraction(step)
        if exact:
            element = _native.Sequence(bits, precision, True, start, delta).element(index)  # noqa: FBT003
            expected = reference.rounded_bits(exact, bits, precision)
            where = f"{name}, seed {SEED}, element {index} of 0x{start:X} + i * 0x{delta:X}"
            assert element == expected, f"0x{element:X}, expected 0x{expected:X} [{where}]"


@pytest.mark.parametrize("name", FORMATS)
def test_the_number_of_segments_is_bounded_for_every_delta(name):
    """docs/sequences.md, section 3: at most 5 p + 18."""
    bits, precision = FORMATS[name]
    starts, deltas = all_pairs(8) if bits == 8 else random_pairs(16, 20_000)
    for start, delta in zip(starts.tolist(), deltas.tolist(), strict=True):
        walker = _native.Walker(_native.Sequence(bits, precision, False, start, delta), 0)  # noqa: FBT003
        for _ in range(5 * precision + 18):
            first, count, *_ = walker.next()
            if first + count == _native.INDEX_END:
                break
        assert first + count == _native.INDEX_END, f"{name}: 0x{start:X}, 0x{delta:X}"
