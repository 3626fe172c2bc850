"""A model whose sizes are open: read once, and translated and compiled for the sizes that come.

Weights are arrays where they were mapped or read, and constants of one graph, so that all compiled
graphs share them, in panels or not. What a node became for other sizes is used again where the node
sees the same (`replaying.py`).
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple

from indirectml.core.collecting import without_collector
from indirectml.core.errors import ModelError, refusing, shown
from indirectml.graphs.compiled_graphs import CompiledGraph
from indirectml.graphs.direct_calls import ArraysToArrays, no_direct_call
from indirectml.graphs.expressions import Expression
from indirectml.onnx_import.budget import Budget, LoadingGraph, NodesError
from indirectml.onnx_import.folding import as_output
from indirectml.onnx_import.inputs import (
    Declared,
    OnnxTensor,
    contradiction,
    declared_inputs,
    input_value,
    open_tensor,
    read_constants,
    read_inputs,
    sized_inputs,
)
from indirectml.onnx_import.quantized_graphs import in_integers
from indirectml.onnx_import.reading import check_header, read_model
from indirectml.onnx_import.replaying import Replays
from indirectml.onnx_import.resizing import Resizing, Walked
from indirectml.onnx_import.scopes import Scope
from indirectml.onnx_import.sequences import check_tensors
from indirectml.onnx_import.translation import Translation
from indirectml.onnx_import.values import BOOL, Value, stored_dtype
from indirectml.onnx_import.visits import Refusal
from indirectml.passes.parts import Former
from indirectml.runtime import Device

#: How many compiled graphs a model keeps, each for a set of sizes.
KEPT = 8

#: How many refusals a message has; the attribute has all.
_SHOWN_REFUSALS = 20

_Sizes = Mapping[str, Sequence[int]]


class OnnxModelError(ModelError):
    """A model with nodes that cannot be said in DirectML's operators.

    Attributes
    ----------
    refusals : tuple of Refusal
        All of them, each with `node`, `operator` and `reason`.
    asked : tuple of str
        The inputs of the model that have to be known for some of these nodes to be said.
    """

    refusals: tuple[Refusal, ...] = ()
    asked: tuple[str, ...] = ()


class Translated(NamedTuple):
    """A graph with the operators of a model, its inputs, and the values of its outputs."""

    graph: LoadingGraph
    inputs: dict[str, OnnxTensor]
    outputs: dict[str, Value]


class Sized:
    """A model in one set of sizes.

    Attributes
    ----------
    inputs, outputs : dict of str to OnnxTensor
        In the order of the model.
    values : dict of str to Value
        What the outputs are.
    made : list of str
        The outputs that operators make, in order.
    compiled : CompiledGraph or None
        Its operators; None where every output is known without any.
    read : set of str
        The inputs that these read.
    """

    def __init__(
        self,
        inputs: dict[str, OnnxTensor],
        values: dict[str, Value],
        made: Sequence[str],
        compiled: CompiledGraph | None,
        translated: Translated | None = None,
    ) -> None:
        #: The graph, where it was made for these sizes.
        self.translated = translated
        #: What stands for it at the door, once there is one.
        self.model: Any = None
        self.inputs, self.values, self.made = inputs, values, list(made)
        self.outputs = {
            name: OnnxTensor(name, value.dtype, value.shape) for name, value in values.items()
        }
        self.compiled = compiled
        self.read = set() if compiled is None else set(compiled.inputs)
        self._direct: tuple[Any, ArraysToArrays] = None, no_direct_call

    @property
    def direct(self) -> ArraysToArrays:
        """A call with arrays in ONNX's sizes; None comes of others, as of a compiled graph."""
        owned, direct = self._direct
        if self.compiled is None or self.compiled.owned is owned:
            return direct
        self._direct = self._found_direct(self.compiled)
        return self._direct[1]

    def _found_direct(self, compiled: CompiledGraph) -> tuple[Any, ArraysToArrays]:
        inputs = {name: (tensor.dtype, tensor.sizes) for name, tensor in self.inputs.items()}
        outputs = [(tensor.dtype, tensor.sizes) for tensor in self.outputs.values()]
        dtypes = [dtype for dtype, _ in (*inputs.values(), *outputs)]
        are_stored = all(dtype in (BOOL, stored_dtype(dtype)) for dtype in dtypes)
        if self.made != list(self.values) or not are_stored:
            return compiled.owned, no_direct_call
        return compiled.direct_call(inputs, outputs)

    def __getstate__(self) -> dict[str, Any]:
        return vars(self) | {"_direct": (None, no_direct_call)}


