"""Whole graphs in ONNX Runtime: random ones, Microsoft's example, models that came from ONNX."""

import numpy as np
import onnx
import pytest

import indirectml as dml
from indirectml.cli import main
from tests.bits import assert_bits_equal
from tests.graphs.random_graphs import random_graph
from tests.onnx_export.test_frame import operators_of, run
from tests.onnx_models import Model
from tests.serialized.graphs import EXAMPLE, needs_example

#: Functions whose results follow smoothly from their inputs, or are moved elements.
SMOOTH = (
    "abs", "activation_elu", "activation_leaky_relu", "activation_linear", "activation_sigmoid",
    "activation_softmax", "activation_softplus", "activation_tanh", "add", "average_pooling",
    "convolution", "cos", "depth_to_space", "erf", "gemm", "identity", "join", "mean", "multiply",
    "negate", "padding", "reduce", "sin", "slice", "space_to_depth", "split", "subtract", "tile",
)  # fmt: skip


@pytest.mark.parametrize("seed", range(8))
def test_random_graphs_agree(seed):
    made = random_graph(seed, names=SMOOTH)
    compiled = made.compile()

    model = compiled.to_onnx()

    read = {i.name for i in model.graph.input}
    found = run(model, {name: x for name, x in made.data.items() if name in read})
    for actual, expected in zip(found.values(), compiled(made.data), strict=True):
        bound = 5e-3 if expected.dtype == np.float16 else 2e-5
        largest = np.abs(expected[np.isfinite(expected)]).max(initial=0)
        np.testing.assert_allclose(actual, expected, rtol=0, atol=bound * float(largest))


@needs_example
def test_microsofts_example_agrees():
    graph = dml.read_serialized_graph(EXAMPLE)
    (name, tensor), *_ = graph.inputs.items()
    x = np.full(tensor.sizes, 1.5, np.float32)

    model = graph.to_onnx()

    assert [i.name for i in model.graph.input] == [name]
    (found,) = run(model, {name: x}).values()
    assert_bits_equal(actual=found, expected=graph.compile(dml.Device())({name: x})[0])
    assert (found == 12.25).all()


def network():
    """Return a small network of ONNX's operators, with random weights."""
    random = np.random.default_rng(1)
    weights = {
        "w0": random.normal(size=(8, 3, 3, 3)), "b0": random.normal(size=8),
        "scale": random.normal(size=8), "shift": random.normal(size=8),
        "mean": random.normal(size=8), "variance": random.random(8) + 0.5,
        "w1": random.normal(size=(8 * 6 * 6, 10)), "b1": random.normal(size=10),
    }  # fmt: skip
    model = Model({name: w.astype(np.float32) for name, w in weights.items()}, opset=18)
    x = model.input("image", (2, 3, 12, 12))
    given = [model.constant(name) for name in weights]
    x = model.node("Conv", x, *given[:2], pads=[1, 1, 1, 1])
    x = model.node("Relu", model.node("BatchNormalization", x, *given[2:6]))
    x = model.node("MaxPool", x, kernel_shape=[2, 2], strides=[2, 2])
    x = model.node("Gemm", model.node("Flatten", x), *given[6:])
    return model.proto(model.node("Softmax", x, axis=1))


def test_a_model_goes_round(tmp_path):
    first = network()
    image = np.random.default_rng(2).normal(size=(2, 3, 12, 12)).astype(np.float32)
    (elsewhere,) = run(first, {"image": image}).values()

    loaded = dml.load_onnx(first)
    (here,) = loaded(image)
    loaded.serialize(tmp_path / "graph.bin")
    graph = dml.read_serialized_graph(tmp_path / "graph.bin")
    (kept,) = graph.compile(dml.Device())({"image": image})
    again = graph.to_onnx(tmp_path / "again.onnx", output_names=["made"])
    (out,) = run(again, {"image": image}).values()
    (back,) = dml.load_onnx(tmp_path / "again.onnx")(image)

    np.testing.assert_allclose(here, elsewhere, rtol=0, atol=2e-6)
    np.testing.assert_allclose(out, here, rtol=0, atol=2e-6)
    assert_bits_equal(actual=kept, expected=here)
    assert_bits_equal(actual=back, expected=here)
    assert {"Conv", "Relu", "MaxPool", "Gemm", "Softmax"} <= set(operators_of(again))


def test_the_command_refuses_in_a_line_per_node_and_writes_nothing(tmp_path, capsys):
    g = dml.Graph(dml.Device())
    x = g.input([2], np.float32, name="x")
    path = tmp_path / "graph.bin"
    bits = dml.reinterpret(dml.abs(x), [2], dtype=np.int32)
    halves = dml.reinterpret(dml.abs(x), [4], dtype=np.int16)
    g.serialize(path, [bits + 1, halves + 1])

    code = main(["export", str(path), "-o", str(tmp_path / "m.onnx"), "--opset", "20"])

    assert code == 1
    error = capsys.readouterr().err
    assert [line.partition(": ")[2].partition(": ")[2] for line in error.splitlines()] == [
        (
            "ELEMENT_WISE_ADD_5: a_tensor: needs a data type of the width that the elements of "
            "this edge were written with, as float32, got int16"
        ),
        "ELEMENT_WISE_ADD_3: its ONNX form has BitCast, which needs opset 26, got 20",
    ]
    assert sorted(p.name for p in tmp_path.iterdir()) == ["graph.bin"]


def test_the_command_takes_opset_and_rule(tmp_path, capsys):
    g = dml.Graph(dml.Device())
    ramp = dml.fill_value_sequence(g, sizes=[40_000], value_start=0, value_delta=0.1)
    path, target = tmp_path / "graph.bin", tmp_path / "model.onnx"
    g.serialize(path, [ramp], output_names=["ramp"])

    code = main(["export", str(path), "-o", str(target), "--opset", "21", "--rule", "multiply"])

    assert (code, capsys.readouterr().err) == (0, "")
    assert onnx.load(target).opset_import[0].version == 21
    assert_bits_equal(
        actual=run(str(target), {})["ramp"], expected=dml.Sequence(0, 0.1, rule="multiply")[:40_000]
    )
    assert main(["export", str(path), "-o", str(tmp_path / "g.bin"), "--opset", "18"]) == 2
    assert "--opset: goes with an ONNX model" in capsys.readouterr().err


def test_outputs_that_nothing_reads_are_none_of_the_model_that_comes_back():
    model = onnx.parser.parse_model("""
        <ir_version: 8, opset_import: ["" : 18]>
        agraph (float[2, 4] x) => (float[2, 2] y)
            <int64[1] k = {2}> { y, unread = TopK(x, k) }
    """)

    again = dml.load_onnx(model).to_onnx()

    assert [o.name for o in again.graph.output] == ["y"]
