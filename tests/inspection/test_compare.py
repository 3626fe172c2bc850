"""Which node differs: a network beside itself with one node broken, and beside ONNX Runtime."""

import json

import numpy as np
import onnx
import pytest

import indirectml as dml
from indirectml.cli import main
from tests.bits import assert_bits_equal
from tests.onnx_models import Model, session

#: What is done in turn: five nodes, sixty times.
ROUNDS = 60
SEED = 31

#: What breaks a node: another operator of as many inputs, or a weight that is a little off.
BROKEN = {"Conv": None, "Relu": "Elu", "Tanh": "Sin", "Add": "Sub", "Sigmoid": "HardSigmoid"}


def network():
    """Return a network of 300 nodes, and what goes in."""
    random = np.random.default_rng(SEED)
    model = Model()
    x = model.input("x", [1, 4, 8, 8])
    for number in range(ROUNDS):
        filters = random.standard_normal((4, 4, 3, 3)).astype(np.float32) / 4
        bias = random.standard_normal((1, 4, 1, 1)).astype(np.float32)
        x = model.node("Conv", x, model.constant(f"w{number}", filters), pads=[1, 1, 1, 1])
        x = model.node("Relu", x)
        x = model.node("Tanh", x)
        x = model.node("Add", x, model.constant(f"b{number}", bias))
        x = model.node("Sigmoid", x)
    return model.proto(x), {"x": random.standard_normal((1, 4, 8, 8)).astype(np.float32)}


def broken(proto, number):
    """Return a model in which one node does something else."""
    copy = onnx.ModelProto()
    copy.CopyFrom(proto)
    node = copy.graph.node[number]
    other = BROKEN[node.op_type]
    if other is not None:
        node.op_type = other
        return copy
    (weights,) = [each for each in copy.graph.initializer if each.name == node.input[1]]
    array = onnx.numpy_helper.to_array(weights).copy()
    array[2, 1, 1, 1] += 0.5
    weights.CopyFrom(onnx.numpy_helper.from_array(array, weights.name))
    return copy


def tensors_of(proto, inputs):
    """Return every tensor of a model by ONNX Runtime."""
    copy = onnx.ModelProto()
    copy.CopyFrom(proto)
    names = [name for node in proto.graph.node for name in node.output]
    for name in names[:-1]:
        copy.graph.output.add().name = name
    return dict(zip(names, session(copy).run(names, inputs), strict=True))


@pytest.mark.parametrize("number", [0, 71, 122, 163, 299])
def test_finds_the_broken_node_of_300(number):
    proto, inputs = network()
    assert len(proto.graph.node) == 300

    found = dml.compare_models(broken(proto, number), tensors_of(proto, inputs), inputs)

    assert not found.is_accepted
    assert found.culprit.node.outputs == tuple(proto.graph.node[number].output)
    assert len(found.tensors) == 300
    assert all(each.is_accepted for each in found.tensors[:number])


def test_a_whole_network_agrees_with_onnx_runtime_and_has_the_same_bits_on_all_targets():
    proto, inputs = network()

    assert dml.compare_models(proto, "onnxruntime", inputs).is_accepted
    for target in dml.available_targets():
        found = dml.compare_models(proto, target, inputs)
        assert all(each.is_equal for each in found.tensors), str(found)


