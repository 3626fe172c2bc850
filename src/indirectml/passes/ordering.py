"""A pass over plans of graphs: programs of few elements stand right behind what they read.

Scales and zero points of a layer are computed of other ones: then what follows a product or a
convolution follows it at once, and can be done with each part of it as soon as that is there.
"""

from __future__ import annotations

from dataclasses import replace
from math import prod

from indirectml.passes.flow import Flow, buffers_of
from indirectml.plans import Plan, ProgramStep, Step

#: More elements take memory for longer than is worth it.
_MOST = 1 << 10


def small_first(plan: Plan) -> Plan:
    """Return a plan in which small programs between steps come as early as they can."""
    flow = Flow(plan)
    behind: dict[int, list[Step]] = {}
    places: dict[int, int] = {}
    for number, step in enumerate(plan.steps):
        if not isinstance(step, ProgramStep) or prod(step.sizes) > _MOST:
            continue
        if any(view.buffer <= plan.persistent or flow.writer(view.buffer) is None
               for view in step.outputs):  # fmt: skip
            continue
        before = [w for b in buffers_of(step)[0] for w in flow.writers.get(b, ()) if w < number]
        place = max((places.get(w, w) for w in before), default=-1)
        if place < number - 1:
            places[number] = place
            behind.setdefault(place, []).append(step)
    if not places:
        return plan
    ordered = behind.get(-1, [])
    for number, step in enumerate(plan.steps):
        if number not in places:
            ordered.append(step)
        ordered += behind.get(number, ())
    return replace(plan, steps=tuple(ordered))
