"""CAST against Python's numbers."""

import itertools
import math

import numpy as np
import pytest

import indirectml as dml
from tests.extent import chosen
from tests.operators.oracle import (
    LAYOUTS,
    SIZES,
    assert_bits_equal,
    check,
    supported,
    tensor,
    through_graph,
)

DATA_TYPES, RANKS = supported("CAST")


def _converted(dtype):
    """Return the oracle: truncation, saturation and wrapping in Python's integers."""

    def number(value):
        if isinstance(value, int):
            return value % (1 << 8 * dtype.itemsize)
        limits = np.iinfo(dtype)
        if math.isnan(value):
            return 0
        if math.isinf(value):
            return int(limits.max if value > 0 else limits.min) % (1 << 8 * dtype.itemsize)
        whole = max(min(math.trunc(value), int(limits.max)), int(limits.min))
        return whole % (1 << 8 * dtype.itemsize)

    def apply(x):
        if dtype.kind == "f":
            return x.astype(dtype)
        result = np.empty(x.shape, f"u{dtype.itemsize}")
        for at in np.ndindex(x.shape):
            result[at] = number(x[at].item())
        return result.view(dtype)

    return apply


@pytest.mark.parametrize(
    ("start", "to", "layout"),
    [
        pytest.param(start, to, layout, id=f"{start.name}-{to.name}-{layout}")
        for (start, to), layout in chosen(itertools.product(DATA_TYPES, repeat=2), LAYOUTS)
    ],
)
def test_converts_every_pair_of_data_types(start, to, layout):
    desc = dml.CastOperatorDesc(tensor(start, SIZES[:3], layout), tensor(to, SIZES[:3]))

    check(desc, _converted(to.dtype))


@pytest.mark.parametrize("rank", RANKS)
def test_converts_every_dimension_count(rank):
    desc = dml.CastOperatorDesc(
        tensor(np.float32, SIZES[:rank], "padded"), tensor(np.int8, SIZES[:rank])
    )

    check(desc, _converted(np.dtype(np.int8)), numbers=[-1.5, 1.5, 300, -300, np.nan, np.inf])


@pytest.mark.parametrize("to", [t for t in DATA_TYPES if not t.is_float], ids=lambda t: t.name)
def test_floats_beyond_the_range_become_the_nearest_integer(to):
    x = np.array([np.inf, -np.inf, np.nan, 2.0**63, 2.0**64, -(2.0**63)], np.float32)

    (actual,) = through_graph(lambda e: dml.cast(e, dtype=to), x)

    assert_bits_equal(actual=actual, expected=_converted(to.dtype)(x))


def test_converts_numbers_as_written():
    x = np.array([1.5, -1.5, 255.9], np.float64)

    (actual,) = through_graph(lambda e: dml.cast(e, dtype=np.uint8), x)

    assert_bits_equal(actual=actual, expected=np.array([1, 0, 255], np.uint8))
