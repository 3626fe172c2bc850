"""Comparing two tensors in pieces: bit by bit, by ULP, or as numbers."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from indirectml.core.data_types import TensorDataType, as_data_type
from indirectml.core.errors import DataTypeError
from indirectml.fills.array_files import ArrayFile
from indirectml.fills.sequences import Sequence, as_number

#: Compared at a time. Both pieces, and what is computed from them, fit into caches of servers.
PIECE_ELEMENTS = 1 << 20

#: What a comparison calls with the bytes that are done, and with all bytes.
Progress = Callable[[int, int], None]


@dataclass(frozen=True)
class Tolerance:
    """Which elements are accepted though their bits differ; none by default.

    Attributes
    ----------
    max_ulp : int or None
        Those at most so many representable values apart; +0 and -0 are 0 apart, and so are any two
        NaNs.
    rtol, atol : float or None
        Those with |A - B| <= atol + rtol * |B|, in FLOAT64; one that is left out is 0. An infinity
        is near itself alone, and NaN is near NaN.
    """

    max_ulp: int | None = None
    rtol: float | None = None
    atol: float | None = None

    @property
    def is_of_numbers(self) -> bool:
        """Whether numbers are compared, and not how many representable ones lie between them."""
        return self.rtol is not None or self.atol is not None


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
        Both bit patterns, in the data type in which both are compared.
    ulp : int or None
        Representable values from one to the other; None if one of them alone is NaN.
    distance : float
        |A - B|, rounded to FLOAT64; NaN if one of them alone is NaN.
    """

    index: int
    coordinate: tuple[int, ...]
    actual_bits: int
    expected_bits: int
    ulp: int | None
    distance: float


@dataclass(frozen=True)
class Comparison:
    """What a comparison has found.

    Attributes
    ----------
    data_type : TensorDataType
        In which both were compared.
    element_count, different_count, beyond_count : int
        How many elements there are, have different bits, and are farther apart than allowed.
    first, largest : Difference or None
        Of those that are farther apart than allowed, or, if none is, of those that differ: the
        first, and the first of those that are farthest apart, in ULP or as numbers.
    """

    data_type: TensorDataType
    sizes: tuple[int, ...]
    tolerance: Tolerance
    element_count: int
    different_count: int
    beyond_count: int
    first: Difference | None
    largest: Difference | None

    @property
    def is_accepted(self) -> bool:
        """True if every element is equal, or near enough where that was asked for."""
        return self.beyond_count == 0


def common_type(
    actual: TensorDataType, expected: TensorDataType, tolerance: Tolerance
) -> TensorDataType | None:
    """Return the data type in which two tensors are compared; None if they cannot be.

    Floats of different types are compared in the wider one where numbers are, which rounds nothing,
    and else in the narrower one, to which the others are rounded, to nearest, ties to even.

    Examples
    --------
    >>> half, single = TensorDataType.FLOAT16, TensorDataType.FLOAT32
    >>> [common_type(half, single, each).name for each in (Tolerance(), Tolerance(rtol=0))]
    ['FLOAT16', 'FLOAT32']
    """
    if actual is expected:
        return actual
    if not (actual.is_float and expected.is_float):
        return None
    narrow, wide = sorted((actual, expected), key=lambda data_type: data_type.bits)
    return wide if tolerance.is_of_numbers else narrow


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
    tolerance: Tolerance | None = None,
    progress: Progress | None = None,
) -> Comparison:
    """Compare a file with another one, or with a sequence, of the same sizes.

    Parameters
    ----------
    actual, expected : ArrayFile or Sequence
        Of one data type, or of two that `common_type` has one for.
    tolerance : Tolerance, optional
        What is accepted besides equal bits.
    progress : callable, optional
        Called with the bytes that are done and with all bytes, after each piece.

    Raises
    ------
    DataTypeError
        They are of two data types that have no common one.

    Notes
    -----
    Between integers the distance is that of the numbers. The memory used does not depend on the
    sizes.
    """
    tolerance = tolerance or Tolerance()
    data_type = common_type(actual.data_type, expected.data_type, tolerance)
    if data_type is None:
        types = f"{actual.data_type.name} and {expected.data_type.name}"
        raise DataTypeError("needs one data type, or two of floats", given=types)
    count, item_bytes = actual.element_count, actual.data_type.item_bytes
    expected_pieces = (
        sequence_pieces(expected, count)
        if isinstance(expected, Sequence)
        else expected.pieces(PIECE_ELEMENTS)
    )
    tally = _Tally(data_type, actual.sizes, tolerance)
    done = 0
    for mine, other in zip(actual.pieces(PIECE_ELEMENTS), expected_pieces, strict=True):
        tally.add(done, _elements(mine, data_type), _elements(other, data_type))
        done += mine.size
        if progress is not None:
            progress(done * item_bytes, count * item_bytes)
    return tally.result()


def compare_arrays(
    actual: np.ndarray[Any, Any], expected: np.ndarray[Any, Any], *, tolerance: Tolerance
) -> Comparison:
    """Compare two arrays of the same sizes.

    Parameters
    ----------
    actual, expected : array
        Of data types as for `compare`, whose errors this raises.
    tolerance : Tolerance
        What is accepted besides equal bits.

    Examples
    --------
    >>> a, b = np.array([1, 2.5], np.float32), np.array([1, 2], np.float32)
    >>> compare_arrays(a, b, tolerance=Tolerance()).first.index
    1
    """
    types = as_data_type(actual.dtype), as_data_type(expected.dtype)
    data_type = common_type(*types, tolerance)
    if data_type is None:
        given = f"{types[0].name} and {types[1].name}"
        raise DataTypeError("needs one data type, or two of floats", given=given)
    tally = _Tally(data_type, actual.shape, tolerance)
    pieces = (np.ascontiguousarray(each).reshape(-1) for each in (actual, expected))
    mine, other = pieces
    for first in range(0, mine.size, PIECE_ELEMENTS):
        both = (each[first : first + PIECE_ELEMENTS] for each in (mine, other))
        tally.add(first, *(_elements(each, data_type) for each in both))
    return tally.result()


