"""Correctly rounded functions of programs: which there are in `kernels/`, and what they need."""

from __future__ import annotations

from typing import NamedTuple

from indirectml.opencl.launches import Abilities


class Function(NamedTuple):
    """A function of FLOAT32 in OpenCL C.

    Of `uint NAME_float32(uint x)` and `ushort NAME_float16(uint x)` there are those that `types`
    has: bits of FLOAT32 in, and the bits of its value, rounded once, out. With two arguments
    likewise. A NaN is the positive quiet one.

    Attributes
    ----------
    files : tuple of str
        Of `kernels/`, in which it is, in order.
    types : frozenset of str
        Of the result.
    needs : frozenset of str
        Operations of the probe that have to be right.
    needs_float64 : bool
        Whether the device has to have FLOAT64.
    """

    files: tuple[str, ...]
    types: frozenset[str] = frozenset({"float32", "float16"})
    needs: frozenset[str] = frozenset()
    needs_float64: bool = False

    def is_for(self, type_: str, abilities: Abilities) -> bool:
        """Return whether a device has it with results of a type."""
        has_type = type_ in self.types and abilities.right >= self.needs
        return has_type and (abilities.has_float64 or not self.needs_float64)


#: What FLOAT64 does in functions and sums.
DOUBLES = frozenset(
    {
        *(f"{name} float64" for name in ("add", "subtract", "multiply", "divide", "sqrt")),
        *("multiply and add float64", "float64 of float32", "float32 of float64"),
        "float16 of float64",
    }
)

#: Elements, and what sums do in FLOAT64, which integers do where a device has none.
DOUBLE_FILES = ("elements.cl", "float64.cl")

#: Where they are: what FLOAT64 leaves open is decided by pairs of FLOAT64.
FUNCTION_FILES = ("coefficients.cl", "pairs.cl", "functions.cl")

_NAMES = (
    "acos acosh asin asinh atan atan2 atanh cos cosh erf exp expm1 gelu log pow recip rsqrt "
    "sigmoid sin sinh softplus sqrt tan tanh"
)

#: By the names of instructions.
FUNCTIONS = {
    name: Function(FUNCTION_FILES, needs=DOUBLES | {"fma float64"}, needs_float64=True)
    for name in _NAMES.split()
}

#: Of a device without FLOAT64, by integers.
BY_INTEGERS = {
    name: Function((*DOUBLE_FILES, "exact.cl"))
    for name in ("exp", "expm1", "log", "recip", "sigmoid", "sqrt", "tanh")
}


def files_of_functions(abilities: Abilities) -> tuple[str, ...]:
    """Return where sums and functions are, in the way of a device."""
    return (*DOUBLE_FILES, *(FUNCTION_FILES if abilities.has_float64 else ("exact.cl",)))


def function_of(name: str, abilities: Abilities) -> Function | None:
    """Return what a device has of a function; None of what is no function."""
    if not abilities.has_float64 and name in BY_INTEGERS:
        return BY_INTEGERS[name]
    return FUNCTIONS.get(name)


#: Those that kernels/functions.cl has for many elements too, as all_NAME.
IN_LOOPS = FUNCTIONS.keys() - {"atan2", "pow", "recip", "sqrt"}


def can_sum(abilities: Abilities) -> bool:
    """Return whether a device has what sums need: FLOAT64 that is right, or integers for it."""
    return not abilities.has_float64 or abilities.can(*DOUBLES)
