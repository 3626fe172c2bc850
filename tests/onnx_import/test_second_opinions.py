"""Nodes whose attributes ONNX's own tests leave out, by ONNX Runtime as a second opinion."""

import numpy as np
import onnx
import pytest
from onnx import helper

import indirectml as dml
from tests.onnx_import.models import model
from tests.onnx_models import session

F32 = np.float32


def node_model(operator, inputs, known=(), *, outputs=1, opset=18, domain="", **attributes):
    """Return a model of one node; inputs whose numbers are in `known` are initializers.

    An input or output that is None is left out.
    """
    names = ["" if a is None else f"x{k}" for k, a in enumerate(inputs)]
    wanted = outputs if isinstance(outputs, tuple) else (True,) * outputs
    made = [f"y{k}" if is_wanted else "" for k, is_wanted in enumerate(wanted)]
    node = helper.make_node(operator, names, made, domain=domain, **attributes)
    given = {
        names[k]: helper.make_tensor_value_info(
            names[k], helper.np_dtype_to_tensor_dtype(a.dtype), a.shape
        )
        for k, a in enumerate(inputs)
        if a is not None and k not in known
    }
    initializers = [
        onnx.numpy_helper.from_array(np.asarray(inputs[k]), names[k])
        for k in known
        if inputs[k] is not None
    ]
    graph = helper.make_graph(
        [node],
        operator,
        list(given.values()),
        [onnx.ValueInfoProto(name=name) for name in made if name],
        initializers,
    )
    imports = [helper.make_opsetid("", opset)]
    imports += [helper.make_opsetid(domain, 1)] if domain else []
    model = helper.make_model(graph, opset_imports=imports, ir_version=8)
    return model, {n: inputs[int(n[1:])] for n in given}


def assert_same(operator, inputs, known=(), *, rtol=1e-4, atol=1e-5, **rest):
    """Compare IndirectML with ONNX Runtime: integers exactly, floats within a tolerance."""
    model, given = node_model(operator, inputs, known, **rest)
    expected = session(model.SerializeToString()).run(None, given)
    actual = dml.load_onnx(model)(given)
    for got, stated in zip(actual, expected, strict=True):
        assert got.dtype == stated.dtype
        assert got.shape == stated.shape
        if stated.dtype.kind == "f":
            np.testing.assert_allclose(got, stated, rtol=rtol, atol=atol)
        else:
            np.testing.assert_array_equal(got, stated)


def normal(*sizes, seed=1):
    return np.random.default_rng(seed).standard_normal(sizes).astype(F32)


def integers(low, high, *sizes, dtype=np.int64, seed=2):
    return np.random.default_rng(seed).integers(low, high, sizes).astype(dtype)


# ---- recurrent ----

STEPS, BATCH, WIDTH, HIDDEN = 5, 3, 4, 2
GATES = {"RNN": 1, "GRU": 3, "LSTM": 4}


def network(operator, directions, *, bias=True, lengths=True, state=True, peepholes=False):
    gates = GATES[operator]
    inputs = [
        normal(STEPS, BATCH, WIDTH),
        normal(directions, gates * HIDDEN, WIDTH, seed=2),
        normal(directions, gates * HIDDEN, HIDDEN, seed=3),
        normal(directions, 2 * gates * HIDDEN, seed=4) if bias else None,
        np.array([5, 1, 3], np.int32) if lengths else None,
        normal(directions, BATCH, HIDDEN, seed=5) if state else None,
    ]
    if operator == "LSTM":
        inputs.append(normal(directions, BATCH, HIDDEN, seed=6) if state else None)
        inputs.append(normal(directions, 3 * HIDDEN, seed=7) if peepholes else None)
    while inputs[-1] is None:
        inputs.pop()
    return inputs


@pytest.mark.parametrize("operator", GATES)
@pytest.mark.parametrize("direction", ["forward", "reverse", "bidirectional"])
@pytest.mark.parametrize("has_all", [False, True])
def test_recurrent(operator, direction, has_all):
    directions = 1 + (direction == "bidirectional")
    inputs = network(operator, directions, bias=has_all, lengths=has_all, state=has_all)
    outputs = 3 if operator == "LSTM" else 2
    assert_same(operator, inputs, outputs=outputs, hidden_size=HIDDEN, direction=direction)


