"""ACTIVATION_SOFTSIGN against Python's numbers."""

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

DESC = dml.ActivationSoftsignOperatorDesc


def _expected(x):
    return single(x / single(1 + abs(x)))


@cases("ACTIVATION_SOFTSIGN")
def test_equals_python(data_type, rank, layout):
    sizes = SIZES[:rank]
    desc = DESC(tensor(data_type, sizes, layout), tensor(data_type, sizes))

    check(desc, by_number(_expected, data_type.dtype))
    check(desc, by_number(_expected, data_type.dtype), numbers=[-1, 0, 0.3, 9])


def test_special_values():
    x = np.array([-np.inf, -1, -0.0, 0.0, 1, np.inf, np.nan], np.float32)

    (actual,) = through_graph(dml.activation_softsign, x)

    assert_bits_equal(
        actual=actual, expected=np.array([np.nan, -0.5, -0.0, 0.0, 0.5, np.nan, np.nan], np.float32)
    )
