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
program, a word, or, at initialization, a copy, known bytes, or matrices packed for products. This
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


#: Of the kernels of OpenCL: what words have none, and what was counted. Figures are those of the
#: commands named there.
OPENCL = """
## Kernels of OpenCL

The device `opencl` has kernels for programs, fills, copies and all words but `recurrence`, those of
regions of interest, windows over more than three axes, `top_k` along more than 16,384 elements, and
`resample` with no taps; these run by their NumPy forms, on copies. FLOAT64 is needed by functions
(but exp, sigmoid and tanh are decided in pairs of FLOAT32 for 995 and more of 1,000 arguments) and
by sums; on a device without it they run by their NumPy forms.

**Products and convolutions** are tiles: a work-group has 32 x 32 to 128 x 128 elements, each with
its chain and its total in registers. The same kernels, compiled as CUDA C++ by NVRTC and ptxas
12.9 for work-groups of 256, take on a GPU (registers of a work-item, bytes spilled, part of a
multiprocessor's work-items that run at once; `python -m tools.opencl_registers FOLDER`):

| kernel | tile | local bytes | sm_86 | sm_89 | sm_90 |
|---|---|---|---|---|---|
| contract, FLOAT32 | 128 x 128 | 8704 | 172, 0, 17% | 172, 0, 17% | 174, 0, 12% |
| contract, FLOAT32 | 64 x 64 | 8448 | 68, 0, 50% | 68, 0, 50% | 64, 24, 50% |
| contract, FLOAT32 | 32 x 32 | 4224 | 48, 0, 83% | 48, 0, 83% | 58, 0, 50% |
| contract, FLOAT16 | 128 x 128 | 8704 | 164, 0, 17% | 164, 0, 17% | 164, 0, 12% |
| contract, FLOAT16 | 64 x 64 | 8448 | 64, 0, 67% | 64, 0, 67% | 64, 0, 50% |
| contract, FLOAT16 | 32 x 32 | 4224 | 40, 0, 100% | 40, 0, 100% | 40, 0, 75% |
| contract_integer | 128 x 128 | 8704 | 102, 0, 33% | 102, 0, 33% | 98, 0, 25% |
| contract_integer | 64 x 64 | 8448 | 55, 0, 67% | 55, 0, 67% | 48, 0, 62% |
| contract_integer | 32 x 32 | 4224 | 40, 0, 100% | 40, 0, 100% | 32, 0, 100% |
| convolve, FLOAT32 | 128 x 128 | 10464 | 210, 0, 17% | 210, 0, 17% | 208, 0, 12% |
| convolve, FLOAT32 | 64 x 64 | 9664 | 114, 0, 33% | 114, 0, 33% | 120, 0, 25% |
| convolve, FLOAT32 | 32 x 32 | 5056 | 73, 0, 50% | 73, 0, 50% | 74, 0, 38% |
| convolve_integer | 128 x 128 | 10464 | 128, 0, 33% | 128, 0, 33% | 128, 8, 25% |
| convolve_integer | 64 x 64 | 9664 | 80, 0, 50% | 80, 0, 50% | 80, 0, 38% |
| convolve_integer | 32 x 32 | 5056 | 74, 0, 50% | 74, 0, 50% | 74, 0, 38% |

Nothing of this ran on a GPU yet. Where a work-item is a turn of a loop over vectors, as on
PoCL, a work-item has vectors of the device's width instead. On PoCL 3.1 with AVX-512, beside
the CPU device, one run, interleaved, nine turns on a busy machine, processor time, so that
neither waits for others: the CPU device's over ours, median, is 0.38 of a product of 256 x 256
x 256, 0.37 of 512, 0.39 of 1,024, 0.27 of a 3 x 3 convolution of 64 channels of 56 x 56, 0.24
of a 1 x 1 of 256 channels of 14 x 14, 0.21 of softmax, 0.5 of sums of rows, 0.3 of columns, 0.1
of layer normalization, and 0.05 of depthwise convolution and of pooling, which compute every
place by itself.

**How they are held.** On PoCL every function is compared with the native ones over a stride of all
arguments, and every word with its NumPy form in up to four ways that it is built: for vectors, for
a GPU's work-items, and with a b + c by FLOAT64 and by integers. Oclgrind finds no race and nothing
that is read before it is written.
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
    of_opencl = opencl_page.text(word.name for own in words().values() for word in own)
    return text + of_opencl + OPENCL


def _cells(word: Word) -> Iterator[str]:
    """Yield what a row says of a word, behind its name."""
    sentence = " ".join((inspect.getdoc(word.function) or "").partition("\n\n")[0].split())
    yield sentence.removeprefix("Return ").rstrip(".:").replace("|", "\\|")
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
