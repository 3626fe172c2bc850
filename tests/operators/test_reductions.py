"""The numbers of the largest and smallest elements against plain loops, and ONNX Runtime."""

import functools
import itertools

import numpy as np
import pytest

from indirectml import AxisDirection, DirectMLError, TensorDataType
from tests.arithmetic import loops
from tests.operators.elsewhere import computed, onnx_runtime
from tests.operators.families import Trial, places, run_oracle

#: All that numbers of elements may be.
INDEX_TYPES = ("UINT32", "INT32", "UINT64", "INT64")


def axes_of(rank):
    """Return some sets of axes, out of order too."""
    return [(rank - 1,), (0,), tuple(reversed(range(rank))), tuple(range(0, rank, 2))]


def numbers_of(before, place):
    """Yield trials: every set of axes, both directions, all data types of numbers."""
    index_types = itertools.cycle(INDEX_TYPES)
    directions = (AxisDirection.INCREASING, AxisDirection.DECREASING)
    for axes, direction in itertools.product(axes_of(place.rank), directions):
        index_type = TensorDataType[next(index_types)]
        out = [1 if k in axes else n for k, n in enumerate(place.sizes)]
        desc = place.desc(
            input_tensor=place.tensor(), output_tensor=place.output(out, index_type),
            axes=axes, axis_direction=direction,
        )  # fmt: skip
        best = functools.partial(
            loops.best, before=before, last=direction == AxisDirection.DECREASING
        )
        function = functools.partial(loops.reduced, best, axes=axes, dtype=index_type.dtype)
        yield Trial(desc, function)
        # Few numbers, so that many elements are equal.
        yield Trial(desc, function, [np.array([0, 1, 2])])


ORACLES = {
    "ARGMAX": functools.partial(numbers_of, loops.is_larger),
    "ARGMIN": functools.partial(numbers_of, loops.is_smaller),
}


@places(ORACLES)
def test_equals_its_oracle(place):
    run_oracle(ORACLES, place)


@pytest.mark.parametrize("name", ["ArgMax", "ArgMin"])
@pytest.mark.parametrize("last", [False, True])
@pytest.mark.parametrize("axis", [0, 1, 2])
def test_numbers_are_those_of_onnx_runtime(name, last, axis):
    x = np.random.default_rng(3).integers(0, 4, (3, 4, 5)).astype(np.float32)

    (wanted,) = onnx_runtime(name, [x], axis=axis, select_last_index=int(last))
    (actual,) = computed(
        name.upper(), [x], [(np.int64, wanted.shape)], axes=[axis],
        axis_direction=AxisDirection(int(last)),
    )  # fmt: skip

    np.testing.assert_array_equal(actual, wanted)


@pytest.mark.parametrize("axes", [(), (0, 0), (3,)])
def test_axes_are_there_once(axes):
    with pytest.raises(DirectMLError, match=r"ARGMAX\.axes"):
        computed("ARGMAX", [np.zeros((2, 3), np.float32)], [(np.uint32, (2, 1))], axes=axes,
                 axis_direction=AxisDirection.INCREASING)  # fmt: skip
