"""ELEMENT_WISE_MULTIPLY against Python's integers and wider floats."""

import operator

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

DESC = dml.ElementWiseMultiplyOperatorDesc


@cases("ELEMENT_WISE_MULTIPLY", "ATensor")
def test_equals_the_exact_result_rounded_once(data_type, rank, layout):
    sizes = SIZES[:rank]
    desc = DESC(
        tensor(data_type, sizes, layout), tensor(data_type, sizes), tensor(data_type, sizes)
    )

    check(desc, exact(operator.mul, data_type.dtype))


def test_integers_wrap():
    a, b = np.array([100, 3], np.uint8), np.array([3, 3], np.uint8)

    assert_bits_equal(
        actual=through_graph(dml.multiply, a, b)[0], expected=np.array([44, 9], np.uint8)
    )


def test_refuses_other_sizes():
    refused(
        dml.DescriptorError,
        "ELEMENT_WISE_MULTIPLY.b_tensor.sizes: needs the sizes of a_tensor, [2, 3], got [3, 2]",
        lambda: DESC(*(dml.TensorDesc(np.float32, s) for s in ([2, 3], [3, 2], [2, 3]))),
    )
