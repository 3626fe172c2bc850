"""A pass over plans: products, softmax and products as one step, which needs no memory for scores.

It joins a product, what a program makes of each of its elements, softmax along rows, what a program
makes of that, and a product with it, where nothing else reads what is between. Operators of
attention are lowered to these, and graphs have them as nodes of their own. No bit changes.
"""

from __future__ import annotations

from dataclasses import replace
from math import prod
from typing import Any, NamedTuple

from indirectml.arithmetic.attention import TERMS, Between, attention, memory_bytes
from indirectml.arithmetic.contraction import contract
from indirectml.arithmetic.softmax import softmax
from indirectml.core.data_types import TensorDataType
from indirectml.core.tensors import packed_strides
from indirectml.passes.flow import Flow, views_of
from indirectml.passes.fusion import common_sizes, split_strides
from indirectml.plans import Plan, ProgramStep, Step, View, WordStep

_CONTRACT, _SOFTMAX = contract.word, softmax.word  # type: ignore[attr-defined]
_Sizes = tuple[int, ...]

_FLOATS = (TensorDataType.FLOAT32, TensorDataType.FLOAT16)


def join_attention(plan: Plan) -> Plan:
    """Return a plan in which attention is one step, wherever it is found."""
    if not any(_is(step, _SOFTMAX) for step in plan.steps):
        return plan
    flow = Flow(plan)
    steps: list[Step | None] = list(plan.steps)
    temporaries = list(plan.temporaries)
    for number, step in enumerate(plan.steps):
        if not _is(step, _SOFTMAX):
            continue
        found = _found(flow, number)
        if found is None:
            continue
        size_bytes, made = found.step(plan.persistent + 1 + len(temporaries))
        if made.native is None:
            continue
        temporaries.append(size_bytes)
        for member in found.numbers:
            steps[member] = None
        steps[found.numbers[-1]] = made
    kept = tuple(step for step in steps if step is not None)
    return replace(plan, steps=kept, temporaries=tuple(temporaries))


def _is(step: Step, word: Any) -> bool:
    return isinstance(step, WordStep) and step.word is word


class _Program(NamedTuple):
    """A program between two words: what it is, and its terms over the scores' sizes."""

    between: Between | None
    terms: tuple[View, ...]


class _Found(NamedTuple):
    """Steps that are attention, by their numbers in a plan, and what they read and write."""

    numbers: tuple[int, ...]
    names: tuple[str, ...]
    operands: tuple[View, View, View]
    programs: tuple[_Program, _Program]
    data_types: tuple[TensorDataType, TensorDataType, TensorDataType]
    out: View

    def step(self, buffer: int) -> tuple[int, WordStep]:
        """Return the bytes that a step works in, to be in a buffer, and the step."""
        dtypes = tuple(data_type.name.lower() for data_type in self.data_types)
        size_bytes = memory_bytes([view.sizes for view in self.operands], dtypes)
        memory = View(buffer, TensorDataType.UINT8, (size_bytes,), (1,))
        terms = [term for program in self.programs for term in program.terms]
        before, after = (program.between for program in self.programs)
        made = WordStep(
            attention.word,  # type: ignore[attr-defined]
            self.names[-1],
            (("before", before), ("after", after), ("dtypes", dtypes)),
            (*self.operands, *terms, *[None] * (TERMS - len(terms))),
            (self.out, memory),
            self.names[:-1],
        )
        return size_bytes, made


