"""GEMM: alpha * A B + beta * C, of matrices."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from indirectml.arithmetic.basics import Array
from indirectml.catalogue.enumerations import MatrixTransform
from indirectml.catalogue.fused_activations import FusedActivation
from indirectml.core.errors import DescriptorError, DirectMLError
from indirectml.core.tensors import TensorDesc
from indirectml.descriptors.base import OperatorDesc, caught
from indirectml.graphs.expressions import Expression, checked_operand, new_tensor
from indirectml.operators import activated, check_fused


@dataclass(frozen=True)
class GemmOperatorDesc(OperatorDesc):
    """Output = Activation(Alpha * TransA(A) TransB(B) + Beta * C), for each pair of matrices.

    Parameters
    ----------
    a_tensor : TensorDesc
        [..., M, K], or [..., K, M] if transposed.
    b_tensor : TensorDesc
        [..., K, N], or [..., N, K] if transposed.
    c_tensor : TensorDesc or None
        [..., M, N].
    output_tensor : TensorDesc
        [..., M, N].
    trans_a, trans_b : MatrixTransform
        Whether a matrix is transposed first.
    alpha, beta : float
        Rounded to FLOAT32.
    fused_activation : FusedActivation, optional
        Computed on the result before it is rounded to the output's data type.

    Notes
    -----
    The products are added one after the other, k = 0, 1, ..., rounded to FLOAT32 after each
    multiplication and each addition, on every machine; then alpha, then beta * C, then the
    activation, and FLOAT16 is rounded once at the end.

    References
    ----------
    DirectML: DML_GEMM_OPERATOR_DESC.

    Examples
    --------
    >>> device = Device()
    >>> row, column = TensorDesc(np.float32, [1, 2]), TensorDesc(np.float32, [2, 1])
    >>> desc = GemmOperatorDesc(row, column, None, TensorDesc(np.float32, [1, 1]))
    >>> a, b = np.array([[1, 2]], np.float32), np.array([[3], [4]], np.float32)
    >>> device.compile_operator(device.create_operator(desc))([a, b, None])
    [array([[11.]], dtype=float32)]
    """

    a_tensor: TensorDesc
    b_tensor: TensorDesc
    c_tensor: TensorDesc | None
    output_tensor: TensorDesc
    trans_a: MatrixTransform = MatrixTransform.NONE
    trans_b: MatrixTransform = MatrixTransform.NONE
    alpha: float = 1.0
    beta: float = 1.0
    fused_activation: FusedActivation | None = None

    def check_fields(self) -> Iterator[DirectMLError]:
        """Check the activation, and that the matrices fit each other."""
        yield from caught(check_fused, self.fused_activation, self.output_tensor)
        a = matrix_sizes(self.a_tensor.sizes_tuple, self.trans_a)
        b = matrix_sizes(self.b_tensor.sizes_tuple, self.trans_b)
        if a[:-2] != b[:-2] or a[-1] != b[-2]:
            yield DescriptorError(
                f"needs {[*a[:-2], a[-1]]} and a column count, after transposition",
                given=f"{list(b)}",
                field="b_tensor.sizes",
            )
        expected = [*a[:-1], b[-1]]
        if self.output_tensor.sizes != expected:
            yield DescriptorError(
                f"needs {expected}",
                given=f"{self.output_tensor.sizes}",
                field="output_tensor.sizes",
            )


def matrix_sizes(sizes: tuple[int, ...], transform: MatrixTransform) -> tuple[int, ...]:
    """Return the sizes after a transform of the last two dimensions."""
    if transform == MatrixTransform.NONE:
        return sizes
    return (*sizes[:-2], sizes[-1], sizes[-2])


def compute(desc: GemmOperatorDesc, a: Array, b: Array, c: Array | None) -> Array:
    """Return alpha * a b + beta * c after the activation.

    Not by BLAS, whose bits depend on machine and threads.
    """
    if desc.trans_a == MatrixTransform.TRANSPOSE:
        a = np.swapaxes(a, -1, -2)
    if desc.trans_b == MatrixTransform.TRANSPOSE:
        b = np.swapaxes(b, -1, -2)
    total = np.zeros(desc.output_tensor.sizes, a.dtype)
    for k in range(a.shape[-1]):
        total += a[..., :, k, None] * b[..., None, k, :]
    total *= a.dtype.type(desc.alpha)
    if c is not None:
        total += c * a.dtype.type(desc.beta)
    return activated(total, desc.fused_activation, desc.output_tensor)


def gemm(
    a: Expression,
    b: Expression,
    c: Expression | None = None,
    *,
    trans_a: MatrixTransform = MatrixTransform.NONE,
    trans_b: MatrixTransform = MatrixTransform.NONE,
    alpha: float = 1,
    beta: float = 1,
    fused_activation: FusedActivation | None = None,
) -> Expression:
    """Return alpha * a b + beta * c, of matrices in the last two dimensions.

    Parameters
    ----------
    a, b : Expression
        [..., M, K] and [..., K, N], after the transforms.
    c : Expression, optional
        [..., M, N].
    trans_a, trans_b : MatrixTransform
        Whether a matrix is transposed first.
    alpha, beta : float
        Factors.
    fused_activation : FusedActivation, optional
        Computed on the result before it is rounded to the output's data type.

    Examples
    --------
    >>> graph = Graph(Device())
    >>> a = graph.constant(np.array([[1, 2], [3, 4]], np.float32))
    >>> graph.compile([gemm(a, a, trans_b=MatrixTransform.TRANSPOSE)])()
    [array([[ 5., 11.],
           [11., 25.]], dtype=float32)]
    """
    rows = matrix_sizes(checked_operand("gemm", a).shape, trans_a)[:-1]
    columns = matrix_sizes(checked_operand("gemm", b).shape, trans_b)[-1]
    output = new_tensor(a, (*rows, columns))
    desc = GemmOperatorDesc(
        a.desc,
        b.desc,
        None if c is None else c.desc,
        output,
        trans_a,
        trans_b,
        alpha,
        beta,
        fused_activation,
    )
    return a.graph.add_node(desc, a, b, c)[0]
