"""Sums, folds, softmax and normalization on OpenCL devices."""

import numpy as np
import pytest

from indirectml.arithmetic import normalization, reductions, softmax, sums
from tests.opencl.forms import WAYS, assert_same, numbers

INTEGERS = ("int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64")
#: Sizes and axes: rows, columns, several axes, blocks of S16, one element.
GROUPS = [((5, 7), [1]), ((3, 40, 5), [1]), ((3, 5, 4, 7), [0, 2]), ((2, 9000), [1]), ((3, 4), [])]


def of(sizes, dtype=np.float32, *, special=True):
    """Return numbers; without special ones sums are finite."""
    rng = np.random.default_rng(5)
    if special:
        return numbers(rng, *sizes, dtype=dtype)
    return rng.standard_normal(sizes).astype(dtype)


@pytest.mark.parametrize("way", WAYS[:2])
@pytest.mark.parametrize(("sizes", "axes"), GROUPS)
def test_sums_are_s16(sizes, axes, way):
    x = of(sizes, special=False)
    assert_same(sums.sum16, x, axes=axes, way=way)
    assert_same(sums.sum16, of(sizes), axes=axes, way=way)
    assert_same(sums.moments, x, axes=axes, way=way)
    assert_same(sums.moments, x, axes=axes, way=way, use_mean=False)
    assert_same(sums.product64, x, axes=axes, way=way)


def test_sums_of_squares_and_magnitudes_and_of_other_types():
    x, axes = of((3, 40, 5), special=False), [1]
    assert_same(sums.sum16, x.astype(np.float16), axes=axes, outputs=[np.float16])
    assert_same(sums.sum16_of_squares, x.astype(np.float64), axes=axes)
    assert_same(sums.sum16_of_magnitudes, x, axes=axes)
    assert_same(reductions.mean, x, axes=axes, outputs=[np.float32])
    assert_same(reductions.l2, x, axes=axes)


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


@pytest.mark.parametrize("way", WAYS[:2])
@pytest.mark.parametrize(("sizes", "axes"), GROUPS)
def test_softmax_and_its_relatives(sizes, axes, way):
    for special in (False, True):
        x = of(sizes, special=special)
        assert_same(softmax.softmax, x, axes=axes, way=way, outputs=[np.float32])
        assert_same(softmax.log_softmax, x, axes=axes, way=way)
        assert_same(softmax.hardmax, x, axes=axes, way=way)


def test_softmax_of_other_types():
    x = of((5, 37))
    assert_same(softmax.softmax, x, axes=[1], outputs=[np.float64])
    assert_same(softmax.softmax, x.astype(np.float16), axes=[1], outputs=[np.float16])
    assert_same(softmax.log_softmax, x.astype(np.float16), axes=[1], outputs=[np.float16])


@pytest.mark.parametrize("way", WAYS[:2])
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
    mean, variance = per_channel.astype(np.float64), np.abs(per_channel.astype(np.float64))
    given = {"epsilon": 1e-5, "way": way, "outputs": [np.float32]}
    assert_same(normalization.normalize, x, mean, variance, per_channel, of((5,)), **given)
    assert_same(normalization.normalize, x, mean, None, None, None, **given)