def _found(flow: Flow, number: int) -> _Found | None:
    """Return the attention that a softmax is a part of."""
    step = flow.plan.steps[number]
    read, written = views_of(step)
    scores, shares = read[0], written[0]
    assert isinstance(step, WordStep)  # noqa: S101 (that is what is asked for)
    assert scores is not None  # noqa: S101 (softmax has both)
    assert shares is not None  # noqa: S101
    axes = step.arguments["axes"]
    if tuple(axes) != (len(scores.sizes) - 1,) or scores.sizes[-1] == 1:
        return None
    first = _before(flow, number, scores)
    last = _after(flow, number, shares)
    if first is None or last is None:
        return None
    product, between = first
    mixing, beyond = last
    start, end = flow.plan.steps[product], flow.plan.steps[mixing]
    (queries, keys), (whole,) = views_of(start)
    (weights, values), (out,) = views_of(end)
    assert whole is not None  # noqa: S101 (products have all of these)
    assert weights is not None  # noqa: S101
    assert out is not None  # noqa: S101
    sizes = whole.sizes
    if scores.sizes[-1] != sizes[-1] or weights.sizes != sizes or out.sizes[:-1] != sizes[:-1]:
        return None
    over = _refined(flow, sizes, (between, beyond))
    if over is None:
        return None
    operands = []
    for view in (queries, keys, values):
        if view is None or view.panels is not None or view.buffer == flow.plan.persistent:
            return None  # constants are packed once instead
        operands.append(_spread(view, sizes[:-2], over[:-2]))
    if operands[0].sizes[:-1] != over[:-1]:
        return None
    programs = []
    for place, view in ((between, whole), (beyond, shares)):
        made = _program(flow, place, view, over)
        if made is None:
            return None
        programs.append(made)
    members = (product, between, number, beyond, mixing)
    numbers = tuple(member for member in members if member is not None)
    every = (name for n in numbers for name in _names(flow.plan.steps[n]))
    # Of one node one: they are equal where the operator is.
    names = tuple({(name, getattr(name, "node", None)): name for name in every}.values())
    found = _Found(
        numbers,
        names,
        (operands[0], operands[1], operands[2]),
        (programs[0], programs[1]),
        (scores.data_type, shares.data_type, weights.data_type),
        _spread(out, sizes[:-2], over[:-2]),
    )
    is_fine = (
        whole.data_type is TensorDataType.FLOAT32
        and all(data_type in _FLOATS for data_type in found.data_types)
        and sum(len(program.terms) for program in programs) <= TERMS
        and _may_wait(flow, found)
    )
    return found if is_fine else None


def _names(step: Step) -> tuple[str, ...]:
    return step.operator_names if isinstance(step, WordStep | ProgramStep) else ()


def _is_between(flow: Flow, view: View | None) -> bool:
    """Return whether a whole packed buffer is written by one step, and read by one."""
    return (
        view is not None
        and view.buffer > flow.plan.persistent
        and flow.writer(view.buffer) is not None
        and len(flow.readers.get(view.buffer, ())) == 1
        and view.offset == 0
        and view.is_packed
    )


def _before(flow: Flow, number: int, scores: View) -> tuple[int, int | None] | None:
    """Return the product whose scores a softmax reads, and the program between them."""
    if not _is_between(flow, scores):
        return None
    writer = flow.writer(scores.buffer)
    assert writer is not None  # noqa: S101 (so it was asked)
    step = flow.plan.steps[writer]
    if _is(step, _CONTRACT):
        return (writer, None) if _is_between(flow, views_of(step)[1][0]) else None
    if not isinstance(step, ProgramStep) or len(step.outputs) != 1:
        return None
    for view in step.inputs:
        product = flow.writer(view.buffer)
        if product is None or product >= number or not _is(flow.plan.steps[product], _CONTRACT):
            continue
        whole = views_of(flow.plan.steps[product])[1][0]
        if _is_between(flow, whole) and prod(step.sizes) == view.element_count:
            return product, writer
    return None


