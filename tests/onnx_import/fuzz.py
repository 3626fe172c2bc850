"""ONNX models with nodes or bytes changed: loaded, or refused with one type of error; no crash.

    python -m tests.onnx_import.fuzz --count 100000 --seed 7    as many, with a summary
    python -m tests.onnx_import.fuzz --seed 7 --case 1234       one again

A case is made by its seed and number alone. It takes one of ONNX's node tests, changes attributes,
inputs, sizes, data types or operators, and loads what comes of it, with some inputs as constants;
every third one changes bytes of the file instead. What loading may take is little.
"""

import argparse
import sys
import warnings
from collections import Counter

import numpy as np
import onnx

import indirectml as dml
from tests.onnx_import.node_tests import collected
from tests.steps import counted

#: What loading may take.
MEMORY_LIMIT = 64 << 20
#: How long a sentence may be: 20 nodes, and what is around them.
MOST_CHARACTERS = 20 * 1000 + 1000
#: Lines of Python; loading one of these models takes at most some 10,000.
MOST_STEPS = 10**6
#: Numbers at which attributes and sizes change their meaning.
NUMBERS = [0, 1, -1, 2, 3, -2, 5, 7, 100, 2**31, 2**32, -(2**63), 2**63 - 1]
FLOATS = [0.0, -1.0, 1e30, float("nan"), float("inf")]
_INT, _INTS, _FLOAT, _STRING = 2, 7, 1, 3


def case(seed, number):
    """Return one case: a model or bytes, and what some of its inputs are once and for all."""
    rng = np.random.default_rng((seed, number))
    names = list(collected())
    found = collected()[names[rng.integers(len(names))]]
    if number % 3 == 2:
        return _changed(rng, found.model.SerializeToString()), {}
    model = onnx.ModelProto()
    model.CopyFrom(found.model)
    constants = {
        info.name: _other(rng, array)
        for info, array in zip(model.graph.input, found.data_sets[0][0], strict=False)
        if isinstance(array, np.ndarray) and array.dtype.kind in "iub" and rng.integers(4)
    }
    for _ in range(rng.integers(1, 4)):
        graph = model.graph
        node = graph.node[rng.integers(len(graph.node))]
        _CHANGES[rng.integers(len(_CHANGES))](rng, graph, node)
    return model, constants


def _changed(rng, raw):
    """Return bytes of which some are others, are missing, or are there twice."""
    raw = bytearray(raw)
    for _ in range(rng.choice([1, 1, 1, 2, 3, 8])):
        kind, at = rng.integers(5), int(rng.integers(len(raw)))
        if kind == 0:
            raw[at] ^= 1 << rng.integers(8)
        elif kind == 1:
            raw[at] = rng.integers(256)
        elif kind == 2:
            raw[at : at + 1] = [0xFF] * int(rng.integers(1, 10))  # a number of many bytes
        elif kind == 3:
            other, length = int(rng.integers(len(raw))), int(rng.integers(1, 33))
            raw[at : at + length] = raw[other : other + length]
        elif len(raw) > 8 and rng.integers(3) == 0:
            del raw[int(rng.integers(8, len(raw))) :]
    return bytes(raw)


def _other(rng, array):
    """Return an array as it is, or of extreme numbers."""
    if array.dtype != np.int64 or rng.integers(3):
        return array
    return rng.choice(np.array(NUMBERS, np.int64), array.shape)


def _attribute(rng, _, node):
    if not node.attribute:
        return
    attribute = node.attribute[rng.integers(len(node.attribute))]
    if attribute.type == _INT:
        attribute.i = NUMBERS[rng.integers(len(NUMBERS))]
    elif attribute.type == _FLOAT:
        attribute.f = FLOATS[rng.integers(len(FLOATS))]
    elif attribute.type == _STRING:
        attribute.s = b"none"
    elif attribute.type == _INTS:
        if not attribute.ints or not rng.integers(3):
            attribute.ints.append(1)
        elif rng.integers(2):
            attribute.ints.pop()
        else:
            attribute.ints[rng.integers(len(attribute.ints))] = NUMBERS[rng.integers(len(NUMBERS))]


def _no_attribute(rng, _, node):
    if node.attribute:
        del node.attribute[rng.integers(len(node.attribute))]


def _sizes(rng, graph, _):
    if not graph.input:
        return
    shape = graph.input[rng.integers(len(graph.input))].type.tensor_type.shape
    if shape.dim and rng.integers(2):
        sizes = [0, 1, 2, 3, 5, 1 << 20]
        shape.dim[rng.integers(len(shape.dim))].dim_value = sizes[rng.integers(len(sizes))]
    elif shape.dim and rng.integers(2):
        shape.dim.pop()
    else:
        shape.dim.add(dim_value=2)


def _operator(rng, _, node):
    names = sorted({schema.name for schema in onnx.defs.get_all_schemas() if not schema.domain})
    node.op_type = names[rng.integers(len(names))]


def _inputs(rng, _, node):
    if node.input and rng.integers(2):
        node.input.pop()
    elif node.input:
        node.input[rng.integers(len(node.input))] = node.input[0]


def _data_type(rng, graph, _):
    if graph.input:
        kind = graph.input[rng.integers(len(graph.input))].type.tensor_type
        kind.elem_type = int(rng.integers(1, 17))


_CHANGES = [_attribute] * 3 + [_no_attribute, _sizes, _operator, _inputs, _data_type]


def outcome(seed, number):
    """Return "loaded" or "refused" for one case; whatever else is raised is wrong."""
    source, constants = case(seed, number)
    if constants:
        names = {info.name for info in source.graph.input}
        constants = {n: a for n, a in constants.items() if n in names}

    def load():
        try:
            loaded = dml.load_onnx(source, constants=constants, memory_limit=MEMORY_LIMIT)
        except dml.ModelError as error:
            return str(error), "refused"
        return repr(loaded), "loaded"

    # Counting takes ten times as long as loading.
    (text, found), steps = counted(load) if number % 8 == 7 else (load(), 0)
    assert steps < MOST_STEPS, f"{steps} steps"
    assert len(text) < MOST_CHARACTERS
    assert text.replace("\n", "").isprintable()
    return found


def main():
    parser = argparse.ArgumentParser(description="load ONNX models with nodes or bytes changed")
    parser.add_argument("--count", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--case", type=int)
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    if options.case is not None:
        print(case(options.seed, options.case)[0])
        print(outcome(options.seed, options.case))
        return
    collected()  # which takes seconds
    counts: Counter[str] = Counter()
    for number in range(options.count):
        try:
            counts[outcome(options.seed, number)] += 1
        except Exception as error:  # noqa: BLE001 (what is wrong is told, and the rest tried)
            counts["wrong"] += 1
            print(f"--seed {options.seed} --case {number}: {type(error).__name__}: {error}")
    print(dict(counts))
    sys.exit(bool(counts["wrong"]))


if __name__ == "__main__":
    main()
