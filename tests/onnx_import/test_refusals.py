"""Files that are no models, and models that cannot be said: one type of error, and a sentence."""

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper

import indirectml as dml
from indirectml.onnx_import.reading import name_of_kind
from tests.onnx_import import fuzz
from tests.onnx_import.models import load, model
from tests.test_wrong_arguments import WRONG

ADD = "(float[2] x) => (float[2] y) { y = Add(x, x) }"


def refused(source, **given):
    """Return the sentence with which a model is refused."""
    with pytest.raises(dml.ModelError) as caught:
        dml.load_onnx(source, **given)
    return str(caught.value)


# ---- headers ----


def test_bytes_that_are_no_model(tmp_path):
    path = tmp_path / "model.onnx"
    path.write_bytes(b"\x00\x01 no model")

    text = "needs an ONNX model, got bytes that are none, or were cut off"
    assert refused(b"\xff" * 20) == f"ONNX model: {text}"
    assert refused(path) == f"{path}: {text}"


@pytest.mark.parametrize(
    ("place", "field"),
    [("node.name", "name"), ("node.input", "input"), ("node.output", "output"),
     ("attribute.name", "name"), ("tensor.name", "name"), ("tensor.data", "external_data"),
     ("branch.node", "name"), ("graph.name", "name")],
)  # fmt: skip
def test_text_that_is_none(place, field):
    texts = {"node.name": "n", "node.input": "x", "node.output": "y", "attribute.name": "value"}
    texts |= dict.fromkeys(["tensor.name", "tensor.data", "branch.node", "graph.name"], "t")
    texts[place] = "QQQQ"
    tensor = numpy_helper.from_array(np.ones(2, np.float32), texts["tensor.name"])
    if place == "tensor.data":
        tensor.external_data.add(key="location", value=texts[place])
    output = helper.make_tensor_value_info("y", TensorProto.FLOAT, [2])
    inner = helper.make_graph(
        [helper.make_node("Identity", ["x"], ["y"], texts["branch.node"])], "g", [], [output]
    )
    nodes = [
        helper.make_node("Relu", [texts["node.input"]], [texts["node.output"]], texts["node.name"]),
        helper.make_node("Constant", [], ["c"], **{texts["attribute.name"]: tensor}),
        helper.make_node("If", ["b"], ["z"], then_branch=inner, else_branch=inner),
    ]
    raw = helper.make_model(helper.make_graph(nodes, texts["graph.name"], [], [output]))
    found = refused(raw.SerializeToString().replace(b"QQQQ", b"\xff" * 4))
    text = "b'\\xff\\xff\\xff\\xff'"
    assert found == f"ONNX model: {field}: needs text in UTF-8, got {text}"


def test_files_that_are_empty_missing_or_a_folder(tmp_path):
    (tmp_path / "empty.onnx").touch()

    assert refused(tmp_path / "empty.onnx").endswith("needs at least one byte, got none")
    assert refused(tmp_path).endswith("needs a regular file, got a folder")
    with pytest.raises(FileNotFoundError):
        dml.load_onnx(tmp_path / "missing.onnx")


def test_what_is_no_source():
    assert refused(3) == "ONNX: needs a path, bytes or an onnx.ModelProto, got int"


def test_versions_of_the_future():
    newest, format_ = onnx.defs.onnx_opset_version(), onnx.IR_VERSION
    proto = model(ADD)
    proto.opset_import[0].version = newest + 1
    assert refused(proto) == (
        f"ONNX model: opset_import: needs opset 7 to {newest}, which the installed onnx "
        f"{onnx.__version__} knows, got {newest + 1}; install a newer onnx"
    )

    proto = model(ADD)
    proto.ir_version = format_ + 1
    assert refused(proto).startswith(f"ONNX model: ir_version: needs at most version {format_} of")


