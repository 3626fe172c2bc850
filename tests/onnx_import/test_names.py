"""Names stay: of nodes, tensors and constants, through graphs and files, and back out."""

import json

import numpy as np
import onnx
import pytest

import indirectml as dml
from indirectml.cli import main
from indirectml.models.writing import write_model
from tests.bits import assert_bits_equal
from tests.onnx_import.models import model
from tests.real_models import MODELS, small

NETWORK = """(float[1, 3, 8, 8] picture) => (float[1, 4, 8, 8] made, float[1, 4, 1, 1] mean)
    <float[4] bias = {1, 2, 3, 4}, float offset = {0.5}> {
    [conv1] features = Conv<pads = [1, 1, 1, 1]>(picture, weight, bias)
    [gate] gates = Sigmoid(features)
    [product] scaled = Mul(gates, features)
    [shift] made = Add(scaled, offset)
    [pool] mean = GlobalAveragePool(scaled)
}"""
NODES = ["conv1", "gate", "product", "shift", "pool"]
TENSORS = ["features", "gates", "scaled"]


def network():
    made = model(NETWORK)
    weight = np.random.default_rng(1).standard_normal((4, 3, 3, 3), np.float32)
    made.graph.initializer.append(onnx.numpy_helper.from_array(weight, "weight"))
    return made


def names_of(proto):
    """Return the names of nodes, of tensors between them, and of constants."""
    graph = proto.graph
    ends = {each.name for each in (*graph.input, *graph.output)}
    made = [name for node in graph.node for name in node.output if name not in ends]
    return [node.name for node in graph.node], made, {each.name for each in graph.initializer}


def test_a_model_out_again_has_the_names_it_came_with(tmp_path):
    loaded = dml.load_onnx(network())
    loaded.serialize(tmp_path / "graph.bin")
    read = dml.read_serialized_graph(tmp_path / "graph.bin")
    ways = [loaded.to_onnx(), read.to_onnx(), read.compile(dml.Device()).to_onnx(),
            loaded.compiled.to_onnx(output_names=["made", "mean"])]  # fmt: skip

    for proto in ways:
        nodes, tensors, constants = names_of(proto)
        assert (nodes, tensors) == (NODES, TENSORS)
        assert constants == {"weight", "bias", "offset", "pool/ReduceMean"}  # axes
        again = dml.load_onnx(proto).to_onnx()
        assert names_of(again) == names_of(proto)
    assert [node.name for node in read.operators] == NODES
    assert [each.name for each in ways[0].graph.input] == ["picture"]
    assert [each.name for each in ways[0].graph.output] == ["made", "mean"]


def test_names_do_not_grow_from_one_way_through_to_the_next():
    text = "(float[1, 2, 3] x) => (float[1, 2, 4] y) <float[3, 4] w = {"
    elements = ", ".join(map(str, range(12)))
    first = dml.load_onnx(model(f"{text}{elements}}}> {{ [product] y = MatMul(x, w) }}")).to_onnx()
    second = dml.load_onnx(first).to_onnx()
    third = dml.load_onnx(second).to_onnx()

    assert "product/Gemm" in [node.name for node in first.graph.node]
    assert "product/Gemm" in [node.name for node in third.graph.node]
    assert names_of(third) == names_of(second)


def test_a_node_of_several_operators_is_in_front_of_each():
    loaded = dml.load_onnx(
        model("(float[2, 3] x) => (float[2, 3] y) { [one] y = Mean(x, x, x) [two] z = Neg(y) }")
    )

    names = [node.name for node in loaded.serialized().operators]
    assert len(names) > 1
    assert all(name.startswith("one/ELEMENT_WISE_") for name in names)


def test_functions_and_branches_stand_in_front():
    loaded = dml.load_onnx(
        model(
            "(float[2] x) => (float[2] y) { [outer] y = local.twice(x) }",
            extra=', "local" : 1',
            functions='<opset_import: ["" : 18], domain: "local"> twice (a) => (c)'
            " { [first] b = Exp(a) [second] c = Sin(b) }",
        )
    )

    first, second = loaded.serialized().operators
    assert (first.name, second.name) == ("outer/first", "outer/second")
    assert first.output_names == ("outer/b",)


def test_nodes_without_names_are_told_by_operator_and_place():
    loaded = dml.load_onnx(
        model("(float[2] x) => (float[2] y) { a = Exp(x) b = Mean(a, x, x) y = Sin(b) }")
    )

    names = [node.name for node in loaded.serialized().operators]
    assert (names[0], names[-1]) == ("Exp_0", "Sin_2")
    assert all(name.startswith("Mean_1/ELEMENT_WISE_") for name in names[1:-1])


