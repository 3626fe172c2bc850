"""Zeros around what a convolution reads are its padding: the same bits, and nothing is written."""

import numpy as np
import pytest

import indirectml as dml
from indirectml.devices import cpu
from indirectml.plans import FillStep
from tests.bits import assert_bits_equal

SIZES = (2, 6, 9, 7)
START, END = [0, 0, 1, 2], [0, 0, 3, 0]


def _data(seed, *sizes, dtype=np.float32):
    return np.random.default_rng(seed).standard_normal(sizes).astype(dtype)


def _filters(graph, x, groups=1, count=6, size=(3, 2)):
    w = _data(2, count, x.shape[1] // groups, *size, dtype=x.dtype)
    w[0, 0, 0] = np.inf, -np.inf  # times padding they are NaN
    w[-1, -1, -1] = np.nan, -0.0
    return graph.constant(w)


def _around(x, value=0.0, start=START, end=END, **options):
    return dml.padding(x, padding_value=value, start_padding=start, end_padding=end, **options)


def _convolved(graph, x, groups=1, **options):
    return dml.convolution(x, _filters(graph, x, groups), group_count=groups, **options)


def plain(graph, x):
    return [_convolved(graph, _around(x))]


def behind_a_relu(graph, x):
    return [_convolved(graph, _around(dml.activation_relu(x)), strides=[2, 2])]


def depthwise(graph, x):
    return [_convolved(graph, _around(x), groups=6, strides=[2, 1], dilations=[1, 2])]


def with_padding_of_its_own(graph, x):
    return [_convolved(graph, _around(x), start_padding=[2, 0], end_padding=[0, 1])]


def read_by_two(graph, x):
    padded = _around(x)
    return [_convolved(graph, padded), _convolved(graph, padded, groups=2, strides=[1, 3])]


def of_a_part(graph, x):
    part = dml.slice(
        x,
        input_window_offsets=[0, 0, 1, 1],
        input_window_sizes=[2, 6, 7, 4],
        input_window_strides=[1, 1, 1, 1],
    )
    return [_convolved(graph, _around(part))]


def in_three_dimensions(graph, x):
    deep = dml.reinterpret(x, [2, 3, 2, 9, 7], None)
    padded = _around(deep, start=[0, 0, 1, 0, 2], end=[0, 0, 0, 1, 1])
    w = graph.constant(_data(3, 4, 3, 2, 3, 3, dtype=x.dtype))
    return [dml.convolution(padded, w)]


def of_what_repeats(graph, x):
    rows = dml.reinterpret(x, [2, 6, 9, 7], [378, 63, 0, 1])
    return [_convolved(graph, _around(rows))]


TAKEN = [plain, behind_a_relu, depthwise, with_padding_of_its_own, read_by_two, of_a_part,
         in_three_dimensions, of_what_repeats]  # fmt: skip


def of_ones(graph, x):
    return [_convolved(graph, _around(x, 1.0))]


def of_negative_zeros(graph, x):
    return [_convolved(graph, _around(x, -0.0))]


def of_the_edge(graph, x):
    return [_convolved(graph, _around(x, padding_mode=dml.PaddingMode.EDGE))]


def given_too(graph, x):
    padded = _around(x)
    return [padded, _convolved(graph, padded)]


def read_by_another(graph, x):
    padded = _around(x)
    return [dml.activation_relu(padded), _convolved(graph, padded)]


def of_channels(graph, x):
    return [_convolved(graph, _around(x, start=[0, 2, 1, 1], end=[0, 4, 1, 1]))]


def of_images(graph, x):
    return [_convolved(graph, _around(x, start=[1, 0, 1, 1], end=[0, 0, 1, 1]))]


def backward(graph, x):
    return [_convolved(graph, _around(x), direction=dml.ConvolutionDirection.BACKWARD)]


def of_the_filter(_, x):
    w = _around(x, start=[0, 0, 1, 0], end=[0, 0, 0, 0])
    return [dml.convolution(_around(x, 1.0, END, END), w)]


def of_another_type(graph, x):
    bits = dml.reinterpret(x, SIZES, None, np.uint32)
    padded = _around(bits, 0)
    return [_convolved(graph, dml.reinterpret(padded, padded.shape, None, np.float32))]


LEFT = [of_ones, of_negative_zeros, of_the_edge, given_too, read_by_another, of_channels, of_images,
        backward, of_the_filter, of_another_type]  # fmt: skip


def _compiled(network, dtype=np.float32):
    graph = dml.Graph(dml.Device())
    return graph.compile(network(graph, graph.input(SIZES, dtype, name="x")))


def assert_same_without_the_pass(network, dtype=np.float32):
    """Compare the bits of a network with and without the pass; return how many fills these have."""
    x = _data(1, *SIZES, dtype=dtype)
    x[0, 0, :2], x[1, -1, -1] = -0.0, np.inf
    compiled = _compiled(network, dtype)
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(cpu, "padding_taken", lambda plan: plan)
        other = _compiled(network, dtype)
    for actual, expected in zip(compiled({"x": x}), other({"x": x}), strict=True):
        assert_bits_equal(actual=actual, expected=expected)
    return [sum(isinstance(s, FillStep) for s in c.plan.steps) for c in (compiled, other)]


@pytest.mark.parametrize("dtype", [np.float32, np.float16])
@pytest.mark.parametrize("network", TAKEN)
def test_zeros_are_padding(network, dtype):
    fills, before = assert_same_without_the_pass(network, dtype)

    assert (fills, before > 0) == (0, True)


@pytest.mark.parametrize("network", LEFT)
def test_other_borders_are_written(network):
    fills, before = assert_same_without_the_pass(network)

    assert fills == before


def test_other_sizes_find_their_padding():
    onnx = pytest.importorskip("onnx")
    text = (
        '<ir_version: 8, opset_import: ["" : 18]> m (float[1, 6, H, W] x) => (float[1, 6, K, L] y)'
        " <int64[8] p = {0, 0, 1, 2, 0, 0, 3, 0}, float z = {0}> {"
        " r = Relu(x) q = Pad(r, p, z) y = Conv<group = 6>(q, w) }"
    )
    proto = onnx.parser.parse_model(text)
    proto.graph.initializer.append(onnx.numpy_helper.from_array(_data(2, 6, 1, 3, 2), "w"))
    loaded = dml.load_onnx(proto)
    for rows, columns in ((9, 7), (5, 8), (9, 7), (12, 3)):
        x = _data(rows, 1, 6, rows, columns)
        (actual,) = loaded({"x": x})
        (expected,) = dml.load_onnx(proto, sizes={"x": x.shape})({"x": x})
        assert_bits_equal(actual=actual, expected=expected)
        steps = loaded.at({"x": x}).compiled.plan.steps
        assert not any(isinstance(step, FillStep) for step in steps)
