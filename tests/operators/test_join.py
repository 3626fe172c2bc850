"""JOIN against a loop."""

import numpy as np

import indirectml as dml
from tests.operators.oracle import SIZES, cases, check, refused, tensor

DESC = dml.JoinOperatorDesc


@cases("JOIN", "InputTensors")
def test_keeps_every_bit(data_type, rank, layout):
    axis = rank - 1
    sizes = [list(SIZES[:rank]) for _ in range(3)]
    sizes[0][axis], sizes[1][axis], sizes[2][axis] = 1, 3, 2
    whole = list(SIZES[:rank])
    whole[axis] = 6
    inputs = [tensor(data_type, s, layout if k else "packed") for k, s in enumerate(sizes)]

    def oracle(*arrays):
        result = np.empty(whole, data_type.dtype)
        for at in np.ndindex(*whole):
            k, column = [(0, 0), (1, 0), (1, 1), (1, 2), (2, 0), (2, 1)][at[axis]]
            result[at] = arrays[k][(*at[:axis], column)]
        return result

    check(DESC(inputs, tensor(data_type, whole), axis), oracle)


def test_refuses_sizes_that_do_not_add_up():
    one, two = dml.TensorDesc(np.int8, [1, 3]), dml.TensorDesc(np.int8, [2, 3])

    refused(
        dml.DescriptorError,
        "JOIN.output_tensor.sizes: needs [3, 3]: the sum of the inputs' sizes along the axis, "
        "got [2, 3]",
        lambda: DESC([one, two], two, 0),
    )


def test_refuses_other_sizes_across_the_axis():
    one, two = dml.TensorDesc(np.int8, [1, 3]), dml.TensorDesc(np.int8, [2, 4])

    refused(
        dml.DescriptorError,
        "JOIN.input_tensors[1].sizes: needs the output's sizes except along axis 0, [2, 3], "
        "got [2, 4]",
        lambda: DESC([one, two], dml.TensorDesc(np.int8, [3, 3]), 0),
    )


def test_refuses_no_inputs():
    refused(
        dml.DescriptorError,
        "JOIN.input_tensors: needs at least one tensor, got 0",
        lambda: DESC([], dml.TensorDesc(np.int8, [3, 3]), 0),
    )
