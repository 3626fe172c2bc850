"""Constants that products read: in panels once, in place of the plain ones, and no bit changes."""

import tracemalloc

import numpy as np
import pytest

import indirectml as dml
from indirectml.arithmetic.contraction import contract, pack
from indirectml.arithmetic.convolution import convolve, pack_filters
from indirectml.core.errors import LayoutError
from indirectml.plans import CopyStep, PackStep
from tests.bits import assert_bits_equal

TRANSPOSE = dml.MatrixTransform.TRANSPOSE
NONE = dml.MatrixTransform.NONE


@pytest.fixture
def graph():
    return dml.Graph(dml.Device())


def _normal(seed, *sizes):
    return np.random.default_rng(seed).standard_normal(sizes, np.float32)


def _steps(compiled):
    return [type(step) for step in compiled.plan.initial_steps]


def _both_ways(make, x, *weights):
    """Return what a graph gives with weights as constants, the graph, and what it gives without."""
    results, compiled = [], None
    for is_constant in (False, True):
        graph = dml.Graph(dml.Device())
        given = graph.input(x.shape, x.dtype, name="x")
        operands = [
            graph.constant(w) if is_constant else graph.input(w.shape, w.dtype, name=f"w{k}")
            for k, w in enumerate(weights)
        ]
        compiled = graph.compile(make(given, *operands))
        bound = {} if is_constant else {f"w{k}": w for k, w in enumerate(weights)}
        results.append(compiled({"x": x} | bound))
    return results[1], compiled, results[0]


def _assert_equal(actual, expected):
    assert len(actual) == len(expected)
    for one, other in zip(actual, expected, strict=True):
        assert_bits_equal(actual=one, expected=other)


# ---- products ----


@pytest.mark.parametrize("transform", [NONE, TRANSPOSE])
@pytest.mark.parametrize(
    ("rows", "depth", "columns"), [(2, 7, 16), (5, 300, 160), (1, 40, 192), (1, 520, 75)]
)
def test_weights_of_products_are_put_in_panels_once(transform, rows, depth, columns):
    w = _normal(1, 1, 1, *((columns, depth) if transform == TRANSPOSE else (depth, columns)))

    actual, compiled, expected = _both_ways(
        lambda x, w: [dml.gemm(x, w, trans_b=transform)], _normal(2, 1, 1, rows, depth), w
    )

    _assert_equal(actual, expected)
    assert _steps(compiled) == [PackStep]


def test_what_would_grow_by_more_than_a_tenth_stays(graph):
    x = graph.input([1, 1, 4, 8])
    few, many = (graph.constant(np.ones((1, 1, 8, n), np.float32)) for n in (17, 175))

    assert _steps(graph.compile([dml.gemm(x, few)])) == [CopyStep]
    assert _steps(graph.compile([dml.gemm(x, many)])) == [PackStep]


def test_a_constant_that_another_node_reads_stays(graph):
    x, w = graph.input([1, 1, 4, 16], name="x"), graph.constant(_normal(3, 1, 1, 16, 16))
    data = _normal(4, 1, 1, 4, 16)
    both = graph.compile([dml.gemm(x, w), dml.gemm(x, w, trans_b=TRANSPOSE)])
    alone = graph.compile([dml.gemm(x, w)])
    plain = graph.compile([dml.identity(w), dml.gemm(x, w)])

    assert [_steps(c) for c in (both, alone, plain)] == [[CopyStep], [PackStep], [CopyStep]]
    assert_bits_equal(actual=both({"x": data})[0], expected=alone({"x": data})[0])


def test_what_is_in_panels_is_there_for_those_who_read_it_plain(graph):
    w = _normal(5, 1, 1, 30, 20)
    w[0, 0, 0, 0] = np.array(0x7FC12345, np.uint32).view(np.float32)
    x, constant = graph.input([1, 1, 4, 20]), graph.constant(w)
    graph.compile([dml.gemm(x, constant, trans_b=TRANSPOSE)])

    assert_bits_equal(actual=graph.compile([dml.identity(constant)])()[0], expected=w)


def test_weights_that_are_bound_later_are_put_in_panels_then(graph):
    x = graph.input([1, 1, 2, 48], name="x")
    w = graph.input([1, 1, 48, 32], owned=True, name="w")
    compiled = graph.compile([dml.gemm(x, w)])
    data = _normal(6, 1, 1, 2, 48)

    for weights in (_normal(7, 1, 1, 48, 32), _normal(8, 1, 1, 48, 32)):
        given = weights.copy()
        compiled.initialize({w: given})
        given[...] = 0
        expected = contract(data, weights)
        assert_bits_equal(actual=compiled({"x": data})[0], expected=expected)
    assert _steps(compiled) == [PackStep]


def test_a_constant_in_panels_is_kept_once():
    array = np.ones((1, 1, 1500, 1600), np.float32)
    tracemalloc.start()
    try:
        graph = dml.Graph(dml.Device())
        x, w = graph.input([1, 1, 2, 1500], name="x"), graph.constant(array)
        compiled = [graph.compile([dml.gemm(x, w)]) for _ in range(3)]
        data = np.ones((1, 1, 2, 1500), np.float32)
        for one in compiled:
            assert one({"x": data})[0][0, 0, 0, 0] == 1500
        kept, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()

    assert _steps(compiled[0]) == [PackStep]
    assert kept < 1.1 * array.nbytes


