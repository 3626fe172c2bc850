"""Sums, folds, softmax and normalization on OpenCL devices."""

import numpy as np
import pytest

from indirectml.arithmetic import normalization, reductions, softmax, sums
from tests.extent import chosen, every
from tests.opencl.forms import POOR, WAYS, assert_same, numbers

#: What part of sizes is tried where each takes seconds to build.
SHARE = slice(None, None, every(2))

INTEGERS = ("int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64")
#: Sizes and axes: rows, columns, several axes, blocks of S16, one element, many columns.
GROUPS = [((5, 7), [1]), ((3, 40, 5), [1]), ((3, 5, 4, 7), [0, 2]), ((2, 9000), [1]), ((3, 4), [])]
GROUPS += [((2, 40, 70), [1]), ((9000, 17), [0]), ((3, 2, 5, 16), [0, 2])]


def of(sizes, dtype=np.float32, *, special=True):
    """Return numbers; without special ones sums are finite."""
    rng = np.random.default_rng(5)
    if special:
        return numbers(rng, *sizes, dtype=dtype)
    return rng.standard_normal(sizes).astype(dtype)


@pytest.mark.parametrize(("group", "way"), chosen(GROUPS, WAYS[:2]))
def test_sums_are_s16(group, way):
    sizes, axes = group
    x = of(sizes, special=False)
    assert_same(sums.sum16, x, axes=axes, way=way)
    assert_same(sums.sum16, of(sizes), axes=axes, way=way)
    assert_same(sums.moments, x, axes=axes, way=way)
    assert_same(sums.moments, x, axes=axes, way=way, use_mean=False)
    assert_same(sums.product64, x, axes=axes, way=way)


@pytest.mark.parametrize("way", ["own", POOR])
def test_sums_of_squares_and_magnitudes_and_of_other_types(way):
    x, axes = of((3, 40, 5), special=False), [1]
    assert_same(sums.sum16, x.astype(np.float16), axes=axes, way=way, outputs=[np.float16])
    assert_same(sums.sum16_of_squares, x.astype(np.float64), axes=axes, way=way)
    assert_same(sums.sum16_of_magnitudes, x, axes=axes, way=way)
    assert_same(reductions.mean, x, axes=axes, way=way, outputs=[np.float32])
    assert_same(reductions.l2, x, axes=axes, way=way)


def test_sums_without_float64_are_those_by_integers():
    for sizes, axes in GROUPS:
        x = of(sizes, special=False)
        assert_same(sums.sum16, x, axes=axes, way=POOR)
        assert_same(sums.sum16, of(sizes), axes=axes, way=POOR)
        assert_same(sums.moments, x, axes=axes, way=POOR)
        assert_same(sums.product64, of(sizes), axes=axes, way=POOR)


