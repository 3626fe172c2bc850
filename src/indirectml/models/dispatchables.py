"""From JSON to dispatchables: operators and their fields, by the catalogue."""

from __future__ import annotations

import re
from collections.abc import Callable
from enum import IntEnum
from functools import partial
from typing import Any

from indirectml.catalogue import (
    OPERATOR_PREFIX,
    FieldFacts,
    OperatorFacts,
    operator_facts,
    operator_names,
)
from indirectml.catalogue.enumerations import FIELD_ENUMERATIONS, ExecutionFlags
from indirectml.catalogue.fused_activations import FusedActivation
from indirectml.catalogue.operator_types import operator_types
from indirectml.core.data_types import TensorDataType
from indirectml.core.errors import (
    DescriptorError,
    DirectMLError,
    ModelError,
    OperatorNotImplementedError,
)
from indirectml.core.scalars import ScalarUnion
from indirectml.core.tensors import TensorDesc, TensorFlags
from indirectml.descriptors.base import OperatorDesc
from indirectml.descriptors.fields import INTEGER_RANGES, ScaleBias, Size2D
from indirectml.descriptors.names import camel_case, snake_case
from indirectml.fills.sequences import as_number
from indirectml.models.bindings import read_bindings
from indirectml.models.context import Context
from indirectml.models.members import (
    Members,
    data_type_of,
    given,
    number_bits,
    of_kind,
    scalar_data_type,
)
from indirectml.models.model import ModelDispatchable, ModelGraph
from indirectml.models.onnx import ONNX, read_onnx
from indirectml.models.problems import Path, Problems
from indirectml.operators import descriptor_class
from indirectml.serialized.graph import SerializedGraph, read_serialized_graph

#: What DxDispatch knows and this project does not have yet.
OTHER_DISPATCHABLES = {"hlsl": "HLSL"}
#: The type of a graph in a file, in lower case, and its members.
SERIALIZED_GRAPH = "dmlserializedgraph"
SERIALIZED_GRAPH_KEYS = ("type", "sourcePath", "executionFlags", "bindings")
DISPATCHABLE_KEYS = ("type", "Desc", "desc", "dmlCompileType", "executionFlags", "bindings")
COMPILE_TYPES = ("DmlCompileOp", "DmlCompileGraph")
TENSOR_KEYS = (
    "Type",
    "DataType",
    "Flags",
    "DimensionCount",
    "Sizes",
    "Strides",
    "TotalTensorSizeInBytes",
    "GuaranteedBaseOffsetAlignment",
)
#: What other libraries call operators, where no operator's name ends so.
_OTHER_NAMES = {
    **dict.fromkeys(("CONV", "CONV1D", "CONV2D", "CONV3D"), "CONVOLUTION"),
    **dict.fromkeys(("CONCAT", "CONCATENATE"), "JOIN"),
    **dict.fromkeys(("MATMUL", "DENSE"), "GEMM"),
    **dict.fromkeys(("SUM", "MEAN"), "REDUCE"),
    "RELU6": "ELEMENT_WISE_CLIP",
}
#: How a message names another field of the operator.
_PYTHON_NAME = re.compile(r"\b[a-z]+(?:_[a-z0-9]+)+\b")
SCALE_BIAS_KEYS = ("Scale", "Bias")
SIZE_2D_KEYS = ("Width", "Height")
TENSOR_TYPES = ("BUFFER", "DML_TENSOR_TYPE_BUFFER")


def read_dispatchable(name: str, value: Any, context: Context) -> ModelDispatchable | ModelGraph:
    """Return the dispatchable that JSON describes.

    Raises
    ------
    DirectMLError
        It cannot be used; the mistakes are in the context, or are this error.
    """
    if "type" not in of_kind(value, dict):
        raise ModelError("is required", field="type")
    if isinstance(value["type"], str) and value["type"].lower() == SERIALIZED_GRAPH:
        return _serialized_graph(name, value, context)
    if isinstance(value["type"], str) and value["type"].lower() == ONNX:
        return read_onnx(name, value, context)
    facts = _operator(value["type"], "type", context.problems)
    place: Path = next(((key,) for key in ("Desc", "desc") if key in value), ())
    inline = () if place else tuple(field.name for field in facts.fields)
    members = Members(value, (*DISPATCHABLE_KEYS, *inline), context.problems)
    flags, as_graph, bindings = ExecutionFlags(0), False, {}
    with context.problems.together():
        desc_class = None
        with context.problems.at("type"):
            desc_class = descriptor_class(facts.name)
        with context.problems.at("executionFlags"):
            flags = _flags(
                members, "executionFlags", ExecutionFlags, "DML_EXECUTION_FLAG_", context.problems
            )
        with context.problems.at("dmlCompileType"):
            as_graph = _is_graph(members, context.problems)
        with context.problems.at():
            for point, source in members.optional("bindings", dict, {}).items():
                with context.problems.at("bindings"):
                    bindings[point] = read_bindings(point, source, context)
        with context.problems.at(*place):
            fields = members.get(str(place[0])) if place else value
            values = _values(facts, fields, context, is_inline=not place)
            if desc_class is not None:
                desc = _desc(desc_class, values)
    return ModelDispatchable(name, desc, flags, place, as_graph, bindings)


