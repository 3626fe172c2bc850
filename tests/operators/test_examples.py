"""The examples of all definitions, through every door: object model, graph, dispatch model."""

import json
import math

import numpy as np
import pytest

import indirectml as dml
from indirectml.cli import main
from indirectml.descriptors.definitions import definition, fields_of, implemented_operators
from indirectml.descriptors.documentation import parameter_of
from indirectml.descriptors.examples import examples
from indirectml.descriptors.names import camel_case
from indirectml.models.writing import desc_json
from indirectml.operators import descriptor_class
from tests.operators.oracle import assert_bits_equal
from tests.parameters import in_one_test

CASES = [
    pytest.param(name, example, id=f"{name}-{number}")
    for name in implemented_operators()
    for number, example in enumerate(examples(definition(name), definition(name).name))
]
NEWEST = [case for case in CASES if definition(case.values[0]).name == case.values[0]]


def fields_with_tensors(name, example):
    """Return the fields of a descriptor; None where a version lacks what the example uses."""
    sources = {"input_tensor": iter(example.inputs), "output_tensor": iter(example.outputs)}
    newest = dict(fields_of(definition(name).name))
    fields = dict(example.fields)
    for field, facts in newest.items():
        if facts.kind == "attribute":
            continue
        arrays = list(sources[facts.kind]) if facts.array else [next(sources[facts.kind], None)]
        tensors = [None if a is None else dml.TensorDesc(a.dtype, a.shape) for a in arrays]
        fields[field] = tensors if facts.array else tensors[0]
    known = {field for field, _ in fields_of(name)}
    if example.fields.keys() - known:
        return None
    return {f: v for f, v in fields.items() if f in known}


def outputs_of(name, example):
    """Return the outputs of an example that a version has, without those that are left out."""
    known, made = {field for field, _ in fields_of(name)}, definition(name)
    if len(made.output_names) == 1:
        return list(example.outputs)
    pairs = zip(made.output_names, example.outputs, strict=True)
    return [a for field, a in pairs if field in known and a is not None]


@in_one_test(name=implemented_operators())
def test_every_definition_has_an_example(name):
    assert any(case.values[0] == name for case in CASES)


@pytest.mark.parametrize(("name", "example"), CASES)
def test_object_model(name, example):
    fields = fields_with_tensors(name, example)
    if fields is None:
        pytest.skip("an older version has no such field")
    device = dml.Device()
    compiled = device.compile_operator(device.create_operator(descriptor_class(name)(**fields)))

    actual = compiled(list(example.inputs))

    actual = [a for a in actual if a is not None]
    expected = outputs_of(name, example)
    for found, wanted in zip(actual, expected, strict=True):
        assert_bits_equal(actual=found, expected=wanted)


def pooled(f, y):
    sizes = {"output_height": y.shape[-2], "output_width": y.shape[-1]}
    return definition("ROI_ALIGN1").defaults | f | sizes


def resampled(f, y):
    fields = {"mode" if n == "interpolation_mode" else n: v for n, v in f.items()}
    return fields | {"output_sizes": y.shape}


def without(f, *names):
    return {n: v for n, v in f.items() if n not in names}


