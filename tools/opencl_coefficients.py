"""The coefficients of the native functions in OpenCL C: the same numbers, from the same file."""

from __future__ import annotations

import re
from pathlib import Path

HEADER = Path(__file__).parents[1] / "native/functions/coefficients.h"
KERNELS = Path(__file__).parents[1] / "src/indirectml/opencl/kernels"

_LEAD = "// Written by `python -m tools.generate` from native/functions/coefficients.h.\n\n"


def text() -> str:
    """Return the header's constants as OpenCL C 1.2."""
    body = HEADER.read_text(encoding="utf-8").partition("// e^r = ")
    found = (body[1] + body[2]).partition("}  // namespace")[0].rstrip()
    found = re.sub(r"\bPair (k\w+) = \{(.*?)\};", r"Pair \1 = (double2)(\2);", found)
    found = re.sub(r"\{(-?0x[^{},]+), (-?0x[^{},]+)\}", r"(double2)(\1, \2)", found)
    kinds = {"double": "double", "float": "float", "Pair": "double2", "std::uint32_t": "uint"}
    for kind, name in kinds.items():
        found = found.replace(f"constexpr {kind} ", f"constant {name} ")
    # Numbers of FLOAT64 come last, for devices that have it.
    wide = [part for part in found.split("\n\n") if "constant double" in part]
    others = [part for part in found.split("\n\n") if part not in wide]
    return _LEAD + "\n\n".join([*others, "#ifdef HAS_FLOAT64", *wide, "#endif"]) + "\n"
