"""What a node becomes: its handler is called, and what is known is computed while loading."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np

from indirectml.core.data_types import as_data_type
from indirectml.core.errors import DataTypeError, DirectMLError, refusing, shown
from indirectml.graphs.expressions import Expression
from indirectml.graphs.memory import dispatch_bytes
from indirectml.onnx_import.budget import BudgetError, LoadingGraph
from indirectml.onnx_import.evaluating import evaluated
from indirectml.onnx_import.later import postponed
from indirectml.onnx_import.nodes import BY_DEFINITION, Node, Registered, Results
from indirectml.onnx_import.package import onnx_package
from indirectml.onnx_import.schemas import output_dtype
from indirectml.onnx_import.values import Array, Value, as_onnx, stored_dtype
from indirectml.onnx_import.wide import computed as computed_wide
from indirectml.operators.functions import cast, identity

#: Results of more elements than this, and than the inputs, are computed when the model runs.
_MOST_FOLDED = 1 << 22

#: What takes no more work than this is computed without compiling a graph for it.
_MOST_EVALUATED = 1 << 16

#: What an element counts that ONNX's reference makes, which is Python.
_REFERENCE_BYTES = 1 << 13

#: Operators that are left to the model's runs: their work is in no proportion to their tensors, or
#: goes step by step.
_NEVER_FOLDED = frozenset({
    "GRU", "LSTM", "MULTIHEAD_ATTENTION", "MULTIHEAD_ATTENTION1", "RNN", "ROI_ALIGN", "ROI_ALIGN1",
    "ROI_ALIGN_GRAD", "ROI_POOLING",
})  # fmt: skip

_FITS = "does not fit its operator"

#: What Python raises in handlers becomes a refusal.
FITTING = refusing(_FITS)

_Outputs = tuple[Value | None, ...]


class _FittingOf(refusing):
    """The same for one node: a refusal tells the inputs, whose sizes are mostly what is wrong."""

    def __init__(self, node: Node) -> None:
        super().__init__(_FITS)
        self._node = node

    def given(self, error: Exception) -> str:
        """Return the error, and the inputs that it came of."""
        inputs = ", ".join(
            "none" if value is None else f"{value.dtype} {shown(list(value.shape))}"
            for value in self._node.inputs
        )
        return f"{super().given(error)} of inputs {inputs or 'that are not there'}"


def outputs_of(registered: Registered, node: Node, proto: Any) -> _Outputs | None:
    """Return the outputs of a node by its handler; None if that leaves it to ONNX's definition.

    Parameters
    ----------
    registered : Registered
        The handler. What it makes of inputs that are all known becomes arrays, in a graph of its
        own, which nothing keeps.
    node : Node
        With the graph of the model.
    proto : onnx.NodeProto
        The node as ONNX has it.

    Raises
    ------
    DirectMLError
        It cannot be said.
    """
    is_known = bool(node.inputs) and all(v is None or v.is_known for v in node.inputs)
    if not (is_known and registered.is_folded):
        return _called(registered, node)
    if any(value is not None and not value.count for value in node.inputs):
        return _of_nothing(registered, node, proto)
    later = postponed(node, partial(_elements, registered, node))
    return _folded(registered, node) if later is None else (later,)


def _elements(registered: Registered, node: Node) -> Array:
    """Return the one output of a node whose inputs are known."""
    found = _folded(registered, node)
    array = None if found is None or found[0] is None else found[0].array
    if array is None:
        needs = "needs more bytes than there are left for what is known while loading"
        raise BudgetError(needs, hint="memory_limit=, or --memory-limit, raises this")
    return array


def _folded(registered: Registered, node: Node) -> _Outputs | None:
    """Return the outputs of a node whose inputs are all known, as arrays if that is no waste."""
    scratch = node.graph.beside()
    try:
        values = _called(registered, Node(**{**vars(node), "graph": scratch}))
    except DataTypeError:  # which DirectML does not compute with; before it runs, it need not
        array = computed_wide(node)
        if array is None:
            raise
        return (Value(array),)
    if values is None:
        return None
    read = sum(value.count for value in node.inputs if value is not None)
    made = sum(value.count for value in values if value is not None)
    if scratch.added and made > max(read, _MOST_FOLDED):
        return _called(registered, node)
    found = _computed(scratch, values)
    return _called(registered, node) if found is None else found


def _called(registered: Registered, node: Node) -> _Outputs | None:
    """Return what a handler returns, as values; None if it leaves the node to its definition."""
    with _FittingOf(node):
        results: Results = registered.function(node)
    if isinstance(results, str) and results == BY_DEFINITION:
        return None
    found = results if isinstance(results, tuple | list) else (results,)
    return tuple(each if isinstance(each, Value | None) else Value(each) for each in found)


def _computed(graph: LoadingGraph, values: _Outputs) -> _Outputs | None:
    """Return values with what a graph without inputs makes of them as arrays.

    None where that takes more than the budget has: the operators can do it when the model runs.
    """
    waiting = [v for v in values if v is not None and isinstance(v.content, Expression)]
    if not waiting:
        return values
    descs = [operator.desc for operator, _, _ in graph.added]
    work = sum(map(_work, descs))
    if any(desc.operator_name in _NEVER_FOLDED for desc in descs):
        return None
    if not graph.budget.has_bytes(work):
        return None
    arrays = None
    if work <= _MOST_EVALUATED:
        arrays = evaluated(graph.added, [value.expression(graph) for value in waiting])
    if arrays is None:
        outputs = [as_output(value.expression(graph)) for value in waiting]
        compiled = graph.compile([*outputs, *graph.unread(outputs)])
        if not graph.budget.has_bytes(work + dispatch_bytes(compiled.plan)):
            return None
        arrays = compiled()
    graph.budget.take_bytes(work)
    made = {id(value): _known(value, array) for value, array in zip(waiting, arrays, strict=False)}
    return tuple(value if value is None else made.get(id(value), value) for value in values)


def _work(desc: Any) -> int:
    """Return what an operator does: the bytes that it reads and writes, and its products."""
    inputs, outputs = (
        [tensor for _, tensor in desc.tensors(kind) if tensor is not None]
        for kind in ("input_tensor", "output_tensor")
    )
    size = sum(t.element_count * t.data_type.item_bytes for t in (*inputs, *outputs))
    largest = max(tensor.element_count for tensor in (*inputs, *outputs))
    return int(size + largest * _products(desc))


def _products(desc: Any) -> int:
    """Return how many numbers an operator adds up, at most, for an element of its tensors."""
    for name in ("window_size", "window_sizes"):
        if hasattr(desc, name):
            return math.prod(getattr(desc, name))
    if hasattr(desc, "local_size"):
        return int(desc.local_size) ** 2
    if hasattr(desc, "filter_tensor"):
        return int(desc.filter_tensor.element_count // desc.filter_tensor.sizes[0])
    if hasattr(desc, "a_tensor") and hasattr(desc, "b_tensor") and len(desc.b_tensor.sizes) > 1:
        is_product = hasattr(desc, "trans_a") or "MATRIX_MULTIPLY" in desc.operator_name
        return max(desc.a_tensor.sizes[-2:]) if is_product else 0
    return 0


def _known(value: Value, array: Array) -> Value:
    """Return a value whose elements were computed."""
    array = np.ascontiguousarray(array).reshape(value.shape)
    return Value(as_onnx(array, value.dtype))


def _of_nothing(registered: Registered, node: Node, proto: Any) -> _Outputs | None:
    """Return what a node makes of tensors without elements, which DirectML does not have.

    By its handler if that needs no operator for it, else by ONNX's own reference: there is nothing
    to be rounded.
    """
    scratch = node.graph.beside()
    try:
        values = _called(registered, Node(**{**vars(node), "graph": scratch}))
        return values if values is None else _computed(scratch, values) or _called(registered, node)
    except BudgetError:
        raise
    except DirectMLError:
        found = _by_reference(node, proto)
        if found is None:
            raise
        return found


def _by_reference(node: Node, proto: Any) -> _Outputs | None:
    """Return what ONNX's reference makes of a node; None if it cannot, or sizes are not known."""
    onnx = onnx_package()
    given = {
        name: value.array
        for name, value in zip(proto.input, node.inputs, strict=True)
        if value is not None and value.array is not None
    }
    for array in given.values():
        node.take(array.shape, array.dtype)
    try:
        known = [onnx.numpy_helper.from_array(array, name) for name, array in given.items()]
        outputs = [onnx.helper.make_empty_tensor_value_info(name) for name in proto.output if name]
        graph = onnx.helper.make_graph([proto], "node", [], outputs, known)
        opsets = [onnx.helper.make_opsetid(node.domain, node.version)]
        model = onnx.helper.make_model(graph, opset_imports=opsets)
        inferred = onnx_package("shape_inference").infer_shapes(model, data_prop=True)
        sizes = [_sizes_of_info(info) for info in inferred.graph.output]
    except Exception:  # noqa: BLE001 (whatever another's code says of it, the node is refused)
        return None
    if any(size is None for size in sizes):
        return None
    node.graph.budget.take_bytes(sum(size or 0 for size in sizes) * _REFERENCE_BYTES)
    try:
        found = iter(onnx_package("reference").ReferenceEvaluator(model).run(None, {}))
    except Exception:  # noqa: BLE001 (likewise)
        return None
    arrays = [next(found) if name else None for name in proto.output]
    return tuple(Value(array) if isinstance(array, np.ndarray) else None for array in arrays)


