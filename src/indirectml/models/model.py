"""A dispatch model as data: what `parsing` makes and `running` executes."""

from __future__ import annotations

from dataclasses import dataclass

from indirectml.data_types import TensorDataType
from indirectml.descriptors import OperatorDesc
from indirectml.enumerations import ExecutionFlags


@dataclass(frozen=True)
class Values:
    """The initial values of a resource, as bits: a list, or a generator of `count` values.

    Attributes
    ----------
    count : int
        How many values.
    listed : tuple of int or None
        All of them, or None for a generator.
    start : int
        Of a generator: the first value.
    delta : int or None
        Of a generator: what is added from value to value, or None for a constant.
    """

    count: int
    listed: tuple[int, ...] | None
    start: int = 0
    delta: int | None = None


@dataclass(frozen=True)
class Resource:
    """A buffer with initial values."""

    name: str
    data_type: TensorDataType
    values: Values
    size_bytes: int


@dataclass(frozen=True)
class Dispatchable:
    """An operator to be compiled."""

    name: str
    desc: OperatorDesc
    flags: ExecutionFlags


@dataclass(frozen=True)
class BufferBinding:
    """A part of a resource, from an offset to its end."""

    resource: str
    offset_bytes: int


@dataclass(frozen=True)
class DispatchCommand:
    """Executes a dispatchable; bindings by field name, such as "OutputTensor"."""

    dispatchable: str
    bindings: dict[str, BufferBinding]


@dataclass(frozen=True)
class PrintCommand:
    """Prints the values of a resource."""

    resource: str
    verbose: bool


Command = DispatchCommand | PrintCommand


@dataclass(frozen=True)
class Model:
    """Resources and dispatchables by name, and commands in order."""

    resources: dict[str, Resource]
    dispatchables: dict[str, Dispatchable]
    commands: tuple[Command, ...]
