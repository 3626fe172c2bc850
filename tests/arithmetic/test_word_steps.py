"""Native steps of words: the bits of their NumPy forms, however arrays lie, on every target."""

import numpy as np
import pytest

import indirectml as dml
from indirectml import _native
from indirectml.arithmetic import (
    gathering,
    normalization,
    reductions,
    regions,
    resampling,
    scans,
    softmax,
    sums,
    windows,
)
from indirectml.core.data_types import as_data_type
from indirectml.core.settings import Settings, available_targets
from indirectml.plans import View, WordStep
from tests.arithmetic.arrays import FLOATS, INTEGERS, KINDS, numbers
from tests.bits import assert_bits_equal

TYPES = (*FLOATS, *INTEGERS)
HALF, SINGLE = np.dtype(np.float16), np.dtype(np.float32)

#: How arrays lie in the memory of a plan; results too, but for what repeats elements.
LAYOUTS = ("packed", "turned", "reversed", "gaps", "spaced", "misaligned")


class Memory:
    """Bytes of a buffer, and views of it."""

    def __init__(self, seed):
        self.random = np.random.default_rng(seed)
        self.buffers = []

    def view(self, sizes, dtype, layout, data=None):
        """Return the view of a new buffer for an array, which holds data."""
        dtype = np.dtype(dtype)
        order = list(range(len(sizes)))
        if layout == "turned":
            self.random.shuffle(order)
        gap = 2 if layout == "gaps" else 1
        strides = [0] * len(sizes)
        count = gap
        for axis in reversed(order):
            strides[axis] = count
            count *= sizes[axis] + (layout == "spaced")
        offset = int(self.random.choice([0, 1, 3])) if layout == "misaligned" else 0
        if layout == "reversed":
            offset += sum((n - 1) * s for n, s in zip(sizes, strides, strict=True)) * dtype.itemsize
            strides = [-s for s in strides]
        buffer = np.full(count * dtype.itemsize + 16, 0xA5, np.uint8)
        self.buffers.append(buffer)
        view = View(
            len(self.buffers) - 1, as_data_type(dtype), tuple(sizes), tuple(strides), offset
        )
        if data is not None:
            self.array(view)[...] = data
        return view

    def array(self, view):
        dtype = view.data_type.dtype
        memory = self.buffers[view.buffer]
        return np.ndarray(view.sizes, dtype, memory, view.offset, view.strides_bytes)


def assert_native_as_numpy(word, arrays, fields, seed, out=None, layouts=LAYOUTS):
    """Compare a step with the NumPy form, whose results are rounded to the dtypes of `out`."""
    random = np.random.default_rng(seed)
    given = dict(zip(word.arrays, arrays, strict=True))
    with np.errstate(all="ignore"):
        results = word.function(**given, **fields)
        results = results if isinstance(results, tuple) else (results,)
        dtypes = out or [result.dtype for result in results]
        expected = [r.astype(d) for r, d in zip(results, dtypes, strict=True)]
    memory = Memory(seed)
    choose = lambda: layouts[random.integers(len(layouts))]  # noqa: E731
    inputs = [a if a is None else memory.view(a.shape, a.dtype, choose(), a) for a in arrays]
    outputs = [memory.view(r.shape, r.dtype, choose()) for r in expected]
    step = WordStep(word, "TEST", tuple(fields.items()), tuple(inputs), tuple(outputs))
    assert step.native is not None, f"{word} has no native step [seed {seed}]"
    before = [buffer.copy() for buffer in memory.buffers]
    assert _native.StepList([step.native]).run(memory.buffers, Settings.policy, 0) == 1
    for view, wanted in zip(outputs, expected, strict=True):
        where = f"{word}, seed {seed}, {Settings.policy!r}"
        assert_bits_equal(actual=memory.array(view).copy(), expected=wanted, where=where)
        # And nothing is written beside it.
        untouched = before[view.buffer]
        for buffer in (memory.buffers[view.buffer], untouched):
            np.ndarray(view.sizes, wanted.dtype, buffer, view.offset, view.strides_bytes)[...] = 0
        assert memory.buffers[view.buffer].tobytes() == untouched.tobytes(), where