def test_what_is_saved_reproduces_the_node(tmp_path, capsys):
    proto, inputs = network()
    onnx.save(broken(proto, 163), tmp_path / "here.onnx")
    np.save(tmp_path / "x.npy", inputs["x"])
    elsewhere = tensors_of(proto, inputs)
    (tmp_path / "dumps").mkdir()
    for name, array in elsewhere.items():
        np.save(tmp_path / "dumps" / f"{name}.npy", array)

    arguments = ["compare", str(tmp_path / "here.onnx"), "--with", str(tmp_path / "dumps")]
    arguments += ["--input", f"x={tmp_path / 'x.npy'}", "--save", str(tmp_path / "saved")]
    assert main(arguments) == 1
    told = capsys.readouterr().out
    model = tmp_path / "saved" / "model.json"
    assert main(["run", str(model), "--output_path", str(model.parent)]) == 0

    (name,) = proto.graph.node[163].output
    before, bias = (
        {**elsewhere, **{t.name: onnx.numpy_helper.to_array(t) for t in proto.graph.initializer}}[
            each
        ]
        for each in proto.graph.node[163].input
    )
    assert f"first node that differs: nodes[163] (Sub)\n  {name}, made of the same inputs" in told
    assert_bits_equal(actual=np.load(model.parent / f"{name}.npy"), expected=before - bias)
    assert_bits_equal(
        actual=np.load(model.parent / f"{name}.expected.npy"), expected=elsewhere[name]
    )
    actual, expected = (before - bias).ravel()[0], elsewhere[name].ravel()[0]
    bits = [f"0x{each.view(np.uint32):08X}" for each in (actual, expected)]
    assert all(f"({each})" in told for each in bits)


def test_what_has_grown_on_the_way_is_no_nodes_fault():
    graph = dml.Graph(dml.Device())
    x, one = graph.input([2], name="x"), graph.input([2], name="one")
    model = dml.SerializedGraph.of_outputs([dml.abs(x) - one], output_names=["y"])
    (magnitude,), (y,) = (each.output_names for each in model.operators)
    nearly = np.array([1 + 2.0**-23, 1], np.float32)

    found = dml.compare_models(
        model, {magnitude: nearly, y: nearly - 1}, {"x": np.float32([1, -1]), "one": np.ones(2)}
    )

    assert found.first.name == y
    assert found.culprit is None
    assert "has grown on the way" in str(found)


def test_dumps_of_one_run_are_what_another_is_compared_with(tmp_path, capsys):
    proto, _ = network()
    onnx.save(proto, tmp_path / "model.onnx")

    assert main(["run", str(tmp_path / "model.onnx"), "--dump", str(tmp_path / "dumps")]) == 0
    capsys.readouterr()
    arguments = ["compare", str(tmp_path / "model.onnx"), "--with", str(tmp_path / "dumps")]
    assert main([*arguments, "--bound", "0", "--json"]) == 0

    told = json.loads(capsys.readouterr().out)
    assert told["accepted"]
    assert len(told["tensors"]) == 300
    assert {each["different"] for each in told["tensors"]} == {0}


def test_graphs_and_dispatch_models_are_compared_too(tmp_path, capsys):
    graph = dml.Graph(dml.Device())
    x = graph.input([3], name="x")
    for name, factor in (("here", 2.0), ("there", 2.5)):
        made = dml.SerializedGraph.of_outputs([dml.exp(x * factor) + 1.0], output_names=["y"])
        made.serialize(tmp_path / f"{name}.bin")

    here, there = (str(tmp_path / f"{name}.bin") for name in ("here", "there"))
    assert main(["compare", here, "--with", there]) == 1
    assert "first node that differs: FILL_VALUE_CONSTANT" in capsys.readouterr().out
    assert main(["compare", "examples/fill_value_sequence.json", "--with", "portable"]) == 0
    assert main(["compare", here, "--with", "portabel"]) == 2
    assert capsys.readouterr().err.startswith("indirectml: --with: needs one of onnxruntime, ")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        pytest.param(
            {"other": "portabel"}, "did you mean 'portable'", id="a name that is nearly one"
        ),
        pytest.param({"other": "onnxruntime"}, "needs an ONNX model", id="no ONNX model"),
        pytest.param(
            {"other": "cpu", "bound": 1.0, "rtol": 1.0}, "needs either bound", id="two bounds"
        ),
        pytest.param(
            {"other": "cpu", "inputs": {"z": np.zeros(3)}}, "inputs of the model: x", id="an input"
        ),
    ],
)
def test_refuses(arguments, message):
    graph = dml.Graph(dml.Device())
    model = dml.SerializedGraph.of_outputs([dml.abs(graph.input([3], name="x"))])

    with pytest.raises(dml.DirectMLError, match=message):
        dml.compare_models(model, **arguments)
