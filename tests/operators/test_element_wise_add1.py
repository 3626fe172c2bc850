"""ELEMENT_WISE_ADD1 against wider floats."""

import operator

import numpy as np

import indirectml as dml
from tests.operators.oracle import (
    SIZES,
    cases,
    check,
    exact,
    refused,
    tensor,
)

DESC = dml.ElementWiseAdd1OperatorDesc


@cases("ELEMENT_WISE_ADD1", "ATensor")
def test_equals_the_exact_result_rounded_once(data_type, rank, layout):
    sizes = SIZES[:rank]
    desc = DESC(
        tensor(data_type, sizes, layout), tensor(data_type, sizes), tensor(data_type, sizes)
    )

    check(desc, exact(operator.add, data_type.dtype))


def test_refuses_other_sizes():
    refused(
        dml.DescriptorError,
        "ELEMENT_WISE_ADD1.b_tensor.sizes: needs the sizes of a_tensor, [2, 3], got [3, 2]",
        lambda: DESC(*(dml.TensorDesc(np.float32, s) for s in ([2, 3], [3, 2], [2, 3]))),
    )
