"""From the nodes of a graph to its file, and to the files of its constants beside it."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from indirectml.core.errors import DescriptorError, DirectMLError, shown
from indirectml.core.tensors import TensorDesc
from indirectml.fills.array_files import replaced_file
from indirectml.serialized.fields import OPERATOR_PREFIX, written_attributes
from indirectml.serialized.flatbuffer import Table, write_flatbuffer
from indirectml.serialized.nodes import (
    Node,
    SerializedConstant,
    SerializedOperator,
    Tensor,
    tensor_counts,
)
from indirectml.serialized.reading import Contents
from indirectml.serialized.weights import weight_file

_DATA_TYPE_PREFIX = "DML_TENSOR_DATA_TYPE_"

#: Constants of more bytes than these lie in files of their own.
LARGEST_INLINE_BYTES = 1 << 12

#: What offsets of 32 bits, of which Microsoft's library takes 31, reach.
_LARGEST_FILE_BYTES = (1 << 31) - 1


def write_contents(contents: Contents, path: Path) -> None:
    """Write a graph and its constants, completely or not at all.

    Raises
    ------
    DescriptorError
        Two constants, or the graph and one of them, have files of one name.
    OSError
        The folder cannot be written.
    """
    weights = _weight_names(contents.nodes, path)
    tables = [_node(node, weights.get(number)) for number, node in enumerate(contents.nodes)]
    raw = write_flatbuffer(
        {
            "nodes": tables,
            "graphInputNames": list(contents.input_names),
            "graphOutputNames": list(contents.output_names),
        }
    )
    if len(raw) > _LARGEST_FILE_BYTES:
        needs = f"needs a file of at most {_LARGEST_FILE_BYTES} bytes"
        raise DescriptorError(needs, given=f"{len(raw)}", field=str(path))
    written: set[str] = set()
    for number, name in weights.items():
        node = contents.nodes[number]
        if name not in written and isinstance(node, SerializedConstant):
            with replaced_file(path.parent / weight_file(name)) as file:
                _write_all(file, node.data)
            written.add(name)
    # The graph last: where it is, all that it names is too.
    with replaced_file(path) as file:
        _write_all(file, raw)


def _write_all(file: object, data: bytes | memoryview) -> None:
    rest = memoryview(data)
    while rest:
        rest = rest[file.write(rest) :]  # type: ignore[attr-defined]  # a raw file


def _weight_names(nodes: Iterable[Node], path: Path) -> dict[int, str]:
    """Return the names of constants that lie in files of their own, by the number of the node."""
    found: dict[int, str] = {}
    taken: dict[str, SerializedConstant | None] = {path.name.lower(): None}
    for number, node in enumerate(nodes):
        if not isinstance(node, SerializedConstant):
            continue
        name = node.weight_name
        if name is None:
            if len(node.data) <= LARGEST_INLINE_BYTES:
                continue
            name = f"{path.stem}-constant-{number}"
        file = weight_file(name).lower()
        other = taken.setdefault(file, node)
        if other is None or (other is not node and other.data != node.data):
            raise DescriptorError(
                "needs constants and the graph in files of different names",
                given=shown(weight_file(name)),
                hint="write the graph under another name" if other is None else None,
                field=f"nodes[{number}]",
            )
        found[number] = name
    return found


def _node(node: Node, weight_name: str | None) -> Table:
    if isinstance(node, SerializedConstant):
        detail: tuple[str, Table] = (
            ("ConstantRawData", {"data": node.data})
            if weight_name is None
            else ("ConstantName", {"name": weight_name})
        )
        return {
            "desc": ("ConstantNodeDesc", {"data": detail}),
            "name": node.name,
            "inputNames": [],
            "outputNames": [node.output_name],
        }
    try:
        desc = _operator(node)
    except DirectMLError as error:
        raise error.within(f"{node.name} ({node.operator_name})") from None
    return {
        "desc": ("OperatorNodeDesc", desc),
        "name": node.name,
        "inputNames": list(node.input_names),
        "outputNames": list(node.output_names),
    }


def _operator(node: SerializedOperator) -> Table:
    counts = tensor_counts(node.operator_name, len(node.inputs), len(node.outputs))
    return {
        "type": OPERATOR_PREFIX + node.operator_name,
        "inputs": _tensors(node.inputs),
        "outputs": _tensors(node.outputs),
        "attributes": written_attributes(node.operator_name, node.attributes, counts),
    }


def _tensors(tensors: Iterable[Tensor]) -> list[Table]:
    return [_tensor(tensor) for tensor in tensors if tensor is not None]


def _tensor(tensor: TensorDesc) -> Table:
    strides = tensor.strides
    return {
        "dataType": _DATA_TYPE_PREFIX + tensor.data_type.name,
        "sizes": tensor.sizes,
        "strides": strides,
        "totalTensorSizeInBytes": tensor.total_tensor_size_in_bytes,
    }
