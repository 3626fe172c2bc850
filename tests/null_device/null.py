"""A device that runs fills alone, and only writes down what it was given."""

from __future__ import annotations

from indirectml.plans import ComputeStep

#: What was asked of it: names of functions, and what they were given.
calls = []


def missing():
    """Return what this machine lacks for it: nothing."""
    return ""


def refusal(step):
    """Return which operators it does not run: those that compute."""
    return step.operator_name if isinstance(step, ComputeStep) else None


def prepared(plan):
    """Return a plan as it is."""
    return plan


def run(plan, outputs, inputs=()):
    """Write down that a plan came with arrays."""
    calls.append(("run", plan, list(outputs), list(inputs)))


def fill_of(plan):
    """Return that there is no shorter way."""


def new_output(tensor):
    """Return what stands for an array of a tensor."""
    return ("array", tensor)


def new_memory(size_bytes, *, zeroed):
    """Return memory that counts nothing."""
    calls.append(("new_memory", size_bytes, zeroed))
    return bytearray(size_bytes)


def joined(steps, kept=()):  # noqa: ARG001 (memory counts nothing)
    """Return steps as they are."""
    return steps


def execute(steps, memories):
    """Write down that steps came with memories."""
    calls.append(("execute", tuple(steps), len(memories)))


def bind(parts):
    """Return bound steps that write down when they are executed."""
    return Bound([(tuple(steps), len(memories)) for steps, memories in parts])


class Bound:
    """Steps that were bound."""

    native_call_count = 0

    def __init__(self, parts):
        self.parts = parts

    def execute(self):
        """Write down which steps would be carried out."""
        calls.append(("bound", self.parts))
