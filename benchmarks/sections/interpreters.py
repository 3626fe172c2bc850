"""Fresh interpreters, for what can be measured only once in a process."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

#: Runs a program and returns what it printed.
Interpreter = Callable[[str], str]


@contextmanager
def fresh_interpreters() -> Iterator[Interpreter]:
    """Yield a function that runs programs in fresh interpreters, which share compiled modules."""
    environment = dict(os.environ)
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    root = Path(__file__).resolve().parents[2]
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-X", f"pycache_prefix={folder}", "-c"]

        def run(program: str) -> str:
            ended = subprocess.run(
                [*command, program],
                capture_output=True,
                text=True,
                check=False,
                env=environment,
                cwd=root,
            )
            if ended.returncode != 0:
                raise RuntimeError(ended.stderr.strip().rpartition("\n")[2] or "it ended early")
            return ended.stdout

        yield run
