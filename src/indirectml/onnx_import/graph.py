"""ONNX models as graphs with names, as the command line and dispatch models take them."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field

from indirectml.catalogue.enumerations import ExecutionFlags
from indirectml.core.errors import ModelError
from indirectml.core.tensors import TensorDesc
from indirectml.graphs.compiled_graphs import CompiledGraph
from indirectml.graphs.expressions import Expression
from indirectml.onnx_import.budget import LoadingGraph
from indirectml.onnx_import.folding import as_output
from indirectml.onnx_import.inputs import OnnxTensor
from indirectml.onnx_import.sources import Source
from indirectml.onnx_import.values import Value, sizes_of, stored_dtype
from indirectml.operators.functions import identity
from indirectml.runtime import Device
from indirectml.serialized.compiling import compile_contents
from indirectml.serialized.graph import SerializedGraph


@dataclass(frozen=True, repr=False)
class OnnxGraph(SerializedGraph):
    """A graph that was made of an ONNX model.

    Attributes
    ----------
    tensors : dict
        Of the inputs by name, as the model has them: what reads them may see them otherwise.
    unread : int
        How many of the last outputs are none of the model's: nothing reads them, but a graph of
        DirectML has them.
    """

    tensors: Mapping[str, TensorDesc] = field(default_factory=dict)
    unread: int = 0

    @property
    def inputs(self) -> dict[str, TensorDesc]:
        """The tensors of the inputs that something reads, by name."""
        return {name: self.tensors[name] for name in super().inputs}

    @property
    def outputs(self) -> dict[str, TensorDesc]:
        """The tensors of the model's outputs, by name."""
        found = super().outputs
        return {name: found[name] for name in list(found)[: len(found) - self.unread]}

    @property
    def _wanted_names(self) -> tuple[str, ...]:
        """The names of the model's outputs."""
        return self.output_names[: len(self.output_names) - self.unread]

    def compile(
        self, device: Device, *, flags: ExecutionFlags = ExecutionFlags.NONE
    ) -> CompiledGraph:
        """Return the graph compiled by a device; a call returns the model's outputs."""
        return compile_contents(self._contents, device, flags, self.unread)


def graph_of(
    source: Source,
    graph: LoadingGraph,
    inputs: Mapping[str, OnnxTensor],
    values: Mapping[str, Value],
) -> OnnxGraph:
    """Return what makes the outputs of a model as a graph with names.

    Raises
    ------
    ModelError
        An output has no elements.
    """
    outputs = []
    with source.named():
        for name, value in values.items():
            if not value.count:
                raise ModelError(
                    "needs elements, as tensors of DirectML's graphs have them",
                    given=f"sizes {list(value.shape)}",
                    hint="load_onnx runs it from Python",
                    field=name,
                )
            with graph.naming(name):
                outputs.append(_whole(value.expression(graph)))
    unread = graph.unread(outputs)
    names = [*values, *(f"unread_{number}" for number in range(len(unread)))]
    found = SerializedGraph.of_outputs([*outputs, *unread], output_names=names)
    tensors = {
        name: TensorDesc(stored_dtype(each.dtype), sizes_of(each.sizes))
        for name, each in inputs.items()
        if math.prod(each.sizes)  # nothing reads those without elements
    }
    return OnnxGraph(found.nodes, found.input_names, tuple(names), tensors, len(unread))


def _whole(x: Expression) -> Expression:
    """Return what has the sizes of an operator's output, and not those of a view of it."""
    made = as_output(x)
    of_operator = made.value.node.operator.desc.tensors("output_tensor")  # type: ignore[attr-defined]
    tensor = of_operator[made.value.index][1]  # type: ignore[attr-defined]
    return made if tensor.sizes_tuple == made.shape else identity(made)
