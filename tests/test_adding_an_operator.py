"""ARCHITECTURE's "Adding an operator", from the page to a passing operator: paste, run, green."""

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import indirectml
from indirectml import _native

ROOT = Path(__file__).parents[1]
NAME = "ELEMENT_WISE_ABS"
#: Runs a module of the copy, not of what is installed.
RUN = """
import runpy, sys
sys.meta_path[:] = [f for f in sys.meta_path if "Redirecting" not in type(f).__name__]
sys.path[:0] = [{src!r}, {root!r}]
import indirectml
assert indirectml.__file__.startswith({src!r}), indirectml.__file__
sys.argv = {arguments!r}
runpy.run_module({arguments!r}[0], run_name="__main__", alter_sys=True)
"""


@pytest.fixture
def house(tmp_path):
    """Return a copy of what a newcomer has, without the operator of the page."""
    ignored = shutil.ignore_patterns("__pycache__", "*.so", "*.pyd")
    package = tmp_path / "src/indirectml"
    shutil.copytree(Path(indirectml.__file__).parent, package, ignore=ignored)
    shutil.copy(_native.__file__, package)
    for folder in ("tests/operators", "tests/arithmetic", "tools"):
        shutil.copytree(ROOT / folder, tmp_path / folder, ignore=ignored)
    (tmp_path / "docs").mkdir()
    coefficients = "native/functions/coefficients.h"  # which tables of kernels are written from
    (tmp_path / coefficients).parent.mkdir(parents=True)
    shutil.copy(ROOT / coefficients, tmp_path / coefficients)
    for name in ("__init__", "bits", "conftest", "extent"):
        shutil.copy(ROOT / f"tests/{name}.py", tmp_path / "tests")
    family = package / "operators/element_wise_unary.py"
    text = family.read_text(encoding="utf-8")
    without = re.sub(rf'@operator\("{NAME}".*?\n\n\n', "", text, flags=re.DOTALL)
    assert len(without) < len(text)
    family.write_text(without, encoding="utf-8")
    row = re.compile(rf'^ORACLES\["{NAME}"\].*\n', re.MULTILINE)
    oracles = tmp_path / "tests/operators/test_element_wise_unary.py"
    text = oracles.read_text(encoding="utf-8")
    assert len(row.findall(text)) == 1
    oracles.write_text(row.sub("", text), encoding="utf-8")
    return tmp_path


def run(house, *arguments):
    code = RUN.format(src=str(house / "src"), root=str(house), arguments=list(arguments))
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=False, cwd=house
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def operators(house):
    text = (house / "src/indirectml/operators/index.json").read_text(encoding="utf-8")
    return json.loads(text)["operators"]


def test_the_definition_of_the_page_is_all_that_an_operator_needs(house):
    page = (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8")
    definition = re.search(rf'```python\n(@operator\("{NAME}".*?)```', page, re.DOTALL)[1]
    row = re.search(rf'```python\n(ORACLES\["{NAME}"\].*?)```', page, re.DOTALL)[1]
    run(house, "tools.generate")
    assert NAME not in operators(house)

    family = house / "src/indirectml/operators/element_wise_unary.py"
    family.write_text(family.read_text(encoding="utf-8") + "\n\n" + definition, encoding="utf-8")
    run(house, "tools.generate")

    assert operators(house)[NAME] == "element_wise_unary"
    for stub, name in (("descs.pyi", "ElementWiseAbsOperatorDesc"), ("functions.pyi", "abs")):
        text = (house / "src/indirectml/operators" / stub).read_text(encoding="utf-8")
        assert f'"{name}",' in text
    assert NAME in (house / "docs/operators/element_wise_unary.md").read_text(encoding="utf-8")
    examples = "tests/operators/test_examples.py"
    printed = run(house, "pytest", "-q", "-p", "no:cacheprovider", examples, "-k", NAME)
    assert re.search(r"\b4 passed", printed), printed
    oracles = house / "tests/operators/test_element_wise_unary.py"
    lines = oracles.read_text(encoding="utf-8")
    oracles.write_text(
        lines.replace("\n@places(ORACLES)", f"\n{row}\n@places(ORACLES)"), encoding="utf-8"
    )
    file = str(oracles.relative_to(house))
    printed = run(house, "pytest", "-q", "-p", "no:cacheprovider", file, "-k", NAME)
    assert re.search(r"\b\d+ passed", printed), printed