def test_names_that_are_there_twice_are_told_apart():
    graph = dml.Graph(dml.Device())
    x = graph.input([2], name="x")
    desc = dml.ElementWiseExpOperatorDesc(x.desc, x.desc)
    (y,) = graph.add_node(desc, x, name="same")
    (z,) = graph.add_node(desc, y, name="same")
    made = graph.compile([z]).to_onnx(output_names=["z"])

    assert [node.op_type for node in made.graph.node] == ["Exp", "Exp"]
    assert len({node.name for node in made.graph.node}) == 2


def test_constants_do_not_take_the_names_of_others():
    """A value that is known becomes a constant under the name of its output, unless one has it."""
    loaded = dml.load_onnx(
        model(
            "(float[2] x) => (float[2] y, float[2] known) <float[2] w = {1, 2}>"
            " { known = Add(w, w) y = Mul(x, known) }"
        )
    )

    made = loaded.to_onnx()

    assert [each.name for each in made.graph.output] == ["y", "known"]
    assert [each.name for each in made.graph.initializer] == ["known_1"]
    (y, known) = dml.load_onnx(made)(np.array([1, 2], np.float32))
    assert (y.tolist(), known.tolist()) == ([2, 8], [2, 4])


def test_messages_have_them():
    graph = dml.Graph(dml.Device())
    x = graph.input([2], name="x")
    half = dml.TensorDesc(np.float32, [2])
    desc = dml.SplitOperatorDesc(dml.TensorDesc(np.float32, [4]), (half, half), 0)
    whole = dml.join([x, x], axis=0)
    first, _ = graph.add_node(desc, whole, name="halves")

    with pytest.raises(dml.DescriptorError, match=r"GRAPH.halves \(SPLIT\).output_tensors\[1\]"):
        graph.compile([first])
    with pytest.raises(dml.DataTypeError, match=r"Graph.add_node.name: needs a string, got 3"):
        graph.add_node(desc, whole, name=3)


def test_profiles_have_them():
    loaded = dml.load_onnx(network())
    picture = {"picture": np.ones((1, 3, 8, 8), np.float32)}

    for each in (loaded, dml.load_onnx(loaded.to_onnx())):
        found = each.profile(picture, runs=1)
        assert [name for step in found.steps for name in step.nodes] == NODES
        assert {"conv1", "pool"} <= {row["name"] for row in found.as_trace()["traceEvents"]}


def test_dispatch_models_have_them_and_give_them_back(tmp_path):
    proto = network()
    proto.graph.node[1].name = "conv1"  # a name that another has
    proto.graph.node[2].output[0] = proto.graph.node[3].input[0] = "/scaled:0"
    proto.graph.node[4].input[0] = "/scaled:0"
    picture = np.random.default_rng(2).standard_normal((1, 3, 8, 8), np.float32)
    expected = dml.load_onnx(proto)({"picture": picture})

    path = write_model(dml.load_onnx(proto).serialized(), {"picture": picture}, tmp_path)

    model = json.loads(path.read_text())
    keys = ["conv1", "conv1 1", "product", "shift", "pool"]
    assert list(model["dispatchables"]) == keys
    values = {"picture", "weight", "bias", "offset", "features", "gates", "/scaled:0"}
    assert set(model["resources"]) == values | {"made", "mean"}
    assert main(["run", str(path), "--output_path", str(tmp_path)]) == 0
    for name, array in zip(("made", "mean"), expected, strict=True):
        assert_bits_equal(actual=np.load(tmp_path / f"{name}.npy"), expected=array)
    assert main(["export", str(path), "-o", str(tmp_path / "again.bin")]) == 0
    again = dml.read_serialized_graph(tmp_path / "again.bin")
    assert [node.name for node in again.operators] == keys
    assert {name for node in again.operators for name in node.output_names} <= values | {
        "made", "mean"
    }  # fmt: skip


REAL = [name for name in small() if MODELS[name].is_there]


@pytest.mark.parametrize("name", REAL)
def test_real_models_keep_inputs_outputs_and_most_constants(name):
    made = MODELS[name]
    before = made.read().graph
    sizes = {each: array.shape for each, array in made.data.items()}

    after = dml.load_onnx(made.read(), sizes=sizes).to_onnx().graph

    initializers = {each.name for each in before.initializer}
    inputs = [each.name for each in before.input if each.name not in initializers]
    assert [each.name for each in after.input] == inputs
    assert [each.name for each in after.output] == [each.name for each in before.output]
    nodes = {node.name for node in before.node if node.name}
    named = [
        node for node in after.node if node.name.partition("/")[0] in nodes or node.name in nodes
    ]
    made_up = ("constant_", "input_", "ELEMENT_WISE", "nodeIdx")
    assert not [each.name for each in after.initializer if each.name.startswith(made_up)]
    if len(nodes) == len(before.node):
        assert len(named) > len(after.node) / 3
