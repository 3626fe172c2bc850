"""INT4 and UINT4: two elements a byte, the low half first, through every door that takes them."""

import numpy as np
import pytest

import indirectml as dml
from tests.operators.oracle import assert_bits_equal

INT4, UINT4 = dml.TensorDataType.INT4, dml.TensorDataType.UINT4
F32 = np.float32
SCALE, BOTH = dml.QuantizationType.SCALE, dml.QuantizationType.SCALE_ZERO_POINT


def packed(numbers, count):
    """Return bytes of 4-bit integers: number 2 k in the low half of byte k."""
    raw = bytearray(count)
    for k, number in enumerate(numbers):
        raw[k // 2] |= (int(number) & 15) << (4 * (k % 2))
    return np.frombuffer(bytes(raw), np.uint8)


def compiled(desc):
    device = dml.Device()
    return device.compile_operator(device.create_operator(desc))


def dequantizing(data_type, sizes, kind=SCALE, **layout):
    """Return a descriptor whose scale has one element."""
    ones = (1,) * len(sizes)
    parameters = [dml.TensorDesc(F32, ones), dml.TensorDesc(data_type, ones)]
    x, y = dml.TensorDesc(data_type, sizes, **layout), dml.TensorDesc(F32, sizes)
    return dml.DequantizeOperatorDesc(x, kind, parameters[: int(kind)], y)


NUMBERS = {INT4: [-8, -7, -1, 0, 1, 6, 7], UINT4: [0, 1, 7, 8, 9, 14, 15]}
HALF = np.array([0.5], F32)


@pytest.mark.parametrize("data_type", NUMBERS)
@pytest.mark.parametrize("count", range(1, 8))
@pytest.mark.parametrize("as_memory", [False, True])
def test_dequantize(data_type, count, as_memory):
    numbers = NUMBERS[data_type][:count]
    raw = packed(numbers, 4)

    actual = compiled(dequantizing(data_type, [count]))([bytes(raw) if as_memory else raw, HALF])

    assert_bits_equal(actual=actual[0], expected=np.array(numbers, F32) * HALF)


@pytest.mark.parametrize("data_type", NUMBERS)
def test_zero_points_are_halves_too(data_type):
    numbers = NUMBERS[data_type]
    arrays = [packed(numbers, 4), HALF, packed([3], 4)]

    actual = compiled(dequantizing(data_type, [7], BOTH))(arrays)

    assert_bits_equal(actual=actual[0], expected=(np.array(numbers, F32) - 3) * HALF)


def test_strides_are_in_elements():
    raw = packed(range(16), 8)

    actual = compiled(dequantizing(UINT4, [3, 2], strides=[5, 3]))([raw, HALF.reshape(1, 1)])

    expected = np.array([[0, 3], [5, 8], [10, 13]], F32) * F32(0.5)
    assert_bits_equal(actual=actual[0], expected=expected)


def quantizing(data_type, sizes, **layout):
    ones = (1,) * len(sizes)
    x, y = dml.TensorDesc(F32, sizes), dml.TensorDesc(data_type, sizes, **layout)
    return dml.QuantizeOperatorDesc(x, SCALE, [dml.TensorDesc(F32, ones)], y)


@pytest.mark.parametrize("data_type", NUMBERS)
@pytest.mark.parametrize("count", range(1, 8))
def test_quantize(data_type, count):
    numbers = NUMBERS[data_type][:count]
    x = np.array(numbers, F32)

    actual = compiled(quantizing(data_type, [count]))([x, HALF * 2])[0]

    assert_bits_equal(
        actual=actual[: -(-count // 2)], expected=packed(numbers, 4)[: -(-count // 2)]
    )


@pytest.mark.parametrize(("data_type", "low", "high"), [(INT4, -8, 7), (UINT4, 0, 15)])
def test_quantize_stays_within_four_bits(data_type, low, high):
    x = np.array([-1e9, 1e9, 0, 2.5], F32)

    actual = compiled(quantizing(data_type, [4]))([x, HALF * 2])[0]

    assert_bits_equal(actual=actual[:2], expected=packed([low, high, 0, 2], 4)[:2])


def test_halves_between_the_elements_of_an_output_stay():
    memory = bytearray(b"\xa5" * 8)
    x = np.array([1, 2, 3], F32)

    compiled(quantizing(UINT4, [3], strides=[3]))([x, HALF * 2], out=[memory])

    assert bytes(memory) == bytes.fromhex("a1 25 a5 a3 a5 a5 a5 a5")


def test_graphs_take_and_give_bytes():
    graph = dml.Graph(dml.Device())
    x = graph.input([3], INT4)
    y = dml.dequantize(x, [graph.constant(HALF)], quantization_type=SCALE)

    assert graph.compile([y])({x: packed([-8, 7, 1], 4)})[0].tolist() == [-4, 3.5, 0.5]


@pytest.mark.parametrize("name", ["int4", "uint4"])
def test_arrays_of_ml_dtypes_are_packed(name):
    dtype = getattr(pytest.importorskip("ml_dtypes"), name)
    data_type = dml.TensorDataType[name.upper()]
    x = np.array(NUMBERS[data_type], dtype)

    actual = compiled(dequantizing(data_type, [7]))([x, HALF])[0]

    assert_bits_equal(actual=actual, expected=np.array(NUMBERS[data_type], F32) * HALF)


def there_and_back(graph, x):
    """Return integers of four bits that went through floats."""
    scale = graph.constant(np.ones([1] * len(x.shape), F32))
    numbers = dml.dequantize(x, [scale], quantization_type=SCALE)
    return dml.quantize(numbers, [scale], quantization_type=SCALE, output_dtype=x.desc.data_type)


@pytest.mark.parametrize("name", ["int4", "uint4"])
def test_graphs_give_what_they_get(name):
    dtype = np.dtype(getattr(pytest.importorskip("ml_dtypes"), name))
    data_type = dml.TensorDataType[name.upper()]
    array = np.array(NUMBERS[data_type][:6], dtype).reshape(2, 3)
    graph = dml.Graph(dml.Device())
    x = graph.input([2, 3], dtype)
    compiled = graph.compile([there_and_back(graph, x)])

    (bits,) = compiled({x: packed(array.ravel().astype(np.int8), 4)})
    (elements,) = compiled({x: array})
    (buffer,) = compiled({x: dml.Buffer(graph.device, array)}, readback=False)
    (constant,) = graph.compile([there_and_back(graph, graph.constant(array))])()

    assert (x.desc.data_type, bits.dtype) == (data_type, np.uint8)
    for found in (elements, buffer.numpy(), constant):
        assert found.dtype == dtype
        assert found.tolist() == array.tolist()


def test_four_bits_are_reinterpreted_by_sizes_no_more_than_others():
    dtype = pytest.importorskip("ml_dtypes").int4
    graph = dml.Graph(dml.Device())
    x = graph.input([2, 3], dtype)

    with pytest.raises(dml.BindingError, match=r"write \.reshape\(2, 3\)"):
        graph.compile([there_and_back(graph, x)])({x: np.zeros((3, 2), dtype)})


def test_other_arrays_are_refused():
    with pytest.raises(dml.BindingError) as caught:
        compiled(dequantizing(INT4, [7]))([np.zeros(7, np.int8), HALF])

    assert str(caught.value) == (
        "DEQUANTIZE.inputs[0]: needs the 4 bytes of a tensor of INT4 with sizes [7], two elements "
        "each, got int8 with sizes [7]"
    )
