"""What is exported to ONNX is loaded from there again, and gives the same bits."""

import numpy as np
import onnx
import pytest

import indirectml as dml
from indirectml.descriptors.definitions import definition
from indirectml.onnx_import.own_domain import DOMAIN, VERSION
from tests.bits import assert_bits_equal
from tests.extent import Extent
from tests.graphs.random_graphs import random_graph
from tests.onnx_export.bounds import BOUNDS
from tests.onnx_export.cases import cases_of, with_corners
from tests.onnx_export.running import computed, distance, exported
from tests.onnx_export.test_operators import EXPORTED

#: Cases of each operator; groups of random graphs, and how many are in each.
SOME = 40 if Extent.whole else 2
GROUPS, IN_GROUP = (1000, 100) if Extent.whole else (6, 1)


@pytest.mark.parametrize("name", EXPORTED)
def test_what_is_written_is_read_again(name):
    for case in cases_of(name, SOME):
        for each in (case, with_corners(case)):
            model = exported(each, functions=True)
            loaded = dml.load_onnx(model.SerializeToString())
            arrays = [np.array(a) for a in each.arrays if a is not None]
            names = [given.name for given in model.graph.input]

            found = loaded(dict(zip(names, arrays, strict=True)))

            for actual, wanted in zip(found, computed(each), strict=True):
                assert_bits_equal(actual=np.asarray(actual), expected=wanted)


#: Operators whose nodes of plain ONNX compute in what DirectML does not, for some of their fields,
#: and the words of the refusal: FLOAT64, or as many places as there are.
_WIDE = (
    "ACTIVATION_SHRINK", "BATCH_NORMALIZATION_GRAD", "BATCH_NORMALIZATION_TRAINING",
    "BATCH_NORMALIZATION_TRAINING_GRAD", "CAST", "ELEMENT_WISE_ABS", "ELEMENT_WISE_IDENTITY",
    "ELEMENT_WISE_THRESHOLD", "FOLD", "LP_NORMALIZATION", "MAX_POOLING", "MAX_POOLING1",
    "MAX_POOLING2", "MAX_POOLING_GRAD", "MEAN_VARIANCE_NORMALIZATION",
    "MEAN_VARIANCE_NORMALIZATION1", "MEAN_VARIANCE_NORMALIZATION2", "RESAMPLE", "RESAMPLE1",
    "RESAMPLE2", "RESAMPLE3", "RESAMPLE_GRAD", "RESAMPLE_GRAD1", "ROI_ALIGN", "ROI_ALIGN1",
    "ROI_ALIGN_GRAD", "TOP_K", "TOP_K1", "UPSAMPLE_2D",
)  # fmt: skip
REFUSED = dict.fromkeys(_WIDE, "got FLOAT64") | {
    "NONZERO_COORDINATES": "has outputs whose sizes depend on data",
    "TILE": "Expand): needs at most 8 dimensions",
}

#: Operators whose nodes of plain ONNX round otherwise, or give another zero or no NaN.
OTHERWISE = {
    "ACTIVATION_GELU", "AVERAGE_POOLING1", "AVERAGE_POOLING_GRAD", "BATCH_NORMALIZATION_GRAD",
    "CONVOLUTION", "CUMULATIVE_PRODUCT", "ELEMENT_WISE_ASINH", "ELEMENT_WISE_ATAN_YX",
    "ELEMENT_WISE_MODULUS_FLOOR", "ELEMENT_WISE_SINH", "LOCAL_RESPONSE_NORMALIZATION",
    "LOCAL_RESPONSE_NORMALIZATION_GRAD", "LP_POOLING", "LP_POOLING1",
    "MULTIHEAD_ATTENTION", "MULTIHEAD_ATTENTION1", "UPSAMPLE_2D",
}  # fmt: skip


