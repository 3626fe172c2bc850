"""The facts about operators, feature levels, data types and names, against the published tables."""

import math
import subprocess
import sys

import numpy as np
import pytest

from indirectml.catalogue import FieldFacts, TensorSupport, operator_facts, operator_names
from indirectml.catalogue.feature_levels import FeatureLevel, as_feature_level, tensor_support
from indirectml.core.data_types import (
    FILL_DATA_TYPES,
    TensorDataType,
    as_data_type,
    data_type_from_name,
)
from indirectml.core.errors import DataTypeError, DescriptorError, DirectMLError, HResult
from indirectml.descriptors.names import camel_case, snake_case
from tests.parameters import in_one_test

T = TensorDataType


def assert_refused(error, kind, text, *, field=None):
    assert type(error) is kind
    assert str(error) == text
    assert error.field == field
    assert error.hresult == HResult.E_INVALIDARG == 0x80070057


# Operators.


NUMBERS = {
    1: "ELEMENT_WISE_IDENTITY",
    96: "RESAMPLE",
    97: "ELEMENT_WISE_BIT_SHIFT_LEFT",
    98: "ELEMENT_WISE_BIT_SHIFT_RIGHT",
    99: "ELEMENT_WISE_ROUND",
    100: "ELEMENT_WISE_IS_INFINITY",
    101: "ELEMENT_WISE_MODULUS_TRUNCATE",
    102: "ELEMENT_WISE_MODULUS_FLOOR",
    103: "FILL_VALUE_CONSTANT",
    104: "FILL_VALUE_SEQUENCE",
    105: "CUMULATIVE_SUMMATION",
    106: "REVERSE_SUBSEQUENCES",
    107: "GATHER_ELEMENTS",
    108: "GATHER_ND",
    109: "SCATTER_ND",
}


def test_there_are_177_operators_numbered_in_order():
    names = operator_names()

    assert len(names) == 177
    assert [operator_facts(name).number for name in names] == list(range(1, 178))


@in_one_test(number_and_name=NUMBERS.items())
def test_operators_have_their_published_numbers(number_and_name):
    number, name = number_and_name
    assert operator_facts(name).number == number
    assert operator_facts(name).name == name


def test_the_prefix_of_an_operator_is_optional():
    assert operator_facts("DML_OPERATOR_FILL_VALUE_SEQUENCE") == operator_facts(
        "FILL_VALUE_SEQUENCE"
    )
    assert operator_facts("DML_OPERATOR_GEMM").name == "GEMM"


@pytest.mark.parametrize(
    ("name", "suggestion"),
    [
        pytest.param("FILL_VALUE_SEQENCE", "FILL_VALUE_SEQUENCE", id="misspelt"),
        pytest.param("FILL_VALUE_CONST", "FILL_VALUE_CONSTANT", id="cut-off"),
        pytest.param("fill_value_constant", "FILL_VALUE_CONSTANT", id="lower-case"),
        pytest.param("DML_OPERATOR_ACTIVATION_RELUX", "ACTIVATION_RELU", id="prefixed"),
        pytest.param("dml_operator_fill_value_sequence", "FILL_VALUE_SEQUENCE", id="lower-prefix"),
    ],
)
def test_an_unknown_operator_is_refused_with_a_suggestion(name, suggestion):
    with pytest.raises(DescriptorError) as caught:
        operator_facts(name)

    assert_refused(
        caught.value,
        DescriptorError,
        f"needs the name of a DirectML operator, got '{name}'; did you mean {suggestion}",
    )


@pytest.mark.parametrize("name", ["", "QQQQQQ", "DML_OPERATOR_"])
def test_an_operator_like_no_other_is_refused_without_a_suggestion(name):
    with pytest.raises(DescriptorError) as caught:
        operator_facts(name)

    assert_refused(
        caught.value, DescriptorError, f"needs the name of a DirectML operator, got '{name}'"
    )


def test_the_fields_of_the_fills_are_those_of_their_structures():
    output = FieldFacts("OutputTensor", "output_tensor", "TENSOR_DESC")
    data_type = FieldFacts("ValueDataType", "attribute", "TENSOR_DATA_TYPE")

    assert operator_facts("FILL_VALUE_CONSTANT").fields == (
        output,
        data_type,
        FieldFacts("Value", "attribute", "SCALAR_UNION"),
    )
    assert operator_facts("FILL_VALUE_SEQUENCE").fields == (
        output,
        data_type,
        FieldFacts("ValueStart", "attribute", "SCALAR_UNION"),
        FieldFacts("ValueDelta", "attribute", "SCALAR_UNION"),
    )


