"""Native steps of words: the bits of their NumPy forms, however arrays lie, on every target."""

import numpy as np
import pytest

import indirectml as dml
from indirectml import _native
from indirectml.arithmetic import (
    contraction,
    functions,
    gathering,
    movement,
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
    given = {name: array for name, array in given.items() if name not in fields}
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


def extreme_case(random, function):
    """Return a fold whose result is FLOAT32 of FLOAT16 now and then."""
    function, (x,), fields, _ = reduce_case(random, function, TYPES)
    return function, [x], fields, widened_now_and_then(random, x)


def widened_now_and_then(random, x, *others):
    is_wide = x.dtype == HALF and random.random() < 0.5
    return [SINGLE, *others] if is_wide else [x.dtype, *others]


def moments_case(random):
    function, arrays, fields, _ = reduce_case(random, sums.moments, FLOATS)
    out = rounded_to(random, "f")
    return function, arrays, fields | {"use_mean": bool(random.integers(2))}, out * 2


def rows_case(random, function, out=""):
    sizes = some_sizes(random)
    x = some_numbers(random, (HALF, SINGLE)[random.integers(2)], sizes)
    return function, [x], {"axes": tuple(some_axes(random, len(sizes)))}, rounded_to(random, out)


def softmax_case(random, function, out=""):
    """Return groups beside each other, of more than a vector, or rows."""
    _, arrays, fields, dtypes = rows_case(random, function, out)
    if random.integers(3) == 0:
        sizes = tuple(int(random.integers(1, most)) for most in (4, 90, 90))
        arrays, fields = [some_numbers(random, arrays[0].dtype, sizes)], {"axes": (1,)}
    return function, arrays, fields, dtypes


def normalize_case(random):
    function, (x,), fields, out = rows_case(random, normalization.normalize_by_moments, "f")
    given = [x]
    axes = fields["axes"]
    for _ in range(2):
        whole = random.choice(["groups", "elements", "both", "none", "some"])
        sizes = [
            n
            if whole == "both"
            or ((whole == "elements") == (k in axes) and whole not in {"none", "some"})
            or (whole == "some" and random.integers(2))
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
    sizes = some_sizes(random, int(random.integers(1, 5)))
    x = some_numbers(random, TYPES[random.integers(len(TYPES))], sizes)
    axes = some_axes(random, len(sizes)) if random.random() < 0.9 else []
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
    fields = {"window": window}
    if function is windows.max_pool:
        return function, [x], fields, widened_now_and_then(random, x)
    if function is windows.max_pool_with_indices:
        return function, [x], fields, widened_now_and_then(random, x, np.dtype(np.int64))
    x = some_numbers(random, FLOATS[random.integers(3)], x.shape)
    return function, [x], fields, None


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


def region_pool_case(random):
    x = some_numbers(random, FLOATS[random.integers(3)], some_sizes(random, 4))
    batches, _, height, width = x.shape
    count, rows, columns = (int(n) for n in random.integers(1, 6, 3))
    corners = random.normal(0, 1, (count, 4)) * ([width, height] * 2)
    special = random.choice([np.nan, np.inf, 0.5, -0.5, 2.0**15], corners.shape)
    corners = np.where(random.random(corners.shape) < 0.1, special, corners)
    images = random.integers(-1, batches + 1, (count, 1)) + random.choice([0, 0.25], (count, 1))
    rows_of = np.concatenate([images, corners], 1).astype(FLOATS[random.integers(3)])
    scale = float(np.float32(random.choice([1.0, 0.5, 1 / 3])))
    fields = {"scale": scale, "pooled_sizes": (rows, columns)}
    return regions.roi_pool, [x, rows_of.reshape(1, 1, count, 5)], fields, rounded_to(random, "f")


def power_case(random):
    sizes = some_sizes(random)
    own = [n if random.integers(4) else 1 for n in sizes]
    exponents = [n if random.integers(4) else 1 for n in sizes][int(random.integers(len(sizes))) :]
    x, y = (
        some_numbers(random, INTEGERS[random.integers(len(INTEGERS))], each)
        for each in (own, exponents)
    )
    if random.integers(4):  # of any bits, most powers are 0
        y = (y.astype(np.int64) % 12 - 4).astype(y.dtype)
        x = (x.astype(np.int64) % 5 - 2).astype(x.dtype)
    return functions.integer_power, [x, y], {}, None


def wide_product_case(random):
    rows, depth, columns = (int(n) for n in random.integers(1, [40, 60, 600]))
    batch = tuple(int(n) for n in random.integers(1, 4, random.integers(3)))
    kinds = [np.int16, np.uint16, np.int32, np.uint32]
    given = []
    for sizes in ((rows, depth), (depth, columns)):
        own = tuple(n if random.integers(4) else 1 for n in batch)[int(random.integers(2)) :]
        given.append(some_numbers(random, kinds[random.integers(4)], (*own, *sizes)))
    fields = {}
    for name, array, count in zip(("a_zero_point", "b_zero_point"), given, (rows, columns),
                                  strict=False):  # fmt: skip
        kind = random.integers(4)
        if kind == 0:
            fields[name] = int(random.integers(-(1 << 31), 1 << 31))
        points = (count if kind == 1 else 1,)
        given.append(None if kind == 0 else some_numbers(random, array.dtype, points))
    return contraction.contract_wide_integer, given, fields, None


def halves_case(random, function):
    sizes = some_sizes(random)
    strides = [int(np.prod(sizes[k + 1 :])) for k in range(len(sizes))]
    if random.integers(2):
        strides = [2 * stride + (3 if k == 0 else 0) for k, stride in enumerate(strides)]
    last = sum((n - 1) * s for n, s in zip(sizes, strides, strict=True))
    raw = some_numbers(random, np.uint8, (last // 2 + 1 + int(random.integers(4)),))
    if function is movement.from_halves:
        fields = {"sizes": sizes, "strides": strides, "is_signed": bool(random.integers(2))}
        return function, [raw], fields, None
    x = some_numbers(random, INTEGERS[random.integers(len(INTEGERS))], sizes)
    return function, [raw, x], {"strides": tuple(strides)}, None


def known_case(random):
    values = some_numbers(random, TYPES[random.integers(len(TYPES))], some_sizes(random))
    return movement.known, [], {"values": values}, None


def scan_case(random):
    sizes = some_sizes(random)
    x = some_numbers(random, TYPES[random.integers(len(TYPES))], sizes)
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
    "largest": lambda r: extreme_case(r, sums.largest),
    "smallest": lambda r: extreme_case(r, sums.smallest),
    "index_of_largest": lambda r: index_case(r, sums.index_of_largest),
    "index_of_smallest": lambda r: index_case(r, sums.index_of_smallest),
    "wrapped_sum": lambda r: reduce_case(r, sums.wrapped_sum, INTEGERS),
    "wrapped_product": lambda r: reduce_case(r, sums.wrapped_product, INTEGERS),
    "softmax": lambda r: softmax_case(r, softmax.softmax, "f"),
    "log_softmax": lambda r: softmax_case(r, softmax.log_softmax),
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
    "roi_pool": region_pool_case,
    "integer_power": power_case,
    "contract_wide_integer": wide_product_case,
    "from_halves": lambda r: halves_case(r, movement.from_halves),
    "into_halves": lambda r: halves_case(r, movement.into_halves),
    "known": known_case,
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


def test_regions_too_far_away_are_left_to_the_numpy_form():
    """Coordinates beyond 2^30 would need more than 64 bits: the step does nothing."""
    x = np.arange(24, dtype=np.float32).reshape(1, 1, 4, 6)
    rows = np.array([[0, -(2.0**31), 0, 2.0**31, 3], [0, 1, 1, 4, 2]], np.float32)
    memory = Memory(1)
    inputs = [memory.view(a.shape, a.dtype, "packed", a) for a in (x, rows)]
    out = memory.view((2, 1, 2, 2), np.float32, "packed")
    fields = (("scale", 1.0), ("pooled_sizes", (2, 2)))
    step = WordStep(regions.roi_pool.word, "TEST", fields, tuple(inputs), (out,))
    before = memory.buffers[-1].copy()

    assert _native.StepList([step.native]).run(memory.buffers, Settings.policy, 0) == 0
    assert memory.buffers[-1].tobytes() == before.tobytes()

    found = dml.roi_pooling(x, rows[None, None], spatial_scale=1, pooled_size=(2, 2))
    assert found[0, 0].tolist() == [[6.0, 11.0], [18.0, 23.0]]


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
