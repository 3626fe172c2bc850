"""Fills as memory sees them: every address, every layout, any part of a sequence.

Every byte that is an element is right, and every byte beside it stays.
"""

import os
from pathlib import Path

import numpy as np
import pytest
from numpy.lib.stride_tricks import as_strided

from indirectml import Sequence, fill_sequence
from indirectml.core.settings import Settings
from tests import reference
from tests.bits import assert_bits_equal, count_compared
from tests.extent import every
from tests.fills import filling
from tests.fills.filling import TARGETS, fills, run_script, stream_from
from tests.parameters import by_dtype
from tests.reference import DTYPES, INDEX_END

WIDEST_VECTOR_BYTES = 64
GUARD_BYTES = 128
#: From here on a row may be stored past the cache.
STREAMING_ROW_BYTES = 4096

target = filling.target  # a fixture


def test_every_instruction_set_of_this_processor_is_a_target():
    flags = Path("/proc/cpuinfo")
    if not flags.exists():
        pytest.skip("this system does not list the processor's instruction sets")
    words = set(flags.read_text(encoding="utf-8").split())
    wanted = {
        "avx512": {"avx512f", "avx512bw", "avx512dq", "avx512vl"},
        "avx2": {"avx2"},
        "neon": {"asimd"},
        "portable": set(),
    }

    assert list(TARGETS) == [name for name, needed in wanted.items() if needed <= words]


# ---- Contiguous memory at any address ------------------------------------------------------------


def pattern(count):
    """Return bytes that repeat with a prime period, so that moved blocks never look equal."""
    return ((np.arange(count, dtype=np.uint64) * 7 + 3) % 251).astype(np.uint8)


def aligned_bytes(count):
    """Return bytes that start at a multiple of a vector's width."""
    raw = np.empty(count + WIDEST_VECTOR_BYTES, np.uint8)
    first = -raw.ctypes.data % WIDEST_VECTOR_BYTES
    return raw[first : first + count]


def small_counts(dtype):
    lanes = WIDEST_VECTOR_BYTES // dtype.itemsize
    return [*range(2 * lanes + 2), *(4 * lanes + j for j in (-1, 0, 1)), 8 * lanes + 3, 1000]


def streaming_counts(dtype):
    lanes, row = WIDEST_VECTOR_BYTES // dtype.itemsize, STREAMING_ROW_BYTES // dtype.itemsize
    return [*range(row - 1, row + 2 * lanes + 2, 1 if lanes < 64 else 3), row + 4 * lanes - 1]


def check_counts_and_misalignments(dtype, counts, where):
    before = pattern(2 * GUARD_BYTES + WIDEST_VECTOR_BYTES + max(counts) * dtype.itemsize)
    memory = aligned_bytes(before.size)
    for fill in fills(dtype):
        for count in counts:
            expected = fill.expected(count)
            for past in range(0, WIDEST_VECTOR_BYTES, every(3)):
                memory[:] = before
                first = GUARD_BYTES + past
                end = first + expected.nbytes
                out = np.ndarray(count, dtype, memory, first)

                fill.write(out)

                note = f"{where}, {fill.name}, {count} elements, {past} bytes past alignment"
                count_compared(count)
                if not np.array_equal(memory[first:end], expected.view(np.uint8)):
                    assert_bits_equal(actual=out, expected=expected, where=note)
                assert np.array_equal(memory[:first], before[:first]), f"before: {note}"
                assert np.array_equal(memory[end:], before[end:]), f"after: {note}"


@by_dtype()
def test_every_count_from_every_byte_on_writes_its_elements_and_nothing_else(target, dtype):
    check_counts_and_misalignments(dtype, small_counts(dtype), target)


@by_dtype([np.dtype(name) for name in ("uint8", "float16", "float32", "float64")])
def test_stores_past_the_cache_write_the_same_and_nothing_else(target, dtype):
    stream_from(1)
    assert Settings.policy.target == target
    check_counts_and_misalignments(dtype, streaming_counts(dtype), f"{target}, streaming")


# ---- Strided memory ------------------------------------------------------------------------------


def spread(base, sizes, strides):
    """Return a view with strides in elements."""
    return as_strided(base, sizes, [s * base.itemsize for s in strides])


