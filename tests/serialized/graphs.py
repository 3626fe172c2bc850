"""Graphs that tests read and write: Microsoft's own, one with constants, any operator."""

import os
from pathlib import Path

import numpy as np
import pytest

from indirectml.catalogue import operator_facts
from tests.serialized.files import graph_file

_NAMED = os.environ.get("INDIRECTML_MATMUL_ADD")
#: The graph of Microsoft's example "matmul_add", if the variable names its file.
EXAMPLE = Path(_NAMED) if _NAMED else None
needs_example = pytest.mark.skipif(
    EXAMPLE is None, reason="INDIRECTML_MATMUL_ADD names no Partition_0.bin of Microsoft's example"
)

SIZES = [1, 1, 2, 3]
TENSOR = ("FLOAT32", SIZES, None, 24)
F32 = np.float32

#: What an attribute of a type of the catalogue is in a file: one, and an array of two.
VALUES = {
    "UINT": ("UInt32", 3),
    "INT": ("Int32", -2),
    "FLOAT": ("Float32", 0.5),
    "BOOL": ("UInt32", 1),
    "SCALE_BIAS": ("ScaleBias", (2.0, -1.0)),
    "SIZE_2D": ("Size2D", (2, 3)),
    "SCALAR_UNION": ("ScalarUnionData", ("ByteArray", (b"\x00\x00\xc0\x3f\x00\x00\x00\x00",))),
    "OPERATOR_DESC": ("Activation", ("ACTIVATION_LEAKY_RELU", [("Alpha", "Float32", 0.25)])),
    "TENSOR_DATA_TYPE": ("UInt32", 1),
}
ARRAYS = {
    "UINT": ("UIntArray", [3, 1]),
    "INT": ("IntArray", [-2, 2]),
    "FLOAT": ("FloatArray", [0.5, -0.25]),
    "OPERATOR_DESC": ("ActivationArray", [VALUES["OPERATOR_DESC"][1], ("ACTIVATION_TANH", [])]),
}
#: Fields that are Bool in DxDispatch's schema, where all other BOOL are UInt32.
BOOLS = (("LOCAL_RESPONSE_NORMALIZATION_GRAD", "CrossChannel"), ("RESAMPLE3", "Antialiased"))


def operator_node(name, *, leaves_out=False):
    """Return the node of any operator of the catalogue, as `files.graph_file` takes it.

    With `leaves_out`, optional tensors and attributes are left out.
    """
    facts = operator_facts(name)
    inputs, outputs, attributes = [], [], []
    names = {"input_tensor": inputs, "output_tensor": outputs}
    counts = {f.count_field for f in facts.fields}
    for field in facts.fields:
        is_absent = field.optional and leaves_out
        if field.kind != "attribute":
            for _ in range(2 if field.array else 1):
                # Of several outputs that are all optional, the first stays: a node has one.
                absent = is_absent and (field.kind == "input_tensor" or bool(outputs))
                names[field.kind].append("" if absent else f"{field.kind}{len(names[field.kind])}")
        elif field.name in counts:
            attributes.append((field.name, "UInt32", 2))
        else:
            kind, value = (ARRAYS if field.array else VALUES).get(field.type, ("UInt32", 0))
            if (name, field.name) in BOOLS:
                kind = "Bool"
            attributes.append((None, kind, None) if is_absent else (field.name, kind, value))
    tensors = [[TENSOR] * sum(map(bool, each)) for each in (inputs, outputs)]
    node = ("operator", (name, *tensors, attributes), f"a {name}", inputs, outputs)
    graph_inputs = [each for each in inputs if each]
    return [node], graph_inputs, [each for each in outputs if each]


def one_node(type_, inputs, outputs, attributes):
    """Return a graph of one node whose tensors are all there."""
    names = [f"x{k}" for k in range(len(inputs))], [f"y{k}" for k in range(len(outputs))]
    node = ("operator", (type_, inputs, outputs, attributes), "node", *names)
    return [node], *names


def example():
    """Return a graph with three nodes, whose constants are of both kinds, and its weights."""
    weights = np.arange(6, dtype=F32).tobytes()
    nodes = [
        ("constant", ("raw", np.full(6, 0.5, F32).tobytes()), "half", [], ["half value"]),
        ("constant", ("name", "dense/weights"), "weights", [], ["weights value"]),
        (
            "operator",
            ("ELEMENT_WISE_ADD1", [TENSOR, TENSOR], [TENSOR], [(None, "Activation", None)]),
            "add",
            ["x", "half value"],
            ["sum"],
        ),
        (
            "operator",
            ("ELEMENT_WISE_MULTIPLY", [TENSOR, TENSOR], [TENSOR], []),
            "multiply",
            ["sum", "weights value"],
            ["y"],
        ),
    ]
    return (nodes, ["x"], ["y"]), {"dense_weights.bin": weights}


def written(folder, graph, weights=None, name="graph.bin"):
    """Write a graph and its weights into a folder; returns the path of the graph."""
    for file, raw in (weights or {}).items():
        (folder / file).write_bytes(raw)
    path = folder / name
    path.write_bytes(graph if isinstance(graph, bytes) else graph_file(*graph))
    return path
