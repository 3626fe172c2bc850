"""Golden vectors and networks on an OpenCL device: the bits of other sources, and of the CPU."""

import itertools

import numpy as np
import pytest
from samples import mnist, mobilenet, squeezenet, superres
from samples.weights import Weights

import indirectml as dml
from tests.bits import assert_bits_equal
from tests.extent import Extent, every
from tests.opencl.implementations import needs_pocl, pocl
from tests.operator_vectors import elements, empty, laid_out, vectors_of
from tests.test_vectors import NAMES, SEQUENCES, calls_of, read
from tests.vectors.operator_runner import distance

pytestmark = needs_pocl

#: Fills are as long as this at most.
LONGEST = 1 << 12
#: Operators with vectors of any strides, and every how many of these are tried.
OPERATORS = ["BATCH_NORMALIZATION", "CUMULATIVE_SUMMATION", "GATHER_ND1", "LP_NORMALIZATION"]
EVERY = 80


#: DirectML fills no FLOAT64 with sequences.
FILLS = [
    name
    for name in NAMES
    if name.startswith("constant.") or (name in SEQUENCES and "FLOAT64" not in name)
]


@pytest.mark.parametrize("name", FILLS)
def test_fills_are_the_golden_vectors(name):
    device = {rule: dml.Device(pocl(), sequence_rule=rule) for rule in ("accumulate", "multiply")}
    cases = list(calls_of_short(read(name)))
    for call, parts, case in cases if Extent.whole else cases[:: max(1, len(cases) // 8)]:
        used = device[call.rule]
        compiled = used.compile_operator(used.create_operator(call.desc))
        (found,) = compiled([])
        for first, bits in parts:
            own = found[first : first + bits.size].view(bits.dtype)
            np.testing.assert_array_equal(own, bits, f"{name}: {case}")


def calls_of_short(vectors):
    """Yield the cases that begin with a part that is not far."""
    near = [c for c in vectors["cases"] if int(c["runs"][0]["first"]) < LONGEST // 2]
    return calls_of(vectors | {"cases": near}, LONGEST)


@pytest.mark.parametrize("name", OPERATORS)
def test_operators_give_the_golden_vectors(name):
    device = dml.Device(pocl())
    count = 0
    for vector in itertools.islice(vectors_of(name), 0, None, every(EVERY)):
        desc = vector.desc
        compiled = device.compile_operator(device.create_operator(desc))
        read = zip((t for _, t in desc.tensors("input_tensor")), vector.inputs, strict=True)
        raw = [None if t is None else memoryview(laid_out(t, array)) for t, array in read]
        outputs = [t for _, t in desc.tensors("output_tensor")]
        memories = [None if t is None else empty(t) for t in outputs]
        compiled(raw, out=[None if m is None else memoryview(m) for m in memories])
        found = [elements(t, m) for t, m in zip(outputs, memories, strict=True) if t is not None]
        for actual, expected in zip(found, vector.outputs, strict=True):
            assert distance(actual, expected, keeps_bits=False) == 0, desc
        count += 1
    assert count > 1


def assert_same_network(made, feed, floor=1.0):
    """Assert that a network gives on a device what it does on the CPU, by kernels."""
    there = made(dml.Device(pocl()))
    for actual, expected in zip(there(feed), made(dml.Device())(feed), strict=True):
        assert_bits_equal(actual=actual, expected=expected)
    forms = [there.device.implementation.has_form(step) for step in there.plan.steps]
    assert sum(forms) >= floor * len(forms)


@pytest.mark.parametrize("sample", [mnist, squeezenet, mobilenet, superres])
def test_the_samples_have_the_bits_of_the_cpu(sample):
    def made(device):
        graph = dml.Graph(device)
        x = graph.input(sample.SIZES, name="x")
        return graph.compile([sample.network(x, Weights(graph))])

    assert_same_network(made, {"x": np.random.default_rng(0).random(sample.SIZES, np.float32)})


def test_a_transformer_has_the_bits_of_the_cpu():
    width, heads, length = 32, 4, 7
    rng = np.random.default_rng(20261123)
    numbers = {}

    def made(device):
        graph = dml.Graph(device)

        def constant(name, *sizes):
            if name not in numbers:
                numbers[name] = (rng.standard_normal(sizes) / 4).astype(np.float32)
            return graph.constant(numbers[name])

        def normal(x, name):
            scale, bias = (constant(f"{name} {part}", 1, 1, width) for part in ("scale", "bias"))
            across = dml.mean_variance_normalization(x, axes=[2], epsilon=1e-5)
            return across * dml.broadcast(scale, x.shape) + dml.broadcast(bias, x.shape)

        def product(x, name, columns):
            matrix = constant(name, 1, x.shape[2], columns)
            return dml.gemm(x, dml.broadcast(matrix, (2, *matrix.shape[1:])))

        x = graph.input([2, length, width], name="x")
        for layer in range(2):
            own = normal(x, f"{layer} first")
            parts = [product(own, f"{layer} {n}", width) for n in ("query", "key", "value")]
            mixed = dml.multihead_attention(*parts, head_count=heads, scale=(width / heads) ** -0.5)
            x = x + product(mixed, f"{layer} mixed", width)
            wide = product(normal(x, f"{layer} second"), f"{layer} inner", 4 * width)
            x = x + product(dml.activation_gelu(wide), f"{layer} outer", width)
        return graph.compile([dml.activation_log_softmax(x, axes=[2])])

    assert_same_network(made, {"x": rng.standard_normal((2, length, width)).astype(np.float32)})
