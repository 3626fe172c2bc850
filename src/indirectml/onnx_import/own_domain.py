"""Operators of DirectML as functions of an ONNX model: their names, and their fields as attributes.

ONNX has no operator with the bits of many of DirectML's. An export writes such a node as a call of
a function in a domain of its own, whose body says in ONNX's operators what any runtime can carry
out. Whoever knows the domain makes the operator itself of name and attributes, and loses no bit.

    op_type      the operator, such as "LP_NORMALIZATION"; where several have different bodies, from
                 the second on with a number behind it: "LP_NORMALIZATION_2"
    tensors      "FLOAT32 [1, 3]" for each tensor in DirectML's order, inputs first; "" where an
                 optional one is left out
    all others   the operator's fields in Python's spelling; None is left out
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from indirectml.catalogue import FieldFacts, operator_names
from indirectml.catalogue.enumerations import FIELD_ENUMERATIONS
from indirectml.catalogue.fused_activations import FusedActivation
from indirectml.catalogue.operator_types import operator_types
from indirectml.core.data_types import TensorDataType
from indirectml.core.errors import DirectMLError, ModelError, shown
from indirectml.core.scalars import ScalarUnion
from indirectml.core.tensors import TensorDesc
from indirectml.descriptors.base import OperatorDesc
from indirectml.descriptors.definitions import fields_of
from indirectml.graphs.expressions import Expression, broadcast
from indirectml.onnx_import.budget import LoadingGraph
from indirectml.onnx_import.values import Value, viewed
from indirectml.operators import descriptor_class

#: The domain, and its version: higher where names or attributes would be read otherwise.
DOMAIN, VERSION = "indirectml", 1

#: Attributes that are no field: the tensors, and the rule where two have been published.
TENSORS, SEQUENCE_RULE = "tensors", "sequence_rule"

#: Behind the name of a field that is an activation: that of its numbers.
_NUMBERS = "_numbers"

_TENSOR = re.compile(r"([A-Z0-9]+) \[(\d{1,10}(?:, \d{1,10}){0,7})\]")


# ---- writing ----


def written_attributes(desc: OperatorDesc, sequence_rule: str) -> dict[str, Any]:
    """Return the attributes of a call: numbers, text, and lists of them."""
    tensors = (*desc.tensors("input_tensor"), *desc.tensors("output_tensor"))
    found: dict[str, Any] = {TENSORS: [_written_tensor(tensor) for _, tensor in tensors]}
    if desc.operator_name == "FILL_VALUE_SEQUENCE":
        found[SEQUENCE_RULE] = sequence_rule
    for name, facts in _attribute_fields(desc.operator_name):
        value = getattr(desc, name)
        if value is None or value == ():
            continue
        found[name] = _written(facts, value)
        if facts.type == "OPERATOR_DESC":
            fused = value if facts.array else (value,)
            found[name + _NUMBERS] = [n for f in fused for n in (f.param_1, f.param_2)]
    return found


def _attribute_fields(operator_name: str) -> Iterator[tuple[str, FieldFacts]]:
    for name, facts in fields_of(operator_name):
        if facts.kind == "attribute":
            yield name, facts


def _written_tensor(tensor: TensorDesc | None) -> str:
    return "" if tensor is None else f"{tensor.data_type.name} {tensor.sizes}"


def _written(facts: FieldFacts, value: Any) -> Any:
    if facts.array:
        return [_written_one(facts.type, each) for each in value]
    return _written_one(facts.type, value)


def _written_one(type_: str, value: Any) -> Any:
    if type_ == "OPERATOR_DESC":
        return str(value.activation.name)
    if type_ == "FLOAT":
        return float(value)
    if type_ in _INTEGERS:
        return int(value)
    if type_ == "SCALAR_UNION":
        return list(value.raw)
    if type_ in _PAIRS:
        return list(value)
    return str(value.name)


_INTEGERS = ("UINT", "INT", "BOOL")
_PAIRS = ("SCALE_BIAS", "SIZE_2D")


# ---- reading ----


def operator_of(op_type: str) -> str | None:
    """Return the operator that a name in the domain stands for, or None.

    Examples
    --------
    >>> operator_of("VALUE_SCALE_2D"), operator_of("GEMM_12"), operator_of("GEM")
    ('VALUE_SCALE_2D', 'GEMM', None)
    """
    name, _, number = op_type.rpartition("_")
    for known in (op_type, name if number.isdecimal() else ""):
        if known in operator_names():
            return known
    return None


def operator_outputs(
    graph: LoadingGraph,
    operator_name: str,
    inputs: Sequence[Value | None],
    attributes: Mapping[str, Any],
) -> list[Value | None]:
    """Return what a call gives, by the operator itself.

    Raises
    ------
    DirectMLError
        Attributes or inputs are none of the operator's, or the device refuses it.
    """
    left = dict(attributes)
    tensors = _read_tensors(left.pop(TENSORS, None))
    left.pop(SEQUENCE_RULE, None)
    known = fields_of(operator_name)
    fields = {name: _read(facts, left, name) for name, facts in known if facts.kind == "attribute"}
    if left:
        raise ModelError(f"is no field of {operator_name}", field=f"attribute {shown(min(left))}")
    bound: list[Expression | None] = []
    given = iter(_shared_out(known, tensors))
    values = iter(inputs)
    for name, facts in known:
        if facts.kind == "attribute":
            continue
        made: list[TensorDesc | None] = []
        for tensor in next(given):
            if facts.kind == "output_tensor":
                made.append(tensor and graph.output_tensor(tensor.data_type, tensor.sizes_tuple))
                continue
            read = None if tensor is None else _expression(graph, next(values, None), tensor, name)
            bound.append(read)
            made.append(None if read is None else read.desc)
        fields[name] = made if facts.array else made[0]
    results = graph.add_node(descriptor_class(operator_name)(**fields), *bound)
    if next(values, None) is not None:
        raise ModelError(f"has more inputs than its {TENSORS}", given=operator_name)
    return [Value(each) for each in results if each is not None]


def is_in_halves(attributes: Mapping[str, Any]) -> bool:
    """Return whether a call has tensors of INT4 or UINT4, which models hold as 8 bits here."""
    texts = attributes.get(TENSORS)
    return isinstance(texts, list) and any("INT4 " in str(text) for text in texts)


def _shared_out(
    known: Iterable[tuple[str, FieldFacts]], tensors: list[TensorDesc | None]
) -> Iterator[list[TensorDesc | None]]:
    """Yield the tensors of each field that has some; an array takes what the others leave."""
    fields = [facts for _, facts in known if facts.kind != "attribute"]
    several = len(tensors) - sum(not facts.array for facts in fields)
    is_right = several >= 1 if any(facts.array for facts in fields) else several == 0
    if not is_right:
        raise ModelError(
            "needs a text for each tensor of the operator",
            given=f"{len(tensors)}",
            field=f"attribute {TENSORS}",
        )
    rest = iter(tensors)
    for facts in fields:
        yield [next(rest) for _ in range(several if facts.array else 1)]


def _expression(
    graph: LoadingGraph, value: Value | None, tensor: TensorDesc, name: str
) -> Expression:
    """Return an input as the operator reads it: a view of what it is given."""
    if value is None:
        raise ModelError("is required", given="none", field=name)
    found = value.expression(graph)
    if found.desc.data_type is not tensor.data_type:
        raise ModelError(
            f"needs {tensor.data_type.name}", given=found.desc.data_type.name, field=name
        )
    if value.count == tensor.element_count:
        return viewed(found, tensor.sizes_tuple)
    return broadcast(found, tensor.sizes_tuple)


def _read_tensors(texts: Any) -> list[TensorDesc | None]:
    if not isinstance(texts, list):
        raise ModelError("is required", field=f"attribute {TENSORS}")
    return [_read_tensor(text) for text in texts]


def _read_tensor(text: Any) -> TensorDesc | None:
    if text == "":
        return None
    found = _TENSOR.fullmatch(str(text))
    data_type = TensorDataType.__members__.get(found[1]) if found else None
    if found is None or data_type is None:
        raise ModelError(
            'needs tensors such as "FLOAT32 [1, 3]"',
            given=shown(text),
            field=f"attribute {TENSORS}",
        )
    return TensorDesc(data_type, [int(size) for size in found[2].split(", ")])


def _read(facts: FieldFacts, attributes: dict[str, Any], name: str) -> Any:
    """Take a field out of attributes, and return it; a descriptor checks its range."""
    value = attributes.pop(name, None)
    if facts.type == "OPERATOR_DESC":
        numbers = attributes.pop(name + _NUMBERS, None)
        value = value and _fused(facts, value, numbers, name)
    if value is None:
        return () if facts.array and not facts.optional else None
    if not facts.array:
        return _read_one(facts.type, value, name)
    if not isinstance(value, list | tuple):
        raise ModelError("needs a list", given=shown(value), field=f"attribute {name}")
    return tuple(_read_one(facts.type, each, name) for each in value)


def _read_one(type_: str, value: Any, name: str) -> Any:
    if isinstance(value, str):
        kind: Any = TensorDataType if type_ == "TENSOR_DATA_TYPE" else FIELD_ENUMERATIONS.get(type_)
        if kind is None or value not in kind.__members__:
            raise ModelError(f"needs a {type_}", given=shown(value), field=f"attribute {name}")
        return kind[value]
    if type_ == "SCALAR_UNION":
        try:
            return ScalarUnion(bytes(value))
        except (DirectMLError, TypeError, ValueError):
            raise ModelError(
                "needs 8 bytes", given=shown(value), field=f"attribute {name}"
            ) from None
    return value


def _fused(facts: FieldFacts, names: Any, numbers: Any, field: str) -> Any:
    """Return fused activations of their names, and two numbers for each."""
    texts = list(names) if facts.array else [names]
    values = list(numbers) if isinstance(numbers, list) else []
    if len(values) != 2 * len(texts):
        raise ModelError(
            f"needs {2 * len(texts)} numbers, two for each activation",
            given=f"{len(values)}",
            field=f"attribute {field}{_NUMBERS}",
        )
    members = operator_types().__members__
    for text in texts:
        if text not in members:
            raise ModelError("needs activations", given=shown(text), field=f"attribute {field}")
    pairs = zip(values[::2], values[1::2], strict=True)
    made = [FusedActivation(members[text], *pair) for text, pair in zip(texts, pairs, strict=True)]
    return tuple(made) if facts.array else made[0]
