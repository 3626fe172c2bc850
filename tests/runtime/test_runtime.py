"""Devices, operators and compiled operators: what is accepted, refused and written."""

import mmap
import threading

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import indirectml as dml
from indirectml.descriptors.definitions import (
    DEFINITIONS,
    definition,
    implemented_operators,
)
from indirectml.operators import compute_function, descriptor_class, fills

CONSTANT = dml.FillValueConstantOperatorDesc
SEQUENCE = dml.FillValueSequenceOperatorDesc
E_INVALIDARG = 0x80070057


def compiled(desc, **device):
    device = dml.Device(**device)
    return device.compile_operator(device.create_operator(desc))


def reference(desc, rule):
    scalars = {
        name: np.frombuffer(getattr(desc, name).raw, desc.value_data_type.dtype, count=1)[0]
        for name in ("value_start", "value_delta")
    }
    return fills.sequence(output_sizes=desc.output_tensor.sizes, **scalars, rule=rule)


def ramp(sizes, data_type=np.float32, start=3, delta=2, **tensor):
    return SEQUENCE(dml.TensorDesc(data_type, sizes, **tensor), data_type, start, delta)


# ---- the published examples ----

PUBLISHED = [
    pytest.param(
        CONSTANT(dml.TensorDesc(np.float32, [1, 1, 2, 4]), np.float32, 13.0),
        np.full((1, 1, 2, 4), 13, np.float32),
        id="constant",
    ),
    pytest.param(
        ramp([1, 1, 1, 3]), np.array([[[[3, 5, 7]]]], np.float32), id="sequence ascending"
    ),
    pytest.param(
        ramp([1, 1, 2, 2], np.uint8, 10, -2),
        np.array([[[[10, 8], [6, 4]]]], np.uint8),
        id="sequence in two dimensions",
    ),
]


@pytest.mark.parametrize("rule", ["accumulate", "multiply"])
@pytest.mark.parametrize(("desc", "expected"), PUBLISHED)
def test_published_examples_give_the_published_values_at_2_1(desc, expected, rule):
    (actual,) = compiled(desc, feature_level="2_1", sequence_rule=rule)()

    assert actual.dtype == expected.dtype
    np.testing.assert_array_equal(actual, expected, strict=True)


# ---- the readable references ----

TYPES = [t for t in dml.TensorDataType if t.dtype is not None]
BITS = st.integers(0, 2**64 - 1)
SIZES = st.lists(st.integers(1, 4), min_size=1, max_size=5)


def _equal_bits(actual, expected):
    return actual.tobytes() == expected.tobytes() and actual.dtype == expected.dtype


@given(data_type=st.sampled_from(TYPES), value=BITS, sizes=SIZES)
def test_constants_equal_their_reference_in_every_bit(data_type, value, sizes):
    union = dml.ScalarUnion(value.to_bytes(8, "little"))
    desc = CONSTANT(dml.TensorDesc(data_type, sizes), data_type, union)

    (actual,) = compiled(desc)()

    assert _equal_bits(actual, compute_function("FILL_VALUE_CONSTANT")(desc))


@given(
    data_type=st.sampled_from([t for t in TYPES if t.name != "FLOAT64"]),
    start=BITS,
    delta=BITS,
    sizes=SIZES,
    rule=st.sampled_from(["accumulate", "multiply"]),
)
def test_sequences_equal_their_reference_in_every_bit(data_type, start, delta, sizes, rule):
    start, delta = (dml.ScalarUnion(bits.to_bytes(8, "little")) for bits in (start, delta))
    desc = SEQUENCE(dml.TensorDesc(data_type, sizes), data_type, start, delta)

    (actual,) = compiled(desc, sequence_rule=rule)()

    assert _equal_bits(actual, reference(desc, rule))


# ---- descriptors that are refused ----


def refusal(kind, text, make, level="6_4", **marks):
    return pytest.param(kind, text, make, level, **marks)


