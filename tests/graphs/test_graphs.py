"""The door for graphs: the API of the `directml` package, and its rules."""

import re
import threading

import numpy as np
import pytest

import indirectml as dml
from indirectml.operators import descriptor_class

F32 = np.float32


@pytest.fixture
def graph():
    return dml.Graph(dml.Device())


def ramp(graph, sizes, start=0, delta=1, dtype=None):
    return dml.fill_value_sequence(
        graph, sizes=sizes, value_start=start, value_delta=delta, dtype=dtype
    )


# ---- whole programs ----


def test_the_published_fills_run_as_a_script_for_the_directml_package(graph):
    sequence = ramp(graph, [1, 1, 1, 3], 3, 2, np.float32)
    constant = dml.fill_value_constant(graph, sizes=[1, 1, 2, 4], value=13.0)

    first, second = graph.compile([sequence, constant])()

    np.testing.assert_array_equal(first, np.array([[[[3, 5, 7]]]], F32), strict=True)
    np.testing.assert_array_equal(second, np.full((1, 1, 2, 4), 13, F32), strict=True)


def _join_add_reduce(graph):
    constant = dml.fill_value_constant(graph, sizes=[1, 4], value=0.5)
    joined = dml.join([constant, ramp(graph, [2, 4], 0, 0.25)], axis=0)
    return dml.reduce(joined + joined, function=dml.ReduceFunction.SUM, axes=[1])


def test_joins_adds_and_reduces_like_numpy(graph):
    (actual,) = graph.compile([_join_add_reduce(graph)])()

    sequence = np.arange(8, dtype=F32).reshape(2, 4) * F32(0.25)
    joined = np.concatenate([np.full((1, 4), 0.5, F32), sequence])
    np.testing.assert_array_equal(actual, (joined + joined).sum(1, keepdims=True), strict=True)


def test_a_compiled_graph_is_a_compiled_operator_with_the_methods_of_the_package(graph):
    x, w = graph.input([2], name="x"), graph.input([2], owned=True, name="w")

    compiled = graph.compile([x * w])

    assert isinstance(compiled, dml.CompiledOperator)
    assert (compiled.initialized, compiled.descriptor_count) == (False, 4)
    compiled.initialize({"w": np.array([2.0, 3.0])})
    assert compiled.dispatch({x: [1.0, 2.0]})[0].tolist() == [2, 6]
    assert compiled({x: [1.0, 2.0]}, readback=False)[0].numpy().tolist() == [2, 6]


def test_the_object_model_records_what_a_graph_compiles_to(graph):
    device = graph.device
    compiled = graph.compile([graph.input([2]) + ramp(graph, [2])])
    output, scratch = bytearray(8), np.empty(compiled.temporary_size, np.uint8)
    table = device.create_binding_table(compiled)
    table.bind_inputs([dml.BufferBinding(np.array([2, 3], F32))])
    table.bind_outputs([dml.BufferBinding(output)])
    table.bind_temporary_resource(dml.BufferBinding(scratch))
    commands = dml.CommandList(device)

    device.create_command_recorder().record_dispatch(commands, compiled, table)
    commands.close()
    dml.CommandQueue(device).execute(commands)

    assert np.frombuffer(output, F32).tolist() == [2, 4]


