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
    """

    files: tuple[str, ...]
    types: frozenset[str] = frozenset({"float32", "float16"})
    needs: frozenset[str] = frozenset()

    def is_for(self, type_: str, abilities: Abilities) -> bool:
        """Return whether a device has it with results of a type."""
        return type_ in self.types and abilities.right >= self.needs


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

#: Where they are: by pairs of FLOAT32, then FLOAT64, and what that leaves open by pairs of FLOAT64.
_WITH_FLOAT64 = (
    "coefficients.cl", "angles.cl", "pairs.cl", "accurate.cl", "singles.cl", "functions.cl",
)  # fmt: skip

#: Where there is none, integers of 128 bits decide what FLOAT32 does not.
_BY_INTEGERS = (
    *DOUBLE_FILES, "coefficients.cl", "angles.cl", "exact.cl", "accurate.cl", "singles.cl",
    "without_float64.cl",
)  # fmt: skip

_NAMES = (
    "acos acosh asin asinh atan atan2 atanh cos cosh erf exp expm1 gelu log pow recip rsqrt "
    "sigmoid sin sinh softplus sqrt tan tanh"
)

#: By the names of instructions.
FUNCTIONS = {
    name: Function(_WITH_FLOAT64, needs=DOUBLES | {"fma float64"}) for name in _NAMES.split()
}

#: Of a device without FLOAT64, by integers.
BY_INTEGERS = {name: Function(_BY_INTEGERS) for name in FUNCTIONS}


def files_of_functions(abilities: Abilities) -> tuple[str, ...]:
    """Return where sums and functions are, in the way of a device."""
    return (*DOUBLE_FILES, *_WITH_FLOAT64) if abilities.has_float64 else _BY_INTEGERS


def function_of(name: str, abilities: Abilities) -> Function | None:
    """Return what a device has of a function; None of what is no function."""
    return (FUNCTIONS if abilities.has_float64 else BY_INTEGERS).get(name)


#: Those that kernels/functions.cl has for many elements too, as all_NAME.
IN_LOOPS = FUNCTIONS.keys() - {"atan2", "pow", "recip", "sqrt"}