def _serialized_graph(name: str, value: Any, context: Context) -> ModelGraph:
    members = Members(value, SERIALIZED_GRAPH_KEYS, context.problems)
    flags = ExecutionFlags(0)
    with context.problems.together():
        with context.problems.at("executionFlags"):
            flags = _flags(
                members, "executionFlags", ExecutionFlags, "DML_EXECUTION_FLAG_", context.problems
            )
        with context.problems.at("bindings"):
            if members.optional("bindings", dict, {}):
                error = ModelError("has no effect: constants of a graph come with its file")
                context.problems.add(error, is_warning=True)
        with context.problems.at():
            source = members.required("sourcePath", str)
            with context.problems.within("sourcePath"):
                graph = _graph_file(source, context)
    return ModelGraph(name, graph, flags)


def _graph_file(source: str, context: Context) -> SerializedGraph:
    path = context.source_file(source)
    try:
        return read_serialized_graph(path)
    except OSError as error:
        reason = error.strerror or str(error)
        raise ModelError("needs a file that can be read", given=reason.lower()) from None
    except DirectMLError as error:  # the place in the file is no place in the model
        raise not_taken("the format", error) from None


def not_taken(who: str, error: DirectMLError) -> ModelError:
    """Return the error for a graph in a file that is refused, with the place in that file."""
    return ModelError(f"needs a serialized graph that {who} takes", given=f"one with {error}")


def _operator(type_: Any, key: str, problems: Problems) -> OperatorFacts:
    """Return what is known of the operator that a type names, whether it is written or not."""
    of_kind(type_, str, key)
    if type_.lower() in OTHER_DISPATCHABLES:
        raise ModelError(
            f"{OTHER_DISPATCHABLES[type_.lower()]} dispatchables are not supported yet",
            field=key,
        )
    short = type_.removeprefix(OPERATOR_PREFIX)
    if short not in operator_names():
        raise DescriptorError(
            "needs the name of a DirectML operator",
            given=given(type_),
            hint=_operator_hint(short.upper(), problems),
            field=key,
        )
    return operator_facts(short)


def _operator_hint(name: str, problems: Problems) -> str | None:
    """Return a hint at the operator that is meant by RELU, CONV2D or a misspelled name."""
    longer = [known for known in operator_names() if known.endswith(f"_{name}")]
    meant = min(longer, key=len) if longer else _OTHER_NAMES.get(name)
    if meant is not None:
        return f"did you mean {meant!r}"
    return problems.suggestion(name, operator_names())


def _is_graph(members: Members, problems: Problems) -> bool:
    name = members.get("dmlCompileType") if "dmlCompileType" in members else COMPILE_TYPES[0]
    if name not in COMPILE_TYPES:
        needs = f"needs {' or '.join(COMPILE_TYPES)}"
        hint = problems.suggestion(name, COMPILE_TYPES)
        raise ModelError(needs, given=given(name), hint=hint)
    return bool(name == "DmlCompileGraph")


def _desc(desc_class: type[OperatorDesc], values: dict[str, Any]) -> OperatorDesc:
    try:
        return desc_class(**values)
    except DirectMLError as error:
        raise as_written(error, desc_class.operator_name) from None


def _values(
    operator: OperatorFacts, value: Any, context: Context, *, is_inline: bool
) -> dict[str, Any]:
    """Read the fields of an operator by the catalogue, whether the operator is written or not."""
    problems = context.problems
    facts = operator.fields
    known = [field.name for field in facts]
    # Fields beside the type share their object with other members, which are known there.
    members = Members(value, [*known, *value] if is_inline else known, problems)
    values: dict[str, Any] = {}
    scalar_type: TensorDataType | None = None
    with problems.together():
        counts = {field.count_field for field in facts}
        for field in facts:
            if field.name in counts:  # read with the array
                continue
            if field.optional and members.get(field.name) is None:
                values[snake_case(field.name)] = None
                continue
            with problems.at():
                read = members.required(field.name)
                if field.type == "SCALAR_UNION" and scalar_type is None:
                    continue  # the mistake is in the data type, which is missing or wrong
                with problems.within(field.name):
                    found = _field(field, read, scalar_type, context)
                values[snake_case(field.name)] = found
                if field.type == "TENSOR_DATA_TYPE":
                    scalar_type = found
                if field.count_field is not None:
                    _check_count(field.count_field, members, field.name, len(found))
    return values


