"""How the fields of operators are written: attributes by their type in the catalogue, and back.

A field that counts the elements of an array is written, since Microsoft's reader goes by position,
and checked when it is there. An optional field that is left out has an attribute without a name.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterator
from typing import Any

from indirectml.catalogue import FieldFacts, operator_facts, operator_names
from indirectml.catalogue.enumerations import FIELD_ENUMERATIONS
from indirectml.catalogue.fused_activations import FusedActivation
from indirectml.catalogue.operator_types import operator_types
from indirectml.core.data_types import TensorDataType
from indirectml.core.errors import DirectMLError, FileFormatError, shown
from indirectml.core.scalars import ScalarUnion
from indirectml.descriptors.fields import INTEGER_RANGES, ScaleBias
from indirectml.descriptors.names import snake_case
from indirectml.serialized.flatbuffer import Table
from indirectml.serialized.schema import STRUCTS

OPERATOR_PREFIX = "DML_OPERATOR_"

#: The two fields of type BOOL that DxDispatch's schema has as Bool; the others are UInt32 there.
_BOOLS = {("LOCAL_RESPONSE_NORMALIZATION_GRAD", "CrossChannel"), ("RESAMPLE3", "Antialiased")}

#: Members of the union of attributes that hold one integer.
_INTEGERS = ("UInt32", "UInt64", "Int32", "Bool")

#: By type in the catalogue: the member of the union for one, and for an array.
_MEMBERS: dict[str, tuple[str, str]] = {
    "INT": ("Int32", "IntArray"),
    "FLOAT": ("Float32", "FloatArray"),
    "SCALE_BIAS": ("ScaleBias", ""),
    "SIZE_2D": ("Size2D", ""),
    "SCALAR_UNION": ("ScalarUnionData", ""),
    "OPERATOR_DESC": ("Activation", "ActivationArray"),
}
#: Everything else is a number without a sign: UINT, BOOL, data types and enumerations.
_UNSIGNED = ("UInt32", "UIntArray")

#: Fields that are not tensors and do not count the elements of another field, by name.
Attributes = dict[str, Any]


def known_operator(name: str | None) -> str:
    """Return the name of an operator without prefix.

    Raises
    ------
    FileFormatError
        DirectML has no such operator.
    """
    short = (name or "").removeprefix(OPERATOR_PREFIX)
    if name is None or short == name or short not in operator_names():
        raise FileFormatError("needs the name of a DirectML operator", given=shown(name))
    return short


def fields_of(operator_name: str, kind: str) -> list[FieldFacts]:
    """Return the fields of one kind, in the order of DirectML's structure."""
    return [field for field in operator_facts(operator_name).fields if field.kind == kind]


# ---- reading ----


def read_attributes(operator_name: str, tables: list[Table], counts: dict[str, int]) -> Attributes:
    """Return an operator's attributes by Python's names of its fields.

    Parameters
    ----------
    tables : list
        Tables of AttributeDesc.
    counts : dict
        How many tensors the fields have that are arrays of tensors.

    Raises
    ------
    FileFormatError
        An attribute is missing, not one of the operator's, or of another type.
    """
    counters = _counters(operator_name)
    found: Attributes = {}
    lengths = dict(counts)
    written_counts: dict[str, int] = {}
    for field, value in _matched(operator_name, tables):
        if field.name in counters:
            if value is not None:
                written_counts.update(dict.fromkeys(counters[field.name], value))
            continue
        if value is None and not field.optional:
            raise FileFormatError("is required", field=f"attributes.{field.name}")
        if field.array:
            lengths[field.name] = len(value or ())
        found[snake_case(field.name)] = value
    for name, count in written_counts.items():
        if lengths[name] != count:
            needs = f"needs a count of {lengths[name]}, as many as it has elements"
            raise FileFormatError(needs, given=f"{count}", field=name)
    return found


def _matched(operator_name: str, tables: list[Table]) -> Iterator[tuple[FieldFacts, Any]]:
    """Yield each field with its value, or None where it has no attribute or one without a name."""
    number = 0
    for field in fields_of(operator_name, "attribute"):
        name = tables[number]["name"] if number < len(tables) else ""
        if name not in {None, field.name}:
            yield field, None
            continue
        try:
            value = None if name is None else _read_value(field, tables[number]["val"])
        except FileFormatError as error:
            raise error.within(f"attributes[{number}] ({field.name})") from None
        yield field, value
        number += 1
    if number < len(tables):
        raise FileFormatError(
            f"needs attributes of {operator_name} in DirectML's order",
            given=shown(tables[number]["name"]),
            field=f"attributes[{number}]",
        )


def _counters(operator_name: str) -> dict[str, list[str]]:
    """Return the fields that count the elements of others, with the fields that each counts."""
    counters: dict[str, list[str]] = {}
    for field in operator_facts(operator_name).fields:
        if field.count_field is not None:
            counters.setdefault(field.count_field, []).append(field.name)
    return counters


def _read_value(field: FieldFacts, val: tuple[str, Any] | None) -> Any:
    """Return what a field of a descriptor holds."""
    if val is None or val[1] is None:
        if field.optional:
            return None
        raise FileFormatError("needs a value", given="none")
    member, value = val
    one, array = _MEMBERS.get(field.type, _UNSIGNED)
    wanted = array if field.array else one
    is_integer = one in _INTEGERS and not field.array
    if member != wanted and not (is_integer and member in _INTEGERS):
        raise FileFormatError(f"needs {wanted}", given=member)
    if is_integer:
        return _read_integer(field.type, value[0])
    return _READERS[member](value)


