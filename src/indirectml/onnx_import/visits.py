"""Nodes that are walked: what a walk needs of each, and what a node can know of what it reads."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from indirectml.core.records import record
from indirectml.graphs.expressions import Expression
from indirectml.onnx_import.order import Numbered, node_label, operator_label
from indirectml.onnx_import.values import Value

#: Of nodes of up to so many bytes attributes are compared; those with more are compared as nodes.
_MOST_COMPARED = 4096

#: How many characters of a node's place a sentence has.
_SHOWN_PLACE = 240


@dataclass(frozen=True)
class Refusal:
    """A node that cannot be said.

    Attributes
    ----------
    node : str
        Its name, or "nodes[3]" where it has none; inside of functions with theirs in front. What
        does not print is escaped, and names of more than 100 characters are cut.
    operator : str
        Such as "Loop"; of another domain than ONNX's own with that in front.
    reason : str
        A sentence.
    """

    node: str
    operator: str
    reason: str

    def __str__(self) -> str:
        place = self.node
        if len(place) > _SHOWN_PLACE:  # of what lies deep in itself, the ends
            place = f"{place[: _SHOWN_PLACE // 2]}...{place[-_SHOWN_PLACE // 2 :]}"
        return f"{place} ({self.operator}): {self.reason}"


@record(eq=False)
class Visit:
    """A node of a walk.

    Attributes
    ----------
    node : onnx.NodeProto
        What it is.
    number : int
        Its place in the file.
    before : str
        What stands in front of its name.
    name : str
        What its operators are called after.
    inputs, outputs : tuple of str
        Their names.
    needed : set of str
        The names that are read of all that the walk makes.
    quantized : set of str
        Those that `quantized_names` finds.
    read : tuple of str
        The names that it reads, in its branches too.
    key : object
        What it does with them, whatever it is called; None where nothing is kept.
    """

    node: Any
    number: int
    before: str
    name: str
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    needed: set[str]
    quantized: set[str]
    read: tuple[str, ...] = ()
    key: Any = None

    @staticmethod
    def of(
        one: Numbered, before: str, needed: set[str], quantized: set[str], *, is_kept: bool
    ) -> Visit:
        """Return the visit of a node; `before` stands in front of its name."""
        number, node, read = one
        called = f"{before}{node.name or f'{node.op_type}_{number}'}"
        inputs, outputs = tuple(node.input), tuple(node.output)
        if not is_kept:
            return Visit(node, number, before, called, inputs, outputs, needed, quantized)
        does: Any = number
        if node.ByteSize() <= _MOST_COMPARED:
            does = tuple([each.SerializeToString() for each in node.attribute])
        given = tuple(map(bool, inputs)), tuple(map(needed.__contains__, outputs))
        key = node.domain, node.op_type, overload(node), does, given
        return Visit(node, number, before, called, inputs, outputs, needed, quantized, read, key)

    @property
    def place(self) -> str:
        """What refusals call it."""
        return f"{self.before}{node_label(self.number, self.node)}"

    @property
    def operator(self) -> str:
        """What refusals call its operator."""
        return operator_label(self.node)


def asked(
    visit: Visit, known: Mapping[str, Any], *, is_once: bool = False
) -> tuple[Any, list[Value]]:
    """Return what a node does and all that it can know of what it reads, and these values.

    That is their signatures, and what is the same tensor; None where something was refused, and
    with `is_once` where it reads weights, which no other node reads.
    """
    found = [known[name] for name in visit.read if name in known]
    numbers: dict[Any, int] = {}
    key = [visit.key]
    for value in found:
        if not isinstance(value, Value):
            return None, []
        signature = value.signature
        if is_once and signature is value:
            return None, []
        key.append(signature)
        content = value.content
        if isinstance(content, Expression):
            key.append(numbers.setdefault(content.value, len(numbers)))
    return tuple(key), found


def overload(proto: Any) -> str:
    """Return which of several functions of one name is meant."""
    return str(getattr(proto, "overload", ""))
