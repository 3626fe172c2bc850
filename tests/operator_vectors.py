"""Golden vectors of all operators: `python -m tests.operator_vectors FOLDER`.

For each operator a JSON file of cases, and an .npz file of their tensors: descriptors over every
data type, dimension count and layout, with the fields that the oracles of tests/operators try.
Expected bits come from such an oracle (of fills, from tests/reference.py), which shares no code
with what is tested, or where a case says so from the definition, computed by the kernels in plain
C++. The same folder comes out byte for byte each time.

    python -m tests.operator_vectors FOLDER             writes all
    python -m tests.operator_vectors FOLDER --only ADD  the operators whose name contains it
    python -m tests.operator_vectors FOLDER --zip FILE  and a zip file of them, for a release
    python -m tests.operator_vectors --record           writes the digests that a test compares
"""

import argparse
import dataclasses
import hashlib
import io
import itertools
import json
import re
import shutil
import sys
import zipfile
import zlib
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

import indirectml as dml
from indirectml.catalogue import OPERATOR_PREFIX, operator_facts, operator_names
from indirectml.cli.common import Steps
from indirectml.descriptors.definitions import definition, fields_of
from indirectml.models.writing import desc_json
from tests import reference
from tests.onnx_export.bounds import BOUNDS
from tests.onnx_export.builders import BUILDERS
from tests.onnx_export.cases import _inputs as normal_inputs
from tests.onnx_export.cases import cases_of, oracles
from tests.operators.families import ALL_DATA_TYPES, LAYOUTS, Place, inputs_of
from tests.operators.oracle import elements, supported

ROOT = Path(__file__).parents[1]
FORMAT = "indirectml-operator-vectors/1"
RECORD = Path(__file__).with_name("operator_vectors.json")
PAGE = ROOT / "docs/operator-vectors.md"
RUNNERS = [Path(__file__).parent / f"vectors/operator_runner.{kind}" for kind in ("py", "cpp")]

#: How many cases an operator has at most, spread over those that there are.
AT_MOST = 240
#: Operators with fewer trials have them again, with other numbers.
AT_LEAST = 100
#: Elements of a tensor at most: a case is read by people, too.
MOST_ELEMENTS = 2000

#: Every so many cases of an operator that fuses come again with one of these.
FUSED_EVERY = 5
ACTIVATIONS = [
    dml.FusedActivation.relu(),
    dml.FusedActivation.leaky_relu(),
    dml.FusedActivation.sigmoid(),
    dml.FusedActivation.tanh(),
    dml.FusedActivation.elu(),
    dml.FusedActivation.linear(0.5, 2),
]

FILLS = {"FILL_VALUE_CONSTANT", "FILL_VALUE_SEQUENCE"}


@dataclass(frozen=True)
class Vector:
    """A descriptor, its inputs and what they have to give, as packed arrays."""

    desc: Any
    numbers: str
    inputs: list[Any]
    outputs: list[Any]
    expected: str = "oracle"


