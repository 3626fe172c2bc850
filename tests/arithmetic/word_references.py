"""The words of golden vectors by loops: functions of arrays and of what stands in the files.

Nothing of the package is used.
"""

import functools
import itertools
import math
from fractions import Fraction
from typing import NamedTuple

import numpy as np

from tests.arithmetic import digits, loops, products

HALF = Fraction(1, 2)
ROUNDINGS = {
    "down": math.floor,
    "up": math.ceil,
    "half down": lambda x: math.ceil(x - HALF),
    "half up": lambda x: math.floor(x + HALF),
}


class Window(NamedTuple):
    """What a window is, and how many of them there are."""

    sizes: tuple
    strides: tuple
    dilations: tuple
    start_padding: tuple
    end_padding: tuple

    def output_sizes(self, sizes):
        axes = zip(sizes, *self, strict=True)
        return tuple((n + a + b - (w - 1) * d - 1) // s + 1 for n, w, s, d, a, b in axes)


def window_of(fields):
    """Take what describes a window out of arguments."""
    names = ("window_sizes", "strides", "dilations", "start_padding", "end_padding")
    return Window(*(tuple(fields.pop(name)) for name in names))


# ---- Contraction ---------------------------------------------------------------------------------


def options_of(rank, given):
    """Return all options of a convolution: those that are given, and what stands for others."""
    return {
        "mode": "cross_correlation",
        "direction": "forward",
        "strides": [1] * rank,
        "dilations": [1] * rank,
        "start_padding": [0] * rank,
        "end_padding": [0] * rank,
        "output_padding": [0] * rank,
        "group_count": 1,
        **given,
    }


def convolved_sizes(x, w, options):
    """Return the sizes of a convolution's output."""
    spatial = []
    for k, (n, taps) in enumerate(zip(x[2:], w[2:], strict=True)):
        reach = (taps - 1) * options["dilations"][k]
        padding = options["start_padding"][k] + options["end_padding"][k]
        stride = options["strides"][k]
        if options["direction"] == "backward":
            spatial.append((n - 1) * stride + reach + 1 - padding + options["output_padding"][k])
        else:
            spatial.append((n + padding - reach - 1) // stride + 1)
    is_backward = options["direction"] == "backward"
    return (x[0], w[1] * options["group_count"] if is_backward else w[0], *spatial)


def contract_integer(a, b, *, a_zero_point, b_zero_point):
    return products.contract_integer(a, b, a_zero_point, b_zero_point)


def convolve(x, w, bias, **given):
    options = options_of(x.ndim - 2, given)
    return products.convolve(x, w, bias, convolved_sizes(x.shape, w.shape, options), options)


def convolve_integer(x, w, *, x_zero_point, w_zero_point, **given):
    options = options_of(x.ndim - 2, given)
    sizes = convolved_sizes(x.shape, w.shape, options)
    # Padding has the zero point of x: it adds nothing.
    wide = x.astype(np.int64) - x_zero_point
    return products.convolve_integer(wide, w, 0, w_zero_point, sizes, options)


# ---- Sums ----------------------------------------------------------------------------------------


def of_groups(loop, dtype=np.float64):
    def word(x, axes):
        return loops.reduced(loop, x, axes, dtype or x.dtype)

    return word


def moments(x, axes):
    pairs = (loops.reduced(lambda v, k=k: loops.mean_and_variance(v)[k], x, axes) for k in (0, 1))
    return tuple(pairs)


def wrapped(function):
    def word(x, axes):
        bits = 8 * x.dtype.itemsize
        total = loops.reduced(
            lambda v: function(v) % (1 << bits), x, axes, np.dtype(f"u{bits // 8}")
        )
        return total.view(x.dtype)

    return word


def along(loop, dtype):
    def word(x, axes):
        return loops.spread(loop, x, axes, dtype)

    return word


def normalize_by_moments(x, axes, epsilon, *, use_mean):
    def loop(values):
        mean, variance = loops.mean_and_variance(values, use_mean=use_mean)
        inverse = loops.divided(1.0, loops.root(variance + epsilon))
        return [(value - mean) * inverse for value in values]

    return loops.spread(loop, x, axes)


def normalize_by_norm(x, axes, order, epsilon):
    def loop(values):
        length = max(loops.norm(values, order), epsilon)
        return [loops.divided(value, length) for value in values]

    return loops.spread(loop, x, axes)


# ---- Windows -------------------------------------------------------------------------------------


def average_pool(x, *, include_padding, **fields):
    loop = functools.partial(loops.average, include_padding=include_padding)
    return loops.pooled(loop, x, window_of(fields))


def lp_pool(x, *, order, **fields):
    dtype = np.float64 if order < 3 else np.float32
    return loops.pooled(functools.partial(loops.norm, order=order), x, window_of(fields), dtype)


def max_pool(x, **fields):
    def value(found):
        at = loops.largest_place(found)
        return -math.inf if at is None else found[at]

    return loops.pooled(value, x, window_of(fields), x.dtype)


def average_pool_gradient(gradient, *, include_padding, input_sizes, **fields):
    def shares(g, _channel, around):
        count = len(around) if include_padding else sum(p is not None for p in around)
        return [loops.divided(g, count)] * len(around)

    return loops.gradients(tuple(input_sizes), window_of(fields), gradient, shares)


def max_pool_gradient(x, gradient, **fields):
    def shares(g, channel, around):
        found = [None if p is None else x[channel + p].item() for p in around]
        best = loops.largest_place(found)
        return [g if k == best else None for k in range(len(around))]

    return loops.gradients(x.shape, window_of(fields), gradient, shares)


def unfold(x, **fields):
    window = window_of(fields)
    around = [places for _, places in loops.windows(x.shape[2:], window)]
    positions = math.prod(window.sizes)
    result = np.zeros((*x.shape[:2], positions, len(around)), x.dtype)
    for n, c in np.ndindex(*x.shape[:2]):
        for number, k in itertools.product(range(len(around)), range(positions)):
            if around[number][k] is not None:
                result[n, c, k, number] = x[(n, c, *around[number][k])]
    return result.reshape(x.shape[0], -1, len(around))


def fold(columns, *, spatial_sizes, **fields):
    window, spatial = window_of(fields), tuple(spatial_sizes)
    positions = math.prod(window.sizes)
    parts = columns.reshape(columns.shape[0], -1, positions, columns.shape[-1])
    result = np.empty((*parts.shape[:2], *spatial))
    for channel in np.ndindex(*parts.shape[:2]):
        coming = {p: [None] * positions for p in np.ndindex(*spatial)}
        for number, (_, around) in enumerate(loops.windows(spatial, window)):
            for k, place in enumerate(around):
                if place is not None:
                    coming[place][k] = parts[(*channel, k, number)].item()
        for place, found in coming.items():
            result[channel + place] = loops.sum16(found)
    return loops.quiet(result)


# ---- Resampling, scans ---------------------------------------------------------------------------


def linear(x, axis, output_size, scale, input_offset, output_offset):
    wide = x.astype(np.float64)
    return loops.quiet(loops.linear(wide, axis, output_size, scale, input_offset, output_offset))


def antialiased(x, axis, output_size, scale, input_offset, output_offset):
    wide, offsets = x.astype(np.float64), (input_offset, output_offset)
    return loops.quiet(loops.antialiased(wide, axis, output_size, scale, *offsets))


def nearest(x, axis, output_size, scale, input_offset, output_offset, *, rounding):
    last = x.shape[axis] - 1
    chosen = []
    for i in range(output_size):
        at = loops.coordinate(i, scale, input_offset, output_offset)
        chosen.append(min(max(ROUNDINGS[rounding](Fraction(min(max(at, 0), last))), 0), last))
    return np.stack([x.take(i, axis) for i in chosen], axis)


def scan(x, *, kind, axis, exclusive, reverse):
    if x.dtype.kind == "f":
        round_to = loops.single
    else:
        low, bits = int(np.iinfo(x.dtype).min), 8 * x.dtype.itemsize

        def round_to(value):
            return (value - low) % (1 << bits) + low

    def loop(values):
        return loops.scan(kind, values, round_to, exclusive=exclusive, reverse=reverse)

    return loops.spread(loop, x, [axis], x.dtype)


def top_k(x, *, axis, count, smallest):
    def indices(values):
        return loops.ordered(values, smallest_first=smallest)

    places = loops.spread(indices, x, [axis], np.int64)
    values = loops.quiet(np.take_along_axis(x, places, axis))
    first = [slice(None)] * axis + [slice(count)]
    return values[tuple(first)], places[tuple(first)]


def nonzero_coordinates(x):
    found = [at for at in np.ndindex(*x.shape) if x[at].item() != 0]
    return np.array(found, np.int64).reshape(-1, x.ndim)


# ---- Quantization --------------------------------------------------------------------------------


def each(function, *arrays, dtype=np.int64):
    arrays = np.broadcast_arrays(*arrays)
    rows = zip(*(a.reshape(-1).tolist() for a in arrays), strict=True)
    return np.array([function(*row) for row in rows], dtype).reshape(arrays[0].shape)


def quantize(x, scale, zero_point, limits):
    def loop(value, divisor):
        return loops.quantized(loops.single(loops.divided(value, divisor)), zero_point, limits)

    return each(loop, x, scale)


def dequantize(x, scale, zero_point):
    def loop(value, factor):
        return loops.single(loops.single(value - zero_point) * factor)

    return loops.quiet(each(loop, x, scale, dtype=np.float32))


def requantize(x, a, b, y, zero_point, limits):
    def loop(value, a, b, y):
        factor = loops.single(loops.divided(loops.single(a * b), y))
        return loops.quantized(loops.single(loops.single(value) * factor), zero_point, limits)

    return each(loop, x, a, b, y)


def dynamic_quantization(x, limits):
    values = x.reshape(-1).tolist()
    high, low = loops.largest(values), loops.smallest(values)
    high, low = 0.0 if high < 0 else high, 0.0 if low > 0 else low
    scale = loops.single(loops.divided(loops.single(high - low), limits[1] - limits[0]))
    scale = 1.0 if scale == 0 else scale
    zero_point = loops.single(limits[0] - loops.single(loops.divided(low, scale)))
    zero_point = float(limits[0]) if math.isnan(zero_point) else zero_point
    at = loops.quantized(zero_point, 0, limits)
    return loops.quiet(np.array(scale, np.float32)), np.array(at, np.int64)


def of_function(name):
    def word(*arguments, data_type):
        return digits.rounded(name, data_type.lower(), *arguments)

    return word


REFERENCES = {
    **{name: of_function(name) for name in digits.FUNCTIONS},
    "contract": products.contract,
    "contract_integer": contract_integer,
    "convolve": convolve,
    "convolve_integer": convolve_integer,
    "sum16": of_groups(loops.sum16),
    "sum16_of_squares": of_groups(lambda v: loops.sum16([x * x for x in v])),
    "sum16_of_magnitudes": of_groups(lambda v: loops.sum16([abs(x) for x in v])),
    "product64": of_groups(loops.product),
    "mean": of_groups(lambda v: loops.divided(loops.sum16(v), len(v))),
    "l2": of_groups(lambda v: loops.root(loops.sum16([x * x for x in v]))),
    "moments": moments,
    "log_sum": of_groups(lambda v: loops.mpfr("log", loops.single(loops.sum16(v))), np.float32),
    "log_sum_exp": of_groups(loops.log_sum_exp, np.float32),
    "largest": of_groups(loops.largest, None),
    "smallest": of_groups(loops.smallest, None),
    "index_of_largest": of_groups(lambda v: loops.best(v, loops.is_larger), np.int64),
    "index_of_smallest": of_groups(lambda v: loops.best(v, loops.is_smaller), np.int64),
    "wrapped_sum": wrapped(sum),
    "wrapped_product": wrapped(math.prod),
    "softmax": along(loops.softmax, np.float64),
    "log_softmax": along(loops.log_softmax, np.float32),
    "hardmax": along(loops.hardmax, np.float32),
    "normalize_by_moments": normalize_by_moments,
    "normalize_by_norm": normalize_by_norm,
    "average_pool": average_pool,
    "average_pool_gradient": average_pool_gradient,
    "lp_pool": lp_pool,
    "max_pool": max_pool,
    "max_pool_gradient": max_pool_gradient,
    "unfold": unfold,
    "fold": fold,
    "linear": linear,
    "antialiased": antialiased,
    "nearest": nearest,
    "scan": scan,
    "top_k": top_k,
    "nonzero_coordinates": nonzero_coordinates,
    "quantize": quantize,
    "dequantize": dequantize,
    "requantize": requantize,
    "dynamic_quantization": dynamic_quantization,
}
