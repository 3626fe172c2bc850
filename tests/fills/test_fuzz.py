"""Random fills of random memory; `python -m tests.fills.fuzz` goes on for as long as one likes."""

import json
import subprocess
import sys

import numpy as np
import pytest

from tests.extent import some
from tests.fills import fuzz
from tests.parameters import SEED

#: A few hundred a second.
CASES, PARTS = some(3200), 8

right_write = fuzz.write


@pytest.mark.parametrize("part", range(PARTS))
def test_random_fills_write_what_plain_python_writes(part):
    print(f"seed {SEED}")  # noqa: T201 (shown with a failure)
    for _, failed in fuzz.run(SEED, range(part, CASES, PARTS), stop_at=1):
        assert failed is None, failed


def test_the_program_repeats_its_cases_and_says_how_many_there_were():
    command = [sys.executable, "-m", "tests.fills.fuzz", "--seed", "3"]
    done = [
        subprocess.run([*command, *more], capture_output=True, text=True, check=False)
        for more in (["--seconds", "0.5"], ["--case", "7"])
    ]

    for process, cases in zip(done, (range(1, 10**6), [1]), strict=True):
        assert process.returncode == 0, process.stderr
        summary = json.loads(process.stdout)
        assert (summary["seed"], summary["failed"]) == (3, 0)
        assert summary["cases"] in cases
        assert process.stderr == ""  # progress is for terminals


def _beside(fill, out):
    right_write(fill, out)
    if out.ndim == 1 and out.size > 0 and out.strides[0] > out.itemsize:
        np.lib.stride_tricks.as_strided(out.view(f"u{out.itemsize}"), (2,), (1,))[1] ^= 1


def _wrong_last(fill, out):
    right_write(fill, out)
    if out.size > 100:
        out.view(f"u{out.itemsize}")[(-1,) * out.ndim] ^= 1


def _overlapping(fill, out):
    out[...] = fill[0]  # NumPy does not mind


@pytest.mark.parametrize("broken", [_beside, _wrong_last, _overlapping])
def test_a_fault_is_found_and_told_with_the_command_that_repeats_it(broken, monkeypatch):
    monkeypatch.setattr(fuzz, "write", broken)

    found = [(case, failed) for case, failed in fuzz.run(SEED, range(300), stop_at=1) if failed]

    ((case, failed),) = found
    assert failed.endswith(f"again: python -m tests.fills.fuzz --seed {SEED} --case {case}")
    assert "Error" in failed
