"""What a model becomes: inputs and outputs of all kinds, functions, branches, folding."""

import pickle
import subprocess
import sys
import tracemalloc
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import onnx
import pytest

import indirectml as dml
from indirectml.arithmetic import contraction
from tests.bits import assert_bits_equal
from tests.onnx_import import pages
from tests.onnx_import.models import load, model


def test_takes_a_path_bytes_and_a_model(tmp_path):
    proto = model("(float[2] x) => (float[2] y) { y = Add(x, x) }")
    path = tmp_path / "model.onnx"
    path.write_bytes(proto.SerializeToString())

    for source in (path, str(path), path.read_bytes(), proto):
        (y,) = dml.load_onnx(source)(np.array([1, 2], np.float32))
        assert_bits_equal(actual=y, expected=np.array([2, 4], np.float32))


def test_tells_inputs_and_outputs():
    loaded = load("(float[2] x, bool b) => (float[2] y, bool c) { y = Add(x, x) c = Identity(b) }")

    assert list(loaded.inputs.values()) == [
        dml.OnnxTensor("x", np.dtype(np.float32), (2,)),
        dml.OnnxTensor("b", np.dtype(np.bool_), ()),
    ]
    assert list(loaded.outputs) == ["y", "c"]
    y, c = loaded({"b": np.array(1, bool), "x": np.array([1, 2], np.float32)})
    assert c.dtype == np.bool_
    assert c.shape == ()
    assert c
    assert_bits_equal(actual=y, expected=np.array([2, 4], np.float32))


def test_an_output_may_be_an_input_a_constant_and_there_twice():
    loaded = load(
        "(float[2] x) => (float[2] same, float[2] twice, float[2] again, float[2] w, float v)"
        " <float[2] w = {1, 2}>"
        " { same = Identity(x) twice = Add(x, w) again = Identity(twice)"
        " v = Constant<value_float = 3.0>() }"
    )

    found = loaded(np.array([1, 1], np.float32))

    expected = [[1, 1], [2, 3], [2, 3], [1, 2], 3]
    for actual, each in zip(found, expected, strict=True):
        assert_bits_equal(actual=actual, expected=np.array(each, np.float32))


def test_a_model_may_be_known_altogether():
    loaded = load("() => (float[2] y) <float[2] w = {1, 2}> { y = Add(w, w) }")

    assert loaded.compiled is None
    assert_bits_equal(actual=loaded()[0], expected=np.array([2, 4], np.float32))


def test_a_function_of_the_model_and_one_of_onnx_are_taken_apart():
    loaded = load(
        "(float[3] x) => (float[3] y, float[3] z) { y = own.twice(x) z = HardSwish(x) }",
        extra=', "own" : 1',
        functions='<domain: "own", opset_import: ["" : 18]> twice (a) => (b) { b = Add(a, a) }',
    )

    y, z = loaded(np.array([-4, 1.5, 4], np.float32))

    assert_bits_equal(actual=y, expected=np.array([-8, 3, 8], np.float32))
    np.testing.assert_array_equal(z, np.array([-0.0, 1.125, 4], np.float32))


def test_a_branch_whose_condition_is_known_is_taken():
    loaded = load(
        "(float[2] x) => (float[2] y) { c = Constant<value = bool {1}>()"
        " y = If (c) <then_branch = a () => (float[2] u) { u = Add(x, x) },"
        " else_branch = b () => (float[2] v) { v = Loop(x) }> }"
    )

    assert_bits_equal(
        actual=loaded(np.array([1, 2], np.float32))[0], expected=np.array([2, 4], np.float32)
    )


def test_a_condition_from_data_selects_between_both_branches():
    loaded = load(
        "(float[2] x, bool c, int64[2] k) => (float[2] y, int64[2] n) {"
        " y, n = If (c) <then_branch = a () => (float[2] u, int64[2] m) {"
        " u = Add(x, x) m = Identity(k) },"
        " else_branch = b () => (float[2] v, int64[2] o) { v = Neg(x) o = Neg(k) }> }"
    )
    x, k = np.array([1, np.nan], np.float32), np.array([3, -4])

    for condition, sign in ((True, 2), (False, -1)):
        y, n = loaded({"x": x, "c": np.array(condition), "k": k})

        assert_bits_equal(actual=y[0], expected=np.float32(sign))
        assert np.isnan(y[1])
        np.testing.assert_array_equal(n, k if condition else -k)


