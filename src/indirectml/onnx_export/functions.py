"""Which operators become functions of the model, and the functions.

An operator is written as the ONNX operator of the same meaning where that is one node that comes
back as the same operator. All others are calls of functions, whose bodies are their forms.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from indirectml.descriptors.base import OperatorDesc
from indirectml.onnx_export.building import (
    BOOL,
    Builder,
    OnnxFunction,
    OnnxNode,
    Value,
    needed_nodes,
)
from indirectml.onnx_import.own_domain import written_attributes
from indirectml.onnx_import.values import MOST_DIMENSIONS

#: From a builder and an operator's inputs to its outputs.
Written = Callable[[Builder, Sequence[Value | None]], Sequence[Value | None]]

#: What becomes a view, and no operator.
_VIEWS = ("Reshape", "Identity")


class Functions:
    """The functions of one model: one for each operator with the same fields and tensors."""

    def __init__(self) -> None:
        self._known: dict[Any, OnnxFunction] = {}
        self._counts: dict[str, int] = {}

    def called(
        self,
        b: Builder,
        desc: OperatorDesc,
        rule: str,
        write: Written,
        inputs: Sequence[Value | None],
    ) -> Sequence[Value | None]:
        """Return what an operator gives: by nodes that say it, or by a call of a function.

        Parameters
        ----------
        b : Builder
            What nodes are added to.
        desc : OperatorDesc
            The operator.
        rule : str
            Of FILL_VALUE_SEQUENCE.
        write : callable
            Its form.
        inputs : sequence of Value or None
            What it reads; None for what is left out.
        """
        inner = Builder(b.opset, place=b.place)
        parameters = [None if v is None else Value(v.dtype, v.sizes) for v in inputs]
        outputs = list(write(inner, parameters))
        nodes = needed_nodes(inner.nodes, outputs)
        if comes_back(desc, nodes):
            return write(b, inputs)
        for opset, place in inner.needed.items():
            b.needed.setdefault(opset, place)
        attributes = written_attributes(desc, rule)
        sizes = tuple(v and v.sizes for v in parameters)
        key = desc.operator_name, repr(sorted(attributes.items())), sizes
        function = self._known.get(key)
        if function is None:
            function = self._known[key] = OnnxFunction(
                self._name(desc.operator_name),
                desc.definition.text.partition("\n")[0],
                _named(parameters, desc, "input_tensor"),
                _named(outputs, desc, "output_tensor"),
                nodes,
                inner.constants,
                tuple(attributes),
            )
        made = iter(b.call(function, [v for v in inputs if v is not None], attributes))
        return [None if v is None else next(made) for v in outputs]

    def _name(self, operator_name: str) -> str:
        number = self._counts[operator_name] = self._counts.get(operator_name, 0) + 1
        return operator_name if number == 1 else f"{operator_name}_{number}"


def _named(values: Sequence[Value | None], desc: OperatorDesc, kind: str) -> dict[Value, str]:
    """Return values that are there with the names of their fields, such as "scale"."""
    names = [name.replace("_tensor", "") for name, _ in desc.tensors(kind)]
    return {v: name for v, name in zip(values, names, strict=True) if v is not None}


def comes_back(desc: OperatorDesc, nodes: Sequence[OnnxNode]) -> bool:
    """Return whether nodes say no more than an operator does, and so are read as the same.

    A Cast of truth changes nothing. A Cast of numbers is a rounding that the operator does not have
    by itself.
    """
    values = [v for node in nodes for v in (*node.inputs, *node.outputs) if v is not None]
    if desc.operator_name in _OTHERWISE or any(v.rank > MOST_DIMENSIONS for v in values):
        return False
    said = [node for node in nodes if not _changes_nothing(node)]
    fused = vars(desc).get("fused_activation")
    parts = 1 + bool(fused is not None and fused.activation)
    return len(said) <= parts and not any(node.operator == "Cast" for node in said)


def _changes_nothing(node: OnnxNode) -> bool:
    if node.operator == "Cast":
        (source,), (target,) = node.inputs, node.outputs
        return BOOL in {v.dtype for v in (source, target) if v is not None}
    return node.operator in _VIEWS


#: Operators that come back as others, of other bits: UPSAMPLE_2D as GATHER, which keeps the bits of
#: every NaN.
_OTHERWISE = ("UPSAMPLE_2D",)
