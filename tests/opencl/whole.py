"""The tests of kernels in a process that has one implementation alone.

Usage: python -m tests.opencl.whole intel, or rusticl. Where it is not there, a sentence says so.
"""

import sys
import tempfile
from pathlib import Path

import pytest

from tests.opencl.implementations import elsewhere

#: What is tried: operators and random graphs, instructions, functions, golden vectors, networks.
FILES = ("operators", "programs", "functions", "networks", "recurrence")


def main(implementation, *here):
    """Return 0 if all is right, or nothing is there."""
    if here:  # the process that `elsewhere` starts
        files = [f"tests/opencl/test_{name}.py" for name in FILES]
        return pytest.main(["-q", "-p", "no:cacheprovider", "-k", "not other", *files])
    with tempfile.TemporaryDirectory() as folder:
        try:
            done = elsewhere(implementation, Path(folder), "here", module="whole")
        except pytest.skip.Exception as reason:
            print(reason)
            return 0
    print(done.stdout + done.stderr)
    return done.returncode


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
