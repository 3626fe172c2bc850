"""Optional tensors keep their place: left out of a descriptor, they are None in every way in.

Two stand-ins for operators with optional tensors, whose functions are told here: one that leaves
out its first input and its first output, and one that leaves out its last output.
"""

from __future__ import annotations

import numpy as np
import pytest

import indirectml as dml
from indirectml import operators
from indirectml.arithmetic.basics import coordinates
from indirectml.descriptors.definitions import Definition, fields_of
from indirectml.models import dispatchables
from indirectml.models.parsing import parse_model
from indirectml.models.running import ModelRun
from indirectml.operators import made_class
from indirectml.passes import lowering, tracing

F32 = np.float32


def _combined(desc, x, gradient, regions, numbers):
    """Return one array per output that is not left out, from the inputs that are there."""
    assert (x is None) == (desc.input_tensor is None)
    first = gradient + (0 if x is None else x)
    second = regions + numbers.reshape(-1, 1).astype(F32)
    found = [(desc.output_gradient_tensor, first), (desc.output_roi_gradient_tensor, second)]
    return tuple(array for tensor, array in found if tensor is not None)


def _pooled(desc, x):
    found = [x + 1]
    if desc.output_indices_tensor is not None:
        numbers = np.where(x > 9, np.int64(1), np.int64(0)) + coordinates(x.shape, -1)
        found.append(numbers.astype(np.uint32))
    return tuple(found)


#: Four inputs and two outputs; the first input and each output are optional.
ATTRIBUTES = [name for name, facts in fields_of("ROI_ALIGN_GRAD") if facts.kind == "attribute"]
RoiAlignGradOperatorDesc = made_class(
    Definition(_combined, "ROI_ALIGN_GRAD", defaults=dict.fromkeys(ATTRIBUTES, 1)),
    "ROI_ALIGN_GRAD",
)
#: One input, one output, and an optional output behind it.
MaxPooling1OperatorDesc = made_class(Definition(_pooled, "MAX_POOLING1"), "MAX_POOLING1")


@pytest.fixture(autouse=True)
def _stand_ins(monkeypatch):
    functions = {"ROI_ALIGN_GRAD": _combined, "MAX_POOLING1": _pooled}

    def found(name):
        compute = functions.get(name)
        if compute is None:
            return operators.compute_function(name)
        return lambda *given, **_: compute(*given)

    for module in (lowering, tracing):
        monkeypatch.setattr(module, "compute_function", found)
    _forget()
    yield
    _forget()


def _forget():
    tracing.templates.clear()
    lowering.lowerings.clear()


GRADIENT = np.arange(4, dtype=F32).reshape(1, 1, 2, 2)
REGIONS = np.arange(8, dtype=F32).reshape(2, 4)
NUMBERS = np.array([10, 20], np.uint32)
SUMS = REGIONS + np.array([[10], [20]], F32)
ALL = ("input_tensor", "output_gradient_tensor", "output_roi_gradient_tensor")


def desc_without(*names):
    picture, regions = dml.TensorDesc(F32, [1, 1, 2, 2]), dml.TensorDesc(F32, [2, 4])
    optional = dict(zip(ALL, (picture, picture, regions), strict=True))
    return RoiAlignGradOperatorDesc(
        input_gradient_tensor=picture,
        roi_tensor=regions,
        batch_indices_tensor=dml.TensorDesc(np.uint32, [2]),
        **optional | dict.fromkeys(names),
    )


def compiled(desc):
    device = dml.Device()
    return device.compile_operator(device.create_operator(desc))


LEFT_OUT = [(), ALL[:1], ALL[1:2], ALL[2:], ALL[:2], ALL[::2]]


def expected_without(names):
    first = None if ALL[1] in names else (GRADIENT if ALL[0] in names else 2 * GRADIENT)
    return [first, None if ALL[2] in names else SUMS]


def assert_equal(actual, expected):
    assert len(actual) == len(expected)
    for found, wanted in zip(actual, expected, strict=True):
        if wanted is None:
            assert found is None
        else:
            np.testing.assert_array_equal(found, wanted, strict=True)


