"""ONNX models as graphs with names, as the command line and dispatch models take them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from indirectml.catalogue.enumerations import ExecutionFlags
from indirectml.core.tensors import TensorDesc
from indirectml.graphs.compiled_graphs import CompiledGraph
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
