"""The package as a 64-bit Arm processor runs it, under qemu: `python -m tests.arm64 WORDS`.

WORDS are Python's own, such as `-m tests.same_bits --read FOLDER`. Python and NumPy for that
processor lie in the folder that the environment variable INDIRECTML_ARM64 names; `.ci/arm64` fills
it.
"""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.native.building import ARM, ROOT, build, find_tool, module_options, need

FOLDER = "INDIRECTML_ARM64"
#: Compiling takes longer than running.
_OPTIMIZATION = "-DINDIRECTML_OPTIMIZATION=-O1"


def folder():
    """Return the folder with what Debian has for that processor, or None."""
    named = os.environ.get(FOLDER)
    return Path(named) if named and interpreter(Path(named)) else None


def interpreter(place):
    """Return the path of Python in a folder, if it is of this one's version, or None."""
    found = place / f"root/usr/bin/python3.{sys.version_info.minor}"
    return found if found.exists() else None


def options():
    """Return CMake's options for that processor; with the Python module, where it can be made."""
    place = folder()
    if place is None:
        return (*ARM, _OPTIMIZATION)
    headers = place / "root/usr/include"
    return (
        *ARM,
        _OPTIMIZATION,
        *module_options(),
        f"-DPython_INCLUDE_DIR={headers}/python3.{sys.version_info.minor}",
        f"-DCMAKE_CXX_FLAGS=-isystem {headers}",
    )


def tools():
    """Return what has to be installed, by name."""
    return {
        "cmake": find_tool("cmake"),
        "aarch64-linux-gnu-g++": find_tool("aarch64-linux-gnu-g++"),
        "qemu-aarch64": find_tool("qemu-aarch64", "qemu-aarch64-static"),
    }


def python(builds, package):
    """Return the words that start Python there; skip where something is missing.

    Parameters
    ----------
    builds : path
        The folder of builds; see tests/native/building.py.
    package : path
        A folder that is made: the package, with the native module for that processor.
    """
    need({**tools(), f"a folder {FOLDER} that .ci/arm64 filled": folder()})
    module = build("_native", builds, *options()).parent
    shutil.copytree(ROOT / "src/indirectml", package / "indirectml", dirs_exist_ok=True)
    for stale in (package / "indirectml").glob("_native*.so"):
        stale.unlink()
    (made,) = module.glob("_native*.so")
    shutil.copy(made, package / "indirectml/_native.so")
    place = folder()
    paths = os.pathsep.join(map(str, (place / "site", package, ROOT)))
    emulator = tools()["qemu-aarch64"]
    return (emulator, "-L", place / "root", "-E", f"PYTHONPATH={paths}", interpreter(place))


def main(words):
    """Run Python there; return its exit code."""
    place = folder()
    if place is None:
        return f"{FOLDER} needs a folder with Python 3.{sys.version_info.minor}: .ci/arm64 fills it"
    try:
        started = python(place / "builds", place / "package")
    except pytest.skip.Exception as missing:
        return str(missing)
    return subprocess.run([*map(str, started), *words], check=False).returncode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
