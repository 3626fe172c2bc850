"""ACTIVATION_THRESHOLDED_RELU against Python's numbers."""

import numpy as np

import indirectml as dml
from tests.operators.oracle import (
    SIZES,
    assert_bits_equal,
    by_number,
    cases,
    check,
    tensor,
    through_graph,
)

DESC = dml.ActivationThresholdedReluOperatorDesc
ALPHA = 0.5


def _expected(x):
    return x if x > ALPHA else 0


@cases("ACTIVATION_THRESHOLDED_RELU")
def test_equals_python(data_type, rank, layout):
    sizes = SIZES[:rank]
    desc = DESC(tensor(data_type, sizes, layout), tensor(data_type, sizes), ALPHA)

    check(desc, by_number(_expected, data_type.dtype))
    check(desc, by_number(_expected, data_type.dtype), numbers=[-1, 0, 0.5, 2])


def test_special_values():
    x = np.array([-np.inf, -1, -0.0, 0.0, 1, np.inf, np.nan], np.float32)

    (actual,) = through_graph(dml.activation_thresholded_relu, x)

    expected = np.array([0, 0, 0, 0, 0, np.inf, 0], np.float32)
    assert_bits_equal(actual=actual, expected=expected)
