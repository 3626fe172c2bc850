"""From operators to words: a definition is called with stand-ins that have sizes.

What is done with elements becomes programs, functions of `arithmetic` that are words become steps,
and slices, transposed and repeated arrays become views. What is between steps has a buffer of its
own. A definition that does anything else with an array is refused: it is to be written otherwise.
"""

from __future__ import annotations

import functools
from collections.abc import Iterator
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from indirectml.arithmetic.movement import from_halves, into_halves
from indirectml.catalogue import operator_facts
from indirectml.core.data_types import TensorDataType, as_data_type
from indirectml.core.errors import DirectMLError, OperatorNotImplementedError
from indirectml.core.progress import told
from indirectml.core.tensors import TensorDesc
from indirectml.descriptors.base import OperatorDesc
from indirectml.descriptors.definitions import Definition
from indirectml.fills.sequences import Rule
from indirectml.operators import compute_function
from indirectml.passes.parts import Former, Piece
from indirectml.passes.places import Made, Place, Sizes
from indirectml.passes.stand_ins import KnownSizes, Sized, SizedTrace
from indirectml.passes.tracing import (
    Reference,
    Template,
    Untraceable,
    dtype_of,
    fields_key,
    template,
)
from indirectml.plans import (
    CopyStep,
    Draft,
    FillStep,
    Node,
    Plan,
    PlanOptions,
    ProgramStep,
    Step,
    View,
    WordStep,
)
from indirectml.programs import Instruction, Program

_BOOL, _FLOAT16, _FLOAT32 = (np.dtype(t) for t in (np.bool_, np.float16, np.float32))

#: What a definition does with what is no array ends in one of these.
_REFUSALS = (Untraceable, AttributeError, TypeError, ValueError, LookupError, ArithmeticError,
             NotImplementedError, DirectMLError)  # fmt: skip


def lowered(draft: Draft, former: Former) -> Plan:
    """Return a plan of programs, words, fills and copies.

    What the last plan left is taken where a node is the same, and is given what this one leaves.
    """
    plan, nodes, options = draft
    steps: list[Step] = []
    temporaries = list(plan.temporaries)
    kept: list[int] = []
    known = former.pieces
    pieces: list[Piece] = []
    begin = plan.persistent + 1
    for number, given in enumerate(told(nodes)):
        first = begin + len(temporaries)
        piece = known[number] if number < len(known) else None
        if piece is None or piece.node is not given or piece.first != first:
            before = len(kept)
            piece = _piece(given, first, options, plan, kept)
            if len(kept) > before:  # which is to be said each time
                piece = piece._replace(first=-1)
        pieces.append(piece)
        steps += piece.steps
        temporaries += piece.temporaries
    former.pieces = pieces
    return replace(plan, steps=tuple(steps), temporaries=tuple(temporaries), kept=tuple(kept))


def _piece(
    given: Node | CopyStep, first: int, options: PlanOptions, plan: Plan, kept: list[int]
) -> Piece:
    """Return what a node becomes, whose first temporary buffer has a number.

    Outputs whose former elements it reads are added to `kept`.
    """
    if isinstance(given, CopyStep):
        return Piece(given, first, (given,), ())
    keeps = given.desc.definition.kept is not None  # type: ignore[attr-defined]
    node = _with_kept(given, plan, kept) if keeps else given
    program = _program_step(node)
    if program is not None:
        return Piece(given, first, (program,), ())
    found = lowering(node.desc, options.rule)  # type: ignore[arg-type]
    return Piece(given, first, tuple(found.steps_of(node, first)), found.temporaries)


def _with_kept(node: Node, plan: Plan, kept: list[int]) -> Node:
    """Return an operator that reads what the memory of outputs holds; these are added to `kept`."""
    desc: Any = node.desc
    fields = desc.definition.kept(desc)
    written = [name for name, _ in desc.tensors("output_tensor")]
    views = {name: node.outputs[written.index(output)] for name, output in fields.items()}
    first = len(plan.inputs)
    numbers = [view.buffer - first for view in views.values() if view is not None]
    if not numbers or not all(0 <= number < len(plan.outputs) for number in numbers):
        return node  # what is between operators has held nothing
    kept += numbers
    given = {name: getattr(desc, output) for name, output in fields.items()}
    names = [name for name, _ in desc.tensors("input_tensor")]
    inputs = tuple(views.get(name, view) for name, view in zip(names, node.inputs, strict=True))
    return node._replace(desc=desc.with_fields(given), inputs=inputs)


# ---- operators on each element ----


