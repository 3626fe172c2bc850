"""Softmax and normalization, bit for bit against plain loops."""

import itertools

import numpy as np
import pytest

from indirectml.arithmetic import normalization, softmax, sums
from tests.arithmetic import loops
from tests.arithmetic.arrays import KINDS, LAYOUTS, laid_out, numbers
from tests.bits import assert_bits_equal
from tests.parameters import in_one_test

GROUPS = [((3, 40), (1,)), ((37, 2), (0,)), ((2, 5, 3), (2, 0)), ((4, 1), (1,)), ((2, 300), (1,)),
          ((290, 7), (1,)), ((5, 63), (1,)), ((40, 17), (1,))]  # fmt: skip
WORDS = {
    "softmax": (softmax.softmax, loops.softmax, np.float64),
    "log_softmax": (softmax.log_softmax, loops.log_softmax, np.float32),
    "hardmax": (softmax.hardmax, loops.hardmax, np.float32),
}


@in_one_test(kind=KINDS, dtype=[np.float16, np.float32])
@pytest.mark.parametrize(("sizes", "axes"), GROUPS)
@pytest.mark.parametrize("word", WORDS)
def test_softmax_equals_loops(word, sizes, axes, dtype, kind):
    function, loop, result = WORDS[word]
    x = numbers(dtype, sizes, kind)

    assert_bits_equal(actual=function(x, axes), expected=loops.spread(loop, x, axes, result))


@pytest.mark.parametrize("kind", ["normal", "special", "infinite"])
@pytest.mark.parametrize("dtype", [np.float16, np.float32])
@pytest.mark.parametrize("size", [4097, 9000])
def test_rows_longer_than_a_block_equal_loops(size, dtype, kind):
    x = numbers(dtype, (2, size), kind)

    exact = loops.spread(loops.softmax, x, (1,), np.float64)
    for result in (np.float16, np.float32, np.float64):
        expected = loops.quiet(exact.astype(result))
        assert_bits_equal(actual=softmax.softmax(x, (1,), result), expected=expected)
    expected = loops.spread(loops.log_softmax, x, (1,), np.float32)
    assert_bits_equal(actual=softmax.log_softmax(x, (1,)), expected=expected)


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("word", WORDS)
def test_strides_change_no_bit(word, layout):
    function = WORDS[word][0]
    x = laid_out(numbers(np.float32, (5, 6, 7)), layout)

    assert_bits_equal(actual=function(x, (1,)), expected=function(x.copy(), (1,)))


@in_one_test(scaled_and_biased=[(0, 0), (1, 1), (1, 0), (0, 1)], uses=[(1, 1), (1, 0), (0, 1)])
@in_one_test(kind=KINDS, dtype=[np.float16, np.float32])
@pytest.mark.parametrize(("sizes", "axes"), GROUPS)
def test_normalization_equals_loops(sizes, axes, dtype, kind, uses, scaled_and_biased):
    use_mean, use_variance = map(bool, uses)
    scaled, biased = scaled_and_biased
    x = numbers(dtype, sizes, kind)
    scale = numbers(dtype, sizes, seed=2)[:, :1] if scaled else None
    bias = numbers(dtype, sizes, seed=3)[:1] if biased else None

    def loop(values):
        mean, variance = loops.mean_and_variance(values, use_mean=use_mean)
        epsilon = float(np.float32(1e-5))
        inverse = loops.divided(1.0, loops.root(variance + epsilon)) if use_variance else 1.0
        return [(value - mean) * inverse for value in values]

    expected = loops.spread(loop, x, axes)
    with np.errstate(all="ignore"):
        if scaled:
            expected = expected * scale.astype(np.float64)
        if biased:
            expected = expected + bias.astype(np.float64)
    actual = normalization.normalize_by_moments(
        x, axes, 1e-5, scale, bias, use_mean=use_mean, use_variance=use_variance
    )
    assert_bits_equal(actual=actual, expected=loops.quiet(expected))


@in_one_test(order=[1, 2], kind=KINDS)
@pytest.mark.parametrize(("sizes", "axes"), GROUPS)
def test_norms_equal_loops(sizes, axes, kind, order):
    x = numbers(np.float32, sizes, kind)
    epsilon = float(np.float32(1e-3))

    def loop(values):
        length = loops.norm(values, order)
        return [loops.divided(v, max(length, epsilon)) for v in values]

    actual = normalization.normalize_by_norm(x, axes, order, 1e-3)
    assert_bits_equal(actual=actual, expected=loops.spread(loop, x, axes))


@pytest.mark.parametrize("size", [1, 2, 3, 5, 8])
@in_one_test(axes=[(1,), (2, 3)], kind=KINDS)
def test_responses_equal_loops(kind, axes, size):
    x = numbers(np.float32, (2, 5, 4, 3), kind)
    before = (size - 1) // 2

    def response(at):
        steps = itertools.product(range(-before, size - before), repeat=len(axes))
        squares = []
        for step in steps:
            place = list(at)
            for axis, k in zip(axes, step, strict=True):
                place[axis] += k
            inside = all(0 <= p < n for p, n in zip(place, x.shape, strict=True))
            squares.append(float(x[tuple(place)]) ** 2 if inside else None)
        s = np.float32(loops.sum16(squares))
        return x[at] / (np.float32(1.5) + np.float32(0.01) / np.float32(size) * s)

    expected = np.empty_like(x)
    with np.errstate(all="ignore"):
        for at in np.ndindex(*x.shape):
            expected[at] = response(at)
    # With an exponent of 1 the power is exact.
    actual = normalization.local_response(x, axes, size, 0.01, 1.0, 1.5)
    assert_bits_equal(actual=actual, expected=loops.quiet(expected))


def test_moments_of_one_element_have_no_variance():
    mean, variance = sums.moments(np.array([3], np.float32), [0])

    assert (mean.tolist(), variance.tolist()) == ([3.0], [0.0])
