"""Einsum: sums of products over dimensions that letters name, by GEMM, two tensors at a time."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from indirectml.catalogue.enumerations import ReduceFunction
from indirectml.core.errors import ModelError, shown
from indirectml.graphs.expressions import Expression, broadcast, reinterpret
from indirectml.onnx_import.nodes import Node, handler
from indirectml.onnx_import.values import Value, packed, transposed, viewed
from indirectml.operators.functions import gemm, multiply, reduce

#: Letters of the equation, and numbers for the dimensions that an ellipsis stands for.
Labels = tuple[str, ...]

_TERM = re.compile(r"[A-Za-z]*(\.\.\.)?[A-Za-z]*")


@dataclass(frozen=True)
class _Term:
    """A tensor whose dimensions have labels, each once."""

    x: Expression
    labels: Labels

    def size(self, labels: Iterable[str]) -> int:
        """Return the number of elements along some dimensions."""
        return math.prod(self.x.shape[self.labels.index(label)] for label in labels)

    def ordered(self, labels: Sequence[str]) -> Expression:
        """Return the tensor with its dimensions in the order of labels, which are its own."""
        if not labels:
            return self.x
        return transposed(self.x, [self.labels.index(label) for label in labels])

    def summed(self, labels: Iterable[str]) -> _Term:
        """Return the sums along dimensions, without them."""
        axes = sorted(self.labels.index(label) for label in labels)
        if not axes:
            return self
        rest = tuple(k for k in range(len(self.labels)) if k not in axes)
        x = reduce(packed(self.x), function=ReduceFunction.SUM, axes=axes)
        sizes = [x.shape[k] for k in rest]
        return _Term(viewed(x, sizes or [1]), tuple(self.labels[k] for k in rest))


@handler("Einsum", since=12)
def summed_products(node: Node) -> Value:
    """Return the sums of products that an equation says."""
    equation = node.attribute("equation").replace(" ", "")
    values = [node.value(k) for k in range(len(node.inputs))]
    labels, output = parsed(equation, [value.rank for value in values])
    sizes: dict[str, int] = {}
    for value, own in zip(values, labels, strict=True):
        for label, size in zip(own, value.shape, strict=True):
            known = sizes.setdefault(label, size)
            if 1 not in (known, size) and known != size:
                raise ModelError(
                    f"needs one size for {label}", given=f"{known} and {size}", field="equation"
                )
            sizes[label] = max(known, size)
    terms = [
        _term(value.expression(node.graph), own, sizes)
        for value, own in zip(values, labels, strict=True)
    ]
    result = terms.pop(0)
    while terms:
        later = {label for term in terms[1:] for label in term.labels} | set(output)
        result = _multiplied(result, terms.pop(0), later)
    result = result.summed(set(result.labels) - set(output))
    shape = [sizes[label] for label in output]
    missing = [label for label in output if label not in result.labels]  # those of size 1
    x = viewed(result.x, (*(1,) * len(missing), *result.x.shape)) if missing else result.x
    final = _Term(x, (*missing, *result.labels))
    return node.made(packed(final.ordered(output)), shape)


def parsed(equation: str, ranks: Sequence[int]) -> tuple[list[Labels], Labels]:
    """Return the labels of each input, and of the output."""
    left, arrow, right = equation.partition("->")
    texts = left.split(",")
    if len(texts) != len(ranks) or not all(_TERM.fullmatch(t) for t in (*texts, right)):
        raise ModelError(
            f"needs letters for each of {len(ranks)} inputs, such as ij,jk->ik",
            given=shown(equation),
            field="equation",
        )
    most = 0
    for text, rank in zip(texts, ranks, strict=True):
        letters = len(text.replace("...", ""))
        if rank < letters or ("..." not in text and rank != letters):
            raise ModelError(
                f"needs as many letters as dimensions ({rank})", given=shown(text),
                field="equation",
            )  # fmt: skip
        most = max(most, rank - letters)
    found = [_labels(text, rank, most) for text, rank in zip(texts, ranks, strict=True)]
    if arrow:
        output = _labels(right, most + len(right.replace("...", "")), most)
    else:
        letters_once = sorted(letter for letter in set(left) - set(".,") if left.count(letter) == 1)
        output = (*_labels("...", most, most), *letters_once)
    if len(set(output)) != len(output) or not set(output) <= {a for own in found for a in own}:
        raise ModelError(
            "needs an output of letters of the inputs, each once", given=shown(right),
            field="equation",
        )  # fmt: skip
    return found, tuple(output)


def _labels(text: str, rank: int, most: int) -> Labels:
    """Return a label per dimension; those of an ellipsis are counted from the last one."""
    if "..." not in text:
        return tuple(text)
    before, behind = text.split("...")
    count = rank - len(before) - len(behind)
    return (*before, *(str(most - k) for k in range(count, 0, -1)), *behind)


def _term(x: Expression, labels: Labels, sizes: dict[str, int]) -> _Term:
    """Return a tensor without dimensions that repeat, and with diagonals where a label is twice."""
    strides: dict[str, int] = {}
    if len(labels):
        for label, size, stride in zip(labels, x.shape, x.desc.strides_in_memory, strict=True):
            if size == sizes[label]:
                strides[label] = strides.get(label, 0) + stride
    kept = {label: stride for label, stride in strides.items() if sizes[label] > 1}
    view = reinterpret(x, [sizes[k] for k in kept] or [1], list(kept.values()) or [1])
    return _Term(packed(view), tuple(kept))


def _multiplied(a: _Term, b: _Term, later: set[str]) -> _Term:
    """Return the product of two tensors, summed over what is not needed later."""
    a = a.summed(set(a.labels) - set(b.labels) - later)
    b = b.summed(set(b.labels) - set(a.labels) - later)
    both = [label for label in a.labels if label in b.labels]
    batch = [label for label in both if label in later]
    inner = [label for label in both if label not in later]
    rows = [label for label in a.labels if label not in both]
    columns = [label for label in b.labels if label not in both]
    labels = (*batch, *rows, *columns)
    shape = [a.size([k]) if k in a.labels else b.size([k]) for k in labels]
    count, m, n, depth = a.size(batch), a.size(rows), b.size(columns), a.size(inner)
    x = viewed(a.ordered([*batch, *rows, *inner]), (count, m, depth))
    y = viewed(b.ordered([*batch, *inner, *columns]), (count, depth, n))
    if inner and x.desc.data_type.is_float:
        result = gemm(x, y)
    else:
        whole = (count, m, depth, n)
        pairs = multiply(
            broadcast(viewed(x, (count, m, depth, 1)), whole),
            broadcast(viewed(y, (count, 1, depth, n)), whole),
        )
        result = reduce(pairs, function=ReduceFunction.SUM, axes=[2]) if inner else pairs
    return _Term(viewed(result, shape or [1]), labels)
