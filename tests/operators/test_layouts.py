"""Padding, blocks, reversed sequences and windows as columns, element by element."""

import itertools
import math

import numpy as np
import pytest

import indirectml as dml
from tests.arithmetic.loops import quiet, sum16
from tests.operators.families import Trial, places, run_oracle
from tests.operators.oracle import assert_bits_equal, refused, supported, through_graph

ORACLES = {}
MODE = dml.PaddingMode


def source_of(i, size, mode):
    """Return which element of an axis stands at i, which may lie before or behind it; or None."""
    if 0 <= i < size:
        return i
    if mode == MODE.CONSTANT:
        return None
    if mode == MODE.EDGE:
        return 0 if i < 0 else size - 1
    step = 1 if i < 0 else -1
    while not 0 <= i < size:
        if mode == MODE.WRAP:
            i += step * size
        elif i < 0:  # a mirror at the first element, or in front of it
            i = -i if mode == MODE.REFLECTION else -i - 1
        else:
            i = 2 * size - 2 - i if mode == MODE.REFLECTION else 2 * size - 1 - i
    return i


def padded(x, mode, start, end, value):
    sizes = [a + n + b for a, n, b in zip(start, x.shape, end, strict=True)]
    result = np.full(sizes, value, x.dtype)
    for at in np.ndindex(*sizes):
        source = [source_of(i - a, n, mode) for i, a, n in zip(at, start, x.shape, strict=True)]
        if None not in source:
            result[at] = x[tuple(source)]
    return result


def paddings(place, mode):
    """Yield sizes, and paddings of up to more than two lengths at either end of two axes."""
    sizes = [3 if k in (0, place.rank - 1) else 1 for k in range(place.rank)]
    for first, last in (((1, 0), (2, 1)), ((0, 2), (7, 8)), ((4, 1), (0, 0))):
        pairs = [(0, 0)] * place.rank
        pairs[0] = first
        pairs[-1] = last
        yield sizes, [a for a, _ in pairs], [b for _, b in pairs]
    if mode != MODE.REFLECTION and place.rank > 2:  # an axis of one element
        yield sizes, [0, 2, *[0] * (place.rank - 2)], [0, 1, *[0] * (place.rank - 2)]


def padding(place):
    """Yield all modes, and values that have to be rounded, truncated or limited."""
    for mode in MODE:
        for number, (sizes, start, end) in enumerate(paddings(place, mode)):
            value = [2.75, -1.5, 1e30, math.inf, math.nan][(place.seed + number) % 5]
            typed = as_padding(value, place.dtype)

            def apply(x, mode=mode, start=start, end=end, value=typed):
                return padded(x, mode, start, end, value)

            output = [a + n + b for a, n, b in zip(start, sizes, end, strict=True)]
            desc = place.desc(
                input_tensor=place.tensor(sizes),
                output_tensor=place.output(output),
                padding_mode=mode,
                padding_value=value,
                start_padding=start,
                end_padding=end,
            )
            yield Trial(desc, apply)


def as_padding(value, dtype):
    if dtype.kind == "f":
        with np.errstate(all="ignore"):
            return np.float32(value).astype(dtype)
    limits = np.iinfo(dtype)
    if math.isnan(value):
        return 0
    number = float(np.float32(value))
    if math.isinf(number):
        return limits.max if number > 0 else limits.min
    return min(max(int(number), int(limits.min)), int(limits.max))


def padding_with_scalars(place):
    for mode in MODE:
        for sizes, start, end in paddings(place, mode):
            value = np.array([0x81, 3, 0x55, 1, 0xFF, 7, 0x80, 0x7F], np.uint8)
            value = value.view(place.dtype)[-1]

            def apply(x, mode=mode, start=start, end=end, value=value):
                return padded(x, mode, start, end, value)

            output = [a + n + b for a, n, b in zip(start, sizes, end, strict=True)]
            desc = place.desc(
                input_tensor=place.tensor(sizes),
                output_tensor=place.output(output),
                padding_mode=mode,
                padding_value_data_type=place.data_type,
                padding_value=value,
                start_padding=start,
                end_padding=end,
            )
            yield Trial(desc, apply)


ORACLES["PADDING"] = padding
ORACLES["PADDING1"] = padding_with_scalars


