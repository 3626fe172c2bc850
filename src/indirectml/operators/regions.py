"""Regions of interest: rectangles of an image, each brought to the same size.

Coordinates are (x1, y1, x2, y2). What ROI_ALIGN reads between elements, and what ROI_ALIGN_GRAD
gives back to them, comes from one list of samples.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np

from indirectml.arithmetic.basics import Array
from indirectml.catalogue.enumerations import InterpolationMode, ReduceFunction
from indirectml.core.errors import DescriptorError, DirectMLError
from indirectml.descriptors.definitions import graph_function, operator
from indirectml.descriptors.fields import Size2D
from indirectml.graphs.expressions import Expression, checked_operand, new_tensor
from indirectml.graphs.outputs import RoiAlignGradOutputs
from indirectml.operators import descriptor_class

Shape = tuple[int, ...]

_LINEAR = InterpolationMode.LINEAR
_AVERAGE, _MAX = ReduceFunction.AVERAGE, ReduceFunction.MAX


def _pooled_sizes(input_sizes: Shape, roi_sizes: Shape, *, pooled_size: Size2D) -> Shape:
    """The count of regions, the input's channels, and the pooled height and width."""
    size = Size2D(*pooled_size)
    return (roi_sizes[-2], input_sizes[1], size.height, size.width)


def _check_rows(desc: Any, columns: int) -> Iterator[DirectMLError]:
    sizes = desc.roi_tensor.sizes
    if sizes[-1] != columns or any(size != 1 for size in sizes[:-2]):
        yield DescriptorError(
            f"needs a count of regions and {columns}, behind ones",
            given=f"{sizes}",
            field="roi_tensor.sizes",
        )


def _check_pooling(desc: Any) -> Iterator[DirectMLError]:
    yield from _check_rows(desc, 5)
    for name in ("width", "height"):
        if getattr(desc.pooled_size, name) < 1:
            yield DescriptorError("needs at least 1", given="0", field=f"pooled_size.{name}")


@operator("ROI_POOLING", "roi_pooling", sizes=_pooled_sizes, check=_check_pooling)
def roi_maxima(x: Array, roi: Array, *, spatial_scale: float, pooled_size: Size2D) -> Array:
    """Output = the largest element of each cell of each region.

    A row of ROITensor is (batch, x1, y1, x2, y2). Coordinates times SpatialScale, rounded to
    FLOAT32, go to the nearest integers, of two the one farther from 0; the region includes both
    ends and has at least one element. Of n elements cell i of m has those from floor(i n / m) to
    before ceil((i + 1) n / m), exactly, as far as they lie inside of the input. A NaN wins, +0 is
    larger than -0, and a cell without an element is 0. A batch that there is not gives 0.

    The page is silent: cells, borders and rounding; ONNX's MaxRoiPool decides, as Caffe computes
    it.

    Our choice: a batch that there is not.

    Example: spatial_scale=1, pooled_size=(2, 1);
        float32 [[[[1, 2, 3, 4], [5, 6, 7, 8]]]], [[[[0, 1, 0, 3, 1]]]] -> [[[[7, 8]]]]
    """
    rows = roi.reshape(-1, roi.shape[-1]).astype(np.float32)
    _, channels, height, width = x.shape
    out = np.zeros((len(rows), channels, pooled_size.height, pooled_size.width), x.dtype)
    for number, (batch, *corners) in enumerate(rows):
        ends = [_rounded_away(float(c * np.float32(spatial_scale))) for c in corners]
        if not 0 <= batch < len(x) or None in ends:
            continue
        x1, y1, x2, y2 = (end or 0 for end in ends)
        along_y = _cells(y1, y2, pooled_size.height, height)
        along_x = _cells(x1, x2, pooled_size.width, width)
        for (i, (top, bottom)), (j, (left, right)) in product(
            enumerate(along_y), enumerate(along_x)
        ):
            cell = x[int(batch), :, top:bottom, left:right]
            if cell.size:
                out[number, :, i, j] = _largest(cell.reshape(channels, -1))
    return out


