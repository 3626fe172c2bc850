"""Nodes that are walked: what a walk needs of each, and what a node can know of what it reads."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from indirectml.core.errors import label
from indirectml.graphs.expressions import Expression
from indirectml.onnx_import.package import onnx_package
from indirectml.onnx_import.values import Value

#: Up to so many bytes of attributes are compared; nodes with more are compared as nodes.
_MOST_COMPARED = 4096


@dataclass(frozen=True)
class Visit:
    """A node of a walk.

    Attributes
    ----------
    node : onnx.NodeProto
        What it is.
    place, operator : str
        What refusals call it.
    inputs, outputs : tuple of str
        Their names.
    needed : set of str
        The names that are read of all that the walk makes.
    read : tuple of str
        The names that it reads, in its branches too.
    key : object
        What it does with them, whatever it is called; None where nothing is kept.
    """

    node: Any
    place: str
    operator: str
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    needed: set[str]
    read: tuple[str, ...] = ()
    key: Any = None

    @staticmethod
    def of(node: Any, number: int, before: str, needed: set[str], *, is_kept: bool) -> Visit:
        """Return the visit of a node; `before` stands in front of its name."""
        place = f"{before}{label(node.name) or f'nodes[{number}]'}"
        operator = f"{label(node.domain)}.{node.op_type}" if node.domain else node.op_type
        names = tuple(node.input), tuple(node.output)
        if not is_kept:
            return Visit(node, place, label(operator), *names, needed)
        does: Any = number
        if sum(each.ByteSize() for each in node.attribute) <= _MOST_COMPARED:
            does = tuple(each.SerializeToString(deterministic=True) for each in node.attribute)
        given = tuple(map(bool, node.input)), tuple(name in needed for name in node.output)
        key = node.domain, node.op_type, overload(node), does, given
        return Visit(node, place, label(operator), *names, needed, tuple(_read(node)), key)


def signature(values: Sequence[Value]) -> Iterator[Any]:
    """Yield what a node can know of what it reads: signatures, and what is the same tensor."""
    numbers: dict[Any, int] = {}
    for value in values:
        yield value.signature
        content = value.content
        if isinstance(content, Expression):
            yield numbers.setdefault(content.value, len(numbers))


def needed_names(nodes: Sequence[Any], wanted: Iterable[str]) -> set[str]:
    """Return the names that are read, directly or not, for some to be there."""
    needed = {name for name in wanted if name}
    for node in reversed(nodes):
        if any(name in needed for name in node.output):
            needed.update(_read(node))
    return needed


def _read(node: Any) -> Iterator[str]:
    """Yield the names that a node reads, also in its branches."""
    yield from (name for name in node.input if name)
    for attribute in node.attribute:
        for body in (attribute.g, *attribute.graphs) if _holds_graphs(attribute) else ():
            for inner in body.node:
                yield from _read(inner)
            yield from (output.name for output in body.output)


def _holds_graphs(attribute: Any) -> bool:
    types = onnx_package().AttributeProto
    return attribute.type in {types.GRAPH, types.GRAPHS}


def overload(proto: Any) -> str:
    """Return which of several functions of one name is meant."""
    return str(getattr(proto, "overload", ""))
