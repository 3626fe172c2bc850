"""Convolutions between DequantizeLinear and QuantizeLinear go by integers: the bits of FLOAT32."""

import itertools

import numpy as np
import pytest

import indirectml as dml
from indirectml.arithmetic.settling import settle_convolution
from indirectml.core.settings import available_targets
from indirectml.devices import cpu
from indirectml.passes import settling
from tests import onnx_models
from tests.arithmetic import products
from tests.bits import assert_bits_equal
from tests.extent import chosen
from tests.passes.settled import integers, quantized, words

SEED = 43
U8, S8 = np.uint8, np.int8

CASES = {
    # input, filters and their sizes, strides, dilations, padding; data types of input, filters and
    # result
    "3 x 3 with padding": ((1, 12, 9, 11), 24, (3, 3), (1, 1), (1, 1), (1, 1, 1, 1), U8, S8, U8),
    "pixels alone, two images": ((2, 64, 7, 5), 16, (1, 1), (1, 1), (1, 1), (0,) * 4, S8, S8, U8),
    "every second pixel": ((1, 8, 15, 14), 33, (3, 2), (2, 1), (1, 2), (1, 0, 2, 1), S8, U8, S8),
    "a chain of chains": ((1, 60, 6, 6), 40, (3, 3), (1, 1), (1, 1), (1, 1, 1, 1), U8, U8, U8),
    "first layers": ((2, 3, 22, 19), 16, (7, 7), (2, 2), (1, 1), (3, 3, 3, 3), U8, S8, U8),
    "one spatial dimension": ((3, 16, 20), 17, (5,), (1,), (1,), (2, 2), U8, S8, S8),
    "more padding than pixels": (
        (1, 4, 3, 3),
        16,
        (3, 3),
        (1, 1),
        (1, 1),
        (4, 4, 4, 4),
        U8,
        S8,
        U8,
    ),
}
#: Whether there is a bias, and what limits there are.
TAILS = {
    "nothing": (False, None),
    "a bias": (True, None),
    "a bias and a relu": (True, (0.0, np.inf)),
    "a clip": (False, (-0.3, 0.7)),
}
#: Of the input, the filters, also one for each of them, and the result.
SCALES = {
    "one": (0.013, 0.021, 0.11),
    "of filters": (0.013, "filters", 0.11),
    "symmetric": (0.013, "filters", 0.11),
    "a negative one": (0.013, -0.021, 0.11),
    "zero": (0.013, 0.021, 0.0),
    "infinite": (np.inf, 0.021, 0.11),
    "NaN": (0.013, np.nan, 0.11),
    "of an input without one": (np.nan, 0.021, 0.11),
    "tiny": (1e-45, 0.021, 1e-38),
}


def _patches(x, kernel, strides, dilations, padding):
    """Return what each output reads, in the order of filters: (images, outputs, depth)."""
    axes = len(kernel)
    around = [(padding[n], padding[n + axes]) for n in range(axes)]
    x = np.pad(x, [(0, 0), (0, 0), *around])
    counts = [
        (size - (taps - 1) * apart - 1) // step + 1
        for size, taps, apart, step in zip(x.shape[2:], kernel, dilations, strides, strict=True)
    ]
    found = np.empty((x.shape[0], *counts, x.shape[1], *kernel), x.dtype)
    for tap in itertools.product(*map(range, kernel)):
        where = tuple(
            slice(t * d, t * d + (n - 1) * s + 1, s)
            for t, d, n, s in zip(tap, dilations, counts, strides, strict=True)
        )
        found[(..., *tap)] = np.moveaxis(x[(slice(None), slice(None), *where)], 1, -1)
    return found.reshape(x.shape[0], int(np.prod(counts)), -1), counts


def _total(x, w, bias, windows):
    """Return a convolution of FLOAT32 by chains of 256."""
    patches, counts = _patches(x, w.shape[2:], *windows)
    total = np.stack([products.contract(each, w.reshape(len(w), -1).T) for each in patches])
    total = total if bias is None else total + bias
    return np.moveaxis(total, -1, 1).reshape(len(x), len(w), *counts)


