"""Dispatch models: the text, the grammar, the checks, the output."""

import copy
import json

import numpy as np
import pytest

import indirectml as dml
from indirectml import operators as operators_room
from indirectml.descriptors import definitions
from indirectml.models import dispatchables
from indirectml.models.checking import Limits
from indirectml.models.parsing import parse_model
from indirectml.models.printing import print_values, print_values_verbose
from indirectml.models.running import ModelRun, RunOptions
from indirectml.models.text import parse_json
from indirectml.operators import descriptor_class

MODEL = {
    "resources": {
        "Out": {
            "initialValuesDataType": "FLOAT32",
            "initialValues": {"valueCount": 5, "value": 0},
        }
    },
    "dispatchables": {
        "ramp": {
            "type": "DML_OPERATOR_FILL_VALUE_SEQUENCE",
            "desc": {
                "OutputTensor": {"DataType": "FLOAT32", "Sizes": [1, 1, 1, 5]},
                "ValueDataType": "FLOAT32",
                "ValueStart": 3.2,
                "ValueDelta": 1.5,
            },
        }
    },
    "commands": [
        {"type": "dispatch", "dispatchable": "ramp", "bindings": {"OutputTensor": "Out"}},
        {"type": "print", "resource": "Out"},
    ],
}
RESOURCE = ("resources", "Out")
DESC = ("dispatchables", "ramp", "desc")
MISSING = object()


def changed(*changes):
    """Return the model with some members, given by their paths, changed or removed."""
    model = copy.deepcopy(MODEL)
    for *path, last, value in changes:
        target = model
        for key in path:
            target = target[key]
        if value is MISSING:
            del target[last]
        else:
            target[last] = value
    return model


def lines(model, memory_limit_bytes=2**20, **device):
    options = RunOptions(Limits(memory_limit_bytes))
    run = ModelRun(parse_model(model), dml.Device(**device), options)
    return "".join(run.text()).splitlines()


def printed(model, **device):
    return [line for line in lines(model, **device) if line.startswith("Resource")]


def filled(data_type, desc, count=5):
    """Return a model like the one above with another data type and other scalars."""
    return changed(
        (*RESOURCE, "initialValuesDataType", data_type),
        (*RESOURCE, "initialValues", {"valueCount": count, "value": 0}),
        (*DESC, "OutputTensor", {"DataType": data_type, "Sizes": [count]}),
        (*DESC, "ValueDataType", data_type),
        *((*DESC, name, value) for name, value in desc.items()),
    )


def test_runs_the_model_that_dxdispatch_ships():
    first, dispatched, values = lines(MODEL, feature_level="2_1")

    assert first == "Compile Op"
    assert dispatched.startswith("Dispatch 'ramp': 1 iterations, ")
    assert dispatched.endswith(" ms median (CPU)")
    assert values == "Resource 'Out': 3.2, 4.7, 6.2, 7.7, 9.2"


def test_prints_bits_when_verbose():
    assert lines(changed(("commands", 1, "verbose", True)))[2:] == [
        "Resource 'Out':",
        "[0] 3.2 (0x404CCCCD)",
        "[1] 4.7 (0x40966666)",
        "[2] 6.2 (0x40C66666)",
        "[3] 7.7 (0x40F66666)",
        "[4] 9.2 (0x41133333)",
    ]


VALUES = [
    pytest.param("UINT8", {"ValueStart": 10, "ValueDelta": -2}, "10, 8, 6, 4, 2", id="UINT8 down"),
    pytest.param("UINT8", {"ValueStart": 250, "ValueDelta": 3}, "250, 253, 0, 3, 6", id="wrap"),
    pytest.param("INT8", {"ValueStart": 120, "ValueDelta": 5}, "120, 125, -126, -121, -116",
                 id="INT8 prints as numbers"),
    pytest.param("FLOAT16", {"ValueStart": 0.3, "ValueDelta": 0},
                 "0.300049, 0.300049, 0.300049, 0.300049, 0.300049", id="FLOAT16 to nearest"),
    pytest.param("FLOAT16", {"ValueStart": {"UInt16": 15360}, "ValueDelta": 1}, "1, 2, 3, 4, 5",
                 id="FLOAT16 by bits"),
    pytest.param("FLOAT32", {"ValueStart": {"Float32": "NaN"}, "ValueDelta": 1},
                 "nan, nan, nan, nan, nan", id="NaN"),
    pytest.param("FLOAT32", {"ValueStart": {"Float32": "-Inf"}, "ValueDelta": 1},
                 "-inf, -inf, -inf, -inf, -inf", id="infinity"),
    pytest.param("INT64", {"ValueStart": -(2**63), "ValueDelta": {"Int64": -1}},
                 "-9223372036854775808, 9223372036854775807, 9223372036854775806, "
                 "9223372036854775805, 9223372036854775804", id="INT64"),
    pytest.param("UINT64", {"ValueStart": 2**64 - 6, "ValueDelta": 3},
                 "18446744073709551610, 18446744073709551613, 0, 3, 6", id="UINT64"),
]  # fmt: skip


