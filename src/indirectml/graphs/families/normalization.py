"""Functions for graphs of the family normalization, written by hand."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from indirectml.catalogue.feature_levels import FeatureLevel
from indirectml.catalogue.fused_activations import FusedActivation
from indirectml.core.errors import DescriptorError
from indirectml.descriptors.definitions import graph_function
from indirectml.graphs.expressions import Expression, checked_operand, new_tensor
from indirectml.operators import descriptor_class


@graph_function
def mean_variance_normalization(
    input: Expression,
    scale: Expression | None = None,
    bias: Expression | None = None,
    *,
    axes: Sequence[int],
    normalize_variance: bool = True,
    normalize_mean: bool = True,
    epsilon: float = 1e-5,
    fused_activation: FusedActivation | None = None,
) -> Expression:
    """Return a tensor normalized by its own moments along axes.

    By MEAN_VARIANCE_NORMALIZATION1, or without a mean by MEAN_VARIANCE_NORMALIZATION2.

    Parameters
    ----------
    input : Expression
        What is normalized.
    scale, bias : Expression, optional
        Of sizes that repeat to those of `input`.
    axes : sequence of int
        From 0.
    normalize_variance, normalize_mean : bool
        Whether it is divided by the standard deviation, and whether the mean is subtracted.
    epsilon : float
        Added to the variance.
    fused_activation : FusedActivation, optional
        Computed on the result before it is rounded to the output's data type.

    Examples
    --------
    >>> graph = Graph(Device())
    >>> x = graph.constant(np.array([1, 3], np.float32))
    >>> graph.compile([mean_variance_normalization(x, axes=[0], epsilon=0)])()
    [array([-1.,  1.], dtype=float32)]
    """
    function = "mean_variance_normalization"
    output = new_tensor(checked_operand(function, input))
    given = {"scale_tensor": scale, "bias_tensor": bias}
    fields: dict[str, Any] = {
        name: None if e is None else checked_operand(function, e).desc for name, e in given.items()
    }
    fields |= {"axes": axes, "epsilon": epsilon, "fused_activation": fused_activation}
    newest = input.graph.feature_level >= FeatureLevel.LEVEL_6_3
    if newest and not normalize_mean:
        desc = descriptor_class("MEAN_VARIANCE_NORMALIZATION2")(
            input.desc, output, use_mean=False, use_variance=normalize_variance, **fields
        )
    elif normalize_mean:
        desc = descriptor_class("MEAN_VARIANCE_NORMALIZATION1")(
            input.desc, output, normalize_variance=normalize_variance, **fields
        )
    else:
        raise DescriptorError(
            "needs feature level 6_3 to leave the mean out",
            given=f"a device of level {input.graph.feature_level}",
            field=function,
        )
    return input.graph.add_node(desc, input, scale, bias)[0]
