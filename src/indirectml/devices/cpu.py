"""The CPU: steps of a plan over arrays and buffers in its memory."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np

from indirectml import _native
from indirectml.arithmetic.contraction import Packed, pack
from indirectml.catalogue import operator_facts
from indirectml.core.binding_rules import find_shared_elements
from indirectml.core.buffers import (
    RAW_MEMORY,
    as_readable_array,
    as_writable_array,
    fill_buffer,
    open_output,
    raw_memory,
)
from indirectml.core.data_types import TensorDataType, as_data_type
from indirectml.core.errors import BindingError, DirectMLError, LayoutError
from indirectml.core.settings import State
from indirectml.core.tensor_buffers import (
    bytes_in_halves,
    elements_of,
    from_halves,
    into_halves,
)
from indirectml.core.tensors import TensorDesc
from indirectml.operators import compute_function, writes_output
from indirectml.passes.fusion import fuse
from indirectml.passes.packing import pack_constants
from indirectml.plans import (
    ComputeStep,
    DataStep,
    FillStep,
    PackStep,
    Plan,
    ProgramStep,
    Step,
    View,
    WordStep,
)

Array = np.ndarray[Any, Any]


_FLOAT16 = np.dtype(np.float16)

#: What a function returns that returns no sequence.
_ONE_RESULT = (np.ndarray, np.generic)


class Elements(NamedTuple):
    """An array that stands for a whole tensor, and says itself where its elements lie."""

    array: Array


#: A buffer of a plan: bytes, in which views say where elements lie, or elements.
Memory = Array | Elements | None


def missing() -> str:
    """Return nothing: every machine has a CPU."""
    return ""


def refusal(step: Step) -> str | None:  # noqa: ARG001 (it runs every step)
    """Return None: the CPU runs every step."""
    return None


def prepared(plan: Plan) -> Plan:
    """Return a plan with element-wise steps joined, and its constants as they are read."""
    return pack_constants(fuse(plan))


def run(plan: Plan, outputs: Sequence[Any], inputs: Sequence[Any] = ()) -> None:
    """Carry out the steps of a plan on arrays.

    Parameters
    ----------
    plan : Plan
        From a checked descriptor of one operator.
    outputs, inputs : sequence of array or buffer
        One per output and input of the plan. Raw memory (bytes, bytearray, memoryview, mmap) is
        the memory of the tensor, of at least its total size: the descriptor's strides say where
        elements lie. Anything else is an array of the elements, of the tensor's data type and
        sizes: its own strides say where they lie.

    Raises
    ------
    BindingError
        Memory is too small, an array has another data type or other sizes, or an output lies on
        an input or on another output.
    DataTypeError, LayoutError
        An output is no array, is read-only, or its elements share memory.
    """
    memories: list[Memory] = []
    are_plain = True
    for place, opened, tensors, arrays in (
        ("inputs", _input, plan.inputs, inputs),
        ("out", _output, plan.outputs, outputs),
    ):
        for number, tensor in enumerate(tensors):
            given = arrays[number]
            if given is None and tensor is None:
                memories.append(None)
                continue
            if _is_plain(tensor, given):
                memories.append(Elements(given))
                continue
            are_plain = False
            try:
                memories.append(_opened(tensor, given, opened))
            except DirectMLError as error:
                raise error.within(f"{place}[{number}]") from None
    written = set(map(id, outputs))
    if not are_plain or len(written) < len(outputs) or not written.isdisjoint(map(id, inputs)):
        _refuse_shared_memory(plan, memories)
    temporary = np.empty(plan.temporary_size, np.uint8) if plan.temporary_size else None
    if are_plain and plan.is_packed:
        # Their memory is that of the tensors.
        execute(_ready(plan), [*inputs, *outputs, temporary, None])
    elif plan.reads_whole_tensors:
        execute(plan.steps_in_place, [*memories, temporary, None])
    else:
        execute(plan.called_in_place, [*memories, temporary, None])


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
    return lambda out: fill(out, State.policy)


class NativeSteps(NamedTuple):
    """Steps that the native core carries out in one call, over buffers of bytes."""

    steps: tuple[Step, ...]
    native: _native.StepList

    def run(self, memories: Sequence[Memory]) -> None:
        """Carry them out."""
        done = self.native.run(memories, State.policy, 0)
        while done < len(self.steps):
            # Memory that kernels do not take.
            _execute(self.steps[done : done + 1], memories)
            done = self.native.run(memories, State.policy, done + 1)


def joined(steps: Iterable[Step], kept: Sequence[Memory] = ()) -> tuple[Step | NativeSteps, ...]:
    """Return steps with those as one that follow each other in the native core."""
    found: list[Step | NativeSteps] = []
    for is_native, group in itertools.groupby(steps, lambda step: native_form(step) is not None):
        those = tuple(group)
        # Fills alone have lists of their own, which do not look for buffers each time.
        if is_native and not all(isinstance(step, FillStep) for step in those):
            forms = [form for step in those if (form := native_form(step)) is not None]
            found.append(NativeSteps(those, _native.StepList(forms, kept)))
        else:
            found += those
    return tuple(found)


def native_form(step: Step) -> _native.Step | None:
    """Return what the native core carries out for a step; None where Python does."""
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
        elif isinstance(step, WordStep):
            _native.guarded(_speak, step, memories)
        elif isinstance(step, FillStep):
            fill_buffer(_native.OpenBuffer(_view(memories, step.output)), step.sequence)
        elif isinstance(step, ComputeStep):
            # A caller's processor modes have no say, in NumPy's steps either.
            _native.guarded(_compute, step, memories)
        elif isinstance(step, DataStep):
            target = _bytes(memories, step.target)
            target[...] = np.frombuffer(step.data.ljust(target.size, b"\0"), np.uint8)
        elif isinstance(step, PackStep):
            matrices = _view(memories, step.source)
            if step.target.panels is not None and step.target.panels.is_transposed:
                matrices = matrices.swapaxes(-1, -2)
            pack(matrices, _view(memories, step.target))
        else:
            _bytes(memories, step.target)[...] = _bytes(memories, step.source)


def _run_program(step: ProgramStep, memories: Sequence[Memory]) -> None:
    """Carry out a program: on buffers of bytes, or on arrays that say where their elements lie."""
    for memory in memories:  # any() of a generator takes a twentieth of a small call
        if memory.__class__ is Elements:
            arrays = [_view(memories, view) for view in (*step.inputs, *step.outputs)]
            step.program.native.run(arrays, State.policy)
            return
    NativeSteps((step,), _native.StepList([step.native])).run(memories)


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
                buffer = _native.OpenBuffer(_view(memories, step.output))
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
                part.execute(State.policy)
            else:
                _execute((part[0],), part[1])


def new_output(tensor: TensorDesc) -> Array:
    """Return a new array for a tensor: packed, or a view of zeros where there are strides."""
    if tensor.strides is None and not tensor.is_packed_in_halves:
        return np.empty(tensor.sizes, tensor.data_type.dtype)
    return elements_of(tensor, np.zeros(tensor.total_tensor_size_in_bytes, np.uint8))


def new_memory(size_bytes: int, *, zeroed: bool) -> Array:
    """Return memory of so many bytes."""
    return np.zeros(size_bytes, np.uint8) if zeroed else np.empty(size_bytes, np.uint8)


def _view(memories: Sequence[Memory], view: View) -> Array:
    memory = memories[view.buffer]
    if isinstance(memory, Elements):
        return memory.array
    # NumPy would make memory of its own of None, with anything in it.
    assert memory is not None  # noqa: S101 (what a step reads or writes is bound)
    if view.is_in_halves:
        return np.ndarray((view.size_bytes,), np.uint8, memory, view.offset)
    return np.ndarray(view.sizes, view.data_type.dtype, memory, view.offset, view.strides_bytes)


def _read(memories: Sequence[Memory], view: View) -> Any:
    """Return the elements of an input; INT4 and UINT4 as INT8 and UINT8, packed ones packed."""
    found = _view(memories, view)
    if view.panels is not None:
        _, is_transposed, filter_sizes = view.panels
        return Packed(found, view.panels.columns, is_transposed, filter_sizes)
    return from_halves(view.tensor, found) if view.is_in_halves else found


def _bytes(memories: Sequence[Memory], view: View) -> Array:
    memory = memories[view.buffer]
    assert isinstance(memory, np.ndarray)  # noqa: S101 (copies are of graphs, which have bytes)
    return memory[view.offset : view.offset + view.size_bytes]


def _speak(step: WordStep, memories: Sequence[Memory]) -> None:
    """Carry out a word by its NumPy form."""
    word = step.word
    arrays = [None if view is None else _read(memories, view) for view in step.inputs]
    targets = [_view(memories, view) for view in step.outputs]
    given = dict(zip(word.arrays, arrays, strict=True)) | step.arguments
    target = targets[0]
    is_written = step.is_in_place or (
        word.writes(target.dtype, given) and _can_be_written(target, arrays)
    )
    with np.errstate(all="ignore"):
        results = word.function(**given, **({"out": target} if is_written else {}))
        if isinstance(results, _ONE_RESULT):
            results = (results,)
        if word.temporary is not None:
            targets.pop()
        for target, result in zip(targets, results, strict=True):
            if result is not target:
                np.copyto(target, result, casting="same_kind")


def _compute(step: ComputeStep, memories: Sequence[Memory]) -> None:
    arrays = [None if v is None else _read(memories, v) for v in step.inputs]
    out = None
    if writes_output(step.operator_name):
        out = _place_of_output(step, memories, arrays)
    if step.is_arithmetic and out is None:
        arrays = [
            a.astype(np.float32) if isinstance(a, np.ndarray) and a.dtype == _FLOAT16 else a
            for a in arrays
        ]
    # Infinities and NaNs are results, and integers wrap.
    with np.errstate(all="ignore"):
        compute = compute_function(step.operator_name)
        place = {} if out is None else {"out": out}
        results = compute(step.desc, *arrays, **place)
        if isinstance(results, _ONE_RESULT):
            results = (results,)
        moved: frozenset[int] = getattr(step.desc, "moved_outputs", frozenset())
        written = [(k, view) for k, view in enumerate(step.outputs) if view is not None]
        for (number, view), result in zip(written, results, strict=True):
            if result is out:
                continue
            target = _view(memories, view)
            if view.is_in_halves:
                into_halves(view.tensor, target, result)
                continue
            np.copyto(target, result, casting="same_kind")
            if step.is_arithmetic and target.dtype.kind == "f" and number not in moved:
                target[np.isnan(target)] = np.nan


def _place_of_output(
    step: ComputeStep, memories: Sequence[Memory], arrays: Sequence[Any]
) -> Array | None:
    """Return the first output, where a definition may write while it reads the inputs."""
    view = step.outputs[0]
    if view is None or view.is_in_halves:
        return None
    target = _view(memories, view)
    if step.is_arithmetic and target.dtype.kind != "f":
        return None
    return target if _can_be_written(target, arrays) else None


def _can_be_written(target: Array, arrays: Sequence[Any]) -> bool:
    """Return whether an array may be written while others are read."""
    if not (target.flags.c_contiguous and target.flags.aligned):
        return False
    return not any(isinstance(a, np.ndarray) and np.may_share_memory(target, a) for a in arrays)


def _refuse_shared_memory(plan: Plan, memories: Sequence[Memory]) -> None:
    """Refuse outputs that lie on inputs or on each other, by the rule of binding tables."""
    arrays = [m.array if isinstance(m, Elements) else m for m in memories]
    inputs, outputs = arrays[: len(plan.inputs)], arrays[len(plan.inputs) :]
    names = [
        name
        for step in plan.steps
        if isinstance(step, ComputeStep | WordStep | ProgramStep)
        for name in step.operator_names
    ]
    in_place = bool(names) and all(operator_facts(name).in_place for name in names)
    shared = find_shared_elements(outputs, inputs, in_place=in_place)
    if shared is not None:
        raise BindingError(
            f"needs memory of its own, apart from that of {shared[1]}", field=f"out[{shared[0]}]"
        )


def _is_plain(tensor: TensorDesc | None, given: Any) -> bool:
    """Return whether an array is fit for a tensor without a closer look, and owns its memory."""
    if given.__class__ is not np.ndarray or tensor is None or given.shape != tensor.sizes_tuple:
        return False
    flags = given.flags
    is_simple = flags.owndata and flags.c_contiguous and flags.writeable
    dtype = tensor.data_type.dtype
    return is_simple and given.dtype == dtype and dtype is not None


def _opened(
    tensor: TensorDesc | None, given: Any, opened: Callable[[TensorDesc, Any], Memory]
) -> Memory:
    """Return the memory that is given for a tensor: None exactly for one that is left out."""
    if tensor is not None and given is not None:
        return opened(tensor, given)
    if tensor is None and given is None:
        return None
    raise BindingError(
        "needs None, since the optional tensor is left out"
        if tensor is None
        else f"needs an array of {tensor.data_type.name} with sizes {tensor.sizes}",
        given="None" if given is None else type(given).__name__,
    )


def _input(tensor: TensorDesc, given: Any) -> Memory:
    if isinstance(given, RAW_MEMORY):
        return _large_enough(tensor, raw_memory(given))
    array = as_readable_array(given)
    if tensor.is_packed_in_halves:
        return bytes_in_halves(tensor, array)
    return _fitting(tensor, array, as_data_type(array.dtype))


def _output(tensor: TensorDesc, out: Any) -> Memory:
    if isinstance(out, RAW_MEMORY):
        memory = _large_enough(tensor, raw_memory(out))
        if not memory.flags.writeable:
            raise LayoutError("needs writable memory", given=f"read-only {type(out).__name__}")
        return memory
    _, data_type = open_output(out)
    array = as_writable_array(out)
    if tensor.is_packed_in_halves:
        return bytes_in_halves(tensor, array)
    return _fitting(tensor, array, data_type)


def _large_enough(tensor: TensorDesc, memory: Array) -> Array:
    if memory.size < tensor.total_tensor_size_in_bytes:
        raise BindingError(
            f"needs at least {tensor.total_tensor_size_in_bytes} bytes of raw memory for a tensor "
            f"of {tensor.data_type.name} with sizes {tensor.sizes}",
            given=f"{memory.size}",
        )
    return memory


def _fitting(tensor: TensorDesc, array: Array, data_type: TensorDataType) -> Elements:
    if data_type is tensor.data_type and array.shape == tensor.sizes_tuple:
        return Elements(array)
    is_memory = data_type is TensorDataType.UINT8 and array.flags.c_contiguous
    raise BindingError(
        f"needs an array of {tensor.data_type.name} with sizes {tensor.sizes}",
        given=f"{data_type.name} with sizes {list(array.shape)}",
        hint="if it is the tensor's memory, give memoryview(array)" if is_memory else None,
    )