@pytest.mark.parametrize(
    ("name", "level"),
    [
        pytest.param("ELEMENT_WISE_IDENTITY", "1_0", id="first"),
        pytest.param("FILL_VALUE_CONSTANT", "2_1", id="constant"),
        pytest.param("FILL_VALUE_SEQUENCE", "2_1", id="sequence"),
        pytest.param("DIAGONAL_MATRIX1", "5_1", id="diagonal-matrix"),
        pytest.param("QUANTIZE", "6_3", id="quantize"),
    ],
)
def test_operators_were_introduced_at_their_published_levels(name, level):
    assert operator_facts(name).introduced == level


@in_one_test(name=operator_names())
def test_the_facts_of_an_operator_fit_together(name):
    facts = operator_facts(name)
    fields = {field.name: field for field in facts.fields}
    tensors = {field.name for field in facts.fields if field.kind != "attribute"}

    assert len(fields) == len(facts.fields)
    assert {field.kind for field in facts.fields} <= {"input_tensor", "output_tensor", "attribute"}
    assert any(field.kind == "output_tensor" for field in facts.fields)
    for field in facts.fields:
        assert field.kind == "attribute" or field.type == "TENSOR_DESC"
        assert field.count_field is None or fields[field.count_field].type == "UINT"
    assert as_feature_level(facts.introduced) in FeatureLevel
    assert facts.support
    for support in facts.support.values():
        assert support.keys() <= tensors
        for tensor in support.values():
            assert 1 <= tensor.minimum_dimension_count <= tensor.maximum_dimension_count <= 8
            assert tensor.data_types is None or T.UNKNOWN not in tensor.data_types


def test_importing_does_not_read_the_catalogue():
    code = """
import sys
opened = []
sys.addaudithook(lambda event, args: opened.append(str(args[0])) if event == "open" else None)
import indirectml
print(any("operators.json" in name for name in opened))
from indirectml.catalogue import operator_facts
from tests.parameters import in_one_test, in_one_test
operator_facts("GEMM")
print(any("operators.json" in name for name in opened))
"""
    command = [sys.executable, "-c", code]

    done = subprocess.run(command, capture_output=True, text=True, check=True)

    assert done.stdout.split() == ["False", "True"]


# What the fills support.


EIGHT = {T.FLOAT32, T.FLOAT16, T.INT32, T.INT16, T.INT8, T.UINT32, T.UINT16, T.UINT8}

#: Feature levels, dimension counts, data types.
CONSTANT = [
    ("2_1 3_0 3_1", (4, 4), EIGHT),
    ("4_0", (1, 8), EIGHT),
    ("4_1 5_0 5_1 5_2 6_0 6_1 6_2 6_3 6_4", (1, 8), EIGHT | {T.FLOAT64, T.INT64, T.UINT64}),
]
SEQUENCE = [
    ("2_1 3_0 3_1", (4, 4), EIGHT),
    ("4_0 4_1", (1, 8), EIGHT),
    ("5_0 5_1 5_2 6_0 6_1 6_2 6_3 6_4", (1, 8), EIGHT | {T.INT64, T.UINT64}),
]
SUPPORT = [
    pytest.param(f"FILL_VALUE_{name}", level, counts, data_types, id=f"{name.lower()}-{level}")
    for name, table in (("CONSTANT", CONSTANT), ("SEQUENCE", SEQUENCE))
    for levels, counts, data_types in table
    for level in levels.split()
]


@pytest.mark.parametrize(("operator", "level", "counts", "data_types"), SUPPORT)
def test_the_fills_support_what_the_published_tables_say(operator, level, counts, data_types):
    support = tensor_support(operator, FeatureLevel[f"LEVEL_{level}"])

    assert support.keys() == {"OutputTensor"}
    output = support["OutputTensor"]
    assert (output.minimum_dimension_count, output.maximum_dimension_count) == counts
    assert set(output.data_types) == data_types
    assert len(output.data_types) == len(data_types)


def test_the_tables_of_the_fills_have_every_level():
    levels = [str(level) for level in FeatureLevel if level >= FeatureLevel.LEVEL_2_1]

    for table in (CONSTANT, SEQUENCE):
        assert " ".join(line[0] for line in table).split() == levels


