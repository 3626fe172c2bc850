"""The names that nodes see: of a graph, of those around it, and of what called a function."""

from __future__ import annotations

from collections.abc import Mapping, MutableMapping
from dataclasses import dataclass, field
from typing import Any

from indirectml.core.errors import ModelError, shown
from indirectml.onnx_import.reading import domain_name
from indirectml.onnx_import.values import Value


class Refused:
    """What stands for the outputs of a node that was refused."""


REFUSED = Refused()

Known = Value | Refused


@dataclass
class Scope:
    """The names that nodes see, and what the model says around them.

    Attributes
    ----------
    values : dict
        By name.
    opsets : mapping
        By domain.
    parent : Scope or None
        The graph that a branch lies in.
    attributes : mapping
        Of the node that called this function, by name, as ONNX has them.
    place : str
        What stands in front of the names of nodes.
    depth : int
        How many functions and branches lie around it.
    """

    values: dict[str, Known]
    opsets: MutableMapping[str, int]
    parent: Scope | None = None
    attributes: Mapping[str, Any] = field(default_factory=dict)
    place: str = ""
    depth: int = 0

    def opset(self, domain: str) -> int:
        """Return the opset of a domain; 0 if the model has none."""
        return self.opsets.get(domain_name(domain), 0)

    def find(self, name: str) -> Known | None:
        """Return what a name stands for."""
        scope: Scope | None = self
        while scope is not None:
            if name in scope.values:
                return scope.values[name]
            scope = scope.parent
        return None

    def read(self, name: str) -> Known | None:
        """Return an input of a node; None for one that is left out.

        Raises
        ------
        ModelError
            Nothing has the name.
        """
        if not name:
            return None
        found = self.find(name)
        if found is None:
            raise ModelError(
                "needs the name of an input, an initializer, or an output of a node",
                given=shown(name),
                field="inputs",
            )
        return found

    def made(self, name: str) -> Value | None:
        """Return what a name stands for at the end; None if it was refused.

        Raises
        ------
        ModelError
            Nothing has the name.
        """
        found = self.find(name)
        if found is None:
            raise ModelError("needs outputs that a node makes", given=shown(name))
        return found if isinstance(found, Value) else None
