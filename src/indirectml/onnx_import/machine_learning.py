"""Operators of ai.onnx.ml, which converters of scikit-learn write: linear models, scales, trees.

They are spelled in ONNX's own operators. All trees of an ensemble go down at once, a level after
the other: what a node looks at, and where it leads, are tables, and a leaf leads to itself.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from indirectml.core.errors import ModelError, shown
from indirectml.onnx_import.bodies import Body, one_of, spelled
from indirectml.onnx_import.nodes import Node
from indirectml.onnx_import.values import Array

DOMAIN = "ai.onnx.ml"

F32 = np.float32

#: ONNX's numbers of data types.
_INT64, _BOOL = 7, 9

_RANK = 2


def _floats(b: Body, x: str) -> str:
    return x if b.dtype(0) == F32 else b.cast(x, F32)


def rows_of(b: Body, x: str) -> tuple[str, int, int]:
    """Return an input as FLOAT32 with a row for each observation, and its sizes.

    Raises
    ------
    ModelError
        It has no rows.
    """
    shape = b.shape(0)
    if len(shape) not in (1, _RANK):
        raise ModelError("needs rows of features", given=f"{list(shape)}")
    count, width = (1, *shape)[-_RANK:]
    return b.reshape(_floats(b, x), count, width), count, width


@spelled("Scaler", domain=DOMAIN)
def scaled(b: Body, x: str) -> str:
    """Return (x - offset) * scale, a number for each feature or one for all."""
    y = _floats(b, x)
    for operator, name in (("Sub", "offset"), ("Mul", "scale")):
        numbers = b.node.attribute(name)
        if numbers:
            y = b(operator, y, b.constant(numbers, F32))
    return y


@spelled("Normalizer", domain=DOMAIN)
def normalized(b: Body, x: str) -> str:
    """Return rows divided by their largest element, or norm, where that is not 0."""
    norm = one_of(b.node, "norm", "MAX", ("MAX", "L1", "L2"))
    y, axes = _floats(b, x), b.constant([-1], np.int64)
    operator = {"MAX": "ReduceMax", "L1": "ReduceL1", "L2": "ReduceL2"}[norm]
    size = b(operator, y, axes)
    is_zero = b("Equal", size, b.constant(0, F32))
    return b("Div", y, b("Where", is_zero, b.constant(1, F32), size))


# ---- what becomes of scores ----


def _transformed(b: Body, y: str, count: int) -> str:
    """Return scores as `post_transform` says."""
    kind = b.node.attribute("post_transform", "NONE")
    if kind in ("NONE", "LOGISTIC"):
        return y if kind == "NONE" else b("Sigmoid", y)
    if kind == "SOFTMAX" and count > 1:
        return b("Softmax", y, axis=-1)
    needs = "needs NONE or LOGISTIC, or SOFTMAX of several scores"
    raise ModelError(needs, given=shown(kind), field="attribute post_transform")


def labels_of(node: Node, prefix: str) -> list[int]:
    """Return the numbers that classes are called.

    Raises
    ------
    ModelError
        They are called by text.
    """
    if node.attribute(f"{prefix}_strings"):
        raise ModelError(
            "needs classes that are numbers", given="text",
            hint="convert the model with numbers for classes, and look their names up behind it",
        )  # fmt: skip
    return list(node.attribute(f"{prefix}_int64s") or node.attribute(f"{prefix}_ints") or ())


def _classified(
    b: Body, y: str, labels: Sequence[int], count: int, seen: str = ""
) -> tuple[str, str]:
    """Return the label of the largest score of each row, of those that are seen, and the scores."""
    if count != len(labels):
        raise ModelError("needs a score for each class", given=f"{count} for {len(labels)} classes")
    some = b("Where", seen, y, b.constant(-np.inf, F32)) if seen else y
    place = b("ArgMax", some, axis=1, keepdims=0)
    return b("Gather", b.constant(labels, np.int64), place), _transformed(b, y, count)


def _classified_by_one(
    b: Body, y: str, labels: Sequence[int], *, limit: float, is_share: bool
) -> tuple[str, str]:
    """Return the second label where its score is above a limit, and the scores of both.

    That of the first is what is left of 1 for a share, and else of the other sign.
    """
    is_second = b("Greater", b("Squeeze", y, b.constant([1], np.int64)), b.constant(limit, F32))
    place = b("Cast", is_second, to=_INT64)
    is_rest = is_share and b.node.attribute("post_transform", "NONE") == "NONE"
    other = b("Sub", b.constant(1, F32), y) if is_rest else b("Neg", y)
    scores = _transformed(b, b("Concat", other, y, axis=1), 1)
    return b("Gather", b.constant(labels, np.int64), place), scores


# ---- linear models ----


def _linear(b: Body, x: str, count: int) -> str:
    """Return products of rows with coefficients, a row for each score, plus intercepts."""
    y, _, width = rows_of(b, x)
    weights = np.array(b.node.attribute("coefficients"), F32)
    if not count or weights.size != count * width:
        raise ModelError(
            f"needs {width} coefficients for each score", given=f"{weights.size} of {count} scores"
        )
    y = b("MatMul", y, b.constant(weights.reshape(count, width).T))
    intercepts = b.node.attribute("intercepts")
    return b("Add", y, b.constant(intercepts, F32)) if intercepts else y


@spelled("LinearRegressor", domain=DOMAIN)
def regressed(b: Body, x: str) -> str:
    """Return a linear function of each row."""
    count = b.node.attribute("targets", 1)
    return _transformed(b, _linear(b, x, count), count)


@spelled("LinearClassifier", domain=DOMAIN)
def classified(b: Body, x: str) -> tuple[str, str]:
    """Return the class of the largest linear function of each row, and these."""
    labels = labels_of(b.node, "classlabels")
    count = len(b.node.attribute("intercepts") or labels)
    y = _linear(b, x, count)
    if (count, len(labels)) == (1, 2):
        return _classified_by_one(b, y, labels, limit=0, is_share=True)
    return _classified(b, y, labels, count)


# ---- trees ----

_COMPARISONS = {
    "BRANCH_LEQ": "LessOrEqual",
    "BRANCH_LT": "Less",
    "BRANCH_GTE": "GreaterOrEqual",
    "BRANCH_GT": "Greater",
    "BRANCH_EQ": "Equal",
}


class _Trees(NamedTuple):
    """Tables of all nodes; the places of roots and of all, how deep they go, how nodes compare."""

    features: Array
    values: Array
    when_true: Array
    when_false: Array
    missing: Array
    roots: list[int]
    depth: int
    comparison: str
    places: dict[Any, int]


def _listed(node: Node, prefix: str, *names: str) -> list[list[Any]]:
    """Return attributes that have as many values as the first of them.

    Raises
    ------
    ModelError
        One has others.
    """
    found = [list(node.attribute(f"{prefix}_{name}") or ()) for name in names]
    count = len(found[0])
    for name, own in zip(names, found, strict=True):
        if len(own) != count or not count:
            field = f"attribute {prefix}_{name}"
            raise ModelError(f"needs {count or 'some'} values", given=f"{len(own)}", field=field)
    return found


def _trees(node: Node) -> _Trees:
    """Return the tables of trees whose nodes are named by tree and number.

    Raises
    ------
    ModelError
        A node leads to none, or to one above it, or nodes compare in several ways.
    """
    trees, numbers, features, values, modes, *to = _listed(
        node, "nodes", "treeids", "nodeids", "featureids", "values", "modes", "truenodeids",
        "falsenodeids",
    )  # fmt: skip
    count = len(trees)
    node.graph.budget.take_objects(16 * count)
    names = list(zip(trees, numbers, strict=True))
    places = {name: place for place, name in enumerate(names)}
    kinds = sorted({mode for mode in modes if mode != "LEAF"})
    if len(kinds) > 1 or any(kind not in _COMPARISONS for kind in kinds):
        needs = f"needs nodes that all compare in one of the ways {', '.join(_COMPARISONS)}"
        raise ModelError(needs, given=", ".join(kinds), field="attribute nodes_modes")
    leads = np.tile(np.arange(count), (2, 1))
    for lead, own in zip(leads, to, strict=True):
        for place, number in enumerate(own):
            if modes[place] != "LEAF":
                lead[place] = places.get((trees[place], number), -1)
    inner = np.array([mode != "LEAF" for mode in modes])
    if leads.min(initial=0) < 0:
        raise ModelError("needs nodes that lead to nodes of their tree", given="others")
    below = set(leads[:, inner].ravel().tolist())
    roots = [place for place in range(count) if place not in below]
    depth, level = 0, np.array(roots, np.intp)
    is_reached = np.zeros(count, bool)
    is_reached[level] = True
    while inner[level].any() and depth <= count:
        level, depth = np.unique(leads[:, level[inner[level]]]), depth + 1
        is_reached[level] = True
    if depth > count or not is_reached.all():
        raise ModelError("needs trees that end", given="nodes that lead to one above")
    missing = node.attribute("nodes_missing_value_tracks_true") or [0] * count
    return _Trees(
        np.array(features, np.int64),
        np.array(values, F32),
        leads[0],
        leads[1],
        np.array(missing, bool) & inner,
        roots,
        depth,
        _COMPARISONS[kinds[0]] if kinds else "Less",
        places,
    )


def _leaves(b: Body, x: str) -> tuple[str, dict[Any, int]]:
    """Return the leaf of each tree that each row comes to, and where nodes are by tree and number.

    Raises
    ------
    ModelError
        As `_trees`, or thresholds are FLOAT64.
    """
    node = b.node
    if node.attribute("nodes_values_as_tensor") is not None:
        raise ModelError("needs trees of FLOAT32", given="FLOAT64")
    y, rows, _ = rows_of(b, x)
    trees = _trees(node)
    features, values, *leads = map(b.constant, trees[:4])
    missing = b.constant(trees.missing) if trees.missing.any() else ""
    width = len(trees.roots)
    at = b("Expand", b.constant([trees.roots], np.int64), b.constant([rows, width], np.int64))
    for _ in range(trees.depth):
        number = b("GatherElements", y, b("Gather", features, at), axis=1)
        is_true = b(trees.comparison, number, b("Gather", values, at))
        if missing:
            is_true = b("Or", is_true, b("And", b("IsNaN", number), b("Gather", missing, at)))
        to = [b("Gather", table, at) for table in leads]
        at = b("Where", is_true, *to)
    return at, trees.places


def _ensemble(b: Body, x: str, prefix: str, count: int) -> tuple[str, str]:
    """Return the scores of the leaves of all trees for each row, and which have one, "" for all."""
    node = b.node
    at, places = _leaves(b, x)
    weights = np.zeros((len(places), count), F32)
    is_there = np.zeros(weights.shape, np.uint8)
    parts = _listed(node, prefix, "treeids", "nodeids", "ids", "weights")
    for tree, number, target, weight in zip(*parts, strict=True):
        if (tree, number) not in places or not 0 <= target < count:
            raise ModelError("needs scores of nodes that there are, for targets that there are",
                             given=f"node {number} of tree {tree}, target {target}")  # fmt: skip
        weights[places[tree, number], target] += F32(weight)
        is_there[places[tree, number], target] = 1
    trees = b.constant([1], np.int64)
    how = one_of(node, "aggregate_function", "SUM", ("SUM", "AVERAGE", "MIN", "MAX"))
    operator = {"SUM": "ReduceSum", "AVERAGE": "ReduceMean", "MIN": "ReduceMin", "MAX": "ReduceMax"}
    y = b(operator[how], b("Gather", b.constant(weights), at, axis=0), trees, keepdims=0)
    seen = ""
    if any(is_there[place].any() and not is_there[place].all() for place in range(len(places))):
        most = b("ReduceMax", b("Gather", b.constant(is_there), at, axis=0), trees, keepdims=0)
        seen = b("Cast", most, to=_BOOL)
    base = node.attribute("base_values")
    return b("Add", y, b.constant(base, F32)) if base else y, seen


@spelled("TreeEnsembleRegressor", domain=DOMAIN)
def regressed_by_trees(b: Body, x: str) -> str:
    """Return what the leaves of trees say of each row, together."""
    count = b.node.attribute("n_targets", 1)
    y, _ = _ensemble(b, x, "target", count)
    return _transformed(b, y, count)


@spelled("TreeEnsembleClassifier", domain=DOMAIN)
def classified_by_trees(b: Body, x: str) -> tuple[str, str]:
    """Return the class that most leaves of trees are for, and the scores of all."""
    labels = labels_of(b.node, "classlabels")
    count = len(labels)
    y, seen = _ensemble(b, x, "class", count)
    used = set(b.node.attribute("class_ids") or ())
    if count == 2 and len(used) == 1:  # noqa: PLR2004 (one score says both)
        y = b("Gather", y, b.constant([used.pop()], np.int64), axis=1)
        is_share = min(b.node.attribute("class_weights")) >= 0
        limit = 0.5 if is_share else 0.0
        return _classified_by_one(b, y, labels, limit=limit, is_share=is_share)
    return _classified(b, y, labels, count, seen)
