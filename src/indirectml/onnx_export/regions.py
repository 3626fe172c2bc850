"""ONNX forms of regions of interest."""

from __future__ import annotations

import math

import numpy as np

from indirectml.catalogue.enumerations import InterpolationMode, ReduceFunction
from indirectml.onnx_export.building import DOUBLE, INT64, SINGLE, Builder, Value
from indirectml.onnx_export.forms import Node, form, refused
from indirectml.onnx_export.words import both, compared, extreme

#: Where a cell may have more samples than these along an axis, all that may be are not written.
_MOST_SAMPLES = 16

refused(
    {
        "ROI_ALIGN_GRAD": "has no ONNX form: ONNX has no gradient of RoiAlign, and where gradients "
        "go to depends on regions that are known when the model runs",
    }
)


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
        place = b.add("Add", b.add("Mul", fraction, length), start)
        place = b.add("Sub", place, input_offset)
        self.is_inside = both(
            b, compared(b, "GreaterOrEqual", place, -1.0), compared(b, "LessOrEqual", place, size)
        )
        place = b.where(self.is_inside, place, 0.0)
        place = b.add("Min", b.add("Max", place, 0.0), float(size - 1))
        self.weight: Value | None = None
        if node["interpolation_mode"] == InterpolationMode.LINEAR:
            low = b.add("Floor", place)
            self.taps = [low, b.add("Ceil", place)]
            self.weight = b.add("Sub", place, low)
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


def _sampled(node: Node, x: Value, rows: Value, batches: Value) -> Value:
    """Return the average or the largest of samples, which are masked where there are fewer."""
    b, most = node.b, node["maximum_samples_per_output"]
    regions, channels, height, width = node.sizes
    outside = float(node["out_of_bounds_input_value"])
    scales = (node["spatial_scale_x"], node["spatial_scale_y"])
    wide = b.cast(rows, DOUBLE)
    corners = [
        b.add("Mul", b.slice(wide, [k], [k + 1], [1]), float(scales[k % 2])) for k in range(4)
    ]
    line_y = _Line(node, (corners[1], corners[3]), height, x.sizes[2])
    line_x = _Line(node, (corners[0], corners[2]), width, x.sizes[3])
    is_there = compared(b, "Less", b.cast(batches, INT64), x.sizes[0])
    known = b.cast(extreme(b, "Min", batches, x.sizes[0] - 1), INT64)
    known = b.reshape(known, [regions, 1, 1, 1, 1, 1])
    pixels = b.transpose(x, [0, 2, 3, 1])
    whole = (regions, height, most, width, most)

    def down(value: Value) -> Value:
        return b.reshape(value, (*value.sizes, 1, 1, 1))

    def across(value: Value) -> Value:
        return b.reshape(value, (regions, 1, 1, *value.sizes[1:], 1))

    def read(y: Value, at: Value) -> Value:
        """Return elements: regions, cells and samples along y and along x, channels."""
        parts = [known, down(b.cast(y, INT64)), across(b.cast(at, INT64))]
        place = b.concat([b.expand(part, (*whole, 1)) for part in parts], 5)
        found = b.add("GatherND", pixels, place, sizes=(*whole, channels))
        return b.cast(found, DOUBLE)

    x_weight = None if line_x.weight is None else across(line_x.weight)
    y_weight = None if line_y.weight is None else down(line_y.weight)
    lines = [_between(b, [read(y, at) for at in line_x.taps], x_weight) for y in line_y.taps]
    value = _between(b, lines, y_weight)
    value = b.where(both(b, down(line_y.is_inside), across(line_x.is_inside)), value, outside)
    is_used = both(b, down(line_y.is_used), across(line_x.is_used))
    if node["reduction_function"] == ReduceFunction.AVERAGE:
        total = b.reduce("ReduceSum", b.where(is_used, value, 0.0), [2, 4], keep=False)
        counts = b.reshape(b.add("Mul", line_y.count, line_x.count), [regions, 1, 1, 1])
        result = b.add("Div", total, counts)
    else:
        result = b.reduce("ReduceMax", b.where(is_used, value, -math.inf), [2, 4], keep=False)
    result = b.where(b.reshape(is_there, [regions, 1, 1, 1]), result, outside)
    return b.transpose(result, [0, 3, 1, 2])
