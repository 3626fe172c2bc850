"""The CPU: steps of a plan over arrays and buffers in its memory."""

from __future__ import annotations

import itertools
import platform
import sys
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from indirectml import _native, call_arguments, numpy_forms
from indirectml.core.settings import Settings
from indirectml.core.tensor_buffers import elements_of
from indirectml.core.tensors import TensorDesc
from indirectml.numpy_forms import Elements, Memory, array_at
from indirectml.passes.attention import join_attention
from indirectml.passes.fusion import fuse
from indirectml.passes.hoisting import hoist
from indirectml.passes.joining import joined_in_place
from indirectml.passes.layouts import channels_last
from indirectml.passes.limiting import limited
from indirectml.passes.ordering import small_first
from indirectml.passes.packing import pack_constants
from indirectml.passes.padding import padding_taken
from indirectml.passes.parts import Former
from indirectml.passes.settling import gains_by_integers, settled
from indirectml.passes.widening import widened
from indirectml.plans import FillStep, Plan, ProgramStep, Step, WordStep

if TYPE_CHECKING:
    from indirectml.devices import CallForm, DirectCall

Array = np.ndarray[Any, Any]

#: Bytes of a line of the caches.
_LINE_BYTES = 64


def missing() -> str:
    """Return nothing: every machine has a CPU."""
    return ""


def found() -> tuple[str, ...]:
    """Return the one CPU that there is."""
    return (platform.processor() or platform.machine(),)


def opened(number: int) -> Any:  # noqa: ARG001 (there is one)
    """Return the CPU: this module."""
    return sys.modules[__name__]


def examined(number: int) -> tuple[str, ...]:  # noqa: ARG001 (there is one)
    """Return nothing: it computes what is compared with it."""
    return ()


def has_form(step: Step) -> bool:
    """Return whether a step is one of the native code's."""
    return native_form(step) is not None


def refusal(step: Step) -> str | None:  # noqa: ARG001 (it runs every step)
    """Return None: the CPU runs every step."""
    return None


def prepared(plan: Plan, former: Former) -> Plan:
    """Return a plan with steps joined, and its constants as they are read."""
    plan = hoist(join_attention(fuse(padding_taken(settled(plan)), former), former))
    plan = widened(joined_in_place(channels_last(small_first(plan, former))))
    return limited(pack_constants(plan, former))


def keeps_integers() -> bool:
    """Return whether the processor multiplies integers so much faster that it pays."""
    return gains_by_integers(of_pixels=True)


def run(plan: Plan, outputs: Sequence[Any], inputs: Sequence[Any] = ()) -> None:
    """Carry out the steps of a plan on arrays; see `opened`."""
    memories, are_plain = call_arguments.opened(plan, outputs, inputs)
    if are_plain and plan.is_packed:
        # Their memory is that of the tensors.
        execute(_ready(plan), [*inputs, *outputs, _temporary(plan), None])
    elif plan.reads_whole_tensors:
        execute(plan.steps_in_place, [*memories, _temporary(plan), None])
    else:
        arrays = call_arguments.packed(plan, memories)
        execute(_ready(arrays.plan), [*arrays.memories, _temporary(arrays.plan), None])
        arrays.give_back()


def _temporary(plan: Plan) -> Array | None:
    return np.empty(plan.temporary_size, np.uint8) if plan.temporary_size else None


def _ready(plan: Plan) -> Sequence[Step | NativeSteps]:
    """Return the steps of a plan for direct calls; the first one makes them."""
    found: Sequence[Step | NativeSteps] | None = plan.__dict__.get("_ready")
    if found is None:
        found = plan.__dict__["_ready"] = joined(plan.steps_in_place)
    return found


def fill_of(plan: Plan) -> Callable[[Any], bool] | None:
    """Return what fills the one packed array that is the output of a plan of one fill.

    What `run` would do, in a third of the time: one native call checks the array and fills it.
    """
    single = plan.single_fill
    if single is None:
        return None
    fill = single.fill
    return lambda out: fill(out, Settings.policy)


class NativeSteps(NamedTuple):
    """Steps that the native code carries out in one call, over buffers of bytes."""

    steps: tuple[Step, ...]
    native: _native.StepList

    def run(self, memories: Sequence[Memory]) -> None:
        """Carry them out."""
        done = self.native.run(memories, Settings.policy, 0)
        while done < len(self.steps):
            # Memory that kernels do not take.
            _execute(self.steps[done : done + 1], memories)
            done = self.native.run(memories, Settings.policy, done + 1)


def joined(steps: Iterable[Step], kept: Sequence[Memory] = ()) -> tuple[Step | NativeSteps, ...]:
    """Return steps with those as one that follow each other in the native code."""
    found: list[Step | NativeSteps] = []
    both = ((step, native_form(step)) for step in steps)
    for is_native, group in itertools.groupby(both, lambda each: each[1] is not None):
        those, forms = zip(*group, strict=True)
        # Fills alone have lists of their own, which do not look for buffers each time.
        if is_native and not all(isinstance(step, FillStep) for step in those):
            found.append(NativeSteps(those, _native.StepList(list(forms), kept)))
        else:
            found += those
    return tuple(found)


