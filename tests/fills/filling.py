"""Fills that are worth trying, settings to try them under, and other processes to try them in."""

import functools
import subprocess
import sys
import textwrap
from typing import NamedTuple

import numpy as np
import pytest

import indirectml
from indirectml import _native, configure, fill_constant, fill_sequence
from indirectml.core.settings import Settings
from tests import reference
from tests.reference import number

TARGETS = indirectml.available_targets()


# ---- What is interrupted ------------------------------------------------------------------------


def slow_fill(path, arguments, *, has_name=False):
    """Start the command line with a fill that cannot be complete before a signal.

    It has begun to write when this returns, with `has_name` to a file with a temporary name. The
    disk is never asked for it. Jobs in the background, or under nohup, inherit that signals are
    ignored; here none is.
    """
    code = (
        "import signal as s; s.signal(s.SIGINT, s.default_int_handler); "
        "[s.signal(n, s.SIG_DFL) for n in (s.SIGHUP, s.SIGQUIT, s.SIGTERM)]; "
        "import indirectml.fills.file_fills as f, sys, time; from indirectml.cli import main; "
        "import indirectml.fills.array_files as a; "
        f"a._file_without_name = (lambda _: None) if {has_name} else a._file_without_name; "
        "f._WINDOW_BYTES = 1 << 16; allocate = f._allocate; "
        "f._allocate = lambda *a: (print('.', flush=True), time.sleep(0.01), allocate(*a)); "
        "sys.exit(main(sys.argv[1:]))"
    )
    command = [sys.executable, "-c", code, *arguments, "--count", "10**8", "-o", str(path)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert process.stdout.readline() == b".\n"
    return process


# ---- What is filled -----------------------------------------------------------------------------


class Fill(NamedTuple):
    """A fill with operands, and what it should write."""

    name: str
    start: np.generic
    delta: np.generic | None  # None: a constant
    rule: str = "accumulate"

    def write(self, out):
        """Fill an array."""
        if self.delta is None:
            return fill_constant(out, self.start)
        return fill_sequence(out, self.start, self.delta, rule=self.rule)

    def expected(self, count):
        """Return what it writes to so many elements."""
        if self.delta is None:
            return np.repeat(np.array(self.start), count)
        longest = 1 << max(count - 1, 1023).bit_length()
        return _elements(self.start.dtype, self, longest)[:count]


@functools.cache
def _elements(dtype, fill, count):
    """Return a fill's elements; `dtype` is there because numbers of two types may be equal."""
    assert fill.start.dtype == dtype
    if fill.rule == "accumulate" and count > 1024:
        return reference.accumulated_at_once(fill.start, fill.delta, count)
    return reference.elements(fill.start, fill.delta, count, fill.rule)


@functools.cache
def fills(dtype):
    """Return a fill per kernel and per way of cutting a sequence into segments."""
    all_bytes_differ = number(0x0123456789ABCDEF & ((1 << (8 * dtype.itemsize)) - 1), dtype)
    constant = Fill("constant", all_bytes_differ, None)
    if dtype.kind != "f":
        large = number(0xDEADBEEFCAFEF00D & ((1 << (8 * dtype.itemsize)) - 1), dtype)
        return [
            constant,
            Fill("wrapping sequence", all_bytes_differ, large),
            Fill("rising sequence", dtype.type(3), dtype.type(1)),
        ]
    # At 8 its lowest bit is 2^-(bits + 1) of the spacing, one more than vectors have: the elements
    # are a staircase, with runs of 64, 512 and 4096.
    tiny = dtype.type((2 - float(np.finfo(dtype).eps)) * 2.0 ** (2 - 8 * dtype.itemsize))
    return [
        constant,
        Fill("accumulate, one segment", dtype.type(1024), dtype.type(1)),
        Fill("accumulate, long segments", dtype.type(600), dtype.type(1)),
        Fill("accumulate, many segments", dtype.type(100.3), dtype.type(-0.71)),
        Fill("multiply, fractions", dtype.type(-30.3), dtype.type(0.71), "multiply"),
        Fill("multiply, long segments", dtype.type(600.3), dtype.type(1.1), "multiply"),
        Fill("multiply, rising runs", dtype.type(8), tiny, "multiply"),
        Fill("multiply, falling runs", dtype.type(14), -tiny, "multiply"),
    ]


# ---- Settings -----------------------------------------------------------------------------------


@pytest.fixture(params=TARGETS)
def target(request):
    """Force a target, and make sure that it is in force."""
    with configure(target=request.param):
        assert Settings.policy.target == request.param, Settings.policy.target
        yield request.param


def stream_from(size_bytes):
    """Let outputs of this size and more bypass the cache, until the end of the test.

    A mebibyte is worth a thread then.
    """
    former = Settings.policy
    Settings.policy = _native.Policy(former.target, former.max_threads, size_bytes, 1 << 20)
    assert Settings.policy.streaming_bytes == size_bytes


# ---- Other processes ----------------------------------------------------------------------------


def run_script(script, timeout_s=60):
    """Run Python in another process; fail with what it printed unless it ends with code 0."""
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", textwrap.dedent(script)],
        capture_output=True,
        text=True,
        timeout=timeout_s,
        check=False,
    )
    assert done.returncode == 0, f"exit code {done.returncode}: {done.stdout}{done.stderr}"
