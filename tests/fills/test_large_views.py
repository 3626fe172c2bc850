"""More than 2^32 elements, and more than 2^32 bytes, in a few pages of memory.

Address space costs nothing: most of a view lies in windows that all show the same 2 MiB, where
fills write over each other. The windows that are looked at have memory of their own: where the
view begins and ends, and where 31 and 32 bits end.
"""

import ctypes
import mmap
import os
import sys

import numpy as np
import pytest

import indirectml as dml
from indirectml import configure, fill_sequence
from tests.bits import assert_bits_equal
from tests.fills import filling
from tests.fills.filling import stream_from

WINDOW_BYTES = 2 << 20
#: A little more than 2^32, and no multiple of anything.
COUNT = (1 << 32) + (16 << 20) + 77
_PROTECTION = mmap.PROT_READ | mmap.PROT_WRITE
_MAP_FIXED, _MAP_NORESERVE = 0x10, 0x4000  # of Linux; Python has no names for them

target = filling.target  # a fixture


#: Where elements are looked at, besides the last ones.
PLACES = (0, 1 << 31, 1 << 32)
#: A table with gaps between its rows.
ROWS, COLUMNS, PITCH = (1 << 16) + 301, (1 << 16) + 1, (1 << 16) + 64


def _bytes_with_memory_of_their_own():
    ends = (*PLACES, COUNT)
    yield from ends
    yield from (COUNT - place for place in ends)
    yield from (2 * place for place in ends)
    yield from (place // COLUMNS * PITCH for place in (*PLACES, ROWS * COLUMNS))


@pytest.fixture(scope="module")
def memory():
    """Give so many bytes that COUNT halves fit."""
    if not sys.platform.startswith("linux") or not hasattr(os, "memfd_create"):
        pytest.skip("needs memory files of Linux, which can be shown many times")
    library = ctypes.CDLL(None, use_errno=True)
    library.mmap.restype = ctypes.c_void_p
    library.mmap.argtypes = (ctypes.c_void_p, ctypes.c_size_t, *[ctypes.c_int] * 3, ctypes.c_long)
    library.munmap.argtypes = (ctypes.c_void_p, ctypes.c_size_t)
    count = 2 * COUNT // WINDOW_BYTES + 1
    whole = count * WINDOW_BYTES
    # Private memory that is never touched, until windows are laid over it.
    private = mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | _MAP_NORESERVE
    base = library.mmap(None, whole, _PROTECTION, private, -1, 0)
    if base in (None, ctypes.c_void_p(-1).value):
        pytest.skip(f"no {whole >> 30} GiB of address space here")
    own = {b // WINDOW_BYTES + k for b in _bytes_with_memory_of_their_own() for k in (-1, 0, 1)}
    shared = os.memfd_create("shared")
    try:
        os.ftruncate(shared, WINDOW_BYTES)
        for k in set(range(count)) - own:
            at, flags = base + k * WINDOW_BYTES, mmap.MAP_SHARED | _MAP_FIXED
            assert library.mmap(at, WINDOW_BYTES, _PROTECTION, flags, shared, 0) == at
        yield np.frombuffer((ctypes.c_uint8 * whole).from_address(base), np.uint8)
    finally:
        library.munmap(base, whole)
        os.close(shared)


def check_parts(out, expected, where):
    """Compare the elements around the places that have memory of their own."""
    near = WINDOW_BYTES // out.itemsize
    for place in (*PLACES, out.size):
        first, end = max(place - near, 0), min(place + near, out.size)
        wanted = expected(np.arange(first, end, dtype=np.int64))
        assert_bits_equal(actual=out[first:end], expected=wanted, where=f"{where}, at {place}")


def test_more_than_four_billion_bytes_are_filled_by_one_call_of_a_kernel(memory, target):
    """On one thread: the kernel's count has 33 bits. Past the cache, and through it."""
    configure(max_threads=1)
    for streaming_bytes, out, step in (
        (1, memory[:COUNT], 7),
        (1 << 62, memory[COUNT - 1 :: -1], 11),
    ):
        stream_from(streaming_bytes)
        fill_sequence(out, 3, step)
        expected = lambda index, step=step: ((step * index + 3) % 256).astype(np.uint8)  # noqa: E731
        check_parts(out, expected, f"{target}, step {step}")


def test_more_than_four_billion_halves_go_on_after_32_bits(memory):
    """Element 2^32 of 0, 2^-24, 2 * 2^-24, ... is 256: an index of 32 bits would give 0."""
    out = memory[: 2 * COUNT].view(np.float16)
    stream_from(1 << 62)

    fill_sequence(out, 0, 2.0**-24, rule="multiply")

    check_parts(out, lambda i: (i * 2.0**-24).astype(np.float16), "multiply")


def test_rows_with_gaps_have_more_than_four_billion_elements(memory):
    table = memory[: ROWS * PITCH].reshape(ROWS, PITCH)
    near = 8
    rows = (near, (1 << 31) // COLUMNS, (1 << 32) // COLUMNS, ROWS - near)
    parts = [table[row - near : row + near] for row in rows]
    for part in parts:
        part[...] = 0xA5
    stream_from(1 << 62)

    fill_sequence(table[:, :COLUMNS], 3, 7)

    for part, row in zip(parts, rows, strict=True):
        index = np.arange((row - near) * COLUMNS, (row + near) * COLUMNS).reshape(-1, COLUMNS)
        expected = ((7 * index + 3) % 256).astype(np.uint8)
        assert_bits_equal(actual=part[:, :COLUMNS], expected=expected)
        assert (part[:, COLUMNS:] == 0xA5).all()


def test_strides_of_a_descriptor_reach_beyond_32_gibibytes():
    """The largest stride that a descriptor can have, times the widest element."""
    stride = 2**32 - 1
    tensor = dml.TensorDesc(np.int64, [2, 3], strides=[stride, 1])
    assert tensor.total_tensor_size_in_bytes == 8 * (stride + 3)
    desc = dml.FillValueSequenceOperatorDesc(tensor, np.int64, -1, -(2**40))
    device = dml.Device()
    if not sys.platform.startswith("linux"):
        pytest.skip("needs memory that is not reserved, as Linux has it")
    try:
        flags = mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | _MAP_NORESERVE
        untouched = mmap.mmap(-1, tensor.total_tensor_size_in_bytes + 8, flags=flags)
    except (OSError, ValueError) as error:
        pytest.skip(f"no 33 GiB of untouched memory here: {error}")

    device.compile_operator(device.create_operator(desc))(out=[untouched])

    for place, first in ((0, 0), (8 * stride, 3)):
        found = np.frombuffer(untouched, np.int64, 3, place)
        assert found.tolist() == [-1 - k * 2**40 for k in range(first, first + 3)]
        del found
    # What lies between them was never touched; what lies behind is still zero.
    assert untouched[24:4096] == bytes(4072)
    assert untouched[-8:] == bytes(8)
