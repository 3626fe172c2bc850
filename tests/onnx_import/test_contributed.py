"""Operators of ONNX Runtime's domains: by its CPU kernels, and by NumPy where it has none."""

import gc
import math
import tracemalloc
from fractions import Fraction

import ml_dtypes
import numpy as np
import onnx
import pytest

import indirectml as dml
from tests import onnx_models
from tests.onnx_import.test_second_opinions import (
    F32,
    assert_same,
    integers,
    node_model,
    normal,
)

MICROSOFT, DML = "com.microsoft", "com.microsoft.dml"


def assert_same_there(operator, inputs, known=(), **rest):
    assert_same(operator, inputs, known, domain=MICROSOFT, **rest)


def assert_close_there(operator, inputs, known=(), *, since=None, **rest):
    """Compare integers within one, since ONNX Runtime rounds by tables and multipliers."""
    model, given = node_model(operator, inputs, known, domain=MICROSOFT, **rest)
    if since is not None:
        model.graph.node[0].attribute.append(onnx.helper.make_attribute("opset", since))
    (expected,) = session(model).run(None, given)
    (actual,) = dml.load_onnx(model)(given)
    assert (actual.dtype, actual.shape) == (expected.dtype, expected.shape)
    assert np.abs(actual.astype(int) - expected.astype(int)).max() <= 1
    assert np.ptp(expected.astype(int)) > 3  # so that there is something to compare


def session(model):
    return onnx_models.session(model.SerializeToString())


def ours(operator, inputs, known=(), *, domain=MICROSOFT, **rest):
    """Return what IndirectML gives for what ONNX Runtime's CPU provider does not have."""
    model, given = node_model(operator, inputs, known, domain=domain, **rest)
    return dml.load_onnx(model)(given)


def close(actual, expected, rtol=2e-5, atol=2e-6):
    np.testing.assert_allclose(actual, expected, rtol=rtol, atol=atol)


def erf(x):
    return np.vectorize(math.erf)(x.astype(np.float64))


# ---- fused ----


@pytest.mark.parametrize(
    ("activation", "numbers"),
    [("Relu", []), ("Tanh", []), ("Sigmoid", []), ("LeakyRelu", [0.2]), ("Clip", [-0.5, 0.5]),
     ("HardSigmoid", [0.3, 0.4])],
)  # fmt: skip
@pytest.mark.parametrize("has_sum", [False, True])
def test_convolutions_with_an_activation(activation, numbers, has_sum):
    inputs = [normal(1, 4, 6, 6), normal(4, 2, 3, 3, seed=2), normal(4, seed=3)]
    inputs += [normal(1, 4, 6, 6, seed=4)] if has_sum else []
    numbers = {"activation_params": numbers} if numbers else {}
    assert_same_there(
        "FusedConv", inputs, activation=activation, group=2, pads=[1, 1, 1, 1], **numbers
    )


def test_products_with_an_activation():
    inputs = [normal(3, 4), normal(5, 4, seed=2), normal(5, seed=3)]
    assert_same_there("FusedGemm", inputs, activation="LeakyRelu", activation_alpha=0.1, alpha=0.5,
                      transB=1)  # fmt: skip
    (found,) = ours("FusedMatMulActivation", [inputs[0], inputs[1]], transB=1, alpha=2.0,
                    activation="Relu")  # fmt: skip
    close(found, np.maximum(2 * inputs[0] @ inputs[1].T, 0))


