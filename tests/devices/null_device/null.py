"""Two devices that run every step by its NumPy form, in memory that the host cannot look into.

They write down what they are given. This is the smallest device that there can be: what a GPU has
instead are forms of its own for words, programs and fills.
"""

from __future__ import annotations

import functools

import numpy as np

from indirectml import call_arguments, numpy_forms
from indirectml.core.tensor_buffers import elements_of

#: What was asked of them: names of functions, and what they were given.
calls = []


def missing():
    """Return what this machine lacks for them: nothing."""
    return ""


def found():
    """Return what there is."""
    return ("a device in NumPy", "another one")


def examined(number):  # noqa: ARG001 (they compute as the host does)
    """Return nothing: they compute as the host does."""
    return ()


@functools.cache
def opened(number):
    """Return the device of a number."""
    return NullDevice(number)


class Held:
    """Memory of a device: bytes that only it looks into."""

    def __init__(self, device, held):
        self.device = device
        self.held = held


class NullDevice:
    """A device of its own memory."""

    def __init__(self, number):
        self.number = number

    def has_form(self, step):  # noqa: ARG002 (all by the NumPy forms)
        """Return that a step is carried out by its NumPy form."""
        return False

    def refusal(self, step):
        """Return what it does not run, which tests say."""
        return refused(step)

    def keeps_integers(self):
        return False

    def prepared(self, plan, former):  # noqa: ARG002 (it keeps nothing)
        """Return a plan as it is."""
        return plan

    def run(self, plan, outputs, inputs=()):
        """Carry out a plan on arrays, by way of the device's memory."""
        calls.append(("run", plan, list(outputs), list(inputs)))
        memories, _ = call_arguments.opened(plan, outputs, inputs)
        arrays = call_arguments.packed(plan, memories)
        own = [None if a is None else self.upload(_bytes(a)) for a in arrays.memories]
        temporary = self.new_memory(arrays.plan.temporary_size, zeroed=False)
        self.execute(arrays.plan.steps_in_place, [*own, temporary, None])
        for array, memory in list(zip(arrays.memories, own, strict=True))[len(plan.inputs) :]:
            if array is not None:
                _bytes(array)[...] = self.readback(memory)
        arrays.give_back()

    def fill_of(self, plan):
        """Return that there is no shorter way."""

    def call_of(self, steps, call):
        """Return that there is no shorter way."""

    def new_output(self, tensor):
        """Return a new array for a tensor."""
        return elements_of(tensor, np.zeros(tensor.total_tensor_size_in_bytes, np.uint8))

    def new_memory(self, size_bytes, *, zeroed):
        """Return memory, full of what nobody should read."""
        return Held(self, np.full(size_bytes, 0 if zeroed else 0xA5, np.uint8))

    def upload(self, raw):
        """Return a copy of bytes."""
        return Held(self, raw.copy())

    def readback(self, memory):
        """Return a copy of memory."""
        assert memory.device is self
        return memory.held.copy()

    def joined(self, steps, kept=()):  # noqa: ARG002 (none are joined)
        """Return steps as they are."""
        return steps

    def execute(self, steps, memories):
        """Carry out steps by their NumPy forms."""
        calls.append(("execute", tuple(steps), len(memories)))
        assert all(m is None or m.device is self for m in memories)
        arrays = [None if m is None else m.held for m in memories]
        for step in steps:
            numpy_forms.carry_out(step, arrays)

    def finish(self):
        """Return: all is done."""

    def transferred_bytes(self):
        """Return nothing: it is memory of the host."""
        return 0, 0

    def bind(self, parts):
        """Return steps bound to memory of the host."""
        return Bound([(tuple(steps), memories) for steps, memories in parts])


def _bytes(array):
    return array.reshape(-1).view(np.uint8)


def refused(step):
    """Return what is not run of a step: nothing."""


class Bound:
    """Steps that were bound."""

    native_call_count = 0

    def __init__(self, parts):
        self.parts = parts

    def execute(self):
        """Carry the steps out by their NumPy forms."""
        calls.append(("bound", [(steps, len(memories)) for steps, memories in self.parts]))
        for steps, memories in self.parts:
            for step in steps:
                numpy_forms.carry_out(step, memories)
