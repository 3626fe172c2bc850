"""The tests of Python with a module that sanitizers watch: `python -m tests.sanitized WORDS`.

WORDS are pytest's own, such as `-n 2 tests/arithmetic`. Clang compiles the module in
build/sanitized, which takes minutes the first time. As a plugin of pytest this file puts it in the
place of the installed one.
"""

import importlib.machinery
import importlib.util
import os
import platform
import subprocess
import sys
from pathlib import Path

import pytest

from tests.native.building import ROOT, build, find_tool, module_options, need, only_what_runs, run

MODULE = "INDIRECTML_SANITIZED"
#: Python keeps what it needs until its end, and tests ask for more memory than there is.
_WATCHED = {
    "ASAN_OPTIONS": "detect_leaks=0:allocator_may_return_null=1",
    "UBSAN_OPTIONS": "print_stacktrace=1",
}


def load(path):
    """Take the module of a file for the package's own."""
    loader = importlib.machinery.ExtensionFileLoader("indirectml._native", path)
    spec = importlib.util.spec_from_file_location(loader.name, path, loader=loader)
    module = importlib.util.module_from_spec(spec)
    loader.exec_module(module)
    sys.modules[loader.name] = module


def main(words):
    """Build the module, and run pytest with it; return its exit code."""
    clang = find_tool("clang++")
    try:
        need({"cmake": find_tool("cmake"), "clang++": clang})
    except pytest.skip.Exception as missing:
        return str(missing)
    runtime = run(clang, f"-print-file-name=libclang_rt.asan-{platform.machine()}.so").strip()
    if not Path(runtime).exists():
        return "missing: clang's sanitizers; .ci/packages installs them on Debian"
    options = (
        f"-DCMAKE_CXX_COMPILER={clang}",
        "-DINDIRECTML_SANITIZE=address,undefined",
        "-DINDIRECTML_OPTIMIZATION=-O0",  # optimized, some files take minutes each
        *module_options(),
        *only_what_runs(),
    )
    (made,) = build("_native", ROOT / "build/sanitized", *options).parent.glob("_native*.so")
    watched = os.environ | _WATCHED | {"LD_PRELOAD": runtime, MODULE: str(made)}
    pytest_ = [sys.executable, "-m", "pytest", "-p", "tests.sanitized"]
    return subprocess.run([*pytest_, *words], env=watched, cwd=ROOT, check=False).returncode


if MODULE in os.environ:
    load(os.environ[MODULE])
elif __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
