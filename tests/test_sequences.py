"""The arithmetic of sequences and constants: every data type, both rules, any index."""

import itertools
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from indirectml import (
    DataTypeError,
    DescriptorError,
    Sequence,
    TensorDataType,
    _native,
    fill_constant,
    fill_sequence,
    full,
    sequence,
)
from tests import reference
from tests.bits import assert_bits_equal
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

SEED = 20240419
LAST_INDEX = INDEX_END - 1
FLOAT16, FLOAT32, FLOAT64 = FLOATS
INF, NAN = float("inf"), float("nan")


def by_dtype(dtypes):
    return pytest.mark.parametrize("dtype", dtypes, ids=str)


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
def test_accumulate_equals_a_plain_loop_for_all_pairs_of_border_numbers(dtype):
    for start, delta in reference.border_pairs(dtype):
        expected = reference.accumulated(start, delta, 5)
        actual = Sequence(start, delta, dtype)[0:5]
        assert_bits_equal(actual=actual, expected=expected, where=shown(start, delta))


@by_dtype(DTYPES)
def test_accumulate_equals_a_plain_loop_for_random_pairs(dtype):
    for start, delta in reference.random_pairs(dtype, SEED, 500):
        expected = reference.accumulated(start, delta, 90)
        actual = Sequence(start, delta, dtype)[0:90]
        assert_bits_equal(
            actual=actual, expected=expected, where=f"seed {SEED}, {shown(start, delta)}"
        )


@by_dtype(DTYPES)
def test_accumulate_equals_numpys_accumulation_over_thousands_of_elements(dtype):
    count = 20_000 if dtype == FLOAT16 else 5000
    for start, delta in reference.random_pairs(dtype, SEED + 1, 1200):
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
    expected = reference.accumulated_at_once(start, delta, 20_000_000)

    assert_bits_equal(actual=Sequence(start, delta)[0:20_000_000], expected=expected)


#: One of each kind: zeros, subnormals, ties at several scales, powers, fractions, extremes, NaNs.
HALF_DELTAS = [
    0x0000, 0x8000, 0x0001, 0x8003, 0x03FF, 0x0400, 0x9001, 0x1400, 0x211F, 0x2E66, 0x3400, 0xB801,
    0x3C00, 0xBC00, 0x4200, 0xC900, 0x6400, 0x6401, 0x7BFF, 0xFBFF, 0x7C00, 0xFC00, 0x7E00, 0x7C01,
]  # fmt: skip


@pytest.mark.parametrize("delta", [pytest.param(d, id=f"0x{d:04X}") for d in HALF_DELTAS])
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
def test_multiply_equals_exact_fractions_for_all_pairs_of_border_numbers(dtype):
    for start, delta in reference.border_pairs(dtype):
        expected = reference.multiplied_range(start, delta, 0, 3)
        actual = Sequence(start, delta, dtype, rule="multiply")[0:3]
        assert_bits_equal(actual=actual, expected=expected, where=shown(start, delta))


@by_dtype(DTYPES)
def test_multiply_equals_exact_fractions_around_borders_that_it_crosses(dtype):
    source = reference.seeded(SEED)
    for start, delta in reference.random_pairs(dtype, SEED + 3, 700):
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
    for k in range(250):
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
    for start, delta in reference.random_pairs(dtype, SEED + 4, 200):
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


# ---- Segments -----------------------------------------------------------------------------------


def greedy_segments(bits):
    """Return (first index, count, first bits, step) of the longest runs, from the left."""
    found, first = [], 0
    while first < len(bits):
        end = min(first + 2, len(bits))
        step = bits[end - 1] - bits[first]
        while end < len(bits) and bits[end] - bits[end - 1] == step:
            end += 1
        found.append((first, end - first, bits[first], step if end - first > 1 else None))
        first = end
    return found


def as_tuples(segments):
    return [(s.first_index, s.count, s.first_bits, s.bits_per_step if s.count > 1 else None)
            for s in segments]  # fmt: skip


@by_dtype(FLOATS)
def test_accumulate_segments_are_as_long_as_they_can_be(dtype):
    for start, delta in reference.random_pairs(dtype, SEED + 5, 400):
        values = reference.accumulated_at_once(start, delta, 600)
        bits = values.view(f"u{dtype.itemsize}").tolist()
        segments = Sequence(start, delta, dtype).segments(600)
        assert as_tuples(segments) == greedy_segments(bits), f"{SEED + 5}, {shown(start, delta)}"