@pytest.mark.parametrize(
    ("operator", "sizes", "attributes"),
    [
        ("Add", [(2, 3), (2, 3)], {}),
        ("Sum", [(2, 3), (2, 3)], {}),
        ("MatMul", [(2, 3), (3, 4)], {}),
        ("Gemm", [(2, 3), (3, 4), (4,)], {"alpha": 0.5}),
        ("Conv", [(1, 2, 5, 5), (3, 2, 3, 3), (3,)], {"strides": [2, 2]}),
        ("ConvTranspose", [(1, 2, 5, 5), (2, 3, 3, 3)], {}),
        ("InstanceNormalization", [(2, 3, 4, 4), (3,), (3,)], {"epsilon": 0.1}),
        ("BatchNormalization", [(2, 3, 4), (3,), (3,), (3,), (3,)], {"epsilon": 4.0}),
        ("MeanVarianceNormalization", [(2, 3, 4, 4)], {"axes": [0, 2, 3]}),
    ],
)
def test_what_the_provider_fuses_is_the_operator_and_an_activation(operator, sizes, attributes):
    inputs = [np.abs(normal(*each, seed=k)) - 0.3 for k, each in enumerate(sizes)]
    name = f"DmlFused{operator}"
    (found,) = ours(name, inputs, domain=DML, activation="LeakyRelu", activation_alpha=0.25,
                    **attributes)  # fmt: skip
    model, given = node_model(operator, inputs, opset=15, **attributes)
    (plain,) = session(model).run(None, given)
    close(found, np.where(plain < 0, plain * F32(0.25), plain), rtol=1e-4, atol=1e-5)


def test_sums_gates_and_groups():
    x, bias, skip = normal(2, 5, 6), normal(6, seed=2), normal(2, 5, 6, seed=3)
    close(ours("BiasAdd", [x, bias, skip])[0], x + bias + skip)
    left, right = np.split(x + bias, 2, axis=-1)
    gelu = right * (1 + erf(right / math.sqrt(2))) / 2
    close(ours("BiasSplitGelu", [x, bias])[0], left * gelu)

    for is_last in (0, 1):
        picture = normal(2, 3, 4, 6, seed=5) if is_last else normal(2, 6, 3, 4, seed=5)
        given = [picture, normal(6, seed=6), normal(6, seed=7)]
        y = np.moveaxis(picture, -1, 1) if is_last else picture
        rows = y.reshape(2, 3, -1).astype(np.float64)
        rows = (rows - rows.mean(-1, keepdims=True)) / np.sqrt(rows.var(-1, keepdims=True) + 0.01)
        y = rows.reshape(y.shape) * given[1][:, None, None] + given[2][:, None, None]
        y = y / (1 + np.exp(-y))
        (found,) = ours("GroupNorm", given, groups=3, epsilon=0.01, activation=1,
                        channels_last=is_last)  # fmt: skip
        close(found, np.moveaxis(y, 1, -1) if is_last else y)


def test_channels_may_come_last():
    x, w, bias = normal(1, 6, 5, 4), normal(6, 3, 3, 2, seed=2), normal(6, seed=3)
    model, given = node_model(
        "Conv", [np.moveaxis(x, -1, 1), np.moveaxis(w, -1, 1), bias], group=2, pads=[1] * 4
    )
    (expected,) = session(model).run(None, given)
    (found,) = ours("NhwcConv", [x, w, bias], group=2, pads=[1] * 4)
    close(found, np.moveaxis(expected, 1, -1), rtol=1e-4, atol=1e-5)
    assert_same_there("NhwcMaxPool", [integers(0, 200, 1, 6, 6, 3, dtype=np.uint8)],
                      kernel_shape=[2, 2], strides=[2, 2])  # fmt: skip


def test_transposed_convolutions_with_paddings_as_input():
    x, w, pads = normal(1, 2, 4, 4), normal(2, 3, 3, 3, seed=2), np.array([1, 0, 1, 0])
    assert_same_there("ConvTransposeWithDynamicPads", [x, w, pads], known=(2,), strides=[2, 2])


# ---- normalization ----


def test_normalization_by_roots():
    x, skip, gamma, bias = normal(2, 3, 8), normal(2, 3, 8, seed=2), normal(8, seed=3), normal(8)
    assert_same("SimplifiedLayerNormalization", [x, gamma], opset=17, epsilon=1e-3)
    for count in (3, 4):
        inputs = [x, skip, gamma, bias][:count]
        assert_same_there("SkipSimplifiedLayerNormalization", inputs, epsilon=1e-4,
                          outputs=(True, False, False, True))  # fmt: skip


