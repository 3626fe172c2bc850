"""Tensor descriptors that break a rule are refused, in exact and short words."""

import numpy as np
import pytest

from indirectml.core.data_types import TensorDataType
from indirectml.core.errors import DataTypeError, DescriptorError, HResult
from indirectml.core.tensors import TensorDesc
from tests.core.tensors import ALIGNMENT, make

T = TensorDataType
NAMES = "float32, float16, uint32, uint16, uint8, int32, int16, int8, float64, uint64, int64"
HUGE = 10**5000
SIZE = "each size is from 1 to 4294967295"
STRIDE = "each stride is from 0 to 4294967295"
FLAGS = "needs TensorFlags.NONE or OWNED_BY_DML"

#: what is not float32 of sizes [2, 3], kind of error, text
REFUSED = [
    pytest.param(
        {"data_type": T.UNKNOWN},
        DataTypeError,
        "data_type: needs a known data type, got UNKNOWN",
        id="unknown-data-type",
    ),
    pytest.param(
        {"data_type": bool},
        DataTypeError,
        f"data_type: needs one of the data types {NAMES}, got bool",
        id="unsupported-data-type",
    ),
    pytest.param(
        {"data_type": "quadruple"},
        DataTypeError,
        "data_type: needs a NumPy dtype or a TensorDataType, got 'quadruple'",
        id="no-data-type",
    ),
    pytest.param(
        {"sizes": []},
        DescriptorError,
        "sizes: needs 1 to 8 dimensions, got 0; write a scalar as [1]",
        id="no-dimensions",
    ),
    pytest.param(
        {"sizes": [1] * 9},
        DescriptorError,
        "sizes: needs 1 to 8 dimensions, got 9",
        id="nine-dimensions",
    ),
    pytest.param({"sizes": [0]}, DescriptorError, f"sizes: {SIZE}, got [0]", id="size-zero"),
    pytest.param(
        {"sizes": (2, 0, 3)}, DescriptorError, f"sizes: {SIZE}, got [2, 0, 3]", id="one-size-zero"
    ),
    pytest.param({"sizes": [-1]}, DescriptorError, f"sizes: {SIZE}, got [-1]", id="negative-size"),
    pytest.param(
        {"sizes": [2**32]}, DescriptorError, f"sizes: {SIZE}, got [4294967296]", id="size-too-large"
    ),
    pytest.param(
        {"sizes": [2**16, 2**16]},
        DescriptorError,
        "sizes: a tensor has at most 4294967295 elements, got 4294967296 [65536, 65536]",
        id="too-many-elements",
    ),
    pytest.param(
        {"sizes": [1.0]},
        DataTypeError,
        "sizes: needs a sequence of integers, got [1.0]",
        id="size-is-a-float",
    ),
    pytest.param(
        {"sizes": ["1"]},
        DataTypeError,
        "sizes: needs a sequence of integers, got ['1']",
        id="size-is-a-string",
    ),
    pytest.param(
        {"sizes": "12"},
        DataTypeError,
        "sizes: needs a sequence of integers, got '12'",
        id="sizes-are-a-string",
    ),
    pytest.param(
        {"sizes": b"12"},
        DataTypeError,
        "sizes: needs a sequence of integers, got b'12'",
        id="sizes-are-bytes",
    ),
    pytest.param(
        {"sizes": 6},
        DataTypeError,
        "sizes: needs a sequence of integers, got 6",
        id="sizes-are-one-integer",
    ),
    pytest.param(
        {"sizes": None},
        DataTypeError,
        "sizes: needs a sequence of integers, got None",
        id="sizes-are-none",
    ),
    pytest.param(
        {"sizes": np.array([2.0, 3.0])},
        DataTypeError,
        "sizes: needs a sequence of integers, got [2. 3.]",
        id="sizes-are-an-array-of-floats",
    ),
    pytest.param(
        {"strides": [1]},
        DescriptorError,
        "strides: needs one stride per dimension (2), got 1 [1]",
        id="too-few-strides",
    ),
    pytest.param(
        {"strides": (9, 3, 1)},
        DescriptorError,
        "strides: needs one stride per dimension (2), got 3 [9, 3, 1]",
        id="too-many-strides",
    ),
    pytest.param(
        {"strides": []},
        DescriptorError,
        "strides: needs one stride per dimension (2), got 0 []",
        id="no-strides",
    ),
    pytest.param(
        {"strides": [-3, 1]},
        DescriptorError,
        f"strides: {STRIDE}, got [-3, 1]",
        id="negative-stride",
    ),
    pytest.param(
        {"strides": [2**32, 1]},
        DescriptorError,
        f"strides: {STRIDE}, got [4294967296, 1]",
        id="stride-too-large",
    ),
    pytest.param(
        {"strides": [3, 1.0]},
        DataTypeError,
        "strides: needs a sequence of integers, got [3, 1.0]",
        id="stride-is-a-float",
    ),
    pytest.param(
        {"strides": "31"},
        DataTypeError,
        "strides: needs a sequence of integers, got '31'",
        id="strides-are-a-string",
    ),
    pytest.param({"flags": 2}, DescriptorError, f"flags: {FLAGS}, got 2", id="flag-two"),
    pytest.param({"flags": -1}, DescriptorError, f"flags: {FLAGS}, got -1", id="negative-flag"),
    pytest.param({"flags": None}, DescriptorError, f"flags: {FLAGS}, got None", id="no-flag"),
    pytest.param({"flags": "1"}, DescriptorError, f"flags: {FLAGS}, got '1'", id="flag-string"),
    pytest.param(
        {"total_tensor_size_in_bytes": 23},
        DescriptorError,
        "total_tensor_size_in_bytes: needs at least 24 bytes, got 23",
        id="total-too-small",
    ),
    pytest.param(
        {"total_tensor_size_in_bytes": 28, "strides": [5, 1]},
        DescriptorError,
        "total_tensor_size_in_bytes: needs at least 32 bytes, got 28",
        id="total-too-small-for-the-strides",
    ),
    pytest.param(
        {"total_tensor_size_in_bytes": 6, "data_type": np.uint8},
        DescriptorError,
        "total_tensor_size_in_bytes: needs at least 8 bytes, got 6",
        id="total-not-rounded-up",
    ),
    pytest.param(
        {"total_tensor_size_in_bytes": 0},
        DescriptorError,
        "total_tensor_size_in_bytes: needs at least 24 bytes, got 0",
        id="total-zero",
    ),
    pytest.param(
        {"total_tensor_size_in_bytes": 24.0},
        DataTypeError,
        "total_tensor_size_in_bytes: needs an integer, got 24.0",
        id="total-is-a-float",
    ),
    pytest.param(
        {ALIGNMENT: 2},
        DescriptorError,
        f"{ALIGNMENT}: needs 0 or a power of two of at least 4, got 2",
        id="alignment-below-the-element-size",
    ),
    pytest.param(
        {ALIGNMENT: 4, "data_type": np.float64},
        DescriptorError,
        f"{ALIGNMENT}: needs 0 or a power of two of at least 8, got 4",
        id="alignment-below-the-element-size-of-float64",
    ),
    pytest.param(
        {ALIGNMENT: 12},
        DescriptorError,
        f"{ALIGNMENT}: needs 0 or a power of two of at least 4, got 12",
        id="alignment-no-power-of-two",
    ),
    pytest.param(
        {ALIGNMENT: 3, "data_type": T.UINT4},
        DescriptorError,
        f"{ALIGNMENT}: needs 0 or a power of two of at least 1, got 3",
        id="alignment-no-power-of-two-of-uint4",
    ),
    pytest.param(
        {ALIGNMENT: -4},
        DescriptorError,
        f"{ALIGNMENT}: needs 0 or a power of two of at least 4, got -4",
        id="alignment-negative",
    ),
    pytest.param(
        {ALIGNMENT: "16"},
        DataTypeError,
        f"{ALIGNMENT}: needs an integer, got '16'",
        id="alignment-is-a-string",
    ),
]