@pytest.mark.parametrize("value", [1e306, -1e306, 2.0**60 + 1, 0.1])
def test_padding_of_numbers_that_are_no_float32(value):
    x = np.array([1, 2], np.float64)

    (actual,) = through_graph(
        lambda e: dml.padding(e, padding_value=value, start_padding=[1], end_padding=[0]), x
    )

    assert_bits_equal(actual=actual, expected=np.array([value, 1, 2]))


def blocks(place):
    """Yield sizes of what is wide, block sizes, and fields of the order."""
    order = dml.DepthSpaceOrder
    orders = [{"order": o} for o in order] if place.name.endswith("1") else [{}]
    shapes = [((2, 3, 4, 6), 2), ((1, 2, 6, 3), 3), ((2, 2, 1, 3), 1)]
    for (sizes, size), fields in itertools.product(shapes, orders):
        yield sizes, size, fields, fields.get("order") == order.COLUMN_ROW_DEPTH


def pairs_of_places(sizes, size, *, by_channel):
    """Yield where an element lies when it is wide, and where when it is deep."""
    for n, c, y, x in itertools.product(*map(range, sizes)):
        in_block = y % size * size + x % size
        channel = c * size**2 + in_block if by_channel else in_block * sizes[1] + c
        yield (n, c, y, x), (n, channel, y // size, x // size)


def deep_sizes(sizes, size):
    n, c, h, w = sizes
    return (n, c * size**2, h // size, w // size)


def space_to_depth(place):
    for sizes, size, fields, by_channel in blocks(place):

        def apply(x, sizes=sizes, size=size, by_channel=by_channel):
            result = np.empty(deep_sizes(sizes, size), x.dtype)
            for wide, deep in pairs_of_places(sizes, size, by_channel=by_channel):
                result[deep] = x[wide]
            return result

        desc = place.desc(
            input_tensor=place.tensor(sizes),
            output_tensor=place.output(deep_sizes(sizes, size)),
            block_size=size,
            **fields,
        )
        yield Trial(desc, apply)


def depth_to_space(place):
    for sizes, size, fields, by_channel in blocks(place):

        def apply(x, sizes=sizes, size=size, by_channel=by_channel):
            result = np.empty(sizes, x.dtype)
            for wide, deep in pairs_of_places(sizes, size, by_channel=by_channel):
                result[wide] = x[deep]
            return result

        desc = place.desc(
            input_tensor=place.tensor(deep_sizes(sizes, size)),
            output_tensor=place.output(sizes),
            block_size=size,
            **fields,
        )
        yield Trial(desc, apply)


ORACLES["SPACE_TO_DEPTH"] = ORACLES["SPACE_TO_DEPTH1"] = space_to_depth
ORACLES["DEPTH_TO_SPACE"] = ORACLES["DEPTH_TO_SPACE1"] = depth_to_space


def reversed_sequences(place):
    """Yield all axes that differ; lengths from 0 to beyond what there is."""
    data_types = list(supported(place.name, "SequenceLengthsTensor")[0])
    for axis in {0, place.rank // 2, place.rank - 1}:
        lengths = [1 if k == axis else size for k, size in enumerate(place.sizes)]
        data_type = data_types[(place.seed + axis) % len(data_types)]
        size = place.sizes[axis]

        def apply(x, lengths, axis=axis):
            result = x.copy()
            for at in np.ndindex(*lengths.shape):
                count = min(int(lengths[at]), x.shape[axis])
                for k in range(count):
                    to, source = list(at), list(at)
                    to[axis], source[axis] = k, count - 1 - k
                    result[tuple(to)] = x[tuple(source)]
            return result

        desc = place.desc(
            input_tensor=place.tensor(),
            sequence_lengths_tensor=place.tensor(lengths, data_type),
            output_tensor=place.output(),
            axis=axis,
        )
        numbers = [*range(size + 1), size + 1, np.iinfo(data_type.dtype).max]
        yield Trial(desc, apply, [None, np.array(numbers, data_type.dtype)])


ORACLES["REVERSE_SUBSEQUENCES"] = reversed_sequences

#: Spatial sizes, window sizes, strides, dilations, padding in front and behind.
WINDOWS = [
    ([6], [2], [1], [1], [0], [0]),
    ([7], [3], [2], [2], [2], [1]),
    ([4, 5], [2, 3], [1, 2], [2, 1], [1, 0], [0, 2]),
    ([3, 2, 4], [2, 1, 2], [2, 1, 3], [1, 1, 2], [0, 1, 1], [1, 0, 2]),
]


def windows_of(place):
    """Yield those for which there is room: fields, all sizes, those of columns, and places."""
    for spatial, window, strides, dilations, start, end in WINDOWS:
        if len(spatial) + 2 > place.rank:
            continue
        counts = [
            (n + a + b - (w - 1) * d - 1) // s + 1
            for n, w, s, d, a, b in zip(spatial, window, strides, dilations, start, end,
                                        strict=True)
        ]  # fmt: skip
        fields = {
            "window_sizes": window,
            "strides": strides,
            "dilations": dilations,
            "start_padding": start,
            "end_padding": end,
        }
        ones = [1] * (place.rank - 2 - len(spatial))
        columns = [*[1] * (place.rank - 3), 2, 3 * math.prod(window), math.prod(counts)]
        yield fields, [*ones, 2, 3, *spatial], columns, elements_of(spatial, counts, fields)


def elements_of(spatial, counts, fields):
    """Return, for each window and position in it, where it lies, or None on padding."""
    found = {}
    for block, at in enumerate(itertools.product(*map(range, counts))):
        steps = itertools.product(*map(range, fields["window_sizes"]))
        for number, step in enumerate(steps):
            where = tuple(
                a * s + k * d - p
                for a, k, s, d, p in zip(
                    at,
                    step,
                    fields["strides"],
                    fields["dilations"],
                    fields["start_padding"],
                    strict=True,
                )
            )
            inside = all(0 <= i < n for i, n in zip(where, spatial, strict=True))
            found[block, number] = where if inside else None
    return found


def unfolded(place):
    for fields, sizes, columns, elements in windows_of(place):
        count = math.prod(fields["window_sizes"])

        def apply(x, columns=columns, elements=elements, count=count, fields=fields):
            x = x.reshape(x.shape[-2 - len(fields["strides"]) :])
            result = np.zeros(columns[-3:], x.dtype)
            for n, c in itertools.product(range(2), range(3)):
                for (block, number), where in elements.items():
                    if where is not None:
                        result[n, c * count + number, block] = x[n, c][where]
            return result.reshape(columns)

        desc = place.desc(
            input_tensor=place.tensor(sizes), output_tensor=place.output(columns), **fields
        )
        yield Trial(desc, apply)


def folded(place):
    """Yield sums by rule S16, numbered by the position in the window; integers wrap."""
    for fields, sizes, columns, elements in windows_of(place):
        count = math.prod(fields["window_sizes"])

        def apply(x, sizes=sizes, elements=elements, count=count, fields=fields):
            x = x.reshape(x.shape[-3:])
            spatial = sizes[-len(fields["strides"]) :]
            result = np.zeros((2, 3, *spatial), object)
            for n, c in itertools.product(range(2), range(3)):
                coming = {at: [None] * count for at in np.ndindex(*spatial)}
                for (block, number), where in elements.items():
                    if where is not None:
                        coming[where][number] = x[n, c * count + number, block].item()
                for at, numbers in coming.items():
                    result[n, c][at] = summed(numbers, place.dtype)
            return quiet(result.astype(place.dtype)).reshape(sizes)

        desc = place.desc(
            input_tensor=place.tensor(columns), output_tensor=place.output(sizes), **fields
        )
        yield Trial(desc, apply)


def summed(numbers, dtype):
    if dtype.kind == "f":
        return sum16(numbers)
    total = sum(n for n in numbers if n is not None) % (1 << 8 * dtype.itemsize)
    return np.array(total, f"u{dtype.itemsize}").view(dtype).item()


ORACLES["UNFOLD"] = unfolded
ORACLES["FOLD"] = folded


@places(ORACLES)
def test_equals_its_oracle(place):
    run_oracle(ORACLES, place)


def test_unfold_refuses_leading_dimensions_that_have_elements():
    x, columns = dml.TensorDesc(np.int8, [2, 1, 3, 4]), dml.TensorDesc(np.int8, [1, 1, 6, 3])
    refused(
        dml.DescriptorError,
        "UNFOLD.input_tensor.sizes: needs the size 1 in 1 dimensions in front of the last 3, "
        "got [2, 1, 3, 4]",
        lambda: dml.UnfoldOperatorDesc(x, columns, [2], [1], [1], [0], [0]),
    )