@pytest.mark.parametrize("operator", GATES)
@pytest.mark.parametrize("wanted", [(True, False), (False, True)])
def test_recurrent_with_one_output(operator, wanted):
    assert_same(operator, network(operator, 2), outputs=wanted, hidden_size=HIDDEN,
                direction="bidirectional")  # fmt: skip


def test_gru_with_its_linear_part_before_the_reset():
    assert_same("GRU", network("GRU", 2), outputs=2, hidden_size=HIDDEN,
                direction="bidirectional", linear_before_reset=1)  # fmt: skip


def test_lstm_with_peepholes_limits_and_coupled_gates():
    inputs = network("LSTM", 2, peepholes=True)
    assert_same("LSTM", inputs, outputs=3, hidden_size=HIDDEN, direction="bidirectional")
    assert_same("LSTM", inputs, outputs=3, hidden_size=HIDDEN, direction="bidirectional", clip=0.5)
    assert_same("LSTM", network("LSTM", 1), outputs=3, hidden_size=HIDDEN, input_forget=1)


ACTIVATIONS = [
    (["Relu"], {}),
    (["Affine"], {"activation_alpha": [0.5], "activation_beta": [0.25]}),
    (["LeakyRelu"], {"activation_alpha": [0.25]}),
    (["ThresholdedRelu"], {"activation_alpha": [0.25]}),
    (["ScaledTanh"], {"activation_alpha": [0.5], "activation_beta": [2.0]}),
    (["HardSigmoid"], {"activation_alpha": [0.25], "activation_beta": [0.25]}),
    (["Elu"], {"activation_alpha": [0.5]}),
    (["Softsign"], {}),
    (["Softplus"], {}),
    (["Sigmoid"], {}),
]


@pytest.mark.parametrize(("names", "numbers"), ACTIVATIONS, ids=str)
def test_activations_of_networks(names, numbers):
    assert_same("RNN", network("RNN", 1), outputs=2, hidden_size=HIDDEN, activations=names,
                **numbers)  # fmt: skip


# ---- scans ----


@pytest.mark.parametrize("opset", [9, 10, 18])
def test_top_k(opset):
    x = normal(3, 7, 2)
    k = np.array([4], np.int64)
    if opset == 9:
        assert_same("TopK", [x], outputs=2, opset=9, k=4, axis=1)
    else:
        assert_same("TopK", [x, k], (1,), outputs=2, opset=opset, axis=-2)


def test_top_k_of_the_smallest():
    x = integers(-50, 50, 4, 9, dtype=np.int32)
    assert_same("TopK", [x, np.array([9], np.int64)], (1,), outputs=2, largest=0)


@pytest.mark.parametrize("dtype", [np.float32, np.int32, np.int64])
@pytest.mark.parametrize("attributes", [{}, {"reverse": 1}, {"exclusive": 1, "reverse": 1}])
def test_running_sums(dtype, attributes):
    x = integers(-9, 9, 2, 5, 3, dtype=dtype)
    assert_same("CumSum", [x, np.array(-2, np.int64)], (1,), **attributes)


# ---- resampling ----

COORDINATES = ["half_pixel", "pytorch_half_pixel", "asymmetric", "align_corners",
               "half_pixel_symmetric"]  # fmt: skip


@pytest.mark.parametrize("coordinates", COORDINATES)
@pytest.mark.parametrize("mode", ["nearest", "linear", "cubic"])
@pytest.mark.parametrize("sizes", [(7, 3), (2, 11), (1, 1)])
def test_resize(coordinates, mode, sizes):
    x = normal(2, 3, 5, 6)
    assert_same("Resize", [x, None, None, np.array([2, 3, *sizes], np.int64)], (3,), opset=19,
                mode=mode, coordinate_transformation_mode=coordinates)  # fmt: skip


