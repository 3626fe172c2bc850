"""ELEMENT_WISE_MODULUS_TRUNCATE against Python's integers and fractions."""

import math
from fractions import Fraction

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

DESC = dml.ElementWiseModulusTruncateOperatorDesc


def _expected(a, b):
    """Return a - b * trunc(a / b), by numbers without rounding."""
    if isinstance(a, int):
        return 0 if b == 0 else int(math.copysign(1, a)) * (abs(a) % abs(b))
    if math.isnan(a) or math.isnan(b) or math.isinf(a) or b == 0:
        return math.nan
    if math.isinf(b):
        return a
    x, y = Fraction(a), Fraction(b)
    return math.copysign(float(abs(x) % abs(y)), a)


@cases("ELEMENT_WISE_MODULUS_TRUNCATE", "ATensor")
def test_equals_the_exact_result_rounded_once(data_type, rank, layout):
    sizes = SIZES[:rank]
    desc = DESC(
        tensor(data_type, sizes, layout), tensor(data_type, sizes), tensor(data_type, sizes)
    )

    check(desc, by_number(_expected, data_type.dtype))
    check(desc, by_number(_expected, data_type.dtype), numbers=[0, 1, 2, 3, 5, 7, 100])


def test_special_values():
    inf, nan = np.inf, np.nan
    a = np.array([7, -7, 7, -7, 6, -6, -0.0, 1, -1, inf, 1, nan, -1e-9, 5.5], np.float32)
    b = np.array([5, 5, -5, -5, -3, 3, 1, inf, inf, 2, 0, 1, 1, -2], np.float32)

    (actual,) = through_graph(dml.modulus_truncate, a, b)

    expected = np.array([2, -2, 2, -2, 0, -0.0, -0.0, 1, -1, nan, nan, nan, -1e-9, 1.5], np.float32)
    assert_bits_equal(actual=actual, expected=expected)


def test_integers_modulo_zero_are_zero():
    a, b = np.array([-128, 7, -7, 5], np.int8), np.array([-1, 2, 2, 0], np.int8)

    (actual,) = through_graph(dml.modulus_truncate, a, b)

    assert_bits_equal(actual=actual, expected=np.array([0, 1, -1, 0], np.int8))