@pytest.mark.parametrize("has_all", [False, True])
def test_embeddings(has_all):
    ids = integers(0, 20, 2, 5, dtype=np.int32)
    segments = integers(0, 2, 2, 5, dtype=np.int32) if has_all else None
    tables = [normal(20, 8), normal(9, 8, seed=2), normal(2, 8, seed=3) if has_all else None]
    inputs = [ids, segments, *tables, normal(8, seed=4), normal(8, seed=5)]
    if has_all:
        mask = np.array([[1, 1, 1, 0, 0], [1, 1, 1, 1, 0]], np.int32)
        inputs += [mask, integers(0, 9, 2, 5, dtype=np.int32)]
    assert_same_there("EmbedLayerNormalization", inputs, outputs=3, epsilon=1e-5)


# ---- quantized ----


def quantized(*sizes, dtype=np.uint8, scale=0.05, zero=None, seed=1):
    """Return integers, their scale, and their zero point."""
    limits = np.iinfo(dtype)
    zero = (limits.max + limits.min + 7) // 2 if zero is None else zero
    numbers = integers(limits.min, limits.max + 1, *sizes, dtype=dtype, seed=seed)
    return [numbers, np.array(scale, F32), np.array(zero, dtype)]


@pytest.mark.parametrize("dtype", [np.uint8, np.int8])
def test_functions_of_integers(dtype):
    x, out = quantized(3, 4, 5, dtype=dtype), quantized(1, dtype=dtype, scale=1 / 200)[1:]
    assert_close_there("QLinearSigmoid", [*x, *out], known=(1, 2, 3, 4))
    out = quantized(1, dtype=dtype, scale=0.04)[1:]
    assert_close_there("QLinearLeakyRelu", [*x, *out], known=(1, 2, 3, 4), alpha=0.1)
    out = [np.array(1 / 256, F32), np.array(0 if dtype == np.uint8 else -128, dtype)]
    for since in (12, 13):
        assert_close_there("QLinearSoftmax", [*x, *out], known=(1, 2, 3, 4), axis=1, since=since)


@pytest.mark.parametrize("dtype", [np.uint8, np.int8])
@pytest.mark.parametrize("is_last", [0, 1])
def test_averages_of_integers(dtype, is_last):
    x, out = quantized(2, 6, 5, 4, dtype=dtype), quantized(1, dtype=dtype, scale=0.04)[1:]
    assert_close_there("QLinearGlobalAveragePool", [*x, *out], channels_last=is_last)
    assert_close_there("QLinearAveragePool", [*x, *out], channels_last=is_last,
                       kernel_shape=[3, 2], strides=[2, 1], pads=[1, 0, 1, 0])  # fmt: skip


def test_products_and_joins_of_integers():
    a, b = quantized(3, 4), quantized(3, 4, scale=0.02, seed=2)
    out = quantized(1, scale=0.2)[1:]
    assert_close_there("QLinearMul", [*a, *b, *out])
    joined = [*quantized(1, scale=0.04)[1:], *a, *b]
    assert_close_there("QLinearConcat", joined, known=(0, 1, 3, 4, 6, 7), axis=1)


#: Scale and zero point of A, B and the sum, as ONNX Runtime's quantizer chose them for layers of a
#: transformer: one pair in each is so close to a tie that its kernel rounds it the other way.
NEAR_TIES = [
    ((0.00040001931483857334, 128), (0.02051357738673687, 132), (0.02026260644197464, 132)),
    ((0.0004885919624939561, 128), (0.02223302237689495, 128), (0.02252109907567501, 127)),
]


