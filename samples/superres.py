"""A picture of three times the size: `python -m samples.superres --picture dog.jpg -o large.png`.

The network of ONNX's super-resolution-10: four convolutions of the luminance, whose nine channels
become blocks of 3 by 3 pixels. Colours are stretched by Pillow. 224 by 224 pixels become 672 by
672.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import numpy as np

import indirectml as dml
from samples import command, pictures
from samples.weights import Weights

SIZES = [1, 1, 224, 224]
FACTOR = 3

#: Channels and size of the filter of each convolution.
LAYERS = [(64, 5), (64, 3), (32, 3), (FACTOR**2, 3)]

Array = np.ndarray[Any, Any]


def network(x: dml.Expression, weights: Weights) -> dml.Expression:
    """Return the luminance of the large picture, [1, 1, 672, 672].

    Parameters
    ----------
    x : Expression
        FLOAT32 [1, 1, 224, 224], from 0 to 1.
    weights : Weights
        conv1.weight, conv1.bias, and so on to conv4.
    """
    for number, (channels, size) in enumerate(LAYERS, 1):
        padding = [size // 2] * 2
        x = dml.convolution(
            x,
            weights(f"conv{number}.weight", [channels, x.shape[1], size, size]),
            weights(f"conv{number}.bias", [1, channels, 1, 1]),
            start_padding=padding,
            end_padding=padding,
            fused_activation=dml.FusedActivation.relu(),
        )
    order = dml.DepthSpaceOrder.COLUMN_ROW_DEPTH
    return dml.depth_to_space(x, block_size=FACTOR, order=order)


def main(arguments: list[str] | None = None) -> int:
    """Run the sample."""
    parser = command.parser("superres", __doc__ or "")
    parser.add_argument("-o", "--output", type=Path, metavar="PICTURE", help="where to write it")
    return command.run(parser, arguments, _run)


def _run(given: Any, say: command.Say) -> None:
    colours = None
    if given.picture:
        colours = pictures.opened(given.picture, "YCbCr", SIZES[2:])
        x = (colours[..., 0] / pictures.WHITE).reshape(SIZES).astype(np.float32)
    else:
        x = command.random_input(SIZES, say)
    luminance = command.computed("superres", network, x, given, say)[0, 0]
    grey = (luminance * pictures.WHITE).clip(0, pictures.WHITE).astype(np.uint8)
    if given.output:
        pictures.write_enlarged(given.output, grey, colours)
        say(f"wrote {given.output}: {grey.shape[1]} by {grey.shape[0]} pixels")
    else:
        print(f"luminance from {grey.min()} to {grey.max()}, on average {grey.mean():.1f}")


if __name__ == "__main__":
    sys.exit(main())
