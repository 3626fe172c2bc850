"""Words: array operations that docs/arithmetic.md defines, as steps of plans carry them.

A word is declared where its NumPy form is, by a decorator:

    @word("x", results=lambda x, axes: [(x.shape, np.float64)], native=...)
    def softmax(x: Array, axes: Axes) -> Array:
        ...

Called with arrays it computes; called with what stands for arrays it is written down. Its name is
the function's, and its sentence the docstring's first line.
"""

from __future__ import annotations

import functools
import importlib
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, TypeVar

import numpy as np

from indirectml.arithmetic.basics import StandIn

Function = TypeVar("Function", bound=Callable[..., Any])

#: From the arguments of a word, arrays among them with their sizes and data types, to the sizes
#: and data type of each result.
Results = Callable[..., Sequence[tuple[Sequence[int], Any]]]


class Word:
    """An array operation, in the one place where it is declared.

    Attributes
    ----------
    name : str
        Of the function.
    function : callable
        The NumPy form: the reference, and what runs where nothing native does.
    arrays : tuple of str
        Which of its parameters are arrays; the others are fields.
    results : callable
        See `Results`.
    native : callable or None
        From the views of the arrays, `outputs`, and the fields to the native code's step; None, or
        what returns None, where there is none.
    takes_halves : bool
        Whether FLOAT16 gives the bits that it gives widened to FLOAT32.
    gives_elements : bool
        Whether floats that come out are some of those that go in, or infinite: of FLOAT16 they are
        FLOAT16.
    returns : type or None
        The named tuple of several results.
    keeps_bits : bool
        Whether elements are moved, so that NaNs stay what they are.
    is_in_place : bool
        Whether its first array may be left out of a step, which then writes a part of its output
        alone: what lies there is the array.
    scratch_bytes : int
        What the NumPy form takes at most for each element of its largest array.
    temporary : callable or None
        From the arguments of the word, as `results`, to the bytes of memory that its native step
        works in: the last output of its steps, which the NumPy form leaves alone.
    """

    def __init__(
        self,
        function: Callable[..., Any],
        arrays: tuple[str, ...],
        results: Results,
        native: Callable[..., Any] | None,
        *,
        returns: type | None,
        takes_halves: bool,
        keeps_bits: bool,
        is_in_place: bool,
        scratch_bytes: int,
        gives_elements: bool = False,
        temporary: Callable[..., int] | None = None,
    ) -> None:
        self.name = function.__name__
        self.function = function
        self.arrays = arrays
        self.results = results
        self.native = native
        self.returns = returns
        self.takes_halves = takes_halves
        self.gives_elements = gives_elements
        self.keeps_bits = keeps_bits
        self.is_in_place = is_in_place
        self.scratch_bytes = scratch_bytes
        self.temporary = temporary
        code = function.__code__
        self.parameters = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]

    @property
    def sentence(self) -> str:
        """What it does."""
        return (self.function.__doc__ or "").strip().partition("\n")[0]

    def writes(self, dtype: Any, given: dict[str, Any]) -> bool:
        """Return whether the NumPy form may be given an array of a data type for its result."""
        if "out" not in self.parameters or self.is_in_place:
            return False
        if "dtype" in self.parameters:
            return bool(dtype.kind == "f")
        ((_, own),) = self.results(**given)
        return bool(dtype == own)

    def __repr__(self) -> str:
        return self.name

    def __reduce__(self) -> tuple[Any, ...]:
        return found, (self.function.__module__, self.name)


def found(module: str, name: str) -> Word:
    """Return the word of a function of a module."""
    word: Word = getattr(importlib.import_module(module), name).word
    return word


#: What the NumPy form of a word takes beside its arrays, for each element of the largest of them:
#: FLOAT16 is widened, and formulas make intermediate results. A test measures it for every
#: operator.
SCRATCH_BYTES = 40

#: The same of words of windows, which add up sixteen sums for every element.
WINDOWED_BYTES = 320


class Table(NamedTuple):
    """An array as a field: hashable, and printed in a line."""

    dtype: str
    sizes: tuple[int, ...]
    data: bytes

    def __repr__(self) -> str:
        return f"Table({self.dtype}, {self.sizes})"


class Items(tuple[tuple[Any, Any], ...]):
    """A dict as a field."""

    __slots__ = ()


def frozen(value: Any) -> Any:
    """Return a field in a form that can be hashed: tuples of what is in it."""
    if isinstance(value, np.ndarray):
        return Table(value.dtype.str, value.shape, value.tobytes())
    if isinstance(value, dict):
        return Items((key, frozen(each)) for key, each in value.items())
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return type(value)(*map(frozen, value))
    if isinstance(value, list | tuple | range):
        return tuple(map(frozen, value))
    return value


def thawed(value: Any) -> Any:
    """Return a field as functions take it: the way back of `frozen`."""
    if isinstance(value, Table):
        return np.frombuffer(value.data, value.dtype).reshape(value.sizes)
    if isinstance(value, Items):
        return {key: thawed(each) for key, each in value}
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return type(value)(*map(thawed, value))
    return value


def word(
    *arrays: str,
    results: Results,
    native: Callable[..., Any] | None = None,
    returns: type | None = None,
    takes_halves: bool = False,
    gives_elements: bool = False,
    keeps_bits: bool = False,
    is_in_place: bool = False,
    scratch_bytes: int = SCRATCH_BYTES,
    temporary: Callable[..., int] | None = None,
) -> Callable[[Function], Function]:
    """Return a decorator that declares a word; see `Word`."""

    def declare(function: Function) -> Function:
        made = Word(
            function,
            arrays,
            results,
            native,
            returns=returns,
            takes_halves=takes_halves,
            gives_elements=gives_elements,
            keeps_bits=keeps_bits,
            is_in_place=is_in_place,
            scratch_bytes=scratch_bytes,
            temporary=temporary,
        )

        @functools.wraps(function)
        def called(*values: Any, **named: Any) -> Any:
            for value in values:
                if isinstance(value, StandIn):
                    bound = dict(zip(made.parameters, values, strict=False)) | named
                    return value.spoken(made, bound)
            return function(*values, **named)

        called.word = made  # type: ignore[attr-defined]
        return called  # type: ignore[return-value]

    return declare
