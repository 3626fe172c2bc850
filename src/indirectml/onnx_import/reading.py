"""From files to models and arrays: what cannot be read is refused before anything is built."""

from __future__ import annotations

import functools
import importlib
import math
import os
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from indirectml.core.errors import DirectMLError, FileFormatError, ModelError, shown
from indirectml.core.mapped_memory import forget_pages
from indirectml.onnx_import.budget import Budget
from indirectml.onnx_import.package import onnx_package
from indirectml.onnx_import.values import Array, checked_shape
from indirectml.onnx_import.weights import Folder
from indirectml.onnx_import.wire import LEAST_MODEL, without_weights
from indirectml.serialized.weights import mapped_file

#: The oldest opset whose nodes are understood; before it, broadcasting was said otherwise.
OLDEST_OPSET = 7

#: That of tensors.
_TENSOR = 4

#: Messages of so many bytes are looked through as they are written in files.
_MOST_WRITTEN = 1024

#: Fields of nodes that few have, and older versions of ONNX do not know.
_RARE_FIELDS = ("overload", "metadata_props", "device_configurations")

#: The two names of ONNX's own domain.
_OWN_DOMAIN = {"", "ai.onnx"}


def domain_name(domain: str) -> str:
    """Return the one name of a domain that has two."""
    return "" if domain in _OWN_DOMAIN else domain


def read_model(
    source: Any, weights: dict[int, memoryview] | None = None
) -> tuple[Any, Folder | None, str]:
    """Return a model, the folder of the files beside it, and what it is called in messages.

    Parameters
    ----------
    source : path, bytes or onnx.ModelProto
        A model in memory has no folder.
    weights : dict, optional
        Gets the bytes of initializers, by their numbers, that the model is returned without: they
        are a view of the file.

    Raises
    ------
    ModelError
        It is no ONNX model.
    OSError
        The file cannot be opened.
    """
    onnx = onnx_package()
    if isinstance(source, onnx.ModelProto):
        return source, None, "ONNX model"
    folder, name = None, "ONNX model"
    if isinstance(source, str | os.PathLike):
        path = Path(source)
        folder, name = Folder(path.parent), str(path)
        try:
            source = mapped_file(path, path.name)
        except FileFormatError as error:
            raise ModelError(error.required, given=error.given, field=name) from None
    elif not isinstance(source, bytes | bytearray | memoryview):
        raise ModelError(
            "needs a path, bytes or an onnx.ModelProto", given=type(source).__name__, field="ONNX"
        )
    model = onnx.ModelProto()
    split = None
    if weights is not None and isinstance(source, memoryview) and len(source) >= LEAST_MODEL:
        split = without_weights(source.cast("B"))
    if split is not None:
        source, found = split
        weights.update(found)  # type: ignore[union-attr]  # as above
    try:
        model.ParseFromString(bytes(source))
    except importlib.import_module("google.protobuf.message").DecodeError:
        raise ModelError(
            "needs an ONNX model", given="bytes that are none, or were cut off", field=name
        ) from None
    try:
        _check_text(model)
    except ModelError as error:
        error.field = f"{name}: {error.field}"
        raise
    return model, folder, name


def _check_text(message: Any) -> None:
    """Check that everything in a message that is text can be read; of tensors, the names.

    Raises
    ------
    ModelError
        It is no UTF-8, which the protocol leaves as bytes.
    """
    kind = message.DESCRIPTOR.name
    if kind == "NodeProto" and (_is_ascii(message) or _is_plain(message)):
        return
    is_tensor = kind == "TensorProto"
    if is_tensor and not message.external_data and isinstance(message.name, str):
        return
    texts = [("name", message.name)] if is_tensor else []
    if is_tensor:
        texts += [
            ("external_data", each) for e in message.external_data for each in (e.key, e.value)
        ]
    for field, value in [] if is_tensor else message.ListFields():
        is_single = isinstance(value, str | bytes) or hasattr(value, "DESCRIPTOR")
        values = (value,) if is_single else value
        if field.type == field.TYPE_MESSAGE:
            for each in values:
                _check_text(each)
        elif field.type == field.TYPE_STRING:
            texts += [(field.name, each) for each in values]
    for name, text in texts:
        if not isinstance(text, str):
            raise ModelError("needs text in UTF-8", given=shown(text), field=name)


def _is_ascii(node: Any) -> bool:
    """Return whether all bytes of a node are ASCII, and so all of its text; that is soon found.

    Those of attributes are not, since the number of one of their fields is written with another.
    """
    is_short = not node.attribute and node.ByteSize() <= _MOST_WRITTEN
    return bool(is_short and node.SerializeToString().isascii())


def _is_plain(node: Any) -> bool:
    """Return whether a node has nothing but text in UTF-8 and numbers, as most others have."""
    texts = [node.name, node.op_type, node.domain, node.doc_string, *node.input, *node.output]
    for each in node.attribute:
        texts += (each.name, each.doc_string, each.ref_attr_name)
        if each.type == _TENSOR and not each.t.external_data:
            texts.append(each.t.name)
        elif each.type not in _READ:
            return False
    if any(getattr(node, name) for name in _rare_fields()):
        return False
    try:
        "".join(texts)
    except TypeError:  # some are bytes
        return False
    return True


