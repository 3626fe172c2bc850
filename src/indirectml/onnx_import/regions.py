"""RoiAlign and MaxRoiPool, operators of their own; GridSample and DeformConv, by gathering."""

from __future__ import annotations

import functools
import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from indirectml.catalogue.enumerations import InterpolationMode, ReduceFunction, RoundingMode
from indirectml.core.errors import ModelError, shown
from indirectml.descriptors.fields import Size2D
from indirectml.graphs.expressions import Expression, broadcast
from indirectml.onnx_import.budget import LoadingGraph
from indirectml.onnx_import.building import added
from indirectml.onnx_import.nodes import Node, handler
from indirectml.onnx_import.values import Value, viewed
from indirectml.onnx_import.windows import Windows, windows_of
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

#: What cubic convolution (Keys, 1981) has in GridSample: of each of four elements, the coefficients
#: of a polynomial of its distance.
_A = -0.75
_FAR, _NEAR = (_A, -5 * _A, 8 * _A, -4 * _A), (_A + 2, -(_A + 3), 0.0, 1.0)
_CUBIC = (_FAR, _NEAR, _NEAR, _FAR)


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
    at = grid if grid.dtype == np.float32 else functions.cast(grid, dtype=np.float32)
    at = viewed(at, (batch, 1, math.prod(outputs), rank))
    aligned = bool(node.attribute("align_corners", 0))
    area = _Area(node.graph, sizes, aligned=aligned, padding=padding)
    flat = viewed(x, (batch, channels, math.prod(sizes)))
    result = _summed(flat, area.taps(area.scaled(at), mode))
    return node.made(result, (batch, channels, *outputs))


class _Taps(NamedTuple):
    """The elements that count for each point, of all combinations of those along dimensions.

    Each has sizes (batch, combinations, points).

    Attributes
    ----------
    places : Expression
        Of elements in the input, whose dimensions are one.
    weights : Expression, optional
        What elements count; None for 1.
    inside : Expression, optional
        Whether they are in the input; None for yes.
    """

    places: Expression
    weights: Expression | None
    inside: Expression | None