#: How to cut a view out of 2000 neighbouring elements.
LAYOUTS = {
    "reversed": lambda base: base[999::-1],
    "every second": lambda base: base[:1998:2],
    "every third, reversed": lambda base: base[-1::-3],
    "no dimension": lambda base: base[7:8].reshape(()),
    "one element": lambda base: base[7:8],
    "empty": lambda base: base[:0],
    "empty in the middle": lambda base: base[:15].reshape(5, 3)[:, 1:1],
    "empty with stride 0": lambda base: spread(base, (0, 5), (0, 0)),
    "every second column": lambda base: base[:120].reshape(10, 12)[:, ::2],
    "one column": lambda base: base[:120].reshape(10, 12)[:, 5:6],
    "middle columns": lambda base: base[:1900].reshape(19, 100)[:, 9:88],
    "columns backwards": lambda base: base[:1900].reshape(19, 100)[:, 88:9:-1],
    "rows backwards": lambda base: base[:1900].reshape(19, 100)[::-1],
    "rows and columns backwards": lambda base: base[:1900].reshape(19, 100)[::-1, ::-1],
    "rows backwards, middle columns": lambda base: base[:1900].reshape(19, 100)[::-2, 9:88],
    "transposed": lambda base: base[:1700].reshape(17, 100).T,
    "transposed backwards": lambda base: base[:1700].reshape(17, 100).T[::-1, ::-2],
    "column order": lambda base: base[:1050].reshape((15, 7, 10), order="F"),
    "3-D slices": lambda base: base[:1680].reshape(10, 12, 14)[1:8, ::-2, 2:13],
    "3-D slices, every third": lambda base: base[:1680].reshape(10, 12, 14)[::3, 1::3, ::3],
    "permuted axes": lambda base: base[:1680].reshape(10, 12, 14).transpose(2, 0, 1)[::-1],
    "rows of 3": lambda base: base[:2000].reshape(400, 5)[:, 1:4],
    "rows of 3, packed": lambda base: base[:1200].reshape(400, 3),
    "rows of 1": lambda base: base[:1200].reshape(400, 3)[:, :1],
    "interleaved axes": lambda base: spread(base[3:], (7, 5), (24, 160)),
    "size 1 with odd strides": lambda base: spread(base[500:], (3, 1, 4, 1), (40, 12345, 3, -7)),
    "20 dimensions": lambda base: base[:1024].reshape((2, 1) * 10),
    "20 dimensions, transposed": lambda base: base[:1024].reshape((2, 1) * 10).T,
    "20 dimensions, every second": lambda base: base[: 3**6].reshape((3, 1) * 6 + (1,) * 8)[
        (slice(None, None, 2), slice(None)) * 3
    ],
    "64 dimensions": lambda base: base[:1024].reshape((2,) * 5 + (1,) * 54 + (2,) * 5).T,
}


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("past", [0, 1], ids=["aligned", "at an odd address"])
def test_strided_views_get_the_elements_in_order_and_bytes_between_stay(target, layout, past):
    for dtype in DTYPES:
        before = pattern(2000 * dtype.itemsize + 8)
        for fill in fills(dtype):
            memory, wanted = before.copy(), before.copy()
            out, expected = (
                LAYOUTS[layout](np.ndarray(2000, dtype, m, past)) for m in (memory, wanted)
            )
            expected[...] = fill.expected(expected.size).reshape(expected.shape)

            assert fill.write(out) is out

            where = f"{target}, {fill.name} of {dtype}"
            assert_bits_equal(actual=out, expected=expected, where=where)
            assert_bits_equal(actual=memory, expected=wanted, where=f"bytes: {where}")


@by_dtype()
def test_fields_of_packed_records_are_filled_and_the_other_fields_stay(target, dtype):
    record = np.dtype([("tag", "u1"), ("x", dtype), ("y", dtype)])
    for fill in fills(dtype):
        memory = pattern(101 * record.itemsize).view(record)
        wanted = memory.copy()
        wanted["x"][::-1] = fill.expected(101)

        fill.write(memory["x"][::-1])

        assert memory.tobytes() == wanted.tobytes(), f"{target}, {fill.name}"


@by_dtype([np.dtype(name) for name in ("uint8", "float16", "float32", "float64")])
def test_long_rows_with_gaps_are_the_same_through_and_past_the_cache(target, dtype):
    columns = STREAMING_ROW_BYTES // dtype.itemsize + 77
    for fill in fills(dtype):
        expected = fill.expected(5 * columns).reshape(5, columns)
        for streaming_bytes in (1, 1 << 40):
            stream_from(streaming_bytes)
            memory = np.zeros((5, columns + 13), dtype)
            fill.write(memory[:, 6:-7])
            where = f"{target}, {fill.name}, streaming from {streaming_bytes}"
            assert_bits_equal(actual=memory[:, 6:-7], expected=expected, where=where)
            assert not memory[:, :6].any(), where
            assert not memory[:, -7:].any(), where


