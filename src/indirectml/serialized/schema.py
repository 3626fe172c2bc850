"""The tables of a serialized DirectML graph, as data: FlatBuffers, root table `DmlGraphDesc`.

Fields stand in the order of their numbers. A type in brackets is a vector; a name of `UNIONS` is
a union, which takes two numbers: the one of its member, and its value.

References
----------
The generated headers in DxDispatch, namespace dml.ir (microsoft/DirectML,
DxDispatch/src/dxdispatch).
"""

from __future__ import annotations

import struct

ROOT = "DmlGraphDesc"

#: By table: the names and types of its fields.
TABLES: dict[str, dict[str, str]] = {
    "DmlGraphDesc": {
        "nodes": "[DmlGraphNode]",
        "graphInputNames": "[string]",
        "graphOutputNames": "[string]",
    },
    "DmlGraphNode": {
        "desc": "NodeDesc",
        "name": "string",
        "inputNames": "[string]",
        "outputNames": "[string]",
    },
    "OperatorNodeDesc": {
        "type": "string",
        "inputs": "[DmlBufferTensorDesc]",
        "outputs": "[DmlBufferTensorDesc]",
        "attributes": "[AttributeDesc]",
    },
    "ConstantNodeDesc": {"data": "ConstantNodeDescDetail"},
    "ConstantName": {"name": "string"},
    "ConstantRawData": {"data": "[uint8]"},
    "DmlBufferTensorDesc": {
        "dataType": "string",
        "sizes": "[uint32]",
        "strides": "[uint32]",
        "totalTensorSizeInBytes": "uint64",
    },
    "AttributeDesc": {"name": "string", "val": "AttributeFieldVariant"},
    "Activation": {"type": "string", "attributes": "[AttributeDesc]"},
    "ActivationArray": {"data": "[Activation]"},
    "UIntArray": {"data": "[uint32]"},
    "IntArray": {"data": "[int32]"},
    "FloatArray": {"data": "[float32]"},
    "ScalarUnionData": {"data": "ScalarVariant"},
}

#: By union: its members, counted from 1, since 0 is none. They are tables or structs.
UNIONS: dict[str, tuple[str, ...]] = {
    "NodeDesc": ("OperatorNodeDesc", "ConstantNodeDesc"),
    "ConstantNodeDescDetail": ("ConstantName", "ConstantRawData"),
    "AttributeFieldVariant": (
        "Activation",
        "ActivationArray",
        "UInt32",
        "UInt64",
        "Int32",
        "Float32",
        "UIntArray",
        "IntArray",
        "FloatArray",
        "ScaleBias",
        "Size2D",
        "ScalarUnionData",
        "Bool",
    ),
    "ScalarVariant": (
        "ByteArray",
        "Int8",
        "UInt8",
        "Int16",
        "UInt16",
        "Int32",
        "UInt32",
        "Int64",
        "UInt64",
        "Float32",
        "Float64",
    ),
}

#: Structs, which lie where they are used, by the layout of their members.
STRUCTS: dict[str, struct.Struct] = {
    name: struct.Struct(f"<{layout}")
    for name, layout in {
        "Int8": "b",
        "UInt8": "B",
        "Int16": "h",
        "UInt16": "H",
        "Int32": "i",
        "UInt32": "I",
        "Int64": "q",
        "UInt64": "Q",
        "Float32": "f",
        "Float64": "d",
        "ScaleBias": "ff",
        "Size2D": "II",
        "ByteArray": "8s",
        "Bool": "B",
    }.items()
}

#: How a number of a type lies in memory.
NUMBERS: dict[str, struct.Struct] = {
    name: struct.Struct(f"<{layout}")
    for name, layout in {
        "uint8": "B",
        "uint16": "H",
        "int32": "i",
        "uint32": "I",
        "uint64": "Q",
        "float32": "f",
    }.items()
}


def element_type(type_: str) -> str:
    """Return the type of a vector's elements.

    Examples
    --------
    >>> element_type("[uint32]")
    'uint32'
    """
    return type_[1:-1]


def alignment(layout: struct.Struct) -> int:
    """Return the alignment of a number or struct in bytes: its widest member's.

    Examples
    --------
    >>> alignment(STRUCTS["ScaleBias"]), alignment(STRUCTS["ByteArray"])
    (4, 1)
    """
    code = layout.format[1:].lstrip("0123456789")[:1]
    return 1 if code == "s" else struct.calcsize(f"<{code}")
