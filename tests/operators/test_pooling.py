"""Pooling against plain loops over windows, and against PyTorch and ONNX Runtime."""

import functools
import re

import numpy as np
import pytest

import indirectml as dml
from tests.arithmetic import loops
from tests.operators import oracle
from tests.operators.elsewhere import assert_close, computed, normal, onnx_runtime
from tests.operators.families import Trial, places, run_oracle
from tests.operators.windows import channels, geometries, image_sizes, row_major

ORACLES = {}


def rounded_to(dtype, function):
    """Return a function whose FLOAT64 result is rounded once."""
    return lambda *arrays: oracle.quiet(function(*arrays).astype(dtype))


def trials_of_pooling(place, function_of, variants, *, dilated):
    """Yield a trial for each geometry and variant of fields."""
    sizes = image_sizes(place.rank)
    for windows, geometry in geometries(place.rank - 2, dilated=dilated):
        for fields in variants:
            out = (*sizes[:2], *windows.output_sizes(sizes))
            desc = place.desc(
                input_tensor=place.tensor(sizes), output_tensor=place.output(out),
                **geometry, **fields,
            )  # fmt: skip
            yield Trial(desc, rounded_to(place.dtype, function_of(windows, **fields)))


def averages(windows, *, include_padding):
    function = functools.partial(loops.average, include_padding=include_padding)
    return lambda x: loops.pooled(function, x, windows)


def norms(windows, *, p):
    function = functools.partial(loops.norm, order=p)
    return lambda x: loops.pooled(function, x, windows)


for _name, _dilated in (("AVERAGE_POOLING", False), ("AVERAGE_POOLING1", True)):
    ORACLES[_name] = functools.partial(
        trials_of_pooling,
        function_of=averages,
        variants=[{"include_padding": False}, {"include_padding": True}],
        dilated=_dilated,
    )
for _name, _dilated in (("LP_POOLING", False), ("LP_POOLING1", True)):
    ORACLES[_name] = functools.partial(
        trials_of_pooling,
        function_of=norms,
        variants=[{"p": 1}, {"p": 2}, {"p": 3}],
        dilated=_dilated,
    )


def largest(x, windows, index_dtype):
    """Return the largest elements of windows, and their numbers."""
    axes = len(windows.sizes)
    sizes = (*x.shape[:-axes], *windows.output_sizes(x.shape))
    values, numbers = np.empty(sizes, x.dtype), np.empty(sizes, index_dtype)
    lowest = -np.inf if x.dtype.kind == "f" else np.iinfo(x.dtype).min
    for channel in channels(x.shape, axes):
        for at, window in loops.windows(x.shape[-axes:], windows):
            elements = [None if p is None else x[channel + p].item() for p in window]
            best = loops.largest_place(elements)
            values[channel + at] = lowest if best is None else x[channel + window[best]]
            numbers[channel + at] = (
                np.iinfo(index_dtype).max
                if best is None
                else row_major(x.shape, channel + window[best])
            )
    return oracle.quiet(values), numbers


def max_pooling(place, *, dilated=True, index_types=("UINT32", "UINT64", None)):
    sizes = image_sizes(place.rank)
    for number, (windows, geometry) in enumerate(geometries(place.rank - 2, dilated=dilated)):
        out = (*sizes[:2], *windows.output_sizes(sizes))
        index_type = index_types[number % len(index_types)]
        fields = dict(geometry)
        if index_type is not None:
            index_type = dml.TensorDataType[index_type]
            fields["output_indices_tensor"] = place.output(out, index_type)
        desc = place.desc(
            input_tensor=place.tensor(sizes), output_tensor=place.output(out), **fields
        )

        def function(x, windows=windows, index_type=index_type):
            found = largest(x, windows, np.uint32 if index_type is None else index_type.dtype)
            return found[:1] if index_type is None else found

        yield Trial(desc, function)
        # Few numbers, so that many elements are equally large.
        yield Trial(desc, function, [np.array([0, 1, 2])])


ORACLES["MAX_POOLING"] = functools.partial(max_pooling, dilated=False, index_types=(None,))
ORACLES["MAX_POOLING1"] = functools.partial(max_pooling, dilated=False)
ORACLES["MAX_POOLING2"] = max_pooling