@functools.lru_cache(4096)
def _program_of(found: Template) -> tuple[Program, tuple[int, ...]]:
    """Return what a template says as a program, and which inputs of the operator it reads."""
    numbers = tuple(n for n, type_ in enumerate(found.inputs) if type_ is not None)
    constants: dict[tuple[str, int], int] = {}
    every = [r for *_, references in found.instructions for r in references]
    for kind, *rest in (*every, *found.outputs):
        if kind == "constant":
            constants.setdefault((rest[0], rest[1]), len(constants))

    def number(reference: Reference) -> int:
        kind, *rest = reference
        if kind == "input":
            return numbers.index(rest[0])
        if kind == "constant":
            return len(numbers) + constants[rest[0], rest[1]]
        place: int = rest[0]
        return len(numbers) + len(constants) + place

    program = Program(
        tuple(type_ for type_ in found.inputs if type_ is not None),
        tuple(constants),
        tuple(
            Instruction(name, source, type_, tuple(map(number, references)))
            for name, source, type_, references in found.instructions
        ),
        tuple(map(number, found.outputs)),
    )
    return program, numbers


#: Operators that were more than that: they are called with sizes at once.
_with_sizes: set[str] = set()


def _program_step(step: Node) -> ProgramStep | None:
    """Return an operator's program over the sizes of its output; None if it has none."""
    outputs = tuple(view for view in step.outputs if view is not None)
    full = outputs[0].sizes
    if any(view.sizes != full for view in outputs):
        return None
    if step.operator_name in _with_sizes:
        return None
    found = template(step.desc)  # type: ignore[arg-type]
    if found is None:
        _with_sizes.add(step.operator_name)
        return None
    program, numbers = _program_of(found)
    inputs = []
    strides = []
    for number in numbers:
        view = step.inputs[number]
        if view is None or len(view.sizes) != len(full):
            return None
        over = _strides(full, view.sizes, view.strides)
        if over is None:
            return None
        inputs.append(view)
        strides.append(over)
    return ProgramStep(
        program,
        (step.operator_name,),
        tuple(size for size in full if size != 1),
        tuple(inputs),
        outputs,
        tuple(strides),
        tuple(_strides(full, view.sizes, view.strides) or () for view in outputs),
    )


@functools.lru_cache(4096)
def _strides(sizes: Sizes, own: Sizes, strides: tuple[int, ...]) -> tuple[int, ...] | None:
    """Return strides over sizes without those of 1; None where elements do not repeat to them."""
    if any(a not in (1, b) for a, b in zip(own, sizes, strict=True)):
        return None
    return tuple(
        stride if size == whole else 0
        for stride, size, whole in zip(strides, own, sizes, strict=True)
        if whole != 1
    )


# ---- operators with sizes ----


class Lowering(NamedTuple):
    """What an operator becomes: steps over its inputs, then outputs, then temporary buffers."""

    made: tuple[Made, ...]
    temporaries: tuple[int, ...]
    bound: int
    rule: Rule = "accumulate"

    def steps_of(self, node: Node, first: int) -> Iterator[Step]:
        """Yield the steps of an operator in a plan, whose next buffer is number `first`."""
        views = (*node.inputs, *node.outputs)
        names = (node.operator_name,)

        def view(place: Place | None) -> View | None:
            if place is None:
                return None
            buffer, begin = place.buffer - self.bound + first, 0
            if place.buffer < self.bound:
                there = views[place.buffer]
                assert there is not None  # noqa: S101 (what is left out has no place)
                buffer, begin = there.buffer, there.offset
            dtype = place.dtype
            data_type = TensorDataType.UINT8 if dtype == _BOOL else as_data_type(dtype)
            at = begin + place.offset * dtype.itemsize
            return View(buffer, data_type, place.sizes, place.strides, at)

        for made in self.made:
            inputs: tuple[Any, ...] = tuple(map(view, made.inputs))
            outputs: tuple[Any, ...] = tuple(map(view, made.outputs))
            if isinstance(made.what, Program):
                yield ProgramStep(made.what, names, made.sizes, inputs, outputs,
                                  made.input_strides, made.output_strides)  # fmt: skip
            elif isinstance(made.what, tuple):
                out = outputs[0]
                whole = names if len(self.made) == 1 else ()
                start, delta = made.what
                yield FillStep(out, out.data_type, self.rule, start, delta, whole)
            else:
                yield WordStep(made.what, names[0], made.fields, inputs, outputs)


lowerings: dict[Any, Lowering] = {}
_MOST = 4096


