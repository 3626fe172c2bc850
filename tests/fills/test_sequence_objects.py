"""Sequences as Python objects: equality, copies, membership, segments one at a time."""

import copy
import itertools
import math
import pickle
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest

import indirectml as dml
from indirectml import Sequence
from indirectml.core.data_types import FILL_DATA_TYPES, TensorDataType
from indirectml.core.scalars import exact_value
from indirectml.fills.sequences import equal_elements
from tests import reference
from tests.bits import assert_bits_equal
from tests.parameters import SEED, by_dtype
from tests.steps import counted

RULES = ("accumulate", "multiply")
NAN = np.uint16(0xFE01).view(np.float16)  # negative, with a payload

OBJECTS = [
    pytest.param(Sequence(0, 0.1), id="FLOAT32"),
    pytest.param(Sequence(-0.0, 1e-45, rule="multiply"), id="multiply"),
    pytest.param(Sequence(10, -2, np.uint8), id="UINT8 down"),
    pytest.param(Sequence(NAN, 1, np.float16), id="a NaN with a payload"),
    pytest.param(equal_elements(NAN, TensorDataType.FLOAT16), id="equal elements"),
]


@pytest.mark.parametrize("sequence", OBJECTS)
@pytest.mark.parametrize("protocol", range(2, pickle.HIGHEST_PROTOCOL + 1))
def test_pickled_sequences_are_the_same(sequence, protocol):
    found = pickle.loads(pickle.dumps(sequence, protocol))  # noqa: S301 (its own)

    assert found == sequence
    assert hash(found) == hash(sequence)
    assert repr(found) == repr(sequence)
    assert_bits_equal(actual=found[0:9], expected=sequence[0:9])


@pytest.mark.parametrize("sequence", OBJECTS)
def test_copied_sequences_are_the_same(sequence):
    for found in (copy.copy(sequence), copy.deepcopy([sequence])[0]):
        assert found == sequence
        assert_bits_equal(actual=found[0:9], expected=sequence[0:9])


def test_sequences_are_equal_by_data_type_rule_and_bits():
    same = [Sequence(1, 2), Sequence(1.0, 2), Sequence(np.float32(1), Fraction(2))]
    others = [
        Sequence(1, 2, rule="multiply"),
        Sequence(1, 2, np.float64),
        Sequence(1, 3),
        Sequence(0.0, 2),
        Sequence(-0.0, 2),
        equal_elements(0, TensorDataType.FLOAT32),
    ]

    assert len({*same}) == 1
    assert len({*same, *others}) == 1 + len(others)
    assert Sequence(10, -2, np.uint8) == Sequence(10, 254, np.uint8)
    assert same[0] != (1, 2)


def test_sequences_do_not_change():
    sequence = Sequence(0, 1)

    with pytest.raises(AttributeError, match="a Sequence does not change: make a new one"):
        sequence.rule = "multiply"


@by_dtype(reference.DTYPES)
def test_membership_is_what_a_look_at_every_element_finds(dtype):
    source = reference.seeded(SEED)
    data_type = next(t for t in FILL_DATA_TYPES if t.dtype == dtype)
    for start, delta in reference.random_pairs(dtype, SEED, 60):
        for rule in RULES:
            sequence = Sequence(start, delta, dtype, rule=rule)
            index = source.choice((source.randrange(200), source.getrandbits(63)))
            element = sequence[index]
            if np.isnan(element):
                assert element not in sequence
                continue
            assert element in sequence, (sequence, index)
            bits = int(np.asarray(element).view(f"u{dtype.itemsize}"))
            value = exact_value(bits, data_type)
            if isinstance(value, Fraction):
                assert value in sequence
                assert value + Fraction(1, 10**400) not in sequence
            beside = next_after(element)
            if dtype.kind == "f" and np.isfinite(delta) and np.isfinite(beside):
                around = [sequence[index + k] for k in range(-min(index, 1), 2)]
                lies_between = min(around) < beside < max(around) and beside not in around
                assert not (lies_between and beside in sequence), (sequence, index)


