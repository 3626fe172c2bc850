"""The native code without Python: under sanitizers, by other compilers, on emulated machines."""

import contextlib
import functools
import itertools
import os
import platform
import re

import pytest

import indirectml
from tests import arm64, mutations, same_bits
from tests.extent import Extent
from tests.graphs.random_graphs import random_graph
from tests.native.building import (
    MINGW,
    ROOT,
    WINE,
    build,
    can_link,
    find_tool,
    need,
    need_compiling,
    only_what_runs,
    run,
    sanitizing_compiler,
)
from tests.parameters import in_one_test

#: Bits and precision of the formats that are proved in every run of the tests.
SMALL_FORMATS = ((6, 3), (6, 4), (8, 3), (8, 4), (8, 5))
#: Compiling takes longer than running: as far as `--whole` goes the compiler only with that.
LITTLE = f"-DINDIRECTML_OPTIMIZATION={'-O3' if Extent.whole else '-O1'}"
NOT_AT_ALL = f"-DINDIRECTML_OPTIMIZATION={'-O3' if Extent.whole else '-O0'}"


#: How many random cases a program draws, of sums every so many: with `--whole`, as another compiler
#: makes it, sanitized, emulated. The digest of sums is that of all.
DRAWS = {
    "check_quotients": (0, 0),
    "check_sums": (1, 1, 7, 21),
    "check_moving": (150, 50, 20, 20),
    "check_regions": (300, 80, 30, 30),
    "check_programs": (500, 100, 40, 40),
    "check_contraction": (40, 15, 10, 6),
    "check_recurrence": (60, 20, 10, 10),
    "check_attention": (60, 15, 8, 5),
    "check_weights": (60, 15, 5, 5),
    "check_settling": (600, 120, 40, 25),
}
WHOLE, OPTIMIZED, SANITIZED, EMULATED = range(4)


def check(builds, *options, emulator=(), suffix="", targets=None, fma=True, pace=OPTIMIZED):
    """Build the programs with CMake options, run them, and look at what they say.

    Products need a C library whose fma rounds once.
    """
    pace = WHOLE if Extent.whole else pace
    targets = targets or indirectml.available_targets()

    def said_by(name):
        program = build(name, builds, *options)
        draws = (str(DRAWS[name][pace]),) if name in DRAWS else ()
        return run(*emulator, program.with_name(name + suffix), *draws)

    report = said_by("check_native")
    lines = report[report.index("targets:") :].splitlines()  # wine has its say before
    assert lines[0] == f"targets: {' '.join(targets)}"
    assert lines[1:-1] == [
        "kernels of portable: as defined",
        *(f"kernels of {target}: as portable" for target in reversed(targets[:-1])),
    ]
    assert lines[-1].startswith("check_native: ")
    assert "comparisons, no difference" in lines[-1]

    report = said_by("check_sums")
    *lines, summary = report[report.index("sums of") :].splitlines()
    assert lines == [f"sums of {target}: as portable" for target in reversed(targets[:-1])]
    assert summary.startswith("check_sums: ")
    assert "comparisons, no difference" in summary

    summary = said_by("check_moving").splitlines()[-1]
    assert summary.startswith("check_moving: ")
    assert "comparisons, no difference" in summary

    summary = said_by("check_regions").splitlines()[-1]
    assert summary.startswith("check_regions: ")
    assert "comparisons, no difference" in summary

    report = said_by("check_programs")
    *lines, summary = report[report.index("programs of") :].splitlines()
    assert lines == [f"programs of {target}: as portable" for target in reversed(targets[:-1])]
    assert summary.startswith("check_programs: ")
    assert "comparisons, no difference" in summary

    if pace in {WHOLE, OPTIMIZED}:
        summary = said_by("check_quotients").splitlines()[-1]
        assert summary.startswith("check_quotients: ")
        assert summary.endswith("comparisons, no difference")

    if fma:
        *lines, summary = said_by("check_contraction").splitlines()
        assert lines == [f"products of {target}: as defined" for target in reversed(targets)]
        assert summary.startswith("check_contraction: ")
        assert "comparisons, no difference" in summary

        *lines, summary = said_by("check_recurrence").splitlines()
        assert lines == [f"recurrence of {target}: as defined" for target in reversed(targets)]
        assert summary.startswith("check_recurrence: ")
        assert "comparisons, no difference" in summary

        *lines, summary = said_by("check_attention").splitlines()
        assert lines == [f"attention of {target}: as defined" for target in reversed(targets)]
        assert summary.startswith("check_attention: ")
        assert "comparisons, no difference" in summary

        *lines, summary = said_by("check_weights").splitlines()
        assert lines == [f"stored weights of {target}: as defined" for target in reversed(targets)]
        assert summary.startswith("check_weights: ")
        assert "comparisons, no difference" in summary


