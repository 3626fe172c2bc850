"""What reading a model needs besides the model: options, names that exist, problems."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from indirectml.core.errors import ModelError
from indirectml.models.members import given
from indirectml.models.problems import AlreadyKnownError, Problems, suggestion


@dataclass(frozen=True)
class ReadingOptions:
    """How a model is read.

    Attributes
    ----------
    toward_zero : bool
        FLOAT16 numbers are truncated, as by DxDispatch, instead of rounded to nearest.
    input_path : Path
        Where files of initial values are, before they are looked for in the current directory.
    """

    toward_zero: bool = False
    input_path: Path = Path()


@dataclass
class Context:
    """The options, the problems so far, and everything that can be referred to by name.

    Attributes
    ----------
    readable : dict
        By kind, then by name: what has been read. None marks what exists, with mistakes.
    """

    options: ReadingOptions
    problems: Problems
    readable: dict[str, dict[str, Any]] = field(default_factory=dict)

    def named(self, kind: str, name: Any) -> Any:
        """Return the resource or dispatchable of a name.

        Raises
        ------
        ModelError
            There is none, or it has mistakes.
        """
        existing: Mapping[str, Any] = self.readable[kind]
        if not isinstance(name, str) or name not in existing:
            raise ModelError(
                f"needs the name of a {kind} of this model",
                given=given(name),
                hint=suggestion(name, existing) if isinstance(name, str) else None,
            )
        if existing[name] is None:
            raise AlreadyKnownError("has mistakes")
        return existing[name]

    def source_file(self, name: str) -> Path:
        """Return the path of a file of initial values.

        Raises
        ------
        ModelError
            There is no such file.
        """
        if "\0" in name:
            raise ModelError("needs the name of a file", given=given(name))
        folders = [self.options.input_path, Path()]
        for folder in folders:
            path = folder / name
            if path.exists():
                return path
        places = " or ".join(dict.fromkeys(repr(str(folder)) for folder in folders))
        raise ModelError("needs the name of a file", given=given(name), hint=f"none is in {places}")
