"""The nodes of a serialized graph: operators and constants, whose values are connected by name."""

from __future__ import annotations

from dataclasses import dataclass, field

from indirectml.core.errors import DirectMLError, shown
from indirectml.core.tensors import TensorDesc
from indirectml.descriptors.base import OperatorDesc
from indirectml.descriptors.names import snake_case
from indirectml.operators import descriptor_class
from indirectml.serialized.fields import Attributes, fields_of

#: The tensors of a field, or None for an optional one that is left out.
Tensor = TensorDesc | None


@dataclass(frozen=True)
class SerializedOperator:
    """An operator of a serialized graph, whether it is written yet or not.

    Attributes
    ----------
    name : str
        Of the node; may be empty.
    operator_name : str
        DirectML's, without prefix.
    inputs, outputs : tuple of TensorDesc or None
        One per tensor of DirectML's structure, in its order; None for an optional one that is left
        out. A field that is an array has as many as it has elements.
    input_names, output_names : tuple of str
        The names of their values, in the same order; empty where one is left out.
    attributes : dict
        The other fields by Python's names, as descriptors hold them. Fields that count elements
        are left out.
    """

    name: str
    operator_name: str
    inputs: tuple[Tensor, ...]
    outputs: tuple[Tensor, ...]
    input_names: tuple[str, ...]
    output_names: tuple[str, ...]
    attributes: Attributes

    @property
    def desc(self) -> OperatorDesc:
        """The operator descriptor.

        Raises
        ------
        DescriptorError, DataTypeError, ScalarError
            A field has a value that its descriptor refuses.
        """
        tensors = tensor_fields(self.operator_name, self.inputs, self.outputs)
        return descriptor_class(self.operator_name)(**tensors, **self.attributes)

    def __repr__(self) -> str:
        return f"SerializedOperator({shown(self.name)}, {self.operator_name})"


@dataclass(frozen=True)
class SerializedConstant:
    """A constant of a serialized graph.

    Attributes
    ----------
    name : str
        Of the node; may be empty.
    output_name : str
        The name of its value.
    data : bytes or memoryview
        Its bytes; of a constant in a file a view of the mapped file, read only.
    weight_name : str or None
        The name of its bytes, which lie in a file of that name beside the graph; None where they
        lie in the graph's own file.
    """

    name: str
    output_name: str
    data: bytes | memoryview
    weight_name: str | None = field(default=None, compare=False)

    @property
    def output_names(self) -> tuple[str, ...]:
        """The name of its value, as operators have several."""
        return (self.output_name,)

    def __repr__(self) -> str:
        return f"SerializedConstant({shown(self.name)}, {len(self.data)} bytes)"


#: Either kind of node.
Node = SerializedOperator | SerializedConstant


def tensor_fields(
    operator_name: str, inputs: tuple[Tensor, ...], outputs: tuple[Tensor, ...]
) -> dict[str, Tensor | tuple[Tensor, ...]]:
    """Return the tensors of an operator by Python's names of the fields that they belong to."""
    found: dict[str, Tensor | tuple[Tensor, ...]] = {}
    for kind, tensors in (("input_tensor", inputs), ("output_tensor", outputs)):
        rest = list(tensors)
        for facts in fields_of(operator_name, kind):
            name = snake_case(facts.name)
            if facts.array:
                found[name], rest = tuple(rest), []
            else:
                found[name] = rest.pop(0)
    return found


def tensor_counts(operator_name: str, inputs: int, outputs: int) -> dict[str, int]:
    """Return how many tensors each field has that is an array of tensors."""
    found: dict[str, int] = {}
    for kind, count in (("input_tensor", inputs), ("output_tensor", outputs)):
        facts = fields_of(operator_name, kind)
        found |= {f.name: count - len(facts) + 1 for f in facts if f.array}
    return found


def mistakes_of(node: SerializedOperator) -> DirectMLError | None:
    """Return why a node has no descriptor, or None."""
    try:
        _ = node.desc
    except DirectMLError as error:
        return error
    return None