@pytest.mark.parametrize("operator", ["FILL_VALUE_CONSTANT", "FILL_VALUE_SEQUENCE"])
@pytest.mark.parametrize("level", ["1_0", "2_0"])
def test_the_fills_need_feature_level_2_1(operator, level):
    with pytest.raises(DescriptorError) as caught:
        tensor_support(operator, FeatureLevel[f"LEVEL_{level}"])

    assert_refused(
        caught.value, DescriptorError, f"needs feature level 2_1, got a device of level {level}"
    )


def widens(before, after):
    """Return whether what a tensor may be at one level, it may be at a later one."""
    return (
        after.minimum_dimension_count <= before.minimum_dimension_count
        and before.maximum_dimension_count <= after.maximum_dimension_count
        and (before.data_types is None or set(before.data_types) <= set(after.data_types))
    )


@in_one_test(name=operator_names())
def test_a_level_contains_all_lower_ones(name):
    before = {}
    for level in FeatureLevel:
        try:
            support = tensor_support(name, level)
        except DescriptorError:
            assert not before
            continue
        assert before.keys() <= support.keys()
        assert all(isinstance(tensor, TensorSupport) for tensor in support.values())
        assert all(widens(tensor, support[field]) for field, tensor in before.items())
        before = support


@in_one_test(name=operator_names())
def test_a_level_that_is_too_low_is_told_a_higher_one(name):
    for level in FeatureLevel:
        try:
            tensor_support(name, level)
        except DescriptorError as error:
            needed = as_feature_level(error.required.removeprefix("needs feature level "))
            assert needed > level
            assert tensor_support(name, needed)


# Feature levels.


#: number, first version of DirectML with it
LEVELS = {
    "1_0": (0x1000, "1.0.0"),
    "2_0": (0x2000, "1.1.0"),
    "2_1": (0x2100, "1.2.0"),
    "3_0": (0x3000, "1.4.0"),
    "3_1": (0x3100, "1.5.0"),
    "4_0": (0x4000, "1.6.0"),
    "4_1": (0x4100, "1.7.0"),
    "5_0": (0x5000, "1.8.0"),
    "5_1": (0x5100, "1.9.0"),
    "5_2": (0x5200, "1.10.0"),
    "6_0": (0x6000, "1.11.0"),
    "6_1": (0x6100, "1.12.0"),
    "6_2": (0x6200, "1.13.0"),
    "6_3": (0x6300, "1.15.0"),
    "6_4": (0x6400, "1.15.0"),
}


def test_feature_levels_have_their_published_numbers_and_versions():
    table = {str(level): (int(level), level.directml_version) for level in FeatureLevel}

    assert table == LEVELS
    assert list(FeatureLevel) == sorted(FeatureLevel)
    for text, (number, _) in LEVELS.items():
        major, minor = map(int, text.split("_"))
        assert number == major << 12 | minor << 8


@pytest.mark.parametrize("text", LEVELS)
def test_a_feature_level_is_given_in_any_spelling(text):
    level = FeatureLevel(LEVELS[text][0])

    for prefix in ("", "LEVEL_", "level_", "DML_FEATURE_LEVEL_", "dml_feature_level_"):
        assert as_feature_level(prefix + text) is level
        assert as_feature_level(prefix + text.replace("_", ".")) is level
    assert as_feature_level(level) is level
    assert str(level) == f"{level}" == text


@pytest.mark.parametrize(
    "like",
    [
        pytest.param("7_0", id="too-high"),
        pytest.param("0_9", id="too-low"),
        pytest.param("6_5", id="no-such-minor"),
        pytest.param("2", id="no-minor"),
        pytest.param("2-1", id="wrong-separator"),
        pytest.param("", id="empty"),
        pytest.param("newest", id="word"),
        pytest.param(None, id="none"),
        pytest.param(2, id="integer"),
    ],
)
def test_a_feature_level_that_does_not_exist_is_refused(like):
    with pytest.raises(DescriptorError) as caught:
        as_feature_level(like)

    assert_refused(
        caught.value,
        DescriptorError,
        f"feature_level: needs a feature level from 1_0 to 6_4, got {like!r}",
        field="feature_level",
    )


# Data types.


