"""What few bytes ask much for: refused from sizes, with the node, before anything is computed."""

import tracemalloc

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper

import indirectml as dml
from indirectml.onnx_import.budget import NODE_BYTES
from tests.onnx_import.models import model

LIMIT = 16 << 20
#: Arrays of a budget, what is read for them, and what Python and its libraries take besides.
MOST_PEAK = 3 * LIMIT

_ONE = "o = Constant<value_float=1.0>()"
_BIG = f"{_ONE} s = Constant<value_ints=[8192,8192]>() a = Expand(o, s)"
_ZEROS = f"{_BIG} z = Constant<value_int=0>() i = Expand(z, s)"
_MANY = "s = Constant<value_ints=[4000000000]>()"
_RANGE = """a = Constant<value_int=0>() b = Constant<value_int=4000000000000>()
    c = Constant<value_int=1>() r = Range(a, b, c)"""
_DOUBLED = "k0 = Constant<value_ints=[1,2,3,4,5,6,7,8]>()" + "".join(
    f" k{i + 1} = Concat<axis=0>(k{i}, k{i})" for i in range(30)
)
_MEL = """n = Constant<value_int=30000000>() b = Constant<value_int=2>()
    r = Constant<value_int=8000>() l = Constant<value_float=0.0>()
    h = Constant<value_float=4000.0>() y = MelWeightMatrix(n, b, r, l, h)"""
_LSTM = f"""{_ONE} s = Constant<value_ints=[99999,1,1]>() a = Expand(o, s)
    u = Constant<value_ints=[1,4,1]>() w = Expand(o, u) y, h, c = LSTM<hidden_size=1>(a, w, w)"""
_ONE_HOT = """i = Constant<value_ints=[0]>() d = Constant<value_int=2000000000>()
    v = Constant<value_floats=[0.0,1.0]>() y = OneHot(i, d, v)"""
_NONE_RESIZED = "{ s = Constant<value_ints=[1,1,60000,60000]>() y = Resize(x, , , s) }"
_NONE_PADDED = "{ s = Constant<value_ints=[0,8000000000]>() y = Pad(x, s) }"
_NONE_SUMMED = "{ a = Constant<value_ints=[1]>() r = ReduceSum(x, a) y = Add(r, r) }"
_TRANSFORM = "{ n = Constant<value_int=16000000>() y = DFT<axis=1>(x, n) }"

#: Nodes, and which of them is refused; None where the operators can do it when the model runs.
NODES = {
    "range": (f"{_RANGE} y = Expand(x, r)", "nodes[3] (Range)"),
    "expanded": (f"{_BIG} y = Add(a, a)", "nodes[3] (Add)"),
    "expanded, and an output": (f"{_BIG} y = Identity(a)", "output 'y'"),
    "doubled": (f"{_DOUBLED} y = Expand(x, k30)", "nodes[18] (Concat)"),
    "window": (
        "n = Constant<value_int=134217728>() w = HannWindow(n) y = Add(w, x)",
        "nodes[1]/nodes[16] (Range)",
    ),
    "tile": (f"{_MANY} c = Constant<value_ints=[1]>() y = Tile(c, s)", "nodes[2] (Tile)"),
    "pad": (
        "s = Constant<value_ints=[0,4000000000]>() c = Constant<value_ints=[1]>() y = Pad(c, s)",
        "nodes[2] (Pad)",
    ),
    "crop": (
        f"{_MANY} c = Constant<value_floats=[1.0]>() y = CenterCropPad<axes=[0]>(c, s)",
        "nodes[2]/nodes[9] (Pad)",
    ),
    "transposed": (
        f"{_BIG} t = Transpose(a) n = Constant<value_ints=[-1]>() y = Reshape(t, n)",
        "nodes[5] (Reshape)",
    ),
    "cast": (f"{_BIG} y = Cast<to=11>(a)", "nodes[3] (Cast)"),
    "chosen": (f"{_BIG} i = Cast<to=9>(o) y = Where(i, a, a)", "nodes[4] (Where)"),
    "not zero": (f"{_BIG} n = NonZero(a) y = Cast<to=1>(n)", "nodes[3] (NonZero)"),
    "indices": (f"{_ZEROS} y = Gather(x, i)", "nodes[5] (Gather)"),
    "integers": (f"{_ZEROS} y = Reshape(x, i)", "nodes[5] (Reshape)"),
    "weights": (
        's = Constant<value_ints=[100000]>() y = Resize<mode="cubic">(x, , , s)',
        "nodes[1] (Resize)",
    ),
    "resized": (f'{_MANY} y = Resize<mode="linear">(x, , , s)', "nodes[1] (Resize)"),
    "mel": (_MEL, "nodes[5] (MelWeightMatrix)"),
    "product": (_BIG.replace("8192", "1024") + " y = MatMul(a, a)", None),
    "recurrent": (_LSTM, None),
    "one hot": (_ONE_HOT, None),
}
MODELS = {
    **{
        name: (f"(float[2] x) => (float[N] y) {{ {b} }}", node) for name, (b, node) in NODES.items()
    },
    "none resized": (f"(float[1,1,0,4] x) => (float[N] y) {_NONE_RESIZED}", "nodes[1] (Resize)"),
    "none padded": (f"(float[0] x) => (float[N] y) {_NONE_PADDED}", "nodes[1] (Pad)"),
    "none summed": (f"(float[1000000000000,0] x) => (float[N] y) {_NONE_SUMMED}", "nodes[2] (Add)"),
    "transform": (f"(float[1,2,1] x) => (float[N] y) {_TRANSFORM}", "nodes[1] (DFT)"),
    "mask": ("(float[60000,60000] x) => (float[N] y) { y = Trilu(x) }", "nodes[0] (Trilu)"),
    "diagonal": ("(float[60000,60000] x) => (float[N] y) { y = EyeLike(x) }", "nodes[0] (EyeLike)"),
}

