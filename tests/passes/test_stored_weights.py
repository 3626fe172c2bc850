"""Weights of 4 and 8 bits that stay as they are stored before a product: no bit changes."""

import gc
import itertools
import tracemalloc

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper

import indirectml as dml
from indirectml.arithmetic.quantization import dequantize_blocks
from indirectml.arithmetic.stored_weights import contract_stored, store
from indirectml.core.settings import available_targets
from indirectml.graphs.expressions import broadcast
from indirectml.plans import CopyStep, PackStep, WordStep
from tests import onnx_models
from tests.arithmetic import products
from tests.arithmetic.test_word_steps import assert_native_as_numpy
from tests.bits import assert_bits_equal
from tests.extent import chosen

D = dml.TensorDataType
SEED = 29
TYPES = (D.INT4, D.UINT4, D.INT8, D.UINT8)
TRANSPOSE, NONE = dml.MatrixTransform.TRANSPOSE, dml.MatrixTransform.NONE
SCALES = ("tensor", "column", "blocks", "small blocks", "row", "wide")
KINDS = {1: dml.QuantizationType.SCALE, 2: dml.QuantizationType.SCALE_ZERO_POINT}


def integers(random, data_type, *sizes):
    found = random.integers(data_type.minimum, data_type.maximum + 1, sizes)
    return found.astype(np.int8 if data_type.signed else np.uint8)


def _bytes(data_type, numbers):
    """Return what a constant is made of."""
    if data_type.bits == 8:
        return numbers
    flat = numbers.reshape(-1).view(np.uint8) & 15
    flat = np.concatenate([flat, np.zeros(-len(flat) % 8, np.uint8)])
    return flat[::2] | flat[1::2] << 4


