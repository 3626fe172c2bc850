"""ACTIVATION_SHRINK against Python's numbers."""

import numpy as np

import indirectml as dml
from tests.operators.oracle import (
    SIZES,
    assert_bits_equal,
    by_number,
    cases,
    check,
    refused,
    tensor,
    through_graph,
)

DESC = dml.ActivationShrinkOperatorDesc
BIAS, THRESHOLD = 3, 1.5


def _expected(x):
    if x > THRESHOLD:
        return x - BIAS
    return x + BIAS if x < -THRESHOLD else 0


@cases("ACTIVATION_SHRINK")
def test_equals_python(data_type, rank, layout):
    sizes = SIZES[:rank]
    desc = DESC(tensor(data_type, sizes, layout), tensor(data_type, sizes), BIAS, THRESHOLD)

    check(desc, by_number(_expected, data_type.dtype))
    check(desc, by_number(_expected, data_type.dtype), numbers=[0, 1, 2, 3, 100])


def test_special_values():
    x = np.array([-np.inf, -1, -0.0, 0.0, 1, np.inf, np.nan], np.float32)

    (actual,) = through_graph(dml.activation_shrink, x)

    assert_bits_equal(
        actual=actual, expected=np.array([-np.inf, -1, 0, 0, 1, np.inf, 0], np.float32)
    )


def test_integers_are_shrunk_by_integers():
    one = dml.TensorDesc(np.int8, [1])

    refused(
        dml.DescriptorError,
        "ACTIVATION_SHRINK.bias: needs an integer for a tensor of INT8, got 0.5",
        lambda: DESC(one, one, 0.5, 0.5),
    )
