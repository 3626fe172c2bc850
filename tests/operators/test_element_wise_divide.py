"""ELEMENT_WISE_DIVIDE against Python's integers and wider floats."""

import numpy as np

import indirectml as dml
from tests.operators.oracle import (
    SIZES,
    assert_bits_equal,
    cases,
    check,
    exact,
    refused,
    tensor,
    through_graph,
)

DESC = dml.ElementWiseDivideOperatorDesc


def _divided(a, b):
    if not isinstance(a, int):
        return np.divide(a, b)
    magnitude = abs(a) // abs(b) if b else 0
    return magnitude if (a < 0) == (b < 0) else -magnitude


@cases("ELEMENT_WISE_DIVIDE", "ATensor")
def test_equals_the_exact_result_rounded_once(data_type, rank, layout):
    sizes = SIZES[:rank]
    desc = DESC(
        tensor(data_type, sizes, layout), tensor(data_type, sizes), tensor(data_type, sizes)
    )

    check(desc, exact(_divided, data_type.dtype))


def test_integers_are_truncated_and_wrap_and_zero_divides_to_zero():
    a, b = np.array([-128, 7, -7, 5], np.int8), np.array([-1, 2, 2, 0], np.int8)

    assert_bits_equal(
        actual=through_graph(dml.divide, a, b)[0], expected=np.array([-128, 3, -3, 0], np.int8)
    )


def test_refuses_other_sizes():
    refused(
        dml.DescriptorError,
        "ELEMENT_WISE_DIVIDE.b_tensor.sizes: needs the sizes of a_tensor, [2, 3], got [3, 2]",
        lambda: DESC(*(dml.TensorDesc(np.float32, s) for s in ([2, 3], [3, 2], [2, 3]))),
    )