#: How functions that are written by hand are called: from the graph, the inputs, the fields and the
#: (first) output of an example.
BY_HAND = {
    "ACTIVATION_HARDMAX": lambda g, x, f, y: dml.activation_hardmax(*x),
    "ACTIVATION_HARDMAX1": lambda g, x, f, y: dml.activation_hardmax(*x, **f),
    "ACTIVATION_LOG_SOFTMAX": lambda g, x, f, y: dml.activation_log_softmax(*x),
    "ACTIVATION_LOG_SOFTMAX1": lambda g, x, f, y: dml.activation_log_softmax(*x, **f),
    "ACTIVATION_SOFTMAX": lambda g, x, f, y: dml.activation_softmax(*x),
    "ACTIVATION_SOFTMAX1": lambda g, x, f, y: dml.activation_softmax(*x, **f),
    "CAST": lambda g, x, f, y: dml.cast(*x, dtype=y.dtype),
    "CONVOLUTION": lambda g, x, f, y: dml.convolution(*x, **f),
    "DEQUANTIZE": lambda g, x, f, y: dml.dequantize(x[0], x[1:], **f),
    "DIAGONAL_MATRIX1": lambda g, x, f, y: dml.diagonal_matrix(
        g, sizes=y.shape, dtype=y.dtype, input=x[0], **without(f, "value_data_type")
    ),
    "ELEMENT_WISE_ADD1": lambda g, x, f, y: dml.add(*x, **f),
    "ELEMENT_WISE_CLIP": lambda g, x, f, y: dml.clip(*x, **f),
    "ELEMENT_WISE_CLIP1": lambda g, x, f, y: dml.clip(*x, **without(f, "min_max_data_type")),
    "ELEMENT_WISE_CONSTANT_POW": lambda g, x, f, y: dml.pow(*x, **f),
    "ELEMENT_WISE_POW": lambda g, x, f, y: dml.pow(*x, **f),
    "FILL_VALUE_CONSTANT": lambda g, x, f, y: dml.fill_value_constant(
        g, sizes=y.shape, dtype=y.dtype, **without(f, "value_data_type")
    ),
    "FILL_VALUE_SEQUENCE": lambda g, x, f, y: dml.fill_value_sequence(
        g, sizes=y.shape, dtype=y.dtype, **without(f, "value_data_type")
    ),
    "GRU": lambda g, x, f, y: dml.gru(*x, **f),
    "JOIN": lambda g, x, f, y: dml.join(x, **f),
    "MEAN_VARIANCE_NORMALIZATION1": lambda g, x, f, y: dml.mean_variance_normalization(*x, **f),
    "MEAN_VARIANCE_NORMALIZATION2": lambda g, x, f, y: dml.mean_variance_normalization(
        *x, normalize_mean=f["use_mean"], normalize_variance=f["use_variance"],
        **without(f, "use_mean", "use_variance"),
    ),
    "MULTIHEAD_ATTENTION1": lambda g, x, f, y: dml.multihead_attention1(
        *x, output_present=True, **f
    ),
    "NONZERO_COORDINATES": lambda g, x, f, y: dml.non_zero_coordinates(*x),
    "ONE_HOT": lambda g, x, f, y: dml.one_hot(*x, output_length=y.shape[f["axis"]], **f),
    "PADDING": lambda g, x, f, y: dml.padding(*x, **f),
    "PADDING1": lambda g, x, f, y: dml.padding(*x, **without(f, "padding_value_data_type")),
    "REDUCE": lambda g, x, f, y: dml.reduce(*x, output_dtype=y.dtype, **f),
    "RESAMPLE1": lambda g, x, f, y: dml.resample1(*x, **resampled(f, y)),
    "RESAMPLE3": lambda g, x, f, y: dml.resample(*x, **resampled(f, y)),
    "RESAMPLE_GRAD": lambda g, x, f, y: dml.resample_grad(*x, **resampled(f, y)),
    "RESAMPLE_GRAD1": lambda g, x, f, y: dml.resample_grad(*x, **resampled(f, y)),
    "ROI_ALIGN1": lambda g, x, f, y: dml.roi_align(*x, **pooled(f, y)),
    "ROI_ALIGN_GRAD": lambda g, x, f, y: dml.roi_align_grad(
        *x[1:], x[0], batch_size=y.shape[0], image_height=y.shape[2], image_width=y.shape[3], **f
    ),
    "SLICE1": lambda g, x, f, y: dml.slice(*x, **f),
    "SPLIT": lambda g, x, f, y: dml.split(*x, axis=f["axis"], output_axis_sizes=[1, 2]),
}  # fmt: skip