@pytest.mark.parametrize("nearest", ["floor", "ceil", "round_prefer_floor", "round_prefer_ceil"])
@pytest.mark.parametrize("coordinates", ["half_pixel", "asymmetric", "align_corners"])
@pytest.mark.parametrize("scale", [2.0, 0.5, 1.5])
def test_resize_to_the_nearest(nearest, coordinates, scale):
    # Sizes times scales are whole: else ONNX Runtime aligns corners otherwise than ONNX's tests.
    x = normal(1, 2, 8, 6)
    scales = np.array([1, 1, scale, scale], F32)
    assert_same("Resize", [x, None, scales], (2,), opset=13, mode="nearest",
                nearest_mode=nearest, coordinate_transformation_mode=coordinates)  # fmt: skip


@pytest.mark.parametrize("dtype", [np.uint8, np.int8, np.int32])
def test_resize_of_integers(dtype):
    x = integers(0, 100, 1, 2, 5, 6, dtype=dtype)
    assert_same("Resize", [x, None, np.array([1, 1, 2, 3], F32)], (2,), opset=13, mode="nearest")


def test_resize_of_five_dimensions():
    x = normal(2, 2, 3, 4, 5)
    scales = np.array([1, 1, 2, 1.5, 2], F32)
    assert_same("Resize", [x, None, scales], (2,), opset=13, mode="nearest")
    assert_same("Resize", [x, None, scales], (2,), opset=13, mode="linear")


@pytest.mark.parametrize("mode", ["linear", "cubic"])
def test_resize_against_aliasing(mode):
    x = normal(1, 2, 9, 8)
    assert_same("Resize", [x, None, np.array([1, 1, 0.4, 0.7], F32)], (2,), opset=18, mode=mode,
                antialias=1)  # fmt: skip


@pytest.mark.parametrize("mode", ["nearest", "linear"])
def test_older_forms_of_resize(mode):
    x, scales = normal(1, 2, 4, 4), np.array([1, 1, 2, 3], F32)
    assert_same("Upsample", [x], opset=7, mode=mode, scales=scales.tolist())
    assert_same("Upsample", [x, scales], (1,), opset=9, mode=mode)
    assert_same("Resize", [x, scales], (1,), opset=10, mode=mode)


# ---- regions ----

REGIONS = np.array([[0, 0, 3, 5], [1.5, 2, 7, 6.25], [2, 2, 2.25, 2.5], [5, 4, 9, 9]], F32)


@pytest.mark.parametrize("samples", [0, 2])
@pytest.mark.parametrize("mode", ["half_pixel", "output_half_pixel"])
@pytest.mark.parametrize("scale", [1.0, 0.5])
def test_regions_aligned(samples, mode, scale):
    inputs = [normal(2, 3, 8, 9), REGIONS, np.array([0, 1, 1, 0], np.int64)]
    assert_same("RoiAlign", inputs, opset=16, output_height=3, output_width=2, spatial_scale=scale,
                sampling_ratio=samples, coordinate_transformation_mode=mode)  # fmt: skip


def test_regions_aligned_before_modes():
    inputs = [normal(2, 3, 8, 9), REGIONS, np.array([0, 1, 1, 0], np.int64)]
    assert_same("RoiAlign", inputs, opset=10, output_height=2, output_width=2)


def test_largest_of_regions():
    rois = np.concatenate([np.array([[0], [1], [1], [0]], F32), np.floor(REGIONS)], 1)
    assert_same("MaxRoiPool", [normal(2, 3, 8, 9), rois], opset=13, pooled_shape=[3, 2],
                spatial_scale=0.5)  # fmt: skip


@pytest.mark.parametrize("mode", ["bilinear", "nearest", "bicubic"])
@pytest.mark.parametrize("padding", ["zeros", "border", "reflection"])
@pytest.mark.parametrize("aligned", [0, 1])
def test_grid_sample(mode, padding, aligned):
    grid = (1.7 * normal(2, 4, 3, 2, seed=8)).astype(F32)
    assert_same("GridSample", [normal(2, 3, 5, 6), grid], opset=16, mode=mode,
                padding_mode=padding, align_corners=aligned)  # fmt: skip


