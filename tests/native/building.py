"""Running other programs; building those of the native code."""

import contextlib
import hashlib
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest

import indirectml
from tests.extent import ALL_COMPILERS, Extent

ROOT = Path(__file__).parents[2]
#: What a build and a run may take on a slow machine.
TIMEOUT_S = 600
#: CMake options for an emulated Arm processor.
ARM = (
    "-DCMAKE_SYSTEM_NAME=Linux",
    "-DCMAKE_SYSTEM_PROCESSOR=aarch64",
    "-DCMAKE_CXX_COMPILER=aarch64-linux-gnu-g++",
)
#: For Windows; without its DLLs beside the program.
MINGW = (
    "-DCMAKE_SYSTEM_NAME=Windows",
    "-DCMAKE_SYSTEM_PROCESSOR=x86_64",
    "-DCMAKE_EXE_LINKER_FLAGS=-static",
)
#: Where Debian has the emulator of Windows, outside of the PATH.
WINE = "/usr/lib/wine/wine64"


def find_tool(*names):
    """Return the first of some programs, from the PATH or from beside the interpreter."""
    beside = str(Path(sys.executable).parent)
    path = os.pathsep.join([os.environ.get("PATH", os.defpath), beside])
    return next(filter(None, (shutil.which(name, path=path) for name in names)), None)


def need(tools):
    """Skip unless every program was found, and say which were not."""
    missing = [name for name, found in tools.items() if found is None]
    if missing:
        pytest.skip(f"missing: {', '.join(missing)}")


def need_compiling():
    """Skip unless minutes may be spent on compiling once more, as far as users do."""
    if not Extent.all_compilers:
        pytest.skip(f"compiles the native code once more: {ALL_COMPILERS} has it")


def run(*command, **options):
    """Return what a program prints; fail with all of it unless it ends with code 0."""
    done = subprocess.run(
        [str(word) for word in command],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=TIMEOUT_S,
        check=False,
        **options,
    )
    assert done.returncode == 0, f"{command[0]}: exit code {done.returncode}\n{done.stdout}"
    return done.stdout


def can_link(compiler, folder, *options, source="int main() { return 0; }"):
    """Return whether a compiler makes a program with some options."""
    path = folder / "trial.cpp"
    path.write_text(source, encoding="utf-8")
    command = [compiler, *options, "-o", folder / "trial", path]
    done = subprocess.run(
        [str(word) for word in command], capture_output=True, timeout=TIMEOUT_S, check=False
    )
    return done.returncode == 0


def sanitizing_compiler(folder, sanitizers):
    """Return a compiler that has sanitizers, or skip: clang, which takes two fifths of GCC's time.

    It finds more, too: unsigned numbers that move a pointer back.
    """
    known = find_tool("clang++"), os.environ.get("CXX") or find_tool("c++", "g++")
    compilers = [compiler for compiler in known if compiler]
    need({"cmake": find_tool("cmake"), "a C++ compiler": compilers or None})
    for compiler in compilers:
        if can_link(compiler, folder, f"-fsanitize={sanitizers}"):
            return compiler
    pytest.skip(f"missing: {' and '.join(compilers)} have no sanitizers for {sanitizers}")


def need_mpfr(folder):
    """Skip where the library is missing that decides hard cases."""
    compiler = os.environ.get("CXX") or find_tool("c++", "g++", "clang++")
    need({"cmake": find_tool("cmake"), "a C++ compiler": compiler})
    if not can_link(compiler, folder, "-c", source="#include <mpfr.h>\n"):
        pytest.skip("missing: MPFR (Debian: libmpfr-dev)")


def only_what_runs():
    """Return the CMake options that leave out what this processor does not run."""
    return () if "avx512" in indirectml.available_targets() else ("-DINDIRECTML_AVX512=OFF",)


def module_options():
    """Return the CMake options that build the Python module for this interpreter."""
    nanobind = run(sys.executable, "-m", "nanobind", "--cmake_dir").strip()
    return (
        "-DINDIRECTML_MODULE=ON",
        f"-DPython_EXECUTABLE={sys.executable}",
        f"-Dnanobind_DIR={nanobind}",
    )


def configure(folder, *options, source=ROOT):
    """Prepare a folder for building the check programs."""
    ninja = find_tool("ninja")
    generator = ["-G", "Ninja", f"-DCMAKE_MAKE_PROGRAM={ninja}"] if ninja else []
    fixed = ["-DINDIRECTML_MODULE=OFF", "-DINDIRECTML_CHECK=ON"]
    run(find_tool("cmake"), "-S", source, "-B", folder, *generator, *fixed, *options)


def build(program, builds, *options):
    """Build a check program with CMake options, and return its path.

    `builds` is the folder that all tests of a run share, so that programs with equal options share
    what is compiled.
    """
    with build_folder(builds, *options) as folder:
        if not folder.exists():
            configure(folder, *options)
        run(find_tool("cmake"), "--build", folder, "--target", program)
    return folder / program


@contextlib.contextmanager
def build_folder(builds, *options):
    """Yield the folder of builds with CMake options, for this process alone."""
    name = hashlib.sha256(repr(options).encode()).hexdigest()[:8]
    with _alone(builds / f"{name}.lock"):
        yield builds / name


@contextlib.contextmanager
def _alone(lock):
    """Keep other processes of the same run out: those of pytest-xdist."""
    lock.parent.mkdir(parents=True, exist_ok=True)
    while True:
        try:
            lock.mkdir()
        except FileExistsError:
            time.sleep(0.2)
        else:
            break
    try:
        yield
    finally:
        lock.rmdir()
