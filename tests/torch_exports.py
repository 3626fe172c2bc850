"""What PyTorch's exporter makes of networks, for programs that compare it with others."""

import contextlib
import io

import torch


def exported(network, inputs):
    """Return the ONNX model of a network with some inputs; the exporter's own lines are dropped."""
    quiet = io.StringIO()
    with contextlib.redirect_stdout(quiet), contextlib.redirect_stderr(quiet):
        program = torch.onnx.export(network, tuple(inputs), dynamo=True, verbose=False)
    return program.model_proto


def first_line(error):
    return str(error).strip().partition("\n")[0]
