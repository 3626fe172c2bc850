"""Writable memory: what is accepted as an output, what is refused, and the call that fills it.

An output is anything with Python's buffer protocol (NumPy arrays, memory maps, bytearrays) or, on
a CPU, with DLPack (PyTorch tensors). It is never copied and never converted.
"""

from __future__ import annotations

import mmap
import sys
from typing import Any

import numpy as np

from indirectml import _native
from indirectml.core.data_types import FILL_DATA_TYPES, TensorDataType, unsupported_dtype
from indirectml.core.errors import DataTypeError, LayoutError, shown
from indirectml.core.overlap import find_overlap
from indirectml.core.settings import Settings

_OpenBuffer = _native.OpenBuffer
_fill = _native.fill
#: DLPack's kDLCPU, kDLCUDAHost and kDLROCMHost: pinned memory is the host's memory, too.
_HOST_MEMORY = (1, 3, 11)


#: By the element types of the native code: bits, precision, 1 where signed.
_DATA_TYPES = {(t.bits, t.precision, int(t.signed)): t for t in FILL_DATA_TYPES}


def open_output(out: Any) -> tuple[_native.OpenBuffer, TensorDataType]:
    """Return the native buffer of a writable array and its data type.

    Raises
    ------
    DataTypeError
        `out` is no array in the CPU's memory, or its elements are of no data type of fills.
    LayoutError
        `out` is read-only, or its elements share memory.
    """
    try:
        buffer = _OpenBuffer(out)
    except (TypeError, ValueError, BufferError) as error:
        buffer = _OpenBuffer(_as_array(out, error))
    data_type = _DATA_TYPES.get(buffer.element_type)
    if data_type is None:
        raise unsupported_dtype(_dtype_of(out, buffer.format))
    if not buffer.is_nested:
        _refuse_overlap(buffer)
    return buffer, data_type


def fill_buffer(buffer: _native.OpenBuffer, sequence: _native.Sequence, first: int = 0) -> None:
    """Write the elements of a native sequence from `first` on, under the setting in force."""
    _fill(buffer, sequence, first, Settings.policy)


#: What is raw memory wherever a tensor has to be given, and never an array of elements.
RAW_MEMORY = (bytes, bytearray, memoryview, mmap.mmap)


def raw_memory(given: bytes | bytearray | memoryview | mmap.mmap) -> np.ndarray[Any, Any]:
    """Return the bytes of raw memory, whatever its items are; read-only if it is.

    Raises
    ------
    LayoutError
        It is a memoryview with gaps.
    """
    view = memoryview(given)
    if not view.c_contiguous:
        raise LayoutError("needs memory without gaps", given="a memoryview with strides")
    return np.asarray(view.cast("B"))


def as_writable_array(out: Any) -> np.ndarray[Any, Any]:
    """Return a NumPy array over the memory of anything that `open_output` accepts."""
    if isinstance(out, np.ndarray):
        return out
    try:
        return np.asarray(memoryview(out))
    except TypeError as error:
        return _as_array(out, error)


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
        return _from_dlpack(given, "an array", error)


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
    array = _from_dlpack(out, "a writable array", reason)
    if is_tensor(out):
        count_write(out)
        # DLPack before versions, and NumPy before 2.2.5, say of all memory that it is read-only.
        return array if array.flags.writeable else np.asarray(_Writable(array))
    if not array.flags.writeable:
        raise LayoutError("needs a writable array", given="a read-only one") from None
    return array


def _from_dlpack(given: Any, needed: str, reason: Exception) -> np.ndarray[Any, Any]:
    """Return a NumPy array over the memory of an object with DLPack."""
    if not hasattr(given, "__dlpack__"):
        raise DataTypeError(
            f"needs {needed} (NumPy, memory map, buffer or DLPack)",
            given=f"{shown(given)} ({type(given).__name__})",
        ) from None
    if is_tensor(given) and not _has_memory(given):
        raise DataTypeError(
            "needs a tensor with memory of its own",
            given=f"a {type(given).__name__} without storage on device {given.device}",
        ) from None
    try:
        device = given.__dlpack_device__()
        array = np.from_dlpack(given) if device[0] in _HOST_MEMORY else None
    except (AttributeError, TypeError, ValueError, RuntimeError, BufferError) as error:
        raise DataTypeError(
            "needs an array that DLPack can export", given=f"{type(given).__name__}: {error}"
        ) from reason
    if array is None:
        raise DataTypeError(
            "needs an array in the CPU's memory", given=f"one on DLPack device {device}"
        ) from None
    if getattr(given, "is_neg", bool)():  # a PyTorch view that negates what it reads
        raise LayoutError("needs memory as it is read", given="a view that negates it") from None
    return array


# ---- PyTorch, which is never imported here: whoever has a tensor has imported it ----


def is_tensor(given: Any) -> bool:
    """Return whether it is a tensor of PyTorch."""
    torch = sys.modules.get("torch")
    return torch is not None and isinstance(given, torch.Tensor)


def _has_memory(tensor: Any) -> bool:
    """Return whether there is storage, and all of it that the elements reach.

    Meta and fake tensors have none, nor have those inside of vmap; a storage may have been freed,
    or made smaller. DLPack exports all of them, with addresses that must not be written.
    """
    fake = getattr(sys.modules.get("torch._subclasses.fake_tensor"), "FakeTensor", ())
    if isinstance(tensor, fake) or tensor.is_meta:
        return False
    if tensor.layout is not sys.modules["torch"].strided:
        return True  # DLPack refuses it, and says why
    try:
        if tensor.numel() == 0:
            return True
        last = sum((n - 1) * s for n, s in zip(tensor.shape, tensor.stride(), strict=True))
        end = (tensor.storage_offset() + last + 1) * tensor.element_size()
        return bool(tensor.data_ptr() != 0 and end <= tensor.untyped_storage().nbytes())
    except RuntimeError:
        return False


class _Writable:
    """The memory of a tensor, which can always be written."""

    def __init__(self, array: np.ndarray[Any, Any]) -> None:
        self.array = array
        interface = array.__array_interface__
        address, _ = interface["data"]
        self.__array_interface__ = {**interface, "data": (address, False)}


def count_write(tensor: Any) -> None:
    """Tell autograd that a tensor is written, as PyTorch's own functions do.

    Gradients that need what was there before are then refused instead of wrong.
    """
    torch: Any = sys.modules["torch"]
    count = getattr(torch.autograd.graph, "increment_version", None)
    if count is not None:
        count(tensor)
        return
    with torch.no_grad():  # PyTorch before 2.1: none of its elements, written in place
        tensor[None][:0].zero_()


def _is_read_only(out: Any) -> bool:
    try:
        return memoryview(out).readonly
    except (TypeError, ValueError, BufferError):
        return False


def _dtype_of(out: Any, buffer_format: str) -> np.dtype[Any] | str:
    return out.dtype if isinstance(out, np.ndarray) else f"format {buffer_format!r}"


def _refuse_overlap(buffer: _native.OpenBuffer) -> None:
    pair = find_overlap(buffer.sizes, buffer.strides_bytes, buffer.item_bytes)
    if pair is not None:
        raise LayoutError(
            "needs an array whose elements do not share memory",
            given=f"one where {pair[0]} and {pair[1]} do",
        )
