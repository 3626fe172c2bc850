"""What tests of several files are tried with: a seed, and every data type under its name."""

import pytest

from tests.reference import DTYPES

SEED = 20240419


def by_dtype(dtypes=DTYPES):
    return pytest.mark.parametrize("dtype", dtypes, ids=str)