@functools.cache
def _rare_fields() -> tuple[str, ...]:
    """Return the fields that few nodes have, as far as the installed onnx has them."""
    known = onnx_package().NodeProto.DESCRIPTOR.fields_by_name
    return tuple(name for name in _RARE_FIELDS if name in known)


def opsets_of(imports: Any) -> dict[str, int]:
    """Return the opset of each domain.

    Raises
    ------
    ModelError
        One is of the future, or too old.
    """
    onnx = onnx_package()
    newest = {"": onnx.defs.onnx_opset_version()}
    found: dict[str, int] = {}
    for each in imports:
        domain = domain_name(each.domain)
        if domain == "" and not OLDEST_OPSET <= each.version <= newest[""]:
            newer = each.version > newest[""]
            raise ModelError(
                f"needs opset {OLDEST_OPSET} to {newest['']}, which the installed onnx "
                f"{onnx.__version__} knows",
                given=f"{each.version}",
                hint="install a newer onnx" if newer else "onnx.version_converter makes it newer",
                field="opset_import",
            )
        found[domain] = each.version
    return found


def check_header(model: Any) -> dict[str, int]:
    """Return the opsets of a model whose versions are known ones.

    Raises
    ------
    ModelError
        It has no graph, or versions of the future.
    """
    onnx = onnx_package()
    if not model.HasField("graph"):
        raise ModelError("needs an ONNX model, which has a graph", given="none")
    if model.ir_version > onnx.IR_VERSION:
        raise ModelError(
            f"needs at most version {onnx.IR_VERSION} of the file format, which the installed onnx "
            f"{onnx.__version__} knows",
            given=f"{model.ir_version}",
            hint="install a newer onnx",
            field="ir_version",
        )
    opsets = opsets_of(model.opset_import)
    if not opsets:
        raise ModelError("needs the opset of at least one domain", given="none")
    return opsets


# ---- tensors ----


def read_tensor(
    tensor: Any, folder: Folder | None, budget: Budget, own: memoryview | None = None
) -> Array:
    """Return the elements of a tensor, read-only, and copied as little as its form allows.

    Parameters
    ----------
    tensor : onnx.TensorProto
        Its data may lie in a file beside the model, which is mapped.
    folder : Folder or None
        Where that is.
    budget : Budget
        Of what takes other memory than the file's.
    own : memoryview, optional
        Its bytes, if the message is without them. They are copied: a file that holds a model may be
        written anew while that is in use.

    Raises
    ------
    ModelError
        It has a data type that arrays do not have, or too few or too many bytes, or there is no
        file of its data in the folder.
    """
    try:
        array = _array(tensor, folder, budget, own)
    except DirectMLError as error:
        raise error.within(f"tensor {shown(tensor.name)}") from None
    array.flags.writeable = False
    return array


@functools.cache
def element_dtype(element_type: int) -> np.dtype[Any]:
    """Return the dtype of one of ONNX's element types.

    Raises
    ------
    ModelError
        There is none.
    """
    onnx = onnx_package()
    try:
        name = onnx.TensorProto.DataType.Name(element_type)
        dtype: np.dtype[Any] = np.dtype(onnx.helper.tensor_dtype_to_np_dtype(element_type))
    except (KeyError, ValueError, TypeError):
        raise ModelError("needs an element type of ONNX", given=shown(element_type)) from None
    if dtype.kind == "O" or name == "STRING":
        hint = "look numbers up for text before the model" if name == "STRING" else None
        raise ModelError("needs numbers", given=name, hint=hint)
    return dtype


def element_type_of(dtype: np.dtype[Any]) -> int:
    """Return ONNX's element type of a dtype."""
    found: int = onnx_package("helper").np_dtype_to_tensor_dtype(dtype)
    return found


def _array(tensor: Any, folder: Folder | None, budget: Budget, own: memoryview | None) -> Array:
    onnx = onnx_package()
    dtype = element_dtype(tensor.data_type)
    shape = checked_shape(tensor.dims)
    if tensor.HasField("segment"):
        raise ModelError("needs a whole tensor", given="a segment")
    is_plain = dtype.kind in "biuf" and dtype.isbuiltin == 1 and sys.byteorder == "little"
    raw: Any = None
    if tensor.data_location == onnx.TensorProto.EXTERNAL:
        raw = _external(tensor, folder, math.prod(shape) * dtype.itemsize if is_plain else None)
    elif own is not None:
        # NumPy's memory comes in large pages, which bytes do not.
        raw = np.frombuffer(own, np.uint8).copy().data if is_plain else bytes(own)
        forget_pages(own)
    elif tensor.HasField("raw_data"):
        raw = tensor.raw_data
    if raw is not None and is_plain:
        return _plain(raw, dtype, shape, budget)
    if raw is not None:
        budget.take_bytes(2 * len(raw))
        tensor = onnx.TensorProto(data_type=tensor.data_type, dims=shape, raw_data=bytes(raw))
    try:
        array = np.asarray(onnx.numpy_helper.to_array(tensor))
    except (ValueError, TypeError, OverflowError) as error:
        raise ModelError(
            f"needs as many elements as its sizes {list(shape)} say", given=shown(str(error))
        ) from None
    if array.shape != shape:
        raise ModelError(f"needs elements for {list(shape)}", given=f"{array.size}")
    return array


