"""Devices. A file here is one: `cpu.py` says what the CPU can run, and runs the steps of plans.

Nothing else imports these files: whoever needs a device asks `implementation` for it by name. So
adding a device is adding a file.
"""

from __future__ import annotations

import functools
import importlib
import pkgutil
from collections.abc import Callable, Iterable, Sequence
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

import numpy as np

from indirectml.core.errors import DeviceUnavailableError, shown
from indirectml.core.tensors import TensorDesc
from indirectml.passes.parts import Former
from indirectml.plans import Plan, Step

#: What calls run on that name no device, such as functions of arrays.
device_of_calls = ContextVar("device_of_calls", default="cpu")

#: A buffer of a plan in a device's own form; None where nothing is bound.
Memory = Any


class BoundSteps(Protocol):
    """Steps bound to their memory, to be carried out together any number of times."""

    @property
    def native_call_count(self) -> int:
        """How many native calls carry out the fills among them."""

    def execute(self) -> None:
        """Carry everything out, in order."""


class DeviceFile(Protocol):
    """What a file of this folder provides, as functions of its module."""

    def missing(self) -> str:
        """Return what this machine lacks for its devices, and how to get it; "" if nothing."""

    def found(self) -> Sequence[str]:
        """Return what devices there are, a line about each; their numbers are from 0."""

    def opened(self, number: int) -> Implementation:
        """Return the device of a number, one of those that were found; always the same one."""

    def examined(self, number: int) -> Sequence[str]:
        """Return what one computes, tried at length: a line about each operation that is its own.

        Where nothing is to be found out, since it is the host that computes, there are none.
        """


class ArrayForm(NamedTuple):
    """An array that a call takes or gives, packed: the number of its buffer, dtype and sizes."""

    buffer: int
    dtype: np.dtype[Any]
    sizes: tuple[int, ...]


class CallForm(NamedTuple):
    """What a call of a plan takes and gives.

    Attributes
    ----------
    inputs : dict of str to ArrayForm
        In order.
    outputs : list of ArrayForm
        All that are written.
    returned : int
        How many of these are returned, the first ones.
    temporary : int
        The number of the buffer of the temporary resource.
    """

    inputs: dict[str, ArrayForm]
    outputs: list[ArrayForm]
    returned: int
    temporary: int


#: Takes a dict with the names of all inputs, or a tuple of them, and temporary memory.
DirectCall = Callable[[Any, Any], "list[Any] | None"]


class Implementation(Protocol):
    """What a device provides.

    A plan comes here whole, or as steps with the memories of its buffers. Which bits are written is
    not for a device to say: every device writes those of the NumPy forms. What it has no form of
    its own for it carries out by these (`numpy_forms.carry_out`), on memory that it reads back.
    """

    def has_form(self, step: Step) -> bool:
        """Return whether it carries a step out itself, instead of by the NumPy form."""

    def refusal(self, step: Step) -> str | None:
        """Return what of a step the device does not run, such as a data type; None if it does."""

    def prepared(self, plan: Plan, former: Former) -> Plan:
        """Return the plan of a graph in the form that the device runs best; no bit changes.

        `former` has what was done with the last plan of the graph, in other sizes.
        """

    def keeps_integers(self) -> bool:
        """Return whether `prepared` makes products of integers of dequantized ones.

        Then filters that are dequantized are best given as integers; else computed once.
        """

    def run(self, plan: Plan, outputs: Sequence[Any], inputs: Sequence[Any] = ()) -> None:
        """Carry out the plan of one operator on arrays: what a direct call does.

        Arrays are checked against the tensors of the plan before the first byte is written. None
        stands for what is left out.
        """

    def fill_of(self, plan: Plan) -> Callable[[Any], bool] | None:
        """Return a shorter way to run a plan of one fill, if there is one.

        What is returned does with one output what `run` would do, or returns False: then the output
        is not of the commonest kind, and nothing was done.
        """

    def new_output(self, tensor: TensorDesc) -> Any:
        """Return a new array for an output of a direct call."""

    def new_memory(self, size_bytes: int, *, zeroed: bool) -> Memory:
        """Return memory for outputs of graphs, temporary and persistent resources."""

    def upload(self, raw: Any) -> Memory:
        """Return memory with bytes of the host, an array of UINT8; theirs, if it can be."""

    def readback(self, memory: Memory) -> Any:
        """Return the bytes of memory as an array of the host; the memory itself, if it can be."""

    def joined(self, steps: Sequence[Step], kept: Sequence[Memory] = ()) -> Sequence[Any]:
        """Return steps with those as one that the device carries out at once, for `execute`.

        In the places of buffers that are the same whenever they are executed, `kept` has these.
        """

    def execute(self, steps: Sequence[Any], memories: Sequence[Memory]) -> None:
        """Carry out steps over the buffers of their plan, in order."""

    def call_of(self, steps: Sequence[Any], call: CallForm) -> DirectCall | None:
        """Return a shorter way to execute joined steps on arrays of the host, if there is one.

        What is returned gives new arrays, or None: then what it was given is not of the commonest
        kind, and nothing has happened to it.
        """

    def finish(self) -> None:
        """Wait until what was executed is done: `execute` may return before."""

    def transferred_bytes(self) -> tuple[int, int]:
        """Return how many bytes went up to the device and down from it so far."""

    def bind(self, parts: Iterable[tuple[Iterable[Step], Sequence[Any]]]) -> BoundSteps:
        """Return steps bound to the buffers of their plans, which are kept.

        Recorded dispatches are bound to memory of the host, arrays of UINT8, and to memory of
        Buffers of this device where that has an `address`, a `size` and parts. What is written to
        the host has to be there when `execute` returns.
        """


