"""Parts of a sequence written by others: other processes, and Dask's parts of any cut."""

import concurrent.futures
import multiprocessing

import numpy as np
import pytest

from indirectml import Sequence
from tests import reference
from tests.bits import assert_bits_equal
from tests.parameters import SEED, by_dtype

RULES = ("accumulate", "multiply")


def test_other_processes_make_the_same_bits():
    count = 10_000
    cuts = [slice(0, 1), slice(1, 6_000), slice(6_000, count)]
    context = multiprocessing.get_context("spawn")
    with concurrent.futures.ProcessPoolExecutor(2, mp_context=context) as pool:
        for rule in RULES:
            sequence = Sequence(0, 0.1, rule=rule)

            parts = list(pool.map(sequence.__getitem__, cuts))

            expected = reference.elements(sequence.start, sequence.delta, count, rule)
            assert_bits_equal(actual=np.concatenate(parts), expected=expected)


def elements(sequence, block_info):
    [(first, stop)] = block_info[None]["array-location"]
    return sequence[first:stop]


@by_dtype(reference.DTYPES)
def test_any_cut_by_dask_gives_the_same_bits(dtype):
    array = pytest.importorskip("dask.array", reason="dask cuts arrays; it is in the test extra")
    source = reference.seeded(SEED)
    count = 500
    for start, delta in reference.random_pairs(dtype, SEED, 4):
        borders = sorted(source.sample(range(1, count), source.randrange(9)))
        chunks = tuple(np.diff([0, *borders, count]).tolist())
        for rule in RULES:
            sequence = Sequence(start, delta, dtype, rule=rule)

            whole = array.map_blocks(
                elements, sequence, chunks=(chunks,), dtype=dtype, meta=np.empty(0, dtype)
            )

            actual = whole.compute(scheduler="synchronous")
            expected = reference.elements(start, delta, count, rule)
            assert_bits_equal(actual=actual, expected=expected, where=f"{sequence}, {chunks}")
