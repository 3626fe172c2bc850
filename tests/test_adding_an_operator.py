"""ARCHITECTURE's "Adding an operator" and "Adding a word", from the page to what passes."""

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


def without(path, pattern):
    """Leave out of a file what a pattern finds once."""
    text = path.read_text(encoding="utf-8")
    kept, count = re.subn(pattern, "", text, flags=re.DOTALL | re.MULTILINE)
    assert count == 1, f"{path}: {count} of {pattern}"
    path.write_text(kept, encoding="utf-8")


def pasted(path, text, *, before):
    """Put a text of the page into a file, before a line of it."""
    own = path.read_text(encoding="utf-8")
    assert own.count(before) == 1
    path.write_text(own.replace(before, f"{text}\n{before}"), encoding="utf-8")


@pytest.fixture
def house(tmp_path):
    """Return a copy of what a newcomer has."""
    ignored = shutil.ignore_patterns("__pycache__", "*.so", "*.pyd", "vectors")
    package = tmp_path / "src/indirectml"
    shutil.copytree(Path(indirectml.__file__).parent, package, ignore=ignored)
    shutil.copy(_native.__file__, package)
    for folder in ("tests", "tools"):
        shutil.copytree(ROOT / folder, tmp_path / folder, ignore=ignored)
    # Into which a table is written, and from which those of kernels are.
    for file in ("docs/arithmetic.md", "native/functions/coefficients.h"):
        (tmp_path / file).parent.mkdir(parents=True)
        shutil.copy(ROOT / file, tmp_path / file)
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


def blocks(*beginnings):
    """Return the blocks of code of the page that begin so."""
    page = (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8")
    found = re.findall(r"```python\n(.*?)```", page, re.DOTALL)
    return [next(b for b in found if re.match(re.escape(begin), b)) for begin in beginnings]


def passed(house, *arguments):
    printed = run(house, "pytest", "-q", "-p", "no:cacheprovider", *arguments)
    return int(re.search(r"\b(\d+) passed", printed)[1])


def test_the_definition_of_the_page_is_all_that_an_operator_needs(house):
    definition, row = blocks(f'@operator("{NAME}"', f'ORACLES["{NAME}"]')
    family = house / "src/indirectml/operators/element_wise_unary.py"
    oracles = house / "tests/operators/test_element_wise_unary.py"
    without(family, rf'@operator\("{NAME}".*?\n\n\n')
    without(oracles, rf'^ORACLES\["{NAME}"\][^\n]*\n')
    run(house, "tools.generate")
    assert NAME not in operators(house)

    family.write_text(family.read_text(encoding="utf-8") + "\n\n" + definition, encoding="utf-8")
    run(house, "tools.generate")

    assert operators(house)[NAME] == "element_wise_unary"
    for stub, name in (("descs.pyi", "ElementWiseAbsOperatorDesc"), ("functions.pyi", "abs")):
        text = (house / "src/indirectml/operators" / stub).read_text(encoding="utf-8")
        assert f'"{name}",' in text
    assert NAME in (house / "docs/operators/element_wise_unary.md").read_text(encoding="utf-8")
    assert passed(house, "tests/operators/test_examples.py", "-k", NAME) == 3
    pasted(oracles, row, before="\n@places(ORACLES)")
    assert passed(house, str(oracles.relative_to(house)), "-k", NAME) > 0


def test_the_function_of_the_page_is_all_that_a_word_needs(house):
    word, case, breakage = blocks(
        '@word("x", results=lambda x, **_: [(x.shape, np.float32)], native=_hard',
        'CASES["hardmax"]',
        'BREAKAGES["hardmax"]',
    )
    without(house / "docs/arithmetic.md", r"^\| `hardmax` [^\n]*\n")
    file = house / "src/indirectml/arithmetic/softmax.py"
    steps = house / "tests/arithmetic/test_word_steps.py"
    breakages = house / "tests/operators/word_breakages.py"
    without(file, r"^@word[^\n]*\ndef hardmax.*?\n\n\n")
    without(steps, r'^    "hardmax": [^\n]*\n')
    without(breakages, r'^    "hardmax": [^\n]*\n')

    pasted(file, word + "\n", before="def _rows(")
    pasted(steps, case, before="COUNT = 40\n")
    pasted(breakages, breakage, before="\n\n@functools.cache\ndef words")
    run(house, "tools.generate")

    assert "\n| `hardmax` | 1 for" in (house / "docs/arithmetic.md").read_text(encoding="utf-8")
    assert passed(house, str(steps.relative_to(house)), "-k", "hardmax") == 1
    about = "hardmax or sentence or native_step or has_an_oracle"
    assert passed(house, "tests/operators/test_breakages.py", "-k", about) == 4
    assert passed(house, "tests/operators/test_activations.py", "-k", "HARDMAX") > 0
