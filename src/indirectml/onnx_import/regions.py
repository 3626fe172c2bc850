"""RoiAlign and MaxRoiPool, operators of their own; GridSample, by elements gathered and weighed."""

from __future__ import annotations

import functools
import itertools
import math
from collections.abc import Sequence

import numpy as np

from indirectml.catalogue.enumerations import InterpolationMode, ReduceFunction, RoundingMode
from indirectml.core.errors import ModelError, shown
from indirectml.descriptors.fields import Size2D
from indirectml.graphs.expressions import Expression, broadcast
from indirectml.onnx_import.building import added
from indirectml.onnx_import.nodes import Node, handler
from indirectml.onnx_import.values import Value, viewed
from indirectml.operators import functions

_MOST_SAMPLES = 0xFFFFFFFF


@handler("RoiAlign", since=10)
def aligned_before_modes(node: Node) -> Value:
    """RoiAlign, in which regions have a size of at least 1."""
    return _aligned(node, "output_half_pixel")


@handler("RoiAlign", since=16)
def aligned(node: Node) -> Value:
    """RoiAlign, with a choice of coordinates."""
    return _aligned(node, node.attribute("coordinate_transformation_mode", "half_pixel"))


def _aligned(node: Node, mode: str) -> Value:
    if mode not in ("half_pixel", "output_half_pixel"):
        raise ModelError(
            "needs half_pixel or output_half_pixel", given=shown(mode),
            field="coordinate_transformation_mode",
        )  # fmt: skip
    kind = node.attribute("mode", "avg")
    if kind != "avg":
        # ONNX takes the largest of all neighbours times their weights.
        raise ModelError(
            "needs avg: DirectML's largest sample is another one than ONNX's",
            given=shown(kind),
            field="mode",
        )
    x, regions = node.expression(0), node.expression(1)
    scale = node.attribute("spatial_scale", 1.0)
    height, width = (node.attribute(f"output_{side}", 1) for side in ("height", "width"))
    samples = node.attribute("sampling_ratio", 0)
    if mode == "output_half_pixel":
        regions = _at_least_one(regions, scale)
    result = functions.roi_align(
        x,
        regions,
        functions.cast(node.expression(2), dtype=np.uint32),
        reduction_function=ReduceFunction.AVERAGE,
        interpolation_mode=InterpolationMode.LINEAR,
        spatial_scale_x=scale,
        spatial_scale_y=scale,
        input_pixel_offset=0.5 if mode == "half_pixel" else 0.0,
        output_pixel_offset=-0.5,
        out_of_bounds_input_value=0.0,
        minimum_samples_per_output=samples or 1,
        maximum_samples_per_output=samples or _MOST_SAMPLES,
        align_regions_to_corners=False,
        output_height=height,
        output_width=width,
    )
    return node.made(result, (regions.shape[0], x.shape[1], height, width))


def _at_least_one(regions: Expression, scale: float) -> Expression:
    """Return regions whose sides are at least 1 after they are scaled."""
    starts, ends = functions.split(regions, axis=1, output_axis_sizes=[2, 2])
    return functions.join([starts, functions.max(ends, starts + 1.0 / scale)], axis=1)


@handler("MaxRoiPool")
def pooled(node: Node) -> Value:
    """MaxRoiPool."""
    x, regions = node.expression(0), node.expression(1)
    height, width = node.attribute("pooled_shape")
    shape = (regions.shape[0], x.shape[1], height, width)
    (result,) = added(
        node.graph,
        "ROI_POOLING",
        [x, viewed(regions, (1, 1, *regions.shape))],
        [(x.desc.data_type, shape)],
        spatial_scale=node.attribute("spatial_scale", 1.0),
        pooled_size=Size2D(width, height),
    )
    return node.made(result, shape)


# ---- GridSample ----

_MODES = {"bilinear": "linear", "bicubic": "cubic"}

#: What cubic convolution (Keys, 1981) has in GridSample.
_CUBIC = -0.75

#: An index along a dimension, as a whole FLOAT32; what its element counts, None for 1; and whether
#: it is inside, None for yes.
_Tap = tuple[Expression, Expression | None, Expression | None]


@handler("GridSample", since=16)
def sampled(node: Node) -> Value:
    """GridSample: for each output, the elements around a coordinate, gathered and weighed."""
    x, grid = node.expression(0), node.expression(1)
    mode = node.attribute("mode", "linear")
    mode = _MODES.get(mode, mode)
    padding = node.attribute("padding_mode", "zeros")
    if mode not in ("nearest", "linear", "cubic"):
        raise ModelError("needs nearest, linear or cubic", given=shown(mode), field="mode")
    if padding not in ("zeros", "border", "reflection"):
        raise ModelError(
            "needs zeros, border or reflection", given=shown(padding), field="padding_mode"
        )
    batch, channels, *sizes = x.shape
    rank = len(sizes)
    if len(grid.shape) != len(x.shape) or grid.shape[:: rank + 1] != (batch, rank):
        raise ModelError(
            f"needs a grid of {batch} batches, and {rank} coordinates for each of its points",
            given=f"{list(grid.shape)}",
        )
    outputs = grid.shape[1:-1]
    points = math.prod(outputs)
    columns = viewed(functions.cast(grid, dtype=np.float32), (batch, points, rank))
    aligned = bool(node.attribute("align_corners", 0))
    taps = []
    parts = functions.split(columns, axis=2, output_axis_sizes=[1] * rank)
    for size, part in zip(sizes, reversed(parts), strict=True):
        line = _Line(size, aligned=aligned, padding=padding)
        taps.append(line.taps(viewed(part, (batch, points)), mode))
    flat = viewed(x, (batch, channels, math.prod(sizes)))
    result = _summed(flat, taps, sizes)
    return node.made(result, (batch, channels, *outputs))