@pytest.mark.parametrize("name", EXPORTED)
def test_what_is_written_without_functions_is_read_as_plain_onnx(name):
    """The same bits, but for those of the two tables above, which only become shorter."""
    for case in cases_of(name, SOME // 2):
        model = exported(case, functions=False)
        try:
            loaded = dml.load_onnx(model.SerializeToString())
        except dml.OnnxModelError as error:
            assert REFUSED.get(name, "no refusal") in str(error)  # noqa: PT017 (others load)
            continue
        names = [given.name for given in model.graph.input]
        arrays = [np.array(a) for a in case.arrays if a is not None]

        found = loaded(dict(zip(names, arrays, strict=True)))

        for actual, wanted in zip(found, computed(case), strict=True):
            if name not in OTHERWISE:
                assert_bits_equal(actual=np.asarray(actual), expected=wanted)
                continue
            apart = distance(np.asarray(actual), wanted, keeps_bits=False)
            assert apart.share <= BOUNDS.get(definition(name).name, 0), apart


@pytest.mark.parametrize("group", range(GROUPS))
def test_random_graphs_are_read_again(group):
    for seed in range(group * IN_GROUP, (group + 1) * IN_GROUP):
        made = random_graph(seed)
        compiled = made.compile()
        model = compiled.to_onnx()

        loaded = dml.load_onnx(model.SerializeToString())

        read = {each.name for each in model.graph.input}
        found = loaded({name: x for name, x in made.data.items() if name in read})
        for actual, wanted in zip(found, compiled(made.data), strict=True):
            assert_bits_equal(actual=actual, expected=wanted)


@pytest.mark.parametrize("dtype", [np.uint32, np.int32, np.uint16, np.int16, np.uint8, np.int8])
@pytest.mark.parametrize("has_zero", [False, True])
def test_one_scale_for_all_of_any_integers(dtype, has_zero):
    x, scale = np.array([1, 2, np.iinfo(dtype).max], dtype), np.array([0.25], np.float32)
    zero = np.array([1], dtype) if has_zero else None
    graph = dml.Graph(dml.Device())
    given = graph.input([3], dtype, name="x")
    parts = [
        None if part is None else dml.broadcast(graph.constant(part), [3]) for part in (scale, zero)
    ]
    y = dml.TensorDesc(np.float32, [3])
    tensors = [part and part.desc for part in parts]
    desc = dml.ElementWiseDequantizeLinearOperatorDesc(
        input_tensor=given.desc,
        scale_tensor=tensors[0],
        zero_point_tensor=tensors[1],
        output_tensor=y,
    )
    compiled = graph.compile(graph.add_node(desc, given, *parts))

    for functions in (False, True):
        model = compiled.to_onnx(functions=functions)
        wanted = (x.astype(np.int64) - int(has_zero)).astype(np.float32) * scale
        assert_bits_equal(actual=dml.load_onnx(model)(x)[0], expected=wanted)


def normalization():
    """Return a model of one call, and its only node."""
    graph = dml.Graph(dml.Device())
    x = graph.input([2, 3], name="x")
    normal = dml.mean_variance_normalization(x, axes=[0], epsilon=0.5)
    model = graph.compile([normal]).to_onnx(output_names=["y"])
    (node,) = model.graph.node
    return model, node


def test_a_call_says_operator_fields_and_tensors():
    model, node = normalization()

    assert (node.domain, node.op_type) == (DOMAIN, "MEAN_VARIANCE_NORMALIZATION1")
    values = {each.name: onnx.helper.get_attribute_value(each) for each in node.attribute}
    assert values["tensors"] == [b"FLOAT32 [2, 3]", b"", b"", b"FLOAT32 [2, 3]"]
    assert (values["axes"], values["epsilon"]) == ([0], 0.5)
    (function,) = model.functions
    assert function.doc_string.startswith("Output = ")


def test_operators_with_the_same_fields_share_a_function():
    graph = dml.Graph(dml.Device())
    x, normalized = graph.input([2, 3], name="x"), dml.mean_variance_normalization
    y = normalized(normalized(x, axes=[0]), axes=[0])
    model = graph.compile([normalized(y, axes=[0], epsilon=2)]).to_onnx()

    name = "MEAN_VARIANCE_NORMALIZATION1"
    assert [f.name for f in model.functions] == [name, f"{name}_2"]
    assert [node.op_type for node in model.graph.node] == [name, name, f"{name}_2"]


def test_without_functions_there_are_onnx_operators_alone():
    graph = dml.Graph(dml.Device())
    x = graph.input([2, 3], name="x")
    compiled = graph.compile([dml.mean_variance_normalization(x, axes=[0])])

    model = compiled.to_onnx(functions=False)

    assert not model.functions
    assert {node.domain for node in model.graph.node} == {""}
    assert [each.domain for each in model.opset_import] == [""]


def test_another_rule_for_sequences_takes_the_body():
    device = dml.Device(sequence_rule="multiply")
    graph = dml.Graph(device)
    ramp = dml.fill_value_sequence(
        graph, sizes=[100_000], value_start=0, value_delta=0.1, dtype=np.float32
    )
    compiled = graph.compile([ramp])

    model = compiled.to_onnx(output_names=["y"])

    assert dml.load_onnx(model, device=device).to_onnx().graph.node[0].domain == DOMAIN
    assert_bits_equal(actual=dml.load_onnx(model, device=device)()[0], expected=compiled()[0])


def test_a_later_version_of_the_domain_takes_the_body():
    model, _ = normalization()
    x = np.arange(6, dtype=np.float32).reshape(2, 3)
    next(each for each in model.opset_import if each.domain == DOMAIN).version = VERSION + 1

    with pytest.raises(dml.OnnxModelError, match="FLOAT64"):  # which the body computes in
        dml.load_onnx(model)(x)


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("tensors", ["FLOAT32 [2, 3]"], "needs a text for each tensor of the operator, got 1"),
        ("tensors", ["FLOAT33 [2, 3]", "", "", "FLOAT32 [2, 3]"], "needs tensors such as"),
        ("tensors", ["FLOAT16 [2, 3]", "", "", "FLOAT16 [2, 3]"], "needs FLOAT16, got FLOAT32"),
        ("tensors", ["FLOAT32 [2, 3]", "", "", "FLOAT32 [2, 4]"], "output_tensor"),
        ("tensors", 3, "is required"),
        ("axes", 1, "attribute axes: needs a list, got 1"),
        ("axes", [9], "axes"),
        ("epsilon", "much", "attribute epsilon: needs a FLOAT"),
        ("size", 1, "is no field of MEAN_VARIANCE_NORMALIZATION1"),
        ("fused_activation", "SOFT", "attribute fused_activation_numbers: needs 2 numbers"),
    ],
)
def test_refuses_a_damaged_call(name, value, message):
    model, node = normalization()
    kept = [each for each in node.attribute if each.name != name]
    del node.attribute[:]
    node.attribute.extend([*kept, onnx.helper.make_attribute(name, value)])

    with pytest.raises(dml.OnnxModelError) as caught:
        dml.load_onnx(model)

    assert message in str(caught.value)
