"""Matrices and filters of 8-bit integers in the order in which products of integers read them.

A unit is four bytes that follow each other along k. All are signed: those of UINT8 less 128. The
sums of columns, or of filters, stand before them, as zero points of the other side take them.
The same on every machine. Filters for images whose channels lie next to each other are matrices,
one for each group, with a column for each filter; where each channel has a filter, one of all.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from indirectml import _native
from indirectml.core.settings import Settings

Array = np.ndarray[Any, Any]

#: Elements of a unit, and columns of a panel.
_QUAD, _PANEL = 4, 16
_SUM_BYTES = 4
#: Of UINT8, the bit that is changed.
_SIGN = np.uint8(0x80)


@dataclass(frozen=True)
class IntegersInPanels:
    """A matrix in panels, or the filters of a convolution.

    Attributes
    ----------
    units : numpy.ndarray
        Bytes one behind the other, of the data type of what `unpacked` returns.
    shape : tuple of int
        The sizes of what it stands for; of a matrix (..., depth, columns), all but these 1.
    is_filter : bool
        Whether it is the filters of a convolution.
    is_transposed : bool
        Whether `unpacked` gives the transposed matrix.
    group_count : int
        Of filters for images whose channels lie next to each other: how many groups. Else 0.
    """

    units: Array
    shape: tuple[int, ...]
    is_filter: bool = False
    is_transposed: bool = False
    group_count: int = 0

    @property
    def ndim(self) -> int:
        """How many dimensions it has."""
        return len(self.shape)

    @property
    def dtype(self) -> np.dtype[Any]:
        """INT8 or UINT8."""
        return self.units.dtype

    def unpacked(self) -> Array:
        """Return what this stands for, in memory of its own."""
        sums = _sum_count(self.shape, is_filter=self.is_filter, group_count=self.group_count)
        units = self.units[_SUM_BYTES * sums :]
        if self.group_count:
            found = _plain_filters_of_pixels(units, self.shape, self.group_count)
        elif self.is_filter:
            found = _plain_filters(units, self.shape)
        else:
            depth, columns = self.shape[-2:]
            panels = units.reshape(-(-columns // _PANEL), -(-depth // _QUAD), _PANEL, _QUAD)
            rows = panels.transpose(1, 3, 0, 2).reshape(-(-depth // _QUAD) * _QUAD, -1)
            found = rows[:depth, :columns].reshape(self.shape)
            if self.is_transposed:
                found = found.swapaxes(-1, -2)
        whole = np.ascontiguousarray(found)
        return whole ^ _SIGN if whole.dtype == np.uint8 else whole


def _plain_filters(units: Array, sizes: tuple[int, ...]) -> Array:
    filters, channels, *spatial = sizes
    *rows, columns = spatial
    if _joins_channels(sizes):
        wide = units.reshape(filters, -(-channels // _QUAD), *spatial, _QUAD)
        return np.moveaxis(wide, -1, 2).reshape(filters, -1, *spatial)[:, :channels]
    return units.reshape(filters, channels, *rows, -(-columns // _QUAD) * _QUAD)[..., :columns]


def _plain_filters_of_pixels(units: Array, sizes: tuple[int, ...], groups: int) -> Array:
    by_channels, columns = columns_of_pixels(sizes, groups)
    filters, channels, *spatial = sizes
    *_, rows, taps = 1, *spatial
    matrices = units.reshape(filters // columns, -(-columns // _PANEL), -1, _PANEL, _QUAD)
    each = matrices.swapaxes(2, 3).reshape(filters // columns, -1, *matrices.shape[2::2])
    each = each[:, :columns].reshape(filters, -1, taps, *each.shape[3:])
    if by_channels:
        plain = each.reshape(filters, -1, taps, _QUAD).swapaxes(-1, -2).reshape(filters, -1, taps)
        return plain[:, :rows].reshape(sizes)
    plain = each.reshape(filters, rows, taps, -1)[..., :channels]
    return np.moveaxis(plain, -1, 1).reshape(sizes)


def columns_of_pixels(sizes: Sequence[int], groups: int) -> tuple[bool, int]:
    """Return whether each channel has a filter, and of how many columns a matrix is."""
    by_channels = groups == sizes[0] > 1 == sizes[1]
    return by_channels, sizes[0] if by_channels else sizes[0] // groups


def _joins_channels(sizes: Sequence[int]) -> bool:
    """Return whether units are four channels, and not four taps of a row."""
    channels, taps = sizes[1], sizes[-1]
    return -(-channels // _QUAD) * taps <= channels * -(-taps // _QUAD)


def _sum_count(sizes: Sequence[int], *, is_filter: bool, group_count: int = 0) -> int:
    if group_count:
        _, columns = columns_of_pixels(sizes, group_count)
        return sizes[0] // columns * -(-columns // _PANEL) * _PANEL
    return sizes[0] if is_filter else -(-sizes[-1] // _PANEL) * _PANEL


def panel_bytes(sizes: Sequence[int], *, is_filter: bool, group_count: int = 0) -> int:
    """Return how many bytes a matrix, or filters, take."""
    if group_count:
        by_channels, _ = columns_of_pixels(sizes, group_count)
        *_, rows, taps = 1, *sizes[2:]
        units = -(-rows // _QUAD) * taps if by_channels else rows * taps * -(-sizes[1] // _QUAD)
    elif not is_filter:
        units = -(-sizes[-2] // _QUAD)
    elif _joins_channels(sizes):
        units = -(-sizes[1] // _QUAD) * math.prod(sizes[2:])
    else:
        units = math.prod(sizes[1:-1]) * -(-sizes[-1] // _QUAD)
    sums = _sum_count(sizes, is_filter=is_filter, group_count=group_count)
    return sums * (_SUM_BYTES + units * _QUAD)


def pack_integers(
    x: Array, out: Array | None = None, *, is_filter: bool = False, group_count: int = 0
) -> IntegersInPanels:
    """Return a matrix, or filters, in the order in which products of integers read them.

    Parameters
    ----------
    x : numpy.ndarray
        INT8 or UINT8, of sizes (..., depth, columns), one matrix; or the filters of a convolution,
        packed.
    out : numpy.ndarray, optional
        Of the data type of `x`, as many bytes as `panel_bytes` says, from a multiple of 4 on.
    is_filter : bool
        Which of both.
    group_count : int
        Of filters for images whose channels lie next to each other, of up to 2 spatial axes: how
        many groups.

    Notes
    -----
    Every product with it has the bits of the product with `x`.

    Examples
    --------
    >>> pack_integers(np.int8([[1, 2], [3, 4]])).unpacked()
    array([[1, 2],
           [3, 4]], dtype=int8)
    """
    if out is None:
        size = panel_bytes(x.shape, is_filter=is_filter, group_count=group_count)
        out = np.empty(size, x.dtype)
    if is_filter:
        spatial = (1,) * (5 - x.ndim) + x.shape[2:]
        filters = x.reshape(*x.shape[:2], *spatial)
        _native.pack_filters(filters, group_count, out, Settings.policy)
    else:
        _native.pack_columns(x.reshape(x.shape[-2:]), out, Settings.policy)
    return IntegersInPanels(out, x.shape, is_filter, group_count=group_count)
