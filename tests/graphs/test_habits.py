"""What people write with graphs, right and nearly right: what is accepted, and what is said."""

from __future__ import annotations

import pickle

import numpy as np
import pytest

import indirectml as dml

F32 = np.float32
INT4_TENSOR = dml.TensorDesc(dml.TensorDataType.INT4, [8])
ONES = np.ones(2, F32)


@pytest.fixture
def graph():
    return dml.Graph(dml.Device())


# ---- accepted ----


def test_the_policy_is_for_what_operators_write_and_not_for_inputs():
    graph = dml.Graph(dml.Device(), tensor_policy=dml.TensorPolicy.interleaved_channel)
    array = np.arange(12, dtype=F32).reshape(1, 3, 2, 2)
    x = graph.input([1, 3, 2, 2], name="x")
    w = graph.input([1, 3, 2, 2], owned=True, name="w")
    c = graph.constant(array)
    compiled = graph.compile([dml.identity(x), x - c, w - c])
    compiled.initialize({"w": array})

    same, first, second = compiled({"x": array})

    assert x.strides is w.strides is None
    np.testing.assert_array_equal(same, array, strict=True)
    assert not first.any()
    assert not second.any()


def test_inputs_that_nothing_uses_may_be_bound_or_not(graph):
    x, unused = graph.input([2], name="x"), graph.input([3], name="unused")
    weight = graph.input([3], owned=True, name="weight")
    compiled = graph.compile([x + x])
    later = graph.input([4], name="later")

    expected = [[2, 2]]
    assert [r.tolist() for r in compiled({x: ONES})] == expected
    for extra in [{unused: np.zeros(3)}, {"unused": np.zeros(3)}, {later: np.zeros(4)}]:
        assert [r.tolist() for r in compiled({x: ONES, **extra})] == expected
    compiled.initialize({weight: np.zeros(3)})
    assert [r.tolist() for r in compiled({x: ONES})] == expected


def test_a_file_takes_data_for_an_input_that_nothing_reads_too(graph, tmp_path):
    x, _ = graph.input([2], name="x"), graph.input([3], name="unused")
    graph.serialize(tmp_path / "graph.bin", [x + x])

    found = dml.read_serialized_graph(tmp_path / "graph.bin").compile(dml.Device())

    assert found({"x": ONES, "unused": np.zeros(3)})[0].tolist() == [2, 2]
    with pytest.raises(dml.BindingError, match="there is no input named 'other'"):
        found({"x": ONES, "other": ONES})


def test_the_repr_of_a_compiled_graph_counts_what_a_user_binds(graph):
    x, weight = graph.input([2]), graph.input([2], owned=True)

    compiled = graph.compile([x * weight + graph.constant(ONES)])

    assert repr(compiled) == "CompiledGraph(2 inputs, 1 outputs)"


def test_a_buffer_shares_its_memory_with_other_libraries():
    buffer = dml.Buffer(dml.Device(), np.arange(6, dtype=np.float16).reshape(2, 3))

    array, imported = np.asarray(buffer), np.from_dlpack(buffer)

    array[0, 0] = 7
    assert imported[0, 0] == buffer.numpy()[0, 0] == 7
    assert np.array(buffer, np.float32).dtype == np.float32
    assert not np.shares_memory(np.array(buffer), array)
    with pytest.raises(BufferError, match="DLPack has no arrays of INT4"):
        np.from_dlpack(dml.Buffer.of(buffer.device, INT4_TENSOR, np.zeros(4, np.uint8)))


def test_a_sequence_is_no_array():
    with pytest.raises(dml.DataTypeError, match=r"write s\[:count\]"):
        np.asarray(dml.Sequence(0, 1))


def test_transpose_is_that_of_numpy(graph):
    array = np.arange(24, dtype=np.float32).reshape(2, 3, 4)
    x = graph.constant(array)

    views = [dml.transpose(x), dml.transpose(x, [1, 2, 0]), dml.transpose(dml.transpose(x))]
    actual = graph.compile([dml.identity(view) for view in views])()

    expected = [array.T, array.transpose(1, 2, 0), array]
    for found, wanted in zip(actual, expected, strict=True):
        np.testing.assert_array_equal(found, wanted, strict=True)
    for wrong in ([0, 1], [0, 1, 1], [-1, 0, 1]):
        with pytest.raises(dml.DescriptorError, match=r"needs each axis from 0 to 2 once"):
            dml.transpose(x, wrong)


def test_what_has_the_shape_is_broadcast_to_itself(graph):
    x = graph.input([2, 3], strides=[4, 1])

    assert dml.broadcast(x, x.shape) is x
    assert dml.broadcast(x, [2, 3]) is x
    assert dml.broadcast(x, [1, 2, 3]) is not x


