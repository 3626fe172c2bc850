"""What is exported to ONNX is loaded from there again, and gives the same."""

import re

import numpy as np
import pytest

import indirectml as dml
from tests.onnx_export.cases import cases_of
from tests.onnx_export.running import Distance, computed, distance, exported
from tests.onnx_export.test_operators import EXPORTED, is_within_bound

#: Cases of each operator.
SOME = 3

#: What DirectML does not compute in, and what it has no sizes of.
NOT_READ = re.compile(
    "got (FLOAT64|INT32|INT64)|needs an input that is known while loading|holds finite numbers"
)


@pytest.mark.parametrize("name", EXPORTED)
def test_what_is_written_is_read_again(name):
    for case in cases_of(name, SOME):
        model = exported(case)
        try:
            loaded = dml.load_onnx(model.SerializeToString())
        except dml.DirectMLError as error:
            assert NOT_READ.search(str(error))  # noqa: PT017 (some models are, others are not)
            continue
        arrays = [np.array(a) for a in case.arrays if a is not None]
        names = [given.name for given in model.graph.input]

        found = loaded(dict(zip(names, arrays, strict=True)))

        total = Distance()
        keeps_bits = not case.desc.is_arithmetic
        for actual, wanted in zip(found, computed(case), strict=True):
            total |= distance(np.asarray(actual), wanted, keeps_bits=keeps_bits)
        assert total.is_equal or is_within_bound(name, total), f"{case.label}: {total}"
