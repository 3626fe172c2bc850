"""Where the nodes of a graph without cycles stand in a picture: in layers, from top to bottom.

1. A node stands in the layer below the lowest one that feeds it.
2. Edges over several layers get a place in each of them.
3. In each layer, nodes are put in the order of the middle of their neighbours, down and up in turn.
4. Each node is moved to that middle, as near as the others of its layer let it.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass

#: How often layers are put in order, and nodes moved.
_SWEEPS = 8

#: Between nodes of a layer, and between a node and an edge that passes.
GAP, EDGE_GAP = 24.0, 14.0


@dataclass
class _Item:
    """A node in its layer, or where an edge passes it."""

    width: float
    layer: int
    above: list[int]
    below: list[int]
    x: float = 0.0
    is_node: bool = True


@dataclass(frozen=True)
class Layout:
    """Where everything stands.

    Attributes
    ----------
    layers : tuple of int
        Of each node.
    centres : tuple of float
        Of each node: its middle, from the left.
    routes : tuple of tuple of (float, int)
        Of each edge: middle and layer of each place that it passes, its ends left out.
    width : float
        Of all.
    """

    layers: tuple[int, ...]
    centres: tuple[float, ...]
    routes: tuple[tuple[tuple[float, int], ...], ...]
    width: float


def laid_out(widths: Sequence[float], edges: Sequence[tuple[int, int]]) -> Layout:
    """Return where nodes stand.

    Parameters
    ----------
    widths : sequence of float
        Of each node. Each stands behind those that feed it.
    edges : sequence of (int, int)
        From one node to another.

    Examples
    --------
    >>> found = laid_out([10, 10, 10], [(0, 1), (0, 2)])
    >>> found.layers, found.centres
    ((0, 1, 1), (22.0, 5.0, 39.0))
    """
    layers = [0] * len(widths)
    for source, target in sorted(edges, key=lambda edge: edge[1]):
        layers[target] = max(layers[target], layers[source] + 1)
    _lowered(layers, edges)
    items = [_Item(w, layer, [], []) for w, layer in zip(widths, layers, strict=True)]
    passing: list[list[int]] = []
    for source, target in edges:
        last, route = source, []
        for layer in range(layers[source] + 1, layers[target]):
            items.append(_Item(0.0, layer, [last], [], is_node=False))
            items[last].below.append(len(items) - 1)
            last = len(items) - 1
            route.append(last)
        items[last].below.append(target)
        items[target].above.append(last)
        passing.append(route)
    rows: list[list[int]] = [[] for _ in range(max(layers, default=-1) + 1)]
    for number, item in enumerate(items):
        rows[item.layer].append(number)
    _put_in_order(items, rows)
    _move(items, rows)
    left = min((item.x - item.width / 2 for item in items), default=0.0)
    right = max((item.x + item.width / 2 for item in items), default=0.0)
    return Layout(
        tuple(layers),
        tuple(item.x - left for item in items[: len(widths)]),
        tuple(tuple((items[n].x - left, items[n].layer) for n in route) for route in passing),
        right - left,
    )


def _lowered(layers: list[int], edges: Sequence[tuple[int, int]]) -> None:
    """Put what nothing feeds just above what reads it first."""
    fed = {target for _, target in edges}
    first: dict[int, int] = {}
    for source, target in edges:
        first[source] = min(first.get(source, layers[target]), layers[target])
    for source, layer in first.items():
        if source not in fed:
            layers[source] = layer - 1


def _put_in_order(items: list[_Item], rows: list[list[int]]) -> None:
    places = [0.0] * len(items)
    for row in rows:
        for place, number in enumerate(row):
            places[number] = place
    for sweep in range(_SWEEPS):
        is_down = sweep % 2 == 0
        for row in rows if is_down else reversed(rows):
            middles = {}
            for number in row:
                others = items[number].above if is_down else items[number].below
                found = [places[other] for other in others]
                middles[number] = sum(found) / len(found) if found else places[number]
            row.sort(key=middles.__getitem__)
            for place, number in enumerate(row):
                places[number] = place


def _move(items: list[_Item], rows: list[list[int]]) -> None:
    for row in rows:
        x = 0.0
        for before, number in zip([None, *row], row, strict=False):
            x += 0.0 if before is None else _apart(items[before], items[number])
            items[number].x = x
    for sweep in range(2 * _SWEEPS):
        is_down = sweep % 2 == 0
        for row in rows if is_down else reversed(rows):
            wanted, weights = [], []
            for number in row:
                item = items[number]
                others = item.above if is_down else item.below
                xs = [items[other].x for other in others]
                wanted.append(sum(xs) / len(xs) if xs else item.x)
                weights.append(1.0 if item.is_node else 4.0)  # edges that pass are straight first
            gaps = [_apart(items[a], items[b]) for a, b in itertools.pairwise(row)]
            for number, x in zip(row, _nearest(wanted, weights, gaps), strict=True):
                items[number].x = x


def _apart(a: _Item, b: _Item) -> float:
    gap = GAP if a.is_node and b.is_node else EDGE_GAP
    return (a.width + b.width) / 2 + gap


def _nearest(wanted: list[float], weights: list[float], gaps: list[float]) -> list[float]:
    """Return places as near to the wanted ones as can be, by squares, at least `gaps` apart."""
    offsets = [0.0]
    for gap in gaps:
        offsets.append(offsets[-1] + gap)
    # Without the gaps, places only have to be in order: neighbours that are not are averaged.
    blocks: list[tuple[float, float, int]] = []
    for place, weight, offset in zip(wanted, weights, offsets, strict=True):
        block = (place - offset, weight, 1)
        while blocks and blocks[-1][0] > block[0]:
            other = blocks.pop()
            total = other[1] + block[1]
            mean = (other[0] * other[1] + block[0] * block[1]) / total
            block = (mean, total, other[2] + block[2])
        blocks.append(block)
    flat = [place for place, _, count in blocks for _ in range(count)]
    return [place + offset for place, offset in zip(flat, offsets, strict=True)]