def test_a_number_may_be_an_array_without_dimensions(graph):
    x = graph.input([2])

    assert graph.compile([x * np.array(3.0)])({x: ONES})[0].tolist() == [3, 3]


def test_inputs_without_a_name_get_one_that_is_free(graph):
    graph.input([2], name="input_1")
    first, second = graph.input([2]), graph.input([2])

    assert graph.compile([first - second])({first: 3 * ONES, second: ONES})[0].tolist() == [2, 2]


def test_compiled_graphs_and_operators_can_be_pickled(graph):
    x = graph.input([2], name="x")
    ramp = dml.fill_value_sequence(graph, sizes=[2], value_start=0.1, value_delta=0.1)
    compiled = graph.compile([x * ramp + graph.constant(ONES)])
    alone = graph.device.compile_operator(
        graph.device.create_operator(
            dml.FillValueSequenceOperatorDesc(dml.TensorDesc(F32, [2]), F32, 0.1, 0.1)
        )
    )
    expected = [compiled({"x": ONES})[0].tobytes(), alone()[0].tobytes()]
    alone(out=[np.zeros(2, F32)])

    other_graph, other = pickle.loads(pickle.dumps((compiled, alone)))  # noqa: S301 (our own)

    assert [other_graph({"x": ONES})[0].tobytes(), other()[0].tobytes()] == expected
    assert other_graph.device is other.device
    assert (other_graph.plan, other.plan) == (compiled.plan, alone.plan)


# ---- refused ----


def _doubled(graph):
    x = graph.input([2], name="x")
    return graph.compile([x + x])


def _two_missing(graph):
    a, b = graph.input([2], name="a"), graph.input([2], np.int32, name="b")
    graph.compile([a + dml.cast(b, dtype=F32)])({})


def _many_missing(graph):
    total = graph.input([2])
    for _ in range(30):
        total = total + graph.input([2])
    graph.compile([total])()


def _weights_missing(graph):
    a, b = graph.input([2], owned=True, name="a"), graph.input([2], owned=True, name="b")
    graph.compile([a + b]).initialize({"a": ONES})


MISTAKES = {
    "everything that is missing": (
        _two_missing,
        dml.BindingError,
        "GRAPH.dispatch: missing input 0 'a' (FLOAT32 [2]), input 1 'b' (INT32 [2])",
    ),
    "very much that is missing": (
        _many_missing,
        dml.BindingError,
        (
            "GRAPH.dispatch: missing "
            + ", ".join(f"input {k} (FLOAT32 [2])" for k in range(20))
            + " and 11 more"
        ),
    ),
    "missing weights": (
        _weights_missing,
        dml.BindingError,
        "GRAPH.initialize: missing input 1 'b' (FLOAT32 [2])",
    ),
    "no device": (
        lambda _: dml.Graph(None),
        dml.DataTypeError,
        "Graph.device: needs a device, got None (NoneType); write Graph(Device())",
    ),
    "an expression instead of a list": (
        lambda g: g.compile(g.input([2]) + 1.0),
        dml.DataTypeError,
        "GRAPH.outputs: needs a list of expressions, got <FLOAT32 [2]>; write compile([x])",
    ),
    "nothing instead of a list": (
        lambda g: g.compile(None),
        dml.DataTypeError,
        "GRAPH.outputs: needs a list of expressions, got None; write compile([x])",
    ),
    "an array in an expression": (
        lambda g: g.input([2]) + ONES,
        dml.DataTypeError,
        (
            "add: needs expressions of this graph, or a number on one side, got [1. 1.] (ndarray); "
            "graph.constant(array) makes an expression of an array"
        ),
    ),
    "a list in an expression": (
        lambda g: g.input([2]) / [1, 2],
        dml.DataTypeError,
        (
            "divide: needs expressions of this graph, or a number on one side, got [1, 2] (list); "
            "graph.constant(array) makes an expression of an array"
        ),
    ),
    "a list of operands": (
        lambda g: dml.identity([g.input([2])]),
        dml.DataTypeError,
        (
            "identity: needs expressions of a graph, got [<FLOAT32 [2]>] (list); "
            "write them without brackets"
        ),
    ),
    "an array as operand": (
        lambda graph: dml.add(graph.constant(ONES), ONES),
        dml.DataTypeError,
        (
            "add: needs expressions of a graph, got [1. 1.] (ndarray); "
            "graph.constant(array) makes one of an array"
        ),
    ),
    "a name that is no string": (
        lambda g: g.input([2], name=5),
        dml.DataTypeError,
        "Graph.input.name: needs a string, got 5 (int)",
    ),
    "a list instead of a dict": (
        lambda g: _doubled(g)([ONES]),
        dml.DataTypeError,
        (
            "GRAPH.dispatch: needs a dict from inputs, or their names, to arrays, "
            "got [array([1., 1.], dtype=float32)] (list); write {x: array}"
        ),
    ),
    "an array instead of a dict": (
        lambda g: _doubled(g).initialize(ONES),
        dml.DataTypeError,
        (
            "GRAPH.initialize: needs a dict from inputs, or their names, to arrays, "
            "got [1. 1.] (ndarray); write {x: array}"
        ),
    ),
    "nothing for an input": (
        lambda g: _doubled(g)({"x": None}),
        dml.BindingError,
        "GRAPH.dispatch.x: needs an array, got None",
    ),
    "flags that are text": (
        lambda g: g.compile([g.input([2]) + 1.0], flags="fast"),
        dml.DataTypeError,
        "flags: needs ExecutionFlags, got 'fast' (str)",
    ),
    "a policy that is none": (
        lambda g: dml.Graph(g.device, tensor_policy="interleaved"),
        dml.DataTypeError,
        "Graph.tensor_policy: needs a TensorPolicy, got 'interleaved' (str)",
    ),
    "a number for the sizes of a view": (
        lambda g: dml.reinterpret(g.input([2]), 2),
        dml.DataTypeError,
        "reinterpret: needs sizes, a sequence of integers, got 2",
    ),
    "a number for a shape": (
        lambda g: dml.broadcast(g.input([2]), 2),
        dml.DataTypeError,
        "broadcast: needs sizes, a sequence of integers, got 2",
    ),
    "a desc that is none": (
        lambda g: g.input(desc=[2, 3]),
        dml.DataTypeError,
        "Graph.input.desc: needs a TensorDesc, got list",
    ),
}


