"""Functions of the graph door: made of definitions, or written by hand where their form is special.

`relu(x)` makes the tensors of its outputs, a descriptor, and a node. The parameters are the
operator's inputs, then its attributes by name; an optional output is asked for by a flag.
"""

from __future__ import annotations

import functools
import importlib
import inspect
from collections.abc import Callable, Iterator, Sequence
from inspect import Parameter
from typing import Any

import numpy as np

from indirectml.catalogue import OperatorFacts, operator_facts
from indirectml.catalogue.feature_levels import FeatureLevel, as_feature_level
from indirectml.core.data_types import TensorDataType
from indirectml.core.errors import DescriptorError, DirectMLError
from indirectml.descriptors.base import inferred_sizes
from indirectml.descriptors.definitions import (
    BY_HAND,
    DEFINITIONS,
    FAMILIES,
    FUNCTIONS,
    NEUTRAL,
    Definition,
    field_type,
    fields_of,
    index,
)
from indirectml.descriptors.documentation import function_doc, parameter_of
from indirectml.descriptors.names import snake_case
from indirectml.graphs.expressions import Expression, check_alike, checked_operand, new_tensor
from indirectml.operators import descriptor_class

#: What stands for a parameter that is no field: the sizes of the (first) output.
SIZES = "output_sizes"


@functools.cache
def graph_function(name: str) -> Callable[..., Any]:
    """Return a function for graphs by its name.

    Raises
    ------
    KeyError
        There is none.
    """
    found = index()
    room = BY_HAND if name in found["by_hand"] else FAMILIES
    importlib.import_module(f"{room}.{found['functions'][name]}")
    if name in FUNCTIONS:
        return FUNCTIONS[name]
    return _made(next(d for d in DEFINITIONS.values() if d.function == name))


def _made(definition: Definition) -> Callable[..., Any]:
    """Return the function that follows from a definition."""
    parameters = list(_parameters(definition))
    signature = inspect.Signature(
        [parameter for parameter, _ in parameters],
        return_annotation=definition.outputs.__name__ if definition.outputs else "Expression",
    )
    fields = [(parameter.name, field) for parameter, field in parameters]
    defaults = {parameter.name: parameter.default for parameter, _ in parameters}
    positional = [p.name for p, _ in parameters if p.kind is Parameter.POSITIONAL_OR_KEYWORD]

    def function(*args: Any, **kwargs: Any) -> Any:
        # As `Signature.bind` does it, which takes four times as long and knows what to say.
        by_order = dict(zip(positional, args, strict=False))
        values = defaults | by_order | kwargs
        is_bound = len(by_order) == len(args) and by_order.keys().isdisjoint(kwargs)
        is_known = len(values) == len(defaults)
        if not (is_bound and is_known) or any(v is Parameter.empty for v in values.values()):
            try:
                signature.bind(*args, **kwargs)
            except TypeError as error:
                raise TypeError(f"{definition.function}(): {error}") from None
        return _added(definition, {field: values[name] for name, field in fields})

    function.__name__ = function.__qualname__ = str(definition.function)
    function.__module__ = f"{FAMILIES}.functions"
    function.__signature__ = signature  # type: ignore[attr-defined]
    function.__doc__ = function_doc(
        definition, [(p.name, field, str(p.annotation)) for p, field in parameters]
    )
    return function


def _parameters(definition: Definition) -> Iterator[tuple[Parameter, str]]:
    """Yield the parameters of a function, and the fields that they stand for."""
    known = fields_of(definition.name)
    by_order = functools.partial(_rank, definition)
    inputs = [(name, facts) for name, facts in known if facts.kind == "input_tensor"]
    inputs.sort(key=by_order)
    for number, (name, facts) in enumerate(inputs):
        is_last = all(later.optional for _, later in inputs[number:])
        type_ = "Sequence[Expression]" if facts.array else "Expression"
        yield Parameter(
            parameter_of(name, definition),
            Parameter.POSITIONAL_OR_KEYWORD,
            default=None if facts.optional and is_last else Parameter.empty,
            annotation=f"{type_} | None" if facts.optional else type_,
        ), name  # fmt: skip
    for field, (name, default, type_) in sorted(_by_name(definition), key=by_order):
        yield (
            Parameter(name, Parameter.KEYWORD_ONLY, default=default, annotation=type_),
            field,
        )