def _check_count(name: str, members: Members, counted: str, length: int) -> None:
    """Check a count, which may be left out: it is the length of the array that it counts."""
    count = members.optional(name, int, length)
    if count != length:
        raise ModelError(f"needs the number of {counted}, {length}", given=given(count), field=name)


def as_written(error: DirectMLError, operator_name: str) -> DirectMLError:
    """Return the error with fields in DirectML's spelling instead of Python's."""
    path = (error.field or "").removeprefix(operator_name).removeprefix(".")
    error.field = ".".join(camel_case(part) for part in path.split(".")) or None
    error.required = _PYTHON_NAME.sub(lambda name: camel_case(name[0]), error.required)
    return error


def _field(
    field: FieldFacts, value: Any, scalar_type: TensorDataType | None, context: Context
) -> Any:
    """Read one field of an operator, by its type in the catalogue."""
    if field.type == "SCALAR_UNION" and scalar_type is not None:
        is_delta = field.name.endswith("Delta")
        return _scalar_union(value, scalar_type, context, is_delta=is_delta)
    # Types that no written operator has are taken as they are.
    reader = FIELD_READERS.get(field.type, _unread)
    if not field.array:
        return reader(value, context)
    elements: list[Any] = []
    with context.problems.together():
        for number, element in enumerate(of_kind(value, list)):
            with context.problems.at(number):
                elements.append(reader(element, context))
    return elements


def _unread(value: Any, _: Context) -> Any:
    return value


def _tensor(value: Any, context: Context) -> TensorDesc:
    of_kind(value, dict)
    key = next((key for key in ("Desc", "desc") if key in value), None)
    if key is not None:
        Members(value, ("Type", "Desc", "desc"), context.problems)
        with context.problems.within(key):
            return _tensor_fields(value[key], context)
    return _tensor_fields(value, context)


def _tensor_fields(value: Any, context: Context) -> TensorDesc:
    problems = context.problems
    members = Members(value, TENSOR_KEYS, problems)
    data_type, flags = TensorDataType.UNKNOWN, TensorFlags.NONE
    sizes: list[int] = []
    numbers: dict[str, Any] = {}
    with problems.together():
        with problems.at():
            if members.optional("Type", str, "BUFFER") not in TENSOR_TYPES:
                raise ModelError("needs BUFFER", given=given(members.get("Type")), field="Type")
        with problems.at():
            name = members.required("DataType")
            with problems.within("DataType"):
                data_type = data_type_of(name, problems)
        with problems.at():
            sizes = members.required("Sizes", list)
            count = members.optional("DimensionCount", int, len(sizes))
            if count != len(sizes):
                needs = f"needs the number of Sizes, {len(sizes)}"
                raise ModelError(needs, given=given(count), field="DimensionCount")
        with problems.at("Flags"):
            flags = _flags(members, "Flags", TensorFlags, "DML_TENSOR_FLAG_", problems)
        for key, kind in _TENSOR_NUMBERS.items():
            with problems.at():
                numbers[snake_case(key)] = members.optional(key, kind) or None
    # Sizes first, then beside them what can be wrong by itself: so every mistake is told. What the
    # total size has to be depends on the strides.
    parts = ("strides", "total_tensor_size_in_bytes"), ("guaranteed_base_offset_alignment",)
    with problems.together():
        described(data_type, sizes, flags)
        for names in parts:
            with problems.at():
                described(data_type, sizes, flags, **{name: numbers[name] for name in names})
    return described(data_type, sizes, flags, **numbers)


def described(
    data_type: TensorDataType, sizes: list[int], flags: TensorFlags, **numbers: Any
) -> TensorDesc:
    """Return a tensor descriptor; its errors are in DirectML's spelling."""
    given_numbers = {name: number for name, number in numbers.items() if number is not None}
    try:
        return TensorDesc(data_type, sizes, flags=flags, **given_numbers)
    except DirectMLError as error:
        raise as_written(error, "") from None


_TENSOR_NUMBERS = {
    "Strides": list,
    "TotalTensorSizeInBytes": int,
    "GuaranteedBaseOffsetAlignment": int,
}


def _flags(members: Members, key: str, kind: Any, prefix: str, problems: Problems) -> Any:
    """Return flags from one name, or a list of names, with or without DirectML's prefix."""
    flags = kind(0)
    value = members.get(key) if key in members else []
    for name in value if isinstance(value, list) else [value]:
        short = name.removeprefix(prefix) if isinstance(name, str) else None
        if short not in kind.__members__:
            names = ", ".join(kind.__members__)
            hint = problems.suggestion(short, kind.__members__)
            raise ModelError(f"needs names out of {names}", given=given(name), hint=hint)
        flags |= kind[short]
    return flags


