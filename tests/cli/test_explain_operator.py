"""`indirectml explain` of an operator."""

import json
import re

import pytest

import indirectml as dml
from indirectml.catalogue import operator_facts, operator_names
from indirectml.cli import main


@pytest.mark.parametrize("command", ["explain", "run"])
@pytest.mark.parametrize(
    ("written", "meant"), [("gemmm", "gemm"), ("GEM", "GEMM"), ("Sigmiod", "SIGMOID")]
)
def test_a_misspelled_operator_is_no_missing_file_alone(command, written, meant, capsys):
    assert main([command, written]) == 3

    assert (
        f"{written}: No such file or directory; did you mean '{meant}'" in capsys.readouterr().err
    )


@pytest.mark.parametrize("name", ["GEMM", "gemm", "DML_OPERATOR_GEMM"])
def test_tells_what_an_operator_computes_by_any_of_its_names(name, capsys):
    assert main(["explain", name]) == 0

    said = capsys.readouterr().out
    assert said.startswith("DML_OPERATOR_GEMM, from feature level 1_0, in Python indirectml.gemm\n")
    text, _, example = dml.GemmOperatorDesc.__doc__.partition("\n>>> ")
    assert f"{text}\n>>> from indirectml import Device, GemmOperatorDesc, TensorDesc\n" in said
    assert f"\n>>> import numpy as np\n>>> {example}" in said
    assert "\n4_0:\n  ATensor: FLOAT32, FLOAT16; 2 to 4 dimensions\n" in said
    assert "\nONNX\n----\n" in said
    assert re.search(r"Gemm <.*> \(ATensor, BTensor", said)


@pytest.mark.parametrize(
    ("name", "operator"),
    [
        ("relu", "ACTIVATION_RELU"),
        ("add", "ELEMENT_WISE_ADD"),
        ("max_pooling", "MAX_POOLING"),
        ("DML_GEMM_OPERATOR_DESC", "GEMM"),
        ("DML_ELEMENT_WISE_ADD1_OPERATOR_DESC", "ELEMENT_WISE_ADD1"),
        ("GemmOperatorDesc", "GEMM"),
    ],
)
def test_short_names_and_functions_mean_their_operators(name, operator, capsys):
    assert main(["explain", name, "--json"]) == 0

    assert json.loads(capsys.readouterr().out)["operator"] == f"DML_OPERATOR_{operator}"


def test_what_is_as_another_operator_tells_that_one_too(capsys):
    assert main(["explain", "softmax"]) == 0

    said = capsys.readouterr().out
    assert said.index("Output = as ACTIVATION_SOFTMAX1") < said.index("exp(t) / sum(exp(t))")


def test_all_operators_are_listed_a_line_each(capsys):
    assert main(["explain", "operators"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert main(["explain", "operators", "--json"]) == 0

    assert [line.split()[0] for line in lines] == list(operator_names())
    assert all(len(line.split(maxsplit=1)[1]) > 5 for line in lines)
    told = json.loads(capsys.readouterr().out)
    assert told["DML_OPERATOR_ACTIVATION_RELU"] == "Output = max(0, Input)."


@pytest.mark.parametrize(
    ("written", "hint"),
    [
        ("conv", "operators with it in their names: CONVOLUTION, CONVOLUTION_INTEGER, QUANTIZED_"),
        ("pooling", "MAX_POOLING, "),
        ("no_such_thing", "nor is it an operator: indirectml explain operators"),
    ],
)
def test_what_is_no_operator_leads_to_those_there_are(written, hint, capsys):
    assert main(["explain", written]) == 3

    error = capsys.readouterr().err
    assert f"{written}: No such file or directory; " in error
    assert hint in error


def test_every_operator_is_told_as_json(capsys):
    for name in operator_names():
        assert main(["explain", name, "--json"]) == 0
        told = json.loads(capsys.readouterr().out)
        assert told["feature_level"] == operator_facts(name).introduced
        assert told["text"]
        assert told["tensors"]
        assert told["function"] is None or hasattr(dml, told["function"])


def test_a_file_of_that_name_is_read_instead_and_a_plot_is_refused(tmp_path, monkeypatch, capsys):
    assert main(["explain", "gemm", "--plot", "x.svg"]) != 0
    assert "for an operator" in capsys.readouterr().err

    monkeypatch.chdir(tmp_path)
    (tmp_path / "gemm").write_text("{", encoding="utf-8")
    assert main(["explain", "gemm"]) != 0
    assert "gemm" in capsys.readouterr().err
