"""From ONNX nodes to a model: names, protocol buffers, checks, files. What needs `onnx` is here."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

import indirectml
from indirectml.core.errors import DirectMLError, OnnxExportError, SettingError
from indirectml.fills.array_files import replaced_file, write_all
from indirectml.onnx_export.building import (
    Array,
    DType,
    OnnxFunction,
    OnnxNode,
    Value,
    needed_nodes,
)
from indirectml.onnx_export.exporting import DEFAULT_OPSET, Written
from indirectml.onnx_import.own_domain import DOMAIN, VERSION
from indirectml.onnx_import.package import onnx_package

#: Protocol buffers end at 2 GiB; models with more bytes of constants have them in a file beside.
LARGEST_MODEL_BYTES = (1 << 31) - (1 << 24)

#: Constants of fewer bytes stay in the model: sizes and axes are read while it is checked.
_SMALL_BYTES = 1 << 12

#: Constants of more bytes are no part of what is checked; their sizes and data types are.
_CHECKED_BYTES = 1 << 20

#: In the file beside a model each constant begins at a multiple of these bytes.
_ALIGNMENT = 64


def checked_opset(opset: int | None) -> int | None:
    """Return an opset that models can be written for.

    Raises
    ------
    SettingError
        It is below 18, or above what the installed library knows.
    """
    if opset is None:
        return None
    last = onnx_package("defs").onnx_opset_version()
    if isinstance(opset, bool) or opset not in range(DEFAULT_OPSET, last + 1):
        raise SettingError(
            f"needs an opset from {DEFAULT_OPSET} to {last}, the last that the installed onnx "
            f"{onnx_package().__version__} knows",
            given=f"{opset}",
            field="opset",
        )
    return opset


def model_of(written: Written, path: Path | None) -> Any:
    """Return the model of a graph, checked, and write it if there is a path.

    Raises
    ------
    OnnxExportError
        Its constants have 2 GiB or more, and there is no path to write them beside.
    OSError
        The folder cannot be written; a former model stays.
    """
    onnx = onnx_package()
    last = onnx.defs.onnx_opset_version()
    if written.opset > last:
        raise OnnxExportError(
            f"needs opset {written.opset}, and the installed onnx {onnx.__version__} ends at "
            f"{last}",
            hint="pip install --upgrade onnx",
        )
    model = _Model(onnx, written)
    total = sum(array.nbytes for array in model.constants.values())
    if total <= LARGEST_MODEL_BYTES:
        proto = model.proto(model.constants)
        _check(onnx, proto if total <= _CHECKED_BYTES else model.skeleton())
        if path is not None:
            with replaced_file(path) as file:
                write_all(file, proto.SerializeToString(deterministic=True))
        return proto
    if path is None:
        raise OnnxExportError(
            f"needs a path: a model in one piece has at most {LARGEST_MODEL_BYTES} bytes of "
            "constants, and more lie in a file beside it",
            given=f"{total}",
        )
    _check(onnx, model.skeleton())
    return _write_with_data(model, path)


def _check(onnx: Any, proto: Any) -> None:
    """Check a model as fully as the library can: every type and size that it infers."""
    onnx.checker.check_model(proto, full_check=True)


def _write_with_data(model: _Model, path: Path) -> Any:
    """Write a model, and its large constants to a file beside it."""
    data_path = path.with_name(f"{path.name}.data")
    places: dict[Value, tuple[str, int, int]] = {}
    # Both are on the disk before either gets its name, the data first.
    with replaced_file(path) as file, replaced_file(data_path) as data:
        end = 0
        for value, array in model.constants.items():
            if array.nbytes < _SMALL_BYTES:
                continue
            start = -(-end // _ALIGNMENT) * _ALIGNMENT
            raw = _raw(model.onnx, array)
            write_all(data, bytes(start - end))
            write_all(data, raw)
            end = start + len(raw)
            places[value] = data_path.name, start, len(raw)
        proto = model.proto(model.constants, places)
        write_all(file, proto.SerializeToString(deterministic=True))
    return proto


class _Model:
    """A model whose values have names, and whose nodes are those that the outputs need."""

    def __init__(self, onnx: Any, written: Written) -> None:
        self.onnx = onnx
        self._written = written
        self._inputs = dict(written.inputs)
        self._outputs: dict[str, Value] = {}
        self._nodes = needed_nodes(written.builder.nodes, written.outputs.values())
        self._name_values()
        read = {v for node in self._nodes for v in node.inputs}
        self.constants = {v: a for v, a in written.builder.constants.items() if v in read}

    def _name_values(self) -> None:
        taken = dict.fromkeys([*self._inputs, *self._written.outputs], 0)
        for name, value in self._inputs.items():
            value.name = name
        made = {v for node in self._nodes for v in node.outputs}
        for name, value in self._written.outputs.items():
            if value.name or value not in made:
                # An input, a constant, or an output under another name.
                copy = Value(value.dtype, value.sizes, name)
                self._nodes.append(OnnxNode("Identity", (value,), (copy,), {}, name))
                self._outputs[name] = copy
            else:
                value.name = name
                self._outputs[name] = value
        for node in self._nodes:
            for each in (*node.outputs, *node.inputs):
                if each is not None and not each.name:
                    wanted = self._written.names.get(each) or _with_operator(node)
                    each.name = _unique(wanted, taken)

    def proto(
        self,
        constants: dict[Value, Array],
        places: dict[Value, tuple[str, int, int]] | None = None,
    ) -> Any:
        """Return the model; constants that are none of `constants` become inputs.

        Parameters
        ----------
        constants : dict
            What is written, by value.
        places : dict, optional
            File, first byte and number of bytes of constants that lie outside.
        """
        helper = self.onnx.helper
        names = _node_names(self._nodes)
        missing = [v for v in self.constants if v not in constants]
        outputs = self._outputs.values()
        outer = {*self._inputs.values(), *missing, *outputs}
        values = (v for node in self._nodes for v in node.outputs if v is not None)
        graph = helper.make_graph(
            [self._node(node, name) for node, name in zip(self._nodes, names, strict=True)],
            "IndirectML",
            [self._info(v) for v in (*self._inputs.values(), *missing)],
            [self._info(v) for v in outputs],
            value_info=[self._info(v) for v in values if v not in outer],
        )
        opset = helper.make_opsetid("", self._written.opset)
        functions = dict.fromkeys(node.function for node in self._nodes if node.function)
        own = [helper.make_opsetid(DOMAIN, VERSION)] if functions else []
        model = helper.make_model(
            graph,
            functions=[self._function(each, opset) for each in functions],
            opset_imports=[opset, *own],
            ir_version=helper.find_min_ir_version_for([opset]),
            producer_name="IndirectML",
            producer_version=indirectml.__version__,
        )
        # Into the model itself, since `helper` copies what it is given.
        for value, array in constants.items():
            self._fill(model.graph.initializer.add(), value, array, (places or {}).get(value))
        return model

    def skeleton(self) -> Any:
        """Return the model without the bytes of large constants, to be checked."""
        small = {v: a for v, a in self.constants.items() if a.nbytes < _SMALL_BYTES}
        return self.proto(small)

    def _node(self, node: OnnxNode, name: str) -> Any:
        attributes = {
            name: _type(self.onnx, value) if isinstance(value, np.dtype) else value
            for name, value in node.attributes.items()
        }
        return self.onnx.helper.make_node(
            node.operator,
            ["" if v is None else v.name for v in node.inputs],
            ["" if v is None else v.name for v in node.outputs],
            name=name,
            domain=DOMAIN if node.function else None,
            **attributes,
        )

    def _function(self, function: OnnxFunction, opset: Any) -> Any:
        """Return the function that calls of an operator name."""
        helper = self.onnx.helper
        taken: dict[str, int] = {}
        for value, name in function.inputs.items():
            value.name = _unique(name, taken)
        made = {v for node in function.nodes for v in node.outputs}
        read = {v for node in function.nodes for v in node.inputs}
        nodes = []
        for value, array in function.constants.items():
            if value in read or value in function.outputs:
                value.name = _unique("constant", taken)
                made.add(value)
                tensor = self.onnx.TensorProto()
                self._fill(tensor, value, array, None)
                tensor.ClearField("name")
                nodes.append(helper.make_node("Constant", [], [value.name], value=tensor))
        for number, node in enumerate(function.nodes):
            for each in node.outputs:
                if each is not None:
                    each.name = _unique(function.outputs.get(each, node.operator), taken)
            nodes.append(self._node(node, f"{node.operator}_{number}"))
        outputs = []
        for value, name in function.outputs.items():
            outputs.append(value.name)
            if value not in made:  # what is read is given
                outputs[-1] = _unique(name, taken)
                nodes.append(helper.make_node("Identity", [value.name], [outputs[-1]]))
        return helper.make_function(
            DOMAIN,
            function.name,
            [value.name for value in function.inputs],
            outputs,
            nodes,
            [opset],
            function.attributes,
            doc_string=function.text,
        )

    def _info(self, value: Value) -> Any:
        type_ = _type(self.onnx, value.dtype)
        return self.onnx.helper.make_tensor_value_info(value.name, type_, value.sizes)

    def _fill(
        self, tensor: Any, value: Value, array: Array, place: tuple[str, int, int] | None
    ) -> None:
        """Make a tensor of the model the one of a constant, whose bytes may lie outside."""
        tensor.name = value.name
        tensor.data_type = _type(self.onnx, value.dtype)
        tensor.dims.extend(value.sizes)
        if place is None:
            tensor.raw_data = bytes(_raw(self.onnx, array))
            return
        tensor.data_location = self.onnx.TensorProto.EXTERNAL
        for key, text in zip(("location", "offset", "length"), place, strict=True):
            tensor.external_data.add(key=key, value=str(text))


def _raw(onnx: Any, array: Array) -> Any:
    """Return the bytes of a constant as ONNX has them."""
    array = np.asarray(array, order="C")
    if array.dtype.kind in "fiub":
        return array.astype(array.dtype.newbyteorder("<"), copy=False).reshape(-1).view(np.uint8)
    return onnx.numpy_helper.from_array(array).raw_data


def _type(onnx: Any, dtype: DType) -> int:
    found: int = onnx.helper.np_dtype_to_tensor_dtype(dtype)
    return found


def _node_names(nodes: Sequence[OnnxNode]) -> list[str]:
    """Return names: those of the graph's nodes; of several of one, with their operators behind."""
    counts = Counter(node.place for node in nodes)
    taken = dict.fromkeys((place for place, count in counts.items() if count == 1), 0)
    return [
        node.place if counts[node.place] == 1 else _unique(_with_operator(node), taken)
        for node in nodes
    ]


