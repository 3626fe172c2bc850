"""Fills as memory sees them: every address, every layout, every setting, every kind of array."""

import array
import functools
import mmap
import os
import subprocess
import sys
import textwrap
import threading
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest
from numpy.lib.stride_tricks import as_strided

import indirectml
from indirectml import (
    DataTypeError,
    DirectMLError,
    LayoutError,
    ScalarError,
    Sequence,
    _native,
    configure,
    fill_constant,
    fill_sequence,
)
from indirectml.settings import State
from tests import reference
from tests.bits import assert_bits_equal
from tests.reference import DTYPES, INDEX_END, number

TARGETS = indirectml.available_targets()
WIDEST_VECTOR_BYTES = 64
GUARD_BYTES = 128
#: From here on a row may be stored past the cache.
STREAMING_ROW_BYTES = 4096
#: An output of so many bytes is filled by up to four threads.
FOUR_THREADS_BYTES = 4 << 20


# ---- What is filled -----------------------------------------------------------------------------


class Fill(NamedTuple):
    """A fill with operands, and what it should write."""

    name: str
    start: np.generic
    delta: np.generic | None  # None: a constant
    rule: str = "accumulate"

    def write(self, out):
        """Fill an array."""
        if self.delta is None:
            return fill_constant(out, self.start)
        return fill_sequence(out, self.start, self.delta, rule=self.rule)

    def expected(self, count):
        """Return what it writes to so many elements."""
        if self.delta is None:
            return np.repeat(np.array(self.start), count)
        longest = 1 << max(count - 1, 1023).bit_length()
        return _elements(self.start.dtype, self, longest)[:count]


@functools.cache
def _elements(dtype, fill, count):
    """Return a fill's elements; `dtype` is there because numbers of two types may be equal."""
    assert fill.start.dtype == dtype
    if fill.rule == "accumulate" and count > 1024:
        return reference.accumulated_at_once(fill.start, fill.delta, count)
    return reference.elements(fill.start, fill.delta, count, fill.rule)


@functools.cache
def fills(dtype):
    """Return a fill per kernel and per way of cutting a sequence into segments."""
    all_bytes_differ = number(0x0123456789ABCDEF & ((1 << (8 * dtype.itemsize)) - 1), dtype)
    constant = Fill("constant", all_bytes_differ, None)
    if dtype.kind != "f":
        large = number(0xDEADBEEFCAFEF00D & ((1 << (8 * dtype.itemsize)) - 1), dtype)
        return [
            constant,
            Fill("wrapping sequence", all_bytes_differ, large),
            Fill("rising sequence", dtype.type(3), dtype.type(1)),
        ]
    # Not quite 2^(precision - bits) of the spacing at 4: runs of 32, 256, 2048 elements.
    tiny = dtype.type((2 - float(np.finfo(dtype).eps)) * 2.0 ** (2 - 8 * dtype.itemsize))
    return [
        constant,
        Fill("accumulate, one segment", dtype.type(1024), dtype.type(1)),
        Fill("accumulate, long segments", dtype.type(600), dtype.type(1)),
        Fill("accumulate, many segments", dtype.type(100.3), dtype.type(-0.71)),
        Fill("multiply, fractions", dtype.type(-30.3), dtype.type(0.71), "multiply"),
        Fill("multiply, long segments", dtype.type(600.3), dtype.type(1.1), "multiply"),
        Fill("multiply, rising runs", dtype.type(4), tiny, "multiply"),
        Fill("multiply, falling runs", dtype.type(7), -tiny, "multiply"),
    ]


def by_dtype(dtypes=DTYPES):
    return pytest.mark.parametrize("dtype", dtypes, ids=str)


@pytest.fixture(params=TARGETS)
def target(request):
    """Force a target, and make sure that it is in force."""
    with configure(target=request.param):
        assert State.policy.target == request.param
        yield request.param


