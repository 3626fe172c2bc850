"""Recording dispatches into command lists, and executing them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from indirectml.catalogue.enumerations import ExecutionFlags
from indirectml.core.buffers import count_write
from indirectml.core.records import record
from indirectml.devices import BoundSteps
from indirectml.plans import Step
from indirectml.runtime.binding import BindingTable, check_child
from indirectml.runtime.dispatchables import Dispatchable, OperatorInitializer
from indirectml.runtime.removal import RemovableDevice


@record()
class _Dispatch:
    """A recorded dispatch. Without memories, the table is asked when it is executed."""

    dispatchable: Dispatchable
    operators: tuple[Dispatchable, ...]  # what an initializer was for when it was recorded
    table: BindingTable
    memories: list[list[Any]] | None
    tensors: list[Any]  # of PyTorch, which counts what is written

    def written_tensors(self) -> list[Any]:
        """Return the tensors of PyTorch that are written."""
        return self.table.written_tensors() if self.memories is None else self.tensors

    def parts(self) -> Iterator[tuple[tuple[Step, ...], list[Any]]]:
        """Yield steps, and the buffers of their plan."""
        memories = self.table.memories() if self.memories is None else self.memories
        if isinstance(self.dispatchable, OperatorInitializer):
            for operator, buffers in zip(self.operators, memories, strict=True):
                plan = operator.plan
                yield (*plan.initial_steps, *plan.computed_steps), buffers
        else:
            yield self.dispatchable.plan.steps, memories[0]


class CommandList:
    """Recorded dispatches, which a queue executes in order, any number of times.

    Parameters
    ----------
    device : Device
        Where it belongs.

    Examples
    --------
    >>> device = Device()
    >>> desc = FillValueConstantOperatorDesc(TensorDesc(np.float32, [2]), np.float32, 13.0)
    >>> fill = device.compile_operator(device.create_operator(desc))
    >>> buffer = bytearray(16)
    >>> initializer = device.create_operator_initializer([fill])
    >>> table = device.create_binding_table(fill)
    >>> table.bind_outputs([BufferBinding(buffer)])
    >>> recorder, commands = device.create_command_recorder(), CommandList(device)
    >>> recorder.record_dispatch(commands, initializer, device.create_binding_table(initializer))
    >>> recorder.record_dispatch(commands, fill, table)
    >>> commands.close()
    >>> CommandQueue(device).execute(commands)
    >>> np.frombuffer(buffer, np.float32)
    array([13., 13.,  0.,  0.], dtype=float32)
    """

    def __init__(self, device: RemovableDevice) -> None:
        self.device = device
        self.reset()

    def __repr__(self) -> str:
        state = "closed" if self.is_closed else "open"
        return f"<CommandList, {state}, {len(self._dispatches)} dispatches>"

    def reset(self) -> None:
        """Forget what was recorded, and record from the start."""
        self._dispatches: list[_Dispatch] = []
        self._bound: tuple[BoundSteps, list[Any]] | None = None
        self.is_closed = False

    def close(self) -> None:
        """End recording.

        Raises
        ------
        DeviceLostError
            The device was removed before.
        """
        self.device.require()
        self.is_closed = True
        if not self._is_volatile():
            self._bound = self._bind()

    @property
    def native_call_count(self) -> int:
        """How many native calls execute the fills of a closed list."""
        return self._bound[0].native_call_count if self._bound else 0

    def add(self, dispatch: _Dispatch) -> None:
        """Add a recorded dispatch."""
        self._dispatches.append(dispatch)

    def _is_volatile(self) -> bool:
        return any(dispatch.memories is None for dispatch in self._dispatches)

    def _bind(self) -> tuple[BoundSteps, list[Any]]:
        """Return the steps with their memory, and the tensors of PyTorch that they write."""
        parts = (part for dispatch in self._dispatches for part in dispatch.parts())
        bound = self.device.implementation.bind(parts)
        return bound, [t for dispatch in self._dispatches for t in dispatch.written_tensors()]

    def run(self) -> None:
        """Carry out the commands, as a queue does after its checks."""
        initialized = self._initialized()
        bound, tensors = self._bound or self._bind()
        for tensor in tensors:
            count_write(tensor)
        bound.execute()
        for operator in initialized:
            operator.is_initialized = True

    def _initialized(self) -> set[Dispatchable]:
        """Return what the list initializes, after checking that order."""
        initialized: set[Dispatchable] = set()
        checked: Dispatchable | None = None
        for dispatch in self._dispatches:
            target = dispatch.dispatchable
            if target is checked:
                continue
            if isinstance(target, OperatorInitializer):
                checked = None
                for operator in dispatch.operators:
                    if operator.is_initialized or operator in initialized:
                        raise self.device.remove(
                            operator.name,
                            "a second initialization was provided, but exactly one was expected",
                        )
                    initialized.add(operator)
                continue
            checked = target
            if not target.is_initialized and target not in initialized:
                raise self.device.remove(
                    target.name,
                    "a dispatch was provided before initialization, but an executed "
                    "initializer was expected first",
                )
        return initialized


class CommandRecorder:
    """What records dispatches into command lists. Made by a device; has no state."""

    def __init__(self, device: RemovableDevice) -> None:
        self.device = device

    def __repr__(self) -> str:
        return f"<CommandRecorder of {self.device!r}>"

    def record_dispatch(
        self, command_list: CommandList, dispatchable: Dispatchable, table: BindingTable
    ) -> None:
        """Record one dispatch with what the table binds now.

        Parameters
        ----------
        command_list : CommandList
            Where it is recorded.
        dispatchable : CompiledOperator or OperatorInitializer
            What is dispatched. If it was compiled with DESCRIPTORS_VOLATILE, the table is asked
            when the list is executed instead of now.
        table : BindingTable
            Made for this dispatchable, with everything bound that it requires.

        Raises
        ------
        DataTypeError
            An argument is of another kind.
        DeviceLostError
            A rule is broken. The device is removed; nothing is recorded.
        """
        if self.device.is_removed:
            return
        place = "CommandRecorder.record_dispatch"
        check_child(self.device, command_list, CommandList, place)
        check_child(self.device, dispatchable, Dispatchable, place)
        check_child(self.device, table, BindingTable, place)
        if command_list.is_closed:
            raise self.device.remove(
                place, "a closed command list was provided, but an open one was expected"
            )
        if table.dispatchable is not dispatchable:
            raise self.device.remove(
                place,
                f"a binding table for {_name(table.dispatchable)} was provided, but one for "
                f"{_name(dispatchable)} was expected",
            )
        volatile = dispatchable.flags & ExecutionFlags.DESCRIPTORS_VOLATILE
        memories = None if volatile else table.memories()
        operators = getattr(dispatchable, "operators", ())
        command_list.add(
            _Dispatch(dispatchable, operators, table, memories, table.written_tensors())
        )


class CommandQueue:
    """What executes command lists, one after the other. Work is done when `execute` returns.

    Parameters
    ----------
    device : Device
        Where it belongs.

    Examples
    --------
    >>> device = Device()
    >>> commands = CommandList(device)
    >>> commands.close()
    >>> CommandQueue(device).execute(commands)
    """

    def __init__(self, device: RemovableDevice) -> None:
        self.device = device

    def __repr__(self) -> str:
        return f"<CommandQueue of {self.device!r}>"

    def execute(self, *command_lists: CommandList) -> None:
        """Execute closed command lists, in order.

        Raises
        ------
        DeviceLostError
            The device was removed before, or is now: a list is not closed, or an operator is not
            initialized exactly once before its first execution.
        """
        self.device.require()
        for commands in command_lists:
            check_child(self.device, commands, CommandList, "CommandQueue.execute")
            if not commands.is_closed:
                raise self.device.remove(
                    "CommandQueue.execute",
                    "an open command list was provided, but a closed one was expected",
                )
            commands.run()


def _name(dispatchable: Dispatchable | None) -> str:
    return "nothing" if dispatchable is None else repr(dispatchable)
