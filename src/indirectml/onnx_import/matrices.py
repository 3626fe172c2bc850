"""Products of matrices."""

from __future__ import annotations

import math

import numpy as np

from indirectml.catalogue.enumerations import MatrixTransform, ReduceFunction
from indirectml.core.errors import ModelError
from indirectml.graphs.expressions import Expression, broadcast
from indirectml.onnx_import.bodies import Body, spelled
from indirectml.onnx_import.later import Postponed, Turned
from indirectml.onnx_import.nodes import Node, handler
from indirectml.onnx_import.values import (
    Shape,
    Value,
    merged_shapes,
    packed,
    transposed,
    viewed,
)
from indirectml.operators.functions import gemm, multiply, reduce

#: How many dimensions a product has before rows and columns.
_BATCH = 2

#: Products of integers, which GEMM has not, are sums of at most so many numbers in all.
_MOST_MULTIPLIED = 1 << 24

#: At most so many nodes take a column off a determinant.
_NODES_OF_A_STEP = 32


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
    if isinstance(value, Turned):
        return value.weights(node.graph)
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
    is_whole = a.dtype.kind in "iu"
    x = a.expression(node.graph)
    y = b.expression(node.graph) if is_whole else weights_of(node, b)
    if math.prod(b_batch) == 1 and not is_whole:
        # One matrix on the right: all rows of the left are one matrix.
        flat = gemm(viewed(x, (math.prod(batch) * rows, inner)), viewed(y, (inner, columns)))
        return flat, shape
    sizes = merged_shapes(whole) if length else whole
    parts = [
        viewed(x, (*sizes[0], rows, inner)),
        viewed(y, (*sizes[1], inner, columns)),
    ]
    common = tuple(map(max, *sizes))
    parts = [broadcast(each, (*common, *each.shape[-2:])) for each in parts]
    if len(common) > _BATCH:
        count = math.prod(common)
        parts = [viewed(packed(each), (count, *each.shape[-2:])) for each in parts]
    return (_multiplied_integers if is_whole else gemm)(*parts), shape


def _multiplied_integers(a: Expression, b: Expression) -> Expression:
    """Return products of matrices of integers, exact modulo 2^bits: DirectML's GEMM is of floats.

    Raises
    ------
    ModelError
        They have more elements than are worth it.
    """
    *batch, rows, inner = a.shape
    columns = b.shape[-1]
    count = math.prod((*batch, rows, inner, columns))
    if count > _MOST_MULTIPLIED:
        raise ModelError(
            f"needs floats, or sums of at most {_MOST_MULTIPLIED} products of integers in all",
            given=f"{count} of {a.dtype}",
            hint="export it in FLOAT32, or as MatMulInteger of INT8",
        )
    sizes = (*batch, rows, inner, columns)
    x = broadcast(viewed(packed(a), (*batch, rows, inner, 1)), sizes)
    y = broadcast(viewed(packed(b), (*batch, 1, inner, columns)), sizes)
    total = reduce(multiply(x, y), function=ReduceFunction.SUM, axes=[len(batch) + 1])
    return viewed(total, (*batch, rows, columns))


# ---- determinants ----


@spelled("Det", domain="")
def determinant(b: Body, x: str) -> str:
    """Return the determinants of matrices: the product of the pivots of elimination by rows.

    Each is the first of the largest of its column, as LAPACK chooses it.
    """
    *batch, size, width = b.shape(0)
    if size != width:
        raise ModelError("needs square matrices", given=f"{b.shape(0)}")
    count = math.prod(batch)
    b.node.graph.budget.check_nodes(size * _NODES_OF_A_STEP)
    one, zero = b.constant(np.ones((1, 1, 1)), b.dtype(0)), b.constant(0, b.dtype(0))
    y = b.reshape(x, count, size, size)
    product = b("Expand", one, b.constant((count, 1, 1), np.int64))
    for left in range(size, 0, -1):
        cut = b.constant([1, left - 1], np.int64) if left > 1 else ""
        column = b.several("Split", 2, y, cut, axis=2)[0] if cut else y
        place = b("ArgMax", b("Abs", column), axis=1, keepdims=1)
        wide = b("Expand", place, b.constant((count, 1, left), np.int64))
        row = b("GatherElements", y, wide, axis=1)
        pivot = b.several("Split", 2, row, cut, axis=2)[0] if cut else row
        is_first = b("Equal", place, b.constant(0, np.int64))
        product = b("Mul", product, b("Where", is_first, pivot, b("Neg", pivot)))
        if not cut:
            break
        top, below = b.several("Split", 2, y, cut, axis=1)
        numbers = b.constant(np.arange(1, left).reshape(1, -1, 1), np.int64)
        below = b("Where", b("Equal", numbers, place), top, below)  # where the row was, the first
        head, rest = b.several("Split", 2, below, cut, axis=2)
        tail = b.several("Split", 2, row, cut, axis=2)[1]
        # Of a column of zeros alone nothing is taken off, and the product is 0 by now.
        divisor = b("Where", b("Equal", pivot, zero), one, pivot)
        y = b("Sub", rest, b("Mul", b("Div", head, divisor), tail))
    return b.reshape(product, *batch)
