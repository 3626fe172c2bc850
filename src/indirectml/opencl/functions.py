"""Correctly rounded functions of programs: which there are in `kernels/`, and in which files.

Of each there are `uint NAME_float32(uint x)` and `ushort NAME_float16(uint x)`: bits of FLOAT32 in,
and the bits of its value, rounded once, out. With two arguments likewise. A NaN is the positive
quiet one.
"""

from __future__ import annotations

from indirectml.opencl.launches import Abilities

_NAMES = (
    "acos acosh asin asinh atan atan2 atanh cos cosh erf exp expm1 gelu log pow recip rsqrt "
    "sigmoid sin sinh softplus sqrt tan tanh"
)
#: By the names of instructions.
FUNCTIONS = frozenset(_NAMES.split())

#: Those that kernels/many.cl has for many elements too, as all_NAME.
IN_LOOPS = FUNCTIONS - {"atan2", "pow", "recip", "sqrt"}

#: Those of a few instructions, where a device rounds quotients and roots.
SHORT = frozenset({"recip", "sqrt"})

#: What their results may be.
TYPES_OF_RESULTS = ("float32", "float16")

#: Elements, and what sums do in FLOAT64, which integers do where a device has none.
DOUBLE_FILES = ("elements.cl", "float64.cl")

#: By pairs of FLOAT32.
SINGLE_FILES = ("coefficients.cl", "angles.cl", "singles.cl", "polynomials.cl")

#: Then by FLOAT64, and what that leaves open by pairs of FLOAT64.
_WITH_FLOAT64 = (*SINGLE_FILES, "pairs.cl", "accurate.cl", "functions.cl", "many.cl")

#: Where there is none, integers of 128 bits decide what FLOAT32 does not.
_BY_INTEGERS = (
    *DOUBLE_FILES, *SINGLE_FILES, "exact.cl", "accurate.cl", "without_float64.cl",
)  # fmt: skip


def function_files(abilities: Abilities) -> tuple[str, ...]:
    """Return where functions are, in the way of a device."""
    return _WITH_FLOAT64 if abilities.has_float64 else _BY_INTEGERS


def files_of_functions(abilities: Abilities) -> tuple[str, ...]:
    """Return where sums and functions are, in the way of a device."""
    return tuple(dict.fromkeys((*DOUBLE_FILES, *function_files(abilities))))
