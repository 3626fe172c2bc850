"""That tests notice breakages of passes."""

import pytest

from tests.passes.breakages import BREAKAGES, is_noticed


@pytest.mark.parametrize("name", BREAKAGES)
def test_a_breakage_is_noticed(name):
    assert is_noticed(name)
