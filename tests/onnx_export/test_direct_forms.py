"""Forms that are one ONNX operator, forms beyond opset 18, and what is refused."""

import ml_dtypes
import numpy as np
import pytest
from onnx.reference import ReferenceEvaluator

import indirectml as dml
from indirectml import FusedActivation, TensorDesc
from tests.onnx_export.cases import Case
from tests.onnx_export.running import compare, exported
from tests.operators.test_regions import DEFAULTS, MAX, given, gradient_desc, roi_desc

F32 = np.float32
GLUE = {"Cast", "Reshape", "Identity"}


def case(desc, *arrays):
    return Case(desc.operator_name, 0, desc, arrays)


def random(*sizes):
    return np.random.default_rng(list(sizes)).normal(size=sizes).astype(F32)


def operators_of(desc):
    """Return the ONNX operators of a descriptor, without those that change no number."""
    model = exported(case(desc))
    return [node.op_type for node in model.graph.node if node.op_type not in GLUE]


def network(name, activations, **fields):
    """Return a network of 3 steps, 2 sequences of width 4, and a hidden size of 5."""
    gates = {"RNN": 1, "GRU": 3, "LSTM": 4}[name]
    return getattr(dml, f"{name.capitalize()}OperatorDesc")(
        TensorDesc(F32, [1, 3, 2, 4]),
        TensorDesc(F32, [1, 1, 5 * gates, 4]),
        TensorDesc(F32, [1, 1, 5 * gates, 5]),
        output_single_tensor=TensorDesc(F32, [1, 1, 2, 5]),
        activation_descs=activations,
        direction=dml.RecurrentNetworkDirection.FORWARD,
        **fields,
    )


IMAGE = TensorDesc(F32, [1, 3, 4, 4])
CHANNELS = TensorDesc(F32, [1, 3, 1, 1])
TWICE = TensorDesc(F32, [1, 3, 8, 8])
ONE = TensorDesc(F32, [1, 1, 1, 1])
LINEAR, DOUBLED = dml.InterpolationMode.LINEAR, [1, 1, 2, 2]
SIGMOID, TANH = FusedActivation.sigmoid(), FusedActivation.tanh()

ONE_EACH = [
    (dml.BatchNormalizationOperatorDesc(IMAGE, *[CHANNELS] * 4, IMAGE), "BatchNormalization"),
    (
        dml.MeanVarianceNormalization1OperatorDesc(
            IMAGE, IMAGE, axes=[2, 3], normalize_variance=True, epsilon=1e-5
        ),
        "LayerNormalization",
    ),
    (
        dml.LocalResponseNormalizationOperatorDesc(
            IMAGE, IMAGE, cross_channel=True, local_size=5, alpha=1, beta=0.5, bias=1
        ),
        "LRN",
    ),
    (dml.Resample1OperatorDesc(IMAGE, TWICE, LINEAR, DOUBLED, [0.5] * 4, [-0.5] * 4), "Resize"),
    (dml.Resample1OperatorDesc(IMAGE, TWICE, LINEAR, DOUBLED, [0] * 4, [0] * 4), "Resize"),
    (network("GRU", [SIGMOID, TANH], linear_before_reset=True), "GRU"),
    (network("RNN", [FusedActivation.leaky_relu(0.1)]), "RNN"),
    (roi_desc("ROI_ALIGN1", *given(), DEFAULTS, (2, 2)), "RoiAlign"),
    (
        dml.QuantizeOperatorDesc(
            IMAGE, dml.QuantizationType.SCALE, [CHANNELS], TensorDesc(np.int8, IMAGE.sizes)
        ),
        "QuantizeLinear",
    ),
    (dml.DynamicQuantizeLinearOperatorDesc(
        IMAGE, TensorDesc(np.uint8, IMAGE.sizes), ONE, TensorDesc(np.uint8, [1] * 4)
    ), "DynamicQuantizeLinear"),
]  # fmt: skip


@pytest.mark.parametrize(("desc", "operator"), ONE_EACH, ids=[name for _, name in ONE_EACH])
def test_one_onnx_operator_says_the_same(desc, operator):
    assert operators_of(desc) == [operator]


def test_long_running_products_need_the_opset_that_has_them():
    tensor = TensorDesc(F32, [2, 300])
    direction = dml.AxisDirection.INCREASING
    desc = dml.CumulativeProductOperatorDesc(
        tensor, tensor, 1, direction, has_exclusive_product=False
    )

    found, _, model = compare(case(desc, random(2, 300)))

    assert found.is_equal
    assert [(o.version) for o in model.opset_import] == [26]
    assert [node.op_type for node in model.graph.node] == ["CumProd"]


