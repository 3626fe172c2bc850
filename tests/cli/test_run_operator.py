"""`indirectml run` of an operator by its name."""

import json

import numpy as np
import pytest

from indirectml.catalogue import operator_names
from indirectml.cli import main
from indirectml.cli.operator_runs import function_name
from tests.bits import assert_bits_equal


def test_computes_from_numbers_and_fields(capsys):
    arguments = ["--input", "ATensor=[[1, 2], [3, 4]]", "--input", "b=[[1, 2], [3, 5]]"]

    assert main(["run", "GEMM", *arguments, "--field", "TransB=TRANSPOSE"]) == 0
    told = capsys.readouterr().out
    assert told.startswith("Running GEMM on 'CPU (")
    assert told.endswith("Output 'output': FLOAT32 [2, 2]\nResource 'output': 5, 13, 11, 29\n")


def test_reads_and_writes_files_and_tells_json(tmp_path, capsys):
    x = np.float16([[3, 9, 4]])
    np.save(tmp_path / "x.npy", x)
    arguments = ["run", "DML_OPERATOR_TOP_K", "--input", f"InputTensor={tmp_path / 'x.npy'}"]
    arguments += ["--field", "Axis=1", "--field", "k=2", "--json"]

    assert main([*arguments, "--output", f"indices={tmp_path / 'indices.npy'}"]) == 0

    told = json.loads(capsys.readouterr().out)
    assert [each["name"] for each in told["outputs"]] == ["values", "indices"]
    assert told["outputs"][0]["values"] == [9.0, 4.0]
    assert_bits_equal(
        actual=np.load(tmp_path / "indices.npy"), expected=np.array([[1, 2]], np.uint32)
    )


def test_several_tensors_of_one_field_come_one_after_the_other(capsys):
    numbers = [f"InputTensors=INT32:[{each}]" for each in ("1, 2", "3")]
    arguments = [word for each in numbers for word in ("--input", each)]

    assert main(["run", "join", *arguments, "--field", "Axis=0"]) == 0
    assert capsys.readouterr().out.endswith("Resource 'output': 1, 2, 3\n")


def test_an_optional_tensor_before_a_needed_one_may_be_left_out(capsys):
    tensors = ["ATensor=UINT8:[[1, 3]]", "BTensor=UINT8:[[1], [2]]"]
    arguments = [word for each in tensors for word in ("--input", each)]

    assert main(["run", "MATRIX_MULTIPLY_INTEGER", *arguments]) == 0
    assert capsys.readouterr().out.endswith("Resource 'output': 7\n")


def test_every_operator_has_a_function():
    assert [name for name in operator_names() if function_name(name) is None] == []


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        pytest.param(["--input", "A=[1"], "needs numbers of FLOAT32", id="no JSON"),
        pytest.param(["--input", "A=INT3:[1]"], "needs a data type out of FLOAT32", id="a type"),
        pytest.param(["--input", "A=none.npy"], "none.npy: No such file", id="no file"),
        pytest.param(["--input", "A=[[1]]"], "gemm: needs b", id="an input is missing"),
        pytest.param(["--field", "Alhpa=1"], "did you mean 'alpha'", id="no such field"),
        pytest.param(["--field", "TransA=YES"], "--field TransA: needs one of NONE", id="a member"),
        pytest.param(
            ["--input", "A=[[1]]", "--input", "A=[[1]]"], "needs each input once", id="twice"
        ),
        pytest.param(
            ["--quantized", "integers"],
            "--quantized: goes with a graph in a file (.bin, .onnx), got the operator GEMM",
            id="quantized",
        ),
        pytest.param(["-f", "N:3"], "--dimension: goes with a graph", id="a dimension"),
        pytest.param(["-b", "A:1,2"], "--input-sizes: goes with a graph", id="sizes"),
        pytest.param(["--plot", "x.svg"], "--plot: goes with a graph", id="a picture"),
    ],
)
def test_refuses(arguments, message, capsys):
    assert main(["run", "GEMM", *arguments]) != 0
    assert message in capsys.readouterr().err


def test_fills_have_a_command_of_their_own(capsys):
    assert main(["run", "FILL_VALUE_CONSTANT"]) == 2
    assert "indirectml fill" in capsys.readouterr().err