def test_an_opset_that_is_missing_or_too_old():
    proto = model(ADD)
    proto.opset_import[0].version = 6
    assert refused(proto).endswith("got 6; onnx.version_converter makes it newer")

    del proto.opset_import[:]
    assert refused(proto) == "ONNX model: needs the opset of at least one domain, got none"


def test_a_model_without_a_graph_or_outputs():
    proto = model(ADD)
    del proto.graph.output[:]
    assert refused(proto) == "ONNX model: needs at least one output, got none"

    proto.ClearField("graph")
    assert refused(proto) == "ONNX model: needs an ONNX model, which has a graph, got none"


# ---- nodes ----

#: A branch for each of two rates, of which the second takes other sizes.
BRANCHES = """({}, int64 rate) => (float[N, M] y)
    <int64 first = {{16}}, int64[1] image = {{3}}, int64[1] block = {{1}}> {{
        is_first = Equal(rate, first)
        y = If (is_first) <then_branch = a () => (float[N, M] u) {{ u = Add(x, x) }},
            else_branch = b () => (float[N, K, M] v) {{ v = Col2Im(x, image, block) }}>
    }}"""

NODES = {
    "cycle": (
        "(float[2] x) => (float[2] y) { a = Add(x, b) b = Add(a, x) y = Add(a, b) }",
        (
            "nodes[0] (Add): needs nodes that can be computed one after the other, got a circle: "
            "each of nodes[0], nodes[1] reads what itself or another makes"
        ),
    ),
    "unknown name": (
        "(float[2] x) => (float[2] y) { y = Add(x, q) }",
        (
            "nodes[0] (Add): inputs: needs the name of an input, an initializer, or an output of a "
            "node, got 'q'"
        ),
    ),
    "two of one name": (
        "(float[2] x) => (float[2] y) { y = Add(x, x) y = Mul(x, x) }",
        "nodes[1] (Mul): output 'y': needs a name of its own",
    ),
    "mistyped operator": (
        "(float[2] x) => (float[2] y) { [first] y = Relux(x) }",
        "first (Relux): needs an operator of opset 18, got 'Relux'; did you mean Relu?",
    ),
    "unknown domain": (
        "(float[2] x) => (float[2] y) { y = other.Add(x) }",
        "nodes[0] (other.Add): needs the opset of its domain, got none for 'other'",
    ),
    "data type": (
        "(bool[2] x) => (bool[2] y) { y = Sin(x) }",
        (
            "nodes[0] (Sin): inputs[0] (input): needs one of tensor(double), tensor(float), "
            "tensor(float16), got tensor(bool)"
        ),
    ),
    "two data types": (
        "(float[2] x, int64[2] z) => (float[2] y) { y = Add(x, z) }",
        "nodes[0] (Add): inputs[1] (B): needs float32, as another input has, got tensor(int64)",
    ),
    "float64": (
        "(double[2] x) => (double[2] y) { y = Add(x, x) }",
        (
            "nodes[0] (Add): ELEMENT_WISE_ADD.a_tensor.data_type: needs one of FLOAT32, FLOAT16, "
            "INT64, INT32, INT16, INT8, UINT64, UINT32, UINT16, UINT8 at feature level 6_4, got "
            "FLOAT64; FLOAT64 is computed while loading, and constants={'x': array} makes it "
            "known; or export it in FLOAT32"
        ),
    ),
    "sizes": (
        "(float[2] x, float[3] z) => (float[2] y) { y = Add(x, z) }",
        "nodes[0] (Add): needs sizes that can be broadcast, got [2] and [3]",
    ),
    "inputs": (
        "(float[2] x) => (float[2] y) { y = Add(x) }",
        "nodes[0] (Add): needs 2 inputs, got 1",
    ),
    "unknown attribute": (
        "(float[2] x) => (float[2] y) { y = Relu<alpha=1.0>(x) }",
        "nodes[0] (Relu): is no attribute of it, got 'alpha'",
    ),
    "type of an attribute": (
        "(float[2] x) => (float[2] y) { y = LeakyRelu<alpha=1>(x) }",
        "nodes[0] (LeakyRelu): attribute alpha: needs FLOAT, got INT",
    ),
    "missing attribute": (
        "(float[2] x) => (float[2] y) { y = Concat(x, x) }",
        "nodes[0] (Concat): attribute axis: is required",
    ),
    "shape from data": (
        "(float[2] x, int64[1] s) => (float[N] y) { y = Reshape(x, s) }",
        (
            "nodes[0] (Reshape): inputs[1]: needs an input that is known while loading, since it "
            "decides sizes, got one that is computed from inputs of the model; "
            "constants={'s': array} makes it known"
        ),
    ),
    "condition from data": (
        (
            "(float[2] x, float[2] s) => (float[2] y) { t = ReduceMax<keepdims = 0>(s)"
            " c = Cast<to = 9>(t) y = If (c) <then_branch = a () => (float[2] u) "
            "{ u = Add(x, x) }, else_branch = b () => (float[4] v)"
            " { v = Concat<axis = 0>(x, x) }> }"
        ),
        (
            "nodes[2] (If): needs a condition that is known while loading, or branches of the same "
            "sizes and data types, got float32 [2] and float32 [4] for output 0; "
            "constants={'s': array} makes it known"
        ),
    ),
    "a branch that does not take sizes that the other takes": (
        BRANCHES.format("float[2, 3] x"),
        (
            "nodes[1] (If): needs a condition that is known while loading, as else_branch is "
            "refused; constants={'rate': array} makes it known"
        ),
    ),
    "inputs that Python cannot take apart": (
        BRANCHES.format("float[2, 3] x"),
        (
            "nodes[1]/else_branch/nodes[0] (Col2Im): does not fit its operator, got "
            "ValueError: 'not enough values to unpack (expected 3, got 2)' of inputs "
            "float32 [2, 3], int64 [1], int64 [1]"
        ),
    ),
    "a loop of more steps than there may be, of which the first is refused": (
        (
            "(bool[2] d, float[2] x) => (float[2] y) <int64 n = {100000000}> { y = Loop(n, , x)"
            " <body = b (int64 i, bool c, float[2] v) => (bool e, float[2] w)"
            " { e = Identity(d) w = Add(v, v) }> }"
        ),
        (
            "nodes[0] (Loop): needs a count and a condition that are known while loading: graphs "
            "have no loops, got one that is computed from inputs of the model; "
            "constants={'d': array, 'x': array} makes it known"
        ),
    ),
    "a condition that is none": (
        (
            "(float[2] x, float c) => (float[2] y) { y = If (c) <then_branch = a () => (float[2] u)"
            " { u = Add(x, x) }, else_branch = b () => (float[2] v) { v = Neg(x) }> }"
        ),
        "nodes[0] (If): needs a condition of one element of bool, got float32 []",
    ),
    "a branch of too few outputs": (
        (
            "(float[2] x, bool c) => (float[2] y, float[2] z) { y, z = If (c) <then_branch = a ()"
            " => (float[2] u, float[2] w) { u = Add(x, x) w = Neg(x) }, else_branch = b () =>"
            " (float[2] v) { v = Neg(x) }> }"
        ),
        "nodes[0] (If): else_branch: needs as many outputs as the node, 2, got 1",
    ),
    "a count from data": (
        (
            "(int64 n, float[2] x) => (float[2] y) <bool c = {1}> { y = Loop(n, c, x)"
            " <body = b (int64 i, bool d, float[2] v) => (bool e, float[2] w)"
            " { e = Identity(d) w = Add(v, v) }> }"
        ),
        (
            "nodes[0] (Loop): needs a count and a condition that are known while loading: graphs "
            "have no loops, got one that is computed from inputs of the model; "
            "constants={'n': array} makes it known"
        ),
    ),
    "sizes from behind a branch": (
        (
            "(int64[1] n, bool c, float[1] x) => (float[K] y) { k = If (c) <then_branch = a () =>"
            " (int64[1] u) { u = Add(n, n) }, else_branch = b () => (int64[1] v)"
            " { v = Mul(n, n) }> y = Expand(x, k) }"
        ),
        (
            "nodes[1] (Expand): inputs[1]: needs an input that is known while loading, since it "
            "decides sizes, got one that is computed from inputs of the model; "
            "constants={'c': array, 'n': array} makes it known"
        ),
    ),
    "index out of range": (
        "(float[2] x) => (float y) <int64 i = {9223372036854775807}> { y = Gather(x, i) }",
        "nodes[0] (Gather): needs indices from -2 to 1, got 9223372036854775807",
    ),
    "axis out of range": (
        "(float[2] x) => (float[2] y) { y = Softmax<axis = 4000000000>(x) }",
        "nodes[0] (Softmax): axis: needs a dimension from -1 to 0, got 4000000000",
    ),
    "padding that does not fit": (
        (
            "(float[1, 1, 4] x, float[1, 1, 2] w) => (float[1, 1, 3] y)"
            " { y = Conv<pads = [4294967296, 0]>(x, w) }"
        ),
        "nodes[0] (Conv): sizes: each size is from 1 to 4294967295, got [1, 1, 4294967299]",
    ),
}


