"""ONNX forms of products of matrices."""

from __future__ import annotations

from indirectml.catalogue.enumerations import MatrixTransform
from indirectml.onnx_export.building import Value
from indirectml.onnx_export.forms import Node, form


@form("GEMM")
def product(node: Node, a: Value, b: Value, c: Value | None) -> Value:
    """Gemm of one pair of matrices, MatMul of several, with factors that are not 1 around it.

    ONNX leaves the order of sums open.
    """
    build = node.b
    trans_a, trans_b = (node[name] == MatrixTransform.TRANSPOSE for name in ("trans_a", "trans_b"))
    alpha, beta = node["alpha"], node["beta"]
    sizes = node.sizes
    if all(size == 1 for size in sizes[:-2]):
        a, b = (build.reshape(x, x.sizes[-2:]) for x in (a, b))
        c = None if c is None else build.reshape(c, sizes[-2:])
        return build.add(
            "Gemm",
            a,
            b,
            c,
            sizes=sizes[-2:],
            transA=int(trans_a),
            transB=int(trans_b),
            alpha=float(alpha),
            beta=float(beta),
        )
    order = [*range(len(sizes) - 2), len(sizes) - 1, len(sizes) - 2]
    if trans_a:
        a = build.transpose(a, order)
    if trans_b:
        b = build.transpose(b, order)
    total = build.add("MatMul", a, b, sizes=sizes)
    if alpha != 1:
        total = build.add("Mul", total, float(alpha))
    if c is None:
        return total
    return build.add("Add", total, c if beta == 1 else build.add("Mul", c, float(beta)))
