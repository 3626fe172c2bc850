"""What all operators share on their way to ONNX: names, views, casts, refusals, files."""

import subprocess
import sys
from pathlib import Path

import ml_dtypes
import numpy as np
import onnx
import onnx.reference
import onnxruntime
import pytest

import indirectml as dml
from indirectml.cli import main
from indirectml.onnx_export import writing
from tests.bits import assert_bits_equal
from tests.operators.test_halves_of_bytes import NUMBERS, packed

MODELS = Path(__file__).parents[1] / "models"


def run(model, inputs):
    """Return what ONNX Runtime gives for a model, by the names of its outputs."""
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    options.log_severity_level = 3
    raw = model if isinstance(model, str | bytes) else model.SerializeToString()
    session = onnxruntime.InferenceSession(raw, options, providers=["CPUExecutionProvider"])
    names = [output.name for output in session.get_outputs()]
    return dict(zip(names, session.run(names, inputs), strict=True))


def operators_of(model):
    return [node.op_type for node in model.graph.node]


def graph():
    return dml.Graph(dml.Device())


def test_a_graph_gives_the_same_bits_in_onnx_runtime():
    g = graph()
    x = g.input([2, 3], name="x")
    y = g.constant(np.arange(3, dtype=np.float32))
    total = x + dml.broadcast(y, [2, 3])
    compiled = g.compile([total * x, total])
    array = np.random.default_rng(1).standard_normal((2, 3)).astype(np.float32)

    model = compiled.to_onnx(output_names=["product", "total"])

    found = run(model, {"x": array})
    expected = compiled({x: array})
    assert list(found) == ["product", "total"]
    for actual, wanted in zip(found.values(), expected, strict=True):
        assert_bits_equal(actual=actual, expected=wanted)
    assert operators_of(model) == ["Add", "Mul"]  # what broadcasts is not expanded


def test_names_sizes_and_producer_are_told():
    g = graph()
    x = g.input([2, 3], name="x")
    compiled = g.compile([dml.abs(dml.abs(x) - x)])

    model = compiled.to_onnx(input_names=["given"], output_names=["made"], opset=20)

    assert [i.name for i in model.graph.input] == ["given"]
    assert [o.name for o in model.graph.output] == ["made"]
    assert (model.producer_name, model.producer_version) == ("IndirectML", dml.__version__)
    assert [(o.domain, o.version) for o in model.opset_import] == [("", 20)]
    sizes = {v.name: [d.dim_value for d in v.type.tensor_type.shape.dim]
             for v in model.graph.value_info}  # fmt: skip
    assert sorted(sizes.values()) == [[2, 3], [2, 3]]


def test_float16_is_computed_in_float32_and_rounded_once():
    tensor = dml.TensorDesc(np.float16, [3])
    device = dml.Device()
    desc = dml.ElementWiseAbsOperatorDesc(tensor, tensor, scale_bias=(3, 0.1))
    compiled = device.compile_operator(device.create_operator(desc))
    x = np.array([1, -2, 3], np.float16)

    model = compiled.to_onnx(functions=False)

    assert operators_of(model) == ["Cast", "Mul", "Add", "Abs", "Cast"]
    assert_bits_equal(actual=run(model, {"input_0": x})["output_0"], expected=compiled([x])[0])


STRIDES = [
    pytest.param([2, 3], [3, 1], [], id="packed"),
    pytest.param([3, 2], [2, 1], ["Reshape"], id="reshaped"),
    pytest.param([3, 2], [1, 3], ["Transpose"], id="transposed"),
    pytest.param([2, 3], [0, 1], ["Reshape", "Slice", "Reshape", "Expand"], id="repeated"),
    pytest.param([2, 2], [3, 2], ["Reshape", "Gather"], id="gathered"),
    pytest.param([2, 2], [1, 1], ["Reshape", "Gather"], id="overlapping"),
    pytest.param([2, 2], [3, 1], ["Slice"], id="rows with gaps"),
    pytest.param([2, 2], [1, 3], ["Slice", "Transpose"], id="columns with gaps"),
    pytest.param([1, 6, 1], [77, 1, 9], ["Reshape"], id="strides of single elements"),
]


