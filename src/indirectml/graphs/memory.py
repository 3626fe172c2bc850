"""What a dispatch takes in memory, found before any of it is taken."""

from __future__ import annotations

from indirectml.arithmetic.words import SCRATCH_BYTES, WINDOWED_BYTES
from indirectml.catalogue import operator_facts
from indirectml.descriptors.base import OperatorDesc
from indirectml.plans import ComputeStep, Plan, Step, WordStep

#: Operators with windows, by the fields that say so.
_WINDOWS = frozenset({"WindowSize", "LocalSize"})

#: What moving elements takes for each element: what is joined is put together first.
MOVED_BYTES = 16


def dispatch_bytes(plan: Plan) -> int:
    """Return what a dispatch takes at most besides what is bound to it.

    That is the temporary and the persistent resource, and what the largest step needs: a tensor
    that repeats elements by strides of zero counts with all its elements, since they are widened
    one by one.
    """
    steps = max(map(_step_bytes, plan.steps), default=0)
    return plan.temporary_size + plan.persistent_size + steps


def _step_bytes(step: Step) -> int:
    if not isinstance(step, ComputeStep | WordStep):
        return 0  # programs need what fits a cache
    views = [view for view in (*step.inputs, *step.outputs) if view is not None]
    largest = max((view.element_count for view in views), default=0)
    if isinstance(step, WordStep):
        return largest * step.word.scratch_bytes
    if not step.is_arithmetic:
        return largest * MOVED_BYTES
    if isinstance(step.desc, OperatorDesc) and step.desc.definition.between is not None:
        largest = max(largest, step.desc.definition.between(step.desc))
    names = {field.name for field in operator_facts(step.operator_name).fields}
    return largest * (WINDOWED_BYTES if names & _WINDOWS else SCRATCH_BYTES)
