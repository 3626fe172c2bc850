"""Calls with arrays just as a graph takes them, by native code alone: same bits, same sentences."""

from __future__ import annotations

import gc
import pickle
import threading
import weakref

import numpy as np
import pytest
from onnx import TensorProto as T
from onnx import helper

import indirectml as dml
from indirectml import _native
from indirectml.core.settings import Settings
from indirectml.graphs.compiled_graphs import CompiledGraph
from tests.bits import assert_bits_equal

SIZES = {"x": (3, 5), "y": (1, 3, 5)}
LINE_BYTES = 64


@pytest.fixture
def general_calls(monkeypatch):
    """Return a list that grows with each call that goes the general way."""
    found = []
    general = CompiledGraph._dispatched  # noqa: SLF001 (which way a call goes)

    def counted(self, *arguments):
        found.append(arguments)
        return general(self, *arguments)

    monkeypatch.setattr(CompiledGraph, "_dispatched", counted)
    return found


@pytest.fixture
def compiled():
    """Return a graph of two inputs and two outputs, with a constant and temporary memory."""
    graph = dml.Graph(dml.Device())
    x, y = (graph.input(sizes, name=name) for name, sizes in SIZES.items())
    weights = graph.constant(np.linspace(-1, 1, 25, dtype=np.float32).reshape(5, 5))
    product = dml.gemm(dml.exp(x), weights)
    return graph.compile([dml.activation_softmax(product), dml.reinterpret(y, [3, 5]) - product])


@pytest.fixture
def arrays():
    random = np.random.default_rng(3)
    return {name: random.standard_normal(sizes, np.float32) for name, sizes in SIZES.items()}


def in_another_order(arrays):
    return dict(reversed(arrays.items()))


def pickled(arrays):
    return pickle.loads(pickle.dumps(arrays))  # noqa: S301 (its own; dtypes are no longer NumPy's objects)


def read_only(arrays):
    for array in arrays.values():
        array.flags.writeable = False
    return arrays


def at_odd_addresses(arrays):
    def moved(array):
        raw = np.empty(array.nbytes + 1, np.uint8)
        raw[1:] = array.reshape(-1).view(np.uint8)
        return raw[1:].view(array.dtype).reshape(array.shape)

    return {name: moved(array) for name, array in arrays.items()}


@pytest.mark.parametrize("given", [dict, in_another_order, pickled, read_only])
def test_packed_arrays_of_the_very_sizes_take_the_short_way(given, compiled, arrays, general_calls):
    expected = compiled.dispatch(arrays)
    general_calls.clear()
    found = [compiled(given(arrays))]
    if given is not in_another_order:
        found.append(compiled(*given(arrays).values()))

    for results in found:
        for result, other in zip(results, expected, strict=True):
            assert_bits_equal(actual=result, expected=other)
            assert (result.shape, result.dtype) == (other.shape, other.dtype)
            assert result.flags.writeable
            assert result.ctypes.data % LINE_BYTES == 0
    assert not general_calls


class Named(np.ndarray):
    """An array of another class."""


OTHERS = {
    "another dtype": lambda x: x.astype(np.float64),
    "turned": np.asfortranarray,
    "every second": lambda x: np.repeat(x, 2, axis=-1)[..., ::2],
    "one dimension": lambda x: x.reshape(-1),
    "a dimension more": lambda x: x[None],
    "another byte order": lambda x: x.astype(">f4"),
    "another class": lambda x: x.view(Named),
    "a list": lambda x: x.tolist(),
    "bytes": lambda x: x.tobytes(),
}


@pytest.mark.parametrize("kind", [*OTHERS, "a buffer"])
def test_everything_else_takes_the_long_way_to_the_same_end(kind, compiled, arrays, general_calls):
    others = OTHERS | {"a buffer": lambda x: dml.Buffer(compiled.device, x)}
    given = arrays | {"x": others[kind](arrays["x"])}

    def ends(call):
        try:
            return [result.tobytes() for result in call(given)]
        except dml.DirectMLError as error:
            return str(error)

    assert ends(compiled) == ends(compiled.dispatch)
    assert len(general_calls) == 2


def test_memory_that_kernels_do_not_take_gives_the_same_bits(compiled, arrays, general_calls):
    for result, other in zip(compiled(at_odd_addresses(arrays)), compiled(arrays), strict=True):
        assert_bits_equal(actual=result, expected=other)
    assert len(general_calls) == 1  # calls with other memory are as short as before