def _scalar_union(
    value: Any, data_type: TensorDataType, context: Context, *, is_delta: bool
) -> ScalarUnion:
    member = str(data_type.union_member)
    if isinstance(value, str | bool) or value is None:
        hint = f'write {{"{member}": ...}}' if isinstance(value, str) else None
        raise ModelError("needs a number or an object", given=given(value), hint=hint)
    if isinstance(value, dict):
        if list(value) != [member]:
            names = ", ".join(given(key) for key in list(value)[:3]) or "none"
            raise ModelError(f"a {data_type.name} needs the member {member}", given=names)
        # FLOAT16 has no member of its own: the object form holds its bits.
        held = data_type if member.upper() == data_type.name else TensorDataType.UINT16
        with context.problems.within(member):
            bits = number_bits(value[member], held, is_delta=is_delta)
    else:
        toward_zero = context.options.toward_zero
        bits = number_bits(value, data_type, is_delta=is_delta, toward_zero=toward_zero)
    return ScalarUnion(bits.to_bytes(8, "little"))


def _data_type(value: Any, context: Context) -> TensorDataType:
    return scalar_data_type(value, context.problems)


def _integer(low: int, high: int, value: Any, _: Context) -> int:
    if not low <= of_kind(value, int) <= high:
        raise ModelError(f"needs an integer from {low} to {high}", given=given(value))
    return int(value)


def _float(value: Any, _: Context) -> float:
    return float(as_number(number_bits(value, TensorDataType.FLOAT32), TensorDataType.FLOAT32))


def _boolean(value: Any, _: Context) -> bool:
    return bool(of_kind(value, bool))


def _scale_bias(value: Any, context: Context) -> ScaleBias:
    members = Members(value, SCALE_BIAS_KEYS, context.problems)
    numbers: list[float] = []
    with context.problems.together():
        for key in SCALE_BIAS_KEYS:
            with context.problems.at():
                number = members.required(key)
                with context.problems.within(key):
                    numbers.append(_float(number, context))
    return ScaleBias(*numbers)


def _size_2d(value: Any, context: Context) -> Size2D:
    members = Members(value, SIZE_2D_KEYS, context.problems)
    numbers: list[int] = []
    with context.problems.together():
        for key in SIZE_2D_KEYS:
            with context.problems.at():
                number = members.required(key)
                with context.problems.within(key):
                    numbers.append(_integer(*INTEGER_RANGES["UINT"], number, context))
    return Size2D(*numbers)


def _fused_activation(value: Any, context: Context) -> FusedActivation:
    """Read an operator without tensors, whose fields stand in an object of their own or inline."""
    key = "type" if "type" in of_kind(value, dict) and "Type" not in value else "Type"
    if key not in value:
        raise ModelError("is required", field=key)
    name = _operator(value[key], key, context.problems).name
    try:
        descriptor_class(name)
    except OperatorNotImplementedError as error:
        raise error.within(key) from None
    place = next(((key,) for key in ("Desc", "desc") if key in value), ())
    facts = operator_facts(name).fields
    numbers: list[float] = []
    with context.problems.together(), context.problems.at(*place):
        found = of_kind(value[place[0]] if place else value, dict)
        known = [field.name for field in facts]
        members = Members(found, known if place else [key, *known], context.problems)
        for field in facts:
            with context.problems.at():
                if field.type == "FLOAT":
                    number = members.required(field.name)
                    with context.problems.within(field.name):
                        numbers.append(_float(number, context))
                elif (unused := members.get(field.name)) is not None:
                    needs = "needs null in a fused activation"
                    raise ModelError(needs, given=given(unused), field=field.name)
    return FusedActivation(operator_types()[name], *numbers)


def _enumeration(kind: type[IntEnum], prefix: str, value: Any, context: Context) -> IntEnum:
    short = value.removeprefix(prefix) if isinstance(value, str) else None
    if short is None or short not in kind.__members__:
        hint = context.problems.suggestion(short, kind.__members__)
        needs = f"needs one of {', '.join(kind.__members__)}"
        raise ModelError(needs, given=given(value), hint=hint)
    return kind[short]


#: By the type of a field in the catalogue. Scalar unions need more than their value.
FIELD_READERS: dict[str, Callable[[Any, Context], Any]] = {
    "TENSOR_DESC": _tensor,
    "TENSOR_DATA_TYPE": _data_type,
    "FLOAT": _float,
    "BOOL": _boolean,
    "SCALE_BIAS": _scale_bias,
    "SIZE_2D": _size_2d,
    "OPERATOR_DESC": _fused_activation,
    **{name: partial(_integer, *limits) for name, limits in INTEGER_RANGES.items()},
    **{
        name: partial(_enumeration, kind, f"DML_{name}_")
        for name, kind in FIELD_ENUMERATIONS.items()
    },
}
