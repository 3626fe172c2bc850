"""The grammar of dispatch models as a JSON Schema, made from the tables that reading uses.

Editors complete and check models with it; `schema.json` is the stored result, and a test compares
it with what `model_schema` returns.
"""

from __future__ import annotations

import json
from collections.abc import Container
from importlib import resources
from typing import Any

from indirectml.catalogue import OPERATOR_PREFIX, FieldFacts, operator_facts, operator_names
from indirectml.catalogue.enumerations import FIELD_ENUMERATIONS, ExecutionFlags
from indirectml.core.data_types import TensorDataType
from indirectml.core.tensors import MAX_DIMENSION_COUNT, MAX_UINT32, TensorFlags
from indirectml.descriptors.fields import INTEGER_RANGES
from indirectml.models.bindings import BINDING_KEYS
from indirectml.models.dispatchables import (
    COMPILE_TYPES,
    DISPATCHABLE_KEYS,
    OTHER_DISPATCHABLES,
    SCALE_BIAS_KEYS,
    SERIALIZED_GRAPH,
    SIZE_2D_KEYS,
    TENSOR_TYPES,
)
from indirectml.models.onnx import DIMENSION_KEYS, ONNX
from indirectml.models.parsing import COMMANDS, MODEL_KEYS
from indirectml.models.resources import RESOURCE_KEYS

_Schema = dict[str, Any]

_STRING = {"type": "string"}
_COUNT = {"type": "integer", "minimum": 0}
_POSITIVE = {"type": "integer", "minimum": 1}
_NUMBER = {
    "anyOf": [{"type": "number"}, {"type": "string", "pattern": "^([nN][aA][nN]|-?[iI][nN][fF])$"}]
}
_UINT32S = {"type": "array", "items": _COUNT | {"maximum": MAX_UINT32}}

_JSON_TYPES = {str: "string", int: "integer", list: "array"}


def stored_schema() -> str:
    """Return the text of the schema that the package ships."""
    return resources.files(__package__).joinpath("schema.json").read_text(encoding="ascii")


def schema_text() -> str:
    """Return the text that `schema.json` should have."""
    schema = model_schema()
    # A definition a line, so that a change of one operator shows as one.
    lines = [f" {json.dumps(name)}: {json.dumps(d)}" for name, d in schema.pop("$defs").items()]
    head = json.dumps(schema).removesuffix("}")
    return head + ', "$defs": {\n' + ",\n".join(lines) + "\n}}\n"


def model_schema() -> _Schema:
    """Return the schema: JSON Schema, draft 2020-12.

    Examples
    --------
    >>> sorted(model_schema()["properties"])
    ['$schema', 'commands', 'dispatchables', 'resources']
    """
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "DxDispatch model, as IndirectML reads it",
        "type": "object",
        "required": list(MODEL_KEYS),
        "properties": {
            "$schema": _STRING,
            "resources": _all(_ref("resource")),
            "dispatchables": _all(_ref("dispatchable")),
            "commands": {"type": "array", "items": _ref("command")},
        },
        "$defs": {
            "dataType": _enum(_data_types(TensorDataType.__members__.keys() - {"UNKNOWN"})),
            "number": _NUMBER,
            "scalarUnion": _scalar_union(),
            "tensor": _tensor(),
            "binding": _binding(),
            "resource": _resource(),
            "dispatchable": _dispatchable(),
            "command": _command(),
        }
        | {f"desc.{name}": _desc(name) for name in operator_names()},
    }


def _ref(name: str) -> _Schema:
    return {"$ref": f"#/$defs/{name}"}


def _all(schema: _Schema) -> _Schema:
    return {"type": "object", "additionalProperties": schema}


def _enum(values: list[str]) -> _Schema:
    return {"enum": values}


def _names(members: Any, prefix: str) -> list[str]:
    return [*members, *(prefix + name for name in members)]


