"""What is written is read back equal, here and as Microsoft's reader goes, by flatbuffers."""

import numpy as np
import pytest

import indirectml as dml
from indirectml.catalogue import operator_names
from indirectml.serialized.writing import LARGEST_INLINE_BYTES
from tests.bits import assert_bits_equal
from tests.parameters import in_one_test
from tests.serialized.files import graph_of
from tests.serialized.graphs import (
    EXAMPLE,
    F32,
    SIZES,
    example,
    needs_example,
    operator_node,
    written,
)


def again(graph, path):
    """Write a graph and read it back."""
    graph.serialize(path)
    return dml.read_serialized_graph(path)


@in_one_test(name=operator_names())
@pytest.mark.parametrize("leaves_out", [False, True], ids=["all", "required"])
def test_every_operator_is_written_as_it_was_read(name, leaves_out, tmp_path):
    graph = operator_node(name, leaves_out=leaves_out)
    found = dml.read_serialized_graph(written(tmp_path, graph))

    assert again(found, tmp_path / "again.bin") == found
    # Every attribute at its place, counts included: Microsoft's reader goes by position.
    (node,), inputs, outputs = graph_of((tmp_path / "again.bin").read_bytes())
    ((_, (_, *tensors, attributes), *names),) = graph[0]
    assert (inputs, outputs) == tuple(graph[1:])
    assert node == ("operator", (name, *tensors, attributes), *names)


@needs_example
def test_the_example_of_microsoft_is_written_as_it_was(tmp_path):
    graph = dml.read_serialized_graph(EXAMPLE)

    assert again(graph, tmp_path / "Partition_0.bin") == graph
    assert graph_of((tmp_path / "Partition_0.bin").read_bytes()) == graph_of(EXAMPLE.read_bytes())
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == {
        **{p.name: p.read_bytes() for p in EXAMPLE.parent.glob("*_b_tensor.bin")},
        "Partition_0.bin": (tmp_path / "Partition_0.bin").read_bytes(),
    }


def test_a_graph_may_replace_the_files_that_it_was_read_from(tmp_path):
    graph, weights = example()
    path = written(tmp_path, graph, weights)
    found = dml.read_serialized_graph(path)
    before = {name: bytes(data) for name, data in found.constants.items()}

    after = again(found, path).constants

    assert {name: bytes(data) for name, data in after.items()} == before
    assert names_in(tmp_path) == ["dense_weights.bin", "graph.bin"]


def test_the_same_graph_gives_the_same_bytes(tmp_path):
    graph, weights = example()
    found = dml.read_serialized_graph(written(tmp_path, graph, weights))

    found.serialize(tmp_path / "a.bin")
    again(found, tmp_path / "b.bin").serialize(tmp_path / "c.bin")

    assert (tmp_path / "a.bin").read_bytes() == (tmp_path / "c.bin").read_bytes()


def names_in(folder):
    return sorted(path.name for path in folder.iterdir())


# ---- Graphs of the package -----------------------------------------------------------------------


def _of_package():
    """Return outputs of a graph that has inputs, constants of two sizes, and views."""
    graph = dml.Graph(dml.Device())
    x = graph.input([2, 3], name="x")
    small = graph.constant(np.arange(6, dtype=F32).reshape(2, 3), name="small")
    large = graph.constant(np.arange(2 * 3 * 1024, dtype=F32).reshape(2, 3, 1024))
    total = dml.reduce(large, function=dml.ReduceFunction.SUM, axes=[2])
    y = (x + small) * 0.5
    return [y, dml.join([y, dml.reinterpret(total, [2, 3], [3, 1])], axis=0), y]


def test_a_graph_of_the_package_moves_through_a_file(tmp_path):
    outputs = _of_package()
    x = np.linspace(-1, 1, 6, dtype=F32).reshape(2, 3)
    expected = outputs[0].graph.compile(outputs)({"x": x})

    serialized = dml.SerializedGraph.of_outputs(outputs, output_names=["y", "joined", "y again"])
    found = again(serialized, tmp_path / "graph.bin")

    assert found == serialized
    assert repr(found) == "SerializedGraph(9 nodes, inputs x, outputs y, joined, y again)"
    for actual, right in zip(found.compile(dml.Device())({"x": x}), expected, strict=True):
        assert_bits_equal(actual=actual, expected=right)


def test_large_constants_lie_in_files_of_their_own(tmp_path):
    outputs = _of_package()

    outputs[0].graph.serialize(tmp_path / "graph.bin", outputs)

    assert names_in(tmp_path) == ["graph-constant-1.bin", "graph.bin"]
    large = np.fromfile(tmp_path / "graph-constant-1.bin", F32)
    assert_bits_equal(actual=large, expected=np.arange(2 * 3 * 1024, dtype=F32))
    assert large.nbytes > LARGEST_INLINE_BYTES


def test_owned_inputs_become_constants_once_their_data_is_given(tmp_path):
    graph = dml.Graph(dml.Device())
    x = graph.input([3], name="x")
    weight = graph.input([3], name="weight", owned=True)
    total = x + weight

    with pytest.raises(dml.DescriptorError) as caught:
        graph.serialize(tmp_path / "graph.bin", [total])
    assert str(caught.value) == (
        "nodes[0] (ELEMENT_WISE_ADD).b_tensor: an input that is owned by DirectML is written as a "
        "constant, and needs its data, got none for 'weight'; give it in weights={...}"
    )
    assert not list(tmp_path.iterdir())

    graph.serialize(tmp_path / "graph.bin", [total], weights={"weight": np.arange(3, dtype=F32)})
    compiled = dml.read_serialized_graph(tmp_path / "graph.bin").compile(dml.Device())
    assert_bits_equal(
        actual=compiled({"x": np.ones(3)})[0], expected=np.array([1, 2, 3], F32)
    )  # fmt: skip


