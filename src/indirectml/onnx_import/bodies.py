"""Operators of other domains, spelled in ONNX's own.

    @spelled("BiasSplitGelu")
    def gated(b: Body, x: str, bias: str) -> str:
        left, right = b.several("Split", 2, b("Add", x, bias), axis=-1, num_outputs=2)
        return b("Mul", left, b("Gelu", right))

It is called for each node, whose sizes and attributes are known in `b.node`. Values are names; an
optional input that is left out is "". What it returns are the names of the outputs, "" for those
that are not there. The nodes take the place of the node, as those of a function of the model do.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from inspect import Parameter
from typing import Any

import numpy as np

from indirectml.core.errors import ModelError, shown
from indirectml.onnx_import.nodes import Node, handler
from indirectml.onnx_import.package import onnx_package

#: The opset in whose operators they are spelled.
OPSET = 24

#: ONNX Runtime's own domain.
MICROSOFT = "com.microsoft"

Spelled = Callable[..., str | tuple[str, ...]]


class Body:
    """ONNX nodes as they are added.

    Attributes
    ----------
    node : Node
        What they are to take the place of.
    nodes : list of onnx.NodeProto
        So far.
    """

    def __init__(self, node: Node) -> None:
        self.node = node
        self.nodes: list[Any] = []

    def __call__(self, operator: str, *inputs: str, **attributes: Any) -> str:
        """Add a node of one output, and return its name; attributes that are None are left out."""
        (name,) = self.several(operator, 1, *inputs, **attributes)
        return name

    def several(
        self, operator: str, count: int, *inputs: str, domain: str = "", **attributes: Any
    ) -> list[str]:
        """Add a node of several outputs, and return their names."""
        names = [f"{operator}_{len(self.nodes)}_{k}" for k in range(count)]
        given = {name: value for name, value in attributes.items() if value is not None}
        made = onnx_package("helper").make_node(operator, inputs, names, domain=domain, **given)
        self.nodes.append(made)
        return names

    def constant(self, array: Any, dtype: Any = None) -> str:
        """Add an array that is known."""
        found = np.array(array, dtype)
        self.node.take(found.shape, found.dtype)
        numpy_helper = onnx_package("numpy_helper")
        return self("Constant", value=numpy_helper.from_array(found))

    def reshape(self, x: str, *sizes: int) -> str:
        """Add a view of other sizes."""
        return self("Reshape", x, self.constant(sizes, np.int64))

    def transpose(self, x: str, *order: int) -> str:
        """Add dimensions in another order."""
        return self("Transpose", x, perm=order)

    def cast(self, x: str, dtype: Any) -> str:
        """Add a conversion."""
        to = onnx_package("helper").np_dtype_to_tensor_dtype(np.dtype(dtype))
        return self("Cast", x, to=to)

    def attributes(self, *names: str) -> dict[str, Any]:
        """Return those of some attributes that the node has."""
        found = self.node.attributes
        return {name: found[name] for name in names if name in found}

    def dtype(self, index: int) -> np.dtype[Any]:
        """Return the data type of an input."""
        return self.node.value(index).dtype

    def shape(self, index: int) -> tuple[int, ...]:
        """Return the sizes of an input."""
        return self.node.value(index).shape

    @property
    def dtype_of_floats(self) -> np.dtype[Any]:
        """The data type of the first input that has floats."""
        values = (value for value in self.node.inputs if value is not None)
        return next((v.dtype for v in values if v.dtype.kind == "f"), np.dtype(np.float32))


def spelled(*operators: str, domain: str = MICROSOFT) -> Callable[[Spelled], Spelled]:
    """Return a decorator that makes a function how nodes of some operators are spelled.

    Parameters
    ----------
    *operators : str
        Their names.
    domain : str
        Where they are.
    """

    def register(function: Spelled) -> Spelled:
        @functools.wraps(function)
        def body(node: Node) -> Any:
            return _body(function, node)

        handler(*operators, domain=domain, is_body=True)(body)
        return function

    return register


def _body(function: Spelled, node: Node) -> Any:
    """Return the nodes that a function spells, as a function of a model."""
    names = [f"input_{k}" for k in range(len(node.inputs))]
    b = Body(node)
    made = function(b, *_given(function, node, names))
    outputs = list(made) if isinstance(made, tuple) else [made]
    for index, name in enumerate(outputs):
        if not name:
            if node.wants(index):
                raise ModelError("is made for training alone", field=f"outputs[{index}]")
            outputs[index] = b.constant(0.0)
        elif name in names:  # what is read is given
            outputs[index] = b("Identity", name)
    helper = onnx_package("helper")
    opsets = [helper.make_opsetid("", OPSET), helper.make_opsetid(MICROSOFT, 1)]
    return helper.make_function(MICROSOFT, node.operator, names, outputs, b.nodes, opsets)


def _given(function: Spelled, node: Node, names: list[str]) -> list[str]:
    """Return the arguments of a function: names of inputs, "" for those that are left out.

    Raises
    ------
    ModelError
        One is left out that is required, or there are too many.
    """
    given = [name if node.has(k) else "" for k, name in enumerate(names)]
    parameters = list(_parameters_of(function))
    if parameters[-1].kind is Parameter.VAR_POSITIONAL:
        parameters.pop()
    elif any(given[len(parameters) :]):
        raise ModelError(f"needs at most {len(parameters)} inputs", given=f"{len(given)}")
    given += [""] * (len(parameters) - len(given))
    for index, (name, parameter) in enumerate(zip(given, parameters, strict=False)):
        if not name and parameter.default is Parameter.empty:
            raise ModelError(
                "is required", given="none", field=f"inputs[{index}] ({parameter.name})"
            )
    return given


@functools.cache
def _parameters_of(function: Spelled) -> tuple[Parameter, ...]:
    """Return the parameters of a function but for the body."""
    return tuple(inspect.signature(function).parameters.values())[1:]


def one_of(node: Node, name: str, default: Any, choices: tuple[Any, ...]) -> Any:
    """Return an attribute that has few values.

    Raises
    ------
    ModelError
        It has another.
    """
    value = node.attribute(name, default)
    if value not in choices:
        told = ", ".join(map(str, choices))
        raise ModelError(f"needs one of {told}", given=shown(value), field=f"attribute {name}")
    return value