def test_a_recorded_graph_packs_into_its_persistent_resource():
    device = dml.Device()
    x, b, out = ([1, 1, 3, 32], [1, 1, 64, 32], [1, 1, 3, 64])
    desc = dml.GemmOperatorDesc(
        dml.TensorDesc(np.float32, x),
        dml.TensorDesc(np.float32, b, flags=dml.TensorFlags.OWNED_BY_DML),
        dml.TensorDesc(np.float32, out),
        trans_b=TRANSPOSE,
    )
    edges = [dml.InputEdge(0, 0, 0), dml.InputEdge(1, 0, 1)]
    operator = device.create_operator(desc)
    compiled = device.compile_graph(
        dml.GraphDesc(2, 1, [operator], [dml.OutputEdge(0, 0, 0)], edges)
    )
    size = compiled.binding_properties.persistent_resource_size
    data, weights, results = _normal(9, *x), _normal(10, *b), np.zeros(out, np.float32)
    bound = [dml.BufferBinding(memoryview(a)) for a in (data, weights, results)]
    persistent = dml.BufferBinding(bytearray(size))
    initializer = device.create_operator_initializer([compiled])
    table = device.create_binding_table(initializer)
    table.bind_inputs([[None, bound[1]]])
    table.bind_outputs([persistent])
    run = device.create_binding_table(compiled)
    run.bind_inputs([bound[0], None])
    run.bind_outputs([bound[2]])
    run.bind_persistent_resource(persistent)

    for dispatchable, tables in ((initializer, table), (compiled, run)):
        commands = dml.CommandList(device)
        device.create_command_recorder().record_dispatch(commands, dispatchable, tables)
        commands.close()
        dml.CommandQueue(device).execute(commands)
        weights[...] = 0

    assert [type(step) for step in compiled.plan.initial_steps] == [PackStep]
    assert_bits_equal(actual=results, expected=contract(data, _normal(10, *b).swapaxes(-1, -2)))


@pytest.mark.parametrize("rows", [1, 3, 40])
@pytest.mark.parametrize("transform", [NONE, TRANSPOSE])
def test_weights_of_half_precision_are_in_panels_as_such(transform, rows):
    depth, columns = 530, 93
    w = _normal(30, 1, 1, *((columns, depth) if transform == TRANSPOSE else (depth, columns)))

    actual, compiled, expected = _both_ways(
        lambda x, w: [dml.gemm(x, w, trans_b=transform)],
        _normal(31, 1, 1, rows, depth).astype(np.float16),
        w.astype(np.float16),
    )

    _assert_equal(actual, expected)
    (step,) = compiled.plan.initial_steps
    assert isinstance(step, PackStep)
    assert step.target.tensor.data_type is dml.TensorDataType.FLOAT16


# ---- convolutions ----


