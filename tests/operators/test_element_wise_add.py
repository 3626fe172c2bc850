"""ELEMENT_WISE_ADD against Python's integers and wider floats."""

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

DESC = dml.ElementWiseAddOperatorDesc


@cases("ELEMENT_WISE_ADD", "ATensor")
def test_equals_the_exact_result_rounded_once(data_type, rank, layout):
    sizes = SIZES[:rank]
    desc = DESC(
        tensor(data_type, sizes, layout), tensor(data_type, sizes), tensor(data_type, sizes)
    )

    check(desc, exact(operator.add, data_type.dtype))


def test_integers_wrap():
    a, b = np.array([255, 1], np.uint8), np.array([2, 2], np.uint8)

    assert_bits_equal(actual=through_graph(dml.add, a, b)[0], expected=np.array([1, 3], np.uint8))


def test_refuses_other_sizes():
    refused(
        dml.DescriptorError,
        "ELEMENT_WISE_ADD.b_tensor.sizes: needs the sizes of a_tensor, [2, 3], got [3, 2]",
        lambda: DESC(*(dml.TensorDesc(np.float32, s) for s in ([2, 3], [3, 2], [2, 3]))),
    )


def test_refuses_other_data_types():
    refused(
        dml.DescriptorError,
        "ELEMENT_WISE_ADD.output_tensor.data_type: needs the data type of a_tensor, INT32, "
        "got UINT32",
        lambda: DESC(*(dml.TensorDesc(t, [2]) for t in (np.int32, np.int32, np.uint32))),
    )