@pytest.mark.parametrize("mode", ["linear", "nearest"])
@pytest.mark.parametrize("padding", ["zeros", "border", "reflection"])
def test_grid_sample_of_volumes(mode, padding):
    grid = (1.7 * normal(2, 4, 3, 2, 3, seed=8)).astype(F32)
    assert_same("GridSample", [normal(2, 3, 5, 6, 4), grid], opset=20, mode=mode,
                padding_mode=padding)  # fmt: skip


@pytest.mark.parametrize(("mode", "most"), [("nearest", 19), ("linear", 31), ("cubic", 49)])
def test_grid_sample_is_few_operators_whatever_the_number_of_taps(mode, most):
    text = (
        "(float[2, 3, 5, 6] x, float[2, 4, 3, 2] grid) => (float[2, 3, 4, 3] y)"
        f' {{ y = GridSample<mode = "{mode}">(x, grid) }}'
    )
    assert len(dml.load_onnx(model(text, opset=20)).serialized().operators) <= most


# ---- quantized ----


def test_quantized_product_with_scales_per_column():
    a, b = integers(0, 255, 4, 5, dtype=np.uint8), integers(-128, 127, 5, 3, dtype=np.int8)
    scales = np.array([0.02, 0.01, 0.03], F32)
    zeros = np.array([1, -2, 3], np.int8)
    inputs = [a, np.array(0.05, F32), np.array(120, np.uint8), b, scales, zeros,
              np.array(0.1, F32), np.array(100, np.uint8)]  # fmt: skip
    assert_same("QLinearMatMul", inputs)


def test_integer_product_of_batches():
    a, b = integers(0, 255, 2, 3, 4, 5, dtype=np.uint8), integers(0, 255, 3, 5, 2, dtype=np.uint8)
    assert_same("MatMulInteger", [a, b, np.array(7, np.uint8), np.array(200, np.uint8)])
    assert_same("MatMulInteger", [a[0, 0], b[0]])