@pytest.mark.parametrize("name", NODES)
def test_nodes_that_cannot_be_said(name):
    text, sentence = NODES[name]

    with pytest.raises(dml.OnnxModelError) as caught:
        load(text)

    assert sentence in [str(refusal) for refusal in caught.value.refusals]


def test_the_layout_of_one_machine_says_how_the_model_is_written_for_all():
    with pytest.raises(dml.OnnxModelError) as caught:
        load(
            "(float[1,8,4,4] x) => (float[1,8,4,4] y) { y = com.microsoft.nchwc.ReorderOutput(x) }",
            extra=', "com.microsoft.nchwc" : 1',
        )

    assert str(caught.value.refusals[0]) == (
        "nodes[0] (com.microsoft.nchwc.ReorderOutput): needs a model that any machine runs: this "
        "domain is the layout of ONNX Runtime's CPU kernels on the machine that wrote it, got "
        "'ReorderOutput'; write it with graph_optimization_level = ORT_ENABLE_EXTENDED"
    )


def test_a_function_that_calls_itself():
    with pytest.raises(dml.OnnxModelError, match="needs functions that end, got 64 in one another"):
        load(
            "(float[3] x) => (float[3] y) { y = own.again(x) }",
            extra=', "own" : 1',
            functions='<domain: "own", opset_import: ["" : 18, "own" : 1]>'
            " again (a) => (b) { b = own.again(a) }",
        )


