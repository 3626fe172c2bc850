"""Bindings: which ranges of which buffers a dispatch reads and writes.

Every mistake removes the device, as in DirectML, where the methods of a binding table return
nothing; here the mistake is also raised.
"""

from __future__ import annotations

import operator
from collections.abc import Mapping, Sequence
from typing import Any, Protocol, runtime_checkable

import numpy as np

from indirectml.catalogue import operator_facts
from indirectml.core.binding_rules import (
    RESOURCE_ALIGNMENT,
    Range,
    find_overlaps,
    offset_alignment,
    tensor_layout,
)
from indirectml.core.buffers import as_readable_array, is_tensor
from indirectml.core.errors import DataTypeError, shown
from indirectml.core.records import record
from indirectml.core.tensor_buffers import Buffer
from indirectml.core.tensors import TensorDesc
from indirectml.runtime.dispatchables import CompiledOperator, Dispatchable, OperatorInitializer
from indirectml.runtime.removal import RemovableDevice

_RANGE_ALIGNMENT = 4

_UNEXPECTED = "a binding was provided, but none was expected, since "
_LEFT_OUT = "the optional tensor is left out"

Bytes = np.ndarray[Any, np.dtype[np.uint8]]


@runtime_checkable
class DeviceBytes(Protocol):
    """Bytes of a device, which recorded dispatches use where they lie.

    Attributes
    ----------
    address : int
        Where they begin: bytes that overlap have addresses that do, and others do not.
    size : int
        How many there are.
    """

    address: int
    size: int

    def part(self, offset: int, size_bytes: int) -> DeviceBytes:
        """Return some of them."""


#: What a range of a buffer is: bytes of the host, or of the device.
Bound = Bytes | DeviceBytes


@record(init=False, repr=False, eq=False)
class BufferBinding:
    """A range of a buffer, in bytes.

    Parameters
    ----------
    buffer : Buffer, bytearray, memory map or NumPy array
        Contiguous. What is written has to be writable.
    offset : int
        Where the range begins.
    size_in_bytes : int, optional
        How long it is. Up to the end of the buffer by default.

    Raises
    ------
    DataTypeError
        A number of bytes is no integer.

    Examples
    --------
    >>> BufferBinding(bytearray(64), offset=16, size_in_bytes=12).size_in_bytes
    12
    """

    buffer: Any
    offset: int
    size_in_bytes: int | None

    def __init__(self, buffer: Any, offset: int = 0, size_in_bytes: int | None = None) -> None:
        object.__setattr__(self, "buffer", buffer)
        for name, value in (("offset", offset), ("size_in_bytes", size_in_bytes)):
            try:
                is_left_out = value is None and name == "size_in_bytes"
                number = None if is_left_out else operator.index(value)  # type: ignore[arg-type]
            except TypeError:
                raise DataTypeError(
                    "needs a number of bytes",
                    given=f"{shown(value)} ({type(value).__name__})",
                    field=f"BufferBinding.{name}",
                ) from None
            object.__setattr__(self, name, number)

    def __repr__(self) -> str:
        # Not what is in the buffer, which may be very much.
        return (
            f"BufferBinding({type(self.buffer).__name__}, offset={self.offset}, "
            f"size_in_bytes={self.size_in_bytes})"
        )

    def memory(self, device: RemovableDevice) -> Bound:
        """Return the whole buffer as bytes: of a Buffer those of the device, if it is there.

        Raises
        ------
        DataTypeError
            It is no contiguous array.
        """
        array = self.buffer
        if isinstance(array, Buffer):
            if isinstance(array.memory, DeviceBytes) and _is_of(array.device, device):
                return array.memory
            array = array.raw
        array = as_readable_array(array)
        if not array.flags.c_contiguous:
            raise DataTypeError("needs a contiguous buffer", given="strides", field="buffer")
        memory: Bytes = array.reshape(-1).view(np.uint8)
        return memory


def _is_of(owner: Any, device: RemovableDevice) -> bool:
    """Return whether devices have the same memory."""
    return getattr(owner, "implementation", None) is device.implementation


#: One binding per tensor, None for no binding; for an initializer, one such list per operator.
Bindings = Sequence[BufferBinding | None]


