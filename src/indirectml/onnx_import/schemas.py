"""What ONNX says of an operator: how many inputs, of which types, and its meaning by others."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from indirectml.core.errors import ModelError, shown
from indirectml.core.nearest_names import nearest_name
from indirectml.onnx_import.budget import Budget
from indirectml.onnx_import.package import onnx_package
from indirectml.onnx_import.reading import element_type_of, name_of_kind, read_attribute
from indirectml.onnx_import.values import Value


def find_schema(domain: str, operator: str, version: int) -> Any:
    """Return ONNX's schema of an operator in an opset; None if it has none."""
    return _schema(domain, operator, version) if (domain, operator) in operator_names() else None


@functools.cache
def operator_names() -> frozenset[tuple[str, str]]:
    """Return the domains and names of ONNX's operators."""
    return frozenset((each.domain, each.name) for each in onnx_package("defs").get_all_schemas())


@functools.cache
def _schema(domain: str, operator: str, version: int) -> Any:
    defs = onnx_package("defs")
    try:
        return defs.get_schema(operator, version, domain)
    except (defs.SchemaError, TypeError):  # the latter of versions beyond 32 bits
        return None


def similar_operator(operator: str) -> str | None:
    """Return a hint at the operator of ONNX that may be meant, which takes a millisecond."""
    names = (name for domain, name in sorted(operator_names()) if not domain)
    near = nearest_name(operator, names)
    return f"did you mean {near}?" if near and near != operator else None


def no_operator(domain: str, operator: str, version: int, hint: str | None) -> ModelError:
    """Return the error for an operator that neither ONNX nor the model has."""
    if domain == "com.microsoft.nchwc":
        return ModelError(
            "needs a model that any machine runs: this domain is the layout of ONNX Runtime's CPU "
            "kernels on the machine that wrote it",
            given=shown(operator),
            hint="write it with graph_optimization_level = ORT_ENABLE_EXTENDED",
        )
    if domain.startswith("com.microsoft"):
        return ModelError(
            "needs an operator of this domain that has a form here, or a function of the model",
            given=shown(operator),
            hint="docs/onnx-in.md has them; before ONNX Runtime's tools the model may have others",
        )
    if domain:
        return ModelError(
            "needs an operator of ONNX, or a function of the model", given=f"domain {shown(domain)}"
        )
    return ModelError(f"needs an operator of opset {version}", given=shown(operator), hint=hint)


@functools.cache
def _type_text(dtype: np.dtype[Any]) -> str:
    """Return a data type as ONNX's schemas write it.

    Examples
    --------
    >>> _type_text(np.dtype(np.float32))
    'tensor(float)'
    """
    name = onnx_package().TensorProto.DataType.Name(element_type_of(dtype)).lower()
    return f"tensor({name})"


def check_inputs(schema: Any, inputs: Sequence[Value | None], output_count: int) -> dict[str, Any]:
    """Check numbers and types of inputs; return the data type of each of the schema's types.

    Raises
    ------
    ModelError
        They are not what the schema says.
    """
    facts = _facts(schema)
    _check_count("inputs", len(inputs), *facts.input_counts)
    _check_count("outputs", output_count, *facts.output_counts)
    bound: dict[str, Any] = {}
    for index, value in enumerate(inputs):
        formal = facts.inputs[min(index, len(facts.inputs) - 1)]
        if value is None:
            if formal.is_single:
                place = f"inputs[{index}] ({formal.name})"
                raise ModelError("is required", given="none", field=place)
            continue
        text = _type_text(value.dtype)
        if text not in formal.types:
            raise ModelError(
                f"needs one of {', '.join(sorted(formal.types))}",
                given=text,
                field=f"inputs[{index}] ({formal.name})",
            )
        first = bound.setdefault(formal.type_str, value.dtype)
        if first != value.dtype and formal.is_homogeneous:
            place = f"inputs[{index}] ({formal.name})"
            raise ModelError(f"needs {first}, as another input has", given=text, field=place)
    return bound


def _check_count(kind: str, count: int, fewest: int, most: int) -> None:
    if not fewest <= count <= most:
        few = f"{fewest}" if fewest == most else f"{fewest} to {most}"
        raise ModelError(f"needs {few} {kind}", given=f"{count}")


def output_dtype(schema: Any, index: int, bound: dict[str, Any]) -> np.dtype[Any] | None:
    """Return the data type that a schema gives an output; None where the operator decides."""
    formals = _facts(schema).outputs
    formal = formals[min(index, len(formals) - 1)]
    if formal.type_str in bound and formal.is_homogeneous:
        dtype: np.dtype[Any] = bound[formal.type_str]
        return dtype
    if len(formal.types) == 1:
        return _dtypes().get(next(iter(formal.types)))
    return None