@pytest.mark.parametrize("numbers", NEAR_TIES)
def test_sums_of_all_pairs_are_the_nearest_to_the_exact_sum(numbers):
    a, b = (x.astype(np.uint8) for x in np.mgrid[:256, :256])
    scales = [F32(scale) for scale, _ in numbers]
    parts = [[np.array(scale, F32), np.array(zero, np.uint8)] for scale, zero in numbers]
    inputs = [a, *parts[0], b, *parts[1], *parts[2]]

    (found,) = ours("QLinearAdd", inputs, known=(1, 2, 4, 5, 6, 7))

    of_a, of_b, of_sum = (Fraction(float(scale)) for scale in scales)
    left = [(k - numbers[0][1]) * of_a / of_sum for k in range(256)]
    right = [(k - numbers[1][1]) * of_b / of_sum for k in range(256)]
    exact = [[round(x + y) + numbers[2][1] for y in right] for x in left]
    np.testing.assert_array_equal(found, np.clip(exact, 0, 255))


@pytest.mark.parametrize("is_float", [False, True])
def test_products_of_quantized_matrices(is_float):
    a, b = quantized(3, 6), quantized(6, 5, dtype=np.int8, seed=2, zero=0)
    b[0] >>= 1  # ONNX Runtime's sums of two products of 8 bits saturate on some processors
    c = integers(-500, 500, 5, dtype=np.int32)
    inputs = [*a, *b, c]
    if is_float:
        assert_same_there("QGemm", inputs, known=(1, 2, 4, 5), alpha=0.5)
    else:
        inputs += quantized(1, scale=0.4)[1:]
        assert_close_there("QGemm", inputs, known=(1, 2, 4, 5, 7, 8), alpha=0.5)


