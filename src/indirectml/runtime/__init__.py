"""DirectML's object model: a device makes operators, compiles them, and they are dispatched."""

from indirectml.catalogue.enumerations import ExecutionFlags
from indirectml.runtime.binding import BindingTable, BufferBinding
from indirectml.runtime.device import Device
from indirectml.runtime.dispatchables import (
    BindingProperties,
    CompiledOperator,
    Operator,
    OperatorInitializer,
)
from indirectml.runtime.recording import CommandList, CommandQueue, CommandRecorder

__all__ = [
    "BindingProperties",
    "BindingTable",
    "BufferBinding",
    "CommandList",
    "CommandQueue",
    "CommandRecorder",
    "CompiledOperator",
    "Device",
    "ExecutionFlags",
    "Operator",
    "OperatorInitializer",
]
