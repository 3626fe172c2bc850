"""What a sequence will do, without making its elements.

Both rules are piecewise linear in their bit patterns (docs/sequences.md), so everything asked for
is decided at the borders of pieces, by bisection within one, or by remainders as in Euclid's
algorithm. No time is in proportion to the count.
"""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import islice, pairwise
from typing import Any

import numpy as np

from indirectml.core.data_types import TensorDataType
from indirectml.fills.sequences import (
    RULES,
    Rule,
    Segment,
    Sequence,
    checked_rule,
    equal_elements,
)

#: More pieces than these are not looked at; what is found then is told as "at least".
MAX_PIECES = 4_000

#: A number that may be infinite or NaN; None where there is nothing to tell.
Exact = Fraction | float


@dataclass(frozen=True)
class Distance:
    """How far apart two things are, and at which element.

    Attributes
    ----------
    index : int
        The element.
    value : Fraction, int or float
        How far.
    is_exact : bool
        False if it may be more elsewhere: then it is "at least" this.
    """

    index: int
    value: Any
    is_exact: bool


@dataclass(frozen=True)
class RuleFacts:
    """What one rule does.

    Attributes
    ----------
    segment_count : int
        How many segments there are.
    segments : tuple of Segment
        The first of them.
    last_exact : int or None
        The last element up to which all are exactly start + index * delta; None if element 0
        is not, or if start or delta are not finite.
    absorbed_at, infinite_at, nan_at, wrapped_at : int or None
        The first element after which nothing changes; that is infinite; that is NaN; that is not
        start + index * delta because integers wrap.
    is_complete : bool
        False if there are too many segments: then counts are "at least".
    repeated_count : int
        How many elements equal the one before.
    first_repeated : int or None
        The first of them.
    period : int or None
        Of integers: after how many elements they start again.
    largest_error : Distance or None
        From start + index * delta, as a number.
    last : numpy scalar
        The last element.
    """

    rule: Rule
    is_complete: bool
    segment_count: int
    segments: tuple[Segment, ...]
    last_exact: int | None
    absorbed_at: int | None
    infinite_at: int | None
    nan_at: int | None
    wrapped_at: int | None
    repeated_count: int
    first_repeated: int | None
    period: int | None
    largest_error: Distance | None
    last: np.generic


@dataclass(frozen=True)
class Explanation:
    """What a sequence of `count` elements will do, under both rules.

    Attributes
    ----------
    start, delta : numpy scalar
        As elements of the data type.
    exact_delta : Fraction or float
        As a number: a negative one of an unsigned type stays negative.
    part_at : int or None
        The first element at which the rules give other bits.
    largest_ulp, largest_difference : Distance or None
        How far the rules are apart, in representable values and as numbers.
    """

    data_type: TensorDataType
    start: Any
    delta: Any
    exact_delta: Exact
    count: int
    rules: dict[str, RuleFacts]
    part_at: int | None
    largest_ulp: Distance | None
    largest_difference: Distance | None
    is_complete: bool


def explain(
    start: Any, delta: Any, data_type: TensorDataType, count: int, *, segments_kept: int = 64
) -> Explanation:
    """Return what a sequence will do.

    Parameters
    ----------
    start, delta : int, float or ScalarUnion
        See `Sequence`. The delta of an unsigned type may be negative. None for a constant, whose
        elements are not added to: a NaN keeps its bits.
    count : int
        How many elements, from 1 up.
    segments_kept : int
        So many segments are told one by one.

    Examples
    --------
    >>> found = explain(0, 1, TensorDataType.FLOAT32, 10**12)
    >>> found.part_at, found.rules["accumulate"].absorbed_at
    (16777218, 16777216)
    """
    subjects = {}
    for rule in map(checked_rule, RULES):
        if delta is None:
            sequence = equal_elements(start, data_type, rule)
        else:
            sequence = Sequence(start, delta, data_type, rule=rule)
        subjects[rule] = _Subject(sequence, delta, count)
    first, second = subjects.values()
    part_at, largest_ulp, largest_difference = _compared(first, second)
    return Explanation(
        data_type,
        first.sequence.start,
        first.sequence.delta,
        first.exact_delta,
        count,
        {rule: subject.facts(segments_kept) for rule, subject in subjects.items()},
        part_at,
        largest_ulp,
        largest_difference,
        first.is_complete and second.is_complete,
    )