def test_the_native_core_is_right_under_sanitizers(builds, tmp_path):
    need_compiling()
    compiler = sanitizing_compiler(tmp_path, "address,undefined")

    check(
        builds,
        f"-DCMAKE_CXX_COMPILER={compiler}",
        "-DINDIRECTML_SANITIZE=address,undefined",
        NOT_AT_ALL,
        *only_what_runs(),
        pace=SANITIZED,
    )


def test_threads_do_not_meet(builds, tmp_path):
    """Under the thread sanitizer; with one target, since none of them has threads of its own."""
    need_compiling()
    compiler = sanitizing_compiler(tmp_path, "thread")
    try:
        run(tmp_path / "trial")
    except AssertionError as error:
        pytest.skip(f"the thread sanitizer does not run here: {error}")

    program = build(
        "check_threads",
        builds,
        f"-DCMAKE_CXX_COMPILER={compiler}",
        "-DINDIRECTML_SANITIZE=thread",
        NOT_AT_ALL,
        *mutations.PORTABLE,
    )

    assert run(program).endswith("comparisons, no difference\n")


def test_every_pair_of_small_floats_and_a_sample_of_half_precision(builds):
    """The command for all pairs of FLOAT16 is in CONTRIBUTING.md."""
    need({"cmake": find_tool("cmake")})
    if os.name == "nt":
        pytest.skip("missing: the oracle's 128-bit integers, with Microsoft's compiler")
    program = build("check_exhaustive", builds)

    output = run(program) + run(program, "--format", "16,11", "--stride", "101")

    lines = [line for line in output.splitlines() if " pairs, " in line]  # the rest is progress
    checks = itertools.product([*SMALL_FORMATS, (16, 11)], ("accumulate", "multiply"))
    for line, ((bits, precision), rule) in zip(lines, checks, strict=True):
        pairs = 1 << (2 * bits) if bits <= 8 else 421_123
        assert line.startswith(f"{rule}, {bits} bits, precision {precision}: ")
        assert f": {pairs} pairs, " in line
        assert ", no difference, " in line


#: What takes minutes to compile once more.
other_compiler = pytest.mark.skipif(
    "not Extent.all_compilers", reason="another compiler: --all-compilers has it"
)


@other_compiler
def test_the_native_core_is_right_as_clang_and_its_library_make_it(builds, tmp_path):
    clang = find_tool("clang++")
    need({"cmake": find_tool("cmake"), "clang++": clang})
    options = ("-stdlib=libc++",)
    if not can_link(clang, tmp_path, *options, source="#include <vector>\nint main() {}\n"):
        pytest.skip("missing: libc++")

    flags = f"-DCMAKE_CXX_FLAGS={' '.join(options)}"
    check(builds, f"-DCMAKE_CXX_COMPILER={clang}", flags, LITTLE)


#: As a compiler without 128-bit integers and builtins would have it.
PLAIN = "-DCMAKE_CXX_FLAGS=-DINDIRECTML_PLAIN"


def tools_for_windows():
    return {
        "x86_64-w64-mingw32-g++-posix": find_tool(
            "x86_64-w64-mingw32-g++-posix", "x86_64-w64-mingw32-g++"
        ),
        "wine": find_tool("wine64", "wine", WINE),
    }


@other_compiler
def test_the_native_core_is_right_without_what_gcc_and_clang_add(builds):
    """By clang, if it is there."""
    if all(tools_for_windows().values()) and not Extent.whole:
        pytest.skip("the test for Windows leaves it out too; --whole has both")
    compiler = find_tool("clang++", "c++", "g++")
    need({"cmake": find_tool("cmake"), "a C++ compiler": compiler})

    check(builds, f"-DCMAKE_CXX_COMPILER={compiler}", PLAIN, LITTLE)


