"""Docstrings of descriptors and of functions for graphs, made of definition and catalogue."""

from __future__ import annotations

import itertools
import re
import textwrap
from collections.abc import Iterable, Iterator
from enum import IntEnum
from typing import Any

import numpy as np

from indirectml.catalogue import FieldFacts, operator_facts
from indirectml.catalogue.feature_levels import FeatureLevel, tensor_support
from indirectml.catalogue.fused_activations import FusedActivation
from indirectml.catalogue.published_pages import published_page
from indirectml.descriptors.definitions import Definition, field_type, fields_of, number_fields
from indirectml.descriptors.examples import Example, examples
from indirectml.descriptors.glossary import GLOSSARY
from indirectml.descriptors.names import class_name, parameter_name

_WIDTH = 92


def parts(definition: Definition) -> tuple[str, str]:
    """Return the first sentence of a definition, and its notes, without the examples."""
    head, _, rest = definition.text.partition("\n\n")
    rest = re.sub(r"^Example: .*(\n[ \t]+.*)*", "", rest, flags=re.MULTILINE)
    return head.strip(), rest.strip()


def descriptor_doc(definition: Definition, operator_name: str) -> str:
    """Return the docstring of a descriptor class."""
    head, notes = parts(definition)
    sections = {
        "Parameters": "\n".join(_parameter(name, facts, field_type(facts), operator_name)
                                for name, facts in fields_of(operator_name)),
        "Notes": notes,
        "References": _reference(operator_name),
        "Examples": "\n".join(
            _descriptor_example(e, definition, operator_name)
            for e in list(examples(definition, operator_name))[:1]
            if _fits(e, definition, operator_name)
        ),
    }  # fmt: skip
    return _joined(head, sections)


def function_doc(definition: Definition, parameters: Iterable[tuple[str, str, str]]) -> str:
    """Return the docstring of a function for graphs.

    Parameters
    ----------
    definition : Definition
        Of the operator.
    parameters : iterable of (str, str, str)
        Name in the function, name of the field, and type as text.
    """
    parameters = list(parameters)
    head, notes = parts(definition)
    facts = dict(fields_of(definition.name))
    rows = [
        _parameter(name, facts.get(field), type_, definition.name, field)
        for name, field, type_ in parameters
    ]
    renamed = {field: name for name, field, _ in parameters}
    sections = {
        "Parameters": "\n".join(rows),
        "Notes": notes,
        "References": _reference(definition.name),
        "Examples": "\n".join(
            _function_example(e, definition, renamed)
            for e in list(examples(definition, definition.name))[:1]
        ),
    }
    return _joined(head, sections)


def _reference(operator_name: str) -> str:
    """Return the structure that describes an operator, and where its page was read."""
    return f"DirectML: DML_{operator_name}_OPERATOR_DESC; {published_page(operator_name)}."


def _joined(head: str, sections: dict[str, str]) -> str:
    text = head + "\n"
    for title, body in sections.items():
        if body.strip():
            text += f"\n{title}\n{'-' * len(title)}\n{body.rstrip()}\n"
    return text


def _parameter(
    name: str, facts: FieldFacts | None, type_: str, operator_name: str, field: str | None = None
) -> str:
    field = field or name
    text = GLOSSARY.get(f"{operator_name}.{field}") or GLOSSARY.get(field, "")
    if facts is not None and facts.kind != "attribute":
        text = f"{text} {_support(facts, operator_name)}".strip()
    wrapped = textwrap.indent(textwrap.fill(text or "See the notes.", _WIDTH), "    ")
    return f"{name} : {type_.replace(' | None', '')}{_optional(facts)}\n{wrapped}"


def _optional(facts: FieldFacts | None) -> str:
    return ", optional" if facts is not None and facts.optional else ""


def _support(facts: FieldFacts, operator_name: str) -> str:
    """Return what a tensor may be at the highest feature level, as a sentence."""
    several = operator_facts(operator_name).support_by_function
    if several:
        return "Its data type depends on the function."
    support = tensor_support(operator_name, max(FeatureLevel))[facts.name]
    low, high = support.minimum_dimension_count, support.maximum_dimension_count
    counts = f"{low} dimensions" if low == high else f"{low} to {high} dimensions"
    types = support.data_types
    names = ", ".join(t.name for t in types) if types is not None else "any data type"
    return f"{names}; {counts}."


def _fits(example: Example, definition: Definition, operator_name: str) -> bool:
    """Return whether an older version has all the fields that an example gives."""
    names = {name for name, _ in fields_of(operator_name)}
    newest = {name for name, _ in fields_of(definition.name)}
    return not (newest - names) & example.fields.keys()


def _outputs(example: Example, definition: Definition, operator_name: str) -> list[Any]:
    """Return the outputs of an example that a version has."""
    names = {name for name, _ in fields_of(operator_name)}
    if len(definition.output_names) == 1:
        return list(example.outputs)
    pairs = zip(definition.output_names, example.outputs, strict=True)
    return [array for name, array in pairs if name in names]


def _array(array: Any) -> str:
    """Return an expression of NumPy for an array."""
    if array is None:
        return "None"
    return f"np.array({_list(array)}, np.{array.dtype.name})"