@dataclass(frozen=True)
class _Piece:
    """Elements of one segment and one binade: their values, too, advance by a constant step."""

    first: int
    count: int
    bits: int | Fraction
    step: int | Fraction

    @property
    def last(self) -> int:
        return self.first + self.count - 1

    @property
    def is_whole(self) -> bool:
        """True if no element is rounded away from the line."""
        return isinstance(self.bits, int) and isinstance(self.step, int)


class _Subject:
    """A sequence of a rule, its pieces, and questions to it."""

    def __init__(self, sequence: Sequence, delta: Any, count: int) -> None:
        self.sequence = sequence
        self.data_type = sequence.data_type
        self.count = count
        self.pieces = list(islice(_pieces(sequence, count), MAX_PIECES))
        #: The elements that the pieces reach.
        self.reach = self.pieces[-1].last + 1
        self.is_complete = self.reach == count
        self._exact_start: Any = _exact(sequence.start)
        #: As it is given: -2 counts an unsigned type down, and does not wrap as 254 would.
        is_written = isinstance(delta, int) and not self.data_type.is_float
        self.exact_delta: Any = _exact(delta if is_written else sequence.delta)

    def bits(self, index: int) -> int:
        element = np.asarray(self.sequence[index])
        return int(element.view(f"u{self.data_type.item_bytes}"))

    def value(self, index: int) -> Any:
        return _exact(self.sequence[index])

    def spacing(self, index: int) -> Fraction:
        """Return the distance of neighbours in the binade of a finite element."""
        bits, precision = self.data_type.bits, self.data_type.precision
        magnitude = self.bits(index) & ((1 << (bits - 1)) - 1)
        exponent = max((magnitude >> (precision - 1)) - 1, 0)
        smallest = 3 - (1 << (bits - precision - 1)) - precision
        return Fraction(2) ** (exponent + smallest)

    def ordered(self, index: int) -> int | None:
        """Return the position among all values of the data type; None for NaN."""
        bits = self.bits(index)
        if not self.data_type.is_float:
            return int(self.sequence[index])
        magnitude = bits & ((1 << (self.data_type.bits - 1)) - 1)
        if magnitude > self.data_type.infinities[0]:
            return None
        return magnitude if magnitude == bits else -magnitude

    def exact(self, index: int) -> Any:
        """Return start + index * delta without rounding or wrapping."""
        return self._exact_start + index * self.exact_delta

    @property
    def is_finite(self) -> bool:
        return isinstance(self._exact_start, Fraction) and isinstance(self.exact_delta, Fraction)

    def piece_at(self, index: int) -> _Piece:
        """Return the piece that an element lies in."""
        return self.pieces[bisect_right(self.pieces, index, key=lambda piece: piece.first) - 1]

    def facts(self, segments_kept: int) -> RuleFacts:
        segments = list(islice(self.sequence.segments(self.count), MAX_PIECES))
        repeated, first_repeated = self._repeated()
        return RuleFacts(
            rule=self.sequence.rule,
            is_complete=self.is_complete,
            segment_count=len(segments),
            segments=tuple(segments[:segments_kept]),
            last_exact=self._last_exact(),
            absorbed_at=self._absorbed_at(),
            infinite_at=self._first(_is_infinite),
            nan_at=self._first(_is_nan),
            wrapped_at=self._wrapped_at(),
            repeated_count=repeated,
            first_repeated=first_repeated,
            period=self._period(),
            largest_error=self._largest_error(),
            last=self.sequence[self.count - 1],
        )

    def _absorbed_at(self) -> int | None:
        at = self.sequence.absorbed_at
        return at if at is not None and at < self.count - 1 else None

    def _first(self, holds: Callable[[Any], bool]) -> int | None:
        """Return the first element of which something holds that never stops to hold."""
        if not self.data_type.is_float:
            return None
        for index in range(min(2, self.count)):
            if holds(self.sequence[index]):
                return index
        # From element 1 on what is infinite may turn into NaN, but never becomes finite again.
        past = _is_nan if holds is _is_nan else _is_not_finite
        at = _bisected(0, self.count - 1, lambda index: past(self.sequence[index]))
        return at if at is not None and holds(self.sequence[at]) else None

    def _wrapped_at(self) -> int | None:
        if self.data_type.is_float:
            return None
        low, high = self.data_type.minimum, self.data_type.maximum
        return _bisected(0, self.count - 1, lambda index: not low <= self.exact(index) <= high)

    def _period(self) -> int | None:
        if self.data_type.is_float:
            return None
        modulus = 1 << self.data_type.bits
        period = modulus // math.gcd(int(self.sequence.delta) % modulus, modulus)
        return period if period < self.count else None

    def _last_exact(self) -> int | None:
        if not self.is_finite:
            return None
        for piece in self.pieces:
            # Exact twice in a line is exact all along it.
            for index in range(piece.first, min(piece.first + 2, piece.last + 1)):
                if self.value(index) != self.exact(index):
                    return index - 1 if index else None
            if isinstance(self.value(piece.last), float):
                # The pattern of infinity continues the line of patterns, not that of values.
                return piece.last - 1
            if not self.data_type.is_float:
                wrapped = self._wrapped_at()
                return self.count - 1 if wrapped is None else wrapped - 1
        return self.reach - 1

    def _largest_error(self) -> Distance | None:
        """Return how far elements are from the line.

        Where none is rounded, that is farthest at the ends of pieces. Where the line itself is
        rounded, by the rule `multiply`, it is farthest where the line is nearest to the middle
        between two patterns.
        """
        if not (self.is_finite and self.data_type.is_float):
            return None
        found = Distance(0, Fraction(0), is_exact=True)
        for piece in self.pieces:
            rounded = () if piece.is_whole else _nearest_to_middles(piece)
            for index in sorted({*_ends(piece.first, piece.last), *rounded}):
                error = abs(self.value(index) - self.exact(index))
                if error > found.value:
                    found = Distance(index, error, is_exact=True)
        return Distance(found.index, found.value, self.is_complete or found.value == math.inf)

    def _repeated(self) -> tuple[int, int | None]:
        """Return how many elements equal the one before, and the first of them."""
        total, first = 0, None
        if not self.data_type.is_float:
            return (self.count - 1, 1) if self.sequence.delta == 0 and self.count > 1 else (0, None)
        former: int | None = None
        for piece in self.pieces:
            first_bits, last_bits = self.bits(piece.first), self.bits(piece.last)
            if former == first_bits:
                total += 1
                first = piece.first if first is None else first
            count = self._repeated_within(piece, abs(last_bits - first_bits))
            if count and first is None:
                first = self._first_repeated_within(piece)
            total += count
            former = last_bits
        return total, first

    def _repeated_within(self, piece: _Piece, changes: int) -> int:
        steps = piece.count - 1
        step = abs(Fraction(piece.step))
        if step < 1:
            # A step below 1 never skips a pattern.
            return steps - changes
        is_half = isinstance(piece.bits, Fraction) and piece.bits % 1 == Fraction(1, 2)
        if step == 1 and is_half and steps:
            # Ties go to the even neighbour, so every other step stays where it is.
            stays_first = self.bits(piece.first) == self.bits(piece.first + 1)
            return (steps + stays_first) // 2
        return 0

    def _first_repeated_within(self, piece: _Piece) -> int:
        start = self.bits(piece.first)

        def has_stayed(index: int) -> bool:
            return abs(self.bits(index) - start) < index - piece.first

        found = _bisected(piece.first + 1, piece.last, has_stayed)
        return piece.last if found is None else found


