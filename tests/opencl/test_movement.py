"""Known numbers and elements of four bits on OpenCL devices, beside NumPy forms."""

import numpy as np
import pytest

from indirectml.arithmetic.movement import from_halves, into_halves, known
from tests.opencl.forms import assert_same

RNG = np.random.default_rng(20261123)


def test_known_numbers_are_there():
    for dtype in (np.uint8, np.float16, np.float32, np.int64):
        assert_same(known, values=np.arange(24).reshape(2, 3, 4).astype(dtype))


@pytest.mark.parametrize(
    ("sizes", "strides"), [([5], [1]), ([2, 3, 5], [15, 5, 1]), ([3, 4], [1, 3]), ([2, 4], [9, 2])]
)
def test_elements_of_four_bits(sizes, strides):
    count = sum((n - 1) * s for n, s in zip(sizes, strides, strict=True)) // 2 + 1
    raw = RNG.integers(0, 256, count, np.uint8)

    for is_signed in (False, True):
        assert_same(from_halves, raw, sizes=sizes, strides=strides, is_signed=is_signed)
    for dtype in (np.int8, np.uint8):
        x = RNG.integers(0, 100, sizes).astype(dtype)
        assert_same(into_halves, raw, x, strides=strides)
