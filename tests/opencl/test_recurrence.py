"""Recurrence on OpenCL devices: the bits of the CPU, over options, lengths and directions."""

import pytest

import indirectml as dml
from indirectml.arithmetic.recurrence import recurrence
from indirectml.plans import WordStep
from tests.arithmetic.test_recurrence import trial
from tests.bits import assert_bits_equal
from tests.opencl.implementations import needs_pocl, pocl

pytestmark = needs_pocl


@pytest.mark.parametrize("seed", [1, 3, 5])
def test_recurrent_networks_have_the_bits_of_the_cpu(seed):
    desc, inputs = trial(seed)
    cpu, device = dml.Device(), dml.Device(pocl())
    compiled = device.compile_operator(device.create_operator(desc))

    expected = cpu.compile_operator(cpu.create_operator(desc))(inputs)
    actual = compiled(inputs)

    of_recurrence = [
        step
        for step in compiled.plan.steps
        if isinstance(step, WordStep) and step.word is recurrence.word
    ]
    assert of_recurrence
    assert all(map(device.implementation.has_form, of_recurrence))
    for found, wanted in zip(actual, expected, strict=True):
        if wanted is not None:
            assert_bits_equal(actual=found, expected=wanted, where=f"{seed}: {desc}")
