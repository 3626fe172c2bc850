"""Running sums and products, orders, coordinates, against plain loops."""

import numpy as np
import pytest

from indirectml.arithmetic import scans
from tests.arithmetic import loops
from tests.arithmetic.arrays import FLOATS, INTEGERS, KINDS, LAYOUTS, laid_out, numbers
from tests.bits import assert_bits_equal
from tests.parameters import in_one_test


def wrapping(dtype):
    """Return what rounds a Python number to a data type."""
    if np.dtype(dtype).kind == "f":
        return loops.single if dtype == np.float32 else float
    bits = 8 * np.dtype(dtype).itemsize
    low = int(np.iinfo(dtype).min)
    return lambda value: (value - low) % (1 << bits) + low


@in_one_test(exclusive=[True, False], reverse=[True, False], kind=KINDS)
@pytest.mark.parametrize("axis", [0, 1, 2])
@pytest.mark.parametrize("dtype", [np.float32, np.float64, *INTEGERS])
@pytest.mark.parametrize("word", ["sum", "product"])
def test_running_results_equal_loops(word, dtype, axis, kind, reverse, exclusive):
    x = numbers(dtype, (4, 3, 5), kind)

    actual = scans.scan(word, x, axis, exclusive=exclusive, reverse=reverse)

    def loop(values):
        return loops.scan(word, values, wrapping(dtype), exclusive=exclusive, reverse=reverse)

    assert_bits_equal(actual=actual, expected=loops.spread(loop, x, [axis], dtype))


@pytest.mark.parametrize("layout", LAYOUTS)
def test_strides_change_no_bit(layout):
    x = laid_out(numbers(np.float32, (5, 6, 7), "special"), layout)

    for axis in range(3):
        expected = scans.scan("sum", x.copy(), axis, exclusive=False, reverse=True)
        actual = scans.scan("sum", x, axis, exclusive=False, reverse=True)
        assert_bits_equal(actual=actual, expected=expected)
        for a, b in zip(scans.top_k(x, axis, 3), scans.top_k(x.copy(), axis, 3), strict=True):
            assert_bits_equal(actual=a, expected=b)


@in_one_test(count=[1, 3, 9], smallest=[True, False], kind=KINDS)
@pytest.mark.parametrize("dtype", [*FLOATS, *INTEGERS])
def test_orders_equal_loops(dtype, kind, smallest, count):
    x = numbers(dtype, (3, 9, 2), kind)

    actual = scans.top_k(x, 1, count, smallest=smallest)

    def indices(values):
        return loops.ordered(values, smallest_first=smallest)

    places = loops.spread(indices, x, [1], np.int64)
    values = loops.spread(lambda v: [v[i] for i in indices(v)], x, [1], dtype)
    assert_bits_equal(actual=actual.indices, expected=places[:, :count])
    assert_bits_equal(actual=actual.values, expected=values[:, :count])


@pytest.mark.parametrize("count", [3, 40, 700, 3000])
@pytest.mark.parametrize("smallest", [True, False])
@pytest.mark.parametrize("dtype", [np.float32, np.int8])
def test_orders_of_long_rows_are_those_of_a_stable_sort(dtype, smallest, count):
    x = np.random.default_rng(count).integers(-90, 90, (3000, 2)).astype(dtype)

    actual = scans.top_k(x, 0, count, smallest=smallest)

    keys = x.astype(np.int64)
    expected = np.argsort(keys if smallest else -keys, 0, kind="stable")[:count]
    assert_bits_equal(actual=actual.indices, expected=expected)


@in_one_test(kind=KINDS)
@pytest.mark.parametrize("dtype", [*FLOATS, *INTEGERS])
def test_coordinates_equal_loops(dtype, kind):
    x = numbers(dtype, (3, 4, 2), "zeros" if kind == "normal" else kind)

    expected = [at for at in np.ndindex(*x.shape) if x[at].item() != 0]
    actual = scans.nonzero_coordinates(x)

    assert_bits_equal(actual=actual, expected=np.array(expected, np.int64).reshape(-1, 3))
