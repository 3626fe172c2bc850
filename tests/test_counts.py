"""Speed by counting instead of by the clock: instructions, allocations, calls of the system.

Counts are the same on a busy machine. The bounds are what was counted and some headroom, for
GCC 12 and CPython 3.11 on x86-64; a change that needs more fails here, and either it is mended or
the new count is recorded in the tables below. `python -m pytest tests/test_counts.py -rP` prints
all counts. valgrind knows no AVX-512, so what is counted are the portable kernels and AVX2's.
"""

import re
import subprocess
import sys
import tracemalloc

import pytest
from benchmarks import counts as engine

from tests.counting import FILLS, counted_work, engine_counts, native_counts
from tests.extent import ALL_COMPILERS, Extent
from tests.native.building import TIMEOUT_S, find_tool, need, need_compiling, run

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

#: How many times as many instructions as recorded in docs/counts.json the engine may take, by which
#: `python -m benchmarks.counts` replaces them.
ENGINE_HEADROOM = 1.125

#: Instructions per call of the native code for 3 elements of 4 bytes, and allocations, at most.
SMALL_FILLS = {
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
    "graph(given)": (75000, 2200),
    "model(given)": (105000, 2200),
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
given = {"x": np.ones((2, 3), np.float32)}
made = dml.Graph(dml.Device())
w = made.constant(np.ones((3, 4), np.float32))
graph = made.compile([dml.gemm(dml.abs(made.input([2, 3], name="x")), w)])
model = dml.load_onnx(graph.to_onnx())
sequence = dml.Sequence(0, 0.1)
device = dml.Device()
desc = dml.FillValueSequenceOperatorDesc(dml.TensorDesc(np.float32, [3]), np.float32, 1.5, 0.25)
compiled = device.compile_operator(device.create_operator(desc))
"""


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
        f"{name}: {count:.5g} {unit}, at most {bounds[name]:.5g}" for name, count in counts.items()
    ]
    print("\n".join(lines))  # noqa: T201 (pytest -rP shows it)
    larger = [line for line, name in zip(lines, counts, strict=True) if counts[name] > bounds[name]]
    advice = f"mend it, or record the new count in the tables of {__name__.replace('.', '/')}.py"
    assert not larger, "\n".join([f"more {unit} than recorded; {advice}:", *larger])


@pytest.fixture(scope="module")
def fills(tmp_path_factory, builds):
    """Return, by name, lists of (units, instructions, allocations) of fills."""
    need_compiling()
    return native_counts(FILLS, tmp_path_factory.mktemp("fills"), builds)


def test_kernels_take_no_more_instructions_per_element_than_recorded(fills):
    counts, bounds = {}, {}
    for kernel, recorded in KERNELS.items():
        for width, bound in zip((1, 2, 4, 8)[-len(recorded) :], recorded, strict=True):
            name = f"{kernel} {width}"
            if name in fills:
                (few, for_few, _), (many, for_many, _) = fills[name]
                counts[name], bounds[name] = (for_many - for_few) / (many - few), bound

    assert "portable step 4" in counts
    assert_at_most(counts, bounds, "instructions per element")


def test_the_engine_takes_no_more_instructions_than_recorded(tmp_path, builds):
    """Beside plain loops, each of which is there to compare with: see docs/speed-details.md."""
    need_compiling()
    record = engine.read()["instructions"]

    rows = engine_counts(tmp_path, builds)

    assert set(rows) == set(record), "another list of works; `python -m benchmarks.counts` anew"
    names = [(work, t) for work, counts in rows.items() for t in counts if t != "plain"]
    assert {t for _, t in names} >= {"avx2", "portable"}
    counts = {f"{work}, {t}": rows[work][t] for work, t in names}
    bounds = {f"{work}, {t}": ENGINE_HEADROOM * record[work][t] for work, t in names}
    for work, counted in rows.items():
        # Division of integers has no vectors: both take the same, but for some steps before it.
        at_most = 1.001 * counted["portable"]
        assert counted["avx2"] <= at_most, f"{work}: vectors take more than plain C++"
    assert_at_most(counts, bounds, "instructions")


def test_the_page_has_the_instructions_that_were_recorded():
    text = engine.PAGE.read_text(encoding="utf-8")

    assert engine.table(engine.read()) in text


def test_small_fills_take_no_more_instructions_than_recorded(fills):
    counts = {name: fills[name][0][1] / fills[name][0][0] for name in SMALL_FILLS}

    bounds = {name: bound for name, (bound, _) in SMALL_FILLS.items()}
    assert_at_most(counts, bounds, "instructions")


def test_fills_allocate_no_more_often_than_recorded(fills):
    names = [name for name in fills if name not in SMALL_FILLS]
    counts = {name: max(c for _, _, c in fills[name]) for name in names}
    bounds = dict.fromkeys(names, 0) | {"fill from two threads": ALLOCATIONS_FROM_TWO_THREADS}
    for name, (_, bound) in SMALL_FILLS.items():
        calls, _, allocations = fills[name][0]
        counts[name], bounds[name] = allocations / calls, bound

    assert_at_most(counts, bounds, "allocations")


@pytest.mark.skipif(
    (sys.implementation.name, sys.version_info[:2]) != ("cpython", (3, 11)),
    reason="what a call costs was counted with CPython 3.11; the native code is counted with any",
)
@pytest.mark.skipif(not Extent.all_compilers, reason=f"half a minute: {ALL_COMPILERS} has it")
def test_calls_take_no_more_instructions_than_recorded(tmp_path):
    run(sys.executable, "-c", program())  # compiles modules, which under valgrind takes minutes
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