def wrong(arrays):
    """Yield what is no call of the graph."""
    x, y = arrays["x"], arrays["y"]
    yield {"x": x}
    yield {"x": x, "y": y, "z": x}
    yield {"x": x, "z": y}
    yield {"x": x, 1: y}
    yield {"x": x[:2], "y": y}
    yield {"x": x.astype(np.int32), "y": y}
    yield {"x": None, "y": y}


def test_mistakes_have_the_sentences_of_the_general_way(compiled, arrays):
    compiled(arrays)
    for given in wrong(arrays):
        with pytest.raises(dml.DirectMLError) as general:
            compiled.dispatch(given)
        with pytest.raises(type(general.value)) as direct:
            compiled(given)
        assert str(direct.value) == str(general.value)


def test_results_are_new_each_time(compiled, arrays):
    first, second = compiled(arrays), compiled(arrays)
    kept = [result.copy() for result in second]
    for result in first:
        result[...] = 7
    for result, before in zip(second, kept, strict=True):
        assert_bits_equal(actual=result, expected=before)


def test_any_number_of_threads_may_call(compiled, arrays):
    given = [{n: a + np.float32(k) for n, a in arrays.items()} for k in range(4)]
    expected = [[r.tobytes() for r in compiled.dispatch(each)] for each in given]
    found = [[] for _ in given]

    def call(number):
        found[number] = [[r.tobytes() for r in compiled(given[number])] for _ in range(50)]

    threads = [threading.Thread(target=call, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [[each] * 50 for each in expected]


def test_other_weights_count_from_their_initialization_on(arrays):
    graph = dml.Graph(dml.Device())
    x = graph.input(SIZES["x"], name="x")
    w = graph.input(SIZES["x"], name="w", owned=True)
    compiled = graph.compile([x * w])
    for factor in (2, 3):
        compiled.initialize({"w": np.full(SIZES["x"], factor, np.float32)})
        for _ in range(2):
            (found,) = compiled({"x": arrays["x"]})
            assert_bits_equal(actual=found, expected=arrays["x"] * np.float32(factor))


def test_weights_of_a_model_that_are_given_anew_count():
    model = loaded(
        [
            helper.make_node("Constant", [], ["w"], value_floats=[1.0, 2.0]),
            helper.make_node("Mul", ["x", "w"], ["y"]),
        ],
        {"x": (T.FLOAT, (2,))},
        {"y": (T.FLOAT, (2,))},
    )
    data = {"x": np.ones(2, np.float32)}
    for weights in ([1, 2], [3, 4]):
        (constant,) = (one for one in model.compiled.graph_inputs if one.is_constant)
        model.compiled.initialize({constant.name: np.array(weights, np.float32)})
        for _ in range(2):
            assert model(data)[0].tolist() == weights


def test_a_graph_is_gone_with_the_last_who_has_it():
    graph = dml.Graph(dml.Device())
    x = graph.input([2], name="x")
    doubled = graph.compile([x + x])
    doubled({"x": np.ones(2, np.float32)})
    left = weakref.ref(doubled)
    gc.disable()
    try:
        del doubled
        assert left() is None
    finally:
        gc.enable()


def test_copies_of_a_graph_call_by_themselves(compiled, arrays, general_calls):
    compiled(arrays)
    copied = pickle.loads(pickle.dumps(compiled))  # noqa: S301 (its own)
    for result, other in zip(copied(arrays), compiled(arrays), strict=True):
        assert_bits_equal(actual=result, expected=other)
    assert not general_calls


# ---- models ----


def loaded(nodes, inputs, outputs):
    def infos(tensors):
        return [helper.make_tensor_value_info(name, *of) for name, of in tensors.items()]

    graph = helper.make_graph(nodes, "g", infos(inputs), infos(outputs))
    opset = helper.make_opsetid("", 17)
    return dml.load_onnx(helper.make_model(graph, opset_imports=[opset], ir_version=8))


def test_models_give_onnx_sizes_and_booleans(general_calls):
    nine = (1, 2, 1, 1, 1, 1, 1, 1, 2)
    model = loaded(
        [
            helper.make_node("Not", ["b"], ["none"]),
            helper.make_node("ReduceSum", ["x"], ["sum"], keepdims=0),
            helper.make_node("Relu", ["x"], ["y"]),
        ],
        {"x": (T.FLOAT, nine), "b": (T.BOOL, (3,)), "unread": (T.FLOAT, (2,))},
        {"none": (T.BOOL, (3,)), "sum": (T.FLOAT, ()), "y": (T.FLOAT, nine)},
    )
    data = {
        "x": np.array([1, -2, 3, 4], np.float32).reshape(nine),
        "b": np.array([True, False, True]),
        "unread": np.zeros(2, np.float32),
    }
    first = model(data)
    general_calls.clear()
    for results in (model(data), model(*data.values())):
        assert [(r.shape, r.dtype) for r in results] == [(r.shape, r.dtype) for r in first]
        assert [r.tolist() for r in results] == [r.tolist() for r in first]
    assert first[0].tolist() == [False, True, False]
    assert first[1] == 6
    assert not general_calls


def test_outputs_that_nobody_asked_for_are_not_returned(general_calls):
    model = loaded(
        [
            helper.make_node("Constant", [], ["k"], value_ints=[2]),
            helper.make_node("TopK", ["x", "k"], ["values", ""]),
        ],
        {"x": (T.FLOAT, (6,))},
        {"values": (T.FLOAT, (2,))},
    )
    data = {"x": np.array([3, 1, 4, 1, 5, 9], np.float32)}
    for _ in range(2):
        general_calls.clear()
        (found,) = model(data)
        assert found.tolist() == [9, 5]
    assert not general_calls


def test_models_of_open_sizes_follow_what_they_are_given(general_calls):
    model = loaded(
        [helper.make_node("Softmax", ["x"], ["y"])],
        {"x": (T.FLOAT, ("N", 4))},
        {"y": (T.FLOAT, ("N", 4))},
    )
    given = {count: np.arange(count * 4, dtype=np.float32).reshape(count, 4) for count in (1, 3)}
    expected = {count: dml.activation_softmax(x) for count, x in given.items()}
    for count in (1, 1, 3, 3, 1, 1):
        (found,) = model({"x": given[count]})
        assert_bits_equal(actual=found, expected=expected[count])
    assert not general_calls


def test_other_dtypes_go_the_general_way_as_before():
    model = loaded(
        [helper.make_node("Relu", ["x"], ["y"])], {"x": (T.FLOAT, (2,))}, {"y": (T.FLOAT, (2,))}
    )
    for _ in range(2):
        (found,) = model({"x": [1.0, -1.0]})
        assert found.tolist() == [1, 0]
    with pytest.raises(dml.BindingError, match="needs sizes"):
        model({"x": np.zeros(3, np.float32)})
    with pytest.raises(dml.BindingError, match="needs inputs of the model"):
        model({"z": np.zeros(2, np.float32)})


# ---- the native call by itself ----


def native_call(inputs, outputs):
    """Return the native call of a graph that doubles four numbers, for arrays that may not fit."""
    graph = dml.Graph(dml.Device())
    x = graph.input([4], name="x")
    compiled = graph.compile([x + x])
    (steps,) = compiled.ready_with([None]).steps
    float32 = np.dtype(np.float32)
    forms = [(name, (place, float32, [size])) for name, place, size in inputs]
    written = [(place, float32, [size]) for place, size in outputs]
    return _native.Call(steps.native, forms, written, 1, 2)


def test_buffers_that_nobody_gives_are_refused():
    for inputs, outputs in (([], [(1, 4)]), ([("x", 0, 4)], [])):
        with pytest.raises(ValueError, match="no such buffer"):
            native_call(inputs, outputs)


def test_a_call_with_a_step_that_is_refused_is_not_tried_again():
    def product(rows, out):
        square = (0, 0, "f", (2, 2), (8, 4))
        return _native.ProductStep(square, (0, 0, "f", (rows, 1), (4, 4)), None, out)

    column = (2, 1), (4, 4)
    steps = _native.StepList([product(2, (2, 0, "f", *column)), product(3, (1, 0, "f", *column))])
    f32 = np.dtype(np.float32)
    call = _native.Call(steps, [("x", (0, f32, [2, 2]))], [(1, f32, [2, 1])], 1, 2)
    given, temporary = {"x": np.ones((2, 2), np.float32)}, np.zeros(8, np.uint8)

    assert call.run(given, temporary, Settings.policy) is None
    assert temporary.any()
    temporary[:] = 0
    assert call.run(given, temporary, Settings.policy) is None
    assert not temporary.any()


def test_nothing_is_read_or_written_beyond_an_array():
    nothing, policy = np.empty(0, np.uint8), Settings.policy
    short = native_call([("x", 0, 3)], [(1, 4)])
    assert short.run((np.ones(3, np.float32),), nothing, policy) is None
    (found,) = native_call([("x", 0, 4)], [(1, 3)]).run((np.ones(4, np.float32),), nothing, policy)
    assert found.tolist() == [2] * 3
    assert found.base.size >= 4 * 4
