"""SLICE1 against its definition, element by element."""

import numpy as np
import pytest

import indirectml as dml
from tests.operators.oracle import SIZES, cases, check, refused, tensor

DESC = dml.Slice1OperatorDesc


@pytest.mark.parametrize("stride", [1, 2, -1, -2, -3])
@cases("SLICE1")
def test_keeps_every_bit(data_type, rank, layout, stride):
    sizes = [*SIZES[: rank - 1], 7]
    leading = [*SIZES[: rank - 1]]
    output = [*leading, 2]

    def oracle(x):
        result = np.empty(output, x.dtype)
        start = 1 if stride > 0 else 5
        for at in np.ndindex(*output):
            result[at] = x[(*at[:-1], start + stride * at[-1])]
        return result

    desc = DESC(
        tensor(data_type, sizes, layout),
        tensor(data_type, output),
        [0] * (rank - 1) + [1],
        [*leading, 5],
        [1] * (rank - 1) + [stride],
    )
    check(desc, oracle)


REFUSED = [
    pytest.param([1], [5], [1], 1, "input_window_sizes[0]: needs a window of at least 1 element "
                 "inside the input's 5, got 5 at offset 1", id="window outside"),
    pytest.param([0], [0], [1], 1, "input_window_sizes[0]: needs a window of at least 1 element "
                 "inside the input's 5, got 0 at offset 0", id="empty window"),
    pytest.param([0], [5], [0], 1, "input_window_strides[0]: needs a stride other than 0, got 0",
                 id="stride 0"),
    pytest.param([0], [5], [-2], 4, "output_tensor.sizes[0]: needs at most the 3 elements of the "
                 "window, got 4", id="output too large"),
]  # fmt: skip


@pytest.mark.parametrize(("offsets", "sizes", "strides", "output", "text"), REFUSED)
def test_refuses_windows(offsets, sizes, strides, output, text):
    whole, part = dml.TensorDesc(np.int8, [5]), dml.TensorDesc(np.int8, [output])

    refused(
        dml.DescriptorError, f"SLICE1.{text}", lambda: DESC(whole, part, offsets, sizes, strides)
    )
