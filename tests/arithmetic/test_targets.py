"""What is native, on every target and with several threads, against NumPy's single operations."""

import itertools

import numpy as np
import pytest

import indirectml as dml
from indirectml import _native
from indirectml.arithmetic import (
    functions,
    normalization,
    resampling,
    softmax,
    sums,
    windows,
)
from indirectml.arithmetic.windows import Window
from indirectml.core.settings import Settings, available_targets
from tests.arithmetic import loops
from tests.arithmetic.arrays import FLOATS, LAYOUTS, laid_out, numbers
from tests.bits import assert_bits_equal
from tests.every_target import on_every_target
from tests.extent import Extent

#: Sizes and axes at the borders of what kernels take at once.
SHAPES = [
    *(((9, n), (1,)) for n in (1, 2, 3, 7, 8, 9, 15, 16, 17, 31, 33, 48, 100)),
    *(((n, 9), (0,)) for n in (1, 2, 15, 16, 17, 63, 64, 65, 80, 128, 131, 200)),
    *(((20, n), (0,)) for n in (1, 3, 4, 5, 8, 511, 512, 513, 530)),
    *(((70, n), (0,)) for n in (4, 7, 4095, 4096, 4100)),
    *(((n, 40), (1,)) for n in (1, 7, 8, 9, 17)),
    *(((n, 16), (1,)) for n in (2, 4, 5, 6, 7, 4100)),
    *(((n, 37), (0,)) for n in (12, 20, 31, 32, 33, 48, 127, 145, 260)),
    *(((n, 2100), (1,)) for n in (1, 5, 6)),
    ((3, 5, 4, 6), (0, 2)),
    ((3, 70, 4, 6), (1, 3)),
    ((2, 600, 3), (1,)),
    ((3, 700, 2), (0, 1)),
    ((4, 5, 600), (0, 2)),
    # About a block, and several.
    *(((3, n), (1,)) for n in (4095, 4096, 4097, 8191, 8192, 8193, 70000)),
    *(((n, 5), (0,)) for n in (4095, 4096, 4097, 8192, 8200, 12289)),
    ((2, 3, 5000), (1, 2)),
    ((70, 5, 121), (0, 2)),
    ((41, 7, 6, 110), (0, 2)),
]


def rows_of(x, axes):
    """Return groups as rows of FLOAT64, and the sizes of a reduction."""
    kept = [k for k in range(x.ndim) if k not in axes]
    moved = np.transpose(x, kept + sorted(axes)).astype(np.float64)
    sizes = [1 if k in axes else n for k, n in enumerate(x.shape)]
    return moved.reshape(*(x.shape[k] for k in kept), -1), sizes


def sum16(rows):
    """Return sums along the last axis, all rows at once."""
    if rows.shape[-1] > loops.BLOCK:
        blocks = range(0, rows.shape[-1], loops.BLOCK)
        return sum16(np.stack([sum16(rows[..., k : k + loops.BLOCK]) for k in blocks], -1))
    totals = np.zeros((*rows.shape[:-1], 16))
    for first in range(0, rows.shape[-1], 16):
        part = rows[..., first : first + 16]
        totals[..., : part.shape[-1]] += part
    for half in (8, 4, 2, 1):
        totals = totals[..., :half] + totals[..., half : 2 * half]
    return loops.quiet(totals[..., 0])


def expected_sums(x, axes):
    """Return sums, sums of squares and magnitudes, mean and variance."""
    rows, sizes = rows_of(x, axes)
    with np.errstate(all="ignore"):
        mean = sum16(rows) / rows.shape[-1]
        deviations = rows - mean[..., None]
        results = (
            sum16(rows),
            sum16(rows * rows),
            sum16(np.abs(rows)),
            mean,
            sum16(deviations * deviations) / rows.shape[-1],
        )
    return [loops.quiet(r).reshape(sizes) for r in results]


def actual_sums(x, axes):
    words = (sums.sum16, sums.sum16_of_squares, sums.sum16_of_magnitudes)
    return [*(word(x, axes) for word in words), *sums.moments(x, axes)]


def assert_all_equal(actual, expected, where):
    for k, (a, b) in enumerate(zip(actual, expected, strict=True)):
        assert_bits_equal(actual=a, expected=b, where=f"{where}, {k}")


