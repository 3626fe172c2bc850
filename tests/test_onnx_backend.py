"""ONNX's Backend API, by ONNX's own runner and by hand."""

import numpy as np
import onnx
import pytest

import indirectml as dml
from indirectml import backend
from tests import onnx_backend
from tests.bits import assert_bits_equal
from tests.extent import Extent

#: Which of the runner's tests are run without `--whole`, and how many.
SEED, SHARE = 31, 150


def test_a_share_of_onnxs_own_backend_tests_has_the_recorded_outcomes():
    record = onnx_backend.recorded()
    if onnx.__version__ != record["onnx"]:
        pytest.skip(f"outcomes are recorded for onnx {record['onnx']}, this is {onnx.__version__}")
    outcomes = record["outcomes"]
    assert set(outcomes) == set(onnx_backend.cases())
    names = sorted(outcomes)
    if not Extent.whole:
        names = [str(name) for name in np.random.default_rng(SEED).permutation(names)[:SHARE]]

    print(f"seed {SEED}")  # noqa: T201 (shown where it fails)
    found = {name: onnx_backend.outcome(name)[0] for name in names}

    assert found == {name: outcomes[name][0] for name in names}


def test_the_page_is_the_recorded_one():
    page = onnx_backend.PAGE.read_text(encoding="utf-8")

    assert page == onnx_backend.page_of(onnx_backend.recorded())


MODEL = onnx.parser.parse_model("""
    <ir_version: 8, opset_import: ["" : 18]>
    sums (float[N] x, float[N] y) => (float[N] s, float[N] d) { s = Add(x, y) d = Sub(x, y) }
""")
X, Y = np.arange(3, dtype=np.float32), np.ones(3, np.float32)


@pytest.mark.parametrize("inputs", [[X, Y], {"y": Y, "x": X}], ids=["order", "names"])
def test_a_prepared_model_takes_inputs_by_order_and_by_name(inputs):
    prepared = backend.prepare(MODEL, "CPU:0", unknown=1)

    for outputs in (prepared.run(inputs), backend.run_model(MODEL, inputs)):
        assert_bits_equal(actual=outputs[0], expected=X + Y)
        assert_bits_equal(actual=outputs["d"], expected=X - Y)


def test_a_node_is_run_by_its_version():
    node = onnx.helper.make_node("Softmax", ["x"], ["y"])
    x = np.zeros((2, 2, 2), np.float32)

    # Before version 13 all axes behind the one that is named are one.
    for version, share in ((12, 0.25), (13, 0.5)):
        (found,) = backend.run_node(node, [x], opset_version=version)
        assert_bits_equal(actual=found, expected=np.full((2, 2, 2), share, np.float32))
    clip = onnx.helper.make_node("Clip", ["x", "", "most"], ["y"])
    (found,) = backend.run_node(clip, [X, np.array(1, np.float32)])
    assert_bits_equal(actual=found, expected=np.array([0, 1, 1], np.float32))


def test_another_device_and_too_many_inputs_are_refused():
    assert backend.supports_device("CPU")
    assert not backend.supports_device("CUDA")
    assert not backend.is_compatible(MODEL, "CUDA")
    with pytest.raises(dml.DeviceUnavailableError, match="needs 'CPU', got 'CUDA'"):
        backend.prepare(MODEL, "CUDA")
    with pytest.raises(dml.BindingError, match="needs at most 2 inputs, got 3"):
        backend.run_model(MODEL, [X, Y, Y])
