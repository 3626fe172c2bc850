"""From JSON objects to a `Model`. Nothing is executed and nothing of the values' size is allocated.

Every error carries the path of its place in the model, such as
"dispatchables.ramp.desc.ValueDelta".
"""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from indirectml.catalogue import FieldFacts, operator_facts
from indirectml.data_types import TensorDataType, data_type_from_name
from indirectml.descriptors import OperatorDesc, camel_case, snake_case
from indirectml.enumerations import ExecutionFlags
from indirectml.errors import DirectMLError, ModelError, ScalarError, shown
from indirectml.models.model import (
    BufferBinding,
    Command,
    Dispatchable,
    DispatchCommand,
    Model,
    PrintCommand,
    Resource,
    Values,
)
from indirectml.operators import descriptor_class
from indirectml.scalars import ScalarUnion, exact_bits
from indirectml.tensors import TensorDesc, TensorFlags

#: Numbers that JSON has no way to write, as strings in any letter case.
_SPECIAL = {"nan": float("nan"), "inf": float("inf"), "-inf": float("-inf")}

#: What DxDispatch knows and this project does not have yet.
_OTHER_DISPATCHABLES = {"hlsl": "HLSL", "onnx": "ONNX", "dmlserializedgraph": "serialized graph"}


def parse_model(root: Any) -> Model:
    """Return the model that JSON objects describe.

    Raises
    ------
    DirectMLError
        Something is missing, of the wrong kind, or names what does not exist.
    """
    members = _object(root)
    resources = {}
    for name, value in _required(members, "resources", dict).items():
        with _place(f"resources.{name}"):
            resources[name] = _resource(name, value)
    dispatchables = {}
    for name, value in _required(members, "dispatchables", dict).items():
        with _place(f"dispatchables.{name}"):
            dispatchables[name] = _dispatchable(name, value)
    commands = []
    for number, value in enumerate(_required(members, "commands", list)):
        with _place(f"commands[{number}]"):
            commands.append(_command(value, resources, dispatchables))
    return Model(resources, dispatchables, tuple(commands))


@contextmanager
def _place(place: str) -> Iterator[None]:
    """Put a place in front of the field of any error inside."""
    try:
        yield
    except DirectMLError as error:
        raise error.within(place) from None


# ---- pieces of JSON ----

_KINDS = {
    dict: "an object",
    list: "an array",
    str: "a string",
    int: "an integer",
    float: "a number",
    bool: "true or false",
    type(None): "null",
}


def _object(value: Any) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise ModelError("needs an object", given=_given(value))
    return value


def _required(members: Mapping[str, Any], key: str, kind: type) -> Any:
    """Return a member that must be there, of a kind of JSON."""
    if key not in members:
        close = difflib.get_close_matches(key, members, 1, 0.8)
        hint = f"did you mean it by {close[0]!r}" if close else None
        raise ModelError("is required", field=key, hint=hint)
    return _of_kind(members[key], kind, key)


def _optional(members: Mapping[str, Any], key: str, kind: type, default: Any) -> Any:
    """Return a member, or a default where it is left out or null."""
    value = members.get(key)
    return default if value is None else _of_kind(value, kind, key)


def _of_kind(value: Any, kind: type, field: str) -> Any:
    # JSON's true is Python's True, which is an int.
    if not isinstance(value, kind) or (kind is int and isinstance(value, bool)):
        raise ModelError(f"needs {_KINDS[kind]}", given=_given(value), field=field)
    return value


def _given(value: Any) -> str:
    return _KINDS[type(value)] if isinstance(value, dict | list) else shown(value)


def _name_of(value: str, existing: Mapping[str, Any], kind: str) -> str:
    """Return the name of something that exists in the model."""
    if value not in existing:
        close = difflib.get_close_matches(value, existing, 1)
        hint = f"did you mean {close[0]!r}" if close else None
        raise ModelError(f"needs the name of a {kind} of this model", given=shown(value), hint=hint)
    return value


def _reference(members: Mapping[str, Any], key: str, existing: Mapping[str, Any], kind: str) -> str:
    """Return a member that must be there and name something that exists in the model."""
    value = _required(members, key, str)
    with _place(key):
        return _name_of(value, existing, kind)


def _number(value: Any, data_type: TensorDataType, *, is_delta: bool = False) -> int:
    """Return the bits of a JSON number; for floats also of the strings nan, inf and -inf."""
    if data_type.is_float and isinstance(value, str) and value.lower() in _SPECIAL:
        return exact_bits(_SPECIAL[value.lower()], data_type)
    if isinstance(value, bool) or not isinstance(value, int | float):
        kind = 'a number, "nan", "inf" or "-inf"' if data_type.is_float else "an integer"
        raise ModelError(f"needs {kind}", given=_given(value))
    if isinstance(value, float) and not data_type.is_float:
        raise ScalarError(f"{data_type.name} needs an integer", given=shown(value))
    return exact_bits(value, data_type, is_delta=is_delta)