@pytest.mark.parametrize("group", [1, 2])
def test_quantized_convolution_with_scales_per_channel(group):
    x = integers(0, 255, 2, 4, 6, 7, dtype=np.uint8)
    # Sums of two products by weights of 8 bits saturate in ONNX Runtime where there is no VNNI.
    w = integers(-64, 64, 6, 4 // group, 3, 2, dtype=np.int8)
    scales = np.linspace(0.01, 0.03, 6, dtype=F32)
    inputs = [x, np.array(0.05, F32), np.array(120, np.uint8), w, scales, np.zeros(6, np.int8),
              np.array(0.2, F32), np.array(100, np.uint8),
              integers(-99, 99, 6, dtype=np.int32)]  # fmt: skip
    assert_same("QLinearConv", inputs, group=group, pads=[1, 0, 2, 1], strides=[2, 1])


def test_integer_convolution():
    x = integers(0, 255, 2, 2, 6, 7, dtype=np.uint8)
    w = integers(0, 255, 3, 2, 3, 2, dtype=np.uint8)
    inputs = [x, w, np.array(7, np.uint8), np.array(9, np.uint8)]
    assert_same("ConvInteger", inputs, (1,), auto_pad="SAME_UPPER", strides=[1, 2])


@pytest.mark.parametrize("dtype", [np.uint8, np.int8])
@pytest.mark.parametrize("axis", [0, -1])
def test_quantize_along_an_axis_and_back(dtype, axis):
    x = 20 * normal(3, 4, 3)
    scale, zero = np.array([0.1, 0.2, 0.3], F32), np.array([1, 2, 3], dtype)
    assert_same("QuantizeLinear", [x, scale, zero], opset=13, axis=axis)
    q = integers(-100, 100, 3, 4, 3, dtype=dtype)
    assert_same("DequantizeLinear", [q, scale, zero], opset=13, axis=axis)


@pytest.mark.parametrize("dtype", [np.uint8, np.int8, np.uint16, np.int16])
def test_quantize_in_blocks_and_back(dtype):
    x, scale = 20 * normal(4, 6), np.abs(normal(4, 2, seed=3)) + F32(0.1)
    zero = integers(0, 9, 4, 2, dtype=dtype)
    assert_same("QuantizeLinear", [x, scale, zero], opset=21, axis=1, block_size=3)
    q = integers(0, 100, 4, 6, dtype=dtype)
    assert_same("DequantizeLinear", [q, scale, zero], opset=21, axis=1, block_size=3)


# ---- layouts, gathering ----


def test_sequences_in_reverse():
    x, lengths = normal(3, 5, 2), np.array([5, 1, 3], np.int64)
    assert_same("ReverseSequence", [x, lengths], opset=10, batch_axis=0, time_axis=1)
    assert_same("ReverseSequence", [x.transpose(1, 0, 2).copy(), lengths], opset=10)


@pytest.mark.parametrize("attributes", [
    {}, {"strides": [2, 1], "pads": [1, 0, 1, 2]}, {"dilations": [1, 2]},
])  # fmt: skip
def test_columns_into_images(attributes):
    image, block = np.array([5, 6], np.int64), np.array([2, 3], np.int64)
    pads = attributes.get("pads", [0] * 4)
    strides, dilations = (attributes.get(k, [1, 1]) for k in ("strides", "dilations"))
    counts = [
        (int(n) + pads[k] + pads[k + 2] - dilations[k] * (int(b) - 1) - 1) // strides[k] + 1
        for k, (n, b) in enumerate(zip(image, block, strict=True))
    ]
    x = normal(2, 2 * 6, counts[0] * counts[1])
    assert_same("Col2Im", [x, image, block], (1, 2), **attributes)


@pytest.mark.parametrize("mode", ["DCR", "CRD"])
def test_channels_as_blocks(mode):
    assert_same("DepthToSpace", [normal(2, 12, 2, 3)], opset=13, blocksize=2, mode=mode)


@pytest.mark.parametrize("upper", [0, 1])
@pytest.mark.parametrize("k", [-2, 0, 1, 9])
def test_triangles(upper, k):
    x = integers(1, 99, 2, 4, 5)
    assert_same("Trilu", [x, np.array(k, np.int64)], (1,), upper=upper)


@pytest.mark.parametrize("axis", [0, 1, -1])
def test_one_hot(axis):
    at = np.array([[0, -1, 4], [2, 9, -6]], np.int64)
    values = np.array([2, 7], F32)
    assert_same("OneHot", [at, np.array(5, np.int64), values], (1,), axis=axis)


def test_scattering():
    x, updates = normal(4, 5), normal(2, 3, seed=4)
    indices = np.array([[1, 0, 2], [-1, 3, 0]], np.int64)
    assert_same("ScatterElements", [x, indices, updates], axis=0)
    assert_same("ScatterElements", [x, indices, updates], axis=-1)
    tuples = np.array([[[3, 1], [0, -1]]], np.int64)
    assert_same("ScatterND", [normal(4, 5, 2), tuples, normal(1, 2, 2, seed=3)])
    assert_same("ScatterND", [normal(4, 5, 2), tuples[..., :1], normal(1, 2, 5, 2, seed=3)])


def test_compression_by_a_condition_that_is_known():
    condition = np.array([1, 0, 1], bool)
    assert_same("Compress", [normal(2, 4, 3), condition], (1,), axis=1)
    assert_same("Compress", [normal(2, 4, 3), condition], (1,))


@pytest.mark.parametrize("reduction", ["add", "mul", "max", "min"])
@pytest.mark.parametrize("dtype", [np.float32, np.int32, np.int64])
def test_scattering_with_reductions(reduction, dtype):
    x, updates = integers(-9, 9, 4, 5, dtype=dtype), integers(-9, 9, 3, 2, dtype=dtype, seed=4)
    indices = np.array([[1, 0], [-1, 3], [1, 0]], np.int64)
    for axis in (0, 1):
        assert_same("ScatterElements", [x, indices, updates], axis=axis, reduction=reduction)
    tuples = np.array([[[3, 1], [0, -1], [3, 1]]], np.int64)
    parts = integers(-9, 9, 1, 3, 2, dtype=dtype, seed=5)
    assert_same("ScatterND", [integers(-9, 9, 4, 5, 2, dtype=dtype), tuples, parts],
                reduction=reduction)  # fmt: skip


@pytest.mark.parametrize("pads", [[0, 1, 2, 0], [-1, 0, 1, 1]])
def test_padding_with_a_number_that_is_computed(pads):
    inputs = [normal(3, 4), np.array(pads, np.int64), np.array(2.5, F32)]
    assert_same("Pad", inputs, (1,))


# ---- signals ----


@pytest.mark.parametrize("length", [None, 4, 9])
@pytest.mark.parametrize(
    ("parts", "attributes"),
    [(1, {}), (2, {}), (1, {"inverse": 1}), (2, {"inverse": 1}), (1, {"onesided": 1})],
)
def test_fourier_transforms(parts, length, attributes):
    x = normal(2, 7, 3, parts)
    lengths = None if length is None else np.array(length, np.int64)
    known = () if length is None else (1,)
    assert_same("DFT", [x, lengths][: 1 + len(known)], known, opset=17, axis=1, **attributes)
    axis = np.array(1, np.int64)
    assert_same("DFT", [x, lengths, axis], (*known, 2), opset=20, **attributes)


@pytest.mark.parametrize("onesided", [0, 1])
def test_fourier_transforms_of_windows(onesided):
    x, window = normal(2, 20, 1), normal(8, seed=3)
    step, size = np.array(3, np.int64), np.array(8, np.int64)
    assert_same("STFT", [x, step, window, size], (1, 3), onesided=onesided)
    assert_same("STFT", [x, step, None, size], (1, 3), onesided=onesided)


# ---- Einsum ----

EQUATIONS = [
    ("ij,jk->ik", (2, 3), (3, 4)),
    ("ij,kj", (2, 3), (4, 3)),
    ("bhqd,bhkd->bhqk", (2, 3, 4, 5), (2, 3, 6, 5)),
    ("bhwc,hkc->bhwk", (2, 3, 4, 5), (3, 6, 5)),
    ("...ij,...jk->...ik", (2, 3, 4, 5), (5, 6)),
    ("...ij,jk", (2, 3, 4, 5), (5, 6)),
    ("i,j->ij", (3,), (4,)),
    ("i,i", (3,), (3,)),
    ("i,i->i", (3,), (3,)),
    ("ijk->kij", (2, 3, 4)),
    ("ijk->j", (2, 3, 4)),
    ("ij->", (2, 3)),
    ("ii->i", (3, 3)),
    ("ii", (3, 3)),
    ("bij,bjk,bkl->bil", (2, 3, 4), (2, 4, 5), (2, 5, 2)),
    ("abc,cd,e->bde", (2, 3, 4), (4, 5), (1,)),
    ("a...b,b...->...a", (2, 3, 4), (4, 3)),
    ("ab,cb->", (2, 3), (4, 3)),
]


@pytest.mark.parametrize("case", EQUATIONS, ids=lambda case: case[0])
def test_sums_of_products(case):
    equation, *sizes = case
    arrays = [normal(*own, seed=k) for k, own in enumerate(sizes)]
    model, given = node_model("Einsum", arrays, equation=equation)

    (actual,) = dml.load_onnx(model)(given)

    expected = np.einsum(equation, *arrays)
    assert actual.shape == expected.shape
    np.testing.assert_allclose(actual, expected, rtol=1e-4, atol=1e-5)


def test_sums_of_products_of_integers():
    a, b = integers(-9, 9, 2, 3, dtype=np.int32), integers(-9, 9, 3, 4, dtype=np.int32)
    model, given = node_model("Einsum", [a, b], equation="ij,jk->ki")
    np.testing.assert_array_equal(dml.load_onnx(model)(given)[0], (a @ b).T)


# ---- ONNX Runtime's own domain ----


def assert_same_there(operator, inputs, known=(), **rest):
    assert_same(operator, inputs, known, domain="com.microsoft", **rest)


def test_gelu_and_its_relatives():
    x, bias = normal(2, 3, 4), normal(4, seed=2)
    assert_same_there("Gelu", [x])
    assert_same_there("BiasGelu", [x, bias])
    assert_same_there("FastGelu", [x])
    assert_same_there("FastGelu", [x, bias])
    assert_same_there("QuickGelu", [x], alpha=1.5)


@pytest.mark.parametrize("count", [3, 4, 5])
def test_normalized_sums(count):
    inputs = [normal(2, 3, 4), normal(2, 3, 4, seed=2), *(normal(4, seed=k) for k in range(3, 6))]
    outputs = (True, False, False, True)
    assert_same_there("SkipLayerNormalization", inputs[:count], outputs=outputs, epsilon=1e-5)


@pytest.mark.parametrize("turned", [(0, 0), (1, 0), (0, 1), (1, 1)])
@pytest.mark.parametrize("before", [(0, 0), (1, 0), (0, 1), (1, 1)])
def test_scaled_products(turned, before):
    attributes = {"alpha": 0.5}
    factors = []
    for side, x, is_turned, is_before in zip(
        "AB", (normal(2, 6, 3, 4), normal(2, 6, 4, 5, seed=2)), turned, before, strict=True
    ):
        own = x.swapaxes(2, 3) if is_turned else x
        factors.append(np.ascontiguousarray(np.moveaxis(own, 2, 0) if is_before else own))
        attributes |= {f"trans{side}": is_turned, f"transBatch{side}": is_before}
    assert_same_there("FusedMatMul", factors, **attributes)


@pytest.mark.parametrize("dtype", [np.uint8, np.int8])
@pytest.mark.parametrize("has_bias", [False, True])
def test_products_of_integers_in_floats(dtype, has_bias):
    a, b = integers(0, 100, 4, 5, dtype=np.uint8), integers(0, 100, 5, 3, dtype=dtype)
    scale, zero = np.array([0.1, 0.2, 0.3], F32), np.array([1, 2, 3], dtype)
    bias = [normal(3)] if has_bias else []
    a_scale, a_zero = np.array(0.05, F32), np.array(9, np.uint8)
    assert_same_there("MatMulIntegerToFloat", [a, b, a_scale, scale, a_zero, zero, *bias])
    assert_same_there("DynamicQuantizeMatMul", [normal(4, 5), b, scale, zero, *bias], (1,))


def test_sums_of_quantized_tensors():
    a, b = integers(0, 255, 2, 3, 4, dtype=np.uint8), integers(0, 255, 3, 1, dtype=np.uint8)
    numbers = [np.array(0.05, F32), np.array(120, np.uint8)]
    assert_same_there("QLinearAdd", [a, *numbers, b, *numbers, np.array(0.08, F32),
                                     np.array(100, np.uint8)])  # fmt: skip


HEADS = 2


@pytest.mark.parametrize("kind", ["plain", "bias", "lengths", "keys", "position", "past"])
def test_attention(kind):
    query, key, value = normal(2, 3, 8), normal(2, 5, 8, seed=2), normal(2, 5, 8, seed=3)
    inputs = [query, key, value, *[None] * 5]
    outputs = 1
    if kind == "bias":
        inputs[3] = normal(24, seed=4)
    elif kind == "lengths":
        inputs[4] = np.array([2, 5], np.int32)
    elif kind == "keys":
        inputs[4] = np.array([[1, 1, 0, 1, 0], [1, 0, 0, 1, 1]], np.int32)
    elif kind == "position":
        inputs[5] = normal(1, HEADS, 3, 5, seed=5)
    elif kind == "past":
        inputs[6:] = normal(2, HEADS, 4, 4, seed=6), normal(2, HEADS, 4, 4, seed=7)
        outputs = 3
    while inputs[-1] is None:
        inputs.pop()
    assert_same_there("MultiHeadAttention", inputs, outputs=outputs, num_heads=HEADS)