def test_sizes_are_given_by_input_or_by_dimension():
    text = "(float[N, 3] x, float[N, M] z) => (float[N, 3] y) { y = Add(x, z) }"

    for given in (
        {"sizes": {"x": [2, 3], "z": [2, 1]}},
        {"sizes": {"x": [2, 3]}, "dimensions": {"M": 1}},
        {"dimensions": {"N": 2, "M": 1}},
    ):
        assert load(text, **given).outputs["y"].sizes == (2, 3)


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ({"sizes": {"y": [1]}}, "ONNX model: sizes: needs names of inputs: x, got 'y'"),
        (
            {"sizes": {"x": [2, 4]}},
            "ONNX model: input 'x': needs size 3 for dimension 1, got 4",
        ),
        (
            {"dimensions": {"K": 4}},
            "ONNX model: dimensions: needs names of open dimensions: N, got 'K'",
        ),
    ],
)
def test_refuses_sizes_that_are_missing_or_do_not_fit(given, sentence):
    with pytest.raises(dml.ModelError) as caught:
        load("(float[N, 3] x) => (float[N, 3] y) { y = Add(x, x) }", **given)

    assert str(caught.value) == sentence


def test_all_refusals_are_told_at_once():
    with pytest.raises(dml.OnnxModelError) as caught:
        load(
            "(float[2] x) => (float[2] y) {"
            " [first] a = Nothing(x) [second] b = Loop(x)"
            " [third] c = Add(a, b) [fourth] y = Sum(c, q) }"
        )

    found = [(each.node, each.operator) for each in caught.value.refusals]
    assert found == [("first", "Nothing"), ("second", "Loop"), ("fourth", "Sum")]
    assert (
        "ONNX model: 3 nodes cannot be said in DirectML's operators:\n  first (Nothing): "
        in str(caught.value)
    )


def test_dimensions_without_a_name_are_open_each_for_itself():
    proto = model('(float["?", "?", -1] x) => (float y) { y = ReduceSum<keepdims = 0>(x) }')

    loaded = dml.load_onnx(proto, sizes={"x": [2, 3, 4]})

    assert loaded.inputs["x"].sizes == (2, 3, 4)
    with pytest.raises(dml.ModelError, match=r"leaves open: dimension 0 of x, dimension 1 of x, d"):
        dml.load_onnx(proto).at({})


def test_can_be_serialized_and_exported_again(tmp_path):
    loaded = load("(float[2] x) => (float[2] y, float[2] z) { y = Add(x, x) z = Mul(y, x) }")
    x = np.array([1, -3], np.float32)

    loaded.serialize(tmp_path / "graph.bin")
    loaded.to_onnx(tmp_path / "model.onnx")

    graph = dml.read_serialized_graph(tmp_path / "graph.bin")
    assert list(graph.outputs) == ["y", "z"]
    again = dml.load_onnx(tmp_path / "model.onnx")
    assert list(again.outputs) == ["y", "z"]
    for outputs in (graph.compile(dml.Device())({"x": x}), again(x)):
        for actual, expected in zip(outputs, loaded(x), strict=True):
            assert_bits_equal(actual=actual, expected=expected)


def test_what_is_known_while_loading_is_written_as_a_constant(tmp_path):
    loaded = load("() => (float[2] y) <float[2] w = {1, 2}> { y = Add(w, w) }")

    loaded.serialize(tmp_path / "graph.bin")

    graph = dml.read_serialized_graph(tmp_path / "graph.bin")
    (y,) = graph.compile(dml.Device())()
    assert_bits_equal(actual=y, expected=np.array([2, 4], np.float32))


def test_what_has_no_elements_is_not_written(tmp_path):
    loaded = load("(float[0] x) => (float[0] y) { y = Add(x, x) }")

    assert loaded(np.empty(0, np.float32))[0].shape == (0,)
    with pytest.raises(dml.ModelError, match=r"^ONNX model: y: needs elements, .* sizes \[0\]"):
        loaded.serialize(tmp_path / "graph.bin")
    assert not list(tmp_path.iterdir())