#: number, name, bits, NumPy's name, member of the scalar union
DATA_TYPES = [
    pytest.param(0, "UNKNOWN", 0, None, None, id="UNKNOWN"),
    pytest.param(1, "FLOAT32", 32, "float32", "Float32", id="FLOAT32"),
    pytest.param(2, "FLOAT16", 16, "float16", "UInt16", id="FLOAT16"),
    pytest.param(3, "UINT32", 32, "uint32", "UInt32", id="UINT32"),
    pytest.param(4, "UINT16", 16, "uint16", "UInt16", id="UINT16"),
    pytest.param(5, "UINT8", 8, "uint8", "UInt8", id="UINT8"),
    pytest.param(6, "INT32", 32, "int32", "Int32", id="INT32"),
    pytest.param(7, "INT16", 16, "int16", "Int16", id="INT16"),
    pytest.param(8, "INT8", 8, "int8", "Int8", id="INT8"),
    pytest.param(9, "FLOAT64", 64, "float64", "Float64", id="FLOAT64"),
    pytest.param(10, "UINT64", 64, "uint64", "UInt64", id="UINT64"),
    pytest.param(11, "INT64", 64, "int64", "Int64", id="INT64"),
    pytest.param(12, "UINT4", 4, None, None, id="UINT4"),
    pytest.param(13, "INT4", 4, None, None, id="INT4"),
]
with_dtype = pytest.mark.parametrize("data_type", FILL_DATA_TYPES, ids=lambda t: t.name)


@pytest.mark.parametrize(("number", "name", "bits", "dtype", "member"), DATA_TYPES)
def test_the_table_of_data_types_is_the_published_one(number, name, bits, dtype, member):
    data_type = T(number)

    assert data_type.name == name
    assert data_type is T[name]
    assert data_type.bits == bits
    assert data_type.dtype == (None if dtype is None else np.dtype(dtype))
    assert data_type.union_member == member


def test_there_are_no_other_data_types():
    assert [int(data_type) for data_type in T] == list(range(14))


@with_dtype
def test_a_data_type_is_what_numpy_says_of_its_dtype(data_type):
    dtype = data_type.dtype

    assert data_type.item_bytes == dtype.itemsize
    assert data_type.is_float == (dtype.kind == "f")
    assert data_type.signed == (dtype.kind != "u")
    assert dtype.isnative
    if data_type.is_float:
        limits = np.finfo(dtype)
        infinities = np.array([math.inf, -math.inf], dtype)
        assert data_type.precision == limits.nmant + 1
        assert data_type.infinities == tuple(infinities.view(f"u{dtype.itemsize}").tolist())
    else:
        limits = np.iinfo(dtype)
        assert data_type.precision == 0
        assert data_type.infinities == ()
        assert (data_type.minimum, data_type.maximum) == (limits.min, limits.max)


def test_data_types_of_four_bits_have_the_limits_of_four_bits():
    assert (T.INT4.minimum, T.INT4.maximum, T.INT4.signed) == (-8, 7, True)
    assert (T.UINT4.minimum, T.UINT4.maximum, T.UINT4.signed) == (0, 15, False)


@pytest.mark.parametrize("data_type", T, ids=lambda t: t.name)
def test_a_data_type_is_found_by_its_name(data_type):
    assert data_type_from_name(data_type.name) is data_type
    assert data_type_from_name(f"DML_TENSOR_DATA_TYPE_{data_type.name}") is data_type
    assert as_data_type(data_type) is data_type


@with_dtype
def test_a_data_type_is_found_by_its_dtype(data_type):
    dtype = data_type.dtype

    for like in (dtype, dtype.type, dtype.name, dtype.str, dtype.char, f"={dtype.str[1:]}"):
        assert as_data_type(like) is data_type


@pytest.mark.parametrize(
    ("like", "data_type"),
    [
        pytest.param(float, T.FLOAT64, id="float"),
        pytest.param(np.double, T.FLOAT64, id="double"),
        pytest.param(np.half, T.FLOAT16, id="half"),
        pytest.param(np.longlong, T.INT64, id="long-long"),
        pytest.param(np.ulonglong, T.UINT64, id="unsigned-long-long"),
        pytest.param(np.intc, T.INT32, id="int-of-c"),
        pytest.param(np.dtype("float32", metadata={"unit": "m"}), T.FLOAT32, id="metadata"),
        pytest.param(">i1", T.INT8, id="one-byte-has-no-order"),
    ],
)
def test_another_name_of_a_dtype_is_the_same_data_type(like, data_type):
    assert as_data_type(like) is data_type


NAMES = "float32, float16, uint32, uint16, uint8, int32, int16, int8, float64, uint64, int64"


