"""Pooling: the largest, the average and the norm of windows, and of all spatial elements."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from indirectml.catalogue.enumerations import ReduceFunction
from indirectml.core.errors import ModelError, shown
from indirectml.graphs.expressions import Expression, new_tensor
from indirectml.onnx_import.nodes import Node, Results, handler
from indirectml.onnx_import.values import Shape, Value, number_like, viewed
from indirectml.onnx_import.windows import Windows, windows_of
from indirectml.operators import descriptor_class
from indirectml.operators.functions import (
    add,
    average_pooling,
    cast,
    divide,
    lp_pooling,
    max_pooling,
    modulus_floor,
    multiply,
    padding,
    reduce,
)

#: The fewest spatial dimensions that DirectML pools.
_FEWEST = 2


def _pooled(node: Node) -> tuple[Expression, Windows]:
    """Return the input, with two spatial dimensions where it has one, and its windows."""
    value = node.value(0)
    if value.rank <= 2:  # noqa: PLR2004 (batch and channels)
        raise ModelError("needs at least 3 dimensions", given=f"{list(value.shape)}")
    kernel = node.attribute("kernel_shape")
    windows = windows_of(node, value.shape[2:], kernel)
    x = node.expression(0)
    if value.rank - 2 >= _FEWEST:
        return x, windows
    widened = Windows(
        (1, *windows.size),
        (1, *windows.strides),
        (1, *windows.dilations),
        (0, *windows.start),
        (0, *windows.end),
        (0, *windows.extra),
    )
    return viewed(x, _widened(value.shape)), widened


def _widened(shape: Shape) -> Shape:
    return (*shape[:2], *(1,) * (_FEWEST - len(shape) + 2), *shape[2:])


def _narrowed(node: Node, result: Expression) -> Value:
    """Return what has one spatial dimension again where the input has one."""
    shape = result.shape
    rank = node.value(0).rank
    return node.made(result, shape if len(shape) == rank else (*shape[:2], *shape[3:]))


@handler("MaxPool")
def largest(node: Node) -> Results:
    """Return the largest elements of windows, and their numbers."""
    x, windows = _pooled(node)
    found = max_pooling(
        x,
        output_indices=node.wants(1),
        strides=windows.strides,
        window_sizes=windows.size,
        start_padding=windows.start,
        end_padding=windows.whole_end,
        dilations=windows.dilations,
    )
    values = _narrowed(node, found.values)
    if found.indices is None:
        return values
    indices = cast(found.indices, dtype=np.int64)
    if node.attribute("storage_order"):
        indices = _by_columns(indices, node.value(0).shape[2:])
    return values, _narrowed(node, indices)


def _by_columns(indices: Expression, sizes: Shape) -> Expression:
    """Return numbers that count the first spatial dimension fastest."""
    if len(sizes) > _FEWEST:
        raise ModelError("needs at most 2 spatial dimensions by columns", given=f"{len(sizes)}")
    if len(sizes) < _FEWEST:
        return indices
    height, width = (number_like(indices, size) for size in sizes)
    row = divide(indices, width)
    column = modulus_floor(indices, width)
    images = multiply(divide(row, height), number_like(indices, math.prod(sizes)))
    return add(add(images, multiply(column, height)), modulus_floor(row, height))


@handler("AveragePool", since=7)
def averages(node: Node) -> Value:
    """Return the averages of windows; padding counts if the node says so."""
    x, windows = _pooled(node)
    fields: dict[str, Any] = {
        "strides": windows.strides,
        "window_sizes": windows.size,
        "dilations": windows.dilations,
    }
    counts = bool(node.attribute("count_include_pad"))
    if counts and any(windows.extra):
        # Of the padding only what the node itself has counts: it becomes elements.
        zeros = (0, 0)
        x = padding(x, start_padding=zeros + windows.start, end_padding=zeros + windows.end)
        none = (0,) * len(windows.start)
        fields |= {"start_padding": none, "end_padding": windows.extra}
        return _narrowed(node, average_pooling(x, **fields))
    fields |= {"start_padding": windows.start, "end_padding": windows.whole_end}
    return _narrowed(node, average_pooling(x, include_padding=counts, **fields))


@handler("LpPool", since=2)
def norms(node: Node) -> Value:
    """Return the norms of windows."""
    x, windows = _pooled(node)
    return _narrowed(
        node,
        lp_pooling(
            x,
            strides=windows.strides,
            window_sizes=windows.size,
            start_padding=windows.start,
            end_padding=windows.whole_end,
            dilations=windows.dilations,
            p=node.attribute("p", 2),
        ),
    )


@handler("MaxUnpool")
def unpooled(node: Node) -> Value:
    """Return zeros with elements at the places that indices name."""
    value = node.value(0)
    windows = windows_of(node, value.shape[2:], node.attribute("kernel_shape"))
    sizes = [
        (size - 1) * stride - start - end + window
        for size, stride, start, end, window in zip(
            value.shape[2:], windows.strides, windows.start, windows.end, windows.size, strict=True
        )
    ]
    full = (*value.shape[:2], *sizes)
    x = viewed(node.expression(0), _widened(value.shape))
    indices = viewed(cast(node.expression(1), dtype=np.uint32), x.shape)
    made = _unpooled(x, indices, _widened(full))
    if not node.has(2):
        return node.made(made, full)
    asked = node.integers(2)
    more = [a - b for a, b in zip(asked, full, strict=True)]
    if any(number < 0 for number in more):
        raise ModelError(f"needs sizes of at least {list(full)}", given=shown(asked))
    end = (*more[:2], *(0,) * (len(made.shape) - len(more)), *more[2:])
    return node.made(padding(made, start_padding=(0,) * len(end), end_padding=end), asked)


def _unpooled(x: Expression, indices: Expression, sizes: Sequence[int]) -> Expression:
    output = new_tensor(x, sizes)
    desc = descriptor_class("MAX_UNPOOLING")(x.desc, indices.desc, output)
    return x.graph.add_node(desc, x, indices)[0]


_GLOBAL = {
    "GlobalAveragePool": ReduceFunction.AVERAGE,
    "GlobalMaxPool": ReduceFunction.MAX,
}


@handler(*_GLOBAL)
def of_all(node: Node) -> Value:
    """Return the average or the largest of all spatial elements."""
    axes = range(2, node.value(0).rank)
    return Value(reduce(node.expression(0), function=_GLOBAL[node.operator], axes=tuple(axes)))


@handler("GlobalLpPool", since=2)
def norm_of_all(node: Node) -> Value:
    """Return the norm of all spatial elements."""
    value = node.value(0)
    p = node.attribute("p", 2)
    known = {1: ReduceFunction.L1, 2: ReduceFunction.L2}
    if p in known:
        axes = tuple(range(2, value.rank))
        return Value(reduce(node.expression(0), function=known[p], axes=axes))
    count = math.prod(value.shape[2:])
    x = viewed(node.expression(0), (*value.shape[:2], 1, count))
    made = lp_pooling(x, strides=(1, 1), window_sizes=(1, count), p=p)
    return node.made(made, (*value.shape[:2], *(1,) * (value.rank - 2)))
