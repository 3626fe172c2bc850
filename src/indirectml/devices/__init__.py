"""Devices. A file here is one: `cpu.py` says what the CPU can run, and runs the steps of plans.

Nothing else imports these files: whoever needs a device asks `implementation` for it by name. So
adding a device is adding a file.
"""

from __future__ import annotations

import functools
import importlib
import pkgutil
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any, Protocol

from indirectml.core.errors import DeviceUnavailableError, shown
from indirectml.core.tensors import TensorDesc
from indirectml.plans import Plan, Step

#: A buffer of a plan in a device's own form; None where nothing is bound.
Memory = Any


class BoundSteps(Protocol):
    """Steps bound to their memory, to be carried out together any number of times."""

    @property
    def native_call_count(self) -> int:
        """How many native calls carry out the fills among them."""

    def execute(self) -> None:
        """Carry everything out, in order."""


class Implementation(Protocol):
    """What a file of this folder provides, as functions of its module.

    A plan comes here whole, or as steps with the memories of its buffers. Which bits are written is
    not for a device to say: every device writes those of the CPU.
    """

    def missing(self) -> str:
        """Return what this machine lacks for the device, and how to get it; "" if nothing."""

    def refusal(self, step: Step) -> str | None:
        """Return what of a step the device does not run, such as a data type; None if it does."""

    def prepared(self, plan: Plan) -> Plan:
        """Return the plan of a graph in the form that the device runs best; no bit changes."""

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

    def joined(self, steps: Sequence[Step], kept: Sequence[Memory] = ()) -> Sequence[Any]:
        """Return steps with those as one that the device carries out at once, for `execute`.

        In the places of buffers that are the same whenever they are executed, `kept` has these.
        """

    def execute(self, steps: Sequence[Any], memories: Sequence[Memory]) -> None:
        """Carry out steps over the buffers of their plan, in order."""

    def bind(self, parts: Iterable[tuple[Iterable[Step], Sequence[Memory]]]) -> BoundSteps:
        """Return steps bound to the buffers of their plans, which are kept."""


def device_names() -> tuple[str, ...]:
    """Return the names of all devices, in alphabetical order, whether this machine has them or not.

    Examples
    --------
    >>> "cpu" in device_names()
    True
    """
    return tuple(sorted(module.name for module in pkgutil.iter_modules(__path__)))


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
    if name not in device_names():
        raise _unknown(name)
    found: Implementation = importlib.import_module(f"{__name__}.{name}")
    missing = found.missing()
    if missing:
        raise DeviceUnavailableError(f"device {name!r} is not available: {missing}")
    return found


def _unknown(name: object) -> DeviceUnavailableError:
    names = ", ".join(device_names())
    return DeviceUnavailableError(
        f"needs the name of a device ({names})", given=shown(name), field="Device.name"
    )


if TYPE_CHECKING:
    from indirectml.devices import cpu

    _: Implementation = cpu