def compiled_of(
    translated: Translated, former: Former
) -> tuple[Sized, dict[str, tuple[Expression, int]]]:
    """Return a translated model, compiled.

    And the outputs that operators make, and how many operators there were before each. `former` is
    given what the plan leaves for that of other sizes.
    """
    graph = translated.graph
    made: dict[str, tuple[Expression, int]] = {}
    for name, value in translated.outputs.items():
        if isinstance(value.content, Expression):
            first = len(graph.added)
            with graph.naming(name):
                made[name] = as_output(value.content), first
    compiled = None
    if made:
        outputs = [x for x, _ in made.values()]
        # What nodes make besides, and nobody reads, is an output of a graph too.
        compiled = graph.compile_again([*outputs, *graph.unread(outputs)], former)
    return Sized(translated.inputs, translated.outputs, list(made), compiled, translated), made


class Source:
    """A model that was read, and what it was compiled to; any number of threads may call.

    Parameters
    ----------
    source, device, sizes, dimensions, constants
        As for `load_onnx`; checked.
    is_in_integers : bool
        Whether quantized graphs become operators of integers.
    memory_limit : int
        For each translation, and the first one with what is read.
    kept : int
        How many compiled graphs are kept.

    Raises
    ------
    ModelError, OSError
        As for `load_onnx`.
    """

    def __init__(
        self,
        source: Any,
        device: Device | None,
        sizes: _Sizes,
        dimensions: Mapping[str, int],
        constants: Mapping[str, Any],
        *,
        is_in_integers: bool = False,
        memory_limit: int,
        kept: int = KEPT,
    ) -> None:
        self.kept = kept
        self.sizes, self.dimensions, self._limit = sizes, dimensions, memory_limit
        self._lock = threading.RLock()
        #: By the sizes of all inputs, and what is known besides.
        self._found: OrderedDict[Any, Sized] = OrderedDict()
        self._replays = Replays(kept)
        #: How the model was translated last, and what its parts became.
        self._walked: Walked | None = None
        self._resizing: Resizing | None = None
        #: The inputs as the model declares them, once that was looked for.
        self._declared: list[list[Declared] | None] = []
        self._former = Former()
        self._is_new = True
        self._is_settled = False
        weights: dict[int, memoryview] = {}
        model, self._folder, self._name = read_model(source, weights)
        with self.named():
            if is_in_integers:
                model = in_integers(model)
            self._opsets = check_header(model)
            names = [each.name for each in (*model.graph.input, *model.graph.output)]
            self._graph = LoadingGraph(device or Device(), Budget(memory_limit), names)
            scope = Scope({}, self._opsets)
            translation = Translation(self._graph, model, self._folder)
            translation.initialize(model.graph, scope, weights)
            #: Nodes that hold a tensor, by their numbers: the name of each.
            self._constants = translation.hold_constants(model.graph, scope)
            self._known: dict[str, Any] = {**scope.values, **read_constants(model, constants)}
            self._model = _without_weights(model, self._constants)

    @property
    def names(self) -> frozenset[str]:
        """The names of all inputs."""
        return frozenset(each.name for each in self._model.graph.input)

    @property
    def translated_nodes(self) -> int:
        """How many nodes had to be translated so far, and did not see what they had seen before."""
        resizing = self._resizing
        return self._replays.translated + (0 if resizing is None else resizing.translated)

    def settle(self) -> None:
        """Keep nothing for other sizes: none are open."""
        self._is_settled = self._replays.is_once = True

    @property
    def device(self) -> Device:
        """What runs it."""
        return self._graph.device

    @property
    def found(self) -> list[Sized]:
        """What is kept, the one used last at the end."""
        with self._lock:
            return list(self._found.values())

    def tensors(self) -> tuple[dict[str, OnnxTensor], dict[str, OnnxTensor]]:
        """Return the inputs and outputs as the model declares them, with names for open sizes.

        Sizes that were given while loading are in their places, as far as they decide.

        Raises
        ------
        ModelError
            Sizes or names do not fit the model.
        """
        with self.named():
            graph = self._model.graph
            # A name that is none's, or sizes that contradict each other, are told at once.
            read_inputs(self._model, self._known, self.sizes, self.dimensions, open_size=1)
            known = dict(self.dimensions)
            inputs = {}
            for info in graph.input:
                if info.name in self._known:
                    continue
                try:
                    tensor = open_tensor(info)
                except ModelError as error:
                    raise error.within(f"input {shown(info.name)}") from None
                for name, size in zip(tensor.sizes, self.sizes.get(info.name, ()), strict=False):
                    known.setdefault(name, size)
                inputs[info.name] = tensor
            inputs = {
                name: OnnxTensor(
                    name, each.dtype, tuple(self.sizes.get(name, _in(each.sizes, known)))
                )
                for name, each in inputs.items()
            }
            outputs = (
                open_tensor(info)
                if info.type.WhichOneof("value") == "tensor_type"
                else OnnxTensor(info.name, None, (...,))
                for info in graph.output
            )
            return inputs, {
                each.name: OnnxTensor(each.name, each.dtype, _in(each.sizes, known))
                for each in outputs
            }

    def resolved(
        self, sizes: _Sizes, dimensions: Mapping[str, int], constants: Mapping[str, Any]
    ) -> dict[str, tuple[int, ...]]:
        """Return the sizes of all inputs that are left, from some of them and names of dimensions.

        Raises
        ------
        ModelError
            Sizes are open or contradict the model.
        """
        known = {**self._known, **constants}
        given = {**self.sizes, **sizes}, {**self.dimensions, **dimensions}
        with self.named():
            return {each.name: each.sizes for each in read_inputs(self._model, known, *given)}

    def sized(
        self, sizes: Mapping[str, tuple[int, ...]], constants: Mapping[str, Any] | None = None
    ) -> Sized:
        """Return the model in some sizes: as it is kept, or compiled now.

        Parameters
        ----------
        sizes : dict
            Of all inputs.
        constants : dict, optional
            Arrays, besides those given while loading.

        Raises
        ------
        ModelError
            Sizes contradict the model, or nodes cannot be said in them.
        """
        known = sorted((constants or {}).items())
        key = (
            frozenset(sizes.items()),
            tuple((name, a.shape, a.dtype.str, a.tobytes()) for name, a in known),
        )
        with self._lock:
            if key not in self._found:
                with without_collector():
                    self._found[key] = self._made(sizes, constants or {})
                if len(self._found) > self.kept:
                    self._found.popitem(last=False)
            self._found.move_to_end(key)
            return self._found[key]

    def _made(self, sizes: Mapping[str, tuple[int, ...]], constants: Mapping[str, Any]) -> Sized:
        """Return the model in some sizes, compiled now: in parts, if the last one was alike."""
        if self._resizing is not None and not constants:
            with self.named():
                inputs = self._inputs({**self.sizes, **sizes})
                found = self._resizing.resized(
                    self._graph,
                    Budget(self._limit),
                    self._model,
                    self._folder,
                    inputs,
                    self._former,
                )
            if found is not None:
                return Sized(inputs, *found)
        translated = self.translated(sizes, {}, constants)
        if self._is_settled:
            self._walked = None
            return compiled_of(translated, Former())[0]
        sized, made = compiled_of(translated, self._former)
        if sized.compiled is not None and self._walked is not None and not constants:
            self._resizing = Resizing(
                self._walked, sized.inputs, made, self._graph, sized.compiled, self.kept
            )
        return sized

    def _inputs(self, sizes: _Sizes) -> dict[str, OnnxTensor]:
        """Return all inputs in some sizes."""
        if not self._declared:
            self._declared.append(declared_inputs(self._model, self._known, self.dimensions))
        (declared,) = self._declared
        found = None if declared is None else sized_inputs(declared, sizes, self.dimensions)
        if found is None:
            given = read_inputs(self._model, self._known, sizes, self.dimensions)
            found = {each.name: each for each in given}
        return found

    def translated(
        self,
        sizes: _Sizes,
        dimensions: Mapping[str, int],
        constants: Mapping[str, Any],
        open_size: int | None = None,
        *,
        inner: bool = False,
    ) -> Translated:
        """Return the model as a graph in some sizes, with those given while loading.

        With `inner` the outputs are all values that the nodes of its graph make for them.

        Raises
        ------
        ModelError
            As `sized`.
        """
        with self._lock, self.named():
            if not self._is_new:
                self._graph.begin(Budget(self._limit))
            self._is_new = False
            self._replays.begin()
            return self._translated(
                {**self.sizes, **sizes},
                {**self.dimensions, **dimensions},
                constants,
                open_size,
                inner=inner,
            )

    def _translated(
        self,
        sizes: _Sizes,
        dimensions: Mapping[str, int],
        constants: Mapping[str, Any],
        open_size: int | None,
        *,
        inner: bool,
    ) -> Translated:
        graph, model = self._graph, self._model
        scope = Scope({**self._known, **read_constants(model, constants)}, self._opsets)
        inputs: dict[str, OnnxTensor] = {}
        for tensor in read_inputs(model, scope.values, sizes, dimensions, open_size):
            inputs[tensor.name] = tensor
            scope.values[tensor.name] = input_value(graph, tensor)
        names = [output.name for output in model.graph.output]
        if not names:
            raise ModelError("needs at least one output", given="none")
        if len(set(names)) != len(names):
            raise ModelError("needs outputs of different names", given=shown(names))
        translation = Translation(graph, model, self._folder, self._replays)
        try:
            translation.translate(model.graph, scope, names)
        except NodesError as error:
            if not error.is_told:
                raise
        if translation.refusals:
            raise _refused(translation, contradiction(model, inputs))
        self._walked = None
        if self._replays.visits is not None and not translation.has_sequences:
            self._walked = Walked(
                self._replays.visits, translation.begins, scope.values, self._opsets
            )
        if inner:
            made = {name for node in model.graph.node for name in node.output}
            made.update(self._constants.values())
            values = scope.values.items()
            names = [n for n, value in values if n in made and isinstance(value, Value)]
        return Translated(graph, inputs, {name: _output(graph, scope, name) for name in names})

    @contextmanager
    def named(self) -> Iterator[None]:
        """Put the name of the model in front of what is wrong with it."""
        try:
            with refusing("needs an ONNX model that can be read"):
                yield
        except ModelError as error:
            error.field = f"{self._name}: {error.field}" if error.field else self._name
            raise

    def __getstate__(self) -> dict[str, Any]:
        return vars(self) | {"_lock": None, "_walked": None, "_resizing": None}

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state, _lock=threading.RLock())


