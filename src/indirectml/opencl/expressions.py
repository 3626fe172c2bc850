"""Instructions of programs as expressions of OpenCL C, on bits: integers alone, but where it says.

Values are unsigned integers with the bits of floats, and integers of their own types.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from indirectml.opencl.functions import (
    DOUBLE_FILES,
    FUNCTIONS,
    TYPES_OF_RESULTS,
    function_files,
)
from indirectml.opencl.launches import Abilities
from indirectml.programs import Instruction

#: OpenCL's types of values.
TYPES = {
    "float32": "uint", "float16": "ushort", "float64": "ulong",
    "int8": "char", "int16": "short", "int32": "int", "int64": "long",
    "uint8": "uchar", "uint16": "ushort", "uint32": "uint", "uint64": "ulong",
}  # fmt: skip

#: What integers are computed in, modulo 2^bits.
_WRAPPING = {1: "uint", 2: "uint", 4: "uint", 8: "ulong"}

_ARITHMETIC = {"add": "+", "subtract": "-", "multiply": "*"}
_BITWISE = {"bitwise_and": "&", "bitwise_or": "|", "bitwise_xor": "^"}
_COMPARISONS = {
    "equal": "{2}({0}, {1}) == 1",
    "not_equal": "{2}({0}, {1}) != 1",
    "less": "{2}({0}, {1}) == 0",
    "less_equal": "{2}({0}, {1}) < 2",
}
_WHOLE = {"trunc": 0, "floor": 1, "ceil": 2, "rint": 3}

#: Of FLOAT64 where there is none: kernels/float64.cl.
_OF_DOUBLES = {
    "add": "sum_of_doubles({0}, {1})",
    "subtract": "sum_of_doubles({0}, {1} ^ SIGN_64)",
    "multiply": "product_of_doubles({0}, {1})",
    "divide": "quotient_of_doubles({0}, {1})",
}

#: Of FLOAT32 where a device has not all of it right: kernels/common.cl.
_BY_FUSED = {
    "add": "fused_by_integers(0x3f800000u, {0}, {1})",
    "subtract": "fused_by_integers(0x3f800000u, {0}, {1} ^ 0x80000000u)",
    "multiply": "fused_by_integers({0}, {1}, ({0} ^ {1}) & 0x80000000u)",
}

#: Of floats of any width, on their bits {0} and {1}: {s} is the sign's bit, {i} infinity, {o} 1.
_OF_BITS = {
    "absolute": "{0} & ~{s}",
    "negative": "{0} ^ {s}",
    "copysign": "({0} & ~{s}) | ({1} & {s})",
    "isnan": "({0} & ~{s}) > {i}",
    "isinf": "({0} & ~{s}) == {i}",
    "signbit": "({0} & {s}) != 0",
    "sign": "({0} & ~{s}) > {i} ? {0} : {0} & ~{s} ? ({0} & {s}) | {o} : 0",
}

_PARTS = {
    "float16": ("0x8000", "0x7c00", "0x3c00"),
    "float32": ("0x80000000u", "0x7f800000u", "0x3f800000u"),
    "float64": ("0x8000000000000000ul", "0x7ff0000000000000ul", "0x3ff0000000000000ul"),
}

_OF_INTEGERS = {
    "negative": "0 - ({w}){0}",
    "absolute": "{l}({0}, 0) ? 0 - ({w}){0} : ({w}){0}",
    "sign": "{l}(0, {0}) - {l}({0}, 0)",
    "invert": "~{0}",
    "bitwise_count": "popcount(({u})({l}({0}, 0) ? 0 - ({w}){0} : ({w}){0}))",
    "maximum": "{l}({0}, {1}) ? {1} : {0}",
    "minimum": "{l}({1}, {0}) ? {1} : {0}",
    "less": "{l}({0}, {1})",
    "less_equal": "!{l}({1}, {0})",
    "equal": "{0} == {1}",
    "not_equal": "{0} != {1}",
    "left_shift": "({u}){1} < {b} ? ({w}){0} << ({u}){1} : 0",
    "right_shift": "({u}){1} < {b} ? {0} >> ({u}){1} : {l}({0}, 0) ? -1 : 0",
    "fmod": "{1} == 0 || {m} ? 0 : {0} % {1}",
    "remainder": "{1} == 0 || {m} ? 0 : {0} % {1} != 0 && {l}({0} % {1}, 0) != {l}({1}, 0) "
    "? {0} % {1} + {1} : {0} % {1}",
    "floor_divide": "{1} == 0 ? ({t})0 : {m} ? ({t})(0 - ({w}){0}) : "
    "({t})({0} / {1} - ({0} % {1} != 0 && {l}({0}, 0) != {l}({1}, 0)))",
}


class Unwritten(Exception):  # noqa: N818 (no error: there is another way)
    """There is no expression for an instruction, or this device has none."""


class Expression(NamedTuple):
    """An instruction in OpenCL C, and the files that it is made of."""

    text: str
    files: tuple[str, ...] = ()


def expression(i: Instruction, sources: list[str], abilities: Abilities) -> Expression:
    """Return an instruction over values that have names.

    Raises
    ------
    Unwritten
        There is none.
    """
    if i.name == "choose":
        condition, yes, no = sources
        return Expression(f"{condition} ? ({TYPES[i.type]}){yes} : ({TYPES[i.type]}){no}")
    given = [f"(({TYPES[i.source_type]}){source})" for source in sources]
    if i.name in FUNCTIONS and i.source_type == "float32":
        if i.type not in TYPES_OF_RESULTS:
            raise Unwritten(i.name)
        files = function_files(abilities)
        return Expression(f"{i.name}_{i.type}({', '.join(given)})", files)
    files = ("programs.cl",)
    by_integers = not abilities.has_float64 and "float64" in {i.source_type, i.type}
    if by_integers:
        files = (*DOUBLE_FILES, *files)
    if i.name in {"convert", "canonical"}:
        converted = _converted_by_integers if by_integers else _converted
        return Expression(converted(i, given[0]), files)
    if i.source_type[:5] == "float":
        return Expression(_of_floats(i, given, abilities), files)
    return Expression(_of_integers(i, given))


def _of_integers(i: Instruction, given: list[str]) -> str:
    dtype = np.dtype(i.source_type)
    wide, type_ = _WRAPPING[dtype.itemsize], TYPES[i.source_type]
    signs = {**_ARITHMETIC, **_BITWISE}
    if i.name in signs:
        return f"({wide}){given[0]} {signs[i.name]} ({wide}){given[1]}"
    form = _OF_INTEGERS.get(i.name)
    if form is None:
        raise Unwritten(i.name)
    is_minus_one = f"{given[-1]} == -1" if dtype.kind == "i" else "0"
    less = "below" if i.source_type == "int64" else "LESS"
    unsigned = TYPES[f"uint{8 * dtype.itemsize}"]
    return form.format(
        *given, w=wide, t=type_, u=unsigned, m=is_minus_one, b=8 * dtype.itemsize, l=less
    )


def _of_floats(i: Instruction, given: list[str], abilities: Abilities) -> str:
    if i.name in _OF_BITS:
        sign, infinity, one = _PARTS[i.source_type]
        return _OF_BITS[i.name].format(*given, s=sign, i=infinity, o=one)
    if i.name == "truncate":
        return _truncated(i, given[0])
    if i.source_type == "float16":
        # FLOAT32 has more than twice its precision, so rounding twice is as rounding once.
        wide = i._replace(source_type="float32", type="float32" if i.type == "float16" else i.type)
        result = _of_floats(wide, [f"widened({x})" for x in given], abilities)
        return f"narrowed({result})" if i.type == "float16" else result
    return _of_numbers(i, given, "64" if i.source_type == "float64" else "", abilities)


def _of_numbers(i: Instruction, given: list[str], suffix: str, abilities: Abilities) -> str:
    if i.name in _COMPARISONS:
        return _COMPARISONS[i.name].format(*given, f"compared{suffix}")
    if i.name in _WHOLE:
        return f"whole{suffix}({given[0]}, {_WHOLE[i.name]})"
    if i.name == "quantize":
        low, high = np.iinfo(i.type).min, np.iinfo(i.type).max
        return f"quantized({given[0]}, {given[1]}, {low}, {high})"
    if i.name == "fmod":
        return f"remainder_of{suffix}({given[0]}, {given[1]})"
    if i.name == "divide" and not suffix:
        return f"divided({given[0]}, {given[1]})"
    if suffix and not abilities.has_float64 and i.name in _OF_DOUBLES:
        return _OF_DOUBLES[i.name].format(*given)
    if not suffix and i.name in _BY_FUSED and "SINGLES_BY_DEVICE" not in abilities.defines:
        return _BY_FUSED[i.name].format(*given)
    operator = {**_ARITHMETIC, "divide": "/"}.get(i.name)
    if operator is None or not abilities.can(f"{i.name} {i.source_type}"):
        raise Unwritten(i.name)
    return f"quiet{suffix}(number{suffix}({given[0]}) {operator} number{suffix}({given[1]}))"


#: Integers of so many bits are FLOAT32 without rounding, or FLOAT64.
_EXACT_BITS = {"float32": 16, "float64": 32}


def _converted(i: Instruction, x: str) -> str:
    """Return a conversion; to the same type, the canonical form."""
    source, type_ = i.source_type, i.type
    if type_[:5] != "float":
        if source[:5] == "float":
            raise Unwritten("convert")
        return x
    if source == "float16":
        wide = f"widened({x})"
        return {
            "float16": f"narrowed({wide})",
            "float32": wide,
            "float64": f"quiet64((double)number({wide}))",
        }[type_]
    if source == "float32":
        return {
            "float16": f"narrowed({x})",
            "float32": f"(is_nan({x}) ? QUIET_NAN : {x})",
            "float64": f"quiet64(widened64({x}))",
        }[type_]
    if source == "float64":
        return {
            "float16": f"half_of(number64({x}))",
            "float32": f"single_of(number64({x}))",
            "float64": f"quiet64(number64({x}))",
        }[type_]
    bits = 8 * np.dtype(source).itemsize
    if type_ == "float16":
        # Through integers that FLOAT32 has, the nearest even: FLOAT16 has no number beyond 2^16.
        return (
            f"narrowed({_odd_of(source, x)})"
            if bits > _EXACT_BITS["float32"]
            else (f"narrowed(as_uint((float){x}))")
        )
    if bits <= _EXACT_BITS[type_]:
        return f"as_uint((float){x})" if type_ == "float32" else f"as_ulong((double){x})"
    how = "from_signed" if source[0] == "i" else "from_unsigned"
    if type_ == "float32":
        return f"{how}({x})"
    return f"as_ulong(convert_double_rte({x}))"


def _converted_by_integers(i: Instruction, x: str) -> str:
    """Return a conversion from or to FLOAT64, where there is none."""
    source, type_ = i.source_type, i.type
    if source == "float64":
        functions = {"float16": "half_of_double", "float32": "single_of_double"}
        functions["float64"] = "canonical64"
        if type_ not in functions:
            raise Unwritten("convert")
        return f"{functions[type_]}({x})"
    if source[:5] == "float":
        return f"double_of_single({f'widened({x})' if source == 'float16' else x})"
    return f"double_of_{'signed' if source[0] == 'i' else 'unsigned'}({x})"


def _odd_of(source: str, x: str) -> str:
    """Return wide integers as FLOAT32 with the same nearest FLOAT16: from 2^20 on infinity."""
    if source[0] == "i":
        return f"as_uint((float)clamp({x}, ({TYPES[source]})-0x100000, ({TYPES[source]})0x100000))"
    return f"as_uint((float)min({x}, ({TYPES[source]})0x100000))"


def _truncated(i: Instruction, x: str) -> str:
    info = np.iinfo(i.type)
    wide = {"float16": f"widened({x})", "float32": x, "float64": x}[i.source_type]
    suffix = "64" if i.source_type == "float64" else ""
    low = "LONG_MIN" if info.min < -(2**62) else f"{info.min}l"
    if info.max > 2**63:
        return f"truncated_unsigned{suffix}({wide})"
    high = "LONG_MAX" if info.max > 2**62 else f"{info.max}l"
    return f"truncated{suffix}({wide}, {low}, {high})"
