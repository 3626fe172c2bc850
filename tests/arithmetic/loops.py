"""The words of sums, windows and the like as plain loops over Python's floats, which are FLOAT64.

Nothing of the package is used. What a word rounds to FLOAT32 goes through `single`; functions come
from MPFR.
"""

import itertools
import math

import gmpy2
import numpy as np

NAN = float("nan")


def single(value):
    """Return a number rounded to FLOAT32."""
    with np.errstate(all="ignore"):
        return float(np.float32(value))


def divided(a, b):
    """Return a / b where Python would raise."""
    with np.errstate(all="ignore"):
        return float(np.float64(a) / np.float64(b))


def root(value):
    """Return the square root, NaN below 0."""
    with np.errstate(all="ignore"):
        return float(np.sqrt(np.float64(value)))


def mpfr(name, *arguments):
    """Return a function of MPFR, rounded to FLOAT32 once."""
    with gmpy2.context(gmpy2.ieee(32)):
        return float(getattr(gmpy2, name)(*arguments))


# ---- Sums ----------------------------------------------------------------------------------------

BLOCK = 4096


def sum16(numbers):
    """Return the sum of numbers by rule S16; an element that is None is counted and not added.

    Of more than 4,096 it is the sum of the totals of blocks.
    """
    if len(numbers) > BLOCK:
        blocks = range(0, len(numbers), BLOCK)
        return sum16([sum16(numbers[first : first + BLOCK]) for first in blocks])
    sums = [0.0] * 16
    for i, number in enumerate(numbers):
        if number is not None:
            sums[i % 16] += number
    for half in (8, 4, 2, 1):
        sums = [sums[i] + sums[i + half] for i in range(half)]
    return sums[0]


def groups(x, axes):
    """Yield where the result of a reduction stands, and its elements in row-major order."""
    kept = [range(1) if k in axes else range(n) for k, n in enumerate(x.shape)]
    along = [range(n) if k in axes else range(1) for k, n in enumerate(x.shape)]
    for at in itertools.product(*kept):
        yield (
            at,
            [
                x[tuple(a + b for a, b in zip(at, step, strict=True))].item()
                for step in itertools.product(*along)
            ],
        )


def reduced(function, x, axes, dtype=np.float64):
    """Return a function of lists of numbers along axes, which become 1."""
    result = np.empty([1 if k in axes else n for k, n in enumerate(x.shape)], dtype)
    for at, numbers in groups(x, axes):
        result[at] = function(numbers)
    return quiet(result)


def spread(function, x, axes, dtype=np.float64):
    """Return a function from lists to lists of the same length along axes."""
    result = np.empty(x.shape, dtype)
    along = [range(n) if k in axes else range(1) for k, n in enumerate(x.shape)]
    for at, numbers in groups(x, axes):
        steps = itertools.product(*along)
        for step, value in zip(steps, function(numbers), strict=True):
            result[tuple(a + b for a, b in zip(at, step, strict=True))] = value
    return quiet(result)


def quiet(x):
    """Return the array with the NaN that arithmetic gives."""
    return np.where(np.isnan(x), x.dtype.type(np.nan), x) if x.dtype.kind == "f" else x


def product(numbers):
    """Return one chain of products."""
    result = 1.0
    for number in numbers:
        result *= number
    return result


def mean_and_variance(numbers, *, use_mean=True):
    """Return both in FLOAT64."""
    mean = divided(sum16(numbers), len(numbers)) if use_mean else 0.0
    squares = [(number - mean) * (number - mean) for number in numbers]
    return mean, divided(sum16(squares), len(numbers))


def is_larger(a, b):
    """Whether a comes before b as the largest: a NaN wins, and +0 is larger than -0."""
    if a != a or b != b:  # noqa: PLR0124 (true of NaN alone)
        return a != a and b == b  # noqa: PLR0124
    if a == b == 0:
        return math.copysign(1, a) > math.copysign(1, b)
    return a > b


def is_smaller(a, b):
    """Whether a comes before b as the smallest: a NaN wins, and -0 is smaller than +0."""
    if a != a or b != b:  # noqa: PLR0124
        return a != a and b == b  # noqa: PLR0124
    return is_larger(b, a)


