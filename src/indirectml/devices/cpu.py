"""The CPU: steps of a plan over arrays and buffers in its memory."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from indirectml import _native
from indirectml.buffers import fill_buffer, open_output
from indirectml.data_types import TensorDataType
from indirectml.errors import BindingError, DirectMLError
from indirectml.plans import Plan
from indirectml.settings import State
from indirectml.tensors import TensorDesc

_fill_if_packed = _native.fill_if_packed


def run(plan: Plan, outputs: Sequence[Any]) -> None:
    """Carry out the steps of a plan.

    Parameters
    ----------
    plan : Plan
        From a checked descriptor.
    outputs : sequence of array or buffer
        One per output of the plan. An array of the tensor's data type and sizes is written where
        its own strides say. Any other memory has to be a contiguous buffer of bytes (bytearray,
        memory map, UINT8 array) of at least the tensor's total size, and is written where the
        descriptor's strides say.

    Raises
    ------
    BindingError
        An output fits in neither way.
    DataTypeError, LayoutError
        An output is no array, is read-only, or its elements share memory.
    """
    if plan.single_fill and _fill_if_packed(outputs[0], *plan.single_fill, State.policy):
        return
    buffers: list[_native.Buffer] = []
    try:
        for tensor in plan.outputs:
            buffers.append(_opened(tensor, outputs[len(buffers)]))
    except DirectMLError as error:
        raise error.within(f"out[{len(buffers)}]") from None
    for step in plan.steps:
        fill_buffer(buffers[step.output], step.sequence)


def new_output(tensor: TensorDesc) -> np.ndarray[Any, Any]:
    """Return a new array for a tensor: packed, or a view of zeros where there are strides."""
    if tensor.strides is None:
        return np.empty(tensor.sizes, tensor.data_type.dtype)
    return _view(tensor, np.zeros(tensor.total_tensor_size_in_bytes, np.uint8))


def _view(tensor: TensorDesc, raw: Any) -> np.ndarray[Any, Any]:
    """Return the tensor's elements in a buffer of bytes."""
    strides_bytes = [s * tensor.data_type.item_bytes for s in tensor.strides_in_memory]
    return np.ndarray(tensor.sizes, tensor.data_type.dtype, raw, strides=strides_bytes)


def _opened(tensor: TensorDesc, out: Any) -> _native.Buffer:
    buffer, data_type = open_output(out)
    if data_type is tensor.data_type and buffer.sizes == tensor.sizes_tuple:
        return buffer
    is_raw = data_type is TensorDataType.UINT8 and buffer.is_contiguous and len(buffer.sizes) == 1
    if not is_raw or buffer.size_bytes < tensor.total_tensor_size_in_bytes:
        raise BindingError(
            f"needs an array of {tensor.data_type.name} with sizes {tensor.sizes}, or a "
            f"contiguous buffer of at least {tensor.total_tensor_size_in_bytes} bytes",
            given=f"{data_type.name} with sizes {list(buffer.sizes)}",
        )
    return open_output(_view(tensor, out))[0]