@pytest.mark.parametrize(
    ("value", "kind"),
    [
        (helper.make_tensor_sequence_value_info("x", TensorProto.FLOAT, [2]), "sequence"),
        (helper.make_value_info("x", onnx.TypeProto()), "no type"),
    ],
)
def test_inputs_that_are_no_tensors(value, kind):
    proto = model(ADD)
    proto.graph.input[0].CopyFrom(value)

    assert refused(proto) == f"ONNX model: input 'x': needs a tensor, got {kind}"


def test_strings():
    assert refused(model("(string[2] x) => (string[2] y) { y = Identity(x) }")) == (
        "ONNX model: input 'x': needs numbers, got STRING; look numbers up for text before the "
        "model"
    )


# ---- weights ----


def with_weights(**entries):
    """Return a model whose weights lie in a file, as the entries say."""
    proto = model("(float[2] x) => (float[2] y) <float[2] w = {1, 2}> { y = Add(x, w) }")
    tensor = proto.graph.initializer[0]
    tensor.ClearField("float_data")
    tensor.ClearField("raw_data")
    tensor.data_location = TensorProto.EXTERNAL
    for key, value in entries.items():
        tensor.external_data.add(key=key, value=str(value))
    return proto


def test_weights_in_a_file_are_found_beside_the_model(tmp_path):
    data = np.arange(100, dtype=np.float32)
    (tmp_path / "weights").write_bytes(data.tobytes())
    path = tmp_path / "model.onnx"
    (tmp_path / "odd").write_bytes(b"!" + data[10:12].tobytes())
    for entries in (
        {"location": "weights", "offset": 40},
        {"location": "weights", "offset": 40, "length": 8},
        {"location": "odd", "offset": 1},
    ):
        onnx.save(with_weights(**entries), path)
        (y,) = dml.load_onnx(path)(np.zeros(2, np.float32))
        np.testing.assert_array_equal(y, data[10:12])


