"""What each operator is compared with, from its tests: `python -m tests.operators.evidence`.

Runs the tests of operators, notes which operators each of them ran and which libraries it asked,
and writes evidence.json and the table in docs/oracles.md made of it.
"""

import functools
import importlib
import importlib.metadata
import json
import sys
from collections import Counter, defaultdict
from pathlib import Path

import pytest

from indirectml.catalogue import operator_facts, operator_names
from indirectml.descriptors.definitions import index
from tests.onnx_import import node_tests
from tests.operators.families import chosen_places

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
RECORD = HERE / "evidence.json"
PAGE = ROOT / "docs/oracles.md"

#: Files that compare the package with itself, or that check other files.
NOT_ORACLES = {
    "test_breakages", "test_coverage", "test_examples", "test_published_examples",
    "test_targets_agree",
}  # fmt: skip

LOOPS, MPFR = "plain loops", "MPFR"
LIBRARIES = {"ONNX Runtime": "onnxruntime", "PyTorch": "torch"}

#: Fills do not run through definitions; tests/operators/test_coverage.py says where they are.
FILLS = {"FILL_VALUE_CONSTANT": "test_fills.py", "FILL_VALUE_SEQUENCE": "test_sequences.py"}


class Recorder:
    """A plugin of pytest that notes what tests run and ask.

    Attributes
    ----------
    found : dict
        By operator and source: how often the operator ran in tests that asked it, how many
        elements came out, how many of these tests failed, and their files.
    """

    def __init__(self):
        self.found = defaultdict(lambda: {"cases": 0, "elements": 0, "failed": 0, "files": set()})
        self._ran, self._elements, self._asked = Counter(), Counter(), set()

    def watch(self):
        """Replace what runs operators, and the doors to libraries, by what notes it too."""
        cpu = importlib.import_module("indirectml.devices.cpu")
        execute = cpu.execute

        def noted(steps, memories):
            steps = list(steps)
            execute(steps, memories)
            for step in steps:
                names = getattr(step, "operator_names", (getattr(step, "operator_name", None),))
                for name in names:
                    if name is not None:
                        self._ran[name] += 1
                        views = [view for view in step.outputs if view is not None]
                        self._elements[name] += sum(view.tensor.element_count for view in views)

        cpu.execute = noted
        for module, function, source in (
            ("tests.operators.elsewhere", "onnx_runtime", "ONNX Runtime"),
            ("tests.arithmetic.digits", "rounded", MPFR),
            ("gmpy2", "context", MPFR),
            ("torch", "as_tensor", "PyTorch"),
            ("torch", "tensor", "PyTorch"),
            ("torch", "from_numpy", "PyTorch"),
        ):
            self._watch(importlib.import_module(module), function, source)

    def _watch(self, module, name, source):
        function = getattr(module, name)

        @functools.wraps(function)
        def noted(*arguments, **named):
            self._asked.add(source)
            return function(*arguments, **named)

        setattr(module, name, noted)

    @pytest.hookimpl(hookwrapper=True)
    def pytest_runtest_call(self, item):
        self._forget()
        outcome = yield
        for name, count in self._ran.items():
            for source in self._asked or {LOOPS}:
                found = self.found[name, source]
                found["cases"] += count
                found["elements"] += self._elements[name]
                found["failed"] += outcome.excinfo is not None
                found["files"].add(item.path.name)

    def _forget(self):
        for noted in (self._ran, self._elements, self._asked):
            noted.clear()

    def run_node_tests(self):
        """Run ONNX's node tests that pass, and return in how many of them each operator ran."""
        found = Counter()
        for names in node_tests.recorded()["passed"].values():
            for name in names:
                self._forget()
                kind, why = node_tests.outcome(node_tests.collected()[name])
                if kind != "passed":
                    raise ValueError(f"{name} is recorded as passed, and is {kind}: {why}")
                found.update(self._ran.keys())
        return dict(sorted(found.items()))


def trial_counts():
    """Return how many trials the tables of oracles have for each operator, without running them."""
    counts = {}
    for path in sorted(HERE.glob("test_*.py")):
        module = importlib.import_module(f"tests.operators.{path.stem}")
        if not hasattr(module, "places"):
            continue  # its table is run in another way
        for name, oracle in getattr(module, "ORACLES", {}).items():
            found = chosen_places(name, getattr(oracle, "field", None))
            counts[name] = sum(len(list(oracle(place))) for place in found)
    return dict(sorted(counts.items()))


