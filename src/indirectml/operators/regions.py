"""Regions of interest: rectangles of an image, each brought to the same size.

Coordinates are (x1, y1, x2, y2).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from indirectml.arithmetic import regions as words
from indirectml.arithmetic.basics import Array
from indirectml.catalogue.enumerations import InterpolationMode, ReduceFunction
from indirectml.core.errors import DescriptorError, DirectMLError
from indirectml.descriptors.definitions import graph_function, operator
from indirectml.descriptors.fields import Size2D
from indirectml.graphs.expressions import Expression, checked_operand, new_tensor
from indirectml.graphs.outputs import RoiAlignGradOutputs
from indirectml.operators import descriptor_class

Shape = tuple[int, ...]

_AVERAGE, _MAX = ReduceFunction.AVERAGE, ReduceFunction.MAX
_CHOICES: dict[ReduceFunction, words.Choice] = {_AVERAGE: "average", _MAX: "largest"}
_MODES: dict[InterpolationMode, words.Mode] = {
    InterpolationMode.LINEAR: "linear",
    InterpolationMode.NEAREST_NEIGHBOR: "nearest",
}


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
    return words.roi_pool(x, roi, spatial_scale, (pooled_size.height, pooled_size.width))


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
    sampling = words.Sampling(
        spatial_scale_x, spatial_scale_y, input_pixel_offset, output_pixel_offset,
        minimum_samples_per_output, maximum_samples_per_output, align_regions_to_corners,
        _MODES[interpolation_mode], _CHOICES[reduction_function],
    )  # fmt: skip
    outside = out_of_bounds_input_value
    return words.roi_align(x, roi, batch_indices, sampling, outside, output_sizes)


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


@operator("ROI_ALIGN_GRAD", check=_check_gradient)
def roi_gradients(
    x: Array | None, gradient: Array, roi: Array, batch_indices: Array, *,
    reduction_function: ReduceFunction, interpolation_mode: InterpolationMode,
    spatial_scale_x: float, spatial_scale_y: float, input_pixel_offset: float,
    output_pixel_offset: float, minimum_samples_per_output: int, maximum_samples_per_output: int,
    align_regions_to_corners: bool, desc: Any,
) -> tuple[Array | None, Array | None]:  # fmt: skip
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
    sampling = words.Sampling(
        spatial_scale_x, spatial_scale_y, input_pixel_offset, output_pixel_offset,
        minimum_samples_per_output, maximum_samples_per_output, align_regions_to_corners,
        _MODES[interpolation_mode], _CHOICES[reduction_function],
    )  # fmt: skip
    of_image = of_regions = None
    if desc.output_gradient_tensor is not None:
        chosen = x if reduction_function == _MAX else None
        sizes = desc.output_gradient_tensor.sizes_tuple
        of_image = words.roi_align_gradient(chosen, gradient, roi, batch_indices, sampling, sizes)
    if x is not None and desc.output_roi_gradient_tensor is not None:
        of_regions = words.roi_align_gradient_of_regions(x, gradient, roi, batch_indices, sampling)
    return of_image, of_regions


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
