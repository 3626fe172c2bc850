"""ELEMENT_WISE_CLIP against comparisons."""

import math

import numpy as np
import pytest

import indirectml as dml
from tests.operators.oracle import SIZES, cases, check, quiet, refused, tensor

DESC = dml.ElementWiseClipOperatorDesc


def _oracle(low, high):
    def apply(x):
        result = quiet(x).copy()
        for at in np.ndindex(x.shape):
            number = x[at].item()
            if number < low or number > high:
                result[at] = low if number < low else high
        return result

    return apply


@cases("ELEMENT_WISE_CLIP")
def test_limits_every_element(data_type, rank, layout):
    sizes = SIZES[:rank]
    desc = DESC(tensor(data_type, sizes, layout), tensor(data_type, sizes), min=5, max=100)

    check(desc, _oracle(5, 100))


@cases("ELEMENT_WISE_CLIP")
def test_infinite_limits_limit_nothing(data_type, rank, layout):
    sizes = SIZES[:rank]
    desc = DESC(
        tensor(data_type, sizes, layout), tensor(data_type, sizes), min=-math.inf, max=math.inf
    )

    check(desc, quiet)


def test_refuses_fractions_for_integers():
    one = dml.TensorDesc(np.int32, [1])

    refused(
        dml.DescriptorError,
        "ELEMENT_WISE_CLIP.min: needs an integer for a tensor of INT32, got 0.5",
        lambda: DESC(one, one, min=0.5, max=1),
    )


@pytest.mark.parametrize("dtype", [np.float16, np.float32])
def test_a_zero_that_equals_a_limit_keeps_its_sign(dtype):
    zeros = dml.TensorDesc(dtype, [37])

    for low, high in [(0.0, 1.0), (-0.0, 1.0), (-1.0, 0.0), (-1.0, -0.0)]:
        desc = DESC(zeros, zeros, min=low, max=high)
        check(desc, lambda given: given, numbers=[-0.0, 0.0])