def _list(array: Any) -> str:
    text = np.array2string(
        array, separator=", ", threshold=2**31, max_line_width=10**6,
        formatter={"float_kind": _number},
    )  # fmt: skip
    return re.sub(r"\s*\n\s*", " ", text).replace("nan", "np.nan").replace("inf", "np.inf")


def _number(value: Any) -> str:
    """Return a float as short as it can be typed; -0 would be an integer."""
    text = repr(float(value))
    return text if text == "-0.0" else text.removesuffix(".0")


def _shown(arrays: Any) -> str:
    """Return what Python shows of arrays; in an example an empty line would be its end."""
    return re.sub(r"\n\s*\n", "\n", repr([a for a in arrays if a is not None]))


def _argument(value: Any) -> str:
    if isinstance(value, list):
        return f"[{', '.join(map(_argument, value))}]"
    if isinstance(value, FusedActivation):
        name = value.activation.name.removeprefix("ACTIVATION_").lower()
        numbers = [value.param_1, value.param_2][: len(number_fields(value.activation.name))]
        return f"FusedActivation.{name}({', '.join(map(str, numbers))})"
    if isinstance(value, type):
        return f"np.{value.__name__}"
    if isinstance(value, IntEnum):
        return f"{type(value).__name__}.{value.name}"
    return repr(value)


def _tensor(array: Any) -> str:
    return f"TensorDesc(np.{array.dtype.name}, {list(array.shape)})"


def _descriptor_example(example: Example, definition: Definition, operator_name: str) -> str:
    arguments = []
    given = _outputs(example, definition, operator_name)
    inputs, outputs = iter(example.inputs), iter(given)
    for name, facts in fields_of(operator_name):
        if facts.kind == "attribute":
            if name in example.fields:
                arguments.append(f"{name}={_argument(example.fields[name])}")
            continue
        source = inputs if facts.kind == "input_tensor" else outputs
        if facts.array:
            listed = ", ".join(_tensor(a) for a in source if a is not None)
            arguments.append(f"{name}=[{listed}]")
            continue
        array = next(source, None)
        if array is not None:
            arguments.append(f"{name}={_tensor(array)}")
    lines = "".join(f"\n...     {a}," for a in arguments)
    arrays = ", ".join(_array(a) for a in example.inputs)
    call = f"[{arrays}]" if example.inputs else ""
    return (
        f">>> desc = {class_name(operator_name)}({lines}\n... )\n"
        ">>> device = Device()\n"
        f">>> compiled = device.compile_operator(device.create_operator(desc))\n"
        f">>> compiled({call})\n" + _shown(given)
    )


def _function_example(example: Example, definition: Definition, renamed: dict[str, str]) -> str:
    lines = [">>> graph = Graph(Device())"]
    operands = []
    for number, array in enumerate(example.inputs):
        name = "abcdefghij"[number] if len(example.inputs) > 1 else "x"
        if array is not None:
            lines.append(f">>> {name} = graph.constant({_array(array)})")
        operands.append(name if array is not None else "None")
    left = iter(operands)
    tensors = {
        field: f"[{', '.join(left)}]" if facts.array else next(left)
        for field, facts in fields_of(definition.name)
        if facts.kind == "input_tensor"
    }
    given = list(_given(example, definition, tensors, renamed))
    positional = list(itertools.takewhile(lambda pair: pair[0] in tensors, given))
    while positional and positional[-1][1] == "None":
        positional.pop()
    arguments = [text for _, text in positional]
    given = [(f, text) for f, text in given if f not in dict(positional) and text != "None"]
    arguments += [f"{renamed[field]}={text}" for field, text in given]
    call = f"{definition.function}({', '.join(arguments)})"
    if definition.outputs is None:
        lines.append(f">>> graph.compile([{call}])()")
    else:
        lines.append(f">>> graph.compile([e for e in {call} if e is not None])()")
    lines.append(_shown(example.outputs))
    return "\n".join(lines)


def _given(
    example: Example, definition: Definition, tensors: dict[str, str], renamed: dict[str, str]
) -> Iterator[tuple[str, str]]:
    """Yield the fields of a call that an example has to give, and what is written for them."""
    output = next(a for a in example.outputs if a is not None)
    of_output = {"output_sizes": list(output.shape), "output_dtype": np.dtype(output.dtype).type}
    for field in renamed:
        is_default = definition.defaults.get(field) == example.fields.get(field, True)
        if field in tensors:
            yield field, tensors[field]
        elif field in example.fields:
            if not is_default:
                yield field, _argument(example.fields[field])
        elif field in definition.output_names:
            if not is_default:
                yield field, "True"
        elif field in of_output and _differs(field, output, definition):
            yield field, _argument(of_output[field])


def _differs(field: str, output: Any, definition: Definition) -> bool:
    """Return whether an example has to say what its output is."""
    if field == "output_sizes":
        return definition.sizes is None
    return bool(output.dtype != np.dtype(definition.output_dtype))


def parameter_of(field: str, definition: Definition) -> str:
    """Return what a field is called as a parameter of the function for graphs."""
    return definition.renamed.get(field) or parameter_name(field)