@pytest.mark.parametrize(
    ("entries", "sentence"),
    [
        (
            {"location": "missing"},
            "needs its bytes in the file 'missing' beside the model, got no such file or directory",
        ),
        (
            {"location": "../outside"},
            "needs a file within the folder of the model, got '../outside'",
        ),
        ({"location": "/etc/passwd"}, "needs a file within the folder of the model, got '/etc/"),
        ({"location": "C:\\weights"}, "needs a file within the folder of the model, got 'C:"),
        ({"location": "link"}, "needs a file within the folder of the model, got 'link'"),
        ({}, "needs a file within the folder of the model, got no name"),
        (
            {"location": "weights", "offset": 8, "length": 8},
            "needs bytes 8 to 16 of 'weights', got a file of 8 bytes",
        ),
        ({"location": "weights", "length": 4}, "needs 8 bytes for float32 [2], got 4"),
        ({"location": "weights", "offset": -8}, "needs bytes -8 to"),
        ({"location": "weights", "offset": "x"}, "needs offset and length as numbers"),
    ],
)
def test_weights_that_are_not_there(tmp_path, entries, sentence):
    folder = tmp_path / "inside"
    folder.mkdir()
    (folder / "weights").write_bytes(bytes(8))
    (tmp_path / "outside").write_bytes(bytes(8))
    (folder / "link").symlink_to(tmp_path / "outside")
    (folder / "model.onnx").write_bytes(with_weights(**entries).SerializeToString())

    assert f"tensor 'w': {sentence}" in refused(folder / "model.onnx").replace("tensor 'w'.", "")


def test_a_model_in_memory_has_no_folder():
    assert refused(with_weights(location="weights")) == (
        "ONNX model: tensor 'w': needs the file 'weights' beside the model, got a model in memory, "
        "which has no folder; load it by its path"
    )


@pytest.mark.parametrize("dims", [[3], [-2], [2**40, 2**40]])
def test_tensors_whose_sizes_are_not_their_bytes(dims):
    proto = model("(float[2] x) => (float[2] y) <float[2] w = {1, 2}> { y = Add(x, w) }")
    raw = numpy_helper.from_array(np.ones(2, np.float32), "w")
    for tensor in (raw, proto.graph.initializer[0]):
        del tensor.dims[:]
        tensor.dims.extend(dims)
        proto.graph.initializer[0].CopyFrom(tensor)
        assert "tensor 'w': needs" in refused(proto)


def test_calls_that_do_not_fit():
    loaded = load(ADD)
    for given, sentence in (
        ([], "ONNX: needs 1 inputs, got 0"),
        ([{}], "ONNX: needs data for x (float32 [2])"),
        ([{"z": 1}], "ONNX: needs inputs of the model: x (float32 [2]), got 'z'"),
        ([np.zeros(3, np.float32)], "ONNX.x: needs sizes [2], got [3]"),
        ([None], "ONNX.x: needs an array of float32 [2], got None"),
        (["a"], "ONNX.x: needs an array of float32 [2], got 'a'"),
        ([np.zeros(2, np.int32)], "GRAPH.dispatch.x: needs float32, which int32 does not become"),
    ):
        with pytest.raises(dml.BindingError) as caught:
            loaded(*given)
        assert str(caught.value).startswith(sentence)