REFUSED = [
    refusal(
        dml.DescriptorError,
        "FILL_VALUE_SEQUENCE.output_tensor.sizes: needs 4 dimensions at feature level 2_1, "
        "got 2 [1, 3]",
        lambda: ramp([1, 3]),
        "2_1",
        id="rank 2 at 2_1",
    ),
    refusal(
        dml.DataTypeError,
        "FILL_VALUE_SEQUENCE.output_tensor.data_type: needs one of FLOAT32, FLOAT16, INT32, INT16, "
        "INT8, UINT32, UINT16, UINT8 at feature level 2_1, got INT64",
        lambda: ramp([1, 1, 1, 3], np.int64),
        "2_1",
        id="INT64 at 2_1",
    ),
    refusal(
        dml.DataTypeError,
        "FILL_VALUE_SEQUENCE.output_tensor.data_type: needs one of FLOAT32, FLOAT16, INT64, INT32, "
        "INT16, INT8, UINT64, UINT32, UINT16, UINT8 at feature level 6_4, got FLOAT64",
        lambda: ramp([3], np.float64),
        id="FLOAT64 sequence",
    ),
    refusal(
        dml.DataTypeError,
        "FILL_VALUE_CONSTANT.output_tensor.data_type: needs one of FLOAT64, FLOAT32, FLOAT16, "
        "INT64, INT32, INT16, INT8, UINT64, UINT32, UINT16, UINT8 at feature level 6_4, got INT4",
        lambda: CONSTANT(dml.TensorDesc(dml.TensorDataType.INT4, [3]), np.int8, 1),
        id="INT4",
    ),
    refusal(
        dml.DescriptorError,
        "FILL_VALUE_CONSTANT: needs feature level 2_1, got a device of level 2_0",
        lambda: CONSTANT(dml.TensorDesc(np.float32, [1, 1, 1, 3]), np.float32, 1),
        "2_0",
        id="before its feature level",
    ),
    refusal(
        dml.DescriptorError,
        "FILL_VALUE_CONSTANT.value_data_type: needs the data type of the output tensor, FLOAT32, "
        "got INT32",
        lambda: CONSTANT(dml.TensorDesc(np.float32, [3]), np.int32, 1),
        id="data types differ",
    ),
    refusal(
        dml.DescriptorError,
        "FILL_VALUE_SEQUENCE.output_tensor.flags: needs TensorFlags.NONE, since only inputs may be "
        "owned by DirectML, got OWNED_BY_DML",
        lambda: ramp([3], flags=dml.TensorFlags.OWNED_BY_DML),
        id="owned output",
    ),
    refusal(
        dml.LayoutError,
        "FILL_VALUE_SEQUENCE.output_tensor.strides: needs strides under which no two elements of "
        "an output share memory, got [2, 1] for sizes [2, 3], where (0, 2) and (1, 0) do",
        lambda: ramp([2, 3], strides=[2, 1]),
        id="overlapping strides",
    ),
    refusal(
        dml.LayoutError,
        "FILL_VALUE_SEQUENCE.output_tensor.strides: needs strides under which no two elements of "
        "an output share memory, got [0, 1] for sizes [2, 3], where (0, 0) and (1, 0) do",
        lambda: ramp([2, 3], strides=[0, 1]),
        id="stride 0",
    ),
    refusal(
        dml.ScalarError,
        "FILL_VALUE_SEQUENCE.value_delta: INT8 holds -128..127, got 200",
        lambda: ramp([3], np.int8, 1, 200),
        id="delta out of range",
    ),
    refusal(
        dml.ScalarError,
        "FILL_VALUE_CONSTANT.value: UINT8 holds 0..255, got -1",
        lambda: CONSTANT(dml.TensorDesc(np.uint8, [3]), np.uint8, -1),
        id="negative value of an unsigned type",
    ),
    refusal(
        dml.DataTypeError,
        "FILL_VALUE_CONSTANT.value: needs a number, got 'one' (str)",
        lambda: CONSTANT(dml.TensorDesc(np.uint8, [3]), np.uint8, "one"),
        id="text for a number",
    ),
    refusal(
        dml.DataTypeError,
        "FILL_VALUE_CONSTANT.output_tensor: needs a TensorDesc, got [3] (list)",
        lambda: CONSTANT([3], np.uint8, 1),
        id="list for a tensor",
    ),
    refusal(
        dml.DataTypeError,
        "FILL_VALUE_CONSTANT.value_data_type: needs a NumPy dtype or a TensorDataType, got 'FLOAT'",
        lambda: CONSTANT(dml.TensorDesc(np.uint8, [3]), "FLOAT", 1),
        id="unknown data type",
    ),
    refusal(
        dml.DataTypeError,
        "FILL_VALUE_CONSTANT.value_data_type: needs a data type of whole bytes, got UNKNOWN",
        lambda: CONSTANT(dml.TensorDesc(np.uint8, [3]), dml.TensorDataType.UNKNOWN, 1),
        id="UNKNOWN value",
    ),
]