@pytest.mark.parametrize("names", LEFT_OUT, ids=lambda names: "+".join(names) or "none")
def test_direct_calls_keep_the_places(names):
    inputs = [None if ALL[0] in names else GRADIENT, GRADIENT, REGIONS, NUMBERS]
    operator = compiled(desc_without(*names))
    expected = expected_without(names)
    out = [None if e is None else np.empty_like(e) for e in expected]

    results = operator(inputs, out=out)

    assert_equal(operator(inputs), expected)
    assert_equal(out, expected)
    assert all(a is b for a, b in zip(results, out, strict=True))


@pytest.mark.parametrize("names", LEFT_OUT, ids=lambda names: "+".join(names) or "none")
def test_binding_tables_keep_the_places(names):
    operator = compiled(desc_without(*names))
    device, expected = operator.device, expected_without(names)
    memories = [None if e is None else np.zeros(e.nbytes, np.uint8) for e in expected]
    inputs = [None if ALL[0] in names else GRADIENT, GRADIENT, REGIONS, NUMBERS]
    initializer = device.create_operator_initializer([operator])
    table = device.create_binding_table(operator)
    table.bind_inputs([None if a is None else dml.BufferBinding(a) for a in inputs])
    table.bind_outputs([None if m is None else dml.BufferBinding(m) for m in memories])
    size = operator.binding_properties.temporary_resource_size
    if size:
        table.bind_temporary_resource(dml.BufferBinding(np.empty(size, np.uint8)))
    recorder, commands = device.create_command_recorder(), dml.CommandList(device)

    recorder.record_dispatch(commands, initializer, device.create_binding_table(initializer))
    recorder.record_dispatch(commands, operator, table)
    commands.close()
    dml.CommandQueue(device).execute(commands)

    for memory, wanted in zip(memories, expected, strict=True):
        assert wanted is None or memory.tobytes() == wanted.tobytes()


@pytest.mark.parametrize("kind", ["inputs", "out"])
def test_direct_calls_take_nothing_for_what_is_left_out(kind):
    operator = compiled(desc_without(*ALL[:2]))
    inputs, out = [None, GRADIENT, REGIONS, NUMBERS], [None, np.empty_like(SUMS)]
    (inputs if kind == "inputs" else out)[0] = GRADIENT.copy()

    with pytest.raises(dml.BindingError) as caught:
        operator(inputs, out=out)

    assert str(caught.value) == (
        f"ROI_ALIGN_GRAD.{kind}[0]: needs None, since the optional tensor is left out, got ndarray"
    )


def test_direct_calls_name_the_tensor_that_is_missing():
    operator = compiled(desc_without())

    with pytest.raises(dml.BindingError) as caught:
        operator([GRADIENT, None, REGIONS, NUMBERS])

    assert str(caught.value) == (
        "ROI_ALIGN_GRAD.inputs[1]: needs an array of FLOAT32 with sizes [1, 1, 2, 2], got None"
    )


def test_an_output_that_is_left_out_takes_no_binding():
    operator = compiled(desc_without(ALL[1]))
    table = operator.device.create_binding_table(operator)
    one = dml.BufferBinding(bytearray(64))

    with pytest.raises(dml.DeviceLostError) as caught:
        table.bind_outputs([one, one])

    assert str(caught.value) == (
        "ROI_ALIGN_GRAD.outputs[0]: a binding was provided, but none was expected, since the "
        "optional tensor is left out"
    )


@pytest.mark.parametrize("names", LEFT_OUT, ids=lambda names: "+".join(names) or "none")
def test_graphs_keep_the_places(names):
    graph = dml.Graph(dml.Device())
    gradient, regions = graph.input([1, 1, 2, 2], name="g"), graph.input([2, 4], name="r")
    numbers = graph.input([2], np.uint32, name="n")
    first = None if ALL[0] in names else gradient
    outputs = graph.add_node(desc_without(*names), first, gradient, regions, numbers)
    wanted = [e for e in expected_without(names) if e is not None]

    assert [o is None for o in outputs] == [e is None for e in expected_without(names)]
    shifted = [o + 0.0 for o in outputs if o is not None]
    assert_equal(graph.compile(shifted)({"g": GRADIENT, "r": REGIONS, "n": NUMBERS}), wanted)