def some_sizes(random, rank=None):
    rank = random.integers(1, 5) if rank is None else rank
    most = {1: 3000, 2: 90, 3: 20, 4: 9}[int(rank)]
    return tuple(int(n) for n in random.integers(1, most, rank))


def some_axes(random, rank):
    chosen = [axis for axis in range(rank) if random.random() < 0.5]
    return chosen or [int(random.integers(rank))]


def some_numbers(random, dtype, sizes):
    kind = "special" if random.random() < 0.3 else KINDS[random.integers(len(KINDS))]
    return numbers(dtype, sizes, kind, int(random.integers(1 << 30)))


def rounded_to(random, dtype):
    return [np.dtype(random.choice([np.float16, np.float32, np.float64]))] if dtype == "f" else None


def reduce_case(random, function, types, out=""):
    sizes = some_sizes(random)
    x = some_numbers(random, types[random.integers(len(types))], sizes)
    return function, [x], {"axes": tuple(some_axes(random, len(sizes)))}, rounded_to(random, out)


def index_case(random, function):
    function, arrays, fields, out = reduce_case(random, function, TYPES)
    return function, arrays, fields | {"last": bool(random.integers(2))}, out


def moments_case(random):
    function, arrays, fields, _ = reduce_case(random, sums.moments, FLOATS)
    out = rounded_to(random, "f")
    return function, arrays, fields | {"use_mean": bool(random.integers(2))}, out * 2


def rows_case(random, function, out=""):
    sizes = some_sizes(random)
    x = some_numbers(random, (HALF, SINGLE)[random.integers(2)], sizes)
    return function, [x], {"axes": tuple(some_axes(random, len(sizes)))}, rounded_to(random, out)


def normalize_case(random):
    function, (x,), fields, out = rows_case(random, normalization.normalize_by_moments, "f")
    given = [x]
    axes = fields["axes"]
    for _ in range(2):
        whole = random.choice(["groups", "elements", "both", "none"])
        sizes = [
            n
            if whole == "both" or ((whole == "elements") == (k in axes) and whole != "none")
            else 1
            for k, n in enumerate(x.shape)
        ]
        factors = some_numbers(random, FLOATS[random.integers(3)], sizes)
        given.append(None if random.random() < 0.3 else factors)
    fields = fields | {
        "epsilon": 1e-5,
        "use_mean": bool(random.integers(2)),
        "use_variance": bool(random.integers(2)),
    }
    return function, given, fields, out


def response_case(random):
    sizes = some_sizes(random, 4)
    x = some_numbers(random, (HALF, SINGLE)[random.integers(2)], sizes)
    axes = [(1,), (1,), (2, 3), (1, 2, 3), (3,)][random.integers(5)]
    fields = {
        "axes": axes,
        "size": int(random.integers(1, 8)),
        "alpha": 0.7,
        "beta": 0.75,
        "bias": 1.5,
    }
    return normalization.local_response, [x], fields, None


def some_indices(random, sizes, size):
    dtype = np.dtype(INTEGERS[random.integers(len(INTEGERS))])
    limits = np.iinfo(dtype)
    low, high = max(limits.min, -size - 3), min(limits.max, size + 3)
    indices = random.integers(low, high, sizes, dtype, endpoint=True)
    extremes = random.random(sizes)
    indices = np.where(extremes < 0.02, limits.max, indices)
    return np.where(extremes > 0.98, limits.min, indices).astype(dtype)


def gather_case(random):
    sizes = some_sizes(random)
    axis = int(random.integers(len(sizes)))
    x = some_numbers(random, TYPES[random.integers(len(TYPES))], sizes)
    indices = some_indices(random, some_sizes(random, random.integers(1, 3))[:2], sizes[axis])
    indices = indices[tuple(slice(7) for _ in indices.shape)]
    return gathering.gather, [x, indices], {"axis": axis}, None


