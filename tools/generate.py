"""Writes what follows from the operators' definitions: `python -m tools.generate`.

The index of operators, the stubs of descriptors and of functions for graphs, a page per family, the
page of what published pages leave open, that of what a device implements, the table of words, and
the coefficients of functions in OpenCL C. A test compares what is stored with what this would give.
"""

from __future__ import annotations

import dataclasses
import importlib
import inspect
import json
import pkgutil
import re
import textwrap
from pathlib import Path

from indirectml import operators
from indirectml.catalogue import operator_facts, operator_names
from indirectml.catalogue.published_pages import published_page
from indirectml.cli.operator_runs import function_name
from indirectml.descriptors import definitions
from indirectml.descriptors.definitions import DEFINITIONS, FUNCTIONS, field_type, fields_of
from indirectml.descriptors.names import class_name
from tools import device_page, opencl_coefficients, words_table
from tools.formulas import with_mathematics

ROOT = Path(__file__).parents[1]
OPERATORS = ROOT / "src/indirectml/operators"
BY_HAND = ROOT / "src/indirectml/graphs/families"
OPERATOR_TYPES = ROOT / "src/indirectml/catalogue/operator_types.pyi"
PAGES = ROOT / "docs/operators"
DECISIONS = ROOT / "docs/decisions.md"
ALL_OPERATORS = ROOT / "docs/all-operators.md"
DEVICES = ROOT / "docs/devices.md"
COEFFICIENTS = opencl_coefficients.KERNELS / "coefficients.cl"
NOT_FAMILIES = {"descs", "functions", "on_arrays"}

_HEAD = "# Written by `python -m tools.generate`.\n\n"


def main() -> None:
    """Write the files."""
    # What follows from the index has to find it.
    (OPERATORS / "index.json").write_text(index_text(), encoding="utf-8")
    definitions.index.cache_clear()
    for path, text in generated().items():
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8")


def generated() -> dict[Path, str]:
    """Return what the files should hold."""
    names = index_text()
    return {
        OPERATORS / "index.json": names,
        OPERATORS / "descs.pyi": descriptor_stub(),
        OPERATORS / "functions.pyi": function_stub(),
        OPERATORS / "on_arrays.pyi": function_stub(with_arrays=True),
        OPERATOR_TYPES: operator_types_stub(),
        DECISIONS: decisions_page(),
        ALL_OPERATORS: all_operators_page(),
        DEVICES: device_page.page(),
        words_table.PAGE: words_table.page(),
        COEFFICIENTS: opencl_coefficients.text(),
    } | pages()


def stored_files() -> list[Path]:
    """Return the files that are there now, those of families that are gone included."""
    named = [
        OPERATORS / name for name in ("index.json", "descs.pyi", "functions.pyi", "on_arrays.pyi")
    ]
    pages_of_all = (DECISIONS, ALL_OPERATORS, DEVICES, words_table.PAGE)
    written = (OPERATOR_TYPES, *pages_of_all, COEFFICIENTS)
    return [*named, *written, *sorted(PAGES.glob("*.md"))]


def families() -> list[str]:
    """Return the modules of definitions, imported."""
    found = [m.name for m in pkgutil.iter_modules([str(OPERATORS)]) if m.name not in NOT_FAMILIES]
    for name in found:
        importlib.import_module(f"{definitions.FAMILIES}.{name}")
    for module in pkgutil.iter_modules([str(BY_HAND)]):
        importlib.import_module(f"{definitions.BY_HAND}.{module.name}")
    return found


def index_text() -> str:
    """Return the index: the module of each operator and of each function, a line each."""
    families()
    functions = {d.function: d.module for d in DEFINITIONS.values() if d.function}
    functions |= {n: f.__module__.rpartition(".")[2] for n, f in FUNCTIONS.items()}
    index = {
        "operators": {name: DEFINITIONS[name].module for name in sorted(DEFINITIONS)},
        "functions": dict(sorted(functions.items())),
        "by_hand": {name: functions[name] for name in sorted(FUNCTIONS)},
    }
    return json.dumps(index, indent=1) + "\n"


#: Where the names in annotations come from.
_ORIGINS = {
    "DataTypeLike": "indirectml.core.data_types",
    "TensorDataType": "indirectml.core.data_types",
    "TensorDesc": "indirectml.core.tensors",
    "Scalar": "indirectml.core.scalars",
    "ScalarUnion": "indirectml.core.scalars",
    "FusedActivation": "indirectml.catalogue.fused_activations",
    "OperatorDesc": "indirectml.descriptors.base",
    "ScaleBias": "indirectml.descriptors.fields",
    "Size2D": "indirectml.descriptors.fields",
    "Expression": "indirectml.graphs.expressions",
    "NodeBuilder": "indirectml.graphs.expressions",
    "ScaleBiasLike": "indirectml.graphs.expressions",
    "Sizes": "indirectml.graphs.expressions",
    "Sequence": "collections.abc",
    "Iterable": "collections.abc",
}