def test_the_page_lists_the_operators_that_have_a_form():
    assert pages.PAGE.read_text(encoding="utf-8") == pages.page()


def test_a_missing_library_is_a_sentence():
    code = (
        "import sys; sys.modules['onnx'] = None; import indirectml as dml\n"
        "try: dml.load_onnx('model.onnx')\n"
        "except dml.SettingError as error: print(error)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert done.stdout == (
        "ONNX: needs the onnx package, which is not installed; pip install 'indirectml[onnx]'\n"
    )


def test_a_loaded_model_can_be_pickled():
    loaded = load("(float[2] x, bool[2] b) => (float[2] y, bool[2] c) { y = Add(x, x) c = Not(b) }")
    given = {"x": np.array([1, 2], np.float32), "b": np.array([1, 0], bool)}

    again = pickle.loads(pickle.dumps(loaded))  # noqa: S301 (its own bytes)

    for actual, expected in zip(again(given), loaded(given), strict=True):
        assert_bits_equal(actual=actual, expected=expected)


def test_any_number_of_threads_may_call():
    loaded = load("(float[64] x) => (float[64] y) { a = Exp(x) y = Softmax(a) }")
    arrays = [np.random.default_rng(k).random(64, np.float32) for k in range(32)]

    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(lambda x: loaded(x)[0], arrays))

    for x, actual in zip(arrays, found, strict=True):
        assert_bits_equal(actual=actual, expected=loaded(x)[0])


def test_weights_are_copied_at_most_once(tmp_path):
    """And not at all from a file beside the model, where they are mapped."""
    weights = np.random.default_rng(1).random((1 << 20,), np.float32)
    proto = model("(float[1048576] x) => (float[1048576] y) { y = Add(x, w) }")
    proto.graph.initializer.append(onnx.numpy_helper.from_array(weights, "w"))
    apart = onnx.ModelProto.FromString(proto.SerializeToString())
    onnx.save(apart, tmp_path / "m.onnx", save_as_external_data=True, location="w")

    loaded = []
    for source, copies in ((tmp_path / "m.onnx", 0), (proto, 1)):
        tracemalloc.start()
        loaded.append(dml.load_onnx(source))
        kept, _ = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        assert kept < copies * weights.nbytes + (1 << 20)
    for each in loaded:
        assert_bits_equal(actual=each(np.zeros(1 << 20, np.float32))[0], expected=weights)


@pytest.mark.parametrize("kind", ["transposed", "quantized"])
def test_weights_in_panels_are_held_once_while_loading(kind, tmp_path):
    """However a model says that a product reads them; and what was read is there plain again."""
    random = np.random.default_rng(2)
    sizes = (512, 512) if kind == "transposed" else (1024, 1024)
    if kind == "transposed":
        all_weights = [random.standard_normal(sizes).astype(np.float32) for _ in range(6)]
        made = [f"t{k} = Transpose<perm = [1, 0]>(w{k}) " for k in range(6)]
    else:
        all_weights = [random.integers(-128, 128, sizes, np.int8) for _ in range(6)]
        made = [f"t{k} = DequantizeLinear(w{k}, s) " for k in range(6)]
    products = [f"x{k + 1} = MatMul(x{k}, t{k}) " for k in range(5)] + ["y = MatMul(x5, t5)"]
    text = f"(float[2, {sizes[0]}] x0) => (float[2, {sizes[0]}] y) <float s = {{0.5}}>"
    proto = model(f"{text} {{ {''.join(made)}{''.join(products)} }}")
    proto.graph.initializer.extend(
        onnx.numpy_helper.from_array(w, f"w{k}") for k, w in enumerate(all_weights)
    )
    onnx.save(proto, path := tmp_path / "m.onnx")
    x = random.standard_normal((2, sizes[0])).astype(np.float32)
    dml.load_onnx(path)(x)  # what is imported

    tracemalloc.start()
    loaded = dml.load_onnx(path)
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()

    assert most < 7 * all_weights[0].nbytes + (1 << 20)  # one of six is plain and in panels
    expected = x
    for w in all_weights:
        plain = w.T if kind == "transposed" else w.astype(np.float32) * np.float32(0.5)
        expected = contraction.contract(expected, plain)
    assert_bits_equal(actual=loaded(x)[0], expected=expected)
    again = dml.load_onnx(loaded.to_onnx())
    assert_bits_equal(actual=again(x)[0], expected=expected)


