"""What depends on owned inputs alone: computed at initialization, once for each of these."""

import pickle
import threading

import numpy as np
import pytest

import indirectml as dml
from indirectml.runtime import device as device_file
from tests.bits import assert_bits_equal
from tests.onnx_import.models import model
from tests.opencl.implementations import needs_pocl, pocl

SIZES = [2, 24, 17, 30]
DEVICES = ["cpu", pytest.param("opencl", marks=needs_pocl)]


def _data(seed, *sizes):
    return np.abs(np.random.default_rng(seed).standard_normal(sizes, np.float32))


def _graph(name="cpu"):
    """Return a graph, and outputs that depend on two owned inputs and a constant in many ways."""
    graph = dml.Graph(dml.Device(pocl() if name == "opencl" else name))
    x = graph.input(SIZES, name="x")
    scale, variance = (
        graph.input([1, 24, 1, 1], owned=True, name=n) for n in ("scale", "variance")
    )
    rows = graph.constant(_data(4, 24, 24))
    product = dml.gemm(dml.reinterpret(scale, [1, 1, 1, 24]), dml.reinterpret(rows, [1, 1, 24, 24]))
    gain = dml.reinterpret(product, [1, 24, 1, 1])
    y = dml.batch_normalization(
        x, variance, variance, dml.exp(gain), scale, spatial=True, epsilon=1e-5
    )
    return graph, [dml.activation_relu(y), dml.add(x, dml.broadcast(gain, SIZES)), dml.sqrt(scale)]


def _owned(seed):
    return {"scale": _data(seed, 1, 24, 1, 1), "variance": _data(seed + 1, 1, 24, 1, 1)}


def _compiled(name="cpu"):
    graph, outputs = _graph(name)
    return graph.compile(outputs)


def _in_every_call(monkeypatch):
    """Return the same with every step in every call."""
    with monkeypatch.context() as patched:
        patched.setattr(device_file, "initialized", lambda plan: plan)
        return _compiled()


def _words(steps):
    """Return the operators of steps."""
    return sorted({name for step in steps for name in step.operator_names})


@pytest.mark.parametrize("name", DEVICES)
def test_has_the_bits_that_each_call_would_compute(monkeypatch, name):
    compiled, whole = _compiled(name), _in_every_call(monkeypatch)
    assert len(compiled.plan.computed_steps) > 1
    assert not whole.plan.computed_steps
    for seed in (1, 5):
        compiled.initialize(_owned(seed))
        whole.initialize(_owned(seed))
        for x in (_data(2, *SIZES), _data(3, *SIZES)):
            for actual, expected in zip(compiled({"x": x}), whole({"x": x}), strict=True):
                assert_bits_equal(actual=actual, expected=expected)


def test_steps_of_owned_inputs_alone_are_gone_from_calls():
    plan = _compiled().plan

    assert "GEMM" in _words(plan.computed_steps)
    assert "GEMM" not in _words(plan.steps)
    assert "ELEMENT_WISE_SQRT" in _words(plan.steps)  # the graph's output is written in each call
    begin = plan.computed_begin
    ends = [view.offset + 4 * view.element_count for s in plan.computed_steps for view in s.outputs]
    assert begin >= sum(step.target.size_bytes for step in plan.initial_steps)
    assert max(ends) <= plan.persistent_size