def _with_operator(node: OnnxNode) -> str:
    """Return the name of a node with its operator behind, once: what came in may have it."""
    behind = f"/{node.operator}"
    return node.place if node.place.endswith(behind) else node.place + behind


def _unique(wanted: str, taken: dict[str, int]) -> str:
    """Return a name that is not taken: with a number behind it, if it must be."""
    name = wanted
    while name in taken:
        taken[wanted] += 1
        name = f"{wanted}_{taken[wanted]}"
    taken[name] = 0
    return name


def renamed(written_names: Iterable[str], names: Iterable[str] | None, kind: str) -> list[str]:
    """Return the names that inputs or outputs get.

    Raises
    ------
    DirectMLError
        There is another number of them, or one is no text, is empty, or stands twice.
    """
    own = list(written_names)
    if names is None:
        return own
    given = list(names)
    field = f"{kind}_names"
    if len(given) != len(own):
        needs = f"needs one name per {kind} of the graph, {len(own)}: {', '.join(own) or 'none'}"
        raise OnnxExportError(needs, given=f"{len(given)}", field=field)
    for name in given:
        if not isinstance(name, str) or not name or not _is_text(name):
            raise OnnxExportError(
                "needs names of at least one character, in Unicode", given=f"{name!r}", field=field
            )
    return given


def _is_text(name: str) -> bool:
    try:
        name.encode()
    except UnicodeEncodeError:  # half of a character
        return False
    return True


def check_different(names: Iterable[str]) -> None:
    """Check that inputs and outputs have names of their own.

    Raises
    ------
    DirectMLError
        A name stands twice.
    """
    seen: set[str] = set()
    for name in names:
        if name in seen:
            error: DirectMLError = OnnxExportError(
                "inputs and outputs need names of their own", given=f"{name!r} twice", field="GRAPH"
            )
            raise error
        seen.add(name)
