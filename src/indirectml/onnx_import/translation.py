"""The walk over the nodes of a model: names become values, nodes become operators of a graph."""

from __future__ import annotations

import functools
from collections import ChainMap
from collections.abc import Iterable, Mapping, MutableMapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from indirectml.core.errors import DirectMLError, ModelError, refusing, shown
from indirectml.graphs.expressions import Expression
from indirectml.onnx_import.budget import Budget, LoadingGraph, NodesError
from indirectml.onnx_import.folding import as_declared, outputs_of
from indirectml.onnx_import.loops import looped, scanned
from indirectml.onnx_import.nodes import Node, Registered, UnsizedError, find_handler
from indirectml.onnx_import.order import (
    Numbered,
    ending_before,
    needed_names,
    node_label,
    operator_label,
    ordered,
)
from indirectml.onnx_import.own_domain import (
    DOMAIN,
    SEQUENCE_RULE,
    VERSION,
    is_in_halves,
    operator_of,
    operator_outputs,
)
from indirectml.onnx_import.reading import (
    domain_name,
    opsets_of,
    read_attribute,
    read_sparse_tensor,
    read_tensor,
)
from indirectml.onnx_import.replaying import Replays
from indirectml.onnx_import.schemas import (
    check_inputs,
    checked_attributes,
    definition_of,
    find_schema,
    no_operator,
    similar_operator,
)
from indirectml.onnx_import.selecting import selected
from indirectml.onnx_import.values import UnknownError, Value
from indirectml.onnx_import.visits import Refusal, Visit, overload
from indirectml.onnx_import.weights import Folder

#: How deep functions and branches may lie in one another.
_DEEPEST = 64

#: For how many refusals it is looked for what would mend them.
_MOST_HINTS = 20


class _Refused:
    """What stands for the outputs of a node that was refused."""


_REFUSED = _Refused()

_Known = Value | _Refused


_LOOPS = ("Loop", "Scan")

_BRANCHES = ("then_branch", "else_branch")

#: How many nodes of a circle a sentence names.
_SHOWN_CIRCLE = 5

#: How many inputs of a model a hint names.
_SHOWN_INPUTS = 3


@dataclass(frozen=True)
class _Meaning:
    """What the operator of a node is: a function of the model, or one of ONNX's operators."""

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

    values: dict[str, _Known]
    opsets: MutableMapping[str, int]
    parent: Scope | None = None
    attributes: Mapping[str, Any] = field(default_factory=dict)
    place: str = ""
    depth: int = 0

    def opset(self, domain: str) -> int:
        """Return the opset of a domain; 0 if the model has none."""
        return self.opsets.get(domain_name(domain), 0)

    def find(self, name: str) -> _Known | None:
        """Return what a name stands for."""
        scope: Scope | None = self
        while scope is not None:
            if name in scope.values:
                return scope.values[name]
            scope = scope.parent
        return None


