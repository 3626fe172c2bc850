"""CUMULATIVE_PRODUCT against a loop."""

import numpy as np
import pytest

import indirectml as dml
from tests.operators.oracle import (
    SIZES,
    assert_bits_equal,
    cases,
    check,
    refused,
    tensor,
    through_graph,
)

DESC = dml.CumulativeProductOperatorDesc
BOTH = [dml.AxisDirection.INCREASING, dml.AxisDirection.DECREASING]


def _oracle(axis, direction, exclusive):
    def apply(x):
        rows = np.moveaxis(x, axis, -1)
        result = np.empty_like(rows)
        wide = np.float32 if x.dtype == np.float16 else x.dtype.type
        for at in np.ndindex(rows.shape[:-1]):
            running = wide(1)
            for k in range(rows.shape[-1]):
                column = k if direction == BOTH[0] else rows.shape[-1] - 1 - k
                after = (
                    running * wide(rows[at][column]) if exclusive or k else wide(rows[at][column])
                )
                result[at][column] = running if exclusive else after
                running = after
        return np.moveaxis(result, -1, axis).copy()

    return apply


@pytest.mark.parametrize("exclusive", [False, True])
@pytest.mark.parametrize("direction", BOTH)
@cases("CUMULATIVE_PRODUCT")
def test_equals_a_loop(data_type, rank, layout, direction, exclusive):
    x = tensor(data_type, SIZES[:rank], layout)
    axis = min(1, rank - 1)
    desc = DESC(x, tensor(data_type, SIZES[:rank]), axis, direction, exclusive)

    check(desc, _oracle(axis, direction, exclusive), numbers=[1, 2, 3, 5, 7])


def test_integers_wrap():
    x = np.array([2**31, 2, 3], np.uint32)

    actual = through_graph(lambda e: dml.cumulative_product(e, axis=0), x)[0]

    assert_bits_equal(actual=actual, expected=np.array([2**31, 0, 0], np.uint32))


def test_refuses_an_axis_beyond_the_dimensions():
    x = dml.TensorDesc(np.float32, [2, 3])

    refused(
        dml.DescriptorError,
        "CUMULATIVE_PRODUCT.axis: needs one of the 2 dimensions, counted from 0, got 2",
        lambda: DESC(x, x, 2, 0, has_exclusive_product=False),
    )


def test_refuses_other_directions():
    x = dml.TensorDesc(np.float32, [2, 3])

    refused(
        dml.DescriptorError,
        "CUMULATIVE_PRODUCT.axis_direction: needs one of AxisDirection.INCREASING, "
        "AxisDirection.DECREASING, got 2",
        lambda: DESC(x, x, 1, 2, has_exclusive_product=False),
    )
