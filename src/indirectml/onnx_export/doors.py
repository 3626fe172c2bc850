"""What `to_onnx` does: from serialized graphs and compiled ones to a model, in memory or a file."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from indirectml.core.errors import DescriptorError
from indirectml.core.tensors import TensorDesc
from indirectml.fills.sequences import RULES, Rule
from indirectml.graphs.compiled_graphs import CompiledGraph
from indirectml.graphs.graph_descs import GraphDesc, InputEdge, OutputEdge
from indirectml.onnx_export.exporting import onnx_nodes
from indirectml.onnx_export.writing import check_different, checked_opset, model_of, renamed
from indirectml.runtime.dispatchables import CompiledOperator, Dispatchable
from indirectml.serialized.describing import contents_of_desc
from indirectml.serialized.nodes import Node, SerializedOperator


def export_graph(
    nodes: Sequence[Node],
    inputs: Mapping[str, TensorDesc],
    graph_outputs: Mapping[str, TensorDesc | None],
    path: str | os.PathLike[str] | None = None,
    *,
    input_names: Sequence[str] | None = None,
    output_names: Sequence[str] | None = None,
    opset: int | None = None,
    sequence_rule: Rule = "accumulate",
    functions: bool = True,
) -> Any:
    """Return the ONNX model of a graph, and write it if there is a path; see `to_onnx`."""
    if sequence_rule not in RULES:
        needs = f"needs one of {', '.join(RULES)}"
        raise DescriptorError(needs, given=f"{sequence_rule!r}", field="sequence_rule")
    opset = checked_opset(opset)
    first = renamed(inputs, input_names, "input")
    last = renamed(graph_outputs, output_names, "output")
    check_different([*first, *last])
    written = onnx_nodes(
        nodes,
        inputs,
        graph_outputs,
        opset=opset,
        sequence_rule=sequence_rule,
        functions=functions,
    )
    written = replace(
        written,
        inputs=dict(zip(first, written.inputs.values(), strict=True)),
        outputs=dict(zip(last, written.outputs.values(), strict=True)),
    )
    return model_of(written, None if path is None else Path(path))


def export_compiled(
    compiled: Dispatchable,
    path: str | os.PathLike[str] | None,
    *,
    weights: Mapping[str, Any] | None,
    **options: Any,
) -> Any:
    """Return the ONNX model of what was compiled, and write it if there is a path."""
    desc, is_operator = _desc_of(compiled)
    names: list[str] | None = None
    tensors: dict[str, TensorDesc] = {}
    data = dict(weights or {})
    if isinstance(compiled, CompiledGraph):
        described = compiled.described_inputs()
        names = [name for name, _, _ in described]
        tensors = {name: tensor for name, tensor, _ in described}
        data = {name: raw for name, _, raw in described if raw is not None} | data
    contents = contents_of_desc(desc, names, None, data)
    nodes = contents.nodes
    if is_operator:  # a call takes elements, wherever the descriptor says that they lie
        nodes = tuple(_packed(node) for node in nodes)
    found = {name: tensors.get(name) or _first(nodes, name) for name in contents.input_names}
    inputs = {name: tensor for name, tensor in found.items() if tensor is not None}
    outputs: dict[str, TensorDesc | None] = dict.fromkeys(contents.output_names)
    if isinstance(compiled, CompiledGraph):
        outputs = dict(zip(outputs, compiled.output_tensors, strict=True))
    rule: Any = getattr(compiled.device, "sequence_rule", "accumulate")
    return export_graph(nodes, inputs, outputs, path, sequence_rule=rule, **options)


def _desc_of(compiled: Dispatchable) -> tuple[GraphDesc, bool]:
    """Return the graph of what was compiled, and whether it is an operator by itself."""
    if compiled.desc is not None:
        return compiled.desc, False
    if not isinstance(compiled, CompiledOperator) or compiled.operator is None:
        raise DescriptorError("needs a compiled operator or graph", given=f"{compiled!r}")
    desc = compiled.operator.desc
    inputs = [k for k, (_, t) in enumerate(desc.tensors("input_tensor")) if t is not None]
    outputs = [k for k, (_, t) in enumerate(desc.tensors("output_tensor")) if t is not None]
    return GraphDesc(
        len(inputs),
        len(outputs),
        [compiled.operator],
        [OutputEdge(0, k, number) for number, k in enumerate(outputs)],
        [InputEdge(number, 0, k) for number, k in enumerate(inputs)],
    ), True


def _packed(node: Node) -> Node:
    if not isinstance(node, SerializedOperator):
        return node
    inputs = [None if t is None else TensorDesc(t.data_type, t.sizes) for t in node.inputs]
    return replace(node, inputs=tuple(inputs))


def _first(nodes: Sequence[Node], name: str) -> TensorDesc | None:
    """Return an input's tensor as the first node that reads it describes it, or None."""
    return next(
        (
            tensor
            for node in nodes
            if isinstance(node, SerializedOperator)
            for each, tensor in zip(node.input_names, node.inputs, strict=True)
            if each == name and tensor is not None
        ),
        None,
    )
