"""Dequantize - operator - Quantize in integers: a network by ONNX Runtime's own quantizer."""

import numpy as np
import onnx
import onnxruntime
import pytest
from onnxruntime import quantization

import indirectml as dml
from indirectml.onnx_import.quantized_graphs import in_integers
from tests.bits import assert_bits_equal
from tests.onnx_models import Model, session

SIZES = (1, 3, 16, 16)

#: What the network becomes, where every group has a form in integers.
WHOLE = {
    "QLinearConv": 4, "QLinearAdd": 1, "MaxPool": 1, "QLinearSigmoid": 1, "QLinearConcat": 1,
    "QLinearGlobalAveragePool": 1, "Reshape": 1, "QGemm": 1, "QLinearSoftmax": 1,
}  # fmt: skip


def pictures(seed):
    return {"x": np.random.default_rng(seed).standard_normal(SIZES).astype(np.float32)}


class Calibration(quantization.CalibrationDataReader):
    """Four random pictures."""

    def __init__(self):
        self._left = iter([pictures(seed) for seed in range(4)])

    def get_next(self):
        return next(self._left, None)


def network(path, channels=8):
    random = np.random.default_rng(1)
    model = Model(opset=17)

    def weights(name, *sizes):
        array = random.standard_normal(sizes) / np.sqrt(np.prod(sizes[1:]) or 1)
        return model.constant(name, array.astype(np.float32))

    def convolved(x, number, *sizes, **fields):
        return model.node(
            "Conv", x, weights(f"w{number}", *sizes), weights(f"b{number}", sizes[0]), **fields
        )

    c = channels
    y = model.node("Relu", convolved(model.input("x", SIZES), 0, c, 3, 3, 3, pads=[1] * 4))
    z = model.node("Relu", convolved(y, 1, c, c, 3, 3, pads=[1] * 4))
    y = model.node("Relu", model.node("Add", y, convolved(z, 2, c, c, 1, 1)))
    y = model.node("MaxPool", y, kernel_shape=[2, 2], strides=[2, 2])
    y = model.node("Concat", y, model.node("Sigmoid", y), axis=1)
    y = convolved(y, 3, 2 * c, 1, 3, 3, group=2 * c, pads=[1] * 4)
    y = model.node("GlobalAveragePool", y)
    y = model.node("Reshape", y, model.constant("sizes", np.array([1, -1])))
    y = model.node("Gemm", y, weights("w4", 10, 2 * c), weights("b4", 10), transB=1)
    onnx.save(model.proto(model.node("Softmax", y)), path)


@pytest.fixture(params=["QUInt8", "QInt8"])
def quantized(request, tmp_path):
    network(tmp_path / "float.onnx")
    quantization.quantize_static(
        tmp_path / "float.onnx",
        tmp_path / "quantized.onnx",
        Calibration(),
        quant_format=quantization.QuantFormat.QDQ,
        activation_type=quantization.QuantType[request.param],
        weight_type=quantization.QuantType.QInt8,
        per_channel=request.param == "QInt8",
        reduce_range=True,  # so that ONNX Runtime's sums of two products do not saturate
    )
    return onnx.load(tmp_path / "quantized.onnx")


def test_a_network_becomes_operators_of_integers(quantized):
    whole = in_integers(quantized)

    found = [node.op_type for node in whole.graph.node]
    assert {name: found.count(name) for name in WHOLE} == WHOLE
    assert found.count("QuantizeLinear") == 1  # of the picture
    assert in_integers(whole) is whole


@pytest.mark.parametrize("level", ["ORT_DISABLE_ALL", "ORT_ENABLE_ALL"])
@pytest.mark.parametrize("form", ["as written", "integers"])
def test_both_forms_are_within_two_steps_of_onnx_runtime(quantized, level, form):
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = getattr(onnxruntime.GraphOptimizationLevel, level)
    options.log_severity_level = 3
    theirs = onnxruntime.InferenceSession(quantized.SerializeToString(), options)
    step = float(onnx.numpy_helper.to_array(scale_of_output(quantized)))
    loaded = dml.load_onnx(quantized, quantized=form)
    for seed in range(10, 13):
        (expected,) = theirs.run(None, pictures(seed))
        (actual,) = loaded(pictures(seed))
        assert np.ptp(expected) > 5 * step
        # Without optimizations it carries the groups out one operator after the other.
        most = 2.5 if level == "ORT_ENABLE_ALL" else 1.5
        assert np.abs(actual - expected).max() < most * step


def scale_of_output(model):
    node = next(node for node in model.graph.node if model.graph.output[0].name in node.output)
    return next(each for each in model.graph.initializer if each.name == node.input[1])


def test_groups_without_a_form_stay_as_they_are(quantized):
    for node in quantized.graph.node:
        if node.op_type == "DequantizeLinear":
            node.attribute.append(onnx.helper.make_attribute("block_size", 2))

    assert in_integers(quantized) is quantized


def test_groups_of_16_bits_stay_as_they_are(tmp_path):
    # DirectML's operators of quantized integers have 8 bits.
    network(tmp_path / "float.onnx")
    quantization.quantize_static(
        tmp_path / "float.onnx", tmp_path / "quantized.onnx", Calibration(),
        activation_type=quantization.QuantType.QUInt16, weight_type=quantization.QuantType.QInt8,
    )  # fmt: skip
    wide = onnx.load(tmp_path / "quantized.onnx")

    assert in_integers(wide) is wide
    as_integers, as_written = (
        dml.load_onnx(wide, quantized=form)(pictures(10))[0] for form in ("integers", "as written")
    )
    assert_bits_equal(actual=as_integers, expected=as_written)


def test_values_that_others_read_stay_floats(quantized):
    sigmoid = next(node for node in quantized.graph.node if node.op_type == "Sigmoid")
    quantized.graph.output.append(onnx.ValueInfoProto(name=sigmoid.output[0]))

    found = [node.op_type for node in in_integers(quantized).graph.node]

    assert "Sigmoid" in found
    assert "QLinearSigmoid" not in found
    session(in_integers(quantized))  # which checks it


def test_refuses_another_form(quantized):
    with pytest.raises(dml.SettingError, match="needs one of 'as written', 'integers', got 'int'"):
        dml.load_onnx(quantized, quantized="int")