#: Each two of a layout, a data type and a kind of numbers; with `--whole`, each three.
MEMORIES = [
    (layout, dtype, kind)
    for (i, layout), (j, dtype), (k, kind) in itertools.product(
        *map(enumerate, (LAYOUTS, FLOATS, ("normal", "special", "tiny")))
    )
    if Extent.whole or (i + j + k) % 3 == 0
]


@pytest.mark.parametrize("number", range(len(MEMORIES)))
def test_sums_are_the_same_on_every_target(number):
    layout, dtype, kind = MEMORIES[number]
    # A third of them for each, another one for each data type: there are three to a layout.
    for sizes, axes in SHAPES if Extent.whole else SHAPES[(number + number // 3) % 3 :: 3]:
        x = laid_out(numbers(dtype, sizes, kind), layout)
        expected = expected_sums(x, axes)
        for target in on_every_target():
            assert_all_equal(actual_sums(x, axes), expected, f"{target} {sizes} {axes}")


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("out", FLOATS)
def test_normalization_is_the_same_on_every_target(dtype, out):
    # The last are rows whose deviations are not kept.
    short = [(19, n) for n in (1, 3, 8, 9, 16, 40, 65)]
    for m, n in [*short, (3, 9001), (3, 20001)]:
        x = numbers(dtype, (m, n), seed=n)
        shapes = [(None, None), ((1, n), (1, n)), ((m, 1), None), ((m, 1), (m, 1)), (None, (m, n))]
        for (scale, bias), kind in itertools.product(shapes, ("normal", "special")):
            factors = [
                None if s is None else numbers(dtype, s, kind, seed=n + 1) for s in (scale, bias)
            ]
            with np.errstate(all="ignore"):
                wide = x.astype(np.float64)
                mean = (sum16(wide) / n)[:, None]
                variance = (sum16((wide - mean) * (wide - mean)) / n)[:, None]
                y = (wide - mean) * (1 / np.sqrt(variance + float(np.float32(1e-5))))
                if factors[0] is not None:
                    y = y * factors[0].astype(np.float64)
                if factors[1] is not None:
                    y = y + factors[1].astype(np.float64)
                expected = loops.quiet(y.astype(out))
            for target in on_every_target():
                actual = normalization.normalize_by_moments(x, [1], 1e-5, *factors, dtype=out)
                where = f"{target} {n} {scale} {bias}"
                assert_bits_equal(actual=actual, expected=expected, where=where)


@pytest.mark.parametrize(("sizes", "axes"), [((1500, 3000), (1,)), ((1100, 4200), (0,)),
                                             ((70, 300, 201), (0, 2)), ((60, 70001), (0,)),
                                             ((262147, 16), (1,)), ((3, 900001), (1,)),
                                             ((500001, 5), (0,)), ((4100, 900), (0,)),
                                             ((7, 31, 11, 1103), (0, 2, 3))])  # fmt: skip
def test_threads_change_no_bit(sizes, axes):
    x = numbers(np.float32, sizes)
    with dml.configure(max_threads=1):
        expected = actual_sums(x, axes)
        normalized = normalization.normalize_by_moments(x, axes, 1e-5, dtype=np.float32)

    for threads in (2, 3, 4):
        dml.configure(max_threads=threads)

        assert_all_equal(actual_sums(x, axes), expected, f"{threads} threads")
        actual = normalization.normalize_by_moments(x, axes, 1e-5, dtype=np.float32)
        assert_bits_equal(actual=actual, expected=normalized, where=f"{threads} threads")


def test_totals_of_more_than_4096_blocks_are_cut_into_blocks_too():
    count = 4096 * 4096 + 100
    x = np.resize(numbers(np.float16, (6151,)), 2 * count + 2)
    columns = np.lib.stride_tricks.as_strided(x, (count, 4), (4, 2))

    expected = sum16(columns.T.astype(np.float64))

    for target in available_targets():
        dml.configure(target=target, max_threads=2)
        actual = sums.sum16(columns, [0], keepdims=False)
        assert_bits_equal(actual=actual, expected=expected)


@pytest.mark.parametrize("target", available_targets())
def test_nothing_is_written_beside_the_sums(target):
    dml.configure(target=target)
    for n in range(1, 40):
        memory = np.full(n + 16, 1.5)
        for x, mask in [(numbers(np.float32, (n, 5)), 2), (numbers(np.float32, (n, 16)), 2),
                        *((numbers(np.float32, (m, n)), 1) for m in (7, 20, 40, 70))]:  # fmt: skip
            _native.sum16(x, mask, 0, memory[8 : 8 + n], Settings.policy)
            assert (memory[:8] == 1.5).all()
            assert (memory[8 + n :] == 1.5).all()


def test_powers_in_softmax_are_those_of_exp():
    # All FLOAT32 from -0 to -120, in strides of a prime: sorted, so that most rows have no
    # subnormal power, and shuffled.
    t = np.arange(0x80000000, 0xC2F00000, 4999, np.uint32).view(np.float32)
    t = t[: t.size // 63 * 63]
    for x in (t, np.random.default_rng(1).permutation(t)):
        rows = np.zeros((x.size // 63, 64), np.float32)
        rows[:, 1:] = x.reshape(-1, 63)
        e = functions.exp(rows).astype(np.float64)
        expected = e * (1 / sum16(e))[:, None]
        for target in on_every_target():
            actual = softmax.softmax(rows, [1])
            assert_bits_equal(actual=actual, expected=expected, where=target)


WINDOWS = [
    ((3, 9, 37), Window((3, 3), (2, 2), (1, 1), (1, 1), (1, 1))),
    ((2, 8, 21), Window((2, 2), (1, 1), (1, 1), (0, 0), (0, 0))),
    ((2, 12, 40), Window((3, 5), (1, 3), (2, 1), (2, 4), (0, 3))),
    ((2, 30, 9), Window((7, 3), (4, 5), (1, 2), (3, 0), (3, 1))),
    ((40, 65), Window((4,), (1,), (1,), (3,), (3,))),
    ((2, 66, 65), Window((64, 65), (1, 1), (1, 1), (0, 0), (0, 0))),
]


@pytest.mark.parametrize("kind", ["normal", "special", "zeros"])
@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize(("sizes", "window"), WINDOWS)
def test_windows_are_the_same_on_every_target(sizes, window, dtype, kind):
    x = numbers(dtype, sizes, kind)

    for target in on_every_target():
        if dtype != np.float64:
            expected, _ = windows.max_pool_with_indices(x, window)
            actual = windows.max_pool(x, window)
            assert_bits_equal(actual=actual, expected=expected, where=target)
    for include_padding in (True, False):
        parts = window.positions(window.padded(x.astype(np.float64)), window.output_sizes(sizes))
        rows = np.stack(list(parts), -1)
        divisors = windows.divisors(sizes, window, include_padding=include_padding)
        with np.errstate(all="ignore"):
            wide = sum16(rows) / divisors
        for out in FLOATS:
            with np.errstate(all="ignore"):
                expected = loops.quiet(wide.astype(out))
            for target in on_every_target():
                given = {"include_padding": include_padding, "dtype": out}
                actual = windows.average_pool(x, window, **given)
                assert_bits_equal(actual=actual, expected=expected, where=f"{target} {out}")


@pytest.mark.parametrize("kind", ["normal", "special", "tiny"])
@pytest.mark.parametrize("dtype", FLOATS)
def test_resampling_is_the_same_on_every_target(dtype, kind):
    for rows, columns, out_rows, out_columns in [(3, 5, 7, 9), (9, 33, 4, 65), (1, 8, 2, 16)]:
        x = numbers(dtype, (2, rows, columns), kind)
        geometries = {
            1: (out_rows, out_rows / rows, 0.5, -0.5),
            2: (out_columns, out_columns / columns, 0.0, 0.0),
        }
        taps = {
            axis: resampling.linear_taps(
                resampling.coordinates(x.shape[axis], *geometry), x.shape[axis]
            )
            for axis, geometry in geometries.items()
        }
        wide = x.astype(np.float64)
        for axis in (2, 1):
            wide = loops.linear(wide, axis, *geometries[axis])
        for out in FLOATS:
            with np.errstate(all="ignore"):
                expected = loops.quiet(wide.astype(out))
            for target in on_every_target():
                actual = resampling.resample(x, taps, out)
                where = f"{target} {rows} {columns} {out}"
                assert_bits_equal(actual=actual, expected=expected, where=where)
