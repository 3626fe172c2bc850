"""Examples in definitions: one line that serves tests, docstrings of both doors, and pages.

    Example: min=-1, max=1; float32 [-2, 0, 2] -> [-1, 0, 1]

Fields, where there are any, then the inputs and the outputs in DirectML's order. A data type holds
until the next one; None stands for a tensor that is left out. Enumerations are written by their
members.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from indirectml.catalogue.enumerations import FIELD_ENUMERATIONS
from indirectml.catalogue.fused_activations import FusedActivation
from indirectml.descriptors.definitions import Definition, fields_of

Array = np.ndarray[Any, Any]

_DTYPE = re.compile(r"\b(u?int\d+|float\d+) (?=\[)")
_NUMBERS = {"nan": np.nan, "inf": np.inf}


@dataclass(frozen=True)
class Example:
    """An example of a definition.

    Attributes
    ----------
    fields : dict
        By name.
    inputs, outputs : tuple of array or None
        One per tensor of the operator's structure.
    """

    fields: dict[str, Any]
    inputs: tuple[Array | None, ...]
    outputs: tuple[Array | None, ...]


def examples(definition: Definition, operator_name: str) -> Iterator[Example]:
    """Yield the examples in the docstring of a definition."""
    text = re.sub(r"\n[ \t]+", " ", definition.text)
    for line in re.findall(r"^Example: (.*)$", text, re.MULTILINE):
        yield _parsed(line, operator_name)


def _parsed(line: str, operator_name: str) -> Example:
    before, _, outputs = line.partition("->")
    fields, _, inputs = before.rpartition(";")
    read = _arrays(inputs, None)
    dtype = next((a.dtype for a in read if a is not None), None)
    return Example(_fields(fields, operator_name), read, _arrays(outputs, dtype))


def _fields(text: str, operator_name: str) -> dict[str, Any]:
    call: Any = ast.parse(f"f({text})", mode="eval").body
    kinds = {name: facts.type for name, facts in fields_of(operator_name)}
    names: dict[str, Any] = dict(_NUMBERS) | {"FusedActivation": FusedActivation, "np": np}
    found = {}
    for keyword in call.keywords:
        enumeration = FIELD_ENUMERATIONS.get(kinds.get(keyword.arg, ""))
        members = dict(enumeration.__members__) if enumeration else {}
        found[keyword.arg] = _value(keyword.value, names | members)
    return found


def _arrays(text: str, dtype: np.dtype[Any] | None) -> tuple[Array | None, ...]:
    if not text.strip():
        return ()
    tree: Any = ast.parse(f"({_DTYPE.sub(_quoted, text.strip())},)", mode="eval").body
    found: list[Array | None] = []
    for node in tree.elts:
        value = node
        if isinstance(node, ast.BinOp):
            left: Any = node.left
            dtype, value = np.dtype(left.value), node.right
        content = _value(value, dict(_NUMBERS))
        found.append(None if content is None else np.array(content, dtype))
    return tuple(found)


def _quoted(match: re.Match[str]) -> str:
    return f'"{match[1]}" @ '


def _value(node: ast.expr, names: dict[str, Any]) -> Any:
    code = compile(ast.Expression(node), "<example>", "eval")
    return eval(code, {"__builtins__": {}} | names)  # noqa: S307 (a docstring of this package)
