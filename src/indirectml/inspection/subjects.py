"""Models whose every tensor can be asked for: ONNX models, graphs with names, and folders of dumps.

A tensor is a value that has a name: what a node of the model's graph makes.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from indirectml.core.errors import FileFormatError, ModelError, label, shown
from indirectml.core.settings import Settings, configure
from indirectml.core.tensor_buffers import elements_of
from indirectml.core.tensors import TensorDesc
from indirectml.models.made_up import made_up
from indirectml.models.writing import file_names, write_model
from indirectml.onnx_import.budget import DEFAULT_MEMORY_LIMIT, Budget
from indirectml.onnx_import.inputs import OnnxTensor
from indirectml.onnx_import.model import OnnxModel, load_onnx, load_onnx_values
from indirectml.onnx_import.package import onnx_package
from indirectml.onnx_import.reading import read_model, read_tensor
from indirectml.onnx_import.values import Array, as_stored, sizes_of, stored_dtype
from indirectml.runtime import Device
from indirectml.serialized.graph import SerializedGraph
from indirectml.serialized.nodes import SerializedConstant, SerializedOperator

#: From names to arrays.
Arrays = Mapping[str, Array]


@dataclass(frozen=True)
class SourceNode:
    """A node of a model, as its author knows it.

    Attributes
    ----------
    name : str
        "nodes[3]" where it has none.
    operator : str
        ONNX's or DirectML's.
    inputs, outputs : tuple of str
        The names of its tensors, without those that are left out.
    """

    name: str
    operator: str
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]

    def __str__(self) -> str:
        return f"{self.name} ({self.operator})"


class Side(Protocol):
    """What gives tensors by name."""

    @property
    def title(self) -> str:
        """What it is called in a sentence."""

    def values(self, inputs: Arrays) -> dict[str, Array]:
        """Return all tensors that it gives for the inputs of a model."""


class Subject(Side, Protocol):
    """A model that is run here, node by node if need be."""

    @property
    def inputs(self) -> dict[str, OnnxTensor]:
        """Its inputs."""

    @property
    def nodes(self) -> Sequence[SourceNode]:
        """Its nodes, each behind those that feed it."""

    def alone(self, node: SourceNode, arrays: Arrays) -> NodeAlone:
        """Return a node on given tensors."""


@dataclass(frozen=True)
class NodeAlone:
    """One node, and what it reads.

    Attributes
    ----------
    values : dict
        What it makes of that.
    graph : SerializedGraph
        Its operators.
    arrays : dict
        The inputs of `graph`, as it takes them.
    """

    values: dict[str, Array]
    graph: SerializedGraph
    arrays: dict[str, Array]

    def save(self, folder: Path, expected: Arrays) -> Path:
        """Write it as a dispatch model, with what is expected of it beside; returns the model."""
        path = write_model(self.graph, self.arrays, folder)
        names = file_names(dict.fromkeys([*self.graph.outputs, *expected]))
        for name, array in expected.items():
            np.save(folder / f"{names[name]}.expected.npy", array)
        return path


# ---- ONNX models ----


class OnnxSubject:
    """An ONNX model, with all values of its graph.

    Parameters
    ----------
    source : path, bytes or onnx.ModelProto
        The model.
    device : Device, optional
        What runs it.
    **fixed
        As for `load_onnx`, whose errors this raises.
    """

    def __init__(self, source: Any, device: Device | None = None, **fixed: Any) -> None:
        self.source = source
        self._device = device
        self.proto, self._folder, self._name = read_model(source)
        self._loaded: OnnxModel = load_onnx_values(source, device, **fixed)
        #: What inputs are once and for all, which others have to be given.
        self.constants: Arrays = dict(fixed.get("constants") or {})

    @property
    def title(self) -> str:
        """The name of its file."""
        return label(self._name)

    @property
    def folder(self) -> Path | None:
        """Where the files of its weights lie; None of what is in memory."""
        return Path(self.source).parent if isinstance(self.source, str | os.PathLike) else None

    @property
    def inputs(self) -> dict[str, OnnxTensor]:
        """Its inputs."""
        return self._loaded.inputs

    @property
    def names(self) -> list[str]:
        """The names of all tensors."""
        return list(self._loaded.outputs)

    @property
    def nodes(self) -> list[SourceNode]:
        """Its nodes, as far as outputs need them."""
        made = {name: node for node in self.proto.graph.node for name in node.output if name}
        numbers = {id(node): number for number, node in enumerate(self.proto.graph.node)}
        found: dict[int, SourceNode] = {}
        for name in self._loaded.outputs:
            node = made[name]
            number = numbers[id(node)]
            found.setdefault(
                number,
                SourceNode(
                    node.name or f"nodes[{number}]",
                    f"{node.domain}.{node.op_type}" if node.domain else node.op_type,
                    tuple(dict.fromkeys(_read_by(node))),
                    tuple(each for each in node.output if each in self._loaded.outputs),
                ),
            )
        return list(found.values())

    def values(self, inputs: Arrays) -> dict[str, Array]:
        """Return all tensors."""
        return dict(zip(self._loaded.outputs, self._loaded(dict(inputs)), strict=True))

    def alone(self, node: SourceNode, arrays: Arrays) -> NodeAlone:
        """Return a node on given tensors."""
        proto, read = self._model_of(node, arrays)
        model = load_onnx(proto, self._device)
        values = dict(zip(model.outputs, model(read), strict=True))
        stored = {
            name: as_stored(np.ascontiguousarray(each)).reshape(sizes_of(each.shape))
            for name, each in read.items()
        }
        return NodeAlone(values, model.serialized(), stored)

    def _model_of(self, node: SourceNode, arrays: Arrays) -> tuple[Any, dict[str, Array]]:
        """Return a model of one node, and its inputs: what is not known while loading."""
        onnx = onnx_package()
        graph = self.proto.graph
        known = self._loaded.known_values
        initializers = {each.name: each for each in graph.initializer}
        found = onnx.ModelProto()
        found.CopyFrom(self.proto)
        found.graph.Clear()
        found.graph.name = "node"
        (its,) = [
            each for each in graph.node if tuple(each.output)[:1] and node.outputs[0] in each.output
        ]
        found.graph.node.add().CopyFrom(its)
        read: dict[str, Array] = {}
        for name in node.inputs:
            if name in initializers:
                self._add_initializer(found.graph, initializers[name])
            elif name in known:
                found.graph.initializer.append(onnx.numpy_helper.from_array(known[name], name))
            elif name in arrays:
                read[name] = array = arrays[name]
                kind = onnx.helper.np_dtype_to_tensor_dtype(array.dtype)
                info = onnx.helper.make_tensor_value_info(name, kind, array.shape)
                found.graph.input.append(info)
            else:
                raise ModelError(f"needs {shown(name)}", field=str(node))
        for name in node.outputs:
            found.graph.output.add().name = name
        return found, read

    def _add_initializer(self, graph: Any, tensor: Any) -> None:
        onnx = onnx_package()
        if tensor.data_location == onnx.TensorProto.EXTERNAL:
            array = read_tensor(tensor, self._folder, Budget(DEFAULT_MEMORY_LIMIT))
            tensor = onnx.numpy_helper.from_array(array, tensor.name)
        graph.initializer.add().CopyFrom(tensor)


def _read_by(node: Any) -> Iterator[str]:
    """Yield the names that a node reads, those that its branches and bodies read included."""
    yield from (name for name in node.input if name)
    for attribute in node.attribute:
        for graph in (*([attribute.g] if attribute.HasField("g") else []), *attribute.graphs):
            own = {each.name for each in (*graph.input, *graph.initializer)}
            own |= {name for inner in graph.node for name in inner.output}
            for inner in graph.node:
                yield from (name for name in _read_by(inner) if name not in own)


# ---- graphs with names ----


class GraphSubject:
    """A serialized graph, with all values of its operators.

    Parameters
    ----------
    graph : SerializedGraph
        Whose values have names.
    title : str
        What it is called.
    device : Device, optional
        What runs it.
    """

    def __init__(self, graph: SerializedGraph, title: str, device: Device | None = None) -> None:
        self.title = title
        self.graph = graph
        self._device = device or Device()
        self._names = tuple(name for node in graph.operators for name in node.output_names if name)
        whole = SerializedGraph(graph.nodes, graph.input_names, self._names)
        self._compiled = whole.compile(self._device)

    @property
    def inputs(self) -> dict[str, OnnxTensor]:
        """Its inputs."""
        return {name: _described(name, tensor) for name, tensor in self.graph.inputs.items()}

    @property
    def nodes(self) -> list[SourceNode]:
        """Its operators."""
        return [
            SourceNode(
                node.name or f"nodes[{number}]",
                node.operator_name,
                tuple(dict.fromkeys(name for name in node.input_names if name)),
                tuple(name for name in node.output_names if name),
            )
            for number, node in enumerate(self.graph.nodes)
            if isinstance(node, SerializedOperator)
        ]

    def values(self, inputs: Arrays) -> dict[str, Array]:
        """Return all tensors."""
        given: dict[Any, Any] = dict(inputs)
        return dict(zip(self._names, self._compiled(given), strict=True))

    def alone(self, node: SourceNode, arrays: Arrays) -> NodeAlone:
        """Return a node on given tensors."""
        (its,) = [n for n in self.graph.operators if node.outputs[0] in n.output_names]
        constants = [
            n
            for n in self.graph.nodes
            if isinstance(n, SerializedConstant) and n.output_name in node.inputs
        ]
        known = {n.output_name for n in constants}
        names = tuple(name for name in node.inputs if name not in known)
        graph = SerializedGraph((*constants, its), names, node.outputs)
        read = {name: arrays[name] for name in names}
        given: dict[Any, Any] = dict(read)
        values = graph.compile(self._device)(given)
        return NodeAlone(dict(zip(node.outputs, values, strict=True)), graph, read)


def _described(name: str, tensor: TensorDesc) -> OnnxTensor:
    raw = np.zeros(tensor.total_tensor_size_in_bytes, np.uint8)
    return OnnxTensor(name, elements_of(tensor, raw).dtype, tensor.sizes_tuple)


# ---- other sides ----


@dataclass(frozen=True)
class OnTarget:
    """A subject, run with another instruction set."""

    subject: Subject
    target: str

    @property
    def title(self) -> str:
        """The instruction set."""
        return self.target

    def values(self, inputs: Arrays) -> dict[str, Array]:
        """Return all tensors."""
        former = Settings.policy.target
        with configure(target=self.target):
            found = self.subject.values(inputs)
        assert Settings.policy.target == former  # noqa: S101 (the block puts it back)
        return found


@dataclass(frozen=True)
class Dumps:
    """A folder of .npy files, each called as its tensor, or as `save_dumps` calls it."""

    folder: Path
    names: tuple[str, ...]

    @property
    def title(self) -> str:
        """The folder."""
        return str(self.folder)

    def values(self, inputs: Arrays) -> dict[str, Array]:  # noqa: ARG002 (they are what they are)
        """Return the tensors that there are files for.

        Raises
        ------
        FileFormatError
            A file is no array.
        """
        files = {path.stem: path for path in self.folder.glob("*.npy")}
        called = file_names(self.names)
        found: dict[str, Array] = {}
        for name in self.names:
            path = files.get(name) or files.get(called[name])
            if path is not None:
                try:
                    found[name] = np.load(path, allow_pickle=False)
                except ValueError as error:
                    raise FileFormatError("needs an array", field=str(path)) from error
        return found


def save_dumps(values: Arrays, folder: Path) -> None:
    """Write tensors to a folder that `Dumps` reads, a file for each."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, called in file_names(values).items():
        np.save(folder / f"{called}.npy", values[name])


def made_up_inputs(subject: Subject, seed: int, given: Arrays | None = None) -> dict[str, Array]:
    """Return arrays for all inputs of a model: those that are given, and random numbers."""
    found: dict[str, Array] = dict(given or {})
    for name, tensor in subject.inputs.items():
        if name not in found:
            stored = stored_dtype(tensor.dtype)
            desc = TensorDesc(stored, sizes_of(tensor.sizes))
            array = elements_of(desc, made_up(name, desc, seed)).reshape(tensor.sizes)
            found[name] = array if stored == tensor.dtype else array.astype(tensor.dtype)
    return found
