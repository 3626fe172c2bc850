"""The tests of kernels in a process that has one implementation alone, or on a device of here.

Usage: python -m tests.opencl.whole intel, or rusticl, or the name of a device such as opencl:1.
Where it is not there, a sentence says so.
"""

import os
import sys
import tempfile
from pathlib import Path

import pytest

import indirectml as dml
from indirectml.core.errors import DirectMLError
from tests.opencl.implementations import NAMED, elsewhere

#: What is tried: operators and random graphs, instructions, functions, golden vectors, networks.
FILES = ("operators", "programs", "functions", "networks", "recurrence")
#: On a device of this machine words and the house too, which may be built in several ways.
MORE = ("contraction", "groups", "limits", "movement", "opencl", "regions", "windows")


def main(what, *here):
    """Return 0 if all is right, or nothing is there; 2 for a device that is named and not there."""
    is_device = what.startswith("opencl")
    if is_device:
        try:
            dml.Device(what)
        except DirectMLError as error:
            print(error)
            return 2
        os.environ[NAMED] = what
    if here or is_device:  # or the process that `elsewhere` starts
        files = [f"tests/opencl/test_{name}.py" for name in (*FILES, *(MORE if is_device else ()))]
        # Compilers take most of the time. Each process has contexts of its own, of which 16 had
        # more than an NVIDIA H200 opens.
        processes = ["-n", str(min(os.cpu_count() or 1, 8))]
        return pytest.main(["-q", "-p", "no:cacheprovider", "-k", "not other", *processes, *files])
    with tempfile.TemporaryDirectory() as folder:
        try:
            done = elsewhere(what, Path(folder), "here", module="whole")
        except pytest.skip.Exception as reason:
            print(reason)
            return 0
    print(done.stdout + done.stderr)
    return done.returncode


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
