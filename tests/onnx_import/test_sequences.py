"""Sequences of tensors, which are gone when a model is loaded, beside ONNX Runtime."""

import numpy as np
import pytest

import indirectml as dml
from tests.bits import assert_bits_equal
from tests.onnx_import.models import model
from tests.onnx_models import session

#: The text of a graph that reads x; constants stand before its nodes.
GRAPHS = {
    "parts of one size, and a shorter one": """
        (float[3, 7] x) => (float[A, B] y, float[C, D] z, int64 n) {
            k = Constant<value = int64 {3}>()
            i = Constant<value = int64 {-1}>()
            s = SplitToSequence<axis = 1>(x, k)
            y = SequenceAt(s, i)
            n = SequenceLength(s)
            longer = SequenceInsert(s, y, i)
            shorter = SequenceErase(longer, i)
            z = ConcatFromSequence<axis = -1>(shorter)
        }""",
    "parts of sizes": """
        (float[3, 7] x) => (float[A, B] y) {
            k = Constant<value = int64[3] {1, 4, 2}>()
            i = Constant<value = int64 {1}>()
            s = SplitToSequence<axis = 1, keepdims = 0>(x, k)
            part = SequenceAt(s, i)
            none = SequenceEmpty()
            one = SequenceInsert(none, part)
            first = Constant<value = int64 {0}>()
            two = SequenceInsert(one, x, first)
            y = ConcatFromSequence<axis = 1>(two)
        }""",
    "parts without their axis, along a new one": """
        (float[3, 7] x) => (float[A, B] y) {
            s = SplitToSequence<axis = 0, keepdims = 0>(x)
            y = ConcatFromSequence<axis = -1, new_axis = 1>(s)
        }""",
    "a loop that makes one": """
        (float[3, 7] x) => (float[A, B] y) {
            none = SequenceEmpty()
            n = Constant<value = int64 {3}>()
            c = Constant<value = bool {1}>()
            s = Loop(n, c, none) <body = b (int64 i, bool on, seq(float[7]) old)
                => (bool still, seq(float[7]) new) {
                    still = Identity(on)
                    row = Gather<axis = 0>(x, i)
                    twice = Add(row, row)
                    new = SequenceInsert(old, twice)
                }>
            y = ConcatFromSequence<axis = 0, new_axis = 1>(s)
        }""",
    "a graph for each tensor, with another sequence, a tensor, and what lies around": """
        (float[3, 7] x) => (float[A, B] y, float[C, D] z) {
            s = SplitToSequence<axis = 0>(x)
            two = Constant<value = float {2}>()
            t = SequenceMap(s, two) <body = b (float[1, 7] row, float k) => (float[1, 7] more) {
                more = Mul(row, k)
            }>
            u, v = SequenceMap(t, s) <body = c (float[1, 7] a, float[1, 7] b)
                => (float[1, 7] sum, float[4, 7] joined) {
                    sum = Add(a, b)
                    joined = Concat<axis = 0>(a, x)
                }>
            y = ConcatFromSequence<axis = 0>(u)
            z = ConcatFromSequence<axis = 0>(v)
        }""",
    "chosen and erased": """
        (float[3, 7] x) => (float[A, B] y) {
            twice = Add(x, x)
            s = SequenceConstruct(x, twice, x)
            shorter = SequenceErase(s)
            i = Constant<value = int64 {-1}>()
            y = SequenceAt(shorter, i)
        }""",
}  # fmt: skip


def numbers(*sizes):
    return np.random.default_rng(3).standard_normal(sizes).astype(np.float32)


@pytest.mark.parametrize("name", GRAPHS)
def test_sequence(name):
    made = model(GRAPHS[name])
    x = numbers(3, 7)
    expected = session(made.SerializeToString()).run(None, {"x": x})
    for actual, stated in zip(dml.load_onnx(made)(x), expected, strict=True):
        assert_bits_equal(actual=actual, expected=stated)


def test_sequence_is_as_long_as_sizes_say():
    text = GRAPHS["parts without their axis, along a new one"].replace("[3, 7]", "[N, 7]")
    loaded = dml.load_onnx(model(text))
    for count in (2, 3, 5, 3, 1):
        x = numbers(count, 7)
        assert_bits_equal(actual=loaded(x)[0], expected=np.ascontiguousarray(x.T))


def test_sequence_in_other_sizes():
    text = GRAPHS["parts of one size, and a shorter one"].replace("[3, 7]", "[N, 7]")
    loaded = dml.load_onnx(model(text))
    for count in (2, 3, 5, 3):
        x = numbers(count, 7)
        last, whole, length = loaded(x)
        assert_bits_equal(actual=last, expected=np.ascontiguousarray(x[:, 6:]))
        assert_bits_equal(actual=whole, expected=x)
        assert length == 3


NEEDS_TENSOR = "needs a tensor, got a sequence; SequenceAt and ConcatFromSequence make tensors"

#: What makes y of x (and of i, j or c), and what of that is refused.
REFUSED = {
    "s = SequenceConstruct(x, x) y = Relu(s)": NEEDS_TENSOR,
    "t = SequenceConstruct(x, x) y = SequenceConstruct(t)": NEEDS_TENSOR,
    "y = SequenceConstruct(x, x)": NEEDS_TENSOR,
    "s = SequenceConstruct(x, x) k = Constant<value = int64 {2}>() y = SequenceAt(s, k)":
        "inputs[1]: needs a place from -2 to 1, got 2",
    "s = SequenceConstruct(x, x) y = SequenceAt(s, i)":
        "inputs[1]: needs an input that is known while loading, since it chooses a tensor of a "
        "sequence, got one that is computed from inputs of the model; constants={'i': array} "
        "makes it known",
    "y = SequenceAt(x, i)": "inputs[0]: needs a sequence, got <float32 [2]>",
    "s = SequenceConstruct(x) t = SequenceInsert(s, j) y = ConcatFromSequence<axis = 0>(t)":
        "needs float32, as the sequence has, got int32",
    "s = SequenceEmpty() y = ConcatFromSequence<axis = 0>(s)":
        "inputs[0]: needs a sequence with tensors, got none",
    "k = Constant<value = int64[2] {1, 2}>() s = SplitToSequence(x, k) y = SequenceAt(s, i)":
        "inputs[1]: needs sizes of 2 in all, got [1, 2]",
    "s = If(c) <then_branch = a () => (seq(float[2]) p) { p = SequenceConstruct(x) },"
    " else_branch = b () => (seq(float[2]) q) { q = SequenceConstruct(x, x) }>"
    " y = ConcatFromSequence<axis = 0>(s)": NEEDS_TENSOR,
}  # fmt: skip


@pytest.mark.parametrize("nodes", REFUSED)
def test_refuses_what_is_no_sequence_or_no_tensor(nodes):
    inputs = "float[2] x, int64 i, int32[2] j, bool c"
    with pytest.raises(dml.ModelError) as caught:
        dml.load_onnx(model(f"({inputs}) => (float[M] y) {{ {nodes} }}"))
    assert REFUSED[nodes] in str(caught.value)
