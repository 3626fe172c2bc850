"""Writable memory: what is accepted as an output, what is refused, and the call that fills it.

An output is anything with Python's buffer protocol (NumPy arrays, memory maps, bytearrays) or, on
a CPU, with DLPack (PyTorch tensors). It is never copied and never converted.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from indirectml import _native
from indirectml.core.data_types import FILL_DATA_TYPES, TensorDataType, unsupported_dtype
from indirectml.core.errors import DataTypeError, LayoutError, shown
from indirectml.core.overlap import find_overlap
from indirectml.core.settings import State

_Buffer = _native.Buffer
_fill = _native.fill
_CPU = 1  # DLPack's kDLCPU


#: By the element types of the core: bits, precision, 1 where signed.
_DATA_TYPES = {(t.bits, t.precision, int(t.signed)): t for t in FILL_DATA_TYPES}


def open_output(out: Any) -> tuple[_native.Buffer, TensorDataType]:
    """Return the native buffer of a writable array and its data type.

    Raises
    ------
    DataTypeError
        `out` is no array in the CPU's memory, or its elements are of no data type of fills.
    LayoutError
        `out` is read-only, or its elements share memory.
    """
    try:
        buffer = _Buffer(out)
    except (TypeError, ValueError, BufferError) as error:
        buffer = _Buffer(_as_array(out, error))
    data_type = _DATA_TYPES.get(buffer.element_type)
    if data_type is None:
        raise unsupported_dtype(_dtype_of(out, buffer.format))
    if not buffer.is_nested:
        _refuse_overlap(buffer)
    return buffer, data_type


def fill_buffer(buffer: _native.Buffer, sequence: _native.Sequence, first: int = 0) -> None:
    """Write the elements of a native sequence from `first` on, under the setting in force."""
    _fill(buffer, sequence, first, State.policy)


def as_writable_array(out: Any) -> np.ndarray[Any, Any]:
    """Return a NumPy array over the memory of anything that `open_output` accepts."""
    if isinstance(out, np.ndarray):
        return out
    try:
        return np.asarray(memoryview(out))
    except TypeError:
        return np.from_dlpack(out)


def as_readable_array(given: Any) -> np.ndarray[Any, Any]:
    """Return a NumPy array over the memory of an input, which may be read-only.

    Raises
    ------
    DataTypeError
        `given` is no array in the CPU's memory.
    """
    if isinstance(given, np.ndarray):
        return given
    try:
        return np.asarray(memoryview(given))
    except (TypeError, BufferError) as error:
        return _as_array(given, error)


def _as_array(out: Any, reason: Exception) -> np.ndarray[Any, Any]:
    """Return a writable NumPy array over the memory of an object that gave no writable buffer."""
    if isinstance(out, np.ndarray):
        if not out.flags.writeable:
            raise LayoutError("needs a writable array", given="a read-only one") from None
        raise unsupported_dtype(out.dtype) from None
    if _is_read_only(out):
        raise LayoutError(
            "needs writable memory", given=f"read-only {type(out).__name__}"
        ) from None
    if not hasattr(out, "__dlpack__"):
        raise DataTypeError(
            "needs a writable array (NumPy, memory map, buffer or DLPack)",
            given=f"{shown(out)} ({type(out).__name__})",
        ) from None
    try:
        device = out.__dlpack_device__()
        array = np.from_dlpack(out) if device[0] == _CPU else None
    except (AttributeError, TypeError, ValueError, RuntimeError, BufferError) as error:
        raise DataTypeError(
            "needs an array that DLPack can export", given=f"{type(out).__name__}: {error}"
        ) from reason
    if array is None:
        raise DataTypeError(
            "needs an array in the CPU's memory", given=f"one on DLPack device {device}"
        ) from None
    if getattr(out, "is_neg", bool)():  # a PyTorch view that negates what it reads
        raise LayoutError("needs memory as it is read", given="a view that negates it") from None
    if not array.flags.writeable:
        raise LayoutError("needs a writable array", given="a read-only one") from None
    return array


def _is_read_only(out: Any) -> bool:
    try:
        return memoryview(out).readonly
    except (TypeError, ValueError, BufferError):
        return False


def _dtype_of(out: Any, buffer_format: str) -> np.dtype[Any] | str:
    return out.dtype if isinstance(out, np.ndarray) else f"format {buffer_format!r}"


def _refuse_overlap(buffer: _native.Buffer) -> None:
    pair = find_overlap(buffer.sizes, buffer.strides_bytes, buffer.item_bytes)
    if pair is not None:
        raise LayoutError(
            "needs an array whose elements do not share memory",
            given=f"one where {pair[0]} and {pair[1]} do",
        )
