"""Inputs of ONNX models that are constants, on the command line."""

import numpy as np
import onnx
import pytest

from tests.onnx_import.models import model
from tests.onnx_import.test_commands import X, folder, run

__all__ = ["folder"]  # a fixture


@pytest.mark.usefixtures("folder")
def test_what_decides_a_branch_is_given_as_a_constant(capsys):
    """As models of voices choose by the rate; a branch does not take these sizes."""
    text = (
        "(int64 rate, float[2] x) => (float[n] y) <int64 c = {8000}> { big = Greater(rate, c)"
        " y = If(big) <then_branch = t () => (float[n] a) { a = Neg(x) },"
        " else_branch = e () => (float[n] a) { a = Relux(x) }> }"
    )
    onnx.save(model(text), "rates.onnx")
    onnx.save(model(text.replace("Relux", "Abs")), "both.onnx")
    np.save("x.npy", np.array([1, -2], np.float32))
    np.save("rate.npy", np.array(16000))

    for command in ("run", "explain", "validate"):
        told = run(capsys, command, "rates.onnx", code=1)
        assert "as an option: --constant rate=VALUE\n" in told.out + told.err
    for value in ("16000", "rate.npy", "INT64:16000"):
        given = ("--constant", f"rate={value}")
        shown = run(capsys, "run", "rates.onnx", *given, "--input", "x=x.npy").out
        assert "Resource 'y': -1, 2\n" in shown
    assert "1 input," in run(capsys, "validate", "rates.onnx", *given).out
    run(capsys, "export", "rates.onnx", *given, "-o", "g.bin")
    assert "Resource 'y': -1, 2\n" in run(capsys, "run", "g.bin", "--input", "x=x.npy").out
    for value in ("true", "b.npy"):
        given_bool = ("-f", "N:2", "--constant", f"b={value}", "--input", "x=x2.npy")
        np.save("x2.npy", X)
        assert "Resource 'c': 0\n" in run(capsys, "run", "model.onnx", *given_bool).out
    compared = run(capsys, "compare", "both.onnx", "--with", "onnxruntime", *given).out
    assert "0 beyond" in compared


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize(
    ("arguments", "code", "told"),
    [
        (["model.onnx", "--constant", "z=1"], 2, "inputs of the model, which are b, x, got 'z'"),
        (["model.onnx", "--constant", "b"], 2, "--constant: needs NAME=VALUE, with the name of an"),
        (["model.onnx", "--constant", "b=1"], 1, "constants['b']: needs bool, got int64"),
        (["model.onnx", "--constant", "b=[1, x]"], 2, "--constant: needs numbers, as [[1, 2], [3"),
        (["model.onnx", "--constant", "b=INT99:1"], 2, "--constant: needs a data type out of"),
        (["model.onnx", "--constant", "b=none.npy"], 3, "none.npy: No such file or directory"),
        (["GEMM", "--constant", "b=1"], 2, "--constant: goes with a graph in a file"),
    ],
)
def test_constants_that_do_not_fit_are_told(capsys, arguments, code, told):
    assert told in run(capsys, "run", *arguments, code=code).err