_F = '<domain: "f", opset_import: ["" : 18, "f" : 1]>\n'
_STEPS = "".join(
    f"{_F}g{i} (a) => (b) {{ c = f.g{i + 1}(a) b = f.g{i + 1}(c) }}\n" for i in range(30)
)
FUNCTIONS = {
    "a function that calls itself": f"{_F}g0 (a) => (b) {{ c = f.g0(a) b = f.g0(c) }}",
    "functions that double": f"{_STEPS}{_F}g30 (a) => (b) {{ b = Identity(a) }}",
    "functions that double a refusal": f"{_STEPS}{_F}g30 (a) => (b) {{ b = Foo(a) }}",
}


def refusal_of(proto, limit=LIMIT):
    """Return why a model is refused; None if it is not. What it takes meanwhile is small."""
    raw = proto.SerializeToString()
    tracemalloc.start()
    try:
        dml.load_onnx(raw, memory_limit=limit)
    except dml.ModelError as error:
        return str(error)
    else:
        return None
    finally:
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        assert peak < MOST_PEAK + 100 * len(raw)


@pytest.mark.parametrize(("text", "node"), MODELS.values(), ids=MODELS)
def test_tensors_that_few_bytes_ask_for(text, node):
    refusal = refusal_of(model(text))

    if node is None:  # what need not be known is left to the operators
        assert refusal is None
    else:
        assert f"{node}: needs at most {LIMIT} bytes for all that is known while" in refusal
        assert refusal.endswith("memory_limit=, or --memory-limit, raises this")


@pytest.mark.parametrize("functions", FUNCTIONS.values(), ids=FUNCTIONS)
def test_functions_that_multiply(functions):
    limit = 500 * NODE_BYTES
    body = "(float[2] x) => (float[2] y) { y = f.g0(x) }"

    refusal = refusal_of(model(body, extra=', "f" : 1', functions=functions), limit)

    assert "nodes[0]/nodes[0]" in refusal
    assert "needs at most 500 nodes and operators, functions and loops written" in refusal or (
        "nodes cannot be said" in refusal
    )
    assert len(refusal) < 20_000


