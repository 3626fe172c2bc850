"""Sums and what else is made of elements along axes, bit for bit against plain loops."""

import itertools
import math

import numpy as np
import pytest

from indirectml.arithmetic import reductions, sums
from tests.arithmetic import loops
from tests.arithmetic.arrays import FLOATS, INTEGERS, KINDS, LAYOUTS, laid_out, numbers
from tests.bits import assert_bits_equal
from tests.parameters import in_one_test

#: Sizes and axes: last, first, middle, several, all, none; fewer than 16 elements, 16, more.
GROUPS = [
    pytest.param((3, 40), (1,), id="last"),
    pytest.param((37, 5), (0,), id="first"),
    pytest.param((2, 17, 5), (1,), id="middle"),
    pytest.param((3, 4, 5, 7), (0, 2), id="two apart"),
    pytest.param((3, 4, 5, 7), (3, 1), id="in any order"),
    pytest.param((5, 33), (0, 1), id="all"),
    pytest.param((2, 3), (), id="none"),
    pytest.param((3, 1), (1,), id="one element"),
    pytest.param((2, 16), (1,), id="sixteen"),
    pytest.param((2, 3, 15), (1, 2), id="45"),
    pytest.param((9, 2, 300), (2,), id="300"),
]

#: Integers are of two kinds.
NUMBERS = [
    *itertools.product(FLOATS, KINDS),
    *itertools.product(INTEGERS, ("normal", "zeros")),
]

FLOAT_WORDS = {
    "sum": (sums.sum16, loops.sum16),
    "squares": (sums.sum16_of_squares, lambda v: loops.sum16([x * x for x in v])),
    "magnitudes": (sums.sum16_of_magnitudes, lambda v: loops.sum16([abs(x) for x in v])),
    "product": (sums.product64, loops.product),
    "mean": (reductions.mean, lambda v: loops.divided(loops.sum16(v), len(v))),
    "l2": (reductions.l2, lambda v: loops.root(loops.sum16([x * x for x in v]))),
}


@in_one_test(kind=KINDS, dtype=FLOATS)
@pytest.mark.parametrize(("sizes", "axes"), GROUPS)
@pytest.mark.parametrize("word", FLOAT_WORDS)
def test_floats_equal_loops(word, sizes, axes, dtype, kind):
    function, loop = FLOAT_WORDS[word]
    x = numbers(dtype, sizes, kind)

    assert_bits_equal(actual=function(x, axes), expected=loops.reduced(loop, x, axes))


@in_one_test(layout=LAYOUTS, dtype=FLOATS)
@pytest.mark.parametrize(("sizes", "axes"), GROUPS)
def test_strides_change_no_bit(sizes, axes, dtype, layout):
    x = laid_out(numbers(dtype, sizes, "special"), layout)

    for function in (*reductions.REDUCTIONS.values(), lambda x, axes: sums.moments(x, axes)[1]):
        assert_bits_equal(actual=function(x, axes), expected=function(x.copy(), axes))


@pytest.mark.parametrize("use_mean", [True, False])
@in_one_test(kind=KINDS, dtype=FLOATS)
@pytest.mark.parametrize(("sizes", "axes"), GROUPS)
def test_moments_equal_loops(sizes, axes, dtype, kind, use_mean):
    x = numbers(dtype, sizes, kind)

    actual = sums.moments(x, axes, use_mean=use_mean)

    for k, name in enumerate(sums.Moments._fields):
        expected = loops.reduced(
            lambda v, k=k: loops.mean_and_variance(v, use_mean=use_mean)[k], x, axes
        )
        assert_bits_equal(actual=actual[k], expected=expected, where=name)


@in_one_test(kind=KINDS, dtype=FLOATS[:2])
@pytest.mark.parametrize(("sizes", "axes"), GROUPS)
def test_logarithms_equal_loops(sizes, axes, dtype, kind):
    x = numbers(dtype, sizes, kind)

    expected = loops.reduced(
        lambda v: loops.mpfr("log", loops.single(loops.sum16(v))), x, axes, np.float32
    )
    assert_bits_equal(actual=reductions.log_sum(x, axes), expected=expected)
    expected = loops.reduced(loops.log_sum_exp, x, axes, np.float32)
    assert_bits_equal(actual=reductions.log_sum_exp(x, axes), expected=expected)


