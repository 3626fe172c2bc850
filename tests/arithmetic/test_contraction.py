"""Products of matrices against their definition, and a library that sums in the same order."""

import itertools

import numpy as np
import pytest

from indirectml import available_targets, configure
from indirectml.arithmetic.contraction import (
    contract,
    contract_integer,
    contract_wide_integer,
    pack,
)
from indirectml.core.errors import DataTypeError, LayoutError
from tests.arithmetic import products
from tests.bits import assert_bits_equal

TARGETS = available_targets()
CHAIN = products.CHAIN

#: Rows, columns, depth: borders of tiles, panels, vectors, blocks and chains.
SIZES = [
    (1, 1, 1),
    (3, 5, 7),
    (14, 32, CHAIN),
    (15, 33, CHAIN + 1),
    (29, 17, CHAIN - 1),
    (5, 47, 2 * CHAIN),
    (2, 16, 3 * CHAIN + 1),
    (1, 100, CHAIN + 5),
    (100, 1, CHAIN + 5),
    (170, 20, 12),
    (6, 1040, 9),
]

#: What is put into operands: overflow, infinities, NaNs of any kind, subnormals, signed zeros.
SPECIAL = np.array(
    [
        *(0x7F7FFFFF, 0x7F800000, 0xFF800000, 0xFFC00123, 0x7F800001, 0x00000001),
        *(0x807FFFFF, 0x80000000, 0x00000000, 0x00800000, 0x3F800001, 0x20000000),
    ],
    np.uint32,
).view(np.float32)


def numbers(rng, sizes, dtype=np.float32, special=0):
    """Return random numbers, a few of them special ones."""
    x = rng.normal(size=sizes).astype(dtype)
    if special and x.size:
        where = rng.integers(x.size, size=special)
        with np.errstate(over="ignore"):
            x.reshape(-1)[where] = rng.choice(SPECIAL, size=special).astype(dtype)
    return x


def laid_out(x, layout):
    """Return an array of the same elements in memory of another layout."""
    if layout == "rows":
        return x
    if layout == "columns":
        return np.swapaxes(np.ascontiguousarray(np.swapaxes(x, -1, -2)), -1, -2)
    if layout == "spread":
        memory = np.zeros((*x.shape[:-2], 2 * x.shape[-2], 3 * x.shape[-1]), x.dtype)
        view = memory[..., ::2, ::3]
    else:
        assert layout == "turned"
        view = np.zeros((*x.shape[:-2], x.shape[-2], x.shape[-1] + 3), x.dtype)
        view = view[..., ::-1, -4::-1][..., : x.shape[-1]]
    view[...] = x
    return view


@pytest.fixture(params=TARGETS)
def target(request):
    with configure(target=request.param):
        yield request.param


@pytest.mark.parametrize("sizes", SIZES, ids=str)
def test_products_are_chains_of_256_with_every_target_and_layout(sizes, target):
    rows, columns, depth = sizes
    rng = np.random.default_rng(sizes)
    for special, dtype in ((0, np.float32), (3, np.float32), (0, np.float16)):
        a, b = numbers(rng, (rows, depth), dtype, special), numbers(rng, (depth, columns), dtype)
        expected = products.contract(a, b)
        for left, right in itertools.product(("rows", "columns", "spread", "turned"), repeat=2):
            where = f"{target} {dtype.__name__} {left} {right}"
            actual = contract(laid_out(a, left), laid_out(b, right))
            assert_bits_equal(actual=actual, expected=expected, where=where)
        assert_bits_equal(actual=contract(a, pack(b)), expected=expected, where=f"{target} panels")


@pytest.mark.parametrize("special", [1, 10, 100])
def test_special_numbers_are_the_definition_s(special, target):
    rng = np.random.default_rng(special)
    for depth in (1, 5, CHAIN, CHAIN + 3):
        a, b = numbers(rng, (9, depth), special=special), numbers(rng, (depth, 21), special=special)
        scales = np.float32(10.0) ** rng.integers(-38, 38, size=(9, 1)).astype(np.float32)
        with np.errstate(all="ignore"):
            a *= scales
        assert_bits_equal(actual=contract(a, b), expected=products.contract(a, b), where=target)


@pytest.mark.parametrize("threads", [1, 2, 3, 4])
def test_threads_change_no_bit(threads):
    rng = np.random.default_rng(threads)
    with configure(max_threads=threads):
        for rows, columns, depth in ((300, 500, 300), (7, 5000, 600), (5000, 9, 600)):
            a, b = numbers(rng, (rows, depth)), numbers(rng, (depth, columns))
            chosen = rng.integers(rows, size=20), rng.integers(columns, size=20)
            expected = products.contract(a[chosen[0], None], b.T[chosen[1], :, None])
            actual = contract(a, b)[chosen]
            assert_bits_equal(actual=actual, expected=expected[:, 0, 0], where=f"{rows}")