@pytest.mark.parametrize(("kind", "text", "make", "level"), REFUSED)
def test_refuses_descriptors_with_a_sentence(kind, text, make, level):
    with pytest.raises(kind) as caught:
        dml.Device(feature_level=level).create_operator(make())

    assert str(caught.value) == text
    assert caught.value.hresult == E_INVALIDARG
    assert text.startswith(f"{caught.value.field}: {caught.value.required}")


ACCEPTED = [
    pytest.param("2_1", [1, 1, 1, 3], np.float16, id="2_1 at rank 4"),
    pytest.param("4_0", [3], np.uint32, id="4_0 at rank 1"),
    pytest.param("4_1", [1] * 8, np.int8, id="4_1 at rank 8"),
    pytest.param("5_0", [3], np.int64, id="5_0 with INT64"),
    pytest.param("6_4", [2, 3], np.uint64, id="6_4 with UINT64"),
]


@pytest.mark.parametrize(("level", "sizes", "data_type"), ACCEPTED)
def test_accepts_what_the_feature_level_lists(level, sizes, data_type):
    (actual,) = compiled(ramp(sizes, data_type), feature_level=level)()

    assert actual.shape == tuple(sizes)


def test_constants_of_64_bits_need_4_1():
    desc = CONSTANT(dml.TensorDesc(np.float64, [3]), np.float64, 0.1)

    with pytest.raises(dml.DataTypeError, match="at feature level 4_0, got FLOAT64"):
        compiled(desc, feature_level="4_0")
    np.testing.assert_array_equal(compiled(desc, feature_level="4_1")()[0], [0.1, 0.1, 0.1])


def test_devices_refuse_what_they_are_not():
    device = dml.Device()
    operator = device.create_operator(ramp([3]))

    for call, kind, text in [
        (lambda: dml.Device(feature_level="9_9"), dml.DescriptorError,
         "feature_level: needs a feature level from 1_0 to 6_4, got '9_9'"),
        (lambda: dml.Device(sequence_rule="add"), dml.DescriptorError,
         "sequence_rule: needs 'accumulate' or 'multiply', got 'add'"),
        (lambda: device.create_operator(3), dml.DataTypeError,
         "needs an operator descriptor, got 3 (int)"),
        (lambda: device.compile_operator(ramp([3])), dml.DataTypeError,
         "needs an operator from create_operator, got FillValueSequenceOperatorDesc"),
        (lambda: dml.Device().compile_operator(operator), dml.DescriptorError,
         "operator: needs an operator of this device, got one of another"),
    ]:  # fmt: skip
        with pytest.raises(kind) as caught:
            call()
        assert str(caught.value) == text


def test_the_device_chooses_the_rule():
    desc = ramp([6000], np.float16, 0, 1)

    assert compiled(desc)()[0][-1] == 2048
    assert compiled(desc, sequence_rule="multiply")()[0][-1] == 6000