def _data_types(chosen: Container[str]) -> list[str]:
    names = [name for name in TensorDataType.__members__ if name in chosen]
    return _names(names, "DML_TENSOR_DATA_TYPE_")


def _object(properties: _Schema, required: tuple[str, ...] = ()) -> _Schema:
    schema: _Schema = {"type": "object", "properties": properties}
    return schema | ({"required": list(required)} if required else {})


def _one_or_more(schema: _Schema) -> _Schema:
    return {"anyOf": [schema, {"type": "array", "items": schema}]}


def _flags(kind: Any, prefix: str) -> _Schema:
    return _one_or_more(_enum(_names(kind.__members__, prefix)))


def _any_case(word: str) -> _Schema:
    """Return the schema of a word in any letter case."""
    pattern = "".join(f"[{c.lower()}{c.upper()}]" for c in word)
    return {"type": "string", "pattern": f"^{pattern}$"}


def _scalar_union() -> _Schema:
    members = sorted({t.union_member for t in TensorDataType if t.union_member})
    one_member = _object({name: _ref("number") for name in members})
    one_member |= {"minProperties": 1, "maxProperties": 1, "additionalProperties": False}
    return {"anyOf": [{"type": "number"}, one_member]}


def _tensor() -> _Schema:
    fields = {
        "Type": _enum(list(TENSOR_TYPES)),
        "DataType": _ref("dataType"),
        "Flags": _flags(TensorFlags, "DML_TENSOR_FLAG_"),
        "DimensionCount": _POSITIVE | {"maximum": MAX_DIMENSION_COUNT},
        "Sizes": _UINT32S | {"minItems": 1, "maxItems": MAX_DIMENSION_COUNT},
        "Strides": {"anyOf": [{"type": "null"}, _UINT32S]},
        "TotalTensorSizeInBytes": _COUNT,
        "GuaranteedBaseOffsetAlignment": _COUNT,
    }
    inner = _object(fields, ("DataType", "Sizes"))
    wrapped = [_object({"Type": fields["Type"], key: inner}, (key,)) for key in ("Desc", "desc")]
    return {"anyOf": [inner, *wrapped]}


def _resource() -> _Schema:
    listed = {"type": "array", "minItems": 1, "items": {"anyOf": [_ref("number"), _mixed()]}}
    constant = _object({"valueCount": _POSITIVE, "value": _ref("number")}, ("valueCount", "value"))
    sequence_keys = ("valueCount", "valueStart", "valueDelta")
    number = _ref("number")
    sequence = _object(
        {"valueCount": _POSITIVE, "valueStart": number, "valueDelta": number}, sequence_keys
    )
    file = _object({"sourcePath": _STRING}, ("sourcePath",))
    return _object(
        dict.fromkeys(RESOURCE_KEYS, True)
        | {
            "initialValuesDataType": {
                "anyOf": [_ref("dataType"), _enum(_data_types({"UNKNOWN"}))],
            },
            "initialValues": {
                "anyOf": [listed, constant, sequence, file, {"const": "deferred"}],
            },
            "sizeInBytes": _COUNT,
            "initialValuesOffsetInBytes": _COUNT,
            "resampleSize": {"type": "array", "items": _POSITIVE, "minItems": 4, "maxItems": 4},
            "resampleMode": {"const": "scale"},
        },
        ("initialValues",),
    )


def _mixed() -> _Schema:
    fields = {"name": _STRING, "type": _ref("dataType"), "value": _ref("number")}
    return _object(fields, ("type", "value"))


def _dispatchable() -> _Schema:
    names = _names(operator_names(), OPERATOR_PREFIX)
    other = [_any_case(name) for name in (*OTHER_DISPATCHABLES, ONNX, SERIALIZED_GRAPH)]
    return _object(
        dict.fromkeys(DISPATCHABLE_KEYS, True)
        | {
            "type": {"anyOf": [_enum(names), *other]},
            "dmlCompileType": _enum(list(COMPILE_TYPES)),
            "executionFlags": _flags(ExecutionFlags, "DML_EXECUTION_FLAG_"),
            "bindings": _all(_ref("binding")),
            "sourcePath": _STRING,
        }
        | dict.fromkeys(DIMENSION_KEYS, _all(_POSITIVE)),
        ("type",),
    ) | {
        "allOf": [
            *map(_of_file, (SERIALIZED_GRAPH, ONNX)),
            *(_fields_of(name) for name in operator_names()),
        ]
    }


