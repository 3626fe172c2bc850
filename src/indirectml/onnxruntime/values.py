"""What goes into a session and comes out, and what a model says of it."""

from __future__ import annotations

import ctypes
import math
from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from indirectml.core.errors import shown
from indirectml.onnx_import.package import onnx_package
from indirectml.onnx_import.reading import element_dtype, element_type_of
from indirectml.onnx_import.values import Array
from indirectml.onnxruntime.errors import InvalidArgument
from indirectml.onnxruntime.options import say_once


@dataclass(frozen=True)
class NodeArg:
    """An input or output of a model.

    Attributes
    ----------
    name : str
        In the model.
    type : str
        ``"tensor(float)"`` and so on.
    shape : list of int, str or None
        The name of an open dimension is its size; None is one without a name.
    """

    name: str
    type: str
    shape: list[int | str | None]


@dataclass(frozen=True)
class ModelMetadata:
    """What a model says of itself."""

    producer_name: str
    graph_name: str
    domain: str
    description: str
    graph_description: str
    version: int
    custom_metadata_map: dict[str, str]


def type_name(element_type: int) -> str:
    """Return what ONNX Runtime calls a tensor of one of ONNX's element types."""
    return f"tensor({onnx_package().TensorProto.DataType.Name(element_type).lower()})"


def node_arg(info: Any) -> NodeArg:
    """Return what a model says of an input or output."""
    kind = info.type.WhichOneof("value")
    if kind != "tensor_type":
        return NodeArg(info.name, (kind or "unknown").removesuffix("_type"), [])
    tensor = info.type.tensor_type
    shape = [_size(dim) for dim in tensor.shape.dim]
    return NodeArg(info.name, type_name(tensor.elem_type), shape)


def _size(dim: Any) -> int | str | None:
    """Return the size of a dimension, or its name; "unk__0" is a name that inference made up."""
    if dim.HasField("dim_value"):
        return int(dim.dim_value) if dim.dim_value >= 0 else None
    return None if dim.dim_param.startswith("unk__") else dim.dim_param or None


def on_the_cpu(device_type: str) -> str:
    """Return "cpu"; another device is said once, since all memory is the processor's."""
    if device_type.lower() != "cpu":
        say_once(f"device {device_type!r} has no meaning in IndirectML, whose memory is the CPU's")
    return "cpu"


def memory_at(address: int, dtype: Any, shape: Any) -> Array:
    """Return an array over memory that the caller keeps."""
    made = np.dtype(element_dtype(dtype) if isinstance(dtype, int) else dtype)
    size = math.prod(shape) * made.itemsize
    held = (ctypes.c_uint8 * size).from_address(address)
    return np.frombuffer(held, np.uint8).view(made).reshape(shape)


class OrtValue:
    """An array, by ONNX Runtime's names.

    Examples
    --------
    >>> value = OrtValue.ortvalue_from_numpy(np.zeros((2, 3), np.float32))
    >>> value.shape(), value.data_type(), value.device_name()
    ([2, 3], 'tensor(float)', 'cpu')
    """

    def __init__(self, array: Array) -> None:
        self._array = array

    @classmethod
    def ortvalue_from_numpy(
        cls, numpy_obj: Array, /, device_type: str = "cpu", device_id: int = 0, vendor_id: int = -1
    ) -> Self:
        """Return an array as a value over the same memory."""
        del device_id, vendor_id
        on_the_cpu(device_type)
        if not isinstance(numpy_obj, np.ndarray):
            raise InvalidArgument("needs an array", given=type(numpy_obj).__name__)
        return cls(numpy_obj)

    @classmethod
    def ortvalue_from_shape_and_type(
        cls,
        shape: Any,
        element_type: Any,
        device_type: str = "cpu",
        device_id: int = 0,
        vendor_id: int = -1,
    ) -> Self:
        """Return zeros; `element_type` is a type of NumPy or a number of ONNX."""
        del device_id, vendor_id
        on_the_cpu(device_type)
        is_onnx = isinstance(element_type, int)
        return cls(np.zeros(shape, element_dtype(element_type) if is_onnx else element_type))

    @classmethod
    def from_dlpack(cls, data: Any, /) -> Self:
        """Return anything with `__dlpack__` as a value over the same memory."""
        return cls(np.from_dlpack(data))

    def numpy(self) -> Array:
        """Return the array."""
        return self._array

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Array:  # noqa: FBT001
        """Return the array, for NumPy."""
        return np.array(self._array, dtype=dtype, copy=copy)

    def __dlpack__(self, **options: Any) -> Any:
        """Return the array for other libraries."""
        return self._array.__dlpack__(**options)

    def __dlpack_device__(self) -> tuple[int, int]:
        """Return DLPack's number of the CPU."""
        kind, number = self._array.__dlpack_device__()
        return int(kind), int(number)

    def update_inplace(self, data: Array) -> None:
        """Write other elements of the same sizes and type."""
        fitting(self._array, data, "OrtValue")
        self._array[...] = data

    def data_ptr(self) -> int:
        """Return the address of the first element."""
        return self._array.ctypes.data

    def device_name(self) -> str:
        """Return "cpu"."""
        return "cpu"

    def shape(self) -> list[int]:
        """Return the sizes."""
        return list(self._array.shape)

    def data_type(self) -> str:
        """Return the type, as ``"tensor(float)"``."""
        return type_name(self.element_type())

    def element_type(self) -> int:
        """Return the number of the element type in ONNX."""
        return element_type_of(self._array.dtype)

    def tensor_size_in_bytes(self) -> int:
        """Return the number of bytes."""
        return self._array.nbytes

    def has_value(self) -> bool:
        """Return True: it is no optional value."""
        return True

    def is_tensor(self) -> bool:
        """Return True."""
        return True

    def is_sparse_tensor(self) -> bool:
        """Return False."""
        return False

    def is_tensor_sequence(self) -> bool:
        """Return False."""
        return False

    def __repr__(self) -> str:
        return f"OrtValue({self.data_type()} {self.shape()})"


def fitting(out: Array, given: Array, name: str) -> None:
    """Check that an array has the sizes and the type of the memory it goes into.

    Raises
    ------
    InvalidArgument
        It has others, or the memory is read-only.
    """
    if out.shape != given.shape or out.dtype != given.dtype or not out.flags.writeable:
        raise InvalidArgument(
            f"needs writable memory for {given.dtype} {list(given.shape)}",
            given=f"{out.dtype} {list(out.shape)}{'' if out.flags.writeable else ', read-only'}",
            field=shown(name),
        )
