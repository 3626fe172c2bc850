"""Every example in a docstring or a page runs, and pages agree with the code."""

import doctest
import importlib
import importlib.util
import inspect
import pkgutil
import re
import shlex
from enum import IntEnum, IntFlag
from pathlib import Path

import numpy as np
import pytest
from tools.files import FOLDERS, files, knows

import indirectml
from indirectml.catalogue import operator_names
from indirectml.cli import main
from indirectml.cli.explain_operator import with_imports
from indirectml.descriptors.definitions import implemented_operators

ROOT = Path(__file__).parents[1]
MODULES = sorted(
    m.name
    for m in pkgutil.walk_packages(indirectml.__path__, "indirectml.")
    if not m.name.endswith(("_native", "__main__"))
)
PAGES = ["README.md", "ARCHITECTURE.md", *sorted(f"docs/{p.name}" for p in ROOT.glob("docs/*.md"))]

#: Other libraries that a page shows.
NEEDS = {
    "docs/more-than-one-machine.md": ("dask", "zarr", "xarray"),
    "docs/moving.md": ("magika", "onnx"),
    "docs/onnx-in.md": ("onnx",),
    "docs/onnx-out.md": ("onnx",),
    "docs/onnx-runtime.md": ("onnx",),
}

#: What a reader of a docstring has imported: the public names, and NumPy.
NAMES = {name: getattr(indirectml, name) for name in indirectml.__all__} | {"np": np}


@pytest.mark.parametrize("name", MODULES)
def test_examples_in_docstrings_give_what_they_say(name):
    module = importlib.import_module(name)

    # A word of arithmetic may have the name of a function for graphs.
    names = {name: value for name, value in NAMES.items() if name not in vars(module)}

    results = doctest.testmod(module, extraglobs=names)

    assert results.failed == 0


def skip_without_what_it_shows(page):
    for library in NEEDS.get(page, ()):
        if importlib.util.find_spec(library) is None:
            pytest.skip(f"{page} shows {library}, which is not installed; .ci/run has it")


@pytest.mark.parametrize("page", PAGES)
def test_examples_in_pages_give_what_they_say(page, tmp_path, monkeypatch):
    skip_without_what_it_shows(page)
    monkeypatch.chdir(tmp_path)  # some write files
    results = doctest.testfile(str(ROOT / page), module_relative=False, globs={"np": np})

    assert results.failed == 0


def test_examples_can_be_pasted_with_what_is_put_before_them(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    parser = doctest.DocTestParser()
    runner = doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE)  # no empty lines
    for name in dir(indirectml):
        text = with_imports(inspect.getdoc(getattr(indirectml, name)) or "")
        runner.run(parser.get_doctest(text, {}, name, None, None))

    assert runner.tries > 1000
    assert runner.failures == 0


def test_public_functions_and_classes_have_an_example():
    without = [
        name
        for name in dir(indirectml)
        if callable(value := getattr(indirectml, name))
        and value.__module__.startswith("indirectml")
        and not (isinstance(value, type) and issubclass(value, Exception | IntEnum | IntFlag))
        and not (isinstance(value, type) and issubclass(value, tuple) and "Outputs" in name)
        and ">>>" not in (value.__doc__ or "")
    ]

    # Made by a device, shown in its example; described by their numbers alone; or of PyTorch.
    assert sorted(without) == [
        "BindingTable",
        "CommandRecorder",
        "CompiledGraph",
        "CompiledOperator",
        "DifferingNode",
        "Expression",
        "InputEdge",
        "IntermediateEdge",
        "ModelComparison",
        "OnnxModel",
        "Operator",
        "OperatorDesc",
        "OperatorInitializer",
        "OutputEdge",
        "Segment",
        "TensorComparison",
        "from_torch",  # needs PyTorch: docs/from-torch-directml.md
    ]


def test_every_file_says_first_what_it_knows():
    """ARCHITECTURE.md has no list of files: what a file knows stands in it."""
    paths = [path for folder in FOLDERS for path in files(ROOT / folder)]

    assert len(paths) > 400
    assert not [str(path) for path in paths if not knows(path)]


def test_architecture_names_every_room():
    text = (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8")
    package, native = ROOT / "src/indirectml", ROOT / "native"
    rooms = [p.name + "/" for p in package.iterdir() if (p / "__init__.py").exists()]
    rooms += [p.name + "/" for p in native.iterdir() if p.is_dir()]
    rooms += [p.name for p in package.glob("*.py") if p.name != "__init__.py"]

    assert not {room for room in rooms if f"`{room}`" not in text}


def test_functions_that_the_page_of_sequences_names_exist():
    page = (ROOT / "docs/sequences.md").read_text(encoding="utf-8")
    sources = [p for p in (ROOT / "native").iterdir() if p.suffix in {".cpp", ".h"}]
    code = "".join(p.read_text(encoding="utf-8") for p in sources)
    known = {*re.findall(r"\b(?:Walker::)?\w+(?=\()", code), *(p.stem for p in sources)}

    named = set(re.findall(r"`((?:Walker::)?[a-z_]+)`", page)) - {"accumulate", "multiply"}

    assert len(named) >= 4
    assert named <= known


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


@pytest.mark.parametrize(
    ("name", "expected_count"),
    [("dispatch-models", 11), ("from-directml", 5), ("moving", 5), ("onnx-in", 4)],
)
def test_commands_in_pages_print_what_they_say(name, expected_count, tmp_path, capsys, monkeypatch):
    skip_without_what_it_shows(f"docs/{name}.md")
    monkeypatch.chdir(tmp_path)
    page = (ROOT / f"docs/{name}.md").read_text(encoding="utf-8")
    doctest.testfile(str(ROOT / f"docs/{name}.md"), module_relative=False, globs={"np": np})

    count = 0
    for arguments, expected in _commands(page):
        main(arguments)

        printed = capsys.readouterr().out.replace(str(tmp_path), "FOLDER")
        printed = re.sub(r"\d+\.\d{4} ms", "# ms", printed)
        assert re.sub(r"(?<=Running on ').*(?=')", "CPU", printed) == expected, arguments
        count += 1
    assert count == expected_count


@pytest.mark.parametrize("command", ["", "run", "validate", "explain", "diff", "fill", "info"])
def test_examples_in_help_work_when_pasted(command, capsys, monkeypatch):
    monkeypatch.chdir(ROOT)
    with pytest.raises(SystemExit) as ended:
        main([*command.split(), "--help"])
    assert ended.value.code == 0
    example = re.search(r"example: indirectml (.*)", capsys.readouterr().out)[1]

    code = main(shlex.split(example))

    assert (code, capsys.readouterr().err) == (0, "")


def test_every_name_of_the_table_for_those_who_come_from_directml_exists():
    page = (ROOT / "docs/from-directml.md").read_text(encoding="utf-8")
    table = page[page.index("## Names") :]
    cells = re.findall(r"^\|.*\| (.*) \|$", table, re.MULTILINE)
    names = re.findall(r"`([A-Za-z_.0-9]+)`", "\n".join(cells))

    owner = None
    for name in names:
        scope, _, member = name.rpartition(".")
        if scope:
            owner = {"np": np, "": indirectml}.get(scope) or getattr(indirectml, scope)
        elif hasattr(indirectml, name):
            owner, member = indirectml, name
        assert hasattr(owner, member), name
    assert len(names) > 30


def test_the_readme_counts_the_operators():
    readme = (ROOT / "README.md").read_text(encoding="utf-8")

    count = len(implemented_operators())
    assert f"{count} of DirectML's {len(operator_names())} operators run." in readme