def max_unpooling(place):
    sizes, out = (2, 3, 2, 3), (2, 3, 4, 5)
    count = int(np.prod(out))
    for index_type in (dml.TensorDataType.UINT32, dml.TensorDataType.UINT64):
        desc = place.desc(
            input_tensor=place.tensor(sizes),
            indices_tensor=place.tensor(sizes, index_type),
            output_tensor=place.output(out),
        )

        def function(x, indices):
            result = [x.dtype.type(0)] * count
            for number, value in zip(indices.ravel().tolist(), x.ravel(), strict=True):
                if number < count:
                    result[number] = value
            return np.array(result, x.dtype).reshape(out)

        beyond = np.iinfo(index_type.dtype).max
        yield Trial(desc, function, [None, np.array([*range(count + 3), beyond], index_type.dtype)])


ORACLES["MAX_UNPOOLING"] = max_unpooling


@places(ORACLES)
def test_equals_its_oracle(place):
    run_oracle(ORACLES, place)


WINDOWS = {
    "strides": (2, 1),
    "window_size": (3, 2),
    "start_padding": (1, 0),
    "end_padding": (1, 1),
    "dilations": (1, 2),
}
OF_ONNX = {"strides": (2, 1), "kernel_shape": (3, 2), "pads": (1, 0, 1, 1), "dilations": (1, 2)}


@pytest.mark.parametrize("include_padding", [False, True])
def test_averages_are_those_of_onnx_runtime(include_padding):
    x = normal(2, 3, 7, 8)

    (wanted,) = onnx_runtime("AveragePool", [x], count_include_pad=int(include_padding), **OF_ONNX)
    (actual,) = computed(
        "AVERAGE_POOLING1", [x], [(x.dtype, wanted.shape)], **WINDOWS,
        include_padding=include_padding,
    )  # fmt: skip

    assert_close(actual, wanted)


@pytest.mark.parametrize("p", [1, 2, 3])
def test_norms_are_those_of_onnx_runtime(p):
    x = normal(2, 3, 7, 8)

    (wanted,) = onnx_runtime("LpPool", [x], p=p, **OF_ONNX)
    (actual,) = computed("LP_POOLING1", [x], [(x.dtype, wanted.shape)], **WINDOWS, p=p)

    assert_close(actual, wanted)


@pytest.mark.parametrize("dtype", [np.float32, np.int8, np.uint8])
def test_largest_elements_and_their_numbers_are_those_of_onnx_runtime(dtype):
    x = np.random.default_rng(2).integers(0, 9, (2, 3, 7, 8)).astype(dtype)

    wanted = onnx_runtime("MaxPool", [x], 2, **OF_ONNX)
    types = [(x.dtype, wanted[0].shape), (np.uint64, wanted[0].shape)]
    values, numbers = computed("MAX_POOLING2", [x], types, **WINDOWS)

    np.testing.assert_array_equal(values, wanted[0])
    np.testing.assert_array_equal(numbers, wanted[1].astype(np.uint64))


def test_unpooling_undoes_pooling_as_in_pytorch():
    torch = pytest.importorskip("torch")
    x = normal(1, 1, 4, 6)  # PyTorch numbers the elements of one channel

    pooled, numbers = torch.nn.functional.max_pool2d(torch.tensor(x), 2, return_indices=True)
    wanted = torch.nn.functional.max_unpool2d(pooled, numbers, 2).numpy()
    inputs = [pooled.numpy(), numbers.numpy().astype(np.uint32)]
    (actual,) = computed("MAX_UNPOOLING", inputs, [(x.dtype, wanted.shape)])

    np.testing.assert_array_equal(actual, wanted)


@pytest.mark.parametrize("name", ["AVERAGE_POOLING1", "LP_POOLING1", "MAX_POOLING2"])
@pytest.mark.parametrize(
    ("field", "value", "text"),
    [
        ("strides", (0, 1), "strides[0]: needs at least 1, got 0"),
        ("window_size", (3, 0), "window_size[1]: needs at least 1, got 0"),
        ("dilations", (1, 0), "dilations[1]: needs at least 1, got 0"),
        ("start_padding", (1,), "start_padding: needs as many as window_size, 2, got 1"),
    ],
)
def test_refuses(name, field, value, text):
    extra = {"LP_POOLING1": {"p": 2}}.get(name, {})
    with pytest.raises(dml.DirectMLError, match=re.escape(f"{name}.{text}")):
        computed(name, [normal(1, 1, 7, 8)], [(np.float32, (1, 1, 4, 8))],
                 **WINDOWS | {field: value} | extra)  # fmt: skip