class _Net:
    """A model of convolutions in the making, and what it has to give."""

    def __init__(self, sizes, dtype):
        self.random = np.random.default_rng(SEED)
        self.model = onnx_models.Model(opset=17)
        self.given = integers(self.random, dtype, *sizes)
        self.name, self.numbers = self.model.input("x", list(sizes), dtype), self.given
        self.layers = 0

    def _constants(self, prefix, scale, zero):
        return (
            self.model.constant(f"{prefix}_scale", np.asarray(scale, np.float32)),
            self.model.constant(f"{prefix}_zero", np.asarray(zero)),
        )

    def dequantized(self, scale):
        zero = integers(self.random, self.numbers.dtype, 1)[0]
        prefix = f"x{self.layers}"
        name = self.model.node("DequantizeLinear", self.name, *self._constants(prefix, scale, zero))
        return name, (self.numbers.astype(np.float32) - np.float32(zero)) * np.float32(scale)

    def convolve(self, case, tail, scales):
        """Add a convolution of the first `filters` of what there is, quantized."""
        _, filters, kernel, *windows, _, right, result = CASES[case]
        has_bias, limits = TAILS[tail]
        x_scale, w_scale, scale = SCALES[scales]
        self.layers += 1
        if w_scale == "filters":
            w_scale = self.random.uniform(0.001, 0.05, filters)
        w_scale, scale = np.asarray(w_scale, np.float32), np.float32(scale)
        w = integers(self.random, right, filters, self.numbers.shape[1], *kernel)
        w_zero, zero = (
            integers(self.random, right, *w_scale.shape),
            integers(self.random, result, 1),
        )
        if scales == "symmetric":
            w_zero = np.full_like(w_zero, 0 if right is S8 else 128)
        bias = self.random.standard_normal(filters).astype(np.float32) if has_bias else None
        with np.errstate(all="ignore"):
            name, x = self.dequantized(x_scale)
            prefix = f"w{self.layers}"
            read = self.model.node(
                "DequantizeLinear",
                self.model.constant(prefix, w),
                *self._constants(prefix, w_scale, w_zero),
                axis=0,
            )
            more = [self.model.constant(f"{prefix}_bias", bias)] if has_bias else []
            strides, dilations, pads = map(list, windows)
            y = self.model.node(
                "Conv", name, read, *more, strides=strides, dilations=dilations, pads=pads
            )
            if limits == (0.0, np.inf):
                y = self.model.node("Relu", y)
            elif limits:
                bounds = [
                    self.model.constant(f"{prefix}_{n}", np.float32(b))
                    for n, b in enumerate(limits)
                ]
                y = self.model.node("Clip", y, *bounds)
            self.before = y
            by_filter = (-1, *(1,) * (w.ndim - 1))
            if w_scale.shape:
                w_scale, w_zero = w_scale.reshape(by_filter), w_zero.reshape(by_filter)
            weights = (w.astype(np.float32) - w_zero.astype(np.float32)) * w_scale
            total = _total(x, weights, bias, windows)
            self.numbers = quantized(total, scale, zero[0], limits, result)
        self.name = self.model.node(
            "QuantizeLinear", y, *self._constants(f"{prefix}_y", scale, zero[0])
        )
        return self

    def loaded(self, *others):
        return dml.load_onnx(self.model.proto(self.name, *others))


def _net(case, tail="nothing", scales="of filters"):
    sizes, *_, left, _, _ = CASES[case]
    return _Net(sizes, left).convolve(case, tail, scales)


@pytest.fixture(autouse=True)
def gains(monkeypatch):
    """On every processor."""
    for module in (settling, cpu):
        monkeypatch.setattr(module, "gains_by_integers", lambda **_: True)


@pytest.mark.parametrize(
    ("case", "tail", "target"), chosen(CASES, TAILS, available_targets()), ids=str
)
def test_has_the_bits_of_floats(case, tail, target):
    dml.configure(target=target)
    for scales in ("one", "of filters", "symmetric"):
        net = _net(case, tail, scales)
        loaded = net.loaded()
        for threads in (1, 2, 3, 5):
            dml.configure(max_threads=threads)
            (actual,) = loaded(x=net.given)
            where = f"{scales}, {threads} threads, seed {SEED}"
            assert_bits_equal(actual=actual, expected=net.numbers, where=where)
        assert words(loaded).count("settle_convolution") == 1, words(loaded)


@pytest.mark.parametrize("scales", SCALES)
def test_odd_scales_are_computed(scales):
    for case in ("3 x 3 with padding", "pixels alone, two images"):
        net = _net(case, "a bias", scales)
        loaded = net.loaded()

        (actual,) = loaded(x=net.given)

        assert "settle_convolution" in words(loaded)
        assert_bits_equal(actual=actual, expected=net.numbers, where=f"{case}, seed {SEED}")


def test_the_numpy_form_has_the_same_bits():
    native = settle_convolution.word.native
    try:
        settle_convolution.word.native = None
        for case, tail in (
            ("3 x 3 with padding", "a bias and a relu"),
            ("every second pixel", "a clip"),
        ):
            net = _net(case, tail)
            loaded = net.loaded()

            (actual,) = loaded(x=net.given)

            assert "settle_convolution" in words(loaded)
            assert_bits_equal(actual=actual, expected=net.numbers, where=f"{case}, seed {SEED}")
    finally:
        settle_convolution.word.native = native