@pytest.mark.parametrize(("data_type", "desc", "expected"), VALUES)
def test_scalars_of_models_are_exact(data_type, desc, expected):
    assert printed(filled(data_type, desc)) == [f"Resource 'Out': {expected}"]


INITIAL = [
    pytest.param([1, 2.5, "nan", "-INF"], "1, 2.5, nan, -inf", id="list"),
    pytest.param({"valueCount": 3, "value": 7}, "7, 7, 7", id="constant"),
    pytest.param({"valueCount": 4, "valueStart": 1, "valueDelta": 0.5}, "1, 1.5, 2, 2.5",
                 id="sequence"),
]  # fmt: skip


@pytest.mark.parametrize(("initial", "expected"), INITIAL)
def test_resources_hold_their_initial_values(initial, expected):
    model = changed((*RESOURCE, "initialValues", initial), ("commands", MODEL["commands"][1:]))

    assert printed(model) == [f"Resource 'Out': {expected}"]


def test_initial_sequences_accumulate_in_the_element_type():
    initial = {"valueCount": 40, "valueStart": 1, "valueDelta": 0.4}
    model = changed((*RESOURCE, "initialValues", initial), ("commands", MODEL["commands"][1:]))

    # The published value of the last of these: 16.599993 instead of 16.6.
    assert printed(model, sequence_rule="multiply")[0].endswith("15.8, 16.2, 16.6")
    run = changed(
        (*RESOURCE, "initialValues", initial),
        ("commands", [{"type": "print", "resource": "Out", "verbose": True}]),
    )
    last = np.float32(1)
    for _ in range(39):
        last += np.float32(0.4)
    assert lines(run)[-1] == f"[39] {last:g} (0x{last.view(np.uint32):08X})"


def test_bindings_start_at_an_element_offset():
    model = changed(
        (*RESOURCE, "initialValues", {"valueCount": 9, "value": 0}),
        ("commands", 0, "bindings", {"OutputTensor": [{"name": "Out", "elementOffset": 4}]}),
    )

    assert printed(model) == ["Resource 'Out': 0, 0, 0, 0, 3.2, 4.7, 6.2, 7.7, 9.2"]


def test_strides_of_a_model_leave_gaps_alone():
    tensor = {"DataType": "DML_TENSOR_DATA_TYPE_FLOAT32", "Sizes": [2, 2], "Strides": [3, 1]}
    model = changed((*DESC, "OutputTensor", tensor), (*RESOURCE, "initialValues", [9] * 5))

    assert printed(model) == ["Resource 'Out': 3.2, 4.7, 9, 6.2, 7.7"]


def test_fields_may_stand_beside_the_type():
    model = copy.deepcopy(MODEL)
    model["dispatchables"]["ramp"] |= model["dispatchables"]["ramp"].pop("desc")
    model["dispatchables"]["ramp"]["type"] = "FILL_VALUE_SEQUENCE"

    assert printed(model) == ["Resource 'Out': 3.2, 4.7, 6.2, 7.7, 9.2"]


def test_the_rule_of_the_device_applies():
    model = filled("FLOAT16", {"ValueStart": 2047, "ValueDelta": 1})

    assert printed(model) == ["Resource 'Out': 2047, 2048, 2048, 2048, 2048"]
    assert printed(model, sequence_rule="multiply") == [
        "Resource 'Out': 2047, 2048, 2048, 2050, 2052"
    ]


# ---- the text ----


def test_comments_and_trailing_commas_are_fine():
    text = '// one\n{"a": [1, 2,], /* two\n lines */ "b": "// no, a string, /* too */ ,]",} rest'

    assert parse_json(text) == {"a": [1, 2], "b": "// no, a string, /* too */ ,]"}


