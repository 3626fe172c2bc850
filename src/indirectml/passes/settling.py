"""A pass over plans of graphs: products of what is dequantized, and then quantized, go by integers.

A product or a convolution whose operands are dequantized, and whose result is quantized before
anything else reads it, becomes one of the integers, exact, and a step that settles the results by
it (`arithmetic/settling.py`). Neither the operands nor the product are ever in memory as floats. A
bias, a relu and a clip between both are taken along.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from math import prod
from typing import Any, NamedTuple

from indirectml import _native
from indirectml.arithmetic.contraction import contract, contract_integer
from indirectml.arithmetic.convolution import convolve, convolve_integer
from indirectml.arithmetic.settling import (
    MOST_DEPTH,
    settle,
    settle_convolution,
    settles_convolutions,
)
from indirectml.core.data_types import TensorDataType
from indirectml.core.settings import Settings
from indirectml.core.tensors import packed_strides
from indirectml.passes.limiting import limits_of
from indirectml.passes.stored_weights import ELEMENT_WISE as DEQUANTIZES
from indirectml.passes.stored_weights import Matches, dequantizes, matrix
from indirectml.plans import Plan, ProgramStep, Step, View, WordStep

_CONTRACT: Any = contract.word  # type: ignore[attr-defined]
_CONTRACT_INTEGER: Any = contract_integer.word  # type: ignore[attr-defined]
_SETTLE: Any = settle.word  # type: ignore[attr-defined]
_CONVOLVE: Any = convolve.word  # type: ignore[attr-defined]
_CONVOLVE_INTEGER: Any = convolve_integer.word  # type: ignore[attr-defined]
_SETTLE_CONVOLUTION: Any = settle_convolution.word  # type: ignore[attr-defined]

_QUANTIZES = ("ELEMENT_WISE_QUANTIZE_LINEAR",)
_BYTES = (TensorDataType.INT8, TensorDataType.UINT8)

_WINDOWS = ("strides", "dilations", "start_padding", "end_padding", "group_count")


class _Quantized(NamedTuple):
    """Integers, and how numbers become them."""

    numbers: View
    scale: View
    zero_point: View | None


class _Product(NamedTuple):
    """A product, or a convolution, of what is dequantized."""

    number: int
    step: WordStep
    left: _Quantized
    tail: _Tail
    weights: _Quantized
    #: What it needs no more.
    gone: tuple[int, ...]
    #: That of integers, and the one that settles what comes out.
    words: tuple[Any, Any]
    #: Of a convolution.
    bias: View | None = None
    fields: tuple[tuple[str, Any], ...] = ()


class _Tail(NamedTuple):
    """What follows a product up to its quantization."""

    steps: list[int]
    bias: View | None
    limits: dict[str, float]
    result: _Quantized


def settled(plan: Plan) -> Plan:
    """Return a plan with products of integers instead of those of dequantized ones.

    As it is, where the processor multiplies integers no faster than floats.
    """
    if not any(map(_quantizes, plan.steps)) or not any(map(dequantizes, plan.steps)):
        return plan
    gaining = [_CONTRACT] if gains_by_integers() else []
    gaining += [_CONVOLVE] if gains_by_integers(of_pixels=True) else []
    return _Pass(plan, gaining).plan() if gaining else plan


def gains_by_integers(*, of_pixels: bool = False) -> bool:
    """Return whether integers are so much faster than floats that exact sums pay.

    Those of products, or of convolutions.
    """
    return _native.settles(Settings.policy, of_pixels)


def _quantizes(step: Step) -> bool:
    return isinstance(step, ProgramStep) and step.operator_names == _QUANTIZES


class _Pass:
    """A plan in the making."""

    def __init__(self, plan: Plan, gaining: Sequence[Any]) -> None:
        self._plan = plan
        self._gaining = gaining
        self._matches = Matches(plan)
        self._flow = self._matches.flow
        self._temporaries = list(plan.temporaries)
        self._left = {buffer: len(readers) for buffer, readers in self._flow.readers.items()}

    def plan(self) -> Plan:
        """Return the plan."""
        products = [self._found(number, step) for number, step in enumerate(self._plan.steps)]
        found = [each for each in products if each is not None]
        readers = Counter(each.weights.numbers.offset for each in found)
        made: dict[int, tuple[Step, ...]] = {}
        for each in found:
            # Weights are in one form for all that read them.
            offset = each.weights.numbers.offset
            if readers[offset] == self._matches.readers[offset]:
                made |= self._settled(each)
        if not made:
            return self._plan
        steps = (made.get(n, (step,)) for n, step in enumerate(self._plan.steps))
        return replace(
            self._plan,
            steps=tuple(step for some in steps for step in some),
            temporaries=tuple(self._temporaries),
        )

    def _found(self, number: int, step: Step) -> _Product | None:
        """Return what a step is, if it is a product of weights that are dequantized."""
        if not isinstance(step, WordStep) or step.word not in self._gaining:
            return None
        a, (out,) = step.inputs[0], step.outputs
        left = None if a is None else self._left_side(a)
        tail = self._tail(out, is_product=step.word is _CONTRACT)
        if left is None or tail is None or not out.is_packed:
            return None
        find = self._product if step.word is _CONTRACT else self._convolution
        return find(number, step, left, tail)

    def _product(
        self, number: int, step: WordStep, left: _Quantized, tail: _Tail
    ) -> _Product | None:
        a = step.inputs[0]
        found = self._matches.of(number, step)
        if a is None or found is None:
            return None
        _, numbers, scale, zero_point = found.step.inputs
        if numbers is None or scale is None:
            return None
        numbers = matrix(numbers, is_transposed=found.forms[numbers.offset].is_transposed)
        if not self._is_taken(a, numbers, scale):
            return None
        weights = _Quantized(numbers, _line(scale), zero_point and _line(zero_point))
        return _Product(number, step, left, tail, weights, found.gone, (_CONTRACT_INTEGER, _SETTLE))

    def _convolution(
        self, number: int, step: WordStep, left: _Quantized, tail: _Tail
    ) -> _Product | None:
        x, w, bias = step.inputs
        (out,) = step.outputs
        fields = dict(step.fields)
        if x is None or w is None or not x.is_packed or not _is_forward(fields):
            return None
        pixels = out.sizes[0] * prod(out.sizes[2:])
        if not settles_convolutions(pixels, w.sizes, fields["group_count"]):
            return None
        found = self._filters(w, number)
        if found is None:
            return None
        weights, maker = found
        own = tuple((name, fields[name]) for name in _WINDOWS)
        words = _CONVOLVE_INTEGER, _SETTLE_CONVOLUTION
        bias = bias and _line(bias)
        return _Product(number, step, left, tail, weights, (maker,), words, bias, own)

    def _settled(self, found: _Product) -> dict[int, tuple[Step, ...]]:
        """Return what becomes of steps, by number: of a product, and of those around it."""
        a, (out,) = found.step.inputs[0], found.step.outputs
        left, tail, weights = found.left, found.tail, found.weights
        inputs = left.numbers, weights.numbers, left.zero_point, weights.zero_point
        sums = self._new(TensorDataType.INT32, out)
        name = found.step.operator_name
        product = WordStep(found.words[0], name, found.fields, inputs, (sums,))
        result = tail.result.numbers
        limits = tail.limits | {"is_signed": result.data_type is TensorDataType.INT8}
        names = [self._plan.steps[n].operator_names for n in tail.steps]  # type: ignore[union-attr]
        *joined, name = [each for some in names for each in some]
        settling = WordStep(
            found.words[1],
            name,
            (*found.fields, *limits.items()),
            (
                *inputs, sums, left.scale, weights.scale, tail.result.scale,
                tail.result.zero_point, found.bias or tail.bias,
            ),
            (result,),
            tuple(joined),
        )  # fmt: skip
        gone = [found.number, *found.gone, *tail.steps]
        assert a is not None  # noqa: S101 (it is what is dequantized)
        self._left[a.buffer] -= 1
        if not self._left[a.buffer]:
            gone += self._flow.writers[a.buffer]
        return dict.fromkeys(gone, ()) | {tail.steps[-1]: (product, settling)}

    def _filters(self, w: View, reader: int) -> tuple[_Quantized, int] | None:
        """Return what filters are dequantized from that one step reads, and by which step."""
        number = self._flow.writer(w.buffer) if w.buffer > self._plan.persistent else None
        step = None if number is None else self._plan.steps[number]
        if number is None or self._flow.readers.get(w.buffer) != [reader] or not w.is_packed:
            return None
        if not isinstance(step, ProgramStep) or step.operator_names != DEQUANTIZES or w.offset:
            return None
        if any(view.buffer != self._plan.persistent for view in step.inputs):
            return None
        found = _by_numbers(step, step.inputs[0], w, w.sizes[0])
        return found and (found, number)

    def _is_taken(self, a: View, numbers: View, scale: View) -> bool:
        """Return whether a product has sizes and data types that integers settle."""
        types = numbers.data_type in _BYTES and scale.data_type is TensorDataType.FLOAT32
        depth, columns = numbers.sizes
        return (
            types
            and scale.sizes in ((1, 1), (1, columns))
            and self._matches.readers[numbers.offset] == 1
            and a.sizes[-1] == depth <= MOST_DEPTH
            and a.is_packed
        )

    def _new(self, data_type: TensorDataType, like: View) -> View:
        """Return a new tensor between steps."""
        buffer = self._plan.persistent + 1 + len(self._temporaries)
        size_bytes = like.element_count * data_type.item_bytes
        self._temporaries.append(size_bytes)
        return View(buffer, data_type, like.sizes, packed_strides(like.sizes), 0, size_bytes)

    def _left_side(self, a: View) -> _Quantized | None:
        """Return what the left side of a product is dequantized from."""
        number = None if a.buffer <= self._plan.persistent else self._flow.writer(a.buffer)
        step = None if number is None else self._plan.steps[number]
        if not isinstance(step, ProgramStep) or step.operator_names != DEQUANTIZES:
            return None
        found = _by_numbers(step, step.inputs[0], a)
        return found if step.outputs[0].offset == a.offset else None

    def _tail(self, out: View, *, is_product: bool = True) -> _Tail | None:
        """Return what follows a product, if nothing else reads it before it is quantized.

        A bias is part of a convolution, and so is taken along behind products alone.
        """
        steps: list[int] = []
        bias: View | None = None
        limits: dict[str, float] = {}
        read = out
        while True:
            if read.buffer <= self._plan.persistent or self._flow.writer(read.buffer) is None:
                return None
            readers = self._flow.readers.get(read.buffer, [])
            step = self._plan.steps[readers[0]] if len(readers) == 1 else None
            if not isinstance(step, ProgramStep) or not _are_alike(step, read):
                return None
            steps.append(readers[0])
            if step.operator_names == _QUANTIZES:
                result = _by_numbers(step, step.outputs[0], out)
                return result and _Tail(steps, bias, limits, result)
            found = limits_of(step.program)
            if found is not None and found[0] in {"relu", "clip"} and not found[3] and not limits:
                what, least, most, _ = found
                limits = {"least": least, "most": most if what == "clip" else math.inf}
            elif is_product and bias is None and not limits:
                bias = _bias(step, read)
                if bias is None:
                    return None
            else:
                return None
            read = step.outputs[0]


def _line(view: View) -> View:
    """Return elements of a packed view as a line."""
    sizes = (view.element_count,)
    return view._replace(sizes=sizes, strides=(1,))


def _are_alike(step: ProgramStep, read: View) -> bool:
    """Return whether a program goes over all elements of a packed view, in their order."""
    (written,) = step.outputs if len(step.outputs) == 1 else (None,)
    if written is None:
        return False
    views = [view for view in step.inputs if view.buffer == read.buffer]
    return (
        len(views) == 1
        and views[0].offset == read.offset
        and views[0].data_type is read.data_type
        and all(
            view.is_packed and view.element_count == prod(step.sizes) == read.element_count
            for view in (*views, written)
        )
    )


def _is_forward(fields: dict[str, Any]) -> bool:
    """Return whether a convolution is one that integers have, without limits."""
    return (
        fields["mode"] == "cross_correlation"
        and fields["direction"] == "forward"
        and not any(fields["output_padding"])
        and "limits" not in fields
    )


def _by_numbers(
    step: ProgramStep, integers: View, like: View, filters: int = 1
) -> _Quantized | None:
    """Return integers as another view is, and the scale and zero point of a program.

    One of each, or one for each of so many filters.
    """
    numbers = [view for view in step.inputs if view.data_type is not TensorDataType.FLOAT32]
    scale, *zero_points = step.inputs[1:]
    if integers.data_type not in _BYTES or not integers.is_packed or not like.is_packed:
        return None
    if integers.element_count != like.element_count or len(zero_points) > 1:
        return None
    types = {view.data_type for view in (*numbers, *zero_points)} | {integers.data_type}
    if scale.data_type is not TensorDataType.FLOAT32 or len(types) > 1:
        return None
    counts = [_repetitions(step.sizes, strides, filters) for strides in step.input_strides[1:]]
    count = counts[0]
    if count is None or len(set(counts)) > 1:
        return None
    own = [view._replace(sizes=(count,), strides=(1,)) for view in (scale, *zero_points)]
    there = integers._replace(sizes=like.sizes, strides=packed_strides(like.sizes))
    return _Quantized(there, own[0], own[1] if zero_points else None)


def _repetitions(sizes: tuple[int, ...], strides: tuple[int, ...], filters: int) -> int | None:
    """Return how many numbers a program repeats: one, or one for each of the first elements."""
    long = [(size, stride) for size, stride in zip(sizes, strides, strict=True) if size != 1]
    if not any(stride for _, stride in long):
        return 1
    is_by_filter = long[0] == (filters, 1) and not any(stride for _, stride in long[1:])
    return filters if is_by_filter else None


def _bias(step: ProgramStep, read: View) -> View | None:
    """Return what a program adds to each row of a matrix, if it does nothing else."""
    program = step.program
    if [each[:3] for each in program.instructions] != [("add", "float32", "float32")]:
        return None
    if program.inputs != ("float32", "float32") or program.constants:
        return None
    ((added, strides),) = (
        pair
        for pair in zip(step.inputs, step.input_strides, strict=True)
        if pair[0].buffer != read.buffer
    )
    columns = read.sizes[-1]
    if step.sizes[-1:] != (columns,) or strides[-1] != 1 or any(strides[:-1]):
        return None
    return added._replace(sizes=(columns,), strides=(1,))
