"""What graphs need: time and memory in proportion, and no value written over before it is read."""

from __future__ import annotations

import gc
import mmap
import pickle
import tracemalloc
from itertools import pairwise

import numpy as np
import pytest
from benchmarks import process

import indirectml as dml
from indirectml.devices import cpu
from indirectml.graphs.memory import TemporaryMemory
from indirectml.models.memory import dispatch_bytes
from indirectml.plans import ProgramStep
from indirectml.ranges import RANGE_ALIGNMENT, Ranges
from tests.bits import assert_bits_equal
from tests.steps import assert_in_proportion


@pytest.fixture
def graph():
    return dml.Graph(dml.Device())


def summed(graph, count, terms=None):
    """Return an input, and a chain of additions of it, or of what is made of it."""
    x = graph.input([2], name="x")
    y = x
    for _ in range(count):
        y = y + (x if terms is None else terms(x))
    return x, y


# ---- time ----


def test_compiling_takes_steps_in_proportion_to_the_nodes():
    def work(count):
        graph = dml.Graph(dml.Device())
        _, y = summed(graph, count)
        return lambda: graph.compile([y])

    assert_in_proportion(work, 500)


@pytest.mark.parametrize("is_enabled", [True, False])
def test_the_garbage_collector_is_left_as_it_was(graph, is_enabled):
    x = graph.input([2])
    (gc.enable if is_enabled else gc.disable)()
    try:
        graph.compile([x + 1.0])
        left = gc.isenabled()
        with pytest.raises(dml.DirectMLError):
            graph.compile([x])
        assert (left, gc.isenabled()) == (is_enabled, is_enabled)
    finally:
        gc.enable()


# ---- temporary memory ----


def test_a_chain_of_equal_operators_needs_two_tensors(graph):
    x = graph.input([800_000])
    y = x
    for _ in range(50):
        y = dml.activation_softmax(y)

    assert graph.compile([y]).temporary_size == 2 * 3_200_000


def test_a_chain_of_element_wise_operators_needs_none(graph):
    x = graph.input([800_000])
    y = x
    for _ in range(50):
        y = dml.activation_relu(y)
    sums = x
    for _ in range(100):
        sums = sums + x

    assert graph.compile([y]).temporary_size == 0
    assert graph.compile([sums]).temporary_size == 0


@pytest.mark.parametrize("is_first", [True, False])
def test_terms_are_made_when_they_are_added(graph, is_first):
    x = graph.input([64])
    y = x
    for _ in range(40):
        term = dml.activation_relu(x)
        y = term + y if is_first else y + term

    assert graph.compile([y]).temporary_size <= 3 * 256


def test_a_value_that_is_read_again_stays(graph):
    x = graph.input([64])
    first = x + 1.0
    y = first
    for _ in range(10):
        y = y * 2.0
    compiled = graph.compile([y + first])

    data = np.arange(64, dtype=np.float32)
    (actual,) = compiled({x: data})

    assert_bits_equal(actual=actual, expected=(data + 1) * 1024 + (data + 1))


def _random_values(generator, x, data):
    """Return expressions of many sizes and lives, and what NumPy makes of the same data."""
    pool, joins = [(x, data)], set()
    for _ in range(generator.integers(3, 60)):
        a, a_data = pool[generator.integers(len(pool))]
        kind = generator.integers(5)
        if kind == 0:
            same = [pair for pair in pool if pair[0].shape == a.shape]
            b, b_data = same[generator.integers(len(same))]
            pool.append((a + b, a_data + b_data))
        elif kind == 1 and a.size < 2000:
            pool.append((dml.join([a, a], axis=0), np.concatenate([a_data, a_data])))
        elif kind == 2 and a.size > 1:
            cut = int(generator.integers(1, a.size))
            parts = dml.split(a, axis=0, output_axis_sizes=[cut, a.size - cut])
            cuts = np.split(a_data, [cut])
            pool += zip(parts, cuts, strict=True)
            turned = dml.join(parts[::-1], axis=0)
            joins.add(turned)
            pool.append((turned, np.concatenate(cuts[::-1])))
        elif kind == 3:
            column = dml.reinterpret(a, [a.size, 1])
            pool.append((dml.reinterpret(dml.identity(column), a.shape), a_data))
        else:
            pool.append((a * 3, a_data * np.int32(3)))
    return pool[1:], joins