class BindingTable:
    """What is bound for the next dispatch of one dispatchable. Made by a device.

    Parameters
    ----------
    device : Device
        Where it belongs.
    dispatchable : CompiledOperator or OperatorInitializer, optional
        What it is for. An empty table needs `reset` first.
    """

    def __init__(self, device: RemovableDevice, dispatchable: Dispatchable | None = None) -> None:
        self.device = device
        self._start(dispatchable)

    def __repr__(self) -> str:
        return f"<BindingTable for {self.dispatchable or 'nothing'!s}>"

    def _start(self, dispatchable: Dispatchable | None) -> None:
        self.dispatchable = dispatchable
        self._inputs: list[list[Bound | None]] = []
        self._outputs: list[Bound | None] = []
        self._temporary: Bound | None = None
        self._persistent: Bound | None = None
        self._written: dict[str, Any] = {}

    def reset(self, dispatchable: Dispatchable | None = None) -> None:
        """Forget all bindings; the table is for `dispatchable` from now on.

        Raises
        ------
        DeviceLostError
            The device was removed before, or is now: `dispatchable` is another device's.
        """
        self.device.require()
        if dispatchable is not None:
            check_child(self.device, dispatchable, Dispatchable, "BindingTable.reset")
        self._start(dispatchable)

    def bind_inputs(self, bindings: Sequence[Any] | None) -> None:
        """Bind the inputs.

        Parameters
        ----------
        bindings : sequence of (BufferBinding or None), or None
            One per input, None for one that is left out or owned by DirectML. For an initializer
            one such sequence (or None) per operator, with its owned inputs alone bound. None
            instead of the sequence unbinds.

        Raises
        ------
        DeviceLostError
            A binding breaks a rule. The device is removed.
        """
        if self.device.is_removed:
            return
        target = self._target("bind_inputs")
        if isinstance(target, OperatorInitializer):
            groups = _listed(bindings, f"{target.name}.inputs") or [None] * len(target.operators)
            self._check_count(target, "operators", len(groups), len(target.operators))
            self._inputs = [
                self._group(operator, group, initializes=True)
                for operator, group in zip(target.operators, groups, strict=True)
            ]
        else:
            self._inputs = [self._group(target, bindings, initializes=False)]

    def _group(
        self, target: Dispatchable, bindings: Bindings | None, *, initializes: bool
    ) -> list[Bound | None]:
        """Return the memory of one operator's inputs."""
        plan = target.plan
        given = _listed(bindings, f"{target.name}.inputs")
        if not given and initializes:
            given = [None] * len(plan.inputs)
        self._check_count(target, "inputs", len(given), len(plan.inputs))
        found: list[Bound | None] = []
        for k, (binding, tensor) in enumerate(zip(given, plan.inputs, strict=True)):
            place = f"{target.name}.inputs[{k}]"
            expected = tensor is not None and (k in plan.owned_inputs) == initializes
            if binding is None and expected:
                raise self.device.remove(place, "no binding was provided, but one was expected")
            if binding is not None and not expected:
                why = (
                    _LEFT_OUT
                    if tensor is None
                    else "it is not owned by DirectML and is bound at execution"
                    if initializes
                    else "it is owned by DirectML and is bound at initialization"
                )
                raise self.device.remove(place, f"{_UNEXPECTED}{why}")
            found.append(self._tensor_range(place, binding, tensor))
        return found

    def bind_outputs(self, bindings: Bindings | None) -> None:
        """Bind the outputs; for an initializer the persistent resource of each operator.

        Raises
        ------
        DeviceLostError
            A binding breaks a rule. The device is removed.
        """
        if self.device.is_removed:
            return
        target = self._target("bind_outputs")
        given = _listed(bindings, f"{target.name}.outputs")
        if isinstance(target, OperatorInitializer):
            given = given or [None] * len(target.operators)
            self._check_count(target, "outputs", len(given), len(target.operators))
            self._outputs = [
                self._resource(
                    f"{target.name}.outputs[{k}]", binding, operator.plan.persistent_size
                )
                for k, (binding, operator) in enumerate(zip(given, target.operators, strict=True))
            ]
            return
        self._check_count(target, "outputs", len(given), len(target.plan.outputs))
        self._outputs = []
        for k, (binding, tensor) in enumerate(zip(given, target.plan.outputs, strict=True)):
            place = f"{target.name}.outputs[{k}]"
            if binding is None and tensor is not None:
                raise self.device.remove(place, "no binding was provided, but one was expected")
            if binding is not None and tensor is None:
                raise self.device.remove(place, f"{_UNEXPECTED}{_LEFT_OUT}")
            self._outputs.append(self._tensor_range(place, binding, tensor, is_written=True))

    def bind_temporary_resource(self, binding: BufferBinding | None) -> None:
        """Bind the temporary resource, of at least the size in the binding properties.

        Raises
        ------
        DeviceLostError
            The binding breaks a rule. The device is removed.
        """
        if not self.device.is_removed:
            target = self._target("bind_temporary_resource")
            size = target.binding_properties.temporary_resource_size
            self._temporary = self._resource(f"{target.name}.temporary_resource", binding, size)

    def bind_persistent_resource(self, binding: BufferBinding | None) -> None:
        """Bind the persistent resource that the operator was initialized with.

        Raises
        ------
        DeviceLostError
            The binding breaks a rule. The device is removed.
        """
        if not self.device.is_removed:
            target = self._target("bind_persistent_resource")
            size = target.binding_properties.persistent_resource_size
            self._persistent = self._resource(f"{target.name}.persistent_resource", binding, size)

    def memories(self) -> list[list[Bound | None]]:
        """Return the buffers of the plan of each operator, checked to be complete.

        Raises
        ------
        DeviceLostError
            Something is not bound, or ranges overlap that must not. The device is removed.
        """
        target = self._target("record_dispatch")
        if isinstance(target, OperatorInitializer):
            groups = self._inputs or [
                self._group(op, None, initializes=True) for op in target.operators
            ]
            outputs = self._outputs or [None] * len(target.operators)
            for k, (memory, op) in enumerate(zip(outputs, target.operators, strict=True)):
                self._require(f"{target.name}.outputs[{k}]", memory, op.plan.persistent_size)
            return [
                [*group, *[None] * len(op.plan.outputs), None, memory]
                for group, memory, op in zip(groups, outputs, target.operators, strict=True)
            ]
        plan = target.plan
        inputs = self._inputs[0] if self._inputs else self._group(target, (), initializes=False)
        if len(self._outputs) != len(plan.outputs):
            self._check_count(target, "outputs", len(self._outputs), len(plan.outputs))
        self._require(f"{target.name}.temporary_resource", self._temporary, plan.temporary_size)
        self._require(f"{target.name}.persistent_resource", self._persistent, plan.persistent_size)
        self._check_overlap(target, inputs)
        return [[*inputs, *self._outputs, self._temporary, self._persistent]]

    def written_tensors(self) -> list[Any]:
        """Return the tensors of PyTorch among what is bound to be written."""
        return [buffer for buffer in self._written.values() if is_tensor(buffer)]

    # ---- rules ----

    def _target(self, method: str) -> Dispatchable:
        if self.dispatchable is None:
            raise self.device.remove(
                f"BindingTable.{method}",
                "an empty table was provided, but one with a dispatchable was expected",
            )
        return self.dispatchable

    def _check_count(self, target: Dispatchable, what: str, given: int, expected: int) -> None:
        if given != expected:
            verb = "was" if given == 1 else "were"
            raise self.device.remove(
                f"{target.name}.{what}",
                f"{given} {verb} provided, but {expected} {'was' if expected == 1 else 'were'} "
                "expected",
            )

    def _require(self, place: str, memory: Bound | None, size: int) -> None:
        if size and memory is None:
            raise self.device.remove(
                place, f"no binding was provided, but one of at least {size} bytes was expected"
            )

    def _tensor_range(
        self,
        place: str,
        binding: BufferBinding | None,
        tensor: TensorDesc | None,
        *,
        is_written: bool = False,
    ) -> Bound | None:
        if binding is None or tensor is None:
            return None
        size = tensor.total_tensor_size_in_bytes
        return self._range(place, binding, size, offset_alignment(tensor), is_written=is_written)

    def _resource(self, place: str, binding: BufferBinding | None, size: int) -> Bound | None:
        if binding is None:
            return None
        return self._range(place, binding, size, RESOURCE_ALIGNMENT, is_written=True)

    def _range(
        self, place: str, binding: BufferBinding, required: int, alignment: int, *, is_written: bool
    ) -> Bound:
        """Return the bytes of a range that keeps the rules."""
        if not isinstance(binding, BufferBinding):
            raise DataTypeError("needs a BufferBinding", given=type(binding).__name__, field=place)
        memory = binding.memory(self.device)
        offset, size = binding.offset, binding.size_in_bytes
        if size is None:
            size = memory.size - offset
        if offset < 0 or offset % alignment:
            message = (
                f"an offset of {offset} bytes was provided, but a multiple of {alignment} was "
                "expected"
            )
        elif offset > memory.size:
            message = (
                f"an offset of {offset} bytes was provided, but one inside the buffer's "
                f"{memory.size} bytes was expected"
            )
        elif offset + size > memory.size or size < 0:
            message = (
                f"a range of {size} bytes at offset {offset} was provided, but one inside the "
                f"buffer's {memory.size} bytes was expected"
            )
        elif size < required:
            message = f"a size of {size} bytes was provided, but at least {required} was expected"
        elif size % _RANGE_ALIGNMENT and binding.size_in_bytes is not None:
            message = f"a size of {size} bytes was provided, but a multiple of 4 was expected"
        elif is_written and not _is_writable(memory):
            message = "a read-only buffer was provided, but a writable one was expected"
        else:
            if is_written:
                self._written[place] = binding.buffer
            return _part(memory, offset, size)
        raise self.device.remove(place, message)

    def _check_overlap(self, target: Dispatchable, inputs: list[Bound | None]) -> None:
        """Check that outputs overlap nothing but an input just like it, where that is allowed."""
        plan = target.plan
        bound = [("inputs", inputs, plan.inputs), ("outputs", self._outputs, plan.outputs)]
        ranges = [
            _bound_range(f"{kind}[{k}]", memory, tensor, is_written=kind == "outputs")
            for kind, memories, tensors in bound
            for k, (memory, tensor) in enumerate(zip(memories, tensors, strict=True))
            if memory is not None
        ]
        self._check_shares(target, {each.place: each for each in ranges})
        lie_on = {
            f"inputs[{given}]": f"outputs[{output}]" for output, given in target.shares.items()
        }
        ends = {each.place: each.end for each in ranges}
        # Of an input that an output lies on, what is behind the output.
        ranges = [
            each._replace(begin=min(max(ends[lie_on[each.place]], each.begin), each.end))
            if each.place in lie_on
            else each
            for each in ranges
        ]
        resources = {
            "temporary_resource": self._temporary,
            "persistent_resource": self._persistent,
        }
        ranges += [
            _bound_range(name, memory, None, is_written=False)
            for name, memory in resources.items()
            if memory is not None
        ]
        overlaps = find_overlaps(ranges, in_place=_allows_in_place(target))
        for written, other in overlaps.items():
            raise self.device.remove(
                f"{target.name}.{written.place}",
                f"a range that overlaps {other.place} was provided, but one of its own was "
                "expected",
            )

    def _check_shares(self, target: Dispatchable, ranges: Mapping[str, Range]) -> None:
        """Check that outputs lie on the inputs that the graph was compiled for."""
        for output, given in target.shares.items():
            one, other = ranges[f"outputs[{output}]"], ranges[f"inputs[{given}]"]
            if one.begin != other.begin:
                raise self.device.remove(
                    f"{target.name}.{one.place}",
                    f"a range apart from {other.place} was provided, but one that begins there was "
                    "expected, as the graph was compiled",
                )


