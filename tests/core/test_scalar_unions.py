"""Raw bits are taken as they are, and a ScalarUnion holds eight bytes by any of its members."""

import copy
import math
import pickle
import struct

import pytest

from indirectml.core.errors import DataTypeError, ScalarError
from indirectml.core.scalars import ScalarUnion, exact_bits
from tests.core.scalars import (
    FLOAT16,
    FLOAT32,
    FLOAT64,
    INT8,
    INT16,
    INT64,
    UINT8,
    UINT32,
    assert_refused,
)

# Raw bits.


RAW = bytes.fromhex("f1e2d3c4b5a69788")


@pytest.mark.parametrize("kind", [bytes, bytearray, ScalarUnion])
@pytest.mark.parametrize(
    ("data_type", "bits"),
    [
        pytest.param(UINT8, 0xF1, id="uint8"),
        pytest.param(INT8, 0xF1, id="int8"),
        pytest.param(INT16, 0xE2F1, id="int16"),
        pytest.param(FLOAT16, 0xE2F1, id="float16"),
        pytest.param(UINT32, 0xC4D3E2F1, id="uint32"),
        pytest.param(FLOAT32, 0xC4D3E2F1, id="float32"),
        pytest.param(INT64, 0x8897A6B5C4D3E2F1, id="int64"),
        pytest.param(FLOAT64, 0x8897A6B5C4D3E2F1, id="float64"),
    ],
)
def test_raw_bits_are_taken_as_they_are(kind, data_type, bits):
    for is_delta in (False, True):
        assert exact_bits(kind(RAW), data_type, is_delta=is_delta) == bits
    assert ScalarUnion(RAW).bits(data_type) == bits


@pytest.mark.parametrize("length", [0, 1, 2, 4, 7, 9, 12])
def test_raw_bits_are_eight_bytes(length):
    raw = bytes(range(length))

    for convert in (ScalarUnion, lambda value: exact_bits(value, UINT8)):
        with pytest.raises(ScalarError) as caught:
            convert(raw)
        assert_refused(caught.value, ScalarError, f"a scalar union has 8 bytes, got {raw!r}")


@pytest.mark.parametrize("value", [5, "12345678", 1.5, [1] * 8])
def test_a_scalar_union_is_not_made_of_anything_else(value):
    with pytest.raises(ScalarError) as caught:
        ScalarUnion(value)

    assert_refused(caught.value, ScalarError, f"a scalar union has 8 bytes, got {value!r}")


# ScalarUnion.


MEMBERS = [
    pytest.param("int8", "b", (-128, -1, 127), id="int8"),
    pytest.param("uint8", "B", (0, 200, 255), id="uint8"),
    pytest.param("int16", "h", (-(2**15), 2**15 - 1), id="int16"),
    pytest.param("uint16", "H", (1, 2**16 - 1), id="uint16"),
    pytest.param("int32", "i", (-(2**31), 2**31 - 1), id="int32"),
    pytest.param("uint32", "I", (1, 2**32 - 1), id="uint32"),
    pytest.param("int64", "q", (-(2**63), 2**63 - 1), id="int64"),
    pytest.param("uint64", "Q", (1, 2**64 - 1), id="uint64"),
    pytest.param("float32", "f", (1.5, -0.0, math.inf, 0.1, 2.0**-149), id="float32"),
    pytest.param("float64", "d", (1.5, -0.0, math.inf, 0.1, 5e-324), id="float64"),
]


@pytest.mark.parametrize(("member", "code", "values"), MEMBERS)
def test_a_member_fills_the_low_bytes_and_zeros_the_rest(member, code, values):
    for value in values:
        union = ScalarUnion(**{member: value})
        assert union.raw == struct.pack(f"<{code}", value).ljust(8, b"\0")


@pytest.mark.parametrize(
    ("member", "value", "kind", "text"),
    [
        pytest.param("int8", 300, ScalarError, "INT8 holds -128..127, got 300", id="too-large"),
        pytest.param("uint16", -1, ScalarError, "UINT16 holds 0..65535, got -1", id="negative"),
        pytest.param("int32", "1", DataTypeError, "needs a number, got '1' (str)", id="string"),
        pytest.param(
            "float32",
            1e39,
            ScalarError,
            "FLOAT32 holds finite numbers up to 3.40282e+38 in magnitude, got 1e+39",
            id="becomes-infinite",
        ),
    ],
)
def test_a_member_that_does_not_hold_the_number_is_named(member, value, kind, text):
    with pytest.raises(kind) as caught:
        ScalarUnion(**{member: value})

    assert_refused(caught.value, kind, f"{member}: {text}", field=member)


@pytest.mark.parametrize(
    ("raw", "members", "given_as"),
    [
        pytest.param((), {"float16": 1.0}, "float16", id="float16"),
        pytest.param((), {"Float32": 1.0}, "Float32", id="capital"),
        pytest.param((), {"int8": 1, "uint8": 2}, "int8, uint8", id="two-members"),
        pytest.param((RAW,), {"int8": 1}, "raw, int8", id="bytes-and-member"),
    ],
)
def test_a_scalar_union_needs_its_bytes_or_one_member(raw, members, given_as):
    with pytest.raises(ScalarError) as caught:
        ScalarUnion(*raw, **members)

    assert_refused(
        caught.value,
        ScalarError,
        "a scalar union needs its bytes or one of float32, uint32, uint16, uint8, int32, int16,"
        f" int8, float64, uint64, int64, got {given_as}",
    )


def test_a_scalar_union_without_anything_is_zero():
    assert ScalarUnion().raw == bytes(8)


def test_a_scalar_union_of_a_bytearray_keeps_a_copy():
    raw = bytearray(RAW)
    union = ScalarUnion(raw)

    raw[0] = 0

    assert union.raw == RAW


def test_a_scalar_union_does_not_change():
    union = ScalarUnion(RAW)

    with pytest.raises(AttributeError, match="raw"):
        union.raw = bytes(8)
    with pytest.raises(AttributeError, match="other"):
        union.other = 1
    with pytest.raises(AttributeError, match="raw"):
        del union.raw

    assert union.raw == RAW


def test_scalar_unions_are_equal_if_their_bytes_are():
    assert ScalarUnion(int8=-1) == ScalarUnion(uint8=255)
    assert hash(ScalarUnion(int8=-1)) == hash(ScalarUnion(uint8=255))
    assert ScalarUnion(float32=1.5) == ScalarUnion(uint32=0x3FC00000)
    assert ScalarUnion(float32=math.nan) == ScalarUnion(float32=math.nan)
    assert ScalarUnion(float32=0.0) != ScalarUnion(float32=-0.0)
    assert ScalarUnion(int8=-1) != ScalarUnion(int16=-1)
    assert ScalarUnion(uint64=1 << 63) != ScalarUnion()
    assert ScalarUnion(RAW) != RAW
    assert len({ScalarUnion(int8=1), ScalarUnion(uint8=1), ScalarUnion(int8=2)}) == 2


def test_a_scalar_union_shows_how_to_make_it():
    assert repr(ScalarUnion(RAW)) == "ScalarUnion(bytes.fromhex('f1e2d3c4b5a69788'))"


@pytest.mark.parametrize(
    "duplicate",
    [
        pytest.param(copy.copy, id="copy"),
        pytest.param(copy.deepcopy, id="deepcopy"),
        pytest.param(lambda union: pickle.loads(pickle.dumps(union)), id="pickle"),  # noqa: S301
    ],
)
def test_a_scalar_union_can_be_copied(duplicate):
    assert duplicate(ScalarUnion(RAW)) == ScalarUnion(RAW)
