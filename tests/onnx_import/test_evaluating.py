"""Few known elements: definitions that are called give what compiled graphs give."""

import numpy as np
import onnx
import pytest
from onnx import helper, numpy_helper

import indirectml as dml
from indirectml.catalogue import operator_names
from indirectml.graphs.expressions import broadcast, reinterpret
from indirectml.onnx_import import folding
from indirectml.onnx_import.budget import Budget, LoadingGraph
from indirectml.onnx_import.evaluating import evaluated
from indirectml.operators import functions
from tests.extent import Extent
from tests.onnx_export.cases import cases_of, with_corners
from tests.onnx_export.running import computed

#: Operators that a definition does not say alone.
LEFT = ("FILL_VALUE_SEQUENCE", "MULTIHEAD_ATTENTION1")

#: Cases of each operator.
SOME = 40 if Extent.whole else 3

_SPECIAL = [0.0, -0.0, np.inf, -np.inf, np.nan, 1e-40, 65520.0, 3.4e38]


def _floats(rng, sizes, dtype=np.float32):
    found = rng.standard_normal(sizes).astype(dtype)
    with np.errstate(over="ignore"):
        found.reshape(-1)[: len(_SPECIAL)] = np.array(_SPECIAL).astype(dtype)
    # A NaN that is not the one that operators write.
    found.reshape(-1)[-1:].view(f"u{found.itemsize}")[:] |= np.iinfo(f"u{found.itemsize}").max
    return found


def _integers(rng, sizes, dtype):
    limits = np.iinfo(dtype)
    return rng.integers(limits.min, limits.max, sizes, dtype, endpoint=True)


def _dequantized(graph, rng):
    x = graph.constant(_integers(rng, [3, 16], np.int32))
    scale, zero = graph.constant(_floats(rng, [1, 16])), graph.constant(np.array([[7]], np.int32))
    return [functions.dequantize_linear(x, broadcast(scale, [3, 16]), broadcast(zero, [3, 16]))]


def _turned(graph, rng):
    x = graph.constant(_floats(rng, [4, 6]))
    turned = reinterpret(x, [6, 4], [1, 6])
    return [functions.add(turned, turned), turned, functions.identity(turned)]


def _halves(graph, rng):
    x = graph.constant(_floats(rng, [4, 8], np.float16))
    return [functions.multiply(x, x), functions.identity(x), functions.activation_softmax(x)]


def _several(graph, rng):
    x = graph.constant(_floats(rng, [5, 9]))
    values, places = functions.top_k(x, axis=1, k=3)
    return [places, values, functions.identity(values, scale_bias=(2.0, 0.5))]


def _bytes(graph, rng):
    x, y = (graph.constant(_integers(rng, [5, 9], np.int8)) for _ in range(2))
    return [functions.subtract(x, y), functions.cast(x, dtype=np.float16), functions.equals(x, y)]


def _products(graph, rng):
    a, b = graph.constant(_floats(rng, [7, 300])), graph.constant(_floats(rng, [300, 5]))
    a, b = (functions.clip(each, min=-2.0, max=2.0) for each in (a, b))
    a, b = (reinterpret(each, [1, 1, *each.shape]) for each in (a, b))
    return [functions.gemm(a, b), functions.reduce(a, function=dml.ReduceFunction.SUM, axes=[3])]


@pytest.mark.parametrize("make", [_dequantized, _turned, _halves, _several, _bytes, _products])
def test_called_definitions_give_what_compiled_graphs_give(make):
    graph = LoadingGraph(dml.Device(), Budget(1 << 30))
    asked = make(graph, np.random.default_rng(11))
    outputs = [folding.as_output(x) for x in asked]
    expected = graph.compile([*outputs, *graph.unread(outputs)])()
    found = evaluated(graph.added, asked)
    for one, other in zip(found, expected, strict=False):
        assert one.dtype == other.dtype
        assert one.shape == other.shape
        assert one.tobytes() == other.tobytes()


@pytest.mark.parametrize("name", sorted(operator_names()))
def test_every_operator_gives_what_its_plan_gives(name):
    for case in cases_of(name, SOME):
        for each in (case, with_corners(case)):
            graph = LoadingGraph(dml.Device(), Budget(1 << 30))
            inputs = [None if array is None else graph.constant(array) for array in each.arrays]
            made = graph.add_node(each.desc, *inputs)
            found = evaluated(graph.added, [x for x in made if x is not None])
            if found is None:
                assert name in LEFT or "INT4" in str(each.desc), each.label
                continue
            assert name not in LEFT
            for one, other in zip(found, computed(each), strict=True):
                assert (one.dtype, one.shape) == (other.dtype, other.shape), each.label
                assert one.tobytes() == other.tobytes(), each.label


def test_what_a_definition_does_not_say_alone_is_compiled():
    graph = LoadingGraph(dml.Device(), Budget(1 << 30))
    ramp = functions.fill_value_sequence(graph, sizes=[3], value_start=1, value_delta=2)
    assert evaluated(graph.added, [ramp]) is None


def test_a_known_bias_becomes_a_constant_without_a_graph_of_its_own(monkeypatch):
    compiled = []
    compile_graph = dml.Device.compile_graph

    def counted(device, desc, *arguments, **named):
        compiled.append(len(desc.nodes))
        return compile_graph(device, desc, *arguments, **named)

    monkeypatch.setattr(dml.Device, "compile_graph", counted)
    rng = np.random.default_rng(5)
    bias, scale = _integers(rng, [6], np.int32), np.float32(0.01)
    info = [helper.make_tensor_value_info(name, onnx.TensorProto.FLOAT, [6]) for name in "xy"]
    nodes = [
        helper.make_node("DequantizeLinear", ["b", "s"], ["d"]),
        helper.make_node("Add", ["x", "d"], ["y"]),
    ]
    known = [numpy_helper.from_array(bias, "b"), numpy_helper.from_array(scale, "s")]
    graph = helper.make_graph(nodes, "g", info[:1], info[1:], known)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)])
    loaded = dml.load_onnx(model)
    assert compiled == [1]
    (y,) = loaded({"x": np.zeros(6, np.float32)})
    np.testing.assert_array_equal(y, bias.astype(np.float32) * scale)
