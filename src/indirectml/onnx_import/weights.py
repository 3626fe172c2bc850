"""Files beside a model that have the bytes of its tensors, each mapped once."""

from __future__ import annotations

from pathlib import Path, PurePosixPath, PureWindowsPath

from indirectml.core.errors import FileFormatError, ModelError, shown
from indirectml.serialized.weights import mapped_file


class Folder:
    """The folder of a model: names from the model lead to files in it, and nowhere else.

    Parameters
    ----------
    path : Path
        Where the model is.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._mapped: dict[str, memoryview] = {}

    def __getitem__(self, location: str) -> memoryview:
        """Return the bytes of a file.

        Raises
        ------
        ModelError
            There is none of this name in the folder, a link leads out of it, or it is empty.
        """
        if location not in self._mapped:
            self._mapped[location] = self._map(location)
        return self._mapped[location]

    def _map(self, location: str) -> memoryview:
        parts = {*PurePosixPath(location).parts, *PureWindowsPath(location).parts}
        is_rooted = PurePosixPath(location).is_absolute() or PureWindowsPath(location).anchor
        path = self._path / location
        try:
            if location and ".." not in parts and not is_rooted and self._is_inside(path):
                return mapped_file(path, path.name)
        except FileFormatError as error:
            raise ModelError(error.required, given=error.given, field=error.field) from None
        except (OSError, ValueError) as error:
            reason = error.strerror if isinstance(error, OSError) else str(error)
            raise ModelError(
                f"needs its bytes in the file {shown(location)} beside the model",
                given=(reason or "an error").lower(),
            ) from None
        raise ModelError(
            "needs a file within the folder of the model",
            given=shown(location) if location else "no name",
        )

    def _is_inside(self, path: Path) -> bool:
        try:
            return path.resolve().is_relative_to(self._path.resolve())
        except RuntimeError:  # a circle of links
            return False