@pytest.mark.parametrize("count", [0, 1, 2, 3, 4, 5, 6, 7, 9, 20])
def test_segments_end_with_the_count(count):
    for start, delta in [(1, 0.5), (-3, 1), (2044, 1), (0, 0), (INF, 1), (-0.0, 0.0), (5, -1.3)]:
        values = reference.accumulated(np.float16(start), np.float16(delta), count)
        segments = as_tuples(Sequence(start, delta, np.float16).segments(count))
        assert segments == greedy_segments(values.view(np.uint16).tolist())


def segment_limit(dtype):
    """Return how many segments a float sequence has at most; docs/sequences.md, section 3.

    A growing sequence passes precision + 3 binades with two segments each before delta is absorbed;
    a shrinking one as many with three; and up to three elements around zero stand alone.
    """
    precision = np.finfo(dtype).nmant + 1
    return 5 * (precision + 3) + 3


@by_dtype(FLOATS)
def test_the_number_of_segments_is_bounded_and_no_count_is_too_large(dtype):
    limit = segment_limit(dtype)
    for start, delta in reference.random_pairs(dtype, SEED + 6, 1000):
        where = f"seed {SEED + 6}, {shown(start, delta)}"
        s = Sequence(start, delta, dtype)
        for count in (10**12, INDEX_END - 1, INDEX_END):
            segments = list(itertools.islice(s.segments(count), limit + 1))
            assert len(segments) <= limit, where
            ends = [segment.first_index + segment.count for segment in segments]
            assert [segment.first_index for segment in segments] == [0, *ends[:-1]], where
            assert ends[-1] == count, where


@by_dtype(FLOATS)
def test_the_native_core_passes_over_as_few_segments(dtype):
    """Its segments are not joined across borders; reaching any element costs as many."""
    bits, precision = 8 * dtype.itemsize, np.finfo(dtype).nmant + 1
    for start, delta in reference.random_pairs(dtype, SEED + 6, 1000):
        operands = bits_of(start), bits_of(delta)
        walker = _native.Walker(_native.Sequence(bits, precision, False, *operands), 0)  # noqa: FBT003
        for _ in range(segment_limit(dtype)):
            first, count, *_ = walker.next()
            if first + count == INDEX_END:
                break
        assert first + count == INDEX_END, f"seed {SEED + 6}, {shown(start, delta)}"