def _read_integer(type_: str, number: int) -> Any:
    if type_ == "BOOL":
        return bool(number)
    kind: Any = TensorDataType if type_ == "TENSOR_DATA_TYPE" else FIELD_ENUMERATIONS.get(type_)
    if kind is not None:
        if number not in {int(member) for member in kind}:
            raise FileFormatError(f"needs a number of {kind.__name__}", given=f"{number}")
        return kind(number)
    low, high = INTEGER_RANGES.get(type_, INTEGER_RANGES["UINT"])
    if not low <= number <= high:
        raise FileFormatError(f"needs an integer from {low} to {high}", given=f"{number}")
    return number


def _read_scalar_union(data: tuple[str, Any] | None) -> ScalarUnion:
    if data is None or data[1] is None:
        raise FileFormatError("needs the bytes of a scalar union", given="none")
    member, value = data
    return ScalarUnion(STRUCTS[member].pack(*value).ljust(8, b"\0"))


def _read_activation(table: Table) -> FusedActivation:
    """Return a fused activation, whose attributes are its FLOAT fields."""
    name = known_operator(table["type"])
    facts = operator_facts(name)
    if facts.fusion is None and not name.startswith("ACTIVATION_"):
        raise FileFormatError("needs an activation", given=name)
    try:
        attributes = read_attributes(name, table["attributes"] or [], {})
    except FileFormatError as error:
        raise error.within(f"({name})") from None
    numbers = [v for f, v in _with_facts(name, attributes) if f.type == "FLOAT"]
    others = [f.name for f, v in _with_facts(name, attributes) if f.type != "FLOAT" and v]
    if others or len(numbers) > 2:  # noqa: PLR2004 (param_1 and param_2)
        raise FileFormatError("needs an activation of at most two numbers", given=name)
    return FusedActivation(operator_types()[name], *numbers)


def _with_facts(name: str, attributes: Attributes) -> Iterator[tuple[FieldFacts, Any]]:
    for field in fields_of(name, "attribute"):
        if snake_case(field.name) in attributes:
            yield field, attributes[snake_case(field.name)]


_READERS: dict[str, Callable[[Any], Any]] = {
    "UIntArray": lambda table: tuple(table["data"] or ()),
    "IntArray": lambda table: tuple(table["data"] or ()),
    "FloatArray": lambda table: tuple(table["data"] or ()),
    "Float32": lambda numbers: numbers[0],
    "ScaleBias": lambda numbers: ScaleBias(*numbers),
    "Size2D": tuple,
    "ScalarUnionData": lambda table: _read_scalar_union(table["data"]),
    "Activation": _read_activation,
    "ActivationArray": lambda table: tuple(map(_read_activation, table["data"] or ())),
}


# ---- writing ----


def written_attributes(
    operator_name: str, attributes: Attributes, counts: dict[str, int]
) -> list[Table]:
    """Return the tables of AttributeDesc of an operator; `read_attributes` is the way back.

    Raises
    ------
    FileFormatError
        A value is none that an attribute of its type can hold.
    """
    counters = _counters(operator_name)
    tables: list[Table] = []
    for field in fields_of(operator_name, "attribute"):
        if field.name in counters:
            lengths = {
                counts[name] if name in counts else len(attributes[snake_case(name)] or ())
                for name in counters[field.name]
            }
            if len(lengths) != 1:
                needs = f"{' and '.join(counters[field.name])} need one number of elements"
                raise FileFormatError(needs, given=" and ".join(map(str, sorted(lengths))))
            value: Any = lengths.pop()
        else:
            value = attributes[snake_case(field.name)]
        try:
            tables.append(_written_value(operator_name, field, value))
        except (struct.error, TypeError, ValueError, DirectMLError) as error:
            raise FileFormatError(
                f"needs a value of {field.type}", given=shown(value), field=field.name
            ) from error
    return tables


def _written_value(operator_name: str, field: FieldFacts, value: Any) -> Table:
    one, array = _MEMBERS.get(field.type, _UNSIGNED)
    member = array if field.array else one
    if (operator_name, field.name) in _BOOLS:
        member = "Bool"
    if value is None:
        return {"name": None, "val": (member, None)}
    write: Callable[[Any], Any] = _WRITERS.get(member, _one)
    return {"name": field.name, "val": (member, write(value))}


def _one(value: Any) -> tuple[Any]:
    return (value,)


def _array(values: Any) -> Table:
    return {"data": list(values)}


def _pair(values: Any) -> tuple[Any, ...]:
    return tuple(values)


def _activation(fused: FusedActivation) -> Table:
    name = str(fused.activation.name)
    numbers = iter((fused.param_1, fused.param_2))
    attributes = {
        snake_case(field.name): next(numbers) if field.type == "FLOAT" else None
        for field in fields_of(name, "attribute")
    }
    return {
        "type": OPERATOR_PREFIX + name,
        "attributes": written_attributes(name, attributes, {}),
    }


def _scalar_union(value: Any) -> Table:
    return {"data": ("ByteArray", (value.raw,))}


_WRITERS: dict[str, Callable[[Any], Any]] = {
    "UIntArray": _array,
    "IntArray": _array,
    "FloatArray": _array,
    "ScaleBias": _pair,
    "Size2D": _pair,
    "Activation": _activation,
    "ActivationArray": lambda values: _array(map(_activation, values)),
    "ScalarUnionData": _scalar_union,
}
