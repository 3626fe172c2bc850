"""A pass over plans: products, softmax and products as one step, which needs no memory for scores.

It joins a product, what a program makes of each of its elements, softmax along rows, what a program
makes of that, and a product with it, where nothing else reads what is between. Operators of
attention are lowered to these, and graphs have them as nodes of their own. No bit changes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from math import prod
from typing import Any, NamedTuple

from indirectml.arithmetic.attention import TERMS, Between, attention, memory_bytes
from indirectml.arithmetic.contraction import contract
from indirectml.arithmetic.softmax import softmax
from indirectml.core.data_types import TensorDataType
from indirectml.core.tensors import packed_strides
from indirectml.passes.flow import Done, Flow, flow_of, views_of
from indirectml.passes.fusion import common_sizes, split_strides
from indirectml.passes.parts import Former
from indirectml.passes.sharing import Copy, copy_of, is_copy
from indirectml.plans import Plan, ProgramStep, Step, View, WordStep

_CONTRACT, _SOFTMAX = contract.word, softmax.word  # type: ignore[attr-defined]
_Sizes = tuple[int, ...]

_FLOATS = (TensorDataType.FLOAT32, TensorDataType.FLOAT16)


def join_attention(plan: Plan, former: Former) -> Plan:
    """Return a plan in which attention is one step, wherever it is found."""
    places = [
        n
        for n, step in enumerate(plan.steps)
        if isinstance(step, WordStep) and step.word is _SOFTMAX
    ]
    if not places:
        return plan
    flow, _, _ = flow_of(plan, former, "attention")
    former.passes["attention"] = Done(flow, ())
    steps: list[Step | None] = list(plan.steps)
    temporaries = list(plan.temporaries)
    for number in places:
        chain = _chain(flow, number)
        if chain is None:
            continue
        found = _found(flow, chain, copies=True) or _found(flow, chain, copies=False)
        if found is None:
            continue
        size_bytes, made = found.step(plan.persistent + 1 + len(temporaries))
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
    #: What is read, and by which of the steps.
    reads: tuple[tuple[View, int], ...]

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


class _Chain(NamedTuple):
    """The numbers of steps that are attention, and what these read and write."""

    members: tuple[int, int | None, int, int | None, int]
    given: tuple[View, View, View]
    whole: View
    scores: View
    shares: View
    weights: View
    out: View


def _chain(flow: Flow, number: int) -> _Chain | None:
    """Return the steps around a softmax that are attention with it."""
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
    (queries, keys), (whole,) = views_of(flow.plan.steps[first[0]])
    (weights, values), (out,) = views_of(flow.plan.steps[last[0]])
    assert whole is not None  # noqa: S101 (products have all of these)
    assert weights is not None  # noqa: S101
    assert out is not None  # noqa: S101
    sizes = whole.sizes
    if scores.sizes[-1] != sizes[-1] or weights.sizes != sizes or out.sizes[:-1] != sizes[:-1]:
        return None
    given: Any = queries, keys, values
    if any(v is None or v.panels is not None or v.buffer == flow.plan.persistent for v in given):
        return None  # constants are put in panels once instead
    members = (*first, number, *last[::-1])
    return _Chain(members, given, whole, scores, shares, weights, out)


def _found(flow: Flow, chain: _Chain, *, copies: bool) -> _Found | None:
    """Return attention as one step takes it.

    With `copies` keys and values are read where they were before they were copied for it, such as
    to repeat them for several heads.
    """
    product, between, _, beyond, mixing = chain.members
    sizes = chain.whole.sizes
    over = _refined(flow, sizes, (between, beyond))
    if over is None:
        return None
    copied: list[tuple[int, Copy] | None] = [None, None]
    if copies:
        readers = zip(chain.given[1:], (product, mixing), strict=True)
        copied = [_copied(flow, view, reader) for view, reader in readers]
        over = _refined_by(over, [copy[1] for copy in copied if copy is not None])
    operands = [_spread(view, sizes[:-2], over[:-2]) for view in chain.given]
    if operands[0].sizes[:-1] != over[:-1]:
        return None
    times, gone = _through(copied, operands, (product, mixing))
    first = _program(flow, between, chain.whole, over)
    second = _program(flow, beyond, chain.shares, over)
    if first is None or second is None or (copies and not gone):
        return None
    members = (*gone, *chain.members)
    numbers = tuple(member for member in members if member is not None)
    every = (name for n in numbers for name in _names(flow.plan.steps[n]))
    # Of one node one: they are equal where the operator is.
    names = tuple({(name, getattr(name, "node", None)): name for name in every}.values())
    found = _Found(
        numbers,
        names,
        (operands[0], operands[1], operands[2]),
        (first, second),
        (chain.scores.data_type, chain.shares.data_type, chain.weights.data_type),
        _spread(chain.out, sizes[:-2], over[:-2]),
        (
            *zip(operands, times, strict=True),
            *((term, between or 0) for term in first.terms),
            *((term, beyond or 0) for term in second.terms),
        ),
    )
    is_fine = (
        chain.whole.data_type is TensorDataType.FLOAT32
        and all(data_type in _FLOATS for data_type in found.data_types)
        and len(first.terms) + len(second.terms) <= TERMS
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


# ---- keys and values that were copied ----


def _copied(flow: Flow, view: View, reader: int) -> tuple[int, Copy] | None:
    """Return the step that copied what one product alone reads, and where each element was."""
    writer = flow.writer(view.buffer) if view.buffer > flow.plan.persistent else None
    if writer is None or flow.readers.get(view.buffer) != [reader]:
        return None
    step = flow.plan.steps[writer]
    if not isinstance(step, ProgramStep) or not is_copy(step):
        return None
    (source,), (target,) = step.inputs, step.outputs
    moves = copy_of(step, target, source)
    is_in_order = step.output_strides[0] == packed_strides(step.sizes)
    return (writer, moves) if moves is not None and is_in_order else None


def _through(
    copied: list[tuple[int, Copy] | None], operands: list[View], members: tuple[int, int]
) -> tuple[list[int], list[int]]:
    """Put keys and values where they were among the operands.

    Returns when each operand is read, and the copies that are needed no more.
    """
    times, gone = [members[0], *members], []
    for place, copy in enumerate(copied, 1):
        source = None if copy is None else _source(copy[1], operands[place])
        if copy is not None and source is not None:
            operands[place], times[place] = source, copy[0]
            gone.append(copy[0])
    return times, gone


def _refined_by(over: _Sizes, copies: Sequence[Copy]) -> _Sizes:
    """Return sizes of scores whose batch has the axes of copies, too, if they are found in it."""
    batch = over[:-2]
    for moves in copies:
        lead: _Sizes = ()
        for size in moves.sizes:
            if prod(lead) == prod(batch):
                break
            lead = (*lead, size)
        batch = common_sizes(batch, lead) or batch
    return (*batch, *over[-2:])


def _source(moves: Copy, view: View) -> View | None:
    """Return matrices where they were before they were copied, if their rows lie together."""
    found = moves.moved(view)
    if found is None or 1 not in found.strides[-2:]:
        return None
    batch = zip(found.sizes[:-2], found.strides[:-2], strict=True)
    sizes = tuple(1 if stride == 0 else size for size, stride in batch)
    return found._replace(sizes=(*sizes, *found.sizes[-2:]))


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
    plan, last = flow.plan, found.numbers[-1]
    for read, time in found.reads:
        is_input = read.buffer < len(plan.inputs)
        for step in plan.steps[time:last]:
            for view in views_of(step)[1]:
                if view is None:
                    continue
                if is_input and flow.is_output(view.buffer) and view.data_type is read.data_type:
                    return False
                if view.buffer == read.buffer and len(flow.writers[view.buffer]) > 1:
                    return False
    return True
