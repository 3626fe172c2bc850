"""SPLIT against slices."""

from itertools import pairwise

import numpy as np
import pytest

import indirectml as dml
from tests.operators.oracle import SIZES, cases, check, refused, tensor

DESC = dml.SplitOperatorDesc


@pytest.mark.parametrize("parts", [(1, 3, 2), (6,)])
@cases("SPLIT")
def test_keeps_every_bit(data_type, rank, layout, parts):
    axis = rank - 1
    sizes = [*SIZES[:axis], 6]
    outputs = [tensor(data_type, [*SIZES[:axis], part]) for part in parts]

    def oracle(x):
        ends = [sum(parts[:k]) for k in range(len(parts) + 1)]
        return [x[..., a:b].copy() for a, b in pairwise(ends)]

    check(DESC(tensor(data_type, sizes, layout), outputs, axis), oracle)


def test_refuses_sizes_that_do_not_add_up():
    part = dml.TensorDesc(np.int8, [2])

    refused(
        dml.DescriptorError,
        "SPLIT.output_tensors: needs sizes along axis 0 that add up to the input's, 3, got 4",
        lambda: DESC(dml.TensorDesc(np.int8, [3]), [part, part], 0),
    )