@pytest.mark.parametrize(("sizes", "strides", "operators"), STRIDES)
def test_a_view_reads_the_memory_of_what_a_node_has_written(sizes, strides, operators):
    g = graph()
    x = g.input([2, 3], name="x")
    doubled = x + x
    seen = dml.reinterpret(doubled, sizes, strides)
    compiled = g.compile([dml.abs(seen)])
    array = np.arange(6, dtype=np.float32).reshape(2, 3)

    model = compiled.to_onnx()

    assert operators_of(model) == ["Add", *operators, "Abs"]
    assert_bits_equal(actual=run(model, {"x": array})["output_0"], expected=compiled({x: array})[0])


def test_what_cannot_be_written_is_refused_with_all_nodes_and_nothing_is_written(tmp_path):
    device = dml.Device()
    strided = dml.TensorDesc(np.float32, [2, 2], strides=[1, 2])
    packed = dml.TensorDesc(np.float32, [2, 2])
    nodes = [
        device.create_operator(dml.ElementWiseAbsOperatorDesc(packed, strided)),
        device.create_operator(dml.ElementWiseAbsOperatorDesc(packed, strided)),
    ]
    desc = dml.GraphDesc(
        1, 2, nodes, [dml.OutputEdge(0, 0, 0), dml.OutputEdge(1, 0, 1)],
        [dml.InputEdge(0, 0, 0), dml.InputEdge(0, 1, 0)],
    )  # fmt: skip

    with pytest.raises(dml.OnnxExportError) as caught:
        device.compile_graph(desc).to_onnx(tmp_path / "model.onnx")

    assert str(caught.value) == (
        "2 nodes cannot be written as ONNX:\n"
        "  ELEMENT_WISE_ABS_0: output_tensor: needs a packed tensor, since ONNX has no strides, "
        "got strides [1, 2]; the graph is the same without them\n"
        "  ELEMENT_WISE_ABS_1: output_tensor: needs a packed tensor, since ONNX has no strides, "
        "got strides [1, 2]; the graph is the same without them"
    )
    assert len(caught.value.refusals) == 2
    assert not list(tmp_path.iterdir())


def test_bits_are_reinterpreted_by_an_opset_that_can():
    g = graph()
    x = g.input([3], np.float32, name="x")
    bits = dml.reinterpret(dml.abs(x), [3], dtype=np.int32)
    compiled = g.compile([dml.abs(bits)])

    assert compiled.to_onnx().opset_import[0].version == 26
    with pytest.raises(dml.OnnxExportError, match=r"has BitCast, which needs opset 26, got 18"):
        compiled.to_onnx(opset=18)
    array = np.array([1, -2, 0.5], np.float32)
    found = run(compiled.to_onnx(), {"x": array})["output_0"]
    assert_bits_equal(actual=found, expected=compiled({x: array})[0])


def test_an_opset_that_the_library_does_not_know_is_refused(monkeypatch):
    g = graph()
    bits = dml.reinterpret(dml.abs(g.input([3], name="x")), [3], dtype=np.int32)
    compiled = g.compile([dml.abs(bits)])
    monkeypatch.setattr(onnx.defs, "onnx_opset_version", lambda: 24)

    with pytest.raises(dml.OnnxExportError) as caught:
        compiled.to_onnx()

    assert str(caught.value) == (
        f"needs opset 26, and the installed onnx {onnx.__version__} ends at 24; "
        "pip install --upgrade onnx"
    )


@pytest.mark.parametrize("opset", [17, 10000, True, "18"])
def test_an_opset_that_cannot_be_written_is_refused(opset):
    g = graph()
    compiled = g.compile([dml.abs(g.input([1], name="x"))])

    with pytest.raises(dml.SettingError, match=r"opset: needs an opset from 18 to \d+, the last"):
        compiled.to_onnx(opset=opset)


