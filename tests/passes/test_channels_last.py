"""Pixels whose channels lie next to each other: words over them, and the pass that chooses them."""

import dataclasses

import numpy as np
import pytest

import indirectml as dml
from indirectml import _native
from indirectml.arithmetic.convolution import (
    convolve,
    convolve_integer,
    filter_matrices,
    pack_filters,
)
from indirectml.arithmetic.integers_in_panels import pack_integers
from indirectml.arithmetic.windows import Window, average_pool, max_pool
from indirectml.core.data_types import as_data_type
from indirectml.core.settings import Settings
from indirectml.devices import cpu
from indirectml.inspection.plan_rows import plan_rows
from indirectml.panels import Panels
from indirectml.passes.flow import views_of
from indirectml.plans import ProgramStep, View, WordStep
from tests.bits import assert_bits_equal
from tests.parameters import in_one_test

RELU = dml.FusedActivation.relu()
#: Extents, filters and channels beside what vectors and tiles hold.
SHAPES = [
    (1, 3, 24, 3, 2),
    (2, 16, 40, 3, 1),
    (1, 24, 16, 1, 1),
    (1, 32, 33, 5, 1),
    (2, 40, 64, 1, 2),
]


def _normal(seed, *sizes):
    return np.random.default_rng(seed).standard_normal(sizes, np.float32)


def _with_neighbours(x, gap=0):
    """Return the same elements, those of a pixel next to each other."""
    memory = np.full((x.shape[0], *x.shape[2:], x.shape[1] + gap), 7, x.dtype)
    view = np.moveaxis(memory[..., : x.shape[1]], -1, 1)
    view[...] = x
    return view


@pytest.fixture(params=dml.available_targets())
def target(request):
    with dml.configure(target=request.param):
        yield