def elements_case(random, function):
    sizes = some_sizes(random)
    axis = int(random.integers(len(sizes)))
    x = some_numbers(random, TYPES[random.integers(len(TYPES))], sizes)
    own = [int(random.integers(1, n + 1)) for n in sizes]
    own[axis] = int(random.integers(1, 40))
    given = [x, some_indices(random, own, sizes[axis])]
    if function is gathering.scatter_elements:
        given.append(some_numbers(random, x.dtype, own))
    return function, given, {"axis": axis}, None


def tuples_case(random, function):
    scatters = function is gathering.scatter_tuples
    sizes = some_sizes(random)
    batch = 0 if scatters else int(random.integers(len(sizes)))
    width = int(random.integers(1, len(sizes) - batch + 1))
    x = some_numbers(random, TYPES[random.integers(len(TYPES))], sizes)
    own = (*sizes[:batch], *some_sizes(random, 2)[: random.integers(1, 3)])
    indices = some_indices(random, (*own, width), max(sizes[batch : batch + width]))
    if not scatters:
        return function, [x, indices], {"batch": batch}, None
    updates = some_numbers(random, x.dtype, (*own, *sizes[width:]))
    return function, [x, indices, updates], {}, None


def resample_case(random):
    sizes = some_sizes(random, int(random.integers(1, 4)))
    x = some_numbers(random, FLOATS[random.integers(3)], sizes)
    last = len(sizes) - 1
    axes = {last, max(last - 1, 0)} if random.random() < 0.5 else {int(random.integers(len(sizes)))}
    taps = {}
    for axis in axes:
        scale = float(np.float32(random.choice([0.02, 0.4, 1.3, 3.0])))
        given = sizes[axis], max(int(sizes[axis] * scale), 1), scale
        taps[axis] = resampling.antialiased_taps(*given)
        if random.random() < 0.3:
            taps[axis] = resampling.transposed(resampling.antialiased_taps(*given[1::-1], scale),
                                               given[1])  # fmt: skip
    return resampling.resample, [x], {"taps": taps}, rounded_to(random, "f")


def region_case(random, function):
    batches, channels, height, width = x_sizes = some_sizes(random, 4)
    count, rows, columns = (int(n) for n in random.integers(1, 5, 3))
    x = some_numbers(random, FLOATS[random.integers(3)], x_sizes)
    limits = np.array([width, height] * 2)
    roi = (random.random((count, 4)) * 1.6 - 0.3) * limits
    roi = np.where(random.random((count, 4)) < 0.05, np.nan, roi)
    roi = roi.astype(FLOATS[random.integers(2)])
    numbers_of = random.integers(0, batches + 1, count).astype(
        np.dtype(random.choice([np.uint32, np.int64, np.uint8]))
    )
    fewest = int(random.integers(1, 4))
    sampling = regions.Sampling(
        *(float(np.float32(v)) for v in random.choice([0.5, 1.0, 1.7], 2)),
        *(float(v) for v in random.choice([-0.5, 0.0, 0.5], 2)),
        fewest, fewest + int(random.integers(3)), bool(random.integers(2)),
        ("linear", "nearest")[random.integers(2)], ("average", "largest")[random.integers(2)],
    )  # fmt: skip
    cells = (count, channels, rows, columns)
    gradient = some_numbers(random, FLOATS[random.integers(3)], cells)
    out = rounded_to(random, "f")
    if function is regions.roi_align:
        outside = float(random.choice([0.0, -3.5, np.nan]))
        fields = {"sampling": sampling, "outside": outside, "output_sizes": cells}
        return function, [x, roi, numbers_of], fields, out
    given = [x, gradient, roi, numbers_of]
    if function is regions.roi_align_gradient:
        if sampling.choice == "average":
            given[0] = None
        return function, given, {"sampling": sampling, "input_sizes": x_sizes}, out
    return function, given, {"sampling": sampling}, out


def take_case(random):
    sizes = some_sizes(random)
    x = some_numbers(random, TYPES[random.integers(len(TYPES))], sizes)
    axes = some_axes(random, len(sizes))
    indices = {k: np.sort(random.integers(0, sizes[k], random.integers(1, 12))) for k in axes}
    return resampling.take_nearest, [x], {"indices": indices}, None