def dequantized(numbers, scale, zero):
    """Return weights by loops of Python's numbers over blocks, rounded once or twice."""
    found = np.empty(numbers.shape, scale.dtype)
    steps = [n // s for n, s in zip(numbers.shape, scale.shape, strict=True)]
    for at in np.ndindex(*numbers.shape):
        own = tuple(k // step for k, step in zip(at, steps, strict=True))
        difference = int(numbers[at]) - (0 if zero is None else int(zero[own]))
        found[at] = np.float32(difference) * np.float32(scale[own])
    return found


CASES = [
    # rows, depth, blocks of these, columns, blocks of these, transposed, zero points, half
    (1, 64, 4, 20, 20, True, True, False),
    (1, 300, 1, 70, 70, False, True, False),
    (3, 264, 33, 33, 33, True, False, False),
    (2, 128, 8, 17, 17, True, True, True),
    (16, 48, 1, 16, 16, False, False, True),
    (1, 70, 35, 20, 20, False, True, False),  # blocks that begin within words
    (2, 99, 33, 21, 21, True, True, True),
    (1, 300, 300, 70, 1, False, True, False),  # a scale for each k
    (3, 70, 70, 36, 1, True, True, True),
    (1, 300, 300, 96, 3, True, False, False),  # blocks along the columns
    (4, 77, 77, 128, 8, False, True, False),
    (1, 280, 7, 64, 2, False, True, True),  # and along both
    (1, 40, 1, 20, 1, False, True, False),  # one scale
]

#: The same, which are floats, for all that: blocks of columns that are no whole panels.
OTHERS = [(1, 64, 64, 64, 8, False, False, False), (1, 64, 4, 72, 3, False, True, False)]


def _graph(case, data_type, seed):
    """Return a graph, a product of dequantized constants, and what it has to give."""
    rows, depth, blocks, columns, groups, is_transposed, has_zero, is_half = case
    random = np.random.default_rng(seed)
    dtype = np.float16 if is_half else np.float32
    sizes, own = (depth, columns), (blocks, groups)
    if is_transposed:
        sizes, own = sizes[::-1], own[::-1]
    numbers = integers(random, data_type, *sizes)
    scale = (random.standard_normal(own) / 8).astype(dtype)
    zero = integers(random, data_type, *own) if has_zero else None
    x = random.standard_normal((rows, depth)).astype(dtype)
    graph = dml.Graph(dml.Device())
    given = graph.input([rows, depth], dtype, name="x")
    constants = [
        graph.constant(_bytes(data_type, array), data_type, sizes=array.shape)
        for array in (numbers, zero)
        if array is not None
    ]
    parameters = [graph.constant(scale), *constants[1:]]
    weights = dml.dequantize(constants[0], parameters, quantization_type=KINDS[len(parameters)])
    y = dml.gemm(given, weights, trans_b=TRANSPOSE if is_transposed else NONE)
    plain = dequantized(numbers, scale, zero)
    with np.errstate(all="ignore"):
        expected = products.contract(x, plain.T if is_transposed else plain).astype(dtype)
    return graph, y, {"x": x}, expected, (constants[0], weights, numbers, plain)


@pytest.mark.parametrize(
    ("typed", "target"), chosen(itertools.product(CASES, TYPES), available_targets()), ids=str
)
def test_products_take_integers_as_they_are_stored(typed, target):
    case, data_type = typed
    dml.configure(target=target)
    graph, y, given, expected, _ = _graph(case, data_type, SEED)
    compiled = graph.compile([y])

    assert "contract_stored" in [str(getattr(step, "word", "")) for step in compiled.plan.steps]
    kinds = (
        {PackStep} if case[3] == case[4] else {PackStep, CopyStep}
    )  # wide scales lie as they are
    assert {type(step) for step in compiled.plan.initial_steps} == kinds
    for threads in (1, 2, 3, 5):
        dml.configure(max_threads=threads)
        where = f"{case}, {data_type.name}, {threads} threads, seed {SEED}"
        assert_bits_equal(actual=compiled(given)[0], expected=expected, where=where)


@pytest.mark.parametrize("case", OTHERS, ids=str)
def test_products_take_other_blocks_of_columns_as_floats(case):
    graph, y, given, expected, _ = _graph(case, D.INT4, SEED)
    compiled = graph.compile([y])

    assert "contract_stored" not in [str(getattr(step, "word", "")) for step in compiled.plan.steps]
    assert_bits_equal(actual=compiled(given)[0], expected=expected, where=f"{case}, seed {SEED}")


@pytest.mark.parametrize("data_type", TYPES, ids=lambda each: each.name)
def test_what_was_stored_is_there_for_those_who_read_it_plain(data_type):
    graph, y, given, expected, others = _graph(CASES[0], data_type, SEED)
    constant, weights, numbers, plain = others
    raw = _bytes(data_type, numbers)
    compiled = graph.compile([y])
    compiled(given)

    assert constant.value.is_in_panels
    assert constant.value.data.view(np.uint8).tobytes()[: raw.nbytes] == raw.tobytes()
    both = graph.compile([y, weights])  # somebody else reads the weights
    results = both(given)
    assert "contract_stored" not in [str(getattr(step, "word", "")) for step in both.plan.steps]
    assert_bits_equal(actual=results[0], expected=expected)
    assert_bits_equal(actual=results[1], expected=plain)


@pytest.mark.parametrize("data_type", [D.INT8, D.UINT8], ids=lambda each: each.name)
@pytest.mark.parametrize("dtype", [np.float32, np.float16])
@pytest.mark.parametrize("is_transposed", [False, True])
@pytest.mark.parametrize("has_zero", [False, True])
@pytest.mark.parametrize("along", ["columns", "rows", "nothing"])
def test_elements_dequantized_by_their_columns_or_rows(
    along, has_zero, is_transposed, dtype, data_type
):
    random = np.random.default_rng(SEED)
    sizes = (24, 36) if is_transposed else (36, 24)
    own = {"columns": (1, sizes[1]), "rows": (sizes[0], 1), "nothing": (1, 1)}[along]
    numbers = integers(random, data_type, *sizes)
    scale = random.standard_normal(own).astype(dtype)
    zero = integers(random, data_type, *own) if has_zero else None
    x = random.standard_normal((3, 36)).astype(dtype)
    graph = dml.Graph(dml.Device())
    given = graph.input([3, 36], dtype, name="x")
    parameters = [None if a is None else broadcast(graph.constant(a), sizes) for a in (scale, zero)]
    weights = dml.dequantize_linear(graph.constant(numbers), *parameters)
    y = dml.gemm(given, weights, trans_b=TRANSPOSE if is_transposed else NONE)
    compiled = graph.compile([y])

    assert "contract_stored" in [str(getattr(step, "word", "")) for step in compiled.plan.steps]
    plain = dequantized(numbers, scale, zero)
    expected = products.contract(x, plain.T if is_transposed else plain).astype(dtype)
    assert_bits_equal(actual=compiled({"x": x})[0], expected=expected, where=f"seed {SEED}")


@pytest.mark.parametrize("data_type", TYPES, ids=lambda each: each.name)
@pytest.mark.parametrize("is_transposed", [False, True])
@pytest.mark.parametrize(("depth", "whole", "blocks"), [(85, 96, 6), (300, 304, 19), (21, 32, 1)])
def test_products_take_the_first_of_what_is_stored(depth, whole, blocks, is_transposed, data_type):
    """As weights whose last block is not full are: in whole words, which are not all read."""
    for rows, seed in ((1, SEED), (5, SEED + 1)):
        case = (rows, whole, blocks, 37, 37, is_transposed, bool(depth % 2), False)
        graph, _, given, _, (constant, weights, _, plain) = _graph(case, data_type, seed)
        x = graph.input([rows, depth], name="first")
        sizes, strides = ((37, depth), (whole, 1)) if is_transposed else ((depth, 37), (37, 1))
        part = dml.reinterpret(weights, sizes, strides)
        y = dml.gemm(x, part, trans_b=TRANSPOSE if is_transposed else NONE)
        compiled = graph.compile([y])
        first = given["x"][:, :depth]

        assert "contract_stored" in [str(getattr(step, "word", "")) for step in compiled.plan.steps]
        assert constant.value.is_in_panels
        expected = products.contract(first, (plain.T if is_transposed else plain)[:depth])
        (actual,) = compiled({"first": np.ascontiguousarray(first)})
        assert_bits_equal(actual=actual, expected=expected, where=f"seed {seed}, rows {rows}")


@pytest.mark.parametrize("data_type", TYPES, ids=lambda each: each.name)
def test_words_without_native_steps_give_the_same(data_type):
    random = np.random.default_rng(SEED)
    numbers = integers(random, data_type, 24, 18)
    scale = random.standard_normal((3, 18)).astype(np.float32)
    zero = integers(random, data_type, 3, 18)
    x = random.standard_normal((2, 24)).astype(np.float32)

    actual = contract_stored(x, store(numbers, data_type), scale, store(zero, data_type))

    expected = products.contract(x, dequantized(numbers, scale, zero))
    assert_bits_equal(actual=actual, expected=expected, where=f"seed {SEED}")
    assert (store(numbers, data_type).unpacked() == numbers).all()


@pytest.mark.parametrize("target", available_targets())
def test_elements_with_scales_for_their_blocks(target):
    dml.configure(target=target)
    for seed in range(20):
        random = np.random.default_rng(seed)
        own = random.integers(1, 5, random.integers(1, 4))
        sizes = own * random.integers(1, 9, len(own))
        data_type = (D.INT8, D.UINT8)[seed % 2]
        x, zero = (integers(random, data_type, *each) for each in (sizes, own))
        scale = random.standard_normal(own).astype((np.float32, np.float16)[seed // 2 % 2])
        scale.flat[0] = (np.nan, np.inf, 1)[seed % 3]
        given = [x, scale, zero if seed % 3 else None]

        assert_native_as_numpy(dequantize_blocks.word, given, {}, seed)
        with np.errstate(all="ignore"):
            wide = scale.astype(np.float32)
            expected = products.canonical(dequantized(x, wide, given[2]))
            actual = dequantize_blocks(*given)
        assert_bits_equal(actual=actual, expected=expected, where=f"seed {seed}")


# ---- ONNX ----


def _model(nodes, initializers, sizes, opset=21):
    graph = helper.make_graph(
        nodes,
        "weights",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, sizes)],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, ["n", "m"])],
        initializers,
    )
    opsets = [helper.make_opsetid("", opset), helper.make_opsetid("com.microsoft", 1)]
    return helper.make_model(graph, opset_imports=opsets, ir_version=10)