class Translation:
    """A model on its way into a graph.

    Parameters
    ----------
    graph : LoadingGraph
        Where operators go.
    model : onnx.ModelProto
        Whose functions are known by their names.
    folder : Folder or None
        Of the files beside it.
    replays : Replays, optional
        What its nodes became when it was translated before.

    Attributes
    ----------
    refusals : list of Refusal
        What could not be said.
    asked : dict of str to None
        The inputs of the model that have to be known for refused nodes to be said.
    """

    def __init__(
        self, graph: LoadingGraph, model: Any, folder: Folder | None, replays: Replays | None = None
    ) -> None:
        self.graph = graph
        self.folder = folder
        self.refusals: list[Refusal] = []
        self.asked: dict[str, None] = {}
        self._replays = replays
        self._is_asked = False
        self._model = model
        self._functions = {(domain_name(f.domain), f.name, overload(f)): f for f in model.functions}
        self._similar: dict[str, str | None] = {}
        self._hints_left = _MOST_HINTS

    # ---- graphs ----

    def translate(self, body: Any, scope: Scope, wanted: Iterable[str]) -> None:
        """Give values to the names that a graph, a branch or the body of a function makes.

        Parameters
        ----------
        body : onnx.GraphProto or onnx.FunctionProto
            Whose nodes are walked, but for those that nothing needs.
        scope : Scope
            Inputs are in it, and outputs come to it.
        wanted : iterable of str
            The names that are read after it.
        """
        visits = self._visits(body, scope, wanted)
        self.graph.budget.take_nodes(len(body.node))
        if scope.depth:  # what is walked more than once is in no proportion to the file
            self.graph.budget.take_bytes(body.ByteSize())
        for visit in visits:
            try:
                results: Sequence[Value | None] | None = None
                values: list[Value] = []
                key: Any = None
                if self._replays is not None and visit.key is not None:
                    results, values, key = self._replays.found(visit, scope.values, self.graph)
                if results is None:
                    with refusing("does not fit its operator"), self.graph.naming(visit.name):
                        results = self._outputs(visit, scope, values, key)
            except NodesError as error:
                if not error.is_told:
                    self.refusals.append(Refusal(visit.place, visit.operator, str(error)))
                error.is_told = True
                raise
            except DirectMLError as error:
                self._refuse(visit, scope, error)
                results = None
            if self._is_asked and not scope.depth:
                self._is_asked = False
                self.asked |= dict.fromkeys(self._asked_by(visit.inputs, scope))
            self._name(visit, results, scope)

    def _visits(self, body: Any, scope: Scope, wanted: Iterable[str]) -> list[Visit]:
        """Return the nodes that are walked; those of the model itself are looked at once."""
        replays = None if scope.depth else self._replays
        if replays is not None and replays.visits is not None:
            return replays.visits  # type: ignore[no-any-return]
        nodes, circle, behind = ordered(body.node)
        if circle:
            self._refuse_circle(circle, behind, scope)
        needed = needed_names([node for _, node in nodes], wanted)
        visits = [
            Visit.of(node, number, scope.place, needed, is_kept=replays is not None)
            for number, node in nodes
            if any(name in needed for name in node.output if name)
        ]
        if replays is not None and not circle:
            replays.visits = visits
        return visits

    def _outputs(
        self, visit: Visit, scope: Scope, values: Sequence[Value], key: Any
    ) -> Sequence[Value | None] | None:
        """Return the outputs of a node, and keep what it became.

        Raises
        ------
        DirectMLError
            It cannot be said.
        """
        replays = self._replays if visit.key is not None else None
        if replays is not None:
            replays.translated += 1
        begin, refused = len(self.graph.added), len(self.refusals)
        resolved = _resolved(visit.node, scope, self.graph.budget)
        made = self._node(resolved, scope, visit.needed, visit.place)
        is_whole = made is not None and len(self.refusals) == refused
        if key is not None and replays is not None and made is not None and is_whole:
            replays.keep(key, values, self.graph.added[begin:], made, visit)
        return made

    def _refuse(self, visit: Visit, scope: Scope, error: DirectMLError) -> None:
        """Note why a node cannot be said, and which inputs of the model would have to be known."""
        if isinstance(error, UnknownError):
            self._is_asked = bool(scope.depth)
            if not scope.depth:
                names = visit.inputs if error.index is None else (visit.inputs[error.index],)
                self.asked |= dict.fromkeys(self._asked_by(names, scope))
        error.hint = error.hint or self._mending(error, visit.node, scope)
        self.refusals.append(Refusal(visit.place, visit.operator, str(error)))

    def _asked_by(self, names: Iterable[str], scope: Scope) -> list[str]:
        """Return the inputs of the model whose elements decide values that are not known."""
        made_by = {each: node for node in self._model.graph.node for each in node.output}
        inputs = {each.name for each in self._model.graph.input}
        waiting = list(names)
        seen = {""}
        while waiting:
            name = waiting.pop()
            value = scope.find(name)
            if name in seen or (isinstance(value, Value) and value.is_known):
                continue
            seen.add(name)
            waiting += made_by[name].input if name in made_by else ()
        return sorted(seen & inputs)

    def _refuse_circle(
        self, circle: Sequence[Numbered], behind: Sequence[Numbered], scope: Scope
    ) -> None:
        """Refuse nodes that read, by way of others, what they make themselves."""
        names = [node_label(number, node) for number, node in circle[:_SHOWN_CIRCLE]]
        more = f" and {len(circle) - len(names)} more" if len(circle) > len(names) else ""
        error = ModelError(
            "needs nodes that can be computed one after the other",
            given=f"a circle: each of {', '.join(names)}{more} reads what itself or another makes",
        )
        number, node = circle[0]
        place = f"{scope.place}{node_label(number, node)}"
        self.refusals.append(Refusal(place, operator_label(node), str(error)))
        for _, each in (*circle, *behind):
            scope.values.update(dict.fromkeys(filter(None, each.output), _REFUSED))

    def _name(self, visit: Visit, results: Sequence[Value | None] | None, scope: Scope) -> None:
        for index, name in enumerate(visit.outputs):
            if not name:
                continue
            if name in scope.values:
                reason = f"output {shown(name)}: needs a name of its own"
                self.refusals.append(Refusal(visit.place, visit.operator, reason))
            value = results[index] if results is not None and index < len(results) else None
            scope.values[name] = _REFUSED if value is None else value
            if value is not None:
                self._keep_name(value, name, scope)

    def _keep_name(self, value: Value, name: str, scope: Scope) -> None:
        if isinstance(value.content, Expression):
            self.graph.name_value(value.content, f"{scope.place}{name}", scope.depth)
        elif value.name is None:
            value.name = f"{scope.place}{name}"

    def initialize(self, body: Any, scope: Scope) -> None:
        """Give values to the tensors that a graph or a branch holds.

        Raises
        ------
        ModelError
            One of them cannot be read.
        """
        budget = self.graph.budget
        for tensor in body.initializer:
            array = read_tensor(tensor, self.folder, budget)
            scope.values[tensor.name] = Value(array, name=f"{scope.place}{tensor.name}")
        for sparse in body.sparse_initializer:
            array = read_sparse_tensor(sparse, self.folder, budget)
            name = sparse.values.name
            scope.values[name] = Value(array, name=f"{scope.place}{name}")

    # ---- nodes ----

    def _node(
        self, node: Any, scope: Scope, needed: set[str], place: str
    ) -> Sequence[Value | None] | None:
        """Return the outputs of a node; None if what it reads was refused.

        Raises
        ------
        DirectMLError
            It cannot be said.
        """
        meaning = self._find(node, scope)
        schema, registered = meaning.schema, meaning.registered
        inputs = [_input(name, scope) for name in node.input]
        wanted = tuple(name in needed for name in node.output)
        own = self._own_operator(node, meaning)
        if meaning.function is not None and own is None:
            return self._call(meaning.function, node, inputs, wanted, scope, place)
        attributes, kinds = self._attributes(node)
        if meaning.is_branch:
            return self._branch(attributes, inputs, scope, place, node.input[0])
        if any(isinstance(value, _Refused) for value in inputs):
            return None
        values = tuple(value for value in inputs if not isinstance(value, _Refused))
        if own is not None:
            return operator_outputs(self.graph, own, values, attributes)
        bound: dict[str, Any] = {}
        if schema is not None:
            bound = check_inputs(schema, values, len(node.output))
            attributes = checked_attributes(schema, attributes, kinds)
        if meaning.is_loop:
            return self._loop(meaning, attributes, values, scope, place)
        made = Node(
            self.graph,
            node.op_type,
            meaning.domain,
            meaning.version,
            values,
            attributes,
            wanted,
        )
        if registered is not None and registered.is_body:
            return self._call(registered.function(made), node, inputs, wanted, scope, place)
        results = None if registered is None else outputs_of(registered, made, node)
        if results is not None:
            return as_declared(results, schema, bound)
        body = None if schema is None else definition_of(schema, node, values, meaning.version)
        if body is None:
            raise ModelError("has no form in DirectML's operators")
        return self._call(body, node, inputs, wanted, scope, place)

    def _find(self, node: Any, scope: Scope) -> _Meaning:
        """Return what the operator of a node is.

        Raises
        ------
        ModelError
            There is no such operator.
        """
        domain = domain_name(node.domain)
        function = self._functions.get((domain, node.op_type, overload(node)))
        version = scope.opsets.get(domain)
        if function is not None:
            return _Meaning(domain, version or 0, function, None, None)
        if version is None:
            raise ModelError(
                "needs the opset of its domain", given=f"none for {shown(domain or 'ai.onnx')}"
            )
        schema = find_schema(domain, node.op_type, version)
        registered = find_handler(domain, node.op_type, version)
        if schema is None and registered is None:
            if node.op_type not in self._similar and len(self._similar) < _MOST_HINTS:
                self._similar[node.op_type] = similar_operator(node.op_type)
            hint = self._similar.get(node.op_type)
            raise no_operator(domain, node.op_type, version, None if domain else hint)
        meaning = _Meaning(domain, version, None, schema, registered)
        if not (registered or meaning.is_branch or meaning.is_loop or _has_definition(schema)):
            raise ModelError("has no form in DirectML's operators")
        return meaning

    def _own_operator(self, node: Any, meaning: _Meaning) -> str | None:
        """Return the operator of DirectML that a call stands for; None to take its body."""
        if meaning.domain != DOMAIN or meaning.version > VERSION:
            return None
        attributes, _ = self._attributes(node)
        rule = attributes.get(SEQUENCE_RULE, self.graph.device.sequence_rule)
        if rule != self.graph.device.sequence_rule or is_in_halves(attributes):
            return None
        return operator_of(node.op_type)

    def _attributes(self, node: Any) -> tuple[dict[str, Any], dict[str, int]]:
        """Return the values of a node's attributes, and ONNX's numbers of their types."""
        budget = self.graph.budget
        values = {each.name: read_attribute(each, self.folder, budget) for each in node.attribute}
        return values, {each.name: each.type for each in node.attribute}

    # ---- functions and branches ----

    def _call(
        self,
        function: Any,
        node: Any,
        inputs: Sequence[_Known | None],
        wanted: Sequence[bool],
        scope: Scope,
        place: str,
    ) -> list[Value | None]:
        """Return the outputs of a function for a node's inputs: its nodes take its place."""
        if scope.depth >= _DEEPEST:
            raise ModelError("needs functions that end", given=f"{_DEEPEST} in one another")
        if len(inputs) > len(function.input):
            raise ModelError(f"needs at most {len(function.input)} inputs", given=f"{len(inputs)}")
        schema = find_schema(domain_name(node.domain), node.op_type, scope.opset(node.domain))
        defaults = [] if schema is None else [a.default_value for a in schema.attributes.values()]
        attributes = {
            each.name: each
            for each in (*defaults, *getattr(function, "attribute_proto", ()), *node.attribute)
            if each.type
        }
        values = {name: value for name, value in zip(function.input, inputs, strict=False) if value}
        opsets = ChainMap(opsets_of(function.opset_import), scope.opsets)
        inner = Scope(values, opsets, None, attributes, f"{place}/", scope.depth + 1)
        names = list(function.output)[: len(wanted)]
        read = [name for name, is_read in zip(names, wanted, strict=False) if is_read]
        self.translate(function, inner, read)
        return [_output(name, inner) if name in read else None for name in names]

    def _branch(
        self,
        attributes: Mapping[str, Any],
        inputs: Sequence[_Known | None],
        scope: Scope,
        place: str,
        condition_name: str,
    ) -> list[Value | None]:
        """Return the outputs of the branch that a condition chooses; of both if it is not known."""
        condition = inputs[0] if inputs else None
        if isinstance(condition, _Refused) or condition is None:
            return [None]
        if condition.count != 1:
            raise ModelError("needs a condition of one element", given=f"{condition.count}")
        if scope.depth >= _DEEPEST:
            raise ModelError("needs branches that end", given=f"{_DEEPEST} in one another")
        if condition.array is None:
            both = [self._taken(name, attributes, scope, place) for name in _BRANCHES]
            return selected(
                self.graph, condition, both, functools.partial(self._hint, [condition_name], scope)
            )
        chosen = _BRANCHES[0 if condition.array.reshape(-1)[0] else 1]
        return self._taken(chosen, attributes, scope, place)

    def _taken(
        self, name: str, attributes: Mapping[str, Any], scope: Scope, place: str
    ) -> list[Value | None]:
        """Return the outputs of a branch."""
        body = attributes.get(name)
        if body is None or not hasattr(body, "node"):
            raise ModelError("is required", field=f"attribute {name}")
        return self._walked(body, {}, scope, f"{place}/{name}/")

    def _mending(self, error: DirectMLError, node: Any, scope: Scope) -> str | None:
        """Return what would mend a refusal, if that is to know more while loading."""
        if isinstance(error, UnknownError):
            names = node.input if error.index is None else [node.input[error.index]]
            return self._hint(names, scope)
        if isinstance(error, UnsizedError):
            self._hints_left -= 1
            return ending_before(
                node, self._model.graph, most=_SHOWN_INPUTS * (self._hints_left >= 0)
            )
        if error.given != "FLOAT64":
            return None
        found = ((name, scope.find(name)) for name in node.input if name)
        unknown = [n for n, value in found if isinstance(value, Value) and value.array is None]
        hint = self._hint(unknown, scope) if len(unknown) == 1 else None
        return f"FLOAT64 is computed while loading, and {hint}" if hint else None

    def _hint(self, names: Sequence[str], scope: Scope) -> str:
        """Return how values become known: by the inputs of the model that they need, if any."""
        self._hints_left -= 1
        if self._hints_left < 0:
            return "constants= makes it known"
        found = self._asked_by(names, scope)
        if not found:
            return ""
        given = ", ".join(f"{each!r}: array" for each in found[:_SHOWN_INPUTS])
        return f"constants={{{given}}} makes it known"

    def _walked(
        self, body: Any, values: Mapping[str, Value], scope: Scope, place: str
    ) -> list[Value | None]:
        """Return the outputs of a graph inside of another."""
        inner = Scope(dict(values), scope.opsets, scope, scope.attributes, place, scope.depth + 1)
        self.initialize(body, inner)
        names = [output.name for output in body.output]
        self.translate(body, inner, names)
        return [_output(name, inner) for name in names]

    def _loop(
        self,
        meaning: _Meaning,
        attributes: Mapping[str, Any],
        inputs: Sequence[Value | None],
        scope: Scope,
        place: str,
    ) -> list[Value | None]:
        """Return the outputs of a loop, its steps one behind the other."""
        if scope.depth >= _DEEPEST:
            raise ModelError("needs loops that end", given=f"{_DEEPEST} in one another")

        def walk(inner: Any, bound: Mapping[str, Value], step: int) -> list[Value | None]:
            return self._walked(inner, bound, scope, f"{place}/steps[{step}]/")

        if meaning.schema.name == "Loop":
            return looped(self.graph, attributes, inputs, walk)
        return scanned(self.graph, meaning.version, attributes, inputs, walk)


