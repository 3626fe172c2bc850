"""What the operator of a node is: a function of the model, ONNX's, a runtime's, or DirectML's."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from indirectml.core.errors import ModelError, shown
from indirectml.onnx_import.nodes import FormlessError, Registered, find_handler
from indirectml.onnx_import.own_domain import DOMAIN, VERSION
from indirectml.onnx_import.reading import domain_name
from indirectml.onnx_import.schemas import find_schema, no_operator, similar_operator
from indirectml.onnx_import.visits import overload

_LOOPS = ("Loop", "Scan", "SequenceMap")
_OF_SEQUENCES = frozenset({
    "ConcatFromSequence", "SequenceAt", "SequenceConstruct", "SequenceEmpty", "SequenceErase",
    "SequenceInsert", "SequenceLength", "SequenceMap", "SplitToSequence",
})  # fmt: skip

#: For how many unknown operators it is looked for similar ones.
_MOST_HINTS = 20


@dataclass(frozen=True)
class Meaning:
    """What the operator of a node is.

    Attributes
    ----------
    domain : str
        "" for ONNX's own.
    version : int
        The opset that counts.
    function : onnx.FunctionProto or None
        Of the model.
    schema : onnx.defs.OpSchema or None
        What ONNX says of it.
    registered : Registered or None
        Its handler.
    """

    domain: str
    version: int
    function: Any
    schema: Any
    registered: Registered | None

    @property
    def is_branch(self) -> bool:
        """Whether it chooses between two graphs."""
        return self.schema is not None and (self.domain, self.schema.name) == ("", "If")

    @property
    def is_loop(self) -> bool:
        """Whether it goes through a graph several times."""
        return self.domain == "" and self.schema is not None and self.schema.name in _LOOPS

    @property
    def is_of_sequences(self) -> bool:
        """Whether it reads or makes sequences of tensors."""
        return self.domain == "" and self.schema is not None and self.schema.name in _OF_SEQUENCES

    @property
    def is_own(self) -> bool:
        """Whether it may stand for an operator of DirectML, in a version that is known here."""
        return self.domain == DOMAIN and self.version <= VERSION


class Meanings:
    """The operators of a model, each looked for once.

    Parameters
    ----------
    functions : iterable of onnx.FunctionProto
        The model's own.
    """

    def __init__(self, functions: Iterable[Any]) -> None:
        self._functions = {(domain_name(f.domain), f.name, overload(f)): f for f in functions}
        self._found: dict[Any, Meaning] = {}
        self._similar: dict[str, str | None] = {}

    def find(self, node: Any, opsets: Mapping[str, int]) -> Meaning:
        """Return what the operator of a node is.

        Raises
        ------
        ModelError
            There is no such operator, or it has no form here.
        """
        domain, operator = domain_name(node.domain), node.op_type
        version = opsets.get(domain)
        key = domain, operator, overload(node), version
        found = self._found.get(key)
        if found is None:
            found = self._found[key] = self._looked_for(*key)
        return found

    def _looked_for(self, domain: str, operator: str, variant: str, version: int | None) -> Meaning:
        function = self._functions.get((domain, operator, variant))
        if function is not None:
            return Meaning(domain, version or 0, function, None, None)
        if version is None:
            raise ModelError(
                "needs the opset of its domain", given=f"none for {shown(domain or 'ai.onnx')}"
            )
        schema = find_schema(domain, operator, version)
        registered = find_handler(domain, operator, version)
        if schema is None and registered is None:
            if operator not in self._similar and len(self._similar) < _MOST_HINTS:
                self._similar[operator] = similar_operator(operator)
            hint = self._similar.get(operator)
            raise no_operator(domain, operator, version, None if domain else hint)
        meaning = Meaning(domain, version, None, schema, registered)
        if not (registered or meaning.is_branch or meaning.is_loop or _has_definition(schema)):
            raise FormlessError
        return meaning


def _has_definition(schema: Any) -> bool:
    return schema is not None and (schema.has_function or schema.has_context_dependent_function)