def _plain(raw: Any, dtype: np.dtype[Any], shape: tuple[int, ...], budget: Budget) -> Array:
    """Return bytes as an array, where they are if they lie as the processor wants them."""
    needed = math.prod(shape) * dtype.itemsize
    if len(raw) != needed:
        raise ModelError(f"needs {needed} bytes for {dtype} {list(shape)}", given=f"{len(raw)}")
    array = np.frombuffer(raw, dtype).reshape(shape)
    if dtype.kind == "b":  # whose bytes may be others than 0 and 1
        budget.take_bytes(needed)
        return np.asarray(array.view(np.uint8) != 0)
    if array.flags.aligned:
        return array
    budget.take_bytes(needed)
    return array.copy()


def _external(tensor: Any, folder: Folder | None, needed: int | None) -> memoryview:
    """Return the bytes of a tensor that lie in a file, mapped."""
    entries: Mapping[str, str] = {each.key: each.value for each in tensor.external_data}
    location = entries.get("location", "")
    if folder is None:
        raise ModelError(
            f"needs the file {shown(location)} beside the model",
            given="a model in memory, which has no folder",
            hint="load it by its path",
        )
    data = folder[location]
    try:
        offset = int(entries.get("offset", "0") or 0)
        length = int(entries.get("length", "0") or 0) or (needed or len(data) - offset)
    except ValueError:
        raise ModelError("needs offset and length as numbers", given=shown(entries)) from None
    if offset < 0 or length < 0 or offset + length > len(data):
        raise ModelError(
            f"needs bytes {offset} to {offset + length} of {shown(location)}",
            given=f"a file of {len(data)} bytes",
        )
    return data[offset : offset + length]


# ---- attributes ----


def read_attribute(attribute: Any, folder: Folder | None, budget: Budget) -> Any:
    """Return the value of an attribute: numbers, strings, arrays, graphs, lists.

    Raises
    ------
    ModelError
        It has a type or a text that cannot be read.
    """
    kind = attribute.type
    if kind in _READ:
        return _READ[kind](attribute)
    types = onnx_package().AttributeProto
    if kind == types.TENSOR:
        return read_tensor(attribute.t, folder, budget)
    if kind == types.SPARSE_TENSOR:
        return read_sparse_tensor(attribute.sparse_tensor, folder, budget)
    if kind == types.GRAPH:
        return attribute.g
    raise ModelError(
        "needs an attribute that is a number, a string, a tensor, a graph, or a list",
        given=name_of_kind(kind),
        field=attribute.name,
    )


def name_of_kind(kind: int) -> str:
    """Return what ONNX calls a type of attributes."""
    kinds = onnx_package().AttributeProto.AttributeType
    return str(kinds.Name(kind)) if kind in kinds.values() else f"type {kind}"


#: How FLOAT, INT, STRING, and lists of these are read.
_READ: dict[int, Callable[[Any], Any]] = {
    1: lambda each: each.f,
    2: lambda each: each.i,
    3: lambda each: _text(each.s, each.name),
    6: lambda each: list(each.floats),
    7: lambda each: list(each.ints),
    8: lambda each: [_text(text, each.name) for text in each.strings],
}


def read_sparse_tensor(sparse: Any, folder: Folder | None, budget: Budget) -> Array:
    """Return all elements of a tensor that is written by those that are not zero.

    Raises
    ------
    ModelError
        Values and indices do not fit each other, or the sizes.
    """
    values = read_tensor(sparse.values, folder, budget)
    indices = read_tensor(sparse.indices, folder, budget)
    shape = checked_shape(sparse.dims)
    if values.ndim != 1 or indices.ndim not in (1, 2):
        raise ModelError("needs a list of values and their indices", given="others")
    count = math.prod(shape)
    try:
        budget.take_elements(shape, values.dtype)
    except DirectMLError as error:
        raise error.within(f"sparse tensor {shown(sparse.values.name)}") from None
    try:
        where = indices if indices.ndim == 1 else np.ravel_multi_index(tuple(indices.T), shape)
        if where.size and not 0 <= where.min() <= where.max() < count:
            raise ValueError  # noqa: TRY301 (as NumPy says it of several dimensions)
        dense = np.zeros(count, values.dtype)
        dense[where] = values
    except (ValueError, IndexError):
        raise ModelError(
            f"needs one index within {list(shape)} for each of {values.size} values",
            given=f"indices of sizes {list(indices.shape)}",
        ) from None
    return dense.reshape(shape)


def _text(raw: bytes, name: str) -> str:
    try:
        return raw.decode()
    except UnicodeDecodeError:
        raise ModelError("needs text in UTF-8", given=shown(raw), field=name) from None