def device_names() -> tuple[str, ...]:
    """Return the names of all devices, in alphabetical order, whether this machine has them or not.

    "name:1" is the second device of a name, "name:0" and "name" the first one.

    Examples
    --------
    >>> "cpu" in device_names()
    True
    """
    return tuple(sorted(module.name for module in pkgutil.iter_modules(__path__)))


def found_devices() -> dict[str, str]:
    """Return what devices this machine has, or lacks: names, and a line about each.

    Examples
    --------
    >>> "cpu" in found_devices()
    True
    """
    lines: dict[str, str] = {}
    for kind in device_names():
        file = _file(kind)
        missing = file.missing()
        if missing:
            lines[kind] = f"not available: {missing}"
            continue
        for number, line in enumerate(file.found()):
            lines[f"{kind}:{number}" if number else kind] = line
    return lines


def examined_device(name: str) -> Sequence[str]:
    """Return what a device computes, tried at length, a line about each operation.

    Raises
    ------
    DeviceUnavailableError
        There is none of this name, or this machine lacks something for it.
    """
    implementation(name)
    kind, _, digits = name.partition(":")
    return _file(kind).examined(int(digits or 0))


def _file(kind: str) -> DeviceFile:
    file: DeviceFile = importlib.import_module(f"{__name__}.{kind}")
    return file


def implementation(name: str) -> Implementation:
    """Return the device of a name.

    Raises
    ------
    DeviceUnavailableError
        There is none, or this machine lacks something for it.
    """
    if not isinstance(name, str):
        raise _unknown(name)
    return _implementation(name)


@functools.cache
def _implementation(name: str) -> Implementation:
    kind, _, digits = name.partition(":")
    if kind not in device_names() or (":" in name and not (digits.isascii() and digits.isdigit())):
        raise _unknown(name)
    file = _file(kind)
    missing = file.missing()
    if missing:
        raise DeviceUnavailableError(f"device {name!r} is not available: {missing}")
    found, number = file.found(), int(digits or 0)
    if number >= len(found):
        raise DeviceUnavailableError(
            f"device {name!r} is not available: needs a number below {len(found)}",
            given=f"{number}",
        )
    return file.opened(number)


def _unknown(name: object) -> DeviceUnavailableError:
    names = ", ".join(device_names())
    return DeviceUnavailableError(
        f"needs the name of a device ({names})", given=shown(name), field="Device.name"
    )


if TYPE_CHECKING:
    from indirectml.devices import cpu

    _: tuple[DeviceFile, Implementation] = cpu, cpu
