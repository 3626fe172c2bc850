"""The arithmetic of sequences: published numbers, every data type, both rules, any index."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from indirectml import DataTypeError, DescriptorError, Sequence, _native, fill_sequence, sequence
from tests import reference
from tests.bits import assert_bits_equal
from tests.extent import every, some
from tests.parameters import SEED, by_dtype
from tests.reference import (
    CANONICAL_NAN,
    DTYPES,
    FLOATS,
    INDEX_END,
    INTEGERS,
    bits_of,
    number,
    shown,
)

LAST_INDEX = INDEX_END - 1
FLOAT16, FLOAT32, FLOAT64 = FLOATS
INF, NAN = float("inf"), float("nan")


def as_array(values, dtype):
    return np.array(values, dtype)


def from_bits(bits, dtype):
    return np.array(bits, f"u{np.dtype(dtype).itemsize}").view(dtype)


# ---- Published numbers --------------------------------------------------------------------------

# Facts, "Numbers that separate the candidate algorithms": the columns "accumulate" and
# "exact, 1 rounding". Element `first` and those after it.
SEPARATING = [
    # id, dtype, start, delta, first, accumulate, multiply
    ("the published test model", "float32", 3.2, 1.5, 0,
     from_bits([0x404CCCCD, 0x40966666, 0x40C66666, 0x40F66666, 0x41133333], "float32"),
     from_bits([0x404CCCCD, 0x40966666, 0x40C66666, 0x40F66666, 0x41133333], "float32")),
    ("tenths, element 1000", "float32", 0, 0.1, 1000, [99.99905], [100.0]),
    ("tenths, element 100000", "float32", 0, 0.1, 100_000, [9998.557], [10000.0]),
    ("tenths from a tenth, element 6", "float32", 0.1, 0.1, 6,
     from_bits([0x3F333334], "float32"), from_bits([0x3F333333], "float32")),
    ("tenths from a tenth, element 10", "float32", 0.1, 0.1, 10,
     from_bits([0x3F8CCCCE], "float32"), from_bits([0x3F8CCCCD], "float32")),
    ("half precision is stuck at 2048", "float16", 0, 1, 2999, [2048], [3000]),
    ("half precision around 2048", "float16", 2044, 1, 0,
     [2044, 2045, 2046, 2047, 2048, 2048, 2048, 2048, 2048, 2048],
     [2044, 2045, 2046, 2047, 2048, 2048, 2050, 2052, 2052, 2052]),
    ("half precision, one rounding", "float16", -5, 0.01, 58, None, [-4.41796875]),
    ("the product alone would overflow", "float32", -3e38, 3e38, 2, [3e38], [3e38]),
    ("infinite delta", "float32", 0, INF, 0, [0, INF, INF], [NAN, INF, INF]),
    ("infinities of two signs", "float32", INF, -INF, 0, [INF, NAN, NAN], [NAN, NAN, NAN]),
    ("negative zero", "float32", -0.0, 0.0, 0, [-0.0, 0, 0], [0, 0, 0]),
    ("UINT8 wraps", "uint8", 250, 3, 0, [250, 253, 0, 3, 6], [250, 253, 0, 3, 6]),
    ("INT8 wraps", "int8", 120, 5, 0, [120, 125, -126, -121, -116], [120, 125, -126, -121, -116]),
    ("INT32 wraps", "int32", 2147483645, 2, 0,
     [2147483645, 2147483647, -2147483647, -2147483645],
     [2147483645, 2147483647, -2147483647, -2147483645]),
    ("UINT64 wraps", "uint64", 18446744073709551610, 3, 0,
     [18446744073709551610, 18446744073709551613, 0, 3],
     [18446744073709551610, 18446744073709551613, 0, 3]),
    # The reference pages' own examples.
    ("page: odd numbers", "float32", 3, 2, 0, [3, 5, 7], [3, 5, 7]),
    ("page: UINT8 counts down", "uint8", 10, -2, 0, [10, 8, 6, 4], [10, 8, 6, 4]),
]  # fmt: skip


@pytest.mark.parametrize(
    ("dtype", "start", "delta", "first", "rule", "published"),
    [
        pytest.param(*operands, rule, published, id=f"{name}, {rule}")
        for name, *operands, accumulate, multiply in SEPARATING
        for rule, published in (("accumulate", accumulate), ("multiply", multiply))
        if published is not None
    ],
)
def test_published_numbers_come_out(dtype, start, delta, first, rule, published):
    expected = as_array(published, dtype)

    s = Sequence(start, delta, dtype, rule=rule)

    assert_bits_equal(actual=s[first : first + len(expected)], expected=expected)
    one_by_one = as_array([s[first + k] for k in range(len(expected))], dtype)
    assert_bits_equal(actual=one_by_one, expected=expected)


# ---- Accumulate ---------------------------------------------------------------------------------


@by_dtype(DTYPES)
def test_accumulate_equals_a_plain_loop_for_pairs_of_border_numbers(dtype):
    for start, delta in reference.border_pairs(dtype):
        expected = reference.accumulated(start, delta, 5)
        actual = Sequence(start, delta, dtype)[0:5]
        assert_bits_equal(actual=actual, expected=expected, where=shown(start, delta))


@by_dtype(DTYPES)
def test_accumulate_equals_a_plain_loop_for_random_pairs(dtype):
    for start, delta in reference.random_pairs(dtype, SEED, some(500)):
        expected = reference.accumulated(start, delta, 90)
        actual = Sequence(start, delta, dtype)[0:90]
        assert_bits_equal(
            actual=actual, expected=expected, where=f"seed {SEED}, {shown(start, delta)}"
        )


@by_dtype(DTYPES)
def test_accumulate_equals_numpys_accumulation_over_thousands_of_elements(dtype):
    count = 20_000 if dtype == FLOAT16 else 5000
    for start, delta in reference.random_pairs(dtype, SEED + 1, some(1200)):
        expected = reference.accumulated_at_once(start, delta, count)
        actual = Sequence(start, delta, dtype)[0:count]
        assert_bits_equal(
            actual=actual, expected=expected, where=f"seed {SEED + 1}, {shown(start, delta)}"
        )


@pytest.mark.parametrize(
    ("start", "delta"), [(0, 0.1), (0, 1), (-1000, 0.001), (1, 2.0**-24 + 2.0**-40), (3.3, -1e-6)]
)
def test_accumulate_equals_numpys_accumulation_over_millions_of_elements(start, delta):
    start, delta = np.float32(start), np.float32(delta)
    expected = reference.accumulated_at_once(start, delta, some(20_000_000))

    assert_bits_equal(actual=Sequence(start, delta)[0 : some(20_000_000)], expected=expected)


#: One of each kind: zeros, subnormals, ties at several scales, powers, fractions, extremes, NaNs.
HALF_DELTAS = [
    0x0000, 0x8000, 0x0001, 0x8003, 0x03FF, 0x0400, 0x9001, 0x1400, 0x211F, 0x2E66, 0x3400, 0xB801,
    0x3C00, 0xBC00, 0x4200, 0xC900, 0x6400, 0x6401, 0x7BFF, 0xFBFF, 0x7C00, 0xFC00, 0x7E00, 0x7C01,
]  # fmt: skip


@pytest.mark.parametrize("delta", HALF_DELTAS[:: every(3)], ids="0x{:04X}".format)
def test_every_half_precision_start_takes_correct_first_steps(delta):
    values, step = np.arange(1 << 16, dtype=np.uint16).view(np.float16), number(delta, FLOAT16)
    with np.errstate(all="ignore"):
        first = _canonical(values + step)
        second = _canonical(first + step)
        # Exact in double precision: 2^-24 to 2^18 are 43 bits.
        exact = values.astype(np.float64) + 3 * np.float64(step)
        rounded_once = _canonical(exact.astype(np.float16))

    actual = np.empty((3, 1 << 16), np.uint16)
    for start in range(1 << 16):
        accumulate, multiply = (
            _native.Sequence(16, 11, multiply=m, start=start, delta=delta) for m in (False, True)
        )
        actual[0, start] = accumulate.element(1)
        actual[1, start] = accumulate.element(2)
        actual[2, start] = multiply.element(3)

    assert_bits_equal(actual=actual[0].view(np.float16), expected=first, where="element 1")
    assert_bits_equal(actual=actual[1].view(np.float16), expected=second, where="element 2")
    assert_bits_equal(actual=actual[2].view(np.float16), expected=rounded_once, where="multiply 3")


def _canonical(values):
    values[np.isnan(values)] = number(CANONICAL_NAN[values.itemsize], values.dtype)
    return values


@by_dtype(DTYPES)
def test_any_element_and_any_range_is_that_of_the_whole_sequence(dtype):
    source = reference.seeded(SEED)
    for start, delta in reference.random_pairs(dtype, SEED + 2, 60):
        whole = reference.accumulated_at_once(start, delta, 3000)
        s = Sequence(start, delta, dtype)
        for _ in range(20):
            a, b = sorted(source.randrange(3001) for _ in range(2))
            where = f"seed {SEED}, {a}:{b} of {shown(start, delta)}"
            assert_bits_equal(actual=s[a:b], expected=whole[a:b], where=where)
            if a < 3000:
                assert_bits_equal(actual=s[a], expected=whole[a], where=where)


def any_number(dtype):
    """Draw any bit pattern, border numbers being frequent."""
    patterns = [bits_of(x) for x in reference.borders(dtype)]
    bits = st.sampled_from(patterns) | st.integers(0, (1 << (8 * dtype.itemsize)) - 1)
    return bits.map(lambda b: number(b, dtype))


def any_index():
    """Draw any index, small ones and neighbours of powers of two being frequent."""
    powers = st.builds(
        lambda k, j: min(max((1 << k) + j, 0), LAST_INDEX), st.integers(0, 64), st.integers(-3, 3)
    )
    return st.integers(0, 5000) | powers | st.integers(0, LAST_INDEX)


@by_dtype(DTYPES)
@given(data=st.data())
def test_every_element_is_the_one_before_plus_delta_at_any_index(dtype, data):
    start, delta = data.draw(any_number(dtype)), data.draw(any_number(dtype))
    index = min(data.draw(any_index()), LAST_INDEX - 2)
    s = Sequence(start, delta, dtype)

    pair = reference.accumulated(s[index], delta, 2)

    assert_bits_equal(actual=s[index : index + 2], expected=pair)
    assert_bits_equal(actual=s[index + 1], expected=pair[1])


@by_dtype(DTYPES)
def test_element_zero_keeps_the_bits_of_start_and_later_nans_are_canonical(dtype):
    for start in reference.borders(dtype):
        s = Sequence(start, dtype.type(1), dtype)
        assert bits_of(s[0]) == bits_of(start)
        assert bits_of(s[0:2][0]) == bits_of(start)
        if np.isnan(start):
            assert bits_of(s[1]) == bits_of(s[0:3][2]) == CANONICAL_NAN[dtype.itemsize]


# ---- Multiply -----------------------------------------------------------------------------------


@by_dtype(DTYPES)
def test_multiply_equals_exact_fractions_for_pairs_of_border_numbers(dtype):
    for start, delta in reference.border_pairs(dtype):
        expected = reference.multiplied_range(start, delta, 0, 3)
        actual = Sequence(start, delta, dtype, rule="multiply")[0:3]
        assert_bits_equal(actual=actual, expected=expected, where=shown(start, delta))


@by_dtype(DTYPES)
def test_multiply_equals_exact_fractions_around_borders_that_it_crosses(dtype):
    source = reference.seeded(SEED)
    for start, delta in reference.random_pairs(dtype, SEED + 3, some(700)):
        first = _index_near_a_border(start, delta, source)
        expected = reference.multiplied_range(start, delta, first, 24)
        s = Sequence(start, delta, dtype, rule="multiply")
        where = f"seed {SEED}, from {first} of {shown(start, delta)}"
        assert_bits_equal(actual=s[first : first + 24], expected=expected, where=where)
        one_by_one = as_array([s[first + k] for k in range(0, 24, 5)], dtype)
        assert_bits_equal(actual=one_by_one, expected=expected[::5], where=where)


def _index_near_a_border(start, delta, source):
    """Return an index shortly before start + i * delta reaches a power of two, or any."""
    first = source.choice((0, source.getrandbits(source.randrange(1, 65))))
    if start.dtype.kind == "f" and np.isfinite(start) and np.isfinite(delta) and delta != 0:
        start, delta = Fraction(float(start)), Fraction(float(delta))
        largest = max(abs(start), abs(delta))
        exponent = (largest.numerator.bit_length() - largest.denominator.bit_length()) + (
            source.randint(-60, 60)
        )
        border = source.choice((0, -1, 1, 1, -1)) * Fraction(2) ** exponent
        crossing = int((border - start) / delta) - source.randint(-2, 20)
        first = crossing if 0 <= crossing < INDEX_END else first
    return min(first, INDEX_END - 24)


#: Sums that lie a hair beside a tie: losing what is below the kept bits rounds them wrongly.
BESIDE_TIES = [
    pytest.param("float16", 0x0001, 0x3C00, 2049, id="just above a tie"),
    pytest.param("float16", 0x8001, 0x3C00, 2051, id="just below a tie"),
    pytest.param("float32", 0x00000001, 0x3F800000, 2**24 + 1, id="just above, single"),
    pytest.param("float32", 0x80000001, 0x3F800000, 2**24 + 3, id="just below, single"),
    pytest.param("float32", 0x00000001, 0x7D000000, 2**24 + 1, id="250 bits apart"),
    pytest.param("float32", 0x80000001, 0xFD000000, 2**24 + 1, id="250 bits apart, negative"),
    pytest.param("float32", 0x4B800001, 0x00000001, 2**62 + 1, id="start is the large one"),
    pytest.param("float64", 0x1, 0x3FF0000000000000, 2**53 + 1, id="just above, double"),
    pytest.param("float64", 0x8000000000000001, 0x3FF0000000000000, 2**53 + 3, id="below, double"),
    pytest.param("float64", 0x1, 0x3FF8000000000000, 2**53 + 1, id="odd product, double"),
    # The fraction of delta alone has as many bits as an element.
    pytest.param("float16", 0x0001, 0x0400, 2**26 + 2**15, id="full fraction, half"),
    pytest.param("float16", 0x8001, 0x0400, 2**26 + 3 * 2**15, id="full fraction, half, below"),
    pytest.param("float32", 0x00000001, 0x3F800000, 2**55 + 2**31, id="full fraction, single"),
    pytest.param("float32", 0x80000001, 0x3F800000, 2**55 + 3 * 2**31, id="below, single"),
]


@pytest.mark.parametrize(("dtype", "start", "delta", "index"), BESIDE_TIES)
def test_multiply_rounds_by_everything_below_the_last_bit(dtype, start, delta, index):
    start, delta = number(start, dtype), number(delta, dtype)
    expected = reference.multiplied_range(start, delta, index - 8, 100)

    s = Sequence(start, delta, dtype, rule="multiply")

    for skipped in range(8):
        actual = s[index - 8 + skipped : index + 92]
        assert_bits_equal(actual=actual, expected=expected[skipped:], where=f"from {skipped}")
    assert_bits_equal(actual=s[index], expected=expected[8])
    # From element 0 on, where that is reachable, one segment reaches further back.
    if index < 5000:
        assert_bits_equal(actual=s[0 : index + 92][index - 8 :], expected=expected)


@pytest.mark.parametrize("sign", [1, -1])
@pytest.mark.parametrize("odd", [0, 1], ids=["even", "odd"])
@pytest.mark.parametrize(
    ("dtype", "bits"),
    [(FLOAT16, 16), (FLOAT16, 17), (FLOAT32, 32), (FLOAT32, 33), (FLOAT64, 63), (FLOAT64, 64)],
)
def test_runs_of_equal_elements_end_at_ties_to_even(dtype, bits, odd, sign):
    """With a delta of 2^-bits spacings, the first tie comes after 2^(bits-1) elements."""
    spacing = dtype.type(8) * np.finfo(dtype).eps
    first = (1 << (bits - 1)) - 20
    for delta in (spacing * dtype.type(2.0**-bits), -spacing * dtype.type(2.0**-bits)):
        s = Sequence(sign * (8 + odd * spacing), delta, dtype, rule="multiply")
        expected = reference.multiplied_range(s.start, s.delta, first, 40)
        assert_bits_equal(actual=s[first : first + 40], expected=expected, where=str(s))
        if dtype == FLOAT16:
            exact = float(s.start) + np.arange(1 << 20) * float(delta)
            assert_bits_equal(actual=s[0 : 1 << 20], expected=exact.astype(dtype), where=str(s))


@by_dtype(FLOATS[:2])
def test_multiply_equals_double_precision_where_that_is_exact(dtype):
    """Operands are integers below 2^24 times one power of two, indices below 2^16: 41 bits."""
    info = np.finfo(dtype)
    precision = info.nmant + 1
    source = reference.seeded(SEED)
    for k in range(some(250)):
        # The scale moves sums from subnormals to infinities.
        scale = source.randint(int(info.minexp) - info.nmant, int(info.maxexp) - precision)
        count = source.choice((3000, 5000, 1 << 16))
        bits = source.randint(1, precision), source.randint(1, precision)
        start, delta = (source.choice((-1, 1)) * source.getrandbits(n) * 2.0**scale for n in bits)
        with np.errstate(over="ignore"):
            expected = (start + np.arange(count) * delta).astype(dtype)
        expected[expected == 0] = abs(expected[expected == 0])
        if start == 0 and delta == 0:
            continue

        actual = Sequence(start, delta, dtype, rule="multiply")[0:count]

        where = f"seed {SEED}, case {k}, {shown(dtype.type(start), dtype.type(delta))}"
        assert_bits_equal(actual=actual, expected=expected, where=where)


@by_dtype(DTYPES)
@given(data=st.data())
def test_multiply_is_exact_at_any_index(dtype, data):
    start, delta = data.draw(any_number(dtype)), data.draw(any_number(dtype))
    index = data.draw(any_index())
    expected = reference.multiplied(start, delta, index)
    s = Sequence(start, delta, dtype, rule="multiply")

    assert_bits_equal(actual=s[index], expected=expected)
    assert_bits_equal(actual=s.write(np.empty(1, dtype), first=index)[0], expected=expected)


@pytest.mark.parametrize("rule", ["accumulate", "multiply"])
@by_dtype(INTEGERS)
def test_integers_wrap_modulo_their_width_at_any_index(dtype, rule):
    source = reference.seeded(SEED)
    modulus = 1 << (8 * dtype.itemsize)
    for start, delta in reference.random_pairs(dtype, SEED + 4, some(200)):
        first = min(source.getrandbits(source.randrange(1, 65)), INDEX_END - 70)
        bits = [(int(start) + (first + k) * int(delta)) % modulus for k in range(70)]
        expected = from_bits(bits, dtype)
        s = Sequence(start, delta, dtype, rule=rule)
        where = f"seed {SEED}, from {first} of {shown(start, delta)}"
        assert_bits_equal(actual=s[first : first + 70], expected=expected, where=where)
        assert_bits_equal(actual=s[first + 69], expected=expected[69], where=where)


@pytest.mark.parametrize("rule", ["accumulate", "multiply"])
@by_dtype([FLOAT16, FLOAT64, np.dtype("uint8"), np.dtype("int64")])
def test_the_last_element_has_the_number_two_to_the_64_minus_2(dtype, rule):
    s = Sequence(3, 1, dtype, rule=rule)
    one = s.write(np.empty(1, dtype), first=LAST_INDEX)

    assert_bits_equal(actual=one[0], expected=s[LAST_INDEX])
    assert_bits_equal(actual=s[LAST_INDEX:INDEX_END], expected=one)


# ---- What is no index, no range, no rule --------------------------------------------------------

BEYOND = "a sequence has elements 0 to 2**64 - 2, got "
ENDLESS = "a sequence never ends: needs s[a:b] with an end and without a step"


@pytest.mark.parametrize(
    ("index", "kind", "text"),
    [
        pytest.param(-1, IndexError, BEYOND + "-1", id="negative"),
        pytest.param(2**64 - 1, IndexError, BEYOND + "18446744073709551615", id="too large"),
        pytest.param(2**70, IndexError, BEYOND + "1180591620717411303424", id="far too large"),
        pytest.param(slice(-2, 5), IndexError, BEYOND + "-2", id="negative begin"),
        pytest.param(slice(2, -5), IndexError, BEYOND + "-5", id="negative end"),
        pytest.param(slice(2, None), IndexError, ENDLESS, id="no end"),
        pytest.param(slice(2, 9, 2), IndexError, ENDLESS, id="a step"),
        pytest.param(1.5, DataTypeError, "needs an integer index, got 1.5 (float)", id="float"),
        pytest.param("2", DataTypeError, "needs an integer index, got '2' (str)", id="text"),
    ],
)
def test_what_is_no_index_is_refused(index, kind, text):
    with pytest.raises(kind) as caught:
        Sequence(0, 1)[index]

    assert str(caught.value) == text


def test_an_index_may_be_any_integer_and_a_range_may_be_empty():
    s = Sequence(0, 1)

    assert s[np.int64(7)] == s[np.uint8(7)] == 7
    assert s[:3].tolist() == [0, 1, 2]
    assert s[5:5].size == s[5:3].size == 0
    assert s[0:4:1].tolist() == [0, 1, 2, 3]


@pytest.mark.parametrize("call", ["Sequence", "sequence", "fill_sequence"])
def test_an_unknown_rule_is_refused(call):
    out = np.full(3, 9, np.float32)
    calls = {
        "Sequence": lambda: Sequence(0, 1, rule="add"),
        "sequence": lambda: sequence(3, 0, 1, rule="add"),
        "fill_sequence": lambda: fill_sequence(out, 0, 1, rule="add"),
    }
    with pytest.raises(DescriptorError) as caught:
        calls[call]()

    assert str(caught.value) == "rule: needs 'accumulate' or 'multiply', got 'add'"
    assert out.tolist() == [9, 9, 9]
