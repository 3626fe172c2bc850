"""Which digit a picture shows: `python -m samples.mnist --picture digit.png --weights FOLDER`.

The network of ONNX's mnist-8: two convolutions, each with a bias, RELU and a pooling, then a
product of matrices. 28 by 28 pixels, light on dark.
"""

from __future__ import annotations

import sys
from typing import Any

import numpy as np

import indirectml as dml
from samples import command, pictures
from samples.weights import Weights

SIZES = [1, 1, 28, 28]
LABELS = [str(digit) for digit in range(10)]

Array = np.ndarray[Any, Any]


def network(x: dml.Expression, weights: Weights) -> dml.Expression:
    """Return the probability of each digit, [1, 1, 1, 10].

    Parameters
    ----------
    x : Expression
        FLOAT32 [1, 1, 28, 28], from 0 to 1.
    weights : Weights
        Parameter5, Parameter6, Parameter87, Parameter88, Parameter193, Parameter194.
    """
    x = _layer(x, weights("Parameter5", [8, 1, 5, 5]), weights("Parameter6", [1, 8, 1, 1]), 2)
    x = _layer(x, weights("Parameter87", [16, 8, 5, 5]), weights("Parameter88", [1, 16, 1, 1]), 3)
    row = dml.reinterpret(x, [1, 1, 1, 256])
    matrix = dml.reinterpret(weights("Parameter193", [16, 4, 4, 10]), [1, 1, 256, 10])
    scores = dml.add(dml.gemm(row, matrix), weights("Parameter194", [1, 1, 1, 10]))
    return dml.activation_softmax(scores)


def _layer(
    x: dml.Expression, filter_: dml.Expression, bias: dml.Expression, pool: int
) -> dml.Expression:
    """Return convolution, bias and RELU, and the largest of every `pool` by `pool` elements."""
    x = dml.convolution(x, filter_, start_padding=[2, 2], end_padding=[2, 2])
    x = dml.activation_relu(dml.add(x, dml.broadcast(bias, x.shape)))
    return dml.max_pooling(x, strides=[pool, pool], window_sizes=[pool, pool]).values


def prepared(path: str) -> Array:
    """Return a picture as the input of the network; a dark digit on light ground is inverted."""
    grey = pictures.opened(path, "L", SIZES[2:])
    if grey[0, 0] >= pictures.HALF:
        grey = pictures.WHITE - grey
    return (grey / max(grey.max(), 1)).reshape(SIZES).astype(np.float32)


def main(arguments: list[str] | None = None) -> int:
    """Run the sample."""
    return command.classify("mnist", network, SIZES, prepared, LABELS, arguments)


if __name__ == "__main__":
    sys.exit(main())
