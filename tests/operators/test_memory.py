"""Each operator, on the largest tensors of its examples, takes the memory that its plan says."""

import json
import os
import subprocess
import sys

import pytest

from indirectml.descriptors.definitions import implemented_operators
from tests import operator_memory

#: What is taken, tensors included, over what is known before.
MOST = 1.1

#: Operators that take more, and up to how much: they work on a row, a matrix or a region at a time,
#: in memory of their own, and here one is all that there is. It only becomes shorter.
ABOVE = {
    "ACTIVATION_LOG_SOFTMAX": 2.0,
    "ACTIVATION_LOG_SOFTMAX1": 2.0,
    "ACTIVATION_SOFTMAX": 1.6,
    "ACTIVATION_SOFTMAX1": 1.6,
    "MATRIX_MULTIPLY_INTEGER": 2.2,
    "MAX_POOLING_GRAD": 1.8,
    "RESAMPLE": 3.3,
    "RESAMPLE1": 2.3,
    "RESAMPLE2": 3.3,
    "RESAMPLE3": 3.3,
    "RESAMPLE_GRAD": 3.3,
    "RESAMPLE_GRAD1": 3.3,
    "ROI_ALIGN": 1.6,
    "ROI_ALIGN1": 1.6,
    "ROI_ALIGN_GRAD": 12.0,
    "TOP_K": 5.2,
    "TOP_K1": 5.2,
}

#: Operators whose examples grow along no single axis; other tests have their memory.
SMALL = {
    "ADAM_OPTIMIZER", "CONVOLUTION", "CONVOLUTION_INTEGER", "JOIN",
    "MATRIX_MULTIPLY_INTEGER_TO_FLOAT", "PADDING", "PADDING1", "QUANTIZED_LINEAR_CONVOLUTION",
    "QUANTIZED_LINEAR_MATRIX_MULTIPLY", "RNN", "ROI_POOLING", "SPLIT",
}  # fmt: skip

NAMES = implemented_operators()
PARTS = [NAMES[k::8] for k in range(8)]


@pytest.mark.skipif(not operator_memory.can_be_measured(), reason="counts as Linux does")
@pytest.mark.parametrize("names", PARTS, ids=lambda names: names[0])
def test_operators_take_what_their_plans_say(names):
    done = subprocess.run(
        [sys.executable, "-m", "tests.operator_memory", *names],
        capture_output=True, text=True, check=False, env=os.environ | operator_memory.ENVIRONMENT,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)

    assert {name for name in names if found[name] is None} == SMALL & set(names)
    shares = {
        name: (tensors + taken) / (tensors + said)
        for name, row in found.items()
        if row is not None
        for tensors, taken, said in [row]
    }
    assert {name: s for name, s in shares.items() if s > ABOVE.get(name, MOST)} == {}
