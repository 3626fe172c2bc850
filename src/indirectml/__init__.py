"""IndirectML: DirectML operators without Direct3D.

Arrays: `fill_constant`, `fill_sequence`, `full`, `sequence`, `Sequence`.
Graphs: `Graph`, `Buffer`, and a function per operator, as in the `directml` package.
Object model: `Device`, `TensorDesc`, a descriptor per operator, binding tables, command lists.
The command line: `indirectml --help`.

The public names are listed in `__init__.pyi`. Each is imported when it is first asked for, so that
importing the package costs little more than importing NumPy.
"""

import builtins
import functools
import importlib
import pkgutil
import re
from typing import Any

__version__ = "0.1.0"

_LINE = re.compile(r"^from (indirectml\.[\w.]+) import (?:\(\n\s+)?(\w+) as \2\b", re.MULTILINE)


@functools.cache
def _origins() -> dict[str, str]:
    """Return the module of each public name."""
    listed = pkgutil.get_data(__name__, "__init__.pyi") or b""  # pathlib takes 6 ms to import
    return {name: module for module, name in _LINE.findall(listed.decode("ascii"))}


def __getattr__(name: str) -> Any:
    """Import a public name."""
    if name == "__all__":
        # `from indirectml import *` leaves Python's own abs, max, min, round, slice, pow alone.
        return [name for name in _names() if name not in dir(builtins)]
    module = _origins().get(name)
    if module is None and not name.startswith("_"):
        module = _of_operators().get(name)
    if module is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}{_why(name)}")
    value = globals()[name] = getattr(importlib.import_module(module), name)
    return value


def _names() -> list[str]:
    """Return the public names."""
    return sorted({*_origins(), *_of_operators()})


@functools.cache
def _of_operators() -> dict[str, str]:
    """Return the module of each descriptor class and each function for graphs."""
    definitions = importlib.import_module("indirectml.descriptors.definitions")
    names = dict.fromkeys(definitions.class_names(), "indirectml.operators.descs")
    return names | dict.fromkeys(definitions.index()["functions"], "indirectml.operators.on_arrays")


def _why(name: str) -> str:
    """Return why there is no such name: an operator without a function, or a mistyped name."""
    if name.startswith("_"):
        return ""
    definitions = importlib.import_module("indirectml.descriptors.definitions")
    return str(definitions.without_function(name)) + _nearest(name)


def _nearest(name: str) -> str:
    """Return a hint at the public name that is most like one; "" if none is."""
    known = _names()
    # Who writes "relu" means activation_relu.
    short = {full.removeprefix("activation_").lower(): full for full in known}
    candidates = short | {full.lower(): full for full in known}
    found = importlib.import_module("indirectml.core.nearest_names").nearest_name(name, candidates)
    return f"; did you mean {candidates[found]}" if found else ""


def __dir__() -> list[str]:
    """Return the public names alone, whether imported yet or not."""
    return _names()
