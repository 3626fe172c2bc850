"""Products of matrices."""

from __future__ import annotations

import math

from indirectml.catalogue.enumerations import MatrixTransform
from indirectml.core.errors import ModelError
from indirectml.graphs.expressions import Expression, broadcast
from indirectml.onnx_import.later import Postponed
from indirectml.onnx_import.nodes import Node, handler
from indirectml.onnx_import.values import (
    Shape,
    Value,
    merged_shapes,
    packed,
    transposed,
    viewed,
)
from indirectml.operators.functions import gemm

#: How many dimensions a product has before rows and columns.
_BATCH = 2


@handler("Gemm", since=7)
def general(node: Node) -> Value:
    """Return alpha * A B + beta * C, with A and B transposed if the node says so."""
    a = node.expression(0)
    is_turned = bool(node.attribute("transB"))
    b = weights_of(node, node.value(1), is_turned=is_turned)
    if len(a.shape) != _BATCH or len(b.shape) != _BATCH:
        raise ModelError("needs matrices", given=f"{list(a.shape)} and {list(b.shape)}")
    transforms = [
        MatrixTransform.TRANSPOSE if node.attribute(name) else MatrixTransform.NONE
        for name in ("transA", "transB")
    ]
    rows = a.shape[transforms[0] == MatrixTransform.TRANSPOSE]
    columns = b.shape[transforms[1] != MatrixTransform.TRANSPOSE]
    c = broadcast(node.expression(2), (rows, columns)) if node.has(2) else None
    result = gemm(
        a,
        b,
        c,
        trans_a=transforms[0],
        trans_b=transforms[1],
        alpha=node.attribute("alpha", 1.0),
        beta=node.attribute("beta", 1.0),
    )
    return Value(result)


def weights_of(node: Node, value: Value, *, is_turned: bool = False) -> Expression:
    """Return the right side of a product: what can wait stays as it is stored.

    With `is_turned` the product takes the transposed matrix.
    """
    found = None
    if isinstance(value, Postponed):
        own = value.turned() if is_turned else value
        found = own.weights(node.graph)
        if found is not None and is_turned:
            return transposed(found, (1, 0))
    return value.expression(node.graph) if found is None else found


@handler("MatMul")
def product(node: Node) -> Value:
    """Return products of matrices as NumPy's matmul has them, by GEMM."""
    return node.made(*multiplied(node, node.value(0), node.value(1)))


def multiplied(node: Node, a: Value, b: Value) -> tuple[Expression, Shape]:
    """Return the product of two tensors by GEMM, and ONNX's sizes of it.

    Raises
    ------
    ModelError
        Their sizes do not fit.
    """
    if not a.rank or not b.rank:
        raise ModelError("needs at least one dimension", given="a scalar")
    a_shape = (1, *a.shape) if a.rank == 1 else a.shape
    b_shape = (*b.shape, 1) if b.rank == 1 else b.shape
    rows, inner = a_shape[-2:]
    own, columns = b_shape[-2:]
    a_batch, b_batch = a_shape[:-2], b_shape[:-2]
    length = max(len(a_batch), len(b_batch))
    whole = [(1,) * (length - len(each)) + each for each in (a_batch, b_batch)]
    if inner != own or any(m != n and 1 not in (m, n) for m, n in zip(*whole, strict=True)):
        raise ModelError(
            "needs sizes that can be multiplied", given=f"{list(a.shape)} and {list(b.shape)}"
        )
    batch = tuple(map(max, *whole)) if length else ()
    shape = (*batch, *(() if a.rank == 1 else (rows,)), *(() if b.rank == 1 else (columns,)))
    x, y = a.expression(node.graph), weights_of(node, b)
    if math.prod(b_batch) == 1:
        # One matrix on the right: all rows of the left are one matrix.
        flat = gemm(viewed(x, (math.prod(batch) * rows, inner)), viewed(y, (inner, columns)))
        return flat, shape
    sizes = merged_shapes(whole)
    parts = [
        viewed(x, (*sizes[0], rows, inner)),
        viewed(y, (*sizes[1], inner, columns)),
    ]
    common = tuple(map(max, *sizes))
    parts = [broadcast(each, (*common, *each.shape[-2:])) for each in parts]
    if len(common) > _BATCH:
        count = math.prod(common)
        parts = [viewed(packed(each), (count, *each.shape[-2:])) for each in parts]
    return gemm(*parts), shape