def test_outputs_of_many_elements_are_products_of_matrices():
    gradient, output = TensorDesc(F32, [1, 1, 80, 90]), TensorDesc(F32, [1, 1, 2, 3])
    desc = dml.ResampleGradOperatorDesc(
        gradient, output, LINEAR, [1, 1, 40, 30], [0.5] * 4, [-0.5] * 4
    )

    found, _, model = compare(case(desc, random(1, 1, 80, 90)))

    assert found.share <= 1
    assert "MatMul" in [node.op_type for node in model.graph.node]


@pytest.mark.parametrize("data_type", ["int4", "uint4"])
@pytest.mark.parametrize("own", [[1, 1], [4, 1], [1, 8], [4, 2], [2, 2]])
def test_integers_of_4_bits_become_numbers_as_in_the_formula(data_type, own):
    dtype = np.dtype(getattr(ml_dtypes, data_type))
    integers, zeros = (np.arange(32) % 8).reshape(4, 8), np.arange(np.prod(own)).reshape(own)
    scales = np.abs(random(*own)) + F32(0.1)
    narrow = dml.TensorDataType[data_type.upper()]
    tensors = [TensorDesc(F32, own), TensorDesc(narrow, own)]
    desc = dml.DequantizeOperatorDesc(
        TensorDesc(narrow, [4, 8]), dml.QuantizationType.SCALE_ZERO_POINT, tensors,
        TensorDesc(F32, [4, 8]),
    )  # fmt: skip

    model = exported(case(desc))

    arrays = (integers.astype(dtype), scales, zeros.astype(dtype))
    values = {i.name: a for i, a in zip(model.graph.input, arrays, strict=True)}
    blocks = np.ones([n // m for n, m in zip((4, 8), own, strict=True)])
    expected = (integers - np.kron(zeros, blocks)).astype(F32) * np.kron(scales, blocks).astype(F32)
    np.testing.assert_array_equal(ReferenceEvaluator(model).run(None, values)[0], expected)


def test_activations_that_networks_do_not_have_are_refused():
    refused(network("RNN", [FusedActivation.celu(1)]), (
        "RNN_0: needs activations that ONNX has in its RNN: ACTIVATION_ELU, "
        "ACTIVATION_HARD_SIGMOID, ACTIVATION_IDENTITY, ACTIVATION_LEAKY_RELU, ACTIVATION_LINEAR, "
        "ACTIVATION_RELU, ACTIVATION_SCALED_TANH, ACTIVATION_SIGMOID, ACTIVATION_SOFTSIGN, "
        "ACTIVATION_TANH, ACTIVATION_THRESHOLDED_RELU, and ACTIVATION_SOFTPLUS of steepness 1, "
        "got ACTIVATION_CELU as activation_descs[0]"
    ))  # fmt: skip


def test_regions_of_any_number_of_samples_are_refused():
    refused(roi_desc("ROI_ALIGN1", *given(), DEFAULTS | {"reduce": MAX}, (2, 2)), (
        "ROI_ALIGN1_0: needs a maximum_samples_per_output of at most 16, but for the average of "
        "linear samples with an output_pixel_offset of -0.5 and 0 outside, got 4294967295"
    ))  # fmt: skip


def test_gradients_of_regions_with_many_samples_are_refused():
    x, roi, batches = given()
    refused(gradient_desc(x, random(8, 3, 2, 3), roi, batches, DEFAULTS), (
        "ROI_ALIGN_GRAD_0: needs a maximum_samples_per_output of at most 16, got 4294967295"
    ))  # fmt: skip


def refused(desc, text):
    with pytest.raises(dml.DirectMLError) as caught:
        exported(case(desc))
    assert str(caught.value) == text


INT64 = TensorDesc(np.int64, [64])
OF_INT64 = [
    dml.ElementWiseSignOperatorDesc(INT64, INT64),
    dml.ElementWiseAbsOperatorDesc(INT64, INT64),
    dml.ElementWiseMaxOperatorDesc(INT64, INT64, INT64),
    dml.ElementWiseMinOperatorDesc(INT64, INT64, INT64),
    dml.ElementWiseClip1OperatorDesc(INT64, INT64, np.int64, -(2**33), 2**33 - 7),
    *(
        dml.ReduceOperatorDesc(function, INT64, TensorDesc(np.int64, [1]), [0])
        for function in (dml.ReduceFunction.MAX, dml.ReduceFunction.MIN)
    ),
    dml.GatherOperatorDesc(INT64, INT64, INT64, 0, 1),
]


@pytest.mark.parametrize("desc", OF_INT64, ids=lambda desc: desc.operator_name)
def test_integers_whose_upper_halves_are_equal(desc):
    generator = np.random.default_rng(3)
    lower = generator.integers(0, 2**32, (2, 64), dtype=np.int64)
    x, y = lower | generator.choice([0, 0, -1, 1, -(2**31)], (2, 64)) << 32
    count = len(desc.tensors("input_tensor"))

    found, _, _ = compare(case(desc, *(x, y)[:count]))

    assert found.is_equal
