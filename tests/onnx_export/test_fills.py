"""FILL_VALUE_SEQUENCE in ONNX Runtime: the same bits under both rules, in all data types."""

import math

import numpy as np
import pytest

import indirectml as dml
from indirectml.onnx_export import fills
from tests.bits import assert_bits_equal
from tests.onnx_export.test_frame import operators_of, run
from tests.reference import accumulated, multiplied

INTEGERS = (np.int8, np.uint8, np.int16, np.uint16, np.int32, np.uint32, np.int64, np.uint64)
COUNT = 70_000  # beyond 64 KiB in every data type

inf, nan = math.inf, math.nan

#: Starts and deltas of floats that segments, ties, zeros and the ends of formats make difficult.
FLOATS = [
    (0, 1), (0, 0.1), (-0.0, 0.1), (-0.0, -0.1), (0.0, -0.0), (-0.0, 0.0), (-0.0, -0.0), (1, 0),
    (-35_000, 1), (35_000, -1), (-3.5, 0.0001), (1000.1, 1e-4), (1e-5, 100.1), (60_000, 0.3),
    (1, 2**-11), (1, 2**-24), (1, 2**-10), (-1, 2**-13), (0, 6e-8), (-2e-3, 6e-8), (0.3, 6e-8),
    (-0.0, -6e-8), (0.0, -6e-8), (6e-5, -6e-8),
    (1, inf), (inf, -1), (inf, -inf), (nan, 1), (1, nan), (-65_504, 0.9), (5, -7.25e-5),
]  # fmt: skip

#: Of FLOAT32 alone.
SINGLES = [
    (3.4e38, 1e33), (-3.4e38, 1e34), (1e-45, 1e-45), (-5e-41, 1.4e-45), (1e30, 1e-30),
    (-0.0, -1.4e-45), (0.0, -1.4e-45), (5e-42, -1.4e-45), (-5e-42, 1.4e-45),
    (16_777_200, 0.3), (-16_777_216.0, 1e3), (1e-5, 1000.1), (0.1, 1e-9), (1e-20, 1e10),
    (8_388_607.5, 0.5), (-8_388_608, 239.7), (1e7, 1 / 3), (7, 2**-40),
]  # fmt: skip


def exported(start, delta, dtype, rule, count=COUNT):
    """Return the ONNX model of a sequence, and what IndirectML writes."""
    device = dml.Device(sequence_rule=rule)
    tensor = dml.TensorDesc(dtype, [2, count // 2])
    desc = dml.FillValueSequenceOperatorDesc(tensor, dtype, start, delta)
    compiled = device.compile_operator(device.create_operator(desc))
    return compiled.to_onnx(functions=False), compiled()[0]


def assert_same(start, delta, dtype, rule):
    model, expected = exported(start, delta, dtype, rule)
    found = run(model, {})["output_0"]
    assert_bits_equal(actual=found, expected=expected)
    return model


@pytest.mark.parametrize("rule", ["accumulate", "multiply"])
@pytest.mark.parametrize("dtype", INTEGERS)
def test_integers_wrap(dtype, rule):
    limits = np.iinfo(dtype)
    for start, delta in [(0, 1), (limits.max, limits.max), (limits.min, -3), (5, 0)]:
        model = assert_same(start, delta, dtype, rule)
        assert "Range" in operators_of(model)


@pytest.mark.parametrize("rule", ["accumulate", "multiply"])
@pytest.mark.parametrize(("start", "delta"), FLOATS)
def test_half_precision(start, delta, rule):
    assert_same(start, delta, np.float16, rule)


@pytest.mark.parametrize("rule", ["accumulate", "multiply"])
@pytest.mark.parametrize(("start", "delta"), [*FLOATS, *SINGLES])
def test_single_precision(start, delta, rule):
    assert_same(start, delta, np.float32, rule)


@pytest.mark.parametrize("rule", ["accumulate", "multiply"])
@pytest.mark.parametrize("dtype", [np.float16, np.float32])
def test_random_sequences(dtype, rule):
    random = np.random.default_rng(20260 + np.dtype(dtype).itemsize)
    for _ in range(25):
        start, delta = random.normal(size=2) * 10.0 ** random.integers(-6, 4, 2)
        assert_same(start, delta, dtype, rule)


def test_elements_are_those_of_plain_loops():
    start, delta = np.float32(0.1), np.float32(0.3)
    loops = {
        "accumulate": accumulated(start, delta, 3000),
        "multiply": np.array([multiplied(start, delta, i) for i in range(3000)]),
    }
    for rule, expected in loops.items():
        model, _ = exported(start, delta, np.float32, rule)
        found = run(model, {})["output_0"].ravel()[:3000]
        assert_bits_equal(actual=found, expected=expected)


def test_a_small_sequence_is_a_constant_and_a_large_one_is_small():
    small, _ = exported(0, 0.1, np.float32, "accumulate", count=fills.LITERAL_BYTES // 4)
    large, _ = exported(0, 0.1, np.float32, "accumulate", count=10_000_000)
    exact, _ = exported(1, 0.5, np.float32, "multiply")

    assert operators_of(small) == ["Identity"]
    assert len(large.SerializeToString()) < 40_000
    assert operators_of(exact) == ["Range", "Cast", "Mul", "Add", "Cast", "Reshape"]


def test_what_has_no_other_form_is_a_constant(monkeypatch):
    monkeypatch.setattr(fills, "_MOST_SEGMENTS", 3)

    model = assert_same(0, 0.1, np.float32, "accumulate")

    assert operators_of(model) == ["Identity"]


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64, *INTEGERS])
def test_a_constant_keeps_its_bits(dtype):
    raw = np.array([0xFF, 0x7F, 0xA0, 0x01, 0x22, 0xFF, 0xF0, 0x7F], np.uint8).tobytes()
    device = dml.Device()
    desc = dml.FillValueConstantOperatorDesc(dml.TensorDesc(dtype, [3, 5]), dtype, raw)
    compiled = device.compile_operator(device.create_operator(desc))

    found = run(compiled.to_onnx(), {})["output_0"]

    assert found.tobytes() == compiled()[0].tobytes()
