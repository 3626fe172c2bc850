"""Functions for graphs of the family resampling, written by hand."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from indirectml.catalogue.enumerations import AxisDirection, InterpolationMode
from indirectml.catalogue.feature_levels import FeatureLevel
from indirectml.descriptors.definitions import graph_function
from indirectml.graphs.expressions import Expression, checked_operand, new_tensor
from indirectml.operators import descriptor_class
from indirectml.operators.resampling import INPUT_OFFSET, OUTPUT_OFFSET, Floats, Shape


@graph_function
def resample(
    input: Expression,
    *,
    output_sizes: Sequence[int],
    mode: InterpolationMode,
    rounding_direction: AxisDirection = AxisDirection.INCREASING,
    scales: Sequence[float] = (),
    input_pixel_offsets: Sequence[float] = (),
    output_pixel_offsets: Sequence[float] = (),
    antialiased: bool = False,
) -> Expression:
    """Return a tensor stretched or shrunk to other sizes; see `Resample3OperatorDesc`.

    By the offsets that are there if none are given, NEAREST_NEIGHBOR is not the nearest element: a
    coordinate between two is always rounded up (or down), so that all elements but the last come
    from half a position further on. The nearest element is what `resample1` takes; elements that
    are repeated, as `numpy.repeat` does, have offsets of 0 and DECREASING.

    Parameters
    ----------
    input : Expression
        What is resampled.
    output_sizes : sequence of int
        Of the result.
    mode : InterpolationMode
        What lies between elements.
    rounding_direction : AxisDirection
        Where NEAREST_NEIGHBOR rounds coordinates to.
    scales : sequence of float
        Output size over input size, one per dimension; left empty, computed from the sizes.
    input_pixel_offsets, output_pixel_offsets : sequence of float
        One per dimension; left empty, 0.5 and -0.5.
    antialiased : bool
        By RESAMPLE3, from feature level 6_4 on; otherwise RESAMPLE2 is used.

    Examples
    --------
    >>> graph = Graph(Device())
    >>> x = graph.constant(np.array([0, 8], np.float32))
    >>> graph.compile([resample(x, output_sizes=[4], mode=InterpolationMode.LINEAR)])()
    [array([0., 2., 6., 8.], dtype=float32)]
    """
    shape = checked_operand("resample", input).shape
    sizes = tuple(output_sizes)
    fields = _fields(shape, sizes, mode, scales, input_pixel_offsets, output_pixel_offsets)
    fields["rounding_direction"] = rounding_direction
    output = new_tensor(input, sizes)
    if antialiased or input.graph.feature_level >= FeatureLevel.LEVEL_6_4:
        desc = descriptor_class("RESAMPLE3")(input.desc, output, antialiased=antialiased, **fields)
    else:
        desc = descriptor_class("RESAMPLE2")(input.desc, output, **fields)
    return input.graph.add_node(desc, input)[0]


def _fields(
    shape: Shape, sizes: Shape, mode: InterpolationMode, scales: Floats, input_offsets: Floats,
    output_offsets: Floats,
) -> dict[str, Any]:  # fmt: skip
    """Return the fields that all these operators have, with what follows where they are empty."""
    return {
        "interpolation_mode": mode,
        "scales": tuple(scales) or tuple(m / n for n, m in zip(shape, sizes, strict=False)),
        "input_pixel_offsets": tuple(input_offsets) or (INPUT_OFFSET,) * len(shape),
        "output_pixel_offsets": tuple(output_offsets) or (OUTPUT_OFFSET,) * len(shape),
    }


@graph_function
def resample1(
    input: Expression,
    *,
    output_sizes: Sequence[int],
    mode: InterpolationMode,
    scales: Sequence[float] = (),
    input_pixel_offsets: Sequence[float] = (),
    output_pixel_offsets: Sequence[float] = (),
) -> Expression:
    """Return a tensor stretched or shrunk, with the nearest elements; see `Resample1OperatorDesc`.

    Parameters
    ----------
    input, output_sizes, mode, scales, input_pixel_offsets, output_pixel_offsets
        As in `resample`.

    Examples
    --------
    >>> graph = Graph(Device())
    >>> x = graph.constant(np.array([1, 2], np.float32))
    >>> nearest = InterpolationMode.NEAREST_NEIGHBOR
    >>> graph.compile([resample1(x, output_sizes=[4], mode=nearest)])()
    [array([1., 1., 2., 2.], dtype=float32)]
    >>> graph.compile([resample(x, output_sizes=[4], mode=nearest)])()
    [array([1., 2., 2., 2.], dtype=float32)]
    """
    shape, sizes = checked_operand("resample1", input).shape, tuple(output_sizes)
    fields = _fields(shape, sizes, mode, scales, input_pixel_offsets, output_pixel_offsets)
    desc = descriptor_class("RESAMPLE1")(input.desc, new_tensor(input, sizes), **fields)
    return input.graph.add_node(desc, input)[0]


@graph_function
def resample_grad(
    input_gradient: Expression,
    *,
    output_sizes: Sequence[int],
    mode: InterpolationMode,
    scales: Sequence[float] = (),
    input_pixel_offsets: Sequence[float] = (),
    output_pixel_offsets: Sequence[float] = (),
    rounding_direction: AxisDirection | None = None,
) -> Expression:
    """Return the gradient of `resample1`, or of `resample`, by its input.

    Parameters
    ----------
    input_gradient : Expression
        By the result of the function.
    output_sizes : sequence of int
        Of the function's input, and so of the gradient.
    mode, scales, input_pixel_offsets, output_pixel_offsets
        As for the function; scales that are left empty follow from the sizes.
    rounding_direction : AxisDirection, optional
        Given, it is the gradient of `resample` with this direction, by RESAMPLE_GRAD1; else that of
        `resample1`, by RESAMPLE_GRAD.

    Examples
    --------
    >>> graph = Graph(Device())
    >>> gradient = graph.constant(np.array([1, 2, 3, 4], np.float32))
    >>> mode = InterpolationMode.NEAREST_NEIGHBOR
    >>> graph.compile([resample_grad(gradient, output_sizes=[2], mode=mode)])()
    [array([3., 7.], dtype=float32)]
    """
    shape, sizes = checked_operand("resample_grad", input_gradient).shape, tuple(output_sizes)
    fields = _fields(sizes, shape, mode, scales, input_pixel_offsets, output_pixel_offsets)
    version = "RESAMPLE_GRAD"
    if rounding_direction is not None:
        version, fields["rounding_direction"] = "RESAMPLE_GRAD1", rounding_direction
    output = new_tensor(input_gradient, sizes)
    desc = descriptor_class(version)(input_gradient.desc, output, **fields)
    return input_gradient.graph.add_node(desc, input_gradient)[0]
