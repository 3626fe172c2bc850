"""The walk over the nodes of a model: names become values, nodes become operators of a graph."""

from __future__ import annotations

from collections import ChainMap
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from indirectml.core.errors import DirectMLError, ModelError, shown
from indirectml.core.progress import told
from indirectml.graphs.expressions import Expression
from indirectml.onnx_import.budget import Budget, LoadingGraph, NodesError
from indirectml.onnx_import.folding import FITTING, as_declared, outputs_of
from indirectml.onnx_import.loops import looped, scanned
from indirectml.onnx_import.meanings import Meaning, Meanings
from indirectml.onnx_import.mending import Mending, is_of_wide, names_behind
from indirectml.onnx_import.nodes import FormlessError, Node, UnsizedError
from indirectml.onnx_import.order import (
    Numbered,
    names_read,
    needed_names,
    node_label,
    operator_label,
    ordered,
    quantized_names,
)
from indirectml.onnx_import.own_domain import (
    SEQUENCE_RULE,
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
)
from indirectml.onnx_import.scopes import REFUSED, Known, Refused, Scope
from indirectml.onnx_import.selecting import selected, unknown_condition
from indirectml.onnx_import.sequences import Several, Spelled, check_tensors, mapped
from indirectml.onnx_import.values import BOOL, UnknownError, Value
from indirectml.onnx_import.visits import Refusal, Visit, asked
from indirectml.onnx_import.weights import Folder

#: How deep functions and branches may lie in one another.
_DEEPEST = 64

_BRANCHES = ("then_branch", "else_branch")

#: How many nodes of a circle a sentence names.
_SHOWN_CIRCLE = 5


#: ONNX's number of attributes that are tensors, whose elements nothing keeps.
_TENSOR = 4


