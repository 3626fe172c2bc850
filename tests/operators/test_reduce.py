"""REDUCE against unlimited integers, and tables of special values."""

import math

import numpy as np
import pytest

import indirectml as dml
from tests.arithmetic.loops import mpfr, single, sum16
from tests.extent import chosen
from tests.operators.oracle import (
    LAYOUTS,
    SIZES,
    assert_bits_equal,
    check,
    refused,
    supported,
    tensor,
    through_graph,
)

F = dml.ReduceFunction
INDEX = (F.ARGMAX, F.ARGMIN)


def _log_sum_exp(numbers):
    m = max(numbers)
    powers = [mpfr("exp", single(x - m)) for x in numbers]
    return single(mpfr("log", single(sum16(powers))) + m)


#: Functions of a list of Python numbers. The data of the tests keeps float results exact, so that
#: the order of additions does not matter.
ORACLES = {
    F.ARGMAX: lambda v: v.index(max(v)),
    F.ARGMIN: lambda v: v.index(min(v)),
    F.AVERAGE: lambda v: sum(v) / len(v),
    F.L1: lambda v: sum(map(abs, v)),
    F.L2: lambda v: math.sqrt(sum(x * x for x in v)),
    F.LOG_SUM: lambda v: math.log(sum(v)) if sum(v) > 0 else math.nan,
    F.LOG_SUM_EXP: _log_sum_exp,
    F.MAX: max,
    F.MIN: min,
    F.MULTIPLY: math.prod,
    F.SUM: sum,
    F.SUM_SQUARE: lambda v: sum(x * x for x in v),
}


def _oracle(function, axes, dtype):
    def apply(x):
        kept = [1 if k in axes else n for k, n in enumerate(x.shape)]
        result = np.empty(kept, dtype)
        for at in np.ndindex(*kept):
            group = x[tuple(slice(None) if k in axes else at[k] for k in range(x.ndim))]
            value = ORACLES[function](group.reshape(-1).tolist())
            if dtype.kind != "f":
                value = np.array(value % (1 << 8 * dtype.itemsize), f"u{dtype.itemsize}")
                value = value.view(dtype)
            elif x.dtype == np.float16:
                value = np.float32(value)
            result[at] = value
        return result

    return apply


def _cases():
    for function in F:
        data_types, counts = supported("REDUCE", function=function.name)
        outputs, _ = supported("REDUCE", "OutputTensor", function.name)
        pairs = [(t, o) for t in data_types for o in (outputs if function in INDEX else [t])]
        for (data_type, output), rank, layout in chosen(pairs, counts[::-1], LAYOUTS):
            yield pytest.param(function, data_type, output, rank, layout,
                id=f"{function.name}-{data_type.name}-{output.name}-{rank}-{layout}")  # fmt: skip


@pytest.mark.parametrize(("function", "data_type", "output", "rank", "layout"), list(_cases()))
def test_equals_python(function, data_type, output, rank, layout):
    sizes = list(SIZES[:rank])
    axes = tuple(range(0, rank, 2))
    reduced = [1 if k in axes else n for k, n in enumerate(sizes)]
    desc = dml.ReduceOperatorDesc(
        function, tensor(data_type, sizes, layout), tensor(output, reduced), axes
    )
    # Powers of two for products, so that no float result needs rounding on the way.
    numbers = [1, 2] if function == F.MULTIPLY else [1, 2, 3, 5]
    if data_type.signed and function != F.LOG_SUM:
        numbers = [*numbers, -1, -2]

    check(desc, _oracle(function, axes, output.dtype), numbers=numbers)


def test_sums_wrap():
    x = np.array([2**31 - 1, 1], np.int32)

    (actual,) = through_graph(lambda e: dml.reduce(e, function=F.SUM), x)

    assert_bits_equal(actual=actual, expected=np.array([-(2**31)], np.int32))


