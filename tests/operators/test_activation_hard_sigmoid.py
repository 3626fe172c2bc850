"""ACTIVATION_HARD_SIGMOID against Python's numbers."""

import math

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

DESC = dml.ActivationHardSigmoidOperatorDesc
ALPHA, BETA = single(0.1), single(0.3)


def _expected(x):
    y = single(single(x * ALPHA) + BETA)
    return y if math.isnan(y) else min(max(0.0, y), 1.0)


@cases("ACTIVATION_HARD_SIGMOID")
def test_equals_python(data_type, rank, layout):
    sizes = SIZES[:rank]
    desc = DESC(tensor(data_type, sizes, layout), tensor(data_type, sizes), ALPHA, BETA)

    check(desc, by_number(_expected, data_type.dtype))
    check(desc, by_number(_expected, data_type.dtype), numbers=[-9, -1, 0, 0.3, 9])


def test_special_values():
    x = np.array([-np.inf, -1, -0.0, 0.0, 1, np.inf, np.nan], np.float32)

    (actual,) = through_graph(dml.activation_hard_sigmoid, x)

    assert_bits_equal(
        actual=actual,
        expected=np.array([0, single(0.5 - single(0.2)), 0.5, 0.5, 0.7, 1, np.nan], np.float32),
    )
