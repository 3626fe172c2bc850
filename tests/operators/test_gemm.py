"""GEMM against a loop over rows, columns and products, each one fused with its addition."""

import numpy as np
import pytest

import indirectml as dml
from tests.arithmetic.products import fma
from tests.operators.oracle import cases, check, refused, tensor, through_graph

NONE, TRANSPOSE = dml.MatrixTransform.NONE, dml.MatrixTransform.TRANSPOSE
LEADING = (2, 3)


def _oracle(trans_a, trans_b, alpha, beta):
    def apply(a, b, c):
        wide = np.float32
        result = np.empty((*a.shape[:-2], 2, 3), a.dtype)
        for at in np.ndindex(*result.shape):
            *matrix, row, column = at
            total = np.float32(0)  # one chain of rule C256
            for k in range(4):
                left = a[(*matrix, k, row) if trans_a else (*matrix, row, k)]
                right = b[(*matrix, column, k) if trans_b else (*matrix, k, column)]
                total = fma(left, right, total)
            total = total * wide(alpha)
            result[at] = total if c is None else total + wide(c[at]) * wide(beta)
        return result

    return apply


@pytest.mark.parametrize("with_c", [False, True])
@pytest.mark.parametrize(
    ("trans_a", "trans_b"), [(NONE, NONE), (TRANSPOSE, NONE), (NONE, TRANSPOSE)]
)
@cases("GEMM", "ATensor")
def test_equals_a_loop(data_type, rank, layout, trans_a, trans_b, with_c):
    lead = LEADING[: rank - 2]
    a = tensor(data_type, (*lead, 4, 2) if trans_a else (*lead, 2, 4), layout)
    b = tensor(data_type, (*lead, 3, 4) if trans_b else (*lead, 4, 3))
    c = tensor(data_type, (*lead, 2, 3), layout) if with_c else None
    output = tensor(data_type, (*lead, 2, 3))
    desc = dml.GemmOperatorDesc(a, b, output, trans_a, trans_b, 0.1, 0.3, c_tensor=c)

    check(desc, _oracle(trans_a, trans_b, 0.1, 0.3), numbers=np.linspace(-3, 3, 50))


def test_equals_numpy_on_small_integers():
    a = np.arange(6, dtype=np.float32).reshape(2, 3)
    b = np.arange(12, dtype=np.float32).reshape(3, 4)

    (actual,) = through_graph(dml.gemm, a, b)

    np.testing.assert_array_equal(actual, a @ b)


def test_refuses_matrices_that_do_not_fit():
    a, b = dml.TensorDesc(np.float32, [2, 3]), dml.TensorDesc(np.float32, [4, 2])

    refused(
        dml.DescriptorError,
        "GEMM.b_tensor.sizes: needs [3] and a column count, after transposition, got [4, 2]",
        lambda: dml.GemmOperatorDesc(a, b, dml.TensorDesc(np.float32, [2, 2])),
    )