@other_compiler
def test_the_native_core_is_right_on_windows(builds, tmp_path, monkeypatch):
    """Without what GCC adds: Microsoft's compiler, which was never tried, has none of it."""
    mingw, wine = tools_for_windows().values()
    need({"cmake": find_tool("cmake"), **tools_for_windows()})
    monkeypatch.setenv("WINEPREFIX", str(tmp_path / "wine"))
    monkeypatch.setenv("WINEDEBUG", "-all")

    options = (*MINGW, f"-DCMAKE_CXX_COMPILER={mingw}", PLAIN, LITTLE, *only_what_runs())
    # MinGW's fmaf adds in 64 bits and rounds twice.
    check(builds, *options, emulator=(wine,), suffix=".exe", fma=False)


@other_compiler
def test_the_neon_kernels_are_right_on_an_emulated_processor(builds):
    if platform.machine().lower() in {"aarch64", "arm64"}:
        pytest.skip("this processor has NEON; nothing is left to emulate")
    need(arm64.tools())

    emulated = (arm64.tools()["qemu-aarch64"], "-L", "/usr/aarch64-linux-gnu")
    targets = ("neon", "portable")
    check(builds, *arm64.options(), emulator=emulated, targets=targets, pace=EMULATED)


#: Of those that `python -m tests.same_bits` runs, what is small.
NETWORKS = ("torch gru", "silero-vad", "rapidocr direction")


@other_compiler
def test_networks_give_the_bits_of_this_machine_on_an_emulated_arm_processor(builds, tmp_path):
    started = arm64.python(builds, tmp_path / "package")
    kept = tmp_path / "networks"
    for name in NETWORKS:
        with contextlib.suppress(ImportError):
            same_bits.main(["--only", name, "--short", "--write", str(kept)])
    for seed in range(0, 128, 16):
        made = random_graph(seed)
        outputs = made.compile()(made.data)
        write = functools.partial(made.graph.serialize, outputs=made.outputs)
        same_bits.write(kept / f"random_{seed}", write, made.data, same_bits.digest_of(outputs))

    said = run(*started, "-m", "tests.same_bits", "--short", "--read", kept)

    assert "neon" in run(*started, "-c", "import indirectml as d; print(d.available_targets())")
    assert said.endswith(" 0 differ\n"), said


#: What one compiler has and another has not.
EXTENSION = re.compile(r"__(builtin|attribute|int128|declspec|forceinline|asm)|_BitScan|__GNUC__")


def test_what_compilers_call_differently_is_in_one_header():
    """Checking programs aside: they are built where their extensions are."""
    for path in sorted((ROOT / "native").rglob("*.*")):
        if path.name == "compiler.h" or path.name.startswith(("check_", "count_")):
            continue
        text = path.read_text(encoding="utf-8")

        found = EXTENSION.search(text)
        assert not found, f"{path.name}: {found[0]} belongs in compiler.h"


def test_streaming_stores_are_fenced():
    """Read in the text: on x86 a missing fence shows too rarely for a test that runs."""
    targets = ROOT / "native" / "targets"
    kernels = (targets / "vector_kernels.inl").read_text(encoding="utf-8")
    streaming = re.findall(r"fill_row<kBytes, true>[^;]*;\s*([^;]*;)", kernels)
    assert streaming == ["fence();"] * 2

    for name in ("avx2", "avx512"):
        text = (targets / f"{name}.cpp").read_text(encoding="utf-8")
        assert "_stream_si" in text
        assert "inline void fence() { _mm_sfence(); }" in text, name

    programs = ROOT / "native" / "programs"
    assert "    _mm_sfence();" in (programs / "streaming.h").read_text(encoding="utf-8")
    text = (programs / "running.cpp").read_text(encoding="utf-8")
    run = text[text.index("    void run(std::uint64_t begin") :]
    assert run[: run.index("\n    }\n")].endswith("        if (streams_) fence();")


@in_one_test(mutation=mutations.load())
def test_every_breakage_still_fits_the_code(mutation):
    """Whether the suites notice them is shown by `python -m tests.mutations`."""
    source = (ROOT / "native" / mutation.file).read_text(encoding="utf-8")

    assert mutation.applied(source) != source
    assert mutation.suite in mutations.SUITES


def test_breakages_have_names_of_their_own():
    names = [mutation.name for mutation in mutations.load()]
    assert len(set(names)) == len(names)