@pytest.mark.parametrize("bits", [4, 8])
@pytest.mark.parametrize("k", [32, 40])
@pytest.mark.parametrize("has_zeros", [False, True])
def test_products_with_weights_of_few_bits(bits, k, has_zeros):
    n, block = 6, 16
    blocks = -(-k // block)
    w = integers(0, 256, n, blocks, block * bits // 8, dtype=np.uint8)
    scales = np.abs(normal(n * blocks, seed=3)) * F32(0.1)
    inputs = [normal(2, 3, k), w, scales]
    if has_zeros:
        inputs.append(integers(0, 256, n * -(-blocks * bits // 8), dtype=np.uint8, seed=4))
    assert_same_there("MatMulNBits", inputs, known=(1, 2, 3)[: len(inputs) - 1], K=k, N=n,
                      bits=bits, block_size=block)  # fmt: skip


def test_weights_of_two_bits():
    w = integers(0, 256, 3, 2, 4, dtype=np.uint8)
    scales, x = np.abs(normal(6)), normal(4, 32, seed=2)
    numbers = (w[..., None] >> np.array([0, 2, 4, 6], np.uint8)) & 3
    weights = (numbers.reshape(3, 2, 16).astype(F32) - 2) * scales.reshape(3, 2, 1)
    (found,) = ours("MatMulNBits", [x, w, scales], (1, 2), K=32, N=3, bits=2, block_size=16)
    close(found, x @ weights.reshape(3, 32).T, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("dtype", [np.uint8, np.int8, np.uint16, np.int16])
def test_numbers_to_integers_and_back(dtype):
    _, scale, zero = quantized(1, dtype=dtype)
    assert_same_there("QuantizeLinear", [normal(3, 4), scale, zero])
    assert_same_there("DequantizeLinear", [quantized(3, 4, dtype=dtype)[0], scale, zero])
    scales, zeros = np.abs(normal(4)) * F32(0.1) + F32(0.01), np.zeros(4, dtype)
    assert_same_there("DequantizeLinear", [quantized(3, 4, dtype=dtype)[0], scales, zeros], axis=1)


def test_recurrent_networks_with_quantized_weights():
    steps, batch, width, hidden = 4, 2, 6, 5
    w, w_scale, w_zero = quantized(1, width, 4 * hidden, scale=0.004)
    r, r_scale, r_zero = quantized(1, hidden, 4 * hidden, scale=0.004, seed=2)
    inputs = [
        normal(steps, batch, width) * F32(0.5), w, r, normal(1, 8 * hidden, seed=3), None, None,
        None, None, w_scale.reshape(1), w_zero.reshape(1), r_scale.reshape(1), r_zero.reshape(1),
    ]  # fmt: skip
    # ONNX Runtime makes integers of 8 bits of what goes into each step.
    assert_same_there("DynamicQuantizeLSTM", inputs, known=(1, 2, 8, 9, 10, 11), outputs=3,
                      hidden_size=hidden, rtol=0, atol=0.02)  # fmt: skip


# ---- attention ----

BATCH, LENGTH, HEADS, SIZE = 2, 5, 2, 4
WIDTH = HEADS * SIZE

MASKS = {
    "none": None,
    "lengths": np.array([3, 5], np.int32),
    "ends and begins": np.array([5, 4, 1, 0], np.int32),
    "two dimensions": np.array([[1, 1, 1, 0, 0], [1, 1, 0, 1, 1]], np.int32),
    "three dimensions": np.tril(np.ones((BATCH, LENGTH, LENGTH), np.int32)),
}


@pytest.mark.parametrize("mask", MASKS)
@pytest.mark.parametrize("unidirectional", [0, 1])
def test_attention(mask, unidirectional):
    inputs = [normal(BATCH, LENGTH, 6), normal(6, 3 * WIDTH, seed=2), normal(3 * WIDTH, seed=3)]
    inputs += [] if MASKS[mask] is None else [MASKS[mask]]
    assert_same_there("Attention", inputs, num_heads=HEADS, unidirectional=unidirectional)


def test_attention_with_a_past():
    inputs = [
        normal(BATCH, LENGTH, 6), normal(6, 3 * WIDTH, seed=2), normal(3 * WIDTH, seed=3), None,
        normal(2, BATCH, HEADS, 3, SIZE, seed=4),
    ]  # fmt: skip
    assert_same_there("Attention", inputs, outputs=2, num_heads=HEADS, unidirectional=1, scale=0.3)
    inputs = [*inputs[:3], None, None, normal(BATCH, HEADS, LENGTH, LENGTH, seed=5)]
    assert_same_there("Attention", inputs, num_heads=HEADS)


def test_attention_of_integers():
    x, scale, zero = quantized(BATCH, LENGTH, 6, scale=0.02)
    w, of_w, w_zero = quantized(6, 3 * WIDTH, dtype=np.int8, scale=0.01, zero=0, seed=2)
    inputs = [
        x,
        w >> 1,
        normal(3 * WIDTH, seed=3),
        scale,
        of_w,
        MASKS["two dimensions"],
        zero,
        w_zero,
    ]
    assert_same_there("QAttention", inputs, known=(1, 2, 4, 7), num_heads=HEADS)


@pytest.mark.parametrize("interleaved", [0, 1])
@pytest.mark.parametrize("is_first", [False, True])
def test_rotary_embeddings(interleaved, is_first):
    angles = normal(12, SIZE // 2)
    positions = np.array([3]) if is_first else integers(0, 12, BATCH, LENGTH)
    x = normal(BATCH, LENGTH, WIDTH, seed=2)
    inputs = [x, positions, np.cos(angles), np.sin(angles)]
    assert_same_there("RotaryEmbedding", inputs, interleaved=interleaved)
    inputs[0] = normal(BATCH, HEADS, LENGTH, SIZE, seed=3)
    assert_same_there("RotaryEmbedding", inputs, interleaved=interleaved)


Q_HEADS, KV_HEADS, HEAD, MOST = 4, 2, 16, 12


def grouped(length, past, *, is_packed=False, rotary=False):
    """Return the inputs of GroupQueryAttention; `past` rows are there of each sequence."""
    widths = [Q_HEADS * HEAD, KV_HEADS * HEAD, KV_HEADS * HEAD]
    qkv = [normal(BATCH, length, width, seed=k) for k, width in enumerate(widths)]
    if is_packed:
        qkv = [np.concatenate(qkv, axis=2), None, None]
    kept = [normal(BATCH, KV_HEADS, MOST, HEAD, seed=k) for k in (5, 6)]
    lengths = np.full(BATCH, past + length - 1, np.int32)
    angles = normal(MOST, HEAD // 2, seed=7)
    tables = [np.cos(angles), np.sin(angles)] if rotary else []
    return [*qkv, *kept, lengths, np.array(past + length, np.int32), *tables]


@pytest.mark.parametrize("past", [0, 5])
@pytest.mark.parametrize("is_packed", [False, True])
@pytest.mark.parametrize(
    "attributes",
    [{}, {"do_rotary": 1}, {"do_rotary": 1, "rotary_interleaved": 1}, {"local_window_size": 3},
     {"softcap": 2.0, "scale": 0.5}],
)  # fmt: skip
def test_attention_of_grouped_heads(past, is_packed, attributes):
    length = 1 if past else 4
    inputs = grouped(length, past, is_packed=is_packed, rotary="do_rotary" in attributes)
    fields = {"num_heads": Q_HEADS, "kv_num_heads": KV_HEADS, **attributes}
    model, given = node_model("GroupQueryAttention", inputs, outputs=3, domain=MICROSOFT, **fields)
    expected = session(model).run(None, given)
    actual = dml.load_onnx(model)(given)
    close(actual[0], expected[0], rtol=1e-4, atol=1e-5)
    for got, stated in zip(actual[1:], expected[1:], strict=True):
        # Behind the new rows ONNX Runtime leaves what was in its memory.
        close(got[:, :, : past + length], stated[:, :, : past + length], rtol=1e-4, atol=1e-5)
        assert got.shape == stated.shape


def test_keys_and_values_grow_to_a_total_that_is_known():
    inputs = grouped(1, MOST)
    fields = {"num_heads": Q_HEADS, "kv_num_heads": KV_HEADS}
    assert_same_there("GroupQueryAttention", inputs, known=(6,), outputs=3, **fields)


@pytest.mark.parametrize("past", [0, 5])
def test_heads_may_be_turned_in_part_normalized_and_have_sinks(past):
    inputs = grouped(1 if past else 4, past)
    angles = normal(MOST, 8, seed=7)  # turns 16 of 32
    inputs = [np.concatenate([x, x[..., ::-1]], axis=-1) for x in inputs[:5]] + inputs[5:]
    inputs += [np.cos(angles), np.sin(angles), None, None, normal(Q_HEADS, seed=3)]
    fields = {"num_heads": Q_HEADS, "kv_num_heads": KV_HEADS, "do_rotary": 1}
    for given, more in ((inputs, {}), (inputs[:9], {"smooth_softmax": 1})):
        model, named = node_model(
            "GroupQueryAttention", given, domain=MICROSOFT, outputs=3, **fields, **more
        )
        expected = session(model).run(None, named)
        close(dml.load_onnx(model)(named)[0], expected[0], rtol=1e-4, atol=1e-5)


def test_heads_may_be_normalized():
    inputs, fields = grouped(4, 0), {"num_heads": Q_HEADS, "kv_num_heads": KV_HEADS}
    norms = [np.abs(normal(HEAD, seed=k)) for k in (8, 9)]
    rows = [x.reshape(BATCH, 4, -1, HEAD) for x in inputs[:2]]
    made = [x / np.sqrt((x * x).mean(-1, keepdims=True) + F32(0.01)) for x in rows]
    made = [(x * scale).reshape(BATCH, 4, -1) for x, scale in zip(made, norms, strict=True)]
    model, named = node_model(
        "GroupQueryAttention", [*made, *inputs[2:]], domain=MICROSOFT, **fields
    )
    (expected,) = session(model).run(None, named)

    given = [*inputs, *[None] * 7, *norms]
    (found,) = ours(
        "GroupQueryAttention", given, **fields, q_norm_epsilon=0.01, k_norm_epsilon=0.01
    )

    close(found, expected, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("bits", [4, 8])
@pytest.mark.parametrize("has_zeros", [False, True])
@pytest.mark.parametrize("dtype", [np.float32, np.float16])
def test_rows_of_few_bits(bits, has_zeros, dtype):
    data = integers(0, 256, 7, 32 * bits // 8, dtype=np.uint8)
    scales = np.abs(normal(7, 2)).astype(dtype)
    inputs = [data, integers(0, 7, 2, 3), scales]
    if has_zeros:
        inputs.append(integers(0, 256, 7, 2 * bits // 8, dtype=np.uint8, seed=4))
    assert_same_there("GatherBlockQuantized", inputs, known=(0, 2, 3)[: len(inputs) - 1],
                      bits=bits, block_size=16, gather_axis=0, quantize_axis=1)  # fmt: skip


@pytest.mark.parametrize("kind", ["int4", "uint4"])
@pytest.mark.parametrize("has_zeros", [False, True])
@pytest.mark.parametrize("columns", [32, 48])
def test_rows_of_tables_of_four_bits(columns, has_zeros, kind):
    dtype = np.dtype(getattr(ml_dtypes, kind))
    low = -8 if kind == "int4" else 0
    data = integers(low, low + 16, 7, columns, dtype=np.int8).astype(dtype)
    scales = np.abs(normal(7, columns // 16))
    inputs = [data, integers(0, 7, 2, 3), scales]
    if has_zeros:
        zeros = integers(low, low + 16, 7, columns // 16, dtype=np.int8, seed=4)
        inputs.append(zeros.astype(dtype))
    assert_same_there("GatherBlockQuantized", inputs, known=(0, 2, 3)[: len(inputs) - 1],
                      block_size=16, gather_axis=0, quantize_axis=1)  # fmt: skip


@pytest.mark.parametrize("kind", ["int4", "uint4"])
@pytest.mark.parametrize(
    ("shape", "axis", "along"),
    [((3, 5, 40), 1, 2), ((3, 5, 40), 0, 2), ((35, 4, 6), 1, 0), ((4, 20, 3), 0, 1),
     ((2, 18, 5), 2, 1), ((7, 33), 0, 1)],
)  # fmt: skip
def test_rows_along_any_axis_and_blocks_that_are_not_full(shape, axis, along, kind):
    dtype, low = np.dtype(getattr(ml_dtypes, kind)), -8 if kind == "int4" else 0
    own = list(shape)
    own[along] = -(-shape[along] // 16)
    data = integers(low, low + 16, *shape, dtype=np.int8)
    zeros = integers(low, low + 16, *own, dtype=np.int8, seed=4)
    scales, at = np.abs(normal(*own)), integers(-shape[axis], shape[axis], 2, 2)
    given = [data.astype(dtype), at, scales, zeros.astype(dtype)]

    (found,) = ours("GatherBlockQuantized", given, (0, 2, 3), block_size=16, gather_axis=axis,
                    quantize_axis=along)  # fmt: skip

    spread = [np.repeat(each, 16, along).take(range(shape[along]), along)
              for each in (scales, zeros)]  # fmt: skip
    floats = (data - spread[1]).astype(F32) * spread[0]
    np.testing.assert_array_equal(found, np.take(floats, at, axis))


def test_tables_of_four_bits_take_the_memory_of_their_file():
    """For two sets of sizes: what rows are taken of is there once, in its 4 bits."""
    rows, columns = 16384, 512  # some 300 KB of Python objects are a small part of it
    data = integers(-8, 8, rows, columns, dtype=np.int8).astype(ml_dtypes.int4)
    scales = np.abs(normal(rows, columns // 32))
    table = onnx.helper.make_node(
        "GatherBlockQuantized", ["table", "at", "scales"], ["y"], domain=MICROSOFT, block_size=32
    )
    graph = onnx.helper.make_graph(
        [table],
        "rows",
        [onnx.helper.make_tensor_value_info("at", onnx.TensorProto.INT64, ["n"])],
        [onnx.helper.make_tensor_value_info("y", onnx.TensorProto.FLOAT, ["n", columns])],
        [onnx.numpy_helper.from_array(data, "table"), onnx.numpy_helper.from_array(scales, "s")],
    )
    graph.initializer[1].name = "scales"
    opsets = [onnx.helper.make_opsetid("", 21), onnx.helper.make_opsetid(MICROSOFT, 1)]
    file = onnx.helper.make_model(graph, opset_imports=opsets, ir_version=10).SerializeToString()
    dml.load_onnx(file)({"at": np.array([1])})  # what is imported once
    gc.collect()
    tracemalloc.start()
    try:
        loaded = dml.load_onnx(file)
        for count in (1, 2, 3):
            (found,) = loaded({"at": np.arange(count)})
        gc.collect()
        taken, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    expected = data[:3].astype(F32) * np.repeat(scales[:3], 32, 1)
    np.testing.assert_array_equal(found, expected)
    assert taken <= 1.2 * len(file)


@pytest.mark.parametrize("k", [1, 2])
@pytest.mark.parametrize("activation", ["relu", "silu", "gelu", "swiglu"])
def test_mixtures_of_experts(k, activation):
    rows, experts, width, inner = 5, 4, 8, 6
    doubled = 2 if activation == "swiglu" else 1
    inputs = [
        normal(1, rows, width), normal(rows, experts, seed=2),
        normal(experts, doubled * inner, width, seed=3), normal(experts, doubled * inner, seed=4),
        normal(experts, width, inner, seed=5), normal(experts, width, seed=6),
    ]  # fmt: skip
    more = {"swiglu_fusion": 1, "swiglu_limit": 1.5, "activation_alpha": 1.7,
            "activation_beta": 1.0} if doubled == 2 else {}  # fmt: skip
    for is_normalized in (0, 1):
        model, given = node_model("MoE", inputs, domain=MICROSOFT, k=k, activation_type=activation,
                                  normalize_routing_weights=is_normalized, **more)  # fmt: skip
        (expected,) = session(model).run(None, given)
        close(dml.load_onnx(model)(given)[0], expected, rtol=1e-4, atol=1e-4)


# ---- refusals ----


@pytest.mark.parametrize(
    ("operator", "inputs", "attributes", "message"),
    [
        ("FusedConv", [normal(1, 1, 3, 3), normal(1, 1, 1, 1)], {"activation": "Relux"},
         "needs an activation of Elu, "),
        ("BiasAdd", [normal(2, 3), normal(3)], {}, "inputs[2] (skip): is required"),
        ("MatMulNBits", [normal(2, 32), integers(0, 9, 3, 2, 8, dtype=np.uint8), normal(6)],
         {"K": 32, "N": 3, "block_size": 16}, "needs an input that is known while loading"),
        ("QLinearConcat", [*quantized(1)[1:], np.zeros(3, np.uint8)], {"axis": 0},
         "needs a scale and a zero point for each tensor"),
        ("Attention", [normal(1, 2, 3), normal(3, 6)], {"num_heads": 1, "do_rotary": 1},
         "needs queries as they are, got do_rotary"),
        ("GroupQueryAttention", [*grouped(1, 5)], {"num_heads": Q_HEADS, "kv_num_heads": KV_HEADS,
         "sliding_window_cache": 1, "local_window_size": 4},
         "attribute sliding_window_cache: needs 0, got 1; onnxruntime-genai's builder keeps all"),
        ("QMoE", [normal(1, 2)], {}, "needs an operator of this domain that has a form here"),
    ],
)  # fmt: skip
def test_refusals_name_what_is_needed(operator, inputs, attributes, message):
    model, _ = node_model(operator, inputs, domain=MICROSOFT, **attributes)
    with pytest.raises(dml.OnnxModelError) as caught:
        dml.load_onnx(model)
    assert message in str(caught.value)
