"""What native steps keep from one call to the next is of nothing that changes between calls."""

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import indirectml as dml
from indirectml.core.settings import available_targets
from tests.bits import assert_bits_equal

CHANNELS, FILTERS = 24, 40
#: Images of one strip of a convolution, and of two.
SIZES = 13, 17


def network(size, given):
    """Return convolutions with a normalization between them, of which `given` are inputs.

    Strips of the second are normalized while they are in the caches; the last reads padding alone
    with some taps.
    """
    random = np.random.default_rng(5)
    graph = dml.Graph(dml.Device())

    def tensor(name, sizes, low=-1.0):
        if name in given:
            return graph.input(sizes, name=name)
        return graph.constant(random.uniform(low, 2, sizes).astype(np.float32))

    def convolution(x, name, filters, channels, *, bias=None, dilation=1):
        padding = [dilation, dilation]
        weights = tensor(name, [filters, channels, 3, 3])
        return dml.convolution(
            x, weights, bias, dilations=padding, start_padding=padding, end_padding=padding
        )

    of_filters = [1, FILTERS, 1, 1]
    x = graph.input([1, CHANNELS, size, size], name="x")
    x = dml.activation_relu(convolution(x, "first", CHANNELS, CHANNELS))
    y = convolution(x, "filter", FILTERS, CHANNELS, bias=tensor("bias", of_filters))
    y = dml.batch_normalization(
        y,
        tensor("mean", of_filters),
        tensor("variance", of_filters, 0.5),
        tensor("scale", of_filters),
        tensor("shift", of_filters),
        epsilon=1e-5,
        fused_activation=dml.FusedActivation.relu(),
    )
    z = convolution(y, "second", 16, FILTERS, dilation=12)
    return graph, [dml.activation_relu(z + 1)]


def data_of(seed, size, given):
    random = np.random.default_rng(seed)
    sizes = {
        "x": [1, CHANNELS, size, size],
        "filter": [FILTERS, CHANNELS, 3, 3],
        "second": [16, FILTERS, 3, 3],
    }
    return {
        name: random.uniform(0.5, 2, sizes.get(name, [1, FILTERS, 1, 1])).astype(np.float32)
        for name in ("x", *given)
    }


def first_call(size, given, data):
    """Return what a graph returns that has kept nothing yet."""
    graph, outputs = network(size, given)
    return graph.compile(outputs)(data)


def assert_same(actual, expected, where):
    for number, (a, e) in enumerate(zip(actual, expected, strict=True)):
        assert_bits_equal(actual=a, expected=e, where=f"{where}, output {number}")


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize(
    "given",
    [(), ("bias",), ("scale",), ("mean", "variance"), ("shift",), ("filter",), ("second",)],
    ids=lambda given: "-".join(given) or "x alone",
)
def test_each_call_has_its_own_data(given, size):
    graph, outputs = network(size, given)
    compiled = graph.compile(outputs)
    always = data_of(0, size, given)
    for threads in (1, 2):
        dml.configure(max_threads=threads)
        for seed in (1, 2, 3, 1):
            data = data_of(seed, size, given)
            for name, array in data.items():
                np.copyto(always[name], array)
            # In the memory that the call before had.
            where = f"{given}, {threads} threads, data {seed}"
            assert_same(compiled(always), first_call(size, given, data), where)


@pytest.mark.parametrize("size", SIZES)
def test_calls_at_the_same_time_do_not_meet(size):
    graph, outputs = network(size, ())
    compiled = graph.compile(outputs)
    dml.configure(max_threads=1)
    seeds = range(4)
    expected = [first_call(size, (), data_of(seed, size, ())) for seed in seeds]

    def calls(seed):
        data = data_of(seed, size, ())
        return [compiled(data) for _ in range(12)]

    with ThreadPoolExecutor(len(seeds)) as pool:
        for seed, found in enumerate(pool.map(calls, seeds)):
            for each in found:
                assert_same(each, expected[seed], f"data {seed}")


def test_a_call_may_be_of_another_target():
    graph, outputs = network(SIZES[0], ())
    compiled = graph.compile(outputs)
    data = data_of(1, SIZES[0], ())
    expected = compiled(data)
    for name in (*available_targets(), *available_targets()):
        dml.configure(target=name)
        assert_same(compiled(data), expected, name)