# ---- outputs ----


def test_fills_given_arrays_where_their_own_strides_say():
    matrix = np.zeros((4, 6), np.float32)
    out = matrix[::2, 1::2]

    results = compiled(ramp([2, 3]))(out=[out])

    assert results[0] is out
    np.testing.assert_array_equal(out, [[3, 5, 7], [9, 11, 13]])
    assert np.count_nonzero(matrix) == 6


def test_fills_raw_buffers_where_the_descriptors_strides_say():
    raw = bytearray(b"\xee" * 40)

    compiled(ramp([2, 3], strides=[5, 1]))(out=[raw])

    values = np.frombuffer(raw, np.float32)
    np.testing.assert_array_equal(values[[0, 1, 2, 5, 6, 7]], [3, 5, 7, 9, 11, 13])
    assert raw[12:20] == raw[32:40] == b"\xee" * 8


@pytest.mark.parametrize(
    "make",
    [
        pytest.param(lambda: bytearray(64), id="bytearray"),
        pytest.param(lambda: memoryview(bytearray(64)), id="memoryview"),
        pytest.param(lambda: mmap.mmap(-1, 64), id="memory map"),
        pytest.param(lambda: memoryview(np.zeros(64, np.uint8)), id="memory of an array"),
        pytest.param(lambda: memoryview(np.zeros((4, 4), np.int32)), id="of other items"),
    ],
)
def test_fills_any_buffer_of_bytes(make):
    raw = make()

    compiled(ramp([1, 1, 1, 3]))(out=[raw])

    np.testing.assert_array_equal(np.frombuffer(raw, np.float32)[:4], [3, 5, 7, 0])


def test_new_outputs_of_strided_descriptors_are_views_with_zeros_between():
    (actual,) = compiled(ramp([2, 3], strides=[5, 1]))()

    np.testing.assert_array_equal(actual, [[3, 5, 7], [9, 11, 13]])
    assert actual.strides == (20, 4)
    np.testing.assert_array_equal(actual.base.view(np.float32), [3, 5, 7, 0, 0, 9, 11, 13])


def test_raw_memory_is_told_from_arrays_by_its_type_alone():
    """An array says itself where its elements lie, and in raw memory the descriptor says it."""
    repeated = dml.TensorDesc(np.uint8, [4], strides=[0])
    identity = compiled(
        dml.ElementWiseIdentityOperatorDesc(repeated, dml.TensorDesc(np.uint8, [4]))
    )
    turned = dml.TensorDesc(np.uint8, [2, 2], strides=[1, 2])
    elements = np.arange(1, 5, dtype=np.uint8)

    for raw in (bytearray(elements), bytes(elements), memoryview(elements)):
        assert identity([raw])[0].tolist() == [1, 1, 1, 1]
    assert identity([elements])[0].tolist() == [1, 2, 3, 4]

    out = bytearray(4)
    compiled(ramp([2, 2], np.uint8, 1, 1, strides=[1, 2]))(out=[out])
    assert list(out) == [1, 3, 2, 4]
    compiled(ramp([2, 2], np.uint8, 1, 1, strides=[1, 2]))(out=[elements.reshape(2, 2)])
    assert elements.tolist() == [1, 2, 3, 4]
    square = compiled(dml.ElementWiseIdentityOperatorDesc(turned, dml.TensorDesc(np.uint8, [2, 2])))
    assert square([memoryview(elements.reshape(2, 2))])[0].tolist() == [[1, 3], [2, 4]]


