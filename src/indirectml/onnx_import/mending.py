"""What would mend a refusal: which inputs of the model would have to be known while loading."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property
from typing import Any

from indirectml.core.errors import DirectMLError
from indirectml.onnx_import.inputs import other_floats
from indirectml.onnx_import.nodes import EndingError, UnsizedError
from indirectml.onnx_import.order import ending_before, in_order, names_read
from indirectml.onnx_import.scopes import Scope
from indirectml.onnx_import.values import UnknownError, Value

#: For how many refusals it is looked for what would mend them.
_MOST_HINTS = 20

#: How many inputs of a model a hint names.
_SHOWN_INPUTS = 3

#: Data types that few operators of DirectML have; what is known of them is computed while loading.
#: And those that nearly all have.
_WIDE = {"FLOAT64": "FLOAT32", "INT64": "INT32"}


_ADVICE = "end the model before it, and compute it from outputs"


def is_of_wide(error: DirectMLError) -> bool:
    """Return whether a node is refused for a data type that is computed where it is known."""
    return error.given in _WIDE


def names_behind(error: UnknownError, node: Any) -> Iterable[str]:
    """Return the names that a node would have to know; of a loop or an If those in it, too."""
    return names_read(node) if error.index is None else (node.input[error.index],)


class Mending:
    """What is said behind refusals.

    Parameters
    ----------
    graph : onnx.GraphProto
        Of the model.
    """

    def __init__(self, graph: Any) -> None:
        self._graph = graph
        self._left = _MOST_HINTS

    def hint_at(self, error: DirectMLError, node: Any, scope: Scope) -> str | None:
        """Return what would mend a refusal, if that is to know more while loading."""
        if isinstance(error, UnknownError):
            return self.constants(names_behind(error, node), scope)
        if isinstance(error, EndingError):
            hint = self.constants(node.input, scope) if isinstance(error, UnsizedError) else ""
            self._left -= not hint
            call = self._call_that_ends_before(node)
            ending = f"{_ADVICE}: {call}" if call else _ADVICE
            return f"{hint}; or {ending}" if hint else ending
        if not is_of_wide(error):
            return other_floats(error)
        hint = self.constants(node.input, scope)
        if not hint:
            return None
        narrow = _WIDE[error.given]  # type: ignore[index]  # as it is one of these
        wide = f"{error.given} is computed while loading, and {hint}; or export it in {narrow}"
        call = self._call_that_ends_before(node)
        return f"{wide}; or {_ADVICE}: {call}" if call else wide

    def _call_that_ends_before(self, node: Any) -> str:
        """Return how a model is written that ends before a node; "" of many, or for many."""
        found = ending_before(node, self._graph, most=_SHOWN_INPUTS * (self._left >= 0))
        if found is None:
            return ""
        inputs, outputs = found
        unchecked = "" if self._is_in_order else ", check_model=False"
        return f"onnx.utils.extract_model(path, 'before.onnx', {inputs}, {outputs}{unchecked})"

    @cached_property
    def _is_in_order(self) -> bool:
        return in_order(self._graph.node)

    def constants(self, names: Iterable[str], scope: Scope) -> str:
        """Return how values become known: by the inputs of the model that they need, if any."""
        self._left -= 1
        if self._left < 0:
            return "constants= makes it known"
        found = self.inputs_behind(names, scope)
        if not found:
            return ""
        given = ", ".join(f"{each!r}: array" for each in found[:_SHOWN_INPUTS])
        return f"constants={{{given}}} makes it known"

    def inputs_behind(self, names: Iterable[str], scope: Scope) -> list[str]:
        """Return the inputs of the model whose elements decide values that are not known."""
        made_by = {each: node for node in self._graph.node for each in node.output}
        inputs = {each.name for each in self._graph.input}
        waiting = list(names)
        seen = {""}
        while waiting:
            name = waiting.pop()
            value = scope.find(name)
            if name in seen or (isinstance(value, Value) and value.is_known):
                continue
            seen.add(name)
            waiting += names_read(made_by[name]) if name in made_by else ()
        return sorted(seen & inputs)