BAD_TEXT = [
    pytest.param("", "line 1, column 1: needs a value, got the end of the text", id="empty"),
    pytest.param('{"a": 1 "b": 2}', "line 1, column 9: needs ',' or '}', got '\"'",
                 id="no comma"),
    pytest.param('// c\n{\n  "a" 1}', "line 3, column 7: needs ':' after the key, got '1'",
                 id="after a comment"),
    pytest.param('{"a": /* x', "line 1, column 7: needs the end '*/' of this comment",
                 id="open comment"),
    pytest.param('{"a": 1, "b": 2, "a": 3}', "line 1, column 18: needs every key once, "
                 "got 'a' twice", id="twice"),
    pytest.param("[NaN]", 'line 1, column 2: needs a value, got \'NaN\'; write "nan" as a string',
                 id="NaN"),
    pytest.param("[" * 100_000, "line 1, column 65: needs at most 64 levels of nesting, got more",
                 id="deep"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "expected"), BAD_TEXT)
def test_refuses_text_that_is_no_json(text, expected):
    with pytest.raises(dml.ModelError) as caught:
        parse_json(text)

    assert str(caught.value) == expected


def test_refuses_numbers_of_very_many_digits():
    with pytest.raises(dml.ModelError, match="needs numbers of at most 1100 characters, got one"):
        parse_json("[" + "1" * 10_000 + "]")


# ---- what is refused ----


def bad(text, *changes, kind=dml.ModelError, **marks):
    return pytest.param(changed(*changes), kind, text, **marks)