@pytest.mark.parametrize(("call", "kind", "text"), MISTAKES.values(), ids=MISTAKES.keys())
def test_refuses_with_a_sentence_that_says_what_to_write(graph, call, kind, text):
    with pytest.raises(kind) as caught:
        call(graph)

    assert str(caught.value) == text


def test_constants_are_shown_briefly():
    assert repr(dml.ConstantNode(b"AB")) == "ConstantNode(data=b'AB')"
    assert repr(dml.ConstantNode(bytes(10**6))) == (
        f"ConstantNode(data={bytes(16)!r} and 999984 more)"
    )


@pytest.mark.parametrize(
    ("field", "call"),
    [
        ("CUMULATIVE_SUMMATION.axis", lambda x: dml.cumulative_summation(x, axis=-1)),
        ("REDUCE.axes[1]", lambda x: dml.reduce(x, function=dml.ReduceFunction.SUM, axes=[0, -1])),
        ("JOIN.axis", lambda x: dml.join([x, x], axis=-1)),
    ],
)
def test_a_negative_axis_is_answered_with_the_dimension_count(graph, field, call):
    x = graph.constant(np.zeros((2, 3), F32))

    with pytest.raises(dml.DescriptorError) as error:
        call(x)

    assert str(error.value) == (
        f"{field}: needs an integer from 0 to 4294967295, got -1; "
        "there are 2 dimensions, counted from 0"
    )


# ---- one calling convention ----------------------------------------------------------------------


def test_operators_graphs_and_models_take_inputs_by_position_by_name_or_as_a_dict():
    x, y = np.float32([5, 6]), np.float32([1, 2])
    device = dml.Device()
    graph = dml.Graph(device)
    a, b = graph.input([2], name="a"), graph.input([2], name="b")
    tensor = dml.TensorDesc(np.float32, [2])
    desc = dml.ElementWiseSubtractOperatorDesc(tensor, tensor, tensor)
    operator = device.compile_operator(device.create_operator(desc))
    model = dml.SerializedGraph.of_outputs([a - b], output_names=["c"])

    for called in (operator, graph.compile([a - b]), dml.load_onnx(model.to_onnx())):
        for (found,) in (called(x, y), called(b=y, a=x), called({"a": x, "b": y})):
            np.testing.assert_array_equal(found, np.float32([4, 4]))
        for arguments, named in ([(x,), {"b": y}], [(x, y, x), {}], [(), {"a": x, "c": y}]):
            with pytest.raises(dml.BindingError):
                called(*arguments, **named)
    np.testing.assert_array_equal(operator(b_tensor=y, a_tensor=x)[0], np.float32([4, 4]))
    np.testing.assert_array_equal(operator([x, y])[0], np.float32([4, 4]))
