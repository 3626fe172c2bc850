"""What a picture shows: `python -m samples.squeezenet --picture cat.jpg --weights FOLDER`.

The network of ONNX's squeezenet1.1-7: a convolution, eight pairs that squeeze the channels and
expand them again, and a convolution to 1000 classes. 224 by 224 pixels.
"""

from __future__ import annotations

import sys

import indirectml as dml
from samples import command, pictures
from samples.weights import Weights

SIZES = [1, 3, 224, 224]
CLASSES = 1000

#: Channels after squeezing, and of each half after expanding; None for a pooling in between.
FIRES = [
    (16, 64), (16, 64), None, (32, 128), (32, 128), None, (48, 192), (48, 192), (64, 256),
    (64, 256),
]  # fmt: skip


def network(x: dml.Expression, weights: Weights) -> dml.Expression:
    """Return the probability of each class, [1, 1, 1, 1000].

    Parameters
    ----------
    x : Expression
        FLOAT32 [1, 3, 224, 224], normalized as `pictures.normalized` does it.
    weights : Weights
        squeezenet0_conv0_weight, squeezenet0_conv0_bias, and so on to 25.
    """
    count = 0

    def layer(x: dml.Expression, channels: int, size: int, stride: int = 1) -> dml.Expression:
        nonlocal count
        name, count = f"squeezenet0_conv{count}", count + 1
        padding = [size // 2] * 2 if stride == 1 else [0, 0]
        return dml.convolution(
            x,
            weights(f"{name}_weight", [channels, x.shape[1], size, size]),
            weights(f"{name}_bias", [1, channels, 1, 1]),
            strides=[stride, stride],
            start_padding=padding,
            end_padding=padding,
            fused_activation=dml.FusedActivation.relu(),
        )

    x = _pooled(layer(x, 64, 3, 2))
    for fire in FIRES:
        if fire is None:
            x = _pooled(x)
            continue
        squeezed = layer(x, fire[0], 1)
        x = dml.join([layer(squeezed, fire[1], 1), layer(squeezed, fire[1], 3)], axis=1)
    scores = layer(x, CLASSES, 1)
    x = dml.average_pooling(scores, strides=scores.shape[2:], window_sizes=scores.shape[2:])
    return dml.activation_softmax(dml.reinterpret(x, [1, 1, 1, CLASSES]))


def _pooled(x: dml.Expression) -> dml.Expression:
    return dml.max_pooling(x, strides=[2, 2], window_sizes=[3, 3]).values


def main(arguments: list[str] | None = None) -> int:
    """Run the sample."""
    return command.classify("squeezenet", network, SIZES, pictures.normalized, None, arguments)


if __name__ == "__main__":
    sys.exit(main())
