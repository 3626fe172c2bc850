"""The table of data types: one line each, and nothing else about data types anywhere.

Numbers and names are those of DML_TENSOR_DATA_TYPE.
"""

from __future__ import annotations

from enum import Enum, IntEnum
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from indirectml.core.errors import DataTypeError, shown

if TYPE_CHECKING:
    from numpy.typing import DTypeLike
else:
    DTypeLike = Any  # importing numpy.typing takes half a millisecond


class TensorDataType(IntEnum):
    """The data type of a tensor's elements.

    Attributes
    ----------
    bits : int
        Width of one element in bits; 0 for UNKNOWN.
    precision : int
        Significand bits of a binary float, the hidden bit included; 0 for integers.
    signed : bool
        True for floats and two's complement integers.
    dtype : numpy.dtype or None
        NumPy's name for it; None where NumPy has none.
    union_member : str or None
        The member of DML_SCALAR_UNION that holds it. There is no half-precision member:
        FLOAT16 is stored as its bits.
    item_bytes : int
        Bytes of one element, for data types of whole bytes.
    infinities : tuple of int
        The bits of the positive and of the negative infinity; empty for integers.

    Examples
    --------
    >>> TensorDataType.FLOAT16.bits
    16
    >>> TensorDataType(6)
    <TensorDataType.INT32: 6>
    >>> str(TensorDataType.INT32)
    'TensorDataType.INT32'
    """

    __str__ = Enum.__str__
    __hash__ = int.__hash__  # that of an enumeration is a function of Python

    bits: int
    precision: int
    signed: bool
    dtype: Any
    union_member: str | None
    item_bytes: int
    infinities: tuple[int, ...]

    # name = number, bits, precision, signed, NumPy's name, member of the scalar union
    UNKNOWN = 0, 0, 0, False, None, None
    FLOAT32 = 1, 32, 24, True, "float32", "Float32"
    FLOAT16 = 2, 16, 11, True, "float16", "UInt16"
    UINT32 = 3, 32, 0, False, "uint32", "UInt32"
    UINT16 = 4, 16, 0, False, "uint16", "UInt16"
    UINT8 = 5, 8, 0, False, "uint8", "UInt8"
    INT32 = 6, 32, 0, True, "int32", "Int32"
    INT16 = 7, 16, 0, True, "int16", "Int16"
    INT8 = 8, 8, 0, True, "int8", "Int8"
    FLOAT64 = 9, 64, 53, True, "float64", "Float64"
    UINT64 = 10, 64, 0, False, "uint64", "UInt64"
    INT64 = 11, 64, 0, True, "int64", "Int64"
    UINT4 = 12, 4, 0, False, None, None
    INT4 = 13, 4, 0, True, None, None

    def __new__(
        cls,
        number: int,
        bits: int,
        precision: int,
        signed: bool,  # noqa: FBT001 (a column of the table)
        dtype: str | None,
        union_member: str | None,
    ) -> Self:
        """Make a member from a line of the table."""
        member = int.__new__(cls, number)
        member._value_ = number
        member.bits = bits
        member.precision = precision
        member.signed = signed
        member.dtype = np.dtype(dtype) if dtype else None
        member.union_member = union_member
        member.item_bytes = bits // 8
        infinity = ((1 << (bits - precision)) - 1) << (precision - 1) if precision else 0
        member.infinities = (infinity, infinity | 1 << (bits - 1)) if precision else ()
        return member

    @property
    def is_float(self) -> bool:
        """True for binary floats."""
        return self.precision != 0

    @property
    def minimum(self) -> int:
        """The smallest integer of an integer data type."""
        return -(1 << (self.bits - 1)) if self.signed else 0

    @property
    def maximum(self) -> int:
        """The largest integer of an integer data type."""
        return (1 << (self.bits - self.signed)) - 1


#: The data types that fills can write: whole bytes, and arithmetic that is defined.
FILL_DATA_TYPES = tuple(t for t in TensorDataType if t.dtype is not None)

_BY_DTYPE = {t.dtype: t for t in FILL_DATA_TYPES}
_DATA_TYPE_PREFIX = "DML_TENSOR_DATA_TYPE_"

#: Anything that `as_data_type` understands.
DataTypeLike = TensorDataType | DTypeLike


def as_data_type(like: DataTypeLike) -> TensorDataType:
    """Return the data type that a TensorDataType or anything NumPy takes as a dtype stands for.

    Raises
    ------
    DataTypeError
        No data type of DirectML corresponds to it, or its byte order is not this machine's.

    Examples
    --------
    >>> as_data_type(np.float16)
    <TensorDataType.FLOAT16: 2>
    """
    if isinstance(like, TensorDataType):
        return like
    try:
        dtype = np.dtype(like)
    except (TypeError, ValueError, SyntaxError):
        raise DataTypeError("needs a NumPy dtype or a TensorDataType", given=shown(like)) from None
    found = _BY_DTYPE.get(dtype) if like is not None else None
    if found is None and dtype.name in ("int4", "uint4"):  # of ml_dtypes; a name takes 3 us
        found = TensorDataType[dtype.name.upper()]
    if found is None:
        raise unsupported_dtype("None" if like is None else dtype)
    return found


def unsupported_dtype(dtype: np.dtype[Any] | str) -> DataTypeError:
    """Return the error for a dtype, or a description of one, outside of the table."""
    names = ", ".join(str(t.dtype) for t in FILL_DATA_TYPES)
    is_swapped = False
    # Dtypes of NumPy's newer kind, such as StringDType, have no byte order to change.
    if isinstance(dtype, np.dtype) and dtype.byteorder in "<>":
        is_swapped = dtype.newbyteorder("=") in _BY_DTYPE
    hint = "convert it to this machine's byte order" if is_swapped else None
    return DataTypeError(f"needs one of the data types {names}", given=str(dtype), hint=hint)


def data_type_from_name(name: str) -> TensorDataType:
    """Return the data type with DirectML's name, the prefix DML_TENSOR_DATA_TYPE_ being optional.

    Raises
    ------
    DataTypeError
        There is no such name.
    """
    found = TensorDataType.__members__.get(name.removeprefix(_DATA_TYPE_PREFIX))
    if found is None:
        names = ", ".join(name for name in TensorDataType.__members__ if name != "UNKNOWN")
        raise DataTypeError(f"needs one of {names}", given=shown(name))
    return found
