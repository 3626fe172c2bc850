"""Products of matrices by chains of 256 fused steps, and diagonals, element by element."""

import itertools

import numpy as np

import indirectml as dml
from tests.arithmetic.loops import quiet
from tests.arithmetic.products import contract
from tests.operators.families import Trial, places, run_oracle
from tests.operators.oracle import refused, through_graph

ORACLES = {}
TRANSFORMS = [
    (dml.MatrixTransform.NONE, dml.MatrixTransform.NONE),
    (dml.MatrixTransform.TRANSPOSE, dml.MatrixTransform.NONE),
    (dml.MatrixTransform.NONE, dml.MatrixTransform.TRANSPOSE),
]
RELU = dml.FusedActivation(dml.OperatorType.ACTIVATION_LEAKY_RELU, 0.3)


def product(place):
    """Yield transposed matrices, with and without C and an activation, of one and two chains."""
    factors = [(1, 1), (0.1, 0.3), (-2, 0)]
    cases = itertools.product(TRANSFORMS, (4, 300), (False, True))
    for number, ((trans_a, trans_b), count, with_c) in enumerate(cases):
        alpha, beta = factors[number % 3]
        fused = RELU if number % 2 else None
        lead = [2, 3][: place.rank - 2]
        a, b = [*lead, 2, count], [*lead, count, 3]
        sizes = [*lead, 2, 3]

        def apply(a, b, c, alpha=alpha, beta=beta, fused=fused, trans=(trans_a, trans_b)):
            a, b = (
                np.swapaxes(x, -1, -2) if t == dml.MatrixTransform.TRANSPOSE else x
                for x, t in zip((a, b), trans, strict=True)
            )
            total = contract(a, b) * np.float32(alpha)
            if c is not None:
                total = total + c.astype(np.float32) * np.float32(beta)
            if fused:
                total = np.where(total < 0, total * np.float32(0.3), total)
            return quiet(total.astype(place.dtype))

        desc = place.desc(
            a_tensor=place.tensor(a if trans_a == 0 else [*lead, count, 2]),
            b_tensor=place.tensor(b if trans_b == 0 else [*lead, 3, count]),
            c_tensor=place.tensor(sizes) if with_c else None,
            output_tensor=place.output(sizes),
            trans_a=trans_a,
            trans_b=trans_b,
            alpha=alpha,
            beta=beta,
            fused_activation=fused,
        )
        yield Trial(desc, apply, [np.linspace(-3, 3, 50).astype(place.dtype)] * 3)
        large = np.array([1, -1, 0.5, 1e4, -3e4, 0.0, -0.0, 2.0**-24], place.dtype)
        rare = np.array([*[1.0] * 20, np.inf, np.nan, -0.0], place.dtype)
        yield Trial(desc, apply, [large, large, rare])


ORACLES["GEMM"] = product

MATRICES = [[4, 5], [5, 3], [3, 1]]


def diagonal(place):
    """Yield offsets inside and outside, and values that are rounded, truncated or limited."""
    values = [7.75, -2.5, 1e30, np.nan]
    for (rows, columns), offset in itertools.product(MATRICES, (0, 2, -1, 9, -9)):
        sizes = [*[2, 3][: place.rank - 2], rows, columns]
        value = values[(place.seed + offset) % len(values)]

        def apply(sizes=sizes, offset=offset, value=value):
            result = np.zeros(sizes, place.dtype)
            for at in np.ndindex(*sizes):
                if at[-1] - at[-2] == offset:
                    result[at] = typed(value, place.dtype)
            return result

        yield Trial(
            place.desc(output_tensor=place.output(sizes), offset=offset, value=value), apply
        )


def typed(value, dtype):
    """Return a FLOAT32 value in a data type."""
    value = float(np.float32(value))
    if dtype.kind == "f":
        return np.array(value).astype(dtype)
    limits = np.iinfo(dtype)
    return 0 if value != value else min(max(int(value), int(limits.min)), int(limits.max))  # noqa: PLR0124


def span(place):
    """Yield spans inside and across the border, with and without an input.

    With the end before the beginning, it is what lies outside that is filled.
    """
    spans = [(0, 1), (-1, 2), (2, -1), (1, 1), (-9, 9), (9, -9), (3, 9)]
    for number, ((rows, columns), (begin, end)) in enumerate(itertools.product(MATRICES, spans)):
        sizes = [*[2, 3][: place.rank - 2], rows, columns]
        with_input = number % 2 == 0

        def apply(x=None, sizes=sizes, begin=begin, end=end):
            result = np.zeros(sizes, place.dtype) if x is None else x.copy()
            for at in np.ndindex(*sizes):
                d = at[-1] - at[-2]
                inside = begin <= d < end if begin <= end else not end <= d < begin
                if inside:
                    result[at] = 7
            return result

        desc = place.desc(
            input_tensor=place.tensor(sizes) if with_input else None,
            output_tensor=place.output(sizes),
            value_data_type=place.data_type,
            value=7,
            diagonal_fill_begin=begin,
            diagonal_fill_end=end,
        )
        yield Trial(desc, apply)


ORACLES["DIAGONAL_MATRIX"] = diagonal
ORACLES["DIAGONAL_MATRIX1"] = span


@places(ORACLES)
def test_equals_its_oracle(place):
    run_oracle(ORACLES, place)


def test_gemm_equals_numpy_on_small_integers():
    a = np.arange(6, dtype=np.float32).reshape(2, 3)
    b = np.arange(12, dtype=np.float32).reshape(3, 4)

    (actual,) = through_graph(dml.gemm, a, b)

    np.testing.assert_array_equal(actual, a @ b)


def test_gemm_refuses_matrices_that_do_not_fit():
    a, b = dml.TensorDesc(np.float32, [2, 3]), dml.TensorDesc(np.float32, [4, 2])

    refused(
        dml.DescriptorError,
        "GEMM.b_tensor.sizes: needs [3] and a column count, after transposition, got [4, 2]",
        lambda: dml.GemmOperatorDesc(a, b, dml.TensorDesc(np.float32, [2, 2])),
    )
