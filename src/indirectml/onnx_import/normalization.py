"""Normalization: by given or own moments, by norms, by neighbours."""

from __future__ import annotations

import math

import numpy as np

from indirectml.core.errors import ModelError, shown
from indirectml.graphs.expressions import Expression, new_tensor
from indirectml.onnx_import.nodes import BY_DEFINITION, Node, Results, counted_all, handler
from indirectml.onnx_import.values import Shape, Value, number_like, viewed
from indirectml.operators import descriptor_class
from indirectml.operators.functions import (
    add,
    batch_normalization,
    batch_normalization_training,
    cast,
    local_response_normalization,
    mean_variance_normalization,
    multiply,
)


def _of_channels(node: Node, index: int, rank: int) -> Expression:
    """Return an input of one number per channel in sizes that repeat along all else."""
    count = node.value(index).count
    return viewed(node.expression(index), (1, count, *(1,) * (rank - 2))[:rank])


def _like(x: Expression, number: Expression) -> Expression:
    """Return statistics in the data type of what they are applied to."""
    return number if number.dtype == x.dtype else cast(number, dtype=x.desc.data_type)


@handler("BatchNormalization", since=7)
def by_statistics(node: Node) -> Results:
    """Return a tensor normalized by given statistics; in training by its own, and both mixed."""
    value = node.value(0)
    if value.rank < 2:  # noqa: PLR2004 (batch and channels)
        raise ModelError("needs batch and channels", given=f"{list(value.shape)}")
    x = node.expression(0)
    scale, bias, mean, variance = (
        _like(x, _of_channels(node, index, value.rank)) for index in range(1, 5)
    )
    epsilon = node.attribute("epsilon", 1e-5)
    if node.attribute("training_mode") != 1:
        if any(node.wants(index) for index in range(1, 5)):
            raise ModelError("needs training_mode for statistics as outputs")
        return Value(batch_normalization(x, mean, variance, scale, bias, epsilon=epsilon))
    found = batch_normalization_training(x, scale, bias, epsilon=epsilon)
    momentum = node.attribute("momentum", 0.9)
    mixed = [
        node.made(_mixed(old, new, momentum), node.value(index).shape)
        for old, new, index in ((mean, found.mean, 3), (variance, found.variance, 4))
    ]
    return Value(found.output), *mixed


def _mixed(old: Expression, new: Expression, momentum: float) -> Expression:
    """Return old * momentum + new * (1 - momentum), rounded after every operation."""
    kept = multiply(old, number_like(old, momentum))
    return add(kept, multiply(_like(old, new), number_like(old, 1 - momentum)))


@handler("InstanceNormalization", since=6)
def by_moments_of_channels(node: Node) -> Value:
    """Return each channel of each image normalized by its own moments."""
    value = node.value(0)
    scale, bias = (_of_channels(node, index, value.rank) for index in (1, 2))
    return Value(
        mean_variance_normalization(
            node.expression(0),
            scale,
            bias,
            axes=tuple(range(2, value.rank)),
            epsilon=node.attribute("epsilon", 1e-5),
        )
    )


@handler("GroupNormalization", since=18)
def by_moments_of_groups(node: Node) -> Value:
    """Return groups of channels normalized by their moments; scale and bias are theirs."""
    return _grouped(node, per_channel=False)


@handler("GroupNormalization", since=21)
def by_moments_of_groups_with_scaled_channels(node: Node) -> Value:
    """Return groups of channels normalized by their moments; scale and bias are the channels'."""
    return _grouped(node, per_channel=True)


def _grouped(node: Node, *, per_channel: bool) -> Value:
    value = node.value(0)
    groups = node.attribute("num_groups")
    batch, channels, *spatial = value.shape
    if groups < 1 or channels % groups:
        raise ModelError(f"needs groups that divide {channels} channels", given=f"{groups}")
    x = viewed(node.expression(0), (batch, groups, channels // groups, math.prod(spatial)))
    sizes = (1, groups, channels // groups if per_channel else 1, 1)
    scale, bias = (viewed(node.expression(index), sizes) for index in (1, 2))
    made = mean_variance_normalization(
        x, scale, bias, axes=(2, 3), epsilon=node.attribute("epsilon", 1e-5)
    )
    return node.made(made, value.shape)


def _trailing(node: Node, index: int, shape: Shape) -> Expression | None:
    """Return scale or bias of the last dimensions in sizes that repeat along all others."""
    if not node.has(index):
        return None
    value = node.value(index)
    return viewed(value.expression(node.graph), (1,) * (len(shape) - value.rank) + value.shape)


@handler("LayerNormalization", since=17)
def by_moments_of_rows(node: Node) -> Results:
    """Return rows normalized by their moments; moments as outputs are made as ONNX says."""
    if node.wants(1) or node.wants(2):
        return BY_DEFINITION
    return _rows(node, has_mean=True)


@handler("RMSNormalization", since=23)
def by_squares_of_rows(node: Node) -> Value:
    """Return rows normalized by the root of the mean of their squares."""
    return _rows(node, has_mean=False)


def _rows(node: Node, *, has_mean: bool) -> Value:
    value = node.value(0)
    axes = tuple(range(node.axis(value.rank, default=-1), value.rank))
    x = node.expression(0)
    scale, bias = (_trailing(node, index, value.shape) for index in (1, 2))
    return Value(
        mean_variance_normalization(
            x,
            None if scale is None else _like(x, scale),
            None if bias is None else _like(x, bias),
            axes=axes,
            normalize_mean=has_mean,
            epsilon=node.attribute("epsilon", 1e-5),
        )
    )


@handler("MeanVarianceNormalization", since=9)
def by_moments(node: Node) -> Value:
    """Return a tensor normalized by its moments along axes."""
    axes = counted_all(node.attribute("axes", [0, 2, 3]), node.value(0).rank)
    return Value(mean_variance_normalization(node.expression(0), axes=axes, epsilon=1e-9))


@handler("LRN")
def by_neighbours(node: Node) -> Value:
    """Return elements normalized by the same of neighbouring channels."""
    value = node.value(0)
    if value.rank < 2:  # noqa: PLR2004 (batch and channels)
        raise ModelError("needs batch and channels", given=f"{list(value.shape)}")
    batch, channels, *spatial = value.shape
    made = local_response_normalization(
        viewed(node.expression(0), (batch, channels, 1, math.prod(spatial))),
        cross_channel=True,
        local_size=node.attribute("size"),
        alpha=node.attribute("alpha", 1e-4),
        beta=node.attribute("beta", 0.75),
        bias=node.attribute("bias", 1.0),
    )
    return node.made(made, value.shape)


#: What norms of zero are replaced by, so that zeros stay zeros: smaller than any other norm.
_TINY = float(np.finfo(np.float32).smallest_subnormal)


@handler("LpNormalization")
def by_norm(node: Node) -> Value:
    """Return elements divided by the norm along an axis."""
    x = node.expression(0)
    p = node.attribute("p", 2)
    if p not in (1, 2):
        raise ModelError("needs 1 or 2", given=shown(p), field="attribute p")
    desc = descriptor_class("LP_NORMALIZATION")(
        x.desc, new_tensor(x), node.axis(len(x.shape), default=-1), _TINY, p
    )
    return Value(x.graph.add_node(desc, x)[0])
