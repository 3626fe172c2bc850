"""Definitions: what an operator computes, and of its fields what the catalogue cannot know.

A definition is a function from NumPy arrays to the output, with a decorator:

    @operator("ELEMENT_WISE_ABS", "abs")
    def magnitude(x: Array) -> Array:
        ...

Its positional parameters are the operator's inputs, in DirectML's order; an optional one that is
left out is None. Its keyword-only parameters are fields of the descriptor, in Python's spelling,
and

    dtype         the NumPy dtype of the (first) output
    output_sizes  its sizes
    desc          the descriptor, for what has no other way

FLOAT16 arrives as FLOAT32 unless the operator keeps bits. What comes back is one array, or a tuple
of one per output of DirectML's structure; FLOAT32 and FLOAT64 are rounded once to the output's data
type. Scale and bias, and a fused activation, are applied around the function unless it asks for
them. Descriptor class, checks, function for graphs, JSON form, stubs and pages follow from here and
from the catalogue.
"""

from __future__ import annotations

import dataclasses
import functools
import importlib
import inspect
import json
import pkgutil
from collections.abc import Callable, Iterable, Mapping
from dataclasses import field
from functools import cached_property
from typing import Any, TypeVar

from indirectml.catalogue import FieldFacts, operator_facts
from indirectml.core.errors import DirectMLError, OperatorNotImplementedError
from indirectml.core.records import record
from indirectml.descriptors.names import class_name, snake_case

Function = TypeVar("Function", bound=Callable[..., Any])

#: Yields or raises mistakes of a descriptor whose fields are right one by one.
Check = Callable[[Any], Iterable[DirectMLError] | None]


@record()
class Definition:
    """What is known of an operator, and of its older versions, besides the catalogue.

    Attributes
    ----------
    compute : callable
        The definition.
    name : str
        The operator, in its newest version.
    older : tuple of str
        Its predecessors whose fields are a part of its own, the newest first. What they lack has
        the default of the keyword of `compute`.
    function : str or None
        The name of the function for graphs.
    sizes : callable or None
        From the inputs' sizes, and fields as keywords, to the sizes of all outputs, or to a tuple
        of one for each. Its docstring says them in words. None: those of the first input, or
        nothing that could be checked (`is_sized`).
    check : callable or None
        From a descriptor to its mistakes, beyond what the catalogue and `sizes` know.
    defaults : mapping
        Of fields, in descriptors and functions; of an output, in functions, whether it is made
        unless it is said. An empty tuple stands for the neutral element of
        `neutral`, once per spatial dimension.
    keeps_bits : bool or callable
        Whether nothing is computed, so that every bit is kept; or that, by the descriptor.
    moved : tuple of str
        Outputs whose elements are moved even so: their NaNs stay what they are.
    kept : callable or None
        From a descriptor to the inputs that it leaves out because what they would hold is in the
        memory of outputs already: from their fields to those of the outputs. 0 in new memory.
    output_dtype : dtype, optional
        What the function for graphs makes where the output's data type is neither an input's nor
        the only one that DirectML takes.
    sizes_given : str, optional
        The function's parameter that has the (first) output's sizes: one that may be left out if
        there is a rule for sizes.
    order : tuple of str
        Fields whose parameters come first in the function, in the order of the `directml` package.
        All others follow in DirectML's.
    outputs : type, optional
        The named tuple that the function returns.
    renamed : mapping
        From fields to the names that the function's parameters have in the `directml` package.
    """

    compute: Callable[..., Any]
    name: str
    older: tuple[str, ...] = ()
    function: str | None = None
    sizes: Callable[..., Any] | None = None
    check: Check | None = None
    defaults: Mapping[str, Any] = field(default_factory=dict)
    keeps_bits: bool | Callable[[Any], bool] = False
    moved: tuple[str, ...] = ()
    kept: Callable[[Any], Mapping[str, str]] | None = None
    output_dtype: Any = None
    sizes_given: str | None = None
    order: tuple[str, ...] = ()
    outputs: type | None = None
    renamed: Mapping[str, str] = field(default_factory=dict)

    @property
    def names(self) -> tuple[str, ...]:
        """The operators that this defines, the newest first."""
        return (self.name, *self.older)

    @cached_property
    def keywords(self) -> dict[str, Any]:
        """The keyword-only parameters of `compute` and their defaults, if any."""
        return keyword_parameters(self.compute)

    @cached_property
    def output_names(self) -> tuple[str, ...]:
        """The fields of the newest version's outputs, in the order in which `compute` returns."""
        fields = operator_facts(self.name).fields
        return tuple(snake_case(f.name) for f in fields if f.kind == "output_tensor")

    @property
    def module(self) -> str:
        """The family: the name of the module that holds the definition."""
        return self.compute.__module__.rpartition(".")[2]

    @property
    def text(self) -> str:
        """The docstring, without indentation."""
        return inspect.getdoc(self.compute) or ""


#: What an empty tuple stands for in a field that has one number per spatial dimension.
NEUTRAL = {
    "strides": 1,
    "dilations": 1,
    "start_padding": 0,
    "end_padding": 0,
    "output_padding": 0,
}

#: The package whose modules hold definitions, a family each.
FAMILIES = "indirectml.operators"

#: The package whose modules have functions for graphs that are written by hand.
BY_HAND = "indirectml.graphs.families"

#: Definitions by operator, put there when their module is imported.
DEFINITIONS: dict[str, Definition] = {}

#: Functions for graphs that are written by hand, by name, put there likewise.
FUNCTIONS: dict[str, Callable[..., Any]] = {}


