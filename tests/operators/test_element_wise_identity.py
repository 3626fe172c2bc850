"""ELEMENT_WISE_IDENTITY against copies and exact arithmetic."""

import math

import numpy as np
import pytest

import indirectml as dml
from tests.operators.oracle import (
    SIZES,
    assert_bits_equal,
    cases,
    check,
    exact,
    tensor,
    through_graph,
)

DESC = dml.ElementWiseIdentityOperatorDesc


@cases("ELEMENT_WISE_IDENTITY")
def test_keeps_every_bit(data_type, rank, layout):
    sizes = SIZES[:rank]

    check(DESC(tensor(data_type, sizes, layout), tensor(data_type, sizes)), lambda x: x)


@cases("ELEMENT_WISE_IDENTITY")
def test_scales_and_adds(data_type, rank, layout):
    sizes = SIZES[:rank]
    desc = DESC(tensor(data_type, sizes, layout), tensor(data_type, sizes), (3, 7))

    # Small numbers: every intermediate result is exact.
    check(desc, exact(lambda x: x * 3 + 7, data_type.dtype), numbers=[0, 1, 2, 5, 100])


def test_float16_is_rounded_once():
    x = np.array([0.1, 1 / 3, 1000.5], np.float16)

    (actual,) = through_graph(lambda e: dml.identity(e, scale_bias=(0.1, 0.3)), x)

    expected = (x.astype(np.float32) * np.float32(0.1) + np.float32(0.3)).astype(np.float16)
    assert_bits_equal(actual=actual, expected=expected)


def test_permission_for_half_precision_changes_no_bit():
    x = np.array([0.1, 1 / 3, 1000.5, 2049], np.float16)
    graph = dml.Graph(dml.Device())
    y = dml.identity(graph.constant(x), scale_bias=(0.1, 0.3))
    allowed = graph.compile([y], flags=dml.ExecutionFlags.ALLOW_HALF_PRECISION_COMPUTATION)

    assert_bits_equal(actual=allowed()[0], expected=graph.compile([y])()[0])


def test_fractions_scale_integers_in_float64():
    numbers = dml.TensorDesc(np.int8, [5])

    def oracle(x):
        wide = [min(max(math.trunc(int(v) * 2.5 + 0.25), -128), 127) for v in x]
        return np.array(wide, np.int8)

    check(DESC(numbers, numbers, (2.5, 0.25)), oracle, numbers=[-128, -3, 3, 50, 52])


@pytest.mark.parametrize("value", [3, (1,), "ab", (1, 2, 3)])
def test_refuses_what_is_no_pair(value):
    one = dml.TensorDesc(np.int32, [1])

    with pytest.raises(dml.DirectMLError, match=r"ELEMENT_WISE_IDENTITY\.scale_bias: needs a"):
        DESC(one, one, value)
