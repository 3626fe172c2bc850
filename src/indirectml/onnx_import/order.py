"""The nodes of a graph in an order in which they can be computed, and which of them are needed."""

from __future__ import annotations

import heapq
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple

from indirectml.core.errors import label

#: The types of attributes that are graphs, or lists of these.
_GRAPHS = frozenset({5, 10})

#: What may lie between an operator and its quantization.
_LIMITS = ("Relu", "Clip")


class Numbered(NamedTuple):
    """A node, its place in the file, and the names that it reads."""

    number: int
    node: Any
    read: tuple[str, ...]


def node_label(number: int, node: Any) -> str:
    """Return the name of a node; its place in the file where it has none."""
    return label(node.name) or f"nodes[{number}]"


def operator_label(node: Any) -> str:
    """Return the operator of a node; that of another domain than ONNX's with it in front."""
    return label(f"{label(node.domain)}.{node.op_type}" if node.domain else node.op_type)


def ordered(nodes: Iterable[Any]) -> tuple[list[Numbered], list[Numbered], list[Numbered]]:
    """Return nodes with their numbers, each after those that it reads.

    Returns
    -------
    sorted, circle, behind : list
        Nodes that stand in such an order keep it; ONNX asks for that, and ONNX Runtime does not.
        Others come as soon as they can, of several the first in the file. Then those of a circle,
        and what else waits for circles; else nothing.
    """
    listed = [Numbered(number, node, tuple(names_read(node))) for number, node in enumerate(nodes)]
    maker = {name: each.number for each in reversed(listed) for name in each.node.output if name}
    if all(maker.get(name, -1) < each.number for each in listed for name in each.read):
        return listed, [], []
    feeding = [{maker[name] for name in each.read if name in maker} for each in listed]
    readers: list[list[int]] = [[] for _ in listed]
    for number, before in enumerate(feeding):
        for other in before:
            readers[other].append(number)
    waiting = list(map(len, feeding))
    ready = [number for number, count in enumerate(waiting) if not count]
    found: list[Numbered] = []
    while ready:
        number = heapq.heappop(ready)
        found.append(listed[number])
        for reader in readers[number]:
            waiting[reader] -= 1
            if not waiting[reader]:
                heapq.heappush(ready, reader)
    left = {number for number, count in enumerate(waiting) if count}
    circle = _circle(feeding, left)
    behind = sorted(left.difference(circle))
    return found, [listed[n] for n in circle], [listed[n] for n in behind]


def _circle(feeding: Sequence[set[int]], left: set[int]) -> list[int]:
    """Return nodes that wait for one another; none if none do."""
    if not left:
        return []
    seen: dict[int, None] = {}
    number = min(left)
    while number not in seen:
        seen[number] = None
        number = min(feeding[number] & left)
    listed = list(seen)
    return sorted(listed[listed.index(number) :])


def needed_names(nodes: Sequence[Numbered], wanted: Iterable[str]) -> set[str]:
    """Return the names that are read, directly or not, for some to be there."""
    needed = {name for name in wanted if name}
    for each in reversed(nodes):
        if not needed.isdisjoint(each.node.output):
            needed.update(each.read)
    needed.discard("")
    return needed


def quantized_names(nodes: Sequence[Numbered], wanted: Iterable[str]) -> set[str]:
    """Return the names that QuantizeLinear alone reads, maybe behind one relu or clip."""
    readers = Counter(name for each in nodes for name in each.read)
    left_out = {name for name, count in readers.items() if count > 1}.union(wanted)
    # By what alone reads a name first.
    by_operator: dict[str, dict[str, str]] = {name: {} for name in ("QuantizeLinear", *_LIMITS)}
    for _, node, _ in nodes:
        if node.op_type not in by_operator or node.domain:
            continue
        for name, made in zip(node.input[:1], node.output[:1], strict=False):  # if it has both
            if name not in left_out:
                by_operator[node.op_type][name] = made
    found = set(by_operator["QuantizeLinear"])
    behind = [
        name for limit in _LIMITS for name, made in by_operator[limit].items() if made in found
    ]
    return found.union(behind)


def names_read(node: Any) -> Iterator[str]:
    """Yield the names that a node reads, also in its branches, but for what these make."""
    yield from filter(None, node.input)
    for attribute in node.attribute:
        for body in (attribute.g, *attribute.graphs) if attribute.type in _GRAPHS else ():
            own = {each.name for each in (*body.input, *body.initializer)}
            own.update(name for inner in body.node for name in inner.output)
            for inner in body.node:
                yield from (name for name in names_read(inner) if name not in own)
            yield from (each.name for each in body.output if each.name not in own)


def in_order(nodes: Iterable[Any]) -> bool:
    """Return whether each node stands after those that it reads, as onnx's checks ask for."""
    found, circle, _ = ordered(nodes)
    return not circle and all(number == each.number for number, each in enumerate(found))


def ending_before(node: Any, graph: Any, most: int) -> tuple[list[str], list[str]] | None:
    """Return the inputs and outputs of a model that ends with what a node of its graph reads.

    None where that are more than `most` inputs or outputs, or none.
    """
    weights = {each.name for each in graph.initializer}
    inputs = [each.name for each in graph.input if each.name not in weights]
    made = {name for each in graph.node if each.op_type != "Constant" for name in each.output}
    ends = [name for name in node.input if name in made and node.output[0] in made]
    return (inputs, ends) if ends and max(len(ends), len(inputs)) <= most else None
