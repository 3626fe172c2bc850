"""The examples that the operators' pages print, through the object model and through a graph.

published_examples.json has each as its page prints it: sizes, fields, elements. Where a page's
example errs, "errs" says what decides, and "printed" what the page has instead; fields that a page
does not print are those of its sentences. Outputs without elements are not printed.
"""

import json
from pathlib import Path

import numpy as np
import pytest

import indirectml as dml
from indirectml.descriptors.definitions import fields_of
from indirectml.descriptors.names import camel_case
from indirectml.operators import descriptor_class
from tests.bits import assert_bits_equal

EXAMPLES = json.loads(Path(__file__).with_name("published_examples.json").read_text("utf-8"))
ENUMERATIONS = {
    "AXIS_DIRECTION", "DEPTH_SPACE_ORDER", "INTERPOLATION_MODE", "PADDING_MODE", "REDUCE_FUNCTION",
    "RANDOM_GENERATOR_TYPE",
}  # fmt: skip


def cases(examples):
    return [
        pytest.param(e, id=f"{e['operator']}-{e['example'].split(',')[0].split(' ')[0]}-{k}")
        for k, e in enumerate(examples)
    ]


def parsed(value, facts):
    """Return a field: members of enumerations by their names, data types by NumPy's."""
    if facts.type in ENUMERATIONS:
        return getattr(dml, camel_case(facts.type.lower()))[value]
    return dml.TensorDataType[value] if facts.type == "TENSOR_DATA_TYPE" else value


def array_of(tensor):
    return np.array(tensor["values"], tensor["DataType"].lower()).reshape(tensor["Sizes"])


def tensor_of(tensor):
    return dml.TensorDesc(dml.TensorDataType[tensor["DataType"]], tensor["Sizes"])


def run(example):
    """Return pairs of what the object model, then a graph give, and what is printed."""
    fields, inputs, wanted = {}, [], []
    for name, facts in fields_of(example["operator"]):
        printed = camel_case(name)
        if facts.kind == "attribute":
            if printed in example["fields"]:
                fields[name] = parsed(example["fields"][printed], facts)
            continue
        found = example["tensors"].get(printed)
        tensors = found if facts.array else [found]
        descs = [None if t is None else tensor_of(t) for t in tensors]
        fields[name] = descs if facts.array else descs[0]
        if facts.kind == "input_tensor":
            inputs += [None if t is None else array_of(t) for t in tensors]
        else:
            wanted += [t for t in tensors if t is not None]
    desc = descriptor_class(example["operator"])(**fields)
    device = dml.Device()
    graph = dml.Graph(device)
    nodes = graph.add_node(desc, *(None if a is None else graph.constant(a) for a in inputs))
    compiled = [device.compile_operator(device.create_operator(desc))(inputs),
                graph.compile([node for node in nodes if node is not None])()]  # fmt: skip
    for outputs in compiled:
        actual = [a for a in outputs if a is not None]
        for found, tensor in zip(actual, wanted, strict=True):
            if tensor["values"] is not None:
                yield found, array_of(tensor)


@pytest.mark.parametrize("example", cases(EXAMPLES))
def test_gives_what_is_printed(example):
    for actual, expected in run(example):
        assert_bits_equal(actual=actual, expected=expected)


@pytest.mark.parametrize("example", cases([e for e in EXAMPLES if "errs" in e]))
def test_what_errs_is_refused_or_gives_something_else(example):
    as_printed = {
        **example, **{key: example[key] | printed for key, printed in example["printed"].items()}
    }  # fmt: skip
    try:
        pairs = list(run(as_printed))
    except dml.DirectMLError:
        return
    assert any(actual.tobytes() != expected.tobytes() for actual, expected in pairs)
