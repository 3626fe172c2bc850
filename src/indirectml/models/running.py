"""Executing a model: resources are filled, operators compiled, commands carried out in order."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any

import numpy as np

from indirectml.arrays import fill_constant, fill_sequence
from indirectml.descriptors import camel_case
from indirectml.errors import BindingError, DirectMLError, ModelError
from indirectml.models.model import Dispatchable, DispatchCommand, Model, Resource
from indirectml.models.parsing import as_written
from indirectml.models.printing import print_values, print_values_verbose
from indirectml.runtime import CompiledOperator, Device
from indirectml.scalars import ScalarUnion
from indirectml.tensors import TensorDesc

#: DML_MINIMUM_BUFFER_TENSOR_ALIGNMENT.
_BUFFER_ALIGNMENT = 16

_Buffer = np.ndarray[Any, np.dtype[np.uint8]]


class ModelRun:
    """A model on a device, checked and compiled, ready to be run once.

    Parameters
    ----------
    model : Model
        From `parse_model`.
    device : Device
        What compiles its operators.
    memory_limit_bytes : int
        What all resources together may take.

    Raises
    ------
    DirectMLError
        The device refuses an operator, a binding does not fit, or the limit is too low. Nothing
        has been allocated then.
    """

    def __init__(self, model: Model, device: Device, memory_limit_bytes: int) -> None:
        self._model = model
        total = sum(resource.size_bytes for resource in model.resources.values())
        if total > memory_limit_bytes:
            raise ModelError(
                f"needs resources of at most {memory_limit_bytes} bytes together",
                given=f"{total}",
                field="resources",
            )
        self._compiled = {
            name: _compile(dispatchable, device)
            for name, dispatchable in model.dispatchables.items()
        }
        for number, command in enumerate(model.commands):
            if isinstance(command, DispatchCommand):
                try:
                    self._check_bindings(command)
                except DirectMLError as error:
                    raise error.within(f"commands[{number}].bindings") from None

    def lines(self) -> Iterator[str]:
        """Carry out the commands; yields what is to be printed, as it becomes known."""
        for _ in self._compiled:
            yield "Compile Op"
        buffers = {name: _new_buffer(r) for name, r in self._model.resources.items()}
        for command in self._model.commands:
            if isinstance(command, DispatchCommand):
                yield self._dispatch(command, buffers)
                continue
            resource = self._model.resources[command.resource]
            used = resource.values.count * resource.data_type.item_bytes
            values = buffers[resource.name][:used].view(resource.data_type.dtype)
            if command.verbose:
                yield from print_values_verbose(resource.name, values)
            else:
                yield print_values(resource.name, values)

    def _dispatch(self, command: DispatchCommand, buffers: dict[str, _Buffer]) -> str:
        compiled = self._compiled[command.dispatchable]

        def bound(kind: str) -> list[_Buffer]:
            bindings = (command.bindings[name] for name, _ in _tensors(compiled, kind))
            return [buffers[b.resource][b.offset_bytes :] for b in bindings]

        inputs, out = bound("input_tensor"), bound("output_tensor")
        began = time.perf_counter()
        compiled(inputs, out=out)
        milliseconds = 1e3 * (time.perf_counter() - began)
        return (
            f"Dispatch '{command.dispatchable}': 1 iterations, {milliseconds:.4f} ms median (CPU)"
        )

    def _check_bindings(self, command: DispatchCommand) -> None:
        compiled = self._compiled[command.dispatchable]
        tensors = [*_tensors(compiled, "input_tensor"), *_tensors(compiled, "output_tensor")]
        for name, tensor in tensors:
            if name not in command.bindings:
                raise BindingError("is required", field=name)
            binding = command.bindings[name]
            size_bytes = self._model.resources[binding.resource].size_bytes
            bound = size_bytes - binding.offset_bytes
            if bound < tensor.total_tensor_size_in_bytes:
                raise BindingError(
                    f"needs at least {tensor.total_tensor_size_in_bytes} bytes",
                    given=f"{bound} of resource {binding.resource!r}",
                    field=name,
                )
            alignment = max(_BUFFER_ALIGNMENT, tensor.guaranteed_base_offset_alignment)
            if binding.offset_bytes % alignment:
                raise BindingError(
                    f"needs an offset that is a multiple of {alignment} bytes",
                    given=f"{binding.offset_bytes}",
                    field=name,
                )


def _compile(dispatchable: Dispatchable, device: Device) -> CompiledOperator:
    try:
        operator = device.create_operator(dispatchable.desc)
    except DirectMLError as error:
        raise as_written(error, dispatchable.desc.operator_name).within(
            f"dispatchables.{dispatchable.name}.desc"
        ) from None
    return device.compile_operator(operator, dispatchable.flags)


def _tensors(compiled: CompiledOperator, kind: str) -> list[tuple[str, TensorDesc]]:
    """Return DirectML's names of the tensors of one kind, and their descriptors."""
    tensors = compiled.operator.desc.tensors(kind)
    return [(camel_case(name), tensor) for name, tensor in tensors if tensor is not None]


def _new_buffer(resource: Resource) -> _Buffer:
    """Return the memory of a resource: its initial values, then zeros."""
    values, data_type = resource.values, resource.data_type
    buffer = np.zeros(resource.size_bytes, np.uint8)
    used = buffer[: values.count * data_type.item_bytes]
    if values.listed is not None:
        used.view(f"u{data_type.item_bytes}")[...] = values.listed
        return buffer
    start = ScalarUnion(values.start.to_bytes(8, "little"))
    if values.delta is None:
        fill_constant(used.view(data_type.dtype), start)
    else:
        delta = ScalarUnion(values.delta.to_bytes(8, "little"))
        fill_sequence(used.view(data_type.dtype), start, delta)
    return buffer
