"""Constants in files beside a graph: which file a name stands for, and its bytes.

Names come from the file of a graph, and may be anything. ONNX Runtime writes the characters that
Windows has no file names with as "_", which is what makes a name one component of a path.
"""

from __future__ import annotations

import mmap
import stat
from pathlib import Path

from indirectml.core.errors import FileFormatError, shown

#: What stands for itself in no file name of Windows.
_UNDERSCORES = str.maketrans(dict.fromkeys('\\/"|<>:?*', "_"))


def weight_file(name: str) -> str:
    """Return the name of the file that has the bytes of a name.

    Examples
    --------
    >>> weight_file("/conv1/weight")
    '_conv1_weight.bin'
    """
    return f"{name.translate(_UNDERSCORES)}.bin"


class Weights:
    """The files beside a graph, each mapped once.

    Parameters
    ----------
    folder : Path
        Where the graph is. No link leads out of it.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._mapped: dict[str, memoryview] = {}

    def __getitem__(self, name: str) -> memoryview:
        """Return the bytes of a name.

        Raises
        ------
        FileFormatError
            There is no such file in the folder, a link leads out of it, or it is empty.
        """
        found = self._mapped.get(name)
        if found is None:
            found = self._mapped[name] = self._map(name)
        return found

    def _map(self, name: str) -> memoryview:
        if not name:
            raise FileFormatError("needs the name of a constant", given="an empty one")
        path = self._folder / weight_file(name)
        if any(part == ".." for part in name.replace("\\", "/").split("/")):
            raise FileFormatError(
                "needs a constant whose name stays within the folder of the graph",
                given=shown(name),
            )
        try:
            inside = path.resolve().is_relative_to(self._folder.resolve())
            if inside:
                return mapped_file(path, path.name)
        except RuntimeError:  # a circle of links
            inside = False
        except (OSError, UnicodeError) as error:
            reason = error.strerror if isinstance(error, OSError) else str(error)
            raise FileFormatError(
                f"needs the bytes of constant {shown(name)} in a file beside the graph, "
                f"{shown(path.name)}",
                given=(reason or "an error").lower(),
            ) from None
        raise FileFormatError(
            "needs a file within the folder of the graph",
            given=f"a link that leads out of it, {shown(path.name)}",
            hint="put the file itself there",
        )


def mapped_file(path: Path, field: str | None = None) -> memoryview:
    """Return the bytes of a file as a view of memory that is read when it is used, read only.

    Parameters
    ----------
    path : Path
        Of the file.
    field : str, optional
        What an error calls it, where nobody else names it.

    Raises
    ------
    FileFormatError
        It is empty, or no regular file.
    OSError
        It cannot be opened.
    """
    if path.exists() and not stat.S_ISREG(path.stat().st_mode):
        given = "a folder" if path.is_dir() else "a device or a pipe"
        raise FileFormatError("needs a regular file", given=given, field=field)
    with path.open("rb") as file:
        if not file.seek(0, 2):
            raise FileFormatError("needs at least one byte", given="none", field=field)
        return memoryview(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ))
