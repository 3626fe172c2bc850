"""What all tests share: a seeded Hypothesis, and the setting put back after every test."""

import pytest
from hypothesis import settings

from indirectml.settings import State

settings.register_profile("default", deadline=None, derandomize=True, print_blob=True)
settings.load_profile("default")


@pytest.fixture(autouse=True)
def _setting_is_put_back():
    former = State.policy
    yield
    State.set(former)