def _imports(body: str) -> str:
    """Return the imports of a stub: of the names that its body uses, and hides again."""
    enumerations = importlib.import_module("indirectml.catalogue.enumerations")
    outputs = importlib.import_module("indirectml.graphs.outputs")
    origins = dict(_ORIGINS)
    origins |= {n: enumerations.__name__ for n in vars(enumerations) if n[0].isupper()}
    origins |= {n: outputs.__name__ for n in vars(outputs) if n.endswith("Outputs")}
    used = [
        n
        for n in origins
        if re.search(rf"\b{n}\b", re.sub(r'""".*?"""', "", body, flags=re.DOTALL))
    ]
    lines = sorted(f"from {origins[n]} import {n}" for n in used)
    return "\n".join(lines)


def operator_types_stub() -> str:
    """Return the stub of the enumeration of operators, which is made of the catalogue."""
    names = {"INVALID": 0} | {name: operator_facts(name).number for name in operator_names()}
    members = "".join(f"    {name} = {number}\n" for name, number in names.items())
    return (
        f"{_HEAD}from enum import IntEnum\n\nclass OperatorType(IntEnum):\n{members}\n"
        "def operator_types() -> type[OperatorType]: ...\n"
    )


def descriptor_stub() -> str:
    """Return the stub of the descriptor classes."""
    classes = []
    for name in definitions.implemented_operators():
        made = operators.descriptor_class(name)
        body = [textwrap.indent(f'"""{made.__doc__}"""', "    ")]
        body += [f"    {field}: {field_type(facts)}" for field, facts in fields_of(name)]
        body += ["", "    def __init__(", "        self,"]
        fields = {f.name: f for f in made.__dataclass_fields__.values()}
        ordered = sorted(fields.values(), key=lambda f: f.kw_only)
        types = dict(fields_of(name))
        starred = False
        for field in ordered:
            if field.kw_only and not starred:
                body.append("        *,")
                starred = True
            default = "" if field.default is dataclasses.MISSING else " = ..."
            body.append(f"        {field.name}: {_written(types[field.name])}{default},")
        body.append("    ) -> None: ...")
        classes.append(f"class {class_name(name)}(OperatorDesc):\n" + "\n".join(body) + "\n")
    text = "\n".join(classes)
    return (
        _HEAD
        + _imports(text)
        + "\n\n"
        + _all(class_name(n) for n in definitions.implemented_operators())
        + text
    )


def _written(facts: object) -> str:
    from_graph = importlib.import_module("indirectml.graphs.functions")
    return str(from_graph.written_type(field_type(facts)))


def _all(names: object) -> str:
    listed = "".join(f'    "{name}",\n' for name in names)
    return f"__all__ = [\n{listed}]\n\n"


_TYPING = "from typing import Any, Protocol, overload\n\nimport numpy as np\n"

#: What the stub of functions for arrays has besides: what they take, and what they return.
_ARRAYS = """\
Array = np.ndarray[Any, np.dtype[Any]]

class SupportsDLPack(Protocol):
    def __dlpack__(self, *, stream: None = ...) -> Any: ...
    def __dlpack_device__(self) -> tuple[int, int]: ...

ArrayLike = Array | SupportsDLPack

"""


def function_stub(*, with_arrays: bool = False) -> str:
    """Return the stub of the functions for graphs, or of these for arrays too."""
    made = importlib.import_module("indirectml.graphs.functions")
    names = list(definitions.index()["functions"])
    bodies = []
    for name in names:
        function = made.graph_function(name)
        signature = inspect.signature(function)
        parameters, starred = [], False
        for p in signature.parameters.values():
            if p.kind is p.KEYWORD_ONLY and not starred:
                parameters.append("    *,")
                starred = True
            default = "" if p.default is p.empty else " = ..."
            parameters.append(f"    {p.name}: {p.annotation}{default},")
        doc = textwrap.indent(f'"""{inspect.getdoc(function)}\n"""', "    ")
        returned = str(signature.return_annotation)
        declared = f"def {name}(\n" + "\n".join(parameters) + f"\n) -> {returned}:\n"
        if with_arrays and "Expression" in "".join(parameters):
            # Of several outputs each has its field in the same class, there of expressions.
            given = "Any" if returned.endswith("Outputs") else returned
            out = [] if starred else ["    *,"]
            on_arrays = [*parameters, *out, "    out: Any = ...,"]
            other = f"def {name}(\n" + "\n".join(on_arrays) + f"\n) -> {given}:\n"
            other = other.replace(f") -> {given}", f") -> {given.replace('Expression', 'Array')}")
            other = other.replace("Expression", "ArrayLike")
            declared = f"@overload\n{other}    ...\n\n@overload\n{declared}"
        bodies.append(f"{declared}{doc}\n")
    text = "\n".join(bodies)
    if with_arrays:
        return _HEAD + _TYPING + _imports(text) + "\n\n" + _all(names) + _ARRAYS + text
    return _HEAD + _imports(text) + "\n\n" + _all(names) + text


