"""ONNX forms of regions of interest."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from indirectml.catalogue.enumerations import InterpolationMode, ReduceFunction
from indirectml.onnx_export.building import DOUBLE, INT64, SINGLE, Builder, Value
from indirectml.onnx_export.forms import Node, form
from indirectml.onnx_export.words import both, compared, extreme

#: Where a cell may have more samples than these along an axis, all that may be are not written.
_MOST_SAMPLES = 16


@form("ROI_POOLING")
def roi_maxima(node: Node, x: Value, roi: Value) -> Value:
    """MaxRoiPool."""
    size = node["pooled_size"]
    rows = node.b.reshape(roi, roi.sizes[-2:])
    return node.b.add(
        "MaxRoiPool", x, rows, sizes=node.sizes, pooled_shape=[size.height, size.width],
        spatial_scale=node["spatial_scale"],
    )  # fmt: skip


@form("ROI_ALIGN1")
def roi_aligned(node: Node, x: Value, roi: Value, batches: Value) -> Value:
    """RoiAlign, or GatherND of as many samples as there may be, and sums in FLOAT64."""
    b = node.b
    rows, of_rows = b.reshape(roi, roi.sizes[-2:]), b.reshape(batches, [batches.count])
    fewest, most = node["minimum_samples_per_output"], node["maximum_samples_per_output"]
    input_offset, output_offset, is_stretched = _fields(node)
    is_plain = (
        node["reduction_function"] == ReduceFunction.AVERAGE
        and node["interpolation_mode"] == InterpolationMode.LINEAR
        and node["out_of_bounds_input_value"] == 0
        and (output_offset, is_stretched) == (-0.5, False)
    )
    if is_plain and (fewest == most or (fewest == 1 and most >= max(x.sizes[2:]))):
        scale = node["spatial_scale_x"]
        if node["spatial_scale_y"] != scale:
            scales = np.array([scale, node["spatial_scale_y"]] * 2, SINGLE)
            rows, scale = b.add("Mul", rows, b.constant(scales)), 1.0
        if input_offset != 0.5:  # noqa: PLR2004 (that of half_pixel)
            # Moved after the scale, so that it counts as much.
            rows, scale = b.add("Mul", rows, scale), 1.0
            rows = b.add("Add", rows, 0.5 - input_offset)
        return b.add(
            "RoiAlign", x, rows, b.cast(of_rows, INT64), sizes=node.sizes,
            output_height=node.sizes[2], output_width=node.sizes[3], mode="avg",
            sampling_ratio=fewest if fewest == most else 0, spatial_scale=scale,
            coordinate_transformation_mode="half_pixel",
        )  # fmt: skip
    if most > _MOST_SAMPLES:
        node.refuse(
            f"needs a maximum_samples_per_output of at most {_MOST_SAMPLES}, but for the average "
            "of linear samples with an output_pixel_offset of -0.5 and 0 outside",
            f"{most}",
        )
    return _sampled(node, x, rows, of_rows)


@form("ROI_ALIGN_GRAD")
def roi_gradients(
    node: Node, x: Value | None, gradient: Value, roi: Value, batches: Value
) -> tuple[Value | None, Value | None]:
    """ScatterND of shares of as many samples as there may be, and sums of what moves regions."""
    b, most = node.b, node["maximum_samples_per_output"]
    if most > _MOST_SAMPLES:
        needs = f"needs a maximum_samples_per_output of at most {_MOST_SAMPLES}"
        node.refuse(needs, f"{most}")
    of_image, of_regions = node.outputs
    sizes = x.sizes if x is not None else node.sizes
    rows, of_rows = b.reshape(roi, roi.sizes[-2:]), b.reshape(batches, [batches.count])
    samples = _Samples(node, rows, of_rows, gradient.sizes, sizes)
    regions, channels, height, width = gradient.sizes
    own = b.transpose(b.cast(gradient, DOUBLE), [0, 2, 3, 1])
    own = b.reshape(own, [regions, height, 1, width, 1, channels])
    if node["reduction_function"] == ReduceFunction.AVERAGE:
        counts = b.reshape(samples.count, [regions, 1, 1, 1, 1, 1])
        share = b.where(samples.counts, b.add("Div", own, counts), 0.0)
    else:
        assert x is not None  # noqa: S101 (the descriptor was checked)
        share = b.where(samples.chosen(x), own, 0.0)
    return (
        None if of_image is None else samples.given(share, sizes),
        None if of_regions is None or x is None else samples.moved(x, share, roi.sizes),
    )


def _fields(node: Node) -> tuple[float, float, bool]:
    """Return the offsets, and whether regions are stretched; those of ROI_ALIGN are fixed."""
    if not hasattr(node.desc, "input_pixel_offset"):
        return 0.5, -0.5, False
    return (
        float(node["input_pixel_offset"]),
        float(node["output_pixel_offset"]),
        bool(node["align_regions_to_corners"]),
    )


class _Line:
    """The samples of all regions along an axis: regions, cells, as many as one may have.

    Attributes
    ----------
    count : Value
        How many a cell of each region has: regions, 1, 1.
    is_used, is_inside : Value
        Which of them it has, and which are inside of the input.
    taps : list of Value
        The elements that each reads, as FLOAT64: two for LINEAR, or one.
    weight : Value or None
        Of the second of two.
    fraction : Value
        How far they lie from the region's start, as a part of its length.
    neighbours, between : list of Value, Value
        The elements around each, and the weight of the second.
    """

    def __init__(self, node: Node, ends: tuple[Value, Value], cells: int, size: int) -> None:
        b = node.b
        input_offset, output_offset, is_stretched = _fields(node)
        fewest, most = node["minimum_samples_per_output"], node["maximum_samples_per_output"]
        start, end = (b.reshape(each, [each.count, 1, 1]) for each in ends)
        length = b.add("Sub", end, start)
        wanted = b.add("Ceil", b.add("Div", length, float(cells)))
        # Of a length that is no number there are as few as can be.
        is_finite = compared(b, "Less", b.add("Abs", length), math.inf)
        wanted = b.where(is_finite, wanted, 0.0)
        self.count = b.add("Min", b.add("Max", wanted, float(fewest)), float(most))
        cell = b.constant(np.arange(cells, dtype=np.float64).reshape(1, -1, 1))
        sample = b.constant(np.arange(most, dtype=np.float64).reshape(1, 1, -1))
        self.is_used = compared(b, "Less", sample, self.count)
        number = b.add("Add", b.add("Mul", cell, self.count), sample)
        total = b.add("Mul", self.count, float(cells))
        if is_stretched:
            total = b.add("Sub", total, 1.0)
        fraction = b.add("Div", b.add("Sub", number, output_offset), total)
        if is_stretched:
            fraction = b.where(compared(b, "Equal", total, 0.0), 0.5, fraction)
        self.fraction = fraction
        place = b.add("Add", b.add("Mul", fraction, length), start)
        place = b.add("Sub", place, input_offset)
        self.is_inside = both(
            b, compared(b, "GreaterOrEqual", place, -1.0), compared(b, "LessOrEqual", place, size)
        )
        place = b.where(self.is_inside, place, 0.0)
        place = b.add("Min", b.add("Max", place, 0.0), float(size - 1))
        low = b.add("Floor", place)
        self.neighbours = [low, b.add("Ceil", place)]
        self.between = b.add("Sub", place, low)
        self.weight: Value | None = None
        if node["interpolation_mode"] == InterpolationMode.LINEAR:
            self.taps, self.weight = self.neighbours, self.between
        else:
            self.taps = [b.add("Ceil", b.add("Sub", place, 0.5))]


def _between(b: Builder, values: list[Value], weight: Value | None) -> Value:
    """Return what lies between elements; one whose weight is 0 is not read."""
    if weight is None:
        return values[0]
    before, behind = values
    rest = b.add("Sub", 1.0, weight)
    mixed = b.add("Add", b.add("Mul", before, rest), b.add("Mul", behind, weight))
    return b.where(compared(b, "Equal", weight, 0.0), before, mixed)


class _Samples:
    """The samples of all cells: regions, cells and samples along y, along x, channels.

    Attributes
    ----------
    is_there, is_inside, is_used : Value
        Which regions have an image, and which samples lie inside of it, and are a cell's.
    count : Value
        How many samples each cell of a region has: regions, 1, 1.
    """

    def __init__(
        self, node: Node, rows: Value, batches: Value, cells: Sequence[int], image: Sequence[int]
    ) -> None:
        b = self._b = node.b
        self._channels = image[1]
        scales = (node["spatial_scale_x"], node["spatial_scale_y"])
        self._scales = tuple(float(scales[k % 2]) for k in range(4))
        wide = b.cast(rows, DOUBLE)
        corners = [
            b.add("Mul", b.slice(wide, [k], [k + 1], [1]), scale)
            for k, scale in enumerate(self._scales)
        ]
        self.line_y = _Line(node, (corners[1], corners[3]), cells[2], image[2])
        self.line_x = _Line(node, (corners[0], corners[2]), cells[3], image[3])
        most = node["maximum_samples_per_output"]
        self._whole = (cells[0], cells[2], most, cells[3], most)
        self.is_there = compared(b, "Less", b.cast(batches, INT64), image[0])
        known = b.cast(extreme(b, "Min", batches, image[0] - 1), INT64)
        self._known = b.reshape(known, [cells[0], 1, 1, 1, 1, 1])
        self.is_inside = both(
            b, self._down(self.line_y.is_inside), self._across(self.line_x.is_inside)
        )
        self.is_used = both(b, self._down(self.line_y.is_used), self._across(self.line_x.is_used))
        self.count = b.add("Mul", self.line_y.count, self.line_x.count)

    def _down(self, value: Value) -> Value:
        return self._b.reshape(value, (*value.sizes, 1, 1, 1))

    def _across(self, value: Value) -> Value:
        return self._b.reshape(value, (value.sizes[0], 1, 1, *value.sizes[1:], 1))

    def _places(self, y: Value, x: Value) -> Value:
        """Return where elements lie: image, row, column."""
        b = self._b
        parts = [self._known, self._down(b.cast(y, INT64)), self._across(b.cast(x, INT64))]
        return b.concat([b.expand(part, (*self._whole, 1)) for part in parts], 5)

    def _read(self, image: Value, y: Value, x: Value) -> Value:
        b = self._b
        pixels = b.transpose(image, [0, 2, 3, 1])
        sizes = (*self._whole, self._channels)
        return b.cast(b.add("GatherND", pixels, self._places(y, x), sizes=sizes), DOUBLE)

    def values(self, image: Value) -> Value:
        """Return what samples are; of those outside, of the border."""
        b, line_x, line_y = self._b, self.line_x, self.line_y
        x_weight = None if line_x.weight is None else self._across(line_x.weight)
        y_weight = None if line_y.weight is None else self._down(line_y.weight)
        lines = [
            _between(b, [self._read(image, y, at) for at in line_x.taps], x_weight)
            for y in line_y.taps
        ]
        return _between(b, lines, y_weight)

    # ---- gradients ----

    @property
    def counts(self) -> Value:
        """Which samples have a share: those of a cell that are inside of an image."""
        regions = self._whole[0]
        is_there = self._b.reshape(self.is_there, [regions, 1, 1, 1, 1, 1])
        return both(self._b, both(self._b, self.is_used, self.is_inside), is_there)

    def chosen(self, image: Value) -> Value:
        """Return which sample of each cell is the largest, the first of equals."""
        b, (regions, height, most, width, _) = self._b, self._whole
        value = b.where(self.counts, self.values(image), -math.inf)
        listed = b.reshape(
            b.transpose(value, [0, 1, 3, 5, 2, 4]),
            [regions, height, width, self._channels, most * most],
        )
        best = b.add(
            "ArgMax", listed, dtype=INT64, sizes=(*listed.sizes[:-1], 1), axis=-1, keepdims=1
        )
        numbers = b.constant(np.arange(most * most, dtype=np.int64))
        found = compared(b, "Equal", numbers, best)
        found = b.reshape(found, [regions, height, width, self._channels, most, most])
        return both(b, b.transpose(found, [0, 1, 4, 2, 5, 3]), self.counts)

    def given(self, share: Value, image: Sequence[int]) -> Value:
        """Return what shares give to the elements of images."""
        b, whole = self._b, (*self._whole, self._channels)
        count = math.prod(self._whole)
        nothing = b.constant(np.zeros((1, 1, 1, 1)))
        total = b.expand(nothing, [image[0], image[2], image[3], image[1]])
        for y, along_y in _weighed(b, self.line_y):
            for x, along_x in _weighed(b, self.line_x):
                weights = [
                    each
                    for each in (
                        None if along_y is None else self._down(along_y),
                        None if along_x is None else self._across(along_x),
                    )
                    if each is not None
                ]
                part = share
                if weights:
                    weight = weights[0] if len(weights) == 1 else b.add("Mul", *weights)
                    is_nothing = compared(b, "Equal", weight, 0.0)
                    part = b.where(is_nothing, 0.0, b.add("Mul", share, weight))
                part = b.reshape(b.expand(part, whole), [count, self._channels])
                places = b.reshape(self._places(y, x), [count, 3])
                total = b.add("ScatterND", total, places, part, sizes=total.sizes, reduction="add")
        return b.transpose(total, [0, 3, 1, 2])

    def moved(self, image: Value, share: Value, sizes: Sequence[int]) -> Value:
        """Return how shares move the regions: x1, y1, x2, y2."""
        b, line_x, line_y = self._b, self.line_x, self.line_y
        (top_left, top_right), (bottom_left, bottom_right) = (
            [self._read(image, y, x) for x in line_x.neighbours] for y in line_y.neighbours
        )
        x_weight, y_weight = self._across(line_x.between), self._down(line_y.between)
        steps = {
            "x": (top_left, top_right, bottom_left, bottom_right, y_weight),
            "y": (top_left, bottom_left, top_right, bottom_right, x_weight),
        }
        slopes = {}
        for name, (a, b_, c, d, weight) in steps.items():
            slope = _between(b, [b.add("Sub", b_, a), b.add("Sub", d, c)], weight)
            slopes[name] = b.where(self.counts, b.add("Mul", slope, share), 0.0)
        parts = {"x": self._across(line_x.fraction), "y": self._down(line_y.fraction)}
        columns = []
        for number, scale in enumerate(self._scales):
            name = "xy"[number % 2]
            part = parts[name] if number >= 2 else b.add("Sub", 1.0, parts[name])  # noqa: PLR2004 (ends)
            terms = b.add("Mul", b.add("Mul", slopes[name], part), scale)
            total = b.reduce("ReduceSum", terms, range(1, 6), keep=False)
            columns.append(b.reshape(total, [self._whole[0], 1]))
        return b.reshape(b.concat(columns, 1), sizes)


def _weighed(b: Builder, line: _Line) -> list[tuple[Value, Value | None]]:
    """Return the elements that samples read along an axis, and their weights."""
    if line.weight is None:
        return [(line.taps[0], None)]
    return [(line.taps[0], b.add("Sub", 1.0, line.weight)), (line.taps[1], line.weight)]


def _sampled(node: Node, x: Value, rows: Value, batches: Value) -> Value:
    """Return the average or the largest of samples, which are masked where there are fewer."""
    b = node.b
    regions = node.sizes[0]
    outside = float(node["out_of_bounds_input_value"])
    samples = _Samples(node, rows, batches, node.sizes, x.sizes)
    value = b.where(samples.is_inside, samples.values(x), outside)
    if node["reduction_function"] == ReduceFunction.AVERAGE:
        total = b.reduce("ReduceSum", b.where(samples.is_used, value, 0.0), [2, 4], keep=False)
        counts = b.reshape(samples.count, [regions, 1, 1, 1])
        result = b.add("Div", total, counts)
    else:
        masked = b.where(samples.is_used, value, -math.inf)
        result = b.reduce("ReduceMax", masked, [2, 4], keep=False)
    result = b.where(b.reshape(samples.is_there, [regions, 1, 1, 1]), result, outside)
    return b.transpose(result, [0, 3, 1, 2])