def test_large_constants_lie_in_a_file_beside_the_model(tmp_path, monkeypatch):
    monkeypatch.setattr(writing, "LARGEST_MODEL_BYTES", 10_000)
    g = graph()
    x = g.input([5000], name="x")
    array = np.random.default_rng(1).standard_normal(5000).astype(np.float32)
    compiled = g.compile([(x + g.constant(array)) * g.constant(array[::-1].copy())])
    path = tmp_path / "model.onnx"

    compiled.to_onnx(path)

    assert sorted(p.name for p in tmp_path.iterdir()) == ["model.onnx", "model.onnx.data"]
    assert path.stat().st_size < 2000
    assert (tmp_path / "model.onnx.data").stat().st_size == 20_032 + 20_000
    onnx.checker.check_model(path, full_check=True)
    found = run(str(path), {"x": array})["output_0"]
    assert_bits_equal(actual=found, expected=compiled({x: array})[0])
    with pytest.raises(dml.OnnxExportError, match="needs a path"):
        compiled.to_onnx()


def test_a_model_that_cannot_be_written_leaves_the_former_one(tmp_path, monkeypatch):
    g = graph()
    compiled = g.compile([dml.abs(g.input([1], name="x"))])
    path = tmp_path / "model.onnx"
    path.write_bytes(b"former")

    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(writing, "write_all", full)
    with pytest.raises(OSError, match="No space left"):
        compiled.to_onnx(path)

    assert path.read_bytes() == b"former"
    assert len(list(tmp_path.iterdir())) == 1


def test_names_that_do_not_fit_are_refused():
    g = graph()
    compiled = g.compile([dml.abs(g.input([1], name="x"))])

    with pytest.raises(dml.OnnxExportError, match=r"input_names: needs one name per input .* 1: x"):
        compiled.to_onnx(input_names=["a", "b"])
    with pytest.raises(dml.OnnxExportError, match=r"names of their own, got 'a' twice"):
        compiled.to_onnx(input_names=["a"], output_names=["a"])
    with pytest.raises(dml.OnnxExportError, match=r"at least one character, in Unicode, got ''"):
        compiled.to_onnx(output_names=[""])


def test_the_command_writes_what_the_file_is_called(tmp_path, capsys):
    path = tmp_path / "model.onnx"

    code = main(["export", str(MODELS / "operator_element_wise_clip.json"), "-o", str(path)])

    assert (code, capsys.readouterr().err) == (0, "")
    onnx.checker.check_model(path, full_check=True)


def test_without_the_library_a_sentence_names_the_extra():
    code = (
        "import sys; sys.modules['onnx'] = None\n"
        "import indirectml as dml\n"
        "g = dml.Graph(dml.Device())\n"
        "try: g.compile([dml.abs(g.input([1], name='x'))]).to_onnx()\n"
        "except dml.SettingError as error: print(error)\n"
    )

    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert done.stdout == (
        "ONNX: needs the onnx package, which is not installed; pip install 'indirectml[onnx]'\n"
    )


def test_weights_that_are_in_panels_are_written_plain():
    g = graph()
    x = g.input([2, 100], name="x")
    random = np.random.default_rng(1)
    w = g.constant(random.standard_normal((80, 100)).astype(np.float32))
    v = g.input([80, 50], name="v", owned=True)
    compiled = g.compile([dml.gemm(dml.gemm(x, w, trans_b=dml.MatrixTransform.TRANSPOSE), v)])
    weights = {"v": random.standard_normal((80, 50)).astype(np.float32)}

    compiled.initialize(weights)
    constants = [onnx.numpy_helper.to_array(t) for t in compiled.to_onnx().graph.initializer]

    assert sorted(c.shape for c in constants) == [(80, 50), (80, 100)]
    assert_bits_equal(actual=min(constants, key=np.size), expected=weights["v"])


def test_a_constant_is_written_once_however_many_nodes_read_it():
    g = graph()
    x = g.input([3000], name="x")
    c = g.constant(np.random.default_rng(1).standard_normal(3000).astype(np.float32))
    compiled = g.compile([(x + c) * c])

    assert len(compiled.to_onnx().graph.initializer) == 1


