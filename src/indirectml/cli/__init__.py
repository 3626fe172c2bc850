"""The `indirectml` command: arguments, text, exit codes. The only place that prints.

Exit codes: 0 done, 1 the answer is no (a model is invalid, a file damaged, files differ), 2 wrong
usage, 3 input or output failed, 4 nothing to compare, 130 interrupted.
"""

from __future__ import annotations

import importlib
import sys
from collections.abc import Sequence
from contextlib import suppress

from indirectml import __version__

__all__ = ["main"]


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command with the given arguments, or those of the process; returns the exit code."""
    given = list(sys.argv[1:] if arguments is None else arguments)
    if given == ["--version"] and sys.stdout is not None:
        # Without NumPy, which all that follows imports.
        with suppress(OSError):  # which is told below
            print(f"indirectml {__version__}", flush=True)
            return 0
    try:
        code: int = importlib.import_module("indirectml.cli.command").run(given)
    except KeyboardInterrupt:  # while that is imported; what runs answers it itself
        print("indirectml: interrupted", file=sys.stderr)
        return 130
    return code
