"""ONNX forms of fills and of matrices with diagonals.

A sequence is written without ONNX's Range of floats, whose documentation and implementations
differ: one adds in a loop, another multiplies.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator
from fractions import Fraction
from typing import Any

import numpy as np

from indirectml.arithmetic.basics import truncated_to
from indirectml.core.data_types import TensorDataType
from indirectml.fills.sequences import Segment, Sequence, as_number
from indirectml.onnx_export.building import DOUBLE, INT64, Builder, Value, numpy_dtype
from indirectml.onnx_export.forms import Node, form
from indirectml.onnx_export.words import both, compared, counted, either, modular, selected

#: A sequence of at most this many bytes is a constant; so is one that has no other form.
LITERAL_BYTES = 1 << 16

#: A sequence of more segments is a constant.
_MOST_SEGMENTS = 512

#: One of more bytes that would be a constant is refused.
_MOST_BYTES = 1 << 30

#: As many elements of a segment are a constant, which takes no more than nodes do.
_FEW = 64

#: Of FLOAT64: integers up to here, in units of one step, are exact.
_EXACT = 1 << 53

#: Intermediate integers stay below this, which INT64 holds.
_MOST_INTEGER = 1 << 62

_FLOAT16_BITS = 16


@form("FILL_VALUE_CONSTANT")
def constant(node: Node) -> Value:
    """Expand of one element, whose bits it has."""
    data_type: TensorDataType = node["value_data_type"]
    bits = node["value"].bits(data_type)
    number = np.array([bits], f"u{data_type.item_bytes}").view(data_type.dtype)
    return node.b.expand(node.b.constant(number), node.sizes)


@form("FILL_VALUE_SEQUENCE")
def sequence(node: Node) -> Value:
    """Numbers of elements by Range of INT64, and what the rule makes of them; always exact.

    Up to 64 KiB a constant. Integers: start + i * delta modulo 2^bits. Floats under `multiply`: the
    same in FLOAT64, rounded once by Cast, where each intermediate result is a multiple of one step
    below 2^53 steps; not for FLOAT16, since ONNX Runtime casts FLOAT64 to FLOAT16 with two
    roundings. Otherwise segment by segment, under both rules: bit patterns that advance by a
    constant step, rounded in INT64, and what they stand for, exactly, in FLOAT64. What fits neither
    (more than 512 segments, or integers beyond 2^62) is a constant too, up to 1 GiB.
    """
    b = node.b
    data_type: TensorDataType = node["value_data_type"]
    start, delta = (node[name].bits(data_type) for name in ("value_start", "value_delta"))
    rule: Any = node.sequence_rule
    found = Sequence.of_bits(data_type, rule, start, delta)
    count = math.prod(node.sizes)
    if count * data_type.item_bytes <= LITERAL_BYTES:
        return b.constant(found[:count].reshape(node.sizes))
    if not data_type.is_float:
        return b.reshape(_of_integers(b, found, count), node.sizes)
    made = _in_float64(b, found, count) or _of_segments(b, found, count)
    if made is None and count * data_type.item_bytes > _MOST_BYTES:
        node.refuse(
            f"needs start and delta that have an exact form, or at most {_MOST_BYTES} bytes",
            given=f"{found.start!s}, {found.delta!s} and {count * data_type.item_bytes}",
        )
    if made is None:
        return b.constant(found[:count].reshape(node.sizes))
    return b.reshape(made, node.sizes)


def _of_integers(b: Builder, found: Sequence, count: int) -> Value:
    start, delta = (int(x) for x in (found.start, found.delta))
    product = modular(b, "Mul", counted(b, count), _as_int64(delta))
    return b.cast(modular(b, "Add", product, _as_int64(start)), found.data_type.dtype)


def _as_int64(number: int) -> int:
    """Return an integer modulo 2^64, within INT64."""
    return (number + (1 << 63)) % (1 << 64) - (1 << 63)


def _in_float64(b: Builder, found: Sequence, count: int) -> Value | None:
    """Return start + i * delta where FLOAT64 has every intermediate result exactly."""
    if found.rule != "multiply" or found.data_type.bits == _FLOAT16_BITS:
        return None
    start, delta = float(found.start), float(found.delta)
    if not (math.isfinite(start) and math.isfinite(delta)) or start == 0 or delta == 0:
        return None  # signs of zeros: runtimes leave additions of 0 out
    first, step = Fraction(start), Fraction(delta)
    # Both are multiples of one over the larger denominator, and of the lower of their last bits.
    unit = min(_last_bit(first), _last_bit(step))
    largest = max(abs(first), abs(step) * count, abs(first + step * (count - 1)))
    if unit and largest > unit * _EXACT:
        return None
    product = b.add("Mul", b.cast(counted(b, count), DOUBLE), delta)
    return b.cast(b.add("Add", product, start), found.data_type.dtype)


def _last_bit(number: Fraction) -> Fraction:
    """Return the largest power of two that a dyadic number is a multiple of; 2^2000 for zero."""
    if not number:
        return Fraction(1 << 2000)
    low = number.numerator & -number.numerator
    return Fraction(low, number.denominator)


# ---- segments ----


def _of_segments(b: Builder, found: Sequence, count: int) -> Value | None:
    """Return segments behind each other; None where there are too many or one does not fit."""
    pieces = itertools.chain.from_iterable(
        _in_binades(found.data_type, segment) for segment in found.segments(count)
    )
    chosen = list(itertools.islice(pieces, _MOST_SEGMENTS + 1))
    if len(chosen) > _MOST_SEGMENTS:
        return None
    parts = [_piece(b, found, segment) for segment in chosen]
    kept = [part for part in parts if part is not None]
    return b.concat(kept, 0) if len(kept) == len(parts) else None


def _in_binades(data_type: TensorDataType, segment: Segment) -> Iterator[Segment]:
    """Yield the parts of a segment within which one bit pattern more always adds the same."""
    first, left, begin, step = segment
    while left:
        base, top = _binade(data_type, begin, step)
        end = top if step > 0 else base
        inside = left if step == 0 else min(left, max(math.floor((end - begin) / step) + 1, 1))
        yield Segment(first, inside, begin, step)
        first, left, begin = first + inside, left - inside, begin + inside * step


def _binade(data_type: TensorDataType, begin: Any, step: Any) -> tuple[int, int]:
    """Return the first bit patterns of a binade and of the next; begin may be that of the next.

    The subnormal numbers and the first binade of normal ones are one here.
    """
    size = 1 << (data_type.precision - 1)
    inside = math.floor(begin) if step >= 0 else math.ceil(begin) - 1
    base = inside // size * size
    sign = base >> (data_type.bits - 1) << (data_type.bits - 1)
    if base - sign <= size:
        return sign, sign + 2 * size
    return base, base + size


def _piece(b: Builder, found: Sequence, piece: Segment) -> Value | None:
    data_type = found.data_type
    first, length, begin, step = piece
    if length <= _FEW:
        # Also where a NaN and an infinity follow each other, whose patterns are no numbers.
        return b.constant(found[first : first + length])
    if step == 0:
        element = b.constant(found[first : first + 1])
        return b.expand(element, [length])
    base, _ = _binade(data_type, begin, step)
    patterns = _patterns(b, length, Fraction(begin), Fraction(step))
    if patterns is None:
        return None
    value = float(as_number(base, data_type))
    unit = float(as_number(base + 1, data_type)) - value
    steps = b.cast(b.add("Sub", patterns, base), DOUBLE)
    exact = b.add("Add", b.add("Mul", steps, unit), value)
    return b.cast(exact, numpy_dtype(data_type))


def _patterns(b: Builder, length: int, begin: Fraction, step: Fraction) -> Value | None:
    """Return begin + j * step, rounded to integers, ties to even; None beyond INT64."""
    divisor = max(begin.denominator, step.denominator)  # powers of two
    first, more = int(begin * divisor), int(step * divisor)
    if max(first, abs(more) * length, first + more * length) >= _MOST_INTEGER:
        return None
    numbers = b.add("Add", b.add("Mul", counted(b, length), more), first)
    if divisor == 1:
        return numbers
    whole = b.add("Div", numbers, divisor)
    left = b.add("Sub", numbers, b.add("Mul", whole, divisor))
    is_odd = compared(b, "Equal", b.add("Mod", whole, 2), 1)
    is_half = compared(b, "Equal", b.add("Mul", left, 2), divisor)
    is_above = compared(b, "Greater", b.add("Mul", left, 2), divisor)
    goes_up = either(b, is_above, both(b, is_half, is_odd))
    return b.add("Add", whole, b.cast(goes_up, INT64))


# ---- diagonals ----


@form("DIAGONAL_MATRIX")
def diagonal(node: Node) -> Value:
    """A constant of one matrix, expanded to all."""
    number = np.array([node["value"]], np.float32)
    dtype = node.dtype
    with np.errstate(over="ignore"):  # what a FLOAT16 cannot hold is infinite
        typed = number.astype(dtype) if dtype.kind == "f" else truncated_to(number, dtype)
    rows, columns = node.sizes[-2:]
    return _where_diagonal(node, node["offset"], node["offset"] + 1, typed, rows, columns, None)


@form("DIAGONAL_MATRIX1")
def diagonals(node: Node, x: Value | None) -> Value:
    """Where, by the number of the column less that of the row."""
    data_type: TensorDataType = node["value_data_type"]
    bits = node["value"].bits(data_type)
    value = np.array([bits], f"u{data_type.item_bytes}").view(data_type.dtype)
    begin, end = node["diagonal_fill_begin"], node["diagonal_fill_end"]
    rows, columns = node.sizes[-2:]
    return _where_diagonal(node, begin, end, value, rows, columns, x)


def _where_diagonal(
    node: Node, begin: int, end: int, value: Any, rows: int, columns: int, x: Value | None
) -> Value:
    """Return a value on diagonals from `begin` on and below `end`, x or zeros elsewhere."""
    b = node.b
    down = b.reshape(counted(b, rows), [rows, 1])
    d = b.add("Sub", counted(b, columns), down)
    after, before = compared(b, "GreaterOrEqual", d, begin), compared(b, "Less", d, end)
    filled = (either if end < begin else both)(b, after, before)
    typed = b.constant(value)
    other = b.constant(np.zeros(1, value.dtype)) if x is None else x
    return selected(b, filled, typed, other, node.sizes)
