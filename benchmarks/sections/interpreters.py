"""Fresh interpreters, for what can be measured only once in a process."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager

#: Runs a program and returns what it printed.
Interpreter = Callable[[str], str]


@contextmanager
def fresh_interpreters() -> Iterator[Interpreter]:
    """Yield a function that runs programs in fresh interpreters, which share compiled modules."""
    with tempfile.TemporaryDirectory() as folder:
        # Isolated: no settings of this shell, and no folder before what is installed.
        command = [sys.executable, "-I", "-X", f"pycache_prefix={folder}", "-c"]

        def run(program: str) -> str:
            ended = subprocess.run(
                [*command, program],
                capture_output=True,
                text=True,
                check=False,
            )
            if ended.returncode != 0:
                raise RuntimeError(ended.stderr.strip().rpartition("\n")[2] or "it ended early")
            return ended.stdout

        yield run