@by_dtype(FLOATS)
def test_every_segment_continues_the_one_before_over_more_elements_than_fit_in_memory(dtype):
    for start, delta in reference.random_pairs(dtype, SEED + 7, 300):
        s = Sequence(start, delta, dtype)
        for segment in s.segments(INDEX_END - 1):
            offsets = {0, 1, segment.count // 3, segment.count - 2, segment.count - 1}
            for j in sorted(offsets & set(range(min(segment.count, 3)))) + [
                k for k in offsets if 3 <= k < segment.count
            ]:
                bits = segment.first_bits + j * segment.bits_per_step
                index = segment.first_index + j
                before = number(bits, dtype)
                expected = reference.accumulated(before, delta, 2)
                where = f"seed {SEED + 7}, element {index} of {shown(start, delta)}"
                assert_bits_equal(actual=s[index], expected=before, where=where)
                assert_bits_equal(actual=s[index + 1], expected=expected[1], where=where)


@by_dtype(INTEGERS)
@pytest.mark.parametrize("rule", ["accumulate", "multiply"])
def test_an_integer_sequence_is_one_segment(dtype, rule):
    modulus = 1 << (8 * dtype.itemsize)
    for start, delta in reference.border_pairs(dtype):
        (segment,) = Sequence(start, delta, dtype, rule=rule).segments(10**12)
        assert (segment.first_index, segment.count) == (0, 10**12)
        assert segment.first_bits == int(start) % modulus
        assert segment.bits_per_step % modulus == int(delta) % modulus


@by_dtype(FLOATS)
def test_multiply_segments_reproduce_every_element(dtype):
    source = reference.seeded(SEED)
    width = 1 << (8 * dtype.itemsize)
    for start, delta in reference.random_pairs(dtype, SEED + 8, 300):
        s = Sequence(start, delta, dtype, rule="multiply")
        next_first = 0
        for segment in itertools.islice(s.segments(INDEX_END - 1), 60):
            assert segment.first_index == next_first
            next_first += segment.count
            for j in {0, segment.count - 1, source.randrange(segment.count)}:
                bits = round(segment.first_bits + j * Fraction(segment.bits_per_step)) % width
                index = segment.first_index + j
                expected = reference.multiplied(start, delta, index)
                where = f"seed {SEED}, element {index} of {shown(start, delta)}"
                assert_bits_equal(actual=number(bits, dtype), expected=expected, where=where)


@by_dtype(FLOATS[1:])
def test_a_multiply_segment_longer_than_two_to_the_63_ends_with_its_binade(dtype):
    start, delta = dtype.type(1), dtype.type(1.5 * 2.0**-64)
    first, second = Sequence(start, delta, dtype, rule="multiply").segments(INDEX_END - 1)

    # 1 + i * delta reaches 2 at i = 2^64 / 1.5, between two integers.
    assert first.count == 2**65 // 3 + 1
    assert second == (first.count, INDEX_END - 1 - first.count, *second[2:])


# ---- Absorption ---------------------------------------------------------------------------------


def test_absorption_is_where_the_loop_stops_changing_in_half_precision():
    # From -4096 deltas to 4096 deltas, in steps of one delta at least: 2^13 elements.
    count = (1 << 14) + 1
    pairs = itertools.chain(
        reference.random_pairs(FLOAT16, SEED + 9, 1500),
        itertools.product(reference.float_borders(FLOAT16)[::3], reference.float_borders(FLOAT16)),
    )
    for start, delta in pairs:
        bits = reference.accumulated_at_once(start, delta, count).view(np.uint16)
        changes = np.flatnonzero(bits[1:] != bits[:-1])
        expected = int(changes[-1]) + 1 if changes.size else 0
        assert expected < count - 1
        assert Sequence(start, delta, FLOAT16).absorbed_at == expected, shown(start, delta)


@by_dtype(FLOATS)
def test_absorbed_elements_repeat_and_the_one_before_differs(dtype):
    for start, delta in reference.random_pairs(dtype, SEED + 10, 400):
        s = Sequence(start, delta, dtype)
        index = s.absorbed_at
        where = f"seed {SEED + 10}, {index} of {shown(start, delta)}"
        repeated = reference.accumulated(s[index], delta, 2)[1]
        # A NaN with a payload at element 0 becomes the canonical one at element 1.
        assert bits_of(repeated) == bits_of(s[index]), where
        assert index == 0 or bits_of(s[index - 1]) != bits_of(s[index]), where


ABSORBED = [
    pytest.param(np.float32, 0, 1, "accumulate", 16_777_216, id="single precision counts to 2^24"),
    pytest.param(np.float32, 0, -1, "accumulate", 16_777_216, id="and down to -2^24"),
    pytest.param(np.float32, -(2**24), 1, "accumulate", 2**25, id="from -2^24 through zero"),
    pytest.param(np.float64, 0, 1, "accumulate", 2**53, id="double precision counts to 2^53"),
    pytest.param(np.float16, 0, 1, "accumulate", 2048, id="half precision counts to 2048"),
    pytest.param(np.float32, 5, 0, "accumulate", 0, id="delta zero"),
    pytest.param(np.float32, -0.0, 0.0, "accumulate", 1, id="negative zero plus zero"),
    pytest.param(np.float32, 0, INF, "accumulate", 1, id="infinite from element 1 on"),
    pytest.param(np.float32, INF, -INF, "accumulate", 1, id="NaN from element 1 on"),
    pytest.param(np.float32, 3e38, 3e38, "accumulate", 1, id="overflow"),
    pytest.param(np.int32, 7, 0, "accumulate", 0, id="integer, delta zero"),
    pytest.param(np.int8, 7, 1, "accumulate", None, id="an integer wraps for ever"),
    pytest.param(np.uint64, 7, 2**63, "multiply", None, id="an integer takes turns for ever"),
    pytest.param(np.float32, 0, 1, "multiply", None, id="a product always moves on"),
    pytest.param(np.float64, 1e300, 1e-300, "multiply", None, id="however slowly"),
    pytest.param(np.float32, 5, 0, "multiply", 0, id="multiply, delta zero"),
    pytest.param(np.float32, 0, INF, "multiply", 1, id="NaN, then infinite"),
    pytest.param(np.float32, INF, -INF, "multiply", 0, id="NaN from the start"),
    pytest.param(np.float32, INF, 1, "multiply", 0, id="infinite from the start"),
    pytest.param(np.float16, 0, 1, "multiply", 65520, id="half precision overflows at 65520"),
]


@pytest.mark.parametrize(("dtype", "start", "delta", "rule", "expected"), ABSORBED)
def test_absorption_has_known_places(dtype, start, delta, rule, expected):
    assert Sequence(start, delta, dtype, rule=rule).absorbed_at == expected


@by_dtype(FLOATS)
def test_multiply_is_absorbed_by_the_first_infinity(dtype):
    largest = np.finfo(dtype).max
    for start, divisor in itertools.product((0, 1, -largest), (1, 3, 1000, 2**30, 2**40)):
        delta = reference.rounded(Fraction(float(largest)) / divisor, dtype)
        s = Sequence(dtype.type(start), delta, dtype, rule="multiply")
        index = s.absorbed_at
        assert np.isposinf(reference.multiplied(s.start, delta, index))
        assert np.isfinite(reference.multiplied(s.start, delta, index - 1))


# ---- Arrays take the same values ----------------------------------------------------------------


@by_dtype(DTYPES)
def test_a_constant_keeps_every_bit(dtype):
    for value in reference.borders(dtype):
        expected = np.repeat(np.array(value), 5)
        out = np.zeros(5, dtype)
        assert fill_constant(out, value) is out
        assert_bits_equal(actual=out, expected=expected)
        assert_bits_equal(actual=full((5,), value, dtype), expected=expected)
        assert_bits_equal(actual=full(5, value, TensorDataType[dtype.name.upper()]), expected=out)


def test_every_half_precision_pattern_is_a_constant():
    patterns = np.arange(1 << 16, dtype=np.uint16)
    out = np.empty(1 << 16, np.float16)
    for value, slot in zip(patterns.view(np.float16), out.reshape(-1, 1), strict=True):
        fill_constant(slot, value)

    assert_bits_equal(actual=out.view(np.uint16), expected=patterns)


@by_dtype(DTYPES)
@pytest.mark.parametrize("rule", ["accumulate", "multiply"])
def test_arrays_are_filled_with_the_sequence_in_row_major_order(dtype, rule):
    for start, delta in reference.random_pairs(dtype, SEED + 11, 100):
        expected = reference.elements(start, delta, 24, rule).reshape(2, 3, 4)
        out = np.empty((2, 3, 4), dtype)
        assert fill_sequence(out, start, delta, rule=rule) is out
        where = f"seed {SEED + 11}, {shown(start, delta)}"
        assert_bits_equal(actual=out, expected=expected, where=where)
        created = sequence([2, 3, 4], start, delta, dtype, rule=rule)
        assert_bits_equal(actual=created, expected=expected, where=where)


def test_the_default_rule_is_accumulate():
    assert_bits_equal(actual=sequence(11, 0.1, 0.1)[10], expected=np.float32(1.1000001))
    assert fill_sequence(np.empty(11), 0.1, 0.1)[10] == sum([0.1] * 10, 0.1)
    assert Sequence(0.1, 0.1).rule == "accumulate"


@pytest.mark.parametrize(
    ("start", "delta", "dtype"),
    [(0.1, 0.2, np.float32), (-5, 3, np.int8), (5, 254, np.uint8), (2**63, 1, np.uint64)],
)
def test_a_sequence_knows_its_operands(start, delta, dtype):
    s = Sequence(start, delta, dtype)

    assert_bits_equal(actual=s.start, expected=dtype(start))
    assert_bits_equal(actual=s.delta, expected=dtype(delta))
    assert s.dtype == dtype


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


# ---- An oracle that nobody here wrote -----------------------------------------------------------


@pytest.mark.parametrize("name", ["float32", "float64", "int16", "int32", "int64"])
def test_onnx_runtimes_range_operator_agrees_with_accumulate(name):
    onnx = pytest.importorskip("onnx")
    onnxruntime = pytest.importorskip("onnxruntime")
    dtype = np.dtype(name)
    element = onnx.helper.np_dtype_to_tensor_dtype(dtype)
    scalars = [onnx.helper.make_tensor_value_info(n, element, []) for n in ("a", "limit", "d")]
    out = onnx.helper.make_tensor_value_info("out", element, [None])
    node = onnx.helper.make_node("Range", ["a", "limit", "d"], ["out"])
    graph = onnx.helper.make_graph([node], "range", scalars, [out])
    opset = onnx.helper.make_opsetid("", 11)
    model = onnx.helper.make_model(graph, opset_imports=[opset], ir_version=8)
    session = onnxruntime.InferenceSession(
        model.SerializeToString(), providers=["CPUExecutionProvider"]
    )
    floats = [(0, 0.1), (3.2, 1.5), (-1, 1e-3), (1e6, -0.3), (100, -0.37), (1 / 3, 1 / 7)]
    integers = [(0, 1), (-5, 3), (1000, -7), (30000, -13)]
    for a, d in floats if dtype.kind == "f" else integers:
        start, limit, delta = dtype.type(a), dtype.type(a + 4000 * d), dtype.type(d)
        scalars_by_name = {"a": start, "limit": limit, "d": delta}.items()

        (expected,) = session.run(None, {n: np.array(v) for n, v in scalars_by_name})

        assert 3990 <= expected.size <= 4010
        actual = Sequence(start, delta, dtype)[0 : expected.size]
        assert_bits_equal(actual=actual, expected=expected, where=shown(start, delta))
