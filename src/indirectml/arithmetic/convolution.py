"""Convolutions: the sums of products of `contraction`, over the elements of a filter.

The products of an output element are numbered k = (channel * rows + row) * columns + column,
counting the elements of the filter as they are stored, within a group, whatever mode and direction.
Chains are cut after every 256 of these k. Padding is included, as zeros. Backwards, positions
between the elements of a strided input are no elements: they are skipped, and keep their k; what
lies beyond the input is padding. The total and the bias are added and rounded.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np

from indirectml import _native
from indirectml.arithmetic.contraction import (
    PANEL,
    InPanels,
    pack,
    panel_sizes,
    zero_point_places,
    zero_points,
)
from indirectml.arithmetic.integers_in_panels import IntegersInPanels
from indirectml.arithmetic.words import word
from indirectml.core.errors import DataTypeError, LayoutError
from indirectml.core.settings import Settings

Array = np.ndarray[Any, Any]
Mode = Literal["cross_correlation", "convolution"]
Direction = Literal["forward", "backward"]

#: "relu", which makes +0 of what is at most that; "clip", with the least and the most; "" for none.
#: And whether results are rounded to FLOAT16 before.
Limits = tuple[Literal["", "relu", "clip"], float, float, bool]
_NO_LIMITS: Limits = ("", 0.0, 0.0, False)

#: NumPy's letters of data types.
_FLOATS = "fe"
_INTEGERS = "bB"
#: Beyond so many output positions filters in panels gain nothing.
_FEW_PIXELS = 256
#: Dimensions of images and channels, which come before the spatial ones.
_LEADING = 2
_MOST_SPATIAL = 3

_ARRAYS = ("strides", "dilations", "start_padding", "end_padding", "output_padding")


@dataclass(frozen=True)
class Geometry:
    """What a convolution is, apart from its data; see `convolve`."""

    mode: Mode
    direction: Direction
    strides: tuple[int, ...]
    dilations: tuple[int, ...]
    start_padding: tuple[int, ...]
    end_padding: tuple[int, ...]
    output_padding: tuple[int, ...]
    group_count: int

    @property
    def is_backward(self) -> bool:
        """Whether it is a transposed convolution."""
        return self.direction == "backward"

    def output_sizes(self, x: tuple[int, ...], w: tuple[int, ...]) -> tuple[int, ...]:
        """Return the sizes of the output for those of input and filter."""
        spatial = []
        for k, (size, taps) in enumerate(zip(x[_LEADING:], w[_LEADING:], strict=True)):
            reach = (taps - 1) * self.dilations[k] + 1
            padding = self.start_padding[k] + self.end_padding[k]
            if self.is_backward:
                length = (size - 1) * self.strides[k] + reach - padding + self.output_padding[k]
            else:
                length = (size + padding - reach) // self.strides[k] + 1 + self.output_padding[k]
            spatial.append(max(length, 0))
        channels = w[1] * self.group_count if self.is_backward else w[0]
        return (x[0], channels, *spatial)


def filter_matrices(sizes: Sequence[int], group_count: int) -> tuple[int, int, int]:
    """Return the sizes of a filter, of a convolution forwards, as a matrix for each group.

    Where each channel has one filter, all are one matrix: vectors of channels are filtered.
    """
    if group_count == sizes[0] > 1 == sizes[1]:
        return (1, sizes[0], math.prod(sizes[2:]))
    return (group_count, sizes[0] // group_count, math.prod(sizes[1:]))


def has_pixel_form(sizes: Sequence[int], group_count: int) -> bool:
    """Return whether filters of integers have a form for channels that lie next to each other."""
    return len(sizes) <= _LEADING + 2 and (sizes[1] > 1 or group_count > 1)


def gains_by_packing(pixels: int, filters: int) -> bool:
    """Return whether panels of filters are faster: where vectors of pixels would not be full."""

    def in_vectors(count: int) -> int:
        return -(-count // PANEL) * PANEL

    return 0 < pixels <= _FEW_PIXELS and pixels * in_vectors(filters) < in_vectors(pixels) * filters


def pack_filters(w: Array, group_count: int = 1) -> InPanels:
    """Return the filters of a convolution forwards in the order in which it reads them.

    Parameters
    ----------
    w : numpy.ndarray
        FLOAT32 or FLOAT16, of sizes (output channels, channels / group_count, spatial sizes).
    group_count : int
        As in `convolve`.

    Notes
    -----
    Every convolution with it has the bits of that with `w`.

    Examples
    --------
    >>> x = np.arange(5, dtype=np.float32).reshape(1, 1, 5)
    >>> convolve(x, pack_filters(np.float32([[[1, 2, 3]]])))
    array([[[ 8., 14., 20.]]], dtype=float32)
    """
    matrices = w.reshape(filter_matrices(w.shape, group_count)).swapaxes(-1, -2)
    groups, depth, filters = matrices.shape
    panels = np.empty((groups, *panel_sizes(depth, filters)), np.float32)
    return replace(pack(matrices, panels), filter_sizes=w.shape)


def _sizes_of(x: Any, w: Any, bias: Any = None, **fields: Any) -> list[tuple[Any, Any]]:  # noqa: ARG001
    sizes = w.filter_sizes if isinstance(w, InPanels) else w.shape
    fields.pop("limits", None)
    return [(Geometry(**fields).output_sizes(x.shape, sizes), np.float32)]


def _convolution_step(
    x: Any, w: Any, bias: Any, *, outputs: Sequence[Any], **fields: Any
) -> _native.Step | None:
    """Return the native form of `convolve`."""
    if bias is not None and not bias.is_packed:
        return None
    return _native.ConvolutionStep(
        three_dimensional_place(x),
        w.place if w.panels else three_dimensional_place(w),
        three(w.panels.filter_sizes[2:], 1) if w.panels else None,
        None if bias is None else bias.place,
        three_dimensional_place(outputs[0]),
        fields["direction"] == "backward",
        fields["mode"] == "convolution",
        three(fields["strides"], 1),
        three(fields["dilations"], 1),
        three(fields["start_padding"], 0),
        fields["group_count"],
        fields.get("limits", _NO_LIMITS),
    )


def three_dimensional_place(view: Any) -> Any:
    """Return where the elements of images are, with 3 spatial dimensions."""
    buffer, offset, letter, sizes, strides = view.place
    missing = _LEADING + _MOST_SPATIAL - len(sizes)
    return (
        buffer,
        offset,
        letter,
        (*sizes[:2], *(1,) * missing, *sizes[2:]),
        (*strides[:2], *(0,) * missing, *strides[2:]),
    )


@word("x", "w", "bias", results=_sizes_of, native=_convolution_step, takes_halves=True)
def convolve(
    x: Array,
    w: Array | InPanels,
    bias: Array | None = None,
    *,
    mode: Mode = "cross_correlation",
    direction: Direction = "forward",
    strides: Sequence[int] | None = None,
    dilations: Sequence[int] | None = None,
    start_padding: Sequence[int] | None = None,
    end_padding: Sequence[int] | None = None,
    output_padding: Sequence[int] | None = None,
    group_count: int = 1,
    limits: Limits = _NO_LIMITS,
    out: Array | None = None,
) -> Array:
    """Return the convolution of images with filters.

    Parameters
    ----------
    x : numpy.ndarray
        FLOAT32 or FLOAT16, of sizes (images, channels, and 1 to 3 spatial sizes), any strides.
    w : numpy.ndarray or InPanels
        FLOAT32 or FLOAT16: the filter, as DirectML stores it, or, forwards, `pack_filters` of it.
        Forwards of sizes (output channels, channels / group_count, spatial sizes); backwards
        (channels, output channels / group_count, spatial sizes).
    bias : numpy.ndarray, optional
        FLOAT32 or FLOAT16, as many elements as there are output channels.
    mode : {"cross_correlation", "convolution"}
        The latter turns the filter round along each spatial dimension.
    direction : {"forward", "backward"}
        The latter is the transposed convolution: the gradient of the former by its input.
    strides, dilations : sequence of int, optional
        One number, at least 1, for each spatial dimension; 1 by default.
    start_padding, end_padding : sequence of int, optional
        Zeros before and after the input; backwards, what is cut off the output. 0 by default.
    output_padding : sequence of int, optional
        By how much the output is longer than the formula says; 0 by default.
    group_count : int
        Channels and filters are cut into as many groups that do not meet.
    limits : tuple of str, float, float and bool, optional
        ("relu", 0, 0, False): results that are at most 0 are +0. ("clip", least, most, False):
        those that are less than the least are that, and then those that are more than the most are
        that. NaNs stay. With True they are rounded to FLOAT16 before. By default, "", they stay.
    out : numpy.ndarray, optional
        FLOAT32, of the sizes of the result or any other spatial sizes: positions beyond the input
        read padding.

    Returns
    -------
    numpy.ndarray
        FLOAT32, of sizes (images, output channels, spatial sizes).

    Raises
    ------
    DataTypeError
        A data type is another one.
    LayoutError
        Sizes do not fit each other.

    Notes
    -----
    See the top of this module: the same bits with every instruction set, any strides, any number
    of threads. A zero of padding times an infinite weight is NaN.

    References
    ----------
    DirectML: DML_CONVOLUTION_OPERATOR_DESC, DML_CONVOLUTION_MODE, DML_CONVOLUTION_DIRECTION.

    Examples
    --------
    >>> x = np.arange(5, dtype=np.float32).reshape(1, 1, 5)
    >>> convolve(x, np.float32([[[1, 2, 3]]]))
    array([[[ 8., 14., 20.]]], dtype=float32)
    >>> convolve(x, np.float32([[[1, 2, 3]]]), direction="backward")
    array([[[ 0.,  1.,  4., 10., 16., 17., 12.]]], dtype=float32)
    """
    _check(x, w, _FLOATS)
    filter_sizes = w.filter_sizes if isinstance(w, InPanels) else w.shape
    arrays = (strides, dilations, start_padding, end_padding, output_padding)
    geometry, sizes, numbers = _planned(
        x.shape, filter_sizes, mode, direction, _hashable(arrays), group_count
    )
    memory = w.panels if isinstance(w, InPanels) else w
    out, result = _outputs(out, sizes, np.float32, x, memory)
    if bias is not None:
        bias = _bias(bias, out.shape[1])
    if result.size:
        if isinstance(w, InPanels):
            _check_panels(w, geometry)
            filters, taps = w.panels, three(filter_sizes[_LEADING:], 1)
        else:
            filters, taps = _three_dimensional(w), None
        _native.convolve(
            _three_dimensional(x),
            filters,
            taps,
            bias,
            _three_dimensional(result),
            geometry.is_backward,
            mode == "convolution",
            *numbers,
            limits,
            Settings.policy,
        )
    if result is not out:
        out[...] = result
    return out


def _integer_convolution_step(*views: Any, outputs: Sequence[Any], **fields: Any) -> _native.Step:
    """Return the native form of `convolve_integer`."""
    x, w, *zeros = views
    x_zero, w_zero = zero_point_places(zeros, fields, ("x_zero_point", "w_zero_point"))
    return _native.IntegerConvolutionStep(
        three_dimensional_place(x),
        w.place if w.panels else three_dimensional_place(w),
        three(w.panels.filter_sizes[2:], 1) if w.panels else None,
        bool(w.panels and w.panels.is_transposed),
        *x_zero,
        *w_zero,
        three_dimensional_place(outputs[0]),
        three(fields["strides"], 1),
        three(fields["dilations"], 1),
        three(fields["start_padding"], 0),
        fields["group_count"],
    )


@word(
    "x",
    "w",
    "x_zero_point",
    "w_zero_point",
    results=lambda x, w, x_zero_point=0, w_zero_point=0, **fields: [  # noqa: ARG005
        (
            Geometry(
                "cross_correlation",
                "forward",
                output_padding=(0,) * (len(x.shape) - _LEADING),
                **fields,
            ).output_sizes(x.shape, w.shape),
            np.int32,
        )
    ],
    native=_integer_convolution_step,
)
def convolve_integer(
    x: Array,
    w: Array | IntegersInPanels,
    x_zero_point: int | Array = 0,
    w_zero_point: int | Array = 0,
    *,
    strides: Sequence[int] | None = None,
    dilations: Sequence[int] | None = None,
    start_padding: Sequence[int] | None = None,
    end_padding: Sequence[int] | None = None,
    group_count: int = 1,
    out: Array | None = None,
) -> Array:
    """Return the convolution of 8-bit integers less their zero points, modulo 2^32.

    Parameters
    ----------
    x : numpy.ndarray
        INT8 or UINT8, of the sizes that `convolve` takes forwards.
    w : numpy.ndarray or IntegersInPanels
        The same.
    x_zero_point : int or numpy.ndarray
        One number from -128 to 255. Padding has this value: it adds nothing.
    w_zero_point : int or numpy.ndarray
        From -128 to 255: one, or one for each output channel.
    strides, dilations, start_padding, end_padding, group_count
        As in `convolve`.
    out : numpy.ndarray, optional
        INT32, of the sizes of the result.

    Returns
    -------
    numpy.ndarray
        INT32, of sizes (images, output channels, spatial sizes).

    Raises
    ------
    DataTypeError
        A data type is another one.
    LayoutError
        Sizes do not fit each other.

    Notes
    -----
    The sum over the filter of (x - x_zero_point) * (w - w_zero_point), exact modulo 2^32.

    References
    ----------
    DirectML: DML_CONVOLUTION_INTEGER_OPERATOR_DESC.

    Examples
    --------
    >>> convolve_integer(np.uint8([[[1, 2, 3]]]), np.int8([[[1, -1]]]))
    array([[[-1, -1]]], dtype=int32)
    """
    if isinstance(w, IntegersInPanels):
        w = w.unpacked()
    _check(x, w, _INTEGERS)
    arrays = (strides, dilations, start_padding, end_padding, None)
    _, sizes, numbers = _planned(
        x.shape, w.shape, "cross_correlation", "forward", _hashable(arrays), group_count
    )
    out, result = _outputs(out, sizes, np.int32, x, w)
    x_zero = int(zero_points(x_zero_point, 1, "x_zero_point")[0])
    w_zero = zero_points(w_zero_point, w.shape[0], "w_zero_point")
    if result.size:
        _native.convolve_integer(
            _three_dimensional(x),
            x_zero,
            _three_dimensional(w),
            w_zero,
            _three_dimensional(result),
            *numbers,
            Settings.policy,
        )
    if result is not out:
        out[...] = result
    return out


def _check(x: Array, w: Array | InPanels, types: str) -> None:
    """Check data types and dimension counts of input and filter."""
    for name, array in (("x", x), ("w", w)):
        if array.dtype.char not in types:
            names = " or ".join(np.dtype(letter).name.upper() for letter in types)
            raise DataTypeError(f"needs {names}", given=array.dtype.name, field=name)
    if not _LEADING < x.ndim <= _LEADING + _MOST_SPATIAL:
        raise LayoutError("needs 3 to 5 dimensions", given=f"{x.ndim} {x.shape}", field="x")
    sizes = w.filter_sizes if isinstance(w, InPanels) else w.shape
    if len(sizes) != x.ndim:
        given = f"{len(sizes)} {sizes}"
        raise LayoutError(f"needs {x.ndim} dimensions, as x has", given=given, field="w")


def _check_panels(w: InPanels, geometry: Geometry) -> None:
    """Check that filters in panels are those of a convolution forwards, in its groups."""
    groups, filters, depth = filter_matrices(w.filter_sizes, geometry.group_count)
    expected = (groups, *panel_sizes(depth, filters))
    if geometry.is_backward:
        raise LayoutError("needs filters that are not in panels, backwards", field="w")
    if w.panels.shape != expected:
        raise LayoutError(f"needs panels of sizes {expected}", given=f"{w.panels.shape}", field="w")


def _numbers(name: str, given: Sequence[int] | None, least: int, count: int) -> tuple[int, ...]:
    """Return one number for each spatial dimension."""
    numbers = (least,) * count if given is None else tuple(int(number) for number in given)
    if len(numbers) != count or min(numbers) < least:
        raise LayoutError(
            f"needs {count} numbers, at least {least}", given=f"{numbers}", field=name
        )
    return numbers


#: What the native code takes of a geometry: strides, dilations, padding at the start, groups.
_Numbers = tuple[tuple[int, int, int], tuple[int, int, int], tuple[int, int, int], int]


def _hashable(arrays: Sequence[Sequence[int] | None]) -> tuple[tuple[int, ...] | None, ...]:
    return tuple(None if numbers is None else tuple(numbers) for numbers in arrays)


@functools.lru_cache(maxsize=256)
def _planned(
    x: tuple[int, ...],
    w: tuple[int, ...],
    mode: Mode,
    direction: Direction,
    given: tuple[tuple[int, ...] | None, ...],
    groups: int,
) -> tuple[Geometry, tuple[int, ...], _Numbers]:
    """Return the geometry for sizes of input and filter, after checks, and the output's sizes."""
    spatial, leasts = len(x) - _LEADING, (1, 1, 0, 0, 0)
    strides, dilations, start, end, output = (
        _numbers(name, numbers, least, spatial)
        for name, numbers, least in zip(_ARRAYS, given, leasts, strict=True)
    )
    geometry = Geometry(mode, direction, strides, dilations, start, end, output, groups)
    if groups < 1 or x[1] % groups:
        raise LayoutError(
            f"needs a divisor of {x[1]} channels", given=f"{groups}", field="group_count"
        )
    place, expected = (0, x[1]) if geometry.is_backward else (1, x[1] // groups)
    if w[place] != expected:
        raise LayoutError(f"needs {expected} channels", given=f"{w[place]}", field="w")
    if not geometry.is_backward and w[0] % groups:
        raise LayoutError(f"needs a multiple of {groups} filters", given=f"{w[0]}", field="w")
    native = (
        three(geometry.strides, 1),
        three(geometry.dilations, 1),
        three(geometry.start_padding, 0),
        groups,
    )
    return geometry, geometry.output_sizes(x, w), native


def _outputs(
    out: Array | None, sizes: tuple[int, ...], dtype: Any, *operands: Array
) -> tuple[Array, Array]:
    """Return the array to write, and the one that kernels may write while they read operands."""
    if out is None:
        out = np.empty(sizes, dtype)
        return out, out
    if out.dtype != dtype:
        name = np.dtype(dtype).name.upper()
        raise DataTypeError(f"needs {name}", given=out.dtype.name, field="out")
    if out.ndim != len(sizes) or out.shape[:_LEADING] != sizes[:_LEADING]:
        raise LayoutError(f"needs sizes {sizes}", given=f"{out.shape}", field="out")
    is_free = not any(np.may_share_memory(out, operand) for operand in operands)
    return out, out if is_free and out.flags.aligned else np.empty(out.shape, dtype)


def _bias(bias: Array, channels: int) -> Array:
    """Return the bias as neighbouring FLOAT32."""
    if bias.dtype.char not in _FLOATS:
        raise DataTypeError("needs FLOAT32 or FLOAT16", given=bias.dtype.name, field="bias")
    if bias.size != channels:
        raise LayoutError(f"needs {channels} elements", given=f"{bias.size}", field="bias")
    return np.ascontiguousarray(bias.reshape(-1), np.float32)


def _three_dimensional(array: Array) -> Array:
    """Return a view with 3 spatial dimensions, the missing ones of size 1, first."""
    if not array.dtype.isnative:
        array = array.astype(array.dtype.newbyteorder("="))
    missing = _LEADING + _MOST_SPATIAL - array.ndim
    return array[:, :, *(None,) * missing] if missing else array


def three(numbers: Sequence[int], missing: int) -> tuple[int, int, int]:
    """Return a number for each of 3 spatial dimensions."""
    first, second, third = (missing,) * (_MOST_SPATIAL - len(numbers)) + tuple(numbers)
    return first, second, third