@functools.cache
def _dtypes() -> dict[str, np.dtype[Any]]:
    names = "bool int8 int16 int32 int64 uint8 uint16 uint32 uint64 float16 float32 float64"
    return {_type_text(np.dtype(name)): np.dtype(name) for name in names.split()}


def checked_attributes(schema: Any, given: dict[str, Any], kinds: dict[str, int]) -> dict[str, Any]:
    """Return attributes with the defaults of those that are left out.

    Parameters
    ----------
    schema : onnx.defs.OpSchema
        What there may be.
    given, kinds : dict
        Values, and ONNX's numbers of their types.

    Raises
    ------
    ModelError
        One is unknown, missing or of another type.
    """
    known = _facts(schema).attributes
    for name, kind in kinds.items():
        facts = known.get(name)
        if facts is None:
            raise ModelError("is no attribute of it", given=shown(name))
        if facts.kind != kind:
            raise ModelError(
                f"needs {facts.kind_name}", given=name_of_kind(kind), field=f"attribute {name}"
            )
    found = dict(given)
    for name, facts in known.items():
        if name in found:
            continue
        if facts.is_required:
            raise ModelError("is required", field=f"attribute {name}")
        if facts.has_default:
            default = facts.default
            found[name] = list(default) if isinstance(default, list) else default
    return found


class _Formal(NamedTuple):
    """An input or output, as a schema has it."""

    name: str
    is_single: bool
    types: frozenset[str]
    type_str: str
    is_homogeneous: bool


class _Attribute(NamedTuple):
    """An attribute, as a schema has it."""

    kind: int
    kind_name: str
    is_required: bool
    has_default: bool
    default: Any


class _Facts(NamedTuple):
    """What is asked of a schema for each node; asking the schema itself makes it anew."""

    inputs: tuple[_Formal, ...]
    outputs: tuple[_Formal, ...]
    input_counts: tuple[int, int]
    output_counts: tuple[int, int]
    attributes: dict[str, _Attribute]


@functools.cache
def _facts(schema: Any) -> _Facts:
    inputs, outputs = (
        tuple(
            _Formal(
                each.name,
                each.option == type(each.option).Single,
                frozenset(each.types),
                each.type_str,
                each.is_homogeneous,
            )
            for each in formals
        )
        for formals in (schema.inputs, schema.outputs)
    )
    attributes = {name: _attribute(each) for name, each in schema.attributes.items()}
    counts = (schema.min_input, schema.max_input), (schema.min_output, schema.max_output)
    return _Facts(inputs, outputs, *counts, attributes)


def _attribute(facts: Any) -> _Attribute:
    stated = facts.default_value
    default = read_attribute(stated, None, Budget(1 << 20)) if stated.type else None
    kind = int(facts.type.value), facts.type.name
    return _Attribute(*kind, facts.required, bool(stated.type), default)


def definition_of(
    schema: Any, node: Any, inputs: Sequence[Value | None], version: int
) -> Any | None:
    """Return the function by which ONNX defines a node; None if the operator is a primitive.

    Parameters
    ----------
    schema : onnx.defs.OpSchema
        Of its operator.
    node : onnx.NodeProto
        Its attributes decide in some operators.
    inputs : sequence of Value or None
        Their types do, too.
    version : int
        The opset.

    Returns
    -------
    onnx.FunctionProto or None
    """
    onnx = onnx_package()
    if schema.has_function:
        known = schema.function_opset_versions
        body = schema.get_function_with_opset_version(_nearest(known, version))
        return body if not isinstance(body, bytes) else onnx.FunctionProto.FromString(body)
    if schema.has_context_dependent_function:
        types = [
            (
                onnx.TypeProto()
                if value is None
                else onnx.helper.make_tensor_type_proto(element_type_of(value.dtype), value.shape)
            ).SerializeToString()
            for value in inputs
        ]
        known = schema.context_dependent_function_opset_versions
        made = schema.get_context_dependent_function_with_opset_version(
            _nearest(known, version), node.SerializeToString(), types
        )
        return onnx.FunctionProto.FromString(made) if made else None
    return None


def _nearest(versions: Sequence[int], version: int) -> int:
    """Return the newest version up to one; the oldest if all are newer."""
    return max((v for v in versions if v <= version), default=min(versions))
