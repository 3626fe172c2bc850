"""Buffers that hold a tensor, and the rule by which arrays become the bytes of a tensor."""

from __future__ import annotations

import math
import sys
from typing import Any, Protocol, runtime_checkable

import numpy as np
from numpy.typing import DTypeLike

from indirectml.core.buffers import RAW_MEMORY, as_readable_array, raw_memory
from indirectml.core.data_types import DataTypeLike, as_data_type
from indirectml.core.errors import BindingError, DataTypeError, shown
from indirectml.core.tensors import DescribedTensor, TensorDesc, packed_strides

Bytes = np.ndarray[Any, np.dtype[np.uint8]]


@runtime_checkable
class BufferDevice(Protocol):
    """What a buffer needs of its device."""

    def require(self) -> None:
        """Refuse to go on with a removed device."""

    def upload(self, raw: Any) -> Any:
        """Return memory of the device with bytes of the host."""

    def readback(self, memory: Any) -> Any:
        """Return the bytes of memory of the device as an array of the host."""


class Buffer(DescribedTensor):
    """A tensor in the memory of a device.

    Parameters
    ----------
    device : Device
        Where it lies.
    array : array
        What it holds: a copy, packed.
    dtype : NumPy dtype or TensorDataType, optional
        Converted to it, within one kind of numbers (float64 to float32) or without loss (uint8 to
        float32). The array's own by default.

    Raises
    ------
    BindingError
        The conversion is none of these.
    DataTypeError
        The data type is none of DirectML's, or `device` is no device.

    Notes
    -----
    `numpy` copies. ``np.asarray(buffer)``, ``np.from_dlpack(buffer)`` and what takes DLPack share
    the buffer's memory instead, where that is the host's: what is written there is what the next
    graph reads. Of other devices they give a read-only copy.

    Examples
    --------
    >>> buffer = Buffer(Device(), np.arange(3.0), np.float32)
    >>> buffer.desc, buffer.numpy()
    (TensorDesc(FLOAT32, sizes=[3]), array([0., 1., 2.], dtype=float32))
    >>> np.sqrt(buffer)
    array([0.       , 1.       , 1.4142135], dtype=float32)
    """

    #: Of the elements of INT4 and UINT4 as arrays, if it was made of such an array.
    kind: np.dtype[Any] | None

    def __init__(self, device: BufferDevice, array: Any, dtype: DataTypeLike | None = None) -> None:
        if not isinstance(device, BufferDevice):
            raise DataTypeError("needs a device", given=shown(device), field="Buffer.device")
        device.require()
        array = np.asarray(array)
        data_type = as_data_type(array.dtype if dtype is None else dtype)
        self.device = device
        self.desc = TensorDesc(data_type, array.shape or (1,))
        #: In the device's own form.
        self.memory = device.upload(bytes_of(self.desc, array).copy())
        self.kind = array.dtype if is_halves_dtype(array.dtype) else None

    @classmethod
    def of(
        cls,
        device: BufferDevice,
        desc: TensorDesc,
        memory: Any,
        dtype: np.dtype[Any] | None = None,
    ) -> Buffer:
        """Return a buffer over the memory of a tensor, without a copy."""
        buffer = cls.__new__(cls)
        buffer.device, buffer.desc, buffer.memory, buffer.kind = device, desc, memory, dtype
        return buffer

    @property
    def raw(self) -> Bytes:
        """Its bytes: its memory, where that is the host's, and a read-only copy elsewhere."""
        found: Bytes = self.device.readback(self.memory)
        if found is not self.memory:
            found.flags.writeable = False  # what is written there would be lost
        return found

    @property
    def nbytes(self) -> int:
        """How many bytes it has."""
        return self.desc.total_tensor_size_in_bytes

    def numpy(self) -> np.ndarray[Any, Any]:
        """Return a copy as a packed array."""
        return elements_of(self.desc, self.raw, dtype=self.kind).copy()

    def __array__(
        self,
        dtype: DTypeLike | None = None,
        copy: bool | None = None,  # noqa: FBT001 (NumPy's protocol)
    ) -> np.ndarray[Any, Any]:
        """Return the elements for NumPy, in the buffer's memory where nothing is converted."""
        return np.array(elements_of(self.desc, self.raw, dtype=self.kind), dtype, copy=copy)

    def __dlpack__(self, **arguments: Any) -> Any:
        """Return the buffer's memory for any library that takes DLPack.

        Raises
        ------
        BufferError
            The data type is INT4 or UINT4, of which DLPack has no arrays.
        """
        if self.desc.is_in_halves:
            raise BufferError(
                f"Buffer: DLPack has no arrays of {self.desc.data_type.name}; numpy() gives one"
            )
        return elements_of(self.desc, self.raw).__dlpack__(**arguments)

    def __dlpack_device__(self) -> tuple[int, int]:
        """Return DLPack's number of the CPU."""
        return elements_of(self.desc, self.raw).__dlpack_device__()

    def __repr__(self) -> str:
        return f"Buffer({self.desc.data_type.name}, sizes={self.desc.sizes})"