def set_policy(monkeypatch, *, target=None, max_threads=1, streaming_bytes=None):
    former = State.policy
    policy = _native.Policy(
        target or former.target,
        max_threads,
        former.streaming_bytes if streaming_bytes is None else streaming_bytes,
    )
    monkeypatch.setattr(State, "policy", policy)


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


def misalignments(dtype):
    """Return bytes past an aligned address: whole elements, and addresses inside of elements."""
    width = dtype.itemsize
    return sorted({0, width, 2 * width, 3 * width, 1, 3, 7, 33, 61})


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
            for past in misalignments(dtype):
                memory[:] = before
                first = GUARD_BYTES + past
                end = first + expected.nbytes
                out = np.ndarray(count, dtype, memory, first)

                fill.write(out)

                note = f"{where}, {fill.name}, {count} elements, {past} bytes past alignment"
                if not np.array_equal(memory[first:end], expected.view(np.uint8)):
                    assert_bits_equal(actual=out, expected=expected, where=note)
                assert np.array_equal(memory[:first], before[:first]), f"before: {note}"
                assert np.array_equal(memory[end:], before[end:]), f"after: {note}"


@by_dtype()
def test_every_count_at_every_misalignment_writes_its_elements_and_nothing_else(target, dtype):
    check_counts_and_misalignments(dtype, small_counts(dtype), target)


@by_dtype([np.dtype(name) for name in ("uint8", "float16", "float32", "float64")])
def test_stores_past_the_cache_write_the_same_and_nothing_else(target, dtype, monkeypatch):
    set_policy(monkeypatch, streaming_bytes=1)
    assert (State.policy.target, State.policy.streaming_bytes) == (target, 1)
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
def test_long_rows_with_gaps_are_the_same_through_and_past_the_cache(target, dtype, monkeypatch):
    columns = STREAMING_ROW_BYTES // dtype.itemsize + 77
    for fill in fills(dtype):
        expected = fill.expected(5 * columns).reshape(5, columns)
        for streaming_bytes in (1, 1 << 40):
            set_policy(monkeypatch, target=target, streaming_bytes=streaming_bytes)
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


# ---- Threads and caches --------------------------------------------------------------------------

