"""`SerializedGraph`: a DirectML graph in a file, read without a device and compiled by one."""

from __future__ import annotations

import importlib
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from indirectml.catalogue.enumerations import ExecutionFlags
from indirectml.core.errors import label
from indirectml.core.tensors import TensorDesc
from indirectml.fills.sequences import Rule
from indirectml.graphs.compiled_graphs import CompiledGraph
from indirectml.graphs.expressions import Expression
from indirectml.graphs.graph_descs import GraphDesc
from indirectml.runtime import Device
from indirectml.serialized.compiling import compile_contents
from indirectml.serialized.describing import contents_of_desc
from indirectml.serialized.nodes import Node, SerializedConstant, SerializedOperator
from indirectml.serialized.reading import Contents, read_contents
from indirectml.serialized.writing import write_contents

#: Notebooks draw graphs of at most so many operators by themselves.
_DRAWN = 300


@dataclass(frozen=True, repr=False)
class SerializedGraph:
    """A graph whose values have names: descriptors and constants, and no device yet.

    Attributes
    ----------
    nodes : tuple of SerializedOperator or SerializedConstant
        Each after those whose values it reads.
    input_names, output_names : tuple of str
        Of the graph, in order. An input that no node reads may have an empty name.

    See Also
    --------
    read_serialized_graph : From a file.

    Examples
    --------
    >>> graph = Graph(Device())
    >>> x = graph.input([1, 3], name="x")
    >>> serialized = SerializedGraph.of_outputs([x + x], output_names=["twice"])
    >>> serialized
    SerializedGraph(1 node, inputs x, outputs twice)
    >>> serialized.compile(Device())({"x": np.ones((1, 3))})
    [array([[2., 2., 2.]], dtype=float32)]
    """

    nodes: tuple[Node, ...]
    input_names: tuple[str, ...]
    output_names: tuple[str, ...]

    @classmethod
    def of_desc(
        cls,
        desc: GraphDesc,
        *,
        input_names: Sequence[str] | None = None,
        output_names: Sequence[str] | None = None,
        weights: Mapping[str, Any] | None = None,
    ) -> SerializedGraph:
        """Return a graph of the object model with names for its values.

        Parameters
        ----------
        desc : GraphDesc
            Of operators and constants.
        input_names, output_names : sequence of str, optional
            One per input and output of the graph; "input_0" and "output_0" and so on by default.
        weights : dict, optional
            From the names of inputs that are owned by DirectML to their bytes or arrays. They
            become constants, since the format knows no such inputs.

        Raises
        ------
        DescriptorError
            Names do not fit, an input is not connected, there is a cycle, or an input that is
            owned by DirectML has no data.

        Notes
        -----
        A value that is an output of the graph and is also read by a node, or is an output twice,
        goes through an ELEMENT_WISE_IDENTITY, since Microsoft's reader has one use for a name. The
        format has no field for `guaranteed_base_offset_alignment`, which changes no result.
        """
        contents = contents_of_desc(desc, input_names, output_names, weights or {})
        return cls(contents.nodes, contents.input_names, contents.output_names)

    @classmethod
    def of_outputs(
        cls,
        outputs: Sequence[Expression],
        *,
        output_names: Sequence[str] | None = None,
        weights: Mapping[str, Any] | None = None,
    ) -> SerializedGraph:
        """Return what outputs of a `Graph` need, with names for its values.

        Parameters
        ----------
        outputs : sequence of Expression
            Of one graph, whose inputs keep their names. Its constants become constants.
        output_names, weights
            As for `of_desc`.

        Raises
        ------
        DescriptorError
            As for `of_desc` and `Graph.compile`.
        """
        graph: Any = outputs[0].graph
        desc, inputs = graph.describe(outputs)
        known = {found.name: found.data for found in inputs if found.is_constant}
        read = [found.name for found in inputs]
        made = cls.of_desc(
            desc,
            input_names=read,
            output_names=output_names,
            weights=known | dict(weights or {}),
        )
        # Those that nothing reads stay: data for them is accepted here and there.
        unread = [name for name in graph.called_inputs if name not in read]
        return replace(made, input_names=(*made.input_names, *unread))

    # ---- what it says ----

    @property
    def operators(self) -> tuple[SerializedOperator, ...]:
        """The nodes that are operators."""
        return tuple(n for n in self.nodes if isinstance(n, SerializedOperator))

    @property
    def constants(self) -> dict[str, bytes | memoryview]:
        """The bytes of the constants by the names of their values."""
        found = (n for n in self.nodes if isinstance(n, SerializedConstant))
        return {node.output_name: node.data for node in found}

    @property
    def inputs(self) -> dict[str, TensorDesc]:
        """The tensors of the inputs by name: as the first node that reads each describes it.

        An input that no node reads is left out.
        """
        found: dict[str, TensorDesc] = {}
        for node in self.operators:
            for name, tensor in zip(node.input_names, node.inputs, strict=True):
                if tensor is not None and name in self.input_names:
                    found.setdefault(name, tensor)
        return {name: found[name] for name in self.input_names if name in found}

    @property
    def outputs(self) -> dict[str, TensorDesc]:
        """The tensors of the outputs by name, as the nodes that write them describe them."""
        found: dict[str, TensorDesc] = {}
        for node in self.operators:
            tensors = zip(node.output_names, node.outputs, strict=True)
            found |= {name: tensor for name, tensor in tensors if tensor is not None}
        return {name: found[name] for name in self.output_names if name in found}

    def __repr__(self) -> str:
        count = f"{len(self.nodes)} node{'' if len(self.nodes) == 1 else 's'}"
        inputs, outputs = (_short(names) for names in (self.input_names, self.output_names))
        return f"SerializedGraph({count}, inputs {inputs}, outputs {outputs})"

    # ---- where it goes ----

    def serialize(self, path: str | os.PathLike[str]) -> None:
        """Write the graph to a file, and large constants to files beside it.

        Parameters
        ----------
        path : path
            Such as "Partition_0.bin". Replaced when all is written, and left as it was otherwise.

        Raises
        ------
        DescriptorError
            Two constants, or the graph and one of them, have files of one name.
        OSError
            The folder cannot be written.

        Notes
        -----
        Constants that were read from files go to files of the same names; others of more than
        4096 bytes to NAME-constant-N.bin, where NAME is that of the graph's file; the rest lies in
        the graph's file. The same graph gives the same bytes.
        """
        write_contents(self._contents, Path(path))

    def compile(
        self, device: Device, *, flags: ExecutionFlags = ExecutionFlags.NONE
    ) -> CompiledGraph:
        """Return the graph compiled by a device, ready to be called.

        Parameters
        ----------
        device : Device
            What checks, compiles and runs it.
        flags : ExecutionFlags
            As for `Device.compile_operator`.

        Returns
        -------
        CompiledGraph
            It takes the inputs by name, and returns one array per name of `output_names`, in order.

        Raises
        ------
        DescriptorError, DataTypeError, LayoutError
            The device refuses a node, which is named, or the graph breaks a rule.
        """
        return compile_contents(self._contents, device, flags)

    def to_onnx(
        self,
        path: str | os.PathLike[str] | None = None,
        *,
        input_names: Sequence[str] | None = None,
        output_names: Sequence[str] | None = None,
        opset: int | None = None,
        sequence_rule: Rule = "accumulate",
        functions: bool = True,
    ) -> Any:
        """Return an ONNX model that computes the same, and write it to a file.

        Parameters
        ----------
        path, opset, functions
            As for `CompiledOperator.to_onnx`, whose errors this raises.
        input_names, output_names : sequence of str, optional
            One per input that a node reads, and per output; the graph's own by default.
        sequence_rule : {"accumulate", "multiply"}
            The rule of FILL_VALUE_SEQUENCE, which a device decides otherwise.

        Returns
        -------
        onnx.ModelProto
            Checked fully by `onnx.checker`.

        Examples
        --------
        >>> graph = Graph(Device())
        >>> x = graph.input([2], name="x")
        >>> model = SerializedGraph.of_outputs([x * 2.0], output_names=["y"]).to_onnx()
        >>> [node.op_type for node in model.graph.node]
        ['Mul']
        """
        # Only who writes models needs what stands below this file.
        doors = importlib.import_module("indirectml.onnx_export.doors")
        return doors.export_graph(
            self.nodes,
            self.inputs,
            dict.fromkeys(self._wanted_names),
            path,
            input_names=input_names,
            output_names=output_names,
            opset=opset,
            sequence_rule=sequence_rule,
            functions=functions,
        )

    def plot(self, path: str | os.PathLike[str], *, profile: Any = None) -> None:
        """Draw the graph: operators with their names and sizes, and what feeds what.

        Parameters
        ----------
        path : path
            Its end is the format: .svg; .dot or .gv, which Graphviz reads; .mmd for Mermaid.
        profile : Profile, optional
            Of the compiled graph: what operators took becomes their colour.

        Raises
        ------
        SettingError
            There is no such format.

        Examples
        --------
        >>> import pathlib, tempfile
        >>> graph = Graph(Device())
        >>> x = graph.input([2], name="x")
        >>> serialized = SerializedGraph.of_outputs([x * x], output_names=["y"])
        >>> profile = serialized.compile(Device()).profile({"x": np.ones(2)})
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     serialized.plot(pathlib.Path(folder, "graph.svg"), profile=profile)
        """
        pictures = importlib.import_module("indirectml.inspection.pictures")
        pictures.save_picture(self, Path(path), profile)

    def _repr_svg_(self) -> str | None:
        """Return a picture for notebooks; None of what has too many nodes for one."""
        if len(self.operators) > _DRAWN:
            return None
        pictures = importlib.import_module("indirectml.inspection.pictures")
        drawn: str = pictures.picture(self)
        return drawn

    @property
    def _wanted_names(self) -> tuple[str, ...]:
        """The names of the outputs that an ONNX model has."""
        return self.output_names

    @property
    def _contents(self) -> Contents:
        return Contents(self.nodes, self.input_names, self.output_names)