def initializer(name, data_type, numbers):
    kind = getattr(TensorProto, data_type.name)
    raw = _bytes(data_type, numbers).view(np.uint8).tobytes()
    raw = raw[: -(-numbers.size * data_type.bits // 8)]
    return helper.make_tensor(name, kind, numbers.shape, raw, raw=True)


@pytest.mark.parametrize(
    ("reader", "stored"),
    chosen(["MatMul", "Gemm", "Transpose"], itertools.product(SCALES, TYPES)),
    ids=str,
)
def test_dequantized_constants_of_models_agree_with_onnx_runtime(reader, stored):
    scales, data_type = stored
    random = np.random.default_rng(SEED)
    depth, columns = 64, 96
    is_turned = reader != "MatMul"
    along, sizes = (1, (columns, depth)) if is_turned else (0, (depth, columns))
    own = {"tensor": (), "column": (columns,), "row": (depth,)}.get(scales, list(sizes))
    # Small blocks along k; wide ones along the columns.
    axis, block = {"small blocks": (along, 2), "wide": (1 - along, 32)}.get(scales, (along, 16))
    if isinstance(own, list):
        own[axis] //= block
    numbers, zero = (integers(random, data_type, *each) for each in (sizes, own))
    scale = (random.random(own) / 50 + 0.01).astype(np.float32)
    attributes = {
        "tensor": {},
        "column": {"axis": 1 - along},
        "row": {"axis": along},
    }.get(scales, {"axis": axis, "block_size": block})
    nodes = [helper.make_node("DequantizeLinear", ["q", "s", "z"], ["w"], **attributes)]
    if reader == "Transpose":
        nodes.append(helper.make_node("Transpose", ["w"], ["t"]))
    right = "t" if reader == "Transpose" else "w"
    turned = {"transB": 1} if reader == "Gemm" else {}
    operator = "Gemm" if reader == "Gemm" else "MatMul"
    nodes.append(helper.make_node(operator, ["x", right], ["y"], **turned))
    initializers = [
        initializer("q", data_type, numbers),
        numpy_helper.from_array(scale, "s"),
        initializer("z", data_type, np.asarray(zero)),
    ]
    model = _model(nodes, initializers, ["n", depth])
    onnx.checker.check_model(model)
    loaded = dml.load_onnx(model)
    for rows in (1, 5):
        given = {"x": random.standard_normal((rows, depth)).astype(np.float32)}
        (expected,) = onnx_models.session(model.SerializeToString()).run(None, given)
        (actual,) = loaded(given)
        # It makes integers of 4 bits' other side, too, which is this far off.
        np.testing.assert_allclose(actual, expected, atol=0.02 * np.abs(expected).max())
        # To the bit: the weights by loops, and chains.
        shape = [1, 1] if scales == "tensor" else list(own)
        if scales in ("column", "row"):
            shape = [-1, 1] if is_turned == (scales == "column") else [1, -1]
        plain = dequantized(numbers, scale.reshape(shape), np.asarray(zero).reshape(shape))
        exact = products.contract(given["x"], plain.T if is_turned else plain)
        assert_bits_equal(actual=actual, expected=exact, where=f"seed {SEED}")
        steps = loaded.at(n=rows).compiled.plan.steps
        assert [str(getattr(step, "word", "")) for step in steps] == ["contract_stored"]


@pytest.mark.parametrize("data_type", TYPES, ids=lambda each: each.name)
@pytest.mark.parametrize("is_read_otherwise", [False, True])
def test_weights_that_several_products_read_are_stored_once_for_each_side(
    is_read_otherwise, data_type
):
    random = np.random.default_rng(SEED)
    numbers = integers(random, data_type, 64, 64)
    scale = (random.random(() if is_read_otherwise else (4, 64)) / 50 + 0.01).astype(np.float32)
    blocks = {} if is_read_otherwise else {"axis": 0, "block_size": 16}
    nodes = [
        helper.make_node("DequantizeLinear", ["q", "s"], ["w"], **blocks),
        helper.make_node("MatMul", ["x", "w"], ["a"]),
        helper.make_node("Gemm", ["a", "w"], ["y"], transB=int(is_read_otherwise)),
    ]
    initializers = [
        initializer("q", data_type, numbers),
        numpy_helper.from_array(np.asarray(scale), "s"),
    ]
    loaded = dml.load_onnx(_model(nodes, initializers, [1, 64]))
    x = random.standard_normal((1, 64)).astype(np.float32)

    (actual,) = loaded({"x": x})

    scale = np.reshape(scale, (-1, 64) if scale.size > 1 else (1, 1))
    weights = dequantized(numbers, scale, np.zeros_like(scale))
    between = products.contract(x, weights)
    expected = products.contract(between, weights.T if is_read_otherwise else weights)
    assert_bits_equal(actual=actual, expected=expected, where=f"seed {SEED}")
    words = [step.word.name for step in loaded.compiled.plan.steps if isinstance(step, WordStep)]
    assert words == ["contract_stored"] * 2
    bits = sum(step.target.size_bytes for step in loaded.compiled.plan.initial_steps) * 8
    # One scale is repeated for each column.
    most = (
        2 * (64 * 64 * data_type.bits + 64 * 32)
        if is_read_otherwise
        else 64 * (64 * data_type.bits + 4 * 32)
    )
    assert bits <= most


@pytest.mark.parametrize("bits", [2, 4, 8])
@pytest.mark.parametrize("has_zeros", [False, True])
def test_weights_stay_as_they_are_stored_where_their_last_block_is_not_full(has_zeros, bits):
    """In whole words of 4 or 8 bits, and to the bit."""
    random = np.random.default_rng(SEED)
    k, n, block = 72, 24, 32
    w = random.integers(0, 256, (n, 3, block * bits // 8)).astype(np.uint8)
    s = (random.random((n, 3)) / 9).astype(np.float32)
    initializers = [numpy_helper.from_array(w, "w"), numpy_helper.from_array(s.reshape(-1), "s")]
    z = np.full((n, 3), 1 << (bits - 1))
    if has_zeros:
        raw = random.integers(0, 256, (n, -(-3 * bits // 8))).astype(np.uint8)
        initializers.append(numpy_helper.from_array(raw.reshape(-1), "z"))
        z = _apart(raw, bits)[:, :3]
    names = ["x", *(each.name for each in initializers)]
    node = helper.make_node("MatMulNBits", names, ["y"], domain="com.microsoft", K=k, N=n,
                            bits=bits, block_size=block)  # fmt: skip
    loaded = dml.load_onnx(_model([node], initializers, ["n", k]))
    weights = dequantized(_apart(w.reshape(n, -1), bits), s, z)[:, :k]
    for rows in (1, 4):
        x = random.standard_normal((rows, k)).astype(np.float32)
        (actual,) = loaded({"x": x})
        assert_bits_equal(actual=actual, expected=products.contract(x, weights.T), where=f"{SEED}")
    plan = loaded.at(n=1).compiled.plan
    assert [str(getattr(step, "word", "")) for step in plan.steps] == ["contract_stored"]
    stored_bits = max(bits, 4)
    panels = 2 * 16 * 4 * (96 * stored_bits // 32 + 3 + has_zeros)  # 24 columns, in panels of 16
    assert sum(step.target.size_bytes for step in plan.initial_steps) == panels


def _apart(raw, bits):
    """Return the numbers in bytes, the first in the lowest bits."""
    found = [[byte >> at & (1 << bits) - 1 for byte in row for at in range(0, 8, bits)]
             for row in raw.tolist()]  # fmt: skip
    return np.array(found)


def test_a_model_of_few_bits_takes_the_memory_of_its_file():
    """For two sets of sizes: weights are there once, in their 4 bits."""
    random = np.random.default_rng(SEED)
    width, block = 1024, 32
    nodes, initializers, x = [], [], "x"
    for layer in range(4):
        q = random.integers(0, 256, (width, width // block, block // 2)).astype(np.uint8)
        s = (random.random(width * width // block) / 100).astype(np.float32)
        initializers += [numpy_helper.from_array(q, f"q{layer}"),
                         numpy_helper.from_array(s, f"s{layer}")]  # fmt: skip
        y = "y" if layer == 3 else f"t{layer}"
        nodes.append(helper.make_node("MatMulNBits", [x, f"q{layer}", f"s{layer}"], [y],
                                      domain="com.microsoft", K=width, N=width, bits=4,
                                      block_size=block))  # fmt: skip
        x = y
    file = _model(nodes, initializers, ["n", width]).SerializeToString()
    dml.load_onnx(file)({"x": np.ones((1, width), np.float32)})  # what is imported once
    gc.collect()
    tracemalloc.start()
    try:
        loaded = dml.load_onnx(file)
        for rows in (1, 2, 3):
            loaded({"x": np.ones((rows, width), np.float32)})
        gc.collect()
        taken, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert taken <= 1.2 * len(file)
