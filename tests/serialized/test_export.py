"""Dispatch models as graphs: `indirectml export`, and the same results from both."""

import json
from pathlib import Path

import numpy as np
import pytest

import indirectml as dml
from indirectml.cli import main
from indirectml.models.context import ReadingOptions
from indirectml.models.graphs import graph_of_model
from indirectml.models.parsing import parse_model
from indirectml.models.running import ModelRun, new_buffer
from indirectml.models.text import parse_json
from tests.bits import assert_bits_equal
from tests.serialized.graphs import example, written

MODELS = Path(__file__).parents[1] / "models"
#: Why models are no graphs, as the messages have it; all others are.
NO_GRAPHS = (
    "needs a resource as a whole",
    "needs all ",
    "needs a dispatch, which a graph is made of",
)


def model_of(path):
    text = path.read_text(encoding="utf-8-sig")
    return parse_model(parse_json(text), ReadingOptions("toward_zero" in path.stem, path.parent))


@pytest.mark.parametrize("path", sorted(MODELS.glob("*.json")), ids=lambda path: path.stem)
def test_a_model_and_its_graph_give_the_same_bits(path, tmp_path):
    if "images" in path.stem:
        pytest.importorskip("PIL", reason="Pillow reads pictures; it is an extra")
    model = model_of(path)
    try:
        graph = graph_of_model(model)
    except dml.ModelError as error:
        assert error.required.startswith(NO_GRAPHS)  # noqa: PT017 (either is right)
        return
    run = ModelRun(model, dml.Device())
    list(run.text())
    buffers = run._buffers  # noqa: SLF001 (what the run leaves)
    graph.serialize(tmp_path / "graph.bin")
    found = dml.read_serialized_graph(tmp_path / "graph.bin")
    inputs = {name: new_buffer(model.resources[name]).tobytes() for name in found.inputs}

    results = found.compile(dml.Device())(inputs)

    assert found == graph
    for name, tensor, actual in zip(
        found.output_names, found.outputs.values(), results, strict=True
    ):
        # An output of the name of a resource has what the resource has at the end.
        if name in buffers and tensor.strides is None:
            raw = buffers[name][: actual.nbytes]
            assert_bits_equal(actual=actual.reshape(-1), expected=raw.view(actual.dtype))


def test_most_models_are_graphs():
    count = 0
    for path in MODELS.glob("operator_*.json"):
        try:
            graph_of_model(model_of(path))
            count += 1
        except dml.ModelError:
            pass

    assert count > 20


def test_the_command_writes_a_graph(tmp_path, capsys):
    target = tmp_path / "gemm.bin"

    assert main(["export", str(MODELS / "operator_gemm.json"), "-o", str(target)]) == 0

    assert capsys.readouterr().out == (
        f"SerializedGraph(2 nodes, inputs A, B, C, outputs WithC, WithoutC) written to '{target}'\n"
    )
    assert dml.read_serialized_graph(target).input_names == ("A", "B", "C")


def test_the_command_writes_a_graph_again(tmp_path):
    path = written(tmp_path, *example())
    (tmp_path / "there").mkdir()

    assert main(["export", str(path), "-o", str(tmp_path / "there/again.bin")]) == 0

    again = dml.read_serialized_graph(tmp_path / "there/again.bin")
    assert again == dml.read_serialized_graph(path)


def test_what_dispatches_write_into_one_resource_keeps_its_place(tmp_path):
    desc = {"OutputTensor": {"DataType": "FLOAT32", "Sizes": [2]}, "ValueDataType": "FLOAT32"}
    tensor = desc["OutputTensor"]
    model = {
        "resources": {
            "a": {"initialValuesDataType": "FLOAT32", "initialValues": [1, 2]},
        },
        "dispatchables": {
            "double": {
                "type": "ELEMENT_WISE_ADD",
                "desc": {"ATensor": tensor, "BTensor": tensor, "OutputTensor": tensor},
            },
            "fill": {"type": "FILL_VALUE_CONSTANT", "desc": {**desc, "Value": 7}},
        },
        "commands": [
            {
                "type": "dispatch",
                "dispatchable": "double",
                "bindings": {"ATensor": "a", "BTensor": "a", "OutputTensor": "a"},
            },
            {"type": "print", "resource": "a"},
            {"type": "dispatch", "dispatchable": "fill", "bindings": {"OutputTensor": "a"}},
        ],
    }
    path = tmp_path / "model.json"
    path.write_text(json.dumps(model))

    assert main(["export", str(path), "-o", str(tmp_path / "graph.bin")]) == 0

    graph = dml.read_serialized_graph(tmp_path / "graph.bin")
    assert (graph.input_names, graph.output_names) == (("a",), ("a 1", "a 2"))
    doubled, filled = graph.compile(dml.Device())({"a": np.array([1, 2], np.float32)})
    assert (doubled.tolist(), filled.tolist()) == ([2, 4], [7, 7])


@pytest.mark.parametrize(
    ("model", "target", "code", "text"),
    [
        ("operator_gemm.json", "gemm.txt", 2, "--output: needs a .onnx or .bin file, got "),
        ("operator_join.json", "join.bin", 1, "operator_join.json: commands[0].bindings.Input"),
        ("none.json", "none.bin", 3, "none.json: No such file or directory"),
        ("refused/not_yet.json", "a.bin", 1, "not_yet.json: dispatchables.shader.type: HLSL"),
    ],
)
def test_the_command_refuses_in_one_line(model, target, code, text, tmp_path, capsys):
    assert main(["export", str(MODELS / model), "-o", str(tmp_path / target)]) == code

    shown = capsys.readouterr().err
    assert text in shown
    assert shown.count("\n") == 1
    assert not list(tmp_path.iterdir())
