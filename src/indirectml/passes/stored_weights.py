"""Constants that are dequantized for a product stay as they are stored.

A product that reads what a step makes of integers, a scale and a zero point for each block of them,
all of them constants that nothing but such products read, becomes a product with these: no weight
is ever in memory as a float.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from math import prod
from typing import Any, NamedTuple

from indirectml.arithmetic.contraction import contract
from indirectml.arithmetic.movement import from_halves
from indirectml.arithmetic.quantization import dequantize_blocks
from indirectml.arithmetic.stored_weights import contract_stored, takes_scales
from indirectml.core.data_types import TensorDataType
from indirectml.core.tensors import packed_strides
from indirectml.panels import Panels
from indirectml.passes.flow import Flow, views_of
from indirectml.plans import CopyStep, Plan, ProgramStep, Step, View, WordStep

_CONTRACT: Any = contract.word  # type: ignore[attr-defined]
_STORED: Any = contract_stored.word  # type: ignore[attr-defined]
_BLOCKS: Any = dequantize_blocks.word  # type: ignore[attr-defined]
_HALVES: Any = from_halves.word  # type: ignore[attr-defined]

#: What a program is called that does nothing but dequantize: its inputs are those of the operator.
ELEMENT_WISE = ("ELEMENT_WISE_DEQUANTIZE_LINEAR",)
_TYPES = (
    TensorDataType.INT4,
    TensorDataType.UINT4,
    TensorDataType.INT8,
    TensorDataType.UINT8,
)


class Found(NamedTuple):
    """A product that can be one with stored weights."""

    step: WordStep
    #: What it needs no more.
    gone: tuple[int, ...]
    #: How its constants are to be put in panels, by their offsets.
    forms: dict[int, Panels]


def with_stored_weights(plan: Plan) -> tuple[Plan, dict[int, Panels]]:
    """Return a plan with products of stored weights, and what their constants are in panels."""
    if not any(map(dequantizes, plan.steps)):
        return plan, {}
    matches = Matches(plan)
    found = {
        number: each
        for number, step in enumerate(plan.steps)
        if isinstance(step, WordStep)
        and step.word is _CONTRACT
        and (each := matches.of(number, step)) is not None
    }
    found = matches.that_read_all(found)
    gone = {number for each in found.values() for number in each.gone}
    steps = tuple(
        found[number].step if number in found else step
        for number, step in enumerate(plan.steps)
        if number not in gone
    )
    forms = {offset: form for each in found.values() for offset, form in each.forms.items()}
    return replace(plan, steps=steps), forms


def dequantizes(step: Step) -> bool:
    """Return whether a step may dequantize for a product."""
    if isinstance(step, WordStep):
        return step.word is _BLOCKS
    return isinstance(step, ProgramStep) and step.operator_names == ELEMENT_WISE


class Matches:
    """What products read, in a plan in the making.

    Attributes
    ----------
    flow : Flow
        Of the plan.
    readers : Counter
        How many views steps read from each offset of the persistent resource on.
    """

    def __init__(self, plan: Plan) -> None:
        self._plan = plan
        self.flow = Flow(plan)
        self._owned = {
            step.target.offset: step.target
            for step in plan.initial_steps
            if isinstance(step, CopyStep)
        }
        self.readers = Counter(
            view.offset
            for step in plan.steps
            for view in views_of(step)[0]
            if view is not None and view.buffer == plan.persistent
        )

    def that_read_all(self, found: dict[int, Found]) -> dict[int, Found]:
        """Return the products whose constants nothing else reads, or reads otherwise."""
        while True:
            readers = Counter(form for each in found.values() for form in each.forms.items())
            left = {
                number: each
                for number, each in found.items()
                if all(readers[form] == self.readers[form[0]] for form in each.forms.items())
            }
            if len(left) == len(found):
                return found
            found = left

    def of(self, number: int, step: WordStep) -> Found | None:
        """Return what a product becomes; None where it stays."""
        a, b = step.inputs
        if a is None or b is None or prod(step.outputs[0].sizes[:-2]) != 1:
            return None
        made, gone, data_type = self._dequantized(b, number)
        if made is None:
            return None
        is_transposed = _is_transposed(made.outputs[0], b)
        constants = self._constants(made, gone)
        if constants is None or is_transposed is None:
            return None
        numbers, scale, zero = constants
        if numbers.data_type not in _TYPES or (zero and zero.data_type is not numbers.data_type):
            return None
        if scale.data_type is not data_type or (zero and zero.sizes[-2:] != scale.sizes[-2:]):
            return None
        scale = matrix(scale, is_transposed=is_transposed)
        sizes = matrix(numbers, is_transposed=is_transposed).sizes
        if not takes_scales(sizes, scale.sizes):
            return None
        forms = {}
        if scale.sizes[-1] == sizes[-1]:
            forms[scale.offset] = Panels(constants[1].sizes[-2:], is_transposed)
        for own in (numbers, zero):
            if own is not None:
                forms[own.offset] = Panels(own.sizes[-2:], is_transposed, (), own.data_type)
        inputs = a, numbers, scale, zero
        stored = WordStep(_STORED, step.operator_name, (), inputs, step.outputs)
        return Found(stored, tuple(gone), forms)

    def _dequantized(
        self, read: View, reader: int
    ) -> tuple[WordStep | ProgramStep | None, list[int], TensorDataType]:
        """Return the step that dequantizes what is read, maybe rounded, and all steps up to it."""
        gone = []
        data_type = TensorDataType.FLOAT32
        number = self._maker(read, reader)
        step = None if number is None else self._plan.steps[number]
        if isinstance(step, ProgramStep) and step.operator_names == ELEMENT_WISE:
            return step, [number or 0], read.data_type
        if isinstance(step, ProgramStep) and number is not None and _only_narrows(step):
            gone.append(number)
            data_type = TensorDataType.FLOAT16
            number = self._maker(step.inputs[0], number)
            step = None if number is None else self._plan.steps[number]
        if not isinstance(step, WordStep) or step.word is not _BLOCKS or number is None:
            return None, [], data_type
        return step, [*gone, number], data_type

    def _constants(
        self, step: WordStep | ProgramStep, gone: list[int]
    ) -> tuple[View, View, View | None] | None:
        """Return the constants that are dequantized; what brings them apart is added to `gone`."""
        reader = gone[-1]
        found: list[View | None] = []
        for number, view in enumerate(step.inputs):
            if view is None:
                found.append(None)
                continue
            is_repeated = number > 0 and isinstance(step, ProgramStep)
            own = self._repeated(view) if is_repeated else self._constant(view, reader)
            if own is None:
                return None
            if view.buffer != self._plan.persistent:
                gone += self.flow.writers[view.buffer]
            found.append(own)
        numbers, scale, zero = (*found, None)[:3]
        return None if numbers is None or scale is None else (numbers, scale, zero)

    def _maker(self, view: View | None, reader: int) -> int | None:
        """Return the step that makes what one other step alone reads."""
        if view is None or view.buffer <= self._plan.persistent:
            return None
        is_alone = self.flow.readers.get(view.buffer) == [reader]
        return self.flow.writer(view.buffer) if is_alone else None

    def _constant(self, view: View, reader: int) -> View | None:
        """Return the whole owned tensor that a view is, maybe from halves; None if it is none."""
        if view.buffer != self._plan.persistent:
            maker = self._maker(view, reader)
            step = None if maker is None else self._plan.steps[maker]
            if not isinstance(step, WordStep) or step.word is not _HALVES:
                return None
            raw = step.inputs[0]
            if raw is None or raw.buffer != self._plan.persistent:
                return None
            offset = raw.offset
        else:
            offset = view.offset
        target = self._owned.get(offset)
        if target is None:
            return None
        is_whole = target.sizes == view.sizes and target.is_packed and view.is_packed
        is_matrix = len(view.sizes) > 1 and prod(view.sizes[:-2]) == 1
        return target if is_whole and is_matrix else None

    def _repeated(self, view: View) -> View | None:
        """Return the row, column or element of an owned tensor that is repeated, if it is whole."""
        target = self._owned.get(view.offset) if view.buffer == self._plan.persistent else None
        if target is None or len(view.sizes) < 2:  # noqa: PLR2004 (a matrix)
            return None
        rows, columns = view.sizes[-2:]
        if view.strides[-2:] == (0, 1):
            sizes = (1, columns)
        elif view.strides[-2:] == (1, 0):
            sizes = (rows, 1)
        elif not any(view.strides[-2:]):
            sizes = (1, 1)
        else:
            return None
        found = target._replace(sizes=sizes, strides=packed_strides(sizes))
        return found if found.size_bytes == target.size_bytes else None


def matrix(view: View, *, is_transposed: bool) -> View:
    """Return a packed matrix without other dimensions, as products take it."""
    sizes = view.sizes[-2:]
    strides = packed_strides(sizes)
    if is_transposed:
        sizes, strides = sizes[::-1], strides[::-1]
    return view._replace(sizes=sizes, strides=strides)


def _only_narrows(step: ProgramStep) -> bool:
    """Return whether a program is nothing but the rounding of FLOAT32 to FLOAT16."""
    program = step.program
    return (
        [each[:3] for each in program.instructions] == [("convert", "float32", "float16")]
        and program.inputs == ("float32",)
        and step.input_strides == step.output_strides
        and step.inputs[0].element_count == step.outputs[0].element_count
        and step.inputs[0].is_packed
        and step.outputs[0].is_packed
    )


def _is_transposed(made: View, read: View) -> bool | None:
    """Return whether a matrix, or the first rows of it, is read transposed; None if otherwise."""
    if prod(made.sizes[:-2]) != 1 or prod(read.sizes[:-2]) != 1 or not made.is_packed:
        return None
    depth, columns = read.sizes[-2:]
    rows, width = made.sizes[-2:]
    if read.offset:
        return None
    if width == columns and depth <= rows and read.strides[-2:] == (width, 1):
        return False
    if rows == columns and depth <= width and read.strides[-2:] == (1, width):
        return True
    return None
