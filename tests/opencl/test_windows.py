"""Windows, scans and resampling on OpenCL devices."""

import numpy as np
import pytest

from indirectml.arithmetic import resampling, scans, windows
from indirectml.arithmetic.functions import integer_power
from indirectml.arithmetic.normalization import local_response
from indirectml.opencl.words import scans as opencl_scans
from tests.extent import chosen
from tests.opencl.forms import POOR, assert_same, numbers

PLAIN = windows.Window((3, 2), (1, 1), (1, 1), (0, 0), (0, 0))
PADDED = windows.Window((3, 3), (2, 1), (1, 2), (1, 2), (2, 1))
#: Some windows of it lie on padding alone.
BEYOND = windows.Window((2, 2), (2, 2), (1, 1), (3, 3), (3, 3))
SOLID = windows.Window((2, 3, 2), (1, 2, 2), (1, 1, 1), (1, 0, 1), (0, 1, 1))
#: More than one block of S16.
LARGE = windows.Window((70, 65), (1, 3), (1, 1), (1, 0), (0, 0))
CASES = [
    ((2, 3, 7, 8), PLAIN),
    ((2, 3, 7, 8), PADDED),
    ((1, 2, 3, 4), BEYOND),
    ((2, 3, 4, 5, 6), SOLID),
]


def of(sizes, dtype=np.float32):
    """Return numbers, or small integers."""
    rng = np.random.default_rng(7)
    if np.dtype(dtype).kind == "f":
        return numbers(rng, *sizes, dtype=dtype)
    return rng.integers(0, 100, sizes).astype(dtype)


@pytest.mark.parametrize(("sizes", "window"), CASES)
def test_pooling(sizes, window):
    x = of(sizes)
    assert_same(windows.average_pool, x, window=window, outputs=[np.float16])
    assert_same(windows.average_pool, x, window=window, include_padding=True)
    assert_same(windows.window_sums, x, window=window)
    for order in (1, 2, 3):
        assert_same(windows.lp_pool, x, window=window, order=order)
    assert_same(windows.max_pool, x, window=window)
    assert_same(windows.max_pool_with_indices, x, window=window)
    assert_same(windows.unfold, x, window=window)
    columns = windows.unfold(x, window)
    assert_same(windows.fold, columns, window=window, spatial_sizes=sizes[2:])
    outputs = (*sizes[:2], *window.output_sizes(sizes))
    gradient = of(outputs)
    given = {"window": window, "input_sizes": sizes}
    assert_same(windows.average_pool_gradient, gradient, include_padding=False, **given)
    assert_same(windows.max_pool_gradient, x, gradient, window=window)


@pytest.mark.parametrize(("sizes", "window"), CASES)
def test_pooling_without_float64(sizes, window):
    x, own = of(sizes), {"window": window, "way": POOR}
    assert_same(windows.average_pool, x, **own, outputs=[np.float16])
    assert_same(windows.average_pool, x, **own, include_padding=True, outputs=[np.float32])
    assert_same(windows.window_sums, x, **own)
    for order in (1, 2, 3):
        assert_same(windows.lp_pool, x, **own, order=order)
    columns = windows.unfold(x, window)
    assert_same(windows.fold, columns, **own, spatial_sizes=sizes[2:])
    gradient = of((*sizes[:2], *window.output_sizes(sizes)))
    given = own | {"input_sizes": sizes}
    for include_padding in (False, True):
        assert_same(
            windows.average_pool_gradient, gradient, **given, include_padding=include_padding
        )
    assert_same(windows.max_pool_gradient, x, gradient, **own)


def test_pooling_of_other_types_and_large_windows():
    assert_same(windows.max_pool, of((2, 3, 7, 8), "float16"), window=PADDED, outputs=["float32"])
    for dtype in ("float16", "float64", "int8", "uint8", "int32", "uint64"):
        x = of((2, 3, 7, 8), dtype)
        assert_same(windows.max_pool_with_indices, x, window=PADDED)
    x = np.random.default_rng(8).choice(np.float32([0, -0.0]), (2, 3, 7, 8))
    assert_same(windows.max_pool_with_indices, x, window=PADDED)
    columns = of((2, 3 * 9, 4 * 7), "int8")
    window = windows.Window((3, 3), (2, 1), (1, 1), (1, 1), (1, 1))
    assert_same(windows.fold, columns, window=window, spatial_sizes=(7, 7))
    wide = np.random.default_rng(9).standard_normal((1, 1, 72, 71)).astype(np.float32)
    assert_same(windows.window_sums, wide, window=LARGE)


