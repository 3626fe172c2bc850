"""ACTIVATION_LINEAR against Python's numbers."""

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

DESC = dml.ActivationLinearOperatorDesc
ALPHA, BETA = single(0.1), single(-0.3)


def _expected(x):
    return single(single(x * ALPHA) + BETA)


@cases("ACTIVATION_LINEAR")
def test_equals_python(data_type, rank, layout):
    sizes = SIZES[:rank]
    desc = DESC(tensor(data_type, sizes, layout), tensor(data_type, sizes), ALPHA, BETA)

    check(desc, by_number(_expected, data_type.dtype))
    check(desc, by_number(_expected, data_type.dtype), numbers=[-1, 0, 0.3])


def test_through_a_graph():
    x = np.array([-np.inf, -1, 0.0, np.nan], np.float32)

    (actual,) = through_graph(lambda x: dml.activation_linear(x, alpha=3, beta=1), x)

    expected = np.array([-np.inf, -2, 1, np.nan], np.float32)
    assert_bits_equal(actual=actual, expected=expected)
