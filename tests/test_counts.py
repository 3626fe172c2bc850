"""Speed by counting instead of by the clock: instructions, allocations, calls of the system.

Counts are the same on a busy machine. The bounds are what was counted and some headroom, for
GCC 12 and CPython 3.11 on x86-64; a change that needs more fails here, and either it is mended or
the new count is recorded in the tables below. `python -m pytest tests/test_counts.py -rP` prints
all counts. valgrind knows no AVX-512, so what is counted are the portable kernels and AVX2's.
"""

import os
import re
import subprocess
import sys
import tracemalloc

import pytest

from tests.native import ROOT, TIMEOUT_S, build, find_tool, need, run

#: Instructions per element, at most, for elements of 1, 2, 4 and 8 bytes, or of 2, 4 and 8.
KERNELS = {
    "avx2 constant": (0.14, 0.28, 0.55, 1.1),
    "avx2 streaming": (0.14, 0.28, 0.55, 1.1),
    "avx2 step": (0.14, 0.28, 0.55, 1.1),
    "avx2 fraction": (0.47, 0.94, 2.35),
    "avx2 ties": (0.94, 1.9, 3.2),
    "portable constant": (4.5, 4.5, 6, 6),
    "portable streaming": (4.5, 4.5, 6, 6),
    "portable step": (4.5, 4.5, 6, 6),
    "portable fraction": (6, 7, 14),
    "portable ties": (6, 7, 14),
}

#: Instructions per call of the core for 3 elements of 4 bytes, and allocations, at most.
FILLS = {
    "fill constant": (500, 0),
    "fill accumulate": (700, 0),
    "fill multiply": (1120, 0),
    "fill gaps": (500, 0),
    "fill turned": (1400, 1),
    "element accumulate": (8500, 0),
    "element multiply": (370, 0),
}
#: Threads are kept in one list; each that is started needs one more.
ALLOCATIONS_FROM_TWO_THREADS = 2

#: Instructions per call from Python, and bytes at most in use by Python during it.
CALLS = {
    "dml.fill_constant(out, 1.5)": (4500, 500),
    "dml.fill_constant(view, 1.5)": (5200, 500),
    "dml.fill_sequence(out, 1.5, 0.25)": (5700, 500),
    "compiled(out=outs)": (10000, 500),
    "dml.full(3, 1.5)": (17500, 2200),
    "sequence[10**9]": (22500, 800),
}
REPEATS = 1000

#: What the calls use.
SETUP = """
import os
import numpy as np
import indirectml as dml
out = np.empty(3, np.float32)
outs = [out]
view = np.empty((3, 2), np.float32)[:, 0]
sequence = dml.Sequence(0, 0.1)
device = dml.Device()
desc = dml.FillValueSequenceOperatorDesc(dml.TensorDesc(np.float32, [3]), np.float32, 1.5, 0.25)
compiled = device.compile_operator(device.create_operator(desc))
"""


def counted_work(folder, *command):
    """Return what a program prints, and how many instructions are between pairs of its marks."""
    valgrind = find_tool("valgrind")
    need({"valgrind": valgrind})
    files = folder / "counts"
    tool = [valgrind, "-q", "--tool=callgrind", "--dump-before=getppid"]
    environment = os.environ | {"PYTHONHASHSEED": "0", "OPENBLAS_NUM_THREADS": "1"}
    printed = run(*tool, f"--callgrind-out-file={files}", *command, env=environment, cwd=ROOT)
    parts = sorted(folder.glob("counts.*"), key=lambda path: int(path.suffix[1:]))
    totals = [re.search(r"^totals: (\d+)", path.read_text("utf-8"), re.MULTILINE) for path in parts]
    return printed, [int(total[1]) for total in totals[1::2]]


def program():
    """Return a Python program with every call repeated between two marks."""
    lines = [SETUP]
    for call in CALLS:
        repeated = f"for _ in range({REPEATS}): {call}"
        lines += [f"for _ in range(20): {call}", "os.getppid()", repeated, "os.getppid()"]
    return "\n".join(lines)


def assert_at_most(counts, bounds, unit):
    """Compare counts with bounds, both by name, and say what to do about those that are larger."""
    lines = [
        f"{name}: {count:.5g} {unit}, at most {bounds[name]}" for name, count in counts.items()
    ]
    print("\n".join(lines))  # noqa: T201 (pytest -rP shows it)
    larger = [line for line, name in zip(lines, counts, strict=True) if counts[name] > bounds[name]]
    advice = f"mend it, or record the new count in the tables of {__name__.replace('.', '/')}.py"
    assert not larger, "\n".join([f"more {unit} than recorded; {advice}:", *larger])