def _resolved(node: Any, scope: Scope, budget: Budget) -> Any:
    """Return a node whose attributes are its own, and none of the function around it."""
    if not any(attribute.ref_attr_name for attribute in node.attribute):
        return node
    copy = type(node)()
    copy.CopyFrom(node)
    del copy.attribute[:]
    for attribute in node.attribute:
        if not attribute.ref_attr_name:
            copy.attribute.add().CopyFrom(attribute)
        elif attribute.ref_attr_name in scope.attributes:
            given = scope.attributes[attribute.ref_attr_name]
            budget.take_bytes(given.ByteSize())
            made = copy.attribute.add()
            made.CopyFrom(given)
            made.name = attribute.name
    return copy


def _has_definition(schema: Any) -> bool:
    return schema is not None and (schema.has_function or schema.has_context_dependent_function)


def _input(name: str, scope: Scope) -> _Known | None:
    if not name:
        return None
    found = scope.find(name)
    if found is None:
        raise ModelError(
            "needs the name of an input, an initializer, or an output of a node",
            given=shown(name),
            field="inputs",
        )
    return found


def _output(name: str, scope: Scope) -> Value | None:
    """Return what a name stands for at the end; None if it was refused."""
    found = scope.find(name)
    if found is None:
        raise ModelError("needs outputs that a node makes", given=shown(name))
    return None if isinstance(found, _Refused) else found
