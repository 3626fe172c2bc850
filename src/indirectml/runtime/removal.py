"""Removal of a device: what misuse of recording and binding leads to."""

from __future__ import annotations

from indirectml.core.errors import DeviceLostError, HResult
from indirectml.devices import Implementation


class RemovableDevice:
    """What objects need of the device that made them: it runs plans, and misuse removes it.

    Parameters
    ----------
    implementation : Implementation
        What runs the plans: a file in `devices/`.
    """

    def __init__(self, implementation: Implementation) -> None:
        self.implementation = implementation
        self._lost: DeviceLostError | None = None

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
