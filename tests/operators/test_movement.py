"""Tiles, joins, splits and slices, element by element."""

import numpy as np

from tests.operators.families import Trial, places, run_oracle

ORACLES = {}


def tiled(place):
    """Yield repeats along the first, the last and all axes."""
    rank = place.rank
    last = [1] * (rank - 1) + [3]
    for repeats in ([2] * min(rank, 4) + [1] * (rank - min(rank, 4)), last, last[::-1]):

        def apply(x, repeats=repeats):
            sizes = [n * times for n, times in zip(x.shape, repeats, strict=True)]
            result = np.empty(sizes, x.dtype)
            for at in np.ndindex(*sizes):
                result[at] = x[tuple(i % n for i, n in zip(at, x.shape, strict=True))]
            return result

        sizes = [n * times for n, times in zip(place.sizes, repeats, strict=True)]
        desc = place.desc(
            input_tensor=place.tensor(), output_tensor=place.output(sizes), repeats=repeats
        )
        yield Trial(desc, apply)


def parts_of(place):
    """Yield axes, and sizes of parts and of the whole."""
    for axis in {0, place.rank // 2, place.rank - 1}:
        counts = [2, 1, 3]
        parts = [[c if k == axis else n for k, n in enumerate(place.sizes)] for c in counts]
        yield axis, parts, [sum(counts) if k == axis else n for k, n in enumerate(place.sizes)]


def element_of_part(at, axis, parts):
    """Return in which part an element of the whole is, and where there."""
    number, at = 0, list(at)
    while at[axis] >= parts[number][axis]:
        at[axis] -= parts[number][axis]
        number += 1
    return number, tuple(at)


def joined(place):
    for axis, parts, whole in parts_of(place):

        def apply(*inputs, axis=axis, parts=parts, whole=whole):
            result = np.empty(whole, place.dtype)
            for at in np.ndindex(*whole):
                number, source = element_of_part(at, axis, parts)
                result[at] = inputs[number][source]
            return result

        desc = place.desc(
            input_tensors=[place.tensor(sizes) for sizes in parts],
            output_tensor=place.output(whole),
            axis=axis,
        )
        yield Trial(desc, apply)


def split(place):
    for axis, parts, whole in parts_of(place):

        def apply(x, axis=axis, parts=parts):
            results = [np.empty(sizes, x.dtype) for sizes in parts]
            for at in np.ndindex(*x.shape):
                number, to = element_of_part(at, axis, parts)
                results[number][to] = x[at]
            return results

        desc = place.desc(
            input_tensor=place.tensor(whole),
            output_tensors=[place.output(sizes) for sizes in parts],
            axis=axis,
        )
        yield Trial(desc, apply)


def taken(starts, strides, sizes):
    """Return a function that takes every so many elements."""

    def apply(x):
        result = np.empty(sizes, x.dtype)
        for at in np.ndindex(*sizes):
            source = [a + i * s for a, i, s in zip(starts, at, strides, strict=True)]
            result[at] = x[tuple(source)]
        return result

    return apply


def sliced(place):
    ones, zeros = [1] * (place.rank - 1), [0] * (place.rank - 1)
    for offset, count, stride in ((0, 8, 1), (2, 3, 2), (7, 1, 5)):
        sizes = [*place.sizes[:-1], count]
        desc = place.desc(
            input_tensor=place.tensor([*place.sizes[:-1], 8]),
            output_tensor=place.output(sizes),
            offsets=[*zeros, offset],
            sizes=sizes,
            strides=[*ones, stride],
        )
        yield Trial(desc, taken([*zeros, offset], [*ones, stride], sizes))


def sliced_window(place):
    """Yield windows of 8 elements: with a negative stride the last one of a window is first."""
    ones, zeros = [1] * (place.rank - 1), [0] * (place.rank - 1)
    windows = [(0, 8, -1, 8), (1, 6, -2, 3), (1, 6, 4, 2), (2, 5, -3, 1), (7, 1, -9, 1)]
    for offset, size, stride, count in windows:
        start = offset if stride > 0 else offset + size - 1
        desc = place.desc(
            input_tensor=place.tensor([*place.sizes[:-1], 8]),
            output_tensor=place.output([*place.sizes[:-1], count]),
            input_window_offsets=[*zeros, offset],
            input_window_sizes=[*place.sizes[:-1], size],
            input_window_strides=[*ones, stride],
        )
        sizes = [*place.sizes[:-1], count]
        yield Trial(desc, taken([*zeros, start], [*ones, stride], sizes))


ORACLES["TILE"] = tiled
ORACLES["JOIN"] = joined
ORACLES["SPLIT"] = split
ORACLES["SLICE"] = sliced
ORACLES["SLICE1"] = sliced_window


@places(ORACLES)
def test_equals_its_oracle(place):
    run_oracle(ORACLES, place)
