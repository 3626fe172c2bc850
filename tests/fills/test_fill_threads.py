"""Large fills: threads and caches change no bit, and threads are started where they may be."""

import functools
import os
import sys
import threading
from pathlib import Path

import numpy as np
import pytest

from indirectml import configure, fill_sequence
from indirectml.core.settings import Settings
from tests import reference
from tests.bits import assert_bits_equal, count_compared
from tests.fills import filling
from tests.fills.filling import Fill, fills, run_script, stream_from

#: An output of so many bytes is filled by up to four threads, after `stream_from`.
FOUR_THREADS_BYTES = 4 << 20

target = filling.target  # a fixture


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
def test_thread_counts_and_caches_do_not_change_a_bit(target, layout, max_threads):
    configure(max_threads=max_threads)
    for dtype in [np.dtype(name) for name in ("uint8", "int64", "float16", "float32", "float64")]:
        # Rows of 3 of 4 still fill four threads.
        base = np.empty(3 * FOUR_THREADS_BYTES // 2 // dtype.itemsize + 12_347, dtype)
        for fill in large_fills(dtype):
            for streaming_bytes in (1, 1 << 40) if layout == "contiguous" else (1 << 40,):
                stream_from(streaming_bytes)
                assert (Settings.policy.target, Settings.policy.max_threads) == (
                    target,
                    max_threads,
                )
                base.view(np.uint8).fill(0xA5)
                out = LARGE_LAYOUTS[layout](base)
                assert out.nbytes >= FOUR_THREADS_BYTES

                fill.write(out)

                expected = large_expected(dtype, fill, base.size)[: out.size].reshape(out.shape)
                where = f"{target}, {fill.name}, {max_threads} threads, from {streaming_bytes}"
                count_compared(out.size)
                if not np.array_equal(out, expected):
                    assert_bits_equal(actual=out, expected=expected, where=where)


# ---- Starting threads --------------------------------------------------------------------------


@pytest.mark.parametrize("max_threads", [1, 2, 4])
def test_a_large_fill_runs_on_as_many_threads_as_the_setting_allows(max_threads):
    if not Path("/proc/self/task").exists():
        pytest.skip("this system does not list a process's threads")
    # Who waited long for its helpers works alone for a while, so that each fill has a thread of its
    # own; and fills are patient, so that who looks for their threads comes before they have ended.
    run_script(f"""
        import os
        import threading
        import numpy as np
        import indirectml

        def thread_count():
            return len(os.listdir("/proc/self/task"))

        def fill_patiently():
            os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), 10)
            indirectml.fill_constant(out, 1)

        indirectml.configure(max_threads={max_threads})
        out = np.empty(64 << 20, np.uint8)
        most = before = thread_count()
        # A look may come too late for a short fill: with luck the first one is enough.
        for _ in range(3 if {max_threads} == 1 else 500):
            filler = threading.Thread(target=fill_patiently)
            filler.start()
            while filler.is_alive():
                most = max(most, thread_count())
            while thread_count() > before:
                pass  # a thread is listed a little longer than it is alive
            if most >= before + {max_threads} > before + 1:
                break
        assert most == before + {max_threads}, (before, most)
    """)


def test_several_python_threads_may_fill_at_once():
    count, rounds = 1 << 21, 8
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

        out, expected = np.empty(4 << 20, np.float32), np.arange(4 << 20)
        indirectml.configure(max_threads=4)
        _, most = resource.getrlimit(resource.RLIMIT_AS)
        pages = int(open("/proc/self/statm").read().split()[0])
        limit = pages * resource.getpagesize() + ({free_mebibytes} << 20)
        resource.setrlimit(resource.RLIMIT_AS, (limit, most))
        indirectml.fill_sequence(out, 0, 1)
        resource.setrlimit(resource.RLIMIT_AS, (most, most))
        assert np.array_equal(out, expected)
    """)