def _rounded_away(value: float) -> int | None:
    """Return the nearest integer, of two the one farther from 0; None for no finite number."""
    if not math.isfinite(value):
        return None
    whole = math.floor(abs(value))
    whole += abs(value) - whole >= 0.5  # noqa: PLR2004 (a half)
    return whole if value >= 0 else -whole


def _cells(start: int, end: int, count: int, size: int) -> list[tuple[int, int]]:
    """Return where cells begin and end along an axis, inside of the input."""
    length = max(end - start + 1, 1)
    cells = ((start + i * length // count, start - (-(i + 1) * length // count))
             for i in range(count))  # fmt: skip
    return [(min(max(a, 0), size), min(max(b, 0), size)) for a, b in cells]


def _largest(rows: Array) -> Array:
    """Return the largest of each row: NaN before all, and +0 before -0."""
    best = rows[:, 0]
    for column in rows.T[1:]:
        best = np.where(_is_larger(column, best), column, best)
    return best


def _is_larger(new: Array, old: Array) -> Array:
    is_zero = (new == 0) & (old == 0) & np.signbit(old) & ~np.signbit(new)
    larger: Array = (np.isnan(new) & ~np.isnan(old)) | (new > old) | is_zero
    return larger


@dataclass(frozen=True)
class _Line:
    """The samples of a region along one axis: arrays of sizes (outputs, samples).

    Their coordinates, limited to the input; which of them were inside of it; and how far they lie
    from the region's start, as a part of its length.
    """

    place: Array
    is_inside: Array
    fraction: Array

    @property
    def count(self) -> int:
        """How many samples each output has."""
        return self.place.shape[1]

    def neighbours(self, sample: int) -> tuple[Array, Array, Array]:
        """Return both neighbours of one sample of each output, and the weight of the second."""
        place = self.place[:, sample]
        low = np.floor(place)
        return low.astype(np.intp), np.ceil(place).astype(np.intp), place - low

    def taps(self, sample: int, mode: InterpolationMode) -> tuple[Array, Array, Array]:
        """Return what one sample of each output reads, in the form of `neighbours`."""
        if mode == _LINEAR:
            return self.neighbours(sample)
        nearest = np.ceil(self.place[:, sample] - 0.5).astype(np.intp)
        return nearest, nearest, np.zeros(nearest.shape)


@dataclass(frozen=True)
class _Sampling:
    """The fields that say where samples lie."""

    scale_x: float
    scale_y: float
    input_offset: float
    output_offset: float
    fewest: int
    most: int
    is_stretched: bool

    def lines(self, region: Array, output_sizes: Shape, input_sizes: Shape) -> tuple[_Line, _Line]:
        """Return the samples of a region along y and x."""
        x1, y1, x2, y2 = (float(c) for c in region)
        along_y = self._line(
            y1 * self.scale_y, y2 * self.scale_y, output_sizes[-2], input_sizes[-2]
        )
        along_x = self._line(
            x1 * self.scale_x, x2 * self.scale_x, output_sizes[-1], input_sizes[-1]
        )
        return along_y, along_x

    def _line(self, start: float, end: float, outputs: int, size: int) -> _Line:
        length = end - start
        wanted = math.ceil(length / outputs) if math.isfinite(length) else 0
        count = min(max(wanted, self.fewest), self.most)
        at = np.arange(outputs * count, dtype=np.float64).reshape(outputs, count)
        if not self.is_stretched:
            fraction = (at - self.output_offset) / (outputs * count)
        elif outputs * count > 1:
            fraction = (at - self.output_offset) / (outputs * count - 1)
        else:
            fraction = np.full((1, 1), 0.5)
        place = fraction * length + start - self.input_offset
        is_inside = (place >= -1) & (place <= size)
        limited = np.clip(np.where(is_inside, place, 0.0), 0.0, size - 1.0)
        return _Line(limited, is_inside, fraction)


def _between(before: Array, behind: Array, weight: Array) -> Array:
    """Return what lies between elements; one whose weight is 0 is not read."""
    mixed = before * (1 - weight) + behind * weight
    return np.where(weight == 0, before, mixed)


def _samples(
    image: Array, lines: tuple[_Line, _Line], mode: InterpolationMode, outside: float
) -> Iterator[Array]:
    """Yield one sample of all outputs of a region at a time, row by row."""
    along_y, along_x = lines
    for i, j in product(range(along_y.count), range(along_x.count)):
        top, bottom, y_weight = along_y.taps(i, mode)
        left, right, x_weight = along_x.taps(j, mode)
        rows = [
            _between(image[:, y[:, None], left], image[:, y[:, None], right], x_weight)
            for y in (top, bottom)
        ]
        value = _between(rows[0], rows[1], y_weight[:, None])
        is_inside = along_y.is_inside[:, i, None] & along_x.is_inside[:, j]
        yield np.where(is_inside, value, outside)


def _check_regions(desc: Any) -> Iterator[DirectMLError]:
    yield from _check_rows(desc, 4)
    count = desc.roi_tensor.sizes[-2]
    batches = desc.batch_indices_tensor.sizes
    if batches[-1] != count or any(size != 1 for size in batches[:-1]):
        yield DescriptorError(
            f"needs one per region ({count}), behind ones",
            given=f"{batches}",
            field="batch_indices_tensor.sizes",
        )
    if desc.reduction_function not in (_AVERAGE, _MAX):
        yield DescriptorError(
            "needs AVERAGE or MAX", given=desc.reduction_function.name, field="reduction_function"
        )
    if not 1 <= desc.minimum_samples_per_output <= desc.maximum_samples_per_output:
        yield DescriptorError(
            f"needs 1 to maximum_samples_per_output, {desc.maximum_samples_per_output}",
            given=f"{desc.minimum_samples_per_output}",
            field="minimum_samples_per_output",
        )


def _check_align(desc: Any) -> Iterator[DirectMLError]:
    yield from _check_regions(desc)
    expected = [desc.roi_tensor.sizes[-2], desc.input_tensor.sizes[1]]
    if desc.output_tensor.sizes[:2] != expected:
        yield DescriptorError(
            f"needs the count of regions and the input's channels, {expected}, first",
            given=f"{desc.output_tensor.sizes}",
            field="output_tensor.sizes",
        )


@operator(
    "ROI_ALIGN1",
    older=("ROI_ALIGN",),
    check=_check_align,
    defaults={
        "input_pixel_offset": 0.5,
        "output_pixel_offset": -0.5,
        "align_regions_to_corners": False,
    },
)
def roi_aligned(
    x: Array, roi: Array, batch_indices: Array, *, reduction_function: ReduceFunction,
    interpolation_mode: InterpolationMode, spatial_scale_x: float, spatial_scale_y: float,
    input_pixel_offset: float = 0.5, output_pixel_offset: float = -0.5,
    out_of_bounds_input_value: float, minimum_samples_per_output: int,
    maximum_samples_per_output: int, align_regions_to_corners: bool = False, output_sizes: Shape,
) -> Array:  # fmt: skip
    """Output = the average or the largest of the samples of each cell of each region.

    Along each axis, with a region from s to e after scaling, and m cells:

        n = ceil((e - s) / m), within MinimumSamplesPerOutput and MaximumSamplesPerOutput
        t(k) = (k - OutputPixelOffset) / (m n), or / (m n - 1) with AlignRegionsToCorners
        coordinate of sample k = t(k) (e - s) + s - InputPixelOffset

    Cell i has the samples from i n to before (i + 1) n. A coordinate from -1 to the input's size is
    limited to the input; beyond, and NaN, the sample is OutOfBoundsInputValue. LINEAR weighs both
    neighbours, along x first; NEAREST_NEIGHBOR takes the nearest, of two equally near ones the one
    with the lower position. Samples are added row by row, and divided by their count; of the
    largest, a NaN wins, and +0 is larger than -0. FLOAT64, rounded once. ROI_ALIGN has offsets of
    0.5 and -0.5, and no AlignRegionsToCorners.

    The page errs: it takes the scale of y from x, and one sample more per cell than it counts.
    ONNX's RoiAlign, which ONNX Runtime maps to this operator, decides.

    The page is silent: rounding of the count of samples, and borders, which ONNX's RoiAlign decides
    too; the nearer of two equally near elements, which the page of ROI_ALIGN_GRAD shows.

    Our choice: a single sample with AlignRegionsToCorners lies in the middle, a region that is not
    finite has the fewest samples, and a batch that there is not gives OutOfBoundsInputValue.

    Example: reduction_function=AVERAGE, interpolation_mode=LINEAR, spatial_scale_x=1,
        spatial_scale_y=1, out_of_bounds_input_value=0, minimum_samples_per_output=1,
        maximum_samples_per_output=2;
        float32 [[[[1, 2, 3, 4]]]], [[0, 0, 4, 1]], uint32 [0] -> float32 [[[[1.5, 3.5]]]]
    """
    sampling = _Sampling(
        spatial_scale_x, spatial_scale_y, input_pixel_offset, output_pixel_offset,
        minimum_samples_per_output, maximum_samples_per_output, align_regions_to_corners,
    )  # fmt: skip
    out = np.full(output_sizes, out_of_bounds_input_value, np.float64)
    images = x.astype(np.float64)
    regions = zip(roi.reshape(-1, 4), batch_indices.reshape(-1).tolist(), strict=True)
    for number, (region, batch) in enumerate(regions):
        if batch >= len(images):
            continue
        lines = sampling.lines(region, output_sizes, x.shape)
        samples = _samples(images[batch], lines, interpolation_mode, out_of_bounds_input_value)
        total = next(samples)
        for sample in samples:
            if reduction_function == _AVERAGE:
                total = total + sample
            else:
                total = np.where(_is_larger(sample, total), sample, total)
        count = lines[0].count * lines[1].count
        out[number] = total / count if reduction_function == _AVERAGE else total
    return out


@graph_function
def roi_align(
    input: Expression, roi: Expression, batch_indices: Expression, *,
    reduction_function: ReduceFunction, interpolation_mode: InterpolationMode,
    spatial_scale_x: float, spatial_scale_y: float, input_pixel_offset: float,
    output_pixel_offset: float, out_of_bounds_input_value: float, minimum_samples_per_output: int,
    maximum_samples_per_output: int, align_regions_to_corners: bool, output_height: int,
    output_width: int,
) -> Expression:  # fmt: skip
    """Return regions of images, each brought to the same size; see `RoiAlign1OperatorDesc`.

    Parameters
    ----------
    input : Expression
        Images: batch, channels, height, width.
    roi : Expression
        Regions (x1, y1, x2, y2), one per row.
    batch_indices : Expression
        The image of each region.
    reduction_function, interpolation_mode, spatial_scale_x, spatial_scale_y, input_pixel_offset, \
output_pixel_offset, out_of_bounds_input_value, minimum_samples_per_output, \
maximum_samples_per_output, align_regions_to_corners
        As the fields of the descriptor.
    output_height, output_width : int
        Of each region's part of the result.

    Examples
    --------
    >>> graph = Graph(Device())
    >>> x = graph.constant(np.array([[[[1, 2, 3, 4]]]], np.float32))
    >>> roi = graph.constant(np.array([[0, 0, 4, 1]], np.float32))
    >>> batch = graph.constant(np.array([0], np.uint32))
    >>> aligned = roi_align(x, roi, batch, reduction_function=ReduceFunction.AVERAGE,
    ...     interpolation_mode=InterpolationMode.LINEAR, spatial_scale_x=1, spatial_scale_y=1,
    ...     input_pixel_offset=0.5, output_pixel_offset=-0.5, out_of_bounds_input_value=0,
    ...     minimum_samples_per_output=1, maximum_samples_per_output=2,
    ...     align_regions_to_corners=False, output_height=1, output_width=2)
    >>> graph.compile([aligned])()
    [array([[[[1.5, 3.5]]]], dtype=float32)]
    """
    for operand in (input, roi, batch_indices):
        checked_operand("roi_align", operand)
    sizes = (
        roi.shape[-2] if len(roi.shape) > 1 else 1,
        input.shape[1],
        output_height,
        output_width,
    )
    desc = descriptor_class("ROI_ALIGN1")(
        input_tensor=input.desc, roi_tensor=roi.desc, batch_indices_tensor=batch_indices.desc,
        output_tensor=new_tensor(input, sizes), reduction_function=reduction_function,
        interpolation_mode=interpolation_mode, spatial_scale_x=spatial_scale_x,
        spatial_scale_y=spatial_scale_y, input_pixel_offset=input_pixel_offset,
        output_pixel_offset=output_pixel_offset,
        out_of_bounds_input_value=out_of_bounds_input_value,
        minimum_samples_per_output=minimum_samples_per_output,
        maximum_samples_per_output=maximum_samples_per_output,
        align_regions_to_corners=align_regions_to_corners,
    )  # fmt: skip
    return input.graph.add_node(desc, input, roi, batch_indices)[0]


def _check_gradient(desc: Any) -> Iterator[DirectMLError]:
    yield from _check_regions(desc)
    of_image, of_regions = desc.output_gradient_tensor, desc.output_roi_gradient_tensor
    if of_image is None and of_regions is None:
        raise DescriptorError(
            "needs this output, or output_roi_gradient_tensor", field="output_gradient_tensor"
        )
    needs_input = of_regions is not None or desc.reduction_function == _MAX
    if needs_input and desc.input_tensor is None:
        raise DescriptorError(
            "is needed for output_roi_gradient_tensor, and for MAX", field="input_tensor"
        )
    expected = [desc.roi_tensor.sizes[-2]]
    if of_regions is not None and of_regions.sizes != desc.roi_tensor.sizes:
        yield DescriptorError(
            f"needs the sizes of roi_tensor, {desc.roi_tensor.sizes}",
            given=f"{of_regions.sizes}",
            field="output_roi_gradient_tensor.sizes",
        )
    if of_image is not None:
        expected.append(of_image.sizes[1])
        if desc.input_tensor is not None and desc.input_tensor.sizes != of_image.sizes:
            yield DescriptorError(
                f"needs the sizes of input_tensor, {desc.input_tensor.sizes}",
                given=f"{of_image.sizes}",
                field="output_gradient_tensor.sizes",
            )
    else:
        expected.append(desc.input_tensor.sizes[1])
    given = desc.input_gradient_tensor.sizes
    if given[:2] != expected:
        yield DescriptorError(
            f"needs the count of regions and the input's channels, {expected}, first",
            given=f"{given}",
            field="input_gradient_tensor.sizes",
        )


def _shares(
    image: Array | None, gradient: Array, lines: tuple[_Line, _Line], mode: InterpolationMode,
    reduction: ReduceFunction,
) -> Iterator[tuple[int, int, Array]]:  # fmt: skip
    """Yield the samples of a region, by their numbers along y and x, and their shares."""
    numbers = list(product(range(lines[0].count), range(lines[1].count)))
    if reduction == _MAX:
        # Samples outside of the input take no part.
        chosen = np.full(gradient.shape, -1)
        best = np.zeros(gradient.shape)
        samples = _samples(image, lines, mode, -np.inf) if image is not None else iter(())
        for number, sample in enumerate(samples):
            i, j = numbers[number]
            is_inside = lines[0].is_inside[:, i, None] & lines[1].is_inside[:, j]
            is_better = is_inside & ((chosen < 0) | _is_larger(sample, best))
            chosen, best = np.where(is_better, number, chosen), np.where(is_better, sample, best)
    for number, (i, j) in enumerate(numbers):
        is_inside = lines[0].is_inside[:, i, None] & lines[1].is_inside[:, j]
        if reduction == _MAX:
            yield i, j, np.where(chosen == number, gradient, 0.0)
        else:
            yield i, j, np.where(is_inside, gradient / len(numbers), 0.0)


@operator("ROI_ALIGN_GRAD", check=_check_gradient)
def roi_gradients(
    x: Array | None, gradient: Array, roi: Array, batch_indices: Array, *,
    reduction_function: ReduceFunction, interpolation_mode: InterpolationMode,
    spatial_scale_x: float, spatial_scale_y: float, input_pixel_offset: float,
    output_pixel_offset: float, minimum_samples_per_output: int, maximum_samples_per_output: int,
    align_regions_to_corners: bool, desc: Any,
) -> tuple[Array, Array]:  # fmt: skip
    """Outputs = the gradients of ROI_ALIGN1 by its input, and by its regions.

    With AVERAGE each sample inside of the input has an equal share of its cell's gradient, divided
    by the count of all samples; with MAX the largest has all of it, the first of equals. A share
    goes to the elements that the sample reads, times their weights. It moves the region's start by
    share * slope * SpatialScale * (1 - t), and its end by share * slope * SpatialScale * t, with t
    as in ROI_ALIGN1, and the slope between both neighbours along x (y), weighed along y (x); with
    NEAREST_NEIGHBOR too. FLOAT64, added one after the other by region, sample, channel, row and
    column, and rounded once.

    A coordinate that was limited to the input has no slope.

    The page errs: its formula for regions is this one only where the SpatialScale is the input's
    size, and each step between outputs one element; the derivative of ROI_ALIGN1 decides. With
    NEAREST_NEIGHBOR the slope is the page's.

    Example: reduction_function=AVERAGE, interpolation_mode=NEAREST_NEIGHBOR, spatial_scale_x=1,
        spatial_scale_y=1, input_pixel_offset=0.5, output_pixel_offset=-0.5,
        minimum_samples_per_output=1, maximum_samples_per_output=1,
        align_regions_to_corners=False;
        float32 [[[[5, 6]]]], [[[[1, 2, 3]]]], [[0, 0, 2, 1]], uint32 [0]
        -> float32 [[[[3, 3]]]], [[1, 0, 1, 0]]
    """
    sampling = _Sampling(
        spatial_scale_x, spatial_scale_y, input_pixel_offset, output_pixel_offset,
        minimum_samples_per_output, maximum_samples_per_output, align_regions_to_corners,
    )  # fmt: skip
    of_image = desc.output_gradient_tensor
    sizes = of_image.sizes_tuple if of_image is not None else desc.input_tensor.sizes_tuple
    images = None if x is None else x.astype(np.float64)
    to_images = np.zeros(sizes)
    to_regions = np.zeros((len(gradient), 4))
    regions = zip(roi.reshape(-1, 4), batch_indices.reshape(-1).tolist(), strict=True)
    for number, (region, batch) in enumerate(regions):
        if batch >= sizes[0]:
            continue
        lines = sampling.lines(region, gradient.shape, sizes)
        image = None if images is None else images[batch]
        for i, j, share in _shares(
            image, gradient[number].astype(np.float64), lines, interpolation_mode,
            reduction_function,
        ):  # fmt: skip
            _give(to_images[batch], share, lines, (i, j), interpolation_mode)
            if image is not None and desc.output_roi_gradient_tensor is not None:
                moved = _moved(image, share, lines, (i, j))
                scales = (spatial_scale_x, spatial_scale_y) * 2
                for column, (terms, scale) in enumerate(zip(moved, scales, strict=True)):
                    start = to_regions[number, column]
                    summed = np.add.accumulate(np.append(start, terms * scale))
                    to_regions[number, column] = summed[-1]
    return to_images, to_regions.reshape(roi.shape)


def _give(
    target: Array, share: Array, lines: tuple[_Line, _Line], at: tuple[int, int],
    mode: InterpolationMode,
) -> None:  # fmt: skip
    """Add shares to the elements that a sample reads."""
    top, bottom, y_weight = lines[0].taps(at[0], mode)
    left, right, x_weight = lines[1].taps(at[1], mode)
    for rows, along_y in ((top, 1 - y_weight), (bottom, y_weight)):
        for columns, along_x in ((left, 1 - x_weight), (right, x_weight)):
            weight = along_y[:, None] * along_x
            at_elements: Any = (slice(None), rows[:, None], columns)
            np.add.at(target, at_elements, np.where(weight == 0, 0.0, share * weight))


def _moved(
    image: Array, share: Array, lines: tuple[_Line, _Line], at: tuple[int, int]
) -> tuple[Array, Array, Array, Array]:
    """Return how shares move x1, y1, x2 and y2, before scaling."""
    top, bottom, y_weight = lines[0].neighbours(at[0])
    left, right, x_weight = lines[1].neighbours(at[1])
    y_weight = y_weight[:, None]
    corners = [
        image[:, rows[:, None], columns] for rows in (top, bottom) for columns in (left, right)
    ]
    top_left, top_right, bottom_left, bottom_right = corners
    along_x = _between(top_right - top_left, bottom_right - bottom_left, y_weight) * share
    along_y = _between(bottom_left - top_left, bottom_right - top_right, x_weight) * share
    t_y = lines[0].fraction[:, at[0], None]
    t_x = lines[1].fraction[:, at[1]]
    return along_x * (1 - t_x), along_y * (1 - t_y), along_x * t_x, along_y * t_y


@graph_function
def roi_align_grad(
    input_gradient: Expression, roi: Expression, batch_indices: Expression,
    input: Expression | None = None, *, reduction_function: ReduceFunction,
    interpolation_mode: InterpolationMode, spatial_scale_x: float, spatial_scale_y: float,
    input_pixel_offset: float, output_pixel_offset: float, minimum_samples_per_output: int,
    maximum_samples_per_output: int, align_regions_to_corners: bool, batch_size: int,
    image_height: int, image_width: int, compute_output_gradient: bool = True,
    compute_output_roi_gradient: bool = True,
) -> RoiAlignGradOutputs:  # fmt: skip
    """Return the gradients of `roi_align` by images and regions; see `RoiAlignGradOperatorDesc`.

    Parameters
    ----------
    input_gradient : Expression
        By the result of `roi_align`, of the same sizes.
    roi, batch_indices : Expression
        Regions and their images.
    input : Expression, optional
        The images; needed for gradients by regions, and for MAX.
    reduction_function, interpolation_mode, spatial_scale_x, spatial_scale_y, input_pixel_offset, \
output_pixel_offset, minimum_samples_per_output, maximum_samples_per_output, \
align_regions_to_corners
        As the fields of the descriptor.
    batch_size, image_height, image_width : int
        Of the images.
    compute_output_gradient, compute_output_roi_gradient : bool
        Which outputs are wanted; others are None.

    Examples
    --------
    >>> graph = Graph(Device())
    >>> x = graph.constant(np.array([[[[5, 6]]]], np.float32))
    >>> gradient = graph.constant(np.array([[[[1, 2, 3]]]], np.float32))
    >>> roi = graph.constant(np.array([[0, 0, 2, 1]], np.float32))
    >>> batch = graph.constant(np.array([0], np.uint32))
    >>> found = roi_align_grad(gradient, roi, batch, x, reduction_function=ReduceFunction.AVERAGE,
    ...     interpolation_mode=InterpolationMode.NEAREST_NEIGHBOR, spatial_scale_x=1,
    ...     spatial_scale_y=1, input_pixel_offset=0.5, output_pixel_offset=-0.5,
    ...     minimum_samples_per_output=1, maximum_samples_per_output=1,
    ...     align_regions_to_corners=False, batch_size=1, image_height=1, image_width=2)
    >>> graph.compile(list(found))()
    [array([[[[3., 3.]]]], dtype=float32), array([[1., 0., 1., 0.]], dtype=float32)]
    """
    inputs = (input, input_gradient, roi, batch_indices)
    for operand in inputs[1:] if input is None else inputs:
        checked_operand("roi_align_grad", operand)  # type: ignore[arg-type]
    sizes = (batch_size, input_gradient.shape[1], image_height, image_width)
    of_image = new_tensor(input_gradient, sizes) if compute_output_gradient else None
    of_regions = new_tensor(roi) if compute_output_roi_gradient else None
    desc = descriptor_class("ROI_ALIGN_GRAD")(
        input_tensor=None if input is None else input.desc,
        input_gradient_tensor=input_gradient.desc, roi_tensor=roi.desc,
        batch_indices_tensor=batch_indices.desc, output_gradient_tensor=of_image,
        output_roi_gradient_tensor=of_regions, reduction_function=reduction_function,
        interpolation_mode=interpolation_mode, spatial_scale_x=spatial_scale_x,
        spatial_scale_y=spatial_scale_y, input_pixel_offset=input_pixel_offset,
        output_pixel_offset=output_pixel_offset,
        minimum_samples_per_output=minimum_samples_per_output,
        maximum_samples_per_output=maximum_samples_per_output,
        align_regions_to_corners=align_regions_to_corners,
    )  # fmt: skip
    return RoiAlignGradOutputs(*input_gradient.graph.add_node(desc, *inputs))
