"""QUANTIZE and DEQUANTIZE, element by element in Python, and what ONNX Runtime gives."""

import math

import numpy as np
import pytest

import indirectml as dml
from tests.operators.oracle import assert_bits_equal, run

F32 = np.float32
SEED = 7
SCALE, BOTH = dml.QuantizationType.SCALE, dml.QuantizationType.SCALE_ZERO_POINT

#: Sizes of the input and of the scale.
BLOCKS = [
    ((6,), (1,)), ((6,), (6,)), ((6,), (2,)), ((4, 6), (4, 3)), ((4, 6), (2, 1)),
    ((2, 3, 4, 8), (1, 3, 2, 4)), ((1, 2, 1, 2, 1, 2, 1, 4), (1, 2, 1, 1, 1, 2, 1, 2)),
]  # fmt: skip
NUMBERS = [0.0, -0.0, 0.5, 1.5, 2.5, -0.5, 3.7, 1e30, -1e30, np.inf, -np.inf, np.nan, 127.5]


def at_block(parameter, sizes, at):
    """Return the element of a parameter that stands for an element of the tensor."""
    return parameter[
        tuple(k // (n // own) for k, n, own in zip(at, sizes, parameter.shape, strict=True))
    ]


def quantized(x, scale, zero, dtype):
    out = np.empty(x.shape, dtype)
    low, high = np.iinfo(dtype).min, np.iinfo(dtype).max
    for at in np.ndindex(*x.shape):
        own = 0 if zero is None else int(at_block(zero, x.shape, at))
        quotient = float(F32(x[at]) / F32(at_block(scale, x.shape, at)))
        whole = 0 if math.isnan(quotient) else max(min(quotient, 1e9), -1e9)
        out[at] = min(max(round(whole) + own, low), high)
    return out


def dequantized(x, scale, zero):
    out = np.empty(x.shape, scale.dtype)
    for at in np.ndindex(*x.shape):
        own = 0 if zero is None else int(at_block(zero, x.shape, at))
        out[at] = F32(int(x[at]) - own) * F32(at_block(scale, x.shape, at))
    return out


def parameters(sizes, dtype, integer, kind):
    generator = np.random.default_rng(SEED)
    scale = generator.choice(np.array([0.5, 0.1, 3, 1e-3], dtype), sizes)
    limits = np.iinfo(integer)
    zero = generator.integers(limits.min, limits.max, sizes, integer, endpoint=True)
    return (scale, zero if kind is BOTH else None)


def computed(cls, x, given, kind, dtype):
    given = [p for p in given if p is not None]
    tensors = [dml.TensorDesc(p.dtype, p.shape) for p in given]
    output = dml.TensorDesc(dtype, x.shape)
    desc = cls(dml.TensorDesc(x.dtype, x.shape), kind, tensors, output)
    # Memory of tensors is a whole number of 4 bytes.
    return run(desc, [a.tobytes().ljust(-(-a.nbytes // 4) * 4, b"\0") for a in (x, *given)])[0]


@pytest.mark.parametrize(("sizes", "own"), BLOCKS)
@pytest.mark.parametrize("kind", [SCALE, BOTH], ids=["scale", "both"])
@pytest.mark.parametrize("integer", [np.int8, np.uint8])
@pytest.mark.parametrize("dtype", [F32, np.float16])
def test_quantize(sizes, own, kind, integer, dtype):
    with np.errstate(over="ignore"):
        x = np.random.default_rng(SEED).choice(np.array(NUMBERS, dtype), sizes)
    given = parameters(own, dtype, integer, kind)

    actual = computed(dml.QuantizeOperatorDesc, x, given, kind, integer)

    with np.errstate(all="ignore"):
        assert_bits_equal(actual=actual, expected=quantized(x, *given, integer))


@pytest.mark.parametrize(("sizes", "own"), BLOCKS)
@pytest.mark.parametrize("kind", [SCALE, BOTH], ids=["scale", "both"])
@pytest.mark.parametrize("integer", [np.int8, np.uint8])
@pytest.mark.parametrize("dtype", [F32, np.float16])
def test_dequantize(sizes, own, kind, integer, dtype):
    limits = np.iinfo(integer)
    x = np.random.default_rng(SEED + 1).integers(limits.min, limits.max, sizes, integer)
    given = parameters(own, dtype, integer, kind)

    actual = computed(dml.DequantizeOperatorDesc, x, given, kind, dtype)

    assert_bits_equal(actual=actual, expected=dequantized(x, *given))


def test_blocks_mean_what_onnx_runtime_means():
    onnx = pytest.importorskip("onnx")
    runtime = pytest.importorskip("onnxruntime")
    helper, types = onnx.helper, onnx.TensorProto
    node = helper.make_node("DequantizeLinear", ["x", "s", "z"], ["y"], axis=1, block_size=3)
    infos = [
        helper.make_tensor_value_info(name, kind, sizes)
        for name, kind, sizes in (
            ("x", types.INT8, (4, 6)), ("s", types.FLOAT, (4, 2)), ("z", types.INT8, (4, 2)),
        )
    ]  # fmt: skip
    outputs = [helper.make_tensor_value_info("y", types.FLOAT, None)]
    graph = helper.make_graph([node], "g", infos, outputs)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 21)], ir_version=10)
    session = runtime.InferenceSession(
        model.SerializeToString(), providers=["CPUExecutionProvider"]
    )
    x = np.random.default_rng(SEED).integers(-128, 127, (4, 6), np.int8)
    scale, zero = parameters((4, 2), F32, np.int8, BOTH)

    expected = session.run(None, {"x": x, "s": scale, "z": zero})[0]

    actual = computed(dml.DequantizeOperatorDesc, x, (scale, zero), BOTH, F32)
    assert_bits_equal(actual=actual, expected=expected)


@pytest.mark.parametrize(
    ("kind", "sizes", "text"),
    [
        (SCALE, [(F32, (2,)), (np.int8, (2,))],
         "quantization_tensors: needs a scale for SCALE, got 2 tensors"),
        (BOTH, [(F32, (2,))],
         ("quantization_tensors: needs a scale and a zero point for SCALE_ZERO_POINT, "
          "got 1 tensors")),
        (dml.QuantizationType.NONE, [(F32, (2,))],
         "quantization_type: needs SCALE or SCALE_ZERO_POINT, got NONE"),
        (SCALE, [(F32, (4,))],
         "quantization_tensors[0].sizes: needs sizes that divide the input's, [6], got [4]"),
        (SCALE, [(np.float16, (2,))],
         "quantization_tensors[0].data_type: needs FLOAT32, got FLOAT16"),
        (BOTH, [(F32, (2,)), (np.uint8, (2,))],
         "quantization_tensors[1].data_type: needs INT8, got UINT8"),
        (BOTH, [(F32, (2,)), (np.int8, (3,))],
         "quantization_tensors[1].sizes: needs the scale's sizes, [2], got [3]"),
    ],
)  # fmt: skip
def test_parameters_are_refused(kind, sizes, text):
    tensors = [dml.TensorDesc(*each) for each in sizes]
    x, y = dml.TensorDesc(np.int8, (6,)), dml.TensorDesc(F32, (6,))

    for cls, ends in ((dml.DequantizeOperatorDesc, (x, y)), (dml.QuantizeOperatorDesc, (y, x))):
        desc = cls(ends[0], kind, tensors, ends[1])
        with pytest.raises(dml.DescriptorError) as caught:
            dml.Device().create_operator(desc)
        assert str(caught.value) == f"{desc.operator_name}.{text}"


def test_dequantize_needs_a_sequence_of_parameters():
    graph = dml.Graph(dml.Device())
    x = graph.input((4,), np.int8)
    scale = graph.input((2,), F32)

    with pytest.raises(dml.DescriptorError) as caught:
        dml.dequantize(x, scale, quantization_type=SCALE)

    assert str(caught.value) == (
        "dequantize.quantization_parameters: needs a scale, or a scale and a zero point, in a "
        "sequence, got one expression; write dequantize(x, [scale], ...)"
    )


#: What the tests of this file compare with.
ORACLES = {"QUANTIZE": quantized, "DEQUANTIZE": dequantized}