@pytest.mark.parametrize(("sizes", "strides"), [([3, 2], None), ([3, 2], [1, 3]), ([2, 4], [3, 0])])
def test_an_output_may_be_a_view_of_what_a_node_has_written(sizes, strides):
    g = graph()
    x = g.input([2, 3], name="x")
    compiled = g.compile([dml.reinterpret(dml.abs(x), sizes, strides)])
    array = np.arange(6, dtype=np.float32).reshape(2, 3)

    found = run(compiled.to_onnx(), {"x": array})["output_0"]

    assert_bits_equal(actual=found, expected=compiled({x: array})[0])


@pytest.mark.parametrize(
    ("sizes", "strides", "memory"),
    [
        ([1, 8, 5, 6], [0, 1, 0, 0], (1, 8, 1, 1)),
        ([2, 8, 5, 6], [240, 1, 48, 8], (2, 5, 6, 8)),
        ([2, 3], [5, 1], (8,)),
        ([2, 3], [1, 1], (4,)),
    ],
)
def test_an_input_with_strides_is_its_memory(sizes, strides, memory):
    g = graph()
    x = g.input(sizes, strides=strides, name="x")
    compiled = g.compile([dml.activation_relu(x)])
    array = np.random.default_rng(1).standard_normal(memory).astype(np.float32)

    model = compiled.to_onnx()

    assert tuple(d.dim_value for d in model.graph.input[0].type.tensor_type.shape.dim) == memory
    found = run(model, {"x": array})["output_0"]
    assert_bits_equal(actual=found, expected=compiled({x: array})[0])


