"""What a dispatch takes in memory, found before any of it is taken."""

from __future__ import annotations

from indirectml.plans import Plan, Step, WordStep


def dispatch_bytes(plan: Plan) -> int:
    """Return what a dispatch takes at most besides what is bound to it.

    That is the temporary and the persistent resource, what native steps copy of tensors with
    strides, and what the NumPy form takes of a word that has no native step. A tensor that repeats
    elements by strides of zero counts with all of them.
    """
    steps = max(map(_step_bytes, plan.steps), default=0)
    return plan.temporary_size + plan.persistent_size + steps


def _step_bytes(step: Step) -> int:
    if not isinstance(step, WordStep):
        return 0  # programs need what fits a cache
    views = [view for view in (*step.inputs, *step.outputs) if view is not None]
    if step.native is None:
        return max(view.element_count for view in views) * step.word.scratch_bytes
    copied = (view for view in views if not view.is_contiguous and view.panels is None)
    return sum(view.element_count * view.data_type.item_bytes for view in copied)
