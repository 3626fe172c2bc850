"""What a dispatch takes in memory, found before any of it is taken."""

from __future__ import annotations

from indirectml.plans import Plan, Step, WordStep


def dispatch_bytes(plan: Plan) -> int:
    """Return what a dispatch takes at most besides what is bound to it.

    That is the temporary and the persistent resource, and what the NumPy form takes of a word that
    has no native step.
    """
    steps = max(map(_step_bytes, plan.steps), default=0)
    return plan.temporary_size + plan.persistent_size + steps


def _step_bytes(step: Step) -> int:
    if not isinstance(step, WordStep) or step.native is not None:
        return 0
    views = [view for view in (*step.inputs, *step.outputs) if view is not None]
    return max(view.element_count for view in views) * step.word.scratch_bytes