def _pieces(sequence: Sequence, count: int) -> Iterator[_Piece]:
    """Yield segments, cut where a binade or the sign ends."""
    data_type = sequence.data_type
    for segment in sequence.segments(count):
        first, left = segment.first_index, segment.count
        bits, step = segment.first_bits, segment.bits_per_step
        if not data_type.is_float or step == 0:
            yield _Piece(first, left, bits, step)
            continue
        binade = 1 << (data_type.precision - 1)
        while left:
            inside = _steps_inside(bits, step, binade)
            taken = min(left, inside + 1)
            yield _Piece(first, taken, bits, step)
            first, left, bits = first + taken, left - taken, bits + taken * step


def _steps_inside(bits: int | Fraction, step: int | Fraction, binade: int) -> int:
    """Return how many steps stay between the borders around a position; both belong to it."""
    low = bits // binade * binade
    if step > 0:
        return int((low + binade - bits) // step)
    if bits == low:
        low -= binade
    return int((bits - low) // -step)


def _nearest_to_middles(piece: _Piece) -> tuple[int, int]:
    """Return two elements of a line of fractions, one of which is rounded farthest."""
    position, step, one = _in_parts(piece, piece.first)
    *_, above = lesser_remainders(position - one // 2, step, one, piece.count)
    *_, below = lesser_remainders(one // 2 - position, -step, one, piece.count)
    return piece.first + above, piece.first + below


def _in_parts(piece: _Piece, index: int) -> tuple[int, int, int]:
    """Return the place of an element on its line, the step, and the number 1, as whole parts."""
    bits, step = Fraction(piece.bits), Fraction(piece.step)
    one = math.lcm(bits.denominator, step.denominator)
    return int((bits + (index - piece.first) * step) * one), int(step * one), one


def lesser_remainders(start: int, step: int, modulus: int, count: int) -> Iterator[int]:
    """Yield the indices at which (start + index * step) % modulus is less than at all before.

    Of those that follow each other at equal distances only the first and the last. The first index
    is 0, and all are below `count`.

    Notes
    -----
    From the least remainder so far the next lesser one is reached by the shortest way down, which
    is no longer than what there is. Ways become shorter by going a shortest way up between them,
    as in Euclid's algorithm, so that the time is logarithmic (three-distance theorem).

    Examples
    --------
    >>> list(lesser_remainders(8, 3, 10, 9)), [(8 + 3 * k) % 10 for k in range(9)]
    ([0, 1, 4], [8, 1, 4, 7, 0, 3, 6, 9, 2])
    """
    index, remainder = 0, start % modulus
    up, down = step % modulus, -step % modulus
    up_count = down_count = 1  # how many steps go so far up, and so far down
    yield index
    while remainder and up:
        if down <= remainder:
            times = min(remainder // down, (count - 1 - index) // down_count)
            if not times:
                return
            if times > 1:
                yield index + down_count
            index += times * down_count
            remainder -= times * down
            yield index
        elif up < down:
            times = min(-(-(down - remainder) // up), (down - 1) // up)
            down -= times * up
            down_count += times * up_count
        elif down < up:
            times = (up - 1) // down
            up -= times * down
            up_count += times * down_count
        else:
            return  # both are the greatest common divisor, the shortest way of all


def _compared(a: _Subject, b: _Subject) -> tuple[int | None, Distance | None, Distance | None]:
    """Return where two rules part, and how far apart they get in ULP and as numbers.

    Between two borders the patterns of `accumulate` lie on a line, and those of `multiply` on a
    line whose points are rounded. So the difference of patterns is a rounded line: it is largest
    at an end, and once it has left zero it does not come back. Ties, which go to the even
    neighbour, can make it differ by one between elements next to each other, so two elements at
    each end are looked at.
    """
    if not a.data_type.is_float:
        return None, None, None
    part_at: int | None = None
    largest = [Distance(0, 0, is_exact=True), Distance(0, Fraction(0), is_exact=True)]
    reach = min(a.reach, b.reach)
    ranges = list(_ranges(a, b, reach))
    if reach < a.count:
        # Of the rest the last elements are looked at: rules tend to be farthest apart there.
        ranges.append((a.count - 1, a.count - 1))
    for first, last in ranges:
        if part_at is None:
            part_at = _parting(a, b, first, last)
        for index in sorted({*_ends(first, last), *_apart_between(a, b, first, last)}):
            ulp, difference = _distances(a, b, index)
            for place, value in enumerate((ulp, difference)):
                if value is not None and value > largest[place].value:
                    largest[place] = Distance(index, value, is_exact=True)
    is_complete = reach == a.count
    ulp_found, value_found = (Distance(f.index, f.value, is_complete) for f in largest)
    return part_at, ulp_found, value_found


def _ranges(a: _Subject, b: _Subject, reach: int) -> Iterator[tuple[int, int]]:
    """Yield the first and last elements of ranges in which both rules have one piece."""
    borders = {piece.first for subject in (a, b) for piece in subject.pieces}
    ordered = [*sorted(border for border in borders if border < reach), reach]
    for first, following in pairwise(ordered):
        yield first, following - 1


def _parting(a: _Subject, b: _Subject, first: int, last: int) -> int | None:
    for index in range(first, min(first + 2, last + 1)):
        if a.bits(index) != b.bits(index):
            return index
    return _bisected(first, last, lambda index: a.bits(index) != b.bits(index))


def _distances(a: _Subject, b: _Subject, index: int) -> tuple[int | None, Any]:
    x, y = a.ordered(index), b.ordered(index)
    if x is None or y is None:
        return None, None
    if x == y:
        return 0, Fraction(0)
    return abs(x - y), abs(a.value(index) - b.value(index))


def _apart_between(a: _Subject, b: _Subject, first: int, last: int) -> Iterator[int]:
    """Yield elements of which one is where values are farthest apart, if no end is.

    Between two borders the difference is a line and what rounding by the rule `multiply` adds to
    it, at most half a spacing. Beginning where the line is farther off, an element can only be
    farther if it is rounded farther in one direction than all before it. A tie goes to the even
    neighbour, so that even and odd patterns are told apart.
    """
    piece = b.piece_at(first)
    ends = [subject.value(index) for subject in (a, b) for index in (first, last)]
    if piece.is_whole or not all(isinstance(value, Fraction) for value in ends):
        return
    assert a.piece_at(first).is_whole  # noqa: S101 (accumulated patterns are integers)
    slope = abs((ends[1] - ends[0]) / max(last - first, 1) - b.exact_delta)
    spacing = max(b.spacing(first), b.spacing(last))
    count = last - first + 1
    if slope:
        count = min(count, int(spacing / slope) + 2)
    for origin, sign in ((first, 1), (last, -1)):
        position, step, one = _in_parts(piece, origin)
        for middle, odd in ((one // 2, 0), (one // 2 + one, 1)):
            # Below an even pattern's middle, or at it; above an odd pattern's, or at it.
            below = middle - odd - position, -step * sign
            above = position - middle - 1 + odd, step * sign
            for begin, way in (below, above):
                for k in lesser_remainders(begin, way, 2 * one, count):
                    yield origin + k * sign


def _ends(first: int, last: int) -> list[int]:
    return sorted({first, min(first + 1, last), max(last - 1, first), last})


def _bisected(low: int, high: int, holds: Callable[[int], bool]) -> int | None:
    """Return the first index from which on something holds; None if it does not at the end."""
    if low > high or not holds(high):
        return None
    while low < high:
        middle = (low + high) // 2
        if holds(middle):
            high = middle
        else:
            low = middle + 1
    return low


def _exact(number: Any) -> Exact:
    """Return a number without rounding: as a fraction where it is finite."""
    if isinstance(number, int | np.integer):
        return Fraction(int(number))
    value = float(number)
    return Fraction(value) if math.isfinite(value) else value


def _is_nan(number: Any) -> bool:
    return bool(np.isnan(number))


def _is_infinite(number: Any) -> bool:
    return bool(np.isinf(number))


def _is_not_finite(number: Any) -> bool:
    return not np.isfinite(number)
