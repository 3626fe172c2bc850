"""What reading a model needs besides the model: options, names that exist, problems."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from typing import Any

from indirectml.core.errors import DirectMLError, ModelError
from indirectml.models.members import given
from indirectml.models.problems import AlreadyKnownError, Problems, printable
from indirectml.onnx_import.quantized_graphs import Quantized

#: Sizes by the names of what is bound, in the order of the names.
Shapes = tuple[tuple[str, tuple[int, ...]], ...]


@dataclass(frozen=True)
class ReadingOptions:
    """How a model is read.

    Attributes
    ----------
    toward_zero : bool
        FLOAT16 numbers are truncated, as by DxDispatch, instead of rounded to nearest.
    input_path : Path
        Where files of initial values are, before they are looked for in the current directory.
    is_confined : bool
        Only files within `input_path` are read, links followed.
    memory_limit : int or None
        As for `load_onnx`.
    input_sizes, dimensions : dict
        Sizes of ONNX models' inputs and open dimensions, by name, whatever the model says.
    constants : dict
        Arrays by the names of ONNX models' inputs: what these are once and for all.
    quantized : str
        As for `load_onnx`.
    """

    toward_zero: bool = False
    input_path: Path = Path()
    is_confined: bool = False
    memory_limit: int | None = None
    input_sizes: Mapping[str, list[int]] = field(default_factory=dict)
    dimensions: Mapping[str, int] = field(default_factory=dict)
    constants: Mapping[str, Any] = field(default_factory=dict)
    quantized: Quantized = "as written"


@dataclass
class Context:
    """The options, the problems so far, and everything that can be referred to by name.

    Attributes
    ----------
    readable : dict
        By kind, then by name: what has been read. None marks what exists, with mistakes.
    shapes : dict
        By dispatchable: the shapes that bindings of commands have, each once, in order.
    graphs : dict
        Of an ONNX model, by name and then by such shapes: the key of what it becomes in these
        sizes, or why it becomes nothing.
    filled : dict
        Deferred resources by key, in the sizes that commands give them.
    """

    options: ReadingOptions
    problems: Problems
    readable: dict[str, dict[str, Any]] = field(default_factory=dict)
    shapes: dict[str, dict[Shapes, None]] = field(default_factory=dict)
    graphs: dict[str, dict[Shapes, str | DirectMLError]] = field(default_factory=dict)
    filled: dict[str, Any] = field(default_factory=dict)
    _numbers: Iterator[int] = field(default_factory=lambda: count(2))

    def new_key(self, kind: str, name: str) -> str:
        """Return a key that nothing has, for what shares its name with others."""
        keys = (f"{name} ({number})" for number in self._numbers)
        return next(key for key in keys if key not in self.readable[kind])

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
                hint=self.problems.suggestion(name, existing),
            )
        if existing[name] is None:
            raise AlreadyKnownError("has mistakes")
        return existing[name]

    def source_file(self, name: str) -> Path:
        """Return the path of a file of initial values.

        Raises
        ------
        ModelError
            There is no such file, or it is where none may be read.
        """
        if "\0" in name:
            raise ModelError("needs the name of a file", given=given(name))
        # As Windows separates folders; elsewhere the names of some files have backslashes in them.
        names = dict.fromkeys((name, portable_path(name)))
        folders = [self.options.input_path] + ([] if self.options.is_confined else [Path()])
        for path in [folder / written for folder in folders for written in names]:
            if self._is_there(path):
                return path
        # One folder may be written in two ways.
        places = " or ".join(dict.fromkeys(repr(printable(str(folder))) for folder in folders))
        hint = self._nearest_file(folders[0] / portable_path(name))
        raise ModelError(
            "needs the name of a file", given=given(name), hint=hint or f"none is in {places}"
        )

    def _is_there(self, path: Path) -> bool:
        try:
            is_there = path.exists()
        except OSError as error:
            raise ModelError("cannot be read", given=error.strerror) from None
        if is_there and self.options.is_confined:
            folder = self.options.input_path.resolve()
            if not path.resolve().is_relative_to(folder):
                needs = f"needs a file within the folder for inputs, {printable(str(folder))!r}"
                raise ModelError(needs, given=repr(str(path)), hint="--confine-reads asks for that")
        return is_there

    def _nearest_file(self, path: Path) -> str | None:
        if self.options.is_confined and not path.resolve().is_relative_to(
            self.options.input_path.resolve()
        ):
            return None
        return self.problems.suggestion(path.name, names_beside(path))


def portable_path(name: str) -> str:
    r"""Return a path of a model with the separators of every system.

    Examples
    --------
    >>> portable_path("data\\weights.npy")
    'data/weights.npy'
    """
    return name.replace("\\", "/")


def names_beside(path: Path) -> Iterator[str]:
    """Yield the names of the files in the folder of a path, at most a thousand."""
    try:
        with os.scandir(path.parent) as entries:
            for entry, _ in zip(entries, range(1000), strict=False):
                yield entry.name
    except OSError:
        return
