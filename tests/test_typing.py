"""Type checkers accept what the README shows and what users write."""

import doctest
import importlib.util
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]


@pytest.fixture(scope="module")
def sources(tmp_path_factory):
    folder = tmp_path_factory.mktemp("typing")
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    examples = doctest.DocTestParser().get_examples(readme)
    text = "".join(e.source for e in examples if e.exc_msg is None)
    assert text.count("dml.") > 5
    (folder / "readme.py").write_text(text, encoding="utf-8")
    shutil.copy(ROOT / "tests/typing_usage.py", folder / "usage.py")
    shutil.copytree(ROOT / "examples", folder / "examples")
    return folder


@pytest.fixture(scope="module")
def mypy(tmp_path_factory):
    """Return a command, whose runs share what they found in what is installed."""
    if importlib.util.find_spec("mypy") is None:
        pytest.skip("mypy is not installed")
    cache = tmp_path_factory.mktemp("mypy")
    return [sys.executable, "-m", "mypy", "--strict", f"--cache-dir={cache}", "--config-file="]


def test_mypy_in_its_strict_mode(mypy, sources):
    files = sorted(map(str, sources.rglob("*.py")))

    done = subprocess.run([*mypy, *files], capture_output=True, text=True, check=False, cwd=sources)

    assert done.returncode == 0, done.stdout


def test_mypy_notices_what_is_wrong(mypy, tmp_path):
    wrong = tmp_path / "wrong.py"
    text = "import indirectml as dml\ndml.TensorDesc([1])\ndml.full([2], 1).no_such\n"
    wrong.write_text(text, encoding="utf-8")

    done = subprocess.run(
        [*mypy, str(wrong)], capture_output=True, text=True, check=False, cwd=tmp_path
    )

    assert "Found 2 errors" in done.stdout


def test_pyright(sources):
    if shutil.which("pyright") is None:
        pytest.skip("pyright is not installed")
    done = subprocess.run(
        ["pyright", "--pythonpath", sys.executable, str(sources)],
        capture_output=True, text=True, check=False,
    )  # fmt: skip

    assert done.returncode == 0, done.stdout
