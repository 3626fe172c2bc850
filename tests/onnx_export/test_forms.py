"""Which operators have an ONNX form, and where it is stated."""

import importlib

import numpy as np
import pytest

import indirectml as dml
from indirectml.descriptors.definitions import definition, implemented_operators, index
from indirectml.onnx_export.forms import FORMS, form_of
from tests.bits import assert_bits_equal
from tests.extent import chosen
from tests.onnx_export.cases import cases_of
from tests.onnx_export.test_frame import operators_of, run

FAMILIES = sorted(set(index()["operators"].values()))


@pytest.mark.parametrize("family", FAMILIES)
def test_every_operator_has_a_form_in_the_module_of_its_family(family):
    importlib.import_module(f"indirectml.onnx_export.{family}")
    names = {
        definition(name).name for name in implemented_operators()
        if index()["operators"][name] == family
    }  # fmt: skip

    for name in names:
        assert form_of(name) is not None, name
        module = FORMS[name].__module__.removeprefix("indirectml.onnx_export.")
        assert module in {family, "forms"}, name


def compiled(desc):
    device = dml.Device()
    return device.compile_operator(device.create_operator(desc))


FUSED = [
    dml.FusedActivation.elu(0.5), dml.FusedActivation.hard_sigmoid(), dml.FusedActivation.relu(),
    dml.FusedActivation.identity(), dml.FusedActivation.leaky_relu(0.25),
    dml.FusedActivation.linear(2, 3), dml.FusedActivation.parametric_softplus(2, 0.5),
    dml.FusedActivation.scaled_elu(), dml.FusedActivation.scaled_tanh(2, 0.5),
    dml.FusedActivation.sigmoid(), dml.FusedActivation.softplus(2), dml.FusedActivation.softsign(),
    dml.FusedActivation.tanh(), dml.FusedActivation.thresholded_relu(1), dml.FusedActivation.none(),
]  # fmt: skip


@pytest.mark.parametrize("dtype", [np.float32, np.float16])
@pytest.mark.parametrize("fused", FUSED, ids=lambda fused: fused.activation.name)
def test_a_fused_activation_is_applied_before_the_one_rounding(fused, dtype):
    tensor = dml.TensorDesc(dtype, [8])
    operator = compiled(dml.ElementWiseAdd1OperatorDesc(tensor, tensor, tensor, fused))
    x, y = np.random.default_rng(1).normal(size=(2, 8)).astype(dtype)

    found = run(operator.to_onnx(), {"input_0": x, "input_1": y})["output_0"]

    # Functions come within a few ULP of 1 in a runtime.
    bound = 1e-6 if dtype == np.float32 else 1e-3
    np.testing.assert_allclose(found, operator([x, y])[0], rtol=bound, atol=2e-7)


@pytest.mark.parametrize("scale_bias", [(3, -7), (0.3, 2.5), (-1e9, 0.25)])
@pytest.mark.parametrize("dtype", [np.int8, np.uint16, np.int32, np.uint64, np.int64, np.float32])
def test_scale_and_bias_give_the_same_bits(dtype, scale_bias):
    tensor = dml.TensorDesc(dtype, [64])
    operator = compiled(dml.ElementWiseIdentityOperatorDesc(tensor, tensor, scale_bias))
    x = np.random.default_rng(1).integers(0, 256, 64 * np.dtype(dtype).itemsize, np.uint8)
    x = x.view(dtype) if np.dtype(dtype).kind != "f" else np.linspace(-9, 9, 64, dtype=dtype)

    found = run(operator.to_onnx(), {"input_0": x})["output_0"]

    assert_bits_equal(actual=found, expected=operator([x])[0])