def test_layers_hand_on_integers_whose_channels_are_beside_each_other():
    net = _Net((1, 32, 16, 16), U8)
    for case in ("3 x 3 with padding", "pixels alone, two images", "every second pixel"):
        net.convolve(case, "a bias and a relu", "of filters")
    loaded = net.loaded()

    (actual,) = loaded(x=net.given)

    steps = [
        s for s in loaded.compiled.plan.steps if str(getattr(s, "word", "")) == "settle_convolution"
    ]
    assert [s.outputs[0].strides[1] for s in steps[:2]] == [1, 1]
    assert all(s.native is not None for s in steps)
    assert_bits_equal(actual=actual, expected=net.numbers, where=f"seed {SEED}")


def test_a_convolution_that_something_else_reads_has_filters_that_are_computed_while_loading():
    net = _net("3 x 3 with padding")
    loaded = net.loaded(net.model.node("Neg", net.before))

    actual, _ = loaded(x=net.given)

    names = [name for step in loaded.compiled.plan.steps for name in step.operator_names]
    assert "settle_convolution" not in words(loaded)
    assert names.count("ELEMENT_WISE_DEQUANTIZE_LINEAR") == 1  # of what the call gives
    assert_bits_equal(actual=actual, expected=net.numbers, where=f"seed {SEED}")


def test_pixels_of_three_channels_stay_in_planes():
    net = _net("first layers")
    loaded = net.loaded()
    (step,) = [
        s for s in loaded.compiled.plan.steps if str(getattr(s, "word", "")) == "settle_convolution"
    ]

    x = step.inputs[0]

    assert x.sizes == net.given.shape
    assert x.strides[1] == x.sizes[2] * x.sizes[3]


def test_filters_that_two_convolutions_read_are_there_once():
    random = np.random.default_rng(SEED)
    w = integers(random, S8, 16, 16, 3, 3)
    model = onnx_models.Model(opset=17)
    constants = [model.constant(n, v) for n, v in (("s", np.float32(0.02)), ("z", S8(3)))]
    filters = model.node("DequantizeLinear", model.constant("w", w), *constants)
    outputs, given, expected = [], {}, []
    for n, size in enumerate((5, 8)):
        given[f"x{n}"] = x = integers(random, S8, 1, 16, size, size)
        read = model.node("DequantizeLinear", model.input(f"x{n}", list(x.shape), S8), *constants)
        y = model.node("Conv", read, filters, pads=[1] * 4)
        outputs.append(model.node("QuantizeLinear", y, *constants))
        floats = [(each - np.float32(3)) * np.float32(0.02) for each in (x.astype(np.float32), w)]
        total = _total(*floats, None, ((1, 1), (1, 1), (1,) * 4))
        expected.append(quantized(total, np.float32(0.02), S8(3), None, S8))
    loaded = dml.load_onnx(model.proto(*outputs))

    actual = loaded(**given)

    assert words(loaded).count("settle_convolution") == 2
    assert all(
        step.native is not None for step in loaded.compiled.plan.steps if hasattr(step, "word")
    )
    for own, other in zip(actual, expected, strict=True):
        assert_bits_equal(actual=own, expected=other, where=f"seed {SEED}")


def test_other_readers_see_the_numbers():
    """A product of matrices as many as filters, and a convolution of what is turned before."""
    random = np.random.default_rng(SEED)
    scale, zero = np.float32(0.02), S8(3)
    model = onnx_models.Model(opset=17)
    constants = [model.constant("s", scale), model.constant("z", zero)]

    def floats(x):
        return (x.astype(np.float32) - np.float32(zero)) * scale

    matrices, filters = integers(random, S8, 16, 8, 4), integers(random, S8, 16, 8, 3, 3)
    x, turned = integers(random, S8, 16, 5, 8), integers(random, S8, 1, 6, 6, 8)
    product, y = (
        model.node(
            "QuantizeLinear",
            model.node(
                kind,
                change(model.node("DequantizeLinear", given, *constants)),
                model.node("DequantizeLinear", model.constant(kind, weights), *constants),
            ),
            *constants,
        )
        for kind, given, weights, change in (
            ("MatMul", model.input("x", [16, 5, 8], S8), matrices, lambda name: name),
            ("Conv", model.input("turned", [1, 6, 6, 8], S8), filters,
             lambda name: model.node("Transpose", name, perm=[0, 3, 1, 2])),
        )
    )  # fmt: skip
    loaded = dml.load_onnx(model.proto(product, y))

    actual = loaded(x=x, turned=turned)

    products_of = [
        products.contract(*each) for each in zip(floats(x), floats(matrices), strict=True)
    ]
    images = floats(np.moveaxis(turned, -1, 1))
    totals = (
        np.stack(products_of),
        _total(images, floats(filters), None, ((1, 1), (1, 1), (0,) * 4)),
    )
    for own, total in zip(actual, totals, strict=True):
        expected = quantized(total, scale, zero, None, S8)
        assert_bits_equal(actual=own, expected=expected, where=f"seed {SEED}")


