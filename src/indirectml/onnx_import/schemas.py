"""What ONNX says of an operator: how many inputs, of which types, and its meaning by others."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Any

import numpy as np

from indirectml.core.errors import ModelError, shown
from indirectml.core.nearest_names import nearest_name
from indirectml.onnx_import.budget import Budget
from indirectml.onnx_import.package import onnx_package
from indirectml.onnx_import.reading import element_type_of, read_attribute
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
    _check_count("inputs", len(inputs), schema.min_input, schema.max_input)
    _check_count("outputs", output_count, schema.min_output, schema.max_output)
    bound: dict[str, Any] = {}
    for index, value in enumerate(inputs):
        formal = schema.inputs[min(index, len(schema.inputs) - 1)]
        place = f"inputs[{index}] ({formal.name})"
        if value is None:
            if formal.option == type(formal.option).Single:
                raise ModelError("is required", given="none", field=place)
            continue
        text = _type_text(value.dtype)
        if text not in formal.types:
            raise ModelError(
                f"needs one of {', '.join(sorted(formal.types))}", given=text, field=place
            )
        first = bound.setdefault(formal.type_str, value.dtype)
        if first != value.dtype and formal.is_homogeneous:
            raise ModelError(f"needs {first}, as another input has", given=text, field=place)
    return bound


def _check_count(kind: str, count: int, fewest: int, most: int) -> None:
    if not fewest <= count <= most:
        few = f"{fewest}" if fewest == most else f"{fewest} to {most}"
        raise ModelError(f"needs {few} {kind}", given=f"{count}")


def output_dtype(schema: Any, index: int, bound: dict[str, Any]) -> np.dtype[Any] | None:
    """Return the data type that a schema gives an output; None where the operator decides."""
    formal = schema.outputs[min(index, len(schema.outputs) - 1)]
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
    for name, kind in kinds.items():
        facts = schema.attributes.get(name)
        if facts is None:
            raise ModelError("is no attribute of it", given=shown(name))
        if int(facts.type.value) != kind:
            raise ModelError(
                f"needs {facts.type.name}", given=f"type {kind}", field=f"attribute {name}"
            )
    found = dict(given)
    for name, facts in schema.attributes.items():
        if name in found:
            continue
        if facts.required:
            raise ModelError("is required", field=f"attribute {name}")
        if facts.default_value.type:
            found[name] = _default(schema, name)
    return found


def _default(schema: Any, name: str) -> Any:
    """Return the value of an attribute that is left out."""
    return read_attribute(schema.attributes[name].default_value, None, Budget(1 << 20))


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