# ---- Graphs of the object model ------------------------------------------------------------------


def _of_object_model():
    """Return a graph whose nodes are not in order, and have edges that reinterpret."""
    device = dml.Device()
    flat, wide = dml.TensorDesc(F32, [6]), dml.TensorDesc(F32, [2, 3])
    add = device.create_operator(dml.ElementWiseAddOperatorDesc(wide, wide, wide))
    fill = device.create_operator(dml.FillValueSequenceOperatorDesc(flat, F32, 1, 0.5))
    constant = dml.ConstantNode(np.full(6, 2, F32))
    twice = device.create_operator(dml.ElementWiseMultiplyOperatorDesc(wide, wide, wide))
    return dml.GraphDesc(
        1,
        2,
        [twice, add, fill, constant],
        [dml.OutputEdge(0, 0, 0), dml.OutputEdge(1, 0, 1)],
        [dml.InputEdge(0, 1, 0)],
        [
            dml.IntermediateEdge(2, 0, 1, 1),
            dml.IntermediateEdge(1, 0, 0, 0),
            dml.IntermediateEdge(3, 0, 0, 1),
        ],
    )


def test_a_graph_of_the_object_model_moves_through_a_file(tmp_path):
    _of_object_model().serialize(tmp_path / "graph.bin", input_names=["x"])
    found = dml.read_serialized_graph(tmp_path / "graph.bin")
    x = np.arange(6, dtype=F32).reshape(2, 3)

    doubled, total = found.compile(dml.Device())({"x": x})

    expected = x + np.arange(1, 4, 0.5, dtype=F32).reshape(2, 3)
    assert_bits_equal(actual=total, expected=expected)
    assert_bits_equal(actual=doubled, expected=expected * 2)
    assert found.input_names == ("x",)
    assert found.output_names == ("output_0", "output_1")


def test_no_name_is_an_output_of_the_graph_and_is_read_by_a_node_too():
    found = dml.SerializedGraph.of_desc(_of_object_model())

    read = {name for node in found.operators for name in node.input_names}
    assert not read & set(found.output_names)
    assert [n.operator_name for n in found.operators].count("ELEMENT_WISE_IDENTITY") == 1


@pytest.mark.parametrize(
    ("names", "text"),
    [
        (
            {"input_names": ["a", "b"]},
            "input_names: needs one name per input of the graph, 1, got 2",
        ),
        ({"output_names": ["a"]}, "output_names: needs one name per output of the graph, 2, got 1"),
        ({"input_names": [""]}, "input_names[0]: needs a name without zero bytes, got ''"),
        ({"input_names": ["a\0"]}, "input_names[0]: needs a name without zero bytes, got 'a\\x00'"),
        ({"input_names": [3]}, "input_names[0]: needs a name without zero bytes, got 3"),
        (
            {"output_names": ["a", "input_0"]},
            (
                "GRAPH: inputs and outputs need names of their own, none that begins with "
                "nodeIdx:, got 'input_0'"
            ),
        ),
        ({"weights": {"w": b""}}, "weights: needs names of inputs of the graph, got 'w'"),
    ],
)
def test_names_that_do_not_fit_are_refused(names, text, tmp_path):
    with pytest.raises(dml.DescriptorError) as caught:
        _of_object_model().serialize(tmp_path / "graph.bin", **names)

    assert str(caught.value) == text
    assert not list(tmp_path.iterdir())


def test_a_cycle_is_refused(tmp_path):
    device = dml.Device()
    tensor = dml.TensorDesc(F32, [2])
    copy = [device.create_operator(dml.ElementWiseIdentityOperatorDesc(tensor, tensor))] * 2
    edges = [dml.IntermediateEdge(0, 0, 1, 0), dml.IntermediateEdge(1, 0, 0, 0)]

    with pytest.raises(dml.DescriptorError, match="a graph has no cycles"):
        dml.GraphDesc(0, 1, copy, [dml.OutputEdge(1, 0, 0)], [], edges).serialize(tmp_path / "g")


def test_an_input_that_is_not_connected_is_refused(tmp_path):
    tensor = dml.TensorDesc(F32, SIZES)
    add = dml.Device().create_operator(dml.ElementWiseAddOperatorDesc(tensor, tensor, tensor))
    desc = dml.GraphDesc(1, 1, [add], [dml.OutputEdge(0, 0, 0)], [dml.InputEdge(0, 0, 0)])

    with pytest.raises(dml.DescriptorError) as caught:
        desc.serialize(tmp_path / "graph.bin")

    assert str(caught.value) == (
        "nodes[0] (ELEMENT_WISE_ADD).b_tensor: needs one edge per input that it has"
    )


def test_files_of_one_name_are_refused_before_anything_is_written(tmp_path):
    graph, weights = example()
    found = dml.read_serialized_graph(written(tmp_path, graph, weights))
    (tmp_path / "other").mkdir()

    with pytest.raises(dml.DescriptorError) as caught:
        found.serialize(tmp_path / "other" / "dense_weights.bin")

    assert str(caught.value) == (
        "nodes[1]: needs constants and the graph in files of different names, got "
        "'dense_weights.bin'; write the graph under another name"
    )
    assert not list((tmp_path / "other").iterdir())
