"""What computes, on elements that lie gibibytes apart, and on more than 2^31 of them.

Address space costs nothing: of what lies between the elements no page is ever touched, and results
of many elements go to windows that all show the same memory (tests/fills/test_large_views.py).
"""

import math
import mmap
import sys

import numpy as np
import pytest

from indirectml.arithmetic import contraction, convolution, functions, softmax, sums
from indirectml.core.settings import Settings
from indirectml.programs import Instruction, Program
from tests.bits import assert_bits_equal
from tests.fills import filling, test_large_views

target = filling.target  # fixtures
memory = test_large_views.memory

_MAP_NORESERVE = 0x4000  # of Linux; Python has no name for it
#: More elements of one byte than 32 bits count, and no multiple of anything.
APART = (1 << 33) + 192
ADDRESSES = 1 << 43


class Sparse:
    """Address space, given out in pieces to arrays whose elements lie far apart."""

    def __init__(self, memory):
        self._bytes = np.frombuffer(memory, np.uint8)
        self._end = 0

    def __call__(self, array, *, packed_rows=False):
        """Return a copy; the last axis may stay packed, and each second axis runs backwards."""
        strides, step = [], array.itemsize if packed_rows else APART
        for size in reversed(array.shape):
            strides.insert(0, step)
            step = step * size // APART * APART + APART
        first, self._end = self._end, self._end + step
        assert self._end <= ADDRESSES
        whole = self._bytes[first : self._end].view(array.dtype)
        far = np.lib.stride_tricks.as_strided(whole, array.shape, strides)
        far = far[tuple(slice(None, None, -1 if k % 2 else 1) for k in range(array.ndim))]
        far[...] = array
        return far


@pytest.fixture
def sparse():
    """Give address space that is not reserved."""
    if not sys.platform.startswith("linux"):
        pytest.skip("needs memory that is not reserved, as Linux has it")
    flags = mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | _MAP_NORESERVE
    try:
        untouched = mmap.mmap(-1, ADDRESSES, flags=flags)
    except (OSError, ValueError) as error:
        pytest.skip(f"no {ADDRESSES >> 40} TiB of address space here: {error}")
    return Sparse(untouched)


def _convolve(**options):
    return lambda x, w, out=None: convolution.convolve(x, w, out=out, **options)


def _add(x, y, out=None):
    add = Instruction("add", "float32", "float32", (0, 1))
    out = np.empty(x.shape, np.float32) if out is None else out
    Program(("float32", "float32"), (), (add,), (2,)).native.run([x, y, out], Settings.policy)
    return out


#: What is done, the types and sizes of operands, and whether it writes to an output that is given.
F, U = np.float32, np.uint8
WORKS = {
    "product": (contraction.contract, [(F, (9, 20)), (F, (20, 18))], True),
    "row times matrix": (contraction.contract, [(F, (1, 20)), (F, (20, 18))], True),
    "products": (contraction.contract, [(F, (2, 3, 4)), (F, (2, 4, 5))], True),
    "product of halves": (
        contraction.contract,
        [(np.float16, (3, 20)), (np.float16, (20, 5))],
        True,
    ),
    "product of integers": (
        lambda a, b, out=None: contraction.contract_integer(a, b, 3, 5, out=out),
        [(U, (3, 20)), (np.int8, (20, 18))],
        True,
    ),
    "convolution": (_convolve(), [(F, (1, 2, 5, 6)), (F, (3, 2, 3, 2))], True),
    "with stride": (_convolve(strides=[2, 2]), [(F, (1, 2, 7, 8)), (F, (3, 2, 3, 3))], True),
    "backward": (_convolve(direction="backward"), [(F, (1, 2, 4, 4)), (F, (2, 2, 2, 2))], True),
    "planes": (_convolve(group_count=2), [(F, (1, 2, 5, 20)), (F, (2, 1, 3, 3))], True),
    "convolution of integers": (
        lambda x, w: convolution.convolve_integer(x, w, 3, 5),
        [(U, (1, 2, 5, 6)), (np.int8, (3, 2, 3, 2))],
        False,
    ),
    "sum of the last axis": (lambda x: sums.sum16(x, [1]), [(F, (5, 19))], False),
    "sum of the first axis": (lambda x: sums.sum16(x, [0]), [(F, (19, 5))], False),
    "sum of the middle axis": (lambda x: sums.sum16(x, [1]), [(F, (3, 17, 4))], False),
    "moments": (lambda x: np.stack(sums.moments(x, [0])), [(F, (17, 5))], False),
    "softmax": (lambda x: softmax.softmax(x, [1], np.float32), [(F, (3, 19))], False),
    "function": (lambda x, out=None: functions.exp(x, out=out), [(F, (5, 19))], True),
    "program": (_add, [(F, (5, 19)), (F, (5, 19))], True),
}


@pytest.mark.parametrize("packed_rows", [False, True], ids=["elements apart", "rows apart"])
@pytest.mark.parametrize("work", WORKS)
def test_elements_may_lie_gibibytes_apart(work, packed_rows, sparse, target):
    of, operands, takes_out = WORKS[work]
    random = np.random.default_rng(11)
    arrays = [random.integers(0, 20, sizes).astype(dtype) for dtype, sizes in operands]
    expected = of(*arrays)
    far = [sparse(array, packed_rows=packed_rows) for array in arrays]

    assert_bits_equal(actual=of(*far), expected=expected, where=f"{target}, {work}")

    if takes_out:
        out = sparse(np.zeros_like(expected), packed_rows=packed_rows)
        of(*far, out=out)
        assert_bits_equal(actual=out, expected=expected, where=f"{target}, {work}, out")


def test_sums_of_more_than_two_billion_elements():
    """Whole numbers below 2^53, whose sum is exact; rows that repeat one."""
    row = np.arange(70_001, dtype=np.float32) % 1000
    rows = (1 << 31) // row.size + 3
    x = np.broadcast_to(row, (rows, row.size))

    assert sums.sum16(x, [0, 1]) == rows * int(row.sum(dtype=np.int64))


def test_products_have_more_than_two_billion_elements(memory):
    rows, columns = 65_537, 32_880
    out = memory[: 4 * rows * columns].view(np.float32)
    a = np.arange(rows, dtype=np.float32).reshape(rows, 1) % 1021
    b = np.arange(columns, dtype=np.float32).reshape(1, columns) % 509

    contraction.contract(a, b, out=out.reshape(rows, columns))

    near = test_large_views.WINDOW_BYTES // 4
    for place in (0, 1 << 31):
        index = np.arange(max(place - near, 0), place + near)
        expected = a[index // columns, 0] * b[0, index % columns]
        assert_bits_equal(actual=out[index[0] : index[-1] + 1], expected=expected)
    assert math.prod(out.shape) > 1 << 31