def lowering(desc: OperatorDesc, rule: Rule) -> Lowering:
    """Return the steps that an operator becomes.

    Raises
    ------
    OperatorNotImplementedError
        Its definition does what no stand-in can follow: a mistake in the definition.
    """
    tensors = tuple(
        None if t is None else (t.sizes_tuple, t.strides_tuple)
        for kind in ("input_tensor", "output_tensor")
        for _, t in desc.tensors(kind)
    )
    key = (fields_key(desc), tensors, rule if "rule" in desc.definition.keywords else None)
    found = lowerings.get(key)
    if found is None:
        if len(lowerings) >= _MOST:
            lowerings.clear()
        try:
            found = lowerings[key] = lower(desc)
        except _REFUSALS as error:
            raise OperatorNotImplementedError(
                "needs a definition of operations of NumPy on arrays, views, and words of "
                "arithmetic/, without elements that become numbers or are written into",
                given=_place_of(error, desc.definition),
                field=desc.operator_name,
            ) from error
        if key[-1] is not None:
            found = lowerings[key] = found._replace(rule=rule)
    return found


def _place_of(error: Exception, definition: Definition) -> str:
    """Return where in its file a definition could not be followed, and what was said of it."""
    trace, line = error.__traceback__, 0
    while trace is not None:
        if trace.tb_frame.f_code.co_filename == definition.compute.__code__.co_filename:
            line = trace.tb_lineno
        trace = trace.tb_next
    reason = f": {error}" if str(error) else ""
    return f"{type(error).__name__} at line {line} of {definition.module}.py{reason}"


def lower(desc: OperatorDesc) -> Lowering:
    """Return the steps that an operator becomes; what stands in the way is raised."""
    inputs = [tensor for _, tensor in desc.tensors("input_tensor")]
    outputs = [tensor for _, tensor in desc.tensors("output_tensor")]
    trace = SizedTrace(len(inputs) + len(outputs))
    is_arithmetic = desc.is_arithmetic
    arrays = [_given(trace, number, t, widens=is_arithmetic) for number, t in enumerate(inputs)]
    sizes = KnownSizes(next(tensor for tensor in outputs if tensor is not None).sizes_tuple)
    sizes.trace = trace
    with np.errstate(all="ignore"):
        results = compute_function(desc.operator_name)(desc, *arrays, output_sizes=sizes)
    if not isinstance(results, tuple):
        results = (results,)
    written = [(len(inputs) + n, t) for n, t in enumerate(outputs) if t is not None]
    moved = desc.moved_outputs
    for (number, tensor), result in zip(written, results, strict=True):
        if not isinstance(result, Sized) or result.shape != tensor.sizes_tuple:
            raise Untraceable
        if tensor.is_in_halves:
            to = _bytes_of(number, tensor)
            raw: Any = trace.at(to)
            halves: Any = into_halves(raw, result, tensor.strides_in_memory)  # type: ignore[arg-type]
            trace.write(halves, to, is_packed=True)
            continue
        dtype = dtype_of(tensor)
        if not np.can_cast(result.dtype, dtype, "same_kind"):
            raise Untraceable
        value: Any = result.astype(dtype)
        if is_arithmetic and dtype.kind == "f" and number - len(inputs) not in moved:
            value = value.canonical()
        place = Place(number, dtype, tensor.sizes_tuple, tensor.strides_in_memory)
        trace.write(value, place, is_packed=tensor.strides_tuple is None)
    found = Lowering(*trace.finished(), trace.bound)
    if operator_facts(desc.operator_name).in_place:
        _check_in_place(found, len(inputs))
    return found


def _given(trace: SizedTrace, number: int, tensor: TensorDesc | None, *, widens: bool) -> Any:
    """Return what stands for an input."""
    if tensor is None:
        return None
    if tensor.is_in_halves:
        raw: Any = trace.at(_bytes_of(number, tensor))
        return from_halves(
            raw, tensor.sizes_tuple, tensor.strides_in_memory, is_signed=tensor.data_type.signed
        )
    place = Place(number, dtype_of(tensor), tensor.sizes_tuple, tensor.strides_in_memory)
    given = trace.at(place)
    return given.astype(_FLOAT32) if widens and place.dtype == _FLOAT16 else given


def _bytes_of(number: int, tensor: TensorDesc) -> Place:
    """Return the bytes of a tensor as a place."""
    return Place(number, np.dtype(np.uint8), (tensor.total_tensor_size_in_bytes,), (1,))


def _check_in_place(found: Lowering, input_count: int) -> None:
    """Refuse steps that read an input after an output was written, which may lie on it."""
    is_written = False
    for made in found.made:
        if is_written and any(p is not None and p.buffer < input_count for p in made.inputs):
            raise Untraceable
        is_written |= any(input_count <= p.buffer < found.bound for p in made.outputs)
