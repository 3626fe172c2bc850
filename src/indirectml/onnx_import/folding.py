"""What a node becomes: its handler is called, and what is known is computed while loading."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from indirectml.core.data_types import as_data_type
from indirectml.core.errors import DirectMLError, ModelError, shown
from indirectml.graphs.expressions import Expression
from indirectml.graphs.graphs import Graph
from indirectml.onnx_import.nodes import BY_DEFINITION, Node, Registered, Results
from indirectml.onnx_import.package import onnx_package
from indirectml.onnx_import.schemas import output_dtype
from indirectml.onnx_import.values import Array, Value, as_onnx, stored_dtype
from indirectml.operators.functions import cast, identity

#: Results of more elements than this, and than the inputs, are computed when the model runs.
_MOST_FOLDED = 1 << 22

#: What a mistake in a handler's arguments raises: a node that does not fit its operator.
_MISFITS = (ArithmeticError, AttributeError, LookupError, TypeError, ValueError)

_Outputs = tuple[Value | None, ...]


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
    is_known = bool(node.inputs) and all(v is None or v.array is not None for v in node.inputs)
    if not (is_known and registered.is_folded):
        return _called(registered, node)
    if any(value is not None and not value.count for value in node.inputs):
        return _of_nothing(registered, node, proto)
    scratch = Graph(node.graph.device)
    values = _called(registered, Node(**{**vars(node), "graph": scratch}))
    if values is None:
        return None
    read = sum(value.count for value in node.inputs if value is not None)
    made = sum(value.count for value in values if value is not None)
    if made > max(read, _MOST_FOLDED):
        return _called(registered, node)
    return _computed(scratch, values)


def _called(registered: Registered, node: Node) -> _Outputs | None:
    """Return what a handler returns, as values; None if it leaves the node to its definition."""
    try:
        results: Results = registered.function(node)
    except DirectMLError:
        raise
    except _MISFITS as error:
        raise ModelError(
            "does not fit its operator", given=f"{type(error).__name__}: {shown(str(error))}"
        ) from error
    except MemoryError:
        raise ModelError("needs less memory than there is, to be computed while loading") from None
    if isinstance(results, str) and results == BY_DEFINITION:
        return None
    found = results if isinstance(results, tuple | list) else (results,)
    return tuple(each if isinstance(each, Value | None) else Value(each) for each in found)


def _computed(graph: Graph, values: _Outputs) -> _Outputs:
    """Return values with what a graph without inputs makes of them as arrays."""
    waiting = [v for v in values if v is not None and isinstance(v.content, Expression)]
    if not waiting:
        return values
    outputs = [as_output(value.expression(graph)) for value in waiting]
    arrays = graph.compile([*outputs, *graph.unread(outputs)])()
    made = {id(value): _known(value, array) for value, array in zip(waiting, arrays, strict=False)}
    return tuple(value if value is None else made.get(id(value), value) for value in values)


def _known(value: Value, array: Array) -> Value:
    """Return a value whose elements were computed."""
    array = np.ascontiguousarray(array).reshape(value.shape)
    return Value(as_onnx(array, value.dtype))


def _of_nothing(registered: Registered, node: Node, proto: Any) -> _Outputs | None:
    """Return what a node makes of tensors without elements, which DirectML does not have.

    By its handler if that needs no operator for it, else by ONNX's own reference: there is nothing
    to be rounded.
    """
    scratch = Graph(node.graph.device)
    try:
        values = _called(registered, Node(**{**vars(node), "graph": scratch}))
        return values if values is None else _computed(scratch, values)
    except DirectMLError:
        found = _by_reference(node, proto)
        if found is None:
            raise
        return found


def _by_reference(node: Node, proto: Any) -> _Outputs | None:
    """Return what ONNX's reference makes of a node; None if it cannot."""
    onnx = onnx_package()
    infos = [onnx.helper.make_empty_tensor_value_info(name) for name in proto.input if name]
    outputs = [onnx.helper.make_empty_tensor_value_info(name) for name in proto.output if name]
    graph = onnx.helper.make_graph([proto], "node", infos, outputs)
    opsets = [onnx.helper.make_opsetid(node.domain, node.version)]
    model = onnx.helper.make_model(graph, opset_imports=opsets)
    given = {
        name: value.array
        for name, value in zip(proto.input, node.inputs, strict=True)
        if value is not None
    }
    try:
        run = onnx_package("reference").ReferenceEvaluator(model).run
        found = iter(run(None, given))
    except Exception:  # noqa: BLE001 (whatever another's code says of it, the node is refused)
        return None
    arrays = [next(found) if name else None for name in proto.output]
    return tuple(Value(array) if isinstance(array, np.ndarray) else None for array in arrays)


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
