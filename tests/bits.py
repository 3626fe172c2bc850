"""Comparing arrays by the bits of their elements."""

from collections import Counter

import numpy as np

#: What this process has compared so far: arrays, and their elements.
compared = Counter(arrays=0, elements=0)


def count_compared(size, arrays=1):
    """Count elements that were compared, here or in a test's own way."""
    compared["arrays"] += arrays
    compared["elements"] += size


def assert_bits_equal(*, actual, expected, where=""):
    """Fail unless both arrays have the same dtype, the same sizes and the same bits.

    Parameters
    ----------
    actual, expected : array or NumPy scalar
        What came out, and what should have.
    where : str
        What a reader of the failure needs to repeat it: a seed, a target, operands.
    """
    actual, expected = np.asarray(actual), np.asarray(expected)
    note = f" [{where}]" if where else ""
    assert actual.dtype == expected.dtype, f"dtype {actual.dtype}, expected {expected.dtype}{note}"
    assert actual.shape == expected.shape, f"sizes {actual.shape}, expected {expected.shape}{note}"
    count_compared(actual.size)
    width = actual.dtype.itemsize
    actual_bits, expected_bits = _bits(actual), _bits(expected)
    if np.array_equal(actual_bits, expected_bits):
        return
    different = np.flatnonzero(actual_bits != expected_bits)
    first = int(different[0])
    index = ", ".join(str(k) for k in np.unravel_index(first, actual.shape or (1,)))
    raise AssertionError(
        f"{different.size} of {actual.size} {actual.dtype} elements differ, first at [{index}]: "
        f"0x{actual_bits[first]:0{2 * width}X} ({actual.reshape(-1)[first]}), "
        f"expected 0x{expected_bits[first]:0{2 * width}X} ({expected.reshape(-1)[first]}){note}"
    )


def _bits(array):
    return np.ascontiguousarray(array).reshape(-1).view(f"u{array.dtype.itemsize}")