# ---- resources ----


def _resource(name: str, value: Any) -> Resource:
    members = _object(value)
    with _place("initialValuesDataType"):
        data_type = _data_type(members.get("initialValuesDataType"))
    initial = _required(members, "initialValues", object)
    with _place("initialValues"):
        values = _values(initial, data_type)
    used = values.count * data_type.item_bytes
    size_bytes = _optional(members, "sizeInBytes", int, (used + 3) // 4 * 4)
    if size_bytes < used:
        raise ModelError(
            f"needs at least the {used} bytes of initialValues",
            given=f"{size_bytes}",
            field="sizeInBytes",
        )
    return Resource(name, data_type, values, size_bytes)


def _data_type(name: Any) -> TensorDataType:
    """Return a data type of whole bytes, by name."""
    if not isinstance(name, str):
        raise ModelError("needs the name of a data type", given=_given(name))
    data_type = data_type_from_name(name)
    if data_type.dtype is None:
        raise ModelError("is not supported yet for initial values", given=name)
    return data_type


def _values(value: Any, data_type: TensorDataType) -> Values:
    if isinstance(value, list):
        listed = []
        for number, element in enumerate(value):
            with _place(f"[{number}]"):
                listed.append(_number(element, data_type))
        if not listed:
            raise ModelError("needs at least one value", given="an empty array")
        return Values(len(listed), tuple(listed))
    if not isinstance(value, dict):
        raise ModelError("needs an array or an object", given=_given(value))
    if "sourcePath" in value:
        raise ModelError("initial values from files are not supported yet", field="sourcePath")
    if ("value" in value) == ("valueStart" in value):
        raise ModelError("needs either value, or valueStart and valueDelta", given=_given(value))
    count = _required(value, "valueCount", int)
    if count < 1:
        raise ModelError("needs at least 1", given=f"{count}", field="valueCount")
    if "value" in value:
        with _place("value"):
            return Values(count, None, _number(value["value"], data_type))
    with _place("valueStart"):
        start = _number(value["valueStart"], data_type)
    step = _required(value, "valueDelta", object)
    with _place("valueDelta"):
        delta = _number(step, data_type, is_delta=True)
    return Values(count, None, start, delta)


# ---- dispatchables ----


def _dispatchable(name: str, value: Any) -> Dispatchable:
    members = _object(value)
    type_ = _required(members, "type", str)
    if type_.lower() in _OTHER_DISPATCHABLES:
        raise ModelError(
            f"{_OTHER_DISPATCHABLES[type_.lower()]} dispatchables are not supported yet",
            field="type",
        )
    with _place("type"):
        desc_class = descriptor_class(type_)
    with _place("executionFlags"):
        flags = _flags(members.get("executionFlags"), ExecutionFlags, "DML_EXECUTION_FLAG_")
    key = next((key for key in ("Desc", "desc") if key in members), None)
    if key is None:
        return Dispatchable(name, _desc(desc_class, members), flags)
    with _place(key):
        return Dispatchable(name, _desc(desc_class, _object(members[key])), flags)


def _desc(desc_class: type[OperatorDesc], members: Mapping[str, Any]) -> OperatorDesc:
    facts = {field.name: field for field in operator_facts(desc_class.operator_name).fields}
    with _place("ValueDataType"):
        scalar_type = _scalar_type(members) if "ValueDataType" in facts else None
    values: dict[str, Any] = {}
    counts = {field.count_field for field in facts.values()}
    for field in facts.values():
        if field.name in counts and field.name not in members:
            continue
        if field.optional and members.get(field.name) is None:
            values[snake_case(field.name)] = None
            continue
        value = _required(members, field.name, object)
        with _place(field.name):
            values[snake_case(field.name)] = _field(field, value, scalar_type)
    try:
        return desc_class(**values)
    except DirectMLError as error:
        raise as_written(error, desc_class.operator_name) from None


def as_written(error: DirectMLError, operator_name: str) -> DirectMLError:
    """Return the error with its field in DirectML's spelling instead of Python's."""
    path = (error.field or "").removeprefix(operator_name).removeprefix(".")
    error.field = ".".join(camel_case(part) for part in path.split(".")) or None
    return error


def _scalar_type(members: Mapping[str, Any]) -> TensorDataType | None:
    name = members.get("ValueDataType")
    return _data_type(name) if name is not None else None


def _field(field: FieldFacts, value: Any, scalar_type: TensorDataType | None) -> Any:
    """Parse one field of an operator, by its type in the catalogue."""
    if field.type == "TENSOR_DESC":
        return _tensor(value)
    if field.type == "TENSOR_DATA_TYPE":
        return _data_type(value)
    if field.type == "SCALAR_UNION" and scalar_type is not None:
        return _scalar_union(value, scalar_type, is_delta=field.name.endswith("Delta"))
    raise ModelError(f"fields of type {field.type} are not supported yet")


def _tensor(value: Any) -> TensorDesc:
    members = _object(value)
    members = _object(members.get("Desc", members.get("desc", members)))
    data_type = data_type_from_name(_required(members, "DataType", str))
    sizes = _required(members, "Sizes", list)
    count = _optional(members, "DimensionCount", int, len(sizes))
    if count != len(sizes):
        raise ModelError(
            f"needs the number of Sizes, {len(sizes)}", given=f"{count}", field="DimensionCount"
        )
    with _place("Flags"):
        flags = _flags(members.get("Flags"), TensorFlags, "DML_TENSOR_FLAG_")
    try:
        return TensorDesc(
            data_type,
            sizes,
            flags=flags,
            strides=_optional(members, "Strides", list, None) or None,
            total_tensor_size_in_bytes=_optional(members, "TotalTensorSizeInBytes", int, 0) or None,
            guaranteed_base_offset_alignment=_optional(
                members, "GuaranteedBaseOffsetAlignment", int, 0
            ),
        )
    except DirectMLError as error:
        raise as_written(error, "") from None


def _flags(value: Any, kind: Any, prefix: str) -> Any:
    """Return flags from one name, or a list of names, with or without DirectML's prefix."""
    flags = kind(0)
    for name in [] if value is None else value if isinstance(value, list) else [value]:
        short = name.removeprefix(prefix) if isinstance(name, str) else None
        if short not in kind.__members__:
            names = ", ".join(kind.__members__)
            raise ModelError(f"needs names out of {names}", given=_given(name))
        flags |= kind[short]
    return flags


def _scalar_union(value: Any, data_type: TensorDataType, *, is_delta: bool) -> ScalarUnion:
    if isinstance(value, dict):
        member = data_type.union_member
        if list(value) != [member]:
            given = ", ".join(value) or "none"
            raise ModelError(f"a {data_type.name} needs the member {member}", given=given)
        # FLOAT16 has no member of its own: the object form holds its bits.
        held = data_type if member and member.upper() == data_type.name else TensorDataType.UINT16
        with _place(str(member)):
            bits = _number(value[member], held, is_delta=is_delta)
    elif isinstance(value, str):
        member = data_type.union_member
        raise ModelError(
            "needs a number or an object",
            given=shown(value),
            hint=f'write {{"{member}": ...}}',
        )
    else:
        bits = _number(value, data_type, is_delta=is_delta)
    return ScalarUnion(bits.to_bytes(8, "little"))


# ---- commands ----


def _command(
    value: Any, resources: Mapping[str, Resource], dispatchables: Mapping[str, Dispatchable]
) -> Command:
    members = _object(value)
    type_ = _required(members, "type", str)
    if type_.lower() == "dispatch":
        name = _reference(members, "dispatchable", dispatchables, "dispatchable")
        bindings = {}
        for point, source in _required(members, "bindings", dict).items():
            with _place(f"bindings.{point}"):
                bindings[point] = _binding(source, resources)
        return DispatchCommand(name, bindings)
    if type_.lower() == "print":
        resource = _reference(members, "resource", resources, "resource")
        return PrintCommand(resource, _optional(members, "verbose", bool, default=False))
    if type_.lower() == "writefile":
        raise ModelError("the command writeFile is not supported yet", field="type")
    raise ModelError("needs the command dispatch or print", given=shown(type_), field="type")


def _binding(source: Any, resources: Mapping[str, Resource]) -> BufferBinding:
    if isinstance(source, list):
        if len(source) != 1:
            raise ModelError("needs one resource", given=f"{len(source)}")
        source = source[0]
    if isinstance(source, str):
        return BufferBinding(_name_of(source, resources, "resource"), 0)
    members = _object(source)
    name = _reference(members, "name", resources, "resource")
    item_bytes = resources[name].data_type.item_bytes
    item_bytes = _optional(members, "elementSizeInBytes", int, item_bytes)
    offset = _optional(members, "elementOffset", int, 0) * item_bytes
    if not 0 <= offset <= resources[name].size_bytes:
        raise ModelError(
            f"needs an offset within the {resources[name].size_bytes} bytes of {name!r}",
            given=f"{offset}",
            field="elementOffset",
        )
    return BufferBinding(name, offset)
