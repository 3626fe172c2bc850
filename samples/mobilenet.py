"""What a picture shows: `python -m samples.mobilenet --picture cat.jpg --weights FOLDER`.

The network of ONNX's mobilenetv2-7: 17 bottlenecks, each of which widens the channels, convolves
every channel by itself, and narrows them. 224 by 224 pixels.
"""

from __future__ import annotations

import sys

import indirectml as dml
from samples import command, pictures
from samples.weights import Weights

SIZES = [1, 3, 224, 224]
CLASSES = 1000
EPSILON = 0.000009999999747378752

#: How much a bottleneck widens, its channels behind it, and its stride.
BOTTLENECKS = [
    (1, 16, 1), (6, 24, 2), (6, 24, 1), (6, 32, 2), (6, 32, 1), (6, 32, 1), (6, 64, 2), (6, 64, 1),
    (6, 64, 1), (6, 64, 1), (6, 96, 1), (6, 96, 1), (6, 96, 1), (6, 160, 2), (6, 160, 1),
    (6, 160, 1), (6, 320, 1),
]  # fmt: skip


def network(x: dml.Expression, weights: Weights) -> dml.Expression:
    """Return the probability of each class, [1, 1, 1, 1000].

    Parameters
    ----------
    x : Expression
        FLOAT32 [1, 3, 224, 224], normalized as `pictures.normalized` does it.
    weights : Weights
        mobilenetv20_features_conv0_weight, mobilenetv20_features_batchnorm0_gamma (beta,
        running_mean, running_var), and so on.
    """
    features = "mobilenetv20_features_"

    def layer(
        x: dml.Expression, part: str, number: int, channels: int, *, size: int = 1,
        stride: int = 1, each: bool = False, relu: bool = True,
    ) -> dml.Expression:  # fmt: skip
        """Return convolution and batch normalization; of each channel by itself if `each`."""
        prefix, padding = features + part, [size // 2] * 2
        x = dml.convolution(
            x,
            weights(f"{prefix}conv{number}_weight",
                    [channels, 1 if each else x.shape[1], size, size]),
            strides=[stride, stride],
            start_padding=padding,
            end_padding=padding,
            group_count=channels if each else 1,
        )  # fmt: skip
        moments = (
            weights(f"{prefix}batchnorm{number}_{what}", [1, channels, 1, 1])
            for what in ("running_mean", "running_var", "gamma", "beta")
        )
        activation = dml.FusedActivation.relu() if relu else None
        return dml.batch_normalization(x, *moments, epsilon=EPSILON, fused_activation=activation)

    x = layer(x, "", 0, 32, size=3, stride=2)
    for number, (factor, channels, stride) in enumerate(BOTTLENECKS):
        part, before = f"linearbottleneck{number}_", x
        wide = x.shape[1] * factor
        x = layer(x, part, 0, wide)
        x = layer(x, part, 1, wide, size=3, stride=stride, each=True)
        x = layer(x, part, 2, channels, relu=False)
        if x.shape == before.shape:
            x = dml.add(before, x)
    x = layer(x, "", 1, 1280)
    x = dml.average_pooling(x, strides=[1, 1], window_sizes=x.shape[2:])
    x = dml.convolution(x, weights("mobilenetv20_output_pred_weight", [CLASSES, 1280, 1, 1]))
    return dml.activation_softmax(dml.reinterpret(x, [1, 1, 1, CLASSES]))


def main(arguments: list[str] | None = None) -> int:
    """Run the sample."""
    return command.classify("mobilenet", network, SIZES, pictures.normalized, None, arguments)


if __name__ == "__main__":
    sys.exit(main())
