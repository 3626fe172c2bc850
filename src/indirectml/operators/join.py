"""JOIN: tensors one behind the other."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from indirectml.arithmetic.basics import Array
from indirectml.core.errors import DescriptorError, DirectMLError
from indirectml.core.tensors import TensorDesc
from indirectml.descriptors.base import OperatorDesc, check_axis
from indirectml.graphs.expressions import Expression, checked_operand, new_tensor


@dataclass(frozen=True)
class JoinOperatorDesc(OperatorDesc):
    """Output = the inputs, one behind the other along an axis.

    Parameters
    ----------
    input_tensors : sequence of TensorDesc
        At least one. Their sizes differ along the axis alone.
    output_tensor : TensorDesc
        Its size along the axis is the sum of theirs.
    axis : int
        From 0.

    Notes
    -----
    Every bit is kept.

    References
    ----------
    DirectML: DML_JOIN_OPERATOR_DESC.

    Examples
    --------
    >>> device = Device()
    >>> one, two = TensorDesc(np.int8, [1]), TensorDesc(np.int8, [2])
    >>> operator = device.create_operator(JoinOperatorDesc([one, two], TensorDesc(np.int8, [3]), 0))
    >>> device.compile_operator(operator)([np.array([1], np.int8), np.array([2, 3], np.int8)])
    [array([1, 2, 3], dtype=int8)]
    """

    is_arithmetic = False

    input_tensors: tuple[TensorDesc, ...]
    output_tensor: TensorDesc
    axis: int

    def check_fields(self) -> Iterator[DirectMLError]:
        """Check the axis, and the sizes against the output's."""
        if not self.input_tensors:
            raise DescriptorError("needs at least one tensor", given="0", field="input_tensors")
        check_axis(self.axis, self.output_tensor)
        expected = self.output_tensor.sizes
        expected[self.axis] = sum(tensor.sizes[self.axis] for tensor in self.input_tensors)
        if expected != self.output_tensor.sizes:
            yield DescriptorError(
                f"needs the sum of the inputs' sizes along axis {self.axis}, {expected}",
                given=f"{self.output_tensor.sizes}",
                field="output_tensor.sizes",
            )
        for number, tensor in enumerate(self.input_tensors):
            expected[self.axis] = tensor.sizes[self.axis]
            if tensor.sizes != expected:
                yield DescriptorError(
                    f"needs the output's sizes except along axis {self.axis}, {expected}",
                    given=f"{tensor.sizes}",
                    field=f"input_tensors[{number}].sizes",
                )


def compute(desc: JoinOperatorDesc, *inputs: Array) -> Array:
    """Return the inputs, one behind the other."""
    return np.concatenate(inputs, desc.axis)


def join(inputs: Sequence[Expression], *, axis: int) -> Expression:
    """Return tensors one behind the other along an axis.

    Parameters
    ----------
    inputs : sequence of Expression
        At least one. Their sizes differ along the axis alone.
    axis : int
        From 0.

    Examples
    --------
    >>> graph = Graph(Device())
    >>> a = fill_value_constant(graph, sizes=[1, 2], value=0)
    >>> b = fill_value_sequence(graph, sizes=[2, 2], value_start=1, value_delta=1)
    >>> graph.compile([join([a, b], axis=0)])()
    [array([[0., 0.],
           [1., 2.],
           [3., 4.]], dtype=float32)]
    """
    if not inputs:
        raise DescriptorError("needs at least one expression", given="none", field="join")
    first = checked_operand("join", inputs[0])
    check_axis(axis, first.desc, "join(axis)")
    sizes = list(first.shape)
    sizes[axis] = sum(checked_operand("join", e).shape[axis] for e in inputs)
    desc = JoinOperatorDesc(tuple(e.desc for e in inputs), new_tensor(first, sizes), axis)
    return first.graph.add_node(desc, *inputs)[0]
