"""What a sequence will do, without making its elements.

Both rules are piecewise linear in their bit patterns (docs/sequences.md), so everything asked for
is decided at the borders of pieces, by bisection within one, or by remainders as in Euclid's
algorithm. No time is in proportion to the count.
"""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from itertools import islice, pairwise
from typing import Any

import numpy as np

from indirectml.core.data_types import TensorDataType
from indirectml.core.scalars import exact_value
from indirectml.fills.remainders import lesser_remainders
from indirectml.fills.sequences import (
    RULES,
    Segment,
    Sequence,
    as_number,
    checked_rule,
    equal_elements,
    first_that,
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
        The element: the first of those that are as far.
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
    sequence : Sequence
        What the facts are about.
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
    last_bits : int
        The bits of the last element.
    """

    sequence: Sequence
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
    last_bits: int

    @property
    def last(self) -> np.generic:
        """The last element as a NumPy scalar."""
        return as_number(self.last_bits, self.sequence.data_type)


@dataclass(frozen=True)
class Explanation:
    """What a sequence of `count` elements will do, under both rules.

    Attributes
    ----------
    exact_delta : Fraction or float
        As a number: a negative one of an unsigned type stays negative.
    part_at : int or None
        The first element at which the rules give other bits.
    largest_ulp, largest_difference : Distance or None
        How far the rules are apart, in representable values and as numbers.
    """

    data_type: TensorDataType
    exact_delta: Exact
    count: int
    rules: dict[str, RuleFacts]
    part_at: int | None
    largest_ulp: Distance | None
    largest_difference: Distance | None
    is_complete: bool

    @property
    def start(self) -> np.generic:
        """The start as a NumPy scalar."""
        return self.rules["accumulate"].sequence.start

    @property
    def delta(self) -> np.generic:
        """The delta as a NumPy scalar; see `Sequence`."""
        return self.rules["accumulate"].sequence.delta


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
    sequences: dict[str, Sequence] = {}
    for rule in map(checked_rule, RULES):
        if delta is None:
            sequences[rule] = equal_elements(start, data_type, rule)
        else:
            sequences[rule] = Sequence(start, delta, data_type, rule=rule)
    # As it is given: -2 counts an unsigned type down, and does not wrap as 254 would.
    is_written = isinstance(delta, int) and not data_type.is_float
    return explain_rules(
        sequences, count, Fraction(delta) if is_written else None, segments_kept=segments_kept
    )


def explain_rules(
    sequences: Mapping[str, Sequence],
    count: int,
    exact_delta: Fraction | None = None,
    *,
    segments_kept: int = 64,
) -> Explanation:
    """Return what a sequence will do, given once for each rule.

    Parameters
    ----------
    sequences : mapping
        By rule, `accumulate` first.
    count : int
        How many elements, from 1 up.
    exact_delta : Fraction, optional
        What is added as a number, where that is not what the bits of delta stand for.
    segments_kept : int
        So many segments are told one by one.
    """
    subjects = {
        rule: _Subject(sequence, exact_delta, count) for rule, sequence in sequences.items()
    }
    first, second = subjects.values()
    part_at, largest_ulp, largest_difference = _compared(first, second)
    return Explanation(
        first.data_type,
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

    @property
    def has_ties_alone(self) -> bool:
        """True if every element lies in the middle of two patterns, one pattern after the other."""
        is_half = isinstance(self.bits, Fraction) and self.bits % 1 == Fraction(1, 2)
        return is_half and self.step in (1, -1) and self.count > 1


class _Subject:
    """A sequence of a rule, its pieces, and questions to it."""

    def __init__(self, sequence: Sequence, exact_delta: Fraction | None, count: int) -> None:
        self.sequence = sequence
        self.data_type = sequence.data_type
        self.count = count
        self.pieces = list(islice(_pieces(sequence, count), MAX_PIECES))
        #: The elements that the pieces reach.
        self.reach = self.pieces[-1].last + 1
        self.is_complete = self.reach == count
        self._exact_start: Any = exact_value(sequence.start_bits, self.data_type)
        self.exact_delta: Any = exact_delta
        if exact_delta is None:
            self.exact_delta = exact_value(sequence.delta_bits or 0, self.data_type)
        self.infinite_at = self._first(math.isinf)

    def bits(self, index: int) -> int:
        return self.sequence.native.element(index)

    def value(self, index: int) -> Exact:
        return exact_value(self.bits(index), self.data_type)

    def ordered(self, index: int) -> int | None:
        """Return the position among all values of a float data type; None for NaN."""
        bits = self.bits(index)
        magnitude = bits & ((1 << (self.data_type.bits - 1)) - 1)
        if magnitude > self.data_type.infinities[0]:
            return None
        return magnitude if magnitude == bits else -magnitude

    def exact(self, index: int) -> Any:
        """Return start + index * delta without rounding or wrapping."""
        return self._exact_start + index * self.exact_delta

    def spacing(self, piece: _Piece) -> Fraction:
        """Return the distance of neighbours in the binade that a piece lies in.

        An exact value that is a border has the larger one of two, so both ends are looked at.
        """
        precision = self.data_type.precision
        unit = Fraction(2) ** (3 - (1 << (self.data_type.bits - precision - 1)) - precision)
        ends = (abs(self.exact(index)) // unit for index in (piece.first, piece.last))
        exponent = min(max(units.bit_length() - precision, 0) for units in ends)
        return unit * Fraction(1 << exponent)

    def in_parts(self, piece: _Piece) -> tuple[int, int, int]:
        """Return the first exact magnitude of a piece, the step, and one spacing, in equal parts.

        Parts are fine enough for the middle between two patterns. The magnitude of a pattern is an
        even number more than that in spacings.
        """
        spacing = self.spacing(piece)
        start, step = self.exact(piece.first) / spacing, self.exact_delta / spacing
        one: int = 2 * math.lcm(start.denominator, step.denominator)
        sign = -1 if self.exact(piece.first) + self.exact(piece.last) < 0 else 1
        return sign * int(start * one), sign * int(step * one), one

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
            sequence=self.sequence,
            is_complete=self.is_complete,
            segment_count=len(segments),
            segments=tuple(segments[:segments_kept]),
            last_exact=self._last_exact(),
            absorbed_at=self._absorbed_at(),
            infinite_at=self.infinite_at,
            nan_at=self._first(math.isnan),
            wrapped_at=self._wrapped_at(),
            repeated_count=repeated,
            first_repeated=first_repeated,
            period=self._period(),
            largest_error=self._largest_error(),
            last_bits=self.bits(self.count - 1),
        )

    def _absorbed_at(self) -> int | None:
        at = self.sequence.absorbed_at
        return at if at is not None and at < self.count - 1 else None

    def _first(self, holds: Callable[[Exact], bool]) -> int | None:
        """Return the first element of which something holds that never stops to hold."""
        if not self.data_type.is_float:
            return None
        for index in range(min(2, self.count)):
            if holds(self.value(index)):
                return index
        # From element 1 on what is infinite may turn into NaN, but never becomes finite again.
        past = math.isnan if holds is math.isnan else _is_not_finite
        at = first_that(lambda index: past(self.value(index)), 0, self.count - 1)
        return at if at is not None and holds(self.value(at)) else None

    def _wrapped_at(self) -> int | None:
        if self.data_type.is_float:
            return None
        low, high = self.data_type.minimum, self.data_type.maximum
        return first_that(lambda index: not low <= self.exact(index) <= high, 0, self.count - 1)

    def _period(self) -> int | None:
        if self.data_type.is_float:
            return None
        modulus = 1 << self.data_type.bits
        period = modulus // math.gcd(self.sequence.delta_bits or 0, modulus)
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

        Where values lie on a line, that is farthest at an end of the piece, and nowhere before
        it. Where the line itself is rounded, by the rule `multiply`, it is farthest where the line
        is nearest to the middle between two patterns.
        """
        if not (self.is_finite and self.data_type.is_float):
            return None
        if self.infinite_at is not None:
            return Distance(self.infinite_at, math.inf, is_exact=True)
        found = Distance(0, Fraction(0), is_exact=True)
        for piece in self.pieces:
            rounded = () if piece.is_whole else _nearest_to_middles(piece, *self.in_parts(piece))
            for index in sorted({piece.first, piece.last, *rounded}):
                error = abs(self.value(index) - self.exact(index))
                if error > found.value:
                    found = Distance(index, error, is_exact=True)
        return Distance(found.index, found.value, self.is_complete)

    def _repeated(self) -> tuple[int, int | None]:
        """Return how many elements equal the one before, and the first of them."""
        total, first = 0, None
        if not self.data_type.is_float:
            return (0, None) if self.sequence.delta_bits or self.count == 1 else (self.count - 1, 1)
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
        if abs(Fraction(piece.step)) < 1:
            # A step below 1 never skips a pattern.
            return steps - changes
        if not piece.has_ties_alone:
            return 0
        # Ties go to the even neighbour, so every other step stays where it is.
        return (steps + self._stays_at(piece.first)) // 2

    def _first_repeated_within(self, piece: _Piece) -> int:
        """Return the first repeated element of a piece that has one after its first."""
        if piece.has_ties_alone:
            return piece.first + (1 if self._stays_at(piece.first) else 2)
        start = self.bits(piece.first)

        def has_stayed(index: int) -> bool:
            return abs(self.bits(index) - start) < index - piece.first

        found = first_that(has_stayed, piece.first + 1, piece.last)
        return piece.last if found is None else found

    def _stays_at(self, index: int) -> bool:
        return self.bits(index) == self.bits(index + 1)


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


def _nearest_to_middles(piece: _Piece, position: int, step: int, one: int) -> tuple[int, int]:
    """Return the first two elements of a line that are rounded farthest: down, and up."""
    *_, above = lesser_remainders(position - one // 2, step, one, piece.count)
    *_, below = lesser_remainders(one // 2 - position, -step, one, piece.count)
    return piece.first + above, piece.first + below


def _compared(a: _Subject, b: _Subject) -> tuple[int | None, Distance | None, Distance | None]:
    """Return where two rules part, and how far apart they get in ULP and as numbers.

    Between two borders the patterns of `accumulate` lie on a line, and those of `multiply` on a
    line whose points are rounded. So the difference of patterns is a rounded line, which goes in
    one direction: it is largest at an end, and once it has left zero it does not come back. If the
    line is level, ties, which go to the even neighbour, can make every other difference one more,
    so the first two elements are looked at.
    """
    if not a.data_type.is_float:
        return None, None, None
    part_at: int | None = None
    ulp = Distance(0, 0, is_exact=True)
    difference = Distance(0, Fraction(0), is_exact=True)
    reach = min(a.reach, b.reach)
    ranges = list(_ranges(a, b, reach))
    if reach < a.count:
        # Of the rest the last elements are looked at: rules tend to be farthest apart there.
        ranges.append((a.count - 1, a.count - 1))
    for first, last in ranges:
        if part_at is None:
            part_at = _parting(a, b, first, last)
        ulp = _farther_in_ulp(a, b, first, last, ulp)
        difference = _farther_in_value(a, b, first, last, difference)
    is_complete = reach == a.count
    difference_is_exact = is_complete or difference.value == math.inf
    return (
        part_at,
        Distance(ulp.index, ulp.value, is_complete),
        Distance(difference.index, difference.value, difference_is_exact),
    )


def _farther_in_ulp(a: _Subject, b: _Subject, first: int, last: int, found: Distance) -> Distance:
    """Return the first of the elements that are farther apart in ULP, if there are any."""

    def signed(index: int) -> int:
        x, y = a.ordered(index), b.ordered(index)
        return 0 if x is None or y is None else x - y

    indices = [first, min(first + 1, last)]
    final = signed(last)
    if abs(final) > found.value:
        indices.append(first_that(lambda index: signed(index) == final, first, last) or last)
    for index in indices:
        if abs(signed(index)) > found.value:
            found = Distance(index, abs(signed(index)), is_exact=True)
    return found


def _farther_in_value(a: _Subject, b: _Subject, first: int, last: int, found: Distance) -> Distance:
    """Return the first of the elements that are farther apart as numbers, if there are any."""
    for index in sorted({first, last, *_apart_between(a, b, first, last)}):
        x, y = a.value(index), b.value(index)
        if not (math.isnan(x) or math.isnan(y)) and _apart(x, y) > found.value:
            found = Distance(index, _apart(x, y), is_exact=True)
    return found


def _ranges(a: _Subject, b: _Subject, reach: int) -> Iterator[tuple[int, int]]:
    """Yield the first and last elements of ranges in which both rules have one piece.

    Infinite elements have ranges of their own: their pattern continues the line of patterns, but
    not that of values.
    """
    borders = {piece.first for subject in (a, b) for piece in subject.pieces}
    borders |= {subject.infinite_at for subject in (a, b) if subject.infinite_at is not None}
    ordered = [*sorted(border for border in borders if border < reach), reach]
    for first, following in pairwise(ordered):
        yield first, following - 1


def _parting(a: _Subject, b: _Subject, first: int, last: int) -> int | None:
    for index in range(first, min(first + 2, last + 1)):
        if a.bits(index) != b.bits(index):
            return index
    return first_that(lambda index: a.bits(index) != b.bits(index), first, last)


def _apart_between(a: _Subject, b: _Subject, first: int, last: int) -> Iterator[int]:
    """Yield elements of which one is the first where values are farthest apart, if no end is.

    Between two borders the difference is a line and what rounding by the rule `multiply` adds to
    it, at most half a spacing. Beginning where the line is farther off, an element can only be
    farther if it is rounded farther in one direction than all before it. A tie goes to the even
    neighbour, so that even and odd patterns are told apart: remainders below `limit` belong to
    one, those above to the other.
    """
    piece = b.piece_at(first)
    ends = [subject.value(index) for subject in (a, b) for index in (first, last)]
    if piece.is_whole or not all(isinstance(value, Fraction) for value in ends):
        return
    assert a.piece_at(first).is_whole  # noqa: S101 (accumulated patterns are integers)
    slope = abs((ends[1] - ends[0]) / max(last - first, 1) - b.exact_delta)
    count = last - first + 1
    if slope:
        count = min(count, int(b.spacing(piece) / slope) + 2)
    start, step, one = b.in_parts(piece)
    for origin, sign in ((first, 1), (last, -1)):
        position = start + (origin - piece.first) * step
        for middle, odd in ((one // 2, 0), (one // 2 + one, 1)):
            # Below an even pattern's middle, or at it; above an odd pattern's, or at it.
            below = middle - odd - position, -step * sign, one - odd
            above = position - middle - 1 + odd, step * sign, one - 1 + odd
            for begin, way, limit in (below, above):
                for k in lesser_remainders(begin, way, 2 * one, count, limit):
                    yield origin + k * sign


def _apart(x: Exact, y: Exact) -> Exact:
    """Return the distance of two numbers, infinite if one is; none is NaN."""
    if x == y:
        return Fraction(0)
    if isinstance(x, Fraction) and isinstance(y, Fraction):
        return abs(x - y)
    return math.inf


def _is_not_finite(value: Exact) -> bool:
    return not math.isfinite(value)
