"""The readable definitions of both fills, against the one reference of the tests.

What runs is the native code, which other tests compare with the same reference.
"""

import itertools

import numpy as np
import pytest

from indirectml.operators import fills
from tests import reference
from tests.bits import assert_bits_equal
from tests.parameters import SEED, by_dtype


@by_dtype(reference.DTYPES)
@pytest.mark.parametrize("rule", ["accumulate", "multiply"])
def test_the_definition_of_a_sequence_is_the_reference(dtype, rule):
    pairs = itertools.chain(reference.border_pairs(dtype), reference.random_pairs(dtype, SEED, 60))
    for start, delta in pairs:
        actual = fills.sequence(
            output_sizes=[2, 3], value_start=start, value_delta=delta, rule=rule
        )

        expected = reference.elements(start, delta, 6, rule).reshape(2, 3)
        assert_bits_equal(actual=actual, expected=expected, where=reference.shown(start, delta))


@by_dtype(reference.DTYPES)
def test_the_definition_of_a_constant_keeps_every_bit(dtype):
    for value in reference.borders(dtype):
        actual = fills.constant(output_sizes=[2], value=value)

        assert_bits_equal(actual=actual, expected=np.array([value, value], dtype))
