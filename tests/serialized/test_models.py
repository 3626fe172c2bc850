"""Dispatch models with a serialized graph among their dispatchables."""

import json

import pytest

from indirectml.cli import main
from tests.serialized.graphs import example, written

MODEL = {
    "resources": {
        "input": {"initialValuesDataType": "FLOAT32", "initialValues": [0, 1, 2, 3, 4, 5]},
        "out": {
            "initialValuesDataType": "FLOAT32",
            "initialValues": {"valueCount": 10, "value": -1},
        },
    },
    "dispatchables": {
        "graph": {
            "type": "dmlSerializedGraph",
            "sourcePath": "Partition_0.bin",
            "executionFlags": "DML_EXECUTION_FLAG_DISABLE_META_COMMANDS",
        }
    },
    "commands": [
        {
            "type": "dispatch",
            "dispatchable": "graph",
            "bindings": {"x": "input", "y": {"name": "out", "elementOffset": 4}},
        },
        {"type": "print", "resource": "out"},
    ],
}


@pytest.fixture
def run(tmp_path, capsys):
    written(tmp_path, *example(), name="Partition_0.bin")

    def run(model, *options, command="run"):
        (tmp_path / "model.json").write_text(json.dumps(model))
        code = main([command, str(tmp_path / "model.json"), *options])
        out, errors = capsys.readouterr()
        return code, out, errors.replace(str(tmp_path), "FOLDER")

    return run


def changed(path, value):
    """Return the model with another value at a path; without it for None."""
    model = json.loads(json.dumps(MODEL))
    *outer, last = path
    place = model
    for key in outer:
        place = place[key]
    if value is None:
        del place[last]
    else:
        place[last] = value
    return model


def test_inputs_and_outputs_are_bound_by_name(run):
    code, out, errors = run(MODEL)

    assert (code, errors) == (0, "")
    assert out.splitlines()[1] == "Compiling op using IDMLDevice1::CompileGraph"
    assert out.endswith("Resource 'out': -1, -1, -1, -1, 0, 1.5, 5, 10.5, 18, 27.5\n")


def test_it_is_compiled_again_to_be_measured(run):
    code, out, _ = run(MODEL, "-v", "2", "-i", "3")

    assert code == 0
    assert "Initialize 'graph': " in out
    assert "Dispatch 'graph': 3 iterations" in out


def test_validate_takes_it(run):
    code, out, _ = run(MODEL, command="validate")

    assert code == 0
    assert "valid: 2 resources, 1 dispatchable, 2 commands" in out


GRAPH = ("dispatchables", "graph")
BINDINGS = ("commands", 0, "bindings")
REFUSED = {
    "no path": ((*GRAPH, "sourcePath"), None, "dispatchables.graph.sourcePath: is required"),
    "no file": (
        (*GRAPH, "sourcePath"),
        "Partition_1.bin",
        (
            "dispatchables.graph.sourcePath: needs the name of a file, got 'Partition_1.bin'; "
            "did you mean 'Partition_0.bin'"
        ),
    ),
    "no graph": (
        (*GRAPH, "sourcePath"),
        "model.json",
        (
            "dispatchables.graph.sourcePath: needs a serialized graph that the format takes, got "
            "one with FOLDER/model.json: needs "
        ),
    ),
    "a folder": (
        (*GRAPH, "sourcePath"),
        ".",
        "dispatchables.graph.sourcePath: needs a serialized graph that the format takes, got one ",
    ),
    "an input without a resource": (
        (*BINDINGS, "x"),
        None,
        "commands[0].bindings.x: is required",
    ),
    "a resource that is too small": (
        (*BINDINGS, "y", "elementOffset"),
        8,
        "commands[0].bindings.y: needs at least 24 bytes, got 8 of resource 'out'",
    ),
    "an output on an input": (
        (*BINDINGS, "y"),
        "input",
        (
            "commands[0].bindings.y: needs memory of its own, apart from that of x, got resource "
            "'input' for both"
        ),
    ),
}


@pytest.mark.parametrize("name", REFUSED)
def test_refuses_with_the_place(name, run):
    path, value, text = REFUSED[name]

    code, _, errors = run(changed(path, value))

    assert code == 1
    first = errors.splitlines()[0]
    assert first.partition(": dispatchables")[2] or first.partition(": commands")[2]
    assert text in first


def test_a_level_that_refuses_a_node_is_told_with_the_node(run):
    code, _, errors = run(MODEL, "--feature-level", "1_0")

    assert code == 1
    assert (
        "dispatchables.graph.sourcePath: needs a serialized graph that the device takes, got one "
        "with nodes[2] ('add').ELEMENT_WISE_ADD1: needs feature level "
    ) in errors


def test_bindings_of_its_own_have_no_effect(run):
    code, _, errors = run(changed((*GRAPH, "bindings"), {"weights": "input"}))

    assert code == 0
    assert "dispatchables.graph.bindings: has no effect: constants of a graph come with" in errors