def test_the_same_program_through_the_object_model_gives_the_same_bytes(graph):
    (expected,) = graph.compile([_join_add_reduce(graph)])()
    device = dml.Device()

    def tensor(*sizes):
        return dml.TensorDesc(F32, sizes)

    half, rest, whole, column = tensor(1, 4), tensor(2, 4), tensor(3, 4), tensor(3, 1)
    buffers = {t: bytearray(t.total_tensor_size_in_bytes) for t in (half, rest, whole, column)}
    doubled = bytearray(48)
    program = [
        (dml.FillValueConstantOperatorDesc(half, F32, 0.5), [], buffers[half]),
        (dml.FillValueSequenceOperatorDesc(rest, F32, 0, 0.25), [], buffers[rest]),
        (dml.JoinOperatorDesc([half, rest], whole, 0), [buffers[half], buffers[rest]],
         buffers[whole]),
        (dml.ElementWiseAddOperatorDesc(whole, whole, whole), [buffers[whole]] * 2, doubled),
        (dml.ReduceOperatorDesc(dml.ReduceFunction.SUM, whole, column, [1]), [doubled],
         buffers[column]),
    ]  # fmt: skip
    compiled = [device.compile_operator(device.create_operator(desc)) for desc, _, _ in program]
    recorder, commands = device.create_command_recorder(), dml.CommandList(device)
    initializer = device.create_operator_initializer(compiled)
    recorder.record_dispatch(commands, initializer, device.create_binding_table(initializer))
    for operator, (_, inputs, output) in zip(compiled, program, strict=True):
        table = device.create_binding_table(operator)
        table.bind_inputs([dml.BufferBinding(i) for i in inputs])
        table.bind_outputs([dml.BufferBinding(output)])
        recorder.record_dispatch(commands, operator, table)
    commands.close()
    dml.CommandQueue(device).execute(commands)

    assert bytes(buffers[column]) == expected.tobytes()


