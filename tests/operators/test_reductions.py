"""Reductions against plain loops, and ONNX Runtime."""

import functools
import itertools
import math

import numpy as np
import pytest

import indirectml as dml
from indirectml import AxisDirection, DirectMLError, TensorDataType
from tests.arithmetic import loops
from tests.operators import oracle
from tests.operators.elsewhere import computed, onnx_runtime
from tests.operators.families import Trial, places, run_oracle

#: All that numbers of elements may be.
INDEX_TYPES = ("UINT32", "INT32", "UINT64", "INT64")


def axes_of(rank):
    """Return some sets of axes, out of order too."""
    return [(rank - 1,), (0,), tuple(reversed(range(rank))), tuple(range(0, rank, 2))]


def numbers_of(before, place):
    """Yield trials: every set of axes, both directions, all data types of numbers."""
    index_types = itertools.cycle(INDEX_TYPES)
    directions = (AxisDirection.INCREASING, AxisDirection.DECREASING)
    for axes, direction in itertools.product(axes_of(place.rank), directions):
        index_type = TensorDataType[next(index_types)]
        out = [1 if k in axes else n for k, n in enumerate(place.sizes)]
        desc = place.desc(
            input_tensor=place.tensor(), output_tensor=place.output(out, index_type),
            axes=axes, axis_direction=direction,
        )  # fmt: skip
        best = functools.partial(
            loops.best, before=before, last=direction == AxisDirection.DECREASING
        )
        function = functools.partial(loops.reduced, best, axes=axes, dtype=index_type.dtype)
        yield Trial(desc, function)
        # Few numbers, so that many elements are equal.
        yield Trial(desc, function, [np.array([0, 1, 2])])


ORACLES = {
    "ARGMAX": functools.partial(numbers_of, loops.is_larger),
    "ARGMIN": functools.partial(numbers_of, loops.is_smaller),
}
F = dml.ReduceFunction
#: Functions of REDUCE, of the elements of a group.
OF_FLOATS = {
    F.AVERAGE: lambda v: loops.divided(loops.sum16(v), len(v)),
    F.L1: lambda v: loops.sum16([abs(x) for x in v]),
    F.L2: lambda v: loops.root(loops.sum16([x * x for x in v])),
    F.LOG_SUM: lambda v: loops.mpfr("log", loops.single(loops.sum16(v))),
    F.LOG_SUM_EXP: loops.log_sum_exp,
    F.MAX: loops.largest,
    F.MIN: loops.smallest,
    F.MULTIPLY: loops.product,
    F.SUM: loops.sum16,
    F.SUM_SQUARE: lambda v: loops.sum16([x * x for x in v]),
}
OF_INTEGERS = {
    F.L1: lambda v: sum(map(abs, v)),
    F.MAX: max,
    F.MIN: min,
    F.MULTIPLY: math.prod,
    F.SUM: sum,
    F.SUM_SQUARE: lambda v: sum(x * x for x in v),
}
OF_PLACES = {
    F.ARGMAX: functools.partial(loops.best, before=loops.is_larger),
    F.ARGMIN: functools.partial(loops.best, before=loops.is_smaller),
}


def wrapped(function, dtype):
    bits = 8 * dtype.itemsize
    return lambda v: np.array(function(v) % (1 << bits), f"u{bits // 8}").view(dtype)[()]


def reduced(place):
    """Yield every function that has the data type, along axes of their own."""
    sets_of_axes = itertools.cycle(axes_of(place.rank))
    for function in F:
        if place.data_type not in oracle.supported("REDUCE", function=function.name)[0]:
            continue
        data_types = [place.data_type]
        if function in OF_PLACES:
            data_types = oracle.supported("REDUCE", "OutputTensor", function.name)[0]
            loop = OF_PLACES[function]
        elif place.dtype.kind == "f":
            loop = OF_FLOATS[function]
        else:
            loop = wrapped(OF_INTEGERS[function], place.dtype)
        for data_type, axes in zip(data_types, sets_of_axes, strict=False):
            out = [1 if k in axes else n for k, n in enumerate(place.sizes)]
            desc = place.desc(
                function=function, input_tensor=place.tensor(),
                output_tensor=place.output(out, data_type), axes=axes,
            )  # fmt: skip
            apply = functools.partial(loops.reduced, loop, axes=axes, dtype=data_type.dtype)
            yield Trial(desc, apply)
            yield Trial(desc, apply, [np.array([0, 1, 2, 3, 5], place.dtype)])


