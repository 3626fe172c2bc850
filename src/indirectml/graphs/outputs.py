"""What functions of a graph return that have several outputs: the named tuples of the package."""

from __future__ import annotations

from typing import NamedTuple

from indirectml.graphs.expressions import Expression


class AdamOptimizerOutputs(NamedTuple):
    """Outputs of `adam_optimizer`."""

    parameters: Expression
    first_moment: Expression
    second_moment: Expression


class BatchNormalizationGradOutputs(NamedTuple):
    """Outputs of the gradients of batch normalization."""

    gradient: Expression
    scale_gradient: Expression
    bias_gradient: Expression


class BatchNormalizationTrainingOutputs(NamedTuple):
    """Outputs of `batch_normalization_training`."""

    output: Expression
    mean: Expression
    variance: Expression


class DynamicQuantizeLinearOutputs(NamedTuple):
    """Outputs of `dynamic_quantize_linear`."""

    output: Expression
    scale: Expression
    zero_point: Expression


class GRUOutputs(NamedTuple):
    """Outputs of `gru`; one that was not asked for is None."""

    sequence: Expression | None
    single: Expression | None


class LSTMOutputs(NamedTuple):
    """Outputs of `lstm`; one that was not asked for is None."""

    sequence: Expression | None
    single: Expression | None
    cell_single: Expression | None


class MaxPoolingOutputs(NamedTuple):
    """Outputs of `max_pooling`; indices that were not asked for are None."""

    values: Expression
    indices: Expression | None


class MultiheadAttentionOutputs(NamedTuple):
    """Outputs of `multihead_attention1`; what was not asked for is None."""

    output: Expression
    present_key: Expression | None
    present_value: Expression | None


class NonZeroCoordinatesOutputs(NamedTuple):
    """Outputs of `non_zero_coordinates`."""

    count: Expression  # type: ignore[assignment]  # the package's name, which tuples have too
    coordinates: Expression


class RandomGeneratorOutputs(NamedTuple):
    """Outputs of `random_generator`; a state that was not asked for is None."""

    values: Expression
    state: Expression | None


class RNNOutputs(NamedTuple):
    """Outputs of `rnn`; one that was not asked for is None."""

    sequence: Expression | None
    single: Expression | None


class RoiAlignGradOutputs(NamedTuple):
    """Outputs of `roi_align_grad`; one that was not asked for is None."""

    gradient: Expression | None
    roi_gradient: Expression | None


class TopKOutputs(NamedTuple):
    """Outputs of `top_k`."""

    values: Expression
    indices: Expression