def pool_case(random, function):
    rank = int(random.integers(1, 4))
    outer = tuple(int(n) for n in random.integers(1, 4, random.integers(0, 3)))
    spatial = tuple(int(n) for n in random.integers(1, {1: 60, 2: 14, 3: 6}[rank], rank))
    x = some_numbers(random, TYPES[random.integers(len(TYPES))], (*outer, *spatial))
    window = [random.integers(1, 5, rank), *(random.integers(1, 4, rank) for _ in range(2)),
              *(random.integers(0, 4, rank) for _ in range(2))]  # fmt: skip
    window = windows.Window(*(map(int, each) for each in window))
    if 0 in window.output_sizes(x.shape):
        return pool_case(random, function)
    if function is not windows.max_pool and function is not windows.max_pool_with_indices:
        x = some_numbers(random, FLOATS[random.integers(3)], x.shape)
    return function, [x], {"window": window}, None


def window_case(random):
    """Return what is spread from windows, or read by them, of sizes that fit."""
    _, (x,), fields, _ = pool_case(random, windows.window_sums)
    window = fields["window"]
    rank = len(window.sizes)
    output_sizes = window.output_sizes(x.shape)
    own = (*x.shape[: x.ndim - rank], *output_sizes)
    out = rounded_to(random, "f")
    kind = FLOATS[random.integers(3)]
    return x, window, output_sizes, some_numbers(random, kind, own), out


def spread_case(random, function):
    x, window, _, gradient, out = window_case(random)
    if function is windows.max_pool_gradient:
        return function, [x, gradient], {"window": window}, out
    fields = {"input_sizes": x.shape, "include_padding": bool(random.integers(2))}
    return function, [gradient], {"window": window} | fields, out


def fold_case(random, function):
    x, window, output_sizes, _, out = window_case(random)
    spatial = x.shape[x.ndim - len(window.sizes) :]
    dtype = TYPES[random.integers(len(TYPES))]
    if function is windows.unfold:
        return function, [some_numbers(random, dtype, (2, 3, *spatial))], {"window": window}, None
    sizes = (2, 3 * window.position_count, int(np.prod(output_sizes)))
    columns = some_numbers(random, dtype, sizes)
    fields = {"window": window, "spatial_sizes": spatial}
    return function, [columns], fields, out if columns.dtype.kind == "f" else None


def norms_case(random):
    _, (x,), fields, _ = pool_case(random, windows.average_pool)
    order = int(random.integers(1, 5))
    out = rounded_to(random, "f") if order <= 2 else None
    return windows.lp_pool, [x], fields | {"order": order}, out


def norm_case(random):
    function, (x,), fields, out = rows_case(random, normalization.normalize_by_norm, "f")
    epsilon = float(random.choice([0, 1e-12, 1]))
    return function, [x], fields | {"order": int(random.integers(1, 3)), "epsilon": epsilon}, out


def scan_case(random):
    sizes = some_sizes(random)
    x = some_numbers(random, TYPES[1:][random.integers(len(TYPES) - 1)], sizes)
    fields = {
        "kind": ("sum", "product")[random.integers(2)],
        "axis": int(random.integers(len(sizes))),
        "exclusive": bool(random.integers(2)),
        "reverse": bool(random.integers(2)),
    }
    return scans.scan, [x], fields, None


def top_k_case(random):
    sizes = some_sizes(random)
    axis = int(random.integers(len(sizes)))
    x = some_numbers(random, TYPES[random.integers(len(TYPES))], sizes)
    count = int(random.integers(1, sizes[axis] + 1))
    fields = {"axis": axis, "count": count, "smallest": bool(random.integers(2))}
    return scans.top_k, [x], fields, None


