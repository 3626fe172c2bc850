"""Tiles, joins, splits and slices, element by element."""

import numpy as np
import pytest

import indirectml as dml
from tests.operators.families import Trial, places, run_oracle
from tests.operators.oracle import refused

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


def test_join_takes_few_dimensions_from_the_level_on_that_extends_it():
    x = dml.TensorDesc(np.float32, [2, 3])
    desc = dml.JoinOperatorDesc([x, x], dml.TensorDesc(np.float32, [4, 3]), axis=0)

    dml.Device(feature_level="3_1").create_operator(desc)

    refused(
        dml.DescriptorError,
        "JOIN.input_tensors[0].sizes: needs 4 to 5 dimensions at feature level 3_0, got 2 [2, 3]",
        lambda: dml.Device(feature_level="3_0").create_operator(desc),
    )


def test_join_refuses_sizes_that_do_not_add_up():
    one, two = dml.TensorDesc(np.int8, [1, 3]), dml.TensorDesc(np.int8, [2, 3])

    refused(
        dml.DescriptorError,
        "JOIN.output_tensor.sizes: needs [3, 3]: the sum of the inputs' sizes along the axis, "
        "got [2, 3]",
        lambda: dml.JoinOperatorDesc([one, two], two, 0),
    )


def test_join_refuses_other_sizes_across_the_axis():
    one, two = dml.TensorDesc(np.int8, [1, 3]), dml.TensorDesc(np.int8, [2, 4])

    refused(
        dml.DescriptorError,
        "JOIN.input_tensors[1].sizes: needs the output's sizes except along axis 0, [2, 3], "
        "got [2, 4]",
        lambda: dml.JoinOperatorDesc([one, two], dml.TensorDesc(np.int8, [3, 3]), 0),
    )


def test_join_refuses_no_inputs():
    refused(
        dml.DescriptorError,
        "JOIN.input_tensors: needs at least one tensor, got 0",
        lambda: dml.JoinOperatorDesc([], dml.TensorDesc(np.int8, [3, 3]), 0),
    )


def test_slice_refuses_elements_outside_of_the_input():
    refused(
        dml.DescriptorError,
        "SLICE.sizes: needs elements below the input's size 5 in dimension 0, got a last one of 5",
        lambda: dml.SliceOperatorDesc(
            dml.TensorDesc(np.int8, [5]), dml.TensorDesc(np.int8, [3]), [1], [3], [2]
        ),
    )


def test_slice_refuses_another_count_of_offsets():
    refused(
        dml.DescriptorError,
        "SLICE.offsets: needs one per dimension (1), got 2",
        lambda: dml.SliceOperatorDesc(
            dml.TensorDesc(np.int8, [5]), dml.TensorDesc(np.int8, [1]), [1, 1], [1, 1], [1, 1]
        ),
    )


def test_slice_refuses_arrays_of_unequal_lengths():
    refused(
        dml.DescriptorError,
        "SLICE.sizes: needs as many as offsets, 2, got 1",
        lambda: dml.SliceOperatorDesc(
            dml.TensorDesc(np.int8, [5]), dml.TensorDesc(np.int8, [1]), [1, 1], [1], [1]
        ),
    )


SLICE1_REFUSED = [
    pytest.param([1], [5], [1], 1, "input_window_sizes[0]: needs a window of at least 1 element "
                 "inside the input's 5, got 5 at offset 1", id="window outside"),
    pytest.param([0], [0], [1], 1, "input_window_sizes[0]: needs a window of at least 1 element "
                 "inside the input's 5, got 0 at offset 0", id="empty window"),
    pytest.param([0], [5], [0], 1, "input_window_strides[0]: needs a stride other than 0, got 0",
                 id="stride 0"),
    pytest.param([0], [5], [-2], 4, "output_tensor.sizes[0]: needs at most the 3 elements of the "
                 "window, got 4", id="output too large"),
]  # fmt: skip


@pytest.mark.parametrize(("offsets", "sizes", "strides", "output", "text"), SLICE1_REFUSED)
def test_slice1_refuses_windows(offsets, sizes, strides, output, text):
    whole, part = dml.TensorDesc(np.int8, [5]), dml.TensorDesc(np.int8, [output])

    refused(
        dml.DescriptorError,
        f"SLICE1.{text}",
        lambda: dml.Slice1OperatorDesc(whole, part, offsets, sizes, strides),
    )


def test_split_refuses_sizes_that_do_not_add_up():
    part = dml.TensorDesc(np.int8, [2])

    refused(
        dml.DescriptorError,
        "SPLIT.output_tensors: needs sizes along axis 0 that add up to the input's, 3, got 4",
        lambda: dml.SplitOperatorDesc(dml.TensorDesc(np.int8, [3]), [part, part], 0),
    )
