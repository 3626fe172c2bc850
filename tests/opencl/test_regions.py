"""Regions of interest on OpenCL devices, beside the NumPy form."""

import itertools

import numpy as np
import pytest

from indirectml.arithmetic.regions import (
    Sampling,
    roi_align,
    roi_align_gradient,
    roi_align_gradient_of_regions,
    roi_pool,
)
from tests.opencl.forms import POOR, assert_same, numbers

#: Inside, beyond every border, inverted, empty, no numbers, and on elements.
REGIONS = [
    [1, 1, 6, 4], [-3, -2, 9, 8], [6, 5, 1, 0], [2, 2, 2, 2], [0.25, 0.5, 1.75, 3],
    [-9, -9, -5, -5], [5, 3, 40, 30], [0, np.nan, 7, 6], [0, 0, np.inf, 6],
]  # fmt: skip


@pytest.mark.parametrize("way", ["own", POOR])
@pytest.mark.parametrize("mode", ["linear", "nearest"])
def test_regions_are_aligned(mode, way):
    rng = np.random.default_rng(20261123)
    x, roi = numbers(rng, 2, 3, 6, 7), np.float32(REGIONS)
    batches = rng.integers(0, 3, len(roi)).astype(np.uint32)
    each = itertools.product(("average", "largest"), (False, True), ((1, 3), (2, 2)))
    for choice, is_stretched, (fewest, most) in each:
        sampling = Sampling(0.5, 0.75, 0.5, -0.5, fewest, most, is_stretched, mode, choice)
        given = {"sampling": sampling, "outside": 0.25, "output_sizes": (len(roi), 3, 2, 3)}
        given["way"] = way
        assert_same(roi_align, x, roi, batches, outputs=[np.float32], **given)
    half = x.astype(np.float16)
    assert_same(roi_align, half, roi, batches.astype(np.int64), outputs=[np.float16], **given)
    assert_same(roi_align, x, roi, batches, **given | {"output_sizes": (len(roi), 3, 1, 1)})


@pytest.mark.parametrize("way", ["own", POOR])
@pytest.mark.parametrize("choice", ["average", "largest"])
def test_gradients_come_back_to_images_and_regions(choice, way):
    rng = np.random.default_rng(20261123)
    x, roi = numbers(rng, 2, 2, 6, 7), np.float32(REGIONS)
    gradient = numbers(rng, len(roi), 2, 2, 3)
    batches = rng.integers(0, 3, len(roi)).astype(np.uint32)
    for mode, is_stretched in itertools.product(("linear", "nearest"), (False, True)):
        sampling = Sampling(0.5, 0.75, 0.5, -0.5, 1, 2, is_stretched, mode, choice)
        of_images = {"sampling": sampling, "input_sizes": x.shape, "way": way}
        own = x if choice == "largest" else None
        assert_same(roi_align_gradient, own, gradient, roi, batches, **of_images)
        given = x, gradient, roi, batches
        assert_same(roi_align_gradient_of_regions, *given, sampling=sampling, way=way)
    halves = (None if own is None else own.astype(np.float16)), gradient.astype(np.float16)
    assert_same(roi_align_gradient, *halves, roi, batches, outputs=[np.float16], **of_images)


@pytest.mark.parametrize("dtype", [np.float32, np.float16])
def test_regions_are_pooled(dtype):
    x = numbers(np.random.default_rng(20261123), 2, 3, 6, 7, dtype=dtype)
    x[:, :, :2, :2] = np.array([-0.0, 0.0], dtype)
    far = [[-(2.0**100), -(2.0**40), 2.0**99, 2.0**42], [0, 0, 3e38, 3e38], [2.5, 0.5, 3.5, 1.5],
           [-2.5, -0.5, 3.5, 4.49999]]  # fmt: skip
    corners = np.float32([*REGIONS, *far])
    batches = np.float32([0, 1, 0.5, -0.0, 1, np.nan, -1, 0, 1, 0, 1, 0, 1, 2])
    regions = np.column_stack([np.resize(batches, len(corners)), corners])[None, None]
    for scale, pooled in ((1.0, (2, 3)), (0.3, (3, 2)), (1.0, (1, 1)), (2.0, (9, 1))):
        assert_same(roi_pool, x, regions, scale=scale, pooled_sizes=pooled)
    if dtype is np.float16:
        with np.errstate(over="ignore"):
            half = regions.astype(np.float16)
        assert_same(roi_pool, x, half, scale=0.5, pooled_sizes=(2, 2))