class _Said(NamedTuple):
    """What a node says by itself.

    Attributes
    ----------
    meaning : Meaning
        Of its operator.
    own : str or None
        The operator of DirectML that it stands for, if it is one.
    wanted : tuple of bool
        Which of its outputs are read.
    attributes, kinds : dict
        What `Translation._attributes` returns; nothing of a call of a function.
    """

    meaning: Meaning
    own: str | None
    wanted: tuple[bool, ...]
    attributes: dict[str, Any]
    kinds: dict[str, int]


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
    begins : list of int
        How many operators there were before each node of the model itself.
    has_sequences : bool
        Whether there was a sequence: what nodes become is not kept then.
    """

    def __init__(
        self, graph: LoadingGraph, model: Any, folder: Folder | None, replays: Replays | None = None
    ) -> None:
        self.graph = graph
        self.folder = folder
        self.refusals: list[Refusal] = []
        self.asked: dict[str, None] = {}
        self.begins: list[int] = []
        self.has_sequences = False
        self._replays = replays
        self._is_asked = False
        #: By the numbers of the model's own nodes.
        self._said: dict[int, _Said] = {}
        self._meanings = Meanings(model.functions)
        self._mending = Mending(model.graph)

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
        for visit in visits if scope.depth else told(visits):
            first = len(self.graph.added)
            if not scope.depth:
                self.begins.append(first)
            try:
                with FITTING:
                    results = self.outputs(visit, scope)
                self.graph.name_added(first, visit.name)
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
                self._ask(names_read(visit.node), scope)
            self._name(visit, results, scope)

    def _visits(self, body: Any, scope: Scope, wanted: Iterable[str]) -> list[Visit]:
        """Return the nodes that are walked; those of the model itself are looked at once."""
        replays = None if scope.depth else self._replays
        if replays is not None and replays.visits is not None:
            return replays.visits  # type: ignore[no-any-return]
        nodes, circle, behind = ordered(body.node)
        if circle:
            self._refuse_circle(circle, behind, scope)
        wanted = tuple(wanted)
        needed = needed_names(nodes, wanted)
        quantized = quantized_names(nodes, wanted)
        visits = [
            Visit.of(each, scope.place, needed, quantized, is_kept=replays is not None)
            for each in nodes
            if not needed.isdisjoint(each.node.output)
        ]
        if replays is not None and not circle:
            replays.visits = visits
        return visits

    def outputs(self, visit: Visit, scope: Scope) -> Sequence[Value | None] | None:
        """Return the outputs of a node, as they were made before if it sees the same.

        Raises
        ------
        DirectMLError
            It cannot be said.
        """
        replays = self._replays if visit.key is not None else None
        values: list[Value] = []
        key: Any = None
        if replays is not None:
            key, values = asked(visit, scope.values, is_once=replays.is_once)
            if key is not None:
                results = replays.again(key, values, self.graph, visit)
                if results is not None:
                    return results
            replays.translated += 1
        begin, refused = len(self.graph.added), len(self.refusals)
        resolved = _resolved(visit.node, scope, self.graph.budget)
        made = self._node(resolved, scope, visit)
        is_whole = made is not None and len(self.refusals) == refused
        is_kept = key is not None and is_whole and not self.has_sequences
        if is_kept and replays is not None and made is not None:
            replays.keep(key, values, self.graph.added[begin:], made, visit)
        return made

    def _refuse(self, visit: Visit, scope: Scope, error: DirectMLError) -> None:
        """Note why a node cannot be said, and which inputs of the model would have to be known."""
        if isinstance(error, UnknownError):
            self._is_asked = bool(scope.depth)
            if not scope.depth:
                self._ask(names_behind(error, visit.node), scope)
        elif (is_of_wide(error) or isinstance(error, UnsizedError)) and not scope.depth:
            self._ask(visit.inputs, scope)
        error.hint = error.hint or self._mending.hint_at(error, visit.node, scope)
        self.refusals.append(Refusal(visit.place, visit.operator, str(error)))

    def _ask(self, names: Iterable[str], scope: Scope) -> None:
        """Note the inputs of the model that some names depend on."""
        self.asked |= dict.fromkeys(self._mending.inputs_behind(names, scope))

    def _refuse_circle(
        self, circle: Sequence[Numbered], behind: Sequence[Numbered], scope: Scope
    ) -> None:
        """Refuse nodes that read, by way of others, what they make themselves."""
        names = [node_label(number, node) for number, node, _ in circle[:_SHOWN_CIRCLE]]
        more = f" and {len(circle) - len(names)} more" if len(circle) > len(names) else ""
        error = ModelError(
            "needs nodes that can be computed one after the other",
            given=f"a circle: each of {', '.join(names)}{more} reads what itself or another makes",
        )
        number, node, _ = circle[0]
        place = f"{scope.place}{node_label(number, node)}"
        self.refusals.append(Refusal(place, operator_label(node), str(error)))
        for each in (*circle, *behind):
            scope.values.update(dict.fromkeys(filter(None, each.node.output), REFUSED))

    def _name(self, visit: Visit, results: Sequence[Value | None] | None, scope: Scope) -> None:
        for index, name in enumerate(visit.outputs):
            if not name:
                continue
            if name in scope.values:
                reason = f"output {shown(name)}: needs a name of its own"
                self.refusals.append(Refusal(visit.place, visit.operator, reason))
            value = results[index] if results is not None and index < len(results) else None
            scope.values[name] = REFUSED if value is None else value
            if value is not None:
                self.keep_name(value, name, scope)

    def keep_name(self, value: Value, name: str, scope: Scope) -> None:
        """Have a value called as in the model, if it is called nothing yet."""
        if isinstance(value.content, Expression):
            self.graph.name_value(value.content, f"{scope.place}{name}", scope.depth)
        elif value.name is None:
            value.name = f"{scope.place}{name}"

    def initialize(
        self, body: Any, scope: Scope, weights: Mapping[int, memoryview] | None = None
    ) -> None:
        """Give values to the tensors that a graph or a branch holds.

        Parameters
        ----------
        body : onnx.GraphProto
            The graph.
        scope : Scope
            Where the values go.
        weights : mapping, optional
            The bytes of tensors that the message is without, by their numbers.

        Raises
        ------
        ModelError
            One of them cannot be read.
        """
        budget = self.graph.budget
        apart = weights or {}
        for number, tensor in enumerate(body.initializer):
            array = read_tensor(tensor, self.folder, budget, apart.get(number))
            scope.values[tensor.name] = Value(array, name=f"{scope.place}{tensor.name}")
        for sparse in body.sparse_initializer:
            array = read_sparse_tensor(sparse, self.folder, budget)
            name = sparse.values.name
            scope.values[name] = Value(array, name=f"{scope.place}{name}")

    def hold_constants(self, body: Any, scope: Scope) -> dict[int, str]:
        """Give values to nodes of a graph that hold a tensor; return their numbers and names.

        They need no walk. What is wrong with one is told by the walk, which meets it.
        """
        found: dict[int, str] = {}
        inputs = {each.name for each in body.input}
        for number, node in enumerate(body.node):
            if node.op_type != "Constant" or not _holds_tensor(node):
                continue
            (name,) = node.output
            if not name or name in inputs or name in scope.values:
                continue
            try:
                meaning = self._meanings.find(node, scope.opsets)
                if meaning.domain or meaning.function:
                    continue
                array = read_tensor(node.attribute[0].t, self.folder, self.graph.budget)
            except DirectMLError:
                continue
            scope.values[name] = Value(array, name=f"{scope.place}{name}")
            found[number] = name
        return found

    # ---- nodes ----

    def _node(self, node: Any, scope: Scope, visit: Visit) -> Sequence[Value | None] | None:
        """Return the outputs of a node; None if what it reads was refused.

        Raises
        ------
        DirectMLError
            It cannot be said.
        """
        meaning, own, wanted, attributes, kinds = self._said_by(node, scope, visit)
        inputs = [scope.read(name) for name in visit.inputs]
        schema = meaning.schema
        if meaning.function is not None and own is None:
            return self._call(meaning.function, node, inputs, wanted, scope, visit.place)
        if meaning.is_branch:
            return self._branch(node, attributes, inputs, scope, visit.place)
        if REFUSED in inputs:
            return None
        values: tuple[Any, ...] = tuple(inputs)
        if own is not None:
            return operator_outputs(self.graph, own, values, attributes)
        bound: dict[str, Any] = {}
        if schema is not None:
            if not meaning.is_of_sequences:
                bound = check_inputs(schema, values, len(wanted))
            attributes = checked_attributes(schema, attributes, kinds)
        if meaning.is_loop:
            return self._loop(meaning, attributes, values, scope, visit.place)
        made = Node(
            self.graph,
            node.op_type,
            meaning.domain,
            meaning.version,
            values,
            attributes,
            wanted,
            is_quantized=visit.quantized.issuperset(visit.outputs),
        )
        return self._handled(meaning, made, node, bound, scope, visit)

    def _handled(
        self,
        meaning: Meaning,
        made: Node,
        node: Any,
        bound: dict[str, Any],
        scope: Scope,
        visit: Visit,
    ) -> Sequence[Value | None]:
        """Return the outputs of a node by its handler, or by what ONNX defines it by.

        Raises
        ------
        DirectMLError
            It cannot be said.
        """
        schema, registered = meaning.schema, meaning.registered
        values, wanted, place = made.inputs, made.wanted, visit.place
        if registered is not None and meaning.is_of_sequences:
            return self._of_sequences(registered.function(made), node, scope, place)
        if self.has_sequences:
            check_tensors(values)
        if registered is not None and registered.is_body:
            return self._call(registered.function(made), node, values, wanted, scope, place)
        results = None if registered is None else outputs_of(registered, made, node)
        if results is not None:
            return as_declared(results, schema, bound)
        body = None if schema is None else definition_of(schema, node, values, meaning.version)
        if body is None:
            raise FormlessError
        return self._call(body, node, values, wanted, scope, place)

    def _said_by(self, node: Any, scope: Scope, visit: Visit) -> _Said:
        """Return what a node says by itself, whatever it reads; nodes of the model say it once."""
        found = None if visit.key is None else self._said.get(visit.number)
        if found is None:
            meaning = self._meanings.find(node, scope.opsets)
            wanted = tuple(name in visit.needed for name in visit.outputs)
            own = self._own_operator(node, meaning)
            is_called = meaning.function is not None and own is None
            found = _Said(meaning, own, wanted, *({}, {}) if is_called else self._attributes(node))
            if visit.key is not None and _TENSOR not in found.kinds.values():
                self._said[visit.number] = found
        return found

    def _own_operator(self, node: Any, meaning: Meaning) -> str | None:
        """Return the operator of DirectML that a call stands for; None to take its body."""
        if not meaning.is_own:
            return None
        attributes, _ = self._attributes(node)
        rule = attributes.get(SEQUENCE_RULE, self.graph.device.sequence_rule)
        if rule != self.graph.device.sequence_rule or is_in_halves(attributes):
            return None
        return operator_of(node.op_type)

    def _attributes(self, node: Any) -> tuple[dict[str, Any], dict[str, int]]:
        """Return the values of a node's attributes, and ONNX's numbers of their types."""
        values, kinds = {}, {}
        for each in node.attribute:
            name = each.name
            values[name] = read_attribute(each, self.folder, self.graph.budget)
            kinds[name] = each.type
        return values, kinds

    # ---- functions and branches ----

    def _call(
        self,
        function: Any,
        node: Any,
        inputs: Sequence[Known | None],
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
        return [inner.made(name) if name in read else None for name in names]

    def _of_sequences(
        self, made: Value | Spelled, node: Any, scope: Scope, place: str
    ) -> Sequence[Value | None]:
        """Return the output of a node that reads or makes a sequence."""
        self.has_sequences = True
        if isinstance(made, Value):
            return [made]
        wanted = [True] * len(made.body.output)
        parts = self._call(made.body, node, made.inputs, wanted, scope, place)
        values = [part for part in parts if part is not None]
        if len(values) < len(parts):
            return [None]
        return [Several(values)] if made.is_several else values

    def _branch(
        self,
        node: Any,
        attributes: Mapping[str, Any],
        inputs: Sequence[Known | None],
        scope: Scope,
        place: str,
    ) -> list[Value | None]:
        """Return the outputs of the branch that a condition chooses; of both if it is not known."""
        condition = inputs[0] if inputs else None
        if isinstance(condition, Refused) or condition is None:
            return [None]
        if (condition.count, condition.dtype) != (1, BOOL):
            given = f"{condition.dtype} {list(condition.shape)}"
            raise ModelError("needs a condition of one element of bool", given=given)
        if scope.depth >= _DEEPEST:
            raise ModelError("needs branches that end", given=f"{_DEEPEST} in one another")
        if condition.array is None:
            both, refused = [], []
            for name in _BRANCHES:
                before = len(self.refusals)
                both.append(self._taken(name, node, attributes, scope, place))
                if len(self.refusals) > before:
                    refused.append(name)
            if len(refused) == 1:  # of an input of these sizes, perhaps no call takes it
                raise unknown_condition(f"as {refused[0]} is refused")
            return selected(self.graph, condition, both)
        chosen = _BRANCHES[0 if condition.array.reshape(-1)[0] else 1]
        return self._taken(chosen, node, attributes, scope, place)

    def _taken(
        self, name: str, node: Any, attributes: Mapping[str, Any], scope: Scope, place: str
    ) -> list[Value | None]:
        """Return the outputs of a branch."""
        body = attributes.get(name)
        if body is None or not hasattr(body, "node"):
            raise ModelError("is required", field=f"attribute {name}")
        if len(body.output) != len(node.output):
            needs = f"needs as many outputs as the node, {len(node.output)}"
            raise ModelError(needs, given=f"{len(body.output)}", field=name)
        return self._walked(body, {}, scope, f"{place}/{name}/")

    def _walked(
        self, body: Any, values: Mapping[str, Value], scope: Scope, place: str
    ) -> list[Value | None]:
        """Return the outputs of a graph inside of another."""
        inner = Scope(dict(values), scope.opsets, scope, scope.attributes, place, scope.depth + 1)
        self.initialize(body, inner)
        names = [output.name for output in body.output]
        self.translate(body, inner, names)
        return [inner.made(name) for name in names]

    def _loop(
        self,
        meaning: Meaning,
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

        if meaning.is_of_sequences:
            self.has_sequences = True
            return mapped(attributes, inputs, walk)
        if meaning.schema.name == "Loop":
            return looped(self.graph, attributes, inputs, walk)
        return scanned(self.graph, meaning.version, attributes, inputs, walk)


def _holds_tensor(node: Any) -> bool:
    """Return whether a node of Constant is one tensor, and nothing else."""
    attributes = node.attribute
    if node.input or len(node.output) != 1 or len(attributes) != 1:
        return False
    return (attributes[0].name, attributes[0].type) == ("value", _TENSOR)


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
