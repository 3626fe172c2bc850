"""Pooling, its gradients, unfolding and folding, bit for bit against plain loops."""

import functools
import itertools

import numpy as np
import pytest

from indirectml.arithmetic import windows
from indirectml.arithmetic.windows import Window
from tests.arithmetic import loops
from tests.arithmetic.arrays import KINDS, LAYOUTS, laid_out, numbers
from tests.bits import assert_bits_equal
from tests.parameters import in_one_test

#: Sizes of an array, and a window: sizes, strides, dilations, start and end padding.
GEOMETRIES = [
    pytest.param((2, 3, 7), Window((3,), (2,), (1,), (1,), (0,)), id="1"),
    pytest.param((1, 2, 6, 7), Window((2, 3), (1, 2), (1, 1), (0, 0), (0, 0)), id="2"),
    pytest.param((2, 1, 6, 5), Window((3, 3), (2, 2), (1, 1), (1, 1), (1, 1)), id="2 padded"),
    pytest.param((1, 2, 9, 8), Window((3, 2), (1, 3), (2, 3), (1, 0), (2, 3)), id="2 dilated"),
    pytest.param((1, 1, 3, 3), Window((2, 2), (3, 3), (1, 1), (3, 3), (3, 3)), id="empty windows"),
    pytest.param((1, 1, 8, 8), Window((5, 5), (3, 1), (1, 1), (2, 2), (2, 2)), id="25 positions"),
    pytest.param((1, 2, 4, 5, 4), Window((2, 3, 2), (1, 2, 2), (1, 1, 2), (1, 0, 1), (0, 1, 1)),
                 id="3"),
    pytest.param((1, 1, 2, 2), Window((1, 1), (1, 1), (1, 1), (0, 0), (0, 0)), id="one position"),
]  # fmt: skip
FLOATS = (np.float16, np.float32)
every = pytest.mark.parametrize(("sizes", "window"), GEOMETRIES)
kinds = in_one_test(kind=KINDS)


def gradient_of(sizes, window, kind="normal"):
    outer = sizes[: len(sizes) - len(window.sizes)]
    return numbers(np.float32, outer + window.output_sizes(sizes), kind, seed=5)


@pytest.mark.parametrize("include_padding", [True, False])
@kinds
@pytest.mark.parametrize("dtype", FLOATS)
@every
def test_averages_equal_loops(sizes, window, dtype, kind, include_padding):
    x = numbers(dtype, sizes, kind)
    loop = functools.partial(loops.average, include_padding=include_padding)

    actual = windows.average_pool(x, window, include_padding=include_padding)

    assert_bits_equal(actual=actual, expected=loops.pooled(loop, x, window))


@pytest.mark.parametrize("dtype", [np.float16, np.float32])
@pytest.mark.parametrize("size", [2, 3, 4])
def test_one_row_of_wide_exponents_or_nan_decides_how_windows_are_averaged(size, dtype):
    window = Window((size, 2), (1, 1), (1, 1), (0, 0), (0, 0))
    loop = functools.partial(loops.average, include_padding=True)
    tiny = np.nextafter(dtype(0), dtype(1))
    for row, number in itertools.product(range(5), (np.nan, np.inf, np.finfo(dtype).max)):
        x = np.full((1, 1, 5, 19), tiny, dtype)
        x[..., 1::2] = np.finfo(dtype).eps
        x[0, 0, row, 3:12:4] = dtype(number)
        x[0, 0, row, 4] = -x[0, 0, row, 3]

        expected = loops.pooled(loop, x, window)
        assert_bits_equal(
            actual=windows.average_pool(x, window, include_padding=True), expected=expected
        )


@pytest.mark.parametrize("order", [1, 2, 3])
@kinds
@pytest.mark.parametrize("dtype", FLOATS)
@every
def test_norms_equal_loops(sizes, window, dtype, kind, order):
    x = numbers(dtype, sizes, kind)
    loop = functools.partial(loops.norm, order=order)

    expected = loops.pooled(loop, x, window, np.float64 if order < 3 else np.float32)
    assert_bits_equal(actual=windows.lp_pool(x, window, order), expected=expected)


@kinds
@pytest.mark.parametrize("dtype", [*FLOATS, np.int8, np.uint8, np.int64, np.uint64])
@every
def test_largest_equal_loops(sizes, window, dtype, kind):
    x = numbers(dtype, sizes, kind)
    lowest = -np.inf if x.dtype.kind == "f" else np.iinfo(dtype).min
    places = np.arange(x.size).reshape(sizes)

    def value(found):
        at = loops.largest_place(found)
        return lowest if at is None else found[at]

    spatial = sizes[len(sizes) - len(window.sizes) :]
    indices = np.full(gradient_of(sizes, window).shape, -1)
    for channel in np.ndindex(*sizes[: len(sizes) - len(spatial)]):
        for at, around in loops.windows(spatial, window):
            found = [None if p is None else x[channel + p].item() for p in around]
            best = loops.largest_place(found)
            if best is not None:
                indices[channel + at] = places[channel + around[best]]

    values, actual = windows.max_pool_with_indices(x, window)

    assert_bits_equal(actual=values, expected=loops.pooled(value, x, window, dtype))
    assert_bits_equal(actual=actual, expected=indices)
    assert_bits_equal(actual=windows.max_pool(x, window), expected=values)