@pytest.fixture(scope="module")
def native_counts(tmp_path_factory, builds):
    """Return, by name, lists of (units, instructions, allocations) of the native program."""
    need({"cmake": find_tool("cmake"), "valgrind": find_tool("valgrind")})
    folder = tmp_path_factory.mktemp("counts")
    printed, instructions = counted_work(folder, build("count_instructions", builds))
    lines = [line.split("\t") for line in printed.splitlines()]
    counts = {}
    for (name, units, allocations), count in zip(lines, instructions, strict=True):
        counts.setdefault(name, []).append((int(units), count, int(allocations)))
    return counts


def test_kernels_take_no_more_instructions_per_element_than_recorded(native_counts):
    counts, bounds = {}, {}
    for kernel, recorded in KERNELS.items():
        for width, bound in zip((1, 2, 4, 8)[-len(recorded) :], recorded, strict=True):
            name = f"{kernel} {width}"
            if name in native_counts:
                (few, for_few, _), (many, for_many, _) = native_counts[name]
                counts[name], bounds[name] = (for_many - for_few) / (many - few), bound

    assert "portable step 4" in counts
    assert_at_most(counts, bounds, "instructions per element")


def test_small_fills_take_no_more_instructions_than_recorded(native_counts):
    counts = {name: native_counts[name][0][1] / native_counts[name][0][0] for name in FILLS}

    assert_at_most(counts, {name: bound for name, (bound, _) in FILLS.items()}, "instructions")


def test_fills_allocate_no_more_often_than_recorded(native_counts):
    names = [name for name in native_counts if name not in FILLS]
    counts = {name: max(c for _, _, c in native_counts[name]) for name in names}
    bounds = dict.fromkeys(names, 0) | {"fill from two threads": ALLOCATIONS_FROM_TWO_THREADS}
    for name, (_, bound) in FILLS.items():
        calls, _, allocations = native_counts[name][0]
        counts[name], bounds[name] = allocations / calls, bound

    assert_at_most(counts, bounds, "allocations")


@pytest.mark.skipif(
    (sys.implementation.name, sys.version_info[:2]) != ("cpython", (3, 11)),
    reason="what a call costs was counted with CPython 3.11; the core is counted with any",
)
def test_calls_take_no_more_instructions_than_recorded(tmp_path):
    _, instructions = counted_work(tmp_path, sys.executable, "-c", program())

    counts = dict(zip(CALLS, (count / REPEATS for count in instructions), strict=True))
    assert_at_most(counts, {call: bound for call, (bound, _) in CALLS.items()}, "instructions")


def test_calls_need_little_memory_and_keep_none():
    names = {}
    exec(SETUP, names)  # noqa: S102 (it stands above)
    counts = {}
    for call in CALLS:
        repeated = compile(f"for _ in range({REPEATS}): {call}", "call", "exec")
        exec(repeated, names)  # noqa: S102
        tracemalloc.start()
        try:
            exec(repeated, names)  # noqa: S102
            before, _ = tracemalloc.get_traced_memory()
            tracemalloc.reset_peak()
            exec(repeated, names)  # noqa: S102
            after, peak = tracemalloc.get_traced_memory()
        finally:
            tracemalloc.stop()
        counts[call] = peak - before
        assert after - before < REPEATS, f"{call}: {after - before} bytes stay after {REPEATS}"

    assert_at_most(counts, {call: bound for call, (_, bound) in CALLS.items()}, "bytes")


def test_small_calls_ask_the_system_for_nothing(tmp_path):
    strace = find_tool("strace")
    need({"strace": strace})
    log = tmp_path / "log"
    command = [strace, "-f", "-o", log, sys.executable, "-c", program()]
    done = subprocess.run(command, capture_output=True, text=True, timeout=TIMEOUT_S, check=False)
    if "ptrace" in done.stderr.lower():
        pytest.skip(f"this system lets no process be traced: {done.stderr.strip()}")
    assert done.returncode == 0, done.stderr

    pieces = re.split(r"^.*getppid\(.*\n", log.read_text(encoding="utf-8"), flags=re.MULTILINE)[
        1::2
    ]

    assert len(pieces) == len(CALLS)
    for call, piece in zip(CALLS, pieces, strict=True):
        asked = piece.splitlines()
        # Python itself asks for memory now and then, but no call does every time.
        assert len(asked) < REPEATS / 100, f"{call} asks {len(asked)} times, first: {asked[:3]}"