def check_child(device: RemovableDevice, child: Any, kind: type[Any], place: str) -> None:
    """Check what is given to a method: remove the device if it belongs to another one.

    Raises
    ------
    DataTypeError
        `child` is of another kind. The device stays.
    DeviceLostError
        `child` belongs to another device.
    """
    if not isinstance(child, kind):
        raise DataTypeError(
            f"needs a {kind.__name__}",
            given=f"{shown(child)} ({type(child).__name__})",
            hint="give them one by one" if isinstance(child, list | tuple) else None,
            field=place,
        )
    if child.device is not device:
        raise device.remove(
            place, "an object of another device was provided, but one of this device was expected"
        )


def _listed(bindings: Sequence[Any] | None, place: str) -> list[Any]:
    """Return bindings as a list, which they have to be one of."""
    if bindings is None:
        return []
    if not isinstance(bindings, list | tuple):
        raise DataTypeError(
            "needs a list of BufferBinding or None",
            given=f"{shown(bindings)} ({type(bindings).__name__})",
            hint="write [binding]" if isinstance(bindings, BufferBinding) else None,
            field=place,
        )
    return list(bindings)


def _allows_in_place(target: Dispatchable) -> bool:
    is_operator = isinstance(target, CompiledOperator) and target.operator is not None
    return is_operator and operator_facts(target.name).in_place


def _part(memory: Bound, offset: int, size: int) -> Bound:
    if isinstance(memory, np.ndarray):
        return memory[offset : offset + size]
    return memory.part(offset, size)


def _is_writable(memory: Bound) -> bool:
    return not isinstance(memory, np.ndarray) or memory.flags.writeable


def _bound_range(
    place: str, memory: Bound, tensor: TensorDesc | None, *, is_written: bool
) -> Range:
    if isinstance(memory, np.ndarray):
        begin = memory.__array_interface__["data"][0]
    else:
        begin = memory.address
    size = memory.size if tensor is None else tensor.total_tensor_size_in_bytes
    layout = None if tensor is None else tensor_layout(tensor)
    return Range(place, is_written, begin, begin + size, layout)
