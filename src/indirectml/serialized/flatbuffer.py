"""FlatBuffers by the tables of `schema.py`: bytes to plain data, every offset checked, and back.

A table becomes a dict with all of its fields, None where one is absent; a vector of numbers or
strings a list, one of bytes a view of the file; a union the name of its member and its value; a
struct a tuple. Strings may be shared in a file, tables and vectors are counted each time they are
reached: together they may take a small multiple of the file, so that no file of a few bytes
becomes many objects.

References
----------
FlatBuffers internals page (layout of tables, vtables, vectors and unions).
"""

from __future__ import annotations

import struct
from typing import Any

from indirectml.core.errors import FileFormatError, shown
from indirectml.serialized.schema import (
    NUMBERS,
    ROOT,
    STRUCTS,
    TABLES,
    UNIONS,
    alignment,
    element_type,
)

#: Tables within tables. A graph has seven; only activations of activations have more.
_MAX_DEPTH = 32

#: How many times the bytes of the file all that is read from it may take together.
_MAX_SHARING = 4

#: What a table counts at least: it becomes more than the four bytes that the smallest one has.
_TABLE_BYTES = 32

_OFFSET = NUMBERS["uint32"]
_SIGNED = NUMBERS["int32"]
_SHORT = NUMBERS["uint16"]

#: A dict by the names of a table's fields.
Table = dict[str, Any]


def read_flatbuffer(data: memoryview, root: str = ROOT) -> Table:
    """Return the root table of a file as plain data.

    Parameters
    ----------
    data : memoryview
        All bytes of the file. Vectors of bytes are views of it.
    root : str
        A name of `schema.TABLES`.

    Raises
    ------
    FileFormatError
        An offset or a length leads out of the file, a union has a member that is not known, a
        string is no UTF-8, tables lie too deep in each other, or are reached too often.

    Examples
    --------
    >>> table = {"nodes": [], "graphInputNames": ["x"], "graphOutputNames": None}
    >>> read_flatbuffer(memoryview(write_flatbuffer(table))) == table
    True
    """
    reader = _Reader(data)
    try:
        return reader.table(root, reader.target(0))
    except FileFormatError as error:
        raise error.within(".".join(reader.path)) if reader.path else error from None


