"""Compiling graphs of many nodes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import indirectml as dml
from benchmarks.sections.section import Context, Section
from benchmarks.timing import Job

NAME = "compiling"

_NODES = 16_000
_BAR_US = 1e6

#: What node number n makes of what the one before it made, an input and a constant.
_CHAINS: dict[str, Callable[[int, Any, Any, Any], Any]] = {
    "softmaxes": lambda _, y, __, ___: dml.activation_softmax(y, axes=[3]),
    "additions": lambda _, y, x, __: y + x,
    "products with a constant": lambda _, y, __, m: dml.gemm(y, m),
    "products and additions": lambda n, y, x, m: y + x if n % 2 else dml.gemm(y, m),
}


def run(context: Context) -> Section:
    """Compile chains of nodes."""
    nodes = min(_NODES, context.large_bytes // 2**10)
    section = Section(
        NAME, "Compiling graphs", "one node", notes=[f"chains of {nodes:,} nodes, Graph.compile"]
    )
    jobs = [
        Job(f"{nodes:,} {name}", "graph.compile([y])", _names(step, nodes), bar_us=_BAR_US)
        for name, step in _CHAINS.items()
    ]
    one = Job("1 addition", "graph.compile([y])", _names(_CHAINS["additions"], 1))
    section.add(one, jobs, context.rounds(5), sample_s=context.sample_s)
    return section


def _names(step: Callable[[int, Any, Any, Any], Any], nodes: int) -> dict[str, Any]:
    graph = dml.Graph(dml.Device())
    x = graph.input([1, 1, 4, 4], name="x")
    m = graph.constant(np.ones((1, 1, 4, 4), np.float32))
    y = x
    for number in range(nodes):
        y = step(number, y, x, m)
    return {"graph": graph, "y": y}
