"""The page of what a device is: what steps there are, and every word with its fields."""

from __future__ import annotations

import importlib
import inspect
import pkgutil
import re
from collections.abc import Iterator

from indirectml import _native, arithmetic
from indirectml.arithmetic.words import Word
from indirectml.passes.tracing import instructions
from indirectml.programs import CANONICAL
from tools import opencl_page

LEAD = """# What a device implements

Everything compiles to a *plan*: steps over views of numbered buffers. A step is a fill, a
program, a word, or, at initialization, a copy, known bytes, or matrices put in panels. This
page is all of what there is to carry out; it is written from the code by `python -m
tools.generate`.

A device is a file in `src/indirectml/devices/`; the protocol is in its `__init__.py`. A device
has memory of its own (`new_memory`, `upload`, `readback`), says of each step whether it has a
form of its own for it (`has_form`) or refuses it (`refusal`), and carries out steps over its
memory (`execute`). For a step that it has no form of, there is the NumPy form
(`numpy_forms.carry_out`), over memory that is read back. `tests/devices/null_device/null.py` is a
whole device that has no form of its own: every operator runs on it in the tests, and has the bits
of the CPU. `Device("name:1")` is the second device of a name.

A view is a buffer, a data type, sizes, strides in elements (0 and less are fine), and an offset
in bytes. Bits are those of the NumPy forms, on every device; what they are is defined in
[arithmetic](arithmetic.md).

## Steps

| step | does | fields |
|---|---|---|
| fill | writes [a sequence](sequences.md) to a view | rule, start, delta |
| program | does the same with each element of some views | program, sizes, strides of views |
| word | carries out an array operation of the table below | word, fields |
| copy, data, pack | bring owned inputs and constants to their places, once | panels, of pack |

## Programs

Values are the inputs, then constants, then the result of each instruction: its name, the types of
sources and result, and the values that it reads. Each is exact or rounded once.

| instructions | |
|---|---|
"""

OTHERS = """| between types | convert, quantize, truncate (to zero, within the type; of NaN 0) |
| of bits | choose (by a truth value), canonical (NaN: the positive quiet one) |
"""


HEAD = """| word | does | arrays | fields | returns |
|---|---|---|---|---|
"""


def words() -> dict[str, list[Word]]:
    """Return the words, by the files that declare them."""
    found = {}
    for file in sorted(module.name for module in pkgutil.iter_modules(arithmetic.__path__)):
        module = importlib.import_module(f"indirectml.arithmetic.{file}")
        every = (getattr(value, "word", None) for value in vars(module).values())
        own = (w for w in every if isinstance(w, Word))
        found[file] = [w for w in own if w.function.__module__ == module.__name__]
    return {file: own for file, own in found.items() if own}


def page() -> str:
    """Return the page."""
    text = LEAD
    for kind, names in instructions().items():
        text += f"| {kind} | {', '.join(sorted(names))} |\n"
    text += OTHERS
    text += f"| functions, correctly rounded | {', '.join(sorted(_native.functions()))} |\n"
    text += "\nA NaN that is computed or converted is the positive quiet one without payload"
    text += f" ({', '.join(sorted(CANONICAL))}, functions, convert).\n"
    for file, own in words().items():
        module = importlib.import_module(f"indirectml.arithmetic.{file}")
        title = (module.__doc__ or "").partition("\n")[0].rstrip(".:").partition(":")[0]
        text += f"\n## {title}\n\n{HEAD}"
        for word in own:
            text += f"| `{word.name}` | " + " | ".join(_cells(word)) + " |\n"
    return text + opencl_page.text(word.name for own in words().values() for word in own)


def sentence(word: Word) -> str:
    """Return what a word does, as a table says it."""
    text = " ".join((inspect.getdoc(word.function) or "").partition("\n\n")[0].split())
    return text.removeprefix("Return ").rstrip(".:").replace("|", "\\|")


def _cells(word: Word) -> Iterator[str]:
    """Yield what a row says of a word, behind its name."""
    yield sentence(word)
    types = word.function.__annotations__
    arrays = (f"{n} (optional)" if "None" in types.get(n, "") else n for n in word.arrays)
    yield ", ".join(arrays) or "none"
    others = [n for n in word.parameters if n not in (*word.arrays, "out", "dtype")]
    yield ", ".join(f"{name}: {_type(types[name])}" for name in others) or "none"
    results = getattr(word.returns, "_fields", None)
    yield ", ".join(results) if results else _type(types["return"]).replace("Array", "an array")


def _type(annotation: str) -> str:
    """Return a type as a reader without Python reads it."""
    text = re.sub(r"Literal\[(.*?)\]", lambda m: m[1].replace(", ", " or "), annotation)
    text = re.sub(r"tuple\[(Array(?:, Array)*)\]", r"\1", text)
    return text.replace("Sequence[int]", "integers").replace("|", "or").replace('"', "'")
