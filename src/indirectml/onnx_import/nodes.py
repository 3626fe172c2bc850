"""Nodes of a model, as handlers see them, and the handlers by the operators' names."""

from __future__ import annotations

import functools
import importlib
import pkgutil
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from indirectml.core.errors import ModelError, shown
from indirectml.core.records import record
from indirectml.graphs.expressions import Expression
from indirectml.onnx_import.budget import LoadingGraph
from indirectml.onnx_import.values import (
    Array,
    Shape,
    UnknownError,
    Value,
    sizes_of,
    viewed,
)

#: What a handler returns for a node that it leaves to ONNX's own definition by other operators.
BY_DEFINITION: Final = "by definition"

#: What a handler returns: of each output a value, an expression whose sizes are ONNX's, an array
#: that is known, or None where nobody reads it; without a tuple where there is one.
Results = Any


class EndingError(ModelError):
    """A model has to end before a node: its operator is beyond DirectML's."""


class UnsizedError(EndingError):
    """Data decide how large outputs are, which no operator of DirectML has."""


class FormlessError(EndingError):
    """No operators of DirectML do what an operator does."""

    def __init__(self) -> None:
        super().__init__("has no form in DirectML's operators")


@record(eq=False)
class Node:
    """One node, with what is known of its inputs.

    Attributes
    ----------
    graph : Graph
        Where its operators go.
    operator, domain : str
        Such as "Gemm", and "" for ONNX's own.
    version : int
        The opset that the model has of the domain.
    inputs : tuple of Value or None
        None for those that are left out.
    attributes : mapping
        Numbers, strings, lists of these, arrays. Those that are left out have the default of ONNX's
        schema, if there is one.
    wanted : tuple of bool
        Of each output that the node names, whether anything reads it.
    is_quantized : bool
        Whether QuantizeLinear alone reads what it gives, maybe behind a relu or a clip.
    """

    graph: LoadingGraph
    operator: str
    domain: str
    version: int
    inputs: tuple[Value | None, ...]
    attributes: Mapping[str, Any]
    wanted: tuple[bool, ...]
    is_quantized: bool = False

    def has(self, index: int) -> bool:
        """Return whether an input is there."""
        return index < len(self.inputs) and self.inputs[index] is not None

    def wants(self, index: int) -> bool:
        """Return whether anything reads an output."""
        return index < len(self.wanted) and self.wanted[index]

    def value(self, index: int) -> Value:
        """Return an input.

        Raises
        ------
        ModelError
            It is left out.
        """
        value = self.inputs[index] if index < len(self.inputs) else None
        if value is None:
            raise ModelError("is required", given="none", field=f"inputs[{index}]")
        return value

    def expression(self, index: int) -> Expression:
        """Return an input as a tensor of the graph.

        Raises
        ------
        ModelError, DataTypeError
            It is left out, has no elements, or has a data type that DirectML does not have.
        """
        return self.value(index).expression(self.graph)

    def known(self, index: int, why: str = "decides sizes") -> Array:
        """Return an input that has to be known while loading.

        Raises
        ------
        UnknownError
            It depends on inputs of the model.
        """
        array = self.value(index).array
        if array is None:
            error = UnknownError(
                f"needs an input that is known while loading, since it {why}",
                given="one that is computed from inputs of the model",
                field=f"inputs[{index}]",
            )
            error.index = index
            raise error
        return array

    def integers(self, index: int, why: str = "decides sizes") -> list[int]:
        """Return the integers of an input that has to be known while loading."""
        array = self.known(index, why)
        self.graph.budget.take_objects(array.size)
        return [int(number) for number in array.reshape(-1)]

    def take(self, shape: Sequence[int], dtype: Any) -> None:
        """Ask for the memory of elements that are about to be made or read while loading.

        Raises
        ------
        ModelError
            There are more than loading may take.
        """
        self.graph.budget.take_elements(shape, dtype)

    def attribute(self, name: str, default: Any = None) -> Any:
        """Return an attribute; the default if it is left out and the schema has none either."""
        return self.attributes.get(name, default)

    def axis(self, rank: int, name: str = "axis", default: int = 0) -> int:
        """Return an attribute that counts dimensions, from the end if negative, as one from 0.

        Raises
        ------
        ModelError
            There is no such dimension.
        """
        return counted(self.attribute(name, default), rank, name)

    def made(self, result: Expression, shape: Sequence[int], dtype: Any = None) -> Value:
        """Return an output with ONNX's sizes, and data type where DirectML's is another."""
        return Value(viewed(result, sizes_of(shape)), shape, dtype)


def counted(axis: int, rank: int, name: str = "axis") -> int:
    """Return the number of a dimension that may count from the end.

    Raises
    ------
    ModelError
        There is none.

    Examples
    --------
    >>> counted(-1, 4)
    3
    """
    if not -rank <= axis < max(rank, 1):
        raise ModelError(
            f"needs a dimension from {-rank} to {rank - 1}", given=shown(axis), field=name
        )
    return axis % max(rank, 1)


def counted_all(axes: Sequence[int], rank: int, name: str = "axes") -> Shape:
    """Return the numbers of several dimensions, each once.

    Raises
    ------
    ModelError
        There is none, or one is there twice.
    """
    found = tuple(counted(axis, rank, name) for axis in axes)
    if len(set(found)) != len(found):
        raise ModelError("needs each dimension once", given=shown(list(axes)), field=name)
    return found


# ---- handlers ----

Handler = Callable[[Node], Results]


@dataclass(frozen=True)
class Registered:
    """A handler, and from which opset on it is used.

    Attributes
    ----------
    is_folded : bool
        Whether a node whose inputs are all known is computed while loading.
    is_body : bool
        Whether it returns a function of ONNX nodes, which take the node's place.
    """

    since: int
    function: Handler
    is_folded: bool
    is_body: bool = False


#: By domain and operator, the newest first.
HANDLERS: dict[tuple[str, str], list[Registered]] = {}


def handler(
    *operators: str,
    since: int = 1,
    domain: str = "",
    is_folded: bool = True,
    is_body: bool = False,
) -> Callable[[Handler], Handler]:
    """Return a decorator that makes a function what nodes of some operators become.

    Parameters
    ----------
    *operators : str
        ONNX's names.
    since : int
        The first opset of the domain that it is right for; an older one may have its own.
    domain : str
        "" for ONNX's own.
    is_folded : bool
        Whether a node whose inputs are all known is computed while loading: not what is random.
    is_body : bool
        Whether it returns an `onnx.FunctionProto`; see `bodies.py`.

    Returns
    -------
    callable
        It returns the function, which takes a `Node` and returns what its outputs are: one
        expression, `Value` or array, a tuple of them, or `BY_DEFINITION`. It raises a DirectMLError
        for what cannot be said; the node is named around it.
    """

    def register(function: Handler) -> Handler:
        for operator in operators:
            known = HANDLERS.setdefault((domain, operator), [])
            known.append(Registered(since, function, is_folded, is_body))
            known.sort(key=lambda each: -each.since)
        return function

    return register


def find_handler(domain: str, operator: str, version: int) -> Registered | None:
    """Return the handler of an operator in an opset."""
    _load_families()
    for registered in HANDLERS.get((domain, operator), ()):
        if registered.since <= version:
            return registered
    return None


@functools.cache
def _load_families() -> None:
    """Import all modules of this package, so that their handlers are known."""
    package = importlib.import_module(__package__ or "")
    for found in pkgutil.iter_modules(package.__path__):
        importlib.import_module(f"{package.__name__}.{found.name}")
