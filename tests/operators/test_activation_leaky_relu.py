"""ACTIVATION_LEAKY_RELU against Python's numbers."""

import numpy as np

import indirectml as dml
from tests.operators.oracle import (
    SIZES,
    assert_bits_equal,
    by_number,
    cases,
    check,
    single,
    tensor,
    through_graph,
)

DESC = dml.ActivationLeakyReluOperatorDesc
ALPHA = single(0.1)


def _expected(x):
    return x if x >= 0 else single(x * ALPHA)


@cases("ACTIVATION_LEAKY_RELU")
def test_equals_python(data_type, rank, layout):
    sizes = SIZES[:rank]
    desc = DESC(tensor(data_type, sizes, layout), tensor(data_type, sizes), ALPHA)

    check(desc, by_number(_expected, data_type.dtype))
    check(desc, by_number(_expected, data_type.dtype), numbers=[-1, 0, 2])


def test_special_values():
    x = np.array([-np.inf, -1, -0.0, 0.0, 1, np.inf, np.nan], np.float32)

    (actual,) = through_graph(dml.activation_leaky_relu, x)

    assert_bits_equal(
        actual=actual, expected=np.array([-np.inf, -0.01, -0.0, 0.0, 1, np.inf, np.nan], np.float32)
    )
