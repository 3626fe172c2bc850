"""The functions of the graph door, each made when it is first asked for."""

from __future__ import annotations

from typing import Any

from indirectml.descriptors.definitions import index
from indirectml.graphs.functions import graph_function


def __getattr__(name: str) -> Any:
    if name not in index()["functions"]:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return graph_function(name)
