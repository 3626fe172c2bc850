"""Where elements lie makes no difference to their bits: views of many kinds, packed arrays."""

import random

import numpy as np
import pytest

from indirectml import configure, fill_sequence
from tests.bits import assert_bits_equal
from tests.parameters import SEED

#: From rows and columns to a view of new memory.
VIEWS = {
    "transposed": lambda r, c, dtype: np.zeros((c, r), dtype).T,
    "every second column": lambda r, c, dtype: np.zeros((r, 2 * c), dtype)[:, ::2],
    "backwards": lambda r, c, dtype: np.zeros((r, c), dtype)[::-1, ::-1],
    "padded rows": lambda r, c, dtype: np.zeros((r, c + 3), dtype)[:, :c],
    "padded, transposed, backwards": lambda r, c, dtype: np.zeros((c, r + 2), dtype)[:, :r].T[
        :, ::-1
    ],
    "plane, transposed": lambda r, c, dtype: np.zeros((c, 2, r), dtype)[:, 0, ::-1].T,
}


def check(view, rows, columns, start, delta, rule):
    packed = np.empty((rows, columns), start.dtype)
    with configure(target="portable", max_threads=1):
        fill_sequence(packed, start, delta, rule=rule)
    out = VIEWS[view](rows, columns, start.dtype)

    fill_sequence(out, start, delta, rule=rule)

    where = f"seed {SEED}: {view}, {rows} x {columns}, {start!r} + i * {delta!r}, {rule}"
    assert_bits_equal(actual=np.ascontiguousarray(out), expected=packed, where=where)


@pytest.mark.parametrize("view", VIEWS)
def test_steps_that_are_whole_along_a_row_of_memory_and_not_between_rows(view):
    # 20 steps are 50 spacings of FLOAT16, one step is two and a half.
    check(view, 32, 20, np.float16(0), np.float16(-5 / 1024), "multiply")


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
@pytest.mark.parametrize("view", VIEWS)
def test_random_sequences_have_the_same_bits_in_every_layout(view, dtype):
    source = random.Random(SEED)  # noqa: S311 (repeatable)
    for _ in range(250):
        exponent = source.randrange(-10, 10)
        below = source.randrange(0, np.finfo(dtype).nmant + 20)
        few_bits = source.random() < 0.6
        significand = source.randrange(1, 64) if few_bits else source.uniform(1, 2)
        delta = dtype(source.choice([1, -1]) * significand * 2.0 ** (exponent - below))
        start = dtype(source.choice([0, 1, -1, source.uniform(-2, 2)]) * 2.0**exponent)
        rows, columns = source.randrange(1, 60), source.randrange(1, 200)
        rule = source.choice(["multiply", "multiply", "accumulate"])
        check(view, rows, columns, start, delta, rule)
