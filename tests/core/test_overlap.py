"""Shared memory of strided layouts: against the enumeration of all coordinates, and by hand."""

import itertools
import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from indirectml.core import overlap
from indirectml.core.errors import HResult, LayoutError
from indirectml.core.overlap import find_overlap


def collides(sizes, strides, width):
    """Decide by going through all elements and all their bytes."""
    seen = set()
    for coordinate in itertools.product(*map(range, sizes)):
        offset = sum(c * stride for c, stride in zip(coordinate, strides, strict=True))
        touched = set(range(offset, offset + width))
        if seen & touched:
            return True
        seen |= touched
    return False


def assert_collide(pair, sizes, strides, width):
    """Check that the two coordinates exist, differ, and share at least a byte."""
    first, second = pair
    assert first < second
    for coordinate in pair:
        assert len(coordinate) == len(sizes)
        assert all(0 <= c < size for c, size in zip(coordinate, sizes, strict=True))
    distance = sum((b - a) * t for a, b, t in zip(first, second, strides, strict=True))
    assert abs(distance) < width


def check(sizes, strides, width):
    pair = find_overlap(sizes, strides, width)

    assert (pair is not None) == collides(sizes, strides, width)
    if pair is not None:
        assert_collide(pair, sizes, strides, width)


@st.composite
def layouts(draw):
    """Draw sizes of at most a few hundred elements, strides of any sign, and a width."""
    sizes = []
    for _ in range(draw(st.integers(1, 6))):
        room = min(9, 400 // math.prod(sizes))
        sizes.append(draw(st.integers(2, room)) if room > 2 else 1)
    largest = draw(st.sampled_from([4, 20, 100, 1000]))
    stride = st.integers(-largest, largest)
    strides = draw(st.lists(stride, min_size=len(sizes), max_size=len(sizes)))
    return sizes, strides, draw(st.integers(1, 8))


@settings(max_examples=1500)
@given(layouts())
def test_any_small_layout_is_decided_as_by_going_through_its_elements(layout):
    check(*layout)


def test_all_layouts_of_two_short_axes_are_decided_rightly():
    sizes, strides = itertools.product((1, 2, 3, 4), repeat=2), range(-7, 8)
    for pair, *steps, width in itertools.product(sizes, strides, strides, (1, 2, 3)):
        check(pair, steps, width)


def test_all_layouts_of_three_short_axes_are_decided_rightly():
    for steps in itertools.product(range(-2, 9), repeat=3):
        check((2, 3, 2), steps, 1)
        check((3, 2, 2), steps, 2)


#: sizes, strides, width
SEPARATE = [
    pytest.param((), (), 1, id="no-dimensions"),
    pytest.param((), (), 8, id="no-dimensions-wide"),
    pytest.param((5,), (1,), 1, id="packed-1d"),
    pytest.param((2, 3), (3, 1), 1, id="packed-2d"),
    pytest.param((2, 3), (12, 4), 4, id="packed-2d-bytes"),
    pytest.param((2, 3), (1, 2), 1, id="transposed"),
    pytest.param((2, 3, 4, 5), (60, 1, 15, 3), 1, id="nhwc"),
    pytest.param((2, 3), (5, 1), 1, id="padded-rows"),
    pytest.param((2, 3), (-3, -1), 1, id="reversed"),
    pytest.param((2, 3), (3, -1), 1, id="one-axis-reversed"),
    pytest.param((4,), (-8,), 8, id="reversed-wide"),
    pytest.param((1,), (0,), 1, id="broadcast-of-one"),
    pytest.param((1, 3, 1), (0, 1, 0), 1, id="stride-zero-where-the-size-is-one"),
    pytest.param((1,), (1,), 8, id="one-wide-element"),
    pytest.param((0,), (0,), 1, id="empty"),
    pytest.param((3, 0, 5), (0, 0, 0), 8, id="empty-axis-among-others"),
    pytest.param((2, 3), (3, 2), 1, id="interleaved-0-2-4-3-5-7"),
    pytest.param((3, 2), (4, 6), 1, id="interleaved-0-6-4-10-8-14"),
    pytest.param((3, 3), (4, 6), 2, id="interleaved-wide"),
    pytest.param((3, 3), (-4, 6), 2, id="interleaved-one-reversed"),
    pytest.param((5, 3, 2), (6, 10, 15), 1, id="interleaved-three-axes"),
    pytest.param((4, 3), (8, 40), 4, id="a-field-of-records"),
    pytest.param((2,) * 8, (128, 64, 32, 16, 8, 4, 2, 1), 1, id="packed-8d"),
    pytest.param((2,) * 8, (1, 2, 4, 8, 16, 32, 64, 128), 1, id="transposed-8d"),
    pytest.param((2,) * 8, (640, 320, 160, 80, 40, 20, 10, 5), 5, id="packed-8d-wide"),
    pytest.param((3, 1, 2, 1, 2, 1, 2, 1), (8, 0, 4, 0, 2, 0, 1, 0), 1, id="8d-with-ones"),
    pytest.param((1,) * 8, (0,) * 8, 8, id="8d-of-ones"),
    pytest.param((2**16, 2**16), (2**16, 1), 1, id="big-packed"),
    pytest.param((2**16, 2**16), (2**16 + 1, 2**16), 1, id="big-coprime-extents-just-too-short"),
    pytest.param((2**16, 2**16), (2**61 - 1, 2**61 - 2), 1, id="big-strides-one-double"),
    pytest.param((2**31, 2**31), (2**32 - 1, 2**32 - 2), 1, id="big-sizes-and-strides"),
    pytest.param(
        (2**16,) * 4, (2**16 + 1, 2**16, 2**40, 2**60), 1, id="big-four-axes-two-entangled"
    ),
    pytest.param((2**32 - 1,), (1,), 1, id="largest-axis"),
]

#: sizes, strides, width, the only pairs that may be named (None: any that collides)
SHARING = [
    pytest.param((2, 3), (2, 1), 1, [((0, 2), (1, 0))], id="rows-overlap-by-one"),
    pytest.param((4,), (0,), 1, None, id="broadcast"),
    pytest.param((2, 3), (0, 1), 1, None, id="broadcast-rows"),
    pytest.param((2, 3), (1, 0), 1, None, id="broadcast-columns"),
    pytest.param((2, 2, 2), (0, 0, 0), 1, None, id="all-strides-zero"),
    pytest.param((5, 3), (1, 1), 1, None, id="sliding-windows"),
    pytest.param((5, 3), (2, 1), 1, None, id="sliding-windows-by-two"),
    pytest.param((4, 3), (4, 6), 1, [((0, 2), (3, 0))], id="interleaved-until-twelve"),
    pytest.param((6, 4, 2), (6, 10, 15), 1, None, id="interleaved-three-axes"),
    pytest.param((2,), (3,), 4, [((0,), (1,))], id="elements-wider-than-the-stride"),
    pytest.param((2,), (-3,), 4, [((0,), (1,))], id="reversed-wider-than-the-stride"),
    pytest.param((2, 3), (3, 2), 2, None, id="interleaved-and-wide"),
    pytest.param((3, 3), (4, -6), 3, None, id="interleaved-one-reversed"),
    pytest.param((2,) * 8, (128, 64, 32, 16, 8, 4, 2, 2), 1, None, id="8d-one-stride-twice"),
    pytest.param((2,) * 8, (127, 64, 32, 16, 8, 4, 2, 1), 1, None, id="8d-first-one-too-short"),
    pytest.param((2,) * 7 + (3,), (128, 64, 32, 16, 8, 4, 2, 1), 1, None, id="8d-last-too-long"),
    pytest.param(
        (2**16, 2**16),
        (2**16 - 1, 2**16 - 2),
        1,
        [((0, 2**16 - 1), (2**16 - 2, 0))],
        id="big-extents-just-long-enough",
    ),
    pytest.param(
        (2**16, 2**16), (2**61 - 1, 2**61 - 2), 2, None, id="big-strides-one-apart-and-wide"
    ),
    pytest.param(
        (2**31, 2**31),
        (2**31 - 1, 2**31 - 2),
        1,
        [((0, 2**31 - 1), (2**31 - 2, 0))],
        id="big-sizes-and-strides",
    ),
    pytest.param((2**32 - 1,), (0,), 1, None, id="largest-axis-broadcast"),
]


@pytest.mark.parametrize(("sizes", "strides", "width"), SEPARATE)
def test_layouts_without_shared_memory(sizes, strides, width):
    assert find_overlap(sizes, strides, width) is None
    if math.prod(sizes) < 1000:
        assert not collides(sizes, strides, width)


@pytest.mark.parametrize(("sizes", "strides", "width", "pairs"), SHARING)
def test_layouts_with_shared_memory_name_two_elements(sizes, strides, width, pairs):
    pair = find_overlap(sizes, strides, width)

    assert_collide(pair, sizes, strides, width)
    assert pairs is None or pair in pairs
    if math.prod(sizes) < 1000:
        assert collides(sizes, strides, width)


def test_elements_are_one_unit_wide_if_nothing_is_said():
    assert find_overlap((2, 3), (3, 2)) is None
    assert find_overlap([2, 3], [2, 1]) == ((0, 2), (1, 0))


@pytest.mark.parametrize(
    ("sizes", "strides", "width"),
    [pytest.param(*case.values[:3], id=case.id) for case in [*SEPARATE, *SHARING]],
)
def test_the_order_of_axes_does_not_matter(sizes, strides, width):
    expected = find_overlap(sizes, strides, width) is None

    assert (find_overlap(sizes[::-1], strides[::-1], width) is None) == expected
    assert (find_overlap((*sizes, 1), (*strides, 0), width) is None) == expected


@pytest.mark.parametrize(
    ("sizes", "strides", "width"),
    [pytest.param(*case.values[:3], id=case.id) for case in [*SEPARATE, *SHARING]],
)
def test_layouts_that_people_write_need_few_steps(sizes, strides, width, monkeypatch):
    monkeypatch.setattr(overlap, "STEP_LIMIT", 50)

    find_overlap(sizes, strides, width)


#: Eight axes, strides without any pattern: nothing below settles this one.
ENTANGLED = (
    (10,) * 8,
    (
        2_487_580_289,
        3_723_779_836,
        2_790_596_335,
        2_247_253_170,
        2_802_903_493,
        3_440_968_470,
        2_758_884_110,
        1_152_661_412,
    ),
)


def test_a_layout_that_takes_too_many_steps_is_refused(monkeypatch):
    monkeypatch.setattr(overlap, "STEP_LIMIT", 1000)

    with pytest.raises(LayoutError) as caught:
        find_overlap(*ENTANGLED)

    error = caught.value
    assert str(error) == (
        "needs strides for which it can be decided whether elements share memory,"
        " got a layout that 1000 search steps did not settle"
    )
    assert error.field is None
    assert error.hresult == HResult.E_INVALIDARG
    assert isinstance(error, ValueError)


def test_the_limit_counts_steps_and_not_elements(monkeypatch):
    monkeypatch.setattr(overlap, "STEP_LIMIT", 1)

    assert find_overlap((2**32 - 1, 3), (4, 1)) is None
    assert find_overlap((2**32 - 1, 3), (2, 1)) is not None
