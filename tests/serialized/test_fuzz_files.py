"""Changed files; `python -m tests.serialized.fuzz` goes on for as long as one likes."""

import json
import subprocess
import sys

import pytest

from indirectml.serialized import reading
from tests.parameters import SEED
from tests.serialized import fuzz

CASES = 2000


def test_changed_files_are_read_or_refused_with_one_error_type(tmp_path):
    print(f"seed {SEED}")  # noqa: T201 (shown with a failure)
    outcomes = set()
    for _, outcome, failed in fuzz.run(SEED, range(CASES), tmp_path, stop_at=1):
        assert failed is None, failed
        outcomes.add(outcome)

    assert outcomes == {"read", "refused"}


def test_the_program_says_how_many_cases_there_were():
    command = [sys.executable, "-m", "tests.serialized.fuzz", "--seed", "3", "--count", "40"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)

    assert done.returncode == 0, done.stderr
    summary = json.loads(done.stdout)
    assert (summary["seed"], summary["cases"]) == (3, 40)


@pytest.mark.parametrize("error", [IndexError, UnicodeError, MemoryError, AttributeError])
def test_another_error_is_found(error, tmp_path, monkeypatch):
    def broken(*_):
        raise error("as planned")

    monkeypatch.setattr(reading, "read_flatbuffer", broken)

    *_, (case, outcome, failed) = fuzz.run(1, range(5), tmp_path, stop_at=1)

    assert (case, outcome) == (0, None)
    assert "needs a serialized graph that can be read, got" in failed
    assert error is MemoryError or f"{error.__name__}: 'as planned'" in failed