def _by_name(definition: Definition) -> Iterator[tuple[str, tuple[str, Any, str]]]:
    """Yield what is given by name alone: field, name, default and type of a parameter."""
    if definition.sizes_given and not definition.sizes:
        yield SIZES, (definition.sizes_given, Parameter.empty, "Sequence[int]")
    for field, facts in fields_of(definition.name):
        name = parameter_of(field, definition)
        if facts.kind == "output_tensor" and facts.optional:
            yield field, (name, definition.defaults.get(field, False), "bool")
        elif facts.kind == "attribute":
            default = definition.defaults.get(field, None if facts.optional else Parameter.empty)
            yield field, (name, default, written_type(field_type(facts)))
    if definition.output_dtype is not None:
        default = np.dtype(definition.output_dtype).type
        yield "output_dtype", ("output_dtype", default, "DataTypeLike")
    if definition.sizes_given and definition.sizes:
        yield SIZES, (definition.sizes_given, (), "Sequence[int]")


def _rank(definition: Definition, parameter: tuple[str, Any]) -> int:
    """Return how early a field's parameter stands among those that the package orders otherwise."""
    order = definition.order
    return order.index(parameter[0]) if parameter[0] in order else len(order)


def written_type(kept: str) -> str:
    """Return the type of what a user may write for what a descriptor keeps.

    Examples
    --------
    >>> written_type("tuple[int, ...]"), written_type("ScaleBias | None")
    ('Sequence[int]', 'ScaleBias | tuple[float, float] | None')
    """
    kept = kept.replace("tuple[", "Sequence[").replace(", ...]", "]")
    return (
        kept.replace("ScaleBias", "ScaleBias | tuple[float, float]")
        .replace("Size2D", "Size2D | tuple[int, int]")
        .replace("ScalarUnion", "ScalarUnion | Scalar")
        .replace("TensorDataType", "DataTypeLike")
    )


def _added(definition: Definition, values: dict[str, Any]) -> Any:
    """Add the node of a call to its graph; returns the outputs."""
    name = str(definition.function)
    facts = operator_facts(definition.name)
    fields = fields_of(definition.name)
    tensors, inputs = _inputs(name, fields, values)
    graph = _first(inputs).graph
    _check_operands(name, facts, tensors)
    attributes = {n: values[n] for n, f in fields if f.kind == "attribute"}
    windows = attributes.get("window_sizes")
    spatial = len(windows) if windows else len(_first(inputs).shape) - 2
    attributes |= {
        n: (NEUTRAL[n],) * spatial
        for n, value in attributes.items()
        if n in NEUTRAL and value == () == definition.defaults.get(n)
    }
    shapes = [None if e is None else e.shape for e in inputs]
    sizes = _sizes(definition, shapes, attributes)
    if values.get(SIZES):
        sizes = (tuple(values[SIZES]), *sizes[1:])
    outputs = {}
    for output, of_output in zip(definition.output_names, sizes, strict=True):
        if values.get(output, True) and of_output is not None:
            like = _like(facts, output, tensors)
            dtype = _output_dtype(definition, output, like, values)
            try:
                outputs[output] = new_tensor(
                    _first(inputs) if like is None else like, of_output, dtype
                )
            except DirectMLError as error:
                raise error.within(output).within(definition.name) from None
    desc_fields = attributes | outputs | {n: _desc(e) for n, e in tensors.items()}
    desc = _descriptor(definition, graph.feature_level, desc_fields)
    names = [output for output, _ in desc.tensors("output_tensor")]
    made = dict(zip(names, graph.add_node(desc, *inputs), strict=True))
    found = [made.get(output) for output in definition.output_names]
    return found[0] if definition.outputs is None else definition.outputs(*found)


def _inputs(
    name: str, fields: Any, values: dict[str, Any]
) -> tuple[dict[str, Any], list[Expression | None]]:
    """Return the tensors of a call by field, and one after the other."""
    tensors: dict[str, Any] = {}
    flat: list[Expression | None] = []
    for field, facts in fields:
        if facts.kind != "input_tensor":
            continue
        value = values[field]
        if facts.array:
            tensors[field] = [checked_operand(name, e) for e in value]
            flat += tensors[field]
        else:
            tensors[field] = (
                None if value is None and facts.optional else checked_operand(name, value)
            )
            flat.append(tensors[field])
    return tensors, flat