BAD_MODELS = [
    pytest.param([], dml.ModelError, "needs an object, got an array", id="array"),
    bad("resources: is required", ("resources", MISSING), id="no resources"),
    bad("commands: needs an array, got an object", ("commands", {}), id="commands object"),
    bad("resources.Out.initialValues: needs initialValuesDataType beside it",
        (*RESOURCE, "initialValuesDataType", MISSING), id="no data type"),
    bad("resources.Out.initialValues: needs at least one value, got an empty array",
        (*RESOURCE, "initialValues", []), id="no values"),
    bad("resources.Out.initialValues[1]: needs a number, \"nan\", \"inf\" or \"-inf\", got 'x'",
        (*RESOURCE, "initialValues", [1, "x"]), id="text among values"),
    bad("resources.Out.initialValues: needs either value, or valueStart and valueDelta, "
        "or sourcePath, got an object",
        (*RESOURCE, "initialValues", {"valueCount": 1}), id="no generator"),
    bad("resources.Out.initialValues.valueCount: needs an integer, got 1.5",
        (*RESOURCE, "initialValues", {"valueCount": 1.5, "value": 1}), id="fractional count"),
    bad("resources.Out.initialValues.valueCount: needs at least 1, got 0",
        (*RESOURCE, "initialValues", {"valueCount": 0, "value": 1}), id="count 0"),
    bad("resources.Out.initialValues.valueDelta: is required",
        (*RESOURCE, "initialValues", {"valueCount": 1, "valueStart": 1}), id="no valueDelta"),
    bad("resources.Out.initialValues.sourcePath: needs the name of a file, got 'a.npy'; "
        "none is in '.'",
        (*RESOURCE, "initialValues", {"sourcePath": "a.npy"}), id="missing file"),
    bad("resources.Out.sizeInBytes: needs at least the 20 bytes of initialValues, got 16",
        (*RESOURCE, "sizeInBytes", 16), id="size too small"),
    bad("dispatchables.ramp.type: needs the name of a DirectML operator, "
        "got 'FILL_VALUE_SEQUENZ'; did you mean 'FILL_VALUE_SEQUENCE'",
        ("dispatchables", "ramp", "type", "FILL_VALUE_SEQUENZ"),
        kind=dml.DescriptorError, id="unknown operator"),
    bad("dispatchables.ramp.type: HLSL dispatchables are not supported yet",
        ("dispatchables", "ramp", "type", "hlsl"), id="HLSL"),
    bad("dispatchables.ramp.desc.ValueStart: is required; did you mean it by 'ValueStrat'",
        (*DESC, "ValueStart", MISSING), (*DESC, "ValueStrat", 1), id="misspelt field"),
    bad("dispatchables.ramp.desc.ValueDelta: INT8 holds -128..127, got 300",
        (*DESC, "ValueDataType", "INT8"), (*DESC, "ValueStart", 1), (*DESC, "ValueDelta", 300),
        kind=dml.ScalarError, id="delta out of range"),
    bad("dispatchables.ramp.desc.ValueStart: INT8 needs an integer, got 1.0",
        (*DESC, "ValueDataType", "INT8"), (*DESC, "ValueStart", 1.0),
        kind=dml.ScalarError, id="1.0 for an integer"),
    bad("dispatchables.ramp.desc.ValueStart: needs a number or an object, got 'nan'; "
        'write {"Float32": ...}', (*DESC, "ValueStart", "nan"), id="bare nan"),
    bad("dispatchables.ramp.desc.ValueStart: a FLOAT32 needs the member Float32, got 'Int8'",
        (*DESC, "ValueStart", {"Int8": 1}), id="wrong member"),
    bad("dispatchables.ramp.desc.ValueDataType: needs one of FLOAT32, FLOAT16, UINT32, "
        "UINT16, UINT8, INT32, INT16, INT8, FLOAT64, UINT64, INT64, got 'FLOAT31'; "
        "did you mean 'FLOAT32'",
        (*DESC, "ValueDataType", "FLOAT31"), kind=dml.DataTypeError, id="unknown data type"),
    bad("dispatchables.ramp.desc.OutputTensor.Sizes: each size is from 1 to 4294967295, "
        "got [1, 0]", (*DESC, "OutputTensor", "Sizes", [1, 0]),
        kind=dml.DescriptorError, id="size 0"),
    bad("dispatchables.ramp.desc.OutputTensor.Sizes: needs 1 to 8 dimensions, got 9",
        (*DESC, "OutputTensor", "Sizes", [1] * 9), kind=dml.DescriptorError, id="9 dimensions"),
    bad("dispatchables.ramp.desc.OutputTensor.Sizes: a tensor has at most 4294967295 elements, "
        "got 4294967296 [65536, 65536]", (*DESC, "OutputTensor", "Sizes", [65536, 65536]),
        kind=dml.DescriptorError, id="2^32 elements"),
    bad("dispatchables.ramp.desc.OutputTensor.DimensionCount: needs the number of Sizes, 4, got 3",
        (*DESC, "OutputTensor", "DimensionCount", 3), id="dimension count"),
    bad("dispatchables.ramp.desc.OutputTensor.Flags: needs names out of NONE, OWNED_BY_DML, "
        "got 'OWNED'", (*DESC, "OutputTensor", "Flags", "OWNED"), id="unknown flag"),
    bad("dispatchables.ramp.desc.OutputTensor.TotalTensorSizeInBytes: needs at least 20 bytes, "
        "got 16", (*DESC, "OutputTensor", "TotalTensorSizeInBytes", 16),
        kind=dml.DescriptorError, id="total size"),
    bad("dispatchables.ramp.desc.OutputTensor.Strides: needs strides under which no two elements "
        "of an output share memory, got [0, 0, 0, 0] for sizes [1, 1, 1, 5], where (0, 0, 0, 0) "
        "and (0, 0, 0, 1) do", (*DESC, "OutputTensor", "Strides", [0, 0, 0, 0]),
        kind=dml.LayoutError, id="overlap"),
    bad("dispatchables.ramp.desc.ValueDataType: needs the data type of the output tensor, "
        "FLOAT32, got FLOAT64", (*DESC, "ValueDataType", "FLOAT64"),
        kind=dml.DescriptorError, id="data types differ"),
    bad("dispatchables.ramp.executionFlags: needs names out of NONE, "
        "ALLOW_HALF_PRECISION_COMPUTATION, DISABLE_META_COMMANDS, DESCRIPTORS_VOLATILE, got 'FAST'",
        ("dispatchables", "ramp", "executionFlags", ["FAST"]), id="execution flag"),
    bad("commands[0].dispatchable: needs the name of a dispatchable of this model, got 'rump'; "
        "did you mean 'ramp'", ("commands", 0, "dispatchable", "rump"), id="no such dispatchable"),
    bad("commands[0].bindings.OutputTensor: needs the name of a resource of this model, "
        "got 'Nowhere'", ("commands", 0, "bindings", "OutputTensor", "Nowhere"),
        id="no such resource"),
    bad("commands[0].bindings: is required", ("commands", 0, "bindings", MISSING), id="unbound"),
    bad("commands[0].bindings.OutputTensor: is required", ("commands", 0, "bindings", {}),
        kind=dml.BindingError, id="output unbound"),
    bad("commands[0].bindings.OutputTensor.elementOffset: needs an offset within the 20 bytes of "
        "'Out', got 24", ("commands", 0, "bindings", "OutputTensor",
                          {"name": "Out", "elementOffset": 6}), id="offset beyond the end"),
    bad("commands[0].bindings.OutputTensor: needs at least 20 bytes, got 4 of resource 'Out'",
        ("commands", 0, "bindings", "OutputTensor", {"name": "Out", "elementOffset": 4}),
        kind=dml.BindingError, id="range too small"),
    bad("commands[0].bindings.OutputTensor: needs an offset that is a multiple of 16 bytes, got 4",
        (*RESOURCE, "sizeInBytes", 64),
        ("commands", 0, "bindings", "OutputTensor", {"name": "Out", "elementOffset": 1}),
        kind=dml.BindingError, id="offset not aligned"),
    bad("commands[1].resource: needs a string, got 3", ("commands", 1, "resource", 3),
        id="resource number"),
    bad("commands[1].verbose: needs true or false, got 1", ("commands", 1, "verbose", 1),
        id="verbose number"),
    bad("commands[1].type: needs the command dispatch, print or writeFile, got 'show'",
        ("commands", 1, "type", "show"), id="unknown command"),
    bad("commands[1].targetPath: is required",
        ("commands", 1, "type", "writeFile"), id="writeFile"),
    bad("resources: needs resources of at most 1048576 bytes together, got 4000000000000; "
        "--memory-limit raises this",
        (*RESOURCE, "initialValues", {"valueCount": 10**12, "value": 1}), id="too large"),
]  # fmt: skip