@pytest.mark.parametrize("seed", range(60))
def test_random_graphs_give_what_numpy_gives(graph, seed):
    generator = np.random.default_rng(seed)
    data = generator.integers(-1000, 1000, 37, np.int32)
    x = graph.input([37], np.int32)
    values, joins = _random_values(generator, x, data)
    chosen = generator.permutation(len(values))[: generator.integers(1, 5)]
    # All parts of splits are read by the joins that follow them.
    wanted = [values[k] for k in chosen] + [pair for pair in values if pair[0] in joins]

    results = graph.compile([e for e, _ in wanted])({x: data})

    for actual, (_, expected) in zip(results, wanted, strict=True):
        assert_bits_equal(actual=actual, expected=expected, where=f"seed {seed}")


# ---- ranges ----


@pytest.mark.parametrize("seed", range(20))
def test_ranges_never_overlap_and_grow_together_again(seed):
    generator = np.random.default_rng(seed)
    ranges, live = Ranges(0), []
    for _ in range(400):
        if live and generator.random() < 0.5:
            ranges.release(live.pop(generator.integers(len(live))))
        else:
            tensor = dml.TensorDesc(
                np.uint8, [int(generator.choice([1, 4, 256, 257, 3000, 40000]))]
            )
            live.append(ranges.add(tensor))
        taken = sorted((v.offset, v.tensor.total_tensor_size_in_bytes) for v in live)
        for (begin, size), (following, _) in pairwise(taken):
            assert begin + size <= following, f"seed {seed}"
        assert all(begin % RANGE_ALIGNMENT == 0 for begin, _ in taken)
        assert not taken or taken[-1][0] + taken[-1][1] <= ranges.size
    size = ranges.size
    for view in live:
        ranges.release(view)

    assert ranges.add(dml.TensorDesc(np.uint8, [size])).offset == 0
    assert ranges.size == size


@pytest.mark.skipif(not process.can_be_measured(), reason="missing: Linux's count of memory")
def test_a_conversion_takes_no_memory_beside_its_result(graph):
    x = graph.input([1 << 24], np.int8, name="x")
    compiled = graph.compile([dml.cast(dml.cast(x, dtype=np.float32), dtype=np.float16)])
    given = {"x": np.ones(1 << 24, np.int8)}
    first = compiled(given)
    process.forget_peak()
    before = process.resident_bytes()

    (second,) = compiled(given)

    taken = process.peak_bytes() - before
    assert taken <= second.nbytes + (1 << 19)
    assert_bits_equal(actual=second, expected=first[0])


# ---- constants ----


@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.int8])
def test_a_constant_is_kept_once(graph, dtype):
    array = np.ones(10_000_000, dtype)
    size_bytes = 4 * array.size
    tracemalloc.start()
    try:
        constant = graph.constant(array, np.float32)
        compiled = [graph.compile([_first(constant)]) for _ in range(3)]
        for one in compiled:
            assert one()[0].tolist() == [1]
        kept, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()

    assert kept < 1.1 * size_bytes
    assert peak < 1.1 * size_bytes


def _first(x):
    return dml.slice(x, input_window_offsets=[0], input_window_sizes=[1], input_window_strides=[1])


def test_a_constant_is_a_copy_that_nobody_writes(graph):
    array = np.array([1, 2], np.float32)
    x = graph.constant(array)
    compiled = graph.compile([dml.identity(x)])

    array[:] = 9
    compiled()[0][:] = 8

    assert compiled()[0].tolist() == [1, 2]


def test_owned_inputs_are_read_where_they_are(graph):
    x, w = graph.constant(np.ones(2, np.float32)), graph.input([2], owned=True)
    compiled = graph.compile([x + w])

    (step,) = compiled.plan.steps_in_place

    assert isinstance(step, ProgramStep)
    assert [view.buffer for view in step.inputs] == [0, 1]
    assert [view.buffer for view in compiled.plan.steps[0].inputs] == [compiled.plan.persistent] * 2


def test_weights_may_change_after_initialization(graph):
    x, w = graph.input([2], name="x"), graph.input([2], owned=True, name="w")
    compiled = graph.compile([x + w])
    weights = np.array([1, 2], np.float32)
    compiled.initialize({w: weights})

    weights[:] = 9

    assert compiled({"x": np.zeros(2, np.float32)})[0].tolist() == [1, 2]


def test_a_buffer_as_constant_is_never_converted(graph):
    buffer = dml.Buffer(graph.device, np.arange(3.0))

    with pytest.raises(dml.BindingError) as caught:
        graph.constant(buffer, np.float32)

    assert str(caught.value) == (
        "Graph.constant: needs FLOAT32, and a buffer is not converted, got FLOAT64"
    )
    assert graph.compile([dml.identity(graph.constant(buffer))])()[0].tolist() == [0, 1, 2]