@in_one_test(drawn=NUMBERS)
@pytest.mark.parametrize(("sizes", "axes"), GROUPS)
def test_extremes_equal_loops(sizes, axes, drawn):
    dtype, kind = drawn
    x = numbers(dtype, sizes, kind)

    for function, loop in [(sums.largest, loops.largest), (sums.smallest, loops.smallest)]:
        assert_bits_equal(actual=function(x, axes), expected=loops.reduced(loop, x, axes, dtype))
    for function, before in [
        (sums.index_of_largest, loops.is_larger),
        (sums.index_of_smallest, loops.is_smaller),
    ]:
        for last in (False, True):
            expected = loops.reduced(
                lambda v, before=before, last=last: loops.best(v, before, last=last),
                x,
                axes,
                np.int64,
            )
            assert_bits_equal(actual=function(x, axes, last=last), expected=expected)


INTEGER_WORDS = {
    "SUM": sum,
    "L1": lambda v: sum(map(abs, v)),
    "SUM_SQUARE": lambda v: sum(x * x for x in v),
    "MULTIPLY": math.prod,
}


@in_one_test(dtype=INTEGERS)
@pytest.mark.parametrize(("sizes", "axes"), GROUPS)
@pytest.mark.parametrize("word", INTEGER_WORDS)
def test_integers_wrap(word, sizes, axes, dtype):
    x = numbers(dtype, sizes, "zeros" if word == "MULTIPLY" else "normal")
    bits = 8 * np.dtype(dtype).itemsize

    expected = loops.reduced(
        lambda v: INTEGER_WORDS[word](v) % (1 << bits), x, axes, f"u{bits // 8}"
    )

    actual = reductions.REDUCTIONS[word](x, axes)
    assert_bits_equal(actual=actual, expected=expected.view(dtype))


@pytest.mark.parametrize("function", [sums.sum16, sums.largest, sums.index_of_smallest])
def test_axes_can_go(function):
    x = numbers(np.float32, (2, 3, 4))

    expected = function(x, [0, 2]).reshape(3)
    assert_bits_equal(actual=function(x, [2, 0], keepdims=False), expected=expected)


@pytest.mark.parametrize("count", [1, 2, 16, 17, 32, 64, 70, 130])
def test_a_sum_of_negative_zeros_is_positive(count):
    for sizes, axis in (((5, count), 1), ((count, 5), 0)):
        x = np.full(sizes, -0.0, np.float32)

        actual = sums.sum16(x, [axis], keepdims=False)

        assert_bits_equal(actual=actual, expected=np.zeros(5))


@pytest.mark.parametrize("out", FLOATS)
@in_one_test(kind=KINDS, dtype=FLOATS)
@pytest.mark.parametrize(("sizes", "axes"), GROUPS)
def test_sums_are_rounded_once(sizes, axes, dtype, kind, out):
    x = numbers(dtype, sizes, kind)

    actual = sums.sum16(x, axes, dtype=out)

    with np.errstate(all="ignore"):
        expected = loops.reduced(loops.sum16, x, axes).astype(out)
    assert_bits_equal(actual=actual, expected=expected)


def test_the_sum_of_nothing_is_zero():
    actual = sums.sum16(np.zeros((2, 0), np.float32), [1], dtype=np.float16)

    assert_bits_equal(actual=actual, expected=np.zeros((2, 1), np.float16))


def test_a_nan_that_comes_out_is_the_positive_one():
    x = -np.array([np.nan, 1], np.float32)

    expected = np.array([np.nan])
    for function in (sums.sum16, sums.product64, reductions.mean):
        assert_bits_equal(actual=function(x, [0]), expected=expected)
    for function in (sums.largest, sums.smallest, reductions.log_sum, reductions.log_sum_exp):
        assert_bits_equal(actual=function(x, [0]), expected=expected.astype(np.float32))


def test_infinite_exponents_have_a_logarithm():
    x = np.array([[np.inf, 0], [-np.inf, -np.inf], [1000, 1000]], np.float32)

    actual = reductions.log_sum_exp(x, [1])

    expected = np.array([[np.inf], [-np.inf], [1000 + math.log(2)]], np.float32)
    assert_bits_equal(actual=actual, expected=expected)