#: By word: what makes function, arrays, fields, and the dtypes of the results if these are rounded.
CASES = {
    "sum16": lambda r: reduce_case(r, sums.sum16, FLOATS, "f"),
    "sum16_of_squares": lambda r: reduce_case(r, sums.sum16_of_squares, FLOATS, "f"),
    "sum16_of_magnitudes": lambda r: reduce_case(r, sums.sum16_of_magnitudes, FLOATS, "f"),
    "mean": lambda r: reduce_case(r, reductions.mean, FLOATS, "f"),
    "l2": lambda r: reduce_case(r, reductions.l2, FLOATS, "f"),
    "product64": lambda r: reduce_case(r, sums.product64, FLOATS, "f"),
    "moments": moments_case,
    "largest": lambda r: reduce_case(r, sums.largest, TYPES),
    "smallest": lambda r: reduce_case(r, sums.smallest, TYPES),
    "index_of_largest": lambda r: index_case(r, sums.index_of_largest),
    "index_of_smallest": lambda r: index_case(r, sums.index_of_smallest),
    "wrapped_sum": lambda r: reduce_case(r, sums.wrapped_sum, INTEGERS),
    "wrapped_product": lambda r: reduce_case(r, sums.wrapped_product, INTEGERS),
    "softmax": lambda r: rows_case(r, softmax.softmax, "f"),
    "log_softmax": lambda r: rows_case(r, softmax.log_softmax),
    "hardmax": lambda r: rows_case(r, softmax.hardmax),
    "normalize_by_moments": normalize_case,
    "local_response": response_case,
    "max_pool": lambda r: pool_case(r, windows.max_pool),
    "max_pool_with_indices": lambda r: pool_case(r, windows.max_pool_with_indices),
    "average_pool": lambda r: pool_case(r, windows.average_pool),
    "window_sums": lambda r: pool_case(r, windows.window_sums),
    "average_pool_gradient": lambda r: spread_case(r, windows.average_pool_gradient),
    "max_pool_gradient": lambda r: spread_case(r, windows.max_pool_gradient),
    "unfold": lambda r: fold_case(r, windows.unfold),
    "fold": lambda r: fold_case(r, windows.fold),
    "lp_pool": norms_case,
    "normalize_by_norm": norm_case,
    "gather": gather_case,
    "gather_elements": lambda r: elements_case(r, gathering.gather_elements),
    "scatter_elements": lambda r: elements_case(r, gathering.scatter_elements),
    "gather_tuples": lambda r: tuples_case(r, gathering.gather_tuples),
    "scatter_tuples": lambda r: tuples_case(r, gathering.scatter_tuples),
    "take_nearest": take_case,
    "resample": resample_case,
    "roi_align": lambda r: region_case(r, regions.roi_align),
    "roi_align_gradient": lambda r: region_case(r, regions.roi_align_gradient),
    "roi_align_gradient_of_regions": lambda r: region_case(
        r, regions.roi_align_gradient_of_regions
    ),
    "scan": scan_case,
    "top_k": top_k_case,
}
COUNT = 40


@pytest.mark.parametrize("name", CASES)
def test_native_steps_have_the_bits_of_the_numpy_forms(name):
    for seed in range(COUNT):
        random = np.random.default_rng([seed, 7])
        function, arrays, fields, out = CASES[name](random)
        targets = available_targets()
        with dml.configure(target=targets[seed % len(targets)], max_threads=seed % 3 + 1):
            assert_native_as_numpy(function.word, arrays, fields, seed, out)


@pytest.mark.parametrize("strides", [[0, 0, 1], [640, 0, 1], [256, 256, 1], [16, 16, 1]])
def test_rows_that_repeat_or_leave_some_out_are_copied_whole(strides):
    graph = dml.Graph(dml.Device())
    x = graph.input([2048], name="x")
    data = np.random.default_rng(3).standard_normal(2048, np.float32)
    sizes = [1, 5, 128]
    view = dml.reinterpret(x, sizes, strides)
    elements = np.lib.stride_tricks.as_strided(data, sizes, [4 * s for s in strides])

    (found,) = graph.compile([dml.activation_softmax(view)])({"x": data})

    whole = dml.Graph(dml.Device())
    y = whole.input(sizes, name="y")
    (expected,) = whole.compile([dml.activation_softmax(y)])({"y": elements.copy()})
    assert_bits_equal(actual=found, expected=expected)