@pytest.mark.parametrize(("changes", "kind", "text"), REFUSED)
def test_a_descriptor_that_breaks_a_rule_is_refused(changes, kind, text):
    with pytest.raises(kind) as caught:
        make(changes)

    error = caught.value
    assert type(error) is kind
    assert str(error) == text
    assert error.field == text.partition(":")[0]
    assert error.hresult == HResult.E_INVALIDARG == 0x80070057
    assert isinstance(error, TypeError if kind is DataTypeError else ValueError)


def test_a_generator_is_not_shown_by_its_address():
    with pytest.raises(DataTypeError) as caught:
        TensorDesc(np.float32, (n / 2 for n in (4, 5)))

    assert str(caught.value).startswith("sizes: needs a sequence of integers, got ")
    assert "2.0" in caught.value.given
    assert "generator object" not in caught.value.given


@pytest.mark.parametrize(
    "changes",
    [
        pytest.param({"sizes": [HUGE]}, id="size"),
        pytest.param({"sizes": [-HUGE]}, id="negative-size"),
        pytest.param({"sizes": [2.0, HUGE]}, id="size-beside-a-float"),
        pytest.param({"sizes": [1] * 100_000}, id="many-sizes"),
        pytest.param({"strides": [HUGE, 1]}, id="stride"),
        pytest.param({"strides": [1] * 100_000}, id="many-strides"),
        pytest.param({"flags": HUGE}, id="flags"),
        pytest.param({"total_tensor_size_in_bytes": -HUGE}, id="total"),
        pytest.param({ALIGNMENT: HUGE}, id="alignment"),
    ],
)
def test_a_huge_value_is_refused_with_a_short_message(changes):
    with pytest.raises((DescriptorError, DataTypeError)) as caught:
        make(changes)

    assert len(str(caught.value)) < 300
