"""Sequences without memory: any element, any range, and the segments that they are made of."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator
from fractions import Fraction
from math import gcd, isfinite
from typing import Any, Literal, NamedTuple, get_args, overload

import numpy as np

from indirectml import _native
from indirectml.core.buffers import fill_buffer, open_output
from indirectml.core.data_types import DataTypeLike, TensorDataType, as_data_type
from indirectml.core.errors import DataTypeError, DescriptorError, DirectMLError, shown
from indirectml.core.scalars import Scalar, exact_bits, exact_number, exact_value

#: The two published rules for element i of a sequence.
Rule = Literal["accumulate", "multiply"]
RULES: tuple[str, ...] = get_args(Rule)

#: One more than the largest index of an element.
INDEX_END = _native.INDEX_END


def checked_rule(rule: str) -> Rule:
    """Return the rule if there is one of that name.

    Raises
    ------
    DescriptorError
        There is none.
    """
    if not isinstance(rule, str) or rule not in RULES:
        raise DescriptorError("needs 'accumulate' or 'multiply'", given=shown(rule), field="rule")
    return rule  # type: ignore[return-value]


def native_sequence(
    data_type: TensorDataType, rule: Rule, start: int, delta: int
) -> _native.Sequence:
    """Return the native form of a sequence, from exact bits."""
    return _native.Sequence(data_type.bits, data_type.precision, rule == "multiply", start, delta)


def constant_sequence(data_type: TensorDataType, bits: int) -> _native.Sequence:
    """Return the native form of a sequence of equal elements: integers that do not move."""
    return _native.Sequence(data_type.bits, 0, False, bits, 0)  # noqa: FBT003 (by position: fast)


class Segment(NamedTuple):
    """A run of elements whose bit patterns advance by a constant step.

    Attributes
    ----------
    first_index : int
        The number of the run's first element.
    count : int
        How many elements it has.
    first_bits : int or Fraction
        The bit pattern of its first element, before rounding.
    bits_per_step : int or Fraction
        What is added to it from element to element.

    Notes
    -----
    Element first_index + j has the bit pattern first_bits + j * bits_per_step, modulo 2^bits.
    Under `accumulate`, and for integers, both are integers. Under `multiply` they may be
    fractions; then the pattern is rounded to the nearest integer, ties to even. The lowest bit of
    the fraction in `first_bits` may stand for a smaller non-zero amount: it rounds as that would.
    """

    first_index: int
    count: int  # type: ignore[assignment]  # hides tuple.count, which nobody needs here
    first_bits: int | Fraction
    bits_per_step: int | Fraction


class Sequence:
    """The sequence that FILL_VALUE_SEQUENCE writes, without memory.

    Parameters
    ----------
    start, delta : int or float
        Converted once to exact bits of the data type; see `fill_sequence`.
    dtype : NumPy dtype or TensorDataType
        Any data type of `fill_sequence`.
    rule : {"accumulate", "multiply"}
        How element i is defined.

    Raises
    ------
    ScalarError
        The data type cannot hold `start` or `delta`.
    DataTypeError
        `dtype` is no data type of fills, or a value is no number.

    Notes
    -----
    `accumulate`: s(0) = start, s(i) = round(s(i-1) + delta). `multiply`: s(i) is
    round(start + i * delta), rounded once. Both round to the data type, to nearest, ties to even;
    integers wrap modulo 2^bits. A NaN that arises is positive and quiet with payload zero.
    The sequence goes on for ever; indices are from 0 to 2**64 - 2. Any element is found in a time
    that does not depend on its index.

    A sequence never changes. Two are equal, and have one hash, if data type, rule, and the bits of
    start and delta are. They can be pickled and copied. `x in s` is exact: it says whether an
    element is the number x, without rounding x to the data type; both zeros are 0, and NaN is in
    no sequence. It takes as long as finding some dozens of elements.

    References
    ----------
    DirectML: DML_FILL_VALUE_SEQUENCE_OPERATOR_DESC. IEEE 754-2019 sections 4.3.1 and 5.4.1.

    Examples
    --------
    >>> s = Sequence(0, 0.1)
    >>> s[1_000_000]
    np.float32(100958.34)
    >>> s[3:6]
    array([0.3, 0.4, 0.5], dtype=float32)
    >>> Sequence(0, 1).absorbed_at
    16777216
    >>> 16777217 in Sequence(0, 1), 0.1 in s, np.float32(0.1) in s
    (False, False, True)
    """

    __slots__ = ("data_type", "delta_bits", "native", "rule", "start_bits")
    data_type: TensorDataType
    rule: Rule
    start_bits: int
    delta_bits: int | None  # none where nothing is added: all elements have the bits of start
    native: _native.Sequence  # the native code's form of it

    def __init__(
        self,
        start: Scalar,
        delta: Scalar,
        dtype: DataTypeLike = np.float32,
        *,
        rule: Rule = "accumulate",
    ) -> None:
        field = "dtype"
        try:
            data_type = fill_data_type(dtype)
            field = "start"
            start_bits = exact_bits(start, data_type)
            field = "delta"
            delta_bits = exact_bits(delta, data_type, is_delta=True)
        except DirectMLError as error:
            raise error.within(field) from None
        self._become(data_type, checked_rule(rule), start_bits, delta_bits)

    @classmethod
    def of_bits(
        cls, data_type: TensorDataType, rule: Rule, start_bits: int, delta_bits: int | None
    ) -> Sequence:
        """Return a sequence by the bits of start and delta; None for a delta that is not added."""
        found = cls.__new__(cls)
        found._become(data_type, rule, start_bits, delta_bits)  # noqa: SLF001 (one of its own)
        return found

    def _become(
        self, data_type: TensorDataType, rule: Rule, start_bits: int, delta_bits: int | None
    ) -> None:
        # An integer that does not move keeps its bits, where adding would change those of a NaN.
        native = (
            constant_sequence(data_type, start_bits)
            if delta_bits is None
            else native_sequence(data_type, rule, start_bits, delta_bits)
        )
        members = data_type, delta_bits, native, rule, start_bits
        for name, member in zip(Sequence.__slots__, members, strict=True):
            object.__setattr__(self, name, member)

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"a Sequence does not change: make a new one, with another {name}")

    def _key(self) -> tuple[TensorDataType, Rule, int, int | None]:
        return self.data_type, self.rule, self.start_bits, self.delta_bits

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Sequence):
            return NotImplemented
        return self._key() == other._key()

    def __hash__(self) -> int:
        return hash(self._key())

    def __reduce__(self) -> tuple[Any, ...]:
        return Sequence.of_bits, self._key()

    @property
    def start(self) -> np.generic:
        """Element 0 under `accumulate`, as a NumPy scalar."""
        return as_number(self.start_bits, self.data_type)

    @property
    def delta(self) -> np.generic:
        """What is added from element to element, as a NumPy scalar.

        Of equal elements it is what changes no number: 0, and -0 of a float data type.
        """
        if self.delta_bits is None:
            sign = 1 << (self.data_type.bits - 1)
            return as_number(sign if self.data_type.is_float else 0, self.data_type)
        return as_number(self.delta_bits, self.data_type)

    @property
    def dtype(self) -> np.dtype[Any]:
        """The NumPy dtype of the elements."""
        dtype: np.dtype[Any] = self.data_type.dtype
        return dtype

    def __array__(self, *_: Any, **__: Any) -> np.ndarray[Any, Any]:
        """Refuse: it has no end; a slice of it is an array."""
        raise DataTypeError(
            "a Sequence has no end, and is no array",
            given="no count",
            hint="write s[:count], or dml.sequence(sizes, start, delta)",
            field="Sequence",
        )

    @overload
    def __getitem__(self, index: int) -> np.generic: ...
    @overload
    def __getitem__(self, index: slice) -> np.ndarray[Any, Any]: ...

    def __getitem__(self, index: int | slice) -> np.generic | np.ndarray[Any, Any]:
        """Return one element, or the elements from a to b - 1 as a new array."""
        if not isinstance(index, slice):
            return as_number(self.native.element(_checked_index(index)), self.data_type)
        step = 1 if index.step is None else index.step
        if index.stop is None or not isinstance(step, int | np.integer) or step != 1:
            raise IndexError("a sequence never ends: needs s[a:b] with an end and without a step")
        first = 0 if index.start is None else _checked_index(index.start, end=INDEX_END + 1)
        stop = _checked_index(index.stop, end=INDEX_END + 1)
        out = np.empty(max(stop - first, 0), self.dtype)
        return self.write(out, first) if out.size else out

    def __contains__(self, value: object) -> bool:
        """Return whether an element is a number, without rounding it."""
        try:
            wanted = exact_number(value)
        except DataTypeError:
            return False
        if not self.data_type.is_float:
            return self._contains_integer(wanted)
        # From element 1 on, and from element 0 on if both operands are finite, the elements go in
        # one direction, which rounding does not turn.
        some = [self._exact(index) for index in range(3)]
        if any(wanted == element for element in some):
            return True
        if not all(map(isfinite, some)):
            return False
        falls = some[1] < some[0] or self._exact(INDEX_END - 1) < some[0]

        def has_reached(index: int) -> bool:
            element = self._exact(index)
            return element <= wanted if falls else element >= wanted

        at = first_that(has_reached, 0, INDEX_END - 1)
        return at is not None and self._exact(at) == wanted

    def _contains_integer(self, wanted: Fraction | float) -> bool:
        data_type = self.data_type
        if not data_type.minimum <= wanted <= data_type.maximum or wanted % 1:
            return False
        # The index i with start + i * delta = wanted modulo 2^bits, by the inverse of delta.
        modulus = 1 << data_type.bits
        delta = self.delta_bits or 0
        way = (int(wanted) - self.start_bits) % modulus
        common = gcd(delta, modulus)
        if way % common:
            return False
        modulus //= common
        return way // common * pow(delta // common, -1, modulus) % modulus < INDEX_END

    def _exact(self, index: int) -> Fraction | float:
        return exact_value(self.native.element(index), self.data_type)

    def write(self, out: Any, first: int = 0) -> Any:
        """Write the elements from `first` on to an array, in its row-major order; returns it.

        Parameters
        ----------
        out : array
            Any that `fill_sequence` takes, of this sequence's data type.
        first : int
            The number of the element that the first element of `out` gets.

        Raises
        ------
        DataTypeError
            `out` is no array that can be written in place, or has another data type.
        LayoutError
            `out` is read-only, or its elements share memory.
        """
        first = _checked_index(first)
        try:
            buffer, data_type = open_output(out)
            if data_type is not self.data_type:
                raise DataTypeError(f"needs an array of {self.dtype}", given=str(data_type.dtype))
            _checked_index(first + buffer.element_count, end=INDEX_END + 1)
            fill_buffer(buffer, self.native, first)
        except DirectMLError as error:
            raise error.within("out") from None
        return out

    def segments(self, count: int) -> Iterator[Segment]:
        """Yield the segments of the first `count` elements, each as long as it can be.

        Parameters
        ----------
        count : int
            How many elements, from 0 to 2**64 - 1.

        Raises
        ------
        DataTypeError, IndexError
            `count` is no integer, or out of range.

        Notes
        -----
        Each segment is found when it is asked for, in a time that does not depend on its count.
        Under `accumulate` there are at most 5 p + 18 in all, p being the precision (283 for
        FLOAT64). Under `multiply` there can be very many, where delta is far below the spacing of
        the elements: Sequence(1, 1.1 * 2**-65, np.float64, rule="multiply") has one per 7,450
        elements. `itertools.islice` takes the first of them.

        References
        ----------
        docs/sequences.md, sections 3 and 4.

        Examples
        --------
        >>> for segment in Sequence(1, 0.5, np.float16).segments(12): print(segment)
        Segment(first_index=0, count=3, first_bits=15360, bits_per_step=512)
        Segment(first_index=3, count=4, first_bits=16640, bits_per_step=256)
        Segment(first_index=7, count=5, first_bits=17536, bits_per_step=128)
        """
        return self._segments(_checked_index(count, end=INDEX_END + 1))

    def _segments(self, count: int) -> Iterator[Segment]:
        pending: Segment | None = None
        first = 0
        walker = _native.Walker(self.native, 0)
        while first < count:
            segment = _as_segment(*walker.next(), bits=self.data_type.bits)
            first += segment.count
            if pending is None:
                pending = segment
                continue
            pending, rest = _joined(pending, segment)
            if rest is not None:
                yield pending
                pending = rest
        if pending is not None and pending.first_index < count:
            excess = max(pending.first_index + pending.count - count, 0)
            yield pending._replace(count=pending.count - excess)

    @property
    def absorbed_at(self) -> int | None:
        """The number of the element after which no other value follows; None if there is none.

        From there on the delta is too small to move the value, is zero, or the value is infinite
        or NaN. Integers with a delta other than zero never stop changing.
        """
        if not self.data_type.is_float or self.delta_bits is None:
            return None if self.delta_bits else 0
        if self.rule == "accumulate":
            *_, last = self.segments(INDEX_END - 1)
            return self._first_equal(max(last.first_index - 1, 0), last.first_index)
        final = INDEX_END - 1
        start, delta = (exact_value(b, self.data_type) for b in (self.start_bits, self.delta_bits))
        moves = isfinite(start) and isfinite(delta) and delta != 0
        # A finite delta moves the exact value for ever, however slowly.
        return None if moves and isfinite(self._exact(final)) else self._first_equal(0, final)

    def _first_equal(self, low: int, high: int) -> int:
        """Return the first index from which on all elements up to `high` have the same bits."""
        final = self.native.element(high)
        return first_that(lambda index: self.native.element(index) == final, low, high) or low

    def __repr__(self) -> str:
        rule = "" if self.rule == "accumulate" else f", rule={self.rule!r}"
        if self.delta_bits is None:
            return f"<Sequence of {self.start}, np.{self.dtype}>"
        return f"Sequence({self.start}, {self.delta}, np.{self.dtype}{rule})"


def first_that(holds: Callable[[int], bool], low: int, high: int) -> int | None:
    """Return the first index from which on something holds; None if it does not at the end.

    Examples
    --------
    >>> first_that(lambda index: index**2 > 50, 0, 100)
    8
    """
    if low > high or not holds(high):
        return None
    while low < high:
        middle = (low + high) // 2
        if holds(middle):
            high = middle
        else:
            low = middle + 1
    return low


def equal_elements(value: Scalar, data_type: TensorDataType, rule: Rule = "accumulate") -> Sequence:
    """Return the sequence whose elements are all the same number.

    Examples
    --------
    >>> equal_elements(13, TensorDataType.FLOAT32)[10**12]
    np.float32(13.0)
    """
    try:
        bits = exact_bits(value, data_type)
    except DirectMLError as error:
        raise error.within("value") from None
    return Sequence.of_bits(data_type, rule, bits, None)


def fill_data_type(like: DataTypeLike) -> TensorDataType:
    """Return the data type, if fills can write it.

    Raises
    ------
    DataTypeError
        They cannot: it is UNKNOWN, has 4 bits, or is no data type.
    """
    data_type = as_data_type(like)
    if data_type.dtype is None:
        raise DataTypeError("needs a data type of whole bytes", given=data_type.name)
    return data_type


def as_number(bits: int, data_type: TensorDataType) -> np.generic:
    """Return the NumPy scalar with the given bits."""
    raw = np.array(bits, f"u{data_type.item_bytes}")
    number: np.generic = raw.view(data_type.dtype)[()]
    return number


def _checked_index(index: int, end: int = INDEX_END) -> int:
    try:
        index = operator.index(index)
    except TypeError:
        raise DataTypeError(
            "needs an integer index", given=f"{shown(index)} ({type(index).__name__})"
        ) from None
    if not 0 <= index < end:
        raise IndexError(f"a sequence has elements 0 to 2**64 - 2, got {shown(index)}")
    return index


def _as_segment(
    first: int, count: int, bits_: int, step: int, fraction: int, fraction_step: int, *, bits: int
) -> Segment:
    """Turn the native code's 64-bit words into numbers: the step becomes signed."""
    position = (bits_ << 64) + fraction
    moved = (step << 64) + fraction_step
    moved = (moved + (1 << 127)) % (1 << 128) - (1 << 127)
    position %= 1 << (64 + bits)
    return Segment(first, count, _simplified(position), _simplified(moved))


def _simplified(fixed_point: int) -> int | Fraction:
    """Divide by 2^64."""
    whole, rest = divmod(fixed_point, 1 << 64)
    return whole if rest == 0 else Fraction(fixed_point, 1 << 64)


def _joined(a: Segment, b: Segment) -> tuple[Segment, Segment | None]:
    """Extend a by as many of the elements of b as continue it; return both, or None for b."""
    if isinstance(a.first_bits, Fraction) or isinstance(b.first_bits, Fraction):
        return a, b
    if isinstance(a.bits_per_step, Fraction) or isinstance(b.bits_per_step, Fraction):
        return a, b
    step = b.first_bits - a.first_bits if a.count == 1 else a.bits_per_step
    if b.first_bits != a.first_bits + a.count * step:
        return a, b
    if b.count == 1 or b.bits_per_step == step:
        return a._replace(count=a.count + b.count, bits_per_step=step), None
    first = Segment(a.first_index, a.count + 1, a.first_bits, step)
    rest = Segment(b.first_index + 1, b.count - 1, b.first_bits + b.bits_per_step, b.bits_per_step)
    return first, rest