def test_exported_models_come_back_with_the_same_bits():
    net = _net("a chain of chains", "a bias and a relu")
    exported = net.loaded().to_onnx()
    loaded = dml.load_onnx(exported)

    (actual,) = loaded(x=net.given)

    assert "settle_convolution" in words(loaded)
    assert_bits_equal(actual=actual, expected=net.numbers, where=f"seed {SEED}")


def test_a_limit_without_inputs_is_refused_by_its_name():
    """Who looks for what is quantized does not expect that nodes read or make anything."""
    for kind in ("Relu", "Clip", "QuantizeLinear"):
        model = onnx_models.Model(opset=17)
        given = [model.input("x", [1, 4], np.float32)]
        given += [model.constant("scale", np.float32(1))] if kind == "QuantizeLinear" else []
        proto = model.proto(model.node(kind, *given))
        del proto.graph.node[0].input[:]
        with pytest.raises(dml.DirectMLError, match=rf"nodes\[0\] \({kind}\)"):
            dml.load_onnx(proto)


def test_what_is_added_along_rows_is_no_bias():
    """A bias is of channels; here as many pixels are in a row as filters, with a number each."""
    random = np.random.default_rng(SEED)
    x, w = integers(random, U8, 1, 16, 4, 16), integers(random, S8, 16, 16, 1, 1)
    added = random.standard_normal(16).astype(np.float32)
    x_scale, w_scale, scale = np.float32(0.013), np.float32(0.02), np.float32(0.3)
    graph = dml.Graph(dml.Device())
    given = graph.input(x.shape, U8, name="x")

    def repeated(array, sizes):
        return dml.broadcast(
            graph.constant(array.reshape((1,) * (4 - array.ndim) + array.shape)), sizes
        )

    floats = dml.dequantize_linear(given, repeated(np.full(1, x_scale), x.shape))
    weights = dml.dequantize_linear(graph.constant(w), repeated(np.full(1, w_scale), w.shape))
    total = dml.add(dml.convolution(floats, weights), repeated(added, x.shape))
    result = dml.quantize_linear(total, repeated(np.full(1, scale), x.shape), output_dtype=U8)

    (actual,) = graph.compile([result])(x=x)

    total = _total(x * x_scale, w * w_scale, None, ((1, 1), (1, 1), (0,) * 4)) + added
    expected = quantized(total, scale, U8(0), None, U8)
    assert_bits_equal(actual=actual, expected=expected, where=f"seed {SEED}")


def test_floats_stay_where_integers_are_no_faster(monkeypatch):
    for module in (settling, cpu):
        monkeypatch.setattr(module, "gains_by_integers", lambda **_: False)
    net = _net("3 x 3 with padding", "a bias")
    loaded = net.loaded()

    (actual,) = loaded(x=net.given)

    assert "settle_convolution" not in words(loaded)
    assert_bits_equal(actual=actual, expected=net.numbers, where=f"seed {SEED}")


def test_other_sizes_have_plans_of_their_own():
    net = _net("3 x 3 with padding", "a bias")
    proto = net.model.proto(net.name)
    proto.graph.input[0].type.tensor_type.shape.dim[2].dim_param = "rows"
    loaded = dml.load_onnx(proto)
    for rows in (9, 4, 9, 2):
        (actual,) = loaded(x=net.given[:, :, :rows])
        expected = net.numbers[:, :, : rows - 1]  # the last row reads padding below
        assert_bits_equal(actual=actual[:, :, : rows - 1], expected=expected, where=f"{rows} rows")


@pytest.mark.parametrize("sizes", [(16, 16, 3, 3), (64, 64)])
def test_scales_that_do_not_fit_are_refused_where_they_are(sizes):
    model = onnx_models.Model(opset=17)
    scales = [
        model.constant(n, np.full(count, 0.1, np.float32)) for n, count in (("s", 1), ("t", 7))
    ]
    given = [1, 16, 8, 8] if len(sizes) > 2 else [16, 64]
    x = model.node("DequantizeLinear", model.input("x", given, U8), scales[0])
    w = model.node("DequantizeLinear", model.constant("w", np.ones(sizes, S8)), scales[1], axis=0)
    y = model.node("Conv" if len(sizes) > 2 else "MatMul", x, w)
    with pytest.raises(dml.DirectMLError, match=r"nodes\[1\] \(DequantizeLinear\)"):
        dml.load_onnx(model.proto(model.node("QuantizeLinear", y, scales[0])))
