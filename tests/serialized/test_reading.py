"""Serialized graphs as others write them: Microsoft's example, files by Google's flatbuffers."""

import tracemalloc

import numpy as np
import pytest

import indirectml as dml
from indirectml.catalogue import operator_names
from indirectml.descriptors.fields import ScaleBias
from tests.bits import assert_bits_equal
from tests.parameters import in_one_test
from tests.serialized.graphs import (
    EXAMPLE,
    F32,
    SIZES,
    TENSOR,
    example,
    needs_example,
    one_node,
    operator_node,
    written,
)


def read(tmp_path, *graph, weights=None):
    return dml.read_serialized_graph(written(tmp_path, graph, weights))


@needs_example
def test_the_example_of_microsoft_gives_what_its_readme_says():
    graph = dml.read_serialized_graph(EXAMPLE)
    (outputs,) = graph.compile(dml.Device())({"model_input": np.full((1, 1, 1, 5), 1.5, F32)})

    assert_bits_equal(actual=outputs, expected=np.full((1, 1, 1, 5), 12.25, F32))
    assert repr(graph) == "SerializedGraph(3 nodes, inputs model_input, outputs model_output)"
    assert [node.name for node in graph.nodes] == [
        "matmul_b_tensor", "add_b_tensor", "model_output_dmlEp_0"
    ]  # fmt: skip


@needs_example
def test_the_example_of_microsoft_has_the_descriptor_that_was_compiled_there():
    (node,) = dml.read_serialized_graph(EXAMPLE).operators
    small, large = dml.TensorDesc(F32, [1, 1, 1, 5]), dml.TensorDesc(F32, [1, 1, 5, 5])

    assert node.desc == dml.GemmOperatorDesc(small, large, small, c_tensor=small)


def test_constants_of_both_kinds_have_their_bytes(tmp_path):
    (graph, weights) = example()
    found = read(tmp_path, *graph, weights=weights)

    assert {name: bytes(data) for name, data in found.constants.items()} == {
        "half value": np.full(6, 0.5, F32).tobytes(),
        "weights value": np.arange(6, dtype=F32).tobytes(),
    }


def test_a_graph_with_constants_of_both_kinds_runs(tmp_path):
    (graph, weights) = example()
    compiled = read(tmp_path, *graph, weights=weights).compile(dml.Device())
    x = np.arange(10, 16, dtype=F32).reshape(SIZES)

    (y,) = compiled({"x": x})

    expected = (x + F32(0.5)) * np.arange(6, dtype=F32).reshape(SIZES)
    assert_bits_equal(actual=y, expected=expected)


def test_constants_are_views_of_mapped_files(tmp_path):
    (graph, weights) = example()
    found = read(tmp_path, *graph, weights=weights)

    assert all(isinstance(data, memoryview) for data in found.constants.values())
    assert all(data.readonly for data in found.constants.values())


def test_a_compiled_graph_uses_constants_where_they_are_mapped(tmp_path):
    weights = np.arange(1 << 20, dtype=F32)
    tensor = ("FLOAT32", [weights.size], None, weights.nbytes)
    nodes = [
        ("constant", ("name", "w"), "", [], ["w"]),
        ("operator", ("ELEMENT_WISE_ADD", [tensor, tensor], [tensor], []), "", ["x", "w"], ["y"]),
    ]
    graph = read(tmp_path, nodes, ["x"], ["y"], weights={"w.bin": weights.tobytes()})
    tracemalloc.start()

    compiled = graph.compile(dml.Device())

    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < weights.nbytes // 4
    assert_bits_equal(actual=compiled({"x": weights})[0], expected=weights * 2)


