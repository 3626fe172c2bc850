"""ONNX's own backend test runner on ours; a program: `python -m tests.onnx_backend`.

The runner has a test for each of ONNX's node tests, and for the models of the folders simple,
pytorch-converted and pytorch-operator. Its folder real is left out, which it downloads, or computes
slowly; `test_real_models.py` has those models.
"""

import argparse
import json
import logging
import re
import unittest
import warnings
from collections import Counter
from functools import cache
from pathlib import Path

import onnx

from indirectml import backend
from indirectml.onnxruntime import InvalidGraph, NotImplemented  # noqa: A004 (ONNX Runtime's name)

ROOT = Path(__file__).parents[1]
RECORD = Path(__file__).with_name("onnx_backend.json")
PAGE = ROOT / "docs/onnx-backend.md"


class Held:
    """Our backend, where what is refused with a sentence is a skipped test with that sentence."""

    supports_device = backend.supports_device
    is_compatible = backend.is_compatible

    @staticmethod
    def prepare(model, device="CPU", **options):
        return HeldRep(refusing(backend.prepare, model, device, **options))


class HeldRep:
    """What it prepares."""

    def __init__(self, made):
        self.made = made

    def run(self, inputs):
        return refusing(self.made.run, inputs)


def refusing(function, *arguments, **options):
    try:
        return function(*arguments, **options)
    except (NotImplemented, InvalidGraph) as error:
        raise unittest.SkipTest(reason(error)) from None


def reason(error):
    refusals = getattr(error, "refusals", ())
    return f"{refusals[0].operator}: {refusals[0].reason}" if refusals else str(error)


@cache
def cases():
    """Return the runner's tests for the CPU by name: suites of one test."""
    logging.getLogger("onnx").setLevel(logging.ERROR)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # how their expected values come about
        from onnx.backend.test import BackendTest  # noqa: PLC0415 (takes seconds)

        found = BackendTest(Held, __name__).test_cases
    return {
        f"{kind.removeprefix('OnnxBackend').removesuffix('Test')} {name}": made(name)
        for kind, made in found.items()
        for name in unittest.defaultTestLoader.getTestCaseNames(made)
        if name.endswith("_cpu") and kind != "OnnxBackendRealModelTest"
    }


def outcome(name):
    """Return "passed", or "refused" or "failed" and why."""
    result = unittest.TestResult()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        cases()[name].run(result)
    if result.skipped:
        return "refused", result.skipped[0][1]
    bad = [*result.errors, *result.failures]
    return ("failed", bad[0][1]) if bad else ("passed", "")


def recorded():
    return json.loads(RECORD.read_text(encoding="utf-8"))


def page_of(record):
    """Return the page: how many tests of each folder pass, and why the others do not."""
    kinds = sorted({name.split()[0] for name in record["outcomes"]})
    lines = []
    for kind in kinds:
        each = [o for n, o in record["outcomes"].items() if n.split()[0] == kind]
        counts = Counter(o[0] for o in each)
        row = [len(each), *(counts[o] for o in ("passed", "refused", "failed"))]
        lines.append(f"| {kind} | {' | '.join(map(str, row))} |")
    failed = [
        f"- {name}: {why}" for name, (kind, why) in record["outcomes"].items() if kind == "failed"
    ]
    whys = Counter(why for kind, why in record["outcomes"].values() if kind == "refused")
    reasons = [f"| {n} | {why} |" for why, n in sorted(whys.items(), key=lambda w: (-w[1], w[0]))]
    return _PAGE.format(
        onnx=record["onnx"],
        kinds="\n".join(lines),
        failed="\n".join(failed) or "None.",
        reasons="\n".join(reasons),
    )


_PAGE = """\
# ONNX's backend tests

`indirectml.backend` has [ONNX's Backend API](https://onnx.ai/onnx/api/backend.html): `prepare`,
`run_model`, `run_node`, `supports_device`. `onnx.backend.test.BackendTest`, its own runner, takes
it as it is. These are its tests with onnx {onnx}, with its tolerances, run and written by
`python -m tests.onnx_backend`; its folder of real models is left out, which are
[tested beside ONNX Runtime](testing.md).

| folder | tests | passed | refused | failed |
|---|--:|--:|--:|--:|
{kinds}

Inputs that decide sizes need no preparation here, unlike in [the node tests](onnx-node-tests.md): a
session takes small ones as known while it compiles ([sessions](onnx-runtime.md)).

## What fails

{failed}

## Why tests are refused

| tests | why |
|--:|---|
{reasons}
"""


#: Reasons that name much, and what they say.
_SAID = (
    (re.compile(r".*(?:data types? |data_type: needs one of ).* got (\w+)"), r"data type \1"),
    (re.compile(r".*needs opset .* got (\d+)"), "opset before 7"),
    (re.compile(r".*needs numbers, got STRING"), "text"),
    (re.compile(r".*needs a tensor, got a sequence"), "an output that is a sequence"),
    (re.compile(r".*needs a tensor, got (\w+)"), r"an input that is a \1"),
)


def _brief(kind, why):
    lines = [line for line in why.strip().splitlines() if line.strip()]
    if kind == "failed":
        greatest = [line.strip() for line in lines if "Max absolute" in line]
        return (greatest or [lines[-1].strip()])[0]
    said = lines[0].partition("; ")[0].replace("|", "\\|") if lines else ""
    for pattern, meaning in _SAID:
        said = pattern.sub(meaning, said)
    return said


def main(arguments=None):
    """Run the backend tests; without `--only`, write the record and the page."""
    parser = argparse.ArgumentParser(description=main.__doc__)
    parser.add_argument("--only", metavar="TEXT", help="those that have it in their names")
    chosen = parser.parse_args(arguments).only
    found = {name: outcome(name) for name in cases() if chosen is None or chosen in name}
    for name, (kind, why) in found.items():
        if kind == "failed" or chosen is not None:
            print(f"{kind}: {name}: {why}")
    counts = Counter(kind for kind, _ in found.values())
    print(", ".join(f"{counts[kind]} {kind}" for kind in ("passed", "refused", "failed")))
    if chosen is None:
        outcomes = {name: [kind, _brief(kind, why)] for name, (kind, why) in sorted(found.items())}
        record = {"onnx": onnx.__version__, "outcomes": outcomes}
        RECORD.write_text(json.dumps(record, indent=0) + "\n", encoding="utf-8")
        PAGE.write_text(page_of(record), encoding="utf-8")


if __name__ == "__main__":
    main()