@pytest.mark.parametrize("mode", ["CROSS_CORRELATION", "CONVOLUTION"])
@pytest.mark.parametrize(
    ("channels", "filters", "taps", "size", "groups", "stride"),
    [
        (3, 16, 3, 7, 1, 1),
        (40, 48, 1, 7, 1, 1),
        (64, 31, 3, 5, 1, 2),
        (300, 80, 1, 1, 1, 1),
        (72, 18, 1, 1, 1, 1),
        (12, 64, 3, 5, 2, 1),
    ],
)
def test_filters_are_put_in_panels_once_where_pixels_are_few(
    mode, channels, filters, taps, size, groups, stride
):
    w = _normal(20, filters, channels // groups, taps, taps)
    bias = _normal(21, 1, filters, 1, 1)

    def made(x, w, bias):
        return [
            dml.convolution(
                x, w, bias, mode=getattr(dml.ConvolutionMode, mode), strides=[stride] * 2,
                start_padding=[taps // 2] * 2, end_padding=[taps // 2] * 2, group_count=groups,
                fused_activation=dml.FusedActivation.relu(),
            )
        ]  # fmt: skip

    actual, compiled, expected = _both_ways(made, _normal(22, 2, channels, size, size), w, bias)

    _assert_equal(actual, expected)
    assert _steps(compiled)[0] is PackStep


def test_filters_stay_where_pixels_are_many_or_it_goes_backward(graph):
    few, many = graph.input([1, 32, 7, 7]), graph.input([1, 32, 20, 20])
    w = graph.constant(_normal(23, 32, 32, 3, 3))
    backward = dml.ConvolutionDirection.BACKWARD
    half, half_w = (
        graph.input([1, 32, 7, 7], np.float16),
        graph.constant(_normal(24, 32, 32, 3, 3).astype(np.float16)),
    )

    for made in (
        dml.convolution(many, w),
        dml.convolution(few, w, direction=backward),
        dml.convolution(half, half_w),
    ):
        assert _steps(graph.compile([made])) == [CopyStep]
    assert _steps(graph.compile([dml.convolution(few, w)])) == [PackStep]


@pytest.mark.parametrize("images", [1, 3])
def test_filters_of_half_precision_are_in_panels_where_there_is_one_pixel(images):
    w, bias = (_normal(28, *sizes).astype("e") for sizes in ((50, 200, 1, 1), (1, 50, 1, 1)))
    bias[0, 7] = np.nan

    actual, compiled, expected = _both_ways(
        lambda x, w, bias: [dml.convolution(x, w, bias)],
        _normal(29, images, 200, 1, 1).astype("e"), w, bias,
    )  # fmt: skip

    _assert_equal(actual, expected)
    (packed,) = [s for s in compiled.plan.initial_steps if isinstance(s, PackStep)]
    assert packed.target.data_type is dml.TensorDataType.FLOAT16


def test_filters_of_one_pixel_stay_where_many_would_be_nearly_empty(graph):
    w = graph.constant(_normal(30, 2, 3000, 1, 1))

    compiled = graph.compile([dml.convolution(graph.input([1, 3000, 1, 1]), w)])

    assert _steps(compiled) == [CopyStep]


def test_filters_in_panels_are_there_for_those_who_read_them_plain(graph):
    w = _normal(25, 32, 8, 3, 3)
    constant = graph.constant(w)
    graph.compile([dml.convolution(graph.input([1, 8, 5, 5]), constant)])

    assert_bits_equal(actual=graph.compile([dml.identity(constant)])()[0], expected=w)


def test_refuses_panels_of_filters_of_another_convolution():
    panels, x = pack_filters(_normal(26, 16, 4, 3, 3)), _normal(27, 1, 8, 5, 5)
    with pytest.raises(LayoutError, match="w: needs 8 channels, got 4"):
        convolve(x, panels)
    with pytest.raises(LayoutError, match=r"w: needs panels of sizes \(2, 1, 36, 16\), got"):
        convolve(x, panels, group_count=2)
    with pytest.raises(LayoutError, match="w: needs filters that are not in panels, backwards"):
        convolve(_normal(28, 1, 16, 5, 5), panels, direction="backward")


# ---- recurrent cells ----

IDENTITY, TANH = dml.FusedActivation.identity(), dml.FusedActivation.tanh()


@pytest.mark.parametrize("hidden", [8, 24, 20, 17])
@pytest.mark.parametrize("linear_before_reset", [True, False])
def test_weights_of_gated_units_are_in_panels(hidden, linear_before_reset):
    def made(x, w, r):
        outputs = dml.gru(
            x,
            w,
            r,
            activation_descs=[TANH] * 4,
            direction=dml.RecurrentNetworkDirection.BIDIRECTIONAL,
            linear_before_reset=linear_before_reset,
        )
        return list(outputs)

    actual, _, expected = _both_ways(
        made,
        _normal(11, 1, 5, 3, 40),
        _normal(12, 1, 2, 3 * hidden, 40),
        _normal(13, 1, 2, 3 * hidden, hidden),
    )

    _assert_equal(actual, expected)


def test_weights_of_a_cell_are_in_panels_for_each_direction(graph):
    x = graph.input([1, 5, 3, 40])
    w, r = graph.constant(_normal(14, 1, 2, 48, 40)), graph.constant(_normal(15, 1, 2, 48, 16))

    compiled = graph.compile(
        list(
            dml.gru(
                x, w, r, activation_descs=[TANH] * 4,
                direction=dml.RecurrentNetworkDirection.BIDIRECTIONAL,
            )
        )
    )  # fmt: skip

    assert _steps(compiled) == [PackStep, PackStep]


# ---- what is in panels ----


def test_matrices_in_panels_are_what_they_were():
    b = _normal(16, 2, 3, 5, 37)
    for in_panels, expected in ((pack(b), b), (pack(b).swapaxes(-1, -2), b.swapaxes(-1, -2))):
        assert in_panels.shape == expected.shape
        assert_bits_equal(actual=in_panels.unpacked(), expected=np.ascontiguousarray(expected))
        assert_bits_equal(
            actual=in_panels[1, 2].unpacked(), expected=np.ascontiguousarray(expected[1, 2])
        )
    assert_bits_equal(
        actual=pack(b)[0, 1][:, 16:].unpacked(), expected=np.ascontiguousarray(b[0, 1, :, 16:])
    )


def test_refuses_what_is_not_one_matrix():
    in_panels, a = pack(_normal(17, 2, 5, 37)), _normal(18, 4, 5)
    with pytest.raises(LayoutError, match="b: needs one matrix in panels"):
        contract(a, in_panels)
    with pytest.raises(LayoutError, match="b: needs one matrix in panels"):
        contract(_normal(19, 4, 37), in_panels[0,].swapaxes(0, 1))
    with pytest.raises(LayoutError, match="needs columns from a multiple of 16 on, got 3"):
        in_panels[0,][:, 3:]
    with pytest.raises(LayoutError, match="needs a range of columns"):
        in_panels[0,][1:, :]
    with pytest.raises(LayoutError, match="needs the last two axes, got 0 and 1"):
        in_panels.swapaxes(0, 1)