def _loops(depth, count):
    """Return a model with loops in one another."""
    kinds = [("i", TensorProto.INT64, []), ("c", TensorProto.BOOL, []), ("v", 1, [2])]
    inputs = [helper.make_tensor_value_info(*each) for each in kinds]
    ends = [helper.make_tensor_value_info(*each) for each in [("d", 9, []), ("w", 1, [2])]]
    inner = helper.make_node("Add", ["v", "v"], ["w"])
    for _ in range(depth):
        nodes = [helper.make_node("Identity", ["c"], ["d"]), inner]
        body = helper.make_graph(nodes, "body", inputs, ends)
        inner = helper.make_node("Loop", ["n", "", "v"], ["w"], body=body)
    graph = helper.make_graph(
        [inner], "loops", [helper.make_tensor_value_info("v", 1, [2])], ends[1:],
        [onnx.numpy_helper.from_array(np.int64(count), "n")],
    )  # fmt: skip
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=8)


def test_loops_that_multiply():
    limit = 500 * NODE_BYTES
    words = "needs at most 500 nodes and operators, functions and loops written out"

    assert f"nodes[0] (Loop): {words}, got 20" in refusal_of(_loops(1, 10**9), limit)
    assert words in refusal_of(_loops(4, 9), limit)
    assert refusal_of(_loops(2, 9), limit) is None


def _with(initializer=(), sparse=()):
    graph = model("(float[2] x) => (float[2] y) { y = Add(x, x) }")
    graph.graph.initializer.extend(initializer)
    graph.graph.sparse_initializer.extend(sparse)
    return graph


def test_tensors_whose_sizes_are_no_tensors():
    values = helper.make_tensor("s", TensorProto.FLOAT, [1], [1.0])
    sparse = helper.make_sparse_tensor(values, helper.make_tensor("i", 7, [1], [0]), [1 << 34])
    many = TensorProto(name="t", data_type=1, dims=[1] * 65, raw_data=bytes(4))
    vast = TensorProto(name="t", data_type=1, dims=[1 << 62, 0, 1 << 62])

    assert "sparse tensor 's': needs at most 16777216 bytes for" in refusal_of(_with((), [sparse]))
    assert "tensor 't': needs at most 64 dimensions, got 65" in refusal_of(_with([many]))
    assert "tensor 't': needs sizes that memory may have" in refusal_of(_with([vast]))
    for sizes in ("1," * 5000 + "1", f"{1 << 62},0,{1 << 62}"):
        refusal = refusal_of(model(f"(float[{sizes}] x) => (float[N] y) {{ y = Relu(x) }}"))
        assert refusal.startswith("ONNX model: input 'x': needs ")
        assert len(refusal) < 150


def test_a_limit_is_a_number_of_bytes():
    text = "(float[2] x) => (float[2] y) { y = Add(x, x) }"

    with pytest.raises(dml.DataTypeError, match=r"memory_limit: needs a number of bytes, got 1\.5"):
        dml.load_onnx(model(text), memory_limit=1.5)
    with pytest.raises(dml.SettingError, match="memory_limit: needs a number of bytes, got 0"):
        dml.load_onnx(model(text), memory_limit=0)
    assert refusal_of(model(text), 2 * NODE_BYTES) is None
    assert "needs at most 1 nodes" in refusal_of(model(text), NODE_BYTES)


# ---- what is shown ----


def test_long_names_and_such_that_act_on_a_terminal_are_cut_and_escaped():
    proto = model("(float[2] x) => (float[2] y) { y = Foo(x) }")
    proto.graph.node[0].name = "\x1b[2J" + "n" * 1_000_000
    proto.graph.node[0].op_type = "\x1b[31m" + "F" * 1_000_000

    with pytest.raises(dml.OnnxModelError) as caught:
        dml.load_onnx(proto)

    (refusal,) = caught.value.refusals
    assert refusal.node == "\\x1b[2J" + "n" * 93 + "..."
    for text in (str(caught.value), str(refusal), repr(refusal)):
        assert len(text) < 500
        assert "\x1b" not in text


def test_similar_names_are_looked_for_a_few_times():
    nodes = " ".join(f"a{i} = Reluu{i % 30}(x)" for i in range(60))
    names = ",".join(f"a{i}" for i in range(60))
    proto = model(f"(float[2] x) => (float[2] y) {{ {nodes} y = Sum({names}) }}")

    with pytest.raises(dml.OnnxModelError) as caught:
        dml.load_onnx(proto)

    hints = [refusal for refusal in caught.value.refusals if "did you mean Relu?" in str(refusal)]
    assert len(caught.value.refusals) == 60
    assert len(hints) == 40  # of the first 20 names