def recorded():
    """Run the tests and return what they showed, as data."""
    recorder = Recorder()
    recorder.watch()
    files = sorted(p for p in HERE.glob("test_*.py") if p.stem not in NOT_ORACLES)
    pytest.main(["-q", "-p", "no:cacheprovider", *map(str, files)], plugins=[recorder])
    operators = {}
    for (name, source), found in sorted(recorder.found.items()):
        operators.setdefault(name, {})[source] = found | {"files": sorted(found["files"])}
    versions = {name: importlib.metadata.version(p) for name, p in LIBRARIES.items()}
    versions[MPFR] = importlib.import_module("gmpy2").mpfr_version().removeprefix("MPFR ")
    return {
        "versions": versions,
        "trials": trial_counts(),
        "node_tests": recorder.run_node_tests(),
        "exported": exported_cases(),
        "operators": operators,
    }


def exported_cases():
    """Return how many cases of each operator ran elsewhere, as ONNX models."""
    found = json.loads((ROOT / "tests/onnx_export/evidence.json").read_text(encoding="utf-8"))
    counts = {
        name: sum(each.get("elsewhere", {}).values()) for name, each in found["operators"].items()
    }
    return {name: count for name, count in counts.items() if count}


def page(record):
    """Return the page of oracles."""
    families = defaultdict(list)
    for name in sorted(operator_names(), key=lambda n: operator_facts(n).number):
        families[index()["operators"][name]].append(name)
    versions = ", ".join(f"{name} {version}" for name, version in record["versions"].items())
    text = (
        "# What each operator is compared with\n\n"
        "Written by `python -m tests.operators.evidence`, which runs the tests of operators and"
        " notes what each of them ran and asked; `tests/operators/test_evidence.py` holds it to"
        " them.\n\n"
        f"- **{LOOPS}**: Python's numbers and NumPy's, one element after the other, written from"
        " the sources and sharing no code with the definition. Compared bit by bit.\n"
        f"- **{MPFR}**: functions and roots to any precision, rounded once, in such loops. Compared"
        " bit by bit.\n"
        "- **ONNX Runtime, PyTorch**: a second opinion of what an operator means. Integers and"
        " what only moves are compared exactly, sums in another order within the tolerance of the"
        " test.\n"
        "- **node tests**: how many of [ONNX's own](onnx-node-tests.md) went through the operator"
        " and gave what the authors of the standard state.\n"
        "- **exported**: how many random cases ran as an [ONNX model](onnx-out.md) in ONNX Runtime"
        " or ONNX's reference, and agreed within the bound stated there.\n"
        "\nA case is one run of an operator whose outputs were compared, over data types, dimension"
        " counts, strides, broadcasting and corners of its fields. Every operator is compared with"
        " itself too, on every instruction set and number of threads (`test_targets_agree.py`), and"
        f" through every door (`test_examples.py`).\n\nLast run with {versions}.\n\n"
    )
    text += "## By family\n\n| family | operators | cases | elements | differences |\n"
    text += "|---|---|---|---|---|\n"
    total = Counter()
    for family, names in families.items():
        counted = Counter(operators=len(names))
        for name in names:
            for found in record["operators"].get(name, {}).values():
                counted.update({k: found[k] for k in ("cases", "elements", "failed")})
        total.update(counted)
        text += _row(f"[{family}](operators/{family}.md)", counted)
    text += _row("**all**", total)
    for family, names in families.items():
        title = family.replace("_", " ").capitalize()
        text += (
            f"\n## {title}\n\n"
            "| operator | compared with | cases | elements | node tests | exported | where |\n"
            "|---|---|---|---|---|---|---|\n"
        )
        for name in names:
            found = record["operators"].get(name)
            others = f"{record['node_tests'].get(name, '')} | {record['exported'].get(name, '')}"
            if name in FILLS:
                doors = f"{LOOPS}, through every door ([testing](testing.md))"
                text += f"| {name} | {doors} | | | {others} | `{FILLS[name]}` |\n"
                continue
            files = ", ".join(
                f"`{f}`" for f in sorted({f for s in found.values() for f in s["files"]})
            )
            cells = [
                "; ".join(found),
                "; ".join(f"{s['cases']:,}" for s in found.values()),
                "; ".join(f"{s['elements']:,}" for s in found.values()),
            ]
            text += f"| {name} | {' | '.join(cells)} | {others} | {files} |\n"
    return text


def _row(title, counted):
    numbers = " | ".join(f"{counted[k]:,}" for k in ("operators", "cases", "elements", "failed"))
    return f"| {title} | {numbers} |\n"


def main():
    record = recorded()
    RECORD.write_text(json.dumps(record, indent=1) + "\n", encoding="utf-8")
    PAGE.write_text(page(record), encoding="utf-8")
    failed = sum(s["failed"] for found in record["operators"].values() for s in found.values())
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