def vectors_of(name: str) -> Iterator[Vector]:
    """Yield the vectors of an operator."""
    if name in FILLS:
        yield from _fills(name)
        return
    if name in BUILDERS:  # whose oracles are no functions of a descriptor's inputs alone
        rounds = (cases_of(name, AT_MOST, seed) for seed in range(3))
        for case in itertools.islice(itertools.chain(*rounds), AT_MOST):
            inputs = [None if a is None else np.asarray(a) for a in case.arrays]
            yield Vector(case.desc, "normal", inputs, _computed(case.desc, inputs), "definition")
        return
    trials = list(_trials(name))
    count = len(trials)
    trials *= max(1, AT_LEAST // count)
    room = min(AT_MOST, len(trials))
    for number in range(room):
        place, trial = trials[number * len(trials) // room]
        random = np.random.default_rng([number, zlib.crc32(name.encode())])
        kind = "corners" if random.integers(2) and number < count else "normal"
        inputs = _inputs_of(place, trial, random, kind)
        with np.errstate(all="ignore"):
            expected = trial.function(*inputs)
        expected = list(expected) if isinstance(expected, list | tuple) else [expected]
        yield Vector(trial.desc, kind, inputs, expected)
        can_fuse = hasattr(trial.desc, "fused_activation") and number % FUSED_EVERY == 0
        if can_fuse and kind == "normal" and expected[0].dtype.kind == "f":
            activation = ACTIVATIONS[number // FUSED_EVERY % len(ACTIVATIONS)]
            desc = dataclasses.replace(trial.desc, fused_activation=activation)
            yield Vector(desc, kind, inputs, _computed(desc, inputs), "definition")


def _computed(desc: Any, inputs: list[Any]) -> list[Any]:
    """Return what the definition gives, by the kernels in plain C++."""
    device = dml.Device()
    compiled = device.compile_operator(device.create_operator(desc))
    raws = [
        None if t is None else memoryview(laid_out(t, array))
        for (_, t), array in zip(desc.tensors("input_tensor"), inputs, strict=True)
    ]
    outputs = [t for _, t in desc.tensors("output_tensor")]
    memories = [None if t is None else empty(t) for t in outputs]
    with dml.configure(target="portable"):
        compiled(raws, out=[None if m is None else memoryview(m) for m in memories])
    return [elements(t, m) for t, m in zip(outputs, memories, strict=True) if t is not None]


def empty(tensor: Any) -> Any:
    """Return zeroed memory of a tensor."""
    return np.zeros(tensor.total_tensor_size_in_bytes, np.uint8)


def laid_out(tensor: Any, array: Any) -> Any:
    """Return memory with the elements of an array where a tensor has them."""
    memory = empty(tensor)
    strides = [s * array.itemsize for s in tensor.strides_in_memory]
    np.ndarray(tensor.sizes, array.dtype, memory, strides=strides)[...] = array
    return memory


def _trials(name: str) -> Iterator[tuple[Place, Any]]:
    """Yield every trial of the operator's oracle, small ones, with its place."""
    oracle = oracles()[name]
    field = getattr(oracle, "field", None) or next(
        facts.name for _, facts in fields_of(name) if facts.kind.endswith("_tensor")
    )
    data_types, ranks = supported(name, field)
    for row in itertools.product(data_types or ALL_DATA_TYPES, ranks, LAYOUTS):
        place = Place(name, *row)
        for trial in oracle(place):
            tensors = [t for k in ("input", "output") for _, t in trial.desc.tensors(f"{k}_tensor")]
            is_small = all(t is None or t.element_count <= MOST_ELEMENTS for t in tensors)
            if is_small and not _has_payload(trial.desc):
                yield place, trial


def _has_payload(desc: Any) -> bool:
    """Return whether a field is a NaN that JSON, which has one, cannot say."""
    for value in vars(desc).values():
        if isinstance(value, dml.ScalarUnion):
            bits = value.bits(dml.TensorDataType.FLOAT32)
            if bits & 0x7FFFFFFF > 0x7F800000 and bits != 0x7FC00000:
                return True
    return False


def _inputs_of(place: Place, trial: Any, random: Any, kind: str) -> list[Any]:
    """Return packed inputs: numbers with few surprises, or corners and random bits."""
    tensors = [tensor for _, tensor in trial.desc.tensors("input_tensor")]
    if kind == "corners":
        raws = inputs_of(place, trial.desc, trial.inputs)
        return [
            None if t is None else elements(t, raw) for t, raw in zip(tensors, raws, strict=True)
        ]
    made = normal_inputs(trial.desc, trial.inputs, random)
    return [
        None if t is None else _repeated(t, np.asarray(array))
        for t, array in zip(tensors, made, strict=True)
    ]


def _repeated(tensor: Any, array: Any) -> Any:
    """Return an array whose elements are equal where the tensor has one for them."""
    strides = tensor.strides_in_memory
    first = tuple(slice(0, 1) if stride == 0 else slice(None) for stride in strides)
    return np.broadcast_to(array[first], array.shape).copy()


def _fills(name: str) -> Iterator[Vector]:
    random = np.random.default_rng(zlib.crc32(name.encode()))
    for desc, _ in BUILDERS[name](random):
        tensor = desc.output_tensor
        dtype = tensor.data_type.dtype
        if name == "FILL_VALUE_CONSTANT":
            values = [desc.value.bits(tensor.data_type)] * tensor.element_count
        else:
            start, delta = (
                value.bits(tensor.data_type) for value in (desc.value_start, desc.value_delta)
            )
            made = reference.accumulated(
                *(reference.number(bits, dtype) for bits in (start, delta)), tensor.element_count
            )
            values = np.asarray(made, dtype).view(f"u{dtype.itemsize}")
        bits = np.array(values, f"u{dtype.itemsize}")
        yield Vector(desc, "normal", [], [bits.view(dtype).reshape(tensor.sizes)])


# ---- files ----


def files_of(name: str) -> dict[str, bytes]:
    """Return the two files of an operator."""
    made = definition(name)
    cases, tensors = [], {}
    for number, vector in enumerate(vectors_of(name)):
        keys: dict[str, list[str | None]] = {}
        for kind, arrays in (("inputs", vector.inputs), ("outputs", vector.outputs)):
            keys[kind] = []
            for position, array in enumerate(arrays):
                key = None if array is None else f"{number}.{kind}.{position}"
                keys[kind].append(key)
                if key is not None:
                    tensors[key] = array
        cases.append({"number": number, "numbers": vector.numbers, "expected": vector.expected})
        cases[-1] |= {"desc": desc_json(vector.desc)} | keys
        keeps_bits = not vector.desc.is_arithmetic
    head = {
        "format": FORMAT,
        "operator": OPERATOR_PREFIX + name,
        "function": made.function,
        "feature_level": operator_facts(name).introduced,
        "keeps_bits": keeps_bits,
        "bound": BOUNDS.get(made.name, 0),
        "oracle": "tests/reference.py"
        if name in FILLS
        else f"tests/operators/test_{made.module}.py",
    }
    text = json.dumps(head)[:-1] + ', "cases": [\n'
    text += ",\n".join(json.dumps(case) for case in cases) + "\n]}\n"
    return {f"{name}.json": text.encode("ascii"), f"{name}.npz": _npz(tensors)}


def _oracle_file(name: str) -> str:
    family = f"tests/operators/test_{definition(name).module}.py"
    return "tests/reference.py" if name in FILLS else family


def _npz(tensors: dict[str, Any]) -> bytes:
    """Return arrays as an .npz file without times, and without compression, so of known bytes."""
    memory = io.BytesIO()
    with zipfile.ZipFile(memory, "w") as file:
        for key, array in tensors.items():
            held = io.BytesIO()
            np.lib.format.write_array(held, np.ascontiguousarray(array), (1, 0), allow_pickle=False)
            file.writestr(zipfile.ZipInfo(f"{key}.npy"), held.getvalue())
    return memory.getvalue()


def digest(files: dict[str, bytes]) -> str:
    """Return one digest of the files of an operator."""
    total = hashlib.sha256()
    for name, content in sorted(files.items()):
        total.update(name.encode() + hashlib.sha256(content).digest())
    return total.hexdigest()


def recorded() -> dict[str, Any]:
    """Return the digests and the numbers of cases that are stored."""
    return json.loads(RECORD.read_text(encoding="ascii"))


def main(arguments: list[str] | None = None) -> int:
    """Write vectors, and say how many."""
    parser = argparse.ArgumentParser(prog="python -m tests.operator_vectors", description=__doc__)
    parser.add_argument("folder", type=Path, nargs="?", help="where they are written")
    parser.add_argument("--only", metavar="TEXT", default="", help="operators with it in the name")
    parser.add_argument("--zip", type=Path, metavar="FILE", help="a zip file of the folder")
    parser.add_argument("--record", action="store_true", help="store the digests of all")
    options = parser.parse_args(arguments)
    names = [name for name in sorted(operator_names()) if options.only in name]
    if options.folder is not None:
        options.folder.mkdir(parents=True, exist_ok=True)
    record, counts = {}, Counter()
    with Steps("making vectors of operators", len(names)) as steps:
        for name in names:
            files = files_of(name)
            cases = files[f"{name}.json"].count(b'\n{"number"')
            record[name] = {"cases": cases, "sha256": digest(files)}
            counts += {"cases": cases, "bytes": sum(map(len, files.values()))}
            for file, content in files.items():
                if options.folder is not None:
                    (options.folder / file).write_bytes(content)
            steps.done += 1
    if options.folder is not None:
        index = json.dumps({"format": FORMAT, "operators": record}, indent=1) + "\n"
        (options.folder / "index.json").write_text(index, encoding="ascii")
        (options.folder / "README.md").write_text(readme(), encoding="utf-8")
        for runner in RUNNERS:
            shutil.copyfile(runner, options.folder / f"runner{runner.suffix}")
    if options.zip is not None:
        _zip(options.folder, options.zip)
    if options.record:
        lines = ",\n".join(f"{json.dumps(n)}: {json.dumps(r)}" for n, r in record.items())
        RECORD.write_text("{\n" + lines + "\n}\n", encoding="ascii")
    print(f"{len(names)} operators, {counts['cases']} cases, {counts['bytes'] / 1e6:.1f} MB")
    return 0


def readme() -> str:
    """Return the page on the vectors as it lies beside them, without links of other pages."""
    page = PAGE.read_text(encoding="utf-8")
    page = re.sub(r"\.\./tests/vectors/operator_(runner\.\w+)", r"\1", page)
    return re.sub(r"\[([^\]]+)\]\((?!https:|runner)[^)]*\)", r"\1", page)


def _zip(folder: Path, target: Path) -> None:
    with zipfile.ZipFile(target, "w") as file:
        for path in sorted(folder.iterdir()):
            info = zipfile.ZipInfo(f"indirectml-vectors/{path.name}")
            file.writestr(info, path.read_bytes(), zipfile.ZIP_DEFLATED)


if __name__ == "__main__":
    sys.exit(main())