def test_a_compiled_graph_serves_several_threads(graph):
    x = graph.input([1000], name="x")
    y = x * 2.0 + ramp(graph, [1000], 0, 0.1)
    compiled = graph.compile([dml.cumulative_summation(y, axis=0)])
    inputs = [np.full(1000, k, F32) for k in range(8)]
    expected = [compiled({x: i})[0] for i in inputs]
    results = [[] for _ in inputs]

    def work(k):
        results[k] += [compiled({"x": inputs[k]})[0] for _ in range(30)]

    threads = [threading.Thread(target=work, args=(k,)) for k in range(len(inputs))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    for found, wanted in zip(results, expected, strict=True):
        assert [f.tobytes() for f in found] == [wanted.tobytes()] * 30


def test_plans_of_graphs_are_data():
    plans = []
    for _ in range(2):
        graph = dml.Graph(dml.Device())
        plans.append(graph.compile([_join_add_reduce(graph)]).plan)

    assert plans[0] == plans[1]
    assert hash(plans[0]) == hash(plans[1])
    assert "ProgramStep(program=Program(" in repr(plans[0])


def test_deep_graphs_compile(graph):
    x = graph.input([2])
    y = x
    for _ in range(2000):
        y = y + x

    (actual,) = graph.compile([y])({x: np.array([1, 2], F32)})

    assert actual.tolist() == [2001, 4002]


# ---- expressions ----

A, B = np.array([7, -3, 0.5], F32), np.array([2, 4, -8], F32)
ARITHMETIC = {
    "a + b": lambda a, b: a + b,
    "a - b": lambda a, b: a - b,
    "a * b": lambda a, b: a * b,
    "a / b": lambda a, b: a / b,
    "a + 0.1": lambda a, b: a + 0.1,
    "0.1 + a": lambda a, b: 0.1 + a,
    "1 - a": lambda a, b: 1 - a,
    "a - 1": lambda a, b: a - 1,
    "a * 0.1": lambda a, b: a * 0.1,
    "0.1 * a": lambda a, b: 0.1 * a,
    "a / 3": lambda a, b: a / 3,
    "3 / a": lambda a, b: 3 / a,
    "a % b": lambda a, b: a % b,
    "a % 3": lambda a, b: a % 3,
    "7 % a": lambda a, b: 7 % a,
    "-a": lambda a, b: -a,
}


@pytest.mark.parametrize("dtype", [np.float32, np.float16])
@pytest.mark.parametrize("name", ARITHMETIC)
def test_arithmetic_equals_numpys(graph, name, dtype):
    a, b = A.astype(dtype), B.astype(dtype)

    (actual,) = graph.compile([ARITHMETIC[name](graph.constant(a), graph.constant(b))])()

    expected = ARITHMETIC[name](a, b)
    assert (actual.dtype, actual.tobytes()) == (expected.dtype, expected.tobytes())


def test_expressions_say_what_they_are(graph):
    x = graph.input([2, 3], np.int16, strides=[4, 1])

    assert (x.shape, x.strides, x.dtype, x.size) == ((2, 3), (4, 1), np.dtype(np.int16), 6)
    assert x.desc == dml.TensorDesc(np.int16, [2, 3], strides=[4, 1])
    assert {x: 1}[x] == 1
    assert repr(x) == "<INT16 [2, 3], strides [4, 1]>"


def test_broadcasting_and_reinterpreting_are_views(graph):
    row = ramp(graph, [3])
    bits = dml.reinterpret(row, [3], dtype=np.uint32)

    twice, raw = graph.compile([dml.identity(dml.broadcast(row, [2, 3])), dml.identity(bits)])()

    assert twice.tolist() == [[0, 1, 2], [0, 1, 2]]
    assert raw.tolist() == np.arange(3, dtype=F32).view(np.uint32).tolist()


def test_an_output_may_be_a_view_and_may_be_there_twice(graph):
    x = ramp(graph, [2, 3])
    turned = dml.reinterpret(x, [3, 2], strides=[1, 3])

    first, second, third = graph.compile([x, turned, x])()

    assert second.tolist() == first.T.tolist()
    first[:] = 9
    assert third.tolist() == [[0, 1, 2], [3, 4, 5]]


def test_interleaved_channels_keep_the_values():
    policy = dml.TensorPolicy.interleaved_channel
    graph = dml.Graph(dml.Device(), tensor_policy=policy)
    x = ramp(graph, [2, 3, 4, 5])

    (actual,) = graph.compile([x + x])()

    assert x.strides == (60, 1, 15, 3)
    assert actual.tolist() == (np.arange(120, dtype=F32) * 2).reshape(2, 3, 4, 5).tolist()


# ---- data in and out ----


def test_owned_inputs_are_bound_once():
    graph = dml.Graph(dml.Device())
    x, w = graph.input([2], name="x"), graph.input([2], owned=True, name="w")
    compiled = graph.compile([x * w])
    assert not compiled.initialized

    with pytest.raises(
        ValueError, match=r"needs initialize\(\) first, for input 1 'w' \(FLOAT32 \[2\]\);"
    ):
        compiled({x: np.ones(2)})
    compiled.initialize({"w": np.array([3, 4], F32)})

    assert compiled.initialized
    assert compiled.persistent_size > 0
    assert compiled.dispatch({x: np.ones(2)})[0].tolist() == [3, 4]


def test_buffers_are_bound_and_returned(graph):
    x = graph.input([3])
    compiled = graph.compile([x + 1.0])

    (once,) = compiled({x: dml.Buffer(graph.device, np.arange(3, dtype=F32))}, readback=False)
    (twice,) = compiled({x: once})

    assert isinstance(once, dml.Buffer)
    assert (once.shape, once.dtype, once.nbytes, once.size) == ((3,), np.dtype(F32), 12, 3)
    assert once.numpy().tolist() == [1, 2, 3]
    assert twice.tolist() == [2, 3, 4]


def test_initialization_may_give_a_constant_other_data(graph):
    c, w = graph.constant(np.array([1, 2], F32), name="c"), graph.input([2], owned=True)
    compiled = graph.compile([c * w])

    compiled.initialize({w: np.array([3.0, 4.0])})
    assert compiled()[0].tolist() == [3, 8]
    compiled.initialize({"c": np.array([5.0, 6.0]), w: np.array([3.0, 4.0])})
    assert compiled()[0].tolist() == [15, 24]


def test_constants_take_other_sizes_of_the_same_data(graph):
    x = graph.constant(np.arange(6), np.float64, sizes=[2, 3])

    assert graph.compile([dml.identity(x)])()[0].tolist() == [[0, 1, 2], [3, 4, 5]]


@pytest.mark.parametrize(
    ("given", "dtype"),
    [(np.float64, np.float32), (np.uint8, np.float32), (np.int64, np.int8), (np.int8, np.int32)],
)
def test_arrays_are_converted_within_a_kind_or_without_loss(graph, given, dtype):
    x = graph.input([3], dtype)

    (actual,) = graph.compile([dml.identity(x)])({x: np.arange(3, dtype=given)})

    np.testing.assert_array_equal(actual, np.arange(3, dtype=dtype), strict=True)


def test_strided_inputs_take_the_bytes_of_their_buffer(graph):
    x = graph.input([2, 2], strides=[3, 1])

    (actual,) = graph.compile([dml.identity(x)])({x: np.arange(5, dtype=F32)})

    assert actual.tolist() == [[0, 1], [3, 4]]


def test_raw_memory_is_never_converted_to_elements(graph):
    x = graph.input([4])
    compiled = graph.compile([dml.identity(x)])
    elements = np.arange(4, dtype=F32)

    for raw in (elements.tobytes(), bytearray(elements), memoryview(elements)):
        assert compiled({x: raw})[0].tolist() == [0, 1, 2, 3]
    with pytest.raises(dml.BindingError) as caught:
        compiled({x: bytearray([0, 1, 2, 3])})
    assert str(caught.value).endswith(
        "needs at least 16 bytes of raw memory for a tensor of FLOAT32 with sizes [4], got 4"
    )
    assert compiled({x: np.arange(4, dtype=np.uint8)})[0].tolist() == [0, 1, 2, 3]


def test_buffers_of_other_strides_have_the_same_elements():
    device = dml.Device()
    first = dml.Graph(device, tensor_policy=dml.TensorPolicy.interleaved_channel)
    x = first.input([1, 2, 2, 2])
    elements = np.arange(8, dtype=F32).reshape(1, 2, 2, 2)
    (turned,) = first.compile([dml.identity(x)])({x: elements}, readback=False)
    assert turned.strides is not None

    second = dml.Graph(device)
    y, strided = second.input([1, 2, 2, 2]), second.input([1, 2, 2, 2], strides=[16, 8, 4, 2])
    compiled = second.compile([dml.identity(y)])

    np.testing.assert_array_equal(compiled({y: turned})[0], elements)
    with pytest.raises(dml.BindingError, match=r"needs a packed buffer, or one with sizes .* and"):
        second.compile([dml.identity(strided)])({strided: turned})


# ---- mistakes ----


def _compiled():
    graph = dml.Graph(dml.Device())
    x, w = graph.input([2], name="x"), graph.input([2], owned=True, name="w")
    c = graph.constant(np.ones(2, F32), name="c")
    return graph, x, w, c, graph.compile([x * w + c])


ONES = np.ones(2, F32)
BINDING_MISTAKES = {
    "missing": (lambda x, w, c, g: g({}), "GRAPH.dispatch: missing input 0 'x' (FLOAT32 [2])"),
    "unknown": (
        lambda x, w, c, g: g({"y": ONES}),
        (
            "GRAPH.dispatch: there is no input named 'y', needs inputs of the graph: "
            "input 0 'x' (FLOAT32 [2]), input 1 'w' (FLOAT32 [2])"
        ),
    ),
    "unknown, and sizes that do not fit": (
        lambda x, w, c, g: g({x: np.ones(3, F32), "xx": ONES}),
        (
            "GRAPH.dispatch: there is no input named 'xx', needs inputs of the graph: "
            "input 0 'x' (FLOAT32 [2]), input 1 'w' (FLOAT32 [2])"
        ),
    ),
    "no input": (
        lambda x, w, c, g: g({x + x: ONES}),
        (
            "GRAPH.dispatch: needs inputs of the graph: input 0 'x' (FLOAT32 [2]), "
            "input 1 'w' (FLOAT32 [2]), got <FLOAT32 [2]>, which is not an input"
        ),
    ),
    "twice": (
        lambda x, w, c, g: g({x: ONES, "x": ONES}),
        (
            "GRAPH.dispatch: needs each input once; input 0 'x' (FLOAT32 [2]) is bound twice; "
            "write the expression or the name"
        ),
    ),
    "owned at dispatch": (
        lambda x, w, c, g: g({x: ONES, w: ONES}),
        "GRAPH.dispatch.w: is owned by DirectML, and is bound by initialize",
    ),
    "not owned at initialize": (
        lambda x, w, c, g: g.initialize({w: ONES, x: ONES}),
        "GRAPH.initialize.x: is not owned by DirectML, and is bound by dispatch",
    ),
    "constant": (
        lambda x, w, c, g: g({c: ONES}),
        "GRAPH.dispatch.c: is owned by DirectML, and is bound by initialize",
    ),
    "buffer of another device": (
        lambda x, w, c, g: g({x: dml.Buffer(dml.Device(), ONES)}),
        "GRAPH.dispatch.x: needs a buffer of this device, got one of a different device",
    ),
    "integers for floats": (
        lambda x, w, c, g: g({x: np.ones(2, np.int32)}),
        (
            "GRAPH.dispatch.x: needs float32, which int32 does not become without being told to, "
            "got int32; write array.astype(np.float32)"
        ),
    ),
    "other count": (
        lambda x, w, c, g: g({x: np.ones(3, F32)}),
        (
            "GRAPH.dispatch.x: needs 2 elements for sizes [2], got 3 with sizes [3], which does "
            "not fill it"
        ),
    ),
    "buffer of another data type": (
        lambda x, w, c, g: g({x: dml.Buffer(g.device, np.ones(2))}),
        "GRAPH.dispatch.x: needs FLOAT32, and a buffer is not converted, got FLOAT64",
    ),
}


@pytest.mark.parametrize(("call", "text"), BINDING_MISTAKES.values(), ids=BINDING_MISTAKES.keys())
def test_refuses_bindings_with_a_sentence(call, text):
    _, x, w, c, compiled = _compiled()
    compiled.initialize({w: ONES})

    with pytest.raises(dml.BindingError) as caught:
        call(x, w, c, compiled)

    assert str(caught.value) == text
    assert isinstance(caught.value, ValueError)


def _other_graph(graph):
    return graph.input([2]) + dml.Graph(graph.device).input([2])


GRAPH_MISTAKES = {
    "shapes differ": (
        lambda g: dml.add(g.input([2]), g.input([3])),
        (
            "add(<FLOAT32 [2]>, <FLOAT32 [3]>): shapes differ; nothing broadcasts implicitly; "
            "broadcast(x, shape) makes a view without a copy"
        ),
    ),
    "data types differ": (
        lambda g: g.input([2]) * g.input([2], np.int32),
        "multiply(<FLOAT32 [2]>, <INT32 [2]>): element types differ; cast(x, dtype=...) converts",
    ),
    "input as output": (
        lambda g: g.compile([g.input([2])]),
        (
            "GRAPH.outputs[0]: an input is not wired straight to an output, got <FLOAT32 [2]>; "
            "put identity(...) between them"
        ),
    ),
    "view of an input as output": (
        lambda g: g.compile([dml.reinterpret(g.input([2]), [1, 2])]),
        (
            "GRAPH.outputs[0]: an input is not wired straight to an output, got <FLOAT32 [1, 2]>; "
            "put identity(...) between them"
        ),
    ),
    "no outputs": (lambda g: g.compile([]), "GRAPH.outputs: needs at least one output, got 0"),
    "part not used": (
        lambda g: g.compile(dml.split(ramp(g, [4]), axis=0, output_axis_sizes=[1, 3])[:1]),
        (
            "GRAPH.nodes[1] (SPLIT).output_tensors[1]: is not connected, and every output of a "
            "node is used; make it an output of the graph too"
        ),
    ),
    "name taken": (
        lambda g: (g.input([1], name="x"), g.input([1], name="x")),
        (
            "Graph.input.name: needs a name of its own, got 'x'; the graph already has an input "
            "named 'x'"
        ),
    ),
    "graphs mixed": (
        _other_graph,
        "ELEMENT_WISE_ADD.inputs[1]: needs expressions of one graph, got one of another",
    ),
    "value that does not fit": (
        lambda g: dml.fill_value_constant(g, sizes=[2], value=300, dtype=np.uint8),
        "value=300: UINT8 holds 0..255, got 300",
    ),
    "view too large": (
        lambda g: dml.reinterpret(g.input([2]), [3]),
        (
            "reinterpret(<FLOAT32 [2]>): a view stays within the 8 bytes of its tensor, "
            "got [3] of FLOAT32, which needs 12"
        ),
    ),
    "window that does not fit": (
        lambda g: dml.max_pooling(g.input([1, 2, 2, 2]), window_sizes=[5, 5]),
        "MAX_POOLING2.output_tensor.sizes: each size is from 1 to 4294967295, got [1, 2, 0, 0]",
    ),
    "no broadcast": (
        lambda g: dml.broadcast(g.input([2]), [2, 3]),
        "broadcast: cannot broadcast [2]; needs sizes that are 1 or the shape's, got [2, 3]",
    ),
}


@pytest.mark.parametrize(("call", "text"), GRAPH_MISTAKES.values(), ids=GRAPH_MISTAKES.keys())
def test_refuses_graphs_with_a_sentence(graph, call, text):
    with pytest.raises(ValueError, match=re.escape(text)) as caught:
        call(graph)

    assert str(caught.value) == text


def test_a_desc_excludes_the_other_tensor_arguments(graph):
    desc = dml.TensorDesc(F32, [2])

    for arguments in [{"sizes": [2]}, {"dtype": F32}, {"owned": True}, {"strides": [1]}]:
        with pytest.raises(TypeError, match=r"Graph\.input: needs a desc alone"):
            graph.input(desc=desc, **arguments)
    with pytest.raises(TypeError, match=r"Graph\.input: needs sizes or a desc, got neither"):
        graph.input()


# ---- names ----


def test_every_public_name_is_there_and_listed():
    names = dml.__all__

    assert len(names) == len(set(names))
    assert set(names) <= set(dir(dml))
    for name in names:
        assert getattr(dml, name) is not None
    with pytest.raises(AttributeError, match=r"module 'indirectml' has no attribute 'nothing'$"):
        dml.nothing  # noqa: B018


def test_every_operator_has_its_descriptor_among_the_public_names():
    for name in dml.OperatorType.__members__:
        try:
            desc = descriptor_class(name)
        except dml.DirectMLError:
            continue
        assert getattr(dml, desc.__name__) is desc


def test_operator_types_have_directmls_numbers():
    assert dml.OperatorType.FILL_VALUE_SEQUENCE == 104
    assert len(dml.OperatorType) == 178


@pytest.mark.parametrize(
    ("name", "way"),
    [
        ("resample2", "graph.add_node(Resample2OperatorDesc(...), ...); did you mean resample"),
        ("RESAMPLE", "graph.add_node(ResampleOperatorDesc(...), ...); did you mean resample"),
        ("element_wise_abs", "ELEMENT_WISE_ABS is abs"),
        ("lstmm", "did you mean lstm"),
    ],
)
def test_a_name_of_an_operator_is_answered_with_the_way_to_it(name, way):
    with pytest.raises(AttributeError) as caught:
        getattr(dml, name)

    assert str(caught.value).endswith(way)


def test_numpy_leaves_arithmetic_to_expressions(graph):
    x = graph.input([2])

    assert graph.compile([np.float32(3) - x])({x: ONES})[0].tolist() == [2, 2]
    with pytest.raises(dml.DataTypeError, match=r"graph\.constant\(array\) makes an expression"):
        ONES * x


@pytest.mark.parametrize(
    ("dtype", "function", "expected"),
    [
        (np.float16, lambda x: x * 1e6, [np.inf, np.inf]),
        (np.float16, lambda x: x / 1e6 * 1e6, [1.013671875, 2.02734375]),
        (np.int32, lambda x: x * 2.5, [2, 5]),
        (np.int32, lambda x: 1.5 - x, [0, 0]),
        (np.uint8, lambda x: -x, [255, 254]),
        (np.int8, lambda x: 300 - x, [43, 42]),
        (np.uint8, lambda x: x * 200.5, [200, 255]),
    ],
)
def test_numbers_beyond_the_data_type_are_scale_and_bias(dtype, function, expected):
    graph = dml.Graph(dml.Device())
    x = graph.constant(np.array([1, 2], dtype))

    (actual,) = graph.compile([function(x)])()

    assert actual.dtype == dtype
    assert actual.tolist() == expected
