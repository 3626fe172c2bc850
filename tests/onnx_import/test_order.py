"""Nodes in any order: sorted, unless some wait for one another."""

import numpy as np
import onnxruntime
import pytest

import indirectml as dml
from tests.bits import assert_bits_equal
from tests.onnx_import.models import load, model

#: A branch reads what stands around it; its own values have names that are there outside, too.
MIXED = """(float[3] x, bool which) => (float[3] y) {
    [a] low = Neg(x)
    [b] high = Abs(low)
    [c] chosen = If(which) <
        then_branch = yes () => (float[3] inner) { scaled = Mul(high, low) inner = Neg(scaled) },
        else_branch = no () => (float[3] other) { other = Add(high, high) } >
    [d] scaled = Relu(chosen)
    [e] sum = Add(scaled, low)
    [f] y = Sub(sum, high)
}"""


@pytest.mark.parametrize("seed", range(6))
def test_nodes_may_stand_in_any_order(seed):
    proto = model(MIXED)
    nodes = list(proto.graph.node)
    nodes = [nodes[k] for k in np.random.default_rng(seed).permutation(len(nodes))]
    shuffled = model(MIXED)
    del shuffled.graph.node[:]
    shuffled.graph.node.extend(nodes)
    x = np.array([1, -2, 3], np.float32)

    for which in (np.array(0, bool), np.array(1, bool)):
        (found,) = dml.load_onnx(shuffled)({"x": x, "which": which})

        session = onnxruntime.InferenceSession(proto.SerializeToString())
        assert_bits_equal(actual=found, expected=session.run(None, {"x": x, "which": which})[0])


def test_a_circle_is_told_with_its_nodes():
    with pytest.raises(dml.OnnxModelError) as caught:
        load(
            "(float[2] x) => (float[2] y, float[2] z) {"
            " [last] y = Add(p, x) [one] p = Add(q, x) [two] q = Neg(p) [fine] z = Neg(x) }"
        )

    (refusal,) = caught.value.refusals
    assert str(refusal) == (
        "one (Add): needs nodes that can be computed one after the other, got a circle: each of "
        "one, two reads what itself or another makes"
    )


def test_a_node_that_reads_itself_is_a_circle():
    with pytest.raises(dml.OnnxModelError, match="each of own reads what itself"):
        load("(float[2] x) => (float[2] y) { [own] y = Add(y, x) }")
