"""Every example in a docstring or a page runs, and pages agree with the code."""

import doctest
import importlib
import pkgutil
import re
import shlex
import subprocess
import sys
from enum import IntEnum
from pathlib import Path

import numpy as np
import pytest

import indirectml
from indirectml.cli import main

ROOT = Path(__file__).parents[1]
MODULES = sorted(
    m.name
    for m in pkgutil.walk_packages(indirectml.__path__, "indirectml.")
    if not m.name.endswith(("_native", "__main__"))
)
PAGES = ["README.md", "ARCHITECTURE.md", *sorted(f"docs/{p.name}" for p in ROOT.glob("docs/*.md"))]

#: What a reader of a docstring has imported: the public names, and NumPy.
NAMES = {name: getattr(indirectml, name) for name in indirectml.__all__} | {"np": np}


@pytest.mark.parametrize("name", MODULES)
def test_examples_in_docstrings_give_what_they_say(name):
    module = importlib.import_module(name)

    # A word of arithmetic may have the name of a function for graphs.
    names = {name: value for name, value in NAMES.items() if name not in vars(module)}

    results = doctest.testmod(module, extraglobs=names)

    assert results.failed == 0


@pytest.mark.parametrize("page", PAGES)
def test_examples_in_pages_give_what_they_say(page):
    results = doctest.testfile(str(ROOT / page), module_relative=False, globs={"np": np})

    assert results.failed == 0


def test_public_functions_and_classes_have_an_example():
    without = [
        name
        for name, value in NAMES.items()
        if callable(value)
        and value.__module__.startswith("indirectml")
        and not (isinstance(value, type) and issubclass(value, Exception | IntEnum))
        and not (isinstance(value, type) and issubclass(value, tuple) and "Outputs" in name)
        and ">>>" not in (value.__doc__ or "")
    ]

    # Made by a device, shown in its example; or described by their numbers alone.
    assert sorted(without) == [
        "BindingTable",
        "CommandRecorder",
        "CompiledGraph",
        "CompiledOperator",
        "Expression",
        "InputEdge",
        "IntermediateEdge",
        "Operator",
        "OperatorDesc",
        "OperatorInitializer",
        "OutputEdge",
        "Segment",
    ]


def test_architecture_names_every_module():
    text = (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8")
    files = [p for p in (ROOT / "src/indirectml").rglob("*.py") if p.name != "__init__.py"]
    files += [p for p in (ROOT / "native").rglob("*") if p.suffix in {".cpp", ".h", ".inl"}]

    missing = {p.name for p in files if p.name not in text}

    assert not missing


def _commands(page):
    """Yield the commands of a page and what they print; write its models to files on the way."""
    blocks = re.findall(r"^```(json \S+|console)\n(.*?)^```", page, re.DOTALL | re.MULTILINE)
    for kind, body in blocks:
        if kind != "console":
            Path(kind.removeprefix("json ")).write_text(body, encoding="utf-8")
            continue
        for command in body.split("$ indirectml ")[1:]:
            arguments, _, expected = command.partition("\n")
            yield shlex.split(arguments), expected


def test_commands_in_the_page_of_models_print_what_it_says(tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    page = (ROOT / "docs/dispatch-models.md").read_text(encoding="utf-8")

    count = 0
    for arguments, expected in _commands(page):
        main(arguments)

        printed = capsys.readouterr().out.replace(str(tmp_path), "FOLDER")
        printed = re.sub(r"\d+\.\d{4} ms", "# ms", printed)
        assert re.sub(r"(?<=Running on ').*(?=')", "CPU", printed) == expected, arguments
        count += 1
    assert count == 9


@pytest.mark.parametrize("command", ["", "run", "validate", "explain", "diff", "fill", "info"])
def test_examples_in_help_work_when_pasted(command):
    cli = [sys.executable, "-m", "indirectml"]
    shown = subprocess.run(
        [*cli, *command.split(), "--help"], capture_output=True, text=True, check=True
    ).stdout
    example = re.search(r"example: indirectml (.*)", shown)[1]

    done = subprocess.run(
        [*cli, *shlex.split(example)], capture_output=True, text=True, check=False, cwd=ROOT
    )

    assert (done.returncode, done.stderr) == (0, "")
