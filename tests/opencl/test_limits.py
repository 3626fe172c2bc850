"""Devices that have as little as can be: work-groups, memory, FLOAT64, time, subnormal numbers."""

import functools

import numpy as np
import pytest

import indirectml as dml
from indirectml.descriptors.definitions import implemented_operators
from indirectml.opencl import context, launches, platforms
from indirectml.opencl.launches import Abilities, Launch, Source
from indirectml.opencl.tiles import OF_GPU, tile_for
from tests.extent import Extent
from tests.opencl.compare import differing
from tests.opencl.implementations import needs_pocl, pocl

#: What such a device says of itself, whatever it is.
FEW = {
    "group_size": 64, "local_bytes": 1 << 14, "vector_width": 1, "has_float64": False,
    "allocation_bytes": 1 << 24, "memory_bytes": 1 << 26,
}  # fmt: skip
#: Operators whose kernels share memory or have work-groups of their own, and one of other kinds.
SOME = [
    "GEMM", "CONVOLUTION", "MATRIX_MULTIPLY_INTEGER", "CONVOLUTION_INTEGER", "REDUCE", "TOP_K",
    "ACTIVATION_SOFTMAX", "MEAN_VARIANCE_NORMALIZATION", "ELEMENT_WISE_ADD", "ELEMENT_WISE_EXP",
    "CUMULATIVE_SUMMATION", "MAX_POOLING", "RESAMPLE", "GATHER", "SCATTER", "FILL_VALUE_SEQUENCE",
]  # fmt: skip


@pytest.fixture
def small(monkeypatch):
    """Return a device that has as little, and refuses more; its launches are many parts."""
    device = dml.Device(pocl())
    number = int(pocl().partition(":")[2] or 0)
    own, facts_of = platforms.devices()[number], platforms.facts_of
    start = platforms.cl.enqueue_nd_range_kernel
    info = platforms.cl.kernel_work_group_info
    started = []

    def limited(given):
        facts = facts_of(given)
        return type(facts)(**(vars(facts) | FEW))

    def checked(queue, kernel, sizes, group, *first):
        shared = kernel.get_work_group_info(info.LOCAL_MEM_SIZE, own)
        assert shared <= FEW["local_bytes"], (kernel.function_name, shared)
        if group is not None:
            assert np.prod(group) <= FEW["group_size"], kernel.function_name
            assert not any(n % m for n, m in zip(sizes, group, strict=True)), kernel.function_name
        started.append((kernel.function_name, first[0] is not None))
        return start(queue, kernel, sizes, group, *first)

    monkeypatch.setattr(context, "facts_of", limited)
    monkeypatch.setattr(launches, "_MOST_WORK", 1 << 12)
    monkeypatch.setattr(device.implementation, "_context", context.Context(own))
    monkeypatch.setattr(platforms.cl, "enqueue_nd_range_kernel", checked)
    return device, started


#: What computes with FLOAT32 in any way.
OF_FLOATS = [
    *SOME, "ELEMENT_WISE_SUBTRACT", "ELEMENT_WISE_MULTIPLY", "ELEMENT_WISE_DIVIDE", "CAST",
    "ELEMENT_WISE_TANH", "ELEMENT_WISE_ERF", "ELEMENT_WISE_SQRT", "ELEMENT_WISE_POW", "GRU",
    "ACTIVATION_GELU", "ACTIVATION_SIGMOID", "AVERAGE_POOLING", "ROI_POOLING", "ROI_ALIGN",
    "LOCAL_RESPONSE_NORMALIZATION", "ELEMENT_WISE_QUANTIZE_LINEAR",
]  # fmt: skip
#: Operations of the probe that are wrong there; other devices flush in some of them alone.
FLUSHED = ("add", "subtract")


@functools.cache
def flushing_context():
    """Return a device in use that flushes subnormal numbers, as its compiler is told."""
    own = platforms.devices()[int(pocl().partition(":")[2] or 0)]
    options_of = platforms.options_of
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(
            context, "options_of", lambda facts: (*options_of(facts), "-cl-denorms-are-zero")
        )
        return context.Context(own)


@pytest.fixture
def flushing(monkeypatch):
    """Return a device that flushes subnormal numbers."""
    device = dml.Device(pocl())
    monkeypatch.setattr(device.implementation, "_context", flushing_context())
    return device


@needs_pocl
@pytest.mark.parametrize("name", implemented_operators() if Extent.whole else OF_FLOATS)
def test_operators_have_the_bits_of_the_cpu_where_subnormal_numbers_are_flushed(name, flushing):
    used = flushing.implementation.context
    if used.abilities.can("add float32"):
        pytest.skip("this implementation does not flush them when it is told to")
    assert not used.verdict.right & {f"{name} float32" for name in FLUSHED}
    assert not used.abilities.has_float64

    assert not list(differing(name, flushing, None if Extent.whole else 2))


@needs_pocl
@pytest.mark.parametrize("name", implemented_operators() if Extent.whole else SOME)
def test_operators_have_the_bits_of_the_cpu_where_there_is_little(name, small):
    device, started = small

    assert not list(differing(name, device, None if Extent.whole else 2))

    assert started


