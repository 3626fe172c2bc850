"""ONNX's own node tests, loaded through `load_onnx`: `python -m tests.onnx_import.node_tests`.

The `onnx` package generates them: a model of one node (or of the nodes of a function's body), its
inputs, and the outputs that the standard's authors state. Held to are those whose inputs and
outputs are tensors of DirectML's data types.

What says sizes has to be known while a model is loaded (DirectML's sizes are), but node tests have
it among their inputs. So what those inputs hold is put into the model, as initializers: of inputs
that reach the positions below, through whatever nodes, and of those that have no elements.
"""

import argparse
import json
import re
import warnings
from collections import Counter, defaultdict
from functools import cache
from pathlib import Path

import numpy as np
import onnx
from onnx import TensorProto

import indirectml as dml

ROOT = Path(__file__).parents[2]
RECORD = Path(__file__).with_name("node_tests.json")
PAGE = ROOT / "docs/onnx-node-tests.md"

_TYPES = "FLOAT FLOAT16 DOUBLE BOOL INT4 INT8 INT16 INT32 INT64 UINT4 UINT8 UINT16 UINT32 UINT64"
DATA_TYPES = {TensorProto.DataType.Value(name) for name in _TYPES.split()}

#: By operator, the positions of inputs that say sizes or what the nodes are.
SAYS_SIZES = {
    "AffineGrid": (1,),
    "BlackmanWindow": (0,),
    "CenterCropPad": (1,),
    "Col2Im": (1, 2),
    "Compress": (1,),
    "ConstantOfShape": (0,),
    "CumProd": (1,),
    "CumSum": (1,),
    "DFT": (1, 2),
    "Dropout": (1, 2),
    "Expand": (1,),
    "HammingWindow": (0,),
    "HannWindow": (0,),
    "If": (0,),
    "Loop": (0, 1),
    "MaxUnpool": (2,),
    "MelWeightMatrix": (0, 1, 2, 3, 4),
    "NonMaxSuppression": (0, 1, 2, 3, 4),
    "NonZero": (0,),
    "OneHot": (1,),
    "Pad": (1, 2, 3),
    "Range": (0, 1, 2),
    "ReduceL1": (1,),
    "ReduceL2": (1,),
    "ReduceLogSum": (1,),
    "ReduceLogSumExp": (1,),
    "ReduceMax": (1,),
    "ReduceMean": (1,),
    "ReduceMin": (1,),
    "ReduceProd": (1,),
    "ReduceSum": (1,),
    "ReduceSumSquare": (1,),
    "Reshape": (1,),
    "Resize": (1, 2, 3),
    "STFT": (1, 3),
    "Slice": (1, 2, 3, 4),
    "Split": (1,),
    "Squeeze": (1,),
    "Tile": (1, 2),
    "TopK": (1,),
    "Trilu": (1,),
    "Unique": (0,),
    "Unsqueeze": (1,),
    "Upsample": (1,),
}  # fmt: skip

#: Operators whose outputs nobody can state: what is compared is data type and sizes.
RANDOM = {
    "Bernoulli",
    "Multinomial",
    "RandomNormal",
    "RandomNormalLike",
    "RandomUniform",
    "RandomUniformLike",
}


#: Tests that are other ones in onnx 1.23 than in 1.19: integers that wrapped are limited, what was
#: divided by a norm of zero is zero, and Adam has the epsilon that its outputs were computed with.
MENDED = {
    "test_adam_multiple",
    "test_l2normalization_axis_0",
    "test_qlinearmatmul_2D_int8_float16",
    "test_qlinearmatmul_2D_int8_float32",
    "test_qlinearmatmul_3D_int8_float16",
    "test_qlinearmatmul_3D_int8_float32",
}
#: Whether the installed onnx is older than that.
IS_OLD = tuple(map(int, onnx.__version__.split(".")[:2])) < (1, 23)

#: Tests that state the noise of an algorithm, 2e-7 beside 54, where the result is 0; what they get.
NOISY = {"test_dft_inverse": 1e-6, "test_dft_inverse_opset19": 1e-6}


