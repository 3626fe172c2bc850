"""How results become elements of outputs: rounded once, whatever float type they come in."""

from __future__ import annotations

import numpy as np
import pytest

import indirectml as dml
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
@pytest.mark.parametrize("target", dml.available_targets())
def test_results_in_float64_are_rounded_once_to_float16(target, sign, results, bits):
    dml.configure(target=target)
    graph = dml.Graph(dml.Device())
    x = graph.input([results.size], np.float64, name="x")

    (actual,) = graph.compile([dml.cast(x, dtype=np.float16)])({x: sign * results})

    expected = bits | np.uint16(0x8000 if sign < 0 else 0)
    assert_bits_equal(actual=actual, expected=expected.view(np.float16))
