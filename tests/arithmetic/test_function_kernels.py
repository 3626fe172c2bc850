"""Functions of one and two numbers by a native program, and where their numbers come from."""

import re
import subprocess
import sys

import pytest

import indirectml
from tests.arithmetic.digits import FUNCTIONS
from tests.native.building import ROOT, TIMEOUT_S, build, need_compiling, need_mpfr, run

PAIRS = 20_000


def test_the_coefficients_are_what_the_program_derives():
    program = ROOT / "native" / "functions" / "derive_coefficients.py"
    done = subprocess.run([sys.executable, program, "--check"], timeout=TIMEOUT_S, check=False)
    assert done.returncode == 0


@pytest.fixture(scope="module")
def program(tmp_path_factory, builds):
    need_compiling()
    need_mpfr(tmp_path_factory.mktemp("check_functions"))
    return build("check_functions", builds)


def test_a_stride_of_all_arguments(program):
    """The command for all of them is in docs/arithmetic.md."""
    output = run(program, "--stride", "10007", "--pairs", PAIRS)

    lines = output.splitlines()
    assert {line.partition(":")[0] for line in lines} == set(FUNCTIONS)
    targets = indirectml.available_targets()
    for line in lines:
        counts = [int(n) for n in re.findall(r"(\d+) results", line)]
        assert min(counts) >= len(targets) * PAIRS
        assert line.count(", 0 wrong; ") == 2
        assert f"; {' '.join(targets)}, " in line


@pytest.mark.parametrize(
    ("options", "text"),
    [
        (["--function", "cot"], "no function cot"),
        (["--target", "mmx"], "no target mmx"),
        (["--stride", "0"], "--stride 0 is not an option"),
    ],
)
def test_the_program_says_what_it_does_not_know(program, options, text):
    done = subprocess.run(
        [program, *options], capture_output=True, text=True, timeout=TIMEOUT_S, check=False
    )
    assert done.returncode == 2
    assert text in done.stderr