class _Area:
    """The dimensions of the input, and where coordinates beyond them lead.

    Coordinates have sizes (batch, taps, points, dimensions), the last dimension first, as in the
    grid: each operator is for all dimensions and taps at once.
    """

    def __init__(
        self, graph: LoadingGraph, sizes: Sequence[int], *, aligned: bool, padding: str
    ) -> None:
        self.graph = graph
        self.aligned = aligned
        self.padding = padding
        self.strides = [math.prod(sizes[k + 1 :]) for k in reversed(range(len(sizes)))]
        self.sizes = np.array(sizes[::-1], np.float64)
        self.last = self.sizes - 1
        self.low = np.full(len(sizes), 0.0 if aligned else -0.5)
        self.length = self.last if aligned else self.sizes

    def scaled(self, x: Expression) -> Expression:
        """Return coordinates from -1 to 1 as those of elements."""
        at = functions.multiply(
            x + 1.0, self._row((self.last if self.aligned else self.sizes) / 2, x)
        )
        return at if self.aligned else at - 0.5

    def taps(self, at: Expression, mode: str) -> _Taps:
        """Return the elements that count for coordinates, and how much."""
        if mode == "nearest":
            at = functions.round(at, rounding_mode=RoundingMode.HALVES_TO_NEAREST_EVEN)
        # Of cubic, each element is limited for itself, as in PyTorch and in ONNX Runtime.
        if self.padding == "border" and mode != "cubic":
            at = self._limited(at)
        elif self.padding == "reflection":
            at = self._reflected(at)
        if mode == "nearest":
            return self._combined(at, None)
        low = functions.floor(at)
        share = functions.subtract(at, low)
        if mode == "linear":
            weights = functions.abs(self._spread(share, [1, 0], functions.subtract))
            return self._combined(self._spread(low, [0, 1], functions.add), weights)
        distances = functions.abs(self._spread(share, [-1, 0, 1, 2], functions.subtract))
        weights, *rest = (self._column(each, distances) for each in zip(*_CUBIC, strict=True))
        for numbers in rest:
            weights = functions.add(functions.multiply(weights, distances), numbers)
        return self._combined(self._spread(low, [-1, 0, 1, 2], functions.add), weights)

    def _row(self, numbers: Any, x: Expression) -> Expression:
        """Return numbers along the last dimension of a tensor, in its sizes and data type."""
        return broadcast(self.graph.constant(np.array(numbers, x.dtype)), x.shape)

    def _column(self, numbers: Sequence[float], x: Expression) -> Expression:
        """Return numbers along the taps of a tensor, in its sizes and data type."""
        column = np.array(numbers, x.dtype).reshape(-1, 1, 1)
        return broadcast(self.graph.constant(column), x.shape)

    def _spread(self, x: Expression, numbers: Sequence[float], function: Any) -> Expression:
        """Return a function of a tensor and of each of some numbers, along the taps."""
        x = broadcast(x, (x.shape[0], len(numbers), *x.shape[2:]))
        result: Expression = function(x, self._column(numbers, x))
        return result

    def _combined(self, index: Expression, weights: Expression | None) -> _Taps:
        if self.padding == "reflection":
            index = self._reflected(index)
        limited = self._limited(index)
        inside = functions.equals(index, limited) if self.padding == "zeros" else None
        places = functions.cast(limited, dtype=np.int32)
        places = functions.multiply(places, self._row(self.strides, places))
        return _Taps(
            _combinations(places, functions.add),
            None if weights is None else _combinations(weights, functions.multiply),
            None if inside is None else _combinations(inside, functions.logical_and),
        )

    def _limited(self, x: Expression) -> Expression:
        """Return coordinates that are in the input."""
        zero = self._row(np.zeros(1), x)
        return functions.min(functions.max(x, zero), self._row(self.last, x))

    def _reflected(self, x: Expression) -> Expression:
        """Return coordinates thrown back at both borders until they are inside."""
        low, length = self._row(self.low, x), self._row(self.length, x)
        # What has no length has coordinates of whole numbers alone, which all become 0.
        period = self._row(np.where(self.length, 2 * self.length, 1), x)
        beyond = functions.modulus_floor(functions.abs(functions.subtract(x, low)), period)
        back = functions.abs(functions.subtract(beyond, length))
        return functions.subtract(self._row(self.low + self.length, x), back)


def _combinations(x: Expression, function: Any) -> Expression:
    """Return a function of the numbers of the dimensions, for each choice of a tap in each."""
    batch, taps, points, rank = x.shape
    parts = [x]
    if rank > 1:
        parts = list(functions.split(x, axis=3, output_axis_sizes=[1] * rank))
    found = viewed(parts[-1], (batch, taps, points))
    for part in reversed(parts[:-1]):  # the first dimension of the input is the last of the grid
        shape = (batch, found.shape[1], taps, points)
        before = viewed(found, (batch, found.shape[1], 1, points))
        own = viewed(part, (batch, 1, taps, points))
        both = function(broadcast(before, shape), broadcast(own, shape))
        found = viewed(both, (batch, shape[1] * taps, points))
    return found


def _summed(x: Expression, taps: _Taps) -> Expression:
    """Return for each point the sum of elements times weights."""
    batch, channels, _ = x.shape
    _, count, points = taps.places.shape

    def spread(numbers: Expression) -> Expression:
        flat = viewed(numbers, (batch, 1, count * points))
        return broadcast(flat, (batch, channels, count * points))

    taken = functions.gather_elements(x, spread(taps.places), axis=2)
    if taps.inside is not None:
        # Not times 0: what is beyond the border is 0 also next to an infinity.
        zero = functions.fill_value_constant(x.graph, sizes=[1, 1, 1], value=0, dtype=x.dtype)
        taken = functions.where(spread(taps.inside), taken, broadcast(zero, taken.shape))
    if taps.weights is not None:
        weights = functions.cast(taps.weights, dtype=x.dtype)
        taken = functions.multiply(taken, spread(weights))
    if count == 1:
        return taken
    parts = viewed(taken, (batch, channels, count, points))
    terms = functions.split(parts, axis=2, output_axis_sizes=[1] * count)
    return functools.reduce(functions.add, terms)