def _elements(piece: np.ndarray[Any, Any], data_type: TensorDataType) -> np.ndarray[Any, Any]:
    with np.errstate(over="ignore", invalid="ignore"):  # infinities, and NaNs that signal
        return np.ascontiguousarray(piece, data_type.dtype)


class _Tally:
    """What is known after the pieces so far."""

    def __init__(
        self, data_type: TensorDataType, sizes: tuple[int, ...], tolerance: Tolerance
    ) -> None:
        self._data_type = data_type
        self._sizes = sizes
        self._tolerance = tolerance
        self._different = self._beyond = 0
        # Of those that are beyond the tolerance, and of all that differ.
        self._found: dict[bool, tuple[Difference, Difference]] = {}

    def add(self, start: int, mine: Any, other: Any) -> None:
        unsigned = f"u{self._data_type.item_bytes}"
        places = np.flatnonzero(mine.view(unsigned) != other.view(unsigned))
        if places.size == 0:
            return
        mine, other = mine[places], other[places]
        pairs = _Pairs(mine, other, self._data_type)
        is_beyond = pairs.beyond(self._tolerance)
        self._different += int(places.size)
        self._beyond += int(np.count_nonzero(is_beyond))
        for is_refused, chosen in ((True, np.flatnonzero(is_beyond)), (False, None)):
            if chosen is None:
                kept, numbers = pairs, places
            elif chosen.size:
                kept, numbers = pairs.of(chosen), places[chosen]
            else:
                continue
            first, largest = (
                kept.difference(k, start + int(numbers[k]), self._sizes)
                for k in (0, kept.farthest(self._tolerance))
            )
            if is_refused in self._found:
                first, former = self._found[is_refused]
                if not self._is_farther(largest, former):
                    largest = former
            self._found[is_refused] = first, largest

    def _is_farther(self, a: Difference, b: Difference) -> bool:
        if b.ulp is None or a.ulp is None:  # NaN against a number is farthest of all
            return b.ulp is not None
        if self._tolerance.is_of_numbers:
            return a.distance > b.distance
        return a.ulp > b.ulp

    def result(self) -> Comparison:
        first, largest = self._found.get(True) or self._found.get(False) or (None, None)
        return Comparison(
            self._data_type,
            self._sizes,
            self._tolerance,
            math.prod(self._sizes),
            self._different,
            self._beyond,
            first,
            largest,
        )


class _Pairs:
    """Elements whose bits differ, and how far they are apart."""

    def __init__(self, mine: Any, other: Any, data_type: TensorDataType) -> None:
        unsigned = f"u{data_type.item_bytes}"
        self._mine, self._other, self._data_type = mine, other, data_type
        self._ulps, self._incomparable = ulp_distances(
            mine.view(unsigned), other.view(unsigned), data_type
        )
        if data_type.is_float:
            with np.errstate(over="ignore", invalid="ignore"):
                self._distances = np.abs(mine.astype(np.float64) - other.astype(np.float64))
        else:
            self._distances = self._ulps.astype(np.float64)

    def of(self, chosen: Any) -> _Pairs:
        """Return some of them."""
        return _Pairs(self._mine[chosen], self._other[chosen], self._data_type)

    def beyond(self, tolerance: Tolerance) -> Any:
        """Return which are farther apart than allowed."""
        if tolerance.is_of_numbers:
            rtol, atol = tolerance.rtol or 0.0, tolerance.atol or 0.0
            magnitude = np.abs(self._other.astype(np.float64))
            with np.errstate(over="ignore", invalid="ignore"):
                is_near = self._distances <= atol + rtol * magnitude
            is_near &= np.isfinite(self._distances)
            if self._data_type.is_float:
                is_near |= np.isnan(self._mine) & np.isnan(self._other)
            return ~is_near
        if tolerance.max_ulp is None:
            return np.ones(self._ulps.shape, bool)
        return (self._ulps > np.uint64(min(tolerance.max_ulp, 2**64 - 1))) | self._incomparable

    def farthest(self, tolerance: Tolerance) -> int:
        """Return the first of those that are farthest apart; NaN against a number is farthest."""
        if self._incomparable.any():
            return int(np.argmax(self._incomparable))
        if tolerance.is_of_numbers:
            return int(np.argmax(np.nan_to_num(self._distances, nan=0.0, posinf=np.inf)))
        return int(np.argmax(self._ulps))

    def difference(self, k: int, index: int, sizes: tuple[int, ...]) -> Difference:
        """Return one of them, which is element `index` of a tensor."""
        unsigned = f"u{self._data_type.item_bytes}"
        actual, expected = (
            int(each[k : k + 1].view(unsigned)[0]) for each in (self._mine, self._other)
        )
        ulp = None if self._incomparable[k] else int(self._ulps[k])
        return Difference(
            index, _coordinate(index, sizes), actual, expected, ulp, float(self._distances[k])
        )


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
