"""Graphs as DirectML describes them: nodes and edges."""

from __future__ import annotations

import importlib
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from indirectml.core.errors import DataTypeError, shown


@dataclass(frozen=True, slots=True)
class InputEdge:
    """DML_INPUT_GRAPH_EDGE_DESC: an input of the graph feeds an input of a node."""

    graph_input_index: int
    to_node_index: int
    to_node_input_index: int


@dataclass(frozen=True, slots=True)
class OutputEdge:
    """DML_OUTPUT_GRAPH_EDGE_DESC: an output of a node is an output of the graph."""

    from_node_index: int
    from_node_output_index: int
    graph_output_index: int


@dataclass(frozen=True, slots=True)
class IntermediateEdge:
    """DML_INTERMEDIATE_GRAPH_EDGE_DESC: an output of a node feeds an input of another."""

    from_node_index: int
    from_node_output_index: int
    to_node_index: int
    to_node_input_index: int


#: How many bytes of a constant are shown.
_SHOWN = 16


@dataclass(frozen=True, repr=False)
class ConstantNode:
    """DML_CONSTANT_DATA_GRAPH_NODE_DESC: a node whose one output has known bytes.

    Parameters
    ----------
    data : bytes or array
        The bytes of the tensor that consumers see; zeros follow up to a multiple of 4.

    Notes
    -----
    It may stand among the nodes from feature level 6_2 on, and feeds inputs that are not owned by
    DirectML. Its bytes lie in the persistent resource.

    References
    ----------
    DirectML: DML_CONSTANT_DATA_GRAPH_NODE_DESC structure.

    Examples
    --------
    >>> ConstantNode(np.array([65, 66], np.uint8))
    ConstantNode(data=b'AB')
    """

    data: bytes

    def __post_init__(self) -> None:
        try:  # bytes are kept as they are
            data = self.data if type(self.data) is bytes else memoryview(self.data).tobytes()
        except TypeError:
            data = b""
        if not data:
            needs = "needs bytes or an array, with at least one element"
            raise DataTypeError(needs, given=shown(self.data), field="ConstantNode.data")
        object.__setattr__(self, "data", data)

    def __repr__(self) -> str:
        more = f" and {len(self.data) - _SHOWN} more" if len(self.data) > _SHOWN else ""
        return f"ConstantNode(data={self.data[:_SHOWN]!r}{more})"


@dataclass(frozen=True)
class GraphDesc:
    """DML_GRAPH_DESC: operators, and how they are connected.

    Parameters
    ----------
    input_count, output_count : int
        How many buffers the graph reads and writes.
    nodes : sequence of Operator or ConstantNode
        All of one device.
    output_edges : sequence of OutputEdge
        One per output of the graph.
    input_edges, intermediate_edges : sequence of InputEdge, of IntermediateEdge
        Together one per input of a node, except optional ones that are left out.
    node_names : sequence of str, optional
        One per node, as DirectML's nodes have; empty for none.
    value_names : dict, optional
        From (node, output) to what flows there, as DirectML's edges have.

    Notes
    -----
    A graph has no cycles. Every input and every output of a node is connected. The two tensors of
    an edge may differ in everything but the total size: an edge reinterprets. An input that is
    owned by DirectML is fed by an input of the graph, and all consumers of that agree. Neither
    an input of the graph nor a constant is wired straight to an output.

    References
    ----------
    DirectML: DML_GRAPH_DESC structure.

    Examples
    --------
    >>> device = Device()
    >>> tensor = TensorDesc(np.float32, [2])
    >>> fill = device.create_operator(FillValueConstantOperatorDesc(tensor, np.float32, 13.0))
    >>> graph = GraphDesc(0, 1, [fill], [OutputEdge(0, 0, 0)])
    >>> device.compile_graph(graph).plan.outputs
    (TensorDesc(FLOAT32, sizes=[2]),)
    """

    input_count: int
    output_count: int
    nodes: Sequence[Any]
    output_edges: Sequence[OutputEdge]
    input_edges: Sequence[InputEdge] = ()
    intermediate_edges: Sequence[IntermediateEdge] = ()
    node_names: Sequence[str] = ()
    value_names: Mapping[tuple[int, int], str] = field(default_factory=dict)

    def serialize(self, path: str | os.PathLike[str], **names: Any) -> None:
        """Write the graph to a file that DxDispatch and `read_serialized_graph` read.

        Parameters
        ----------
        path : path
            As for `SerializedGraph.serialize`.
        **names
            As for `SerializedGraph.of_desc`, whose errors this raises.
        """
        # Only who writes files needs what stands below this file.
        serialized = importlib.import_module("indirectml.serialized.graph")
        serialized.SerializedGraph.of_desc(self, **names).serialize(path)
