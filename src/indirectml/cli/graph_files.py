"""Models in files, as every command takes them: text, serialized graphs and ONNX models."""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from indirectml.cli.arrays import read_npy
from indirectml.cli.common import STANDARD, nearest_file
from indirectml.cli.model_files import read_bytes
from indirectml.cli.model_options import reading_of_onnx
from indirectml.core.errors import DirectMLError, ModelError, SettingError
from indirectml.core.nearest_names import suggestion
from indirectml.core.tensors import TensorDesc
from indirectml.onnx_import.graph import OnnxGraph
from indirectml.onnx_import.inputs import OpenSizeError
from indirectml.onnx_import.model import OnnxModelError, input_names, read_onnx_graph
from indirectml.runtime import Device
from indirectml.serialized.graph import SerializedGraph, read_serialized_graph

#: How the files of serialized graphs and of ONNX models end.
SUFFIX, ONNX_SUFFIX = ".bin", ".onnx"

#: So many bytes tell what a file without a name is.
_BEGINNING = 256


def is_graph(path: Path) -> bool:
    """Return whether a file is a serialized graph, or an ONNX model, by its name."""
    return path.suffix.lower() in {SUFFIX, ONNX_SUFFIX}


@contextmanager
def opened_model(
    path: Path, limit: int, hint: str | None = None
) -> Iterator[tuple[Path, bytes | None]]:
    """Give a model: the path of a graph in a file, or the bytes of a text.

    Standard input may be any of them, and its first bytes tell which: a graph becomes a file for as
    long as it is used.

    Parameters
    ----------
    limit : int
        How many bytes a text, and standard input, have at most; `hint` says what raises it.

    Raises
    ------
    OSError
        It cannot be read, or has more bytes.
    """
    if is_graph(path):
        yield path, None
        return
    try:
        raw = read_bytes(path, limit, hint)
    except FileNotFoundError as error:
        _add_hint(error, path)
        raise
    suffix = _graph_suffix(raw) if path == STANDARD else None
    if suffix is None:
        yield path, raw
        return
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder, f"standard-input{suffix}")
        copy.write_bytes(raw)
        del raw
        try:
            yield copy, None
        except DirectMLError as error:  # nobody knows this folder
            for part in ("required", "given", "hint", "field"):
                text = getattr(error, part)
                setattr(error, part, text and text.replace(f"{folder}/", ""))
            raise


def _graph_suffix(raw: bytes) -> str | None:
    """Return how the name of a file would end that has these bytes; None for a text.

    A serialized graph begins with the offset of its root table, which is small and a multiple of 4;
    an ONNX model with a number and a name, before or behind which are bytes that no text has.
    """
    root = int.from_bytes(raw[:4], "little")
    if 0 < root < 1 << 16 and root % 4 == 0 and len(raw) > root:
        return SUFFIX
    controls = set(raw[:_BEGINNING]) & set(range(32)) - set(b"\t\n\f\r\0")
    return ONNX_SUFFIX if controls else None


def _add_hint(error: FileNotFoundError, path: Path) -> None:
    hint = nearest_file(path) if error.filename == str(path) else None
    if hint is not None:
        error.strerror = f"{error.strerror}; {hint}"


# ---- graphs ----


def check_graph(path: Path, device: Device, options: argparse.Namespace) -> SerializedGraph:
    """Return a graph that a device takes.

    Raises
    ------
    ModelError
        It does not, or the file is no graph.
    SettingError
        An option names what the graph does not have.
    """
    try:
        graph = read_graph(path, options, device)
        graph.compile(device)
    except (OnnxModelError, SettingError):
        raise
    except DirectMLError as error:
        raise ModelError(
            error.required, given=error.given, hint=error.hint, field=error.field
        ) from None
    return graph