@pytest.mark.parametrize("way", ["own", POOR])
def test_response_to_neighbours(way):
    for axes, sizes in (([1], (2, 7, 3, 4)), ([1, 2, 3], (2, 7, 3, 4)), ([2, 3], (2, 3, 5, 4))):
        given = {"axes": axes, "size": 4, "alpha": 1e-2, "beta": 0.75, "bias": 1.0}
        assert_same(local_response, of(sizes), way=way, **given)


@pytest.mark.parametrize(
    ("dtype", "kind", "way"),
    chosen(
        ["float16", "float32", "float64", "int8", "uint16", "int32", "uint64"],
        ["sum", "product"],
        ["own", POOR],
    ),
)
def test_scans(dtype, kind, way):
    x = of((3, 20, 4), dtype)
    for axis, exclusive, reverse in ((0, False, False), (1, True, False), (2, False, True)):
        given = {"kind": kind, "axis": axis, "exclusive": exclusive, "reverse": reverse}
        assert_same(scans.scan, x, way=way, **given)


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64", "int8", "uint32", "int64"])
def test_the_largest_elements_in_order(dtype):
    x = of((3, 50, 2), dtype)
    for smallest in (False, True):
        assert_same(scans.top_k, x, axis=1, count=9, smallest=smallest)


@pytest.mark.parametrize("dtype", ["float16", "uint64"])
def test_the_largest_elements_of_long_lines(dtype):
    x = of((2, 40, 3), dtype)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(opencl_scans, "LONGEST", 20)
        for smallest, count in ((False, 9), (True, 40)):
            assert_same(scans.top_k, x, axis=1, count=count, smallest=smallest)


@pytest.mark.parametrize("way", ["own", POOR])
def test_resampling_of_floats(way):
    rows = resampling.linear_taps(resampling.coordinates(5, 8, 1.6), 5)
    columns = resampling.antialiased_taps(7, 3, 0.4)
    given = {"taps": {2: rows, 3: columns}, "way": way}
    assert_same(resampling.resample, of((2, 3, 5, 7)), outputs=[np.float32], **given)
    assert_same(resampling.resample, of((2, 3, 5, 7), np.float16), **given)
    for dtype in ("int8", "uint64"):
        x = of((2, 3, 5, 7), dtype)
        assert_same(resampling.resample, x, outputs=[np.float32], **given)


def test_resampling():
    x = of((2, 3, 5, 7))
    rows = resampling.linear_taps(resampling.coordinates(5, 8, 1.6), 5)
    columns = resampling.antialiased_taps(7, 3, 0.4)
    back = resampling.transposed(columns, 7)
    none = resampling.Taps(np.zeros((7, 1), np.int64), np.zeros((7, 1)))
    assert_same(resampling.resample, x, taps={2: rows}, outputs=[np.float32])
    assert_same(resampling.resample, x, taps={2: rows, 3: columns})
    given = {"taps": {1: rows, 2: rows, 3: columns}, "outputs": [np.float16]}
    assert_same(resampling.resample, of((2, 5, 5, 7), np.float16), **given)
    assert_same(resampling.resample, of((2, 4, 3)), taps={2: back})
    assert_same(resampling.resample, of((2, 4), np.uint8), taps={1: none})
    indices = {2: np.array([4, 0, 0]), 0: np.array([1, 0, 1])}
    for dtype in ("float32", "int8", "uint64"):
        assert_same(resampling.take_nearest, of((2, 3, 5, 7), dtype), indices=indices)


@pytest.mark.parametrize(
    ("dtype", "of_exponent"),
    chosen(["int8", "uint8", "int32", "uint64"], ["int8", "uint32", "int64"]),
)
def test_powers_of_integers(dtype, of_exponent):
    rng = np.random.default_rng(11)
    x = rng.integers(-4 if dtype[0] == "i" else 0, 9, (6, 40)).astype(dtype)
    y = rng.integers(-3 if of_exponent[0] == "i" else 0, 70, 40).astype(of_exponent)
    assert_same(integer_power, x, y)
