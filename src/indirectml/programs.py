"""Programs: what is done with each element of some arrays, operation by operation, as data.

Values are numbered: the inputs, then the constants, then the results of the instructions. Each
instruction is one operation on elements, whose result is rounded to the type that it has: so a
program has the bits of its instructions one by one, whoever carries it out.
"""

from __future__ import annotations

from dataclasses import fields
from functools import cached_property, lru_cache
from typing import Any, NamedTuple

from indirectml import _native
from indirectml.core.records import record

#: What makes NaNs canonical by itself; conversions and functions do too.
CANONICAL = frozenset(
    [
        "add", "subtract", "multiply", "divide", "fmod", "ceil", "floor", "rint", "trunc",
        "canonical",
    ]
)  # fmt: skip


class Instruction(NamedTuple):
    """One operation.

    Attributes
    ----------
    name : str
        NumPy's name of what is exact or rounded once, such as "add"; a correctly rounded function;
        "choose" between two by a truth value before them; "canonical", which makes every NaN the
        positive quiet one; "convert" and "truncate" between types; "quantize", from FLOAT32 with
        a whole number to INT8 or UINT8. A NaN that is computed or
        converted is that one; what chooses, or changes signs, keeps its bits.
    source_type, type : str
        Of the sources and of the result, as NumPy calls them. Truth values are "uint8", 0 or 1.
    sources : tuple of int
        The values that it reads.
    """

    name: str
    source_type: str
    type: str
    sources: tuple[int, ...]


@record()
class Program:
    """Instructions over elements.

    Attributes
    ----------
    inputs : tuple of str
        The types of the inputs.
    constants : tuple of (str, int)
        Types and bits.
    instructions : tuple of Instruction
        In the order in which they are carried out.
    outputs : tuple of int
        The values that are written.

    Examples
    --------
    >>> sums = (Instruction("add", "float32", "float32", (0, 0)),)
    >>> double = Program(("float32",), (), sums, (1,))
    >>> print(double)
    v1 = add(v0, v0) float32
    """

    inputs: tuple[str, ...]
    constants: tuple[tuple[str, int], ...]
    instructions: tuple[Instruction, ...]
    outputs: tuple[int, ...]

    def __getstate__(self) -> dict[str, Any]:
        """Return what is pickled: not the native form."""
        return {field.name: getattr(self, field.name) for field in fields(self)}

    @cached_property
    def native(self) -> _native.Program:
        """The native code's form of it."""
        return _native.Program(self.inputs, self.constants, self.instructions, self.outputs)

    @staticmethod
    @lru_cache(4096)
    def same(*parts: Any) -> Program:
        """Return a program, the same for equal parts: it has one native form, and is found at once.

        Parameters
        ----------
        *parts : tuple
            `inputs`, `constants`, `instructions` and `outputs`.
        """
        return Program(*parts)

    def __str__(self) -> str:
        """Return a line for each instruction."""
        first = len(self.inputs)

        def text(value: int) -> str:
            if first <= value < first + len(self.constants):
                type_, bits = self.constants[value - first]
                return f"{type_} 0x{bits:x}"
            return f"v{value}"

        return "\n".join(
            f"v{first + len(self.constants) + number} = {i.name}"
            f"({', '.join(map(text, i.sources))}) {i.type}"
            for number, i in enumerate(self.instructions)
        )