@pytest.mark.parametrize(
    ("like", "given_as"),
    [
        pytest.param(None, "None", id="none"),
        pytest.param(bool, "bool", id="bool"),
        pytest.param(np.complex64, "complex64", id="complex"),
        pytest.param(object, "object", id="object"),
        pytest.param("M8[s]", "datetime64[s]", id="time"),
        pytest.param(np.dtype("U3"), np.dtype("U3").str, id="string"),
        pytest.param(str, np.dtype(str).str, id="python-string"),
        pytest.param("S3", "|S3", id="bytes"),
        pytest.param("V4", "|V4", id="void"),
        pytest.param(np.dtype("c8").newbyteorder(), None, id="complex-of-another-order"),
        pytest.param([("a", "f4")], None, id="record"),
    ],
)
def test_a_dtype_outside_of_the_table_is_refused(like, given_as):
    with pytest.raises(DataTypeError) as caught:
        as_data_type(like)

    given_as = str(np.dtype(like)) if given_as is None else given_as
    assert_refused(
        caught.value, DataTypeError, f"needs one of the data types {NAMES}, got {given_as}"
    )
    assert isinstance(caught.value, TypeError)


@pytest.mark.parametrize("code", ["f2", "f4", "f8", "i2", "i4", "i8", "u2", "u4", "u8"])
def test_a_dtype_of_another_byte_order_is_refused_with_a_hint(code):
    dtype = np.dtype(code).newbyteorder()

    with pytest.raises(DataTypeError) as caught:
        as_data_type(dtype)

    assert_refused(
        caught.value,
        DataTypeError,
        f"needs one of the data types {NAMES}, got {dtype.str};"
        " convert it to this machine's byte order",
    )


@pytest.mark.parametrize(
    "like",
    [
        pytest.param("FLOAT32", id="name-of-directml"),
        pytest.param("quadruple", id="word"),
        pytest.param("", id="empty"),
        pytest.param(6, id="number"),
        pytest.param(1.5, id="float"),
        pytest.param([1], id="list"),
        pytest.param("f4,,", id="a-record-with-a-slip"),
        pytest.param([("a", "f4"), ("a", "f4")], id="a-record-with-a-name-twice"),
    ],
)
def test_what_is_no_dtype_is_refused(like):
    with pytest.raises(DataTypeError) as caught:
        as_data_type(like)

    assert_refused(
        caught.value, DataTypeError, f"needs a NumPy dtype or a TensorDataType, got {like!r}"
    )


@pytest.mark.parametrize("name", ["float32", "", "DML_TENSOR_DATA_TYPE_", "FLOAT8", "HALF"])
def test_an_unknown_name_of_a_data_type_is_refused_with_all_names(name):
    with pytest.raises(DataTypeError) as caught:
        data_type_from_name(name)

    assert_refused(
        caught.value,
        DataTypeError,
        "needs one of FLOAT32, FLOAT16, UINT32, UINT16, UINT8, INT32, INT16, INT8,"
        f" FLOAT64, UINT64, INT64, UINT4, INT4, got '{name}'",
    )
    assert isinstance(caught.value, DirectMLError)


# Names made by rule.


SPELLINGS = [
    pytest.param("OutputTensor", "output_tensor", id="two-words"),
    pytest.param("ValueDataType", "value_data_type", id="three-words"),
    pytest.param("Value", "value", id="one-word"),
    pytest.param("ATensor", "a_tensor", id="letter-first"),
    pytest.param("AZeroPointTensor", "a_zero_point_tensor", id="letter-before-words"),
    pytest.param("K", "k", id="one-letter"),
    pytest.param("Beta1", "beta1", id="digit"),
    pytest.param("ROITensor", "roi_tensor", id="capitals-first"),
    pytest.param("OutputROIGradientTensor", "output_roi_gradient_tensor", id="capitals-within"),
]
FIELDS = sorted({field.name for name in operator_names() for field in operator_facts(name).fields})


@pytest.mark.parametrize(("directml", "python"), SPELLINGS)
def test_a_field_has_one_spelling_in_python_and_one_in_directml(directml, python):
    assert directml in FIELDS
    assert snake_case(directml) == python
    assert camel_case(python) == directml


def test_every_field_name_goes_to_python_and_back():
    assert [name for name in FIELDS if camel_case(snake_case(name)) != name] == []


def test_every_field_name_is_a_name_of_its_own_in_python():
    names = [snake_case(name) for name in FIELDS]

    assert len(set(names)) == len(names) > 180
    assert all(name.isidentifier() and name == name.lower() for name in names)