def by_definition(made, example, inputs):
    """Call the function that was made of a definition."""
    facts = dict(fields_of(made.name))
    tensors = dict.fromkeys(f for f, k in facts.items() if k.kind == "input_tensor")
    left = iter(inputs)
    for field in tensors:
        tensors[field] = list(left) if facts[field].array else next(left, None)
    named = {parameter_of(f, made): v for f, v in (tensors | example.fields).items()}
    for field, array in zip(made.output_names, example.outputs, strict=False):
        if facts[field].optional:
            named[parameter_of(field, made)] = array is not None
    if made.output_dtype is not None:
        named["output_dtype"] = example.outputs[0].dtype
    if made.sizes_given is not None:
        named[made.sizes_given] = example.outputs[0].shape
    return getattr(dml, made.function)(**named)


@pytest.mark.parametrize(("name", "example"), NEWEST)
def test_graph(name, example):
    made = definition(name)
    graph = dml.Graph(dml.Device())
    inputs = [None if a is None else graph.constant(a) for a in example.inputs]

    if made.function is not None:
        outputs = by_definition(made, example, inputs)
    elif name in BY_HAND:
        first = next(a for a in example.outputs if a is not None)
        outputs = BY_HAND[name](graph, inputs, example.fields, first)
    else:
        desc = descriptor_class(name)(**fields_with_tensors(name, example))
        outputs = graph.add_node(desc, *inputs)

    outputs = [outputs] if isinstance(outputs, dml.Expression) else list(outputs)
    actual = graph.compile([e for e in outputs if e is not None])()
    expected = [a for a in example.outputs if a is not None]
    for found, wanted in zip(actual, expected, strict=True):
        assert_bits_equal(actual=found, expected=wanted)


def elements_of(array):
    return [
        str(v) if isinstance(v, float) and not math.isfinite(v) else v
        for v in array.ravel().tolist()
    ]


@pytest.mark.parametrize(("name", "example"), CASES)
def test_dispatch_model(name, example, tmp_path):
    fields = fields_with_tensors(name, example)
    if fields is None:
        pytest.skip("an older version has no such field")
    facts = dict(fields_of(name))
    desc = desc_json(descriptor_class(name)(**fields))
    resources, bindings, commands = {}, {}, []
    arrays = {"input_tensor": iter(example.inputs), "output_tensor": iter(example.outputs)}
    for field, field_facts in dict(fields_of(definition(name).name)).items():
        if field_facts.kind == "attribute":
            continue
        source = arrays[field_facts.kind]
        found = list(source) if field_facts.array else [next(source, None)]
        bound = []
        for number, array in enumerate(found):
            if array is None or field not in facts:
                continue
            resource = f"{field}{number}"
            values = elements_of(
                array if field_facts.kind == "input_tensor" else np.zeros_like(array)
            )
            dtype = array.dtype.name.upper()
            resources[resource] = {"initialValuesDataType": dtype, "initialValues": values}
            bound.append(resource)
            if field_facts.kind == "output_tensor":
                path = f"{resource}.npy"
                commands.append({"type": "writeFile", "resource": resource, "targetPath": path,
                                 "dimensions": list(array.shape)})  # fmt: skip
        if bound:
            bindings[camel_case(field)] = bound if field_facts.array else bound[0]
    dispatch = {"type": "dispatch", "dispatchable": "it", "bindings": bindings}
    model = {
        "resources": resources,
        "dispatchables": {"it": {"type": name, "desc": desc}},
        "commands": [dispatch, *commands],
    }
    path = tmp_path / "model.json"
    path.write_text(json.dumps(model), encoding="utf-8")

    assert main(["run", str(path), "--output_path", str(tmp_path)]) == 0

    expected = outputs_of(name, example)
    for command, wanted in zip(commands, expected, strict=True):
        found = np.load(tmp_path / command["targetPath"]).reshape(wanted.shape)
        assert_bits_equal(actual=found, expected=wanted)