# ---- what steps take ----


def _attention(graph):
    parts = [graph.input([1, 512, 8], name=name) for name in "qkv"]
    return dml.multihead_attention(*parts, head_count=2, scale=0.5)


def _recurrence(graph):
    sizes = {"x": [1, 400, 3, 4], "w": [1, 1, 96, 4], "r": [1, 1, 96, 32]}
    x, w, r = (graph.input(given, name=name) for name, given in sizes.items())
    tanh = [dml.FusedActivation.sigmoid(), dml.FusedActivation.tanh()]
    return dml.gru(x, w, r, activation_descs=tanh, output_options=dml.GRUOutputOptions.Single)[1]


@pytest.mark.parametrize("make", [_attention, _recurrence])
def test_what_is_made_in_between_counts(make):
    graph = dml.Graph(dml.Device())
    compiled = graph.compile([make(graph)])
    data = {name: np.ones(t.sizes, np.float32) for name, t in compiled.inputs.items()}
    compiled(data)
    compiled.temporary_memory.take(
        compiled.device.implementation.new_memory
    )  # what is kept counts, too
    tracemalloc.start()
    compiled(data)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()

    largest = max(array.nbytes for array in data.values())
    # Objects of Python that a call makes are some kibibytes more.
    assert 8 * largest < peak <= 1.1 * dispatch_bytes(compiled.plan)


# ---- the temporary resource ----


class Counting:
    """A device that counts what it is asked for."""

    def __init__(self):
        self.made = []

    def new_memory(self, size_bytes, *, zeroed):
        """Return memory as the CPU has it."""
        assert not zeroed
        self.made.append(np.ones(size_bytes, np.uint8))
        return self.made[-1]


@pytest.mark.parametrize("zeroed", [False, True])
@pytest.mark.parametrize("size", [1, 100, 1000, 1 << 20, (1 << 22) + 3])
def test_memory_begins_at_a_line_of_the_caches(size, zeroed):
    several = [cpu.new_memory(size, zeroed=zeroed) for _ in range(5)]
    for memory in several:
        assert memory.nbytes == size
        assert memory.ctypes.data % 64 == 0
        assert memory.flags.writeable
        assert not (zeroed and memory.any())


@pytest.mark.parametrize("size", [1, 1000, 100_000, 1 << 23])
def test_what_a_call_gives_back_is_taken_by_the_next(size):
    device, memory = Counting(), TemporaryMemory(size)
    memory.prepare(device.new_memory)
    first, second = memory.take(device.new_memory), memory.take(device.new_memory)
    assert first is device.made[0]
    assert second is device.made[1]
    assert (first == 0).sum() == -(-size // mmap.PAGESIZE)
    assert second.all()

    memory.give_back(first)
    memory.give_back(second)
    assert memory.take(device.new_memory) is second
    assert memory.take(device.new_memory) is device.made[2]
    assert [each.size for each in device.made] == [size] * 3


def test_nothing_is_made_once():
    device, memory = Counting(), TemporaryMemory(0)
    first = memory.take(device.new_memory)
    assert memory.take(device.new_memory) is first
    assert [each.size for each in device.made] == [0]


def test_much_is_not_kept():
    device, memory = Counting(), TemporaryMemory((1 << 23) + 1)
    memory.prepare(device.new_memory)
    assert not device.made
    memory.give_back(memory.take(device.new_memory))
    assert memory.take(device.new_memory) is device.made[1]


def test_a_copy_of_a_graph_has_memory_of_its_own():
    device, memory = Counting(), TemporaryMemory(1 << 16)
    memory.prepare(device.new_memory)
    copied = pickle.loads(pickle.dumps(memory))  # noqa: S301 (its own)
    assert copied.take(device.new_memory) is device.made[1]
    assert memory.take(device.new_memory) is device.made[0]


def test_calls_take_the_memory_that_initialization_has_made(graph):
    x = graph.input([300, 300], name="x")
    compiled = graph.compile([dml.gemm(dml.gemm(x, x), x)])
    data = {"x": np.eye(300, dtype=np.float32) * 2}
    assert 1 << 16 <= compiled.temporary_size <= 1 << 23
    kept = compiled.temporary_memory.take(None)
    compiled.temporary_memory.give_back(kept)
    kept[:] = 255
    for _ in range(2):
        (found,) = compiled(data)
        assert found.tobytes() == (data["x"] * 4).tobytes()
        assert not (kept == 255).all()
        assert compiled.temporary_memory.take(None) is kept
        compiled.temporary_memory.give_back(kept)