@pytest.mark.usefixtures("target")
@pytest.mark.parametrize(("images", "channels", "filters", "size", "stride"), SHAPES)
@in_one_test(extent=[7, 14, 20], dtype=[np.float32, np.float16])
def test_convolutions_have_the_bits_of_others(
    images, channels, filters, size, stride, extent, dtype
):
    x = _normal(1, images, channels, extent, extent + 3).astype(dtype)
    w = _normal(2, filters, channels, size, size).astype(dtype)
    x[0, 0, 0, 0], x[0, -1, 2, 3] = np.inf, np.nan
    fields = {"strides": [stride] * 2, "start_padding": [size // 2] * 2, "end_padding": [1, 0]}
    bias = _normal(3, filters).astype(dtype)

    expected = convolve(x.astype(np.float32), w.astype(np.float32), bias, **fields)
    out = _with_neighbours(np.zeros_like(expected), gap=3)
    for threads in (1, 2, 3, 5):
        with dml.configure(max_threads=threads):
            convolve(_with_neighbours(x), pack_filters(w), bias, **fields, out=out)
        assert_bits_equal(actual=out.copy(), expected=expected)
    assert (out.base[..., filters:] == 7).all(), "wrote beside the output"


@pytest.mark.usefixtures("target")
@pytest.mark.parametrize("channels", [2, 16, 37])
@pytest.mark.parametrize(
    ("size", "stride", "dilation"), [(3, 1, 1), (3, 2, 1), (5, 1, 1), (3, 1, 2)]
)
@in_one_test(mode=["cross_correlation", "convolution"], dtype=[np.float32, np.float16])
def test_filters_of_channels_have_the_bits_of_others(channels, size, stride, dilation, mode, dtype):
    x = _normal(4, 2, channels, 11, 23).astype(dtype)
    w = _normal(5, channels, 1, size, size).astype(dtype)
    fields = {
        "strides": [stride] * 2, "dilations": [dilation] * 2, "start_padding": [2, 1],
        "end_padding": [2, 3], "group_count": channels, "mode": mode,
    }  # fmt: skip

    expected = convolve(x.astype(np.float32), w.astype(np.float32), **fields)
    out = _with_neighbours(np.zeros_like(expected))
    convolve(_with_neighbours(x), pack_filters(w, channels), **fields, out=out)

    assert_bits_equal(actual=out.copy(), expected=expected)
    by_panels = convolve(x, pack_filters(w, channels), **fields)
    assert_bits_equal(actual=by_panels, expected=expected)


@pytest.mark.usefixtures("target")
@pytest.mark.parametrize("mode", ["cross_correlation", "convolution"])
@pytest.mark.parametrize("weights", ["finite", "infinite", "tiny"])
@pytest.mark.parametrize(
    ("extent", "size", "stride", "dilation", "groups"),
    [(14, 3, 1, 12, 1), (14, 3, 1, 36, 2), (1, 3, 1, 1, 1), (7, 5, 2, 3, 1), (6, 2, 1, 9, 1)],
)
def test_taps_of_padding_that_are_left_out_change_no_bit(
    extent, size, stride, dilation, groups, weights, mode
):
    x, w = _normal(7, 2, 34, extent, extent + 2), _normal(8, 32, 34 // groups, size, size)
    if weights == "infinite":
        w[3, 2, 0, 0] = np.inf
    if weights == "tiny":
        # Products are smaller than all numbers: sums of what is read are -0.
        x, w = -abs(x) * np.float32(1e-30), w * np.float32(1e-30)
    fields = {
        "strides": [stride] * 2, "dilations": [dilation] * 2, "start_padding": [dilation] * 2,
        "end_padding": [dilation * (size - 2)] * 2, "group_count": groups, "mode": mode,
    }  # fmt: skip

    expected = convolve(x, w, **fields)
    for threads in (1, 2, 3):
        out = _with_neighbours(np.zeros_like(expected))
        with dml.configure(max_threads=threads):
            convolve(_with_neighbours(x), pack_filters(w, groups), **fields, out=out)
        assert_bits_equal(actual=out.copy(), expected=expected)


@pytest.mark.usefixtures("target")
@pytest.mark.parametrize("dtype", [np.float32, np.float16])
@pytest.mark.parametrize("owned", [True, False])
def test_taps_are_left_out_of_the_weights_of_each_initialization(dtype, owned):
    """Of constants it is done once for each, whether they are finite or not."""
    graph = dml.Graph(dml.Device())
    x = graph.input([1, 32, 14, 15], dtype, name="x")
    w = graph.input([40, 32, 3, 3], dtype, name="w", owned=owned)
    fields = {"dilations": [12, 12], "start_padding": [12, 12], "end_padding": [12, 12]}
    y = dml.activation_relu(
        dml.convolution(dml.max_pooling(x, window_sizes=[1, 1]).values, w, **fields)
    )
    compiled = graph.compile([dml.max_pooling(y, window_sizes=[1, 1]).values])
    data = _normal(7, 1, 32, 14, 15).astype(dtype)
    for seed, weight in ((1, 1), (2, np.inf), (3, 2)):
        weights = _normal(seed, 40, 32, 3, 3).astype(dtype)
        weights[3, 2, 0, 0] = weight
        if owned:
            compiled.initialize({"w": weights})
        expected = convolve(data, weights, **fields).astype(dtype)
        expected = np.where(expected <= 0, dtype(0), expected)
        for threads in (1, 3):
            with dml.configure(max_threads=threads):
                (actual,) = compiled({"x": data} if owned else {"x": data, "w": weights})
            assert_bits_equal(actual=actual, expected=expected)


def _network(graph, x):
    """Return outputs of a small network of all that the layout concerns."""
    seeds = iter(range(10, 99))

    def weights(*sizes):
        numbers = _normal(next(seeds), *sizes) * np.float32(0.2)
        return graph.constant(numbers.astype(x.desc.data_type.dtype))

    def conv(x, filters, size, *, groups=1, stride=1, activation=None):
        w = weights(filters, x.desc.sizes[1] // groups, size, size)
        bias = weights(1, filters, 1, 1)
        return dml.convolution(
            x, w, bias, strides=[stride] * 2, start_padding=[size // 2] * 2,
            end_padding=[size // 2] * 2, group_count=groups, fused_activation=activation,
        )  # fmt: skip

    def normalized(x):
        parts = [weights(1, x.desc.sizes[1], 1, 1) for _ in range(4)]
        parts[1] = dml.abs(parts[1])
        return dml.batch_normalization(x, *parts, spatial=True, epsilon=1e-5)

    x = dml.activation_relu(normalized(conv(x, 24, 3, stride=2)))
    inner = dml.activation_relu(normalized(conv(x, 40, 1)))
    inner = dml.clip(normalized(conv(inner, 40, 3, groups=40)), min=0, max=6)
    x = dml.add(normalized(conv(inner, 24, 1)), x)
    pooled = dml.max_pooling(
        x, window_sizes=[3, 3], strides=[2, 2], start_padding=[1, 1], end_padding=[1, 1]
    )[0]
    averaged = dml.average_pooling(
        x, window_sizes=[3, 3], strides=[2, 2], start_padding=[1, 1], end_padding=[1, 1]
    )
    x = dml.join([pooled, averaged, conv(pooled, 24, 3, activation=RELU)], axis=1)
    gate = dml.reduce(x, function=dml.ReduceFunction.AVERAGE, axes=[2, 3])
    x = dml.multiply(x, dml.broadcast(dml.activation_sigmoid(gate), x.desc.sizes))
    return [conv(x, 16, 3), dml.reduce(x, function=dml.ReduceFunction.MAX, axes=[1])]


def _compiled(dtype=np.float32):
    graph = dml.Graph(dml.Device())
    return graph.compile(_network(graph, graph.input([1, 3, 30, 34], dtype=dtype, name="x")))


@pytest.mark.parametrize("dtype", [np.float32, np.float16])
def test_a_network_has_the_bits_that_it_has_without_the_pass(monkeypatch, dtype):
    data = {"x": _normal(6, 1, 3, 30, 34).astype(dtype)}
    with monkeypatch.context() as patched:
        patched.setattr(cpu, "channels_last", lambda plan: plan)
        plain = _compiled(dtype)
    assert not _steps_over_pixels(plain)
    expected = plain(data)

    compiled = _compiled(dtype)
    words = _steps_over_pixels(compiled)
    assert {"convolve", "average_pool", "max_pool"} <= words
    for name in dml.available_targets():
        for threads in (1, 2, 3, 5):
            with dml.configure(target=name, max_threads=threads):
                for actual, wanted in zip(compiled(data), expected, strict=True):
                    assert_bits_equal(actual=actual, expected=wanted)


def test_rows_of_a_plan_say_how_tensors_lie():
    compiled = _compiled()
    rows = plan_rows(compiled.plan, compiled.device.implementation)
    first = next(row for row in rows if row.does == "convolve")
    assert first.reads[0] == "FLOAT32 [1, 3, 30, 34]"
    assert first.reads[1].endswith(" in panels")
    assert first.writes == ("FLOAT32 [1, 24, 15, 17] by pixels",)


def _has_pixels(view):
    return isinstance(view, View) and len(view.sizes) > 2 and view.strides[1] == 1


def _steps_over_pixels(compiled):
    """Return the words whose result has the layout."""
    return {
        step.word.name
        for step in compiled.plan.steps
        if isinstance(step, WordStep) and _has_pixels(views_of(step)[1][0])
        and step.outputs[0].element_count > step.outputs[0].sizes[1]
    }  # fmt: skip


def test_nothing_is_copied_between_convolutions_and_programs():
    compiled = _compiled()
    copies = [
        step for step in compiled.plan.steps
        if isinstance(step, ProgramStep) and not step.program.instructions
        and _has_pixels(step.inputs[0]) != _has_pixels(step.outputs[0])
    ]  # fmt: skip

    # The output, and what REDUCE reads along channels.
    assert len(copies) <= 2


def test_channels_that_a_transposition_brought_beside_each_other_are_not_turned(monkeypatch):
    """As networks have it that normalize the channels of each pixel between convolutions."""
    data = {"x": _normal(3, 2, 24, 9, 14)}

    def compiled():
        graph = dml.Graph(dml.Device())
        x = graph.input(data["x"].shape, name="x")
        before, of_channels, after = (
            graph.constant(_normal(seed, *sizes))
            for seed, sizes in ((4, (40, 24, 3, 3)), (5, (40, 1, 3, 3)), (6, (24, 40, 1, 1)))
        )
        y = dml.transpose(dml.convolution(x, before), [0, 2, 3, 1])
        y = dml.transpose(dml.mean_variance_normalization(y, axes=[3]), [0, 3, 1, 2])
        y = dml.convolution(y, of_channels, group_count=40, start_padding=[1, 1])
        return graph.compile([dml.convolution(dml.activation_gelu(y), after)])

    with monkeypatch.context() as patched:
        patched.setattr(cpu, "channels_last", lambda plan: plan)
        (expected,) = compiled()(data)

    found = compiled()
    steps = found.plan.steps
    (normalized,) = (
        step for step in steps
        if isinstance(step, WordStep) and step.word.name.startswith("normalize")
    )  # fmt: skip
    assert normalized.inputs[0].is_packed
    # What is given and returned is turned; and the function.
    assert sum(isinstance(step, ProgramStep) for step in steps) <= 3
    for name in dml.available_targets():
        with dml.configure(target=name, max_threads=2):
            assert_bits_equal(actual=found(data)[0], expected=expected, where=name)


def test_images_that_are_stacked_are_no_channels(monkeypatch):
    """As networks have it that choose between two convolutions."""
    data = {"x": _normal(3, 1, 32, 14, 14)}

    def compiled():
        graph = dml.Graph(dml.Device())
        x = graph.input(data["x"].shape, name="x")
        both = [
            dml.convolution(x, graph.constant(_normal(seed, 32, 32, 3, 3)), start_padding=[2, 2])
            for seed in (4, 5)
        ]
        stacked = dml.join([dml.reinterpret(y, [1, 1, 32, 14, 14]) for y in both], axis=1)
        factors = graph.constant(_normal(6, 1, 2, 32, 1, 1))
        y = stacked * dml.reinterpret(factors, [1, 2, 32, 14, 14], strides=[64, 32, 1, 0, 0])
        y = dml.reduce(y, function=dml.ReduceFunction.SUM, axes=[1])
        y = dml.reinterpret(y, [1, 32, 14, 14])
        return graph.compile([dml.convolution(y, graph.constant(_normal(7, 24, 32, 1, 1)))])

    with monkeypatch.context() as patched:
        patched.setattr(cpu, "channels_last", lambda plan: plan)
        (expected,) = compiled()(data)

    found = compiled()
    stacks = [v for step in found.plan.steps for v in views_of(step)[0] if v and len(v.sizes) == 5]
    assert stacks
    assert all(view.strides[1] > view.strides[3] for view in stacks if view.sizes[3] > 1)
    assert_bits_equal(actual=found(data)[0], expected=expected)


@pytest.mark.parametrize(
    ("channels", "filters", "sizes", "taps", "is_copied"),
    [
        (64, 96, (14, 15), (3, 3), True),
        (256, 128, (90, 1), (5, 1), True),  # a gap between its pixels
        (16, 24, (14, 15), (3, 3), False),  # copies take as long as it does
        (300, 300, (9, 9), (1, 1), False),
    ],
)
def test_a_convolution_alone_has_copies_where_they_pay(
    monkeypatch, channels, filters, sizes, taps, is_copied
):
    data = {"x": _normal(3, 2, channels, *sizes)}

    def compiled():
        graph = dml.Graph(dml.Device())
        x = graph.input(data["x"].shape, name="x")
        weights = graph.constant(_normal(4, filters, channels, *taps))
        return graph.compile([dml.convolution(x, weights, start_padding=[1, 0])])

    with monkeypatch.context() as patched:
        patched.setattr(cpu, "channels_last", lambda plan: plan)
        (expected,) = compiled()(data)

    found = compiled()
    kinds = [type(step) for step in found.plan.steps]
    assert kinds == ([ProgramStep, WordStep, ProgramStep] if is_copied else [WordStep])
    for name in dml.available_targets():
        for threads in (1, 2, 3):
            with dml.configure(target=name, max_threads=threads):
                assert_bits_equal(actual=found(data)[0], expected=expected, where=name)


def test_convolutions_share_a_copy_of_what_they_read(monkeypatch):
    sizes = [1, 64, 14, 14]
    data = _normal(3, *sizes)

    def compiled():
        graph = dml.Graph(dml.Device())
        x = graph.input(sizes, name="x")

        def convolution(x, seed):
            return dml.convolution(x, graph.constant(_normal(seed, 96, 64, 3, 3)))

        return graph.compile([convolution(x, 4), convolution(x, 5), y := x * 2, convolution(y, 6)])

    def copies_of(plan):
        return sum(
            isinstance(step, ProgramStep) and not step.program.instructions
            and step.inputs[0].buffer < len(plan.inputs) + len(plan.outputs)
            for step in plan.steps
        )  # fmt: skip

    with monkeypatch.context() as patched:
        patched.setattr(cpu, "channels_last", lambda plan: plan)
        expected = compiled()({"x": data})
    found = compiled()
    assert copies_of(found.plan) == 2  # of x and y
    for out in (None, [None, None, data, None]):  # y where x was, at last
        for actual, wanted in zip(found({"x": data}, out=out), expected, strict=True):
            assert_bits_equal(actual=actual, expected=wanted)


@pytest.mark.usefixtures("target")
@pytest.mark.parametrize("channels", [5, 16, 40])
@pytest.mark.parametrize("word", [max_pool, average_pool])
@in_one_test(
    has_padding=[False, True],
    types=[(np.float32, np.float32), (np.float16, np.float16), (np.float16, np.float32)],
)
def test_pooling_steps_have_the_bits_of_words(channels, word, has_padding, types):
    padding = (1, 1) if has_padding else (0, 0)
    window = Window(sizes=(3, 2), strides=(2, 1), dilations=(1, 2), start_padding=padding,
                    end_padding=padding)  # fmt: skip
    x = _normal(7, 2, channels, 9, 8).astype(types[0])
    x[0, 0, 0, 0], x[1, 2, 3, 3] = np.nan, -np.inf
    x[0, -1, 5:8] = -0.0
    x[0, -1, 7, ::3] = 0.0
    fields = {"dtype": np.dtype(types[1])} if word is average_pool else {}
    expected = word(x, window, **fields)
    strides = [(n[1] * n[2] * n[3], 1, n[3] * n[1], n[1]) for n in (x.shape, expected.shape)]
    data_types = [as_data_type(each.dtype) for each in (x, expected)]
    step = WordStep(
        word.word, "", tuple(({"window": window} | fields).items()),
        (View(0, data_types[0], x.shape, strides[0]),),
        (View(1, data_types[1], expected.shape, strides[1]),),
    )  # fmt: skip
    out = _with_neighbours(np.zeros_like(expected))
    for threads in (1, 3):
        with dml.configure(max_threads=threads):
            memories = [np.moveaxis(each, 1, -1).reshape(-1).view(np.uint8)
                        for each in (_with_neighbours(x), out)]  # fmt: skip
            assert step.native is not None
            cpu.execute(cpu.joined([step]), memories)
            found = np.moveaxis(memories[1].view(expected.dtype).reshape(
                expected.shape[0], *expected.shape[2:], channels), -1, 1)  # fmt: skip
            assert_bits_equal(actual=found.copy(), expected=expected)


#: Images, channels, filters, size, stride, dilation and groups: beside what vectors and tiles hold.
INTEGERS = [
    (1, 3, 24, 3, 2, 1, 1),
    (2, 16, 40, 3, 1, 2, 1),
    (1, 24, 16, 1, 1, 1, 1),
    (1, 37, 33, 5, 1, 1, 1),
    (2, 8, 32, 1, 2, 1, 2),
    (1, 37, 37, 3, 1, 1, 37),
    (2, 16, 16, 5, 2, 1, 16),
    (1, 20, 20, 3, 1, 2, 20),
]


def _bytes(seed, dtype, *sizes):
    return np.random.default_rng(seed).integers(0, 256, sizes).astype(dtype)


@pytest.mark.usefixtures("target")
@pytest.mark.parametrize("shape", INTEGERS)
@in_one_test(types=[(np.uint8, np.int8), (np.int8, np.uint8)], zeros=["none", "one", "each"])
@pytest.mark.parametrize(("height", "width", "gap"), [(7, 10, 0), (14, 14, 5), (20, 33, 0)])
def test_convolutions_of_integers_have_the_bits_of_others(shape, types, zeros, height, width, gap):
    images, channels, filters, size, stride, dilation, groups = shape
    x = _bytes(1, types[0], images, channels, height, width)
    w = _bytes(2, types[1], filters, channels // groups, size, size)
    x_zero = _bytes(3, types[0], 1)
    count = {"none": 0, "one": 1, "each": filters}[zeros]
    nothing = np.array([128 if types[1] is np.uint8 else 0], types[1])
    w_zero = _bytes(4, types[1], count) if count else nothing
    reach = (size - 1) * dilation // 2
    fields = {"strides": (stride,) * 2, "dilations": (dilation,) * 2, "group_count": groups,
              "start_padding": (reach,) * 2, "end_padding": (reach, 0)}  # fmt: skip
    expected = convolve_integer(x, w, int(x_zero[0]), w_zero, **fields)

    packed = pack_integers(w, is_filter=True, group_count=groups).units
    out = _with_neighbours(np.zeros_like(expected), gap=gap)
    given = _with_neighbours(x, gap=gap)
    form = Panels(filter_matrices(w.shape, groups), is_transposed=True, filter_sizes=w.shape)
    arrays = [given, packed, x_zero, w_zero]
    views = [
        View(k, as_data_type(a.dtype), a.shape, tuple(s // a.itemsize for s in a.strides))
        for k, a in enumerate([*arrays, out])
    ]
    views[1] = views[1]._replace(panels=form)
    step = WordStep(convolve_integer.word, "", tuple(fields.items()), tuple(views[:4]),
                    (views[4],))  # fmt: skip
    memories = [a.view(np.uint8) for a in (given.base.reshape(-1), packed, x_zero, w_zero)]
    memories.append(out.base.reshape(-1).view(np.uint8))
    for threads in (1, 2, 3):
        out[...] = 0
        with dml.configure(max_threads=threads):
            assert step.native is not None
            assert _native.StepList([step.native]).run(memories, Settings.policy, 0) == 1
        assert_bits_equal(actual=out.copy(), expected=expected)
    assert (out.base[..., filters:] == 7).all(), "wrote beside the output"


@pytest.mark.usefixtures("target")
@pytest.mark.parametrize("channels", [5, 16, 70])
@pytest.mark.parametrize("has_padding", [False, True])
@pytest.mark.parametrize("dtype", [np.int8, np.uint8])
def test_pooling_of_bytes_has_the_bits_of_words(channels, has_padding, dtype):
    padding = (1, 1) if has_padding else (0, 0)
    window = Window(sizes=(3, 2), strides=(2, 1), dilations=(1, 2), start_padding=padding,
                    end_padding=padding)  # fmt: skip
    x = _bytes(7, dtype, 2, channels, 9, 8)
    expected = max_pool(x, window)
    given, out = _with_neighbours(x, gap=3), _with_neighbours(np.zeros_like(expected), gap=2)
    views = [View(k, as_data_type(a.dtype), a.shape, a.strides) for k, a in enumerate((given, out))]
    step = WordStep(max_pool.word, "", (("window", window),), (views[0],), (views[1],))
    for threads in (1, 3):
        out[...] = 0
        with dml.configure(max_threads=threads):
            memories = [a.base.reshape(-1).view(np.uint8) for a in (given, out)]
            assert _native.StepList([step.native]).run(memories, Settings.policy, 0) == 1
        assert_bits_equal(actual=out.copy(), expected=expected)
    assert (out.base[..., channels:] == 7).all(), "wrote beside the output"


def _quantized(graph, x):
    """Return the output of a small network of quantized convolutions."""
    seeds = iter(range(20, 99))
    scale = graph.constant(np.full((1, 1, 1, 1), 0.05, np.float32))
    zero = graph.constant(np.full((1, 1, 1, 1), 7, np.uint8))

    def conv(x, filters, size, groups=1):
        w = graph.constant(_bytes(next(seeds), np.int8, filters, x.shape[1] // groups, size, size))
        padding = [size // 2] * 2
        return dml.quantized_linear_convolution(
            x, scale, w, scale, scale, zero, None, None, zero, output_dtype=np.uint8,
            start_padding=padding, end_padding=padding, group_count=groups,
        )  # fmt: skip

    whole = [dml.broadcast(one, x.shape) for one in (scale, zero)]
    x = conv(dml.quantize_linear(x, *whole, output_dtype=np.uint8), 24, 3)
    x = dml.max_pooling(x, window_sizes=[2, 2], strides=[2, 2])[0]
    y = conv(conv(conv(x, 40, 1), 40, 3, groups=40), 24, 1)
    x = dml.quantized_linear_add(x, scale, zero, y, scale, zero, scale, zero, output_dtype=np.uint8)
    return conv(x, 16, 3)


def test_quantized_networks_have_the_layout():
    graph = dml.Graph(dml.Device())
    x = graph.input([1, 3, 30, 34], name="x")
    compiled = graph.compile([_quantized(graph, x)])

    rows = plan_rows(compiled.plan, compiled.device.implementation)
    convolutions = [row for row in rows if row.does == "convolve_integer"]
    assert len(convolutions) == 5
    for row in convolutions:
        assert row.writes[0].endswith(" by pixels"), row
        assert row.reads[1].endswith(" in panels"), row
    # The first reads what came in DirectML's order.
    assert all(row.reads[0].endswith(" by pixels") for row in convolutions[1:])
    (pooling,) = [row for row in rows if row.does == "max_pool"]
    assert pooling.writes[0].endswith(" by pixels")
    words = [step for step in compiled.plan.steps if isinstance(step, WordStep)]
    assert all(step.native is not None for step in words)


def _chain(length, operators, x, row, three):
    """Return what operations give of which each goes on with the number before."""
    subtract, multiply, divide, clip = operators
    for k in range(length):
        if k % 5 == 0:
            x = subtract(x, row)
        elif k % 5 == 1:
            x = multiply(row, x)
        elif k % 5 == 2:
            x = divide(x, three)
        else:
            x = clip(subtract(row, x))
    return x


@pytest.mark.usefixtures("target")
@pytest.mark.parametrize("length", [1, 5, 90])
@pytest.mark.parametrize("sizes", [(3, 7, 600), (40, 48), (4, 300), (2, 5)])
@pytest.mark.parametrize("is_repeated", [False, True])
def test_chains_of_operations_are_rounded_one_by_one(length, sizes, is_repeated):
    x, row = _normal(8, *(1,) * (4 - len(sizes)), *sizes), _normal(9, 1, 1, 1, sizes[-1])
    x.reshape(-1)[:3] = np.nan, np.inf, -0.0
    graph = dml.Graph(dml.Device())
    given = row if is_repeated else np.ascontiguousarray(np.broadcast_to(row, x.shape))
    inputs = graph.input(x.shape, name="x"), graph.input(given.shape, name="row")
    three = dml.broadcast(graph.constant(np.full((1, 1, 1, 1), 3, np.float32)), x.shape)
    operators = (dml.subtract, dml.multiply, dml.divide, lambda n: dml.clip(n, min=-2, max=2))
    compiled = graph.compile(
        [_chain(length, operators, inputs[0], dml.broadcast(inputs[1], x.shape), three)]
    )

    (actual,) = compiled({"x": x, "row": given})

    two = np.float32(2)
    with np.errstate(all="ignore"):
        expected = _chain(
            length,
            (np.subtract, np.multiply, np.divide, lambda n: np.clip(n, -two, two)),
            x, row, np.float32(3),
        )  # fmt: skip
    expected[np.isnan(expected)] = np.nan
    assert_bits_equal(actual=actual, expected=expected)


def test_the_plan_is_data_still():
    compiled = _compiled()
    assert hash(compiled.plan) == hash(dataclasses.replace(compiled.plan))
