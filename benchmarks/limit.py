"""What a fill is measured against: memset, compiled on the spot, or called through ctypes."""

from __future__ import annotations

import ctypes
import os
import shlex
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

_SOURCES = [str(Path(__file__).with_name(name)) for name in ("limit.c", "loop.c")]
_OPTIMIZED = "-O2"
_CACHE_LINE = 64

_libc = ctypes.CDLL(None) if os.name == "posix" else ctypes.cdll.msvcrt
_memset, _memchr = _libc.memset, _libc.memchr
for _function in (_memset, _memchr):
    _function.argtypes = (ctypes.c_void_p, ctypes.c_int, ctypes.c_size_t)
    _function.restype = ctypes.c_void_p

#: The loop of loop.c for each data type; integers of one width share theirs.
_LOOPS = {"float32": "float", "float64": "double"} | {
    f"{kind}{bits}": f"bits{bits}" for kind in ("int", "uint") for bits in (8, 16, 32, 64)
}


@dataclass(frozen=True)
class Limit:
    """The C library's memset in three forms, and plain loops in C.

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
    read : callable
        read(address, value, size_bytes): memchr, which reads all if no byte has the value.
    loops : mapping
        By the name of a data type, loop(address, count, start, delta); empty without a compiler.
    """

    how: str
    once: Callable[[int, int, int], object]
    threads: Callable[[int, int, int, int], object]
    repeat: Callable[[int, int, int, int], object] | None = None
    read: Callable[[int, int, int], object] = _memchr
    loops: Mapping[str, Callable[[int, int, float, float], object]] = field(default_factory=dict)


def find_limit() -> Limit:
    """Compile the C files with the system's compiler; without one, use threads of Python."""
    compiler = _compiler()
    if compiler is None:
        return _without_compiler("no C compiler was found")
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        library_path = Path(folder) / "limit.so"
        command = [*compiler, _OPTIMIZED, "-shared", "-fPIC", "-pthread", "-o", str(library_path)]
        built = subprocess.run([*command, *_SOURCES], capture_output=True, text=True, check=False)
        if built.returncode != 0:
            return _without_compiler(f"{compiler[0]} could not compile limit.c and loop.c")
        library = ctypes.CDLL(str(library_path))
    sizes = (ctypes.c_void_p, ctypes.c_int, ctypes.c_size_t)
    library.limit_memset_threads.argtypes = (*sizes, ctypes.c_int)
    library.limit_memset_repeat.argtypes = (*sizes, ctypes.c_size_t)
    library.limit_memset_repeat.restype = None
    loops = {dtype: getattr(library, f"loop_{name}") for dtype, name in _LOOPS.items()}
    for loop in loops.values():
        loop.argtypes = (ctypes.c_void_p, ctypes.c_size_t, ctypes.c_double, ctypes.c_double)
        loop.restype = None

    def threads(address: int, value: int, size_bytes: int, count: int) -> None:
        if library.limit_memset_threads(address, value, size_bytes, count) != 0:
            raise RuntimeError(f"limit.c could not start {count} threads")

    how = f"memset in POSIX threads, limit.c compiled by {_version(compiler)} with {_OPTIMIZED}"
    return Limit(how, _memset, threads, library.limit_memset_repeat, loops=loops)


def _without_compiler(reason: str) -> Limit:
    """Return memset in threads of Python: each call through ctypes releases the lock."""

    def threads(address: int, value: int, size_bytes: int, count: int) -> None:
        each = -(-size_bytes // count // _CACHE_LINE) * _CACHE_LINE
        starts = range(0, size_bytes, each)
        with ThreadPoolExecutor(count) as pool:
            list(pool.map(lambda s: _memset(address + s, value, min(each, size_bytes - s)), starts))

    return Limit(f"memset in threads of Python, because {reason}", _memset, threads)


def _compiler() -> list[str] | None:
    for name in (os.environ.get("CC", ""), "cc", "gcc", "clang"):
        command = shlex.split(name)
        if command and shutil.which(command[0]):
            return command
    return None


def _version(compiler: list[str]) -> str:
    answer = subprocess.run([*compiler, "--version"], capture_output=True, text=True, check=False)
    return answer.stdout.partition("\n")[0].strip() or compiler[0]
