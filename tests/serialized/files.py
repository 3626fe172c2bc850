"""Serialized graphs by Google's flatbuffers package: written and read by slots, as data says them.

Nothing here knows the package under test. What Microsoft's generated code does for a table is a
call here, with the numbers of the fields in the order of their declaration.
"""

import struct

import flatbuffers
import flatbuffers.table
from flatbuffers import number_types as kinds


def numbered(names):
    """Return the numbers of the members of a union, by name: from 1, since 0 is none."""
    return {name: number for number, name in enumerate(names.split(), start=1)}


NODES = {"operator": 1, "constant": 2}
CONSTANTS = {"name": 1, "raw": 2}
ATTRIBUTES = numbered(
    "Activation ActivationArray UInt32 UInt64 Int32 Float32 UIntArray IntArray FloatArray "
    "ScaleBias Size2D ScalarUnionData Bool"
)
SCALARS = numbered("ByteArray Int8 UInt8 Int16 UInt16 Int32 UInt32 Int64 UInt64 Float32 Float64")
#: How a struct's members lie in memory, for `struct`.
LAYOUTS = {
    "Int8": "b", "UInt8": "B", "Int16": "h", "UInt16": "H", "Int32": "i", "UInt32": "I",
    "Int64": "q", "UInt64": "Q", "Float32": "f", "Float64": "d",
    "ScaleBias": "ff", "Size2D": "II", "ByteArray": "8s", "Bool": "B",
}  # fmt: skip
ARRAYS = {"UIntArray": "I", "IntArray": "i", "FloatArray": "f"}
PREFIX = "DML_TENSOR_DATA_TYPE_"


class Writer:
    """One file; methods return the offsets of what they write."""

    def __init__(self):
        self.builder = flatbuffers.Builder(64)

    def table(self, count, **slots):
        """Write a table whose fields are given as s0=(kind, value), s1=... ."""
        builder = self.builder
        builder.StartObject(count)
        for name, (kind, value) in slots.items():
            slot = int(name[1:])
            if value is None:
                continue
            if kind == "offset":
                builder.PrependUOffsetTRelativeSlot(slot, value, 0)
            elif kind == "uint8":
                builder.PrependUint8Slot(slot, value, 0)
            else:
                builder.PrependUint64Slot(slot, value, 0)
        return builder.EndObject()

    def strings(self, texts):
        return self.offsets([self.builder.CreateString(text) for text in texts])

    def offsets(self, offsets):
        self.builder.StartVector(4, len(offsets), 4)
        for offset in reversed(offsets):
            self.builder.PrependUOffsetTRelative(offset)
        return self.builder.EndVector()

    def numbers(self, layout, values):
        if not values:
            self.builder.StartVector(4, 0, 4)
            return self.builder.EndVector()
        self.builder.StartVector(4, len(values), 4)
        for value in reversed(values):
            self._inline(layout, (value,), 4)
        return self.builder.EndVector()

    def _inline(self, layout, values, size):
        raw = struct.pack(f"<{layout}", *values)
        self.builder.Prep(size, 0)
        for byte in reversed(raw):
            self.builder.Place(byte, kinds.Uint8Flags)

    def struct(self, name, values):
        layout = LAYOUTS[name]
        raw = struct.pack(f"<{layout}", *values)
        align = 1 if name == "ByteArray" else struct.calcsize(layout[0])
        self.builder.Prep(max(align, 1), len(raw) - max(align, 1) if len(raw) > align else 0)
        for byte in reversed(raw):
            self.builder.Place(byte, kinds.Uint8Flags)
        return self.builder.Offset()

    def tensor(self, data_type, sizes, strides=None, total=None):
        name = self.builder.CreateString(PREFIX + data_type)
        sizes_at = self.numbers("I", sizes)
        strides_at = None if strides is None else self.numbers("I", strides)
        return self.table(
            4,
            s0=("offset", name),
            s1=("offset", sizes_at),
            s2=("offset", strides_at),
            s3=("uint64", total),
        )

    def value(self, kind, value):
        """Write the value of an attribute; None for one that is absent."""
        if value is None:
            return None
        if kind == "Activation":
            return self.activation(*value)
        if kind == "ActivationArray":
            elements = self.offsets([self.activation(*each) for each in value])
            return self.table(1, s0=("offset", elements))
        if kind in ARRAYS:
            return self.table(1, s0=("offset", self.numbers(ARRAYS[kind], value)))
        if kind == "ScalarUnionData":
            member, values = value
            scalar = self.struct(member, values)
            return self.table(2, s0=("uint8", SCALARS[member]), s1=("offset", scalar))
        return self.struct(kind, value if isinstance(value, tuple) else (value,))

    def attribute(self, name, kind, value):
        name_at = None if name is None else self.builder.CreateString(name)
        value_at = self.value(kind, value)
        return self.table(
            3,
            s0=("offset", name_at),
            s1=("uint8", ATTRIBUTES[kind]),
            s2=("offset", value_at),
        )

    def activation(self, type_, attributes):
        name = self.builder.CreateString(f"DML_OPERATOR_{type_}")
        attributes_at = self.offsets([self.attribute(*each) for each in attributes])
        return self.table(2, s0=("offset", name), s1=("offset", attributes_at))

    def operator(self, type_, inputs, outputs, attributes):
        name = self.builder.CreateString(f"DML_OPERATOR_{type_}")
        inputs_at = self.offsets([self.tensor(*each) for each in inputs])
        outputs_at = self.offsets([self.tensor(*each) for each in outputs])
        attributes_at = self.offsets([self.attribute(*each) for each in attributes])
        return self.table(
            4,
            s0=("offset", name),
            s1=("offset", inputs_at),
            s2=("offset", outputs_at),
            s3=("offset", attributes_at),
        )

    def constant(self, kind, value):
        if kind == "name":
            detail = self.table(1, s0=("offset", self.builder.CreateString(value)))
        else:
            detail = self.table(1, s0=("offset", self.builder.CreateByteVector(value)))
        return self.table(2, s0=("uint8", CONSTANTS[kind]), s1=("offset", detail))

    def node(self, kind, content, name, inputs, outputs):
        content_at = getattr(self, kind)(*content)
        name_at = self.builder.CreateString(name)
        inputs_at, outputs_at = self.strings(inputs), self.strings(outputs)
        return self.table(
            5,
            s0=("uint8", NODES[kind]),
            s1=("offset", content_at),
            s2=("offset", name_at),
            s3=("offset", inputs_at),
            s4=("offset", outputs_at),
        )

    def graph(self, nodes, inputs, outputs):
        """Return the bytes of a graph; a node is (kind, content, name, inputs, outputs)."""
        nodes_at = self.offsets([self.node(*node) for node in nodes])
        inputs_at, outputs_at = self.strings(inputs), self.strings(outputs)
        root = self.table(
            3, s0=("offset", nodes_at), s1=("offset", inputs_at), s2=("offset", outputs_at)
        )
        self.builder.Finish(root)
        return bytes(self.builder.Output())