def best(numbers, before, *, last=False):
    """Return the index of the number before all others, the first or the last of equals."""
    found = 0
    for i in range(1, len(numbers)):
        if before(numbers[i], numbers[found]) or (last and not before(numbers[found], numbers[i])):
            found = i
    return found


def largest(numbers):
    """Return the largest number."""
    return numbers[best(numbers, is_larger)]


def smallest(numbers):
    """Return the smallest number."""
    return numbers[best(numbers, is_smaller)]


def log_sum_exp(numbers):
    """Return the logarithm of a sum of powers of e, each step in FLOAT32."""
    m = largest(numbers)
    m = 0.0 if math.isinf(m) else m
    s = single(sum16([mpfr("exp", single(x - m)) for x in numbers]))
    return single(mpfr("log", s) + m)


def softmax(numbers):
    """Return powers of e over their sum."""
    m = largest(numbers)
    e = [mpfr("exp", single(x - m)) for x in numbers]
    inverse = divided(1.0, sum16(e))
    return [x * inverse for x in e]


def log_softmax(numbers):
    """Return logarithms of softmax, each step in FLOAT32."""
    m = largest(numbers)
    t = [single(x - m) for x in numbers]
    s = mpfr("log", single(sum16([mpfr("exp", x) for x in t])))
    return [single(x - s) for x in t]


def hardmax(numbers):
    """Return 1 for the first largest number, and 0."""
    found = best(numbers, is_larger)
    return [1.0 if i == found else 0.0 for i in range(len(numbers))]


# ---- Windows -------------------------------------------------------------------------------------


def windows(sizes, window):
    """Yield for each window over spatial sizes its place, and where its positions lie.

    Positions are in row-major order; None stands for one on padding.
    """
    for at in itertools.product(*map(range, window.output_sizes(sizes))):
        places = []
        for step in itertools.product(*map(range, window.sizes)):
            place = tuple(
                a * stride + k * dilation - start
                for a, k, stride, dilation, start in zip(
                    at, step, window.strides, window.dilations, window.start_padding, strict=True
                )
            )
            inside = all(0 <= p < n for p, n in zip(place, sizes, strict=True))
            places.append(place if inside else None)
        yield at, places


def pooled(function, x, window, dtype=np.float64):
    """Return a function of the elements of windows, None for those on padding."""
    spatial = x.shape[x.ndim - len(window.sizes) :]
    outer = x.shape[: x.ndim - len(spatial)]
    result = np.empty(outer + window.output_sizes(spatial), dtype)
    for channel in itertools.product(*map(range, outer)):
        for at, places in windows(spatial, window):
            numbers = [None if p is None else x[channel + p].item() for p in places]
            result[channel + at] = function(numbers)
    return quiet(result)


def average(numbers, *, include_padding):
    """Return the average of a window."""
    count = len(numbers) if include_padding else sum(x is not None for x in numbers)
    return divided(sum16(numbers), count)


def norm(numbers, order):
    """Return the norm of a window."""
    magnitudes = [None if x is None else abs(x) for x in numbers]
    powers = magnitudes
    for _ in range(order - 1):
        powers = [None if x is None else x * m for x, m in zip(powers, magnitudes, strict=True)]
    total = sum16(powers)
    if order == 1:
        return total
    if order == 2:
        return root(total)
    with np.errstate(all="ignore"):
        exponent = np.float32(1) / np.float32(order)
    with gmpy2.context(gmpy2.ieee(32)):
        return float(gmpy2.mpfr(single(total)) ** gmpy2.mpfr(float(exponent)))


def largest_place(numbers):
    """Return the position of the largest element in a window, or None."""
    inside = [k for k, x in enumerate(numbers) if x is not None]
    if not inside:
        return None
    return inside[best([numbers[k] for k in inside], is_larger)]