@cache
def collected():
    """Return the node tests of the installed `onnx` that are held to, by name."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # how their expected values come about
        from onnx.backend.test.case import node  # noqa: PLC0415

        cases = node.collect_testcases(None)
    left_out = MENDED if IS_OLD else set()
    return {
        case.name: case
        for case in cases
        if case.name not in left_out and _is_of_our_types(case.model.graph)
    }


def _is_of_our_types(graph):
    return all(
        value.type.WhichOneof("value") == "tensor_type"
        and value.type.tensor_type.elem_type in DATA_TYPES
        for value in (*graph.input, *graph.output)
    )


def operator_of(case):
    """Return the operator that a test is about."""
    nodes = case.model.graph.node
    if "_expanded" in case.name:
        # Values in a function's body are named after the operator.
        names = {name for node in nodes for name in (*node.input, *node.output)}
        inner = next((n for n in names if "_expanded_function_" in n), None)
        if inner is not None:
            return inner.split("_", 1)[0]
        original = collected().get(case.name.partition("_expanded")[0])
        return operator_of(original) if original else nodes[0].op_type
    return nodes[0].op_type


def prepared(case):
    """Return a test's model, with what has to be known in it, and the inputs that remain."""
    inputs, outputs = case.data_sets[0]
    graph = case.model.graph
    values = {info.name: _array(v) for info, v in zip(graph.input, inputs, strict=True)}
    fixed = _reached(graph) & values.keys() | {n for n, v in values.items() if v.size == 0}
    model = onnx.ModelProto()
    model.CopyFrom(case.model)
    del model.graph.input[:]
    model.graph.input.extend(info for info in graph.input if info.name not in fixed)
    model.graph.initializer.extend(
        v if isinstance(v, TensorProto) else onnx.numpy_helper.from_array(np.asarray(v), info.name)
        for info, v in zip(graph.input, inputs, strict=True)
        if info.name in fixed
    )
    given = {name: value for name, value in values.items() if name not in fixed}
    return model, given, [_array(v) for v in outputs]


def _array(value):
    return np.asarray(
        onnx.numpy_helper.to_array(value) if isinstance(value, TensorProto) else value
    )


def _reached(graph, wanted=()):
    """Return the names of values from which what says sizes, or a wanted value, is computed."""
    found = set(wanted)
    for node in reversed(graph.node):
        is_found = bool(found.intersection(node.output))
        if is_found:
            positions = range(0) if node.op_type in {"Shape", "Size"} else range(len(node.input))
        else:
            positions = SAYS_SIZES.get(node.op_type, ())
        found.update(node.input[k] for k in positions if k < len(node.input))
        for attribute in node.attribute:
            inner = [output.name for output in attribute.g.output] if is_found else ()
            found |= _reached(attribute.g, inner)
    return found - {""}


def outcome(case):
    """Return "passed", or "refused" or "wrong" and why."""
    model, given, expected = prepared(case)
    try:
        with np.errstate(all="ignore"):
            actual = dml.load_onnx(model)(given)
    except dml.DirectMLError as error:
        return "refused", _reason(error)
    is_random = any(node.op_type in RANDOM for node in model.graph.node)
    for info, got, stated in zip(model.graph.output, actual, expected, strict=True):
        if why := difference(got, stated, case, is_random=is_random):
            return "wrong", f"{info.name}: {why}"
    return "passed", ""


def _reason(error):
    """Return why the first of the nodes in question is refused, with its name if it is inside."""
    refusals = getattr(error, "refusals", ())
    if not refusals:
        return str(error)
    first = refusals[0]
    inside = f"{first.operator}: " if "/" in first.node else ""
    return f"{inside}{first.reason}"


#: Two units in the last place of FLOAT16, which are more than the tests' own tolerance.
_HALF_RTOL = 2**-9


def difference(actual, expected, case, *, is_random):
    if actual.dtype != expected.dtype:
        return f"{actual.dtype} instead of {expected.dtype}"
    if actual.shape != expected.shape:
        return f"{list(actual.shape)} instead of {list(expected.shape)}"
    if is_random:
        return ""
    if expected.dtype.kind == "f":
        rtol = max(case.rtol, _HALF_RTOL) if expected.dtype == np.float16 else case.rtol
        is_same = np.isclose(
            actual, expected, rtol, NOISY.get(case.name, case.atol), equal_nan=True
        )
    else:
        is_same = actual == expected
    if np.all(is_same):
        return ""
    first = tuple(int(k) for k in np.argwhere(~is_same)[0]) if actual.shape else ()
    differ = np.count_nonzero(~is_same)
    return f"{differ} differ, the first at {list(first)}: {actual[first]}, not {expected[first]}"


