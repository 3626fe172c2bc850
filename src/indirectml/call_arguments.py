"""What a direct call gives: arrays and raw memory, checked against the tensors of a plan.

Every device takes its arguments from here, so that mistakes read the same on all of them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from indirectml.arithmetic.basics import Array
from indirectml.catalogue import operator_facts
from indirectml.core.binding_rules import find_shared_elements
from indirectml.core.buffers import (
    RAW_MEMORY,
    as_readable_array,
    as_writable_array,
    open_output,
    raw_memory,
)
from indirectml.core.data_types import TensorDataType, as_data_type
from indirectml.core.errors import BindingError, DirectMLError, LayoutError
from indirectml.core.tensor_buffers import bytes_in_halves, elements_of
from indirectml.core.tensors import TensorDesc
from indirectml.numpy_forms import Elements, Memory
from indirectml.plans import WITH_INPUTS, Plan


def opened(plan: Plan, outputs: Sequence[Any], inputs: Sequence[Any]) -> tuple[list[Memory], bool]:
    """Return the memory of inputs and outputs, and whether it is that of their tensors.

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
    are_plain = are_apart = True
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
                are_apart = are_apart and given.base is None
                continue
            are_plain = False
            try:
                memories.append(_opened(tensor, given, opened))
            except DirectMLError as error:
                raise error.within(f"{place}[{number}]") from None
    written = set(map(id, outputs))
    if are_plain and not are_apart:
        are_apart = not _may_meet(outputs, inputs)
    elif len(written) < len(outputs) or not written.isdisjoint(map(id, inputs)):
        are_apart = False
    if not (are_plain and are_apart):
        _refuse_shared_memory(plan, memories)
    return memories, are_plain


class PackedArrays(NamedTuple):
    """Arrays without gaps in the places of inputs and outputs, and the plan that takes them.

    Of INT4 and UINT4 the bytes.
    """

    plan: Plan
    memories: list[Array | None]
    back: list[tuple[Array, Array]]

    def give_back(self) -> None:
        """Copy the outputs that were made where they belong."""
        for elements, packed in self.back:
            elements[...] = packed


def packed(plan: Plan, memories: Sequence[Memory]) -> PackedArrays:
    """Return inputs and outputs packed: the same memory where they are so, copies where not."""
    tensors = (*plan.inputs, *plan.outputs)
    found = PackedArrays(plan.of_packed or plan, [], [])
    for number, (tensor, memory) in enumerate(zip(tensors, memories, strict=True)):
        if isinstance(memory, Elements):
            elements = memory.array
        elif memory is None or tensor is None or tensor.is_in_halves:
            found.memories.append(memory)
            continue
        else:
            elements = elements_of(tensor, memory)
        own = elements
        if not elements.flags.c_contiguous:
            is_input = number < len(plan.inputs)
            own = (
                np.ascontiguousarray(elements)
                if is_input or number - len(plan.inputs) in plan.kept
                else np.empty(elements.shape, elements.dtype)
            )
            if not is_input:
                found.back.append((elements, own))
        found.memories.append(own)
    return found


def _refuse_shared_memory(plan: Plan, memories: Sequence[Memory]) -> None:
    """Refuse outputs that lie on inputs or on each other, by the rule of binding tables."""
    arrays = [m.array if isinstance(m, Elements) else m for m in memories]
    inputs, outputs = arrays[: len(plan.inputs)], arrays[len(plan.inputs) :]
    names = [
        name for step in plan.steps if isinstance(step, WITH_INPUTS) for name in step.operator_names
    ]
    in_place = bool(names) and all(operator_facts(name).in_place for name in names)
    shared = find_shared_elements(outputs, inputs, in_place=in_place)
    if shared is not None:
        raise BindingError(
            f"needs memory of its own, apart from that of {shared[1]}", field=f"out[{shared[0]}]"
        )


def _may_meet(outputs: Sequence[Any], inputs: Sequence[Any]) -> bool:
    """Return whether the bytes of an output may be those of another array."""
    others = [array for array in inputs if array is not None]
    for out in outputs:
        if out is not None:
            if any(np.may_share_memory(out, other) for other in others):
                return True
            others.append(out)
    return False


def _is_plain(tensor: TensorDesc | None, given: Any) -> bool:
    """Return whether an array is fit for a tensor without a closer look.

    One without a base has memory of its own.
    """
    if given.__class__ is not np.ndarray or tensor is None or given.shape != tensor.sizes_tuple:
        return False
    flags = given.flags
    is_simple = flags.c_contiguous and flags.writeable and flags.aligned
    is_simple = is_simple and (flags.owndata or given.base is not None)
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
    if tensor.is_in_halves:
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
    if tensor.is_in_halves:
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
