"""A pass over plans of graphs: what depends on owned inputs alone is computed at initialization.

Roots of variances, or what a quantization makes of scales that are constants, are the same in each
call. Their steps go to initialization, and write to the persistent resource, behind owned inputs.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

from indirectml.passes.flow import buffers_of, in_ranges
from indirectml.plans import WITH_INPUTS, Plan, ProgramStep, Step, WordStep
from indirectml.ranges import aligned

#: Of how many bytes at most a result is kept from initialization on: a model has it once for each
#: set of sizes that it is called in. What is larger stays in memory that calls have in turn.
_MOST_BYTES = 1 << 16


def initialized(plan: Plan) -> Plan:
    """Return a plan in the making whose steps of owned inputs alone are part of initialization."""
    found = _steps_of_owned_inputs(plan)
    if not found:
        return plan
    at: dict[int, int] = {}
    size = plan.persistent_size
    for step in found.values():
        for buffer in buffers_of(step)[1]:
            at[buffer] = size
            size += aligned(_size_bytes(plan, buffer))

    def moved(step: Step) -> Step:
        buffers = sorted({b for some in buffers_of(step) for b in some if b in at})
        return in_ranges(step, plan.persistent, at, buffers, "_initialized")

    return replace(
        plan,
        steps=tuple(moved(step) for number, step in enumerate(plan.steps) if number not in found),
        computed_steps=tuple(map(moved, found.values())),  # type: ignore[arg-type]
        persistent_size=size,
    )


def _steps_of_owned_inputs(plan: Plan) -> dict[int, WordStep | ProgramStep]:
    """Return steps that read nothing but owned inputs, or what such steps write, by number."""
    known = {plan.persistent}
    writer_counts = Counter(buffer for step in plan.steps for buffer in buffers_of(step)[1])
    found: dict[int, WordStep | ProgramStep] = {}
    for number, step in enumerate(plan.steps):
        if not isinstance(step, WITH_INPUTS):
            continue
        read, written = buffers_of(step)
        if known.issuperset(read) and all(
            buffer > plan.persistent
            and writer_counts[buffer] == 1
            and _size_bytes(plan, buffer) <= _MOST_BYTES
            for buffer in written
        ):
            known.update(written)
            found[number] = step
    return found


def _size_bytes(plan: Plan, buffer: int) -> int:
    """Return what a buffer between steps takes."""
    return plan.temporaries[buffer - plan.persistent - 1]
