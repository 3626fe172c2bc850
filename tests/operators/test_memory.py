"""Each operator, on the largest tensors of its examples, takes the memory that its plan says."""

import json
import os
import subprocess
import sys

import pytest

from indirectml.descriptors.definitions import implemented_operators
from tests import operator_memory
from tests.extent import every

#: What is taken, tensors included, over what is known before.
MOST = 1.1

NAMES = implemented_operators()[:: every(3)]
PARTS = [NAMES[k::4] for k in range(4)]


@pytest.mark.skipif(not operator_memory.can_be_measured(), reason="counts as Linux does")
@pytest.mark.parametrize("names", PARTS, ids=lambda names: names[0])
def test_operators_take_what_their_plans_say(names):
    done = subprocess.run(
        [sys.executable, "-m", "tests.operator_memory", *names],
        capture_output=True, text=True, check=False, env=os.environ | operator_memory.ENVIRONMENT,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)

    small = {name for name, (tensors, *_) in found.items() if tensors < operator_memory.LEAST}
    assert small == set()
    shares = {
        name: (tensors + taken) / (tensors + said) for name, (tensors, taken, said) in found.items()
    }
    assert {name: s for name, s in shares.items() if s > MOST} == {}
