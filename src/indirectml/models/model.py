"""A dispatch model as data: what `parsing` makes, `checking` checks and `running` executes."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, ClassVar

from indirectml.catalogue import operator_facts
from indirectml.catalogue.enumerations import ExecutionFlags
from indirectml.core.data_types import TensorDataType
from indirectml.core.tensors import TensorDesc
from indirectml.descriptors.base import OperatorDesc
from indirectml.descriptors.names import snake_case
from indirectml.fills.array_files import ArrayFile
from indirectml.models.problems import Path
from indirectml.serialized.graph import SerializedGraph


@dataclass(frozen=True)
class PackedValues:
    """Initial values as bytes: a list, or a mixed list."""

    raw: bytes = field(repr=False)

    @property
    def size_bytes(self) -> int:
        """How many bytes the values take."""
        return len(self.raw)


@dataclass(frozen=True)
class SequenceValues:
    """Initial values by a rule, as bits: all `start`, or each `delta` more than the one before.

    Attributes
    ----------
    delta : int or None
        None for equal values.
    truncates : bool
        Sums of FLOAT16 are truncated instead of rounded, as DxDispatch's are.
    """

    data_type: TensorDataType
    count: int
    start: int
    delta: int | None
    truncates: bool = False

    @property
    def size_bytes(self) -> int:
        """How many bytes the values take."""
        return self.count * self.data_type.item_bytes


@dataclass(frozen=True)
class FileValues:
    """Initial values from a .npy or raw file, read when the model runs."""

    source: ArrayFile

    @property
    def size_bytes(self) -> int:
        """How many bytes the values take."""
        return self.source.element_count * self.source.data_type.item_bytes


@dataclass(frozen=True)
class ImageValues:
    """Initial values from a picture: channels, rows, columns; 0 to 1 each.

    Attributes
    ----------
    pixels : int
        Of the picture as it is in the file.
    truncates : bool
        FLOAT16 elements are truncated instead of rounded, as DxDispatch's are.
    """

    path: str
    data_type: TensorDataType
    sizes: tuple[int, int, int]
    pixels: int
    truncates: bool = False

    @property
    def size_bytes(self) -> int:
        """How many bytes the values take."""
        channels, height, width = self.sizes
        return channels * height * width * self.data_type.item_bytes


Values = PackedValues | SequenceValues | FileValues | ImageValues


@dataclass(frozen=True)
class Resource:
    """A buffer with initial values; without any if it is "deferred".

    Attributes
    ----------
    name : str
        In the model.
    key : str
        Where `Model.resources` has it: the name, but for a deferred resource that several commands
        make, each in sizes of its own.
    data_type : TensorDataType
        UNKNOWN for mixed lists and for raw files without a type.
    """

    name: str
    key: str
    data_type: TensorDataType
    values: Values | None
    size_bytes: int
    is_deferred: bool = False

    @property
    def item_bytes(self) -> int:
        """Bytes of one element; 1 if the data type is unknown."""
        return self.data_type.item_bytes or 1


@dataclass(frozen=True)
class ModelDispatchable:
    """An operator to be compiled.

    Attributes
    ----------
    place : Path
        Where its fields are in the model, from the dispatchable.
    as_graph : bool
        Compile it as a graph of one node.
    bindings : dict
        By field name: what is bound to inputs that DirectML owns, when it is initialized.
    """

    name: str
    desc: OperatorDesc
    flags: ExecutionFlags
    place: Path = ()
    as_graph: bool = False
    bindings: Bindings = field(default_factory=dict)
    needs_bindings: ClassVar[bool] = True

    @property
    def in_place(self) -> bool:
        """Whether an output may lie on an input that has the same layout."""
        return operator_facts(self.desc.operator_name).in_place

    def points(self, kind: str) -> Points:
        """Return DirectML's names of the fields that have tensors of a kind, and these."""
        found: Points = {}
        for facts in operator_facts(self.desc.operator_name).fields:
            value = getattr(self.desc, snake_case(facts.name), None)
            if facts.kind == kind and value is not None:
                found[facts.name] = value if facts.array else (value,)
        return found


@dataclass(frozen=True)
class ModelGraph:
    """A graph in a file to be compiled, whose inputs and outputs are bound by their names.

    An ONNX model that is dispatched in several sizes is one for each of them, all of one name.

    Attributes
    ----------
    needs_bindings : bool
        Without that, inputs that are not bound are made up, and outputs are let go.
    place : Path
        Where the name of its file is in the model, from the dispatchable.
    """

    name: str
    graph: SerializedGraph
    flags: ExecutionFlags
    place: Path = ("sourcePath",)
    as_graph: bool = True
    bindings: Bindings = field(default_factory=dict)
    in_place: bool = False
    needs_bindings: bool = True

    def points(self, kind: str) -> Points:
        """Return the names of the inputs, or of the outputs, and their tensors."""
        tensors = self.graph.inputs if kind == "input_tensor" else self.graph.outputs
        return {name: (tensor,) for name, tensor in tensors.items()}


@dataclass(frozen=True)
class ResourcePart:
    """A part of a resource, of which this is the key, from an offset to its end."""

    resource: str
    offset_bytes: int


#: Tensors by field name, such as "OutputTensor": one, or those of an array.
Points = dict[str, tuple[TensorDesc, ...]]

#: By field name, such as "OutputTensor": one for each tensor of the field.
Bindings = dict[str, tuple[ResourcePart, ...]]


@dataclass(frozen=True)
class DispatchCommand:
    """Executes a dispatchable, of which this is the key; bindings by field name."""

    number: int
    dispatchable: str
    bindings: Bindings


@dataclass(frozen=True)
class PrintCommand:
    """Prints the values of a resource."""

    number: int
    resource: str
    verbose: bool


@dataclass(frozen=True)
class WriteFileCommand:
    """Writes a resource to a file.

    Attributes
    ----------
    dimensions : tuple of int or None
        The sizes in a .npy file or of a picture.
    """

    number: int
    resource: str
    target_path: str
    dimensions: tuple[int, ...] | None


Command = DispatchCommand | PrintCommand | WriteFileCommand


@dataclass(frozen=True)
class Model:
    """Resources and dispatchables by key, and commands in order.

    Attributes
    ----------
    resources, dispatchables : dict
        A key is the name, unless several have one name: then it is that of the first.
    sources : list
        The commands as they are written, for `--print_commands`.
    """

    resources: dict[str, Resource]
    dispatchables: dict[str, ModelDispatchable | ModelGraph]
    commands: tuple[Command, ...]
    sources: list[Any] = field(default_factory=list, repr=False)