UNFIT = [
    pytest.param(
        lambda: [np.zeros(4, np.float32)],
        "FILL_VALUE_SEQUENCE.out[0]: needs an array of FLOAT32 with sizes [1, 3], got "
        "FLOAT32 with sizes [4]",
        id="other sizes",
    ),
    pytest.param(
        lambda: [np.zeros((1, 3), np.float64)],
        "FILL_VALUE_SEQUENCE.out[0]: needs an array of FLOAT32 with sizes [1, 3], got "
        "FLOAT64 with sizes [1, 3]",
        id="other data type",
    ),
    pytest.param(
        lambda: [bytearray(11)],
        "FILL_VALUE_SEQUENCE.out[0]: needs at least 12 bytes of raw memory for a tensor of FLOAT32 "
        "with sizes [1, 3], got 11",
        id="raw memory too small",
    ),
    pytest.param(
        lambda: [np.zeros(12, np.uint8)],
        "FILL_VALUE_SEQUENCE.out[0]: needs an array of FLOAT32 with sizes [1, 3], got UINT8 with "
        "sizes [12]; if it is the tensor's memory, give memoryview(array)",
        id="array of bytes",
    ),
    pytest.param(
        list, "out: needs a list of one array per output (FLOAT32 [1, 3]), got 0", id="no outputs"
    ),
    pytest.param(
        lambda: np.zeros((1, 3), np.float32),
        "out: needs a list of one array per output (FLOAT32 [1, 3]), got ndarray",
        id="array instead of list",
    ),
]


@pytest.mark.parametrize(("make", "text"), UNFIT)
def test_refuses_outputs_that_do_not_fit(make, text):
    with pytest.raises(dml.BindingError) as caught:
        compiled(ramp([1, 3]))(out=make())

    assert str(caught.value) == text


def test_refuses_read_only_outputs_before_writing():
    out = np.zeros((1, 3), np.float32)
    out.flags.writeable = False

    with pytest.raises(dml.LayoutError, match=r"out\[0\]: needs a writable array"):
        compiled(ramp([1, 3]))(out=[out])
    with pytest.raises(dml.LayoutError, match=r"out\[0\]: needs writable memory, got read-only b"):
        compiled(ramp([1, 3]))(out=[bytes(12)])
    with pytest.raises(
        dml.LayoutError, match=r"out\[0\]: needs memory without gaps, got a memoryv"
    ):
        compiled(ramp([1, 3]))(out=[memoryview(bytearray(24))[::2]])
    assert not out.any()


def test_one_compiled_operator_serves_several_threads():
    fill = compiled(ramp([1000], np.float32, 0, 0.1))
    expected = fill()[0]
    results = [None] * 8

    def work(k):
        for _ in range(50):
            results[k] = fill()[0]

    threads = [threading.Thread(target=work, args=(k,)) for k in range(len(results))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert all(_equal_bits(result, expected) for result in results)


# ---- the registry ----


def test_a_definition_is_a_registration():
    for name in implemented_operators():
        descriptor_class(name)
    assert implemented_operators() == tuple(sorted(DEFINITIONS))
    assert {"FILL_VALUE_CONSTANT", "GEMM"} <= {*implemented_operators()}
    assert descriptor_class("DML_OPERATOR_FILL_VALUE_SEQUENCE") is SEQUENCE


def test_known_operators_without_a_definition_get_a_sentence(monkeypatch):
    empty = {"operators": {}, "functions": {}}
    monkeypatch.setattr("indirectml.descriptors.definitions.index", lambda: empty)
    with pytest.raises(dml.OperatorNotImplementedError) as caught:
        definition.__wrapped__("GRU")

    assert str(caught.value) == (
        "GRU (feature level 1_0) is not implemented yet; `indirectml info` lists those that are"
    )
    assert caught.value.hresult == 0x80004001


def test_plans_are_data():
    device = dml.Device(sequence_rule="multiply")
    a, b = (device.compile_operator(device.create_operator(ramp([2, 3]))).plan for _ in range(2))

    assert a == b
    assert hash(a) == hash(b)
    assert "rule='multiply', start=1077936128, delta=1073741824" in repr(a)


def test_descriptors_do_not_change():
    with pytest.raises(AttributeError):
        ramp([3]).value_start = 1