def _first(inputs: Sequence[Expression | None]) -> Expression:
    for expression in inputs:
        if expression is not None:
            return expression
    raise DescriptorError("needs at least one expression", given="none")


def _check_operands(name: str, facts: OperatorFacts, tensors: dict[str, Any]) -> None:
    """Check that operands are alike where the catalogue says so; the message shows the call."""
    for is_like, fields in _alike(facts.name):
        operands = [e for e in map(tensors.get, fields) if isinstance(e, Expression)]
        for other in operands[1:]:
            check_alike(name, operands[0], other, tensors.values(), is_like)


@functools.cache
def _alike(operator: str) -> tuple[tuple[tuple[bool, bool], tuple[str, ...]], ...]:
    """Return what tensors have in common: whether sizes, whether data types, and which tensors."""
    return tuple(
        (("Sizes" in properties, "DataType" in properties), tuple(map(snake_case, members)))
        for properties, members in operator_facts(operator).same
    )


def _sizes(definition: Definition, shapes: list[Any], attributes: dict[str, Any]) -> Any:
    try:
        return inferred_sizes(definition, shapes, attributes.__getitem__)
    except (IndexError, TypeError, ValueError, ZeroDivisionError):
        # Fields that do not fit each other: the device says so when it sees the descriptor.
        return (_first_shape(shapes),) * len(definition.output_names)


def _first_shape(shapes: list[Any]) -> Any:
    return next(shape for shape in shapes if shape is not None)


def _like(facts: OperatorFacts, output: str, tensors: dict[str, Any]) -> Expression | None:
    """Return the input that has the data type of an output, by the catalogue."""
    for (_, is_like), names in _alike(facts.name):
        if is_like and output in names:
            for name in names:
                found = tensors.get(name)
                if isinstance(found, Expression):
                    return found
                if found:
                    return found[0]  # type: ignore[no-any-return]
    return None


def _output_dtype(
    definition: Definition, output: str, like: Expression | None, values: dict[str, Any]
) -> Any:
    """Return the data type of an output; None for that of the input that it is like."""
    asked = values.get("output_dtype", np.uint32)  # which DirectML's indices are, unless asked for
    if like is not None:
        # What was asked for is left to the device's checks: it may contradict a zero point.
        is_asked = "output_dtype" in values and asked != definition.output_dtype
        return asked if is_asked else None
    taken = _data_types(definition.name, output)
    if not taken:  # the page lists none: it is that of the first input
        return None
    return next(iter(taken)) if len(taken) == 1 else asked


@functools.cache
def _data_types(operator: str, output: str) -> frozenset[TensorDataType]:
    """Return the data types that DirectML takes of an output, at any feature level."""
    return frozenset(
        data_type
        for tensors in operator_facts(operator).support.values()
        for name, support in tensors.items()
        for data_type in support.data_types or ()
        if snake_case(name) == output
    )


def _desc(value: Any) -> Any:
    if isinstance(value, list):
        return [e.desc for e in value]
    return None if value is None else value.desc


def _descriptor(definition: Definition, level: FeatureLevel, fields: dict[str, Any]) -> Any:
    """Return the descriptor: of an older version where the level has no newer and that suffices."""
    for name in definition.older:
        if as_feature_level(operator_facts(definition.name).introduced) <= level:
            break
        if as_feature_level(operator_facts(name).introduced) > level:
            continue
        names = {field for field, _ in fields_of(name)}
        left = {n: v for n, v in fields.items() if n not in names}
        if all(_is_neutral(n, v, definition) for n, v in left.items()):
            return descriptor_class(name)(**{n: v for n, v in fields.items() if n in names})
    return descriptor_class(definition.name)(**fields)


def _is_neutral(name: str, value: Any, definition: Definition) -> bool:
    if name in NEUTRAL:
        return all(v == NEUTRAL[name] for v in value)
    return bool(value is None or value == definition.defaults.get(name, value is None))
