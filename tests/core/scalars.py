"""The data types of numbers as tests need them, and what every refused number has."""

import numpy as np
import pytest

from indirectml.core.data_types import TensorDataType
from indirectml.core.errors import HResult

FLOAT16, FLOAT32, FLOAT64 = TensorDataType.FLOAT16, TensorDataType.FLOAT32, TensorDataType.FLOAT64
INT8, INT16, INT32, INT64 = (TensorDataType[f"INT{n}"] for n in (8, 16, 32, 64))
UINT8, UINT16, UINT32, UINT64 = (TensorDataType[f"UINT{n}"] for n in (8, 16, 32, 64))

#: data type: NumPy's float type, its bits' type, precision, exponent of the smallest normal.
FLOATS = {
    FLOAT16: (np.float16, np.uint16, 11, -14),
    FLOAT32: (np.float32, np.uint32, 24, -126),
    FLOAT64: (np.float64, np.uint64, 53, -1022),
}
#: data type: code of struct, smallest and largest integer.
INTEGERS = {
    INT8: ("b", -(2**7), 2**7 - 1),
    INT16: ("h", -(2**15), 2**15 - 1),
    INT32: ("i", -(2**31), 2**31 - 1),
    INT64: ("q", -(2**63), 2**63 - 1),
    UINT8: ("B", 0, 2**8 - 1),
    UINT16: ("H", 0, 2**16 - 1),
    UINT32: ("I", 0, 2**32 - 1),
    UINT64: ("Q", 0, 2**64 - 1),
}

by_name = {"ids": lambda value: value.name if isinstance(value, TensorDataType) else None}
any_float = pytest.mark.parametrize("data_type", FLOATS, **by_name)
any_integer = pytest.mark.parametrize("data_type", INTEGERS, **by_name)


def assert_refused(error, kind, text, *, field=None):
    assert type(error) is kind, repr(error)
    assert str(error) == text, str(error)
    assert error.field == field, error.field
    assert error.hresult == HResult.E_INVALIDARG == 0x80070057, error.hresult
