"""Exports with functions and without, each in ONNX Runtime and in onnx.reference.

A runtime takes the body in the place of a call: the same bits in both forms, and of both what is
computed here, within bounds. Of each operator a case drawn by a seed.
"""

import random

import numpy as np
import pytest

import indirectml as dml
from indirectml.descriptors.definitions import definition
from tests.extent import Extent
from tests.graphs.random_graphs import random_graph
from tests.onnx_export.bounds import BOUNDS
from tests.onnx_export.cases import cases_of
from tests.onnx_export.running import (
    NO_KERNEL,
    computed,
    distance,
    exported,
    in_onnx_runtime,
    in_reference,
    named,
)
from tests.onnx_export.test_graphs import SMOOTH, network
from tests.onnx_export.test_operators import EXPORTED
from tests.onnx_models import relative_difference
from tests.parameters import SEED

RUNTIMES = {"onnxruntime": in_onnx_runtime, "onnx.reference": in_reference}
OF = 4
GRAPHS = range(100 if Extent.whole else 6)

#: What onnx.reference says where it has an operator not, or not all of it.
NOT_THERE = ("No implementation", "No registered implementation", "Unknown activation function")

#: Operators for which onnx.reference gives other numbers in both forms.
OTHER_NUMBERS = {"GRU", "LSTM", "LOCAL_RESPONSE_NORMALIZATION", "MAX_POOLING1", "MAX_POOLING2",
                 "MAX_POOLING_GRAD"}  # fmt: skip


def drawn(name):
    return random.Random(f"{SEED} {name}").choice(cases_of(name, OF))  # noqa: S311 (repeatable)


@pytest.mark.parametrize("name", EXPORTED)
@pytest.mark.parametrize("runtime", RUNTIMES)
def test_operators(runtime, name):
    case = drawn(name)
    found = []
    for functions in (True, False):
        model = exported(case, functions=functions)
        try:
            found.append(RUNTIMES[runtime](model, named(model, case.arrays)))
        except NO_KERNEL as error:
            pytest.skip(f"{case.label}: no kernel of ONNX Runtime: {str(error)[:90]}")
        except RuntimeError as error:
            if runtime != "onnx.reference" or not str(error).startswith(NOT_THERE):
                raise
            pytest.skip(f"{case.label}: {str(error).splitlines()[0][:90]}")
    bound = BOUNDS.get(definition(name).name)
    for called, plain, wanted in zip(*found, computed(case), strict=True):
        keeps_bits = not case.desc.is_arithmetic
        between = distance(np.asarray(called), np.asarray(plain), keeps_bits=keeps_bits)
        assert between.is_equal, f"{case.label}: {between} between the forms"
        if runtime == "onnx.reference" and name in OTHER_NUMBERS:
            continue
        apart = distance(np.asarray(called), wanted, keeps_bits=keeps_bits)
        is_within = apart.is_equal if bound is None else apart.share <= bound
        assert is_within, f"{case.label}: {apart}"


def compare_forms(compiled, data, runtime, bounds):
    """Run both forms of a compiled graph; `bounds` are of FLOAT32 and of FLOAT16."""
    wanted, found = compiled(data), []
    for functions in (True, False):
        model = compiled.to_onnx(functions=functions)
        assert bool(model.functions) <= functions
        given = {each.name: data[each.name] for each in model.graph.input}
        found.append(RUNTIMES[runtime](model, given))
    for called, plain, here in zip(*found, wanted, strict=True):
        apart = distance(np.asarray(called), np.asarray(plain), keeps_bits=False)
        assert apart.is_equal, f"{apart} between the forms"
        finite = np.isfinite(here)
        assert (np.isfinite(called) == finite).all()
        bound = bounds[here.dtype == np.float16]
        assert relative_difference(called[finite], here[finite]) <= bound


@pytest.mark.parametrize("seed", GRAPHS)
@pytest.mark.parametrize("runtime", RUNTIMES)
def test_random_graphs(runtime, seed):
    made = random_graph(seed, names=SMOOTH)
    # What sums differ by, the operators behind them multiply: 5e-5 at most in 100 graphs.
    compare_forms(made.compile(), made.data, runtime, (2e-4, 5e-3))


def layer():
    """Return a graph of a transformer's layer, most of whose operators are functions in ONNX."""
    graph, random = dml.Graph(dml.Device()), np.random.default_rng(SEED)

    def weights(*sizes):
        return graph.constant((random.standard_normal(sizes) / 4).astype(np.float32))

    x = graph.input([6, 16], name="x")
    y = dml.mean_variance_normalization(x, axes=[1])
    q, k, v = (dml.gemm(y, weights(16, 16)) for _ in range(3))
    shares = dml.activation_softmax(dml.gemm(q, k, trans_b=dml.MatrixTransform.TRANSPOSE))
    x = dml.gemm(shares, v) + x
    y = dml.activation_gelu(dml.gemm(dml.mean_variance_normalization(x, axes=[1]), weights(16, 32)))
    return graph.compile([dml.gemm(y, weights(32, 16)) + x])


@pytest.mark.parametrize("runtime", RUNTIMES)
def test_models(runtime):
    random = np.random.default_rng(SEED)
    picture = random.standard_normal((2, 3, 12, 12)).astype(np.float32)
    compare_forms(dml.load_onnx(network()).compiled, {"image": picture}, runtime, (2e-5,))
    compiled = layer()
    assert compiled.to_onnx().functions
    compare_forms(compiled, {"x": picture[0, 0, :6, :8].repeat(2, 1)}, runtime, (2e-5,))