def next_after(element):
    return np.nextafter(element, element.dtype.type(np.inf)) if element.dtype.kind == "f" else 0


MEMBERS = [
    (Sequence(0, 1), 16777216, True),
    (Sequence(0, 1), 16777217, False),
    (Sequence(0, 1, rule="multiply"), 2**64, True),
    (Sequence(0, 1, rule="multiply"), 2**65, False),
    (Sequence(0, 0.1), 0.1, False),
    (Sequence(0, 0.1), np.float32(0.1), True),
    (Sequence(0, 0.5), Decimal("1.5"), True),
    (Sequence(0, 0.1), Decimal("0.1"), False),
    (Sequence(0, -0.0), 0, True),
    (Sequence(0, 4, np.uint8), 252, True),
    (Sequence(0, 4, np.uint8), 253, False),
    (Sequence(0, 3, np.uint8), 1, True),
    (Sequence(0, 3, np.uint8), 256, False),
    (Sequence(0, 3, np.uint8), -1, False),
    (Sequence(0, 3, np.uint8), Fraction(3, 2), False),
    (Sequence(1, 0, np.int64), 1, True),
    (Sequence(1, 0, np.int64), 2, False),
    # Element 2**64 - 1 would be it, but there is none.
    (Sequence(0, 1, np.uint64), 2**64 - 1, False),
    (Sequence(0, 1, np.uint64), 2**64 - 2, True),
    (Sequence(3e38, 3e38), math.inf, True),
    (Sequence(0, 1), math.inf, False),
    (Sequence(0, math.inf), math.nan, False),
    (Sequence(1, math.inf), 1, True),
    (Sequence(1, math.inf, rule="multiply"), 1, False),
    (equal_elements(13, TensorDataType.FLOAT32), 13, True),
    (Sequence(0, 1), "1", False),
    (Sequence(0, 1), None, False),
    (Sequence(0, 1), 1j, False),
    (Sequence(0, 1), b"12345678", False),
]


@pytest.mark.parametrize(("sequence", "value", "expected"), MEMBERS)
def test_membership_of_numbers_and_other_things(sequence, value, expected):
    found, steps = counted(lambda: value in sequence)

    assert found is expected
    assert steps < 20_000  # a loop over elements never ends


def test_segments_are_found_when_they_are_asked_for():
    """Under `multiply` there is one per 7,450 elements, that is 2.5 * 10^15 of them."""
    sequence = Sequence(1, 1.1 * 2**-65, np.float64, rule="multiply")

    first, steps = counted(lambda: list(itertools.islice(sequence.segments(2**64 - 1), 1000)))

    assert steps < 100 * len(first)
    assert first[-1].first_index / len(first) == pytest.approx(7450, rel=0.01)
    assert len(list(Sequence(1, 1.1 * 2**-65, np.float64).segments(2**64 - 1))) == 1


def test_segments_of_a_wrong_count_are_refused_at_once():
    with pytest.raises(IndexError, match="a sequence has elements 0 to 2"):
        Sequence(0, 1).segments(-1)
    with pytest.raises(dml.DataTypeError, match=r"needs an integer index, got 1\.5"):
        Sequence(0, 1).segments(1.5)


def test_a_product_of_sizes_is_a_size():
    class Two:
        def __index__(self):
            return 2

    for sizes in (np.prod([1, 2]), np.array(2), Two(), [Two()], (np.uint8(2),)):
        assert_bits_equal(actual=dml.full(sizes, 3), expected=np.full(2, 3, np.float32))
        assert_bits_equal(actual=dml.sequence(sizes, 0, 1), expected=np.arange(2, dtype="f4"))
    with dml.configure(max_threads=np.int64(1)):
        assert dml.Sequence(0, 1)[Two()] == 2
