"""From the file of a serialized graph to its nodes: names, tensors and fields are checked."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from indirectml.core.data_types import data_type_from_name
from indirectml.core.errors import DirectMLError, FileFormatError, refusing, shown
from indirectml.core.tensors import TensorDesc
from indirectml.serialized.fields import fields_of, known_operator, read_attributes
from indirectml.serialized.flatbuffer import Table, read_flatbuffer
from indirectml.serialized.nodes import (
    Node,
    SerializedConstant,
    SerializedOperator,
    Tensor,
    mistakes_of,
    tensor_counts,
)
from indirectml.serialized.weights import Weights, mapped_file


@dataclass(frozen=True)
class Contents:
    """What the file of a graph holds."""

    nodes: tuple[Node, ...]
    input_names: tuple[str, ...]
    output_names: tuple[str, ...]


def read_contents(path: Path) -> Contents:
    """Return what the file of a graph holds; its constants are mapped, not read.

    Raises
    ------
    FileFormatError
        It is no serialized graph, or breaks a rule of the format; with the place in it.
    OSError
        It cannot be opened.
    """
    try:
        with refusing("needs a serialized graph that can be read", FileFormatError):
            return contents_of(mapped_file(path), Weights(path.parent))
    except FileFormatError as error:
        raise error.within(str(path)) from None


def contents_of(data: memoryview, weights: Weights) -> Contents:
    """Return what the bytes of a graph's file hold.

    Raises
    ------
    FileFormatError
        As `read_contents`.
    """
    root = read_flatbuffer(data)
    nodes: list[Node] = []
    input_names = _graph_names(root, "graphInputNames")
    output_names = _graph_names(root, "graphOutputNames")
    known = {name for name in input_names if name}
    for number, table in enumerate(root["nodes"] or ()):
        place = f"nodes[{number}]"
        if table["name"]:
            place += f" ({shown(table['name'])})"
        try:
            node = _node(table, weights)
            _connect(node, known)
        except DirectMLError as error:
            if not isinstance(error, FileFormatError):
                error = FileFormatError(
                    error.required, given=error.given, hint=error.hint, field=error.field
                )
            raise error.within(place) from None
        nodes.append(node)
    made = {name for node in nodes for name in node.output_names if name}
    for index, name in enumerate(output_names):
        if name not in made:
            raise FileFormatError(
                "needs the name of a node's output",
                given=shown(name),
                field=f"graphOutputNames[{index}]",
            )
    return Contents(tuple(nodes), input_names, output_names)


def _graph_names(root: Table, field: str) -> tuple[str, ...]:
    names = tuple(root[field] or ())
    seen: set[str] = set()
    for index, name in enumerate(names):
        if name and name in seen:
            raise FileFormatError(
                "needs a name of its own", given=shown(name), field=f"{field}[{index}]"
            )
        seen.add(name)
    return names


def _node(table: Table, weights: Weights) -> Node:
    desc = table["desc"]
    if desc is None or desc[1] is None:
        raise FileFormatError("needs an operator or a constant", given="neither", field="desc")
    kind, content = desc
    name = table["name"] or ""
    input_names, output_names = table["inputNames"] or [], table["outputNames"] or []
    if kind == "OperatorNodeDesc":
        return _operator(name, content, input_names, output_names)
    if input_names or len(output_names) != 1 or not output_names[0]:
        given = f"{len(input_names)} and {len(output_names)}"
        raise FileFormatError("a constant has no inputs and one output with a name", given=given)
    return _constant(name, content["data"], output_names[0], weights)


def _constant(
    name: str, data: tuple[str, Any] | None, output_name: str, weights: Weights
) -> SerializedConstant:
    if data is None or data[1] is None:
        raise FileFormatError("needs bytes, or the name of a file that has them", given="neither")
    kind, content = data
    if kind == "ConstantName":
        weight_name = content["name"] or ""
        return SerializedConstant(name, output_name, weights[weight_name], weight_name)
    raw = content["data"]
    if not raw:
        raise FileFormatError("needs at least one byte", given="none", field="data")
    return SerializedConstant(name, output_name, raw)


def _operator(
    name: str, content: Table, input_names: list[str], output_names: list[str]
) -> SerializedOperator:
    operator_name = known_operator(content["type"])
    try:
        inputs = _tensors(operator_name, "input_tensor", input_names, content["inputs"])
        outputs = _tensors(operator_name, "output_tensor", output_names, content["outputs"])
        counts = tensor_counts(operator_name, len(inputs), len(outputs))
        attributes = read_attributes(operator_name, content["attributes"] or [], counts)
    except DirectMLError as error:
        raise error.within(operator_name) from None
    node = SerializedOperator(
        name,
        operator_name,
        tuple(inputs),
        tuple(outputs),
        _padded(input_names, inputs),
        _padded(output_names, outputs),
        attributes,
    )
    mistake = mistakes_of(node)
    if mistake is not None:
        raise mistake
    return node


def _padded(names: list[str], tensors: list[Tensor]) -> tuple[str, ...]:
    return (*names, *[""] * (len(tensors) - len(names)))


def _tensors(
    operator_name: str, kind: str, names: list[str], tables: list[Table] | None
) -> list[Tensor]:
    """Return the tensors of one kind, one per name; those that are left out have no table."""
    field = "inputs" if kind == "input_tensor" else "outputs"
    tables = tables or []
    facts = fields_of(operator_name, kind)
    is_open = bool(facts) and facts[-1].array
    single = facts[:-1] if is_open else facts
    named = sum(map(bool, names))
    if named != len(tables) or (len(names) > len(facts) and not is_open):
        count = f"at most {len(facts)}" if not is_open else "any number of"
        raise FileFormatError(
            f"needs {count} names, and a tensor for each that is not empty",
            given=f"{len(names)} names, {named} of them not empty, and {len(tables)} tensors",
            field=field,
        )
    found: list[Tensor] = []
    waiting = iter(enumerate(tables))
    for index in range(max(len(names), len(single))):
        if index < len(names) and names[index]:
            number, table = next(waiting)
            found.append(_tensor(table, f"{field}[{number}]"))
        elif index < len(single) and single[index].optional:
            found.append(None)
        else:
            required = single[index].name if index < len(single) else facts[-1].name
            raise FileFormatError("is required", given="an empty name", field=required)
    return found


def _tensor(table: Table, place: str) -> TensorDesc:
    try:
        if table["dataType"] is None or table["sizes"] is None:
            raise FileFormatError("needs a data type and sizes", given="one of them missing")
        return TensorDesc(
            data_type_from_name(table["dataType"]),
            table["sizes"],
            strides=table["strides"],
            total_tensor_size_in_bytes=table["totalTensorSizeInBytes"],
        )
    except DirectMLError as error:
        raise error.within(place) from None


def _connect(node: Node, known: set[str]) -> None:
    """Check that a node reads what is known by now, and add what it writes."""
    if isinstance(node, SerializedOperator):
        for index, name in enumerate(node.input_names):
            if name and name not in known:
                raise FileFormatError(
                    "needs the name of an input of the graph, or of an output of an earlier node",
                    given=shown(name),
                    field=f"inputNames[{index}]",
                )
    for index, name in enumerate(_named(node.output_names)):
        if name in known:
            raise FileFormatError(
                "needs a name of its own", given=shown(name), field=f"outputNames[{index}]"
            )
        known.add(name)


def _named(names: Iterable[str]) -> list[str]:
    return [name for name in names if name]
