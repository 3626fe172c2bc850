"""What a dispatch takes in memory, found before any of it is taken; and where outputs go."""

from __future__ import annotations

import mmap
from collections.abc import Callable
from typing import Any

import numpy as np

from indirectml.core.errors import BindingError
from indirectml.core.overlap import find_overlap
from indirectml.core.tensor_buffers import bytes_in_place, has_all_bytes
from indirectml.core.tensors import TensorDesc
from indirectml.plans import Plan, Step, WordStep

#: Of how many bytes at most a temporary resource is kept between calls.
_MOST_KEPT = 1 << 23


def dispatch_bytes(plan: Plan) -> int:
    """Return what a dispatch takes at most besides what is bound to it.

    That is the temporary and the persistent resource, what native steps copy of tensors with
    strides, and what the NumPy form takes of a word that has no native step. A tensor that repeats
    elements by strides of zero counts with all of them.
    """
    steps = max(map(_step_bytes, plan.steps), default=0)
    return plan.temporary_size + plan.persistent_size + steps


def _step_bytes(step: Step) -> int:
    if not isinstance(step, WordStep):
        return 0  # programs need what fits a cache
    views = [view for view in (*step.inputs, *step.outputs) if view is not None]
    if step.native is None:
        return max(view.element_count for view in views) * step.word.scratch_bytes
    copied = (view for view in views if not view.is_packed and view.panels is None)
    return sum(view.element_count * view.data_type.item_bytes for view in copied)


def memory_of_output(tensor: TensorDesc, array: Any) -> Any:
    """Return the bytes of an array that a tensor is written to; None if it gets a copy.

    Raises
    ------
    BindingError
        It has another data type or count of elements, cannot be written, or its elements share
        memory.
    """
    if type(array) is np.ndarray and array.flags.writeable and has_all_bytes(tensor, array):
        return array.reshape(-1).view(np.uint8)
    dtype = tensor.data_type.dtype
    if (
        not isinstance(array, np.ndarray)
        or tensor.is_in_halves
        or array.dtype != dtype
        or array.size != tensor.element_count
        or not array.flags.writeable
    ):
        raise BindingError(
            f"needs a writable array of {dtype} with sizes {tensor.sizes}",
            given=f"{array.dtype} {list(array.shape)}"
            if isinstance(array, np.ndarray)
            else type(array).__name__,
        )
    own = bytes_in_place(tensor, array)
    if own is not None:
        return own
    is_packed = tensor.strides is None and array.flags.c_contiguous
    if is_packed and array.nbytes == tensor.total_tensor_size_in_bytes:
        return array.reshape(-1).view(np.uint8)
    if find_overlap(array.shape, array.strides, array.itemsize) is not None:
        raise BindingError(
            "needs an array no two elements of which share memory",
            given=f"strides of {array.strides} bytes",
            hint="pass an array of its own, as np.empty makes it",
        )
    return None


class TemporaryMemory:
    """Memory for the temporary resource of calls: one that no call has at the moment is kept.

    So that the system has to give its pages once, and not in the first call. None is kept of what
    is much to keep where nobody may call again.
    """

    def __init__(self, size_bytes: int) -> None:
        self._size_bytes = size_bytes
        self._is_kept = 0 < size_bytes <= _MOST_KEPT
        #: At most one; taking it out is one step, however many threads call.
        self._idle: list[np.ndarray[Any, Any]] = []
        #: Where there is nothing, all have the same.
        self._nothing: Any = None

    def prepare(self, new_memory: Callable[..., Any]) -> None:
        """Have what the first call takes, with pages."""
        if self._is_kept:
            memory = self.take(new_memory)
            if isinstance(memory, np.ndarray):
                memory[:: mmap.PAGESIZE] = 0
            self.give_back(memory)

    def take(self, new_memory: Callable[..., Any]) -> Any:
        """Return memory that nobody else has."""
        if self._is_kept:
            try:
                return self._idle.pop()
            except IndexError:  # there is none, or another thread was faster
                return new_memory(self._size_bytes, zeroed=False)
        if self._size_bytes:
            return new_memory(self._size_bytes, zeroed=False)
        if self._nothing is None:
            self._nothing = new_memory(0, zeroed=False)
        return self._nothing

    def give_back(self, memory: Any) -> None:
        """Keep memory that nobody has any more; what other devices have, they keep themselves."""
        if self._is_kept and isinstance(memory, np.ndarray):
            self._idle[:] = (memory,)

    def __getstate__(self) -> dict[str, Any]:
        return vars(self) | {"_idle": [], "_nothing": None}