@pytest.mark.parametrize("count", [1, 2, 3, 4, 5])
def test_constants_of_any_number_of_bytes_are_filled_up_with_zeros(count, tmp_path):
    tensor = ("UINT8", [count], None, -(-count // 4) * 4)
    raw = bytes(range(1, count + 1))
    nodes = [
        ("constant", ("name", "w"), "", [], ["w"]),
        ("constant", ("raw", raw), "", [], ["r"]),
        ("operator", ("ELEMENT_WISE_ADD", [tensor, tensor], [tensor], []), "", ["w", "r"], ["y"]),
    ]
    graph = read(tmp_path, nodes, [], ["y"], weights={"w.bin": raw})

    (y,) = graph.compile(dml.Device())()

    assert y.tolist() == [2 * k for k in range(1, count + 1)]


def test_a_constant_of_another_size_than_its_tensor_is_refused_by_compile(tmp_path):
    graph, _ = example()
    found = read(tmp_path, *graph, weights={"dense_weights.bin": bytes(28)})

    with pytest.raises(dml.DescriptorError) as caught:
        found.compile(dml.Device())

    assert str(caught.value) == (
        "nodes[3] ('multiply'): needs a constant of 24 bytes, got 28 of 'weights'"
    )


def test_a_constant_that_no_node_reads_is_left_out(tmp_path):
    add = ("ELEMENT_WISE_ADD", [TENSOR, TENSOR], [TENSOR], [])
    nodes = [
        ("constant", ("raw", b"1234"), "", [], ["unused"]),
        ("operator", add, "", ["x", "x"], ["y"]),
    ]
    compiled = read(tmp_path, nodes, ["x"], ["y"]).compile(dml.Device())

    assert_bits_equal(actual=compiled({"x": np.ones(SIZES)})[0], expected=np.full(SIZES, 2, F32))


def test_a_constant_is_no_output_of_a_graph(tmp_path):
    nodes = [("constant", ("raw", b"1234"), "", [], ["y"])]

    with pytest.raises(dml.DescriptorError) as caught:
        read(tmp_path, nodes, [], ["y"]).compile(dml.Device())

    assert str(caught.value) == (
        "GRAPH: a constant is not wired straight to an output, got 'y'; put ELEMENT_WISE_IDENTITY "
        "between them"
    )


#: One attribute of each member of the union: how it is written, and what is read.
KINDS = {
    "Activation": (
        ("GEMM", 2, [("TransA", "UInt32", 0), ("TransB", "UInt32", 1), ("Alpha", "Float32", 0.5),
                     ("Beta", "Float32", 0.0),
                     ("FusedActivation", "Activation",
                      ("ACTIVATION_LEAKY_RELU", [("Alpha", "Float32", 0.25)]))]),
        "fused_activation", dml.FusedActivation.leaky_relu(0.25),
    ),
    "UInt32": (("GEMM", 2, [("TransA", "UInt32", 0), ("TransB", "UInt32", 1),
                            ("Alpha", "Float32", 0.5), ("Beta", "Float32", 0.0)]),
               "trans_b", dml.MatrixTransform.TRANSPOSE),
    "UInt64": (("JOIN", 1, [("InputCount", "UInt64", 1), ("Axis", "UInt64", 3)]), "axis", 3),
    "Int32": (("DIAGONAL_MATRIX", 0, [("Offset", "Int32", -7), ("Value", "Float32", 1.0)]),
              "offset", -7),
    "Float32": (("ACTIVATION_LINEAR", 1, [("Alpha", "Float32", -0.1), ("Beta", "Float32", 0.0)]),
                "alpha", float(F32(-0.1))),
    "UIntArray": (("REDUCE", 1, [("Function", "UInt32", 10), ("AxisCount", "UInt32", 2),
                                 ("Axes", "UIntArray", [2, 3])]), "axes", (2, 3)),
    "IntArray": (("SLICE1", 1, [("DimensionCount", "UInt32", 4),
                                ("InputWindowOffsets", "UIntArray", [0, 0, 0, 0]),
                                ("InputWindowSizes", "UIntArray", [1, 1, 2, 3]),
                                ("InputWindowStrides", "IntArray", [1, 1, -1, -2])]),
                 "input_window_strides", (1, 1, -1, -2)),
    "FloatArray": (("RESAMPLE", 1, [("InterpolationMode", "UInt32", 0), ("ScaleCount", "UInt32", 4),
                                    ("Scales", "FloatArray", [1.0, 1.0, 0.1, 2.0])]),
                   "scales", (1.0, 1.0, float(F32(0.1)), 2.0)),
    "ScaleBias": (("ELEMENT_WISE_IDENTITY", 1, [("ScaleBias", "ScaleBias", (2.0, -1.0))]),
                  "scale_bias", ScaleBias(2.0, -1.0)),
    "Size2D": (("UPSAMPLE_2D", 1, [("ScaleSize", "Size2D", (2, 3)),
                                   ("InterpolationMode", "UInt32", 0)]), "scale_size", (2, 3)),
    "ScalarUnionData": (
        ("FILL_VALUE_CONSTANT", 0, [("ValueDataType", "UInt32", 1),
                                    ("Value", "ScalarUnionData", ("ByteArray", (b"12345678",)))]),
        "value", dml.ScalarUnion(b"12345678"),
    ),
    "Bool": (("ONE_HOT", 2, [("Axis", "Bool", 1)]), "axis", 1),
    "ActivationArray": (
        ("RNN", 6, [("ActivationDescCount", "UInt32", 1),
                    ("ActivationDescs", "ActivationArray", [("ACTIVATION_TANH", [])]),
                    ("Direction", "UInt32", 0)]),
        "activation_descs", (dml.FusedActivation.tanh(),),
    ),
}  # fmt: skip


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_of_attribute_is_read(kind, tmp_path):
    (type_, count, attributes), name, expected = KINDS[kind]
    inputs = [f"x{k}" for k in range(count)]
    node = ("operator", (type_, [TENSOR] * count, [TENSOR], attributes), "", inputs, ["y"])

    (found,) = read(tmp_path, [node], inputs, ["y"]).operators

    assert found.attributes[name] == expected
    assert type(found.attributes[name]) is type(expected)


@pytest.mark.parametrize(
    ("member", "value", "raw"),
    [
        ("Int8", (-2,), "fe00000000000000"),
        ("UInt8", (254,), "fe00000000000000"),
        ("Int16", (-2,), "feff000000000000"),
        ("UInt16", (0x3C00,), "003c000000000000"),
        ("Int32", (-2,), "feffffff00000000"),
        ("UInt32", (2**32 - 2,), "feffffff00000000"),
        ("Int64", (-2,), "feffffffffffffff"),
        ("UInt64", (2**64 - 2,), "feffffffffffffff"),
        ("Float32", (1.5,), "0000c03f00000000"),
        ("Float64", (1.5,), "000000000000f83f"),
        ("ByteArray", (b"\x01\x02\x03\x04\x05\x06\x07\x08",), "0102030405060708"),
    ],
)
def test_a_scalar_union_may_be_written_as_any_of_its_members(member, value, raw, tmp_path):
    attributes = [
        ("ValueDataType", "UInt32", 1), ("Value", "ScalarUnionData", (member, value))
    ]  # fmt: skip

    graph = one_node("FILL_VALUE_CONSTANT", [], [TENSOR], attributes)
    (node,) = read(tmp_path, *graph).operators

    assert node.attributes["value"].raw.hex() == raw


@in_one_test(name=operator_names())
@pytest.mark.parametrize("leaves_out", [False, True], ids=["all", "required"])
def test_every_operator_of_the_catalogue_is_read_written_yet_or_not(name, leaves_out, tmp_path):
    graph = operator_node(name, leaves_out=leaves_out)
    found = read(tmp_path, *graph)
    (node,) = found.operators

    assert node.operator_name == name
    assert node.name == f"a {name}"
    assert list(found.inputs) == graph[1]
    assert list(found.outputs) == graph[2]
    assert len(node.inputs) == len(node.input_names)
    for names, tensors in (
        (node.input_names, node.inputs), (node.output_names, node.outputs)
    ):  # fmt: skip
        tensor = dml.TensorDesc(F32, SIZES)
        assert list(tensors) == [tensor if each else None for each in names]


def test_strides_and_total_sizes_are_read(tmp_path):
    strided = ("FLOAT16", [2, 3], [8, 2], 40)
    graph = one_node(
        "ELEMENT_WISE_IDENTITY", [strided], [("FLOAT16", [2, 3], None, 12)],
        [(None, "ScaleBias", None)],
    )  # fmt: skip
    (node,) = read(tmp_path, *graph).operators

    assert node.inputs == (
        dml.TensorDesc(np.float16, [2, 3], strides=[8, 2], total_tensor_size_in_bytes=40),
    )


def test_counts_and_trailing_names_may_be_left_out(tmp_path):
    attributes = [("Function", "UInt32", 10), ("Axes", "UIntArray", [2, 3])]
    reduce_node = (
        "operator", ("REDUCE", [TENSOR], [("FLOAT32", [1, 1, 1, 1], None, 4)], attributes),
        "", ["x"], ["y"],
    )  # fmt: skip
    gemm_node = (
        "operator", ("GEMM", [TENSOR, TENSOR], [TENSOR], operator_node("GEMM")[0][0][1][3]),
        "", ["x", "y"], ["z"],
    )  # fmt: skip

    (node,) = read(tmp_path, [reduce_node], ["x"], ["y"]).operators
    (gemm,) = read(tmp_path, [gemm_node], ["x", "y"], ["z"]).operators

    assert node.desc.axes == (2, 3)
    assert gemm.input_names == ("x", "y", "")
    assert gemm.desc.c_tensor is None


def test_a_value_may_be_an_output_of_the_graph_and_be_read_by_a_node(tmp_path):
    # As ONNX Runtime writes it.
    add = ("ELEMENT_WISE_ADD", [TENSOR, TENSOR], [TENSOR], [])
    nodes = [
        ("operator", add, "", ["x", "x"], ["y"]),
        ("operator", add, "", ["y", "y"], ["z"]),
    ]
    compiled = read(tmp_path, nodes, ["x"], ["y", "z"]).compile(dml.Device())
    x = np.arange(6, dtype=F32).reshape(SIZES)

    y, z = compiled({"x": x})

    assert_bits_equal(actual=y, expected=x + x)
    assert_bits_equal(actual=z, expected=x * 4)


def test_an_input_without_a_name_is_read_by_no_node(tmp_path):
    add = ("ELEMENT_WISE_ADD", [TENSOR, TENSOR], [TENSOR], [])
    node = ("operator", add, "", ["x", "x"], ["y"])
    graph = read(tmp_path, [node], ["", "x", ""], ["y"])
    x = np.ones(SIZES, F32)

    assert graph.input_names == ("", "x", "")
    assert list(graph.inputs) == ["x"]
    assert_bits_equal(actual=graph.compile(dml.Device())({"x": x})[0], expected=x + x)


def test_a_device_says_which_node_it_refuses(tmp_path):
    wrong = ("FLOAT32", [1, 1, 3, 2], None, 24)
    graph = one_node("ELEMENT_WISE_ADD", [TENSOR, wrong], [TENSOR], [])
    found = read(tmp_path, *graph)

    with pytest.raises(dml.DescriptorError) as caught:
        found.compile(dml.Device())

    assert str(caught.value).startswith("nodes[0] ('node').ELEMENT_WISE_ADD.b_tensor.sizes: needs")