# ---- DeformConv ----


@handler("DeformConv", since=19)
def deformed(node: Node) -> Value:
    """DeformConv: the elements around each place of a window, moved by its offset; a product."""
    x, filters = node.expression(0), node.expression(1)
    batch, channels, *sizes = x.shape
    outputs, depth, *kernel = filters.shape
    rank, taps = len(sizes), math.prod(kernel)
    windows = windows_of(node, sizes, kernel)
    group, offset_group = node.attribute("group", 1), node.attribute("offset_group", 1)
    if depth * group != channels or outputs % group or channels % offset_group:
        raise ModelError(
            f"needs filters for {channels} channels in {group} groups, and these in offset groups",
            given=f"filters {list(filters.shape)}, {offset_group} offset groups",
        )
    places = [
        (size + before + behind - dilation * (k - 1) - 1) // stride + 1
        for size, before, behind, dilation, k, stride in zip(
            sizes, windows.start, windows.end, windows.dilations, kernel, windows.strides,
            strict=True,
        )
    ]  # fmt: skip
    points = math.prod(places)
    offsets = _of_windows(node, 2, (batch, offset_group * taps * rank, *places), np.float32)
    shape = (batch * offset_group, taps, rank, points)
    at = functions.add(
        viewed(offsets, shape), broadcast(_undeformed(node, windows, kernel, places), shape)
    )
    # As a grid has them: the last dimension first.
    columns = [
        viewed(part, (shape[0], 1, taps * points, 1))
        for part in functions.split(at, axis=2, output_axis_sizes=[1] * rank)
    ]
    area = _Area(node.graph, sizes, aligned=True, padding="zeros")
    flat = viewed(x, (shape[0], channels // offset_group, math.prod(sizes)))
    found = _summed(flat, area.taps(functions.join(columns[::-1], axis=3), "linear"))
    if node.has(4):
        mask = _of_windows(node, 4, (batch, offset_group * taps, *places), x.dtype)
        found = viewed(found, (shape[0], channels // offset_group, taps * points))
        mask = broadcast(viewed(mask, (shape[0], 1, taps * points)), found.shape)
        found = functions.multiply(found, mask)
    inner = depth * taps
    bias = None
    if node.has(3):
        bias = viewed(node.expression(3), (1, group, outputs // group, 1))
        bias = broadcast(bias, (batch, group, outputs // group, points))
    result = functions.gemm(
        broadcast(
            viewed(filters, (1, group, outputs // group, inner)),
            (batch, group, outputs // group, inner),
        ),
        viewed(found, (batch, group, inner, points)),
        bias,
    )
    return node.made(result, (batch, outputs, *places))


def _of_windows(node: Node, index: int, shape: Sequence[int], dtype: Any) -> Expression:
    """Return an input of a number for each place of each window."""
    x = node.expression(index)
    if x.shape != tuple(shape):
        raise ModelError(
            f"needs sizes {list(shape)}", given=f"{list(x.shape)}", field=f"inputs[{index}]"
        )
    return x if x.dtype == dtype else functions.cast(x, dtype=dtype)


def _undeformed(
    node: Node, windows: Windows, kernel: Sequence[int], places: Sequence[int]
) -> Expression:
    """Return where the places of all windows lie without offsets.

    Its sizes are 1, those of a window as one, the dimensions, and the windows as one.
    """
    rank = len(kernel)
    node.take((math.prod(kernel), rank, math.prod(places)), np.float32)
    starts = [np.arange(n) * s - p for n, s, p in zip(places, windows.strides, windows.start,
                                                      strict=True)]  # fmt: skip
    steps = [np.arange(k) * d for k, d in zip(kernel, windows.dilations, strict=True)]
    inside = np.stack([each.ravel() for each in np.meshgrid(*steps, indexing="ij")], 1)
    before = np.stack([each.ravel() for each in np.meshgrid(*starts, indexing="ij")], 0)
    return node.graph.constant((inside[None, :, :, None] + before).astype(np.float32))
