"""Products of matrices."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from indirectml import _native
from indirectml.arithmetic.basics import Array, core
from indirectml.arithmetic.contraction import contract
from indirectml.catalogue.enumerations import MatrixTransform
from indirectml.core.errors import DescriptorError, DirectMLError
from indirectml.descriptors.definitions import operator
from indirectml.plans import Place, View

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


def _packing(desc: Any) -> bool | None:
    """Return whether B is transposed before it is packed, if it is one matrix."""
    *batch, _, _ = desc.b_tensor.sizes_tuple
    is_one_matrix = all(size == 1 for size in batch)
    return desc.trans_b == MatrixTransform.TRANSPOSE if is_one_matrix else None


def _turned(place: Place, transform: MatrixTransform) -> Place:
    """Return where the elements of matrices are after a transform."""
    buffer, offset, letter, sizes, strides = place
    strides = strides if transform == MatrixTransform.NONE else (*strides[:-2], *strides[:-3:-1])
    return buffer, offset, letter, _transformed(sizes, transform), strides


def _product_step(
    a: View, b: View, *, output: View, trans_a: MatrixTransform, trans_b: MatrixTransform
) -> _native.Step | None:
    """Return the native core's form of `multiplied`."""
    left = _turned(a.place, trans_a)
    if b.panels is None:
        return _native.ProductStep(left, _turned(b.place, trans_b), None, output.place)
    if b.panels.is_transposed != (trans_b == MatrixTransform.TRANSPOSE):
        return None
    return _native.ProductStep(left, b.place, b.panels.columns, output.place)


@core(_product_step)
def multiplied(
    a: Array,
    b: Array,
    *,
    trans_a: MatrixTransform,
    trans_b: MatrixTransform,
    out: Array | None = None,
) -> Array:
    """Return the products of pairs of matrices."""
    if trans_a == MatrixTransform.TRANSPOSE:
        a = a.swapaxes(-1, -2)
    if trans_b == MatrixTransform.TRANSPOSE:
        b = b.swapaxes(-1, -2)
    return contract(a, b, out=out)


@operator(
    "GEMM",
    "gemm",
    sizes=_product,
    check=_matrices_fit,
    packs={"b_tensor": _packing},
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
    total = multiplied(a, b, trans_a=trans_a, trans_b=trans_b)
    if alpha != 1:
        total = total * np.float32(alpha)
    if c is None:
        return total
    addend = c.astype(np.float32)
    return total + (addend if beta == 1 else addend * np.float32(beta))