def pages() -> dict[Path, str]:
    """Return a page per family."""
    found = {}
    for family in families():
        module = importlib.import_module(f"{definitions.FAMILIES}.{family}")
        mine = {d.name: d for d in DEFINITIONS.values() if d.module == family}
        if not mine:
            continue
        title = family.replace("_", " ").capitalize()
        text = f"# {title}\n\n{inspect.getdoc(module)}\n"
        for name in sorted(mine, key=lambda n: operator_facts(n).number):
            text += "\n" + _page_entry(name, mine[name])
        found[PAGES / f"{family}.md"] = text
    return found


def _page_entry(name: str, definition: definitions.Definition) -> str:
    """Return the part of a page on one operator."""
    facts = operator_facts(name)
    function = function_name(name)
    called = f", function `{function}`" if function else ""
    older = "".join(f", {each} ({operator_facts(each).introduced})" for each in definition.older)
    fields = ", ".join(f"`{field}`" for field, _ in fields_of(name))
    text = with_mathematics(definition.text)
    text = re.sub(r"^Example: (.*(?:\n[ \t]+.*)*)", _example, text, flags=re.MULTILINE)
    text = re.sub(rf"^({'|'.join(LABELS)}):", r"**\1:**", text, flags=re.MULTILINE)
    sources = ", ".join(f"[{n}]({published_page(n).url})" for n in definition.names)
    return (
        f"## {name}\n\n{text}\n\nFrom feature level {facts.introduced}{older}{called}.\n"
        f"Fields: {fields}.\nSource: {sources}.\n"
    )


#: What paragraphs of definitions begin with that say what decided, and what each collects.
LABELS = {
    "The page errs": (
        "Mistakes in published pages",
        "What a page says wrongly or twice over, and what decides instead.",
    ),
    "The page is silent": (
        "Left open by a page, decided by another source",
        "What a page leaves open, and whose text or use of the operator decides.",
    ),
    "Our choice": (
        "Our choices",
        "What no source says. DirectML on a device may do something else here.",
    ),
}


def decisions_page() -> str:
    """Return the page of all paragraphs that say what decided, by kind."""
    families()
    made = {d.name: d for d in DEFINITIONS.values()}
    text = (
        "# Where published pages err or are silent\n\n"
        "The meaning of an operator is what its page of Microsoft's documentation says, at the"
        " commit that [its family's page](operators/element_wise_functions.md) links. Here is where"
        " a page could not be followed. How every operator rounds, adds up and treats NaN is our"
        " choice throughout: DirectML promises none of it, and [arithmetic](arithmetic.md) defines"
        " it. What it says of sums changed once, before the first release: those of more than 4,096"
        " elements are made of blocks, which threads can share.\n\n"
        "Collected from the definitions by `python -m tools.generate`.\n"
    )
    for label, (title, lead) in LABELS.items():
        text += f"\n## {title}\n\n{lead}\n\n| operator | |\n|---|---|\n"
        for name in sorted(made, key=lambda n: operator_facts(n).number):
            for found in _labelled(made[name].text, label):
                link = f"operators/{made[name].module}.md#{name.lower()}"
                text += f"| [{name}]({link}) | {found} |\n"
    return text


def all_operators_page() -> str:
    """Return the page that lists every operator: its name, function, family, and one line."""
    families()
    made = {name: d for d in DEFINITIONS.values() for name in d.names}
    text = (
        f"# All {len(made)} operators\n\n"
        "By the name that DirectML has behind `DML_OPERATOR_`, with the function that it has here,"
        " on [arrays](one-operator.md) and in graphs. The page of its family says how it rounds and"
        " where Microsoft's page is; [oracles](oracles.md) what it is compared with,"
        " [ONNX forms](onnx-operators.md) what it is elsewhere, [decisions](decisions.md) where a"
        " page errs; [golden vectors](operator-vectors.md) are there for all. `indirectml explain"
        " NAME` prints all of it.\n\n"
        "Written by `python -m tools.generate`.\n\n"
        "| operator, function, family, level | |\n|---|---|\n"
    )
    for name in sorted(made):
        definition = made[name]
        called = f"`{function_name(name)}`"
        family = definition.module.replace("_", " ")
        page = f"operators/{definition.module}.md"
        line = " ".join(definition.text.split("\n\n", 1)[0].split()).replace("|", "\\|")
        text += (
            f"| [{name}]({page}#{definition.name.lower()})<br>{called}, {family},"
            f" {operator_facts(name).introduced} | {line} |\n"
        )
    return text


def _labelled(text: str, label: str) -> list[str]:
    """Return the paragraphs of a docstring that begin with a label, a line each."""
    found = re.findall(rf"^{label}: (.*?)(?=\n\n|\Z)", text, re.MULTILINE | re.DOTALL)
    return [" ".join(paragraph.split()) for paragraph in found]


def _example(match: re.Match[str]) -> str:
    return "    " + re.sub(r"\s+", " ", match[1])


if __name__ == "__main__":
    main()
