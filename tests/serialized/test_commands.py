"""`indirectml run`, `validate` and `explain` with a graph in a file."""

import hashlib
import json
import re

import numpy as np
import pytest

from indirectml.cli import main
from tests.bits import assert_bits_equal
from tests.serialized.graphs import (
    EXAMPLE,
    F32,
    SIZES,
    example,
    needs_example,
    operator_node,
    written,
)

TIME = re.compile(r"\d+\.\d{4} ms")


@pytest.fixture
def graph(tmp_path):
    return str(written(tmp_path, *example(), name="Partition_0.bin"))


@pytest.fixture
def x(tmp_path):
    np.save(tmp_path / "x.npy", np.arange(6, dtype=F32).reshape(SIZES))
    return f"x={tmp_path / 'x.npy'}"


EXPECTED = (np.arange(6, dtype=F32) + F32(0.5)) * np.arange(6, dtype=F32)


def run(*arguments, code=0):
    assert main(["run", *map(str, arguments)]) == code


def test_runs_with_an_array_and_prints_the_outputs(graph, x, capsys):
    run(graph, "--input", x)

    first, *lines = TIME.sub("T", capsys.readouterr().out).splitlines()
    assert first.startswith("Running on 'CPU (")
    assert lines == [
        "Dispatch 'Partition_0': 1 iterations, T median (CPU)",
        "Resource 'y': 0, 1.5, 5, 10.5, 18, 27.5",
    ]


@needs_example
def test_runs_the_example_of_microsoft(tmp_path, capsys):
    np.save(tmp_path / "x.npy", np.full(5, 1.5, F32))

    run(EXAMPLE, "--input", f"model_input={tmp_path / 'x.npy'}")

    shown = capsys.readouterr().out.splitlines()[-1]
    assert shown == "Resource 'model_output': 12.25, 12.25, 12.25, 12.25, 12.25"


def test_writes_outputs_to_files(graph, x, tmp_path, capsys):
    run(graph, "--input", x, "--output", f"y={tmp_path / 'y.npy'}")

    assert capsys.readouterr().out.endswith(f"Output 'y' written to '{tmp_path / 'y.npy'}'\n")
    assert_bits_equal(actual=np.load(tmp_path / "y.npy"), expected=EXPECTED.reshape(SIZES))


def test_reads_and_writes_raw_bytes(graph, tmp_path):
    np.arange(6, dtype=F32).tofile(tmp_path / "x.raw")

    run(graph, "--input", f"x={tmp_path / 'x.raw'}", "--output", f"y={tmp_path / 'y.raw'}")

    assert_bits_equal(actual=np.fromfile(tmp_path / "y.raw", F32), expected=EXPECTED)


def test_without_arrays_it_runs_on_random_numbers_of_a_seed(graph, tmp_path, capsys):
    told = {}
    for arguments in ([], ["--random", 0], ["--random", 1]):
        run(graph, *arguments)
        told[str(arguments)] = capsys.readouterr().out.splitlines()
    seed, _, digest = told["[]"][1:]
    assert seed == "Inputs are random numbers of seed 0: x (FLOAT32 [1, 1, 2, 3])"
    assert told["['--random', 0]"][3] == digest != told["['--random', 1]"][3]

    # The same numbers given, by the definition that docs/onnx-in.md has.
    words = np.random.PCG64([0, ord("x")]).random_raw(6)
    tops = [int(word) >> 40 for word in words]
    x = np.array([(top - (top >> 23 << 24)) / 2**23 for top in tops], F32)
    np.save(tmp_path / "x.npy", x)
    run(graph, "--input", f"x={tmp_path / 'x.npy'}", "--digest")
    assert capsys.readouterr().out.splitlines()[2] == digest

    expected = (x + F32(0.5)) * np.arange(6, dtype=F32)
    assert digest == (
        f"Resource 'y': FLOAT32 {SIZES}, SHA-256 {hashlib.sha256(expected).hexdigest()}"
    )


def test_measures_as_often_as_asked(graph, x, capsys):
    run(graph, "--input", x, "-i", 3, "-r", 2, "-v", 2)

    shown = capsys.readouterr().out
    assert "Dispatch 'Partition_0': 3 iterations\n" in shown
    assert shown.count("iteration ") == 3