def outcomes(names=None):
    """Return the outcome of each test, or of those named."""
    cases = collected()
    return {name: outcome(cases[name]) for name in (cases if names is None else names)}


# ---- the record, and the page made of it ----


def recorded():
    """Return what is stored: which tests of which version pass, and which are refused and why."""
    return json.loads(RECORD.read_text(encoding="utf-8"))


def record_of(found):
    """Return what to store of outcomes."""
    passed = defaultdict(list)
    refused = defaultdict(dict)
    for name, (kind, why) in sorted(found.items()):
        operator = operator_of(collected()[name])
        if kind == "passed":
            passed[operator].append(name)
        elif kind == "refused":
            refused[operator][name] = why
    return {"onnx": onnx.__version__, "passed": passed, "refused": refused}


def page_of(record):
    """Return the page: by operator, how many tests there are, pass and are refused, and why."""
    passed, refused = record["passed"], record["refused"]
    pass_count = sum(map(len, passed.values()))
    count = pass_count + sum(map(len, refused.values()))
    lines = [
        "# ONNX's own node tests",
        "",
        _INTRODUCTION.format(
            version=record["onnx"], count=count, passed=pass_count, refused=count - pass_count
        ),
        "",
        "| operator | tests | pass | refused | why |",
        "|---|--:|--:|--:|---|",
    ]
    for operator in sorted({*passed, *refused}):
        good, bad = len(passed.get(operator, ())), refused.get(operator, {})
        why = Counter(_short(reason) for reason in bad.values())
        said = "; ".join(r if n == len(bad) else f"{r} ({n})" for r, n in why.most_common())
        lines.append(f"| {operator} | {good + len(bad)} | {good} | {len(bad) or ''} | {said} |")
    return "\n".join(lines) + "\n"


_INTRODUCTION = """\
The `onnx` package generates tests of single nodes: a model, its inputs, and the outputs that the
authors of the standard state. Of those of onnx {version}, {count} have inputs and outputs of
DirectML's data types alone. Loaded through `load_onnx` and run,
**{passed} pass, {refused} are refused, none is wrong**.

To pass is to be equal in sizes, data type, and every integer and boolean, and in floats within the
tests' own tolerance (0.001 of the number; of FLOAT16 two units in the last place;
0.000001 in two tests of DFT that state noise for 0). An operator that
ONNX defines by others comes twice: as itself, and as the nodes of its definition. What says sizes
has to be known while a model is loaded, but these tests have it among their inputs: it is put into
the model as an initializer first. Of what is random, data type and sizes are compared.

`python -m tests.onnx_import.node_tests` runs them all (seconds), and writes this page;
`--only TEXT` takes those that have the text in their names, and says why they are refused."""


#: Reasons that name all data types that would do, and what to say instead.
_TYPE = re.compile(r"(?:\w+: )?(\w+)\.\w+\.data_type: needs one of .* got (\w+)")


def _short(reason):
    """Return a reason on one line of a table."""
    first = reason.partition("\n")[0].partition("; ")[0]
    if found := _TYPE.fullmatch(first):
        first = f"{found[1]} takes no {found[2]}"
    return first.replace("|", "\\|")


def main(arguments=None):
    """Run node tests; without `--only`, write the record and the page."""
    parser = argparse.ArgumentParser(description=main.__doc__)
    parser.add_argument("--only", metavar="TEXT", help="those that have it in their names")
    chosen = parser.parse_args(arguments).only
    names = [n for n in collected() if chosen is None or chosen in n]
    found = outcomes(names)
    for name, (kind, why) in found.items():
        if kind == "wrong" or chosen is not None:
            print(f"{kind}: {name}{': ' if why else ''}{why}")
    counts = Counter(kind for kind, _ in found.values())
    print(", ".join(f"{counts[kind]} {kind}" for kind in ("passed", "refused", "wrong")))
    if chosen is None and not counts["wrong"]:
        record = record_of(found)
        RECORD.write_text(json.dumps(record, indent=1) + "\n", encoding="utf-8")
        PAGE.write_text(page_of(record), encoding="utf-8")


if __name__ == "__main__":
    main()
