"""What is said of a sequence, compared with looking at every element."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from indirectml import Sequence, TensorDataType
from indirectml.fills.comparing import ulp_distances
from indirectml.fills.explaining import explain
from indirectml.fills.remainders import lesser_remainders
from tests.extent import Extent
from tests.fills import explained
from tests.parameters import SEED
from tests.reference import seeded
from tests.steps import counted

FLOAT16 = TensorDataType.FLOAT16


def half(bits):
    return np.uint16(bits).view(np.float16)


def exact(number):
    value = float(number)
    return Fraction(value) if math.isfinite(value) else value


def first(flags):
    found = np.flatnonzero(flags)
    return int(found[0]) if found.size else None


def looked_at(sequence, count):
    """Return what one rule does, by looking at all its elements."""
    values = sequence[0:count]
    bits = values.view(np.uint16)
    repeated = bits[1:] == bits[:-1]
    line = [exact(sequence.start) + i * exact(sequence.delta) for i in range(count)]
    off = first([exact(v) != x for v, x in zip(values, line, strict=True)])
    finite = np.isfinite(sequence.start) and np.isfinite(sequence.delta)
    infinite, nan = first(np.isinf(values)), first(np.isnan(values))
    return {
        "last_exact": None if not finite or off == 0 else count - 1 if off is None else off - 1,
        "infinite_at": infinite,
        "nan_at": nan,
        "repeated_count": int(repeated.sum()),
        "first_repeated": None if first(repeated) is None else first(repeated) + 1,
        "error": max(abs(exact(v) - x) for v, x in zip(values, line, strict=True))
        if finite
        else None,
    }


NEAR_ONE = st.integers(0x3000, 0x5000)
ANY_BITS = st.integers(0, 0xFFFF) | NEAR_ONE | NEAR_ONE.map(lambda b: b | 0x8000)


# The rules are farthest apart in the middle of a piece.
@example(0xD0C8, 0x2B00, 819)
@example(0xD233, 0x2F80, 487)
@example(0x50C8, 0xAB00, 819)
@example(0x5233, 0xAF80, 487)
# Ties make the element beside the end of a piece the farthest one.
@example(0xB14C, 0xB464, 7)
@example(0x4C64, 0x3C80, 110)
@example(0x4CFB, 0x497C, 5)
@given(ANY_BITS, ANY_BITS, st.integers(1, 600))
def test_everything_said_is_what_a_look_at_every_element_finds(start, delta, count):
    found = explain(half(start), half(delta), FLOAT16, count)

    pieces = {}
    for rule, facts in found.rules.items():
        sequence = Sequence(half(start), half(delta), np.float16, rule=rule)
        pieces[rule] = sequence[0:count]
        expected = looked_at(sequence, count)
        error = expected.pop("error")
        assert {name: getattr(facts, name) for name in expected} == expected, rule
        if error is not None and not (math.isinf(error) or math.isnan(error)):
            assert (facts.largest_error.value, facts.largest_error.is_exact) == (error, True)
    compare_rules(found, pieces)


def test_everything_said_of_small_floats_is_so():
    """`python -m tests.fills.explained` tries as many as it is asked for."""
    source = seeded(SEED)
    for _ in range(3000 if Extent.whole else 400):
        explained.check(*explained.random_case(source))


#: What was once said wrongly: bits, precision, start, delta, count.
MENDED = [
    pytest.param(16, 11, 0x63FF, 0x3C00, 1000, id="ties in a line, odd"),
    pytest.param(16, 11, 0x6400, 0x3C00, 7, id="ties in a line, even"),
    pytest.param(16, 11, 0x63FF, 0xBC00, 9, id="ties in a line, downwards"),
    pytest.param(5, 3, 0x16, 0x1, 58, id="infinite before the border of a binade is reached"),
    pytest.param(16, 11, 0x7B00, 0x7B00, 5, id="infinite at once"),
]


@pytest.mark.parametrize(("bits", "precision", "start", "delta", "count"), MENDED)
def test_what_was_once_said_wrongly(bits, precision, start, delta, count):
    explained.check(explained.SmallFloat(bits, precision), start, delta, count)


def test_numbers_beyond_double_precision_are_told():
    found = explain(1e308, 1e308, TensorDataType.FLOAT64, 5)
    for facts in found.rules.values():
        assert (facts.infinite_at, facts.largest_error.value) == (1, math.inf)

    found = explain(-1.7e308, 1e291, TensorDataType.FLOAT64, 340_000_000_000_000_000)
    assert found.largest_difference.value > Fraction(2) ** 1024


@pytest.mark.parametrize("data_type", [TensorDataType.INT8, TensorDataType.UINT8])
def test_everything_said_of_integers_is_so(data_type):
    source = seeded(SEED)
    for _ in range(300):
        start = source.randint(data_type.minimum, data_type.maximum)
        delta = source.randint(-data_type.maximum, data_type.maximum)
        count = source.randint(1, 600)
        line = [start + i * delta for i in range(count)]
        wrapped = [(x - data_type.minimum) % 256 + data_type.minimum for x in line]
        at = first(np.not_equal(line, wrapped))
        again = [i for i in range(1, count) if wrapped[i] == start]
        same = [i for i in range(1, count) if wrapped[i] == wrapped[i - 1]]

        found = explain(start, delta, data_type, count)

        for facts in found.rules.values():
            assert facts.wrapped_at == at
            assert facts.last_exact == (count if at is None else at) - 1
            assert facts.period == (again[0] if again else None)
            assert (facts.repeated_count, facts.first_repeated) == (
                len(same), same[0] if same else None
            )  # fmt: skip
            assert facts.last == wrapped[-1]


@given(st.integers(), st.integers(), st.integers(1, 500), st.integers(1, 500))
def test_lesser_remainders_are_those_that_a_look_at_all_finds(start, step, modulus, count):
    remainders = [(start + k * step) % modulus for k in range(count)]
    lesser = [k for k in range(count) if remainders[k] < min(remainders[:k], default=modulus)]

    found = list(lesser_remainders(start, step, modulus, count))

    inner = {
        b for a, b, c in zip(lesser, lesser[1:], lesser[2:], strict=False)
        if (b - a, remainders[b] - remainders[a]) == (c - b, remainders[c] - remainders[b])
    }  # fmt: skip
    assert set(lesser) - inner <= set(found) <= set(lesser)
    assert found == sorted(found)


def compare_rules(found, pieces):
    a, b = (pieces[rule].view(np.uint16) for rule in ("accumulate", "multiply"))
    assert found.part_at == first(a != b)
    distances, incomparable = ulp_distances(a, b, FLOAT16)
    known = distances[~incomparable & ~np.isnan(pieces["accumulate"])]
    assert found.largest_ulp.is_exact
    assert found.largest_ulp.value == max(known, default=0)
    apart = [
        abs(exact(x) - exact(y))
        for x, y in zip(*pieces.values(), strict=True)
        if x != y and not (np.isnan(x) or np.isnan(y))
    ]
    assert found.largest_difference.is_exact
    assert found.largest_difference.value == max(apart, default=0)


def test_the_binade_of_the_largest_floats_has_a_spacing_too():
    found = explain(0, 510, FLOAT16, 129)

    assert found.largest_difference.value == 224
    assert explain(0, 512, FLOAT16, 129).rules["accumulate"].last_exact == 127


def test_the_published_numbers_that_tell_the_rules_apart():
    found = explain(0.1, 0.1, TensorDataType.FLOAT32, 100)

    # 0.70000005 and 0.7: element 6.
    assert found.part_at == 6
    assert explain(0, 1, FLOAT16, 3000).rules["accumulate"].absorbed_at == 2048


INTEGERS = [
    pytest.param(TensorDataType.UINT8, 10, -2, 300, (6, 5, 128), id="UINT8 down"),
    pytest.param(TensorDataType.INT8, 120, 5, 5, (2, 1, None), id="INT8 up"),
    pytest.param(TensorDataType.INT32, 0, 1, 10, (None, 9, None), id="no wrap"),
    pytest.param(TensorDataType.UINT64, 2**64 - 6, 3, 4, (2, 1, None), id="UINT64"),
]


@pytest.mark.parametrize(("data_type", "start", "delta", "count", "expected"), INTEGERS)
def test_integers_wrap_and_the_rules_agree(data_type, start, delta, count, expected):
    found = explain(start, delta, data_type, count)

    for facts in found.rules.values():
        assert (facts.wrapped_at, facts.last_exact, facts.period) == expected
    assert found.part_at is None


LARGE = [
    pytest.param(0, 0.1, TensorDataType.FLOAT32, id="FLOAT32"),
    pytest.param(-5, 0.01, TensorDataType.FLOAT64, id="FLOAT64 through zero"),
    pytest.param(1, 1e-25, TensorDataType.FLOAT32, id="tiny delta"),
    pytest.param(1e-40, 1e-45, TensorDataType.FLOAT32, id="subnormal"),
    pytest.param(0, 1, TensorDataType.UINT8, id="UINT8"),
    pytest.param(1.5, 1e-10, TensorDataType.FLOAT64, id="staircase"),
]


@pytest.mark.parametrize(("start", "delta", "data_type"), LARGE)
def test_a_trillion_elements_take_no_trillion_steps(start, delta, data_type):
    _, steps = counted(lambda: explain(start, delta, data_type, 10**12))

    assert steps < 10**6


def test_too_many_segments_are_told_as_at_least():
    found, steps = counted(lambda: explain(1, 1e-20, TensorDataType.FLOAT32, 2**63))

    assert steps < 2 * 10**7
    assert not found.is_complete
    assert not found.largest_ulp.is_exact
    assert found.largest_ulp.index == 2**63 - 1
    assert found.part_at is not None


@pytest.mark.parametrize("value", ["-nan", "nan", "-0.0", "-inf", "2.5"])
def test_all_elements_of_a_constant_have_its_bits(value):
    given = np.float16(value)

    found = explain(given, None, TensorDataType.FLOAT16, 10**12)

    for facts in found.rules.values():
        assert facts.segment_count == 1
        assert facts.last.tobytes() == given.tobytes()
    assert found.part_at is None