def test_batches_repeat_as_numpys_do(target):
    rng = np.random.default_rng(3)
    a, b = numbers(rng, (2, 1, 3, 5, 8)), numbers(rng, (4, 1, 8, 6))
    expected = products.contract(a, b)

    assert expected.shape == (2, 4, 3, 5, 6)
    assert_bits_equal(actual=contract(a, b), expected=expected, where=target)
    repeated = np.broadcast_to(a, (2, 4, 3, 5, 8))
    assert_bits_equal(actual=contract(repeated, b), expected=expected, where=target)


def test_the_sum_of_nothing_is_positive_zero(target):
    out = contract(np.empty((2, 0), np.float32), np.empty((0, 3), np.float32))

    assert_bits_equal(actual=out, expected=np.zeros((2, 3), np.float32), where=target)
    assert contract(np.empty((0, 2), np.float32), np.empty((2, 3), np.float32)).shape == (0, 3)


@pytest.mark.parametrize("past", range(4))
@pytest.mark.parametrize("layout", ["rows", "columns", "spread", "turned"])
def test_nothing_is_written_beside_the_result(layout, past, target):
    rng = np.random.default_rng(past)
    a, b = numbers(rng, (15, 300)), numbers(rng, (300, 35))
    memory = np.full(4 * 15 * 35 * 6 + 64, 0x5A, np.uint8)
    words = memory[past * 4 :][: 4 * 15 * 35 * 6].view(np.float32)
    if layout == "columns":
        out = words.reshape(-1)[: 15 * 35].reshape(35, 15).T
    else:
        out = words.reshape(30, 35 * 3)[::2, ::3]
        rows = words[: 40 * 15].reshape(15, 40)[:, :35]
        out = {"rows": rows, "turned": out[::-1, ::-1]}.get(layout, out)
    expected = memory.copy()
    first = expected[out.ctypes.data - memory.ctypes.data :][:4].view(np.float32)
    np.lib.stride_tricks.as_strided(first, out.shape, out.strides)[...] = products.contract(a, b)

    assert contract(a, b, out=out) is out
    assert_bits_equal(actual=memory, expected=expected, where=target)


def test_a_result_may_share_memory_with_an_operand_or_lie_at_any_address(target):
    rng = np.random.default_rng(5)
    a, b = numbers(rng, (20, 20)), numbers(rng, (20, 20))
    expected = products.contract(a, b)
    odd = np.zeros(1601, np.uint8)[1:].view(np.float32).reshape(20, 20)
    assert_bits_equal(actual=contract(a, b, out=odd), expected=expected, where=target)
    left = np.zeros(1601, np.uint8)[1:].view(np.float32).reshape(20, 20)
    left[...] = a
    assert_bits_equal(actual=contract(left, b), expected=expected, where=target)
    swapped = contract(a.astype(">f4"), b.astype(">f4"))
    assert_bits_equal(actual=swapped, expected=expected, where=target)
    assert_bits_equal(actual=contract(a, b, out=a), expected=expected, where=target)


