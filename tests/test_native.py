"""The native core without Python: under sanitizers, and on an emulated Arm processor."""

import itertools
import os
import platform
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import indirectml

ROOT = Path(__file__).parents[1]
#: What a build and a run may take on a slow machine.
TIMEOUT_S = 600
#: Bits and precision of the formats that are proved in every run of the tests.
SMALL_FORMATS = ((6, 3), (6, 4), (8, 3), (8, 4), (8, 5))


def find_tool(*names):
    """Return the first of some programs, from the PATH or from beside the interpreter."""
    beside = str(Path(sys.executable).parent)
    path = os.pathsep.join([os.environ.get("PATH", os.defpath), beside])
    return next(filter(None, (shutil.which(name, path=path) for name in names)), None)


def run(*command):
    """Return what a program prints; fail with all of it unless it ends with code 0."""
    done = subprocess.run(
        [str(word) for word in command],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=TIMEOUT_S,
        check=False,
    )
    assert done.returncode == 0, f"{command[0]}: exit code {done.returncode}\n{done.stdout}"
    return done.stdout


def need(tools):
    """Skip unless every program was found, and say which were not."""
    missing = [name for name, found in tools.items() if found is None]
    if missing:
        pytest.skip(f"missing: {', '.join(missing)}")


def build(program, folder, *options):
    """Build a check program in a folder; return its path."""
    cmake, ninja = find_tool("cmake"), find_tool("ninja")
    generator = ["-G", "Ninja", f"-DCMAKE_MAKE_PROGRAM={ninja}"] if ninja else []
    fixed = ["-DINDIRECTML_MODULE=OFF", "-DINDIRECTML_CHECK=ON"]
    run(cmake, "-S", ROOT, "-B", folder, *generator, *fixed, *options)
    run(cmake, "--build", folder, "--target", program)
    return folder / program


def has_sanitizers(compiler, folder):
    """Return whether the compiler can link a program with the address sanitizer."""
    source = folder / "empty.cpp"
    source.write_text("int main() { return 0; }\n", encoding="utf-8")
    options = ["-fsanitize=address,undefined", "-o", folder / "empty", source]
    done = subprocess.run(
        [compiler, *map(str, options)], capture_output=True, timeout=TIMEOUT_S, check=False
    )
    return done.returncode == 0


def assert_all_checked(output, targets):
    lines = output.splitlines()
    assert lines[0] == f"targets: {' '.join(targets)}"
    assert lines[1:-1] == [
        "kernels of portable: as defined",
        *(f"kernels of {target}: as portable" for target in reversed(targets[:-1])),
    ]
    assert lines[-1].startswith("check_native: ")
    assert "comparisons, no difference" in lines[-1]


def test_the_native_core_is_right_under_sanitizers(tmp_path):
    compiler = os.environ.get("CXX") or find_tool("c++", "g++", "clang++")
    need({"cmake": find_tool("cmake"), "a C++ compiler": compiler})
    if not has_sanitizers(compiler, tmp_path):
        pytest.skip(f"missing: {compiler} has no address and undefined behaviour sanitizers")
    program = build(
        "check_native",
        tmp_path / "build",
        f"-DCMAKE_CXX_COMPILER={compiler}",
        "-DINDIRECTML_SANITIZE=address,undefined",
    )

    assert_all_checked(run(program), indirectml.available_targets())


def test_every_pair_of_small_floats_and_a_sample_of_half_precision(tmp_path):
    """The command for all pairs of FLOAT16 is in CONTRIBUTING.md."""
    need({"cmake": find_tool("cmake")})
    if os.name == "nt":
        pytest.skip("missing: the oracle's 128-bit integers, with Microsoft's compiler")
    program = build("check_exhaustive", tmp_path / "build")

    output = run(program) + run(program, "--format", "16,11", "--stride", "101")

    lines = [line for line in output.splitlines() if " pairs, " in line]  # the rest is progress
    checks = itertools.product([*SMALL_FORMATS, (16, 11)], ("accumulate", "multiply"))
    for line, ((bits, precision), rule) in zip(lines, checks, strict=True):
        pairs = 1 << (2 * bits) if bits <= 8 else 421_123
        assert line.startswith(f"{rule}, {bits} bits, precision {precision}: ")
        assert f": {pairs} pairs, " in line
        assert ", no difference, " in line


def test_the_neon_kernels_are_right_on_an_emulated_processor(tmp_path):
    if platform.machine().lower() in {"aarch64", "arm64"}:
        pytest.skip("this processor has NEON; nothing is left to emulate")
    compiler = find_tool("aarch64-linux-gnu-g++")
    emulator = find_tool("qemu-aarch64", "qemu-aarch64-static")
    need(
        {
            "cmake": find_tool("cmake"),
            "aarch64-linux-gnu-g++": compiler,
            "qemu-aarch64": emulator,
        }
    )
    program = build(
        "check_native",
        tmp_path / "build",
        "-DCMAKE_SYSTEM_NAME=Linux",
        "-DCMAKE_SYSTEM_PROCESSOR=aarch64",
        f"-DCMAKE_CXX_COMPILER={compiler}",
    )

    output = run(emulator, "-L", "/usr/aarch64-linux-gnu", program)

    assert_all_checked(output, ("neon", "portable"))