def _after(flow: Flow, number: int, shares: View) -> tuple[int, int | None] | None:
    """Return the product that reads the shares of a softmax, and the program between them."""
    if not _is_between(flow, shares):
        return None
    (reader,) = flow.readers[shares.buffer]
    step = flow.plan.steps[reader]
    between = None
    if isinstance(step, ProgramStep) and len(step.outputs) == 1:
        if not _is_between(flow, step.outputs[0]):
            return None
        between = reader
        (reader,) = flow.readers[step.outputs[0].buffer]
        step = flow.plan.steps[reader]
    if not _is(step, _CONTRACT) or reader <= number:
        return None
    weights, values = views_of(step)[0]
    written = flow.plan.steps[number if between is None else between]
    (whole,) = views_of(written)[1]
    is_left = weights is not None and whole is not None and weights.buffer == whole.buffer
    is_left = is_left and (values is None or values.buffer != whole.buffer)  # type: ignore[union-attr]
    return (reader, between) if is_left and weights.is_packed else None  # type: ignore[union-attr]


def _refined(flow: Flow, sizes: _Sizes, numbers: tuple[int | None, ...]) -> _Sizes | None:
    """Return sizes of scores in which those of programs are found, too; rows stay rows."""
    rows, positions = sizes[-2:]
    parts: _Sizes | None = tuple(size for size in sizes if size != 1)
    for number in numbers:
        if number is not None and parts is not None:
            step = flow.plan.steps[number]
            assert isinstance(step, ProgramStep)  # noqa: S101 (so it was found)
            parts = common_sizes(parts, step.sizes)
    last = tuple(size for size in (rows, positions) if size != 1)
    if parts is None or parts[len(parts) - len(last) :] != last:
        return None
    return (*parts[: len(parts) - len(last)], rows, positions)


def _spread(view: View, batch: _Sizes, into: _Sizes) -> View:
    """Return matrices over a batch whose axes are split."""
    missing = len(batch) + 2 - len(view.sizes)
    sizes, strides = (1,) * missing + view.sizes, (0,) * missing + view.strides
    own, steps = split_strides(sizes[:-2], strides[:-2], batch, into)
    return view._replace(sizes=own + sizes[-2:], strides=steps + strides[-2:])


def _program(flow: Flow, number: int | None, own: View, over: _Sizes) -> _Program | None:
    """Return a program between words, with terms over the sizes of the scores."""
    if number is None:
        return _Program(None, ())
    step = flow.plan.steps[number]
    assert isinstance(step, ProgramStep)  # noqa: S101 (so it was found)
    places = [n for n, view in enumerate(step.inputs) if view.buffer == own.buffer]
    packed = packed_strides(step.sizes)
    if len(places) != 1 or step.inputs[places[0]].offset:
        return None
    if not packed == step.output_strides[0] == step.input_strides[places[0]]:
        return None
    rest = tuple(size for size in over if size != 1)
    terms = []
    for n, (view, strides) in enumerate(zip(step.inputs, step.input_strides, strict=True)):
        if n not in places:
            parts = iter(zip(*split_strides(step.sizes, strides, step.sizes, rest), strict=True))
            axes = [(1, 0) if size == 1 else next(parts) for size in over]
            terms.append(
                view._replace(sizes=tuple(a for a, _ in axes), strides=tuple(b for _, b in axes))
            )
    return _Program(Between(step.program, places[0]), tuple(terms))


def _may_wait(flow: Flow, found: _Found) -> bool:
    """Return whether nothing that is read is written before the last of the steps.

    An output may lie on the memory of an input; which one does is not known here.
    """
    first, last = found.numbers[0], found.numbers[-1]
    plan = flow.plan
    inputs = {
        view.data_type
        for number in found.numbers[:-1]
        for view in views_of(plan.steps[number])[0]
        if view is not None and view.buffer < len(plan.inputs)
    }
    buffers = {view.buffer for view in found.operands} | {
        view.buffer for program in found.programs for view in program.terms
    }
    for step in plan.steps[first:last]:
        for view in views_of(step)[1]:
            if view is None:
                continue
            if flow.is_output(view.buffer) and view.data_type in inputs:
                return False
            if view.buffer in buffers and len(flow.writers[view.buffer]) > 1:
                return False
    return True
