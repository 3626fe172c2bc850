"""Functions in pairs of FLOAT32 over a stride of all arguments, beside the native ones.

Usage: python -m tests.opencl.strides STRIDE [NAME ...]. On PoCL, or the device that
INDIRECTML_TESTS_ON names. Functions of two arguments have as many random pairs.
"""

import sys

import numpy as np

from tests.opencl import test_functions as own

#: How many arguments go to the device at once.
_TOGETHER = 1 << 22


def counts_of(name, stride, *defines):
    """Return how many arguments there were, how many were left open, and how many results wrong."""
    rng = np.random.default_rng(stride)
    total = left = wrong = 0
    for first in range(0, 2**32, stride * _TOGETHER):
        last = min(first + stride * _TOGETHER, 2**32)
        x = np.arange(first, last, stride, np.uint64).astype(np.uint32)
        z = rng.normal(0, 10, x.size).astype(np.float32)
        if name in own.OF_TWO:
            x = np.abs(rng.normal(0, 10, x.size).astype(np.float32)).view(np.uint32)
        x = x[~np.isnan(x.view(np.float32))]
        z = z.view(np.uint32)[: x.size]
        found, is_decided = own.tried(name, x, z, *defines, way="no vectors", among=(name,))
        expected = own.natives(name, x, z)
        total, left = total + x.size, left + int(np.count_nonzero(~is_decided))
        wrong += int(np.count_nonzero(is_decided & (found != expected)))
    return total, left, wrong


def main(stride, *names):
    """Print a line for each function; return 1 if a result is wrong."""
    are_right = True
    for name in names or own.TRIED:
        total, left, wrong = counts_of(name, int(stride))
        are_right = are_right and not wrong
        print(f"{name:10} {total} arguments, {left} open, {wrong} wrong", flush=True)
    return 0 if are_right else 1


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
