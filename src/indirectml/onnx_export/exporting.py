"""From the nodes of a serialized graph to ONNX nodes: what is common to all operators."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from indirectml.catalogue.feature_levels import FeatureLevel
from indirectml.core.errors import DirectMLError, LayoutError, OnnxExportError, shown
from indirectml.core.tensors import TensorDesc
from indirectml.descriptors.base import OperatorDesc
from indirectml.onnx_export.building import Builder, Value, numpy_dtype
from indirectml.onnx_export.forms import BROADCASTING, Form, Node, form_of
from indirectml.onnx_export.functions import Functions
from indirectml.onnx_export.views import constant_elements, is_packed, memory_sizes, viewed
from indirectml.onnx_export.words import activated, scaled
from indirectml.serialized.nodes import Node as GraphNode
from indirectml.serialized.nodes import SerializedConstant, SerializedOperator, Tensor

#: What is written where no operator needs more.
DEFAULT_OPSET = 18


@dataclass(frozen=True)
class Written:
    """A graph as ONNX nodes.

    Attributes
    ----------
    builder : Builder
        Nodes and constants, also those that nothing reads.
    inputs, outputs : dict
        Values by name, in order.
    names : dict
        The names that values of the graph had.
    opset : int
        What the nodes need, or what was asked for.
    """

    builder: Builder
    inputs: dict[str, Value]
    outputs: dict[str, Value]
    names: dict[Value, str]
    opset: int


def onnx_nodes(
    nodes: Iterable[GraphNode],
    inputs: Mapping[str, TensorDesc],
    outputs: Mapping[str, TensorDesc | None],
    *,
    opset: int | None,
    sequence_rule: str,
    functions: bool,
) -> Written:
    """Return the ONNX nodes of a graph.

    Parameters
    ----------
    nodes : sequence of SerializedOperator or SerializedConstant
        Each after those whose values it reads.
    inputs : dict
        The tensors of the graph's inputs by name.
    outputs : dict
        The names of values that nodes write, and the tensors that see them; None for the nodes'.
    opset : int or None
        None: 18, or what the operators need.
    sequence_rule : str
        The rule of FILL_VALUE_SEQUENCE.
    functions : bool
        Whether operators that ONNX has no exact form of become calls of functions.

    Raises
    ------
    OnnxExportError
        Nodes have no ONNX form; all are named, with reasons.
    """
    return _Export(inputs, opset, sequence_rule, Functions() if functions else None).written(
        nodes, outputs
    )


class _Export:
    """One graph on its way to ONNX."""

    def __init__(
        self,
        inputs: Mapping[str, TensorDesc],
        opset: int | None,
        sequence_rule: str,
        functions: Functions | None,
    ) -> None:
        self._opset = opset
        self._rule = sequence_rule
        self._functions = functions
        self._b = Builder(DEFAULT_OPSET if opset is None else opset)
        self._inputs = {
            name: Value(numpy_dtype(tensor.data_type), memory_sizes(tensor))
            for name, tensor in inputs.items()
        }
        #: What is in memory, by the names of the graph's values.
        self._memory: dict[str, Value] = dict(self._inputs)
        self._constants: dict[str, SerializedConstant] = {}
        self._elements: dict[Any, Value] = {}
        self._refusals: list[str] = []

    def written(
        self, nodes: Iterable[GraphNode], outputs: Mapping[str, TensorDesc | None]
    ) -> Written:
        for node in nodes:
            if isinstance(node, SerializedConstant):
                self._constants[node.output_name] = node
                continue
            try:
                with self._b.at(node.name or node.operator_name):
                    results = self._results(node)
            except DirectMLError as error:
                self._refusals.append(_refusal(node, error))
                results = _stand_ins(node)
            self._memory |= results
        opset = self._checked_opset()
        if self._refusals:
            raise OnnxExportError.of(self._refusals)
        names = {value: name for name, value in self._memory.items()}
        names = self._b.names | {v: n for v, n in names.items() if not n.startswith("nodeIdx:")}
        made = {name: self._output(name, tensor) for name, tensor in outputs.items()}
        return Written(self._b, self._inputs, made, names, opset)

    def _output(self, name: str, tensor: TensorDesc | None) -> Value:
        constant = self._constants.get(name)
        if constant is not None:
            raise OnnxExportError(
                "a constant is not wired straight to an output", given=shown(name), field="GRAPH"
            )
        found = self._memory[name]
        if tensor is None:
            return found
        with self._b.at(name):
            return viewed(self._b, found, tensor)

    def _checked_opset(self) -> int:
        needed = max(self._b.needed, default=DEFAULT_OPSET)
        if self._opset is None:
            return needed
        for opset, (place, operator) in self._b.needed.items():
            self._refusals.append(
                f"{place}: its ONNX form has {operator}, which needs opset {opset}, "
                f"got {self._opset}"
            )
        return self._opset

    # ---- one node ----

    def _results(self, node: SerializedOperator) -> dict[str, Value]:
        desc = node.desc
        mistakes = desc.mistakes(max(FeatureLevel))
        if mistakes:
            raise mistakes[0]
        for place, tensor in desc.tensors("output_tensor"):
            if tensor is not None and not is_packed(tensor):
                raise LayoutError(
                    "needs a packed tensor, since ONNX has no strides",
                    given=f"strides {tensor.strides}",
                    hint="the graph is the same without them",
                    field=place,
                )
        function = form_of(node.operator_name)
        if function is None:
            raise LayoutError("has no ONNX form")
        tensors = desc.tensors("input_tensor")
        arrays = [
            None if tensor is None else self._read(desc, value, field, tensor)
            for value, (field, tensor) in zip(node.input_names, tensors, strict=True)
        ]

        def write(b: Builder, inputs: Sequence[Value | None]) -> Sequence[Value | None]:
            return _written(Node(b, desc, node.operator_name, self._rule), function, inputs)

        if self._functions is None:
            results = write(self._b, arrays)
        else:
            results = self._functions.called(self._b, desc, self._rule, write, arrays)
        return {
            value: result
            for value, result in zip(node.output_names, results, strict=True)
            if result is not None
        }

    def _read(self, desc: OperatorDesc, name: str, field: str, tensor: TensorDesc) -> Value:
        loose = desc.definition.name in BROADCASTING
        constant = self._constants.get(name)
        try:
            if constant is not None:
                found = self._constant(constant, tensor)
                return found if loose else self._b.expand(found, tensor.sizes)
            return viewed(self._b, self._memory[name], tensor, loose=loose)
        except DirectMLError as error:
            raise error.within(field) from None

    def _constant(self, constant: SerializedConstant, tensor: TensorDesc) -> Value:
        """Return the elements of a tensor in a constant, which is kept once per layout."""
        layout = tensor.data_type, tensor.sizes_tuple, tensor.strides_in_memory
        key = constant.output_name, *layout
        if key not in self._elements:
            elements = constant_elements(constant.data, tensor)
            self._elements[key] = self._b.constant(elements, name=constant.output_name)
        return self._elements[key]


def _written(node: Node, form: Form, inputs: Sequence[Value | None]) -> Sequence[Value | None]:
    """Return the outputs of an operator, its inputs as they come; None for what is left out."""
    desc = node.desc
    arrays = [
        None if value is None or tensor is None else node.b.cast(value, node.computed(tensor))
        for value, tensor in zip(inputs, node.inputs, strict=True)
    ]
    fields, keywords = vars(desc), desc.definition.keywords
    if "scale_bias" in fields and "scale_bias" not in keywords and arrays[0] is not None:
        arrays[0] = scaled(node.b, arrays[0], fields["scale_bias"])
    made = form(node, *arrays)
    results: Any = made if isinstance(made, tuple) else (made,)
    if "fused_activation" in fields and "fused_activation" not in keywords:
        results = (activated(node.b, results[0], fields["fused_activation"]), *results[1:])
    names = [name for name, _ in desc.tensors("output_tensor")]
    if not any("[" in name for name in names):
        # By name: an older version may lack some of those that the form returns.
        by_name = dict(zip(desc.definition.output_names, results, strict=False))
        results = [by_name[name] for name in names]
    return [
        None if tensor is None else _finished(node.b, result, tensor)
        for tensor, result in zip(node.outputs, results, strict=True)
    ]


def _finished(b: Builder, value: Value, tensor: TensorDesc) -> Value:
    """Return a result in the data type and sizes of its tensor."""
    value = b.cast(value, numpy_dtype(tensor.data_type))
    if value.count == tensor.element_count:
        return b.reshape(value, tensor.sizes)
    return b.expand(value, tensor.sizes)


def _refusal(node: SerializedOperator, error: DirectMLError) -> str:
    place = node.name or node.operator_name
    if node.operator_name not in place:
        place = f"{place} ({node.operator_name})"
    text = str(error).removeprefix(f"{node.operator_name}.").removeprefix(node.operator_name)
    return f"{place}: {text.removeprefix(': ')}"


def _stand_ins(node: SerializedOperator) -> dict[str, Value]:
    """Return values for the outputs of a node that is refused, so that all others are tried."""
    tensors: Iterable[tuple[str, Tensor]] = zip(node.output_names, node.outputs, strict=True)
    return {
        name: Value(numpy_dtype(tensor.data_type), tensor.sizes_tuple)
        for name, tensor in tensors
        if tensor is not None
    }
