"""What is joined lies in the joined tensor all along: no other bits, and no copies."""

import numpy as np
import pytest

import indirectml as dml
from indirectml.devices import cpu
from indirectml.graphs.compiled_graphs import CompiledGraph
from indirectml.passes.sharing import is_copy
from tests.bits import assert_bits_equal
from tests.steps import assert_in_proportion

SIZES = (2, 16, 9, 13)


def _data(seed, *sizes):
    return np.random.default_rng(seed).standard_normal(sizes, np.float32)


def _convolved(graph, x, filters, size, seed):
    w = _data(seed, filters, x.shape[1], size, size) / np.float32(8)
    return dml.convolution(
        x, graph.constant(w.astype(x.dtype)), start_padding=[size // 2] * 2,
        end_padding=[size // 2] * 2, fused_activation=dml.FusedActivation.relu(),
    )  # fmt: skip


def _layers(graph, x):
    """Each layer joins what was there with what it makes of it."""
    x = _convolved(graph, x, 32, 3, 1)
    for layer in range(4):
        x = dml.join([x, _convolved(graph, x, 16, 3, layer + 2)], axis=1)
    return _convolved(graph, x, 24, 1, 9)


def _levels(graph, x):
    """Pixels are pooled, enlarged again, and joined with those of before."""
    wide = _convolved(graph, x, 32, 3, 1)
    pooled = dml.max_pooling(wide, window_sizes=[3, 3], strides=[2, 2])[0]
    small = _convolved(graph, pooled, 48, 3, 2)
    large = dml.resample(
        small, output_sizes=[2, 48, 9, 13], mode=dml.InterpolationMode.NEAREST_NEIGHBOR
    )
    return _convolved(graph, dml.join([wide, large], axis=1), 24, 3, 3)


def _windows(graph, x):
    """Pixels are joined with the largest around them, as YOLO's networks have it."""
    x = _convolved(graph, x, 32, 3, 1)
    around = [
        dml.max_pooling(
            x, window_sizes=[n] * 2, start_padding=[n // 2] * 2, end_padding=[n // 2] * 2
        )
        for n in (3, 5)
    ]
    return _convolved(graph, dml.join([x, *(each[0] for each in around)], axis=1), 24, 1, 2)


def _twice(graph, x):
    """One tensor in two joined ones lies in one of them."""
    x = _convolved(graph, x, 32, 3, 1)
    one, other = (_convolved(graph, x, 16, 3, seed) for seed in (2, 3))
    both = [dml.join([x, y], axis=1) for y in (one, other)]
    return _convolved(graph, dml.multiply(*both), 24, 1, 4)


def _turned(graph, x):
    """Elements that somebody reads in rows of another length stay together."""
    rows = dml.reinterpret(x, [117, 32])
    weights = [graph.constant(_data(seed, 32, 32).astype(x.dtype)) for seed in (1, 2)]
    products = [dml.gemm(rows, each) for each in weights]
    turned = dml.reinterpret(products[0], [32, 117])
    return dml.activation_softmax(dml.join(products, axis=1)), dml.activation_softmax(turned)


def _around(graph, x):
    """Zeros are put where a part is copied over them: what comes there lies elsewhere before."""
    rows = dml.gemm(dml.reinterpret(x, [117, 32]), graph.constant(_data(1, 32, 32)))
    return dml.activation_softmax(
        dml.slice_grad(
            rows, output_gradient_sizes=[120, 48], input_window_offsets=[2, 9],
            input_window_sizes=[117, 32], input_window_strides=[1, 1],
        )
    )  # fmt: skip


def _compiled(network, dtype):
    graph = dml.Graph(dml.Device())
    x = graph.input(SIZES, dtype, name="x")
    found = network(graph, x)
    return graph.compile([found] if isinstance(found, dml.Expression) else list(found))


def _copies(compiled):
    """Return how many steps copy what is joined."""
    names = {"JOIN", "SLICE_GRAD"}
    return sum(
        is_copy(step) and not names.isdisjoint(step.operator_names) for step in compiled.plan.steps
    )


@pytest.mark.parametrize("target", dml.available_targets())
@pytest.mark.parametrize(
    ("network", "dtype", "before", "after"),
    [
        (_layers, np.float32, 4, 0),
        (_layers, np.float16, 4, 0),
        (_levels, np.float32, 1, 0),
        (_levels, np.float16, 1, 0),
        (_windows, np.float32, 3, 0),
        (_windows, np.float16, 3, 0),
        (_twice, np.float32, 2, 1),
        (_turned, np.float32, 2, 1),
        (_around, np.float32, 1, 1),
    ],
)
def test_what_is_joined_has_the_bits_of_copies(monkeypatch, target, dtype, network, before, after):
    data = {"x": _data(10, *SIZES).astype(dtype)}
    with monkeypatch.context() as patched:
        for name in ("joined_in_place", "widened"):  # which would make conversions of copies
            patched.setattr(cpu, name, lambda plan: plan)
        copied = _compiled(network, dtype)
    compiled = _compiled(network, dtype)
    assert (_copies(copied), _copies(compiled)) == (before, after)
    for threads in (1, 3):
        with dml.configure(target=target, max_threads=threads):
            expected = copied(data)
            compiled({"x": np.zeros_like(data["x"])})  # what memory had before is not what it needs
            for actual, wanted in zip(compiled(data), expected, strict=True):
                assert_bits_equal(actual=actual, expected=wanted)


@pytest.mark.parametrize("network", [_layers, _levels, _windows, _twice, _turned, _around])
def test_no_step_of_a_joined_tensor_is_refused(monkeypatch, network):
    """It would be Python's, and the steps before it done twice."""
    compiled = _compiled(network, np.float32)
    monkeypatch.setattr(CompiledGraph, "_dispatched", None)  # which would do what is left

    assert compiled({"x": _data(10, *SIZES)})


@pytest.mark.parametrize("dtype", [np.float32, np.float16])
def test_nearest_pixels_lie_in_what_they_are_joined_to(dtype):
    steps = _compiled(_levels, dtype).plan.steps
    assert not [step for step in steps if "JOIN" in getattr(step, "operator_names", ())]


@pytest.mark.parametrize("dtype", [np.float32, np.float16])
def test_nearest_pixels_of_an_input_have_canonical_nans(dtype):
    data = _data(10, *SIZES).astype(dtype)
    quiet = np.array(np.nan, dtype).view(f"u{data.itemsize}")
    data.view(quiet.dtype).reshape(-1)[::7] = quiet + 3

    def _enlarged(graph, x):  # noqa: ARG001 (as all networks)
        mode = dml.InterpolationMode.NEAREST_NEIGHBOR
        return dml.resample(x, output_sizes=[2, 16, 18, 26], mode=mode)

    (found,) = _compiled(_enlarged, dtype)({"x": data})
    bits = np.asarray(found).view(quiet.dtype)
    assert np.isnan(found).any()
    assert (bits[np.isnan(found)] == quiet).all()


def test_numbers_of_another_data_type_have_canonical_nans():
    """What adds integers makes no NaN canonical that these are when they are taken for FLOAT32."""
    graph = dml.Graph(dml.Device())
    x = graph.input([1, 16, 4, 4], name="x", dtype=np.int32)
    floats = dml.reinterpret(x + x, [1, 16, 4, 4], dtype=np.float32)
    mode = dml.InterpolationMode.NEAREST_NEIGHBOR
    enlarged = dml.resample(floats, output_sizes=[1, 16, 8, 8], mode=mode)

    (found,) = graph.compile([enlarged])({"x": np.full((1, 16, 4, 4), 0x7FC00006 // 2, np.int32)})

    assert (np.asarray(found).view(np.uint32) == 0x7FC00000).all()


def _of_many_turns(count):
    """Return what compiles a graph that keeps bits many times, one step after the other."""
    graph = dml.Graph(dml.Device())
    lengths = graph.constant(np.full((1, 16, 8, 1), 8, np.uint32))
    found = graph.input([1, 16, 8, 8], name="x") + 1.0
    for _ in range(count):
        found = dml.reverse_subsequences(found, lengths, axis=3)
    mode = dml.InterpolationMode.NEAREST_NEIGHBOR
    enlarged = dml.resample(found, output_sizes=[1, 16, 16, 16], mode=mode)
    return lambda: graph.compile([enlarged])


def _of_many_parts(count):
    """Return what compiles a graph that joins so many parts."""
    graph = dml.Graph(dml.Device())
    x = graph.input([2, 4, 2, 16], name="x")
    total = dml.ReduceFunction.SUM
    parts = [dml.reduce(x + float(n), function=total, axes=[0]) for n in range(count)]
    whole = dml.reduce(dml.join(parts, axis=1), function=total, axes=[0])
    return lambda: graph.compile([whole])


@pytest.mark.parametrize("work", [_of_many_turns, _of_many_parts])
def test_plans_are_made_in_proportion_to_their_steps(work):
    assert_in_proportion(work, 100)


# ---- random graphs ----

GRAPHS, OPERATORS = 60, 14


def _random_graph(seed):
    """Return a graph that joins, pads, surrounds with zeros, and reads all of it again."""
    random = np.random.default_rng(seed)
    graph = dml.Graph(dml.Device())
    values = [graph.input(SIZES, name="x")]

    def joined(x, axis=1):
        others = [v for v in values if _but(v.shape, axis) == _but(x.shape, axis)]
        found = [x, *(others[n] for n in random.integers(0, len(others), random.integers(1, 3)))]
        return dml.join(found, axis=axis) if sum(v.shape[axis] for v in found) < 150 else x

    def surrounded(x):
        n, c, h, w = x.shape
        return dml.slice_grad(
            x, output_gradient_sizes=[n, c + 8, h + 2, w + 4], input_window_offsets=[0, 4, 1, 2],
            input_window_sizes=x.shape, input_window_strides=[1] * 4,
        )  # fmt: skip

    def padded(x):
        return dml.padding(
            x, padding_mode=dml.PaddingMode.CONSTANT, padding_value=1.5,
            start_padding=[0, 1, 1, 0], end_padding=[0, 0, 1, 2],
        )  # fmt: skip

    def convolved(x):
        return _convolved(graph, x, 16, 3, int(random.integers(100)))

    def joined_anywhere(x):
        return joined(x, int(random.integers(1, 4)))

    kinds = [joined, joined_anywhere] * 2
    kinds += [convolved, surrounded, padded, dml.activation_relu, lambda x: x * 2.0 + 1.0]
    for _ in range(OPERATORS):
        x = values[random.integers(len(values))]
        values.append(kinds[random.integers(len(kinds))](x))
    return graph.compile([dml.activation_relu(x) for x in values[-4:]])


def _but(sizes, axis):
    return sizes[:axis] + sizes[axis + 1 :]


def test_random_graphs_have_the_bits_of_copies(monkeypatch):
    data = {"x": _data(11, *SIZES)}
    fewer = 0
    for seed in range(GRAPHS):
        with monkeypatch.context() as patched:
            patched.setattr(cpu, "joined_in_place", lambda plan: plan)
            copied = _random_graph(seed)
        compiled = _random_graph(seed)
        fewer += len(copied.plan.steps) - len(compiled.plan.steps)
        expected = copied(data)
        compiled({"x": np.zeros_like(data["x"])})
        for actual, wanted in zip(compiled(data), expected, strict=True):
            assert_bits_equal(actual=actual, expected=wanted, where=f"seed {seed}")
    assert fewer > GRAPHS // 4, "hardly a copy is gone"