def gradients(x_sizes, window, gradient, shares):
    """Return what comes back to each element, by rule S16 over the positions in windows.

    `shares(channel, at, places)` gives what goes to each position of a window, or None.
    """
    spatial = x_sizes[len(x_sizes) - len(window.sizes) :]
    outer = x_sizes[: len(x_sizes) - len(spatial)]
    result = np.empty(x_sizes)
    for channel in itertools.product(*map(range, outer)):
        coming = {p: [None] * math.prod(window.sizes) for p in np.ndindex(*spatial)}
        for at, places in windows(spatial, window):
            given = shares(gradient[channel + at].item(), channel, places)
            for k, place in enumerate(places):
                if place is not None:
                    coming[place][k] = given[k]
        for place, numbers in coming.items():
            result[channel + place] = sum16(numbers)
    return quiet(result)


# ---- Resampling ----------------------------------------------------------------------------------


def coordinate(i, scale, input_offset, output_offset):
    """Return where output i lies among the inputs, not clamped."""
    return (i - single(output_offset)) / single(scale) - single(input_offset)


def linear(x, axis, output_size, scale, input_offset, output_offset):
    """Return linear interpolation along an axis of FLOAT64."""
    last = x.shape[axis] - 1
    parts = []
    for i in range(output_size):
        at = min(max(coordinate(i, scale, input_offset, output_offset), 0.0), float(last))
        low = math.floor(at)
        share = at - low
        chosen = [(low, 1 - share), (min(low + 1, last), share)]
        parts.append(chain(x, axis, chosen))
    return np.stack(parts, axis)


def antialiased(x, axis, output_size, scale, input_offset, output_offset):
    """Return linear interpolation with a triangle as wide as the scale asks for, beyond 2."""
    if 1 / single(scale) <= 2:  # as RESAMPLE3's page has it
        return linear(x, axis, output_size, scale, input_offset, output_offset)
    last = x.shape[axis] - 1
    parts = []
    for i in range(output_size):
        at = coordinate(i, scale, input_offset, output_offset)
        reach = math.ceil(1 / single(scale)) + 1
        around = range(math.floor(at) - reach, math.floor(at) + reach + 1)
        weights = [max(1 - abs(j - at) * single(scale), 0.0) for j in around]
        total = 0.0
        for weight in weights:
            total += weight
        chosen = [
            (min(max(j, 0), last), weight / total)
            for j, weight in zip(around, weights, strict=True)
        ]
        parts.append(chain(x, axis, chosen))
    return np.stack(parts, axis)


def chain(x, axis, taps):
    """Return the weighted sum of slices of an array, those of weight 0 left out."""
    total = None
    with np.errstate(all="ignore"):
        for at, weight in taps:
            if weight == 0:
                continue
            product = x.take(at, axis) * weight
            total = product if total is None else total + product
    return np.zeros_like(x.take(0, axis)) if total is None else total


# ---- Scans, orders, quantization -----------------------------------------------------------------


def scan(kind, numbers, round_to, *, exclusive, reverse):
    """Return running sums or products of a list, each rounded by `round_to`."""
    if reverse:
        return scan(kind, numbers[::-1], round_to, exclusive=exclusive, reverse=False)[::-1]
    running = []
    for number in numbers:
        if not running:
            running.append(number)
        elif kind == "sum":
            running.append(round_to(running[-1] + number))
        else:
            running.append(round_to(running[-1] * number))
    return [0 if kind == "sum" else 1, *running[:-1]] if exclusive else running


def ordered(numbers, *, smallest_first):
    """Return the indices of numbers in order; NaN is the largest, and ties keep their order."""
    rest, order = list(range(len(numbers))), []

    def before(a, b):
        if smallest_first:
            return is_larger(b, a)
        return is_larger(a, b)

    while rest:
        first = rest[0]
        for i in rest[1:]:
            if before(numbers[i], numbers[first]):
                first = i
        order.append(first)
        rest.remove(first)
    return order


def quantized(quotient, zero_point, limits):
    """Return an integer: half to even, plus the zero point, clamped."""
    if math.isnan(quotient):
        return zero_point
    if math.isinf(quotient):
        return limits[quotient > 0]
    return min(max(round(quotient) + zero_point, limits[0]), limits[1])
