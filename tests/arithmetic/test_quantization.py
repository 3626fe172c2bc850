"""Quantization, against loops over Python's numbers."""

import math

import numpy as np
import pytest

from indirectml.arithmetic import quantization
from tests.arithmetic import loops
from tests.arithmetic.arrays import KINDS, numbers
from tests.bits import assert_bits_equal

LIMITS = [(0, 255), (-128, 127), (0, 15), (-8, 7)]


def elementwise(function, *arrays, dtype=np.int64):
    arrays = np.broadcast_arrays(*arrays)
    flat = [function(*values) for values in zip(*(a.reshape(-1).tolist() for a in arrays))]  # noqa: B905
    return np.array(flat, dtype).reshape(arrays[0].shape)


@pytest.mark.parametrize("limits", LIMITS)
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.int32])
def test_quantizing_equals_loops(dtype, kind, limits):
    x = numbers(dtype, (40, 30), kind)
    scale = numbers(np.float32, (1, 30), kind, seed=2)
    zero_point = np.random.default_rng(3).integers(*limits, (40, 1), endpoint=True)

    def loop(value, divisor, zero):
        return loops.quantized(
            loops.single(loops.divided(loops.single(value), divisor)), zero, limits
        )

    actual = quantization.quantize(x, scale, zero_point, limits)
    expected = elementwise(loop, x, scale, zero_point)
    assert_bits_equal(actual=actual, expected=expected)


def test_halves_go_to_the_even_neighbour():
    x = np.array([-2.5, -1.5, -0.5, 0.5, 1.5, 2.5, np.nan, np.inf, -np.inf], np.float32)

    actual = quantization.quantize(x, np.float32(1), 100, (0, 255))

    assert actual.tolist() == [98, 98, 100, 100, 102, 102, 100, 255, 0]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("dtype", [np.int8, np.uint8, np.int16, np.uint16, np.int32, np.uint32])
def test_dequantizing_equals_loops(dtype, kind):
    x = numbers(dtype, (40, 30))
    scale = numbers(np.float32, (1, 30), kind, seed=2)
    zero_point = numbers(dtype, (40, 1), seed=3)

    def loop(value, factor, zero):
        return loops.single(loops.single(value - zero) * factor)

    expected = elementwise(loop, x, scale, zero_point, dtype=np.float32)
    actual = quantization.dequantize(x, scale, zero_point)
    assert_bits_equal(actual=actual, expected=loops.quiet(expected))


@pytest.mark.parametrize("limits", LIMITS)
@pytest.mark.parametrize("kind", KINDS)
def test_requantizing_equals_loops(kind, limits):
    x = numbers(np.int32, (40, 30))
    a, b, y = (numbers(np.float32, (1, 30), kind, seed=k) for k in (2, 3, 4))

    def loop(value, a, b, y):
        factor = loops.single(loops.divided(loops.single(a * b), y))
        return loops.quantized(loops.single(loops.single(value) * factor), 3, limits)

    actual = quantization.requantize(x, a, b, y, 3, limits)
    assert_bits_equal(actual=actual, expected=elementwise(loop, x, a, b, y))


@pytest.mark.parametrize("limits", LIMITS)
@pytest.mark.parametrize("kind", KINDS)
def test_dynamic_quantization_equals_loops(kind, limits):
    x = numbers(np.float32, (40, 30), kind)
    values = x.reshape(-1).tolist()
    high, low = loops.largest(values), loops.smallest(values)
    high, low = 0.0 if high < 0 else high, 0.0 if low > 0 else low
    scale = loops.single(loops.divided(loops.single(high - low), limits[1] - limits[0]))
    scale = 1.0 if scale == 0 else scale
    ratio = loops.single(loops.divided(low, scale))
    zero_point = loops.single(limits[0] - ratio)
    zero_point = float(limits[0]) if math.isnan(zero_point) else zero_point

    actual = quantization.dynamic_quantization(x, limits)

    expected = loops.quiet(np.array(scale, np.float32))
    assert_bits_equal(actual=actual.scale, expected=expected)
    assert int(actual.zero_point) == loops.quantized(zero_point, 0, limits)


def test_all_zeros_have_a_scale():
    actual = quantization.dynamic_quantization(np.zeros(3, np.float32), (0, 255))

    assert (float(actual.scale), int(actual.zero_point)) == (1.0, 0)
