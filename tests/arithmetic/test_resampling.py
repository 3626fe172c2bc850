"""Resampling, bit for bit against plain loops."""

import math
from fractions import Fraction

import numpy as np
import pytest

from indirectml.arithmetic import resampling
from tests.arithmetic import loops
from tests.arithmetic.arrays import KINDS, LAYOUTS, laid_out, numbers
from tests.bits import assert_bits_equal
from tests.parameters import in_one_test

#: Input and output size, scale, input offset, output offset.
AXES = [
    pytest.param((5, 10, 2.0, 0.5, -0.5), id="twice"),
    pytest.param((7, 5, 0.7, 0.5, -0.5), id="less"),
    pytest.param((9, 3, 1 / 3, 0.5, -0.5), id="a third"),
    pytest.param((4, 9, 2.25, 0.0, 0.0), id="corners"),
    pytest.param((6, 6, 1.0, 0.0, 0.0), id="same"),
    pytest.param((6, 4, 1.5, 0.25, 1.5), id="cropped"),
    pytest.param((3, 12, 1.0, 0.5, -4.5), id="clamped"),
    pytest.param((1, 3, 3.0, 0.5, -0.5), id="one input"),
    pytest.param((40, 3, 0.06, 0.5, -0.5), id="many inputs an output"),
]
every = pytest.mark.parametrize("geometry", AXES)


def taps(kind, size, output, *rest):
    if kind == "antialiased":
        return resampling.antialiased_taps(size, output, *rest)
    return resampling.linear_taps(resampling.coordinates(size, output, *rest), size)


def expected_linear(kind, x, axis, output, scale, *rest):
    loop = loops.antialiased if kind == "antialiased" else loops.linear
    return loop(x.astype(np.float64), axis, output, scale, *rest)


@in_one_test(filtered=["linear", "antialiased"], kind=KINDS)
@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.uint8])
@pytest.mark.parametrize("axis", [0, 1, 2])
@every
def test_interpolation_equals_loops(geometry, axis, dtype, kind, filtered):
    size, output, *rest = geometry
    sizes = [2, 3, 2]
    sizes[axis] = size
    x = numbers(dtype, sizes, kind)

    actual = resampling.resample(x, {axis: taps(filtered, size, output, *rest)})

    expected = expected_linear(filtered, x, axis, output, *rest)
    assert_bits_equal(actual=actual, expected=loops.quiet(expected))


@pytest.mark.parametrize("filtered", ["linear", "antialiased"])
@pytest.mark.parametrize("sizes", [(1500, 2600, 1.7), (9000, 1100, 0.12), (5000, 2, 0.0004)])
def test_rows_of_many_pieces_equal_loops(sizes, filtered):
    size, output, scale = sizes
    axes = {1: (size, output, scale, 0.5, -0.5), 0: (5, 7, 1.4, 0.5, -0.5)}
    x = numbers(np.float32, (5, size))

    actual = resampling.resample(x, {k: taps(filtered, *rest) for k, rest in axes.items()})

    expected = x
    for axis, (_, *rest) in axes.items():
        expected = expected_linear(filtered, expected, axis, *rest)
    assert_bits_equal(actual=actual, expected=loops.quiet(expected))
    assert_bits_equal(
        actual=resampling.resample(x, {1: taps(filtered, *axes[1])}),
        expected=loops.quiet(expected_linear(filtered, x, 1, *axes[1][1:])),
    )


@in_one_test(layout=LAYOUTS)
@pytest.mark.parametrize("kind", KINDS)
def test_the_last_axis_comes_first(kind, layout):
    x = laid_out(numbers(np.float32, (2, 3, 5, 7), kind), layout)
    geometries = {1: (3, 4, 1.4, 0.5, -0.5), 2: (5, 9, 1.8, 0.0, 0.0), 3: (7, 3, 0.4, 0.5, -0.5)}

    actual = resampling.resample(x, {k: taps("linear", *g) for k, g in geometries.items()})

    expected = x.astype(np.float64)
    for axis in (3, 2, 1):
        expected = expected_linear("linear", expected, axis, *geometries[axis][1:])
    assert_bits_equal(actual=actual, expected=loops.quiet(expected))


HALF = Fraction(1, 2)
ROUNDINGS = {
    "down": math.floor,
    "up": math.ceil,
    "half down": lambda x: math.ceil(x - HALF),
    "half up": lambda x: math.floor(x + HALF),
}


@pytest.mark.parametrize("rounding", ROUNDINGS)
@every
def test_nearest_equals_loops(geometry, rounding):
    size, output, *rest = geometry

    actual = resampling.nearest_indices(resampling.coordinates(size, output, *rest), size, rounding)

    expected = []
    for i in range(output):
        at = min(max(loops.coordinate(i, *rest), 0.0), float(size - 1))
        expected.append(min(max(ROUNDINGS[rounding](Fraction(at)), 0), size - 1))
    assert_bits_equal(actual=actual, expected=np.array(expected))
    x = numbers(np.int16, (3, size))
    assert_bits_equal(
        actual=resampling.take_nearest(x, {1: actual, 0: np.array([2, 0])}),
        expected=np.array([[x[k, i] for i in expected] for k in (2, 0)]),
    )


@in_one_test(kind=KINDS)
@pytest.mark.parametrize("filtered", ["linear", "antialiased", "nearest"])
@every
def test_gradients_equal_loops(geometry, filtered, kind):
    size, output, *rest = geometry
    gradient = numbers(np.float32, (output, 3), kind).astype(np.float64)
    if filtered == "nearest":
        at = resampling.coordinates(size, output, *rest)
        forward = resampling.nearest_taps(resampling.nearest_indices(at, size, "half down"))
    else:
        forward = taps(filtered, size, output, *rest)

    actual = resampling.resample(gradient, {0: resampling.transposed(forward, size)})

    parts = []
    for at in range(size):
        back = [
            (i, weight)
            for i in range(output)
            for place, weight in zip(forward.indices[i], forward.weights[i], strict=True)
            if place == at
        ]
        parts.append(loops.chain(gradient, 0, back))
    assert_bits_equal(actual=actual, expected=loops.quiet(np.stack(parts)))


def test_an_infinity_beside_a_coordinate_is_left_out():
    x = np.array([1, np.inf, 3], np.float32)

    actual = resampling.resample(x, {0: taps("linear", 3, 5, 2.0, 0.0, 0.0)})

    assert actual.tolist() == [1, math.inf, math.inf, math.inf, 3]


def test_negative_zero_stays():
    x = np.full(3, -0.0, np.float32)

    actual = resampling.resample(x, {0: taps("linear", 3, 3, 1.0, 0.0, 0.0)})

    assert_bits_equal(actual=actual, expected=np.full(3, -0.0))
