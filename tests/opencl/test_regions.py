"""Regions of interest on OpenCL devices, beside the NumPy form."""

import itertools

import numpy as np
import pytest

from indirectml.arithmetic.regions import Sampling, roi_align
from tests.opencl.forms import assert_same, numbers

#: Inside, beyond every border, inverted, empty, no numbers, and on elements.
REGIONS = [
    [1, 1, 6, 4], [-3, -2, 9, 8], [6, 5, 1, 0], [2, 2, 2, 2], [0.25, 0.5, 1.75, 3],
    [-9, -9, -5, -5], [5, 3, 40, 30], [0, np.nan, 7, 6], [0, 0, np.inf, 6],
]  # fmt: skip


@pytest.mark.parametrize("mode", ["linear", "nearest"])
def test_regions_are_aligned(mode):
    rng = np.random.default_rng(20261123)
    x, roi = numbers(rng, 2, 3, 6, 7), np.float32(REGIONS)
    batches = rng.integers(0, 3, len(roi)).astype(np.uint32)
    each = itertools.product(("average", "largest"), (False, True), ((1, 3), (2, 2)))
    for choice, is_stretched, (fewest, most) in each:
        sampling = Sampling(0.5, 0.75, 0.5, -0.5, fewest, most, is_stretched, mode, choice)
        given = {"sampling": sampling, "outside": 0.25, "output_sizes": (len(roi), 3, 2, 3)}
        assert_same(roi_align, x, roi, batches, outputs=[np.float32], **given)
    half = x.astype(np.float16)
    assert_same(roi_align, half, roi, batches.astype(np.int64), outputs=[np.float16], **given)
    assert_same(roi_align, x, roi, batches, **given | {"output_sizes": (len(roi), 3, 1, 1)})
