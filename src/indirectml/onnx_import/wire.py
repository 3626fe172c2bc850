"""Weights where they lie in a model's bytes: the message is read without them.

The library makes two copies of each tensor, one in the message and one when it is asked for. Of a
model's own initializers that are large the bytes are found by the format of protocol buffers, and
left out of what the library reads.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

#: Models of fewer bytes are read whole: to walk through them would take as long.
LEAST_MODEL: Final = 1 << 20

#: Tensors of fewer bytes stay in the message.
_LEAST_TENSOR = 1 << 14

#: Numbers of fields: a model's graph, a graph's initializers, a tensor's bytes.
_GRAPH, _INITIALIZER, _RAW_DATA = 7, 5, 9

#: Kinds of fields: a number in parts of 7 bits, 8 bytes, bytes behind their length, 4 bytes.
_NUMBER, _EIGHT_BYTES, _BYTES, _FOUR_BYTES = 0, 1, 2, 5

#: A number has no more parts.
_MOST_PARTS = 10

_SIZES = {_EIGHT_BYTES: 8, _FOUR_BYTES: 4}


class _UnreadableError(Exception):
    """These bytes are no message, or in a form that is left to the library."""


def without_weights(model: memoryview) -> tuple[bytes, dict[int, memoryview]] | None:
    """Return a model without the bytes of its large initializers, and these by their numbers.

    Returns
    -------
    tuple or None
        A message, and from the number of each tensor that was emptied to its bytes, which are a
        view. None where that cannot be told, and where there is none.
    """
    kept: list[bytes | memoryview] = []
    found: dict[int, memoryview] = {}
    count = done = 0
    try:
        for number, begin, first, end in _fields(model, 0, len(model)):
            if number != _GRAPH:
                continue
            kept.append(model[done:begin])
            parts, count = _graph(model, first, end, found, count)
            kept += (_head(_GRAPH, sum(map(len, parts))), *parts)
            done = end
    except (_UnreadableError, IndexError):
        return None
    kept.append(model[done:])
    return (b"".join(kept), found) if found else None


def _graph(
    model: memoryview, first: int, end: int, found: dict[int, memoryview], count: int
) -> tuple[list[bytes | memoryview], int]:
    """Return the parts of a graph that are kept, and how many tensors were counted."""
    parts: list[bytes | memoryview] = []
    done = first
    for number, begin, inside, behind in _fields(model, first, end):
        if number != _INITIALIZER:
            continue
        if behind - inside >= _LEAST_TENSOR:
            raw = [each for each in _fields(model, inside, behind) if each[0] == _RAW_DATA]
            if len(raw) == 1:
                _, start, data, stop = raw[0]
                found[count] = model[data:stop]
                size = start - inside + behind - stop
                parts += (model[done:begin], _head(_INITIALIZER, size))
                parts += (model[inside:start], model[stop:behind])
                done = behind
        count += 1
    parts.append(model[done:end])
    return parts, count


def _fields(model: memoryview, at: int, end: int) -> Iterator[tuple[int, int, int, int]]:
    """Yield the number of each field that has a length, and where it, its bytes, and its end are.

    Raises
    ------
    _UnreadableError
        The bytes are no fields.
    """
    while at < end:
        begin = at
        key = model[at]
        at += 1
        if key > 0x7F:  # noqa: PLR2004 (more parts follow)
            key, at = _number(model, begin)
        kind = key & 7
        if kind == _BYTES:
            size = model[at]
            at += 1
            if size > 0x7F:  # noqa: PLR2004 (likewise)
                size, at = _number(model, at - 1)
            first = at
            at += size
            if at > end:
                raise _UnreadableError
            yield key >> 3, begin, first, at
        elif kind == _NUMBER:
            _, at = _number(model, at)
        elif kind in _SIZES:
            at += _SIZES[kind]
        else:
            raise _UnreadableError
    if at != end:
        raise _UnreadableError


def _number(model: memoryview, at: int) -> tuple[int, int]:
    """Return a number, and where what follows begins."""
    found = 0
    for part in range(_MOST_PARTS):
        byte = model[at + part]
        found |= (byte & 0x7F) << 7 * part
        if byte < 0x80:  # noqa: PLR2004 (no more parts follow)
            return found, at + part + 1
    raise _UnreadableError


def _head(number: int, size: int) -> bytes:
    """Return what stands before the bytes of a field."""
    parts = [number << 3 | _BYTES]
    while size > 0x7F:  # noqa: PLR2004 (more parts follow)
        parts.append(size & 0x7F | 0x80)
        size >>= 7
    return bytes([*parts, size])