def _sizes_of_info(info: Any) -> int | None:
    """Return how many elements an output has; None if that is not known."""
    shape = info.type.tensor_type.shape
    if not info.type.tensor_type.HasField("shape"):
        return None
    if not all(dim.HasField("dim_value") for dim in shape.dim):
        return None
    return math.prod(int(dim.dim_value) for dim in shape.dim)


def as_output(x: Expression) -> Expression:
    """Return what can be an output: made by an operator, and packed."""
    is_made = hasattr(x.value, "node")
    return x if is_made and x.strides is None else identity(x)


# ---- data types ----


def as_declared(
    values: Sequence[Value | None], schema: Any, bound: dict[str, Any]
) -> list[Value | None]:
    """Return outputs with the data types that the schema fixes."""
    if schema is None:
        return list(values)
    found: list[Value | None] = []
    for index, value in enumerate(values):
        dtype = output_dtype(schema, index, bound)
        if value is not None and dtype is not None and value.dtype != dtype:
            value = _converted(value, dtype)  # noqa: PLW2901 (the same value, as it is declared)
        found.append(value)
    return found


def _converted(value: Value, dtype: np.dtype[Any]) -> Value:
    """Return a value in the data type that it is declared to have."""
    if value.array is not None:
        return Value(value.array.astype(dtype), value.shape)
    content: Any = value.content
    stored = stored_dtype(dtype)
    if content.dtype != stored:
        content = cast(content, dtype=as_data_type(stored))
    return Value(content, value.shape, dtype)
