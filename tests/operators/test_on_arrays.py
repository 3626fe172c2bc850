"""Functions of operators on arrays: the same bits as with expressions, checks, outputs in place."""

import inspect
import pickle
import tracemalloc
from collections import OrderedDict

import numpy as np
import pytest

import indirectml as dml
from indirectml.descriptors.definitions import definition
from indirectml.operators import on_arrays
from tests.bits import assert_bits_equal
from tests.operators.test_examples import NEWEST, by_definition

A = np.arange(6, dtype=np.float32).reshape(2, 3)
B = A.T.copy()


class Exported:
    """Memory that gives itself away by DLPack alone."""

    def __init__(self, array):
        self.array = array

    def __dlpack__(self, **options):
        return self.array.__dlpack__(**options)

    def __dlpack_device__(self):
        return self.array.__dlpack_device__()


def test_every_example_of_a_definition_gives_its_bits():
    tried = set()
    for case in NEWEST:
        name, example = case.values
        made = definition(name)
        if made.function is None or not example.inputs:
            continue
        outputs = by_definition(made, example, example.inputs)

        outputs = [outputs] if isinstance(outputs, np.ndarray) else list(outputs)
        for found, wanted in zip(outputs, example.outputs, strict=True):
            assert (found is None) == (wanted is None)
            if wanted is not None:
                assert_bits_equal(actual=found, expected=wanted)
        tried.add(made.function)
    assert len(tried) > 100


def test_functions_that_are_written_by_hand_take_arrays():
    assert_bits_equal(actual=dml.join([A, A], axis=0), expected=np.concatenate([A, A]))
    first, second = dml.split(A, axis=1, output_axis_sizes=[1, 2])
    assert_bits_equal(actual=np.concatenate([first, second], 1), expected=A)
    found = dml.reduce(A, function=dml.ReduceFunction.SUM, axes=[1])
    assert_bits_equal(actual=found, expected=np.array([[3], [12]], np.float32))
    values, indices = dml.top_k(A, axis=1, k=2)
    assert_bits_equal(actual=values, expected=A[:, :0:-1])
    assert indices.tolist() == [[2, 1], [2, 1]]


@pytest.mark.parametrize("wrap", [np.asarray, Exported, lambda a: np.asfortranarray(a[::-1])[::-1]])
def test_takes_anything_with_dlpack_of_any_strides(wrap):
    expected = np.array([[5, 14], [14, 50]], np.float32)

    assert_bits_equal(actual=dml.gemm(wrap(A), b=wrap(B)), expected=expected)


def test_writes_an_output_that_is_given_and_returns_it():
    memory = np.zeros((2, 4), np.float32)
    out = memory[:, ::2]

    assert dml.gemm(A, B, out=out) is out
    assert memory.tolist() == [[5, 0, 14, 0], [14, 0, 50, 0]]
    parts = [np.zeros((2, 1), np.float32), np.zeros((2, 2), np.float32)]
    assert dml.split(A, axis=1, output_axis_sizes=[1, 2], out=parts)[1] is parts[1]
    assert_bits_equal(actual=parts[1], expected=A[:, 1:].copy())


def test_an_output_takes_no_memory_besides_where_it_is_apart():
    large = np.ones(1 << 20, np.float32)
    out = np.zeros_like(large)
    dml.add(large, large, out=out)

    tracemalloc.start()
    try:
        dml.add(large, large, out=out)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()

    assert peak < large.nbytes // 2
    assert_bits_equal(actual=out, expected=large + large)


@pytest.mark.parametrize("count", [4, 1 << 20])
@pytest.mark.parametrize("shift", [0, 1])
def test_an_output_may_lie_on_inputs(count, shift):
    memory = np.arange(count + 1, dtype=np.float32)
    both, out = memory[:count], memory[shift:][:count]

    dml.add(both, both, out=out)

    assert_bits_equal(actual=out.copy(), expected=2 * np.arange(count, dtype=np.float32))


@pytest.mark.parametrize("size", [2, 512])
def test_an_output_may_lie_on_factors(size):
    square = (1 + np.arange(size * size) % 5).reshape(size, size)
    both = square.astype(np.float32)

    dml.gemm(both, both, out=both)

    assert_bits_equal(actual=both, expected=(square @ square).astype(np.float32))