def _of_file(type_: str) -> _Schema:
    """Return that a graph in a file has the path of it."""
    return {
        "if": {"properties": {"type": _any_case(type_)}},
        "then": {"required": ["sourcePath"]},
    }


def _fields_of(name: str) -> _Schema:
    """Return that a dispatchable of this type has the operator's fields, in one of three places."""
    desc = _ref(f"desc.{name}")
    return {
        "if": {"properties": {"type": {"enum": [name, OPERATOR_PREFIX + name]}}},
        "then": {"if": {"required": ["Desc"]}, "then": {"properties": {"Desc": desc}},
                 "else": {"if": {"required": ["desc"]}, "then": {"properties": {"desc": desc}},
                          "else": desc}},
    }  # fmt: skip


def _desc(name: str) -> _Schema:
    fields = operator_facts(name).fields
    counts = {field.count_field for field in fields}  # they may be left out
    required = tuple(f.name for f in fields if not f.optional and f.name not in counts)
    return _object({field.name: _field(field) for field in fields}, required)


def _field(field: FieldFacts) -> _Schema:
    schema = _FIELDS.get(field.type, {})
    if field.array:
        schema = {"type": "array", "items": schema}
    return {"anyOf": [schema, {"type": "null"}]} if field.optional and schema else schema


#: By type in the catalogue. Types that are not here are not checked.
_FIELDS: dict[str, _Schema] = {
    "TENSOR_DESC": _ref("tensor"),
    "TENSOR_DATA_TYPE": _ref("dataType"),
    "SCALAR_UNION": _ref("scalarUnion"),
    "FLOAT": _ref("number"),
    "BOOL": {"type": "boolean"},
    "SCALE_BIAS": _object(dict.fromkeys(SCALE_BIAS_KEYS, _ref("number")), SCALE_BIAS_KEYS),
    "SIZE_2D": _object(dict.fromkeys(SIZE_2D_KEYS, _COUNT | {"maximum": MAX_UINT32}), SIZE_2D_KEYS),
    **{
        name: {"type": "integer", "minimum": low, "maximum": high}
        for name, (low, high) in INTEGER_RANGES.items()
    },
    **{
        name: _enum(_names(kind.__members__, f"DML_{name}_"))
        for name, kind in FIELD_ENUMERATIONS.items()
    },
}


def _binding() -> _Schema:
    source = {"anyOf": [_STRING, _object(_binding_members(), ("name",))]}
    return _one_or_more(source)


def _binding_members() -> _Schema:
    members = {key: {"type": _JSON_TYPES[kind]} for key, kind in BINDING_KEYS.items()}
    return {k: v | {"minimum": 0} if v["type"] == "integer" else v for k, v in members.items()}


def _command() -> _Schema:
    members = {
        "dispatchable": _STRING,
        "bindings": _all(_ref("binding")),
        "threadGroupCount": {"type": "array", "items": _POSITIVE, "minItems": 3, "maxItems": 3},
        "resource": _STRING,
        "verbose": {"type": "boolean"},
        "targetPath": _STRING,
        "dimensions": {"type": "array", "items": _POSITIVE},
    }
    optional = {"threadGroupCount", "verbose", "dimensions"}
    forms = []
    for name, (_, keys) in COMMANDS.items():
        required = tuple(key for key in keys if key not in optional)
        fields = {"type": _any_case(name)} | {key: members[key] for key in keys}
        forms.append(_object(fields, ("type", *required)))
    return {"anyOf": forms}