@pytest.mark.parametrize("kind", [np.float64, np.float32, np.float16])
def test_float64_by_integers_is_rounded_once(kind):
    """Sums of two, roots, squares and quotients of any bits, and of those near each other."""
    x, y = (any_float64(seed) for seed in (1, 2))
    y[: y.size // 2] = (x[: x.size // 2].view(np.uint64) ^ np.uint64(1 << 63 | 3)).view(np.float64)
    pairs = np.stack([x, y], axis=1)
    given = {"axes": [1], "way": POOR, "outputs": [kind]}
    assert_same(sums.sum16, pairs, **given)
    assert_same(sums.sum16, x[:, None].copy(), **given)
    assert_same(sums.sum16_of_squares, pairs[:, :1].copy(), **given)
    assert_same(reductions.l2, pairs[:, :1].copy(), **given)
    assert_same(reductions.mean, np.repeat(x[:8000, None], 7, axis=1), **given)


def any_float64(seed):
    """Return bits of FLOAT64: any, exponents of sums and FLOAT16, subnormal numbers, ties."""
    rng = np.random.default_rng(seed)
    bits = rng.integers(0, 2**64, 1 << 14, np.uint64)
    exponents = rng.integers(1023 - 30, 1023 + 30, 1 << 13).astype(np.uint64)
    bits[: 1 << 13] = bits[: 1 << 13] & np.uint64(0x800FFFFFFFFFFFFF) | exponents << np.uint64(52)
    bits[: 1 << 12] &= np.uint64(0xFFFFFFFF << 29 & 0xFFFFFFFFFFFFFFFF)
    bits[: 1 << 11] &= np.uint64(0xFFFFFFFF << 41 & 0xFFFFFFFFFFFFFFFF)
    bits[1 << 13 : 10000] &= np.uint64(0x800FFFFFFFFFFFFF)
    halves = np.arange(1 << 10, 1 << 14, 13, np.uint16).view(np.float16).astype(np.float64)
    above = (halves[:-1] + halves[1:]) / 2 * (1 + 2.0**-40)
    bits[10000 : 10000 + above.size] = above.view(np.uint64)
    special = [
        0.0,
        -0.0,
        np.inf,
        -np.inf,
        np.nan,
        5e-324,
        np.finfo(np.float64).max,
        65520,
        2.0**-25,
    ]
    bits[-500:] = rng.choice(np.array(special), 500).view(np.uint64)
    return bits.view(np.float64)


@pytest.mark.parametrize(
    ("dtype", "way"),
    [
        *((dtype, "own") for dtype in ("float16", "float32", "float64", *INTEGERS)),
        *((dtype, "no vectors") for dtype in ("float32", "int8", "uint64")),
    ],
)
def test_folds_find_what_wins(dtype, way):
    rng = np.random.default_rng(6)
    x = (
        of((6, 150), dtype)
        if dtype.startswith("f")
        else rng.integers(0, 90, (6, 150)).astype(dtype)
    )
    if dtype.startswith("f"):
        x[0], x[1, :70] = rng.choice([0.0, -0.0], 150), -0.0
    for word in (sums.largest, sums.smallest, sums.index_of_largest, sums.index_of_smallest):
        assert_same(word, x, axes=[1], way=way)
    assert_same(sums.index_of_largest, x, axes=[0, 1], last=True, way=way)
    if not dtype.startswith("f"):
        assert_same(sums.wrapped_sum, x, axes=[1], way=way)
        assert_same(sums.wrapped_product, x, axes=[0], way=way)


@pytest.mark.parametrize(("group", "way"), chosen(GROUPS, WAYS[:2]))
def test_softmax_and_its_relatives(group, way):
    sizes, axes = group
    for special in (False, True):
        x = of(sizes, special=special)
        assert_same(softmax.softmax, x, axes=axes, way=way, outputs=[np.float32])
        assert_same(softmax.log_softmax, x, axes=axes, way=way)
        assert_same(softmax.hardmax, x, axes=axes, way=way)


#: Groups that a work-group holds: by few work-items, and by many, up to the block of rule S16, and
#: those of several axes, and of columns.
HELD = [((3, 64), [1]), ((2, 5, 513), [2]), ((2, 4096), [1]), ((3, 7, 20), [1, 2]), ((130, 3), [0])]


@pytest.mark.parametrize(("sizes", "axes"), HELD)
def test_rows_that_a_work_group_holds(sizes, axes):
    normalize, given = normalization.normalize_by_moments, {"axes": axes, "way": "no vectors"}
    ones = [1] * (len(sizes) - 2)
    scale, bias = (of((*ones, *of_), special=False) for of_ in ((1, sizes[-1]), (sizes[-2], 1)))
    for special in (False, True):
        for dtype, outputs in ((np.float32, [np.float32]), (np.float16, [np.float16])):
            x = of(sizes, dtype, special=special)
            assert_same(softmax.softmax, x, outputs=outputs, **given)
            assert_same(normalize, x, scale, bias, epsilon=1e-5, outputs=outputs, **given)
        assert_same(normalize, x, None, bias, epsilon=1e-5, use_mean=False, **given)
        assert_same(normalize, x, scale, None, epsilon=1e-5, use_variance=False, **given)
    x[(0,) * (len(sizes) - 1)] = -0.0
    assert_same(softmax.softmax, x, outputs=[np.float32], **given)


@pytest.mark.parametrize(("sizes", "axes"), GROUPS[SHARE])
def test_softmax_without_float64(sizes, axes):
    for special in (False, True):
        with np.errstate(over="ignore"):
            x = of(sizes, special=special) * np.float32(30)
        assert_same(softmax.softmax, x, axes=axes, way=POOR, outputs=[np.float32])
        assert_same(softmax.log_softmax, x, axes=axes, way=POOR)
    half = of(sizes, np.float16)
    assert_same(softmax.softmax, half, axes=axes, way=POOR, outputs=[np.float16])


def test_softmax_of_other_types():
    x = of((5, 37))
    assert_same(softmax.softmax, x, axes=[1], outputs=[np.float64])
    assert_same(softmax.softmax, x.astype(np.float16), axes=[1], outputs=[np.float16])
    assert_same(softmax.log_softmax, x.astype(np.float16), axes=[1], outputs=[np.float16])


@pytest.mark.parametrize("way", [*WAYS[:2], POOR])
def test_normalization(way):
    x, per_channel, per_element = of((2, 3, 4, 5)), of((1, 3, 1, 1)), of((1, 1, 4, 5))
    normalize = normalization.normalize_by_moments
    for axes in ([2, 3], [1, 2, 3], [1, 3]):
        assert_same(normalize, x, per_channel, per_element, axes=axes, epsilon=1e-5, way=way)
    given = {"axes": [1], "epsilon": 1e-3, "way": way, "outputs": [np.float16]}
    assert_same(normalize, x, None, per_channel, use_mean=False, **given)
    assert_same(normalize, x, per_channel, None, use_variance=False, **given)
    for order in (1, 2):
        assert_same(
            normalization.normalize_by_norm, x, axes=[1, 2], order=order, epsilon=1e-3, way=way
        )
