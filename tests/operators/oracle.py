"""What all tests of operators share: a descriptor, random data, and a comparison bit for bit.

`check` takes a descriptor and an oracle: a function from packed arrays of the inputs to the
outputs, written without the code under test. It runs the descriptor on memory laid out as its
tensors say, with guard bytes behind every output.
"""

import numpy as np
import pytest

import indirectml as dml
from indirectml.catalogue.feature_levels import FeatureLevel, tensor_support
from indirectml.plans import WordStep
from tests.extent import chosen

SIZES = (2, 3, 2, 1, 2, 1, 3, 2)
LAYOUTS = ("packed", "broadcast", "padded")
GUARD = 0xA5


def supported(operator, field="InputTensor", function=None):
    """Return the data types and dimension counts of a tensor at feature level 6_4."""
    support = tensor_support(operator, FeatureLevel.LEVEL_6_4, function)[field]
    low, high = support.minimum_dimension_count, support.maximum_dimension_count
    return support.data_types, range(low, high + 1)


def cases(operator, field="InputTensor", function=None):
    """Return a mark with the data types, dimension counts and layouts of an operator."""
    data_types, counts = supported(operator, field, function)
    rows = chosen(data_types, counts[::-1], LAYOUTS)
    return pytest.mark.parametrize(
        ("data_type", "rank", "layout"),
        [
            pytest.param(data_type, rank, layout, id=f"{data_type.name}-{rank}-{layout}")
            for data_type, rank, layout in rows
        ],
    )


def tensor(data_type, sizes, layout="packed"):
    """Return a tensor: packed, repeated along its first dimension, or with gaps everywhere."""
    strides = [int(np.prod(sizes[k + 1 :])) for k in range(len(sizes))]
    if layout == "broadcast":
        strides[0] = 0
    elif layout == "padded":
        strides = [2 * stride + (3 if k == 0 else 0) for k, stride in enumerate(strides)]
    return dml.TensorDesc(data_type, sizes, strides=None if layout == "packed" else strides)


def random_bytes(desc, seed, numbers=None):
    """Return memory of a tensor: random bits, or some of the numbers in random order."""
    generator = np.random.default_rng(seed)
    count = desc.total_tensor_size_in_bytes
    if numbers is None:
        return generator.integers(0, 256, count, np.uint8)
    dtype = desc.data_type.dtype
    chosen = generator.choice(np.array(numbers), count // dtype.itemsize + 1)
    return chosen.astype(dtype).view(np.uint8)[:count].copy()


def elements(desc, raw):
    """Return the elements of a tensor in memory as a packed array."""
    dtype = desc.data_type.dtype
    strides = [s * dtype.itemsize for s in desc.strides_in_memory]
    return np.ndarray(desc.sizes, dtype, raw, strides=strides).copy()


def has_gaps(step):
    """Return whether a convolution's bias has gaps, which the native step does not take."""
    bias = step.inputs[2] if step.word.name == "convolve" else None
    return bias is not None and not bias.is_packed


def compiled(desc, flags=dml.ExecutionFlags.NONE, **device):
    device = dml.Device(**device)
    made = device.compile_operator(device.create_operator(desc), flags)
    for step in made.plan.steps:
        if isinstance(step, WordStep) and step.word.native is not None and not has_gaps(step):
            assert step.native is not None, f"{step} runs by its NumPy form"
    return made


def run(desc, raws, flags=dml.ExecutionFlags.NONE):
    """Return the outputs of a descriptor as packed arrays, after checking the guard bytes.

    An optional output that the descriptor leaves out is left out here too.
    """
    outputs = [t for _, t in desc.tensors("output_tensor")]
    memories = [
        None if t is None else np.full(t.total_tensor_size_in_bytes + 16, GUARD, np.uint8)
        for t in outputs
    ]
    operator = compiled(desc, flags)
    operator(list(map(raw_memory, raws)), out=list(map(raw_memory, memories)))
    written = [(t, m) for t, m in zip(outputs, memories, strict=True) if t is not None]
    for t, memory in written:
        assert (memory[t.total_tensor_size_in_bytes :] == GUARD).all()
    return [elements(t, memory) for t, memory in written]


def raw_memory(array):
    """Return the memory of an array of bytes, in which the descriptor says where elements lie."""
    return None if array is None else memoryview(array)


def check(desc, oracle, *, numbers=None, seed=1):
    """Compare a descriptor's outputs with those of an oracle, bit for bit."""
    tensors = [t for _, t in desc.tensors("input_tensor")]
    raws = [
        None if t is None else random_bytes(t, seed + k, numbers) for k, t in enumerate(tensors)
    ]
    packed = [None if t is None else elements(t, r) for t, r in zip(tensors, raws, strict=True)]
    with np.errstate(all="ignore"):
        expected = oracle(*packed)
    expected = expected if isinstance(expected, list) else [expected]
    for actual, wanted in zip(run(desc, raws), expected, strict=True):
        assert_bits_equal(actual=actual, expected=wanted)


def assert_bits_equal(*, actual, expected):
    """Compare arrays bit for bit; NaNs of arithmetic are positive and quiet."""
    assert (actual.dtype, actual.shape) == (expected.dtype, expected.shape)
    assert actual.tobytes() == expected.tobytes(), f"{actual} is not {expected}"


def quiet(array):
    """Return the array with the NaN that arithmetic gives."""
    if array.dtype.kind == "f":
        array = np.where(np.isnan(array), array.dtype.type(np.nan), array)
    return array


def exact(function, dtype):
    """Return a function of arrays computed element by element in unlimited or wide numbers.

    Integers are Python's, taken modulo 2^bits. Floats are computed in FLOAT64 and rounded: for one
    operation on at most 24 bits that equals rounding once, since 53 >= 2 * 24 + 2.
    """

    def apply(*arrays):
        if dtype.kind == "f":
            return quiet(
                np.asarray(function(*(a.astype(np.float64) for a in arrays))).astype(dtype)
            )
        result = np.empty(arrays[0].shape, dtype)
        for at in np.ndindex(result.shape):
            bits = function(*(int(a[at]) for a in arrays)) % (1 << 8 * dtype.itemsize)
            result[at] = np.array(bits, f"u{dtype.itemsize}").view(dtype)
        return result

    return apply


def by_number(function, dtype):
    """Return a function of arrays that applies one of Python's numbers to each element.

    Python's floats are FLOAT64. A function that rounds with `single` after each operation does what
    FLOAT32 does: see `exact`. Integers are taken modulo 2^bits.
    """
    if dtype.kind != "f":
        return exact(function, dtype)

    def apply(*arrays):
        results = [
            function(*map(float, numbers)) for numbers in zip(*map(np.ravel, arrays), strict=True)
        ]
        return quiet(np.array(results, np.float32).astype(dtype)).reshape(arrays[0].shape)

    return apply


def single(value):
    """Return a number rounded to FLOAT32."""
    return float(np.float32(value))


def refused(kind, text, make, level="6_4"):
    """Check that a device refuses a descriptor with this error and text."""
    with pytest.raises(kind) as caught:
        dml.Device(feature_level=level).create_operator(make())
    assert str(caught.value) == text
    assert caught.value.hresult == dml.HResult.E_INVALIDARG


def through_graph(function, *arrays):
    """Return what a function of the graph door gives for arrays."""
    graph = dml.Graph(dml.Device())
    outputs = function(*(graph.constant(a) for a in arrays))
    return graph.compile(outputs if isinstance(outputs, list) else [outputs])()
