"""Sequences as segments: how long and how many they are, and from where on elements repeat."""

import itertools
from fractions import Fraction

import numpy as np
import pytest

from indirectml import Sequence, _native
from tests import reference
from tests.bits import assert_bits_equal
from tests.extent import some
from tests.parameters import SEED, by_dtype
from tests.reference import FLOATS, INDEX_END, INTEGERS, bits_of, number, shown

FLOAT16 = FLOATS[0]
#: Sequences whose elements are exact fractions.
MANY = some(300)
INF = float("inf")


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
    for start, delta in reference.random_pairs(dtype, SEED + 5, some(400)):
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
    for start, delta in reference.random_pairs(dtype, SEED + 6, some(1000)):
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
    for start, delta in reference.random_pairs(dtype, SEED + 6, some(1000)):
        operands = bits_of(start), bits_of(delta)
        walker = _native.Walker(_native.Sequence(bits, precision, False, *operands), 0)  # noqa: FBT003
        for _ in range(segment_limit(dtype)):
            first, count, *_ = walker.next()
            if first + count == INDEX_END:
                break
        assert first + count == INDEX_END, f"seed {SEED + 6}, {shown(start, delta)}"


@by_dtype(FLOATS)
def test_every_segment_continues_the_one_before_over_more_elements_than_fit_in_memory(dtype):
    for start, delta in reference.random_pairs(dtype, SEED + 7, MANY):
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
    for start, delta in reference.random_pairs(dtype, SEED + 8, MANY):
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
        reference.random_pairs(FLOAT16, SEED + 9, some(1500)),
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
    for start, delta in reference.random_pairs(dtype, SEED + 10, some(400)):
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