@pytest.mark.parametrize("dtype", [np.int8, np.uint8, np.int32, np.uint32, np.int64, np.uint64])
@pytest.mark.parametrize("source", [np.float16, np.float32, np.float64])
def test_floats_that_do_not_fit_become_the_nearest_integers(source, dtype):
    limits = np.iinfo(dtype)
    numbers = [0.0, -0.0, 0.5, -0.5, -1, 1.5, np.inf, -np.inf, np.nan, 3e38, limits.min, limits.max,
               limits.max / 2, 127.5, -128.5, 255.9, 2**31, 2**32, 2**53 + 2.0]  # fmt: skip
    with np.errstate(over="ignore"):
        x = np.array(numbers).astype(source)
    operator = compiled(
        dml.CastOperatorDesc(dml.TensorDesc(source, x.shape), dml.TensorDesc(dtype, x.shape))
    )

    found = run(operator.to_onnx(), {"input_0": x})["output_0"]

    assert_bits_equal(actual=found, expected=operator([x])[0])


def test_an_older_version_has_the_form_of_the_newer_one():
    tensor, output = (
        dml.TensorDesc(np.float32, [1, 1, 4, 4]),
        dml.TensorDesc(np.float32, [1, 1, 2, 2]),
    )
    fields = {"strides": [2, 2], "window_size": [2, 2], "start_padding": [0, 0],
              "end_padding": [0, 0]}  # fmt: skip
    operator = compiled(dml.MaxPoolingOperatorDesc(tensor, output, **fields))
    x = np.random.default_rng(1).normal(size=(1, 1, 4, 4)).astype(np.float32)

    model = operator.to_onnx()

    assert operators_of(model) == ["MaxPool"]
    assert_bits_equal(actual=run(model, {"input_0": x})["output_0"], expected=operator([x])[0])


@pytest.mark.parametrize("dtype", [np.uint8, np.uint16, np.uint64, np.int64, np.float32])
def test_padding_of_windows_is_no_element_although_as_large_as_one(dtype):
    sizes, pooled = [1, 1, 2, 3], [1, 1, 4, 6]
    lowest = -np.inf if dtype is np.float32 else np.iinfo(dtype).min
    desc = dml.MaxPooling1OperatorDesc(
        dml.TensorDesc(dtype, sizes),
        dml.TensorDesc(dtype, pooled),
        strides=[1, 1], window_size=[2, 2], start_padding=[2, 2], end_padding=[1, 2],
        output_indices_tensor=dml.TensorDesc(np.uint32, pooled),
    )  # fmt: skip
    operator = compiled(desc)
    x = np.full(sizes, lowest, dtype)

    found = run(operator.to_onnx(), {"input_0": x})

    for actual, expected in zip(found.values(), operator([x]), strict=True):
        assert_bits_equal(actual=actual, expected=expected)


def test_what_both_sides_repeat_is_repeated():
    graph = dml.Graph(dml.Device())
    x = graph.input([1, 3], name="x")
    wide = dml.broadcast(x, [2, 3])
    made = graph.compile([wide + wide, dml.where(dml.is_nan(wide), wide, wide)])
    array = np.array([[1, np.nan, 3]], np.float32)

    found = run(made.to_onnx(), {"x": array})

    for actual, expected in zip(found.values(), made({x: array}), strict=True):
        assert_bits_equal(actual=actual, expected=expected)


@pytest.mark.parametrize(("family", "opset"), chosen(FAMILIES, [21, 26]))
def test_an_opset_that_is_given_is_kept_to(family, opset):
    for name in implemented_operators():
        if index()["operators"][name] != family or form_of(name) is None:
            continue
        case = next(c for c in cases_of(name, 2) if not _needs_bit_cast(c))

        model = compiled(case.desc).to_onnx(opset=opset)  # which checks it

        assert model.opset_import[0].version == opset


def _needs_bit_cast(case):
    """Whether bits of floats are operated on."""
    tensors = [t for _, t in case.desc.tensors("input_tensor") if t is not None]
    return "_BIT_" in case.name and any(t.data_type.is_float for t in tensors)
