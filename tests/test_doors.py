"""The same fill through every way in: the same bits, which are those of the plain loops."""

import itertools
import math
import random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from indirectml import configure
from tests import reference
from tests.bits import assert_bits_equal
from tests.doors import COMMANDS, DOORS, Call
from tests.extent import some
from tests.fills import fuzz
from tests.fills.filling import TARGETS
from tests.parameters import SEED, by_dtype
from tests.reference import DTYPES, number


@st.composite
def any_bits(draw, dtype):
    """Draw any bit pattern as a number, border numbers being frequent."""
    patterns = [reference.bits_of(x) for x in fuzz.borders(dtype)]
    any_ = st.integers(0, (1 << (8 * dtype.itemsize)) - 1)
    return number(draw(st.sampled_from(patterns) | any_), dtype)


@st.composite
def any_call(draw, dtype):
    """Draw a fill of 1 to 8 dimensions: packed, or with gaps and axes in any order."""
    sizes = [*draw(st.lists(st.integers(1, 4), max_size=7)), draw(st.integers(1, 70))]
    while math.prod(sizes) > 800:
        sizes[sizes.index(max(sizes))] = 1
    strides = None
    if draw(st.booleans()):
        strides, reach = [0] * len(sizes), 1
        for k in draw(st.permutations(range(len(sizes)))):
            strides[k] = reach + draw(st.sampled_from((0, 0, 1, 5)))
            reach += strides[k] * (sizes[k] - 1)
    is_sequence = draw(st.booleans())
    delta = draw(any_bits(dtype)) if is_sequence else None
    rule = draw(st.sampled_from(fuzz.RULES))
    return Call(draw(any_bits(dtype)), delta, rule, tuple(sizes), strides and tuple(strides))


def check(calls, names):
    """Compare what doors write with the plain loops."""
    expected = [
        fuzz.expected_elements(call[:3], math.prod(call.sizes)).reshape(call.sizes)
        for call in calls
    ]
    for name in names:
        door = DOORS[name]
        taken = [k for k, call in enumerate(calls) if door.takes(call)]
        written = door.fill([calls[k] for k in taken])
        for k, out in zip(taken, written, strict=True):
            assert_bits_equal(actual=out, expected=expected[k], where=f"{name}: {calls[k]}")


@by_dtype()
@settings(max_examples=some(160))
@given(data=st.data())
def test_every_door_of_python_writes_the_same_bits(dtype, data):
    call = data.draw(any_call(dtype))
    with configure(target=data.draw(st.sampled_from(TARGETS))):
        check([call], [name for name in DOORS if name not in COMMANDS])


@by_dtype()
@pytest.mark.parametrize("door", sorted(COMMANDS))
def test_the_commands_write_the_same_bits(door, dtype):
    source = random.Random(SEED)  # noqa: S311 (repeatable)
    calls = [fuzz.draw_call(source, dtype) for _ in range(some(96))]
    assert sum(DOORS[door].takes(call) for call in calls) >= 4, f"seed {SEED}"

    check(calls, [door])


@pytest.mark.parametrize("rank", range(1, 9))
@pytest.mark.parametrize("rule", fuzz.RULES)
def test_every_door_takes_every_dimension_count_and_data_type(rank, rule):
    sizes = (2, 3, 1, 2, 1, 2, 2, 3)[:rank]
    strides = [1] * rank
    for k in range(1, rank):  # the first axis fastest, with a gap behind each
        strides[k] = strides[k - 1] * sizes[k - 1] + 1
    ways = list(itertools.product((None, 2.5), (None, tuple(strides))))
    calls = []
    for place, dtype in enumerate(DTYPES):  # over the ranks each in all ways
        delta, layout = ways[(rank + place) % len(ways)]
        delta = delta and dtype.type(np.array(delta).astype(dtype))
        calls.append(Call(dtype.type(3), delta, rule, sizes, layout))

    check(calls, DOORS)
