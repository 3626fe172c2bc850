"""ONNX forms, and how far their results are: `python -m tests.onnx_export.evidence`.

Runs all cases of all operators elsewhere, and writes evidence.json and docs/onnx-operators.md made
of it. `--only TEXT` takes the operators whose name contains it, `--seed N` other cases, and more of
them; both write nothing.
"""

import argparse
import importlib.metadata
import json
import math
import sys
from collections import Counter, defaultdict
from pathlib import Path
from typing import Any

from indirectml.catalogue import operator_facts, operator_names
from indirectml.descriptors.definitions import definition, index
from tests.onnx_export.bounds import BOUNDS, DIFFERENCES
from tests.onnx_export.cases import cases_of
from tests.onnx_export.running import Distance, compare

HERE = Path(__file__).parent
RECORD = HERE / "evidence.json"
PAGE = HERE.parents[1] / "docs/onnx-operators.md"

#: What brings data types and sizes into line, and is no operator of a form.
GLUE = ("Cast", "Reshape", "Identity", "Expand", "Transpose")


#: Cases of an operator by another seed, at most.
MORE = 150


def of_operator(name: str, seed: int = 0) -> dict[str, Any]:
    """Return what running all cases of an operator shows."""
    total, operators, elsewhere = Distance(), Counter(), Counter()
    alone: Counter[str] = Counter()
    cases = cases_of(name, MORE, seed) if seed else cases_of(name)
    for case in cases:
        found, where, model = compare(case)
        total |= found
        elsewhere[where] += 1
        own = [node.op_type for node in model.graph.node]
        operators.update(own)
        said = [each for each in own if each not in GLUE]
        if len(said) <= 1:
            alone.update(said or own[:1])
    used = [each for each in operators if each not in GLUE or each in alone] or list(operators)
    return {
        "form": "direct" if alone else "composed",
        "onnx": sorted(used, key=lambda each: (-alone[each], -operators[each], each)),
        "alone": sorted(alone),
        "cases": len(cases),
        "elsewhere": dict(elsewhere),
        "farthest": None if total.is_equal else [total.ulp, total.share],
    }


def mistakes(record: dict[str, Any]) -> list[str]:
    """Return what exceeds its bound."""
    wrong = []
    for name, found in record["operators"].items():
        bound = BOUNDS.get(definition(name).name)
        farthest = found.get("farthest")
        if farthest is not None and (bound is None or farthest[1] > bound):
            wrong.append(f"{name}: {farthest[1]:g} exceeds {bound}")
    return wrong


def page(record: dict[str, Any]) -> str:
    """Return the page of forms."""
    operators = record["operators"]
    counts = Counter(found["form"] for found in operators.values())
    cases = sum(found.get("cases", 0) for found in operators.values())
    versions = " and ".join(f"{name} {version}" for name, version in record["versions"].items())
    text = (
        "# Operators in ONNX\n\n"
        "What each operator of DirectML becomes in an ONNX model, and how far the results of that"
        " model are from IndirectML's. Written by `python -m tests.onnx_export.evidence`, which"
        f" runs {cases:,} cases with {versions}, each after a full check by `onnx.checker`; the"
        " tests run a part of them, and hold this page to the forms.\n\n"
        f"- **direct** ({counts['direct']}): one ONNX operator says the same, given fitting fields;"
        " it stands first, in bold. Where they do not fit, the others are used too.\n"
        f"- **composed** ({counts['composed']}): several do.\n\n"
        f"ONNX's {', '.join(GLUE)} bring data types and sizes into line, and are not listed."
        " FLOAT16 is computed in FLOAT32 and rounded once, as everywhere.\n\n"
        "A bound is the largest difference allowed, in ULP of the output's largest element, or of"
        " integers in steps; *bits* means none at all. Behind it is the largest one that was"
        " found. With a bound of 0 only zeros differ, in their sign, which ONNX Runtime's Where"
        " loses of -0.\n\n"
        "## Where ONNX says something else\n\n"
    )
    text += DIFFERENCES
    families = defaultdict(list)
    for name in sorted(operator_names(), key=lambda each: operator_facts(each).number):
        families[index()["operators"][name]].append(name)
    for family, names in families.items():
        text += f"\n## [{family}](operators/{family}.md)\n\n"
        text += "| operator | form | ONNX operators | cases | bound |\n|---|---|---|---|---|\n"
        text += "".join(_row(name, operators[name]) for name in names)
    return text


def _row(name: str, found: dict[str, Any]) -> str:
    cases = f"{found['cases']}"
    by_reference = found["elsewhere"].get("onnx.reference", 0)
    if by_reference:
        cases += f", {by_reference} by onnx.reference"
    bound = BOUNDS.get(definition(name).name)
    told = "bits" if bound is None else f"{bound:g}"
    if bound:
        farthest = 0 if found["farthest"] is None else found["farthest"][1]
        told += f" ({math.ceil(farthest * 100) / 100:g})"
    onnx = ", ".join(f"**{each}**" if each in found["alone"] else each for each in found["onnx"])
    return f"| {name} | {found['form']} | {onnx} | {cases} | {told} |\n"


def main(arguments: list[str]) -> int:
    """Write the record and the page, or tell what a part of them would be."""
    parser = argparse.ArgumentParser(prog="python -m tests.onnx_export.evidence")
    parser.add_argument("--only", metavar="TEXT", help="the operators whose name contains it")
    parser.add_argument("--seed", type=int, default=0, help="of other cases")
    options = parser.parse_args(arguments)
    names = [name for name in sorted(operator_names()) if (options.only or "") in name]
    record = {
        "versions": {
            "ONNX Runtime": importlib.metadata.version("onnxruntime"),
            "onnx": importlib.metadata.version("onnx"),
        },
        "operators": {name: of_operator(name, options.seed) for name in names},
    }
    wrong = mistakes(record)
    for each in wrong:
        print(each)
    if options.seed:
        found = record["operators"].values()
        print(f"{sum(each.get('cases', 0) for each in found)} cases, {len(wrong)} operators wrong")
    elif options.only is not None:
        print(json.dumps(record["operators"], indent=1))
    elif not wrong:
        RECORD.write_text(json.dumps(record, indent=1) + "\n", encoding="utf-8")
        PAGE.write_text(page(record), encoding="utf-8")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
