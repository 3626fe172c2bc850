"""Dispatch models of graphs: each operator a dispatchable, each value a resource, data in files."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterable, Mapping
from enum import IntEnum
from pathlib import Path
from typing import Any

import numpy as np

from indirectml.catalogue import OPERATOR_PREFIX, FieldFacts
from indirectml.catalogue.fused_activations import FusedActivation
from indirectml.core.data_types import TensorDataType
from indirectml.core.scalars import ScalarUnion
from indirectml.core.tensor_buffers import bytes_of
from indirectml.core.tensors import TensorDesc
from indirectml.descriptors.base import OperatorDesc
from indirectml.descriptors.definitions import fields_of, number_fields
from indirectml.descriptors.names import camel_case
from indirectml.serialized.graph import SerializedGraph
from indirectml.serialized.nodes import SerializedOperator

#: What names of files have besides letters, digits and these.
_OTHERS = re.compile(r"[^\w.-]+", re.ASCII)
_LONGEST_NAME = 80

#: The members of fields that are structures.
_MEMBERS = {"SCALE_BIAS": ("Scale", "Bias"), "SIZE_2D": ("Width", "Height")}


def desc_json(desc: OperatorDesc) -> dict[str, Any]:
    """Return a descriptor as dispatch models write it, with strides where it has them.

    Examples
    --------
    >>> tensor = TensorDesc(np.float32, [2])
    >>> desc_json(ActivationEluOperatorDesc(tensor, tensor, alpha=0.5))["Alpha"]
    0.5
    """
    fields = fields_of(desc.operator_name)
    types = (getattr(desc, name) for name, facts in fields if facts.type == "TENSOR_DATA_TYPE")
    scalar_type = next(types, None)
    found = {}
    for name, facts in fields:
        value = getattr(desc, name)
        if value is not None and facts.count_field != name:
            found[camel_case(name)] = _field_json(value, facts, scalar_type)
    return found


def _field_json(value: Any, facts: FieldFacts, scalar_type: TensorDataType | None) -> Any:
    if isinstance(value, TensorDesc):
        strides = {} if value.strides is None else {"Strides": list(value.strides)}
        return {"DataType": value.data_type.name, "Sizes": list(value.sizes)} | strides
    if isinstance(value, list | tuple) and facts.array:
        return [_field_json(each, facts, scalar_type) for each in value]
    if facts.type in _MEMBERS:
        return dict(zip(_MEMBERS[facts.type], value, strict=True))
    if isinstance(value, ScalarUnion) and scalar_type is not None:
        return _scalar_json(value, scalar_type)
    if isinstance(value, FusedActivation):
        name = value.activation.name
        numbers = zip(number_fields(name), (value.param_1, value.param_2), strict=False)
        return {"Type": name} | {camel_case(field): number for field, number in numbers}
    if isinstance(value, TensorDataType | IntEnum):
        return value.name
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    return value


def _scalar_json(value: ScalarUnion, data_type: TensorDataType) -> dict[str, Any]:
    bits, member = value.bits(data_type), str(data_type.union_member)
    if data_type is TensorDataType.FLOAT16:
        return {member: bits}
    number = np.array(bits, f"u{data_type.item_bytes}").view(data_type.dtype)[()].item()
    return {member: number if math.isfinite(number) else str(number)}


def file_names(names: Iterable[str]) -> dict[str, str]:
    """Return a name for a file, without suffix, for each name: readable, and all different.

    Examples
    --------
    >>> file_names(["/conv/Relu:0", "x", "X"])
    {'/conv/Relu:0': '_conv_Relu_0', 'x': 'x', 'X': 'X-2'}
    """
    found: dict[str, str] = {}
    taken: set[str] = set()
    for name in names:
        plain = first = _OTHERS.sub("_", name)[:_LONGEST_NAME] or "_"
        number = 1
        while plain.lower() in taken:  # there are file systems that fold letter case
            number += 1
            plain = f"{first}-{number}"
        taken.add(plain.lower())
        found[name] = plain
    return found


def write_model(graph: SerializedGraph, inputs: Mapping[str, Any], folder: Path) -> Path:
    """Write a graph and its inputs as a dispatch model that `indirectml run` runs.

    Parameters
    ----------
    graph : SerializedGraph
        What is run.
    inputs : dict
        From names of inputs to arrays.
    folder : path
        It is made if there is none. "model.json" comes there, and data beside it; running the model
        writes each output to its .npy file.

    Returns
    -------
    path
        Of the model.

    Raises
    ------
    DirectMLError
        An array does not fit.
    OSError
        The folder cannot be written.
    """
    folder.mkdir(parents=True, exist_ok=True)
    tensors = graph.inputs
    nodes = graph.operators
    values = [*tensors, *graph.constants]
    values += [name for node in nodes for name in node.output_names if name]
    names = file_names(dict.fromkeys(values))
    resources: dict[str, Any] = {}
    for name, tensor in tensors.items():
        raw = bytes_of(tensor, inputs[name])
        resources[names[name]] = _given(folder, names[name], tensor.data_type, raw)
    for name, data in graph.constants.items():
        raw = np.frombuffer(data, np.uint8)
        resources[names[name]] = _given(folder, names[name], TensorDataType.UINT8, raw)
    for node in nodes:
        for name, made in zip(node.output_names, node.outputs, strict=True):
            if made is not None:
                resources[names[name]] = _empty(made)
    keys = [f"{number}-{node.operator_name}" for number, node in enumerate(nodes)]
    model = {
        "resources": resources,
        "dispatchables": {
            key: {"type": OPERATOR_PREFIX + node.operator_name, "desc": desc_json(node.desc)}
            for key, node in zip(keys, nodes, strict=True)
        },
        "commands": [
            *(
                {"type": "dispatch", "dispatchable": key, "bindings": _bindings(node, names)}
                for key, node in zip(keys, nodes, strict=True)
            ),
            *(_written(names[name], tensor) for name, tensor in graph.outputs.items()),
        ],
    }
    path = folder / "model.json"
    path.write_text(json.dumps(model, indent=1) + "\n", encoding="utf-8")
    return path


def _given(folder: Path, name: str, data_type: TensorDataType, raw: Any) -> dict[str, Any]:
    """Write the bytes of a resource to a file; returns the resource."""
    if data_type.bits < 8:  # noqa: PLR2004 (a byte); no file has halves of bytes
        data_type = TensorDataType.UINT8
    (folder / f"{name}.bin").write_bytes(np.asarray(raw).tobytes())
    return {
        "initialValuesDataType": data_type.name,
        "initialValues": {"sourcePath": f"{name}.bin"},
    }


def _empty(tensor: TensorDesc) -> dict[str, Any]:
    data_type = tensor.data_type
    if data_type.bits < 8 or tensor.total_tensor_size_in_bytes % data_type.item_bytes:  # noqa: PLR2004
        data_type = TensorDataType.UINT8
    count = tensor.total_tensor_size_in_bytes // data_type.item_bytes
    return {
        "initialValuesDataType": data_type.name,
        "initialValues": {"valueCount": count, "value": 0},
    }


def _written(name: str, tensor: TensorDesc) -> dict[str, Any]:
    command = {"type": "writeFile", "resource": name, "targetPath": f"{name}.npy"}
    count = tensor.element_count * tensor.data_type.item_bytes
    is_whole = tensor.strides is None and count == tensor.total_tensor_size_in_bytes
    return command | ({"dimensions": list(tensor.sizes)} if is_whole else {})


def _bindings(node: SerializedOperator, names: Mapping[str, str]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for kind, given in (("input_tensor", node.input_names), ("output_tensor", node.output_names)):
        rest = [names[name] if name else None for name in given]
        for field, facts in fields_of(node.operator_name):
            if facts.kind != kind:
                continue
            if facts.array:
                found[camel_case(field)], rest = rest, []
            elif (bound := rest.pop(0)) is not None:
                found[camel_case(field)] = bound
    return found
