"""ELEMENT_WISE_CLIP1 against comparisons."""

import numpy as np
import pytest

import indirectml as dml
from tests.operators.oracle import (
    SIZES,
    assert_bits_equal,
    cases,
    check,
    quiet,
    refused,
    tensor,
    through_graph,
)

DESC = dml.ElementWiseClip1OperatorDesc


@cases("ELEMENT_WISE_CLIP1")
def test_limits_every_element(data_type, rank, layout):
    sizes = SIZES[:rank]
    desc = DESC(
        tensor(data_type, sizes, layout), tensor(data_type, sizes), data_type, min=5, max=100
    )

    def oracle(x):
        low, high = x.dtype.type(5), x.dtype.type(100)
        return quiet(np.where(x < low, low, np.where(x > high, high, x)))

    check(desc, oracle)


def test_limits_of_64_bits_are_exact():
    x = np.array([2**62, 0], np.int64)

    (actual,) = through_graph(lambda e: dml.clip(e, min=1, max=2**60 + 1), x)

    assert_bits_equal(actual=actual, expected=np.array([2**60 + 1, 1], np.int64))


def test_refuses_limits_of_another_data_type():
    one = dml.TensorDesc(np.int32, [1])

    refused(
        dml.DescriptorError,
        "ELEMENT_WISE_CLIP1.min_max_data_type: needs the data type of the input tensor, INT32, "
        "got INT8",
        lambda: DESC(one, one, np.int8, min=0, max=1),
    )


def test_the_function_works_at_levels_without_the_operator():
    graph = dml.Graph(dml.Device(feature_level="2_1"))
    x = graph.constant(np.array([-3, 0, 3], np.float32), sizes=[1, 1, 1, 3])

    (actual,) = graph.compile([dml.clip(x, min=-1, max=1)])()

    assert actual.tolist() == [[[[-1, 0, 1]]]]


def test_the_function_takes_limits_beyond_the_data_type():
    x = np.array([0, 7, 255], np.uint8)

    (actual,) = through_graph(lambda e: dml.clip(e, min=-1, max=300), x)
    (infinite,) = through_graph(lambda e: dml.clip(e, min=-np.inf, max=7), x)

    assert_bits_equal(actual=actual, expected=x)
    assert infinite.tolist() == [0, 7, 7]


@pytest.mark.parametrize("dtype", [np.float16, np.float32])
def test_a_zero_that_equals_a_limit_keeps_its_sign(dtype):
    zeros = dml.TensorDesc(dtype, [37])

    for low, high in [(0.0, 1.0), (-0.0, 1.0), (-1.0, 0.0), (-1.0, -0.0)]:
        desc = DESC(zeros, zeros, dtype, min=low, max=high)
        check(desc, lambda given: given, numbers=[-0.0, 0.0])