def read_serialized_graph(path: str | os.PathLike[str]) -> SerializedGraph:
    """Return the DirectML graph in a file, such as ONNX Runtime's "Partition_0.bin".

    Parameters
    ----------
    path : path
        The file. The constants that it names lie beside it, in files of these names.

    Raises
    ------
    FileFormatError
        It is no serialized graph, breaks a rule of the format, or names a constant without a file
        in its folder; the message has the place in the file.
    OSError
        It cannot be opened.

    Notes
    -----
    No device is needed. What is kept takes memory in proportion to the file. Constants in files are
    not read but mapped, and compiled graphs use them where they are mapped. So the files have to
    stay as they are; who makes one of them shorter meanwhile ends the process that reads beyond its
    end.

    References
    ----------
    The Guide of DxDispatch, chapter on serialized graphs; ONNX Runtime's session option
    ep.dml.enable_graph_serialization.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> graph = Graph(Device())
    >>> x = graph.input([4], name="x")
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, "graph.bin")
    ...     SerializedGraph.of_outputs([x * 2.0], output_names=["y"]).serialize(path)
    ...     read_serialized_graph(path)
    SerializedGraph(2 nodes, inputs x, outputs y)
    """
    contents = read_contents(Path(path))
    return SerializedGraph(contents.nodes, contents.input_names, contents.output_names)


def _short(names: tuple[str, ...]) -> str:
    shown = [label(name) or "''" for name in names[:4]]
    return ", ".join([*shown, *(["..."] if len(names) > len(shown) else [])]) or "none"
