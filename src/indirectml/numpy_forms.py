"""Steps of plans by their NumPy forms, over memory of the host.

That is the reference for every device, and what a device may fall back on.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from indirectml import _native
from indirectml.arithmetic import functions
from indirectml.arithmetic.basics import Array, quantized_to, truncated_to
from indirectml.arithmetic.contraction import pack
from indirectml.arithmetic.integers_in_panels import pack_integers
from indirectml.arithmetic.stored_weights import store
from indirectml.arithmetic.sums import quieted
from indirectml.core.buffers import fill_buffer
from indirectml.core.tensor_buffers import from_halves
from indirectml.panels import in_panels_of
from indirectml.plans import DataStep, FillStep, PackStep, ProgramStep, Step, View, WordStep
from indirectml.programs import CANONICAL, Program


class Elements(NamedTuple):
    """An array that stands for a whole tensor, and says itself where its elements lie."""

    array: Array


#: A buffer of a plan: bytes, in which views say where elements lie, or elements.
Memory = Array | Elements | None


def carry_out(step: Step, memories: Sequence[Memory]) -> None:
    """Carry out a step over the buffers of its plan, whatever modes the processor is in."""
    _native.guarded(_carry_out, step, memories)


def _carry_out(step: Step, memories: Sequence[Memory]) -> None:
    # Infinities and NaNs are results, and integers wrap.
    with np.errstate(all="ignore"):
        if isinstance(step, WordStep):
            _speak(step, memories)
        elif isinstance(step, ProgramStep):
            _calculate(step, memories)
        elif isinstance(step, FillStep):
            fill_buffer(_native.OpenBuffer(array_at(memories, step.output)), step.sequence)
        elif isinstance(step, DataStep):
            target = bytes_at(memories, step.target)
            target[...] = np.frombuffer(step.data.ljust(target.size, b"\0"), np.uint8)
        elif isinstance(step, PackStep):
            _pack(step, memories)
        else:
            bytes_at(memories, step.target)[...] = bytes_at(memories, step.source)


def _pack(step: PackStep, memories: Sequence[Memory]) -> None:
    matrices, target = array_at(memories, step.source), array_at(memories, step.target)
    panels = step.target.panels
    assert panels is not None  # noqa: S101 (that is what a target of packing has)
    if panels.data_type is not None:
        rows, columns = panels.sizes
        sizes = (rows, columns) if step.source.is_in_halves else None
        store(matrices, panels.data_type, target, is_transposed=panels.is_transposed, sizes=sizes)
        return
    if target.dtype.kind != "f" and panels.filter_sizes:
        filters = matrices.reshape(panels.filter_sizes)
        pack_integers(filters, target, is_filter=True, group_count=panels.pixel_groups)
        return
    if panels.is_transposed:
        matrices = matrices.swapaxes(-1, -2)
    if target.dtype.kind == "f":
        pack(matrices, target)
    else:
        pack_integers(matrices, target)


# ---- memory ----


def array_at(memories: Sequence[Memory], view: View) -> Array:
    """Return the elements of a view as an array over a buffer."""
    memory = memories[view.buffer]
    if isinstance(memory, Elements):
        return memory.array
    # NumPy would make memory of its own of None, with anything in it.
    assert memory is not None  # noqa: S101 (what a step reads or writes is bound)
    if view.is_in_halves:
        return np.ndarray((view.size_bytes,), np.uint8, memory, view.offset)
    return np.ndarray(view.sizes, view.data_type.dtype, memory, view.offset, view.strides_bytes)


def bytes_at(memories: Sequence[Memory], view: View) -> Array:
    """Return the bytes of a view of a whole tensor."""
    memory = memories[view.buffer]
    assert isinstance(memory, np.ndarray)  # noqa: S101 (copies are of graphs, which have bytes)
    return memory[view.offset : view.offset + view.size_bytes]


def _read(memories: Sequence[Memory], view: View) -> Any:
    """Return the elements of an input; INT4 and UINT4 as INT8 and UINT8, panels as such."""
    found = array_at(memories, view)
    if view.panels is not None:
        return in_panels_of(view.panels, found)
    return from_halves(view.tensor, found) if view.is_in_halves else found


def _can_be_written(target: Array, arrays: Sequence[Any]) -> bool:
    """Return whether an array may be written while others are read."""
    if not (target.flags.c_contiguous and target.flags.aligned):
        return False
    return not any(isinstance(a, np.ndarray) and np.may_share_memory(target, a) for a in arrays)


# ---- words ----

#: What a function returns that returns no sequence.
_ONE_RESULT = (np.ndarray, np.generic)


def _speak(step: WordStep, memories: Sequence[Memory]) -> None:
    """Carry out a word."""
    word = step.word
    arrays = [None if view is None else _read(memories, view) for view in step.inputs]
    targets = [array_at(memories, view) for view in step.outputs]
    given = dict(zip(word.arrays, arrays, strict=True)) | step.arguments
    target = targets[0]
    is_part = word.is_in_place and arrays[0] is None
    is_written = is_part or (word.writes(target.dtype, given) and _can_be_written(target, arrays))
    results = word.function(**given, **({"out": target} if is_written else {}))
    if isinstance(results, _ONE_RESULT):
        results = (results,)
    if word.temporary is not None:
        targets.pop()
    for target, result in zip(targets, results, strict=True):
        if result is not target:
            np.copyto(target, result, casting="same_kind")


# ---- programs ----


def _calculate(step: ProgramStep, memories: Sequence[Memory]) -> None:
    """Carry out a program."""
    given = [
        array_at(memories, view._replace(sizes=step.sizes, strides=strides))
        for view, strides in zip(step.inputs, step.input_strides, strict=True)
    ]
    results = calculated(step.program, given)
    for view, strides, result in zip(step.outputs, step.output_strides, results, strict=True):
        target = array_at(memories, view._replace(sizes=step.sizes, strides=strides))
        np.copyto(target, result.view(target.dtype))


def calculated(program: Program, arrays: Sequence[Array]) -> list[Array]:
    """Return what a program makes of arrays: the outputs, operation by operation.

    Examples
    --------
    >>> from indirectml.programs import Instruction
    >>> sums = (Instruction("add", "float32", "float32", (0, 0)),)
    >>> double = Program(("float32",), (), sums, (1,))
    >>> calculated(double, [np.array([1, 2], np.float32)])
    [array([2., 4.], dtype=float32)]
    """
    values = [_typed(x, type_) for x, type_ in zip(arrays, program.inputs, strict=True)]
    for type_, bits in program.constants:
        dtype = np.dtype(type_)
        values.append(np.array(bits, f"u{dtype.itemsize}").view(dtype))
    for name, source, type_, sources in program.instructions:
        kinds = ("uint8", source, source) if name == "choose" else (source,) * len(sources)
        given = [_typed(values[n], kind) for n, kind in zip(sources, kinds, strict=True)]
        result = np.asarray(_operation(name, given, np.dtype(type_)))
        is_float = result.dtype.kind == "f"
        is_computed = name in CANONICAL or name == "convert"
        values.append(quieted(result) if is_float and is_computed else result)
    return [values[n] for n in program.outputs]


def _typed(x: Array, type_: str) -> Array:
    """Return the bits of elements as those of another type of their width."""
    return x if x.dtype == type_ else x.view(type_)


#: Correctly rounded functions; all else is NumPy's, exact or rounded once.
_FUNCTIONS = frozenset(_native.functions())


def _operation(name: str, given: list[Array], dtype: np.dtype[Any]) -> Any:
    """Return the result of an instruction."""
    if name == "choose":
        return np.where(given[0] != 0, given[1], given[2])
    if name in {"canonical", "convert"}:
        return given[0].astype(dtype)
    if name == "truncate":
        return truncated_to(given[0], dtype)
    if name == "quantize":
        return quantized_to(given[0], given[1], dtype)
    if name in _FUNCTIONS:
        return getattr(functions, name)(*given, dtype)
    return getattr(np, name)(*given).astype(dtype)