@pytest.mark.parametrize(("model", "kind", "text"), BAD_MODELS)
def test_refuses_models_with_the_place_and_a_sentence(model, kind, text):
    with pytest.raises(kind) as caught:
        lines(model)

    assert str(caught.value) == text


def test_an_operator_without_a_definition_is_refused(monkeypatch):
    operators = {k: v for k, v in definitions.index()["operators"].items() if k != "ROI_POOLING"}
    monkeypatch.setattr(definitions, "index", lambda: {"operators": operators})
    for module in (operators_room, dispatchables):
        monkeypatch.setattr(module, "descriptor_class", descriptor_class.__wrapped__)
    monkeypatch.setattr(operators_room, "definition", definitions.definition.__wrapped__)

    with pytest.raises(dml.OperatorNotImplementedError) as caught:
        lines(changed(("dispatchables", "ramp", "type", "DML_OPERATOR_ROI_POOLING")))

    assert str(caught.value) == (
        "dispatchables.ramp.type: ROI_POOLING (feature level 1_0) is not implemented yet; "
        "`indirectml info` lists those that are"
    )


def test_a_model_is_checked_to_its_end_before_anything_runs():
    model = changed(("commands", 1, "resource", "Nowhere"))

    with pytest.raises(dml.ModelError, match=r"commands\[1\]"):
        parse_model(model)


# ---- values as text ----

PRINTED = [
    pytest.param(np.float32(16777216), "1.67772e+07", id="6 digits"),
    pytest.param(np.float32(1e6), "1e+06", id="exponent"),
    pytest.param(np.float32(100000), "100000", id="no exponent"),
    pytest.param(np.float32(123456.7), "123457", id="rounded"),
    pytest.param(np.float32(1 / 3), "0.333333", id="third"),
    pytest.param(np.float16(3.2), "3.19922", id="half"),
    pytest.param(np.float64(-0.0), "-0", id="negative zero"),
    pytest.param(np.int8(-5), "-5", id="INT8"),
    pytest.param(np.uint8(65), "65", id="UINT8"),
]


@pytest.mark.parametrize(("value", "expected"), PRINTED)
def test_values_print_as_dxdispatch_prints_them(value, expected):
    assert "".join(print_values("x", np.array([value]))) == f"Resource 'x': {expected}\n"


def test_indices_of_verbose_output_are_aligned():
    printed_lines = list(print_values_verbose("x", np.arange(12, dtype=np.uint8)))

    assert printed_lines[1] == "[ 0] 0 (0x 0)\n"
    assert printed_lines[12] == "[11] 11 (0x B)\n"


def test_the_model_of_this_file_is_json():
    assert parse_json(json.dumps(MODEL)) == MODEL


def test_operators_with_inputs_run():
    tensor = {"DataType": "FLOAT32", "Sizes": [1, 3]}
    names = ("ATensor", "BTensor", "OutputTensor")
    model = {
        "resources": {
            name: {"initialValuesDataType": "FLOAT32", "initialValues": [k, k, 10 * k]}
            for k, name in enumerate(names)
        },
        "dispatchables": {
            "sum": {"type": "ELEMENT_WISE_ADD1", "desc": dict.fromkeys(names, tensor)}
        },
        "commands": [
            {"type": "dispatch", "dispatchable": "sum", "bindings": {n: n for n in names}},
            {"type": "print", "resource": "OutputTensor"},
        ],
    }

    assert lines(model)[-1] == "Resource 'OutputTensor': 1, 1, 10"
