"""Arrays of constants and sequences have the elements that the reference and ONNX Runtime have."""

import numpy as np
import pytest

from indirectml import Sequence, TensorDataType, fill_constant, fill_sequence, full, sequence
from tests import reference
from tests.bits import assert_bits_equal
from tests.parameters import SEED, by_dtype
from tests.reference import DTYPES, shown

# ---- Arrays take the same values ----------------------------------------------------------------


@by_dtype(DTYPES)
def test_a_constant_keeps_every_bit(dtype):
    for value in reference.borders(dtype):
        expected = np.repeat(np.array(value), 5)
        out = np.zeros(5, dtype)
        assert fill_constant(out, value) is out
        assert_bits_equal(actual=out, expected=expected)
        assert_bits_equal(actual=full((5,), value, dtype), expected=expected)
        assert_bits_equal(actual=full(5, value, TensorDataType[dtype.name.upper()]), expected=out)


def test_every_half_precision_pattern_is_a_constant():
    patterns = np.arange(1 << 16, dtype=np.uint16)
    out = np.empty(1 << 16, np.float16)
    for value, slot in zip(patterns.view(np.float16), out.reshape(-1, 1), strict=True):
        fill_constant(slot, value)

    assert_bits_equal(actual=out.view(np.uint16), expected=patterns)


@by_dtype(DTYPES)
@pytest.mark.parametrize("rule", ["accumulate", "multiply"])
def test_arrays_are_filled_with_the_sequence_in_row_major_order(dtype, rule):
    for start, delta in reference.random_pairs(dtype, SEED + 11, 100):
        expected = reference.elements(start, delta, 24, rule).reshape(2, 3, 4)
        out = np.empty((2, 3, 4), dtype)
        assert fill_sequence(out, start, delta, rule=rule) is out
        where = f"seed {SEED + 11}, {shown(start, delta)}"
        assert_bits_equal(actual=out, expected=expected, where=where)
        created = sequence([2, 3, 4], start, delta, dtype, rule=rule)
        assert_bits_equal(actual=created, expected=expected, where=where)


def test_the_default_rule_is_accumulate():
    assert_bits_equal(actual=sequence(11, 0.1, 0.1)[10], expected=np.float32(1.1000001))
    assert fill_sequence(np.empty(11), 0.1, 0.1)[10] == sum([0.1] * 10, 0.1)
    assert Sequence(0.1, 0.1).rule == "accumulate"


@pytest.mark.parametrize(
    ("start", "delta", "dtype"),
    [(0.1, 0.2, np.float32), (-5, 3, np.int8), (5, 254, np.uint8), (2**63, 1, np.uint64)],
)
def test_a_sequence_knows_its_operands(start, delta, dtype):
    s = Sequence(start, delta, dtype)

    assert_bits_equal(actual=s.start, expected=dtype(start))
    assert_bits_equal(actual=s.delta, expected=dtype(delta))
    assert s.dtype == dtype


# ---- An oracle that nobody here wrote -----------------------------------------------------------


@pytest.mark.parametrize("name", ["float32", "float64", "int16", "int32", "int64"])
def test_onnx_runtimes_range_operator_agrees_with_accumulate(name):
    onnx = pytest.importorskip("onnx")
    onnxruntime = pytest.importorskip("onnxruntime")
    dtype = np.dtype(name)
    element = onnx.helper.np_dtype_to_tensor_dtype(dtype)
    scalars = [onnx.helper.make_tensor_value_info(n, element, []) for n in ("a", "limit", "d")]
    out = onnx.helper.make_tensor_value_info("out", element, [None])
    node = onnx.helper.make_node("Range", ["a", "limit", "d"], ["out"])
    graph = onnx.helper.make_graph([node], "range", scalars, [out])
    opset = onnx.helper.make_opsetid("", 11)
    model = onnx.helper.make_model(graph, opset_imports=[opset], ir_version=8)
    session = onnxruntime.InferenceSession(
        model.SerializeToString(), providers=["CPUExecutionProvider"]
    )
    floats = [(0, 0.1), (3.2, 1.5), (-1, 1e-3), (1e6, -0.3), (100, -0.37), (1 / 3, 1 / 7)]
    integers = [(0, 1), (-5, 3), (1000, -7), (30000, -13)]
    for a, d in floats if dtype.kind == "f" else integers:
        start, limit, delta = dtype.type(a), dtype.type(a + 4000 * d), dtype.type(d)
        scalars_by_name = {"a": start, "limit": limit, "d": delta}.items()

        (expected,) = session.run(None, {n: np.array(v) for n, v in scalars_by_name})

        assert 3990 <= expected.size <= 4010
        actual = Sequence(start, delta, dtype)[0 : expected.size]
        assert_bits_equal(actual=actual, expected=expected, where=shown(start, delta))