class _Reader:
    """One pass over a file; `path` is where it is, for messages."""

    def __init__(self, data: memoryview) -> None:
        self.path: list[str] = []
        self._data = data
        self._strings: dict[int, str] = {}
        self._left = _MAX_SHARING * len(data)

    def _number(self, layout: struct.Struct, position: int) -> Any:
        if not 0 <= position <= len(self._data) - layout.size:
            raise _beyond(position, layout.size, len(self._data))
        return layout.unpack_from(self._data, position)[0]

    def target(self, position: int) -> int:
        """Return where the offset at a position leads."""
        return position + int(self._number(_OFFSET, position))

    def _take(self, size: int, position: int) -> None:
        """Count what is read."""
        self._left -= size
        if self._left < 0:
            raise FileFormatError(
                "needs tables and vectors that are not used again and again",
                given=f"more than {_MAX_SHARING} times the bytes of the file, at byte {position}",
            )

    def table(self, name: str, position: int) -> Table:
        """Return the table at a position."""
        if len(self.path) > _MAX_DEPTH:
            raise FileFormatError(f"needs at most {_MAX_DEPTH} tables within each other")
        vtable = position - self._number(_SIGNED, position)
        vtable_size, size = self._number(_SHORT, vtable), self._number(_SHORT, vtable + 2)
        if vtable_size < 4 or vtable + vtable_size > len(self._data):  # noqa: PLR2004 (its head)
            given = f"{vtable_size} at byte {vtable} of {len(self._data)}"
            raise FileFormatError("needs a table of fields within the file", given=given)
        self._take(max(size, _TABLE_BYTES), position)
        found: Table = {}
        number = 0
        for field, type_ in TABLES[name].items():
            slots = [
                self._slot(position, vtable, vtable_size, size, number + k)
                for k in range(2 if type_ in UNIONS else 1)
            ]
            number += len(slots)
            self.path.append(field)
            found[field] = self._field(type_, slots)
            self.path.pop()
        return found

    def _slot(
        self, position: int, vtable: int, vtable_size: int, size: int, number: int
    ) -> int | None:
        """Return where a field lies; None where it is absent."""
        entry = 4 + 2 * number
        if entry + 2 > vtable_size:
            return None
        offset = int(self._number(_SHORT, vtable + entry))
        if offset >= max(size, 4):
            raise _beyond(position + offset, 1, position + size)
        return position + offset if offset else None

    def _field(self, type_: str, slots: list[int | None]) -> Any:
        if type_ in UNIONS:
            return self._union(type_, slots[0], slots[1])
        slot = slots[0]
        if type_ in NUMBERS:
            return 0 if slot is None else self._number(NUMBERS[type_], slot)
        if slot is None:
            return None
        target = self.target(slot)
        if type_ == "string":
            return self._string(target)
        return self._vector(element_type(type_), target)

    def _union(
        self, name: str, member_slot: int | None, slot: int | None
    ) -> tuple[str, Any] | None:
        number = 0 if member_slot is None else self._number(NUMBERS["uint8"], member_slot)
        if not number:
            return None
        if number > len(UNIONS[name]):
            needs = f"needs a member of {name}, from 1 to {len(UNIONS[name])}"
            raise FileFormatError(needs, given=f"{number}")
        member = UNIONS[name][number - 1]
        if slot is None:
            return member, None
        target = self.target(slot)
        layout = STRUCTS.get(member)
        if layout is None:
            return member, self.table(member, target)
        if target > len(self._data) - layout.size:
            raise _beyond(target, layout.size, len(self._data))
        self._take(layout.size, target)
        return member, layout.unpack_from(self._data, target)

    def _string(self, position: int) -> str:
        found = self._strings.get(position)
        if found is None:
            raw = self._bytes(position, 1)
            self._take(4 + len(raw), position)
            try:
                found = str(raw, "utf-8")
            except UnicodeDecodeError as error:
                given = f"{error.reason} at byte {position + 4 + error.start}"
                raise FileFormatError("needs text in UTF-8", given=given) from None
            if "\0" in found:
                raise FileFormatError("needs text without zero bytes", given=shown(found))
            self._strings[position] = found
        return found

    def _bytes(self, position: int, item_size: int) -> memoryview:
        """Return the elements of a vector, whose count comes first."""
        count = int(self._number(_OFFSET, position))
        first = position + 4
        if count * item_size > len(self._data) - first:
            raise _beyond(first, count * item_size, len(self._data))
        return self._data[first : first + count * item_size]

    def _vector(self, type_: str, position: int) -> Any:
        if type_ == "uint8":
            return self._bytes(position, 1)
        layout = NUMBERS.get(type_, _OFFSET)
        raw = self._bytes(position, layout.size)
        self._take(4 + len(raw), position)
        if type_ in NUMBERS:
            return [number for (number,) in layout.iter_unpack(raw)]
        field = self.path[-1]
        found: list[Any] = []
        for number, (offset,) in enumerate(layout.iter_unpack(raw)):
            self.path[-1] = f"{field}[{number}]"
            target = position + 4 + layout.size * number + offset
            found.append(self._string(target) if type_ == "string" else self.table(type_, target))
        return found


def _beyond(position: int, size: int, end: int) -> FileFormatError:
    return FileFormatError(
        f"needs offsets and lengths within the {end} bytes that there are",
        given=f"{size} bytes at {position}",
    )


# ---- writing ----


def write_flatbuffer(table: Table, root: str = ROOT) -> bytes:
    """Return the bytes of a file whose root table is given as plain data.

    Parameters
    ----------
    table : dict
        What `read_flatbuffer` returns. Fields that are None, and numbers that are 0, take no bytes.
    root : str
        A name of `schema.TABLES`.

    Notes
    -----
    The same data gives the same bytes. Every offset leads forward, as the format asks for: a table
    is followed by what it refers to, and all strings, each written once, stand at the end.
    """
    writer = _Writer()
    return writer.finished(root, table)