def test_overlap_is_judged_by_bytes_not_by_rows():
    """Rows that interleave without sharing an element are fine."""
    memory = np.zeros(12, np.int16)
    fill_sequence(as_strided(memory, (2, 6), (2, 4)), 0, 1)

    assert memory.tolist() == [0, 6, 1, 7, 2, 8, 3, 9, 4, 10, 5, 11]


def test_elements_more_than_4_gibibytes_apart_are_filled(target, tmp_path):
    path = tmp_path / "sparse.raw"
    try:
        memory = np.memmap(path, np.uint8, mode="w+", shape=((1 << 33) + 64,))
    except OSError as error:
        pytest.skip(f"no sparse file of 8 GiB here: {error}")
    places = [0, 8, 1 << 32, (1 << 32) + 8, 1 << 33, (1 << 33) + 8]
    out = np.ndarray((3, 2), np.int32, memory, 4, (1 << 32, 8))
    fill_sequence(out, -1, -1)
    for k, place in enumerate(places):
        expected = [0, 0, 0, 0, *(-1 - k).to_bytes(4, "little", signed=True), 0, 0, 0, 0]
        assert memory[place : place + 12].tolist() == expected, f"{target}, element {k}"
    backwards = np.ndarray(2, np.float16, memory, (1 << 33) + 4, (-(1 << 33),))
    fill_sequence(backwards, 2044, 1.5, rule="multiply")
    assert backwards.tolist() == [2044, 2046]
    os.truncate(path, 0)


# ---- Parts of a sequence ------------------------------------------------------------------------


@pytest.mark.parametrize("rule", ["accumulate", "multiply"])
@by_dtype([np.dtype(name) for name in ("int16", "float16", "float32", "float64")])
def test_writing_in_odd_pieces_equals_writing_at_once(target, dtype, rule):
    sizes = [1, 2, 3, 5, 0, 17, 64, 127, 4096, 4099, 1, 33]
    s = Sequence(dtype.type(-100), dtype.type(1 if dtype.kind == "i" else 0.37), dtype, rule=rule)
    whole = s[0 : sum(sizes)]
    pieces = np.zeros_like(whole)
    first = 0
    for size in sizes:
        piece = pieces[first : first + size]
        assert s.write(piece, first=first) is piece
        first += size

    assert_bits_equal(actual=pieces, expected=whole, where=target)
    backwards = np.zeros_like(whole)
    s.write(backwards[40:][::-1], first=40)
    assert_bits_equal(actual=backwards[:39:-1], expected=whole[40:], where=target)


@pytest.mark.parametrize("rule", ["accumulate", "multiply"])
@pytest.mark.parametrize("first", [2**32 - 5, 2**32, 2**40 + 1, 2**63 - 7])
@by_dtype([np.dtype(name) for name in ("uint8", "int64", "float16", "float32", "float64")])
def test_writing_may_begin_beyond_four_billion_elements(target, dtype, rule, first):
    delta = dtype.type(3 if dtype.kind != "f" else 2.0**-20 if dtype.itemsize == 2 else 3e-9)
    s = Sequence(dtype.type(5), delta, dtype, rule=rule)
    out = s.write(np.zeros(1000, dtype), first=first)
    if dtype.kind == "f" and rule == "accumulate":
        # Absorbed long before, or not: in any case each element follows from the one before.
        expected = reference.accumulated(out[0], delta, 1000)
        assert_bits_equal(actual=out[0], expected=s[first], where=target)
    else:
        expected = reference.multiplied_range(s.start, delta, first, 1000)

    assert_bits_equal(actual=out, expected=expected, where=target)


@pytest.mark.parametrize(
    ("dtype", "rule"), [("int32", "accumulate"), ("float32", "accumulate"), ("float16", "multiply")]
)
def test_writing_past_the_last_element_is_refused(dtype, rule):
    run_script(
        f"""
        import numpy as np
        import indirectml

        out = np.full(5, 9, np.{dtype})
        s = indirectml.Sequence(0, 1, np.{dtype}, rule={rule!r})
        try:
            s.write(out, first={INDEX_END} - 4)
        except IndexError as error:
            assert "2**64 - 2" in str(error), error
        else:
            raise AssertionError("accepted")
        assert out.tolist() == [9] * 5
        s.write(out, first={INDEX_END} - 5)
        """,
        timeout_s=10,
    )
