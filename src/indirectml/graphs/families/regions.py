"""Functions for graphs of the family regions, written by hand."""

from __future__ import annotations

from indirectml.catalogue.enumerations import InterpolationMode, ReduceFunction
from indirectml.descriptors.definitions import graph_function
from indirectml.graphs.expressions import Expression, checked_operand, new_tensor
from indirectml.graphs.outputs import RoiAlignGradOutputs
from indirectml.operators import descriptor_class


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