ORACLES["REDUCE"] = reduced


@places(ORACLES)
def test_equals_its_oracle(place):
    run_oracle(ORACLES, place)


@pytest.mark.parametrize("name", ["ArgMax", "ArgMin"])
@pytest.mark.parametrize("last", [False, True])
@pytest.mark.parametrize("axis", [0, 1, 2])
def test_numbers_are_those_of_onnx_runtime(name, last, axis):
    x = np.random.default_rng(3).integers(0, 4, (3, 4, 5)).astype(np.float32)

    (wanted,) = onnx_runtime(name, [x], axis=axis, select_last_index=int(last))
    (actual,) = computed(
        name.upper(), [x], [(np.int64, wanted.shape)], axes=[axis],
        axis_direction=AxisDirection(int(last)),
    )  # fmt: skip

    np.testing.assert_array_equal(actual, wanted)


@pytest.mark.parametrize("axes", [(), (0, 0), (3,)])
def test_axes_are_there_once(axes):
    with pytest.raises(DirectMLError, match=r"ARGMAX\.axes"):
        computed("ARGMAX", [np.zeros((2, 3), np.float32)], [(np.uint32, (2, 1))], axes=axes,
                 axis_direction=AxisDirection.INCREASING)  # fmt: skip


def test_reduce_sums_wrap():
    x = np.array([2**31 - 1, 1], np.int32)

    (actual,) = oracle.through_graph(lambda e: dml.reduce(e, function=F.SUM), x)

    oracle.assert_bits_equal(actual=actual, expected=np.array([-(2**31)], np.int32))


@pytest.mark.parametrize("dtype", [np.float16, np.float32])
@pytest.mark.parametrize(
    ("function", "rows", "expected"),
    [
        (F.MAX, [[-0.0, 0.0, -0.0], [-0.0, -0.0, -1.0], [0.0, -0.0, -2.0]], [0.0, -0.0, 0.0]),
        (F.MIN, [[-0.0, 0.0, -0.0], [0.0, 0.0, 1.0], [0.0, -0.0, 2.0]], [-0.0, 0.0, -0.0]),
    ],
)
def test_reduce_of_zeros_the_positive_one_is_the_larger(function, rows, expected, dtype):
    x = np.repeat(np.array(rows, dtype), 7, 1)

    (actual,) = oracle.through_graph(lambda e: dml.reduce(e, function=function, axes=[1]), x)

    oracle.assert_bits_equal(actual=actual, expected=np.array(expected, dtype)[:, None])


def test_reduce_no_axes_means_all():
    x = np.arange(6, dtype=np.float32).reshape(2, 3)

    (actual,) = oracle.through_graph(lambda e: dml.reduce(e, function=F.ARGMAX), x)

    oracle.assert_bits_equal(actual=actual, expected=np.array([[5]], np.uint32))


def test_reduce_large_exponents_do_not_overflow():
    x = np.array([1000, 1000, -np.inf], np.float32)

    (actual,) = oracle.through_graph(lambda e: dml.reduce(e, function=F.LOG_SUM_EXP), x)

    oracle.assert_bits_equal(actual=actual, expected=np.array([1000 + math.log(2)], np.float32))


@pytest.mark.parametrize("layout", oracle.LAYOUTS)
def test_reduce_strides_do_not_change_a_float_sum(layout):
    x = oracle.tensor(np.float32, (3, 1000), layout)
    raw = np.random.default_rng(1).random(8000, np.float32)
    view = np.ndarray(x.sizes, np.float32, raw, strides=[4 * s for s in x.strides_in_memory])

    def total(array):
        return oracle.through_graph(lambda e: dml.reduce(e, function=F.SUM, axes=[0]), array)[0]

    desc = dml.ReduceOperatorDesc(F.SUM, x, dml.TensorDesc(np.float32, [1, 1000]), [0])
    device = dml.Device()
    (actual,) = device.compile_operator(device.create_operator(desc))([view])

    oracle.assert_bits_equal(actual=actual, expected=total(view.copy()))


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
def test_reduce_refuses_with_a_sentence(make, kind, text):
    oracle.refused(kind, text, make)
