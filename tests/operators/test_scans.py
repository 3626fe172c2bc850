"""Running sums and products, the largest elements, coordinates: as lists of Python's numbers."""

import itertools
import math

import numpy as np
import pytest

import indirectml as dml
from tests.arithmetic.loops import is_larger, quiet, scan, single
from tests.operators.families import Trial, places, run_oracle
from tests.operators.oracle import assert_bits_equal, refused, supported, through_graph

ORACLES = {}
BOTH = (dml.AxisDirection.INCREASING, dml.AxisDirection.DECREASING)


def axes_of(place):
    return sorted({0, place.rank // 2, place.rank - 1})


def rounding(dtype):
    """Return what rounds running results: FLOAT16 is kept as FLOAT32 until the end."""
    if dtype.kind == "f":
        return single
    bits = 8 * dtype.itemsize

    def wrap(number):
        number %= 1 << bits
        return number - (1 << bits) if dtype.kind == "i" and number >> bits - 1 else number

    return wrap


def running(kind, field):
    def trials(place):
        for axis, direction, exclusive in itertools.product(axes_of(place), BOTH, (False, True)):

            def apply(x, axis=axis, reverse=direction == BOTH[1], exclusive=exclusive):
                rows = np.moveaxis(x, axis, -1)
                found = [
                    scan(kind, row.tolist(), rounding(x.dtype), exclusive=exclusive,
                         reverse=reverse)
                    for row in rows.reshape(-1, rows.shape[-1])
                ]  # fmt: skip
                result = quiet(np.array(found, object).astype(x.dtype).reshape(rows.shape))
                return np.ascontiguousarray(np.moveaxis(result, -1, axis))

            desc = place.desc(
                input_tensor=place.tensor(),
                output_tensor=place.output(),
                axis=axis,
                axis_direction=direction,
                **{field: exclusive},
            )
            yield Trial(desc, apply)
            few = [0.1, 3, -1.7, 1000] if place.dtype.kind == "f" else [2, 3, 5, 100]
            yield Trial(desc, apply, [np.array(few)])

    return trials


ORACLES["CUMULATIVE_SUMMATION"] = running("sum", "has_exclusive_sum")
ORACLES["CUMULATIVE_PRODUCT"] = running("product", "has_exclusive_product")


def top(place):
    """Yield the first of all, some and all elements: ties stay in the order of positions."""
    increasing = BOTH if place.name == "TOP_K1" else (BOTH[1],)
    data_types = list(supported(place.name, "OutputIndexTensor")[0])
    for axis, direction in itertools.product(axes_of(place), increasing):
        size = place.sizes[axis]
        for k in {1, (size + 1) // 2, size}:
            data_type = data_types[(place.seed + k) % len(data_types)]

            def apply(x, axis=axis, k=k, smallest=direction == BOTH[0], to=data_type.dtype):
                rows = np.moveaxis(x, axis, -1)
                order = np.empty((*rows.shape[:-1], k), to)
                for at in np.ndindex(*rows.shape[:-1]):
                    order[at] = positions(rows[at].tolist(), smallest=smallest)[:k]
                values = np.take_along_axis(rows, order.astype(np.int64), -1)
                return [np.ascontiguousarray(np.moveaxis(a, -1, axis)) for a in (values, order)]

            sizes = [k if i == axis else n for i, n in enumerate(place.sizes)]
            fields = {"axis_direction": direction} if place.name == "TOP_K1" else {}
            desc = place.desc(
                input_tensor=place.tensor(),
                output_value_tensor=place.output(sizes),
                output_index_tensor=place.output(sizes, data_type),
                axis=axis,
                k=k,
                **fields,
            )
            yield Trial(desc, apply)
            ties = [0, 0, 1, 1, 3]
            if place.dtype.kind == "f":
                ties += [-0.0, -0.0, math.nan, math.nan, -math.inf, math.inf]
            yield Trial(desc, apply, [np.array(ties, place.dtype)])


def positions(numbers, *, smallest):
    """Return positions in order, by insertion: behind all that are not behind it."""
    order = []
    for i, number in enumerate(numbers):
        at = len(order)
        while at and precedes(number, numbers[order[at - 1]], smallest=smallest):
            at -= 1
        order.insert(at, i)
    return order


def precedes(a, b, *, smallest):
    return is_larger(b, a) if smallest else is_larger(a, b)


ORACLES["TOP_K"] = ORACLES["TOP_K1"] = top


def coordinates(place):
    """Yield inputs with few, with no and with only zeros; rows behind the last are zeros.

    With leading dimensions of size 1, whose coordinates are there, or left out.
    """
    zeros = [0, 0.0, -0.0] if place.dtype.kind == "f" else [0]
    others = [1, math.nan, 2.0**-24, -1] if place.dtype.kind == "f" else [1, 100]
    most = place.rank - 1
    counts = [1] * place.rank
    for leading, left in sorted({(0, 0), (min(2, most), min(1, most)), (most, most)}):
        given = [1] * leading + list(place.sizes[leading:])
        columns = place.rank - left
        sizes = [1] * max(place.rank - 2, 0) + [math.prod(given), columns]

        def apply(x, columns=columns, sizes=sizes):
            found = [at[-columns:] for at in np.ndindex(*x.shape) if x[at].item() != 0]
            rows = np.zeros((x.size, columns), np.uint32)
            for number, at in enumerate(found):
                rows[number] = at
            return [np.array([len(found)], np.uint32).reshape(counts), rows.reshape(sizes)]

        desc = place.desc(
            input_tensor=place.tensor(given),
            output_count_tensor=place.output(counts, np.uint32),
            output_coordinates_tensor=place.output(sizes, np.uint32),
        )
        for numbers in (zeros, others, [*zeros, *others]):
            yield Trial(desc, apply, [np.array(numbers, place.dtype)])


ORACLES["NONZERO_COORDINATES"] = coordinates


@places(ORACLES)
def test_equals_its_oracle(place):
    run_oracle(ORACLES, place)


@pytest.mark.parametrize("columns", [1, 5])
def test_nonzero_coordinates_refuses_rows_that_are_too_short_or_too_long(columns):
    x, count = dml.TensorDesc(np.float32, [1, 1, 2, 4]), dml.TensorDesc(np.uint32, [1, 1, 1, 1])
    rows = dml.TensorDesc(np.uint32, [1, 1, 8, columns])

    refused(
        dml.DescriptorError,
        "NONZERO_COORDINATES.output_coordinates_tensor.sizes: needs 8 rows, one for each element, "
        f"of 2 to 4 coordinates, got [1, 1, 8, {columns}]",
        lambda: dml.NonzeroCoordinatesOperatorDesc(x, count, rows),
    )


def test_cumulative_product_integers_wrap():
    x = np.array([2**31, 2, 3], np.uint32)

    actual = through_graph(lambda e: dml.cumulative_product(e, axis=0), x)[0]

    assert_bits_equal(actual=actual, expected=np.array([2**31, 0, 0], np.uint32))


def test_cumulative_product_refuses_an_axis_beyond_the_dimensions():
    x = dml.TensorDesc(np.float32, [2, 3])

    refused(
        dml.DescriptorError,
        "CUMULATIVE_PRODUCT.axis: needs one of the 2 dimensions, counted from 0, got 2",
        lambda: dml.CumulativeProductOperatorDesc(x, x, 2, 0, has_exclusive_product=False),
    )


def test_cumulative_product_refuses_other_directions():
    x = dml.TensorDesc(np.float32, [2, 3])

    refused(
        dml.DescriptorError,
        "CUMULATIVE_PRODUCT.axis_direction: needs one of AxisDirection.INCREASING, "
        "AxisDirection.DECREASING, got 2",
        lambda: dml.CumulativeProductOperatorDesc(x, x, 1, 2, has_exclusive_product=False),
    )


def test_cumulative_summation_integers_wrap():
    x = np.array([2**32 - 1, 2, 3], np.uint32)

    actual = through_graph(lambda e: dml.cumulative_summation(e, axis=0), x)[0]

    assert_bits_equal(actual=actual, expected=np.array([2**32 - 1, 1, 4], np.uint32))


def test_cumulative_summation_refuses_an_axis_beyond_the_dimensions():
    x = dml.TensorDesc(np.float32, [2, 3])

    refused(
        dml.DescriptorError,
        "CUMULATIVE_SUMMATION.axis: needs one of the 2 dimensions, counted from 0, got 2",
        lambda: dml.CumulativeSummationOperatorDesc(x, x, 2, 0, has_exclusive_sum=False),
    )


def test_cumulative_summation_refuses_other_directions():
    x = dml.TensorDesc(np.float32, [2, 3])

    refused(
        dml.DescriptorError,
        "CUMULATIVE_SUMMATION.axis_direction: needs one of AxisDirection.INCREASING, "
        "AxisDirection.DECREASING, got 2",
        lambda: dml.CumulativeSummationOperatorDesc(x, x, 1, 2, has_exclusive_sum=False),
    )


@pytest.mark.parametrize("dtype", [np.float32, np.float16])
def test_a_nan_is_the_largest_both_ways_when_a_plan_runs_too(dtype):
    nan = math.nan
    x = np.array([[nan, 1, 2, nan], [5, nan, 1, nan], [0, 2, nan, 3]], dtype)
    expected = {
        dml.AxisDirection.INCREASING: [[2, 0, 1, 2], [1, 2, 0, 0]],
        dml.AxisDirection.DECREASING: [[0, 1, 2, 0], [1, 2, 0, 1]],
    }
    device = dml.Device()
    for direction, rows in expected.items():
        desc = dml.TopK1OperatorDesc(
            dml.TensorDesc(dtype, [3, 4]), dml.TensorDesc(dtype, [2, 4]),
            dml.TensorDesc(np.uint32, [2, 4]), 0, 2, direction,
        )  # fmt: skip

        values, indices = device.compile_operator(device.create_operator(desc))([x])

        assert_bits_equal(actual=indices, expected=np.array(rows, np.uint32))
        assert_bits_equal(actual=values, expected=np.take_along_axis(x, np.array(rows), 0))