@pytest.mark.parametrize("strides", [[0, 1, 0], [1, 2, 0], [6, 1, 2], [5, 2, 1], [1, 1, 1]])
def test_a_constant_with_strides_has_the_elements_of_its_tensor(strides):
    device = dml.Device()
    tensor = dml.TensorDesc(np.float32, [2, 2, 3])
    seen = dml.TensorDesc(np.float32, [2, 2, 3], strides=strides)
    add = device.create_operator(dml.ElementWiseAddOperatorDesc(tensor, seen, tensor))
    numbers = np.arange(seen.total_tensor_size_in_bytes // 4, dtype=np.float32)
    desc = dml.GraphDesc(
        1, 1, [add, dml.ConstantNode(numbers)], [dml.OutputEdge(0, 0, 0)],
        [dml.InputEdge(0, 0, 0)], [dml.IntermediateEdge(1, 0, 0, 1)],
    )  # fmt: skip
    view = np.ndarray([2, 2, 3], np.float32, numbers, strides=[4 * s for s in strides])
    x = np.random.default_rng(1).standard_normal((2, 2, 3)).astype(np.float32)

    found = run(device.compile_graph(desc).to_onnx(), {"input_0": x})["output_0"]

    assert_bits_equal(actual=found, expected=x + view)


def test_an_edge_that_reads_more_than_was_written_is_refused():
    device = dml.Device()
    five, eight = (dml.TensorDesc(np.uint8, [n]) for n in (5, 8))
    nodes = [
        device.create_operator(dml.ElementWiseIdentityOperatorDesc(t, t)) for t in (five, eight)
    ]
    desc = dml.GraphDesc(
        1, 1, nodes, [dml.OutputEdge(1, 0, 0)], [dml.InputEdge(0, 0, 0)],
        [dml.IntermediateEdge(0, 0, 1, 0)],
    )  # fmt: skip

    with pytest.raises(dml.OnnxExportError) as caught:
        device.compile_graph(desc).to_onnx()

    assert str(caught.value) == (
        "ELEMENT_WISE_IDENTITY_1: input_tensor: needs a tensor within the 5 elements that it "
        "reads, got one of 8"
    )


def test_integers_of_one_width_are_reinterpreted_by_a_cast():
    g = graph()
    x = g.input([3], np.int16, name="x")
    compiled = g.compile([dml.reinterpret(dml.negate(x), [3], dtype=np.uint16) + 1])
    array = np.array([1, -2, 3], np.int16)

    model = compiled.to_onnx()

    assert model.opset_import[0].version == 18
    found = run(model, {"x": array})["output_0"]
    assert_bits_equal(actual=found, expected=compiled({x: array})[0])


def test_an_operator_by_itself_takes_elements_wherever_they_lie():
    device = dml.Device()
    strided = dml.TensorDesc(np.float32, [2, 3], strides=[8, 2])
    desc = dml.ElementWiseAbsOperatorDesc(strided, dml.TensorDesc(np.float32, [2, 3]))
    compiled = device.compile_operator(device.create_operator(desc))
    x = np.array([[1, -2, 3], [-4, 5, -6]], np.float32)

    found = run(compiled.to_onnx(), {"input_0": x})["output_0"]

    assert_bits_equal(actual=found, expected=compiled([x])[0])


def test_weights_that_have_no_data_are_given():
    g = graph()
    w = g.input([2], owned=True, name="w")
    x = g.input([2], name="x")
    compiled = g.compile([x + w])

    with pytest.raises(dml.DescriptorError, match="needs its data"):
        compiled.to_onnx()
    model = compiled.to_onnx(weights={"w": np.array([1, 2], np.float32)})

    assert [i.name for i in model.graph.input] == ["x"]
    assert_bits_equal(
        actual=run(model, {"x": np.ones(2, np.float32)})["output_0"],
        expected=np.array([2, 3], np.float32),
    )


def test_constants_in_other_sizes_need_no_node():
    g = graph()
    x = g.input([1, 2, 4, 4], name="x")
    random = np.random.default_rng(1)
    weights = g.constant(random.standard_normal((36,)).astype(np.float32))
    bias = g.constant(random.standard_normal((2,)).astype(np.float32))
    filters = dml.reinterpret(weights, [2, 2, 3, 3])
    compiled = g.compile([dml.convolution(x, filters, dml.reinterpret(bias, [1, 2, 1, 1]))])

    assert operators_of(compiled.to_onnx()) == ["Conv"]


@pytest.mark.parametrize(
    ("sizes", "strides"),
    [([2, 3], [8, 2]), ([3, 2], [1, 5]), ([2, 2, 2], [24, 6, 2]), ([2, 1, 3], [0, 9, 4])],
)
def test_rows_with_gaps_are_cut_out(sizes, strides):
    g = graph()
    x = g.input([40], name="x")
    compiled = g.compile([dml.abs(dml.reinterpret(dml.abs(x), sizes, strides))])
    array = np.arange(40, dtype=np.float32)

    model = compiled.to_onnx()

    assert "Gather" not in operators_of(model)
    found = run(model, {"x": array})["output_0"]
    assert_bits_equal(actual=found, expected=compiled({x: array})[0])


def test_a_view_of_too_many_elements_that_lie_anyhow_is_refused():
    g = graph()
    x = g.input([100_000], name="x")
    seen = dml.reinterpret(dml.abs(x), [10_000, 10_000], [1, 1])
    total = dml.reduce(seen, function=dml.ReduceFunction.SUM)

    with pytest.raises(dml.OnnxExportError, match=r"needs strides that are whole numbers of each"):
        g.compile([total]).to_onnx()


@pytest.mark.parametrize("data_type", NUMBERS)
def test_integers_of_four_bits_are_onnx_own(data_type):
    g = graph()
    weights = g.constant(packed(NUMBERS[data_type], 4))
    seen = dml.reinterpret(weights, [7], dtype=data_type)
    scale = g.constant(np.array([0.5], np.float32))
    x = g.input([7], name="x")
    given = g.input([7], data_type, name="given")
    plain = dml.dequantize(seen, [scale], quantization_type=dml.QuantizationType.SCALE)
    other = dml.dequantize(given, [scale], quantization_type=dml.QuantizationType.SCALE)
    compiled = g.compile([plain * x + other])
    dtype = np.dtype(getattr(ml_dtypes, data_type.name.lower()))
    own = np.array(NUMBERS[data_type][::-1]).astype(dtype)
    numbers = np.arange(7, dtype=np.float32)

    model = compiled.to_onnx()

    assert model.opset_import[0].version == 21
    raw = {i.name: i.type.tensor_type.elem_type for i in model.graph.input}
    assert raw["given"] == getattr(onnx.TensorProto, data_type.name)
    evaluator = onnx.reference.ReferenceEvaluator(model)
    (found,) = evaluator.run(None, {"x": numbers, "given": own})
    assert_bits_equal(actual=found, expected=compiled({"x": numbers, "given": own})[0])