class _Line:
    """A dimension of the input, and where coordinates beyond it lead."""

    def __init__(self, size: int, *, aligned: bool, padding: str) -> None:
        self.size = size
        self.aligned = aligned
        self.padding = padding
        self.low, self.high = (0.0, size - 1.0) if aligned else (-0.5, size - 0.5)

    def taps(self, x: Expression, mode: str) -> list[_Tap]:
        """Return the elements that count for coordinates from -1 to 1, and how much."""
        scale = (self.size - 1 if self.aligned else self.size) / 2
        at = (x + 1.0) * scale
        if not self.aligned:
            at = at - 0.5
        if mode == "nearest":
            at = functions.round(at, rounding_mode=RoundingMode.HALVES_TO_NEAREST_EVEN)
        # Of cubic, each element is limited for itself, as in PyTorch and in ONNX Runtime.
        if self.padding == "border" and mode != "cubic":
            at = functions.clip(at, min=0.0, max=self.size - 1.0)
        elif self.padding == "reflection":
            at = self._reflected(at)
        if mode == "nearest":
            return [self._tap(at, None)]
        low = functions.floor(at)
        share = at - low
        if mode == "linear":
            return [self._tap(low, 1.0 - share), self._tap(low + 1.0, share)]
        return [self._tap(low + (k - 1.0), _cubic_weight(share, k)) for k in range(4)]

    def _tap(self, index: Expression, weight: Expression | None) -> _Tap:
        last = self.size - 1.0
        inside: Expression | None = None
        if self.padding == "zeros":
            first, final = (index * 0.0 + end for end in (0.0, last))
            inside = functions.logical_and(
                functions.greater_than_or_equal(index, first),
                functions.less_than_or_equal(index, final),
            )
        elif self.padding == "reflection":
            index = self._reflected(index)
        return functions.clip(index, min=0.0, max=last), weight, inside

    def _reflected(self, x: Expression) -> Expression:
        """Return coordinates thrown back at both borders until they are inside."""
        length = self.high - self.low
        if not length:
            return x * 0.0
        period = x * 0.0 + 2 * length
        beyond = functions.modulus_floor(functions.abs(x - self.low), period)
        return (self.low + length) - functions.abs(beyond - length)


def _cubic_weight(share: Expression, k: int) -> Expression:
    """Return what the element k - 1 behind floor(x) counts for x."""
    a = _CUBIC
    d = share + 1.0 if k == 0 else share if k == 1 else 1.0 - share if k == 2 else 2.0 - share  # noqa: PLR2004 (of four)
    if k in (1, 2):
        return functions.multiply(functions.multiply(d * (a + 2) - (a + 3), d), d) + 1.0
    return functions.multiply(functions.multiply(d * a - 5 * a, d) + 8 * a, d) - 4 * a


def _summed(x: Expression, taps: Sequence[Sequence[_Tap]], sizes: Sequence[int]) -> Expression:
    """Return the sum of elements times weights, over all combinations of taps."""
    batch, channels, _ = x.shape
    points = taps[0][0][0].shape[1]

    def spread(numbers: Expression) -> Expression:
        return broadcast(viewed(numbers, (batch, 1, points)), (batch, channels, points))

    zero = functions.fill_value_constant(x.graph, sizes=[1, 1, 1], value=0, dtype=x.dtype)
    terms = []
    for chosen in itertools.product(*taps):
        place: Expression | None = None
        for size, (index, _, _) in zip(sizes, chosen, strict=True):
            own = functions.cast(index, dtype=np.int32)
            place = own if place is None else functions.add(place * size, own)
        assert place is not None  # noqa: S101 (there is a dimension)
        taken = functions.gather_elements(x, spread(place), axis=2)
        masks = [inside for _, _, inside in chosen if inside is not None]
        if masks:
            # Not times 0: what is beyond the border is 0 also next to an infinity.
            mask = spread(functools.reduce(functions.logical_and, masks))
            taken = functions.where(mask, taken, broadcast(zero, taken.shape))
        weights = [weight for _, weight, _ in chosen if weight is not None]
        if weights:
            weight = functools.reduce(functions.multiply, weights)
            taken = functions.multiply(taken, spread(functions.cast(weight, dtype=x.dtype)))
        terms.append(taken)
    return functools.reduce(functions.add, terms)
