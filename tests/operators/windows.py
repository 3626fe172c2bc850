"""What oracles of windows share: where windows lie, counted, and geometries worth trying."""

import itertools
from dataclasses import dataclass


@dataclass(frozen=True)
class Windows:
    """Windows over the spatial axes, in the words of `tests/arithmetic/loops.py`."""

    sizes: tuple
    strides: tuple
    dilations: tuple
    start_padding: tuple
    end_padding: tuple

    def output_sizes(self, sizes):
        """Return how many windows there are, counted one after the other."""
        spatial = sizes[len(sizes) - len(self.sizes) :]
        return tuple(
            counted(*along)
            for along in zip(
                spatial, self.sizes, self.strides, self.dilations, self.start_padding,
                self.end_padding, strict=True,
            )
        )  # fmt: skip


def counted(size, window, stride, dilation, start, end):
    """Return how many windows lie on an axis with its padding."""
    count = 0
    while -start + count * stride + dilation * (window - 1) < size + end:
        count += 1
    return count


#: Window, strides, dilations, start and end padding, for up to three axes: dense; strided with
#: gaps and uneven padding; strides beyond the input; windows that lie on padding alone.
GEOMETRIES = (
    ((2, 3, 2), (1, 1, 1), (1, 1, 1), (0, 0, 0), (0, 0, 0)),
    ((3, 2, 2), (2, 3, 1), (1, 2, 2), (1, 0, 1), (2, 1, 0)),
    ((1, 2, 1), (9, 9, 9), (1, 1, 1), (0, 1, 0), (0, 0, 1)),
    ((2, 1, 2), (1, 2, 1), (1, 1, 1), (3, 2, 0), (0, 2, 2)),
    ((4, 5, 2), (1, 2, 2), (1, 1, 1), (2, 3, 1), (3, 2, 1)),
)


def geometries(axes, *, dilated=True):
    """Yield the windows of each geometry and the fields that describe them."""
    for geometry in GEOMETRIES:
        window, strides, dilations, start, end = (numbers[-axes:] for numbers in geometry)
        if not dilated:
            dilations = (1,) * axes
        fields = {
            "strides": strides,
            "window_size": window,
            "start_padding": start,
            "end_padding": end,
        }
        if dilated:
            fields["dilations"] = dilations
        yield Windows(window, strides, dilations, start, end), fields


def image_sizes(rank):
    """Return sizes of a batch of images, or of volumes, or of rows."""
    return {3: (2, 3, 11), 4: (2, 3, 5, 6), 5: (1, 2, 3, 4, 5)}[rank]


def row_major(sizes, place):
    """Return the number of an element."""
    number = 0
    for size, at in zip(sizes, place, strict=True):
        number = number * size + at
    return number


def channels(sizes, axes):
    """Return the places of all channels of all batches."""
    return itertools.product(*map(range, sizes[: len(sizes) - axes]))
