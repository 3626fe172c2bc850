"""Products of matrices."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from indirectml.arithmetic.basics import Array
from indirectml.arithmetic.contraction import contract
from indirectml.catalogue.enumerations import MatrixTransform
from indirectml.core.errors import DescriptorError, DirectMLError
from indirectml.descriptors.definitions import operator

Shape = tuple[int, ...]


def _transformed(sizes: Shape, transform: MatrixTransform) -> Shape:
    """Return the sizes after a transform of the last two dimensions."""
    if transform == MatrixTransform.NONE:
        return sizes
    return (*sizes[:-2], sizes[-1], sizes[-2])


def _product(
    a_sizes: Shape, b_sizes: Shape, _: Shape | None, *, trans_a: MatrixTransform,
    trans_b: MatrixTransform,
) -> Shape:  # fmt: skip
    """The rows of A and the columns of B, after transposition."""
    return (*_transformed(a_sizes, trans_a)[:-1], _transformed(b_sizes, trans_b)[-1])


def _matrices_fit(desc: Any) -> Iterator[DirectMLError]:
    a = _transformed(desc.a_tensor.sizes_tuple, desc.trans_a)
    b = _transformed(desc.b_tensor.sizes_tuple, desc.trans_b)
    if a[:-2] != b[:-2] or a[-1] != b[-2]:
        yield DescriptorError(
            f"needs {[*a[:-2], a[-1]]} and a column count, after transposition",
            given=f"{list(b)}",
            field="b_tensor.sizes",
        )
    elif desc.c_tensor is not None and desc.c_tensor.sizes_tuple != (*a[:-1], b[-1]):
        yield DescriptorError(
            f"needs {[*a[:-1], b[-1]]}", given=f"{desc.c_tensor.sizes}", field="c_tensor.sizes"
        )


def _turned(x: Array, transform: MatrixTransform) -> Array:
    return x if transform == MatrixTransform.NONE else x.swapaxes(-1, -2)


@operator(
    "GEMM",
    "gemm",
    sizes=_product,
    check=_matrices_fit,
    defaults={
        "trans_a": MatrixTransform.NONE,
        "trans_b": MatrixTransform.NONE,
        "alpha": 1.0,
        "beta": 1.0,
    },
)
def product(
    a: Array,
    b: Array,
    c: Array | None,
    *,
    trans_a: MatrixTransform,
    trans_b: MatrixTransform,
    alpha: float,
    beta: float,
) -> Array:
    """Output = Activation(Alpha * TransA(A) TransB(B) + Beta * C), for each pair of matrices.

    FLOAT32, by rule C256: chains of up to 256 consecutive k from +0, each step one fused
    multiplication and addition; the total is the first chain plus the next one, and so on. Then
    t = total * Alpha, u = C * Beta, y = t + u, each rounded (a factor of 1 changes nothing; C is
    read even if Beta is 0), then the activation, and one rounding to the output's data type.

    Example: float32 [[1, 2]], [[3], [4]], None -> [[11]]
    """
    total = contract(_turned(a, trans_a), _turned(b, trans_b))
    if alpha != 1:
        total = total * np.float32(alpha)
    if c is None:
        return total
    addend = c.astype(np.float32)
    return total + (addend if beta == 1 else addend * np.float32(beta))
