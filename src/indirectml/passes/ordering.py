"""A pass over plans of graphs: programs of few elements stand right behind what they read.

Scales and zero points of a layer are computed of other ones: then what follows a product or a
convolution follows it at once, and can be done with each part of it as soon as that is there.
"""

from __future__ import annotations

from dataclasses import replace
from math import prod

from indirectml.passes.flow import Done, Flow, buffers_of, flow_of
from indirectml.passes.parts import Former
from indirectml.plans import Plan, ProgramStep, Step

#: More elements take memory for longer than is worth it.
_MOST = 1 << 10


def small_first(plan: Plan, former: Former) -> Plan:
    """Return a plan in which small programs between steps come as early as they can."""
    last: tuple[tuple[Step, ...], list[int]] | None
    flow, changed, last = flow_of(plan, former, "order")
    if last is None or any(_is_small(last[0][n]) != _is_small(plan.steps[n]) for n in changed):
        order = _order(plan, flow)
    else:
        order = last[1]
    former.passes["order"] = Done(flow, (plan.steps, order))
    return replace(plan, steps=tuple(map(plan.steps.__getitem__, order)))


def _order(plan: Plan, flow: Flow) -> list[int]:
    """Return the numbers of steps in that order."""
    behind: dict[int, list[int]] = {}
    places: dict[int, int] = {}
    for number, step in enumerate(plan.steps):
        if not _is_small(step):
            continue
        if any(view.buffer <= plan.persistent or flow.writer(view.buffer) is None
               for view in step.outputs):  # type: ignore[union-attr]  # fmt: skip
            continue
        before = [w for b in buffers_of(step)[0] for w in flow.writers.get(b, ()) if w < number]
        place = max((places.get(w, w) for w in before), default=-1)
        if place < number - 1:
            places[number] = place
            behind.setdefault(place, []).append(number)
    ordered = behind.get(-1, [])
    for number in range(len(plan.steps)):
        if number not in places:
            ordered.append(number)
        ordered += behind.get(number, ())
    return ordered


def _is_small(step: Step) -> bool:
    return isinstance(step, ProgramStep) and prod(step.sizes) <= _MOST