@needs_pocl
def test_what_is_large_is_started_in_parts_of_the_same_bits(small):
    device, started = small
    x = np.random.default_rng(5).standard_normal((1, 3, 150, 300)).astype(np.float32)

    def made(there):
        graph = dml.Graph(there)
        a, b = (graph.input(x.shape, name=name) for name in "ab")
        product = dml.gemm(dml.exp(a), b, trans_b=dml.MatrixTransform.TRANSPOSE)
        sums = dml.reduce(product, function=dml.ReduceFunction.SUM, axes=[3])
        shares = (dml.activation_softmax(product, axes=axes) for axes in ([3], [1, 3]))
        return graph.compile([*shares, sums])({"a": x, "b": x})

    for found, wanted in zip(made(device), made(dml.Device()), strict=True):
        assert found.tobytes() == wanted.tobytes()

    in_parts = {name for name, is_part in started if is_part}
    assert {"program", "contract", "sum16", "softmax", "extreme", "softmax_held"} <= in_parts


def test_parts_are_all_of_a_launch():
    def parts(sizes, group, work):
        return Launch("any", Source(()), (), sizes, group, work).parts

    assert parts((64,), (64,), 1 << 40) == [((0,), (64,))]
    assert parts((3, 5), None, 0) == [((0, 0), (3, 5))]
    assert parts((128, 32, 3), (16, 16, 1), 1 << 22) == [
        ((0, 0, 0), (128, 32, 2)), ((0, 0, 2), (128, 32, 1)),
    ]  # fmt: skip
    assert parts((1024, 32, 1), (16, 16, 1), 1 << 22)[:2] == [
        ((0, 0, 0), (256, 32, 1)), ((256, 0, 0), (256, 32, 1)),
    ]  # fmt: skip
    cut = parts((100_000 * 64,), (64,), 1 << 16)
    assert [at for (at,), _ in cut] == np.cumsum([0, *(n for _, (n,) in cut[:-1])]).tolist()
    assert sum(n for _, (n,) in cut) == 100_000 * 64
    assert all(n % 64 == 0 and n << 16 <= 1 << 35 for _, (n,) in cut)


def test_tiles_are_what_a_device_has_room_for():
    def abilities(**others):
        given = {"local_bytes": 1 << 15, "group_size": 256, "units": 16, "vector_width": 1} | others
        return Abilities(right=frozenset(), has_float64=True, **given)

    large = {"local_bytes": 48 << 10}
    assert tile_for(1024, 1024, 1, abilities(**large)) == OF_GPU[0]
    assert tile_for(1024, 1024, 1, abilities()) == OF_GPU[1]
    # Sixteen work-groups are too few for so many units.
    assert tile_for(512, 512, 1, abilities(units=64, **large)) == OF_GPU[2]
    assert tile_for(512, 512, 9, abilities(units=64, **large)) == OF_GPU[0]
    assert tile_for(512, 512, 1, abilities(units=1000, **large)) == OF_GPU[3]
    assert tile_for(1024, 1024, 1, abilities(group_size=128)) == OF_GPU[2]
    assert tile_for(1024, 1024, 1, abilities(group_size=64)) == OF_GPU[4]
    for tile in OF_GPU:  # what work-items read is as much for each
        rows, columns = tile.sizes
        items = tile.group_x * tile.group_y
        assert rows * tile.depth % (tile.wide * items) == 0
        assert columns * tile.depth % (tile.wide * items) == 0
        assert items % columns == 0 or columns % items == 0
        assert tile.depth * columns % items == 0
    for width in (1, 4, 8, 16):
        for sizes in ((1024, 1024), (5, 7), (40, 3000)):
            tile = tile_for(
                *sizes, 1, abilities(group_size=64, local_bytes=1 << 14, vector_width=width)
            )
            assert tile.group_x * tile.group_y <= 64
            assert tile.local_bytes <= 1 << 14


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"version": "OpenCL 1.1 Old"}, "has OpenCL 1.1 Old, and 1.2 is needed"),
        ({"endian_little": False}, "is big-endian"),
        ({"compiler_available": False}, "is not available, or has no compiler"),
        ({"max_work_item_sizes": [1024, 1, 1]}, "has work-groups of 1, and 64 are needed"),
        ({"local_mem_size": 1024}, "has 1024 bytes for a work-group, and 16384 are needed"),
        ({}, ""),
    ],
)
def test_devices_that_lack_something_are_named(changes, said, monkeypatch):
    class Given:
        name, version = "a device ", "OpenCL 3.0 New"
        available = compiler_available = endian_little = True
        max_work_group_size, max_work_item_sizes, local_mem_size = 256, [256, 256, 64], 1 << 15

    device = Given()
    vars(device).update(changes)
    monkeypatch.setattr(platforms, "cl", platforms.cl or object())
    monkeypatch.setattr(platforms, "_all_devices", lambda: [device])
    monkeypatch.setattr(platforms, "devices", lambda: () if said else (device,))

    found = platforms.missing()

    assert found.startswith(
        f"there is no OpenCL device on this machine that can be used: a device {said}; "
        if said
        else ""
    )
    assert bool(found) == bool(said)