def test_positions_beyond_a_block_of_4096_are_summed_in_blocks():
    sizes, window = (1, 1, 100), Window((4110,), (60,), (1,), (4109,), (4109,))
    x, gradient = numbers(np.float32, sizes), gradient_of(sizes, window)

    def shares(g, _channel, around):
        return [g / len(around)] * len(around)

    loop = functools.partial(loops.average, include_padding=True)
    actual = windows.average_pool(x, window, include_padding=True)
    assert_bits_equal(actual=actual, expected=loops.pooled(loop, x, window))
    actual = windows.average_pool_gradient(gradient, window, sizes, include_padding=True)
    assert_bits_equal(actual=actual, expected=loops.gradients(sizes, window, gradient, shares))


@pytest.mark.parametrize("include_padding", [True, False])
@kinds
@every
def test_gradients_of_averages_equal_loops(sizes, window, kind, include_padding):
    gradient = gradient_of(sizes, window, kind)

    def shares(g, _channel, around):
        count = len(around) if include_padding else sum(p is not None for p in around)
        return [loops.divided(g, count)] * len(around)

    actual = windows.average_pool_gradient(gradient, window, sizes, include_padding=include_padding)
    assert_bits_equal(actual=actual, expected=loops.gradients(sizes, window, gradient, shares))


@kinds
@every
def test_gradients_of_largest_equal_loops(sizes, window, kind):
    x, gradient = numbers(np.float32, sizes, kind), gradient_of(sizes, window, kind)

    def shares(g, channel, around):
        found = [None if p is None else x[channel + p].item() for p in around]
        best = loops.largest_place(found)
        return [g if k == best else None for k in range(len(around))]

    actual = windows.max_pool_gradient(x, gradient, window)
    assert_bits_equal(actual=actual, expected=loops.gradients(sizes, window, gradient, shares))


def unfolded(x, window):
    """Return the elements of windows by loops: [N, C, positions, windows]."""
    count = len(list(loops.windows(x.shape[2:], window)))
    result = np.zeros((*x.shape[:2], window.position_count, count), x.dtype)
    for channel in np.ndindex(*x.shape[:2]):
        for number, (_, around) in enumerate(loops.windows(x.shape[2:], window)):
            for k, place in enumerate(around):
                if place is not None:
                    result[(*channel, k, number)] = x[channel + place]
    return result


@kinds
@pytest.mark.parametrize("dtype", [np.float32, np.int16])
@every
def test_unfolding_equals_loops(sizes, window, dtype, kind):
    x = numbers(dtype, sizes, kind)

    expected = unfolded(x, window)

    rows = sizes[1] * window.position_count
    expected = expected.reshape(sizes[0], rows, expected.shape[-1])
    assert_bits_equal(actual=windows.unfold(x, window), expected=expected)


@kinds
@pytest.mark.parametrize("dtype", [np.float32, np.int16])
@every
def test_folding_equals_loops(sizes, window, dtype, kind):
    count = len(list(loops.windows(sizes[2:], window)))
    parts = numbers(dtype, (*sizes[:2], window.position_count, count), kind)
    expected = np.empty(sizes, np.float64 if parts.dtype.kind == "f" else np.int64)
    for channel in np.ndindex(*sizes[:2]):
        coming = {p: [None] * window.position_count for p in np.ndindex(*sizes[2:])}
        for number, (_, around) in enumerate(loops.windows(sizes[2:], window)):
            for k, place in enumerate(around):
                if place is not None:
                    coming[place][k] = parts[(*channel, k, number)].item()
        for place, found in coming.items():
            expected[channel + place] = (
                loops.sum16(found) if parts.dtype.kind == "f" else sum(v or 0 for v in found)
            )

    columns = parts.reshape(sizes[0], sizes[1] * window.position_count, count)
    actual = windows.fold(columns, window, sizes[2:])

    expected = loops.quiet(expected) if parts.dtype.kind == "f" else expected.astype(dtype)
    assert_bits_equal(actual=actual, expected=expected)


@in_one_test(layout=LAYOUTS)
@every
def test_strides_change_no_bit(sizes, window, layout):
    x = laid_out(numbers(np.float32, sizes, "special"), layout)

    for function in (windows.average_pool, windows.max_pool, windows.unfold):
        assert_bits_equal(actual=function(x, window), expected=function(x.copy(), window))