@pytest.mark.parametrize("wrong", WRONG, ids=lambda wrong: type(wrong).__name__)
def test_what_is_given_by_mistake_gets_a_sentence(wrong):
    proto = model(ADD.replace("2", "N"))
    loaded = load(ADD)
    calls = [
        lambda: dml.load_onnx(wrong),
        lambda: dml.load_onnx(proto, wrong, dimensions={"N": 2}),
        lambda: dml.load_onnx(proto, sizes=wrong),
        lambda: dml.load_onnx(proto, sizes={"x": wrong}),
        lambda: dml.load_onnx(proto, dimensions=wrong),
        lambda: dml.load_onnx(proto, dimensions={"N": wrong}),
        lambda: dml.load_onnx(proto, constants=wrong),
        lambda: dml.load_onnx(proto, constants={"x": wrong}),
        lambda: loaded(wrong),
        lambda: loaded({"x": wrong}),
    ]
    for call in calls:
        try:
            call()
        except (dml.DirectMLError, FileNotFoundError):
            continue


# ---- changed files ----


@pytest.mark.filterwarnings("ignore:::onnx")
def test_models_with_changed_nodes_or_bytes_are_loaded_or_refused():
    """One type of error, and nothing else, whatever is changed; weekly 100,000."""
    found = [fuzz.outcome(20261121, number) for number in range(450)]

    assert 45 < found.count("loaded") < 405


@pytest.mark.parametrize("order", [1, -1], ids=["in order", "backwards"])
def test_what_has_as_many_results_as_it_finds_says_how_the_model_is_cut(
    order, tmp_path, monkeypatch
):
    monkeypatch.chdir(tmp_path)
    whole = model(
        "(float[1, 6, 4] raw, float[1, 2, 6] found) => (int64[N, 3] chosen)"
        " <int64 most = {3}, float overlap = {0.5}> { boxes = Relu(raw) scores = Sigmoid(found)"
        " [nms] chosen = NonMaxSuppression(boxes, scores, most, overlap) }"
    )
    nodes = list(whole.graph.node)[::order]
    del whole.graph.node[:]
    whole.graph.node.extend(nodes)
    onnx.save(whole, "model.onnx")

    sentence = refused("model.onnx")

    advice = "end the model before it, and compute it from outputs"
    call = "onnx.utils.extract_model(path, 'before.onnx', ['raw', 'found'], ['boxes', 'scores'])"
    if order < 0:  # which onnx refuses otherwise
        call = call.replace(")", ", check_model=False)")
    known = "constants={'found': array, 'raw': array} makes it known; or"
    assert sentence.endswith(f"DirectML's sizes are fixed; {known} {advice}: {call}")
    eval(call, {"onnx": onnx, "path": "model.onnx"})  # noqa: S307 (which is ours)
    x, y = np.full((1, 6, 4), -1, np.float32), np.zeros((1, 2, 6), np.float32)
    boxes, scores = dml.load_onnx("before.onnx")(x, y)
    assert (boxes.max(), scores.min()) == (0, 0.5)
    at_once = "(float[6] x) => (float[N] y) { y = Unique(x) }"
    known = "constants={'x': array} makes it known; or"
    assert refused(model(at_once)).endswith(f"fixed; {known} {advice}")


@pytest.mark.parametrize(
    "graph",
    [
        "(float[2] x) => (bfloat16[2] y) { y = Cast<to = 16>(x) }",
        "(bfloat16[2] x) => (bfloat16[2] y) { y = Relu(x) }",
        "(float[2] x) => (float[2] y) { short = Cast<to = 17>(x) y = Cast<to = 1>(short) }",
    ],
)
def test_floats_of_other_formats_are_refused_with_what_to_export(graph):
    with pytest.raises(dml.DirectMLError) as caught:
        load(graph, opset=22)
    assert str(caught.value).endswith("; export the model in FLOAT32 or FLOAT16")


def test_types_of_attributes_have_names():
    assert name_of_kind(onnx.AttributeProto.STRINGS) == "STRINGS"
    assert name_of_kind(99) == "type 99"