@pytest.mark.parametrize("dtype", [np.float16, np.float32])
@pytest.mark.parametrize(
    ("function", "rows", "expected"),
    [
        (F.MAX, [[-0.0, 0.0, -0.0], [-0.0, -0.0, -1.0], [0.0, -0.0, -2.0]], [0.0, -0.0, 0.0]),
        (F.MIN, [[-0.0, 0.0, -0.0], [0.0, 0.0, 1.0], [0.0, -0.0, 2.0]], [-0.0, 0.0, -0.0]),
    ],
)
def test_of_zeros_the_positive_one_is_the_larger(function, rows, expected, dtype):
    x = np.repeat(np.array(rows, dtype), 7, 1)

    (actual,) = through_graph(lambda e: dml.reduce(e, function=function, axes=[1]), x)

    assert_bits_equal(actual=actual, expected=np.array(expected, dtype)[:, None])


def test_no_axes_means_all():
    x = np.arange(6, dtype=np.float32).reshape(2, 3)

    (actual,) = through_graph(lambda e: dml.reduce(e, function=F.ARGMAX), x)

    assert_bits_equal(actual=actual, expected=np.array([[5]], np.uint32))


def test_large_exponents_do_not_overflow():
    x = np.array([1000, 1000, -np.inf], np.float32)

    (actual,) = through_graph(lambda e: dml.reduce(e, function=F.LOG_SUM_EXP), x)

    assert_bits_equal(actual=actual, expected=np.array([1000 + math.log(2)], np.float32))


@pytest.mark.parametrize("layout", LAYOUTS)
def test_strides_do_not_change_a_float_sum(layout):
    x = tensor(np.float32, (3, 1000), layout)
    raw = np.random.default_rng(1).random(8000, np.float32)
    view = np.ndarray(x.sizes, np.float32, raw, strides=[4 * s for s in x.strides_in_memory])

    def total(array):
        return through_graph(lambda e: dml.reduce(e, function=F.SUM, axes=[0]), array)[0]

    desc = dml.ReduceOperatorDesc(F.SUM, x, dml.TensorDesc(np.float32, [1, 1000]), [0])
    device = dml.Device()
    (actual,) = device.compile_operator(device.create_operator(desc))([view])

    assert_bits_equal(actual=actual, expected=total(view.copy()))


X = dml.TensorDesc(np.float32, [2, 3])
REFUSED = [
    pytest.param(lambda: dml.ReduceOperatorDesc(F.SUM, X, X, [0]), dml.DescriptorError,
                 "REDUCE.output_tensor.sizes: needs [1, 3]: size 1 along the axes and the input's "
                 "elsewhere, got [2, 3]", id="sizes"),
    pytest.param(lambda: dml.ReduceOperatorDesc(F.SUM, X, X, [2]), dml.DescriptorError,
                 "REDUCE.axes[0]: needs one of the 2 dimensions, counted from 0, got 2", id="axis"),
    pytest.param(lambda: dml.ReduceOperatorDesc(F.SUM, X, X, [0, 0]), dml.DescriptorError,
                 "REDUCE.axes: needs at least one axis, each once, got [0, 0]", id="axis twice"),
    pytest.param(lambda: dml.ReduceOperatorDesc(F.L2, dml.TensorDesc(np.int32, [2]),
                                                dml.TensorDesc(np.int32, [1]), [0]),
                 dml.DataTypeError, "REDUCE.input_tensor.data_type: needs one of FLOAT32, FLOAT16 "
                 "at feature level 6_4, got INT32", id="data type of the function"),
    pytest.param(lambda: dml.ReduceOperatorDesc(F.SUM, dml.TensorDesc(np.int32, [2]),
                                                dml.TensorDesc(np.uint32, [1]), [0]),
                 dml.DescriptorError, "REDUCE.output_tensor.data_type: needs the data type of the "
                 "input, INT32, for SUM, got UINT32", id="output data type"),
]  # fmt: skip


@pytest.mark.parametrize(("make", "kind", "text"), REFUSED)
def test_refuses_with_a_sentence(make, kind, text):
    refused(kind, text, make)