def native_form(step: Step) -> _native.Step | None:
    """Return what the native code carries out for a step; None where Python does."""
    return step.native if isinstance(step, FillStep | WordStep | ProgramStep) else None


def execute(steps: Sequence[Step | NativeSteps], memories: Sequence[Memory]) -> None:
    """Carry out steps over the buffers of their plan, in order."""
    if len(steps) == 1:
        _execute(steps, memories)
    else:
        # Threads that one step has started wait for the next.
        with _native.Crew():
            _execute(steps, memories)


def _execute(steps: Iterable[Step | NativeSteps], memories: Sequence[Memory]) -> None:
    for step in steps:
        if isinstance(step, NativeSteps):
            step.run(memories)
        elif isinstance(step, ProgramStep):
            _run_program(step, memories)
        else:
            numpy_forms.carry_out(step, memories)


def _run_program(step: ProgramStep, memories: Sequence[Memory]) -> None:
    """Carry out a program: on buffers of bytes, or on arrays that say where their elements lie."""
    for memory in memories:  # any() of a generator takes a twentieth of a small call
        if memory.__class__ is Elements:
            arrays = [array_at(memories, view) for view in (*step.inputs, *step.outputs)]
            step.program.native.run(arrays, Settings.policy)
            return
    NativeSteps((step,), _native.StepList([step.native])).run(memories)


def call_of(steps: Sequence[Step | NativeSteps], call: CallForm) -> DirectCall | None:
    """Return what executes steps that one native call carries out, arrays and all.

    It looks at fewer of Python's objects, which are in no cache after a large network: of one that
    takes a millisecond, what was not its steps took a tenth.
    """
    if len(steps) != 1 or not isinstance(steps[0], NativeSteps):
        return None
    inputs = list(call.inputs.items())
    native = _native.Call(steps[0].native, inputs, call.outputs, call.returned, call.temporary)
    run = native.run
    return lambda given, temporary: run(given, temporary, Settings.policy)


def finish() -> None:
    """Return: `execute` has done it all."""


def transferred_bytes() -> tuple[int, int]:
    """Return nothing: memory of the host is its own."""
    return 0, 0


def bind(parts: Iterable[tuple[Iterable[Step], Sequence[Memory]]]) -> BoundSteps:
    """Return steps bound to the buffers of their plans, which are kept."""
    return BoundSteps((step, memories) for steps, memories in parts for step in joined(steps))


class BoundSteps:
    """Steps bound to their memory, carried out together any number of times.

    Fills that follow each other become one native command list, and run in one native call.
    """

    def __init__(self, steps: Iterable[tuple[Step | NativeSteps, Sequence[Memory]]]) -> None:
        self._parts: list[_native.CommandList | tuple[Step | NativeSteps, Sequence[Memory]]] = []
        self._fills: list[tuple[_native.OpenBuffer, _native.Sequence]] = []
        for step, memories in steps:
            if isinstance(step, FillStep):
                buffer = _native.OpenBuffer(array_at(memories, step.output))
                self._fills.append((buffer, step.sequence))
            else:
                self._end_fills()
                self._parts.append((step, memories))
        self._end_fills()

    def _end_fills(self) -> None:
        """Turn the fills so far into a native command list."""
        if self._fills:
            buffers, sequences = zip(*self._fills, strict=True)
            self._parts.append(_native.CommandList(list(buffers), list(sequences)))
            self._fills.clear()

    @property
    def native_call_count(self) -> int:
        """How many native command lists there are."""
        return sum(isinstance(part, _native.CommandList) for part in self._parts)

    def execute(self) -> None:
        """Carry everything out, in order."""
        if len(self._parts) == 1:
            self._execute()
        else:
            with _native.Crew():
                self._execute()

    def _execute(self) -> None:
        for part in self._parts:
            if isinstance(part, _native.CommandList):
                part.execute(Settings.policy)
            else:
                _execute((part[0],), part[1])


def new_output(tensor: TensorDesc) -> Array:
    """Return a new array for a tensor: packed, or a view of zeros where there are strides."""
    if tensor.strides is None and not tensor.is_in_halves:
        return np.empty(tensor.sizes, tensor.data_type.dtype)
    return elements_of(tensor, np.zeros(tensor.total_tensor_size_in_bytes, np.uint8))


def upload(raw: Any) -> Any:
    """Return bytes of the host: they are memory of the CPU."""
    return raw


def readback(memory: Any) -> Any:
    """Return memory: it is the host's."""
    return memory


def new_memory(size_bytes: int, *, zeroed: bool) -> Array:
    """Return memory of so many bytes, from the start of a cache line on.

    Vectors that lie across two lines take twice as long: a row times a matrix on an Intel Emerald
    Rapids, 4.5 us instead of 2.1.
    """
    size = size_bytes + _LINE_BYTES
    memory = np.zeros(size, np.uint8) if zeroed else np.empty(size, np.uint8)
    begin = -_native.address(memory) % _LINE_BYTES
    return memory[begin : begin + size_bytes]