def read_graph(
    path: Path,
    options: argparse.Namespace | None = None,
    device: Device | None = None,
    open_size: int | None = None,
) -> SerializedGraph:
    """Return the graph in a file, or what an ONNX model becomes.

    Parameters
    ----------
    options : Namespace, optional
        With the sizes that an ONNX model leaves open, and what becomes of quantized ones.
    open_size : int, optional
        Of every dimension that is still open then.

    Raises
    ------
    DirectMLError, OSError
        The file is neither, or cannot be read.
    """
    reading = reading_of_onnx(options or argparse.Namespace())
    sizes, dimensions = reading["input_sizes"], reading["dimensions"]
    try:
        if path.suffix.lower() != ONNX_SUFFIX:
            _check_names("--input-sizes", sizes, ())
            _check_names("--dimension", dimensions, ())
            if reading["constants"]:
                raise SettingError("goes with an ONNX model", given=f"{path}", field="--constant")
            if getattr(options, "quantized", None) is not None:
                raise SettingError("goes with an ONNX model", given=f"{path}", field="--quantized")
            return read_serialized_graph(path)
        if sizes or dimensions or reading["constants"]:
            inputs, open_names = input_names(path)
            _check_names("--constant", reading["constants"], inputs)
            _check_names("--input-sizes", sizes, inputs)
            _check_names("--dimension", dimensions, open_names)
        fixed: dict[str, Any] = {
            "sizes": sizes,
            "dimensions": dimensions,
            "constants": reading["constants"],
            "quantized": reading["quantized"],
            "memory_limit": getattr(options, "memory_limit", None),
        }
        while True:
            try:
                return read_onnx_graph(path, device, **fixed)
            except OpenSizeError as error:
                name = error.input_name
                found = None if name in sizes else _sizes_of_array(name, options)
                if found is not None:
                    sizes[name] = found
                    continue
                if open_size is None:
                    error.hint = f"give --input-sizes {name}:N,N,..."
                    raise
            return read_onnx_graph(path, device, **fixed, open_size=open_size)
    except FileNotFoundError as error:
        _add_hint(error, path)
        raise


def _check_names(field: str, names: Iterable[str], known: Iterable[str]) -> None:
    for name in names:
        if name not in known:
            listed = ", ".join(sorted(known)) or "none"
            kind = "open dimensions" if field == "--dimension" else "inputs"
            raise SettingError(
                f"needs names of {kind} of the model, which are {listed}",
                given=repr(name),
                hint=suggestion(name, known),
                field=field,
            )


def _sizes_of_array(name: str, options: argparse.Namespace | None) -> list[int] | None:
    """Return the sizes of the array that is given for an input, if a .npy file is."""
    for pair in getattr(options, "input", ()):
        file = Path(pair[len(name) + 1 :])
        if pair.startswith(f"{name}=") and file.suffix.lower() == ".npy":
            return list(read_npy(file).shape)
    return None


def first_refusal(error: DirectMLError, path: Path) -> DirectMLError:
    """Return the error for a model whose nodes cannot all be said, with the first of them."""
    if not isinstance(error, OnnxModelError):
        return error
    more = len(error.refusals) - 1
    text = f"{error.refusals[0]}"
    if more:
        text += f" (and {more} more: indirectml validate {path})"
    return ModelError(text, hint=asked_options(error), field=str(path))


def asked_options(error: OnnxModelError) -> str | None:
    """Return the options that make inputs known which have to be; None if there are none."""
    if not error.asked:
        return None
    return f"as an option: {' '.join(f'--constant {name}=VALUE' for name in error.asked)}"


# ---- words ----


def kind_of(graph: SerializedGraph) -> str:
    """Return what a graph in a file is."""
    return "ONNX model" if isinstance(graph, OnnxGraph) else "serialized graph"


def tensor_text(tensor: TensorDesc) -> str:
    """Return data type, sizes, strides and bytes of a tensor."""
    strides = "" if tensor.strides is None else f" strides {tensor.strides}"
    size = tensor.total_tensor_size_in_bytes
    return f"{tensor.data_type.name} {tensor.sizes}{strides}, {size} bytes"


def counted(count: int, noun: str) -> str:
    """Return a number of something.

    Examples
    --------
    >>> counted(1, "node"), counted(2, "node")
    ('1 node', '2 nodes')
    """
    return f"{count} {noun}{'' if count == 1 else 's'}"