def is_halves_dtype(dtype: Any) -> bool:
    """Return whether a dtype is ml_dtypes' for elements of four bits."""
    return isinstance(dtype, np.dtype) and dtype.name in _HALVES


_HALVES = ("int4", "uint4")


def elements_of(
    desc: TensorDesc, raw: Any, offset: int = 0, *, dtype: np.dtype[Any] | None = None
) -> np.ndarray[Any, Any]:
    """Return the elements of a tensor in a buffer of bytes, as a view.

    Of INT4 and UINT4, the bytes: two elements each, the first in the low half. Or, given one of
    ml_dtypes' dtypes for them, a copy as an array of its own dtype for the data type.
    """
    data_type = desc.data_type
    if desc.is_in_halves:
        if dtype is not None:
            library = sys.modules[dtype.type.__module__]
            kind = np.dtype(getattr(library, data_type.name.lower()))
            return from_halves(desc, raw).astype(kind)
        return np.ndarray((desc.total_tensor_size_in_bytes,), np.uint8, raw, offset)
    if desc.strides_tuple is None:
        return np.ndarray(desc.sizes_tuple, data_type.dtype, raw, offset)
    strides_bytes = [stride * data_type.item_bytes for stride in desc.strides_tuple]
    return np.ndarray(desc.sizes_tuple, data_type.dtype, raw, offset, strides_bytes)


def _halves(desc: TensorDesc) -> np.ndarray[Any, np.dtype[np.intp]]:
    """Return where the elements of an INT4 or UINT4 tensor lie, counted in half bytes."""
    found = np.zeros(desc.sizes_tuple, np.intp)
    for axis, (size, stride) in enumerate(
        zip(desc.sizes_tuple, desc.strides_in_memory, strict=True)
    ):
        sizes = (size,) + (1,) * (len(desc.sizes_tuple) - axis - 1)
        found += np.arange(size, dtype=np.intp).reshape(sizes) * stride
    return found


