"""What a fill is measured against: memset, compiled on the spot, or called through ctypes."""

from __future__ import annotations

import ctypes
import os
import shlex
import shutil
import subprocess
import tempfile
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

_SOURCE = Path(__file__).with_name("limit.c")
_CACHE_LINE = 64

_memset = ctypes.CDLL(None).memset if os.name == "posix" else ctypes.cdll.msvcrt.memset
_memset.argtypes = (ctypes.c_void_p, ctypes.c_int, ctypes.c_size_t)
_memset.restype = ctypes.c_void_p


@dataclass(frozen=True)
class Limit:
    """The C library's memset in three forms.

    Attributes
    ----------
    how : str
        A sentence for the report: what was compiled, or why nothing was.
    once : callable
        once(address, value, size_bytes): one call through ctypes, in this thread.
    threads : callable
        threads(address, value, size_bytes, threads): equal shares, in threads that end with it.
    repeat : callable or None
        repeat(address, value, size_bytes, times): a loop in C; None where there is no compiler.
    """

    how: str
    once: Callable[[int, int, int], object]
    threads: Callable[[int, int, int, int], object]
    repeat: Callable[[int, int, int, int], object] | None


def find_limit() -> Limit:
    """Compile limit.c with the system's compiler; without one, use threads of Python."""
    compiler = _compiler()
    if compiler is None:
        return _without_compiler("no C compiler was found")
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        library_path = Path(folder) / "limit.so"
        command = [*compiler, "-O2", "-shared", "-fPIC", "-pthread", "-o", str(library_path)]
        built = subprocess.run(
            [*command, str(_SOURCE)], capture_output=True, text=True, check=False
        )
        if built.returncode != 0:
            return _without_compiler(f"{compiler[0]} could not compile limit.c")
        library = ctypes.CDLL(str(library_path))
    sizes = (ctypes.c_void_p, ctypes.c_int, ctypes.c_size_t)
    library.limit_memset_threads.argtypes = (*sizes, ctypes.c_int)
    library.limit_memset_repeat.argtypes = (*sizes, ctypes.c_size_t)
    library.limit_memset_repeat.restype = None

    def threads(address: int, value: int, size_bytes: int, count: int) -> None:
        if library.limit_memset_threads(address, value, size_bytes, count) != 0:
            raise RuntimeError(f"limit.c could not start {count} threads")

    how = f"memset in POSIX threads, limit.c compiled by {_version(compiler)}"
    return Limit(how, _memset, threads, library.limit_memset_repeat)


def _without_compiler(reason: str) -> Limit:
    """Return memset in threads of Python: each call through ctypes releases the lock."""

    def threads(address: int, value: int, size_bytes: int, count: int) -> None:
        each = -(-size_bytes // count // _CACHE_LINE) * _CACHE_LINE
        starts = range(0, size_bytes, each)
        with ThreadPoolExecutor(count) as pool:
            list(pool.map(lambda s: _memset(address + s, value, min(each, size_bytes - s)), starts))

    return Limit(f"memset in threads of Python, because {reason}", _memset, threads, None)


def _compiler() -> list[str] | None:
    for name in (os.environ.get("CC", ""), "cc", "gcc", "clang"):
        command = shlex.split(name)
        if command and shutil.which(command[0]):
            return command
    return None


def _version(compiler: list[str]) -> str:
    answer = subprocess.run([*compiler, "--version"], capture_output=True, text=True, check=False)
    return answer.stdout.partition("\n")[0].strip() or compiler[0]