def graph_file(nodes, inputs, outputs):
    """Return the bytes of a graph."""
    return Writer().graph(nodes, inputs, outputs)


# ---- Reading, as the generated code and Microsoft's reader do it ---------------------------------


class Table:
    """A table of a file, read by slots without any check."""

    def __init__(self, raw, position):
        self._table = flatbuffers.table.Table(raw, position)

    @classmethod
    def root(cls, raw):
        return cls(raw, flatbuffers.encode.Get(flatbuffers.packer.uoffset, raw, 0))

    def _at(self, slot):
        return self._table.Offset(4 + 2 * slot)

    def string(self, slot):
        at = self._at(slot)
        return self._table.String(at + self._table.Pos).decode() if at else None

    def number(self, slot, flags=kinds.Uint8Flags):
        at = self._at(slot)
        return self._table.Get(flags, at + self._table.Pos) if at else 0

    def _vector(self, slot):
        at = self._at(slot)
        return (self._table.Vector(at), self._table.VectorLen(at)) if at else (0, 0)

    def tables(self, slot):
        first, count = self._vector(slot)
        positions = [self._table.Indirect(first + 4 * k) for k in range(count)]
        return [Table(self._table.Bytes, position) for position in positions]

    def strings(self, slot):
        first, count = self._vector(slot)
        return [self._table.String(first + 4 * k).decode() for k in range(count)]

    def numbers(self, slot, layout="I"):
        if not self._at(slot):
            return None
        first, count = self._vector(slot)
        return list(struct.unpack_from(f"<{count}{layout}", self._table.Bytes, first))

    def raw(self, slot):
        first, count = self._vector(slot)
        return bytes(self._table.Bytes[first : first + count])

    def position(self, slot):
        at = self._at(slot)
        return self._table.Indirect(at + self._table.Pos) if at else None

    def union(self, slot):
        position = self.position(slot + 1)
        return self.number(slot), None if position is None else Table(self._table.Bytes, position)

    def attribute(self):
        """Return name, member of the union and value of an AttributeDesc."""
        number, content = self.union(1)
        kind = next(name for name, n in ATTRIBUTES.items() if n == number)
        name = self.string(0)
        if content is None:
            return name, kind, None
        if kind == "Activation":
            return name, kind, content.activation()
        if kind == "ActivationArray":
            return name, kind, [each.activation() for each in content.tables(0)]
        if kind in ARRAYS:
            return name, kind, content.numbers(0, ARRAYS[kind])
        if kind == "ScalarUnionData":
            member, _ = content.union(0)
            at = content.position(1)
            assert member == SCALARS["ByteArray"]
            return name, kind, ("ByteArray", struct.unpack_from("<8s", self._table.Bytes, at))
        position = self.position(2)
        values = struct.unpack_from(f"<{LAYOUTS[kind]}", self._table.Bytes, position)
        size = 1 if kind == "Bool" else 4 if kind != "UInt64" else 8
        assert position % size == 0, f"{kind} at {position}"
        return name, kind, values if len(values) > 1 else values[0]

    def activation(self):
        type_ = self.string(0).removeprefix("DML_OPERATOR_")
        return type_, [each.attribute() for each in self.tables(1)]

    def tensor(self):
        position = self._at(3) + self._table.Pos
        assert position % 8 == 0
        total = self.number(3, kinds.Uint64Flags)
        return self.string(0).removeprefix(PREFIX), self.numbers(1), self.numbers(2), total

    def node(self):
        """Return what `Writer.node` takes."""
        number, content = self.union(0)
        names = self.string(2), self.strings(3), self.strings(4)
        if number == NODES["constant"]:
            kind, detail = content.union(0)
            found = detail.string(0) if kind == CONSTANTS["name"] else detail.raw(0)
            return "constant", ({1: "name", 2: "raw"}[kind], found), *names
        tensors = [[t.tensor() for t in content.tables(slot)] for slot in (1, 2)]
        attributes = [each.attribute() for each in content.tables(3)]
        type_ = content.string(0).removeprefix("DML_OPERATOR_")
        return "operator", (type_, *tensors, attributes), *names


def graph_of(raw):
    """Return what `graph_file` takes."""
    root = Table.root(raw)
    nodes = [node.node() for node in root.tables(0)]
    return nodes, root.strings(1), root.strings(2)