def from_halves(desc: TensorDesc, raw: Bytes) -> np.ndarray[Any, Any]:
    """Return the elements of an INT4 or UINT4 tensor as INT8 or UINT8.

    Examples
    --------
    >>> int4 = TensorDataType.INT4
    >>> from_halves(TensorDesc(int4, [3]), np.array([0xE1, 7, 0, 0], np.uint8))
    array([ 1, -2,  7], dtype=int8)
    """
    values: np.ndarray[Any, Any]
    if _is_packed(desc):
        count = desc.element_count
        values = np.empty(count + count % 2, np.uint8)
        used = raw[: len(values) // 2]
        np.bitwise_and(used, 15, out=values[::2])
        np.right_shift(used, 4, out=values[1::2])
        values = values[:count].reshape(desc.sizes_tuple)
    else:
        at = _halves(desc)
        values = (raw[at >> 1] >> ((at & 1) << 2).astype(np.uint8)) & 15
    if not desc.data_type.signed:
        return values
    values ^= 8
    signed = values.view(np.int8)
    signed -= 8
    return signed


def _is_packed(desc: TensorDesc) -> bool:
    return desc.strides_in_memory == packed_strides(desc.sizes_tuple)


def into_halves(desc: TensorDesc, raw: Bytes, values: np.ndarray[Any, Any]) -> None:
    """Write integers as the elements of an INT4 or UINT4 tensor; what lies between them stays."""
    bits = values.astype(np.uint8).reshape(-1) & 15
    if _is_packed(desc):
        whole = len(bits) // 2
        raw[:whole] = bits[: 2 * whole : 2] | bits[1::2] << 4
        if len(bits) % 2:
            raw[whole] = raw[whole] & 0xF0 | bits[-1]
        return
    at = _halves(desc).reshape(-1)
    for half, kept in ((0, 0xF0), (1, 0x0F)):
        chosen = at & 1 == half
        where = at[chosen] >> 1
        raw[where] = (raw[where] & kept) | (bits[chosen] << (4 * half))


def bytes_in_halves(desc: TensorDesc, array: np.ndarray[Any, Any]) -> Bytes:
    """Return the bytes of an INT4 or UINT4 tensor that an array is, or has.

    Parameters
    ----------
    desc : TensorDesc
        The tensor.
    array : array
        UINT8 of one dimension without gaps: the tensor's bytes. Or int4 and uint4 of ml_dtypes:
        the elements, in the tensor's sizes up to those that are 1, or in one dimension.

    Raises
    ------
    BindingError
        It is neither.
    """
    total = desc.total_tensor_size_in_bytes
    if array.dtype == np.uint8 and array.shape == (total,) and array.flags.c_contiguous:
        return array
    if array.dtype.name == desc.data_type.name.lower() and array.size == desc.element_count:
        if not _fits(desc.sizes_tuple, array.shape):
            raise _other_sizes(desc, array.shape)
        raw = np.zeros(total, np.uint8)
        into_halves(desc, raw, array.astype(np.int8))
        return raw
    raise BindingError(
        f"needs the {total} bytes of a tensor of {desc.data_type.name} with sizes {desc.sizes}, "
        "two elements each",
        given=f"{array.dtype} with sizes {list(array.shape)}",
    )


def bytes_of(desc: TensorDesc, given: Any) -> Bytes:
    """Return the bytes of a tensor in a graph that something fills; a copy only where it must be.

    Parameters
    ----------
    desc : TensorDesc
        The tensor.
    given : Buffer, raw memory or array
        A buffer has the elements that it has, wherever they lie in it. Raw memory (bytes,
        bytearray, memoryview, mmap) is the tensor's own, and is not converted. An array fills the
        tensor's memory in row-major order, as in the `directml` package: it has the tensor's sizes
        up to those that are 1, or one dimension. That of a strided tensor has what lies between its
        elements too, in one dimension or in the sizes that its memory has; or it is a part of an
        array, whose elements lie as the strides say. It is converted within one kind of numbers or
        without loss.

    Raises
    ------
    BindingError
        It has other sizes, too few bytes, or a data type that is not converted.
    """
    if type(given) is np.ndarray and has_all_bytes(desc, given):
        plain: Bytes = given.reshape(-1).view(np.uint8)
        return plain
    own = bytes_in_place(desc, given)
    if own is not None:
        return own
    if isinstance(given, Buffer):
        return _bytes_of_buffer(desc, given)
    if isinstance(given, RAW_MEMORY):
        memory: Bytes = raw_memory(given)
        if memory.size < desc.total_tensor_size_in_bytes:
            raise BindingError(
                f"needs at least {desc.total_tensor_size_in_bytes} bytes of raw memory for a "
                f"tensor of {desc.data_type.name} with sizes {desc.sizes}",
                given=f"{memory.size}",
            )
        return _padded(desc, memory)
    array = as_readable_array(given) if hasattr(given, "__dlpack__") else np.asarray(given)
    if desc.is_in_halves:
        return bytes_in_halves(desc, array)
    dtype = desc.data_type.dtype
    if array.dtype != dtype:
        if array.dtype.kind != dtype.kind and not np.can_cast(array.dtype, dtype, "safe"):
            raise BindingError(
                f"needs {dtype}, which {array.dtype} does not become without being told to",
                given=f"{array.dtype}",
                hint=f"write array.astype(np.{dtype})",
            )
        with np.errstate(over="ignore"):
            array = array.astype(dtype)
    _check_sizes(desc, array.shape, array.nbytes)
    return _padded(desc, np.ascontiguousarray(array).reshape(-1).view(np.uint8))


def bytes_in_place(desc: TensorDesc, array: Any) -> Bytes | None:
    """Return the bytes of a strided tensor where an array has them, gaps included; or None."""
    if desc.strides_tuple is None or type(array) is not np.ndarray:
        return None
    item, dtype = array.itemsize, desc.data_type.dtype
    axes = zip(desc.sizes_tuple, desc.strides_tuple, array.strides, strict=False)
    if (
        desc.is_in_halves
        or array.shape != desc.sizes_tuple
        or array.dtype != dtype
        or any(n > 1 and stride * item != own for n, stride, own in axes)
    ):
        return None
    total = desc.total_tensor_size_in_bytes
    reach = sum((n - 1) * s for n, s in zip(desc.sizes_tuple, desc.strides_tuple, strict=True))
    if (reach + 1) * item != total:
        return None
    row = np.lib.stride_tricks.as_strided(array, (total // item,), (item,))
    found: Bytes = row.view(np.uint8)
    return found


def has_all_bytes(desc: TensorDesc, array: np.ndarray[Any, Any]) -> bool:
    """Say whether nothing has to be converted, added or checked further: the commonest case."""
    return (
        array.dtype is desc.data_type.dtype  # None of halves
        and array.shape == desc.sizes_tuple
        and array.nbytes == desc.total_tensor_size_in_bytes
        and desc.strides_tuple is None
        and array.flags.c_contiguous
    )


def _bytes_of_buffer(desc: TensorDesc, given: Buffer) -> Bytes:
    if given.desc.data_type is not desc.data_type:
        raise BindingError(
            f"needs {desc.data_type.name}, and a buffer is not converted",
            given=given.desc.data_type.name,
        )
    is_same = (given.shape, given.strides) == (desc.sizes_tuple, desc.strides_tuple)
    if is_same:
        return _padded(desc, given.raw)
    if given.strides is None:
        _check_sizes(desc, given.shape, given.nbytes)
        return _padded(desc, given.raw)
    if desc.strides is not None:
        raise BindingError(
            f"needs a packed buffer, or one with sizes {desc.sizes} and strides {desc.strides}",
            given=f"sizes {list(given.shape)} and strides {list(given.strides)}",
        )
    _check_sizes(desc, given.shape, given.nbytes)
    return _padded(desc, given.numpy().reshape(-1).view(np.uint8))


def _check_sizes(desc: TensorDesc, sizes: tuple[int, ...], size_bytes: int) -> None:
    """Check that an array, or a packed buffer, of some sizes fills a tensor's memory."""
    if desc.strides_tuple is None:
        count = math.prod(sizes)
        if count != desc.element_count:
            raise BindingError(
                f"needs {desc.element_count} elements for sizes {desc.sizes}",
                given=f"{count} with sizes {list(sizes)}, which does not fill it",
            )
        if not _fits(desc.sizes_tuple, sizes):
            raise _other_sizes(desc, sizes)
        return
    # In the order of memory, without dimensions that do not move in it.
    lines = [
        (stride, size)
        for size, stride in zip(desc.sizes_tuple, desc.strides_tuple, strict=True)
        if size > 1 and stride
    ]
    lines.sort(reverse=True)
    required = (sum((n - 1) * s for s, n in lines) + 1) * desc.data_type.item_bytes
    if size_bytes < required:
        raise BindingError(
            f"needs at least {required} bytes for sizes {desc.sizes} and strides {desc.strides}",
            given=f"{size_bytes}, which does not fill it",
        )
    own = [size for size in sizes if size > 1]
    steps = [math.prod(own[axis + 1 :]) for axis in range(len(own))]
    holds = steps == [stride for stride, _ in lines] and all(
        size >= n for size, (_, n) in zip(own, lines, strict=True)
    )
    if len(own) > 1 and not holds:
        raise BindingError(
            f"needs the memory of a tensor with sizes {desc.sizes} and strides {desc.strides}",
            given=f"sizes {list(sizes)}",
            hint="write .reshape(-1) if its elements are in the order of that memory",
        )


def _fits(expected: tuple[int, ...], sizes: tuple[int, ...]) -> bool:
    """Return whether sizes are those of a tensor up to 1, or one dimension."""
    own = [size for size in sizes if size != 1]
    return len(own) < 2 or own == [size for size in expected if size != 1]  # noqa: PLR2004


def _other_sizes(desc: TensorDesc, sizes: tuple[int, ...]) -> BindingError:
    return BindingError(
        f"needs sizes {desc.sizes}, or one dimension",
        given=f"{list(sizes)}",
        hint=f"write .reshape({', '.join(map(str, desc.sizes))}) if the elements are in this order",
    )


def _padded(desc: TensorDesc, raw: Bytes) -> Bytes:
    total = desc.total_tensor_size_in_bytes
    if raw.size >= total:
        return raw[:total]
    padded = np.zeros(total, np.uint8)
    padded[: raw.size] = raw
    return padded
