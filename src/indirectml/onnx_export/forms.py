"""How the ONNX form of an operator is stated: a function from its node to ONNX nodes.

    @form("ELEMENT_WISE_DIFFERENCE_SQUARE")
    def squared_difference(node: Node, a: Value, b: Value) -> Value:
        left = node.b.add("Sub", a, b)
        return node.b.add("Mul", left, left)

It stands in the module of the operator's family, under the newest name of its definition; older
versions share it. It gets one value per input of the operator (None for an optional one that is
left out), packed and with the tensor's sizes, and returns one value, or a tuple of one per output
in DirectML's order; outputs that are left out, or that an older version lacks, may be None.

What is common to all operators happens around it. FLOAT16 comes as FLOAT32 unless the operator
keeps bits, and a result is rounded once to the data type of the output. Scale and bias, and a fused
activation, are applied unless the definition asks for them. Integers and truth become the data type
of the output; sizes may differ from the output's by broadcasting, or by dimensions of size 1.

`renamed` states forms that are one ONNX operator with other names of fields.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NoReturn, TypeVar

import numpy as np

from indirectml.core.errors import DescriptorError
from indirectml.core.tensors import TensorDesc
from indirectml.descriptors.base import OperatorDesc
from indirectml.descriptors.definitions import Definition, definition, index
from indirectml.onnx_export.building import SINGLE, Builder, DType, Value, numpy_dtype

#: The package whose modules hold forms, a family each.
FAMILIES = "indirectml.onnx_export"

Form = Callable[..., Any]
Function = TypeVar("Function", bound=Form)

#: Forms by the newest name of their operator, put there when their module is imported.
FORMS: dict[str, Form] = {}

#: Operators whose form takes inputs that broadcast, instead of expanded ones.
BROADCASTING: set[str] = set()


@dataclass(frozen=True, eq=False)
class Node:
    """An operator that is being written.

    Attributes
    ----------
    b : Builder
        What nodes are added to.
    desc : OperatorDesc
        The descriptor.
    name : str
        The operator, in the version that the graph has.
    sequence_rule : str
        The device's.
    """

    b: Builder
    desc: OperatorDesc
    name: str
    sequence_rule: str = "accumulate"

    @property
    def definition(self) -> Definition:
        """The definition, which older versions share."""
        return definition(self.name)

    def __getitem__(self, field: str) -> Any:
        """Return a field of the descriptor; what an older version lacks has its default."""
        if hasattr(self.desc, field):
            return getattr(self.desc, field)
        return self.definition.keywords[field]

    @property
    def inputs(self) -> list[TensorDesc | None]:
        """The tensors of the inputs; None for what is left out."""
        return [tensor for _, tensor in self.desc.tensors("input_tensor")]

    @property
    def outputs(self) -> list[TensorDesc | None]:
        """The tensors of the outputs; None for what is left out."""
        return [tensor for _, tensor in self.desc.tensors("output_tensor")]

    @property
    def sizes(self) -> tuple[int, ...]:
        """The sizes of the first output."""
        return next(t.sizes_tuple for t in self.outputs if t is not None)

    @property
    def dtype(self) -> DType:
        """The dtype of the first output, FLOAT32 for a FLOAT16 that is computed."""
        return self.computed(next(t for t in self.outputs if t is not None))

    def computed(self, tensor: TensorDesc) -> DType:
        """Return the dtype in which the operator computes a tensor: FLOAT32 for FLOAT16."""
        dtype = numpy_dtype(tensor.data_type)
        return SINGLE if dtype == np.float16 and self.desc.is_arithmetic else dtype

    def refuse(self, required: str, given: str | None = None, hint: str | None = None) -> NoReturn:
        """Refuse the node with a reason, such as ("needs whole dilations", "1.5")."""
        raise DescriptorError(required, given=given, hint=hint)


def form(*names: str, broadcasts: bool = False) -> Callable[[Function], Function]:
    """Return a decorator that makes a function the form of operators.

    Parameters
    ----------
    *names : str
        The operators, in their newest versions.
    broadcasts : bool
        Whether inputs may have size 1 where the tensor repeats them (by strides of 0).
    """

    def state(function: Function) -> Function:
        for name in names:
            FORMS[name] = function
            if broadcasts:
                BROADCASTING.add(name)
        return function

    return state


def renamed(forms: dict[str, str], *, broadcasts: bool = False, **fields: str) -> None:
    """State forms that are one ONNX operator each, with its output's dtype and sizes.

    Parameters
    ----------
    forms : dict
        From operators of DirectML to those of ONNX.
    broadcasts : bool
        As for `form`.
    **fields : str
        From attributes of ONNX to fields of DirectML.
    """
    for name, operator in forms.items():
        FORMS[name] = _renamed(operator, fields)
        if broadcasts:
            BROADCASTING.add(name)


def _renamed(operator: str, fields: dict[str, str]) -> Form:
    def one_node(node: Node, *inputs: Value | None) -> Value:
        attributes = {name: node[field] for name, field in fields.items()}
        return node.b.add(operator, *inputs, **attributes)

    return one_node


def form_of(name: str) -> Form | None:
    """Return the form of an operator; None where none is stated.

    Raises
    ------
    DescriptorError, OperatorNotImplementedError
        As for `definition`.
    """
    found = definition(name)
    try:
        importlib.import_module(f"{FAMILIES}.{index()['operators'][found.name]}")
    except ModuleNotFoundError as error:
        if not str(error.name).startswith(FAMILIES):
            raise
    return FORMS.get(found.name)