def test_panels_are_the_same_for_every_target():
    b = numbers(np.random.default_rng(6), (300, 50))
    panels = []
    for name in TARGETS:
        with configure(target=name):
            panels.append(pack(b).panels)
    expected = np.zeros((4, 300, 16), np.float32)
    for column in range(50):
        expected[column // 16, :, column % 16] = b[:, column]
    for actual in panels:
        assert_bits_equal(actual=actual, expected=expected)


@pytest.mark.parametrize("sizes", SIZES, ids=str)
def test_integers_are_exact_modulo_2_to_the_32(sizes, target):
    rows, columns, depth = sizes
    rng = np.random.default_rng(sizes)
    for left, right in itertools.product((np.int8, np.uint8), repeat=2):
        a = rng.integers(0, 256, size=(rows, depth)).astype(left)
        b = rng.integers(0, 256, size=(depth, columns)).astype(right)
        zeros = (
            (0, 0),
            (128, -128),
            (rng.integers(-128, 256, size=rows), rng.integers(-128, 256, size=columns)),
        )
        for (a_zero, b_zero), layout in itertools.product(zeros, ("rows", "columns", "spread")):
            expected = products.contract_integer(a, b, a_zero, b_zero)
            x, y = laid_out(a, layout), laid_out(b, layout)
            actual = contract_integer(x, y, a_zero, b_zero)
            assert_bits_equal(actual=actual, expected=expected, where=f"{target} {layout}")


def test_the_largest_integers_wrap(target):
    a = np.full((3, 40000), 255, np.uint8)
    expected = products.contract_integer(a, a.T, -128, -128)

    assert_bits_equal(actual=contract_integer(a, a.T, -128, -128), expected=expected, where=target)
    assert int(expected[0, 0]) == (40000 * 383**2 + 2**31) % 2**32 - 2**31


@pytest.mark.parametrize("dtype", [np.int16, np.uint16, np.int32, np.uint32])
def test_products_of_wide_integers_wrap(dtype):
    rng = np.random.default_rng(3)
    limits = np.iinfo(dtype)
    shapes = (2, 5, 7), (2, 7, 3), (5,), (3,)
    a, b, rows, columns = (rng.integers(limits.min, limits.max, n, dtype, True) for n in shapes)  # noqa: FBT003 (endpoint)
    for a_zero, b_zero in ((0, 0), (rows, columns), (rows[:1], columns[:1])):
        actual = contract_wide_integer(a, b, a_zero, b_zero)
        left, right = (x.astype(object) for x in (a, b))
        exact = (left - np.reshape(a_zero, (-1, 1))) @ (right - np.reshape(b_zero, (1, -1)))
        expected = ((exact + 2**31) % 2**32 - 2**31).astype(np.int32)
        assert_bits_equal(actual=actual, expected=expected)

    with pytest.raises(
        DataTypeError, match="b: needs INT16 or UINT16 or INT32 or UINT32, got int8"
    ):
        contract_wide_integer(a, b.astype(np.int8))


@pytest.mark.parametrize(
    ("a", "b", "error", "text"),
    [
        (np.zeros((2, 3)), np.zeros((3, 2), np.float32), DataTypeError, "a: needs FLOAT32"),
        (np.zeros((2, 3), "f4"), np.zeros((3, 2), int), DataTypeError, "b: needs FLOAT32"),
        (np.zeros((2, 3), "f4"), np.zeros((2, 3), "f4"), LayoutError, "b: needs 3 rows"),
        (np.zeros(3, "f4"), np.zeros((3, 2), "f4"), LayoutError, "a: needs at least 2 dim"),
        (np.zeros((2, 1, 3), "f4"), np.zeros((3, 3, 1), "f4"), LayoutError, "b: needs dimensions"),
    ],
)
def test_refuses_what_does_not_fit(a, b, error, text):
    with pytest.raises(error) as raised:
        contract(a, b)

    assert str(raised.value).startswith(text)


def test_refuses_results_of_other_sizes_and_zero_points_of_other_counts():
    a = np.zeros((2, 3), np.float32)
    with pytest.raises(LayoutError, match=r"out: needs sizes \(2, 2\), got \(2, 3\)"):
        contract(a, a.T, out=np.zeros((2, 3), np.float32))
    with pytest.raises(DataTypeError, match="out: needs FLOAT32, got float64"):
        contract(a, a.T, out=np.zeros((2, 2)))
    i = np.zeros((2, 3), np.int8)
    with pytest.raises(LayoutError, match="a_zero_point: needs 1 or 2 elements, got 3"):
        contract_integer(i, i.T, np.zeros(3, np.int8))
    with pytest.raises(DataTypeError, match="b_zero_point: needs integers from -128 to 255"):
        contract_integer(i, i.T, 0, 256)
    with pytest.raises(LayoutError, match="b: needs at least 2 dimensions"):
        pack(np.zeros(3, np.float32))


@pytest.mark.parametrize("sizes", [(64, 64, 64), (100, 130, 1000), (16, 16, 4096), (1, 512, 700)])
def test_equals_onnx_runtime_with_a_constant_matrix(sizes):
    """It packs such a matrix, and then adds in chains of 256 too; elsewhere it need not."""
    onnx = pytest.importorskip("onnx")
    runtime = pytest.importorskip("onnxruntime")
    if TARGETS[0] not in {"avx512", "avx2"}:
        pytest.skip("missing: a processor with FMA from Intel or AMD")
    rows, columns, depth = sizes
    rng = np.random.default_rng(sizes)
    a, b = numbers(rng, (rows, depth)), numbers(rng, (depth, columns))
    helper = onnx.helper
    graph = helper.make_graph(
        [helper.make_node("MatMul", ["a", "b"], ["y"])],
        "product",
        [helper.make_tensor_value_info("a", onnx.TensorProto.FLOAT, a.shape)],
        [helper.make_tensor_value_info("y", onnx.TensorProto.FLOAT, (rows, columns))],
        [onnx.numpy_helper.from_array(b, "b")],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=9)
    options = runtime.SessionOptions()
    options.intra_op_num_threads = 1
    session = runtime.InferenceSession(
        model.SerializeToString(), options, providers=["CPUExecutionProvider"]
    )

    (expected,) = session.run(None, {"a": a})
    assert_bits_equal(actual=contract(a, b), expected=expected)
