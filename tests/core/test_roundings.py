"""How results become elements of outputs: rounded once, whatever float type they come in."""

from __future__ import annotations

import numpy as np
import pytest

import indirectml as dml
from indirectml import numpy_forms
from indirectml.runtime import device as device_module
from tests.bits import assert_bits_equal

#: Every finite positive FLOAT16 as FLOAT64, and the point from which on all is infinite.
STEPS = np.append(np.arange(0x7C00, dtype=np.uint16).view(np.float16).astype(np.float64), 65536.0)
NUMBERS = np.arange(0x7C00, dtype=np.uint16)
MIDDLES = (STEPS[:-1] + STEPS[1:]) / 2
CASES = {
    "the numbers": (STEPS[:-1], NUMBERS),
    "a spacing of FLOAT64 below the middles": (np.nextafter(MIDDLES, 0), NUMBERS),
    "the middles, to even": (MIDDLES, NUMBERS + (NUMBERS & 1)),
    "a spacing of FLOAT64 above the middles": (np.nextafter(MIDDLES, np.inf), NUMBERS + 1),
}


@pytest.mark.parametrize(("results", "bits"), CASES.values(), ids=CASES.keys())
@pytest.mark.parametrize("sign", [1, -1])
def test_results_in_float64_are_rounded_once_to_float16(monkeypatch, results, bits, sign):
    monkeypatch.setattr(numpy_forms, "compute_function", lambda _: lambda *_, **__: sign * results)
    monkeypatch.setattr(device_module, "lowered", lambda plan: plan)
    tensor = dml.TensorDesc(np.float16, [results.size])
    device = dml.Device()
    operator = device.create_operator(dml.ActivationSoftmaxOperatorDesc(tensor, tensor))

    (actual,) = device.compile_operator(operator)([np.zeros(results.size, np.float16)])

    expected = bits | np.uint16(0x8000 if sign < 0 else 0)
    assert_bits_equal(actual=actual, expected=expected.view(np.float16))
