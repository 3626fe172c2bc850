"""SLICE against its definition, element by element."""

import numpy as np

import indirectml as dml
from tests.operators.oracle import SIZES, cases, check, refused, tensor

DESC = dml.SliceOperatorDesc


@cases("SLICE")
def test_keeps_every_bit(data_type, rank, layout):
    sizes = [*SIZES[: rank - 1], 7]
    offsets, strides = [0] * (rank - 1) + [1], [1] * (rank - 1) + [2]
    output = [*SIZES[: rank - 1], 3]

    def oracle(x):
        result = np.empty(output, x.dtype)
        for at in np.ndindex(*output):
            result[at] = x[(*at[:-1], 1 + 2 * at[-1])]
        return result

    desc = DESC(
        tensor(data_type, sizes, layout), tensor(data_type, output), offsets, output, strides
    )
    check(desc, oracle)


def test_refuses_elements_outside_of_the_input():
    refused(
        dml.DescriptorError,
        "SLICE.sizes: needs elements below the input's size 5 in dimension 0, got a last one of 5",
        lambda: DESC(dml.TensorDesc(np.int8, [5]), dml.TensorDesc(np.int8, [3]), [1], [3], [2]),
    )


def test_refuses_another_count_of_offsets():
    refused(
        dml.DescriptorError,
        "SLICE.offsets: needs one per dimension (1), got 2",
        lambda: DESC(
            dml.TensorDesc(np.int8, [5]), dml.TensorDesc(np.int8, [1]), [1, 1], [1, 1], [1, 1]
        ),
    )


def test_refuses_arrays_of_unequal_lengths():
    refused(
        dml.DescriptorError,
        "SLICE.sizes: needs as many as offsets, 2, got 1",
        lambda: DESC(dml.TensorDesc(np.int8, [5]), dml.TensorDesc(np.int8, [1]), [1, 1], [1], [1]),
    )