def test_a_matrix_may_be_read_transposed_and_as_it_is():
    random = np.random.default_rng(3)
    w = random.standard_normal((96, 64)).astype(np.float32)
    proto = model(
        "(float[3, 64] x, float[3, 96] z) => (float[3, 96] y, float[3, 96] v, float[3, 64] u,"
        " float[96, 64] r) { t = Transpose<perm = [1, 0]>(w) b = Transpose<perm = [1, 0]>(t)"
        " y = MatMul(x, t) v = Gemm<transB = 1>(x, b) u = Gemm<transB = 1>(z, t) r = Neg(w) }"
    )
    proto.graph.initializer.append(onnx.numpy_helper.from_array(w, "w"))
    x, z = (random.standard_normal((3, n)).astype(np.float32) for n in (64, 96))

    y, v, u, r = dml.load_onnx(proto)(x, z)

    for actual, expected in (
        (y, contraction.contract(x, w.T)),
        (v, contraction.contract(x, w.T)),
        (u, contraction.contract(z, w)),
        (r, -w),
    ):
        assert_bits_equal(actual=actual, expected=expected)


def test_any_byte_but_zero_is_true():
    proto = model("() => (float[3] y) <bool[3] b = {0, 1, 1}> { y = Cast<to = 1>(b) }")
    proto.graph.initializer[0].ClearField("int32_data")
    proto.graph.initializer[0].raw_data = b"\0\1\7"

    (y,) = dml.load_onnx(proto)()

    assert_bits_equal(actual=y, expected=np.array([0, 1, 1], np.float32))


def test_more_dimensions_than_8_are_repeated_where_8_say_it():
    x, given = np.arange(6, dtype=np.float32), (1, 2, 1, 1, 1, 1, 1, 1, 3)
    sizes = (2, 2, 2, 1, 1, 1, 1, 1, 3)
    text = (
        f"(float[6] x) => (float[24] y) <int64[9] a = {{{str(given)[1:-1]}}}, int64[9] s ="
        f" {{{str(sizes)[1:-1]}}}, int64[1] f = {{-1}}>"
        " { u = Reshape(x, a) v = Expand(u, s) y = Reshape(v, f) }"
    )

    (found,) = load(text)({"x": x})

    expected = np.broadcast_to(x.reshape(given), sizes).reshape(-1)
    assert_bits_equal(actual=found, expected=expected)


def test_nodes_that_hold_a_tensor_are_weights_and_no_nodes_to_translate():
    """Others keep their places in the file, and what is wrong with one is told with its own."""
    text = "(float[2] x) => (float[2] y, float[2] c) { c = Constant<value = float[2] {1, 2}>() "
    loaded = load(text + "y = Add(x, c) }")
    y, c = loaded(np.array([1, 1], np.float32))
    assert_bits_equal(actual=np.stack([y, c]), expected=np.array([[2, 3], [1, 2]], np.float32))
    assert loaded._source.translated_nodes == 1  # noqa: SLF001 (which nobody else asks)

    damaged = model(text + "d = Constant<value = float[2] {1, 2}>() y = Gelu2(x) }")
    damaged.graph.node[1].attribute[0].t.data_type = onnx.TensorProto.UNDEFINED
    damaged.graph.output.add().CopyFrom(damaged.graph.output[0])
    damaged.graph.output[2].name = "d"
    with pytest.raises(dml.OnnxModelError) as caught:
        dml.load_onnx(damaged)
    assert [each.node for each in caught.value.refusals] == ["nodes[1]", "nodes[2]"]


@pytest.mark.parametrize("other", ["x", "c"])
def test_a_node_that_holds_a_tensor_needs_a_name_of_its_own(other):
    proto = model(
        "(float[2] x) => (float[2] y) { c = Constant<value = float[2] {1, 2}>()"
        " d = Constant<value = float[2] {3, 4}>() y = Add(c, d) }"
    )
    proto.graph.node[1].output[0] = proto.graph.node[2].input[1] = other

    with pytest.raises(dml.OnnxModelError, match=rf"nodes\[1\] .*output '{other}': needs a name"):
        dml.load_onnx(proto)