class _Writer:
    """One file that grows from its front; what is referred to follows, and offsets are set then."""

    def __init__(self) -> None:
        self._out = bytearray(4)
        self._vtables: dict[bytes, int] = {}
        self._strings: dict[str, list[int]] = {}
        # Where an offset is, and what it has to lead to. The oldest first: no recursion.
        self._waiting: list[tuple[int, str, Any]] = []

    def finished(self, root: str, table: Table) -> bytes:
        self._waiting.append((0, root, table))
        for place, type_, value in self._waiting:  # grows while it is gone through
            self._lead(place, self._written(type_, value))
        for text, places in self._strings.items():
            position = self._vector_of_bytes(text.encode("utf-8"))
            self._out.append(0)
            for place in places:
                self._lead(place, position)
        self._align(8)
        return bytes(self._out)

    def _lead(self, place: int, target: int) -> None:
        _OFFSET.pack_into(self._out, place, target - place)

    def _align(self, size: int) -> None:
        self._out += bytes(-len(self._out) % size)

    def _written(self, type_: str, value: Any) -> int:
        """Write what an offset leads to; returns where it begins."""
        if type_ in TABLES:
            return self._table(type_, value)
        if type_ in STRUCTS:
            layout = STRUCTS[type_]
            self._align(alignment(layout))
            position = len(self._out)
            self._out += layout.pack(*value)
            return position
        if type_ == "[uint8]":
            return self._vector_of_bytes(value)
        return self._vector(element_type(type_), value)

    def _vector_of_bytes(self, raw: Any) -> int:
        self._align(4)
        position = len(self._out)
        self._out += _OFFSET.pack(len(raw))
        self._out += raw
        return position

    def _vector(self, type_: str, values: list[Any]) -> int:
        position = self._vector_of_bytes(b"")
        _OFFSET.pack_into(self._out, position, len(values))
        layout = NUMBERS.get(type_)
        if layout is not None:
            self._out += b"".join(map(layout.pack, values))
            return position
        first = len(self._out)
        self._out += bytes(4 * len(values))
        for number, value in enumerate(values):
            self._refer(first + 4 * number, type_, value)
        return position

    def _refer(self, place: int, type_: str, value: Any) -> None:
        """Note that the offset at a place has to lead to a value."""
        if type_ == "string":
            self._strings.setdefault(value, []).append(place)
        else:
            self._waiting.append((place, type_, value))

    def _table(self, name: str, table: Table) -> int:
        """Write the fields that are present, the widest first, so that none needs padding."""
        present: list[tuple[int, struct.Struct, str, Any]] = []
        number = 0
        for field, type_ in TABLES[name].items():
            value = table[field]
            if type_ in UNIONS:
                if value is not None:
                    member = UNIONS[type_].index(value[0]) + 1
                    present.append((number, NUMBERS["uint8"], "uint8", member))
                    if value[1] is not None:
                        present.append((number + 1, _OFFSET, *value))
                number += 2
                continue
            if value is not None and not (type_ in NUMBERS and value == 0):
                present.append((number, NUMBERS.get(type_, _OFFSET), type_, value))
            number += 1
        present.sort(key=lambda item: -item[1].size)
        offsets, size = [0] * number, 4
        # An 8-byte number follows the 4 bytes that every table begins with.
        padding = 4 if present and present[0][1].size == 8 else 0  # noqa: PLR2004
        for index, layout, *_ in present:
            offsets[index] = size
            size += layout.size
        vtable = struct.pack(f"<{2 + number}H", 4 + 2 * number, size, *offsets)
        self._align(4)
        vtable_position = self._vtables.setdefault(vtable, len(self._out))
        if vtable_position == len(self._out):
            self._out += vtable
        self._align(4 + padding)
        self._out += bytes(padding)
        position = len(self._out)
        self._out += _SIGNED.pack(position - vtable_position)
        for _, layout, type_, value in present:
            place = len(self._out)
            self._out += layout.pack(value if type_ in NUMBERS else 0)
            if type_ not in NUMBERS:
                self._refer(place, type_, value)
        return position
