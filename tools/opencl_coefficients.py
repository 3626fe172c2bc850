"""The coefficients of the native functions in OpenCL C: the same numbers, from the same file."""

from __future__ import annotations

import re
import struct
from fractions import Fraction
from pathlib import Path

HEADER = Path(__file__).parents[1] / "native/functions/coefficients.h"
KERNELS = Path(__file__).parents[1] / "src/indirectml/opencl/kernels"

_LEAD = "// Written by `python -m tools.generate` from native/functions/coefficients.h.\n\n"

#: Numbers of FLOAT64 that pairs of FLOAT32 have too, each as a sum of two FLOAT32: by name.
_SUMS = (
    "kExp", "kExpEven", "kExpOdd", "kLog", "kLogWide", "kSineNarrow", "kCosineNarrow",
    "kArctangent", "kArcsine", "kErf", "kGelu",
)  # fmt: skip

#: Sums of FLOAT64 that are sums of so many FLOAT32 too.
_PARTS = {"kLn2Parts": 3, "kHalfPi": 3}

#: Numbers that are FLOAT32 too.
_SINGLE = ("kInverseLn2", "kTwoOverPi")

_NUMBER = re.compile(r"-?0x[0-9a-f.]+p[+-]?\d+")


def text() -> str:
    """Return the header's constants as OpenCL C 1.2."""
    body = HEADER.read_text(encoding="utf-8").partition("// e^r = ")
    header = (body[1] + body[2]).partition("}  // namespace")[0].rstrip()
    found = re.sub(r"\bPair (k\w+) = \{(.*?)\};", r"Pair \1 = (double2)(\2);", header)
    found = re.sub(r"\{(-?0x[^{},]+), (-?0x[^{},]+)\}", r"(double2)(\1, \2)", found)
    kinds = {"double": "double", "float": "float", "Pair": "double2", "std::uint32_t": "uint"}
    for kind, name in kinds.items():
        found = found.replace(f"constexpr {kind} ", f"constant {name} ")
    # Numbers of FLOAT64 come last, for devices that have it.
    wide = [part for part in found.split("\n\n") if "constant double" in part]
    others = [part for part in found.split("\n\n") if part not in wide]
    first, *more = _narrow(header)
    narrow = [f"// Numbers of FLOAT64 as sums of FLOAT32, or rounded\n{first}", *more]
    return _LEAD + "\n\n".join([*others, *narrow, "#ifdef HAS_FLOAT64", *wide, "#endif"]) + "\n"


def _narrow(header: str) -> list[str]:
    """Return constants of FLOAT64 as FLOAT32."""
    sums = []
    for name in _SUMS:
        rows = [f"(float2)({', '.join(_parts(x, 2))})" for x in _numbers(header, name)]
        body = ",\n    ".join(rows)
        sums.append(f"constant float2 {name}Sums[{len(rows)}] = {{\n    {body}}};")
    made = []
    for name, count in _PARTS.items():
        parts = ", ".join(_parts(sum(_numbers(header, name)), count))
        made.append(f"constant float {name.removesuffix('Parts')}Sum[{count}] = {{{parts}}};")
    for name in _SINGLE:
        (number,) = _numbers(header, name)
        made.append(f"constant float {name}Single = {_parts(number, 1)[0]};")
    return [*sums, "\n".join(made)]


def _numbers(header: str, name: str) -> list[Fraction]:
    """Return the numbers of a constant of FLOAT64."""
    body = re.search(rf"\b{name}(\[\d+\])? = (.*?);", header, re.DOTALL)
    if body is None:
        raise KeyError(name)
    return [Fraction(float.fromhex(x)) for x in _NUMBER.findall(body[2])]


def _parts(number: Fraction | int, count: int) -> list[str]:
    """Return FLOAT32, the largest first, whose sum is next to a number."""
    parts = []
    for _ in range(count):
        (part,) = struct.unpack("<f", struct.pack("<f", float(number)))
        parts.append(f"{part.hex()}f")
        number -= Fraction(part)
    return parts
