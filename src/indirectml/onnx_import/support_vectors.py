"""Support vectors of ai.onnx.ml, spelled in ONNX's own operators: kernels of rows, and votes."""

from __future__ import annotations

import itertools

import numpy as np

from indirectml.core.errors import ModelError, shown
from indirectml.onnx_import.bodies import Body, one_of, spelled
from indirectml.onnx_import.machine_learning import DOMAIN, F32, labels_of, rows_of
from indirectml.onnx_import.values import Array

_KERNELS = ("LINEAR", "POLY", "RBF", "SIGMOID")

#: Classes of which one score says both.
_PAIR = 2


def _kernel(b: Body, y: str, vectors: Array) -> str:
    """Return the kernel of each row with each vector.

    Raises
    ------
    ModelError
        Its parameters are not three numbers.
    """
    kind = one_of(b.node, "kernel_type", "LINEAR", _KERNELS)
    if kind == "RBF":
        gamma, _, _ = _parameters(b)
        wide = b("Unsqueeze", y, b.constant([1], np.int64))
        apart = b("Sub", wide, b.constant(vectors))
        squares = b("ReduceSumSquare", apart, b.constant([2], np.int64), keepdims=0)
        return b("Exp", b("Mul", squares, b.constant(-gamma, F32)))
    product = b("MatMul", y, b.constant(vectors.T))
    if kind == "LINEAR":
        return product
    gamma, offset, degree = _parameters(b)
    product = b("Add", b("Mul", product, b.constant(gamma, F32)), b.constant(offset, F32))
    return b("Tanh", product) if kind == "SIGMOID" else b("Pow", product, b.constant(degree, F32))


def _parameters(b: Body) -> tuple[float, float, float]:
    found = list(b.node.attribute("kernel_params") or [])
    if len(found) != 3:  # noqa: PLR2004 (gamma, offset, degree)
        raise ModelError("needs 3 numbers", given=shown(found), field="attribute kernel_params")
    gamma, offset, degree = found
    return gamma, offset, degree


def _vectors(b: Body, count: int, width: int) -> Array:
    """Return the support vectors, in rows.

    Raises
    ------
    ModelError
        They have not as many elements.
    """
    numbers = np.array(b.node.attribute("support_vectors") or (), F32)
    if numbers.size != count * width:
        needs = f"needs {count} vectors of {width} numbers"
        raise ModelError(needs, given=f"{numbers.size}", field="attribute support_vectors")
    return numbers.reshape(count, width)


def _numbers(b: Body, name: str, count: int) -> Array:
    """Return an attribute of some numbers.

    Raises
    ------
    ModelError
        It has others.
    """
    found = np.array(b.node.attribute(name) or (), F32)
    if found.size != count:
        raise ModelError(f"needs {count} numbers", given=f"{found.size}", field=f"attribute {name}")
    return found


@spelled("SVMRegressor", domain=DOMAIN)
def regressed(b: Body, x: str) -> str:
    """Return kernels of rows with support vectors, weighted and added up; the sign for one class.

    Without vectors it is a linear function.
    """
    y, _, width = rows_of(b, x)
    one_of(b.node, "post_transform", "NONE", ("NONE",))
    count = b.node.attribute("n_supports", 0)
    if count:
        weights = _numbers(b, "coefficients", count)
        y = _kernel(b, y, _vectors(b, count, width))
    else:
        weights = _numbers(b, "coefficients", width)
    y = b("MatMul", y, b.constant(weights.reshape(-1, 1)))
    y = b("Add", y, b.constant(_numbers(b, "rho", 1)))
    if not b.node.attribute("one_class", 0):
        return y
    one = np.ones((), F32)
    return b("Where", b("Greater", y, b.constant(0, F32)), b.constant(one), b.constant(-one))


@spelled("SVMClassifier", domain=DOMAIN)
def classified(b: Body, x: str) -> tuple[str, str]:
    """Return the class that most pairs vote for, the first of several, and a score of each pair.

    Raises
    ------
    ModelError
        It makes probabilities, is linear without vectors, or has fewer than none.
    """
    labels = labels_of(b.node, "classlabels")
    counts = list(b.node.attribute("vectors_per_class") or ())
    if b.node.attribute("prob_a") or len(counts) != len(labels) or len(labels) < _PAIR:
        raise ModelError(
            "needs support vectors of each class, and scores of pairs",
            given="probabilities" if b.node.attribute("prob_a") else f"{len(counts)} classes",
            hint="convert the model with probability=False",
        )
    if min(counts) < 0:
        field = "attribute vectors_per_class"
        raise ModelError("needs counts", given=shown(counts), field=field)
    one_of(b.node, "post_transform", "NONE", ("NONE",))
    y, _, width = rows_of(b, x)
    ends = [0, *itertools.accumulate(counts)]
    total = ends[-1]
    pairs = list(itertools.combinations(range(len(labels)), 2))
    given = _numbers(b, "coefficients", total * (len(labels) - 1)).reshape(-1, total)
    weights, votes = np.zeros((total, len(pairs)), F32), np.zeros((len(pairs), 2), np.int64)
    for number, (i, j) in enumerate(pairs):
        votes[number] = i, j
        for own, other in ((i, j - 1), (j, i)):
            part = slice(ends[own], ends[own + 1])
            weights[part, number] = given[other, part]
    kernels = _kernel(b, y, _vectors(b, total, width))
    scores = b("Add", b("MatMul", kernels, b.constant(weights)), b.constant(
        _numbers(b, "rho", len(pairs))
    ))  # fmt: skip
    is_first = b("Greater", scores, b.constant(0, F32))
    won = b("Where", is_first, b.constant(votes[:, 0]), b.constant(votes[:, 1]))
    is_of = b("Equal", b("Unsqueeze", won, b.constant([2], np.int64)),
              b.constant(np.arange(len(labels))))  # fmt: skip
    sums = b("ReduceSum", b.cast(is_of, np.int64), b.constant([1], np.int64), keepdims=0)
    place = b("ArgMax", sums, axis=1, keepdims=0)
    if len(labels) == _PAIR:
        scores = b("Concat", b("Neg", scores), scores, axis=1)
    return b("Gather", b.constant(labels, np.int64), place), scores
