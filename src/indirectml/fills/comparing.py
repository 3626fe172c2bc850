"""Comparing two tensors bit by bit, in pieces: where they differ, and by how many ULP."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from indirectml.core.data_types import TensorDataType
from indirectml.fills.array_files import ArrayFile
from indirectml.fills.sequences import Sequence, as_number

#: Compared at a time. Both pieces, and what is computed from them, fit into caches of servers.
PIECE_ELEMENTS = 1 << 20

#: What a comparison calls with the bytes that are done, and with all bytes.
Progress = Callable[[int, int], None]


@dataclass(frozen=True)
class Difference:
    """One element that differs.

    Attributes
    ----------
    index : int
        Its number in row-major order.
    coordinate : tuple of int
        Its place along each dimension.
    actual_bits, expected_bits : int
        Both bit patterns.
    ulp : int or None
        Representable values from one to the other; None if one of them alone is NaN.
    """

    index: int
    coordinate: tuple[int, ...]
    actual_bits: int
    expected_bits: int
    ulp: int | None


@dataclass(frozen=True)
class Comparison:
    """What a comparison has found.

    Attributes
    ----------
    element_count, different_count, beyond_count : int
        How many elements there are, have different bits, and are farther apart than allowed.
    first, largest : Difference or None
        The first of them, and the first of those that are farthest apart.
    """

    data_type: TensorDataType
    sizes: tuple[int, ...]
    max_ulp: int | None
    element_count: int
    different_count: int
    beyond_count: int
    first: Difference | None
    largest: Difference | None

    @property
    def is_accepted(self) -> bool:
        """True if every element is equal, or near enough where that was asked for."""
        return self.beyond_count == 0


def sequence_pieces(sequence: Sequence, count: int) -> Iterator[np.ndarray[Any, Any]]:
    """Yield the first elements of a sequence in pieces, which use one memory after the other."""
    buffer = np.empty(min(count, PIECE_ELEMENTS), sequence.dtype)
    for first in range(0, count, PIECE_ELEMENTS):
        piece = buffer[: count - first]
        sequence.write(piece, first)
        yield piece


def compare(
    actual: ArrayFile,
    expected: ArrayFile | Sequence,
    *,
    max_ulp: int | None = None,
    progress: Progress | None = None,
) -> Comparison:
    """Compare a file with another one, or with a sequence, of the same data type and sizes.

    Parameters
    ----------
    max_ulp : int, optional
        Accept values that are at most so many representable values apart; +0 and -0 are 0 apart,
        and so are any two NaNs. Without it only equal bits are accepted.
    progress : callable, optional
        Called with the bytes that are done and with all bytes, after each piece.

    Notes
    -----
    Between integers the distance is that of the numbers. The memory used does not depend on the
    sizes.
    """
    data_type, count = actual.data_type, actual.element_count
    expected_pieces = (
        sequence_pieces(expected, count)
        if isinstance(expected, Sequence)
        else expected.pieces(PIECE_ELEMENTS)
    )
    tally = _Tally(actual, max_ulp)
    done = 0
    for mine, other in zip(actual.pieces(PIECE_ELEMENTS), expected_pieces, strict=True):
        tally.add(done, *_bits(data_type, mine, other))
        done += mine.size
        if progress is not None:
            progress(done * data_type.item_bytes, count * data_type.item_bytes)
    return tally.result()


def _bits(data_type: TensorDataType, *pieces: np.ndarray[Any, Any]) -> Iterable[Any]:
    return [np.ascontiguousarray(p).view(f"u{data_type.item_bytes}") for p in pieces]


class _Tally:
    """What is known after the pieces so far."""

    def __init__(self, actual: ArrayFile, max_ulp: int | None) -> None:
        self._file = actual
        self._max_ulp = max_ulp
        self._different = self._beyond = 0
        self._first: Difference | None = None
        self._largest: Difference | None = None

    def add(self, start: int, mine: Any, other: Any) -> None:
        places = np.flatnonzero(mine != other)
        if places.size == 0:
            return
        mine, other = mine[places], other[places]
        distances, incomparable = ulp_distances(mine, other, self._file.data_type)
        self._different += int(places.size)
        if self._max_ulp is None:
            self._beyond += int(places.size)
        else:
            limit = np.uint64(min(self._max_ulp, 2**64 - 1))
            self._beyond += int(np.count_nonzero((distances > limit) | incomparable))

        def difference(place: int) -> Difference:
            index = start + int(places[place])
            ulp = None if incomparable[place] else int(distances[place])
            coordinate = _coordinate(index, self._file.sizes)
            return Difference(index, coordinate, int(mine[place]), int(other[place]), ulp)

        if self._first is None:
            self._first = difference(0)
        # NaN against a number counts as farthest of all.
        farthest = int(np.argmax(incomparable) if incomparable.any() else np.argmax(distances))
        candidate = difference(farthest)
        if self._largest is None or _is_farther(candidate, self._largest):
            self._largest = candidate

    def result(self) -> Comparison:
        file = self._file
        return Comparison(
            file.data_type,
            file.sizes,
            self._max_ulp,
            file.element_count,
            self._different,
            self._beyond,
            self._first,
            self._largest,
        )


def _is_farther(a: Difference, b: Difference) -> bool:
    if b.ulp is None:
        return False
    return a.ulp is None or a.ulp > b.ulp


def ulp_distances(
    mine: np.ndarray[Any, Any], other: np.ndarray[Any, Any], data_type: TensorDataType
) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]:
    """Return how many representable values apart bit patterns are, and where one alone is NaN.

    Parameters
    ----------
    mine, other : array of unsigned integers
        Bit patterns of the data type.

    Returns
    -------
    distances : array of uint64
        Between two NaNs it is zero.
    incomparable : array of bool
        True where one of both is NaN and the other is not.

    Examples
    --------
    >>> a, b = np.array([1.0, -0.0, np.nan], np.float16), np.array([1.001, 0.0, 1.0], np.float16)
    >>> ulp_distances(a.view(np.uint16), b.view(np.uint16), TensorDataType.FLOAT16)
    (array([1, 0, 0], dtype=uint64), array([False, False,  True]))
    """
    a, b = mine.astype(np.uint64), other.astype(np.uint64)
    sign = np.uint64(1 << (data_type.bits - 1))
    if not data_type.is_float:
        if data_type.signed:
            a, b = a ^ sign, b ^ sign
        return np.where(a > b, a - b, b - a), np.zeros(a.shape, bool)
    magnitude_a, magnitude_b = a & (sign - np.uint64(1)), b & (sign - np.uint64(1))
    apart = np.where(
        magnitude_a > magnitude_b, magnitude_a - magnitude_b, magnitude_b - magnitude_a
    )
    # Two magnitudes are below 2^64 together, so nothing wraps.
    distances = np.where((a ^ b) & sign, magnitude_a + magnitude_b, apart)
    infinity = np.uint64(data_type.infinities[0])
    is_nan_a, is_nan_b = magnitude_a > infinity, magnitude_b > infinity
    distances[is_nan_a | is_nan_b] = 0
    return distances, is_nan_a != is_nan_b


def _coordinate(index: int, sizes: tuple[int, ...]) -> tuple[int, ...]:
    coordinate = []
    for extent in reversed(sizes):
        index, place = divmod(index, extent)
        coordinate.append(place)
    return tuple(reversed(coordinate))


def number_text(bits: int, data_type: TensorDataType) -> str:
    """Write an element, with as many digits as bring every bit back, and its bits.

    Examples
    --------
    >>> number_text(0x3C00, TensorDataType.FLOAT16)
    '1.0 (0x3C00)'
    """
    return f"{as_number(bits, data_type)!s} (0x{bits:0{data_type.bits // 4}X})"