LARGE_LAYOUTS = {
    "contiguous": lambda base: base,
    "reversed": lambda base: base[::-1],
    "transposed": lambda base: base[: base.size // 1001 * 1001].reshape(1001, -1).T,
    "rows of 3 of 4": lambda base: base[: base.size // 4 * 4].reshape(-1, 4)[:, :3],
    "rows backwards": lambda base: base[: base.size // 33 * 33].reshape(33, -1)[::-1],
}


@functools.cache
def large_fills(dtype):
    """Return fills whose millionth element is known without a slow loop."""
    if dtype.kind != "f":
        return fills(dtype)[1:2]
    # Sums of multiples of 2^-10 up to 2^16 are exact in single and double precision.
    exact = Fill("multiply", dtype.type(-1000), dtype.type(3 * 2.0**-10), "multiply")
    return [Fill("accumulate", dtype.type(-30), dtype.type(0.0371)), exact]


@functools.cache
def large_expected(dtype, fill, count):
    assert fill.start.dtype == dtype
    if fill.rule == "multiply":
        exact = float(fill.start) + np.arange(count) * float(fill.delta)
        return exact.astype(fill.start.dtype)
    return reference.accumulated_at_once(fill.start, fill.delta, count)


@pytest.mark.parametrize("max_threads", [1, 2, 3, 4])
@pytest.mark.parametrize("layout", LARGE_LAYOUTS)
def test_thread_counts_and_caches_do_not_change_a_bit(target, layout, max_threads, monkeypatch):
    for dtype in [np.dtype(name) for name in ("uint8", "int64", "float16", "float32", "float64")]:
        # Rows of 3 of 4 still fill four threads.
        base = np.empty(3 * FOUR_THREADS_BYTES // 2 // dtype.itemsize + 12_347, dtype)
        for fill in large_fills(dtype):
            for streaming_bytes in (1, 1 << 40) if layout == "contiguous" else (1 << 40,):
                with configure(max_threads=max_threads):
                    assert State.policy.max_threads == max_threads
                set_policy(
                    monkeypatch,
                    target=target,
                    max_threads=max_threads,
                    streaming_bytes=streaming_bytes,
                )
                base.view(np.uint8).fill(0xA5)
                out = LARGE_LAYOUTS[layout](base)
                assert out.nbytes >= FOUR_THREADS_BYTES

                fill.write(out)

                expected = large_expected(dtype, fill, base.size)[: out.size].reshape(out.shape)
                where = f"{target}, {fill.name}, {max_threads} threads, from {streaming_bytes}"
                if not np.array_equal(out, expected):
                    assert_bits_equal(actual=out, expected=expected, where=where)


def test_large_fills_start_further_threads():
    if not Path("/proc/self/task").exists():
        pytest.skip("this system does not list a process's threads")
    out = np.empty(64 << 20, np.uint8)
    done = threading.Event()
    most = [0]

    def watch():
        while not done.is_set():
            most[0] = max(most[0], len(os.listdir("/proc/self/task")))  # noqa: PTH208 (fast)

    watcher = threading.Thread(target=watch)
    watcher.start()
    before = len(os.listdir("/proc/self/task"))  # noqa: PTH208
    with configure(max_threads=4):
        for k in range(200):
            fill_constant(out, k % 256)
            if most[0] >= before + 3:
                break
    done.set()
    watcher.join()

    assert most[0] == before + 3


def test_one_thread_is_enough_when_the_setting_says_so():
    with configure(max_threads=1):
        script = """
            import os
            import numpy as np
            import indirectml
            from concurrent.futures import ThreadPoolExecutor

            indirectml.configure(max_threads=1)
            before = len(os.listdir("/proc/self/task"))
            out = np.empty(64 << 20, np.uint8)
            with ThreadPoolExecutor(1) as pool:
                most = before + 1
                for _ in range(10):
                    future = pool.submit(indirectml.fill_constant, out, 1)
                    while not future.done():
                        most = max(most, len(os.listdir("/proc/self/task")))
            assert most == before + 1, (before, most)
        """
        if not Path("/proc/self/task").exists():
            pytest.skip("this system does not list a process's threads")
        run_script(script)


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


def test_several_python_threads_may_fill_at_once():
    count, rounds = 1 << 19, 8
    failures = []
    barrier = threading.Barrier(4)

    def work(k):
        out = np.empty(count, np.float32)
        expected = reference.accumulated_at_once(np.float32(k), np.float32(0.1), count)
        barrier.wait()
        for _ in range(rounds):
            out.fill(-1)
            fill_sequence(out, k, 0.1)
            if not np.array_equal(out, expected):
                failures.append(k)

    workers = [threading.Thread(target=work, args=(k,)) for k in range(4)]
    with configure(max_threads=2):
        for worker in workers:
            worker.start()
        for worker in workers:
            worker.join()

    assert not failures


def run_script(script, timeout_s=60):
    """Run Python in another process; fail with what it printed unless it ends with code 0."""
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", textwrap.dedent(script)],
        capture_output=True,
        text=True,
        timeout=timeout_s,
        check=False,
    )
    assert done.returncode == 0, f"exit code {done.returncode}: {done.stdout}{done.stderr}"


def test_a_process_may_fork_after_a_threaded_fill():
    if not hasattr(os, "fork"):
        pytest.skip("this system has no fork")
    run_script("""
        import os
        import sys
        import numpy as np
        import indirectml

        indirectml.configure(max_threads=2)
        out = np.empty(2 << 20, np.float32)
        indirectml.fill_sequence(out, 0, 1)
        child = os.fork()
        if child == 0:
            indirectml.fill_sequence(out, 5, 0.5)
            os._exit(0 if np.array_equal(out, 5 + np.arange(2 << 20) / 2) else 7)
        indirectml.fill_sequence(out, 5, 2)
        assert np.array_equal(out, 5 + 2 * np.arange(2 << 20))
        sys.exit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
    """)


@pytest.mark.parametrize("free_mebibytes", [2, 13], ids=["no thread", "one thread"])
def test_a_fill_completes_where_the_system_gives_no_further_thread(free_mebibytes):
    if not sys.platform.startswith("linux"):
        pytest.skip("limiting a process's memory is tried on Linux alone")
    # A thread's stack of 8 MiB does not fit into what is left.
    run_script(f"""
        import resource
        import numpy as np
        import indirectml

        out, expected = np.empty(2 << 20, np.float32), np.arange(2 << 20)
        indirectml.configure(max_threads=4)
        _, most = resource.getrlimit(resource.RLIMIT_AS)
        pages = int(open("/proc/self/statm").read().split()[0])
        limit = pages * resource.getpagesize() + ({free_mebibytes} << 20)
        resource.setrlimit(resource.RLIMIT_AS, (limit, most))
        indirectml.fill_sequence(out, 0, 1)
        resource.setrlimit(resource.RLIMIT_AS, (most, most))
        assert np.array_equal(out, expected)
    """)


# ---- Kinds of arrays -----------------------------------------------------------------------------


@pytest.mark.parametrize("code", "bBhHiIlLqQfd")
def test_arrays_of_the_standard_library_are_filled(code):
    out = array.array(code, range(7))
    assert fill_sequence(out, 5, 3) is out
    assert list(out) == [5, 8, 11, 14, 17, 20, 23]
    fill_constant(out, 9)
    assert list(out) == [9] * 7


@pytest.mark.parametrize("code", [f"{order}{c}" for order in ("", "@") for c in "bBhHiIlLqQnNfd"])
def test_memoryviews_of_every_format_are_filled(code):
    out = memoryview(bytearray(64)).cast(code)
    fill_sequence(out[1:], 1, 2)
    assert out.tolist() == [0, *range(1, 2 * len(out) - 2, 2)]
    fill_constant(out[::2], 7)
    assert out[::2].tolist() == [7] * len(out[::2])
    assert out[1::2].tolist() == list(range(1, 2 * len(out) - 2, 4))


def test_bytearrays_are_filled_as_uint8():
    out = bytearray(5)
    assert fill_sequence(out, 254, 1) is out
    assert out == bytes([254, 255, 0, 1, 2])


def test_several_dimensions_of_a_memoryview_are_filled():
    out = memoryview(bytearray(24)).cast("B").cast("h", (3, 4))
    fill_sequence(out, 0, 1)
    assert out.tolist() == [[0, 1, 2, 3], [4, 5, 6, 7], [8, 9, 10, 11]]


def test_memory_maps_are_filled_and_reach_the_file(tmp_path):
    path = tmp_path / "out.raw"
    path.write_bytes(bytes(64))
    with path.open("r+b") as file, mmap.mmap(file.fileno(), 64) as mapped:
        fill_constant(mapped, 7)
    assert path.read_bytes() == bytes([7] * 64)

    mapped = np.memmap(path, np.float32, mode="r+", offset=4, shape=(3, 4))
    assert fill_sequence(mapped, 1, 0.5) is mapped
    mapped.flush()
    expected = (1 + np.arange(12) / 2).astype(np.float32)
    assert path.read_bytes() == bytes([7] * 4) + expected.tobytes() + bytes([7] * 12)


def test_arrays_of_the_c_library_are_filled():
    run_script("""
        import ctypes
        import indirectml

        out = (ctypes.c_float * 4)()
        assert indirectml.fill_sequence(out, 1, 2) is out
        assert out[:] == [1, 3, 5, 7]
        table = (ctypes.c_int16 * 3 * 2)()
        indirectml.fill_sequence(table, 1, 2)
        assert [row[:] for row in table] == [[1, 3, 5], [7, 9, 11]]
        one = ctypes.c_uint64()
        indirectml.fill_constant(one, 5)
        assert one.value == 5
    """)


def test_more_dimensions_than_numpy_has_are_filled_or_refused():
    run_script("""
        import contextlib
        import ctypes
        import indirectml

        kind = ctypes.c_uint8
        for _ in range(200):
            kind *= 1
        with contextlib.suppress(indirectml.DirectMLError):
            indirectml.fill_constant(kind(), 1)
    """)


def test_torch_tensors_are_filled_in_place():
    torch = pytest.importorskip("torch")
    for name in ("uint8", "int8", "int16", "int32", "int64", "float16", "float32", "float64"):
        memory = torch.zeros((6, 8), dtype=getattr(torch, name))
        out = memory.t()[1::2, ::3]
        assert fill_sequence(out, 1, 2) is out
        assert out.tolist() == [[1, 3], [5, 7], [9, 11], [13, 15]]
        assert memory.sum() == 64
    parameter = torch.zeros(3, requires_grad=True)
    fill_constant(parameter.detach(), 1.5)
    assert parameter.tolist() == [1.5] * 3


class DLPackOnly:
    """An array of a library that has DLPack alone."""

    def __init__(self, memory, device=(1, 0)):
        self.memory, self.device = memory, device

    def __dlpack__(self, **options):
        return self.memory.__dlpack__(**options)

    def __dlpack_device__(self):
        return self.device


def test_arrays_with_dlpack_alone_are_filled():
    memory = np.zeros((4, 6), np.int32)
    out = DLPackOnly(memory[::2, ::-2])
    assert fill_sequence(out, 1, 1) is out
    assert memory[::2, ::-2].tolist() == [[1, 2, 3], [4, 5, 6]]
    assert memory.sum() == 21


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


# ---- Refusals ------------------------------------------------------------------------------------

NO_ARRAY = "out: needs a writable array (NumPy, memory map, buffer or DLPack), got "
NO_DATA_TYPE = (
    "out: needs one of the data types float32, float16, uint32, uint16, uint8, int32, int16, "
    "int8, float64, uint64, int64, got "
)
NO_EXPORT = "out: needs an array that DLPack can export, got Tensor: "
OVERLAP = "out: needs an array whose elements do not share memory, got one where "
READ_ONLY = "out: needs a writable array, got a read-only one"


def read_only(memory):
    view = memory.view()
    view.flags.writeable = False
    return view


#: How to make an output of 48 zero bytes, and why it is refused.
REFUSED = [
    pytest.param(lambda m: m.tolist()[:2], DataTypeError, NO_ARRAY + "[0, 0] (list)", id="list"),
    pytest.param(lambda _: None, DataTypeError, NO_ARRAY + "None (NoneType)", id="None"),
    pytest.param(lambda _: 1.5, DataTypeError, NO_ARRAY + "1.5 (float)", id="number"),
    pytest.param(
        lambda _: np.float32(1),
        LayoutError,
        "out: needs writable memory, got read-only float32",
        id="NumPy number",
    ),
    pytest.param(
        lambda _: mmap.mmap(-1, 48, access=mmap.ACCESS_READ),
        LayoutError,
        "out: needs writable memory, got read-only mmap",
        id="read-only memory map",
    ),
    pytest.param(
        lambda m: m.tobytes(),
        LayoutError,
        "out: needs writable memory, got read-only bytes",
        id="bytes",
    ),
    pytest.param(read_only, LayoutError, READ_ONLY, id="read-only array"),
    pytest.param(
        lambda m: memoryview(m).toreadonly(),
        LayoutError,
        "out: needs writable memory, got read-only memoryview",
        id="read-only memoryview",
    ),
    pytest.param(
        lambda m: np.broadcast_to(m.view(np.float32), (3, 12)),
        LayoutError,
        READ_ONLY,
        id="broadcast",
    ),
    pytest.param(
        lambda _: np.array([1, None]), DataTypeError, NO_DATA_TYPE + "object", id="objects"
    ),
    pytest.param(
        lambda m: m.view(">f4" if sys.byteorder == "little" else "<f4"),
        DataTypeError,
        NO_DATA_TYPE
        + (">f4" if sys.byteorder == "little" else "<f4")
        + "; convert it to this machine's byte order",
        id="foreign byte order",
    ),
    pytest.param(lambda m: m.view(bool), DataTypeError, NO_DATA_TYPE + "bool", id="bool"),
    pytest.param(
        lambda m: m.view(np.complex64), DataTypeError, NO_DATA_TYPE + "complex64", id="complex"
    ),
    pytest.param(
        lambda m: m.view("M8[s]"), DataTypeError, NO_DATA_TYPE + "datetime64[s]", id="datetime64"
    ),
    pytest.param(
        lambda m: m.view("m8[s]"), DataTypeError, NO_DATA_TYPE + "timedelta64[s]", id="timedelta64"
    ),
    pytest.param(
        lambda m: m.view([("x", "f4")]),
        DataTypeError,
        NO_DATA_TYPE + "[('x', '<f4')]",
        id="records",
    ),
    pytest.param(lambda m: m.view("S4"), DataTypeError, NO_DATA_TYPE + "|S4", id="byte strings"),
    pytest.param(lambda m: m.view("U4"), DataTypeError, NO_DATA_TYPE + "<U4", id="text"),
    pytest.param(
        lambda m: memoryview(m).cast("?"),
        DataTypeError,
        NO_DATA_TYPE + "format '?'",
        id="memoryview of bool",
    ),
    pytest.param(
        lambda m: memoryview(m).cast("c"),
        DataTypeError,
        NO_DATA_TYPE + "format 'c'",
        id="memoryview of characters",
    ),
    pytest.param(
        lambda m: as_strided(m.view(np.float32), (4,), (0,)),
        LayoutError,
        OVERLAP + "(0,) and (1,) do",
        id="stride 0",
    ),
    pytest.param(
        lambda m: as_strided(m.view(np.float32), (3, 4), (4, 4)),
        LayoutError,
        OVERLAP + "(0, 2) and (2, 0) do",
        id="sliding window",
    ),
    pytest.param(
        lambda m: as_strided(m.view(np.float32), (4,), (2,)),
        LayoutError,
        OVERLAP + "(0,) and (1,) do",
        id="elements half over each other",
    ),
    pytest.param(
        lambda m: as_strided(m.view(np.float32)[6:], (2, 4), (-4, 4)),
        LayoutError,
        OVERLAP + "(0, 0) and (1, 1) do",
        id="overlap with a negative stride",
    ),
    pytest.param(
        lambda m: DLPackOnly(m, (2, 0)),
        DataTypeError,
        "out: needs an array in the CPU's memory, got one on DLPack device (2, 0)",
        id="another device",
    ),
    pytest.param(
        lambda m: DLPackOnly(read_only(m)),
        LayoutError,
        READ_ONLY,
        id="read-only DLPack",
    ),
]


def assert_refused(call, kind, text, memory):
    before = memory.copy()
    with pytest.raises(kind) as caught:
        call()
    assert isinstance(caught.value, DirectMLError)
    assert str(caught.value) == text
    assert_bits_equal(actual=memory, expected=before)


@pytest.mark.parametrize(("make", "kind", "text"), REFUSED)
@pytest.mark.parametrize("call", ["fill_constant", "fill_sequence", "write"])
def test_what_cannot_be_written_is_refused_unchanged(make, kind, text, call):
    memory = np.zeros(48, np.uint8)
    out = make(memory)
    calls = {
        "fill_constant": lambda: fill_constant(out, 1),
        "fill_sequence": lambda: fill_sequence(out, 0, 1),
        "write": lambda: Sequence(0, 1, np.float32).write(out),
    }

    assert_refused(calls[call], kind, text, memory)


BAD_VALUES = [
    # dtype, value, exception, text after the field
    ("int8", 300, ScalarError, "INT8 holds -128..127, got 300"),
    ("int8", -129, ScalarError, "INT8 holds -128..127, got -129"),
    ("int64", 2**63, ScalarError,
     "INT64 holds -9223372036854775808..9223372036854775807, got 9223372036854775808"),
    ("float16", 65520, ScalarError,
     "FLOAT16 holds finite numbers up to 65504 in magnitude, got 65520"),
    ("float32", 1e39, ScalarError,
     "FLOAT32 holds finite numbers up to 3.40282e+38 in magnitude, got 1e+39"),
    ("float32", "1", DataTypeError, "needs a number, got '1' (str)"),
    ("float32", None, DataTypeError, "needs a number, got None (NoneType)"),
    ("float64", 1j, DataTypeError, "needs a number, got 1j (complex)"),
    ("float64", [1.0], DataTypeError, "needs a number, got [1.0] (list)"),
    ("uint8", b"abc", ScalarError, "a scalar union has 8 bytes, got b'abc'"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("dtype", "value", "kind", "text"),
    [pytest.param(*case, id=f"{case[0]} {case[1]!r}") for case in BAD_VALUES],
)
def test_values_that_do_not_fit_are_refused_and_named(dtype, value, kind, text):
    memory = np.full(4, 9, dtype)

    assert_refused(lambda: fill_constant(memory, value), kind, f"value: {text}", memory)
    assert_refused(lambda: fill_sequence(memory, value, 1), kind, f"start: {text}", memory)
    assert_refused(lambda: fill_sequence(memory, 1, value), kind, f"delta: {text}", memory)


def test_a_negative_value_of_an_unsigned_type_is_refused_but_a_negative_delta_is_taken():
    memory = np.full(4, 9, np.uint8)
    text = "UINT8 holds 0..255, got -1"

    assert_refused(lambda: fill_constant(memory, -1), ScalarError, f"value: {text}", memory)
    assert_refused(lambda: fill_sequence(memory, -1, 1), ScalarError, f"start: {text}", memory)
    text = "delta: UINT8 holds deltas from -255 to 255, got -256"
    assert_refused(lambda: fill_sequence(memory, 1, -256), ScalarError, text, memory)
    text = "delta: UINT8 holds deltas from -255 to 255, got 256"
    assert_refused(lambda: fill_sequence(memory, 1, 256), ScalarError, text, memory)
    assert fill_sequence(memory, 1, -255).tolist() == [1, 2, 3, 4]
    assert fill_sequence(memory, 1, 255).tolist() == [1, 0, 255, 254]


def test_an_array_of_another_data_type_is_refused_by_a_sequence():
    memory = np.full(4, 9, np.float64)

    assert_refused(
        lambda: Sequence(0, 1).write(memory),
        DataTypeError,
        "out: needs an array of float32, got float64",
        memory,
    )


def test_torch_tensors_that_cannot_be_written_are_refused():
    torch = pytest.importorskip("torch")
    tracked = torch.zeros(3, requires_grad=True)
    cases = [
        (
            tracked,
            f"{NO_EXPORT}Can't export tensors that require gradient, use tensor.detach()",
        ),
        (torch.zeros(1).expand(3), OVERLAP + "(0,) and (1,) do"),
        (torch.zeros(3, dtype=torch.complex64), NO_DATA_TYPE + "format 'Zf'"),
    ]
    for out, text in cases:
        with pytest.raises(DirectMLError) as caught:
            fill_constant(out, 1)
        assert str(caught.value) == text
        assert not out.detach().any()
    for out in (torch.zeros(3, dtype=torch.bfloat16), torch.zeros(3, device="meta")):
        with pytest.raises(DataTypeError, match=r"^out: needs "):
            fill_constant(out, 1)


def test_a_torch_view_that_reads_as_its_negative_is_refused_or_filled_right():
    torch = pytest.importorskip("torch")
    out = torch.zeros(3, dtype=torch.complex64).conj().imag
    assert out.is_neg()
    try:
        fill_constant(out, 1)
    except DirectMLError:
        assert not out.any()
    else:
        assert out.tolist() == [1, 1, 1]