def _in(sizes: tuple[Any, ...], known: Mapping[Any, int]) -> tuple[Any, ...]:
    return tuple(known.get(size, size) for size in sizes)


def _without_weights(model: Any, constants: Iterable[int]) -> Any:
    """Return a model without its initializers and constants: they are arrays by now.

    Nodes that held one, by their numbers, become empty ones: others keep their places in the file.
    """
    found = type(model)()
    for field in ("ir_version", "domain"):
        setattr(found, field, getattr(model, field))
    found.opset_import.extend(model.opset_import)
    found.functions.extend(model.functions)
    graph, given = found.graph, model.graph
    graph.name = given.name
    for field in ("node", "input", "output"):
        getattr(graph, field).extend(getattr(given, field))
    for number in constants:
        graph.node[number].Clear()
    return found


def _output(graph: LoadingGraph, scope: Scope, name: str) -> Value:
    """Return what an output of the model stands for."""
    value = scope.find(name)
    if not isinstance(value, Value):
        raise ModelError("needs an output that a node makes", given="none", field=shown(name))
    check_tensors([value])
    array = value.array if value.is_known else None
    if array is not None and not array.flags.c_contiguous:
        try:
            graph.budget.take_elements(value.shape, value.dtype)  # each call copies it
        except ModelError as error:
            raise error.within(f"output {shown(name)}") from None
    return value


def _refused(translation: Translation, why: str) -> OnnxModelError:
    """Return the error of a model with refusals; in front why that may be, if it is not ""."""
    refusals = translation.refusals
    listed = [f"\n  {refusal}" for refusal in refusals[:_SHOWN_REFUSALS]]
    more = len(refusals) - len(listed)
    listed += [f"\n  and {more} more"] if more > 0 else []
    count = f"{len(refusals)} node{'' if len(refusals) == 1 else 's'}"
    said = f"{count} cannot be said in DirectML's operators:{''.join(listed)}"
    error = OnnxModelError(f"{why}; so {said}" if why else said)
    error.refusals = tuple(refusals)
    error.asked = tuple(translation.asked)
    return error
