"""Golden vectors of operators against an implementation: `python runner.py FOLDER [--only TEXT]`.

It needs what `pip install "indirectml[onnx]" onnxruntime` brings.

Put what you test in place of `run`: it takes a descriptor, as dispatch models write it, and arrays.
As it is, it runs the ONNX form of an operator in ONNX Runtime, through IndirectML's exporter;
`--with indirectml` runs IndirectML itself, which has to give every bit.
"""

import argparse
import json
import sys
import time
from pathlib import Path

import numpy as np

import indirectml as dml
from indirectml.models.parsing import parse_model
from indirectml.models.text import parse_json


class LeftOutError(Exception):
    """A case that the implementation does not take, and why."""


# ---- what is under test ----


def run(operator, desc, inputs):
    """Return the outputs of an operator in ONNX Runtime, by its form in ONNX."""
    import onnxruntime  # noqa: PLC0415 (whoever puts something else here does not need it)

    if has_strides(desc):
        raise LeftOutError("strides, which ONNX does not have")
    _, compiled = described(operator, desc)
    try:
        model = compiled.to_onnx()
    except Exception as error:  # ours, or a check of the onnx package
        raise LeftOutError(f"no form in ONNX ({type(error).__name__})") from error
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 4
    given = [array for array in inputs if array is not None]
    feed = {each.name: a for each, a in zip(model.graph.input, given, strict=True)}
    try:
        session = onnxruntime.InferenceSession(
            model.SerializeToString(), options, providers=["CPUExecutionProvider"]
        )
    except Exception as error:
        raise LeftOutError("no kernel of this data type in ONNX Runtime") from error
    return session.run(None, feed)


def run_indirectml(operator, desc, inputs):
    """Return the outputs in IndirectML, of memory laid out as the descriptor says."""
    made, compiled = described(operator, desc)
    tensors = [
        [tensor for _, tensor in made.tensors(kind)] for kind in ("input_tensor", "output_tensor")
    ]
    memories = [
        [None if t is None else np.zeros(t.total_tensor_size_in_bytes, np.uint8) for t in each]
        for each in tensors
    ]

    def view(tensor, memory):
        dtype = tensor.data_type.dtype
        strides = [stride * dtype.itemsize for stride in tensor.strides_in_memory]
        return np.ndarray(tensor.sizes, dtype, memory, strides=strides)

    for tensor, memory, array in zip(tensors[0], memories[0], inputs, strict=True):
        if array is not None:
            view(tensor, memory)[...] = array
    raw = [[None if m is None else memoryview(m) for m in each] for each in memories]
    compiled(raw[0], out=raw[1])
    return [view(t, m) for t, m in zip(tensors[1], memories[1], strict=True) if t is not None]


def described(operator, desc):
    """Return IndirectML's descriptor of the operator, and what it compiles to."""
    model = {"resources": {}, "dispatchables": {"case": {"type": operator, "desc": desc}}}
    parsed = parse_model(parse_json(json.dumps(model | {"commands": []})))
    made, device = parsed.dispatchables["case"].desc, dml.Device()
    return made, device.compile_operator(device.create_operator(made))


# ---- the loop ----


def has_strides(desc):
    """Return whether a tensor of a descriptor has strides of its own."""
    tensors = (
        each for value in desc.values() for each in (value if isinstance(value, list) else [value])
    )
    return any(isinstance(each, dict) and "Strides" in each for each in tensors)


def distance(actual, expected, keeps_bits):
    """Return how far an array is from the expected one: 0 for equal bits.

    Floats: the largest difference in ULP of the largest finite expected element; any NaN is like
    any other, unless the operator keeps bits; infinity where one alone is NaN or infinite.
    Integers: the largest difference.
    """
    actual = np.ascontiguousarray(actual)
    if (actual.dtype, actual.shape) != (expected.dtype, expected.shape):
        raise ValueError(
            f"{actual.dtype} {actual.shape}, expected {expected.dtype} {expected.shape}"
        )
    if actual.tobytes() == expected.tobytes():
        return 0.0
    if expected.dtype.kind != "f":
        pairs = zip(actual.ravel().tolist(), expected.ravel().tolist(), strict=True)
        return float(max(abs(a - b) for a, b in pairs))
    if keeps_bits:
        return np.inf
    with np.errstate(all="ignore"):
        both = (np.isnan(actual) & np.isnan(expected)) | (actual == expected)
        largest = np.abs(expected[np.isfinite(expected)]).max(initial=0)
        apart = np.abs(actual.astype(np.float64) - expected.astype(np.float64))
        apart = np.where(both, 0.0, np.nan_to_num(apart, nan=np.inf) / float(np.spacing(largest)))
    return float(apart.max(initial=0))


def results(folder, operator, implementation, *, corners):
    """Yield the number, the distance or None, and why, of each case of an operator."""
    vectors = json.loads((folder / f"{operator}.json").read_text(encoding="ascii"))
    with np.load(folder / f"{operator}.npz") as tensors:
        for case in vectors["cases"]:
            if case["numbers"] == "corners" and not corners:
                continue
            inputs = [None if key is None else tensors[key] for key in case["inputs"]]
            expected = [tensors[key] for key in case["outputs"]]
            try:
                actual = implementation(vectors["operator"], case["desc"], inputs)
            except LeftOutError as why:
                yield case["number"], None, str(why)
                continue
            pairs = zip(actual, expected, strict=True)
            found = max(distance(a, e, vectors["keeps_bits"]) for a, e in pairs)
            yield case["number"], found, "" if found <= vectors["bound"] else "beyond the bound"


def main(arguments=None):
    """Compare, and say how far the results of each operator are."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--only", default="", metavar="TEXT", help="operators with it in the name")
    parser.add_argument("--with", dest="name", choices=["onnxruntime", "indirectml"],
                        default="onnxruntime")  # fmt: skip
    options = parser.parse_args(arguments)
    is_own = options.name == "indirectml"
    implementation = run_indirectml if is_own else run
    compared = wrong = 0
    names = sorted(p.stem for p in options.folder.glob("*.json") if p.stem != "index")
    names = [name for name in names if options.only in name]
    if not names:
        parser.error(f"no vectors of operators named so in {options.folder}")
    began = time.monotonic()
    for number, operator in enumerate(names):
        found = list(results(options.folder, operator, implementation, corners=is_own))
        far = [d for _, d, _ in found if d is not None]
        left_out = sorted({why for _, d, why in found if d is None})
        bad = [(n, d) for n, d, why in found if d is not None and (why or (is_own and d))]
        compared, wrong = compared + len(far), wrong + len(bad)
        said = f"{len(far)} compared, farthest {max(far):g}" if far else "none compared"
        said += "".join(f", WRONG: case {n} by {d:g}" for n, d in bad[:3])
        print(f"{operator}: {said}{', left out: ' if left_out else ''}{'; '.join(left_out)}")
        if sys.stderr.isatty():
            left = (time.monotonic() - began) / (number + 1) * (len(names) - number - 1)
            sys.stderr.write(f"{number + 1} of {len(names)}, {left:.0f} s left\033[K\r")
    print(f"{compared} cases compared, {wrong} beyond their bounds")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