@pytest.mark.parametrize(
    ("call", "kind", "message"),
    [
        (
            lambda: dml.gemm(A, A), dml.DescriptorError,
            "GEMM.b_tensor.sizes: needs [3] and a column count, after transposition, got [2, 3]",
        ),
        (lambda: dml.gemm(A), TypeError, "gemm(): missing a required argument: 'b'"),
        (
            lambda: dml.add(A, A.astype(np.float16)), dml.DescriptorError,
            (
                "add(<FLOAT32 [2, 3]>, <FLOAT16 [2, 3]>): element types differ; "
                "cast(x, dtype=...) converts"
            ),
        ),
        (
            lambda: dml.gemm(A, B, out=np.zeros(3, np.float32)), dml.BindingError,
            "gemm(out): needs float32 [2, 2], got float32 [3]",
        ),
        (
            lambda: dml.gemm(A, B, out=[np.zeros((2, 2), np.float32)] * 2), dml.BindingError,
            "gemm(out): needs 1 arrays, got 2",
        ),
        (
            lambda: dml.add(A, A, out=np.broadcast_to(np.float32(0), (2, 3))), dml.LayoutError,
            None,
        ),
        (
            lambda: dml.add(dml.Graph(dml.Device()).constant(A), A), dml.DataTypeError, None,
        ),
        (
            lambda: dml.abs(dml.Graph(dml.Device()).constant(A), out=A), dml.BindingError,
            "abs(out): has a meaning for arrays alone",
        ),
    ],
)  # fmt: skip
def test_refuses_what_the_function_refuses_before_anything_is_written(call, kind, message):
    with pytest.raises(kind) as error:
        call()

    assert message is None or str(error.value) == message


def test_is_one_function_for_both_by_name_doc_and_pickle():
    graph = dml.Graph(dml.Device())

    assert isinstance(dml.gemm(graph.constant(A), graph.constant(B)), dml.Expression)
    assert pickle.loads(pickle.dumps(dml.gemm)) is dml.gemm  # noqa: S301 (our own)
    assert list(inspect.signature(dml.gemm).parameters)[:3] == ["a", "b", "c"]


def test_what_is_alike_is_compiled_once_and_what_is_not_is_not_mixed_up(monkeypatch):
    made = []
    kept = OrderedDict()
    monkeypatch.setattr(on_arrays, "_kept", kept)
    monkeypatch.setattr(on_arrays, "_MOST_KEPT", 5)
    compile_plainly = dml.Graph.compile
    monkeypatch.setattr(
        dml.Graph, "compile", lambda *args, **kw: made.append(1) or compile_plainly(*args, **kw)
    )
    x = np.float32([[1, 2]])

    def padded(value):
        return dml.padding(x, padding_value=value, start_padding=[0, 1], end_padding=[0, 0])

    for value in (0.0, -0.0, 0, False, 0.0, -0.0, np.float32(-0.0)):
        found = padded(value)
        assert np.signbit(found[0, 0]) == np.signbit(np.float32(value))
    assert len(made) == 5
    assert len(kept) == 5
    for scale in (1.0, 2.0):
        fused = dml.FusedActivation.linear(alpha=scale, beta=0)
        assert dml.gemm(x, x.T, fused_activation=fused) == 5 * scale
        assert dml.gemm(2 * x, x.T, fused_activation=fused) == 10 * scale
    assert len(made) == 7
    assert len(kept) == 5
    for sizes in ([1, 2], [2, 1]):
        assert dml.join([x.reshape(sizes)] * 2, axis=1).shape == (sizes[0], 2 * sizes[1])


def test_arguments_may_be_written_in_any_order_and_hold_arrays_that_are_no_tensors():
    for factor in (1, 2, 3):
        a, c = factor * A, np.float32([[10, 20], [30, 40]])
        expected = a @ B + c
        for found in (
            dml.gemm(a, B, c),
            dml.gemm(c=c, b=B, a=a),
            dml.gemm(a, c=c, b=B),
            dml.gemm(beta=1.0, b=B, a=a, c=c),
        ):
            assert_bits_equal(actual=found, expected=expected)
    for axis in (0, 1, 0):
        found = dml.reduce(A, function=dml.ReduceFunction.SUM, axes=np.array([axis]))
        assert_bits_equal(actual=found, expected=A.sum(axis, keepdims=True))