REFUSED = {
    "unknown input": (
        ["--input", "xx=a.npy"],
        2,
        ("--input: needs NAME=FILE once for each input of the graph, which are x, got 'xx=a.npy'"),
    ),
    "no file": (
        ["--input", "x="],
        2,
        "--input: needs NAME=FILE once for each input of the graph, which are x, got 'x='",
    ),
    "no file named": (
        ["--input", "x"],
        2,
        "--input: needs NAME=FILE once for each input of the graph, which are x, got 'x'\n",
    ),
    "unknown output": (
        ["--input", "X", "--output", "z=a.npy"],
        2,
        "--output: needs NAME=FILE once for each output of the graph, which are y, got 'z=a.npy'",
    ),
    "no such folder": (
        ["--input", "X", "--output", "y=none/a.npy"],
        3,
        "none: No such folder",
    ),
    "too much memory": (
        ["--input", "X", "--memory-limit", "0.00000001"],
        1,
        "needs inputs, outputs and temporary memory of at most 10 bytes together, got 48",
    ),
}


@pytest.mark.parametrize("name", REFUSED)
def test_refuses_in_one_line(name, graph, x, capsys, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    arguments, code, text = REFUSED[name]

    run(graph, *[x if a == "X" else a for a in arguments], code=code)

    shown = capsys.readouterr().err
    assert shown.count("\n") == 1
    assert shown.startswith(f"indirectml: {text}")


def test_an_empty_file_is_named_once(tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "empty.bin").touch()

    assert main(["run", "empty.bin"]) == 1

    assert capsys.readouterr().err == "indirectml: empty.bin: needs at least one byte, got none\n"


def test_refuses_an_array_of_another_size(graph, tmp_path, capsys):
    np.save(tmp_path / "x.npy", np.zeros(5, F32))

    run(graph, "--input", f"x={tmp_path / 'x.npy'}", code=1)

    assert capsys.readouterr().err == (
        f"indirectml: x ({tmp_path / 'x.npy'}): needs 6 elements for sizes [1, 1, 2, 3], "
        "got 5 with sizes [5], which does not fill it\n"
    )


def test_refuses_arrays_for_a_dispatch_model(x, tmp_path, capsys):
    (tmp_path / "model.json").write_text("{}")

    run(tmp_path / "model.json", "--input", x, code=2)

    assert "--input: is for graphs in files (.bin, .onnx)" in capsys.readouterr().err


def test_a_file_that_is_no_graph_is_refused_in_one_line(tmp_path, capsys):
    (tmp_path / "Partition_0.bin").write_bytes(bytes(100))

    run(tmp_path / "Partition_0.bin", code=1)

    shown = capsys.readouterr().err
    assert shown.startswith(f"indirectml: {tmp_path / 'Partition_0.bin'}: needs ")
    assert shown.count("\n") == 1


def test_validate_says_whether_a_device_takes_it(graph, tmp_path, capsys):
    other = written(tmp_path, operator_node("ELEMENT_WISE_ADD"), name="other.bin")

    assert main(["validate", graph]) == 0
    shown = capsys.readouterr().out
    assert shown == f"{graph}: valid: serialized graph, 2 operators, 1 input, 1 output\n"
    assert main(["validate", graph, "--feature-level", "1_0"]) == 1
    assert main(["validate", str(other), "--json"]) == 0
    assert '"kind": "serialized graph"' in capsys.readouterr().out


def test_explains_nodes_sizes_and_bytes(graph, capsys):
    assert main(["explain", graph]) == 0

    assert capsys.readouterr().out.splitlines() == [
        "Partition_0.bin: serialized graph, 2 operators, 2 constants of 48 bytes",
        "",
        "inputs",
        "  x  FLOAT32 [1, 1, 2, 3], 24 bytes",
        "",
        "outputs",
        "  y  FLOAT32 [1, 1, 2, 3], 24 bytes",
        "",
        "nodes",
        "  0  constant               half      24 bytes",
        "  1  constant               weights   24 bytes in dense_weights.bin",
        "  2  ELEMENT_WISE_ADD1      add       FLOAT32 [1, 1, 2, 3], 24 bytes",
        "  3  ELEMENT_WISE_MULTIPLY  multiply  FLOAT32 [1, 1, 2, 3], 24 bytes",
        "",
        "operators",
        "  ELEMENT_WISE_ADD1      1",
        "  ELEMENT_WISE_MULTIPLY  1",
        "",
        "It runs, and takes 0 bytes besides 48 of inputs and outputs.",
        "",
        "plan: what each step does, for whom, to what, and the bytes that it reads and writes",
        "  0  program  ELEMENT_WISE_ADD1, ELEMENT_WISE_MULTIPLY  "
        + ", ".join(["FLOAT32 [1, 1, 2, 3]"] * 3)
        + " -> FLOAT32 [1, 1, 2, 3]  72 read, 24 written",
    ]


def test_explains_as_json(graph, capsys):
    assert main(["explain", graph, "--json"]) == 0

    found = json.loads(capsys.readouterr().out)
    tensor = {"data_type": "FLOAT32", "sizes": SIZES, "strides": None, "bytes": 24}
    assert found["inputs"] == {"x": tensor}
    assert found["kind"] == "serialized graph"
    (step,) = found["plan"]
    assert step["does"] == "program"
    assert step["operators"] == ["ELEMENT_WISE_ADD1", "ELEMENT_WISE_MULTIPLY"]
    assert step["fields"] == ["v3 = add(v0, v1) float32", "v4 = multiply(v3, v2) float32"]
    assert (step["read_bytes"], step["written_bytes"], step["held_bytes"]) == (72, 24, 0)
    assert step["has_form"]
    assert found["nodes"][1] == {
        "constant": "weights",
        "output": "weights value",
        "bytes": 24,
        "file": "dense_weights.bin",
    }
    assert found["nodes"][2] == {
        "operator": "ELEMENT_WISE_ADD1",
        "name": "add",
        "inputs": [{"name": "x"} | tensor, {"name": "half value"} | tensor],
        "outputs": [{"name": "sum"} | tensor],
    }


def test_a_name_that_acts_on_a_terminal_is_shown_with_escapes(tmp_path, capsys):
    nodes, inputs, outputs = operator_node("ELEMENT_WISE_ADD")
    kind, content, _, *names = nodes[0]
    nodes = [(kind, content, "\x1b[31mred", *names)]

    assert main(["explain", str(written(tmp_path, (nodes, inputs, outputs)))]) == 0
    assert "\x1b" not in capsys.readouterr().out


# ---- The same of a dispatch model ----------------------------------------------------------------

TENSOR_JSON = {"DataType": "FLOAT32", "Sizes": [2]}
FILL = {"OutputTensor": TENSOR_JSON, "ValueDataType": "FLOAT32", "Value": 7}
ADDITION = {"ATensor": TENSOR_JSON, "BTensor": TENSOR_JSON, "OutputTensor": TENSOR_JSON}


def _model(folder, *types):
    model = {
        "resources": {"a": {"initialValuesDataType": "FLOAT32", "initialValues": [1, 2]}},
        "dispatchables": {
            type_.lower(): {"type": type_, "desc": FILL if "FILL" in type_ else ADDITION}
            for type_ in types
        },
        "commands": [],
    }
    (folder / "model.json").write_text(json.dumps(model))
    return str(folder / "model.json")


def test_a_model_is_explained_by_its_dispatchables(tmp_path, capsys):
    assert main(["explain", _model(tmp_path, "ELEMENT_WISE_ADD")]) == 0

    assert capsys.readouterr().out.splitlines() == [
        "model.json: 1 dispatchable, 1 resource of 8 bytes",
        "",
        "resources",
        "  a  FLOAT32  8 bytes",
        "",
        "dispatchables",
        "  element_wise_add  ELEMENT_WISE_ADD  FLOAT32 [2], 8 bytes",
    ]


def test_a_model_of_fills_alone_is_explained_as_fills(tmp_path, capsys):
    assert main(["explain", _model(tmp_path, "FILL_VALUE_CONSTANT")]) == 0

    assert capsys.readouterr().out.startswith("fill_value_constant: FILL_VALUE_SEQUENCE, FLOAT32")