def test_graph_descs_refuse_edges_of_what_is_left_out():
    device = dml.Device()
    node = device.create_operator(desc_without(*ALL[:2]))
    edges = [dml.InputEdge(k, 0, k + 1) for k in range(3)]

    with pytest.raises(dml.DescriptorError) as output:
        device.compile_graph(dml.GraphDesc(3, 1, [node], [dml.OutputEdge(0, 0, 0)], edges))
    wrong = [dml.InputEdge(0, 0, 0), *edges]
    with pytest.raises(dml.DescriptorError) as read:
        device.compile_graph(dml.GraphDesc(3, 1, [node], [dml.OutputEdge(0, 1, 0)], wrong))

    assert str(output.value) == (
        "GRAPH.nodes[0] (ROI_ALIGN_GRAD).output_gradient_tensor: an output that is left out is "
        "not connected"
    )
    assert str(read.value) == (
        "GRAPH.nodes[0] (ROI_ALIGN_GRAD).input_tensor: an input that is left out is not connected"
    )


@pytest.mark.parametrize("with_indices", [True, False])
def test_dispatch_models_keep_the_places(monkeypatch, with_indices):
    monkeypatch.setattr(dispatchables, "descriptor_class", lambda _: MaxPooling1OperatorDesc)
    picture = {"DataType": "FLOAT32", "Sizes": [1, 1, 1, 3]}
    indices = {"DataType": "UINT32", "Sizes": [1, 1, 1, 3]}
    windows = {key: [1, 1] for key in ("Strides", "WindowSize", "StartPadding", "EndPadding")}
    bound = {"OutputIndicesTensor": "Indices"} if with_indices else {}
    model = {
        "resources": {
            "In": {"initialValuesDataType": "FLOAT32", "initialValues": [1, 2, 3]},
            "Out": {
                "initialValuesDataType": "FLOAT32",
                "initialValues": {"valueCount": 3, "value": 0},
            },
            "Indices": {
                "initialValuesDataType": "UINT32",
                "initialValues": {"valueCount": 3, "value": 7},
            },
        },
        "dispatchables": {
            "pool": {
                "type": "DML_OPERATOR_MAX_POOLING1",
                "desc": {
                    "InputTensor": picture,
                    "OutputTensor": picture,
                    "OutputIndicesTensor": indices if with_indices else None,
                    "DimensionCount": 2,
                    **windows,
                },
            }
        },
        "commands": [
            {
                "type": "dispatch",
                "dispatchable": "pool",
                "bindings": {"InputTensor": "In", "OutputTensor": "Out", **bound},
            },
            {"type": "print", "resource": "Out"},
            {"type": "print", "resource": "Indices"},
        ],
    }

    printed = "".join(ModelRun(parse_model(model), dml.Device()).text()).splitlines()

    assert printed[-2:] == [
        "Resource 'Out': 2, 3, 4",
        f"Resource 'Indices': {'0, 1, 2' if with_indices else '7, 7, 7'}",
    ]


def test_a_written_operator_leaves_its_first_output_out(graph_of_gru):
    both = graph_of_gru(dml.GRUOutputOptions.Both)
    single = graph_of_gru(dml.GRUOutputOptions.Single)

    assert both[0][-1].tobytes() == both[1].tobytes()
    assert len(single) == 1
    assert single[0].tobytes() == both[1].tobytes()


@pytest.fixture
def graph_of_gru():
    """Return a function from what is asked for to the outputs of GRU on fixed data."""

    def run(options):
        graph = dml.Graph(dml.Device())
        generator = np.random.default_rng(5)
        x, w, r = (
            graph.constant(generator.standard_normal(sizes).astype(F32))
            for sizes in ([1, 4, 1, 3], [1, 1, 6, 3], [1, 1, 6, 2])
        )
        activations = [
            dml.FusedActivation(dml.OperatorType.ACTIVATION_SIGMOID),
            dml.FusedActivation(dml.OperatorType.ACTIVATION_TANH),
        ]
        outputs = dml.gru(x, w, r, activation_descs=activations, output_options=options)
        assert (outputs.sequence is None) == (options == dml.GRUOutputOptions.Single)
        return graph.compile([o for o in outputs if o is not None])()

    return run
