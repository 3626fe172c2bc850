"""Removal of a device: what misuse of recording and binding leads to."""

from __future__ import annotations

from typing import Any

from indirectml.core.errors import DeviceLostError, HResult
from indirectml.devices import implementation


class RemovableDevice:
    """What objects need of the device that made them: it runs plans, and misuse removes it.

    Parameters
    ----------
    name : str
        Of the file in `devices/` that runs the plans, and perhaps a number: "name:1".

    Attributes
    ----------
    implementation : Implementation
        What runs them. A pickled device has its name alone.
    """

    def __init__(self, name: str) -> None:
        self.implementation = implementation(name)
        self.name = name
        self._lost: DeviceLostError | None = None

    def __getstate__(self) -> dict[str, Any]:
        return {key: value for key, value in vars(self).items() if key != "implementation"}

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state, implementation=implementation(state["name"]))

    def upload(self, raw: Any) -> Any:
        """Return memory of the device with bytes of the host."""
        return self.implementation.upload(raw)

    def readback(self, memory: Any) -> Any:
        """Return the bytes of memory of the device as an array of the host."""
        return self.implementation.readback(memory)

    @property
    def device_removed_reason(self) -> HResult:
        """S_OK while the device is healthy, and the reason of its removal afterwards."""
        return HResult.S_OK if self._lost is None else self._lost.reason

    @property
    def is_removed(self) -> bool:
        """True once recording or binding was misused."""
        return self._lost is not None

    def remove(self, place: str, message: str) -> DeviceLostError:
        """Remove the device; returns the error to raise.

        Parameters
        ----------
        place : str
            What was misused.
        message : str
            What was provided, and what was expected.
        """
        self._lost = DeviceLostError(message, field=place)
        return self._lost

    def require(self) -> None:
        """Refuse to go on with a removed device.

        Raises
        ------
        DeviceLostError
            The device was removed; the message repeats why.
        """
        if self._lost is not None:
            raise DeviceLostError(
                f"the device was removed, because of {self._lost.field}: {self._lost.required}",
                hint="make a new device and everything on it",
            )