def graph_function(function: Function) -> Function:
    """Make a function that is written by hand the one of its name for graphs."""
    FUNCTIONS[function.__name__] = function
    return function


def operator(
    name: str, function: str | None = None, **known: Any
) -> Callable[[Function], Function]:
    """Return a decorator that makes a function the definition of an operator.

    Parameters
    ----------
    name : str
        The operator, without prefix, in its newest version.
    function : str, optional
        What the function for graphs is called, if there is one that follows from the definition.
    **known
        See `Definition`.

    Returns
    -------
    callable
        It returns the function itself, which can be called as it stands.
    """

    def define(compute: Function) -> Function:
        definition = Definition(compute, name, function=function, **known)
        for each in definition.names:
            DEFINITIONS[each] = definition
        return compute

    return define


@functools.cache
def index() -> dict[str, dict[str, str]]:
    """Return the modules of "operators" and of "functions" for graphs, by their names.

    Those functions are "by_hand" that are in modules of `BY_HAND`, of the same names.
    """
    found: dict[str, dict[str, str]] = json.loads(pkgutil.get_data(FAMILIES, "index.json") or "")
    return found


def implemented_operators() -> tuple[str, ...]:
    """Return the names of the operators that have a definition, in alphabetical order."""
    return tuple(sorted(index()["operators"]))


@functools.cache
def definition(name: str) -> Definition:
    """Return the definition of an operator, whose prefix DML_OPERATOR_ is optional.

    Raises
    ------
    DescriptorError
        DirectML has no such operator.
    OperatorNotImplementedError
        DirectML has it, and IndirectML does not have it yet.
    """
    facts = operator_facts(name)
    module = index()["operators"].get(facts.name)
    if module is None:
        raise OperatorNotImplementedError(
            f"{facts.name} (feature level {facts.introduced}) is not implemented yet",
            hint="`indirectml info` lists those that are",
        )
    importlib.import_module(f"{FAMILIES}.{module}")
    return DEFINITIONS[facts.name]


def class_names() -> dict[str, str]:
    """Return the names of the descriptor classes that there are, and their operators."""
    return {class_name(name): name for name in implemented_operators()}


def without_function(name: str) -> str:
    """Return how a graph gets an operator, whose name this is, that has no function; else "".

    Examples
    --------
    >>> without_function("relu"), without_function("resample2")
    ('', '; RESAMPLE2 has no function of its own: graph.add_node(Resample2OperatorDesc(...), ...)')
    """
    operators = implemented_operators()
    for prefix in _PREFIXES:
        operator = prefix + snake_case(name).upper()
        if operator in operators:
            function = definition(operator).function
            if function is not None:
                return f"; {operator} is {function}"
            call = f"graph.add_node({class_name(operator)}(...), ...)"
            return f"; {operator} has no function of its own: {call}"
    return ""


_PREFIXES = ("", "ELEMENT_WISE_", "ELEMENT_WISE_LOGICAL_")


@functools.cache
def keyword_parameters(function: Callable[..., Any]) -> dict[str, Any]:
    """Return the names and defaults of a function's keyword-only parameters."""
    parameters = inspect.signature(function).parameters.values()
    return {p.name: p.default for p in parameters if p.kind is p.KEYWORD_ONLY}


@functools.cache
def fields_of(operator_name: str) -> tuple[tuple[str, FieldFacts], ...]:
    """Return Python's names of an operator's fields, and their facts, in DirectML's order.

    Fields that hold the length of an array are left out: arrays are tuples, which know theirs.
    """
    facts = operator_facts(operator_name).fields
    counts = {f.count_field for f in facts}
    return tuple((snake_case(f.name), f) for f in facts if f.name not in counts)


def number_fields(operator_name: str) -> list[str]:
    """Return the FLOAT fields of an activation: what a fused one has parameters for."""
    return [name for name, facts in fields_of(operator_name) if facts.type == "FLOAT"]


def dataclass_fields(definition: Definition, operator_name: str) -> list[tuple[str, Any, Any]]:
    """Return the fields of a descriptor class, for `dataclasses.make_dataclass`.

    DirectML's order. A field that may be left out but stands before one that may not is given by
    its name alone.
    """
    made: list[tuple[str, Any, Any]] = []
    required_follows = False
    for name, facts in reversed(fields_of(operator_name)):
        if name in definition.defaults and facts.kind == "attribute":
            default = definition.defaults[name]
        elif facts.optional:
            default = None
        else:
            required_follows = True
            made.append((name, field_type(facts), dataclasses.field()))
            continue
        made.append(
            (
                name,
                field_type(facts),
                dataclasses.field(default=default, kw_only=required_follows),
            )
        )
    return made[::-1]


#: What descriptors keep of a field, by its type in the catalogue, as text for annotations.
_KEPT = {
    "TENSOR_DESC": "TensorDesc",
    "TENSOR_DATA_TYPE": "TensorDataType",
    "SCALAR_UNION": "ScalarUnion",
    "SCALE_BIAS": "ScaleBias",
    "SIZE_2D": "Size2D",
    "OPERATOR_DESC": "FusedActivation",
    "UINT": "int",
    "INT": "int",
    "FLOAT": "float",
    "BOOL": "bool",
}


def field_type(facts: FieldFacts) -> str:
    """Return the type of what a descriptor keeps of a field, as it stands in annotations.

    Examples
    --------
    >>> field_type(operator_facts("GEMM").fields[2])
    'TensorDesc | None'
    """
    kept = _KEPT.get(facts.type) or "".join(p.capitalize() for p in facts.type.split("_"))
    if facts.array:
        kept = f"tuple[{kept}, ...]"
    return f"{kept} | None" if facts.optional else kept