@pytest.mark.parametrize("name", DEVICES)
def test_recorded_graphs_compute_it_in_their_initializer(monkeypatch, name):
    graph, outputs = _graph(name)
    device, target = graph.device, graph.compile(outputs)
    dispatchable = device.compile_graph(target.desc)
    assert dispatchable.plan.computed_steps
    data = _owned(7) | {"x": _data(9, *SIZES)}
    names = [one.name for one in target.graph_inputs]
    of_inputs = [data.get(n, one.data) for n, one in zip(names, target.graph_inputs, strict=True)]
    owned = dispatchable.plan.owned_inputs
    buffers = [
        dml.BufferBinding(np.frombuffer(np.ascontiguousarray(a), np.uint8).copy())
        for a in of_inputs
    ]
    made = [np.zeros(t.total_tensor_size_in_bytes, np.uint8) for t in dispatchable.plan.outputs]
    plan = dispatchable.plan
    persistent = dml.BufferBinding(np.zeros(plan.persistent_size, np.uint8))
    initializer = device.create_operator_initializer([dispatchable])
    first, table = (
        device.create_binding_table(initializer),
        device.create_binding_table(dispatchable),
    )
    first.bind_inputs([[b if k in owned else None for k, b in enumerate(buffers)]])
    first.bind_outputs([persistent])
    table.bind_inputs([None if k in owned else b for k, b in enumerate(buffers)])
    table.bind_outputs([dml.BufferBinding(a) for a in made])
    table.bind_persistent_resource(persistent)
    if plan.temporary_size:
        table.bind_temporary_resource(dml.BufferBinding(np.zeros(plan.temporary_size, np.uint8)))
    recorder = device.create_command_recorder()
    lists = [dml.CommandList(device), dml.CommandList(device)]
    recorder.record_dispatch(lists[0], initializer, first)
    recorder.record_dispatch(lists[1], dispatchable, table)
    for commands in lists:
        commands.close()
    dml.CommandQueue(device).execute(*lists)

    whole = _in_every_call(monkeypatch)
    whole.initialize({name: data[name] for name in ("scale", "variance")})
    for actual, expected in zip(made, whole({"x": data["x"]}), strict=True):
        assert_bits_equal(actual=actual.view(np.float32).reshape(expected.shape), expected=expected)


def test_large_results_are_not_kept_beside_what_they_are_made_of():
    graph = dml.Graph(dml.Device())
    x = graph.input([1, 1, 128, 129])
    few, many = (graph.constant(_data(1, 1, 1, 128, n)) for n in (128, 129))
    outputs = [dml.add(x, dml.exp(many)), dml.gemm(dml.exp(few), x)]
    plan = graph.compile(outputs).plan

    (step,) = plan.computed_steps
    assert step.outputs[0].element_count == 128 * 128


def test_what_is_sent_or_shares_an_input_computes_it_again():
    compiled = _compiled()
    compiled.initialize(_owned(1))
    x = _data(2, *SIZES)
    expected = compiled({"x": x})
    sent = pickle.loads(pickle.dumps(compiled))  # noqa: S301 (our own)
    for actual, wanted in zip(sent({"x": x}), expected, strict=True):
        assert_bits_equal(actual=actual, expected=wanted)
    given = x.copy()
    compiled({"x": given}, out=[None, given, None])
    assert_bits_equal(actual=given, expected=expected[1])


def test_a_call_has_what_one_initialization_made():
    """None sees the products of one initialization and the scales of another, made meanwhile."""
    compiled, x = _compiled(), _data(2, *SIZES)
    known = []
    for seed in (1, 5):
        compiled.initialize(_owned(seed))
        known.append([each.tobytes() for each in compiled({"x": x})])
    found, is_done = [], threading.Event()

    def call():
        while not is_done.is_set():
            found.append([each.tobytes() for each in compiled({"x": x})])

    threads = [threading.Thread(target=call) for _ in range(2)]
    for thread in threads:
        thread.start()
    for seed in (1, 5) * 20:
        compiled.initialize(_owned(seed))
    is_done.set()
    for thread in threads:
        thread.join()
    assert found
    assert all(each in known for each in found)


def test_models_in_several_sizes_compute_the_same():
    text = """(float[N, 8, 20, 20] x) => (float[N, 8, 20, 20] y)
        <float[8] v = {1, 2, 3, 4, 5, 6, 7, 8}> { y = BatchNormalization(x, v, v, v, v) }"""
    loaded, x = dml.load_onnx(model(text)), _data(1, 7, 8, 20, 20)
    plans = [loaded.at({"x": x[:n]}).compiled.plan for n in (5, 7)]

    (first,), (second,) = (plan.computed_steps for plan in plans)
    assert first == second
    assert_bits_equal(actual=loaded(x[:5])[0], expected=loaded(x)[0][:5])
